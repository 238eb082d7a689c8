//! Writes TPC.

use galatea_wire::{Result, Wire, put_array};

use super::{Tpc, TpcHead};

impl Tpc {
    /// Writes the texture: for an unchanged one, the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>> {
        let pixels: usize = self.levels.iter().map(Vec::len).sum();
        let mut out = Vec::with_capacity(TpcHead::SIZE + pixels + self.txi.print().len());
        put_array(&mut out, &[self.head]);
        for level in &self.levels {
            out.extend_from_slice(level);
        }
        out.extend_from_slice(self.txi.print());
        Ok(out)
    }
}
