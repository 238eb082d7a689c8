//! Traversal of the box tree: which faces a ray may hit, and which are above or below a point.
//!
//! Boxes and triangles are rejected in f32 with bounded rounding; the caller decides in f64.

use wide::f32x4;

use crate::bvh::{Block, Bvh, EMPTY, LEAF, Node};
use crate::ray::Exact;
use crate::vector::at;

/// Stack entries that suffice for nearly every traversal.
pub(crate) const SMALL_STACK: usize = 64;
/// Stack entries for the deepest possible tree: 72 levels, seven pending children each.
const LARGE_STACK: usize = 512;

/// The ray in f32, in four SIMD lanes, for rejection tests.
struct Filter {
    origin: [f32x4; 3],
    direction: [f32x4; 3],
    inverse: [f32x4; 3],
    /// The inverse direction, slightly enlarged: each slab is off by at most three roundings (Ize: Robust BVH Ray Traversal).
    beyond: [f32x4; 3],
    /// Which sides of a box the ray reaches first.
    first: [usize; 3],
    slack: f32x4,
    /// Lengths of the f32 direction per length of the given one: a power of two.
    scale: f64,
}

impl Filter {
    #[inline]
    fn new(exact: &Exact, extent: f32) -> Filter {
        let d = exact.direction;
        let largest = d[0].abs().max(d[1].abs()).max(d[2].abs());
        // A power of two, so that scaling rounds nothing.
        let scale = f64::from_bits(largest.to_bits() & 0x7FF0_0000_0000_0000);
        let d = [d[0] / scale, d[1] / scale, d[2] / scale];
        let inverse = d.map(|c| {
            let i = (1.0 / c) as f32;
            // An infinite inverse could yield 0 * infinity = NaN; this value is finite and larger than any distance.
            if i.is_finite() { i.clamp(-1e37, 1e37) } else { 1e37 }
        });
        let o = exact.origin.map(|c| c as f32);
        let reach = o[0].abs().max(o[1].abs()).max(o[2].abs()) + extent;
        let splat = |p: [f32; 3]| [f32x4::splat(p[0]), f32x4::splat(p[1]), f32x4::splat(p[2])];
        Filter {
            origin: splat(o),
            direction: splat([d[0] as f32, d[1] as f32, d[2] as f32]),
            inverse: splat(inverse),
            beyond: splat(inverse.map(|i| i * 1.000_001)),
            first: inverse.map(|i| usize::from(i < 0.0)),
            slack: f32x4::splat(reach * 6e-6),
            scale,
        }
    }

    /// Returns the limit in f32, rounded up.
    #[inline]
    fn limit(&self, distance: f64) -> f32 {
        (((distance * self.scale) as f32) * 1.000_001).min(1e30)
    }

    /// Returns which of the eight boxes the ray may hit before the limit, and where it enters them.
    #[inline]
    fn boxes(&self, node: &Node, limit: f32) -> (u32, [f32x4; 2]) {
        let [x, y, z] = self.first;
        let plane = |i: usize| node.planes.get(i).unwrap_or(&node.planes[0]);
        let (near_x, near_y, near_z) = (plane(x), plane(2 + y), plane(4 + z));
        let (far_x, far_y, far_z) = (plane(1 - x), plane(3 - y), plane(5 - z));
        let [ox, oy, oz] = self.origin;
        let [ix, iy, iz] = self.inverse;
        let [bx, by, bz] = self.beyond;
        let half = |nx: f32x4, ny: f32x4, nz: f32x4, fx: f32x4, fy: f32x4, fz: f32x4| {
            let near =
                ((nx - ox) * ix).fast_max((ny - oy) * iy).fast_max(((nz - oz) * iz).fast_max(f32x4::ZERO));
            let far = ((fx - ox) * bx)
                .fast_min((fy - oy) * by)
                .fast_min(((fz - oz) * bz).fast_min(f32x4::splat(limit)));
            (near.simd_le(far).to_bitmask(), near)
        };
        let (low, a) = half(near_x[0], near_y[0], near_z[0], far_x[0], far_y[0], far_z[0]);
        let (high, b) = half(near_x[1], near_y[1], near_z[1], far_x[1], far_y[1], far_z[1]);
        (low | high << 4, [a, b])
    }

