//! Random numbers for simulations.

/// A random number generator (xorshift64*). The same seed gives the same numbers on every machine.
///
/// ```
/// use galatea_scene::Random;
/// let (mut one, mut other) = (Random::new(7), Random::new(7));
/// let first = one.unit();
/// assert!((0.0..1.0).contains(&first));
/// assert_eq!(first, other.unit());
/// assert!((-1.0..1.0).contains(&one.signed()));
/// ```
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a random number from 0 to 1, without 1.
    pub fn unit(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Returns a random number from -1 to 1, without 1.
    pub fn signed(&mut self) -> f32 {
        self.unit() * 2.0 - 1.0
    }
}
