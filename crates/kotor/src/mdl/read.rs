//! Bytes into a [`Model`].

use galatea_wire::{ErrorKind, Gap, Limits, Reader, Result, Source, Wire};

use super::animation::Pool;
use super::layout::{DATA_START, Headers, OddNode, Place, RowLayout, Sentinel, Slot, file_position};
use super::mesh::{Dangly, IndexLists, Mesh, PositionCopy, Saber, Skin};
use super::node::{Light, Name, Node, NodeId, flag};
use super::rows::short_to_slot;
use super::wire::{
    AnimationHeader, ArrayDef, Controller, DanglyHeader, Dirt, Emitter, FileHeader, GeometryHeader,
    LightHeader, MeshHead, MeshTail, ModelHeader, NamesHeader, NodeHeader, Reference, SaberHeader,
    SkinHeader,
};
use super::{
    Animation, AnimationLayout, Controllers, Game, Inspected, List, Model, NodeLayout, Platform, PointerUse,
    pointers, read_aabb, read_rows, target_of,
};

pub(crate) fn read(mdl: &[u8], mdx: Option<&[u8]>, limits: &Limits) -> Result<Model> {
    let source = Source::new(mdl, limits).unnamed();
    let rows = Source::new(mdx.unwrap_or(&[]), limits).unnamed();
    match read_both(&source, &rows) {
        Ok(mut model) => {
            finish(&mut model, &source, &rows);
            Ok(model)
        }
        // Only who reads with names can tell where the fault is.
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
    let pool = read.pool.complete();
    for (tree, id) in read.waiting {
        if let Some(node) = model.tree_mut(tree).get_mut(id as usize) {
            node.controllers.share(&pool);
        }
    }
    read_rows::read_rows(&mut model, &read.meshes, mdl.reader(), mdx)?;
    Ok(model)
}

/// Keeps what nobody claimed, and whether parts share bytes.
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
    /// Controllers and numbers that nodes will share.
    pool: Pool,
    /// Which nodes wait for them: the tree, and the node in it.
    waiting: Vec<(u32, NodeId)>,
    /// The nodes of the tree at hand whose children are being read.
    open: Vec<Open<'a>>,
    /// Which nodes have a mesh: the tree, and the node in it.
    meshes: Vec<(u32, NodeId)>,
}

/// A node whose children are being read.
struct Open<'a> {
    id: NodeId,
    offset: u32,
    r: Reader<'a>,
    /// Offsets of the children still to read.
    rest: &'a [u8],
}

impl<'a> Read<'a> {
    fn new(r: Reader<'a>) -> Result<Self> {
        if !super::detect(r.data()) {
            if r.peek(0, 4) == Some(&[0; 4])
                && let Some(pointer) = r.peek_at::<u32>(DATA_START)
            {
                let what = format!("program address {pointer}, which belongs to no known game");
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
            pool: Pool::for_file(r.len()),
            waiting: Vec::with_capacity(r.len() / 1024),
            open: Vec::with_capacity(32),
            meshes: Vec::with_capacity(64),
        })
    }

    fn array<T: Wire>(r: Reader<'_>, def: &ArrayDef, name: &'static str) -> Result<Vec<T>> {
        r.array(file_position(def.offset.0), def.count as usize, name)
    }

