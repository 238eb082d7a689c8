//! Mending what can be mended without guessing.

use galatea_wire::{Fixed, Rule};

use super::mesh::is_unit;
use super::rules::*;
use crate::mesh::{Mesh, Usage, Values, half_to_f32};
use crate::model::Fmdl;

/// Rules that writing the file anew mends.
static RELAID: &[&Rule] = &[
    &BLOCK_MASK,
    &SECTION_LENGTH,
    &DATA_LENGTH,
    &BUFFERS,
    &TEXT_ENTRY,
    &WINDOW_TABLE,
    &USAGE_MASK,
    &ELEMENT_ORDER,
    &BUFFER_RANGE,
];

/// Rules about references that lead nowhere: laying the file out anew would lose sight of them.
static LOST: &[&Rule] = &[
    &NAME_RANGE,
    &TEXT_RANGE,
    &TEXTURE_RANGE,
    &PARAMETER_RANGE,
    &SHADER_RANGE,
    &BINDING_RANGE,
    &BOX_RANGE,
    &PIVOT_RANGE,
    &MESH_LAYOUT,
    &GROUP_LIMIT,
];

impl Fmdl {
    /// Mends every broken rule that is marked `fix` and wanted. Returns what was mended.
    ///
    /// ```
    /// use galatea_fox::{Bounds, Fmdl};
    /// let mut model = Fmdl::new(2.04);
    /// model.bounds = Bounds { max: [9.0; 4], min: [0.0; 4] };
    /// let mended = model.fix(&|_| true);
    /// assert_eq!(mended[0].rule.code, "FMDL0057");
    /// assert!(model.bounds.is_empty());
    /// ```
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let report = self.check();
        let broken = |rule: &'static Rule| (report.count(rule.code) > 0).then_some(rule);
        let mut out = Vec::new();
        let mut relay = false;
        for rule in RULES.iter().filter(|r| r.fix && wanted(r)).filter_map(broken) {
            let places = report.count(rule.code);
            if RELAID.contains(&rule) {
                if LOST.iter().any(|r| broken(r).is_some()) {
                    continue;
                }
                relay = true;
            } else {
                self.mend(rule);
            }
            out.push(Fixed { rule, message: format!("mended in {places} places") });
        }
        if relay {
            for mesh in &mut self.meshes {
                mesh.sort_columns();
            }
            self.forget_layout();
        }
        out
    }

    fn mend(&mut self, rule: &'static Rule) {
        let is = |other: &Rule| rule.code == other.code;
        let d = self.derive();
        if is(&MODEL_BOX) {
            self.bounds = d.bounds;
        } else if is(&RUN_BOX) {
            self.runs.iter_mut().zip(d.run_bounds).for_each(|(run, b)| run.bounds = b);
        } else if is(&BONE_BOX) {
            for (bone, bounds) in self.bones.iter_mut().zip(d.bone_bounds) {
                let own = bone.bounds;
                bone.bounds.include_box(&bounds, [0.0; 3]);
                if !own.same_bits(&bone.bounds) {
                    bone.flags |= 1;
                }
            }
        } else if is(&BONE_FLAG) {
            for bone in &mut self.bones {
                bone.flags = bone.flags & !1 | u16::from(!bone.bounds.is_empty());
            }
        } else if is(&BONE_PLACE) {
            for i in 0..self.bones.len() {
                let parent =
                    self.bones.get(i).and_then(|b| b.parent).and_then(|p| self.bones.get(usize::from(p)));
                let base = parent.map_or([0.0; 4], |p| p.world);
                if let Some(bone) = self.bones.get_mut(i) {
                    for ((local, world), base) in bone.local.iter_mut().zip(bone.world).zip(base).take(3) {
                        *local = world - base;
                    }
                }
            }
        } else if is(&GROUP_WEIGHTS) {
            for (group, max) in self.bone_groups.iter_mut().zip(d.max_weights) {
                group.max_weights = group.max_weights.max(max);
            }
        } else if is(&AREA) || is(&AREA_ZERO) {
            self.statistics.iter_mut().take(1).for_each(|s| s.area = d.area);
        } else if is(&DENSITY) {
            self.statistics.iter_mut().take(1).for_each(|s| s.texel_density = d.texel_density.unwrap_or(1.0));
        } else if is(&GROUP_ORDER) {
            self.sort_bone_groups();
        } else if is(&WINDOW_COUNT) {
            let levels = self.lod_count();
            for mesh in &mut self.meshes {
                if let Some(last) = mesh.windows.last().copied() {
                    mesh.windows.resize(levels, last);
                }
            }
        }
        for mesh in &mut self.meshes {
            if is(&WEIGHT_SUM) {
                mesh.normalise_weights();
            } else if is(&WEIGHT_ORDER) {
                mesh.sort_weights();
            } else if is(&NORMAL_LENGTH) {
                mesh.each_half4(Usage::Normal, |v| [v[0], v[1], v[2], 1.0]);
                mesh.make_unit(Usage::Normal);
            } else if is(&TANGENT_LENGTH) {
                mesh.make_unit(Usage::Tangent);
            } else if is(&TANGENT_SIDE) {
                mesh.each_half4(Usage::Tangent, |v| [v[0], v[1], v[2], if v[3] < 0.0 { -1.0 } else { 1.0 }]);
            } else if is(&INSIDE_OUT) && mesh.facing().is_some_and(|(against, all)| against * 2 > all) {
                mesh.turn_faces();
            }
        }
    }
}

