//! Box trees stored in files. They are used as they are: never trusted and never rebuilt.

use crate::material::Materials;
use crate::mesh::Walkmesh;
use crate::ray::{Exact, Hit, Ray};
use crate::vector::{V3, at, put, v3};

/// A node of a stored tree.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TreeNode {
    /// Minimum corner of the box.
    pub min: [f32; 3],
    /// Maximum corner of the box.
    pub max: [f32; 3],
    /// The face of a leaf.
    pub face: Option<u32>,
    /// The children of an inner node, as indices of nodes.
    pub children: [Option<u32>; 2],
}

/// A tree of boxes over the faces, as a file stores it. The first node is the root.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredTree {
    /// The nodes.
    pub nodes: Vec<TreeNode>,
}

/// The faults of a stored tree. If all lists are empty, queries give the same results as with the internal tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeFaults {
    /// Nodes that are reached more than once, through a cycle or a shared subtree.
    pub revisited: Vec<u32>,
    /// Nodes with an invalid child index.
    pub lost_children: Vec<u32>,
    /// Leaves with an invalid face index.
    pub lost_faces: Vec<u32>,
    /// Nodes that cannot be reached from the root.
    pub unreached: Vec<u32>,
    /// Faces in no leaf.
    pub missing_faces: Vec<u32>,
    /// Faces in more than one leaf.
    pub doubled_faces: Vec<u32>,
    /// Nodes whose box does not contain the faces below it.
    pub small_boxes: Vec<u32>,
}

impl TreeFaults {
    /// Returns `true` if the tree is sound.
    pub fn is_empty(&self) -> bool {
        *self == TreeFaults::default()
    }

    /// Returns `true` if a ray can miss a face because of these faults.
    pub fn can_miss(&self) -> bool {
        !(self.missing_faces.is_empty() && self.small_boxes.is_empty())
    }
}

impl std::fmt::Display for TreeFaults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            (self.revisited.len(), "nodes reached twice"),
            (self.lost_children.len(), "nodes with a child that is not there"),
            (self.lost_faces.len(), "leaves with a face that is not there"),
            (self.unreached.len(), "nodes that the root does not lead to"),
            (self.missing_faces.len(), "faces in no leaf"),
            (self.doubled_faces.len(), "faces in more than one leaf"),
            (self.small_boxes.len(), "boxes too small for their faces"),
        ];
        let faults: Vec<String> =
            parts.iter().filter(|p| p.0 > 0).map(|(n, what)| format!("{n} {what}")).collect();
        f.write_str(if faults.is_empty() { "sound" } else { "" })?;
        f.write_str(&faults.join(", "))
    }
}

impl StoredTree {
    /// Returns the nearest hit, found by traversing this tree. Each node is visited at most once, even in a damaged tree.
    pub fn nearest(&self, mesh: &Walkmesh, ray: &Ray, of: Materials) -> Option<Hit> {
        let exact = Exact::new(ray)?;
        let mut best: Option<Hit> = None;
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = vec![0u32];
        while let Some(index) = todo.pop() {
            let Some(node) = self.nodes.get(index as usize) else { continue };
            if at(&seen, index as usize) {
                continue;
            }
            put(&mut seen, index as usize, true);
            let limit = best.map_or(exact.length, |b| b.distance);
            if !enters(node, exact.origin, exact.direction, limit) {
                continue;
            }
            if let Some(face) = node.face
                && let Some(distance) = mesh.exact_hit(&exact, face, of)
                && best.is_none_or(|b| (distance, face) < (b.distance, b.face))
            {
                best = Some(Hit { face, distance });
            }
            todo.extend(node.children.iter().rev().flatten());
        }
        best
    }

