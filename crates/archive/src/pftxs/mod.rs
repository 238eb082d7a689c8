//! PFTXS: the textures that belong to an FPK, by the hashes of their paths.

mod wire;

use std::sync::Arc;

use galatea_fox::{extension_code, path_code64};
use galatea_wire::{Coverage, Error, ErrorKind, Limits, Report, Result, Wire, Writer, escape, put_array};

pub use wire::{PftxsHead, PftxsPart, PftxsTexture};

use crate::edits::{Slot, apply};
use crate::rewrite::Rewrite;
use crate::tables::{self, Tables};
use crate::{Archive, Edit, Entry, Kind, ReadAt, check, rules};

/// A PFTXS: its header and the heads of its textures. Their bytes stay in the source.
#[derive(Debug, Clone)]
pub struct Pftxs {
    source: Arc<dyn ReadAt>,
    /// The header.
    pub head: PftxsHead,
    /// The textures, each with where it begins.
    pub textures: Vec<(u64, PftxsTexture)>,
    /// The files of all textures, each with the number of its texture and its own number there.
    pub parts: Vec<(u32, u32, PftxsPart)>,
}

/// Returns `true` if these bytes begin like a PFTXS.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PFTX")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    tables::inspect(bytes, limits, Pftxs::read)
}

/// The bits of a path code that two files of one texture share.
const PATH: u64 = (1 << 51) - 1;

impl Pftxs {
    /// Returns an archive without textures.
    #[allow(clippy::new_without_default, reason = "the same name as in the other containers")]
    pub fn new() -> Pftxs {
        let head = PftxsHead {
            magic: *b"PFTX",
            version: 0x4000_0000,
            list_offset: 16,
            list_count: 1,
            list_magic: *b"TEXL",
            list_size: 16,
            ..PftxsHead::ZERO
        };
        Pftxs { source: Arc::new(Vec::new()), head, textures: Vec::new(), parts: Vec::new() }
    }

    /// Reads the directory of an archive.
    pub fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Pftxs> {
        Pftxs::read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
    }

    fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Pftxs> {
        let head: PftxsHead = tables.at(0, "header")?;
        if !detect(&head.magic) {
            return Err(tables.error(ErrorKind::NotThisFormat, 0, "header"));
        }
        let known = (head.version, head.list_offset, head.list_count, head.list_magic);
        if known != (0x4000_0000, 16, 1, *b"TEXL") {
            let found = format!("{:#x}, {}, {}", head.version, head.list_offset, head.list_count);
            return Err(tables.mismatch(4, "header", "one list of textures at 16".into(), found));
        }
        // Each texture has a head, so the count is bounded before anything is allocated.
        let have = tables.len().saturating_sub(PftxsHead::SIZE as u64);
        let (count, size) = (u64::from(head.texture_count), PftxsTexture::SIZE as u64);
        if count > have / size {
            return Err(tables.error(ErrorKind::Truncated { count, size, have }, 24, "textures"));
        }
        let (mut textures, mut parts) = (Vec::new(), Vec::new());
        let mut at = PftxsHead::SIZE as u64;
        for number in 0..head.texture_count {
            let texture: PftxsTexture = tables.at(at, "texture")?;
            if texture.magic != *b"FTEX" {
                let found = format!("\"{}\"", galatea_wire::escape_bytes(&texture.magic));
                return Err(tables.mismatch(at, "texture", "\"FTEX\"".into(), found));
            }
            let table = at + PftxsTexture::SIZE as u64;
            let count = u64::from(texture.part_count);
            let room = u64::from(texture.size).saturating_sub(PftxsTexture::SIZE as u64);
            if count * PftxsPart::SIZE as u64 > room {
                let kind = ErrorKind::Truncated { count, size: PftxsPart::SIZE as u64, have: room };
                return Err(tables.error(kind, table, "parts"));
            }
            let found: Vec<PftxsPart> = tables.array(table, count, "parts")?;
            parts.extend(found.into_iter().zip(0..).map(|(part, place)| (number, place, part)));
            textures.push((at, texture));
            at = at.saturating_add(u64::from(texture.size));
        }
        Ok(Pftxs { source, head, textures, parts })
    }

