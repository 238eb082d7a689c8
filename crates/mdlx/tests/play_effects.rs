//! Emitters with closed-form answers: rates, lives, speeds and steps are powers of two, so that every sum is exact.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

use galatea_mdlx::play::{Edge, ModelSystem, Moment, ParticleSystem, Player, RibbonSystem, View};
use galatea_mdlx::*;
use glam::{Quat, Vec3};

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// Milliseconds of a step.
const STEP: f64 = 1000.0 / 64.0;

fn model(emitter: ParticleEmitter2) -> Model {
    let mut model = Model::new(Version(800));
    model.sequences = vec![Sequence { end: 8000, ..Sequence::default() }];
    model.particle_emitters2 = vec![emitter];
    model
}

fn emitter(rate: f32, life: f32) -> ParticleEmitter2 {
    ParticleEmitter2 { emission_rate: rate, life_span: life, ..ParticleEmitter2::default() }
}

fn at(model: &Model, elapsed: f64) -> ParticleSystem<'_> {
    ParticleSystem::at(&Player::new(model), 0, 1, 0, elapsed).unwrap()
}

fn ages(model: &Model, elapsed: f64) -> Vec<f32> {
    at(model, elapsed).particles().iter().map(|p| p.age).collect()
}

fn float(tag: &[u8; 4], keys: &[(i32, f32)]) -> Track {
    Track::new(tag, Interpolation::None, Keys::Float(Curve::new(keys.iter().copied())))
}

#[test]
fn as_many_live_as_rate_times_life() {
    let m = model(emitter(8.0, 62.0 / 64.0));
    for step in 64..200u32 {
        let ages = ages(&m, f64::from(step) * STEP);
        // Eight for the six steps from each birth, then seven for two.
        assert_eq!(ages.len(), if step % 8 < 6 { 8 } else { 7 }, "{step}");
        assert!(ages.windows(2).all(|w| w[0] - w[1] == 0.125), "{ages:?}");
    }
}

#[test]
fn births_keep_their_phase_from_the_start_of_the_clip() {
    let m = model(emitter(8.0, 1.0));
    for elapsed in [3000.0, 3016.0, 3050.0, 3077.0] {
        let newest = ages(&m, elapsed).last().copied().unwrap();
        assert!((f64::from(newest) * 1000.0 - elapsed % 125.0).abs() < STEP, "{elapsed}: {newest}");
    }
    let (now, later) = (ages(&m, 3000.0), ages(&m, 3000.0 + STEP));
    let older: Vec<f32> = now.iter().map(|a| a + 1.0 / 64.0).filter(|a| *a < 1.0).collect();
    assert_eq!(later, older);
}

#[test]
fn slow_emitters_emit() {
    let m = model(emitter(0.5, 1.0));
    for (elapsed, alive) in [(1990.0, 0), (2010.0, 1), (2990.0, 1), (3010.0, 0), (4010.0, 1)] {
        assert_eq!(at(&m, elapsed).particles().len(), alive, "{elapsed}");
    }
}

#[test]
fn gravity_pulls_in_steps() {
    let m = model(ParticleEmitter2 { speed: 64.0, gravity: 32.0, ..emitter(64.0, 2.0) });
    let system = at(&m, 1000.0 + STEP);
    let oldest = system.particles().first().unwrap();
    assert_eq!((oldest.age, oldest.velocity.z, oldest.position.z), (1.0, 32.0, 47.75));
}

#[test]
fn gravity_is_that_of_birth() {
    let mut m = model(ParticleEmitter2 { speed: 64.0, ..emitter(64.0, 2.0) });
    m.particle_emitters2[0].tracks.push(float(b"KP2G", &[(0, 0.0), (500, 32.0)]));
    let system = at(&m, 1000.0);
    let speeds: Vec<(f32, f32)> = system.particles().iter().map(|p| (p.age, p.velocity.z)).collect();
    assert!(
        speeds.iter().all(|(age, z)| if *age > 0.5 { *z == 64.0 } else { *z == 64.0 - 32.0 * age }),
        "{speeds:?}"
    );
}

