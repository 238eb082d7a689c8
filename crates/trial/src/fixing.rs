//! Damage to real files, and what fixing makes of it.

#![allow(clippy::panic, reason = "a broken promise has to fail the test that runs the trial")]

use std::path::{Path, PathBuf};

use galatea_wire::Fixed;

use crate::Random;

/// How documents of a format are opened, fixed and written.
pub struct FixTrial<'a, D> {
    /// Opens a file; `None` if it is too damaged for that.
    pub open: &'a dyn Fn(&[u8]) -> Option<D>,
    /// Fixes what every rule finds.
    pub fix: &'a dyn Fn(&mut D) -> Vec<Fixed>,
    /// Writes a document.
    pub write: &'a dyn Fn(&D) -> Vec<u8>,
    /// How many damaged copies of each file are tried.
    pub tries: usize,
    /// How many bytes from the start of a file are damaged.
    pub reach: usize,
}

/// What became of damaged files.
#[derive(Debug, Default)]
pub struct FixTally {
    /// Files of which a damaged copy was fixed.
    pub files: usize,
    /// Damaged copies that were fixed.
    pub copies: usize,
    /// The most bytes that a fix changed beside the damaged ones, and where that was.
    pub most_changed: (usize, String),
}

impl<D> FixTrial<'_, D> {
    /// Damages files four bytes at a time and fixes them, the same way on every machine.
    ///
    /// # Panics
    /// If a fix changes a file without a finding, or if a second run finds something to fix.
    pub fn run(&self, files: impl Iterator<Item = (PathBuf, Vec<u8>)>, seed: u64) -> FixTally {
        let mut random = Random(seed);
        let mut tally = FixTally::default();
        for (path, sound) in files.filter(|(_, bytes)| (256..600_000).contains(&bytes.len())) {
            let shown = path.display();
            let Some(mut document) = (self.open)(&sound) else { panic!("{shown}: does not open") };
            if !(self.fix)(&mut document).is_empty() {
                continue;
            }
            assert!((self.write)(&document) == sound, "{shown}: changed without a finding");
            let copies =
                (0..self.tries).filter(|_| self.damage(&path, &sound, &mut random, &mut tally)).count();
            tally.copies += copies;
            tally.files += usize::from(copies > 0);
        }
        tally
    }

    /// Damages and fixes a copy of a file. Returns `true` if there was something to fix.
    fn damage(&self, path: &Path, sound: &[u8], random: &mut Random, tally: &mut FixTally) -> bool {
        let at = random.below(sound.len().min(self.reach)) & !3;
        let wild = [0, u32::MAX, 1, f32::NAN.to_bits(), 10f32.to_bits(), random.next_u64() as u32];
        let value = wild.get(random.below(wild.len())).copied().unwrap_or(0);
        let mut damaged = sound.to_vec();
        if let Some(slot) = damaged.get_mut(at..at + 4) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        let Some(mut document) = (self.open)(&damaged) else { return false };
        let fixed = (self.fix)(&mut document);
        if fixed.is_empty() {
            return false;
        }
        let what = || {
            let codes: Vec<_> = fixed.iter().map(|f| f.rule.code).collect();
            format!("{} at 0x{at:X}: {codes:?}", path.display())
        };
        let written = (self.write)(&document);
        assert!((self.fix)(&mut document).is_empty(), "{}: fixed twice", what());
        let Some(mut again) = (self.open)(&written) else { panic!("{}: does not open any more", what()) };
        assert!((self.fix)(&mut again).is_empty(), "{}: fixed again", what());
        assert!((self.write)(&again) == written, "{}: written differently", what());
        let changed = (0..written.len().max(sound.len()))
            .filter(|i| !(at..at + 4).contains(i) && written.get(*i) != sound.get(*i))
            .count();
        if changed > tally.most_changed.0 {
            tally.most_changed = (changed, what());
        }
        true
    }
}
