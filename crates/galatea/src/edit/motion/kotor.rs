//! KotOR models.
//!
//! Nodes of this format have axes of their own: to move or turn a model, the nodes below its root are moved and turned, and everything
//! below them follows. A mirrored model has all of its places and axes on the other side.

use galatea_kotor::mdl::{pack_quaternion, unpack_quaternion};

use super::{Motion, product};
use crate::kotor::mdl::{Controllers, IndexLists, Interpolation, Mesh, Model, Node, PositionCopy};

const POSITION: u32 = 8;
const ORIENTATION: u32 = 20;
const STILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Returns what the format cannot hold.
pub(super) fn losses(model: &Model, motion: &Motion) -> Vec<String> {
    let mut out = Vec::new();
    let roots = model.nodes.iter().filter(|node| node.parent.is_none());
    if roots.into_iter().any(|root| root.mesh.is_some() || root.light.is_some() || root.emitter.is_some()) {
        out.push("the root is a part of its own, which would stay where it is".to_owned());
    }
    if let Some(name) = model.supermodel().filter(|_| !motion.is_move()) {
        let name = galatea_wire::escape_bytes(name);
        out.push(format!("animations of the supermodel \"{name}\" would play as before"));
    }
    if motion.is_mirror()
        && model.nodes.iter().any(|node| node.mesh.as_ref().is_some_and(|mesh| mesh.saber.is_some()))
    {
        out.push("the sides of a lightsaber's blade cannot be changed".to_owned());
    }
    out
}

pub(super) fn apply(model: &mut Model, motion: &Motion) {
    let [min, max] = &mut model.bounds;
    motion.aabb(min, max);
    model.radius += if model.radius > 0.0 { motion.length() } else { 0.0 };
    if motion.is_mirror() {
        let emits: Vec<bool> =
            model.nodes.iter().map(|node| node.emitter.is_some() && node.children.is_empty()).collect();
        let targets: Vec<Vec<Option<usize>>> = model
            .animations
            .iter()
            .map(|animation| {
                animation.nodes.iter().map(|node| model.target_of(node).map(|id| id as usize)).collect()
            })
            .collect();
        for (node, emits) in model.nodes.iter_mut().zip(&emits) {
            mirror(node, motion, *emits);
        }
        for (animation, targets) in model.animations.iter_mut().zip(&targets) {
            for (node, target) in animation.nodes.iter_mut().zip(targets) {
                let emits = target.and_then(|target| emits.get(target)).copied().unwrap_or(false);
                mirror(node, motion, emits);
            }
        }
        return;
    }
    let below: Vec<bool> = model
        .nodes
        .iter()
        .map(|node| node.parent.is_some_and(|parent| model.node(parent).is_some_and(|p| p.parent.is_none())))
        .collect();
    let moved: Vec<Vec<bool>> = model
        .animations
        .iter()
        .map(|animation| {
            let is_below = |id: u32| below.get(id as usize).copied().unwrap_or(false);
            animation.nodes.iter().map(|node| model.target_of(node).is_some_and(is_below)).collect()
        })
        .collect();
    let turn = motion.quaternion();
    for node in model.nodes.iter_mut().zip(&below).filter(|(_, below)| **below).map(|(node, _)| node) {
        node.position = motion.point(node.position);
        if !motion.is_move() {
            let [w, x, y, z] = node.orientation;
            let [x, y, z, w] = product(turn, [x, y, z, w]);
            node.orientation = [w, x, y, z];
        }
        keys(&mut node.controllers, POSITION, |value, tangent| {
            if tangent { motion.vector3(value) } else { motion.point3(value) }
        });
        keys(
            &mut node.controllers,
            ORIENTATION,
            |value, _| if motion.is_move() { value } else { product(turn, value) },
        );
    }
    if motion.is_move() {
        return;
    }
    for (animation, moved) in model.animations.iter_mut().zip(&moved) {
        for node in animation.nodes.iter_mut().zip(moved).filter(|(_, moved)| **moved).map(|(node, _)| node) {
            // Relative to the place at rest.
            keys(&mut node.controllers, POSITION, |value, _| motion.vector3(value));
            keys(&mut node.controllers, ORIENTATION, |value, _| product(turn, value));
        }
    }
}

impl Motion {
    fn vector3(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let [x, y, z] = self.vector([x, y, z]);
        [x, y, z, w]
    }

