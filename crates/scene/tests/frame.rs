//! Frames: what is drawn, and what is framed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]

use galatea_scene::{
    Frame, Instant, Material, Mesh, Node, Performance, PlainPerformance, Primitive, Purpose, Scene, Shown,
    Sprite, Vertices, example,
};

const FRONT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Adds a strip of triangles over a square of this size.
fn add(scene: &mut Scene, size: f32, triangles: u32, purpose: Purpose, lod: Option<u32>) {
    let step = size / triangles as f32;
    let positions = (0..=triangles + 1).map(|i| [i as f32 * step, size * (i % 2) as f32, 0.0]).collect();
    let vertices = scene.vertices.len() as u32;
    scene.vertices.push(Vertices { positions, ..Vertices::default() });
    let indices = (0..triangles).flat_map(|i| [i, i + 1, i + 2]).collect();
    let mesh = Some(scene.meshes.len() as u32);
    let primitives = vec![Primitive { vertices, indices, ..Primitive::default() }];
    scene.meshes.push(Mesh { primitives, purpose, lod, ..Mesh::default() });
    scene.add_node(None, Node { mesh, visible: lod.unwrap_or(0) == 0, ..Node::new("part") });
}

fn frame(scene: &Scene, shown: Shown) -> Frame {
    PlainPerformance.frame(scene, &Instant::new(None, 0.0, FRONT), &shown)
}

fn sprite(at: f32, alpha: f32) -> Sprite {
    Sprite {
        corners: [[at, 0.0, 0.0], [at, 1.0, 0.0], [at + 1.0, 1.0, 0.0], [at + 1.0, 0.0, 0.0]],
        uvs: [[0.0; 2]; 4],
        color: [1.0, 1.0, 1.0, alpha],
        material: 0,
        order: 0,
    }
}

#[test]
fn a_backdrop_does_not_make_the_model_a_speck() {
    let mut scene = Scene::new("x");
    add(&mut scene, 1.0, 40, Purpose::Render, None);
    add(&mut scene, 100.0, 2, Purpose::Render, None);
    let frame = frame(&scene, Shown::default());
    assert!(frame.bounds(&scene).unwrap().size() > 100.0);
    assert!(frame.framing_bounds(&scene).unwrap().size() < 2.0);
    // Where the large part is most of the model, it counts.
    let mut scene = Scene::new("x");
    add(&mut scene, 1.0, 2, Purpose::Render, None);
    add(&mut scene, 100.0, 40, Purpose::Render, None);
    assert!(self::frame(&scene, Shown::default()).framing_bounds(&scene).unwrap().size() > 100.0);
}

#[test]
fn strays_and_invisible_sprites_are_not_framed() {
    let mut scene = Scene::new("x");
    scene.materials.push(Material::default());
    let mut frame = frame(&scene, Shown::default());
    frame.sprites = (0..100).map(|i| sprite(i as f32 * 0.01, 1.0)).collect();
    frame.sprites.push(sprite(500.0, 1.0));
    frame.sprites.push(sprite(-900.0, 0.001));
    let [x, ..] = frame.framing_bounds(&scene).unwrap().max;
    assert!((1.9..3.0).contains(&x), "{x}");
}

#[test]
fn levels_and_walk_surfaces_are_shown_on_request() {
    let mut scene = Scene::new("x");
    add(&mut scene, 1.0, 4, Purpose::Render, Some(0));
    add(&mut scene, 1.0, 2, Purpose::Render, Some(1));
    add(&mut scene, 1.0, 2, Purpose::Walk, None);
    let nodes = |shown| frame(&scene, shown).surfaces.iter().map(|s| s.node).collect::<Vec<_>>();
    assert_eq!(nodes(Shown::default()), [0]);
    assert_eq!(nodes(Shown::default().with_level(1)), [1]);
    assert_eq!(nodes(Shown::default().with_level(9)), [1]);
    assert_eq!(nodes(Shown::default().with_walk(true)), [0, 2]);
    // A walkmesh alone stands in, unless there are effects to see.
    scene.meshes.truncate(3);
    for mesh in scene.meshes.iter_mut().take(2) {
        mesh.primitives.clear();
    }
    let count = |shown| frame(&scene, shown).surfaces.len();
    assert_eq!((count(Shown::default()), count(Shown::default().with_stand_in(false))), (1, 0));
}

#[test]
fn a_looping_clip_starts_again() {
    let scene = example();
    let (clip, length) =
        scene.clips.iter().position(|c| c.name == "wave").map(|i| (i, scene.clips[i].length)).unwrap();
    let at =
        |time| PlainPerformance.frame(&scene, &Instant::new(Some(clip), time, FRONT), &Shown::default()).pose;
    assert_eq!(at(length + 0.25).local, at(0.25).local);
}
