//! Writes a [`Model`]: one walk plans the blocks, a second one writes them to their places.

mod blocks;
mod mesh;
mod out;
mod plan;
mod rows;

use std::slice;

use galatea_wire::{Error, Offset, Result, Wire, Writer};

use crate::mdl::layout::{DATA_START, Headers, Slot};
use crate::mdl::node::{Light, Node, NodeId};
use crate::mdl::wire::{
    AnimationHeader, ArrayDef, FileHeader, GeometryHeader, LightHeader, ModelHeader, NodeHeader,
};
use crate::mdl::{Animation, Model, Pair, PointerUse, pointers};
use blocks::{BlockKind, Pass};
use out::Out;
use plan::Plan;
use rows::RowPlan;

/// Writes both files, reusing their allocations.
pub(crate) fn write(model: &Model, pair: &mut Pair) -> Result<()> {
    let mut rows = RowPlan::of(model)?;
    rows.write(model, &mut pair.mdx)?;
    let mut plan = Plan::of(model, &rows)?;
    emit(model, &rows, &plan, Out::zeroed(&mut pair.mdl, DATA_START + plan.len))?;
    // Blocks that share bytes but no longer agree on them need separate places.
    if plan.shared && !emit(model, &rows, &plan, Out::comparing(&mut pair.mdl))? {
        plan.stack()?;
        emit(model, &rows, &plan, Out::zeroed(&mut pair.mdl, DATA_START + plan.len))?;
    }
    Ok(())
}

/// Writes the blocks of a model to the planned places, or compares them with existing bytes. Returns `false` if they
/// differ.
fn emit(model: &Model, rows: &RowPlan<'_>, plan: &Plan, out: Out<'_>) -> Result<bool> {
    let mut emitter = Emitter { plan, places: plan.places(), out };
    BlockWalk::new(model, rows, &mut emitter).run()?;
    emitter.out.finish()
}

/// The pass that writes blocks to the planned places.
struct Emitter<'a, I> {
    plan: &'a Plan,
    /// The places of the remaining blocks.
    places: I,
    out: Out<'a>,
}

impl<I: Iterator<Item = u32>> Pass for Emitter<'_, I> {
    #[inline]
    fn block(&mut self, _: BlockKind, _: &Slot, _: usize, _: usize) -> u32 {
        self.places.next().unwrap_or(0)
    }

    #[inline]
    fn node_block(&mut self, _: usize, _: &Slot, _: usize) -> u32 {
        self.places.next().unwrap_or(0)
    }

    #[inline]
    fn node_place(&self, index: usize) -> u32 {
        self.plan.node_place(index)
    }

    #[inline(always)]
    fn fill(&mut self, at: usize, len: usize, fill: impl FnOnce(&mut [u8])) {
        self.out.fill(at + DATA_START, len, fill);
    }

    fn file_header(&mut self, header: &FileHeader) {
        self.out.put(0, header);
    }

    fn data_len(&self) -> usize {
        self.plan.len
    }
}

/// A walk over all blocks of a model in the order of the game's compiler.
struct BlockWalk<'a, P> {
    model: &'a Model,
    rows: &'a RowPlan<'a>,
    pass: &'a mut P,
    /// Which nodes of the current tree were reached.
    reached: Vec<bool>,
    /// The nodes whose children are being walked.
    open: Vec<OpenNode<'a>>,
}

/// A list of nodes that refer to each other: those of the model or of an animation.
#[derive(Clone, Copy)]
struct Tree<'a> {
    nodes: &'a [Node],
    /// The first node, counted over all trees.
    first: usize,
    /// The place of the animation; 0 for the model.
    owner: u32,
}

/// A node whose children are being walked. Its header is complete once they are written.
struct OpenNode<'a> {
    node: &'a Node,
    place: u32,
    children: ArrayDef,
    /// The children yet to be walked.
    rest: slice::Iter<'a, NodeId>,
}

impl<'a, P: Pass> BlockWalk<'a, P> {
    fn new(model: &'a Model, rows: &'a RowPlan<'a>, pass: &'a mut P) -> Self {
        BlockWalk { model, rows, pass, reached: Vec::new(), open: Vec::new() }
    }

    /// Walks the model. Fails if its nodes are not trees.
    fn run(&mut self) -> Result<()> {
        let model = self.model;
        let layout = &model.layout;
        let names = self.pass.block(BlockKind::List, &layout.name_offsets, u32::SIZE, model.names.len());
        for (i, name) in model.names.iter().enumerate() {
            let at = self.pass.name(layout.names.get(i), &name.0);
            self.pass.put(names as usize + i * u32::SIZE, &at);
        }
        let (count, old) = (model.animations.len(), &layout.animation_offsets);
        let animations = self.pass.block(BlockKind::PlacedList, old, u32::SIZE, count);
        let mut first = model.nodes.len();
        for (i, animation) in model.animations.iter().enumerate() {
            let at = self.animation(animation, first)?;
            self.pass.put(animations as usize + i * u32::SIZE, &at);
            first += animation.nodes.len();
        }
        self.tree(Tree { nodes: &model.nodes, first: 0, owner: 0 })?;
        for gap in &layout.gaps {
            let old = Slot::plain(gap.offset.saturating_sub(DATA_START as u32), gap.bytes.len());
            let at = self.pass.block(BlockKind::Gap, &old, 1, gap.bytes.len());
            self.pass.fill(at as usize, gap.bytes.len(), |bytes| bytes.copy_from_slice(&gap.bytes));
        }
        self.headers(names, animations)
    }

