//! Damaged models: no panic, no hang, no allocation out of proportion, always a place and a path.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;

use galatea_kotor::mdl::{Game, Model, Name, Pair, Platform, inspect};
use galatea_robustness::{Tally, Trial};
use galatea_wire::{Error, Limits};
use mdl_fixtures::{KINDS, TARGETS, model};

/// Everything that can be done with a model.
fn work(mdl: &[u8], mdx: &[u8]) -> Result<(), Error> {
    let mut model = Model::read(mdl, Some(mdx), &Limits::default())?;
    let back = model.write()?;
    assert!(back.mdl == mdl && back.mdx == mdx, "what opens is written back identically");
    drop(back);
    assert!(model.differences(&model).is_empty());
    model.summary();
    model.check();
    model.compare_derived();
    assert!(inspect(mdl, Some(mdx), &Limits::default()).error.is_none());
    model.fix(&|_| true);
    model.forget_layout();
    // What opened may still not fit into a canonical file; it must not panic.
    let again = model.write();
    drop(model);
    if let Ok(again) = again {
        Model::read(&again.mdl, Some(&again.mdx), &Limits::default().with_ratio(8))?;
    }
    Ok(())
}

fn trials(
    kind: &str,
    game: Game,
    platform: Platform,
    target: &str,
    each: &dyn Fn(&Trial<'_>) -> Tally,
) -> Tally {
    let Pair { mdl, mdx } = model(kind, game, platform).write().unwrap();
    let name = format!("{kind} {target}");
    let of_mdl = Trial { name: &name, bytes: &mdl, read: &|bytes| work(bytes, &mdx) };
    assert!(of_mdl.run(&mdl, &|| "as it is".into()));
    let tally = each(&of_mdl);
    if mdx.is_empty() {
        return tally;
    }
    tally + each(&Trial { name: &name, bytes: &mdx, read: &|bytes| work(&mdl, bytes) })
}

#[test]
fn every_cut_is_refused_or_opens_whole() {
    for kind in KINDS {
        let tally = trials(kind, Game::K1, Platform::Pc, "k1pc", &|t| t.cuts());
        assert!(tally.tried > 300, "{kind}");
    }
    trials("skin", Game::K2, Platform::Xbox, "k2xbox", &|t| t.cuts());
}

#[test]
fn every_flipped_byte_is_survived() {
    for kind in KINDS.into_iter().filter(|k| *k != "lightsaber") {
        trials(kind, Game::K1, Platform::Pc, "k1pc", &|t| t.flips());
    }
    trials("skin", Game::K2, Platform::Xbox, "k2xbox", &|t| t.flips());
}

#[test]
fn wild_counts_and_offsets_are_survived() {
    for kind in KINDS {
        for (game, platform, target) in TARGETS {
            // Blades are long, and nearly all numbers.
            let step = if kind == "lightsaber" { 52 } else { 4 };
            trials(kind, game, platform, target, &|t| t.words((0..t.bytes.len()).step_by(step)));
        }
    }
}

#[test]
fn random_damage_is_survived() {
    for (seed, kind) in KINDS.into_iter().enumerate() {
        for (game, platform, target) in TARGETS {
            trials(kind, game, platform, target, &|t| t.mutations(seed as u64 + 11, 800));
        }
    }
}

/// Offset of a node in the file, and of one of its fields.
fn field(model: &Model, node: usize, at: usize) -> usize {
    12 + model.nodes[node].layout.header.at as usize + at
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn read(pair: &Pair) -> Model {
    Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap()
}

#[test]
fn a_circle_of_nodes_is_refused_with_its_place() {
    let mut pair = model("dummy", Game::K1, Platform::Pc).write().unwrap();
    let good = read(&pair);
    let root = good.nodes[0].layout.header.at;
    // The child gets the root as its child.
    let list = good.nodes[0].layout.children.at as usize + 12;
    put(&mut pair.mdl, field(&good, 1, 44), list as u32 - 12);
    put(&mut pair.mdl, field(&good, 1, 48), 1);
    put(&mut pair.mdl, field(&good, 1, 52), 1);
    put(&mut pair.mdl, list, root);
    let error = Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("circle"), "{error}");
}

/// 60 levels, each naming the next one twice: 2^60 paths.
#[test]
fn a_billion_laughs_graph_is_refused() {
    let mut deep = Model::new("laughs");
    for parent in 0..60u32 {
        let node = galatea_kotor::mdl::Node { parent: Some(parent), ..Default::default() };
        deep.nodes[parent as usize].children.push(parent + 1);
        deep.nodes.push(node);
    }
    let mut pair = deep.write().unwrap();
    let good = read(&pair);
    let lists = pair.mdl.len() as u32 - 12;
    for id in 0..60 {
        let child = good.nodes[id + 1].layout.header.at.to_le_bytes();
        put(&mut pair.mdl, field(&good, id, 44), lists + id as u32 * 8);
        put(&mut pair.mdl, field(&good, id, 48), 2);
        put(&mut pair.mdl, field(&good, id, 52), 2);
        pair.mdl.extend(child.into_iter().chain(child));
    }
    let trial = Trial { name: "laughs", bytes: &pair.mdl, read: &|bytes| work(bytes, &[]) };
    assert!(!trial.run(&pair.mdl, &|| "billion laughs".into()));
}

#[test]
fn a_million_deep_tree_is_refused_by_its_depth() {
    let mut deep = Model::new("deep");
    for parent in 0..1_000_000u32 {
        let node = galatea_kotor::mdl::Node { parent: Some(parent), ..Default::default() };
        deep.nodes[parent as usize].children.push(parent + 1);
        deep.nodes.push(node);
    }
    let pair = deep.write().unwrap();
    drop(deep);
    let trial = Trial { name: "deep", bytes: &pair.mdl, read: &|bytes| work(bytes, &[]) };
    assert!(!trial.run(&pair.mdl, &|| "a million deep".into()));
}

#[test]
fn a_hundred_thousand_equal_names_are_fine() {
    let mut many = Model::new("names");
    many.names.extend((0..100_000).map(|_| Name(b"twin".to_vec())));
    let pair = many.write().unwrap();
    let trial = Trial { name: "names", bytes: &pair.mdl, read: &|bytes| work(bytes, &[]) };
    assert!(trial.run(&pair.mdl, &|| "1e5 equal names".into()));
    // And all offsets leading to one string.
    let good = read(&pair);
    let mut shared = pair.mdl.clone();
    let list = good.layout.name_offsets.at as usize + 12;
    for i in 0..100_001 {
        put(&mut shared, list + 4 * i, good.layout.names[1]);
    }
    assert!(trial.run(&shared, &|| "1e5 offsets to one name".into()));
    assert!(read(&Pair { mdl: shared, mdx: Vec::new() }).layout.overlaps);
}

/// Many meshes that all claim the same large arrays must not be decoded many times.
#[test]
fn shared_arrays_cannot_be_made_into_a_bomb() {
    let mut many = Model::new("bomb");
    let mut mesh = mdl_fixtures::square(Platform::Pc);
    mesh.vertices = Default::default();
    mesh.vertices.positions = vec![[1.0; 3]; 60_000];
    for i in 0..200 {
        let mut mesh = mesh.clone();
        if i > 0 {
            mesh.vertices.positions.truncate(1);
        }
        let node = galatea_kotor::mdl::Node { mesh: Some(Box::new(mesh)), ..Default::default() };
        many.add_node(Some(0), b"m", node);
    }
    let mut pair = many.write().unwrap();
    let good = read(&pair);
    let first = good.nodes[1].mesh.as_deref().unwrap();
    for id in 2..good.nodes.len() {
        let at = field(&good, id, 80);
        pair.mdl[at + 304..at + 306].copy_from_slice(&60_000u16.to_le_bytes());
        put(&mut pair.mdl, at + 324, first.layout.rows.at);
        put(&mut pair.mdl, at + 328, first.layout.mdl_positions.at);
    }
    let mdx = pair.mdx.clone();
    let trial = Trial { name: "bomb", bytes: &pair.mdl, read: &|bytes| work(bytes, &mdx) };
    assert!(!trial.run(&pair.mdl, &|| "200 meshes on one array".into()));
}
