//! Images: one of 10,000 triangles with a skin and a texture, and a contact sheet of models of the corpus.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use galatea::disk::Loaded;
use galatea::preview::{self, Image, Options, Texture};
use galatea::scene::{
    AlphaMode, Channel, Clip, Frame, Influences, Interpolation, Material, Mesh, Node, Performance,
    PlainPerformance, Primitive, Property, Scene, Skin, Sprite, Texture as Named, Vertices,
};
use galatea::{Limits, SceneContext, fox};
use rayon::prelude::*;

use super::{fastest, files};

/// Milliseconds that 10,000 triangles may cost on one core.
const MUST: f64 = 60.0;
/// Milliseconds that 10,000 sprites may cost on one core.
const SPRITES_MUST: f64 = 40.0;
/// Milliseconds that posing 10,000 triangles into a frame may cost on one core.
const FRAME_MUST: f64 = 3.0;
/// Models on the sheet.
const MODELS: usize = 200;

pub(super) fn run() {
    let [one, two] = [1, 2].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build());
    let (Ok(one), Ok(two)) = (one, two) else { return };
    ball(&one);
    character();
    sprites(&one);
    sheet([&one, &two]);
}

/// A ball of 100 x 50 squares, half of it on another bone.
fn ball(pool: &rayon::ThreadPool) {
    let mut vertices = Vertices { uvs: vec![Vec::new()], ..Vertices::default() };
    for row in 0..=50u16 {
        for column in 0..=100u16 {
            let (u, v) = (f32::from(column) / 100.0, f32::from(row) / 50.0);
            let (a, b) = (u * std::f32::consts::TAU, v * std::f32::consts::PI);
            let point = [b.sin() * a.cos(), b.cos(), b.sin() * a.sin()];
            vertices.positions.push(point);
            vertices.normals.push(point);
            vertices.uvs.iter_mut().for_each(|set| set.push([u * 4.0, v * 2.0]));
            vertices.influences.weights.extend([v, 1.0 - v]);
            vertices.influences.joints.extend([0, 1]);
        }
    }
    vertices.influences = Influences { width: 2, ..vertices.influences };
    let squares = (0..50u32).flat_map(|row| (0..100u32).map(move |column| row * 101 + column));
    let indices: Vec<u32> = squares.flat_map(|i| [i, i + 1, i + 101, i + 101, i + 1, i + 102]).collect();
    let triangles = indices.len() / 3;
    let mut scene = Scene::default();
    scene.vertices.push(vertices);
    let texture = Named { name: "ball".into(), ..Named::default() };
    scene.materials.push(Material { textures: vec![texture], ..Material::default() });
    let primitive = Primitive { indices, material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let joints = vec![scene.add_node(None, Node::new("upper")), scene.add_node(None, Node::new("lower"))];
    scene.skins.push(Skin { joints, ..Skin::default() });
    scene.add_node(None, Node { mesh: Some(0), skin: Some(0), ..Node::new("ball") });
    let pixels: Vec<u8> = (0..256 * 256u32).flat_map(|i| [i as u8, (i >> 8) as u8, 128, 255]).collect();
    let Some(texture) = Texture::new(256, 256, &pixels).map(Arc::new) else { return };
    let seconds = pool.install(|| {
        let [seconds] = fastest([&mut || {
            drop(black_box(preview::render(&scene, &Options::default(), &|_| Some(Arc::clone(&texture)))));
        }]);
        seconds
    });
    let (spent, Options { width, height, .. }) = (seconds * 1e3, Options::default());
    println!(
        "image, {triangles} triangles with skin and texture, {width} x {height}, one thread: {spent:.1} ms (at most {MUST:.0}: {})",
        verdict(spent, MUST)
    );
    let look = Options::default();
    let Ok(at) = preview::instant(&scene, &look) else { return };
    let [seconds] = fastest([&mut || {
        drop(black_box(PlainPerformance.frame(&scene, &at, &look.shown(false))));
    }]);
    let spent = seconds * 1e3;
    println!(
        "frame, {triangles} triangles with skin, one thread: {spent:.2} ms (at most {FRAME_MUST:.0}: {})",
        verdict(spent, FRAME_MUST)
    );
}

/// Joints of a character.
const JOINTS: u16 = 64;

/// A character of 10,000 triangles: ten parts with a skin of 64 joints, four of which move each vertex, playing a clip that turns them all.
fn character() {
    let mut scene = Scene::default();
    let mut joints = Vec::new();
    for joint in 0..JOINTS {
        let mut node = Node::new("joint");
        node.transform.translation = [0.0, 0.1, 0.0];
        let above = if joint % 16 == 0 { None } else { joints.last().copied() };
        joints.push(scene.add_node(above, node));
    }
    let mut clip = Clip { length: 2.0, ..Clip::default() };
    for joint in &joints {
        let times: Vec<f32> = (0..41u8).map(|key| f32::from(key) * 0.05).collect();
        let turn = |time: &f32| [0.0, 0.0, (time * 0.3).sin(), (time * 0.3).cos()];
        let values: Vec<f32> = times.iter().flat_map(turn).collect();
        clip.channels.push(Channel::node(*joint, Property::Rotation, Interpolation::Linear, times, values));
    }
    scene.clips.push(clip);
    scene.skins.push(Skin { joints, ..Skin::default() });
    let mut triangles = 0;
    for part in 0..10u16 {
        let mut vertices = Vertices { uvs: vec![Vec::new()], ..Vertices::default() };
        // 20 x 25 squares, whose seams are not shared.
        for row in 0..=20u16 {
            for column in 0..=25u16 {
                let (x, y) = (f32::from(column) * 0.04, f32::from(row) * 0.05);
                vertices.positions.push([x, y, f32::from(part) * 0.1]);
                vertices.normals.push([0.0, 0.0, 1.0]);
                vertices.uvs.iter_mut().for_each(|set| set.push([x, y]));
                let first = (part * 6 + row) % (JOINTS - 3);
                vertices.influences.joints.extend([first, first + 1, first + 2, first + 3]);
                vertices.influences.weights.extend([0.4, 0.3, 0.2, 0.1]);
            }
        }
        vertices.influences = Influences { width: 4, ..vertices.influences };
        let squares = (0..20u32).flat_map(|row| (0..25u32).map(move |column| row * 26 + column));
        let indices: Vec<u32> = squares.flat_map(|i| [i, i + 1, i + 26, i + 26, i + 1, i + 27]).collect();
        triangles += indices.len() / 3;
        let id = scene.vertices.len() as u32;
        scene.vertices.push(vertices);
        let primitive = Primitive { vertices: id, indices, ..Primitive::default() };
        scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        scene.add_node(None, Node { mesh: Some(id), skin: Some(0), ..Node::new("part") });
    }
    let look = Options::default();
    let Ok(rest) = preview::instant(&scene, &look) else { return };
    let at = galatea::scene::Instant::new(Some(0), 0.777, rest.camera);
    let [seconds] = fastest([&mut || {
        drop(black_box(PlainPerformance.frame(&scene, &at, &look.shown(false))));
    }]);
    let spent = seconds * 1e3;
    println!(
        "frame, a character of {triangles} triangles and {JOINTS} joints in a clip, one thread: {spent:.2} ms (at most {FRAME_MUST:.0}: {})",
        verdict(spent, FRAME_MUST)
    );
}

fn verdict(spent: f64, must: f64) -> &'static str {
    if spent <= must { "ok" } else { "ABOVE" }
}

