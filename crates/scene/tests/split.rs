//! `Scene::split` and `smooth_normals`.
#![cfg(test)]

use galatea_scene::{
    Attribute, Influences, Mesh, Node, Primitive, Purpose, Room, Scene, Skin, Topology, Vertices,
    smooth_normals,
};

const ROOM: Room = Room { vertices: 1000, triangles: 1000, joints: 1000, influences: 4 };

/// A node "strip" whose mesh is a fan of triangles: 0 1 2, 0 2 3, 0 3 4 and so on. The number of a vertex is its X.
fn fan(triangles: u32) -> Scene {
    let mut scene = Scene::new("x");
    scene.vertices.push(Vertices {
        positions: (0..triangles + 2).map(|i| [i as f32, 0.0, 0.0]).collect(),
        ..Vertices::default()
    });
    let indices = (0..triangles).flat_map(|i| [0, i + 1, i + 2]).collect();
    scene.meshes.push(Mesh {
        name: "fan".into(),
        primitives: vec![Primitive { indices, ..Primitive::default() }],
        ..Mesh::default()
    });
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("strip") });
    scene
}

/// The X of the corners of every triangle of a node, which are the old numbers of its vertices.
fn corners(scene: &Scene, node: usize) -> Vec<[u32; 3]> {
    let mesh = &scene.meshes[scene.nodes[node].mesh.unwrap() as usize];
    let [primitive] = &mesh.primitives[..] else { panic!("one primitive") };
    let vertices = scene.vertices_of(primitive).unwrap();
    let x = |i: u32| vertices.positions[i as usize][0] as u32;
    primitive.triangles(vertices.positions.len()).map(|t| t.map(x)).collect()
}

fn skin_of(scene: &Scene, node: usize) -> (&Skin, &Influences) {
    let node = &scene.nodes[node];
    let primitive = &scene.meshes[node.mesh.unwrap() as usize].primitives[0];
    (&scene.skins[node.skin.unwrap() as usize], &scene.vertices_of(primitive).unwrap().influences)
}

#[test]
fn primitives_become_meshes_of_their_own() {
    let mut scene = fan(1);
    scene.meshes[0].primitives.push(Primitive {
        indices: vec![2, 1, 0],
        material: Some(7),
        ..Primitive::default()
    });
    scene.nodes[0].tint = [0.5; 4];
    scene.nodes[0].visible = false;
    scene.add_node(None, Node::new("strip_2"));
    assert!(scene.split(&ROOM).is_empty());
    assert_eq!(corners(&scene, 0), [[0, 1, 2]]);
    assert_eq!(corners(&scene, 2), [[2, 1, 0]]);
    let part = &scene.nodes[2];
    // The name was taken.
    assert_eq!(
        (part.name.as_str(), part.parent, part.tint, part.visible),
        ("strip_2_", Some(0), [0.5; 4], false)
    );
    assert_eq!(scene.meshes[part.mesh.unwrap() as usize].primitives[0].material, Some(7));
    assert_eq!(scene.meshes[part.mesh.unwrap() as usize].name, "fan");
}

#[test]
fn pieces_have_no_more_triangles_or_vertices_than_there_is_room_for() {
    let mut scene = fan(5);
    scene.split(&Room { triangles: 2, ..ROOM });
    let all: Vec<_> = (0..scene.nodes.len()).map(|n| corners(&scene, n)).collect();
    assert_eq!(all, [vec![[0, 1, 2], [0, 2, 3]], vec![[0, 3, 4], [0, 4, 5]], vec![[0, 5, 6]]]);
    let names: Vec<_> = scene.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["strip", "strip_2", "strip_3"]);

    let mut scene = fan(3);
    scene.split(&Room { vertices: 4, ..ROOM });
    assert_eq!(corners(&scene, 0), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(corners(&scene, 1), [[0, 3, 4]]);
    let last = &scene.meshes[scene.nodes[1].mesh.unwrap() as usize].primitives[0];
    assert_eq!(
        (scene.vertices_of(last).unwrap().positions.len(), last.indices.as_slice()),
        (3, &[0, 1, 2][..])
    );
}

