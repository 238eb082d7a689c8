//! Indices of large archives in the user's cache: a second look-up does not read the directory of the archive, what is found is the same,
//! and an index that is old or damaged is made anew without a word.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

#[path = "../../archive/tests/fixtures/casc.rs"]
mod casc;
#[path = "../../archive/tests/fixtures/fox.rs"]
#[allow(dead_code, reason = "each test uses some of it")]
mod fox;
#[path = "../../archive/tests/fixtures/kotor.rs"]
#[allow(dead_code, reason = "each test uses some of it")]
mod kotor;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use galatea::archive::mpq::Mpq;
use galatea::archive::{Archive, Edit};
use galatea::fox::path_code64;
use support::scratch;

/// Entries of each archive: enough to be worth an index.
const COUNT: usize = 300;

fn content(number: usize) -> Vec<u8> {
    format!("file {number} ").repeat(number + 1).into_bytes()
}

/// An archive, the path below it of each file, and the files on disk with the directory, with what of them is the directory.
struct Case {
    archive: PathBuf,
    names: Vec<String>,
    directory: Vec<(PathBuf, std::ops::Range<usize>)>,
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    settle(path);
}

/// Makes a file an hour old: those of this moment may change again without another time.
fn settle(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
}

/// Changes a file without changing its size or time.
fn scribble(path: &Path, range: std::ops::Range<usize>) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    bytes[range].iter_mut().for_each(|b| *b ^= 0x5A);
    fs::write(path, bytes).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Reads a file of an archive with the program; `None` if it says that there is none.
fn read(cache: &Path, path: &Path) -> Option<Vec<u8>> {
    let out = scratch(&format!("index-out-{:?}", std::thread::current().id()));
    let output = Command::new(env!("CARGO_BIN_EXE_galatea"))
        .args(["extract", path.to_str().unwrap(), "-o", out.to_str().unwrap()])
        .env("GALATEA_CACHE", cache)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        assert!(errors.contains("no such file"), "{errors}");
        return None;
    }
    assert_eq!(errors, "", "no word about the cache");
    let file = fs::read_dir(&out).unwrap().next().unwrap().unwrap();
    fs::read(file.path()).ok()
}

