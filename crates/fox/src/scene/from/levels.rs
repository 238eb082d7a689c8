//! Levels of detail that share their vertices again.
//!
//! In the format all levels of a mesh share one list of vertices. Editing programs give each level its own copy, without the
//! vertices that only other levels use, and with normals that differ in the last digits. Vertices of lower levels that are
//! equal to one of a level above become that vertex again.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use galatea_scene::{Node, NodeId, Scene, Topology, Vertices, VerticesId};

use crate::scene::extra::{index, own};

/// How far numbers of two copies of a vertex may be apart: Blender stores normals relative to the faces around them, and
/// programs round weights to bytes. A normal must not turn by more than an edit of it would.
const NORMAL: f32 = 0.02;
const UV: f32 = 1e-4;
const WEIGHT: f32 = 6e-3;

/// Most vertices at one place that are compared: beyond any model, and linear work for hostile ones.
const TWINS: usize = 256;

/// The node of each level.
type Levels = BTreeMap<u32, NodeId>;

/// Returns the scene with shared vertices for the levels of each mesh that was one of ours.
pub(super) fn share_levels(scene: &Scene) -> Cow<'_, Scene> {
    let mut groups: BTreeMap<Copy, Levels> = BTreeMap::new();
    for id in scene.depth_first() {
        if let Some((copy, level)) = scene.node(id).and_then(|node| copy_of(scene, node)) {
            groups.entry(copy).or_default().entry(level).or_insert(id);
        }
    }
    let mut out = Cow::Borrowed(scene);
    for levels in groups.into_values().filter(|levels| levels.len() > 1) {
        if !can_share(scene, &levels) {
            continue;
        }
        share(scene, &levels, out.to_mut());
    }
    out
}

/// A mesh of ours, or a copy that an editor made of it, distinguished by what follows the number in the names of its nodes.
pub(super) type Copy = (usize, String);

/// Returns the mesh that a node is a level of, and the level.
pub(super) fn copy_of(scene: &Scene, node: &Node) -> Option<(Copy, u32)> {
    let mesh = scene.meshes.get(node.mesh? as usize)?;
    let was = index(own(&node.extras), "mesh")?;
    let level = mesh.lod.unwrap_or(0);
    // `mesh_3`, `mesh_3_lod1`; copies are `mesh_3.001`, `mesh_3_lod1.001`.
    let (_, suffix) = node.name.rsplit_once('.').unwrap_or(("", ""));
    let copied = !suffix.is_empty() && suffix.bytes().all(|b| b.is_ascii_digit());
    Some(((was, if copied { suffix.to_owned() } else { String::new() }), level))
}

/// Returns what a name of another program says of the level: `wall_lod1`, `wall_LOD2.001`.
fn spelled_level(name: &str) -> Option<(String, u32)> {
    let copy = name.rsplit_once('.').filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let (plain, suffix) = copy.unwrap_or((name, ""));
    let at = plain.to_ascii_lowercase().rfind("_lod")?;
    let level = plain.get(at + 4..)?.parse().ok()?;
    let base = plain.get(..at)?;
    Some((if suffix.is_empty() { base.to_owned() } else { format!("{base}.{suffix}") }, level))
}

/// Returns the level of a node's mesh that is none of ours, by the scene's word or by its name.
pub(super) fn level_of(scene: &Scene, node: &Node) -> Option<u32> {
    let mesh = scene.meshes.get(node.mesh? as usize)?;
    mesh.lod.or_else(|| spelled_level(&node.name).or_else(|| spelled_level(&mesh.name)).map(|(_, l)| l))
}

/// Returns the name of a node without what it says of the level.
pub(super) fn base_name(scene: &Scene, id: NodeId) -> String {
    let Some(node) = scene.node(id) else { return String::new() };
    match spelled_level(&node.name).filter(|_| node.mesh.is_some()) {
        Some((base, _)) => base,
        None => node.name.clone(),
    }
}

/// Where levels of new meshes may be: parent, name, and number of the part.
type Place = (Option<NodeId>, String, usize);

/// Levels of new meshes, and of copies that cannot be distinguished otherwise. Of those at one place, the first of a level belongs
/// to the first mesh that has none, and so on.
#[derive(Default)]
pub(super) struct NewLevels {
    meshes: HashMap<Place, Vec<usize>>,
    /// Which mesh of a place the next one of a level is looked for from.
    next: HashMap<(Place, u32), usize>,
}

