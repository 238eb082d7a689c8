//! Creatures of KotOR as the game puts them together: a body with the texture of what it wears, and a head.

mod tables;

use std::any::Any;
use std::collections::HashSet;

use galatea_kotor::mdl::Model;
use galatea_kotor::mdl::play::ModelPerformance;
use galatea_scene::{NodeId, Performance, Scene, Target};
use galatea_texture::find::Game;
use galatea_wire::{Error, Fixed, Limits, Loss, Report, Result, Rule, Summary, Text};

pub(crate) use tables::absent;
#[cfg(feature = "walk")]
pub(crate) use tables::table;
pub use tables::{Appearances, Look, Parts};

use super::kotor_mdl::kotor_scene;
use crate::{Document, Format, FormatId, Output, SceneContext, SiblingFiles};

/// No file has this format: it is what several models together are called.
static FORMAT: Format = Format {
    game: Some(Game::Kotor),
    ..Format::model(FormatId::KotorMdl, "kotor-appearance", "creature of KotOR: a body and a head")
};

/// The node of a body that its head is put on.
const HOOK: &str = "headhook";
/// The node of a head where clips of its body begin, if the model does not say.
const NECK: &str = "neck_g";

/// A creature of KotOR, put together from the models of its body and its head.
///
/// ```
/// use galatea::kotor::mdl::{Model, Node};
/// use galatea::store::{Memory, Store};
/// use galatea::{Character, Document, Look, SceneContext};
///
/// let mut store = Store::new(galatea::texture::find::Game::Kotor);
/// let appearance = "2DA V2.0\n\nlabel modeltype modela texa normalhead\n0 Guard B body guard 1\n";
/// let heads = "2DA V2.0\n\nhead\n0 ****\n1 face\n";
/// let mut body = Model::new("body");
/// body.add_node(Some(0), b"headhook", Node::default());
/// let mut files = vec![("appearance.2da", appearance.into()), ("heads.2da", heads.into())];
/// let (body, face) = (body.write()?, Model::new("face").write()?);
/// files.extend([("body.mdl", body.mdl), ("body.mdx", body.mdx), ("face.mdl", face.mdl), ("face.mdx", face.mdx)]);
/// store.push(Memory::new("game", files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes))));
///
/// let guard = Character::read(&Look::row(0), &store, &Default::default())?;
/// assert_eq!((guard.parts.label.as_str(), guard.parts.texture.as_deref()), ("Guard", Some("guard01")));
/// let scene = guard.to_scene(&SceneContext::new("guard")).expect("creatures are drawn");
/// let face = scene.find("face").and_then(|id| scene.node(id)?.parent);
/// assert_eq!(face, scene.find("headhook"));
/// # Ok::<(), galatea::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Character {
    /// Which it is.
    pub look: Look,
    /// The names of its parts.
    pub parts: Parts,
    /// The model of its body, with the texture that the game gives it.
    pub body: Model,
    /// The model of its head.
    pub head: Option<Model>,
    losses: Vec<Loss>,
}

impl Character {
    /// Reads the tables and models of a creature from the files of a game.
    pub fn read(look: &Look, files: &dyn SiblingFiles, limits: &Limits) -> Result<Character> {
        Character::of(&Appearances::read(files, limits)?, look, files, limits)
    }

    /// Reads the models of a creature from the files of a game whose tables are known.
    pub fn of(
        tables: &Appearances,
        look: &Look,
        files: &dyn SiblingFiles,
        limits: &Limits,
    ) -> Result<Character> {
        let parts = tables.parts(look)?;
        let mut body = model("body", &parts.body, files, limits)?;
        if let Some(texture) = parts.texture.as_deref() {
            set_texture(&mut body, texture)?;
        }
        let head = parts.head.as_deref().map(|name| model("head", name, files, limits)).transpose()?;
        let hooked = body.nodes.iter().any(|node| body.name_of(node).eq_ignore_ascii_case(HOOK.as_bytes()));
        let lost = head.is_some() && !hooked;
        let loss = || Loss::new("head", format!("the body has no node \"{HOOK}\" to put it on"));
        Ok(Character { look: *look, parts, body, head, losses: lost.then(loss).into_iter().collect() })
    }

