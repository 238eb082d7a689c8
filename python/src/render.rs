//! Images: of models, and of textures.

use std::path::{Path, PathBuf};

use galatea::preview::{self, Options, Show};
use galatea::texture::{self, Level};
use galatea::textures::{self, Audited, Why};
use galatea::{EmittedModels, Limits, SiblingFiles, Stage, TextureFile};
use pyo3::prelude::*;

use crate::document::Document;
use crate::error::{Failure, Outcome};
use crate::sources::Sources;

/// What an image of a model shows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct View {
    width: u32,
    height: u32,
    clip: Option<String>,
    time: Option<f32>,
    yaw: f32,
    pitch: f32,
    background: [u8; 4],
    checker: bool,
    ground: bool,
    camera: Option<String>,
    show: Vec<String>,
    textures: bool,
    team_color: u32,
}

impl View {
    fn options(&self) -> Outcome<Options> {
        let look = Options::default()
            .with_size(self.width, self.height)
            .with_background(self.background)
            .with_checker(self.checker)
            .with_ground(self.ground)
            .with_yaw(self.yaw)
            .with_pitch(self.pitch);
        self.show.iter().try_fold(look, |look, word| {
            let show: Show = word.parse().map_err(|why| Failure::Value(format!("show: {why}")))?;
            Ok(show.apply(look))
        })
    }

    /// Returns what is drawn of a document: what was asked for, and what is usual where nothing was.
    fn look(&self, stage: &mut Stage<'_>, name: &str) -> Outcome<Options> {
        let look = stage.look(&self.options()?, self.clip.as_deref(), self.time)?;
        let is_portrait = name.to_ascii_lowercase().ends_with("_portrait");
        let Some(camera) = self.camera.as_deref().or(is_portrait.then_some("portrait")) else {
            return Ok(look);
        };
        match stage.view(camera, &look)? {
            Some(view) => Ok(look.with_view(Some(view))),
            None if self.camera.is_none() => Ok(look),
            None => {
                let known = stage.cameras().join(", ");
                let known = if known.is_empty() { "none".to_owned() } else { known };
                Err(Failure::Other("render", format!("there is no camera `{camera}`; the model has {known}")))
            }
        }
    }
}

/// Draws a document with its textures.
pub(crate) fn render(document: &Document, view: &View, sources: &Sources) -> Outcome<preview::Image> {
    let this = document.lock();
    document.with_context(sources, |context, found| {
        let path = document.source().path.as_deref().unwrap_or(Path::new(""));
        let find = |name: &str| sources.models.find_beside(path, name);
        // Only a clip that is asked for may come from a supermodel: they have hundreds.
        let supermodel = view.clip.is_some().then_some(&find as &galatea::FindModel<'_>);
        let scene = this.scene(&context.with_supermodel(supermodel));
        let scene = scene.ok_or_else(|| {
            Failure::unsupported(format!("{} files have no geometry to draw", this.format().name))
        })?;
        let emitted = found.map(|textures| EmittedModels::find(this.as_ref(), textures, &Limits::default()));
        let mut stage = Stage::with_emitted(this.as_ref(), scene.into_owned(), emitted.as_ref(), |scene| {
            let beside = |path: &str| context.siblings.and_then(|files: &dyn SiblingFiles| files.file(path));
            match found.filter(|_| view.textures) {
                Some(textures) => Some(textures::resolve_materials(scene, textures, view.team_color)),
                None if view.textures => {
                    textures::resolve_gltf_materials(this.as_ref(), &beside, &Limits::default())
                }
                None => None,
            }
        });
        let look = view.look(&mut stage, context.name)?;
        Ok(stage.render(&look)?)
    })
}

/// Returns an image of a texture: the best there is, or another mip, face or layer.
pub(crate) fn pixels(
    document: &dyn galatea::Document,
    mip: u32,
    face: u32,
    layer: u32,
) -> Outcome<texture::Image> {
    let Some(file) = document.as_any().downcast_ref::<TextureFile>() else {
        return Err(Failure::unsupported(format!("{} files are no textures", document.format().name)));
    };
    let level = Level { mip, face, layer };
    if level == Level::default() {
        return Ok(file.texture.decode_best(&Limits::default())?);
    }
    let shape = file.texture.shape();
    if mip >= shape.mips || face >= shape.faces || layer >= shape.layers {
        let (mips, faces, layers) = (shape.mips, shape.faces, shape.layers);
        return Err(Failure::Value(format!(
            "the texture has {mips} mips, {faces} faces and {layers} layers"
        )));
    }
    Ok(file.texture.decode(level, &Limits::default())?)
}

/// Returns a texture of a model as a row: name, what for, status, path, other paths, error.
#[allow(clippy::type_complexity, reason = "a row of plain values for one caller")]
pub(crate) fn texture_row(
    one: Audited,
) -> (String, String, &'static str, Option<PathBuf>, Vec<PathBuf>, Option<String>) {
    let (status, path, others, error) = match one.why {
        Why::Found { path, also, broken, .. } => {
            (if broken.is_some() { "unreadable" } else { "found" }, Some(path), also, broken)
        }
        Why::Ambiguous(paths) => ("ambiguous", paths.first().cloned(), paths, None),
        Why::NotLoaded(path) => ("not loaded", Some(path), Vec::new(), None),
        Why::Missing => ("missing", None, Vec::new(), None),
        Why::Unsafe => ("unsafe", None, Vec::new(), None),
        Why::BuiltIn => ("built in", None, Vec::new(), None),
    };
    (one.name, one.what, status, path, others, error)
}
