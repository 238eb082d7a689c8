//! Sequences and global sequences to the scene.

use std::collections::BTreeMap;

use galatea_scene::{Clip, Extras, Playback};

use super::Builder;
use super::extra::{latin, put, put_fields, wrap};
use super::track::{LONGEST, Window};
use crate::{Model, Sequence};

/// What each clip plays: the sequences, then the global sequences; and where those begin.
pub(super) fn windows(model: &Model) -> (Vec<Window>, usize) {
    let capped = |start: i64, end: i64| Window { start, end: end.min(start + LONGEST) };
    let sequences = model.sequences.iter().map(|s| capped(i64::from(s.start), i64::from(s.end)));
    let globals = model.global_sequences.iter().map(|length| capped(0, i64::from(*length)));
    (sequences.chain(globals).collect(), model.sequences.len())
}

/// The parts that any of the windows has, in order and apart from each other.
pub(super) fn covered(windows: &[Window]) -> Vec<Window> {
    let mut sorted: Vec<Window> = windows.iter().copied().filter(|w| w.end >= w.start).collect();
    sorted.sort_by_key(|w| w.start);
    let mut out: Vec<Window> = Vec::new();
    for window in sorted {
        match out.last_mut().filter(|last| window.start <= last.end) {
            Some(last) => last.end = last.end.max(window.end),
            None => out.push(window),
        }
    }
    out
}

/// For each window, what windows before it have too, in order and apart from each other.
pub(super) fn shared(windows: &[Window]) -> Vec<Vec<Window>> {
    // The parts that the windows so far have, by where they begin. Whatever a window meets it joins, so that no part is
    // met often.
    let mut parts: BTreeMap<i64, i64> = BTreeMap::new();
    let met = |window: &Window| {
        let mut out = Vec::new();
        if window.start > window.end {
            return out;
        }
        let mut joined = *window;
        while let Some((start, end)) = parts
            .range(..=window.end)
            .next_back()
            .filter(|(_, end)| **end >= window.start)
            .map(|(s, e)| (*s, *e))
        {
            parts.remove(&start);
            out.push(Window { start: start.max(window.start), end: end.min(window.end) });
            joined = Window { start: joined.start.min(start), end: joined.end.max(end) };
        }
        parts.insert(joined.start, joined.end);
        out.reverse();
        out
    };
    windows.iter().map(met).collect()
}

impl Builder<'_> {
    /// Adds an empty clip for every sequence and every global sequence.
    pub(super) fn add_clips(&mut self) {
        let base = Sequence::default();
        for (index, sequence) in self.model.sequences.iter().enumerate() {
            let mut map = Extras::new();
            put_fields!(
                &mut map, sequence, base, move_speed, rarity, sync_point, bounds, frequency, replay,
                blend_time,
            );
            put(&mut map, "sequence", index as u32);
            put(&mut map, "start", sequence.start as i32);
            put(&mut map, "end", sequence.end as i32);
            if sequence.flags & !1 != 0 {
                put(&mut map, "flags", sequence.flags as i32);
            }
            let length = (i64::from(sequence.end) - i64::from(sequence.start)).max(0);
            self.scene.clips.push(Clip {
                name: latin(sequence.name.bytes()),
                length: length as f32 / 1000.0,
                playback: if sequence.non_looping() { Playback::Once } else { Playback::Loop },
                extras: wrap(map),
                ..Clip::default()
            });
        }
        for (index, length) in self.model.global_sequences.iter().enumerate() {
            let mut map = Extras::new();
            put(&mut map, "global", index as u32);
            put(&mut map, "end", *length as i32);
            self.scene.clips.push(Clip {
                name: format!("global {index}"),
                length: *length as f32 / 1000.0,
                playback: Playback::Always,
                extras: wrap(map),
                ..Clip::default()
            });
        }
    }

    /// The sequence that a model at rest shows: the first that is called Stand, or the first.
    pub(super) fn stand(&self) -> Option<usize> {
        let stands = |s: &Sequence| s.name.bytes().get(..5).is_some_and(|n| n.eq_ignore_ascii_case(b"stand"));
        let found = self.model.sequences.iter().position(stands);
        found.or((!self.model.sequences.is_empty()).then_some(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_share_is_what_each_two_of_them_share() {
        let mut seed = 3u32;
        let mut next = |most: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            i64::from((seed >> 16) % most)
        };
        for _ in 0..200 {
            let windows: Vec<Window> = (0..8)
                .map(|_| {
                    let start = next(40);
                    Window { start, end: start + next(12) - 2 }
                })
                .collect();
            for (i, shared) in shared(&windows).iter().enumerate() {
                for time in 0..60 {
                    let before = windows[..i].iter().any(|w| w.has(time)) && windows[i].has(time);
                    assert_eq!(
                        shared.iter().filter(|w| w.has(time)).count(),
                        usize::from(before),
                        "{windows:?}"
                    );
                }
            }
        }
    }
}
