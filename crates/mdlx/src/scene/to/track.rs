//! Tracks to the scene: each clip gets the keys inside its window; the rest is stored in extras.

use std::borrow::Cow;
use std::ops::Range;

use galatea_scene::{
    Channel, Extras, Interpolation as SceneInterpolation, Property, Value, encode_u32s, floats,
};

use super::{ToScene, take};
use crate::scene::around::{Around, Loop};
use crate::scene::binding::{Binding, KeyValue, WORDS, kind_of};
use crate::scene::curve::{CurveForm, CurveKind, FormatKeys};
use crate::scene::extra::{ExtraValue, checksum_of, wrap};
use crate::scene::window::{LONGEST, Window};
use crate::{Curve, EventTrack, Interpolation, Key, Keys, Tag, Tangents, Track, Tracks};

/// How far a viewer may be off at the ends of a clip, as a share of the model's reach or of 1.
const CLOSE: f32 = 1e-4;

/// Returns `true` if a track can be expressed by channels.
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

/// How the keys of one track become the channels of clips.
struct ChannelForm<'a> {
    binding: &'a Binding,
    form: CurveForm,
    /// Whether values are held until the next key.
    held: bool,
    /// Whether keys have tangents.
    tangents: bool,
}

impl<'a> ChannelForm<'a> {
    fn new<T: KeyValue>(track: &Track, binding: &'a Binding) -> Self {
        let held = binding.held
            || track.interpolation == Interpolation::None
            || matches!(track.keys, Keys::Integer(_));
        let kind = if held { CurveKind::Linear } else { kind_of(track.interpolation, &track.keys) };
        let form = CurveForm { kind, map: binding.map, width: T::WIDTH };
        ChannelForm { binding, form, held, tangents: track.interpolation.has_tangents() }
    }

    /// Returns the channel with these keys. Its extras hold what is needed to restore them exactly.
    fn channel<T: KeyValue>(
        &self,
        keys: &[Key<T>],
        tangents: &[Tangents<T>],
        window: Window,
        repeated: bool,
        reach: f32,
    ) -> Option<Channel> {
        if keys.is_empty() {
            return None;
        }
        let mut rows = FormatKeys {
            times: keys.iter().map(|k| window.seconds(k.time)).collect(),
            values: Vec::with_capacity(keys.len() * T::WIDTH),
            tangents: Vec::new(),
        };
        keys.iter().for_each(|k| k.value.put(&mut rows.values));
        if self.tangents {
            rows.tangents.reserve(keys.len() * T::WIDTH * 2);
            for t in tangents {
                t.incoming.put(&mut rows.tangents);
                t.outgoing.put(&mut rows.tangents);
            }
        }
        let around = self.around(&rows, window, reach);
        let mut made = self.form.encode_taking(&mut rows);
        let mut extras = Extras::new();
        let mut deltas = Extras::new();
        self.form.deltas(&rows, &made).put(&mut deltas, keys.len(), self.form.delta_width(keys.len()));
        if !deltas.is_empty() {
            extras.add("keys", Value::Object(deltas));
        }
        if self.tangents && (self.held || keys.len() == 1) {
            extras.add("tangents", floats(&rows.tangents));
        }
        if !made.inserted.is_empty() {
            extras.add("inserted", encode_u32s(&made.inserted));
            extras.add("count", made.times.len() as u32);
        }
        if !made.flipped.is_empty() {
            extras.add("flipped", encode_u32s(&made.flipped));
        }
        if self.held {
            made.interpolation = SceneInterpolation::Step;
        }
        if repeated {
            // Shows which of two clips was edited.
            extras.add("sum", checksum_of([made.times.as_slice(), &made.values]));
        }
        if let Some(around) = around {
            let counts = around.attach(&self.binding.property, &mut made, T::WIDTH);
            extras.add("around", encode_u32s(&counts));
        }
        Some(Channel {
            target: self.binding.target,
            property: self.binding.property.clone(),
            interpolation: made.interpolation,
            times: made.times,
            values: made.values,
            extras: wrap(extras),
        })
    }
}

