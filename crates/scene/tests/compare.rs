//! `Scene::looks_like`: what shows and what does not.
#![cfg(test)]

use galatea_scene::{
    Channel, Clip, Influences, Interpolation, Mesh, Node, Primitive, Property, Scene, Skin, Tolerance,
    Vertices,
};

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Two triangles that make a square, on a node that a clip lifts by one.
fn square() -> Scene {
    let mut scene = Scene::new("square");
    scene.vertices.push(Vertices {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        ..Vertices::default()
    });
    let primitive = Primitive { indices: vec![0, 1, 2, 0, 2, 3], ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let node = scene.add_node(None, Node { mesh: Some(0), ..Node::new("square") });
    let lift = vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let lift = Channel::node(node, Property::Translation, Interpolation::Linear, vec![0.0, 1.0], lift);
    scene.clips.push(Clip { name: "lift".into(), length: 1.0, channels: vec![lift], ..Clip::default() });
    scene
}

/// A [`square`] whose corners hang on two joints that stand still.
fn skinned(weights: [f32; 8]) -> Scene {
    let mut scene = square();
    scene.clips.clear();
    let joints = vec![scene.add_node(None, Node::new("left")), scene.add_node(None, Node::new("right"))];
    scene.skins.push(Skin { joints, ..Skin::default() });
    scene.nodes[0].skin = Some(0);
    scene.vertices[0].influences =
        Influences { width: 2, joints: [0, 1].repeat(4), weights: weights.to_vec() };
    scene
}

const LEFT: [f32; 8] = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];

fn lines(a: &Scene, b: &Scene) -> Vec<String> {
    a.looks_like(b, &Tolerance::default())
}

fn indices(scene: &mut Scene) -> &mut Vec<u32> {
    &mut scene.meshes[0].primitives[0].indices
}

#[test]
fn a_scene_looks_like_itself_in_another_order() {
    let mut other = square();
    // The same triangles, in another order and from another corner, with other vertices.
    other.vertices[0].positions.reverse();
    *indices(&mut other) = vec![3, 1, 0, 2, 1, 3];
    other.clips[0].channels[0].extras.insert("note", 1);
    assert_eq!(lines(&square(), &other), Vec::<String>::new());
    assert_eq!(lines(&Scene::new("a"), &Scene::new("b")), Vec::<String>::new());
}

#[test]
fn triangles_that_moved_are_lost_and_new() {
    let mut other = square();
    other.vertices[0].positions[3] = [0.0, 1.0, 0.1];
    assert_eq!(
        lines(&square(), &other),
        ["1 of 2 triangles moved or lost", "1 triangles that were not there"]
    );
    // Within the tolerance, which is a share of the size.
    other.vertices[0].positions[3] = [0.0, 1.0, 1e-5];
    assert!(lines(&square(), &other).is_empty());
}

#[test]
fn the_other_side_of_a_triangle_is_another_triangle() {
    let mut other = square();
    *indices(&mut other) = vec![0, 2, 1, 0, 2, 3];
    assert_eq!(lines(&square(), &other)[0], "1 of 2 triangles moved or lost");
    // A node that mirrors its mesh turns it inside out; with its indices the other way round it is the same again.
    let mut still = square();
    still.clips.clear();
    let mut mirrored = still.clone();
    mirrored.nodes[0].transform.scale = [-1.0, 1.0, 1.0];
    mirrored.vertices[0].positions.iter_mut().for_each(|[x, _, _]| *x = -*x);
    assert_eq!(lines(&still, &mirrored)[0], "2 of 2 triangles moved or lost");
    *indices(&mut mirrored) = vec![0, 2, 1, 0, 3, 2];
    assert!(lines(&still, &mirrored).is_empty());
}

#[test]
fn twins_count_only_if_asked_for() {
    let mut twice = square();
    *indices(&mut twice) = vec![0, 1, 2, 0, 2, 3, 0, 1, 2];
    assert_eq!(lines(&square(), &twice), ["1 triangles that were not there"]);
    assert_eq!(lines(&twice, &square()), ["1 of 3 triangles moved or lost"]);
    let once = Tolerance::default().with_twins(false);
    assert!(square().looks_like(&twice, &once).is_empty());
    assert!(twice.looks_like(&square(), &once).is_empty());
    // A triangle that is there from both sides may be there from one.
    let mut both_sides = square();
    *indices(&mut both_sides) = vec![0, 1, 2, 0, 2, 3, 0, 2, 1];
    assert!(both_sides.looks_like(&square(), &once).is_empty());
    assert!(!both_sides.looks_like(&square(), &Tolerance::default()).is_empty());
}

