//! From the scene to glTF: nodes, skins, lights and cameras.

pub(crate) mod clip;
mod material;
mod mesh;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use foldhash::HashSet;
use galatea_scene::{
    Extras, Key, Light, LightKind, Mesh, Node, Pose, Projection, Purpose, Scene, Target, Value, floats,
};

use crate::bin::{Bin, Component, Kind, Room, Shape, put_floats};
use crate::json::{List, Object, push_object};
use crate::{Options, blender, constraints, names, typed, uri};

/// A document in two parts.
pub(crate) struct Written {
    pub(crate) json: Vec<u8>,
    /// The parts of the buffer, one after the other.
    pub(crate) bin: Vec<Vec<u8>>,
}

/// What all parts of the writer need.
pub(crate) struct Context<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) bin: Bin,
    pub(crate) extensions: BTreeSet<&'static str>,
    pub(crate) node_names: Vec<Cow<'a, str>>,
    pub(crate) material_names: Vec<Cow<'a, str>>,
    pub(crate) light_names: Vec<Cow<'a, str>>,
    pub(crate) camera_names: Vec<Cow<'a, str>>,
    /// Meshes that only hidden nodes show.
    pub(crate) hidden: Vec<bool>,
    /// What extras refer to.
    referred: RefCell<HashSet<Target>>,
    /// The accessors of vertices that are written already.
    pub(crate) done: Vec<Option<Vec<(Key, u32)>>>,
    /// What had to be replaced in them.
    pub(crate) replaced: Vec<Extras>,
    /// For each vertices, the joints their skins have.
    pub(crate) joints: Vec<Option<usize>>,
}

impl Context<'_> {
    /// The name by which extras refer to something. What is referred to carries it as its key, so that it can be
    /// renamed and moved.
    pub(crate) fn name_of(&self, target: Target) -> Option<&str> {
        let (list, index) = match target {
            Target::Node(index) => (&self.node_names, index),
            Target::Material(index) => (&self.material_names, index),
            Target::Light(index) => (&self.light_names, index),
            Target::Camera(index) => (&self.camera_names, index),
            Target::Emitter(index) => {
                let owner = self.scene.nodes.iter().position(|n| n.emitter == Some(index))?;
                return self.name_of(Target::Node(owner as u32));
            }
        };
        let name = list.get(index as usize)?;
        self.referred.borrow_mut().insert(target);
        Some(name)
    }

    /// Writes the key of something that is referred to.
    pub(crate) fn put_key(&self, own: &mut Extras, target: Target, name: &str) {
        if self.referred.borrow().contains(&target) {
            own.insert("key", name.to_owned());
        }
    }
}

/// Writes `extras` with everything Galatea adds under its own name, and what others put there beside it.
pub(crate) fn put_extras(o: &mut Object<'_>, extras: &Extras, own: &Extras) {
    put_extras_and_lists(o, extras, own, &[]);
}

/// [`put_extras`] with lists that are written already.
pub(crate) fn put_extras_and_lists(
    o: &mut Object<'_>,
    extras: &Extras,
    own: &Extras,
    lists: &[(&'static str, &List)],
) {
    const OURS: &str = "galatea";
    let foreign = extras.get(typed::FOREIGN);
    let nothing = extras.len() == usize::from(foreign.is_some())
        && own.is_empty()
        && lists.iter().all(|(_, list)| list.count == 0);
    let put_ours = |o: &mut Object<'_>| o.object(OURS, |o| put_all(o, extras, own, lists));
    match foreign {
        None if nothing => {}
        Some(Value::Object(outer)) => o.object("extras", |o| {
            o.members_except(outer, |key| key == OURS && !nothing);
            if !nothing {
                put_ours(o);
            }
        }),
        // What is no object cannot stand beside anything.
        Some(other) if nothing => o.value("extras", other),
        _ => o.object("extras", put_ours),
    }
}

/// Members of extras without what others put there, of our own, and lists. Of two with the same key, our own.
pub(crate) fn put_all(o: &mut Object<'_>, extras: &Extras, own: &Extras, lists: &[(&'static str, &List)]) {
    let newer =
        |key: &str| own.contains_key(key) || lists.iter().any(|(k, list)| *k == key && list.count > 0);
    o.members_except(extras, |key| key == typed::FOREIGN || newer(key));
    o.members(own);
    lists.iter().for_each(|(key, list)| o.ready(key, list));
}