    /// Returns which of the four triangles the ray may hit before the limit.
    #[inline]
    fn triangles(&self, block: &Block, limit: f32) -> u32 {
        let [dx, dy, dz] = self.direction;
        let [e1x, e1y, e1z] = block.e1;
        let [e2x, e2y, e2z] = block.e2;
        let (px, py, pz) = (dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x);
        let det = e1x * px + e1y * py + e1z * pz;
        let (tx, ty, tz) =
            (self.origin[0] - block.v[0], self.origin[1] - block.v[1], self.origin[2] - block.v[2]);
        let sign = det & f32x4::splat(-0.0);
        let size = det.abs();
        let u = (tx * px + ty * py + tz * pz) ^ sign;
        let (qx, qy, qz) = (ty * e1z - tz * e1y, tz * e1x - tx * e1z, tx * e1y - ty * e1x);
        let v = (dx * qx + dy * qy + dz * qz) ^ sign;
        let t = (e2x * qx + e2y * qy + e2z * qz) ^ sign;
        let slack = self.slack * block.side;
        let far = slack * block.side * 0.5;
        let inside = u.fast_min(v).simd_ge(-slack)
            & (u + v).simd_le(size + slack)
            & t.simd_ge(-far)
            & t.simd_le(size * limit + far);
        let edge_on = size.simd_le(block.side * block.side * 4e-7);
        (inside | edge_on).to_bitmask()
    }
}

/// A vertical segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) heights: [f32; 2],
    /// Whether higher boxes are visited first.
    pub(crate) downward: bool,
}

impl Column {
    #[inline]
    pub(crate) fn along(exact: &Exact, length: f64) -> Column {
        let (start, run) = (exact.origin[2], exact.direction[2]);
        let heights = span(start, start + run * length);
        Column { x: exact.origin[0] as f32, y: exact.origin[1] as f32, heights, downward: run < 0.0 }
    }
}

/// Returns the range of heights in f32, rounded outward.
#[inline]
pub(crate) fn span(a: f64, b: f64) -> [f32; 2] {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    [((low - low.abs() * 1e-6) as f32).max(-1e30), ((high + high.abs() * 1e-6) as f32).min(1e30)]
}

#[derive(Clone, Copy, Default)]
struct Pending {
    child: u32,
    near: f32,
}

struct Stack<const N: usize> {
    entries: [Pending; N],
    len: usize,
}

impl<const N: usize> Stack<N> {
    #[inline]
    fn new() -> Self {
        Stack { entries: [Pending::default(); N], len: 0 }
    }

