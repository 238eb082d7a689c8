//! Writes DDS.

use galatea_wire::{Result, put_array};

use super::Dds;

impl Dds {
    /// Writes the texture: for an unchanged one, the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>> {
        let pixels: usize = self.levels.iter().map(Vec::len).sum();
        let mut out = Vec::with_capacity(148 + pixels + self.tail.len());
        put_array(&mut out, &[self.head]);
        if let Some(dx10) = self.dx10 {
            put_array(&mut out, &[dx10]);
        }
        for level in &self.levels {
            out.extend_from_slice(level);
        }
        out.extend_from_slice(&self.tail);
        Ok(out)
    }
}
