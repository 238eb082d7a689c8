//! Reads FTEX.

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Reader, Result, Source, Wire};

use super::{Chunk, ChunkInfo, Ftex, FtexHead, Mip, MipInfo, Part, Pixels};

/// Returns `true` if these bytes begin like an FTEX.
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"FTEX")
}

/// Returns what reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Ftex::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

/// Returns what reading an FTEXS part claims for the FTEX it belongs to, and the error that stopped it.
pub fn inspect_part(ftex: &Ftex, number: u8, bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = ftex.read_part(number, source.reader()).err();
    (source.into_coverage(), error)
}

impl Ftex {
    /// Reads an FTEX. Levels that are in FTEXS files stay [`Pixels::Elsewhere`] until [`attach`](Self::attach).
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let source = Source::new(bytes, limits);
        let mut ftex = Self::read_from(source.reader())?;
        let gaps = source.into_coverage().keep_gaps(bytes);
        ftex.parts = vec![Part { number: 0, len: bytes.len(), gaps }];
        Ok(ftex)
    }

    fn read_from(reader: Reader<'_>) -> Result<Self> {
        if !detect(reader.data()) {
            return Err(reader.error(ErrorKind::NotThisFormat, 0, "magic"));
        }
        let head: FtexHead = reader.at(0, "head")?;
        let count = usize::from(head.mips) * head.faces() as usize;
        let table: Vec<MipInfo> = reader.array(FtexHead::SIZE, count, "mip_table")?;
        let mips = table.into_iter().map(|info| Mip { info, pixels: Pixels::Elsewhere }).collect();
        let mut ftex = Ftex { head, mips, parts: Vec::new() };
        let found = ftex.read_part(0, reader)?;
        ftex.place(found);
        Ok(ftex)
    }

    /// Adds the bytes of an FTEXS file by its number (`name.1.ftexs` is 1). On an error nothing is added.
    pub fn attach(&mut self, number: u8, bytes: &[u8], limits: &Limits) -> Result<()> {
        let source = Source::new(bytes, limits);
        let found =
            self.read_part(number, source.reader()).map_err(|e| e.within(format!("part {number}")))?;
        self.place(found);
        let gaps = source.into_coverage().keep_gaps(bytes);
        self.parts.retain(|p| p.number != number);
        self.parts.push(Part { number, len: bytes.len(), gaps });
        Ok(())
    }

    fn read_part(&self, number: u8, reader: Reader<'_>) -> Result<Vec<(usize, Pixels)>> {
        let mut out = Vec::new();
        for (index, mip) in self.mips.iter().enumerate().filter(|(_, m)| m.info.part == number) {
            let at = mip.info.offset.0 as usize;
            let reader = reader.enter("mips", Some(index), at)?;
            out.push((index, read_pixels(&mip.info, at, reader)?));
        }
        Ok(out)
    }

    fn place(&mut self, found: Vec<(usize, Pixels)>) {
        for (index, pixels) in found {
            if let Some(mip) = self.mips.get_mut(index) {
                mip.pixels = pixels;
            }
        }
    }
}

fn read_pixels(info: &MipInfo, at: usize, reader: Reader<'_>) -> Result<Pixels> {
    if info.chunks == 0 {
        let len = if info.packed == 0 { info.raw } else { info.packed };
        let bytes = reader.bytes(at, len as usize, "pixels")?;
        reader.spend(bytes.len() as u64 + 256, at, "pixels")?;
        return Ok(Pixels::Whole(bytes.to_vec()));
    }
    let table: Vec<ChunkInfo> = reader.array(at, info.chunks.into(), "chunk_table")?;
    let mut chunks = Vec::new();
    for info in table {
        let at = at.saturating_add(info.start());
        let bytes = reader.bytes(at, info.packed.into(), "chunk")?;
        reader.spend(bytes.len() as u64 + 64, at, "chunk")?;
        chunks.push(Chunk { info, bytes: bytes.to_vec() });
    }
    Ok(Pixels::Chunks(chunks))
}
