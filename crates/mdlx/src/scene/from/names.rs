//! What names mean in scenes that did not come from this format: the conventions of the exporters that modders use.
//!
//! `... Ref` is an attachment, `SNDxDHLB` an event, `Collision...` a shape, `Bone_...` a bone. `Death` does not loop, and
//! `Walk [MoveSpeed 270]` says how fast a unit walks.

use galatea_scene::{
    Attachment, Channel, Clip, Event, Extras, Interpolation, Node, NodeId, Playback, Scene, Shape, Target,
    Value,
};
use galatea_wire::Loss;
use glam::Vec3;

use crate::scene::extra::wrap;

/// Kinds of events: sounds, blood, footprints, craters and models that appear.
const EVENTS: [&str; 5] = ["SND", "SPL", "FPT", "UBR", "SPN"];

/// First words of sequences that the game plays once.
const ONCE: [&str; 7] = ["attack", "birth", "death", "decay", "dissipate", "morph", "spell"];

/// The speed at which most units of the game walk, for which their animations are made.
const WALK: f32 = 220.0;

/// Applies the conventions to a scene.
pub(super) fn apply(scene: &mut Scene, losses: &mut Vec<Loss>) {
    for clip in &mut scene.clips {
        read_clip(clip, losses);
    }
    for id in 0..scene.nodes.len() as NodeId {
        let Some(node) = scene.node(id).filter(|n| !n.axes) else { continue };
        let name = bare(&node.name).to_owned();
        if is_event(&name) {
            read_event(scene, id, &name, losses);
        } else if starts(&name, "collision") {
            read_shape(scene, id, losses);
        } else if is_attachment(&name) && node.mesh.is_none() {
            if let Some(node) = scene.nodes.get_mut(id as usize) {
                node.name = name.replace('_', " ");
                node.attachment.get_or_insert_with(Attachment::default);
            }
        } else if starts(&name, "bone_")
            && let Some(node) = scene.nodes.get_mut(id as usize)
        {
            node.extras.extend(wrap(Extras::from([("role", "bone".into())])));
        }
    }
    aim_cameras(scene);
    add_origin(scene);
}

/// Returns a name without the number that Blender appends to names that are taken.
fn bare(name: &str) -> &str {
    let number = |n: &str| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit());
    name.rsplit_once('.').filter(|(_, n)| number(n)).map_or(name, |(bare, _)| bare).trim()
}

fn starts(name: &str, with: &str) -> bool {
    name.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// Returns `true` for names such as `Hand Left Ref` and `Sprite First Ref 01`.
fn is_attachment(name: &str) -> bool {
    let words: Vec<&str> = name.split([' ', '_', '-']).filter(|w| !w.is_empty()).collect();
    let number = |w: &&&str| w.bytes().all(|b| b.is_ascii_digit());
    let end = words.len() - words.iter().rev().take_while(number).count();
    end > 1 && words.get(end - 1).is_some_and(|w| w.eq_ignore_ascii_case("ref"))
}

/// Returns `true` for names such as `SNDxDHLB`: a kind, any character, and four letters that name a row of the game's tables.
fn is_event(name: &str) -> bool {
    let id = name.get(4..).is_some_and(|id| id.len() == 4 && id.bytes().all(|b| b.is_ascii_alphanumeric()));
    id && EVENTS.iter().any(|kind| starts(name, kind))
}

/// Returns the extras that the scene's author gave an object.
fn custom(extras: &Extras) -> &Extras {
    extras.object("foreign").unwrap_or(Extras::none())
}

fn word<'e>(extras: &'e Extras, wanted: &str) -> Option<&'e Value> {
    let plain = |key: &str| key.replace(['_', ' '], "").to_lowercase();
    extras.iter().find(|(key, _)| plain(key) == wanted).map(|(_, value)| value)
}

