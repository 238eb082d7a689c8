//! Models to the scene and back.
//!
//! Every node of the model is a node of the scene of the same name, every geoset a mesh, every sequence a clip. A node stands at
//! its pivot. What the scene has no word for is in extras under `mdx`: fields of records, keys outside of every sequence, and by
//! how many steps of the last bit numbers differ from what the scene's numbers give.

mod camera;
mod clip;
mod clip_back;
mod curve;
mod emitter;
mod extra;
mod foreign;
mod frame;
mod material;
mod material_back;
mod mesh;
mod mesh_back;
mod node;
mod node_back;
mod track;
mod track_back;
mod turn;

use std::collections::BTreeSet;

use foldhash::HashMap;
use galatea_scene::{Extras, Scene, Value, encode_u32s};
use galatea_wire::{Error, Loss, Result};

use crate::play::Player;
use crate::{ConvertOptions, FaceEffect, Model, Sound, Tag, Texture, UnknownChunk, Version};
use extra::{Carry, int, latin, objects, own, put, put_fields, read_fields, text, word, word_list, wrap};
use frame::Frames;
use track::Window;
use track_back::Channels;

/// Z up and facing X becomes Y up and facing Z.
const AXES: [f32; 4] = [-0.5, -0.5, -0.5, 0.5];

/// Metres of one unit: an inch in Warcraft III, a yard in World of Warcraft.
fn unit(version: Version) -> f32 {
    if version.is_wow() { 0.9144 } else { 0.0254 }
}

/// Choices of [`Model::from_scene`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The version to convert the model to; `None` for that of the scene, or else 800.
    pub version: Option<Version>,
}

impl SceneOptions {
    /// Returns the same options with this version.
    #[must_use]
    pub fn with_version(self, version: impl Into<Option<Version>>) -> Self {
        SceneOptions { version: version.into() }
    }
}

impl Model {
    /// The model as a scene of this name, where the model has none of its own.
    ///
    /// ```
    /// use galatea_mdlx::{Bone, Model, Version};
    /// let mut model = Model::new(Version(800));
    /// model.bones.push(Bone::default());
    /// model.pivots.push([0.0, 0.0, 40.0]);
    /// let scene = model.to_scene("footman");
    /// assert_eq!(scene.nodes[1].transform.translation, [0.0, 0.0, 40.0]);
    /// let (back, losses) = Model::from_scene(&scene, &Default::default())?;
    /// assert!(model.differences(&back).is_empty() && losses.is_empty());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn to_scene(&self, name: &str) -> Scene {
        let own_name = latin(self.info.name.bytes());
        let mut scene = Scene::new(if own_name.is_empty() { name } else { &own_name });
        scene.add_axes(AXES, unit(self.version));
        let mut builder = Builder::new(self, scene);
        builder.header = self.header();
        builder.add_clips();
        builder.add_materials();
        let player = Player::new(self);
        builder.add_nodes(&player);
        builder.add_geosets(&player);
        builder.add_cameras();
        builder.add_loose();
        let mut scene = builder.scene;
        scene.extras = wrap(builder.header);
        scene
    }

    /// What belongs to the model as a whole.
    fn header(&self) -> Extras {
        let mut map = Extras::new();
        put(&mut map, "version", self.version.0);
        let base = crate::ModelInfo::default();
        put_fields!(&mut map, self.info, base, animation_file, bounds, blend_time, flags, extra);
        if self.info.name.bytes().is_empty() {
            put(&mut map, "nameless", true);
        }
        put(&mut map, "sequences", self.sequences.len() as u32);
        put(&mut map, "nodes", self.node_count() as u32);
        let listed = |texture: &Texture| {
            let mut entry = Extras::new();
            let base = Texture { flags: 0, replaceable_id: 0, path: Default::default() };
            put_fields!(&mut entry, texture, base, path, replaceable_id, flags);
            Value::Object(entry)
        };
        if !self.textures.is_empty() {
            put(&mut map, "textures", Value::Array(self.textures.iter().map(listed).collect()));
        }
        let nodes = self.node_count();
        if self.pivots.len() != nodes {
            put(&mut map, "pivots", self.pivots.len() as u32);
        }
        if !self.bind_poses.is_empty() {
            put(&mut map, "bind_poses", self.bind_poses.len() as u32);
        }
        let face = |effect: &FaceEffect| {
            Value::from([("target", effect.target.json()), ("path", effect.path.json())])
        };
        if !self.face_effects.is_empty() {
            put(&mut map, "face_effects", Value::Array(self.face_effects.iter().map(face).collect()));
        }
        let sound = |sound: &Sound| {
            Value::from([
                ("path", sound.path.json()),
                ("volume", sound.volume.json()),
                ("pitch", sound.pitch.json()),
                ("flags", sound.flags.json()),
            ])
        };
        if !self.sounds.is_empty() {
            put(&mut map, "sounds", Value::Array(self.sounds.iter().map(sound).collect()));
        }
        let chunk = |chunk: &UnknownChunk| {
            Value::from([("tag", latin(&chunk.tag.0).into()), ("bytes", extra::hex(&chunk.bytes).into())])
        };
        if !self.unknown.is_empty() {
            put(&mut map, "unknown", Value::Array(self.unknown.iter().map(chunk).collect()));
        }
        map
    }

    /// A model from a scene, and what of the scene it cannot hold.
    ///
    /// A scene that came from a model gives that model again, with whatever was changed meanwhile; any other scene becomes
    /// a new model of version 800. With a version the model is converted to it.
    ///
    /// ```
    /// use galatea_mdlx::{Model, SceneOptions, Version};
    /// let options = SceneOptions::default().with_version(Version(1000));
    /// let (model, _) = Model::from_scene(&galatea_scene::example(), &options)?;
    /// assert_eq!(model.version, Version(1000));
    /// assert_eq!(model.sequences.len(), 2);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn from_scene(scene: &Scene, options: &SceneOptions) -> Result<(Model, Vec<Loss>)> {
        let version = options.version;
        if let Some(version) = version.filter(|v| !v.is_supported()) {
            return Err(Error::unrepresentable(format!("version {version}")));
        }
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        let map = own(&scene.extras);
        let told = int(map, "version").map(|v| Version(v as u32)).filter(|v| v.is_supported());
        if told.is_none() {
            // The scene's positive Z is where units look.
            let (turned, losses) = foreign::prepared(scene, built_for(version));
            return Model::build(&turned, version, None, losses);
        }
        Model::build(scene, version, told, Vec::new())
    }

    fn build(
        scene: &Scene,
        version: Option<Version>,
        told: Option<Version>,
        losses: Vec<Loss>,
    ) -> Result<(Model, Vec<Loss>)> {
        let map = own(&scene.extras);
        let mut model = Model::new(told.unwrap_or(built_for(version)));
        model.info.name = text(&scene.name);
        read_fields!(map, model.info, animation_file, bounds, blend_time, flags, extra);
        if map.contains_key("nameless") && told.is_some() {
            model.info.name = Default::default();
        }
        let mut back = Back::new(scene, &model);
        back.losses = losses;
        back.native = told.is_some();
        back.read_clips(&mut model);
        back.read_materials(&mut model);
        back.read_nodes(&mut model)?;
        back.read_geosets(&mut model)?;
        back.read_cameras(&mut model);
        read_lists(map, &mut model);
        back.read_loose(map, &mut model);
        back.finish(&mut model);
        let mut losses = std::mem::take(&mut back.losses);
        if let Some(version) = version.filter(|v| *v != model.version) {
            let (converted, lost) = model.convert(version, &ConvertOptions::default())?;
            losses.extend(lost);
            model = converted;
        }
        Ok((model, losses))
    }
}

