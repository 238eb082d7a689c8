//! Rules about bones, groups, runs, materials, boxes and statistics.

use std::collections::HashSet;

use super::Checker;
use crate::derive::within;
use crate::extensions::Extensions;
use crate::model::{Group, MaterialInstance, TexturePath};
use crate::rules::*;
use crate::wire;
use crate::wire::Bounds;

impl Checker<'_> {
    pub(super) fn model(&mut self) {
        self.bones();
        self.groups();
        self.runs();
        let mut used: HashSet<u16> = HashSet::new();
        used.extend(self.doc.meshes.iter().map(|m| m.material));
        for (i, material) in self.doc.materials.iter().enumerate() {
            self.material(i, material);
            let used = u16::try_from(i).is_ok_and(|i| used.contains(&i));
            if used && material.shader.is_empty() && material.technique.is_empty() {
                let at = self.record::<wire::MaterialInstance>(0x4, i);
                let path = || format!("materials[{i}] {:?}", material.name);
                self.add(&NO_SHADER, at, path, || "shader and technique are empty".into());
            }
            if !used {
                let at = self.record::<wire::MaterialInstance>(0x4, i);
                self.add(
                    &UNUSED_MATERIAL,
                    at,
                    || format!("materials[{i}]"),
                    || format!("{:?}", material.name),
                );
            }
        }
        self.derived();
        self.extensions();
    }

    fn bones(&mut self) {
        let bones = &self.doc.bones;
        for (i, bone) in bones.iter().enumerate() {
            let at = self.record::<wire::Bone>(0x0, i);
            let path = || format!("bones[{i}] {:?}", bone.name);
            if let Some(parent) = bone.parent.filter(|p| usize::from(*p) >= i) {
                self.add(&BONE_PARENT, at, path, || format!("parent {parent}"));
            }
            if self.doc.has_hashes() {
                let origin = [0.0; 4];
                let parent = bone.parent.and_then(|p| bones.get(usize::from(p))).map_or(origin, |p| p.world);
                let off = bone.world.iter().zip(&bone.local).zip(&parent).take(3);
                let off = off.map(|((w, l), p)| (w - l - p).abs());
                // What is no number is further off than anything.
                let off = off.map(|x| if x.is_nan() { f32::INFINITY } else { x }).fold(0.0f32, f32::max);
                if off > 1e-3 {
                    self.add(&BONE_PLACE, at, path, || format!("off by {off} m"));
                }
            }
            if (bone.flags & 1 == 1) == bone.bounds.is_empty() {
                self.add(&BONE_FLAG, at, path, || format!("flags {}", bone.flags));
            }
        }
        for (i, group) in self.doc.bone_groups.iter().enumerate() {
            let at = self.record::<wire::BoneGroup>(0x5, i);
            let path = || format!("bone_groups[{i}]");
            let stored = self.original().and_then(|o| o.tables.bone_groups.get(i)).map_or(0, |g| g.count);
            let count = group.bones.len().max(stored.into());
            if count > 32 {
                self.add(&GROUP_LIMIT, at, path, || format!("{count} bones"));
            }
            if !group.bones.is_sorted_by(|a, b| a < b) {
                self.add(&GROUP_ORDER, at, path, || format!("{:?}", group.bones));
            }
            for bone in group.bones.iter().filter(|b| usize::from(**b) >= bones.len()) {
                self.add(&GROUP_BONE, at, path, || format!("bone {bone} of {}", bones.len()));
            }
        }
        let matrices = self.doc.bone_matrices.len();
        if matrices > 0 && matrices != bones.len() {
            self.add(
                &MATRICES,
                None,
                || "bone_matrices".into(),
                || format!("{matrices} matrices for {} bones", bones.len()),
            );
        }
    }

    fn groups(&mut self) {
        for (i, group) in self.doc.groups.iter().enumerate() {
            let at = self.record::<wire::Group>(0x1, i);
            let path = || format!("groups[{i}] {:?}", group.name);
            if let Some(parent) = group.parent.filter(|p| usize::from(*p) >= i) {
                self.add(&GROUP_PARENT, at, path, || format!("parent {parent}"));
            }
            if (group.flags & Group::FRAGMENT != 0) != group.pivot.is_some() {
                self.add(&FRAGMENT, at, path, || format!("flags {}, pivot {:?}", group.flags, group.pivot));
            }
            if group.is_visible() && group.name.text().is_some_and(|n| n.ends_with("_IV")) {
                self.add(&GROUP_NAME, at, path, || "ends in _IV, but is visible".into());
            }
        }
    }

    fn runs(&mut self) {
        let (groups, meshes) = (self.doc.groups.len(), self.doc.meshes.len());
        // +1 where a run begins, -1 after its end: the sum tells how many runs cover a mesh.
        let mut edges = vec![0i64; meshes + 1];
        for (i, run) in self.doc.runs.iter().enumerate() {
            let at = self.record::<wire::Run>(0x2, i);
            let path = || format!("runs[{i}]");
            if usize::from(run.group) >= groups {
                self.add(&RUN_GROUP, at, path, || format!("group {} of {groups}", run.group));
            }
            let range = run.meshes();
            if range.end > meshes {
                self.add(&RUN_MESHES, at, path, || format!("meshes {range:?} of {meshes}"));
            }
            for (edge, by) in [(range.start.min(meshes), 1), (range.end.min(meshes), -1)] {
                if let Some(edge) = edges.get_mut(edge) {
                    *edge += by;
                }
            }
        }
        let mut covered = 0;
        for (i, edge) in edges.iter().take(meshes).enumerate() {
            covered += edge;
            if covered == 0 {
                self.add(&MESH_NO_RUN, self.mesh_at(i), || format!("meshes[{i}]"), || "in no run".into());
            } else if covered > 1 {
                let what = || format!("in {covered} runs");
                self.add(&MESH_TWO_RUNS, self.mesh_at(i), || format!("meshes[{i}]"), what);
            }
        }
    }

    fn material(&mut self, i: usize, material: &MaterialInstance) {
        let at = self.record::<wire::MaterialInstance>(0x4, i);
        let path = || format!("materials[{i}] {:?}", material.name);
        if material.textures.is_empty() {
            self.add(&NO_BASE, at, path, || format!("technique {:?}", material.technique));
        }
        let mut slots = HashSet::new();
        for (k, texture) in material.textures.iter().enumerate() {
            let path = || format!("materials[{i}].textures[{k}]");
            if texture.slot.is_empty() {
                self.add(&NO_SLOT, at, path, || format!("file {:?}", texture.file));
            }
            if !slots.insert(texture.slot.code()) {
                self.add(&DOUBLE_SLOT, at, path, || format!("slot {:?}", texture.slot));
            }
            if let TexturePath::Code(code) = texture.path
                && code >> crate::EXTENSION_SHIFT != crate::extension_code("ftex")
            {
                self.add(&PATH_KIND, at, path, || format!("0x{code:016x}"));
            }
        }
        let mut names = HashSet::new();
        for (k, parameter) in material.parameters.iter().enumerate() {
            let path = || format!("materials[{i}].parameters[{k}]");
            if parameter.name.is_empty() {
                self.add(&NO_SLOT, at, path, || format!("value {:?}", parameter.value));
            }
            if !names.insert(parameter.name.code()) {
                self.add(&DOUBLE_SLOT, at, path, || format!("parameter {:?}", parameter.name));
            }
            if !parameter.value.iter().all(|x| x.is_finite()) {
                self.add(&BAD_PARAMETER, at, path, || format!("{:?}", parameter.value));
            }
        }
    }

    /// Fields that follow from the geometry.
    fn derived(&mut self) {
        let d = self.doc.derive();
        if !self.doc.bounds.same_bits(&d.bounds) {
            let at = self.record::<Bounds>(0xD, 0);
            let (a, b) = (self.doc.bounds, d.bounds);
            self.add(&MODEL_BOX, at, || "bounds".into(), || format!("{a:?}, the vertices give {b:?}"));
        }
        for (i, (run, bounds)) in self.doc.runs.iter().zip(&d.run_bounds).enumerate() {
            if !run.bounds.same_bits(bounds) {
                let at = self.record::<wire::Run>(0x2, i);
                let what = || format!("{:?}, the vertices give {bounds:?}", run.bounds);
                self.add(&RUN_BOX, at, || format!("runs[{i}]"), what);
            }
        }
        for (i, (bone, bounds)) in self.doc.bones.iter().zip(&d.bone_bounds).enumerate() {
            let corners =
                bone.bounds.max.iter().zip(&bone.bounds.min).zip(bounds.max.iter().zip(&bounds.min));
            let holds =
                corners.take(3).all(|((max, min), (own_max, own_min))| own_max <= max && own_min >= min);
            if !bounds.is_empty() && !holds {
                let at = self.record::<wire::Bone>(0x0, i);
                let what = || format!("{:?}, the vertices give {bounds:?}", bone.bounds);
                self.add(&BONE_BOX, at, || format!("bones[{i}] {:?}", bone.name), what);
            }
        }
        for (i, (group, max)) in self.doc.bone_groups.iter().zip(&d.max_weights).enumerate() {
            if max > &group.max_weights {
                let at = self.record::<wire::BoneGroup>(0x5, i);
                let what = || format!("{} allowed, {max} used", group.max_weights);
                self.add(&GROUP_WEIGHTS, at, || format!("bone_groups[{i}]"), what);
            }
        }
        for (i, (stored, mask)) in self.doc.stored_masks().iter().zip(&d.usage_masks).enumerate() {
            if stored != mask {
                let what = || format!("0x{stored:x}, the attributes give 0x{mask:x}");
                self.add(&USAGE_MASK, self.mesh_at(i), || format!("meshes[{i}]"), what);
            }
        }
        if let Some(s) = self.doc.statistics.first() {
            let at = self.record::<wire::Statistics>(0x14, 0);
            let path = || "statistics".to_owned();
            if s.area == 0.0 && d.area > 0.0 {
                self.add(&AREA_ZERO, at.map(|a| a + 4), path, || format!("the triangles give {}", d.area));
            } else if !within(s.area, d.area, 1e-3) {
                let what = || format!("{}, the triangles give {}", s.area, d.area);
                self.add(&AREA, at.map(|a| a + 4), path, what);
            }
            // UVs are rounded to half floats after the compiler computed this: a few percent are no fault.
            let density = d.texel_density.unwrap_or(1.0);
            if !within(s.texel_density, density, 0.05) {
                let what = || format!("{}, the triangles give {density}", s.texel_density);
                self.add(&DENSITY, at.map(|a| a + 8), path, what);
            }
            if let Some(lod) = self.doc.lods.first().filter(|l| l.ratio != 1.0 && l.ratio != s.ratio) {
                let what = || format!("{} and {}", lod.ratio, s.ratio);
                self.add(&LOD_RATIO, at.map(|a| a + 12), path, what);
            }
        }
    }

    fn extensions(&mut self) {
        let extensions = Extensions::parse(&self.doc.extensions);
        for line in &extensions.malformed {
            self.add(&EXTENSION, None, || "extensions".into(), || format!("{line:?}"));
        }
        for (key, ids) in &extensions.ids {
            let most = if key.eq_ignore_ascii_case(Extensions::SPLIT_GROUPS) {
                self.doc.groups.len()
            } else {
                self.doc.meshes.len()
            };
            for id in ids.iter().filter(|id| **id as usize >= most) {
                self.add(&EXTENSION, None, || "extensions".into(), || format!("{key}: {id} of {most}"));
            }
        }
    }
}
