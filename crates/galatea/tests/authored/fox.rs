//! A face, a part of a stadium and a prop as artists make them for the Fox Engine.
#![allow(dead_code, reason = "not every test uses all of them")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea::scene::{
    Influences, Material, Mesh, Node, Primitive, Scene, Skin, Slot, Texture, Transform, Vertices,
};
use galatea::texture::Image;

/// A ball of rings and sectors with texture coordinates.
pub(crate) fn ball(rings: u32, sectors: u32, radius: f32) -> (Vertices, Vec<u32>) {
    let mut out = Vertices { uvs: vec![Vec::new()], ..Vertices::default() };
    for ring in 0..=rings {
        for sector in 0..=sectors {
            let (v, u) = (ring as f32 / rings as f32, sector as f32 / sectors as f32);
            let (down, around) = (v * std::f32::consts::PI, u * std::f32::consts::TAU);
            let normal = [down.sin() * around.sin(), down.cos(), down.sin() * around.cos()];
            out.positions.push(normal.map(|c| c * radius));
            out.normals.push(normal);
            out.uvs[0].push([u, v]);
        }
    }
    let mut indices = Vec::new();
    for ring in 0..rings {
        for sector in 0..sectors {
            let a = ring * (sectors + 1) + sector;
            let b = a + sectors + 1;
            if ring > 0 {
                indices.extend([a, b, a + 1]);
            }
            if ring + 1 < rings {
                indices.extend([a + 1, b, b + 1]);
            }
        }
    }
    (out, indices)
}

pub(crate) fn add_mesh(scene: &mut Scene, (vertices, indices): (Vertices, Vec<u32>), material: u32) -> u32 {
    scene.vertices.push(vertices);
    let vertices = scene.vertices.len() as u32 - 1;
    let primitive = Primitive { vertices, indices, material: Some(material), ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.meshes.len() as u32 - 1
}

/// A material with the textures that Blender exports.
pub(crate) fn painted(name: &str, images: &[(Slot, &str)]) -> Material {
    let texture = |(slot, name): &(Slot, &str)| Texture {
        slot: slot.clone(),
        name: (*name).into(),
        ..Texture::default()
    };
    Material {
        name: name.into(),
        roughness: 0.5,
        textures: images.iter().map(texture).collect(),
        ..Material::default()
    }
}

/// A head on a neck, below an armature.
pub(crate) fn face() -> Scene {
    let mut scene = Scene::new("face_high");
    scene.materials = vec![painted("pes-face skin", &[(Slot::Base, "face"), (Slot::Normal, "face_normal")])];
    let armature = scene.add_node(None, Node::new("Armature"));
    let at = |y: f32| Transform { translation: [0.0, y, 0.0], ..Transform::default() };
    let neck = scene.add_node(Some(armature), Node { transform: at(1.5), ..Node::new("sk_neck") });
    let head = scene.add_node(Some(neck), Node { transform: at(0.1), ..Node::new("sk_head") });
    let jaw = scene.add_node(Some(head), Node { transform: at(-0.05), ..Node::new("skf_jaw") });
    scene.add_node(Some(head), Node::new("skf_brow_i.L"));
    let brow = scene.find("skf_brow_i.L").unwrap();
    let (mut vertices, indices) = ball(8, 12, 0.12);
    vertices.positions.iter_mut().for_each(|p| p[1] += 1.6);
    let low = |p: &[f32; 3]| p[1] < 1.55;
    let joints = vertices.positions.iter().flat_map(|p| if low(p) { [1, 2] } else { [1, 0] });
    let weights = vertices.positions.iter().flat_map(|p| if low(p) { [0.25, 0.75] } else { [0.9, 0.1] });
    vertices.influences = Influences { width: 2, joints: joints.collect(), weights: weights.collect() };
    let mesh = add_mesh(&mut scene, (vertices, indices), 0);
    let bind = |y: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., -y, 0., 1.];
    let inverse_bind = vec![bind(1.5), bind(1.6), bind(1.55), bind(1.6)];
    scene.skins.push(Skin { joints: vec![neck, head, jaw, brow], inverse_bind, ..Skin::default() });
    scene.add_node(Some(armature), Node { mesh: Some(mesh), skin: Some(0), ..Node::new("face_high") });
    scene
}

/// A lamp of a stadium with levels of detail, and a pole that has none.
pub(crate) fn stadium() -> Scene {
    let mut scene = Scene::new("lamp");
    let orm = (Slot::OcclusionRoughnessMetallic, "lamp_orm");
    scene.materials = vec![painted("lamp [pes-stadium]", &[(Slot::Base, "lamp"), orm])];
    for (level, rings) in [(0, 12), (1, 8), (2, 4)] {
        let mesh = add_mesh(&mut scene, ball(rings, rings * 2, 1.0), 0);
        scene.add_node(None, Node { mesh: Some(mesh), ..Node::new(&format!("lamp_LOD{level}")) });
    }
    let pole = add_mesh(&mut scene, ball(4, 6, 0.3), 0);
    scene.add_node(None, Node { mesh: Some(pole), ..Node::new("pole") });
    scene
}

/// A crate whose lid is seen from both sides.
pub(crate) fn prop() -> Scene {
    let mut scene = Scene::new("crate");
    let lid = Material { two_sided: true, ..painted("lid", &[(Slot::Base, "crate_bsm")]) };
    let red = Material { base_color: [0.5, 0.0, 0.0, 1.0], ..painted("knob", &[]) };
    scene.materials =
        vec![painted("tpp-static", &[(Slot::Base, "crate_bsm"), (Slot::Normal, "crate_nrm")]), lid, red];
    for (name, material, radius) in [("crate", 0, 1.0), ("lid", 1, 0.8), ("knob", 2, 0.1)] {
        let mesh = add_mesh(&mut scene, ball(6, 8, radius), material);
        scene.add_node(None, Node { mesh: Some(mesh), ..Node::new(name) });
    }
    scene
}

/// The colour of the images that the models come with, and their normal.
pub(crate) const COLOUR: [u8; 4] = [200, 100, 50, 255];

pub(crate) fn glb(scene: &Scene) -> Vec<u8> {
    let png = galatea::texture::encode::png(&Image::filled(8, 8, COLOUR)).unwrap();
    let image =
        |_: &str| Some(galatea::gltf::ImageSource::Embedded { mime: "image/png".into(), bytes: png.clone() });
    galatea::gltf::write_glb(scene, &galatea::gltf::Options::default().with_image(&image)).unwrap()
}
