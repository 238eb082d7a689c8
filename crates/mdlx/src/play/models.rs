//! Models emitted by particle emitters, simulated. The same seed always gives the same models.
//!
//! The constructors mirror those of [`ParticleSystem`](super::ParticleSystem): only their signatures are alike, the work is shared.

use std::f32::consts::TAU;

use galatea_scene::Random;
use glam::{Mat4, Quat, Vec3};

use super::steps::{Debt, simulate};
use super::{Moment, NodePose, Player, View};
use crate::{NodeKind, ParticleEmitter};

/// An emitted model. Its course is fixed when it is emitted.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ThrownModel {
    /// How many models its emitter had emitted before.
    pub number: u32,
    /// Where it was emitted, in the space of the emitting model.
    pub start: Vec3,
    /// Its velocity when it was emitted, per second.
    pub launch: Vec3,
    /// Its acceleration downwards, fixed when it was emitted.
    pub gravity: f32,
    /// Its rotation: upright, turned about z by a random angle.
    pub rotation: Quat,
    /// Its scale: that of the emitter.
    pub scale: Vec3,
    /// Seconds since it was emitted.
    pub age: f32,
    /// Seconds it lives, fixed when it was emitted.
    pub life: f32,
}

impl ThrownModel {
    /// Returns its position, in the space of the emitting model.
    pub fn position(&self) -> Vec3 {
        self.position_at(self.age)
    }

    /// Returns its velocity, per second.
    pub fn velocity(&self) -> Vec3 {
        self.launch - Vec3::Z * self.gravity * self.age
    }

    fn position_at(&self, age: f32) -> Vec3 {
        self.start + self.launch * age - Vec3::Z * (self.gravity * age * age / 2.0)
    }

    /// Returns the transform from the emitted model to the emitting one, this many seconds after it was emitted.
    pub fn matrix_at(&self, age: f32) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.position_at(age))
    }
}

/// The models of one emitter.
#[derive(Debug, Clone)]
pub struct ModelSystem<'a> {
    emitter: &'a ParticleEmitter,
    /// Its place among the nodes of a pose.
    node: Option<usize>,
    chance: Random,
    debt: Debt,
    models: Vec<ThrownModel>,
    emitted: u32,
}

impl<'a> ModelSystem<'a> {
    /// Returns an emitter that has not emitted yet; `None` if the index is out of range.
    pub fn new(player: &Player<'a>, index: usize, seed: u64) -> Option<Self> {
        let emitter = player.model().particle_emitters.get(index)?;
        let node = player.node_index(NodeKind::ParticleEmitter, index);
        Some(ModelSystem {
            emitter,
            node,
            chance: Random::new(seed),
            debt: Debt::default(),
            models: Vec::new(),
            emitted: 0,
        })
    }

    /// Returns the models of an emitter, this many milliseconds after a sequence began, simulated from its start in steps of
    /// 1/64 s.
    ///
    /// ```
    /// use galatea_mdlx::play::{ModelSystem, Player};
    /// use galatea_mdlx::{Model, ParticleEmitter, Sequence, Text, Version};
    /// let mut model = Model::new(Version(800));
    /// model.sequences.push(Sequence { end: 1000, ..Sequence::default() });
    /// model.particle_emitters.push(ParticleEmitter {
    ///     emission_rate: 8.0,
    ///     life_span: 0.5,
    ///     speed: 100.0,
    ///     path: Text::new(b"Rock.mdl").unwrap(),
    ///     ..ParticleEmitter::default()
    /// });
    /// let thrown = ModelSystem::at(&Player::new(&model), 0, 1, 0, 900.0).unwrap();
    /// assert_eq!(thrown.path(), b"Rock.mdl");
    /// assert_eq!(thrown.models().len(), 4);
    /// ```
    pub fn at(player: &Player<'a>, index: usize, seed: u64, sequence: usize, elapsed: f64) -> Option<Self> {
        Self::seen(player, index, seed, sequence, elapsed, None)
    }

    /// Returns [`ModelSystem::at`] for a viewer: emitters below a billboard turn with it.
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
    pub fn emitter(&self) -> &'a ParticleEmitter {
        self.emitter
    }

    /// Returns the path of the emitted model, as stored in the file.
    pub fn path(&self) -> &'a [u8] {
        self.emitter.path.bytes()
    }

    /// Returns the models that are alive.
    pub fn models(&self) -> &[ThrownModel] {
        &self.models
    }

    /// Returns the same emitter, of which at most this many live at a time.
    pub(super) fn with_most(mut self, most: usize) -> Self {
        self.debt.most = most;
        self
    }

    /// Returns `true` if more models were due than the 4096 that may live at a time.
    pub fn is_limited(&self) -> bool {
        self.debt.limited
    }

    /// Advances the simulation by a number of seconds, up to this moment.
    pub fn advance(&mut self, player: &Player<'_>, moment: &Moment, nodes: &[NodePose], seconds: f32) {
        let emitter = self.emitter;
        for model in &mut self.models {
            model.age += seconds;
        }
        self.models.retain(|m| m.age < m.life);
        let found = self.node.and_then(|i| nodes.get(i));
        let float = |tag, fixed| player.value(&emitter.tracks, tag, moment, fixed, fixed);
        let life = float(b"KPEL", emitter.life_span);
        let Some(node) = found.filter(|n| n.visible && life > 0.0) else { return };
        self.debt.flow(float(b"KPEE", emitter.emission_rate), seconds);
        for _ in 0..self.debt.births(self.models.len()) {
            let velocity = self
                .direction(float(b"KPLN", emitter.longitude), float(b"KPLT", emitter.latitude))
                * float(b"KPES", emitter.speed);
            let yaw = self.chance.unit() * TAU;
            let number = self.emitted;
            self.emitted = number.wrapping_add(1);
            self.models.push(ThrownModel {
                number,
                start: node.position,
                launch: node.rotation * (velocity * node.scale),
                gravity: float(b"KPEG", emitter.gravity) * node.scale.z,
                rotation: Quat::from_rotation_z(yaw),
                scale: node.scale,
                age: 0.0,
                life,
            });
        }
    }

    /// Returns a random direction along the z axis, tilted by up to the latitude in a direction limited by the longitude. Both
    /// are angles in radians; every known file has a longitude of a half turn, which is no limit.
    fn direction(&mut self, longitude: f32, latitude: f32) -> Vec3 {
        let around = self.chance.signed() * longitude;
        let tilt = self.chance.signed() * latitude;
        Quat::from_rotation_z(around) * Quat::from_rotation_y(tilt) * Vec3::Z
    }
}
