//! Ribbons: edges that stay behind a moving emitter.

use glam::Vec3;

use super::particles::cell_uv;
use super::steps::{MOST, simulate};
use super::{Moment, NodePose, Player, View};
use crate::{NodeKind, RibbonEmitter};

/// One edge of a ribbon, across it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RibbonEdge {
    /// Its end above the emitter.
    pub above: Vec3,
    /// Its end below the emitter.
    pub below: Vec3,
    /// Seconds since it was emitted.
    pub age: f32,
    /// The part of its life that has passed: its place along the texture, from 0 at the emitter to 1.
    pub along: f32,
    /// Its speed downwards.
    fall: f32,
}

/// The present look of a whole ribbon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RibbonLook {
    /// Red, green, blue.
    pub color: [f32; 3],
    /// Alpha.
    pub alpha: f32,
    /// The cell of the texture: left, top, right, bottom. The newest edge is at its left, the oldest at its right.
    pub uv: [f32; 4],
}

/// The ribbon of one emitter.
#[derive(Debug, Clone)]
pub struct RibbonSystem<'a> {
    emitter: &'a RibbonEmitter,
    /// Its place among the nodes of a pose.
    node: Option<usize>,
    owed: f32,
    look: RibbonLook,
    edges: Vec<RibbonEdge>,
    /// How many edges it may have.
    most: usize,
}

impl<'a> RibbonSystem<'a> {
    /// Returns a ribbon without edges; `None` if the index is out of range.
    pub fn new(player: &Player<'a>, index: usize) -> Option<Self> {
        let emitter = player.model().ribbon_emitters.get(index)?;
        let node = player.node_index(NodeKind::RibbonEmitter, index);
        let look = RibbonLook { color: [1.0; 3], alpha: 1.0, uv: [0.0, 0.0, 1.0, 1.0] };
        Some(RibbonSystem { emitter, node, owed: 0.0, look, edges: Vec::new(), most: MOST })
    }

    /// Returns the ribbon of an emitter, this many milliseconds after a sequence began, simulated from its start in steps of
    /// 1/64 s.
    pub fn at(player: &Player<'a>, index: usize, sequence: usize, elapsed: f64) -> Option<Self> {
        Self::seen(player, index, sequence, elapsed, None)
    }

    /// Returns [`RibbonSystem::at`] for a viewer: emitters below a billboard turn with it.
    pub fn seen(
        player: &Player<'a>,
        index: usize,
        sequence: usize,
        elapsed: f64,
        view: Option<&View>,
    ) -> Option<Self> {
        let mut system = Self::new(player, index)?;
        simulate(player, sequence, elapsed, view, |moment, nodes, seconds| {
            system.advance(player, moment, nodes, seconds);
        });
        Some(system)
    }

    /// Returns the same ribbon with at most this many edges.
    pub(super) fn with_most(self, most: usize) -> Self {
        RibbonSystem { most, ..self }
    }

    /// Returns the emitter.
    pub fn emitter(&self) -> &'a RibbonEmitter {
        self.emitter
    }

    /// Returns the edges, oldest first.
    pub fn edges(&self) -> &[RibbonEdge] {
        &self.edges
    }

    /// Returns the present look of all edges.
    pub fn look(&self) -> RibbonLook {
        self.look
    }

    /// Advances the simulation by a number of seconds, up to this moment.
    pub fn advance(&mut self, player: &Player<'_>, moment: &Moment, nodes: &[NodePose], seconds: f32) {
        let emitter = self.emitter;
        for edge in &mut self.edges {
            edge.age += seconds;
            edge.along = (edge.age / emitter.life_span).clamp(0.0, 1.0);
            edge.fall += emitter.gravity * seconds;
            edge.above.z -= edge.fall * seconds;
            edge.below.z -= edge.fall * seconds;
        }
        let gone = self.edges.iter().take_while(|e| e.age >= emitter.life_span).count();
        self.edges.drain(..gone);
        self.look = look(emitter, player, moment);
        let found = self.node.and_then(|i| nodes.get(i));
        // An invisible ribbon lays no edges: they would all appear when its alpha rises.
        let seen = |n: &&NodePose| n.visible && emitter.life_span > 0.0 && self.look.alpha > 0.0;
        let Some(node) = found.filter(seen) else { return };
        self.owed += emitter.emission_rate as f32 * seconds;
        if self.owed < 1.0 {
            return;
        }
        // The emitter does not move within a step: further edges at the same place would have no width.
        self.owed = self.owed.fract();
        if self.edges.len() < self.most {
            let float = |tag, fixed| player.value(&emitter.tracks, tag, moment, fixed, fixed);
            let pivot = player.pivot(&emitter.node);
            let end = |height: f32| node.matrix.transform_point3(pivot + Vec3::Y * height);
            self.edges.push(RibbonEdge {
                above: end(float(b"KRHA", emitter.height_above)),
                below: end(-float(b"KRHB", emitter.height_below)),
                age: 0.0,
                along: 0.0,
                fall: 0.0,
            });
        }
    }
}

fn look(emitter: &RibbonEmitter, player: &Player<'_>, moment: &Moment) -> RibbonLook {
    let [r, g, b] = emitter.color;
    // Keys hold blue first.
    let [b, g, r] = player.value(&emitter.tracks, b"KRCO", moment, [b, g, r], [1.0; 3]);
    let slot = player.value(&emitter.tracks, b"KRTX", moment, emitter.texture_slot, 0);
    RibbonLook {
        color: [r, g, b],
        alpha: player.value(&emitter.tracks, b"KRAL", moment, emitter.alpha, 0.0),
        uv: cell_uv(u64::from(slot), emitter.rows, emitter.columns),
    }
}
