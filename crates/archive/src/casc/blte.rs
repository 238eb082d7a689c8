//! BLTE: how a file is kept in the storage, in chunks that are stored or packed with zlib.

use galatea_wire::zlib::Inflater;
use galatea_wire::{Error, ErrorKind, Limits, Result};
use md5::{Digest, Md5};

use super::cursor::{Cursor, mismatch};
use super::{EKey, KEY_PREFIX};

/// A chunk that the table announces.
struct Chunk {
    packed: usize,
    size: usize,
    md5: Option<[u8; 16]>,
}

/// Returns `true` if these bytes begin like a BLTE.
pub fn is_blte(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BLTE")
}

/// Unpacks a BLTE. `size` is what it must unpack to; without a table of chunks it is needed.
///
/// Checksums of chunks are compared. Encrypted chunks, LZ4 and nested BLTEs are refused by name.
///
/// ```
/// use galatea_archive::casc::decode_blte;
/// let bytes = b"BLTE\0\0\0\0Nhello";
/// assert_eq!(decode_blte(bytes, Some(5), &Default::default())?, b"hello");
/// # Ok::<(), galatea_archive::Error>(())
/// ```
pub fn decode_blte(bytes: &[u8], size: Option<u64>, limits: &Limits) -> Result<Vec<u8>> {
    let (chunks, mut at) = chunks(bytes, size)?;
    let total: u64 = chunks.iter().map(|chunk| chunk.size as u64).sum();
    if size.is_some_and(|size| size != total) {
        let want = format!("{} bytes", size.unwrap_or(0));
        return Err(mismatch(4, "chunks", want, format!("{total} bytes")));
    }
    if total > limits.entry {
        return Err(Error::at(ErrorKind::Limit("bytes of an entry"), 4).within("chunks"));
    }
    let mut inflater = Inflater::default();
    let mut out = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let within = |error: Error| error.within(format!("chunks[{index}]"));
        let have = bytes.len().saturating_sub(at) as u64;
        let packed = bytes.get(at..).and_then(|rest| rest.get(..chunk.packed)).ok_or_else(|| {
            let kind = ErrorKind::Truncated { count: 1, size: chunk.packed as u64, have };
            within(Error::at(kind, at))
        })?;
        if chunk.md5.is_some_and(|md5| md5 != <[u8; 16]>::from(Md5::digest(packed))) {
            return Err(within(mismatch(
                at,
                "md5",
                "the checksum of the table",
                "another: the chunk is damaged",
            )));
        }
        append(packed, chunk.size, &mut inflater, &mut out).map_err(|kind| within(Error::at(kind, at)))?;
        at += chunk.packed;
    }
    Ok(out)
}

/// Returns the chunks and where the first one begins.
fn chunks(bytes: &[u8], size: Option<u64>) -> Result<(Vec<Chunk>, usize)> {
    if !is_blte(bytes) {
        return Err(Error::at(ErrorKind::NotThisFormat, 0).within("BLTE"));
    }
    let mut cursor = Cursor::new(bytes, 4);
    let head_size = cursor.u32("head_size")? as usize;
    if head_size == 0 {
        let Some(size) = size else {
            let what = "a single chunk whose size is not known".into();
            return Err(Error::at(ErrorKind::Unsupported(what), 4).within("head_size"));
        };
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        return Ok((vec![Chunk { packed: bytes.len().saturating_sub(8), size, md5: None }], 8));
    }
    cursor.expect(0x0F, "flags")?;
    let count = cursor.number(3, "count")? as usize;
    if head_size != 12 + 24 * count || count == 0 {
        let want = format!("{} for {count} chunks", 12 + 24 * count);
        return Err(mismatch(4, "head_size", want, head_size.to_string()));
    }
    let have = bytes.len().saturating_sub(12) as u64;
    if have < 24 * count as u64 {
        let kind = ErrorKind::Truncated { count: count as u64, size: 24, have };
        return Err(Error::at(kind, 12).within("chunks"));
    }
    let mut chunks = Vec::with_capacity(count);
    for _ in 0..count {
        let (packed, size) = (cursor.u32("packed")? as usize, cursor.u32("size")? as usize);
        chunks.push(Chunk { packed, size, md5: Some(cursor.array("md5")?) });
    }
    Ok((chunks, head_size))
}

fn append(chunk: &[u8], size: usize, inflater: &mut Inflater, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
    match chunk {
        [b'N', plain @ ..] if plain.len() == size => {
            out.extend_from_slice(plain);
            Ok(())
        }
        [b'N', plain @ ..] => {
            let (want, found) = (format!("{size} bytes").into(), format!("{} bytes", plain.len()).into());
            Err(ErrorKind::Mismatch { want, found })
        }
        [b'Z', packed @ ..] => inflater.append(packed, size, out),
        [b'E', ..] => Err(ErrorKind::Unsupported("an encrypted chunk, whose key is not public".into())),
        [b'4', ..] => Err(ErrorKind::Unsupported("a chunk packed with LZ4".into())),
        [b'F', ..] => Err(ErrorKind::Unsupported("a chunk that is a BLTE itself".into())),
        [mode, ..] => Err(ErrorKind::Unsupported(format!("a chunk of the unknown kind 0x{mode:02X}").into())),
        [] => Err(ErrorKind::Truncated { count: 1, size: 1, have: 0 }),
    }
}

/// Returns `true` if the head of a BLTE has this key. One without a table of chunks has the key of all its bytes.
pub(super) fn has_key(bytes: &[u8], key: &EKey) -> bool {
    let head_size = Cursor::new(bytes, 4).u32("head_size").unwrap_or(0) as usize;
    let hashed = if head_size == 0 { Some(bytes) } else { bytes.get(..head_size) };
    hashed.is_some_and(|hashed| Md5::digest(hashed).get(..KEY_PREFIX) == Some(&key[..]))
}
