//! Writes the mesh part of a node: its header, its lists and its parts.

use std::borrow::Cow;

use galatea_wire::{Error, Offset, Result, Wire};

use super::BlockWalk;
use super::blocks::{BlockKind, Pass};
use crate::mdl::layout::{AabbLayout, RowLayout, Slot};
use crate::mdl::mesh::{AabbNode, AabbTree, Dangly, IndexLists, Mesh, Saber, Skin};
use crate::mdl::rows::slot_to_short;
use crate::mdl::wire::{
    AabbRecord, ArrayDef, DanglyHeader, Dirt, MeshHead, MeshTail, SaberHeader, SkinHeader,
};
use crate::mdl::{Game, Platform, PointerUse, pointers};

/// Where the lists of a mesh are.
struct MeshLists {
    faces: ArrayDef,
    index_counts: ArrayDef,
    positions: Offset,
    index_offsets: ArrayDef,
    inverted_counters: ArrayDef,
}

impl<P: Pass> BlockWalk<'_, P> {
    /// Writes a mesh. `end` is the end of the record of its node so far, `node` the node counted over all trees.
    #[inline(never)]
    pub(super) fn mesh(&mut self, end: &mut usize, node: usize, mesh: &Mesh) -> Result<()> {
        let model = self.model;
        let layout = &mesh.layout;
        let (rows, mdx_offset) = match self.rows.of_node(node) {
            Some(rows) => (Cow::Borrowed(&*rows.layout), rows.at),
            None if model.layout.mdx.missing && layout.rows.known => {
                (Cow::Borrowed(&layout.rows), layout.rows.at)
            }
            None => (RowLayout::for_writing(mesh, model.platform == Platform::Xbox), layout.rows.at),
        };
        // The header is complete once the blocks of the parts and the lists have places.
        let mut header = *end;
        *end += Mesh::header_len(model);
        let [.., weights, bones] = rows.offsets;
        if let Some(skin) = mesh.skin.as_deref() {
            self.skin(end, skin, [weights, bones]);
        }
        if let Some(anim) = mesh.anim.as_deref() {
            self.pass.append(end, anim);
        }
        if let Some(dangly) = mesh.dangly.as_deref() {
            self.dangly(end, dangly, &mesh.vertices.positions);
        }
        if let Some(aabb) = mesh.aabb.as_deref() {
            self.aabb_tree(end, aabb);
        }
        if let Some(saber) = mesh.saber.as_deref() {
            self.saber(end, saber);
        }
        let lists = self.mesh_lists(mesh);
        let head = self.mesh_head(mesh, &rows, &lists)?;
        self.pass.append(&mut header, &head);
        if model.game == Game::K2 {
            let usual = Dirt { texture: 1, coordinate_space: 1, ..Dirt::default() };
            self.pass.append(&mut header, &mesh.dirt.unwrap_or(usual));
        }
        let tail = MeshTail {
            padding: layout.padding,
            area: mesh.area,
            unknown_0x06: mesh.unknown_after_area,
            mdx_offset,
        };
        self.pass.append(&mut header, &tail);
        if model.platform == Platform::Pc {
            self.pass.append(&mut header, &lists.positions);
        }
        Ok(())
    }

    fn mesh_head(&self, mesh: &Mesh, rows: &RowLayout, lists: &MeshLists) -> Result<MeshHead> {
        let usual = PointerUse::of_mesh(mesh.skin.is_some(), mesh.dangly.is_some());
        let usual = pointers(self.model.game, self.model.platform, usual);
        let [column_offsets @ .., _, _] = rows.offsets;
        let vertices = match mesh.saber.as_deref() {
            Some(saber) if mesh.vertices.positions.is_empty() => saber.positions.len(),
            _ => mesh.vertex_count(),
        };
        let vertex_count = u16::try_from(vertices)
            .map_err(|_| Error::unrepresentable(format!("{vertices} vertices; a mesh can have 65,535")))?;
        Ok(MeshHead {
            pointers: mesh.layout.pointers.unwrap_or(usual),
            faces: lists.faces,
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
            index_counts: lists.index_counts,
            index_offsets: lists.index_offsets,
            inverted_counters: lists.inverted_counters,
            unknown_0xd4: mesh.unknown_0xd4,
            unknown_0xe0: mesh.unknown_0xe0,
            animate_uv: mesh.animate_uv,
            uv_direction: mesh.uv_direction,
            uv_jitter: mesh.uv_jitter,
            uv_jitter_speed: mesh.uv_jitter_speed,
            stride: rows.stride,
            columns: rows.flags,
            column_offsets,
            vertex_count,
            texture_count: mesh.texture_count,
            lightmapped: mesh.lightmapped,
            rotate_texture: mesh.rotate_texture,
            background: mesh.background,
            shadow: mesh.shadow,
            beaming: mesh.beaming,
            render: mesh.render,
        })
    }

    /// Writes the lists that every mesh has.
    fn mesh_lists(&mut self, mesh: &Mesh) -> MeshLists {
        let layout = &mesh.layout;
        let lists = mesh.index_list_count();
        let faces = self.pass.list(BlockKind::List, &layout.faces, &mesh.faces);
        let counts = (0..lists).map(|i| mesh.index_count(i) as u32);
        let counts: Vec<u32> = counts.chain(layout.more_counts.iter().copied()).collect();
        let index_counts = self.pass.list(BlockKind::PlacedList, &layout.index_counts, &counts);
        let positions = match self.model.platform {
            Platform::Pc => {
                self.pass.list(BlockKind::List, &layout.mdl_positions, mesh.positions_in_mdl()).offset
            }
            Platform::Xbox => Offset(0),
        };
        let (count, old) = (lists + layout.more_offsets.len(), &layout.index_offsets);
        let offsets = self.pass.block(BlockKind::PlacedList, old, u32::SIZE, count);
        let index_offsets = old.def(offsets, count as u32);
        let mut offsets = offsets as usize;
        let inverted_counters =
            self.pass.list(BlockKind::PlacedList, &layout.inverted_counters, &mesh.inverted_counters);
        for i in 0..lists {
            let count = mesh.index_count(i);
            let old = layout.index_lists.get(i).map(|at| Slot::plain(*at, count)).unwrap_or_default();
            let list = match &mesh.indices {
                IndexLists::Faces => {
                    let at = self.pass.block(BlockKind::List, &old, u16::SIZE, count);
                    self.pass.fill(at as usize, count * u16::SIZE, |bytes| {
                        let triangles = mesh.faces.iter().zip(bytes.chunks_exact_mut(3 * u16::SIZE));
                        triangles.for_each(|(face, bytes)| face.vertices.put(bytes));
                    });
                    old.def(at, count as u32)
                }
                IndexLists::Own(own) => {
                    self.pass.list(BlockKind::List, &old, own.get(i).map_or(&[], |list| list))
                }
            };
            self.pass.append(&mut offsets, &list.offset);
        }
        layout.more_offsets.iter().for_each(|offset| self.pass.append(&mut offsets, offset));
        MeshLists { faces, index_counts, positions, index_offsets, inverted_counters }
    }

    fn skin(&mut self, end: &mut usize, skin: &Skin, [weights, bones]: [i32; 2]) {
        let layout = &skin.layout;
        let bone_map = match self.model.platform {
            Platform::Pc => self.pass.list(BlockKind::List, &layout.bone_map, &skin.bone_map),
            Platform::Xbox => {
                let map: Vec<u16> = skin.bone_map.iter().map(|slot| slot_to_short(*slot)).collect();
                self.pass.list(BlockKind::List, &layout.bone_map, &map)
            }
        };
        let rotations = self.pass.list(BlockKind::List, &layout.rotations, &skin.rotations);
        let translations = self.pass.list(BlockKind::List, &layout.translations, &skin.translations);
        let (room, old) = (skin.scratch_len(), &layout.scratch_slot);
        let scratch = self.pass.block(BlockKind::List, old, u32::SIZE, room);
        if !layout.scratch.is_empty() {
            let words = &layout.scratch;
            self.pass.fill(scratch as usize, room * u32::SIZE, |bytes| u32::put_all(words, bytes));
        }
        let header = SkinHeader {
            unknown_0x00: layout.unknown_0x00,
            weights,
            bones,
            bone_map: bone_map.offset,
            bone_map_count: bone_map.count,
            rotations,
            translations,
            scratch: old.def(scratch, room as u32),
            bone_nodes: skin.bone_nodes,
            padding: layout.padding,
        };
        self.pass.append(end, &header);
    }

    fn dangly(&mut self, end: &mut usize, dangly: &Dangly, positions: &[[f32; 3]]) {
        let layout = &dangly.layout;
        let constraints = self.pass.list(BlockKind::List, &layout.constraints, &dangly.constraints);
        let positions = dangly.positions.resolve(positions);
        let header = DanglyHeader {
            constraints,
            displacement: dangly.displacement,
            tightness: dangly.tightness,
            period: dangly.period,
            vertices: self.pass.list(BlockKind::List, &layout.positions, positions).offset,
        };
        self.pass.append(end, &header);
    }

    fn saber(&mut self, end: &mut usize, saber: &Saber) {
        let layout = &saber.layout;
        let vertices = self.pass.list(BlockKind::List, &layout.positions, &saber.positions).offset;
        let normals = self.pass.list(BlockKind::List, &layout.normals, &saber.normals).offset;
        let uvs = self.pass.list(BlockKind::List, &layout.uvs, &saber.uvs).offset;
        let inverted_counters = saber.inverted_counters;
        self.pass.append(end, &SaberHeader { vertices, uvs, normals, inverted_counters });
    }

    fn aabb_tree(&mut self, end: &mut usize, tree: &AabbTree) {
        let count = tree.nodes.len();
        match &tree.layout {
            AabbLayout::Scattered { at, none } if at.len() == count => {
                let len = AabbRecord::SIZE;
                let block = |at: &u32| self.pass.block(BlockKind::Record, &Slot::plain(*at, len), 1, len);
                let places: Vec<u32> = at.iter().map(block).collect();
                let place = |i: u32| places.get(i as usize).copied().unwrap_or(0);
                self.pass.append(end, &place(0));
                for ((node, at), none) in tree.nodes.iter().zip(&places).zip(none) {
                    self.pass.put(*at as usize, &aabb_record(node, *none, place));
                }
            }
            layout => {
                let (old, none) = match layout {
                    AabbLayout::Packed { root, none } => (*root, *none),
                    AabbLayout::Scattered { .. } => (Slot::default(), 0),
                };
                let root = self.pass.block(BlockKind::List, &old, AabbRecord::SIZE, count);
                self.pass.append(end, &root);
                let place = |i: u32| root.wrapping_add(i.wrapping_mul(AabbRecord::SIZE as u32));
                self.pass.fill(root as usize, count * AabbRecord::SIZE, |bytes| {
                    for (node, bytes) in tree.nodes.iter().zip(bytes.chunks_exact_mut(AabbRecord::SIZE)) {
                        aabb_record(node, [none; 2], place).put(bytes);
                    }
                });
            }
        }
    }
}

/// Returns the record of a box. `place` returns the places of other boxes; `none` is the value for a missing child.
fn aabb_record(node: &AabbNode, none: [u32; 2], place: impl Fn(u32) -> u32) -> AabbRecord {
    AabbRecord {
        min: node.min,
        max: node.max,
        left: Offset(node.left.map_or(none[0], &place)),
        right: Offset(node.right.map_or(none[1], &place)),
        face: node.face,
        plane: node.plane,
    }
}
