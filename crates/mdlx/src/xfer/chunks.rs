//! The frame: which chunks a file has, in which order, and what is in each.

use std::collections::BTreeMap;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Part, ReadXfer, Result, WriteXfer};

use super::geosets::{read_buffers, write_buffers};
use crate::{CHUNKS, Chunk, Feature, Layout, Model, ModelInfo, Tag, UnknownChunk, Version, chunk_info};

const MAGIC: [u8; 4] = *b"MDLX";

/// Whether these bytes begin like an MDX file.
///
/// ```
/// assert!(galatea_mdlx::detect(b"MDLXVERS"));
/// assert!(!galatea_mdlx::detect(b"Version {"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// What every byte of a file is, as found by reading it; and where reading stopped, if it did.
///
/// ```
/// use galatea_mdlx::{Limits, Model, Version, inspect};
/// let bytes = Model::new(Version(800)).write().unwrap();
/// let (coverage, error) = inspect(&bytes, &Limits::default());
/// assert!(error.is_none() && coverage.gaps(bytes.len()).is_empty());
/// ```
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let mut x = ReadXfer::new(bytes, limits).traced();
    let error = Model::default().read_from(&mut x).err();
    (x.into_coverage(), error)
}

/// The version, found by walking the chunks: other chunks may stand before `VERS`.
fn find_version(bytes: &[u8]) -> Option<(Version, usize)> {
    let mut rest = bytes.get(4..)?;
    loop {
        let (tag, after) = rest.split_first_chunk::<4>()?;
        let (size, body) = after.split_first_chunk::<4>()?;
        let size = u32::from_le_bytes(*size) as usize;
        if tag == b"VERS" {
            let at = bytes.len() - body.len();
            return body.first_chunk().map(|v| (Version(u32::from_le_bytes(*v)), at));
        }
        rest = body.get(size..)?;
    }
}

impl Model {
    /// Reads a file.
    ///
    /// ```
    /// use galatea_mdlx::{Limits, Model};
    /// let error = Model::read(b"MDLXVERS\x04\0\0\0\x39\x05\0\0", &Limits::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "0xC VERS: unsupported: version 1337");
    /// ```
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Model> {
        let mut model = Model::default();
        model.read_from(&mut ReadXfer::new(bytes, limits))?;
        Ok(model)
    }

    fn read_from(&mut self, x: &mut ReadXfer<'_>) -> Result<()> {
        if !detect(x.data()) {
            return Err(Error::at(ErrorKind::NotThisFormat, 0));
        }
        x.val("magic", &mut [0u8; 4])?;
        let Some((version, at)) = find_version(x.data()) else {
            return x.scope("chunks", None, |x| Err(x.mismatch("a VERS chunk", "none")));
        };
        if !version.is_supported() {
            let kind = ErrorKind::Unsupported(format!("version {version}").into());
            return Err(Error::at(kind, at).within("VERS"));
        }
        self.version = version;
        let mut singles = Vec::new();
        while x.left() > 0 {
            self.read_chunk(x, &mut singles)?;
        }
        Ok(())
    }

    fn read_chunk(&mut self, x: &mut ReadXfer<'_>, singles: &mut Vec<Tag>) -> Result<()> {
        let tag = Tag(x.peek_tag().unwrap_or(*b"    "));
        let single = self.is_single(tag);
        let repeated = singles.contains(&tag);
        if single && !repeated {
            singles.push(tag);
        }
        let info = chunk_info(tag, self.version).filter(|_| !repeated);
        let start = x.mark();
        x.scope(info.map_or("unknown", |i| i.name), None, |x| {
            x.val("tag", &mut [0u8; 4])?;
            let mut chunk = Chunk { tag, ..Chunk::default() };
            if info.is_none() {
                return self.read_unknown(x, chunk);
            }
            let mut part = Part::default();
            let known = x.sized(false, |x| self.read_body(x, tag, &mut part, &mut chunk.aux));
            match known {
                Ok(()) => {
                    let items = if single { self.items(tag) } else { part.count };
                    chunk.items = u32::try_from(items).unwrap_or(u32::MAX);
                    x.push(&mut self.layout.chunks, chunk)
                }
                // Nobody has seen one: what is known of it may be wrong.
                Err(_) if tag.0 == *b"SNEM" || tag.0 == *b"SNDS" => {
                    if tag.0 == *b"SNEM" {
                        self.sound_emitters.truncate(part.start);
                    } else {
                        self.sounds.truncate(part.start);
                    }
                    x.rewind(start);
                    x.scope("unknown", None, |x| {
                        x.val("tag", &mut [0u8; 4])?;
                        self.read_unknown(x, chunk)
                    })
                }
                Err(error) => Err(error),
            }
        })
    }