#[test]
fn line_emitters_fan_along_their_second_extent() {
    let line = ParticleEmitter2 { width: 64.0, latitude: 30.0, speed: 8.0, ..emitter(64.0, 1.0) };
    let mut m = model(line);
    m.particle_emitters2[0].node.flags = node_flags::LINE_EMITTER;
    let system = at(&m, 900.0);
    assert!(system.particles().iter().all(|p| p.position.x == 0.0 && p.velocity.x == 0.0));
    assert!(system.particles().iter().any(|p| p.velocity.y > 1.0));
    assert!(system.particles().iter().any(|p| p.velocity.y < -1.0));
    // Others fill a cone around z, whose corners are empty.
    m.particle_emitters2[0].node.flags = 0;
    let system = at(&m, 900.0);
    assert!(system.particles().iter().all(|p| p.velocity.z >= 8.0 * 30f32.to_radians().cos() - 1e-4));
    assert!(system.particles().iter().any(|p| p.velocity.x.abs() > 1.0));
}

#[test]
fn bursts_follow_keys_and_not_values() {
    let count = |keys: &[(i32, f32)], more: Vec<Track>, elapsed: f64| {
        let mut m = model(ParticleEmitter2 { squirt: 1, ..emitter(0.0, 8.0) });
        m.particle_emitters2[0].tracks = vec![float(b"KP2E", keys)].into();
        m.particle_emitters2[0].tracks.list.extend(more);
        at(&m, elapsed).particles().len()
    };
    // Equal neighbours are two bursts.
    let twice = [(0, 5.0), (500, 5.0), (600, 0.0), (8000, 0.0)];
    assert_eq!([100.0, 550.0, 900.0].map(|t| count(&twice, vec![], t)), [5, 10, 10]);
    // A key that is passed while hidden counts when the emitter is shown.
    let hidden = || vec![float(b"KP2V", &[(0, 0.0), (700, 1.0)])];
    let once = [(0, 0.0), (500, 7.0), (8000, 0.0)];
    assert_eq!([650.0, 750.0].map(|t| count(&once, hidden(), t)), [0, 7]);
}

#[test]
fn interpolated_rates_do_not_burst_at_every_step() {
    let mut m = model(ParticleEmitter2 { squirt: 1, ..emitter(0.0, 8.0) });
    let rise = Keys::Float(Curve::new([(0, 8.0), (4000, 16.0), (8000, 0.0)]));
    m.particle_emitters2[0].tracks = vec![Track::new(b"KP2E", Interpolation::Linear, rise)].into();
    assert_eq!(at(&m, 1000.0).particles().len(), 8);
}

#[test]
fn absurd_emitters_hold_their_budget_and_tell() {
    for (rate, life) in [(1e9, 1e9), (1e9, 0.01), (f32::INFINITY, 1.0)] {
        let m = model(emitter(rate, life));
        let system = at(&m, 2000.0);
        assert!(system.particles().len() <= 4096 && system.is_limited(), "{rate} {life}");
    }
    for (rate, life) in [(f32::NAN, 1.0), (10.0, f32::NAN), (-5.0, 1.0), (10.0, -1.0)] {
        let m = model(emitter(rate, life));
        let system = at(&m, 2000.0);
        assert!(system.particles().is_empty() && !system.is_limited(), "{rate} {life}");
    }
    // Ten years of playing are as quick as five minutes.
    assert_eq!(at(&model(emitter(8.0, 62.0 / 64.0)), 3.2e11).particles().len(), 8);
}

#[test]
fn thousands_of_absurd_emitters_share_one_budget() {
    use galatea_scene::{Instant, Performance, Shown};
    let mut m = model(emitter(1e9, 1e9));
    m.particle_emitters2 = vec![m.particle_emitters2[0].clone(); 2000];
    let thrower = ParticleEmitter { emission_rate: 1e9, life_span: 1e9, ..ParticleEmitter::default() };
    m.particle_emitters = vec![thrower; 2096];
    let mut scene = m.to_scene("all");
    let mut play = play::ModelPerformance::new(&m, &scene);
    play.extend(&mut scene);
    let at = Instant::new(Some(0), 0.1, [0.0, 0.0, 0.0, 1.0]);
    let frame = play.frame(&scene, &at, &Shown::default());
    assert_eq!((frame.sprites.len(), frame.markers.len()), (2000 * 64, 2096 * 64));
    assert!(
        frame.notes.iter().any(|n| n.contains("than the 64 that are drawn")),
        "{:?}",
        frame.notes.first()
    );
}