    /// Writes the headers of the model.
    fn headers(&mut self, names: u32, animations: u32) -> Result<()> {
        let model = self.model;
        let old = model.layout.headers.as_deref();
        let mut headers: Headers = old.cloned().unwrap_or_else(|| Headers {
            geometry: GeometryHeader { geometry_type: 2, ..GeometryHeader::default() },
            head_is_sound: true,
            ..Headers::default()
        });
        self.sizes(&mut headers)?;
        let usual = pointers(model.game, model.platform, PointerUse::Model);
        let own = old.map(|o| o.geometry.pointers).filter(|[first, _]| *first == usual[0]);
        headers.geometry.pointers = own.unwrap_or(usual);
        headers.geometry.name = model.name;
        headers.geometry.node_count = model.node_count;
        let root = if model.nodes.is_empty() { 0 } else { self.pass.node_place(0) };
        headers.geometry.root = Offset(root);
        if headers.head_is_sound || model.head.is_some() {
            let head = model.head.map_or(root, |id| self.pass.node_place(id as usize));
            headers.names.head_root = Offset(head);
        }
        let names_count = Writer::count(model.names.len(), "names")?;
        headers.names.names = model.layout.name_offsets.def(names, names_count);
        let animation_count = Writer::count(model.animations.len(), "animations")?;
        headers.model = ModelHeader {
            classification: model.classification,
            subclassification: model.subclassification,
            unknown_0x02: model.unknown_0x52,
            fog: model.fog,
            child_models: model.child_models,
            animations: model.layout.animation_offsets.def(animations, animation_count),
            supermodel_pointer: headers.model.supermodel_pointer,
            bounds_min: model.bounds[0],
            bounds_max: model.bounds[1],
            radius: model.radius,
            animation_scale: model.animation_scale,
            supermodel: model.supermodel,
        };
        let mut end = 0;
        self.pass.append(&mut end, &headers.geometry);
        self.pass.append(&mut end, &headers.model);
        self.pass.append(&mut end, &headers.names);
        self.pass.file_header(&headers.file);
        Ok(())
    }

    /// Sets the lengths of both files. Wrong lengths that were read are kept while the files have the same length.
    fn sizes(&self, headers: &mut Headers) -> Result<()> {
        let layout = &self.model.layout;
        let old_len = layout.mdl_len as usize;
        let was_right = headers.file.mdl_size as usize + DATA_START == old_len;
        if layout.headers.is_none() || was_right || self.pass.data_len() + DATA_START != old_len {
            headers.file.mdl_size = Writer::count(self.pass.data_len(), "bytes")?;
        }
        let mdx_size = Writer::count(self.rows.len, "bytes")?;
        if !layout.mdx.missing {
            for field in [&mut headers.file.mdx_size, &mut headers.names.mdx_size] {
                if *field == layout.mdx.len || mdx_size != layout.mdx.len {
                    *field = mdx_size;
                }
            }
        }
        Ok(())
    }

    /// Writes an animation. Returns its place. `first` is its first node, counted over all trees.
    fn animation(&mut self, animation: &'a Animation, first: usize) -> Result<u32> {
        let len = GeometryHeader::SIZE + AnimationHeader::SIZE;
        let place = self.pass.block(BlockKind::Record, &animation.layout.header, 1, len);
        let events = self.pass.list(BlockKind::List, &animation.layout.events, &animation.events);
        self.tree(Tree { nodes: &animation.nodes, first, owner: place })?;
        let fresh = || {
            let pointers = pointers(self.model.game, self.model.platform, PointerUse::Animation);
            let geometry = GeometryHeader { pointers, geometry_type: 5, ..GeometryHeader::default() };
            (geometry, AnimationHeader::default())
        };
        let (mut geometry, mut header) = animation.layout.raw.as_deref().copied().unwrap_or_else(fresh);
        geometry.name = animation.name;
        geometry.node_count = animation.node_count;
        let root = if animation.nodes.is_empty() { 0 } else { self.pass.node_place(first) };
        geometry.root = Offset(root);
        header.length = animation.length;
        header.transition = animation.transition;
        header.root = animation.root;
        header.events = events;
        let mut end = place as usize;
        self.pass.append(&mut end, &geometry);
        self.pass.append(&mut end, &header);
        Ok(place)
    }