impl ChannelForm<'_> {
    /// Returns the keys that make a viewer interpolate from the last key around to the first, as the game does.
    fn around(&self, rows: &FormatKeys, window: Window, reach: f32) -> Option<Around> {
        let length = window.end.checked_sub(window.start).filter(|l| (1..LONGEST).contains(l))?;
        let property = &self.binding.property;
        let close = CLOSE * if *property == Property::Translation { reach } else { 1.0 };
        Loop::new(&self.form, property, self.held, rows, length as f32 / 1000.0)?.keys(close)
    }
}

/// Returns the curve with its keys in order of time, and notes the order they had.
fn sorted<'a, T: KeyValue>(curve: &'a Curve<T>, note: &mut Extras) -> Cow<'a, Curve<T>> {
    if curve.keys.is_sorted_by_key(|k| k.time) {
        return Cow::Borrowed(curve);
    }
    let times: Vec<u32> = curve.keys.iter().map(|k| k.time as u32).collect();
    note.add("order", encode_u32s(&times));
    let mut order: Vec<usize> = (0..curve.keys.len()).collect();
    order.sort_by_key(|i| curve.keys.get(*i).map(|k| k.time));
    Cow::Owned(select(curve, &order))
}

/// Returns a curve with some keys of another.
fn select<T: KeyValue>(curve: &Curve<T>, keys: &[usize]) -> Curve<T> {
    Curve {
        keys: keys.iter().filter_map(|i| curve.keys.get(*i).copied()).collect(),
        tangents: keys.iter().filter_map(|i| curve.tangents.get(*i).copied()).collect(),
    }
}

/// Returns the range of sorted keys inside a window. `done` is the end of the previous window's range.
fn keys_within<T>(keys: &[Key<T>], window: Window, done: usize) -> Range<usize> {
    // Most windows begin where the previous one ended.
    let before = |key: &Key<T>| i64::from(key.time) < window.start;
    let adjacent = done.checked_sub(1).is_none_or(|i| keys.get(i).is_some_and(before))
        && keys.get(done).is_some_and(|key| !before(key));
    let start = if adjacent { done } else { keys.partition_point(before) };
    let rest = keys.get(start..).unwrap_or(&[]);
    start..start + rest.iter().take_while(|k| i64::from(k.time) <= window.end).count()
}

