//! Which blocks a model has and where they go.
//!
//! Blocks are listed in the order of the game's compiler. A model that still has the blocks it was read with gets its old
//! places back. Otherwise the blocks follow each other in the order they had in the file, new ones after the block they
//! follow in the compiler's order, so that an edit moves bytes but changes only what depends on it.

use std::borrow::Cow;

use galatea_wire::{Error, Result, Wire};

use super::layout::{AabbLayout, HEADERS, NodeLayout, RowLayout, Slot, tally};
use super::mesh::{IndexLists, Mesh};
use super::node::{Light, Node, NodeId};
use super::wire::{
    AabbRecord, AnimMeshHeader, AnimationHeader, Controller, DanglyHeader, Dirt, Emitter, Event, Face,
    GeometryHeader, LightHeader, MeshHead, MeshTail, NodeHeader, Reference, SaberHeader, SkinHeader,
};
use super::{Game, Model, Platform};

/// What a block holds. Of those there are several of, a number tells which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Headers,
    NameOffsets,
    Name,
    AnimationOffsets,
    Animation,
    Events,
    Node,
    Children,
    Controllers,
    Data,
    Faces,
    IndexCounts,
    Positions,
    IndexOffsets,
    InvertedCounters,
    IndexList,
    BoneMap,
    Rotations,
    Translations,
    Scratch,
    Constraints,
    DanglyPositions,
    Aabb,
    AabbBox,
    SaberPositions,
    SaberNormals,
    SaberUvs,
    FlareTextureOffsets,
    FlareTexture,
    FlareSizes,
    FlarePositions,
    FlareColors,
    Gap,
}

impl What {
    /// Whether the compiler gives the block a place even if there is nothing in it.
    fn has_place_when_empty(self) -> bool {
        matches!(
            self,
            What::AnimationOffsets
                | What::Children
                | What::IndexCounts
                | What::IndexOffsets
                | What::InvertedCounters
        )
    }
}

/// A range of the MDL.
#[derive(Debug, Clone, Copy)]
struct Block {
    what: What,
    /// Which of several: name, index list, box, gap.
    sub: u32,
    /// Bytes.
    len: u32,
    /// Where it was, if it was in a file.
    old: Option<u32>,
    /// Bytes it had there.
    old_len: u32,
}

/// What is done with the blocks of a model, one after the other in the compiler's order.
pub(crate) trait Sink {
    /// A block of `count` items of `item` bytes. `slot` is where it was.
    fn block(&mut self, what: What, sub: usize, slot: Slot, item: usize, count: usize);
    /// Some blocks, each the first of its kind, with size and count of their items.
    #[inline]
    fn blocks<const N: usize>(&mut self, blocks: [(What, Slot, usize, usize); N]) {
        for (what, slot, item, count) in blocks {
            self.block(what, 0, slot, item, count);
        }
    }
    /// The blocks that follow belong to this node.
    fn at(&mut self, _tree: u32, _node: NodeId) {}
}

/// A sink for blocks that come node after node.
pub(crate) trait NodeSink: Sink {
    /// After all blocks of a node.
    fn node(&mut self, here: Here<'_>);
    /// A node, and all blocks that it consists of.
    fn plain_node(&mut self, here: Here<'_>, pieces: [Piece; 2]);
}

/// Blocks that follow each other without a gap.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// Where they were, and still are.
    pub(crate) at: u32,
    /// Bytes.
    pub(crate) len: usize,
}

/// A node of a model, and where it is: in which tree, and which one there.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) tree: u32,
    /// All nodes of the tree.
    pub(crate) nodes: &'a [Node],
    pub(crate) id: NodeId,
    pub(crate) node: &'a Node,
}

/// Hands every block of a model to a sink. Fails if its nodes are not a tree.
pub(crate) fn each_block<S: Sink>(model: &Model, sink: &mut S) -> Result<()> {
    let mut walk = Walk::default();
    blocks(model, sink, |tree, nodes, sink| walk.tree(model, tree, nodes, sink))
}

/// Hands every block of a model to a sink, node after node as they are listed, which is faster than from parent to child.
/// Says whether the nodes are certainly trees: if not, [`each_block`] has to find out.
pub(crate) fn each_block_as_listed<S: NodeSink>(model: &Model, sink: &mut S) -> Result<bool> {
    let mut sound = true;
    blocks(model, sink, |tree, nodes, sink| {
        sound &= listed_tree(model, tree, nodes, sink);
        Ok(())
    })?;
    Ok(sound)
}

