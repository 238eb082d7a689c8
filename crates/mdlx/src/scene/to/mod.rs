//! The document to the scene.

mod camera;
mod clip;
mod emitter;
mod material;
mod mesh;
mod node;
mod skin;
mod track;

use foldhash::HashMap;
use galatea_scene::{Extras, Scene, Value};

pub(crate) use material::is_hd;

use super::extra::{ExtraValue, hex, latin, put_fields, wrap};
use super::window::{self, Window};
use super::{AXES, unit};
use crate::play::Player;
use crate::{FaceEffect, Model, Sound, Texture, UnknownChunk};

impl Model {
    /// Returns the model as a scene. `name` is used if the model has no name.
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
        let mut builder = ToScene::new(self, scene);
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

    /// Returns the extras of the whole model.
    fn header(&self) -> Extras {
        let mut map = Extras::new();
        map.add("version", self.version.0);
        let base = crate::ModelInfo::default();
        put_fields!(&mut map, self.info, base, animation_file, bounds, blend_time, flags, extra);
        if self.info.name.bytes().is_empty() {
            map.add("nameless", true);
        }
        map.add("sequences", self.sequences.len() as u32);
        map.add("nodes", self.node_count() as u32);
        let listed = |texture: &Texture| {
            let mut entry = Extras::new();
            let base = Texture { flags: 0, replaceable_id: 0, path: Default::default() };
            put_fields!(&mut entry, texture, base, path, replaceable_id, flags);
            Value::Object(entry)
        };
        if !self.textures.is_empty() {
            map.add("textures", Value::Array(self.textures.iter().map(listed).collect()));
        }
        let nodes = self.node_count();
        if self.pivots.len() != nodes {
            map.add("pivots", self.pivots.len() as u32);
        }
        if !self.bind_poses.is_empty() {
            map.add("bind_poses", self.bind_poses.len() as u32);
        }
        let face = |effect: &FaceEffect| {
            Value::from([("target", effect.target.json()), ("path", effect.path.json())])
        };
        if !self.face_effects.is_empty() {
            map.add("face_effects", Value::Array(self.face_effects.iter().map(face).collect()));
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
            map.add("sounds", Value::Array(self.sounds.iter().map(sound).collect()));
        }
        let chunk = |chunk: &UnknownChunk| {
            Value::from([("tag", latin(&chunk.tag.0).into()), ("bytes", hex(&chunk.bytes).into())])
        };
        if !self.unknown.is_empty() {
            map.add("unknown", Value::Array(self.unknown.iter().map(chunk).collect()));
        }
        map
    }
}

/// The builder of a scene.
struct ToScene<'a> {
    model: &'a Model,
    scene: Scene,
    /// The extras of the whole model.
    header: Extras,
    /// The window of each clip.
    windows: Vec<Window>,
    /// The first clip that is a global sequence.
    globals: usize,
    /// The union of the sequences' windows.
    covered: Vec<Window>,
    /// For each clip, the parts that clips before it play as well.
    shared: Vec<Vec<Window>>,
    /// The scene's material of each material.
    materials: Vec<u32>,
    /// The scene's node of each object id.
    by_id: HashMap<u32, u32>,
    /// Where each node of the scene is at rest, in the space of the model.
    places: Vec<[f32; 3]>,
    /// The number of keys that may still be repeated for several clips.
    repeat_budget: usize,
    /// The largest coordinate of the vertices.
    reach: f32,
}

impl<'a> ToScene<'a> {
    fn new(model: &'a Model, scene: Scene) -> Self {
        let (windows, globals) = window::windows(model);
        let sequences = windows.get(..globals).unwrap_or(&[]);
        ToScene {
            covered: window::covered(sequences),
            shared: window::shared(sequences),
            model,
            scene,
            header: Extras::new(),
            windows,
            globals,
            materials: Vec::new(),
            by_id: HashMap::default(),
            places: Vec::new(),
            repeat_budget: repeat_budget(model),
            reach: reach(model),
        }
    }
}

fn reach(model: &Model) -> f32 {
    let coordinates = model.geosets.iter().flat_map(|g| g.vertices.as_flattened());
    coordinates.map(|c| c.abs()).filter(|c| c.is_finite()).fold(0.0, f32::max)
}

/// Returns how many keys may be repeated because clips overlap. This is far more than any real model needs; it limits files in
/// which thousands of sequences share the same keys.
fn repeat_budget(model: &Model) -> usize {
    let keys: usize = model.all_tracks().iter().flat_map(|tracks| tracks.iter()).map(|t| t.keys.len()).sum();
    let events: usize = model.events.iter().filter_map(|e| e.track.as_ref()).map(|t| t.times.len()).sum();
    (1 << 18) + 64 * (keys + events)
}

/// Takes from a budget. Returns `false`, and takes nothing, if it does not suffice.
fn take(left: &mut usize, count: usize) -> bool {
    let rest = left.checked_sub(count);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}
