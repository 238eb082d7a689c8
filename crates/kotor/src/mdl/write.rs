//! A [`Model`] into bytes: everything to its old place, or, after an edit, where the plan says.

use std::cell::Cell;

use galatea_wire::{Error, Offset, Result, Wire, Writer};

use super::layout::{Headers, NodeLayout, OddNode, Place, Sentinel, Slot};
use super::mesh::Skin;
use super::node::{Light, Node, NodeId};
use super::out::{Out, put_each};
use super::plan::{
    Here, NodeSink, Piece, Plan, Rows, Sink, Trees, Unchanged, What, each_block_as_listed, rows, unchanged,
};
use super::read::BASE;
use super::wire::{
    AnimationHeader, ArrayDef, Emitter, GeometryHeader, LightHeader, ModelHeader, NodeHeader, Reference,
};
use super::{Animation, Model, Pair, PointerUse, pointers};

/// Which program addresses a mesh has.
pub(crate) fn pointer_use(skin: bool, dangly: bool) -> PointerUse {
    match (skin, dangly) {
        (true, _) => PointerUse::Skin,
        (_, true) => PointerUse::Dangly,
        _ => PointerUse::Mesh,
    }
}

/// Words of run-time room a skin gets.
pub(crate) fn scratch_len(skin: &Skin) -> usize {
    if skin.layout.scratch_slot.known { skin.layout.scratch.len() } else { skin.bone_map.len() }
}

/// A count as the 16 bits the format has for it.
pub(super) fn short(n: usize, what: &'static str) -> Result<u16> {
    u16::try_from(n)
        .map_err(|_| Error::unrepresentable(format!("{n} {what} are more than the 65,535 a mesh can have")))
}

/// Fills both files, in the allocations they have.
pub(crate) fn write(model: &Model, pair: &mut Pair) -> Result<()> {
    let len = model.layout.mdl_len as usize;
    let data_len = len.saturating_sub(BASE);
    let replayable = model.layout.headers.is_some() && !model.layout.overlaps;
    // Hardly any animation has meshes, and a look at all of their nodes takes longer than to begin anew.
    let trees = if replayable { Trees::Model } else { Trees::All };
    let (mut rows, mut mdx_len) = write_mdx(model, trees, pair)?;
    if replayable {
        let writing = Writing::new(model, Old, data_len, &rows, mdx_len);
        let mut replayed = replay(&writing, trees, &mut Out::new(&mut pair.mdl, len))?;
        if replayed == Replayed::LacksRows {
            (rows, mdx_len) = write_mdx(model, Trees::All, pair)?;
            let writing = Writing::new(model, Old, data_len, &rows, mdx_len);
            replayed = replay(&writing, Trees::All, &mut Out::new(&mut pair.mdl, len))?;
        }
        if replayed == Replayed::Done {
            return Ok(());
        }
    }
    let writing = Writing::new(model, Old, data_len, &rows, mdx_len);
    if unchanged(model)? {
        let mut mdl = Out::new(&mut pair.mdl, len);
        writing.model(&mut mdl)?;
        if model.layout.overlaps {
            writing.model(mdl.verify())?;
        }
        // Blocks that share bytes and no longer agree on them need places of their own.
        if !mdl.differs {
            return Ok(());
        }
    }
    let plan = Plan::of(model)?;
    let mut mdl = Out::new(&mut pair.mdl, plan.len.saturating_add(BASE));
    Writing::new(model, &plan, plan.len, &rows, mdx_len).model(&mut mdl)
}

/// Fills the MDX; tells the rows in it and its length.
fn write_mdx<'a>(model: &'a Model, trees: Trees, pair: &mut Pair) -> Result<(Vec<Rows<'a>>, usize)> {
    let (mut list, mut len) = rows(model, trees, true)?;
    let mut mdx = Out::new(&mut pair.mdx, len);
    fill_rows(model, &list, &mut mdx)?;
    if model.layout.mdx.overlaps {
        fill_rows(model, &list, mdx.verify())?;
        if mdx.differs {
            (list, len) = rows(model, trees, false)?;
            fill_rows(model, &list, &mut Out::new(&mut pair.mdx, len))?;
        }
    }
    Ok((list, len))
}

