//! Meshes as geosets: split where necessary, with weights as bytes or as matrix groups.

use std::collections::HashMap;

use galatea_scene::smooth_normals;

use crate::{Geoset, GroupWeights, SkinWeight};

/// Maximum number of vertices of a geoset: indices have 16 bits.
const VERTICES: usize = 65_535;

/// Maximum number of vertices of a geoset with matrix groups: checkers say that the game draws larger ones wrongly, and its own files
/// have none.
const GROUPED: usize = 7_432;

/// Maximum number of matrix groups of a geoset: vertices refer to them by a byte.
const GROUPS: usize = 256;

/// A mesh to be split.
pub(crate) struct Part<'a> {
    /// Its vertices, and fields that are the same for every piece.
    pub(crate) geoset: &'a Geoset,
    pub(crate) tangents: Option<&'a [[f32; 4]]>,
    pub(crate) corners: &'a [[u32; 3]],
    /// For each vertex, object ids of bones and their weights.
    pub(crate) rows: &'a [Vec<(u32, f32)>],
    /// How weights become matrix groups; `None` if they become bytes.
    pub(crate) grouped: Option<GroupWeights>,
}

impl Part<'_> {
    /// Returns the maximum number of vertices of a piece.
    fn room(&self) -> usize {
        if self.grouped.is_some() { GROUPED } else { VERTICES }
    }
}

/// The losses of weights.
#[derive(Debug, Default)]
pub(crate) struct Grouping {
    /// Number of vertices whose weights were rounded by more than 1 / 255.
    pub(crate) rounded: usize,
    /// Number of vertices with too many bones.
    pub(crate) cut: usize,
}

/// Returns the four heaviest bones with weights that add up to 255.
pub(crate) fn bytes_of(row: &[(u32, f32)]) -> SkinWeight {
    let mut row: Vec<(u32, f32)> = row.iter().copied().filter(|(_, w)| *w > 0.0 && w.is_finite()).collect();
    row.sort_by(|a, b| b.1.total_cmp(&a.1));
    row.truncate(4);
    let total: f32 = row.iter().map(|(_, w)| w).sum();
    let mut out = SkinWeight::default();
    let mut left = 255u32;
    let slots = out.bones.iter_mut().zip(&mut out.weights);
    for ((bone, byte), (id, weight)) in slots.zip(&row) {
        *bone = *id as u8;
        *byte = ((weight / total * 255.0).round() as u32).min(left) as u8;
        left -= u32::from(*byte);
    }
    if let ([first, ..], false) = (&mut out.weights, row.is_empty()) {
        *first += left as u8;
    }
    out
}

/// The matrix groups of vertices.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The bones of each group.
    pub(crate) list: Vec<Vec<u32>>,
    /// The group of each vertex.
    pub(crate) of_vertex: Vec<u32>,
    /// Number of vertices whose weights were rounded by more than 1 / 255.
    rounded: usize,
}

impl Groups {
    /// Finds the group that is closest to the weights of each vertex.
    pub(crate) fn new(rows: &[Vec<(u32, f32)>], how: GroupWeights) -> Groups {
        let mut out = Groups::default();
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut cache: HashMap<Vec<(u32, u32)>, (u32, bool)> = HashMap::new();
        for row in rows {
            let key: Vec<(u32, u32)> = row.iter().map(|(id, w)| (*id, w.to_bits())).collect();
            let list = &mut out.list;
            let (group, exact) = *cache.entry(key).or_insert_with(|| {
                let (bones, exact) = how.fit(row);
                if bones.is_empty() {
                    // The model has no bone to follow, and a group without bones is an error.
                    return (0, exact);
                }
                let group = *numbers.entry(bones.clone()).or_insert_with(|| {
                    list.push(bones);
                    list.len() as u32 - 1
                });
                (group, exact)
            });
            out.rounded += usize::from(!exact);
            out.of_vertex.push(group);
        }
        out
    }
}

/// Returns a geoset with matrix groups for these weights: as it is if it has room for them, otherwise in pieces.
pub(crate) fn grouped(
    mut geoset: Geoset,
    rows: &[Vec<(u32, f32)>],
    how: GroupWeights,
) -> (Vec<Geoset>, Grouping) {
    let groups = Groups::new(rows, how);
    if groups.list.len() <= GROUPS && geoset.vertices.len() <= GROUPED {
        geoset.vertex_groups = groups.of_vertex.iter().map(|g| *g as u8).collect();
        geoset.group_sizes = groups.list.iter().map(|g| g.len() as u32).collect();
        geoset.matrices = groups.list.concat();
        return (vec![geoset], Grouping { rounded: groups.rounded, cut: 0 });
    }
    let corners: Vec<[u32; 3]> = geoset.triangles().iter().map(|t| t.map(u32::from)).collect();
    let part = Part { geoset: &geoset, tangents: None, corners: &corners, rows, grouped: Some(how) };
    let (mut pieces, losses) = split(&part);
    for piece in &mut pieces {
        piece.bounds = geoset.bounds;
        piece.sequence_bounds.clone_from(&geoset.sequence_bounds);
    }
    (pieces, losses)
}

