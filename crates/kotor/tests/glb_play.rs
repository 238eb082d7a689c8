//! Real models in the scene: skins at rest, clips against a second evaluation over the glTF's own JSON, extras that Blender
//! can keep.
#![cfg(test)]

mod real;

use galatea_gltf::{Options, write_gltf};
use galatea_scene::{Pose, Scene};
use glam::{DMat4, DQuat, DVec3, Vec3};
use serde_json::Value;

/// How far skinned vertices at rest are from where the mesh stands, relative to the model's size.
fn worst_at_rest(scene: &Scene) -> Option<f32> {
    let pose = Pose::rest(scene);
    let size = pose.bounds(scene)?.size();
    let mut worst = None;
    for (id, node, mesh) in scene.drawn().filter(|(_, n, _)| n.skin.is_some()) {
        for primitive in &mesh.primitives {
            let moved = pose.deform(scene, id, primitive).positions;
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let world = pose.world_of(id);
            assert!(node.skin.is_some());
            for (moved, rest) in moved.iter().zip(&vertices.positions) {
                let far = Vec3::from(*moved).distance(world.transform_point3(Vec3::from(*rest))) / size;
                worst = Some(worst.unwrap_or(0.0f32).max(far));
            }
        }
    }
    worst
}

#[test]
#[ignore = "needs the corpus"]
fn skins_at_rest_stand_where_they_were_bound() {
    let (mut good, mut off) = (0, Vec::new());
    for (path, model) in real::models().read(real::model) {
        match worst_at_rest(&model.to_scene()) {
            Some(worst) if worst <= 1e-4 => good += 1,
            Some(worst) => off.push(format!("{} {worst}", path.display())),
            None => {}
        }
    }
    assert!(off.is_empty(), "{good} good, {} off\n{}", off.len(), off.join("\n"));
    assert!(good > 10, "{good} models have skins");
}

/// A glTF document, read by a few lines that know nothing of our reader or evaluator.
struct Document {
    json: Value,
    bin: Vec<u8>,
}

