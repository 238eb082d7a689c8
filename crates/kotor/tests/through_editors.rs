//! What other programs change about scenes, and what comes back.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use galatea_kotor::bwm::{Edge, Kind, Walkmesh};
use galatea_kotor::mdl::Model;
use galatea_kotor::surface::Walkability;
use galatea_scene::{Extras, Mesh, Node, Primitive, Scene, Skin, Topology, Vertices, example};

/// Gives each primitive vertices of its own, one for each corner, as programs do that split at materials and edges.
fn torn(scene: &Scene) -> Scene {
    let mut out = scene.clone();
    for primitive in out.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let from = &scene.vertices[primitive.vertices as usize];
        let positions = primitive.indices.iter().map(|i| from.positions[*i as usize]).collect();
        out.vertices.push(Vertices { positions, ..Vertices::default() });
        primitive.vertices = out.vertices.len() as u32 - 1;
        primitive.indices = (0..primitive.indices.len() as u32).collect();
        primitive.extras = Extras::new();
    }
    out
}

/// A strip of squares of two surfaces with a transition at its end.
fn strip() -> Walkmesh {
    let corner = |i: u32| [(i / 2) as f32, (i % 2) as f32, 0.1 * i as f32];
    let faces: Vec<[u32; 3]> =
        (0..4u32).flat_map(|i| [[2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 1, 2 * i + 2, 2 * i + 3]]).collect();
    let surfaces = vec![4, 4, 3, 3, 4, 4, 3, 3];
    let walkability = Walkability::default();
    let mut mesh =
        Walkmesh::build(Kind::Area, (0..10).map(corner).collect(), faces, surfaces, &walkability).unwrap();
    mesh.edges[1].transition = 7;
    mesh
}

/// Returns the ends of the edges that lead somewhere.
fn transitions(mesh: &Walkmesh) -> Vec<(Vec<[u32; 3]>, i32)> {
    let leads = |edge: &&Edge| edge.transition != -1;
    let ends = |edge: &Edge| {
        let face = mesh.faces[edge.edge as usize / 3];
        let (a, b) = (face[edge.edge as usize % 3], face[(edge.edge as usize + 1) % 3]);
        let mut ends = [a, b].map(|v| mesh.vertices[v as usize].map(f32::to_bits)).to_vec();
        ends.sort_unstable();
        (ends, edge.transition)
    };
    mesh.edges.iter().filter(leads).map(ends).collect()
}

