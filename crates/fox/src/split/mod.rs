//! Meshes of any size: split into pieces that the game can draw, and merge pieces back.

mod model;

use std::collections::HashMap;

use galatea_wire::{Error, Result};

use crate::mesh::{Column, Mesh, Usage, Values, Vertices};
use crate::wire::Window;

/// How much one mesh may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitLimits {
    /// Bones.
    pub bones: usize,
    /// Vertices.
    pub vertices: usize,
    /// Triangles of one level of detail.
    pub faces: usize,
}

galatea_wire::setters! {
    SplitLimits {
        with_bones: bones: usize,
        with_vertices: vertices: usize,
        with_faces: faces: usize,
    }
}

impl Default for SplitLimits {
    /// Returns what the game can draw.
    fn default() -> Self {
        SplitLimits { bones: 32, vertices: 65_535, faces: 21_845 }
    }
}

/// A mesh without the format's limits: 32-bit indices, and bones of the skeleton instead of a bone group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BigMesh {
    /// Flags, as in [`Mesh`].
    pub flags: u32,
    /// Index of the material instance.
    pub material: u16,
    /// Vertices, without bone indices.
    pub vertices: Vertices,
    /// For each vertex the bones of the skeleton that go with its weights, [`BigMesh::NO_BONE`] where a weight is 0; empty
    /// for a mesh without bones.
    pub bones: Vec<[u16; 4]>,
    /// Triangles of all levels of detail.
    pub faces: Vec<[u32; 3]>,
    /// For each level of detail its part of `faces`.
    pub levels: Vec<std::ops::Range<usize>>,
}

/// A piece of a split mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The mesh; its `bone_group` is still to be set.
    pub mesh: Mesh,
    /// The bones that its vertices name; empty for a mesh without bones.
    pub bones: Vec<u16>,
}

impl BigMesh {
    /// Stands where a vertex names no bone.
    pub const NO_BONE: u16 = u16::MAX;

    /// Creates a mesh with a single level of detail.
    pub fn new(vertices: Vertices, bones: Vec<[u16; 4]>, faces: Vec<[u32; 3]>) -> BigMesh {
        let all = 0..faces.len();
        BigMesh { vertices, bones, faces, levels: vec![all], ..BigMesh::default() }
    }