    #[inline]
    fn push(&mut self, child: u32, near: f32) {
        if let Some(slot) = self.entries.get_mut(self.len) {
            *slot = Pending { child, near };
            self.len += 1;
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Pending> {
        self.len = self.len.checked_sub(1)?;
        self.entries.get(self.len).copied()
    }
}

impl Bvh {
    /// Calls `visit` with every face the ray may hit before the limit. `visit` returns the new limit, or `None` to stop.
    #[inline]
    pub(crate) fn walk(&self, exact: &Exact, visit: &mut impl FnMut(u32) -> Option<f64>) {
        if self.nodes.is_empty() {
            return;
        }
        if self.shallow {
            self.walk_with::<SMALL_STACK>(exact, visit);
        } else {
            self.walk_with::<LARGE_STACK>(exact, visit);
        }
    }

    #[inline]
    fn walk_with<const N: usize>(&self, exact: &Exact, visit: &mut impl FnMut(u32) -> Option<f64>) {
        let filter = Filter::new(exact, self.extent);
        let mut limit = filter.limit(exact.length);
        let mut stack = Stack::<N>::new();
        let mut current = 0u32;
        loop {
            if current & LEAF == 0 {
                let Some(node) = self.nodes.get(current as usize) else { return };
                let (mut mask, near) = filter.boxes(node, limit);
                if mask != 0 {
                    let [a, b] = near.map(|n| n.to_array());
                    let near = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
                    let lane = |i: u32| {
                        let i = i as usize;
                        (node.child.get(i).copied().unwrap_or(EMPTY), near.get(i).copied().unwrap_or(0.0))
                    };
                    // The nearest child is next; the others go onto the stack.
                    let mut next = lane(mask.trailing_zeros());
                    mask &= mask - 1;
                    while mask != 0 {
                        let mut other = lane(mask.trailing_zeros());
                        mask &= mask - 1;
                        if other.1 < next.1 {
                            std::mem::swap(&mut other, &mut next);
                        }
                        stack.push(other.0, other.1);
                    }
                    current = next.0;
                    continue;
                }
            } else {
                let Some(block) = self.blocks.get((current & !LEAF) as usize) else { return };
                let mut mask = filter.triangles(block, limit);
                while mask != 0 {
                    let lane = mask.trailing_zeros();
                    mask &= mask - 1;
                    let face = match lane {
                        0 => block.face[0],
                        1 => block.face[1],
                        2 => block.face[2],
                        _ => block.face[3],
                    };
                    match visit(face) {
                        Some(distance) => limit = filter.limit(distance),
                        None => return,
                    }
                }
            }
            loop {
                match stack.pop() {
                    Some(w) if w.near <= limit => {
                        current = w.child;
                        break;
                    }
                    Some(_) => {}
                    None => return,
                }
            }
        }
    }

    /// Calls `visit` with every face that may be above or below the point, between the heights. `visit` may return new heights.
    #[inline]
    pub(crate) fn walk_column(&self, column: Column, visit: &mut impl FnMut(u32) -> Option<[f32; 2]>) {
        if self.nodes.is_empty() {
            return;
        }
        if self.shallow {
            self.walk_column_with::<SMALL_STACK>(column, visit);
        } else {
            self.walk_column_with::<LARGE_STACK>(column, visit);
        }
    }

    #[inline]
    fn walk_column_with<const N: usize>(
        &self,
        column: Column,
        visit: &mut impl FnMut(u32) -> Option<[f32; 2]>,
    ) {
        let (x, y) = (f32x4::splat(column.x), f32x4::splat(column.y));
        let [mut low, mut high] = column.heights.map(f32x4::splat);
        let slack = f32x4::splat((column.x.abs().max(column.y.abs()) + self.extent) * 6e-6);
        let mut stack = Stack::<N>::new();
        let mut current = 0u32;
        loop {
            if current & LEAF == 0 {
                let Some(node) = self.nodes.get(current as usize) else { return };
                let [x0, x1, y0, y1, z0, z1] = &node.planes;
                let half = |x0: f32x4, x1: f32x4, y0: f32x4, y1: f32x4, z0: f32x4, z1: f32x4| {
                    let inside = (x0.simd_le(x) & x1.simd_ge(x)) & (y0.simd_le(y) & y1.simd_ge(y));
                    (inside & (z0.simd_le(high) & z1.simd_ge(low))).to_bitmask()
                };
                let mut mask = half(x0[0], x1[0], y0[0], y1[0], z0[0], z1[0])
                    | half(x0[1], x1[1], y0[1], y1[1], z0[1], z1[1]) << 4;
                if mask != 0 {
                    let lane = |i: u32| node.child.get(i as usize).copied().unwrap_or(EMPTY);
                    let mut next = lane(mask.trailing_zeros());
                    let first = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    if mask != 0 {
                        // Few segments hit more than one box; those that do start with the nearest one.
                        let rank = |i: usize| {
                            let planes = if column.downward { z1 } else { z0 };
                            let height = at(&(if i > 3 { planes[1] } else { planes[0] }).to_array(), i % 4);
                            if column.downward { -height } else { height }
                        };
                        let mut best = rank(first);
                        while mask != 0 {
                            let i = mask.trailing_zeros();
                            mask &= mask - 1;
                            let mut other = lane(i);
                            let r = rank(i as usize);
                            if r < best {
                                best = r;
                                std::mem::swap(&mut other, &mut next);
                            }
                            stack.push(other, 0.0);
                        }
                    }
                    current = next;
                    continue;
                }
            } else {
                let Some(block) = self.blocks.get((current & !LEAF) as usize) else { return };
                let mut mask = column_triangles(block, x, y, slack);
                while mask != 0 {
                    let lane = mask.trailing_zeros();
                    mask &= mask - 1;
                    if let Some(heights) = visit(at(&block.face, lane as usize)) {
                        [low, high] = heights.map(f32x4::splat);
                    }
                }
            }
            match stack.pop() {
                Some(w) => current = w.child,
                None => return,
            }
        }
    }
}

/// Returns which of the four triangles may be above or below the point.
#[inline]
fn column_triangles(block: &Block, x: f32x4, y: f32x4, slack: f32x4) -> u32 {
    let ([e1x, e1y, _], [e2x, e2y, _]) = (block.e1, block.e2);
    let det = e1x * e2y - e1y * e2x;
    let (tx, ty) = (x - block.v[0], y - block.v[1]);
    let sign = det & f32x4::splat(-0.0);
    let u = (tx * e2y - ty * e2x) ^ sign;
    let v = (e1x * ty - e1y * tx) ^ sign;
    let slack = slack * block.side;
    let inside = u.fast_min(v).simd_ge(-slack) & (u + v).simd_le(det.abs() + slack);
    let edge_on = det.abs().simd_le(block.side * block.side * 4e-7);
    (inside | edge_on).to_bitmask()
}