#[test]
fn emitters_below_a_billboard_turn_with_it() {
    let mut m = model(ParticleEmitter2 {
        node: Node { object_id: 1, parent_id: 0, ..Node::default() },
        speed: 8.0,
        ..emitter(64.0, 1.0)
    });
    m.helpers = vec![Helper { node: Node { flags: node_flags::BILLBOARDED, ..Node::default() } }];
    m.pivots = vec![[0.0; 3]; 2];
    let view = View::look_at(Vec3::new(10.0, 0.0, 10.0), Vec3::ZERO);
    let system = ParticleSystem::seen(&Player::new(&m), 0, 1, 0, 500.0, Some(&view)).unwrap();
    let up = view.rotation * Vec3::Y * 8.0;
    assert!(system.particles().iter().all(|p| (p.velocity - up).length() < 1e-4));
}

fn ribbon() -> Model {
    let mut m = Model::new(Version(800));
    m.sequences = vec![Sequence { end: 4000, ..Sequence::default() }];
    let fly = Keys::Vector(Curve::new([(0, [0.0; 3]), (4000, [256.0, 0.0, 0.0])]));
    let node =
        Node { tracks: vec![Track::new(b"KGTR", Interpolation::Linear, fly)].into(), ..Node::default() };
    m.ribbon_emitters = vec![RibbonEmitter {
        node,
        height_above: 2.0,
        life_span: 62.0 / 64.0,
        emission_rate: 8,
        ..RibbonEmitter::default()
    }];
    m.pivots = vec![[0.0; 3]];
    m
}

#[test]
fn ribbons_have_an_edge_every_eighth_of_a_second() {
    let m = ribbon();
    for step in 64..120u32 {
        let system = RibbonSystem::at(&Player::new(&m), 0, 0, f64::from(step) * STEP).unwrap();
        let edges = system.edges();
        assert_eq!(edges.len(), if step % 8 < 6 { 8 } else { 7 }, "{step}");
        assert!(edges.windows(2).all(|w| (w[1].above.x - w[0].above.x - 8.0).abs() < 1e-3));
        assert!(edges.iter().all(|e| (e.along - e.age * 64.0 / 62.0).abs() < 1e-6));
    }
}

#[test]
fn the_whole_ribbon_has_the_present_look_and_none_is_laid_while_transparent() {
    let mut m = ribbon();
    m.ribbon_emitters[0].tracks =
        vec![float(b"KRAL", &[(0, 1.0), (500, 0.5), (1000, 0.0), (4000, 0.0)])].into();
    let player = Player::new(&m);
    let system = RibbonSystem::at(&player, 0, 0, 750.0).unwrap();
    assert_eq!((system.look().alpha, system.edges().len()), (0.5, 6));
    let edges = RibbonSystem::at(&player, 0, 0, 1500.0).unwrap();
    assert!(edges.edges().iter().all(|e| e.age > 0.5));
}

#[test]
fn thrown_models_keep_the_gravity_and_life_of_their_birth() {
    let mut m = Model::new(Version(800));
    m.sequences = vec![Sequence { end: 4000, ..Sequence::default() }];
    m.particle_emitters = vec![ParticleEmitter {
        emission_rate: 8.0,
        life_span: 1.0,
        speed: 4.0,
        ..ParticleEmitter::default()
    }];
    m.particle_emitters[0].tracks =
        vec![float(b"KPEL", &[(0, 1.0), (500, 0.25)]), float(b"KPEG", &[(0, 0.0), (500, 8.0)])].into();
    let system = ModelSystem::at(&Player::new(&m), 0, 1, 0, 1000.0).unwrap();
    let old = system.models().iter().filter(|t| t.age > 0.5).collect::<Vec<_>>();
    assert!(!old.is_empty() && old.iter().all(|t| t.life == 1.0 && t.velocity().z == 4.0));
    let young = system.models().iter().filter(|t| t.age < 0.5).collect::<Vec<_>>();
    assert!(!young.is_empty() && young.iter().all(|t| t.life == 0.25 && t.gravity == 8.0));
    // Upright, with a random yaw.
    assert!(system.models().iter().all(|t| (t.rotation * Vec3::Z).abs_diff_eq(Vec3::Z, 1e-5)));
    assert!(system.models().windows(2).any(|w| w[0].rotation != w[1].rotation));
}

