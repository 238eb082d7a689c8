//! Fields that follow from other fields: boxes, usage masks, weights per vertex, surface, texel density.

use crate::mesh::Mesh;
use crate::model::Fmdl;
use crate::wire::Bounds;

/// Everything that can be computed from the geometry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Derived {
    /// Box of the whole model: the boxes of all runs, moved by their groups' pivots.
    pub bounds: Bounds,
    /// Box of each run's vertices.
    pub run_bounds: Vec<Bounds>,
    /// Box of the vertices that each bone moves; empty for bones that move none.
    pub bone_bounds: Vec<Bounds>,
    /// Most weights per vertex in each bone group.
    pub max_weights: Vec<u16>,
    /// Usage mask of each mesh's vertex layout.
    pub usage_masks: Vec<u16>,
    /// Surface of all LOD-0 triangles in square metres.
    pub area: f32,
    /// Metres per unit of UV 0; `None` without UVs.
    pub texel_density: Option<f32>,
}

impl Bounds {
    /// Grows to hold a point.
    pub fn include(&mut self, point: [f32; 3]) {
        for ((max, min), x) in self.max.iter_mut().zip(&mut self.min).zip(point) {
            if x > *max {
                *max = x;
            }
            if x < *min {
                *min = x;
            }
        }
    }

    /// Returns the box of some points; [`Bounds::EMPTY`] for none.
    pub fn of(points: impl IntoIterator<Item = [f32; 3]>) -> Bounds {
        let mut out = Bounds::EMPTY;
        points.into_iter().for_each(|p| out.include(p));
        out
    }

    /// Grows to hold another box, moved by an offset. Empty boxes change nothing.
    pub fn include_box(&mut self, other: &Bounds, by: [f32; 3]) {
        if !other.is_empty() {
            for corner in [other.max, other.min] {
                let [x, y, z, _] = corner;
                let [dx, dy, dz] = by;
                self.include([x + dx, y + dy, z + dz]);
            }
        }
    }
}

impl Mesh {
    /// Returns the mask that its vertex layout has: 1 << (highest usage up to 11).
    pub fn usage_mask(&self) -> u16 {
        let ids = self.vertices.columns.iter().map(|c| c.usage.id()).filter(|id| *id <= 11);
        ids.max().map_or(0, |id| 1 << id)
    }

    /// Returns the largest number of bones that one vertex names. A bone whose weight was rounded to 0 still counts, as it does for the game's
    /// compiler.
    pub fn max_weights(&self) -> u16 {
        self.weight_counts().max().unwrap_or(0)
    }

    /// Returns how many vertices name more bones than this.
    pub(crate) fn vertices_with_weights(&self, more_than: u16) -> usize {
        self.weight_counts().filter(|count| *count > more_than).count()
    }

    /// Returns how many bones each vertex names.
    fn weight_counts(&self) -> impl Iterator<Item = u16> {
        let v = &self.vertices;
        let (weights, indices) = (v.weights().unwrap_or(&[]), v.bone_indices().unwrap_or(&[]));
        let named = |(w, i): (&[u8; 4], &[u8; 4])| {
            w.iter().zip(i).filter(|(w, i)| names_bone(**w, **i)).count() as u16
        };
        weights.iter().zip(indices).map(named)
    }

    /// Returns the surface of the LOD-0 triangles in the model and, where UV 0 is there, on the texture.
    pub fn areas(&self) -> (f64, Option<f64>) {
        let positions = self.vertices.positions().unwrap_or(&[]);
        let uvs = self.vertices.uvs(0);
        let (mut surface, mut texture) = (0.0, 0.0);
        for face in self.faces(0) {
            let [a, b, c] = face.map(usize::from);
            if let (Some(a), Some(b), Some(c)) = (positions.get(a), positions.get(b), positions.get(c)) {
                surface += triangle_area(*a, *b, *c);
            }
            if let Some(uvs) = &uvs
                && let (Some(a), Some(b), Some(c)) = (uvs.get(a), uvs.get(b), uvs.get(c))
            {
                let flat = |p: &[f32; 2]| [p[0], p[1], 0.0];
                texture += triangle_area(flat(a), flat(b), flat(c));
            }
        }
        (surface, uvs.is_some().then_some(texture))
    }
}

