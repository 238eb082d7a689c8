//! Sequences, global sequences and tracks.

use std::collections::HashSet;

use super::{At, Check, Owned, is_index};
use crate::rules::*;
use crate::{Curve, Interpolation, Keys, Sequence, Track, ValueKind};

/// Returns `true` for tags of visibility tracks.
pub(crate) fn is_visibility(tag: &[u8; 4]) -> bool {
    matches!(tag, b"KLAV" | b"KATV" | b"KPEV" | b"KP2V" | b"KRVS" | b"KVIS")
}

fn is_alpha(tag: &[u8; 4]) -> bool {
    matches!(tag, b"KMTA" | b"KGAO" | b"KRAL" | b"KPPA")
}

impl Check<'_> {
    pub(super) fn sequences(&mut self) {
        let m = self.m;
        if m.sequences.is_empty() {
            self.add_plain(&NO_SEQUENCES, "sequences", || "none".into());
        } else if !m.sequences.iter().all(|s| begins(s, b"portrait")) {
            // A portrait needs nothing but its own sequences.
            let has = |word: &[u8]| m.sequences.iter().any(|s| begins(s, word));
            if !has(b"stand") {
                self.add_plain(&NO_STAND, "sequences", || format!("{} others", m.sequences.len()));
            }
            if !m.version.is_wow() && !has(b"death") {
                self.add_plain(&NO_DEATH, "sequences", || format!("{} others", m.sequences.len()));
            }
        }
        let mut order: Vec<usize> = (0..m.sequences.len()).collect();
        order.sort_by_key(|i| m.sequences.get(*i).map(|s| (s.start, s.end)));
        if order.iter().enumerate().any(|(i, j)| i != *j) {
            self.add_plain(&SEQUENCE_ORDER, "sequences", || "not sorted".into());
        }
        let mut reach: Option<(u32, usize)> = None;
        for index in order {
            let Some(sequence) = m.sequences.get(index) else { continue };
            if let Some((end, other)) = reach
                && sequence.start < end
                && sequence.end > sequence.start
            {
                let message = || format!("begins at {}, sequences[{other}] ends at {end}", sequence.start);
                self.add(&SEQUENCE_OVERLAP, At("sequences", index), message);
            }
            if reach.is_none_or(|(end, _)| sequence.end > end) {
                reach = Some((sequence.end, index));
            }
        }
        for (index, sequence) in m.sequences.iter().enumerate() {
            let at = At("sequences", index);
            if sequence.end <= sequence.start {
                self.add(&SEQUENCE_EMPTY, at, || format!("{} to {}", sequence.start, sequence.end));
            }
            let name = sequence.name.bytes().to_ascii_lowercase();
            if name.is_empty() {
                self.add(&SEQUENCE_NAME, at, || format!("{} to {}", sequence.start, sequence.end));
            }
            if name.starts_with(b"walk") && sequence.move_speed == 0.0 {
                self.add(&WALK_SPEED, at, || "move speed 0".into());
            }
            if !m.version.is_wow() && sequence.flags & !1 != 0 {
                self.add(&SEQUENCE_FLAGS, at, || format!("flags 0x{:X}", sequence.flags));
            }
        }
        let mut used: HashSet<i32> = HashSet::new();
        used.extend(m.all_tracks().iter().flat_map(|t| t.iter()).map(|t| t.global_sequence));
        used.extend(m.events.iter().filter_map(|e| e.track.as_ref()).map(|t| t.global_sequence));
        for (index, length) in m.global_sequences.iter().enumerate() {
            if *length == 0 {
                self.add_plain(&GLOBAL_SEQUENCE_EMPTY, &format!("global_sequences[{index}]"), || {
                    "0 ms".into()
                });
            }
            if !i32::try_from(index).is_ok_and(|i| used.contains(&i)) {
                let path = format!("global_sequences[{index}]");
                self.add_plain(&GLOBAL_SEQUENCE_UNUSED, &path, || format!("{length} ms"));
            }
        }
    }

    pub(super) fn tracks(&mut self) {
        let m = self.m;
        let mut spans: Vec<(i64, i64)> = m
            .sequences
            .iter()
            .filter(|s| s.end >= s.start)
            .map(|s| (i64::from(s.start), i64::from(s.end)))
            .collect();
        spans.sort_unstable();
        for owned in self.owned() {
            let mut seen = HashSet::new();
            for track in owned.tracks {
                if !seen.insert(track.tag) {
                    self.track(&TRACK_TWICE, &owned, track, || "again".into());
                }
                self.times(&owned, track, &spans);
                self.values(&owned, track);
            }
        }
        for (index, event) in m.events.iter().enumerate() {
            let Some(track) = &event.track else { continue };
            let at = At("events", index);
            if track.global_sequence != -1 && !is_index(track.global_sequence, m.global_sequences.len()) {
                self.add(&GLOBAL_SEQUENCE, at, || format!("KEVT: global sequence {}", track.global_sequence));
            }
            if !track.times.is_sorted() {
                self.add(&KEYS_UNSORTED, at, || "KEVT".into());
            }
            if let Some(time) = track.times.iter().find(|t| **t < 0) {
                self.add(&KEYS_NEGATIVE, at, || format!("KEVT: {time}"));
            }
        }
    }

    fn track(
        &mut self,
        rule: &'static galatea_wire::Rule,
        owned: &Owned<'_>,
        track: &Track,
        message: impl FnOnce() -> String,
    ) {
        self.add(rule, owned.at, || {
            let inner = match owned.inner {
                Some((layer, Some(slot))) => format!("layers[{layer}] > textures[{slot}] > "),
                Some((layer, None)) => format!("layers[{layer}] > "),
                None => String::new(),
            };
            format!("{inner}{}: {}", track.tag, message())
        });
    }

    fn times(&mut self, owned: &Owned<'_>, track: &Track, spans: &[(i64, i64)]) {
        let m = self.m;
        if track.keys.is_empty() {
            self.track(&TRACK_EMPTY, owned, track, || "no keys".into());
            return;
        }
        let times: Vec<i32> = track.keys.times().collect();
        if !times.is_sorted() {
            self.track(&KEYS_UNSORTED, owned, track, || format!("{} keys", times.len()));
        } else if let Some(pair) = times.windows(2).find(|w| w.first() == w.get(1)) {
            self.track(&KEYS_TWICE, owned, track, || format!("two keys at {}", pair.first().unwrap_or(&0)));
        }
        if let Some(time) = times.iter().find(|t| **t < 0) {
            self.track(&KEYS_NEGATIVE, owned, track, || format!("key at {time}"));
        }
        let global = track.global_sequence;
        if global != -1 {
            if !is_index(global, m.global_sequences.len()) {
                self.track(&GLOBAL_SEQUENCE, owned, track, || format!("global sequence {global}"));
            }
            return;
        }
        if spans.is_empty() || !times.is_sorted() {
            return;
        }
        let span_of = |time: i64| {
            let at = spans.partition_point(|(start, _)| *start <= time).checked_sub(1)?;
            spans.get(at).filter(|(_, end)| *end >= time).map(|_| at)
        };
        let mut outside = 0usize;
        // First and last key in each sequence that has any.
        let mut inside: Vec<(usize, i64, i64)> = Vec::new();
        for time in times.iter().map(|t| i64::from(*t)) {
            match (span_of(time), inside.last_mut()) {
                (None, _) => outside += 1,
                (Some(span), Some((last, _, to))) if *last == span => *to = time,
                (Some(span), _) => inside.push((span, time, time)),
            }
        }
        if outside > 0 {
            self.track(&KEYS_OUTSIDE, owned, track, || format!("{outside} of {} keys", times.len()));
        }
        let edge = |at: usize| spans.get(at).copied().unwrap_or_default();
        let opening = inside.iter().filter(|(span, from, to)| from != to && *from != edge(*span).0);
        if let count @ 1.. = opening.count() {
            self.track(&KEY_OPENING, owned, track, || format!("in {count} sequences"));
        }
        let closing = inside.iter().filter(|(span, from, to)| from != to && *to != edge(*span).1);
        if let count @ 1.. = closing.count() {
            self.track(&KEY_CLOSING, owned, track, || format!("in {count} sequences"));
        }
    }

    fn values(&mut self, owned: &Owned<'_>, track: &Track) {
        let m = self.m;
        fn wild<const N: usize>(curve: &Curve<[f32; N]>) -> bool {
            let bad = |v: &[f32; N]| v.iter().any(|x| !x.is_finite());
            curve.keys.iter().any(|k| bad(&k.value))
                || curve.tangents.iter().any(|t| bad(&t.incoming) || bad(&t.outgoing))
        }
        let not_finite = match &track.keys {
            Keys::Float(c) => c.keys.iter().any(|k| !k.value.is_finite()),
            Keys::Vector(c) => wild(c),
            Keys::Rotation(c) => wild(c),
            Keys::Integer(_) => false,
        };
        if not_finite {
            self.track(&NOT_A_NUMBER, owned, track, || "a key".into());
        }
        let tag = &track.tag.0;
        if is_visibility(tag) && track.interpolation != Interpolation::None {
            self.track(&VISIBILITY_INTERPOLATED, owned, track, || format!("{:?}", track.interpolation));
        }
        if track.keys.kind() == ValueKind::Integer && track.interpolation != Interpolation::None {
            self.track(&INTEGER_INTERPOLATED, owned, track, || format!("{:?}", track.interpolation));
        }
        match &track.keys {
            Keys::Rotation(curve) => {
                let length = |q: &[f32; 4]| q.iter().map(|x| x * x).sum::<f32>();
                if let Some(key) = curve.keys.iter().find(|k| (length(&k.value) - 1.0).abs() > 0.02) {
                    let message = || format!("length {} at {}", length(&key.value).sqrt(), key.time);
                    self.track(&ROTATION_LENGTH, owned, track, message);
                }
            }
            Keys::Float(curve) if is_alpha(tag) => {
                if let Some(key) = curve.keys.iter().find(|k| !(-0.001..=1.001).contains(&k.value)) {
                    self.track(&ALPHA_RANGE, owned, track, || format!("{} at {}", key.value, key.time));
                }
            }
            Keys::Integer(curve) if tag == b"KMTF" => {
                if let Some(key) = curve.keys.iter().find(|k| k.value as usize >= m.textures.len()) {
                    self.track(&TRACK_TEXTURE, owned, track, || format!("{} at {}", key.value, key.time));
                }
            }
            _ => {}
        }
    }
}

/// Returns `true` if the name of a sequence begins with a word, in any case.
fn begins(sequence: &Sequence, word: &[u8]) -> bool {
    sequence.name.bytes().to_ascii_lowercase().starts_with(word)
}
