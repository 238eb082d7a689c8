//! Writes FTEX.

use galatea_wire::{Error, Result, Wire, Writer};

use super::{ChunkInfo, Ftex, FtexHead, MipInfo, Pixels};

impl Ftex {
    /// Writes the FTEX itself: for an unchanged one, the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>> {
        self.write_part(0)
    }

    /// Writes an FTEXS part (0 is the FTEX itself): for an unchanged one, the bytes it was read from.
    pub fn write_part(&self, number: u8) -> Result<Vec<u8>> {
        let Some(part) = self.parts.iter().find(|p| p.number == number) else {
            return Err(Error::unrepresentable(format!("part {number} is missing")));
        };
        let mut writer = Writer::new(part.len);
        writer.gaps(&part.gaps)?;
        if number == 0 {
            writer.put(0, &self.head)?;
            let table: Vec<MipInfo> = self.mips.iter().map(|m| m.info).collect();
            writer.array(FtexHead::SIZE, &table)?;
        }
        for mip in self.mips.iter().filter(|m| m.info.part == number) {
            let at = mip.info.offset.0 as usize;
            match &mip.pixels {
                Pixels::Elsewhere => {}
                Pixels::Whole(bytes) => writer.bytes(at, bytes)?,
                Pixels::Chunks(chunks) => {
                    let table: Vec<ChunkInfo> = chunks.iter().map(|c| c.info).collect();
                    writer.array(at, &table)?;
                    for chunk in chunks {
                        writer.bytes(at.saturating_add(chunk.info.start()), &chunk.bytes)?;
                    }
                }
            }
        }
        Ok(writer.into_bytes())
    }
}
