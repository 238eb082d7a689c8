//! Which blocks a model has and where they go.
//!
//! Blocks are listed in the order of the game's compiler. A model that still has the blocks it was read with gets its old
//! places back. Otherwise the blocks follow each other in the order they had in the file, new ones after the block they
//! follow in the compiler's order, so that an edit moves bytes but changes only what depends on it.

use galatea_wire::{Error, Result, Wire};

use super::layout::{AabbLayout, HEADERS, RowLayout, Slot, tally};
use super::mesh::{IndexLists, Mesh};
use super::node::{Light, Node, NodeId};
use super::wire::{
    AabbRecord, AnimMeshHeader, AnimationHeader, Controller, DanglyHeader, Dirt, Emitter, Event, Face,
    GeometryHeader, LightHeader, MeshHead, MeshTail, NodeHeader, Reference, SaberHeader, SkinHeader,
};
use super::{Game, Model, Platform};

/// What a block holds. With `tree`, `node` and `sub` of its [`Block`] it tells exactly which bytes.
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
pub(crate) struct Block {
    pub(crate) what: What,
    /// 0 for the model's nodes, else one more than the index of the animation.
    pub(crate) tree: u32,
    pub(crate) node: NodeId,
    /// Which of several: name, index list, box, gap.
    pub(crate) sub: u32,
    /// Bytes.
    pub(crate) len: u32,
    /// Where it was, if it was in a file.
    old: Option<u32>,
    /// Bytes it had there.
    old_len: u32,
}

/// The blocks of a model.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) blocks: Vec<Block>,
    /// For every node, model first: the blocks of header, children, controllers and data.
    nodes: Vec<[u32; 4]>,
    /// Where the nodes of each tree begin in `nodes`.
    trees: Vec<usize>,
    tree: u32,
    node: NodeId,
    too_long: bool,
}

impl Plan {
    fn push(&mut self, what: What, sub: usize, slot: &Slot, item: usize, count: usize) -> u32 {
        let len = count.checked_mul(item).and_then(|l| u32::try_from(l).ok());
        self.too_long |= len.is_none();
        let id = self.blocks.len() as u32;
        self.blocks.push(Block {
            what,
            tree: self.tree,
            node: self.node,
            sub: sub as u32,
            len: len.unwrap_or(0),
            old: slot.known.then_some(slot.at),
            old_len: slot.count.saturating_mul(item as u32),
        });
        id
    }

    fn items<T: Wire>(&mut self, what: What, slot: &Slot, count: usize) {
        self.push(what, 0, slot, T::SIZE, count);
    }

    /// The blocks of a model. Fails if its nodes are not a tree.
    pub(crate) fn of(model: &Model) -> Result<Plan> {
        let mut plan = Plan::default();
        let layout = &model.layout;
        let known = |at: u32, len: usize| Slot::plain(at, len);
        let headers = if layout.headers.is_some() { known(0, HEADERS as usize) } else { Slot::default() };
        plan.push(What::Headers, 0, &headers, 1, HEADERS as usize);
        plan.items::<u32>(What::NameOffsets, &layout.name_offsets, model.names.len());
        for (i, name) in model.names.iter().enumerate() {
            let slot = match layout.names.get(i) {
                // What the length was is not kept: names are told apart by the checksum over all places.
                Some(at) => known(*at, name.0.len() + 1),
                None => Slot::default(),
            };
            plan.push(What::Name, i, &slot, 1, name.0.len() + 1);
        }
        plan.items::<u32>(What::AnimationOffsets, &layout.animation_offsets, model.animations.len());
        // The model's nodes are listed first but placed last.
        let mut model_nodes = Plan { node: 0, ..Plan::default() };
        model_nodes.walk(model, &model.nodes)?;
        plan.nodes.append(&mut model_nodes.nodes);
        plan.trees.push(0);
        for (i, animation) in model.animations.iter().enumerate() {
            plan.tree = i as u32 + 1;
            plan.node = 0;
            let layout = &animation.layout;
            plan.push(What::Animation, 0, &layout.header, 1, GeometryHeader::SIZE + AnimationHeader::SIZE);
            plan.items::<Event>(What::Events, &layout.events, animation.events.len());
            plan.trees.push(plan.nodes.len());
            plan.walk(model, &animation.nodes)?;
        }
        let shift = plan.blocks.len() as u32;
        for ids in plan.nodes.iter_mut().take(model.nodes.len()) {
            ids.iter_mut().for_each(|id| *id += shift);
        }
        plan.blocks.append(&mut model_nodes.blocks);
        plan.too_long |= model_nodes.too_long;
        (plan.tree, plan.node) = (0, 0);
        for (i, gap) in layout.gaps.iter().enumerate() {
            let slot = known(gap.offset.saturating_sub(super::read::BASE as u32), gap.bytes.len());
            plan.push(What::Gap, i, &slot, 1, gap.bytes.len());
        }
        if plan.too_long {
            return Err(Error::unrepresentable("a part of the model is longer than 4 GiB"));
        }
        Ok(plan)
    }

