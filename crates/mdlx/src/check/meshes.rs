//! Geosets and their animations.

use std::collections::HashSet;

use super::{At, Check, is_index};
use crate::rules::*;
use crate::{Bounds, Feature, Geoset, NodeKind};

/// Returns the box around the vertices, and the farthest of them from the origin; `None` if there are none or one is not finite.
pub(crate) fn bounds_of(vertices: &[[f32; 3]]) -> Option<Bounds> {
    let first = vertices.first()?;
    let mut bounds = Bounds { radius: 0.0, min: *first, max: *first };
    let mut far = 0.0f32;
    for vertex in vertices {
        for ((x, low), high) in vertex.iter().zip(&mut bounds.min).zip(&mut bounds.max) {
            *low = low.min(*x);
            *high = high.max(*x);
        }
        far = far.max(vertex.iter().map(|x| x * x).sum());
    }
    bounds.radius = far.sqrt();
    let finite = vertices.iter().flatten().all(|x| x.is_finite()) && bounds.radius.is_finite();
    finite.then_some(bounds)
}

impl Bounds {
    /// Returns the extent of these points; `None` if there are none, or not all of them are finite.
    ///
    /// ```
    /// use galatea_mdlx::Bounds;
    /// let bounds = Bounds::around(&[[3.0, 4.0, 0.0], [-1.0, 0.0, 0.0]]).unwrap();
    /// assert_eq!((bounds.radius, bounds.min), (5.0, [-1.0, 0.0, 0.0]));
    /// ```
    pub fn around(points: &[[f32; 3]]) -> Option<Bounds> {
        bounds_of(points)
    }
}

/// Returns how far rounding may put vertices outside their bounds.
pub(crate) fn slack(real: &Bounds) -> f32 {
    0.5 + real.radius * 0.01
}

/// Returns `true` if the vertices lie outside these bounds by more than rounding.
fn sticks_out(declared: &Bounds, real: &Bounds) -> bool {
    let slack = slack(real);
    let low = real.min.iter().zip(&declared.min).any(|(a, b)| *a < b - slack);
    let high = real.max.iter().zip(&declared.max).any(|(a, b)| *a > b + slack);
    low || high
}

/// Returns `true` if the minimum exceeds the maximum on any axis.
fn is_inverted(bounds: &Bounds) -> bool {
    bounds.min.iter().zip(&bounds.max).any(|(low, high)| low > high)
}

