//! Models of Warcraft III and WoW alpha.

use std::collections::{HashMap, HashSet};

use galatea_wire::{Loss, escape};

use crate::combine::graft::in_version;
use crate::combine::warcraft::{Taken, Taking, take};
use crate::combine::{CombineError, Combined};
use crate::mdlx::{Model, NodeKind};

/// How far apart pivots of the same bone may be before it is worth a note, in units.
const APART: f32 = 0.5;

/// Bones and helpers only differ in whether vertices may name them.
fn kind_of(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Bone | NodeKind::Helper => "bones",
        kind => kind.list_name(),
    }
}

pub(super) fn merge(from: &Model, to: &mut Model, out: &mut Combined) -> Result<(), CombineError> {
    let from = in_version(from, to, out)?;
    let mut free: HashMap<(&str, Vec<u8>), Vec<u32>> = HashMap::new();
    for (kind, _, node) in to.nodes() {
        free.entry((kind_of(kind), node.name.bytes().to_ascii_lowercase())).or_default().push(node.object_id);
    }
    free.values_mut().for_each(|ids| ids.reverse());
    let mut shared: HashMap<u32, u32> = HashMap::new();
    let mut nodes: HashSet<u32> = HashSet::new();
    let mut apart: Vec<String> = Vec::new();
    let mut helpers: Vec<u32> = Vec::new();
    for (kind, _, node) in from.nodes() {
        let found = free.get_mut(&(kind_of(kind), node.name.bytes().to_ascii_lowercase())).and_then(Vec::pop);
        let Some(there) = found else {
            nodes.insert(node.object_id);
            continue;
        };
        shared.insert(node.object_id, there);
        if kind == NodeKind::Bone {
            helpers.push(there);
        }
        let pivot = |model: &Model, id: u32| {
            glam::Vec3::from(model.pivots.get(id as usize).copied().unwrap_or_default())
        };
        if (pivot(&from, node.object_id) - pivot(to, there)).length() > APART {
            apart.push(escape(&node.name.lossy()));
        }
    }
    if !apart.is_empty() {
        let shown = apart.get(..apart.len().min(5)).unwrap_or(&[]).join(", ");
        out.notes.push(format!(
            "{} bones are elsewhere in the first model, where they turn the new part: {shown}",
            apart.len()
        ));
    }
    let cameras: Vec<_> = from
        .cameras
        .iter()
        .filter(|camera| !to.cameras.iter().any(|c| c.name.bytes().eq_ignore_ascii_case(camera.name.bytes())))
        .collect();
    for camera in &cameras {
        out.losses.push(
            Loss::new(format!("camera \"{}\"", escape(&camera.name.lossy())), "the camera")
                .because("cameras stay those of the first model"),
        );
    }
    let known = |name: &[u8]| to.sequences.iter().any(|s| s.name.bytes().eq_ignore_ascii_case(name));
    for sequence in from.sequences.iter().filter(|s| !known(s.name.bytes())) {
        let why = "the first model has no clip of this name; `galatea transfer` puts clips on it";
        out.losses
            .push(Loss::new(format!("clip \"{}\"", escape(&sequence.name.lossy())), "the clip").because(why));
    }
    let geosets: Vec<_> = from.geosets.iter().cloned().enumerate().collect();
    let before = (to.node_count(), to.geosets.len(), to.materials.len(), to.textures.len());
    // Vertices name bones, not helpers.
    become_bones(to, &helpers);
    let taking = Taking { from: &from, nodes, shared, parent: None, moved: [0.0; 3], geosets };
    let mut taken = Taken::default();
    take(to, &taking, &mut taken)?;
    out.notes.append(&mut taken.notes);
    out.losses.append(&mut taken.losses);
    out.done.push(format!(
        "{} shared nodes, {} new nodes, {} geosets, {} new materials, {} new textures",
        taking.shared.len(),
        to.node_count() - before.0,
        to.geosets.len() - before.1,
        to.materials.len() - before.2,
        to.textures.len() - before.3
    ));
    Ok(())
}

/// Turns helpers into bones.
fn become_bones(model: &mut Model, ids: &[u32]) {
    let bit = |kind: NodeKind| if model.version.is_wow() { kind.wow_bit() } else { kind.warcraft_bit() };
    let (bone, helper) = (bit(NodeKind::Bone), bit(NodeKind::Helper));
    let (new, kept): (Vec<_>, Vec<_>) =
        std::mem::take(&mut model.helpers).into_iter().partition(|h| ids.contains(&h.node.object_id));
    model.helpers = kept;
    for mut old in new {
        old.node.flags = old.node.flags & !helper | bone;
        model.bones.push(crate::mdlx::Bone { node: old.node, ..Default::default() });
    }
}
