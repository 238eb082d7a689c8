//! Moving images: clips that play, and turntables.

use galatea::preview::{Image, Options as Appearance};
use galatea::scene::Playback;

use super::{Failure, Options, Subject, other};

/// Maximum number of frames of a moving image.
const MOST: usize = 1800;
/// Seconds that a looping clip with effects plays before its first frame, so that its end joins its start.
const BUILD_UP: f32 = 2.5;
/// Moments by which a clip is framed.
const FRAMED: u16 = 12;

/// What `--animate` plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Animate {
    /// The clip of --clip, or the usual one
    Clip,
    /// All clips, one after the other
    All,
}

/// A clip in a moving image.
struct Part {
    look: Appearance,
    start: f32,
    frames: usize,
}

impl Options {
    /// Returns the frames of a moving image: of a clip, of all clips, or of a turn.
    pub(super) fn moving(&self, subject: &mut Subject<'_>, look: &Appearance) -> Result<Vec<Image>, Failure> {
        let mut parts = self.parts(subject, look)?;
        let all: usize = parts.iter().map(|p| p.frames).sum();
        if all > MOST {
            let what =
                format!("{all} frames; moving images are limited to {MOST}: choose a clip or a lower --fps");
            return Err(Failure::Other(what));
        }
        let mut images = Vec::with_capacity(all);
        for part in &mut parts {
            self.frame_part(subject, part)?;
        }
        for part in &parts {
            for frame in 0..part.frames {
                let turn = if self.turntable { 360.0 * images.len() as f32 / all as f32 } else { 0.0 };
                let time = part.start + if self.plays() { frame as f32 / self.fps } else { 0.0 };
                let look = part.look.clone().with_time(time).with_yaw(part.look.yaw + turn);
                let look = self.through_camera(subject, look)?;
                images.push(subject.stage.render(&look).map_err(other)?);
            }
        }
        Ok(images)
    }

    /// Returns `true` if time passes in the moving image.
    fn plays(&self) -> bool {
        self.animate.is_some() || self.clip.is_some() && self.time.is_none()
    }

    fn parts(&self, subject: &mut Subject<'_>, look: &Appearance) -> Result<Vec<Part>, Failure> {
        let turn = self.frames.clamp(1, 360) as usize;
        if !self.plays() {
            return Ok(vec![Part { look: look.clone(), start: look.time, frames: turn }]);
        }
        let effects = subject.stage.has_effects();
        let clips = &subject.stage.scene().clips;
        let wanted = |name: &str| match self.animate {
            Some(Animate::All) => true,
            _ => look.clip.as_deref().map_or_else(
                || clips.first().is_some_and(|c| c.name == name),
                |clip| clip.eq_ignore_ascii_case(name),
            ),
        };
        let parts = clips.iter().filter(|c| wanted(&c.name) && c.playback != Playback::Always).map(|clip| {
            let length = if clip.length > 0.0 { clip.length } else { 1.0 };
            let builds_up = effects && clip.playback == Playback::Loop;
            let frames = ((length * self.fps).round() as usize).max(1);
            Part {
                look: look.clone().with_clip(Some(clip.name.clone())),
                start: if builds_up { (BUILD_UP / length).ceil() * length } else { 0.0 },
                frames: if self.turntable { turn.max(frames) } else { frames },
            }
        });
        let parts: Vec<Part> = parts.collect();
        if parts.is_empty() {
            return Err(Failure::Other("there is no clip to play".into()));
        }
        Ok(parts)
    }

    /// Frames a part by everything that is seen in it, so that the camera stands still.
    fn frame_part(&self, subject: &mut Subject<'_>, part: &mut Part) -> Result<(), Failure> {
        let seconds = if self.plays() { part.frames as f32 / self.fps } else { 0.0 };
        let count = if seconds > 0.0 { FRAMED } else { 1 };
        let times: Vec<f32> =
            (0..count).map(|i| part.start + seconds * f32::from(i) / f32::from(count)).collect();
        let framing = subject.stage.framing(&part.look, &times).map_err(other)?;
        part.look = part.look.clone().with_framing(framing).with_around(self.turntable);
        Ok(())
    }
}