/// Reads what the name of a clip and its properties say about the sequence.
fn read_clip(clip: &mut Clip, losses: &mut Vec<Loss>) {
    let whole = clip.name.clone();
    let mut marks: Vec<(String, Option<f32>)> = Vec::new();
    if let Some((name, inside)) = whole.trim_end().strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
        for mark in inside.split([',', ';']) {
            let mut words = mark.split([' ', '=', ':']).filter(|w| !w.is_empty());
            let key = words.next().unwrap_or("").replace('_', "").to_lowercase();
            marks.push((key, words.next().and_then(|w| w.parse().ok())));
        }
        clip.name = name.trim().to_owned();
    }
    let told = |key: &str| {
        let mark = marks.iter().find(|(k, _)| k == key).map(|(_, value)| value.unwrap_or(1.0));
        mark.or_else(|| word(custom(&clip.extras), key).and_then(Value::as_f64).map(|v| v as f32))
    };
    for (mark, _) in &marks {
        let known = ["movespeed", "speed", "rarity", "looping", "nonlooping", "global"];
        if !known.contains(&mark.as_str()) {
            let what = format!("{mark:?} in its name, which means nothing: {}", known.join(", "));
            losses.push(Loss::new(format!("clip {whole:?}"), what));
        }
    }
    let first = clip.name.split([' ', '_', '-']).next().unwrap_or("").to_lowercase();
    let hit = clip.name.split([' ', '_', '-']).any(|w| w.eq_ignore_ascii_case("hit"));
    if told("global").is_some() {
        clip.playback = Playback::Always;
        return;
    }
    if clip.playback == Playback::Loop && (ONCE.contains(&first.as_str()) || hit) {
        clip.playback = Playback::Once;
    }
    if told("looping").is_some_and(|v| v != 0.0) {
        clip.playback = Playback::Loop;
    }
    if told("nonlooping").is_some_and(|v| v != 0.0) {
        clip.playback = Playback::Once;
    }
    let mut map = Extras::new();
    let speed = told("movespeed").or_else(|| told("speed"));
    if let Some(speed) = speed.or((first == "walk").then_some(WALK)) {
        map.add("move_speed", galatea_scene::float(speed));
        if told("movespeed").or_else(|| told("speed")).is_none() {
            let what =
                format!("a speed: it is {WALK}; name it {:?}", format!("{} [MoveSpeed 270]", clip.name));
            losses.push(Loss::new(format!("clip {:?}", clip.name), what).invisible());
        }
    }
    if let Some(rarity) = told("rarity") {
        map.add("rarity", galatea_scene::float(rarity));
    }
    clip.extras.extend(wrap(map));
}

/// Makes a node an event: it happens at its keys, or when its property `events` says.
fn read_event(scene: &mut Scene, id: NodeId, name: &str, losses: &mut Vec<Loss>) {
    let told = scene.node(id).and_then(|n| word(custom(&n.extras), "events"));
    let told = told.and_then(Value::as_str).unwrap_or("").to_owned();
    let mut count = 0;
    for clip in &mut scene.clips {
        let keyed: Vec<&Channel> = clip.channels.iter().filter(|c| c.target == Target::Node(id)).collect();
        let fewest = keyed.iter().min_by_key(|c| c.times.len());
        let mut times = fewest.map_or_else(Vec::new, |c| moments(c));
        times.extend(times_of(&told, &clip.name));
        clip.channels.retain(|c| c.target != Target::Node(id));
        times.sort_by(f32::total_cmp);
        times.dedup();
        count += times.len();
        let event = |time| Event { time, name: name.to_owned(), node: Some(id), ..Event::default() };
        clip.events.extend(times.into_iter().map(event));
    }
    if let Some(node) = scene.nodes.get_mut(id as usize) {
        node.name = name.to_owned();
        node.extras.extend(wrap(Extras::from([("role", "event".into())])));
    }
    if count == 0 {
        let what = "its times: key the object, or give it the property `events`, such as \"Walk: 0.2 0.7\"";
        losses.push(Loss::new(format!("event {name:?}"), what));
    }
}