impl ToScene<'_> {
    /// Adds tracks as channels; what channels cannot express is stored in `map` under `key`.
    pub(super) fn add_tracks(
        &mut self,
        map: &mut Extras,
        key: &'static str,
        tracks: &Tracks,
        bind: impl Fn(Tag) -> Option<Binding>,
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
            let binding = bind(track.tag).filter(|_| !twin && known && is_plain(track));
            let mut note = Extras::new();
            if track.keys.is_empty() {
                listed.push_str(" empty");
            } else if let Some(binding) = binding {
                match &track.keys {
                    Keys::Float(c) => self.split(track, c, &binding, &mut note),
                    Keys::Vector(c) => self.split(track, c, &binding, &mut note),
                    Keys::Rotation(c) => self.split(track, c, &binding, &mut note),
                    Keys::Integer(c) => self.split(track, c, &binding, &mut note),
                }
            } else {
                listed.push_str(" apart");
                put_keys(&mut note, &track.keys, &mut |_| true);
            }
            if !note.is_empty() {
                note.add("track", n as u32);
                notes.push(Value::Object(note));
            }
        }
        if !listed.is_empty() {
            map.add(key, listed);
        }
        if !notes.is_empty() {
            map.add(format!("{key}_notes"), Value::Array(notes));
        }
        if let Some(extra) = &tracks.extra {
            map.add(format!("{key}_before"), extra.before.json());
            map.add(format!("{key}_after"), extra.after.json());
        }
    }

    /// Adds the keys of a track to the clips that play them.
    fn split<T: KeyValue>(&mut self, track: &Track, curve: &Curve<T>, binding: &Binding, note: &mut Extras) {
        let curve = &*sorted(curve, note);
        let form = ChannelForm::new::<T>(track, binding);
        let global = usize::try_from(track.global_sequence).ok();
        let first = curve.keys.first().map_or(0, |k| i64::from(k.time));
        let last = curve.keys.last().map_or(0, |k| i64::from(k.time));
        let mut done = 0;
        let mut played = 0;
        for clip in self.clips_of(global) {
            let Some(mut window) = self.windows.get(clip).copied() else { continue };
            if global.is_some() {
                window = window.reaching(first);
            }
            if last < window.start || first > window.end {
                continue;
            }
            let range = keys_within(&curve.keys, window, done);
            done = range.end;
            let keys = curve.keys.get(range.clone()).unwrap_or(&[]);
            let shared = self.shared.get(clip).map_or(&[][..], Vec::as_slice);
            let is_repeated = |key: &Key<T>| Window::any_has(shared, key.time.into());
            let repeated = if shared.is_empty() { 0 } else { keys.iter().filter(|k| is_repeated(k)).count() };
            played += keys.len() - repeated;
            let channel = if repeated > 0 && !take(&mut self.repeat_budget, keys.len()) {
                let kept = range.filter(|i| curve.keys.get(*i).is_some_and(|key| !is_repeated(key)));
                let Curve { keys, tangents } = select(curve, &kept.collect::<Vec<_>>());
                form.channel(&keys, &tangents, window, true, self.reach)
            } else {
                form.channel(keys, curve.tangents.get(range).unwrap_or(&[]), window, repeated > 0, self.reach)
            };
            if let (Some(clip), Some(channel)) = (self.scene.clips.get_mut(clip), channel) {
                clip.channels.push(channel);
            }
        }
        if played != curve.keys.len() {
            self.put_unplayed(note, curve, global);
        }
    }

    /// Returns the clips in which a track of the timeline, or of a global sequence, is played.
    fn clips_of(&self, global: Option<usize>) -> Range<usize> {
        global.map_or(0..self.globals, |g| self.globals + g..self.globals + g + 1)
    }

    /// Stores the keys that no clip plays.
    fn put_unplayed<T: KeyValue>(&self, note: &mut Extras, curve: &Curve<T>, global: Option<usize>) {
        let first = curve.keys.first().map(|k| k.time);
        let mut windows = self.covered.iter().peekable();
        let mut outside = |time: i32| {
            if global.is_some() {
                return !self.is_covered(global, i64::from(time), first);
            }
            // Keys are sorted, and so are the windows.
            while windows.next_if(|w| w.end < i64::from(time)).is_some() {}
            windows.peek().is_none_or(|w| !w.has(i64::from(time)))
        };
        let outside: Vec<bool> = curve.keys.iter().map(|k| outside(k.time)).collect();
        if outside.contains(&true) {
            put_curve(note, curve, &mut |i| outside.get(i).copied().unwrap_or(false));
        }
    }

    /// Returns `true` if a clip plays this moment of the timeline, or of a global sequence.
    fn is_covered(&self, global: Option<usize>, time: i64, first: Option<i32>) -> bool {
        if let Some(global) = global {
            let window = self.windows.get(self.globals + global).copied().unwrap_or_default();
            return window.reaching(first.map_or(0, i64::from)).has(time);
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
        let mut stored = Extras::new();
        if track.global_sequence != -1 {
            stored.add("global", track.global_sequence);
        }
        let name = self.scene.node(node).map(|n| n.name.clone()).unwrap_or_default();
        for clip in self.clips_of(global).filter(|_| known) {
            let Some(window) = self.windows.get(clip).copied() else { continue };
            let shared = self.shared.get(clip).map_or(&[][..], Vec::as_slice);
            let Some(clip) = self.scene.clips.get_mut(clip) else { continue };
            for time in track.times.iter().filter(|t| window.has(i64::from(**t))) {
                if Window::any_has(shared, i64::from(*time)) && !take(&mut self.repeat_budget, 8) {
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
            stored.add("times", encode_u32s(&outside));
        }
        if !track.times.is_sorted() {
            stored.add("order", encode_u32s(&track.times.iter().map(|t| *t as u32).collect::<Vec<_>>()));
        }
        map.add(key, Value::Object(stored));
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
            note.add("times", encode_u32s(&times));
            note.add("words", encode_u32s(&values));
            if !tangents.is_empty() {
                note.add("tangent_words", encode_u32s(&tangents));
            }
        }
    }
}

/// Stores keys unconverted.
fn put_curve<T: KeyValue>(note: &mut Extras, curve: &Curve<T>, wanted: &mut dyn FnMut(usize) -> bool) {
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
    note.add("times", encode_u32s(&times));
    note.add("values", floats(&values));
    if !tangents.is_empty() {
        note.add("tangents", floats(&tangents));
    }
}