/// Hands the blocks of a model to a sink; `tree_blocks` does so with those of a tree.
fn blocks<'a, S: Sink>(
    model: &'a Model,
    sink: &mut S,
    mut tree_blocks: impl FnMut(u32, &'a [Node], &mut S) -> Result<()>,
) -> Result<()> {
    let layout = &model.layout;
    sink.at(0, 0);
    let headers = if layout.headers.is_some() { Slot::plain(0, HEADERS as usize) } else { Slot::default() };
    sink.block(What::Headers, 0, headers, 1, HEADERS as usize);
    sink.block(What::NameOffsets, 0, layout.name_offsets, 4, model.names.len());
    for (i, name) in model.names.iter().enumerate() {
        // What the length was is not kept. A name that has become longer or shorter no longer fits between its neighbours.
        let len = name.0.len() + 1;
        sink.block(
            What::Name,
            i,
            layout.names.get(i).map(|at| Slot::plain(*at, len)).unwrap_or_default(),
            1,
            len,
        );
    }
    sink.block(What::AnimationOffsets, 0, layout.animation_offsets, 4, model.animations.len());
    for (i, animation) in model.animations.iter().enumerate() {
        let tree = i as u32 + 1;
        sink.at(tree, 0);
        let layout = &animation.layout;
        sink.block(What::Animation, 0, layout.header, 1, GeometryHeader::SIZE + AnimationHeader::SIZE);
        sink.block(What::Events, 0, layout.events, Event::SIZE, animation.events.len());
        tree_blocks(tree, &animation.nodes, sink)?;
    }
    tree_blocks(0, &model.nodes, sink)?;
    sink.at(0, 0);
    for (i, gap) in layout.gaps.iter().enumerate() {
        let at = gap.offset.saturating_sub(super::read::BASE as u32);
        sink.block(What::Gap, i, Slot::plain(at, gap.bytes.len()), 1, gap.bytes.len());
    }
    Ok(())
}

/// Room for walking trees, used for one after the other.
#[derive(Default)]
struct Walk<'a> {
    seen: Vec<bool>,
    /// The nodes that have been entered but not left, with the children still to enter.
    open: Vec<(NodeId, std::slice::Iter<'a, NodeId>)>,
}

impl<'a> Walk<'a> {
    /// A tree of nodes: each with its parts and list of children, then the children, then its controllers.
    fn tree<S: Sink>(&mut self, model: &Model, tree: u32, nodes: &'a [Node], sink: &mut S) -> Result<()> {
        let lost = |id: NodeId, what: &str| Error::unrepresentable(format!("nodes[{id}] {what}"));
        let Walk { seen, open } = self;
        seen.clear();
        seen.resize(nodes.len(), false);
        let mut entered = 0;
        let mut next = if nodes.is_empty() { None } else { Some(0) };
        while let Some(id) = next {
            let (Some(node), Some(seen)) = (nodes.get(id as usize), seen.get_mut(id as usize)) else {
                return Err(lost(id, "does not exist"));
            };
            if std::mem::replace(seen, true) {
                return Err(lost(id, "is the child of two nodes, or of itself"));
            }
            entered += 1;
            sink.at(tree, id);
            node_blocks(model, node, sink);
            if node.children.is_empty() {
                sink.blocks(controller_blocks(node));
            } else {
                open.push((id, node.children.iter()));
            }
            next = None;
            while let Some((id, rest)) = open.last_mut() {
                next = rest.next().copied();
                if next.is_some() {
                    break;
                }
                sink.at(tree, *id);
                if let Some(node) = nodes.get(*id as usize) {
                    sink.blocks(controller_blocks(node));
                }
                open.pop();
            }
        }
        if entered != nodes.len() {
            let id = seen.iter().position(|s| !s).unwrap_or(0);
            return Err(lost(id as NodeId, "hangs on no other node"));
        }
        Ok(())
    }
}

