//! What the renderer promises, on scenes built here.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::sync::Arc;

use galatea_preview::{Image, Options, Texture, animation, render, turntable};
use galatea_scene::{AlphaMode, Material, Mesh, Node, Primitive, Scene, Slot, Vertices};

/// A square that fills the view from the front, facing it or turned away.
fn square(material: Material, front: bool) -> Scene {
    let mut scene = Scene::new("square");
    let uvs = vec![vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]];
    let positions = vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    scene.vertices.push(Vertices { positions, uvs, ..Vertices::default() });
    let indices = if front { vec![0, 1, 2, 0, 2, 3] } else { vec![0, 2, 1, 0, 3, 2] };
    scene.materials.push(material);
    let primitive = Primitive { indices, material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("square") });
    scene
}

fn flat(colour: [f32; 4]) -> Material {
    Material { base_color: colour, unlit: true, ..Material::default() }
}

fn front_view() -> Options {
    Options::default().with_size(64, 64).with_yaw(0.0).with_pitch(0.0).with_background([0, 0, 0, 0])
}

fn middle(image: &Image) -> [u8; 4] {
    image.get(image.width / 2, image.height / 2).unwrap()
}

#[test]
fn a_front_is_seen_and_a_back_only_if_two_sided() {
    let red = flat([1.0, 0.0, 0.0, 1.0]);
    let draw = |scene: &Scene| middle(&render(scene, &front_view(), &|_| None).unwrap());
    assert_eq!(draw(&square(red.clone(), true)), [255, 0, 0, 255]);
    assert_eq!(draw(&square(Material { two_sided: true, ..red.clone() }, false)), [255, 0, 0, 255]);
    // A back is not seen beside something else; where there is nothing else, it is.
    assert_eq!(draw(&square(red.clone(), false)), [255, 0, 0, 255]);
    let mut scene = square(red, false);
    scene.vertices.push(Vertices {
        positions: vec![[1.5, 0.0, 0.0], [2.5, 0.0, 0.0], [1.5, 1.0, 0.0]],
        ..Default::default()
    });
    let primitive = Primitive { vertices: 1, indices: vec![0, 1, 2], ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(1), ..Node::new("beside") });
    assert_eq!(render(&scene, &front_view(), &|_| None).unwrap().get(10, 32), Some([0, 0, 0, 0]));
}

#[test]
fn light_over_nothing_is_seen() {
    let glow = Material { alpha: AlphaMode::Additive, ..flat([1.0, 0.5, 0.0, 1.0]) };
    let [r, _, b, a] = middle(&render(&square(glow, true), &front_view(), &|_| None).unwrap());
    assert_eq!((r, b, a), (255, 0, 255));
}

#[test]
fn every_pixel_of_a_divided_square_is_covered_once() {
    // Partly transparent: a pixel drawn twice along the diagonal would be darker than the others.
    let half = Material { alpha: AlphaMode::Blend, ..flat([1.0, 1.0, 1.0, 0.4]) };
    let image = render(&square(half, true), &front_view().with_samples(1), &|_| None).unwrap();
    let inner: std::collections::BTreeSet<[u8; 4]> =
        (8..56).flat_map(|y| (8..56).map(move |x| (x, y))).map(|(x, y)| image.get(x, y).unwrap()).collect();
    assert_eq!(inner.into_iter().collect::<Vec<_>>(), [[255, 255, 255, 102]]);
}

#[test]
fn textures_are_right_side_up_and_right_way_round() {
    // Red, green / blue, white, in blocks of 4 x 4.
    let quarters = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]];
    let rgba: Vec<u8> = (0..64).flat_map(|i| quarters[i / 32 * 2 + i % 8 / 4]).collect();
    let image = Arc::new(Texture::new(8, 8, &rgba).unwrap());
    let texture = galatea_scene::Texture { slot: Slot::Base, name: "flag".into(), ..Default::default() };
    let material = Material { textures: vec![texture], ..flat([1.0; 4]) };
    let image = render(&square(material.clone(), true), &front_view(), &|name| {
        (name == "flag").then(|| image.clone())
    })
    .unwrap();
    let strongest = |x: u32, y: u32| image.get(x, y).unwrap();
    assert_eq!(strongest(18, 18), [255, 0, 0, 255]);
    assert_eq!(strongest(46, 18), [0, 255, 0, 255]);
    assert_eq!(strongest(18, 46), [0, 0, 255, 255]);
    let missing = middle(&render(&square(material, true), &front_view(), &|_| None).unwrap());
    assert!(
        missing[0] == missing[1] && missing[0] > 100,
        "a missing texture is a quiet checker: {missing:?}"
    );
}

