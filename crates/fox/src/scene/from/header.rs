//! What belongs to the whole model, from extras: levels of detail, statistics, bone groups, runs, what PES tools append.

use galatea_scene::Extras;

use crate::model::{BoneGroup, Fmdl, Run, UnknownBlock};
use crate::scene::extra::{
    array, index, int, ints, noted, noted_box, noted_int, number, objects, text, unhex,
};
use crate::wire::{LodInfo, Statistics};

/// Returns one run for meshes of one group that follow each other.
pub(in crate::scene) fn simple_runs(owners: &[Option<u16>]) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    let mut last = None;
    for (mesh, owner) in owners.iter().enumerate() {
        let small = u16::try_from(mesh).unwrap_or(u16::MAX);
        match (owner, out.last_mut()) {
            (Some(group), Some(run)) if last == Some(*group) => {
                debug_assert_eq!(run.group, *group);
                run.mesh_count = run.mesh_count.saturating_add(1);
            }
            (Some(group), _) => {
                out.push(Run { group: *group, first_mesh: small, mesh_count: 1, ..Run::default() })
            }
            (None, _) => {}
        }
        last = *owner;
    }
    out
}

/// Reads the fields of a whole model, before its parts are there.
pub(super) fn read_header(map: &Extras, model: &mut Fmdl) {
    if map.is_empty() {
        return;
    }
    model.lods = objects(map, "lods")
        .map(|stored| LodInfo {
            count: int(stored, "count").unwrap_or(0) as u16,
            unknown_0x02: int(stored, "unknown_0x02").unwrap_or(0) as u16,
            threshold_a: number(stored, "threshold_a").unwrap_or(1.0),
            threshold_b: number(stored, "threshold_b").unwrap_or(1.0),
            ratio: number(stored, "ratio").unwrap_or(1.0),
        })
        .collect();
    model.statistics = objects(map, "statistics").map(read_statistics).collect();
    if let Some(bytes) = text(map, "unknown_0x12").and_then(unhex) {
        model.unknown_0x12 = bytes.as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
    }
    model.extensions = text(map, "extensions").and_then(unhex).unwrap_or_default();
    let block = |b: &Extras| {
        Some(UnknownBlock {
            section: int(b, "section")? as u8,
            id: int(b, "id")? as u32,
            count: int(b, "count")? as u32,
            bytes: unhex(text(b, "bytes")?)?,
        })
    };
    model.unknown_blocks = objects(map, "unknown_blocks").filter_map(block).collect();
}

fn read_statistics(stored: &Extras) -> Statistics {
    let word = |key: &str| int(stored, key).unwrap_or(0);
    let mut padding = [0; 23];
    for (slot, value) in padding.iter_mut().zip(ints(stored, "padding")) {
        *slot = value as u32;
    }
    Statistics {
        unknown_0x00: word("unknown_0x00") as u32,
        area: array(stored, "area").map_or(0.0, |[a]| a),
        texel_density: array(stored, "texel_density").map_or(1.0, |[d]| d),
        ratio: number(stored, "ratio").unwrap_or(0.0),
        polygon_size: number(stored, "polygon_size").unwrap_or(0.0),
        near_size: number(stored, "near_size").unwrap_or(0.0),
        far_size: number(stored, "far_size").unwrap_or(0.0),
        rejection: word("rejection") as i32,
        reject_far_shadow: word("reject_far_shadow") as u32,
        padding,
    }
}

/// Returns the bone groups, given where each bone went.
pub(super) fn read_bone_groups(map: &Extras, new_bone: impl Fn(usize) -> Option<u16>) -> Vec<BoneGroup> {
    let known = index(map, "bones").unwrap_or(0);
    let groups = objects(map, "bone_groups").map(|stored| {
        let bones = ints(stored, "bones");
        // A number that never was a bone's stays; one whose bone is gone goes.
        let new = |bone: usize| if bone < known { new_bone(bone) } else { u16::try_from(bone).ok() };
        let bones = bones.iter().filter_map(|b| new(usize::try_from(*b).ok()?)).collect();
        BoneGroup { max_weights: 0, bones }
    });
    groups.collect()
}

/// Runs for the meshes: those that were noted, if they still say the same.
pub(super) fn read_runs(map: &Extras, model: &mut Fmdl, owners: &[Option<u16>]) {
    if map.contains_key("runs") {
        let run = |stored: &Extras| Run {
            group: int(stored, "group").unwrap_or(0) as u16,
            first_mesh: int(stored, "first").unwrap_or(0) as u16,
            mesh_count: int(stored, "count").unwrap_or(0) as u16,
            ..Run::default()
        };
        model.runs = objects(map, "runs").map(run).collect();
        if model.groups_of_meshes() == owners {
            return;
        }
    }
    model.runs = simple_runs(owners);
}

/// Derives what follows from the geometry; where the file had something else for the same geometry, that stays.
/// `bones` are the extras of each bone.
pub(super) fn read_derived(map: &Extras, model: &mut Fmdl, bones: &[&Extras], groups: &[Option<usize>]) {
    model.rederive();
    if map.is_empty() {
        return;
    }
    model.bounds = noted_box(map, "bounds", &model.bounds);
    for stored in objects(map, "run_bounds") {
        if let Some(run) = index(stored, "run").and_then(|i| model.runs.get_mut(i)) {
            run.bounds = noted_box(stored, "bounds", &run.bounds);
        }
    }
    let moved = model.moved_boxes();
    for ((bone, stored), moved) in model.bones.iter_mut().zip(bones).zip(moved) {
        bone.flags = noted_int(stored, "flags", u16::from(!moved.is_empty()));
        bone.bounds = noted_box(stored, "bounds", &moved);
    }
    let stored: Vec<&Extras> = objects(map, "bone_groups").collect();
    for (group, was) in model.bone_groups.iter_mut().zip(groups) {
        if let Some(stored) = was.and_then(|w| stored.get(w)) {
            group.max_weights = noted_int(stored, "max_weights", group.max_weights);
        }
    }
    for (i, (lod, stored)) in model.lods.iter_mut().zip(objects(map, "lods")).enumerate() {
        let derived = if i == 0 { lod.count } else { 0 };
        lod.count = noted_int(stored, "count", derived);
    }
    for (i, (s, stored)) in model.statistics.iter_mut().zip(objects(map, "statistics")).enumerate() {
        if i == 0 {
            [s.area] = noted(stored, "area", [s.area]);
            [s.texel_density] = noted(stored, "texel_density", [s.texel_density]);
        }
    }
    if let Some(rest) = map.get("matrices").and_then(galatea_scene::read_floats)
        && model.bone_matrices.len() == model.bones.len()
    {
        model.bone_matrices.extend(rest.as_chunks::<16>().0);
    }
}
