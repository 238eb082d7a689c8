//! zlib in one piece, to a size that is known beforehand. With the feature `zlib`.

use std::io::Write;

use crate::{Error, ErrorKind, Result};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

/// Unpacks zlib streams one after the other; the state is kept, since making it anew costs more than a small stream.
#[derive(Debug, Default)]
pub struct Inflater(Option<Decompress>);

impl Inflater {
    /// Appends exactly `size` unpacked bytes; never more, whatever the data wants.
    ///
    /// ```
    /// use galatea_wire::zlib::{Inflater, deflate};
    /// let (mut inflater, mut out) = (Inflater::default(), b"a".to_vec());
    /// inflater.append(&deflate(b"bcd")?, 3, &mut out).unwrap();
    /// assert_eq!(out, b"abcd");
    /// assert!(inflater.append(&deflate(b"bcd")?, 4, &mut out).is_err());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn append(&mut self, packed: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
        self.append_stream(packed, size, true, out)
    }

    /// Appends exactly `size` unpacked bytes of a stream with or without the head and the sum of zlib.
    fn append_stream(
        &mut self,
        packed: &[u8],
        size: usize,
        zlib: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), ErrorKind> {
        // Deflate cannot do better than 1032 to 1, so a larger promise is a lie.
        if size > packed.len().saturating_mul(1032).saturating_add(64) {
            return Err(ErrorKind::Truncated {
                count: 1,
                size: size as u64,
                have: packed.len() as u64 * 1032,
            });
        }
        let broken = |found: String| {
            let name = if zlib { "zlib" } else { "deflate" };
            let want = format!("{name} data of {size} bytes").into();
            ErrorKind::Mismatch { want, found: found.into() }
        };
        let state = self.0.get_or_insert_with(|| Decompress::new(zlib));
        state.reset(zlib);
        let start = out.len();
        out.resize(start + size, 0);
        let slot = out.get_mut(start..).unwrap_or(&mut []);
        let status = state.decompress(packed, slot, FlushDecompress::Finish);
        let got = usize::try_from(state.total_out()).unwrap_or(usize::MAX);
        match status {
            Ok(Status::StreamEnd) if got == size => Ok(()),
            Ok(Status::StreamEnd) => Err(broken(format!("{got} bytes"))),
            Ok(_) if got == size => Err(broken("more".into())),
            Ok(_) => Err(broken("a cut stream".into())),
            Err(_) => Err(broken("something else".into())),
        }
    }
}

/// Unpacks zlib to exactly `size` bytes.
pub fn inflate(packed: &[u8], size: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut out = Vec::new();
    Inflater::default().append(packed, size, &mut out)?;
    Ok(out)
}

/// Unpacks a deflate stream without the head of zlib, as in ZIP, to exactly `size` bytes.
pub fn inflate_raw(packed: &[u8], size: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut out = Vec::new();
    Inflater::default().append_stream(packed, size, false, &mut out)?;
    Ok(out)
}

/// Packs with zlib.
pub fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let failed = |e: std::io::Error| Error::unrepresentable(format!("zlib: {e}"));
    encoder.write_all(bytes).map_err(failed)?;
    encoder.finish().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lying_zlib_size_is_refused_before_it_is_allocated() {
        let packed = deflate(&[0; 100]).unwrap();
        assert_eq!(inflate(&packed, 100).unwrap(), [0; 100]);
        assert!(matches!(inflate(&packed, u32::MAX as usize), Err(ErrorKind::Truncated { .. })));
        assert!(inflate(&packed, 99).is_err());
        assert!(inflate(&packed, 101).is_err());
        assert!(inflate(&packed[..5], 100).is_err());
        assert!(inflate(b"not zlib at all", 100).is_err());
        // The head and the sum of zlib are two and four bytes.
        let raw = packed.get(2..packed.len() - 4).unwrap();
        assert_eq!(inflate_raw(raw, 100).unwrap(), [0; 100]);
        assert!(inflate_raw(&packed, 100).is_err());
    }
}
