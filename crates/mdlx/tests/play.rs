//! Playback: nodes, meshes, visibility, events, cameras, particles and ribbons at a moment.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod real;

use galatea_mdlx::play::{Edge, ModelSystem, Moment, ParticleSystem, Player, RibbonSystem, View};
use galatea_mdlx::*;
use glam::{Quat, Vec3};

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// A quarter turn about z.
const QUARTER: [f32; 4] = [0.0, 0.0, HALF, HALF];

fn node(id: u32, parent: i32, flags: u32, tracks: Vec<Track>) -> Node {
    Node { object_id: id, parent_id: parent, flags, tracks: tracks.into(), ..Node::default() }
}

fn constant(tag: &[u8; 4], keys: Keys) -> Track {
    Track::new(tag, Interpolation::Linear, keys)
}

fn turn() -> Track {
    constant(b"KGRT", Keys::Rotation(Curve::new([(0, QUARTER)])))
}

fn moved(by: [f32; 3]) -> Track {
    constant(b"KGTR", Keys::Vector(Curve::new([(0, by)])))
}

fn scaled(by: f32) -> Track {
    constant(b"KGSC", Keys::Vector(Curve::new([(0, [by; 3])])))
}

fn model(nodes: Vec<Node>, pivots: Vec<[f32; 3]>) -> Model {
    let mut model = Model::new(Version(800));
    model.bones = nodes.into_iter().map(|node| Bone { node, ..Bone::default() }).collect();
    model.pivots = pivots;
    model.sequences = vec![Sequence { start: 0, end: 1000, ..Sequence::default() }];
    model
}

fn at(model: &Model, time: f64) -> Moment {
    Moment::in_sequence(model, 0, time)
}

fn close(a: Vec3, b: [f32; 3]) {
    assert!((a - Vec3::from(b)).length() < 1e-4, "{a} and {b:?}");
}

#[test]
fn nodes_turn_about_their_pivots_and_carry_their_children() {
    let m = model(
        vec![node(0, -1, 0, vec![turn()]), node(1, 0, 0, vec![turn(), moved([0.0, 0.0, 5.0])])],
        vec![[10.0, 0.0, 0.0], [20.0, 0.0, 0.0]],
    );
    let pose = Player::new(&m).pose(&at(&m, 0.0), None);
    close(pose.nodes[0].matrix.transform_point3(Vec3::new(12.0, 0.0, 0.0)), [10.0, 2.0, 0.0]);
    close(pose.nodes[1].position, [10.0, 10.0, 5.0]);
    close(pose.nodes[1].matrix.transform_point3(Vec3::new(21.0, 0.0, 0.0)), [9.0, 10.0, 5.0]);
}

#[test]
fn children_may_stand_before_their_parents() {
    let m =
        model(vec![node(1, 0, 0, vec![]), node(0, -1, 0, vec![moved([1.0, 2.0, 3.0])])], vec![[0.0; 3]; 2]);
    let pose = Player::new(&m).pose(&at(&m, 0.0), None);
    close(pose.nodes[0].position, [1.0, 2.0, 3.0]);
}

#[test]
fn what_is_not_inherited_is_not() {
    let parent = || node(0, -1, 0, vec![turn(), moved([0.0, 0.0, 7.0]), scaled(2.0)]);
    let child = |flags| {
        let m = model(vec![parent(), node(1, 0, flags, vec![])], vec![[0.0; 3], [10.0, 0.0, 0.0]]);
        Player::new(&m).pose(&at(&m, 0.0), None).nodes[1]
    };
    let offset = |n: play::NodePose| n.matrix.transform_point3(Vec3::new(11.0, 0.0, 0.0)) - n.position;
    let all = child(0);
    close(all.position, [0.0, 20.0, 7.0]);
    close(offset(all), [0.0, 2.0, 0.0]);
    let no_scale = child(node_flags::DONT_INHERIT_SCALING);
    close(no_scale.position, [0.0, 20.0, 7.0]);
    close(offset(no_scale), [0.0, 1.0, 0.0]);
    let no_turn = child(node_flags::DONT_INHERIT_ROTATION);
    close(no_turn.position, [0.0, 20.0, 7.0]);
    close(offset(no_turn), [2.0, 0.0, 0.0]);
    let no_move = child(node_flags::DONT_INHERIT_TRANSLATION);
    close(no_move.position, [10.0, 0.0, 0.0]);
    close(offset(no_move), [0.0, 2.0, 0.0]);
}

