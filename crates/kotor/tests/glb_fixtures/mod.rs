//! A small model and a small walkmesh, made here.

use galatea_kotor::bwm::{Kind, Walkmesh};
use galatea_kotor::mdl::{Animation, Face, Interpolation, Mesh, Model, Node, Skin};
use galatea_kotor::surface::Walkability;
use galatea_wire::Text;

/// A jointed model with one of most things, made here.
pub(crate) fn statue() -> Model {
    let mut model = Model::new("statue");
    let bone =
        |x: f32| Node { position: [x, 0.0, 1.0], orientation: [0.8, 0.0, 0.0, 0.6], ..Node::default() };
    let arm = model.add_node(Some(0), b"arm", bone(0.3));
    let hand = model.add_node(Some(arm), b"hand", bone(0.7));
    let square = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.1, z]];
    let faces = |material: u32| {
        let face = |vertices: [u16; 3], adjacent| Face {
            normal: [0.0, 0.0, 0.999],
            distance: -0.1,
            material,
            adjacent,
            vertices,
        };
        vec![face([0, 1, 2], [0xFFFF, 0xFFFF, 1]), face([0, 2, 3], [0, 0xFFFF, 0xFFFF])]
    };
    let mut mesh = Mesh { faces: faces(1), texture: Text::new(b"c_statue01").unwrap(), ..Mesh::default() };
    mesh.vertices.positions = square(0.5);
    mesh.vertices.normals = vec![[0.0, 0.0, 1.0]; 4];
    mesh.vertices.uvs[0] = vec![[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]];
    mesh.vertices.weights = vec![[0.25, 0.75, 0.0, 0.0]; 4];
    mesh.vertices.bones = vec![[0.0, 1.0, -1.0, -1.0]; 4];
    let skin = Skin {
        bone_map: vec![-1.0, 0.0, 1.0, -1.0, -1.0],
        rotations: vec![[1.0, 0.0, 0.0, 0.0]; 5],
        translations: vec![[0.1, 0.2, 0.3]; 5],
        bone_nodes: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ..Skin::default()
    };
    mesh.skin = Some(Box::new(skin));
    let mut flesh = Node { mesh: Some(Box::new(mesh)), ..Node::default() };
    flesh.controllers.push(132, 0xFFFF, Interpolation::Linear, 1, &[0.0], &[1.0]).unwrap();
    model.add_node(Some(0), b"flesh", flesh);
    let mut floor = Mesh { faces: faces(4), render: 0, ..Mesh::default() };
    floor.faces[1].material = 7;
    floor.vertices.positions = square(0.0);
    floor.aabb = Some(Box::default());
    model.add_node(Some(0), b"floor", Node { mesh: Some(Box::new(floor)), ..Node::default() });
    let mut moving = Node { name: hand as u16, number: hand as u16, ..Node::default() };
    moving
        .controllers
        .push(8, 16, Interpolation::Linear, 3, &[0.0, 1.0], &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
        .unwrap();
    let words = [0x1234_5678u32, 0x7FDF_FBFF].map(f32::from_bits);
    moving.controllers.push(20, 28, Interpolation::Packed, 1, &[0.0, 1.0], &words).unwrap();
    model.animations.push(Animation {
        name: Text::new(b"wave").unwrap(),
        length: 2.0,
        nodes: vec![moving],
        ..Animation::default()
    });
    model
}

/// Four squares with three surfaces, a transition and a normal of its own.
pub(crate) fn floor() -> Walkmesh {
    let corners: Vec<[f32; 3]> = (0..9).map(|i| [(i % 3) as f32, (i / 3) as f32, 0.0]).collect();
    let faces = [0u32, 1, 3, 4].into_iter().flat_map(|a| [[a, a + 1, a + 4], [a, a + 4, a + 3]]).collect();
    let surfaces = vec![3, 3, 4, 3, 7, 3, 3, 3];
    let mut mesh = Walkmesh::build(Kind::Area, corners, faces, surfaces, &Walkability::default()).unwrap();
    mesh.edges[2].transition = 5;
    mesh.normals[1] = [0.0, 0.0, 0.99];
    mesh
}
