//! Names of real files, resolved with the public dictionaries.
#![allow(clippy::unwrap_used)] // Helpers of tests fail as tests do.

use std::collections::BTreeSet;

use galatea_fox::{Dictionary, Fmdl, Name, NameKind, extension_code, path_code64, str_code64};
use galatea_wire::Limits;

#[test]
fn the_built_in_words_are_sound() {
    let words: Vec<&str> = include_str!("../src/words.txt").lines().collect();
    let unique: BTreeSet<&&str> = words.iter().collect();
    assert_eq!(unique.len(), words.len());
    let names = Dictionary::built_in();
    assert_eq!(names.len(), words.len());
    assert!(words.iter().all(|w| names.name(str_code64(w.as_bytes())) == Some(w)));
    assert!(words.iter().all(|w| !w.is_empty() && w.trim() == *w));
}

/// The built-in words and public dictionaries of the corpus.
fn public_names(files: &[&str]) -> Dictionary {
    let mut names = Dictionary::built_in();
    for file in files {
        let path = galatea_robustness::place().join("fmdl/names").join(file);
        names.add_lines(&std::fs::read_to_string(path).unwrap());
    }
    names
}

#[test]
#[ignore = "needs the corpus"]
fn most_names_of_the_games_files_resolve_and_hash_back() {
    let mut dictionary = public_names(&["strings.txt", "paths.txt"]);
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    let mut kinds = BTreeSet::new();
    let mut models = Vec::new();
    let files = galatea_robustness::listed(&["fmdl"], &[".fmdl"]);
    for (_, model) in files.read(|_, bytes| Fmdl::read(bytes, &Limits::default())) {
        if model.has_hashes() { models.push(model) } else { dictionary.add_model(&model) }
    }
    let built_in = Dictionary::built_in();
    for model in &models {
        for used in model.names() {
            let set = if used.path.is_some() { &mut paths } else { &mut names };
            set.insert(used.code());
            kinds.insert((used.kind, used.code()));
        }
    }
    let resolved: Vec<(u64, &str)> = names.iter().filter_map(|h| Some((*h, dictionary.name(*h)?))).collect();
    for (hash, text) in &resolved {
        assert_eq!(str_code64(text.as_bytes()), *hash, "{text}");
    }
    let found: Vec<(u64, &str)> = paths.iter().filter_map(|h| Some((*h, dictionary.path(*h)?))).collect();
    for (code, text) in &found {
        assert_eq!(path_code64(&format!("{text}.ftex")), *code, "{text}");
    }
    println!("names: {} of {}, paths: {} of {}", resolved.len(), names.len(), found.len(), paths.len());
    for kind in [
        NameKind::Bone,
        NameKind::Group,
        NameKind::Material,
        NameKind::Shader,
        NameKind::Technique,
        NameKind::Slot,
        NameKind::Parameter,
        NameKind::TextureFile,
    ] {
        let all: Vec<u64> = kinds.iter().filter(|(k, _)| *k == kind).map(|(_, c)| *c).collect();
        let of = |d: &Dictionary| all.iter().filter(|c| d.name(**c).is_some()).count();
        println!("{kind}: {} of {}, built-in {}", of(&dictionary), all.len(), of(&built_in));
    }
    assert!(resolved.len() * 100 >= names.len() * 70);
    assert!(found.len() * 100 >= paths.len() * 65);
    assert!(names.len() > 2000 && paths.len() > 1000);
    assert!(paths.iter().all(|p| p >> 51 == extension_code("ftex")));
}

#[test]
#[ignore = "needs the corpus"]
fn resolving_names_changes_no_byte() {
    let dictionary = public_names(&["strings.txt"]);
    let mut resolved = 0;
    for (path, bytes) in galatea_robustness::listed(&["fmdl"], &[".fmdl"]).bytes() {
        let mut model = Fmdl::read(&bytes, &Limits::default()).unwrap();
        resolved += model.resolve_names(&dictionary);
        assert_eq!(model.write().unwrap(), bytes, "{}", path.display());
        model.forget_layout();
        let again = Fmdl::read(&model.write().unwrap(), &Limits::default()).unwrap();
        assert_eq!(again.differences(&model), Vec::<String>::new());
    }
    assert!(resolved > 10_000, "{resolved}");
}

#[test]
fn unresolved_names_show_as_hex_and_hash_back() {
    let name = Name::Hash(0x0123_4567_89AB);
    assert_eq!(Dictionary::built_in().text(&name), None);
    assert_eq!(name.to_string(), "0x0123456789ab");
    assert_eq!(Name::parse(&name.to_string()), name);
}