#[test]
fn billboards_face_the_camera() {
    let m = model(
        vec![
            node(0, -1, 0, vec![turn()]),
            node(1, 0, node_flags::BILLBOARDED, vec![]),
            node(2, 0, node_flags::BILLBOARDED_LOCK_Z, vec![]),
        ],
        vec![[0.0; 3]; 3],
    );
    for place in [[100.0, 0.0, 0.0], [0.0, 70.0, 20.0], [-30.0, -50.0, 80.0]] {
        let view = View::look_at(place.into(), Vec3::ZERO);
        let pose = Player::new(&m).pose(&at(&m, 0.0), Some(&view));
        close(pose.nodes[1].rotation * Vec3::X, Vec3::from(place).normalize().into());
        let flat = Vec3::new(place[0], place[1], 0.0).normalize();
        close(pose.nodes[2].rotation * Vec3::X, flat.into());
        close(pose.nodes[2].rotation * Vec3::Z, [0.0, 0.0, 1.0]);
    }
    let still = Player::new(&m).pose(&at(&m, 0.0), None);
    assert!(still.nodes[1].rotation.angle_between(Quat::from_array(QUARTER)) < 1e-3);
}

#[test]
fn vertices_follow_the_mean_of_their_group_or_their_weights() {
    let m = model(
        vec![node(0, -1, 0, vec![]), node(1, -1, 0, vec![moved([0.0, 0.0, 8.0])])],
        vec![[0.0; 3], [0.0; 3]],
    );
    let mut geoset = Geoset {
        vertices: vec![[1.0, 0.0, 0.0]; 3],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        vertex_groups: vec![0, 1, 9],
        group_sizes: vec![1, 2],
        matrices: vec![1, 0, 1],
        ..Geoset::default()
    };
    let player = Player::new(&m);
    let pose = player.pose(&at(&m, 0.0), None);
    let heights = |g: &Geoset| player.vertices(g, &pose).iter().map(|(v, _)| v[2]).collect::<Vec<_>>();
    assert_eq!(heights(&geoset), [8.0, 4.0, 4.0]);
    geoset.skin = Some(vec![
        SkinWeight { bones: [0, 1, 0, 0], weights: [0, 255, 0, 0] },
        SkinWeight { bones: [0, 1, 0, 0], weights: [191, 64, 0, 0] },
        SkinWeight { bones: [77, 0, 0, 0], weights: [255, 0, 0, 0] },
    ]);
    let heights = heights(&geoset);
    assert_eq!((heights[0], heights[2]), (8.0, 0.0));
    assert!((heights[1] - 8.0 * 64.0 / 255.0).abs() < 1e-5);
}