/// Returns `true` if a vertex names a bone with this weight and index: index 0 with weight 0 is how unused places are
/// filled.
fn names_bone(weight: u8, index: u8) -> bool {
    weight > 0 || index > 0
}

/// Returns the area of a triangle.
pub(crate) fn triangle_area(a: [f32; 3], b: [f32; 3], c: [f32; 3]) -> f64 {
    let edge = |to: [f32; 3]| {
        let [x, y, z] = to;
        [f64::from(x) - f64::from(a[0]), f64::from(y) - f64::from(a[1]), f64::from(z) - f64::from(a[2])]
    };
    let ([ux, uy, uz], [vx, vy, vz]) = (edge(b), edge(c));
    let (x, y, z) = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
    (x * x + y * y + z * z).sqrt() / 2.0
}

impl Fmdl {
    /// Computes all derived fields from the geometry.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Mesh, Run, Usage, Values};
    /// let mut model = Fmdl::new(2.04);
    /// let mut mesh = Mesh::default();
    /// mesh.vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]));
    /// mesh.set_faces(&[[0, 2, 1]]);
    /// model.meshes.push(mesh);
    /// model.runs.push(Run { mesh_count: 1, ..Run::default() });
    /// let derived = model.derive();
    /// assert_eq!(derived.area, 2.0);
    /// assert_eq!(derived.bounds.max, [2.0, 2.0, 0.0, 1.0]);
    /// ```
    pub fn derive(&self) -> Derived {
        let boxes: Vec<Bounds> = (self.meshes.iter())
            .map(|m| Bounds::of(m.vertices.positions().unwrap_or(&[]).iter().copied()))
            .collect();
        let mut out = Derived { bounds: Bounds::EMPTY, ..Derived::default() };
        // Each mesh belongs to one run. In a broken file thousands of runs may hold all meshes: then the rest is
        // given up after a while.
        let mut work = 64 * (boxes.len() + self.runs.len());
        for (run, pivot) in self.runs.iter().zip(self.run_pivots()) {
            let mut bounds = Bounds::EMPTY;
            let own = boxes.get(run.meshes()).filter(|own| own.len() <= work).unwrap_or(&[]);
            work -= own.len();
            for mesh in own {
                bounds.include_box(mesh, [0.0; 3]);
            }
            out.bounds.include_box(&bounds, pivot);
            out.run_bounds.push(bounds);
        }
        out.bone_bounds = self.bone_boxes();
        out.max_weights = vec![0; self.bone_groups.len()];
        let (mut surface, mut texture, mut has_uv) = (0.0, 0.0, false);
        for mesh in &self.meshes {
            out.usage_masks.push(mesh.usage_mask());
            if mesh.is_skinned()
                && let Some(max) = out.max_weights.get_mut(usize::from(mesh.bone_group))
            {
                *max = (*max).max(mesh.max_weights());
            }
            let (own, uv) = mesh.areas();
            surface += own;
            if let Some(uv) = uv {
                texture += uv;
                has_uv = true;
            }
        }
        out.area = surface as f32;
        out.texel_density =
            (has_uv && texture > 0.0 && surface > 0.0).then(|| (surface / texture).sqrt() as f32);
        out
    }

    /// Returns the pivot of each run's group; zero where it has none.
    fn run_pivots(&self) -> Vec<[f32; 3]> {
        let pivot = |group: u16| self.groups.get(usize::from(group)).and_then(|g| g.pivot);
        self.runs.iter().map(|r| pivot(r.group).map_or([0.0; 3], |[x, y, z, _]| [x, y, z])).collect()
    }

