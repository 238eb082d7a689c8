//! Bindings: which track drives which property of the scene. Used in both directions.

use galatea_scene::{Property, Target};

use super::curve::{CurveKind, ValueMap};
use super::extra::latin;
use crate::{Interpolation, Keys, NodeKind, Owner, Tag, ValueKind, Version, tracks_of};

/// A property of the scene that a track drives.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) target: Target,
    pub(super) property: Property,
    pub(super) map: ValueMap,
    /// Values are held, whatever the track's interpolation.
    pub(super) held: bool,
}

impl Binding {
    pub(super) fn new(target: Target, property: Property) -> Self {
        Binding { target, property, map: ValueMap::Plain, held: false }
    }

    /// Returns the binding for the visibility of a node.
    pub(super) fn visibility(node: u32) -> Self {
        Binding { held: true, ..Binding::new(Target::Node(node), Property::Visibility) }
    }

    /// Returns a binding for a value that the scene does not define.
    pub(super) fn other(target: Target, tag: Tag) -> Self {
        Binding::new(target, Property::Other(latin(&tag.0)))
    }

    pub(super) fn reversed(self) -> Self {
        Binding { map: ValueMap::Reversed, ..self }
    }
}

/// Parts of the scene that the tracks of an object can drive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) node: u32,
    pub(super) light: Option<u32>,
    pub(super) emitter: Option<u32>,
}

/// Returns the binding of a track.
pub(super) fn find(bounds: &[(Tag, ValueKind, Binding)], tag: Tag) -> Option<Binding> {
    bounds.iter().find(|(t, ..)| *t == tag).map(|(.., binding)| binding.clone())
}

/// Returns the bindings of a node's own tracks.
pub(super) fn node_bindings(node: u32, rest: ValueMap) -> [(Tag, ValueKind, Binding); 3] {
    let binding = |property| Binding::new(Target::Node(node), property);
    [
        (Tag(*b"KGTR"), ValueKind::Vector, Binding { map: rest, ..binding(Property::Translation) }),
        (Tag(*b"KGRT"), ValueKind::Rotation, binding(Property::Rotation)),
        (Tag(*b"KGSC"), ValueKind::Vector, binding(Property::Scale)),
    ]
}

fn owner_of(kind: NodeKind) -> Option<Owner> {
    Some(match kind {
        NodeKind::Light => Owner::Light,
        NodeKind::Attachment => Owner::Attachment,
        NodeKind::ParticleEmitter => Owner::ParticleEmitter,
        NodeKind::ParticleEmitter2 => Owner::ParticleEmitter2,
        NodeKind::PopcornEmitter => Owner::PopcornEmitter,
        NodeKind::RibbonEmitter => Owner::RibbonEmitter,
        _ => return None,
    })
}

/// Returns the bindings of the tracks of a light, an attachment or an emitter.
pub(super) fn own_bindings(kind: NodeKind, version: Version, parts: Parts) -> Vec<(Tag, ValueKind, Binding)> {
    let Some(owner) = owner_of(kind) else { return Vec::new() };
    let light = Target::Light(parts.light.unwrap_or(u32::MAX));
    let emitter = Target::Emitter(parts.emitter.unwrap_or(u32::MAX));
    let tracks = tracks_of(owner, version).map(|info| {
        let binding = match (owner, &info.tag.0) {
            (_, b"KLAV" | b"KATV" | b"KPEV" | b"KP2V" | b"KRVS" | b"KPPV" | b"KVIS") => {
                Binding::visibility(parts.node)
            }
            (_, b"KLAC") => Binding::new(light, Property::Color).reversed(),
            (_, b"KLAI") => Binding::new(light, Property::Intensity),
            (_, b"KLAE") => Binding::new(light, Property::Range),
            (Owner::Light, _) => Binding::other(light, info.tag),
            _ => Binding::other(emitter, info.tag),
        };
        (info.tag, info.value, binding)
    });
    tracks.collect()
}

/// Returns the bindings of a layer's tracks. The names for further layers of a scene material end in the number of the layer.
pub(super) fn layer_bindings(
    version: Version,
    material: u32,
    layer: usize,
) -> Vec<(Tag, ValueKind, Binding)> {
    let target = Target::Material(material);
    let tracks = tracks_of(Owner::Layer, version).map(|info| {
        let binding = match (&info.tag.0, layer) {
            (b"KMTA", 0) => Binding::new(target, Property::Alpha),
            (_, 0) => Binding::other(target, info.tag),
            _ => Binding::new(target, Property::Other(format!("{} {layer}", latin(&info.tag.0)))),
        };
        (info.tag, info.value, binding)
    });
    tracks.collect()
}