/// A tree of nodes, one after the other as they are listed. Says whether it is one: whether every node but the first is
/// listed once among the children of its parent, which comes before it.
fn listed_tree<S: NodeSink>(model: &Model, tree: u32, nodes: &[Node], sink: &mut S) -> bool {
    let mut sound = nodes.first().is_none_or(|root| root.parent.is_none());
    let mut children = 0;
    for (id, node) in nodes.iter().enumerate() {
        let id = id as NodeId;
        let here = Here { tree, nodes, id, node };
        match plain_pieces(node) {
            Some(pieces) => sink.plain_node(here, pieces),
            None => {
                node_blocks(model, node, sink);
                sink.blocks(controller_blocks(node));
                sink.node(here);
            }
        }
        children += node.children.len();
        let mut before = id;
        for child in &node.children {
            let own = nodes.get(*child as usize).is_some_and(|n| n.parent == Some(id));
            sound &= own && *child > before;
            before = *child;
        }
    }
    sound && children == nodes.len().saturating_sub(1)
}

/// The pieces of a node such as nearly all are: one without parts and without anything odd, whose blocks are as long as they
/// were. One is the header with the children, the other one the controllers with their numbers.
#[inline]
fn plain_pieces(node: &Node) -> Option<[Piece; 2]> {
    let Node { light: None, emitter: None, reference: None, mesh: None, .. } = node else { return None };
    let NodeLayout { header, children, controllers, data, odd: None } = &node.layout else { return None };
    let [list, numbers] = node.controllers.counts();
    // Not as arrays: those are put together in memory, and the comparison would wait for that.
    let same = header.count as usize == NodeHeader::SIZE
        && children.count as usize == node.children.len()
        && controllers.count as usize == list
        && data.count as usize == numbers;
    let [head, tail] = [NodeHeader::SIZE, Controller::SIZE * list];
    let close = children.count == 0 || children.at as usize == header.at as usize + head;
    if !same || !close || data.at as usize != controllers.at as usize + tail {
        return None;
    }
    Some([
        Piece { at: header.at, len: head + 4 * children.count as usize },
        Piece { at: controllers.at, len: tail + 4 * numbers },
    ])
}

/// A node with its parts and its list of children.
fn node_blocks<S: Sink>(model: &Model, node: &Node, sink: &mut S) {
    sink.blocks([header_block(model, node)]);
    if let Some(light) = node.light.as_deref() {
        light_blocks(light, sink);
    }
    if let Some(mesh) = node.mesh.as_deref() {
        mesh_blocks(model, mesh, sink);
    }
    sink.blocks([children_block(node)]);
}

#[inline]
fn header_block(model: &Model, node: &Node) -> (What, Slot, usize, usize) {
    (What::Node, node.layout.header_slot(), 1, record_len(model, node))
}

#[inline]
fn children_block(node: &Node) -> (What, Slot, usize, usize) {
    (What::Children, node.layout.children_slot(), 4, node.children.len())
}

/// What follows when the children of a node have come.
#[inline]
fn controller_blocks(node: &Node) -> [(What, Slot, usize, usize); 2] {
    let (layout, [list, data]) = (&node.layout, node.controllers.counts());
    [
        (What::Controllers, layout.controllers_slot(), Controller::SIZE, list),
        (What::Data, layout.data_slot(), 4, data),
    ]
}

fn light_blocks<S: Sink>(light: &Light, sink: &mut S) {
    let layout = &light.layout;
    sink.block(What::FlareTextureOffsets, 0, layout.texture_offsets, 4, light.flare_textures.len());
    for (i, name) in light.flare_textures.iter().enumerate() {
        let len = name.0.len() + 1;
        let slot = layout.textures.get(i).map(|at| Slot::plain(*at, len)).unwrap_or_default();
        sink.block(What::FlareTexture, i, slot, 1, len);
    }
    sink.block(What::FlareSizes, 0, layout.sizes, 4, light.flare_sizes.len());
    sink.block(What::FlarePositions, 0, layout.positions, 4, light.flare_positions.len());
    sink.block(What::FlareColors, 0, layout.colors, 12, light.flare_colors.len());
}