#[test]
fn geosets_lights_layers_and_cameras_have_a_moment() {
    let mut m = model(vec![], vec![]);
    m.geosets = vec![Geoset::default(), Geoset { lod: 1, ..Geoset::default() }, Geoset::default()];
    let fade = constant(b"KGAO", Keys::Float(Curve::new([(0, 1.0), (1000, 0.0)])));
    let color = constant(b"KGAC", Keys::Vector(Curve::new([(0, [0.0, 0.5, 1.0])])));
    m.geoset_anims = vec![
        GeosetAnim { geoset_id: 0, flags: 2, tracks: vec![fade, color].into(), ..GeosetAnim::default() },
        GeosetAnim { geoset_id: 2, alpha: 0.0, ..GeosetAnim::default() },
    ];
    let lamp = constant(b"KLAI", Keys::Float(Curve::new([(0, 0.0), (1000, 4.0)])));
    let hidden = constant(b"KLAV", Keys::Float(Curve::new([(0, 1.0), (500, 0.0)])));
    m.lights = vec![Light { color: [0.1, 0.2, 0.3], tracks: vec![lamp, hidden].into(), ..Light::default() }];
    m.cameras = vec![Camera {
        tracks: vec![constant(b"KCTR", Keys::Vector(Curve::new([(0, [1.0, 2.0, 3.0])])))].into(),
        ..Camera::default()
    }];
    let slide = constant(b"KTAT", Keys::Vector(Curve::new([(0, [0.0; 3]), (1000, [1.0, 0.0, 0.0])])));
    let spin = constant(b"KTAR", Keys::Rotation(Curve::new([(0, QUARTER)])));
    m.texture_anims = vec![TextureAnim { tracks: vec![slide, spin].into() }];
    let flip =
        Track::new(b"KMTF", Interpolation::None, Keys::Integer(Curve::new([(0, 3), (250, 4), (1000, 5)])));
    let layer = Layer { texture_anim_id: 0, tracks: vec![flip].into(), ..Layer::default() };
    let player = Player::new(&m).edge(Edge::Clamp);
    let now = at(&m, 750.0);
    let pose = player.pose(&now, None);
    assert_eq!(pose.geosets[0].alpha, 0.25);
    // Keys hold blue first.
    assert_eq!(pose.geosets[0].color, [1.0, 0.5, 0.0]);
    assert_eq!([0, 1, 2].map(|i| pose.geosets[i].visible), [true, false, false]);
    assert_eq!((pose.lights[0].intensity, pose.lights[0].visible), (3.0, false));
    assert_eq!(pose.lights[0].color, [0.1, 0.2, 0.3]);
    close(pose.cameras[0].position, [1.0, 2.0, 3.0]);
    let layer = player.layer(&layer, &now);
    assert_eq!(layer.texture, 4);
    let [u, v] = layer.apply([1.0, 0.5]);
    assert!((u - 1.25).abs() < 1e-5 && (v - 1.0).abs() < 1e-5, "{u} {v}");
}

#[test]
fn events_happen_once() {
    let mut m = model(vec![], vec![]);
    let event = |global_sequence, times: &[i32]| Event {
        track: Some(EventTrack { global_sequence, times: times.to_vec() }),
        ..Event::default()
    };
    m.events = vec![event(-1, &[100, 900, 5000]), event(0, &[10])];
    m.global_sequences = vec![50];
    let player = Player::new(&m);
    assert_eq!(player.events(&at(&m, 50.0), &at(&m, 59.0)), []);
    assert_eq!(player.events(&at(&m, 99.0), &at(&m, 105.0)), [(0, 100)]);
    assert_eq!(player.events(&at(&m, 100.0), &at(&m, 112.0)), [(1, 10)]);
    // Round the end and into the next turn.
    assert_eq!(player.events(&at(&m, 899.0), &at(&m, 1101.0)), [(0, 100), (0, 900)]);
}

fn fountain() -> Model {
    let mut m = model(vec![], vec![]);
    m.particle_emitters2 = vec![ParticleEmitter2 {
        speed: 100.0,
        variation: 0.5,
        latitude: 30.0,
        gravity: 50.0,
        life_span: 1.0,
        emission_rate: 100.0,
        rows: 2,
        columns: 2,
        head_life: [0, 3, 1],
        segment_alphas: [255, 255, 0],
        segment_scalings: [1.0, 2.0, 4.0],
        ..ParticleEmitter2::default()
    }];
    m
}

#[test]
fn the_same_seed_gives_the_same_particles() {
    let m = fountain();
    let player = Player::new(&m);
    let run = |seed| ParticleSystem::at(&player, 0, seed, 0, 5000.0).unwrap().particles().to_vec();
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let particles = run(1);
    assert!((95..=105).contains(&particles.len()), "{}", particles.len());
    assert!(particles.iter().all(|p| p.position.is_finite() && (0.0..1.0).contains(&p.age)));
    assert!(particles.iter().all(|p| (1.0..=4.0).contains(&p.size) && (0.0..=1.0).contains(&p.alpha)));
    // They start upwards and fall in the end.
    let rising = particles.iter().filter(|p| p.age < 0.3).all(|p| p.velocity.z > 0.0);
    assert!(rising && particles.iter().any(|p| p.head_uv == [0.5, 0.5, 1.0, 1.0]));
    assert!(ParticleSystem::new(&player, 1, 0).is_none());
}