/// Returns the times at which an event happens: its keys or, if an exporter wrote a key for every frame, where these change.
fn moments(channel: &Channel) -> Vec<f32> {
    let steps: Vec<f32> =
        channel.times.iter().zip(channel.times.iter().skip(1)).map(|(a, b)| b - a).collect();
    let even = |step: f32| steps.iter().all(|s| (s - step).abs() < 1e-3);
    let sampled = channel.times.len() > 3 && steps.first().is_some_and(|step| *step < 0.05 && even(*step));
    if !sampled || channel.interpolation == Interpolation::Cubic {
        return channel.times.clone();
    }
    let width = channel.width().max(1);
    let rows: Vec<&[f32]> = channel.values.chunks_exact(width).collect();
    let moves = |i: usize| {
        let (Some(a), Some(b)) = (i.checked_sub(1).and_then(|p| rows.get(p)), rows.get(i)) else {
            return false;
        };
        a.iter().zip(*b).any(|(a, b)| (a - b).abs() > 1e-4)
    };
    let begins = (1..rows.len()).filter(|i| moves(*i) && !moves(i - 1));
    begins.filter_map(|i| channel.times.get(i).copied()).collect()
}

/// Returns the times that a text such as `Walk: 0.2 0.7; Attack - 1: 0.5` has for a clip.
fn times_of(text: &str, clip: &str) -> Vec<f32> {
    let mut out = Vec::new();
    for entry in text.split([';', '\n']) {
        let Some((name, times)) = entry.rsplit_once(':') else { continue };
        if name.trim().eq_ignore_ascii_case(clip) {
            let times = times.split([' ', ',']).filter_map(|t| t.parse::<f32>().ok());
            out.extend(times.filter(|t| t.is_finite() && *t >= 0.0));
        }
    }
    out
}

/// Makes a node a collision shape with the bounds of its mesh; without one, a sphere of the node's size.
fn read_shape(scene: &mut Scene, id: NodeId, losses: &mut Vec<Loss>) {
    let Some(node) = scene.node(id) else { return };
    let mut places: Vec<[f32; 3]> = Vec::new();
    if let Some(mesh) = node.mesh.and_then(|m| scene.meshes.get(m as usize)) {
        for vertices in mesh.primitives.iter().filter_map(|p| scene.vertices_of(p)) {
            places.extend_from_slice(&vertices.positions);
        }
    }
    let sphere = node.name.to_lowercase().contains("sphere");
    let shape = match galatea_scene::Bounds::around(places.iter().copied()) {
        Some(bounds) if sphere || !node.name.to_lowercase().contains("box") && is_round(&places, &bounds) => {
            let (min, max) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
            Shape::Sphere { center: ((min + max) / 2.0).into(), radius: (max - min).max_element() / 2.0 }
        }
        Some(bounds) => Shape::Box { min: bounds.min, max: bounds.max },
        None => Shape::Sphere { center: [0.0; 3], radius: 1.0 },
    };
    if node.skin.is_some() {
        let what = "its weights: a shape moves with the node it hangs on";
        losses.push(Loss::new(format!("collision shape {:?}", node.name), what).invisible());
    }
    if let Some(node) = scene.nodes.get_mut(id as usize) {
        (node.mesh, node.skin, node.shape) = (None, None, Some(shape));
    }
}

/// Returns `true` if points lie on a sphere; the eight corners of a box do not count.
fn is_round(places: &[[f32; 3]], bounds: &galatea_scene::Bounds) -> bool {
    let (min, max) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
    let (middle, radius) = ((min + max) / 2.0, (max - min).max_element() / 2.0);
    let mut bits: Vec<[u32; 3]> = places.iter().map(|p| p.map(f32::to_bits)).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len() > 8 && places.iter().all(|p| (Vec3::from(*p).distance(middle) - radius).abs() < 0.05 * radius)
}

/// Gives cameras the node named after them as target.
fn aim_cameras(scene: &mut Scene) {
    let plain = |name: &str| bare(name).replace([' ', '_', '-', '.'], "").to_lowercase();
    for id in 0..scene.nodes.len() as NodeId {
        let Some((node, camera)) = scene.node(id).and_then(|n| Some((n, n.camera?))) else { continue };
        let wanted = format!("{}target", plain(&node.name));
        let found = (0..).zip(&scene.nodes).find(|(_, n)| plain(&n.name) == wanted).map(|(id, _)| id);
        if let Some(camera) = scene.cameras.get_mut(camera as usize) {
            camera.target = camera.target.or(found);
        }
    }
}

