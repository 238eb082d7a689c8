//! Rules about vertices and faces.

use std::collections::HashSet;

use super::Checker;
use crate::build::canonical_order;
use crate::mesh::{Mesh, Usage, Values};
use crate::rules::*;

impl Checker<'_> {
    pub(super) fn meshes(&mut self) {
        let levels = self.doc.lod_count();
        let stored = self.doc.lods.first().map_or(0, |l| l.count);
        if stored == 0 && !self.doc.meshes.is_empty() {
            self.add(&NO_LODS, None, || "lods".into(), || "0 levels".into());
        }
        for (i, mesh) in self.doc.meshes.iter().enumerate() {
            let path = || format!("meshes[{i}]");
            let at = self.mesh_at(i);
            if mesh.windows.is_empty() {
                self.add(&NO_LODS, at, path, || "no face window".into());
            } else if mesh.windows.len() != levels {
                let what = || format!("{} levels, another mesh has {levels}", mesh.windows.len());
                self.add(&WINDOW_COUNT, at, path, what);
            }
            if usize::from(mesh.material) >= self.doc.materials.len() {
                let of = self.doc.materials.len();
                self.add(&MESH_MATERIAL, at, path, || format!("material {} of {of}", mesh.material));
            }
            let unknown = mesh.flags & !Mesh::KNOWN_FLAGS;
            if unknown != 0 {
                self.add(&UNKNOWN_FLAGS, at, path, || format!("bits 0x{unknown:x} of 0x{:x}", mesh.flags));
            }
            if mesh.flags & Mesh::SHADOW_ONLY != 0 {
                self.add(&SHADOW_ONLY, at, path, || format!("flags 0x{:x}", mesh.flags));
            }
            self.faces(i, mesh);
            self.columns(i, mesh);
            self.values(i, mesh);
            self.skin(i, mesh);
        }
    }

    fn faces(&mut self, i: usize, mesh: &Mesh) {
        let at = self.mesh_at(i);
        let path = || format!("meshes[{i}]");
        let count = mesh.vertices.count;
        if count == 0 {
            self.add(&NO_VERTICES, at, path, || "0 vertices".into());
        }
        let mut highest = None;
        let mut used = vec![false; count];
        for index in &mesh.indices {
            match used.get_mut(usize::from(*index)) {
                Some(slot) => *slot = true,
                None => highest = highest.max(Some(*index)),
            }
        }
        if let Some(index) = highest {
            self.add(&INDEX_RANGE, at, path, || format!("index {index} of {count} vertices"));
        }
        let unused = used.iter().filter(|u| !**u).count();
        if unused > 0 {
            self.add(&UNUSED_VERTICES, at, path, || format!("{unused} of {count}"));
        }
        let mut previous = u32::MAX;
        for (level, w) in mesh.windows.iter().enumerate() {
            let path = || format!("meshes[{i}].windows[{level}]");
            if !w.count.is_multiple_of(3) || !w.first.is_multiple_of(3) {
                self.add(&WINDOW_THIRDS, at, path, || format!("{} from {}", w.count, w.first));
            }
            let end = u64::from(w.first) + u64::from(w.count);
            if end > mesh.indices.len() as u64 {
                let of = mesh.indices.len();
                self.add(&WINDOW_RANGE, at, path, || format!("ends at {end} of {of}"));
            }
            if level == 0 && w.first != 0 {
                self.add(&WINDOW_FIRST, at, path, || format!("begins at {}", w.first));
            }
            if w.count > previous {
                self.add(&WINDOW_GROWS, at, path, || format!("{} after {previous}", w.count));
            }
            previous = w.count;
        }
        if mesh.windows.first().is_some_and(|w| w.count == 0) {
            self.add(&NO_FACES, at, path, || "level 0 is empty".into());
        }
        let most = mesh.windows.iter().map(|w| w.count / 3).max().unwrap_or(0);
        if most > 21_845 {
            self.add(&FACE_LIMIT, at, path, || format!("{most} faces"));
        }
        let degenerate = mesh.faces(0).filter(|[a, b, c]| a == b || b == c || a == c).count();
        if degenerate > 0 {
            self.add(&DEGENERATE, at, path, || format!("{degenerate} triangles"));
        }
        // Of sheets that are seen from both sides, either may be the front.
        if mesh.flags & Mesh::TWO_SIDED == 0
            && let Some((against, all)) = mesh.facing()
            && against * 2 > all
        {
            self.add(&INSIDE_OUT, at, path, || format!("{against} of {all} faces"));
        }
    }

    /// Checks which attributes there are, in which types.
    fn columns(&mut self, i: usize, mesh: &Mesh) {
        let at = self.mesh_at(i);
        let path = || format!("meshes[{i}]");
        let v = &mesh.vertices;
        let mut seen = HashSet::new();
        for column in &v.columns {
            let name = column.usage.name();
            if !seen.insert(column.usage) {
                self.add(&DOUBLE_USAGE, at, path, || name.clone());
            }
            let values = v.resolve(&column.values);
            let right = match (column.usage, values) {
                (Usage::Unknown(_), _) | (_, Some(Values::Raw { .. }) | None) => None,
                (Usage::Position, Some(v)) => Some(matches!(v, Values::F32x3(_))),
                (Usage::Normal | Usage::Tangent, Some(v)) => Some(matches!(v, Values::F16x4(_))),
                (Usage::Colour | Usage::Weights | Usage::Weights2, Some(v)) => {
                    Some(matches!(v, Values::Unorm8x4(_)))
                }
                (Usage::BoneIndices, Some(v)) => Some(matches!(v, Values::U8x4(_))),
                (Usage::BoneIndices2, Some(v)) => Some(matches!(v, Values::U16x4(_) | Values::U8x4(_))),
                (Usage::Uv(_), Some(v)) => Some(matches!(v, Values::F16x2(_) | Values::F32x2(_))),
            };
            let format = values.and_then(Values::format).unwrap_or(0);
            match right {
                None => self.add(&UNKNOWN_USAGE, at, path, || format!("{name}, type {format}")),
                Some(false) => self.add(&UNUSUAL_TYPE, at, path, || format!("{name}, type {format}")),
                Some(true) => {}
            }
        }
        let order = canonical_order(mesh);
        if !order.is_sorted() {
            let found: Vec<String> = v.columns.iter().map(|c| c.usage.name()).collect();
            self.add(&ELEMENT_ORDER, at, path, || found.join(", "));
        }
        let has = |usage: Usage| seen.contains(&usage);
        if v.positions().is_none() {
            self.add(&NO_POSITIONS, at, path, || "no positions of type 1".into());
        }
        if !has(Usage::Normal) {
            self.add(&NO_NORMALS, at, path, || "no normals".into());
        }
        if let Some(material) = self.doc.materials.get(usize::from(mesh.material)) {
            let normal_map = crate::str_code64(b"NormalMap_Tex_NRM");
            if !has(Usage::Tangent) && material.textures.iter().any(|t| t.slot.code() == normal_map) {
                self.add(&NO_TANGENTS, at, path, || format!("material {:?}", material.name));
            }
            if !has(Usage::Uv(0)) && !material.textures.is_empty() {
                self.add(&NO_UVS, at, path, || format!("material {:?}", material.name));
            }
        }
        if has(Usage::Weights) != has(Usage::BoneIndices) || has(Usage::Weights2) != has(Usage::BoneIndices2)
        {
            self.add(&SKIN_HALF, at, path, || "one of the two is missing".into());
        }
    }

    /// Checks numbers that should be finite or of length 1. One finding per mesh and rule, with the first bad vertex.
    fn values(&mut self, i: usize, mesh: &Mesh) {
        let at = self.mesh_at(i);
        let v = &mesh.vertices;
        let at_vertex = |n: usize, what: &str| format!("meshes[{i}].{what}[{n}]");
        let bad = |p: &[f32; 3]| p.iter().any(|x| !x.is_finite());
        if let Some(n) = v.positions().and_then(|p| p.iter().position(bad)) {
            self.add(
                &BAD_POSITION,
                at,
                || at_vertex(n, "positions"),
                || format!("{:?}", v.positions().and_then(|p| p.get(n))),
            );
        }
        for set in 0..4 {
            let bad = |p: &[f32; 2]| p.iter().any(|x| !x.is_finite());
            if let Some(n) = v.uvs(set).and_then(|p| p.iter().position(bad)) {
                self.add(&BAD_UV, at, || at_vertex(n, &format!("uv{set}")), || "not finite".into());
            }
        }
        if let Some(mut normals) = v.normals()
            && let Some((n, x)) = normals.by_ref().enumerate().find(|(_, x)| !is_unit(*x) || x[3] != 1.0)
        {
            self.add(&NORMAL_LENGTH, at, || at_vertex(n, "normals"), || format!("{x:?}"));
        }
        if let Some(tangents) = v.tangents() {
            let (mut length, mut side) = (None, None);
            for (n, x) in tangents.enumerate() {
                length = length.or((!is_unit(x)).then_some((n, x)));
                side = side.or((x[3].abs() != 1.0).then_some((n, x)));
            }
            for (rule, found) in [(&TANGENT_LENGTH, length), (&TANGENT_SIDE, side)] {
                if let Some((n, x)) = found {
                    self.add(rule, at, || at_vertex(n, "tangents"), || format!("{x:?}"));
                }
            }
        }
    }

    fn skin(&mut self, i: usize, mesh: &Mesh) {
        let at = self.mesh_at(i);
        let v = &mesh.vertices;
        if !mesh.is_skinned() {
            return;
        }
        let path = || format!("meshes[{i}]");
        let Some(group) = self.doc.bone_group(mesh) else {
            let of = self.doc.bone_groups.len();
            self.add(&MESH_BONES, at, path, || format!("bone group {} of {of}", mesh.bone_group));
            return;
        };
        let (Some(weights), Some(indices)) = (v.weights(), v.bone_indices()) else { return };
        // Second weights share the 255 with the first.
        let second = match v.get(Usage::Weights2) {
            Some(Values::Unorm8x4(w)) => &w[..],
            _ => &[],
        };
        let (mut sum, mut none, mut order, mut range) = (None, None, None, None);
        for (n, (w, b)) in weights.iter().zip(indices).enumerate() {
            let total: u16 = w.iter().chain(second.get(n).into_iter().flatten()).map(|w| u16::from(*w)).sum();
            match total {
                255 => {}
                0 => none = none.or(Some((n, *w))),
                _ => sum = sum.or(Some((n, *w))),
            }
            if !w.is_sorted_by(|a, b| a >= b) {
                order = order.or(Some((n, *w)));
            }
            let lost = w.iter().zip(b).any(|(w, b)| *w > 0 && usize::from(*b) >= group.bones.len());
            if lost {
                range = range.or(Some((n, *b)));
            }
        }
        for (rule, found) in
            [(&WEIGHT_SUM, sum), (&NO_WEIGHT, none), (&WEIGHT_ORDER, order), (&BONE_INDEX, range)]
        {
            if let Some((n, x)) = found {
                self.add(rule, at, || format!("meshes[{i}].weights[{n}]"), || format!("{x:?}"));
            }
        }
    }
}

