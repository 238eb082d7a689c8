//! CRILAYLA: CRI's compression, written and read from the end.

use galatea_wire::{ErrorKind, Limits, Wire};

/// The bytes at the start of a file that are kept plain.
const PLAIN: usize = 256;

/// Returns `true` if these bytes are packed.
pub(super) fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"CRILAYLA")
}

/// Returns the size of the unpacked file.
pub(super) fn size(bytes: &[u8]) -> u64 {
    u64::from(u32::get(bytes.get(8..).unwrap_or(&[]))) + PLAIN as u64
}

/// Unpacks a file.
pub(super) fn unpack(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, ErrorKind> {
    let size = size(bytes);
    if size > limits.entry {
        return Err(ErrorKind::Limit("bytes of an entry"));
    }
    let count = u32::get(bytes.get(12..).unwrap_or(&[])) as usize;
    let short = || {
        let have = bytes.len() as u64;
        ErrorKind::Truncated { count: 1, size: (16 + PLAIN).saturating_add(count) as u64, have }
    };
    let packed = bytes.get(16..).and_then(|rest| rest.get(..count)).ok_or_else(short)?;
    let plain = bytes.get(16 + count..).and_then(|rest| rest.get(..PLAIN)).ok_or_else(short)?;
    let size = size as usize;
    // A match of 8 bits gives at most 255 bytes, so a larger promise is a lie.
    if size > count.saturating_mul(256).saturating_add(PLAIN) {
        return Err(ErrorKind::Truncated { count: 1, size: size as u64, have: count as u64 * 256 });
    }
    let mut out = vec![0; size];
    let mut end = size;
    let mut bits = Bits { packed, left: packed.len(), pool: 0, have: 0 };
    while end > PLAIN {
        if bits.take(1)? == 0 {
            end -= 1;
            put(&mut out, end, bits.take(8)? as u8)?;
            continue;
        }
        let distance = bits.take(13)? as usize + 3;
        let mut length = 3;
        for width in [2, 3, 5].into_iter().chain(std::iter::repeat(8)) {
            let more = bits.take(width)? as usize;
            length += more;
            if more != (1 << width) - 1 || length > size {
                break;
            }
        }
        for _ in 0..length {
            if end == PLAIN {
                return Err(bad("a match that ends at byte 256", "a longer one"));
            }
            end -= 1;
            let byte = end.checked_add(distance).and_then(|at| out.get(at)).copied();
            let byte = byte.ok_or_else(|| bad("a match inside the file", "one past its end"))?;
            put(&mut out, end, byte)?;
        }
    }
    out.get_mut(..PLAIN).into_iter().for_each(|start| start.copy_from_slice(plain));
    Ok(out)
}

fn put(out: &mut [u8], at: usize, byte: u8) -> Result<(), ErrorKind> {
    *out.get_mut(at).ok_or_else(|| bad("a place in the file", "one outside"))? = byte;
    Ok(())
}

fn bad(want: &str, found: &str) -> ErrorKind {
    ErrorKind::Mismatch { want: want.to_owned().into(), found: found.to_owned().into() }
}

/// Bits from the last byte to the first, the highest of each byte first.
struct Bits<'a> {
    packed: &'a [u8],
    left: usize,
    pool: u32,
    have: u32,
}

impl Bits<'_> {
    fn take(&mut self, count: u32) -> Result<u32, ErrorKind> {
        while self.have < count {
            self.left =
                self.left.checked_sub(1).ok_or_else(|| bad("more packed bytes", "the end of them"))?;
            let byte = self.packed.get(self.left).copied().unwrap_or(0);
            self.pool = self.pool << 8 | u32::from(byte);
            self.have += 8;
        }
        self.have -= count;
        let value = self.pool >> self.have & ((1 << count) - 1);
        self.pool &= (1 << self.have) - 1;
        Ok(value)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Packs a file: literals, and runs of the byte that follows them.
    pub(in crate::cpk) fn pack(bytes: &[u8]) -> Vec<u8> {
        let (plain, rest) = bytes.split_at(PLAIN);
        let mut bits: Vec<bool> = Vec::new();
        let mut push =
            |value: u32, count: u32| (0..count).rev().for_each(|bit| bits.push(value >> bit & 1 == 1));
        let mut end = rest.len();
        while end > 0 {
            let run = |end: usize| end + 3 < rest.len() && rest[end - 1] == rest[end + 2];
            let length = (0..end).take_while(|back| run(end - back)).count();
            if length < 3 {
                push(0, 1);
                push(rest[end - 1].into(), 8);
                end -= 1;
                continue;
            }
            push(1, 1);
            push(0, 13);
            let mut left = (length - 3) as u32;
            for width in [2, 3, 5, 8, 8, 8, 8, 8, 8, 8, 8, 8] {
                let most = (1 << width) - 1;
                let now = left.min(most);
                push(now, width);
                left -= now;
                if now != most {
                    break;
                }
            }
            assert_eq!(left, 0);
            end -= length;
        }
        let mut packed: Vec<u8> = bits
            .chunks(8)
            .map(|b| b.iter().zip((0..8).rev()).map(|(bit, at)| u8::from(*bit) << at).sum())
            .collect();
        packed.reverse();
        let mut out = b"CRILAYLA".to_vec();
        out.extend((rest.len() as u32).to_le_bytes());
        out.extend((packed.len() as u32).to_le_bytes());
        out.extend(packed);
        out.extend(plain);
        out
    }

    #[test]
    fn what_was_packed_comes_back() {
        let limits = Limits::default();
        let mut file: Vec<u8> = (0..=255).collect();
        file.extend([7; 900]);
        file.extend(b"a text without any repetition");
        file.extend([8; 5]);
        let packed = pack(&file);
        assert!(packed.len() < file.len() - 500);
        assert_eq!(unpack(&packed, &limits).unwrap(), file);
        for cut in 0..packed.len() {
            assert!(unpack(&packed[..cut], &limits).is_err(), "{cut}");
        }
        assert!(unpack(&packed, &limits.with_entry(300)).is_err());
    }
}