fn mesh_blocks<S: Sink>(model: &Model, mesh: &Mesh, sink: &mut S) {
    if let Some(skin) = mesh.skin.as_deref() {
        let layout = &skin.layout;
        let slot = if model.platform == Platform::Pc { 4 } else { 2 };
        sink.block(What::BoneMap, 0, layout.bone_map, slot, skin.bone_map.len());
        sink.block(What::Rotations, 0, layout.rotations, 16, skin.rotations.len());
        sink.block(What::Translations, 0, layout.translations, 12, skin.translations.len());
        sink.block(What::Scratch, 0, layout.scratch_slot, 4, super::write::scratch_len(skin));
    }
    if let Some(dangly) = mesh.dangly.as_deref() {
        sink.block(What::Constraints, 0, dangly.layout.constraints, 4, dangly.constraints.len());
        let positions = dangly.positions.resolve(&mesh.vertices.positions);
        sink.block(What::DanglyPositions, 0, dangly.layout.positions, 12, positions.len());
    }
    if let Some(aabb) = mesh.aabb.as_deref() {
        match &aabb.layout {
            AabbLayout::Scattered { at, .. } if at.len() == aabb.nodes.len() => {
                for (i, at) in at.iter().enumerate() {
                    sink.block(What::AabbBox, i, Slot::plain(*at, 1), AabbRecord::SIZE, 1);
                }
            }
            AabbLayout::Packed { root, .. } => {
                sink.block(What::Aabb, 0, *root, AabbRecord::SIZE, aabb.nodes.len());
            }
            AabbLayout::Scattered { .. } => {
                sink.block(What::Aabb, 0, Slot::default(), AabbRecord::SIZE, aabb.nodes.len());
            }
        }
    }
    if let Some(saber) = mesh.saber.as_deref() {
        sink.block(What::SaberPositions, 0, saber.layout.positions, 12, saber.positions.len());
        sink.block(What::SaberNormals, 0, saber.layout.normals, 12, saber.normals.len());
        sink.block(What::SaberUvs, 0, saber.layout.uvs, 8, saber.uvs.len());
    }
    let layout = &mesh.layout;
    let lists = index_lists(mesh);
    sink.block(What::Faces, 0, layout.faces, Face::SIZE, mesh.faces.len());
    sink.block(What::IndexCounts, 0, layout.index_counts, 4, lists + layout.more_counts.len());
    if model.platform == Platform::Pc {
        sink.block(What::Positions, 0, layout.mdl_positions, 12, mesh.positions_in_mdl().len());
    }
    sink.block(What::IndexOffsets, 0, layout.index_offsets, 4, lists + layout.more_offsets.len());
    sink.block(What::InvertedCounters, 0, layout.inverted_counters, 4, mesh.inverted_counters.len());
    for i in 0..lists {
        let count = index_list_len(mesh, i);
        let slot = layout.index_lists.get(i).map(|at| Slot::plain(*at, count)).unwrap_or_default();
        sink.block(What::IndexList, i, slot, 2, count);
    }
}

/// Whether every block is still as long as it was, and whether they fill the data, each byte once, in whatever order.
///
/// They do if the place where a block begins is the place where another one ends, for every block but the one that begins
/// the data, and the other way round for all but the one that ends it: then, since blocks only lead forward, they are one
/// way from the first byte to the last. So one sum tells it, to which every beginning adds a number of its own that every
/// end takes away again.
#[derive(Clone, Copy, Default)]
pub(crate) struct Unchanged {
    changed: bool,
    /// Where the last block ends.
    end: u64,
    sum: u64,
    /// Places and lengths, where they are asked for.
    tally: Option<(u32, u64)>,
}

impl Unchanged {
    /// Whether the blocks so far are as long as they were.
    #[inline]
    pub(crate) fn as_long_as_before(&self) -> bool {
        !self.changed
    }

    /// Blocks that are as long as they were.
    #[inline]
    fn range(&mut self, at: u32, len: usize) {
        let at = u64::from(at);
        if at != self.end {
            self.sum = self.sum.wrapping_add(number(at)).wrapping_sub(number(self.end));
        }
        self.end = at + len as u64;
    }

    /// Pieces, the empty ones among them left out.
    #[inline]
    pub(crate) fn pieces(&mut self, pieces: [Piece; 2]) {
        pieces.iter().filter(|piece| piece.len > 0).for_each(|piece| self.range(piece.at, piece.len));
    }

    /// Whether the blocks are as long as they were and fill data of this length.
    pub(crate) fn fills(&self, len: usize) -> bool {
        !self.changed && self.sum.wrapping_add(number(len as u64)) == number(self.end)
    }
}

/// A number for a place, without any relation to that of others: 64 bits, so that no edit meets another sum by chance.
#[inline]
fn number(place: u64) -> u64 {
    let wide = u128::from(place ^ place.rotate_left(32) ^ 0x2D35_8DCC_AA6C_78A5) * 0x9E37_79B9_7F4A_7C15;
    (wide as u64) ^ (wide >> 64) as u64
}

