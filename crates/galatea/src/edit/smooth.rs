//! Normals that are smooth up to an angle: `--smooth`. Edges that are sharper get a vertex for each side.

use std::collections::HashMap;

use galatea_scene::smooth_corners;

use super::Refusal;
use super::documents::not_for;
use crate::Document;

/// Most vertices of a mesh: indices have 16 bits.
const VERTICES: usize = 65_535;

/// Makes normals again; returns how many meshes have some.
pub(super) fn smooth(document: &mut dyn Document, degrees: f32) -> Result<usize, Refusal> {
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return warcraft(model, degrees);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        return kotor(model, degrees);
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        return fox(model, degrees);
    }
    let _ = (any, degrees, split);
    Err(not_for(document, "meshes of mdl, mdx and fmdl have normals"))
}

/// The vertices of a mesh after sharp edges were split.
struct Split {
    /// For each vertex, the one that it was made from. The first ones are those that were there.
    from: Vec<usize>,
    /// The normal of each; `None` for vertices that no triangle uses.
    normals: Vec<Option<[f32; 3]>>,
    /// The triangles.
    triangles: Vec<[u16; 3]>,
}

/// Splits vertices at edges that are sharper. Vertices keep their numbers; new ones come behind them.
fn split(
    positions: &[[f32; 3]],
    triangles: &[[u16; 3]],
    degrees: f32,
    mesh: usize,
) -> Result<Split, Refusal> {
    let wide: Vec<[u32; 3]> = triangles.iter().map(|corners| corners.map(u32::from)).collect();
    let corners = smooth_corners(positions, &wide, degrees);
    let mut out = Split {
        from: (0..positions.len()).collect(),
        normals: vec![None; positions.len()],
        triangles: Vec::with_capacity(triangles.len()),
    };
    let mut known: HashMap<(u16, [u32; 3]), u16> = HashMap::new();
    for (triangle, normals) in triangles.iter().zip(corners) {
        let mut new = *triangle;
        for (corner, normal) in new.iter_mut().zip(normals) {
            let bits = normal.map(f32::to_bits);
            if let Some(there) = known.get(&(*corner, bits)) {
                *corner = *there;
                continue;
            }
            let old = *corner;
            match out.normals.get_mut(usize::from(old)) {
                Some(free @ None) => *free = Some(normal),
                Some(_) => {
                    *corner = u16::try_from(out.from.len()).unwrap_or(u16::MAX);
                    out.from.push(usize::from(old));
                    out.normals.push(Some(normal));
                }
                None => continue,
            }
            known.insert((old, bits), *corner);
        }
        out.triangles.push(new);
    }
    if out.from.len() > VERTICES {
        return Err(Refusal::Full { what: format!("mesh {mesh}"), count: out.from.len(), room: VERTICES });
    }
    Ok(out)
}

#[cfg(any(feature = "mdlx", feature = "kotor"))]
fn pick<T: Copy>(list: &mut Vec<T>, from: &[usize], count: usize) {
    if list.len() == count {
        *list = from.iter().filter_map(|index| list.get(*index).copied()).collect();
    }
}

#[cfg(feature = "mdlx")]
fn warcraft(model: &mut crate::mdlx::Model, degrees: f32) -> Result<usize, Refusal> {
    let mut splits = Vec::new();
    for (index, geoset) in model.geosets.iter().enumerate() {
        let plain = geoset.face_types.iter().all(|kind| *kind == 4) && geoset.buffer.is_none();
        if !plain || !geoset.bone_indices.is_empty() {
            let why = "geosets have triangles and no vertex buffers there, unlike some of this file";
            return Err(Refusal::NotInFormat { format: crate::FormatId::Mdx, why });
        }
        splits.push(split(&geoset.vertices, &geoset.triangles(), degrees, index)?);
    }
    for (geoset, split) in model.geosets.iter_mut().zip(splits) {
        let count = geoset.vertices.len();
        pick(&mut geoset.vertices, &split.from, count);
        pick(&mut geoset.normals, &split.from, count);
        pick(&mut geoset.vertex_groups, &split.from, count);
        geoset.uvs.iter_mut().for_each(|set| pick(set, &split.from, count));
        geoset.tangents.iter_mut().for_each(|tangents| pick(tangents, &split.from, count));
        geoset.skin.iter_mut().for_each(|skin| pick(skin, &split.from, count));
        geoset.normals.resize(split.from.len(), [0.0, 0.0, 1.0]);
        for (slot, normal) in geoset.normals.iter_mut().zip(split.normals) {
            *slot = normal.unwrap_or(*slot);
        }
        let whole = split.triangles.as_flattened();
        geoset.faces.get_mut(..whole.len()).into_iter().for_each(|faces| faces.copy_from_slice(whole));
    }
    Ok(model.geosets.len())
}

