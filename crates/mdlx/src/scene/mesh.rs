//! Geosets and the collision mesh to the scene.

use foldhash::HashMap;
use galatea_scene::{
    Attribute, Channel, Extras, Influences, Interpolation, Mesh, Node as SceneNode, Primitive, Property,
    Purpose, Skin, Target, Value, Vertices, encode_u32s, floats,
};

use super::extra::{Carry, Sum, bounds_row, latin, put, put_fields, same, wrap};
use super::node::find;
use super::track::Bound;
use super::{Builder, put_words, take};
use crate::play::{Moment, Player};
use crate::{CollisionMesh, Feature, Geoset, GeosetAnim, SkinWeight, Tag, ValueKind, VertexBuffer};

/// The name of a vertex column with the bones of weights that are 0.
pub(super) const IDLE: &str = "IDLE_BONES";
/// The name of a vertex column with matrix groups that do not move anything.
pub(super) const GROUP: &str = "MATRIX_GROUP";

/// The tracks of a geoset animation.
pub(super) fn anim_bounds(node: u32) -> [(Tag, ValueKind, Bound); 2] {
    let bound = |property| Bound::new(Target::Node(node), property);
    [
        (Tag(*b"KGAO"), ValueKind::Float, bound(Property::Alpha)),
        (Tag(*b"KGAC"), ValueKind::Vector, bound(Property::Color).reversed()),
    ]
}

/// Whether the colour of a geoset animation counts.
pub(super) fn colour_counts(flags: u32, wow: bool) -> bool {
    flags & 2 != 0 || wow && flags & 1 != 0
}

/// A number that stands for the geometry of a mesh.
pub(super) fn geometry_sum(positions: &[[f32; 3]]) -> i32 {
    Sum::new().floats(positions.as_flattened()).finish()
}

/// How the bones of a matrix group share a vertex: places in the skin, each once, and weights.
pub(super) fn shares(joints: impl Iterator<Item = Option<u16>>) -> Vec<(u16, f32)> {
    let mut out: Vec<(u16, u32)> = Vec::new();
    let mut total = 0;
    for joint in joints.flatten() {
        total += 1;
        match out.iter_mut().find(|(j, _)| *j == joint) {
            Some((_, count)) => *count += 1,
            None => out.push((joint, 1)),
        }
    }
    out.into_iter().map(|(joint, count)| (joint, count as f32 / total as f32)).collect()
}

/// The weights of one vertex, every bone once, those that are there.
pub(super) fn weights_of(skin: &SkinWeight, joint: impl Fn(u32) -> Option<u16>) -> [(u16, f32); 4] {
    let mut out = [(0u16, 0.0f32); 4];
    let mut bytes = [0u32; 4];
    let mut used = 0usize;
    for (bone, weight) in skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w > 0) {
        let Some(joint) = joint(u32::from(*bone)) else { continue };
        let place = out.iter().take(used).position(|(j, _)| *j == joint).unwrap_or(used);
        used = used.max(place + 1);
        if let (Some(slot), Some(byte)) = (out.get_mut(place), bytes.get_mut(place)) {
            *byte += u32::from(weight);
            *slot = (joint, *byte as f32 / 255.0);
        }
    }
    out
}

/// Bones of weights that are 0, one after the other in a number; `None` where all are.
pub(super) fn idle_of(skin: &SkinWeight) -> Option<u32> {
    let idle = skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w == 0).map(|(b, _)| u32::from(*b));
    (skin.weights != [0; 4]).then(|| idle.fold(0, |all, bone| all << 8 | bone))
}