impl Sink for Unchanged {
    #[inline]
    fn block(&mut self, _: What, _: usize, slot: Slot, item: usize, count: usize) {
        self.changed |= !slot.known || slot.count as usize != count;
        if count > 0 {
            self.range(slot.at, item * count);
        }
        if let Some(sum) = &mut self.tally {
            tally(sum, slot.at, (item * count) as u32);
        }
    }
}

/// Whether a model still has the blocks it was read with, so that every block can go where it was.
///
/// Blocks that fill the data without gap or overlap can. Where blocks shared bytes, the same blocks as before can.
pub(crate) fn unchanged(model: &Model) -> Result<bool> {
    let layout = &model.layout;
    if layout.headers.is_none() {
        return Ok(false);
    }
    let mut sink = Unchanged { tally: layout.overlaps.then_some((0, 0)), ..Unchanged::default() };
    each_block(model, &mut sink)?;
    let len = (layout.mdl_len as usize).saturating_sub(super::read::BASE);
    Ok(match sink.tally {
        Some(sum) => sink.as_long_as_before() && sum == layout.blocks,
        None => sink.fills(len),
    })
}

/// Whether blocks come one after the other.
struct Ascending {
    at: u32,
    ascending: bool,
}

impl Sink for Ascending {
    fn block(&mut self, what: What, _: usize, slot: Slot, item: usize, count: usize) {
        if count > 0 && what != What::Gap {
            self.ascending &= slot.known && slot.at >= self.at;
            self.at = slot.at.saturating_add((item * count) as u32);
        }
    }
}

impl Model {
    /// Whether the file was laid out in the order of the game's compiler. `false` for a model that was in no file.
    pub fn has_compilers_order(&self) -> bool {
        let mut sink = Ascending { at: 0, ascending: self.layout.headers.is_some() };
        each_block(self, &mut sink).is_ok() && sink.ascending
    }
}

/// A checksum of the places and lengths of all blocks.
pub(crate) fn checksum(model: &Model) -> (u32, u64) {
    let mut sink = Unchanged { tally: Some((0, 0)), ..Unchanged::default() };
    // What was read as a tree is one, so this cannot fail; if it did, the writer would only lay out anew.
    each_block(model, &mut sink).ok().and(sink.tally).unwrap_or_default()
}

/// The blocks of a model that has to be laid out anew.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    blocks: Vec<Block>,
    /// For every node of every tree, the model's last: the blocks of header, children, controllers and data.
    nodes: Vec<[u32; 4]>,
    /// Where the nodes of each tree begin in `nodes`.
    trees: Vec<usize>,
    /// The place of every block.
    places: Vec<u32>,
    /// Length of the data.
    pub(crate) len: usize,
    tree: u32,
    node: NodeId,
    too_long: bool,
}

impl Sink for Plan {
    fn at(&mut self, tree: u32, node: NodeId) {
        (self.tree, self.node) = (tree, node);
    }

    fn block(&mut self, what: What, sub: usize, slot: Slot, item: usize, count: usize) {
        let len = count.checked_mul(item).and_then(|l| u32::try_from(l).ok());
        self.too_long |= len.is_none();
        let part = match what {
            What::Node => Some(0),
            What::Children => Some(1),
            What::Controllers => Some(2),
            What::Data => Some(3),
            _ => None,
        };
        if let Some(part) = part {
            let base = self.trees.get(self.tree as usize).copied().unwrap_or(0);
            let ids = self.nodes.get_mut(base + self.node as usize);
            if let Some(id) = ids.and_then(|ids| ids.get_mut(part)) {
                *id = self.blocks.len() as u32;
            }
        }
        self.blocks.push(Block {
            what,
            sub: sub as u32,
            len: len.unwrap_or(0),
            old: slot.known.then_some(slot.at),
            old_len: slot.count.saturating_mul(item as u32),
        });
    }
}

impl Plan {
    /// Plans a model. Fails if its nodes are not a tree.
    pub(crate) fn of(model: &Model) -> Result<Plan> {
        let mut plan = Plan::default();
        plan.trees.push(0);
        let mut nodes = model.nodes.len();
        for animation in &model.animations {
            plan.trees.push(nodes);
            nodes += animation.nodes.len();
        }
        plan.nodes.resize(nodes, [0; 4]);
        plan.blocks.reserve(
            64 + model.names.len() + model.layout.gaps.len() + 2 * model.animations.len() + 5 * nodes,
        );
        each_block(model, &mut plan)?;
        if plan.too_long {
            return Err(Error::unrepresentable("a part of the model is longer than 4 GiB"));
        }
        plan.stack()?;
        Ok(plan)
    }