    fn list(r: Reader<'a>, def: &ArrayDef, name: &'static str) -> Result<&'a [u8]> {
        let at = file_position(def.offset.0);
        let bytes = r.raw::<u32>(at, def.count as usize, name)?;
        r.spend(bytes.len() as u64, at, name)?;
        Ok(bytes)
    }

    fn model(&mut self) -> Result<Model> {
        let r = self.r;
        let header: ModelHeader = r.at(DATA_START + GeometryHeader::SIZE, "model header")?;
        let names: NamesHeader =
            r.at(DATA_START + GeometryHeader::SIZE + ModelHeader::SIZE, "names header")?;
        let name_offsets: Vec<u32> = Self::array(r, &names.names, "name offsets")?;
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

        let offsets: Vec<u32> = Self::array(r, &header.animations, "animation offsets")?;
        model.layout.animation_offsets = Slot::of(&header.animations);
        // Each has headers of its own.
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
        // Nodes can refer to 65,536 names. A file with more means no good: neighbours are claimed together.
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
        let events = Self::array(r, &header.events, "events")?;
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

    /// A tree of nodes, without recursion, in the order of the game's compiler: a node, its children, its controllers.
    /// `tree` is its number, `owner` the offset of the animation, or 0.
    fn tree(&mut self, r: Reader<'a>, tree: u32, root: u32, owner: u32, hint: u32) -> Result<Vec<Node>> {
        if root == 0 {
            return Ok(Vec::new());
        }
        let room = (hint as usize).min(r.len() / NodeHeader::SIZE).min(1 << 12);
        let mut nodes: Vec<Node> = Vec::with_capacity(room);
        let mut open = std::mem::take(&mut self.open);
        let mut next = Some((root, None, 0));
        while let Some((offset, parent, parent_offset)) = next {
            let id = nodes.len() as NodeId;
            let at = file_position(offset);
            let r = r.enter("nodes", Some(nodes.len()), at)?;
            if open.len() >= r.limits().depth as usize {
                return Err(r.error(ErrorKind::Limit("depth"), at, "node"));
            }
            r.visit(at, "node")?;
            // As an array: then the compiler knows that all fields are there.
            let bytes = r.raw::<NodeHeader>(at, 1, "node header")?;
            let bytes: &[u8; NodeHeader::SIZE] = bytes.first_chunk().unwrap_or(&[0; NodeHeader::SIZE]);
            // The first child comes right behind its parent, which knows it already.
            if let Some(parent) = parent.filter(|parent: &NodeId| parent + 1 != id)
                && let Some(parent) = nodes.get_mut(parent as usize)
            {
                parent.children.push(id);
            }
            // Not `push`: that puts the node together elsewhere and then moves it, which costs several times as much. For the
            // same reason the header is decoded where the node is made, and what is not in it comes later.
            nodes.extend(std::iter::once_with(move || node(bytes)));
            let Some(node) = nodes.last_mut() else { break };
            let header = NodeHeader::get(bytes);
            if r.keeps_names()
                && let Some((at, len)) = self.names.get(usize::from(header.name))
            {
                r.label(file_position(*at), *len as usize);
            }
            node.parent = parent;
            node.layout.header.at = offset;
            let defs = [&header.children, &header.controllers, &header.data];
            if defs.iter().any(|def| def.capacity != def.count)
                || (header.parent.0, header.owner.0, header.padding) != (parent_offset, owner, 0)
            {
                node.layout.odd = Some(odd(bytes, [parent_offset, owner]));
            }
            if header.flags & (flag::LIGHT | flag::EMITTER | flag::REFERENCE | flag::MESH) != 0 {
                node.layout.header.count = self.parts(r, at, header.flags, node)? as u32;
                if node.mesh.is_some() {
                    self.meshes.push((tree, id));
                }
            }
            let at = file_position(header.children.offset.0);
            let children = r.raw::<u32>(at, header.children.count as usize, "children")?;
            if children.is_empty() {
                self.controllers(r, (tree, id), node)?;
            } else {
                r.spend(children.len() as u64, at, "children")?;
                node.children = List::with_room(id + 1, children.len() / u32::SIZE);
                open.push(Open { id, offset, r, rest: children });
            }
            next = None;
            while let Some(last) = open.last_mut() {
                if let Some((child, rest)) = last.rest.split_first_chunk::<4>() {
                    last.rest = rest;
                    next = Some((u32::from_le_bytes(*child), Some(last.id), last.offset));
                    break;
                }
                if let Some(node) = nodes.get_mut(last.id as usize) {
                    self.controllers(last.r, (tree, last.id), node)?;
                }
                open.pop();
            }
        }
        self.open = open;
        Ok(nodes)
    }

    /// The controllers of a node and their numbers.
    #[inline(never)]
    fn controllers(&mut self, r: Reader<'a>, (tree, id): (u32, NodeId), node: &mut Node) -> Result<()> {
        let NodeLayout { controllers, data, .. } = &node.layout;
        let at = file_position(controllers.at);
        let (list, data) = r.raw_both::<Controller, f32>(
            (at, controllers.count as usize, "controllers"),
            (file_position(data.at), data.count as usize, "controller data"),
        )?;
        r.spend((list.len() + data.len()) as u64, at, "controllers")?;
        if self.pool.read(list, data, &mut node.controllers) {
            self.waiting.push((tree, id));
        }
        Ok(())
    }

    /// What follows the node header; returns the length of it all.
    #[inline(never)]
    fn parts(&self, r: Reader<'a>, start: usize, flags: u16, node: &mut Node) -> Result<usize> {
        let mut at = start + NodeHeader::SIZE;
        if flags & flag::LIGHT != 0 {
            node.light = Some(Box::new(light(r, at)?));
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
            node.mesh = Some(self.mesh(r, &mut at, flags)?);
        }
        Ok(at - start)
    }

    fn mesh(&self, r: Reader<'a>, at: &mut usize, flags: u16) -> Result<Box<Mesh>> {
        fn next<T: Wire>(r: Reader<'_>, at: &mut usize, name: &'static str) -> Result<T> {
            let value = r.at(*at, name)?;
            *at += T::SIZE;
            Ok(value)
        }
        let head: MeshHead = next(r, at, "mesh")?;
        let dirt: Option<Dirt> = (self.game == Game::K2).then(|| next(r, at, "dirt")).transpose()?;
        let tail: MeshTail = next(r, at, "mesh tail")?;
        let pc = self.platform == Platform::Pc;
        let mdl_positions: Option<u32> = pc.then(|| next(r, at, "positions offset")).transpose()?;
        let mut mesh: Box<Mesh> = Box::default();
        mesh.bounds = [head.bounds_min, head.bounds_max];
        mesh.radius = head.radius;
        mesh.average = head.average;
        mesh.area = tail.area;
        mesh.diffuse = head.diffuse;
        mesh.ambient = head.ambient;
        mesh.transparency_hint = head.transparency_hint;
        mesh.texture = head.texture;
        mesh.lightmap = head.lightmap;
        mesh.texture_3 = head.texture_3;
        mesh.texture_4 = head.texture_4;
        mesh.texture_count = head.texture_count;
        mesh.unknown_0xd4 = head.unknown_0xd4;
        mesh.unknown_0xe0 = head.unknown_0xe0;
        mesh.animate_uv = head.animate_uv;
        mesh.uv_direction = head.uv_direction;
        mesh.uv_jitter = head.uv_jitter;
        mesh.uv_jitter_speed = head.uv_jitter_speed;
        mesh.lightmapped = head.lightmapped;
        mesh.rotate_texture = head.rotate_texture;
        mesh.background = head.background;
        mesh.shadow = head.shadow;
        mesh.beaming = head.beaming;
        mesh.render = head.render;
        mesh.dirt = dirt;
        mesh.unknown_after_area = tail.unknown_0x06;
        let skin: Option<SkinHeader> = (flags & flag::SKIN != 0).then(|| next(r, at, "skin")).transpose()?;
        mesh.anim =
            (flags & flag::ANIM != 0).then(|| next(r, at, "animated mesh").map(Box::new)).transpose()?;
        let dangly: Option<DanglyHeader> =
            (flags & flag::DANGLY != 0).then(|| next(r, at, "danglymesh")).transpose()?;
        let aabb: Option<u32> =
            (flags & flag::AABB != 0).then(|| next(r, at, "AABB root offset")).transpose()?;
        let saber: Option<SaberHeader> =
            (flags & flag::SABER != 0).then(|| next(r, at, "lightsaber")).transpose()?;

        let usual = pointers(self.game, self.platform, PointerUse::of_mesh(skin.is_some(), dangly.is_some()));
        let layout = &mut mesh.layout;
        layout.pointers = (head.pointers != usual).then_some(head.pointers);
        layout.vertex_count = head.vertex_count;
        layout.padding = tail.padding;
        let mut offsets = [-1; super::rows::COLUMNS];
        let in_skin = skin.iter().flat_map(|s| [s.weights, s.bones]);
        for (slot, offset) in offsets.iter_mut().zip(head.column_offsets.into_iter().chain(in_skin)) {
            *slot = offset;
        }
        layout.rows = RowLayout {
            at: tail.mdx_offset,
            count: 0,
            stride: head.stride,
            flags: head.columns,
            offsets,
            present: 0,
            packed: !pc,
            known: true,
            overlaps: false,
            sentinel: Sentinel::Absent,
            residue: Vec::new(),
        };
        mesh.in_mdx = head.stride != 0 && head.vertex_count != 0;
        mesh.skin = skin.map(|s| self.skin(r, &s)).transpose()?.map(Box::new);
        mesh.dangly = dangly.map(|d| self.dangly(r, &d, head.vertex_count)).transpose()?.map(Box::new);
        mesh.aabb = aabb.map(|root| read_aabb::aabb_tree(r, root)).transpose()?.map(Box::new);
        mesh.saber = saber.map(|s| saber_blade(r, &s, head.vertex_count)).transpose()?.map(Box::new);
        self.mesh_lists(r, &head, mdl_positions, &mut mesh)?;
        Ok(mesh)
    }

    /// The lists that every mesh has, in the order of the game's compiler.
    fn mesh_lists(
        &self,
        r: Reader<'a>,
        head: &MeshHead,
        positions: Option<u32>,
        mesh: &mut Mesh,
    ) -> Result<()> {
        mesh.faces = Self::array(r, &head.faces, "faces")?;
        let counts = Self::list(r, &head.index_counts, "index counts")?;
        // Offset 0 is that of the model itself: no positions. The Xbox has none at all.
        let there = positions.filter(|offset| *offset != 0 && *offset != u32::MAX);
        let count = if there.is_some() { usize::from(head.vertex_count) } else { 0 };
        mesh.mdl_positions = if count == 0 { PositionCopy::Absent } else { PositionCopy::Same };
        if let Some(offset) = there {
            r.raw::<[f32; 3]>(file_position(offset), count, "positions")?;
        }
        let offsets = Self::list(r, &head.index_offsets, "index offsets")?;
        mesh.inverted_counters = List::read(Self::list(r, &head.inverted_counters, "inverted counters")?);
        let layout = &mut mesh.layout;
        layout.faces = Slot::of(&head.faces);
        layout.index_counts = Slot::of(&head.index_counts);
        layout.mdl_positions = positions.map(|offset| Slot::plain(offset, count)).unwrap_or_default();
        layout.index_offsets = Slot::of(&head.index_offsets);
        layout.inverted_counters = Slot::of(&head.inverted_counters);
        let both = counts.len().min(offsets.len());
        let (counts, more_counts) = counts.split_at_checked(both).unwrap_or_default();
        let (offsets, more_offsets) = offsets.split_at_checked(both).unwrap_or_default();
        layout.index_lists = List::read(offsets);
        layout.more_counts = List::read(more_counts);
        layout.more_offsets = List::read(more_offsets);
        let faces = &mesh.faces;
        if both == u32::SIZE
            && u32::get(counts) as usize == faces.len() * 3
            && let at = file_position(u32::get(offsets))
            && let Some(bytes) = r.peek(at, faces.len() * 6)
            && bytes
                .as_chunks::<6>()
                .0
                .iter()
                .zip(faces)
                .fold(true, |all, (b, f)| all & (<[u16; 3]>::get(b) == f.vertices))
        {
            r.raw::<u16>(at, faces.len() * 3, "indices")?;
            mesh.indices = IndexLists::Faces;
        } else {
            let mut own = Vec::new();
            for (count, offset) in counts.chunks_exact(4).zip(&layout.index_lists) {
                own.push(r.array(file_position(*offset), u32::get(count) as usize, "indices")?);
            }
            mesh.indices = IndexLists::Own(own);
        }
        Ok(())
    }

    fn skin(&self, r: Reader<'a>, header: &SkinHeader) -> Result<Skin> {
        let at = file_position(header.bone_map.0);
        let count = header.bone_map_count as usize;
        let bone_map = match self.platform {
            Platform::Pc => r.array(at, count, "bone map")?,
            Platform::Xbox => r.array::<u16>(at, count, "bone map")?.into_iter().map(short_to_slot).collect(),
        };
        let mut skin = Skin {
            bone_map,
            rotations: Self::array(r, &header.rotations, "bone rotations")?,
            translations: Self::array(r, &header.translations, "bone translations")?,
            bone_nodes: header.bone_nodes,
            ..Skin::default()
        };
        skin.layout.unknown_0x00 = header.unknown_0x00;
        skin.layout.bone_map = Slot::plain(header.bone_map.0, count);
        skin.layout.rotations = Slot::of(&header.rotations);
        skin.layout.translations = Slot::of(&header.translations);
        skin.layout.scratch_slot = Slot::of(&header.scratch);
        skin.layout.scratch = Self::array(r, &header.scratch, "bone scratch")?;
        skin.layout.padding = header.padding;
        Ok(skin)
    }

    fn dangly(&self, r: Reader<'a>, header: &DanglyHeader, vertices: u16) -> Result<Dangly> {
        let offset = header.vertices.0;
        let count = if offset == 0 || offset == u32::MAX { 0 } else { usize::from(vertices) };
        let mut dangly = Dangly {
            constraints: Self::array(r, &header.constraints, "constraints")?,
            displacement: header.displacement,
            tightness: header.tightness,
            period: header.period,
            positions: if count == 0 { PositionCopy::Absent } else { PositionCopy::Same },
            ..Dangly::default()
        };
        if count > 0 {
            r.raw::<[f32; 3]>(file_position(offset), count, "dangly positions")?;
        }
        dangly.layout.constraints = Slot::of(&header.constraints);
        dangly.layout.positions = Slot::plain(offset, count);
        Ok(dangly)
    }
}

