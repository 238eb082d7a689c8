//! Particles, simulated. The same seed always gives the same particles.

use std::f32::consts::PI;

use galatea_scene::Random;
use glam::Vec3;

use super::steps::{Debt, simulate};
use super::{Moment, NodePose, Player, View};
use crate::{NodeKind, ParticleEmitter2, Tag, node_flags};

/// One particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle {
    /// Its position, in the model's space, or in the emitter's if particles move with it.
    pub position: Vec3,
    /// Its velocity, per second.
    pub velocity: Vec3,
    /// Its acceleration downwards, fixed when it was emitted.
    pub gravity: f32,
    /// Seconds since it was emitted.
    pub age: f32,
    /// Half the side of its quad.
    pub size: f32,
    /// Red, green, blue.
    pub color: [f32; 3],
    /// Alpha, from 0 to 1.
    pub alpha: f32,
    /// The corners of the head's cell in the texture: left, top, right, bottom.
    pub head_uv: [f32; 4],
    /// The corners of the tail's cell.
    pub tail_uv: [f32; 4],
}

/// The particles of one emitter.
#[derive(Debug, Clone)]
pub struct ParticleSystem<'a> {
    emitter: &'a ParticleEmitter2,
    /// Its place among the nodes of a pose.
    node: Option<usize>,
    chance: Random,
    debt: Debt,
    /// The key that gave the last burst.
    last_key: Option<i32>,
    particles: Vec<Particle>,
}

impl<'a> ParticleSystem<'a> {
    /// Returns an emitter that has not emitted yet; `None` if the index is out of range.
    pub fn new(player: &Player<'a>, index: usize, seed: u64) -> Option<Self> {
        let emitter = player.model().particle_emitters2.get(index)?;
        let node = player.node_index(NodeKind::ParticleEmitter2, index);
        let chance = Random::new(seed);
        let debt = Debt::default();
        Some(ParticleSystem { emitter, node, chance, debt, last_key: None, particles: Vec::new() })
    }

    /// Returns the particles of an emitter, this many milliseconds after a sequence began, simulated from its start in steps of
    /// 1/64 s.
    pub fn at(player: &Player<'a>, index: usize, seed: u64, sequence: usize, elapsed: f64) -> Option<Self> {
        Self::seen(player, index, seed, sequence, elapsed, None)
    }

    /// Returns [`ParticleSystem::at`] for a viewer: emitters below a billboard turn with it.
    pub fn seen(
        player: &Player<'a>,
        index: usize,
        seed: u64,
        sequence: usize,
        elapsed: f64,
        view: Option<&View>,
    ) -> Option<Self> {
        let mut system = Self::new(player, index, seed)?;
        simulate(player, sequence, elapsed, view, |moment, nodes, seconds| {
            system.advance(player, moment, nodes, seconds);
        });
        Some(system)
    }