impl Check<'_> {
    pub(super) fn meshes(&mut self) {
        let m = self.m;
        for (index, geoset) in m.geosets.iter().enumerate() {
            let at = At("geosets", index);
            if geoset.material_id as usize >= m.materials.len() {
                self.add(&GEOSET_MATERIAL, at, || format!("material {}", geoset.material_id));
            }
            self.counts(at, geoset);
            self.faces(at, geoset);
            self.skinning(at, geoset);
            self.shape(at, geoset);
            self.coordinates(at, geoset);
        }
        let lods = m.version.has(Feature::LevelOfDetail) && !m.geosets.is_empty();
        if lods && m.geosets.iter().all(|g| g.lod > 0) {
            self.add_plain(&NO_FINEST_LOD, "geosets", || format!("{} geosets", m.geosets.len()));
        }
        let mut animated = HashSet::new();
        for (index, anim) in m.geoset_anims.iter().enumerate() {
            let at = At("geoset_anims", index);
            let id = anim.geoset_id;
            if id == -1 {
                self.add(&GEOSET_ANIM_NONE, at, || "geoset -1".into());
            } else if !is_index(id, m.geosets.len()) {
                self.add(&GEOSET_ANIM_GEOSET, at, || format!("geoset {id}"));
            } else if !animated.insert(id) {
                self.add(&GEOSET_ANIM_TWICE, at, || format!("geoset {id}"));
            } else if anim.alpha <= 0.0 && anim.tracks.get(b"KGAO").is_none() {
                self.add(&NEVER_SEEN, at, || format!("geoset {id}"));
            }
        }
    }

    fn counts(&mut self, at: At, geoset: &Geoset) {
        let count = geoset.vertices.len();
        if count == 0 {
            self.add(&NO_VERTICES, at, || "no vertices".into());
        }
        if count > 65535 {
            self.add(&TOO_MANY, at, || format!("{count} vertices"));
        }
        let message = |n: usize| move || format!("{n} for {count} vertices");
        if geoset.normals.len() != count {
            self.add(&NORMAL_COUNT, at, message(geoset.normals.len()));
        }
        if geoset.skin.is_none() && geoset.vertex_groups.len() != count {
            self.add(&GROUP_COUNT, at, message(geoset.vertex_groups.len()));
        }
        if let Some(set) = geoset.uvs.iter().find(|set| set.len() != count) {
            self.add(&UV_COUNT, at, message(set.len()));
        }
        if geoset.uvs.is_empty() {
            self.add(&NO_UVS, at, || "no texture coordinates".into());
        }
        if let Some(tangents) = geoset.tangents.as_ref().filter(|t| t.len() != count) {
            self.add(&TANGENT_COUNT, at, message(tangents.len()));
        }
        if let Some(skin) = geoset.skin.as_ref().filter(|s| s.len() != count) {
            self.add(&SKIN_COUNT, at, message(skin.len()));
        }
        let sequences = self.m.sequences.len();
        if !self.m.version.has(Feature::VertexBuffers) && geoset.sequence_bounds.len() != sequences {
            let message = || format!("{} for {sequences} sequences", geoset.sequence_bounds.len());
            self.add(&SEQUENCE_BOUNDS, at, message);
        }
    }

    fn faces(&mut self, at: At, geoset: &Geoset) {
        let faces = &geoset.faces;
        if faces.is_empty() {
            self.add(&NO_FACES, at, || "no faces".into());
            return;
        }
        let count = geoset.vertices.len();
        if let Some(index) = faces.iter().find(|i| usize::from(**i) >= count) {
            self.add(&FACE_INDEX, at, || format!("vertex {index} of {count}"));
        }
        let listed: u64 = geoset.face_counts.iter().map(|n| u64::from(*n)).sum();
        if geoset.face_types.len() != geoset.face_counts.len() || listed != faces.len() as u64 {
            let message = || {
                let (types, groups) = (geoset.face_types.len(), geoset.face_counts.len());
                format!("{types} types and {groups} groups of {listed} indices, {} are listed", faces.len())
            };
            self.add(&FACE_GROUPS, at, message);
        }
        if let Some(kind) = geoset.face_types.iter().find(|t| **t != 4) {
            self.add(&FACE_TYPE, at, || format!("type {kind}"));
        } else if !faces.len().is_multiple_of(3) {
            self.add(&FACE_GROUPS, at, || format!("{} indices are no triangles", faces.len()));
        }
        let flat = geoset.triangles().into_iter().filter(|t| is_flat(geoset, *t)).count();
        if flat > 0 {
            self.add(&ZERO_AREA, at, || format!("{flat} of {}", faces.len() / 3));
        }
        let mut used = vec![false; count];
        for index in faces {
            if let Some(seen) = used.get_mut(usize::from(*index)) {
                *seen = true;
            }
        }
        let unused = used.iter().filter(|u| !**u).count();
        if unused > 0 {
            self.add(&UNUSED_VERTICES, at, || format!("{unused} of {count}"));
        }
    }

    fn skinning(&mut self, at: At, geoset: &Geoset) {
        let groups = geoset.group_sizes.len();
        if geoset.skin.is_none() {
            if groups == 0 || geoset.matrices.is_empty() {
                self.add(&NO_BONE, at, || "no matrix groups".into());
            }
            if let Some(group) = geoset.vertex_groups.iter().find(|g| usize::from(**g) >= groups) {
                self.add(&VERTEX_GROUP, at, || format!("group {group} of {groups}"));
            }
            if let Some(group) = geoset.group_sizes.iter().position(|n| *n == 0) {
                self.add(&GROUP_EMPTY, at, || format!("group {group}"));
            }
        }
        let required: u64 = geoset.group_sizes.iter().map(|n| u64::from(*n)).sum();
        if required != geoset.matrices.len() as u64 {
            self.add(&MATRIX_COUNT, at, || format!("{required} required, {} listed", geoset.matrices.len()));
        }
        if geoset.group_sizes.iter().any(|n| *n > 4) {
            let most = geoset.group_sizes.iter().max().copied().unwrap_or(0);
            self.add(&GROUP_LARGE, at, || format!("{most} bones"));
        }
        for id in geoset.matrices.iter().collect::<HashSet<_>>() {
            match self.by_id.get(id) {
                None => self.add(&MATRIX_NODE, at, || format!("object id {id}")),
                Some((NodeKind::Bone, _)) => {}
                Some((kind, _)) => {
                    let kind = *kind;
                    self.add(&MATRIX_NOT_A_BONE, at, || format!("object id {id} is a {kind:?}"));
                }
            }
        }
        let Some(skin) = &geoset.skin else { return };
        let mut bones = HashSet::new();
        let mut uneven = 0usize;
        for weight in skin {
            bones.extend(weight.bones.iter().zip(weight.weights).filter(|(_, w)| *w > 0).map(|(b, _)| *b));
            uneven += usize::from(weight.weights.iter().map(|w| u32::from(*w)).sum::<u32>() != 255);
        }
        for bone in bones {
            if !self.by_id.contains_key(&u32::from(bone)) {
                self.add(&SKIN_NODE, at, || format!("object id {bone}"));
            }
        }
        if uneven > 0 {
            self.add(&WEIGHT_SUM, at, || format!("{uneven} of {} vertices", skin.len()));
        }
    }

    fn shape(&mut self, at: At, geoset: &Geoset) {
        let wild = |v: &[f32; 3]| v.iter().any(|x| !x.is_finite());
        if let Some(vertex) = geoset.vertices.iter().position(wild) {
            self.add(&NOT_A_NUMBER, at, || format!("vertex {vertex}"));
        }
        let off = |n: &&[f32; 3]| {
            let length = n.iter().map(|x| x * x).sum::<f32>();
            !(0.9..=1.1).contains(&length)
        };
        let wrong = geoset.normals.iter().filter(off).count();
        if wrong > 0 {
            self.add(&NORMAL_LENGTH, at, || format!("{wrong} of {}", geoset.normals.len()));
        }
        if self.m.version.has(Feature::VertexBuffers) {
            return;
        }
        if is_inverted(&geoset.bounds) {
            let message = || format!("{:?} to {:?}", geoset.bounds.min, geoset.bounds.max);
            self.add(&BOUNDS_INVERTED, at, message);
        } else if let Some(real) = bounds_of(&geoset.vertices)
            && sticks_out(&geoset.bounds, &real)
        {
            self.add(&BOUNDS_WRONG, at, || format!("vertices from {:?} to {:?}", real.min, real.max));
        }
    }

    fn coordinates(&mut self, at: At, geoset: &Geoset) {
        let Some(material) = self.m.materials.get(geoset.material_id as usize) else { return };
        let sets = geoset.uvs.len();
        let none = u32::MAX;
        if let Some(layer) =
            material.layers.iter().find(|l| l.coord_id != none && l.coord_id as usize >= sets)
            && sets > 0
        {
            self.add(&COORD_ID, at, || format!("set {} of {sets}", layer.coord_id));
        }
    }
}

fn is_flat(geoset: &Geoset, triangle: [u16; 3]) -> bool {
    let [a, b, c] = triangle.map(|i| geoset.vertices.get(usize::from(i)).copied());
    let (Some(a), Some(b), Some(c)) = (a, b, c) else { return false };
    let minus = |[a, b, c]: [f32; 3], [d, e, f]: [f32; 3]| [a - d, b - e, c - f];
    let ([x, y, z], [u, v, w]) = (minus(b, a), minus(c, a));
    [y * w - z * v, z * u - x * w, x * v - y * u] == [0.0; 3]
}