    /// A tree of nodes: each with its parts and list of children, then the children, then its controllers.
    fn walk(&mut self, model: &Model, nodes: &[Node]) -> Result<()> {
        let base = self.nodes.len();
        self.nodes.resize(base + nodes.len(), [0; 4]);
        let mut seen = vec![false; nodes.len()];
        // A node to enter, or (true) to leave.
        let mut todo: Vec<(NodeId, bool)> = if nodes.is_empty() { Vec::new() } else { vec![(0, false)] };
        let mut entered = 0;
        let lost = |id: NodeId, what: &str| Error::unrepresentable(format!("nodes[{id}] {what}"));
        while let Some((id, leave)) = todo.pop() {
            let Some(node) = nodes.get(id as usize) else { return Err(lost(id, "does not exist")) };
            self.node = id;
            let ids = if leave {
                let controllers = &node.controllers;
                let list = self.push(
                    What::Controllers,
                    0,
                    &node.layout.controllers,
                    Controller::SIZE,
                    controllers.list.len(),
                );
                let data = self.push(What::Data, 0, &node.layout.data, 4, controllers.data.len());
                [None, None, Some(list), Some(data)]
            } else {
                if seen.get_mut(id as usize).is_none_or(|s| std::mem::replace(s, true)) {
                    return Err(lost(id, "is the child of two nodes, or of itself"));
                }
                entered += 1;
                let header = self.push(What::Node, 0, &node.layout.header, 1, record_len(model, node));
                self.parts(model, node);
                let children = self.push(What::Children, 0, &node.layout.children, 4, node.children.len());
                todo.push((id, true));
                todo.extend(node.children.iter().rev().map(|c| (*c, false)));
                if todo.len() > 2 * nodes.len() {
                    return Err(lost(id, "is among nodes that are listed as children more than once"));
                }
                [Some(header), Some(children), None, None]
            };
            if let Some(slots) = self.nodes.get_mut(base + id as usize) {
                for (slot, new) in slots.iter_mut().zip(ids) {
                    *slot = new.unwrap_or(*slot);
                }
            }
        }
        if entered != nodes.len() {
            let id = seen.iter().position(|s| !s).unwrap_or(0);
            return Err(lost(id as NodeId, "hangs on no other node"));
        }
        Ok(())
    }

    fn parts(&mut self, model: &Model, node: &Node) {
        if let Some(light) = node.light.as_deref() {
            self.light(light);
        }
        if let Some(mesh) = node.mesh.as_deref() {
            self.mesh(model, mesh);
        }
    }

