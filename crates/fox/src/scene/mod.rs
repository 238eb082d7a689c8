//! To the scene and back.
//!
//! The Fox Engine's axes and units are the scene's (right-handed, Y up, metres); only the winding of its triangles is the
//! other way round, so each triangle is reversed and no vertex changes. Bones and groups are nodes, every level of detail
//! of a mesh is a node below its group, all levels share their vertices. What the scene has no word for is in extras under
//! `fmdl`: types of vertex columns, windows of levels, flags, parameters of shaders, fields of tables.

mod extra;
mod fill;
mod header;
mod material;
mod mesh;
mod mesh_back;
mod tree;
mod tree_back;
mod vertices;
mod vertices_back;

use std::collections::{BTreeMap, HashSet};

use galatea_scene::{Pose, Scene};
use galatea_wire::{Error, Loss, Result};

use crate::derive::Derived;
use crate::extensions::Extensions;
use crate::model::Fmdl;
use crate::name::Name;
use crate::names::Dictionary;
use extra::{index, own, wrap};
use mesh_back::Meshes;
use tree_back::Roles;

/// The games that have FMDL models of their own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Game {
    /// Metal Gear Solid V: Ground Zeroes.
    Gz,
    /// Metal Gear Solid V: The Phantom Pain, and Metal Gear Survive.
    Tpp,
    /// Pro Evolution Soccer 2018 to 2021.
    Pes,
}

impl Game {
    /// All of them.
    pub const ALL: [Game; 3] = [Game::Gz, Game::Tpp, Game::Pes];

    /// Its short name: `gz`, `tpp` or `pes`.
    pub fn name(self) -> &'static str {
        match self {
            Game::Gz => "gz",
            Game::Tpp => "tpp",
            Game::Pes => "pes",
        }
    }

    /// The game with this short name.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Game};
    /// assert_eq!(Game::by_name("pes").map(Game::version), Some(Fmdl::GZ));
    /// ```
    pub fn by_name(name: &str) -> Option<Game> {
        Game::ALL.into_iter().find(|g| g.name().eq_ignore_ascii_case(name))
    }

    /// The version of its files.
    pub fn version(self) -> f32 {
        if self == Game::Tpp { Fmdl::TPP } else { Fmdl::GZ }
    }

    /// Shader and technique of new materials.
    fn shader(self) -> (&'static str, &'static str) {
        match self {
            Game::Gz | Game::Tpp => ("fox_3ddf_basic", "fox3DDF_Blin_LNM"),
            Game::Pes => ("fox3ddf_blin", "fox3DDF_Blin"),
        }
    }
}

/// A model on its way to the scene.
struct To<'a> {
    model: &'a Fmdl,
    names: &'a Dictionary,
    derived: Derived,
    hashes: bool,
}

impl To<'_> {
    /// The name as text, if anybody knows it, else its hash.
    fn shown(&self, name: &Name) -> String {
        self.names.text(name).unwrap_or_else(|| name.to_string())
    }
}

/// Choices of [`Fmdl::from_scene`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The game to build for; `None` for that of the scene, or else The Phantom Pain.
    pub game: Option<Game>,
}

impl SceneOptions {
    /// Returns the same options with this game.
    #[must_use]
    pub fn with_game(self, game: impl Into<Option<Game>>) -> Self {
        SceneOptions { game: game.into() }
    }
}

impl Fmdl {
    /// The model as a neutral scene. Hashes are shown as texts where the dictionary knows them.
    ///
    /// ```
    /// use galatea_fox::{Dictionary, Fmdl, Group, Mesh, Run, Usage, Values};
    /// let mut model = Fmdl::new(2.04);
    /// let mut mesh = Mesh::default();
    /// mesh.vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
    /// mesh.set_faces(&[[0, 2, 1]]);
    /// model.meshes.push(mesh);
    /// model.groups.push(Group { name: "MESH_body".into(), ..Group::default() });
    /// model.runs.push(Run { mesh_count: 1, ..Run::default() });
    /// let scene = model.to_scene("crate", &Dictionary::built_in());
    /// assert!(scene.find("MESH_body").is_some());
    /// assert_eq!(scene.meshes[0].primitives[0].indices, [0, 1, 2]);
    /// ```
    pub fn to_scene(&self, name: &str, names: &Dictionary) -> Scene {
        let to = To { model: self, names, derived: self.derive(), hashes: self.has_hashes() };
        let mut scene = Scene::new(name);
        let root = scene.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
        scene.extras = wrap(to.header());
        let bones = to.add_bones(&mut scene, root);
        let skin = to.add_skin(&mut scene, &bones);
        let groups = to.add_groups(&mut scene, root);
        let materials = to.add_materials(&mut scene);
        to.add_meshes(&mut scene, root, &groups, skin, &materials);
        scene
    }

