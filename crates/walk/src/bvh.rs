//! The internal acceleration structure: a bounding volume hierarchy with eight children per node and four triangles per
//! leaf.
//!
//! Boxes and leaves only reject what is certainly not hit (in f32, with bounds on rounding errors); the rest is decided in
//! f64 by the exact test. Results therefore do not depend on the shape of the tree.

use wide::f32x4;

use crate::ray::FARTHEST;
use crate::traverse::SMALL_STACK;
use crate::vector::at;

/// Marks a child that is a block of triangles.
pub(crate) const LEAF: u32 = 1 << 31;
/// Marks a lane without a child or triangle.
pub(crate) const EMPTY: u32 = u32::MAX;
/// Below this depth, nodes of the binary tree are split in half by count, which bounds the depth of any tree.
const SAH_DEPTH: u32 = 40;

/// Eight boxes and their contents.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Node {
    /// Minimum and maximum x, then y, then z, each for the first and the last four boxes.
    pub(crate) planes: [[f32x4; 2]; 6],
    pub(crate) child: [u32; 8],
}

/// Four triangles, each as a corner and two edge vectors.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Block {
    pub(crate) v: [f32x4; 3],
    pub(crate) e1: [f32x4; 3],
    pub(crate) e2: [f32x4; 3],
    /// Upper bound of the length of the longest side.
    pub(crate) side: f32x4,
    pub(crate) face: [u32; 4],
}

