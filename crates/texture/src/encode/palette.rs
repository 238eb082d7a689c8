//! 256 colours for an image: its own if they are few, else chosen by splitting and then drawn to where the pixels are.

use std::collections::HashMap;

use crate::Image;

type Colour = [u8; 3];

/// Returns at most 256 colours for all levels of an image.
pub(super) fn choose(images: &[Image]) -> Vec<Colour> {
    let mut counts: HashMap<Colour, u32> = HashMap::new();
    for [r, g, b, _] in images.iter().flat_map(Image::pixels) {
        *counts.entry([r, g, b]).or_default() += 1;
    }
    let mut all: Vec<(Colour, u32)> = counts.into_iter().collect();
    all.sort_unstable();
    if let Some(first) = images.first().filter(|_| all.len() > 256) {
        // The largest level must be exact if it can be, whatever its smaller levels mix.
        let mut own: Vec<Colour> = first.pixels().map(|[r, g, b, _]| [r, g, b]).collect();
        own.sort_unstable();
        own.dedup();
        if own.len() <= 256 {
            return own;
        }
    }
    if all.len() <= 256 {
        return all.into_iter().map(|(colour, _)| colour).collect();
    }
    let mut palette = split(&mut all);
    settle(&all, &mut palette);
    palette
}

/// Splits the colours where they spread most, until there are 256 groups, and returns their means.
fn split(all: &mut [(Colour, u32)]) -> Vec<Colour> {
    let mut groups: Vec<(f64, &mut [(Colour, u32)])> = vec![(spread(all).1, all)];
    while groups.len() < 256 {
        let widest = groups.iter().enumerate().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let Some((at, _)) = widest.filter(|(_, g)| g.0 > 0.0) else { break };
        let (_, group) = groups.swap_remove(at);
        let (channel, _) = spread(group);
        group.sort_unstable_by_key(|(c, _)| c.get(channel).copied());
        let mean = mean(group).get(channel).copied().unwrap_or(0.0);
        let cut = group.partition_point(|(c, _)| c.get(channel).is_some_and(|v| f64::from(*v) <= mean));
        let cut = cut.clamp(1, group.len() - 1);
        let (low, high) = group.split_at_mut(cut);
        groups.push((spread(low).1, low));
        groups.push((spread(high).1, high));
    }
    groups.iter().map(|(_, g)| mean(g).map(|v| (v + 0.5) as u8)).collect()
}

fn mean(group: &[(Colour, u32)]) -> [f64; 3] {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for (colour, count) in group {
        for (s, c) in sum.iter_mut().zip(colour) {
            *s += f64::from(*c) * f64::from(*count);
        }
        total += f64::from(*count);
    }
    sum.map(|s| s / f64::max(total, 1.0))
}

/// Returns the channel with the largest sum of squared distances from the mean, and that sum.
fn spread(group: &[(Colour, u32)]) -> (usize, f64) {
    if group.len() < 2 {
        return (0, 0.0);
    }
    let mean = mean(group);
    let mut sums = [0.0; 3];
    for (colour, count) in group {
        for ((s, c), m) in sums.iter_mut().zip(colour).zip(mean) {
            *s += (f64::from(*c) - m).powi(2) * f64::from(*count);
        }
    }
    sums.into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

/// Moves each colour to the mean of the pixels nearest to it, a few times.
fn settle(all: &[(Colour, u32)], palette: &mut [Colour]) {
    for _ in 0..6 {
        let mut sums = vec![([0.0f64; 3], 0.0f64); palette.len()];
        let mut nearest = Nearest::new(palette);
        for (colour, count) in all {
            let at = usize::from(nearest.find(*colour));
            if let Some((sum, total)) = sums.get_mut(at) {
                for (s, c) in sum.iter_mut().zip(colour) {
                    *s += f64::from(*c) * f64::from(*count);
                }
                *total += f64::from(*count);
            }
        }
        for (colour, (sum, total)) in palette.iter_mut().zip(sums) {
            if total > 0.0 {
                *colour = sum.map(|s| (s / total + 0.5) as u8);
            }
        }
    }
}

/// Finds the nearest colour of a palette. Colours are sorted by green, so that the search stops early.
pub(super) struct Nearest {
    sorted: Vec<(Colour, u8)>,
    known: HashMap<Colour, u8>,
}

impl Nearest {
    pub(super) fn new(palette: &[Colour]) -> Self {
        let mut sorted: Vec<(Colour, u8)> = palette.iter().copied().zip(0..=255).collect();
        sorted.sort_by_key(|([_, g, _], _)| *g);
        Nearest { sorted, known: HashMap::new() }
    }

    pub(super) fn find(&mut self, colour: Colour) -> u8 {
        if let Some(found) = self.known.get(&colour) {
            return *found;
        }
        let [r, g, b] = colour.map(i32::from);
        let start = self.sorted.partition_point(|([_, green, _], _)| i32::from(*green) < g);
        let mut best = (i32::MAX, 0u8);
        let (below, above) = self.sorted.split_at(start);
        let mut look = |candidates: &mut dyn Iterator<Item = &(Colour, u8)>| {
            for ([cr, cg, cb], index) in candidates {
                let (dr, dg, db) = (i32::from(*cr) - r, i32::from(*cg) - g, i32::from(*cb) - b);
                if dg * dg > best.0 {
                    break;
                }
                let distance = dr * dr + dg * dg + db * db;
                if distance < best.0 {
                    best = (distance, *index);
                }
            }
        };
        look(&mut above.iter());
        look(&mut below.iter().rev());
        self.known.insert(colour, best.1);
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let image = Image::new(2, 1, vec![1, 2, 3, 255, 9, 8, 7, 0]).unwrap();
        assert_eq!(choose(&[image]), [[1, 2, 3], [9, 8, 7]]);
    }

    #[test]
    fn the_nearest_colour_is_the_nearest() {
        let palette: Vec<Colour> =
            (0..=255u8).map(|i| [i.wrapping_mul(37), i.wrapping_mul(101), i]).collect();
        let mut nearest = Nearest::new(&palette);
        for i in 0..500u32 {
            let colour = [(i * 7) as u8, (i * 13) as u8, (i * 29) as u8];
            let distance = |c: &Colour| -> u32 {
                c.iter().zip(colour).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
            };
            let found = distance(&palette[usize::from(nearest.find(colour))]);
            assert_eq!(Some(found), palette.iter().map(distance).min());
        }
    }

    #[test]
    fn many_colours_become_256_close_ones() {
        let rgba = (0..128u32)
            .flat_map(|y| (0..128).flat_map(move |x| [(x * 2) as u8, (y * 2) as u8, 40, 255]))
            .collect();
        let image = Image::new(128, 128, rgba).unwrap();
        let palette = choose(std::slice::from_ref(&image));
        assert_eq!(palette.len(), 256);
        let mut nearest = Nearest::new(&palette);
        let error: u32 = image
            .pixels()
            .map(|[r, g, b, _]| {
                let near = palette[usize::from(nearest.find([r, g, b]))];
                near.iter().zip([r, g, b]).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>()
            })
            .sum();
        assert!(error / (128 * 128) < 60, "{}", error / (128 * 128));
    }
}
