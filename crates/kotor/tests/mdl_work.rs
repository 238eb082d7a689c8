//! Work on models: conversions, chains, blades, walkable shapes and poses.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;

use galatea_kotor::mdl::{Game, Interpolation, Model, Node, NodeKind, Platform};
use galatea_wire::Limits;
use mdl_fixtures::{KINDS, TARGETS, model, text};

fn again(model: &Model) -> Model {
    let pair = model.write().unwrap();
    Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap()
}

#[test]
fn every_conversion_is_written_and_comes_back() {
    for kind in KINDS {
        for (game, platform, from) in TARGETS {
            // Models from a file, with its layout, and fresh ones.
            for start in [model(kind, game, platform), again(&model(kind, game, platform))] {
                for (to_game, to_platform, to) in TARGETS {
                    let mut converted = start.clone();
                    let losses = converted.convert(to_game, to_platform);
                    assert!(losses.is_empty(), "{kind} {from} to {to}: {losses:?}");
                    let read = again(&converted);
                    assert_eq!(converted.differences(&read), [""; 0], "{kind} {from} to {to}");
                    assert_eq!((read.game, read.platform), (to_game, to_platform));
                    let mut back = read;
                    assert!(back.convert(game, platform).is_empty());
                    assert_eq!(start.differences(&back), [""; 0], "{kind} {from} to {to} and back");
                }
            }
        }
    }
}

#[test]
fn converted_files_have_the_program_addresses_of_their_game() {
    let mut fresh = model("animated", Game::K2, Platform::Xbox);
    let expected = fresh.write().unwrap();
    for (game, platform, name) in TARGETS {
        let mut start = again(&model("animated", game, platform));
        start.convert(Game::K2, Platform::Xbox);
        start.forget_layout();
        assert!(start.write().unwrap() == expected, "{name}");
    }
    assert!(fresh.convert(Game::K2, Platform::Xbox).is_empty());
}

#[test]
fn losses_are_named() {
    let mut dirty = model("trimesh", Game::K2, Platform::Pc);
    let mesh = dirty.nodes[1].mesh.as_deref_mut().unwrap();
    mesh.dirt.as_mut().unwrap().enabled = 1;
    mesh.vertices.normals[0] = [0.6, 0.0, 0.8];
    let losses = dirty.convert(Game::K1, Platform::Xbox);
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert!(losses[0].path.contains("nodes[1] \"wall\"") && losses[0].what.contains("dirt"));
    assert!(losses[1].what.contains("1 normals") && !losses[1].visible);
}

#[test]
fn the_stock_chain_counts_change_with_the_game() {
    let mut head = Model::new("head");
    head.supermodel = text("S_Female03");
    head.node_count = 1 + 1 + 416;
    assert_eq!(head.convert(Game::K2, Platform::Pc).len(), 1);
    assert_eq!(head.node_count, 1 + 1 + 525);
}

#[test]
fn animations_are_found_through_the_chain_with_their_scale() {
    let mut base = model("animated", Game::K1, Platform::Pc);
    base.name = text("s_base");
    let mut middle = Model::new("s_middle");
    middle.supermodel = text("s_base");
    middle.animation_scale = 0.5;
    let mut child = Model::new("child");
    child.supermodel = text("S_Middle");
    child.animation_scale = 0.9;
    let all = [&base, &middle];
    let find = |name: &[u8]| all.iter().copied().find(|m| m.name.bytes().eq_ignore_ascii_case(name));
    let chain = child.chain(&find);
    assert_eq!(chain.len(), 2);
    let (owner, animation, factor) = child.animation_in(&chain, b"PAUSE1").unwrap();
    assert_eq!((owner.name, animation.name), (base.name, text("pause1")));
    assert!((factor - 0.45).abs() < 1e-6);
    assert!(child.animation_in(&chain, b"none").is_none());
    // A chain that bites its tail ends.
    let mut loops = base.clone();
    loops.supermodel = text("s_middle");
    let all = [&loops, &middle];
    let find = |name: &[u8]| all.iter().copied().find(|m| m.name.bytes().eq_ignore_ascii_case(name));
    assert_eq!(child.chain(&find).len(), 2);
}

#[test]
fn a_head_link_leads_to_the_neck() {
    let mut head = Model::new("head");
    assert!(!head.set_head_link(true));
    let neck = head.add_node(Some(0), b"Neck_g", Node::default());
    assert!(head.set_head_link(true));
    assert_eq!(again(&head).head, Some(neck));
    assert!(head.set_head_link(false));
    assert_eq!(again(&head).head, None);
}

