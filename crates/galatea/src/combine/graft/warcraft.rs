//! Parts of models of Warcraft III and WoW alpha.

use std::collections::{HashMap, HashSet};

use galatea_wire::near;

use super::GraftOptions;
use crate::combine::warcraft::{Taken, Taking, cut, take};
use crate::combine::{CombineError, Combined};
use crate::edit::Refusal;
use crate::mdlx::{ConvertOptions, Model};

/// Returns the object id of the only node with this name.
pub(in crate::combine) fn find(model: &Model, name: &str) -> Result<u32, CombineError> {
    let of = |fits: &dyn Fn(&[u8]) -> bool| -> Vec<u32> {
        model
            .nodes()
            .filter(|(_, _, node)| fits(node.name.bytes()))
            .map(|(_, _, node)| node.object_id)
            .collect()
    };
    let mut found = of(&|other| other.eq_ignore_ascii_case(name.as_bytes()));
    if found.is_empty() {
        // Blizzard's attachments are called `Hand Left Ref `, with a space at the end.
        found = of(&|other| other.trim_ascii().eq_ignore_ascii_case(name.trim().as_bytes()));
    }
    match found[..] {
        [id] => Ok(id),
        [] => {
            let names: Vec<String> =
                model.nodes().map(|(_, _, node)| node.name.lossy().into_owned()).collect();
            let near = near(name, names.iter().map(String::as_str)).map(str::to_owned);
            Err(Refusal::Missing { what: "node", name: name.to_owned(), near }.into())
        }
        _ => Err(Refusal::Ambiguous { what: "node", name: name.to_owned(), count: found.len() }.into()),
    }
}

/// Returns a node and all below it.
pub(in crate::combine) fn below(model: &Model, top: u32) -> HashSet<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for (_, _, node) in model.nodes() {
        if let Ok(parent) = u32::try_from(node.parent_id) {
            children.entry(parent).or_default().push(node.object_id);
        }
    }
    let mut out = HashSet::new();
    let mut todo = vec![top];
    while let Some(id) = todo.pop() {
        if out.insert(id) {
            todo.extend(children.get(&id).into_iter().flatten());
        }
    }
    out
}

/// Returns the nodes of a model with other nodes by name, ignoring case.
pub(in crate::combine) fn by_name(model: &Model) -> HashMap<Vec<u8>, u32> {
    let mut out = HashMap::new();
    for (_, _, node) in model.nodes() {
        out.entry(node.name.bytes().to_ascii_lowercase()).or_insert(node.object_id);
    }
    out
}

/// Returns a model in the version of another one.
pub(in crate::combine) fn in_version(
    from: &Model,
    to: &Model,
    out: &mut Combined,
) -> Result<Model, CombineError> {
    // What a part has of bind poses is not worth a loss.
    let (model, losses) =
        from.convert(to.version, &ConvertOptions::default()).map_err(|e| CombineError::from(e).of(0))?;
    out.losses.extend(losses);
    Ok(model)
}

pub(super) fn graft(
    from: &Model,
    to: &mut Model,
    options: &GraftOptions,
    out: &mut Combined,
) -> Result<(), CombineError> {
    let at = find(to, &options.at).map_err(|e| e.of(1))?;
    let from = in_version(from, to, out)?;
    let top = options.node.as_deref().map(|name| find(&from, name)).transpose().map_err(|e| e.of(0))?;
    let mut nodes: HashSet<u32> = match top {
        Some(top) => below(&from, top),
        None => from.nodes().map(|(_, _, node)| node.object_id).collect(),
    };
    let same = from.node_count() == to.node_count() && from.differences(to).is_empty();
    if same && top.is_some_and(|top| below(to, top).contains(&at)) {
        let name = options.node.clone().unwrap_or_default();
        return Err(CombineError::Cycle { name });
    }
    if top.is_none() {
        // A unit is clicked and hit by its own shapes.
        from.collision_shapes.iter().for_each(|shape| {
            nodes.remove(&shape.node.object_id);
        });
        if !from.collision_shapes.is_empty() {
            out.notes.push(format!("{} collision shapes are left out", from.collision_shapes.len()));
        }
        let cameras = from.cameras.len();
        if cameras > 0 {
            out.notes.push(format!("{cameras} cameras are left out"));
        }
    }
    let geosets = match top {
        Some(_) => cut::moved_by(&from, &nodes),
        None => from.geosets.iter().cloned().enumerate().collect(),
    };
    // Bones beside the part: those of the target by name, otherwise the node that it is put on.
    let theirs = by_name(to);
    let mut shared = HashMap::new();
    let mut borrowed = HashSet::new();
    for (_, geoset) in &geosets {
        for (bone, _) in cut::weights(geoset).into_iter().flatten().filter(|(bone, _)| !nodes.contains(bone))
        {
            let name = from.nodes().find(|(_, _, node)| node.object_id == bone).map(|(_, _, node)| node.name);
            let found = name.and_then(|name| theirs.get(&name.bytes().to_ascii_lowercase()).copied());
            shared.insert(bone, found.unwrap_or(at));
            borrowed.insert(bone);
        }
    }
    if !borrowed.is_empty() {
        out.notes.push(format!(
            "{} bones beside the part move its edge: those of the same names, or \"{}\"",
            borrowed.len(),
            options.at
        ));
    }
    let pivot = |model: &Model, id: u32| model.pivots.get(id as usize).copied().unwrap_or_default();
    let parent = top.and_then(|top| from.nodes().find(|(_, _, node)| node.object_id == top));
    let parent = parent.and_then(|(_, _, node)| u32::try_from(node.parent_id).ok());
    let old = parent.map_or([0.0; 3], |parent| pivot(&from, parent));
    let new = pivot(to, at);
    let by = |a: f32, b: f32, c: f32| if options.keep_place { c } else { a - b + c };
    let ([x, y, z], [u, v, w], [dx, dy, dz]) = (new, old, options.offset);
    let moved = [by(x, u, dx), by(y, v, dy), by(z, w, dz)];
    let mut taken = Taken::default();
    let emitters = nodes.len();
    let taking = Taking { from: &from, nodes, shared, parent: Some(at), moved, geosets };
    let counts = (to.geosets.len(), to.materials.len(), to.textures.len());
    take(to, &taking, &mut taken)?;
    out.notes.append(&mut taken.notes);
    out.losses.append(&mut taken.losses);
    out.done.push(format!(
        "{emitters} nodes, {} geosets, {} new materials, {} new textures",
        to.geosets.len() - counts.0,
        to.materials.len() - counts.1,
        to.textures.len() - counts.2
    ));
    Ok(())
}
