//! Documents: fixtures of every kind as (bytes, value) pairs run both ways, and what edits change.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;

use std::path::PathBuf;

use galatea_kotor::mdl::{Controller, Game, Interpolation, Model, Node, NodeKind, Pair, Platform, inspect};
use galatea_wire::{Inspector, Limits, Text};
use mdl_fixtures::{KINDS, TARGETS, model};

fn read(pair: &Pair) -> Model {
    Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap()
}

fn file(kind: &str, target: &str, ending: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mdl_fixtures/files");
    dir.join(format!("{kind}.{target}.{ending}"))
}

/// The stored bytes of a fixture; one without meshes has no MDX. `GALATEA_BLESS=1` writes them anew.
fn stored(kind: &str, target: &str, fresh: &Pair) -> Pair {
    let (mdl, mdx) = (file(kind, target, "mdl"), file(kind, target, "mdx"));
    if std::env::var_os("GALATEA_BLESS").is_some() {
        std::fs::write(&mdl, &fresh.mdl).unwrap();
        let _ = std::fs::remove_file(&mdx);
        if !fresh.mdx.is_empty() {
            std::fs::write(&mdx, &fresh.mdx).unwrap();
        }
    }
    Pair { mdl: std::fs::read(mdl).unwrap(), mdx: std::fs::read(mdx).unwrap_or_default() }
}

#[test]
fn every_kind_game_and_platform_reads_and_writes() {
    for kind in KINDS {
        for (game, platform, target) in TARGETS {
            let value = model(kind, game, platform);
            let written = value.write().unwrap();
            let bytes = stored(kind, target, &written);
            assert!(written == bytes, "{kind} {target}: written differently");
            let back = read(&bytes);
            assert_eq!(value.differences(&back), [""; 0], "{kind} {target}");
            assert!(back.write().unwrap() == bytes, "{kind} {target}: read and written differently");
        }
    }
}

#[test]
fn a_byte_of_the_mdx_is_named_by_mesh_row_and_column() {
    // The byte of a column (0 positions, 1 normals, 3 texture coordinates, 11 weights) in a row of the first mesh.
    let at = |kind: &str, platform: Platform, row: u32, column: usize, byte: u32| {
        let pair = model(kind, Game::K1, platform).write().unwrap();
        let seen = inspect(&pair.mdl, Some(&pair.mdx), &Limits::default());
        let back = read(&pair);
        let mesh = back.nodes.iter().find_map(|n| n.mesh.as_deref()).unwrap();
        let rows = &mesh.layout.rows;
        let offset = rows.at + row * rows.stride + rows.offsets[column] as u32 + byte;
        let found = Inspector::new(&pair.mdx, &seen.mdx).at(offset as usize).unwrap();
        assert!(!found.doc.is_empty());
        (found.path, found.value)
    };
    let named = |path: &str, value: &str| (path.to_owned(), value.to_owned());
    assert_eq!(at("trimesh", Platform::Pc, 2, 0, 5), named("nodes[1] > rows[2].positions[1]", "1.0"));
    assert_eq!(at("trimesh", Platform::Pc, 1, 1, 8), named("nodes[1] > rows[1].normals[2]", "1.0"));
    assert_eq!(at("trimesh", Platform::Pc, 3, 3, 7), named("nodes[1] > rows[3].uvs[0][1]", "1.0"));
    assert_eq!(at("trimesh", Platform::Pc, 4, 0, 0), named("nodes[1] > last row.positions[0]", "10000000.0"));
    assert_eq!(at("trimesh", Platform::Xbox, 0, 1, 3), named("nodes[1] > rows[0].normals", "2143289344"));
    let (path, _) = at("skin", Platform::Pc, 0, 11, 4);
    assert!(path.ends_with("> rows[0].weights[1]"), "{path}");
}

#[test]
fn every_byte_of_the_fixtures_is_claimed() {
    for kind in KINDS {
        for (game, platform, target) in TARGETS {
            let pair = model(kind, game, platform).write().unwrap();
            let seen = inspect(&pair.mdl, Some(&pair.mdx), &Limits::default());
            assert!(seen.error.is_none());
            assert_eq!(seen.mdl.gaps(pair.mdl.len()), [], "{kind} {target}");
            assert_eq!(seen.mdx.gaps(pair.mdx.len()), [], "{kind} {target}");
            assert!(seen.mdl.overlaps(1).is_empty(), "{kind} {target}");
        }
    }
}

