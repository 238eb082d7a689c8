//! Parts of models of KotOR.

use std::collections::{HashMap, HashSet};

use super::GraftOptions;
use crate::combine::kotor::{Taking, below, bones, by_name, find, take};
use crate::combine::{CombineError, Combined};
use crate::kotor::mdl::{Model, NodeId};

/// Returns a model for the game and platform of another one.
pub(in crate::combine) fn in_game(from: &Model, to: &Model, out: &mut Combined) -> Model {
    let mut model = from.clone();
    let losses = model.convert(to.game, to.platform);
    // Numbers of nodes are given anew.
    out.losses.extend(losses.into_iter().filter(|loss| !loss.what.starts_with("node count and numbers")));
    model
}

pub(super) fn graft(
    from: &Model,
    to: &mut Model,
    options: &GraftOptions,
    out: &mut Combined,
) -> Result<(), CombineError> {
    let at = find(to, &options.at).map_err(|e| e.of(1))?;
    let from = in_game(from, to, out);
    let top = options.node.as_deref().map(|name| find(&from, name)).transpose().map_err(|e| e.of(0))?;
    let nodes = below(&from, top.unwrap_or(0));
    let same = from.nodes.len() == to.nodes.len() && from.differences(to).is_empty();
    if let (true, Some(top)) = (same, top)
        && below(to, top).contains(&at)
    {
        let name = options.node.clone().unwrap_or_default();
        return Err(CombineError::Cycle { name });
    }
    let theirs = by_name(to);
    let own: HashSet<NodeId> = nodes.iter().copied().collect();
    let mut beside: HashMap<NodeId, NodeId> = HashMap::new();
    let mut guessed = 0;
    for mesh in nodes.iter().filter_map(|id| from.node(*id)?.mesh.as_deref()) {
        for (bone, _) in bones(mesh).filter(|(bone, _)| !own.contains(bone)) {
            let name = from.node(bone).map(|node| from.name_of(node).to_ascii_lowercase());
            let found = name.and_then(|name| theirs.get(&name)).copied();
            guessed += usize::from(found.is_none() && !beside.contains_key(&bone));
            beside.insert(bone, found.unwrap_or(at));
        }
    }
    if guessed > 0 {
        out.notes.push(format!(
            "{guessed} bones beside the part have no counterpart: \"{}\" stands for them",
            options.at
        ));
    }
    let meshes = nodes.iter().filter(|id| from.node(**id).is_some_and(|node| node.mesh.is_some())).count();
    let textures: HashSet<Vec<u8>> = nodes
        .iter()
        .filter_map(|id| Some(from.node(*id)?.mesh.as_deref()?.texture.bytes().to_ascii_lowercase()))
        .collect();
    out.done.push(format!("{} nodes, {meshes} meshes, {} textures by name", nodes.len(), textures.len()));
    let taking = Taking {
        from: &from,
        nodes,
        parents: HashMap::new(),
        bones: beside,
        parent: at,
        keep_place: options.keep_place,
        offset: options.offset,
    };
    take(to, &taking, out)
}
