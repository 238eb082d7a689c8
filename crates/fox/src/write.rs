//! Document to bytes: the remembered layout while nothing but values changed, else the game compiler's.

use std::io;

use galatea_wire::{Error, Limits, Plan, Result, Wire, WriteError, Writer, write_to};

use crate::build::canonical_order;
use crate::layout::Places;
use crate::mesh::{Mesh, Values};
use crate::model::{Fmdl, UnknownBlock};
use crate::tables::{BOXES, Tables};
use crate::wire::{self, DataDescriptor, Header, TableDescriptor};

impl Fmdl {
    /// Returns the bytes of this document: identical to the file it was read from, if nothing was changed.
    ///
    /// ```
    /// use galatea_fox::Fmdl;
    /// let bytes = Fmdl::new(2.04).write()?;
    /// assert_eq!(Fmdl::read(&bytes, &Default::default())?.write()?, bytes);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn write(&self) -> Result<Vec<u8>> {
        let Some(original) = &self.layout.original else { return self.write_canonical(None) };
        if self.fingerprint() != original.fingerprint || !self.columns_are_whole() {
            return self.write_canonical(Some(&original.places));
        }
        let bytes = self.emit(&original.tables, &original.places, false)?;
        if original.shared {
            // Two things lie on the same bytes. If only one of them was changed, each needs a place of its own.
            let back = Fmdl::read(&bytes, &Limits::default().with_ratio(8));
            if back.is_ok_and(|back| !self.differences(&back).is_empty()) {
                return self.write_canonical(Some(&original.places));
            }
        }
        Ok(bytes)
    }

    /// Writes the file to a stream.
    pub fn write_to(&self, out: impl io::Write) -> Result<(), WriteError> {
        write_to(self.write(), out)
    }

    /// Returns `true` if every column has as many values as its mesh has vertices.
    fn columns_are_whole(&self) -> bool {
        let whole = |m: &Mesh| {
            let count = m.vertices.count;
            m.vertices.columns.iter().all(|c| c.values.len().is_none_or(|len| len == count))
        };
        self.meshes.iter().all(whole)
    }

    /// Lays the file out anew. Where every block keeps its size, the places and paddings of the old file are kept.
    fn write_canonical(&self, old: Option<&Places>) -> Result<Vec<u8>> {
        let tables = Tables::of(self)?;
        let places = self.plan(&tables)?;
        match old.filter(|old| same_shape(old, &places)) {
            Some(old) => {
                let mut kept = old.clone();
                kept.header.version = self.version;
                self.emit(&tables, &kept, true)
            }
            None => self.emit(&tables, &places, true),
        }
    }

    /// Returns the layout that the game's own compiler would choose.
    fn plan(&self, t: &Tables) -> Result<Places> {
        let unknown = |section| self.unknown_blocks.iter().filter(move |b| b.section == section);
        // A second block of the same id needs a first one before it, even an empty one.
        let twin = |section, id: u32| unknown(section).any(|b| b.id == id);
        let mut tables: Vec<(u8, usize, usize)> = Tables::IDS
            .iter()
            .filter(|id| t.count(**id) > 0 || ALWAYS.contains(id) || twin(0, u32::from(**id)))
            .map(|id| (*id, t.count(*id), t.count(*id) * Tables::record_size(*id)))
            .collect();
        for block in unknown(0) {
            let id = u8::try_from(block.id)
                .map_err(|_| Error::unrepresentable(format!("block id {} in section 0", block.id)))?;
            tables.push((id, block.count as usize, block.bytes.len()));
        }
        tables.sort_by_key(|(id, ..)| *id);
        let buffers = t.buffers.last().map_or(0, |b| b.offset.0 as usize + b.length as usize);
        let trailer = if self.extensions.is_empty() { 0 } else { self.extensions.len() + 1 };
        let texts = t.strings_end() + trailer;
        let mut data: Vec<(u32, usize)> = [
            (0, t.vectors.len() * 16, !t.vectors.is_empty()),
            (1, t.matrices.len() * 64, !t.matrices.is_empty()),
            (2, buffers, true),
            (3, texts, !t.strings.is_empty() || trailer > 0),
        ]
        .into_iter()
        .filter_map(|(id, len, there)| (there || twin(1, id)).then_some((id, len)))
        .chain(unknown(1).map(|b| (b.id, b.bytes.len())))
        .collect();
        data.sort_by_key(|(id, _)| *id);

        let mut plan = Plan::new(0);
        let mut header = Header { signature: *b"FMDL", version: self.version, ..Header::default() };
        plan.record::<Header>();
        header.descriptors = plan.len() as u64;
        plan.array::<TableDescriptor>(tables.len());
        plan.array::<DataDescriptor>(data.len());
        plan.align(16);
        let first = plan.len();
        let mut out = Places::default();
        for (id, count, bytes) in &tables {
            if *id == BOXES {
                // Relative to section 0, which itself is aligned.
                plan.align(16);
            }
            let at = plan.block(*bytes) - first;
            let overflow = u8::try_from(count >> 16)
                .map_err(|_| Error::unrepresentable(format!("{count} records in one table")))?;
            out.tables.push(TableDescriptor {
                id: *id,
                overflow,
                count: (count & 0xFFFF) as u16,
                offset: Writer::offset(at)?,
            });
            header.section_0_blocks |= 1u64.checked_shl(u32::from(*id)).unwrap_or(0);
        }
        plan.align(16);
        let second = plan.len();
        for (id, bytes) in &data {
            let at = plan.block(*bytes) - second;
            let length = Writer::count(*bytes, "bytes")?;
            out.data.push(DataDescriptor { id: *id, offset: Writer::offset(at)?, length });
            header.section_1_blocks |= 1u64.checked_shl(*id).unwrap_or(0);
        }
        header.section_0_count = out.tables.len() as u32;
        header.section_1_count = out.data.len() as u32;
        header.section_0 = Writer::offset(first)?;
        header.section_0_length = Writer::count(second - first, "bytes")?;
        header.section_1 = Writer::offset(second)?;
        header.section_1_length = Writer::count(plan.len() - second, "bytes")?;
        out.header = header;
        out.len = plan.len();
        Ok(out)
    }

    /// Fills a planned file.
    fn emit(&self, t: &Tables, places: &Places, canonical: bool) -> Result<Vec<u8>> {
        let mut w = Writer::new(places.len);
        w.gaps(&places.gaps)?;
        w.put(0, &places.header)?;
        let at = usize::try_from(places.header.descriptors).unwrap_or(usize::MAX);
        w.array(at, &places.tables)?;
        w.array(at + places.tables.len() * TableDescriptor::SIZE, &places.data)?;
        let (first, second) = (places.header.section_0.0 as usize, places.header.section_1.0 as usize);
        let mut unknown = self.unknown_blocks.iter().filter(|b| b.section == 0);
        let mut seen = [false; 256];
        for d in &places.tables {
            let at = first + d.offset.0 as usize;
            let fresh = seen.get_mut(usize::from(d.id)).is_some_and(|s| !std::mem::replace(s, true));
            if fresh && Tables::record_size(d.id) > 0 {
                t.write(d.id, &mut w, at)?;
            } else {
                put_unknown(&mut w, at, unknown.next())?;
            }
        }
        let mut unknown = self.unknown_blocks.iter().filter(|b| b.section == 1);
        let mut seen = [false; 4];
        for d in &places.data {
            let at = second + d.offset.0 as usize;
            let fresh = seen.get_mut(d.id as usize).is_some_and(|s| !std::mem::replace(s, true));
            match d.id {
                0 if fresh => w.array(at, &t.vectors)?,
                1 if fresh => w.array(at, &t.matrices)?,
                2 | 3 if fresh => {}
                _ => put_unknown(&mut w, at, unknown.next())?,
            }
        }
        let texts = places.data(3).unwrap_or(0);
        for (entry, text) in t.strings.iter().zip(&t.texts) {
            // A text that lay outside the file was not read, and is empty.
            if !text.is_empty() {
                w.bytes(texts + entry.offset.0 as usize, text)?;
            }
        }
        if !self.extensions.is_empty() {
            w.bytes(texts + t.strings_end(), &self.extensions)?;
        }
        let block = places.data(2).unwrap_or(0);
        let indices = block + t.index_buffer().map_or(0, |b| b.offset.0 as usize);
        for (mesh, record) in self.meshes.iter().zip(&t.meshes) {
            w.array(indices + record.first_index as usize * 2, &mesh.indices)?;
            put_vertices(&mut w, t, record, mesh, block, canonical)?;
        }
        Ok(w.into_bytes())
    }
}

