//! CASC storages: read, refused, damaged.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "fixtures/casc.rs"]
mod fixtures;

use std::sync::Arc;

use fixtures::*;
use galatea_archive::casc::{BuildConfig, BuildInfo, Casc, Encoding, RULES, Tvfs, decode_blte};
use galatea_archive::{Archive, Error, Limits, find_name, open};
use galatea_robustness::{Trial, listed};

fn limits() -> Limits {
    Limits::default().with_entry(1 << 22)
}

fn storage(memory: &Memory) -> Result<Casc, Error> {
    let info = memory.0[".build.info"].clone();
    Casc::open(&info, Some(Arc::new(memory.clone())), &limits())
}

fn read(casc: &Casc, name: &str) -> Result<Vec<u8>, Error> {
    casc.read_entry(find_name(casc, name).unwrap_or_else(|| panic!("no {name}")), &limits())
}

#[test]
fn names_lead_through_tables_to_files() {
    let casc = storage(&game()).unwrap();
    let names: Vec<_> = (0..casc.len()).map(|index| casc.entry(index).unwrap().name.into_owned()).collect();
    assert_eq!(
        names,
        [
            "war3.w3mod/_hd.w3mod/units/human/footman/footman.mdx",
            "war3.w3mod/sound/missing.flac",
            "war3.w3mod/units/human/footman/footman.mdx",
            "war3.w3mod/units/human/peasant.txt",
            "war3.w3mod/units/human/two_parts.blp",
        ]
    );
    assert_eq!(read(&casc, "WAR3.w3mod/units/human/footman/footman.mdx").unwrap(), content("footman", 5000));
    assert_eq!(
        read(&casc, "war3.w3mod/_hd.w3mod/units/human/footman/footman.mdx").unwrap(),
        content("hd", 3000)
    );
    let parts = [content("first", 1500), content("second", 700)].concat();
    assert_eq!(read(&casc, "war3.w3mod/units/human/two_parts.blp").unwrap(), parts);
    assert_eq!(casc.entry(4).unwrap().size, 2200);
    assert_eq!(casc.version(), "CASC 1.36.2.21230");
    let error = read(&casc, "war3.w3mod/sound/missing.flac").unwrap_err().to_string();
    assert!(error.contains("not downloaded") && error.contains("missing.flac"), "{error}");
}

#[test]
fn the_first_versions_have_a_list() {
    let casc = storage(&first_game()).unwrap();
    assert_eq!(casc.len(), 9);
    for index in 0..9 {
        let name = format!("war3.mpq/units/{index}.mdx");
        assert_eq!(read(&casc, &name).unwrap(), content("file", 50 + index), "{name}");
        assert_eq!(casc.entry(find_name(&casc, &name).unwrap()).unwrap().size, 50 + index as u64);
    }
}

#[test]
fn a_storage_is_found_by_its_build_info() {
    let memory = game();
    let info: Arc<Vec<u8>> = Arc::new(memory.0[".build.info"].clone());
    let archive = open(info.clone(), Some(Arc::new(memory)), &limits()).unwrap();
    assert_eq!((archive.kind().name(), archive.len()), ("casc", 5));
    let error = open(info, None, &limits()).unwrap_err().to_string();
    assert!(error.contains("folder"), "{error}");
}

#[test]
fn every_rule_has_a_storage_that_breaks_it() {
    let report = storage(&game()).unwrap().check();
    for rule in RULES {
        assert_eq!(report.count(rule.code), 1, "{}: {report:?}", rule.code);
    }
    assert_eq!(report.findings().len(), 1, "{report:?}");
}

#[test]
fn chunks_that_are_not_known_are_refused_by_name() {
    for (chunk, what) in
        [(&b"E\x08key"[..], "encrypted"), (b"4abc", "LZ4"), (b"FBLTE", "BLTE itself"), (b"Qx", "0x51")]
    {
        let error = decode_blte(&blte_of(&[(chunk.to_vec(), 9)]), None, &limits()).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("chunks[0]"), "{error}");
    }
    let mut damaged = blte(&content("x", 3000));
    *damaged.last_mut().unwrap() ^= 1;
    assert!(decode_blte(&damaged, None, &limits()).unwrap_err().to_string().contains("damaged"));
    assert!(decode_blte(b"BLTE\0\0\0\0Nhello", None, &limits()).is_err());
    let bomb = blte_of(&[(b"Zx".to_vec(), u32::MAX as usize)]);
    assert!(decode_blte(&bomb, None, &limits()).unwrap_err().to_string().contains("limit"));
}

#[test]
fn other_games_are_refused() {
    let text = "Active!DEC:1|Build Key!HEX:16|Product!STRING:0\n1|00112233445566778899aabbccddeeff|wow\n";
    let error = BuildInfo::parse(text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("another game: wow"), "{error}");
    assert!(BuildInfo::parse(text.replace("wow", "w3").as_bytes()).is_ok());
    assert!(
        BuildInfo::parse(text.replace("1|00", "0|00").as_bytes())
            .unwrap_err()
            .to_string()
            .contains("no active")
    );
    assert!(BuildInfo::parse(b"Branch!STRING:0|Active!DEC:1\n").is_err());
}