    /// Writes a tree of nodes: each with its parts and its list of children, then the children, then its controllers.
    fn tree(&mut self, tree: Tree<'a>) -> Result<()> {
        let broken = |id: NodeId, what: &str| Error::unrepresentable(format!("nodes[{id}] {what}"));
        self.reached.clear();
        self.reached.resize(tree.nodes.len(), false);
        let mut count = 0;
        let mut next = if tree.nodes.is_empty() { None } else { Some(0) };
        while let Some(id) = next {
            let (Some(node), Some(reached)) =
                (tree.nodes.get(id as usize), self.reached.get_mut(id as usize))
            else {
                return Err(broken(id, "does not exist"));
            };
            if std::mem::replace(reached, true) {
                return Err(broken(id, "is the child of two nodes, or of itself"));
            }
            count += 1;
            let opened = self.enter(tree, id, node)?;
            if node.children.is_empty() {
                self.leave(tree, &opened);
            } else {
                self.open.push(opened);
            }
            next = None;
            while let Some(last) = self.open.last_mut() {
                next = last.rest.next().copied();
                if next.is_some() {
                    break;
                }
                if let Some(finished) = self.open.pop() {
                    self.leave(tree, &finished);
                }
            }
        }
        if count != tree.nodes.len() {
            let id = self.reached.iter().position(|reached| !reached).unwrap_or(0);
            return Err(broken(id as NodeId, "has no parent"));
        }
        Ok(())
    }

    /// Writes the blocks before the children of a node: its parts and the list of its children.
    #[inline]
    fn enter(&mut self, tree: Tree<'a>, id: NodeId, node: &'a Node) -> Result<OpenNode<'a>> {
        let index = tree.first + id as usize;
        let layout = &node.layout;
        let place = self.pass.node_block(index, &layout.header_slot(), node.record_len(self.model));
        let mut end = place as usize + NodeHeader::SIZE;
        if let Some(light) = node.light.as_deref() {
            self.light(&mut end, light);
        }
        if let Some(emitter) = node.emitter.as_deref() {
            self.pass.append(&mut end, emitter);
        }
        if let Some(reference) = node.reference.as_deref() {
            self.pass.append(&mut end, reference);
        }
        if let Some(mesh) = node.mesh.as_deref() {
            self.mesh(&mut end, index, mesh)?;
        }
        let (count, old) = (node.children.len(), layout.children_slot());
        let list = self.pass.block(BlockKind::PlacedList, &old, u32::SIZE, count);
        for (i, child) in node.children.iter().enumerate() {
            let place = self.pass.node_place(tree.first + *child as usize);
            self.pass.put(list as usize + i * u32::SIZE, &place);
        }
        let children = old.def(list, count as u32);
        Ok(OpenNode { node, place, children, rest: node.children.iter() })
    }

    /// Writes the blocks after the children of a node: its controllers, and its header, which is complete now.
    #[inline]
    fn leave(&mut self, tree: Tree<'a>, open: &OpenNode<'a>) {
        let node = open.node;
        let layout = &node.layout;
        let controllers =
            self.pass.list(BlockKind::List, &layout.controllers_slot(), node.controllers.list());
        let data = self.pass.list(BlockKind::List, &layout.data_slot(), node.controllers.data());
        let odd = layout.odd.as_deref();
        let parent = || node.parent.map_or(0, |id| self.pass.node_place(tree.first + id as usize));
        let header = NodeHeader {
            flags: node.flags(),
            number: node.number,
            name: node.name,
            padding: odd.map_or(0, |odd| odd.padding),
            owner: Offset(odd.and_then(|odd| odd.stale_owner).unwrap_or(tree.owner)),
            parent: Offset(odd.and_then(|odd| odd.stale_parent).unwrap_or_else(parent)),
            position: node.position,
            orientation: node.orientation,
            children: open.children,
            controllers,
            data,
        };
        self.pass.put(open.place as usize, &header);
    }

    #[inline(never)]
    fn light(&mut self, end: &mut usize, light: &Light) {
        let layout = &light.layout;
        let (count, old) = (light.flare_textures.len(), &layout.texture_offsets);
        let textures = self.pass.block(BlockKind::List, old, u32::SIZE, count);
        for (i, name) in light.flare_textures.iter().enumerate() {
            let at = self.pass.name(layout.textures.get(i), &name.0);
            self.pass.put(textures as usize + i * u32::SIZE, &at);
        }
        let header = LightHeader {
            flare_radius: light.flare_radius,
            runtime_array: layout.runtime_array,
            flare_sizes: self.pass.list(BlockKind::List, &layout.sizes, &light.flare_sizes),
            flare_positions: self.pass.list(BlockKind::List, &layout.positions, &light.flare_positions),
            flare_colors: self.pass.list(BlockKind::List, &layout.colors, &light.flare_colors),
            flare_textures: old.def(textures, count as u32),
            priority: light.priority,
            ambient_only: light.ambient_only,
            dynamic_type: light.dynamic_type,
            affect_dynamic: light.affect_dynamic,
            shadow: light.shadow,
            flare: light.flare,
            fading: light.fading,
        };
        self.pass.append(end, &header);
    }
}
