//! Sequences and global sequences from the scene.

use galatea_scene::{Clip, Playback};

use super::FromScene;
use crate::scene::extra::{own, read_fields, text};
use crate::scene::window::Window;
use crate::{Model, Sequence};

/// Milliseconds between sequences on the timeline.
const GAP: i64 = 100;

fn milliseconds(seconds: f32) -> i64 {
    let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    ((f64::from(seconds) * 1000.0).round() as i64).min(i64::from(u32::MAX))
}

/// Returns the duration of a clip's content, in milliseconds.
fn extent(clip: &Clip) -> i64 {
    let keys = clip.channels.iter().filter_map(|c| c.times.last());
    let last = keys.chain(clip.events.iter().map(|e| &e.time)).copied().fold(clip.length, f32::max);
    milliseconds(last)
}

/// Returns the clips in the order that an editor has given them (`order`), or else in that of the sequences they were, then those
/// that are new. Scripts play sequences by number, and other programs sort clips by name.
fn order(clips: &[Clip]) -> Vec<usize> {
    let number = |clip: &Clip| {
        let map = own(&clip.extras);
        map.int("order").or(map.int("sequence")).or(map.int("global")).unwrap_or(i64::MAX)
    };
    let mut order: Vec<usize> = (0..clips.len()).collect();
    order.sort_by_key(|i| clips.get(*i).map(number));
    order
}

impl FromScene<'_> {
    /// Arranges the clips on the timeline.
    pub(super) fn read_clips(&mut self, model: &mut Model) {
        let stored = |clip: &Clip, key: &str| own(&clip.extras).int(key).map(|v| i64::from(v as u32));
        let is_global =
            |clip: &Clip| clip.playback == Playback::Always && !own(&clip.extras).contains_key("sequence");
        let clips = &self.scene.clips;
        // The previous place of each clip, if its length is unchanged.
        let kept = |clip: &Clip| {
            let (start, end) = (stored(clip, "start")?, stored(clip, "end")?);
            let length = (end - start).max(0);
            let same = (length as f32 / 1000.0).to_bits() == clip.length.to_bits();
            // Compared as rounded seconds: a length of days in milliseconds has more digits than the clip's.
            Some((start, end, same && extent(clip) <= milliseconds(clip.length)))
        };
        let old: Vec<Option<(i64, i64, bool)>> = clips.iter().map(kept).collect();
        let mut last =
            old.iter().flatten().map(|(start, end, _)| *start.max(end)).max().map_or(0, |l| l + GAP);
        self.global_index = vec![None; clips.len()];
        self.windows = vec![Window::default(); clips.len()];
        for id in order(clips) {
            let (Some(clip), Some(old_place)) = (clips.get(id), old.get(id)) else { continue };
            if is_global(clip) {
                let length = match stored(clip, "end") {
                    Some(end) if (end as f32 / 1000.0).to_bits() == clip.length.to_bits() => end,
                    _ => extent(clip),
                };
                self.play(id, Window { start: 0, end: length }, Some(model.global_sequences.len() as i32));
                model.global_sequences.push(length as u32);
                continue;
            }
            let length = extent(clip);
            let (start, end) = match old_place {
                Some((start, end, true)) => (*start, *end),
                Some((start, end, false)) if self.is_free(&old, *start, *end, start + length) => {
                    (*start, start + length)
                }
                _ => {
                    let start = last;
                    last += length + GAP;
                    (start, start + length)
                }
            };
            self.play(id, Window { start, end }, None);
            let map = own(&clip.extras);
            self.sequence_from.push(map.int("sequence").map(|s| s as usize));
            let mut sequence = Sequence {
                name: text(&clip.name),
                start: start.clamp(0, i64::from(u32::MAX)) as u32,
                end: end.clamp(0, i64::from(u32::MAX)) as u32,
                ..Sequence::default()
            };
            read_fields!(
                map, sequence, move_speed, rarity, sync_point, bounds, frequency, replay, blend_time, flags
            );
            sequence.flags = sequence.flags & !1 | u32::from(clip.playback == Playback::Once);
            model.sequences.push(sequence);
        }
    }

    /// Notes where a clip is played, and by which clock.
    fn play(&mut self, clip: usize, window: Window, global: Option<i32>) {
        if let (Some(slot), Some(clock)) = (self.windows.get_mut(clip), self.global_index.get_mut(clip)) {
            (*slot, *clock) = (window, global);
        }
    }

    /// Returns `true` if a clip can grow in place without overlapping another.
    fn is_free(&self, all: &[Option<(i64, i64, bool)>], start: i64, end: i64, new_end: i64) -> bool {
        let inside =
            |other: &(i64, i64, bool)| other.0 > end.min(new_end) && other.0 <= new_end && other.0 != start;
        new_end <= end || !all.iter().flatten().any(inside)
    }
}
