//! The GLB container: a header, a JSON chunk, a binary chunk.

use galatea_wire::{Error, ErrorKind, Result};

const MAGIC: u32 = 0x4654_6C67;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;
/// Bytes before the JSON.
pub(crate) const HEAD: usize = 20;

/// Returns `true` if these bytes begin like a GLB.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    word(bytes, 0) == Some(MAGIC)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

/// Returns a container of the JSON, which begins after [`HEAD`] unused bytes, and the parts of the buffer.
pub(crate) fn pack(mut out: Vec<u8>, bin: &[Vec<u8>]) -> Result<Vec<u8>> {
    let json_len = out.len().saturating_sub(HEAD).next_multiple_of(4);
    let bin_len = bin.iter().map(Vec::len).sum::<usize>().next_multiple_of(4);
    let total = 12 + 8 + json_len + if bin_len == 0 { 0 } else { 8 + bin_len };
    let Ok(size) = u32::try_from(total) else {
        return Err(Error::unrepresentable(format!("a GLB has room for 4 GiB, not {total} bytes")));
    };
    let words = [MAGIC, 2, size, json_len as u32, JSON];
    for (slot, word) in out.as_chunks_mut().0.iter_mut().zip(words) {
        *slot = word.to_le_bytes();
    }
    out.resize(HEAD + json_len, b' ');
    out.reserve_exact(total - out.len());
    if bin_len > 0 {
        out.extend_from_slice(&(bin_len as u32).to_le_bytes());
        out.extend_from_slice(&BIN.to_le_bytes());
        bin.iter().for_each(|part| out.extend_from_slice(part));
        out.resize(total, 0);
    }
    Ok(out)
}

/// The JSON chunk with its offset, and the binary chunk if there is one.
pub(crate) type Chunks<'a> = (usize, &'a [u8], Option<&'a [u8]>);

/// Reads a container.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Chunks<'_>> {
    let short = |at: usize, need: u64| {
        let have = bytes.len().saturating_sub(at) as u64;
        Error::at(ErrorKind::Truncated { count: 1, size: need, have }, at)
    };
    let version = word(bytes, 4).ok_or_else(|| short(4, 8).within("header"))?;
    if version != 2 {
        return Err(
            Error::at(ErrorKind::Unsupported(format!("GLB version {version}").into()), 4).within("header")
        );
    }
    let length = word(bytes, 8).ok_or_else(|| short(8, 4).within("header"))? as usize;
    if length > bytes.len() {
        return Err(short(0, length as u64).within("header"));
    }
    let (mut json, mut bin) = (None, None);
    let mut at = 12;
    while at < length {
        let (Some(size), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
            return Err(short(at, 8).within("chunk"));
        };
        let body = bytes.get(at + 8..).and_then(|b| b.get(..size as usize));
        let body = body.ok_or_else(|| short(at + 8, u64::from(size)).within("chunk"))?;
        match kind {
            JSON if json.is_none() && bin.is_none() => json = Some((at + 8, body)),
            BIN if bin.is_none() => bin = Some(body),
            // The specification requires readers to skip unknown chunks.
            _ => {}
        }
        at += 8 + size as usize;
    }
    let (place, json) = json.ok_or_else(|| {
        let found = "none".into();
        Error::at(ErrorKind::Mismatch { want: "a JSON chunk".into(), found }, 12).within("chunks")
    })?;
    Ok((place, json, bin))
}