/// What came of [`replay`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replayed {
    Done,
    /// The model has other blocks now.
    Changed,
    /// There are meshes in animations, whose rows were not looked for.
    LacksRows,
}

/// Writes a model that has the blocks it was read with.
///
/// Finding that out takes a look at all nodes, so they are written on the way; if it is not so, that was in vain.
fn replay(writing: &Writing<'_, Old>, trees: Trees, out: &mut Out<'_>) -> Result<Replayed> {
    let mut owners = vec![0];
    owners.extend(writing.model.animations.iter().map(|a| a.layout.header.at));
    let mut sink = Replay {
        writing,
        out,
        owners: &owners,
        blocks: Unchanged::default(),
        failed: false,
        meshes_in_animations: false,
    };
    let sound = each_block_as_listed(writing.model, &mut sink)?;
    if sink.meshes_in_animations && trees == Trees::Model {
        return Ok(Replayed::LacksRows);
    }
    if !sound || sink.failed || !sink.blocks.fills(writing.len) {
        return Ok(Replayed::Changed);
    }
    writing.outline(out)?;
    out.finish();
    Ok(Replayed::Done)
}

struct Replay<'a, 'o> {
    writing: &'a Writing<'a, Old>,
    out: &'a mut Out<'o>,
    /// Where the model (0) and its animations stand.
    owners: &'a [u32],
    blocks: Unchanged,
    failed: bool,
    meshes_in_animations: bool,
}

impl Replay<'_, '_> {
    #[inline]
    fn owner(&self, here: Here<'_>) -> u32 {
        self.owners.get(here.tree as usize).copied().unwrap_or(0)
    }
}

impl Sink for Replay<'_, '_> {
    #[inline]
    fn block(&mut self, what: What, sub: usize, slot: Slot, item: usize, count: usize) {
        self.blocks.block(what, sub, slot, item, count);
    }
}

impl NodeSink for Replay<'_, '_> {
    fn node(&mut self, here: Here<'_>) {
        self.meshes_in_animations |= here.tree != 0 && here.node.mesh.is_some();
        self.failed = self.failed
            || !self.blocks.as_long_as_before()
            || self.writing.node(self.out, here, self.owner(here)).is_err();
    }

    #[inline]
    fn plain_node(&mut self, here: Here<'_>, pieces: [Piece; 2]) {
        self.blocks.pieces(pieces);
        self.failed =
            self.failed || self.writing.plain_node(self.out, here, self.owner(here), pieces).is_err();
    }
}

