//! Other formats, images and moving images. What gets lost is listed before anything is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use galatea::preview::{Movie, Options};
use galatea::scene::Playback;
use galatea::{ConvertOptions, FormatId, Loss, Output, SceneContext, Stage};

use super::change::quoted;
use super::files::{input_of, name_of};
use super::jobs::{Outcome, Progress};
use super::stand::Around;

/// Something that was made and is yet to be written.
#[derive(Debug, Clone)]
pub(crate) struct Export {
    /// Where it goes.
    pub(crate) path: PathBuf,
    /// The files.
    pub(crate) output: Arc<Output>,
    /// What gets lost, kinds of it with a count each.
    pub(crate) losses: Vec<String>,
    /// What follows `galatea` on the command line to do the same.
    pub(crate) command: String,
    /// Whether it may replace a file.
    pub(crate) replace: bool,
    /// The document that has this name and is saved from then on.
    pub(crate) takes: Option<u64>,
    /// The file that is in the way.
    pub(crate) conflict: Option<String>,
}

impl Export {
    /// Returns files that lose nothing.
    pub(crate) fn whole(path: PathBuf, output: Arc<Output>, command: String) -> Export {
        Export { path, output, losses: Vec::new(), command, replace: false, takes: None, conflict: None }
    }
}

/// How a moving image plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Motion {
    /// Not at all.
    Still,
    /// The clip, with this many frames per second.
    Clip(f32),
    /// A turn around the model.
    Turn(f32),
}

/// An image of what the viewport shows.
#[derive(Debug, Clone)]
pub(crate) struct Shot {
    /// How it is shown: clip, time and view among the rest.
    pub(crate) look: Options,
    /// Whether it moves.
    pub(crate) motion: Motion,
    /// What `galatea render --show` needs.
    pub(crate) words: Vec<String>,
    /// What `galatea render --background` needs.
    pub(crate) background: &'static str,
    /// The camera of the model, if it is seen through one.
    pub(crate) camera: Option<String>,
}

/// Most frames of a moving image.
const MOST: usize = 900;

/// Returns the formats that a document may become, with the usual extension of each.
pub(crate) fn targets(from: FormatId) -> Vec<(FormatId, &'static str)> {
    let category = from.format().category;
    let fits = |id: &&FormatId| id.format().category == category && id.format().is_target();
    let all = FormatId::ALL.iter().filter(fits);
    all.filter_map(|id| Some((*id, id.format().write_extension?))).collect()
}

