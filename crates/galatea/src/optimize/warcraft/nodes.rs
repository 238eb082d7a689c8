//! Bones and helpers that nothing needs.

use std::collections::HashSet;

use super::Trace;
use crate::edit::remove::warcraft::take_node;
use crate::mdlx::{Model, Node, NodeKind, node_flags};

/// Beginnings of the names of bones that the game itself looks for, to turn heads and turrets.
const LOOKED_FOR: [&str; 3] = ["bone_head", "bone_chest", "bone_turret"];

/// Flags with which a node without tracks still changes what is below it.
const ACTIVE: u32 = node_flags::DONT_INHERIT_TRANSLATION
    | node_flags::DONT_INHERIT_SCALING
    | node_flags::DONT_INHERIT_ROTATION
    | node_flags::BILLBOARDED
    | node_flags::BILLBOARDED_LOCK_X
    | node_flags::BILLBOARDED_LOCK_Y
    | node_flags::BILLBOARDED_LOCK_Z
    | node_flags::CAMERA_ANCHORED;

/// Removes nodes; returns how many, or `None` if the numbers of the nodes are not certain.
pub(super) fn remove(model: &mut Model, trace: &mut Trace) -> Option<usize> {
    let mut ids: Vec<u32> = model.nodes().map(|(_, _, node)| node.object_id).collect();
    ids.sort_unstable();
    let plain = ids.iter().zip(0u32..).all(|(id, index)| *id == index);
    // World of Warcraft counts the nodes elsewhere, too.
    if !plain || ids.len() != trace.nodes.len() || model.version.is_wow() {
        return None;
    }
    let mut count = 0;
    while let Some(id) = superfluous(model) {
        take_node(model, id);
        if (id as usize) < trace.nodes.len() {
            trace.nodes.remove(id as usize);
        }
        count += 1;
    }
    Some(count)
}

/// Returns the last node that nothing needs. Children of one that does nothing are given to its parent.
fn superfluous(model: &mut Model) -> Option<u32> {
    let moving = moving(model);
    let parents: HashSet<i64> = model.nodes().map(|(_, _, node)| i64::from(node.parent_id)).collect();
    let named = |node: &Node| {
        let name = node.name.lossy().to_ascii_lowercase();
        LOOKED_FOR.iter().any(|known| name.starts_with(known))
            || model
                .face_effects
                .iter()
                .any(|effect| effect.target.bytes().eq_ignore_ascii_case(node.name.bytes()))
    };
    let candidates = model.nodes().filter(|(kind, _, node)| {
        matches!(kind, NodeKind::Bone | NodeKind::Helper)
            && !moving.contains(&node.object_id)
            && !named(node)
            && node.tracks.extra.is_none()
    });
    let idle = |node: &Node| node.tracks.is_empty() && node.flags & ACTIVE == 0;
    let free = candidates
        .filter(|(_, _, node)| !parents.contains(&i64::from(node.object_id)) || idle(node))
        .max_by_key(|(_, _, node)| node.object_id)
        .map(|(_, _, node)| (node.object_id, node.parent_id));
    let (id, parent) = free?;
    for (_, _, node) in model.nodes_mut().filter(|(_, _, node)| i64::from(node.parent_id) == i64::from(id)) {
        node.parent_id = if i64::from(parent) == i64::from(id) { -1 } else { parent };
    }
    Some(id)
}

/// Returns the numbers of the nodes that move vertices.
fn moving(model: &Model) -> HashSet<u32> {
    let mut out = HashSet::new();
    for geoset in &model.geosets {
        out.extend(&geoset.matrices);
        for row in geoset.skin.iter().flatten() {
            let bones = row.bones.iter().zip(row.weights).filter(|(_, weight)| *weight > 0);
            out.extend(bones.map(|(bone, _)| u32::from(*bone)));
        }
        out.extend(geoset.bone_indices.iter().flat_map(|four| four.to_le_bytes()).map(u32::from));
    }
    out
}
