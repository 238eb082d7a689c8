//! Fewer nodes: `--remove-node`.

use super::documents::not_for;
use super::nodes::missing;
use super::{EditOptions, Refusal};
use crate::Document;

/// Removes the node of this name, which nothing may need: no other node, no geoset and no skin.
pub(super) fn remove(
    document: &mut dyn Document,
    name: &str,
    options: &EditOptions<'_>,
) -> Result<usize, Refusal> {
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return warcraft::remove(model, name);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        return kotor::remove(model, name);
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        return fox(model, name, options);
    }
    let _ = (any, name, options);
    Err(not_for(document, "nodes are removed from mdl, mdx and fmdl"))
}

/// Removes a bone.
#[cfg(feature = "fox")]
fn fox(model: &mut crate::fox::Fmdl, name: &str, options: &EditOptions<'_>) -> Result<usize, Refusal> {
    use crate::fox::{Dictionary, Name};

    let empty = Dictionary::new();
    let names = options.names.unwrap_or(&empty);
    let text = |name: &Name| names.text(name).unwrap_or_else(|| format!("{:x}", name.code()));
    let code = Name::parse(name).code();
    let found: Vec<usize> =
        model.bones.iter().enumerate().filter(|(_, bone)| bone.name.code() == code).map(|(i, _)| i).collect();
    let id = match found[..] {
        [id] => id,
        [] => {
            let all: Vec<String> = model.bones.iter().map(|bone| text(&bone.name)).collect();
            return Err(missing("bone", name, all.iter().map(String::as_str)));
        }
        _ => return Err(Refusal::Ambiguous { what: "bone", name: name.to_owned(), count: found.len() }),
    };
    if let Some(child) = model.bones.iter().find(|bone| bone.parent.map(usize::from) == Some(id)) {
        return Err(needed(name, format!("the bone \"{}\"", text(&child.name))));
    }
    if let Some(mesh) = model.meshes.iter().position(|mesh| model.moves(mesh, id)) {
        return Err(needed(name, format!("mesh {mesh}")));
    }
    Ok(model.drop_bones(&[id]))
}

fn needed(name: &str, by: impl Into<String>) -> Refusal {
    Refusal::Needed { name: name.to_owned(), by: by.into() }
}

#[cfg(feature = "mdlx")]
pub(crate) mod warcraft {
    use super::{Refusal, missing, needed};
    use crate::mdlx::{Model, Node};

    pub(in crate::edit) fn remove(model: &mut Model, name: &str) -> Result<usize, Refusal> {
        let fits = |node: &Node| node.name.bytes().eq_ignore_ascii_case(name.as_bytes());
        let found: Vec<u32> =
            model.nodes().filter(|(_, _, n)| fits(n)).map(|(_, _, n)| n.object_id).collect();
        let id = match found[..] {
            [id] => id,
            [] => {
                let names: Vec<String> = model.nodes().map(|(_, _, n)| n.name.lossy().into_owned()).collect();
                return Err(missing("node", name, names.iter().map(String::as_str)));
            }
            _ => return Err(Refusal::Ambiguous { what: "node", name: name.to_owned(), count: found.len() }),
        };
        let child = model.nodes().find(|(_, _, node)| i64::from(node.parent_id) == i64::from(id));
        if let Some((_, _, child)) = child {
            return Err(needed(name, format!("the node \"{}\"", child.name.lossy())));
        }
        for (index, geoset) in model.geosets.iter().enumerate() {
            let skin = geoset.skin.iter().flatten();
            let mut weighted = skin.flat_map(|row| row.bones.iter().zip(row.weights));
            let used = geoset.matrices.contains(&id)
                || geoset
                    .bone_indices
                    .iter()
                    .any(|four| four.to_le_bytes().iter().any(|bone| u32::from(*bone) == id))
                || weighted.any(|(bone, weight)| weight > 0 && u32::from(*bone) == id);
            if used {
                return Err(needed(name, format!("geoset {index}")));
            }
        }
        if model.nodes().filter(|(_, _, node)| node.object_id == id).count() != 1 {
            return Err(Refusal::Numbering);
        }
        take_node(model, id);
        Ok(1)
    }

    /// Removes the node with this number, which nothing may need, and closes the gap.
    pub(crate) fn take_node(model: &mut Model, id: u32) {
        take(model, id);
        renumber(model, id);
    }

    fn take(model: &mut Model, id: u32) {
        macro_rules! without {
            ($($list:ident)*) => { $(model.$list.retain(|object| object.node.object_id != id);)* };
        }
        without!(
            bones lights helpers attachments particle_emitters particle_emitters2 popcorn_emitters ribbon_emitters events
            collision_shapes sound_emitters
        );
    }

