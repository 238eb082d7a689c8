//! Splitting meshes, for formats that limit the materials, vertices, triangles and joints of a mesh.

use std::collections::{HashMap, HashSet};

use galatea_wire::Loss;
use glam::Vec3;

use crate::{Attribute, Influences, Mesh, Node, NodeId, Primitive, Purpose, Scene, Skin, Topology, Vertices};

/// The limits of one mesh in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Vertices.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Joints of its skin.
    pub joints: usize,
    /// Joints per vertex; the strongest are kept.
    pub influences: usize,
}

impl Scene {
    /// Gives every rendered primitive a mesh of its own, and splits those beyond the limits: the first piece stays at its node,
    /// the others become its children `NAME_2` and so on. Skins keep only joints that are used. Returns what was lost.
    ///
    /// ```
    /// use galatea_scene::{Purpose, Room, Tolerance, example};
    /// let scene = example();
    /// let mut pieces = scene.clone();
    /// pieces.split(&Room { vertices: 6, triangles: 1, joints: 4, influences: 4 });
    /// assert!(pieces.nodes.len() > scene.nodes.len());
    /// assert!(pieces.drawn().all(|(_, _, m)| m.primitives.len() == 1 || m.purpose == Purpose::Walk));
    /// assert!(scene.looks_like(&pieces, &Tolerance::default()).is_empty());
    /// ```
    pub fn split(&mut self, room: &Room) -> Vec<Loss> {
        let mut losses = Vec::new();
        let mut names: HashSet<String> = self.nodes.iter().map(|n| n.name.clone()).collect();
        for id in 0..self.nodes.len() {
            let Some(node) = self.nodes.get(id).filter(|n| n.mesh.is_some()) else { continue };
            let (name, skin) = (node.name.clone(), node.skin);
            let Some(mesh) = node.mesh.and_then(|m| self.meshes.get(m as usize)).cloned() else { continue };
            if !matches!(mesh.purpose, Purpose::Render | Purpose::Hidden) {
                continue;
            }
            let skin = skin.and_then(|s| self.skins.get(s as usize)).cloned();
            let mut parts = Vec::new();
            let mut other = false;
            let mut cut = 0;
            for primitive in &mesh.primitives {
                if primitive.topology != Topology::Triangles {
                    other = true;
                } else if let Some(vertices) = self.vertices_of(primitive) {
                    let joints = skin.as_ref().filter(|_| !vertices.influences.is_empty());
                    parts.extend(pieces(primitive, vertices, joints, room, &mut cut));
                }
            }
            if other {
                losses.push(Loss::new(format!("mesh {name:?}"), "lines and points"));
            }
            if let Some(node) = self.nodes.get_mut(id).filter(|_| other && parts.is_empty()) {
                (node.mesh, node.skin) = (None, None);
            }
            if cut > 0 {
                let most = room.influences;
                losses.push(Loss::new(
                    format!("mesh {name:?}"),
                    format!("bones beyond the strongest {most} on {cut} vertices"),
                ));
            }
            for (n, (vertices, primitive, skin)) in parts.into_iter().enumerate() {
                let at = if n == 0 { id } else { self.add_part(id as NodeId, &name, n + 1, &mut names) };
                let primitive = Primitive { vertices: self.vertices.len() as u32, ..primitive };
                self.vertices.push(vertices);
                self.meshes.push(Mesh { primitives: vec![primitive], ..mesh.clone() });
                let skin = skin.map(|skin| {
                    self.skins.push(skin);
                    self.skins.len() as u32 - 1
                });
                let mesh = self.meshes.len() as u32 - 1;
                if let Some(node) = self.nodes.get_mut(at) {
                    (node.mesh, node.skin) = (Some(mesh), skin);
                }
            }
        }
        losses
    }

    fn add_part(&mut self, above: NodeId, name: &str, number: usize, names: &mut HashSet<String>) -> usize {
        let base = self.node(above);
        let (tint, visible) = base.map_or(([1.0; 4], true), |n| (n.tint, n.visible));
        let mut unique = format!("{name}_{number}");
        while !names.insert(unique.clone()) {
            unique.push('_');
        }
        self.add_node(Some(above), Node { tint, visible, ..Node::new(&unique) }) as usize
    }
}

/// A piece of a primitive while it grows.
#[derive(Default)]
struct Part {
    places: HashMap<u32, u32>,
    order: Vec<u32>,
    joints: Vec<u16>,
    indices: Vec<u32>,
}

impl Part {
    /// Returns the number of joints that a triangle adds; `None` if it does not fit.
    fn room_for(&self, corners: &[u32; 3], joints: &[u16], room: &Room) -> Option<usize> {
        let new = corners.iter().filter(|c| !self.places.contains_key(c)).count();
        let more = joints.iter().filter(|j| !self.joints.contains(j)).count();
        let fits = self.order.len() + new <= room.vertices
            && self.indices.len() / 3 < room.triangles
            && self.joints.len() + more <= room.joints;
        fits.then_some(more)
    }

    fn add(&mut self, corners: &[u32; 3], joints: &[u16]) {
        for corner in corners {
            let next = self.order.len() as u32;
            let place = *self.places.entry(*corner).or_insert(next);
            if place == next {
                self.order.push(*corner);
            }
            self.indices.push(place);
        }
        for joint in joints {
            if !self.joints.contains(joint) {
                self.joints.push(*joint);
            }
        }
    }
}

