//! Geosets and the collision mesh from the scene.

use foldhash::HashMap;
use galatea_scene::{Extras, Mesh, Node as SceneNode, Primitive, Purpose, Skin, Vertices};
use galatea_wire::{Loss, Result};
use glam::{Mat3, Mat4, Vec3};

use super::extra::{Carry, int, list, objects, own, read_fields, row_bounds, text, unhex, word};
use super::foreign::{Grouping, Part, split};
use super::frame::Frame;
use super::mesh::{GROUP, IDLE, anim_bounds, colour_counts, geometry_sum, is_plain_name, shares, weights_of};
use super::{Back, read_words};
use crate::{Bounds, CollisionMesh, Feature, Geoset, GeosetAnim, Model, SkinWeight, VertexBuffer};

/// What becomes one geoset, or several where it is too large for one.
struct Wanted<'a> {
    told: i64,
    id: u32,
    node: &'a SceneNode,
    mesh: &'a Mesh,
    primitive: &'a Primitive,
    /// What extras say about it.
    map: &'a Extras,
}

impl<'a> Back<'a> {
    pub(super) fn read_geosets(&mut self, model: &mut Model) -> Result<()> {
        let mut wanted: Vec<Wanted<'a>> = Vec::new();
        for (id, node, mesh) in self.scene.drawn() {
            let map = own(&node.extras);
            if map.contains_key("collision_mesh")
                || mesh.purpose == Purpose::Collision && self.version.is_wow()
            {
                model.collision_mesh = Some(Box::new(self.read_collision(mesh, map)));
                continue;
            }
            if mesh.purpose != Purpose::Render {
                self.lose(Loss::new(
                    format!("mesh {:?}", mesh.name),
                    format!("it is there for {}", mesh.purpose.name()),
                ));
                continue;
            }
            for (n, primitive) in mesh.primitives.iter().enumerate() {
                if primitive.topology != galatea_scene::Topology::Triangles {
                    self.lose(Loss::new(format!("mesh {:?}", mesh.name), "lines and points"));
                    continue;
                }
                let map = if n == 0 { map } else { Extras::none() };
                let told = int(map, "geoset").unwrap_or(i64::MAX);
                wanted.push(Wanted { told, id, node, mesh, primitive, map });
            }
        }
        wanted.sort_by_key(|w| w.told);
        let mut anims: Vec<(i64, GeosetAnim)> = Vec::new();
        let mut places: HashMap<i64, i32> = HashMap::default();
        for one in &wanted {
            let first = model.geosets.len();
            let geosets = self.read_geoset(model, one)?;
            model.geosets.extend(geosets);
            places.entry(one.told).or_insert(first as i32);
            let old = u32::try_from(one.told).ok();
            self.geoset_of.entry(one.id).or_insert((first as u32, old));
            if let Some((told, anim)) = self.read_anim(one) {
                for geoset in first..model.geosets.len() {
                    anims.push((told, GeosetAnim { geoset_id: geoset as i32, ..anim.clone() }));
                }
            }
        }
        for entry in objects(own(&self.scene.extras), "geoset_anims") {
            let mut anim = GeosetAnim::default();
            read_fields!(entry, anim, alpha, flags, color, geoset_id);
            anim.tracks = self.read_tracks(entry, "tracks", "geoset animation", &[], &Frame::default());
            anim.geoset_id = places.get(&i64::from(anim.geoset_id)).copied().unwrap_or(anim.geoset_id);
            anims.push((int(entry, "index").unwrap_or(i64::MAX), anim));
        }
        anims.sort_by_key(|(told, _)| *told);
        let mut anim_places: HashMap<i64, i32> = HashMap::default();
        for (told, anim) in anims {
            anim_places.entry(told).or_insert(model.geoset_anims.len() as i32);
            model.geoset_anims.push(anim);
        }
        for bone in &mut model.bones {
            let moved =
                |places: &HashMap<i64, i32>, id: i32| places.get(&i64::from(id)).copied().unwrap_or(id);
            bone.geoset_id = moved(&places, bone.geoset_id);
            bone.geoset_anim_id = moved(&anim_places, bone.geoset_anim_id);
        }
        Ok(())
    }

