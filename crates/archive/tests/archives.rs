//! What holds for every container: entries come back, unchanged archives are written identically, edits change what they name.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use std::collections::BTreeMap;
use std::sync::Arc;

use fixtures::all;
use galatea_archive::erf::{Erf, ErfType};
use galatea_archive::rim::Rim;
use galatea_archive::{Archive, Edit, Limits, Storage, find_name, inspect, open_bytes};

fn contents(archive: &dyn Archive) -> BTreeMap<String, Vec<u8>> {
    let limits = Limits::default();
    let one = |i| (archive.entry(i).unwrap().name.into_owned(), archive.read_entry(i, &limits).unwrap());
    (0..archive.len()).map(one).collect()
}

fn open(bytes: &[u8]) -> Box<dyn Archive> {
    open_bytes(bytes.to_vec(), &Limits::default()).unwrap()
}

#[test]
fn an_unchanged_archive_is_written_identically() {
    for (name, bytes) in all().unwrap() {
        let archive = open(&bytes);
        assert!(archive.kind().format().writable(), "{name}");
        assert!(archive.write().unwrap() == bytes, "{name}");
    }
}

#[test]
fn every_byte_of_an_archive_is_claimed() {
    for (name, bytes) in all().unwrap() {
        let (coverage, error) = inspect(&bytes, &Limits::default());
        assert_eq!(error, None, "{name}");
        // Packages of the Fox Engine fill up to multiples of 16.
        let gaps = coverage.gaps(bytes.len());
        assert!(
            gaps.iter().all(|gap| gap.len() < 16 && bytes[gap.clone()].iter().all(|b| *b == 0)),
            "{name}: {gaps:?}"
        );
        assert!(gaps.is_empty() || name.contains("fpk"), "{name}: {gaps:?}");
    }
}

#[test]
fn our_own_archives_have_no_findings() {
    for (name, bytes) in all().unwrap() {
        let report = open(&bytes).check();
        let expected = ["ARCH0006"];
        let other: Vec<_> = report.findings().iter().filter(|f| !expected.contains(&f.rule.code)).collect();
        assert!(other.is_empty(), "{name}: {other:?}");
    }
}

#[test]
fn an_edit_changes_what_it_names_and_nothing_else() {
    for (name, bytes) in all().unwrap() {
        let archive = open(&bytes);
        let before = contents(archive.as_ref());
        assert_eq!(before.is_empty(), name.starts_with("empty"), "{name}");
        let Some(first) = archive.entry(0).map(|e| e.name.into_owned()) else { continue };
        let changed =
            open(&archive.edited(&[Edit::put(first.to_uppercase(), b"new bytes".to_vec())]).unwrap());
        let mut expected = before.clone();
        expected.insert(first.clone(), b"new bytes".to_vec());
        assert_eq!(contents(changed.as_ref()), expected, "{name}");
        let order = |archive: &dyn Archive| -> Vec<String> {
            (0..archive.len()).map(|i| archive.entry(i).unwrap().name.into_owned()).collect()
        };
        assert_eq!(order(changed.as_ref()), order(archive.as_ref()), "{name}");

        // The parts of a texture belong together.
        if name.ends_with(".pftxs") {
            assert!(archive.edited(&[Edit::remove(first.as_str())]).is_err());
            continue;
        }
        let removed = open(&archive.edited(&[Edit::remove(first.as_str())]).unwrap());
        expected.remove(&first);
        // The archive's own list of names loses the name.
        if let Some(list) = expected.get_mut("(listfile)") {
            let text = String::from_utf8(std::mem::take(list)).unwrap();
            let kept =
                text.split_inclusive("\r\n").filter(|line| line.trim_end().replace('\\', "/") != first);
            *list = kept.collect::<String>().into_bytes();
        }
        assert_eq!(contents(removed.as_ref()), expected, "{name}");
        assert_eq!(find_name(removed.as_ref(), &first), None);
        assert!(archive.edited(&[Edit::remove("nobody.txi")]).is_err(), "{name}");
    }
}

#[test]
fn a_stored_entry_is_opened_without_reading_it() {
    for (name, bytes) in all().unwrap() {
        let archive = open(&bytes);
        let expected = contents(archive.as_ref());
        for index in 0..archive.len() {
            let entry = archive.entry(index).unwrap();
            let source = archive.open_entry(index, &Limits::default()).unwrap();
            let mut read = vec![0; usize::try_from(source.len()).unwrap()];
            source.read_at(0, &mut read).unwrap();
            assert_eq!(&read, &expected[entry.name.as_ref()], "{name}");
            assert!(source.read_at(source.len(), &mut [0]).is_err(), "{name}");
        }
        assert!(archive.read_entry(archive.len(), &Limits::default()).is_err());
    }
}

