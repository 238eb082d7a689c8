//! The box tree over the faces of a walkable mesh.

use super::super::{AabbNode, AabbTree, Face, Mesh};
use super::bounds::corners;
use super::vector::{V, add, f, scale};

/// A face with its box and its center.
#[derive(Clone, Copy)]
struct Item {
    face: i32,
    min: V,
    max: V,
    middle: V,
}

/// Builds the tree: every box is split on its longest axis at the mean of the centers of its faces, lower side first.
/// Boxes are enlarged by 0.01 on every side, as in the games. Faces with vertices that do not exist are skipped.
pub fn aabb_tree(positions: &[[f32; 3]], faces: &[Face]) -> AabbTree {
    let mut items: Vec<Item> = Vec::with_capacity(faces.len());
    for (id, face) in faces.iter().enumerate() {
        if let Some(points) = corners(positions, face) {
            let [a, b, c] = points;
            let (min, max) = around([(a, a), (b, b), (c, c)].into_iter());
            items.push(Item { face: id as i32, min, max, middle: scale(add(add(a, b), c), 1.0 / 3.0) });
        }
    }
    let mut nodes: Vec<AabbNode> = Vec::with_capacity((items.len() * 2).saturating_sub(1));
    // Ranges of items yet to be added to the tree, and whose first or second child they become.
    let mut todo = vec![(0, items.len(), None::<(usize, bool)>)];
    while let Some((start, end, parent)) = todo.pop() {
        if start == end {
            continue;
        }
        let Some(range) = items.get_mut(start..end) else { continue };
        let id = nodes.len();
        if let Some((parent, second)) = parent
            && let Some(parent) = nodes.get_mut(parent)
        {
            *(if second { &mut parent.right } else { &mut parent.left }) = Some(id as u32);
        }
        let (min, max) = around(range.iter().map(|i| (i.min, i.max)));
        let grow = |v: V, by: f64| f([v[0] + by, v[1] + by, v[2] + by]);
        let mut node = AabbNode {
            min: grow(min, -0.01),
            max: grow(max, 0.01),
            left: None,
            right: None,
            face: -1,
            plane: 0,
        };
        if let [only] = range {
            node.face = only.face;
            nodes.push(node);
            continue;
        }
        let (axis, split) = divide(range, min, max);
        node.plane = 1 << axis;
        nodes.push(node);
        todo.push((start + split, end, Some((id, true))));
        todo.push((start, start + split, Some((id, false))));
    }
    AabbTree { nodes, ..AabbTree::default() }
}

fn around(boxes: impl Iterator<Item = (V, V)>) -> (V, V) {
    boxes.fold(
        ([f64::MAX; 3], [f64::MIN; 3]),
        |([ax, ay, az], [bx, by, bz]), ([cx, cy, cz], [dx, dy, dz])| {
            ([ax.min(cx), ay.min(cy), az.min(cz)], [bx.max(dx), by.max(dy), bz.max(dz)])
        },
    )
}

/// Moves the faces of the lower side to the front, and returns the axis and how many there are.
fn divide(range: &mut [Item], min: V, max: V) -> (u32, usize) {
    let size = [max[0] - min[0], max[1] - min[1], max[2] - min[2]];
    let mut axes = [0u32, 1, 2];
    let on = |v: V, axis: u32| match axis {
        0 => v[0],
        1 => v[1],
        _ => v[2],
    };
    axes.sort_by(|a, b| on(size, *b).total_cmp(&on(size, *a)));
    for axis in axes {
        let mean = range.iter().map(|i| on(i.middle, axis)).sum::<f64>() / range.len() as f64;
        range.sort_by_key(|i| on(i.middle, axis) > mean);
        let split = range.iter().take_while(|i| on(i.middle, axis) <= mean).count();
        if split > 0 && split < range.len() {
            return (axis, split);
        }
    }
    // All centers coincide: any half will do.
    let [axis, ..] = axes;
    (axis, range.len() / 2)
}

impl Mesh {
    /// Derives the box tree of a walkable mesh.
    pub fn derive_aabb(&mut self) {
        self.aabb = Some(Box::new(aabb_tree(&self.vertices.positions, &self.faces)));
    }
}
