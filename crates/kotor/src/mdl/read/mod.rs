//! Reads a [`Model`] from bytes.

mod aabb;
mod parts;
mod rows;

use galatea_wire::{ErrorKind, Gap, Limits, Reader, Result, Source, Wire};

use crate::mdl::layout::{DATA_START, Headers, OddNode, Place, Slot, file_position};
use crate::mdl::node::{Name, Node, NodeId, flag};
use crate::mdl::wire::{
    AnimationHeader, ArrayDef, Controller, Emitter, FileHeader, GeometryHeader, LightHeader, ModelHeader,
    NamesHeader, NodeHeader, Reference,
};
use crate::mdl::{Animation, AnimationLayout, Game, Inspected, Model, NodeLayout, Platform, target_of};

pub(crate) fn read(mdl: &[u8], mdx: Option<&[u8]>, limits: &Limits) -> Result<Model> {
    let source = Source::new(mdl, limits).unnamed();
    let rows = Source::new(mdx.unwrap_or(&[]), limits).unnamed();
    match read_both(&source, &rows) {
        Ok(mut model) => {
            finish(&mut model, &source, &rows);
            Ok(model)
        }
        // Only a reader with names can report the place of the error.
        Err(error) => Err(inspect(mdl, mdx, limits).error.unwrap_or(error)),
    }
}

pub(crate) fn inspect(mdl: &[u8], mdx: Option<&[u8]>, limits: &Limits) -> Inspected {
    let source = Source::new(mdl, limits);
    let rows = Source::new(mdx.unwrap_or(&[]), limits);
    let error = read_both(&source, &rows).err();
    Inspected { mdl: source.into_coverage(), mdx: rows.into_coverage(), error }
}

fn read_both(mdl: &Source<'_>, mdx: &Source<'_>) -> Result<Model> {
    let mut read = Read::new(mdl.reader())?;
    let mut model = read.model()?;
    rows::read_rows(&mut model, &read.meshes, mdl.reader(), mdx)?;
    Ok(model)
}

/// Stores unclaimed bytes, and whether parts share bytes.
fn finish(model: &mut Model, source: &Source<'_>, rows: &Source<'_>) {
    let kept = |gaps: &[Gap]| -> u64 { gaps.iter().map(|g| g.bytes.len() as u64).sum() };
    let layout = &mut model.layout;
    layout.gaps = source.keep_gaps();
    layout.mdl_len = source.data().len() as u32;
    layout.overlaps |= source.claimed() + kept(&layout.gaps) > u64::from(layout.mdl_len);
    let mut gaps = rows.keep_gaps();
    layout.mdx.len = rows.data().len() as u32;
    layout.mdx.overlaps = rows.claimed() + kept(&gaps) > u64::from(layout.mdx.len);
    gaps.append(&mut layout.mdx.gaps);
    layout.mdx.gaps = gaps;
}

/// Reads the items of an array.
fn array<T: Wire>(r: Reader<'_>, def: &ArrayDef, name: &'static str) -> Result<Vec<T>> {
    r.array(file_position(def.offset.0), def.count as usize, name)
}

struct Read<'a> {
    r: Reader<'a>,
    file: FileHeader,
    geometry: GeometryHeader,
    game: Game,
    platform: Platform,
    /// Offset and length of each name.
    names: Vec<(u32, u32)>,
    /// Whether names that were claimed together share bytes.
    shared_names: bool,
    /// Which nodes have a mesh: the tree, and the node in it.
    meshes: Vec<(u32, NodeId)>,
}

/// A node to read, and its parent.
struct Parent {
    id: Option<NodeId>,
    offset: u32,
    /// Offset of the node.
    child: u32,
}

/// A node whose children are being read.
struct Open<'a> {
    id: NodeId,
    offset: u32,
    r: Reader<'a>,
    /// Offsets of the children yet to be read.
    rest: &'a [u8],
}

impl<'a> Read<'a> {
    fn new(r: Reader<'a>) -> Result<Self> {
        if !crate::mdl::detect(r.data()) {
            if r.peek(0, 4) == Some(&[0; 4])
                && let Some(pointer) = r.peek_at::<u32>(DATA_START)
            {
                let what = format!("function pointer {pointer}, which no known game has");
                return Err(r.error(ErrorKind::Unsupported(what.into()), DATA_START, "geometry header"));
            }
            return Err(r.error(ErrorKind::NotThisFormat, 0, "file header"));
        }
        let file = r.at(0, "file header")?;
        let geometry: GeometryHeader = r.at(DATA_START, "geometry header")?;
        let [first, _] = geometry.pointers;
        let (game, platform) = target_of(first).unwrap_or_default();
        Ok(Read {
            r,
            file,
            geometry,
            game,
            platform,
            names: Vec::new(),
            shared_names: false,
            meshes: Vec::with_capacity(64),
        })
    }

