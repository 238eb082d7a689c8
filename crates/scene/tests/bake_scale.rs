//! `Scene::bake_scale` and `Scene::facing`: nodes without scale, with everything where it was.
#![cfg(test)]

use galatea_scene::{
    Channel, Clip, Influences, Interpolation, Mesh, Node, NodeId, Primitive, Property, Scene, Skin,
    Transform, Vertices,
};
use galatea_wire::Loss;

const STILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// A scene after baking, and the losses.
fn baked(scene: &Scene, rotation: [f32; 4], scale: f32) -> (Scene, Vec<Loss>) {
    let mut out = scene.clone();
    let losses = out.bake_scale(rotation, scale);
    (out, losses)
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

#[track_caller]
fn assert_near(a: &[f32], b: &[f32]) {
    assert!(near(a, b), "{a:?} is not {b:?}");
}

fn scaled(name: &str, scale: [f32; 3]) -> Node {
    Node { transform: Transform { scale, ..Transform::default() }, ..Node::new(name) }
}

fn placed(name: &str, translation: [f32; 3]) -> Node {
    Node { transform: Transform { translation, ..Transform::default() }, ..Node::new(name) }
}

/// Adds a mesh of one triangle with a corner on each axis.
fn add_triangle(scene: &mut Scene) -> u32 {
    let slope = 3f32.sqrt().recip();
    scene.vertices.push(Vertices {
        positions: vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        normals: vec![[slope; 3]; 3],
        tangents: vec![[1.0, 0.0, 0.0, 1.0]; 3],
        ..Vertices::default()
    });
    let vertices = scene.vertices.len() as u32 - 1;
    let primitive = Primitive { vertices, indices: vec![0, 1, 2], ..Primitive::default() };
    scene.meshes.push(Mesh { name: "triangle".into(), primitives: vec![primitive], ..Mesh::default() });
    scene.meshes.len() as u32 - 1
}

fn primitive_of(scene: &Scene, node: NodeId) -> &Primitive {
    &scene.meshes[scene.nodes[node as usize].mesh.unwrap() as usize].primitives[0]
}

fn vertices_of(scene: &Scene, node: NodeId) -> &Vertices {
    scene.vertices_of(primitive_of(scene, node)).unwrap()
}

/// The values of the only channel after baking, and the losses in words.
fn bake_channel(scene: &mut Scene, channel: Channel) -> (Channel, Vec<String>) {
    scene.clips = vec![Clip { channels: vec![channel], ..Clip::default() }];
    let (mut out, losses) = baked(scene, STILL, 1.0);
    (out.clips[0].channels.remove(0), losses.iter().map(ToString::to_string).collect())
}

#[test]
fn scale_goes_into_vertices_and_places() {
    let mut scene = Scene::new("x");
    let top = scene.add_node(None, scaled("top", [2.0, 3.0, 4.0]));
    let mesh = add_triangle(&mut scene);
    let child = scene.add_node(Some(top), Node { mesh: Some(mesh), ..placed("child", [1.0, 1.0, 1.0]) });
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses.is_empty());
    assert_near(&out.nodes[child as usize].transform.translation, &[2.0, 3.0, 4.0]);
    assert!(out.nodes.iter().all(|n| n.transform.scale == [1.0; 3]));
    let vertices = vertices_of(&out, child);
    assert_near(vertices.positions.as_flattened(), &[2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0]);
    // A normal stays at right angles to its surface: (1/2, 1/3, 1/4), of unit length.
    assert_near(&vertices.normals[0], &[0.768_221_3, 0.512_147_6, 0.384_110_7]);
    assert_eq!(vertices.tangents[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(primitive_of(&out, child).indices, [0, 1, 2]);
    // The old vertices stay; nothing else is copied.
    assert_eq!((out.vertices.len(), out.meshes.len()), (2, 2));
}

#[test]
fn mirrored_meshes_have_their_triangles_turned_round() {
    let mut scene = Scene::new("x");
    let mesh = add_triangle(&mut scene);
    let node = scene.add_node(None, Node { mesh: Some(mesh), ..scaled("mirror", [-1.0, 1.0, 1.0]) });
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses.is_empty());
    assert_near(&vertices_of(&out, node).positions[0], &[-1.0, 0.0, 0.0]);
    assert_eq!(primitive_of(&out, node).indices, [0, 2, 1]);
    assert_eq!(vertices_of(&out, node).tangents[0], [-1.0, 0.0, 0.0, -1.0]);
}

#[test]
fn roots_are_put_below_the_axes_of_the_format() {
    let mut scene = Scene::new("x");
    let root = scene.add_node(None, placed("root", [0.0, 2.0, 0.0]));
    // Z up, half a metre per unit.
    let (out, _) = baked(&scene, [-HALF, 0.0, 0.0, HALF], 0.5);
    let axes = out.axes().unwrap();
    assert_eq!((out.nodes[root as usize].parent, out.roots()), (Some(axes), vec![axes]));
    assert_eq!(out.nodes[axes as usize].children, [root]);
    assert_near(&out.nodes[root as usize].transform.translation, &[0.0, 0.0, 4.0]);
    // Y of the scene is Z of the format.
    assert_near(&out.nodes[root as usize].transform.rotation, &[HALF, 0.0, 0.0, HALF]);
}

#[test]
fn axes_of_another_format_are_replaced() {
    let mut scene = Scene::new("x");
    let axes = scene.add_axes([-HALF, 0.0, 0.0, HALF], 2.0);
    scene.set_front([0.0, 1.0, 0.0]);
    let child = scene.add_node(Some(axes), placed("child", [0.0, 0.0, 3.0]));
    let loose = scene.add_node(None, placed("loose", [1.0, 0.0, 0.0]));
    let (out, _) = baked(&scene, STILL, 1.0);
    let top = &out.nodes[axes as usize];
    assert!(top.axes && top.transform == Transform::default() && top.extras.is_empty());
    assert_eq!(top.children, [child, loose]);
    // Three units of two metres along Z, which is up.
    assert_near(&out.nodes[child as usize].transform.translation, &[0.0, 6.0, 0.0]);
    assert_near(&out.nodes[loose as usize].transform.translation, &[1.0, 0.0, 0.0]);
}

#[test]
fn nodes_of_one_scale_share_their_vertices() {
    let mut scene = Scene::new("x");
    let mesh = Some(add_triangle(&mut scene));
    for (name, scale) in [("a", 2.0), ("b", 2.0), ("c", 3.0), ("d", 1.0)] {
        scene.add_node(None, Node { mesh, ..scaled(name, [scale; 3]) });
    }
    let (out, _) = baked(&scene, STILL, 1.0);
    let of = |node| primitive_of(&out, node).vertices;
    assert_eq!(of(0), of(1));
    assert!(of(0) != of(2) && of(2) != of(3));
    assert_eq!(out.nodes[3].mesh, mesh);
    assert_eq!(vertices_of(&out, 2).positions[0], [3.0, 0.0, 0.0]);
}

#[test]
fn keys_of_places_follow_the_scale_above() {
    let mut scene = Scene::new("x");
    let top = scene.add_node(None, scaled("top", [2.0, 3.0, 4.0]));
    let child = scene.add_node(Some(top), Node::new("child"));
    let keys =
        Channel::node(child, Property::Translation, Interpolation::Linear, vec![0.0], vec![1.0, 1.0, 1.0]);
    let (baked, losses) = bake_channel(&mut scene, keys);
    assert_near(&baked.values, &[2.0, 3.0, 4.0]);
    assert!(losses.is_empty());
    // The keys of the scaled node itself are in a space that has not changed.
    let keys =
        Channel::node(top, Property::Translation, Interpolation::Linear, vec![0.0], vec![1.0, 1.0, 1.0]);
    assert_eq!(bake_channel(&mut scene, keys).0.values, [1.0, 1.0, 1.0]);
}

#[test]
fn tangents_of_cubic_keys_are_no_places() {
    let mut scene = Scene::new("x");
    let axes = scene.add_axes(STILL, 1.0);
    scene.nodes[axes as usize].transform.translation = [5.0, 0.0, 0.0];
    let child = scene.add_node(Some(axes), Node::new("child"));
    let values = vec![1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0];
    let keys = Channel::node(child, Property::Translation, Interpolation::Cubic, vec![0.0], values);
    assert_near(&bake_channel(&mut scene, keys).0.values, &[1.0, 0.0, 0.0, 7.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
}

#[test]
fn turning_below_a_mirror_is_turning_the_other_way() {
    let mut scene = Scene::new("x");
    let top = scene.add_node(None, scaled("top", [-1.0, 1.0, 1.0]));
    let child = scene.add_node(Some(top), Node::new("child"));
    let quarter = vec![0.0, 0.0, HALF, HALF];
    let keys = Channel::node(child, Property::Rotation, Interpolation::Linear, vec![0.0], quarter);
    let (baked, losses) = bake_channel(&mut scene, keys);
    assert!(losses.is_empty());
    let opposite: Vec<f32> = baked.values.iter().map(|v| -v).collect();
    let expected = [0.0, 0.0, -HALF, HALF];
    assert!(near(&baked.values, &expected) || near(&opposite, &expected), "{baked:?}");
}

#[test]
fn turning_below_an_uneven_scale_is_a_loss() {
    let mut scene = Scene::new("x");
    let top = scene.add_node(None, scaled("top", [1.0, 2.0, 1.0]));
    let child = scene.add_node(Some(top), Node::new("child"));
    let eighth = vec![0.0, 0.0, 0.382_683_43, 0.923_879_5];
    let keys = |node, values: &[f32]| {
        Channel::node(node, Property::Rotation, Interpolation::Linear, vec![0.0], values.to_vec())
    };
    let (_, losses) = bake_channel(&mut scene, keys(child, &eighth));
    assert_eq!(losses.len(), 1);
    assert!(losses[0].contains("child") && losses[0].contains("not the same along each axis"), "{losses:?}");
    // The scaled node itself turns as before, and an even scale bends nothing.
    let (baked, losses) = bake_channel(&mut scene, keys(top, &eighth));
    assert!(losses.is_empty());
    assert_eq!(baked.values, eighth);
    scene.nodes[top as usize].transform.scale = [2.0; 3];
    let (baked, losses) = bake_channel(&mut scene, keys(child, &eighth));
    assert!(losses.is_empty());
    assert_near(&baked.values, &eighth);
}

#[test]
fn keys_of_scale_are_relative_to_rest_and_even() {
    let mut scene = Scene::new("x");
    let node = scene.add_node(None, scaled("node", [2.0, 2.0, 2.0]));
    let keys = |values: &[f32]| {
        let times = (0..values.len() / 3).map(|t| t as f32).collect();
        Channel::node(node, Property::Scale, Interpolation::Linear, times, values.to_vec())
    };
    let (baked, losses) = bake_channel(&mut scene, keys(&[2.0, 2.0, 2.0, 4.0, 4.0, 4.0]));
    assert_near(&baked.values, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    assert!(losses.is_empty());
    let (baked, losses) = bake_channel(&mut scene, keys(&[2.0, 4.0, 6.0]));
    assert_near(&baked.values, &[2.0; 3]);
    assert!(losses[0].contains("growing"), "{losses:?}");
}

#[test]
fn a_node_shrunk_to_nothing_keeps_its_shape_for_its_keys() {
    let mut scene = Scene::new("x");
    let mesh = Some(add_triangle(&mut scene));
    let node = scene.add_node(None, Node { mesh, ..scaled("flat", [0.0; 3]) });
    let grow = Channel::node(
        node,
        Property::Scale,
        Interpolation::Linear,
        vec![0.0, 1.0],
        vec![0.0, 0.0, 0.0, 3.0, 3.0, 3.0],
    );
    scene.clips = vec![Clip { channels: vec![grow], ..Clip::default() }];
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses.is_empty());
    assert_eq!(out.nodes[node as usize].transform.scale, [0.0; 3]);
    assert_eq!(vertices_of(&out, node).positions, scene.vertices[0].positions);
    assert_eq!(out.clips[0].channels[0].values, [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]);
}

/// A triangle on two joints: one corner each, and one that both hold.
fn skinned(first: Node, second: Node, binds: [[f32; 16]; 2]) -> (Scene, NodeId) {
    let mut scene = Scene::new("x");
    let joints = vec![scene.add_node(None, first), scene.add_node(None, second)];
    let mesh = add_triangle(&mut scene);
    scene.vertices[0].influences =
        Influences { width: 2, joints: vec![0, 0, 1, 0, 0, 1], weights: vec![1.0, 0.0, 1.0, 0.0, 0.5, 0.5] };
    scene.skins.push(Skin { joints, inverse_bind: binds.to_vec(), ..Skin::default() });
    let node = scene.add_node(None, Node { mesh: Some(mesh), skin: Some(0), ..Node::new("body") });
    (scene, node)
}

const IDENTITY: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

fn bind(scale: f32, [x, y, z]: [f32; 3]) -> [f32; 16] {
    [scale, 0.0, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, 0.0, scale, 0.0, x, y, z, 1.0]
}

fn skin_of(scene: &Scene, node: NodeId) -> &Skin {
    &scene.skins[scene.nodes[node as usize].skin.unwrap() as usize]
}

#[test]
fn binds_of_scaled_joints_become_rigid() {
    // Both joints are scaled by a hundredth and bound as they rest.
    let small = |place| Node {
        transform: Transform { scale: [0.01; 3], ..placed("j", place).transform },
        ..Node::new("j")
    };
    let binds = [bind(100.0, [0.0, -100.0, 0.0]), bind(100.0, [0.0, 0.0, -200.0])];
    let (scene, node) = skinned(small([0.0, 1.0, 0.0]), small([0.0, 0.0, 2.0]), binds);
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses.is_empty());
    let skin = skin_of(&out, node);
    assert_near(&skin.inverse_bind[0], &bind(1.0, [0.0, -1.0, 0.0]));
    assert_near(&skin.inverse_bind[1], &bind(1.0, [0.0, 0.0, -2.0]));
    assert_eq!(vertices_of(&out, node).positions, scene.vertices[0].positions);
}

#[test]
fn a_rigid_bind_pose_that_is_not_the_rest_stays() {
    // The second joint has moved by one since it was bound.
    let (scene, node) = skinned(Node::new("a"), placed("b", [1.0, 0.0, 0.0]), [IDENTITY; 2]);
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses.is_empty());
    // The joint is at [1, 0, 0] and moves what was bound at the origin there.
    assert_near(&skin_of(&out, node).inverse_bind[1], &IDENTITY);
    assert_eq!(vertices_of(&out, node).positions, scene.vertices[0].positions);
}

#[test]
fn a_bind_that_scales_joints_differently_is_a_loss_and_stands_as_at_rest() {
    let (mut scene, node) = skinned(Node::new("a"), scaled("b", [2.0; 3]), [IDENTITY; 2]);
    // A fourth corner that no joint moves stands as the first joint has it.
    let vertices = &mut scene.vertices[0];
    vertices.positions.push([7.0, 0.0, 0.0]);
    vertices.influences.joints.extend([0, 0]);
    vertices.influences.weights.extend([0.0, 0.0]);
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses[0].to_string().contains("bound as it stands at rest"), "{losses:?}");
    let expected = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.5, 7.0, 0.0, 0.0];
    assert_near(vertices_of(&out, node).positions.as_flattened(), &expected);
    assert_near(skin_of(&out, node).inverse_bind.as_flattened(), &[IDENTITY; 2].concat());
}

