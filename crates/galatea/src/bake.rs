//! Effects as animated meshes, for programs that play only what glTF can say.

use galatea_scene::{
    BAKED, Channel, Frame, Instant, Interpolation, MarkerKind, Mesh, Node, NodeId, Performance, Playback,
    Primitive, Property, Scene, Shown, Sprite, Surface, Vertices,
};
use galatea_wire::Loss;

/// Frames per second.
const RATE: f32 = 12.0;
/// Seconds that a looping clip has played before what is baked of it.
const BUILD_UP: f32 = 2.5;
/// Frames of a clip; a longer clip has fewer of them per second.
const FRAMES: f32 = 120.0;
/// Sprites of all frames; a sprite counts as much as two triangles of a thrown model.
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

/// Adds the sprites of each clip, and the models that emitters throw, to its scene as meshes: one for each sampled frame, on a node that
/// is shown during that frame and has no size at other times. Sprites that face the camera face the front of the model.
pub(crate) fn bake(scene: &Scene, performance: &mut dyn Performance) -> Baked {
    let mut posed = scene.clone();
    performance.extend(&mut posed);
    // Frames refer to meshes of thrown models in the posed scene; baked are their triangles in place.
    let mut out = Scene { materials: posed.materials.clone(), ..scene.clone() };
    for material in out.materials.iter_mut().skip(scene.materials.len()) {
        material.extras.insert(BAKED, true);
    }
    let camera = facing_front(scene);
    let (mut room, mut losses) = (SPRITES, Vec::new());
    let mut missing: Vec<String> = Vec::new();
    for (number, clip) in scene.clips.iter().enumerate() {
        if clip.playback == Playback::Always || clip.length.is_nan() || clip.length <= 0.0 {
            continue;
        }
        let samples = Samples::of(clip.length, clip.playback);
        for index in 0..samples.count {
            let time = samples.start + samples.step * f32::from(index);
            let at = Instant::new(Some(number), time, camera);
            let frame = performance.frame(&posed, &at, &Shown::default());
            let left_out = frame.markers.iter().filter(|marker| marker.kind == MarkerKind::Model);
            missing.extend(left_out.map(|marker| marker.name.clone()));
            let thrown: Vec<Part<'_>> = thrown(&frame, &posed, scene.meshes.len()).collect();
            if frame.sprites.is_empty() && thrown.is_empty() {
                continue;
            }
            let triangles: usize = thrown.iter().map(|part| part.primitive.indices.len() / 3).sum();
            let Some(left) = room.checked_sub(frame.sprites.len() + triangles / 2) else {
                let what = format!("effects after {SPRITES} baked sprites");
                losses.push(Loss::new(format!("clip {:?}", clip.name), what));
                return Baked { scene: out, losses };
            };
            room = left;
            let node = add_frame(&mut out, &frame, &thrown, &format!("effects {} {index}", clip.name));
            let channel = shown_during(node, samples.step * f32::from(index), samples.step, clip.length);
            if let Some(clip) = out.clips.get_mut(number) {
                clip.channels.push(channel);
            }
        }
    }
    missing.sort();
    missing.dedup();
    losses.extend(missing.into_iter().map(|name| Loss::new(name, "a thrown model that is not found")));
    Baked { scene: out, losses }
}

/// A part of a thrown model in the air.
struct Part<'a> {
    surface: &'a Surface,
    primitive: &'a Primitive,
    vertices: &'a Vertices,
    /// What its vertex colors are multiplied by.
    color: [f32; 4],
}

/// Returns what is seen of thrown models in a frame: what belongs to meshes that the scene of the document does not have.
fn thrown<'a>(frame: &'a Frame, posed: &'a Scene, own: usize) -> impl Iterator<Item = Part<'a>> {
    frame.surfaces.iter().filter(move |surface| surface.mesh as usize >= own).filter_map(|surface| {
        let primitive = surface.primitive(posed)?;
        let vertices = posed.vertices_of(primitive)?;
        let mut color = surface.tint;
        if let Some(id) = primitive.material {
            let state = frame.materials.get(id.saturating_add(surface.states) as usize);
            let still = posed.materials.get(id as usize).map_or([1.0; 4], |material| material.base_color);
            // The material has its color at rest.
            for ((color, now), still) in
                color.iter_mut().zip(state.map_or(still, |state| state.base_color)).zip(still)
            {
                *color *= if still == 0.0 { now } else { now / still };
            }
        }
        let [.., opacity] = color;
        (opacity > 1e-3).then_some(Part { surface, primitive, vertices, color })
    })
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

/// Adds the sprites and thrown models of a frame as a mesh on a node of its own.
fn add_frame(scene: &mut Scene, frame: &Frame, thrown: &[Part<'_>], name: &str) -> NodeId {
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
    for part in thrown {
        let colors = part.vertices.colors.first();
        let color = |index: usize| {
            let own = colors.and_then(|colors| colors.get(index)).copied().unwrap_or([1.0; 4]);
            let [[r, g, b, a], [or, og, ob, oa]] = [part.color, own];
            [r * or, g * og, b * ob, a * oa]
        };
        let placed = &part.surface.deformed;
        let vertices = Vertices {
            positions: placed.positions.clone(),
            normals: placed.normals.clone(),
            uvs: part.vertices.uvs.clone(),
            colors: vec![(0..placed.positions.len()).map(color).collect()],
            ..Vertices::default()
        };
        let id = scene.vertices.len() as u32;
        scene.vertices.push(vertices);
        mesh.primitives.push(Primitive {
            vertices: id,
            material: part.primitive.material,
            indices: part.primitive.indices.clone(),
            topology: part.primitive.topology,
            ..Primitive::default()
        });
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
