//! Tree traversals other than rays: faces near a point and faces that overlap a box.

use wide::f32x4;

use crate::bvh::{Aabb, Bvh, LEAF, Node};
use crate::vector::at;

impl Bvh {
    /// Calls `visit` with the faces whose boxes are within a distance of the point, likely nearest first.
    /// `visit` may return a smaller distance.
    pub(crate) fn walk_near(&self, point: [f32; 3], within: f32, visit: &mut impl FnMut(u32) -> Option<f64>) {
        if self.nodes.is_empty() {
            return;
        }
        let limit = |d: f64| (((d * d) as f32) * 1.000_01).min(f32::MAX);
        let mut bound = limit(f64::from(within));
        let mut stack: Vec<(f32, u32)> = vec![(0.0, 0)];
        while let Some((near, current)) = stack.pop() {
            if near > bound {
                continue;
            }
            if current & LEAF != 0 {
                let faces = self.blocks.get((current & !LEAF) as usize).map(|b| b.face).unwrap_or_default();
                for face in faces {
                    if let Some(distance) = visit(face) {
                        bound = limit(distance);
                    }
                }
                continue;
            }
            let Some(node) = self.nodes.get(current as usize) else { continue };
            let begin = stack.len();
            for (i, d) in squares(node, point).into_iter().enumerate() {
                if d <= bound {
                    stack.push((d, at(&node.child, i)));
                }
            }
            if let Some(added) = stack.get_mut(begin..) {
                added.sort_by(|a, b| b.0.total_cmp(&a.0));
            }
        }
    }

    /// Calls `visit` with every face whose box may overlap this one.
    pub(crate) fn walk_box(&self, bounds: &Aabb, visit: &mut impl FnMut(u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = vec![0u32];
        while let Some(current) = stack.pop() {
            if current & LEAF != 0 {
                for face in self.blocks.get((current & !LEAF) as usize).map(|b| b.face).unwrap_or_default() {
                    visit(face);
                }
                continue;
            }
            let Some(node) = self.nodes.get(current as usize) else { continue };
            let [x0, x1, y0, y1, z0, z1] = &node.planes;
            let mut mask = 0;
            for half in [0usize, 1] {
                let pick = |p: &[f32x4; 2]| if half == 0 { p[0] } else { p[1] };
                let low = |p: &[f32x4; 2], limit: f32| pick(p).simd_le(f32x4::splat(limit));
                let high = |p: &[f32x4; 2], limit: f32| pick(p).simd_ge(f32x4::splat(limit));
                let inside = low(x0, bounds.max[0])
                    & high(x1, bounds.min[0])
                    & low(y0, bounds.max[1])
                    & high(y1, bounds.min[1])
                    & low(z0, bounds.max[2])
                    & high(z1, bounds.min[2]);
                mask |= inside.to_bitmask() << (4 * half);
            }
            while mask != 0 {
                stack.push(at(&node.child, mask.trailing_zeros() as usize));
                mask &= mask - 1;
            }
        }
    }
}

/// Returns the squared distances from a point to the eight boxes; infinite for empty lanes.
fn squares(node: &Node, point: [f32; 3]) -> [f32; 8] {
    let [x0, x1, y0, y1, z0, z1] = &node.planes;
    let half = |x0: f32x4, x1: f32x4, y0: f32x4, y1: f32x4, z0: f32x4, z1: f32x4| {
        let gap = |low: f32x4, high: f32x4, c: f32| {
            let c = f32x4::splat(c);
            (low - c).fast_max(c - high).fast_max(f32x4::ZERO)
        };
        let (dx, dy, dz) = (gap(x0, x1, point[0]), gap(y0, y1, point[1]), gap(z0, z1, point[2]));
        (dx * dx + dy * dy + dz * dz).to_array()
    };
    let [a, b, c, d] = half(x0[0], x1[0], y0[0], y1[0], z0[0], z1[0]);
    let [e, f, g, h] = half(x0[1], x1[1], y0[1], y1[1], z0[1], z1[1]);
    [a, b, c, d, e, f, g, h]
}
