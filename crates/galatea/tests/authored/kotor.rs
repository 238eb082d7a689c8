//! Scenes as artists make them for KotOR, and the supermodel of one.
#![allow(dead_code, reason = "not every test uses all of them")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea::kotor::mdl::Model;
use galatea::scene::{
    AlphaMode, Influences, Material, Mesh, Node, Primitive, Scene, Skin, Slot, Texture, Transform, Vertices,
};

pub(crate) fn at(name: &str, translation: [f32; 3]) -> Node {
    Node { transform: Transform { translation, ..Transform::default() }, ..Node::new(name) }
}

pub(crate) fn material(scene: &mut Scene, name: &str) -> u32 {
    if let Some(known) = scene.materials.iter().position(|m| m.name == name) {
        return known as u32;
    }
    scene.materials.push(Material { name: name.into(), ..Material::default() });
    scene.materials.len() as u32 - 1
}

/// Adds triangles of one material to a mesh, with vertices of their own, as exporters write them.
pub(crate) fn part(
    scene: &mut Scene,
    positions: Vec<[f32; 3]>,
    indices: Vec<u32>,
    material: Option<u32>,
) -> Primitive {
    let uvs = vec![positions.iter().map(|[x, _, z]| [*x, *z]).collect()];
    scene.vertices.push(Vertices { positions, uvs, ..Vertices::default() });
    let vertices = scene.vertices.len() as u32 - 1;
    Primitive { vertices, indices, material, ..Primitive::default() }
}

pub(crate) fn mesh(scene: &mut Scene, name: &str, primitives: Vec<Primitive>) -> Option<u32> {
    scene.meshes.push(Mesh { name: name.into(), primitives, ..Mesh::default() });
    Some(scene.meshes.len() as u32 - 1)
}

/// A box from one corner to the other, with a vertex per corner.
pub(crate) fn cube(low: [f32; 3], high: [f32; 3]) -> (Vec<[f32; 3]>, Vec<u32>) {
    let corner =
        |i: usize| [[low[0], high[0]][i & 1], [low[1], high[1]][i >> 1 & 1], [low[2], high[2]][i >> 2]];
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = sides.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect();
    ((0..8).map(corner).collect(), indices)
}

pub(crate) fn add_cube(
    scene: &mut Scene,
    parent: Option<u32>,
    name: &str,
    low: [f32; 3],
    high: [f32; 3],
    paint: Option<&str>,
) -> u32 {
    let (positions, indices) = cube(low, high);
    let paint = paint.map(|name| material(scene, name));
    let primitive = part(scene, positions, indices, paint);
    let mesh = mesh(scene, name, vec![primitive]);
    scene.add_node(parent, Node { mesh, ..Node::new(name) })
}

/// A quad on the floor from `x` to `x + 4`, a little sloped along its depth: Y up, as glTF has it.
pub(crate) fn quad(x: f32, rise: f32) -> (Vec<[f32; 3]>, Vec<u32>) {
    let height = |x: f32, z: f32| rise * (x * 0.2 + z * 0.1);
    let corner = |x: f32, z: f32| [x, height(x, z), z];
    (vec![corner(x, 0.0), corner(x, 4.0), corner(x + 4.0, 4.0), corner(x + 4.0, 0.0)], vec![0, 1, 2, 0, 2, 3])
}

pub(crate) const FLOORS: [&str; 4] = ["Grass", "floor_Stone.001", "metal", "Carpet 01"];

/// The floor of two rooms in a row, four quads of four materials, each with vertices of its own.
pub(crate) fn hall(rise: f32) -> Scene {
    let mut scene = Scene::new("scene");
    let mut drawn = Vec::new();
    let mut walked = Vec::new();
    for (number, name) in FLOORS.iter().enumerate() {
        let (positions, indices) = quad(number as f32 * 4.0, rise);
        let paint = material(&mut scene, "paint");
        drawn.push(part(&mut scene, positions.clone(), indices.clone(), Some(paint)));
        let surface = material(&mut scene, name);
        walked.push(part(&mut scene, positions, indices, Some(surface)));
    }
    let drawn = mesh(&mut scene, "floor", drawn);
    scene.add_node(None, Node { mesh: drawn, ..Node::new("floor") });
    let (first, second) = (walked[..2].to_vec(), walked[2..].to_vec());
    // Two objects, one of them placed by its transform.
    let first = mesh(&mut scene, "walkmesh", first);
    scene.add_node(None, Node { mesh: first, ..Node::new("walkmesh") });
    for primitive in &second {
        for p in &mut scene.vertices[primitive.vertices as usize].positions {
            p[0] -= 8.0;
            p[1] -= 1.0;
        }
    }
    let second = mesh(&mut scene, "walkmesh2", second);
    scene.add_node(None, Node { mesh: second, ..at("walkmesh.001", [8.0, 1.0, 0.0]) });
    scene
}

