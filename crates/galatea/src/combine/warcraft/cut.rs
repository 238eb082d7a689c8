//! Parts of geosets: the triangles that some bones move.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::mdlx::{Geoset, Model};

/// Returns the bones of each vertex of a geoset with their weights, by object id.
pub(in crate::combine) fn weights(geoset: &Geoset) -> Vec<Vec<(u32, f32)>> {
    let groups: Vec<&[u32]> = geoset.groups().collect();
    (0..geoset.vertices.len())
        .map(|vertex| match geoset.skin.as_ref().and_then(|skin| skin.get(vertex)) {
            Some(skin) => {
                let named = skin.bones.iter().zip(skin.weights).filter(|(_, weight)| *weight > 0);
                named.map(|(bone, weight)| (u32::from(*bone), f32::from(weight) / 255.0)).collect()
            }
            None => {
                let group =
                    geoset.vertex_groups.get(vertex).and_then(|group| groups.get(usize::from(*group)));
                let bones = group.or(groups.last()).copied().unwrap_or(&[]);
                bones.iter().map(|bone| (*bone, 1.0 / bones.len() as f32)).collect()
            }
        })
        .collect()
}

/// Returns a geoset with some of its triangles, and only the matrix groups that it needs.
pub(in crate::combine) fn with_triangles(geoset: &Geoset, triangles: &[[u16; 3]]) -> Geoset {
    let corners: Vec<u32> = triangles.as_flattened().iter().map(|corner| u32::from(*corner)).collect();
    let mut out = geoset.with_faces(&corners);
    prune(&mut out);
    out
}

/// Leaves out the matrix groups that no vertex has.
pub(in crate::combine) fn prune(geoset: &mut Geoset) {
    if geoset.skin.is_some() {
        let used: HashSet<u32> = weights(geoset).into_iter().flatten().map(|(bone, _)| bone).collect();
        if geoset.group_sizes.iter().all(|size| *size == 1) {
            geoset.matrices.retain(|bone| used.contains(bone));
            geoset.group_sizes = vec![1; geoset.matrices.len()];
        }
        return;
    }
    let groups: Vec<Vec<u32>> = geoset.groups().map(<[u32]>::to_vec).collect();
    let mut numbers: HashMap<u8, u8> = HashMap::new();
    let mut kept: Vec<Vec<u32>> = Vec::new();
    for group in &mut geoset.vertex_groups {
        let next = kept.len() as u8;
        let known = numbers.entry(*group).or_insert_with(|| {
            // The game uses the last group for numbers out of range.
            kept.push(groups.get(usize::from(*group)).or(groups.last()).cloned().unwrap_or_default());
            next
        });
        *group = *known;
    }
    geoset.group_sizes = kept.iter().map(|group| group.len() as u32).collect();
    geoset.matrices = kept.concat();
    // Lists of World of Warcraft that follow from the groups.
    geoset.bone_indices.clear();
    geoset.bone_weights.clear();
}

/// Returns the bone that moves a triangle most.
fn main_bone(weights: &[Vec<(u32, f32)>], triangle: [u16; 3]) -> Option<u32> {
    let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
    for (bone, weight) in triangle.iter().filter_map(|corner| weights.get(usize::from(*corner))).flatten() {
        *sums.entry(*bone).or_default() += weight;
    }
    sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(bone, _)| bone)
}

/// Returns the triangles of a geoset by the bone that moves each most.
pub(in crate::combine) fn by_bone(geoset: &Geoset) -> BTreeMap<Option<u32>, Vec<[u16; 3]>> {
    let weights = weights(geoset);
    let mut out: BTreeMap<Option<u32>, Vec<[u16; 3]>> = BTreeMap::new();
    for triangle in geoset.triangles() {
        out.entry(main_bone(&weights, triangle)).or_default().push(triangle);
    }
    out
}

/// Returns the parts of all geosets that these bones move, with the numbers of the geosets.
pub(in crate::combine) fn moved_by(model: &Model, bones: &HashSet<u32>) -> Vec<(usize, Geoset)> {
    let mut out = Vec::new();
    for (index, geoset) in model.geosets.iter().enumerate() {
        let all = by_bone(geoset);
        let own = |bone: &Option<u32>| bone.is_some_and(|bone| bones.contains(&bone));
        if all.keys().all(own) && !all.is_empty() {
            out.push((index, geoset.clone()));
            continue;
        }
        let triangles: Vec<[u16; 3]> =
            all.into_iter().filter(|(bone, _)| own(bone)).flat_map(|(_, t)| t).collect();
        if !triangles.is_empty() {
            out.push((index, with_triangles(geoset, &triangles)));
        }
    }
    out
}
