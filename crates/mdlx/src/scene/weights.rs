//! Skin weights and matrix groups as the scene's influences, for both directions.

use super::extra::Checksum;
use crate::SkinWeight;

/// The name of a vertex column with the bones of weights that are 0.
pub(super) const IDLE: &str = "IDLE_BONES";

/// The name of a vertex column with matrix groups that do not move anything.
pub(super) const GROUP: &str = "MATRIX_GROUP";

/// A number that stands for the geometry of a mesh.
pub(super) fn geometry_sum(positions: &[[f32; 3]]) -> i32 {
    Checksum::new().floats(positions.as_flattened()).finish()
}

/// How the bones of a matrix group share a vertex: places in the skin, each once, and weights.
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

/// The weights of one vertex, every bone once, those that are there.
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

/// Bones of weights that are 0, one after the other in a number; `None` where all are.
pub(super) fn idle_of(skin: &SkinWeight) -> Option<u32> {
    let idle = skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w == 0).map(|(b, _)| u32::from(*b));
    (skin.weights != [0; 4]).then(|| idle.fold(0, |all, bone| all << 8 | bone))
}
