//! From the scene to glTF: the document around its lists.

pub(crate) mod clip;
mod light;
mod material;
mod mesh;
mod node;
mod texture;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use foldhash::HashSet;
use galatea_scene::{
    Extras, Key, Mesh, ORIGIN, Pose, Purpose, Scene, Target, Value, Vertices, VerticesId, floats,
};

use self::material::Materials;
use crate::bin::{Bin, Room};
use crate::json::{List, Object, push_object};
use crate::twins::{self, Twins};
use crate::{Options, blender, names, typed, uri};

/// A document in two parts.
pub(crate) struct Written {
    pub(crate) json: Vec<u8>,
    /// The parts of the buffer, one after the other.
    pub(crate) bin: Vec<Vec<u8>>,
}

/// The state that all parts of the writer share.
pub(crate) struct Context<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) bin: Bin,
    pub(crate) extensions: BTreeSet<&'static str>,
    pub(crate) node_names: Vec<Cow<'a, str>>,
    pub(crate) material_names: Vec<Cow<'a, str>>,
    pub(crate) light_names: Vec<Cow<'a, str>>,
    pub(crate) camera_names: Vec<Cow<'a, str>>,
    /// For each mesh, whether only hidden nodes have it.
    pub(crate) hidden: Vec<bool>,
    /// Things that extras refer to by name.
    referred: RefCell<HashSet<Target>>,
    /// Whether extras have the index of everything.
    origins: bool,
    /// Accessors by attribute, for vertices that are written already.
    pub(crate) done: Vec<Option<Vec<(Key, u32)>>>,
    /// For each vertices, the values that had to be replaced.
    pub(crate) replaced: Vec<Extras>,
    /// For each vertices, the number of joints of their skins.
    pub(crate) joints: Vec<Option<usize>>,
    pub(crate) twins: Twins,
}

impl<'a> Context<'a> {
    fn new(scene: &'a Scene, pose: &Pose, origins: bool) -> Context<'a> {
        Context {
            twins: Twins::new(scene),
            scene,
            bin: Bin::with_room(room_for(scene)),
            extensions: BTreeSet::new(),
            node_names: names::unique(scene.nodes.iter().map(|n| n.name.as_str()), "node"),
            material_names: names::unique(scene.materials.iter().map(|m| m.name.as_str()), "material"),
            light_names: names::unique(scene.lights.iter().map(|l| l.name.as_str()), "light"),
            camera_names: names::unique(scene.cameras.iter().map(|c| c.name.as_str()), "camera"),
            hidden: hidden_meshes(scene, pose),
            referred: RefCell::default(),
            origins,
            done: vec![None; scene.vertices.len()],
            replaced: vec![Extras::default(); scene.vertices.len()],
            joints: joint_counts(scene),
        }
    }

    /// Returns vertices with the copies that their triangles need.
    pub(crate) fn with_copies(&self, id: VerticesId) -> Option<Cow<'a, Vertices>> {
        let vertices = self.scene.vertices.get(id as usize)?;
        Some(twins::with_copies(vertices, self.twins.rows(id)))
    }

    /// Returns the name by which extras refer to something. What is referred to carries this name as its key, so that it can
    /// be renamed and moved.
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

    /// Adds the index of something in the scene, if that was asked for.
    pub(crate) fn put_origin(&self, own: &mut Extras, index: usize) {
        if self.origins {
            own.insert(ORIGIN, index as u32);
        }
    }

    /// Adds the key of something that is referred to.
    pub(crate) fn put_key(&self, own: &mut Extras, target: Target, name: &str) {
        if self.referred.borrow().contains(&target) {
            own.insert("key", name.to_owned());
        }
    }
}

/// Writes `extras`: what Galatea adds in an object of its own, and what other programs had put there.
pub(crate) fn put_extras(o: &mut Object<'_>, extras: &Extras, own: &Extras) {
    put_extras_and_lists(o, extras, own, &[]);
}

/// Writes [`put_extras`] with finished lists.
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
        // Only an object can have our own object as a member.
        Some(other) if nothing => o.value("extras", other),
        _ => o.object("extras", put_ours),
    }
}

/// Writes the members of extras, of our own and of lists, but not what other programs put there. Of two members with the
/// same key, our own is written.
pub(crate) fn put_all(o: &mut Object<'_>, extras: &Extras, own: &Extras, lists: &[(&'static str, &List)]) {
    let newer =
        |key: &str| own.contains_key(key) || lists.iter().any(|(k, list)| *k == key && list.count > 0);
    o.members_except(extras, |key| key == typed::FOREIGN || newer(key));
    o.members(own);
    lists.iter().for_each(|(key, list)| o.ready(key, list));
}

/// Writes a unique name; if it is not the original, that goes to extras.
pub(crate) fn put_name(o: &mut Object<'_>, own: &mut Extras, name: &str, unique: &str) {
    o.text("name", unique);
    if name != unique {
        own.insert("name", name.to_owned());
    }
}

/// Returns the value `is` that replaces a value glTF forbids, and keeps the original in `raw`.
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

