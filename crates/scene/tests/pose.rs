//! Billboards, animated properties, and sampling of channels.
#![cfg(test)]

use galatea_scene::{
    Billboard, Channel, Clip, Extras, Interpolation, Material, Mesh, Node, Pose, Primitive, Property, Scene,
    Target, Topology, Vertices, example,
};
use glam::{Quat, Vec3};

const QUARTER: f32 = std::f32::consts::FRAC_PI_2;

fn near(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().max_element() < 1e-5
}

/// Where the axes X, Y and Z of a billboard point for a camera, and those of its child.
fn faced(billboard: Billboard, camera: Quat) -> [Vec3; 3] {
    let mut scene = Scene::new("x");
    let board = scene.add_node(None, Node { billboard: Some(billboard), ..Node::new("board") });
    let below = scene.add_node(Some(board), Node::new("below"));
    let mut pose = Pose::rest(&scene);
    pose.face(&scene, camera.to_array());
    let axes = |id| Vec3::AXES.map(|axis| pose.world_of(id).transform_vector3(axis));
    assert_eq!(axes(board), axes(below), "children turn with it");
    axes(board)
}

#[test]
fn billboards_about_one_axis_keep_that_axis() {
    // A camera looks along its negative Z axis, so it sits where its Z axis points: at X, at Y and at Y.
    let right = Quat::from_rotation_y(QUARTER);
    let above = Quat::from_rotation_x(-QUARTER);
    let [_, up, back] = faced(Billboard::AboutY, right);
    assert!(near(up, Vec3::Y) && near(back, Vec3::X), "{up} {back}");
    let [side, _, back] = faced(Billboard::AboutX, above);
    assert!(near(side, Vec3::X) && near(back, Vec3::Y), "{side} {back}");
    // With Z up, the front is X.
    let [front, _, up] = faced(Billboard::AboutZ, above);
    assert!(near(front, Vec3::Y) && near(up, Vec3::Z), "{front} {up}");
    assert_eq!(faced(Billboard::AboutY, above), Vec3::AXES, "a camera on the axis gives no direction");
}

#[test]
fn the_front_of_a_model_faces_the_camera() {
    for (front, facing) in
        [([1.0, 0.0, 0.0], Vec3::X), ([0.0, 0.0, -1.0], Vec3::NEG_Z), ([0.0, 1.0, 0.0], Vec3::Z)]
    {
        let mut scene = Scene::new("x");
        let axes = scene.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
        scene.set_front(front);
        let board =
            scene.add_node(Some(axes), Node { billboard: Some(Billboard::Full), ..Node::new("board") });
        let mut pose = Pose::rest(&scene);
        pose.face(&scene, [0.0, 0.0, 0.0, 1.0]);
        // A front that points up has no direction to turn by: then Z stays.
        let world = pose.world_of(board);
        assert!(near(world.transform_vector3(facing), Vec3::Z), "{front:?}: {world}");
    }
}

fn held(target: Target, property: Property, value: &[f32]) -> Channel {
    Channel {
        target,
        property,
        interpolation: Interpolation::Step,
        times: vec![0.0],
        values: value.to_vec(),
        extras: Extras::new(),
    }
}