fn indices(cache: &Path) -> Vec<PathBuf> {
    fs::read_dir(cache).map(|all| all.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

fn key(dir: &Path) -> Case {
    let contents: Vec<Vec<u8>> = (0..COUNT).map(content).collect();
    let resources: Vec<(u16, &[u8])> = contents.iter().map(|bytes| (10, bytes.as_slice())).collect();
    let bif = kotor::bif(0, &resources);
    let names: Vec<String> = (0..COUNT).map(|number| format!("file{number}")).collect();
    let rows: Vec<(&str, u16, u32)> =
        names.iter().zip(0..).map(|(name, id)| (name.as_str(), 10, id)).collect();
    let key = kotor::key(&[("data\\texts.bif", bif.len())], &rows);
    put(&dir.join("data/texts.bif"), &bif);
    put(&dir.join("chitin.key"), &key);
    Case {
        archive: dir.join("chitin.key"),
        names: names.iter().map(|name| format!("{name}.txt")).collect(),
        directory: vec![
            (dir.join("chitin.key"), 64..key.len()),
            (dir.join("data/texts.bif"), 20..20 + 16 * COUNT),
        ],
    }
}

fn mpq(dir: &Path) -> Case {
    let names: Vec<String> =
        (0..COUNT).map(|number| format!("Units/Folder{}/f{number:03}.txt", number % 7)).collect();
    let edits: Vec<Edit> =
        names.iter().enumerate().map(|(number, name)| Edit::put(name.as_str(), content(number))).collect();
    let bytes = Mpq::new().edited(&edits).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let archive = dir.join("big.w3x");
    put(&archive, &bytes);
    let tables = word(16).min(word(20))..bytes.len();
    Case { names, directory: vec![(archive.clone(), tables)], archive }
}

fn qar(dir: &Path) -> Case {
    let names: Vec<String> = (0..COUNT).map(|number| format!("Assets/tpp/f{number}.txt")).collect();
    let kept = |number: usize| if number.is_multiple_of(2) { fox::Kept::Packed } else { fox::Kept::Plain };
    let files: Vec<(u64, Vec<u8>, fox::Kept)> = names
        .iter()
        .enumerate()
        .map(|(number, name)| (path_code64(&format!("/{name}")), content(number), kept(number)))
        .collect();
    let archive = dir.join("chunk0.dat");
    put(&archive, &fox::qar_of(2, &files));
    Case { names, directory: vec![(archive.clone(), 32..32 + 8 * COUNT)], archive }
}

fn storage(dir: &Path) -> Case {
    let names: Vec<String> = (0..COUNT).map(|number| format!("units/f{number}.txt")).collect();
    let mut builder = casc::Builder::default();
    let stored: Vec<_> = (0..COUNT).map(|number| vec![builder.store(&content(number))]).collect();
    let rows: Vec<(&str, Vec<casc::Stored>)> =
        names.iter().zip(stored).map(|(name, stored)| (name.as_str(), stored)).collect();
    let root = casc::tvfs(&rows);
    let root = builder.store(&root);
    builder.configure("vfs-root", &root);
    let mut directory = Vec::new();
    for (name, bytes) in builder.build().0 {
        put(&dir.join(&name), &bytes);
        if name.ends_with(".idx") || name.contains("config/") {
            directory.push((dir.join(&name), 0..bytes.len()));
        }
    }
    Case { archive: dir.join(".build.info"), names, directory }
}

#[test]
fn a_second_look_up_does_not_read_the_directory() {
    for (kind, make) in [("key", key as fn(&Path) -> Case), ("mpq", mpq), ("qar", qar), ("casc", storage)] {
        let dir = scratch(&format!("index-scan-{kind}"));
        let (case, cache) = (make(&dir), dir.join("cache"));
        assert_eq!(read(&cache, &case.archive.join(&case.names[0])), Some(content(0)), "{kind}");
        assert_eq!(indices(&cache).len(), 1, "{kind}: an index is kept");
        case.directory.iter().for_each(|(path, range)| scribble(path, range.clone()));
        // Names in other letters, too.
        for number in [0, 1, 2, 150, 255, 299] {
            // The path codes of the Fox Engine tell letter case apart.
            let name = &case.names[number];
            let other = if kind == "qar" { name.clone() } else { name.to_uppercase() };
            let found = read(&cache, &case.archive.join(other));
            assert_eq!(found, read(&cache, &case.archive.join(name)), "{kind}");
            assert_eq!(found, Some(content(number)), "{kind} {number}");
        }
        // Without the index, the damage shows.
        fs::remove_file(&indices(&cache)[0]).unwrap();
        let output =
            support::galatea(&["extract", case.archive.join(&case.names[1]).to_str().unwrap(), "-o", "x"]);
        assert!(!output.status.success(), "{kind}: the directory is damaged");
    }
}

#[test]
fn a_damaged_index_is_made_anew() {
    for (kind, make) in [("key", key as fn(&Path) -> Case), ("mpq", mpq)] {
        let dir = scratch(&format!("index-broken-{kind}"));
        let (case, cache) = (make(&dir), dir.join("cache"));
        let path = case.archive.join(&case.names[123]);
        assert_eq!(read(&cache, &path), Some(content(123)));
        let index = indices(&cache).remove(0);
        let good = fs::read(&index).unwrap();
        let mut damaged: Vec<Vec<u8>> =
            [0, 1, 39, 40, 1000, good.len() - 1].map(|len| good[..len].to_vec()).to_vec();
        for at in (0..good.len()).step_by(good.len() / 40) {
            let mut bytes = good.clone();
            bytes[at] ^= 0x41;
            damaged.push(bytes);
        }
        damaged.push(vec![0xFF; good.len()]);
        for bytes in damaged {
            fs::write(&index, &bytes).unwrap();
            assert_eq!(read(&cache, &path), Some(content(123)), "{kind}");
            let after = fs::read(&index).unwrap();
            assert!(
                after == good || after == bytes,
                "{kind}: made anew, or what is damaged was not asked for"
            );
        }
        fs::write(&index, &good[..40]).unwrap();
        assert_eq!(read(&cache, &path), Some(content(123)), "{kind}");
        assert!(fs::read(&index).unwrap() == good, "{kind}: made anew");
    }
}

#[test]
fn an_index_of_another_version_of_the_archive_does_not_count() {
    let dir = scratch("index-old");
    let (case, cache) = (key(&dir), dir.join("cache"));
    let path = case.archive.join("file7.txt");
    assert_eq!(read(&cache, &path), Some(content(7)));
    // The KEY is the same, a BIF of it is another.
    let bif = dir.join("data/texts.bif");
    let mut bytes = fs::read(&bif).unwrap();
    let at = bytes.windows(7).position(|w| w == b"file 7 ").unwrap();
    bytes[at] = b'F';
    fs::write(&bif, &bytes).unwrap();
    let changed = [b"F", &content(7)[1..]].concat();
    assert_eq!(read(&cache, &path), Some(changed.clone()), "just changed");
    settle(&bif);
    assert_eq!(read(&cache, &path), Some(changed.clone()));
    // A name that was not there is found when it is.
    assert_eq!(read(&cache, &case.archive.join("file8x.txt")), None);
    let key = fs::read(&case.archive).unwrap();
    let at = key.windows(6).position(|w| w == b"file8\0").unwrap();
    let mut renamed = key.clone();
    renamed[at + 5] = b'x';
    fs::write(&case.archive, renamed).unwrap();
    assert_eq!(read(&cache, &case.archive.join("file8x.txt")), Some(content(8)));
    assert_eq!(read(&cache, &case.archive.join("file8.txt")), None);
    assert_eq!(read(&cache, &path), Some(changed));
}

#[test]
fn archives_that_may_still_change_and_small_ones_have_no_index() {
    let dir = scratch("index-none");
    let (case, cache) = (key(&dir), dir.join("cache"));
    fs::File::options().write(true).open(&case.archive).unwrap().set_modified(SystemTime::now()).unwrap();
    assert_eq!(read(&cache, &case.archive.join("file7.txt")), Some(content(7)));
    assert_eq!(indices(&cache).len(), 0, "it may change again without another time");
    let small = dir.join("small.w3x");
    put(&small, &Mpq::new().edited(&[Edit::put("a.txt", content(1))]).unwrap());
    assert_eq!(read(&cache, &small.join("a.txt")), Some(content(1)));
    assert_eq!(indices(&cache).len(), 0, "its directory is read in no time");
    // Neither a cache that is none nor one that cannot be is anybody's concern.
    settle(&case.archive);
    assert_eq!(read(Path::new(""), &case.archive.join("file7.txt")), Some(content(7)));
    fs::write(dir.join("file"), b"").unwrap();
    assert_eq!(read(&dir.join("file"), &case.archive.join("file7.txt")), Some(content(7)));
    assert_eq!(read(&cache, &case.archive.join("file7.txt")), Some(content(7)));
    assert_eq!(indices(&cache).len(), 1);
}