    fn light(&mut self, light: &Light) {
        let layout = &light.layout;
        self.items::<u32>(What::FlareTextureOffsets, &layout.texture_offsets, light.flare_textures.len());
        for (i, name) in light.flare_textures.iter().enumerate() {
            let len = name.0.len() + 1;
            let slot = layout.textures.get(i).map(|at| Slot::plain(*at, len)).unwrap_or_default();
            self.push(What::FlareTexture, i, &slot, 1, len);
        }
        self.items::<f32>(What::FlareSizes, &layout.sizes, light.flare_sizes.len());
        self.items::<f32>(What::FlarePositions, &layout.positions, light.flare_positions.len());
        self.items::<[f32; 3]>(What::FlareColors, &layout.colors, light.flare_colors.len());
    }

    fn mesh(&mut self, model: &Model, mesh: &Mesh) {
        if let Some(skin) = mesh.skin.as_deref() {
            let layout = &skin.layout;
            let slot = if model.platform == Platform::Pc { 4 } else { 2 };
            self.push(What::BoneMap, 0, &layout.bone_map, slot, skin.bone_map.len());
            self.items::<[f32; 4]>(What::Rotations, &layout.rotations, skin.rotations.len());
            self.items::<[f32; 3]>(What::Translations, &layout.translations, skin.translations.len());
            let scratch = super::write::scratch_len(skin);
            self.items::<u32>(What::Scratch, &layout.scratch_slot, scratch);
        }
        if let Some(dangly) = mesh.dangly.as_deref() {
            self.items::<f32>(What::Constraints, &dangly.layout.constraints, dangly.constraints.len());
            let positions = dangly.positions.resolve(&mesh.vertices.positions);
            self.items::<[f32; 3]>(What::DanglyPositions, &dangly.layout.positions, positions.len());
        }
        if let Some(aabb) = mesh.aabb.as_deref() {
            match &aabb.layout {
                AabbLayout::Scattered { at, .. } if at.len() == aabb.nodes.len() => {
                    for (i, at) in at.iter().enumerate() {
                        self.push(What::AabbBox, i, &Slot::plain(*at, 1), AabbRecord::SIZE, 1);
                    }
                }
                AabbLayout::Packed { root, .. } => {
                    self.items::<AabbRecord>(What::Aabb, root, aabb.nodes.len());
                }
                AabbLayout::Scattered { .. } => {
                    self.items::<AabbRecord>(What::Aabb, &Slot::default(), aabb.nodes.len());
                }
            }
        }
        if let Some(saber) = mesh.saber.as_deref() {
            self.items::<[f32; 3]>(What::SaberPositions, &saber.layout.positions, saber.positions.len());
            self.items::<[f32; 3]>(What::SaberNormals, &saber.layout.normals, saber.normals.len());
            self.items::<[f32; 2]>(What::SaberUvs, &saber.layout.uvs, saber.uvs.len());
        }
        let layout = &mesh.layout;
        let lists = index_lists(mesh);
        self.items::<Face>(What::Faces, &layout.faces, mesh.faces.len());
        self.items::<u32>(What::IndexCounts, &layout.index_counts, lists + layout.more_counts.len());
        if model.platform == Platform::Pc {
            self.items::<[f32; 3]>(What::Positions, &layout.mdl_positions, mesh.positions_in_mdl().len());
        }
        self.items::<u32>(What::IndexOffsets, &layout.index_offsets, lists + layout.more_offsets.len());
        self.items::<u32>(What::InvertedCounters, &layout.inverted_counters, mesh.inverted_counters.len());
        for i in 0..lists {
            let count = index_list_len(mesh, i);
            let slot = layout.index_lists.get(i).map(|at| Slot::plain(*at, count)).unwrap_or_default();
            self.push(What::IndexList, i, &slot, 2, count);
        }
    }

    /// The blocks of a node: header, children, controllers and data.
    pub(crate) fn node(&self, tree: u32, node: NodeId) -> [u32; 4] {
        let base = self.trees.get(tree as usize).copied().unwrap_or(0);
        self.nodes.get(base + node as usize).copied().unwrap_or_default()
    }

