//! The two ends of a subset that suit its pixels best.

use super::format::Shape;

/// How well to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// The main axis, rounded.
    Guess,
    /// Its best roundings, moved while that helps.
    Close,
    /// The same from the ends that every pair of pixels makes. Noise has many ends that no small move makes better.
    Thorough,
}

impl Effort {
    /// Returns how many starts are followed.
    fn starts(self) -> usize {
        match self {
            Effort::Guess => 1,
            Effort::Close => 2,
            Effort::Thorough => 32,
        }
    }
}

/// Two ends of a subset, channel by channel, as stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) error: f32,
    pub(super) stored: [[i32; 2]; 4],
    pub(super) lowest: [i32; 2],
}

impl Ends {
    pub(super) const NONE: Self = Ends { error: f32::MAX, stored: [[0; 2]; 4], lowest: [0; 2] };

    pub(super) fn better(&mut self, other: Ends) {
        if other.error < self.error {
            *self = other;
        }
    }
}

/// Some pixels, `C` channels of at most `N`. Places that are left over have the weight 0.
struct Cloud<const C: usize, const N: usize> {
    channels: [[f32; N]; C],
    present: [f32; N],
}

impl<const C: usize, const N: usize> Cloud<C, N> {
    fn new(pixels: &[[u8; 4]; 16], mask: u16, channels: [usize; C]) -> Self {
        let mut cloud = Cloud { channels: [[0.0; N]; C], present: [0.0; N] };
        let members = || pixels.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, p)| p);
        for (out, channel) in cloud.channels.iter_mut().zip(channels) {
            for (out, pixel) in out.iter_mut().zip(members()) {
                *out = pixel.get(channel).copied().unwrap_or(0).into();
            }
        }
        cloud.present.iter_mut().zip(members()).for_each(|(present, _)| *present = 1.0);
        cloud
    }

    /// Returns the main axis, as two ends between which all pixels lie.
    fn axis(&self) -> [[f32; 2]; C] {
        let count = self.present.iter().sum::<f32>().max(1.0);
        let mean = self.channels.map(|c| c.iter().sum::<f32>() / count);
        let mut off = self.channels;
        for (off, mean) in off.iter_mut().zip(mean) {
            for (off, present) in off.iter_mut().zip(self.present) {
                *off = (*off - mean) * present;
            }
        }
        let dot = |a: &[f32; N], b: &[f32; N]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let spread: [[f32; C]; C] = off.map(|a| off.map(|b| dot(&a, &b)));
        // Powers of the covariance turn any vector towards the axis; the longest row is a good one to begin with.
        let mut axis =
            spread.into_iter().max_by(|a, b| squares(a).total_cmp(&squares(b))).unwrap_or([0.0; C]);
        for _ in 0..8 {
            let length = squares(&axis).sqrt();
            if length <= 0.0 {
                break;
            }
            let unit = axis.map(|a| a / length);
            axis = spread.map(|row| row.iter().zip(unit).map(|(a, b)| a * b).sum());
        }
        let along = squares(&axis).sqrt();
        let unit = axis.map(|a| if along > 0.0 { a / along } else { 0.0 });
        let (mut low, mut high) = (0.0f32, 0.0f32);
        let mut places = [0.0; N];
        for (off, unit) in off.iter().zip(unit) {
            places.iter_mut().zip(off).for_each(|(place, off)| *place += off * unit);
        }
        for place in places {
            (low, high) = (low.min(place), high.max(place));
        }
        let mut ends = [[0.0; 2]; C];
        for ((ends, mean), unit) in ends.iter_mut().zip(mean).zip(unit) {
            *ends = [mean + unit * low, mean + unit * high];
        }
        ends
    }

    /// Returns the weight of the nearest colour for every pixel, and the squared distance over all.
    fn nearest(&self, weights: &[i32], steps: &[[f32; 16]; C]) -> ([f32; N], f32) {
        let mut best = [f32::MAX; N];
        let mut chosen = [0.0; N];
        for (i, weight) in weights.iter().enumerate() {
            let mut distance = [0.0; N];
            for (channel, steps) in self.channels.iter().zip(steps) {
                let step = steps.get(i).copied().unwrap_or(0.0);
                distance.iter_mut().zip(channel).for_each(|(d, p)| *d += (p - step) * (p - step));
            }
            let weight = *weight as f32 / 64.0;
            for ((best, chosen), distance) in best.iter_mut().zip(&mut chosen).zip(distance) {
                *chosen = if distance < *best { weight } else { *chosen };
                *best = if distance < *best { distance } else { *best };
            }
        }
        (chosen, best.iter().zip(self.present).map(|(b, p)| b * p).sum())
    }

    /// Returns the ends that suit these weights best: least squares, a channel at a time.
    fn least_squares(&self, weights: &[f32; N]) -> Option<[[f32; 2]; C]> {
        let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
        for (weight, present) in weights.iter().zip(self.present) {
            let (a, b) = ((1.0 - weight) * present, weight * present);
            (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
        }
        let det = aa * bb - ab * ab;
        (det > 1e-3).then(|| {
            self.channels.map(|channel| {
                let b: f32 = channel.iter().zip(weights).map(|(p, w)| p * w).sum();
                let a = channel.iter().sum::<f32>() - b;
                [(a * bb - b * ab) / det, (b * aa - a * ab) / det].map(|end| end.clamp(0.0, 255.0))
            })
        })
    }

    /// Ends that are not rounded yet, closer to the pixels than these.
    fn settle(&self, shape: Shape, mut ends: [[f32; 2]; C], rounds: usize) -> [[f32; 2]; C] {
        for _ in 0..rounds {
            let steps = ends.map(|[a, b]| {
                let mut steps = [0.0; 16];
                for (step, weight) in steps.iter_mut().zip(shape.weights()) {
                    *step = a + (b - a) * *weight as f32 / 64.0;
                }
                steps
            });
            match self.least_squares(&self.nearest(shape.weights(), &steps).0) {
                Some(better) => ends = better,
                None => break,
            }
        }
        ends
    }

    fn steps(shape: Shape, ends: &Ends) -> [[f32; 16]; C] {
        let mut steps = [[0.0; 16]; C];
        for (steps, stored) in steps.iter_mut().zip(ends.stored) {
            *steps = shape.steps(stored, ends.lowest);
        }
        steps
    }

    fn round(&self, shape: Shape, ends: &[[f32; 2]; C], lowest: [i32; 2]) -> Ends {
        let mut out = Ends { error: 0.0, stored: [[0; 2]; 4], lowest };
        for (out, end) in out.stored.iter_mut().zip(ends) {
            *out = [shape.narrow(end[0], lowest[0]), shape.narrow(end[1], lowest[1])];
        }
        out.error = self.nearest(shape.weights(), &Self::steps(shape, &out)).1;
        out
    }

    /// Moves both ends of one channel after the other while that helps.
    fn descend(&self, shape: Shape, ends: &mut Ends) {
        let most = (1 << shape.bits) - 1;
        let levels = shape.weights().len();
        let mut idle = 0;
        for (number, channel) in self.channels.iter().enumerate().cycle().take(C * 32) {
            // What the other channels say about every colour and pixel.
            let mut others = [[0.0; N]; 16];
            for (_, (other, stored)) in
                self.channels.iter().zip(ends.stored).enumerate().filter(|(i, _)| *i != number)
            {
                for (sum, step) in others.iter_mut().zip(shape.steps(stored, ends.lowest)).take(levels) {
                    sum.iter_mut().zip(other).for_each(|(sum, p)| *sum += (p - step) * (p - step));
                }
            }
            let Some(stored) = ends.stored.get_mut(number) else { return };
            let [a, b] = *stored;
            let before = ends.error;
            for x in (a - 1).max(0)..=(a + 1).min(most) {
                for y in (b - 1).max(0)..=(b + 1).min(most) {
                    let mut best = [f32::MAX; N];
                    for (sum, step) in others.iter().zip(shape.steps([x, y], ends.lowest)).take(levels) {
                        for ((best, sum), p) in best.iter_mut().zip(sum).zip(channel) {
                            let distance = sum + (p - step) * (p - step);
                            *best = if distance < *best { distance } else { *best };
                        }
                    }
                    let error: f32 = best.iter().zip(self.present).map(|(b, p)| b * p).sum();
                    if error < ends.error {
                        (ends.error, *stored) = (error, [x, y]);
                    }
                }
            }
            idle = if ends.error < before { 1 } else { idle + 1 };
            if idle >= C {
                return;
            }
        }
    }

    /// Ends for these pixels, the best that the effort finds.
    fn fit(&self, shape: Shape, effort: Effort) -> Ends {
        let mut starts = Vec::new();
        let mut start = |ends, rounds| {
            let ends = self.settle(shape, ends, rounds);
            starts.extend(shape.lowest_bits().iter().map(|lowest| self.round(shape, &ends, *lowest)));
        };
        start(self.axis(), 2);
        if effort == Effort::Thorough {
            let pixel = |i: usize| self.channels.map(|c| c.get(i).copied().unwrap_or(0.0));
            let count = self.present.iter().filter(|p| **p > 0.0).count();
            for (a, b) in (1..count).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let mut ends = [[0.0; 2]; C];
                for ((ends, a), b) in ends.iter_mut().zip(pixel(a)).zip(pixel(b)) {
                    *ends = [a, b];
                }
                start(ends, 3);
            }
        }
        starts.sort_by(|a, b| a.error.total_cmp(&b.error));
        starts.dedup_by(|a, b| (a.stored, a.lowest) == (b.stored, b.lowest));
        let mut best = Ends::NONE;
        for mut tried in starts.into_iter().take(effort.starts()) {
            let mut last = f32::MAX;
            for _ in 0..4 {
                if effort != Effort::Guess {
                    self.descend(shape, &mut tried);
                }
                if tried.error < best.error {
                    best = tried;
                }
                if effort == Effort::Guess || tried.error >= last {
                    break;
                }
                last = tried.error;
                let (chosen, _) = self.nearest(shape.weights(), &Self::steps(shape, &tried));
                let Some(better) = self.least_squares(&chosen) else { break };
                tried = self.round(shape, &better, tried.lowest);
            }
        }
        best
    }
}

