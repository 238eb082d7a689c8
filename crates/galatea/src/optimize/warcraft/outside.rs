//! Keys outside of all sequences, which never play.

use super::keys::{is_silent, usual};
use super::windows::{Span, Windows};
use crate::mdlx::{EventTrack, Model, Track};

/// Removes them; returns how many.
pub(super) fn remove(model: &mut Model) -> usize {
    let windows = Windows::new(model);
    let globals = model.global_sequences.clone();
    let mut count = 0;
    for tracks in model.all_tracks_mut() {
        let before: usize = tracks.iter().map(|track| track.keys.len()).sum();
        tracks.iter_mut().for_each(|track| keep_inside(track, &windows));
        count += before - tracks.iter().map(|track| track.keys.len()).sum::<usize>();
        tracks.list.retain(|track| !is_silent(track));
    }
    let events = model.events.iter_mut().filter_map(|event| event.track.as_mut());
    for track in events.chain(model.sound_emitters.iter_mut().filter_map(|emitter| emitter.track.as_mut())) {
        let before = track.times.len();
        keep_events(track, &windows, &globals);
        count += before - track.times.len();
    }
    count
}

fn keep_inside(track: &mut Track, windows: &Windows) {
    match windows.of(track) {
        Some(Span::Held) => track.keys.retain(|index, _| index == 0),
        Some(Span::Windows(inside)) => {
            let plays = |time: i32| inside.iter().any(|(start, end)| (*start..=*end).contains(&time));
            // One key stays, because what is there without a key that plays is the usual value, not the static one.
            let any = track.keys.times().any(plays) || usual(&track.tag.0).is_some();
            track.keys.retain(|index, time| plays(time) || !any && index == 0);
        }
        None => {}
    }
}

fn keep_events(track: &mut EventTrack, windows: &Windows, globals: &[u32]) {
    match usize::try_from(track.global_sequence) {
        Ok(global) => {
            let length = globals.get(global).copied().filter(|length| *length > 0);
            if let Some(length) = length {
                track.times.retain(|time| u32::try_from(*time).is_ok_and(|time| time <= length));
            }
        }
        Err(_) => track.times.retain(|time| windows.plays(*time)),
    }
}
