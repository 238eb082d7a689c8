//! The scene to the document.

mod camera;
mod clip;
mod emitter;
mod frame;
mod import;
mod keys;
mod material;
mod mesh;
mod names;
mod node;
mod outline;
mod shape;
mod skin;
mod surface;
mod track;

use std::collections::BTreeSet;

use foldhash::HashMap;
use galatea_scene::{Extras, Property, Scene, Target};
use galatea_wire::{Error, Loss, Result};

use super::SceneOptions;
use super::extra::{own, read_fields, text, unhex, unlatin};
use super::window::Window;
use crate::{ConvertOptions, FaceEffect, GroupWeights, Model, Sound, Tag, UnknownChunk, Version};
use frame::Frames;
use track::Channels;

impl Model {
    /// Builds a model from a scene; returns it with the losses.
    ///
    /// A scene that was made from a model gives that model again, including edits; any other scene becomes a new model of version
    /// 800. If the options have a version, the model is converted to it.
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
        let stored = map.int("version").map(|v| Version(v as u32)).filter(|v| v.is_supported());
        if stored.is_none() {
            // Units face the scene's positive Z.
            let (turned, losses) = import::prepared(scene, built_for(version));
            return Model::build(&turned, options, None, losses);
        }
        Model::build(scene, options, stored, Vec::new())
    }

    fn build(
        scene: &Scene,
        options: &SceneOptions,
        stored: Option<Version>,
        losses: Vec<Loss>,
    ) -> Result<(Model, Vec<Loss>)> {
        let version = options.version;
        let map = own(&scene.extras);
        let mut model = Model::new(stored.unwrap_or(built_for(version)));
        model.info.name = text(&scene.name);
        read_fields!(map, model.info, animation_file, bounds, blend_time, flags, extra);
        if map.contains_key("nameless") && stored.is_some() {
            model.info.name = Default::default();
        }
        let mut builder = FromScene::new(scene, &model);
        builder.losses = losses;
        builder.native = stored.is_some();
        builder.weights = options.weights;
        builder.read_clips(&mut model);
        builder.read_materials(&mut model);
        builder.read_nodes(&mut model)?;
        builder.read_geosets(&mut model)?;
        builder.read_cameras(&mut model);
        read_lists(map, &mut model);
        builder.read_loose(map, &mut model);
        builder.finish(&mut model);
        let mut losses = std::mem::take(&mut builder.losses);
        if let Some(version) = version.filter(|v| *v != model.version) {
            let convert = ConvertOptions::default().with_weights(options.weights);
            losses.extend(model.set_version(version, &convert)?);
        }
        Ok((model, losses))
    }
}

/// Returns the version in which an imported scene is built: the requested one, if it is a version of Warcraft III.
fn built_for(version: Option<Version>) -> Version {
    version.filter(|v| !v.is_wow()).unwrap_or_default()
}

/// Reads lists that have no equivalent in the scene.
fn read_lists(map: &Extras, model: &mut Model) {
    for entry in map.objects("face_effects") {
        let mut effect = FaceEffect { target: Default::default(), path: Default::default() };
        read_fields!(entry, effect, target, path);
        model.face_effects.push(effect);
    }
    for entry in map.objects("sounds") {
        let mut sound = Sound { path: Default::default(), volume: 0.0, pitch: 0.0, flags: 0 };
        read_fields!(entry, sound, path, volume, pitch, flags);
        model.sounds.push(sound);
    }
    for entry in map.objects("unknown") {
        let tag = unlatin(entry.text("tag").unwrap_or(""));
        let bytes = entry.text("bytes").and_then(unhex);
        if let (Some(tag), Some(bytes)) = (tag.first_chunk(), bytes) {
            model.unknown.push(UnknownChunk { tag: Tag(*tag), bytes: bytes.into() });
        }
    }
}

/// The builder of a model.
struct FromScene<'a> {
    scene: &'a Scene,
    version: Version,
    /// Whether the scene was made from a model of this format.
    native: bool,
    losses: Vec<Loss>,
    channels: Channels<'a>,
    /// For each node, the clips and times of its events.
    events: HashMap<u32, Vec<(usize, f32)>>,
    windows: Vec<Window>,
    /// For each clip, the index of its global sequence, if it is one.
    global_index: Vec<Option<i32>>,
    /// For each sequence of the model, its previous index.
    sequence_from: Vec<Option<usize>>,
    /// Objects for which two clips have conflicting keys.
    shared_keys: BTreeSet<String>,
    frames: Frames,
    /// The object id of each node of the scene that becomes an object.
    object_of: HashMap<u32, u32>,
    /// The new object id for each previous one.
    new_ids: HashMap<u32, u32>,
    /// The model's material for each material of the scene.
    material_of: HashMap<u32, u32>,
    /// The new index for each previous index of a material.
    new_materials: HashMap<u32, u32>,
    /// The geoset of each node of the scene that has one, with its previous index.
    geoset_of: HashMap<u32, (u32, Option<u32>)>,
    /// Whether nodes were removed.
    removed: bool,
    /// The largest coordinate of the model.
    reach: f32,
    /// How skin weights become matrix groups.
    weights: GroupWeights,
}

impl<'a> FromScene<'a> {
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
        let frames = Frames::new(scene, model.version);
        FromScene {
            reach: reach(scene, &frames),
            weights: GroupWeights::default(),
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
            frames,
            object_of: HashMap::default(),
            new_ids: HashMap::default(),
            material_of: HashMap::default(),
            new_materials: HashMap::default(),
            geoset_of: HashMap::default(),
            removed: false,
        }
    }

    /// Reports a loss, once.
    fn lose(&mut self, loss: Loss) {
        if !self.losses.contains(&loss) {
            self.losses.push(loss);
        }
    }

    /// Reports what could not be used, and completes the model.
    fn finish(&mut self, model: &mut Model) {
        for what in std::mem::take(&mut self.shared_keys) {
            self.lose(Loss::new(
                what,
                "conflicting keys of overlapping clips; those of the first clip are kept",
            ));
        }
        let mut left: Vec<Loss> = Vec::new();
        for ((target, property), list) in std::mem::take(&mut self.channels) {
            let axes = |id| self.scene.node(id).is_some_and(|n| n.axes);
            let derived = property == Property::Visibility && self.is_geoset(target)
                || matches!(target, Target::Node(id) if axes(id));
            for (clip, _) in list.iter().filter(|_| !derived) {
                let clip = self.scene.clips.get(*clip).map_or("", |c| &c.name);
                left.push(Loss::new(format!("clip {clip:?}"), format!("a channel for {}", property.name())));
            }
        }
        left.sort();
        left.into_iter().for_each(|loss| self.lose(loss));
        if !self.native {
            outline::complete(model);
        }
    }

    fn is_geoset(&self, target: Target) -> bool {
        matches!(target, Target::Node(node) if self.geoset_of.contains_key(&node))
    }
}

/// Returns the largest coordinate of the vertices and nodes of a scene, in the units of the format.
fn reach(scene: &Scene, frames: &Frames) -> f32 {
    let far = |place: &[f32; 3]| place.iter().fold(0.0f32, |most, c| most.max(c.abs()));
    let vertices = scene.vertices.iter().flat_map(|v| &v.positions).map(far);
    let nodes = (0..scene.nodes.len() as u32).map(|id| far(&frames.matrix(id).w_axis.truncate().into()));
    vertices.chain(nodes).filter(|far| far.is_finite()).fold(0.0, f32::max)
}

/// Returns a list of integers; empty if there is none.
fn read_u32s(map: &Extras, key: &str) -> Vec<u32> {
    map.u32s(key).unwrap_or_default()
}
