//! A document ready to be drawn: its scene with textures, and everything in it that moves.

use galatea_preview::{self as preview, Image, Options, RenderError, View};
use galatea_scene::{
    Bounds, Clip, Frame, Instant, MaterialId, Performance, PlainPerformance, Playback, Pose, Projection,
    Scene,
};
use galatea_wire::Loss;

use crate::textures::ResolvedMaterials;
use crate::{Document, EmittedModels};

/// Width and height of the images by which the fullest moment is found.
const TRIAL: u32 = 48;
/// Moments that are tried.
const TRIALS: u16 = 12;
/// Seconds that a looping clip is tried for at least: an effect needs its time to build up.
const BUILD_UP: f32 = 2.5;

/// A document ready to be drawn.
///
/// ```
/// use galatea::mdlx::{Model, ParticleEmitter2, Sequence, Version};
/// use galatea::{Document, SceneContext, Stage, preview};
/// let mut torch = Model::new(Version(800));
/// torch.sequences.push(Sequence { end: 1000, ..Sequence::default() });
/// torch.particle_emitters2.push(ParticleEmitter2 {
///     speed: 50.0,
///     life_span: 1.0,
///     emission_rate: 20.0,
///     segment_scalings: [8.0; 3],
///     ..ParticleEmitter2::default()
/// });
/// let scene = torch.to_scene("torch");
/// let mut stage = Stage::new(&torch, scene, |_| None);
/// let look = stage.usual(&preview::Options::default().with_size(64, 64))?;
/// let image = stage.render(&look)?;
/// assert!(image.pixels.chunks(4).any(|p| p != look.background));
/// # Ok::<(), preview::RenderError>(())
/// ```
pub struct Stage<'a> {
    scene: Scene,
    resolved: Option<ResolvedMaterials>,
    performance: Box<dyn Performance + 'a>,
    /// The materials of sprites.
    effects: Vec<MaterialId>,
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").field("scene", &self.scene.name).finish_non_exhaustive()
    }
}

impl<'a> Stage<'a> {
    /// Returns a document with its scene. `resolve` finds the textures of the scene's materials, to which those of the
    /// document's effects were added. Markers stand in for models that emitters throw.
    pub fn new(
        document: &'a dyn Document,
        scene: Scene,
        resolve: impl FnOnce(&Scene) -> Option<ResolvedMaterials>,
    ) -> Self {
        Stage::with_emitted(document, scene, None, resolve)
    }

    /// Returns a document with its scene and the models that its emitters throw.
    pub fn with_emitted(
        document: &'a dyn Document,
        mut scene: Scene,
        emitted: Option<&'a EmittedModels>,
        resolve: impl FnOnce(&Scene) -> Option<ResolvedMaterials>,
    ) -> Self {
        let performance = document.performance(&scene, emitted).unwrap_or_else(|| Box::new(PlainPerformance));
        let effects = performance.extend(&mut scene);
        let resolved = resolve(&scene);
        if let Some(resolved) = &resolved {
            let own = |id: &MaterialId| {
                let material = scene.materials.get(*id as usize)?;
                Some((*id, material.alpha, material.base_color))
            };
            let own: Vec<_> = effects.iter().filter_map(own).collect();
            scene = resolved.scene(&scene);
            // The emitter decides how its particles are blended, not their texture.
            for (id, alpha, color) in own {
                if let Some(material) = scene.materials.get_mut(id as usize) {
                    (material.alpha, material.base_color) = (alpha, color);
                }
            }
        }
        Stage { scene, resolved, performance, effects }
    }

    /// Returns the scene as it is drawn.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the textures that are left out because they are too large, each with the reason.
    pub fn left_out(&self) -> &[Loss] {
        self.resolved.as_ref().map_or(&[], ResolvedMaterials::left_out)
    }

    /// Returns a texture to draw with.
    pub fn texture(&self, name: &str) -> Option<std::sync::Arc<preview::Texture>> {
        self.resolved.as_ref()?.texture(name)
    }

    /// Returns `true` if particles, ribbons or other effects may be seen.
    pub fn has_effects(&self) -> bool {
        self.performance.has_effects()
    }