pub(crate) fn glb(scene: &Scene) -> Vec<u8> {
    let png = galatea::texture::Image::filled(6, 5, [200, 100, 50, 128]);
    let png = galatea::texture::encode::png(&png).unwrap();
    let image =
        |_: &str| Some(galatea::gltf::ImageSource::Embedded { mime: "image/png".into(), bytes: png.clone() });
    galatea::gltf::write_glb(scene, &galatea::gltf::Options::default().with_image(&image)).unwrap()
}

/// A crate with a simpler walkmesh and two hooks.
pub(crate) fn placeable() -> Scene {
    let mut scene = Scene::new("scene");
    let top = scene.add_node(None, Node::new("Empty"));
    let crate_ = add_cube(&mut scene, Some(top), "crate", [-0.5, 0.0, -0.5], [0.5, 1.0, 0.5], Some("wood"));
    let texture = Texture { slot: Slot::Base, name: "plc_crate01.png".into(), ..Texture::default() };
    scene.materials[0].textures.push(texture);
    scene.materials[0].alpha = AlphaMode::Mask { cutoff: 0.5 };
    add_cube(&mut scene, Some(crate_), "crate_pwk", [-0.6, 0.0, -0.6], [0.6, 1.0, 0.6], None);
    scene.add_node(Some(top), at("use_1", [0.0, 0.0, 1.1]));
    scene.add_node(Some(top), at("use_2", [0.0, 0.0, -1.1]));
    scene.add_node(Some(top), at("lookathook", [0.0, 0.8, 0.0]));
    scene
}

/// A door with its three states as named groups, as Blender exports collections.
pub(crate) fn door() -> Scene {
    let mut scene = Scene::new("scene");
    add_cube(&mut scene, None, "leaf", [-1.0, 0.0, -0.1], [1.0, 3.0, 0.1], Some("metal"));
    for (name, x) in [("closed", 0.0), ("open1", 2.0), ("open2", -2.0)] {
        let group = scene.add_node(None, Node::new(name));
        add_cube(&mut scene, Some(group), "box", [x - 1.0, 0.0, -0.2], [x + 1.0, 3.0, 0.2], None);
    }
    scene.add_node(None, at("trans", [0.0; 3]));
    scene
}

/// A body on two bones that the supermodel animates.
pub(crate) fn character() -> Scene {
    let mut scene = Scene::new("scene");
    let armature = scene.add_node(None, Node::new("Armature"));
    let hips = scene.add_node(Some(armature), at("rootdummy", [0.0, 1.0, 0.0]));
    let torso = scene.add_node(Some(hips), at("torso_g", [0.0, 0.5, 0.0]));
    for (name, place) in
        [("headhook", [0.0, 0.3, 0.0]), ("rhand", [-0.5, 0.0, 0.0]), ("lhand", [0.5, 0.0, 0.0])]
    {
        scene.add_node(Some(torso), at(name, place));
    }
    scene.add_node(Some(armature), at("camerahook", [0.0, 2.0, 0.0]));
    let (positions, indices) = cube([-0.4, 0.0, -0.2], [0.4, 2.0, 0.2]);
    let weights = positions.iter().flat_map(|p| if p[1] > 1.0 { [0.3, 0.7] } else { [1.0, 0.0] }).collect();
    let body = part(&mut scene, positions, indices, None);
    scene.vertices[body.vertices as usize].influences =
        Influences { width: 2, joints: [0, 1].repeat(8), weights };
    let bind = |y: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., -y, 0., 1.];
    scene.skins.push(Skin {
        joints: vec![hips, torso],
        inverse_bind: vec![bind(1.0), bind(1.5)],
        ..Skin::default()
    });
    let mesh = mesh(&mut scene, "body", vec![body]);
    scene.add_node(Some(armature), Node { mesh, skin: Some(0), ..Node::new("body") });
    scene
}

/// A model whose animations others inherit, with this name.
pub(crate) fn supermodel(name: &str) -> Model {
    let mut scene = Scene::new(name);
    let root = scene.add_node(None, Node::new(name));
    for name in ["other", "torso_g", "rootdummy"] {
        scene.add_node(Some(root), Node::new(name));
    }
    scene.clips.push(galatea::scene::Clip { name: "walk".into(), length: 1.0, ..Default::default() });
    Model::from_scene(&scene, &Default::default()).unwrap().0
}
