//! Tracks from the scene: the keys of all clips, merged on one timeline.

use foldhash::{HashMap, HashSet};
use galatea_scene::{Channel, Extras, Interpolation as SceneInterpolation, Property, Target};
use galatea_wire::Loss;

use super::FromScene;
use super::frame::Frame;
use super::keys::{Gather, read_keys};
use crate::scene::binding::{Binding, WORDS, kind_of};
use crate::scene::curve::CurveForm;
use crate::scene::extra::{ExtraValue, unlatin};
use crate::{EventTrack, Extra, Interpolation, Keys, Tag, Track, Tracks, ValueKind};

/// Channels of all clips, by target and property.
pub(super) type Channels<'a> = HashMap<(Target, Property), Vec<(usize, &'a Channel)>>;

/// The description of a track in extras.
#[derive(Debug, Clone, Copy)]
struct Listed<'a> {
    tag: Tag,
    interpolation: Interpolation,
    global: i32,
    empty: bool,
    apart: bool,
    note: &'a Extras,
}

fn listed<'a>(map: &'a Extras, key: &str) -> Vec<Listed<'a>> {
    let notes_key = format!("{key}_notes");
    let notes: HashMap<i64, &Extras> =
        map.objects(&notes_key).filter_map(|note| Some((note.int("track")?, note))).collect();
    let text = map.text(key).unwrap_or("");
    let entries = text.split(", ").enumerate().filter_map(|(n, entry)| {
        let mut words = entry.split(' ');
        let tag = unlatin(words.next()?);
        let name = words.next()?;
        let mut out = Listed {
            tag: Tag(*tag.first_chunk()?),
            interpolation: WORDS.iter().find(|(_, w)| *w == name)?.0,
            global: -1,
            empty: false,
            apart: false,
            note: notes.get(&(n as i64)).copied().unwrap_or(Extras::none()),
        };
        while let Some(word) = words.next() {
            match word {
                "global" => out.global = words.next()?.parse().ok()?,
                "empty" => out.empty = true,
                "apart" => out.apart = true,
                _ => {}
            }
        }
        Some(out)
    });
    entries.collect()
}

impl<'a> FromScene<'a> {
    /// Reads tracks: those listed in extras, then those that were added.
    pub(super) fn read_tracks(
        &mut self,
        map: &Extras,
        key: &str,
        what: &str,
        wanted: &[(Tag, ValueKind, Binding)],
        frame: &Frame,
    ) -> Tracks {
        let mut out = Tracks::default();
        let mut seen = HashSet::default();
        for entry in listed(map, key) {
            let binding = wanted.iter().find(|(tag, ..)| *tag == entry.tag && !entry.apart);
            let kind = match binding {
                Some((_, kind, _)) => Some(*kind),
                None => crate::TRACKS.iter().find(|t| t.tag == entry.tag).map(|t| t.value),
            };
            let Some(mut keys) = kind.and_then(Keys::empty) else { continue };
            if entry.apart {
                read_keys(entry.note, &mut keys);
            } else {
                seen.insert(entry.tag);
            }
            let mut interpolation = entry.interpolation;
            let mut global = entry.global;
            if let Some((_, _, binding)) = binding.filter(|_| !entry.empty) {
                (interpolation, global) = self.merge(&mut keys, Some(&entry), binding, what, frame);
                if keys.is_empty() {
                    continue;
                }
            }
            out.push(Track { tag: entry.tag, interpolation, global_sequence: global, keys });
        }
        for (tag, kind, binding) in wanted {
            let key = (binding.target, binding.property.clone());
            if seen.contains(tag) || !self.channels.contains_key(&key) {
                continue;
            }
            let Some(mut keys) = Keys::empty(*kind) else { continue };
            let (interpolation, global) = self.merge(&mut keys, None, binding, what, frame);
            if !keys.is_empty() {
                out.push(Track { tag: *tag, interpolation, global_sequence: global, keys });
            }
        }
        let bytes = |end: &str| map.get(&format!("{key}_{end}")).and_then(Vec::<u8>::read);
        if let (Some(before), Some(after)) = (bytes("before"), bytes("after")) {
            out.extra = Some(Box::new(Extra { before, after }));
        }
        out
    }

