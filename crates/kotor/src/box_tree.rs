//! Box trees over triangles in the form of the game's tools: preorder, one leaf per triangle, the left child next.

/// The distance by which the game's tools move every side of a box outwards.
pub(crate) const MARGIN: f32 = 0.01;

/// A box of a tree over triangles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TreeBox {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
    pub(crate) left: Option<u32>,
    pub(crate) right: Option<u32>,
    pub(crate) face: i32,
    pub(crate) plane: u32,
}

#[derive(Clone, Copy)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

impl Bounds {
    const EMPTY: Bounds = Bounds { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    fn grow(self, min: [f32; 3], max: [f32; 3]) -> Bounds {
        // `f32::min` and `max` ignore NaN, so that one bad corner does not spoil the box.
        let mut out = self;
        for (slot, value) in out.min.iter_mut().zip(min) {
            *slot = slot.min(value);
        }
        for (slot, value) in out.max.iter_mut().zip(max) {
            *slot = slot.max(value);
        }
        out
    }

    fn finite(self) -> Bounds {
        let fix = |v: f32| if v.is_finite() { v } else { 0.0 };
        Bounds { min: self.min.map(fix), max: self.max.map(fix) }
    }
}

/// A face without a leaf, and the leaves that may belong to it.
pub(crate) struct Unowned {
    pub(crate) face: usize,
    /// Leaves without a valid face, or with a face that another leaf has too.
    pub(crate) leaves: Vec<usize>,
}

/// Finds the one face that has no leaf, given the leaves with their faces. Returns `None` if there is no such face, or
/// if more than one leaf is wrong.
pub(crate) fn unowned(leaves: impl Iterator<Item = (usize, i32)>, faces: usize) -> Option<Unowned> {
    let mut owner: Vec<Option<usize>> = vec![None; faces];
    let (mut wrong, mut extra) = (Vec::new(), 0);
    for (leaf, face) in leaves {
        match usize::try_from(face).ok().and_then(|f| owner.get_mut(f)) {
            None => {
                wrong.push(leaf);
                extra += 1;
            }
            Some(Some(first)) => {
                wrong.extend([*first, leaf]);
                extra += 1;
            }
            Some(slot) => *slot = Some(leaf),
        }
    }
    let mut missing = owner.iter().enumerate().filter(|(_, o)| o.is_none()).map(|(face, _)| face);
    match (missing.next(), missing.next(), extra) {
        (Some(face), None, 1) => Some(Unowned { face, leaves: wrong }),
        _ => None,
    }
}

/// Builds the tree without recursion: `2n - 1` nodes for `n` faces, split along the longest side at the mean of the
/// face centres, or in halves if that split is too uneven, so that the depth stays logarithmic.
pub(crate) fn build(vertices: &[[f32; 3]], faces: &[[u32; 3]]) -> Vec<TreeBox> {
    let boxes: Vec<Bounds> = faces
        .iter()
        .map(|face| {
            let corners = face.iter().filter_map(|i| vertices.get(*i as usize));
            corners.fold(Bounds::EMPTY, |b, v| b.grow(*v, *v)).finite()
        })
        .collect();
    let Some(count) = faces.len().checked_mul(2).and_then(|n| n.checked_sub(1)) else { return Vec::new() };
    let mut nodes = vec![TreeBox::default(); count];
    let mut order: Vec<u32> = (0..faces.len() as u32).collect();
    let centre = |face: u32, axis: usize| {
        let Some(Bounds { min, max }) = boxes.get(face as usize) else { return 0.0 };
        (min.get(axis).copied().unwrap_or(0.0) + max.get(axis).copied().unwrap_or(0.0)) * 0.5
    };
    let mut todo = vec![(0usize, 0usize, faces.len())];
    while let Some((at, start, end)) = todo.pop() {
        let Some(range) = order.get_mut(start..end) else { continue };
        let bounds = range
            .iter()
            .filter_map(|f| boxes.get(*f as usize))
            .fold(Bounds::EMPTY, |b, f| b.grow(f.min, f.max))
            .finite();
        let mut node = TreeBox {
            min: bounds.min.map(|v| v - MARGIN),
            max: bounds.max.map(|v| v + MARGIN),
            face: -1,
            plane: 0,
            left: None,
            right: None,
        };
        if let [face] = *range {
            node.face = face as i32;
        } else {
            let axis = longest(&bounds);
            let middle = divide(range, |face| centre(face, axis));
            node.plane = 1 << axis;
            node.left = Some(at as u32 + 1);
            // The left subtree of m faces has 2m - 1 nodes.
            let right = at + 2 * middle;
            node.right = Some(right as u32);
            todo.push((right, start + middle, end));
            todo.push((at + 1, start, start + middle));
        }
        if let Some(slot) = nodes.get_mut(at) {
            *slot = node;
        }
    }
    nodes
}

fn longest(bounds: &Bounds) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (axis, (min, max)) in bounds.min.iter().zip(bounds.max).enumerate() {
        if max - min > best.1 {
            best = (axis, max - min);
        }
    }
    best.0
}

/// Moves the lower part to the front, otherwise keeping the order, and returns its size, which is between 1 and `n -
/// 1`.
fn divide(range: &mut [u32], centre: impl Fn(u32) -> f32) -> usize {
    let count = range.len();
    let sum: f64 = range.iter().map(|f| f64::from(centre(*f))).sum();
    let mean = (sum / count as f64) as f32;
    let (mut low, high): (Vec<u32>, Vec<u32>) = range.iter().partition(|f| centre(**f) < mean);
    let mut middle = low.len();
    low.extend(high);
    if middle.min(count - middle) * 8 < count {
        low.sort_by(|a, b| centre(*a).total_cmp(&centre(*b)).then(a.cmp(b)));
        middle = count / 2;
    }
    range.copy_from_slice(&low);
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(nodes: &[TreeBox]) -> usize {
        let (mut todo, mut deepest) = (vec![(0u32, 1usize)], 0);
        while let Some((at, depth)) = todo.pop() {
            if let Some(node) = nodes.get(at as usize) {
                deepest = deepest.max(depth);
                if node.face < 0 {
                    todo.extend(
                        [node.left, node.right].into_iter().flatten().map(|child| (child, depth + 1)),
                    );
                }
            }
        }
        deepest
    }

    #[test]
    fn a_hundred_thousand_equal_faces_stay_shallow() {
        let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let nodes = build(&vertices, &vec![[0, 1, 2]; 100_000]);
        assert_eq!(nodes.len(), 199_999);
        assert!(depth(&nodes) <= 18, "{}", depth(&nodes));
    }

    #[test]
    fn a_geometric_series_of_faces_stays_shallow() {
        let mut vertices = Vec::new();
        let mut faces = Vec::new();
        for i in 0..4000u32 {
            let x = 1.02f32.powi(i as i32 - 2000);
            vertices.extend([[x, 0.0, 0.0], [x * 1.01, 0.0, 0.0], [x, 0.1, 0.0]]);
            faces.push([3 * i, 3 * i + 1, 3 * i + 2]);
        }
        assert!(depth(&build(&vertices, &faces)) <= 40);
    }

    #[test]
    fn nan_and_infinite_corners_still_make_a_finite_tree() {
        let vertices = vec![[f32::NAN; 3], [f32::INFINITY, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let nodes = build(&vertices, &[[0, 1, 2]; 9]);
        assert_eq!(nodes.len(), 17);
        assert!(nodes.iter().all(|n| n.min.iter().chain(&n.max).all(|v| v.is_finite())));
    }

    #[test]
    fn no_faces_make_no_tree() {
        assert!(build(&[], &[]).is_empty());
    }
}