impl NewLevels {
    /// Returns the first mesh at a place that is free for a level. Those passed by are never looked at again.
    pub(super) fn room(&mut self, place: &Place, level: u32, free: impl Fn(usize) -> bool) -> Option<usize> {
        let meshes = self.meshes.get(place)?;
        let next = self.next.entry((place.clone(), level)).or_default();
        while let Some(mesh) = meshes.get(*next) {
            *next += 1;
            if free(*mesh) {
                return Some(*mesh);
            }
        }
        None
    }

    pub(super) fn add(&mut self, place: Place, mesh: usize) {
        self.meshes.entry(place).or_default().push(mesh);
    }
}

/// The names of meshes that are the finest level at their place.
pub(super) struct Finest(HashSet<(Option<NodeId>, String)>);

impl Finest {
    pub(super) fn of(scene: &Scene) -> Finest {
        let finest = scene.drawn().filter(|(_, node, _)| level_of(scene, node).unwrap_or(0) == 0);
        Finest(finest.map(|(id, node, _)| (node.parent, base_name(scene, id))).collect())
    }

    /// Returns `true` for a lower level of one of them.
    pub(super) fn has_below(&self, scene: &Scene, id: NodeId) -> bool {
        let lower = scene.node(id).filter(|n| level_of(scene, n).is_some_and(|level| level > 0));
        lower.is_some_and(|n| self.0.contains(&(n.parent, base_name(scene, id))))
    }
}

/// Returns `true` if the levels have different vertices of the same kind, in the same place.
fn can_share(scene: &Scene, levels: &Levels) -> bool {
    let mut seen = HashSet::new();
    let mut first: Option<(&Node, &Vertices)> = None;
    for id in levels.values() {
        let Some(node) = scene.node(*id) else { return false };
        let mesh = node.mesh.and_then(|m| scene.meshes.get(m as usize));
        let Some([primitive]) = mesh.map(|m| m.primitives.as_slice()) else { return false };
        let Some(vertices) = scene.vertices_of(primitive) else { return false };
        if primitive.topology != Topology::Triangles || vertices.positions.is_empty() {
            return false;
        }
        seen.insert(primitive.vertices);
        match first {
            None => first = Some((node, vertices)),
            Some((node0, vertices0)) => {
                let placed = node.skin == node0.skin
                    && node.parent == node0.parent
                    && (node.skin.is_some() || node.transform == node0.transform);
                if !placed || !same_columns(vertices, vertices0) {
                    return false;
                }
            }
        }
    }
    seen.len() > 1
}

fn same_columns(a: &Vertices, b: &Vertices) -> bool {
    let shape = |v: &Vertices| {
        let count = v.positions.len();
        let whole = v.normals.len() == count
            && v.uvs.iter().all(|u| u.len() == count)
            && v.colors.iter().all(|c| c.len() == count)
            && (v.tangents.is_empty() || v.tangents.len() == count)
            && v.influences.weights.len() == count * v.influences.width
            && v.influences.joints.len() == v.influences.weights.len()
            && v.attributes.iter().all(|a| a.values.len() == count * a.width);
        let attributes: Vec<_> = v.attributes.iter().map(|a| (a.name.clone(), a.width)).collect();
        (whole, v.uvs.len(), v.colors.len(), v.tangents.is_empty(), v.influences.width == 0, attributes)
    };
    let (a, b) = (shape(a), shape(b));
    a.0 && a == b
}

/// Gives all levels the vertices of the first one, with those after them that only lower levels have.
fn share(scene: &Scene, levels: &Levels, out: &mut Scene) {
    let mut all = Vertices::default();
    let mut at: HashMap<[u32; 3], Vec<u32>> = HashMap::new();
    let id = out.vertices.len() as VerticesId;
    for (n, node) in levels.values().enumerate() {
        let Some(mesh) = scene.node(*node).and_then(|n| n.mesh) else { continue };
        let part = scene.meshes.get(mesh as usize).and_then(|m| m.primitives.first());
        let Some((part, from)) = part.and_then(|p| Some((p, scene.vertices_of(p)?))) else { continue };
        let mut taken: HashSet<u32> = HashSet::new();
        let mut map = Vec::with_capacity(from.positions.len());
        if n == 0 {
            all = from.clone();
            for (v, position) in from.positions.iter().enumerate() {
                at.entry(position.map(f32::to_bits)).or_default().push(v as u32);
            }
            map.extend(0..from.positions.len() as u32);
        } else {
            widen(&mut all, from.influences.width);
            for (v, position) in from.positions.iter().enumerate() {
                let twins = at.entry(position.map(f32::to_bits)).or_default();
                let free = twins.iter().copied().take(TWINS).filter(|t| !taken.contains(t));
                let near = free.filter_map(|t| Some((apart(&all, t as usize, from, v)?, t)));
                let target = match near.min_by(|a, b| a.0.total_cmp(&b.0)) {
                    Some((_, twin)) => twin,
                    None => {
                        let new = all.positions.len() as u32;
                        append(&mut all, from, v);
                        twins.push(new);
                        new
                    }
                };
                taken.insert(target);
                map.push(target);
            }
        }
        let new = out.meshes.get_mut(mesh as usize).and_then(|m| m.primitives.first_mut());
        if let Some(new) = new.filter(|new| new.vertices == part.vertices) {
            new.vertices = id;
            new.indices.iter_mut().for_each(|i| *i = map.get(*i as usize).copied().unwrap_or(*i));
        }
    }
    out.vertices.push(all);
}

