//! Unpacks sectors by the method that they name.

use galatea_wire::ErrorKind;
use galatea_wire::zlib::Inflater;

use super::pkware::explode;

/// The methods of a packed sector, as bits of its first byte. Maps use the first two.
const METHODS: [(u8, &str); 7] = [
    (ZLIB, "zlib"),
    (PKWARE, "PKWARE"),
    (0x01, "Huffman"),
    (0x10, "bzip2"),
    (0x20, "sparse"),
    (0x40, "ADPCM (one channel)"),
    (0x80, "ADPCM (two channels)"),
];
/// zlib.
pub(crate) const ZLIB: u8 = 0x02;
/// PKWARE Data Compression Library.
const PKWARE: u8 = 0x08;

/// How the sectors of a file are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Not at all.
    None,
    /// With PKWARE, without a method byte.
    Imploded,
    /// As the first byte of each sector says.
    ByMethod,
}

/// Unpacks sectors one after the other, with one state for all.
#[derive(Debug, Default)]
pub(crate) struct Unpacker(Inflater);

impl Unpacker {
    /// Appends the `size` bytes of a sector. A sector that packing would not make smaller is stored.
    pub(crate) fn append(
        &mut self,
        sector: &[u8],
        size: usize,
        packing: Packing,
        out: &mut Vec<u8>,
    ) -> Result<(), ErrorKind> {
        if packing == Packing::None || sector.len() >= size {
            let have = sector.len() as u64;
            let stored = sector.get(..size);
            out.extend_from_slice(stored.ok_or(ErrorKind::Truncated {
                count: 1,
                size: size as u64,
                have,
            })?);
            return Ok(());
        }
        if packing == Packing::Imploded {
            return explode(sector, size, out);
        }
        match sector {
            [ZLIB, packed @ ..] => self.0.append(packed, size, out),
            [PKWARE, packed @ ..] => explode(packed, size, out),
            [method, ..] => Err(ErrorKind::Unsupported(unsupported(*method).into())),
            [] => Err(ErrorKind::Truncated { count: 1, size: 1, have: 0 }),
        }
    }
}

/// Names the methods of a sector that cannot be unpacked.
fn unsupported(method: u8) -> String {
    let known = METHODS.iter().fold(0, |all, (bit, _)| all | bit);
    if method == 0x12 {
        return "LZMA compression (method 0x12)".into();
    }
    if method == 0 || method & !known != 0 {
        return format!("compression by the unknown method 0x{method:02X}");
    }
    let names: Vec<_> = METHODS.iter().filter(|(bit, _)| method & bit != 0).map(|(_, name)| *name).collect();
    format!("compression by {} (method 0x{method:02X})", names.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_maps_never_use_are_named() {
        let mut out = Vec::new();
        for (method, name) in
            [(0x81, "Huffman and ADPCM (two channels)"), (0x12, "LZMA"), (0x10, "bzip2"), (0, "unknown")]
        {
            let error =
                Unpacker::default().append(&[method, 1, 2], 10, Packing::ByMethod, &mut out).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn sectors_that_are_not_smaller_are_stored() {
        let mut out = Vec::new();
        Unpacker::default().append(&[2, 1, 5], 3, Packing::ByMethod, &mut out).unwrap();
        Unpacker::default().append(&[7, 8], 2, Packing::None, &mut out).unwrap();
        assert_eq!(out, [2, 1, 5, 7, 8]);
        assert!(Unpacker::default().append(&[7, 8], 3, Packing::None, &mut out).is_err());
        assert!(Unpacker::default().append(&[], 3, Packing::ByMethod, &mut out).is_err());
    }
}
