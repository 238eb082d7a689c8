//! MPQ archives that no code of this crate wrote: read, listed, checked.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "fixtures/mpq.rs"]
mod fixtures;

use std::cell::RefCell;
use std::sync::Arc;

use fixtures::*;
use galatea_archive::mpq::{Mpq, Origin};
use galatea_archive::{Archive, Edit, Limits, Storage, find_name};
use galatea_robustness::Trial;

fn open(bytes: &[u8]) -> Mpq {
    Mpq::open(Arc::new(bytes.to_vec()), &Limits::default()).unwrap()
}

fn assert_same_files(mpq: &Mpq, files: &[File]) {
    for file in files {
        let name = String::from_utf8(file.name.clone()).unwrap();
        let read = mpq.read_file(&name, &Limits::default()).unwrap();
        assert_eq!(read.as_deref(), Some(file.bytes.as_slice()), "{name}");
        let index = find_name(mpq, &name).unwrap_or_else(|| panic!("{name} is not listed"));
        assert_eq!(mpq.read_entry(index, &Limits::default()).unwrap(), file.bytes, "{name}");
    }
}

#[test]
fn a_file_of_every_kind_is_read() {
    let files = every_kind();
    let mpq = open(&fixture(files.clone()).build());
    assert_eq!(mpq.len(), files.len() + 1);
    assert_same_files(&mpq, &files);
    assert!(mpq.check().findings().is_empty(), "{:?}", mpq.check());
    assert_eq!(mpq.version(), "MPQ 0");
}

#[test]
fn entries_tell_how_they_are_kept() {
    let mpq = open(&fixture(every_kind()).build());
    let entry = |name: &str| mpq.entry(find_name(&mpq, name).unwrap()).unwrap();
    assert_eq!(entry("units/stored.mdx").storage, Storage::Stored);
    assert_eq!(entry("Units/zlib.mdx").storage, Storage::Packed);
    assert!(entry("Units/zlib.mdx").packed < entry("Units/zlib.mdx").size);
    assert_eq!(entry("Units/fixkey.mdx").storage, Storage::Encrypted);
    assert_eq!(entry("Units/zlib.mdx").name, "Units/zlib.mdx");
    let index = find_name(&mpq, "units/stored.mdx").unwrap();
    let part = mpq.open_entry(index, &Limits::default()).unwrap();
    assert_eq!(part.len(), 5000);
    let mut start = [0; 7];
    part.read_at(0, &mut start).unwrap();
    assert_eq!(start, text(7)[..]);
}

#[test]
fn maps_begin_with_a_block_or_with_a_decoy() {
    let files = every_kind();
    let mut fixture = fixture(files.clone());
    fixture.before = map_block();
    assert_same_files(&open(&fixture.build()), &files);
    // A shunt at 512, which the game skips, and the archive at 1536.
    let mut decoy = b"MPQ\x1B".to_vec();
    decoy.resize(1024, 0xAA);
    fixture.before.extend(decoy);
    let mpq = open(&fixture.build());
    assert_eq!(mpq.start(), 1536);
    assert_same_files(&mpq, &files);
    // A head whose tables are not there.
    let mut decoy = b"MPQ\x1A".to_vec();
    decoy.resize(512, 0xEE);
    fixture.before = [map_block(), decoy].concat();
    let mpq = open(&fixture.build());
    assert_eq!(mpq.start(), 1024);
    assert_same_files(&mpq, &files);
}

#[test]
fn protected_maps_open() {
    let files = every_kind();
    let mut fixture = fixture(files.clone());
    fixture.before = map_block();
    fixture.damage = |head, hashes, _| {
        head[1] = 0x504F_7856; // size of the head
        head[2] = 7; // size of the archive
        head[3] |= 1; // version
        head[6] |= 0x8000_0000; // "negative" counts
        head[7] |= 0x1000_0000;
        for slot in hashes.iter_mut().filter(|slot| slot[3] == u32::MAX).take(4) {
            *slot = [0x1111_1111, 0x2222_2222, 0, 0x00BA_DBAD]; // entries that lead nowhere
        }
    };
    let mpq = open(&fixture.build());
    assert_same_files(&mpq, &files);
    assert_eq!(mpq.len(), files.len() + 1);
}

#[test]
fn offsets_wrap_around() {
    // The tables precede the head: their offsets are negative.
    let files = vec![file("a.txt", text(3000), ZLIB)];
    let inner = fixture(files.clone()).build();
    let word = |at: usize| u32::from_le_bytes(inner[at..at + 4].try_into().unwrap());
    let (tables, start) = (word(16) as usize, 4096);
    let mut bytes = inner[tables..].to_vec();
    assert!(bytes.len() < start);
    bytes.resize(start, 0);
    let mut head = inner[..tables].to_vec();
    let hash_at = 0u32.wrapping_sub(start as u32);
    head[16..20].copy_from_slice(&hash_at.to_le_bytes());
    head[20..24].copy_from_slice(&(hash_at.wrapping_add(32 * 16)).to_le_bytes());
    bytes.extend(head);
    assert_same_files(&open(&bytes), &files);
}