    /// Fills a track from the channels of all clips.
    fn merge(
        &mut self,
        keys: &mut Keys,
        entry: Option<&Listed<'_>>,
        binding: &Binding,
        what: &str,
        frame: &Frame,
    ) -> (Interpolation, i32) {
        let mut channels =
            self.channels.remove(&(binding.target, binding.property.clone())).unwrap_or_default();
        self.drop_copies(&mut channels);
        let stored = entry.map(|e| e.interpolation);
        let interpolation = interpolation_of(stored, keys, &channels, binding.held);
        let note: &Extras = match entry {
            Some(entry) => entry.note,
            None => Extras::none(),
        };
        // A track follows one clock: that of a global sequence only if no other clip drives the same property.
        let globals: Vec<i32> = channels.iter().filter_map(|(clip, _)| self.global_of(*clip)).collect();
        let timeline = channels.iter().any(|(clip, _)| self.global_of(*clip).is_none());
        let first = globals.first().copied();
        let global = match (entry, timeline, first) {
            (Some(entry), _, None) if !timeline => entry.global,
            (_, false, Some(global)) => global,
            _ => -1,
        };
        let dropped = channels.iter().any(|(clip, _)| self.global_of(*clip).unwrap_or(-1) != global);
        if dropped {
            self.lose(Loss::new(
                what,
                format!("{} in a global sequence: other clips animate it too", binding.property.name()),
            ));
        }
        let channels: Vec<(usize, &Channel)> =
            channels.into_iter().filter(|(clip, _)| self.global_of(*clip).unwrap_or(-1) == global).collect();
        let form = CurveForm { kind: kind_of(interpolation, keys), map: binding.map, width: 0 };
        let gather = Gather { channels: &channels, note, form, what, frame };
        match keys {
            Keys::Float(c) => *c = self.gather(&gather),
            Keys::Vector(c) => *c = self.gather(&gather),
            Keys::Rotation(c) => *c = self.gather(&gather),
            Keys::Integer(c) => *c = self.gather(&gather),
        }
        (interpolation, global)
    }

    /// Drops channels that only repeat a global sequence for viewers.
    fn drop_copies(&self, channels: &mut Vec<(usize, &'a Channel)>) {
        let globals: Vec<(f32, &Channel)> = channels
            .iter()
            .filter(|(clip, _)| self.global_of(*clip).is_some())
            .filter_map(|(clip, channel)| Some((self.scene.clips.get(*clip)?.length, *channel)))
            .collect();
        if globals.is_empty() {
            return;
        }
        channels.retain(|(clip, channel)| {
            let copy = || globals.iter().any(|(length, global)| channel.repeats(global, *length));
            self.global_of(*clip).is_some() || !copy()
        });
    }

    /// Returns the times of an event.
    pub(super) fn read_events(&mut self, map: &Extras, key: &str, node: u32) -> Option<EventTrack> {
        let stored = map.object(key);
        let mut track = EventTrack::default();
        let mut times: Vec<(i64, usize)> = Vec::new();
        let mut global = None;
        for (clip, time) in self.events.remove(&node).into_iter().flatten() {
            let window = self.windows.get(clip).copied();
            let start = window.map_or(0, |w| w.start);
            global = global.or(self.global_of(clip));
            times.push((start + (f64::from(time) * 1000.0).round() as i64, clip));
        }
        if stored.is_none() && times.is_empty() {
            return None;
        }
        let stored = stored.unwrap_or(Extras::none());
        track.global_sequence = stored.int("global").map_or(global.unwrap_or(-1), |g| g as i32);
        let outside = stored.u32s("times").unwrap_or_default();
        times.extend(outside.iter().map(|t| (i64::from(*t as i32), usize::MAX)));
        times.sort_unstable();
        // An event that two clips play is one event.
        let mut kept: Vec<(i64, usize)> = Vec::new();
        for (time, clip) in times {
            if kept.last().is_none_or(|(t, c)| *t != time || *c == clip) {
                kept.push((time, clip));
            }
        }
        track.times = kept.iter().map(|(t, _)| *t as i32).collect();
        if let Some(order) = stored.u32s("order") {
            let order: Vec<i32> = order.iter().map(|t| *t as i32).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted == track.times {
                track.times = order;
            }
        }
        Some(track)
    }

    fn global_of(&self, clip: usize) -> Option<i32> {
        self.global_index.get(clip).copied().flatten()
    }
}

/// Returns the interpolation of a track: the stored one, if it is consistent with the channels.
fn interpolation_of(
    stored: Option<Interpolation>,
    keys: &Keys,
    channels: &[(usize, &Channel)],
    held: bool,
) -> Interpolation {
    let integer = matches!(keys, Keys::Integer(_));
    if let Some(stored) = stored {
        let expected = |channel: &Channel| match stored {
            _ if held || integer => SceneInterpolation::Step,
            Interpolation::None => SceneInterpolation::Step,
            Interpolation::Hermite | Interpolation::Bezier if channel.times.len() > 1 => {
                SceneInterpolation::Cubic
            }
            _ => SceneInterpolation::Linear,
        };
        if channels.iter().all(|(_, c)| c.interpolation == expected(c) || c.times.len() == 1) {
            return stored;
        }
    }
    let any = |wanted: SceneInterpolation| {
        channels.iter().any(|(_, c)| c.interpolation == wanted && c.times.len() > 1)
    };
    if held || integer {
        Interpolation::None
    } else if any(SceneInterpolation::Cubic) {
        Interpolation::Hermite
    } else if any(SceneInterpolation::Linear) {
        Interpolation::Linear
    } else if channels.iter().all(|(_, c)| c.interpolation == SceneInterpolation::Step) {
        Interpolation::None
    } else {
        Interpolation::Linear
    }
}
