//! Unpacks the format of the PKWARE Data Compression Library ("implode"), which older maps use.

use galatea_wire::ErrorKind;

/// A code of at most `1 << bits` entries: what the next bits mean and how many of them are used.
struct Code<const SIZE: usize>([(u8, u8); SIZE]);

impl<const SIZE: usize> Code<SIZE> {
    /// Builds the code from lengths in runs: the low half of a byte is a length, the high half says how many symbols more have
    /// it. The codes are canonical, all their bits are inverted, and the first bit is the lowest.
    #[allow(clippy::indexing_slicing)] // Computed when compiling: an index out of range would not build.
    const fn new(runs: &[u8]) -> Self {
        let mut table = [(0, 0); SIZE];
        let mut code = 0usize;
        let mut len = 1u32;
        while 1 << len <= SIZE {
            let (mut run, mut symbol) = (0, 0usize);
            while run < runs.len() {
                let mut left = (runs[run] >> 4) as usize + 1;
                while left > 0 {
                    if (runs[run] & 15) as u32 == len {
                        let inverted = !code & ((1 << len) - 1);
                        let mut key = inverted.reverse_bits() >> (usize::BITS - len);
                        while key < SIZE {
                            table[key] = (symbol as u8, len as u8);
                            key += 1 << len;
                        }
                        code += 1;
                    }
                    symbol += 1;
                    left -= 1;
                }
                run += 1;
            }
            code <<= 1;
            len += 1;
        }
        Code(table)
    }
}

static LITERALS: Code<8192> = Code::new(&[
    11, 124, 8, 7, 28, 7, 188, 13, 76, 4, 10, 8, 12, 10, 12, 10, 8, 23, 8, 9, 7, 6, 7, 8, 7, 6, 55, 8, 23,
    24, 12, 11, 7, 9, 11, 12, 6, 7, 22, 5, 7, 24, 6, 11, 9, 6, 7, 22, 7, 11, 38, 7, 9, 8, 25, 11, 8, 11, 9,
    12, 8, 12, 5, 38, 5, 38, 5, 11, 7, 5, 6, 21, 6, 10, 53, 8, 7, 24, 10, 27, 44, 253, 253, 253, 252, 252,
    252, 13, 12, 45, 12, 45, 12, 61, 12, 45, 44, 173,
]);
static LENGTHS: Code<128> = Code::new(&[2, 35, 36, 53, 38, 23]);
static DISTANCES: Code<256> = Code::new(&[2, 20, 53, 230, 247, 151, 248]);

/// Smallest length of each length symbol, and the extra bits that are added to it.
const LENGTH_BASES: [(u16, u8); 16] = [
    (3, 0),
    (2, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 1),
    (12, 2),
    (16, 3),
    (24, 4),
    (40, 5),
    (72, 6),
    (136, 7),
    (264, 8),
];
/// The length that ends the data.
const END: usize = 519;

/// The bits of the packed data, the lowest of each byte first.
struct Bits<'a> {
    bytes: std::slice::Iter<'a, u8>,
    held: u32,
    count: u32,
}

impl Bits<'_> {
    /// Makes at least 16 bits available; those past the end are zero and are not counted.
    fn fill(&mut self) {
        while self.count <= 16 {
            let Some(byte) = self.bytes.next() else { return };
            self.held |= u32::from(*byte) << self.count;
            self.count += 8;
        }
    }

    fn take(&mut self, count: u32) -> Option<usize> {
        self.fill();
        let value = self.held & ((1 << count) - 1);
        self.count = self.count.checked_sub(count)?;
        self.held >>= count;
        Some(value as usize)
    }

    fn symbol<const SIZE: usize>(&mut self, code: &Code<SIZE>) -> Option<u8> {
        self.fill();
        let (symbol, len) = *code.0.get(self.held as usize % SIZE)?;
        self.count = self.count.checked_sub(u32::from(len))?;
        self.held >>= len;
        Some(symbol)
    }
}

/// Appends what the packed data hold: at most `size` bytes, whatever the data want.
pub(crate) fn explode(packed: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
    let wrong = |found: &'static str| {
        Err(ErrorKind::Mismatch { want: format!("PKWARE data of {size} bytes").into(), found: found.into() })
    };
    let (literals, dictionary) = match packed {
        [literals @ 0..=1, dictionary @ 4..=6, ..] => (*literals == 1, u32::from(*dictionary)),
        _ => return wrong("another start"),
    };
    let mut bits = Bits { bytes: packed.get(2..).unwrap_or(&[]).iter(), held: 0, count: 0 };
    let start = out.len();
    loop {
        let Some(step) = step(&mut bits, literals, dictionary) else { return wrong("a cut stream") };
        let room = size - (out.len() - start);
        match step {
            Step::End if room == 0 => return Ok(()),
            Step::End => return wrong("less"),
            _ if room == 0 => return wrong("more"),
            Step::Literal(byte) => out.push(byte),
            Step::Copy { length, distance } => {
                let Some(from) = out.len().checked_sub(distance).filter(|from| *from >= start) else {
                    return wrong("a distance before the start");
                };
                if length > room {
                    return wrong("more");
                }
                // Short distances repeat what they have just written.
                for at in from..from + length.min(distance) {
                    out.extend(out.get(at).copied());
                }
                for at in from + distance..from + length.max(distance) {
                    out.extend(out.get(at).copied());
                }
            }
        }
    }
}

enum Step {
    Literal(u8),
    Copy { length: usize, distance: usize },
    End,
}

fn step(bits: &mut Bits<'_>, literals: bool, dictionary: u32) -> Option<Step> {
    if bits.take(1)? == 0 {
        let byte = if literals { bits.symbol(&LITERALS)? } else { bits.take(8)? as u8 };
        return Some(Step::Literal(byte));
    }
    let (base, extra) = *LENGTH_BASES.get(usize::from(bits.symbol(&LENGTHS)?))?;
    let length = usize::from(base) + bits.take(extra.into())?;
    if length == END {
        return Some(Step::End);
    }
    // Pairs are always near.
    let low = if length == 2 { 2 } else { dictionary };
    let high = usize::from(bits.symbol(&DISTANCES)?);
    Some(Step::Copy { length, distance: (high << low) + bits.take(low)? + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_example_unpacks() {
        // From the description of the format: "AIAIAIAIAIAIA".
        let packed = [0x00, 0x04, 0x82, 0x24, 0x25, 0x8F, 0x80, 0x7F];
        let mut out = b"kept".to_vec();
        explode(&packed, 13, &mut out).unwrap();
        assert_eq!(out, b"keptAIAIAIAIAIAIA");
        for size in [0, 12, 14] {
            assert!(explode(&packed, size, &mut Vec::new()).is_err(), "{size}");
        }
        for cut in 0..packed.len() {
            assert!(explode(&packed[..cut], 13, &mut Vec::new()).is_err(), "{cut}");
        }
    }

    #[test]
    fn distances_before_the_start_are_refused() {
        // A copy as the first step, with bytes of another sector before it.
        let packed = [0x00, 0x04, 0xFF, 0xFF, 0xFF, 0xFF];
        assert!(explode(&packed, 100, &mut vec![7; 4096]).is_err());
    }

    #[test]
    fn every_code_is_complete() {
        assert!(LITERALS.0.iter().all(|(_, len)| *len > 0));
        assert!(LENGTHS.0.iter().all(|(_, len)| *len > 0));
        assert!(DISTANCES.0.iter().all(|(_, len)| *len > 0));
    }
}
