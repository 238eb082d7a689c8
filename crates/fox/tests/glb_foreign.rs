//! Scenes of other origin become models of every game, and the same triangles and weights come back.
#![cfg(test)]

use std::collections::BTreeMap;

use galatea_fox::{Dictionary, Fmdl, Game, SceneOptions};
use galatea_scene::{Influences, Mesh, Node, Pose, Primitive, Scene, Skin, Topology, Vertices, example};
use galatea_wire::{Limits, Loss, Severity};

/// A corner of a triangle: where it stands at rest, and which bones move it how much.
type Corner = ([f32; 3], BTreeMap<String, f32>);

/// All triangles, each once, beginning with its smallest corner.
fn triangles(scene: &Scene) -> Vec<[Corner; 3]> {
    let pose = Pose::rest(scene);
    let mut out = Vec::new();
    for (id, node, mesh) in scene.drawn() {
        for primitive in mesh.primitives.iter().filter(|p| p.topology == Topology::Triangles) {
            let vertices = scene.vertices_of(primitive).unwrap();
            let deformed = pose.deform(scene, id, primitive);
            let corner = |i: u32| {
                let mut bones = BTreeMap::new();
                let skin = node.skin.map(|s| &scene.skins[s as usize]);
                for (joint, weight) in vertices.influences.of(i as usize).filter(|(_, w)| *w > 0.0) {
                    if let Some(skin) = skin {
                        let name = scene.nodes[skin.joints[joint as usize] as usize].name.clone();
                        *bones.entry(name).or_default() += weight;
                    }
                }
                (deformed.positions[i as usize].map(|c| c + 0.0), bones)
            };
            for triangle in primitive.triangles(vertices.positions.len()) {
                let mut corners = triangle.map(corner);
                if node.skin.is_none() && pose.world_of(id).determinant() < 0.0 {
                    // What is mirrored is seen from the other side.
                    corners.swap(1, 2);
                }
                let first = (0..3).min_by(|a, b| order(&corners[*a], &corners[*b])).unwrap();
                corners.rotate_left(first);
                out.push(corners);
            }
        }
    }
    out.sort_by(|a, b| order(&a[0], &b[0]).then(order(&a[1], &b[1])).then(order(&a[2], &b[2])));
    // A mesh without levels of detail is shown at each of them.
    out.dedup_by(|a, b| a.iter().zip(b.iter()).all(|(a, b)| order(a, b).is_eq()));
    out
}

fn order(a: &Corner, b: &Corner) -> std::cmp::Ordering {
    let round = |c: &Corner| c.0.map(|c| (c * 4096.0).round() as i64);
    round(a).cmp(&round(b))
}

