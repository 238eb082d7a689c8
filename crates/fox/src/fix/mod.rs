//! Fixes what the rules find in a model, value by value, where the rest of the file leaves no doubt about the right one.

mod bounds;
mod container;
mod mesh;

use galatea_wire::{Fix, Fixed, Rule, run_fixes};

use crate::derive::within;
use crate::model::Fmdl;
use crate::rules::*;
use bounds::{bone_boxes, bone_flags, model_box, run_boxes};
use container::{block_masks, buffers, data_lengths, section_lengths, usage_masks, window_tables};
use mesh::{normals, tangent_sides, tangents, turned_faces, weight_order, weight_sums};

/// Rules about what belongs to what. While one is broken, values that follow from others may be sound and those wrong.
static STRUCTURE: &[&Rule] = &[
    &UNKNOWN_BLOCK,
    &DOUBLE_BLOCK,
    &MISSING_TABLE,
    &BUFFERS,
    &BOX_RANGE,
    &PIVOT_RANGE,
    &MESH_LAYOUT,
    &INDEX_RANGE,
    &WINDOW_RANGE,
    &GROUP_LIMIT,
    &RUN_GROUP,
    &RUN_MESHES,
    &MESH_NO_RUN,
    &MESH_TWO_RUNS,
    &BUFFER_RANGE,
    &SHARED_BYTES,
];

impl Fmdl {
    /// Fixes what the wanted rules find, where the rest of the file leaves no doubt about the right value.
    ///
    /// ```
    /// use galatea_fox::{Bounds, Fmdl};
    /// let mut model = Fmdl::new(2.04);
    /// model.bounds = Bounds { max: [9.0; 4], min: [0.0; 4] };
    /// let fixed = model.fix(&|_| true);
    /// assert_eq!(fixed[0].rule.code, "FMDL0057");
    /// assert!(model.bounds.is_empty());
    /// ```
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let value = |run: fn(&mut Fmdl) -> usize| move |model: &mut Fmdl| model.fix_value(run);
        let fixes = [
            Fix { rules: &[&BLOCK_MASK], done: "lists of blocks set", run: &block_masks },
            Fix { rules: &[&SECTION_LENGTH], done: "lengths set", run: &section_lengths },
            Fix { rules: &[&DATA_LENGTH], done: "lengths of data blocks set", run: &data_lengths },
            Fix { rules: &[&BUFFERS], done: "fields of the buffer table set", run: &buffers },
            Fix { rules: &[&WINDOW_TABLE], done: "first windows set", run: &window_tables },
            Fix { rules: &[&USAGE_MASK], done: "usage masks set", run: &usage_masks },
            Fix { rules: &[&NORMAL_LENGTH], done: "normals made length 1", run: &value(normals) },
            Fix { rules: &[&TANGENT_LENGTH], done: "tangents made length 1", run: &value(tangents) },
            Fix { rules: &[&TANGENT_SIDE], done: "sides of tangents set", run: &value(tangent_sides) },
            Fix {
                rules: &[&WEIGHT_SUM],
                done: "vertices given weights that sum to 255",
                run: &value(weight_sums),
            },
            Fix { rules: &[&WEIGHT_ORDER], done: "vertices with weights sorted", run: &value(weight_order) },
            Fix {
                rules: &[&GROUP_WEIGHTS],
                done: "bone groups allowed more weights",
                run: &value(group_weights),
            },
            Fix { rules: &[&BONE_PLACE], done: "positions of bones derived", run: &value(bone_places) },
            Fix { rules: &[&RUN_BOX], done: "boxes of runs derived", run: &value(run_boxes) },
            Fix { rules: &[&MODEL_BOX], done: "boxes of the model derived", run: &value(model_box) },
            Fix { rules: &[&BONE_BOX], done: "boxes of bones enlarged", run: &value(bone_boxes) },
            Fix { rules: &[&BONE_FLAG], done: "box flags of bones set", run: &value(bone_flags) },
            Fix { rules: &[&AREA, &AREA_ZERO], done: "surfaces derived", run: &value(areas) },
            Fix { rules: &[&DENSITY], done: "texel densities derived", run: &value(densities) },
            Fix { rules: &[&INSIDE_OUT], done: "meshes turned over", run: &value(turned_faces) },
        ];
        run_fixes(self, &fixes, &Fmdl::check, wanted)
    }

    /// Runs a fix of values that do not depend on where things are in the file, unless it is doubtful what belongs to what.
    fn fix_value(&mut self, run: fn(&mut Fmdl) -> usize) -> usize {
        let report = self.check();
        if STRUCTURE.iter().any(|rule| report.count(rule.code) > 0) {
            return 0;
        }
        let unchanged = self.is_as_read();
        let count = run(self);
        if unchanged && count > 0 {
            self.remember();
        }
        count
    }

    /// Returns `true` if the tables of the file are still those of the document.
    pub(super) fn is_as_read(&self) -> bool {
        self.layout.original.as_ref().is_some_and(|o| o.fingerprint == self.fingerprint())
    }

    /// Puts the values that fixes change into the remembered tables, so that the rest of the file stays as it is.
    fn remember(&mut self) {
        let Some(original) = &mut self.layout.original else { return };
        let t = &mut original.tables;
        for (record, bone) in t.bones.iter_mut().zip(&self.bones) {
            (record.flags, record.local, record.world) = (bone.flags, bone.local, bone.world);
        }
        for (record, group) in t.bone_groups.iter_mut().zip(&self.bone_groups) {
            record.max_weights = group.max_weights;
        }
        for (record, statistics) in t.statistics.iter_mut().zip(&self.statistics) {
            *record = *statistics;
        }
        let fingerprint = self.fingerprint();
        if let Some(original) = &mut self.layout.original {
            original.fingerprint = fingerprint;
        }
    }

    /// Returns `true` if every position is a number.
    pub(super) fn has_finite_positions(&self) -> bool {
        let positions = self.meshes.iter().filter_map(|m| m.vertices.positions());
        positions.flatten().flatten().all(|x| x.is_finite())
    }
}