#[test]
fn a_tree_of_long_names_is_not_unfolded_without_end() {
    // Each node has a name of 250 bytes and one child; at the end there are many files.
    let mut inner: Vec<u8> = (0..20_000).flat_map(|_| [1, b'x', 0xFF, 0, 0, 0, 0]).collect();
    for _ in 0..400 {
        let mut node = vec![250; 251];
        node.push(0xFF);
        node.extend((0x8000_0000 | (inner.len() as u32 + 4)).to_be_bytes());
        inner = [node, inner].concat();
    }
    let mut bytes = b"TVFS\x01\x26\x09\x09".to_vec();
    for value in [9, 38, inner.len() as u32, 0, 0, 0, 0] {
        bytes.extend(value.to_be_bytes());
    }
    bytes.extend([0; 2]);
    bytes.extend(inner);
    let error = Tvfs::read(bytes, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("limit on decoded bytes"), "{error}");
}

#[test]
fn damaged_storages() {
    for memory in [game(), first_game()] {
        for (path, bytes) in &memory.0 {
            let read = |damaged: &[u8]| -> Result<(), Error> {
                let mut memory = memory.clone();
                memory.0.insert(path.clone(), damaged.to_vec());
                let casc = storage(&memory)?;
                casc.check();
                let mut first = None;
                for index in 0..casc.len() {
                    let error = casc.read_entry(index, &limits()).err();
                    first = first.or(error.filter(|error| !error.to_string().contains("not downloaded")));
                }
                first.map_or(Ok(()), Err)
            };
            let trial = Trial { name: path, bytes, read: &read };
            assert!(trial.whole(), "{path}");
            trial.mutations(7, if bytes.len() > 4 { 300 } else { 0 });
            if bytes.len() < 2000 {
                trial.cuts();
                trial.flips();
            }
        }
    }
}

/// A reader of a table.
type Read<'a> = &'a dyn Fn(&[u8]) -> Result<(), Error>;

/// Bare tables: the checksums of a storage would hide what is behind them.
#[test]
fn damaged_tables() {
    let stored = Builder::default().store(&content("x", 100));
    let table =
        tvfs(&[("units/a.mdx", vec![stored; 3]), ("units/b.mdx", vec![stored]), ("c", vec![stored; 5])]);
    let read_table = |bytes: &[u8]| {
        let tvfs = Tvfs::read(bytes.to_vec(), &limits())?;
        (0..tvfs.len()).try_for_each(|index| tvfs.spans(index).map(|_| ()))
    };
    let encoding = encoding(&[stored]);
    let read_encoding = |bytes: &[u8]| {
        let encoding = Encoding::read(bytes.to_vec())?;
        encoding.find(&stored.ckey).map(|_| ())
    };
    let read_blte = |bytes: &[u8]| decode_blte(bytes, None, &limits()).map(|_| ());
    let blte = blte(&content("x", 2500));
    let trials: [(_, &[u8], Read<'_>); 3] =
        [("tvfs", &table, &read_table), ("encoding", &encoding, &read_encoding), ("blte", &blte, &read_blte)];
    for (name, bytes, read) in trials {
        let trial = Trial { name, bytes, read };
        assert!(trial.whole());
        trial.cuts();
        trial.flips();
        trial.words((0..bytes.len() - 4).take(400));
        trial.mutations(3, 2000);
    }
}

#[test]
#[ignore = "needs the corpus"]
fn real_tables_are_read() {
    let files: std::collections::BTreeMap<_, _> =
        listed(&["archives/casc"], &[".blte", ".tvfs", ".bin", ".txt"])
            .bytes()
            .map(|(path, bytes)| (path.file_name().unwrap().to_str().unwrap().to_owned(), bytes))
            .collect();
    let mut names = Vec::new();
    for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".blte")) {
        let plain = &files[&name.replace(".blte", ".tvfs")];
        assert!(
            decode_blte(bytes, Some(plain.len() as u64), &Limits::default()).unwrap() == *plain,
            "{name}"
        );
        let table = Tvfs::read(plain.clone(), &Limits::default()).unwrap();
        for index in 0..table.len() {
            assert!(table.spans(index).unwrap().is_some_and(|spans| !spans.is_empty()), "{name}");
        }
        names.push(table.len());
    }
    names.sort_unstable();
    assert_eq!(names, [239, 443, 867]);
    let encoding = Encoding::read(files["encoding_classic_era_2pages.bin"].clone()).unwrap();
    assert_eq!(encoding.pages(), 2);
    for page in 0..2 {
        let rows = encoding.page(page).unwrap();
        assert!(rows.len() > 50);
        for (key, row) in rows {
            assert_eq!(encoding.find(&key).unwrap(), Some(row));
        }
    }
    let config = BuildConfig::parse(&files["build_config_classic_era.txt"]).unwrap();
    assert_eq!(config.get("vfs-root-size"), ["14641", "10220"]);
}
