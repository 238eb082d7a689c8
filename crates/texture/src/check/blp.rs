//! Checks of BLP.

use std::sync::Arc;

use galatea_wire::Report;

use super::{expected, general};
use crate::Shape;
use crate::blp::{Blp, Content, Head};
use crate::image::full_chain;
use crate::jpeg;
use crate::rules::{
    BLP_ALPHA_BITS, BLP_CUT, BLP_HAS_MIPS, BLP_JPEG_HEADER, BLP_JPEG_KIND, BLP_JPEG_SIZE, BLP_LEVEL_SIZE,
    BLP_SHARED, BLP_TOO_MANY,
};

impl Blp {
    fn full(&self) -> usize {
        let (width, height) = self.head.dimensions();
        full_chain(width, height) as usize
    }

    pub(crate) fn alpha_bits_are_odd(&self) -> bool {
        match self.head.content() {
            Content::Jpeg => !matches!(self.head.alpha_bits(), 0 | 8),
            _ => !matches!(self.head.alpha_bits(), 0 | 1 | 4 | 8),
        }
    }

    pub(crate) fn has_mips_is_odd(&self) -> bool {
        match self.head {
            Head::Old(head) => head.has_mips > 1,
            Head::New(head) => head.has_mips > 1,
        }
    }

    /// Returns the alpha depth that the bytes of the first level make with a palette, 8 otherwise; `None` if there is
    /// none.
    pub(crate) fn alpha_bits_of_levels(&self) -> Option<u8> {
        if self.head.content() != Content::Palette {
            return Some(8);
        }
        let (width, height) = self.head.dimensions();
        let pixels = u128::from(width) * u128::from(height);
        let len = self.mips.first().map_or(0, |m| m.len() as u128);
        [8u8, 4, 1, 0].into_iter().find(|bits| pixels + (pixels * u128::from(*bits)).div_ceil(8) == len)
    }

    /// Returns `true` if a level shares bytes with the head, so that neither can be changed without the other.
    pub(crate) fn level_covers_head(&self) -> bool {
        let Some(layout) = self.layout.as_ref().filter(|_| self.head.has_table()) else { return false };
        let mut levels = layout.table.offsets.iter().zip(&self.mips);
        levels.any(|(offset, bytes)| (offset.0 as usize) < self.head.size() && !bytes.is_empty())
    }

    /// Holds the texture to the rules.
    pub fn check(&self) -> Report {
        let mut report = Report::new();
        let shape = self.shape();
        let content = self.head.content();
        if self.head.has_table() {
            let mips = shape.mips.clamp(1, self.full().max(1) as u32);
            general(&mut report, &Shape { mips, ..shape.clone() }, content == Content::Dxt, true);
        }
        if let Some(layout) = self.layout.as_ref().filter(|_| self.head.has_table()) {
            for (i, (size, mip)) in layout.table.sizes.iter().zip(padded(&self.mips)).enumerate() {
                if mip.len() < *size as usize && i < self.full() {
                    let (have, want) = (mip.len(), *size);
                    report.add(&BLP_CUT, Some(self.mip_offset(i) as u64), || {
                        (format!("mips[{i}]"), format!("{have} of {want} bytes are there"))
                    });
                }
            }
        }
        if self.mips.len() > self.full() {
            let (have, full) = (self.mips.len(), self.full());
            report.add(&BLP_TOO_MANY, None, || ("mip_table".into(), format!("{have} levels, {full} exist")));
        }
        if self.has_mips_is_odd() {
            report.add(&BLP_HAS_MIPS, Some(24), || ("head".into(), "neither 0 nor 1".into()));
        }
        if self.alpha_bits_are_odd() {
            let bits = self.head.alpha_bits();
            report.add(&BLP_ALPHA_BITS, Some(8), || ("head".into(), format!("{bits} bits")));
        }
        for (i, mip) in self.mips.iter().enumerate().take(self.full()) {
            let above = i.checked_sub(1).and_then(|above| self.mips.get(above));
            if above.is_some_and(|a| !mip.is_empty() && Arc::ptr_eq(a, mip)) {
                report.add(&BLP_SHARED, Some(self.mip_offset(i) as u64), || {
                    (format!("mips[{i}]"), format!("the same bytes as level {}", i - 1))
                });
                continue;
            }
            self.check_level(i, mip, &shape, &mut report);
        }
        if self.jpeg_header.len() > 624 {
            let len = self.jpeg_header.len();
            report.add(&BLP_JPEG_HEADER, Some(156), || ("jpeg_header".into(), format!("{len} bytes")));
        }
        report
    }

    fn check_level(&self, i: usize, mip: &[u8], shape: &Shape, report: &mut Report) {
        if mip.is_empty() {
            return;
        }
        let at = Some(self.mip_offset(i) as u64);
        let (width, height) = shape.level(i as u32);
        let pixels = u64::from(width) * u64::from(height);
        let want = match self.head.content() {
            Content::Jpeg => {
                let Some(frame) = self.jpeg_of(i).and_then(|j| jpeg::frame(&j)) else {
                    report.add(&BLP_JPEG_KIND, at, || (format!("mips[{i}]"), "no JPEG at all".into()));
                    return;
                };
                if frame.components != 4 || !frame.full_resolution || frame.adobe {
                    report.add(&BLP_JPEG_KIND, at, || {
                        let resolution = if frame.full_resolution { "" } else { ", some halved" };
                        let adobe = if frame.adobe { ", Adobe marker" } else { "" };
                        (format!("mips[{i}]"), format!("{} components{resolution}{adobe}", frame.components))
                    });
                }
                if (frame.width, frame.height) != (width, height) {
                    report.add(&BLP_JPEG_SIZE, at, || {
                        let message =
                            format!("{} x {}, should be {width} x {height}", frame.width, frame.height);
                        (format!("mips[{i}]"), message)
                    });
                }
                return;
            }
            Content::Palette => {
                let bits = if self.alpha_bits_are_odd() { 8 } else { self.head.alpha_bits() };
                pixels.saturating_add(pixels.saturating_mul(bits.into()).div_ceil(8))
            }
            Content::Dxt => expected(self.head.dxt(), shape, i as u32),
            Content::Bgra => pixels.saturating_mul(4),
        };
        if mip.len() as u64 != want {
            let have = mip.len();
            report.add(&BLP_LEVEL_SIZE, at, || (format!("mips[{i}]"), format!("{have} bytes, needs {want}")));
        }
    }
}

/// Returns the levels, and empty ones for the rest of the table.
fn padded(mips: &[Arc<[u8]>]) -> impl Iterator<Item = &[u8]> {
    mips.iter().map(|m| m.as_ref()).chain(std::iter::repeat(&[] as &[u8]))
}