    /// Closes the gap that an object id leaves.
    fn renumber(model: &mut Model, gone: u32) {
        for (_, _, node) in model.nodes_mut() {
            node.object_id -= u32::from(node.object_id > gone);
            node.parent_id -= i32::from(i64::from(node.parent_id) > i64::from(gone));
        }
        for geoset in &mut model.geosets {
            geoset.matrices.iter_mut().for_each(|bone| *bone -= u32::from(*bone > gone));
            for bone in geoset.skin.iter_mut().flatten().flat_map(|row| &mut row.bones) {
                *bone -= u8::from(u32::from(*bone) > gone);
            }
            for four in &mut geoset.bone_indices {
                *four = u32::from_le_bytes(
                    four.to_le_bytes().map(|bone| bone - u8::from(u32::from(bone) > gone)),
                );
            }
        }
        let at = gone as usize;
        if at < model.pivots.len() {
            model.pivots.remove(at);
        }
        if at < model.bind_poses.len() {
            model.bind_poses.remove(at);
        }
    }
}

#[cfg(feature = "kotor")]
pub(crate) mod kotor {
    use super::{Refusal, missing, needed};
    use crate::kotor::mdl::{Model, Node, NodeId};

    pub(in crate::edit) fn remove(model: &mut Model, name: &str) -> Result<usize, Refusal> {
        let texts =
            || model.nodes.iter().map(|node| String::from_utf8_lossy(model.name_of(node)).into_owned());
        let found: Vec<usize> = texts()
            .enumerate()
            .filter(|(_, text)| text.eq_ignore_ascii_case(name))
            .map(|(id, _)| id)
            .collect();
        let id = match found[..] {
            [id] => id,
            [] => {
                let names: Vec<String> = texts().collect();
                return Err(missing("node", name, names.iter().map(String::as_str)));
            }
            _ => return Err(Refusal::Ambiguous { what: "node", name: name.to_owned(), count: found.len() }),
        };
        let Some(node) = model.nodes.get(id) else { return Err(Refusal::Numbering) };
        let (number, label) = (node.number, node.name);
        if let Some(child) = node.children.first().and_then(|child| model.node(*child)) {
            return Err(needed(
                name,
                format!("the node \"{}\"", String::from_utf8_lossy(model.name_of(child))),
            ));
        }
        if node.parent.is_none() || model.head == Some(id as NodeId) {
            return Err(needed(name, "the model: it is the root, or where inherited animations begin"));
        }
        let skins = || model.nodes.iter().filter_map(|node| node.mesh.as_deref()?.skin.as_deref());
        if skins().any(|skin| skin.bone_map.get(id).is_some_and(|slot| *slot >= 0.0)) {
            return Err(needed(name, "a skin, as a bone"));
        }
        let moving = |node: &&Node| node.number == number;
        for animation in &model.animations {
            if animation
                .nodes
                .iter()
                .filter(moving)
                .any(|node| !node.children.is_empty() || node.parent.is_none())
            {
                return Err(needed(name, format!("the animation \"{}\"", animation.name.lossy())));
            }
        }
        let count = model.nodes.len();
        take(&mut model.nodes, id);
        for animation in &mut model.animations {
            while let Some(at) = animation.nodes.iter().position(|node| node.number == number) {
                take(&mut animation.nodes, at);
            }
        }
        model.head = model.head.map(|head| head - NodeId::from(head as usize > id));
        model.node_count = model.node_count.saturating_sub(1);
        // In the middle of the table, the names behind it would move.
        let last = usize::from(label) + 1 == model.names.len();
        if last && !model.all_nodes().any(|node| node.name == label) {
            model.names.pop();
        }
        for skin in model.nodes.iter_mut().filter_map(|node| node.mesh.as_deref_mut()?.skin.as_deref_mut()) {
            without(&mut skin.bone_map, id, count);
            without(&mut skin.rotations, id, count);
            without(&mut skin.translations, id, count);
            without(&mut skin.layout.scratch, id, count);
            for node in skin.bone_nodes.iter_mut().take(skin.bone_map.len().min(16)) {
                *node -= i16::from(i64::from(*node) > id as i64);
            }
        }
        Ok(1)
    }

    /// Removes the entry of a node from a list with one for each.
    fn without<T>(list: &mut Vec<T>, at: usize, count: usize) {
        if list.len() == count && at < count {
            list.remove(at);
        }
    }

    /// Removes a node without children from a list.
    pub(crate) fn take(nodes: &mut Vec<Node>, at: usize) {
        nodes.remove(at);
        let gone = at as NodeId;
        for node in nodes {
            node.children.retain(|child| *child != gone);
            node.children.iter_mut().for_each(|child| *child -= NodeId::from(*child > gone));
            node.parent = node.parent.map(|parent| parent - NodeId::from(parent > gone));
        }
    }
}
