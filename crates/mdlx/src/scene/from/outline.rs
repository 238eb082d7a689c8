//! What a new model needs besides what its scene has: extents of the moving geometry, a geoset animation for every geoset, and bones
//! that name their geoset, as in the game's own files.

use std::collections::{BTreeMap, BTreeSet};

use crate::play::{Moment, Player};
use crate::{Bounds, GeosetAnim, Model, bounds_of};

/// Milliseconds over which the game blends from one sequence to the next, in nearly all of its files.
const BLEND: u32 = 150;

/// Milliseconds between the poses that the extents of a sequence are taken from.
const STEP: u32 = 50;

/// The number of vertices that may be posed to find the extents of all sequences.
const WORK: usize = 1 << 23;

/// Completes a new model.
pub(super) fn complete(model: &mut Model) {
    model.info.blend_time = BLEND;
    add_anims(model);
    name_geosets(model);
    set_extents(model);
}

/// Adds a geoset animation for every geoset that has none.
fn add_anims(model: &mut Model) {
    let there: BTreeSet<i32> = model.geoset_anims.iter().map(|a| a.geoset_id).collect();
    let missing = (0..model.geosets.len() as i32).filter(|id| !there.contains(id));
    let missing: Vec<GeosetAnim> =
        missing.map(|geoset_id| GeosetAnim { geoset_id, ..GeosetAnim::default() }).collect();
    model.geoset_anims.extend(missing);
}

/// Lets bones name the geoset that they move, if it is only one.
fn name_geosets(model: &mut Model) {
    // The geoset of each bone; -1 for several.
    let mut moved: BTreeMap<u32, i32> = BTreeMap::new();
    for (index, geoset) in (0..).zip(&model.geosets) {
        for bone in &geoset.matrices {
            let only = moved.entry(*bone).or_insert(index);
            *only = if *only == index { index } else { -1 };
        }
    }
    for bone in &mut model.bones {
        let Some(only) = moved.get(&bone.node.object_id).filter(|only| **only >= 0) else { continue };
        bone.geoset_id = *only;
        let anim = model.geoset_anims.iter().position(|a| a.geoset_id == *only);
        bone.geoset_anim_id = anim.map_or(-1, |a| a as i32);
    }
}

/// Sets the extents of the model, its sequences and its geosets.
fn set_extents(model: &mut Model) {
    let rest: Vec<Option<Bounds>> = model.geosets.iter().map(|g| bounds_of(&g.vertices)).collect();
    let Some(whole) = union(rest.iter().flatten()) else { return };
    let vertices: usize = model.geosets.iter().map(|g| g.vertices.len()).sum();
    let poses = WORK / (vertices.max(1) * model.sequences.len().max(1));
    let posed: Vec<Vec<Bounds>> = (0..model.sequences.len())
        .map(|sequence| {
            let moved = in_sequence(model, sequence, poses.clamp(1, 64));
            let usual =
                |(moved, rest): (Option<Bounds>, &Option<Bounds>)| moved.or(*rest).unwrap_or_default();
            moved.into_iter().zip(&rest).map(usual).collect()
        })
        .collect();
    for (sequence, bounds) in model.sequences.iter_mut().zip(&posed) {
        sequence.bounds = union(bounds.iter()).unwrap_or(whole);
    }
    for (index, (geoset, rest)) in model.geosets.iter_mut().zip(rest).enumerate() {
        geoset.bounds = rest.unwrap_or_default();
        geoset.sequence_bounds =
            posed.iter().map(|bounds| bounds.get(index).copied().unwrap_or_default()).collect();
    }
    let all = model.sequences.iter().map(|s| &s.bounds).chain([&whole]);
    model.info.bounds = union(all).unwrap_or(whole);
}

/// Returns the bounds of each geoset while a sequence plays; `None` for those that are not visible in it.
fn in_sequence(model: &Model, index: usize, poses: usize) -> Vec<Option<Bounds>> {
    let mut out: Vec<Option<Bounds>> = vec![None; model.geosets.len()];
    let Some(sequence) = model.sequences.get(index) else { return out };
    let length = sequence.end.saturating_sub(sequence.start);
    let steps = ((length / STEP) as usize).clamp(1, poses.max(1));
    let player = Player::new(model);
    for step in 0..=steps {
        let elapsed = f64::from(length) * step as f64 / steps as f64;
        let time = f64::from(sequence.start) + elapsed;
        let pose = player.pose(&Moment { sequence: Some(index), time, clock: elapsed }, None);
        for ((geoset, seen), out) in model.geosets.iter().zip(&pose.geosets).zip(&mut out) {
            if !seen.visible {
                continue;
            }
            let places: Vec<[f32; 3]> = player.vertices(geoset, &pose).into_iter().map(|(p, _)| p).collect();
            let both = [bounds_of(&places), *out];
            *out = union(both.iter().flatten());
        }
    }
    out
}

/// Returns the bounds around several.
fn union<'b>(all: impl Iterator<Item = &'b Bounds>) -> Option<Bounds> {
    let corners: Vec<[f32; 3]> = all.flat_map(|b| [b.min, b.max]).collect();
    bounds_of(&corners)
}
