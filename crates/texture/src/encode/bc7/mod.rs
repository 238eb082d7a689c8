//! Blocks of BC7, searched harder than `block_compression` does: all modes, all ways to divide the block, and ends moved by
//! one step at a time as long as that helps.
//!
//! A block has one to three subsets of pixels. Each subset has two ends of its own and evenly spaced colours between them.
//! Subsets know nothing of each other, so each is fitted by itself.

mod fit;
mod format;

use fit::{Effort, Ends, choose, fit};
use format::{Bits, Lowest, MODES, Mode, ROTATIONS, Shape, divide};

/// Divisions of a mode that are fitted closely, out of up to 64: those with the best guess.
const DIVISIONS: usize = 4;
/// Candidates of all modes that are fitted thoroughly.
const CANDIDATES: usize = 4;
/// Least squared error that is worth a search: one step per channel.
const WORTH: u32 = 64;

/// Searches for a block that comes closer to the pixels than this one. Returns the squared error of what is then there.
pub(super) fn improve(pixels: &[[u8; 4]; 16], block: &mut [u8; 16]) -> u32 {
    let before = error(pixels, block);
    if before < WORTH {
        return before;
    }
    let mut found = Vec::new();
    for mode in &MODES {
        let mut guesses = Candidate::all(mode, pixels);
        guesses.iter_mut().for_each(|candidate| candidate.fit(pixels, Effort::Guess));
        // A guess that is far off does not become the best.
        guesses.retain(|candidate| candidate.error() < before as f32 * 1.5);
        guesses.sort_by(|a, b| a.error().total_cmp(&b.error()));
        guesses.truncate(DIVISIONS);
        found.append(&mut guesses);
    }
    for (effort, count) in [(Effort::Close, CANDIDATES), (Effort::Thorough, 1)] {
        found.iter_mut().for_each(|candidate| candidate.fit(pixels, effort));
        found.sort_by(|a, b| a.error().total_cmp(&b.error()));
        found.truncate(count);
    }
    let Some(best) = found.into_iter().next() else { return before };
    // The decoder has the last word.
    let packed = best.pack(pixels);
    let after = error(pixels, &packed);
    if after < before {
        *block = packed;
    }
    after.min(before)
}