    /// A model from a scene, and what of the scene it cannot hold.
    ///
    /// A scene that came from a model gives that model again, with whatever was changed meanwhile. Any other scene becomes
    /// a new model for the game, The Phantom Pain if none is named: meshes are placed as they stand at rest, and split where
    /// they have too many bones, vertices or triangles.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Game, SceneOptions};
    /// let options = SceneOptions::default().with_game(Game::Gz);
    /// let (model, losses) = Fmdl::from_scene(&galatea_scene::example(), &options)?;
    /// assert_eq!((model.version, model.bones.len(), model.lod_count()), (2.03, 3, 2));
    /// assert!(losses.iter().any(|l| l.what == "clip \"wave\""));
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn from_scene(scene: &Scene, options: &SceneOptions) -> Result<(Fmdl, Vec<Loss>)> {
        let game = options.game;
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        if own(&scene.extras).is_empty() {
            // The scene's positive Z is where the game's people look.
            let mut turned = scene.facing([0.0, 0.0, 1.0]).into_owned();
            let mut losses = turned.apply_uv_transforms();
            let (model, more) = Fmdl::build(&turned, game)?;
            losses.extend(more);
            return Ok((model, losses));
        }
        Fmdl::build(scene, game)
    }

    fn build(scene: &Scene, game: Option<Game>) -> Result<(Fmdl, Vec<Loss>)> {
        let map = own(&scene.extras);
        let told = extra::number(map, "version");
        let version = game.map(Game::version).or(told).unwrap_or(Fmdl::TPP);
        let mut model = Fmdl::new(version);
        header::read_header(map, &mut model);
        let hashes = model.has_hashes();
        let game = game.unwrap_or(if hashes { Game::Tpp } else { Game::Gz });
        let pose = Pose::rest(scene);
        let roles = Roles::of(scene)?;
        (model.bones, model.bone_matrices) = roles.read_bones(scene, &pose, hashes);
        model.groups = roles.read_groups(scene, &pose, hashes);
        model.bone_groups = header::read_bone_groups(map, |bone| roles.old_bone(bone));
        let mut meshes = Meshes {
            scene,
            pose: &pose,
            roles: &roles,
            materials: material::Reader::new(scene, game, hashes),
            model,
            owners: Vec::new(),
            moved: BTreeMap::new(),
            losses: Vec::new(),
            left: HashSet::new(),
        };
        meshes.read()?;
        let Meshes { materials, mut model, owners, moved, losses, left, .. } = meshes;
        model.materials = materials.instances;
        let groups = model.drop_bone_groups(&left);
        header::read_runs(map, &mut model, &owners);
        let unmoved = moved.len() == model.meshes.len()
            && moved.iter().enumerate().all(|(i, (was, new))| *was == i && new.as_slice() == [i as u32]);
        if !model.extensions.is_empty() && !unmoved {
            let mut extensions = Extensions::parse(&model.extensions);
            let last = moved.keys().next_back().map_or(0, |l| (l + 1).min(0x1_0000));
            let new: Vec<Vec<u32>> =
                (0..last).map(|was| moved.get(&was).cloned().unwrap_or_default()).collect();
            extensions.renumber_meshes(&new);
            model.extensions = extensions.print();
        }
        let bones: Vec<&galatea_scene::Extras> =
            roles.bones.iter().filter_map(|id| scene.node(*id)).map(|n| own(&n.extras)).collect();
        header::read_derived(map, &mut model, &bones, &groups);
        let mut all = unheld(scene);
        all.extend(materials.losses);
        all.extend(losses);
        Ok((model, all))
    }
}

/// What a model has no place for, by name.
fn unheld(scene: &Scene) -> Vec<Loss> {
    let mut out = Vec::new();
    let mut say = |what: &str, name: &str| out.push(Loss::new("", format!("{what} {name:?}")));
    scene.clips.iter().for_each(|c| say("clip", &c.name));
    scene.lights.iter().for_each(|l| say("light", &l.name));
    scene.cameras.iter().for_each(|c| say("camera", &c.name));
    scene.emitters.iter().for_each(|e| say("emitter", &e.name));
    for node in &scene.nodes {
        if node.attachment.is_some() {
            say("attachment of", &node.name);
        }
        if node.shape.is_some() {
            say("shape of", &node.name);
        }
        if node.billboard.is_some() {
            say("turning to the camera of", &node.name);
        }
        if node.tint != [1.0; 4] {
            say("tint of", &node.name);
        }
        let turned = !tree_back::unturned(&node.transform) && index(own(&node.extras), "bone").is_some();
        if turned {
            say("rotation or scale of bone", &node.name);
        }
    }
    out
}
