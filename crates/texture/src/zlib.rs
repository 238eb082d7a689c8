//! zlib in one piece, to a size that is known beforehand.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use galatea_wire::{Error, ErrorKind, Result};

/// Unpacks zlib to exactly `size` bytes; never more, whatever the data wants.
pub(crate) fn inflate(packed: &[u8], size: usize) -> Result<Vec<u8>, ErrorKind> {
    // Deflate cannot do better than 1032 to 1, so a larger promise is a lie.
    if size > packed.len().saturating_mul(1032).saturating_add(64) {
        return Err(ErrorKind::Truncated { count: 1, size: size as u64, have: packed.len() as u64 * 1032 });
    }
    let broken = |found: String| ErrorKind::Mismatch {
        want: format!("zlib data of {size} bytes").into(),
        found: found.into(),
    };
    let mut out = Vec::with_capacity(size);
    let mut state = Decompress::new(true);
    match state.decompress_vec(packed, &mut out, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) if out.len() == size => Ok(out),
        Ok(Status::StreamEnd) => Err(broken(format!("{} bytes", out.len()))),
        Ok(_) if out.len() == size => Err(broken("more".into())),
        Ok(_) => Err(broken("a cut stream".into())),
        Err(_) => Err(broken("something else".into())),
    }
}

pub(crate) fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
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
    }
}