/// The MDX.
fn fill_rows(model: &Model, rows: &[Rows<'_>], out: &mut Out<'_>) -> Result<()> {
    let len = out.len;
    if model.layout.mdx.len as usize == len && out.compared.is_none() {
        for gap in model.layout.mdx.gaps.iter().filter(|g| g.offset as usize + g.bytes.len() <= len) {
            out.bytes(gap.offset as usize, &gap.bytes)?;
        }
    }
    for rows in rows {
        let skin = rows.mesh.skin.is_some();
        out.range(rows.at as usize, rows.body, |body| rows.layout.encode(&rows.mesh.vertices, skin, body))?;
        let last = rows.at as usize + rows.body;
        let row = rows.len - rows.body;
        match &rows.layout.sentinel {
            Sentinel::Absent => {}
            Sentinel::Usual => out.range(last, row, |slot| {
                slot.fill(0);
                [if skin { 1.0e6f32 } else { 1.0e7 }; 3].put(slot);
            })?,
            Sentinel::Number(number) => out.range(last, row, |slot| {
                slot.fill(0);
                [*number; 3].put(slot);
            })?,
            Sentinel::Raw(bytes) => out.bytes(last, bytes.get(..row).unwrap_or(bytes))?,
        }
    }
    out.finish();
    Ok(())
}

impl Model {
    /// The nodes of the model (0) or of one of its animations (from 1).
    pub(crate) fn tree(&self, tree: u32) -> &[Node] {
        match tree.checked_sub(1) {
            None => &self.nodes,
            Some(animation) => self.animations.get(animation as usize).map_or(&[], |a| &a.nodes),
        }
    }

    pub(crate) fn tree_mut(&mut self, tree: u32) -> &mut [Node] {
        match tree.checked_sub(1) {
            None => &mut self.nodes,
            Some(animation) => self.animations.get_mut(animation as usize).map_or(&mut [], |a| &mut a.nodes),
        }
    }
}

/// Where everything goes: where it was, or where a plan says. Two types, so that nobody asks at every block.
pub(super) trait Places: Copy {
    /// The plan, if there is one.
    fn plan(&self) -> Option<&Plan>;
}

/// Where it was.
#[derive(Clone, Copy)]
pub(super) struct Old;

impl Places for Old {
    #[inline(always)]
    fn plan(&self) -> Option<&Plan> {
        None
    }
}

impl Places for &Plan {
    #[inline(always)]
    fn plan(&self) -> Option<&Plan> {
        Some(self)
    }
}

pub(super) struct Writing<'a, P> {
    pub(super) model: &'a Model,
    pub(super) places: P,
    /// Length of the data.
    pub(super) len: usize,
    pub(super) rows: &'a [Rows<'a>],
    /// The rows that are likely to come next.
    pub(super) next_rows: Cell<usize>,
    pub(super) mdx_len: usize,
}

impl<'a, P: Places> Writing<'a, P> {
    fn new(model: &'a Model, places: P, len: usize, rows: &'a [Rows<'a>], mdx_len: usize) -> Self {
        Writing { model, places, len, rows, next_rows: Cell::new(0), mdx_len }
    }

    /// The rows of the mesh of a node, if it has any.
    pub(super) fn rows_of(&self, here: Here<'_>) -> Option<&'a Rows<'a>> {
        let key = |rows: &Rows<'_>| (rows.tree, rows.node);
        let (wanted, next) = ((here.tree, here.id), self.next_rows.get());
        let at = match self.rows.get(next) {
            Some(rows) if key(rows) == wanted => next,
            _ => self.rows.binary_search_by_key(&wanted, key).ok()?,
        };
        self.next_rows.set(at + 1);
        self.rows.get(at)
    }
}

impl<P: Places> Writing<'_, P> {
    /// The place of a part of a node.
    #[inline]
    pub(super) fn place(&self, here: Here<'_>, what: What, slot: &Slot) -> u32 {
        match self.places.plan() {
            None => slot.at,
            Some(plan) => plan.part(here.tree, here.id, what, 0),
        }
    }

    /// The place of the header of a node of a tree.
    #[inline]
    pub(super) fn node_place(&self, tree: u32, nodes: &[Node], id: NodeId) -> u32 {
        match self.places.plan() {
            None => nodes.get(id as usize).map_or(0, |n| n.layout.header.at),
            Some(plan) => plan.part(tree, id, What::Node, 0),
        }
    }

    /// The place of one of several things of a node.
    pub(super) fn nth(&self, here: Here<'_>, what: What, old: &[u32], i: usize) -> u32 {
        match self.places.plan() {
            None => old.get(i).copied().unwrap_or(0),
            Some(plan) => plan.part(here.tree, here.id, what, i),
        }
    }

    /// An array definition for a part of a node.
    #[inline]
    pub(super) fn def(&self, here: Here<'_>, what: What, slot: &Slot, count: usize) -> Result<ArrayDef> {
        let same = slot.count as usize == count;
        let count = if same { slot.count } else { Writer::count(count, "items")? };
        Ok(slot.def(self.place(here, what, slot), count))
    }