    /// Splits into pieces within the limits. Every triangle goes to exactly one piece; levels of detail stay windows, since
    /// each piece keeps the order of its triangles. Takes time linear in the triangles.
    ///
    /// Fails if a single triangle does not fit, or if a triangle or level names what is not there.
    ///
    /// ```
    /// use galatea_fox::{BigMesh, SplitLimits, Usage, Values, Vertices};
    /// let mut vertices = Vertices::default();
    /// vertices.push(Usage::Position, Values::F32x3((0..300).map(|i| [i as f32, 0.0, 0.0]).collect()));
    /// let faces = (0..298).map(|i| [i, i + 1, i + 2]).collect();
    /// let limits = SplitLimits::default().with_vertices(100);
    /// let pieces = BigMesh::new(vertices, Vec::new(), faces).split(&limits)?;
    /// assert!(pieces.iter().all(|p| p.mesh.vertices.count <= 100));
    /// assert_eq!(pieces.iter().map(|p| p.mesh.faces(0).len()).sum::<usize>(), 298);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn split(&self, limits: &SplitLimits) -> Result<Vec<Piece>> {
        let skinned = !self.bones.is_empty();
        let mut open: Vec<Part> = Vec::new();
        let mut done: Vec<Part> = Vec::new();
        for (at, face) in self.faces.iter().enumerate() {
            if face.iter().any(|v| *v as usize >= self.vertices.count) {
                return Err(Error::unrepresentable(format!(
                    "face {at} names vertex {face:?} of {}",
                    self.vertices.count
                )));
            }
            let mut bones: Vec<u16> = Vec::with_capacity(12);
            for v in face.iter().filter(|_| skinned) {
                for bone in self.bones.get(*v as usize).into_iter().flatten() {
                    if *bone != Self::NO_BONE && !bones.contains(bone) {
                        bones.push(*bone);
                    }
                }
            }
            let levels = self.levels.iter().map(|l| l.contains(&at));
            let best = (open.iter().enumerate())
                .filter_map(|(i, part)| Some((part.growth(face, &bones, levels.clone(), limits)?, i)))
                .min();
            let i = match best {
                Some((_, i)) => i,
                None => {
                    if open.len() >= OPEN {
                        // The fullest one has the least to give.
                        let fullest =
                            open.iter().enumerate().max_by_key(|(_, p)| (p.bones.len(), p.kept.len()));
                        if let Some((i, _)) = fullest {
                            done.push(open.remove(i));
                        }
                    }
                    let part = Part::new(done.len() + open.len(), self.levels.len());
                    if part.growth(face, &bones, levels.clone(), limits).is_none() {
                        return Err(Error::unrepresentable(format!(
                            "face {at} alone is beyond {} bones, {} vertices or {} faces",
                            limits.bones, limits.vertices, limits.faces
                        )));
                    }
                    open.push(part);
                    open.len() - 1
                }
            };
            if let Some(part) = open.get_mut(i) {
                part.take(face, &bones, levels);
            }
        }
        done.append(&mut open);
        done.sort_by_key(|p| p.number);
        if done.is_empty() {
            done.push(Part::new(0, self.levels.len()));
        }
        done.into_iter().map(|part| part.piece(self)).collect()
    }

    /// Puts pieces together again. Vertices that are equal in every bit become one, but never two of the same piece.
    ///
    /// Fails if the pieces do not have the same attributes.
    ///
    /// ```
    /// use galatea_fox::{BigMesh, Usage, Values, Vertices};
    /// let piece = |x: f32| {
    ///     let mut vertices = Vertices::default();
    ///     vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3], [0.0, 1.0, 0.0], [x, 0.0, 0.0]]));
    ///     BigMesh::new(vertices, Vec::new(), vec![[0, 1, 2]])
    /// };
    /// let whole = BigMesh::merge(&[piece(1.0), piece(-1.0)])?;
    /// assert_eq!((whole.vertices.count, whole.faces.len()), (4, 2)); // two vertices are shared
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn merge(pieces: &[BigMesh]) -> Result<BigMesh> {
        let Some(first) = pieces.first() else { return Ok(BigMesh::default()) };
        let layout = |m: &BigMesh| -> Vec<(Usage, Option<u8>, usize)> {
            let of = |c: &Column| match c.values {
                Values::Same(of) => of,
                _ => usize::MAX,
            };
            m.vertices.columns.iter().map(|c| (c.usage, c.values.format(), of(c))).collect()
        };
        let skinned = |m: &BigMesh| !m.bones.is_empty();
        if pieces.iter().any(|p| layout(p) != layout(first) || skinned(p) != skinned(first)) {
            return Err(Error::unrepresentable("pieces with different vertex attributes"));
        }
        let mut known: HashMap<Vec<u8>, Vec<u32>> = HashMap::new();
        let mut picked: Vec<(usize, usize)> = Vec::new();
        let mut maps: Vec<Vec<u32>> = Vec::new();
        for (p, piece) in pieces.iter().enumerate() {
            let mut used: HashMap<Vec<u8>, usize> = HashMap::new();
            let mut map = Vec::with_capacity(piece.vertices.count);
            for v in 0..piece.vertices.count {
                let key = piece.key(v);
                let nth = used.entry(key.clone()).or_default();
                let twins = known.entry(key).or_default();
                let id = match twins.get(*nth) {
                    Some(id) => *id,
                    None => {
                        let id = picked.len() as u32;
                        picked.push((p, v));
                        twins.push(id);
                        id
                    }
                };
                *nth += 1;
                map.push(id);
            }
            maps.push(map);
        }
        let mut out = BigMesh {
            flags: first.flags,
            material: first.material,
            vertices: gather(pieces, &picked),
            ..BigMesh::default()
        };
        if skinned(first) {
            let bones = |(p, v): &(usize, usize)| pieces.get(*p).and_then(|p| p.bones.get(*v)).copied();
            out.bones = picked.iter().map(|at| bones(at).unwrap_or_default()).collect();
        }
        let face = |piece: usize, at: usize| -> Option<[u32; 3]> {
            let map = maps.get(piece)?;
            let mut face = *pieces.get(piece)?.faces.get(at)?;
            for v in &mut face {
                *v = *map.get(*v as usize)?;
            }
            Some(face)
        };
        merge_levels(pieces, &mut out, &face);
        Ok(out)
    }

    /// Returns all bytes of a vertex, to find equal ones.
    fn key(&self, v: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(48);
        for column in &self.vertices.columns {
            match &column.values {
                Values::F32x3(x) => {
                    put(&mut out, x.get(v).map(|x| x.map(f32::to_bits).map(u32::to_le_bytes)))
                }
                Values::F32x2(x) => {
                    put(&mut out, x.get(v).map(|x| x.map(f32::to_bits).map(u32::to_le_bytes)))
                }
                Values::U16x4(x) | Values::F16x4(x) => {
                    put(&mut out, x.get(v).map(|x| x.map(u16::to_le_bytes)))
                }
                Values::F16x2(x) => put(&mut out, x.get(v).map(|x| x.map(u16::to_le_bytes))),
                Values::Unorm8x4(x) | Values::U8x4(x) => {
                    put(&mut out, x.get(v).map(|x| x.map(u8::to_le_bytes)))
                }
                Values::Raw { width, bytes, .. } => {
                    out.extend_from_slice(bytes.get(v * width..(v + 1) * width).unwrap_or(&[]));
                }
                Values::Same(_) => {}
            }
        }
        put(&mut out, self.bones.get(v).map(|b| b.map(u16::to_le_bytes)));
        out
    }
}

