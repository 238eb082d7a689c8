//! The two hashes of the Fox Engine: StrCode64 for names, PathCode64 for files. Both stand on CityHash64 v1.0.3.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
const K3: u64 = 0xc949_d7c7_509e_6557;
const MUL: u64 = 0x9ddf_ea08_eb38_2d69;

/// The bits that a name hash has.
pub const STR_MASK: u64 = 0xFFFF_FFFF_FFFF;
/// The bits of a path code that hash the path; above them lie one meta bit and 13 bits for the extension.
pub const PATH_MASK: u64 = 0x3_FFFF_FFFF_FFFF;
/// The meta bit of a path code: the path does not lie below `/Assets/`.
pub const PATH_META: u64 = 1 << 50;
/// How far the extension's 13 bits are shifted in a path code.
pub const EXTENSION_SHIFT: u32 = 51;

/// Returns the hash of a name: StrCode64, 48 bits. Case matters.
///
/// ```
/// assert_eq!(galatea_fox::str_code64(b""), 0xB8A0_BF16_9F98);
/// assert_eq!(galatea_fox::str_code64(b"SKL_000_WAIST"), 0xED06_36C5_B26B);
/// ```
pub fn str_code64(text: &[u8]) -> u64 {
    let seed = text.first().map_or(0, |b| u64::from(*b) << 16).wrapping_add(text.len() as u64);
    let mut with_nul = Vec::with_capacity(text.len() + 1);
    with_nul.extend_from_slice(text);
    with_nul.push(0);
    hash_len_16(city_hash64(&with_nul).wrapping_sub(K2), seed) & STR_MASK
}

/// Returns the low 32 bits of [`str_code64`], as FV2 and FRIG files hold them.
///
/// ```
/// assert_eq!(galatea_fox::str_code32(b"SKL_000_WAIST"), 0x36C5_B26B);
/// ```
pub fn str_code32(text: &[u8]) -> u32 {
    galatea_wire::Wire::get(&str_code64(text).to_le_bytes())
}

/// Returns the hash of a file path with its extension: PathCode64.
///
/// ```
/// // The top 13 bits are the extension's: 0x2AD for ftex.
/// let code = galatea_fox::path_code64("/Assets/tpp/common_source/cm_flat_black.ftex");
/// assert_eq!(code >> 51, 0x2AD);
/// assert_eq!(code, galatea_fox::path_code64("/Assets/tpp/common_source/cm_flat_black") | 0x2AD << 51);
/// ```
pub fn path_code64(path: &str) -> u64 {
    let file = path.rfind('/').map_or(0, |at| at + 1);
    let dot = path.get(file..).and_then(|f| f.find('.')).map(|at| file + at);
    let (stem, extension) = match dot {
        Some(dot) => (path.get(..dot).unwrap_or(path), path.get(dot + 1..).unwrap_or("")),
        None => (path, ""),
    };
    let (stem, meta) = match stem.strip_prefix("/Assets/") {
        Some(rest) if !rest.starts_with("tpptest") => (rest, 0),
        _ => (stem.strip_prefix('/').unwrap_or(stem), PATH_META),
    };
    let extension = if extension.is_empty() { 0 } else { extension_code(extension) };
    extension << EXTENSION_SHIFT | meta | path_hash(stem.as_bytes()) & PATH_MASK
}

/// Returns the 13 bits of a file extension (without its dot) in a path code.
///
/// ```
/// assert_eq!(galatea_fox::extension_code("ftex"), 0x2AD);
/// assert_eq!(galatea_fox::extension_code("fmdl"), 0x1094);
/// ```
pub fn extension_code(extension: &str) -> u64 {
    path_hash(extension.as_bytes()) & 0x1FFF
}

fn path_hash(text: &[u8]) -> u64 {
    let seed = text.iter().rev().take(8).enumerate().fold(0, |seed, (i, b)| seed | u64::from(*b) << (8 * i));
    hash_len_16(city_hash64(text).wrapping_sub(K2), seed)
}

fn fetch(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b))
}

fn fetch32(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from(u32::from_le_bytes(*b)))
}

fn shift_mix(x: u64) -> u64 {
    x ^ x >> 47
}

fn hash_len_16(u: u64, v: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(MUL));
    shift_mix((v ^ a).wrapping_mul(MUL)).wrapping_mul(MUL)
}

fn weak(bytes: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let (w, x, y, z) = (fetch(bytes, at), fetch(bytes, at + 8), fetch(bytes, at + 16), fetch(bytes, at + 24));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    let b = b.wrapping_add(a.rotate_right(44));
    (a.wrapping_add(z), b.wrapping_add(c))
}

