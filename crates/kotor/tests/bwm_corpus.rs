//! Real walkmeshes: every byte, every derived table. Skipped, saying so, where there is no corpus.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use galatea_kotor::bwm::{self, Kind, Walkmesh};
use galatea_kotor::surface::Walkability;
use galatea_trial::{corpus, files};
use galatea_wire::{Inspector, Limits};

fn walkmeshes() -> Vec<(String, Vec<u8>)> {
    let Some(dir) = corpus("kotor") else { return Vec::new() };
    let found: Vec<_> = files(&dir, &[".wok", ".pwk", ".dwk"])
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    assert!(found.len() >= 45, "the corpus has at least 44 WOK and 1 PWK, found {}", found.len());
    found
}

#[test]
fn every_walkmesh_comes_back_identical() {
    for (name, bytes) in walkmeshes() {
        let mesh = Walkmesh::read(&bytes, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(mesh.write().unwrap() == bytes, "{name} differs");
    }
}

#[test]
fn canonical_layout_is_the_games_own() {
    for (name, bytes) in walkmeshes() {
        let mut mesh = Walkmesh::read(&bytes, &Limits::default()).unwrap();
        mesh.forget_layout();
        assert!(mesh.write().unwrap() == bytes, "{name} is laid out differently");
    }
}

#[test]
fn every_byte_has_an_owner() {
    for (name, bytes) in walkmeshes() {
        let (coverage, error) = bwm::inspect(&bytes, &Limits::default());
        assert!(error.is_none());
        let map = Inspector::new(&bytes, &coverage).map();
        assert!(map.iter().all(|span| span.owner.is_some()), "{name} has gaps");
        assert_eq!(map.iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len(), "{name}");
    }
}

#[test]
fn derived_tables_equal_the_stored_ones() {
    let walkability = Walkability::default();
    let (mut areas, mut adjacency, mut border, mut tree) = (0, 0, 0, 0);
    for (name, bytes) in walkmeshes() {
        let mesh = Walkmesh::read(&bytes, &Limits::default()).unwrap();
        if mesh.kind != Kind::Area {
            continue;
        }
        let compared = mesh.compare_derived(&walkability);
        areas += 1;
        adjacency += usize::from(compared.adjacency);
        border += usize::from(compared.border);
        tree += usize::from(compared.tree);
        if !compared.adjacency || !compared.border || !compared.tree {
            println!("{name}: {compared:?}");
        }
    }
    if areas > 0 {
        println!("{areas} areas, adjacency {adjacency}, border {border}, tree {tree}");
        assert!(adjacency * 44 >= areas * 42, "adjacency equal in {adjacency} of {areas}");
        assert!(border * 44 >= areas * 41, "border equal in {border} of {areas}");
        assert_eq!(tree, areas, "our own tree has faults");
    }
}

#[test]
fn rebuilding_leaves_no_error_that_deriving_could_mend() {
    for (name, bytes) in walkmeshes() {
        let mut mesh = Walkmesh::read(&bytes, &Limits::default()).unwrap();
        mesh.rebuild(&Walkability::default());
        let report = mesh.check();
        let left: Vec<_> = report
            .counts()
            .filter(|(rule, _)| rule.fix && rule.severity > galatea_wire::Severity::Info)
            .collect();
        // Faces without area stay: dropping them is not deriving.
        assert!(left.iter().all(|(rule, _)| rule.code == "KBWM0002"), "{name}: {left:?}");
    }
}
