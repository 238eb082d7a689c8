//! A hero as an artist makes it for Warcraft III.
#![allow(dead_code, reason = "not every test uses all of them")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea::scene::{
    Camera, Channel, Clip, Influences, Interpolation, Material, Mesh, Node, Primitive, Projection, Property,
    Scene, Skin, Slot, Texture, Transform, Vertices,
};

/// A box from one corner to the other, with a vertex per corner.
pub(crate) fn cube(low: [f32; 3], high: [f32; 3]) -> (Vertices, Vec<u32>) {
    let corner =
        |i: usize| [[low[0], high[0]][i & 1], [low[1], high[1]][i >> 1 & 1], [low[2], high[2]][i >> 2]];
    let positions: Vec<[f32; 3]> = (0..8).map(corner).collect();
    let uvs = vec![(0..8).map(|i| [(i & 1) as f32, (i >> 1 & 1) as f32]).collect()];
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = sides.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect();
    (Vertices { positions, uvs, ..Vertices::default() }, indices)
}

pub(crate) fn add_mesh(
    scene: &mut Scene,
    name: &str,
    (vertices, indices): (Vertices, Vec<u32>),
    material: Option<u32>,
) -> u32 {
    let vertices_id = scene.vertices.len() as u32;
    scene.vertices.push(vertices);
    let primitive = Primitive { vertices: vertices_id, indices, material, ..Primitive::default() };
    scene.meshes.push(Mesh { name: name.into(), primitives: vec![primitive], ..Mesh::default() });
    scene.meshes.len() as u32 - 1
}

pub(crate) fn at(name: &str, translation: [f32; 3]) -> Node {
    Node { transform: Transform { translation, ..Transform::default() }, ..Node::new(name) }
}

pub(crate) fn painted(name: &str, image: Option<&str>) -> Material {
    let texture = |name: &str| Texture { slot: Slot::Base, name: name.into(), ..Texture::default() };
    Material { name: name.into(), textures: image.map(texture).into_iter().collect(), ..Material::default() }
}

/// A hero of two metres with an arm that swings: Y up, facing Z, as glTF has it.
pub(crate) fn hero() -> Scene {
    let mut scene = Scene::new("hero");
    scene.materials = vec![painted("Hero TeamColor", Some("hero_skin")), painted("TeamGlow", None)];
    let root = scene.add_node(None, at("Root", [0.0; 3]));
    let arm = scene.add_node(Some(root), at("Arm", [0.0, 1.5, 0.0]));
    let (mut body, faces) = cube([-0.4, 0.0, -0.2], [0.4, 2.0, 0.2]);
    // The lower half follows the root, the upper one mostly the arm.
    let weights = body.positions.iter().flat_map(|p| if p[1] > 1.0 { [0.3, 0.7] } else { [1.0, 0.0] });
    body.influences = Influences { width: 2, joints: [0, 1].repeat(8), weights: weights.collect() };
    let mesh = add_mesh(&mut scene, "body", (body, faces), Some(0));
    let bind = |y: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., -y, 0., 1.];
    scene.skins.push(Skin {
        joints: vec![root, arm],
        inverse_bind: vec![bind(0.0), bind(1.5)],
        ..Skin::default()
    });
    scene.add_node(None, Node { mesh: Some(mesh), skin: Some(0), ..Node::new("body") });
    let glow = add_mesh(&mut scene, "glow", cube([-0.5, 0.0, -0.5], [0.5, 0.01, 0.5]), Some(1));
    scene.add_node(Some(root), Node { mesh: Some(glow), ..Node::new("glow") });
    scene.add_node(Some(arm), at("Hand_Right_Ref", [0.5, 0.0, 0.0]));
    scene.add_node(Some(root), at("OverHead Ref.001", [0.0, 2.2, 0.0]));
    scene.add_node(Some(root), at("FPTxFBL1", [0.1, 0.0, 0.0]));
    scene.add_node(Some(root), at("SNDxDHLB", [0.0; 3]));
    let shape = add_mesh(&mut scene, "shape", cube([-0.5, 0.0, -0.5], [0.5, 2.0, 0.5]), None);
    scene.add_node(Some(root), Node { mesh: Some(shape), ..Node::new("CollisionBox01") });
    scene.add_node(None, at("Collision Sphere01", [0.0, 1.0, 0.0]));
    let camera = Camera {
        projection: Projection::Perspective { yfov: 0.6, aspect: None },
        near: 0.2,
        far: Some(25.0),
        ..Camera::default()
    };
    scene.cameras.push(camera);
    scene.add_node(None, Node { camera: Some(0), ..at("Camera01", [0.0, 1.8, 2.0]) });
    scene.add_node(None, at("Camera01 Target", [0.0, 1.8, 0.0]));
    add_clips(&mut scene, arm);
    scene
}

pub(crate) fn add_clips(scene: &mut Scene, arm: u32) {
    let swing = |length: f32| {
        let turn = [0.0, 0.0, 0.5f32.sin(), 0.5f32.cos()];
        let values = [[0.0, 0.0, 0.0, 1.0], turn, [0.0, 0.0, 0.0, 1.0]].concat();
        let times = vec![0.0, length / 2.0, length];
        Channel::node(arm, Property::Rotation, Interpolation::Linear, times, values)
    };
    let keys = |node: &str, times: Vec<f32>| {
        let node = scene.find(node).unwrap();
        let values = vec![1.0; times.len() * 3];
        Channel::node(node, Property::Scale, Interpolation::Linear, times, values)
    };
    let clip = |name: &str, length: f32, channels: Vec<Channel>| Clip {
        name: name.into(),
        length,
        channels,
        ..Clip::default()
    };
    let clips = vec![
        clip("Stand", 1.0, vec![]),
        clip("Stand - 2 [Rarity 4]", 2.0, vec![swing(2.0)]),
        clip("Walk [MoveSpeed 270]", 1.0, vec![swing(1.0), keys("FPTxFBL1", vec![0.25, 0.75])]),
        clip("Attack - 1", 0.8, vec![swing(0.8)]),
        clip("Death", 1.5, vec![keys("SNDxDHLB", vec![0.1])]),
    ];
    scene.clips = clips;
}

/// The scene as a GLB, with images of one colour.
pub(crate) fn glb(scene: &Scene) -> Vec<u8> {
    let png = galatea::texture::Image::filled(4, 4, [200, 100, 50, 128]);
    let png = galatea::texture::encode::png(&png).unwrap();
    let image =
        |_: &str| Some(galatea::gltf::ImageSource::Embedded { mime: "image/png".into(), bytes: png.clone() });
    galatea::gltf::write_glb(scene, &galatea::gltf::Options::default().with_image(&image)).unwrap()
}
