//! New attachment points: `--attach NAME --to BONE --at X,Y,Z`.

use super::Refusal;
use super::documents::not_for;
use super::nodes::missing;
use super::text::set_text;
use crate::Document;

/// Adds an attachment point to a node, at a place relative to it.
pub(super) fn attach(
    document: &mut dyn Document,
    name: &str,
    to: &str,
    at: [f32; 3],
) -> Result<usize, Refusal> {
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return warcraft(model, name, to, at);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        return kotor(model, name, to, at);
    }
    let _ = (any, name, to, at);
    Err(not_for(document, "attachment points are added to mdl and mdx"))
}

#[cfg(feature = "mdlx")]
fn warcraft(model: &mut crate::mdlx::Model, name: &str, to: &str, at: [f32; 3]) -> Result<usize, Refusal> {
    use crate::mdlx::{Attachment, Node, NodeKind};

    let fits = |node: &Node, wanted: &str| node.name.bytes().eq_ignore_ascii_case(wanted.as_bytes());
    let names: Vec<String> = model.nodes().map(|(_, _, node)| node.name.lossy().into_owned()).collect();
    let parents: Vec<u32> =
        model.nodes().filter(|(_, _, node)| fits(node, to)).map(|(_, _, node)| node.object_id).collect();
    let parent = match parents[..] {
        [parent] => parent,
        [] => return Err(missing("node", to, names.iter().map(String::as_str))),
        _ => return Err(Refusal::Ambiguous { what: "node", name: to.to_owned(), count: parents.len() }),
    };
    if model.nodes().any(|(_, _, node)| fits(node, name)) {
        return Err(Refusal::Taken { what: "node", name: name.to_owned() });
    }
    let next = model.nodes().map(|(_, _, node)| u64::from(node.object_id) + 1).max().unwrap_or(0);
    // Pivots are found by the object id, so that ids have to be dense.
    if next != model.node_count() as u64 || model.pivots.len() as u64 != next {
        return Err(Refusal::Numbering);
    }
    let id = next as u32;
    let [x, y, z] = model.pivots.get(parent as usize).copied().unwrap_or_default();
    let [dx, dy, dz] = at;
    let pivot = [x + dx, y + dy, z + dz];
    model.pivots.push(pivot);
    if model.bind_poses.len() as u64 >= next && !model.bind_poses.is_empty() {
        let [x, y, z] = pivot;
        // Those of cameras follow those of nodes.
        model.bind_poses.insert(id as usize, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, y, z]);
    }
    let kind = NodeKind::Attachment;
    let flags = if model.version.is_wow() { kind.wow_bit() } else { kind.warcraft_bit() };
    let mut node = Node { object_id: id, parent_id: parent as i32, flags, ..Node::default() };
    set_text(&mut node.name, "the name of a node", name.as_bytes())?;
    let attachment_id =
        model.attachments.iter().map(|a| a.attachment_id.saturating_add(1)).max().unwrap_or(0);
    model.attachments.push(Attachment { node, attachment_id, ..Attachment::default() });
    Ok(1)
}

#[cfg(feature = "kotor")]
fn kotor(model: &mut crate::kotor::mdl::Model, name: &str, to: &str, at: [f32; 3]) -> Result<usize, Refusal> {
    use crate::kotor::mdl::Node;

    /// Bytes of a name in the game's own structures.
    const ROOM: usize = 32;
    let parent = model.find(to.as_bytes()).ok_or_else(|| {
        let names: Vec<String> = model
            .nodes
            .iter()
            .map(|node| String::from_utf8_lossy(model.name_of(node)).into_owned())
            .collect();
        missing("node", to, names.iter().map(String::as_str))
    })?;
    if model.find(name.as_bytes()).is_some() {
        return Err(Refusal::Taken { what: "node", name: name.to_owned() });
    }
    if name.len() > ROOM || name.is_empty() || name.contains('\0') {
        return Err(Refusal::NoRoom { what: "the name of a node", name: name.to_owned(), room: ROOM });
    }
    let next = model.all_nodes().map(|node| u32::from(node.number) + 1).max().unwrap_or(0);
    let number = u16::try_from(next).map_err(|_| Refusal::Numbering)?;
    let id = model.add_node(Some(parent), name.as_bytes(), Node { position: at, ..Node::default() });
    if let Some(node) = model.nodes.get_mut(id as usize) {
        node.number = number;
    }
    model.node_count = model.node_count.saturating_add(1);
    // Skins have an entry for every node; one that is no bone has slot -1.
    let count = model.nodes.len();
    for skin in model.nodes.iter_mut().filter_map(|node| node.mesh.as_deref_mut()?.skin.as_deref_mut()) {
        if skin.bone_map.len() + 1 == count {
            skin.bone_map.push(-1.0);
        }
        if skin.rotations.len() + 1 == count {
            skin.rotations.push([1.0, 0.0, 0.0, 0.0]);
        }
        if skin.translations.len() + 1 == count {
            skin.translations.push([0.0; 3]);
        }
        if skin.layout.scratch.len() + 1 == count {
            skin.layout.scratch.push(0);
        }
    }
    model.sort_nodes()?;
    Ok(1)
}
