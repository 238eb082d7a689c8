//! Tracks to the scene: each clip gets the keys inside its interval, and notes keep the rest.

use galatea_scene::{Channel, Extras, Interpolation as SceneInterpolation, Value, encode_u32s, floats};

use super::{Builder, take};
use crate::scene::binding::{Bound, Lane, WORDS, run_of};
use crate::scene::curve::{Form, Rows, Run};
use crate::scene::extra::{Carry, Sum, put, wrap};
use crate::scene::window::{LONGEST, Window};
use crate::{Curve, EventTrack, Interpolation, Key, Keys, Tag, Track, Tracks};

/// Whether the scene's channels can carry a track at all.
fn is_plain(track: &Track) -> bool {
    match &track.keys {
        Keys::Integer(curve) => {
            !track.interpolation.has_tangents() && curve.keys.iter().all(|k| k.value < 1 << 24)
        }
        Keys::Float(c) => {
            c.tangents.len() == if track.interpolation.has_tangents() { c.keys.len() } else { 0 }
        }
        Keys::Vector(c) => {
            c.tangents.len() == if track.interpolation.has_tangents() { c.keys.len() } else { 0 }
        }
        Keys::Rotation(c) => {
            c.tangents.len() == if track.interpolation.has_tangents() { c.keys.len() } else { 0 }
        }
    }
}