#[test]
fn kinds_are_what_the_fixtures_say() {
    let kinds = [
        NodeKind::Dummy,
        NodeKind::Light,
        NodeKind::Emitter,
        NodeKind::Camera,
        NodeKind::Reference,
        NodeKind::Trimesh,
        NodeKind::Skin,
        NodeKind::AnimMesh,
        NodeKind::Danglymesh,
        NodeKind::Aabb,
        NodeKind::Lightsaber,
        NodeKind::Trimesh,
    ];
    for (kind, want) in KINDS.into_iter().zip(kinds) {
        let model = model(kind, Game::K1, Platform::Pc);
        assert_eq!(model.nodes.last().unwrap().kind(), want);
    }
}

/// Header sizes that the format fixes, counted in bytes of the file.
#[test]
fn record_sizes_follow_game_and_platform() {
    let size = |kind: &str, game, platform| {
        let model = read(&model(kind, game, platform).write().unwrap());
        model.nodes.last().unwrap().layout.header.count
    };
    for (kind, [k1, k2, k1_xbox, k2_xbox]) in [
        ("dummy", [80; 4]),
        ("light", [172; 4]),
        ("emitter", [304; 4]),
        ("reference", [116; 4]),
        ("trimesh", [412, 420, 408, 416]),
        ("skin", [512, 520, 508, 516]),
        ("animmesh", [468, 476, 464, 472]),
        ("danglymesh", [440, 448, 436, 444]),
        ("aabb", [416, 424, 412, 420]),
        ("lightsaber", [432, 440, 428, 436]),
    ] {
        assert_eq!(size(kind, Game::K1, Platform::Pc), k1, "{kind}");
        assert_eq!(size(kind, Game::K2, Platform::Pc), k2, "{kind}");
        assert_eq!(size(kind, Game::K1, Platform::Xbox), k1_xbox, "{kind}");
        assert_eq!(size(kind, Game::K2, Platform::Xbox), k2_xbox, "{kind}");
    }
}

#[test]
fn a_model_without_its_mdx_opens_and_is_written_back() {
    let pair = model("trimesh", Game::K1, Platform::Pc).write().unwrap();
    for mdx in [None, Some(&[][..])] {
        let model = Model::read(&pair.mdl, mdx, &Limits::default()).unwrap();
        let mesh = model.nodes[1].mesh.as_deref().unwrap();
        assert_eq!(mesh.vertices.positions.len(), 4, "positions come from the MDL");
        assert!(mesh.vertices.normals.is_empty() && model.layout.mdx.missing);
        let back = model.write().unwrap();
        assert!(back.mdl == pair.mdl && back.mdx.is_empty());
    }
}

#[test]
fn one_texture_name_changes_exactly_its_bytes() {
    let pair = model("trimesh", Game::K1, Platform::Pc).write().unwrap();
    let mut changed = read(&pair);
    changed.nodes[1].mesh.as_deref_mut().unwrap().texture = Text::new(b"fix_wall02").unwrap();
    let back = changed.write().unwrap();
    let differ: Vec<usize> = (0..pair.mdl.len()).filter(|i| pair.mdl[*i] != back.mdl[*i]).collect();
    let at = 12 + read(&pair).nodes[1].layout.header.at as usize + 80 + 88;
    assert_eq!(differ, [at + 9]);
    assert!(back.mdx == pair.mdx && back.mdl.len() == pair.mdl.len());
}

#[test]
fn an_edit_moves_what_follows_and_changes_nothing_else() {
    let pair = model("animated", Game::K1, Platform::Pc).write().unwrap();
    let mut edited = read(&pair);
    let event = edited.animations[0].events[0];
    edited.animations[0].events.push(event);
    let back = edited.write().unwrap();
    assert_eq!(back.mdl.len(), pair.mdl.len() + 36);
    let again = read(&back);
    assert_eq!(edited.differences(&again), [""; 0]);
    // Taking it back gives the first file again.
    let mut undone = again;
    undone.animations[0].events.pop();
    assert!(undone.write().unwrap() == pair);
}