    /// Returns the emitter.
    pub fn emitter(&self) -> &'a ParticleEmitter2 {
        self.emitter
    }

    /// Returns the number of the emitter's node in a pose.
    pub(super) fn node(&self) -> Option<usize> {
        self.node
    }

    /// Returns the particles that are alive, oldest first.
    pub fn particles(&self) -> &[Particle] {
        &self.particles
    }

    /// Returns the same emitter, of which at most this many live at a time.
    pub(super) fn with_most(mut self, most: usize) -> Self {
        self.debt.most = most;
        self
    }

    /// Returns `true` if more particles were due than the 4096 that may live at a time.
    pub fn is_limited(&self) -> bool {
        self.debt.limited
    }

    fn life(&self, player: &Player<'_>, moment: &Moment) -> f32 {
        player.value(&self.emitter.tracks, b"KLIF", moment, self.emitter.life_span, self.emitter.life_span)
    }

    /// Advances the simulation by a number of seconds, up to this moment: the living age and move, then others are emitted with
    /// the age 0 at the present place of the emitter.
    pub fn advance(&mut self, player: &Player<'_>, moment: &Moment, nodes: &[NodePose], seconds: f32) {
        let life = self.life(player, moment);
        for particle in &mut self.particles {
            particle.age += seconds;
            particle.velocity.z -= particle.gravity * seconds;
            particle.position += particle.velocity * seconds;
        }
        self.particles.retain(|p| p.age < life);
        let found = self.node.and_then(|i| nodes.get(i));
        if let Some(node) = found.filter(|n| n.visible && life > 0.0) {
            self.charge(player, moment, seconds);
            for _ in 0..self.debt.births(self.particles.len()) {
                let particle = self.born(player, moment, node);
                self.particles.push(particle);
            }
        }
        for particle in &mut self.particles {
            update_appearance(self.emitter, particle, (particle.age / life).clamp(0.0, 1.0));
        }
    }

    /// Adds what is due in a step. A squirting emitter emits a burst whenever another key of its rate begins to count; a key that
    /// is passed while the emitter is hidden counts as soon as it is visible.
    fn charge(&mut self, player: &Player<'_>, moment: &Moment, seconds: f32) {
        let emitter = self.emitter;
        let rate =
            player.value(&emitter.tracks, b"KP2E", moment, emitter.emission_rate, emitter.emission_rate);
        if emitter.squirt != 1 {
            return self.debt.flow(rate, seconds);
        }
        let track = emitter.tracks.get(Tag(*b"KP2E"));
        let key = track.and_then(|track| player.key_before(track, moment)).or(Some(i32::MIN));
        self.debt.burst(if key == self.last_key { 0.0 } else { rate });
        self.last_key = key;
    }

    fn born(&mut self, player: &Player<'_>, moment: &Moment, node: &NodePose) -> Particle {
        let emitter = self.emitter;
        let float = |tag, fixed| player.value(&emitter.tracks, tag, moment, fixed, fixed);
        let (length, width) = (float(b"KP2N", emitter.length), float(b"KP2W", emitter.width));
        let (speed, variation) = (float(b"KP2S", emitter.speed), float(b"KP2R", emitter.variation));
        let tilt = float(b"KP2L", emitter.latitude).to_radians();
        let gravity = float(b"KP2G", emitter.gravity);
        let pivot = player.pivot(&emitter.node);
        let place =
            pivot + Vec3::new(self.chance.signed() * length / 2.0, self.chance.signed() * width / 2.0, 0.0);
        let tilt = self.chance.signed() * tilt;
        let around = self.chance.signed() * PI;
        let (sine, cosine) = (libm::sinf(tilt), libm::cosf(tilt));
        let direction = if emitter.node.has(node_flags::LINE_EMITTER) {
            // The fan opens along the axis of the second extent.
            Vec3::new(0.0, sine, cosine)
        } else {
            Vec3::new(sine * libm::cosf(around), sine * libm::sinf(around), cosine)
        };
        let velocity = direction * speed * (1.0 + self.chance.signed() * variation);
        let own_space = emitter.node.has(node_flags::MODEL_SPACE);
        let (position, velocity, gravity) = if own_space {
            (place, velocity, gravity)
        } else {
            let velocity = node.rotation * (velocity * node.scale);
            (node.matrix.transform_point3(place), velocity, gravity * node.scale.z)
        };
        let whole = [0.0, 0.0, 1.0, 1.0];
        Particle {
            position,
            velocity,
            gravity,
            age: 0.0,
            size: 0.0,
            color: [1.0; 3],
            alpha: 1.0,
            head_uv: whole,
            tail_uv: whole,
        }
    }
}

/// Sets size, colour, alpha and cells of a particle for this fraction of its life.
fn update_appearance(emitter: &ParticleEmitter2, particle: &mut Particle, life: f32) {
    let middle = if emitter.time.is_nan() { 0.5 } else { emitter.time.clamp(0.0, 1.0) };
    let first = life < middle;
    let part = if first {
        life / middle
    } else if middle < 1.0 {
        (life - middle) / (1.0 - middle)
    } else {
        1.0
    };
    let segment = usize::from(!first);
    let between = |values: [f32; 3]| {
        let at = |i: usize| values.get(i).copied().unwrap_or(0.0);
        at(segment) + (at(segment + 1) - at(segment)) * part
    };
    particle.size = between(emitter.segment_scalings);
    particle.alpha = between(emitter.segment_alphas.map(|a| f32::from(a) / 255.0));
    let channel =
        |c: usize| between(emitter.segment_colors.map(|color| color.get(c).copied().unwrap_or(1.0)));
    particle.color = [channel(0), channel(1), channel(2)];
    let (head, tail) =
        if first { (emitter.head_life, emitter.tail_life) } else { (emitter.head_decay, emitter.tail_decay) };
    let uv = |span| cell_uv(cell(span, part), emitter.rows, emitter.columns);
    (particle.head_uv, particle.tail_uv) = (uv(head), uv(tail));
}