fn put<const N: usize, const M: usize>(out: &mut Vec<u8>, value: Option<[[u8; N]; M]>) {
    out.extend(value.as_ref().map_or(&[][..], |v| v.as_flattened()));
}

/// Takes vertices out of several meshes that have the same columns.
fn gather(meshes: &[BigMesh], picked: &[(usize, usize)]) -> Vertices {
    let Some(first) = meshes.first() else { return Vertices::default() };
    // Where each mesh begins when all are put after each other.
    let mut starts = Vec::with_capacity(meshes.len());
    let mut all = Vertices { count: 0, columns: first.vertices.columns.clone() };
    for (i, mesh) in meshes.iter().enumerate() {
        starts.push(all.count);
        all.count += mesh.vertices.count;
        if i > 0 {
            for (column, other) in all.columns.iter_mut().zip(&mesh.vertices.columns) {
                match (&mut column.values, &other.values) {
                    (Values::F32x3(a), Values::F32x3(b)) => a.extend(b),
                    (Values::F32x2(a), Values::F32x2(b)) => a.extend(b),
                    (Values::U16x4(a), Values::U16x4(b)) | (Values::F16x4(a), Values::F16x4(b)) => {
                        a.extend(b)
                    }
                    (Values::F16x2(a), Values::F16x2(b)) => a.extend(b),
                    (Values::Unorm8x4(a), Values::Unorm8x4(b)) | (Values::U8x4(a), Values::U8x4(b)) => {
                        a.extend(b);
                    }
                    (Values::Raw { bytes: a, .. }, Values::Raw { bytes: b, .. }) => a.extend(b),
                    _ => {}
                }
            }
        }
    }
    let at: Vec<usize> = picked.iter().map(|(m, v)| starts.get(*m).map_or(0, |s| s + v)).collect();
    all.pick(&at)
}

/// Joins the levels of detail of several pieces.
///
/// Between the places where any level begins or ends, the pieces' triangles follow each other; so each level stays in one
/// piece, if all pieces have their levels in the same order. Else each level gets triangles of its own.
fn merge_levels(pieces: &[BigMesh], out: &mut BigMesh, face: &dyn Fn(usize, usize) -> Option<[u32; 3]>) {
    let levels = pieces.iter().map(|p| p.levels.len()).max().unwrap_or(0);
    let same = pieces.iter().all(|p| p.levels.len() == levels);
    // Edges of a piece: begin and end of each level.
    let edges = |p: &BigMesh| -> Vec<usize> { p.levels.iter().flat_map(|l| [l.start, l.end]).collect() };
    let all: Vec<Vec<usize>> = pieces.iter().map(edges).collect();
    let mut order: Vec<usize> = (0..levels * 2).collect();
    let sum = |e: usize| -> usize { all.iter().filter_map(|edges| edges.get(e)).sum() };
    order.sort_by_key(|e| sum(*e));
    let sorted = |edges: &Vec<usize>| order.iter().filter_map(|e| edges.get(*e)).is_sorted();
    if same && all.iter().all(sorted) {
        let mut reached = vec![0; levels * 2];
        let mut at = vec![0; pieces.len()];
        for e in &order {
            for (p, (edges, at)) in all.iter().zip(&mut at).enumerate() {
                let to = edges.get(*e).copied().unwrap_or(*at);
                out.faces.extend((*at..to).filter_map(|f| face(p, f)));
                *at = to;
            }
            if let Some(reached) = reached.get_mut(*e) {
                *reached = out.faces.len();
            }
        }
        for (p, at) in at.iter().enumerate() {
            let end = pieces.get(p).map_or(0, |p| p.faces.len());
            out.faces.extend((*at..end).filter_map(|f| face(p, f)));
        }
        let pairs = reached.as_chunks::<2>().0;
        out.levels = pairs.iter().map(|[start, end]| *start..*end).collect();
        return;
    }
    for level in 0..levels {
        let start = out.faces.len();
        for (p, piece) in pieces.iter().enumerate() {
            let range = piece.levels.get(level).or(piece.levels.last()).cloned().unwrap_or(0..0);
            out.faces.extend(range.filter_map(|f| face(p, f)));
        }
        out.levels.push(start..out.faces.len());
    }
}