/// Names, where they had to be changed, go to extras.
pub(crate) fn put_name(o: &mut Object<'_>, own: &mut Extras, name: &str, unique: &str) {
    o.text("name", unique);
    if name != unique {
        own.insert("name", name.to_owned());
    }
}

/// Replaces a value that glTF refuses and keeps the original beside it.
pub(crate) fn kept<const N: usize>(
    raw: &mut Extras,
    key: &'static str,
    was: [f32; N],
    is: [f32; N],
) -> [f32; N] {
    if was.map(f32::to_bits) != is.map(f32::to_bits) {
        raw.insert(key, floats(&was));
    }
    is
}

pub(crate) fn put_raw(own: &mut Extras, raw: Extras) {
    if !raw.is_empty() {
        own.insert("raw", raw);
    }
}

/// Writes a document; the JSON has so much `room` before it.
pub(crate) fn write(scene: &Scene, options: &Options<'_>, bin_name: Option<&str>, room: usize) -> Written {
    let pose = Pose::rest(scene);
    let mut cx = Context {
        scene,
        bin: Bin::with_room(room_for(scene)),
        extensions: BTreeSet::new(),
        node_names: names::unique(scene.nodes.iter().map(|n| n.name.as_str()), "node"),
        material_names: names::unique(scene.materials.iter().map(|m| m.name.as_str()), "material"),
        light_names: names::unique(scene.lights.iter().map(|l| l.name.as_str()), "light"),
        camera_names: names::unique(scene.cameras.iter().map(|c| c.name.as_str()), "camera"),
        hidden: hidden_meshes(scene, &pose),
        referred: RefCell::default(),
        done: vec![None; scene.vertices.len()],
        replaced: vec![Extras::default(); scene.vertices.len()],
        joints: joint_counts(scene),
    };
    // First whatever refers to others.
    let (animations, clips) = clip::write(&mut cx);
    let users = scene.materials.iter().flat_map(|m| m.layers.iter().copied());
    for material in users.chain(scene.emitters.iter().filter_map(|e| e.material)) {
        cx.name_of(Target::Material(material));
    }
    let mut cameras = List::default();
    for (id, (camera, name)) in scene.cameras.iter().zip(&cx.camera_names).enumerate() {
        cameras.push(|o| put_camera(o, &cx, id, camera, name));
    }
    let materials = material::write(&mut cx, options);
    let mut mesh_index = Vec::with_capacity(scene.meshes.len());
    let mut meshes = List::default();
    let mesh_names = names::unique(scene.meshes.iter().map(|m| m.name.as_str()), "mesh");
    for (id, (mesh, name)) in scene.meshes.iter().zip(&mesh_names).enumerate() {
        mesh_index.push(mesh::write(&mut cx, &mut meshes, id, mesh, name, &materials));
    }
    let mut skin_index = Vec::with_capacity(scene.skins.len());
    let mut skins = List::default();
    let spares = blender::spares(scene, &pose);
    for (skin, spares) in scene.skins.iter().zip(&spares) {
        skin_index.push(write_skin(&mut cx, &mut skins, skin, spares));
    }
    let mut light_index = Vec::with_capacity(scene.lights.len());
    let mut lights = List::default();
    for (id, (light, name)) in scene.lights.iter().zip(&cx.light_names).enumerate() {
        let written = light.kind != LightKind::Ambient;
        light_index.push(written.then(|| lights.push(|o| put_light(o, &cx, id, light, name))));
    }
    if lights.count > 0 {
        cx.extensions.insert("KHR_lights_punctual");
    }
    let mut nodes = List::default();
    let notes = blender::Notes::new(scene, &spares);
    // What is named here carries its key, so the homes of meshes come before the nodes.
    let mut told: Vec<Extras> = (0..scene.nodes.len())
        .map(|id| {
            let mesh = scene.nodes.get(id).and_then(|n| at(&mesh_index, n.mesh).and(n.mesh));
            let mesh = mesh.and_then(|m| mesh_names.get(m as usize)).map(|name| &**name);
            notes.put(scene, id, |node| cx.name_of(Target::Node(node)).map(str::to_owned), mesh)
        })
        .collect();
    let places = Places { meshes: &mesh_index, skins: &skin_index, lights: &light_index };
    for (id, (node, told)) in scene.nodes.iter().zip(&mut told).enumerate() {
        nodes.push(|o| put_node(o, &cx, id, node, &places, std::mem::take(told)));
        if !node.visible {
            cx.extensions.insert("KHR_node_visibility");
        }
    }
    let (bin, views) = cx.bin.finish();

    let lists = [&nodes, &meshes, &materials.list, &animations, &cx.bin.accessors];
    let size = lists.iter().map(|l| l.len()).sum::<usize>() + bin.iter().map(Vec::len).sum::<usize>();
    // What is not written yet is seldom more than half of what is.
    let mut json = Vec::with_capacity(room + size + size / 2 + 4096);
    json.resize(room, 0);
    push_object(&mut json, |o| {
        o.object("asset", |o| {
            o.text("version", "2.0");
            o.text("generator", concat!("Galatea ", env!("CARGO_PKG_VERSION")));
        });
        if !cx.extensions.is_empty() {
            o.texts("extensionsUsed", cx.extensions.iter().copied());
        }
        o.int("scene", 0);
        o.list("scenes", [()], |o, ()| {
            o.text("name", &scene.name);
            let roots = scene.roots();
            if !roots.is_empty() {
                o.ints("nodes", roots);
            }
            let mut own = Extras::new();
            if !scene.name.is_empty() {
                own.insert("name", scene.name.clone());
            }
            let lists = [("materials", &materials.unused), ("clips", &clips)];
            put_extras_and_lists(o, &scene.extras, &own, &lists);
        });
        o.ready("nodes", &nodes);
        o.ready("meshes", &meshes);
        o.ready("skins", &skins);
        o.ready("materials", &materials.list);
        o.ready("textures", &materials.textures);
        o.ready("samplers", &materials.samplers);
        o.ready("images", &materials.images);
        o.ready("cameras", &cameras);
        o.ready("animations", &animations);
        o.ready("accessors", &cx.bin.accessors);
        o.ready("bufferViews", &views);
        if !bin.is_empty() {
            o.list("buffers", [()], |o, ()| {
                o.int("byteLength", bin.iter().map(Vec::len).sum::<usize>() as u64);
                if let Some(name) = bin_name {
                    o.text("uri", &uri::escape(name));
                }
            });
        }
        if lights.count > 0 {
            o.object("extensions", |o| o.object("KHR_lights_punctual", |o| o.ready("lights", &lights)));
        }
    });
    Written { json, bin }
}

