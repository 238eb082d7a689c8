//! A model of every kind of node, game and platform through a GLB and back.
#![cfg(test)]

mod mdl_fixtures;

use galatea_gltf::{Options, read, write_glb};
use galatea_kotor::mdl::{Animation, Game, Interpolation, Model, Node, Platform};
use galatea_scene::LightKind;
use galatea_wire::Limits;
use mdl_fixtures::{KINDS, TARGETS, model};

#[test]
fn every_kind_of_node_comes_back_without_a_difference() {
    for kind in KINDS {
        for (game, platform) in TARGETS.map(|(game, platform, _)| (game, platform)) {
            let model = model(kind, game, platform);
            let glb = write_glb(&model.to_scene(), &Options::default()).unwrap();
            let loaded = read(&glb, &Limits::default(), &mut |_| None).unwrap();
            let (back, losses) = Model::from_scene(&loaded.scene, &Default::default()).unwrap();
            let differences = model.differences(&back);
            assert!(
                differences.is_empty() && losses.is_empty(),
                "{kind} {game:?} {platform:?}: {differences:#?} {losses:?}"
            );
        }
    }
}

#[test]
fn a_light_has_the_color_and_the_radius_of_its_controllers() {
    let scene = model("light", Game::K1, Platform::Pc).to_scene();
    let light = &scene.lights[0];
    assert_eq!((light.kind, light.color, light.range), (LightKind::Point, [1.0, 0.75, 0.5], Some(7.5)));
    let node = scene.node(scene.find("lamp").unwrap()).unwrap();
    assert_eq!(node.light, Some(0));
}

#[test]
fn controllers_of_unusual_width_come_back_from_a_glb() {
    let mut model = Model::new("box");
    let mut node = Node::default();
    for (kind, values) in [(8, [0.5, 2.0].as_slice()), (36, &[1.0, 3.0]), (20, &[0.25, 0.5, 0.75])] {
        let width = values.len();
        node.controllers.push(kind, 0xFFFF, Interpolation::Linear, width, &[0.0], values).unwrap();
    }
    let animation = Animation { length: 1.0, nodes: vec![node], ..Animation::default() };
    model.animations.push(animation);
    let glb = write_glb(&model.to_scene(), &Options::default()).unwrap();
    let loaded = read(&glb, &Limits::default(), &mut |_| None).unwrap();
    let (back, losses) = Model::from_scene(&loaded.scene, &Default::default()).unwrap();
    assert_eq!((model.differences(&back), losses), (Vec::new(), Vec::new()));
    assert_eq!(back.animations[0].nodes[0].controllers.tracks().count(), 3);
}
