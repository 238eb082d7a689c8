//! A [`Model`] into bytes: plan where everything goes, then fill it in.

use galatea_wire::{Error, Offset, Result, Wire, Writer};

use super::layout::{AabbLayout, Headers, RowLayout, Sentinel, Slot};
use super::mesh::{AabbTree, IndexLists, Mesh, Skin};
use super::node::{Light, Node, NodeId};
use super::plan::{Plan, Rows, What, index_list_len, index_lists, rows};
use super::read::BASE;
use super::rows::{COLUMN_NAMES, lengths, slot_to_short};
use super::wire::{
    AabbRecord, AnimationHeader, ArrayDef, DanglyHeader, Dirt, Emitter, GeometryHeader, LightHeader,
    MeshHead, MeshTail, ModelHeader, NodeHeader, Reference, SaberHeader, SkinHeader,
};
use super::{Animation, Game, Model, Pair, Platform, PointerUse, pointers};

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
fn short(n: usize, what: &'static str) -> Result<u16> {
    u16::try_from(n)
        .map_err(|_| Error::unrepresentable(format!("{n} {what} are more than the 65,535 a mesh can have")))
}

pub(crate) fn write(model: &Model) -> Result<Pair> {
    columns_agree(model)?;
    let plan = Plan::of(model)?;
    let (mut rows, mut mdx_len) = rows(model, true)?;
    let mut mdx = fill_rows(model, &rows, mdx_len, false)?;
    if model.layout.mdx.overlaps && fill_rows(model, &rows, mdx_len, true)? != mdx {
        (rows, mdx_len) = super::plan::rows(model, false)?;
        mdx = fill_rows(model, &rows, mdx_len, false)?;
    }
    let (places, len) = plan.solve(model, true)?;
    let mut writing = Writing { model, plan: &plan, places, len, rows: &rows, mdx_len };
    let mut mdl = writing.fill(false)?;
    // Blocks that shared bytes and no longer agree on them get places of their own.
    if model.layout.overlaps && writing.fill(true)? != mdl {
        (writing.places, writing.len) = plan.solve(model, false)?;
        mdl = writing.fill(false)?;
    }
    Ok(Pair { mdl, mdx })
}

/// Every column of a mesh has as many entries as there are vertices, or none.
fn columns_agree(model: &Model) -> Result<()> {
    for (id, node) in model.all_nodes().enumerate() {
        let Some(mesh) = node.mesh.as_deref() else { continue };
        let lengths = lengths(&mesh.vertices);
        let count = lengths.iter().copied().max().unwrap_or(0);
        if let Some((name, len)) =
            COLUMN_NAMES.iter().zip(lengths).find(|(_, len)| *len != 0 && *len != count)
        {
            return Err(Error::unrepresentable(format!(
                "{name} has {len} entries, other columns have {count}"
            ))
            .within(format!("nodes[{id}]")));
        }
    }
    Ok(())
}

/// The MDX. `backwards` writes the last mesh first, which tells whether meshes that share rows agree.
fn fill_rows(model: &Model, rows: &[Rows], len: usize, backwards: bool) -> Result<Vec<u8>> {
    let mut out = vec![0; len];
    if model.layout.mdx.len as usize == len {
        for gap in &model.layout.mdx.gaps {
            let at = gap.offset as usize;
            if let Some(slot) = out.get_mut(at..at + gap.bytes.len()) {
                slot.copy_from_slice(&gap.bytes);
            }
        }
    }
    let mut one = |rows: &Rows| -> Result<()> {
        let Some(mesh) = model.tree(rows.tree).get(rows.node as usize).and_then(|n| n.mesh.as_deref()) else {
            return Ok(());
        };
        let at = rows.at as usize;
        let Some(slot) = at.checked_add(rows.len).and_then(|end| out.get_mut(at..end)) else {
            return Err(Error::unrepresentable("vertex rows lie outside the planned MDX"));
        };
        let (body, last) = slot.split_at_mut(rows.body.min(slot.len()));
        let skin = mesh.skin.is_some();
        rows.layout.encode(&mesh.vertices, skin, body);
        match &rows.layout.sentinel {
            Sentinel::Absent => {}
            Sentinel::Usual => [if skin { 1.0e6f32 } else { 1.0e7 }; 3].put(last),
            Sentinel::Number(number) => [*number; 3].put(last),
            Sentinel::Raw(bytes) => {
                if let Some(slot) = last.get_mut(..bytes.len()) {
                    slot.copy_from_slice(bytes);
                }
            }
        }
        Ok(())
    };
    if backwards {
        rows.iter().rev().try_for_each(&mut one)?;
    } else {
        rows.iter().try_for_each(&mut one)?;
    }
    Ok(out)
}

