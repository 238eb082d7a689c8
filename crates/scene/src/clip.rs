//! Clips: animated properties, and interpolation between keys.

use glam::Quat;

use crate::{CameraId, EmitterId, Extras, LightId, MaterialId, NodeId};

/// Interpolation between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Interpolation {
    /// Held until the next key.
    Step,
    /// Linear; rotations along the shortest arc.
    #[default]
    Linear,
    /// Cubic: every key has an incoming tangent, its value and an outgoing tangent, tangents per second.
    Cubic,
}

/// The object that a channel animates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Target {
    /// A node.
    Node(NodeId),
    /// A material.
    Material(MaterialId),
    /// A light.
    Light(LightId),
    /// A camera.
    Camera(CameraId),
    /// An emitter.
    Emitter(EmitterId),
}

/// The property of the target that a channel animates.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Property {
    /// Translation of a node; replaces the one at rest.
    Translation,
    /// Rotation x, y, z, w of a node.
    Rotation,
    /// Scale of a node, three numbers.
    Scale,
    /// Visibility of a node: visible if more than 0.
    Visibility,
    /// Red, green, blue: the tint of a node, the base colour of a material, the colour of a light.
    Color,
    /// Opacity: of a node's tint, of a material's base colour.
    Alpha,
    /// Emitted light of a material.
    Emissive,
    /// Intensity of a light.
    Intensity,
    /// Range of a light.
    Range,
    /// Offset of a material's texture coordinates.
    UvOffset,
    /// Rotation of a material's texture coordinates, in radians.
    UvRotation,
    /// Scale of a material's texture coordinates.
    UvScale,
    /// Field of view of a camera.
    FieldOfView,
    /// Another one, by the format's name.
    Other(String),
}

impl Property {
    /// Returns the name of the property; the format's name for [`Property::Other`].
    pub fn name(&self) -> &str {
        match self {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Visibility => "visibility",
            Property::Color => "color",
            Property::Alpha => "alpha",
            Property::Emissive => "emissive",
            Property::Intensity => "intensity",
            Property::Range => "range",
            Property::UvOffset => "uv_offset",
            Property::UvRotation => "uv_rotation",
            Property::UvScale => "uv_scale",
            Property::FieldOfView => "field_of_view",
            Property::Other(name) => name,
        }
    }

    /// Returns the property with a [`Property::name`].
    ///
    /// ```
    /// use galatea_scene::Property;
    /// assert_eq!(Property::by_name("alpha"), Property::Alpha);
    /// assert_eq!(Property::by_name("birthrate").name(), "birthrate");
    /// ```
    pub fn by_name(name: &str) -> Property {
        let known = [
            Property::Translation,
            Property::Rotation,
            Property::Scale,
            Property::Visibility,
            Property::Color,
            Property::Alpha,
            Property::Emissive,
            Property::Intensity,
            Property::Range,
            Property::UvOffset,
            Property::UvRotation,
            Property::UvScale,
            Property::FieldOfView,
        ];
        known.into_iter().find(|p| p.name() == name).unwrap_or_else(|| Property::Other(name.to_owned()))
    }
}

/// One property over time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Channel {
    /// The animated object.
    pub target: Target,
    /// The animated property.
    pub property: Property,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Times of the keys in seconds, ascending in valid data.
    pub times: Vec<f32>,
    /// Values, key after key; with [`Interpolation::Cubic`] three of them for each key.
    pub values: Vec<f32>,
    /// Data of the format that the scene has no field for.
    #[cfg_attr(feature = "serde", serde(default))]
    pub extras: Extras,
}

impl Channel {
    /// Returns a channel of a node.
    pub fn node(
        node: NodeId,
        property: Property,
        interpolation: Interpolation,
        times: Vec<f32>,
        values: Vec<f32>,
    ) -> Channel {
        Channel {
            target: Target::Node(node),
            property,
            interpolation,
            times,
            values,
            extras: Extras::default(),
        }
    }

    /// Returns the count of numbers in one value.
    pub fn width(&self) -> usize {
        let per_key = self.values.len().checked_div(self.times.len()).unwrap_or(0);
        if self.interpolation == Interpolation::Cubic { per_key / 3 } else { per_key }
    }