/// The version a scene from elsewhere is built for: the one that is asked for, as far as that is Warcraft III.
fn built_for(version: Option<Version>) -> Version {
    version.filter(|v| !v.is_wow()).unwrap_or_default()
}

/// Lists that nothing in the scene stands for.
fn read_lists(map: &Extras, model: &mut Model) {
    for entry in objects(map, "face_effects") {
        let mut effect = FaceEffect { target: Default::default(), path: Default::default() };
        read_fields!(entry, effect, target, path);
        model.face_effects.push(effect);
    }
    for entry in objects(map, "sounds") {
        let mut sound = Sound { path: Default::default(), volume: 0.0, pitch: 0.0, flags: 0 };
        read_fields!(entry, sound, path, volume, pitch, flags);
        model.sounds.push(sound);
    }
    for entry in objects(map, "unknown") {
        let tag = extra::unlatin(word(entry, "tag").unwrap_or(""));
        let bytes = word(entry, "bytes").and_then(extra::unhex);
        if let (Some(tag), Some(bytes)) = (tag.first_chunk(), bytes) {
            model.unknown.push(UnknownChunk { tag: Tag(*tag), bytes: bytes.into() });
        }
    }
}

/// Builds the scene.
struct Builder<'a> {
    model: &'a Model,
    scene: Scene,
    /// What belongs to the model as a whole.
    header: Extras,
    /// What each clip plays.
    windows: Vec<Window>,
    /// The first clip that is a global sequence.
    globals: usize,
    /// The parts of the timeline that any sequence plays, in order and apart from each other.
    covered: Vec<Window>,
    /// For each clip, what clips before it play as well.
    shared: Vec<Vec<Window>>,
    /// The scene's material of each material.
    materials: Vec<u32>,
    /// The scene's node of each object id.
    by_id: HashMap<u32, u32>,
    /// How much may still be said again for several clips.
    again: usize,
}

impl<'a> Builder<'a> {
    fn new(model: &'a Model, scene: Scene) -> Self {
        let (windows, globals) = clip::windows(model);
        let sequences = windows.get(..globals).unwrap_or(&[]);
        Builder {
            covered: clip::covered(sequences),
            shared: clip::shared(sequences),
            model,
            scene,
            header: Extras::new(),
            windows,
            globals,
            materials: Vec::new(),
            by_id: HashMap::default(),
            again: said_again(model),
        }
    }
}