    /// Returns the box of the vertices that name each bone.
    fn bone_boxes(&self) -> Vec<Bounds> {
        self.boxes_of(names_bone)
    }

    /// Returns the box of the vertices that each bone moves: bones with weight 0 count for the file's boxes, but other programs
    /// forget them.
    pub(crate) fn moved_boxes(&self) -> Vec<Bounds> {
        self.boxes_of(|weight, _| weight > 0)
    }

    fn boxes_of(&self, names: fn(u8, u8) -> bool) -> Vec<Bounds> {
        let mut out = vec![Bounds::EMPTY; self.bones.len()];
        self.each_named(names, |bone, _, position| {
            if let Some(bounds) = out.get_mut(bone) {
                bounds.include(position);
            }
        });
        out
    }

    /// Calls a function for each vertex and bone that moves it: the bone, the number of the vertex in the model, its
    /// position. A vertex that names a bone twice comes twice.
    pub(crate) fn each_weighted(&self, each: impl FnMut(usize, usize, [f32; 3])) {
        self.each_named(names_bone, each);
    }

    fn each_named(&self, names: fn(u8, u8) -> bool, mut each: impl FnMut(usize, usize, [f32; 3])) {
        let mut first = 0;
        for mesh in &self.meshes {
            let Some(group) = self.bone_group(mesh) else { continue };
            let v = &mesh.vertices;
            let (Some(positions), Some(weights), Some(indices)) =
                (v.positions(), v.weights(), v.bone_indices())
            else {
                continue;
            };
            let vertices = positions.iter().zip(weights).zip(indices);
            for (vertex, ((position, weights), indices)) in vertices.enumerate() {
                for (weight, index) in weights.iter().zip(indices) {
                    let bone = group.bones.get(usize::from(*index)).filter(|_| names(*weight, *index));
                    if let Some(bone) = bone {
                        each(usize::from(*bone), first + vertex, *position);
                    }
                }
            }
            first += positions.len();
        }
    }
}

/// How many stored fields agree with those computed from the geometry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Agreement {
    /// Model boxes that are bit-equal, of how many.
    pub model_boxes: (usize, usize),
    /// Run boxes that are bit-equal.
    pub run_boxes: (usize, usize),
    /// Bone boxes that are bit-equal.
    pub bone_boxes: (usize, usize),
    /// Usage masks that are equal (only of documents that were read from a file).
    pub usage_masks: (usize, usize),
    /// Weights per vertex of a bone group that are equal.
    pub max_weights: (usize, usize),
    /// Weights per vertex of a bone group that are not above the stored value.
    pub max_weights_not_above: (usize, usize),
    /// Surfaces within 1e-4 of the stored value.
    pub areas: (usize, usize),
    /// Texel densities within 1e-3 of the stored value.
    pub texel_densities: (usize, usize),
}

