//! Bone weights that sum to 255, strongest first.

use crate::mesh::{Column, Mesh, Usage, Values};

/// Scales four weights so that they sum to 255. Rounding errors go where they matter least: largest remainder first.
/// Weights that are all zero stay so.
///
/// ```
/// assert_eq!(galatea_fox::normalised([1.0, 1.0, 1.0, 0.0]), [85, 85, 85, 0]);
/// assert_eq!(galatea_fox::normalised([0.5, 0.25, 0.25, 0.0]), [127, 64, 64, 0]);
/// assert_eq!(galatea_fox::normalised([0.0; 4]), [0; 4]);
/// ```
pub fn normalised(weights: [f32; 4]) -> [u8; 4] {
    let clean = weights.map(|w| if w.is_finite() && w > 0.0 { f64::from(w) } else { 0.0 });
    let sum: f64 = clean.iter().sum();
    if sum <= 0.0 {
        return [0; 4];
    }
    let exact = clean.map(|w| w / sum * 255.0);
    let mut out = exact.map(|w| w.floor() as u8);
    let mut left = 255 - out.iter().map(|w| u16::from(*w)).sum::<u16>();
    let mut order = [0usize, 1, 2, 3];
    let remainder = |i: &usize| exact.get(*i).map_or(0.0, |w| w - w.floor());
    order.sort_by(|a, b| remainder(b).total_cmp(&remainder(a)));
    for i in order {
        if left > 0
            && exact.get(i).is_some_and(|w| *w > 0.0)
            && let Some(slot) = out.get_mut(i)
        {
            *slot += 1;
            left -= 1;
        }
    }
    out
}

impl Mesh {
    /// Makes all weights sum to 255 and sorts them, strongest first. Returns how many vertices changed.
    ///
    /// Vertices without any weight are left alone: which bone should move them is unknown. Where there are second
    /// weights, all eight are scaled together.
    ///
    /// ```
    /// use galatea_fox::{Mesh, Usage, Values};
    /// let mut mesh = Mesh::default();
    /// mesh.vertices.push(Usage::Weights, Values::Unorm8x4(vec![[50, 50, 0, 0]]));
    /// mesh.vertices.push(Usage::BoneIndices, Values::U8x4(vec![[1, 2, 0, 0]]));
    /// assert_eq!(mesh.normalise_weights(), 1);
    /// assert_eq!(mesh.vertices.weights(), Some(&[[128, 127, 0, 0]][..]));
    /// ```
    pub fn normalise_weights(&mut self) -> usize {
        let Some(mut weights) = self.weights_column().cloned() else { return 0 };
        let old = weights.clone();
        let second = self.vertices.columns.iter_mut().find(|c| c.usage == Usage::Weights2);
        if let Some(Column { values: Values::Unorm8x4(second), .. }) = second {
            for (a, b) in weights.iter_mut().zip(second) {
                let sum: u32 = a.iter().chain(b.iter()).map(|w| u32::from(*w)).sum();
                if sum == 255 || sum == 0 {
                    continue;
                }
                let scale = |w: &mut u8| *w = (u32::from(*w) * 255 / sum) as u8;
                a.iter_mut().for_each(scale);
                b.iter_mut().for_each(scale);
                let left = 255 - a.iter().chain(b.iter()).map(|w| u32::from(*w)).sum::<u32>();
                if let Some(strongest) = a.iter_mut().max_by_key(|w| **w) {
                    *strongest += left as u8;
                }
            }
        } else {
            for w in &mut weights {
                if w.iter().map(|w| u16::from(*w)).sum::<u16>() != 255 {
                    *w = normalised(w.map(f32::from));
                }
            }
        }
        let changed = old.iter().zip(&weights).filter(|(a, b)| a != b).count();
        if let Some(column) = self.weights_column_mut() {
            *column = weights;
        }
        changed + self.sort_weights()
    }

    /// Sorts the weights of each vertex, strongest first, and their bones with them. Returns how many vertices changed.
    pub fn sort_weights(&mut self) -> usize {
        let Some(mut weights) = self.weights_column().cloned() else { return 0 };
        let bones = self.vertices.columns.iter_mut().find(|c| c.usage == Usage::BoneIndices);
        let Some(Column { values: Values::U8x4(indices) | Values::Unorm8x4(indices), .. }) = bones else {
            return 0;
        };
        let mut changed = 0;
        for (w, b) in weights.iter_mut().zip(indices) {
            if w.is_sorted_by(|a, b| a >= b) {
                continue;
            }
            let mut pairs: Vec<(u8, u8)> = w.iter().copied().zip(b.iter().copied()).collect();
            pairs.sort_by_key(|(w, _)| std::cmp::Reverse(*w));
            for ((w, b), (nw, nb)) in w.iter_mut().zip(b.iter_mut()).zip(pairs) {
                (*w, *b) = (nw, nb);
            }
            changed += 1;
        }
        if let Some(column) = self.weights_column_mut() {
            *column = weights;
        }
        changed
    }

    fn weights_column(&self) -> Option<&Vec<[u8; 4]>> {
        match self.vertices.get(Usage::Weights)? {
            Values::Unorm8x4(w) | Values::U8x4(w) => Some(w),
            _ => None,
        }
    }

    fn weights_column_mut(&mut self) -> Option<&mut Vec<[u8; 4]>> {
        let column = self.vertices.columns.iter_mut().find(|c| c.usage == Usage::Weights)?;
        match &mut column.values {
            Values::Unorm8x4(w) | Values::U8x4(w) => Some(w),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(weights: Vec<[u8; 4]>, bones: Vec<[u8; 4]>) -> Mesh {
        let mut mesh = Mesh::default();
        mesh.vertices.push(Usage::Weights, Values::Unorm8x4(weights));
        mesh.vertices.push(Usage::BoneIndices, Values::U8x4(bones));
        mesh
    }

    #[test]
    fn weights_are_scaled_and_their_bones_follow() {
        let mut m =
            mesh(vec![[10, 40, 0, 0], [255, 0, 0, 0], [0; 4]], vec![[1, 2, 0, 0], [3, 0, 0, 0], [0; 4]]);
        assert_eq!(m.normalise_weights(), 2);
        assert_eq!(m.vertices.weights().unwrap(), [[204, 51, 0, 0], [255, 0, 0, 0], [0; 4]]);
        assert_eq!(m.vertices.bone_indices().unwrap()[0], [2, 1, 0, 0]);
        assert_eq!(m.normalise_weights(), 0);
    }

    #[test]
    fn any_weights_sum_to_255() {
        for a in 0..40u8 {
            for b in 0..40u8 {
                let w = normalised([a.into(), b.into(), 7.0, 0.1]);
                assert_eq!(w.iter().map(|w| u16::from(*w)).sum::<u16>(), 255, "{w:?}");
            }
        }
        assert_eq!(normalised([f32::NAN, f32::INFINITY, -1.0, 2.0]), [0, 0, 0, 255]);
    }

    #[test]
    fn second_weights_share_the_255() {
        let mut m = mesh(vec![[100, 50, 50, 50]], vec![[0, 1, 2, 3]]);
        m.vertices.push(Usage::Weights2, Values::Unorm8x4(vec![[50, 0, 0, 0]]));
        m.normalise_weights();
        let Some(Values::Unorm8x4(second)) = m.vertices.get(Usage::Weights2) else { panic!() };
        let sum: u16 = m.vertices.weights().unwrap()[0].iter().chain(&second[0]).map(|w| u16::from(*w)).sum();
        assert_eq!(sum, 255);
        assert_eq!(second[0][0], 42);
    }
}
