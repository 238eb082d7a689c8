//! Reads TPC.

use galatea_wire::{Coverage, Error, Limits, Reader, Result, Source, Wire};

use super::{Arrangement, Tpc, TpcHead, chain};
use crate::image::level_size;
use crate::txi::is_text;
use crate::{PixelFormat, Txi};

/// Returns `true` if these bytes are a TPC. There is no magic: sizes, encoding and the empty part of the header must
/// fit.
pub fn detect(bytes: &[u8]) -> bool {
    if bytes.len() < TpcHead::SIZE {
        return false;
    }
    let head = TpcHead::get(bytes);
    let Some(format) = head.pixel_format() else { return false };
    let (width, height) = head.face_size();
    let first = format.size(width, height);
    head.width > 0
        && head.height > 0
        && head.mips <= 16
        && head.unused.iter().all(|b| *b == 0)
        && (head.size == 0
            || [first, format.size(head.width.into(), head.height.into())].contains(&head.size.into()))
        && first + TpcHead::SIZE as u64 <= bytes.len() as u64
}

/// Returns what reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Tpc::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

impl Tpc {
    /// Reads a TPC.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        Self::read_from(Source::new(bytes, limits).reader())
    }

    pub(crate) fn read_from(reader: Reader<'_>) -> Result<Self> {
        let head: TpcHead = reader.at(0, "head")?;
        let Some(format) = head.pixel_format() else {
            let found = format!("{} with size {}", head.encoding, head.size);
            return Err(reader.mismatch(12, "encoding", "1, 2, 4 or 12", found));
        };
        if head.width == 0 || head.height == 0 {
            return Err(reader.mismatch(8, "width", "at least one pixel", "none"));
        }
        let mips = u32::from(head.mips.max(1));
        let (width, height) = head.face_size();
        let mut arrangement = if head.is_cube() { Arrangement::Cube } else { Arrangement::Plain };
        let mut shape = (width, height, mips);
        let chains = if arrangement == Arrangement::Cube { 6 } else { 1 };
        let end = TpcHead::SIZE as u64 + chain(format, width, height, mips) * chains;
        let data = reader.data();
        let tail = usize::try_from(end).ok().and_then(|end| data.get(end..));
        if !tail.is_some_and(is_text)
            && let Some((frames, found)) = frames(&head, format, data)
        {
            (arrangement, shape) = (frames, found);
        }
        let tpc = Tpc { head, arrangement, levels: Vec::new(), txi: Txi::default() };
        let mut levels = Vec::new();
        let mut at = TpcHead::SIZE;
        for chain in 0..tpc.chains() {
            let scope = match arrangement {
                Arrangement::Plain => reader,
                Arrangement::Cube => reader.enter("faces", Some(chain as usize), at)?,
                Arrangement::Frames { .. } => reader.enter("frames", Some(chain as usize), at)?,
            };
            for mip in 0..shape.2 {
                let (w, h) = level_size(shape.0, shape.1, mip);
                let size = format.size(w, h) as usize;
                let bytes = scope.enter("mips", Some(mip as usize), at)?.bytes(at, size, "pixels")?;
                reader.spend(bytes.len() as u64, at, "pixels")?;
                levels.push(bytes.to_vec());
                at += size;
            }
        }
        let text = reader.bytes(at, data.len() - at, "txi")?;
        Ok(Tpc { levels, txi: Txi::parse(text), ..tpc })
    }
}

/// Returns the layout of a flip-book whose frames carry a chain of levels each, if the text at the end of the file and
/// the sizes agree.
fn frames(head: &TpcHead, format: PixelFormat, data: &[u8]) -> Option<(Arrangement, (u32, u32, u32))> {
    let pixels = data.get(TpcHead::SIZE..)?;
    let text_len = pixels.iter().rev().take(1 << 16).take_while(|b| is_text(&[**b])).count();
    let text = pixels.get(pixels.len() - text_len..)?;
    let start = text.windows(13).position(|w| w.eq_ignore_ascii_case(b"proceduretype"))?;
    let book = Txi::parse(text.get(start..)?).flip_book()?;
    let (width, height) = (u32::from(head.width) / book.columns, u32::from(head.height) / book.rows);
    if width == 0 || height == 0 {
        return None;
    }
    let count = u64::from(book.columns) * u64::from(book.rows);
    for mips in (1..=u32::from(head.mips.clamp(1, 16))).rev() {
        let end = usize::try_from(chain(format, width, height, mips).checked_mul(count)?).ok()?;
        if pixels.get(end..).is_some_and(is_text) {
            let arrangement = Arrangement::Frames { columns: book.columns, rows: book.rows };
            return Some((arrangement, (width, height, mips)));
        }
    }
    None
}
