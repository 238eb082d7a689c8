//! What the game's compiler computed, on meshes small enough to know the answer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;

use galatea_kotor::mdl::derive::{
    Weighting, aabb_tree, adjacency, inverse_binds, smoothing_groups, tangent_space, vertex_normals,
};
use galatea_kotor::mdl::{Face, Game, Mesh, Model, Node, Platform};
use galatea_wire::Wire;
use mdl_fixtures::{model, square};

fn faces(list: &[[u16; 3]]) -> Vec<Face> {
    list.iter().map(|v| Face { vertices: *v, ..Face::ZERO }).collect()
}

/// A cube of side 2 around the origin with four vertices per side.
fn cube() -> Mesh {
    let mut mesh = Mesh::default();
    let sides: [[[f32; 3]; 3]; 6] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ];
    for [n, u, v] in sides {
        let base = mesh.vertices.positions.len() as u16;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            mesh.vertices.positions.push(std::array::from_fn(|i| n[i] + a * u[i] + b * v[i]));
            mesh.vertices.normals.push(n);
            mesh.vertices.uvs[0].push([(a + 1.0) / 2.0, (b + 1.0) / 2.0]);
        }
        mesh.faces.extend(faces(&[[base, base + 1, base + 2], [base, base + 2, base + 3]]));
    }
    mesh
}

#[test]
fn bounds_of_a_cube() {
    let mut mesh = cube();
    mesh.derive_bounds();
    assert_eq!(mesh.bounds, [[-1.0; 3], [1.0; 3]]);
    assert_eq!(mesh.average, [0.0; 3]);
    assert!((mesh.radius - 3f32.sqrt()).abs() < 1e-6 && mesh.area == 24.0);
}

#[test]
fn neighbours_are_found_across_split_vertices() {
    let mesh = cube();
    let neighbours = adjacency(&mesh.vertices.positions, &mesh.faces);
    assert!(neighbours.iter().flatten().all(|n| *n != u16::MAX), "a cube has no open edge");
    for (id, list) in neighbours.iter().enumerate() {
        for n in list {
            assert!(neighbours[usize::from(*n)].contains(&(id as u16)));
        }
    }
}

#[test]
fn planes_face_outwards() {
    let mut mesh = cube();
    mesh.derive_faces();
    for face in &mesh.faces {
        assert!((face.distance + 1.0).abs() < 1e-6, "{face:?}");
    }
}

#[test]
fn hard_edges_stay_hard_and_soft_ones_soft() {
    let mesh = cube();
    let p = &mesh.vertices.positions;
    let groups = smoothing_groups(p, &mesh.vertices.normals, &mesh.faces);
    assert_eq!(groups[0], groups[1], "the two halves of a side");
    for (id, list) in adjacency(p, &mesh.faces).iter().enumerate() {
        for n in list.iter().filter(|n| usize::from(**n) / 2 != id / 2) {
            assert_eq!(groups[id] & groups[usize::from(*n)], 0, "sides that meet");
        }
    }
    let hard = vertex_normals(p, &mesh.faces, Some(&groups), Weighting::default().with_area(true));
    assert_eq!(hard, mesh.vertices.normals);
    let soft = vertex_normals(p, &mesh.faces, Some(&[1; 12]), Weighting::default().with_angle(true));
    let corner = 1.0 / 3f32.sqrt();
    for (normal, position) in soft.iter().zip(p) {
        for (n, p) in normal.iter().zip(position) {
            assert!((n - p * corner).abs() < 1e-6, "{normal:?} at {position:?}");
        }
    }
    let creased = Weighting::default().with_angle(true).with_crease(Some(60.0));
    assert_eq!(vertex_normals(p, &mesh.faces, Some(&[1; 12]), creased), mesh.vertices.normals);
}