/// How much the buffer will have to hold.
fn room_for(scene: &Scene) -> Room {
    let channels = || scene.clips.iter().flat_map(|c| &c.channels);
    let primitives = scene.meshes.iter().flat_map(|m| &m.primitives);
    Room {
        accessors: clip_channels(scene) * 2 + scene.vertices.len() * 6,
        vertices: scene.vertices.iter().map(|v| v.positions.len()).sum(),
        indices: primitives.map(|p| p.indices.len()).sum(),
        keys: channels().map(|c| c.times.len() + c.values.len()).sum(),
    }
}

/// Channels of all clips.
pub(crate) fn clip_channels(scene: &Scene) -> usize {
    scene.clips.iter().map(|c| c.channels.len()).sum()
}

/// Where things went.
struct Places<'a> {
    meshes: &'a [Option<u32>],
    skins: &'a [Option<u32>],
    lights: &'a [Option<u32>],
}

fn at<T: Copy>(list: &[Option<T>], index: Option<u32>) -> Option<T> {
    list.get(index? as usize).copied().flatten()
}

/// For each mesh, whether viewers must not show it: it is not for the eye or a coarser level of detail, or
/// hidden at rest. Viewers do not play visibility, so
/// that what only clips show stays hidden. Where that leaves nothing, as of a walkmesh, all is shown.
fn hidden_meshes(scene: &Scene, pose: &Pose) -> Vec<bool> {
    let mut seen = vec![false; scene.meshes.len()];
    let mut used = seen.clone();
    for (id, node) in scene.nodes.iter().enumerate() {
        let Some(at) = node.mesh.map(|m| m as usize) else { continue };
        let meant = |m: &Mesh| m.purpose == Purpose::Render && m.lod.unwrap_or(0) == 0;
        let shown = scene.meshes.get(at).is_some_and(meant) && pose.visible.get(id).copied().unwrap_or(true);
        if let (Some(seen), Some(used)) = (seen.get_mut(at), used.get_mut(at)) {
            *used = true;
            *seen |= shown;
        }
    }
    if !seen.contains(&true) {
        return vec![false; seen.len()];
    }
    used.into_iter().zip(seen).map(|(used, seen)| used && !seen).collect()
}