impl Model {
    /// The nodes of the model (0) or of one of its animations (from 1).
    pub(crate) fn tree(&self, tree: u32) -> &[Node] {
        match tree.checked_sub(1) {
            None => &self.nodes,
            Some(animation) => self.animations.get(animation as usize).map_or(&[], |a| &a.nodes),
        }
    }
}

struct Writing<'a> {
    model: &'a Model,
    plan: &'a Plan,
    places: Vec<u32>,
    len: usize,
    rows: &'a [Rows],
    mdx_len: usize,
}

impl Writing<'_> {
    fn place(&self, block: u32) -> u32 {
        self.places.get(block as usize).copied().unwrap_or(0)
    }

    /// The place of a part of the node with this header; 0 if it has none.
    fn part(&self, header: u32, what: What) -> u32 {
        self.plan.part(header, what).map_or(0, |b| self.place(b))
    }

    /// An array definition for a part of a node.
    fn def(&self, header: u32, what: What, slot: &Slot, count: usize) -> Result<ArrayDef> {
        Ok(slot.def(self.part(header, what), Writer::count(count, "items")?))
    }

    fn fill(&self, backwards: bool) -> Result<Vec<u8>> {
        let mut out = Writer::new(self.len.saturating_add(BASE));
        if backwards {
            (0..self.plan.blocks.len()).rev().try_for_each(|id| self.block(&mut out, id))?;
        } else {
            (0..self.plan.blocks.len()).try_for_each(|id| self.block(&mut out, id))?;
        }
        Ok(out.into_bytes())
    }

    fn block(&self, out: &mut Writer, id: usize) -> Result<()> {
        let Some(block) = self.plan.blocks.get(id) else { return Ok(()) };
        if block.len == 0 {
            return Ok(());
        }
        let model = self.model;
        let at = self.place(id as u32) as usize + BASE;
        let sub = block.sub as usize;
        let offsets = |out: &mut Writer, ids: &mut dyn Iterator<Item = u32>| {
            let list: Vec<Offset> = ids.map(|id| Offset(self.place(id))).collect();
            out.array(at, &list)
        };
        // The part of the model that the block belongs to.
        match block.what {
            What::Headers => return self.headers(out),
            What::NameOffsets => {
                let first = id as u32 + 1;
                return offsets(out, &mut (first..first + model.names.len() as u32));
            }
            What::Name => return model.names.get(sub).map_or(Ok(()), |n| out.bytes(at, &n.0)),
            What::AnimationOffsets => {
                let ids = self.plan.blocks.iter().enumerate().filter(|(_, b)| b.what == What::Animation);
                return offsets(out, &mut ids.map(|(id, _)| id as u32));
            }
            What::Gap => return model.layout.gaps.get(sub).map_or(Ok(()), |g| out.bytes(at, &g.bytes)),
            What::Animation | What::Events => {
                let index = block.tree.saturating_sub(1) as usize;
                return match (model.animations.get(index), block.what) {
                    (Some(animation), What::Events) => out.array(at, &animation.events),
                    (Some(animation), _) => self.animation(out, at, animation, block.tree, id as u32),
                    _ => Ok(()),
                };
            }
            _ => {}
        }
        let Some(node) = model.tree(block.tree).get(block.node as usize) else { return Ok(()) };
        match block.what {
            What::Node => return self.node(out, at, node, block.tree, block.node),
            What::Children => {
                let header = |c: &NodeId| self.plan.node(block.tree, *c)[0];
                return offsets(out, &mut node.children.iter().map(header));
            }
            What::Controllers => return out.array(at, &node.controllers.list),
            What::Data => return out.array(at, &node.controllers.data),
            _ => {}
        }
        if let Some(light) = node.light.as_deref() {
            match block.what {
                What::FlareTextureOffsets => {
                    let first = id as u32 + 1;
                    return offsets(out, &mut (first..first + light.flare_textures.len() as u32));
                }
                What::FlareTexture => {
                    return light.flare_textures.get(sub).map_or(Ok(()), |n| out.bytes(at, &n.0));
                }
                What::FlareSizes => return out.array(at, &light.flare_sizes),
                What::FlarePositions => return out.array(at, &light.flare_positions),
                What::FlareColors => return out.array(at, &light.flare_colors),
                _ => {}
            }
        }
        match node.mesh.as_deref() {
            Some(mesh) => {
                self.mesh_block(out, id as u32, at, mesh, self.plan.node(block.tree, block.node)[0])
            }
            None => Ok(()),
        }
    }

    fn mesh_block(&self, out: &mut Writer, id: u32, at: usize, mesh: &Mesh, header: u32) -> Result<()> {
        let Some(block) = self.plan.blocks.get(id as usize) else { return Ok(()) };
        let (layout, sub) = (&mesh.layout, block.sub as usize);
        match block.what {
            What::Faces => return out.array(at, &mesh.faces),
            What::IndexCounts => {
                let lists = (0..index_lists(mesh)).map(|i| Writer::count(index_list_len(mesh, i), "indices"));
                let counts: Vec<u32> =
                    lists.chain(layout.more_counts.iter().map(|c| Ok(*c))).collect::<Result<_>>()?;
                return out.array(at, &counts);
            }
            What::IndexOffsets => {
                let first = self.plan.part(header, What::IndexList).unwrap_or(0);
                let lists = (0..index_lists(mesh)).map(|i| self.place(first + i as u32));
                let offsets: Vec<u32> = lists.chain(layout.more_offsets.iter().copied()).collect();
                return out.array(at, &offsets);
            }
            What::Positions => return out.array(at, mesh.positions_in_mdl()),
            What::InvertedCounters => return out.array(at, &mesh.inverted_counters),
            What::IndexList => {
                return match &mesh.indices {
                    IndexLists::Faces => {
                        let list: Vec<[u16; 3]> = mesh.faces.iter().map(|f| f.vertices).collect();
                        out.array(at, &list)
                    }
                    IndexLists::Own(lists) => lists.get(sub).map_or(Ok(()), |list| out.array(at, list)),
                };
            }
            _ => {}
        }
        if let Some(skin) = mesh.skin.as_deref() {
            match block.what {
                What::BoneMap if self.model.platform == Platform::Pc => return out.array(at, &skin.bone_map),
                What::BoneMap => {
                    let map: Vec<u16> = skin.bone_map.iter().map(|s| slot_to_short(*s)).collect();
                    return out.array(at, &map);
                }
                What::Rotations => return out.array(at, &skin.rotations),
                What::Translations => return out.array(at, &skin.translations),
                What::Scratch => return out.array(at, &skin.layout.scratch),
                _ => {}
            }
        }
        if let Some(dangly) = mesh.dangly.as_deref() {
            match block.what {
                What::Constraints => return out.array(at, &dangly.constraints),
                What::DanglyPositions => {
                    return out.array(at, dangly.positions.resolve(&mesh.vertices.positions));
                }
                _ => {}
            }
        }
        if let Some(aabb) = mesh.aabb.as_deref() {
            match block.what {
                What::Aabb => {
                    return self.boxes(out, at, aabb, &|i| (at - BASE) as u32 + i * AabbRecord::SIZE as u32);
                }
                What::AabbBox => return self.scattered_box(out, at, aabb, id, sub),
                _ => {}
            }
        }
        if let Some(saber) = mesh.saber.as_deref() {
            match block.what {
                What::SaberPositions => return out.array(at, &saber.positions),
                What::SaberNormals => return out.array(at, &saber.normals),
                What::SaberUvs => return out.array(at, &saber.uvs),
                _ => {}
            }
        }
        Ok(())
    }

    fn boxes(&self, out: &mut Writer, at: usize, tree: &AabbTree, place: &dyn Fn(u32) -> u32) -> Result<()> {
        let none = match &tree.layout {
            AabbLayout::Packed { none, .. } => *none,
            AabbLayout::Scattered { .. } => 0,
        };
        let records: Vec<AabbRecord> = tree
            .nodes
            .iter()
            .map(|n| AabbRecord {
                min: n.min,
                max: n.max,
                left: Offset(n.left.map_or(none, place)),
                right: Offset(n.right.map_or(none, place)),
                face: n.face,
                plane: n.plane,
            })
            .collect();
        out.array(at, &records)
    }

    fn scattered_box(&self, out: &mut Writer, at: usize, tree: &AabbTree, id: u32, sub: usize) -> Result<()> {
        let (Some(node), AabbLayout::Scattered { none, .. }) = (tree.nodes.get(sub), &tree.layout) else {
            return Ok(());
        };
        let first = id - sub as u32;
        let [no_left, no_right] = none.get(sub).copied().unwrap_or_default();
        let record = AabbRecord {
            min: node.min,
            max: node.max,
            left: Offset(node.left.map_or(no_left, |i| self.place(first + i))),
            right: Offset(node.right.map_or(no_right, |i| self.place(first + i))),
            face: node.face,
            plane: node.plane,
        };
        out.put(at, &record)
    }

    fn headers(&self, out: &mut Writer) -> Result<()> {
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
        let root = if model.nodes.is_empty() { 0 } else { self.place(self.plan.node(0, 0)[0]) };
        headers.geometry.root = Offset(root);
        if headers.head_is_sound || model.head.is_some() {
            headers.names.head_root =
                Offset(model.head.map_or(root, |h| self.place(self.plan.node(0, h)[0])));
        }
        let first = |what: What| {
            let found = self.plan.blocks.iter().position(|b| b.what == what);
            found.map_or(0, |id| self.place(id as u32))
        };
        headers.names.names = model
            .layout
            .name_offsets
            .def(first(What::NameOffsets), Writer::count(model.names.len(), "names")?);
        headers.model = ModelHeader {
            classification: model.classification,
            subclassification: model.subclassification,
            unknown_0x02: model.unknown_0x52,
            fog: model.fog,
            child_models: model.child_models,
            animations: model
                .layout
                .animation_offsets
                .def(first(What::AnimationOffsets), Writer::count(model.animations.len(), "animations")?),
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
        out: &mut Writer,
        at: usize,
        animation: &Animation,
        tree: u32,
        id: u32,
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
            Offset(if animation.nodes.is_empty() { 0 } else { self.place(self.plan.node(tree, 0)[0]) });
        header.length = animation.length;
        header.transition = animation.transition;
        header.root = animation.root;
        let events = Writer::count(animation.events.len(), "events")?;
        header.events = animation.layout.events.def(self.place(id + 1), events);
        out.put(at, &geometry)?;
        out.put(at + GeometryHeader::SIZE, &header)
    }

    fn node(&self, out: &mut Writer, start: usize, node: &Node, tree: u32, id: NodeId) -> Result<()> {
        let [header, children, controllers, data] = self.plan.node(tree, id);
        let def = |slot: &Slot, block: u32, count: usize| {
            Writer::count(count, "items").map(|count| slot.def(self.place(block), count))
        };
        let owner = match tree {
            0 => 0,
            // The animation's block comes two before its first node's: header, events, nodes.
            _ => self.place(self.plan.node(tree, 0)[0].saturating_sub(2)),
        };
        let parent = node.parent.map_or(0, |p| self.place(self.plan.node(tree, p)[0]));
        let layout = &node.layout;
        let mut at = start;
        put(
            out,
            &mut at,
            &NodeHeader {
                flags: node.flags(),
                number: node.number,
                name: node.name,
                padding: layout.padding,
                owner: Offset(layout.stale_owner.unwrap_or(owner)),
                parent: Offset(layout.stale_parent.unwrap_or(parent)),
                position: node.position,
                orientation: node.orientation,
                children: def(&layout.children, children, node.children.len())?,
                controllers: def(&layout.controllers, controllers, node.controllers.list.len())?,
                data: def(&layout.data, data, node.controllers.data.len())?,
            },
        )?;
        if let Some(light) = node.light.as_deref() {
            put(out, &mut at, &self.light(light, header)?)?;
        }
        if let Some(emitter) = node.emitter.as_deref() {
            put::<Emitter>(out, &mut at, emitter)?;
        }
        if let Some(reference) = node.reference.as_deref() {
            put::<Reference>(out, &mut at, reference)?;
        }
        if let Some(mesh) = node.mesh.as_deref() {
            self.mesh(out, &mut at, mesh, header, tree, id)?;
        }
        Ok(())
    }

    fn light(&self, light: &Light, header: u32) -> Result<LightHeader> {
        let layout = &light.layout;
        Ok(LightHeader {
            flare_radius: light.flare_radius,
            runtime_array: layout.runtime_array,
            flare_sizes: self.def(header, What::FlareSizes, &layout.sizes, light.flare_sizes.len())?,
            flare_positions: self.def(
                header,
                What::FlarePositions,
                &layout.positions,
                light.flare_positions.len(),
            )?,
            flare_colors: self.def(header, What::FlareColors, &layout.colors, light.flare_colors.len())?,
            flare_textures: self.def(
                header,
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
        })
    }

    fn mesh(
        &self,
        out: &mut Writer,
        at: &mut usize,
        mesh: &Mesh,
        header: u32,
        tree: u32,
        id: NodeId,
    ) -> Result<()> {
        let model = self.model;
        let layout = &mesh.layout;
        let missing = model.layout.mdx.missing;
        let found = self.rows.binary_search_by_key(&(tree, id), |r| (r.tree, r.node)).ok();
        let placed = found.and_then(|i| self.rows.get(i));
        let own;
        let (rows, mdx_offset): (&RowLayout, u32) = match placed {
            Some(rows) => (&rows.layout, rows.at),
            None => {
                own = if missing && layout.rows.known {
                    layout.rows.clone()
                } else {
                    RowLayout::for_writing(mesh, model.platform == Platform::Xbox)
                };
                (&own, layout.rows.at)
            }
        };
        let [columns @ .., weights, bones] = &rows.offsets;
        let usual =
            pointers(model.game, model.platform, pointer_use(mesh.skin.is_some(), mesh.dangly.is_some()));
        let lists = index_lists(mesh);
        let vertex_count = match mesh.saber.as_deref() {
            Some(saber) if mesh.vertices.positions.is_empty() => saber.positions.len(),
            _ => mesh.vertex_count(),
        };
        put(
            out,
            at,
            &MeshHead {
                pointers: layout.pointers.unwrap_or(usual),
                faces: self.def(header, What::Faces, &layout.faces, mesh.faces.len())?,
                bounds_min: mesh.bounds[0],
                bounds_max: mesh.bounds[1],
                radius: mesh.radius,
                average: mesh.average,
                diffuse: mesh.diffuse,
                ambient: mesh.ambient,
                transparency_hint: mesh.transparency_hint,
                texture: mesh.texture,
                lightmap: mesh.lightmap,
                texture_3: mesh.texture_3,
                texture_4: mesh.texture_4,
                index_counts: self.def(
                    header,
                    What::IndexCounts,
                    &layout.index_counts,
                    lists + layout.more_counts.len(),
                )?,
                index_offsets: self.def(
                    header,
                    What::IndexOffsets,
                    &layout.index_offsets,
                    lists + layout.more_offsets.len(),
                )?,
                inverted_counters: self.def(
                    header,
                    What::InvertedCounters,
                    &layout.inverted_counters,
                    mesh.inverted_counters.len(),
                )?,
                unknown_0xd4: mesh.unknown_0xd4,
                unknown_0xe0: mesh.unknown_0xe0,
                animate_uv: mesh.animate_uv,
                uv_direction: mesh.uv_direction,
                uv_jitter: mesh.uv_jitter,
                uv_jitter_speed: mesh.uv_jitter_speed,
                stride: rows.stride,
                columns: rows.flags,
                column_offsets: *columns,
                vertex_count: short(vertex_count, "vertices")?,
                texture_count: mesh.texture_count,
                lightmapped: mesh.lightmapped,
                rotate_texture: mesh.rotate_texture,
                background: mesh.background,
                shadow: mesh.shadow,
                beaming: mesh.beaming,
                render: mesh.render,
            },
        )?;
        if model.game == Game::K2 {
            put(out, at, &mesh.dirt.unwrap_or(Dirt { texture: 1, coordinate_space: 1, ..Dirt::default() }))?;
        }
        let tail = MeshTail {
            padding: layout.padding,
            area: mesh.area,
            unknown_0x06: mesh.unknown_after_area,
            mdx_offset,
        };
        put(out, at, &tail)?;
        if model.platform == Platform::Pc {
            put(out, at, &self.part(header, What::Positions))?;
        }
        if let Some(skin) = mesh.skin.as_deref() {
            let layout = &skin.layout;
            let skin = SkinHeader {
                unknown_0x00: layout.unknown_0x00,
                weights: *weights,
                bones: *bones,
                bone_map: Offset(self.part(header, What::BoneMap)),
                bone_map_count: Writer::count(skin.bone_map.len(), "bones")?,
                rotations: self.def(header, What::Rotations, &layout.rotations, skin.rotations.len())?,
                translations: self.def(
                    header,
                    What::Translations,
                    &layout.translations,
                    skin.translations.len(),
                )?,
                scratch: self.def(header, What::Scratch, &layout.scratch_slot, scratch_len(skin))?,
                bone_nodes: skin.bone_nodes,
                padding: layout.padding,
            };
            put(out, at, &skin)?;
        }
        if let Some(anim) = mesh.anim.as_deref() {
            put(out, at, anim)?;
        }
        if let Some(dangly) = mesh.dangly.as_deref() {
            let dangly = DanglyHeader {
                constraints: self.def(
                    header,
                    What::Constraints,
                    &dangly.layout.constraints,
                    dangly.constraints.len(),
                )?,
                displacement: dangly.displacement,
                tightness: dangly.tightness,
                period: dangly.period,
                vertices: Offset(self.part(header, What::DanglyPositions)),
            };
            put(out, at, &dangly)?;
        }
        if let Some(aabb) = mesh.aabb.as_deref() {
            let scattered =
                matches!(&aabb.layout, AabbLayout::Scattered { at, .. } if at.len() == aabb.nodes.len());
            let what = if scattered { What::AabbBox } else { What::Aabb };
            put(out, at, &self.part(header, what))?;
        }
        if let Some(saber) = mesh.saber.as_deref() {
            let saber = SaberHeader {
                vertices: Offset(self.part(header, What::SaberPositions)),
                uvs: Offset(self.part(header, What::SaberUvs)),
                normals: Offset(self.part(header, What::SaberNormals)),
                inverted_counters: saber.inverted_counters,
            };
            put(out, at, &saber)?;
        }
        Ok(())
    }
}

/// Writes a record and moves on behind it.
fn put<T: Wire>(out: &mut Writer, at: &mut usize, value: &T) -> Result<()> {
    out.put(*at, value)?;
    *at += T::SIZE;
    Ok(())
}
