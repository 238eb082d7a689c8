//! Writes BLP.

use std::sync::Arc;

use galatea_wire::{Error, Gap, Offset, Plan, Result, Wire, Writer};

use super::{Blp, Content, Head, Layout, MipTable};

impl Blp {
    /// Writes the texture: for an unchanged one, the bytes it was read from. The levels of a BLP0 are files of their own.
    pub fn write(&self) -> Result<Vec<u8>> {
        if let Some(layout) = &self.layout
            && let Some(bytes) = self.replay(layout)?
        {
            return Ok(bytes);
        }
        let mut plan = Plan::new(self.head.size());
        if self.head.has_table() {
            plan.record::<MipTable>();
        }
        match self.head.content() {
            Content::Jpeg => plan.block(4 + self.jpeg_header.len()),
            _ => plan.block(1024),
        };
        let mut table = MipTable::ZERO;
        if self.head.has_table() {
            if self.mips.len() > 16 {
                return Err(Error::unrepresentable(format!("{} levels, a BLP holds 16", self.mips.len())));
            }
            let mut placed: Vec<(&Arc<[u8]>, Offset)> = Vec::new();
            for ((mip, offset), size) in self.mips.iter().zip(&mut table.offsets).zip(&mut table.sizes) {
                *size = Writer::count(mip.len(), "bytes")?;
                *offset = match placed.iter().find(|(other, _)| Arc::ptr_eq(other, mip)) {
                    Some((_, offset)) => *offset,
                    None if mip.is_empty() => Offset(0),
                    None => Writer::offset(plan.block(mip.len()))?,
                };
                placed.push((mip, *offset));
            }
        } else {
            // A BLP0 always has room for a palette after its head.
            let at = plan.len();
            plan.block((self.head.size() + 1024).saturating_sub(at));
        }
        self.emit(&table, plan.len(), &[])
    }

    /// Returns the file as it was, if everything still fits where it was.
    fn replay(&self, layout: &Layout) -> Result<Option<Vec<u8>>> {
        let mip = |i: usize| self.mips.get(i).map_or(&[] as &[u8], |m| m);
        let same = self.jpeg_header.len() == layout.jpeg_header
            && (!self.head.has_table()
                || (self.mips.len() <= layout.mips.len()
                    && layout.mips.iter().enumerate().all(|(i, len)| mip(i).len() == *len)));
        if !same {
            return Ok(None);
        }
        let out = self.emit(&layout.table, layout.len, &layout.gaps)?;
        // Levels that share bytes can only be written so while they still agree.
        let agrees = !self.head.has_table()
            || layout.table.offsets.iter().enumerate().all(|(i, offset)| {
                mip(i).is_empty() || out.get(offset.0 as usize..).is_some_and(|o| o.starts_with(mip(i)))
            });
        Ok(agrees.then_some(out))
    }

    fn emit(&self, table: &MipTable, len: usize, gaps: &[Gap]) -> Result<Vec<u8>> {
        let mut writer = Writer::new(len);
        writer.gaps(gaps)?;
        match &self.head {
            Head::Old(head) => writer.put(0, head)?,
            Head::New(head) => writer.put(0, head)?,
        }
        let mut at = self.head.size();
        if self.head.has_table() {
            writer.put(at, table)?;
            at += MipTable::SIZE;
        }
        if self.head.content() == Content::Jpeg {
            writer.put(at, &Writer::count(self.jpeg_header.len(), "bytes")?)?;
            writer.bytes(at + 4, &self.jpeg_header)?;
        } else {
            writer.array(at, &self.palette)?;
        }
        if self.head.has_table() {
            for (mip, offset) in self.mips.iter().zip(table.offsets) {
                if !mip.is_empty() {
                    writer.bytes(offset.0 as usize, mip)?;
                }
            }
        }
        Ok(writer.into_bytes())
    }
}