/// Pieces that are filled at the same time: enough to sort triangles by body part, few enough for linear time.
const OPEN: usize = 8;

/// A piece while it is being filled.
struct Part {
    number: usize,
    bones: HashMap<u16, ()>,
    vertices: HashMap<u32, u16>,
    kept: Vec<u32>,
    faces: Vec<[u16; 3]>,
    /// Triangles in each level so far, and where the level began.
    levels: Vec<(usize, usize)>,
}

impl Part {
    fn new(number: usize, levels: usize) -> Part {
        Part {
            number,
            bones: HashMap::new(),
            vertices: HashMap::new(),
            kept: Vec::new(),
            faces: Vec::new(),
            levels: vec![(0, 0); levels],
        }
    }

    /// Returns how many bones and vertices the triangle would add; `None` if it does not fit.
    fn growth(
        &self,
        face: &[u32; 3],
        bones: &[u16],
        levels: impl Iterator<Item = bool>,
        limits: &SplitLimits,
    ) -> Option<(usize, usize)> {
        let new_bones = bones.iter().filter(|b| !self.bones.contains_key(b)).count();
        let new_vertices = face.iter().filter(|v| !self.vertices.contains_key(v)).count();
        let room = self.levels.iter().zip(levels).all(|((count, _), here)| !here || *count < limits.faces);
        let most = limits.vertices.min(usize::from(u16::MAX));
        let fits = self.bones.len() + new_bones <= limits.bones
            && self.kept.len() + new_vertices <= most
            && (room && (!self.levels.is_empty() || self.faces.len() < limits.faces));
        fits.then_some((new_bones, new_vertices))
    }

    fn take(&mut self, face: &[u32; 3], bones: &[u16], levels: impl Iterator<Item = bool>) {
        self.bones.extend(bones.iter().map(|b| (*b, ())));
        let kept = &mut self.kept;
        let new = face.map(|v| {
            *self.vertices.entry(v).or_insert_with(|| {
                kept.push(v);
                (kept.len() - 1) as u16
            })
        });
        for ((count, first), here) in self.levels.iter_mut().zip(levels) {
            if here {
                if *count == 0 {
                    *first = self.faces.len();
                }
                *count += 1;
            }
        }
        self.faces.push(new);
    }

    fn piece(self, big: &BigMesh) -> Result<Piece> {
        let mut bones: Vec<u16> = self.bones.into_keys().collect();
        bones.sort_unstable();
        let kept: Vec<usize> = self.kept.iter().map(|v| *v as usize).collect();
        let mut vertices = big.vertices.pick(&kept);
        if !big.bones.is_empty() {
            let number = |bone: u16| bones.binary_search(&bone).unwrap_or(0) as u8;
            let of = |v: &usize| big.bones.get(*v).copied().unwrap_or_default().map(number);
            let indices = Values::U8x4(kept.iter().map(of).collect());
            insert_after_weights(&mut vertices, indices);
        }
        let windows = (self.levels.iter())
            .map(|(count, first)| Window { first: *first as u32 * 3, count: *count as u32 * 3 })
            .collect();
        let indices = self.faces.as_flattened().to_vec();
        let mesh =
            Mesh { flags: big.flags, material: big.material, bone_group: 0, vertices, indices, windows };
        Ok(Piece { mesh, bones })
    }
}

/// Puts bone indices where the game has them, after the weights.
fn insert_after_weights(vertices: &mut Vertices, indices: Values) {
    let weights = vertices.columns.iter().position(|c| c.usage == Usage::Weights);
    let at = weights.map_or(vertices.columns.len(), |w| w + 1);
    vertices.columns.insert(at, Column { usage: Usage::BoneIndices, values: indices });
    for column in &mut vertices.columns {
        if let Values::Same(of) = &mut column.values
            && *of >= at
        {
            *of += 1;
        }
    }
}
