//! The blocks of a mesh in text, and the vertices made of them.

use std::collections::HashMap;

use galatea_wire::{Result, StableHash};

use crate::mdl::text::draft::{MeshDraft, WeightRow};
use crate::mdl::{AabbNode, Face, Mesh, Vertices};
use crate::text::lex::Spot;

/// The most vertices, and the most faces, of a mesh.
pub(super) const MAX_VERTICES: usize = 65_535;

/// The blocks of a mesh as written in the text.
#[derive(Debug, Default)]
pub(super) struct Rows<'a> {
    pub(super) verts: Vec<[f32; 3]>,
    pub(super) faces: Vec<FaceRow>,
    pub(super) uvs: [Vec<[f32; 2]>; 4],
    /// Indices of the faces into the second to fourth set of texture coordinates.
    pub(super) uv_faces: [Vec<[u32; 3]>; 3],
    pub(super) colors: Vec<[f32; 3]>,
    pub(super) color_faces: Vec<[u32; 3]>,
    pub(super) weights: Vec<WeightRow>,
    pub(super) bones: Vec<&'a [u8]>,
    pub(super) bone_ids: HashMap<&'a [u8], u16>,
    pub(super) constraints: Vec<f32>,
    pub(super) boxes: Vec<([f32; 6], i32)>,
    /// Whether the rows of faces end in the second texture's coordinates, as MDLEdit writes them.
    pub(super) lightmap_columns: bool,
    pub(super) spot: Spot,
}

/// A row of the block `faces`.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceRow {
    pub(super) corners: [u32; 3],
    pub(super) mask: u32,
    pub(super) uvs: [u32; 3],
    pub(super) material: u32,
}

impl FaceRow {
    pub(super) fn face(&self) -> Face {
        let short = |i: u32| i.min(0xFFFF) as u16;
        Face {
            material: self.material,
            adjacent: [0xFFFF; 3],
            vertices: self.corners.map(short),
            ..Face::default()
        }
    }
}

