//! A model from a scene: one that came from a model, with whatever was changed, or any other.

mod authored;
pub(super) mod header;
mod levels;
mod material;
mod mesh;
mod tangents;
mod tree;
mod vertices;

use std::collections::{BTreeMap, HashSet};

use galatea_scene::{Pose, Scene};
use galatea_wire::{Error, Loss, Result};

use super::extra::{index, number, own};
use super::{Game, SceneOptions};
use crate::extensions::Extensions;
use crate::model::Fmdl;
use crate::presets::Presets;
use mesh::Meshes;
use tree::Roles;

impl Fmdl {
    /// Returns a model from a scene, and what of the scene it cannot hold.
    ///
    /// A scene that came from a model gives that model again, with whatever was changed meanwhile. Any other scene becomes
    /// a new model for the game, The Phantom Pain if none is named: meshes are placed as they stand at rest, and split where
    /// they have too many bones, vertices or triangles.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Game, SceneOptions};
    /// let options = SceneOptions::default().with_game(Game::Gz);
    /// let (model, losses) = Fmdl::from_scene(&galatea_scene::example(), &options)?;
    /// assert_eq!((model.version, model.bones.len(), model.lod_count()), (2.03, 2, 2));
    /// assert!(losses.iter().any(|l| l.what == "clip \"wave\""));
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn from_scene(scene: &Scene, options: &SceneOptions) -> Result<(Fmdl, Vec<Loss>)> {
        let game = options.game;
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        if own(&scene.extras).is_empty() {
            // The scene's positive Z is where the game's characters look.
            let mut turned = scene.facing([0.0, 0.0, 1.0]).into_owned();
            let mut losses = turned.apply_uv_transforms();
            losses.extend(Presets::built_in().apply(&mut turned, game.unwrap_or(Game::Tpp), None)?);
            let (model, more) = Fmdl::build(&turned, game)?;
            losses.extend(more);
            return Ok((model, losses));
        }
        let mut scene = levels::share_levels(scene);
        let mut losses = Vec::new();
        if scene.materials.iter().any(authored::is_new) {
            let game = game_of(&scene, game);
            losses = Presets::built_in().apply(scene.to_mut(), game, None)?;
        }
        let (model, more) = Fmdl::build(&scene, game)?;
        losses.extend(more);
        Ok((model, losses))
    }

    fn build(scene: &Scene, game: Option<Game>) -> Result<(Fmdl, Vec<Loss>)> {
        let map = own(&scene.extras);
        let stored = number(map, "version");
        let version = game.map(Game::version).or(stored).unwrap_or(Fmdl::TPP);
        let mut model = Fmdl::new(version);
        header::read_header(map, &mut model);
        let hashes = model.has_hashes();
        let plain = authored::plain(game_of(scene, game))?;
        let pose = Pose::rest(scene);
        let roles = Roles::of(scene)?;
        (model.bones, model.bone_matrices) = roles.read_bones(scene, &pose, hashes);
        model.groups = roles.read_groups(scene, &pose, hashes);
        model.bone_groups = header::read_bone_groups(map, |bone| roles.old_bone(bone));
        let mut meshes = Meshes {
            scene,
            pose: &pose,
            roles: &roles,
            materials: material::Reader::new(scene, plain, hashes),
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
        let mut all = unsupported(scene);
        all.extend(roles.losses(scene));
        all.extend(materials.losses);
        all.extend(losses);
        if map.is_empty() && game_of(scene, game) == Game::Pes {
            all.extend(model.name_pes_bones());
        }
        Ok((model, all))
    }
}

/// Returns the game to build for: the one that was asked for, or that of the model the scene came from.
fn game_of(scene: &Scene, game: Option<Game>) -> Game {
    let version = number(own(&scene.extras), "version").filter(|v| v.to_bits() == Fmdl::GZ.to_bits());
    game.unwrap_or(if version.is_some() { Game::Gz } else { Game::Tpp })
}

/// Returns what a model has no place for, by name.
fn unsupported(scene: &Scene) -> Vec<Loss> {
    let mut out = Vec::new();
    let mut lose = |what: &str, name: &str| out.push(Loss::new("", format!("{what} {name:?}")));
    scene.clips.iter().for_each(|c| lose("clip", &c.name));
    scene.lights.iter().for_each(|l| lose("light", &l.name));
    scene.cameras.iter().for_each(|c| lose("camera", &c.name));
    scene.emitters.iter().for_each(|e| lose("emitter", &e.name));
    for node in &scene.nodes {
        if node.attachment.is_some() {
            lose("attachment of", &node.name);
        }
        if node.shape.is_some() {
            lose("shape of", &node.name);
        }
        if node.billboard.is_some() {
            lose("turning to the camera of", &node.name);
        }
        if node.tint != [1.0; 4] {
            lose("tint of", &node.name);
        }
        let turned = !tree::unturned(&node.transform) && index(own(&node.extras), "bone").is_some();
        if turned {
            lose("rotation or scale of bone", &node.name);
        }
    }
    out
}
