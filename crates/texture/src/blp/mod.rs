//! BLP: Blizzard's texture, as JPEG with raw components, as palette, or (BLP2) as DXT blocks.

mod decode;
mod wire;

pub use wire::{Blp2Head, BlpHead, MipTable};

use std::sync::Arc;

use galatea_wire::{
    Coverage, Error, ErrorKind, Gap, Limits, Offset, Plan, Reader, Result, Schema, Source, Summary, Wire,
    Writer,
};

use crate::{Shape, compare};

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[BlpHead::SCHEMA, Blp2Head::SCHEMA, MipTable::SCHEMA];

/// The head of any BLP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Head {
    /// BLP0 and BLP1.
    Old(BlpHead),
    /// BLP2.
    New(Blp2Head),
}

/// How the pixels of a BLP are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A JPEG whose four components are B, G, R, A.
    Jpeg,
    /// Indices into a palette, then alpha of 0, 1, 4 or 8 bits.
    Palette,
    /// DXT1, DXT3 or DXT5 blocks.
    Dxt,
    /// Plain B, G, R, A.
    Bgra,
}

/// A BLP texture.
///
/// ```
/// use galatea_texture::blp::{Blp, BlpHead, Head};
/// let head = BlpHead { magic: *b"BLP1", content: 1, alpha_bits: 0, width: 2, height: 1, hint: 5, has_mips: 0 };
/// let mut palette = vec![[0; 4]; 256];
/// palette[7] = [0, 0, 255, 0];
/// let blp = Blp::paletted(Head::Old(head), palette, vec![vec![7, 0]]);
/// let bytes = blp.write().unwrap();
/// let back = Blp::read(&bytes, &Default::default()).unwrap();
/// assert!(back.differences(&blp).is_empty());
/// assert_eq!(back.decode(Default::default(), &Default::default()).unwrap().rgba, [255, 0, 0, 255, 0, 0, 0, 255]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Blp {
    /// The head.
    pub head: Head,
    /// JPEG: the bytes that stand in front of every level.
    pub jpeg_header: Vec<u8>,
    /// 256 colours as B, G, R and an ignored byte; empty if there is no palette.
    pub palette: Vec<[u8; 4]>,
    /// Stored bytes of each level, up to 16; many tools let the small ones share the bytes of a larger one. BLP0: empty
    /// until [`attach`](Blp::attach)ed.
    pub mips: Vec<Arc<[u8]>>,
    pub(crate) layout: Option<Layout>,
}

/// Where things were, so that an unchanged file is written as it was.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) table: MipTable,
    len: usize,
    jpeg_header: usize,
    mips: Vec<usize>,
    gaps: Vec<Gap>,
}

/// Whether these bytes begin like a BLP.
pub fn detect(bytes: &[u8]) -> bool {
    [b"BLP0", b"BLP1", b"BLP2"].iter().any(|magic| bytes.starts_with(*magic))
}

/// What reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Blp::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

impl Blp {
    /// A texture of JPEG levels that share a header.
    pub fn jpeg(head: Head, jpeg_header: Vec<u8>, mips: Vec<Vec<u8>>) -> Self {
        let mips = mips.into_iter().map(Arc::from).collect();
        Blp { head, jpeg_header, palette: Vec::new(), mips, layout: None }
    }

    /// A texture of palette indices (or, for a BLP2, of DXT or BGRA levels, whose palette is not used).
    pub fn paletted(head: Head, palette: Vec<[u8; 4]>, mips: Vec<Vec<u8>>) -> Self {
        let mips = mips.into_iter().map(Arc::from).collect();
        Blp { head, jpeg_header: Vec::new(), palette, mips, layout: None }
    }

