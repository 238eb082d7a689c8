//! Checks of meshes and their box trees.

use galatea_wire::escape_bytes;

use super::{Checker, finite};
use crate::mdl::derive::vector;
use crate::mdl::mesh::{AabbTree, IndexLists, Mesh, PositionCopy};
use crate::mdl::rules::*;
use crate::mdl::{AabbLayout, derive};

impl Checker<'_> {
    pub(super) fn mesh(&mut self, mesh: &Mesh) {
        let vertices = &mesh.vertices;
        let positions = &vertices.positions;
        let count = mesh.vertex_count();
        let drawn = mesh.render != 0 && !mesh.faces.is_empty() && mesh.saber.is_none();
        let named = |name: &[u8]| !name.is_empty() && !name.eq_ignore_ascii_case(b"null");
        for name in [mesh.texture.bytes(), mesh.lightmap.bytes()] {
            if name.len() > 16 {
                self.add(&TEXTURE_LONG, "mesh", || format!("\"{}\"", escape_bytes(name)));
            }
        }
        let missing = self.model.layout.mdx.missing;
        let [uv0, uv1, ..] = &vertices.uvs;
        if drawn && !missing && positions.is_empty() {
            self.add(&VERTICES_MISSING, "mesh", || format!("{} faces", mesh.faces.len()));
        }
        let complete = !missing && !positions.is_empty() && mesh.saber.is_none();
        if drawn && complete && named(mesh.texture.bytes()) && uv0.is_empty() {
            self.add(&UV_MISSING, "mesh", || format!("\"{}\"", escape_bytes(mesh.texture.bytes())));
        }
        if mesh.lightmapped != 0 && complete && uv1.is_empty() {
            self.add(&LIGHTMAP_UV, "mesh", || format!("\"{}\"", escape_bytes(mesh.lightmap.bytes())));
        }
        if mesh.lightmapped != 0 && !named(mesh.lightmap.bytes()) {
            self.add(&LIGHTMAP_NAME, "mesh", || "no name".into());
        }
        let sets = vertices.uvs.iter().filter(|u| !u.is_empty()).count();
        if complete && usize::from(mesh.texture_count) != sets {
            self.add(&TEXTURE_COUNT, "mesh", || format!("{} of {sets}", mesh.texture_count));
        }
        if drawn && complete && vertices.normals.is_empty() {
            self.add(&NORMALS_MISSING, "mesh", || format!("{count} vertices"));
        }
        self.columns(mesh);
        self.faces(mesh, count);
        self.figures(mesh);
        if let Some(pointers) = mesh.layout.pointers {
            self.add(&POINTERS, "mesh", || format!("{pointers:?}"));
        }
        let layout = &mesh.layout;
        for (slot, what) in [
            (&layout.faces, "faces"),
            (&layout.index_counts, "index counts"),
            (&layout.index_offsets, "index offsets"),
            (&layout.inverted_counters, "inverted counters"),
        ] {
            self.counts(slot, what);
        }
        if let Some(skin) = mesh.skin.as_deref() {
            self.skin(mesh, skin);
        }
        if let Some(dangly) = mesh.dangly.as_deref() {
            if dangly.constraints.len() != count {
                self.add(&CONSTRAINTS, "dangly", || format!("{} for {count}", dangly.constraints.len()));
            }
            if dangly.constraints.iter().any(|c| !(0.0..=255.0).contains(c)) {
                self.add(&CONSTRAINT_RANGE, "dangly", || "outside".into());
            }
        }
        if let Some(tree) = mesh.aabb.as_deref() {
            self.aabb(mesh, tree);
        }
        if let Some(saber) = mesh.saber.as_deref()
            && saber.positions.len() != 176
        {
            self.add(&SABER, "saber", || format!("{} vertices", saber.positions.len()));
        }
    }

    pub(super) fn columns(&mut self, mesh: &Mesh) {
        let v = &mesh.vertices;
        let bad = |list: &[[f32; 3]]| list.iter().position(|p| !finite(p));
        let places = [("positions", bad(&v.positions)), ("normals", bad(&v.normals))];
        let uvs = v.uvs.iter().find_map(|uvs| uvs.iter().position(|uv| !finite(uv)));
        for (name, at) in places.into_iter().chain([("uvs", uvs)]) {
            if let Some(at) = at {
                self.add(&VERTEX_NOT_FINITE, &format!("mesh > {name}[{at}]"), || "NaN or infinite".into());
            }
        }
        let differs = |copy: &PositionCopy| matches!(copy, PositionCopy::Own(_));
        if differs(&mesh.mdl_positions) || mesh.dangly.as_deref().is_some_and(|d| differs(&d.positions)) {
            self.add(&POSITION_COPY, "mesh", || "the positions in the MDL differ".into());
        }
        let rows = &mesh.layout.rows;
        if rows.known && mesh.in_mdx && !self.model.layout.mdx.missing && rows.promises_too_much() {
            self.add(&ROW_COLUMNS, "mesh", || format!("columns 0x{:X} in {} bytes", rows.flags, rows.stride));
        }
    }

    fn faces(&mut self, mesh: &Mesh, count: usize) {
        let positions = &mesh.vertices.positions;
        let faces = &mesh.faces;
        let known = |i: &u16| usize::from(*i) < count.max(positions.len());
        let mut used = vec![false; count];
        let (mut turned, mut seen) = (0usize, 0usize);
        for (i, face) in faces.iter().enumerate() {
            let what = || format!("mesh > faces[{i}]");
            if !face.vertices.iter().all(known) {
                self.add(&FACE_VERTEX, &what(), || format!("{:?} of {count}", face.vertices));
                continue;
            }
            for vertex in face.vertices {
                if let Some(used) = used.get_mut(usize::from(vertex)) {
                    *used = true;
                }
            }
            if face.adjacent.iter().any(|n| *n != u16::MAX && usize::from(*n) >= faces.len()) {
                self.add(&ADJACENCY, &what(), || format!("{:?} of {}", face.adjacent, faces.len()));
            }
            if mesh.saber.is_some() {
                continue;
            }
            let Some(points) = derive::face_corners(positions, face) else { continue };
            let normal = derive::face_normal(points);
            if vector::length(normal) == 0.0 {
                self.add(&FACE_DEGENERATE, &what(), || format!("{:?}", face.vertices));
                continue;
            }
            // Rounding tilts the normals of long thin faces by some degrees.
            if vector::angle(normal, vector::v(face.normal)) > 10f64.to_radians() {
                self.add(&FACE_NORMAL, &what(), || format!("{:?}", face.normal));
            }
            let [point, ..] = points;
            let distance = -vector::dot(vector::v(face.normal), point);
            if (distance - f64::from(face.distance)).abs() > 1e-2 * (1.0 + distance.abs()) {
                self.add(&PLANE_DISTANCE, &what(), || format!("{} instead of {distance}", face.distance));
            }
            for vertex in face.vertices {
                if let Some(own) = mesh.vertices.normals.get(usize::from(vertex)) {
                    seen += 1;
                    turned += usize::from(vector::dot(vector::v(*own), normal) < -0.1);
                }
            }
        }
        if seen > 0 && turned * 2 > seen {
            self.add(&INSIDE_OUT, "mesh", || format!("{turned} of {seen} corners"));
        }
        let unused = used.iter().filter(|u| !**u).count();
        if unused > 0 && !faces.is_empty() && mesh.saber.is_none() {
            self.add(&VERTEX_UNUSED, "mesh", || format!("{unused} of {count} vertices"));
        }
        match &mesh.indices {
            IndexLists::Faces => {}
            IndexLists::Own(lists) => {
                if lists.iter().flatten().any(|i| !known(i)) {
                    self.add(&INDEX_LIST, "mesh > indices", || format!("{count} vertices"));
                } else if mesh.saber.is_none() && !faces.is_empty() {
                    self.add(&INDEX_FACES, "mesh > indices", || format!("{} lists", lists.len()));
                }
            }
        }
        if mesh.shadow != 0 && mesh.saber.is_none() {
            let neighbours = derive::adjacency(positions, faces);
            let open = neighbours.iter().flatten().filter(|n| **n == u16::MAX).count();
            if open > 0 {
                self.add(&OPEN_EDGE, "mesh", || format!("{open} edges"));
            }
        }
    }

    /// Checks box, radius and area.
    fn figures(&mut self, mesh: &Mesh) {
        let positions = &mesh.vertices.positions;
        if positions.is_empty() || mesh.saber.is_some() || !positions.iter().all(|p| finite(p)) {
            return;
        }
        let [min, max] = derive::bounds(positions);
        let size = max.iter().zip(min).map(|(b, a)| b - a).fold(0.0, f32::max);
        let slack = 1e-3 * (1.0 + size);
        let [low, high] = mesh.bounds;
        let outside = min.iter().zip(low).any(|(v, b)| !at_most(b, v + slack))
            || max.iter().zip(high).any(|(v, b)| !at_most(v - slack, b));
        if outside {
            self.add(&BOUNDS, "mesh", || format!("{:?} around {:?}", mesh.bounds, [min, max]));
        }
        let radius = derive::radius(positions, mesh.average);
        if !at_most(radius - slack, mesh.radius) {
            self.add(&RADIUS, "mesh", || format!("{} instead of {radius}", mesh.radius));
        }
        let area = derive::area(positions, &mesh.faces);
        if !at_most((mesh.area - area).abs(), 1e-2 * (1.0 + area)) {
            self.add(&AREA, "mesh", || format!("{} instead of {area}", mesh.area));
        }
    }

    fn aabb(&mut self, mesh: &Mesh, tree: &AabbTree) {
        if tree.nodes.is_empty() {
            if !mesh.faces.is_empty() {
                self.add(&AABB_ABSENT, "aabb", || format!("{} faces", mesh.faces.len()));
            }
            return;
        }
        let mut leaves = vec![0u32; mesh.faces.len()];
        let mut wild = 0;
        for (i, node) in tree.nodes.iter().enumerate() {
            let what = || format!("aabb > nodes[{i}]");
            if node.left.is_none() && node.right.is_none() {
                match usize::try_from(node.face).ok().and_then(|f| leaves.get_mut(f)) {
                    Some(count) => *count += 1,
                    None => wild += 1,
                }
            }
            let turned = node.min.iter().zip(node.max).any(|(a, b)| !at_most(*a, b));
            let loose = [node.left, node.right].into_iter().flatten().any(|child| {
                tree.nodes.get(child as usize).is_none_or(|c| {
                    c.min.iter().zip(node.min).any(|(c, b)| *c < b - 0.05)
                        || c.max.iter().zip(node.max).any(|(c, b)| *c > b + 0.05)
                })
            });
            if turned || loose {
                self.add(&AABB_BOX, &what(), || format!("{:?} to {:?}", node.min, node.max));
            }
        }
        let missing = leaves.iter().filter(|c| **c != 1).count();
        if missing > 0 || wild > 0 {
            self.add(&AABB_LEAVES, "aabb", || {
                format!("{missing} faces without exactly one leaf, {wild} leaves without a face")
            });
        }
        let none = match &tree.layout {
            AabbLayout::Packed { none, .. } => *none == u32::MAX,
            AabbLayout::Scattered { none, .. } => none.iter().flatten().any(|n| *n == u32::MAX),
        };
        if none {
            self.add(&AABB_NONE, "aabb", || format!("{} boxes", tree.nodes.len()));
        }
    }
}

/// Returns whether `a <= b`; `false` if one of them is NaN.
pub(super) fn at_most(a: f32, b: f32) -> bool {
    a <= b
}