/// 10,000 sprites of 12 x 12 pixels, blended over each other in both ways.
fn sprites(pool: &rayon::ThreadPool) {
    let mut scene = Scene::default();
    for alpha in [AlphaMode::Additive, AlphaMode::Blend] {
        let texture = Named { name: "spark".into(), ..Named::default() };
        scene.materials.push(Material { alpha, textures: vec![texture], ..Material::default() });
    }
    scene.add_node(None, Node::new("top"));
    let look = Options::default();
    let Ok(at) = preview::instant(&scene, &look) else { return };
    let mut frame: Frame = PlainPerformance.frame(&scene, &at, &look.shown(true));
    let (right, up) = ([0.82, 0.0, -0.57], [-0.2, 0.94, -0.28]);
    for i in 0..10_000u16 {
        let (x, y) = (f32::from(i % 100) / 50.0 - 1.0, f32::from(i / 100) / 50.0 - 1.0);
        let corner = |a: f32, b: f32| {
            let (x, y) = (x + a * 0.023, y + b * 0.023);
            [right[0] * x + up[0] * y, up[1] * y, right[2] * x + up[2] * y]
        };
        frame.sprites.push(Sprite {
            corners: [corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)],
            uvs: [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]],
            color: [1.0, 0.7, 0.4, 0.5],
            material: u32::from(i % 2),
            order: 0,
        });
    }
    let pixels: Vec<u8> =
        (0..64 * 64u32).flat_map(|i| [i as u8, (i >> 4) as u8, 200, (i % 64 * 4) as u8]).collect();
    let Some(texture) = Texture::new(64, 64, &pixels).map(Arc::new) else { return };
    let seconds = pool.install(|| {
        let [seconds] = fastest([&mut || {
            drop(black_box(preview::render_frame(&scene, &frame, &look, &|_| Some(Arc::clone(&texture)))));
        }]);
        seconds
    });
    let spent = seconds * 1e3;
    println!(
        "image, 10000 sprites of 12 x 12 pixels with blending, 512 x 512, one thread: {spent:.1} ms (at most {SPRITES_MUST:.0}: {})",
        verdict(spent, SPRITES_MUST)
    );
}

fn image(loaded: &Loaded, names: &fox::Dictionary) -> Option<(String, Image)> {
    let document = galatea::open(&loaded.input(), &Limits::default()).ok()?;
    let scene = document.to_scene(&SceneContext::new("model").with_names(names))?;
    let look = Options::default().with_size(128, 128);
    Some((scene.name.clone(), preview::render(&scene, &look, &|_| None).ok()?))
}

/// Models of all families, spread over the corpus, read, drawn and put on one sheet.
fn sheet(pools: [&rayon::ThreadPool; 2]) {
    let names = fox::Dictionary::new();
    let mut models = Vec::new();
    for (part, endings) in [("kotor", ".mdl"), ("mdx", ".mdx"), ("fmdl", ".fmdl")] {
        let all = files::all(part, &[endings]);
        let step = (all.len() / MODELS.div_ceil(3)).max(1);
        models.extend(all.into_iter().step_by(step).take(MODELS.div_ceil(3)));
    }
    models.truncate(MODELS);
    if models.is_empty() {
        println!("sheet: no corpus");
        return;
    }
    let mut rates = Vec::new();
    for (threads, pool) in (1..).zip(pools) {
        let start = Instant::now();
        let drawn = pool.install(|| {
            let images: Vec<_> = models.par_iter().filter_map(|m| image(m, &names)).collect();
            black_box(preview::sheet(&images, 0, [46, 50, 56, 255]).and_then(|s| s.png()).is_ok());
            images.len()
        });
        let rate = drawn as f64 / start.elapsed().as_secs_f64();
        println!("sheet, {drawn} models of 128 x 128, {threads} threads: {rate:.0} files/s");
        rates.push(rate);
    }
    if let [one, two] = rates.as_slice() {
        println!("  scaling {:.2}", two / one);
    }
}