    fn read_unknown(&mut self, x: &mut ReadXfer<'_>, mut chunk: Chunk) -> Result<()> {
        let mut bytes = Vec::new();
        x.sized(false, |x| x.rest("bytes", &mut bytes))?;
        x.push(&mut self.unknown, UnknownChunk { tag: chunk.tag, bytes: bytes.into() })?;
        chunk.unknown = true;
        chunk.items = 1;
        x.push(&mut self.layout.chunks, chunk)
    }

    /// Whether there is one of it, or none: a second chunk of this kind cannot be read.
    fn is_single(&self, tag: Tag) -> bool {
        let wow = self.version.is_wow();
        match &tag.0 {
            b"VERS" | b"MODL" | b"BPOS" => true,
            b"CLID" => wow,
            b"GEOS" => self.version.has(Feature::VertexBuffers),
            _ => false,
        }
    }

    /// Writes the file: the same bytes if nothing was changed since reading. Chunks that are new get the place at which
    /// Blizzard's own tools put them.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// assert!(Model::new(Version(1100)).write().unwrap().starts_with(b"MDLXVERS\x04\0\0\0\x4c\x04\0\0MODL"));
    /// ```
    pub fn write(&self) -> Result<Vec<u8>> {
        self.write_laid_out(&self.layout)
    }

    /// Writes the file with another order of chunks.
    pub(crate) fn write_laid_out(&self, layout: &Layout) -> Result<Vec<u8>> {
        let mut x = WriteXfer::with_capacity(self.weight());
        self.write_to(&mut x, layout)?;
        Ok(x.into_bytes())
    }

    /// Where each item of each list begins in the file that [`write`](Self::write) writes, by the list's name.
    pub(crate) fn places(&self) -> Vec<(&'static str, u32)> {
        let mut x = WriteXfer::with_capacity(self.weight()).placed();
        match self.write_to(&mut x, &self.layout) {
            Ok(()) => x.into_starts(),
            Err(_) => Vec::new(),
        }
    }

    /// About as many bytes as the file will have.
    fn weight(&self) -> usize {
        let geosets: usize =
            self.geosets.iter().map(|g| g.vertices.len() * 40 + g.faces.len() * 2 + 1024).sum();
        geosets + self.node_count() * 256 + self.sequences.len() * 132 + self.textures.len() * 268 + 1024
    }