/// Returns the cell of a span (first, last, repeats) after this part of it. The last cell is included; a span whose last cell is
/// before its first runs backwards.
fn cell([first, last, repeat]: [u32; 3], part: f32) -> u64 {
    let count = f64::from(first.abs_diff(last)) + 1.0;
    let turn = (f64::from(part) * f64::from(repeat.max(1))).fract();
    let steps = (turn * count).floor().min(count - 1.0) as u64;
    let first = u64::from(first);
    if u64::from(last) < first { first.saturating_sub(steps) } else { first + steps }
}

/// Returns the corners of a cell of a texture; a cell after the last one counts as the last.
pub(super) fn cell_uv(cell: u64, rows: u32, columns: u32) -> [f32; 4] {
    let (rows, columns) = (rows.max(1), columns.max(1));
    let cell = cell.min(u64::from(rows) * u64::from(columns) - 1);
    let column = (cell % u64::from(columns)) as f32;
    let row = (cell / u64::from(columns)) as f32;
    let (width, height) = (1.0 / columns as f32, 1.0 / rows as f32);
    [column * width, row * height, (column + 1.0) * width, (row + 1.0) * height]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dressed(emitter: &ParticleEmitter2, life: f32) -> Particle {
        let uv = [0.0; 4];
        let mut particle = Particle {
            position: Vec3::ZERO,
            velocity: Vec3::ZERO,
            gravity: 0.0,
            age: 0.0,
            size: 0.0,
            color: [0.0; 3],
            alpha: 0.0,
            head_uv: uv,
            tail_uv: uv,
        };
        update_appearance(emitter, &mut particle, life);
        particle
    }

    #[test]
    fn segments_meet_at_the_middle_time() {
        let emitter =
            ParticleEmitter2 { segment_scalings: [1.0, 2.0, 4.0], time: 0.25, ..ParticleEmitter2::default() };
        assert_eq!([0.125, 0.25, 0.625].map(|f| dressed(&emitter, f).size), [1.5, 2.0, 3.0]);
        let late = ParticleEmitter2 { time: 100_000.0, ..emitter };
        assert_eq!(dressed(&late, 0.5).size, 1.5);
    }

    #[test]
    fn spans_include_their_last_cell_and_never_leave_the_texture() {
        assert_eq!(cell([0, 32, 1], 0.5), 16);
        assert_eq!(cell([33, 64, 1], 0.5), 49);
        assert_eq!(cell([0, 3, 2], 0.625), 1);
        assert_eq!([0.0, 0.5, 0.999].map(|part| cell([3, 0, 1], part)), [3, 1, 0]);
        let emitter = ParticleEmitter2 {
            rows: 8,
            columns: 8,
            head_life: [0, 32, 1],
            head_decay: [33, 64, 1],
            ..ParticleEmitter2::default()
        };
        let last = [0.875, 0.875, 1.0, 1.0];
        assert_eq!(dressed(&emitter, 0.999_999).head_uv, last);
        assert_eq!(dressed(&emitter, 0.25).head_uv, [0.0, 0.25, 0.125, 0.375]);
        assert_eq!(dressed(&emitter, 0.75).head_uv, [0.125, 0.75, 0.25, 0.875]);
    }

    #[test]
    fn cells_go_row_by_row_whatever_the_counts() {
        assert_eq!(cell_uv(3, 2, 3), [0.0, 0.5, 1.0 / 3.0, 1.0]);
        assert_eq!(cell_uv(7, 0, 0), [0.0, 0.0, 1.0, 1.0]);
    }
}