    fn point3(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let [x, y, z] = self.point([x, y, z]);
        [x, y, z, w]
    }
}

/// Changes the values of the controllers of a kind, and their tangents, which are relative to the values.
fn keys(controllers: &mut Controllers, kind: u32, f: impl Fn([f32; 4], bool) -> [f32; 4]) {
    // Controllers may share their keys.
    let mut done = vec![false; controllers.data().len()];
    for index in 0..controllers.list().len() {
        let Some(track) = controllers.track(index).filter(|track| track.kind == kind) else { continue };
        let (width, interpolation, rows) = (track.width, track.interpolation, track.times.len());
        let start = controllers.list().get(index).map_or(0, |controller| usize::from(controller.data_index));
        let parts = if interpolation == Interpolation::Bezier { 3 } else { 1 };
        for row in 0..rows * parts {
            let at = start + row * width;
            let Some(seen) = done.get_mut(at).filter(|seen| !**seen) else { continue };
            *seen = true;
            let Some(values) = controllers.data_mut().get_mut(at..at + width) else { continue };
            match (interpolation, values) {
                (Interpolation::Packed, [word]) => {
                    let value = unpack_quaternion(word.to_bits());
                    let new = f(value, false);
                    if new != value {
                        *word = f32::from_bits(pack_quaternion(new));
                    }
                }
                (_, [x, y, z]) => {
                    let [a, b, c, _] = f([*x, *y, *z, 0.0], row % parts > 0);
                    (*x, *y, *z) = (a, b, c);
                }
                (_, [x, y, z, w]) => [*x, *y, *z, *w] = f([*x, *y, *z, *w], row % parts > 0),
                _ => {}
            }
        }
    }
}

fn mirror(node: &mut Node, motion: &Motion, emits: bool) {
    // Emitters that point away from the mirror are turned around.
    let upright = motion.turn.last().is_some_and(|[.., z]| *z > 0.0);
    let own = if emits && !upright { [0.0, 1.0, 0.0, 0.0] } else { STILL };
    let turned = |value: [f32; 4]| {
        let value = motion.rotation(value);
        if own == STILL { value } else { product(value, own) }
    };
    node.position = motion.vector(node.position);
    let [w, x, y, z] = node.orientation;
    let [x, y, z, w] = turned([x, y, z, w]);
    node.orientation = [w, x, y, z];
    keys(&mut node.controllers, POSITION, |value, _| motion.vector3(value));
    keys(&mut node.controllers, ORIENTATION, |value, _| turned(value));
    if let Some(mesh) = node.mesh.as_deref_mut() {
        mirror_mesh(mesh, motion);
    }
}

fn mirror_copy(copy: &mut PositionCopy, motion: &Motion) {
    if let PositionCopy::Own(own) = copy {
        own.iter_mut().for_each(|position| *position = motion.vector(*position));
    }
}

fn mirror_mesh(mesh: &mut Mesh, motion: &Motion) {
    let turn = |list: &mut [[f32; 3]]| list.iter_mut().for_each(|value| *value = motion.vector(*value));
    turn(&mut mesh.vertices.positions);
    turn(&mut mesh.vertices.normals);
    for space in mesh.vertices.tangents.iter_mut().flatten() {
        turn(space);
    }
    mirror_copy(&mut mesh.mdl_positions, motion);
    let [min, max] = &mut mesh.bounds;
    motion.aabb(min, max);
    mesh.average = motion.vector(mesh.average);
    for face in &mut mesh.faces {
        face.normal = motion.vector(face.normal);
        let [_, b, c] = &mut face.vertices;
        std::mem::swap(b, c);
        face.adjacent.reverse();
    }
    if let IndexLists::Own(lists) = &mut mesh.indices {
        for list in lists {
            list.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
    }
    if let Some(skin) = mesh.skin.as_deref_mut() {
        turn(&mut skin.translations);
        for [w, x, y, z] in &mut skin.rotations {
            [*x, *y, *z, *w] = motion.rotation([*x, *y, *z, *w]);
        }
    }
    if let Some(dangly) = mesh.dangly.as_deref_mut() {
        mirror_copy(&mut dangly.positions, motion);
    }
    if let Some(saber) = mesh.saber.as_deref_mut() {
        turn(&mut saber.positions);
        turn(&mut saber.normals);
    }
    if mesh.aabb.is_some() {
        mesh.derive_aabb();
    }
}
