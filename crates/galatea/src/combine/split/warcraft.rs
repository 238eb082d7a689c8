//! Models of Warcraft III and WoW alpha.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{SplitBy, SplitOptions};
use crate::combine::graft::{below, find};
use crate::combine::warcraft::{Taken, Taking, cut, take};
use crate::combine::{CombineError, Combined};
use crate::mdlx::{Geoset, Layout, Model, NodeKind};

/// The geosets of a piece, with the numbers that they have in the model.
type Geosets = Vec<(usize, Geoset)>;

pub(super) fn split(
    model: &Model,
    options: &SplitOptions,
    out: &mut Combined,
) -> Result<Vec<(String, Model)>, CombineError> {
    let groups: Vec<(String, Geosets)> = match options.by {
        SplitBy::Mesh => by_mesh(model),
        SplitBy::Material => by_material(model),
        SplitBy::Bone => by_bone(model, &options.bones)?,
    };
    let plain: HashSet<u32> = model
        .nodes()
        .filter(|(kind, ..)| matches!(kind, NodeKind::Bone | NodeKind::Helper))
        .map(|(_, _, node)| node.object_id)
        .collect();
    let mut left: HashSet<u32> =
        model.nodes().map(|(_, _, node)| node.object_id).filter(|id| !plain.contains(id)).collect();
    let mut pieces = Vec::new();
    for (name, geosets) in groups {
        let used =
            geosets.iter().flat_map(|(_, geoset)| cut::weights(geoset)).flatten().map(|(bone, _)| bone);
        let mut nodes = with_ancestors(model, used);
        nodes.extend(plain.iter().filter(|_| options.skeleton));
        nodes.iter().for_each(|id| {
            left.remove(id);
        });
        pieces.push((name, piece(model, nodes, geosets, false, out)?));
    }
    let more = !model.cameras.is_empty() || model.collision_mesh.is_some();
    if !left.is_empty() || more {
        let mut nodes = with_ancestors(model, left.into_iter());
        nodes.extend(plain.iter().filter(|_| options.skeleton));
        pieces.push(("rest".to_owned(), piece(model, nodes, Vec::new(), true, out)?));
    }
    Ok(pieces)
}

/// Returns these nodes and all above them.
fn with_ancestors(model: &Model, ids: impl Iterator<Item = u32>) -> HashSet<u32> {
    let parents: HashMap<u32, u32> =
        model.nodes().filter_map(|(_, _, n)| Some((n.object_id, u32::try_from(n.parent_id).ok()?))).collect();
    let there: HashSet<u32> = model.nodes().map(|(_, _, node)| node.object_id).collect();
    let mut out = HashSet::new();
    for id in ids {
        let mut at = Some(id).filter(|id| there.contains(id));
        while let Some(id) = at.filter(|id| out.insert(*id)) {
            at = parents.get(&id).copied().filter(|id| there.contains(id));
        }
    }
    out
}

/// Returns a model with some of the nodes and these geosets; the `rest` has the cameras, too.
fn piece(
    model: &Model,
    nodes: HashSet<u32>,
    geosets: Geosets,
    rest: bool,
    out: &mut Combined,
) -> Result<Model, CombineError> {
    let mut piece = Model {
        version: model.version,
        info: model.info.clone(),
        sequences: model.sequences.clone(),
        unknown: if rest { model.unknown.clone() } else { Vec::new() },
        sounds: model.sounds.clone(),
        layout: Layout::default(),
        ..Model::default()
    };
    let taking =
        Taking { from: model, nodes, shared: HashMap::new(), parent: None, moved: [0.0; 3], geosets };
    let mut taken = Taken::default();
    take(&mut piece, &taking, &mut taken)?;
    out.losses.append(&mut taken.losses);
    if rest {
        piece.cameras.clone_from(&model.cameras);
        piece.collision_mesh.clone_from(&model.collision_mesh);
        // Tracks of cameras name global sequences, too: those of the whole model keep their numbers in it.
        let globals = model.cameras.iter().flat_map(|c| c.tracks.iter()).any(|t| t.global_sequence >= 0);
        if globals {
            for track in piece.cameras.iter_mut().flat_map(|camera| camera.tracks.iter_mut()) {
                if let Ok(at) = usize::try_from(track.global_sequence) {
                    let length = model.global_sequences.get(at).copied().unwrap_or(0);
                    track.global_sequence =
                        crate::combine::warcraft::global_of(&mut piece.global_sequences, length);
                }
            }
        }
    }
    if !piece.bind_poses.is_empty() {
        let first = model.node_count();
        let binds = model.bind_poses.get(first..).unwrap_or(&[]).iter().take(piece.cameras.len());
        piece.bind_poses.extend(binds);
    }
    Ok(piece)
}