    /// Reads a BLP. Levels that lie beyond the end of the file are cut, not refused: the larger ones still decode.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let source = Source::new(bytes, limits);
        let mut blp = Self::read_from(source.reader())?;
        if let Some(layout) = &mut blp.layout {
            layout.gaps = source.into_coverage().keep_gaps(bytes);
        }
        Ok(blp)
    }

    fn read_from(reader: Reader<'_>) -> Result<Self> {
        let head = match reader.peek_at::<[u8; 4]>(0).as_ref() {
            Some(b"BLP0" | b"BLP1") => Head::Old(reader.at(0, "head")?),
            Some(b"BLP2") => Head::New(reader.at(0, "head")?),
            _ => return Err(reader.error(ErrorKind::NotThisFormat, 0, "magic")),
        };
        let mut at = head.size();
        let table = if head.has_table() { reader.at(at, "mip_table")? } else { MipTable::ZERO };
        at += if head.has_table() { MipTable::SIZE } else { 0 };
        let (mut jpeg_header, mut palette) = (Vec::new(), Vec::new());
        if head.content() == Content::Jpeg {
            let len: u32 = reader.at(at, "jpeg_header_length")?;
            let found = reader.bytes(at + 4, len as usize, "jpeg_header")?;
            reader.spend(found.len() as u64, at, "jpeg_header")?;
            jpeg_header = found.to_vec();
        } else if head.content() == Content::Palette || reader.peek(at, 1024).is_some() {
            palette = reader.array(at, 256, "palette")?;
        }
        let mut mips: Vec<Arc<[u8]>> = Vec::new();
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (index, (offset, size)) in table.offsets.iter().zip(table.sizes).enumerate() {
            let at = offset.0 as usize;
            let size = reader.len().saturating_sub(at).min(size as usize);
            let mut bytes: &[u8] = &[];
            if size > 0 {
                bytes = reader.enter("mips", Some(index), at)?.bytes(at, size, "pixels")?;
            }
            let shared =
                places.iter().position(|place| *place == (at, size)).and_then(|i| mips.get(i).cloned());
            if shared.is_none() {
                reader.spend(size as u64 + 128, at, "pixels")?;
            }
            mips.push(shared.unwrap_or_else(|| Arc::from(bytes)));
            places.push((at, size));
        }
        let lens = mips.iter().map(|m| m.len()).collect();
        while mips.last().is_some_and(|m| m.is_empty()) {
            mips.pop();
        }
        let layout =
            Layout { table, len: reader.len(), jpeg_header: jpeg_header.len(), mips: lens, gaps: Vec::new() };
        Ok(Blp { head, jpeg_header, palette, mips, layout: Some(layout) })
    }

    /// BLP0: adds the bytes of a level file (`.b00` is level 0).
    pub fn attach(&mut self, mip: usize, bytes: &[u8], limits: &Limits) -> Result<()> {
        if mip >= 16 {
            let kind = ErrorKind::Unrepresentable(format!("level {mip} of at most 16").into());
            return Err(Error::at(kind, 0).within("mips"));
        }
        // The level file is as long as it is; only a wild one would be larger than any picture.
        if bytes.len() as u64 > limits.pixels.saturating_mul(8).saturating_add(limits.base_allowance) {
            return Err(Error::at(ErrorKind::Limit("decoded bytes"), 0).within("mips"));
        }
        if self.mips.len() <= mip {
            self.mips.resize(mip + 1, Arc::from([]));
        }
        if let Some(slot) = self.mips.get_mut(mip) {
            *slot = Arc::from(bytes);
        }
        Ok(())
    }

    /// Writes the texture: for an unchanged one, the bytes it was read from. The levels of a BLP0 are files of their own.
    pub fn write(&self) -> Result<Vec<u8>> {
        if let Some(layout) = &self.layout
            && let Some(bytes) = self.replay(layout)?
        {
            return Ok(bytes);
        }
        let mut plan = Plan::new(self.head.size());
        if self.head.has_table() {
            plan.record::<MipTable>();
        }
        match self.head.content() {
            Content::Jpeg => plan.block(4 + self.jpeg_header.len()),
            _ => plan.block(1024),
        };
        let mut table = MipTable::ZERO;
        if self.head.has_table() {
            if self.mips.len() > 16 {
                return Err(Error::unrepresentable(format!("{} levels, a BLP holds 16", self.mips.len())));
            }
            let mut placed: Vec<(&Arc<[u8]>, Offset)> = Vec::new();
            for ((mip, offset), size) in self.mips.iter().zip(&mut table.offsets).zip(&mut table.sizes) {
                *size = Writer::count(mip.len(), "bytes")?;
                *offset = match placed.iter().find(|(other, _)| Arc::ptr_eq(other, mip)) {
                    Some((_, offset)) => *offset,
                    None if mip.is_empty() => Offset(0),
                    None => Writer::offset(plan.block(mip.len()))?,
                };
                placed.push((mip, *offset));
            }
        } else {
            // A BLP0 always has room for a palette behind its head.
            let at = plan.len();
            plan.block((self.head.size() + 1024).saturating_sub(at));
        }
        self.emit(&table, plan.len(), &[])
    }

    /// The file as it was, if everything still fits where it was.
    fn replay(&self, layout: &Layout) -> Result<Option<Vec<u8>>> {
        let mip = |i: usize| self.mips.get(i).map_or(&[] as &[u8], |m| m);
        let same = self.jpeg_header.len() == layout.jpeg_header
            && (!self.head.has_table()
                || (self.mips.len() <= layout.mips.len()
                    && layout.mips.iter().enumerate().all(|(i, len)| mip(i).len() == *len)));
        if !same {
            return Ok(None);
        }
        let out = self.emit(&layout.table, layout.len, &layout.gaps)?;
        // Levels that share bytes can only be written so while they still agree.
        let agrees = !self.head.has_table()
            || layout.table.offsets.iter().enumerate().all(|(i, offset)| {
                mip(i).is_empty() || out.get(offset.0 as usize..).is_some_and(|o| o.starts_with(mip(i)))
            });
        Ok(agrees.then_some(out))
    }

    fn emit(&self, table: &MipTable, len: usize, gaps: &[Gap]) -> Result<Vec<u8>> {
        let mut writer = Writer::new(len);
        writer.gaps(gaps)?;
        match &self.head {
            Head::Old(head) => writer.put(0, head)?,
            Head::New(head) => writer.put(0, head)?,
        }
        let mut at = self.head.size();
        if self.head.has_table() {
            writer.put(at, table)?;
            at += MipTable::SIZE;
        }
        if self.head.content() == Content::Jpeg {
            writer.put(at, &Writer::count(self.jpeg_header.len(), "bytes")?)?;
            writer.bytes(at + 4, &self.jpeg_header)?;
        } else {
            writer.array(at, &self.palette)?;
        }
        if self.head.has_table() {
            for (mip, offset) in self.mips.iter().zip(table.offsets) {
                if !mip.is_empty() {
                    writer.bytes(offset.0 as usize, mip)?;
                }
            }
        }
        Ok(writer.into_bytes())
    }

    /// What the file holds.
    pub fn shape(&self) -> Shape {
        let (width, height) = self.head.dimensions();
        let mips = self.mips.iter().take_while(|m| !m.is_empty()).count() as u32;
        let alpha = self.head.alpha_bits();
        let pixels = match self.head.content() {
            Content::Jpeg if alpha == 0 => "JPEG, opaque".to_owned(),
            Content::Jpeg => "JPEG".to_owned(),
            Content::Palette => format!("palette, {alpha}-bit alpha"),
            Content::Dxt => self.head.dxt().name().into_owned(),
            Content::Bgra => "BGRA".to_owned(),
        };
        Shape { width, height, mips, faces: 1, layers: 1, pixels }
    }

    /// Where the stored bytes of a level begin; 0 where unknown.
    pub(crate) fn mip_offset(&self, mip: usize) -> usize {
        self.layout.as_ref().and_then(|l| l.table.offsets.get(mip)).map_or(0, |o| o.0 as usize)
    }

    /// The figures for one line.
    pub fn summary(&self) -> Summary {
        let version = format!("{} {}", String::from_utf8_lossy(&self.head.magic()), self.shape());
        Summary { version, ..Summary::default() }
    }

    /// What differs, in the format's words; empty means equal.
    pub fn differences(&self, other: &Blp) -> Vec<String> {
        let mut out = Vec::new();
        match (&self.head, &other.head) {
            (Head::Old(a), Head::Old(b)) => compare::records(a, b, &[], &mut out),
            (Head::New(a), Head::New(b)) => compare::records(a, b, &[], &mut out),
            _ => out.push("magic: different versions".into()),
        }
        compare::bytes("jpeg_header", &self.jpeg_header, &other.jpeg_header, &mut out);
        compare::bytes("palette", self.palette.as_flattened(), other.palette.as_flattened(), &mut out);
        compare::levels("mips", &self.mips, &other.mips, &mut out);
        out
    }
}

