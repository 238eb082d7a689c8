//! Fixes of FTEX.

use galatea_wire::{Fixed, Rule};

use super::Fixes;
use crate::check::STREAMED;
use crate::ftex::Ftex;
use crate::rules::{FTEX_PARTS, FTEX_STREAMED};

impl Ftex {
    /// Fixes what the wanted rules find, where the rest of the file leaves no doubt about the right value.
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let mut fixes = Fixes::new(wanted);
        if self.level_covers_head() {
            return fixes.done;
        }
        let parts = self.highest_part();
        let less = parts.saturating_sub(1);
        // The table is right if two of the three fields that follow from it say so.
        let agree = [self.head.parts == parts, self.head.parts_less_one == less, !self.streaming_is_wrong()];
        let one_wrong = agree.iter().filter(|a| !**a).count() == 1;
        let [first, second, mark] = agree.map(|agrees| one_wrong && !agrees);
        if fixes.fix(&FTEX_PARTS, first || second, "set to what the table names") {
            (self.head.parts, self.head.parts_less_one) = (parts, less);
        }
        if fixes.fix(&FTEX_STREAMED, mark, "set by where the pixels are") {
            self.head.kind = self.head.kind & !STREAMED | if parts > 0 { STREAMED } else { 0 };
        }
        fixes.done
    }
}