/// Allows as many weights as the vertices have, if at least two of them do: a single one may be wrong itself.
fn group_weights(model: &mut Fmdl) -> usize {
    let derived = model.derive().max_weights;
    let mut count = 0;
    for (at, max) in derived.into_iter().enumerate() {
        let Some(allowed) = model.bone_groups.get(at).map(|g| g.max_weights).filter(|a| *a < max) else {
            continue;
        };
        let own = model.meshes.iter().filter(|m| usize::from(m.bone_group) == at && m.is_skinned());
        let more: usize = own.map(|m| m.vertices_with_weights(allowed)).sum();
        if more >= 2
            && let Some(group) = model.bone_groups.get_mut(at)
        {
            group.max_weights = max;
            count += 1;
        }
    }
    count
}

/// Derives the one of a bone's two positions that is wrong: the one in the model if all children are off, the one in the
/// parent if none is. Bones without children tell neither.
fn bone_places(model: &mut Fmdl) -> usize {
    let bones = &model.bones;
    let base = |i: usize| {
        let parent = bones.get(i).and_then(|b| b.parent);
        parent.and_then(|p| bones.get(usize::from(p))).map_or([0.0; 4], |p| p.world)
    };
    let off = |i: usize, axis: usize| {
        let at = |v: &[f32; 4]| v.get(axis).copied().unwrap_or(0.0);
        bones.get(i).map_or(0.0, |b| (at(&b.world) - at(&b.local) - at(&base(i))).abs())
    };
    let wrong = |i: usize| (0..3).any(|axis| off(i, axis).is_nan() || off(i, axis) > 1e-3);
    let is_wrong: Vec<bool> = (0..bones.len()).map(wrong).collect();
    let flag = |i: usize| is_wrong.get(i).copied().unwrap_or(false);
    let mut children = vec![(0usize, 0usize); bones.len()];
    for (i, bone) in bones.iter().enumerate() {
        if let Some((all, bad)) = bone.parent.and_then(|p| children.get_mut(usize::from(p))) {
            *all += 1;
            *bad += usize::from(flag(i));
        }
    }
    let mut changes = Vec::new();
    for (i, (bone, (all, bad))) in bones.iter().zip(&children).enumerate().filter(|(i, _)| flag(*i)) {
        let parent = bone.parent.is_some_and(|p| flag(p.into()));
        let in_model = *bad == *all;
        if parent || *all == 0 || *bad != 0 && !in_model {
            continue;
        }
        let (mut local, mut world) = (bone.local, bone.world);
        for (axis, ((local, world), base)) in
            local.iter_mut().zip(&mut world).zip(base(i)).take(3).enumerate()
        {
            let off = off(i, axis);
            if off.is_nan() || off > 1e-3 {
                *(if in_model { &mut *world } else { &mut *local }) =
                    if in_model { base + *local } else { *world - base };
            }
        }
        if local.iter().chain(&world).all(|v| v.is_finite()) {
            changes.push((i, local, world));
        }
    }
    for (i, local, world) in &changes {
        if let Some(bone) = model.bones.get_mut(*i) {
            (bone.local, bone.world) = (*local, *world);
        }
    }
    changes.len()
}

/// Returns `true` if all boxes are those of the vertices, so that none of these is off.
fn boxes_agree(model: &Fmdl, derived: &crate::Derived) -> bool {
    model.has_finite_positions()
        && model.bounds.same_bits(&derived.bounds)
        && model.runs.iter().zip(&derived.run_bounds).all(|(r, b)| r.bounds.same_bits(b))
}

/// Derives a surface that is 0, or one that is off further than the texel density would be if the vertices were wrong.
fn areas(model: &mut Fmdl) -> usize {
    let d = model.derive();
    let finite = d.area.is_finite() && model.has_finite_positions();
    let trusted = boxes_agree(model, &d);
    let Some(s) = model.statistics.first_mut().filter(|_| finite) else { return 0 };
    let density = d.texel_density.unwrap_or(1.0);
    let zero = s.area == 0.0 && d.area > 0.0;
    let apart = !within(s.area, d.area, 0.12);
    let confirmed = trusted && within(s.texel_density, density, 0.05);
    let sure = zero || apart && confirmed;
    if !sure {
        return 0;
    }
    s.area = d.area;
    1
}

/// Derives a texel density that is wrong, if the surface is right.
fn densities(model: &mut Fmdl) -> usize {
    let d = model.derive();
    let trusted = boxes_agree(model, &d);
    let uvs = model.meshes.iter().filter_map(|m| m.vertices.uvs(0));
    let finite = uvs.flatten().flatten().all(|x| x.is_finite());
    let density = d.texel_density.unwrap_or(1.0);
    let Some(s) = model.statistics.first_mut().filter(|_| trusted && finite && density.is_finite()) else {
        return 0;
    };
    if !within(s.area, d.area, 1e-3) || within(s.texel_density, density, 0.05) {
        return 0;
    }
    s.texel_density = density;
    1
}
