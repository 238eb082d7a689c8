//! How far a single track may be from the original, so that all of them together stay within the tolerance.

use std::collections::HashMap;

use crate::mdlx::{Geoset, Model, NodeKind};
use crate::optimize::Tolerance;
use crate::optimize::measure::distance;

/// The share of the tolerance that one track may use. A point is moved by all nodes above it, and errors add up.
const SHARE: f32 = 0.125;
/// Differences below this are those of rounding.
const ROUNDING: f32 = 1e-6;
/// Half a step of a color with 8 bits.
const COLOR: f32 = 1.0 / 510.0;
/// An eighth of a pixel of a texture with 512.
const TEXEL: f32 = 1.0 / 4096.0;

/// A box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aabb {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
}

impl Aabb {
    pub(super) const EMPTY: Aabb = Aabb { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    pub(super) fn add(&mut self, point: [f32; 3]) {
        for ((min, max), value) in self.min.iter_mut().zip(&mut self.max).zip(point) {
            *min = min.min(value);
            *max = max.max(value);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.min.iter().zip(self.max).any(|(min, max)| *min > max)
    }

    pub(super) fn corners(&self) -> impl Iterator<Item = [f32; 3]> + use<> {
        let ([a, b, c], [d, e, f]) = (self.min, self.max);
        let count = if self.is_empty() { 0 } else { 8 };
        (0..count).map(move |i| {
            [if i & 1 == 0 { a } else { d }, if i & 2 == 0 { b } else { e }, if i & 4 == 0 { c } else { f }]
        })
    }

    fn longest(&self) -> f32 {
        self.min.iter().zip(self.max).map(|(min, max)| max - min).fold(0.0, f32::max)
    }
}

/// What a model allows each of its tracks.
pub(super) struct Budget {
    /// The longest side of the box around everything that is drawn.
    pub(super) size: f32,
    tolerance: Tolerance,
    /// For each object id, the distance from its pivot to the farthest point that it moves.
    reach: HashMap<u32, f32>,
    /// For each object id, the box around the vertices that it moves, in their places at rest.
    pub(super) boxes: HashMap<u32, Aabb>,
}

/// Calls a function with every vertex that a triangle uses and every bone that moves it.
fn each_moved(geoset: &Geoset, mut f: impl FnMut(u32, [f32; 3])) {
    let groups: Vec<&[u32]> = geoset.groups().collect();
    let mut used = vec![false; geoset.vertices.len()];
    for corner in geoset.triangles().iter().flatten() {
        used.get_mut(usize::from(*corner)).into_iter().for_each(|used| *used = true);
    }
    for (index, (vertex, used)) in geoset.vertices.iter().zip(used).enumerate() {
        if !used {
            continue;
        }
        match geoset.skin.as_ref().and_then(|skin| skin.get(index)) {
            Some(skin) => {
                let bones = skin.bones.iter().zip(skin.weights).filter(|(_, weight)| *weight > 0);
                bones.for_each(|(bone, _)| f(u32::from(*bone), *vertex));
            }
            None => {
                let group = geoset.vertex_groups.get(index).map_or(0, |group| usize::from(*group));
                let bones = groups.get(group).or(groups.last()).copied().unwrap_or(&[]);
                bones.iter().for_each(|bone| f(*bone, *vertex));
            }
        }
    }
}

impl Budget {
    pub(super) fn new(model: &Model, tolerance: Tolerance) -> Budget {
        let mut boxes: HashMap<u32, Aabb> = HashMap::new();
        let mut whole = Aabb::EMPTY;
        for geoset in &model.geosets {
            each_moved(geoset, |bone, vertex| {
                boxes.entry(bone).or_insert(Aabb::EMPTY).add(vertex);
                whole.add(vertex);
            });
        }
        let pivot = |id: u32| model.pivots.get(id as usize).copied().unwrap_or([0.0; 3]);
        let mut points = boxes.clone();
        let mut parents: HashMap<u32, u32> = HashMap::new();
        let mut count = 0usize;
        for (kind, _, node) in model.nodes() {
            count += 1;
            if let Ok(parent) = u32::try_from(node.parent_id) {
                parents.entry(node.object_id).or_insert(parent);
            }
            if !matches!(kind, NodeKind::Bone | NodeKind::Helper) {
                points.entry(node.object_id).or_insert(Aabb::EMPTY).add(pivot(node.object_id));
                if whole.is_empty() || model.geosets.is_empty() {
                    whole.add(pivot(node.object_id));
                }
            }
        }
        let mut reach: HashMap<u32, f32> = HashMap::new();
        for (id, points) in &points {
            let mut at = Some(*id);
            for _ in 0..=count {
                let Some(node) = at else { break };
                let far = points.corners().map(|corner| distance(corner, pivot(node))).fold(0.0, f32::max);
                let slot = reach.entry(node).or_default();
                *slot = slot.max(far);
                at = parents.get(&node).copied();
            }
        }
        let size = [whole.longest(), model.info.bounds.radius * 2.0, 1.0];
        let size = size.into_iter().find(|size| size.is_finite() && *size > 0.0).unwrap_or(1.0);
        Budget { size, tolerance, reach, boxes }
    }

    /// Returns how far a track of a node may be from the original: a length, an angle in radians, or a scale.
    pub(super) fn of_node(&self, original_id: u32, tag: [u8; 4]) -> f32 {
        let length = self.tolerance.position * self.size * SHARE;
        let reach = self.reach.get(&original_id).copied().unwrap_or(0.0).max(ROUNDING);
        ROUNDING
            + match &tag {
                b"KGRT" => (self.tolerance.angle.to_radians() * SHARE).min(length / reach),
                b"KGSC" => (self.tolerance.position * SHARE).min(length / reach),
                _ => length,
            }
    }

    /// Returns how far a track that belongs to no node may be from the original.
    pub(super) fn of_other(&self, tag: [u8; 4]) -> f32 {
        if self.tolerance.position == 0.0 {
            return 0.0;
        }
        match &tag {
            b"KGAO" | b"KGAC" | b"KMTA" | b"KRAL" | b"KRCO" | b"KLAC" | b"KLBC" => COLOR,
            b"KTAT" | b"KTAS" => TEXEL,
            b"KTAR" => self.tolerance.angle.to_radians() * SHARE,
            b"KCTR" | b"KTTR" => self.tolerance.position * self.size * SHARE,
            b"KCRL" => self.tolerance.angle.to_radians() * SHARE,
            _ => 0.0,
        }
    }
}