/// Returns the sum of squared differences between the pixels and what a block decodes to.
pub(super) fn error(pixels: &[[u8; 4]; 16], block: &[u8; 16]) -> u32 {
    let mut back = [0; 64];
    bcdec_rs::bc7(block, &mut back, 16);
    pixels.as_flattened().iter().zip(back).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

/// A block before it is packed.
struct Candidate {
    mode: &'static Mode,
    partition: usize,
    rotation: usize,
    /// Whether colours have the longer indices of mode 4.
    swapped: bool,
    colours: [Ends; 3],
    alone: Ends,
    /// What the mode cannot store: alpha other than 255.
    lost: f32,
}

impl Candidate {
    /// Returns everything that a mode offers: its divisions, rotations and lengths of indices.
    fn all(mode: &'static Mode, pixels: &[[u8; 4]; 16]) -> Vec<Self> {
        let alpha: f32 = pixels.iter().map(|[_, _, _, a]| f32::from(255 - a).powi(2)).sum();
        if mode.number == 7 && alpha == 0.0 {
            // Mode 3 does the same for opaque pixels with finer ends.
            return Vec::new();
        }
        let stores_alpha = mode.alpha || mode.alone.is_some();
        let candidate = Candidate {
            mode,
            partition: 0,
            rotation: 0,
            swapped: false,
            colours: [Ends::NONE; 3],
            alone: Ends::NONE,
            lost: if stores_alpha { 0.0 } else { alpha },
        };
        let partitions = 0..1 << mode.partition_bits;
        let rotations = 0..if mode.alone.is_some() { ROTATIONS.len() } else { 1 };
        let both: &[bool] = if mode.number == 4 { &[false, true] } else { &[false] };
        partitions
            .flat_map(|partition| rotations.clone().map(move |rotation| (partition, rotation)))
            .flat_map(|(partition, rotation)| both.iter().map(move |swapped| (partition, rotation, *swapped)))
            .map(|(partition, rotation, swapped)| Candidate { partition, rotation, swapped, ..candidate })
            .collect()
    }

    fn shapes(&self) -> (Shape, Option<Shape>) {
        let (mut colour, mut alone) = (self.mode.colour, self.mode.alone);
        if let (true, Some(alone)) = (self.swapped, &mut alone) {
            std::mem::swap(&mut colour.index_bits, &mut alone.index_bits);
        }
        (colour, alone)
    }

    /// Returns the channels of the colour, and the one with indices of its own.
    fn channels(&self) -> (&'static [usize], usize) {
        let (three, one) = ROTATIONS.get(self.rotation).unwrap_or(&ROTATIONS[0]);
        (if self.mode.alpha { &[0, 1, 2, 3] } else { three }, *one)
    }

    fn subsets(&self) -> impl Iterator<Item = (u16, u32)> + Clone + use<> {
        divide(self.mode.subsets, self.partition).into_iter().take(self.mode.subsets)
    }

    fn error(&self) -> f32 {
        let colours: f32 = self.colours.iter().take(self.mode.subsets).map(|ends| ends.error).sum();
        self.lost + colours + if self.mode.alone.is_some() { self.alone.error } else { 0.0 }
    }

    /// Fits every subset, and keeps what it has where that is better.
    fn fit(&mut self, pixels: &[[u8; 4]; 16], effort: Effort) {
        let (colour, alone) = self.shapes();
        let (channels, one) = self.channels();
        for ((mask, _), ends) in self.subsets().zip(&mut self.colours) {
            ends.better(fit(pixels, mask, channels, colour, effort));
        }
        if let Some(alone) = alone {
            self.alone.better(fit(pixels, u16::MAX, &[one], alone, effort));
        }
    }

    /// Returns the sixteen bytes as the format has them.
    fn pack(mut self, pixels: &[[u8; 4]; 16]) -> [u8; 16] {
        let mode = self.mode;
        let (colour, alone) = self.shapes();
        let (channels, one) = self.channels();
        let mut indices = [0; 16];
        for (subset, ends) in self.subsets().zip(&mut self.colours) {
            choose(pixels, subset, channels, colour, ends, &mut indices);
        }
        let mut others = [0; 16];
        if let Some(alone) = alone {
            choose(pixels, (u16::MAX, 0), &[one], alone, &mut self.alone, &mut others);
        }

        let mut bits = Bits::default();
        bits.put(1 << mode.number, mode.number + 1);
        bits.put(self.partition as u32, mode.partition_bits);
        if alone.is_some() {
            bits.put(self.rotation as u32, 2);
        }
        if mode.number == 4 {
            bits.put(self.swapped.into(), 1);
        }
        let colours = || self.colours.iter().take(mode.subsets);
        for channel in 0..channels.len() {
            for end in colours().flat_map(|ends| ends.stored.get(channel).copied().unwrap_or_default()) {
                bits.put(end as u32, colour.bits);
            }
        }
        if let Some(alone) = alone {
            let [ends, ..] = self.alone.stored;
            ends.into_iter().for_each(|end| bits.put(end as u32, alone.bits));
        }
        let lowest = match colour.lowest {
            Lowest::None => 0,
            Lowest::Shared => 1,
            Lowest::Each => 2,
        };
        for bit in colours().flat_map(|ends| ends.lowest.into_iter().take(lowest)) {
            bits.put(bit as u32, 1);
        }
        // The shorter indices of mode 4 come first, whosoever they are.
        let mut lists = [Some((indices, colour)), alone.map(|alone| (others, alone))];
        if self.swapped {
            lists.reverse();
        }
        for (indices, shape) in lists.into_iter().flatten() {
            for (i, index) in (0..).zip(indices) {
                let anchor = self.subsets().any(|(_, anchor)| anchor == i);
                bits.put(index, shape.index_bits - u32::from(anchor));
            }
        }
        bits.value.to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use block_compression::{BC7Settings, CompressionVariant, encode::compress_rgba8};
    use galatea_robustness::Random;

    type Pixels = [[u8; 4]; 16];

    fn noise(seed: u64, opaque: bool) -> Pixels {
        let mut random = Random(seed);
        std::array::from_fn(|_| {
            let [r, g, b, a, ..] = random.next_u64().to_le_bytes();
            [r, g / 2, b / 3 + 100, if opaque { 255 } else { a }]
        })
    }

    fn simple() -> [Pixels; 4] {
        [
            [[7, 99, 255, 0]; 16],
            std::array::from_fn(|i| [(i * 16) as u8, 255 - (i * 7) as u8, (i * i) as u8, 255]),
            std::array::from_fn(|i| if i % 3 == 0 { [250, 0, 10, 255] } else { [0, 200, 90, 0] }),
            std::array::from_fn(|i| [120, 130, 140, (i * 17) as u8]),
        ]
    }

    fn encoded(pixels: &Pixels, search: BC7Settings) -> [u8; 16] {
        let mut block = [0; 16];
        compress_rgba8(CompressionVariant::BC7(search), pixels.as_flattened(), &mut block, 4, 4, 16);
        block
    }

    #[test]
    fn every_mode_division_and_rotation_decodes_to_what_was_fitted() {
        for pixels in [noise(1, false), noise(2, false), noise(3, true)].into_iter().chain(simple()) {
            for mode in &MODES {
                for mut candidate in Candidate::all(mode, &pixels) {
                    candidate.fit(&pixels, Effort::Guess);
                    let (fitted, partition) = (candidate.error() as u32, candidate.partition);
                    let packed = candidate.pack(&pixels);
                    assert_eq!(packed[0].trailing_zeros(), mode.number);
                    assert_eq!(error(&pixels, &packed), fitted, "mode {} division {partition}", mode.number);
                }
            }
        }
    }

    #[test]
    fn more_effort_comes_closer_in_every_mode() {
        let pixels = noise(4, false);
        for mode in &MODES {
            let mut candidate = Candidate::all(mode, &pixels).pop().unwrap();
            let errors = [Effort::Guess, Effort::Close, Effort::Thorough].map(|effort| {
                candidate.fit(&pixels, effort);
                candidate.error() as u32
            });
            assert!(errors[0] > errors[1] && errors[1] >= errors[2], "mode {}: {errors:?}", mode.number);
            assert_eq!(error(&pixels, &candidate.pack(&pixels)), errors[2], "mode {}", mode.number);
        }
    }

    #[test]
    fn no_block_becomes_worse_and_noise_comes_closer() {
        let mut sums = [0, 0];
        let hard = (10..14).map(|seed| noise(seed, seed % 2 == 0));
        for pixels in hard.chain(simple()) {
            let junk = noise(20, false).as_flattened()[..16].try_into().unwrap();
            let slow = encoded(&pixels, BC7Settings::alpha_slow());
            for (i, mut block) in
                [slow, encoded(&pixels, BC7Settings::alpha_very_fast()), junk].into_iter().enumerate()
            {
                let before = error(&pixels, &block);
                let stored = improve(&pixels, &mut block);
                let after = error(&pixels, &block);
                assert!(after <= before && after == stored, "{before}, then {after}, stored {stored}");
                if i == 0 {
                    sums = [sums[0] + before, sums[1] + after];
                }
            }
        }
        assert!(sums[1] < sums[0], "{sums:?}");
    }

    #[test]
    fn a_good_block_stays_as_it_is() {
        let pixels = [[10, 20, 30, 255]; 16];
        let block = encoded(&pixels, BC7Settings::opaque_basic());
        let mut same = block;
        assert!(improve(&pixels, &mut same) < WORTH);
        assert_eq!(same, block);
    }
}