#[test]
fn a_changed_mesh_keeps_the_other_meshes_rows() {
    let mut two = model("trimesh", Game::K1, Platform::Pc);
    let second = two.nodes[1].clone();
    two.add_node(Some(0), b"second", second);
    let pair = two.write().unwrap();
    let mut edited = read(&pair);
    let mesh = edited.nodes[1].mesh.as_deref_mut().unwrap();
    mesh.vertices.tangents[0].clear();
    let back = edited.write().unwrap();
    assert!(back.mdx.len() < pair.mdx.len());
    let again = read(&back);
    assert_eq!(edited.differences(&again), [""; 0]);
    let rows = |pair: &Pair, model: &Model| {
        let rows = &model.nodes[2].mesh.as_deref().unwrap().layout.rows;
        pair.mdx[rows.at as usize..][..rows.count as usize * rows.stride as usize].to_vec()
    };
    assert_eq!(rows(&pair, &read(&pair)), rows(&back, &again));
}

#[test]
fn a_copied_node_gets_a_place_of_its_own() {
    let pair = model("trimesh", Game::K1, Platform::Pc).write().unwrap();
    let mut edited = read(&pair);
    let copy = edited.nodes[1].clone();
    edited.add_node(Some(0), b"copy", copy);
    let again = read(&edited.write().unwrap());
    assert_eq!(edited.differences(&again), [""; 0]);
}

/// A root with four children; the blocks of the second and the third are of the same lengths.
fn four_children() -> Model {
    let mut model = model("dummy", Game::K1, Platform::Pc);
    for (name, position) in [(b"b", 1.0), (b"c", 2.0), (b"d", 3.0)] {
        let mut node = Node { position: [position; 3], ..Node::default() };
        let keys = if name == b"d" { 9 } else { 1 };
        let (times, values) = (vec![0.5; keys], vec![position; keys * 3]);
        node.controllers.push(8, 0xFFFF, Interpolation::Linear, 3, &times, &values).unwrap();
        model.add_node(Some(0), name, node);
    }
    read(&model.write().unwrap())
}

#[test]
fn changed_places_are_noticed() {
    let fresh = four_children();
    type Edit = fn(&mut Model);
    let edits: [(&str, Edit); 8] = [
        ("a header elsewhere", |m| m.nodes[2].layout.header.at += 4),
        ("a header where another is", |m| m.nodes[2].layout.header = m.nodes[3].layout.header),
        ("numbers where others are", |m| m.nodes[2].layout.data = m.nodes[3].layout.data),
        ("a list of controllers nowhere", |m| m.nodes[2].layout.controllers.at = u32::MAX),
        ("children elsewhere", |m| m.nodes[0].layout.children.at -= 1),
        ("a layout of another node", |m| m.nodes[2].layout = m.nodes[4].layout.clone()),
        ("a longer name", |m| m.names[2].0.push(b'x')),
        ("more numbers", |m| m.nodes[3].controllers.data_mut().push(7.0)),
    ];
    for (what, edit) in edits {
        let mut edited = fresh.clone();
        edit(&mut edited);
        let again = read(&edited.write().unwrap());
        assert_eq!(edited.differences(&again), [""; 0], "{what}");
    }
}

#[test]
fn nodes_that_change_places_are_written_there() {
    let fresh = four_children();
    let mut swapped = fresh.clone();
    let layout = swapped.nodes[2].layout.clone();
    swapped.nodes[2].layout = std::mem::replace(&mut swapped.nodes[3].layout, layout);
    let pair = swapped.write().unwrap();
    assert_eq!(pair.mdl.len(), fresh.write().unwrap().mdl.len());
    assert_eq!(swapped.differences(&read(&pair)), [""; 0]);
    let mut turned = fresh.clone();
    turned.nodes[0].children.reverse();
    let mut again = read(&turned.write().unwrap());
    let names = |m: &Model| m.nodes[0].children.iter().map(|c| m.nodes[*c as usize].name).collect::<Vec<_>>();
    assert_eq!(names(&again), names(&turned));
    again.nodes[0].children.reverse();
    again.sort_nodes().unwrap();
    assert_eq!(again.differences(&fresh), [""; 0]);
}