impl Head {
    /// `BLP0`, `BLP1` or `BLP2`.
    pub fn magic(&self) -> [u8; 4] {
        match self {
            Head::Old(head) => head.magic,
            Head::New(head) => head.magic,
        }
    }

    pub(crate) fn size(&self) -> usize {
        match self {
            Head::Old(_) => BlpHead::SIZE,
            Head::New(_) => Blp2Head::SIZE,
        }
    }

    /// Whether the levels are in the same file.
    pub fn has_table(&self) -> bool {
        self.magic() != *b"BLP0"
    }

    /// Width and height.
    pub fn dimensions(&self) -> (u32, u32) {
        match self {
            Head::Old(head) => (head.width, head.height),
            Head::New(head) => (head.width, head.height),
        }
    }

    /// Bits of alpha as the head says.
    pub fn alpha_bits(&self) -> u32 {
        match self {
            Head::Old(head) => head.alpha_bits,
            Head::New(head) => head.alpha_bits.into(),
        }
    }

    /// How the pixels are stored.
    pub fn content(&self) -> Content {
        match self {
            Head::Old(BlpHead { content: 0, .. }) | Head::New(Blp2Head { content: 0, .. }) => Content::Jpeg,
            Head::Old(_) => Content::Palette,
            Head::New(head) => match head.encoding {
                2 => Content::Dxt,
                3 => Content::Bgra,
                _ => Content::Palette,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blp() -> Blp {
        let head =
            BlpHead { magic: *b"BLP1", content: 1, alpha_bits: 8, width: 2, height: 2, hint: 4, has_mips: 1 };
        let mips = vec![vec![0, 1, 2, 3, 255, 128, 64, 0], vec![1, 255]];
        Blp::paletted(Head::Old(head), (0..=255).map(|i| [i, 0, 0, 0]).collect(), mips)
    }

    #[test]
    fn gaps_and_shared_levels_survive_and_a_change_makes_a_fresh_layout() {
        let mut bytes = blp().write().unwrap();
        // Level 1 moves behind a gap of junk, level 2 shares its bytes.
        let at = bytes.len() as u32;
        bytes.extend(*b"junk\x01\xFFtail");
        bytes[32..36].copy_from_slice(&(at + 4).to_le_bytes());
        bytes[36..40].copy_from_slice(&(at + 4).to_le_bytes());
        bytes[100..104].copy_from_slice(&2u32.to_le_bytes());
        let mut read = Blp::read(&bytes, &Limits::default()).unwrap();
        assert!(Arc::ptr_eq(&read.mips[1], &read.mips[2]));
        assert_eq!(read.write().unwrap(), bytes);
        read.mips[1] = Arc::from([9, 255]);
        let fresh = read.write().unwrap();
        assert_ne!(fresh.len(), bytes.len());
        let back = Blp::read(&fresh, &Limits::default()).unwrap();
        assert_eq!((back.mips[1][0], back.mips[2][0]), (9, 1));
    }

    #[test]
    fn a_level_beyond_the_end_is_cut_and_the_file_still_written_as_it_was() {
        let bytes = blp().write().unwrap();
        let cut = &bytes[..bytes.len() - 1];
        let read = Blp::read(cut, &Limits::default()).unwrap();
        assert_eq!(*read.mips[1], [1]);
        assert_eq!(read.write().unwrap(), cut);
    }

    #[test]
    fn a_palette_that_is_not_there_is_an_error() {
        let bytes = blp().write().unwrap();
        let error = Blp::read(&bytes[..800], &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), "0x9C palette: 256 x 4 bytes needs 1024, have 644");
    }
}
