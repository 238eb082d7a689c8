//! The hash and the cipher of MPQ. Both use one table of 1,280 words.

use galatea_wire::Wire;

/// What a name is hashed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashKind {
    /// The first slot of the hash table to look at.
    Slot = 0,
    /// The first of the two words that a hash entry stores.
    A = 1,
    /// The second of them.
    B = 2,
    /// The key of an encrypted file or table.
    Key = 3,
}

/// Five tables of 256 words: four for the kinds of hashes, one for the cipher.
static TABLE: [[u32; 256]; 5] = table();

#[allow(clippy::indexing_slicing)] // Computed when compiling: an index out of range would not build.
const fn table() -> [[u32; 256]; 5] {
    let mut table = [[0; 256]; 5];
    let mut seed: u32 = 0x0010_0001;
    let mut at = 0;
    while at < 256 {
        let mut kind = 0;
        while kind < 5 {
            seed = (seed * 125 + 3) % 0x002A_AAAB;
            let high = (seed & 0xFFFF) << 16;
            seed = (seed * 125 + 3) % 0x002A_AAAB;
            table[kind][at] = high | (seed & 0xFFFF);
            kind += 1;
        }
        at += 1;
    }
    table
}

fn word(table: &[u32; 256], at: u8) -> u32 {
    table.get(usize::from(at)).copied().unwrap_or(0)
}

/// Returns the byte that is hashed in place of this one: upper case, with `\` as the separator.
fn folded(byte: u8) -> u8 {
    if byte == b'/' { b'\\' } else { byte.to_ascii_uppercase() }
}

/// Returns the hashes of a name of these kinds, in one pass.
pub(crate) fn hashes<const N: usize>(name: &[u8], kinds: [HashKind; N]) -> [u32; N] {
    let tables = kinds.map(|kind| match kind {
        HashKind::Slot => &TABLE[0],
        HashKind::A => &TABLE[1],
        HashKind::B => &TABLE[2],
        HashKind::Key => &TABLE[3],
    });
    let mut states = [(0x7FED_7FEDu32, 0xEEEE_EEEEu32); N];
    for byte in name {
        let byte = folded(*byte);
        for (state, table) in states.iter_mut().zip(tables) {
            let first = word(table, byte) ^ state.0.wrapping_add(state.1);
            let second = u32::from(byte)
                .wrapping_add(first)
                .wrapping_add(state.1)
                .wrapping_add(state.1 << 5)
                .wrapping_add(3);
            *state = (first, second);
        }
    }
    states.map(|(first, _)| first)
}

/// Returns the hash of a name.
pub(crate) fn hash(name: &[u8], kind: HashKind) -> u32 {
    let [hash] = hashes(name, [kind]);
    hash
}

/// The state of the cipher: it changes with every word.
struct Cipher {
    key: u32,
    seed: u32,
}

impl Cipher {
    fn new(key: u32) -> Self {
        Cipher { key, seed: 0xEEEE_EEEE }
    }

    /// Returns what the next word is combined with.
    fn mask(&mut self) -> u32 {
        self.seed = self.seed.wrapping_add(word(&TABLE[4], self.key as u8));
        self.key.wrapping_add(self.seed)
    }

    /// Moves on past a word.
    fn pass(&mut self, plain: u32) {
        self.key = ((!self.key) << 21).wrapping_add(0x1111_1111) | (self.key >> 11);
        self.seed = plain.wrapping_add(self.seed).wrapping_add(self.seed << 5).wrapping_add(3);
    }
}

/// Decrypts whole words; up to three bytes at the end are never encrypted.
pub(crate) fn decrypt(bytes: &mut [u8], key: u32) {
    let mut cipher = Cipher::new(key);
    for chunk in bytes.as_chunks_mut::<4>().0 {
        let plain = u32::from_le_bytes(*chunk) ^ cipher.mask();
        cipher.pass(plain);
        *chunk = plain.to_le_bytes();
    }
}

/// Encrypts whole words; up to three bytes at the end stay plain.
pub(crate) fn encrypt(bytes: &mut [u8], key: u32) {
    let mut cipher = Cipher::new(key);
    for chunk in bytes.as_chunks_mut::<4>().0 {
        let plain = u32::from_le_bytes(*chunk);
        *chunk = (plain ^ cipher.mask()).to_le_bytes();
        cipher.pass(plain);
    }
}

/// Returns every key that decrypts the first word to this value. There are few: the first mask depends on the key and on one
/// of 256 words that the key's lowest byte selects.
pub(crate) fn keys_for(encrypted: &[u8], plain: u32) -> impl Iterator<Item = u32> {
    let mask = u32::get(encrypted) ^ plain;
    (0..=u8::MAX).filter_map(move |low| {
        let key = mask.wrapping_sub(0xEEEE_EEEEu32.wrapping_add(word(&TABLE[4], low)));
        (key as u8 == low).then_some(key)
    })
}

/// Returns the part of a name that the key of an encrypted file is made from.
pub(crate) fn base_name(name: &[u8]) -> &[u8] {
    name.rsplit(|b| matches!(b, b'\\' | b'/')).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_tables_are_the_published_ones() {
        assert_eq!(hash(b"(hash table)", HashKind::Key), 0xC3AF_3770);
        assert_eq!(hash(b"(block table)", HashKind::Key), 0xEC83_B3A3);
    }

    #[test]
    fn case_and_separator_do_not_matter() {
        for kind in [HashKind::Slot, HashKind::A, HashKind::B, HashKind::Key] {
            assert_eq!(hash(b"Units/Human/foo.mdx", kind), hash(b"UNITS\\human\\FOO.MDX", kind));
        }
        assert_eq!(base_name(b"a\\b/c.mdx"), b"c.mdx");
    }

    #[test]
    fn what_is_encrypted_is_decrypted() {
        let plain: Vec<u8> = (0..43).collect();
        let mut bytes = plain.clone();
        encrypt(&mut bytes, 0xDEAD_BEEF);
        assert_ne!(bytes[..40], plain[..40]);
        assert_eq!(bytes[40..], plain[40..]);
        decrypt(&mut bytes, 0xDEAD_BEEF);
        assert_eq!(bytes, plain);
    }

    #[test]
    fn a_known_word_yields_the_key() {
        for key in [0, 1, 0x1234_5678, 0xFFFF_FFFF, 0x8000_00A5] {
            let mut bytes = 24u32.to_le_bytes();
            encrypt(&mut bytes, key);
            assert!(keys_for(&bytes, 24).any(|k| k == key), "{key:X}");
        }
    }
}
