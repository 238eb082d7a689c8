//! Skin weights and matrix groups as influences of the scene. Used in both directions.

use super::extra::checksum_of;
use crate::{Bounds, Geoset, SkinWeight};

/// The name of the vertex attribute for bones with a weight of 0.
pub(super) const IDLE: &str = "IDLE_BONES";

/// The name of the vertex attribute for matrix groups that have no effect.
pub(super) const GROUP: &str = "MATRIX_GROUP";

/// Returns a checksum of vertex positions.
pub(super) fn geometry_sum(positions: &[[f32; 3]]) -> i32 {
    checksum_of([positions.as_flattened()])
}

/// Returns the bounds of the vertices that triangles use: programs drop the others. `None` if there are none.
pub(super) fn drawn_bounds(geoset: &Geoset) -> Option<Bounds> {
    let mut seen = vec![false; geoset.vertices.len()];
    for index in &geoset.faces {
        seen.get_mut(usize::from(*index)).into_iter().for_each(|slot| *slot = true);
    }
    let used = geoset.vertices.iter().zip(seen).filter(|(_, seen)| *seen);
    let used: Vec<[f32; 3]> = used.map(|(place, _)| *place).collect();
    crate::bounds_of(&used)
}

/// Returns the joints of a matrix group, each once, with their weights.
pub(super) fn shares(joints: impl Iterator<Item = Option<u16>>) -> Vec<(u16, f32)> {
    let mut out: Vec<(u16, u32)> = Vec::new();
    let mut total = 0;
    for joint in joints.flatten() {
        total += 1;
        match out.iter_mut().find(|(j, _)| *j == joint) {
            Some((_, count)) => *count += 1,
            None => out.push((joint, 1)),
        }
    }
    out.into_iter().map(|(joint, count)| (joint, count as f32 / total as f32)).collect()
}

/// Returns the joints and weights of one vertex, each existing bone once.
pub(super) fn weights_of(skin: &SkinWeight, joint: impl Fn(u32) -> Option<u16>) -> [(u16, f32); 4] {
    let mut out = [(0u16, 0.0f32); 4];
    let mut bytes = [0u32; 4];
    let mut used = 0usize;
    for (bone, weight) in skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w > 0) {
        let Some(joint) = joint(u32::from(*bone)) else { continue };
        let place = out.iter().take(used).position(|(j, _)| *j == joint).unwrap_or(used);
        used = used.max(place + 1);
        if let (Some(slot), Some(byte)) = (out.get_mut(place), bytes.get_mut(place)) {
            *byte += u32::from(weight);
            *slot = (joint, *byte as f32 / 255.0);
        }
    }
    out
}

/// Returns the bones whose weight is 0, packed into a number; `None` if all weights are 0.
pub(super) fn idle_of(skin: &SkinWeight) -> Option<u32> {
    let idle = skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w == 0).map(|(b, _)| u32::from(*b));
    (skin.weights != [0; 4]).then(|| idle.fold(0, |all, bone| all << 8 | bone))
}
