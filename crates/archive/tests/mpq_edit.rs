//! Changing MPQ archives: what is not named stays as it is, byte for byte and in its place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "fixtures/mpq.rs"]
mod fixtures;

use std::collections::BTreeMap;
use std::sync::Arc;

use fixtures::*;
use galatea_archive::mpq::{Block, Mpq};
use galatea_archive::{Archive, Edit, Limits};

fn open(bytes: &[u8]) -> Mpq {
    Mpq::open(Arc::new(bytes.to_vec()), &Limits::default()).unwrap()
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The files of an archive with their bytes.
fn contents(mpq: &Mpq) -> BTreeMap<String, Vec<u8>> {
    let file = |index| {
        let name = mpq.entry(index).unwrap().name.into_owned();
        (name, mpq.read_entry(index, &Limits::default()).unwrap())
    };
    (0..mpq.len()).map(file).collect()
}

/// The blocks of an archive by name.
fn blocks(mpq: &Mpq) -> BTreeMap<String, Block> {
    (0..mpq.len()).map(|i| (mpq.entry(i).unwrap().name.into_owned(), *mpq.block_of(i).unwrap().0)).collect()
}

fn list(mpq: &Mpq) -> String {
    String::from_utf8(mpq.read_file("(listfile)", &Limits::default()).unwrap().unwrap()).unwrap()
}

/// Applies edits and asserts that all other files kept bytes, place and flags, and that all before the archive is as it was.
fn edited(bytes: &[u8], edits: &[Edit]) -> (Vec<u8>, Mpq) {
    let before = open(bytes);
    let written = before.edited(edits).unwrap();
    let after = open(&written);
    let start = before.start() as usize;
    assert_eq!(bytes[..start], written[..start]);
    let names: Vec<_> =
        edits.iter().map(|edit| edit.name().to_ascii_lowercase().replace('\\', "/")).collect();
    let own = |name: &str| name.starts_with('(') || names.contains(&name.to_ascii_lowercase());
    for (name, block) in blocks(&before).into_iter().filter(|(name, _)| !own(name)) {
        assert_eq!(blocks(&after).get(&name), Some(&block), "{name} has moved");
        let range = start + block.offset as usize..start + (block.offset + block.packed) as usize;
        assert_eq!(bytes[range.clone()], written[range], "{name} has changed");
    }
    let (old, new) = (contents(&before), contents(&after));
    for (name, bytes) in old.iter().filter(|(name, _)| !own(name)) {
        assert_eq!(new.get(name), Some(bytes), "{name}");
    }
    assert!(after.check().findings().is_empty(), "{:?}", after.check());
    (written, after)
}

fn map() -> Vec<u8> {
    let mut fixture = fixture(every_kind());
    fixture.before = map_block();
    fixture.build()
}

#[test]
fn without_edits_the_bytes_are_the_same() {
    assert_eq!(open(&map()).write().unwrap(), map());
    assert_eq!(open(&map()).edited(&[]).unwrap(), map());
}

#[test]
fn a_replaced_file_keeps_its_flags_and_nothing_else_changes() {
    for file in every_kind() {
        for len in [0, 1, 4096, 50_000] {
            let name = String::from_utf8(file.name.clone()).unwrap();
            let (written, after) = edited(&map(), &[Edit::put(name.clone(), text(len))]);
            assert_eq!(
                after.read_file(&name, &Limits::default()).unwrap().unwrap(),
                text(len),
                "{name} {len}"
            );
            assert_eq!(list(&after), list(&open(&map())));
            let index = galatea_archive::find_name(&after, &name).unwrap();
            let flags = after.block_of(index).unwrap().0.flags;
            assert_eq!(flags & (ENCRYPTED | FIX_KEY), file.flags & (ENCRYPTED | FIX_KEY), "{name}");
            assert_eq!(flags & 0x200 != 0, file.flags & 0x300 != 0, "{name}");
            assert!(len > 1 || written.len() <= map().len() + 64, "{name} {len}: {}", written.len());
        }
    }
}

#[test]
fn replacing_again_and_again_does_not_grow_the_archive() {
    let mut bytes = map();
    let mut lengths = Vec::new();
    for round in 0..10 {
        let content = text(20_000 + round % 2);
        bytes = edited(&bytes, &[Edit::put("Units/zlib.mdx", content)]).0;
        lengths.push(bytes.len());
    }
    assert!(lengths[9] <= lengths[1] + 32, "{lengths:?}");
}

#[test]
fn files_are_added_and_listed() {
    let model = text(10_000);
    let edits = [Edit::put("war3mapImported/new.mdx", model.clone()), Edit::put("b.txt", b"b".to_vec())];
    let (_, after) = edited(&map(), &edits);
    assert_eq!(after.read_file("WAR3MAPIMPORTED\\NEW.MDX", &Limits::default()).unwrap().unwrap(), model);
    assert!(list(&after).ends_with("\r\nwar3mapImported\\new.mdx\r\nb.txt\r\n"), "{:?}", list(&after));
    assert_eq!(after.len(), every_kind().len() + 3);
}

#[test]
fn removed_files_are_gone() {
    let (written, after) =
        edited(&map(), &[Edit::remove("units/stored.mdx"), Edit::remove("Units\\fixkey.mdx")]);
    assert_eq!(after.read_file("units/stored.mdx", &Limits::default()).unwrap(), None);
    let names = list(&after);
    let gone = |name: &str| !names.lines().any(|line| line == name);
    assert!(gone("Units\\stored.mdx") && gone("Units\\fixkey.mdx") && !gone("Units\\unit.mdx"), "{names}");
    assert_eq!(after.len(), every_kind().len() - 1);
    let old = blocks(&open(&map()))["Units/stored.mdx"];
    let range = 512 + old.offset as usize..512 + (old.offset + old.packed) as usize;
    let kept = map()[range.clone()].iter().zip(&written[range]).filter(|(old, new)| old == new).count();
    assert!(kept < 500, "{kept} of 5000 bytes are still there");
    let error = open(&written).edited(&[Edit::remove("units/stored.mdx")]).unwrap_err();
    assert!(error.to_string().contains("no file of this name"), "{error}");
}

#[test]
fn the_last_of_several_edits_of_a_file_counts() {
    let edits = [
        Edit::put("Units/zlib.mdx", text(3)),
        Edit::put("units/ZLIB.mdx", text(20_001)),
        Edit::put("new.txt", text(1)),
        Edit::put("new.txt", text(2)),
        Edit::remove("Units/stored.mdx"),
        Edit::put("Units/stored.mdx", text(6)),
        Edit::put("gone.txt", text(9)),
        Edit::remove("gone.txt"),
    ];
    let (_, after) = edited(&map(), &edits);
    let read = |name: &str| after.read_file(name, &Limits::default()).unwrap();
    assert_eq!(read("Units/zlib.mdx"), Some(text(20_001)));
    assert_eq!(read("new.txt"), Some(text(2)));
    assert_eq!(read("Units/stored.mdx"), Some(text(6)));
    assert_eq!(read("gone.txt"), None);
    assert_eq!(list(&after).matches("new.txt").count(), 1);
    assert!(!list(&after).contains("gone.txt"));
}

#[test]
fn many_files_take_linear_time() {
    let puts: Vec<_> = (0..20_000).map(|i| Edit::put(format!("units/{i}.txt"), vec![b'x'; i % 7])).collect();
    let (bytes, took) = galatea_robustness::timed(|| Mpq::new().edited(&puts).unwrap());
    assert!(took.as_secs() < 10, "{took:?}");
    let (_, took) = galatea_robustness::timed(|| open(&bytes).edited(&puts).unwrap());
    assert!(took.as_secs() < 10, "{took:?}");
    let removes: Vec<_> = puts.iter().map(|put| Edit::remove(put.name())).collect();
    let (empty, took) = galatea_robustness::timed(|| open(&bytes).edited(&removes).unwrap());
    assert!(took.as_secs() < 10, "{took:?}");
    assert_eq!(open(&empty).len(), 1);
}

#[test]
fn a_full_hash_table_grows_if_all_names_are_known() {
    let mut small = fixture(every_kind());
    small.slots = 32;
    let edits: Vec<_> =
        (0..100).map(|i| Edit::put(format!("new/{i}.txt"), format!("{i}").into_bytes())).collect();
    let (written, after) = edited(&small.build(), &edits);
    assert_eq!(after.hashes().len(), 256);
    assert_eq!(after.read_file("new/99.txt", &Limits::default()).unwrap().unwrap(), b"99");
    let removed: Vec<_> = (0..100).map(|i| Edit::remove(format!("new/{i}.txt"))).collect();
    assert_eq!(edited(&written, &removed).1.len(), every_kind().len() + 1);
    small.listfile = false;
    let error = open(&small.build()).edited(&edits).unwrap_err().to_string();
    assert!(error.contains("full") && error.contains("unnamed/"), "{error}");
}

#[test]
fn a_table_that_new_files_fill_has_room_for_the_list() {
    for count in [14, 15, 16, 127, 128] {
        let puts: Vec<_> = (0..count).map(|i| Edit::put(format!("{i}.txt"), vec![1])).collect();
        let mpq = open(&Mpq::new().edited(&puts).unwrap());
        assert_eq!(mpq.len(), count + 1, "{count}");
        assert!((0..mpq.len()).all(|index| !mpq.entry(index).unwrap().nameless));
    }
}

#[test]
fn attributes_cover_every_block_and_are_right() {
    let files = every_kind();
    let blocks = files.len() + 2;
    for flags in [1u32, 3, 7] {
        let row = 4 + if flags & 2 != 0 { 8 } else { 0 } + if flags & 4 != 0 { 16 } else { 0 };
        let mut attributes = [100u32.to_le_bytes(), flags.to_le_bytes()].concat();
        attributes.resize(8 + row * blocks, 0x11);
        let mut all = files.clone();
        all.push(file("(attributes)", attributes, ZLIB));
        let edits = [Edit::put("Units/zlib.mdx", b"new".to_vec()), Edit::put("added.txt", b"added".to_vec())];
        let (_, after) = edited(&fixture(all).build(), &edits);
        let found = after.read_file("(attributes)", &Limits::default()).unwrap().unwrap();
        let count = after.blocks().len();
        assert_eq!((count, found.len()), (blocks + 1, 8 + row * count));
        let crc = |index: usize| u32::from_le_bytes(found[8 + index * 4..][..4].try_into().unwrap());
        assert_eq!(crc(2), crc32(b"new"));
        assert_eq!(crc(blocks), crc32(b"added"));
        assert_eq!(crc(0), 0x1111_1111, "of a file that is not changed");
        if flags & 2 != 0 {
            assert_eq!(found[8 + count * 4..][..16], [0x11; 16], "times are kept");
        }
        if flags & 4 != 0 {
            // The MD5 of "new".
            let md5 = [
                0x22, 0xAF, 0x64, 0x5D, 0x18, 0x59, 0xCB, 0x5C, 0xA6, 0xDA, 0x0C, 0x48, 0x4F, 0x1F, 0x37,
                0xEA,
            ];
            assert_eq!(found[8 + count * 12 + 2 * 16..][..16], md5);
        }
    }
}

#[test]
fn attributes_that_do_not_fit_are_removed() {
    let mut all = every_kind();
    all.push(file("(attributes)", [100u32.to_le_bytes(), 1u32.to_le_bytes()].concat(), ZLIB));
    let (_, after) = edited(&fixture(all).build(), &[Edit::put("war3map.w3i", b"x".to_vec())]);
    assert_eq!(after.read_file("(attributes)", &Limits::default()).unwrap(), None);
}

#[test]
fn signatures_are_removed() {
    let mut all = every_kind();
    all.push(file("(signature)", vec![0; 72], STORED));
    let mut fixture = fixture(all);
    fixture.after = [b"NGIS".to_vec(), noise(256)].concat();
    let before = open(&fixture.build());
    assert_eq!(before.check().count("AMPQ0010"), 1);
    let (written, after) = edited(&fixture.build(), &[Edit::put("war3map.w3i", b"x".to_vec())]);
    assert_eq!(after.read_file("(signature)", &Limits::default()).unwrap(), None);
    assert!(!written.windows(4).any(|window| window == b"NGIS"));
}

#[test]
fn files_without_a_name_survive_and_can_be_replaced() {
    let mut fixture = fixture(vec![
        file("war3map.w3i", text(100), ZLIB),
        file("secret\\a.mdx", text(9000), ZLIB | ENCRYPTED | FIX_KEY),
    ]);
    fixture.listfile = false;
    let before = open(&fixture.build());
    let hidden =
        (0..2).map(|i| before.entry(i).unwrap()).find(|entry| entry.nameless).unwrap().name.into_owned();
    let after = open(&before.edited(&[Edit::put("war3map.w3i", text(9000))]).unwrap());
    assert_eq!(after.read_file("secret/a.mdx", &Limits::default()).unwrap().unwrap(), text(9000));
    let after = open(&before.edited(&[Edit::put(hidden, text(7))]).unwrap());
    assert_eq!(after.read_file("secret/a.mdx", &Limits::default()).unwrap().unwrap(), text(7));
}

#[test]
fn two_names_of_one_block_part_when_one_is_replaced() {
    let mut fixture = fixture(vec![file("a.txt", text(100), ZLIB), file("b.txt", text(200), ZLIB)]);
    fixture.damage = |_, hashes, _| {
        hashes.iter_mut().filter(|slot| slot[3] == 1).for_each(|slot| slot[3] = 0);
    };
    let after = open(&open(&fixture.build()).edited(&[Edit::put("a.txt", b"new".to_vec())]).unwrap());
    assert_eq!(after.read_file("a.txt", &Limits::default()).unwrap().unwrap(), b"new");
    assert_eq!(after.read_file("b.txt", &Limits::default()).unwrap().unwrap(), text(100));
}

#[test]
fn a_decoy_that_an_edit_would_bring_to_life_is_refused() {
    let edits = [Edit::put("Units/zlib.mdx", noise(30_000))];
    let mut fixture = fixture(every_kind());
    fixture.before = vec![0; 512];
    let harmless = open(&fixture.build()).edited(&edits).unwrap();
    // A head whose tables are where the tables of the changed archive will be.
    let word = |at: usize| u32::from_le_bytes(harmless[512 + at..][..4].try_into().unwrap());
    fixture.before = harmless[512..1024].to_vec();
    fixture.before[16..20].copy_from_slice(&(word(16) + 512).to_le_bytes());
    fixture.before[20..24].copy_from_slice(&(word(20) + 512).to_le_bytes());
    let mpq = open(&fixture.build());
    assert_eq!(mpq.start(), 512);
    let error = mpq.edited(&edits).unwrap_err().to_string();
    assert!(error.contains("decoy"), "{error}");
}

#[test]
fn an_archive_is_made_from_nothing() {
    let empty = Mpq::new();
    assert_eq!(empty.len(), 0);
    assert_eq!(open(&empty.write().unwrap()).len(), 0);
    let files: Vec<_> = (0..50).map(|i| Edit::put(format!("units/{i}.mdx"), text(i * 500))).collect();
    let bytes = empty.edited(&files).unwrap();
    let mpq = open(&bytes);
    assert_eq!(mpq.len(), 51);
    for i in 0..50 {
        assert_eq!(
            mpq.read_file(&format!("units/{i}.mdx"), &Limits::default()).unwrap().unwrap(),
            text(i * 500)
        );
    }
    assert!(mpq.check().findings().is_empty(), "{:?}", mpq.check());
}
