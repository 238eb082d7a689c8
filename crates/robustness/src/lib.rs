//! Bad input is ordinary input: the same trials for every reader, and the way tests find the corpus.
//!
//! A trial runs a reader on damaged copies of a fixture. It fails when the reader panics, allocates more than
//! 4 x file + 8 MB, takes more than 10 s of processor time, or reports an error that names no place.
//!
//! Memory is counted per thread, so that tests of one binary do not disturb each other. Work that a reader hands to
//! other threads is not counted: the crates whose readers are tried spawn none, which a test of this crate holds them to.
//!
//! Every program that links this crate gets its counting allocator, and cannot have another one.

mod fixing;
#[cfg(feature = "gltf")]
pub mod gltf;

use std::time::Duration;

use cpu_time::ThreadTime;
pub use fixing::{DamagePlan, FixTally, FixTrial, Wanted, assert_every_fixable_rule, difference};
pub use galatea_corpus::{Listing, Real, files, listed, place};
use galatea_wire::{Error, ErrorKind, Place};

/// Runs a function on this thread; returns its result and the largest number of bytes that it had allocated at a time.
pub fn measured<T>(body: impl FnOnce() -> T) -> (T, usize) {
    let mut result = None;
    let info = allocation_counter::measure(|| result = Some(body()));
    match result {
        Some(result) => (result, usize::try_from(info.bytes_max).unwrap_or(usize::MAX)),
        None => unreachable!("the body has run"),
    }
}

/// Runs a function on this thread; returns its result and the processor time that it took, which a busy machine does not
/// change.
pub fn timed<T>(body: impl FnOnce() -> T) -> (T, Duration) {
    let start = ThreadTime::now();
    let result = body();
    (result, start.elapsed())
}

/// A fixture, and a reader that should do all it can with it: read, check, write, compare.
pub struct Trial<'a> {
    /// Name for messages.
    pub name: &'a str,
    /// A sound file.
    pub bytes: &'a [u8],
    /// The reader.
    pub read: &'a dyn Fn(&[u8]) -> Result<(), Error>,
}

/// How many damaged inputs were read, and how many of them still opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Inputs tried.
    pub tried: usize,
    /// Inputs that opened all the same.
    pub opened: usize,
}

impl std::ops::Add for Tally {
    type Output = Tally;
    fn add(self, other: Tally) -> Tally {
        Tally { tried: self.tried + other.tried, opened: self.opened + other.opened }
    }
}

impl Trial<'_> {
    /// Reads one input and holds the reader to its promises. Returns whether it opened.
    ///
    /// # Panics
    /// When a promise is broken.
    #[allow(clippy::panic)] // A broken promise has to fail the test that runs the trial.
    pub fn run(&self, input: &[u8], what: &dyn Fn() -> String) -> bool {
        let ((result, peak), took) = timed(|| measured(|| (self.read)(input)));
        let allowed = 4 * input.len() + (8 << 20);
        assert!(peak <= allowed, "{}, {}: {peak} bytes allocated, {allowed} allowed", self.name, what());
        assert!(took < Duration::from_secs(10), "{}, {}: takes {took:?}", self.name, what());
        if let Err(error) = &result {
            let placed = error.place() != Place::Nowhere || matches!(error.kind(), ErrorKind::NotThisFormat);
            let pathed = !error.path().is_empty()
                || matches!(error.place(), Place::Line { .. })
                || matches!(error.kind(), ErrorKind::NotThisFormat);
            assert!(placed && pathed, "{}, {}: an error without place or path: {error}", self.name, what());
        }
        result.is_ok()
    }

    /// Reads the fixture itself. Returns whether it opened.
    pub fn whole(&self) -> bool {
        self.run(self.bytes, &|| "as it is".to_owned())
    }

    /// Runs the reader on every prefix of the fixture.
    pub fn cuts(&self) -> Tally {
        let mut tally = Tally::default();
        for len in 0..self.bytes.len() {
            let cut = self.bytes.get(..len).unwrap_or(&[]);
            tally.tried += 1;
            tally.opened += usize::from(self.run(cut, &|| format!("cut to {len} bytes")));
        }
        tally
    }

    /// Runs the reader with every byte set to 00, 7F, 80 and FF.
    pub fn flips(&self) -> Tally {
        self.patched((0..self.bytes.len()).map(|at| (at, 1)), &|_| vec![0x00, 0x7F, 0x80, 0xFF])
    }

    /// Runs the reader with the 32-bit words at these places set to 0, 1, the largest values, the file's length and one to either side, and
    /// their own position.
    pub fn words(&self, places: impl IntoIterator<Item = usize>) -> Tally {
        let len = self.bytes.len() as u32;
        self.patched(places.into_iter().map(|at| (at, 4)), &|at| {
            let (at, max) = (at as u32, u32::MAX);
            vec![0, 1, 2, max, max - 1, max / 2, max / 2 + 1, len.wrapping_sub(1), len, len + 1, at, at + 4]
        })
    }

    fn patched(
        &self,
        places: impl Iterator<Item = (usize, usize)>,
        values: &dyn Fn(usize) -> Vec<u32>,
    ) -> Tally {
        let mut tally = Tally::default();
        let mut bytes = self.bytes.to_vec();
        for (at, width) in places {
            for value in values(at) {
                let new = value.to_le_bytes();
                let Some(slot) = bytes.get_mut(at..at + width) else { continue };
                let old = slot.to_vec();
                slot.copy_from_slice(new.get(..width).unwrap_or(&new));
                tally.tried += 1;
                tally.opened += usize::from(self.run(&bytes, &|| format!("0x{value:X} at 0x{at:X}")));
                if let Some(slot) = bytes.get_mut(at..at + width) {
                    slot.copy_from_slice(&old);
                }
            }
        }
        tally
    }

    /// Runs the reader on `rounds` rounds of random damage (bytes, words, cuts, doubled and dropped ranges), the same on every machine.
    pub fn mutations(&self, seed: u64, rounds: usize) -> Tally {
        let mut random = Random(seed | 1);
        let mut tally = Tally::default();
        for round in 0..rounds {
            let mut bytes = self.bytes.to_vec();
            for _ in 0..1 + random.below(4) {
                random.damage(&mut bytes);
            }
            tally.tried += 1;
            tally.opened += usize::from(self.run(&bytes, &|| format!("mutation {round} of seed {seed}")));
        }
        tally
    }
}

/// A small deterministic generator (xorshift64*), so that every machine tries the same inputs.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number below `n` (0 if `n` is 0).
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// Returns a number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Damages the bytes in one way.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        let len = bytes.len();
        let at = self.below(len);
        match self.below(6) {
            0 | 1 => {
                let value = self.next_u64() as u8;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = value;
                }
            }
            2 | 3 => {
                let wild =
                    [0u32, 1, u32::MAX, i32::MAX as u32, len as u32, at as u32, self.next_u64() as u32];
                let value = wild.get(self.below(wild.len())).copied().unwrap_or(0).to_le_bytes();
                let at = at & !3;
                if let Some(slot) = bytes.get_mut(at..at + 4) {
                    slot.copy_from_slice(&value);
                }
            }
            4 => bytes.truncate(at),
            _ => {
                let end = (at + self.below(64)).min(len);
                let range = bytes.get(at..end).unwrap_or(&[]).to_vec();
                if self.below(2) == 0 {
                    bytes.drain(at..end);
                } else {
                    bytes.splice(at..at, range);
                }
            }
        }
    }
}