    fn read_collision(&self, mesh: &Mesh, map: &Extras) -> CollisionMesh {
        let empty = Vertices::default();
        let first = mesh.primitives.first();
        let positions = &first.and_then(|p| self.scene.vertices_of(p)).unwrap_or(&empty).positions;
        let mut triangles: Vec<u16> =
            mesh.primitives.iter().flat_map(|p| &p.indices).map(|i| *i as u16).collect();
        if positions.is_empty() {
            triangles = read_words(map, "triangles").iter().map(|i| *i as u16).collect();
        }
        let told = list(map, "normals").unwrap_or_default();
        let mut normals: Vec<[f32; 3]> = told.as_chunks().0.to_vec();
        if int(map, "collision_mesh") != Some(i64::from(geometry_sum(positions))) {
            let corner = |i: u16| positions.get(usize::from(i)).copied().map_or(Vec3::ZERO, Vec3::from);
            let normal = |[a, b, c]: &[u16; 3]| {
                let (a, b, c) = (corner(*a), corner(*b), corner(*c));
                (b - a).cross(c - a).normalize_or(Vec3::Z).to_array()
            };
            normals = triangles.as_chunks::<3>().0.iter().map(normal).collect();
        }
        CollisionMesh { vertices: positions.clone(), triangles, normals }
    }

    /// Alpha and colour of a geoset, and the number the animation had.
    fn read_anim(&mut self, one: &Wanted<'_>) -> Option<(i64, GeosetAnim)> {
        let told = one.map.object("anim");
        let bounds = anim_bounds(one.id);
        let what = format!("mesh {:?}", one.mesh.name);
        let map = told.unwrap_or(Extras::none());
        let tracks = self.read_tracks(map, "tracks", &what, &bounds, &Frame::default());
        let [r, g, b, opacity] = one.node.tint;
        let hidden = told.is_none() && !one.node.visible && one.mesh.lod.unwrap_or(0) == 0;
        if told.is_none() && tracks.is_empty() && one.node.tint == [1.0; 4] && !hidden {
            return self.shown_by_clips(one);
        }
        let mut anim = GeosetAnim {
            alpha: if hidden { 0.0 } else { opacity },
            color: [r, g, b],
            tracks,
            ..GeosetAnim::default()
        };
        read_fields!(map, anim, flags);
        if let Some(alpha) = map.get("alpha").and_then(f32::read).filter(|_| opacity == 1.0) {
            anim.alpha = alpha;
        }
        if let Some(color) = map.get("color").and_then(<[f32; 3]>::read).filter(|_| [r, g, b] == [1.0; 3]) {
            anim.color = color;
        }
        let coloured = [r, g, b] != [1.0; 3] || anim.tracks.get(*b"KGAC").is_some() && told.is_none();
        if coloured && !colour_counts(anim.flags, self.version.is_wow()) {
            anim.flags |= if self.version.is_wow() { 1 } else { 2 };
        }
        Some((int(map, "index").unwrap_or(i64::MAX), anim))
    }

    /// Where other programs show and hide a mesh, its alpha does.
    fn shown_by_clips(&mut self, one: &Wanted<'_>) -> Option<(i64, GeosetAnim)> {
        let mut bound = super::track::Bound::visibility(one.id);
        bound.held = true;
        let wanted = [(crate::Tag(*b"KGAO"), crate::ValueKind::Float, bound)];
        let what = format!("mesh {:?}", one.mesh.name);
        let tracks = self.read_tracks(Extras::none(), "tracks", &what, &wanted, &Frame::default());
        (!tracks.is_empty()).then(|| (i64::MAX, GeosetAnim { tracks, ..GeosetAnim::default() }))
    }