#[test]
fn controllers_come_back_however_many_there_are() {
    for (controllers, numbers) in [(0, 0), (0, 1), (1, 0), (1, 12), (2, 12), (2, 13), (3, 12), (7, 200)] {
        let mut written = model("dummy", Game::K1, Platform::Pc);
        for node in &mut written.nodes {
            let one = Controller { kind: 8, rows: 1, columns: 3, ..Controller::default() };
            *node.controllers.list_mut() = (0..controllers).map(|i| Controller { kind: i, ..one }).collect();
            *node.controllers.data_mut() = (0..numbers).map(|i| i as f32 + 0.5).collect();
        }
        let pair = written.write().unwrap();
        let mut back = read(&pair);
        assert_eq!(written.differences(&back), [""; 0]);
        assert!(back.write().unwrap() == pair);
        // What was read together is changed alone.
        let before = back.clone();
        back.nodes[0].controllers.data_mut().push(9.0);
        assert_eq!(back.nodes[0].controllers.data().len(), numbers + 1);
        assert_eq!(back.nodes[0].controllers.list(), written.nodes[0].controllers.list());
        assert_eq!(back.nodes[1].controllers.data(), before.nodes[1].controllers.data());
        back.nodes[0].controllers.data_mut().pop();
        assert!(back.write().unwrap() == pair);
    }
}

#[test]
fn doubled_and_unused_controller_data_survive() {
    let pair = model("animated", Game::K2, Platform::Pc).write().unwrap();
    let back = read(&pair);
    let [root, node] = &back.animations[0].nodes[..] else { panic!() };
    assert_eq!(root.controllers.data()[..], [1.0, 2.0, 3.0, 4.0]);
    assert!(root.controllers.list().is_empty());
    assert_eq!(node.controllers.list().iter().filter(|c| c.kind == 36).count(), 2);
    assert_eq!(node.controllers.get(20).unwrap().values[1].to_bits(), 0x1234_5678);
    assert_eq!(node.controllers.get(8).unwrap().values.len(), 18);
}

#[test]
fn too_many_vertices_are_refused() {
    let mut big = model("trimesh", Game::K1, Platform::Pc);
    let mesh = big.nodes[1].mesh.as_deref_mut().unwrap();
    mesh.vertices = Default::default();
    mesh.vertices.positions = vec![[0.0; 3]; 70_000];
    assert!(big.write().unwrap_err().to_string().contains("65,535"));
}

#[test]
fn columns_of_different_length_are_refused() {
    let mut uneven = model("trimesh", Game::K1, Platform::Pc);
    uneven.nodes[1].mesh.as_deref_mut().unwrap().vertices.normals.pop();
    assert!(uneven.write().unwrap_err().to_string().contains("normals has 3 entries"));
}

#[test]
fn a_broken_tree_is_refused_when_writing() {
    let mut circle = model("dummy", Game::K1, Platform::Pc);
    circle.nodes[1].children.push(0);
    assert!(circle.write().is_err());
    let mut lost = model("dummy", Game::K1, Platform::Pc);
    lost.nodes[0].children.clear();
    assert!(lost.write().is_err());
}

#[test]
fn a_million_deep_model_is_written_cloned_and_dropped() {
    let mut deep = Model::new("deep");
    for parent in 0..1_000_000u32 {
        let node = galatea_kotor::mdl::Node { parent: Some(parent), ..Default::default() };
        deep.nodes[parent as usize].children.push(parent + 1);
        deep.nodes.push(node);
    }
    let pair = deep.write().unwrap();
    assert_eq!(pair.mdl.len(), 12 + 196 + 4 + 5 + 1_000_001 * 80 + 1_000_000 * 4);
    let error = Model::read(&pair.mdl, None, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("depth"), "{error}");
    let all = Limits::default().with_depth(u32::MAX);
    let back = Model::read(&pair.mdl, None, &all).unwrap();
    assert_eq!(back.nodes.len(), 1_000_001);
    assert_eq!(deep.clone().sort_nodes().unwrap().len(), 1_000_001);
}
