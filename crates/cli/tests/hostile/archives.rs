//! Archives in themselves, entries that swell, names that are shared, directories of a million entries.

use galatea::archive::zip::Zip;
use galatea::archive::{Archive, Edit};

use super::{Case, Outcome, case};

/// An ERF of so many entries; each has a name, a type, a place and a size.
fn erf(count: u32, entry: impl Fn(u32) -> (String, u16, u32, u32)) -> Vec<u8> {
    let mut out = b"ERF V1.0".to_vec();
    let words =
        |out: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| out.extend(word.to_le_bytes()));
    words(&mut out, &[0, 0, count, 160, 160, 160 + 24 * count, 103, 1, u32::MAX]);
    out.resize(160, 0);
    for number in 0..count {
        let (name, kind, ..) = entry(number);
        let mut name = name.into_bytes();
        name.resize(16, 0);
        out.extend(name);
        words(&mut out, &[number, kind.into()]);
    }
    for number in 0..count {
        let (.., offset, size) = entry(number);
        words(&mut out, &[offset, size]);
    }
    out
}

/// An ERF in which every entry is that ERF.
fn itself(count: u32) -> Vec<u8> {
    erf(count, |number| (format!("a{number}"), 9997, 0, 160 + 32 * count))
}

/// A ZIP with one file of zeros.
fn zeros(name: &str, size: usize) -> Vec<u8> {
    Zip::new().edited(&[Edit::put(name, vec![0; size])]).unwrap()
}

pub(crate) fn cases() -> Vec<Case> {
    let inner = zeros("bomb.mdl", 300 << 20);
    let nested =
        Zip::new().edited(&[Edit::put("a.zip", inner.clone()), Edit::put("b.zip", inner.clone())]).unwrap();
    vec![
        case("an archive that is each of its 40 entries")
            .file("a.erf", itself(40))
            .run(&["list", "a.erf"], Outcome::Done)
            .run(&["info", "a.erf"], Outcome::Refused("nested"))
            .run(&["check", "a.erf"], Outcome::Either),
        case("a model of 300 MB of zeros, packed to 300 KB")
            .file("a.zip", inner)
            .run(&["list", "a.zip"], Outcome::Done)
            .run(&["info", "a.zip"], Outcome::Refused("limit"))
            .run(&["info", "a.zip/bomb.mdl"], Outcome::Refused("limit"))
            .run(&["convert", "a.zip", "--to", "glb", "-o", "out"], Outcome::Refused("limit")),
        case("such models in archives in an archive")
            .file("a.zip", nested)
            .run(&["info", "a.zip"], Outcome::Refused("limit"))
            .run(&["textures", "a.zip"], Outcome::Refused("limit")),
        case("an archive of 10^6 entries")
            .file("a.erf", erf(1_000_000, |number| (format!("n{number}"), 10, 160, 0)))
            .run(&["list", "a.erf"], Outcome::Done)
            .run(&["extract", "a.erf/n999999.txt", "-o", "out"], Outcome::Done)
            .run(&["info", "a.erf"], Outcome::Either),
    ]
}
