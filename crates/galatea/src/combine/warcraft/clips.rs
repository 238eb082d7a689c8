//! Keys of one model on the timeline of another, by the names of their sequences.

use galatea_wire::escape;

use super::global_of;
use crate::combine::transfer::tracks::{Window, enrich, join, part, window};
use crate::mdlx::play::{Moment, Player, Value};
use crate::mdlx::{Curve, EventTrack, Interpolation, Key, Keys, Model, Sequence, Tangents, Track, Tracks};

/// Where the keys of each sequence go.
pub(in crate::combine) struct Clips<'a> {
    player: Player<'a>,
    /// For each sequence of the target the one of the source.
    pairs: Vec<(Window, Window)>,
    /// Sequences of the target that the source has nothing for: what is taken holds still there.
    still: Vec<Window>,
    /// Where the source stands.
    stand: Option<usize>,
    windows: Vec<Window>,
    globals: Vec<u32>,
}

/// Returns a name without what tells variants apart: `Stand - 2` is a Stand.
fn base(sequence: &Sequence) -> String {
    let name = sequence.name.lossy().to_lowercase();
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    plain.strip_suffix('-').unwrap_or(plain).trim().to_owned()
}

/// Returns for each sequence of the target the number of the one of the source that has its name; of several, one after the other.
fn counterparts(from: &Model, to: &Model) -> Vec<Option<usize>> {
    let lower = |sequence: &Sequence| sequence.name.lossy().trim().to_lowercase();
    let mut used: Vec<usize> = Vec::new();
    let mut out = Vec::new();
    for sequence in &to.sequences {
        let fits = |key: &dyn Fn(&Sequence) -> String| -> Vec<usize> {
            let all = from.sequences.iter().enumerate();
            all.filter(|(_, other)| key(other) == key(sequence)).map(|(at, _)| at).collect()
        };
        let same = fits(&lower);
        let same = if same.is_empty() { fits(&base) } else { same };
        let fresh = same.iter().copied().find(|at| !used.contains(at));
        let found = fresh.or(same.first().copied());
        used.extend(found);
        out.push(found);
    }
    out
}