#[test]
fn skins_of_mirrored_joints_have_their_triangles_turned_round() {
    let (scene, node) = skinned(scaled("a", [-1.0, 1.0, 1.0]), scaled("b", [-1.0, 1.0, 1.0]), [IDENTITY; 2]);
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses.is_empty());
    assert_near(&vertices_of(&out, node).positions[0], &[-1.0, 0.0, 0.0]);
    assert_eq!(primitive_of(&out, node).indices, [0, 2, 1]);
}

#[test]
fn a_skin_with_a_joint_that_does_not_exist_is_left_alone() {
    let (mut scene, node) = skinned(Node::new("a"), scaled("b", [2.0; 3]), [IDENTITY; 2]);
    scene.skins[0].joints[1] = 99;
    let (out, losses) = baked(&scene, STILL, 1.0);
    assert!(losses.is_empty());
    assert_eq!(out.nodes[node as usize].skin, Some(0));
    assert_eq!(out.skins, scene.skins);
}

#[test]
fn facing_turns_roots_and_their_keys() {
    let mut scene = Scene::new("x");
    let root = scene.add_node(None, placed("root", [0.0, 1.0, 2.0]));
    let child = scene.add_node(Some(root), placed("child", [0.0, 0.0, 3.0]));
    let keys = |node, property, values: &[f32]| {
        Channel::node(node, property, Interpolation::Linear, vec![0.0], values.to_vec())
    };
    scene.clips.push(Clip {
        channels: vec![
            keys(root, Property::Translation, &[0.0, 0.0, 4.0]),
            keys(root, Property::Rotation, &STILL),
            keys(root, Property::Scale, &[1.0, 2.0, 3.0]),
            keys(child, Property::Translation, &[0.0, 0.0, 5.0]),
        ],
        ..Clip::default()
    });
    // A quarter turn to the left about Y.
    let out = scene.facing([1.0, 0.0, 0.0]);
    let turned = &out.nodes[root as usize].transform;
    assert_near(&turned.translation, &[2.0, 1.0, 0.0]);
    assert_near(&turned.rotation, &[0.0, HALF, 0.0, HALF]);
    assert_eq!(out.nodes[child as usize], scene.nodes[child as usize]);
    let channels = &out.clips[0].channels;
    assert_near(&channels[0].values, &[4.0, 0.0, 0.0]);
    assert_near(&channels[1].values, &[0.0, HALF, 0.0, HALF]);
    assert_eq!(channels[2..], scene.clips[0].channels[2..]);
    // Upwards is no direction to turn to.
    assert!(matches!(scene.facing([0.0, 1.0, 0.0]), std::borrow::Cow::Borrowed(_)));
}