/// Converts a document.
pub(crate) fn convert(around: &Around, output: &Output, to: FormatId, path: PathBuf) -> Outcome<Export> {
    let name = name_of(&around.path);
    let siblings = around.files.siblings(&around.path);
    let input = input_of(output, &name, siblings.as_ref());
    let document = galatea::open(&input, &Default::default()).map_err(|error| error.to_string())?;
    let stem = galatea::file_names::stem(&path);
    let find = |name: &str| around.files.supermodel(&around.path, name);
    let mut converted = Err("no textures".to_owned());
    around.files.with_textures(document.format().game, &around.path, &mut |textures| {
        let context = SceneContext::new(&stem)
            .with_team(around.team)
            .with_supermodel(Some(&find as &galatea::FindModel<'_>))
            .with_siblings(Some(siblings.as_ref()))
            .with_textures(textures);
        let done = galatea::convert(document.as_ref(), to, &ConvertOptions::default(), &context);
        converted = done.map_err(|error| error.to_string());
    });
    let converted = converted?;
    let grouped = Loss::grouped(&converted.losses);
    let losses = grouped.iter().map(|group| match group.losses.as_slice() {
        [one] => one.to_string(),
        [first, ..] => format!("{first} (and {} more like it)", group.losses.len() - 1),
        [] => String::new(),
    });
    let from = quoted(&around.path.display().to_string());
    let command = format!("convert {from} {}", quoted(&path.display().to_string()));
    let losses = losses.collect();
    Ok(Export { losses, ..Export::whole(path, Arc::new(converted.output), command) })
}

/// Draws an image, or a moving one, as `render` draws it.
pub(crate) fn shoot(
    around: &Around,
    output: &Output,
    shot: &Shot,
    path: PathBuf,
    progress: &Progress,
) -> Outcome<Export> {
    let name = name_of(&around.path);
    let siblings = around.files.siblings(&around.path);
    let input = input_of(output, &name, siblings.as_ref());
    let document = galatea::open(&input, &Default::default()).map_err(|error| error.to_string())?;
    let drawn = around.with_stage(document.as_ref(), |stage, _| draw(stage, shot, &path, progress));
    let bytes = drawn.ok_or("this file has nothing to draw")??;
    let command = shot.command(&around.path, &path);
    Ok(Export::whole(path, Arc::new(Output::single(bytes)), command))
}

fn draw(stage: &mut Stage<'_>, shot: &Shot, path: &Path, progress: &Progress) -> Outcome<Vec<u8>> {
    let failed = |error: galatea::preview::RenderError| error.to_string();
    let fps = match shot.motion {
        Motion::Still => return stage.render(&shot.look).map_err(failed)?.png().map_err(failed),
        Motion::Clip(fps) | Motion::Turn(fps) => fps,
    };
    let extension = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    let movie = Movie::by_extension(&extension)
        .ok_or_else(|| format!("\"{extension}\" is not a moving image; name a .png, .gif or .webp"))?;
    let clip = shot.look.clip.as_deref().and_then(|name| stage.scene().find_clip(name));
    let (length, loops) =
        clip.map_or((2.0, true), |clip| (clip.length.max(0.1), clip.playback == Playback::Loop));
    let turns = matches!(shot.motion, Motion::Turn(_));
    let count = if turns { 36.0 } else { length * fps }.round().max(1.0) as usize;
    if count > MOST {
        return Err(format!("{count} frames; moving images have at most {MOST}: choose fewer per second"));
    }
    // Particles of a loop need the time before it.
    let start = if loops && stage.has_effects() { (2.5 / length).ceil() * length } else { 0.0 };
    let mut images = Vec::with_capacity(count);
    for frame in 0..count {
        if progress.is_cancelled() {
            return Err("stopped".into());
        }
        progress.set(frame, count);
        let mut look = shot.look.clone();
        if turns {
            let yaw = look.yaw + 360.0 * frame as f32 / count as f32;
            look = look.with_view(None).with_around(true).with_yaw(yaw);
        } else {
            look = look.with_time(start + frame as f32 / fps);
        }
        images.push(stage.render(&look).map_err(failed)?);
    }
    movie.encode(&images, fps, 0).map_err(failed)
}

impl Shot {
    /// Returns what follows `galatea` on the command line to draw the same, framed by itself.
    pub(crate) fn command(&self, from: &Path, to: &Path) -> String {
        let look = &self.look;
        let mut words = vec![
            format!(
                "render {} -o {}",
                quoted(&from.display().to_string()),
                quoted(&to.display().to_string())
            ),
            format!("--size {}x{}", look.width, look.height),
        ];
        if let Some(clip) = &look.clip {
            words.push(format!("--clip {}", quoted(clip)));
            if self.motion == Motion::Still {
                words.push(format!("--time {:.3}", look.time));
            }
        }
        match self.motion {
            Motion::Still => {}
            Motion::Clip(fps) => words.push(format!("--animate --fps {fps}")),
            Motion::Turn(fps) => words.push(format!("--turntable --fps {fps}")),
        }
        match &self.camera {
            Some(camera) => words.push(format!("--camera {}", quoted(camera))),
            None => words.push(format!("--yaw {:.1} --pitch {:.1}", look.yaw, look.pitch)),
        }
        words.push(format!("--background {}", quoted(self.background)));
        if !self.words.is_empty() {
            words.push(format!("--show {}", quoted(&self.words.join(","))));
        }
        if look.ground {
            words.push("--ground".into());
        }
        words.join(" ")
    }
}
