//! Fixes of TPC.

use galatea_wire::{Fixed, Rule};

use super::Fixes;
use crate::Txi;
use crate::rules::{TPC_ALPHA_MEAN, TPC_SIZE, TPC_UNUSED};
use crate::tpc::Tpc;
use crate::txi::is_text;

impl Tpc {
    /// Fixes what the wanted rules find, where the rest of the file leaves no doubt about the right value.
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let mut fixes = Fixes::new(wanted);
        if fixes.fix(
            &TPC_SIZE,
            self.size_is_wrong() && is_text(self.txi.print()),
            "set to the first level's bytes",
        ) {
            self.head.size = self.right_size();
        }
        if fixes.fix(&TPC_ALPHA_MEAN, self.alpha_mean_is_wrong(), "set to 1.0") {
            self.head.alpha_mean = 1.0;
        }
        if fixes.fix(&TPC_UNUSED, self.head.unused != [0; 114], "set to zero") {
            self.head.unused = [0; 114];
        }
        fixes.done
    }
}

impl Txi {
    /// Fixes nothing: nothing in a text can be fixed without guessing.
    pub fn fix(&mut self, _: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        Vec::new()
    }
}
