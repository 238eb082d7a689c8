//! Vertices that no triangle uses, vertices that are equal, and triangles that are never seen.

use std::collections::HashMap;

use crate::mdlx::Geoset;

/// Returns `true` if every vertex of a geoset has all it needs, and nothing depends on the order of the vertices but its triangles.
pub(super) fn is_plain(geoset: &Geoset) -> bool {
    let count = geoset.vertices.len();
    geoset.buffer.is_none()
        && geoset.bone_indices.is_empty()
        && geoset.bone_weights.is_empty()
        && geoset.extra.is_empty()
        && geoset.face_types.iter().all(|kind| *kind == 4)
        && (geoset.normals.is_empty() || geoset.normals.len() == count)
        && (geoset.vertex_groups.is_empty() || geoset.vertex_groups.len() == count)
        && geoset.uvs.iter().all(|set| set.len() == count)
        && geoset.tangents.as_ref().is_none_or(|tangents| tangents.len() == count)
        && geoset.skin.as_ref().is_none_or(|skin| skin.len() == count)
        && geoset.faces.iter().all(|corner| usize::from(*corner) < count)
        && geoset.faces.len().is_multiple_of(3)
}

/// Everything that makes a vertex what it is, as bits.
type Bits = Vec<u32>;

fn bits_of(geoset: &Geoset, index: usize) -> Bits {
    let mut out = Bits::with_capacity(16);
    let mut add =
        |values: Option<&[f32]>| out.extend(values.into_iter().flatten().map(|value| value.to_bits()));
    add(geoset.vertices.get(index).map(|v| &v[..]));
    add(geoset.normals.get(index).map(|v| &v[..]));
    add(geoset.tangents.as_ref().and_then(|tangents| tangents.get(index)).map(|v| &v[..]));
    for set in &geoset.uvs {
        add(set.get(index).map(|v| &v[..]));
    }
    out.extend(geoset.vertex_groups.get(index).map(|group| u32::from(*group)));
    if let Some(skin) = geoset.skin.as_ref().and_then(|skin| skin.get(index)) {
        out.extend([u32::from_le_bytes(skin.bones), u32::from_le_bytes(skin.weights)]);
    }
    out
}

/// Removes vertices that no triangle uses, and all but the first of those that are equal; returns how many.
pub(super) fn unused_and_equal(geoset: &mut Geoset) -> usize {
    let count = geoset.vertices.len();
    if !is_plain(geoset) {
        return 0;
    }
    let mut used = vec![false; count];
    for corner in &geoset.faces {
        used.get_mut(usize::from(*corner)).into_iter().for_each(|used| *used = true);
    }
    let mut first: HashMap<Bits, u16> = HashMap::with_capacity(count);
    let mut kept: Vec<usize> = Vec::with_capacity(count);
    let mut places: Vec<u16> = Vec::with_capacity(count);
    for (index, used) in used.iter().enumerate() {
        if !used {
            places.push(0);
            continue;
        }
        let next = kept.len() as u16;
        let place = *first.entry(bits_of(geoset, index)).or_insert(next);
        if place == next {
            kept.push(index);
        }
        places.push(place);
    }
    if kept.len() == count {
        return 0;
    }
    fn pick<T: Copy>(list: &mut Vec<T>, kept: &[usize]) {
        if !list.is_empty() {
            *list = kept.iter().filter_map(|index| list.get(*index).copied()).collect();
        }
    }
    pick(&mut geoset.vertices, &kept);
    pick(&mut geoset.normals, &kept);
    pick(&mut geoset.vertex_groups, &kept);
    geoset.uvs.iter_mut().for_each(|set| pick(set, &kept));
    geoset.tangents.iter_mut().for_each(|tangents| pick(tangents, &kept));
    geoset.skin.iter_mut().for_each(|skin| pick(skin, &kept));
    for corner in &mut geoset.faces {
        *corner = places.get(usize::from(*corner)).copied().unwrap_or(*corner);
    }
    count - kept.len()
}

/// Removes triangles of which two corners are in the same place in every pose; returns how many.
pub(super) fn degenerate(geoset: &mut Geoset) -> usize {
    if !is_plain(geoset) {
        return 0;
    }
    let place = |corner: u16| -> Bits {
        let index = usize::from(corner);
        let position = geoset.vertices.get(index).into_iter().flatten().map(|value| value.to_bits());
        let skin = geoset.skin.as_ref().and_then(|skin| skin.get(index));
        let skin = skin.map(|skin| [u32::from_le_bytes(skin.bones), u32::from_le_bytes(skin.weights)]);
        let group = geoset.vertex_groups.get(index).map(|group| u32::from(*group));
        position.chain(skin.into_iter().flatten()).chain(group).collect()
    };
    let seen = |corners: &[u16; 3]| {
        let [a, b, c] = corners.map(place);
        a != b && b != c && c != a
    };
    let triangles = geoset.faces.as_chunks::<3>().0;
    let kept: Vec<[u16; 3]> = triangles.iter().filter(|corners| seen(corners)).copied().collect();
    let count = triangles.len() - kept.len();
    if count > 0 {
        geoset.faces = kept.concat();
        geoset.face_types = vec![4];
        geoset.face_counts = vec![geoset.faces.len() as u32];
    }
    count
}