#[test]
fn a_clip_moves_every_property_of_nodes_and_materials() {
    let mut scene = Scene::new("x");
    let node = scene.add_node(None, Node { tint: [0.1, 0.2, 0.3, 0.4], ..Node::new("a") });
    let seen = scene.add_node(None, Node { visible: false, ..Node::new("b") });
    scene.materials.push(Material::default());
    let channels = vec![
        held(Target::Node(node), Property::Scale, &[1.0, 2.0, 3.0]),
        held(Target::Node(node), Property::Translation, &[4.0, 5.0, 6.0]),
        held(Target::Node(node), Property::Color, &[0.5, 0.6, 0.7]),
        held(Target::Node(node), Property::Visibility, &[0.0]),
        held(Target::Node(seen), Property::Visibility, &[1.0]),
        held(Target::Node(seen), Property::Alpha, &[0.25]),
        held(Target::Node(seen), Property::Scale, &[9.0]),
        held(Target::Material(0), Property::Color, &[0.1, 0.2, 0.3]),
        held(Target::Material(0), Property::Alpha, &[0.5]),
        held(Target::Material(0), Property::Emissive, &[2.0, 1.0, 0.0]),
        held(Target::Material(0), Property::UvRotation, &[1.0]),
        held(Target::Material(7), Property::Alpha, &[0.5]),
        held(Target::Node(7), Property::Alpha, &[0.5]),
        held(Target::Light(0), Property::Intensity, &[0.5]),
    ];
    let pose = Pose::at(&scene, &Clip { channels, ..Clip::default() }, 1.0);
    let (a, b) = (node as usize, seen as usize);
    assert_eq!((pose.local[a].scale, pose.local[a].translation), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]));
    assert_eq!((pose.tint[a], pose.visible[a]), ([0.5, 0.6, 0.7, 0.4], false));
    assert_eq!((pose.tint[b], pose.visible[b]), ([1.0, 1.0, 1.0, 0.25], true));
    assert_eq!(pose.local[b].scale, [1.0; 3], "a scale of one number is none");
    assert_eq!((pose.base_color[0], pose.emissive[0]), ([0.1, 0.2, 0.3, 0.5], [2.0, 1.0, 0.0]));
}

#[test]
fn points_without_indices_count_for_bounds() {
    let mut scene = Scene::new("x");
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]];
    scene.vertices.push(Vertices { positions, ..Vertices::default() });
    let primitive = Primitive { topology: Topology::Points, ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("x") });
    let bounds = Pose::rest(&scene).bounds(&scene).unwrap();
    assert_eq!((bounds.min, bounds.max), ([0.0; 3], [1.0, 2.0, 3.0]));
    let missing = Primitive { vertices: 9, ..Primitive::default() };
    assert!(Pose::rest(&scene).deform(&scene, 0, &missing).positions.is_empty());
}

#[test]
fn rotations_without_length_count_as_none() {
    let values = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0];
    let turn = Channel::node(0, Property::Rotation, Interpolation::Linear, vec![0.0, 1.0], values);
    assert_eq!(turn.sample(0.5).unwrap(), [0.0, 0.0, 0.0, 1.0]);
    let cubic = Channel {
        interpolation: Interpolation::Cubic,
        // Half a turn about Z, from key to key, with tangents of 0.
        values: [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [0.0, 0.0, 1.0, 0.0], [0.0; 4]].concat(),
        ..turn
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let middle = cubic.sample(0.5).unwrap();
    assert!(near(Vec3::new(middle[0], middle[2], middle[3]), Vec3::new(0.0, half, half)), "{middle:?}");
}

#[test]
fn cubic_channels_get_keys_until_lines_are_close_enough() {
    // An ease from 0 to 4, flat at both ends: 4 (3 t² - 2 t³).
    let values = vec![0.0, 0.0, 0.0, 0.0, 4.0, 0.0];
    let ease = Channel::node(0, Property::Alpha, Interpolation::Cubic, vec![0.0, 1.0], values);
    let straight = ease.straight(1e-3);
    assert_eq!((straight.interpolation, straight.width()), (Interpolation::Linear, 1));
    assert!((3..=65).contains(&straight.times.len()), "{:?}", straight.times);
    for step in 0..=20u8 {
        let t = f32::from(step) / 20.0;
        let exact = 4.0 * (3.0 * t * t - 2.0 * t * t * t);
        assert!((straight.sample(t).unwrap()[0] - exact).abs() < 0.01, "{t}");
    }
    assert_eq!(straight.straight(1e-6), straight, "what is linear stays");
    let coarse = ease.straight(1.0);
    assert_eq!((coarse.times, coarse.values), (vec![0.0, 1.0], vec![0.0, 4.0]));
}

#[test]
fn many_nodes_with_one_mesh_are_too_many_copies() {
    let mut scene = example();
    scene.check_copies().unwrap();
    let mesh = scene.drawn().next().unwrap().1.mesh;
    scene.nodes.resize(500_000, Node { mesh, ..Node::new("copy") });
    let error = scene.check_copies().unwrap_err();
    assert!(error.with_copies > error.most && error.most > 0);
    let message = format!(
        "nodes share meshes: with a copy for each there would be {} vertices and corners, limit {}",
        error.with_copies, error.most
    );
    assert_eq!(error.to_string(), message);
}
