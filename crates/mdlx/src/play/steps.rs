//! Time steps and reproducible random numbers, shared by all simulations.

use super::{Moment, Player, Pose};

/// Maximum number of particles of one emitter at a time.
pub(super) const MOST: usize = 4096;

/// Milliseconds of one step.
const STEP: f64 = 1000.0 / 60.0;

/// A random number generator. The same seed always gives the same numbers.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a random number from 0 to 1.
    pub(super) fn unit(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Returns a random number from -1 to 1.
    pub(super) fn both(&mut self) -> f32 {
        self.unit() * 2.0 - 1.0
    }
}

/// Plays a sequence up to this many milliseconds after it began, in steps of 1/60 s, and calls back with each moment, its pose
/// and the seconds that passed. Steps more than `life` seconds earlier are skipped: nothing emitted in them is still alive.
pub(super) fn simulate(
    player: &Player<'_>,
    sequence: usize,
    elapsed: f64,
    life: f32,
    mut advance: impl FnMut(&Moment, &Pose, f32),
) {
    let memory = f64::from(life) * 1000.0;
    let begin = (elapsed - memory.clamp(0.0, 60_000.0) - 100.0).max(0.0);
    let steps = ((elapsed - begin) / STEP).ceil().clamp(0.0, 10_000.0) as u32;
    for step in 1..=steps {
        let now = (begin + f64::from(step) * STEP).min(elapsed);
        let moment = Moment::in_sequence(player.model(), sequence, now);
        let pose = player.pose(&moment, None);
        let passed = now - (begin + f64::from(step - 1) * STEP);
        advance(&moment, &pose, (passed / 1000.0) as f32);
    }
}
