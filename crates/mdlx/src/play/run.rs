//! All emitters of a model, run together from the start of a sequence in fixed steps.

use glam::Mat4;

use super::steps::{STEP, share, whole_steps};
use super::thrown::Course;
use super::{ModelSystem, Moment, NodePose, ParticleSystem, Player, RibbonSystem, View};
use crate::NodeKind;

/// Emitters of each kind that are run; those after them emit nothing.
const EMITTERS: usize = 4096;
/// Models thrown by emitters that are drawn at a time.
pub(super) const THROWN: usize = 256;
/// Steps times nodes that a run may take.
const WORK: u64 = 1 << 24;

/// The emitters of a model after some steps.
#[derive(Debug, Clone)]
pub(super) struct Run<'a> {
    sequence: Option<usize>,
    view: View,
    /// Whole steps since the sequence began.
    step: u64,
    /// The nodes that carry an emitter, and their ancestors.
    wanted: Vec<bool>,
    nodes: Vec<NodePose>,
    late: bool,
    /// How many particles, models or edges each emitter may have.
    most: usize,
    pub(super) particles: Vec<ParticleSystem<'a>>,
    pub(super) models: Vec<ModelSystem<'a>>,
    pub(super) ribbons: Vec<RibbonSystem<'a>>,
}

impl<'a> Run<'a> {
    /// Returns the emitters at the start of a sequence.
    pub(super) fn new(player: &Player<'a>, sequence: Option<usize>, view: View, seed: u64) -> Self {
        // Each emitter has a course of its own.
        let own = |index: usize| seed.wrapping_mul(EMITTERS as u64).wrapping_add(index as u64 + 1);
        let model = player.model();
        let up_to = |count: usize| 0..count.min(EMITTERS);
        let (particles, models) = (model.particle_emitters2.len(), model.particle_emitters.len());
        let most = share(
            [particles, models, model.ribbon_emitters.len()].into_iter().map(|n| n.min(EMITTERS)).sum(),
        );
        Run {
            sequence,
            view,
            step: 0,
            wanted: wanted(player),
            nodes: Vec::new(),
            late: false,
            most,
            particles: up_to(model.particle_emitters2.len())
                .filter_map(|i| Some(ParticleSystem::new(player, i, own(i))?.with_most(most)))
                .collect(),
            models: up_to(model.particle_emitters.len())
                .filter_map(|i| Some(ModelSystem::new(player, i, own(i))?.with_most(most)))
                .collect(),
            ribbons: up_to(model.ribbon_emitters.len())
                .filter_map(|i| Some(RibbonSystem::new(player, i)?.with_most(most)))
                .collect(),
        }
    }

    /// Returns `true` if advancing this run leads to that time.
    pub(super) fn leads_to(&self, sequence: Option<usize>, view: &View, elapsed: f64) -> bool {
        self.sequence == sequence && self.view == *view && self.step <= whole_steps(elapsed).1
    }

    fn is_idle(&self) -> bool {
        self.particles.is_empty() && self.models.is_empty() && self.ribbons.is_empty()
    }

    /// Advances by whole steps as far as a time. Of a long time, or with many nodes, only the end is simulated. A model that was
    /// thrown moves along its course meanwhile.
    pub(super) fn advance(&mut self, player: &Player<'a>, elapsed: f64, course: Option<&Course>) {
        let (first, whole) = whole_steps(elapsed);
        let nodes = self.wanted.iter().filter(|w| **w).count().max(1) as u64;
        let work = if course.is_some() { WORK / THROWN as u64 } else { WORK };
        let first = first.max(whole.saturating_sub((work / nodes).max(1)));
        if self.step < first {
            self.late = true;
            self.step = first;
        }
        while self.step < whole && !self.is_idle() {
            self.step += 1;
            self.take(player, self.step as f64 * STEP, STEP, course);
        }
    }

    /// Returns the emitters at a time less than a step later, without changing the run.
    pub(super) fn at(&self, player: &Player<'a>, elapsed: f64, course: Option<&Course>) -> Run<'a> {
        let mut now = self.clone();
        let rest = elapsed - self.step as f64 * STEP;
        if rest > 0.0 && rest < STEP * 1.5 && !self.is_idle() {
            now.take(player, elapsed, rest, course);
        }
        now
    }

    fn take(&mut self, player: &Player<'a>, now: f64, milliseconds: f64, course: Option<&Course>) {
        let moment = match self.sequence {
            Some(sequence) => Moment::in_sequence(player.model(), sequence, now),
            None => Moment { sequence: None, time: now, clock: now },
        };
        self.nodes = player.pose_nodes(&moment, Some(&self.view), Some(&self.wanted));
        if let Some(course) = course {
            course.carry(&mut self.nodes, now);
        }
        let seconds = (milliseconds / 1000.0) as f32;
        for system in &mut self.particles {
            system.advance(player, &moment, &self.nodes, seconds);
        }
        for system in &mut self.models {
            system.advance(player, &moment, &self.nodes, seconds);
        }
        for system in &mut self.ribbons {
            system.advance(player, &moment, &self.nodes, seconds);
        }
    }

    /// Returns the present transform of a node.
    pub(super) fn matrix(&self, node: Option<usize>) -> Mat4 {
        node.and_then(|i| self.nodes.get(i)).map_or(Mat4::IDENTITY, |n| n.matrix)
    }

    /// Says which emitters are over their budget.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut name = |what: &str, name: &[u8]| {
            out.push(format!(
                "{what} {:?}: more is emitted than the {} that are drawn at a time",
                String::from_utf8_lossy(name),
                self.most
            ));
        };
        for system in self.particles.iter().filter(|s| s.is_limited()) {
            name("particle emitter", system.emitter().node.name.bytes());
        }
        for system in self.models.iter().filter(|s| s.is_limited()) {
            name("model emitter", system.path());
        }
        if self.late {
            out.push(
                "effects are simulated for the last minutes only, not from the start of the clip".into(),
            );
        }
        out
    }
}

/// Marks the nodes that carry an emitter, and their ancestors.
fn wanted(player: &Player<'_>) -> Vec<bool> {
    let mut wanted = vec![false; player.parents().len()];
    for (index, (kind, _, _)) in player.model().nodes().enumerate() {
        let emits =
            matches!(kind, NodeKind::ParticleEmitter | NodeKind::ParticleEmitter2 | NodeKind::RibbonEmitter);
        let mut at = Some(index).filter(|_| emits);
        while let Some(flag) = at.and_then(|i| wanted.get_mut(i)).filter(|flag| !**flag) {
            *flag = true;
            at = at.and_then(|i| player.parents().get(i).copied().flatten());
        }
    }
    wanted
}