impl Builder<'_> {
    pub(super) fn add_geosets(&mut self, player: &Player<'_>) {
        let model = self.model;
        let mut anims: HashMap<usize, (usize, &GeosetAnim)> = HashMap::default();
        let mut loose: Vec<(usize, &GeosetAnim)> = Vec::new();
        for (index, anim) in model.geoset_anims.iter().enumerate() {
            let of = usize::try_from(anim.geoset_id).ok().filter(|g| *g < model.geosets.len());
            // Of several for one geoset the last counts.
            match of {
                Some(geoset) => loose.extend(anims.insert(geoset, (index, anim))),
                None => loose.push((index, anim)),
            }
        }
        for (index, geoset) in model.geosets.iter().enumerate() {
            self.add_geoset(index, geoset, anims.get(&index).copied(), player);
        }
        let loose = loose.into_iter().map(|(index, anim)| {
            let mut map = Extras::new();
            put(&mut map, "index", index as u32);
            put_fields!(&mut map, anim, GeosetAnim::default(), alpha, flags, color, geoset_id);
            self.add_tracks(&mut map, "tracks", &anim.tracks, |_| None);
            Value::Object(map)
        });
        let loose: Vec<Value> = loose.collect();
        if !loose.is_empty() {
            put(&mut self.header, "geoset_anims", Value::Array(loose));
        }
        if let Some(mesh) = model.collision_mesh.as_deref() {
            self.add_collision(mesh);
        }
    }

    fn add_geoset(
        &mut self,
        index: usize,
        geoset: &Geoset,
        anim: Option<(usize, &GeosetAnim)>,
        player: &Player<'_>,
    ) {
        let model = self.model;
        let mut map = Extras::new();
        put(&mut map, "geoset", index as u32);
        self.put_header(&mut map, geoset);
        let mut vertices = columns(geoset, &mut map);
        let skin = self.add_skin(geoset, &mut vertices, &mut map);
        let indices = faces(geoset, &mut map);
        let material = self.materials.get(geoset.material_id as usize).copied();
        if material.is_none() {
            put(&mut map, "material_id", geoset.material_id.json());
        }
        let lod_name = latin(geoset.lod_name.bytes());
        let named = model.version.has(Feature::LevelOfDetail) && !lod_name.is_empty();
        let name = if named { lod_name.clone() } else { format!("geoset {index}") };
        if !named && !lod_name.is_empty() || named && is_plain_name(&lod_name) {
            put(&mut map, "lod_name", lod_name);
        }
        let lod = u32::try_from(geoset.lod).ok().filter(|_| model.version.has(Feature::LevelOfDetail));
        if model.version.has(Feature::LevelOfDetail) && geoset.lod < -1 {
            put(&mut map, "lod", geoset.lod);
        }
        let id = self.scene.nodes.len() as u32;
        let mut node =
            SceneNode { mesh: Some(self.scene.meshes.len() as u32), skin, ..SceneNode::new(&name) };
        node.visible = lod.unwrap_or(0) == 0;
        self.scene.meshes.push(Mesh {
            name,
            primitives: vec![Primitive {
                vertices: self.scene.vertices.len() as u32,
                indices,
                material,
                ..Primitive::default()
            }],
            lod,
            ..Mesh::default()
        });
        self.scene.vertices.push(vertices);
        if let Some((number, anim)) = anim {
            let mut told = Extras::new();
            put(&mut told, "index", number as u32);
            self.add_anim(id, anim, player, &mut node, &mut told);
            put(&mut map, "anim", Value::Object(told));
        }
        node.extras = wrap(map);
        self.scene.add_node(Some(0), node);
    }

    /// Alpha and colour of a geoset.
    fn add_anim(
        &mut self,
        id: u32,
        anim: &GeosetAnim,
        player: &Player<'_>,
        node: &mut SceneNode,
        told: &mut Extras,
    ) {
        let model = self.model;
        put_fields!(told, anim, GeosetAnim::default(), flags);
        let bounds = anim_bounds(id);
        self.add_tracks(told, "tracks", &anim.tracks, |tag| find(&bounds, tag));
        let fades = anim.tracks.get(*b"KGAO");
        let opacity = if fades.is_some() { 1.0 } else { anim.alpha };
        let counts = colour_counts(anim.flags, model.version.is_wow());
        let [r, g, b] = if counts && anim.tracks.get(*b"KGAC").is_none() { anim.color } else { [1.0; 3] };
        node.tint = [r, g, b, opacity];
        if !opacity.same(&anim.alpha) {
            put(told, "alpha", anim.alpha.json());
        }
        if !same(&[r, g, b], &anim.color) {
            put(told, "color", anim.color.json());
        }
        let Some(fades) = fades else {
            node.visible &= anim.alpha > 0.0;
            return;
        };
        if !node.visible {
            return;
        }
        // At rest a geoset is seen as it is when the model stands.
        let moment = |sequence: Option<usize>| match sequence {
            Some(sequence) => Moment::in_sequence(model, sequence, 0.0),
            None => Moment { sequence: None, time: 0.0, clock: 0.0 },
        };
        let seen = player.sample::<f32>(fades, &moment(self.stand())).unwrap_or(1.0);
        node.visible = seen > 0.0;
        self.add_visibility(id, fades.global_sequence >= 0, node.visible);
    }

    /// Whether a geoset is seen follows from its alpha: said again in the words for that, wherever it is not as at rest.
    fn add_visibility(&mut self, id: u32, global: bool, rest: bool) {
        let globals = self.globals;
        for (number, clip) in self.scene.clips.iter_mut().enumerate() {
            if (number >= globals) != global {
                continue;
            }
            let fades = clip
                .channels
                .iter()
                .rev()
                .find(|c| c.target == Target::Node(id) && c.property == Property::Alpha);
            let (mut times, mut values): (Vec<f32>, Vec<f32>) = (vec![0.0], vec![1.0]);
            if let Some(channel) = fades {
                (times, values) = switches(channel);
            } else if global {
                continue;
            }
            if values.iter().all(|v| (*v > 0.0) == rest) {
                continue;
            }
            if !take(&mut self.again, 16) {
                break;
            }
            clip.channels.push(Channel::node(id, Property::Visibility, Interpolation::Step, times, values));
        }
    }

    fn put_header(&self, map: &mut Extras, geoset: &Geoset) {
        let base = Geoset::default();
        put_fields!(map, geoset, base, selection_group, selection_flags, bounds, extra);
        put(map, "geometry", geometry_sum(&geoset.vertices));
        put_bounds(map, &geoset.sequence_bounds, &geoset.bounds);
        if geoset.skin_first {
            put(map, "skin_first", true);
        }
        if let Some(buffer) = geoset.buffer.as_deref() {
            let mut told = Extras::new();
            put_fields!(
                &mut told,
                buffer,
                VertexBuffer::default(),
                center,
                index,
                type_count,
                primitive_type,
                unknown_0x4,
                min_vertex,
                max_vertex,
                unused_0xe,
            );
            put(&mut told, "unused", encode_u32s(&[buffer.unused as u32, (buffer.unused >> 32) as u32]));
            let [a, b, c] = buffer.tags;
            put(&mut told, "tags", latin(&[a, b, c].concat()));
            put(
                &mut told,
                "padding",
                encode_u32s(&buffer.padding.iter().map(|p| u32::from(*p)).collect::<Vec<_>>()),
            );
            put(map, "buffer", Value::Object(told));
        }
        let mut derived = Geoset { vertex_groups: geoset.vertex_groups.clone(), ..Geoset::default() };
        if self.model.version.is_wow() && geoset.buffer.is_none() {
            derived.group_sizes.clone_from(&geoset.group_sizes);
            derived.matrices.clone_from(&geoset.matrices);
            crate::versions::make_bone_lists(&mut derived);
        }
        if derived.bone_indices != geoset.bone_indices || derived.bone_weights != geoset.bone_weights {
            put_words(map, "bone_indices", &geoset.bone_indices);
            put_words(map, "bone_weights", &geoset.bone_weights);
        }
    }

    /// Adds the skin of a geoset, if any bone moves it, and the weights to its vertices.
    fn add_skin(&mut self, geoset: &Geoset, out: &mut Vertices, map: &mut Extras) -> Option<u32> {
        put_words(map, "group_sizes", &geoset.group_sizes);
        put_words(map, "matrices", &geoset.matrices);
        let count = geoset.vertices.len();
        let mut joints = Joints { by_id: &self.by_id, list: Vec::new(), places: HashMap::default() };
        let smooth = geoset.skin.as_deref();
        match smooth {
            Some(skin) if skin.len() == count => joints.smooth(skin, out, map),
            Some(skin) => {
                let bytes = skin.iter().flat_map(|s| s.bones.into_iter().chain(s.weights));
                put(map, "skin", super::extra::hex(&bytes.collect::<Vec<u8>>()));
            }
            None => joints.groups(geoset, out, map),
        }
        if smooth.is_some() {
            put_groups(geoset, out, map);
        }
        let joints = joints.list;
        if joints.is_empty() {
            out.influences = Influences::default();
            return None;
        }
        let place = |node: u32| {
            let id = self
                .scene
                .node(node)
                .map(|n| super::extra::own(&n.extras))
                .and_then(|m| super::extra::int(m, "id"));
            id.and_then(|id| self.model.pivots.get(id as u32 as usize)).copied().unwrap_or_default()
        };
        let bind = |node: &u32| {
            let [x, y, z] = if *node == 0 { [0.0; 3] } else { place(*node) };
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, -y, -z, 1.0]
        };
        self.scene.skins.push(Skin {
            name: format!("skin {}", self.scene.skins.len()),
            inverse_bind: joints.iter().map(bind).collect(),
            joints,
            ..Skin::default()
        });
        Some(self.scene.skins.len() as u32 - 1)
    }

    fn add_collision(&mut self, mesh: &CollisionMesh) {
        let mut map = Extras::new();
        put(&mut map, "collision_mesh", geometry_sum(&mesh.vertices));
        put(&mut map, "normals", floats(mesh.normals.as_flattened()));
        if mesh.vertices.is_empty() {
            put(
                &mut map,
                "triangles",
                encode_u32s(&mesh.triangles.iter().map(|i| u32::from(*i)).collect::<Vec<_>>()),
            );
        }
        self.scene.meshes.push(Mesh {
            name: "collision".into(),
            primitives: vec![Primitive {
                vertices: self.scene.vertices.len() as u32,
                indices: mesh.triangles.iter().map(|i| u32::from(*i)).collect(),
                ..Primitive::default()
            }],
            purpose: Purpose::Collision,
            ..Mesh::default()
        });
        self.scene.vertices.push(Vertices { positions: mesh.vertices.clone(), ..Vertices::default() });
        let mesh = Some(self.scene.meshes.len() as u32 - 1);
        let node = SceneNode { mesh, visible: false, extras: wrap(map), ..SceneNode::new("collision") };
        self.scene.add_node(Some(0), node);
    }
}

