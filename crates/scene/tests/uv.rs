//! `UvTransform::apply` and `Scene::apply_uv_transforms`.
#![cfg(test)]

use std::f32::consts::FRAC_PI_2;

use galatea_scene::{Material, Mesh, Primitive, Scene, Slot, Texture, UvTransform, Vertices};

fn shifted(offset: [f32; 2]) -> Option<UvTransform> {
    Some(UvTransform { offset, ..UvTransform::default() })
}

fn material(textures: &[(Slot, u32, Option<UvTransform>)]) -> Material {
    let texture = |(slot, uv_set, transform): &_| Texture {
        slot: Slot::clone(slot),
        uv_set: *uv_set,
        transform: *transform,
        ..Texture::default()
    };
    Material { name: "stone".into(), textures: textures.iter().map(texture).collect(), ..Material::default() }
}

/// Primitives over one vertex with two sets of coordinates, one for each of these materials.
fn scene(materials: Vec<Material>, used: &[Option<u32>]) -> Scene {
    let vertices = Vertices {
        positions: vec![[0.0; 3]],
        uvs: vec![vec![[0.25, 0.5]], vec![[0.75, 1.0]]],
        ..Vertices::default()
    };
    let primitives = used.iter().map(|material| Primitive { material: *material, ..Primitive::default() });
    let mesh = Mesh { primitives: primitives.collect(), ..Mesh::default() };
    Scene { materials, vertices: vec![vertices], meshes: vec![mesh], ..Scene::new("x") }
}

fn uvs(scene: &Scene, primitive: usize) -> [[f32; 2]; 2] {
    let vertices = scene.vertices_of(&scene.meshes[0].primitives[primitive]).unwrap();
    [vertices.uvs[0][0], vertices.uvs[1][0]]
}

#[test]
fn coordinates_are_scaled_turned_and_moved_in_this_order() {
    // The matrix of KHR_texture_transform: offset * rotation * scale, with (cos, sin; -sin, cos).
    let all = UvTransform { offset: [10.0, 20.0], rotation: FRAC_PI_2, scale: [2.0, 4.0] };
    let [u, v] = all.apply([1.0, 1.0]);
    assert!((u - 14.0).abs() < 1e-5 && (v - 18.0).abs() < 1e-5, "{u} {v}");
    assert_eq!(UvTransform::default().apply([0.125, -3.0]), [0.125, -3.0]);
}

#[test]
fn a_change_goes_into_the_coordinates_of_its_set() {
    let mut scene = scene(vec![material(&[(Slot::Base, 1, shifted([0.5, 0.25]))])], &[Some(0)]);
    assert!(scene.apply_uv_transforms().is_empty());
    assert_eq!(uvs(&scene, 0), [[0.25, 0.5], [1.25, 1.25]]);
    assert_eq!(scene.materials[0].textures[0].transform, None);
    // Nothing is left to do.
    let before = scene.clone();
    assert!(scene.apply_uv_transforms().is_empty());
    assert_eq!(scene, before);
}

#[test]
fn vertices_are_shared_by_primitives_of_one_material_only() {
    let plain = material(&[(Slot::Base, 0, None)]);
    let moved = material(&[(Slot::Base, 0, shifted([1.0, 0.0]))]);
    let mut scene = scene(vec![plain, moved], &[Some(0), Some(1), Some(1), None, Some(9)]);
    assert!(scene.apply_uv_transforms().is_empty());
    let of: Vec<u32> = scene.meshes[0].primitives.iter().map(|p| p.vertices).collect();
    assert_eq!(of, [0, 1, 1, 0, 0]);
    assert_eq!(uvs(&scene, 0)[0], [0.25, 0.5]);
    assert_eq!(uvs(&scene, 1)[0], [1.25, 0.5]);
}

#[test]
fn of_textures_that_share_a_set_the_first_decides() {
    let (first, second) = (shifted([1.0, 0.0]), shifted([0.0, 1.0]));
    let textures = [(Slot::Base, 0, first), (Slot::Normal, 0, second), (Slot::Emissive, 0, first)];
    let mut scene = scene(vec![material(&textures)], &[Some(0)]);
    let losses = scene.apply_uv_transforms();
    assert_eq!(losses.len(), 1);
    let line = losses[0].to_string();
    assert!(line.contains("stone") && line.contains("normal"), "{line}");
    assert_eq!(uvs(&scene, 0)[0], [1.25, 0.5]);
}

#[test]
fn a_change_that_changes_nothing_is_none() {
    let same = Some(UvTransform::default());
    let mut scene = scene(vec![material(&[(Slot::Base, 0, same), (Slot::Normal, 0, None)])], &[Some(0)]);
    assert!(scene.apply_uv_transforms().is_empty());
    assert_eq!((scene.vertices.len(), scene.materials[0].textures[0].transform), (1, None));
}

#[test]
fn sets_and_vertices_that_do_not_exist_are_left_out() {
    let mut scene = scene(vec![material(&[(Slot::Base, 7, shifted([1.0, 1.0]))])], &[Some(0)]);
    scene.meshes[0].primitives.push(Primitive { vertices: 99, material: Some(0), ..Primitive::default() });
    assert!(scene.apply_uv_transforms().is_empty());
    assert_eq!(uvs(&scene, 0), [[0.25, 0.5], [0.75, 1.0]]);
    assert_eq!(scene.meshes[0].primitives[1].vertices, 99);
}
