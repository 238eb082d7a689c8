//! Mends what the rules find, where that needs no guessing.

use galatea_wire::{Fixed, Rule};

use super::check::finite;
use super::derive::{self, vector};
use super::layout::Slot;
use super::mesh::{IndexLists, Mesh, PositionCopy, Skin};
use super::node::Node;
use super::rules::*;
use super::{AabbLayout, Model};

/// Rules, what is done about them, and how.
type Step<'a> = (&'a [&'static Rule], &'static str, &'a dyn Fn(&mut Model));

pub(crate) fn fix(model: &mut Model, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
    fn meshes(model: &mut Model) -> impl Iterator<Item = &mut Mesh> {
        model.nodes.iter_mut().filter_map(|n| n.mesh.as_deref_mut())
    }
    fn all(model: &mut Model) -> impl Iterator<Item = &mut Node> {
        model.nodes.iter_mut().chain(model.animations.iter_mut().flat_map(|a| &mut a.nodes))
    }
    let steps: &[Step<'_>] = &[
        (&[&NODE_COUNT], "nodes counted", &|m| m.node_count = m.nodes.len() as u32),
        (&[&HEAD], "the root is the animation root", &|m| {
            if let Some(headers) = &mut m.layout.headers {
                headers.head_is_sound = true;
            }
        }),
        (&[&ORIENTATION], "orientations made length 1", &|m| {
            for node in all(m).filter(|n| finite(&n.orientation)) {
                let unit = vector::qnormalize(vector::q(node.orientation));
                node.orientation = unit.map(|c| c as f32);
            }
        }),
        (&[&TEXTURE_COUNT], "textures counted", &|m| {
            for mesh in meshes(m).filter(|m| m.saber.is_none() && !m.vertices.positions.is_empty()) {
                mesh.texture_count = mesh.vertices.uvs.iter().filter(|u| !u.is_empty()).count() as u16;
            }
        }),
        (&[&FACE_NORMAL, &PLANE_DISTANCE], "face planes derived", &|m| {
            for mesh in meshes(m).filter(|m| m.saber.is_none()) {
                mesh.derive_planes();
            }
        }),
        (&[&ADJACENCY], "neighbours derived", &|m| {
            for mesh in meshes(m) {
                let derived = derive::adjacency(&mesh.vertices.positions, &mesh.faces);
                let count = mesh.faces.len();
                for (face, derived) in mesh.faces.iter_mut().zip(derived) {
                    if face.adjacent.iter().any(|n| *n != u16::MAX && usize::from(*n) >= count) {
                        face.adjacent = derived;
                    }
                }
            }
        }),
        (&[&INDEX_LIST, &INDEX_FACES], "index lists made from the faces", &|m| {
            for mesh in meshes(m).filter(|m| m.saber.is_none() && !m.faces.is_empty()) {
                mesh.indices = IndexLists::Faces;
                mesh.layout.more_counts.clear();
                mesh.layout.more_offsets.clear();
            }
        }),
        (&[&POSITION_COPY], "positions of the MDX taken", &|m| {
            for mesh in meshes(m) {
                let copies = std::iter::once(&mut mesh.mdl_positions)
                    .chain(mesh.dangly.as_deref_mut().map(|d| &mut d.positions));
                for copy in copies.filter(|c| matches!(c, PositionCopy::Own(_))) {
                    *copy = PositionCopy::Same;
                }
            }
        }),
        (&[&BOUNDS, &RADIUS, &AREA], "box, radius and area derived", &|m| {
            for mesh in meshes(m).filter(|m| m.saber.is_none() && !m.vertices.positions.is_empty()) {
                mesh.derive_bounds();
            }
        }),
        (&[&ROW_COLUMNS], "rows laid out again", &|m| {
            for mesh in meshes(m).filter(|m| m.layout.rows.known && m.layout.rows.promises_too_much()) {
                mesh.layout.rows.known = false;
            }
        }),
        (&[&WEIGHT_SUM], "weights scaled", &|m| {
            for weights in meshes(m).flat_map(|m| &mut m.vertices.weights) {
                let sum: f32 = weights.iter().sum();
                if sum > 0.0 && sum.is_finite() && (sum - 1.0).abs() > 1e-2 {
                    weights.iter_mut().for_each(|w| *w /= sum);
                }
            }
        }),
        (&[&BONE_TABLE], "bone tables derived", &|m| {
            meshes(m).filter_map(|m| m.skin.as_deref_mut()).for_each(Skin::derive_bone_nodes);
        }),
        (&[&BIND_COUNT], "bind data derived", &Model::derive_skins),
        (&[&AABB_ABSENT, &AABB_LEAVES, &AABB_BOX], "box trees built", &|m| {
            for mesh in meshes(m).filter(|m| m.aabb.is_some()) {
                mesh.derive_aabb();
            }
        }),
        (&[&AABB_NONE], "missing children marked with 0", &|m| {
            for tree in meshes(m).filter_map(|m| m.aabb.as_deref_mut()) {
                match &mut tree.layout {
                    AabbLayout::Packed { none, .. } => *none = 0,
                    AabbLayout::Scattered { none, .. } => none.fill([0; 2]),
                }
            }
        }),
        (&[&DATA_UNUSED], "unused numbers dropped", &|m| {
            for node in all(m) {
                let used: usize = node.controllers.tracks().map(|t| t.times.len() + t.values.len()).sum();
                if used < node.controllers.data().len() {
                    // Fails only for controllers that were whole before, so never.
                    let _ = node.controllers.compact();
                }
            }
        }),
        (&[&STALE_PARENT], "offsets set", &|m| {
            for node in all(m) {
                if let Some(odd) = &mut node.layout.odd {
                    (odd.stale_parent, odd.stale_owner) = (None, None);
                }
            }
        }),
        (&[&COUNTS], "counts doubled", &|m| {
            let even = |slot: &mut Slot| slot.capacity = slot.count;
            [&mut m.layout.name_offsets, &mut m.layout.animation_offsets].into_iter().for_each(even);
            m.animations.iter_mut().for_each(|a| even(&mut a.layout.events));
            for node in all(m) {
                let l = &mut node.layout;
                if let Some(odd) = &mut l.odd {
                    odd.capacities = [l.children.count, l.controllers.count, l.data.count];
                }
                if let Some(mesh) = node.mesh.as_deref_mut() {
                    let l = &mut mesh.layout;
                    let slots =
                        [&mut l.faces, &mut l.index_counts, &mut l.index_offsets, &mut l.inverted_counters];
                    slots.into_iter().for_each(even);
                }
            }
        }),
        (&[&POINTERS], "program addresses set", &|m| {
            meshes(m).for_each(|mesh| mesh.layout.pointers = None);
        }),
        (&[&SIZE], "sizes set", &|m| {
            let (mdl, mdx) = (m.layout.mdl_len.saturating_sub(12), m.layout.mdx.len);
            if let Some(headers) = &mut m.layout.headers {
                (headers.file.mdl_size, headers.file.mdx_size, headers.names.mdx_size) = (mdl, mdx, mdx);
            }
        }),
        (&[&TRAILING], "trailing data dropped", &|m| {
            let len = m.layout.mdl_len as usize;
            m.layout.gaps.retain(|g| g.offset as usize + g.bytes.len() != len);
        }),
        (&[&GAP], "leftovers dropped", &|m| {
            let len = m.layout.mdl_len as usize;
            m.layout.gaps.retain(|g| g.offset as usize + g.bytes.len() == len);
        }),
        (&[&OVERLAP], "parts laid out anew", &Model::forget_layout),
    ];
    let mut done = Vec::new();
    let mut report = model.check();
    for (rules, words, mend) in steps {
        let broken: Vec<&'static Rule> =
            rules.iter().copied().filter(|r| wanted(r) && report.count(r.code) > 0).collect();
        if !broken.is_empty() {
            mend(model);
            done.extend(broken.into_iter().map(|rule| Fixed { rule, message: (*words).to_owned() }));
            report = model.check();
        }
    }
    done
}