fn posed(flags: u32, parent: Quat, view: Vec3) -> play::NodePose {
    let mut m = Model::new(Version(800));
    let turn = Keys::Rotation(Curve::new([(0, parent.to_array())]));
    let top = Node { tracks: vec![Track::new(b"KGRT", Interpolation::None, turn)].into(), ..Node::default() };
    let below = Node { object_id: 1, parent_id: 0, flags, ..Node::default() };
    m.helpers = vec![Helper { node: top }, Helper { node: below }];
    m.pivots = vec![[0.0; 3], [1000.0, 500.0, 0.0]];
    m.sequences = vec![Sequence { end: 1000, ..Sequence::default() }];
    let view = View::look_at(view, Vec3::ZERO);
    Player::new(&m).edge(Edge::Clamp).pose(&Moment::in_sequence(&m, 0, 0.0), Some(&view)).nodes[1]
}

#[test]
fn billboards_turn_against_the_direction_of_the_camera() {
    let quarter = Quat::from_xyzw(0.0, 0.0, HALF, HALF);
    let same = |a: Quat, b: Quat| assert!(a.angle_between(b) < 1e-3, "{a} {b}");
    let front = Vec3::new(100.0, 0.0, 0.0);
    same(posed(node_flags::BILLBOARDED, Quat::IDENTITY, front).rotation, Quat::IDENTITY);
    same(posed(node_flags::BILLBOARDED, quarter, front).rotation, Quat::IDENTITY);
    // The place of the node does not matter, and neither does what it inherits.
    let side = Vec3::new(0.0, 70.0, 20.0);
    same(posed(node_flags::BILLBOARDED_LOCK_Z, Quat::IDENTITY, side).rotation, quarter);
    let alone = node_flags::BILLBOARDED_LOCK_Z | node_flags::DONT_INHERIT_ROTATION;
    same(posed(alone, quarter, side).rotation, quarter);
    let both = node_flags::BILLBOARDED | node_flags::DONT_INHERIT_ROTATION;
    same(posed(both, quarter, front).rotation, Quat::IDENTITY);
}

#[test]
fn only_the_lock_about_x_shows_the_other_side() {
    let turned = |flags| posed(flags, Quat::IDENTITY, Vec3::new(0.0, 0.0, 50.0)).matrix.determinant() < 0.0;
    assert!(turned(node_flags::BILLBOARDED_LOCK_X));
    assert!(!turned(node_flags::BILLBOARDED_LOCK_X | node_flags::BILLBOARDED));
    assert!(!turned(node_flags::BILLBOARDED_LOCK_Y));
}

/// A model with an emitter that throws another one, which leaves a trail.
fn catapult() -> (Model, Model) {
    let mut catapult = Model::new(Version(800));
    catapult.sequences = vec![Sequence { end: 8000, ..Sequence::default() }];
    catapult.particle_emitters = vec![ParticleEmitter {
        emission_rate: 2.0,
        life_span: 4.0,
        speed: 64.0,
        gravity: 8.0,
        path: Text::new(b"Rock.mdl").unwrap(),
        ..ParticleEmitter::default()
    }];
    let mut rock = model(ParticleEmitter2 { speed: 0.0, segment_scalings: [1.0; 3], ..emitter(16.0, 0.5) });
    rock.textures.push(Texture::default());
    rock.materials.push(Material { layers: vec![Layer::default()], ..Material::default() });
    rock.geosets.push(Geoset {
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        uvs: vec![vec![[0.0; 2]; 3]],
        face_types: vec![4],
        face_counts: vec![3],
        faces: vec![0, 1, 2],
        vertex_groups: vec![0; 3],
        group_sizes: vec![1],
        matrices: vec![0],
        ..Geoset::default()
    });
    rock.bones.push(Bone { node: Node { object_id: 1, ..Node::default() }, ..Bone::default() });
    (catapult, rock)
}