/// Tables that every game file has, even empty.
const ALWAYS: &[u8] = &[0x1, 0x2, 0x3, 0x4, 0x7, 0x8, 0x9, 0xA, 0xB, 0xD, 0xE, 0x10, 0x11, 0x12, 0x14];

/// Returns `true` if both have the same blocks of the same sizes.
fn same_shape(old: &Places, new: &Places) -> bool {
    let table = |d: &TableDescriptor| (d.id, d.overflow, d.count);
    let data = |d: &DataDescriptor| (d.id, d.length);
    old.tables.iter().map(table).eq(new.tables.iter().map(table))
        && old.data.iter().map(data).eq(new.data.iter().map(data))
}

fn put_unknown(w: &mut Writer, at: usize, block: Option<&UnknownBlock>) -> Result<()> {
    match block {
        Some(block) if !block.bytes.is_empty() => w.bytes(at, &block.bytes),
        _ => Ok(()),
    }
}

/// Interleaves the columns of a mesh into its places.
fn put_vertices(
    w: &mut Writer,
    t: &Tables,
    record: &wire::Mesh,
    mesh: &Mesh,
    block: usize,
    canonical: bool,
) -> Result<()> {
    let Some((streams, elements)) = t.layout_of(record) else { return Ok(()) };
    let columns = &mesh.vertices.columns;
    let order = if canonical { canonical_order(mesh) } else { (0..columns.len()).collect() };
    let mut next = elements.iter().zip(&order);
    for stream in streams {
        let buffer = t.buffers.get(usize::from(stream.buffer)).map_or(0, |b| b.offset.0 as usize);
        let at = block + buffer + stream.offset.0 as usize;
        let stride = usize::from(stream.stride);
        let run = w.slice(at, mesh.vertices.count * stride)?;
        for (element, column) in next.by_ref().take(stream.element_count.into()) {
            if let Some(column) = columns.get(*column) {
                put_column(run, stride, usize::from(element.offset), &column.values);
            }
        }
    }
    Ok(())
}

