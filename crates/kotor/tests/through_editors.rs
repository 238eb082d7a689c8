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

/// What Blender makes of the strip: each material has its own vertices, nothing that primitives say is kept, and lines are left out.
fn through_blender(mesh: &Walkmesh) -> Scene {
    let mut scene = torn(&mesh.to_scene());
    for node in &mut scene.nodes {
        let lines = |mesh: &Mesh| mesh.primitives.iter().any(|p| p.topology == Topology::Lines);
        node.mesh = node.mesh.filter(|id| !lines(&scene.meshes[*id as usize]));
    }
    scene.nodes.reverse();
    let count = scene.nodes.len() as u32;
    for node in &mut scene.nodes {
        node.parent = node.parent.map(|p| count - 1 - p);
        node.children = node.children.iter().map(|c| count - 1 - c).collect();
    }
    scene
}

/// Returns the corners of all faces, in order.
fn corners(mesh: &Walkmesh) -> Vec<[[f32; 3]; 3]> {
    mesh.faces.iter().map(|face| face.map(|v| mesh.vertices[v as usize])).collect()
}

#[test]
fn faces_keep_their_order_and_transitions_without_lines() {
    let mut mesh = strip();
    // What no rule derives: it comes back only if the shape is known.
    mesh.adjacency[3] = [-1; 3];
    let (back, losses) = Walkmesh::from_scene(&through_blender(&mesh), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!((corners(&back), &back.materials), (corners(&mesh), &mesh.materials));
    assert_eq!((&back.adjacency, &back.edges, &back.aabb), (&mesh.adjacency, &mesh.edges, &mesh.aabb));
    assert_eq!(transitions(&back), transitions(&mesh));
    // A vertex that all faces around it take along.
    let mut scene = through_blender(&mesh);
    let at = mesh.vertices[4];
    let all = scene.vertices.iter_mut().flat_map(|v| &mut v.positions).filter(|p| **p == at);
    assert!(all.map(|p| p[2] += 0.5).count() > 2);
    let (back, _) = Walkmesh::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!((&back.materials, &back.adjacency), (&mesh.materials, &mesh.adjacency));
    assert_eq!((back.edges.len(), transitions(&back).len()), (mesh.edges.len(), 1));
    // A line that was deleted with its node leads nowhere.
    let mut scene = through_blender(&mesh);
    let line = scene.nodes.iter_mut().find(|n| n.name == "transition 7").unwrap();
    line.extras = Extras::new();
    let (back, _) = Walkmesh::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!((back.edges.len(), transitions(&back).len()), (mesh.edges.len(), 0));
}

/// A node with a mesh of its own.
fn with_mesh(mesh: galatea_kotor::mdl::Mesh) -> Model {
    let mut model = Model::new("thing");
    let node = galatea_kotor::mdl::Node { mesh: Some(Box::new(mesh)), ..Default::default() };
    model.add_node(Some(0), b"part", node);
    model
}

#[test]
fn vertices_of_a_blade_that_no_triangle_has_come_back() {
    let place = |i: u32| [i as f32, (i * i % 7) as f32, 0.25 * i as f32];
    let positions: Vec<[f32; 3]> = (0..12).map(place).collect();
    let uvs: Vec<[f32; 2]> = (0..12).map(|i| [0.1 * i as f32, 1.0]).collect();
    let mut mesh = galatea_kotor::mdl::Mesh::default();
    mesh.vertices.positions.clone_from(&positions);
    let saber = galatea_kotor::mdl::Saber {
        positions: positions.clone(),
        normals: vec![[0.0, 0.0, 1.0]; 12],
        uvs,
        ..Default::default()
    };
    mesh.saber = Some(Box::new(saber));
    let face = |vertices| galatea_kotor::mdl::Face { vertices, ..galatea_wire::Wire::ZERO };
    mesh.faces = vec![face([1, 3, 5]), face([5, 3, 7])];
    let model = with_mesh(mesh);
    let mut scene = model.to_scene();
    // Only four vertices are left, in another order.
    let kept = [7usize, 5, 3, 1];
    let vertices = &mut scene.vertices[0];
    vertices.positions = kept.map(|i| vertices.positions[i]).to_vec();
    vertices.normals = kept.map(|i| vertices.normals[i]).to_vec();
    vertices.uvs[0] = kept.map(|i| vertices.uvs[0][i]).to_vec();
    let new = |old: &u32| kept.iter().position(|k| *k == *old as usize).unwrap() as u32;
    let indices = &mut scene.meshes[0].primitives[0].indices;
    *indices = indices.iter().map(new).collect();
    let (back, losses) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(model.differences(&back), Vec::<String>::new());
    scene.vertices[0].positions[2][0] += 1.0;
    let (moved, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    let blade =
        |model: &Model| model.nodes[1].mesh.as_ref().unwrap().saber.as_ref().unwrap().positions.clone();
    let apart = blade(&moved).iter().zip(&positions).filter(|(a, b)| a != b).count();
    assert_eq!((apart, blade(&moved)[3]), (1, [4.0, 2.0, 0.75]));
}

#[test]
fn tangents_come_back_from_programs_that_drop_them() {
    let mut mesh = galatea_kotor::mdl::Mesh::default();
    mesh.vertices.positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    mesh.vertices.normals = vec![[0.0, 0.0, 1.0]; 3];
    mesh.vertices.uvs[0] = vec![[0.0; 2]; 3];
    mesh.vertices.tangents[0] = vec![[[0.0, 1.0, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]; 3];
    mesh.faces = vec![galatea_kotor::mdl::Face { vertices: [0, 1, 2], ..galatea_wire::Wire::ZERO }];
    let model = with_mesh(mesh);
    let mut scene = model.to_scene();
    assert_eq!(scene.vertices[0].tangents.len(), 3);
    scene.vertices[0].tangents.clear();
    let (back, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(model.differences(&back), Vec::<String>::new());
}

#[test]
fn packed_rotations_are_compared_as_rotations() {
    use galatea_kotor::mdl::{Interpolation, unpack_quaternion};
    let packed = |word: u32| {
        let mut model = Model::new("thing");
        let mut node = galatea_kotor::mdl::Node::default();
        let keys = &[f32::from_bits(word)];
        node.controllers.push(20, 28, Interpolation::Packed, 1, &[0.0], keys).unwrap();
        model.add_node(Some(0), b"arm", node);
        model
    };
    let lines = |a: u32, b: u32, tolerance: f32| {
        let mut out = galatea_wire::Differences::new().with_tolerance(tolerance);
        packed(a).compare(&packed(b), &mut out);
        out.into_lines().len()
    };
    // Two words for a half turn, which as numbers are far apart.
    let (a, b) = (0x7FDF_FFFF, 0x7FDF_F800);
    let (p, q) = (unpack_quaternion(a), unpack_quaternion(b));
    assert!(p[3] == 0.0 && q[3] == 0.0 && p[0] > 0.9 && q[0] < -0.9);
    assert_eq!((lines(a, b, 2e-3), lines(a, b, 0.0)), (0, 1));
    assert_eq!((lines(0x1234_5678, 0x1234_5679, 2e-3), lines(0x1234_5678, 0x1234_5699, 2e-3)), (0, 1));
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
        let materials: Vec<u32> = mesh.faces.iter().map(|f| f.material).collect();
        let tree: Vec<i32> = mesh.aabb.as_ref().unwrap().nodes.iter().map(|n| n.face).collect();
        (mesh.vertices.positions.len(), materials, tree)
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

#[test]
fn a_new_mesh_with_the_material_of_a_lightmapped_one_has_no_lightmap() {
    let mut mesh = galatea_kotor::mdl::Mesh { lightmapped: 1, texture_count: 2, ..Default::default() };
    mesh.vertices.positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    mesh.vertices.uvs[0] = vec![[0.0; 2], [1.0, 0.0], [0.0, 1.0]];
    mesh.vertices.uvs[1] = mesh.vertices.uvs[0].clone();
    mesh.texture = galatea_wire::Text::new(b"wall").unwrap();
    mesh.lightmap = galatea_wire::Text::new(b"room_lm0").unwrap();
    mesh.faces = vec![galatea_kotor::mdl::Face { vertices: [0, 1, 2], ..galatea_wire::Wire::ZERO }];
    let model = with_mesh(mesh);
    let mut scene = model.to_scene();
    // As a program adds it: one set of coordinates, at the root of the scene.
    let mut vertices = scene.vertices[0].clone();
    vertices.uvs.truncate(1);
    scene.vertices.push(vertices);
    let part = Primitive { vertices: 1, indices: vec![0, 1, 2], material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { name: "added".into(), primitives: vec![part], ..Mesh::default() });
    scene.add_node(scene.axes(), Node { mesh: Some(1), ..Node::new("added") });
    let (back, losses) = Model::from_scene(&scene, &Default::default()).unwrap();
    let of = |at: usize| {
        let mesh = back.nodes[at].mesh.as_deref().unwrap();
        (mesh.lightmapped, mesh.texture_count, mesh.lightmap.bytes().to_vec())
    };
    assert_eq!(of(1), (1, 2, b"room_lm0".to_vec()));
    assert_eq!(of(2), (0, 1, Vec::new()));
    let told: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|line| line.contains("added") && line.contains("lightmap")), "{told:?}");
    let errors = |model: &Model| {
        let report = model.check();
        report.findings().iter().filter(|f| f.rule.code == "KMDL0017").count()
    };
    assert_eq!(errors(&back), 0);
}

#[test]
fn counts_of_nodes_in_animations_follow_those_of_the_model() {
    let mut model = with_mesh(galatea_kotor::mdl::Mesh::default());
    model.node_count = 2;
    let animation = galatea_kotor::mdl::Animation {
        name: galatea_wire::Text::new(b"pause").unwrap(),
        node_count: 2,
        ..Default::default()
    };
    model.animations.push(animation);
    let mut scene = model.to_scene();
    let root = scene.find("thing").or(scene.nodes[0].children.first().copied()).unwrap();
    scene.add_node(Some(root), Node::new("more"));
    let (back, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!((back.node_count, back.animations[0].node_count), (3, 3));
}
