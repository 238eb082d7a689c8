//! The two layers of XOR over the bytes of an entry.

use galatea_wire::Wire;

/// The constants that header and table are XORed with.
pub(super) const A: u32 = 0x4144_1043;
pub(super) const B: u32 = 0x11C2_2050;
pub(super) const C: u32 = 0xD056_08C3;
pub(super) const D: u32 = 0x532C_7319;

/// The keys of the first layer.
const PAIRS: [(u32, u32); 4] = [
    (0xBB8A_DEDB, 0x6522_9958),
    (0x0845_3206, 0x8812_1302),
    (0x4C34_4955, 0x2C02_F10C),
    (0x4887_F823, 0xF381_8583),
];

/// Returns the constant of a table's word at this place, for the row's key.
pub(super) fn table_key(key: u64, position: u64) -> u32 {
    let at = key.wrapping_add(position / 5) % 4;
    [A, B, C, D].get(at as usize).copied().unwrap_or(A)
}

/// Applies or removes the first layer. `seed` is that of version 2.
pub(super) fn layer_1(bytes: &mut [u8], hash: u64, seed: Option<u64>) {
    let low = hash & 0xFFFF_FFFF;
    for (block, place) in bytes.chunks_mut(8).zip((0u64..).step_by(8)) {
        let at = low.wrapping_add(seed.unwrap_or(0)).wrapping_add(place / 11) % 4;
        let (first, second) = PAIRS.get(at as usize).copied().unwrap_or_default();
        let key = (u64::from(first) | u64::from(second) << 32) ^ seed.unwrap_or(0);
        block.iter_mut().zip(key.to_le_bytes()).for_each(|(byte, key)| *byte ^= key);
    }
}

/// The magics of the second layer: with a head of 8 bytes, and of 16.
const SHORT: u32 = 0xA0F8_EFE6;
const LONG: u32 = 0xE3F8_EFE6;

/// Removes the second layer with its head, if there is one.
pub(super) fn layer_2(bytes: Vec<u8>) -> Vec<u8> {
    let head = match u32::get(&bytes) {
        SHORT if bytes.len() >= 8 => 8,
        LONG if bytes.len() >= 16 => 16,
        _ => return bytes,
    };
    let key = u32::get(bytes.get(4..8).unwrap_or(&[]));
    let mut out = bytes.get(head..).unwrap_or(&[]).to_vec();
    mask(&mut out, key);
    out
}

/// XORs whole words with the keys that follow from one.
fn mask(bytes: &mut [u8], key: u32) {
    let mut word_key = key | (key ^ 0x6576) << 16;
    for word in bytes.chunks_exact_mut(4) {
        (u32::get(word) ^ word_key).put(word);
        word_key = 278u32.wrapping_mul(key).wrapping_add(48_828_125u32.wrapping_mul(word_key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_layer_leaves_the_last_bytes_plain() {
        for (magic, head) in [(SHORT, 8), (LONG, 16)] {
            let mut body = b"a text of eighteen".to_vec();
            mask(&mut body, 77);
            assert_eq!(&body[16..], b"en");
            let mut file =
                [magic.to_le_bytes(), 77u32.to_le_bytes(), [9; 4], [9; 4]].concat()[..head].to_vec();
            file.extend(body);
            assert_eq!(layer_2(file), b"a text of eighteen");
        }
        assert_eq!(layer_2(b"plain".to_vec()), b"plain");
    }

    #[test]
    fn the_first_layer_is_its_own_inverse() {
        for seed in [None, Some(0x1234_5678_9ABC_DEF0)] {
            let mut bytes: Vec<u8> = (0..45).collect();
            layer_1(&mut bytes, 0x522B_D17A_D750_C740, seed);
            assert_ne!(bytes, (0..45).collect::<Vec<u8>>());
            layer_1(&mut bytes, 0x522B_D17A_D750_C740, seed);
            assert_eq!(bytes, (0..45).collect::<Vec<u8>>());
        }
    }
}
