//! Checks of DDS.

use galatea_wire::Report;

use super::general;
use crate::PixelFormat;
use crate::dds::Dds;
use crate::rules::{DDS_LAYERS, DDS_MIP_FLAG, DDS_MISSING, DDS_SIZES, DDS_TAIL};

pub(crate) const MIPS: u32 = 0x2_0000;

impl Dds {
    pub(crate) fn sizes_are_wrong(&self) -> bool {
        self.head.size != 124 || self.head.format_size != 32
    }

    pub(crate) fn mip_flag_is_missing(&self) -> bool {
        self.head.mips > 1 && self.head.flags & MIPS == 0
    }

    pub(crate) fn has_no_layers(&self) -> bool {
        self.dx10.is_some_and(|d| d.layers == 0)
    }

    /// Holds the texture to the rules.
    pub fn check(&self) -> Report {
        let mut report = Report::new();
        let shape = self.shape();
        let block = self.pixel_format().and_then(PixelFormat::block).is_some();
        general(&mut report, &shape, block, false);
        let announced = u64::from(shape.faces) * u64::from(shape.layers) * u64::from(shape.mips);
        let have = self.levels.len() as u64;
        let end = Some(self.level_offset(self.levels.len()) as u64);
        if have < announced {
            report.add(&DDS_MISSING, end, || ("levels".into(), format!("{have} of {announced} levels")));
        } else if !self.tail.is_empty() {
            let len = self.tail.len();
            report.add(&DDS_TAIL, end, || ("tail".into(), format!("{len} bytes")));
        }
        if self.sizes_are_wrong() {
            let (size, format) = (self.head.size, self.head.format_size);
            report
                .add(&DDS_SIZES, Some(4), || ("head".into(), format!("{size} and {format}, not 124 and 32")));
        }
        if self.mip_flag_is_missing() {
            let mips = self.head.mips;
            report.add(&DDS_MIP_FLAG, Some(8), || {
                ("head".into(), format!("{mips} levels, flag 0x20000 not set"))
            });
        }
        if self.has_no_layers() {
            report.add(&DDS_LAYERS, Some(140), || ("dx10".into(), "0 layers".into()));
        }
        report
    }
}
