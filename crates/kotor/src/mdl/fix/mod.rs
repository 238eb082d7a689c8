//! Fixes of models: single values that the rest of the file determines.

mod mesh;
mod skin;
mod tree;

use galatea_wire::{Fix, Fixed, Rule, run_fixes};

use crate::mdl::check::finite;
use crate::mdl::derive::vector;
use crate::mdl::layout::{NodeLayout, Slot};
use crate::mdl::mesh::Mesh;
use crate::mdl::node::Node;
use crate::mdl::rules::*;
use crate::mdl::{Interpolation, Model, pointers};
use mesh::{
    areas, bounds, face_distances, face_normals, index_lists, neighbors, position_copies, radii,
    texture_counts,
};
use skin::{binds, bone_tables, weights};
use tree::{boxes, build, faces_of_leaves, missing_children};

/// Fixes the findings of the wanted rules.
pub(crate) fn fix(model: &mut Model, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
    if model.layout.overlaps || model.layout.mdx.overlaps {
        // It is unknown which of the overlapping parts is correct.
        return Vec::new();
    }
    let fixes = [
        Fix { rules: &[&TRAILING], done: "blocks of trailing data removed", run: &trailing },
        Fix { rules: &[&SIZE], done: "sizes set", run: &sizes },
        Fix { rules: &[&NODE_COUNT], done: "node counts set", run: &node_count },
        Fix { rules: &[&HEAD], done: "animation roots set to the root", run: &head },
        Fix { rules: &[&STALE_PARENT], done: "offsets set", run: &stale_parents },
        Fix { rules: &[&COUNTS], done: "second counts set to the first", run: &counts },
        Fix { rules: &[&POINTERS], done: "function pointers set", run: &addresses },
        Fix { rules: &[&ORIENTATION], done: "orientations normalized", run: &orientations },
        Fix { rules: &[&POSITION_COPY], done: "positions copied", run: &position_copies },
        Fix { rules: &[&INDEX_LIST, &INDEX_FACES], done: "indices derived", run: &index_lists },
        Fix { rules: &[&TEXTURE_COUNT], done: "texture counts set", run: &texture_counts },
        Fix { rules: &[&FACE_NORMAL, &PLANE_DISTANCE], done: "face normals derived", run: &face_normals },
        Fix { rules: &[&PLANE_DISTANCE], done: "plane distances derived", run: &face_distances },
        Fix { rules: &[&ADJACENCY], done: "neighbours derived", run: &neighbors },
        Fix { rules: &[&BOUNDS], done: "boxes of meshes derived", run: &bounds },
        Fix { rules: &[&RADIUS], done: "radii or mean points derived", run: &radii },
        Fix { rules: &[&AREA], done: "areas derived", run: &areas },
        Fix { rules: &[&WEIGHT_SUM], done: "weights of vertices corrected", run: &weights },
        Fix { rules: &[&BONE_TABLE], done: "bone nodes derived", run: &bone_tables },
        Fix { rules: &[&BIND_COUNT], done: "bind poses derived", run: &binds },
        Fix { rules: &[&AABB_ABSENT], done: "box trees built", run: &build },
        Fix { rules: &[&AABB_LEAVES], done: "faces assigned to leaves", run: &faces_of_leaves },
        Fix { rules: &[&AABB_BOX], done: "boxes of trees derived", run: &boxes },
        Fix { rules: &[&AABB_NONE], done: "missing children marked with 0", run: &missing_children },
    ];
    run_fixes(model, &fixes, &Model::check, wanted)
}

/// Returns the meshes of a model.
fn meshes(model: &mut Model) -> impl Iterator<Item = &mut Mesh> {
    model.nodes.iter_mut().filter_map(|n| n.mesh.as_deref_mut())
}

/// Returns the nodes of a model and of its animations.
fn all(model: &mut Model) -> impl Iterator<Item = &mut Node> {
    model.nodes.iter_mut().chain(model.animations.iter_mut().flat_map(|a| &mut a.nodes))
}

/// Returns whether the file has no unused bytes. Otherwise a count or an offset may be wrong, and data may be missing.
fn is_covered(model: &Model) -> bool {
    model.layout.gaps.is_empty()
}

fn node_count(model: &mut Model) -> usize {
    if !is_covered(model) {
        return 0;
    }
    model.node_count = model.nodes.len() as u32;
    1
}

fn head(model: &mut Model) -> usize {
    model.layout.headers.as_mut().map_or(0, |headers| {
        headers.head_is_sound = true;
        1
    })
}