#[test]
fn columns_follow_their_vertices() {
    let mut scene = fan(2);
    let vertices = &mut scene.vertices[0];
    vertices.normals = vec![[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.0, 0.0, 4.0]];
    vertices.tangents = vec![[1.0, 0.0, 0.0, 1.0]; 4];
    vertices.uvs = vec![vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]];
    vertices.colors = vec![vec![[0.0; 4], [0.25; 4], [0.5; 4], [1.0; 4]]];
    vertices.attributes = vec![Attribute {
        name: "SWAY".into(),
        width: 2,
        values: vec![0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5],
    }];
    scene.split(&Room { triangles: 1, ..ROOM });
    let part = &scene.meshes[scene.nodes[1].mesh.unwrap() as usize].primitives[0];
    let vertices = scene.vertices_of(part).unwrap();
    assert_eq!(vertices.normals, [[0.0, 0.0, 1.0], [0.0, 0.0, 3.0], [0.0, 0.0, 4.0]]);
    assert_eq!(vertices.tangents.len(), 3);
    assert_eq!(vertices.uvs, [[[0.0, 0.0], [2.0, 2.0], [3.0, 3.0]]]);
    assert_eq!(vertices.colors, [[[0.0; 4], [0.5; 4], [1.0; 4]]]);
    assert_eq!(vertices.attributes[0].values, [0.0, 0.5, 2.0, 2.5, 3.0, 3.5]);
}

/// A fan of two triangles on four joints, each vertex on one of them.
fn skinned(influences: Influences) -> Scene {
    let mut scene = fan(2);
    scene.vertices[0].influences = influences;
    let joints: Vec<u32> = (0..4).map(|i| scene.add_node(None, Node::new(&format!("joint{i}")))).collect();
    let bind = |x: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, 0.0, 0.0, 1.0];
    scene.skins.push(Skin {
        joints,
        inverse_bind: (0..4).map(|i| bind(i as f32)).collect(),
        ..Skin::default()
    });
    scene.nodes[0].skin = Some(0);
    scene
}

#[test]
fn a_skin_has_the_joints_of_its_piece() {
    let mut scene = skinned(Influences { width: 1, joints: vec![0, 1, 2, 3], weights: vec![1.0; 4] });
    assert!(scene.split(&Room { joints: 3, ..ROOM }).is_empty());
    let (first, of_first) = skin_of(&scene, 0);
    assert_eq!((first.joints.as_slice(), of_first.joints.as_slice()), (&[1, 2, 3][..], &[0, 1, 2][..]));
    let (second, of_second) = skin_of(&scene, 5);
    assert_eq!(second.joints, [1, 3, 4]);
    assert_eq!(second.inverse_bind.iter().map(|m| m[12]).collect::<Vec<_>>(), [0.0, 2.0, 3.0]);
    assert_eq!((of_second.joints.as_slice(), of_second.weights.as_slice()), (&[0, 1, 2][..], &[1.0; 3][..]));
}

#[test]
fn only_the_strongest_joints_of_a_vertex_stay() {
    let mut scene = skinned(Influences {
        width: 4,
        joints: vec![0, 1, 2, 3, 0, 1, 0, 0, 2, 0, 0, 0, 3, 3, 0, 0],
        weights: vec![
            0.4, 0.1, 0.2, 0.3, // four joints
            0.5, 0.5, 0.0, 0.0, // two
            1.0, 0.0, 0.0, 0.0, // one
            0.5, 0.5, 0.0, 0.0, // one, twice
        ],
    });
    let losses = scene.split(&Room { influences: 2, ..ROOM });
    assert_eq!(losses.len(), 1);
    assert!(losses[0].to_string().contains("strongest 2 on 1 vertices"), "{losses:?}");
    let (skin, influences) = skin_of(&scene, 0);
    let of = |vertex: usize| {
        let entries = influences.of(vertex).filter(|(_, w)| *w > 0.0);
        entries
            .map(|(joint, w)| (skin.joints[usize::from(joint)] - 1, (w * 1000.0).round() as u32))
            .collect::<Vec<_>>()
    };
    // 0.4 and 0.3, made one together.
    assert_eq!(of(0), [(0, 571), (3, 429)]);
    assert_eq!(of(1), [(0, 500), (1, 500)]);
    assert_eq!(of(2), [(2, 1000)]);
    assert_eq!(of(3), [(3, 1000)]);
}

