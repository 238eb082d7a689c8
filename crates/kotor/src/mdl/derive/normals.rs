//! Vertex normals, and smoothing groups recovered from them.

use std::collections::HashMap;

use super::super::{Face, Mesh};
use super::bounds::{corners, face_area};
use super::faces::{adjacency, face_normal, weld};
use super::vector::{V, add, angle, dot, f, normalize, scale, sub, v};

/// How faces are weighted in the normal of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Weighting {
    /// Whether faces are weighted by area.
    pub area: bool,
    /// Whether faces are weighted by their angle at the vertex.
    pub angle: bool,
    /// Faces at a greater angle than this, in degrees, are not smoothed, whatever their groups.
    pub crease: Option<f32>,
}

galatea_wire::setters! {
    Weighting {
        with_area: area: bool,
        with_angle: angle: bool,
        with_crease: crease: Option<f32>,
    }
}

/// The most kinds of faces at one position that are distinguished; no real mesh has nearly as many.
const KINDS: usize = 256;

/// Faces at one position that are smooth with the same others: of the same groups and, with a crease angle, direction.
struct Kind {
    groups: u32,
    normal: V,
    /// The weighted sum of their normals.
    sum: V,
}

/// Returns the normal of every vertex; (0, 0, 0) for a vertex of no face.
///
/// A face contributes to a vertex if one of its corners is at the vertex's position and it is smooth with a face that
/// uses the vertex: by smoothing groups (one mask of bits per face; a shared bit means smooth) or, without groups, by
/// sharing the vertex.
///
/// The work is linear in the number of faces, however many meet at one position. If more than 256 kinds of faces do,
/// the remaining ones contribute only to the vertices they use.
pub fn vertex_normals(
    positions: &[[f32; 3]],
    faces: &[Face],
    groups: Option<&[u32]>,
    weighting: Weighting,
) -> Vec<[f32; 3]> {
    let crease = weighting.crease.map(|degrees| f64::from(degrees).to_radians().cos());
    let mesh = Corners { positions, faces, groups, weighting };
    let mut all = mesh.sorted();
    let mut normals = vec![[0.0; 3]; positions.len()];
    let mut own_normals: Vec<V> = Vec::new();
    for here in all.chunk_by_mut(|a, b| a.place == b.place) {
        let kinds = mesh.kinds(here);
        for own in here.chunk_by(|a, b| a.vertex == b.vertex) {
            // Corners without a kind contribute to their own vertex only.
            let alone = own.iter().filter(|corner| !corner.counted);
            let mut sum = alone.fold([0.0; 3], |sum, corner| add(sum, mesh.part(corner)));
            let groups = own.iter().fold(0, |all, corner| all | mesh.groups(corner));
            own_normals.clear();
            own_normals.extend(own.iter().filter(|_| crease.is_some()).map(|corner| mesh.normal(corner)));
            let near = |kind: &Kind| {
                crease.is_none_or(|least| own_normals.iter().any(|own| dot(*own, kind.normal) >= least))
            };
            for kind in kinds.iter().filter(|kind| kind.groups & groups != 0 && near(kind)) {
                sum = add(sum, kind.sum);
            }
            if let Some(corner) = own.first()
                && let Some(normal) = normals.get_mut(usize::from(corner.vertex))
            {
                *normal = f(normalize(sum));
            }
        }
    }
    normals
}

/// A corner of a face.
struct Corner {
    /// Number of its position.
    place: u32,
    face: u32,
    vertex: u16,
    /// Index of the corner in the face.
    index: u8,
    /// Whether it belongs to a kind. Faces without groups are not smooth with others and have none.
    counted: bool,
}

/// The corners of the faces of a mesh.
struct Corners<'a> {
    positions: &'a [[f32; 3]],
    faces: &'a [Face],
    groups: Option<&'a [u32]>,
    weighting: Weighting,
}

impl Corners<'_> {
    /// Returns all corners of faces with existing vertices, sorted by position and vertex.
    fn sorted(&self) -> Vec<Corner> {
        let welded = weld(self.positions);
        let mut all = Vec::with_capacity(self.faces.len() * 3);
        for (face, id) in self.faces.iter().zip(0..) {
            if corners(self.positions, face).is_none() {
                continue;
            }
            for (vertex, index) in face.vertices.into_iter().zip(0..) {
                let place = welded.get(usize::from(vertex)).copied().unwrap_or(0);
                all.push(Corner { place, face: id, vertex, index, counted: false });
            }
        }
        all.sort_unstable_by_key(|corner| (corner.place, corner.vertex, corner.face, corner.index));
        all
    }

    fn points(&self, corner: &Corner) -> [V; 3] {
        let face = self.faces.get(corner.face as usize);
        face.and_then(|face| corners(self.positions, face)).unwrap_or_default()
    }

    fn groups(&self, corner: &Corner) -> u32 {
        self.groups.and_then(|groups| groups.get(corner.face as usize)).copied().unwrap_or(0)
    }

    fn normal(&self, corner: &Corner) -> V {
        face_normal(self.points(corner))
    }

    /// Returns the normal of the face, weighted for this corner.
    fn part(&self, corner: &Corner) -> V {
        let points = self.points(corner);
        scale(face_normal(points), weight(points, corner.index, self.weighting))
    }

    /// Returns the kinds of faces at one position.
    fn kinds(&self, here: &mut [Corner]) -> Vec<Kind> {
        let directed = self.weighting.crease.is_some();
        let mut kinds: Vec<Kind> = Vec::new();
        for corner in here {
            let groups = self.groups(corner);
            if groups == 0 {
                continue;
            }
            let (normal, part) = (self.normal(corner), self.part(corner));
            let same = |kind: &Kind| kind.groups == groups && (!directed || kind.normal == normal);
            let known = kinds.iter().position(same);
            corner.counted = known.is_some() || kinds.len() < KINDS;
            match known.and_then(|id| kinds.get_mut(id)) {
                Some(kind) => kind.sum = add(kind.sum, part),
                None if corner.counted => kinds.push(Kind { groups, normal, sum: part }),
                None => {}
            }
        }
        kinds
    }
}