/// For each vertices, how many joints all skins that move them have.
fn joint_counts(scene: &Scene) -> Vec<Option<usize>> {
    let mut counts: Vec<Option<usize>> = vec![None; scene.vertices.len()];
    for (_, node, mesh) in scene.drawn() {
        let Some(skin) = node.skin.and_then(|s| scene.skins.get(s as usize)) else { continue };
        for primitive in &mesh.primitives {
            if let Some(count) = counts.get_mut(primitive.vertices as usize) {
                *count = Some(count.map_or(skin.joints.len(), |c| c.min(skin.joints.len())));
            }
        }
    }
    // What no skin moves keeps its weights all the same.
    for (count, vertices) in counts.iter_mut().zip(&scene.vertices) {
        count.get_or_insert_with(|| {
            vertices.influences.joints.iter().max().map_or(0, |m| usize::from(*m) + 1)
        });
    }
    counts
}

fn put_node(o: &mut Object<'_>, cx: &Context<'_>, id: usize, node: &Node, places: &Places<'_>, told: Extras) {
    let mut own = Extras::default();
    let name = cx.node_names.get(id).map_or("", |n| n);
    put_name(o, &mut own, &node.name, name);
    cx.put_key(&mut own, Target::Node(id as u32), name);
    if !node.children.is_empty() {
        o.ints("children", node.children.iter().copied());
    }
    let mut raw = Extras::default();
    let transform = &node.transform;
    let differs = |a: &[f32], b: &[f32]| a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits());
    let translation =
        kept(&mut raw, "translation", transform.translation, constraints::finite(transform.translation));
    if differs(&translation, &[0.0; 3]) {
        o.floats("translation", &translation);
    }
    let rotation = kept(&mut raw, "rotation", transform.rotation, constraints::rotation(transform.rotation));
    if differs(&rotation, &[0.0, 0.0, 0.0, 1.0]) {
        o.floats("rotation", &rotation);
    }
    let scale = kept(&mut raw, "scale", transform.scale, constraints::finite(transform.scale));
    if differs(&scale, &[1.0; 3]) {
        o.floats("scale", &scale);
    }
    let mut put = |key: &'static str, value: Value| own.insert(key, value);
    match at(places.meshes, node.mesh) {
        Some(mesh) => {
            o.int("mesh", u64::from(mesh));
            let skinned = node.mesh.and_then(|m| cx.scene.meshes.get(m as usize)).is_some_and(|mesh| {
                mesh.primitives.iter().any(|p| {
                    cx.scene
                        .vertices_of(p)
                        .is_some_and(|v| !v.influences.is_empty() && !v.positions.is_empty())
                })
            });
            if let Some(skin) = at(places.skins, node.skin).filter(|_| skinned) {
                o.int("skin", u64::from(skin));
            }
        }
        None => {
            // A mesh without any geometry has no place in glTF.
            if let Some(mesh) = node.mesh.and_then(|m| cx.scene.meshes.get(m as usize)) {
                put("mesh", mesh::empty(cx, mesh));
            }
        }
    }
    if let Some(camera) = node.camera.filter(|c| (*c as usize) < cx.scene.cameras.len()) {
        o.int("camera", u64::from(camera));
    }
    let light = at(places.lights, node.light);
    if light.is_some() || !node.visible {
        o.object("extensions", |o| {
            if let Some(light) = light {
                o.object("KHR_lights_punctual", |o| o.int("light", u64::from(light)));
            }
            if !node.visible {
                o.object("KHR_node_visibility", |o| o.flag("visible", false));
            }
        });
    }
    if let Some(ambient) =
        node.light.filter(|_| light.is_none()).and_then(|l| cx.scene.lights.get(l as usize))
    {
        put("light", typed::light(ambient));
    }
    if let Some(emitter) = node.emitter.and_then(|e| cx.scene.emitters.get(e as usize)) {
        let material = emitter.material.and_then(|m| cx.material_names.get(m as usize));
        put("emitter", typed::emitter(emitter, material.map(|name| &**name)));
    }
    if node.tint.map(f32::to_bits) != [1.0f32; 4].map(f32::to_bits) {
        put("tint", floats(&node.tint));
    }
    if let Some(attachment) = &node.attachment {
        put("attachment", typed::attachment(attachment));
    }
    if let Some(shape) = &node.shape {
        put("shape", typed::shape(shape));
    }
    if let Some(billboard) = node.billboard {
        put("billboard", typed::billboard(billboard).into());
    }
    if node.inherit != galatea_scene::Inherit::default() {
        put("inherit", typed::inherit(node.inherit));
    }
    if node.axes {
        put("axes", true.into());
    }
    put_raw(&mut own, raw);
    own.extend(told);
    put_extras(o, &node.extras, &own);
}

