//! Checks of TPC and the TXI in it.

use galatea_wire::{Report, escape};

use super::general;
use crate::PixelFormat;
use crate::Txi;
use crate::rules::{TPC_ALPHA_MEAN, TPC_CUBE, TPC_SIZE, TPC_TAIL, TPC_UNUSED, TXI_ARGUMENT, TXI_UNKNOWN};
use crate::tpc::{Arrangement, Tpc};
use crate::txi::{Oddity, is_text};

impl Tpc {
    /// Returns the bytes of the first level as width, height and encoding make them; 0 if not compressed.
    pub(crate) fn right_size(&self) -> u32 {
        let first = self.levels.first().map_or(0, Vec::len);
        match self.pixel_format().and_then(PixelFormat::block) {
            Some(_) => u32::try_from(first).unwrap_or(u32::MAX),
            None => 0,
        }
    }

    /// Returns `true` if the size is right: that of one image, or of the whole sheet of a flip-book.
    pub(crate) fn size_is_wrong(&self) -> bool {
        !matches!(self.arrangement, Arrangement::Frames { .. }) && self.head.size != self.right_size()
    }

    pub(crate) fn alpha_mean_is_wrong(&self) -> bool {
        !(0.0..=1.0).contains(&self.head.alpha_mean)
    }

    /// Holds the texture to the rules.
    pub fn check(&self) -> Report {
        let mut report = Report::new();
        let block = self.pixel_format().and_then(PixelFormat::block).is_some();
        general(&mut report, &self.shape(), block, true);
        if self.size_is_wrong() {
            let (have, want) = (self.head.size, self.right_size());
            report.add(&TPC_SIZE, Some(0), || ("head".into(), format!("{have} bytes, should be {want}")));
        }
        if self.alpha_mean_is_wrong() {
            let mean = self.head.alpha_mean;
            report.add(&TPC_ALPHA_MEAN, Some(4), || ("head".into(), format!("{mean:?}")));
        }
        if let Some(at) = self.head.unused.iter().position(|b| *b != 0) {
            let offset = Some(14 + at as u64);
            report.add(&TPC_UNUSED, offset, || ("head".into(), format!("first at byte {at} of them")));
        }
        let text_at = self.level_offset(self.levels.len());
        if !is_text(self.txi.print()) {
            let len = self.txi.print().len();
            report.add(&TPC_TAIL, Some(text_at as u64), || ("txi".into(), format!("{len} bytes")));
        } else {
            check_txi(&self.txi, text_at, &mut report);
        }
        let (cube, says) = (self.arrangement == Arrangement::Cube, self.txi.is_on("cube"));
        if cube != says {
            let message = if cube { "six faces, but no `cube 1`" } else { "`cube 1`, but not six faces" };
            report.add(&TPC_CUBE, Some(text_at as u64), || ("txi".into(), message.into()));
        }
        report
    }
}

impl Txi {
    /// Holds a text to the rules.
    pub fn check(&self) -> Report {
        let mut report = Report::new();
        check_txi(self, 0, &mut report);
        report
    }
}

fn check_txi(txi: &Txi, base: usize, report: &mut Report) {
    for (line, oddity) in txi.oddities() {
        let rule = match oddity {
            Oddity::Unknown => &TXI_UNKNOWN,
            Oddity::Argument => &TXI_ARGUMENT,
        };
        report.add(rule, Some((base + line.offset) as u64), || {
            let shown: String = line.command.chars().take(60).collect();
            (format!("txi > line {}", line.number), format!("`{}`", escape(&shown)))
        });
    }
}
