//! Skin weights as matrix groups. A vertex moves with the mean of the bones of its group, so weights become shares.

/// How skin weights become matrix groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GroupWeights {
    /// At most four bones, none of them twice, as in the game's own files: those whose equal shares are closest to the weights.
    #[default]
    Equal,
    /// Up to eight entries, in which a bone may be repeated to weigh more. This is three times closer to the weights. No tool or
    /// player is known to have had trouble with it, but nobody is known to have tried it in the game either.
    Shares,
}

/// Maximum number of bones of a group with equal shares.
const BONES: usize = 4;

/// Maximum number of entries of a group with repeated bones.
const ENTRIES: usize = 8;

impl GroupWeights {
    /// Returns the name: `equal` or `shares`.
    pub fn name(self) -> &'static str {
        match self {
            GroupWeights::Equal => "equal",
            GroupWeights::Shares => "shares",
        }
    }

    /// Describes what weights are rounded to.
    pub(crate) fn rounded_to(self) -> &'static str {
        match self {
            GroupWeights::Equal => "equal shares of at most four bones",
            GroupWeights::Shares => "eighths or larger shares",
        }
    }

    /// Returns the entries of the group that is closest to these bones and weights, in order of the bones, and whether every share
    /// is within 1 / 255 of its weight.
    ///
    /// ```
    /// use galatea_mdlx::GroupWeights;
    /// assert_eq!(GroupWeights::Equal.fit(&[(5, 0.7), (2, 0.3)]), (vec![2, 5], false));
    /// assert_eq!(GroupWeights::Shares.fit(&[(5, 0.75), (2, 0.25)]), (vec![2, 5, 5, 5], true));
    /// ```
    pub fn fit(self, weights: &[(u32, f32)]) -> (Vec<u32>, bool) {
        let row = ranked(weights);
        let total: f32 = row.iter().map(|(_, w)| w).sum();
        let (counts, error) = match self {
            GroupWeights::Equal => equal(&row, total),
            GroupWeights::Shares => repeated(&row, total),
        };
        let mut bones: Vec<u32> =
            row.iter().zip(&counts).flat_map(|((id, _), count)| std::iter::repeat_n(*id, *count)).collect();
        bones.sort_unstable();
        (bones, error <= 1.0 / 255.0)
    }
}

/// Returns the bones of a vertex by descending weight, each of them once, without weights that are not positive.
fn ranked(row: &[(u32, f32)]) -> Vec<(u32, f32)> {
    let mut out: Vec<(u32, f32)> = Vec::with_capacity(row.len());
    for (bone, weight) in row.iter().filter(|(_, w)| *w > 0.0 && w.is_finite()) {
        match out.iter_mut().find(|(b, _)| b == bone) {
            Some((_, sum)) => *sum += weight,
            None => out.push((*bone, *weight)),
        }
    }
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    out
}

/// Returns how often each bone is in the group with equal shares, and the largest error of a share. The best bones of any number are
/// the heaviest.
fn equal(row: &[(u32, f32)], total: f32) -> (Vec<usize>, f32) {
    let errors = |count: usize| {
        let share = move |i: usize| if i < count { 1.0 / count as f32 } else { 0.0 };
        row.iter().enumerate().map(move |(i, (_, w))| (w / total - share(i)).abs())
    };
    let sum = |count: &usize| errors(*count).map(|e| e * e).sum::<f32>();
    let best = (1..=row.len().min(BONES)).min_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap_or(0);
    (vec![1; best], errors(best.max(1)).fold(0.0, f32::max))
}

/// Returns how often each bone is in the group with repetitions, and the largest error of a share.
fn repeated(row: &[(u32, f32)], total: f32) -> (Vec<usize>, f32) {
    let mut best: (Vec<usize>, f32) = (Vec::new(), f32::MAX);
    for parts in 1..=ENTRIES {
        // Whole shares first, then the largest remainders.
        let exact = |w: f32| w / total * parts as f32;
        let mut counts: Vec<usize> = row.iter().map(|(_, w)| exact(*w) as usize).collect();
        let mut left = parts.saturating_sub(counts.iter().sum());
        let mut order: Vec<usize> = (0..row.len()).collect();
        let rest = |i: usize| row.get(i).map_or(0.0, |(_, w)| exact(*w).fract());
        order.sort_by(|a, b| rest(*b).total_cmp(&rest(*a)));
        for i in order {
            if let Some(count) = counts.get_mut(i).filter(|_| left > 0) {
                *count += 1;
                left -= 1;
            }
        }
        let error = row.iter().zip(&counts).map(|((_, w), c)| (w / total - *c as f32 / parts as f32).abs());
        let error = error.fold(0.0, f32::max);
        if error < best.1 - 1e-4 {
            best = (counts, error);
        }
    }
    if row.is_empty() { (Vec::new(), 0.0) } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shares_name_no_bone_twice() {
        let fit = |row: &[(u32, f32)]| GroupWeights::Equal.fit(row);
        assert_eq!(fit(&[(3, 1.0)]), (vec![3], true));
        assert_eq!(fit(&[(3, 0.5), (1, 0.5)]), (vec![1, 3], true));
        assert_eq!(fit(&[(3, 0.7), (1, 0.3)]), (vec![1, 3], false));
        assert_eq!(fit(&[(3, 0.9), (1, 0.1)]), (vec![3], false));
        assert_eq!(fit(&[(1, 0.2), (2, 0.2), (3, 0.2), (4, 0.2), (5, 0.2)]), (vec![1, 2, 3, 4], false));
        // A bone that is listed twice is one bone.
        assert_eq!(fit(&[(7, 0.3), (2, 0.4), (7, 0.3)]), (vec![2, 7], false));
        assert_eq!(fit(&[]), (Vec::new(), true));
        assert_eq!(fit(&[(1, f32::NAN), (2, 0.0), (3, -1.0)]), (Vec::new(), true));
    }

    #[test]
    fn shares_repeat_bones() {
        let fit = |row: &[(u32, f32)]| GroupWeights::Shares.fit(row);
        assert_eq!(fit(&[(3, 1.0)]), (vec![3], true));
        assert_eq!(fit(&[(3, 0.75), (1, 0.25)]), (vec![1, 3, 3, 3], true));
        let (bones, exact) = fit(&[(1, 0.9), (2, 0.1)]);
        assert!(!exact && bones.len() <= ENTRIES && bones.contains(&1));
        assert_eq!(fit(&[]), (Vec::new(), true));
    }

    #[test]
    fn no_other_equal_group_is_closer() {
        let mut seed = 7u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 16_777_216.0
        };
        for _ in 0..500 {
            let row: Vec<(u32, f32)> = (0..5).map(|id| (id, next() * next())).collect();
            let total: f32 = row.iter().map(|(_, w)| w).sum();
            let error = |bones: &[u32]| -> f32 {
                let share = |id: &u32| if bones.contains(id) { 1.0 / bones.len() as f32 } else { 0.0 };
                row.iter().map(|(id, w)| (w / total - share(id)).powi(2)).sum()
            };
            let (best, _) = GroupWeights::Equal.fit(&row);
            for set in 1u32..32 {
                let bones: Vec<u32> = (0..5).filter(|id| set >> id & 1 == 1).collect();
                assert!(bones.len() > BONES || error(&best) <= error(&bones) + 1e-6, "{row:?} {bones:?}");
            }
        }
    }
}