#[test]
fn without_a_list_usual_names_and_imports_are_found() {
    let imports = b"\x01\0\0\0\x01\0\0\0\x0Dcustom\\hero.mdx\0".to_vec();
    let files = vec![
        file("war3map.imp", imports, ZLIB),
        file("war3map.w3e", text(100), ZLIB),
        file("custom\\hero.mdx", b"MDLX...".to_vec(), ZLIB),
    ];
    let mut fixture = fixture(files.clone());
    fixture.listfile = false;
    let mpq = open(&fixture.build());
    assert_same_files(&mpq, &files);
    assert_eq!(mpq.block_of(0).unwrap().1, Origin::Guessed);
}

#[test]
fn files_without_a_name_are_read_and_recognised() {
    let mut model = b"MDLXVERS".to_vec();
    model.extend(text(9000));
    let files = vec![
        file("secret\\plain.mdx", model.clone(), ZLIB),
        file("secret\\encrypted.mdx", model.clone(), ZLIB | ENCRYPTED | FIX_KEY),
        file("secret\\stored.mdx", model.clone(), STORED | ENCRYPTED),
    ];
    let mut fixture = fixture(files.clone());
    fixture.listfile = false;
    let mpq = open(&fixture.build());
    assert_eq!(mpq.len(), 3);
    let read: Vec<_> = (0..3).map(|index| mpq.read_entry(index, &Limits::default())).collect();
    assert_eq!(read[0].as_deref().unwrap(), model);
    assert_eq!(read[1].as_deref().unwrap(), model);
    assert!(read[2].as_ref().unwrap_err().to_string().contains("name is not known"));
    assert!((0..2).all(|index| mpq.entry(index).unwrap().name.ends_with(".mdx")));
    assert!((0..3).all(|index| mpq.entry(index).unwrap().nameless));
    // Whoever knows the name can read it.
    for file in &files {
        let name = String::from_utf8(file.name.clone()).unwrap();
        assert_eq!(mpq.read_file(&name, &Limits::default()).unwrap().unwrap(), model);
    }
    assert_eq!(mpq.read_file("secret/other.mdx", &Limits::default()).unwrap(), None);
    let index = mpq.find("Secret\\Plain.MDX").unwrap();
    assert!(mpq.entry(index).unwrap().nameless);
    assert_eq!(mpq.read_entry(index, &Limits::default()).unwrap(), model);
    assert_eq!(mpq.find("secret/other.mdx"), None);
}

#[test]
fn names_are_recovered_from_other_files() {
    let script = b"call f(\"secret\\\\hero.mdl\")".to_vec();
    let mut model = b"MDLXTEXS\x0C\x01\0\0".to_vec();
    model.extend(b"secret\\skin.blp\0\0\0");
    let files = vec![
        file("war3map.j", script, ZLIB),
        file("secret\\hero.mdx", model, ZLIB),
        file("secret\\skin.blp", b"BLP1".to_vec(), ZLIB | ENCRYPTED),
        file("secret\\unreferenced.txt", text(10), ZLIB),
    ];
    let mut fixture = fixture(files.clone());
    fixture.listfile = false;
    let mut mpq = open(&fixture.build());
    assert_eq!((0..4).filter(|index| mpq.entry(*index).unwrap().nameless).count(), 3);
    assert_eq!(mpq.recover_names(&Limits::default()), 2);
    assert_same_files(&mpq, &files[..3]);
    assert_eq!((0..mpq.len()).filter(|index| mpq.entry(*index).unwrap().nameless).count(), 1);
}

#[test]
fn the_variant_of_all_languages_wins() {
    let mut german = file("a.txt", b"deutsch".to_vec(), ZLIB);
    german.locale = 0x407;
    let files = vec![german, file("a.txt", b"neutral".to_vec(), ZLIB)];
    let mpq = open(&fixture(files).build());
    assert_eq!(mpq.read_file("a.txt", &Limits::default()).unwrap().unwrap(), b"neutral");
    assert_eq!(mpq.len(), 3);
    let index = find_name(&mpq, "(locale 0407)/a.txt").unwrap();
    assert_eq!(mpq.read_entry(index, &Limits::default()).unwrap(), b"deutsch");
}