/// Returns what a geoset is called: as the file of its first texture.
fn name_of(model: &Model, geoset: &Geoset) -> String {
    let layer = model.materials.get(geoset.material_id as usize).and_then(|material| material.layers.first());
    let id = layer.map(|layer| layer.textures.first().map_or(layer.texture_id, |slot| slot.texture_id));
    let texture = id.and_then(|id| model.textures.get(usize::try_from(id).ok()?));
    let path = texture.map(|texture| texture.path.lossy().replace('\\', "/")).unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or("");
    let stem = file.split('.').next().unwrap_or("");
    match (stem, texture.map_or(0, |texture| texture.replaceable_id)) {
        ("", 1) => "team_color".to_owned(),
        ("", 2) => "team_glow".to_owned(),
        ("", _) => "geoset".to_owned(),
        (stem, _) => stem.to_owned(),
    }
}

fn by_mesh(model: &Model) -> Vec<(String, Geosets)> {
    let all = model.geosets.iter().enumerate();
    all.map(|(at, geoset)| (format!("{at}_{}", name_of(model, geoset)), vec![(at, geoset.clone())])).collect()
}

fn by_material(model: &Model) -> Vec<(String, Geosets)> {
    let mut groups: BTreeMap<u32, (String, Geosets)> = BTreeMap::new();
    for (at, geoset) in model.geosets.iter().enumerate() {
        let group = groups.entry(geoset.material_id).or_insert_with(|| (name_of(model, geoset), Vec::new()));
        group.1.push((at, geoset.clone()));
    }
    groups.into_values().collect()
}

fn by_bone(model: &Model, bones: &[String]) -> Result<Vec<(String, Geosets)>, CombineError> {
    let mut parts: Vec<(String, HashSet<u32>)> = Vec::new();
    for name in bones {
        let top = find(model, name).map_err(|e| e.of(0))?;
        parts.push((name.clone(), below(model, top)));
    }
    if bones.is_empty() {
        for (_, _, node) in model.nodes() {
            parts.push((node.name.lossy().into_owned(), HashSet::from([node.object_id])));
        }
    }
    let mut groups: Vec<(String, Geosets)> =
        parts.iter().map(|(name, _)| (name.clone(), Vec::new())).collect();
    groups.push((if bones.is_empty() { "unmoved" } else { "others" }.to_owned(), Vec::new()));
    let last = groups.len() - 1;
    for (at, geoset) in model.geosets.iter().enumerate() {
        let mut own: Vec<Vec<[u16; 3]>> = vec![Vec::new(); groups.len()];
        for (bone, triangles) in cut::by_bone(geoset) {
            // A bone below two of the named ones belongs to the nearer, which has fewer below it.
            let fitting =
                parts.iter().enumerate().filter(|(_, (_, ids))| bone.is_some_and(|bone| ids.contains(&bone)));
            let part = fitting.min_by_key(|(_, (_, ids))| ids.len()).map_or(last, |(part, _)| part);
            own.get_mut(part).into_iter().for_each(|list| list.extend(&triangles));
        }
        for ((_, group), triangles) in
            groups.iter_mut().zip(own).filter(|(_, triangles)| !triangles.is_empty())
        {
            group.push((at, cut::with_triangles(geoset, &triangles)));
        }
    }
    groups.retain(|(_, geosets)| !geosets.is_empty());
    Ok(groups)
}
