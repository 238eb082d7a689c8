//! Rows of vertices: reading one, comparing two, and writing one, whatever columns there are.

use crate::{NodeId, Skin, Vertices};

/// One vertex of an edited mesh: the columns that every program carries.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Row {
    pub(super) position: [f32; 3],
    pub(super) normal: Option<[f32; 3]>,
    pub(super) uvs: Vec<[f32; 2]>,
    pub(super) colors: Vec<[f32; 4]>,
    /// Nodes of the result and their weights, the largest first; none without a skin.
    pub(super) weights: Vec<(NodeId, f32)>,
}

impl Row {
    /// Returns a vertex. `node_of` gives the node of a joint in the result.
    pub(super) fn of(vertices: &Vertices, at: usize, node_of: &dyn Fn(u16) -> Option<NodeId>) -> Row {
        let mut weights: Vec<(NodeId, f32)> = Vec::new();
        for (joint, weight) in vertices.influences.of(at).filter(|(_, w)| *w > 0.0) {
            let Some(node) = node_of(joint) else { continue };
            match weights.iter_mut().find(|(n, _)| *n == node) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((node, weight)),
            }
        }
        weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Row {
            position: vertices.positions.get(at).copied().unwrap_or_default(),
            normal: vertices.normals.get(at).copied(),
            uvs: vertices.uvs.iter().filter_map(|set| set.get(at).copied()).collect(),
            colors: vertices.colors.iter().filter_map(|set| set.get(at).copied()).collect(),
            weights,
        }
    }
}

/// How much a program may change weights by itself.
const WEIGHT: f32 = 2.5 / 255.0;

/// Returns `true` if weights are equal but for rounding. Programs keep four joints per vertex by default.
pub(super) fn same_weights(a: &[(NodeId, f32)], b: &[(NodeId, f32)]) -> bool {
    let near = |a: &[(NodeId, f32)], b: &[(NodeId, f32)]| {
        let sum = |list: &[(NodeId, f32)]| list.iter().map(|(_, w)| w).sum::<f32>().max(1e-9);
        let (all_a, all_b) = (sum(a), sum(b));
        let of = |list: &[(NodeId, f32)], node, all| {
            list.iter().find(|(n, _)| *n == node).map_or(0.0, |(_, w)| *w) / all
        };
        let mut nodes = a.iter().chain(b).map(|(n, _)| *n);
        nodes.all(|n| (of(a, n, all_a) - of(b, n, all_b)).abs() <= WEIGHT)
    };
    near(a, b) || a.len() > b.len() && near(a.get(..b.len()).unwrap_or(a), b)
}

/// Returns `true` if two normals point in the same direction; one without length points nowhere in particular.
pub(super) fn same_normal(a: [f32; 3], b: [f32; 3]) -> bool {
    let (a, b) = (glam::Vec3::from(a), glam::Vec3::from(b));
    let (a, b) = (a.normalize_or_zero(), b.normalize_or_zero());
    a == glam::Vec3::ZERO || b == glam::Vec3::ZERO || a.dot(b) > 0.9985
}

/// Returns `true` if texture coordinates are equal but for rounding.
pub(super) fn same_uv(a: [f32; 2], b: [f32; 2]) -> bool {
    a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 2e-5 * a.abs().max(1.0) || a.to_bits() == b.to_bits())
}

/// Returns `true` if two colours are equal but for rounding.
pub(super) fn same_color(a: [f32; 4], b: [f32; 4]) -> bool {
    a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1.5 / 255.0)
}

/// What an edit changes in a row: only that is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Edit {
    pub(super) position: Option<[f32; 3]>,
    pub(super) normal: Option<[f32; 3]>,
    pub(super) uvs: Vec<Option<[f32; 2]>>,
    pub(super) colors: Vec<Option<[f32; 4]>>,
    pub(super) weights: Option<Vec<(NodeId, f32)>>,
}

impl Edit {
    pub(super) fn is_none(&self) -> bool {
        *self == Edit::default()
    }

