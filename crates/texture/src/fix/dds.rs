//! Fixes of DDS.

use galatea_wire::{Fixed, Rule};

use super::Fixes;
use crate::check::MIPS;
use crate::dds::Dds;
use crate::rules::{DDS_LAYERS, DDS_MIP_FLAG, DDS_SIZES};

impl Dds {
    /// Fixes what the wanted rules find, where the rest of the file leaves no doubt about the right value.
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let mut fixes = Fixes::new(wanted);
        let shape = self.shape();
        let whole = self.levels.len() as u64
            == u64::from(shape.faces) * u64::from(shape.layers) * u64::from(shape.mips);
        if fixes.fix(&DDS_SIZES, self.sizes_are_wrong(), "set to 124 and 32") {
            (self.head.size, self.head.format_size) = (124, 32);
        }
        if fixes.fix(&DDS_MIP_FLAG, whole && self.mip_flag_is_missing(), "set") {
            self.head.flags |= MIPS;
        }
        if fixes.fix(&DDS_LAYERS, self.has_no_layers(), "set to 1")
            && let Some(dx10) = &mut self.dx10
        {
            dx10.layers = 1;
        }
        fixes.done
    }
}