/// Sets the orientation of the controller if most of its values agree; otherwise normalizes the stored one.
fn orientations(model: &mut Model) -> usize {
    let mut count = 0;
    for node in all(model).filter(|n| finite(&n.orientation)) {
        let length: f32 = node.orientation.iter().map(|c| c * c).sum::<f32>().sqrt();
        if (length - 1.0).abs() <= 1e-3 {
            continue;
        }
        let key = node
            .controllers
            .get(20)
            .filter(|t| t.times.len() == 1 && t.interpolation != Interpolation::Packed);
        let stored = key.and_then(|t| t.values.first_chunk::<4>().copied()).map(|[x, y, z, w]| [w, x, y, z]);
        let unit = vector::qnormalize(vector::q(node.orientation)).map(|c| c as f32);
        let same = |q: &[f32; 4]| q.iter().zip(node.orientation).filter(|(a, b)| **a == *b).count() >= 3;
        let right = stored.filter(same).unwrap_or(unit);
        let length = right.iter().map(|c| c * c).sum::<f32>().sqrt();
        if node.orientation != [0.0; 4] && (length - 1.0).abs() <= 1e-3 {
            node.orientation = right;
            count += 1;
        }
    }
    count
}

fn stale_parents(model: &mut Model) -> usize {
    let mut count = 0;
    for odd in all(model).filter_map(|n| n.layout.odd.as_deref_mut()) {
        if odd.stale_parent.is_some() || odd.stale_owner.is_some() {
            (odd.stale_parent, odd.stale_owner) = (None, None);
            count += 1;
        }
    }
    count
}

/// Sets second counts to the first, unless the file has unused bytes: then the first may be wrong.
fn counts(model: &mut Model) -> usize {
    if !is_covered(model) {
        return 0;
    }
    fn even(slot: &mut Slot) -> usize {
        let wrong = slot.known && slot.count != slot.capacity;
        slot.capacity = slot.count;
        usize::from(wrong)
    }
    fn even_node(layout: &mut NodeLayout) -> usize {
        let now = [layout.children.count, layout.controllers.count, layout.data.count];
        let odd = layout.odd.as_deref_mut().filter(|odd| odd.capacities != now);
        odd.map_or(0, |odd| {
            odd.capacities = now;
            1
        })
    }
    let layout = &mut model.layout;
    let mut count = even(&mut layout.name_offsets) + even(&mut layout.animation_offsets);
    count += model.animations.iter_mut().map(|a| even(&mut a.layout.events)).sum::<usize>();
    for node in all(model) {
        count += even_node(&mut node.layout);
        if let Some(mesh) = node.mesh.as_deref_mut() {
            let l = &mut mesh.layout;
            let slots = [&mut l.faces, &mut l.index_counts, &mut l.index_offsets, &mut l.inverted_counters];
            count += slots.into_iter().map(even).sum::<usize>();
        }
    }
    count
}

/// Sets function pointers if one of the two is correct or most meshes have the correct ones; otherwise the game is
/// uncertain.
fn addresses(model: &mut Model) -> usize {
    let (game, platform) = (model.game, model.platform);
    let total = meshes(model).count();
    let odd = meshes(model).filter(|m| m.layout.pointers.is_some()).count();
    let mut count = 0;
    for mesh in meshes(model) {
        let used = crate::mdl::PointerUse::of_mesh(mesh.skin.is_some(), mesh.dangly.is_some());
        let usual = pointers(game, platform, used);
        let half = |found: &[u32; 2]| found.iter().zip(usual).any(|(a, b)| *a == b);
        if mesh.layout.pointers.as_ref().is_some_and(|found| half(found) || odd * 2 < total) {
            mesh.layout.pointers = None;
            count += 1;
        }
    }
    count
}

/// Removes data after the end of the file according to the header.
fn trailing(model: &mut Model) -> usize {
    let layout = &mut model.layout;
    let Some(end) = layout.headers.as_ref().and_then(|h| h.file.mdl_size.checked_add(12)) else { return 0 };
    let len = layout.mdl_len as usize;
    let Some(at) = layout.gaps.iter().position(|g| g.offset == end && end as usize + g.bytes.len() == len)
    else {
        return 0;
    };
    layout.gaps.remove(at);
    layout.mdl_len = end;
    1
}

/// Sets wrong sizes. If both sizes of the MDX agree, it may belong to another model; and data beyond the size of the
/// MDL may be trailing data.
fn sizes(model: &mut Model) -> usize {
    let covered = is_covered(model);
    let (len, mdx, missing) =
        (model.layout.mdl_len.saturating_sub(12), model.layout.mdx.len, model.layout.mdx.missing);
    let Some(headers) = &mut model.layout.headers else { return 0 };
    let mut count = 0;
    if headers.file.mdl_size != len && covered {
        headers.file.mdl_size = len;
        count += 1;
    }
    let sizes = [&mut headers.file.mdx_size, &mut headers.names.mdx_size];
    if !missing && sizes.iter().any(|s| **s == mdx) {
        for size in sizes.into_iter().filter(|s| **s != mdx) {
            *size = mdx;
            count += 1;
        }
    }
    count
}