impl Fmdl {
    /// Sorts the bones of each bone group, takes out twins, and renumbers the vertices that name them.
    fn sort_bone_groups(&mut self) {
        let old: Vec<Vec<u16>> = self.bone_groups.iter().map(|g| g.bones.clone()).collect();
        for group in &mut self.bone_groups {
            group.bones.sort_unstable();
            group.bones.dedup();
        }
        for mesh in &mut self.meshes {
            let at = usize::from(mesh.bone_group);
            let (Some(old), Some(group)) = (old.get(at), self.bone_groups.get(at)) else { continue };
            let column = mesh.vertices.columns.iter_mut().find(|c| c.usage == Usage::BoneIndices);
            if let Some(Values::U8x4(indices) | Values::Unorm8x4(indices)) = column.map(|c| &mut c.values) {
                for index in indices.iter_mut().flatten() {
                    let new = old.get(usize::from(*index)).and_then(|b| group.bones.binary_search(b).ok());
                    *index = new.map_or(*index, |n| n as u8);
                }
            }
        }
    }
}

impl Mesh {
    /// Puts the columns into the order of the game's own files.
    pub fn sort_columns(&mut self) {
        let order = crate::build::canonical_order(self);
        if order.is_sorted() {
            return;
        }
        let old = std::mem::take(&mut self.vertices.columns);
        for i in &order {
            let Some(mut column) = old.get(*i).cloned() else { continue };
            if let Values::Same(of) = column.values {
                column.values = Values::Same(order.iter().position(|o| *o == of).unwrap_or(of));
            }
            self.vertices.columns.push(column);
        }
    }

    /// Turns every face over, at all levels of detail.
    pub fn turn_faces(&mut self) {
        for face in self.indices.as_chunks_mut::<3>().0 {
            face.swap(1, 2);
        }
    }

    /// Replaces half-float vectors whose value changes.
    fn each_half4(&mut self, usage: Usage, change: impl Fn([f32; 4]) -> [f32; 4]) {
        for column in self.vertices.columns.iter_mut().filter(|c| c.usage == usage) {
            if let Values::F16x4(values) = &mut column.values {
                for value in values {
                    let old = value.map(half_to_f32);
                    let new = change(old);
                    if new.map(f32::to_bits) != old.map(f32::to_bits) {
                        *value = new.map(|x| half::f16::from_f32(x).to_bits());
                    }
                }
            }
        }
    }

    /// Gives directions length 1; those without any point up.
    fn make_unit(&mut self, usage: Usage) {
        self.each_half4(usage, |v| {
            if is_unit(v) {
                return v;
            }
            let [x, y, z, w] = v;
            let length = (x * x + y * y + z * z).sqrt();
            if length > 0.0 && length.is_finite() {
                [x / length, y / length, z / length, w]
            } else {
                [0.0, 1.0, 0.0, w]
            }
        });
    }
}