/// Through FMDL and back, for every game. Positions agree within 1e-6 of the model's size, weights within 1/255.
fn check(scene: &Scene, name: &str) -> Vec<(Fmdl, Vec<Loss>)> {
    let before = triangles(scene);
    let size = Pose::rest(scene).bounds(scene).unwrap().size();
    Game::ALL
        .into_iter()
        .map(|game| {
            let (model, losses) = Fmdl::from_scene(scene, &SceneOptions::default().with_game(game)).unwrap();
            assert_eq!(model.version, game.version());
            let bytes = model.write().unwrap();
            let read = Fmdl::read(&bytes, &Limits::default()).unwrap();
            assert_eq!(read.differences(&model), [""; 0], "{name}");
            let report = read.check();
            assert_eq!(report.at_least(Severity::Error), 0, "{name}: {:#?}", report.findings());
            for mesh in &read.meshes {
                assert!(mesh.vertices.count <= 65_535 && mesh.faces(0).len() <= 21_845);
            }
            // Hashes are spelled out with the words that the texts of the model make up.
            let mut words = Dictionary::built_in();
            scene.nodes.iter().for_each(|n| words.add(&n.name));
            let after = triangles(&read.to_scene(name, &words));
            assert_eq!(before.len(), after.len(), "{name}");
            for (a, b) in before.iter().flatten().zip(after.iter().flatten()) {
                let off = a.0.iter().zip(&b.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(off <= 1e-6 * size.max(1.0), "{name}: {a:?} {b:?}");
                let bones = |c: &Corner| c.1.keys().cloned().collect::<Vec<_>>();
                assert_eq!(bones(a), bones(b), "{name}");
                assert!(a.1.values().zip(b.1.values()).all(|(a, b)| (a - b).abs() <= 1.0 / 255.0), "{name}");
            }
            (model, losses)
        })
        .collect()
}

/// A sheet of squares in the air, so many along each side.
fn sheet(side: u32) -> Vertices {
    let at = |i: u32| [(i % (side + 1)) as f32, (i / (side + 1)) as f32, (i % 7) as f32 * 0.125];
    Vertices { positions: (0..(side + 1) * (side + 1)).map(at).collect(), ..Vertices::default() }
}

fn squares(side: u32) -> Vec<u32> {
    let square = |i: u32| {
        let a = i / side * (side + 1) + i % side;
        let (b, c, d) = (a + 1, a + side + 2, a + side + 1);
        [a, b, c, a, c, d]
    };
    (0..side * side).flat_map(square).collect()
}

/// A scene with one mesh at one node.
fn single(vertices: Vertices, indices: Vec<u32>) -> Scene {
    let mut scene = Scene::new("single");
    scene.vertices.push(vertices);
    let primitive = Primitive { vertices: 0, indices, ..Primitive::default() };
    scene.meshes.push(Mesh { name: "sheet".into(), primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("sheet") });
    scene
}

#[test]
fn the_example_becomes_a_model_and_names_what_is_lost() {
    let scene = example();
    for (model, losses) in check(&scene, "example") {
        assert_eq!(model.bones.len(), 2);
        let hidden = model.groups.iter().filter(|g| !g.is_visible()).count();
        assert_eq!(hidden, 2);
        for lost in [
            "clip \"wave\"",
            "clip \"still\"",
            "light \"lamp\"",
            "attachment of \"hand\"",
            "mesh \"ground\": lines",
            "mesh \"flesh\": vertex colours",
        ] {
            assert!(losses.iter().any(|l| l.to_string() == lost), "{lost}: {losses:#?}");
        }
    }
}

#[test]
fn more_vertices_than_a_mesh_holds_are_split() {
    for (model, _) in check(&single(sheet(300), squares(300)), "large") {
        assert!(model.meshes.len() >= 9, "{}", model.meshes.len());
    }
}

#[test]
fn more_bones_than_a_group_holds_are_split() {
    let mut scene = single(sheet(60), squares(60));
    let bones: Vec<u32> = (0..61)
        .map(|i| {
            let mut node = Node::new(&format!("bone_{i}"));
            node.transform.translation = [if i == 0 { 0.0 } else { 1.0 }, 0.0, 0.0];
            let parent = (i > 0).then(|| scene.nodes.len() as u32 - 1);
            scene.add_node(parent, node)
        })
        .collect();
    let bind = |i: usize| {
        let x = -(i as f32);
        [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, 0.0, 0.0, 1.0]
    };
    scene.skins.push(Skin { joints: bones, inverse_bind: (0..61).map(bind).collect(), ..Skin::default() });
    scene.nodes[0].skin = Some(0);
    let mut influences = Influences { width: 6, ..Influences::default() };
    for vertex in 0..61 * 61u16 {
        let x = vertex % 61;
        influences.joints.extend([x, (x + 1).min(60), 0, 0, 0, 0]);
        influences.weights.extend([0.75, 0.25, 0.0, 0.0, 0.0, 0.0]);
    }
    // At the end both are the same bone.
    scene.vertices[0].influences = influences;
    for (model, losses) in check(&scene, "bones") {
        assert!(model.bone_groups.len() >= 2 && model.bone_groups.iter().all(|g| g.bones.len() <= 32));
        // PES has bones of its own, and each that it lacks is named.
        assert!(losses.is_empty() || losses.len() == 61, "{losses:?}");
        assert!(losses.iter().all(|l| l.what.contains("the skeleton of the game lacks it")), "{losses:?}");
    }
}

#[test]
fn turned_scaled_and_mirrored_meshes_stand_as_they_did() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut scene = single(sheet(3), squares(3));
    let top = scene.add_axes([-half, 0.0, 0.0, half], 0.01);
    scene.nodes[0].parent = Some(top);
    scene.nodes[top as usize].children.push(0);
    scene.nodes[0].transform.scale = [-2.0, 1.0, 3.0];
    scene.nodes[0].transform.rotation = [0.0, half, 0.0, half];
    scene.nodes[0].transform.translation = [100.0, 0.0, 7.0];
    for (model, _) in check(&scene, "turned") {
        assert_eq!(model.check().count("FMDL0082"), 0, "inside out");
    }
}

#[test]
fn what_hangs_on_a_joint_moves_with_it() {
    let mut scene = example();
    let hand = scene.find("hand").unwrap();
    let helmet = Node { mesh: Some(2), ..Node::new("helmet") };
    scene.add_node(Some(hand), helmet);
    let (model, _) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    let fixed = model.meshes.iter().filter(|m| m.is_skinned()).count();
    assert_eq!(fixed, 2);
    assert_eq!(model.check().at_least(Severity::Error), 0);
}

#[test]
fn numbers_that_are_none_are_named_and_replaced() {
    let mut vertices = sheet(2);
    vertices.positions[1][0] = f32::NAN;
    vertices.normals = vec![[f32::INFINITY, 0.0, 0.0]; 9];
    let (model, losses) =
        Fmdl::from_scene(&single(vertices, squares(2)), &SceneOptions::default().with_game(Game::Pes))
            .unwrap();
    assert_eq!(losses, [Loss::new("mesh \"sheet\"", "1 positions that are not numbers")]);
    assert_eq!(model.check().at_least(Severity::Error), 0);
}

#[test]
fn nothing_becomes_an_empty_model() {
    let (model, losses) = Fmdl::from_scene(&Scene::default(), &Default::default()).unwrap();
    assert!(losses.is_empty() && model.differences(&Fmdl::new(Fmdl::TPP)).is_empty());
    model.write().unwrap();
}
