//! Tells whether anything but vertex values and indices was changed since reading.

use std::hash::{DefaultHasher, Hash, Hasher};

use galatea_wire::Wire;

use crate::mesh::{Column, Mesh};
use crate::model::{Bone, BoneGroup, Fmdl, Group, MaterialInstance, Parameter, Run, Texture};

/// Hashes floats by their bits.
fn floats<const N: usize>(values: [f32; N], h: &mut DefaultHasher) {
    values.map(f32::to_bits).hash(h);
}

/// Hashes a record by its bytes.
fn record<T: Wire>(value: &T, h: &mut DefaultHasher) {
    let mut bytes = [0u8; 128];
    value.put(&mut bytes);
    bytes.hash(h);
}

impl Fmdl {
    /// A hash of all that the tables are made from. Vertex values and indices are left out: they have places of their own.
    ///
    /// Each struct is taken apart by all its fields, so that a new field cannot be forgotten here.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let h = &mut hasher;
        let Fmdl {
            version,
            bones,
            groups,
            runs,
            meshes,
            materials,
            bone_groups,
            bounds,
            lods,
            unknown_0x12,
            statistics,
            bone_matrices,
            extensions,
            unknown_blocks,
            layout: _,
        } = self;
        version.to_bits().hash(h);
        bones.len().hash(h);
        for Bone { name, parent, flags, bounds, local, world } in bones {
            (name, parent, flags, bounds.bits()).hash(h);
            floats(*local, h);
            floats(*world, h);
        }
        groups.len().hash(h);
        for Group { name, flags, parent, pivot } in groups {
            (name, flags, parent, pivot.map(|p| p.map(f32::to_bits))).hash(h);
        }
        runs.len().hash(h);
        for Run { group, first_mesh, mesh_count, bounds } in runs {
            (group, first_mesh, mesh_count, bounds.bits()).hash(h);
        }
        meshes.len().hash(h);
        for Mesh { flags, material, bone_group, vertices, indices, windows } in meshes {
            (flags, material, bone_group, vertices.count, indices.len(), windows.len()).hash(h);
            vertices.columns.len().hash(h);
            for Column { usage, values } in &vertices.columns {
                let shared = match values {
                    crate::Values::Same(of) => Some(*of),
                    _ => None,
                };
                (usage, values.format(), values.size(), values.len(), shared).hash(h);
            }
            windows.iter().for_each(|w| (w.first, w.count).hash(h));
        }
        materials.len().hash(h);
        for MaterialInstance { name, shader, technique, textures, parameters } in materials {
            (name, shader, technique, textures.len(), parameters.len()).hash(h);
            for Texture { slot, file, path } in textures {
                (slot, file, path).hash(h);
            }
            for Parameter { name, value } in parameters {
                (name,).hash(h);
                floats(*value, h);
            }
        }
        bone_groups.len().hash(h);
        for BoneGroup { max_weights, bones } in bone_groups {
            (max_weights, bones).hash(h);
        }
        bounds.bits().hash(h);
        lods.len().hash(h);
        lods.iter().for_each(|l| record(l, h));
        unknown_0x12.hash(h);
        statistics.len().hash(h);
        statistics.iter().for_each(|s| record(s, h));
        bone_matrices.len().hash(h);
        bone_matrices.iter().for_each(|m| floats(*m, h));
        extensions.hash(h);
        unknown_blocks.len().hash(h);
        for crate::UnknownBlock { section, id, count, bytes } in unknown_blocks {
            (section, id, count, bytes).hash(h);
        }
        hasher.finish()
    }
}
