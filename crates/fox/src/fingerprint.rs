//! Tells whether anything but vertex values and indices was changed since reading.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;
use galatea_wire::Wire;

use crate::mesh::{Column, Mesh};
use crate::model::{Bone, BoneGroup, Fmdl, Group, MaterialInstance, Parameter, Run, Texture};
use crate::name::Name;

type FoldHasher = foldhash::fast::FoldHasher<'static>;

/// Hashes two words as one.
fn pair(a: u32, b: u32, h: &mut FoldHasher) {
    h.write_u64(u64::from(a) << 32 | u64::from(b));
}

/// Hashes floats by their bits, two at a time.
fn floats(values: &[f32], h: &mut FoldHasher) {
    let (pairs, last) = values.as_chunks::<2>();
    pairs.iter().for_each(|[a, b]| pair(a.to_bits(), b.to_bits(), h));
    last.iter().for_each(|x| pair(x.to_bits(), 0, h));
}

fn bounds_of(bounds: &crate::Bounds, h: &mut FoldHasher) {
    floats(&bounds.max, h);
    floats(&bounds.min, h);
}

fn name_of(name: &Name, h: &mut FoldHasher) {
    match name {
        Name::Hash(hash) => h.write_u64(*hash),
        Name::Text(text) => {
            h.write_u64(u64::MAX);
            text.hash(h);
        }
    }
}

/// Returns an index that may be missing, apart from every index that is not.
fn optional(index: Option<u16>) -> u32 {
    index.map_or(u32::MAX, u32::from)
}

/// Hashes a record by its bytes.
fn record<T: Wire>(value: &T, h: &mut FoldHasher) {
    let mut bytes = [0u8; 128];
    value.put(&mut bytes);
    h.write(bytes.get(..T::SIZE).unwrap_or(&bytes));
}

/// Hashes the shape of a mesh: how many values it has and how they are stored, not the values themselves.
fn mesh_of(mesh: &Mesh, h: &mut FoldHasher) {
    let Mesh { flags, material, bone_group, vertices, indices, windows } = mesh;
    pair(*flags, u32::from(*material) << 16 | u32::from(*bone_group), h);
    h.write_u64(vertices.count as u64);
    h.write_u64(indices.len() as u64);
    pair(windows.len() as u32, vertices.columns.len() as u32, h);
    for Column { usage, values } in &vertices.columns {
        // A usage is known by its variant too: UVs beyond set 3 are not the usage of the same number.
        let variant = match usage {
            crate::Usage::Unknown(_) => 2,
            crate::Usage::Uv(_) => 1,
            _ => 0,
        };
        let kind = match values {
            crate::Values::Same(of) => *of as u32 | 1 << 31,
            own => u32::from(own.format().unwrap_or(0)) | (own.size() as u32) << 8,
        };
        pair(u32::from(usage.id()) << 8 | variant, kind, h);
        h.write_u64(values.len().map_or(u64::MAX, |len| len as u64));
    }
    windows.iter().for_each(|w| pair(w.first, w.count, h));
}

fn material_of(material: &MaterialInstance, h: &mut FoldHasher) {
    let MaterialInstance { name, shader, technique, textures, parameters } = material;
    [name, shader, technique].iter().for_each(|n| name_of(n, h));
    pair(textures.len() as u32, parameters.len() as u32, h);
    for Texture { slot, file, path } in textures {
        name_of(slot, h);
        name_of(file, h);
        path.hash(h);
    }
    for Parameter { name, value } in parameters {
        name_of(name, h);
        floats(value, h);
    }
}

impl Fmdl {
    /// Returns a hash of all that the tables are made from. Vertex values and indices are left out: they have places of
    /// their own.
    ///
    /// Each struct is taken apart by all its fields, so that a new field cannot be forgotten here.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
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
            name_of(name, h);
            pair(optional(*parent), u32::from(*flags), h);
            bounds_of(bounds, h);
            floats(local, h);
            floats(world, h);
        }
        groups.len().hash(h);
        for Group { name, flags, parent, pivot } in groups {
            name_of(name, h);
            pair(optional(*parent), u32::from(*flags) << 1 | u32::from(pivot.is_some()), h);
            floats(&pivot.unwrap_or_default(), h);
        }
        runs.len().hash(h);
        for Run { group, first_mesh, mesh_count, bounds } in runs {
            pair(u32::from(*group), u32::from(*first_mesh) << 16 | u32::from(*mesh_count), h);
            bounds_of(bounds, h);
        }
        meshes.len().hash(h);
        meshes.iter().for_each(|mesh| mesh_of(mesh, h));
        materials.len().hash(h);
        materials.iter().for_each(|material| material_of(material, h));
        bone_groups.len().hash(h);
        for BoneGroup { max_weights, bones } in bone_groups {
            (max_weights, bones).hash(h);
        }
        bounds_of(bounds, h);
        lods.len().hash(h);
        lods.iter().for_each(|l| record(l, h));
        unknown_0x12.hash(h);
        statistics.len().hash(h);
        statistics.iter().for_each(|s| record(s, h));
        bone_matrices.len().hash(h);
        bone_matrices.iter().for_each(|m| floats(m, h));
        extensions.hash(h);
        unknown_blocks.len().hash(h);
        for crate::UnknownBlock { section, id, count, bytes } in unknown_blocks {
            (section, id, count, bytes).hash(h);
        }
        hasher.finish()
    }
}