fn write_skin(
    cx: &mut Context<'_>,
    skins: &mut List,
    skin: &galatea_scene::Skin,
    spares: &[(u32, [f32; 16])],
) -> Option<u32> {
    let known = cx.scene.nodes.len();
    if skin.joints.is_empty() || skin.joints.iter().any(|j| *j as usize >= known) {
        return None;
    }
    let mut replaced = Extras::default();
    let mut binds = skin.inverse_bind.clone();
    binds.resize(skin.joints.len(), glam::Mat4::IDENTITY.to_cols_array());
    let rows = mesh::checked(&binds, constraints::Affine, "inverse_bind", &mut replaced);
    let mut rows = rows.into_owned();
    rows.extend(spares.iter().map(|(_, bind)| *bind));
    if !spares.is_empty() {
        replaced.insert("spare", spares.len() as u32);
    }
    let shape =
        Shape { component: Component::F32, width: 16, count: rows.len(), normalized: false, bounds: None };
    let accessor = cx.bin.accessor(Kind::Binds, &shape, |out| put_floats(out, rows.as_flattened()));
    Some(skins.push(|o| {
        o.text("name", &skin.name);
        o.ints("joints", skin.joints.iter().copied().chain(spares.iter().map(|(id, _)| *id)));
        o.int("inverseBindMatrices", u64::from(accessor));
        put_extras(o, &skin.extras, &replaced);
    }))
}