    /// The place of the first block of this kind that belongs to no node.
    pub(crate) fn first(&self, what: What) -> u32 {
        self.blocks.iter().position(|b| b.what == what).map_or(0, |id| self.place(id as u32))
    }

    /// The place of a block.
    fn place(&self, block: u32) -> u32 {
        self.places.get(block as usize).copied().unwrap_or(0)
    }

    /// The places of all blocks of a kind, in their order.
    pub(crate) fn all(&self, what: What) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().zip(&self.places).filter(move |(b, _)| b.what == what).map(|(_, place)| *place)
    }

    /// The place of a block of a node, or of a part of it.
    pub(crate) fn part(&self, tree: u32, node: NodeId, what: What, sub: usize) -> u32 {
        let base = self.trees.get(tree as usize).copied().unwrap_or(0);
        let [header, children, controllers, data] =
            self.nodes.get(base + node as usize).copied().unwrap_or_default();
        match what {
            What::Node => self.place(header),
            What::Children => self.place(children),
            What::Controllers => self.place(controllers),
            What::Data => self.place(data),
            // The animation's block comes two before its first node's: header, events, nodes.
            What::Animation => self.place(header.saturating_sub(2)),
            _ => {
                let parts = self.blocks.get(header as usize + 1..children as usize).unwrap_or(&[]);
                let found = parts.iter().position(|b| b.what == what && b.sub == 0);
                found.map_or(0, |i| self.place(header + 1 + (i + sub) as u32))
            }
        }
    }

    /// One block after the other, in the order they had.
    fn stack(&mut self) -> Result<()> {
        // New blocks, and blocks that have become longer than nothing, follow the block before them in the list.
        let mut order: Vec<(u32, u32, u32)> = Vec::with_capacity(self.blocks.len());
        let mut last = 0;
        for (id, block) in self.blocks.iter().enumerate() {
            let key = match block.old {
                Some(old) if block.old_len > 0 && block.what != What::Headers => {
                    last = old;
                    (old, 0, id as u32)
                }
                _ => (last, 1, id as u32),
            };
            if block.what != What::Headers {
                order.push(key);
            }
        }
        order.sort();
        let mut places = vec![0; self.blocks.len()];
        let mut at = u64::from(HEADERS);
        let mut moves: Vec<(u32, u32)> = vec![(0, 0)];
        for (_, _, id) in order {
            let (Some(block), Some(place)) = (self.blocks.get(id as usize), places.get_mut(id as usize))
            else {
                continue;
            };
            *place =
                u32::try_from(at).map_err(|_| Error::unrepresentable("the model is longer than 4 GiB"))?;
            if let Some(old) = block.old.filter(|_| block.old_len > 0) {
                moves.push((old, *place));
            }
            at += u64::from(block.len);
        }
        // Offsets of empty blocks mean nothing; they keep pointing where they did.
        for (block, place) in self.blocks.iter().zip(&mut places) {
            if block.len == 0 {
                *place = match block.old {
                    Some(old) if old != 0 && old != u32::MAX && block.old_len == 0 => {
                        let before = moves.partition_point(|(from, _)| *from <= old).saturating_sub(1);
                        let (from, to) = moves.get(before).copied().unwrap_or((0, 0));
                        to.wrapping_add(old.wrapping_sub(from))
                    }
                    Some(old) if block.old_len == 0 => old,
                    _ if block.what.has_place_when_empty() => *place,
                    _ => 0,
                };
            }
        }
        self.places = places;
        self.len = usize::try_from(at).map_err(|_| Error::unrepresentable("the model is too long"))?;
        Ok(())
    }
}

/// How many index lists a mesh has.
pub(crate) fn index_lists(mesh: &Mesh) -> usize {
    match &mesh.indices {
        IndexLists::Faces => 1,
        IndexLists::Own(lists) => lists.len(),
    }
}

/// How many indices a list of a mesh has.
pub(crate) fn index_list_len(mesh: &Mesh, list: usize) -> usize {
    match &mesh.indices {
        IndexLists::Faces => mesh.faces.len() * 3,
        IndexLists::Own(lists) => lists.get(list).map_or(0, Vec::len),
    }
}