    /// The items of a part of a node.
    pub(super) fn items<T: Wire>(
        &self,
        out: &mut Out<'_>,
        here: Here<'_>,
        what: What,
        slot: &Slot,
        values: &[T],
    ) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        out.array(self.place(here, what, slot) as usize + BASE, values)
    }

    fn model(&self, out: &mut Out<'_>) -> Result<()> {
        let animations = self.outline(out)?;
        let trees = std::iter::once((&self.model.nodes, 0))
            .chain(self.model.animations.iter().map(|a| &a.nodes).zip(animations));
        for (tree, (nodes, owner)) in trees.enumerate() {
            for (id, node) in nodes.iter().enumerate() {
                self.node(out, Here { tree: tree as u32, nodes, id: id as NodeId, node }, owner)?;
            }
        }
        out.finish();
        Ok(())
    }

    /// Everything but the nodes; returns where the animations are.
    fn outline(&self, out: &mut Out<'_>) -> Result<Vec<u32>> {
        let model = self.model;
        let layout = &model.layout;
        let gaps = self.places.plan().map(|plan| plan.all(What::Gap).collect::<Vec<u32>>());
        for (i, gap) in layout.gaps.iter().enumerate() {
            let planned = gaps.as_ref().map(|g| g.get(i).copied().unwrap_or(0) as usize + BASE);
            out.bytes(planned.unwrap_or(gap.offset as usize), &gap.bytes)?;
        }
        self.headers(out)?;
        let planned: Vec<u32>;
        let (names, animations): (&[u32], Vec<u32>) = match self.places.plan() {
            None => (&layout.names, model.animations.iter().map(|a| a.layout.header.at).collect()),
            Some(plan) => {
                planned = plan.all(What::Name).collect();
                (&planned, plan.all(What::Animation).collect())
            }
        };
        let offsets =
            |what: What, slot: &Slot| self.places.plan().map_or(slot.at, |p| p.first(what)) as usize + BASE;
        out.array(offsets(What::NameOffsets, &layout.name_offsets), names)?;
        for (name, at) in model.names.iter().zip(names) {
            out.cstr(*at as usize + BASE, &name.0)?;
        }
        out.array(offsets(What::AnimationOffsets, &layout.animation_offsets), &animations)?;
        let events = self.places.plan().map(|plan| plan.all(What::Events).collect::<Vec<u32>>());
        for (i, (animation, at)) in model.animations.iter().zip(&animations).enumerate() {
            let event = events.as_ref().and_then(|e| e.get(i)).copied().unwrap_or(animation.layout.events.at);
            self.animation(out, *at, event, animation, i as u32 + 1)?;
        }
        Ok(animations)
    }

    fn headers(&self, out: &mut Out<'_>) -> Result<()> {
        let model = self.model;
        let old = model.layout.headers.as_deref();
        let mut headers: Headers = old.cloned().unwrap_or_else(|| Headers {
            geometry: GeometryHeader { geometry_type: 2, ..GeometryHeader::default() },
            head_is_sound: true,
            ..Headers::default()
        });
        let size = Writer::count(self.len, "bytes")?;
        let old_len = model.layout.mdl_len as usize;
        // A size that was wrong stays as it was while the length does.
        if old.is_none_or(|o| o.file.mdl_size as usize + BASE == old_len) || self.len + BASE != old_len {
            headers.file.mdl_size = size;
        }
        let mdx = &model.layout.mdx;
        let mdx_size = Writer::count(self.mdx_len, "bytes")?;
        if !mdx.missing {
            for field in [&mut headers.file.mdx_size, &mut headers.names.mdx_size] {
                if *field == mdx.len || self.mdx_len != mdx.len as usize {
                    *field = mdx_size;
                }
            }
        }
        let usual = pointers(model.game, model.platform, PointerUse::Model);
        let own = old.map(|o| o.geometry.pointers).filter(|[first, _]| *first == usual[0]);
        headers.geometry.pointers = own.unwrap_or(usual);
        headers.geometry.name = model.name;
        headers.geometry.node_count = model.node_count;
        let root = if model.nodes.is_empty() { 0 } else { self.node_place(0, &model.nodes, 0) };
        headers.geometry.root = Offset(root);
        if headers.head_is_sound || model.head.is_some() {
            headers.names.head_root =
                Offset(model.head.map_or(root, |h| self.node_place(0, &model.nodes, h)));
        }
        let def = |what: What, slot: &Slot, count: usize| -> Result<ArrayDef> {
            let at = self.places.plan().map_or(slot.at, |p| p.first(what));
            Ok(slot.def(at, Writer::count(count, "items")?))
        };
        headers.names.names = def(What::NameOffsets, &model.layout.name_offsets, model.names.len())?;
        headers.model = ModelHeader {
            classification: model.classification,
            subclassification: model.subclassification,
            unknown_0x02: model.unknown_0x52,
            fog: model.fog,
            child_models: model.child_models,
            animations: def(What::AnimationOffsets, &model.layout.animation_offsets, model.animations.len())?,
            supermodel_pointer: headers.model.supermodel_pointer,
            bounds_min: model.bounds[0],
            bounds_max: model.bounds[1],
            radius: model.radius,
            animation_scale: model.animation_scale,
            supermodel: model.supermodel,
        };
        out.put(0, &headers.file)?;
        out.put(BASE, &headers.geometry)?;
        out.put(BASE + GeometryHeader::SIZE, &headers.model)?;
        out.put(BASE + GeometryHeader::SIZE + ModelHeader::SIZE, &headers.names)
    }

    fn animation(
        &self,
        out: &mut Out<'_>,
        at: u32,
        events: u32,
        animation: &Animation,
        tree: u32,
    ) -> Result<()> {
        let fresh = || {
            let pointers = pointers(self.model.game, self.model.platform, PointerUse::Animation);
            (
                GeometryHeader { pointers, geometry_type: 5, ..GeometryHeader::default() },
                AnimationHeader::default(),
            )
        };
        let (mut geometry, mut header) = animation.layout.raw.as_deref().copied().unwrap_or_else(fresh);
        geometry.name = animation.name;
        geometry.node_count = animation.node_count;
        geometry.root =
            Offset(if animation.nodes.is_empty() { 0 } else { self.node_place(tree, &animation.nodes, 0) });
        header.length = animation.length;
        header.transition = animation.transition;
        header.root = animation.root;
        header.events = animation.layout.events.def(events, Writer::count(animation.events.len(), "events")?);
        out.put(at as usize + BASE, &geometry)?;
        out.put(at as usize + BASE + GeometryHeader::SIZE, &header)?;
        out.array(events as usize + BASE, &animation.events)
    }

    fn node(&self, out: &mut Out<'_>, here: Here<'_>, owner: u32) -> Result<()> {
        let node = here.node;
        let layout = &node.layout;
        let (list, data) = (node.controllers.list(), node.controllers.data());
        let defs = [
            self.def(here, What::Children, &layout.children_slot(), node.children.len())?,
            self.def(here, What::Controllers, &layout.controllers_slot(), list.len())?,
            self.def(here, What::Data, &layout.data_slot(), data.len())?,
        ];
        let header = self.node_header(here, owner, layout.odd.as_deref(), defs);
        let mut at = self.place(here, What::Node, &layout.header_slot()) as usize + BASE;
        put(out, &mut at, &header)?;
        if header.children.count > 0 {
            let at = header.children.offset.0 as usize + BASE;
            out.each(at, node.children.len(), self.children(here))?;
        }
        out.array(header.controllers.offset.0 as usize + BASE, list)?;
        out.array(header.data.offset.0 as usize + BASE, data)?;
        if let Some(light) = node.light.as_deref() {
            self.light(out, &mut at, here, light)?;
        }
        if let Some(emitter) = node.emitter.as_deref() {
            put::<Emitter>(out, &mut at, emitter)?;
        }
        if let Some(reference) = node.reference.as_deref() {
            put::<Reference>(out, &mut at, reference)?;
        }
        if let Some(mesh) = node.mesh.as_deref() {
            self.mesh(out, &mut at, here, mesh)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn node_header(
        &self,
        here: Here<'_>,
        owner: u32,
        odd: Option<&OddNode>,
        [children, controllers, data]: [ArrayDef; 3],
    ) -> NodeHeader {
        let Here { tree, nodes, node, .. } = here;
        let parent = || node.parent.map_or(0, |id| self.node_place(tree, nodes, id));
        NodeHeader {
            flags: node.flags(),
            number: node.number,
            name: node.name,
            padding: odd.map_or(0, |odd| odd.padding),
            owner: Offset(odd.and_then(|odd| odd.stale_owner).unwrap_or(owner)),
            parent: Offset(odd.and_then(|odd| odd.stale_parent).unwrap_or_else(parent)),
            position: node.position,
            orientation: node.orientation,
            children,
            controllers,
            data,
        }
    }

    /// The places of the children of a node.
    #[inline(always)]
    fn children<'h>(&'h self, here: Here<'h>) -> impl Iterator<Item = u32> + 'h {
        here.node.children.iter().map(move |child| self.node_place(here.tree, here.nodes, *child))
    }

    #[inline(never)]
    fn light(&self, out: &mut Out<'_>, at: &mut usize, here: Here<'_>, light: &Light) -> Result<()> {
        let layout = &light.layout;
        let def = |what, slot, count| self.def(here, what, slot, count);
        let header = LightHeader {
            flare_radius: light.flare_radius,
            runtime_array: layout.runtime_array,
            flare_sizes: def(What::FlareSizes, &layout.sizes, light.flare_sizes.len())?,
            flare_positions: def(What::FlarePositions, &layout.positions, light.flare_positions.len())?,
            flare_colors: def(What::FlareColors, &layout.colors, light.flare_colors.len())?,
            flare_textures: def(
                What::FlareTextureOffsets,
                &layout.texture_offsets,
                light.flare_textures.len(),
            )?,
            priority: light.priority,
            ambient_only: light.ambient_only,
            dynamic_type: light.dynamic_type,
            affect_dynamic: light.affect_dynamic,
            shadow: light.shadow,
            flare: light.flare,
            fading: light.fading,
        };
        put(out, at, &header)?;
        let count = light.flare_textures.len();
        let names: Vec<u32> =
            (0..count).map(|i| self.nth(here, What::FlareTexture, &layout.textures, i)).collect();
        self.items(out, here, What::FlareTextureOffsets, &layout.texture_offsets, &names)?;
        for (name, at) in light.flare_textures.iter().zip(&names) {
            out.cstr(*at as usize + BASE, &name.0)?;
        }
        self.items(out, here, What::FlareSizes, &layout.sizes, &light.flare_sizes)?;
        self.items(out, here, What::FlarePositions, &layout.positions, &light.flare_positions)?;
        self.items(out, here, What::FlareColors, &layout.colors, &light.flare_colors)
    }
}

impl Writing<'_, Old> {
    /// A node that consists of two pieces, to where they were.
    #[inline(always)]
    fn plain_node(
        &self,
        out: &mut Out<'_>,
        here: Here<'_>,
        owner: u32,
        [head, tail]: [Piece; 2],
    ) -> Result<()> {
        let NodeLayout { children, controllers, data, .. } = &here.node.layout;
        let defs = [children, controllers, data].map(Place::def);
        let header = self.node_header(here, owner, None, defs);
        out.range(head.at as usize + BASE, head.len, |slot| {
            if let Some((slot, rest)) = slot.split_at_mut_checked(NodeHeader::SIZE) {
                header.put(slot);
                put_each(rest, self.children(here));
            }
        })?;
        out.range(tail.at as usize + BASE, tail.len, |slot| here.node.controllers.put(slot))
    }
}

/// Writes a record and moves on behind it.
#[inline(always)]
pub(super) fn put<T: Wire>(out: &mut Out<'_>, at: &mut usize, value: &T) -> Result<()> {
    out.put(*at, value)?;
    *at += T::SIZE;
    Ok(())
}