fn squares<const C: usize>(vector: &[f32; C]) -> f32 {
    vector.iter().map(|v| v * v).sum()
}

/// Fits the pixels of a subset in these channels.
pub(super) fn fit(
    pixels: &[[u8; 4]; 16],
    mask: u16,
    channels: &[usize],
    shape: Shape,
    effort: Effort,
) -> Ends {
    // Half the places are half the work, and most subsets are small.
    let few = mask.count_ones() <= 8;
    match *channels {
        [a] => Cloud::<1, 16>::new(pixels, mask, [a]).fit(shape, effort),
        [a, b, c] if few => Cloud::<3, 8>::new(pixels, mask, [a, b, c]).fit(shape, effort),
        [a, b, c] => Cloud::<3, 16>::new(pixels, mask, [a, b, c]).fit(shape, effort),
        [a, b, c, d] if few => Cloud::<4, 8>::new(pixels, mask, [a, b, c, d]).fit(shape, effort),
        [a, b, c, d] => Cloud::<4, 16>::new(pixels, mask, [a, b, c, d]).fit(shape, effort),
        _ => Ends::NONE,
    }
}

/// Finds the nearest colour of every pixel of a subset. The index of the anchor has no room for its highest bit: where that is
/// set, the ends change places.
pub(super) fn choose(
    pixels: &[[u8; 4]; 16],
    (mask, anchor): (u16, u32),
    channels: &[usize],
    shape: Shape,
    ends: &mut Ends,
    indices: &mut [u32; 16],
) {
    let steps = ends.stored.map(|stored| shape.steps(stored, ends.lowest));
    let distance = |pixel: &[u8; 4], index: u32| -> f32 {
        let values = channels.iter().map(|c| f32::from(pixel.get(*c).copied().unwrap_or(0)));
        let steps = steps.iter().map(|steps| steps.get(index as usize).copied().unwrap_or(0.0));
        values.zip(steps).map(|(p, step)| (p - step) * (p - step)).sum()
    };
    let last = (1 << shape.index_bits) - 1;
    let member = |i: u32| mask >> i & 1 == 1;
    let mut turned = false;
    for ((i, pixel), index) in (0..).zip(pixels).zip(indices.iter_mut()).filter(|((i, _), _)| member(*i)) {
        let all = (0..=last).map(|index| (distance(pixel, index), index));
        *index = all.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, index)| index);
        turned |= i == anchor && *index > last / 2;
    }
    if turned {
        ends.stored.iter_mut().for_each(|stored| stored.reverse());
        ends.lowest.reverse();
        for (_, index) in (0..).zip(indices).filter(|(i, _)| member(*i)) {
            *index = last - *index;
        }
    }
}