    fn texture_of(&self, part: usize) -> Option<&(u64, PftxsTexture)> {
        self.textures.get(self.parts.get(part)?.0 as usize)
    }
}

/// Returns the name of a file of a texture: its path code, and `.ftex` or the number of an FTEXS.
fn name_of(texture: u64, part: u32) -> String {
    let code = texture & PATH;
    if part == 0 { format!("{code:013x}.ftex") } else { format!("{code:013x}.{part}.ftexs") }
}

/// Returns the path code and the number of the file that a name means: `HASH.ftex`, `HASH.1.ftexs`, or a path below `Assets`.
fn parse(name: &str) -> Option<(u64, u32)> {
    let lower = name.to_ascii_lowercase();
    let (stem, part) = match lower.strip_suffix(".ftex") {
        Some(stem) => (stem, 0),
        None => {
            let (stem, number) = lower.strip_suffix(".ftexs")?.rsplit_once('.')?;
            (stem, number.parse().ok().filter(|number| (1..=9).contains(number))?)
        }
    };
    let file = stem.rsplit(['/', '\\']).next().unwrap_or(stem);
    if file.len() == 13
        && let Ok(code) = u64::from_str_radix(file, 16)
    {
        return Some((code & PATH, part));
    }
    // The hash distinguishes letter case, the ending does not matter.
    let at = lower.find("assets/")?;
    let path = format!("/Assets/{}", name.get(at + 7..stem.len())?.replace('\\', "/"));
    Some((path_code64(&path) & PATH, part))
}

/// Returns the path code of a file with the bits of its ending.
fn with_ending(code: u64, part: u32) -> u64 {
    let ending = if part == 0 { "ftex".to_owned() } else { format!("{part}.ftexs") };
    code & PATH | extension_code(&ending) << 51
}

impl Archive for Pftxs {
    fn kind(&self) -> Kind {
        Kind::Pftxs
    }

    fn version(&self) -> String {
        "PFTXS".into()
    }

    fn len(&self) -> usize {
        self.parts.len()
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let ((at, texture), (_, number, part)) = (self.texture_of(index)?, self.parts.get(index)?);
        let entry =
            Entry::stored(name_of(texture.hash, *number), at + u64::from(part.offset), part.size.into());
        Some(entry.with_nameless(true))
    }

    fn find_unlisted(&self, name: &str) -> Option<usize> {
        let (code, part) = parse(name)?;
        let is =
            |texture: u32| self.textures.get(texture as usize).is_some_and(|(_, t)| t.hash & PATH == code);
        self.parts.iter().position(|(texture, number, _)| *number == part && is(*texture))
    }

    fn source_of(&self, _: usize) -> Result<Arc<dyn ReadAt>> {
        Ok(Arc::clone(&self.source))
    }

    fn check(&self) -> Report {
        let mut report = Report::new();
        check::entries(self, &mut report);
        check::overlaps(self, PftxsHead::SIZE as u64, &mut report);
        if u64::from(self.head.list_size) + 16 != self.source.len() {
            report.add(&rules::FILE_SIZE, Some(20), || {
                let size = u64::from(self.head.list_size) + 16;
                ("header".into(), format!("{size}, the file has {}", self.source.len()))
            });
        }
        for (index, (texture, number, part)) in self.parts.iter().enumerate() {
            let Some((at, head)) = self.textures.get(*texture as usize) else { continue };
            if part.hash != with_ending(head.hash, *number) {
                report.add(&rules::NAME_HASH, Some(*at), || {
                    (
                        format!("entries[{index}]"),
                        format!("{:#018x} is no file of {:#018x}", part.hash, head.hash),
                    )
                });
            }
        }
        report
    }