    /// Returns the value at a time; before the first and after the last key, that of the nearest. `None` without keys.
    ///
    /// ```
    /// use galatea_scene::{Channel, Interpolation, Property};
    /// let up = Channel::node(0, Property::Translation, Interpolation::Linear, vec![1.0, 3.0],
    ///     vec![0.0, 0.0, 0.0, 0.0, 8.0, 0.0]);
    /// assert_eq!(up.sample(1.5).unwrap(), [0.0, 2.0, 0.0]);
    /// assert_eq!(up.sample(9.0).unwrap(), [0.0, 8.0, 0.0]);
    /// ```
    pub fn sample(&self, time: f32) -> Option<Vec<f32>> {
        let mut out = [0.0; 16];
        let width = self.sample_into(time, &mut out)?;
        Some(out.get(..width)?.to_vec())
    }

    /// Writes [`Channel::sample`] to the front of `out` without allocating, and returns the count of numbers.
    pub fn sample_into(&self, time: f32, out: &mut [f32; 16]) -> Option<usize> {
        let width = self.width();
        if width == 0 || width > out.len() {
            return None;
        }
        let next = self.times.partition_point(|t| *t <= time);
        let cubic = self.interpolation == Interpolation::Cubic;
        let part = |key: usize, which: usize| {
            let stride = if cubic { width * 3 } else { width };
            let from = key * stride + if cubic { which * width } else { 0 };
            self.values.get(from..from + width)
        };
        let mut hold = |key: usize| {
            out.get_mut(..width)?.copy_from_slice(part(key, 1)?);
            Some(width)
        };
        let (Some(left), true) = (next.checked_sub(1), next < self.times.len()) else {
            return hold(next.min(self.times.len().checked_sub(1)?));
        };
        let (t0, t1) = (*self.times.get(left)?, *self.times.get(next)?);
        let span = t1 - t0;
        let s = (time - t0) / span;
        if self.interpolation == Interpolation::Step || !s.is_finite() {
            return hold(left);
        }
        let (a, b) = (part(left, 1)?, part(next, 1)?);
        let rotation = self.property == Property::Rotation && width == 4;
        match self.interpolation {
            Interpolation::Cubic => {
                let (out_tangent, in_tangent) = (part(left, 2)?, part(next, 0)?);
                let (s2, s3) = (s * s, s * s * s);
                let weights = [2.0 * s3 - 3.0 * s2 + 1.0, s3 - 2.0 * s2 + s, 3.0 * s2 - 2.0 * s3, s3 - s2];
                let [w0, w1, w2, w3] = weights;
                let values = a.iter().zip(out_tangent).zip(b.iter().zip(in_tangent));
                for (slot, ((v0, m0), (v1, m1))) in out.iter_mut().zip(values) {
                    *slot = w0 * v0 + w1 * span * m0 + w2 * v1 + w3 * span * m1;
                }
                if rotation {
                    let [x, y, z, w] = *out.first_chunk::<4>()?;
                    let turned = unit([x, y, z, w]);
                    out.get_mut(..4)?.copy_from_slice(&turned.to_array());
                }
            }
            _ if rotation => {
                let from = unit(*a.first_chunk()?);
                let to = unit(*b.first_chunk()?);
                out.get_mut(..4)?.copy_from_slice(&from.slerp(to, s).to_array());
            }
            _ => {
                for (slot, (v0, v1)) in out.iter_mut().zip(a.iter().zip(b)) {
                    *slot = v0 + (v1 - v0) * s;
                }
            }
        }
        Some(width)
    }
}

/// Returns a rotation of unit length; the identity for one of length 0.
fn unit(rotation: [f32; 4]) -> Quat {
    let rotation = Quat::from_array(rotation);
    if rotation.length_squared() > 0.0 { rotation.normalize() } else { Quat::IDENTITY }
}

/// An event at a time.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Event {
    /// Seconds from the start of the clip.
    pub time: f32,
    /// Name of the event in the format.
    pub name: String,
    /// The node where it happens.
    pub node: Option<NodeId>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}

/// What happens at the end of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Playback {
    /// It starts again.
    #[default]
    Loop,
    /// It stops at its last frame.
    Once,
    /// It always plays, in addition to the current clip.
    Always,
}

impl Playback {
    /// All of them.
    pub const ALL: [Playback; 3] = [Playback::Loop, Playback::Once, Playback::Always];

    /// Returns the name: `loop`, `once` or `always`.
    pub fn name(self) -> &'static str {
        match self {
            Playback::Loop => "loop",
            Playback::Once => "once",
            Playback::Always => "always",
        }
    }
}

/// An animation clip.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Clip {
    /// Name.
    pub name: String,
    /// Length in seconds.
    pub length: f32,
    /// What happens at its end.
    pub playback: Playback,
    /// Animated properties.
    pub channels: Vec<Channel>,
    /// Events.
    pub events: Vec<Event>,
    /// Data of the format that the scene has no field for.
    pub extras: Extras,
}