#[test]
fn an_entry_larger_than_the_limit_is_refused() {
    let (_, bytes) = all().unwrap().into_iter().find(|(name, _)| *name == "full.mod").unwrap();
    let archive = open(&bytes);
    let error = archive.read_entry(1, &Limits::default().with_entry(39)).unwrap_err();
    assert!(error.to_string().contains("\"m01aa_01a.mdl\": the limit on bytes of an entry"), "{error}");
    assert!(archive.read_entry(1, &Limits::default().with_entry(40)).is_ok());
}

#[test]
fn a_key_reads_from_its_bifs_letter_case_ignored() {
    let (key, files) = fixtures::kotor::game();
    let archive =
        galatea_archive::open(Arc::new(key.clone()), Some(Arc::new(files)), &Limits::default()).unwrap();
    assert_eq!(
        contents(archive.as_ref()).into_iter().collect::<Vec<_>>(),
        [
            ("c_bantha.mdl".to_owned(), b"a model".to_vec()),
            ("c_bantha.mdx".to_owned(), b"its vertices".to_vec()),
            ("plc_chair.wok".to_owned(), b"BWM V1.0".to_vec()),
        ]
    );
    assert!(archive.check().is_empty(), "{:?}", archive.check().findings());
    assert!(archive.write().unwrap_err().to_string().contains("can be read, but not written"));

    let alone = open(&key);
    assert_eq!(alone.entry(0).unwrap().storage, Storage::Missing);
    let error = alone.read_entry(2, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("\"data/Walk.bif\": cannot be read"), "{error}");
    assert_eq!(alone.check().count("ARCH0009"), 2);
}

#[test]
fn a_bif_alone_lists_its_entries_by_number() {
    let archive = open(&fixtures::kotor::game().1.0[0].1);
    assert_eq!(archive.entry(1).unwrap().name, "00001.mdx");
    assert_eq!(archive.read_entry(1, &Limits::default()).unwrap(), b"its vertices");
}

#[test]
fn a_qar_is_decrypted_unpacked_and_compared_with_its_sum() {
    for version in [1, 2] {
        let bytes = fixtures::fox::qar(version);
        let archive = open(&bytes);
        assert!(archive.check().is_empty(), "{:?}", archive.check().findings());
        for (index, (_, expected, _)) in fixtures::fox::qar_files().iter().enumerate() {
            assert_eq!(
                &archive.read_entry(index, &Limits::default()).unwrap(),
                expected,
                "{version}, {index}"
            );
        }
        assert_eq!(archive.entry(0).unwrap().name, "3d17ad750c740.fpk");
        let mut damaged = bytes;
        damaged[1024 + 32] ^= 1;
        assert!(open(&damaged).read_entry(0, &Limits::default()).is_err());
    }
}

#[test]
fn a_cpk_is_read_plain_and_obfuscated_stored_and_packed() {
    for obfuscated in [false, true] {
        let archive = open(&fixtures::fox::cpk(obfuscated));
        let expected: BTreeMap<String, Vec<u8>> = fixtures::fox::cpk_files()
            .into_iter()
            .map(|(folder, name, bytes)| {
                (format!("{folder}/{name}").trim_start_matches('/').to_owned(), bytes)
            })
            .collect();
        assert_eq!(contents(archive.as_ref()), expected);
        assert!(archive.check().is_empty());
    }
}

#[test]
fn textures_of_a_pftxs_are_named_by_the_hashes_that_models_have() {
    let archive = open(&all().unwrap().into_iter().find(|(name, _)| *name == "full.pftxs").unwrap().1);
    let code = galatea_fox::path_code64("/Assets/tpp/a_bsm") & ((1 << 51) - 1);
    let names: Vec<String> = (0..3).map(|i| archive.entry(i).unwrap().name.into_owned()).collect();
    assert_eq!(
        names,
        [format!("{code:013x}.ftex"), format!("{code:013x}.1.ftexs"), "0123456789abc.ftex".into()]
    );
}

#[test]
fn a_zip_keeps_packed_entries_packed_and_finds_a_wrong_sum() {
    let bytes = all().unwrap().into_iter().find(|(name, _)| *name == "full.zip").unwrap().1;
    let archive = open(&bytes);
    assert_eq!(archive.entry(1).unwrap().storage, Storage::Packed);
    let edited = archive.edited(&[Edit::put("new.txt", vec![1])]).unwrap();
    assert!(edited.starts_with(&bytes[..30]), "entries that are kept are copied");
    let mut damaged = bytes.clone();
    let at = 30 + "Assets/tpp/chara/a.fmdl".len();
    assert_eq!(&damaged[at..at + 4], b"FMDL");
    damaged[at] = b'G';
    let error = open(&damaged).read_entry(0, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("CRC"), "{error}");
}

#[test]
fn names_that_no_container_of_kotor_can_have_are_refused() {
    for name in ["seventeen_letters.mdl", "folder/a.mdl", "a.docx", "noending", ".mdl"] {
        let edit = [Edit::put(name, Vec::new())];
        for archive in [&Erf::new(ErfType::Erf) as &dyn Archive, &Rim::new()] {
            assert!(archive.edited(&edit).is_err(), "{name}");
        }
    }
}
