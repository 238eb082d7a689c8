//! Fixes of vertices and faces.

use crate::check::is_unit;
use crate::mesh::{Mesh, Usage, Values, half_to_f32};
use crate::model::Fmdl;
use crate::weights::normalised;

impl Mesh {
    /// Replaces half-float vectors whose value changes. Returns how many.
    fn each_half4(&mut self, usage: Usage, change: impl Fn([f32; 4]) -> Option<[f32; 4]>) -> usize {
        let mut count = 0;
        for column in self.vertices.columns.iter_mut().filter(|c| c.usage == usage) {
            let Values::F16x4(values) = &mut column.values else { continue };
            for value in values {
                let Some(new) = change(value.map(half_to_f32)) else { continue };
                let new = new.map(|x| half::f16::from_f32(x).to_bits());
                count += usize::from(new != *value);
                *value = new;
            }
        }
        count
    }

    /// Turns every face over, at all levels of detail.
    pub fn turn_faces(&mut self) {
        for face in self.indices.as_chunks_mut::<3>().0 {
            face.swap(1, 2);
        }
    }
}

/// Returns a direction with length 1; `None` if it has none.
fn unit([x, y, z, w]: [f32; 4]) -> Option<[f32; 4]> {
    let length = (f64::from(x).powi(2) + f64::from(y).powi(2) + f64::from(z).powi(2)).sqrt();
    let scale = |c: f32| (f64::from(c) / length) as f32;
    let out = [scale(x), scale(y), scale(z), w];
    (length > 1e-3 && is_unit(out)).then_some(out)
}

/// Makes normals length 1 and their w 1, each where it is not.
pub(super) fn normals(model: &mut Fmdl) -> usize {
    let right = |v: [f32; 4]| {
        let [x, y, z, _] = if is_unit(v) { v } else { unit(v)? };
        Some([x, y, z, 1.0])
    };
    let wrong = |v: [f32; 4]| !is_unit(v) || v[3] != 1.0;
    model.meshes.iter_mut().map(|m| m.each_half4(Usage::Normal, |v| right(v).filter(|_| wrong(v)))).sum()
}

/// Makes tangents length 1 that are not.
pub(super) fn tangents(model: &mut Fmdl) -> usize {
    let right = |v: [f32; 4]| unit(v).filter(|_| !is_unit(v));
    model.meshes.iter_mut().map(|m| m.each_half4(Usage::Tangent, right)).sum()
}

/// Gives tangents the side whose sign they have. 0 and what is no number have none.
pub(super) fn tangent_sides(model: &mut Fmdl) -> usize {
    let right =
        |[x, y, z, w]: [f32; 4]| (w.abs() != 1.0 && w != 0.0 && !w.is_nan()).then_some([x, y, z, w.signum()]);
    model.meshes.iter_mut().map(|m| m.each_half4(Usage::Tangent, right)).sum()
}

/// Turns meshes over of whose faces nearly all point against the normals.
pub(super) fn turned_faces(model: &mut Fmdl) -> usize {
    let inside_out =
        |m: &&mut Mesh| m.facing().is_some_and(|(against, all)| all >= 2 && against * 10 >= all * 9);
    model.meshes.iter_mut().filter(inside_out).map(Mesh::turn_faces).count()
}

/// Returns the weights that sum to 255: with the one changed that alone breaks the order, else all scaled. `None` if
/// there is no such answer.
fn weights_of(weights: [u8; 4]) -> Option<[u8; 4]> {
    let sorted = |w: &[u8; 4]| w.is_sorted_by(|a, b| a >= b);
    let sum: u16 = weights.iter().map(|w| u16::from(*w)).sum();
    let mut single = Vec::new();
    for (i, weight) in weights.iter().enumerate() {
        let mut new = weights;
        if let Ok(rest) = u8::try_from((255 + u16::from(*weight)).wrapping_sub(sum)) {
            new.get_mut(i).into_iter().for_each(|w| *w = rest);
            single.extend(sorted(&new).then_some(new));
        }
    }
    match single[..] {
        [only] => Some(only),
        _ => sorted(&weights).then(|| normalised(weights.map(f32::from))).filter(sorted),
    }
}

/// Runs over the weights and bone indices of meshes that have four of each.
fn each_vertex(model: &mut Fmdl, change: impl Fn(&mut [u8; 4], &mut [u8; 4]) -> bool) -> usize {
    let mut count = 0;
    for mesh in model.meshes.iter_mut().filter(|m| m.is_skinned()) {
        let columns = &mut mesh.vertices.columns;
        if columns.iter().any(|c| c.usage == Usage::Weights2) {
            continue;
        }
        let (mut weights, mut indices) = (None, None);
        for column in columns {
            match (column.usage, &mut column.values) {
                (Usage::Weights, Values::Unorm8x4(v) | Values::U8x4(v)) => weights = Some(v),
                (Usage::BoneIndices, Values::Unorm8x4(v) | Values::U8x4(v)) => indices = Some(v),
                _ => {}
            }
        }
        let (Some(weights), Some(indices)) = (weights, indices) else { continue };
        count += weights.iter_mut().zip(indices).filter_map(|(w, i)| change(w, i).then_some(())).count();
    }
    count
}

fn sum(weights: &[u8; 4]) -> u16 {
    weights.iter().map(|w| u16::from(*w)).sum()
}

/// Makes weights sum to 255 that do not.
pub(super) fn weight_sums(model: &mut Fmdl) -> usize {
    each_vertex(model, |weights, _| {
        let right = weights_of(*weights).filter(|_| !matches!(sum(weights), 0 | 255));
        right.is_some_and(|right| {
            *weights = right;
            true
        })
    })
}

/// Sorts weights that sum to 255, and their bones with them.
pub(super) fn weight_order(model: &mut Fmdl) -> usize {
    each_vertex(model, |weights, bones| {
        if weights.is_sorted_by(|a, b| a >= b) || sum(weights) != 255 {
            return false;
        }
        let mut pairs: Vec<(u8, u8)> = weights.iter().copied().zip(bones.iter().copied()).collect();
        pairs.sort_by_key(|(w, _)| std::cmp::Reverse(*w));
        for ((w, b), (new, bone)) in weights.iter_mut().zip(bones.iter_mut()).zip(pairs) {
            (*w, *b) = (new, bone);
        }
        true
    })
}
