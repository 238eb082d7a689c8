//! Conversion between versions, with a list of losses.

mod skin;
mod warcraft;
mod wow;

pub(crate) use wow::make_bone_lists;

use std::borrow::Cow;

use galatea_wire::{Error, Loss, Result};

use crate::{GroupWeights, Layout, Model, Shape, Version, chunk_info};

/// Options of a conversion between versions.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// The level of detail to keep if the target version has none; 0 is the finest. If the level does not exist, the next coarser
    /// one is kept.
    pub lod: i32,
    /// A factor on all lengths. World of Warcraft uses yards and Warcraft III inches: 36 keeps the size of a model in Warcraft III.
    pub scale: f32,
    /// How skin weights become matrix groups, if the target version has no skin weights.
    pub weights: GroupWeights,
}

galatea_wire::setters! {
    ConvertOptions {
        with_lod: lod: i32,
        with_scale: scale: f32,
        with_weights: weights: GroupWeights,
    }
}

impl Default for ConvertOptions {
    fn default() -> Self {
        ConvertOptions { lod: 0, scale: 1.0, weights: GroupWeights::default() }
    }
}

/// The losses so far.
#[derive(Debug, Default)]
struct Losses(Vec<Loss>);

impl Losses {
    fn add(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.0.push(Loss::new(path, what));
    }

    /// Adds a loss that is not visible in the game.
    fn add_invisible(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.0.push(Loss::new(path, what).invisible());
    }
}

/// Resets a value to its default; reports a loss if it differed.
fn reset<T: PartialEq>(losses: &mut Losses, path: &str, name: &str, value: &mut T, usual: T) {
    if *value != usual {
        losses.add(path, format!("{name} is lost"));
        *value = usual;
    }
}

/// Fails for a version whose layout is not known.
fn known(version: Version) -> Result<()> {
    match Version::KNOWN.contains(&version) {
        true => Ok(()),
        false => Err(Error::unrepresentable(format!("version {version}"))),
    }
}

impl Model {
    /// Returns the model converted to another version, and the losses.
    ///
    /// ```
    /// use galatea_mdlx::{ConvertOptions, Light, Model, Version};
    /// let mut model = Model::new(Version(1200));
    /// model.lights.push(Light { shadow_intensity: 0.9, ..Light::default() });
    /// let (old, losses) = model.convert(Version(800), &ConvertOptions::default()).unwrap();
    /// assert_eq!(old.version, Version(800));
    /// assert_eq!(losses[0].to_string(), "lights[0]: shadow intensity is lost");
    /// ```
    pub fn convert(&self, to: Version, options: &ConvertOptions) -> Result<(Model, Vec<Loss>)> {
        let (model, losses) = self.in_version(to, options)?;
        Ok((model.into_owned(), losses))
    }

    /// Converts like [`convert`](Self::convert), but borrows the model if there is nothing to change.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use galatea_mdlx::{ConvertOptions, Model, Version};
    /// let model = Model::new(Version(800));
    /// let (same, _) = model.in_version(Version(800), &ConvertOptions::default()).unwrap();
    /// assert!(matches!(same, Cow::Borrowed(_)));
    /// ```
    pub fn in_version(&self, to: Version, options: &ConvertOptions) -> Result<(Cow<'_, Model>, Vec<Loss>)> {
        let mut model = Cow::Borrowed(self);
        if self.version == to && options.scale == 1.0 {
            known(to)?;
            return Ok((model, Vec::new()));
        }
        let losses = model.to_mut().set_version(to, options)?;
        Ok((model, losses))
    }

    /// Converts the model in place; returns the losses.
    pub(crate) fn set_version(&mut self, to: Version, options: &ConvertOptions) -> Result<Vec<Loss>> {
        known(to)?;
        let mut losses = Losses::default();
        if self.version != to {
            self.change(to, options, &mut losses);
        }
        if options.scale != 1.0 {
            self.scale(options.scale);
        }
        Ok(losses.0)
    }

    fn change(&mut self, to: Version, options: &ConvertOptions, losses: &mut Losses) {
        let from = self.version;
        self.layout = Layout::default();
        self.newer(losses);
        match (from.is_wow(), to.is_wow()) {
            (false, false) => {
                self.between_warcraft(to, options, losses);
                self.common_shapes(losses);
            }
            (false, true) => {
                self.between_warcraft(Version(800), options, losses);
                self.common_shapes(losses);
                self.enter_wow(to, losses);
            }
            (true, false) => {
                self.common_shapes(losses);
                self.leave_wow(losses);
                self.between_warcraft(to, options, losses);
            }
            (true, true) => self.between_wow(to, losses),
        }
        self.version = to;
        self.unknown.retain(|chunk| {
            let free = chunk_info(chunk.tag, from).is_none() && chunk_info(chunk.tag, to).is_none();
            if !free {
                losses
                    .add("", format!("chunk {} is lost: it means something else in version {to}", chunk.tag));
            }
            free
        });
    }

    /// Drops data that a version newer than 1200 added.
    fn newer(&mut self, losses: &mut Losses) {
        let mut count = 0;
        for tracks in self.all_tracks_mut() {
            count += usize::from(tracks.extra.take().is_some());
        }
        for material in &mut self.materials {
            count += usize::from(!std::mem::take(&mut material.extra).is_empty());
        }
        for geoset in &mut self.geosets {
            count += usize::from(!std::mem::take(&mut geoset.extra).is_empty());
        }
        count += usize::from(!std::mem::take(&mut self.info.extra).is_empty());
        if count > 0 {
            let from = self.version;
            losses.add("", format!("data that version {from} added to {count} objects is lost"));
        }
    }

    /// Replaces shapes that programs interpret differently by boxes.
    fn common_shapes(&mut self, losses: &mut Losses) {
        for (index, shape) in self.collision_shapes.iter_mut().enumerate() {
            let (what, corners) = match shape.shape {
                Shape::Box { .. } | Shape::Sphere { .. } => continue,
                Shape::Plane { length: l, width: w } => {
                    ("a plane", [[-l / 2.0, -w / 2.0, 0.0], [l / 2.0, w / 2.0, 0.0]])
                }
                Shape::PlanePoints { points } => ("a plane", points),
                Shape::Cylinder { base: [x, y, z], height: h, radius: r } => {
                    ("a cylinder", [[x - r, y - r, z], [x + r, y + r, z + h]])
                }
                Shape::CylinderPoints { points: [[a, b, c], [d, e, f]], radius: r } => {
                    let low = [a.min(d) - r, b.min(e) - r, c.min(f)];
                    ("a cylinder", [low, [a.max(d) + r, b.max(e) + r, c.max(f)]])
                }
            };
            shape.shape = Shape::Box { corners };
            losses.add(format!("collision_shapes[{index}]"), format!("{what} became the box around it"));
        }
    }
}
