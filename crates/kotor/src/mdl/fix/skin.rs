//! Fixes of skins: weights, the bone node table, and missing bind poses.

use super::{is_covered, meshes};
use crate::mdl::Model;
use crate::mdl::derive;
use crate::mdl::node::NodeId;

/// Makes the weights of each vertex add up to 1. A single weight outside 0 to 1 is replaced by the remainder; otherwise
/// all are scaled.
pub(super) fn weights(model: &mut Model) -> usize {
    let sound = |w: &f32| (0.0..=1.0).contains(w);
    let mut count = 0;
    for weights in meshes(model).filter(|m| m.skin.is_some()).flat_map(|m| &mut m.vertices.weights) {
        let sum: f32 = weights.iter().sum();
        if (sum - 1.0).abs() <= 1e-2 {
            continue;
        }
        let rest: f32 = weights.iter().filter(|w| sound(w)).sum();
        let wild = weights.iter().filter(|w| !sound(w)).count();
        match wild {
            0 if sum > 1e-6 => weights.iter_mut().for_each(|w| *w /= sum),
            1 if rest <= 1.0 => weights.iter_mut().filter(|w| !sound(w)).for_each(|w| *w = 1.0 - rest),
            _ => continue,
        }
        count += 1;
    }
    count
}

/// Derives wrong entries of the bone node table if exactly one node has the slot.
pub(super) fn bone_tables(model: &mut Model) -> usize {
    let nodes = model.nodes.len();
    let mut count = 0;
    for skin in meshes(model).filter_map(|m| m.skin.as_deref_mut()).filter(|s| s.bone_map.len() == nodes) {
        for slot in 0..skin.slots().min(16) {
            let owns = |s: &f32| *s >= 0.0 && *s as usize == slot;
            let mut owners = skin.bone_map.iter().enumerate().filter(|(_, s)| owns(s)).map(|(node, _)| node);
            let (Some(node), None) = (owners.next(), owners.next()) else { continue };
            if let Some(entry) = skin.bone_nodes.get_mut(slot).filter(|e| **e != node as i16) {
                *entry = node as i16;
                count += 1;
            }
        }
    }
    count
}

/// Derives missing bind poses, unless the file has unused bytes: then a count may be wrong instead.
pub(super) fn binds(model: &mut Model) -> usize {
    if !is_covered(model) {
        return 0;
    }
    let nodes = model.nodes.len();
    let mut count = 0;
    for id in 0..nodes {
        let binds = match model.nodes.get(id).and_then(|n| n.mesh.as_deref()?.skin.as_deref()) {
            Some(skin)
                if skin.bone_map.len() == nodes
                    && (skin.rotations.len() != nodes || skin.translations.len() != nodes) =>
            {
                derive::inverse_binds(&model.nodes, id as NodeId)
            }
            _ => continue,
        };
        if !binds.iter().all(|(r, t)| r.iter().chain(t).all(|v| v.is_finite())) {
            continue;
        }
        let mesh = model.nodes.get_mut(id).and_then(|n| n.mesh.as_deref_mut());
        let Some(skin) = mesh.and_then(|m| m.skin.as_deref_mut()) else { continue };
        if skin.rotations.len() != nodes {
            skin.rotations = binds.iter().map(|(r, _)| *r).collect();
            count += 1;
        }
        if skin.translations.len() != nodes {
            skin.translations = binds.iter().map(|(_, t)| *t).collect();
            count += 1;
        }
    }
    count
}