/// Returns the strongest joints of each vertex, and counts vertices that had more.
fn strongest(from: &Influences, count: usize, most: usize, cut: &mut usize) -> Influences {
    let width = from.width.min(most);
    let mut out = Influences { width, joints: Vec::new(), weights: Vec::new() };
    for vertex in 0..count {
        let mut row: Vec<(u16, f32)> = Vec::with_capacity(from.width);
        for (joint, weight) in from.of(vertex).filter(|(_, w)| *w > 0.0 && w.is_finite()) {
            match row.iter_mut().find(|(j, _)| *j == joint) {
                Some((_, sum)) => *sum += weight,
                None => row.push((joint, weight)),
            }
        }
        if row.len() > width {
            *cut += 1;
            row.sort_by(|a, b| b.1.total_cmp(&a.1));
            row.truncate(width);
            let sum: f32 = row.iter().map(|(_, w)| w).sum();
            row.iter_mut().for_each(|(_, w)| *w /= sum);
        }
        row.resize(width, (0, 0.0));
        out.joints.extend(row.iter().map(|(j, _)| *j));
        out.weights.extend(row.iter().map(|(_, w)| *w));
    }
    out
}

fn pieces(
    primitive: &Primitive,
    vertices: &Vertices,
    skin: Option<&Skin>,
    room: &Room,
    cut: &mut usize,
) -> Vec<(Vertices, Primitive, Option<Skin>)> {
    let count = vertices.positions.len();
    let influences = match skin {
        Some(_) => strongest(&vertices.influences, count, room.influences, cut),
        None => Influences::default(),
    };
    let mut parts: Vec<Part> = Vec::new();
    let mut joints: Vec<u16> = Vec::new();
    for corners in primitive.triangles(count) {
        joints.clear();
        for (joint, weight) in corners.iter().flat_map(|c| influences.of(*c as usize)) {
            if weight > 0.0 && !joints.contains(&joint) {
                joints.push(joint);
            }
        }
        let open =
            parts.iter().enumerate().filter_map(|(i, p)| Some((p.room_for(&corners, &joints, room)?, i)));
        match open.min().and_then(|(_, i)| parts.get_mut(i)) {
            Some(part) => part.add(&corners, &joints),
            None => {
                let mut part = Part::default();
                part.add(&corners, &joints);
                parts.push(part);
            }
        }
    }
    let finish = |part: Part| {
        let picked = pick_vertices(vertices, &influences, &part);
        let own = Primitive { indices: part.indices, extras: crate::Extras::new(), ..primitive.clone() };
        let skin = skin.map(|skin| Skin {
            name: skin.name.clone(),
            joints: part.joints.iter().filter_map(|j| skin.joints.get(usize::from(*j)).copied()).collect(),
            inverse_bind: part.joints.iter().map(|j| skin.bind(usize::from(*j)).to_cols_array()).collect(),
            extras: crate::Extras::new(),
        });
        (picked, own, skin)
    };
    parts.into_iter().map(finish).collect()
}

fn pick<T: Copy>(from: &[T], order: &[u32]) -> Vec<T> {
    let all = order.iter().filter_map(|i| from.get(*i as usize).copied());
    if from.is_empty() { Vec::new() } else { all.collect() }
}

fn pick_vertices(from: &Vertices, influences: &Influences, part: &Part) -> Vertices {
    let order = &part.order;
    let mut out = Vertices {
        positions: pick(&from.positions, order),
        normals: pick(&from.normals, order),
        tangents: pick(&from.tangents, order),
        uvs: from.uvs.iter().map(|set| pick(set, order)).collect(),
        colors: from.colors.iter().map(|set| pick(set, order)).collect(),
        influences: Influences { width: influences.width, ..Influences::default() },
        attributes: Vec::new(),
        extras: crate::Extras::new(),
    };
    for attribute in &from.attributes {
        let rows = attribute.values.chunks_exact(attribute.width.max(1)).collect::<Vec<_>>();
        let values = order.iter().filter_map(|i| rows.get(*i as usize)).flat_map(|r| r.iter().copied());
        out.attributes.push(Attribute { values: values.collect(), ..attribute.clone() });
    }
    for vertex in order {
        for (joint, weight) in influences.of(*vertex as usize) {
            let place = part.joints.iter().position(|j| *j == joint).filter(|_| weight > 0.0);
            out.influences.joints.push(place.unwrap_or(0) as u16);
            out.influences.weights.push(if place.is_some() { weight } else { 0.0 });
        }
    }
    out
}

/// Returns normals of unit length, smooth over vertices with equal positions. Faces are weighted by area and face the viewer
/// if they are counter-clockwise.
///
/// ```
/// let positions = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
/// assert_eq!(galatea_scene::smooth_normals(&positions, &[[0, 1, 2]]), [[0.0, 1.0, 0.0]; 3]);
/// ```
pub fn smooth_normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let key = |p: &[f32; 3]| p.map(|c| (c + 0.0).to_bits());
    let at = |i: u32| positions.get(i as usize).map(|p| Vec3::from(*p));
    let mut sums: HashMap<[u32; 3], Vec3> = HashMap::new();
    for [a, b, c] in triangles {
        let (Some(a), Some(b), Some(c)) = (at(*a), at(*b), at(*c)) else { continue };
        let across = (b - a).cross(c - a);
        for corner in [a, b, c] {
            *sums.entry(key(&corner.into())).or_default() += across;
        }
    }
    let unit = |v: Vec3| if v.is_finite() { v.try_normalize().unwrap_or(Vec3::Y) } else { Vec3::Y };
    positions.iter().map(|p| unit(sums.get(&key(p)).copied().unwrap_or(Vec3::Y)).into()).collect()
}