/// The lists of a document.
struct Lists {
    nodes: List,
    meshes: List,
    skins: List,
    materials: Materials,
    cameras: List,
    lights: List,
    animations: List,
    /// Notes about clips, for the extras of the scene.
    clip_notes: List,
}

/// Writes a document; the JSON begins after `room` bytes.
pub(crate) fn write(scene: &Scene, options: &Options<'_>, bin_name: Option<&str>, room: usize) -> Written {
    let pose = Pose::rest(scene);
    let mut cx = Context::new(scene, &pose, options.origins);
    let lists = write_lists(&mut cx, options, &pose);
    let (bin, views) = cx.bin.finish();
    let bin_len = bin.iter().map(Vec::len).sum::<usize>();

    let large = [&lists.nodes, &lists.meshes, &lists.materials.list, &lists.animations, &cx.bin.accessors];
    let size = large.iter().map(|l| l.len()).sum::<usize>() + bin_len;
    // The rest is seldom more than half of this.
    let mut json = Vec::with_capacity(room + size + size / 2 + 4096);
    json.resize(room, 0);
    push_object(&mut json, |o| {
        put_head(o, &cx, &lists);
        put_lists(o, &cx, &lists, &views);
        if !bin.is_empty() {
            o.list("buffers", [()], |o, ()| {
                o.int("byteLength", bin_len as u64);
                if let Some(name) = bin_name {
                    o.text("uri", &uri::escape(name));
                }
            });
        }
        if lists.lights.count > 0 {
            o.object("extensions", |o| o.object("KHR_lights_punctual", |o| o.ready("lights", &lists.lights)));
        }
    });
    Written { json, bin }
}

fn write_lists(cx: &mut Context<'_>, options: &Options<'_>, pose: &Pose) -> Lists {
    let scene = cx.scene;
    // Whatever refers to others comes first: what is referred to carries a key.
    let (animations, clip_notes) = clip::write(cx);
    let layers = scene.materials.iter().flat_map(|m| m.layers.iter().copied());
    for material in layers.chain(scene.emitters.iter().filter_map(|e| e.material)) {
        cx.name_of(Target::Material(material));
    }
    let cameras = light::write_cameras(cx);
    let materials = material::write(cx, options);
    let mut meshes = List::default();
    let mesh_names = names::unique(scene.meshes.iter().map(|m| m.name.as_str()), "mesh");
    let named_meshes = scene.meshes.iter().zip(&mesh_names).enumerate();
    let mesh_indices = named_meshes
        .map(|(id, (mesh, name))| mesh::write(cx, &mut meshes, id, mesh, name, &materials))
        .collect();
    let mut skins = List::default();
    let spares = blender::spares(scene, pose);
    let skin_indices = scene
        .skins
        .iter()
        .zip(&spares)
        .map(|(skin, spares)| node::write_skin(cx, &mut skins, skin, spares))
        .collect();
    let (lights, light_indices) = light::write_lights(cx);
    let indices = node::Indices { meshes: mesh_indices, skins: skin_indices, lights: light_indices };
    let notes = blender::Notes::new(scene, &spares);
    let nodes = node::write(cx, &indices, &mesh_names, &notes);
    Lists { nodes, meshes, skins, materials, cameras, lights, animations, clip_notes }
}

/// Writes what comes before the lists.
fn put_head(o: &mut Object<'_>, cx: &Context<'_>, lists: &Lists) {
    let scene = cx.scene;
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
        let lists = [("materials", &lists.materials.unused), ("clips", &lists.clip_notes)];
        put_extras_and_lists(o, &scene.extras, &own, &lists);
    });
}

fn put_lists(o: &mut Object<'_>, cx: &Context<'_>, lists: &Lists, views: &List) {
    o.ready("nodes", &lists.nodes);
    o.ready("meshes", &lists.meshes);
    o.ready("skins", &lists.skins);
    o.ready("materials", &lists.materials.list);
    o.ready("textures", &lists.materials.textures);
    o.ready("samplers", &lists.materials.samplers);
    o.ready("images", &lists.materials.images);
    o.ready("cameras", &lists.cameras);
    o.ready("animations", &lists.animations);
    o.ready("accessors", &cx.bin.accessors);
    o.ready("bufferViews", views);
}

/// Estimates the size of the buffer.
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

/// Returns the number of channels of all clips.
pub(crate) fn clip_channels(scene: &Scene) -> usize {
    scene.clips.iter().map(|c| c.channels.len()).sum()
}

/// Returns for each mesh whether viewers must not show it: it is not meant for rendering, a coarser level of detail, or hidden
/// at rest. Viewers do not play visibility, so what only clips show stays hidden. If nothing would be left, as of a walkmesh,
/// everything is shown.
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

/// Returns for each vertices the number of joints that every skin with them has.
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
    // Vertices without a skin keep their weights.
    for (count, vertices) in counts.iter_mut().zip(&scene.vertices) {
        count.get_or_insert_with(|| {
            vertices.influences.joints.iter().max().map_or(0, |m| usize::from(*m) + 1)
        });
    }
    counts
}
