//! Which textures a model asks for, and what became of each name.

use std::collections::HashSet;
use std::path::PathBuf;

use galatea_texture::Texture;
use galatea_texture::find::{Found, Game, How, Why as Missing};
use galatea_texture::team;
#[cfg(feature = "mdlx")]
use galatea_texture::team::Replaceable;
use galatea_wire::Limits;

use super::{Library, Textures};
#[cfg(feature = "mdlx")]
use crate::mdlx;
use crate::{Document, SceneContext};

/// What became of a texture name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// There is exactly one file for it.
    Found {
        /// The file.
        path: PathBuf,
        /// Whether only the file's name fits, its folders differ.
        name_only: bool,
        /// Files of the same name that come after it.
        also: Vec<PathBuf>,
        /// Why the file cannot be shown, if it cannot.
        broken: Option<String>,
    },
    /// There are several files, between which no rule decides; the first is used.
    Ambiguous(Vec<PathBuf>),
    /// There is no file of that name.
    Missing,
    /// There is only this file, which the game does not load.
    NotLoaded(PathBuf),
    /// The name leads out of the folders, or is no name of a file: nothing was looked up.
    Unsafe,
    /// It needs no file: a team colour.
    BuiltIn,
}

/// A texture name of a model, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audited {
    /// The name in the model's own form.
    pub name: String,
    /// What it is for: a slot, or the texture whose TXI asks for it.
    pub what: String,
    /// What became of it.
    pub why: Why,
}

/// A texture that a model asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextureName {
    /// The name in the model's own form.
    pub name: String,
    /// What it is for.
    pub what: String,
    /// Whether it needs no file.
    pub built_in: bool,
}

/// Looks up every texture that a model asks for, each name once, those of TXIs after those of the model itself. Files are
/// opened, their pixels are not decoded.
pub fn audit(document: &dyn Document, context: &SceneContext<'_>, textures: &Textures<'_>) -> Vec<Audited> {
    let mut asked = asked(document, context);
    let mut out: Vec<Audited> = Vec::new();
    let mut seen = HashSet::new();
    let mut at = 0;
    while let Some(TextureName { name, what, built_in }) = asked.get(at) {
        at += 1;
        if !seen.insert(name.replace('\\', "/").to_lowercase()) {
            continue;
        }
        let (name, what) = (name.clone(), what.clone());
        if *built_in {
            out.push(Audited { name, what, why: Why::BuiltIn });
            continue;
        }
        let (library, found) = textures.find_loaded(&name);
        let opened = found.id().map(|id| library.open(id, &Limits::default()));
        if textures.game() == Game::Kotor
            && let Some(Ok((_, txi, _))) = &opened
        {
            let related = txi.references();
            asked.extend(related.into_iter().take(8).map(|next| TextureName {
                name: next.to_owned(),
                what: format!("the TXI of {name}"),
                built_in: false,
            }));
        }
        let own = textures.game() == Game::Warcraft && team::named(&name).is_some();
        let broken = opened.and_then(|opened| match opened {
            Ok((texture, _, bytes)) => too_large(&texture, bytes.len()),
            Err(error) => Some(error),
        });
        if let Some(mut why) = why(library, found, broken, textures.game()) {
            if own && matches!(why, Why::Missing) {
                why = Why::BuiltIn;
            }
            out.push(Audited { name, what, why });
        }
    }
    out
}

/// Returns why an image of this size would not be decoded. Only its head is looked at.
fn too_large(texture: &Texture, packed: usize) -> Option<String> {
    let (Texture::Plain(_), shape) = (texture, texture.shape()) else { return None };
    let pixels = u64::from(shape.width) * u64::from(shape.height);
    let most = Limits::default().of_image(packed).pixels;
    (pixels > most).then(|| format!("{pixels} pixels in {packed} bytes, limit {most}"))
}

/// Returns what is wrong with a texture; `None` also for names that say "no texture".
fn why(library: &Library, found: Found, broken: Option<String>, game: Game) -> Option<Why> {
    let path = |id: &usize| library.path(*id);
    // A file that the game loads goes before one that it does not load.
    let first = found.id().and_then(|id| path(&id));
    let loads = |path: &PathBuf| path.extension().is_some_and(|e| game.loads(&e.to_string_lossy()));
    if let Some(other) = first.filter(|path| !loads(path)) {
        return Some(Why::NotLoaded(other));
    }
    Some(match found {
        Found::File { id, how, also } => Why::Found {
            path: path(&id)?,
            name_only: how == How::NameOnly,
            also: also.iter().filter_map(path).collect(),
            broken,
        },
        Found::Ambiguous(ids) => Why::Ambiguous(ids.iter().filter_map(path).collect()),
        Found::Missing(Missing::Absent) => Why::Missing,
        Found::Missing(Missing::Unsafe) => Why::Unsafe,
        Found::Missing(Missing::Empty) => return None,
    })
}

fn asked(document: &dyn Document, context: &SceneContext<'_>) -> Vec<TextureName> {
    if let Some(names) = document.texture_names() {
        return names;
    }
    let Some(scene) = document.scene(context) else { return Vec::new() };
    let textures = scene.materials.iter().flat_map(|m| &m.textures);
    let asked = |t: &galatea_scene::Texture| TextureName {
        name: t.name.clone(),
        what: t.slot.name().to_owned(),
        built_in: false,
    };
    let thrown = scene.emitters.iter().filter_map(|e| e.extras.get("texture")?.as_str());
    let thrown =
        thrown.map(|name| TextureName { name: name.to_owned(), what: "emitter".into(), built_in: false });
    textures.map(asked).chain(thrown).collect()
}

impl TextureName {
    /// Returns a texture of a Warcraft III or WoW alpha model, which may stand for one that the game replaces.
    #[cfg(feature = "mdlx")]
    pub(crate) fn of_warcraft(texture: &mdlx::Texture) -> Self {
        let path = String::from_utf8_lossy(texture.path.bytes()).into_owned();
        let id = texture.replaceable_id;
        let (name, built_in) = match team::replaceable(id) {
            _ if id == 0 => (path, false),
            Replaceable::TeamColour => ("team colour".into(), true),
            Replaceable::TeamGlow => ("team glow".into(), true),
            Replaceable::File(file) => (file.to_owned(), false),
            _ => (path, false),
        };
        let what = if id == 0 { "texture".into() } else { format!("replaceable {id}") };
        TextureName { name, what, built_in }
    }
}
