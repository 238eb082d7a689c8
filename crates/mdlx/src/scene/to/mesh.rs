//! Geosets and the collision mesh to the scene.

use foldhash::HashMap;
use galatea_scene::{
    Channel, Extras, Interpolation, Mesh, Node as SceneNode, Primitive, Property, Purpose, Target, Value,
    Vertices, encode_u32_iter, encode_u32s, floats,
};

use super::{ToScene, take};
use crate::play::{Moment, Player};
use crate::scene::binding::{anim_bindings, find};
use crate::scene::extra::{ExtraValue, bounds_row, latin, put_fields, same, wrap};
use crate::scene::fields::buffer_fields;
use crate::scene::vocabulary::{color_applies, is_plain_name};
use crate::scene::weights::{drawn_bounds, geometry_sum};
use crate::{CollisionMesh, Feature, Geoset, GeosetAnim, VertexBuffer};

impl ToScene<'_> {
    pub(super) fn add_geosets(&mut self, player: &Player<'_>) {
        let model = self.model;
        let mut anims: HashMap<usize, (usize, &GeosetAnim)> = HashMap::default();
        let mut loose: Vec<(usize, &GeosetAnim)> = Vec::new();
        for (index, anim) in model.geoset_anims.iter().enumerate() {
            let of = usize::try_from(anim.geoset_id).ok().filter(|g| *g < model.geosets.len());
            // If a geoset has several, the last one is used.
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
            map.add("index", index as u32);
            put_fields!(&mut map, anim, GeosetAnim::default(), alpha, flags, color, geoset_id);
            self.add_tracks(&mut map, "tracks", &anim.tracks, |_| None);
            Value::Object(map)
        });
        let loose: Vec<Value> = loose.collect();
        if !loose.is_empty() {
            self.header.add("geoset_anims", Value::Array(loose));
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
        map.add("geoset", index as u32);
        self.put_header(&mut map, geoset);
        let mut vertices = columns(geoset, &mut map);
        let skin = self.add_skin(geoset, &mut vertices, &mut map);
        let indices = faces(geoset, &mut map);
        let material = self.materials.get(geoset.material_id as usize).copied();
        if material.is_none() {
            map.add("material_id", geoset.material_id.json());
        }
        let lod_name = latin(geoset.lod_name.bytes());
        let named = model.version.has(Feature::LevelOfDetail) && !lod_name.is_empty();
        let name = if named { lod_name.clone() } else { format!("geoset {index}") };
        if !named && !lod_name.is_empty() || named && is_plain_name(&lod_name) {
            map.add("lod_name", lod_name);
        }
        let lod = u32::try_from(geoset.lod).ok().filter(|_| model.version.has(Feature::LevelOfDetail));
        if model.version.has(Feature::LevelOfDetail) && geoset.lod < -1 {
            map.add("lod", geoset.lod);
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
            let mut stored = Extras::new();
            stored.add("index", number as u32);
            self.add_anim(id, anim, player, &mut node, &mut stored);
            map.add("anim", Value::Object(stored));
        }
        node.extras = wrap(map);
        self.scene.add_node(Some(0), node);
    }

    /// Adds alpha and colour of a geoset.
    fn add_anim(
        &mut self,
        id: u32,
        anim: &GeosetAnim,
        player: &Player<'_>,
        node: &mut SceneNode,
        stored: &mut Extras,
    ) {
        let model = self.model;
        put_fields!(stored, anim, GeosetAnim::default(), flags);
        let bindings = anim_bindings(id);
        self.add_tracks(stored, "tracks", &anim.tracks, |tag| find(&bindings, tag));
        let fades = anim.tracks.get(*b"KGAO");
        let opacity = if fades.is_some() { 1.0 } else { anim.alpha };
        let counts = color_applies(anim.flags, model.version.is_wow());
        let [r, g, b] = if counts && anim.tracks.get(*b"KGAC").is_none() { anim.color } else { [1.0; 3] };
        node.tint = [r, g, b, opacity];
        if !opacity.same(&anim.alpha) {
            stored.add("alpha", anim.alpha.json());
        }
        if !same(&[r, g, b], &anim.color) {
            stored.add("color", anim.color.json());
        }
        let Some(fades) = fades else {
            node.visible &= anim.alpha > 0.0;
            return;
        };
        if !node.visible {
            return;
        }
        // At rest, a geoset is as visible as in the Stand sequence.
        let moment = |sequence: Option<usize>| match sequence {
            Some(sequence) => Moment::in_sequence(model, sequence, 0.0),
            None => Moment { sequence: None, time: 0.0, clock: 0.0 },
        };
        let seen = player.sample::<f32>(fades, &moment(self.stand())).unwrap_or(1.0);
        node.visible = seen > 0.0;
        self.add_visibility(id, fades.global_sequence >= 0, node.visible);
    }

    /// Adds visibility channels that follow from a geoset's alpha, in clips where it differs from the pose at rest.
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
            if !take(&mut self.repeat_budget, 16) {
                break;
            }
            clip.channels.push(Channel::node(id, Property::Visibility, Interpolation::Step, times, values));
        }
    }

    fn put_header(&self, map: &mut Extras, geoset: &Geoset) {
        let base = Geoset::default();
        put_fields!(map, geoset, base, selection_group, selection_flags, bounds, extra);
        map.add("geometry", geometry_sum(&geoset.vertices));
        if let Some(extent) = drawn_bounds(geoset).filter(|extent| *extent != geoset.bounds) {
            map.add("extent", extent.json());
        }
        put_bounds(map, &geoset.sequence_bounds, &geoset.bounds);
        if geoset.skin_first {
            map.add("skin_first", true);
        }
        if let Some(buffer) = geoset.buffer.as_deref() {
            let mut stored = Extras::new();
            buffer_fields!(put_fields!(stored, buffer, VertexBuffer::default()));
            stored.add("unused", encode_u32s(&[buffer.unused as u32, (buffer.unused >> 32) as u32]));
            let [a, b, c] = buffer.tags;
            stored.add("tags", latin(&[a, b, c].concat()));
            stored.add(
                "padding",
                encode_u32s(&buffer.padding.iter().map(|p| u32::from(*p)).collect::<Vec<_>>()),
            );
            map.add("buffer", Value::Object(stored));
        }
        let mut derived = Geoset { vertex_groups: geoset.vertex_groups.clone(), ..Geoset::default() };
        if self.model.version.is_wow() && geoset.buffer.is_none() {
            derived.group_sizes.clone_from(&geoset.group_sizes);
            derived.matrices.clone_from(&geoset.matrices);
            crate::versions::make_bone_lists(&mut derived);
        }
        if derived.bone_indices != geoset.bone_indices || derived.bone_weights != geoset.bone_weights {
            map.add("bone_indices", encode_u32s(&geoset.bone_indices));
            map.add("bone_weights", encode_u32s(&geoset.bone_weights));
        }
    }

    fn add_collision(&mut self, mesh: &CollisionMesh) {
        let mut map = Extras::new();
        map.add("collision_mesh", geometry_sum(&mesh.vertices));
        map.add("normals", floats(mesh.normals.as_flattened()));
        if mesh.vertices.is_empty() {
            map.add(
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

/// Returns the times at which a fading object becomes visible or invisible.
fn switches(fades: &Channel) -> (Vec<f32>, Vec<f32>) {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    let per = fades.values.len().checked_div(fades.times.len()).unwrap_or(1).max(1);
    let value = |i: usize| fades.values.get(i * per + per / 2).copied().unwrap_or(1.0);
    let fluid = fades.interpolation != Interpolation::Step;
    for (i, time) in fades.times.iter().enumerate() {
        // While it fades in or out, it is visible.
        let next = if i + 1 < fades.times.len() && fluid { value(i + 1) } else { 0.0 };
        let seen = f32::from(u8::from(value(i) > 0.0 || next > 0.0));
        if values.last() != Some(&seen) {
            times.push(*time);
            values.push(seen);
        }
    }
    (times, values)
}

/// Stores the bounds for each sequence: the distinct ones, and an index for each sequence.
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
    let mut stored = Extras::new();
    stored.add("of", encode_u32s(&of));
    if rows.len() > 1 {
        stored.add("rows", floats(rows.get(1..).unwrap_or(&[]).as_flattened()));
    }
    map.add("sequence_bounds", Value::Object(stored));
}

/// Returns the vertex attributes. Those without one entry per vertex are stored in extras.
fn columns(geoset: &Geoset, map: &mut Extras) -> Vertices {
    let count = geoset.vertices.len();
    let full = |len: usize| len == count && count > 0;
    let mut out = Vertices { positions: geoset.vertices.clone(), ..Vertices::default() };
    let mut odd = |key: &'static str, flat: &[f32]| map.add(key, floats(flat));
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
        map.add("uvs", Value::Array(sets.collect()));
    }
    out
}

/// Returns the triangles; other types of faces are stored in extras.
fn faces(geoset: &Geoset, map: &mut Extras) -> Vec<u32> {
    let plain = geoset.buffer.is_some() || geoset.face_types.iter().all(|t| *t == 4);
    let usual = geoset.face_types == [4] && geoset.face_counts == [geoset.faces.len() as u32];
    if !usual {
        map.add("face_types", encode_u32s(&geoset.face_types));
        map.add("face_counts", encode_u32s(&geoset.face_counts));
        map.add("face_total", geoset.faces.len() as u32);
    }
    if !plain || geoset.vertices.is_empty() && !geoset.faces.is_empty() {
        map.add("faces", encode_u32_iter(geoset.faces.iter().map(|f| u32::from(*f))));
    }
    if plain {
        return geoset.faces.iter().map(|i| u32::from(*i)).collect();
    }
    geoset.triangles().as_flattened().iter().map(|i| u32::from(*i)).collect()
}
