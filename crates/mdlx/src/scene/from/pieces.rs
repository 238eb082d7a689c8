//! Imported meshes as geosets: split where necessary, with weights as bytes or as matrix groups.

use std::collections::HashMap;

use galatea_scene::smooth_normals;

use crate::{Geoset, SkinWeight};

/// Maximum number of vertices of a geoset: indices have 16 bits.
const VERTICES: usize = 65_535;

/// Maximum number of matrix groups of a geoset: vertices refer to them by a byte.
const GROUPS: usize = 256;

/// Maximum number of bones of a new matrix group.
const BONES: usize = 8;

/// A mesh to be split.
pub(super) struct Part<'a> {
    /// Its vertices, and fields that are the same for every piece.
    pub(super) geoset: &'a Geoset,
    pub(super) tangents: Option<&'a [[f32; 4]]>,
    pub(super) corners: &'a [[u32; 3]],
    /// For each vertex, object ids of bones and their weights.
    pub(super) rows: &'a [Vec<(u32, f32)>],
    /// Whether weights become bytes instead of matrix groups.
    pub(super) smooth: bool,
}

/// The losses of weights.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    /// Number of vertices whose weights were rounded by more than 1 / 255.
    pub(super) rounded: usize,
    /// Number of vertices with too many bones.
    pub(super) cut: usize,
}

/// Returns the bones of a matrix group, with repetitions, whose mean approximates the weights best, and whether it is exact.
pub(super) fn repeats(row: &[(u32, f32)]) -> (Vec<u32>, bool) {
    let mut row: Vec<(u32, f32)> = row.iter().copied().filter(|(_, w)| *w > 0.0 && w.is_finite()).collect();
    row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    row.truncate(BONES);
    let total: f32 = row.iter().map(|(_, w)| w).sum();
    if row.is_empty() || total <= 0.0 {
        return (Vec::new(), true);
    }
    let mut best: (f32, Vec<usize>) = (f32::MAX, vec![1]);
    for parts in 1..=BONES {
        // Whole shares first, then the largest remainders.
        let mut counts: Vec<usize> = row.iter().map(|(_, w)| (w / total * parts as f32) as usize).collect();
        let mut left = parts.saturating_sub(counts.iter().sum());
        let mut order: Vec<usize> = (0..row.len()).collect();
        let rest = |i: usize| row.get(i).map_or(0.0, |(_, w)| (w / total * parts as f32).fract());
        order.sort_by(|a, b| rest(*b).total_cmp(&rest(*a)));
        for i in order {
            if let Some(count) = counts.get_mut(i).filter(|_| left > 0) {
                *count += 1;
                left -= 1;
            }
        }
        let error = row.iter().zip(&counts).map(|((_, w), c)| (w / total - *c as f32 / parts as f32).abs());
        let error = error.fold(0.0, f32::max);
        if error < best.0 - 1e-4 {
            best = (error, counts);
        }
    }
    let mut bones: Vec<u32> =
        row.iter().zip(&best.1).flat_map(|((id, _), count)| std::iter::repeat_n(*id, *count)).collect();
    bones.sort_unstable();
    (bones, best.0 <= 1.0 / 255.0)
}

/// Returns the four heaviest bones with weights that add up to 255.
pub(super) fn bytes_of(row: &[(u32, f32)]) -> SkinWeight {
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

/// Splits a mesh into pieces that are small enough for a geoset.
pub(super) fn split(part: &Part<'_>) -> (Vec<Geoset>, Grouping) {
    let mut stored = Grouping::default();
    // The groups of vertices do not depend on the pieces.
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut of_vertex: Vec<u32> = Vec::with_capacity(part.rows.len());
    let mut cache: HashMap<Vec<(u32, u32)>, (u32, bool)> = HashMap::new();
    for row in part.rows {
        stored.cut += usize::from(part.smooth && row.iter().filter(|(_, w)| *w > 1.0 / 255.0).count() > 4);
        if part.smooth {
            of_vertex.push(0);
            continue;
        }
        let key: Vec<(u32, u32)> = row.iter().map(|(id, w)| (*id, w.to_bits())).collect();
        let (group, exact) = *cache.entry(key).or_insert_with(|| {
            let (bones, exact) = repeats(row);
            let group = *numbers.entry(bones.clone()).or_insert_with(|| {
                groups.push(bones);
                groups.len() as u32 - 1
            });
            (group, exact)
        });
        stored.rounded += usize::from(!exact);
        of_vertex.push(group);
    }
    let mut out = Vec::new();
    let mut piece = Piece::new(part);
    for corners in part.corners {
        if !piece.has_room(corners, &of_vertex) {
            out.push(piece.finish(&groups));
            piece = Piece::new(part);
        }
        piece.add(corners, &of_vertex);
    }
    out.push(piece.finish(&groups));
    (out, stored)
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
        self.order.len() + new <= VERTICES && self.group_order.len() + fresh <= GROUPS
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
        if self.part.smooth {
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
    fn weights_become_repeated_bones() {
        assert_eq!(repeats(&[(3, 1.0)]), (vec![3], true));
        assert_eq!(repeats(&[(3, 0.5), (1, 0.5)]), (vec![1, 3], true));
        assert_eq!(repeats(&[(3, 0.75), (1, 0.25)]), (vec![1, 3, 3, 3], true));
        let (bones, exact) = repeats(&[(1, 0.9), (2, 0.1)]);
        assert!(!exact && bones.len() <= BONES && bones.contains(&1));
        assert_eq!(repeats(&[]), (Vec::new(), true));
    }

    #[test]
    fn bytes_add_up() {
        for row in
            [vec![(1, 0.3), (2, 0.3), (3, 0.4)], vec![(9, 1.0)], vec![(1, 1.0 / 3.0); 3], vec![(1, 0.2); 5]]
        {
            assert_eq!(bytes_of(&row).weights.iter().map(|w| u32::from(*w)).sum::<u32>(), 255);
        }
        assert_eq!(bytes_of(&[]), SkinWeight::default());
    }
}
