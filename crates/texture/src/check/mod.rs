//! How each format is held to the rules.

mod blp;
mod dds;
mod ftex;
mod tpc;

use galatea_wire::{Report, Wire};

pub(crate) use dds::MIPS;
pub(crate) use ftex::STREAMED;

use crate::image::{full_chain, level_size};
use crate::rules::{CHAIN_STOPS, NOT_POWER_OF_TWO, NOT_WHOLE_BLOCKS, ONE_LEVEL, TGA_KIND};
use crate::{Kind, PixelFormat, Shape, Texture, TgaHead};

/// Checks the rules that hold for every container.
fn general(report: &mut Report, shape: &Shape, block: bool, powers: bool) {
    let path = || "head".to_owned();
    let (w, h) = (shape.width, shape.height);
    if powers && !(w.is_power_of_two() && h.is_power_of_two()) {
        report.add(&NOT_POWER_OF_TWO, None, || (path(), format!("{w} x {h} pixels")));
    }
    if block && !(w.is_multiple_of(4) && h.is_multiple_of(4)) && w.max(h) > 4 {
        report.add(&NOT_WHOLE_BLOCKS, None, || (path(), format!("{w} x {h} pixels in blocks of 4 x 4")));
    }
    let (last_w, last_h) = shape.level(shape.mips.saturating_sub(1));
    if shape.mips == 1 && w.max(h) > 4 {
        report.add(&ONE_LEVEL, None, || (path(), format!("one level of {w} x {h} pixels")));
    } else if last_w.max(last_h) > 4 {
        let (have, full) = (shape.mips, full_chain(w, h));
        report.add(&CHAIN_STOPS, None, || {
            (path(), format!("{have} levels of {full}, down to {last_w} x {last_h}"))
        });
    }
}

/// Returns whether the level is as long as its format and size make it.
fn expected(format: PixelFormat, shape: &Shape, mip: u32) -> u64 {
    let (w, h) = level_size(shape.width, shape.height, mip);
    format.size(w, h)
}

impl Texture {
    /// Holds the texture to the rules of its format.
    ///
    /// ```
    /// use galatea_texture::{PixelFormat, Texture, dds::Dds};
    /// let mut dds = Dds::new(PixelFormat::Bc1, 4, 4, vec![vec![0; 8]]).unwrap();
    /// dds.head.size = 0;
    /// let mut texture = Texture::Dds(dds);
    /// assert_eq!(texture.check().count("TEXR0023"), 1);
    /// assert_eq!(texture.fix(&|_| true).len(), 1);
    /// assert!(texture.check().is_empty());
    /// ```
    pub fn check(&self) -> Report {
        match self {
            Texture::Tpc(t) => t.check(),
            Texture::BiowareDds(t) => {
                let mut report = Report::new();
                general(&mut report, &t.shape(), true, true);
                report
            }
            Texture::Blp(t) => t.check(),
            Texture::Dds(t) => t.check(),
            Texture::Ftex(t) => t.check(),
            Texture::Wesys(t) => t.inner.check(),
            Texture::Plain(t) => {
                let mut report = Report::new();
                let head = TgaHead::get(&t.bytes);
                if t.kind == Kind::Tga && !(matches!(head.kind, 2 | 10) && matches!(head.bits, 24 | 32)) {
                    report.add(&TGA_KIND, Some(2), || {
                        ("head".into(), format!("type {} of {} bits", head.kind, head.bits))
                    });
                }
                report
            }
        }
    }
}