    /// Returns the names of the textures of effects that were not found. Soft dots stand in for them.
    pub fn missing_effect_textures(&self) -> Vec<&str> {
        let materials = self.effects.iter().filter_map(|id| self.scene.materials.get(*id as usize));
        let used = materials.filter_map(|m| m.textures.first());
        let mut missing: Vec<&str> =
            used.map(|t| t.name.as_str()).filter(|name| self.texture(name).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Sets the seed of the random numbers of emitters, 0 if it is not set.
    pub fn set_seed(&mut self, seed: u64) {
        self.performance.set_seed(seed);
    }

    /// Returns the frame of a moment.
    pub fn frame(&mut self, at: &Instant, options: &Options) -> Frame {
        let shown = options.shown(self.has_effects());
        let mut frame = self.performance.frame(&self.scene, at, &shown);
        if let Some(resolved) = &self.resolved {
            for (id, state) in (0..).zip(&mut frame.materials) {
                if let Some([u, v]) = resolved.frame_offset(id, at.time) {
                    let [x, y] = &mut state.uv.offset;
                    (*x, *y) = (*x + u, *y + v);
                }
            }
        }
        frame
    }

    /// Renders the moment that the options show.
    pub fn render(&mut self, options: &Options) -> Result<Image, RenderError> {
        let frame = self.shown(options)?;
        self.render_frame(&frame, options)
    }

    /// Renders a frame.
    pub fn render_frame(&self, frame: &Frame, options: &Options) -> Result<Image, RenderError> {
        preview::render_frame(&self.scene, frame, options, &|name| self.texture(name))
    }

    /// Returns the frame that the options show.
    pub fn shown(&mut self, options: &Options) -> Result<Frame, RenderError> {
        let at = preview::instant(&self.scene, options)?;
        Ok(self.frame(&at, options))
    }

    /// Returns the options with the usual clip of a document with effects, at its fullest moment: the first clip whose name
    /// begins with `stand`, else the first one. A document without effects is shown at rest; one without clips emits at rest.
    pub fn usual(&mut self, options: &Options) -> Result<Options, RenderError> {
        let clips = &self.scene.clips;
        let clip = self.named("stand").or(clips.first()).map(|c| c.name.clone());
        if self.has_effects() { self.fullest(&options.clone().with_clip(clip)) } else { Ok(options.clone()) }
    }

    /// Returns the options with the clip that plays in a portrait: the first whose name begins with `portrait`, else one with that word
    /// in its name, else the first whose name begins with `stand`, in its middle, or with effects at its fullest moment. Some models are
    /// moved to their camera only by that clip. A document without such clips is shown as usual.
    pub fn portrait(&mut self, options: &Options) -> Result<Options, RenderError> {
        let has_word = |c: &&Clip| c.name.to_ascii_lowercase().contains("portrait");
        let worded = self.named("portrait").or(self.scene.clips.iter().find(has_word));
        match worded.or(self.named("stand")).map(|c| (c.name.clone(), c.length)) {
            None => self.usual(options),
            Some((name, _)) if self.has_effects() => self.fullest(&options.clone().with_clip(Some(name))),
            Some((name, length)) => Ok(options.clone().with_clip(Some(name)).with_time(length * 0.5)),
        }
    }

    /// Returns the first clip whose name begins with a word, letter case ignored.
    fn named(&self, word: &str) -> Option<&Clip> {
        let begins =
            |name: &str| name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        self.scene.clips.iter().find(|c| begins(&c.name))
    }

    /// Returns how much of the height of the image is covered, from 0 to 1.
    pub fn covered_height(&mut self, options: &Options) -> Result<f32, RenderError> {
        let image = self.render(&trial(options))?;
        let rows = image.pixels.chunks_exact(image.width as usize * 4);
        let covered = |row: &[u8]| row.chunks_exact(4).any(|p| p.last().is_some_and(|a| *a > 40));
        let (mut first, mut last) = (None, 0);
        for (number, _) in rows.enumerate().filter(|(_, row)| covered(row)) {
            first.get_or_insert(number);
            last = number + 1;
        }
        Ok(first.map_or(0.0, |first| (last - first) as f32 / image.height as f32))
    }

    /// Returns the options with a clip at a time. What was not asked for is as usual: [`Stage::usual`] without a clip; without a
    /// time the fullest moment of a clip with effects, or the middle of one without.
    pub fn look(
        &mut self,
        options: &Options,
        clip: Option<&str>,
        time: Option<f32>,
    ) -> Result<Options, RenderError> {
        let look = options.clone().with_clip(clip.map(str::to_owned));
        match (clip, time) {
            (None, _) => self.usual(&look),
            (Some(_), Some(time)) => Ok(look.with_time(time)),
            (Some(_), None) if self.has_effects() => {
                preview::instant(&self.scene, &look)?;
                self.fullest(&look)
            }
            (Some(name), None) => {
                let length = self.scene.find_clip(name).map_or(0.0, |c| c.length);
                Ok(look.with_time(length * 0.5))
            }
        }
    }

    /// Returns the options with the time at which most pixels of the clip's image are covered.
    pub fn fullest(&mut self, options: &Options) -> Result<Options, RenderError> {
        let clip = options.clip.as_deref().and_then(|name| self.scene.find_clip(name));
        // Without clips, emitters run all the time.
        let (length, playback) = clip.map_or((0.0, Playback::Loop), |c| (c.length, c.playback));
        if clip.is_none() && !(self.has_effects() && self.scene.clips.is_empty()) {
            return Ok(options.clone());
        }
        let end = if playback == Playback::Once { length } else { length.max(BUILD_UP) };
        let times: Vec<f32> = (1..=TRIALS).map(|i| end * f32::from(i) / f32::from(TRIALS + 1)).collect();
        let small = trial(options);
        let framing = self.framing(&small, &times)?;
        let small = small.with_framing(framing);
        let mut best = (0, length * 0.5);
        for time in times {
            let image = self.render(&small.clone().with_time(time))?;
            let covered = image.pixels.chunks_exact(4).filter(|p| p.last().is_some_and(|a| *a > 8)).count();
            if covered > best.0 {
                best = (covered, time);
            }
        }
        Ok(options.clone().with_time(best.1))
    }

    /// Returns the box around what is seen at these times of a clip.
    pub fn framing(&mut self, options: &Options, times: &[f32]) -> Result<Option<Bounds>, RenderError> {
        let mut all: Option<Bounds> = None;
        for time in times {
            let frame = self.shown(&options.clone().with_time(*time))?;
            if !frame.is_empty() {
                let bounds = preview::frame_bounds(&self.scene, &frame);
                all = Some(all.map_or(bounds, |all| all.union(bounds)));
            }
        }
        Ok(all)
    }

    /// Returns the names of the cameras.
    pub fn cameras(&self) -> Vec<&str> {
        self.scene.cameras.iter().map(|c| c.name.as_str()).collect()
    }

    /// Returns the view of a camera of the model at the moment that the options show; `None` if there is no such camera. The name
    /// `portrait` means the camera whose name has that word in it, else the first one.
    pub fn view(&mut self, camera: &str, options: &Options) -> Result<Option<View>, RenderError> {
        let named = |name: &str| self.scene.cameras.iter().position(|c| c.name.eq_ignore_ascii_case(name));
        let portrait = camera.eq_ignore_ascii_case("portrait");
        let has_word = |name: &str| name.to_ascii_lowercase().contains("portrait");
        let found = named(camera).or_else(|| {
            let cameras = &self.scene.cameras;
            let worded = cameras.iter().position(|c| has_word(&c.name));
            worded.or_else(|| (!cameras.is_empty()).then_some(0)).filter(|_| portrait)
        });
        let Some(found) = found else { return Ok(None) };
        let at = preview::instant(&self.scene, options)?;
        let pose = self.frame(&at, options).pose;
        Ok(camera_view(&self.scene, &pose, found))
    }
}

/// Returns the options of a small image in which what is drawn is told from what is not.
fn trial(options: &Options) -> Options {
    let look = options.clone().with_size(TRIAL, TRIAL).with_samples(1).with_background([0; 4]);
    look.with_checker(false).with_ground(false)
}

/// Returns the view of a camera in a pose.
fn camera_view(scene: &Scene, pose: &Pose, number: usize) -> Option<View> {
    let camera = scene.cameras.get(number)?;
    let node = scene.nodes.iter().position(|n| n.camera == Some(number as u32))? as u32;
    let world = pose.world_of(node);
    let eye = world.w_axis.truncate();
    let back = world.z_axis.truncate().normalize_or_zero();
    let target = camera.target.map_or(eye - back, |id| pose.world_of(id).w_axis.truncate());
    let angle = match camera.projection {
        Projection::Perspective { yfov, .. } => yfov.to_degrees(),
        Projection::Orthographic { .. } => 30.0,
    };
    (eye.is_finite() && target.is_finite())
        .then(|| View::new(eye.into(), target.into(), [0.0, 1.0, 0.0], angle))
}