/// How many keys of a model may be said again because clips overlap. Far more than any real model needs: where thousands of
/// sequences play the same keys, not all of them get those.
fn said_again(model: &Model) -> usize {
    let keys: usize = model.all_tracks().iter().flat_map(|tracks| tracks.iter()).map(|t| t.keys.len()).sum();
    let events: usize = model.events.iter().filter_map(|e| e.track.as_ref()).map(|t| t.times.len()).sum();
    (1 << 18) + 64 * (keys + events)
}

/// Takes so many from what is left; says whether there were as many.
fn take(left: &mut usize, count: usize) -> bool {
    let rest = left.checked_sub(count);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// Builds the model.
struct Back<'a> {
    scene: &'a Scene,
    version: Version,
    /// Whether the scene came from a model of this format.
    native: bool,
    losses: Vec<Loss>,
    channels: Channels<'a>,
    /// For each node, the clips and times at which something happens there.
    events: HashMap<u32, Vec<(usize, f32)>>,
    windows: Vec<Window>,
    /// For each clip, the global sequence it is.
    global_index: Vec<Option<i32>>,
    /// Where the old sequences went.
    sequence_from: Vec<Option<usize>>,
    /// Things two clips disagree about.
    shared_keys: BTreeSet<String>,
    frames: Frames,
    /// The object id of each node of the scene that is an object.
    object_of: HashMap<u32, u32>,
    /// The new object id of each old one.
    new_ids: HashMap<u32, u32>,
    /// The material of each material of the scene.
    material_of: HashMap<u32, u32>,
    /// Where the old materials went.
    new_materials: HashMap<u32, u32>,
    /// The geoset of each node of the scene that is one, with the number it had.
    geoset_of: HashMap<u32, (u32, Option<u32>)>,
    /// Whether nodes that there were are gone.
    removed: bool,
}

impl<'a> Back<'a> {
    fn new(scene: &'a Scene, model: &Model) -> Self {
        let mut channels: Channels<'a> = HashMap::default();
        let mut events: HashMap<u32, Vec<(usize, f32)>> = HashMap::default();
        for (id, clip) in scene.clips.iter().enumerate() {
            for channel in clip.channels.iter().filter(|c| !c.times.is_empty()) {
                let list = channels.entry((channel.target, channel.property.clone())).or_default();
                if list.last().is_none_or(|(last, _)| *last != id) {
                    list.push((id, channel));
                }
            }
            for event in &clip.events {
                if let Some(node) = event.node {
                    events.entry(node).or_default().push((id, event.time));
                }
            }
        }
        Back {
            scene,
            version: model.version,
            native: false,
            losses: Vec::new(),
            channels,
            events,
            windows: Vec::new(),
            global_index: Vec::new(),
            sequence_from: Vec::new(),
            shared_keys: BTreeSet::new(),
            frames: Frames::new(scene, model.version),
            object_of: HashMap::default(),
            new_ids: HashMap::default(),
            material_of: HashMap::default(),
            new_materials: HashMap::default(),
            geoset_of: HashMap::default(),
            removed: false,
        }
    }

    /// Notes a loss, once.
    fn lose(&mut self, loss: Loss) {
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }

    /// What is left once everything has been built.
    fn finish(&mut self, model: &mut Model) {
        for what in std::mem::take(&mut self.shared_keys) {
            self.lose(Loss::new(what, "keys in which two clips of the same time disagree; the first counts"));
        }
        let mut left: Vec<Loss> = Vec::new();
        for ((target, property), list) in std::mem::take(&mut self.channels) {
            let derived = property == galatea_scene::Property::Visibility && self.is_geoset(target);
            for (clip, _) in list.iter().filter(|_| !derived) {
                let clip = self.scene.clips.get(*clip).map_or("", |c| &c.name);
                left.push(Loss::new(format!("clip {clip:?}"), format!("a channel for {}", property.name())));
            }
        }
        left.sort();
        left.into_iter().for_each(|loss| self.lose(loss));
        if !self.native {
            self.outline(model);
        }
    }

    fn is_geoset(&self, target: galatea_scene::Target) -> bool {
        matches!(target, galatea_scene::Target::Node(node) if self.geoset_of.contains_key(&node))
    }

    /// Bounds of a new model and its sequences.
    fn outline(&mut self, model: &mut Model) {
        let all: Vec<[f32; 3]> = model.geosets.iter().flat_map(|g| g.vertices.iter().copied()).collect();
        let Some(bounds) = crate::bounds_of(&all) else { return };
        model.info.bounds = bounds;
        for sequence in &mut model.sequences {
            sequence.bounds = bounds;
        }
    }
}

/// 32-bit words of extras, where they are there.
fn put_words(map: &mut Extras, key: &'static str, list: &[u32]) {
    put(map, key, encode_u32s(list));
}

/// A list of whole numbers, or nothing.
fn read_words(map: &Extras, key: &str) -> Vec<u32> {
    word_list(map, key).unwrap_or_default()
}
