//! Effects as animated meshes, for programs that play only what glTF can say.

use galatea_scene::{
    BAKED, Channel, Frame, Instant, Interpolation, Mesh, Node, NodeId, Performance, Playback, Primitive,
    Property, Scene, Shown, Sprite, Vertices,
};
use galatea_wire::Loss;

/// Frames per second.
const RATE: f32 = 12.0;
/// Seconds that a looping clip has played before what is baked of it.
const BUILD_UP: f32 = 2.5;
/// Frames of a clip; a longer clip has fewer of them per second.
const FRAMES: f32 = 120.0;
/// Sprites of all frames.
const SPRITES: usize = 200_000;

/// A scene with its effects baked.
pub(crate) struct Baked {
    pub(crate) scene: Scene,
    pub(crate) losses: Vec<Loss>,
}

/// The frames that a clip is sampled at.
struct Samples {
    start: f32,
    step: f32,
    count: u16,
}

impl Samples {
    fn of(length: f32, playback: Playback) -> Samples {
        let count = (length * RATE).ceil().clamp(1.0, FRAMES);
        let start = if playback == Playback::Loop { (BUILD_UP / length).ceil() * length } else { 0.0 };
        Samples { start, step: length / count, count: count as u16 }
    }
}

/// Adds the sprites of each clip to its scene as meshes: one for each sampled frame, on a node that is shown during that frame
/// and has no size at other times. Sprites that face the camera face the front of the model.
pub(crate) fn bake(scene: &Scene, performance: &mut dyn Performance) -> Baked {
    let mut out = scene.clone();
    for id in performance.extend(&mut out) {
        if let Some(material) = out.materials.get_mut(id as usize) {
            material.extras.insert(BAKED, true);
        }
    }
    let posed = out.clone();
    let camera = facing_front(scene);
    let (mut room, mut losses) = (SPRITES, Vec::new());
    for (number, clip) in scene.clips.iter().enumerate() {
        if clip.playback == Playback::Always || clip.length.is_nan() || clip.length <= 0.0 {
            continue;
        }
        let samples = Samples::of(clip.length, clip.playback);
        for index in 0..samples.count {
            let time = samples.start + samples.step * f32::from(index);
            let at = Instant::new(Some(number), time, camera);
            let frame = performance.frame(&posed, &at, &Shown::default());
            if frame.sprites.is_empty() {
                continue;
            }
            let Some(left) = room.checked_sub(frame.sprites.len()) else {
                let what = format!("effects after {SPRITES} baked sprites");
                losses.push(Loss::new(format!("clip {:?}", clip.name), what));
                return Baked { scene: out, losses };
            };
            room = left;
            let node = add_frame(&mut out, &frame, &format!("effects {} {index}", clip.name));
            let channel = shown_during(node, samples.step * f32::from(index), samples.step, clip.length);
            if let Some(clip) = out.clips.get_mut(number) {
                clip.channels.push(channel);
            }
        }
    }
    Baked { scene: out, losses }
}

/// Returns the rotation of a camera before the front of a model.
fn facing_front(scene: &Scene) -> [f32; 4] {
    let [x, _, z] = scene.front();
    let length = (x * x + z * z).sqrt();
    let cosine = if length > 1e-3 { (z / length).clamp(-1.0, 1.0) } else { 1.0 };
    // Half of the angle about the upright axis.
    let (half_sine, half_cosine) = (((1.0 - cosine) / 2.0).sqrt(), ((1.0 + cosine) / 2.0).sqrt());
    [0.0, half_sine.copysign(x), 0.0, half_cosine]
}

/// Adds the sprites of a frame as a mesh on a node of its own.
fn add_frame(scene: &mut Scene, frame: &Frame, name: &str) -> NodeId {
    let mut sprites: Vec<&Sprite> = frame.sprites.iter().collect();
    sprites.sort_by_key(|s| (s.order, s.material));
    let mut mesh = Mesh { name: name.to_owned(), ..Mesh::default() };
    mesh.extras.insert(BAKED, true);
    for group in sprites.chunk_by(|a, b| (a.order, a.material) == (b.order, b.material)) {
        let mut vertices =
            Vertices { uvs: vec![Vec::new()], colors: vec![Vec::new()], ..Vertices::default() };
        let mut indices = Vec::with_capacity(group.len() * 6);
        for sprite in group {
            let first = vertices.positions.len() as u32;
            vertices.positions.extend(sprite.corners);
            vertices.uvs.iter_mut().for_each(|set| set.extend(sprite.uvs));
            vertices.colors.iter_mut().for_each(|set| set.extend([sprite.color; 4]));
            indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
        }
        let material = group.first().map(|s| s.material);
        let id = scene.vertices.len() as u32;
        scene.vertices.push(vertices);
        mesh.primitives.push(Primitive { vertices: id, indices, material, ..Primitive::default() });
    }
    let mesh_id = scene.meshes.len() as u32;
    scene.meshes.push(mesh);
    let mut node = Node { mesh: Some(mesh_id), ..Node::new(name) };
    node.transform.scale = [0.0; 3];
    node.extras.insert(BAKED, true);
    scene.add_node(None, node)
}

/// Returns the channel that shows a node during a part of a clip.
fn shown_during(node: NodeId, from: f32, seconds: f32, length: f32) -> Channel {
    let mut times = vec![from];
    let mut values = vec![1.0; 3];
    if from > 0.0 {
        times.insert(0, 0.0);
        values.splice(0..0, [0.0; 3]);
    }
    if from + seconds < length * 0.999 {
        times.push(from + seconds);
        values.extend([0.0; 3]);
    }
    Channel::node(node, Property::Scale, Interpolation::Step, times, values)
}
