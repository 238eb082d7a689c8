//! Geosets that can be drawn as one, and those without triangles.

use super::Trace;
use super::groups::is_grouped;
use super::vertices::is_plain;
use crate::mdlx::{Bounds, Geoset, GeosetAnim, Model};

/// Maximum number of vertices of a geoset with matrix groups: checkers say that the game draws larger ones wrongly.
const GROUPED: usize = 7_432;
/// Maximum number of vertices: indices have 16 bits.
const VERTICES: usize = 65_535;
/// Maximum number of matrix groups: vertices refer to them by a byte.
const GROUPS: usize = 256;
/// The last filter mode of layers that hide what is behind them: 0 opaque, 1 transparent.
const HIDES: u32 = 1;

/// Joins geosets, and removes those without triangles and geoset animations that do nothing; returns how many.
pub(super) fn join(model: &mut Model, trace: &mut Trace) -> usize {
    let mut count = idle_anims(model) + empty(model, trace);
    while let Some((to, from)) = pair(model) {
        merge(model, to, from);
        let parts = trace.geosets.get(from).cloned().unwrap_or_default();
        trace.geosets.get_mut(to).into_iter().for_each(|of| of.extend(&parts));
        take(model, trace, from, i32::try_from(to).unwrap_or(-1));
        count += 1;
    }
    count
}

/// Removes geoset animations that neither hide nor color anything.
fn idle_anims(model: &mut Model) -> usize {
    let wow = model.version.is_wow();
    let mut count = 0;
    let idle = |anim: &GeosetAnim| {
        !wow && anim.flags & !2 == 0
            && anim.alpha == 1.0
            && (anim.flags & 2 == 0 || anim.color == [1.0; 3])
            && anim.tracks.is_empty()
            && anim.tracks.extra.is_none()
    };
    while let Some(at) = model.geoset_anims.iter().position(idle) {
        take_anim(model, at);
        count += 1;
    }
    count
}

fn take_anim(model: &mut Model, at: usize) {
    model.geoset_anims.remove(at);
    for bone in &mut model.bones {
        if let Ok(id) = usize::try_from(bone.geoset_anim_id) {
            bone.geoset_anim_id = if id == at { -1 } else { bone.geoset_anim_id - i32::from(id > at) };
        }
    }
}

/// Removes geosets without triangles, unless no other is left.
fn empty(model: &mut Model, trace: &mut Trace) -> usize {
    let is_empty =
        |geoset: &Geoset| geoset.faces.is_empty() && geoset.buffer.is_none() && geoset.extra.is_empty();
    if model.geosets.iter().all(is_empty) {
        return 0;
    }
    let mut count = 0;
    while let Some(at) = model.geosets.iter().position(is_empty) {
        take(model, trace, at, -1);
        count += 1;
    }
    count
}

/// Removes a geoset with its animations; what referred to it refers to another one.
fn take(model: &mut Model, trace: &mut Trace, at: usize, instead: i32) {
    model.geosets.remove(at);
    if at < trace.geosets.len() {
        trace.geosets.remove(at);
    }
    while let Some(anim) =
        model.geoset_anims.iter().position(|anim| usize::try_from(anim.geoset_id) == Ok(at))
    {
        // Bones that it hides are hidden by that of the geoset that it became a part of.
        let other = model.geoset_anims.iter().position(|anim| instead >= 0 && anim.geoset_id == instead);
        if let Some(other) = other.and_then(|other| i32::try_from(other).ok()) {
            let hidden = |bone: &&mut crate::mdlx::Bone| usize::try_from(bone.geoset_anim_id) == Ok(anim);
            model.bones.iter_mut().filter(hidden).for_each(|bone| bone.geoset_anim_id = other);
        }
        take_anim(model, anim);
    }
    let moved = |id: &mut i32| {
        if let Ok(index) = usize::try_from(*id) {
            *id = if index == at { instead } else { *id - i32::from(index > at) };
        }
    };
    model.bones.iter_mut().for_each(|bone| moved(&mut bone.geoset_id));
    model.geoset_anims.iter_mut().for_each(|anim| moved(&mut anim.geoset_id));
    for (index, geoset) in model.geosets.iter_mut().enumerate() {
        geoset.buffer.iter_mut().for_each(|buffer| buffer.index = index as u32);
    }
}