#[test]
fn normals_of_twenty_thousand_faces_at_one_place_are_linear_work() {
    // A fan around the origin whose faces share no vertex, each in a smoothing group of many.
    let (mut positions, mut faces, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..20_000u16 {
        let turn = |i: u16| (f32::from(i) / 20_000.0 * std::f32::consts::TAU).sin_cos();
        let ((s, c), (t, d)) = (turn(i), turn(i + 1));
        positions.extend([[0.0, 0.0, 0.0], [c, s, -1.0], [d, t, -1.0]]);
        faces.push(Face { vertices: [3 * i, 3 * i + 1, 3 * i + 2], ..Face::default() });
        groups.push(1 | u32::from(i) << 8);
    }
    let ((), took) = galatea_robustness::timed(|| {
        let area = Weighting::default().with_area(true);
        let smooth = vertex_normals(&positions, &faces, Some(&vec![1; faces.len()]), area);
        assert!(smooth.iter().step_by(3).all(|n| n[2] > 0.999), "all faces count at the tip");
        let creased = area.with_crease(Some(10.0));
        for groups in [&groups, &vec![0; faces.len()]] {
            let normals = vertex_normals(&positions, &faces, Some(groups), creased);
            assert!(normals.iter().all(|n| (n.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-3));
        }
    });
    assert!(took.as_secs() < 10, "{took:?}");
}

#[test]
fn tangent_space_of_a_square_and_its_mirror() {
    let mesh = square(Platform::Pc);
    let v = &mesh.vertices;
    let space = tangent_space(&v.positions, &v.normals, &v.uvs[0], &mesh.faces);
    assert_eq!(space[0], [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let mirrored: Vec<[f32; 2]> = v.uvs[0].iter().map(|[x, y]| [-x, *y]).collect();
    let space = tangent_space(&v.positions, &v.normals, &mirrored, &mesh.faces);
    assert_eq!(space[0], [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let flat = vec![[0.5; 2]; 4];
    let space = tangent_space(&v.positions, &v.normals, &flat, &mesh.faces);
    assert_eq!(space[0], [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
}

#[test]
fn every_face_is_one_leaf_inside_all_boxes_above_it() {
    let mesh = cube();
    let tree = aabb_tree(&mesh.vertices.positions, &mesh.faces);
    assert_eq!(tree.nodes.len(), 23);
    let mut leaves = vec![0; 12];
    for (id, node) in tree.nodes.iter().enumerate() {
        match (node.left, node.right) {
            (None, None) => leaves[node.face as usize] += 1,
            (Some(left), Some(right)) => {
                assert_eq!((left as usize, node.face), (id + 1, -1));
                for child in [left, right] {
                    let child = &tree.nodes[child as usize];
                    assert!((0..3).all(|i| child.min[i] >= node.min[i] && child.max[i] <= node.max[i]));
                }
            }
            _ => panic!("half a box"),
        }
    }
    assert_eq!(leaves, [1; 12]);
}

#[test]
fn a_derived_box_tree_is_written_and_read() {
    let mut walk = model("aabb", Game::K1, Platform::Pc);
    walk.nodes[1].mesh.as_deref_mut().unwrap().derive_aabb();
    let pair = walk.write().unwrap();
    let back = Model::read(&pair.mdl, Some(&pair.mdx), &Default::default()).unwrap();
    assert_eq!(walk.differences(&back), [""; 0]);
}

#[test]
fn inverse_binds_undo_the_rest_pose() {
    let turn = [0.5f32.sqrt(), 0.0, 0.0, 0.5f32.sqrt()];
    let root = Node { children: vec![1, 2].into(), ..Node::default() };
    let bone = Node { parent: Some(0), position: [1.0, 0.0, 0.0], orientation: turn, ..Node::default() };
    let skin = Node { parent: Some(0), position: [0.0, 2.0, 0.0], ..Node::default() };
    let binds = inverse_binds(&[root, bone, skin], 2);
    let (_, t) = binds[1];
    assert!((t[0] - 2.0).abs() < 1e-6 && (t[1] - 1.0).abs() < 1e-6, "{t:?}");
    assert_eq!(binds[2].1, [0.0; 3]);
}

#[test]
fn numbers_follow_the_supermodel() {
    let mut parent = Model::new("s_base");
    parent.add_node(Some(0), b"Torso", Node::default());
    parent.add_node(Some(0), b"head", Node::default());
    parent.node_count = 3;
    let mut child = Model::new("child");
    child.supermodel = mdl_fixtures::text("s_base");
    child.add_node(Some(0), b"HEAD", Node::default());
    child.add_node(Some(0), b"hat", Node::default());
    child.derive_numbers(Some(&parent)).unwrap();
    assert_eq!(child.nodes[1].number, 2);
    assert!(child.nodes[2].number > 2 && child.nodes[0].number > 2);
    assert_eq!(child.derived_node_count(Some(&parent)), Some(3 + 1 + 3));
    assert_eq!(child.derived_node_count(None), None);
    child.supermodel = mdl_fixtures::text("s_female03");
    assert_eq!(child.derived_node_count(None), Some(3 + 1 + 416));
    child.derive_numbers(None).unwrap();
    assert_eq!(child.nodes.iter().map(|n| n.number).collect::<Vec<_>>(), [0, 1, 2]);
}