#[test]
fn vertices_without_weights_lose_their_skin() {
    let mut scene = skinned(Influences::default());
    assert!(scene.split(&ROOM).is_empty());
    assert_eq!(scene.nodes[0].skin, None);
}

#[test]
fn lines_and_points_are_lost() {
    let mut scene = fan(1);
    scene.meshes[0].primitives.push(Primitive {
        topology: Topology::Lines,
        indices: vec![0, 1],
        ..Primitive::default()
    });
    let losses = scene.split(&ROOM);
    assert!(losses[0].to_string().contains("lines and points"), "{losses:?}");
    assert_eq!(corners(&scene, 0), [[0, 1, 2]]);
    // Where nothing else is left, no mesh is.
    scene.meshes.push(Mesh {
        primitives: vec![Primitive { topology: Topology::Points, indices: vec![0], ..Primitive::default() }],
        ..Mesh::default()
    });
    let points = scene.meshes.len() as u32 - 1;
    scene.nodes[0].mesh = Some(points);
    assert_eq!(scene.split(&ROOM).len(), 1);
    assert_eq!(scene.nodes[0].mesh, None);
}

#[test]
fn what_is_not_drawn_is_left_alone() {
    for purpose in [Purpose::Walk, Purpose::Aabb, Purpose::Collision] {
        let mut scene = fan(3);
        scene.meshes[0].purpose = purpose;
        let before = scene.clone();
        assert!(scene.split(&Room { triangles: 1, ..ROOM }).is_empty());
        assert_eq!(scene, before);
    }
    let mut hidden = fan(3);
    hidden.meshes[0].purpose = Purpose::Hidden;
    hidden.split(&Room { triangles: 1, ..ROOM });
    assert_eq!(hidden.nodes.len(), 3);
}

#[test]
fn normals_are_smooth_where_positions_meet_and_weighted_by_area() {
    // A floor of area 1 and a wall of area 2 that share an edge, each with vertices of its own.
    let positions = [
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [2.0, 0.0, 0.0], // floor, up
        [0.0, 0.0, 0.0],
        [2.0, -0.0, 0.0],
        [0.0, 2.0, 0.0], // wall, to the front
    ];
    let normals = smooth_normals(&positions, &[[0, 1, 2], [3, 4, 5]]);
    // Twice the areas are 2 along Y and 4 along Z.
    let (y, z) = (2.0 / 20f32.sqrt(), 4.0 / 20f32.sqrt());
    for (vertex, expected) in [
        (0, [0.0, y, z]),
        (1, [0.0, 1.0, 0.0]),
        (2, [0.0, y, z]),
        (3, [0.0, y, z]),
        (4, [0.0, y, z]),
        (5, [0.0, 0.0, 1.0]),
    ] {
        let apart = normals[vertex].iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-6, "{vertex}: {:?}", normals[vertex]);
    }
}

#[test]
fn vertices_without_a_face_point_up() {
    let line = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [f32::NAN, 0.0, 0.0]];
    // A triangle without area, one that leads nowhere, and one that is not finite.
    let normals = smooth_normals(&line, &[[0, 1, 2], [0, 1, 99], [0, 1, 3]]);
    assert_eq!(normals, [[0.0, 1.0, 0.0]; 4]);
    assert!(smooth_normals(&[], &[]).is_empty());
}
