//! Particles and lightning as quads of a frame.

use galatea_scene::{Random, Scene, Sprite};
use glam::{Mat4, Quat, Vec3};

use super::axes;
use super::emitter::{Render, Settings, Update};
use super::particles::System;
use crate::mdl::Emitter;

/// The corners of a whole texture: left top, left bottom, right bottom, right top.
pub(super) const WHOLE: [[f32; 2]; 4] = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];

/// Maximum number of segments of a lightning.
const SEGMENTS: f32 = 256.0;

/// The directions of the camera and of the model's axes in the scene.
pub(super) struct Space {
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    back: Vec3,
    axes: [Vec3; 3],
    /// Length of a metre of the model in the scene.
    pub(super) unit: f32,
}

impl Space {
    pub(super) fn new(scene: &Scene, camera: [f32; 4]) -> Space {
        let camera = Quat::from_array(camera);
        let axes = axes(scene);
        let axis = |v: Vec3| axes.transform_vector3(v).normalize_or(v);
        Space {
            right: camera * Vec3::X,
            up: camera * Vec3::Y,
            back: camera * Vec3::Z,
            axes: [axis(Vec3::X), axis(Vec3::Y), axis(Vec3::Z)],
            unit: axes.transform_vector3(Vec3::X).length(),
        }
    }
}

/// What the quads of an emitter are made from.
pub(super) struct Parts<'a> {
    pub(super) emitter: &'a Emitter,
    pub(super) settings: &'a Settings,
    pub(super) world: Mat4,
    pub(super) target: Option<Vec3>,
    pub(super) material: u32,
}

/// Returns the corners of a quad: left top, left bottom, right bottom, right top.
pub(super) fn quad(at: Vec3, right: Vec3, up: Vec3) -> [[f32; 3]; 4] {
    [at - right + up, at - right - up, at + right - up, at + right + up].map(|corner| corner.to_array())
}

fn corners([left, top, right, bottom]: [f32; 4]) -> [[f32; 2]; 4] {
    [[left, top], [left, bottom], [right, bottom], [right, top]]
}

fn mixed(weights: [f32; 3], values: [f32; 3]) -> f32 {
    weights.iter().zip(values).map(|(w, v)| w * v).sum()
}

/// The look of a particle.
struct Look {
    size: [f32; 2],
    color: [f32; 4],
    uvs: [[f32; 2]; 4],
}

fn look(settings: &Settings, age: f32, random: f32) -> Look {
    let weights = settings.ramp(settings.fraction(age));
    let width = mixed(weights, settings.sizes);
    // A height of 0 is as the width.
    let height = mixed(weights, settings.heights);
    let [r, g, b] = [0, 1, 2].map(|i| {
        let channel = settings.colors.map(|c| c.get(i).copied().unwrap_or(1.0));
        mixed(weights, channel)
    });
    Look {
        size: [width, if height > 0.0 { height } else { width }],
        color: [r, g, b, mixed(weights, settings.alphas)],
        uvs: corners(settings.cell(settings.frame(age, random))),
    }
}

/// Adds the quads of an emitter.
pub(super) fn particle_sprites(
    out: &mut Vec<Sprite>,
    system: &System,
    parts: &Parts<'_>,
    space: &Space,
    time: f32,
) {
    let settings = parts.settings;
    if settings.update == Update::Lightning {
        return lightning(out, parts, space, time);
    }
    if settings.render == Render::Linked {
        return linked(out, system, parts, space);
    }
    for particle in system.particles() {
        let look = look(settings, particle.age, particle.random);
        let at = system.place(settings, particle, parts.world);
        let velocity = system.velocity(settings, particle, parts.world);
        let [width, mut height] = look.size.map(|s| s * 0.5 * space.unit);
        let (right, up) = directions(settings.render, velocity, parts.world, space);
        if settings.render == Render::MotionBlur && height > 0.0 {
            height *= 1.0 + 0.25 * velocity.length() * settings.blur / (2.0 * height);
        }
        let (sin, cos) = {
            let turn = settings.rotation * particle.age;
            (libm::sinf(turn), libm::cosf(turn))
        };
        let (right, up) = (right * cos + up * sin, up * cos - right * sin);
        push(out, parts, quad(at, right * width, up * height), look.uvs, look.color);
    }
}

fn push(
    out: &mut Vec<Sprite>,
    parts: &Parts<'_>,
    corners: [[f32; 3]; 4],
    uvs: [[f32; 2]; 4],
    color: [f32; 4],
) {
    if corners.iter().flatten().all(|v| v.is_finite()) {
        let order = i32::from(parts.emitter.render_order);
        out.push(Sprite { corners, uvs, color, material: parts.material, order });
    }
}

/// Returns the directions right and up of a particle.
fn directions(render: Render, velocity: Vec3, world: Mat4, space: &Space) -> (Vec3, Vec3) {
    let own = |v: Vec3| world.transform_vector3(v).normalize_or(v);
    let [x, y, z] = space.axes;
    match render {
        Render::Normal | Render::Linked => (space.right, space.up),
        Render::BillboardToWorldZ => (y, x),
        Render::BillboardToLocalZ => (own(Vec3::Y), own(Vec3::X)),
        Render::AlignedToWorldZ => (x, z),
        Render::AlignedToParticleDir => (own(Vec3::X), own(Vec3::Z)),
        Render::MotionBlur => {
            let up = velocity.normalize_or(space.up);
            (up.cross(space.back).normalize_or(space.right), up)
        }
    }
}

/// Adds a ribbon through the particles, from the oldest to the newest.
fn linked(out: &mut Vec<Sprite>, system: &System, parts: &Parts<'_>, space: &Space) {
    let settings = parts.settings;
    for pair in system.particles().windows(2) {
        let [old, new] = pair else { continue };
        let (from, to) = (system.place(settings, old, parts.world), system.place(settings, new, parts.world));
        let (first, second) = (look(settings, old.age, old.random), look(settings, new.age, new.random));
        let side = (to - from).cross(space.back).normalize_or(space.right) * 0.5 * space.unit;
        let (a, b) = (side * first.size[0], side * second.size[0]);
        push(
            out,
            parts,
            [from + a, from - a, to - b, to + b].map(|corner| corner.to_array()),
            second.uvs,
            second.color,
        );
    }
}

/// Adds a zigzag of quads from the emitter to its target; it takes another course after every delay.
fn lightning(out: &mut Vec<Sprite>, parts: &Parts<'_>, space: &Space, time: f32) {
    let Some(target) = parts.target else { return };
    let [delay, radius, width, joints] = parts.settings.lightning;
    let course = if delay > 0.0 { (time / delay).floor().clamp(0.0, 1e9) as u64 } else { 0 };
    let mut chance = Random::new(course + 1);
    let from = parts.world.w_axis.truncate();
    let count = joints.clamp(0.0, SEGMENTS).floor() + 1.0;
    let look = look(parts.settings, 0.0, 0.0);
    let mut joint = |i: f32| {
        let at = from + (target - from) * (i / count);
        let inner = i > 0.0 && i < count;
        let shift = Vec3::new(chance.signed(), chance.signed(), chance.signed()) * 0.5 * radius * space.unit;
        if inner { at + shift } else { at }
    };
    let mut last = joint(0.0);
    let mut i = 1.0;
    while i <= count {
        let next = joint(i);
        let side = (next - last).cross(space.back).normalize_or(space.right) * 0.5 * width * space.unit;
        let ends = [last + side, last - side, next - side, next + side];
        push(out, parts, ends.map(|corner| corner.to_array()), WHOLE, look.color);
        last = next;
        i += 1.0;
    }
}