/// Returns `true` if a direction is of length 1, as far as half floats can tell.
pub(crate) fn is_unit(v: [f32; 4]) -> bool {
    let [x, y, z, _] = v;
    (x * x + y * y + z * z - 1.0).abs() < 0.02
}

impl Mesh {
    /// Returns how many LOD-0 faces point against their vertices' normals, of how many that have a direction.
    pub(crate) fn facing(&self) -> Option<(usize, usize)> {
        let positions = self.vertices.positions()?;
        let normals: Vec<[f32; 4]> = self.vertices.normals()?.collect();
        let (mut against, mut all) = (0, 0);
        for face in self.faces(0) {
            let [a, b, c] = face.map(usize::from);
            let (Some(p), Some(q), Some(r)) = (positions.get(a), positions.get(b), positions.get(c)) else {
                continue;
            };
            let (u, v) = ([q[0] - p[0], q[1] - p[1], q[2] - p[2]], [r[0] - p[0], r[1] - p[1], r[2] - p[2]]);
            let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let mut dot = 0.0;
            for normal in [a, b, c].iter().filter_map(|i| normals.get(*i)) {
                dot += cross[0] * normal[0] + cross[1] * normal[1] + cross[2] * normal[2];
            }
            if dot != 0.0 && dot.is_finite() {
                all += 1;
                // Clockwise faces have their cross product behind them.
                against += usize::from(dot > 0.0);
            }
        }
        Some((against, all))
    }
}
