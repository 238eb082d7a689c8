//! When the keys of a track count: inside of the sequences, or of a global sequence.

use crate::mdlx::{Model, Track};

/// The intervals of a timeline in which keys count.
pub(super) struct Windows {
    sequences: Vec<(i32, i32)>,
    globals: Vec<u32>,
    unclear: bool,
}

/// What counts of the keys of a track.
pub(super) enum Span {
    /// The keys in these intervals, ends included.
    Windows(Vec<(i32, i32)>),
    /// The first key alone, always.
    Held,
}

impl Windows {
    pub(super) fn new(model: &Model) -> Windows {
        let time = |time: u32| i32::try_from(time).ok();
        let all: Vec<Option<(i32, i32)>> = model
            .sequences
            .iter()
            .map(|s| time(s.start).zip(time(s.end)).filter(|(start, end)| start <= end))
            .collect();
        let unclear = all.iter().any(Option::is_none);
        let mut sequences: Vec<(i32, i32)> = all.into_iter().flatten().collect();
        sequences.sort_unstable();
        sequences.dedup();
        Windows { sequences, globals: model.global_sequences.clone(), unclear }
    }

    /// Returns `true` if it is not certain when a sequence plays.
    pub(super) fn is_unclear(&self) -> bool {
        self.unclear
    }

    /// Returns what counts of the keys of a track; `None` if that is not certain.
    pub(super) fn of(&self, track: &Track) -> Option<Span> {
        let Ok(global) = usize::try_from(track.global_sequence) else {
            let certain = !self.unclear && !self.sequences.is_empty();
            return certain.then(|| Span::Windows(self.sequences.clone()));
        };
        let length = self.globals.get(global).copied().unwrap_or(0);
        let first = track.keys.time(0)?;
        if length == 0 || i64::from(first) > i64::from(length) {
            return Some(Span::Held);
        }
        Some(Span::Windows(vec![(0, i32::try_from(length).ok()?)]))
    }

    /// Returns `true` if a time of the timeline is in a sequence, or if that is not certain.
    pub(super) fn plays(&self, time: i32) -> bool {
        self.unclear
            || self.sequences.is_empty()
            || self.sequences.iter().any(|(start, end)| (*start..=*end).contains(&time))
    }
}
