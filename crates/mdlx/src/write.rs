//! Writing: the document to bytes. Plans which chunks are written, in which order and with which items.

use std::collections::BTreeMap;
use std::io;

use galatea_wire::{Error, Part, Result, WriteError, WriteXfer, write_to};

use crate::xfer::MAGIC;
use crate::{CHUNKS, Chunk, Layout, Model, ModelInfo, Tag, chunk_info};

impl Model {
    /// Writes the file: the same bytes if nothing was changed since reading. New chunks are placed where Blizzard's own tools
    /// put them.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// assert!(Model::new(Version(1100)).write().unwrap().starts_with(b"MDLXVERS\x04\0\0\0\x4c\x04\0\0MODL"));
    /// ```
    pub fn write(&self) -> Result<Vec<u8>> {
        self.write_laid_out(&self.layout)
    }

    /// Writes the file to a stream.
    pub fn write_to(&self, out: impl io::Write) -> Result<(), WriteError> {
        write_to(self.write(), out)
    }

    /// Writes the file with the given chunk order.
    pub(crate) fn write_laid_out(&self, layout: &Layout) -> Result<Vec<u8>> {
        let mut x = WriteXfer::with_capacity(self.weight());
        self.write_chunks(&mut x, layout)?;
        Ok(x.into_bytes())
    }

    /// Returns the offset of each list item in the file that [`write`](Self::write) produces, with the name of its list.
    pub(crate) fn places(&self) -> Vec<(&'static str, u32)> {
        let mut x = WriteXfer::with_capacity(self.weight()).placed();
        match self.write_chunks(&mut x, &self.layout) {
            Ok(()) => x.into_starts(),
            Err(_) => Vec::new(),
        }
    }

    /// Returns an estimate of the file size.
    fn weight(&self) -> usize {
        let geosets: usize =
            self.geosets.iter().map(|g| g.vertices.len() * 40 + g.faces.len() * 2 + 1024).sum();
        geosets + self.node_count() * 256 + self.sequences.len() * 132 + self.textures.len() * 268 + 1024
    }

    fn write_chunks(&self, x: &mut WriteXfer, layout: &Layout) -> Result<()> {
        if !self.version.is_supported() {
            return Err(Error::unrepresentable(format!("version {}", self.version)));
        }
        x.val("magic", &MAGIC)?;
        for (chunk, mut part) in self.plan(layout) {
            x.val("tag", &chunk.tag)?;
            if chunk.unknown {
                let bytes = self.unknown.get(part.start).map_or(&[][..], |u| &u.bytes);
                x.sized(false, |x| x.rest("bytes", bytes))?;
            } else {
                x.sized(false, |x| self.write_body(x, chunk.tag, &mut part, &mut { chunk.aux }))?;
            }
        }
        Ok(())
    }

    /// Returns the chunks to write, and which items go into each.
    fn plan(&self, layout: &Layout) -> Vec<(Chunk, Part)> {
        let mut out: Vec<(Chunk, Part)> = Vec::with_capacity(layout.chunks.len());
        // For each list, its length when it was read, and how many of its items are assigned to a chunk.
        let mut lists: BTreeMap<Tag, (usize, usize)> = BTreeMap::new();
        for chunk in layout.chunks.iter().filter(|c| !c.unknown) {
            lists.entry(chunk.tag).or_default().0 += chunk.items as usize;
        }
        let mut unknown = 0usize;
        for chunk in &layout.chunks {
            if chunk.unknown {
                if self.unknown.get(unknown).is_some_and(|u| u.tag == chunk.tag) {
                    out.push((*chunk, Part { start: unknown, count: 1, announced: None }));
                    unknown += 1;
                }
                continue;
            }
            if chunk_info(chunk.tag, self.version).is_none() {
                continue;
            }
            let total = self.items(chunk.tag);
            let (before, start) = lists.entry(chunk.tag).or_default();
            let as_read = *before == total;
            // If a list has grown or shrunk, its first chunk takes all items.
            let count = if as_read { chunk.items as usize } else { total.saturating_sub(*start) };
            if count > 0 || chunk.items == 0 {
                out.push((*chunk, Part { start: *start, count, announced: None }));
            }
            *start += count;
        }
        self.plan_new(layout, &mut out);
        for (index, chunk) in self.unknown.iter().enumerate().skip(unknown) {
            let kept = Chunk { tag: chunk.tag, items: 1, aux: 0, unknown: true };
            out.push((kept, Part { start: index, count: 1, announced: None }));
        }
        for (chunk, part) in &mut out {
            let new = chunk.items as usize != part.count;
            if chunk.tag.0 == *b"ATCH" && self.version.is_wow() && new {
                chunk.aux = self.attachments.iter().map(|a| a.attachment_id).max().unwrap_or(0);
            }
        }
        out
    }

    /// Inserts chunks that the layout lacks where Blizzard's own tools put them.
    fn plan_new(&self, layout: &Layout, out: &mut Vec<(Chunk, Part)>) {
        for (rank, info) in CHUNKS.iter().enumerate() {
            let count = self.items(info.tag);
            let there = out.iter().any(|(c, _)| c.tag == info.tag && !c.unknown);
            // A file without MODL gets one only if there is something to store in it.
            let silent =
                info.name == "MODL" && !layout.chunks.is_empty() && self.info == ModelInfo::default();
            if count == 0 || there || silent || !info.versions.contains(&self.version.0) {
                continue;
            }
            let after = |c: &Chunk| !c.unknown && CHUNKS.iter().take(rank).any(|i| i.tag == c.tag);
            let at = out.iter().rposition(|(c, _)| after(c)).map_or(0, |i| i + 1);
            let chunk = Chunk { tag: info.tag, ..Chunk::default() };
            out.insert(at, (chunk, Part { start: 0, count, announced: None }));
        }
    }

    /// Sets the layout to the one that [`write`](Self::write) uses, as if the file had just been read.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// let mut model = Model::new(Version(800));
    /// model.settle_layout();
    /// let tags: Vec<String> = model.layout.chunks.iter().map(|c| c.tag.to_string()).collect();
    /// assert_eq!(tags, ["VERS", "MODL"]);
    /// ```
    pub fn settle_layout(&mut self) {
        self.layout = self.planned_layout(&self.layout);
    }

    /// Returns the layout of the written file, given this one.
    pub(crate) fn planned_layout(&self, layout: &Layout) -> Layout {
        let chunks = self
            .plan(layout)
            .into_iter()
            .map(|(chunk, part)| Chunk { items: u32::try_from(part.count).unwrap_or(u32::MAX), ..chunk });
        Layout { chunks: chunks.collect() }
    }
}