    /// The block of a part of the node whose header is block `header`.
    pub(crate) fn part(&self, header: u32, what: What) -> Option<u32> {
        let after = header as usize + 1;
        let found = self
            .blocks
            .get(after..)?
            .iter()
            .take_while(|b| b.what != What::Children)
            .position(|b| b.what == what)?;
        Some((after + found) as u32)
    }

    /// How many blocks there are, and a checksum of the places and lengths they had.
    pub(crate) fn tally(&self) -> (u32, u64) {
        let mut sum = (0, 0);
        for block in &self.blocks {
            if let Some(old) = block.old {
                tally(&mut sum, old, block.len);
            }
        }
        sum
    }

    /// The place of every block, and the length of the data. `replay` wants the old places where nothing has changed.
    pub(crate) fn solve(&self, model: &Model, replay: bool) -> Result<(Vec<u32>, usize)> {
        let layout = &model.layout;
        let unchanged = replay
            && layout.headers.is_some()
            && self.blocks.iter().all(|b| b.old.is_some() && b.old_len == b.len)
            && self.tally() == layout.blocks;
        if unchanged {
            let len = (layout.mdl_len as usize).saturating_sub(super::read::BASE);
            return Ok((self.blocks.iter().map(|b| b.old.unwrap_or(0)).collect(), len));
        }
        self.stack()
    }

    /// One block after the other, in the order they had.
    fn stack(&self) -> Result<(Vec<u32>, usize)> {
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
        usize::try_from(at)
            .map(|len| (places, len))
            .map_err(|_| Error::unrepresentable("the model is too long"))
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
pub(crate) struct Rows {
    pub(crate) tree: u32,
    pub(crate) node: NodeId,
    pub(crate) layout: RowLayout,
    /// Bytes of the rows and the last one.
    pub(crate) len: usize,
    /// Bytes of the rows alone.
    pub(crate) body: usize,
    pub(crate) at: u32,
}

/// The rows of all meshes, in the order of the compiler, and the length of the MDX.
pub(crate) fn rows(model: &Model, replay: bool) -> Result<(Vec<Rows>, usize)> {
    let mut list = collect_rows(model)?;
    let layout = &model.layout.mdx;
    let mut sum = (0, 0);
    let mut changed = layout.missing;
    for rows in &list {
        tally(&mut sum, rows.layout.at, rows.len as u32);
        changed |= !rows.layout.known;
    }
    if replay && !changed && sum == layout.blocks && model.layout.headers.is_some() {
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

/// The checksum of the rows as they are.
pub(crate) fn rows_tally(model: &Model) -> (u32, u64) {
    let mut sum = (0, 0);
    for rows in collect_rows(model).unwrap_or_default() {
        tally(&mut sum, rows.layout.at, rows.len as u32);
    }
    sum
}

fn collect_rows(model: &Model) -> Result<Vec<Rows>> {
    let packed = model.platform == Platform::Xbox;
    let mut list = Vec::new();
    if model.layout.mdx.missing {
        return Ok(list);
    }
    let trees = std::iter::once(&model.nodes).chain(model.animations.iter().map(|a| &a.nodes));
    for (tree, nodes) in trees.enumerate() {
        for (node, mesh) in nodes.iter().enumerate().filter_map(|(i, n)| Some((i, n.mesh.as_deref()?))) {
            if !mesh.in_mdx || mesh.vertex_count() == 0 {
                continue;
            }
            let layout = RowLayout::for_writing(mesh, packed);
            let stride = layout.stride as usize;
            let body = mesh.vertex_count().saturating_mul(stride);
            let last = if layout.sentinel == super::Sentinel::Absent { 0 } else { stride };
            list.push(Rows {
                tree: tree as u32,
                node: node as NodeId,
                len: body.saturating_add(last),
                body,
                layout,
                at: 0,
            });
        }
    }
    Ok(list)
}
