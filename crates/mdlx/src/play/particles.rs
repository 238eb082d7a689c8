//! Particles, simulated. The same seed always gives the same particles.

use glam::{Quat, Vec3};

use super::steps::{Chance, MOST, simulate};
use super::{Moment, Player, Pose};
use crate::{NodeKind, ParticleEmitter2, node_flags};

/// One particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle {
    /// Its position, in the model's space, or in the emitter's if particles move with it.
    pub position: Vec3,
    /// Its velocity, per second.
    pub velocity: Vec3,
    /// Seconds since it was emitted.
    pub age: f32,
    /// Its size.
    pub size: f32,
    /// Red, green, blue.
    pub color: [f32; 3],
    /// Alpha, from 0 to 1.
    pub alpha: f32,
    /// The corners of its cell in the texture: left, top, right, bottom.
    pub uv: [f32; 4],
}

/// The particles of one emitter.
#[derive(Debug, Clone)]
pub struct ParticleSystem<'a> {
    emitter: &'a ParticleEmitter2,
    index: usize,
    chance: Chance,
    owed: f32,
    last_rate: f32,
    particles: Vec<Particle>,
}

impl<'a> ParticleSystem<'a> {
    /// Returns an emitter that has not emitted yet; `None` if the index is out of range.
    pub fn new(player: &Player<'a>, index: usize, seed: u64) -> Option<Self> {
        let emitter = player.model().particle_emitters2.get(index)?;
        let chance = Chance::new(seed);
        Some(ParticleSystem { emitter, index, chance, owed: 0.0, last_rate: 0.0, particles: Vec::new() })
    }

    /// Returns the particles of an emitter, this many milliseconds after a sequence began, simulated in steps of 1/60 s.
    pub fn at(player: &Player<'a>, index: usize, seed: u64, sequence: usize, elapsed: f64) -> Option<Self> {
        let mut system = Self::new(player, index, seed)?;
        let life = system.life(player, &Moment::in_sequence(player.model(), sequence, elapsed));
        simulate(player, sequence, elapsed, life, |moment, pose, seconds| {
            system.advance(player, moment, pose, seconds);
        });
        Some(system)
    }

    /// Returns the particles that are alive.
    pub fn particles(&self) -> &[Particle] {
        &self.particles
    }

    fn life(&self, player: &Player<'_>, moment: &Moment) -> f32 {
        player.value(&self.emitter.tracks, b"KLIF", moment, self.emitter.life_span, self.emitter.life_span)
    }

    /// Advances the simulation by a number of seconds, up to this moment.
    pub fn advance(&mut self, player: &Player<'_>, moment: &Moment, pose: &Pose, seconds: f32) {
        let emitter = self.emitter;
        let float = |tag, fixed| player.value(&emitter.tracks, tag, moment, fixed, fixed);
        let gravity = float(b"KP2G", emitter.gravity);
        let life = self.life(player, moment);
        for particle in &mut self.particles {
            particle.age += seconds;
            particle.velocity.z -= gravity * seconds;
            particle.position += particle.velocity * seconds;
        }
        self.particles.retain(|p| p.age < life);
        let rate = float(b"KP2E", emitter.emission_rate);
        let found = player.node_index(NodeKind::ParticleEmitter2, self.index).and_then(|i| pose.nodes.get(i));
        if let Some(node) = found.filter(|n| n.visible)
            && life > 0.0
        {
            if emitter.squirt == 1 {
                self.owed = if rate != self.last_rate { rate } else { 0.0 };
            } else {
                self.owed += rate.max(0.0) * seconds;
            }
            while self.owed >= 1.0 && self.particles.len() < MOST {
                self.owed -= 1.0;
                let particle = self.born(
                    [float(b"KP2N", emitter.length), float(b"KP2W", emitter.width)],
                    float(b"KP2L", emitter.latitude),
                    float(b"KP2S", emitter.speed),
                    float(b"KP2R", emitter.variation),
                    node,
                    player.pivot(&emitter.node),
                );
                self.particles.push(particle);
            }
            self.owed = self.owed.min(1.0);
        }
        self.last_rate = rate;
        for particle in &mut self.particles {
            dress(emitter, particle, (particle.age / life).clamp(0.0, 1.0));
        }
    }

    fn born(
        &mut self,
        [length, width]: [f32; 2],
        latitude: f32,
        speed: f32,
        variation: f32,
        node: &super::NodePose,
        pivot: Vec3,
    ) -> Particle {
        let place =
            pivot + Vec3::new(self.chance.both() * length / 2.0, self.chance.both() * width / 2.0, 0.0);
        let tilt = latitude.to_radians();
        let mut rotation = Quat::from_rotation_y(self.chance.both() * tilt);
        if !self.emitter.node.has(node_flags::LINE_EMITTER) {
            rotation = Quat::from_rotation_x(self.chance.both() * tilt) * rotation;
        }
        let velocity = rotation * Vec3::Z * speed * (1.0 + self.chance.both() * variation);
        let own_space = self.emitter.node.has(node_flags::MODEL_SPACE);
        let (position, velocity) = if own_space {
            (place, velocity)
        } else {
            (node.matrix.transform_point3(place), node.rotation * (velocity * node.scale))
        };
        Particle {
            position,
            velocity,
            age: 0.0,
            size: 0.0,
            color: [1.0; 3],
            alpha: 1.0,
            uv: [0.0, 0.0, 1.0, 1.0],
        }
    }
}

/// Sets size, colour, alpha and cell of a particle for this fraction of its life.
fn dress(emitter: &ParticleEmitter2, particle: &mut Particle, life: f32) {
    let middle = emitter.time.clamp(0.0, 1.0);
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
    let tail = emitter.head_or_tail == 1;
    let [from, to, repeat] = match (tail, first) {
        (false, true) => emitter.head_life,
        (false, false) => emitter.head_decay,
        (true, true) => emitter.tail_life,
        (true, false) => emitter.tail_decay,
    };
    let cells = f64::from(to.saturating_sub(from)) + 1.0;
    let turns = f64::from(part) * f64::from(repeat.max(1)) * cells;
    let cell = f64::from(from) + (turns % cells).floor();
    particle.uv = cell_uv(cell as u64, emitter.rows, emitter.columns);
}

/// Returns the corners of a cell of a texture. As in the game, rows and columns that are not a power of two are treated as 1.
pub(super) fn cell_uv(cell: u64, rows: u32, columns: u32) -> [f32; 4] {
    let whole = |n: u32| if n.is_power_of_two() { n } else { 1 };
    let (rows, columns) = (whole(rows), whole(columns));
    let column = (cell % u64::from(columns)) as f32;
    let row = (cell / u64::from(columns) % u64::from(rows)) as f32;
    let (width, height) = (1.0 / columns as f32, 1.0 / rows as f32);
    [column * width, row * height, (column + 1.0) * width, (row + 1.0) * height]
}
