//! Matrix groups that no vertex uses, and those that are equal.

use crate::mdlx::Geoset;

/// Returns `true` if the vertices of a geoset move with its matrix groups, all of which are there.
pub(super) fn is_grouped(geoset: &Geoset) -> bool {
    let count = geoset.group_sizes.len();
    let listed: u64 = geoset.group_sizes.iter().map(|size| u64::from(*size)).sum();
    geoset.skin.is_none()
        && geoset.buffer.is_none()
        && geoset.bone_indices.is_empty()
        && geoset.vertex_groups.len() == geoset.vertices.len()
        && listed == geoset.matrices.len() as u64
        // The game takes the last group for those that are out of range.
        && geoset.vertex_groups.iter().all(|group| usize::from(*group) < count)
}

/// Removes them; returns how many.
pub(super) fn unused_and_equal(geoset: &mut Geoset) -> usize {
    if !is_grouped(geoset) || geoset.vertices.is_empty() {
        return 0;
    }
    let groups: Vec<Vec<u32>> = geoset.groups().map(<[u32]>::to_vec).collect();
    let mut used = vec![false; groups.len()];
    for group in &geoset.vertex_groups {
        used.get_mut(usize::from(*group)).into_iter().for_each(|used| *used = true);
    }
    let mut kept: Vec<&Vec<u32>> = Vec::new();
    let mut places: Vec<u8> = Vec::with_capacity(groups.len());
    for (group, used) in groups.iter().zip(used) {
        let there = kept.iter().position(|kept| *kept == group);
        let place = match (there, used) {
            (_, false) => 0,
            (Some(place), true) => place,
            (None, true) => {
                kept.push(group);
                kept.len() - 1
            }
        };
        places.push(place as u8);
    }
    let count = groups.len() - kept.len();
    if count > 0 {
        for group in &mut geoset.vertex_groups {
            *group = places.get(usize::from(*group)).copied().unwrap_or(*group);
        }
        geoset.group_sizes = kept.iter().map(|group| group.len() as u32).collect();
        geoset.matrices = kept.into_iter().flatten().copied().collect();
    }
    count
}
