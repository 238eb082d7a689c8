//! Reads BLP.

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Reader, Result, Source, Wire};

use super::{Blp, Content, Head, Layout, MipTable};

/// Returns `true` if these bytes begin like a BLP.
pub fn detect(bytes: &[u8]) -> bool {
    [b"BLP0", b"BLP1", b"BLP2"].iter().any(|magic| bytes.starts_with(*magic))
}

/// Returns what reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Blp::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

impl Blp {
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

    /// Adds the bytes of a level file of a BLP0 (`.b00` is level 0).
    pub fn attach(&mut self, mip: usize, bytes: &[u8], limits: &Limits) -> Result<()> {
        if mip >= 16 {
            let kind = ErrorKind::Unrepresentable(format!("level {mip} of at most 16").into());
            return Err(Error::at(kind, 0).within("mips"));
        }
        // The level file is as long as it is; only a wild one would be larger than any image.
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
}
