//! Skin weights and matrix groups, one from the other.

use std::collections::HashMap;

use super::Losses;
use crate::{Geoset, SkinWeight};

/// Returns the bones of a vertex by descending weight, without missing bones and weights of 0.
fn ranked(weight: &SkinWeight, exists: &dyn Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for (bone, weight) in weight.bones.iter().zip(weight.weights).filter(|(_, w)| *w > 0) {
        let bone = u32::from(*bone);
        match out.iter_mut().find(|(b, _)| *b == bone) {
            Some((_, sum)) => *sum += u32::from(weight),
            None if exists(bone) => out.push((bone, u32::from(weight))),
            None => {}
        }
    }
    out.sort_by_key(|(bone, weight)| (u32::MAX - weight, *bone));
    out
}

/// Returns how many of the heaviest bones, weighted equally, approximate the weights best.
fn best_count(ranked: &[(u32, u32)]) -> usize {
    let total: f32 = ranked.iter().map(|(_, w)| *w as f32).sum();
    let error = |count: usize| -> f32 {
        let share = total / count as f32;
        let inside = ranked.iter().take(count).map(|(_, w)| (*w as f32 - share).abs());
        let outside = ranked.iter().skip(count).map(|(_, w)| *w as f32);
        inside.chain(outside).sum()
    };
    (1..=ranked.len()).min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(0)
}

/// Makes matrix groups from skin weights. Vertices of a group move with the mean of its bones, so weights are rounded to
/// equal shares; there can be 256 groups, so beyond that fewer bones are kept.
pub(super) fn groups_from_skin(
    path: &str,
    geoset: &mut Geoset,
    exists: &dyn Fn(u32) -> bool,
    fallback: Option<u32>,
    losses: &mut Losses,
) {
    let Some(skin) = geoset.skin.take() else { return };
    let blank = SkinWeight::default();
    let weights = (0..geoset.vertices.len()).map(|i| skin.get(i).unwrap_or(&blank));
    let all: Vec<Vec<(u32, u32)>> = weights.map(|w| ranked(w, exists)).collect();
    let mut uneven = 0usize;
    for most in (1..=4).rev() {
        let mut groups: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut order: Vec<Vec<u32>> = Vec::new();
        let mut of_vertex = Vec::with_capacity(all.len());
        uneven = 0;
        for bones in &all {
            let count = best_count(bones).min(most);
            let total: u32 = bones.iter().map(|(_, w)| w).sum();
            let share = total / (count.max(1) as u32);
            let kept = bones.iter().take(count);
            let exact = bones.len() == count && kept.clone().all(|(_, w)| w.abs_diff(share) <= 1);
            uneven += usize::from(!exact && !bones.is_empty());
            let mut ids: Vec<u32> = kept.map(|(bone, _)| *bone).collect();
            ids.sort_unstable();
            if ids.is_empty() {
                ids.extend(fallback);
            }
            if ids.is_empty() {
                // The model has no bone to follow.
                of_vertex.push(0);
                continue;
            }
            let group = *groups.entry(ids.clone()).or_insert_with(|| {
                order.push(ids);
                order.len() - 1
            });
            of_vertex.push(group);
        }
        if order.len() <= 256 || most == 1 {
            geoset.vertex_groups = of_vertex.iter().map(|g| u8::try_from(*g).unwrap_or(0)).collect();
            geoset.group_sizes = order.iter().map(|g| g.len() as u32).collect();
            geoset.matrices = order.concat();
            break;
        }
    }
    if uneven > 0 {
        losses.add(path, format!("the weights of {uneven} of {} vertices became equal shares", all.len()));
    }
}

/// Makes skin weights from matrix groups: at most four bones, weighted equally. Vertices without a bone get `other`, if there
/// is one.
pub(super) fn skin_from_groups(path: &str, geoset: &mut Geoset, other: Option<u8>, losses: &mut Losses) {
    let groups: Vec<Vec<u32>> = geoset.groups().map(<[u32]>::to_vec).collect();
    let mut cut = 0usize;
    let mut weigh = |group: Option<&Vec<u32>>| {
        let bones = group.into_iter().flatten().filter_map(|b| u8::try_from(*b).ok()).take(4);
        let mut bones: Vec<u8> = bones.collect();
        cut += usize::from(group.is_some_and(|g| g.len() != bones.len()));
        if bones.is_empty() {
            bones.extend(other);
        }
        let mut out = SkinWeight::default();
        let count = bones.len() as u8;
        for (i, (slot, weight)) in
            out.bones.iter_mut().zip(&mut out.weights).take(usize::from(count)).enumerate()
        {
            *slot = bones.get(i).copied().unwrap_or(0);
            *weight = 255 / count + u8::from((i as u8) < 255 % count);
        }
        out
    };
    let skin = (0..geoset.vertices.len()).map(|i| {
        let group = geoset.vertex_groups.get(i).and_then(|g| groups.get(usize::from(*g)));
        weigh(group)
    });
    geoset.skin = Some(skin.collect());
    geoset.vertex_groups.clear();
    geoset.group_sizes.clear();
    geoset.matrices.clear();
    if cut > 0 {
        losses.add(path, format!("{cut} vertices lose bones beyond the fourth or the 255th"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skinned(weights: &[([u8; 4], [u8; 4])]) -> Geoset {
        let skin = weights.iter().map(|(bones, weights)| SkinWeight { bones: *bones, weights: *weights });
        Geoset { vertices: vec![[0.0; 3]; weights.len()], skin: Some(skin.collect()), ..Geoset::default() }
    }

    #[test]
    fn equal_shares_survive_both_ways() {
        let mut geoset = skinned(&[
            ([3, 0, 0, 0], [255, 0, 0, 0]),
            ([3, 5, 0, 0], [128, 127, 0, 0]),
            ([1, 2, 3, 0], [85, 85, 85, 0]),
        ]);
        let before = geoset.skin.clone();
        let mut losses = Losses::default();
        groups_from_skin("g", &mut geoset, &|_| true, Some(0), &mut losses);
        assert_eq!(
            (geoset.group_sizes.as_slice(), geoset.matrices.as_slice()),
            (&[1, 2, 3][..], &[3, 3, 5, 1, 2, 3][..])
        );
        skin_from_groups("g", &mut geoset, None, &mut losses);
        assert_eq!(geoset.skin, before);
        assert!(losses.0.is_empty(), "{:?}", losses.0);
    }

    #[test]
    fn uneven_weights_are_reported() {
        let mut geoset = skinned(&[([1, 2, 0, 0], [200, 55, 0, 0]), ([1, 2, 3, 4], [100, 100, 50, 5])]);
        let mut losses = Losses::default();
        groups_from_skin("g", &mut geoset, &|_| true, Some(0), &mut losses);
        assert_eq!(losses.0[0].to_string(), "g: the weights of 2 of 2 vertices became equal shares");
        assert_eq!(geoset.matrices, [1, 1, 2, 3]);
    }

    #[test]
    fn there_are_never_more_than_256_groups() {
        let weights: Vec<_> = (0..2000u32)
            .map(|i| ([(i % 200) as u8, (i / 10) as u8, (i % 7) as u8 + 200, 250], [64, 64, 64, 63]))
            .collect();
        let mut geoset = skinned(&weights);
        groups_from_skin("g", &mut geoset, &|_| true, Some(0), &mut Losses::default());
        assert!(geoset.group_sizes.len() <= 256);
        assert!(geoset.vertex_groups.iter().all(|g| usize::from(*g) < geoset.group_sizes.len()));
    }
}