/// When something that fades is seen.
fn switches(fades: &Channel) -> (Vec<f32>, Vec<f32>) {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    let per = fades.values.len().checked_div(fades.times.len()).unwrap_or(1).max(1);
    let value = |i: usize| fades.values.get(i * per + per / 2).copied().unwrap_or(1.0);
    let fluid = fades.interpolation != Interpolation::Step;
    for (i, time) in fades.times.iter().enumerate() {
        // On the way from or to nothing something is seen already.
        let next = if i + 1 < fades.times.len() && fluid { value(i + 1) } else { 0.0 };
        let seen = f32::from(u8::from(value(i) > 0.0 || next > 0.0));
        if values.last() != Some(&seen) {
            times.push(*time);
            values.push(seen);
        }
    }
    (times, values)
}

/// Whether a name is one that geosets without a name get.
pub(super) fn is_plain_name(name: &str) -> bool {
    name.strip_prefix("geoset ")
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

/// Bounds for each sequence: those that differ, and which is whose.
fn put_bounds(map: &mut Extras, list: &[crate::Bounds], usual: &crate::Bounds) {
    if list.is_empty() {
        return;
    }
    let mut rows: Vec<[f32; 7]> = vec![bounds_row(usual)];
    let mut places: HashMap<[u32; 7], u32> = HashMap::from_iter([(bounds_row(usual).map(f32::to_bits), 0)]);
    let mut last = (bounds_row(usual).map(f32::to_bits), 0);
    let of: Vec<u32> = list
        .iter()
        .map(|bounds| {
            let row = bounds_row(bounds);
            let bits = row.map(f32::to_bits);
            if last.0 != bits {
                let place = *places.entry(bits).or_insert_with(|| {
                    rows.push(row);
                    rows.len() as u32 - 1
                });
                last = (bits, place);
            }
            last.1
        })
        .collect();
    let mut told = Extras::new();
    put_words(&mut told, "of", &of);
    if rows.len() > 1 {
        put(&mut told, "rows", floats(rows.get(1..).unwrap_or(&[]).as_flattened()));
    }
    put(map, "sequence_bounds", Value::Object(told));
}

/// Matrix groups of vertices that skin weights move instead.
fn put_groups(geoset: &Geoset, out: &mut Vertices, map: &mut Extras) {
    let groups = &geoset.vertex_groups;
    if groups.is_empty() {
        return;
    }
    if groups.len() == geoset.vertices.len() && groups.iter().any(|g| *g != 0) {
        let values = groups.iter().map(|g| f32::from(*g)).collect();
        out.attributes.push(Attribute { name: GROUP.into(), width: 1, values });
    } else if groups.iter().all(|g| *g == 0) {
        put(map, "zero_groups", groups.len() as u32);
    } else {
        put(map, "vertex_groups", groups.json());
    }
}

/// The vertices, column by column. Columns that do not have one entry per vertex go to extras.
fn columns(geoset: &Geoset, map: &mut Extras) -> Vertices {
    let count = geoset.vertices.len();
    let full = |len: usize| len == count && count > 0;
    let mut out = Vertices { positions: geoset.vertices.clone(), ..Vertices::default() };
    let mut odd = |key: &'static str, flat: &[f32]| put(map, key, floats(flat));
    if full(geoset.normals.len()) {
        out.normals.clone_from(&geoset.normals);
    } else if !geoset.normals.is_empty() {
        odd("normals", geoset.normals.as_flattened());
    }
    match &geoset.tangents {
        Some(tangents) if full(tangents.len()) => out.tangents.clone_from(tangents),
        Some(tangents) => odd("tangents", tangents.as_flattened()),
        None => {}
    }
    let sound = geoset.uvs.iter().take_while(|set| full(set.len())).count();
    out.uvs = geoset.uvs.iter().take(sound).cloned().collect();
    if sound < geoset.uvs.len() {
        let sets = geoset.uvs.iter().skip(sound);
        let sets = sets.map(|set| Value::from([("uvs", floats(set.as_flattened()))]));
        put(map, "uvs", Value::Array(sets.collect()));
    }
    out
}

/// The triangles; what other kinds of faces there are goes to extras.
fn faces(geoset: &Geoset, map: &mut Extras) -> Vec<u32> {
    let plain = geoset.buffer.is_some() || geoset.face_types.iter().all(|t| *t == 4);
    let usual = geoset.face_types == [4] && geoset.face_counts == [geoset.faces.len() as u32];
    if !usual {
        put_words(map, "face_types", &geoset.face_types);
        put_words(map, "face_counts", &geoset.face_counts);
        put(map, "face_total", geoset.faces.len() as u32);
    }
    if !plain || geoset.vertices.is_empty() && !geoset.faces.is_empty() {
        put_words(map, "faces", &geoset.faces.iter().map(|f| u32::from(*f)).collect::<Vec<_>>());
    }
    if plain {
        return geoset.faces.iter().map(|i| u32::from(*i)).collect();
    }
    geoset.triangles().as_flattened().iter().map(|i| u32::from(*i)).collect()
}

/// The joints of a skin that is being made.
struct Joints<'a> {
    by_id: &'a HashMap<u32, u32>,
    list: Vec<u32>,
    places: HashMap<u32, u16>,
}

