//! Materials, textures and texture animations that nothing uses, and those that are equal.

use crate::mdlx::{Keys, Model, Tracks};

/// Removes items that are not used, and all but the first of those that are equal. Returns where each item is now, if any is gone;
/// `None` for items that are gone without an equal one.
fn condense<T: PartialEq>(list: &mut Vec<T>, used: &[bool]) -> Option<Vec<Option<usize>>> {
    let mut kept: Vec<T> = Vec::new();
    let mut places = Vec::with_capacity(list.len());
    let count = list.len();
    for (item, used) in std::mem::take(list).into_iter().zip(used) {
        let place = match (kept.iter().position(|kept| *kept == item), used) {
            (_, false) => None,
            (Some(place), true) => Some(place),
            (None, true) => {
                kept.push(item);
                Some(kept.len() - 1)
            }
        };
        places.push(place);
    }
    *list = kept;
    (list.len() < count).then_some(places)
}

fn mark(used: &mut [bool], index: Option<usize>) {
    if let Some(used) = index.and_then(|index| used.get_mut(index)) {
        *used = true;
    }
}

/// Removes texture animations; those without tracks, too. Returns how many.
pub(super) fn texture_anims(model: &mut Model) -> usize {
    let count = model.texture_anims.len();
    let mut used = vec![false; count];
    for layer in model.materials.iter().flat_map(|material| &material.layers) {
        mark(&mut used, usize::try_from(layer.texture_anim_id).ok());
    }
    for (used, anim) in used.iter_mut().zip(&model.texture_anims) {
        *used &= !anim.tracks.is_empty() || anim.tracks.extra.is_some();
    }
    let Some(places) = condense(&mut model.texture_anims, &used) else { return 0 };
    for layer in model.materials.iter_mut().flat_map(|material| &mut material.layers) {
        if let Some(place) = usize::try_from(layer.texture_anim_id).ok().and_then(|id| places.get(id)) {
            layer.texture_anim_id = place.and_then(|place| i32::try_from(place).ok()).unwrap_or(-1);
        }
    }
    count - model.texture_anims.len()
}

/// Removes textures; returns how many.
pub(super) fn textures(model: &mut Model) -> usize {
    let count = model.textures.len();
    let mut used = vec![false; count];
    let slots = model.version.0 >= 1100 && !model.version.is_wow();
    let flipped = |tracks: &Tracks| -> Vec<usize> {
        let tracks = tracks.iter().filter(|track| track.tag.0 == *b"KMTF");
        let keys = tracks
            .filter_map(|track| if let Keys::Integer(curve) = &track.keys { Some(curve) } else { None });
        keys.flat_map(|curve| curve.keys.iter().map(|key| key.value as usize)).collect()
    };
    for layer in model.materials.iter().flat_map(|material| &material.layers) {
        if !slots || layer.textures.is_empty() {
            mark(&mut used, usize::try_from(layer.texture_id).ok());
        }
        for slot in &layer.textures {
            mark(&mut used, usize::try_from(slot.texture_id).ok());
            flipped(&slot.tracks).into_iter().for_each(|id| mark(&mut used, Some(id)));
        }
        flipped(&layer.tracks).into_iter().for_each(|id| mark(&mut used, Some(id)));
    }
    for emitter in &model.particle_emitters2 {
        mark(&mut used, usize::try_from(emitter.texture_id).ok());
    }
    let Some(places) = condense(&mut model.textures, &used) else { return 0 };
    let place = |id: usize| places.get(id).copied();
    let moved = |id: &mut i32| {
        if let Some(place) = usize::try_from(*id).ok().and_then(place) {
            *id = place.and_then(|place| i32::try_from(place).ok()).unwrap_or(0);
        }
    };
    let flip = |tracks: &mut Tracks| {
        for track in tracks.iter_mut().filter(|track| track.tag.0 == *b"KMTF") {
            let Keys::Integer(curve) = &mut track.keys else { continue };
            let tangents = curve.tangents.iter_mut().flat_map(|t| [&mut t.incoming, &mut t.outgoing]);
            for value in curve.keys.iter_mut().map(|key| &mut key.value).chain(tangents) {
                if let Some(place) = place(*value as usize) {
                    *value = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
                }
            }
        }
    };
    for layer in model.materials.iter_mut().flat_map(|material| &mut material.layers) {
        moved(&mut layer.texture_id);
        flip(&mut layer.tracks);
        for slot in &mut layer.textures {
            moved(&mut slot.texture_id);
            flip(&mut slot.tracks);
        }
    }
    model.particle_emitters2.iter_mut().for_each(|emitter| moved(&mut emitter.texture_id));
    count - model.textures.len()
}

/// Removes materials; returns how many.
pub(super) fn materials(model: &mut Model) -> usize {
    let count = model.materials.len();
    let mut used = vec![false; count];
    for geoset in &model.geosets {
        mark(&mut used, usize::try_from(geoset.material_id).ok());
    }
    for ribbon in &model.ribbon_emitters {
        mark(&mut used, usize::try_from(ribbon.material_id).ok());
    }
    let Some(places) = condense(&mut model.materials, &used) else { return 0 };
    let moved = |id: &mut u32| {
        if let Some(place) = places.get(*id as usize) {
            *id = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
        }
    };
    model.geosets.iter_mut().for_each(|geoset| moved(&mut geoset.material_id));
    model.ribbon_emitters.iter_mut().for_each(|ribbon| moved(&mut ribbon.material_id));
    count - model.materials.len()
}