#[test]
fn hidden_emitters_emit_nothing_and_squirts_emit_once() {
    let mut m = fountain();
    m.particle_emitters2[0].tracks.push(Track::new(
        b"KP2V",
        Interpolation::None,
        Keys::Float(Curve::new([(0, 0.0)])),
    ));
    let count =
        |m: &Model, time| ParticleSystem::at(&Player::new(m), 0, 1, 0, time).unwrap().particles().len();
    assert_eq!(count(&m, 800.0), 0);
    m.particle_emitters2[0].squirt = 1;
    m.particle_emitters2[0].tracks =
        vec![Track::new(b"KP2E", Interpolation::None, Keys::Float(Curve::new([(0, 0.0), (500, 12.0)])))]
            .into();
    assert_eq!(count(&m, 400.0), 0);
    assert_eq!(count(&m, 900.0), 12);
}

fn catapult() -> Model {
    let mut m = model(vec![node(0, -1, 0, vec![turn()])], vec![[0.0; 3], [10.0, 0.0, 0.0]]);
    m.particle_emitters = vec![ParticleEmitter {
        node: node(1, 0, node_flags::EMITTER_USES_MDL, vec![]),
        emission_rate: 20.0,
        gravity: 50.0,
        longitude: 3.0,
        latitude: 0.25,
        path: Text::new(b"Rock.mdl").unwrap(),
        life_span: 0.5,
        speed: 100.0,
        ..ParticleEmitter::default()
    }];
    m
}

#[test]
fn thrown_models_fly_from_their_emitter_and_are_the_same_every_time() {
    let m = catapult();
    let player = Player::new(&m);
    let run = |seed| ModelSystem::at(&player, 0, seed, 0, 5000.0).unwrap();
    assert_eq!(run(1).path(), b"Rock.mdl");
    let models = run(1).models().to_vec();
    assert_eq!(models, run(1).models());
    assert_ne!(models, run(2).models());
    assert!((9..=11).contains(&models.len()), "{}", models.len());
    for thrown in &models {
        assert!((0.0..0.5).contains(&thrown.age));
        // The way it came: up to now with the mean of the velocities at both ends, from where the emitter stands.
        let start = thrown.velocity() + Vec3::Z * 50.0 * thrown.age;
        close(thrown.rotation * Vec3::Z, [0.0, 0.0, 1.0]);
        assert!((start.length() - 100.0).abs() < 1e-2 && start.z >= 100.0 * 0.25f32.cos() - 1e-2);
        let way = thrown.position() - Vec3::new(0.0, 10.0, 0.0);
        assert!((way - start * thrown.age).length() < 50.0 * 0.5 * 0.5, "{way}");
    }
    assert!(models.windows(2).all(|w| w[0].age > w[1].age));
    assert!(ModelSystem::new(&player, 1, 0).is_none());
}

#[test]
fn tracks_decide_what_is_thrown_and_how_long_it_lives() {
    let float = |tag, keys: &[(i32, f32)]| {
        Track::new(tag, Interpolation::None, Keys::Float(Curve::new(keys.iter().copied())))
    };
    let thrown = |track: Track| {
        let mut m = catapult();
        m.particle_emitters[0].tracks.push(track);
        ModelSystem::at(&Player::new(&m), 0, 1, 0, 900.0).unwrap().models().to_vec()
    };
    assert!(thrown(float(b"KPEV", &[(0, 0.0)])).is_empty());
    assert!(thrown(float(b"KPEV", &[(0, 1.0), (300, 0.0)])).is_empty());
    assert!(thrown(float(b"KPEL", &[(0, 0.06)])).len() <= 2);
    assert_eq!(thrown(float(b"KPEE", &[(0, 0.0)])).len(), 0);
    let straight = thrown(float(b"KPLT", &[(0, 0.0)]));
    assert!(!straight.is_empty() && straight.iter().all(|t| t.velocity().truncate().length() < 1e-3));
    assert!(thrown(float(b"KPES", &[(0, 1.0)])).iter().all(|t| t.velocity().z <= 1.0));
    let up = thrown(float(b"KPEG", &[(0, 0.0)]));
    assert!(up.iter().all(|t| (t.velocity().length() - 100.0).abs() < 1e-2));
}