/// Returns two geosets that can be one.
fn pair(model: &Model) -> Option<(usize, usize)> {
    let hides: Vec<bool> = model.geosets.iter().map(|geoset| is_opaque(model, geoset)).collect();
    for (to, a) in model.geosets.iter().enumerate() {
        if !is_plain(a) || a.vertices.is_empty() {
            continue;
        }
        for (from, b) in model.geosets.iter().enumerate().skip(to + 1) {
            if is_plain(b) && alike(a, b) && fit(a, b) && same_anims(model, to, from) {
                return Some((to, from));
            }
            // What is blended is drawn in the order of the geosets.
            if hides.get(to) == Some(&false) && hides.get(from) == Some(&false) {
                break;
            }
        }
    }
    None
}

fn is_opaque(model: &Model, geoset: &Geoset) -> bool {
    let material = model.materials.get(geoset.material_id as usize);
    material.is_some_and(|material| material.layers.first().is_some_and(|layer| layer.filter_mode <= HIDES))
}

fn alike(a: &Geoset, b: &Geoset) -> bool {
    a.material_id == b.material_id
        && a.selection_group == b.selection_group
        && a.selection_flags == b.selection_flags
        && a.lod == b.lod
        && a.lod_name.bytes() == b.lod_name.bytes()
        && a.uvs.len() == b.uvs.len()
        && a.normals.is_empty() == b.normals.is_empty()
        && a.sequence_bounds.len() == b.sequence_bounds.len()
        && a.tangents.is_some() == b.tangents.is_some()
        && a.skin.is_some() == b.skin.is_some()
        && a.skin_first == b.skin_first
}

fn fit(a: &Geoset, b: &Geoset) -> bool {
    let vertices = a.vertices.len() + b.vertices.len();
    if a.skin.is_some() {
        return vertices <= VERTICES && a.vertex_groups.is_empty() == b.vertex_groups.is_empty();
    }
    vertices <= GROUPED
        && is_grouped(a)
        && is_grouped(b)
        && a.group_sizes.len() + b.group_sizes.len() <= GROUPS
}

/// Returns `true` if two geosets are hidden and colored in the same way.
fn same_anims(model: &Model, a: usize, b: usize) -> bool {
    let of = |index: usize| -> Vec<GeosetAnim> {
        let own = model.geoset_anims.iter().filter(|anim| usize::try_from(anim.geoset_id) == Ok(index));
        own.map(|anim| GeosetAnim { geoset_id: -1, ..anim.clone() }).collect()
    };
    of(a) == of(b)
}

fn merge(model: &mut Model, to: usize, from: usize) {
    let Some(mut b) = model.geosets.get(from).cloned() else { return };
    let Some(a) = model.geosets.get_mut(to) else { return };
    let vertices = a.vertices.len() as u16;
    let groups = a.group_sizes.len() as u8;
    if a.skin.is_none() {
        b.vertex_groups.iter_mut().for_each(|group| *group += groups);
        a.group_sizes.append(&mut b.group_sizes);
        a.matrices.append(&mut b.matrices);
    } else {
        for bone in b.matrices {
            if !a.matrices.contains(&bone) {
                a.matrices.push(bone);
                a.group_sizes.push(1);
            }
        }
    }
    a.vertices.append(&mut b.vertices);
    a.normals.append(&mut b.normals);
    a.vertex_groups.append(&mut b.vertex_groups);
    if let (Some(a), Some(b)) = (&mut a.tangents, &mut b.tangents) {
        a.append(b);
    }
    if let (Some(a), Some(b)) = (&mut a.skin, &mut b.skin) {
        a.append(b);
    }
    for (a, b) in a.uvs.iter_mut().zip(&mut b.uvs) {
        a.append(b);
    }
    a.faces.extend(b.faces.iter().map(|corner| corner + vertices));
    a.face_types = vec![4];
    a.face_counts = vec![a.faces.len() as u32];
    a.bounds = around(&a.bounds, &b.bounds);
    for (a, b) in a.sequence_bounds.iter_mut().zip(&b.sequence_bounds) {
        *a = around(a, b);
    }
}

/// Returns the extent of two.
fn around(a: &Bounds, b: &Bounds) -> Bounds {
    let mut out = *a;
    for (out, b) in out.min.iter_mut().zip(b.min) {
        *out = out.min(b);
    }
    for (out, b) in out.max.iter_mut().zip(b.max) {
        *out = out.max(b);
    }
    let diagonal = out.min.iter().zip(out.max).map(|(min, max)| (max - min).powi(2)).sum::<f32>().sqrt();
    // 0 stands for a radius that was not computed.
    let known = a.radius > 0.0 || b.radius > 0.0;
    out.radius = if known { a.radius.max(b.radius).max(diagonal / 2.0) } else { 0.0 };
    out
}