#[test]
fn weights_are_those_of_nodes() {
    let [third, rest] = [1.0 / 3.0, 2.0 / 3.0];
    let mixed = [third, rest, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
    assert!(lines(&skinned(mixed), &skinned(mixed)).is_empty());
    assert_eq!(lines(&skinned(LEFT), &skinned(mixed)), ["weights differ by 0.6667"]);
    // The strongest joint alone, and that one is another.
    let one = Tolerance::default().with_influences(1);
    assert_eq!(skinned(LEFT).looks_like(&skinned(mixed), &one), ["weights differ by 1.0000"]);
    let mut mostly_left = LEFT;
    (mostly_left[0], mostly_left[1]) = (rest, third);
    assert!(skinned(mostly_left).looks_like(&skinned(LEFT), &one).is_empty());
    // Joints in another order are the same joints.
    let mut swapped = skinned(mixed);
    swapped.skins[0].joints.reverse();
    swapped.vertices[0].influences.joints = [1, 0].repeat(4);
    assert!(lines(&skinned(mixed), &swapped).is_empty());
}

#[test]
fn a_mesh_may_be_fixed_to_one_joint_instead_of_its_node() {
    let mut still = square();
    still.clips.clear();
    assert!(lines(&still, &skinned(LEFT)).is_empty());
    let halves = [0.5; 8];
    assert_eq!(lines(&still, &skinned(halves)), ["weights differ by 0.5000"]);
}

#[test]
fn clips_are_found_by_name_or_else_by_place() {
    let mut other = square();
    other.clips[0].name = "rise".into();
    assert!(lines(&square(), &other).is_empty());
    other.clips.push(Clip { name: "more".into(), ..Clip::default() });
    assert_eq!(lines(&square(), &other), ["clip \"lift\" is gone"]);
    let silent = Tolerance::default().with_clips(false);
    assert!(square().looks_like(&other, &silent).is_empty());
}

#[test]
fn nodes_of_clips_are_compared_by_place_and_rotation() {
    let mut other = square();
    other.clips[0].channels[0].values[4] = 1.5;
    // Half a metre of a diagonal of the square root of two.
    assert_eq!(lines(&square(), &other), ["clip \"lift\": node \"square\" 0.353553 apart"]);
    let turn = |z: f32, w: f32| {
        let mut scene = square();
        let values = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, z, w];
        let turn = Channel::node(0, Property::Rotation, Interpolation::Linear, vec![0.0, 1.0], values);
        scene.clips[0].channels.push(turn);
        scene
    };
    // A quaternion and its negative are one rotation.
    assert!(lines(&turn(HALF, HALF), &turn(-HALF, -HALF)).is_empty());
    assert_eq!(lines(&turn(HALF, HALF), &turn(-HALF, HALF)).len(), 1);
    let mut nowhere = square();
    nowhere.clips[0].channels[0].values[4] = f32::NAN;
    assert_eq!(lines(&square(), &nowhere).len(), 1);
}

#[test]
fn times_may_be_rounded() {
    let keys = |time: f32| {
        let mut scene = square();
        // Up at once, at this time.
        scene.clips[0].channels[0].interpolation = Interpolation::Step;
        scene.clips[0].channels[0].times = vec![0.0, time];
        scene
    };
    let (exact, rounded) = (keys(0.4999), keys(0.5));
    assert_eq!(lines(&exact, &rounded).len(), 1);
    let ticks = Tolerance::default().with_tick(0.001);
    assert!(exact.looks_like(&rounded, &ticks).is_empty());
}

#[test]
fn fronts_are_turned_to_each_other() {
    // The same square in a format whose front is along X instead of Z: turned by a quarter to the left.
    let mut turned = Scene::new("square");
    let axes = turned.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
    turned.set_front([1.0, 0.0, 0.0]);
    turned.meshes = square().meshes;
    turned.vertices.push(Vertices {
        positions: vec![[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 0.0]],
        ..Vertices::default()
    });
    turned.add_node(Some(axes), Node { mesh: Some(0), ..Node::new("square") });
    let mut still = square();
    still.clips.clear();
    assert!(lines(&still, &turned).is_empty());
    turned.set_front([0.0, 0.0, 1.0]);
    assert!(!lines(&still, &turned).is_empty());
}

#[test]
fn renamed_nodes_are_found_by_place() {
    let mut scene = skinned([0.5; 8]);
    scene.nodes[1].transform.translation = [5.0, 0.0, 0.0];
    let bind = |x: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, 0.0, 0.0, 1.0];
    scene.skins[0].inverse_bind = vec![bind(5.0), bind(0.0)];
    let mut renamed = scene.clone();
    (renamed.nodes[1].name, renamed.nodes[2].name) = ("west".into(), "east".into());
    renamed.vertices[0].influences.weights = vec![0.5; 8];
    assert!(lines(&scene, &renamed).is_empty());
    // With the joints the other way round, the names are wrong but the places are right.
    renamed.nodes.swap(1, 2);
    renamed.skins[0].joints = vec![2, 1];
    assert!(lines(&scene, &renamed).is_empty());
}