    /// Validates the tree against its mesh: every face must be in exactly one leaf, every box must contain its faces, and every
    /// node must be reached exactly once.
    ///
    /// ```
    /// use galatea_walk::{StoredTree, Surface, TreeNode, Walkmesh};
    /// let node = TreeNode { min: [0.0; 3], max: [1.0; 3], face: None, children: [Some(0), None] };
    /// let tree = StoredTree { nodes: vec![node] };
    /// let faults = tree.check(&Walkmesh::new(Surface::default())?);
    /// assert_eq!(faults.to_string(), "1 nodes reached twice");
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn check(&self, mesh: &Walkmesh) -> TreeFaults {
        let mut faults = TreeFaults::default();
        let mut parent = vec![u32::MAX; self.nodes.len()];
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut held = vec![0u32; mesh.len()];
        let mut todo: Vec<(u32, u32)> = if self.nodes.is_empty() { Vec::new() } else { vec![(0, u32::MAX)] };
        while let Some((index, from)) = todo.pop() {
            let Some(node) = self.nodes.get(index as usize) else {
                faults.lost_children.push(from);
                continue;
            };
            if at(&seen, index as usize) {
                faults.revisited.push(index);
                continue;
            }
            put(&mut seen, index as usize, true);
            put(&mut parent, index as usize, from);
            order.push(index);
            if let Some(face) = node.face {
                match held.get_mut(face as usize) {
                    Some(count) => *count += 1,
                    None => faults.lost_faces.push(index),
                }
            }
            todo.extend(node.children.iter().rev().flatten().map(|&c| (c, index)));
        }
        // From the leaves up: the box that each node must contain.
        let mut need = vec![(([f32::INFINITY; 3]), [f32::NEG_INFINITY; 3]); self.nodes.len()];
        for &index in order.iter().rev() {
            let Some(node) = self.nodes.get(index as usize) else { continue };
            let (mut low, mut high) = at(&need, index as usize);
            for corner in node.face.and_then(|f| mesh.corners(f)).into_iter().flatten() {
                (low, high) = (least(low, corner), greatest(high, corner));
            }
            let holds = |low: f32, high: f32, min: f32, max: f32| low >= min && high <= max || low > high;
            let [x, y, z] = [
                holds(low[0], high[0], node.min[0], node.max[0]),
                holds(low[1], high[1], node.min[1], node.max[1]),
                holds(low[2], high[2], node.min[2], node.max[2]),
            ];
            if !(x && y && z) {
                faults.small_boxes.push(index);
            }
            if let Some(up) = need.get_mut(at(&parent, index as usize) as usize) {
                *up = (least(up.0, low), greatest(up.1, high));
            }
        }
        let pick = |wanted: &dyn Fn(u32) -> bool| -> Vec<u32> {
            (0u32..).zip(&held).filter(|(_, n)| wanted(**n)).map(|(f, _)| f).collect()
        };
        faults.missing_faces = pick(&|n| n == 0);
        faults.doubled_faces = pick(&|n| n > 1);
        faults.unreached = (0u32..).zip(&seen).filter(|(_, s)| !**s).map(|(i, _)| i).collect();
        faults.small_boxes.sort_unstable();
        faults
    }
}

fn least(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].min(b[2])]
}

fn greatest(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])]
}

/// Returns `true` if the ray enters the node's box before the limit; a box with NaN is always entered.
fn enters(node: &TreeNode, origin: V3, direction: V3, limit: f64) -> bool {
    let (min, max) = (v3(node.min), v3(node.max));
    let slab = |o: f64, d: f64, low: f64, high: f64| -> (f64, f64) {
        if d == 0.0 {
            return if o < low || o > high { (1.0, 0.0) } else { (0.0, f64::INFINITY) };
        }
        let (a, b) = ((low - o) / d, (high - o) / d);
        (a.min(b), a.max(b))
    };
    let [x, y, z] = [
        slab(origin[0], direction[0], min[0], max[0]),
        slab(origin[1], direction[1], min[1], max[1]),
        slab(origin[2], direction[2], min[2], max[2]),
    ];
    // More than three roundings of 2^-53 each.
    let near = x.0.max(y.0).max(z.0).max(0.0) * (1.0 - 1e-14);
    let far = x.1.min(y.1).min(z.1).min(limit) * (1.0 + 1e-14);
    near.partial_cmp(&far).is_none_or(|order| order.is_le())
}