/// Returns `false` for what is not a number, too.
fn within(value: f32, most: f32) -> bool {
    value <= most
}

/// Returns how far two vertices at one place are apart; `None` if they are not the same vertex.
fn apart(a: &Vertices, i: usize, b: &Vertices, j: usize) -> Option<f32> {
    let far = |a: &[f32], b: &[f32]| a.iter().zip(b).fold(0.0f32, |m, (a, b)| m.max((a - b).abs()));
    let normal = far(a.normals.get(i)?, b.normals.get(j)?);
    if !within(normal, NORMAL) {
        return None;
    }
    for (a, b) in a.uvs.iter().zip(&b.uvs) {
        let (a, b) = (a.get(i)?, b.get(j)?);
        let size = a.iter().fold(1.0f32, |m, c| m.max(c.abs()));
        if !within(far(a, b), UV * size) {
            return None;
        }
    }
    for (a, b) in a.colors.iter().zip(&b.colors) {
        if !within(far(a.get(i)?, b.get(j)?), WEIGHT) {
            return None;
        }
    }
    for (a, b) in a.attributes.iter().zip(&b.attributes) {
        let rows = (a.values.get(i * a.width..)?, b.values.get(j * b.width..)?);
        if !within(far(rows.0.get(..a.width)?, rows.1.get(..b.width)?), WEIGHT) {
            return None;
        }
    }
    let weight = |v: &Vertices, at: usize, joint: u16| -> f32 {
        v.influences.of(at).filter(|(j, _)| *j == joint).map(|(_, w)| w).sum()
    };
    let joints = a.influences.of(i).chain(b.influences.of(j)).filter(|(_, w)| *w > 0.0);
    for (joint, _) in joints {
        if !within((weight(a, i, joint) - weight(b, j, joint)).abs(), WEIGHT) {
            return None;
        }
    }
    // Vertices that differ only in their tangents are there on mirrored textures.
    let tangent = a.tangents.get(i).zip(b.tangents.get(j)).map_or(0.0, |(a, b)| far(a, b));
    Some(normal + tangent)
}

/// Makes room for more influences per vertex.
fn widen(all: &mut Vertices, width: usize) {
    let was = all.influences.width;
    if was == 0 || was >= width {
        return;
    }
    let rows = all.influences.weights.len() / was;
    let (mut joints, mut weights) = (Vec::with_capacity(rows * width), Vec::with_capacity(rows * width));
    for row in 0..rows {
        joints.extend(all.influences.of(row).map(|(j, _)| j));
        weights.extend(all.influences.of(row).map(|(_, w)| w));
        joints.resize((row + 1) * width, 0);
        weights.resize((row + 1) * width, 0.0);
    }
    all.influences = galatea_scene::Influences { width, joints, weights };
}

/// Adds a vertex of another list with the same columns.
fn append(all: &mut Vertices, from: &Vertices, v: usize) {
    all.positions.extend(from.positions.get(v));
    all.normals.extend(from.normals.get(v));
    all.tangents.extend(from.tangents.get(v));
    for (a, b) in all.uvs.iter_mut().zip(&from.uvs) {
        a.extend(b.get(v));
    }
    for (a, b) in all.colors.iter_mut().zip(&from.colors) {
        a.extend(b.get(v));
    }
    for (a, b) in all.attributes.iter_mut().zip(&from.attributes) {
        a.values.extend(b.values.get(v * b.width..).unwrap_or(&[]).iter().take(b.width));
    }
    let width = all.influences.width;
    let end = all.influences.joints.len() + width;
    all.influences.joints.extend(from.influences.of(v).map(|(j, _)| j));
    all.influences.weights.extend(from.influences.of(v).map(|(_, w)| w));
    all.influences.joints.resize(end, 0);
    all.influences.weights.resize(end, 0.0);
}
