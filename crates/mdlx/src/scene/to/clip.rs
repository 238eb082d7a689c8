//! Sequences and global sequences to the scene.

use galatea_scene::{Clip, Extras, Playback};

use super::ToScene;
use crate::Sequence;
use crate::scene::extra::{latin, put_fields, wrap};

impl ToScene<'_> {
    /// Adds an empty clip for every sequence and every global sequence.
    pub(super) fn add_clips(&mut self) {
        let base = Sequence::default();
        for (index, sequence) in self.model.sequences.iter().enumerate() {
            let mut map = Extras::new();
            put_fields!(
                &mut map, sequence, base, move_speed, rarity, sync_point, bounds, frequency, replay,
                blend_time,
            );
            map.add("sequence", index as u32);
            map.add("start", sequence.start as i32);
            map.add("end", sequence.end as i32);
            if sequence.flags & !1 != 0 {
                map.add("flags", sequence.flags as i32);
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
            map.add("global", index as u32);
            map.add("end", *length as i32);
            self.scene.clips.push(Clip {
                name: format!("global {index}"),
                length: *length as f32 / 1000.0,
                playback: Playback::Always,
                extras: wrap(map),
                ..Clip::default()
            });
        }
    }

    /// Returns the sequence that a model shows at rest: the first Stand, or else the first sequence.
    pub(super) fn stand(&self) -> Option<usize> {
        let stands = |s: &Sequence| s.name.bytes().get(..5).is_some_and(|n| n.eq_ignore_ascii_case(b"stand"));
        let found = self.model.sequences.iter().position(stands);
        found.or((!self.model.sequences.is_empty()).then_some(0))
    }
}