#[test]
fn a_blade_becomes_a_mesh_and_a_blade_again() {
    let mut blade = model("lightsaber", Game::K1, Platform::Pc);
    // Inner groups repeat the inner edge, as in real blades.
    let saber = blade.nodes[1].mesh.as_deref_mut().unwrap().saber.as_deref_mut().unwrap();
    for i in 0..176 {
        let source = if i < 88 { i } else { i - 88 };
        let base = if i < 88 { 0 } else { 88 };
        let from = base + if source < 8 { source } else { source % 4 };
        saber.positions[i] = saber.positions[from];
        saber.uvs[i] = saber.uvs[from];
    }
    let positions = saber.positions.clone();
    blade.nodes[1].mesh.as_deref_mut().unwrap().vertices.positions = positions;
    let before = blade.clone();
    assert!(blade.saber_to_trimesh(1));
    assert_eq!(blade.nodes[1].kind(), NodeKind::Trimesh);
    let mesh = again(&blade);
    assert_eq!(blade.differences(&mesh), [""; 0]);
    assert_eq!(mesh.nodes[1].mesh.as_deref().unwrap().vertices.positions.len(), 16);
    assert!(blade.trimesh_to_saber(1));
    assert_eq!(blade.nodes[1].kind(), NodeKind::Lightsaber);
    let of = |m: &Model| m.nodes[1].mesh.as_deref().unwrap().saber.as_deref().unwrap().clone();
    assert_eq!(of(&before).positions, of(&blade).positions);
    assert_eq!(of(&before).uvs, of(&blade).uvs);
    assert_eq!(of(&before).inverted_counters, of(&blade).inverted_counters);
    assert_eq!(again(&blade).nodes[1].kind(), NodeKind::Lightsaber);
    assert!(!blade.trimesh_to_saber(1) && !blade.saber_to_trimesh(0));
}

#[test]
fn a_walkable_shape_goes_out_and_in_again() {
    let mut room = model("aabb", Game::K1, Platform::Pc);
    let walk = room.walkable().unwrap();
    assert_eq!(walk.vertices[0], [0.25, -0.5, 2.0], "in the coordinates of the model");
    assert_eq!((walk.faces.len(), walk.materials[0]), (2, 1));
    room.set_walkable(&walk);
    assert_eq!(room.walkable().unwrap(), walk);
    assert_eq!(again(&room).walkable().unwrap(), walk);
    let mut empty = Model::new("room");
    let id = empty.set_walkable(&walk);
    assert_eq!(empty.nodes[id as usize].kind(), NodeKind::Aabb);
    let back = again(&empty).walkable().unwrap();
    assert_eq!((back.vertices, back.materials), (walk.vertices, walk.materials));
    empty.node_count = 2;
    assert_eq!(empty.check().at_least(galatea_wire::Severity::Warning), 0, "{:?}", empty.check().findings());
}

#[test]
fn poses_follow_keys_relative_to_rest() {
    let mut m = model("animated", Game::K1, Platform::Pc);
    let node = &mut m.animations[0].nodes[1];
    node.controllers = Default::default();
    let c = &mut node.controllers;
    c.push(8, 16, Interpolation::Linear, 3, &[0.0, 2.0], &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]).unwrap();
    let half = 0.5f32.sqrt();
    c.push(20, 28, Interpolation::Linear, 4, &[0.0, 2.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half])
        .unwrap();
    let at = |time: f32| m.pose(Some(&m.animations[0]), time)[1];
    assert_eq!(at(0.0).position, [0.25, -0.5, 2.0]);
    assert_eq!(at(1.0).position, [2.25, -0.5, 2.0]);
    assert_eq!(at(9.0).position, [4.25, -0.5, 2.0], "held after the last key");
    let [w, _, _, z] = at(1.0).orientation;
    assert!((w - 22.5f32.to_radians().cos()).abs() < 1e-6 && (z - 22.5f32.to_radians().sin()).abs() < 1e-6);
    let scaled = m.pose_from(&m, Some(&m.animations[0]), 1.0, 0.5)[1];
    assert_eq!(scaled.position, [1.25, -0.5, 2.0]);
}

#[test]
fn bezier_keys_with_thirds_run_straight() {
    let mut m = model("animated", Game::K1, Platform::Pc);
    let c = &mut m.animations[0].nodes[1].controllers;
    *c = Default::default();
    let third = 1.0 / 3.0;
    let row = |x: f32, i: f32, o: f32| [x, 0.0, 0.0, i, 0.0, 0.0, o, 0.0, 0.0];
    let values = [row(0.0, 0.0, third), row(1.0, -third, 0.0)].concat();
    c.push(8, 16, Interpolation::Bezier, 3, &[0.0, 1.0], &values).unwrap();
    for time in [0.0f32, 0.25, 0.5, 1.0] {
        let [x, ..] = m.pose(Some(&m.animations[0]), time)[1].position;
        assert!((x - 0.25 - time).abs() < 1e-6, "{x} at {time}");
    }
}

#[test]
fn packed_orientations_play() {
    let m = model("animated", Game::K1, Platform::Pc);
    let pose = m.pose(Some(&m.animations[0]), 0.0);
    assert_eq!(pose[1].orientation, [1.0, 0.0, 0.0, 0.0]);
    let later = m.pose(Some(&m.animations[0]), 1.0)[1].orientation;
    let length: f32 = later.iter().map(|c| c * c).sum();
    assert!((length - 1.0).abs() < 1e-2 && later[0] < 1.0);
}

#[test]
fn a_skin_at_rest_stays_where_it_is() {
    let mut m = model("skin", Game::K1, Platform::Pc);
    m.derive_skins();
    let places = m.in_model(&m.pose(None, 0.0));
    let vertices = m.skinned(3, &places);
    for (moved, own) in vertices.iter().zip(&m.nodes[3].mesh.as_deref().unwrap().vertices.positions) {
        let want = [own[0] + 0.25, own[1] - 0.5, own[2] + 2.0];
        assert!((0..3).all(|i| (moved[i] - want[i]).abs() < 1e-5), "{moved:?} instead of {want:?}");
    }
}