fn up_to_16(s: &[u8]) -> u64 {
    let len = s.len();
    let n = len as u64;
    if len > 8 {
        let (a, b) = (fetch(s, 0), fetch(s, len - 8));
        return hash_len_16(a, b.wrapping_add(n).rotate_right(n as u32)) ^ b;
    }
    if len >= 4 {
        return hash_len_16(n + (fetch32(s, 0) << 3), fetch32(s, len - 4));
    }
    let byte = |at: usize| s.get(at).map_or(0, |b| u64::from(*b));
    if len > 0 {
        let y = byte(0) + (byte(len / 2) << 8);
        let z = n + (byte(len - 1) << 2);
        return shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K3)).wrapping_mul(K2);
    }
    K2
}

fn up_to_32(s: &[u8]) -> u64 {
    let len = s.len();
    let a = fetch(s, 0).wrapping_mul(K1);
    let b = fetch(s, 8);
    let c = fetch(s, len - 8).wrapping_mul(K2);
    let d = fetch(s, len - 16).wrapping_mul(K0);
    hash_len_16(
        a.wrapping_sub(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d),
        a.wrapping_add((b ^ K3).rotate_right(20)).wrapping_sub(c).wrapping_add(len as u64),
    )
}

fn up_to_64(s: &[u8]) -> u64 {
    let len = s.len();
    // Both halves mix alike; only where their words come from differs.
    let mix = |a: u64, z: u64, p: u64, q: u64| {
        let b = a.wrapping_add(z).rotate_right(52);
        let c = a.rotate_right(37);
        let a = a.wrapping_add(p);
        let c = c.wrapping_add(a.rotate_right(7));
        let a = a.wrapping_add(q);
        (a.wrapping_add(z), b.wrapping_add(a.rotate_right(31)).wrapping_add(c))
    };
    let a = fetch(s, 0).wrapping_add((len as u64).wrapping_add(fetch(s, len - 16)).wrapping_mul(K0));
    let (vf, vs) = mix(a, fetch(s, 24), fetch(s, 8), fetch(s, 16));
    let a = fetch(s, 16).wrapping_add(fetch(s, len - 32));
    let (wf, ws) = mix(a, fetch(s, len - 8), fetch(s, len - 24), fetch(s, len - 16));
    let r =
        shift_mix(vf.wrapping_add(ws).wrapping_mul(K2).wrapping_add(wf.wrapping_add(vs).wrapping_mul(K0)));
    shift_mix(r.wrapping_mul(K0).wrapping_add(vs)).wrapping_mul(K2)
}

/// Returns the CityHash64 as of version 1.0.3; later versions give other values.
fn city_hash64(s: &[u8]) -> u64 {
    let len = s.len();
    match len {
        0..=16 => return up_to_16(s),
        17..=32 => return up_to_32(s),
        33..=64 => return up_to_64(s),
        _ => {}
    }
    let mut x = fetch(s, len - 40);
    let mut y = fetch(s, len - 16).wrapping_add(fetch(s, len - 56));
    let mut z = hash_len_16(fetch(s, len - 48).wrapping_add(len as u64), fetch(s, len - 24));
    let mut v = weak(s, len - 64, len as u64, z);
    let mut w = weak(s, len - 32, y.wrapping_add(K1), x);
    x = x.wrapping_mul(K1).wrapping_add(fetch(s, 0));
    for at in (0..(len - 1) & !63).step_by(64) {
        x = x
            .wrapping_add(y)
            .wrapping_add(v.0)
            .wrapping_add(fetch(s, at + 8))
            .rotate_right(37)
            .wrapping_mul(K1);
        y = y.wrapping_add(v.1).wrapping_add(fetch(s, at + 48)).rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y = y.wrapping_add(v.0).wrapping_add(fetch(s, at + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(K1);
        v = weak(s, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(fetch(s, at + 16)));
        std::mem::swap(&mut z, &mut x);
    }
    hash_len_16(
        hash_len_16(v.0, w.0).wrapping_add(shift_mix(y).wrapping_mul(K1)).wrapping_add(z),
        hash_len_16(v.1, w.1).wrapping_add(x),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hash_as_in_the_games_files() {
        assert_eq!(str_code64(b""), 0xB8A0_BF16_9F98);
        assert_eq!(str_code64(b"Base_Tex_SRGB"), 0x41EA_7BE8_1B61);
        assert_eq!(str_code64(b"SKL_000_WAIST"), 0xED06_36C5_B26B);
    }

    #[test]
    fn extensions_hash_as_in_the_games_files() {
        assert_eq!(extension_code("ftex"), 0x2AD);
        assert_eq!(extension_code("fmdl"), 0x1094);
    }

    #[test]
    fn paths_outside_assets_carry_the_meta_bit() {
        assert_eq!(path_code64("/Assets/tpp/a.ftex") & PATH_META, 0);
        assert_eq!(path_code64("/shader/a.ftex") & PATH_META, PATH_META);
        assert_eq!(path_code64("/Assets/tpptest/a.ftex") & PATH_META, PATH_META);
        assert_eq!(path_code64("/Assets/tpp/a.1.ftexs") >> EXTENSION_SHIFT, extension_code("1.ftexs"));
    }
}