/// Splits a mesh into pieces that are small enough for a geoset.
pub(crate) fn split(part: &Part<'_>) -> (Vec<Geoset>, Grouping) {
    // The groups of vertices do not depend on the pieces.
    let groups = match part.grouped {
        Some(how) => Groups::new(part.rows, how),
        None => Groups { of_vertex: vec![0; part.rows.len()], ..Groups::default() },
    };
    let crowded = |row: &&Vec<(u32, f32)>| row.iter().filter(|(_, w)| *w > 1.0 / 255.0).count() > 4;
    let cut = if part.grouped.is_none() { part.rows.iter().filter(crowded).count() } else { 0 };
    let mut out = Vec::new();
    let mut piece = Piece::new(part);
    for corners in part.corners {
        if !piece.has_room(corners, &groups.of_vertex) {
            out.push(piece.finish(&groups.list));
            piece = Piece::new(part);
        }
        piece.add(corners, &groups.of_vertex);
    }
    out.push(piece.finish(&groups.list));
    (out, Grouping { rounded: groups.rounded, cut })
}

/// A geoset under construction.
struct Piece<'a> {
    part: &'a Part<'a>,
    places: HashMap<u32, u16>,
    groups: HashMap<u32, u8>,
    order: Vec<u32>,
    group_order: Vec<u32>,
    vertex_groups: Vec<u8>,
    faces: Vec<u16>,
}

impl<'a> Piece<'a> {
    fn new(part: &'a Part<'a>) -> Self {
        Piece {
            part,
            places: HashMap::new(),
            groups: HashMap::new(),
            order: Vec::new(),
            group_order: Vec::new(),
            vertex_groups: Vec::new(),
            faces: Vec::new(),
        }
    }

    fn has_room(&self, corners: &[u32; 3], of_vertex: &[u32]) -> bool {
        let new = corners.iter().filter(|c| !self.places.contains_key(c)).count();
        let group = |c: &u32| of_vertex.get(*c as usize).copied().unwrap_or(0);
        let fresh = corners.iter().filter(|c| !self.groups.contains_key(&group(c))).count();
        self.order.len() + new <= self.part.room() && self.group_order.len() + fresh <= GROUPS
    }

    fn add(&mut self, corners: &[u32; 3], of_vertex: &[u32]) {
        for corner in corners {
            let next = self.order.len() as u16;
            let place = match self.places.get(corner) {
                Some(place) => *place,
                None => {
                    self.places.insert(*corner, next);
                    self.order.push(*corner);
                    let group = of_vertex.get(*corner as usize).copied().unwrap_or(0);
                    let number = self.group_order.len() as u8;
                    let order = &mut self.group_order;
                    let group = *self.groups.entry(group).or_insert_with(|| {
                        order.push(group);
                        number
                    });
                    self.vertex_groups.push(group);
                    next
                }
            };
            self.faces.push(place);
        }
    }

    fn finish(self, groups: &[Vec<u32>]) -> Geoset {
        fn pick<T: Copy>(from: &[T], order: &[u32]) -> Vec<T> {
            if from.is_empty() {
                return Vec::new();
            }
            order.iter().filter_map(|i| from.get(*i as usize).copied()).collect()
        }
        let from = self.part.geoset;
        let mut out = Geoset {
            vertices: pick(&from.vertices, &self.order),
            normals: pick(&from.normals, &self.order),
            tangents: self.part.tangents.map(|t| pick(t, &self.order)),
            uvs: from.uvs.iter().map(|set| pick(set, &self.order)).collect(),
            face_types: vec![4],
            face_counts: vec![self.faces.len() as u32],
            faces: self.faces,
            material_id: from.material_id,
            selection_group: from.selection_group,
            selection_flags: from.selection_flags,
            lod: from.lod,
            lod_name: from.lod_name,
            ..Geoset::default()
        };
        if out.normals.len() != out.vertices.len() {
            let wide = |t: &[u16; 3]| t.map(u32::from);
            let triangles: Vec<[u32; 3]> = out.faces.as_chunks().0.iter().map(wide).collect();
            out.normals = smooth_normals(&out.vertices, &triangles);
        }
        if out.uvs.is_empty() {
            out.uvs.push(vec![[0.0; 2]; out.vertices.len()]);
        }
        if self.part.grouped.is_none() {
            let row =
                |i: &u32| self.part.rows.get(*i as usize).map_or_else(SkinWeight::default, |r| bytes_of(r));
            out.skin = Some(self.order.iter().map(row).collect());
            let mut bones: Vec<u32> = out
                .skin
                .iter()
                .flatten()
                .flat_map(|s| {
                    s.bones
                        .into_iter()
                        .zip(s.weights)
                        .filter(|(_, w)| *w > 0)
                        .map(|(b, _)| u32::from(b))
                        .collect::<Vec<_>>()
                })
                .collect();
            bones.sort_unstable();
            bones.dedup();
            out.group_sizes = vec![1; bones.len()];
            out.matrices = bones;
        } else {
            out.vertex_groups = self.vertex_groups;
            for group in self.group_order.iter().filter_map(|g| groups.get(*g as usize)) {
                out.group_sizes.push(group.len() as u32);
                out.matrices.extend(group);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_add_up() {
        for row in
            [vec![(1, 0.3), (2, 0.3), (3, 0.4)], vec![(9, 1.0)], vec![(1, 1.0 / 3.0); 3], vec![(1, 0.2); 5]]
        {
            assert_eq!(bytes_of(&row).weights.iter().map(|w| u32::from(*w)).sum::<u32>(), 255);
        }
        assert_eq!(bytes_of(&[]), SkinWeight::default());
    }

    #[test]
    fn vertices_without_bones_make_no_empty_group() {
        let none = Groups::new(&[vec![], vec![]], GroupWeights::Equal);
        assert_eq!((none.list.len(), none.of_vertex), (0, vec![0, 0]));
        let one = Groups::new(&[vec![], vec![(4, 1.0)]], GroupWeights::Shares);
        assert_eq!((one.list, one.of_vertex), (vec![vec![4]], vec![0, 0]));
    }
}