#[cfg(feature = "kotor")]
fn kotor(model: &mut crate::kotor::mdl::Model, degrees: f32) -> Result<usize, Refusal> {
    use crate::kotor::mdl::{IndexLists, PositionCopy};

    let mut count = 0;
    for (index, node) in model.nodes.iter_mut().enumerate() {
        let Some(mesh) = node.mesh.as_deref_mut() else { continue };
        // Walkable meshes and blades are not lit, and sampled vertices have a place each.
        let plain = mesh.saber.is_none() && mesh.aabb.is_none() && mesh.anim.is_none();
        if !plain
            || mesh.vertices.normals.is_empty()
            || mesh.vertices.normals.len() != mesh.vertices.positions.len()
        {
            continue;
        }
        let triangles: Vec<[u16; 3]> = mesh.faces.iter().map(|face| face.vertices).collect();
        let split = split(&mesh.vertices.positions, &triangles, degrees, index)?;
        let vertices = &mut mesh.vertices;
        let before = vertices.positions.len();
        pick(&mut vertices.positions, &split.from, before);
        pick(&mut vertices.normals, &split.from, before);
        pick(&mut vertices.colors, &split.from, before);
        vertices.uvs.iter_mut().for_each(|set| pick(set, &split.from, before));
        vertices.tangents.iter_mut().for_each(|set| pick(set, &split.from, before));
        pick(&mut vertices.weights, &split.from, before);
        pick(&mut vertices.bones, &split.from, before);
        for (slot, normal) in vertices.normals.iter_mut().zip(&split.normals) {
            *slot = normal.unwrap_or(*slot);
        }
        if let PositionCopy::Own(own) = &mut mesh.mdl_positions {
            pick(own, &split.from, before);
        }
        if let Some(dangly) = mesh.dangly.as_deref_mut() {
            pick(&mut dangly.constraints, &split.from, before);
            if let PositionCopy::Own(own) = &mut dangly.positions {
                pick(own, &split.from, before);
            }
        }
        for (face, corners) in mesh.faces.iter_mut().zip(&split.triangles) {
            face.vertices = *corners;
        }
        if let IndexLists::Own(lists) = &mut mesh.indices {
            let whole = split.triangles.as_flattened();
            for list in lists.iter_mut().filter(|list| list.len() == whole.len()) {
                list.copy_from_slice(whole);
            }
        }
        for texture in 0..4 {
            if mesh.vertices.tangents.get(texture).is_some_and(|column| !column.is_empty()) {
                mesh.derive_tangents(texture);
            }
        }
        count += 1;
    }
    Ok(count)
}

#[cfg(feature = "fox")]
fn fox(model: &mut crate::fox::Fmdl, degrees: f32) -> Result<usize, Refusal> {
    use crate::fox::Usage;

    let mut count = 0;
    for (index, mesh) in model.meshes.iter_mut().enumerate() {
        let Some(positions) = mesh.vertices.positions().map(<[_]>::to_vec) else { continue };
        if mesh.vertices.normals().is_none() {
            continue;
        }
        // Levels of detail are in one place: each is smooth in itself, as far as they share no triangles.
        // Front faces are clockwise.
        let around = |[a, b, c]: &[u16; 3]| [*a, *c, *b];
        let triangles: Vec<[u16; 3]> = mesh.indices.as_chunks::<3>().0.iter().map(around).collect();
        let mut split = split(&positions, &triangles, degrees, index)?;
        split.triangles = split.triangles.iter().map(around).collect();
        mesh.vertices = mesh.vertices.pick(&split.from);
        let mut normals = split.normals.into_iter();
        for column in mesh.vertices.columns.iter_mut().filter(|column| column.usage == Usage::Normal) {
            let next = std::cell::RefCell::new(&mut normals);
            column.values.map_halves(|[x, y, z, w]| {
                let [x, y, z] = next.borrow_mut().next().flatten().unwrap_or([x, y, z]);
                [x, y, z, w]
            });
        }
        let whole = split.triangles.as_flattened();
        mesh.indices.get_mut(..whole.len()).into_iter().for_each(|indices| indices.copy_from_slice(whole));
        count += 1;
    }
    if count > 0 {
        model.forget_layout();
    }
    Ok(count)
}