/// Returns the bindings of a texture slot's tracks.
pub(super) fn slot_bindings(version: Version, material: u32, slot: usize) -> Vec<(Tag, ValueKind, Binding)> {
    let tracks = tracks_of(Owner::LayerTexture, version).map(|info| {
        let property = Property::Other(format!("{} texture {slot}", latin(&info.tag.0)));
        (info.tag, info.value, Binding::new(Target::Material(material), property))
    });
    tracks.collect()
}

/// Returns the bindings of a texture animation's tracks.
pub(super) fn uv_bindings(material: u32) -> [(Tag, ValueKind, Binding); 3] {
    let binding = |property| Binding::new(Target::Material(material), property);
    [
        (Tag(*b"KTAT"), ValueKind::Vector, binding(Property::UvOffset)),
        (Tag(*b"KTAR"), ValueKind::Rotation, binding(Property::Other("uv_turn".into()))),
        (Tag(*b"KTAS"), ValueKind::Vector, binding(Property::UvScale)),
    ]
}

/// Returns the bindings of a geoset animation's tracks.
pub(super) fn anim_bindings(node: u32) -> [(Tag, ValueKind, Binding); 2] {
    let binding = |property| Binding::new(Target::Node(node), property);
    [
        (Tag(*b"KGAO"), ValueKind::Float, binding(Property::Alpha)),
        (Tag(*b"KGAC"), ValueKind::Vector, binding(Property::Color).reversed()),
    ]
}

pub(super) fn camera_bindings(
    version: Version,
    camera: u32,
    [node, target]: [u32; 2],
    [place, aim]: [ValueMap; 2],
) -> Vec<(Tag, ValueKind, Binding)> {
    let tracks = tracks_of(Owner::Camera, version).map(|info| {
        let moved = |node: u32, map: ValueMap| Binding {
            map,
            ..Binding::new(Target::Node(node), Property::Translation)
        };
        let binding = match &info.tag.0 {
            b"KCTR" => moved(node, place),
            b"KTTR" => moved(target, aim),
            b"KVIS" => Binding::visibility(node),
            _ => Binding::other(Target::Camera(camera), info.tag),
        };
        (info.tag, info.value, binding)
    });
    tracks.collect()
}

/// The value of a key, as floats.
pub(super) trait KeyValue: Copy + Default {
    const WIDTH: usize;
    fn put(self, out: &mut Vec<f32>);
    fn take(row: &[f32]) -> Self;
}

impl KeyValue for f32 {
    const WIDTH: usize = 1;
    fn put(self, out: &mut Vec<f32>) {
        out.push(self);
    }
    fn take(row: &[f32]) -> Self {
        row.first().copied().unwrap_or(0.0)
    }
}

impl<const N: usize> KeyValue for [f32; N]
where
    [f32; N]: Default,
{
    const WIDTH: usize = N;
    fn put(self, out: &mut Vec<f32>) {
        out.extend_from_slice(&self);
    }
    fn take(row: &[f32]) -> Self {
        row.first_chunk().copied().unwrap_or_default()
    }
}

impl KeyValue for u32 {
    const WIDTH: usize = 1;
    fn put(self, out: &mut Vec<f32>) {
        out.push(self as f32);
    }
    fn take(row: &[f32]) -> Self {
        row.first().map_or(0, |v| *v as u32)
    }
}

/// Returns the kind of curve that a track is.
pub(super) fn kind_of(interpolation: Interpolation, keys: &Keys) -> CurveKind {
    match (interpolation, keys) {
        (Interpolation::Hermite | Interpolation::Bezier, Keys::Rotation(_)) => CurveKind::Squad,
        (Interpolation::Hermite, _) => CurveKind::Hermite,
        (Interpolation::Bezier, _) => CurveKind::Bezier,
        _ => CurveKind::Linear,
    }
}

pub(super) const WORDS: [(Interpolation, &str); 4] = [
    (Interpolation::None, "none"),
    (Interpolation::Linear, "linear"),
    (Interpolation::Hermite, "hermite"),
    (Interpolation::Bezier, "bezier"),
];
