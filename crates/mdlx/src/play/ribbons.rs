//! Ribbons: edges that stay behind a moving emitter.

use glam::Vec3;

use super::particles::cell_uv;
use super::steps::{MOST, simulate};
use super::{Moment, Player, Pose};
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
    /// Red, green, blue.
    pub color: [f32; 3],
    /// Alpha.
    pub alpha: f32,
    /// The cell of the texture: left, top, right, bottom. The edge shows one vertical line of it.
    pub uv: [f32; 4],
}

/// The ribbon of one emitter.
#[derive(Debug, Clone)]
pub struct RibbonSystem<'a> {
    emitter: &'a RibbonEmitter,
    index: usize,
    owed: f32,
    fall: Vec<f32>,
    edges: Vec<RibbonEdge>,
}

impl<'a> RibbonSystem<'a> {
    /// Returns a ribbon without edges; `None` if the index is out of range.
    pub fn new(player: &Player<'a>, index: usize) -> Option<Self> {
        let emitter = player.model().ribbon_emitters.get(index)?;
        Some(RibbonSystem { emitter, index, owed: 0.0, fall: Vec::new(), edges: Vec::new() })
    }

    /// Returns the ribbon of an emitter, this many milliseconds after a sequence began, simulated in steps of 1/60 s.
    pub fn at(player: &Player<'a>, index: usize, sequence: usize, elapsed: f64) -> Option<Self> {
        let mut system = Self::new(player, index)?;
        let life = system.emitter.life_span;
        simulate(player, sequence, elapsed, life, |moment, pose, seconds| {
            system.advance(player, moment, pose, seconds);
        });
        Some(system)
    }

    /// Returns the edges, oldest first.
    pub fn edges(&self) -> &[RibbonEdge] {
        &self.edges
    }

    /// Advances the simulation by a number of seconds, up to this moment.
    pub fn advance(&mut self, player: &Player<'_>, moment: &Moment, pose: &Pose, seconds: f32) {
        let emitter = self.emitter;
        for (edge, fall) in self.edges.iter_mut().zip(&mut self.fall) {
            edge.age += seconds;
            *fall -= emitter.gravity * seconds;
            edge.above.z += *fall * seconds;
            edge.below.z += *fall * seconds;
        }
        let gone = self.edges.iter().take_while(|e| e.age >= emitter.life_span).count();
        self.edges.drain(..gone);
        self.fall.drain(..gone);
        let found = player.node_index(NodeKind::RibbonEmitter, self.index).and_then(|i| pose.nodes.get(i));
        let Some(node) = found.filter(|n| n.visible && emitter.life_span > 0.0) else { return };
        self.owed += emitter.emission_rate as f32 * seconds;
        if self.owed < 1.0 {
            return;
        }
        // The emitter does not move within a step: further edges at the same place would have no width.
        self.owed = self.owed.fract();
        let float = |tag, fixed, usual| player.value(&emitter.tracks, tag, moment, fixed, usual);
        let pivot = player.pivot(&emitter.node);
        let up = Vec3::Y;
        let above = float(b"KRHA", emitter.height_above, emitter.height_above);
        let below = float(b"KRHB", emitter.height_below, emitter.height_below);
        let [r, g, b] = emitter.color;
        let [b, g, r] = player.value(&emitter.tracks, b"KRCO", moment, [b, g, r], [1.0; 3]);
        let slot = player.value(&emitter.tracks, b"KRTX", moment, emitter.texture_slot, 0);
        if self.edges.len() < MOST {
            self.edges.push(RibbonEdge {
                above: node.matrix.transform_point3(pivot + up * above),
                below: node.matrix.transform_point3(pivot - up * below),
                age: 0.0,
                color: [r, g, b],
                alpha: float(b"KRAL", emitter.alpha, 0.0),
                uv: cell_uv(u64::from(slot), emitter.rows, emitter.columns),
            });
            self.fall.push(0.0);
        }
    }
}
