//! What belongs to the whole model, to extras: version, levels of detail, statistics, bone groups, runs, what PES tools append.

use galatea_scene::{Extras, Value, encode_u32s};

use super::To;
use crate::model::Run;
use crate::scene::extra::{corners, hex, list, note, note_int, put, put_float};
use crate::scene::from::header::simple_runs;
use crate::wire::Statistics;

impl To<'_> {
    /// Returns everything of the model that no part of the scene can hold.
    pub(super) fn header(&self) -> Extras {
        let model = self.model;
        let mut map = Extras::new();
        put_float(&mut map, "version", model.version);
        note(&mut map, "bounds", &corners(&model.bounds), &corners(&self.derived.bounds));
        let levels = u16::try_from(model.lod_count()).unwrap_or(u16::MAX);
        let lods = model.lods.iter().enumerate().map(|(i, lod)| {
            let mut stored = Extras::new();
            note_int(&mut stored, "count", lod.count, if i == 0 { levels } else { 0 });
            put(&mut stored, "unknown_0x02", lod.unknown_0x02);
            put_float(&mut stored, "threshold_a", lod.threshold_a);
            put_float(&mut stored, "threshold_b", lod.threshold_b);
            put_float(&mut stored, "ratio", lod.ratio);
            Value::Object(stored)
        });
        put(&mut map, "lods", Value::Array(lods.collect()));
        let statistics = model.statistics.iter().enumerate().map(|(i, s)| self.statistics(i, s));
        put(&mut map, "statistics", Value::Array(statistics.collect()));
        if model.unknown_0x12 != [0] {
            let bytes: Vec<u8> = model.unknown_0x12.iter().flat_map(|w| w.to_le_bytes()).collect();
            put(&mut map, "unknown_0x12", hex(&bytes));
        }
        let groups = model.bone_groups.iter().enumerate().map(|(i, group)| {
            let mut stored = Extras::new();
            put(&mut stored, "bones", list(group.bones.iter().map(|b| usize::from(*b))));
            let derived = self.derived.max_weights.get(i).copied().unwrap_or(0).max(1);
            note_int(&mut stored, "max_weights", group.max_weights, derived);
            Value::Object(stored)
        });
        put(&mut map, "bone_groups", Value::Array(groups.collect()));
        put(&mut map, "bones", model.bones.len());
        self.runs(&mut map);
        if !model.extensions.is_empty() {
            put(&mut map, "extensions", hex(&model.extensions));
        }
        if let Some(rest) = model.bone_matrices.get(model.bones.len()..).filter(|r| !r.is_empty()) {
            put(&mut map, "matrices", galatea_scene::floats(rest.as_flattened()));
        }
        let blocks = model.unknown_blocks.iter().map(|b| {
            Value::from([
                ("section", b.section.into()),
                ("id", (b.id as i32).into()),
                ("count", (b.count as i32).into()),
                ("bytes", hex(&b.bytes).into()),
            ])
        });
        let blocks: Vec<Value> = blocks.collect();
        if !blocks.is_empty() {
            put(&mut map, "unknown_blocks", Value::Array(blocks));
        }
        map
    }

    fn statistics(&self, i: usize, s: &Statistics) -> Value {
        let mut stored = Extras::new();
        let derived = (self.derived.area, self.derived.texel_density.unwrap_or(1.0));
        let (area, density) = if i == 0 { derived } else { (f32::NAN, f32::NAN) };
        note(&mut stored, "area", &[s.area], &[area]);
        note(&mut stored, "texel_density", &[s.texel_density], &[density]);
        put(&mut stored, "unknown_0x00", s.unknown_0x00 as i32);
        put_float(&mut stored, "ratio", s.ratio);
        put_float(&mut stored, "polygon_size", s.polygon_size);
        put_float(&mut stored, "near_size", s.near_size);
        put_float(&mut stored, "far_size", s.far_size);
        put(&mut stored, "rejection", s.rejection);
        put(&mut stored, "reject_far_shadow", s.reject_far_shadow as i32);
        if s.padding.iter().any(|p| *p != 0) {
            put(&mut stored, "padding", encode_u32s(&s.padding));
        }
        Value::Object(stored)
    }

    /// Keeps the runs where they are not simply the meshes of each group one after the other, and boxes that are not theirs.
    fn runs(&self, map: &mut Extras) {
        let model = self.model;
        let simple = simple_runs(&model.groups_of_meshes());
        let shape = |r: &Run| (r.group, r.first_mesh, r.mesh_count);
        if !simple.iter().map(shape).eq(model.runs.iter().map(shape)) {
            let runs = model.runs.iter().map(|r| {
                Value::from([
                    ("group", r.group.into()),
                    ("first", r.first_mesh.into()),
                    ("count", r.mesh_count.into()),
                ])
            });
            put(map, "runs", Value::Array(runs.collect()));
        }
        let mut boxes = Vec::new();
        for (i, (run, derived)) in model.runs.iter().zip(&self.derived.run_bounds).enumerate() {
            let mut stored = Extras::new();
            note(&mut stored, "bounds", &corners(&run.bounds), &corners(derived));
            if !stored.is_empty() {
                put(&mut stored, "run", i);
                boxes.push(Value::Object(stored));
            }
        }
        if !boxes.is_empty() {
            put(map, "run_bounds", Value::Array(boxes));
        }
    }
}
