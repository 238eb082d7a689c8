//! A GLB and what another program made of it without an edit: what must be the same, within tolerances.

use galatea::scene::{
    Channel, Clip, Interpolation, NodeId, Pose, Property, Scene, Target, Tolerance, Transform,
};
use galatea::wire::Limits;

/// How far keys may differ: places as a share of the model's size, rotations and scales as they are.
const CLIP: f32 = 1e-4;

/// Returns what differs, a line each.
pub(super) fn compare(before: &[u8], after: &[u8]) -> Result<Vec<String>, String> {
    let read = |bytes: &[u8]| galatea::gltf::read(bytes, &Limits::default(), &mut |_| None);
    let a = read(before).map_err(|e| e.to_string())?.scene;
    let b = read(after).map_err(|e| e.to_string())?.scene;
    // Blender keeps no triangle twice; clips are compared key by key below.
    let mut lines = a.looks_like(&b, &Tolerance::default().with_clips(false).with_twins(false));
    if a.name != b.name {
        lines.push(format!("the name is {:?}", b.name));
    }
    clips(&a, &b, &mut lines);
    places(&a, &b, &mut lines);
    extras(&a, &b, &mut lines);
    Ok(lines)
}

/// Returns the size of the model in its own units.
fn size(scene: &Scene) -> f32 {
    let size = Pose::rest(scene).bounds(scene).map_or(1.0, |b| b.size());
    let unit = scene.axes().and_then(|id| scene.node(id)).map_or(1.0, |n| n.transform.scale[0]);
    (size / unit.abs().max(1e-9)).max(1e-6)
}

fn name_of(scene: &Scene, id: NodeId) -> &str {
    scene.node(id).map_or("", |n| &n.name)
}

/// Checks that, at every key of the first, the second has the same value.
fn clips(a: &Scene, b: &Scene, lines: &mut Vec<String>) {
    let size = size(a);
    for (i, clip) in a.clips.iter().enumerate() {
        // Several may have the same name.
        let before = a.clips.iter().take(i).filter(|c| c.name == clip.name).count();
        let Some(other) = b.clips.iter().filter(|c| c.name == clip.name).nth(before) else {
            lines.push(format!("clip {:?} is gone", clip.name));
            continue;
        };
        let far = clip.channels.iter().filter_map(|c| apart(a, c, b, other, size));
        if let Some((far, id)) = far.max_by(|x, y| x.0.total_cmp(&y.0)).filter(|(far, _)| *far > CLIP) {
            lines.push(format!("clip {:?}: node {:?} {far:.6} apart", clip.name, name_of(a, id)));
        }
    }
}

fn apart(a: &Scene, channel: &Channel, b: &Scene, other: &Clip, size: f32) -> Option<(f32, NodeId)> {
    let Target::Node(id) = channel.target else { return None };
    if a.nodes.iter().filter(|n| n.name == name_of(a, id)).count() > 1 {
        return None;
    }
    let twin = b.find(name_of(a, id))?;
    let rest = b.node(twin)?.transform;
    let found =
        other.channels.iter().find(|c| c.target == Target::Node(twin) && c.property == channel.property);
    let there = |time: f32| found.and_then(|c| c.sample(time)).or_else(|| value(&rest, &channel.property));
    value(&rest, &channel.property)?;
    let held = channel.interpolation == Interpolation::Step;
    let mut far = 0f32;
    for time in &channel.times {
        let here = channel.sample(*time)?;
        // Where values are held, a hair makes all the difference.
        let near = if held { &[-1e-4, 0.0, 1e-4][..] } else { &[0.0] };
        let off = near
            .iter()
            .filter_map(|step| Some(distance(&here, &there(time + step)?, &channel.property, size)));
        far = far.max(off.fold(f32::MAX, f32::min));
    }
    Some((far, id))
}

fn value(rest: &Transform, property: &Property) -> Option<Vec<f32>> {
    match property {
        Property::Translation => Some(rest.translation.to_vec()),
        Property::Rotation => Some(rest.rotation.to_vec()),
        Property::Scale => Some(rest.scale.to_vec()),
        _ => None,
    }
}

fn distance(a: &[f32], b: &[f32], property: &Property, size: f32) -> f32 {
    let by = |sign: f32| a.iter().zip(b).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
    match property {
        Property::Translation => by(1.0) / size,
        Property::Rotation => {
            // Not all rotations of games are of unit length; their direction is what counts.
            let unit = |q: &[f32]| {
                let q: [f32; 4] = q.first_chunk().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
                let q = glam::Quat::from_array(q);
                // One without length turns nothing.
                if q.length_squared() > 0.0 { q.normalize() } else { glam::Quat::IDENTITY }
            };
            let (x, y) = (unit(a), unit(b));
            (x - y).length().min((x + y).length())
        }
        _ => by(1.0) / a.iter().fold(1.0, |m: f32, v| m.max(v.abs())),
    }
}

/// Checks that nodes have the parents and the places at rest that they had.
fn places(a: &Scene, b: &Scene, lines: &mut Vec<String>) {
    let size = size(a);
    let (mut moved, mut hung) = (Vec::new(), Vec::new());
    let alone = |name: &str| a.nodes.iter().filter(|n| n.name == name).count() == 1;
    for node in a.nodes.iter().filter(|n| alone(&n.name)) {
        let Some(twin) = b.find(&node.name).and_then(|id| b.node(id)) else { continue };
        let parent = |scene: &Scene, parent: Option<NodeId>| parent.map(|p| name_of(scene, p).to_owned());
        if parent(a, node.parent) != parent(b, twin.parent) {
            hung.push(&node.name);
        }
        let far = [Property::Translation, Property::Rotation, Property::Scale].map(|p| {
            let (x, y) = (value(&node.transform, &p), value(&twin.transform, &p));
            distance(&x.unwrap_or_default(), &y.unwrap_or_default(), &p, size)
        });
        if far.iter().any(|f| *f > CLIP) {
            moved.push(&node.name);
        }
    }
    for (list, what) in [(moved, "rest elsewhere"), (hung, "hang on others")] {
        if let Some(first) = list.first() {
            lines.push(format!("{} nodes {what}, such as {first:?}", list.len()));
        }
    }
}

/// Checks that what the format knows of a node, mesh, material or clip is there again.
fn extras(a: &Scene, b: &Scene, lines: &mut Vec<String>) {
    macro_rules! lists {
        ($($list:ident)*) => {$(
            let gone = a.$list.iter().filter(|x| {
                let twin = b.$list.iter().find(|y| y.name == x.name);
                !x.extras.is_empty() && twin.is_none_or(|t| t.extras.is_empty())
            });
            let gone: Vec<&str> = gone.map(|n| n.name.as_str()).collect();
            if let Some(first) = gone.first() {
                lines.push(format!("extras of {} {} are gone, such as {first:?}", gone.len(), stringify!($list)));
            }
        )*};
    }
    lists!(nodes meshes materials clips lights cameras);
    if a.extras != b.extras {
        lines.push("the model's own extras differ".to_owned());
    }
}
