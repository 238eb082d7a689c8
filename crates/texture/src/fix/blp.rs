//! Fixes of BLP.

use galatea_wire::{Fixed, Rule};

use super::Fixes;
use crate::blp::{Blp, Head};
use crate::rules::{BLP_ALPHA_BITS, BLP_HAS_MIPS};

impl Blp {
    /// Fixes what the wanted rules find, where the rest of the file leaves no doubt about the right value.
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let mut fixes = Fixes::new(wanted);
        if self.level_covers_head() {
            return fixes.done;
        }
        let has_mips = self.mips.len() > 1;
        if fixes.fix(&BLP_HAS_MIPS, self.has_mips_is_odd(), "set by the levels") {
            match &mut self.head {
                Head::Old(head) => head.has_mips = u32::from(has_mips),
                Head::New(head) => head.has_mips = has_mips.into(),
            }
        }
        let bits = self.alpha_bits_of_levels();
        if let Some(bits) = bits.filter(|_| self.alpha_bits_are_odd())
            && fixes.fix(&BLP_ALPHA_BITS, true, "set by the levels")
        {
            match &mut self.head {
                Head::Old(head) => head.alpha_bits = bits.into(),
                Head::New(head) => head.alpha_bits = bits,
            }
        }
        fixes.done
    }
}
