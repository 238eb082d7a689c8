//! Windows: the part of the timeline that each clip plays.

use std::collections::BTreeMap;

use crate::Model;

/// The longest window, in milliseconds: a float in seconds still distinguishes single milliseconds.
pub(super) const LONGEST: i64 = 1 << 22;

/// The part of the timeline that a clip plays.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Window {
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Window {
    pub(super) fn has(&self, time: i64) -> bool {
        (self.start..=self.end).contains(&time)
    }

    /// Returns `true` if one of several windows contains this time. They must be sorted and disjoint.
    pub(super) fn any_has(windows: &[Window], time: i64) -> bool {
        let at = windows.partition_point(|w| w.start <= time);
        at.checked_sub(1).and_then(|i| windows.get(i)).is_some_and(|w| w.has(time))
    }

    /// Returns the window of a global sequence for a track that begins at `first`. A clock that never gets there holds the
    /// value of that key, so the window is then as long as any can be.
    pub(super) fn reaching(self, first: i64) -> Window {
        let never = (self.end == 0 || first > self.end) && first >= 0;
        Window { end: if never { LONGEST } else { self.end }, ..self }
    }

    /// Returns a time in seconds since the start of the window.
    pub(super) fn seconds(&self, time: i32) -> f32 {
        (i64::from(time) - self.start) as f32 / 1000.0
    }
}

/// Returns the windows of all clips, sequences first, and the index of the first global sequence.
pub(super) fn windows(model: &Model) -> (Vec<Window>, usize) {
    let capped = |start: i64, end: i64| Window { start, end: end.min(start + LONGEST) };
    let sequences = model.sequences.iter().map(|s| capped(i64::from(s.start), i64::from(s.end)));
    let globals = model.global_sequences.iter().map(|length| capped(0, i64::from(*length)));
    (sequences.chain(globals).collect(), model.sequences.len())
}

/// Returns the union of windows, sorted and disjoint.
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

/// Returns, for each window, its intersection with the windows before it, sorted and disjoint.
pub(super) fn shared(windows: &[Window]) -> Vec<Vec<Window>> {
    // The union of the windows so far, by start. A window joins all parts it intersects, so no part is visited often.
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