/// Bytes of a node header with everything that follows it directly.
pub(crate) fn record_len(model: &Model, node: &Node) -> usize {
    let mut len = NodeHeader::SIZE;
    let mut add = |there: bool, size: usize| len += if there { size } else { 0 };
    add(node.light.is_some(), LightHeader::SIZE);
    add(node.emitter.is_some(), Emitter::SIZE);
    add(node.reference.is_some(), Reference::SIZE);
    if let Some(mesh) = node.mesh.as_deref() {
        add(true, MeshHead::SIZE + MeshTail::SIZE);
        add(model.game == Game::K2, Dirt::SIZE);
        add(model.platform == Platform::Pc, 4);
        add(mesh.skin.is_some(), SkinHeader::SIZE);
        add(mesh.anim.is_some(), AnimMeshHeader::SIZE);
        add(mesh.dangly.is_some(), DanglyHeader::SIZE);
        add(mesh.aabb.is_some(), 4);
        add(mesh.saber.is_some(), SaberHeader::SIZE);
    }
    len
}

/// The vertex rows of one mesh.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) tree: u32,
    pub(crate) node: NodeId,
    pub(crate) mesh: &'a Mesh,
    pub(crate) layout: Cow<'a, RowLayout>,
    /// Bytes of the rows and the last one.
    pub(crate) len: usize,
    /// Bytes of the rows alone.
    pub(crate) body: usize,
    pub(crate) at: u32,
}

/// Where meshes are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trees {
    /// In the model, not in its animations.
    Model,
    All,
}

/// The rows of the meshes, in the order of the compiler, and the length of the MDX.
pub(crate) fn rows(model: &Model, trees: Trees, replay: bool) -> Result<(Vec<Rows<'_>>, usize)> {
    let mut list = collect_rows(model, trees)?;
    let layout = &model.layout.mdx;
    let mut sum = (0, 0);
    list.iter().for_each(|rows| tally(&mut sum, rows.layout.at, rows.len as u32));
    let known = model.layout.headers.is_some() && list.iter().all(|rows| rows.layout.known);
    if replay && known && !layout.missing && sum == layout.blocks {
        for rows in &mut list {
            rows.at = rows.layout.at;
        }
        return Ok((list, layout.len as usize));
    }
    if layout.missing {
        return Ok((Vec::new(), 0));
    }
    // The order they had; new ones after the one before them.
    let mut order: Vec<(u32, u8, usize)> = Vec::with_capacity(list.len());
    let mut last = 0;
    for (i, rows) in list.iter().enumerate() {
        if rows.layout.known {
            last = rows.layout.at;
            order.push((last, 0, i));
        } else {
            order.push((last, 1, i));
        }
    }
    order.sort();
    // Data nobody refers to comes last.
    let mut at = 0usize;
    let aligned = layout.aligned || layout.len == 0;
    for (_, _, i) in order {
        if let Some(rows) = list.get_mut(i) {
            if aligned {
                at = at.next_multiple_of(16);
            }
            rows.at =
                u32::try_from(at).map_err(|_| Error::unrepresentable("the MDX is longer than 4 GiB"))?;
            at = at.saturating_add(rows.len);
        }
    }
    Ok((list, at))
}

fn collect_rows(model: &Model, trees: Trees) -> Result<Vec<Rows<'_>>> {
    let packed = model.platform == Platform::Xbox;
    let mut list = Vec::new();
    let animations = if trees == Trees::All { &model.animations[..] } else { &[] };
    let trees = std::iter::once(&model.nodes).chain(animations.iter().map(|a| &a.nodes));
    for (tree, nodes) in trees.enumerate() {
        for (node, mesh) in nodes.iter().enumerate().filter_map(|(i, n)| Some((i, n.mesh.as_deref()?))) {
            RowLayout::columns_agree(&mesh.vertices)
                .map_err(|error| error.within(format!("nodes[{node}]")))?;
            if model.layout.mdx.missing || !mesh.in_mdx || mesh.vertex_count() == 0 {
                continue;
            }
            let layout = RowLayout::for_writing(mesh, packed);
            let stride = layout.stride as usize;
            let body = mesh.vertex_count().saturating_mul(stride);
            let last = if layout.sentinel == super::Sentinel::Absent { 0 } else { stride };
            list.push(Rows {
                tree: tree as u32,
                node: node as NodeId,
                mesh,
                len: body.saturating_add(last),
                body,
                layout,
                at: 0,
            });
        }
    }
    Ok(list)
}