impl Agreement {
    /// Returns one line per field: its name, how many agree, of how many.
    pub fn lines(&self) -> [(&'static str, usize, usize); 8] {
        let line = |name, (held, of)| (name, held, of);
        [
            line("model boxes, bit-equal", self.model_boxes),
            line("run boxes, bit-equal", self.run_boxes),
            line("bone boxes, bit-equal", self.bone_boxes),
            line("usage masks, equal", self.usage_masks),
            line("weights per vertex, equal", self.max_weights),
            line("weights per vertex, not above", self.max_weights_not_above),
            line("surface, within 1e-4", self.areas),
            line("texel density, within 1e-3", self.texel_densities),
        ]
    }
}

impl std::ops::AddAssign for Agreement {
    fn add_assign(&mut self, other: Agreement) {
        let add = |a: &mut (usize, usize), b: (usize, usize)| *a = (a.0 + b.0, a.1 + b.1);
        add(&mut self.model_boxes, other.model_boxes);
        add(&mut self.run_boxes, other.run_boxes);
        add(&mut self.bone_boxes, other.bone_boxes);
        add(&mut self.usage_masks, other.usage_masks);
        add(&mut self.max_weights, other.max_weights);
        add(&mut self.max_weights_not_above, other.max_weights_not_above);
        add(&mut self.areas, other.areas);
        add(&mut self.texel_densities, other.texel_densities);
    }
}

/// Counts the pairs for which something holds.
fn count<A, B>(a: &[A], b: &[B], holds: impl Fn(&A, &B) -> bool) -> (usize, usize) {
    (a.iter().zip(b).filter(|(a, b)| holds(a, b)).count(), a.len())
}

/// Returns `true` if two figures differ by no more than this part of the second.
pub(crate) fn within(a: f32, b: f32, part: f64) -> bool {
    let (a, b) = (f64::from(a), f64::from(b));
    a == b || (a - b).abs() <= part * b.abs()
}

impl Fmdl {
    /// Returns the usage masks that the file has; empty for documents that were not read from one.
    pub(crate) fn stored_masks(&self) -> Vec<u16> {
        let Some(original) = &self.layout.original else { return Vec::new() };
        let t = &original.tables;
        let mask = |m: &crate::wire::Mesh| t.layouts.get(usize::from(m.layout)).map_or(0, |l| l.usage_mask);
        t.meshes.iter().map(mask).collect()
    }

    /// Compares the stored fields with the computed ones.
    ///
    /// ```
    /// let model = galatea_fox::Fmdl::new(2.04);
    /// assert_eq!(model.agreement().model_boxes, (1, 1));
    /// ```
    pub fn agreement(&self) -> Agreement {
        let d = self.derive();
        let same = |a: &Bounds, b: &Bounds| a.same_bits(b);
        let density = d.texel_density.unwrap_or(1.0);
        Agreement {
            model_boxes: count(&[self.bounds], &[d.bounds], same),
            run_boxes: count(&self.runs, &d.run_bounds, |r, b| r.bounds.same_bits(b)),
            bone_boxes: count(&self.bones, &d.bone_bounds, |r, b| r.bounds.same_bits(b)),
            usage_masks: count(&self.stored_masks(), &d.usage_masks, u16::eq),
            max_weights: count(&self.bone_groups, &d.max_weights, |g, w| g.max_weights == *w),
            max_weights_not_above: count(&self.bone_groups, &d.max_weights, |g, w| *w <= g.max_weights),
            areas: count(&self.statistics, &[d.area], |s, a| within(s.area, *a, 1e-4)),
            texel_densities: count(&self.statistics, &[density], |s, t| within(s.texel_density, *t, 1e-3)),
        }
    }

    /// Replaces all stored derived fields by computed ones. Call it after changing geometry.
    ///
    /// ```
    /// let mut model = galatea_fox::Fmdl::new(2.04);
    /// model.rederive();
    /// assert!(model.bounds.is_empty());
    /// ```
    pub fn rederive(&mut self) {
        let d = self.derive();
        self.bounds = d.bounds;
        for (run, bounds) in self.runs.iter_mut().zip(d.run_bounds) {
            run.bounds = bounds;
        }
        for (bone, bounds) in self.bones.iter_mut().zip(d.bone_bounds) {
            bone.bounds = bounds;
            bone.flags = bone.flags & !1 | u16::from(!bounds.is_empty());
        }
        for (group, max) in self.bone_groups.iter_mut().zip(d.max_weights) {
            group.max_weights = max.max(1);
        }
        let levels = u16::try_from(self.lod_count()).unwrap_or(u16::MAX);
        if let Some(lods) = self.lods.first_mut().filter(|_| levels > 0) {
            lods.count = levels;
        }
        if let Some(statistics) = self.statistics.first_mut() {
            statistics.area = d.area;
            statistics.texel_density = d.texel_density.unwrap_or(1.0);
        }
    }
}
