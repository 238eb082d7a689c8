//! What the program takes for archives: `info` over 10,000 models beside the same files loose, and for a single file of an archive of 100,000
//! entries with and without its index.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use galatea::archive::{Edit, Kind};

use super::MODELS;
use crate::bench::batch::{self, Temporary};
use crate::{Outcome, root};

/// By how much `info` over an archive may take longer than over the same files loose.
const MAY: f64 = 1.3;
/// Entries of the archives in which one file is looked up.
const ENTRIES: usize = 100_000;
/// How often a command runs; the least counts.
const TIMES: usize = 3;

pub(super) fn run() -> Outcome {
    let program = batch::program()?;
    let place = Temporary(std::env::temp_dir().join(format!("galatea-archives-{}", std::process::id())));
    fs::create_dir_all(&place.0).map_err(|e| e.to_string())?;
    for (kind, files) in [(Kind::Erf, &["statue.mdl", "statue.mdx"][..]), (Kind::Mpq, &["statue_800.mdx"])] {
        all(&program, &place.0.join(kind.name()), kind, files)?;
    }
    for (name, make) in [
        ("KEY", key as fn(&Path) -> Result<PathBuf, String>),
        ("MPQ", mpq as fn(&Path) -> Result<PathBuf, String>),
    ] {
        one(&program, &place.0.join(format!("one-{name}")), name, make)?;
    }
    Ok(())
}

/// `info` over an archive of models, and over the same files loose.
fn all(program: &Path, place: &Path, kind: Kind, files: &[&str]) -> Outcome {
    let loose = place.join("loose");
    fs::create_dir_all(&loose).map_err(|e| e.to_string())?;
    let mut puts = Vec::new();
    for file in files {
        let bytes = example(file)?;
        let extension = file.rsplit('.').next().unwrap_or("");
        for model in 0..MODELS {
            let name = format!("m{model:05}.{extension}");
            fs::write(loose.join(&name), &bytes).map_err(|e| e.to_string())?;
            puts.push(Edit::put(name, bytes.clone()));
        }
    }
    let archive = place.join(format!("all.{}", kind.name()));
    write(&archive, kind, &puts)?;
    drop(puts);
    let [packed, plain] = [&archive, &loose].map(|path| least(program, &["info"], path, Path::new("")));
    let (packed, plain) = (packed?, plain?);
    let ratio = packed / plain;
    println!(
        "info over {MODELS} models in {}: {packed:.2} s of CPU, loose {plain:.2} s: {ratio:.2} x (at most {MAY}: {})",
        kind.name(),
        if ratio <= MAY { "ok" } else { "ABOVE" }
    );
    fs::remove_dir_all(place).map_err(|e| e.to_string())
}

/// `info` on one model of an archive: loose, without an index, when it is made, and with it.
fn one(program: &Path, place: &Path, name: &str, make: fn(&Path) -> Result<PathBuf, String>) -> Outcome {
    fs::create_dir_all(place).map_err(|e| e.to_string())?;
    let model = make(place)?;
    let (none, cache) = (PathBuf::new(), place.join("cache"));
    let file = root().join("examples").join(if name == "KEY" { "statue.mdl" } else { "statue_800.mdx" });
    let loose = least(program, &["info"], &file, &none)?;
    let without = least(program, &["info"], &model, &none)?;
    let first = batch::in_process(program, &["info".into(), model.clone().into()], &cache)?.seconds;
    let second = least(program, &["info"], &model, &cache)?;
    println!(
        "info on one model of a {name} of {ENTRIES} entries, in CPU time over the model loose ({:.1} ms): without an index {:.1} ms, \
         when it is made {:.1} ms, with it {:.1} ms",
        loose * 1e3,
        (without - loose) * 1e3,
        (first - loose) * 1e3,
        (second - loose) * 1e3,
    );
    Ok(())
}

fn least(program: &Path, verb: &[&str], path: &Path, cache: &Path) -> Result<f64, String> {
    let arguments: Vec<OsString> = verb.iter().map(OsString::from).chain([path.into()]).collect();
    let mut least = f64::MAX;
    for _ in 0..TIMES {
        least = least.min(batch::in_process(program, &arguments, cache)?.seconds);
    }
    Ok(least)
}

fn example(name: &str) -> Result<Vec<u8>, String> {
    fs::read(root().join("examples").join(name)).map_err(|e| e.to_string())
}

fn write(path: &Path, kind: Kind, puts: &[Edit]) -> Outcome {
    let new = kind.format().new.ok_or("cannot be written")?;
    let bytes = new().edited(puts).map_err(|e| e.to_string())?;
    settled(path, &bytes)
}

/// Writes a file that is an hour old: those of this moment have no index.
fn settled(path: &Path, bytes: &[u8]) -> Outcome {
    fs::write(path, bytes).map_err(|e| e.to_string())?;
    let file = fs::File::options().write(true).open(path).map_err(|e| e.to_string())?;
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).map_err(|e| e.to_string())
}

/// An MPQ of many small files, and the statue. Returns the path of the statue.
fn mpq(place: &Path) -> Result<PathBuf, String> {
    let mut puts: Vec<Edit> = (1..ENTRIES)
        .map(|i| Edit::put(format!("Units/Folder{}/file{i:06}.txt", i % 97), vec![7; 8]))
        .collect();
    puts.push(Edit::put("Units/Statue/Statue.mdx", example("statue_800.mdx")?));
    let path = place.join("all.mpq");
    write(&path, Kind::Mpq, &puts)?;
    Ok(path.join("Units/Statue/Statue.mdx"))
}

/// A KEY with a BIF of many small files, and the statue. Returns the path of the statue.
fn key(place: &Path) -> Result<PathBuf, String> {
    let (mdl, mdx) = (example("statue.mdl")?, example("statue.mdx")?);
    let mut files: Vec<(String, u16, &[u8])> =
        (2..ENTRIES).map(|i| (format!("file{i:06}"), 10, &b"contents"[..])).collect();
    files.extend([("statue".to_owned(), 2002, mdl.as_slice()), ("statue".to_owned(), 3008, mdx.as_slice())]);
    let word = |out: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|w| out.extend(w.to_le_bytes()));
    let mut bif = b"BIFFV1  ".to_vec();
    word(&mut bif, &[files.len() as u32, 0, 20]);
    let mut at = 20 + 16 * files.len() as u32;
    for (index, (_, kind, bytes)) in files.iter().enumerate() {
        word(&mut bif, &[index as u32, at, bytes.len() as u32, u32::from(*kind)]);
        at += bytes.len() as u32;
    }
    files.iter().for_each(|(.., bytes)| bif.extend_from_slice(bytes));
    let mut key = b"KEY V1  ".to_vec();
    word(&mut key, &[1, files.len() as u32, 64, 64 + 12 + 8, 103, 45]);
    key.resize(64, 0);
    word(&mut key, &[bif.len() as u32, 64 + 12, 8 | 1 << 16]);
    key.extend(*b"all.bif\0");
    for (index, (name, kind, _)) in files.iter().enumerate() {
        let mut name = name.clone().into_bytes();
        name.resize(16, 0);
        key.extend(name);
        key.extend(kind.to_le_bytes());
        word(&mut key, &[index as u32]);
    }
    settled(&place.join("all.bif"), &bif)?;
    settled(&place.join("all.key"), &key)?;
    Ok(place.join("all.key/statue.mdl"))
}
