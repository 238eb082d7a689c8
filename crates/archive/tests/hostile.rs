//! Archives that were made to exhaust memory or time: at most four times their directory and 8 MB beside the file that is asked for.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

mod fixtures;

use std::sync::Arc;

use fixtures::{fox, kotor};
use galatea_archive::zip::Zip;
use galatea_archive::{Archive, Edit, Error, Files, Limits, open};

/// Opens an archive and looks up its last entry, and sees to the bounds. Returns the entries.
fn bounded(name: &str, bytes: Vec<u8>, files: Option<Arc<dyn Files>>) -> Result<usize, Error> {
    // An archive of tables alone: all of it is directory.
    let most = 4 * bytes.len() + (8 << 20);
    let source = Arc::new(bytes);
    let ((result, peak), took) = galatea_robustness::timed(|| {
        galatea_robustness::measured(|| {
            let archive = open(source, files, &Limits::default())?;
            let last = archive.len().checked_sub(1).and_then(|last| archive.entry(last));
            let found = last.map(|entry| entry.name.into_owned()).and_then(|name| archive.find(&name));
            assert!(archive.is_empty() || found.is_some());
            Ok(archive.len())
        })
    });
    assert!(peak <= most, "{name}: {peak} bytes, {most} allowed");
    assert!(took.as_secs() < 30, "{name}: {took:?}");
    result
}

const MILLION: u32 = 1_000_000;

fn words(out: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| out.extend(word.to_le_bytes()));
}

/// A name of 16 bytes.
fn resref(number: u32) -> [u8; 16] {
    format!("n{number:015}").into_bytes().try_into().unwrap()
}

fn erf() -> Vec<u8> {
    let mut out = b"ERF V1.0".to_vec();
    words(&mut out, &[0, 0, MILLION, 160, 160, 160 + 24 * MILLION, 103, 1, u32::MAX]);
    out.resize(160, 0);
    for number in 0..MILLION {
        out.extend(resref(number));
        words(&mut out, &[number, 10]);
    }
    (0..MILLION).for_each(|_| words(&mut out, &[160, 0]));
    out
}

fn rim() -> Vec<u8> {
    let mut out = b"RIM V1.0".to_vec();
    words(&mut out, &[0, MILLION, 120]);
    out.resize(120, 0);
    for number in 0..MILLION {
        out.extend(resref(number));
        words(&mut out, &[10, number, 120, 0]);
    }
    out
}

fn zip() -> Vec<u8> {
    let one = Zip::new().edited(&[Edit::put("n000000", Vec::new())]).unwrap();
    let central = one.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let end = one.windows(4).position(|w| w == b"PK\x05\x06").unwrap();
    // As many as the counter of the end can count, all in one place.
    let count = 65_534u16;
    let mut out = one[..central].to_vec();
    (0..count).for_each(|_| out.extend(&one[central..end]));
    let (mut tail, size) = (one[end..].to_vec(), (end - central) as u32 * u32::from(count));
    tail[8..10].copy_from_slice(&count.to_le_bytes());
    tail[10..12].copy_from_slice(&count.to_le_bytes());
    tail[12..16].copy_from_slice(&size.to_le_bytes());
    [out, tail].concat()
}

#[test]
fn directories_of_a_million_entries_open_in_linear_time_and_memory() {
    for (name, bytes) in [("erf", erf()), ("rim", rim())] {
        assert_eq!(bounded(name, bytes, None), Ok(MILLION as usize), "{name}");
    }
    assert_eq!(bounded("zip", zip(), None), Ok(65_534));
    // A KEY of one BIF.
    let names: Vec<String> = (0..MILLION).map(|number| format!("n{number:015}")).collect();
    let rows: Vec<(&str, u16, u32)> = names.iter().map(|name| (name.as_str(), 10, 0)).collect();
    let bif = kotor::bif(0, &[(10, b"text")]);
    let key = kotor::key(&[("a.bif", bif.len())], &rows);
    let files = Arc::new(kotor::Memory(vec![("a.bif".into(), bif)]));
    assert_eq!(bounded("key", key, Some(files)), Ok(MILLION as usize));
}

#[test]
fn names_that_entries_share_are_not_multiplied() {
    // An FPK of 20,000 entries with one name of a megabyte.
    let name = "/n".repeat(1 << 19);
    let mut fpk = b"foxfpk".to_vec();
    fpk.extend(*b"\0win");
    fpk.resize(48, 0);
    let count = 20_000u64;
    fpk[32..36].copy_from_slice(&2u32.to_le_bytes());
    fpk[36..40].copy_from_slice(&(count as u32).to_le_bytes());
    for _ in 0..count {
        for word in [48, 0, 48 + 48 * count, name.len() as u64, 0, 0] {
            fpk.extend(word.to_le_bytes());
        }
    }
    fpk.extend(name.as_bytes());
    fpk.push(0);
    let error = bounded("fpk", fpk, None).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
    // A KEY of 20,000 BIF files with one name of 60,000 bytes.
    let mut key = kotor::key(&[], &[]);
    key[8..12].copy_from_slice(&20_000u32.to_le_bytes());
    for _ in 0..20_000 {
        words(&mut key, &[0, 64 + 12 * 20_000]);
        key.extend(60_000u16.to_le_bytes());
        key.extend([0; 2]);
    }
    key.extend([b'n'; 60_000]);
    let error = bounded("key", key, None).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
    // A CPK of 50,000 rows with one folder and one name.
    let long: &'static str = Box::leak("n".repeat(1000).into_boxed_str());
    let cpk = fox::cpk_of(
        false,
        (0..50_000).map(|n| (long, long, vec![0; if n == 1 { 300 } else { 0 }])).collect(),
    );
    let error = bounded("cpk", cpk, None).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
}

#[test]
fn entries_are_unpacked_to_no_more_than_they_say_and_may_be() {
    let limits = Limits::default().with_entry(1 << 20);
    let packed = Zip::new().edited(&[Edit::put("zeros.mdl", vec![0; 8 << 20])]).unwrap();
    assert!(packed.len() < 100_000);
    let read = |bytes: &[u8], limits: &Limits| {
        let archive = open(Arc::new(bytes.to_vec()), None, &Limits::default()).unwrap();
        galatea_robustness::measured(|| archive.read_entry(0, limits).map(|bytes| bytes.len()))
    };
    let (result, peak) = read(&packed, &limits);
    assert!(result.unwrap_err().to_string().contains("limit"));
    assert!(peak < 1 << 20, "{peak}");
    // It says that it is small, and is not.
    let mut lying = packed.clone();
    let central = lying.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    lying[central + 24..central + 28].copy_from_slice(&100u32.to_le_bytes());
    lying[22..26].copy_from_slice(&100u32.to_le_bytes());
    let (result, peak) = read(&lying, &Limits::default());
    assert!(result.is_err(), "{result:?}");
    assert!(peak < 1 << 20, "{peak}");
    // It says that it is huge, and is not.
    lying[central + 24..central + 28].copy_from_slice(&(1u32 << 30).to_le_bytes());
    lying[22..26].copy_from_slice(&(1u32 << 30).to_le_bytes());
    let (result, peak) = read(&lying, &Limits::default());
    assert!(result.is_err(), "{result:?}");
    assert!(peak < 40 << 20, "{peak}");
}