/// Writes one attribute into interleaved vertices.
fn put_column(run: &mut [u8], stride: usize, offset: usize, values: &Values) {
    /// Stores values of a fixed size at a fixed distance, which the optimiser turns into plain moves.
    fn all<T, const N: usize>(
        run: &mut [u8],
        stride: usize,
        offset: usize,
        values: &[T],
        put: impl Fn(&T) -> [u8; N],
    ) {
        for (vertex, value) in run.chunks_exact_mut(stride.max(1)).zip(values) {
            if let Some(slot) = vertex.get_mut(offset..).and_then(|v| v.first_chunk_mut()) {
                *slot = put(value);
            }
        }
    }
    fn join<const N: usize, const M: usize, const L: usize>(parts: [[u8; N]; M]) -> [u8; L] {
        parts.as_flattened().first_chunk().copied().unwrap_or([0; L])
    }
    let words4 = |v: &[u16; 4]| join(v.map(u16::to_le_bytes));
    match values {
        Values::F32x3(v) => all::<_, 12>(run, stride, offset, v, |v| join(v.map(f32::to_le_bytes))),
        Values::F32x2(v) => all::<_, 8>(run, stride, offset, v, |v| join(v.map(f32::to_le_bytes))),
        Values::U16x4(v) | Values::F16x4(v) => all::<_, 8>(run, stride, offset, v, words4),
        Values::F16x2(v) => all::<_, 4>(run, stride, offset, v, |v| join(v.map(u16::to_le_bytes))),
        Values::Unorm8x4(v) | Values::U8x4(v) => all::<_, 4>(run, stride, offset, v, |v| *v),
        Values::Same(_) => {}
        Values::Raw { width, bytes, .. } => {
            for (vertex, value) in
                run.chunks_exact_mut(stride.max(1)).zip(bytes.chunks_exact((*width).max(1)))
            {
                if let Some(slot) = vertex.get_mut(offset..offset + width) {
                    slot.copy_from_slice(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_an_empty_model_follow_the_rule() {
        let bytes = Fmdl::new(2.04).write().unwrap();
        let header = Header::get(&bytes);
        assert_eq!(header.descriptors, 0x40);
        assert_eq!(header.section_0.0 % 16, 0);
        assert_eq!(header.section_1.0, header.section_0.0 + header.section_0_length);
        assert_eq!(bytes.len() as u32, header.section_1.0 + header.section_1_length);
    }
}
