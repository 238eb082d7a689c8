//! Global sequences that nothing uses, and those that are equal: they all began at once.

use crate::mdlx::Model;

/// Removes them; returns how many.
pub(super) fn clocks(model: &mut Model) -> usize {
    let count = model.global_sequences.len();
    let mut used = vec![false; count];
    let mut ids: Vec<i32> = model
        .all_tracks()
        .into_iter()
        .flat_map(|tracks| tracks.iter().map(|track| track.global_sequence))
        .collect();
    let events = model.events.iter().filter_map(|event| event.track.as_ref());
    let sounds = model.sound_emitters.iter().filter_map(|emitter| emitter.track.as_ref());
    ids.extend(events.chain(sounds).map(|track| track.global_sequence));
    for id in ids.into_iter().filter_map(|id| usize::try_from(id).ok()) {
        used.get_mut(id).into_iter().for_each(|used| *used = true);
    }
    let mut kept: Vec<u32> = Vec::new();
    let places: Vec<i32> = model
        .global_sequences
        .iter()
        .zip(&used)
        .map(|(length, used)| {
            let there = kept.iter().position(|kept| kept == length);
            let place = match (there, used) {
                (_, false) => return -1,
                (Some(place), true) => place,
                (None, true) => {
                    kept.push(*length);
                    kept.len() - 1
                }
            };
            i32::try_from(place).unwrap_or(-1)
        })
        .collect();
    if kept.len() == count {
        return 0;
    }
    let gone = count - kept.len();
    let moved = |id: &mut i32| {
        if let Some(place) = usize::try_from(*id).ok().and_then(|id| places.get(id)) {
            *id = *place;
        }
    };
    for tracks in model.all_tracks_mut() {
        tracks.iter_mut().for_each(|track| moved(&mut track.global_sequence));
    }
    let events = model.events.iter_mut().filter_map(|event| event.track.as_mut());
    let sounds = model.sound_emitters.iter_mut().filter_map(|emitter| emitter.track.as_mut());
    events.chain(sounds).for_each(|track| moved(&mut track.global_sequence));
    model.global_sequences = kept;
    gone
}