impl<'a> Clips<'a> {
    /// Compares the sequences; tells what is worth knowing.
    pub(in crate::combine) fn of(from: &'a Model, to: &Model, notes: &mut Vec<String>) -> Clips<'a> {
        let found = counterparts(from, to);
        let mut out = Clips {
            player: Player::new(from),
            pairs: Vec::new(),
            still: Vec::new(),
            stand: None,
            windows: to.sequences.iter().map(window).collect(),
            globals: to.global_sequences.clone(),
        };
        out.stand = stand(from);
        let mut stretched = Vec::new();
        for (sequence, source) in to.sequences.iter().zip(&found) {
            let target = window(sequence);
            match source.and_then(|at| from.sequences.get(at)) {
                Some(other) => {
                    let source = window(other);
                    if source.1 - source.0 != target.1 - target.0 {
                        stretched.push(escape(&sequence.name.lossy()));
                    }
                    out.pairs.push((source, target));
                }
                None => out.still.push(target),
            }
        }
        if !stretched.is_empty() {
            notes.push(format!(
                "clips of other lengths, to which the keys of the new parts are fitted: {}",
                stretched.join(", ")
            ));
        }
        out
    }

    /// Returns the global sequences of the target with those that were needed.
    pub(in crate::combine) fn globals(self) -> Vec<u32> {
        self.globals
    }

    fn place((from, to): (Window, Window)) -> impl Fn(i64) -> i64 {
        move |time: i64| {
            let (length, new) = (from.1 - from.0, to.1 - to.0);
            if length == new || length <= 0 {
                return (to.0 + time - from.0).min(to.1);
            }
            to.0 + ((time - from.0) as f64 * new as f64 / length as f64).round() as i64
        }
    }

    /// Returns tracks of the source as tracks of the target.
    pub(in crate::combine) fn tracks(&mut self, tracks: &Tracks) -> Tracks {
        let list: Vec<Track> = tracks.iter().filter_map(|track| self.track(track)).collect();
        Tracks { list, extra: tracks.extra.clone() }
    }

    fn track(&mut self, track: &Track) -> Option<Track> {
        let mut out = track.clone();
        if let Ok(global) = usize::try_from(track.global_sequence) {
            let length = self.player.model().global_sequences.get(global).copied().unwrap_or(0);
            out.global_sequence = global_of(&mut self.globals, length);
            return Some(out);
        }
        out.keys.retain(|_, _| false);
        for pair in &self.pairs {
            let keys = part(&track.keys, pair.0, &Clips::place(*pair));
            join(&mut out, Track { keys, ..track.clone() }, &self.windows);
        }
        for window in &self.still {
            if let Some(keys) = self.stand.and_then(|stand| held(&self.player, stand, track, *window)) {
                let mut held = Track { interpolation: Interpolation::None, keys, ..track.clone() };
                enrich(&mut held, track.interpolation, &self.windows);
                join(&mut out, held, &self.windows);
            }
        }
        // Sequences may overlap, and two keys at one time are a mistake.
        dedup(&mut out.keys);
        (!out.keys.is_empty()).then_some(out)
    }

    /// Returns the times of an event as times of the target.
    pub(in crate::combine) fn events(&mut self, track: &EventTrack) -> EventTrack {
        if let Ok(global) = usize::try_from(track.global_sequence) {
            let length = self.player.model().global_sequences.get(global).copied().unwrap_or(0);
            return EventTrack {
                global_sequence: global_of(&mut self.globals, length),
                times: track.times.clone(),
            };
        }
        let mut times = Vec::new();
        for pair in &self.pairs {
            let place = Clips::place(*pair);
            let inside = track.times.iter().filter(|time| (pair.0.0..=pair.0.1).contains(&i64::from(**time)));
            times.extend(inside.filter_map(|time| i32::try_from(place(i64::from(*time))).ok()));
        }
        times.sort_unstable();
        times.dedup();
        EventTrack { global_sequence: -1, times }
    }
}

/// Returns the sequence in which a model stands: the first Stand, or else the first.
pub(in crate::combine) fn stand(model: &Model) -> Option<usize> {
    let stands = |s: &Sequence| s.name.bytes().get(..5).is_some_and(|n| n.eq_ignore_ascii_case(b"stand"));
    model.sequences.iter().position(stands).or((!model.sequences.is_empty()).then_some(0))
}

/// Returns a key at the beginning of a window, with the value that a track has at the beginning of a sequence; `None` if it has none there.
pub(in crate::combine) fn held(
    player: &Player<'_>,
    stand: usize,
    track: &Track,
    window: Window,
) -> Option<Keys> {
    fn key<T: Value>(player: &Player<'_>, stand: usize, track: &Track, window: Window) -> Option<Curve<T>> {
        let moment = Moment::in_sequence(player.model(), stand, 0.0);
        let value = player.sample::<T>(track, &moment)?;
        Some(Curve::new([(i32::try_from(window.0).ok()?, value)]))
    }
    match &track.keys {
        Keys::Float(_) => key(player, stand, track, window).map(Keys::Float),
        Keys::Vector(_) => key(player, stand, track, window).map(Keys::Vector),
        Keys::Rotation(_) => key(player, stand, track, window).map(Keys::Rotation),
        Keys::Integer(_) => key(player, stand, track, window).map(Keys::Integer),
    }
}

/// Leaves out keys at times that there are keys for.
fn dedup(keys: &mut Keys) {
    fn once<T: Copy>(curve: &mut Curve<T>) {
        let both: Vec<(Key<T>, Option<Tangents<T>>)> = curve.iter().collect();
        let mut last = None;
        let kept: Vec<_> =
            both.into_iter().filter(|(key, _)| last.replace(key.time) != Some(key.time)).collect();
        curve.keys = kept.iter().map(|(key, _)| *key).collect();
        curve.tangents = kept.iter().filter_map(|(_, tangents)| *tangents).collect();
    }
    match keys {
        Keys::Float(curve) => once(curve),
        Keys::Vector(curve) => once(curve),
        Keys::Rotation(curve) => once(curve),
        Keys::Integer(curve) => once(curve),
    }
}