impl Joints<'_> {
    fn place(&mut self, node: u32) -> u16 {
        let next = self.list.len() as u16;
        let list = &mut self.list;
        *self.places.entry(node).or_insert_with(|| {
            list.push(node);
            next
        })
    }

    /// The place of a bone; `None` if there is no such node.
    fn of(&mut self, id: u32) -> Option<u16> {
        let node = self.by_id.get(&id).copied()?;
        (self.list.len() < usize::from(u16::MAX) || self.places.contains_key(&node)).then(|| self.place(node))
    }

    fn groups(&mut self, geoset: &Geoset, out: &mut Vertices, map: &mut Extras) {
        let count = geoset.vertices.len();
        let rows: Vec<Vec<(u16, f32)>> =
            geoset.groups().map(|bones| shares(bones.iter().map(|id| self.of(*id)))).collect();
        if self.list.is_empty() || count == 0 {
            if !geoset.vertex_groups.is_empty() {
                let zero = geoset.vertex_groups.iter().all(|g| *g == 0);
                let value = if zero {
                    (geoset.vertex_groups.len() as u32).into()
                } else {
                    geoset.vertex_groups.json()
                };
                put(map, if zero { "zero_groups" } else { "vertex_groups" }, value);
            }
            return;
        }
        let width = rows.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let mut rows = rows;
        for row in &mut rows {
            if row.is_empty() {
                // What follows nothing stays where it is.
                row.push((self.place(0), 1.0));
            }
        }
        let mut group_of: Vec<u8> = geoset.vertex_groups.iter().copied().take(count).collect();
        let known = group_of.len();
        group_of.resize(count, 0);
        // Which group a vertex is in can be told by its weights, as far as those differ.
        let mut first: Vec<usize> = Vec::with_capacity(rows.len());
        let mut seen: HashMap<Vec<(u16, u32)>, usize> = HashMap::default();
        // Most groups are of one bone.
        let mut alone: Vec<Option<usize>> = vec![None; self.list.len()];
        for (i, row) in rows.iter().enumerate() {
            if let [(joint, _)] = row.as_slice()
                && let Some(slot) = alone.get_mut(usize::from(*joint))
            {
                first.push(*slot.get_or_insert(i));
                continue;
            }
            let mut key: Vec<(u16, u32)> =
                row.iter().map(|(j, w)| (*j, (w * 1000.0).round() as u32)).collect();
            key.sort_unstable();
            first.push(*seen.entry(key).or_insert(i));
        }
        out.influences = match width {
            1 => spread::<1>(&rows, &group_of),
            2 => spread::<2>(&rows, &group_of),
            3 => spread::<3>(&rows, &group_of),
            4 => spread::<4>(&rows, &group_of),
            _ => spread_wide(&rows, width, &group_of),
        };
        let (mut at, mut to) = (Vec::new(), Vec::new());
        for (vertex, used) in group_of.iter().map(|used| usize::from(*used)).take(known).enumerate() {
            if first.get(used) != Some(&used) {
                at.push(vertex as u32);
                to.push(used as u32);
            }
        }
        if geoset.vertex_groups.len() != count {
            put(map, "vertex_groups", geoset.vertex_groups.json());
        } else if !at.is_empty() {
            put(map, "groups", [("at", encode_u32s(&at)), ("to", encode_u32s(&to))]);
        }
    }

    fn smooth(&mut self, skin: &[SkinWeight], out: &mut Vertices, map: &mut Extras) {
        let mut places = [None::<Option<u16>>; 256];
        for (bone, _) in skin.iter().flat_map(|s| s.bones.into_iter().zip(s.weights)).filter(|(_, w)| *w > 0)
        {
            if let Some(slot) = places.get_mut(usize::from(bone)).filter(|p| p.is_none()) {
                *slot = Some(self.of(u32::from(bone)));
            }
        }
        let joint = |bone: u32| places.get(bone as usize).copied().flatten().flatten();
        if self.list.is_empty() {
            let bytes = skin.iter().flat_map(|s| s.bones.into_iter().chain(s.weights));
            put(map, "skin", super::extra::hex(&bytes.collect::<Vec<u8>>()));
            return;
        }
        let (mut at, mut to) = (Vec::new(), Vec::new());
        let mut idle = Vec::with_capacity(skin.len());
        let influences = &mut out.influences;
        influences.width = 4;
        let mut lost = None;
        for (vertex, weight) in skin.iter().enumerate() {
            let mut row = weights_of(weight, joint);
            let [(_, first), ..] = row;
            let still = first == 0.0;
            if still {
                let place = *lost.get_or_insert_with(|| self.place(0));
                row = [(place, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
            }
            let spare = idle_of(weight);
            idle.push(spare.unwrap_or(0) as f32);
            // Bones that repeat or are not there cannot be told by the weights.
            if still
                || row.iter().filter(|(_, w)| *w > 0.0).count()
                    != weight.weights.iter().filter(|w| **w > 0).count()
            {
                at.push(vertex as u32);
                to.extend([u32::from_le_bytes(weight.bones), u32::from_le_bytes(weight.weights)]);
            }
            // Weights stay in the places they have.
            let places = weight.weights.iter().map(|w| *w > 0);
            let straight = row.iter().filter(|(_, w)| *w > 0.0).count()
                == weight.weights.iter().filter(|w| **w > 0).count();
            if straight && !still {
                let mut next = row.iter();
                for full in places {
                    let (joint, weight) =
                        if full { next.next().copied().unwrap_or_default() } else { (0, 0.0) };
                    influences.joints.push(joint);
                    influences.weights.push(weight);
                }
            } else {
                influences.joints.extend(row.map(|(j, _)| j));
                influences.weights.extend(row.map(|(_, w)| w));
            }
        }
        if idle.iter().any(|i| *i != 0.0) {
            out.attributes.push(Attribute { name: IDLE.into(), width: 1, values: idle });
        }
        if !at.is_empty() {
            put(map, "weights", [("at", encode_u32s(&at)), ("to", encode_u32s(&to))]);
        }
        put(map, "smooth", true);
    }
}

/// The weights of vertices by the groups they are in, as wide as they usually are: then the compiler knows it. The game takes
/// the last group where there are not so many.
fn spread<const W: usize>(rows: &[Vec<(u16, f32)>], group_of: &[u8]) -> Influences {
    let fixed = |row: &Vec<(u16, f32)>| -> [(u16, f32); W] {
        std::array::from_fn(|i| row.get(i).copied().unwrap_or_default())
    };
    let table: Vec<[(u16, f32); W]> = rows.iter().take(256).map(fixed).collect();
    let last = rows.last().map(fixed).unwrap_or([(0, 0.0); W]);
    let row = |group: &u8| table.get(usize::from(*group)).unwrap_or(&last);
    let joints: Vec<[u16; W]> = group_of.iter().map(|group| row(group).map(|(joint, _)| joint)).collect();
    let weights: Vec<[f32; W]> = group_of.iter().map(|group| row(group).map(|(_, weight)| weight)).collect();
    Influences { width: W, joints: joints.into_flattened(), weights: weights.into_flattened() }
}

/// [`spread`] for any width.
fn spread_wide(rows: &[Vec<(u16, f32)>], width: usize, group_of: &[u8]) -> Influences {
    let mut out = Influences { width, ..Influences::default() };
    out.joints.resize(group_of.len() * width, 0);
    out.weights.resize(group_of.len() * width, 0.0);
    let slots = out.joints.chunks_exact_mut(width).zip(out.weights.chunks_exact_mut(width));
    for (group, (joints, weights)) in group_of.iter().zip(slots) {
        let row = rows.get(usize::from(*group)).or(rows.last());
        for ((joint, weight), slot) in joints.iter_mut().zip(weights).zip(row.into_iter().flatten()) {
            (*joint, *weight) = *slot;
        }
    }
    out
}