    fn write(&self) -> Result<Vec<u8>> {
        if self.source.is_empty() {
            return self.edited(&[]);
        }
        let mut out = Rewrite::default();
        out.put(0, &[self.head]);
        for (at, texture) in &self.textures {
            out.put(*at, &[*texture]);
        }
        for (texture, number, part) in &self.parts {
            if let Some((at, _)) = self.textures.get(*texture as usize) {
                let place = at + (PftxsTexture::SIZE + *number as usize * PftxsPart::SIZE) as u64;
                out.put(place, &[*part]);
            }
        }
        out.write(self.source.as_ref())
    }

    /// Writes the textures one after the other, each with its files in the order of their numbers.
    fn edited(&self, edits: &[Edit]) -> Result<Vec<u8>> {
        let mut named = Vec::with_capacity(edits.len());
        for edit in edits {
            let what = || format!("\"{}\": is no .ftex or .N.ftexs by path or hash", escape(edit.name()));
            let (code, part) = parse(edit.name()).ok_or_else(|| Error::unrepresentable(what()))?;
            named.push(match edit {
                Edit::Put { bytes, .. } => Edit::put(name_of(code, part), bytes.clone()),
                Edit::Remove { .. } => Edit::remove(name_of(code, part)),
            });
        }
        let slots = apply(self, &named)?;
        let mut groups: Vec<(u64, Vec<(u32, &Slot<'_>)>)> = Vec::new();
        for slot in &slots {
            let Some((code, part)) = parse(&slot.name) else { continue };
            match groups.iter_mut().find(|(known, _)| *known == code) {
                Some((_, parts)) => parts.push((part, slot)),
                None => groups.push((code, vec![(part, slot)])),
            }
        }
        let mut out = vec![0; PftxsHead::SIZE];
        for (code, mut parts) in groups {
            parts.sort_by_key(|(number, _)| *number);
            if let Some((place, _)) = parts.iter().enumerate().find(|(i, (number, _))| *i != *number as usize)
            {
                let what = format!("{code:013x}: file {place} of the texture is missing");
                return Err(Error::unrepresentable(what));
            }
            self.put_texture(code, &parts, &mut out)?;
        }
        let head = PftxsHead {
            list_size: Writer::count(out.len() - 16, "bytes")?,
            texture_count: Writer::count(count_textures(&slots), "textures")?,
            ..self.head
        };
        let mut start = Vec::with_capacity(PftxsHead::SIZE);
        put_array(&mut start, &[head]);
        out.splice(..PftxsHead::SIZE, start);
        Ok(out)
    }
}

fn count_textures(slots: &[Slot<'_>]) -> usize {
    slots.iter().filter(|slot| parse(&slot.name).is_some_and(|(_, part)| part == 0)).count()
}

impl Pftxs {
    fn put_texture(&self, code: u64, parts: &[(u32, &Slot<'_>)], out: &mut Vec<u8>) -> Result<()> {
        let mut offset = PftxsTexture::SIZE + parts.len() * PftxsPart::SIZE;
        let (mut table, mut data) = (Vec::with_capacity(parts.len()), Vec::new());
        for (number, slot) in parts {
            let bytes = slot.bytes(self)?;
            table.push(PftxsPart {
                hash: with_ending(code, *number),
                offset: Writer::count(offset, "bytes")?,
                size: Writer::count(bytes.len(), "bytes")?,
            });
            offset += bytes.len();
            data.extend_from_slice(&bytes);
        }
        let texture = PftxsTexture {
            magic: *b"FTEX",
            size: Writer::count(offset, "bytes")?,
            hash: with_ending(code, 0),
            part_count: Writer::count(parts.len(), "parts")?,
            reserved: [0; 12],
        };
        put_array(out, &[texture]);
        put_array(out, &table);
        out.extend(data);
        Ok(())
    }
}
