//! Edits made in a GLB arrive in the model and nothing else changes; imported scenes become models.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

#[path = "support/mod.rs"]
mod support;

use galatea_mdlx::*;
use galatea_robustness::gltf::{edited, start};
use galatea_scene::{
    Channel, Clip, Influences, Interpolation as Run, Mesh, Node as SceneNode, Playback, Pose, Primitive,
    Property, Scene, Skin, Transform, Vertices,
};
use galatea_wire::Severity;
use serde_json::Value;

fn named<'a>(json: &'a Value, list: &str, name: &str) -> &'a Value {
    json[list].as_array().unwrap().iter().find(|v| v["name"] == name).unwrap()
}

fn name(text: &str) -> Text<80> {
    Text::new(text.as_bytes()).unwrap()
}

/// A small unit: two bones, a hand to hold things, a mesh, two sequences, a footstep.
fn unit() -> Model {
    let mut m = Model::new(Version(800));
    m.info.name = name("Unit");
    let sequence = |n: &str, start, end| Sequence { name: name(n), start, end, ..Sequence::default() };
    m.sequences = vec![sequence("Stand", 100, 1100), sequence("Death", 2000, 3000)];
    m.pivots = vec![[0.0, 0.0, 10.1], [0.3, 5.5, 20.7], [0.0, 9.0, 21.0], [1.0, 0.0, 0.0]];
    let node = |n: &str, id, parent, tracks: Vec<Track>| Node {
        name: name(n),
        object_id: id,
        parent_id: parent,
        tracks: tracks.into(),
        ..Node::default()
    };
    let walk =
        Curve::new([(100, [0.1f32, 0.2, 0.3]), (600, [0.7, 0.0, 0.0]), (1500, [9.0; 3]), (2500, [0.0; 3])]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turn = Curve::new([(100, [0.0, 0.0, 0.0, 1.0]), (1100, [0.0, 0.0, half, half])]);
    let moved = Track::new(b"KGTR", Interpolation::Linear, Keys::Vector(walk));
    let turned = Track::new(b"KGRT", Interpolation::Linear, Keys::Rotation(turn));
    m.bones = vec![
        Bone { node: node("Root", 0, -1, vec![moved]), ..Bone::default() },
        Bone { node: node("Arm", 1, 0, vec![turned]), ..Bone::default() },
    ];
    m.attachments = vec![Attachment { node: node("Hand Right Ref", 2, 1, vec![]), ..Attachment::default() }];
    let track = EventTrack { times: vec![350], ..EventTrack::default() };
    m.events = vec![Event { node: node("SNDxAAAA", 3, -1, vec![]), track: Some(track) }];
    for (kind, _, node) in m.nodes_mut() {
        node.flags = kind.warcraft_bit();
    }
    m.textures =
        vec![Texture { replaceable_id: 0, path: Text::new(b"Textures\\Unit.blp").unwrap(), flags: 3 }];
    m.materials = vec![Material { layers: vec![Layer::default()], ..Material::default() }];
    let vertices = vec![[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 20.0]];
    m.geosets = vec![Geoset {
        normals: vec![[0.0, 0.0, 1.0]; 4],
        uvs: vec![vec![[0.0, 0.5]; 4]],
        faces: vec![0, 1, 2, 0, 2, 3],
        face_types: vec![4],
        face_counts: vec![6],
        vertex_groups: vec![0, 0, 1, 2],
        group_sizes: vec![1, 2, 1],
        matrices: vec![0, 0, 1, 1],
        vertices,
        bounds: Bounds { radius: 22.0, min: [0.0; 3], max: [10.0, 10.0, 20.0] },
        sequence_bounds: vec![Bounds { radius: 22.0, min: [0.0; 3], max: [10.0, 10.0, 20.0] }; 2],
        ..Geoset::default()
    }];
    m
}

fn change(edit: impl Fn(&mut Value, &mut Vec<u8>)) -> Vec<String> {
    let model = unit();
    let (back, losses) =
        Model::from_scene(&edited(&model.to_scene("unit"), edit), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    model.differences(&back)
}

#[test]
fn every_field_of_every_version_comes_back() {
    for version in Version::KNOWN {
        let model = support::value(version);
        let (back, losses) =
            Model::from_scene(&edited(&model.to_scene("model"), |_, _| {}), &Default::default()).unwrap();
        assert_eq!(model.differences(&back), [""; 0], "{version}");
        assert!(losses.is_empty(), "{version}: {losses:?}");
    }
}

#[test]
fn edits_arrive_and_nothing_else_changes() {
    assert_eq!(change(|_, _| {}), [""; 0]);
    let mesh = |json: &Value, what: &str| {
        start(json, &named(json, "meshes", "geoset 0")["primitives"][0]["attributes"][what])
    };
    let moved = change(|json, bin| {
        let at = mesh(json, "POSITION");
        bin[at + 12..at + 16].copy_from_slice(&12.5f32.to_le_bytes());
    });
    assert!(moved[0].contains("vertices[1]"), "{moved:#?}");
    assert!(moved.iter().skip(1).all(|l| l.contains("bounds")), "{moved:#?}");
    let weighted = change(|json, bin| {
        let (joints, weights) = (mesh(json, "JOINTS_0"), mesh(json, "WEIGHTS_0"));
        // The last vertex follows the first bone instead of the second.
        let wide =
            named(json, "meshes", "geoset 0")["primitives"][0]["attributes"]["WEIGHTS_0"].as_u64().unwrap();
        assert_eq!(json["accessors"][wide as usize]["componentType"], 5126);
        assert_eq!(bin[joints + 12], 1);
        bin[joints + 12] = 0;
        bin[weights + 48..weights + 52].copy_from_slice(&1.0f32.to_le_bytes());
    });
    assert_eq!(weighted, ["GEOS > geosets[0] > vertex_groups[3]: 2 -> 0"]);
    let keyed = change(|json, bin| {
        let clip = named(json, "animations", "Stand");
        let at = start(json, &clip["samplers"][0]["output"]);
        bin[at + 12..at + 16].copy_from_slice(&4.0f32.to_le_bytes());
    });
    assert_eq!(keyed.len(), 1, "{keyed:#?}");
    assert!(keyed[0].contains("KGTR > keys[1]"), "{keyed:#?}");
    let painted = change(|json, _| {
        let material = &mut json["materials"][0];
        material["doubleSided"] = true.into();
        material["extras"]["galatea"]["textures"][0]["name"] = "Textures\\Other.blp".into();
    });
    assert_eq!(painted.len(), 2, "{painted:#?}");
    assert!(painted.iter().any(|l| l.contains("Other.blp")) && painted.iter().any(|l| l.contains("flags")));
    let renamed = change(|json, _| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        nodes.iter_mut().find(|n| n["name"] == "Arm").unwrap()["name"] = "Paw".into();
    });
    assert_eq!(renamed.len(), 1, "{renamed:#?}");
    assert!(renamed[0].contains("\"Arm\"") && renamed[0].contains("\"Paw\""), "{renamed:#?}");
}

#[test]
fn nodes_are_added_and_removed() {
    let model = unit();
    let added = edited(&model.to_scene("unit"), |json, _| {
        let count = json["nodes"].as_array().unwrap().len();
        let nodes = json["nodes"].as_array_mut().unwrap();
        nodes.push(serde_json::json!({"name": "Hook", "translation": [1, 2, 3]}));
        let arm = nodes.iter_mut().find(|n| n["name"] == "Arm").unwrap();
        arm["children"].as_array_mut().unwrap().push(count.into());
    });
    let (back, losses) = Model::from_scene(&added, &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!((back.helpers.len(), back.pivots.len(), back.bones.len()), (1, 5, 2));
    assert_eq!((back.helpers[0].node.object_id, back.helpers[0].node.parent_id), (4, 1));
    for (a, b) in back.pivots[4].iter().zip([1.3f32, 7.5, 23.7]) {
        assert!((a - b).abs() < 1e-5);
    }
    assert_eq!((&back.geosets, &back.sequences), (&model.geosets, &model.sequences));

    let removed = edited(&model.to_scene("unit"), |json, _| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        let hand = nodes.iter().position(|n| n["name"] == "Hand Right Ref").unwrap();
        for node in nodes.iter_mut() {
            if let Some(children) = node.get_mut("children").and_then(|c| c.as_array_mut()) {
                children.retain(|c| c.as_u64() != Some(hand as u64));
            }
        }
    });
    let (back, _) = Model::from_scene(&removed, &Default::default()).unwrap();
    assert_eq!((back.attachments.len(), back.node_count(), back.pivots.len()), (0, 3, 3));
    assert_eq!((back.events[0].node.object_id, back.pivots[2]), (2, [1.0, 0.0, 0.0]));
    assert_eq!((&back.bones, &back.geosets), (&model.bones, &model.geosets));
    assert_eq!(back.events[0].track, model.events[0].track);
}

#[test]
fn clips_grow_come_and_go() {
    let model = unit();
    let mut scene = model.to_scene("unit");
    let extra =
        Channel::node(2, Property::Scale, Run::Linear, vec![0.0, 2.0], vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    scene.clips.push(Clip { name: "Attack".into(), length: 2.0, channels: vec![extra], ..Clip::default() });
    let (back, losses) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!((back.sequences[2].start, back.sequences[2].end), (3100, 5100));
    let Keys::Vector(scale) = &back.bones[1].node.tracks.get(*b"KGSC").unwrap().keys else { panic!() };
    assert_eq!(scale.keys[1], Key { time: 5100, value: [2.0; 3] });
    assert_eq!(back.geosets[0].sequence_bounds.len(), 3);
    scene.clips.remove(0);
    let (back, _) = Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(back.sequences.iter().map(|s| s.start).collect::<Vec<_>>(), [2000, 3100]);
    // The keys of the clip that is gone are gone; the key outside of every sequence stays.
    let Keys::Vector(walk) = &back.bones[0].node.tracks.get(*b"KGTR").unwrap().keys else { panic!() };
    assert_eq!(walk.keys.iter().map(|k| k.time).collect::<Vec<_>>(), [1500, 2500]);
    assert!(back.events[0].track.as_ref().is_none_or(|t| t.times.is_empty()));
}

/// What a model of another origin must be: whole, without errors, and the same again.
fn check(scene: &Scene, version: u32, precision: f32) -> Model {
    let (model, _) =
        Model::from_scene(scene, &SceneOptions::default().with_version(Version(version))).unwrap();
    let model = Model::read(&model.write().unwrap(), &Limits::default()).unwrap();
    assert_eq!(model.version, Version(version));
    let errors: Vec<String> = model
        .check()
        .findings()
        .iter()
        .filter(|f| f.rule.severity == Severity::Error)
        .map(|f| format!("{} {f:?}", f.rule.code))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let again = model.to_scene("again");
    let count = |scene: &Scene| -> usize {
        let drawn = scene.drawn().filter(|(_, _, m)| m.purpose == galatea_scene::Purpose::Render);
        drawn.flat_map(|(_, _, m)| &m.primitives).map(|p| p.indices.len() / 3).sum()
    };
    assert_eq!(count(scene), count(&again));
    assert_eq!(scene.clips.len(), again.clips.len());
    // Every corner is where it was, at rest and in the middle of every clip.
    let size = Pose::rest(scene).bounds(scene).unwrap().size();
    let places = |scene: &Scene, pose: &Pose| -> Vec<[f32; 3]> {
        let mut out = Vec::new();
        for (id, _, mesh) in scene.drawn().filter(|(_, _, m)| m.purpose == galatea_scene::Purpose::Render) {
            for primitive in &mesh.primitives {
                let moved = pose.deform(scene, id, primitive).positions;
                out.extend(primitive.indices.iter().map(|i| moved[*i as usize]));
            }
        }
        out
    };
    let mut poses = vec![(Pose::rest(scene), Pose::rest(&again))];
    for clip in &scene.clips {
        let twin =
            again.clips.iter().find(|c| c.name == clip.name || c.playback == Playback::Always).unwrap();
        poses.push((Pose::at(scene, clip, clip.length / 2.0), Pose::at(&again, twin, clip.length / 2.0)));
    }
    for (n, (a, b)) in poses.iter().enumerate() {
        let (a, b) = (places(scene, a), places(&again, b));
        let far = a.iter().zip(&b).map(|(a, b)| glam::Vec3::from(*a).distance(glam::Vec3::from(*b)));
        let far = far.fold(0.0, f32::max) / size;
        assert!(far <= if n == 0 { 1e-4 } else { precision }, "{version} pose {n}: {far}");
    }
    model
}

#[test]
fn the_example_becomes_a_model() {
    for version in [800, 1000] {
        let model = check(&galatea_scene::example(), version, 1e-3);
        assert_eq!((model.geosets.len(), model.sequences.len(), model.attachments.len()), (1, 2, 1));
    }
}

/// A tube of turned and scaled joints with smooth weights, and more of everything than one geoset can hold.
fn tube(joints: usize, around: usize, rings: usize) -> Scene {
    let mut scene = Scene::new("tube");
    let mut parent = None;
    let mut ids = Vec::new();
    for i in 0..joints {
        let mut node = SceneNode::new(&format!("joint {i}"));
        let turn = glam::Quat::from_rotation_z(0.2).to_array();
        node.transform = Transform { translation: [0.0, 0.5, 0.0], rotation: turn, ..Transform::default() };
        parent = Some(scene.add_node(parent, node));
        ids.extend(parent);
    }
    let pose = Pose::rest(&scene);
    let binds: Vec<[f32; 16]> = ids.iter().map(|id| pose.world_of(*id).inverse().to_cols_array()).collect();
    let mut vertices = Vertices::default();
    vertices.influences.width = 2;
    let influences: &mut Influences = &mut vertices.influences;
    for ring in 0..rings {
        let part = ring as f32 / rings as f32 * (joints - 1) as f32;
        let (low, share) = (part as usize, part.fract());
        for step in 0..around {
            let angle = step as f32 / around as f32 * std::f32::consts::TAU;
            let local = glam::Vec3::new(angle.cos() * 0.1, share * 0.5, angle.sin() * 0.1);
            vertices.positions.push(pose.world_of(ids[low]).transform_point3(local).into());
            influences.joints.extend([low as u16, (low + 1).min(joints - 1) as u16]);
            influences.weights.extend([1.0 - share, share]);
        }
    }
    let mut indices = Vec::new();
    for ring in 0..rings as u32 - 1 {
        for step in 0..around as u32 {
            let next = (step + 1) % around as u32;
            let (a, b) = (ring * around as u32, (ring + 1) * around as u32);
            indices.extend([a + step, b + step, b + next, a + step, b + next, a + next]);
        }
    }
    scene.vertices.push(vertices);
    scene.meshes.push(Mesh {
        name: "tube".into(),
        primitives: vec![Primitive { indices, ..Primitive::default() }],
        ..Mesh::default()
    });
    scene.skins.push(Skin { joints: ids.clone(), inverse_bind: binds, ..Skin::default() });
    scene.add_node(None, SceneNode { mesh: Some(0), skin: Some(0), ..SceneNode::new("tube") });
    let rest = glam::Quat::from_rotation_z(0.2);
    let bent = rest * glam::Quat::from_rotation_x(0.3);
    let values = [rest.to_array(), bent.to_array(), rest.to_array()].concat();
    let bend = Channel::node(ids[1], Property::Rotation, Run::Linear, vec![0.0, 0.5, 1.0], values);
    let lift = Channel::node(
        ids[0],
        Property::Translation,
        Run::Cubic,
        vec![0.0, 1.0],
        vec![0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0],
    );
    scene.clips.push(Clip {
        name: "bend".into(),
        length: 1.0,
        channels: vec![bend, lift],
        ..Clip::default()
    });
    scene
}

#[test]
fn large_skinned_meshes_are_split() {
    let scene = tube(40, 40, 1700);
    assert!(scene.vertices[0].positions.len() > 65_535);
    // Bytes of weights on bones far from each other; equal shares of four bones are coarser.
    let model = check(&scene, 1000, 2e-3);
    assert!(model.geosets.len() >= 2 && model.geosets.iter().all(|g| g.skin.is_some()));
    let model = check(&tube(40, 12, 400), 800, 1e-2);
    assert!(model.geosets.iter().all(|g| g.skin.is_none() && g.group_sizes.len() <= 256));
    let (_, losses) = Model::from_scene(&tube(40, 12, 400), &Default::default()).unwrap();
    assert!(losses.iter().any(|l| l.what.contains("shares of at most four bones")), "{losses:?}");
    check(&tube(300, 6, 900), 1000, 1e-2);
}

#[test]
fn still_meshes_and_scenes_without_anything_become_models() {
    let mut scene = Scene::new("rock");
    scene.vertices.push(Vertices {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        ..Vertices::default()
    });
    let primitive = Primitive { indices: vec![0, 1, 2], ..Primitive::default() };
    scene.meshes.push(Mesh { name: "rock".into(), primitives: vec![primitive], ..Mesh::default() });
    let top = scene.add_node(None, SceneNode::new("top"));
    let mut node = SceneNode { mesh: Some(0), ..SceneNode::new("rock") };
    node.transform.translation = [3.0, 0.0, 1.0];
    node.transform.rotation = glam::Quat::from_rotation_y(1.0).to_array();
    scene.add_node(Some(top), node);
    for version in [800, 1000] {
        let model = check(&scene, version, 1e-4);
        assert_eq!((model.bones.len(), model.geosets.len()), (1, 1));
        // A metre is 39.37 inches.
        assert!((model.geosets[0].bounds.max[0] - model.geosets[0].bounds.min[0]).abs() < 40.0);
    }
    let (nothing, losses) = Model::from_scene(&Scene::new("nothing"), &Default::default()).unwrap();
    assert!(losses.is_empty() && nothing.geosets.is_empty());
}
