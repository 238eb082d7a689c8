//! Reads DDS.

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Reader, Result, Source, Wire};

use super::{Dds, DdsHead, Dx10};

/// Returns `true` if these bytes begin like a DDS.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"DDS ")
}

/// Returns what reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Dds::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

impl Dds {
    /// Reads a DDS. The first level must be whole; where later ones are missing, what is there is kept.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        Self::read_from(Source::new(bytes, limits).reader())
    }

    fn read_from(reader: Reader<'_>) -> Result<Self> {
        if !detect(reader.data()) {
            return Err(reader.error(ErrorKind::NotThisFormat, 0, "magic"));
        }
        let head: DdsHead = reader.at(0, "head")?;
        let mut at = DdsHead::SIZE;
        let mut dx10 = None;
        if head.format_flags & 0x4 != 0 && head.four_cc == *b"DX10" {
            dx10 = Some(reader.at::<Dx10>(at, "dx10")?);
            at += Dx10::SIZE;
        }
        let mut dds = Dds { head, dx10, levels: Vec::new(), tail: Vec::new() };
        let Some(format) = dds.pixel_format() else {
            return Err(reader.error(ErrorKind::Unsupported(dds.format_words().into()), 76, "pixel_format"));
        };
        if head.width == 0 || head.height == 0 {
            return Err(reader.mismatch(12, "height", "at least one pixel", "none"));
        }
        'chains: for chain in 0..u64::from(dds.faces()) * u64::from(dds.layers()) {
            for mip in 0..dds.mips() {
                let size = usize::try_from(dds.level_bytes(format, mip)).unwrap_or(usize::MAX);
                let first = chain == 0 && mip == 0;
                if !first && reader.peek(at, size).is_none() {
                    break 'chains;
                }
                let scope = if mip == 0 && (dds.faces() > 1 || dds.layers() > 1) {
                    reader.enter("faces", Some(chain as usize), at)?
                } else {
                    reader
                };
                let bytes = scope.enter("mips", Some(mip as usize), at)?.bytes(at, size, "pixels")?;
                // A level is kept on its own, which costs more than its bytes if it is tiny.
                reader.spend(bytes.len() as u64 + 256, at, "pixels")?;
                dds.levels.push(bytes.to_vec());
                at += size;
            }
        }
        let tail = reader.bytes(at, reader.len() - at, "tail")?;
        reader.spend(tail.len() as u64, at, "tail")?;
        dds.tail = tail.to_vec();
        Ok(dds)
    }
}
