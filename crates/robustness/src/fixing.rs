//! Damage to files, and what fixing makes of it.
#![allow(clippy::panic, reason = "a broken promise has to fail the test that runs the trial")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use galatea_wire::{Fixed, Report, Rule};

use crate::Random;

/// Tells which rules are to be fixed.
pub type Wanted<'a> = dyn Fn(&Rule) -> bool + 'a;

/// How documents of a format are opened, checked, fixed and written.
pub struct FixTrial<'a, D> {
    /// Opens a file; `None` if it is too damaged for that.
    pub open: &'a dyn Fn(&[u8]) -> Option<D>,
    /// Checks the rules.
    pub check: &'a dyn Fn(&D) -> Report,
    /// Fixes what the wanted rules find.
    pub fix: &'a dyn Fn(&mut D, &Wanted<'_>) -> Vec<Fixed>,
    /// Writes a document.
    pub write: &'a dyn Fn(&D) -> Vec<u8>,
}

/// How real files are damaged.
#[derive(Debug, Clone, Copy)]
pub struct DamagePlan {
    /// Start of the generator, so that every machine does the same.
    pub seed: u64,
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

/// Asserts that the cases of a test cover every fixable rule and no other.
///
/// # Panics
/// If they do not.
pub fn assert_every_fixable_rule<'a>(rules: &[Rule], cases: impl Iterator<Item = &'a str>) {
    let covered: BTreeSet<&str> = cases.collect();
    let fixable: BTreeSet<&str> = rules.iter().filter(|rule| rule.fix).map(|rule| rule.code).collect();
    assert_eq!(covered, fixable);
}

/// Returns the range in which two files differ; `None` if they are equal.
pub fn difference(a: &[u8], b: &[u8]) -> Option<Range<usize>> {
    let differs = |i: &usize| a.get(*i) != b.get(*i);
    let all = 0..a.len().max(b.len());
    let first = all.clone().find(differs)?;
    Some(first..all.rev().find(differs)? + 1)
}

impl<D> FixTrial<'_, D> {
    /// Fixes a damaged file, with the rule of this code alone and with all rules. Returns what is written then.
    ///
    /// # Panics
    /// If the undamaged file has something to fix, if the rule does not find the damage or does not fix it, or if a second
    /// run finds something to fix.
    pub fn fixed(&self, what: &str, code: &str, sound: &[u8], damaged: &[u8]) -> [Vec<u8>; 2] {
        let what = &format!("{what}, {code}");
        assert!((self.fix)(&mut self.opened(sound, what), &|_| true).is_empty(), "{what}: not sound");
        let found = (self.check)(&self.opened(damaged, what)).count(code);
        assert!(found > 0, "{what}: the damage is not found");
        [false, true].map(|all| {
            let wanted = |rule: &Rule| all || rule.code == code;
            let mut document = self.opened(damaged, what);
            let fixed = (self.fix)(&mut document, &wanted);
            assert!(fixed.iter().any(|f| f.rule.code == code), "{what}: not fixed: {fixed:?}");
            self.settled(&mut document, what, &wanted)
        })
    }

    /// Asserts that damage without a sure answer is left alone.
    ///
    /// # Panics
    /// If something is fixed, or if what is written then differs from the damaged file.
    pub fn assert_left_alone(&self, what: &str, damaged: &[u8]) {
        let mut document = self.opened(damaged, what);
        let fixed = (self.fix)(&mut document, &|_| true);
        assert!(fixed.is_empty(), "{what}: {fixed:?}");
        assert_eq!(difference(&(self.write)(&document), damaged), None, "{what}");
    }

    /// Asserts that one run fixes all that can be fixed in a damaged file. Files that do not open are passed over.
    ///
    /// # Panics
    /// If a second run finds something to fix.
    pub fn assert_fixed_once(&self, what: &str, damaged: &[u8]) {
        if let Some(mut document) = (self.open)(damaged) {
            (self.fix)(&mut document, &|_| true);
            self.settled(&mut document, what, &|_| true);
        }
    }

    /// Damages files four bytes at a time and fixes them.
    ///
    /// # Panics
    /// If a fix changes a file without a finding, or if a second run finds something to fix.
    pub fn run(&self, files: impl Iterator<Item = (PathBuf, Vec<u8>)>, how: DamagePlan) -> FixTally {
        let mut random = Random(how.seed);
        let mut tally = FixTally::default();
        for (path, sound) in files.filter(|(_, bytes)| (256..600_000).contains(&bytes.len())) {
            let shown = path.display().to_string();
            let mut document = self.opened(&sound, &shown);
            if !(self.fix)(&mut document, &|_| true).is_empty() {
                continue;
            }
            assert!((self.write)(&document) == sound, "{shown}: changed without a finding");
            let mut copies = 0;
            for _ in 0..how.tries {
                let at = random.below(sound.len().min(how.reach)) & !3;
                copies += usize::from(self.damage(&path, &sound, at, &mut random, &mut tally));
            }
            tally.copies += copies;
            tally.files += usize::from(copies > 0);
        }
        tally
    }

    /// Damages and fixes a copy of a file. Returns `true` if there was something to fix.
    fn damage(
        &self,
        path: &Path,
        sound: &[u8],
        at: usize,
        random: &mut Random,
        tally: &mut FixTally,
    ) -> bool {
        let wild = [0, u32::MAX, 1, f32::NAN.to_bits(), 10f32.to_bits(), random.next_u64() as u32];
        let value = wild.get(random.below(wild.len())).copied().unwrap_or(0);
        let mut damaged = sound.to_vec();
        if let Some(slot) = damaged.get_mut(at..at + 4) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        let Some(mut document) = (self.open)(&damaged) else { return false };
        let fixed = (self.fix)(&mut document, &|_| true);
        if fixed.is_empty() {
            return false;
        }
        let codes: Vec<_> = fixed.iter().map(|f| f.rule.code).collect();
        let what = format!("{} at 0x{at:X}: {codes:?}", path.display());
        let written = self.settled(&mut document, &what, &|_| true);
        let changed = (0..written.len().max(sound.len()))
            .filter(|i| !(at..at + 4).contains(i) && written.get(*i) != sound.get(*i))
            .count();
        if changed > tally.most_changed.0 {
            tally.most_changed = (changed, what);
        }
        true
    }

    /// Writes a document that was fixed, and asserts that nothing is left to fix in it, in memory and when read again.
    fn settled(&self, document: &mut D, what: &str, wanted: &Wanted<'_>) -> Vec<u8> {
        let written = (self.write)(document);
        assert!((self.fix)(document, wanted).is_empty(), "{what}: fixed twice");
        let mut again = self.opened(&written, what);
        assert!((self.fix)(&mut again, wanted).is_empty(), "{what}: fixed again");
        assert!((self.write)(&again) == written, "{what}: written differently");
        written
    }

    fn opened(&self, bytes: &[u8], what: &str) -> D {
        (self.open)(bytes).unwrap_or_else(|| panic!("{what}: does not open"))
    }
}