#[test]
fn thrown_models_are_drawn_where_they_fly_and_leave_their_particles_behind() {
    use galatea_scene::{Instant, Performance, Shown};
    let (catapult, rock) = catapult();
    let mut scene = catapult.to_scene("catapult");
    let mut play = play::ModelPerformance::with_models(&catapult, &scene, &[("Rock.mdl", &rock)]);
    let own = scene.materials.len() as u32;
    let sprites = play.extend(&mut scene);
    assert_eq!((scene.meshes.len(), scene.materials.len(), sprites), (1, 2, vec![own + 1]));
    let camera = [0.0, 0.0, 0.0, 1.0];
    let mut at = |time: f32| play.frame(&scene, &Instant::new(Some(0), time, camera), &Shown::default());
    let frame = at(2.25);
    assert!(frame.markers.is_empty());
    let axes = scene.nodes[0].transform.matrix();
    let heights: Vec<f32> = frame
        .surfaces
        .iter()
        .map(|s| axes.inverse().transform_point3(s.deformed.positions[0].into()).z)
        .collect();
    // The oldest was thrown after half a second; the course is a parabola.
    let parabola = |age: f32| 64.0 * age - 4.0 * age * age;
    let expected: Vec<f32> = [1.75, 1.25, 0.75, 0.25].map(parabola).to_vec();
    assert_eq!(heights.len(), 4);
    assert!(heights.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-2), "{heights:?} {expected:?}");
    // Each has a state of its materials of its own.
    let states: Vec<u32> = frame.surfaces.iter().map(|s| s.states).collect();
    assert!(
        states.windows(2).all(|w| w[1] == w[0] + 2)
            && states[0] as usize + own as usize == scene.materials.len()
    );
    assert_eq!(frame.materials.len(), scene.materials.len() * 5 - 4 * own as usize);
    // Particles stay where they were born, below the one that left them.
    let sprites: Vec<f32> = frame
        .sprites
        .iter()
        .map(|s| {
            let middle = s.corners.iter().fold(Vec3::ZERO, |sum, c| sum + Vec3::from(*c)) / 4.0;
            axes.inverse().transform_point3(middle).z
        })
        .collect();
    let below = |top: f32, from: f32| sprites.iter().filter(|z| (from..=top + 1e-2).contains(*z)).count();
    assert_eq!(below(parabola(1.75), parabola(1.25 + 1e-3)), 8, "{sprites:?}");
    // A frame is the same however it is reached.
    for (first, then) in [(0.0, 2.25), (2.24, 2.25), (3.0, 2.25)] {
        at(first);
        assert_eq!(at(then), frame, "{first}");
    }
}

#[test]
fn models_that_throw_themselves_end_as_markers() {
    use galatea_scene::{Instant, Performance, Shown};
    let (mut catapult, rock) = catapult();
    catapult.geosets = rock.geosets.clone();
    (catapult.bones, catapult.materials) = (rock.bones.clone(), rock.materials.clone());
    catapult.textures = rock.textures.clone();
    let copy = catapult.clone();
    let mut scene = catapult.to_scene("catapult");
    let mut play = play::ModelPerformance::with_models(&catapult, &scene, &[("Rock.mdl", &copy)]);
    play.extend(&mut scene);
    let at = Instant::new(Some(0), 2.25, [0.0, 0.0, 0.0, 1.0]);
    let frame = play.frame(&scene, &at, &Shown::default());
    assert_eq!((frame.surfaces.len(), frame.markers.len()), (5, 3 + 2 + 1));
    // Thousands are not drawn.
    catapult.particle_emitters[0].emission_rate = 1e9;
    let mut scene = catapult.to_scene("catapult");
    let mut play = play::ModelPerformance::with_models(&catapult, &scene, &[("Rock.mdl", &rock)]);
    play.extend(&mut scene);
    let frame = play.frame(&scene, &Instant::new(Some(0), 0.5, [0.0, 0.0, 0.0, 1.0]), &Shown::default());
    assert_eq!((frame.surfaces.len(), frame.markers.len()), (1 + 256, 4096 - 256));
    assert!(frame.notes.iter().any(|n| n.contains("markers stand in for the rest")), "{:?}", frame.notes);
}
