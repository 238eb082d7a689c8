//! Skin weights and matrix groups, one from the other.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Losses;
use crate::pieces::grouped;
use crate::{Geoset, GeosetAnim, GroupWeights, Model, SkinWeight};

/// Returns the bones of a vertex with their weights, without missing bones.
fn row(weight: &SkinWeight, exists: &dyn Fn(u32) -> bool, fallback: Option<u32>) -> Vec<(u32, f32)> {
    let used = weight.bones.iter().zip(weight.weights).filter(|(_, w)| *w > 0);
    let used = used.map(|(bone, weight)| (u32::from(*bone), f32::from(weight)));
    let mut out: Vec<(u32, f32)> = used.filter(|(bone, _)| exists(*bone)).collect();
    if out.is_empty() {
        out.extend(fallback.map(|bone| (bone, 1.0)));
    }
    out
}

impl Model {
    /// Makes matrix groups from the skin weights of all geosets. A geoset with too many groups or vertices becomes several.
    pub(super) fn group_skins(&mut self, how: GroupWeights, losses: &mut Losses) {
        let ids: BTreeSet<u32> = self.nodes().map(|(_, _, n)| n.object_id).collect();
        let first = self.bones.first().map(|b| b.node.object_id);
        let mut moved: Vec<Range<usize>> = Vec::with_capacity(self.geosets.len());
        let mut made: Vec<Geoset> = Vec::with_capacity(self.geosets.len());
        for (index, geoset) in std::mem::take(&mut self.geosets).into_iter().enumerate() {
            let start = made.len();
            let exists = |id: u32| ids.contains(&id);
            made.extend(groups_from_skin(&format!("geosets[{index}]"), geoset, how, &exists, first, losses));
            moved.push(start..made.len());
        }
        if made.len() != moved.len() {
            self.spread_geosets(&moved);
        }
        self.geosets = made;
    }

    /// Lets references to geosets follow those that became several.
    fn spread_geosets(&mut self, moved: &[Range<usize>]) {
        let of = |id: i32| usize::try_from(id).ok().and_then(|id| moved.get(id)).cloned();
        let mut further = Vec::new();
        for anim in &mut self.geoset_anims {
            let Some(range) = of(anim.geoset_id) else { continue };
            anim.geoset_id = range.start as i32;
            further.extend(range.skip(1).map(|id| GeosetAnim { geoset_id: id as i32, ..anim.clone() }));
        }
        self.geoset_anims.extend(further);
        for bone in &mut self.bones {
            if let Some(range) = of(bone.geoset_id) {
                // A bone of several geosets names none.
                bone.geoset_id = if range.len() > 1 { -1 } else { range.start as i32 };
            }
        }
    }
}

/// Makes matrix groups from skin weights. Vertices of a group move with the mean of its bones, so weights are rounded to shares.
fn groups_from_skin(
    path: &str,
    mut geoset: Geoset,
    how: GroupWeights,
    exists: &dyn Fn(u32) -> bool,
    fallback: Option<u32>,
    losses: &mut Losses,
) -> Vec<Geoset> {
    let Some(skin) = geoset.skin.take() else { return vec![geoset] };
    let blank = SkinWeight::default();
    let count = geoset.vertices.len();
    let weights = (0..count).map(|i| skin.get(i).unwrap_or(&blank));
    let rows: Vec<Vec<(u32, f32)>> = weights.map(|w| row(w, exists, fallback)).collect();
    let (pieces, found) = grouped(geoset, &rows, how);
    if found.rounded > 0 {
        let what =
            format!("the weights of {} of {count} vertices became {}", found.rounded, how.rounded_to());
        losses.add(path, what);
    }
    if pieces.len() > 1 {
        losses.add_invisible(path, format!("it became {} geosets", pieces.len()));
    }
    pieces
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

    fn one(geoset: Geoset, losses: &mut Losses) -> Geoset {
        let mut out = groups_from_skin("g", geoset, GroupWeights::Equal, &|_| true, Some(0), losses);
        assert_eq!(out.len(), 1);
        out.remove(0)
    }

    #[test]
    fn equal_shares_survive_both_ways() {
        let geoset = skinned(&[
            ([3, 0, 0, 0], [255, 0, 0, 0]),
            ([3, 5, 0, 0], [128, 127, 0, 0]),
            ([1, 2, 3, 0], [85, 85, 85, 0]),
        ]);
        let before = geoset.skin.clone();
        let mut losses = Losses::default();
        let mut geoset = one(geoset, &mut losses);
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
        let geoset = skinned(&[([1, 2, 0, 0], [200, 55, 0, 0]), ([1, 2, 3, 4], [100, 100, 50, 5])]);
        let mut losses = Losses::default();
        let geoset = one(geoset, &mut losses);
        assert_eq!(
            losses.0[0].to_string(),
            "g: the weights of 2 of 2 vertices became equal shares of at most four bones"
        );
        assert_eq!(geoset.matrices, [1, 1, 2, 3]);
    }

    #[test]
    fn there_are_never_more_than_256_groups() {
        let weights: Vec<_> = (0..2000u32)
            .map(|i| ([(i % 200) as u8, (i / 10) as u8, (i % 7) as u8 + 200, 250], [64, 64, 64, 63]))
            .collect();
        let mut geoset = skinned(&weights);
        geoset.faces = (0..1998).collect();
        geoset.face_types = vec![4];
        geoset.face_counts = vec![1998];
        let pieces =
            groups_from_skin("g", geoset, GroupWeights::Equal, &|_| true, Some(0), &mut Losses::default());
        assert_eq!(pieces.iter().map(|p| p.faces.len()).sum::<usize>(), 1998);
        for piece in pieces {
            assert!(piece.group_sizes.len() <= 256);
            assert!(piece.vertex_groups.iter().all(|g| usize::from(*g) < piece.group_sizes.len()));
        }
    }
}