impl Builder<'_> {
    /// Adds the tracks of something as channels; what channels do not tell goes to `map` under `key`.
    pub(super) fn add_tracks(
        &mut self,
        map: &mut Extras,
        key: &'static str,
        tracks: &Tracks,
        bind: impl Fn(Tag) -> Option<Bound>,
    ) {
        let mut listed = String::with_capacity(tracks.list.len() * 16);
        let mut notes = Vec::new();
        for (n, track) in tracks.iter().enumerate() {
            if !listed.is_empty() {
                listed.push_str(", ");
            }
            listed.extend(track.tag.0.iter().map(|b| *b as char));
            let name = WORDS.iter().find(|(i, _)| *i == track.interpolation).map_or("", |(_, w)| w);
            listed.push(' ');
            listed.push_str(name);
            let global = track.global_sequence;
            if global != -1 {
                listed.push_str(&format!(" global {global}"));
            }
            let twin = tracks.iter().take(n).any(|t| t.tag == track.tag);
            let known =
                usize::try_from(global).map_or(global == -1, |g| g < self.model.global_sequences.len());
            let bound = bind(track.tag).filter(|_| !twin && known && is_plain(track));
            let mut note = Extras::new();
            if track.keys.is_empty() {
                listed.push_str(" empty");
            } else if let Some(bound) = bound {
                match &track.keys {
                    Keys::Float(c) => self.split(track, c, &bound, &mut note),
                    Keys::Vector(c) => self.split(track, c, &bound, &mut note),
                    Keys::Rotation(c) => self.split(track, c, &bound, &mut note),
                    Keys::Integer(c) => self.split(track, c, &bound, &mut note),
                }
            } else {
                listed.push_str(" apart");
                put_keys(&mut note, &track.keys, &mut |_| true);
            }
            if !note.is_empty() {
                put(&mut note, "track", n as u32);
                notes.push(Value::Object(note));
            }
        }
        if !listed.is_empty() {
            put(map, key, listed);
        }
        if !notes.is_empty() {
            put(map, format!("{key}_notes"), Value::Array(notes));
        }
        if let Some(extra) = &tracks.extra {
            put(map, format!("{key}_before"), extra.before.json());
            put(map, format!("{key}_after"), extra.after.json());
        }
    }

    /// Adds the keys of a track to the clips whose intervals they are in.
    fn split<T: Lane>(&mut self, track: &Track, curve: &Curve<T>, bound: &Bound, note: &mut Extras) {
        let sorted;
        let curve = if curve.keys.is_sorted_by_key(|k| k.time) {
            curve
        } else {
            let times: Vec<u32> = curve.keys.iter().map(|k| k.time as u32).collect();
            put(note, "order", encode_u32s(&times));
            let mut order: Vec<usize> = (0..curve.keys.len()).collect();
            order.sort_by_key(|i| curve.keys.get(*i).map(|k| k.time));
            sorted = Curve {
                keys: order.iter().filter_map(|i| curve.keys.get(*i).copied()).collect(),
                tangents: order.iter().filter_map(|i| curve.tangents.get(*i).copied()).collect(),
            };
            &sorted
        };
        let held = bound.held
            || track.interpolation == Interpolation::None
            || matches!(track.keys, Keys::Integer(_));
        let smooth = track.interpolation.has_tangents();
        let run = if held { Run::Straight } else { run_of(track.interpolation, &track.keys) };
        let form = Form { run, map: bound.map, width: T::WIDTH };
        let (clips, alone) = match usize::try_from(track.global_sequence) {
            Ok(global) => (self.globals + global..self.globals + global + 1, true),
            Err(_) => (0..self.globals, false),
        };
        let first = curve.keys.first().map_or(0, |k| i64::from(k.time));
        let last = curve.keys.last().map_or(0, |k| i64::from(k.time));
        let mut done = 0usize;
        let mut played = 0;
        for clip in clips {
            let Some(mut window) = self.windows.get(clip).copied() else { continue };
            // A clock that never reaches the first key leaves its value.
            if alone && (window.end == 0 || first > window.end) && first >= 0 {
                window.end = LONGEST;
            }
            if last < window.start || first > window.end {
                continue;
            }
            // Most clips begin where the one before ended.
            let before = |key: &Key<T>| i64::from(key.time) < window.start;
            let at_once = done.checked_sub(1).is_none_or(|i| curve.keys.get(i).is_some_and(before))
                && curve.keys.get(done).is_some_and(|key| !before(key));
            let from = if at_once { done } else { curve.keys.partition_point(before) };
            let rest = curve.keys.get(from..).unwrap_or(&[]);
            let to = from + rest.iter().take_while(|k| i64::from(k.time) <= window.end).count();
            done = to;
            let mut keys = curve.keys.get(from..to).unwrap_or(&[]);
            let mut tangents = curve.tangents.get(from..to).unwrap_or(&[]);
            let shared = self.shared.get(clip).map_or(&[][..], Vec::as_slice);
            let said = |key: &Key<T>| Window::any_has(shared, key.time.into());
            let again = !shared.is_empty() && keys.iter().any(said);
            played += if again { keys.iter().filter(|key| !said(key)).count() } else { keys.len() };
            let fresh: Curve<T>;
            if again && !take(&mut self.again, keys.len()) {
                let all = keys.iter().enumerate().filter(|(_, key)| !said(key));
                let kept: Vec<usize> = all.map(|(i, _)| i).collect();
                fresh = Curve {
                    keys: kept.iter().filter_map(|i| keys.get(*i).copied()).collect(),
                    tangents: kept.iter().filter_map(|i| tangents.get(*i).copied()).collect(),
                };
                (keys, tangents) = (&fresh.keys, &fresh.tangents);
            }
            if keys.is_empty() {
                continue;
            }
            let mut rows = Rows {
                times: keys.iter().map(|k| window.seconds(k.time)).collect(),
                values: Vec::with_capacity(keys.len() * T::WIDTH),
                tangents: Vec::new(),
            };
            keys.iter().for_each(|k| k.value.put(&mut rows.values));
            if smooth {
                rows.tangents.reserve(keys.len() * T::WIDTH * 2);
                for t in tangents {
                    t.incoming.put(&mut rows.tangents);
                    t.outgoing.put(&mut rows.tangents);
                }
            }
            let mut made = form.make_of(&mut rows);
            let mut extras = Extras::new();
            let mut told = Extras::new();
            form.steps(&rows, &made).put(&mut told, keys.len(), form.step_width(keys.len()));
            if !told.is_empty() {
                put(&mut extras, "keys", Value::Object(told));
            }
            if smooth && (held || keys.len() == 1) {
                put(&mut extras, "tangents", floats(&rows.tangents));
            }
            if !made.inserted.is_empty() {
                put(&mut extras, "inserted", encode_u32s(&made.inserted));
                put(&mut extras, "count", made.times.len() as u32);
            }
            if !made.flipped.is_empty() {
                put(&mut extras, "flipped", encode_u32s(&made.flipped));
            }
            if held {
                made.interpolation = SceneInterpolation::Step;
            }
            if again {
                // Which of two clips was changed can be told by this.
                put(&mut extras, "sum", Sum::new().floats(&made.times).floats(&made.values).finish());
            }
            let channel = Channel {
                target: bound.target,
                property: bound.property.clone(),
                interpolation: made.interpolation,
                times: made.times,
                values: made.values,
                extras: wrap(extras),
            };
            if let Some(clip) = self.scene.clips.get_mut(clip) {
                clip.channels.push(channel);
            }
        }
        // Keys that no clip plays.
        if played == curve.keys.len() {
            return;
        }
        let global = usize::try_from(track.global_sequence).ok();
        let mut windows = self.covered.iter().peekable();
        let mut outside = |time: i32| {
            if global.is_some() {
                return !self.is_covered(global, i64::from(time), curve.keys.first().map(|k| k.time));
            }
            // Keys are sorted, and so are the windows.
            while windows.next_if(|w| w.end < i64::from(time)).is_some() {}
            windows.peek().is_none_or(|w| !w.has(i64::from(time)))
        };
        let keys: Vec<bool> = curve.keys.iter().map(|k| outside(k.time)).collect();
        if keys.contains(&true) {
            let outside = |i: usize| keys.get(i).copied().unwrap_or(false);
            put_curve(note, curve, &mut |i| outside(i));
        }
    }

    /// Whether a clip plays this moment of the timeline, or of a global sequence.
    fn is_covered(&self, global: Option<usize>, time: i64, first: Option<i32>) -> bool {
        if let Some(global) = global {
            let end = self.windows.get(self.globals + global).map_or(0, |w| w.end);
            let first = first.map_or(0, i64::from);
            let end = if (end == 0 || first > end) && first >= 0 { LONGEST } else { end };
            return (0..=end).contains(&time);
        }
        Window::any_has(&self.covered, time)
    }

    /// Adds the times of an event as events of the clips.
    pub(super) fn add_events(
        &mut self,
        map: &mut Extras,
        key: &'static str,
        node: u32,
        track: Option<&EventTrack>,
    ) {
        let Some(track) = track else { return };
        let global = usize::try_from(track.global_sequence).ok();
        let known = global.map_or(track.global_sequence == -1, |g| g < self.model.global_sequences.len());
        let mut told = Extras::new();
        if track.global_sequence != -1 {
            put(&mut told, "global", track.global_sequence);
        }
        let name = self.scene.node(node).map(|n| n.name.clone()).unwrap_or_default();
        let clips = global.map_or(0..self.globals, |g| self.globals + g..self.globals + g + 1);
        for clip in clips.filter(|_| known) {
            let Some(window) = self.windows.get(clip).copied() else { continue };
            let shared = self.shared.get(clip).map_or(&[][..], Vec::as_slice);
            let Some(clip) = self.scene.clips.get_mut(clip) else { continue };
            for time in track.times.iter().filter(|t| window.has(i64::from(**t))) {
                if Window::any_has(shared, i64::from(*time)) && !take(&mut self.again, 8) {
                    continue;
                }
                clip.events.push(galatea_scene::Event {
                    time: window.seconds(*time),
                    name: name.clone(),
                    node: Some(node),
                    ..galatea_scene::Event::default()
                });
            }
        }
        let played = |time: i32| known && self.is_covered(global, i64::from(time), Some(0));
        let outside: Vec<u32> = track.times.iter().filter(|t| !played(**t)).map(|t| *t as u32).collect();
        if !outside.is_empty() {
            put(&mut told, "times", encode_u32s(&outside));
        }
        if !track.times.is_sorted() {
            put(&mut told, "order", encode_u32s(&track.times.iter().map(|t| *t as u32).collect::<Vec<_>>()));
        }
        put(map, key, Value::Object(told));
    }
}

