//! KotOR models and walkmeshes.

use super::times;
use crate::kotor::bwm::Walkmesh;
use crate::kotor::mdl::{Mesh, Model, Node, PositionCopy};

/// The position of every node.
const POSITION: u32 = 8;
/// Radius and radius of the shadow.
const OF_LIGHTS: [u32; 3] = [88, 96, 100];
/// Gravity, mass, speeds, sizes, and the lengths of lightning and of paths.
const OF_EMITTERS: [u32; 17] =
    [116, 124, 140, 144, 148, 152, 156, 168, 172, 176, 188, 192, 232, 236, 252, 260, 272];

/// What decides which controllers are lengths.
#[derive(Clone, Copy)]
enum Kind {
    Light,
    Emitter,
    Other,
}

impl Kind {
    fn of(node: &Node) -> Kind {
        match (&node.light, &node.emitter) {
            (Some(_), _) => Kind::Light,
            (None, Some(_)) => Kind::Emitter,
            (None, None) => Kind::Other,
        }
    }

    fn is_length(self, controller: u32) -> bool {
        controller == POSITION
            || match self {
                Kind::Light => OF_LIGHTS.contains(&controller),
                Kind::Emitter => OF_EMITTERS.contains(&controller),
                Kind::Other => false,
            }
    }
}

pub(super) fn scale(model: &mut Model, factor: f32) {
    times(model.bounds.as_flattened_mut(), factor);
    model.radius *= factor;
    // Inherited animations move the nodes by so many times as much.
    model.animation_scale *= factor;
    // The controllers of an animation are those of the node that it moves.
    let kinds: Vec<Kind> = model.nodes.iter().map(Kind::of).collect();
    let kind = |model: &Model, node: &Node| {
        model.target_of(node).and_then(|id| kinds.get(id as usize).copied()).unwrap_or(Kind::Other)
    };
    let animated: Vec<Vec<Kind>> = model
        .animations
        .iter()
        .map(|animation| animation.nodes.iter().map(|node| kind(model, node)).collect())
        .collect();
    for (node, kind) in model.nodes.iter_mut().zip(&kinds) {
        scale_node(node, *kind, factor);
    }
    for (animation, kinds) in model.animations.iter_mut().zip(&animated) {
        for (node, kind) in animation.nodes.iter_mut().zip(kinds) {
            scale_node(node, *kind, factor);
        }
    }
}

fn scale_node(node: &mut Node, kind: Kind, factor: f32) {
    times(&mut node.position, factor);
    scale_controllers(node, kind, factor);
    if let Some(light) = node.light.as_deref_mut() {
        light.flare_radius *= factor;
    }
    if let Some(emitter) = node.emitter.as_deref_mut() {
        times([&mut emitter.dead_space, &mut emitter.blast_radius, &mut emitter.blast_length], factor);
    }
    if let Some(mesh) = node.mesh.as_deref_mut() {
        scale_mesh(mesh, factor);
    }
}

fn scale_controllers(node: &mut Node, kind: Kind, factor: f32) {
    let lengths = node.controllers.list().iter().filter(|controller| kind.is_length(controller.kind));
    let ranges: Vec<std::ops::Range<usize>> = lengths
        .map(|controller| {
            let start = usize::from(controller.data_index);
            start..start + usize::from(controller.rows) * controller.numbers_per_key()
        })
        .collect();
    // Controllers may share their keys.
    let mut done = vec![false; node.controllers.data().len()];
    for range in ranges {
        let data = node.controllers.data_mut().iter_mut().zip(&mut done);
        for (value, done) in data.skip(range.start).take(range.len()) {
            if !std::mem::replace(done, true) {
                *value *= factor;
            }
        }
    }
}

fn scale_copy(copy: &mut PositionCopy, factor: f32) {
    if let PositionCopy::Own(own) = copy {
        times(own.as_flattened_mut(), factor);
    }
}

fn scale_mesh(mesh: &mut Mesh, factor: f32) {
    times(mesh.vertices.positions.as_flattened_mut(), factor);
    scale_copy(&mut mesh.mdl_positions, factor);
    times(mesh.bounds.as_flattened_mut(), factor);
    times(mesh.average.iter_mut().chain([&mut mesh.radius]), factor);
    mesh.area *= factor * factor;
    times(mesh.faces.iter_mut().map(|face| &mut face.distance), factor);
    if let Some(skin) = mesh.skin.as_deref_mut() {
        times(skin.translations.as_flattened_mut(), factor);
    }
    if let Some(dangly) = mesh.dangly.as_deref_mut() {
        dangly.displacement *= factor;
        scale_copy(&mut dangly.positions, factor);
    }
    for node in mesh.aabb.iter_mut().flat_map(|tree| &mut tree.nodes) {
        times(node.min.iter_mut().chain(&mut node.max), factor);
    }
    if let Some(saber) = mesh.saber.as_deref_mut() {
        times(saber.positions.as_flattened_mut(), factor);
    }
}

pub(super) fn scale_walkmesh(walkmesh: &mut Walkmesh, factor: f32) {
    times(walkmesh.vertices.as_flattened_mut(), factor);
    times(walkmesh.relative_use.as_flattened_mut().iter_mut().chain(&mut walkmesh.position), factor);
    times(walkmesh.absolute_use.as_flattened_mut(), factor);
    times(&mut walkmesh.distances, factor);
    for node in &mut walkmesh.aabb {
        times(node.min.iter_mut().chain(&mut node.max), factor);
    }
}