impl Rows<'_> {
    /// Fails if a face uses a row that does not exist.
    pub(super) fn check(&self, spot: Spot) -> Result<()> {
        if self.verts.len() > MAX_VERTICES {
            return Err(spot.syntax(format!("{} vertices; a mesh can have 65,535", self.verts.len())));
        }
        if self.faces.len() > MAX_VERTICES {
            return Err(spot.syntax(format!("{} faces; a mesh can have 65,535", self.faces.len())));
        }
        let within = |what: &str, list: &mut dyn Iterator<Item = &[u32; 3]>, count: usize| {
            if count == 0 {
                return Ok(());
            }
            for (i, face) in list.enumerate() {
                if let Some(bad) = face.iter().find(|r| **r as usize >= count) {
                    return Err(spot.syntax(format!("face {i} uses {what} {bad} of {count}")));
                }
            }
            Ok(())
        };
        let [uv0, uv1, uv2, uv3] = &self.uvs;
        let [f1, f2, f3] = &self.uv_faces;
        within("vertex", &mut self.faces.iter().map(|f| &f.corners), self.verts.len())?;
        within("texture coordinates", &mut self.faces.iter().map(|f| &f.uvs), uv0.len())?;
        for (faces, uvs) in [(f1, uv1), (f2, uv2), (f3, uv3)] {
            within("texture coordinates", &mut faces.iter(), uvs.len())?;
        }
        within("color", &mut self.color_faces.iter(), self.colors.len())
    }

    /// Returns the checksum of the shape and the texture coordinates.
    pub(super) fn mapping(&self, shape: StableHash) -> StableHash {
        let uvs = self
            .uvs
            .iter()
            .fold(shape, |sum, uvs| sum.words([uvs.len() as u32]).floats(uvs.iter().map(|v| &v[..])));
        let faces = uvs.words(self.faces.iter().flat_map(|f| f.uvs));
        self.uv_faces
            .iter()
            .fold(faces, |sum, rows| sum.words([rows.len() as u32]).words(rows.iter().flatten().copied()))
    }

    /// Returns the checksum of bones and weights.
    pub(super) fn binding(&self) -> StableHash {
        let names = self.bones.iter().fold(StableHash::new(), |sum, bone| sum.bytes(bone));
        self.weights.iter().fold(names, |sum, row| {
            let used = usize::from(row.count);
            sum.words([u32::from(row.count)])
                .words(row.bones.iter().take(used).map(|b| u32::from(*b)))
                .words(row.weights.iter().take(used).map(|w| w.to_bits()))
        })
    }

    /// Returns the rows of a corner of a face in every block.
    fn corner(&self, face: usize, corner: usize) -> Source {
        let row = self.faces.get(face);
        let at = |list: &[u32; 3]| list.get(corner).copied().unwrap_or(0);
        let first = row.map_or(0, |f| at(&f.uvs));
        let mut key = [row.map_or(0, |f| at(&f.corners)), 0, 0, 0, 0, 0];
        let [_, uv0, uv1, uv2, uv3, color] = &mut key;
        let others = [uv1, uv2, uv3].into_iter().zip(self.uvs.iter().skip(1)).zip(&self.uv_faces);
        for ((slot, uvs), faces) in others {
            if !uvs.is_empty() {
                // A texture without indices uses those of the first.
                *slot = faces.get(face).map_or(first, at);
            }
        }
        if self.uvs.first().is_some_and(|u| !u.is_empty()) {
            *uv0 = first;
        }
        if !self.colors.is_empty() {
            *color = self.color_faces.get(face).map_or(0, at);
        }
        key
    }

    /// Returns whether all blocks are indexed alike, so that every row is a vertex.
    fn rows_are_vertices(&self) -> bool {
        let count = self.verts.len();
        let fits = |len: usize| len == 0 || len == count;
        let [used0, used1, used2, used3] =
            [0, 1, 2, 3].map(|i| self.uvs.get(i).is_some_and(|u| !u.is_empty()));
        self.uvs.iter().all(|u| fits(u.len()))
            && fits(self.colors.len())
            && (0..self.faces.len()).all(|face| {
                (0..3).all(|corner| {
                    let [v, t0, t1, t2, t3, c] = self.corner(face, corner);
                    (!used0 || t0 == v)
                        && (!used1 || t1 == v)
                        && (!used2 || t2 == v)
                        && (!used3 || t3 == v)
                        && (self.colors.is_empty() || c == v)
                })
            })
    }

    /// Builds the vertices of a mesh: one for every combination of rows that faces of a common smoothing group use.
    pub(super) fn vertices(mut self, mesh: &mut Mesh, draft: &mut MeshDraft<'_>, spot: Spot) -> Result<()> {
        mesh.faces = self.faces.iter().map(FaceRow::face).collect();
        let keeps_rows = self.rows_are_vertices();
        let rows = if keeps_rows { self.verts.len() } else { 0 };
        let mut split = Split { keeps_rows, owners: vec![None; rows], ..Split::default() };
        if !self.verts.is_empty() {
            for (index, (row, face)) in self.faces.iter().zip(&mut mesh.faces).enumerate() {
                for (corner, slot) in face.vertices.iter_mut().enumerate() {
                    let vertex = split.vertex(self.corner(index, corner), row.mask);
                    let Some(short) = u16::try_from(vertex).ok().filter(|v| usize::from(*v) < MAX_VERTICES)
                    else {
                        return Err(spot.syntax(
                            "splitting for textures and smoothing groups gives more than 65,535 vertices",
                        ));
                    };
                    *slot = short;
                }
            }
        }
        let [uv0, uv1, uv2, uv3] = &mut self.uvs;
        mesh.vertices = Vertices {
            positions: split.gather(&mut self.verts, |s| s[0]),
            uvs: [
                split.gather(uv0, |s| s[1]),
                split.gather(uv1, |s| s[2]),
                split.gather(uv2, |s| s[3]),
                split.gather(uv3, |s| s[4]),
            ],
            colors: split.gather(&mut self.colors, |s| s[5]),
            ..Vertices::default()
        };
        if mesh.skin.is_some() {
            self.weights.resize(rows.max(self.weights.len()), WeightRow::default());
            draft.weights = split.gather(&mut self.weights, |s| s[0]);
            draft.weights.resize(mesh.vertices.positions.len(), WeightRow::default());
        }
        if let Some(dangly) = mesh.dangly.as_deref_mut() {
            self.constraints.resize(rows.max(self.constraints.len()), 0.0);
            dangly.constraints = split.gather(&mut self.constraints, |s| s[0]);
        }
        mesh.texture_count = mesh.vertices.uvs.iter().filter(|u| !u.is_empty()).count() as u16;
        Ok(())
    }
}

