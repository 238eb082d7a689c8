//! The time of a model.

use galatea::scene::{Clip, Playback, Scene};

/// Which clip plays, and how far it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clock {
    /// The clip by its number; `None` for the model at rest.
    pub(crate) clip: Option<usize>,
    /// Seconds since it began.
    pub(crate) time: f32,
    /// Whether time passes.
    pub(crate) plays: bool,
    /// How fast, 1 as in the game.
    pub(crate) speed: f32,
    /// Whether a clip that the game plays once is played again and again.
    pub(crate) again: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Clock { clip: None, time: 0.0, plays: true, speed: 1.0, again: true }
    }
}

/// Seconds after which the time of effects without a clip begins again.
const LONGEST: f32 = 3600.0;

impl Clock {
    /// Returns the clip that plays.
    pub(crate) fn clip<'s>(&self, scene: &'s Scene) -> Option<&'s Clip> {
        scene.clips.get(self.clip?)
    }

    /// Returns the length of the time line.
    pub(crate) fn length(&self, scene: &Scene) -> f32 {
        self.clip(scene).map_or(0.0, |clip| clip.length.max(0.0))
    }

    /// Lets time pass. Returns `true` if something may have moved.
    pub(crate) fn pass(&mut self, seconds: f32, scene: &Scene, has_effects: bool) -> bool {
        let moves = self.clip.is_some() || has_effects;
        if !self.plays || !moves || !seconds.is_finite() {
            return false;
        }
        self.time += seconds * self.speed;
        let Some(clip) = self.clip(scene) else {
            self.time = self.time.rem_euclid(LONGEST);
            return true;
        };
        let length = clip.length;
        if length <= 0.0 {
            self.time = 0.0;
        } else if clip.playback == Playback::Once && !self.again {
            if self.time >= length || self.time < 0.0 {
                (self.time, self.plays) = (self.time.clamp(0.0, length), false);
            }
        } else if clip.playback == Playback::Once {
            self.time = self.time.rem_euclid(length);
        } else {
            // Particles of a loop need the time before it; a loop of them begins again only after a while.
            let most = if has_effects { length * (LONGEST / length).ceil() } else { length };
            self.time = self.time.rem_euclid(most);
        }
        true
    }

    /// Returns the place on the time line.
    pub(crate) fn shown(&self, scene: &Scene) -> f32 {
        let length = self.length(scene);
        if length > 0.0 && self.time > length { self.time.rem_euclid(length) } else { self.time }
    }

    /// Goes to the next or previous key frame of a thirtieth second.
    pub(crate) fn nudge(&mut self, frames: f32, scene: &Scene) {
        self.plays = false;
        let length = self.length(scene);
        let time = self.shown(scene) + frames / 30.0;
        self.time = if length > 0.0 { time.rem_euclid(length) } else { time.max(0.0) };
    }

    /// Takes over clip and time from another version of the model.
    pub(crate) fn follow(&self, before: &Scene, after: &Scene) -> Clock {
        let name = self.clip(before).map(|clip| clip.name.as_str());
        let clip = name.and_then(|name| after.clips.iter().position(|c| c.name == name));
        Clock { clip, time: if clip.is_some() || name.is_none() { self.time } else { 0.0 }, ..self.clone() }
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use super::*;

    fn scene(playback: Playback) -> Scene {
        let mut scene = Scene::new("s");
        scene.clips.push(Clip { name: "walk".into(), length: 2.0, playback, ..Clip::default() });
        scene
    }

    #[test]
    fn a_loop_begins_again_and_what_plays_once_stops_if_wanted() {
        let mut clock = Clock { clip: Some(0), ..Clock::default() };
        assert!(clock.pass(2.5, &scene(Playback::Loop), false));
        assert_eq!(clock.time, 0.5);
        let once = scene(Playback::Once);
        let mut clock = Clock { clip: Some(0), again: false, ..Clock::default() };
        clock.pass(2.5, &once, false);
        assert_eq!((clock.time, clock.plays), (2.0, false));
        assert!(!clock.pass(1.0, &once, false));
    }

    #[test]
    fn particles_of_a_loop_keep_the_time_before_it() {
        let mut clock = Clock { clip: Some(0), time: 1.5, ..Clock::default() };
        clock.pass(1.0, &scene(Playback::Loop), true);
        assert_eq!((clock.time, clock.shown(&scene(Playback::Loop))), (2.5, 0.5));
    }

    #[test]
    fn another_version_keeps_clip_and_time_by_name() {
        let (before, mut after) = (scene(Playback::Loop), scene(Playback::Loop));
        after.clips.insert(0, Clip { name: "stand".into(), length: 1.0, ..Clip::default() });
        let clock = Clock { clip: Some(0), time: 1.25, ..Clock::default() };
        let new = clock.follow(&before, &after);
        assert_eq!((new.clip, new.time), (Some(1), 1.25));
        after.clips.pop();
        assert_eq!(clock.follow(&before, &after).clip, None);
    }
}