/// What the header of a node tells alone.
#[inline(always)]
fn node(bytes: &[u8; NodeHeader::SIZE]) -> Node {
    let header = NodeHeader::get(bytes);
    let flags = header.flags;
    Node {
        parent: None,
        children: List::default(),
        name: header.name,
        number: header.number,
        position: header.position,
        orientation: header.orientation,
        controllers: Controllers::default(),
        unknown_flags: (flags & !flag::KNOWN)
            | (!flags & flag::HEADER)
            | if flags & flag::MESH == 0 { flags & flag::ON_MESH } else { 0 },
        camera: flags & flag::CAMERA != 0,
        light: None,
        emitter: None,
        reference: None,
        mesh: None,
        layout: NodeLayout {
            header: Place { at: 0, count: NodeHeader::SIZE as u32 },
            children: Place::of(&header.children),
            controllers: Place::of(&header.controllers),
            data: Place::of(&header.data),
            odd: None,
        },
    }
}

/// What the compiler would have written otherwise into the header of a node with this parent and owner.
#[cold]
fn odd(bytes: &[u8], [parent, owner]: [u32; 2]) -> Box<OddNode> {
    let header = NodeHeader::get(bytes);
    Box::new(OddNode {
        capacities: [&header.children, &header.controllers, &header.data].map(|def| def.capacity),
        stale_parent: (header.parent.0 != parent).then_some(header.parent.0),
        stale_owner: (header.owner.0 != owner).then_some(header.owner.0),
        padding: header.padding,
    })
}