#[test]
fn masks_cut_and_additive_adds() {
    let draw = |alpha: AlphaMode, opacity: f32| {
        let material = Material { alpha, ..flat([0.25, 0.25, 0.25, opacity]) };
        let options = front_view().with_background([128, 128, 128, 255]);
        middle(&render(&square(material, true), &options, &|_| None).unwrap())[0]
    };
    assert_eq!(draw(AlphaMode::Mask { cutoff: 0.5 }, 0.4), 128);
    assert_eq!(draw(AlphaMode::Mask { cutoff: 0.3 }, 0.4), 128, "a quarter of the light is 128 too");
    assert!(draw(AlphaMode::Additive, 1.0) > 170);
}

#[test]
fn nearer_hides_farther_whatever_the_order() {
    for swap in [false, true] {
        let mut scene = square(flat([0.0, 1.0, 0.0, 1.0]), true);
        scene.materials.push(flat([1.0, 0.0, 0.0, 1.0]));
        let primitive = Primitive { material: Some(1), ..scene.meshes[0].primitives[0].clone() };
        scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let mut node = Node { mesh: Some(1), ..Node::new("front") };
        node.transform.translation = [0.0, 0.0, if swap { -0.5 } else { 0.5 }];
        scene.add_node(None, node);
        let found = middle(&render(&scene, &front_view(), &|_| None).unwrap());
        assert_eq!(found, if swap { [0, 255, 0, 255] } else { [255, 0, 0, 255] });
    }
}

#[test]
fn hidden_nodes_are_hidden() {
    let mut scene = square(flat([1.0; 4]), true);
    let mut beside = Node { mesh: Some(0), ..Node::new("beside") };
    beside.transform.translation = [4.0, 0.0, 0.0];
    scene.add_node(None, beside);
    let left = |scene: &Scene| render(scene, &front_view(), &|_| None).unwrap().get(10, 32).unwrap();
    assert_eq!(left(&scene), [255; 4]);
    scene.nodes[1].visible = false;
    assert_eq!(left(&scene), [255; 4], "what is left fills the image");
    scene.nodes[1].visible = true;
    scene.nodes[0].visible = false;
    assert_eq!(left(&scene), [255; 4]);
    let clip = galatea_scene::Clip { name: "gone".into(), length: 1.0, ..Default::default() };
    scene.clips.push(clip);
    scene.nodes[1].visible = false;
    // At rest a model that is hidden as a whole is shown all the same; in a clip it is gone.
    assert_eq!(left(&scene), [255; 4]);
    let playing = front_view().with_clip(Some("gone".into()));
    assert_eq!(middle(&render(&scene, &playing, &|_| None).unwrap()), [0, 0, 0, 0]);
}

#[test]
fn the_camera_stands_before_the_front() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut scene = square(flat([1.0, 0.0, 0.0, 1.0]), false);
    let top = scene.add_axes([-half, 0.0, 0.0, half], 1.0);
    scene.nodes[0].parent = Some(top);
    scene.nodes[top as usize].children = vec![0];
    // The square stands upright in a format whose Z is up; its front looks along positive Y, away from the scene's front.
    scene.nodes[0].transform.rotation = [half, 0.0, 0.0, half];
    // From the other side the scene is the same square mirrored: what is left of the middle shows which side it is.
    scene.vertices[0].colors = vec![vec![[1.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0; 4]]];
    scene.materials[0].two_sided = true;
    let left = |scene: &Scene| render(scene, &front_view(), &|_| None).unwrap().get(10, 32).unwrap()[0];
    let before = left(&scene);
    scene.set_front([0.0, 1.0, 0.0]);
    assert!((i32::from(before) - i32::from(left(&scene))).abs() > 60);
}

