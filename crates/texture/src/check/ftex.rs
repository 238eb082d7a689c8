//! Checks of FTEX and its parts.

use galatea_wire::{Limits, Report, Wire};

use super::{expected, general};
use crate::PixelFormat;
use crate::ftex::{Ftex, FtexHead, Mip, Pixels};
use crate::rules::{FTEX_ELSEWHERE, FTEX_LEVEL, FTEX_PARTS, FTEX_STORED_BIT, FTEX_STREAMED};

pub(crate) const STREAMED: u32 = 1 << 24;
const STORED: u32 = 1 << 31;

impl Ftex {
    pub(crate) fn highest_part(&self) -> u8 {
        self.mips.iter().map(|m| m.info.part).max().unwrap_or(0)
    }

    fn parts_are_wrong(&self) -> bool {
        let parts = self.highest_part();
        self.head.parts != parts || self.head.parts_less_one != parts.saturating_sub(1)
    }

    pub(crate) fn streaming_is_wrong(&self) -> bool {
        (self.head.kind & STREAMED != 0) != (self.highest_part() > 0)
    }

    fn unmarked(&self) -> usize {
        let chunks = self.mips.iter().filter_map(|m| match &m.pixels {
            Pixels::Chunks(chunks) => Some(chunks),
            _ => None,
        });
        chunks.flatten().filter(|c| c.info.is_stored() && c.info.offset.0 & STORED == 0).count()
    }

    /// Returns `true` if a level shares bytes with the head, so that neither can be changed without the other.
    pub(crate) fn level_covers_head(&self) -> bool {
        let here = |mip: &&Mip| mip.info.part == 0 && mip.pixels != Pixels::Whole(Vec::new());
        self.mips.iter().filter(here).any(|mip| (mip.info.offset.0 as usize) < FtexHead::SIZE)
    }

    /// Holds the texture to the rules.
    pub fn check(&self) -> Report {
        let mut report = Report::new();
        let shape = self.shape();
        let format = self.head.format();
        general(&mut report, &shape, format.and_then(PixelFormat::block).is_some(), false);
        // What one level may unpack to follows from its size; nothing larger is tried.
        let limits = Limits::default().with_pixels(u64::from(shape.width) * u64::from(shape.height));
        for (i, mip) in self.mips.iter().enumerate().filter(|(_, m)| m.pixels != Pixels::Elsewhere) {
            let want = format.map(|f| expected(f, &shape, i as u32 % shape.mips.max(1)));
            // One color packs a thousandfold: what takes too much memory is left to whoever decodes it.
            let most = Limits::default().of_image(mip.stored());
            if want
                .is_some_and(|want| want > most.pixels.saturating_mul(4).saturating_add(most.base_allowance))
            {
                continue;
            }
            let message = match (mip.unpack(&limits), want) {
                (Ok(bytes), Some(want)) if bytes.len() as u64 == want => continue,
                (Ok(bytes), Some(want)) => format!("{} bytes, needs {want}", bytes.len()),
                (Ok(_), None) => format!("pixel format {} is not known", self.head.pixel_format),
                (Err(kind), _) => kind.to_string(),
            };
            let at = Some(u64::from(mip.info.offset.0)).filter(|_| mip.info.part == 0);
            report.add(&FTEX_LEVEL, at, || (format!("mips[{i}]"), message));
        }
        let unmarked = self.unmarked();
        if unmarked > 0 {
            report.add(&FTEX_STORED_BIT, None, || ("mips".into(), format!("{unmarked} chunks")));
        }
        if self.parts_are_wrong() {
            let (parts, less, want) = (self.head.parts, self.head.parts_less_one, self.highest_part());
            report.add(&FTEX_PARTS, Some(32), || {
                ("head".into(), format!("{parts} and {less}, the table names {want}"))
            });
        }
        if self.streaming_is_wrong() {
            let kind = self.head.kind;
            let parts = self.highest_part();
            report.add(&FTEX_STREAMED, Some(28), || {
                ("head".into(), format!("kind 0x{kind:X}, pixels in {parts} parts"))
            });
        }
        let missing = self.missing_parts();
        if !missing.is_empty() {
            report.add(&FTEX_ELSEWHERE, None, || ("mips".into(), format!("parts {missing:?}")));
        }
        report
    }
}