#[test]
fn torn_walkmeshes_are_welded_with_their_transitions() {
    let mesh = strip();
    let (back, losses) = Walkmesh::from_scene(&torn(&mesh.to_scene()), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(back.vertices.len(), mesh.vertices.len());
    assert_eq!(back.faces.len(), mesh.faces.len());
    assert_eq!(back.edges.len(), mesh.edges.len());
    assert_eq!(transitions(&back), transitions(&mesh));
    assert_eq!(transitions(&back).len(), 1);
    let count = |mesh: &Walkmesh, surface| mesh.materials.iter().filter(|m| **m == surface).count();
    assert_eq!([count(&back, 3), count(&back, 4)], [4, 4]);
}

fn model() -> Model {
    Model::from_scene(&example(), &Default::default()).unwrap().0
}

#[test]
fn nodes_and_clips_in_another_order_come_back_in_theirs() {
    let model = model();
    let mut scene = model.to_scene();
    assert!(scene.clips.len() > 1 && scene.nodes.iter().any(|n| n.children.len() > 1));
    scene.clips.reverse();
    scene.nodes.iter_mut().for_each(|node| node.children.reverse());
    let (back, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(model.differences(&back), Vec::<String>::new());
}

#[test]
fn what_is_added_beside_the_root_becomes_its_child() {
    let model = model();
    let mut scene = model.to_scene();
    let mut added = Node::new("added");
    added.transform.translation = [1.0, 2.0, 3.0];
    scene.add_node(scene.axes(), added);
    let (back, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(back.nodes.len(), model.nodes.len() + 1);
    let last = back.nodes.last().unwrap();
    assert_eq!((back.name_of(last), last.parent, last.position), (&b"added"[..], Some(0), [1.0, 2.0, 3.0]));
    assert!(back.nodes[0].children.iter().any(|c| *c as usize == model.nodes.len()));
    assert!(back.write().is_ok());
}

#[test]
fn joints_without_weight_take_no_slot() {
    let model = model();
    let mut scene = model.to_scene();
    let used: Vec<u32> = scene.skins[0].joints.clone();
    // One armature for all: every node is a joint, in another order.
    let skin = &mut scene.skins[0];
    let more: Vec<u32> = (1..scene.nodes.len() as u32).filter(|n| !used.contains(n)).collect();
    let binds = skin.inverse_bind.clone();
    *skin = Skin {
        joints: more.iter().copied().chain(used.iter().copied()).collect(),
        inverse_bind: more.iter().map(|_| [0.0; 16]).chain(binds).collect(),
        ..Skin::default()
    };
    let shift = more.len() as u16;
    let drawn: Vec<u32> = scene.nodes.iter().filter(|n| n.skin.is_some()).filter_map(|n| n.mesh).collect();
    for mesh in drawn {
        let vertices = scene.meshes[mesh as usize].primitives[0].vertices;
        let influences = &mut scene.vertices[vertices as usize].influences;
        let weights = influences.weights.clone();
        influences.joints.iter_mut().zip(weights).filter(|(_, w)| *w > 0.0).for_each(|(j, _)| *j += shift);
    }
    let (back, losses) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let skins = |model: &Model| -> Vec<Vec<f32>> {
        model
            .nodes
            .iter()
            .filter_map(|n| n.mesh.as_ref()?.skin.as_ref())
            .map(|s| s.bone_map.clone())
            .collect()
    };
    assert_eq!(skins(&back), skins(&model));
}

#[test]
fn walkable_meshes_keep_all_materials() {
    let mut scene = example();
    let place = |i: u32| [(i % 3) as f32, (i / 3) as f32, 0.0];
    scene.vertices.push(Vertices { positions: (0..6).map(place).collect(), ..Vertices::default() });
    let vertices = scene.vertices.len() as u32 - 1;
    let part = |name: &str, indices: &[u32], scene: &mut Scene| {
        scene.materials.push(galatea_scene::Material { name: name.into(), ..Default::default() });
        let material = Some(scene.materials.len() as u32 - 1);
        Primitive {
            vertices,
            topology: Topology::Triangles,
            indices: indices.to_vec(),
            material,
            ..Default::default()
        }
    };
    let primitives =
        vec![part("Grass", &[0, 1, 3, 1, 4, 3], &mut scene), part("Metal", &[1, 2, 4, 2, 5, 4], &mut scene)];
    let purpose = galatea_scene::Purpose::Aabb;
    scene.meshes.push(Mesh { name: "floor".into(), primitives, purpose, ..Mesh::default() });
    let mesh = Some(scene.meshes.len() as u32 - 1);
    scene.add_node(None, Node { mesh, ..Node::new("floor") });
    let (model, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    let (back, _) = Model::from_scene(&torn_walk(&model.to_scene()), &Default::default()).unwrap();
    let floor = |model: &Model| {
        let mesh = model.nodes.iter().filter_map(|n| n.mesh.as_ref()).find(|m| m.aabb.is_some()).unwrap();
        let mut materials: Vec<u32> = mesh.faces.iter().map(|f| f.material).collect();
        materials.sort_unstable();
        (mesh.vertices.positions.len(), materials)
    };
    assert_eq!(floor(&back), floor(&model));
    // The floor, and the square of the example: a model has one AABB mesh.
    assert_eq!(floor(&model).1.len(), 4 + 2);
}

/// [`torn`] for walkable meshes alone.
fn torn_walk(scene: &Scene) -> Scene {
    let mut out = torn(scene);
    for (mesh, was) in out.meshes.iter_mut().zip(&scene.meshes) {
        if was.purpose != galatea_scene::Purpose::Aabb {
            *mesh = was.clone();
        }
    }
    out
}