    /// Returns what leads from one row to another, beyond rounding. Sets of coordinates and colours that only the first has
    /// were not exported.
    pub(super) fn between(was: &Row, is: &Row, moved: bool, shaded: bool) -> Edit {
        let mut edit = Edit::default();
        if moved {
            edit.position = Some(is.position);
        }
        if let (Some(a), Some(b)) = (was.normal, is.normal)
            && shaded
            && !same_normal(a, b)
        {
            edit.normal = Some(b);
        }
        for (set, (a, b)) in was.uvs.iter().zip(&is.uvs).enumerate() {
            if !same_uv(*a, *b) {
                edit.uvs.resize(set, None);
                edit.uvs.push(Some(*b));
            }
        }
        for (set, (a, b)) in was.colors.iter().zip(&is.colors).enumerate() {
            if !same_color(*a, *b) {
                edit.colors.resize(set, None);
                edit.colors.push(Some(*b));
            }
        }
        if !is.weights.is_empty() && !was.weights.is_empty() && !same_weights(&was.weights, &is.weights) {
            edit.weights = Some(is.weights.clone());
        }
        edit
    }

    /// Returns an edit that sets every column.
    pub(super) fn whole(row: &Row) -> Edit {
        Edit {
            position: Some(row.position),
            normal: row.normal,
            uvs: row.uvs.iter().copied().map(Some).collect(),
            colors: row.colors.iter().copied().map(Some).collect(),
            weights: (!row.weights.is_empty()).then(|| row.weights.clone()),
        }
    }

    /// Writes the edit into a row. `joint_of` gives the joint of a node.
    pub(super) fn apply(
        &self,
        vertices: &mut Vertices,
        at: usize,
        joint_of: &mut dyn FnMut(NodeId) -> Option<u16>,
    ) {
        fn set<T: Copy>(column: &mut [T], at: usize, value: Option<T>) {
            if let (Some(slot), Some(value)) = (column.get_mut(at), value) {
                *slot = value;
            }
        }
        set(&mut vertices.positions, at, self.position);
        set(&mut vertices.normals, at, self.normal);
        vertices.uvs.iter_mut().zip(&self.uvs).for_each(|(column, value)| set(column, at, *value));
        vertices.colors.iter_mut().zip(&self.colors).for_each(|(column, value)| set(column, at, *value));
        let Some(weights) = &self.weights else { return };
        let weights: Vec<(u16, f32)> =
            weights.iter().filter_map(|(node, weight)| Some((joint_of(*node)?, *weight))).collect();
        widen(vertices, weights.len());
        let width = vertices.influences.width;
        let sum: f32 = weights.iter().map(|(_, w)| w).sum();
        let from = at * width;
        for i in 0..width {
            let (joint, weight) = weights.get(i).copied().unwrap_or_default();
            set(&mut vertices.influences.joints, from + i, Some(joint));
            set(&mut vertices.influences.weights, from + i, Some(weight / sum.max(1e-9)));
        }
    }
}

/// Makes room for so many joints per vertex.
fn widen(vertices: &mut Vertices, width: usize) {
    let old = vertices.influences.width;
    if width <= old {
        return;
    }
    let count = vertices.positions.len();
    let (mut joints, mut weights) = (vec![0; count * width], vec![0.0; count * width]);
    for row in 0..count {
        for (i, (joint, weight)) in vertices.influences.of(row).enumerate() {
            joints.get_mut(row * width + i).into_iter().for_each(|slot| *slot = joint);
            weights.get_mut(row * width + i).into_iter().for_each(|slot| *slot = weight);
        }
    }
    vertices.influences.width = width;
    (vertices.influences.joints, vertices.influences.weights) = (joints, weights);
}

/// Returns the joint of a skin for a node; one that is missing is added with this bind.
pub(super) fn joint_of(skin: &mut Skin, node: NodeId, bind: impl FnOnce() -> [f32; 16]) -> Option<u16> {
    if let Some(at) = skin.joints.iter().position(|j| *j == node) {
        return u16::try_from(at).ok();
    }
    let at = u16::try_from(skin.joints.len()).ok()?;
    let known = skin.joints.len();
    skin.inverse_bind.resize(known, glam::Mat4::IDENTITY.to_cols_array());
    skin.joints.push(node);
    skin.inverse_bind.push(bind());
    Some(at)
}