/// Adds the attachment at which most effects appear, if the scene is a unit and has none.
fn add_origin(scene: &mut Scene) {
    let lives = |c: &Clip| ["stand", "walk", "attack", "death"].iter().any(|word| starts(&c.name, word));
    let there = |n: &Node| n.attachment.is_some() && starts(&n.name, "origin");
    if scene.clips.iter().any(lives) && !scene.nodes.iter().any(there) {
        let top = scene.axes();
        let origin = Node { attachment: Some(Attachment::default()), ..Node::new("Origin Ref") };
        scene.add_node(top, origin);
    }
}

#[cfg(test)]
mod tests {
    use galatea_scene::Property;

    use super::*;

    #[test]
    fn names_of_attachments_and_events() {
        for name in ["Origin Ref", "hand_left_ref", "Head - Ref", "Sprite First Ref 01", "OverHead Ref "] {
            assert!(is_attachment(bare(name)), "{name}");
        }
        for name in ["Ref", "Reference", "Referee", "Left Hand"] {
            assert!(!is_attachment(name), "{name}");
        }
        assert!(is_event("SNDxDHLB") && is_event("fptXFPR2") && is_event("UBRxTHND"));
        assert!(!is_event("SNDxDHLBx") && !is_event("Sandals!") && !is_event("SPL"));
        assert_eq!(bare("Hand Ref.001"), "Hand Ref");
        assert_eq!(bare("v1.5"), "v1.5");
    }

    #[test]
    fn names_of_clips_say_how_they_play() {
        let read = |name: &str| {
            let mut clip = Clip { name: name.into(), ..Clip::default() };
            let mut losses = Vec::new();
            read_clip(&mut clip, &mut losses);
            let number = |key: &str| {
                let map = clip.extras.object("mdx").unwrap_or(Extras::none());
                map.get(key).and_then(galatea_scene::read_float)
            };
            (clip.name.clone(), clip.playback, number("move_speed"), number("rarity"), losses.len())
        };
        assert_eq!(read("Stand - 2 [Rarity 4]"), ("Stand - 2".into(), Playback::Loop, None, Some(4.0), 0));
        assert_eq!(read("Walk [MoveSpeed 270]"), ("Walk".into(), Playback::Loop, Some(270.0), None, 0));
        assert_eq!(read("Walk"), ("Walk".into(), Playback::Loop, Some(WALK), None, 1));
        assert_eq!(read("Death"), ("Death".into(), Playback::Once, None, None, 0));
        assert_eq!(read("Stand Hit"), ("Stand Hit".into(), Playback::Once, None, None, 0));
        assert_eq!(read("Spell [Looping]"), ("Spell".into(), Playback::Loop, None, None, 0));
        assert_eq!(read("Wheel [global]").1, Playback::Always);
        assert_eq!(read("Stand [quickly]").4, 1);
    }

    #[test]
    fn events_happen_at_keys_or_where_samples_change() {
        let channel = |times: Vec<f32>, x: Vec<f32>| {
            let values = x.iter().flat_map(|x| [*x; 3]).collect();
            Channel::node(0, Property::Scale, Interpolation::Linear, times, values)
        };
        assert_eq!(moments(&channel(vec![0.2, 0.7], vec![1.0, 1.0])), [0.2, 0.7]);
        let frames: Vec<f32> = (0..48).map(|i| i as f32 / 24.0).collect();
        let values = frames.iter().enumerate().map(|(i, _)| if i == 12 || i == 30 { 2.0 } else { 1.0 });
        assert_eq!(moments(&channel(frames.clone(), values.collect())), [0.5, 1.25]);
        assert!(moments(&channel(frames, vec![1.0; 48])).is_empty());
        assert_eq!(times_of("Walk: 0.2 0.7; Attack - 1: 0.5", "attack - 1"), [0.5]);
        assert!(times_of("nonsense", "Walk").is_empty());
    }
}