fn weight(points: [V; 3], corner: u8, weighting: Weighting) -> f64 {
    let [a, b, c] = points;
    let (at, next, last) = match corner {
        0 => (a, b, c),
        1 => (b, c, a),
        _ => (c, a, b),
    };
    let area = if weighting.area { face_area(points) } else { 1.0 };
    let corner_angle = if weighting.angle { angle(sub(next, at), sub(last, at)) } else { 1.0 };
    area * corner_angle
}

/// Recovers smoothing groups from vertex normals: a mask of bits per face.
///
/// Two neighbours are smooth if the normals at both ends of their common edge are equal. Smoothly connected faces form
/// a group; groups that touch get different bits as far as 32 suffice.
pub fn smoothing_groups(positions: &[[f32; 3]], normals: &[[f32; 3]], faces: &[Face]) -> Vec<u32> {
    let neighbours = adjacency(positions, faces);
    let welded = weld(positions);
    let normal_at = |face: &Face, place: u32| {
        let vertex = face.vertices.iter().find(|i| welded.get(usize::from(**i)) == Some(&place))?;
        normals.get(usize::from(*vertex)).copied()
    };
    let equal = |a: [f32; 3], b: [f32; 3]| dot(v(a), v(b)) > 0.9999;
    let mut group: Vec<u32> = vec![u32::MAX; faces.len()];
    let mut groups = 0;
    let smooth = |id: usize, edge: usize, other: usize| {
        let (face, other) = (faces.get(id)?, faces.get(other)?);
        let ends = [face.vertices.get(edge)?, face.vertices.get((edge + 1) % 3)?];
        for end in ends {
            let place = *welded.get(usize::from(*end))?;
            if !equal(normal_at(face, place)?, normal_at(other, place)?) {
                return None;
            }
        }
        Some(())
    };
    let mut touching: Vec<(u32, u32)> = Vec::new();
    for start in 0..faces.len() {
        if group.get(start).is_none_or(|g| *g != u32::MAX) {
            continue;
        }
        let mut todo = vec![start];
        while let Some(id) = todo.pop() {
            let Some(slot) = group.get_mut(id).filter(|g| **g == u32::MAX) else { continue };
            *slot = groups;
            for (edge, other) in neighbours.get(id).into_iter().flatten().enumerate() {
                if *other != u16::MAX && smooth(id, edge, usize::from(*other)).is_some() {
                    todo.push(usize::from(*other));
                }
            }
        }
        groups += 1;
    }
    for (id, list) in neighbours.iter().enumerate() {
        for other in list.iter().filter(|o| **o != u16::MAX) {
            if let (Some(a), Some(b)) = (group.get(id), group.get(usize::from(*other)))
                && a != b
            {
                touching.push((*a, *b));
            }
        }
    }
    let mut taken: HashMap<u32, u32> = HashMap::new();
    let mut bits = vec![0u32; groups as usize];
    touching.sort_unstable();
    touching.dedup();
    let mut rest = touching.as_slice();
    for id in 0..groups {
        let split = rest.iter().take_while(|(a, _)| *a == id).count();
        let (mine, after) = rest.split_at(split);
        rest = after;
        let used = mine.iter().filter_map(|(_, b)| taken.get(b)).fold(0, |m, b| m | b);
        let free = (!used).trailing_zeros().min(31);
        taken.insert(id, 1 << free);
        if let Some(slot) = bits.get_mut(id as usize) {
            *slot = 1 << free;
        }
    }
    group.iter().map(|g| bits.get(*g as usize).copied().unwrap_or(1)).collect()
}

impl Mesh {
    /// Derives the normals of all vertices; see [`vertex_normals`].
    pub fn derive_normals(&mut self, groups: Option<&[u32]>, weighting: Weighting) {
        self.vertices.normals = vertex_normals(&self.vertices.positions, &self.faces, groups, weighting);
    }
}
