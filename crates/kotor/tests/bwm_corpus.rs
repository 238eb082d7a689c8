//! Real walkmeshes: every byte, every derived table.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod real;

use galatea_kotor::bwm::{self, Kind, Walkmesh};
use galatea_kotor::surface::Walkability;
use galatea_wire::{Inspector, Limits};

fn walkmeshes() -> impl Iterator<Item = (String, Vec<u8>, Walkmesh)> {
    real::walkmeshes().map(|(path, (bytes, mesh))| (real::name(&path), bytes, mesh))
}

#[test]
#[ignore = "needs the corpus"]
fn every_walkmesh_comes_back_identical() {
    for (name, bytes, mesh) in walkmeshes() {
        assert!(mesh.write().unwrap() == bytes, "{name} differs");
    }
}

#[test]
#[ignore = "needs the corpus"]
fn canonical_layout_is_the_games_own() {
    for (name, bytes, mut mesh) in walkmeshes() {
        mesh.forget_layout();
        assert!(mesh.write().unwrap() == bytes, "{name} is laid out differently");
    }
}

#[test]
#[ignore = "needs the corpus"]
fn every_byte_has_an_owner() {
    for (name, bytes, _) in walkmeshes() {
        let (coverage, error) = bwm::inspect(&bytes, &Limits::default());
        assert!(error.is_none());
        let map = Inspector::new(&bytes, &coverage).map();
        assert!(map.iter().all(|span| span.owner.is_some()), "{name} has gaps");
        assert_eq!(map.iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len(), "{name}");
    }
}

#[test]
#[ignore = "needs the corpus"]
fn derived_tables_equal_the_stored_ones() {
    let walkability = Walkability::default();
    let (mut areas, mut adjacency, mut border, mut tree) = (0, 0, 0, 0);
    for (name, _, mesh) in walkmeshes() {
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
    assert_eq!(areas, galatea_robustness::listed(&["kotor"], &[".wok"]).len());
    assert!(adjacency * 44 >= areas * 42, "adjacency equal in {adjacency} of {areas}");
    assert!(border * 44 >= areas * 41, "border equal in {border} of {areas}");
    assert_eq!(tree, areas, "our own tree has faults");
}

#[test]
#[ignore = "needs the corpus"]
fn rebuilding_leaves_no_error_that_deriving_could_fix() {
    for (name, _, mut mesh) in walkmeshes() {
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