    fn model(&mut self) -> Result<Model> {
        let r = self.r;
        let header: ModelHeader = r.at(DATA_START + GeometryHeader::SIZE, "model header")?;
        let names: NamesHeader =
            r.at(DATA_START + GeometryHeader::SIZE + ModelHeader::SIZE, "names header")?;
        let name_offsets: Vec<u32> = array(r, &names.names, "name offsets")?;
        let mut model = Model {
            game: self.game,
            platform: self.platform,
            name: self.geometry.name,
            node_count: self.geometry.node_count,
            classification: header.classification,
            subclassification: header.subclassification,
            unknown_0x52: header.unknown_0x02,
            fog: header.fog,
            child_models: header.child_models,
            bounds: [header.bounds_min, header.bounds_max],
            radius: header.radius,
            animation_scale: header.animation_scale,
            supermodel: header.supermodel,
            ..Model::default()
        };
        model.names = self.read_names(&name_offsets)?;
        model.layout.overlaps = self.shared_names;
        model.layout.name_offsets = Slot::of(&names.names);
        model.layout.names = name_offsets;

        let offsets: Vec<u32> = array(r, &header.animations, "animation offsets")?;
        model.layout.animation_offsets = Slot::of(&header.animations);
        // Each has separate headers.
        let most = r.len() / (GeometryHeader::SIZE + AnimationHeader::SIZE);
        model.animations.reserve_exact(offsets.len().min(most));
        for (index, offset) in offsets.iter().enumerate() {
            model.animations.push(self.animation(index, *offset)?);
        }
        model.nodes = self.tree(r, 0, self.geometry.root.0, 0, self.geometry.node_count)?;
        let at_root = |n: &Node| n.layout.header.at;
        let head = names.head_root.0;
        let is_root = model.nodes.first().is_some_and(|n| at_root(n) == head);
        if !is_root {
            model.head = model.nodes.iter().position(|n| at_root(n) == head).map(|i| i as NodeId);
        }
        model.layout.headers = Some(Box::new(Headers {
            file: self.file,
            geometry: self.geometry,
            model: header,
            names,
            head_is_sound: is_root || model.head.is_some(),
        }));
        Ok(model)
    }

    fn read_names(&mut self, offsets: &[u32]) -> Result<Vec<Name>> {
        let r = self.r;
        r.spend(offsets.len() as u64 * 16, DATA_START, "names")?;
        let mut names = Vec::with_capacity(offsets.len());
        self.names.reserve_exact(offsets.len());
        // Nodes can refer to 65,536 names. A larger count is treated as hostile input: adjacent names are claimed
        // together.
        let together = offsets.len() > 1 << 16;
        let mut run = 0..0;
        for offset in offsets {
            let at = file_position(*offset);
            let name = if together { r.peek_cstr(at, "name") } else { r.cstr(at, "name") }?;
            let end = at + name.len() + 1;
            if together && at == run.end {
                run.end = end;
            } else if together && at == run.start {
                self.shared_names = true;
            } else if together {
                r.bytes(run.start, run.len(), "names")?;
                r.spend(64, at, "names")?;
                run = at..end;
            }
            r.spend(name.len() as u64, at, "name")?;
            self.names.push((*offset, name.len() as u32));
            names.push(Name(name.to_vec()));
        }
        r.bytes(run.start, run.len(), "names")?;
        Ok(names)
    }

    fn animation(&mut self, index: usize, offset: u32) -> Result<Animation> {
        let at = file_position(offset);
        self.r.visit(at, "animation")?;
        let r = self.r.enter("animations", Some(index), at)?;
        let geometry: GeometryHeader = r.at(at, "geometry header")?;
        r.label(at + 8, geometry.name.bytes().len());
        let header: AnimationHeader = r.at(at + GeometryHeader::SIZE, "animation header")?;
        let events = array(r, &header.events, "events")?;
        let nodes = self.tree(r, index as u32 + 1, geometry.root.0, offset, geometry.node_count)?;
        Ok(Animation {
            name: geometry.name,
            length: header.length,
            transition: header.transition,
            root: header.root,
            node_count: geometry.node_count,
            events,
            nodes,
            layout: AnimationLayout {
                header: Slot::plain(offset, GeometryHeader::SIZE + AnimationHeader::SIZE),
                events: Slot::of(&header.events),
                raw: Some(Box::new((geometry, header))),
            },
        })
    }