/// The tree.
#[derive(Debug)]
pub(crate) struct Bvh {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<Block>,
    /// Largest absolute coordinate, for bounds on rounding errors.
    pub(crate) extent: f32,
    /// Whether the deepest traversal fits the small stack.
    pub(crate) shallow: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Aabb {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Aabb {
    pub(crate) const EMPTY: Aabb = Aabb { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    pub(crate) fn add(&mut self, other: &Aabb) {
        self.min = [0, 1, 2].map(|k| get(self.min, k).min(get(other.min, k)));
        self.max = [0, 1, 2].map(|k| get(self.max, k).max(get(other.max, k)));
    }

    fn area(&self) -> f32 {
        let d = [0, 1, 2].map(|k| (get(self.max, k) - get(self.min, k)).max(0.0));
        d[0] * d[1] + d[1] * d[2] + d[2] * d[0]
    }
}

fn get(p: [f32; 3], axis: usize) -> f32 {
    match axis {
        0 => p[0],
        1 => p[1],
        _ => p[2],
    }
}

#[derive(Debug, Clone, Copy)]
struct Item {
    face: u32,
    bounds: Aabb,
    middle: [f32; 3],
}

#[derive(Debug, Clone, Copy)]
struct Binary {
    bounds: Aabb,
    /// First child (the second follows), or the first item.
    first: u32,
    /// Items of a leaf; 0 for an inner node.
    count: u32,
}

impl Bvh {
    pub(crate) fn build(positions: &[[f32; 3]], faces: &[[u32; 3]]) -> Bvh {
        let mut items = Vec::with_capacity(faces.len());
        let mut extent = 0.0f32;
        for (i, face) in faces.iter().enumerate() {
            let corners = face.map(|v| at(positions, v as usize));
            // Larger coordinates would overflow the products of the f32 filter.
            if !corners.iter().flatten().all(|c| c.abs() < FARTHEST) {
                continue;
            }
            let mut bounds = Aabb::EMPTY;
            for c in corners {
                bounds.add(&Aabb { min: c, max: c });
                extent = c.iter().fold(extent, |m, c| m.max(c.abs()));
            }
            let middle = [0, 1, 2].map(|k| get(bounds.min, k) * 0.5 + get(bounds.max, k) * 0.5);
            items.push(Item { face: i as u32, bounds, middle });
        }
        let binary = split(&mut items);
        let mut bvh = Bvh { nodes: Vec::new(), blocks: Vec::new(), extent, shallow: true };
        bvh.collapse(&binary, &items, positions, faces);
        bvh
    }

    /// Collapses the binary tree into nodes of eight children, largest children first.
    fn collapse(&mut self, binary: &[Binary], items: &[Item], positions: &[[f32; 3]], faces: &[[u32; 3]]) {
        let Some(root) = binary.first().copied() else { return };
        // Boxes are grown slightly, so that a ray in the plane of a box's side is inside in any direction.
        let pad = self.extent * 1e-6 + 1e-30;
        let mut todo: Vec<(Vec<Binary>, usize, usize)> = vec![(vec![root], 0, 0)];
        self.nodes.push(EMPTY_NODE);
        while let Some((mut open, slot, waiting)) = todo.pop() {
            while open.len() < 8 {
                let largest = open
                    .iter()
                    .enumerate()
                    .filter(|(_, b)| b.count == 0)
                    .max_by(|a, b| a.1.bounds.area().total_cmp(&b.1.bounds.area()).then(b.0.cmp(&a.0)));
                let Some((i, b)) = largest.map(|(i, b)| (i, *b)) else { break };
                let first = b.first as usize;
                let (Some(left), Some(right)) = (binary.get(first), binary.get(first + 1)) else { break };
                if let Some(slot) = open.get_mut(i) {
                    *slot = *left;
                }
                open.push(*right);
            }
            let waiting = waiting + open.len() - 1;
            self.shallow &= waiting <= SMALL_STACK;
            let mut node = EMPTY_NODE;
            let mut boxes = [NOWHERE; 8];
            for ((b, child), bounds) in open.iter().zip(node.child.iter_mut()).zip(boxes.iter_mut()) {
                *bounds = Aabb { min: b.bounds.min.map(|c| c - pad), max: b.bounds.max.map(|c| c + pad) };
                if b.count > 0 {
                    *child = LEAF | self.blocks.len() as u32;
                    let range = b.first as usize..(b.first + b.count) as usize;
                    self.blocks.push(block(items.get(range).unwrap_or(&[]), positions, faces));
                } else {
                    *child = self.nodes.len() as u32;
                    todo.push((
                        binary.get(b.first as usize..b.first as usize + 2).unwrap_or(&[]).to_vec(),
                        self.nodes.len(),
                        waiting,
                    ));
                    self.nodes.push(EMPTY_NODE);
                }
            }
            node.planes = [0, 1, 2, 3, 4, 5].map(|plane| {
                let [a, b, c, d, e, f, g, h] = boxes
                    .each_ref()
                    .map(|b| if plane % 2 == 0 { get(b.min, plane / 2) } else { get(b.max, plane / 2) });
                [f32x4::new([a, b, c, d]), f32x4::new([e, f, g, h])]
            });
            crate::vector::put(&mut self.nodes, slot, node);
        }
    }
}

/// Boxes at infinity, which no ray reaches.
const NOWHERE: Aabb = Aabb { min: [f32::INFINITY; 3], max: [f32::INFINITY; 3] };
const EMPTY_NODE: Node = Node { planes: [[f32x4::INFINITY; 2]; 6], child: [EMPTY; 8] };

fn block(items: &[Item], positions: &[[f32; 3]], faces: &[[u32; 3]]) -> Block {
    let mut corners = [[[0.0f32; 3]; 3]; 4];
    let mut face = [EMPTY; 4];
    // Empty lanes are NaN, so that every comparison rejects them.
    let mut side = [f32::NAN; 4];
    for (i, ((slot, id), side)) in corners.iter_mut().zip(face.iter_mut()).zip(side.iter_mut()).enumerate() {
        let Some(item) = items.get(i) else { continue };
        *id = item.face;
        let [a, b, c] = at(faces, item.face as usize).map(|v| at(positions, v as usize));
        let minus = |p: [f32; 3], q: [f32; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        *slot = [a, minus(b, a), minus(c, a)];
        let longest = slot.iter().skip(1).flatten().fold(0.0f32, |m, c| m.max(c.abs()));
        *side = 4.0 * longest.max(1e-18);
    }
    let lanes = |f: &dyn Fn(&[[f32; 3]; 3]) -> f32| f32x4::new(corners.each_ref().map(f));
    Block {
        v: [0, 1, 2].map(|k| lanes(&|c| get(c[0], k))),
        e1: [0, 1, 2].map(|k| lanes(&|c| get(c[1], k))),
        e2: [0, 1, 2].map(|k| lanes(&|c| get(c[2], k))),
        side: f32x4::new(side),
        face,
    }
}

/// Builds the binary tree by the surface area heuristic, with at most four items per leaf.
fn split(items: &mut [Item]) -> Vec<Binary> {
    let mut out = Vec::with_capacity(items.len());
    if items.is_empty() {
        return out;
    }
    out.push(Binary { bounds: Aabb::EMPTY, first: 0, count: items.len() as u32 });
    let mut todo = vec![(0usize, 0usize, items.len(), 0u32)];
    let mut costs = Vec::new();
    while let Some((slot, first, end, depth)) = todo.pop() {
        let Some(part) = items.get_mut(first..end) else { continue };
        let mut bounds = Aabb::EMPTY;
        for item in part.iter() {
            bounds.add(&item.bounds);
        }
        let mut node = Binary { bounds, first: first as u32, count: part.len() as u32 };
        if part.len() > 4 {
            let cut = if depth < SAH_DEPTH { cheapest_cut(part, &mut costs) } else { halves(part) };
            node = Binary { bounds, first: out.len() as u32, count: 0 };
            todo.push((out.len() + 1, first + cut, end, depth + 1));
            todo.push((out.len(), first, first + cut, depth + 1));
            out.extend([node; 2]);
        }
        crate::vector::put(&mut out, slot, node);
    }
    out
}

fn halves(part: &mut [Item]) -> usize {
    sort_along(part, 0);
    part.len() / 2
}

fn sort_along(part: &mut [Item], axis: usize) {
    part.sort_unstable_by(|a, b| {
        get(a.middle, axis).total_cmp(&get(b.middle, axis)).then(a.face.cmp(&b.face))
    });
}

/// Partitions the items along the best axis and returns the number of items of the first child.
fn cheapest_cut(part: &mut [Item], costs: &mut Vec<f32>) -> usize {
    let blocks = |n: usize| n.div_ceil(4) as f32;
    let mut best = (f32::INFINITY, 0, part.len() / 2);
    for axis in 0..3 {
        sort_along(part, axis);
        costs.clear();
        let mut bounds = Aabb::EMPTY;
        for (i, item) in part.iter().enumerate() {
            bounds.add(&item.bounds);
            costs.push(bounds.area() * blocks(i + 1));
        }
        let mut bounds = Aabb::EMPTY;
        for (i, item) in part.iter().enumerate().skip(1).rev() {
            bounds.add(&item.bounds);
            let cost = at(costs, i - 1) + bounds.area() * blocks(part.len() - i);
            if cost < best.0 {
                best = (cost, axis, i);
            }
        }
    }
    sort_along(part, best.1);
    best.2
}
