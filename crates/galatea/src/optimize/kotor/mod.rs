//! KotOR models.
//!
//! The nodes of the model stay, because the game and other models look for them by name. What is removed is in the meshes and in the
//! animations: there, a controller keeps at least one key, because another animation may play at the same time.

mod keys;
mod poses;
mod vertices;

use std::collections::HashMap;

use super::run::{Compared, Optimizer};
use super::{Difference, OptimizeOptions, Step, Tolerance};
use crate::Document;
use crate::edit::remove::kotor::take;
use crate::kotor::mdl::Model;

/// The share of the tolerance that one controller may use.
const SHARE: f32 = 0.125;
/// Differences below this are those of rounding.
const ROUNDING: f32 = 1e-6;
/// Half a step of a color with 8 bits.
const COLOR: f32 = 1.0 / 510.0;

/// The steps for KotOR models.
pub(super) struct Kotor {
    original: Model,
    tolerance: Tolerance,
    thin: Tolerance,
    /// The longest side of the box around everything that is drawn.
    size: f32,
    /// For each node, the distance to the farthest point that it moves.
    reach: Vec<f32>,
    degenerate: bool,
}

impl Kotor {
    pub(super) fn new(model: &Model, options: &OptimizeOptions, thin: Tolerance) -> Self {
        let (size, reach) = reach(model);
        Kotor {
            original: model.clone(),
            tolerance: options.tolerance,
            thin,
            size,
            reach,
            degenerate: options.steps.contains(&Step::Triangles),
        }
    }

    /// Returns how far the values of a controller may be from the original.
    fn allowed(&self, node: Option<usize>, kind: u32) -> f32 {
        let length = self.thin.position * self.size * SHARE;
        let reach = node.and_then(|node| self.reach.get(node)).copied().unwrap_or(0.0).max(ROUNDING);
        match kind {
            8 => length + ROUNDING,
            20 => (self.thin.angle.to_radians() * SHARE).min(length / reach) + ROUNDING,
            36 => (self.thin.position * SHARE).min(length / reach) + ROUNDING,
            // Colors and alpha.
            76 | 100 | 128 | 132 | 284 | 380 | 392 if self.thin.position > 0.0 => COLOR,
            _ => 0.0,
        }
    }
}

/// Returns the size of a model, and the reach of each node.
fn reach(model: &Model) -> (f32, Vec<f32>) {
    let places = model.in_model(&model.pose(None, 0.0));
    let mut whole: Option<([f32; 3], [f32; 3])> = None;
    let mut reach = vec![0.0f32; model.nodes.len()];
    let mut add = |node: usize, point: [f32; 3]| {
        let (min, max) = whole.get_or_insert((point, point));
        for ((min, max), value) in min.iter_mut().zip(max).zip(point) {
            *min = min.min(value);
            *max = max.max(value);
        }
        let mut at = Some(node);
        for _ in 0..=model.nodes.len() {
            let Some(index) = at else { break };
            if let (Some(slot), Some(place)) = (reach.get_mut(index), places.get(index)) {
                *slot = slot.max(super::measure::distance(place.position, point));
            }
            at = model.nodes.get(index).and_then(|node| node.parent).map(|parent| parent as usize);
        }
    };
    for (index, (node, place)) in model.nodes.iter().zip(&places).enumerate() {
        // Something may be attached to any node.
        add(index, place.position);
        let Some(mesh) = node.mesh.as_deref() else { continue };
        if let Some(skin) = mesh.skin.as_deref() {
            let bones: HashMap<i64, usize> = skin
                .bone_map
                .iter()
                .enumerate()
                .filter(|(_, slot)| **slot >= 0.0)
                .map(|(node, slot)| (*slot as i64, node))
                .collect();
            let posed = model.skinned(index as u32, &places);
            for ((point, weights), slots) in
                posed.iter().zip(&mesh.vertices.weights).zip(&mesh.vertices.bones)
            {
                for (_, slot) in weights.iter().zip(slots).filter(|(weight, _)| **weight != 0.0) {
                    bones.get(&(*slot as i64)).into_iter().for_each(|bone| add(*bone, *point));
                }
            }
            continue;
        }
        let [w, x, y, z] = place.orientation;
        let turn = glam::Quat::from_xyzw(x, y, z, w).normalize();
        for vertex in &mesh.vertices.positions {
            let point = turn * (glam::Vec3::from(*vertex) * place.scale) + glam::Vec3::from(place.position);
            add(index, point.to_array());
        }
    }
    let longest =
        whole.map_or(0.0, |(min, max)| min.iter().zip(max).map(|(min, max)| max - min).fold(0.0, f32::max));
    (if longest > 0.0 && longest.is_finite() { longest } else { 1.0 }, reach)
}

impl Optimizer for Kotor {
    fn step(&mut self, document: &mut dyn Document, step: Step) -> usize {
        let Some(model) = document.as_any_mut().downcast_mut::<Model>() else { return 0 };
        let meshes = |model: &mut Model, f: fn(&mut crate::kotor::mdl::Mesh) -> usize| {
            model.nodes.iter_mut().filter_map(|node| node.mesh.as_deref_mut()).map(f).sum()
        };
        match step {
            Step::Triangles => meshes(model, vertices::degenerate),
            Step::Vertices => meshes(model, vertices::unused_and_equal),
            Step::Outside => keys::outside(model),
            Step::Keys => keys::thin(model, self),
            Step::Constants => keys::constant(model, self),
            Step::Nodes => silent_nodes(model),
            Step::Shared => keys::share(model),
            Step::Padding => unused_names(model),
            // Meshes have their textures by name, and are nodes of their own.
            Step::Groups | Step::TextureAnims | Step::Textures | Step::Materials | Step::Meshes => 0,
        }
    }

    fn compare(&self, document: &dyn Document) -> Result<Compared, Difference> {
        match document.as_any().downcast_ref::<Model>() {
            Some(model) => poses::compare(self, model),
            None => Ok(Compared::default()),
        }
    }

    fn notes(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// Removes nodes of animations that neither move nor hold one that does; returns how many.
fn silent_nodes(model: &mut Model) -> usize {
    let mut count = 0;
    for animation in &mut model.animations {
        // Children come behind their parents.
        for at in (1..animation.nodes.len()).rev() {
            let silent = animation.nodes.get(at).is_some_and(|node| {
                let plain = node.light.is_none() && node.emitter.is_none() && node.reference.is_none();
                node.controllers.is_empty()
                    && node.children.is_empty()
                    && node.parent.is_some()
                    && node.mesh.is_none()
                    && plain
            });
            if silent {
                take(&mut animation.nodes, at);
                count += 1;
            }
        }
    }
    count
}

/// Removes names at the end of the table that no node has; returns how many.
fn unused_names(model: &mut Model) -> usize {
    let used = model.all_nodes().map(|node| usize::from(node.name) + 1).max().unwrap_or(0);
    let gone = model.names.len().saturating_sub(used);
    model.names.truncate(used.min(model.names.len()));
    gone
}
