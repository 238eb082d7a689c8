//! Time steps and budgets, shared by all simulations.

use super::{Moment, NodePose, Player, View};

/// Maximum number of particles, models or edges of one emitter at a time.
pub(super) const MOST: usize = 4096;

/// Maximum number of particles, models and edges of all emitters of a model at a time.
const ALL: usize = 1 << 18;

/// Returns how many of them each of this many emitters may have.
pub(super) fn share(emitters: usize) -> usize {
    (ALL / emitters.max(1)).clamp(1, MOST)
}

/// Milliseconds of one step. A power of two of a second, so that sums of steps are exact.
pub(super) const STEP: f64 = 1000.0 / 64.0;

/// Maximum number of steps of one simulation: five minutes.
pub(super) const STEPS: u64 = 64 * 300;

/// What an emitter owes: the part of a particle that has accumulated, and whether more were due than may live at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Debt {
    owed: f32,
    /// How many may live at a time.
    pub(super) most: usize,
    /// Whether births were dropped because as many were alive.
    pub(super) limited: bool,
}

impl Default for Debt {
    fn default() -> Self {
        Debt { owed: 0.0, most: MOST, limited: false }
    }
}

impl Debt {
    /// Adds what a rate per second gives in a step. Rates that are negative or not numbers give nothing.
    pub(super) fn flow(&mut self, rate: f32, seconds: f32) {
        let due = rate * seconds;
        if due > 0.0 {
            self.owed = (self.owed + due).min(1e9);
        }
    }

    /// Adds a burst. A flow that has accumulated before does not count.
    pub(super) fn burst(&mut self, count: f32) {
        self.owed = if count > 0.0 { count.min(1e9) } else { 0.0 };
    }

    /// Returns how many are born now, with this many alive. What exceeds the budget is dropped.
    pub(super) fn births(&mut self, alive: usize) -> usize {
        let due = self.owed.floor();
        self.owed -= due;
        let room = self.most.saturating_sub(alive);
        let births = (due as usize).min(room);
        self.limited |= births < due as usize;
        births
    }
}

/// Plays a sequence from its start up to this many milliseconds, in steps of 1/64 s and a shorter last one, and calls back with
/// each moment, the poses of the nodes and the seconds that passed. Of a longer time than [`STEPS`] only the end is simulated.
pub(super) fn simulate(
    player: &Player<'_>,
    sequence: usize,
    elapsed: f64,
    view: Option<&View>,
    mut advance: impl FnMut(&Moment, &[NodePose], f32),
) {
    let (first, whole) = whole_steps(elapsed);
    let mut before = first as f64 * STEP;
    let ends = (first + 1..=whole).map(|step| step as f64 * STEP);
    for now in ends.chain(Some(elapsed)) {
        let passed = (now - before) / 1000.0;
        if passed > 0.0 {
            let moment = Moment::in_sequence(player.model(), sequence, now);
            advance(&moment, &player.pose_nodes(&moment, view, None), passed as f32);
        }
        before = now;
    }
}

/// Returns the range of whole steps that lead to a time: from 0, or from as late as the budget demands.
pub(super) fn whole_steps(elapsed: f64) -> (u64, u64) {
    let whole = (elapsed / STEP).floor().clamp(0.0, 1e15) as u64;
    (whole.saturating_sub(STEPS), whole)
}
