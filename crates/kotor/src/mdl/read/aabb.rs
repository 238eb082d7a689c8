//! Reads the box tree of a walkable mesh.

use galatea_wire::{Reader, Result, Wire};

use crate::mdl::AabbLayout;
use crate::mdl::layout::{Slot, file_position};
use crate::mdl::mesh::{AabbNode, AabbTree};
use crate::mdl::wire::AabbRecord;

/// Returns whether an offset means "no child": the game writes 0, some tools 0xFFFFFFFF.
fn is_none(offset: u32) -> bool {
    offset == 0 || offset == u32::MAX
}

/// Reads the box tree without recursion. Packed trees, as nearly all are, need no visited set.
pub(super) fn aabb_tree(r: Reader<'_>, root: u32) -> Result<AabbTree> {
    if is_none(root) {
        let layout = AabbLayout::Packed { root: Slot::plain(root, 0), none: 0 };
        return Ok(AabbTree { nodes: Vec::new(), layout });
    }
    if let Some((nodes, none)) = packed_tree(r, root) {
        let count = nodes.len();
        r.spend((count * size_of::<AabbNode>()) as u64, file_position(root), "AABB")?;
        r.raw::<AabbRecord>(file_position(root), count, "AABB")?;
        return Ok(AabbTree { nodes, layout: AabbLayout::Packed { root: Slot::plain(root, count), none } });
    }
    let mut tree = AabbTree::default();
    let (mut places, mut nones) = (Vec::new(), Vec::new());
    // Offset of a box yet to be read, and whose first or second child it is.
    let mut todo: Vec<(u32, Option<(usize, bool)>)> = vec![(root, None)];
    while let Some((offset, parent)) = todo.pop() {
        let at = file_position(offset);
        r.visit(at, "AABB")?;
        r.spend(size_of::<AabbNode>() as u64 + 16, at, "AABB")?;
        let record: AabbRecord = r.at(at, "AABB")?;
        let id = tree.nodes.len();
        if let Some((parent, second)) = parent
            && let Some(parent) = tree.nodes.get_mut(parent)
        {
            *(if second { &mut parent.right } else { &mut parent.left }) = Some(id as u32);
        }
        tree.nodes.push(box_of(&record, None, None));
        places.push(offset);
        nones.push([record.left.0, record.right.0]);
        if !is_none(record.right.0) {
            todo.push((record.right.0, Some((id, true))));
        }
        if !is_none(record.left.0) {
            todo.push((record.left.0, Some((id, false))));
        }
    }
    tree.layout = AabbLayout::Scattered { at: places, none: nones };
    Ok(tree)
}

fn box_of(record: &AabbRecord, left: Option<u32>, right: Option<u32>) -> AabbNode {
    AabbNode { min: record.min, max: record.max, left, right, face: record.face, plane: record.plane }
}

/// Reads a tree of consecutive boxes in preorder with a single value for "no child". Returns `None` for other trees.
fn packed_tree(r: Reader<'_>, root: u32) -> Option<(Vec<AabbNode>, u32)> {
    let mut nodes: Vec<AabbNode> = Vec::new();
    let mut none = None;
    // Offsets of second children yet to come, and their parents.
    let mut rights: Vec<(u32, usize)> = Vec::new();
    loop {
        let id = nodes.len();
        let here = root.checked_add(u32::try_from(id.checked_mul(AabbRecord::SIZE)?).ok()?)?;
        let record: AabbRecord = r.peek_at(file_position(here))?;
        let mut child = |offset: u32| {
            if is_none(offset) {
                (*none.get_or_insert(offset) == offset).then_some(None)
            } else {
                Some(Some(offset))
            }
        };
        let (left, right) = (child(record.left.0)?, child(record.right.0)?);
        let follows = here.checked_add(AabbRecord::SIZE as u32)?;
        let mut node = box_of(&record, None, None);
        match (left, right) {
            (Some(left), _) if left != follows => return None,
            (Some(_), right) => {
                node.left = Some(id as u32 + 1);
                rights.extend(right.map(|r| (r, id)));
            }
            (None, Some(right)) if right != follows => return None,
            (None, Some(_)) => node.right = Some(id as u32 + 1),
            (None, None) => {
                nodes.push(node);
                let Some((right, parent)) = rights.pop() else { break };
                if right != follows {
                    return None;
                }
                nodes.get_mut(parent)?.right = Some(id as u32 + 1);
                continue;
            }
        }
        nodes.push(node);
    }
    Some((nodes, none.unwrap_or(0)))
}