#[test]
fn a_ribbon_stays_behind_its_emitter() {
    let mut m = model(vec![], vec![[0.0; 3]]);
    let fly = constant(b"KGTR", Keys::Vector(Curve::new([(0, [0.0; 3]), (1000, [100.0, 0.0, 0.0])])));
    m.ribbon_emitters = vec![RibbonEmitter {
        node: node(0, -1, 0, vec![fly]),
        height_above: 2.0,
        height_below: 3.0,
        life_span: 0.5,
        emission_rate: 30,
        ..RibbonEmitter::default()
    }];
    let player = Player::new(&m);
    let ribbon = RibbonSystem::at(&player, 0, 0, 900.0).unwrap();
    let edges = ribbon.edges();
    assert!((13..=16).contains(&edges.len()), "{}", edges.len());
    assert!(edges.windows(2).all(|w| w[0].above.x < w[1].above.x && w[0].age > w[1].age));
    assert!(edges.iter().all(|e| (e.above.y - e.below.y - 5.0).abs() < 1e-4));
}

#[test]
fn parents_in_a_circle_do_not_hang() {
    let m =
        model(vec![node(0, 1, 0, vec![turn()]), node(1, 0, 0, vec![turn()]), node(2, 2, 0, vec![])], vec![]);
    let pose = Player::new(&m).pose(&at(&m, 0.0), None);
    assert!(pose.nodes.iter().all(|n| n.matrix.is_finite()));
}

#[test]
#[ignore = "needs the corpus"]
fn every_real_file_has_a_pose_at_any_time() {
    let mut poses = 0;
    for (path, m) in real::binaries().every(3).read(real::binary) {
        for edge in [Edge::Clamp, Edge::Wrap] {
            let player = Player::new(&m).edge(edge);
            for sequence in 0..m.sequences.len().min(3) {
                let view = View::look_at(Vec3::new(100.0, 20.0, 50.0), Vec3::ZERO);
                let pose = player.pose(&Moment::in_sequence(&m, sequence, 333.0), Some(&view));
                let broken = pose.nodes.iter().position(|n| !n.matrix.is_finite());
                assert_eq!(broken, None, "{} sequence {sequence}", path.display());
                poses += 1;
            }
        }
    }
    assert!(poses > 400, "{poses}");
}

#[test]
#[ignore = "needs the corpus"]
fn the_authentic_1300_file_makes_sense() {
    let (_, m) = real::of_version(1300).read(real::binary).next().unwrap();
    assert_eq!((m.version, m.node_count(), m.pivots.len()), (Version(1300), 57, 57));
    assert_eq!(m.info.tail_as_node_count(), (1, 57));
    let mut keys = 0;
    for track in m.nodes().flat_map(|(_, _, n)| n.tracks.iter()) {
        if let Keys::Rotation(curve) = &track.keys {
            keys += curve.keys.len();
            let unit = |q: [f32; 4]| (q.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3;
            assert!(curve.keys.iter().all(|k| unit(k.value)));
        }
    }
    assert_eq!(keys, 8478);
    let player = Player::new(&m);
    let (low, high) = (Vec3::from(m.info.bounds.min), Vec3::from(m.info.bounds.max));
    assert!(low.cmplt(Vec3::ZERO).all() && high.cmpgt(Vec3::ONE).all() && high.cmplt(Vec3::splat(3.0)).all());
    let big = (high - low).length();
    for (index, sequence) in m.sequences.iter().enumerate() {
        assert!((0.5..5.0).contains(&sequence.bounds.radius) && sequence.end > sequence.start);
        for part in [0.0, 0.37, 0.99] {
            let elapsed = f64::from(sequence.end - sequence.start) * part;
            let pose = player.pose(&Moment::in_sequence(&m, index, elapsed), None);
            for geoset in &m.geosets {
                for (vertex, _) in player.vertices(geoset, &pose) {
                    assert!(Vec3::from(vertex).length() < big, "{} {vertex:?}", sequence.name.lossy());
                }
            }
        }
    }
}