fn light(r: Reader<'_>, at: usize) -> Result<Light> {
    let header: LightHeader = r.at(at, "light")?;
    let offsets: Vec<u32> = Read::array(r, &header.flare_textures, "flare texture offsets")?;
    let mut light = Light {
        flare_radius: header.flare_radius,
        flare_sizes: Read::array(r, &header.flare_sizes, "flare sizes")?,
        flare_positions: Read::array(r, &header.flare_positions, "flare positions")?,
        flare_colors: Read::array(r, &header.flare_colors, "flare colors")?,
        priority: header.priority,
        ambient_only: header.ambient_only,
        dynamic_type: header.dynamic_type,
        affect_dynamic: header.affect_dynamic,
        shadow: header.shadow,
        flare: header.flare,
        fading: header.fading,
        ..Light::default()
    };
    for offset in &offsets {
        let name = r.cstr(file_position(*offset), "flare texture")?;
        r.spend(name.len() as u64 + 32, file_position(*offset), "flare texture")?;
        light.flare_textures.push(Name(name.to_vec()));
    }
    light.layout.runtime_array = header.runtime_array;
    light.layout.sizes = Slot::of(&header.flare_sizes);
    light.layout.positions = Slot::of(&header.flare_positions);
    light.layout.colors = Slot::of(&header.flare_colors);
    light.layout.texture_offsets = Slot::of(&header.flare_textures);
    light.layout.textures = offsets;
    Ok(light)
}

fn saber_blade(r: Reader<'_>, header: &SaberHeader, vertices: u16) -> Result<Saber> {
    let count = usize::from(vertices);
    let mut saber = Saber { inverted_counters: header.inverted_counters, ..Saber::default() };
    saber.positions = r.array(file_position(header.vertices.0), count, "blade positions")?;
    saber.normals = r.array(file_position(header.normals.0), count, "blade normals")?;
    saber.uvs = r.array(file_position(header.uvs.0), count, "blade texture coordinates")?;
    saber.layout.positions = Slot::plain(header.vertices.0, count);
    saber.layout.uvs = Slot::plain(header.uvs.0, count);
    saber.layout.normals = Slot::plain(header.normals.0, count);
    Ok(saber)
}
