//! Real models in the scene: skins at rest, and clips against playback of the model itself.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod real;

use galatea_mdlx::play::{Edge, Moment, Player};
use galatea_mdlx::{Keys, Model, Node};
use galatea_scene::{Playback, Pose, Scene};
use glam::{Mat4, Vec3};

/// How far skinned vertices at rest are from where they were bound, relative to the model's size.
fn worst_at_rest(scene: &Scene) -> Option<f32> {
    let pose = Pose::rest(scene);
    let axes = pose.world_of(scene.axes().unwrap());
    let size = pose.bounds(scene)?.size();
    let mut worst = None;
    for (id, _, mesh) in scene.drawn().filter(|(_, n, _)| n.skin.is_some()) {
        for primitive in &mesh.primitives {
            let moved = pose.deform(scene, id, primitive).positions;
            for (moved, rest) in moved.iter().zip(&scene.vertices_of(primitive)?.positions) {
                let far = Vec3::from(*moved).distance(axes.transform_point3(Vec3::from(*rest))) / size;
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
    for (path, model) in real::binaries().read(real::binary) {
        match worst_at_rest(&model.to_scene("model")) {
            Some(worst) if worst <= 1e-4 => good += 1,
            Some(worst) => off.push(format!("{} {worst}", path.display())),
            None => {}
        }
    }
    println!("{good} good, {} off\n{}", off.len(), off.join("\n"));
    assert!(off.is_empty() && good >= 450, "{good}");
}

/// The scene at a time of a clip, with the clips that always run.
fn posed(scene: &Scene, clip: usize, seconds: f32) -> Pose {
    let mut pose = Pose::rest(scene);
    for always in scene.clips.iter().filter(|c| c.playback == Playback::Always) {
        let time = if always.length > 0.0 { seconds.rem_euclid(always.length) } else { 0.0 };
        pose.play(always, time);
    }
    pose.play(&scene.clips[clip], seconds);
    pose.place(scene);
    pose
}

/// Nodes that turn with rotation keys of another length than 1, or hang on such a node. glTF has only rotations of unit length, so
/// that between such keys they run differently from the game, which mixes them as they are.
fn uneven(model: &Model) -> Vec<bool> {
    let nodes: Vec<&Node> = model.nodes().map(|(_, _, n)| n).collect();
    let crooked = |node: &Node| {
        let tracks =
            node.tracks.iter().filter_map(|t| if let Keys::Rotation(c) = &t.keys { Some(c) } else { None });
        tracks.flat_map(|c| &c.keys).any(|k| (k.value.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() > 1e-3)
    };
    let mut out: Vec<bool> = nodes.iter().map(|n| crooked(n)).collect();
    for _ in 0..nodes.len().min(64) {
        for (i, node) in nodes.iter().enumerate() {
            let parent = nodes.iter().position(|n| n.object_id as i32 == node.parent_id);
            out[i] |= parent.is_some_and(|p| out[p]);
        }
    }
    out
}

#[test]
#[ignore = "needs the corpus"]
fn clips_agree_with_playback_of_the_model() {
    let (mut worst, mut count, mut off) = (0.0f32, 0, Vec::new());
    let mut excused = 0;
    for (path, model) in real::binaries().read(real::binary) {
        let scene = model.to_scene("model");
        let player = Player::new(&model);
        let uneven = uneven(&model);
        let axes = Pose::rest(&scene).world_of(0).inverse();
        let size = Pose::rest(&scene).bounds(&scene).map_or(1.0, |b| b.size()) * axes.x_axis.length();
        for (clip, sequence) in model.sequences.iter().enumerate().step_by(3).take(4) {
            let length = f64::from(sequence.end.saturating_sub(sequence.start));
            if length == 0.0 {
                continue;
            }
            for part in [0.0, 0.23, 0.51, 0.87] {
                let elapsed = (length * part).floor();
                let here = player.pose(&Moment::in_sequence(&model, clip, elapsed), None);
                let there = posed(&scene, clip, elapsed as f32 / 1000.0);
                for (i, (_, _, node)) in model.nodes().enumerate() {
                    let pivot = player.pivot(node);
                    let world: Mat4 = axes * there.world_of(i as u32 + 1);
                    let mut far = 0.0f32;
                    for arm in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|a| a * size * 0.1) {
                        let (a, b) =
                            (here.nodes[i].matrix.transform_point3(pivot + arm), world.transform_point3(arm));
                        // Scales of hundreds make large numbers: what counts is how much of them is wrong.
                        far = far.max((a - b).length() / size.max(a.length()));
                    }
                    if uneven[i] {
                        excused += usize::from(far > 1e-4);
                        continue;
                    }
                    worst = worst.max(far);
                    // At the ends of a clip, smooth curves lose a millisecond.
                    let ends = [0.0, length].iter().any(|end| (elapsed - end).abs() < 2.0);
                    if far > if ends { 1e-2 } else { 3e-4 } || far.is_nan() {
                        let flags = node.flags;
                        off.push(format!("{} {} {:?} {flags:x} {far}", path.display(), clip, node.name));
                    }
                    count += 1;
                }
                // Alpha and colour are held at the ends of a clip: glTF has no place for them anyway.
                let held = Player::new(&model).edge(Edge::Clamp);
                let held = held.pose(&Moment::in_sequence(&model, clip, elapsed), None);
                for (i, geoset) in held.geosets.iter().enumerate() {
                    let name = scene.nodes.iter().position(|n| {
                        let own = n.extras.get("mdx").and_then(|m| m.get("geoset")).and_then(|g| g.as_u64());
                        own == Some(i as u64)
                    });
                    let id = name.unwrap();
                    let [r, g, b, a] = there.tint[id];
                    let anims = model.geoset_anims.iter().filter(|a| a.geoset_id == i as i32).count();
                    let fades = anims > 0;
                    let near = [r, g, b].iter().zip(geoset.color).all(|(a, b)| (a - b).abs() < 1e-4);
                    if fades && geoset.visible && ((a - geoset.alpha).abs() > 1e-4 || !near) {
                        let (want, have) = (geoset, there.tint[id]);
                        off.push(format!("{} clip {clip} geoset {i} {want:?} {have:?}", path.display()));
                    }
                    // What is fading in from nothing is seen in the scene, with an alpha of nothing. Of two geoset animations
                    // for one geoset the scene plays the last.
                    let seen = there.visible[id] && (a > 0.0 || !fades);
                    if geoset.visible != seen && anims < 2 {
                        off.push(format!(
                            "{} clip {clip} geoset {i} seen {}",
                            path.display(),
                            geoset.visible
                        ));
                    }
                }
            }
        }
    }
    let shown: Vec<_> = off.iter().take(20).collect();
    println!("{count} places, worst {worst}, {} off, {excused} excused\n{shown:#?}", off.len());
    // One place of a hundred thousand may be off: one is, by 0.0012 of the size, for a reason not yet known.
    assert!(off.len() * 100_000 <= count && count > 100_000, "{count}");
}