    /// Reads a tree of nodes without recursion, in the order of the game's compiler: a node, its children, its
    /// controllers. `tree` is its number, `owner` the offset of the animation, or 0.
    fn tree(&mut self, r: Reader<'a>, tree: u32, root: u32, owner: u32, hint: u32) -> Result<Vec<Node>> {
        if root == 0 {
            return Ok(Vec::new());
        }
        let room = (hint as usize).min(r.len() / NodeHeader::SIZE).min(1 << 12);
        let mut nodes: Vec<Node> = Vec::with_capacity(room);
        let mut open: Vec<Open<'a>> = Vec::new();
        let mut next = Some(Parent { id: None, offset: 0, child: root });
        while let Some(Parent { id: parent, offset: parent_offset, child: offset }) = next {
            let id = nodes.len() as NodeId;
            let at = file_position(offset);
            let r = r.enter("nodes", Some(nodes.len()), at)?;
            if open.len() >= r.limits().depth as usize {
                return Err(r.error(ErrorKind::Limit("depth"), at, "node"));
            }
            r.visit(at, "node")?;
            let header = NodeHeader::get(r.raw::<NodeHeader>(at, 1, "node header")?);
            if r.keeps_names()
                && let Some((at, len)) = self.names.get(usize::from(header.name))
            {
                r.label(file_position(*at), *len as usize);
            }
            let mut node = node(&header, offset);
            node.parent = parent;
            node.layout.odd = odd(&header, parent_offset, owner);
            if header.flags & (flag::LIGHT | flag::EMITTER | flag::REFERENCE | flag::MESH) != 0 {
                node.layout.header.count = self.parts(r, at, header.flags, &mut node)? as u32;
            }
            if node.mesh.is_some() {
                self.meshes.push((tree, id));
            }
            let at = file_position(header.children.offset.0);
            let children = r.raw::<u32>(at, header.children.count as usize, "children")?;
            r.spend(children.len() as u64, at, "children")?;
            node.children.reserve_exact(children.len() / u32::SIZE);
            if let Some(parent) = parent.and_then(|parent| nodes.get_mut(parent as usize)) {
                parent.children.push(id);
            }
            if children.is_empty() {
                controllers(r, &mut node)?;
            } else {
                open.push(Open { id, offset, r, rest: children });
            }
            nodes.push(node);
            next = None;
            while let Some(last) = open.last_mut() {
                if let Some((child, rest)) = last.rest.split_first_chunk::<4>() {
                    last.rest = rest;
                    let child = u32::from_le_bytes(*child);
                    next = Some(Parent { id: Some(last.id), offset: last.offset, child });
                    break;
                }
                if let Some(node) = nodes.get_mut(last.id as usize) {
                    controllers(last.r, node)?;
                }
                open.pop();
            }
        }
        Ok(nodes)
    }

    /// Reads the parts that follow the node header. Returns the total length.
    #[inline(never)]
    fn parts(&self, r: Reader<'a>, start: usize, flags: u16, node: &mut Node) -> Result<usize> {
        let mut at = start + NodeHeader::SIZE;
        if flags & flag::LIGHT != 0 {
            node.light = Some(Box::new(parts::light(r, at)?));
            at += LightHeader::SIZE;
        }
        if flags & flag::EMITTER != 0 {
            node.emitter = Some(Box::new(r.at(at, "emitter")?));
            at += Emitter::SIZE;
        }
        if flags & flag::REFERENCE != 0 {
            node.reference = Some(Box::new(r.at(at, "reference")?));
            at += Reference::SIZE;
        }
        if flags & flag::MESH != 0 {
            node.mesh = Some(parts::mesh(r, &mut at, flags, (self.game, self.platform))?);
        }
        Ok(at - start)
    }
}

/// Returns a node with the fields of its header.
#[inline]
fn node(header: &NodeHeader, offset: u32) -> Node {
    let flags = header.flags;
    Node {
        name: header.name,
        number: header.number,
        position: header.position,
        orientation: header.orientation,
        unknown_flags: (flags & !flag::KNOWN)
            | (!flags & flag::HEADER)
            | if flags & flag::MESH == 0 { flags & flag::ON_MESH } else { 0 },
        camera: flags & flag::CAMERA != 0,
        layout: NodeLayout {
            header: Place { at: offset, count: NodeHeader::SIZE as u32 },
            children: Place::of(&header.children),
            controllers: Place::of(&header.controllers),
            data: Place::of(&header.data),
            odd: None,
        },
        ..Node::default()
    }
}

/// Returns the values that differ from those the compiler writes for a node with this parent and owner, if any.
fn odd(header: &NodeHeader, parent: u32, owner: u32) -> Option<Box<OddNode>> {
    let defs = [&header.children, &header.controllers, &header.data];
    if defs.iter().all(|def| def.capacity == def.count)
        && (header.parent.0, header.owner.0, header.padding) == (parent, owner, 0)
    {
        return None;
    }
    Some(Box::new(OddNode {
        capacities: defs.map(|def| def.capacity),
        stale_parent: (header.parent.0 != parent).then_some(header.parent.0),
        stale_owner: (header.owner.0 != owner).then_some(header.owner.0),
        padding: header.padding,
    }))
}

/// Reads the controllers of a node and their data.
fn controllers(r: Reader<'_>, node: &mut Node) -> Result<()> {
    let layout = &node.layout;
    let at = file_position(layout.controllers.at);
    let (list, data) = r.raw_both::<Controller, f32>(
        (at, layout.controllers.count as usize, "controllers"),
        (file_position(layout.data.at), layout.data.count as usize, "controller data"),
    )?;
    r.spend((list.len() + data.len()) as u64, at, "controllers")?;
    node.controllers.decode(list, data);
    Ok(())
}
