//! Geosets and the collision mesh from the scene.

use foldhash::HashMap;
use galatea_scene::{Extras, Mesh, Node as SceneNode, Primitive, Purpose, Skin, Vertices};
use galatea_wire::{Loss, Result};
use glam::{Mat3, Mat4, Vec3};

use super::frame::Frame;
use super::{FromScene, read_u32s};
use crate::pieces::{Grouping, Part, split};
use crate::scene::binding::{Binding, anim_bindings};
use crate::scene::extra::{ExtraValue, bounds_row, own, read_fields, row_bounds, text};
use crate::scene::fields::buffer_fields;
use crate::scene::vocabulary::{color_applies, is_plain_name};
use crate::scene::weights::{GROUP, IDLE, drawn_bounds, geometry_sum};
use crate::{Bounds, CollisionMesh, Feature, Geoset, GeosetAnim, Model, VertexBuffer};

/// The source of one geoset, or of several if it is too large for one.
pub(super) struct Wanted<'a> {
    pub(super) stored: i64,
    pub(super) id: u32,
    pub(super) node: &'a SceneNode,
    pub(super) mesh: &'a Mesh,
    pub(super) primitive: &'a Primitive,
    /// Its extras.
    pub(super) map: &'a Extras,
}

impl<'a> FromScene<'a> {
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
                    format!("its geometry, which is for {}", mesh.purpose.name()),
                ));
                continue;
            }
            for (n, primitive) in mesh.primitives.iter().enumerate() {
                if primitive.topology != galatea_scene::Topology::Triangles {
                    self.lose(Loss::new(format!("mesh {:?}", mesh.name), "lines and points"));
                    continue;
                }
                let map = if n == 0 { map } else { Extras::none() };
                let stored = map.int("geoset").unwrap_or(i64::MAX);
                wanted.push(Wanted { stored, id, node, mesh, primitive, map });
            }
        }
        wanted.sort_by_key(|w| w.stored);
        let mut anims: Vec<(i64, GeosetAnim)> = Vec::new();
        let mut places: HashMap<i64, i32> = HashMap::default();
        for one in &wanted {
            let first = model.geosets.len();
            let geosets = self.read_geoset(model, one)?;
            model.geosets.extend(geosets);
            places.entry(one.stored).or_insert(first as i32);
            let old = u32::try_from(one.stored).ok();
            self.geoset_of.entry(one.id).or_insert((first as u32, old));
            if let Some((stored, anim)) = self.read_anim(one) {
                for geoset in first..model.geosets.len() {
                    anims.push((stored, GeosetAnim { geoset_id: geoset as i32, ..anim.clone() }));
                }
            }
        }
        for entry in own(&self.scene.extras).objects("geoset_anims") {
            let mut anim = GeosetAnim::default();
            read_fields!(entry, anim, alpha, flags, color, geoset_id);
            anim.tracks = self.read_tracks(entry, "tracks", "geoset animation", &[], &Frame::default());
            anim.geoset_id = places.get(&i64::from(anim.geoset_id)).copied().unwrap_or(anim.geoset_id);
            anims.push((entry.int("index").unwrap_or(i64::MAX), anim));
        }
        anims.sort_by_key(|(stored, _)| *stored);
        let mut anim_places: HashMap<i64, i32> = HashMap::default();
        for (stored, anim) in anims {
            anim_places.entry(stored).or_insert(model.geoset_anims.len() as i32);
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
            triangles = read_u32s(map, "triangles").iter().map(|i| *i as u16).collect();
        }
        let stored = map.floats("normals").unwrap_or_default();
        let mut normals: Vec<[f32; 3]> = stored.as_chunks().0.to_vec();
        if map.int("collision_mesh") != Some(i64::from(geometry_sum(positions))) {
            let corner = |i: u16| positions.get(usize::from(i)).copied().map_or(Vec3::ZERO, Vec3::from);
            let normal = |[a, b, c]: &[u16; 3]| {
                let (a, b, c) = (corner(*a), corner(*b), corner(*c));
                (b - a).cross(c - a).normalize_or(Vec3::Z).to_array()
            };
            normals = triangles.as_chunks::<3>().0.iter().map(normal).collect();
        }
        CollisionMesh { vertices: positions.clone(), triangles, normals }
    }

    /// Reads alpha and colour of a geoset, and the previous index of the geoset animation.
    fn read_anim(&mut self, one: &Wanted<'_>) -> Option<(i64, GeosetAnim)> {
        let stored = one.map.object("anim");
        let bindings = anim_bindings(one.id);
        let what = format!("mesh {:?}", one.mesh.name);
        let map = stored.unwrap_or(Extras::none());
        let tracks = self.read_tracks(map, "tracks", &what, &bindings, &Frame::default());
        let [r, g, b, opacity] = one.node.tint;
        let hidden = stored.is_none() && !one.node.visible && one.mesh.lod.unwrap_or(0) == 0;
        if stored.is_none() && tracks.is_empty() && one.node.tint == [1.0; 4] && !hidden {
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
        let coloured = [r, g, b] != [1.0; 3] || anim.tracks.get(*b"KGAC").is_some() && stored.is_none();
        if coloured && !color_applies(anim.flags, self.version.is_wow()) {
            anim.flags |= if self.version.is_wow() { 1 } else { 2 };
        }
        Some((map.int("index").unwrap_or(i64::MAX), anim))
    }

    /// Reads the visibility of an imported mesh as the alpha of a geoset animation.
    fn shown_by_clips(&mut self, one: &Wanted<'_>) -> Option<(i64, GeosetAnim)> {
        let mut binding = Binding::visibility(one.id);
        binding.held = true;
        let wanted = [(crate::Tag(*b"KGAO"), crate::ValueKind::Float, binding)];
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
            Some(stored) if one.primitive.material.is_none() => stored,
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
        // An imported mesh, or one that has outgrown its geoset.
        let tangents = geoset.tangents.take();
        let corners: Vec<[u32; 3]> = one.primitive.triangles(vertices.positions.len()).collect();
        let part = Part {
            geoset: &geoset,
            tangents: tangents.as_deref().filter(|_| self.version.has(Feature::SkinWeights)),
            corners: &corners,
            rows: &rows,
            grouped: (!smooth).then_some(self.weights),
        };
        let (mut out, Grouping { rounded, cut }) = split(&part);
        if rounded > 0 {
            let to = if smooth { "multiples of 1/255" } else { self.weights.rounded_to() };
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                format!("the weights of {rounded} vertices, rounded to {to}"),
            ));
        }
        self.lose_bones(one, cut);
        if !vertices.colors.is_empty() {
            self.lose(Loss::new(format!("mesh {:?}", one.mesh.name), "vertex colours"));
        }
        for attribute in vertices.attributes.iter().filter(|a| a.name != IDLE && a.name != GROUP) {
            self.lose(
                Loss::new(
                    format!("mesh {:?}", one.mesh.name),
                    format!("vertex attribute {}", attribute.name),
                )
                .invisible(),
            );
        }
        for geoset in &mut out {
            geoset.bounds = crate::bounds_of(&geoset.vertices).unwrap_or_default();
            geoset.sequence_bounds = vec![geoset.bounds; model.sequences.len()];
        }
        Ok(out)
    }

    /// Returns `true` if no other primitive uses the same vertices.
    fn alone(&self, one: &Wanted<'_>) -> bool {
        one.mesh.primitives.iter().filter(|p| p.vertices == one.primitive.vertices).count() == 1
    }

    /// Transforms vertices and normals to the space of the model.
    fn place(&self, one: &Wanted<'_>, vertices: &Vertices, skin: Option<&Skin>, out: &mut Geoset) {
        out.vertices.clone_from(&vertices.positions);
        out.normals.clone_from(&vertices.normals);
        // Rounding grows with the numbers that are added up, whatever the size of this mesh.
        let close = 1e-4 * self.reach.max(1e-3);
        let still = |matrix: &Mat4| {
            let moved = matrix.w_axis.truncate().abs().max_element() <= close;
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

    /// Reads the level of detail and its name.
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
        let Some(stored) = map.object("sequence_bounds") else { return Vec::new() };
        let rows = stored.floats("rows").unwrap_or_default();
        let row = |i: u32| match i.checked_sub(1) {
            None => *usual,
            Some(i) => rows.get(i as usize * 7..).and_then(row_bounds).unwrap_or(*usual),
        };
        let of = read_u32s(stored, "of");
        let before = own(&self.scene.extras).int("sequences").unwrap_or(0);
        let from = &self.sequence_from;
        let same = from.len() as i64 == before && from.iter().enumerate().all(|(i, f)| *f == Some(i));
        if same || of.len() as i64 != before {
            return of.into_iter().map(row).collect();
        }
        debug_assert_eq!(from.len(), model.sequences.len());
        from.iter().map(|f| f.and_then(|f| of.get(f)).map_or(*usual, |i| row(*i))).collect()
    }

    fn read_faces(&self, one: &Wanted<'_>, vertices: &Vertices, out: &mut Geoset) {
        let map = one.map;
        let indices: Vec<u16> = one.primitive.indices.iter().map(|i| *i as u16).collect();
        if map.contains_key("face_types") {
            out.face_types = read_u32s(map, "face_types");
            out.face_counts = read_u32s(map, "face_counts");
            if map.contains_key("faces") {
                out.faces = read_u32s(map, "faces").iter().map(|i| *i as u16).collect();
                let same =
                    out.triangles().as_flattened() == indices.as_slice() || vertices.positions.is_empty();
                if same {
                    return;
                }
                out.face_types.clear();
            }
            let plain = out.face_types.iter().all(|t| *t == 4) && !map.contains_key("faces");
            if plain && map.int("face_total") == Some(indices.len() as i64) || map.contains_key("buffer") {
                out.faces = indices;
                return;
            }
        } else if map.contains_key("faces") && vertices.positions.is_empty() {
            out.faces = read_u32s(map, "faces").iter().map(|i| *i as u16).collect();
            out.face_types = vec![4];
            out.face_counts = vec![out.faces.len() as u32];
            return;
        }
        out.faces = indices;
        out.face_types = vec![4];
        out.face_counts = vec![out.faces.len() as u32];
    }

    /// Reads the bone lists of World of Warcraft, the vertex buffer and the bounds.
    fn read_buffer(&mut self, map: &Extras, out: &mut Geoset) {
        if map.contains_key("bone_indices") {
            out.bone_indices = read_u32s(map, "bone_indices");
            out.bone_weights = read_u32s(map, "bone_weights");
        } else if self.version.is_wow() && !map.contains_key("buffer") {
            crate::versions::make_bone_lists(out);
        }
        if let Some(stored) = map.object("buffer") {
            let mut buffer = VertexBuffer::default();
            buffer_fields!(read_fields!(stored, buffer));
            if let [low, high] = read_u32s(stored, "unused").as_slice() {
                buffer.unused = u64::from(*low) | u64::from(*high) << 32;
            }
            let tags = crate::scene::extra::unlatin(stored.text("tags").unwrap_or(""));
            for (slot, tag) in buffer.tags.iter_mut().zip(tags.as_chunks::<4>().0) {
                *slot = *tag;
            }
            buffer.padding = read_u32s(stored, "padding").iter().map(|p| *p as u16).collect();
            out.buffer = Some(Box::new(buffer));
        }
        let was = map.get("extent").and_then(Bounds::read).unwrap_or(out.bounds);
        let near = |bounds: &Bounds| {
            let mut pairs = bounds_row(bounds).into_iter().zip(bounds_row(&was));
            pairs.all(|(a, b)| (a - b).abs() <= 1e-4 * self.reach)
        };
        // Other programs round: vertices that fill the same space were not moved.
        if map.int("geometry") != Some(i64::from(geometry_sum(&out.vertices)))
            && drawn_bounds(out).is_some_and(|bounds| !near(&bounds))
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

/// Reads vertex attributes that need no conversion.
fn read_columns(from: &Vertices, map: &Extras, out: &mut Geoset) {
    let rows = |key: &str| map.floats(key).unwrap_or_default();
    if from.normals.is_empty() {
        out.normals = rows("normals").as_chunks().0.to_vec();
    }
    if !from.tangents.is_empty() {
        out.tangents = Some(from.tangents.clone());
    } else if map.contains_key("tangents") {
        out.tangents = Some(rows("tangents").as_chunks().0.to_vec());
    }
    out.uvs = from.uvs.clone();
    for entry in map.objects("uvs") {
        out.uvs.push(entry.floats("uvs").unwrap_or_default().as_chunks().0.to_vec());
    }
}
