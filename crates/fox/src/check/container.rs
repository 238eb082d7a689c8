//! Rules about the file itself: header, blocks, tables and what they point at. Only for documents read from a file.

use galatea_wire::Wire;

use super::Checker;
use crate::layout::Original;
use crate::rules::*;
use crate::tables::Tables;
use crate::wire;

/// Tables that every game file has.
pub(crate) const NEEDED: &[u8] =
    &[0x1, 0x2, 0x3, 0x4, 0x7, 0x8, 0x9, 0xA, 0xB, 0xD, 0xE, 0x10, 0x11, 0x12, 0x14];

impl Checker<'_> {
    pub(super) fn container(&mut self) {
        let version = self.doc.version;
        if ![crate::Fmdl::GZ, crate::Fmdl::TPP].contains(&version) {
            self.add(&VERSION, Some(4), || "header".into(), || format!("version {version}"));
        }
        for (i, block) in self.doc.unknown_blocks.iter().enumerate() {
            let known = match block.section {
                0 => u8::try_from(block.id).is_ok_and(|id| Tables::IDS.contains(&id)),
                _ => block.id < 4,
            };
            let rule = if known { &DOUBLE_BLOCK } else { &UNKNOWN_BLOCK };
            self.add(
                rule,
                None,
                || format!("unknown_blocks[{i}]"),
                || format!("section {}, id 0x{:X}, {} bytes", block.section, block.id, block.bytes.len()),
            );
        }
        let Some(original) = self.original() else { return };
        self.header(original);
        self.references(original);
        self.texts(original);
        self.buffers(original);
    }

    fn header(&mut self, original: &Original) {
        let (places, h) = (&original.places, &original.places.header);
        let bits = |ids: &mut dyn Iterator<Item = u32>| {
            ids.fold(0u64, |bits, id| bits | 1u64.checked_shl(id).unwrap_or(0))
        };
        let first = bits(&mut places.tables.iter().map(|d| d.id.into()));
        let second = bits(&mut places.data.iter().map(|d| d.id));
        if (first, second) != (h.section_0_blocks, h.section_1_blocks) {
            self.add(
                &BLOCK_MASK,
                Some(16),
                || "header".into(),
                || {
                    let (a, b) = (h.section_0_blocks, h.section_1_blocks);
                    format!("0x{a:x} and 0x{b:x}, but the blocks give 0x{first:x} and 0x{second:x}")
                },
            );
        }
        let end = |at: u32, len: u32| u64::from(at) + u64::from(len);
        let (first_end, second_end) =
            (end(h.section_0.0, h.section_0_length), end(h.section_1.0, h.section_1_length));
        if first_end != u64::from(h.section_1.0) || second_end != places.len as u64 {
            self.add(&SECTION_LENGTH, Some(0x28), || "header".into(), || {
                let len = places.len;
                format!("section 0 ends at 0x{first_end:X}, section 1 at 0x{second_end:X}, the file at 0x{len:X}")
            });
        }
        let descriptors = h.descriptors + (places.tables.len() * wire::TableDescriptor::SIZE) as u64;
        for (i, d) in places.data.iter().enumerate() {
            let end = u64::from(h.section_1.0) + end(d.offset.0, d.length);
            if end > places.len as u64 {
                let at = descriptors + (i * wire::DataDescriptor::SIZE) as u64;
                self.add(
                    &DATA_LENGTH,
                    Some(at),
                    || format!("data descriptors[{i}]"),
                    || format!("block {} ends at 0x{end:X}, the file at 0x{:X}", d.id, places.len),
                );
            }
        }
        for gap in &places.gaps {
            self.add(&KEPT_BYTES, Some(gap.offset.into()), String::new, || {
                format!("{} bytes", gap.bytes.len())
            });
        }
        for id in NEEDED.iter().filter(|id| places.table(**id).is_none()) {
            self.add(&MISSING_TABLE, None, String::new, || format!("table 0x{id:X}"));
        }
        if original.shared {
            self.add(&SHARED_BYTES, None, String::new, || "tables, vertices or faces overlap".into());
        }
    }

    /// Indices into other tables that lead nowhere. They read as empty values, so only the tables can tell.
    fn references(&mut self, original: &Original) {
        let t = &original.tables;
        let names = if t.strings.is_empty() { t.hashes.len() } else { t.strings.len() };
        let name = |checker: &mut Self, table: u8, record: usize, size: usize, index: u16| {
            if usize::from(index) >= names {
                let at = original.places.table(table).map(|at| (at + record * size) as u64);
                let path = || format!("{}[{record}]", table_name(table));
                checker.add(&NAME_RANGE, at, path, || format!("name {index} of {names}"));
            }
        };
        for (i, b) in t.bones.iter().enumerate() {
            name(self, 0x0, i, wire::Bone::SIZE, b.name);
        }
        for (i, g) in t.groups.iter().enumerate() {
            name(self, 0x1, i, wire::Group::SIZE, g.name);
        }
        for (i, m) in t.instances.iter().enumerate() {
            name(self, 0x4, i, wire::MaterialInstance::SIZE, m.name);
        }
        for (i, x) in t.textures.iter().enumerate() {
            name(self, 0x6, i, wire::Texture::SIZE, x.file);
            if !t.strings.is_empty() {
                name(self, 0x6, i, wire::Texture::SIZE, x.path);
            } else if usize::from(x.path) >= t.paths.len() {
                let (at, of) = (self.record::<wire::Texture>(0x6, i), t.paths.len());
                let what = || format!("path {} of {of}", x.path);
                self.add(&TEXTURE_RANGE, at, || format!("textures[{i}]"), what);
            }
        }
        for (i, b) in t.bindings.iter().enumerate() {
            name(self, 0x7, i, wire::Binding::SIZE, b.name);
        }
        for (i, m) in t.materials.iter().enumerate() {
            name(self, 0x8, i, wire::Material::SIZE, m.shader);
            name(self, 0x8, i, wire::Material::SIZE, m.technique);
        }
        for (i, m) in t.instances.iter().enumerate() {
            self.instance(original, i, m);
        }
        let boxes = t.boxes.len();
        for (i, r) in t.runs.iter().enumerate().filter(|(_, r)| usize::from(r.bounds) >= boxes) {
            let at = self.record::<wire::Run>(0x2, i);
            self.add(&BOX_RANGE, at, || format!("runs[{i}]"), || format!("box {} of {boxes}", r.bounds));
        }
        for (i, b) in t.bones.iter().enumerate().filter(|(_, b)| usize::from(b.bounds) >= boxes) {
            let at = self.record::<wire::Bone>(0x0, i);
            self.add(&BOX_RANGE, at, || format!("bones[{i}]"), || format!("box {} of {boxes}", b.bounds));
        }
        let vectors = t.vectors.len();
        let lost = |g: &wire::Group| g.pivot != u16::MAX && usize::from(g.pivot) >= vectors;
        for (i, g) in t.groups.iter().enumerate().filter(|(_, g)| lost(g)) {
            let at = self.record::<wire::Group>(0x1, i);
            self.add(
                &PIVOT_RANGE,
                at,
                || format!("groups[{i}]"),
                || format!("value {} of {vectors}", g.pivot),
            );
        }
    }

    fn instance(&mut self, original: &Original, i: usize, m: &wire::MaterialInstance) {
        let t = &original.tables;
        let at = self.record::<wire::MaterialInstance>(0x4, i);
        let path = || format!("materials[{i}]");
        if usize::from(m.material) >= t.materials.len() {
            let of = t.materials.len();
            self.add(&SHADER_RANGE, at, path, || format!("material {} of {of}", m.material));
        }
        for (first, count) in [(m.first_texture, m.texture_count), (m.first_parameter, m.parameter_count)] {
            let end = usize::from(first) + usize::from(count);
            if end > t.bindings.len() {
                let of = t.bindings.len();
                self.add(&BINDING_RANGE, at, path, || format!("bindings {first} to {end} of {of}"));
            }
        }
        let some =
            |first: u16, count: u8| t.bindings.iter().enumerate().skip(first.into()).take(count.into());
        for (k, b) in some(m.first_texture, m.texture_count) {
            if usize::from(b.value) >= t.textures.len() {
                let (at, of) = (self.record::<wire::Binding>(0x7, k), t.textures.len());
                self.add(&TEXTURE_RANGE, at, path, || format!("texture {} of {of}", b.value));
            }
        }
        for (k, b) in some(m.first_parameter, m.parameter_count) {
            if usize::from(b.value) >= t.vectors.len() {
                let (at, of) = (self.record::<wire::Binding>(0x7, k), t.vectors.len());
                self.add(&PARAMETER_RANGE, at, path, || format!("value {} of {of}", b.value));
            }
        }
    }

    fn texts(&mut self, original: &Original) {
        let t = &original.tables;
        let empty = match t.texts.first() {
            Some(text) => text.is_empty(),
            None => t.hashes.first().is_none_or(|h| *h == crate::str_code64(b"")),
        };
        if !empty {
            self.add(&FIRST_NAME, None, || "names[0]".into(), || "not the empty name".into());
        }
        let block = original.places.data(3);
        let mut expected = 0u64;
        for (i, (entry, text)) in t.strings.iter().zip(&t.texts).enumerate() {
            let at = self.record::<wire::StringEntry>(0xC, i);
            let path = || format!("strings[{i}]");
            let end = block.unwrap_or(0) as u64 + u64::from(entry.offset.0) + u64::from(entry.length);
            if text.len() != usize::from(entry.length) || block.is_none() {
                self.add(&TEXT_RANGE, at, path, || {
                    format!("ends at 0x{end:X}, the file at 0x{:X}", original.places.len)
                });
            } else if entry.block != 3 || u64::from(entry.offset.0) != expected || text.contains(&0) {
                self.add(&TEXT_ENTRY, at, path, || {
                    format!("block {}, offset 0x{:X}, expected 0x{expected:X}", entry.block, entry.offset.0)
                });
            }
            expected = u64::from(entry.offset.0) + u64::from(entry.length) + 1;
        }
    }

    fn buffers(&mut self, original: &Original) {
        let t = &original.tables;
        let block = original.places.data.iter().find(|d| d.id == 2).map_or(0, |d| u64::from(d.length));
        let mut end = 0u64;
        let mut right = t.buffers.iter().map(|b| b.kind).eq([0, 0, 1]);
        for b in &t.buffers {
            right &= u64::from(b.offset.0) == end && b.length.is_multiple_of(16);
            end = u64::from(b.offset.0) + u64::from(b.length);
        }
        if !right || end != block {
            let at = self.record::<wire::Buffer>(0xE, 0);
            self.add(
                &BUFFERS,
                at,
                || "buffers".into(),
                || {
                    format!(
                        "{} buffers that end at 0x{end:X}, their block is 0x{block:X} long",
                        t.buffers.len()
                    )
                },
            );
        }
        let levels = t.lods.first().map_or(0, |l| u64::from(l.count));
        for (i, m) in t.meshes.iter().enumerate() {
            let expected = levels * i as u64;
            if u64::from(m.first_window) != expected && levels > 0 {
                let what = || format!("first window {}, expected {expected}", m.first_window);
                self.add(&WINDOW_TABLE, self.mesh_at(i), || format!("meshes[{i}]"), what);
            }
            self.mesh_data(original, i, m);
        }
        for (i, r) in t.runs.iter().enumerate() {
            let expected = (levels * u64::from(r.first_mesh)) as u16;
            if r.first_window != expected {
                let at = self.record::<wire::Run>(0x2, i);
                let what = || format!("first window {}, expected {expected}", r.first_window);
                self.add(&WINDOW_TABLE, at, || format!("runs[{i}]"), what);
            }
        }
    }

    /// Checks whether a mesh's indices and vertices lie inside their buffers, and its layout in the tables.
    fn mesh_data(&mut self, original: &Original, i: usize, m: &wire::Mesh) {
        let t = &original.tables;
        let at = self.mesh_at(i);
        let path = || format!("meshes[{i}]");
        let Some((streams, _)) = t.layout_of(m) else {
            self.add(&MESH_LAYOUT, at, path, || format!("layout {} of {}", m.layout, t.layouts.len()));
            return;
        };
        let count = self.doc.meshes.get(i).map_or(0, |m| m.indices.len()) as u64;
        let end = (u64::from(m.first_index) + count) * 2;
        if count > 0 && t.index_buffer().is_none_or(|b| end > u64::from(b.length)) {
            self.add(&BUFFER_RANGE, at, path, || format!("indices end at 0x{end:X} of their buffer"));
        }
        for stream in streams {
            let end = u64::from(stream.offset.0) + u64::from(m.vertex_count) * u64::from(stream.stride);
            let buffer = t.buffers.get(usize::from(stream.buffer));
            if buffer.is_none_or(|b| end > u64::from(b.length)) {
                self.add(&BUFFER_RANGE, at, path, || format!("vertices end at 0x{end:X} of their buffer"));
            }
        }
        let window = self.doc.meshes.get(i).and_then(|m| m.windows.first());
        if let Some(window) = window.filter(|w| w.count != m.index_count) {
            let (a, b) = (window.count, m.index_count);
            self.add(&WINDOW_FIRST, at, path, || format!("{a} indices in window 0, {b} in the mesh"));
        }
    }
}

fn table_name(table: u8) -> &'static str {
    match table {
        0x0 => "bones",
        0x1 => "groups",
        0x4 => "materials",
        0x6 => "textures",
        0x7 => "bindings",
        _ => "shaders",
    }
}