fn put_light(o: &mut Object<'_>, cx: &Context<'_>, id: usize, light: &Light, name: &str) {
    let (mut own, mut raw) = (Extras::default(), Extras::default());
    cx.put_key(&mut own, Target::Light(id as u32), name);
    put_name(o, &mut own, &light.name, name);
    o.text(
        "type",
        match light.kind {
            LightKind::Directional => "directional",
            LightKind::Spot { .. } => "spot",
            _ => "point",
        },
    );
    let clamped = constraints::finite(light.color).map(|c| c.clamp(0.0, 1.0));
    o.floats("color", &kept(&mut raw, "color", light.color, clamped));
    let [intensity] =
        kept(&mut raw, "intensity", [light.intensity], constraints::finite([light.intensity.max(0.0)]));
    o.float("intensity", intensity);
    if let Some(range) = light.range {
        if range.is_finite() && range > 0.0 && light.kind != LightKind::Directional {
            o.float("range", range);
        } else {
            raw.insert("range", floats(&[range]));
        }
    }
    if let LightKind::Spot { inner, outer } = light.kind {
        let most = std::f32::consts::FRAC_PI_2;
        let allowed_outer = if outer.is_finite() { outer.clamp(1e-3, most) } else { most };
        let allowed_inner = if inner.is_finite() { inner.clamp(0.0, allowed_outer * 0.999) } else { 0.0 };
        let [inner, outer] = kept(&mut raw, "cone", [inner, outer], [allowed_inner, allowed_outer]);
        o.object("spot", |o| {
            o.float("innerConeAngle", inner);
            o.float("outerConeAngle", outer);
        });
    }
    put_raw(&mut own, raw);
    put_extras(o, &light.extras, &own);
}

fn put_camera(o: &mut Object<'_>, cx: &Context<'_>, id: usize, camera: &galatea_scene::Camera, name: &str) {
    let (mut own, mut raw) = (Extras::default(), Extras::default());
    cx.put_key(&mut own, Target::Camera(id as u32), name);
    put_name(o, &mut own, &camera.name, name);
    let near = if camera.near.is_finite() { camera.near.max(1e-4) } else { 1e-4 };
    let [near] = kept(&mut raw, "near", [camera.near], [near]);
    let far = camera.far.filter(|far| far.is_finite() && *far > near);
    if let Some(far) = camera.far.filter(|_| far.is_none()) {
        raw.insert("far", floats(&[far]));
    }
    match camera.projection {
        Projection::Perspective { yfov, aspect } => {
            let allowed = if yfov.is_finite() { yfov.clamp(1e-3, 3.1) } else { 0.8 };
            let [yfov] = kept(&mut raw, "yfov", [yfov], [allowed]);
            o.text("type", "perspective");
            o.object("perspective", |o| {
                o.float("yfov", yfov);
                if let Some(aspect) = aspect.filter(|a| a.is_finite() && *a > 0.0) {
                    o.float("aspectRatio", aspect);
                }
                o.float("znear", near);
                if let Some(far) = far {
                    o.float("zfar", far);
                }
            });
        }
        Projection::Orthographic { size } => {
            let allowed = size.map(|s| if s.is_finite() && s > 0.0 { s } else { 1.0 });
            let [x, y] = kept(&mut raw, "size", size, allowed);
            o.text("type", "orthographic");
            o.object("orthographic", |o| {
                o.float("xmag", x);
                o.float("ymag", y);
                o.float("znear", near);
                o.float("zfar", far.unwrap_or(near + 1000.0));
            });
        }
    }
    if let Some(target) = camera.target.and_then(|t| cx.name_of(Target::Node(t))) {
        own.insert("target", target.to_owned());
    }
    put_raw(&mut own, raw);
    put_extras(o, &camera.extras, &own);
}