impl Document {
    fn floats(&self, accessor: &Value) -> Vec<f64> {
        let number = |v: &Value| v.as_u64().unwrap_or(0) as usize;
        let accessor = &self.json["accessors"][number(accessor)];
        let view = &self.json["bufferViews"][number(&accessor["bufferView"])];
        let at = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let bytes = &self.bin[at..at + number(&accessor["count"]) * width * 4];
        bytes.chunks(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect()
    }

    /// The value of a sampler at a time.
    fn sample(&self, sampler: &Value, time: f64, width: usize) -> Vec<f64> {
        let (times, values) = (self.floats(&sampler["input"]), self.floats(&sampler["output"]));
        let cubic = sampler["interpolation"] == "CUBICSPLINE";
        let part = |key: usize, which: usize| {
            let from = if cubic { (key * 3 + which) * width } else { key * width };
            values[from..from + width].to_vec()
        };
        let next = times.iter().position(|t| *t > time).unwrap_or(times.len());
        if next == 0 || next == times.len() {
            return part(next.min(times.len() - 1), 1);
        }
        let (span, left) = (times[next] - times[next - 1], next - 1);
        let s = (time - times[left]) / span;
        let (a, b) = (part(left, 1), part(next, 1));
        let mix = |f: &dyn Fn(usize) -> f64| (0..width).map(f).collect::<Vec<f64>>();
        match sampler["interpolation"].as_str() {
            Some("STEP") => a,
            Some("CUBICSPLINE") => {
                let (m0, m1) = (part(left, 2), part(next, 0));
                let (s2, s3) = (s * s, s * s * s);
                mix(&|i| {
                    (2.0 * s3 - 3.0 * s2 + 1.0) * a[i]
                        + (s3 - 2.0 * s2 + s) * span * m0[i]
                        + (3.0 * s2 - 2.0 * s3) * b[i]
                        + (s3 - s2) * span * m1[i]
                })
            }
            _ if width == 4 => {
                let quat = |v: &[f64]| DQuat::from_xyzw(v[0], v[1], v[2], v[3]).normalize();
                quat(&a).slerp(quat(&b), s).to_array().to_vec()
            }
            _ => mix(&|i| a[i] + (b[i] - a[i]) * s),
        }
    }

    /// Where every node is at a time of an animation.
    fn world(&self, animation: &Value, time: f64) -> Vec<DMat4> {
        let nodes = self.json["nodes"].as_array().unwrap();
        let rest = |node: &Value, key: &str, or: &[f64]| {
            let list = node.get(key).and_then(Value::as_array);
            list.map_or(or.to_vec(), |l| l.iter().map(|v| f64::from(v.as_f64().unwrap() as f32)).collect())
        };
        let mut places: Vec<[Vec<f64>; 3]> = nodes
            .iter()
            .map(|n| {
                [
                    rest(n, "translation", &[0.0; 3]),
                    rest(n, "rotation", &[0., 0., 0., 1.]),
                    rest(n, "scale", &[1.0; 3]),
                ]
            })
            .collect();
        for channel in animation["channels"].as_array().unwrap() {
            let node = channel["target"]["node"].as_u64().unwrap() as usize;
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let which = ["translation", "rotation", "scale"]
                .iter()
                .position(|p| channel["target"]["path"] == *p)
                .unwrap();
            places[node][which] = self.sample(sampler, time, [3, 4, 3][which]);
        }
        let local = |[t, r, s]: &[Vec<f64>; 3]| {
            let rotation = DQuat::from_xyzw(r[0], r[1], r[2], r[3]).normalize();
            let (t, s) = (DVec3::new(t[0], t[1], t[2]), DVec3::new(s[0], s[1], s[2]));
            DMat4::from_scale_rotation_translation(s, rotation, t)
        };
        let mut world = vec![DMat4::IDENTITY; nodes.len()];
        let mut todo = vec![(0usize, DMat4::IDENTITY)];
        while let Some((node, above)) = todo.pop() {
            world[node] = above * local(&places[node]);
            for child in nodes[node].get("children").and_then(Value::as_array).into_iter().flatten() {
                todo.push((child.as_u64().unwrap() as usize, world[node]));
            }
        }
        world
    }
}

#[test]
#[ignore = "needs the corpus"]
fn clips_play_the_same_from_the_exported_json() {
    let (mut clips, mut places, mut worst) = (0, 0usize, 0.0f64);
    for (path, model) in real::models().read(real::model).filter(|(_, m)| !m.animations.is_empty()) {
        let scene = model.to_scene();
        let (json, bin) = write_gltf(&scene, &Options::default(), "a.bin");
        let document = Document { json: serde_json::from_str(&json).unwrap(), bin };
        let size = f64::from(Pose::rest(&scene).bounds(&scene).map_or(1.0, |b| b.size())).max(1e-3);
        for (clip, animation) in
            scene.clips.iter().zip(document.json["animations"].as_array().unwrap()).take(8)
        {
            clips += 1;
            // Keys of some channels, and times between them.
            let keys = clip.channels.iter().flat_map(|c| c.times.iter().step_by(7)).copied().take(6);
            // Where two keys share a time, the value there is either; glTF needs them a hair apart.
            let doubles: Vec<f32> = clip
                .channels
                .iter()
                .flat_map(|c| c.times.windows(2).filter(|w| w[0] >= w[1]).map(|w| w[1]))
                .collect();
            let times = keys.flat_map(|t| [t, t + 0.013]).chain([0.0, clip.length * 0.37, clip.length]);
            let times: Vec<f32> = times.filter(|t| !doubles.contains(t)).collect();
            for time in times {
                let ours = Pose::at(&scene, clip, time);
                let theirs = document.world(animation, f64::from(time));
                for (node, (a, b)) in ours.world.iter().zip(&theirs).enumerate() {
                    // Some clips play far from the origin, where numbers are coarser than the model is large.
                    let scale = size.max(b.w_axis.truncate().length());
                    let far = a.w_axis.truncate().as_dvec3().distance(b.w_axis.truncate()) / scale;
                    let turned =
                        (0..3).map(|i| a.col(i).as_dvec4().distance(b.col(i)) / b.col(i).length().max(1.0));
                    let far = turned.fold(far, f64::max);
                    assert!(
                        far < 1e-4,
                        "{} {:?} at {time}, node {node}: {far}\n{a}\n{b}",
                        path.display(),
                        clip.name
                    );
                    worst = worst.max(far);
                    places += 1;
                }
            }
        }
    }
    println!("{clips} clips, {places} places, worst {worst}");
    assert!(clips > 200, "{clips}");
}

/// Blender's custom properties: no nothing, lists of numbers or of dictionaries, whole numbers of 32 bits.
fn blender_keeps(value: &Value) -> Result<(), String> {
    match value {
        Value::Null => Err("null".into()),
        Value::Number(n) => match n.as_i64() {
            Some(int) if i32::try_from(int).is_err() => Err(format!("{int}")),
            _ => Ok(()),
        },
        Value::Array(list) => {
            let numbers = list.iter().all(Value::is_number);
            let objects = list.iter().all(Value::is_object);
            if !numbers && !objects {
                return Err(format!("a list of {:?}", list.first()));
            }
            list.iter().try_for_each(blender_keeps)
        }
        Value::Object(map) => {
            map.iter().try_for_each(|(k, v)| blender_keeps(v).map_err(|e| format!("{k} > {e}")))
        }
        _ => Ok(()),
    }
}

fn all_extras(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| all_extras(v, out)),
        Value::Object(map) => {
            for (key, value) in map {
                if key == "extras" {
                    out.push(value.clone());
                } else {
                    all_extras(value, out);
                }
            }
        }
        _ => {}
    }
}

#[test]
#[ignore = "needs the corpus"]
fn blender_can_keep_the_extras() {
    for (path, model) in real::models().read(real::model) {
        let (json, _) = write_gltf(&model.to_scene(), &Options::default(), "a.bin");
        let mut extras = Vec::new();
        all_extras(&serde_json::from_str(&json).unwrap(), &mut extras);
        assert!(!extras.is_empty());
        for value in extras {
            assert_eq!(blender_keeps(&value), Ok(()), "{}", path.display());
        }
    }
}