#[test]
fn names_that_are_not_utf8_come_back() {
    let files = vec![file(b"war3mapImported\\Gr\xFCn.blp", b"BLP1".to_vec(), ZLIB | ENCRYPTED)];
    let mpq = open(&fixture(files).build());
    let index = find_name(&mpq, "war3mapImported/Gr\u{FC}n.blp").unwrap();
    assert_eq!(mpq.read_entry(index, &Limits::default()).unwrap(), b"BLP1");
    assert_eq!(mpq.read_file("war3mapImported/Gr\u{FC}n.blp", &Limits::default()).unwrap().unwrap(), b"BLP1");
}

#[test]
fn an_entry_larger_than_the_limit_is_refused() {
    let mpq = open(&fixture(every_kind()).build());
    let limits = Limits::default().with_entry(4999);
    let error = mpq.read_file("units/stored.mdx", &limits).unwrap_err().to_string();
    assert!(error.contains("limit") && error.contains("stored.mdx"), "{error}");
}

#[test]
fn a_patch_of_another_archive_is_refused_by_name() {
    let mpq = open(&fixture(vec![file("a.txt", text(10), ZLIB | PATCH)]).build());
    let error = mpq.read_file("a.txt", &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("patch"), "{error}");
}

#[test]
fn an_empty_file_may_be_said_to_be_anywhere() {
    let mut fixture = fixture(vec![file("empty.txt", Vec::new(), STORED)]);
    fixture.damage = |_, _, blocks| blocks[0][0] = u32::MAX - 5;
    let mpq = open(&fixture.build());
    let index = mpq.find("empty.txt").unwrap();
    assert_eq!(mpq.read_entry(index, &Limits::default()).unwrap(), Vec::<u8>::new());
    assert_eq!(mpq.open_entry(index, &Limits::default()).unwrap().len(), 0);
}

#[test]
fn what_is_no_archive_says_so() {
    let limits = Limits::default();
    for (bytes, why) in [
        (b"MZ not an archive".to_vec(), "not a file of this format"),
        (map_block(), "MPQ"),
        (fixture(Vec::new()).build()[..40].to_vec(), "hash table"),
    ] {
        let error = Mpq::open(Arc::new(bytes), &limits).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    // Tables that were changed on the way decrypt to junk.
    let mut bytes = fixture(every_kind()).build();
    let word = u32::from_le_bytes(bytes[16..20].try_into().unwrap()) as usize;
    bytes[word] ^= 1;
    bytes[word - 1..].rotate_left(1);
    let error = Mpq::open(Arc::new(bytes), &limits).unwrap_err().to_string();
    assert!(error.contains("damaged"), "{error}");
}

#[test]
fn damaged_maps_without_a_list() {
    let mut fixture = fixture(small_kinds());
    (fixture.before, fixture.listfile) = (map_block(), false);
    let limits = Limits::default().with_entry(1 << 22);
    let edited = RefCell::new(0);
    let read = |bytes: &[u8]| {
        let mut mpq = Mpq::open(Arc::new(bytes.to_vec()), &limits)?;
        mpq.recover_names(&limits);
        mpq.check();
        if let Ok(bytes) = mpq.edited(&[Edit::put("war3map.w3i", vec![1; 300]), Edit::put("new", vec![2])]) {
            let mpq = Mpq::open(Arc::new(bytes), &limits)?;
            assert_eq!(mpq.read_file("new", &limits)?.as_deref(), Some(&[2][..]));
            *edited.borrow_mut() += 1;
        }
        mpq.read_file("war3map.w3i", &limits).map(|_| ())
    };
    let bytes = fixture.build();
    let trial = Trial { name: "map.w3x", bytes: &bytes, read: &read };
    assert!(trial.whole());
    trial.cuts();
    trial.flips();
    trial.words((512..544).chain(bytes.len() - 700..bytes.len() - 4));
    trial.mutations(5, 3000);
    assert!(edited.into_inner() > 1000);
}

#[test]
fn tables_of_a_million_entries_open_in_linear_time_and_memory() {
    // One block with as many names as there are slots; none of them free.
    let mut fixture = fixture(vec![file("a.txt", text(10), ZLIB)]);
    fixture.slots = 1 << 20;
    fixture.damage = |_, hashes, _| {
        for (index, slot) in hashes.iter_mut().enumerate().filter(|(_, slot)| slot[3] == u32::MAX) {
            *slot = [index as u32 % 3, 7, 0, 0];
        }
    };
    let bytes = fixture.build();
    let source = Arc::new(bytes.clone());
    let ((result, peak), took) =
        galatea_robustness::timed(|| galatea_robustness::measured(|| Mpq::open(source, &Limits::default())));
    assert_eq!(result.unwrap().len(), 1 << 20);
    assert!(peak <= 4 * bytes.len() + (8 << 20), "{peak} bytes for {}", bytes.len());
    assert!(took.as_secs() < 20, "{took:?}");
}
