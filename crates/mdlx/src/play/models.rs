//! Models emitted by particle emitters, simulated. The same seed always gives the same models.

use glam::{Quat, Vec3};

use super::steps::{Chance, MOST, simulate};
use super::{Moment, NodePose, Player, Pose};
use crate::{NodeKind, ParticleEmitter};

/// An emitted model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThrownModel {
    /// Its position, in the space of the emitting model.
    pub position: Vec3,
    /// Its velocity, per second.
    pub velocity: Vec3,
    /// Its rotation: that of the emitter, tilted to the direction of emission.
    pub rotation: Quat,
    /// Its scale: that of the emitter.
    pub scale: Vec3,
    /// Seconds since it was emitted.
    pub age: f32,
}

/// The models of one emitter.
#[derive(Debug, Clone)]
pub struct ModelSystem<'a> {
    emitter: &'a ParticleEmitter,
    index: usize,
    chance: Chance,
    owed: f32,
    models: Vec<ThrownModel>,
}

impl<'a> ModelSystem<'a> {
    /// Returns an emitter that has not emitted yet; `None` if the index is out of range.
    pub fn new(player: &Player<'a>, index: usize, seed: u64) -> Option<Self> {
        let emitter = player.model().particle_emitters.get(index)?;
        Some(ModelSystem { emitter, index, chance: Chance::new(seed), owed: 0.0, models: Vec::new() })
    }

    /// Returns the models of an emitter, this many milliseconds after a sequence began, simulated in steps of 1/60 s.
    ///
    /// ```
    /// use galatea_mdlx::play::{ModelSystem, Player};
    /// use galatea_mdlx::{Model, ParticleEmitter, Sequence, Text, Version};
    /// let mut model = Model::new(Version(800));
    /// model.sequences.push(Sequence { end: 1000, ..Sequence::default() });
    /// model.particle_emitters.push(ParticleEmitter {
    ///     emission_rate: 10.0,
    ///     life_span: 0.5,
    ///     speed: 100.0,
    ///     path: Text::new(b"Rock.mdl").unwrap(),
    ///     ..ParticleEmitter::default()
    /// });
    /// let thrown = ModelSystem::at(&Player::new(&model), 0, 1, 0, 900.0).unwrap();
    /// assert_eq!(thrown.path(), b"Rock.mdl");
    /// assert_eq!(thrown.models().len(), 5);
    /// ```
    pub fn at(player: &Player<'a>, index: usize, seed: u64, sequence: usize, elapsed: f64) -> Option<Self> {
        let mut system = Self::new(player, index, seed)?;
        let life = system.life(player, &Moment::in_sequence(player.model(), sequence, elapsed));
        simulate(player, sequence, elapsed, life, |moment, pose, seconds| {
            system.advance(player, moment, pose, seconds);
        });
        Some(system)
    }

    /// Returns the path of the emitted model, as stored in the file.
    pub fn path(&self) -> &'a [u8] {
        self.emitter.path.bytes()
    }

    /// Returns the models that are alive.
    pub fn models(&self) -> &[ThrownModel] {
        &self.models
    }

    fn life(&self, player: &Player<'_>, moment: &Moment) -> f32 {
        player.value(&self.emitter.tracks, b"KPEL", moment, self.emitter.life_span, self.emitter.life_span)
    }

    /// Advances the simulation by a number of seconds, up to this moment.
    pub fn advance(&mut self, player: &Player<'_>, moment: &Moment, pose: &Pose, seconds: f32) {
        let emitter = self.emitter;
        let float = |tag, fixed| player.value(&emitter.tracks, tag, moment, fixed, fixed);
        let gravity = float(b"KPEG", emitter.gravity);
        let life = self.life(player, moment);
        for model in &mut self.models {
            model.age += seconds;
            model.velocity.z -= gravity * seconds;
            model.position += model.velocity * seconds;
        }
        self.models.retain(|m| m.age < life);
        let found = player.node_index(NodeKind::ParticleEmitter, self.index).and_then(|i| pose.nodes.get(i));
        let Some(node) = found.filter(|n| n.visible && life > 0.0) else { return };
        self.owed += float(b"KPEE", emitter.emission_rate).max(0.0) * seconds;
        while self.owed >= 1.0 && self.models.len() < MOST {
            self.owed -= 1.0;
            let model = self.throw(
                float(b"KPLN", emitter.longitude),
                float(b"KPLT", emitter.latitude),
                float(b"KPES", emitter.speed),
                node,
            );
            self.models.push(model);
        }
        self.owed = self.owed.min(1.0);
    }

    /// Emits a model along the emitter's z axis, tilted by up to the latitude in a direction limited by the longitude. Both are
    /// angles in radians.
    fn throw(&mut self, longitude: f32, latitude: f32, speed: f32, node: &NodePose) -> ThrownModel {
        let around = self.chance.both() * longitude;
        let tilt = self.chance.both() * latitude;
        let rotation = Quat::from_rotation_z(around) * Quat::from_rotation_y(tilt);
        ThrownModel {
            position: node.position,
            velocity: node.rotation * (rotation * Vec3::Z * speed * node.scale),
            rotation: (node.rotation * rotation).normalize(),
            scale: node.scale,
            age: 0.0,
        }
    }
}