    /// Returns the scenes of body and head as one.
    fn scene(&self, context: &SceneContext<'_>) -> Scene {
        let mut scene = kotor_scene(&self.body, context);
        scene.name = context.name.to_owned();
        let hook = scene.nodes.iter().position(|node| node.name.eq_ignore_ascii_case(HOOK));
        if let (Some(head), Some(hook)) = (&self.head, hook) {
            let mut part = kotor_scene(head, context);
            keep_below_neck(head, &mut part);
            scene.join(part, hook as NodeId);
        }
        scene
    }
}

/// Reads a model of a game.
pub(crate) fn model(what: &str, name: &str, files: &dyn SiblingFiles, limits: &Limits) -> Result<Model> {
    let mdl = format!("{}.mdl", name.to_lowercase());
    let bytes = files.file(&mdl).ok_or_else(|| absent(what, &mdl))?;
    let mdx = files.file(&format!("{}.mdx", name.to_lowercase()));
    Model::read(&bytes, mdx.as_deref(), limits).map_err(|e| e.within(mdl))
}

/// Gives all meshes of a body that have a texture this one.
fn set_texture(body: &mut Model, texture: &str) -> Result<()> {
    let long =
        || Error::unrepresentable(format!("the texture \"{texture}\" in a model")).within("appearance.2da");
    let name = Text::new(texture.as_bytes()).ok_or_else(long)?;
    for mesh in body.nodes.iter_mut().filter_map(|node| node.mesh.as_deref_mut()) {
        let old = mesh.texture.bytes();
        if mesh.render != 0 || !(old.is_empty() || old.eq_ignore_ascii_case(b"null")) {
            mesh.texture = name;
        }
    }
    Ok(())
}

/// Removes the keys of nodes above the neck's own: the head is on the body, which already moves like that.
fn keep_below_neck(head: &Model, scene: &mut Scene) {
    let named = |node: &galatea_kotor::mdl::Node| head.name_of(node).eq_ignore_ascii_case(NECK.as_bytes());
    let neck = || head.nodes.iter().position(named).map(|id| id as u32);
    // The first node of the scene turns the axes.
    let Some(neck) = head.head.filter(|id| *id != 0).or_else(neck).map(|id| id + 1) else { return };
    let mut moved: HashSet<NodeId> = HashSet::new();
    let mut todo = vec![neck];
    while let Some(id) = todo.pop() {
        if moved.insert(id) {
            todo.extend(scene.node(id).into_iter().flat_map(|node| &node.children));
        }
    }
    for clip in &mut scene.clips {
        clip.channels.retain(|channel| match channel.target {
            Target::Node(id) => moved.contains(&id),
            _ => true,
        });
    }
}

impl Document for Character {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        let mut sum = self.body.summary();
        let parts = &self.parts;
        sum.version = format!("{} {}: {}", sum.version, parts.model_type, parts.body);
        if let Some(texture) = &parts.texture {
            sum.version += &format!(" ({texture})");
        }
        if let (Some(head), Some(name)) = (&self.head, &parts.head) {
            let head = head.summary();
            sum.version += &format!(" + {name}");
            sum.add_geometry(&head);
            sum.bones += head.bones;
            sum.clips += head.clips;
        }
        sum
    }

    fn write(&self) -> Result<Output> {
        let what =
            "a creature of several models as one; convert it to glTF, or extract its body and its head";
        Err(Error::unrepresentable(what))
    }

    fn check(&self) -> Report {
        let mut report = self.body.check();
        self.head.iter().for_each(|head| report.append(head.check()));
        report
    }

    fn fix(&mut self, _: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        Vec::new()
    }

    fn differences(&self, other: &dyn Document) -> Option<Vec<String>> {
        let other = other.as_any().downcast_ref::<Character>()?;
        let mut out = self.body.differences(&other.body);
        match (&self.head, &other.head) {
            (Some(head), Some(theirs)) => out.extend(head.differences(theirs)),
            (None, None) => {}
            _ => out.push("only one of them has a head".into()),
        }
        Some(out)
    }

    fn to_scene(&self, context: &SceneContext<'_>) -> Option<Scene> {
        Some(self.scene(context))
    }

    fn performance<'a>(
        &'a self,
        scene: &Scene,
        _: Option<&'a crate::EmittedModels>,
    ) -> Option<Box<dyn Performance + 'a>> {
        // The nodes of the body are the first of the scene.
        Some(Box::new(ModelPerformance::new(&self.body, scene)))
    }

    fn losses(&self) -> &[Loss] {
        &self.losses
    }

    fn texture_format(&self) -> Option<FormatId> {
        Some(FormatId::Tga)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