#[test]
fn own_light_shows_the_texture_and_is_plain_without_one() {
    let glowing = Material { emissive: [1.0; 3], ..Material::default() };
    let draw = |material: Material| {
        let red = Arc::new(Texture::new(1, 1, &[255, 0, 0, 255]).unwrap());
        middle(&render(&square(material, true), &front_view(), &|_| Some(red.clone())).unwrap())
    };
    assert_eq!(draw(glowing.clone()), [255; 4]);
    let texture = galatea_scene::Texture { slot: Slot::Base, name: "sky".into(), ..Default::default() };
    assert_eq!(draw(Material { textures: vec![texture], ..glowing }), [255, 0, 0, 255]);
}

#[test]
fn impossible_sizes_are_refused() {
    let scene = Scene::new("empty");
    for (width, height) in [(0, 10), (10, 0), (100_000, 10), (4097, 1)] {
        assert!(render(&scene, &Options::default().with_size(width, height), &|_| None).is_err());
    }
    let one = render(&scene, &Options::default().with_size(1, 1), &|_| None).unwrap();
    assert_eq!(one.pixels, [46, 50, 56, 255]);
}

#[test]
fn an_unknown_clip_names_the_known_ones() {
    let options = Options::default().with_clip(Some("dance".into()));
    let error = render(&galatea_scene::example(), &options, &|_| None).unwrap_err().to_string();
    assert!(error.contains("dance") && error.contains("wave"), "{error}");
}

#[test]
fn wild_numbers_make_an_image_all_the_same() {
    for scale in [f32::NAN, f32::INFINITY, 1e12, 3e38, 1e-30, 0.0] {
        let mut scene = square(Material::default(), true);
        for position in &mut scene.vertices[0].positions {
            *position = position.map(|v| v * scale);
        }
        let options = front_view().with_skeleton(true).with_wire(true).with_bounds(true);
        assert_eq!(render(&scene, &options, &|_| None).unwrap().pixels.len(), 64 * 64 * 4, "{scale}");
    }
    let mut scene = square(Material::default(), true);
    scene.vertices[0].positions[2] = [f32::NAN, 1e30, f32::NEG_INFINITY];
    scene.meshes[0].primitives[0].indices.extend([7, 9, u32::MAX, 1]);
    assert!(render(&scene, &front_view(), &|_| None).is_ok());
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let options = Options::default().with_skeleton(true);
    let draw = || render(&galatea_scene::example(), &options, &|_| None).unwrap().png().unwrap();
    assert_eq!(draw(), draw());
}

#[test]
fn a_turntable_is_an_animation_of_its_frames() {
    let options = Options::default().with_size(32, 32);
    let frames = turntable(&galatea_scene::example(), &options, 8, &|_| None).unwrap();
    assert_eq!(frames.len(), 8);
    assert_ne!(frames[0], frames[2]);
    let bytes = animation(&frames, 12.0).unwrap();
    assert!(bytes.windows(4).any(|w| w == b"acTL"));
    assert!(animation(&[], 12.0).is_err());
}

#[test]
fn strokes_lie_on_the_scene_or_show_through_it() {
    let white = flat([1.0, 1.0, 1.0, 1.0]);
    let stroke = |z: f32, on_top: bool, points: &[f32]| galatea_preview::Stroke {
        points: points.iter().map(|x| [*x, 0.0, z]).collect(),
        colour: [255, 0, 0],
        width: 6.0,
        on_top,
    };
    let draw = |stroke: galatea_preview::Stroke| {
        let options = front_view().with_strokes(vec![stroke]);
        middle(&render(&square(white.clone(), true), &options, &|_| None).unwrap())
    };
    let red = [255, 0, 0, 255];
    assert_eq!(draw(stroke(0.0, false, &[-0.5, 0.5])), red, "a line on the square");
    assert_eq!(draw(stroke(0.0, false, &[0.0])), red, "a dot");
    assert_eq!(draw(stroke(-1.0, false, &[-0.5, 0.5])), [255; 4], "hidden behind it");
    assert_eq!(draw(stroke(-1.0, true, &[-0.5, 0.5])), red, "seen through it");
    // What is drawn outside the model is in the image, too.
    let far = front_view().with_strokes(vec![stroke(0.0, false, &[5.0])]);
    let image = render(&square(white, true), &far, &|_| None).unwrap();
    assert!((0..64).any(|x| image.get(x, 32) == Some(red)));
}
