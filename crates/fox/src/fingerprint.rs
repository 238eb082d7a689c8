//! Tells whether anything but vertex values and indices was changed since reading.

use std::hash::{Hash, Hasher};

use galatea_wire::Wire;

use crate::mesh::{Column, Mesh};
use crate::model::{Bone, BoneGroup, Fmdl, Group, MaterialInstance, Parameter, Run, Texture};
use crate::name::Name;

/// A quick hash for our own documents: each word is folded in by one wide multiplication.
struct Mix(u64);

impl Mix {
    fn fold(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (wide as u64 ^ (wide >> 64) as u64).wrapping_add(word).rotate_left(23);
    }
}

impl Mix {
    fn pair(&mut self, a: u32, b: u32) {
        self.fold(u64::from(a) << 32 | u64::from(b));
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|w| self.fold(u64::from_le_bytes(*w)));
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(l, r)| *l = *r);
        self.fold(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, n: u8) {
        self.fold(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.fold(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.fold(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.fold(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.fold(n as u64);
    }
}

/// Hashes floats by their bits, two at a time.
fn floats(values: &[f32], h: &mut Mix) {
    let (pairs, last) = values.as_chunks::<2>();
    pairs.iter().for_each(|[a, b]| h.pair(a.to_bits(), b.to_bits()));
    last.iter().for_each(|x| h.pair(x.to_bits(), 0));
}

fn bounds_of(bounds: &crate::Bounds, h: &mut Mix) {
    floats(&bounds.max, h);
    floats(&bounds.min, h);
}

fn name_of(name: &Name, h: &mut Mix) {
    match name {
        Name::Hash(hash) => h.fold(*hash),
        Name::Text(text) => {
            h.fold(u64::MAX);
            h.write(text);
        }
    }
}

/// Returns an index that may be missing, apart from every index that is not.
fn optional(index: Option<u16>) -> u32 {
    index.map_or(u32::MAX, u32::from)
}

/// Hashes a record by its bytes.
fn record<T: Wire>(value: &T, h: &mut Mix) {
    let mut bytes = [0u8; 128];
    value.put(&mut bytes);
    h.write(bytes.get(..T::SIZE).unwrap_or(&bytes));
}

/// Hashes the shape of a mesh: how many values it has and how they are stored, not the values themselves.
fn mesh_of(mesh: &Mesh, h: &mut Mix) {
    let Mesh { flags, material, bone_group, vertices, indices, windows } = mesh;
    h.pair(*flags, u32::from(*material) << 16 | u32::from(*bone_group));
    h.fold(vertices.count as u64);
    h.fold(indices.len() as u64);
    h.pair(windows.len() as u32, vertices.columns.len() as u32);
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
        h.pair(u32::from(usage.id()) << 8 | variant, kind);
        h.fold(values.len().map_or(u64::MAX, |len| len as u64));
    }
    windows.iter().for_each(|w| h.pair(w.first, w.count));
}

fn material_of(material: &MaterialInstance, h: &mut Mix) {
    let MaterialInstance { name, shader, technique, textures, parameters } = material;
    [name, shader, technique].iter().for_each(|n| name_of(n, h));
    h.pair(textures.len() as u32, parameters.len() as u32);
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
        let mut hasher = Mix(0x243F_6A88_85A3_08D3);
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
            h.pair(optional(*parent), u32::from(*flags));
            bounds_of(bounds, h);
            floats(local, h);
            floats(world, h);
        }
        groups.len().hash(h);
        for Group { name, flags, parent, pivot } in groups {
            name_of(name, h);
            h.pair(optional(*parent), u32::from(*flags) << 1 | u32::from(pivot.is_some()));
            floats(&pivot.unwrap_or_default(), h);
        }
        runs.len().hash(h);
        for Run { group, first_mesh, mesh_count, bounds } in runs {
            h.pair(u32::from(*group), u32::from(*first_mesh) << 16 | u32::from(*mesh_count));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_of_a_word_changes_the_hash() {
        let hash = |words: &[u64]| {
            let mut mix = Mix(1);
            words.iter().for_each(|w| mix.fold(*w));
            mix.finish()
        };
        let base: Vec<u64> = (0..20).map(|i| i * 0x0101_0101).collect();
        let mut seen = std::collections::HashSet::from([hash(&base)]);
        for at in 0..20 {
            for bit in 0..64 {
                let mut other = base.clone();
                other[at] ^= 1 << bit;
                assert!(seen.insert(hash(&other)), "word {at}, bit {bit}");
            }
        }
        assert!(seen.insert(hash(&base[..19])));
    }
}