    fn write_to(&self, x: &mut WriteXfer, layout: &Layout) -> Result<()> {
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

    /// How many items the document has for this chunk.
    fn items(&self, tag: Tag) -> usize {
        let wow = self.version.is_wow();
        match &tag.0 {
            b"VERS" => 1,
            b"MODL" => 1,
            b"SEQS" => self.sequences.len(),
            b"GLBS" => self.global_sequences.len(),
            b"MTLS" => self.materials.len(),
            b"TEXS" => self.textures.len(),
            b"TXAN" => self.texture_anims.len(),
            b"GEOS" => self.geosets.len(),
            b"GEOA" => self.geoset_anims.len(),
            b"BONE" => self.bones.len(),
            b"LITE" => self.lights.len(),
            b"HELP" => self.helpers.len(),
            b"ATCH" => self.attachments.len(),
            b"PIVT" => self.pivots.len(),
            b"PREM" => self.particle_emitters.len(),
            b"PRE2" => self.particle_emitters2.len(),
            b"RIBB" => self.ribbon_emitters.len(),
            b"CAMS" => self.cameras.len(),
            b"EVTS" => self.events.len(),
            b"HTST" => self.collision_shapes.len(),
            b"CLID" if wow => usize::from(self.collision_mesh.is_some()),
            b"CLID" => self.collision_shapes.len(),
            b"BPOS" => self.bind_poses.len(),
            b"FAFX" => self.face_effects.len(),
            b"CORN" => self.popcorn_emitters.len(),
            b"SNDS" => self.sounds.len(),
            b"SNEM" => self.sound_emitters.len(),
            _ => 0,
        }
    }

    /// The chunks to write, and which items go into each.
    fn plan(&self, layout: &Layout) -> Vec<(Chunk, Part)> {
        let mut out: Vec<(Chunk, Part)> = Vec::with_capacity(layout.chunks.len());
        // What each list had when it was read, and how many of its items have found their chunk.
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
            // Of a list that grew or shrank the first chunk takes everything.
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

    /// Puts chunks that the layout does not have where Blizzard's own tools would.
    fn plan_new(&self, layout: &Layout, out: &mut Vec<(Chunk, Part)>) {
        for (rank, info) in CHUNKS.iter().enumerate() {
            let count = self.items(info.tag);
            let there = out.iter().any(|(c, _)| c.tag == info.tag && !c.unknown);
            // A file without it gets none as long as there is nothing to say.
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

    /// Takes over the layout that [`write`](Self::write) would use, as if the file had just been read.
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

    /// What this layout becomes when the file is written.
    pub(crate) fn planned_layout(&self, layout: &Layout) -> Layout {
        let chunks = self
            .plan(layout)
            .into_iter()
            .map(|(chunk, part)| Chunk { items: u32::try_from(part.count).unwrap_or(u32::MAX), ..chunk });
        Layout { chunks: chunks.collect() }
    }
}

/// The bodies of all chunks, for one direction.
macro_rules! body {
    ($name:ident, $x:ty, $buffers:ident, ($($this:tt)+), ($($vec:tt)+)) => {
        impl Model {
            fn $name(
                $($this)+ self,
                x: &mut $x,
                tag: Tag,
                part: &mut Part,
                aux: &mut u32,
            ) -> Result<()> {
                let v = self.version;
                let Model {
                    version, info, sequences, global_sequences, materials, textures, texture_anims, geosets,
                    geoset_anims, bones, lights, helpers, attachments, pivots, particle_emitters, particle_emitters2,
                    ribbon_emitters, cameras, events, collision_shapes, collision_mesh, bind_poses, face_effects,
                    popcorn_emitters, sounds, sound_emitters, unknown: _, layout: _,
                } = self;
                let announced = !matches!(
                    &tag.0,
                    b"VERS" | b"MODL" | b"GLBS" | b"TEXS" | b"PIVT" | b"CLID"
                );
                let buffers = tag.0 == *b"GEOS" && v.has(Feature::VertexBuffers);
                if v.is_wow() && announced && !buffers {
                    x.announce(part)?;
                    if matches!(&tag.0, b"MTLS" | b"ATCH") {
                        x.val("aux", aux)?;
                    }
                }
                match &tag.0 {
                    b"VERS" => x.val("version", $($vec)+ version.0),
                    b"MODL" => x.record(info, v),
                    b"SEQS" => x.list("sequences", sequences, part, v),
                    b"GLBS" => x.fill("global_sequences", global_sequences, part),
                    b"MTLS" => x.list("materials", materials, part, v),
                    b"TEXS" => x.list("textures", textures, part, v),
                    b"TXAN" => x.list("texture_anims", texture_anims, part, v),
                    b"GEOS" if buffers => $buffers(x, geosets, part),
                    b"GEOS" => x.list("geosets", geosets, part, v),
                    b"GEOA" => x.list("geoset_anims", geoset_anims, part, v),
                    b"BONE" => x.list("bones", bones, part, v),
                    b"LITE" => x.list("lights", lights, part, v),
                    b"HELP" => x.list("helpers", helpers, part, v),
                    b"ATCH" => x.list("attachments", attachments, part, v),
                    b"PIVT" => x.fill("pivots", pivots, part),
                    b"PREM" => x.list("particle_emitters", particle_emitters, part, v),
                    b"PRE2" => x.list("particle_emitters2", particle_emitters2, part, v),
                    b"RIBB" => x.list("ribbon_emitters", ribbon_emitters, part, v),
                    b"CAMS" => x.list("cameras", cameras, part, v),
                    b"EVTS" => x.list("events", events, part, v),
                    b"CLID" if v.is_wow() => x.boxed(collision_mesh, v),
                    b"HTST" | b"CLID" => x.list("collision_shapes", collision_shapes, part, v),
                    b"BPOS" => x.counted("bind_poses", bind_poses),
                    b"FAFX" => x.list("face_effects", face_effects, part, v),
                    b"CORN" => x.list("popcorn_emitters", popcorn_emitters, part, v),
                    b"SNDS" => x.list("sounds", sounds, part, v),
                    b"SNEM" => x.list("sound_emitters", sound_emitters, part, v),
                    _ => Err(x.error(ErrorKind::Unsupported(format!("chunk {tag}").into()))),
                }
            }
        }
    };
}
body!(read_body, ReadXfer<'_>, read_buffers, (&mut), (&mut));
body!(write_body, WriteXfer, write_buffers, (&), (&));
