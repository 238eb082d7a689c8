//! The statue on fire: an example with particles, a ribbon and a model of its own time.

use std::f32::consts::TAU;

use galatea::mdlx::{
    Curve, Helper, Interpolation, Keys, Layer, Limits, Material, Model, Node, NodeKind, ParticleEmitter2,
    RibbonEmitter, Text, Track, node_flags,
};
use glam::{Quat, Vec2};

/// Height of the plinth.
const PLINTH: f32 = 11.8;
/// Half the side of the plinth.
const SIDE: f32 = 19.0;
/// Milliseconds of one round of the ribbons.
const ROUND: u32 = 2000;

/// Returns the statue with its effects, as a file.
pub(crate) fn file(statue: &[u8]) -> galatea::Result<Vec<u8>> {
    let mut model = Model::read(statue, &Limits::default())?;
    let round = model.global_sequences.len() as i32;
    model.global_sequences.push(ROUND);
    let layer = Layer { filter_mode: 3, flags: 0x11, texture_id: 0, ..Layer::default() };
    let light = model.materials.len() as u32;
    model.materials.push(Material { layers: vec![layer], ..Material::default() });
    // Flames on the four corners of the plinth.
    for (name, x, y) in
        [("fire_a", 1.0, 1.0), ("fire_b", 1.0, -1.0), ("fire_c", -1.0, 1.0), ("fire_d", -1.0, -1.0)]
    {
        let node = add_node(&mut model, name, -1, [x * SIDE * 0.8, y * SIDE * 0.8, PLINTH]);
        model.particle_emitters2.push(flame(node));
    }
    let node = add_node(&mut model, "sparks", -1, [0.0, 0.0, PLINTH]);
    model.particle_emitters2.push(sparks(node));
    // Two ribbons that climb around the statue and go down again.
    for (name, half) in [("spirit_a", 0.0), ("spirit_b", 0.5)] {
        let mut pole = add_node(&mut model, &format!("{name}_pole"), -1, [0.0, 0.0, 40.0]);
        pole.tracks = vec![rise(round, half), turn(round, half)].into();
        let parent = pole.object_id;
        model.helpers.push(Helper { node: pole });
        let mut node = add_node(&mut model, name, parent as i32, [24.0, 0.0, 40.0]);
        node.flags |= NodeKind::RibbonEmitter.warcraft_bit();
        node.tracks = vec![upright()].into();
        model.ribbon_emitters.push(RibbonEmitter {
            node,
            height_above: 2.2,
            height_below: 2.2,
            alpha: 0.75,
            color: if half > 0.0 { [1.0, 0.55, 0.15] } else { [0.2, 0.65, 1.0] },
            life_span: 0.75,
            emission_rate: 40,
            rows: 1,
            columns: 1,
            material_id: light,
            ..RibbonEmitter::default()
        });
    }
    model.write()
}

/// Returns a node with the next id, and its pivot.
fn add_node(model: &mut Model, name: &str, parent: i32, place: [f32; 3]) -> Node {
    let id = model.pivots.len() as u32;
    model.pivots.push(place);
    Node {
        name: Text::new(name.as_bytes()).unwrap_or_default(),
        object_id: id,
        parent_id: parent,
        ..Node::default()
    }
}

fn flame(mut node: Node) -> ParticleEmitter2 {
    node.flags |= node_flags::UNSHADED | NodeKind::ParticleEmitter2.warcraft_bit();
    ParticleEmitter2 {
        node,
        filter_mode: 1,
        speed: 26.0,
        variation: 0.3,
        latitude: 9.0,
        gravity: -10.0,
        life_span: 0.9,
        emission_rate: 34.0,
        width: 3.0,
        length: 3.0,
        rows: 1,
        columns: 1,
        time: 0.3,
        segment_colors: [[1.0, 0.75, 0.3], [1.0, 0.38, 0.06], [0.55, 0.06, 0.01]],
        segment_alphas: [110, 150, 0],
        segment_scalings: [3.2, 4.6, 1.2],
        texture_id: -1,
        ..ParticleEmitter2::default()
    }
}

fn sparks(node: Node) -> ParticleEmitter2 {
    ParticleEmitter2 {
        speed: 42.0,
        variation: 0.5,
        latitude: 30.0,
        gravity: 18.0,
        life_span: 1.6,
        emission_rate: 16.0,
        width: 34.0,
        length: 34.0,
        head_or_tail: 1,
        tail_length: 0.07,
        segment_colors: [[1.0, 0.9, 0.6], [1.0, 0.6, 0.2], [0.9, 0.2, 0.05]],
        segment_alphas: [255, 230, 0],
        segment_scalings: [0.7, 0.7, 0.4],
        ..flame(node)
    }
}

/// Returns a quarter turn about the x axis, so that a ribbon, which is as wide as its y axis, stands upright.
fn upright() -> Track {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let keys = Keys::Rotation(Curve::new([(0, [half, 0.0, 0.0, half])]));
    Track::new(b"KGRT", Interpolation::None, keys)
}

/// Returns a movement up and down, which begins half way up or down.
fn rise(clock: i32, from: f32) -> Track {
    let height = |part: f32| 26.0 * Vec2::from_angle((part + from) * TAU).y;
    let keys = ROUND_KEYS.map(|i| (key_time(i), [0.0, 0.0, height(f32::from(i) / 16.0)]));
    let keys = Keys::Vector(Curve::new(keys));
    Track { global_sequence: clock, ..Track::new(b"KGTR", Interpolation::Linear, keys) }
}

/// Returns a turn about the z axis.
fn turn(clock: i32, from: f32) -> Track {
    let rotation = |part: f32| Quat::from_rotation_z((part + from) * TAU).to_array();
    let keys = ROUND_KEYS.map(|i| (key_time(i), rotation(f32::from(i) / 16.0)));
    let keys = Keys::Rotation(Curve::new(keys));
    Track { global_sequence: clock, ..Track::new(b"KGRT", Interpolation::Linear, keys) }
}

/// The keys of one round.
const ROUND_KEYS: std::ops::RangeInclusive<u16> = 0..=16;

fn key_time(key: u16) -> i32 {
    i32::from(key) * ROUND as i32 / 16
}
