//! A GLB and what another program made of it without an edit: what must be the same, within tolerances.

use std::collections::HashMap;

use galatea::scene::{Clip, NodeId, Pose, Property, Scene, Target, Topology};
use galatea::wire::Limits;

/// How far places may differ, as a share of the model's size.
const GEOMETRY: f32 = 1e-5;
const WEIGHT: f32 = 1.0 / 255.0;
const CLIP: f32 = 1e-4;

/// A corner of a triangle in the scene, with the names and weights of what moves it.
struct Corner {
    at: [f32; 3],
    weights: Vec<(String, f32)>,
}

/// What differs, a line each.
pub(super) fn compare(before: &[u8], after: &[u8]) -> Result<Vec<String>, String> {
    let read = |bytes: &[u8]| galatea::gltf::read(bytes, &Limits::default(), &mut |_| None);
    let a = read(before).map_err(|e| e.to_string())?.scene;
    let b = read(after).map_err(|e| e.to_string())?.scene;
    let mut lines = Vec::new();
    let size = Pose::rest(&a).bounds(&a).map_or(1.0, |b| b.size()).max(1e-6);
    geometry(&a, &b, size, &mut lines);
    clips(&a, &b, size, &mut lines);
    extras(&a, &b, &mut lines);
    Ok(lines)
}

fn name_of(scene: &Scene, id: NodeId) -> &str {
    scene.node(id).map_or("", |n| &n.name)
}

fn triangles(scene: &Scene) -> Vec<[Corner; 3]> {
    let pose = Pose::rest(scene);
    let mut out = Vec::new();
    for (id, node, mesh) in scene.drawn() {
        let joints = node.skin.and_then(|s| scene.skins.get(s as usize)).map_or(&[][..], |s| &s.joints);
        for primitive in mesh.primitives.iter().filter(|p| p.topology == Topology::Triangles) {
            let placed = pose.deform(scene, id, primitive);
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let corner = |v: u32| {
                let mut weights: Vec<(String, f32)> = Vec::new();
                for (joint, weight) in vertices.influences.of(v as usize).filter(|(_, w)| *w != 0.0) {
                    let name = joints.get(usize::from(joint)).map_or("", |j| name_of(scene, *j));
                    match weights.iter_mut().find(|(n, _)| n == name) {
                        Some((_, sum)) => *sum += weight,
                        None => weights.push((name.to_owned(), weight)),
                    }
                }
                Corner { at: placed.positions.get(v as usize).copied().unwrap_or_default(), weights }
            };
            let distinct = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[0] != t[2];
            out.extend(primitive.triangles(placed.positions.len()).filter(distinct).map(|t| t.map(corner)));
        }
    }
    out
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Every triangle of the first has one in the second with the same corners and weights.
fn geometry(a: &Scene, b: &Scene, size: f32, lines: &mut Vec<String>) {
    let (a, b) = (triangles(a), triangles(b));
    let tolerance = GEOMETRY * size;
    let cell = |p: [f32; 3]| p.map(|x| (x / (tolerance * 50.0)).floor() as i64);
    let middle = |t: &[Corner; 3]| {
        let mut sum = [0.0; 3];
        for corner in t {
            sum.iter_mut().zip(corner.at).for_each(|(s, x)| *s += x / 3.0);
        }
        sum
    };
    let mut places: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (i, triangle) in b.iter().enumerate() {
        places.entry(cell(middle(triangle))).or_default().push(i);
    }
    let turns = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
    let (mut lost, mut moved) = (0usize, 0f32);
    for triangle in &a {
        let [x, y, z] = cell(middle(triangle));
        let around = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [i, j, k])));
        let near = around.filter_map(|[i, j, k]| places.get(&[x + i, y + j, z + k])).flatten();
        let mut best = None::<f32>;
        for (other, turn) in near.flat_map(|i| turns.iter().map(move |t| (i, t))) {
            let Some(other) = b.get(*other) else { continue };
            let pairs = || triangle.iter().zip(turn.iter().filter_map(|t| other.get(*t)));
            if pairs().all(|(a, b)| distance(a.at, b.at) <= tolerance) {
                let apart = pairs().map(|(a, b)| weights_apart(a, b)).fold(0.0, f32::max);
                best = Some(best.map_or(apart, |b| b.min(apart)));
            }
        }
        match best {
            Some(apart) => moved = moved.max(apart),
            None => lost += 1,
        }
    }
    if lost > 0 {
        lines.push(format!("{lost} of {} triangles moved or lost", a.len()));
    }
    if moved > WEIGHT {
        lines.push(format!("weights differ by {moved:.4}"));
    }
}

fn weights_apart(a: &Corner, b: &Corner) -> f32 {
    let of = |c: &Corner, name: &str| c.weights.iter().find(|(n, _)| n == name).map_or(0.0, |(_, w)| *w);
    let names = a.weights.iter().chain(&b.weights).map(|(n, _)| n);
    names.map(|n| (of(a, n) - of(b, n)).abs()).fold(0.0, f32::max)
}

/// At every key of the first, nodes of the same name stand and are turned the same in both.
fn clips(a: &Scene, b: &Scene, size: f32, lines: &mut Vec<String>) {
    for clip in &a.clips {
        let Some(other) = b.clips.iter().find(|c| c.name == clip.name) else {
            lines.push(format!("clip \"{}\" is gone", clip.name));
            continue;
        };
        let far = farthest(a, clip, b, other, size);
        if far > CLIP {
            lines.push(format!("clip \"{}\": {far:.6} apart", clip.name));
        }
    }
}

fn farthest(a: &Scene, clip: &Clip, b: &Scene, other: &Clip, size: f32) -> f32 {
    let mut times: Vec<f32> = clip.channels.iter().flat_map(|c| c.times.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let moved: Vec<NodeId> = clip
        .channels
        .iter()
        .filter(|c| matches!(c.property, Property::Translation | Property::Rotation | Property::Scale))
        .filter_map(|c| match c.target {
            Target::Node(id) => Some(id),
            _ => None,
        })
        .collect();
    let mut far = 0f32;
    // A few dozen keys tell as much as all of them.
    for time in times.iter().step_by(times.len() / 32 + 1) {
        let (here, there) = (Pose::at(a, clip, *time), Pose::at(b, other, *time));
        for id in &moved {
            let Some(twin) = b.find(name_of(a, *id)) else { continue };
            let (x, y) = (here.world_of(*id), there.world_of(twin));
            far = far.max((x.w_axis - y.w_axis).abs().max_element() / size);
            let turn = |m: glam::Mat4| m.to_scale_rotation_translation().1;
            far = far.max(1.0 - turn(x).dot(turn(y)).abs());
        }
    }
    far
}

/// What the format knows of a node is there again.
fn extras(a: &Scene, b: &Scene, lines: &mut Vec<String>) {
    let lost = a.nodes.iter().filter(|node| {
        let twin = b.find(&node.name).and_then(|id| b.node(id));
        !node.extras.is_empty() && twin.is_none_or(|t| t.extras.is_empty())
    });
    let lost: Vec<&str> = lost.map(|n| n.name.as_str()).collect();
    if let Some(first) = lost.first() {
        lines.push(format!("extras of {} nodes are gone, such as \"{first}\"", lost.len()));
    }
}