    fn read_geoset(&mut self, model: &mut Model, one: &Wanted<'_>) -> Result<Vec<Geoset>> {
        let empty = Vertices::default();
        let vertices = self.scene.vertices_of(one.primitive).unwrap_or(&empty);
        let native = one.map.contains_key("geoset");
        let skin = one.node.skin.and_then(|s| self.scene.skins.get(s as usize));
        let skin = skin.filter(|_| !vertices.influences.is_empty());
        let mut geoset = Geoset::default();
        self.place(one, vertices, skin, &mut geoset);
        read_fields!(one.map, geoset, selection_group, selection_flags, bounds, extra);
        geoset.skin_first = one.map.contains_key("skin_first");
        read_columns(vertices, one.map, &mut geoset);
        self.level(one, &mut geoset);
        geoset.material_id = match one.map.get("material_id").and_then(u32::read) {
            Some(told) if one.primitive.material.is_none() => told,
            _ => self.material_for(model, one.primitive.material),
        };
        geoset.sequence_bounds = self.sequence_bounds(model, one.map, &geoset.bounds);
        let alone = native && self.alone(one);
        let small = vertices.positions.len() <= usize::from(u16::MAX);
        let rows = self.rows(one, vertices, skin);
        let smooth = match native {
            true => one.map.contains_key("smooth"),
            false => self.version.has(Feature::SkinWeights) && rows.iter().flatten().all(|(id, _)| *id < 256),
        };
        if alone && small {
            self.read_faces(one, vertices, &mut geoset);
            if smooth {
                self.read_smooth(one, vertices, &rows, &mut geoset);
            } else if self.read_groups(one, vertices, &rows, skin.is_some(), &mut geoset) {
                self.read_buffer(one.map, &mut geoset);
                return Ok(vec![geoset]);
            }
            if smooth {
                self.read_buffer(one.map, &mut geoset);
                return Ok(vec![geoset]);
            }
        }
        // A mesh from elsewhere, or one that has outgrown its geoset.
        let tangents = geoset.tangents.take();
        let corners: Vec<[u32; 3]> = one.primitive.triangles(vertices.positions.len()).collect();
        let part = Part {
            geoset: &geoset,
            tangents: tangents.as_deref().filter(|_| self.version.has(Feature::SkinWeights)),
            corners: &corners,
            rows: &rows,
            smooth,
        };
        let (mut out, Grouping { rounded, cut }) = split(&part);
        if rounded > 0 {
            let to = if smooth { "255ths" } else { "shares of at most eight bones" };
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                format!("the weights of {rounded} vertices, rounded to {to}"),
            ));
        }
        if cut > 0 {
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                format!("bones beyond the fourth on {cut} vertices"),
            ));
        }
        if !vertices.colors.is_empty() {
            self.lose(Loss::new(format!("mesh {:?}", one.mesh.name), "colours of vertices"));
        }
        for attribute in vertices.attributes.iter().filter(|a| a.name != IDLE && a.name != GROUP) {
            self.lose(
                Loss::new(format!("mesh {:?}", one.mesh.name), format!("the numbers {}", attribute.name))
                    .invisible(),
            );
        }
        for geoset in &mut out {
            geoset.bounds = crate::bounds_of(&geoset.vertices).unwrap_or_default();
            geoset.sequence_bounds = vec![geoset.bounds; model.sequences.len()];
        }
        Ok(out)
    }

    /// Whether a primitive has its vertices for itself.
    fn alone(&self, one: &Wanted<'_>) -> bool {
        one.mesh.primitives.iter().filter(|p| p.vertices == one.primitive.vertices).count() == 1
    }

    /// Vertices and normals in the space of the model.
    fn place(&self, one: &Wanted<'_>, vertices: &Vertices, skin: Option<&Skin>, out: &mut Geoset) {
        out.vertices.clone_from(&vertices.positions);
        out.normals.clone_from(&vertices.normals);
        let size =
            galatea_scene::Bounds::around(vertices.positions.iter().copied()).map_or(1.0, |b| b.size());
        let still = |matrix: &Mat4| {
            let moved = matrix.w_axis.truncate().abs().max_element() <= 1e-4 * size.max(1e-3);
            moved && Mat3::from_mat4(*matrix).abs_diff_eq(Mat3::IDENTITY, 1e-4)
        };
        let joints: Vec<Mat4> = match skin {
            Some(skin) => {
                let joints = skin.joints.iter().enumerate();
                joints.map(|(i, joint)| self.frames.matrix(*joint) * skin.bind(i)).collect()
            }
            None => vec![self.frames.matrix(one.id)],
        };
        if joints.iter().all(still) {
            return;
        }
        for (i, position) in out.vertices.iter_mut().enumerate() {
            let mut matrix = Mat4::ZERO;
            let mut total = 0.0;
            if skin.is_some() {
                for (joint, weight) in vertices.influences.of(i).filter(|(_, w)| *w > 0.0) {
                    if let Some(bone) = joints.get(usize::from(joint)) {
                        matrix += *bone * weight;
                        total += weight;
                    }
                }
            }
            let matrix = match (skin, total > 0.0) {
                (Some(_), true) => matrix * (1.0 / total),
                (Some(_), false) => self.frames.matrix(one.id),
                (None, _) => joints.first().copied().unwrap_or(Mat4::IDENTITY),
            };
            *position = matrix.transform_point3(Vec3::from(*position)).into();
            if let Some(normal) = out.normals.get_mut(i) {
                let linear = Mat3::from_mat4(matrix);
                let turned = linear.inverse().transpose() * Vec3::from(*normal);
                *normal = turned.normalize_or(Vec3::from(*normal)).into();
            }
        }
    }

    /// The level of detail and its name.
    fn level(&self, one: &Wanted<'_>, out: &mut Geoset) {
        if !self.version.has(Feature::LevelOfDetail) {
            return;
        }
        let native = one.map.contains_key("geoset");
        out.lod = one.mesh.lod.map_or(if native { -1 } else { 0 }, |lod| lod as i32);
        if one.mesh.lod.is_none() {
            read_fields!(one.map, out, lod);
        }
        out.lod_name = text(if is_plain_name(&one.node.name) { "" } else { &one.node.name });
        if is_plain_name(&one.node.name) {
            read_fields!(one.map, out, lod_name);
        }
    }

    fn sequence_bounds(&self, model: &Model, map: &Extras, usual: &Bounds) -> Vec<Bounds> {
        let Some(told) = map.object("sequence_bounds") else { return Vec::new() };
        let rows = list(told, "rows").unwrap_or_default();
        let row = |i: u32| match i.checked_sub(1) {
            None => *usual,
            Some(i) => rows.get(i as usize * 7..).and_then(row_bounds).unwrap_or(*usual),
        };
        let of = read_words(told, "of");
        let before = int(own(&self.scene.extras), "sequences").unwrap_or(0);
        let from: Vec<Option<usize>> = self
            .sequence_from
            .iter()
            .zip(&self.global_index)
            .filter(|(_, g)| g.is_none())
            .map(|(f, _)| *f)
            .collect();
        let same = from.len() as i64 == before && from.iter().enumerate().all(|(i, f)| *f == Some(i));
        if same || of.len() as i64 != before {
            return of.into_iter().map(row).collect();
        }
        debug_assert_eq!(from.len(), model.sequences.len());
        from.iter().map(|f| f.and_then(|f| of.get(f)).map_or(*usual, |i| row(*i))).collect()
    }

    /// For each vertex, the object ids of the nodes that move it, and how much.
    fn rows(&self, one: &Wanted<'_>, vertices: &Vertices, skin: Option<&Skin>) -> Vec<Vec<(u32, f32)>> {
        let count = vertices.positions.len();
        let Some(skin) = skin else {
            let mut at = Some(one.id);
            let mut left = self.scene.nodes.len();
            while let Some(node) = at.filter(|n| !self.object_of.contains_key(n) && left > 0) {
                at = self.scene.node(node).and_then(|n| n.parent);
                left -= 1;
            }
            let row: Vec<(u32, f32)> =
                at.and_then(|n| self.object_of.get(&n)).map(|id| (*id, 1.0)).into_iter().collect();
            return vec![row; count];
        };
        let ids: Vec<Option<u32>> = skin.joints.iter().map(|j| self.object_of.get(j).copied()).collect();
        let of = |vertex: usize| {
            let used = vertices.influences.of(vertex).filter(|(_, w)| *w > 0.0);
            used.filter_map(|(joint, weight)| Some((ids.get(usize::from(joint)).copied().flatten()?, weight)))
                .collect()
        };
        (0..count).map(of).collect()
    }

    fn read_faces(&self, one: &Wanted<'_>, vertices: &Vertices, out: &mut Geoset) {
        let map = one.map;
        let indices: Vec<u16> = one.primitive.indices.iter().map(|i| *i as u16).collect();
        if map.contains_key("face_types") {
            out.face_types = read_words(map, "face_types");
            out.face_counts = read_words(map, "face_counts");
            if map.contains_key("faces") {
                out.faces = read_words(map, "faces").iter().map(|i| *i as u16).collect();
                let same =
                    out.triangles().as_flattened() == indices.as_slice() || vertices.positions.is_empty();
                if same {
                    return;
                }
                out.face_types.clear();
            }
            let plain = out.face_types.iter().all(|t| *t == 4) && !map.contains_key("faces");
            if plain && int(map, "face_total") == Some(indices.len() as i64) || map.contains_key("buffer") {
                out.faces = indices;
                return;
            }
        } else if map.contains_key("faces") && vertices.positions.is_empty() {
            out.faces = read_words(map, "faces").iter().map(|i| *i as u16).collect();
            out.face_types = vec![4];
            out.face_counts = vec![out.faces.len() as u32];
            return;
        }
        out.faces = indices;
        out.face_types = vec![4];
        out.face_counts = vec![out.faces.len() as u32];
    }

    fn read_smooth(
        &mut self,
        one: &Wanted<'_>,
        vertices: &Vertices,
        rows: &[Vec<(u32, f32)>],
        out: &mut Geoset,
    ) {
        let map = one.map;
        let idle = vertices.attribute(IDLE);
        let skin = one.node.skin.and_then(|s| self.scene.skins.get(s as usize));
        let ids: Vec<Option<u32>> =
            skin.map_or(&[][..], |s| &s.joints).iter().map(|j| self.object_of.get(j).copied()).collect();
        let (mut cut, mut rounded) = (0, 0);
        let mut list: Vec<SkinWeight> = Vec::with_capacity(rows.len());
        for vertex in 0..rows.len() {
            let mut weight = SkinWeight::default();
            let of = || {
                vertices.influences.of(vertex).map(|(j, w)| (ids.get(usize::from(j)).copied().flatten(), w))
            };
            let exact = of().all(|(_, w)| ((w * 255.0).round() - w * 255.0).abs() < 1e-3);
            if vertices.influences.width == 4 && exact {
                for ((bone, byte), (id, share)) in weight.bones.iter_mut().zip(&mut weight.weights).zip(of())
                {
                    if let Some(id) = id.filter(|_| share > 0.0) {
                        *bone = id as u8;
                        *byte = (share * 255.0).round() as u8;
                    }
                }
            } else if let Some(row) = rows.get(vertex) {
                cut += usize::from(row.len() > 4);
                rounded += 1;
                weight = super::foreign::bytes_of(row);
            }
            let spare = idle.get(vertex).map_or(0, |i| *i as u32);
            let places = weight.bones.iter_mut().zip(weight.weights).filter(|(_, w)| *w == 0);
            for (n, (bone, _)) in
                places.collect::<Vec<_>>().into_iter().rev().enumerate().filter(|_| spare > 0)
            {
                *bone = (spare >> (8 * n.min(3))) as u8;
            }
            list.push(weight);
        }
        if let Some(told) = map.object("weights") {
            let joint = |id: u32| {
                let new = self.renumbered(id)?;
                ids.iter().position(|i| *i == Some(new)).map(|p| p as u16)
            };
            let rows = read_words(told, "to");
            for (vertex, [bones, weights]) in read_words(told, "at").iter().zip(rows.as_chunks::<2>().0) {
                let stored = SkinWeight { bones: bones.to_le_bytes(), weights: weights.to_le_bytes() };
                let mut derived: Vec<(u16, f32)> =
                    weights_of(&stored, joint).into_iter().filter(|(_, w)| *w > 0.0).collect();
                let mut now: Vec<(u16, f32)> =
                    vertices.influences.of(*vertex as usize).filter(|(_, w)| *w > 0.0).collect();
                let lost = |list: &mut Vec<(u16, f32)>| {
                    list.retain(|(j, _)| ids.get(usize::from(*j)).copied().flatten().is_some());
                    list.sort_by_key(|(j, _)| *j);
                };
                lost(&mut derived);
                lost(&mut now);
                let near = derived.len() == now.len()
                    && derived.iter().zip(&now).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 2e-3);
                if let Some(slot) = list.get_mut(*vertex as usize).filter(|_| near) {
                    *slot = stored;
                }
            }
        }
        if cut > 0 {
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                format!("bones beyond the fourth on {cut} vertices"),
            ));
        }
        let _ = rounded;
        out.skin = Some(list);
        self.read_tables(map, out);
        let groups = vertices.attribute(GROUP);
        if !groups.is_empty() {
            out.vertex_groups = groups.iter().map(|g| *g as u8).collect();
        } else {
            read_group_list(map, out);
        }
    }

    /// An object id as it was, as it is now; `None` if its node is gone.
    fn renumbered(&self, id: u32) -> Option<u32> {
        self.new_ids.get(&id).copied().or((!self.removed).then_some(id))
    }

    /// The matrix groups as they were, without bones that are gone.
    fn read_tables(&self, map: &Extras, out: &mut Geoset) {
        let sizes = read_words(map, "group_sizes");
        let matrices = read_words(map, "matrices");
        if !self.removed {
            out.group_sizes = sizes;
            out.matrices = matrices.iter().map(|id| self.new_ids.get(id).copied().unwrap_or(*id)).collect();
            return;
        }
        let mut rest = matrices.as_slice();
        for size in sizes {
            let (group, after) = rest.split_at_checked(size as usize).unwrap_or((rest, &[]));
            rest = after;
            let before = out.matrices.len();
            out.matrices.extend(group.iter().filter_map(|id| self.renumbered(*id)));
            out.group_sizes.push((out.matrices.len() - before) as u32);
        }
    }

    /// Matrix groups by the weights of the vertices; `false` if there are too many of them for one geoset.
    fn read_groups(
        &mut self,
        one: &Wanted<'_>,
        vertices: &Vertices,
        rows: &[Vec<(u32, f32)>],
        skinned: bool,
        out: &mut Geoset,
    ) -> bool {
        let map = one.map;
        self.read_tables(map, out);
        if let Some(bytes) = word(map, "skin").and_then(unhex).filter(|_| !skinned) {
            let pair = |[a, b, c, d, e, f, g, h]: &[u8; 8]| SkinWeight {
                bones: [*a, *b, *c, *d],
                weights: [*e, *f, *g, *h],
            };
            out.skin = Some(bytes.as_chunks::<8>().0.iter().map(pair).collect());
        }
        let moved = rows.iter().any(|row| !row.is_empty());
        if !skinned && !moved || out.skin.is_some() || vertices.positions.is_empty() {
            let groups = vertices.attribute(GROUP);
            if groups.is_empty() {
                read_group_list(map, out)
            } else {
                out.vertex_groups = groups.iter().map(|g| *g as u8).collect()
            }
            return true;
        }
        let key = |row: &[(u32, f32)]| {
            let mut key: Vec<(u32, u32)> =
                row.iter().map(|(id, w)| (*id, (w * 1000.0).round() as u32)).collect();
            key.sort_unstable();
            key
        };
        let exists: std::collections::HashSet<u32> = self.object_of.values().copied().collect();
        let group_rows: Vec<Vec<(u32, u32)>> = out
            .groups()
            .map(|bones| {
                let mut ids: Vec<u32> = Vec::new();
                let joints = bones.iter().map(|id| {
                    exists.contains(id).then(|| {
                        let known = ids.iter().position(|i| i == id);
                        known.unwrap_or_else(|| {
                            ids.push(*id);
                            ids.len() - 1
                        }) as u16
                    })
                });
                let row = shares(joints.collect::<Vec<_>>().into_iter());
                let row: Vec<(u32, f32)> =
                    row.iter().filter_map(|(j, w)| Some((*ids.get(usize::from(*j))?, *w))).collect();
                key(&row)
            })
            .collect();
        let mut first: HashMap<&[(u32, u32)], usize> = HashMap::default();
        for (i, row) in group_rows.iter().enumerate() {
            first.entry(row).or_insert(i);
        }
        let mut added: HashMap<Vec<(u32, u32)>, usize> = HashMap::default();
        let mut rounded = 0;
        let mut groups: Vec<usize> = Vec::with_capacity(rows.len());
        let mut last: Option<(&[(u32, f32)], usize)> = None;
        for row in rows {
            if let Some((_, group)) = last.filter(|(before, _)| *before == row.as_slice()) {
                groups.push(group);
                continue;
            }
            let wanted = key(row);
            let group = match first.get(wanted.as_slice()).or_else(|| added.get(&wanted)) {
                Some(group) => *group,
                None => {
                    let (bones, exact) = super::foreign::repeats(row);
                    rounded += usize::from(!exact);
                    let group = out.group_sizes.len();
                    out.group_sizes.push(bones.len() as u32);
                    out.matrices.extend(bones);
                    added.insert(wanted, group);
                    group
                }
            };
            last = Some((row, group));
            groups.push(group);
        }
        if let Some(told) = map.object("groups") {
            for (vertex, group) in read_words(told, "at").iter().zip(read_words(told, "to")) {
                let meant = (group as usize).min(group_rows.len().saturating_sub(1));
                let now = rows.get(*vertex as usize).map(|row| key(row));
                if let Some(slot) = groups.get_mut(*vertex as usize)
                    && now.as_ref() == group_rows.get(meant)
                {
                    *slot = group as usize;
                }
            }
        }
        if rounded > 0 {
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                "weights that are no shares of at most eight bones, rounded",
            ));
        }
        if groups.iter().any(|g| *g > 255) {
            (out.group_sizes, out.matrices) = (Vec::new(), Vec::new());
            return false;
        }
        out.vertex_groups = groups.iter().map(|g| *g as u8).collect();
        if let Some(told) = map.get("vertex_groups").and_then(Vec::<u8>::read) {
            out.vertex_groups = told;
        }
        true
    }

    /// What surrounds the lists: bone lists of World of Warcraft, the vertex buffer, bounds.
    fn read_buffer(&mut self, map: &Extras, out: &mut Geoset) {
        if map.contains_key("bone_indices") {
            out.bone_indices = read_words(map, "bone_indices");
            out.bone_weights = read_words(map, "bone_weights");
        } else if self.version.is_wow() && !map.contains_key("buffer") {
            crate::versions::make_bone_lists(out);
        }
        if let Some(told) = map.object("buffer") {
            let mut buffer = VertexBuffer::default();
            read_fields!(
                told,
                buffer,
                center,
                index,
                type_count,
                primitive_type,
                unknown_0x4,
                min_vertex,
                max_vertex,
                unused_0xe,
            );
            if let [low, high] = read_words(told, "unused").as_slice() {
                buffer.unused = u64::from(*low) | u64::from(*high) << 32;
            }
            let tags = super::extra::unlatin(word(told, "tags").unwrap_or(""));
            for (slot, tag) in buffer.tags.iter_mut().zip(tags.as_chunks::<4>().0) {
                *slot = *tag;
            }
            buffer.padding = read_words(told, "padding").iter().map(|p| *p as u16).collect();
            out.buffer = Some(Box::new(buffer));
        }
        if int(map, "geometry") != Some(i64::from(geometry_sum(&out.vertices)))
            && let Some(bounds) = crate::bounds_of(&out.vertices)
        {
            let before = out.bounds;
            out.bounds = bounds;
            for slot in out.sequence_bounds.iter_mut().filter(|b| **b == before) {
                *slot = bounds;
            }
        }
    }
}

/// Columns that are as the file has them.
fn read_columns(from: &Vertices, map: &Extras, out: &mut Geoset) {
    let rows = |key: &str| list(map, key).unwrap_or_default();
    if from.normals.is_empty() {
        out.normals = rows("normals").as_chunks().0.to_vec();
    }
    if !from.tangents.is_empty() {
        out.tangents = Some(from.tangents.clone());
    } else if map.contains_key("tangents") {
        out.tangents = Some(rows("tangents").as_chunks().0.to_vec());
    }
    out.uvs = from.uvs.clone();
    for entry in objects(map, "uvs") {
        out.uvs.push(list(entry, "uvs").unwrap_or_default().as_chunks().0.to_vec());
    }
}

/// Matrix groups of vertices that no weights tell.
fn read_group_list(map: &Extras, out: &mut Geoset) {
    if let Some(count) = int(map, "zero_groups").and_then(|n| usize::try_from(n).ok()) {
        out.vertex_groups = vec![0; count.min(1 << 20)];
    }
    if let Some(told) = map.get("vertex_groups").and_then(Vec::<u8>::read) {
        out.vertex_groups = told;
    }
}
