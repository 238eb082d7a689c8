//! Vertices that no face uses, vertices that are equal, and faces that are never seen.

use std::collections::HashMap;

use crate::kotor::mdl::{IndexLists, Mesh, PositionCopy};

/// Returns `true` if nothing but the faces and the index lists knows the order of the vertices.
fn is_plain(mesh: &Mesh) -> bool {
    let v = &mesh.vertices;
    let count = v.positions.len();
    let whole = |len: usize| len == 0 || len == count;
    let faces = mesh.faces.len() * 3;
    mesh.saber.is_none()
        && mesh.anim.is_none()
        // The walkmesh beside the model has the same faces.
        && mesh.aabb.is_none()
        && whole(v.normals.len())
        && whole(v.colors.len())
        && v.uvs.iter().all(|set| whole(set.len()))
        && v.tangents.iter().all(|set| whole(set.len()))
        && whole(v.weights.len())
        && whole(v.bones.len())
        && matches!(&mesh.mdl_positions, PositionCopy::Own(own) if whole(own.len())) | !matches!(&mesh.mdl_positions, PositionCopy::Own(_))
        && mesh.dangly.as_ref().is_none_or(|dangly| {
            let own = match &dangly.positions {
                PositionCopy::Own(own) => own.len(),
                _ => 0,
            };
            whole(dangly.constraints.len()) && whole(own)
        })
        && match &mesh.indices {
            IndexLists::Faces => true,
            IndexLists::Own(lists) => lists.iter().all(|list| list.len() == faces),
        }
        && mesh.faces.iter().flat_map(|face| face.vertices).all(|corner| usize::from(corner) < count)
}

/// Returns everything that makes a vertex what it is, as bits.
pub(super) fn bits_of(mesh: &Mesh, index: usize) -> Vec<u32> {
    let v = &mesh.vertices;
    let mut out = Vec::with_capacity(24);
    let mut add =
        |values: Option<&[f32]>| out.extend(values.into_iter().flatten().map(|value| value.to_bits()));
    add(v.positions.get(index).map(|v| &v[..]));
    add(v.normals.get(index).map(|v| &v[..]));
    add(v.colors.get(index).map(|v| &v[..]));
    v.uvs.iter().for_each(|set| add(set.get(index).map(|v| &v[..])));
    for set in &v.tangents {
        add(set.get(index).map(|space| space.as_flattened()));
    }
    add(v.weights.get(index).map(|v| &v[..]));
    add(v.bones.get(index).map(|v| &v[..]));
    if let PositionCopy::Own(own) = &mesh.mdl_positions {
        add(own.get(index).map(|v| &v[..]));
    }
    if let Some(dangly) = mesh.dangly.as_deref() {
        add(dangly.constraints.get(index).map(std::slice::from_ref));
        if let PositionCopy::Own(own) = &dangly.positions {
            add(own.get(index).map(|v| &v[..]));
        }
    }
    out
}

/// Removes vertices that no face uses, and all but the first of those that are equal; returns how many.
pub(super) fn unused_and_equal(mesh: &mut Mesh) -> usize {
    let count = mesh.vertices.positions.len();
    if !is_plain(mesh) {
        return 0;
    }
    let mut used = vec![false; count];
    for corner in mesh.faces.iter().flat_map(|face| face.vertices) {
        used.get_mut(usize::from(corner)).into_iter().for_each(|used| *used = true);
    }
    let mut first: HashMap<Vec<u32>, u16> = HashMap::with_capacity(count);
    let mut kept: Vec<usize> = Vec::with_capacity(count);
    let mut places: Vec<u16> = Vec::with_capacity(count);
    for (index, used) in used.iter().enumerate() {
        if !used {
            places.push(0);
            continue;
        }
        let next = kept.len() as u16;
        let place = *first.entry(bits_of(mesh, index)).or_insert(next);
        if place == next {
            kept.push(index);
        }
        places.push(place);
    }
    if kept.len() == count {
        return 0;
    }
    pick_all(mesh, &kept);
    let moved = |corner: &mut u16| *corner = places.get(usize::from(*corner)).copied().unwrap_or(*corner);
    mesh.faces.iter_mut().flat_map(|face| &mut face.vertices).for_each(moved);
    if let IndexLists::Own(lists) = &mut mesh.indices {
        lists.iter_mut().flatten().for_each(moved);
    }
    count - kept.len()
}

fn pick_all(mesh: &mut Mesh, kept: &[usize]) {
    fn pick<T: Copy>(list: &mut Vec<T>, kept: &[usize]) {
        if !list.is_empty() {
            *list = kept.iter().filter_map(|index| list.get(*index).copied()).collect();
        }
    }
    fn pick_copy(copy: &mut PositionCopy, kept: &[usize]) {
        if let PositionCopy::Own(own) = copy {
            pick(own, kept);
        }
    }
    let v = &mut mesh.vertices;
    pick(&mut v.positions, kept);
    pick(&mut v.normals, kept);
    pick(&mut v.colors, kept);
    v.uvs.iter_mut().for_each(|set| pick(set, kept));
    v.tangents.iter_mut().for_each(|set| pick(set, kept));
    pick(&mut v.weights, kept);
    pick(&mut v.bones, kept);
    pick_copy(&mut mesh.mdl_positions, kept);
    if let Some(dangly) = mesh.dangly.as_deref_mut() {
        pick(&mut dangly.constraints, kept);
        pick_copy(&mut dangly.positions, kept);
    }
}

/// Removes faces of which two corners are in the same place in every pose; returns how many.
pub(super) fn degenerate(mesh: &mut Mesh) -> usize {
    // Cloth swings corner by corner.
    if !is_plain(mesh) || mesh.dangly.is_some() {
        return 0;
    }
    let place = |corner: u16| -> Vec<u32> {
        let index = usize::from(corner);
        let v = &mesh.vertices;
        let rows = v.weights.get(index).into_iter().chain(v.bones.get(index)).flatten();
        v.positions.get(index).into_iter().flatten().chain(rows).map(|value| value.to_bits()).collect()
    };
    let seen: Vec<bool> = mesh
        .faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.vertices.map(place);
            a != b && b != c && c != a
        })
        .collect();
    let gone = seen.iter().filter(|seen| !**seen).count();
    if gone == 0 {
        return 0;
    }
    let mut next = 0u16;
    let places: Vec<u16> = seen
        .iter()
        .map(|seen| {
            next += u16::from(*seen);
            if *seen { next - 1 } else { u16::MAX }
        })
        .collect();
    let mut flags = seen.iter();
    mesh.faces.retain(|_| *flags.next().unwrap_or(&true));
    for neighbour in mesh.faces.iter_mut().flat_map(|face| &mut face.adjacent) {
        *neighbour = places.get(usize::from(*neighbour)).copied().unwrap_or(*neighbour);
    }
    if let IndexLists::Own(lists) = &mut mesh.indices {
        for list in lists {
            let kept = list.as_chunks::<3>().0.iter().zip(&seen).filter(|(_, seen)| **seen);
            *list = kept.flat_map(|(corners, _)| *corners).collect();
        }
    }
    gone
}
