//! Fixes of the file itself: one field of the header or of a table, after which the file is read again.

use galatea_wire::{Limits, Wire};

use crate::check::NEEDED;
use crate::layout::Original;
use crate::mesh::{Usage, Values};
use crate::model::Fmdl;
use crate::wire;

impl Fmdl {
    /// Writes fields into the file and reads it again: what was read with wrong fields may be wrong itself.
    fn patch(&mut self, fields: &[(usize, Vec<u8>)]) -> usize {
        if fields.is_empty() || !self.is_as_read() {
            return 0;
        }
        let Ok(mut bytes) = self.write() else { return 0 };
        for (at, field) in fields {
            let Some(slot) = bytes.get_mut(*at..*at + field.len()) else { return 0 };
            slot.copy_from_slice(field);
        }
        let limits = Limits::default().with_ratio(16);
        Fmdl::read(&bytes, &limits).map_or(0, |read| {
            *self = read;
            fields.len()
        })
    }

    fn file(&self) -> Option<&Original> {
        self.layout.original.as_deref()
    }
}

fn word(value: u32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

/// Sets the lists of blocks, if all blocks are known and every one that a model needs is there.
pub(super) fn block_masks(model: &mut Fmdl) -> usize {
    let Some(file) = model.file().filter(|_| model.unknown_blocks.is_empty()) else { return 0 };
    let (places, h) = (&file.places, &file.places.header);
    if NEEDED.iter().any(|id| places.table(*id).is_none()) {
        return 0;
    }
    let bits = |ids: &mut dyn Iterator<Item = u32>| {
        ids.fold(0u64, |bits, id| bits | 1u64.checked_shl(id).unwrap_or(0))
    };
    let first = bits(&mut places.tables.iter().map(|d| d.id.into()));
    let second = bits(&mut places.data.iter().map(|d| d.id));
    let mut fields = Vec::new();
    for (at, stored, right) in [(16, h.section_0_blocks, first), (24, h.section_1_blocks, second)] {
        if stored != right {
            fields.push((at, right.to_le_bytes().to_vec()));
        }
    }
    // A wrong id of a block would make one of the lists wrong, too, but two wrong lists are no single damage.
    if fields.len() == 1 { model.patch(&fields) } else { 0 }
}

/// Returns where the last data block ends, from the beginning of the file.
fn data_end(file: &Original) -> u64 {
    let section = u64::from(file.places.header.section_1.0);
    let end = |d: &wire::DataDescriptor| section + u64::from(d.offset.0) + u64::from(d.length);
    file.places.data.iter().map(end).max().unwrap_or(section)
}

/// Sets one length of the two sections that is wrong, if their offsets and the blocks say that the file is whole.
pub(super) fn section_lengths(model: &mut Fmdl) -> usize {
    let Some(file) = model.file() else { return 0 };
    let (h, len) = (&file.places.header, file.places.len as u64);
    let (first, second) = (u64::from(h.section_0.0), u64::from(h.section_1.0));
    let descriptors = h.descriptors
        + (file.places.tables.len() * wire::TableDescriptor::SIZE) as u64
        + (file.places.data.len() * wire::DataDescriptor::SIZE) as u64;
    let whole = data_end(file).next_multiple_of(16) >= len && data_end(file) <= len;
    let (Some(a), Some(b)) = (second.checked_sub(first), len.checked_sub(second)) else { return 0 };
    let wrong = (u64::from(h.section_0_length) != a, u64::from(h.section_1_length) != b);
    let field = match wrong {
        (true, false) if first == descriptors.next_multiple_of(16) => (0x2C, word(a as u32)),
        (false, true) if whole => (0x34, word(b as u32)),
        _ => return 0,
    };
    model.patch(&[field])
}

/// Sets the length of the one data block that runs past the end of a file which the header says is whole.
pub(super) fn data_lengths(model: &mut Fmdl) -> usize {
    let Some(file) = model.file() else { return 0 };
    let (h, len) = (&file.places.header, file.places.len as u64);
    let section = u64::from(h.section_1.0);
    if section + u64::from(h.section_1_length) != len {
        return 0;
    }
    let start = |d: &wire::DataDescriptor| section + u64::from(d.offset.0);
    let long = |d: &&wire::DataDescriptor| start(d) + u64::from(d.length) > len;
    let mut found = file.places.data.iter().enumerate().filter(|(_, d)| long(d));
    let (Some((at, wrong)), None) = (found.next(), found.next()) else { return 0 };
    // If it does not begin where the one before it ends, the offset is wrong instead.
    let before = file.places.data.iter().filter(|d| d.offset.0 < wrong.offset.0);
    let end = before.map(|d| start(d) + u64::from(d.length)).max().unwrap_or(section);
    if !(end..end + 16).contains(&start(wrong)) || start(wrong) >= len {
        return 0;
    }
    let next = file.places.data.iter().map(start).filter(|s| *s > start(wrong)).min().unwrap_or(len);
    let buffers = file.tables.buffers.last().map(|b| u64::from(b.offset.0) + u64::from(b.length));
    let length = match (wrong.id, buffers) {
        (2, Some(end)) if start(wrong) + end <= next => end,
        _ => next.saturating_sub(start(wrong)),
    };
    let descriptors = h.descriptors as usize + file.places.tables.len() * wire::TableDescriptor::SIZE;
    model.patch(&[(descriptors + at * wire::DataDescriptor::SIZE + 8, word(length as u32))])
}

/// Sets the one field of the buffer table that does not go with the others.
pub(super) fn buffers(model: &mut Fmdl) -> usize {
    let Some(file) = model.file() else { return 0 };
    let (Some(table), [a, b, c]) = (file.places.table(0xE), &file.tables.buffers[..]) else { return 0 };
    let Some(block) = file.places.data.iter().find(|d| d.id == 2).map(|d| d.length) else { return 0 };
    let all = [a, b, c];
    let field = |i: usize, at: usize, value: u32| (table + i * wire::Buffer::SIZE + at, word(value));
    let mut answers = Vec::new();
    for (i, (buffer, kind)) in all.iter().zip([0, 0, 1]).enumerate() {
        if buffer.kind != kind {
            answers.push(field(i, 0, kind));
        }
    }
    // Lengths that fill the block tell the offsets. Otherwise offsets that rise from zero tell the lengths.
    let lengths = all.iter().map(|b| u64::from(b.length)).sum::<u64>() == u64::from(block);
    let offsets =
        a.offset.0 == 0 && a.offset.0 <= b.offset.0 && b.offset.0 <= c.offset.0 && c.offset.0 <= block;
    if !lengths && !offsets {
        return 0;
    }
    let mut end = 0u32;
    for (i, buffer) in all.iter().enumerate() {
        let next = all.get(i + 1).map_or(block, |b| b.offset.0);
        if lengths && buffer.offset.0 != end {
            answers.push(field(i, 8, end));
        } else if !lengths && next - buffer.offset.0 != buffer.length {
            answers.push(field(i, 4, next - buffer.offset.0));
        }
        end = end.wrapping_add(buffer.length);
    }
    if answers.len() == 1 { model.patch(&answers) } else { 0 }
}

/// Sets first windows that are not where they should be, if there are as many windows as meshes and levels make.
pub(super) fn window_tables(model: &mut Fmdl) -> usize {
    let Some(file) = model.file() else { return 0 };
    let t = &file.tables;
    let levels = t.lods.first().map_or(0, |l| usize::from(l.count));
    if levels == 0 || t.windows.len() != levels * t.meshes.len() {
        return 0;
    }
    let mut fields = Vec::new();
    let (Some(meshes), Some(runs)) = (file.places.table(0x3), file.places.table(0x2)) else { return 0 };
    for (i, mesh) in t.meshes.iter().enumerate() {
        let expected = levels * i;
        let right = t.windows.get(expected).is_some_and(|w| w.first == 0 && w.count == mesh.index_count);
        if mesh.first_window as usize != expected && right {
            fields.push((meshes + i * wire::Mesh::SIZE + 24, word(expected as u32)));
        }
    }
    let mut next = 0;
    for (i, run) in t.runs.iter().enumerate() {
        let expected = levels * usize::from(run.first_mesh);
        // Runs follow each other, so a first mesh that is wrong shows.
        if usize::from(run.first_window) != expected && usize::from(run.first_mesh) == next {
            let Ok(value) = u16::try_from(expected) else { return 0 };
            fields.push((runs + i * wire::Run::SIZE + 16, value.to_le_bytes().to_vec()));
        }
        next = usize::from(run.first_mesh) + usize::from(run.mesh_count);
    }
    model.patch(&fields)
}

/// Sets usage masks of layouts all of whose attributes are known and there once.
pub(super) fn usage_masks(model: &mut Fmdl) -> usize {
    let masks = model.derive().usage_masks;
    let Some(file) = model.file() else { return 0 };
    let Some(table) = file.places.table(0x9) else { return 0 };
    let mut fields: Vec<(usize, Vec<u8>)> = Vec::new();
    for ((record, mesh), mask) in file.tables.meshes.iter().zip(&model.meshes).zip(masks) {
        let columns = &mesh.vertices.columns;
        let known = columns.iter().all(|c| {
            let once = columns.iter().filter(|o| o.usage == c.usage).count() == 1;
            once && !matches!(c.usage, Usage::Unknown(_)) && !matches!(c.values, Values::Raw { .. })
        });
        let stored = file.tables.layouts.get(usize::from(record.layout)).map(|l| l.usage_mask);
        let at = table + usize::from(record.layout) * wire::VertexLayout::SIZE + 2;
        if stored.is_some_and(|stored| stored != mask)
            && known
            && fields.iter().all(|(other, _)| *other != at)
        {
            fields.push((at, mask.to_le_bytes().to_vec()));
        }
    }
    model.patch(&fields)
}