fn put_keys(note: &mut Extras, keys: &Keys, wanted: &mut dyn FnMut(usize) -> bool) {
    match keys {
        Keys::Float(c) => put_curve(note, c, wanted),
        Keys::Vector(c) => put_curve(note, c, wanted),
        Keys::Rotation(c) => put_curve(note, c, wanted),
        Keys::Integer(c) => {
            let times: Vec<u32> = c.keys.iter().map(|k| k.time as u32).collect();
            let values: Vec<u32> = c.keys.iter().map(|k| k.value).collect();
            let tangents: Vec<u32> = c.tangents.iter().flat_map(|t| [t.incoming, t.outgoing]).collect();
            put(note, "times", encode_u32s(&times));
            put(note, "words", encode_u32s(&values));
            if !tangents.is_empty() {
                put(note, "tangent_words", encode_u32s(&tangents));
            }
        }
    }
}

/// Keys as they are.
fn put_curve<T: Lane>(note: &mut Extras, curve: &Curve<T>, wanted: &mut dyn FnMut(usize) -> bool) {
    let (mut times, mut values, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (key, tangent)) in curve.iter().enumerate() {
        if wanted(i) {
            times.push(key.time as u32);
            key.value.put(&mut values);
            if let Some(tangent) = tangent {
                tangent.incoming.put(&mut tangents);
                tangent.outgoing.put(&mut tangents);
            }
        }
    }
    put(note, "times", encode_u32s(&times));
    put(note, "values", floats(&values));
    if !tangents.is_empty() {
        put(note, "tangents", floats(&tangents));
    }
}
