//! Damaged walkmeshes: no panic, no hang, no allocation out of proportion, always a place and a path.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod fixtures;

use galatea_kotor::bwm::{AabbNode, Walkmesh};
use galatea_kotor::surface::Walkability;
use galatea_robustness::Trial;
use galatea_wire::{Error, Limits};

fn read(bytes: &[u8]) -> Result<(), Error> {
    let mut mesh = Walkmesh::read(bytes, &Limits::default())?;
    assert!(mesh.write()? == bytes, "what opens is written back identically");
    mesh.check();
    mesh.fix(&|_| true);
    mesh.rebuild(&Walkability::default());
    mesh.write()?;
    Ok(())
}

fn trials(name: &str, bytes: &[u8]) {
    let trial = Trial { name, bytes, read: &read };
    assert!(trial.run(bytes, &|| "as it is".into()));
    let cuts = trial.cuts();
    assert!(cuts.opened == 0, "{cuts:?}: a cut file lost a table");
    assert_eq!(trial.flips().tried, bytes.len() * 4);
    // All counts and offsets of the header, and the links of every table.
    assert!(trial.words((72..136).step_by(4)).tried > 0);
    assert!(trial.words((136..bytes.len()).step_by(4)).tried > 0);
    assert_eq!(trial.mutations(7, 2000).tried, 2000);
}

#[test]
fn area() {
    trials("floor.wok", &fixtures::floor().write().unwrap());
}

#[test]
fn placeable() {
    trials("crate.pwk", &fixtures::placeable().write().unwrap());
}

#[test]
fn door() {
    trials("door0.dwk", &fixtures::door().write().unwrap());
}

fn with_tree(nodes: Vec<AabbNode>) -> Vec<u8> {
    let mut mesh = fixtures::floor();
    mesh.aabb = nodes;
    mesh.write().unwrap()
}

fn inner(left: u32, right: u32) -> AabbNode {
    AabbNode { face: -1, unknown_0x1c: 4, plane: 1, left, right, ..AabbNode::default() }
}

#[test]
fn self_referring_tree() {
    let bytes = with_tree(vec![inner(0, 0); 5]);
    let trial = Trial { name: "tree of itself", bytes: &bytes, read: &read };
    assert!(trial.run(&bytes, &|| "as it is".into()));
    assert!(Walkmesh::read(&bytes, &Limits::default()).unwrap().check().count("KBWM0027") > 0);
}

#[test]
fn million_deep_tree() {
    let deep: Vec<AabbNode> = (0..1_000_000).map(|i| inner(i + 1, u32::MAX)).collect();
    let bytes = with_tree(deep);
    let trial = Trial { name: "deep tree", bytes: &bytes, read: &read };
    assert!(trial.run(&bytes, &|| "as it is".into()));
    assert!(Walkmesh::read(&bytes, &Limits::default()).unwrap().check().count("KBWM0032") > 0);
}

#[test]
fn a_hundred_thousand_faces_on_one_edge() {
    let mut mesh = fixtures::floor();
    mesh.faces = vec![[0, 1, 2]; 100_000];
    mesh.materials = vec![3; 100_000];
    mesh.rebuild(&Walkability::default());
    let bytes = mesh.write().unwrap();
    let trial = Trial { name: "fan", bytes: &bytes, read: &read };
    assert!(trial.run(&bytes, &|| "as it is".into()));
}