/// The rows of a vertex: position, four sets of texture coordinates, color.
type Source = [u32; 6];

/// How the rows of a mesh are split into vertices.
#[derive(Default)]
struct Split {
    /// Whether the rows are kept and new vertices follow them.
    keeps_rows: bool,
    /// Smoothing groups of the first face that uses each kept row.
    owners: Vec<Option<u32>>,
    /// Rows of each new vertex.
    sources: Vec<Source>,
    /// Vertices of each combination of rows, with their smoothing groups.
    made: HashMap<Source, Vec<(u32, u32)>>,
}

impl Split {
    /// Returns the vertex for a corner of a face with these smoothing groups.
    fn vertex(&mut self, source: Source, mask: u32) -> u32 {
        let [row, ..] = source;
        if let Some(owner) = self.owners.get_mut(row as usize)
            && (owner.is_none() || owner.is_some_and(|owner| owner & mask != 0))
        {
            owner.get_or_insert(mask);
            return row;
        }
        let made = self.made.get(&source).and_then(|list| list.iter().find(|(_, m)| m & mask != 0));
        if let Some((vertex, _)) = made {
            return *vertex;
        }
        let vertex = (self.owners.len() + self.sources.len()) as u32;
        self.sources.push(source);
        if mask != 0 {
            self.made.entry(source).or_default().push((vertex, mask));
        }
        vertex
    }

    /// Returns a block with one entry per vertex, given the row that each vertex uses.
    fn gather<T: Copy + Default>(&self, block: &mut Vec<T>, row: impl Fn(&Source) -> u32) -> Vec<T> {
        if block.is_empty() {
            return Vec::new();
        }
        let entry = |s| block.get(row(s) as usize).copied().unwrap_or_default();
        let mut split: Vec<T> = self.sources.iter().map(entry).collect();
        if !self.keeps_rows {
            return split;
        }
        block.append(&mut split);
        std::mem::take(block)
    }
}

/// Builds a box tree from its rows in preorder: a box without a face has two children, as long as there are rows.
pub(in crate::mdl::text) fn preorder(rows: &[([f32; 6], i32)]) -> Vec<AabbNode> {
    let mut nodes: Vec<AabbNode> = Vec::with_capacity(rows.len());
    // Boxes whose second child is yet to come.
    let mut open: Vec<usize> = Vec::new();
    for (id, (corners, face)) in rows.iter().enumerate() {
        let [a, b, c, d, e, f] = *corners;
        if let Some(before) = id.checked_sub(1).and_then(|i| nodes.get_mut(i)) {
            if before.face < 0 {
                before.left = Some(id as u32);
            } else if let Some(parent) = open.pop().and_then(|i| nodes.get_mut(i)) {
                parent.right = Some(id as u32);
            }
        }
        if *face < 0 {
            open.push(id);
        }
        nodes.push(AabbNode {
            min: [a, b, c],
            max: [d, e, f],
            left: None,
            right: None,
            face: *face,
            plane: 0,
        });
    }
    nodes
}
