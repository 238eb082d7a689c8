//! The mesh part of a node into bytes: its header, its lists, and what stands on it.

use std::borrow::Cow;

use galatea_wire::{Offset, Result, Wire, Writer};

use super::layout::{AabbLayout, RowLayout, Slot};
use super::mesh::{AabbTree, IndexLists, Mesh, Saber, Skin};
use super::out::Out;
use super::plan::{Here, What, index_list_len, index_lists};
use super::read::BASE;
use super::rows::slot_to_short;
use super::wire::{AabbRecord, DanglyHeader, Dirt, MeshHead, MeshTail, SaberHeader, SkinHeader};
use super::write::{Places, Writing, pointer_use, put, scratch_len, short};
use super::{Game, Platform, pointers};

impl<P: Places> Writing<'_, P> {
    #[inline(never)]
    pub(super) fn mesh(&self, out: &mut Out<'_>, at: &mut usize, here: Here<'_>, mesh: &Mesh) -> Result<()> {
        let model = self.model;
        let layout = &mesh.layout;
        let own;
        let (rows, mdx_offset): (&RowLayout, u32) = match self.rows_of(here) {
            Some(rows) => (&rows.layout, rows.at),
            None => {
                own = if model.layout.mdx.missing && layout.rows.known {
                    Cow::Borrowed(&layout.rows)
                } else {
                    RowLayout::for_writing(mesh, model.platform == Platform::Xbox)
                };
                (&own, layout.rows.at)
            }
        };
        self.mesh_header(out, at, here, mesh, rows, mdx_offset)?;
        let [.., weights, bones] = rows.offsets;
        if let Some(skin) = mesh.skin.as_deref() {
            self.skin(out, at, here, skin, [weights, bones])?;
        }
        if let Some(anim) = mesh.anim.as_deref() {
            put(out, at, anim)?;
        }
        if let Some(dangly) = mesh.dangly.as_deref() {
            let layout = &dangly.layout;
            let constraints =
                self.def(here, What::Constraints, &layout.constraints, dangly.constraints.len())?;
            let header = DanglyHeader {
                constraints,
                displacement: dangly.displacement,
                tightness: dangly.tightness,
                period: dangly.period,
                vertices: Offset(self.place(here, What::DanglyPositions, &layout.positions)),
            };
            put(out, at, &header)?;
            self.items(out, here, What::Constraints, &layout.constraints, &dangly.constraints)?;
            let positions = dangly.positions.resolve(&mesh.vertices.positions);
            self.items(out, here, What::DanglyPositions, &layout.positions, positions)?;
        }
        if let Some(aabb) = mesh.aabb.as_deref() {
            self.boxes(out, at, here, aabb)?;
        }
        match mesh.saber.as_deref() {
            Some(saber) => self.saber(out, at, here, saber),
            None => Ok(()),
        }
    }

    fn mesh_header(
        &self,
        out: &mut Out<'_>,
        at: &mut usize,
        here: Here<'_>,
        mesh: &Mesh,
        rows: &RowLayout,
        mdx_offset: u32,
    ) -> Result<()> {
        let model = self.model;
        let layout = &mesh.layout;
        let [columns @ .., _, _] = &rows.offsets;
        let usual =
            pointers(model.game, model.platform, pointer_use(mesh.skin.is_some(), mesh.dangly.is_some()));
        let lists = index_lists(mesh);
        let vertex_count = match mesh.saber.as_deref() {
            Some(saber) if mesh.vertices.positions.is_empty() => saber.positions.len(),
            _ => mesh.vertex_count(),
        };
        let def = |what, slot, count| self.def(here, what, slot, count);
        let head = MeshHead {
            pointers: layout.pointers.unwrap_or(usual),
            faces: def(What::Faces, &layout.faces, mesh.faces.len())?,
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
            index_counts: def(What::IndexCounts, &layout.index_counts, lists + layout.more_counts.len())?,
            index_offsets: def(What::IndexOffsets, &layout.index_offsets, lists + layout.more_offsets.len())?,
            inverted_counters: def(
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
        };
        put(out, at, &head)?;
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
            put(out, at, &self.place(here, What::Positions, &layout.mdl_positions))?;
            self.items(out, here, What::Positions, &layout.mdl_positions, mesh.positions_in_mdl())?;
        }
        self.items(out, here, What::Faces, &layout.faces, &mesh.faces)?;
        let counts =
            (0..lists).map(|i| index_list_len(mesh, i) as u32).chain(layout.more_counts.iter().copied());
        out.each(head.index_counts.offset.0 as usize + BASE, head.index_counts.count as usize, counts)?;
        let place = |i: usize| self.nth(here, What::IndexList, &layout.index_lists, i);
        let offsets = (0..lists).map(place).chain(layout.more_offsets.iter().copied());
        out.each(head.index_offsets.offset.0 as usize + BASE, head.index_offsets.count as usize, offsets)?;
        self.items(out, here, What::InvertedCounters, &layout.inverted_counters, &mesh.inverted_counters)?;
        match &mesh.indices {
            IndexLists::Faces => {
                out.each(place(0) as usize + BASE, mesh.faces.len(), mesh.faces.iter().map(|f| f.vertices))
            }
            IndexLists::Own(lists) => {
                lists.iter().enumerate().try_for_each(|(i, list)| out.array(place(i) as usize + BASE, list))
            }
        }
    }

    fn skin(
        &self,
        out: &mut Out<'_>,
        at: &mut usize,
        here: Here<'_>,
        skin: &Skin,
        [weights, bones]: [i32; 2],
    ) -> Result<()> {
        let layout = &skin.layout;
        let def = |what, slot, count| self.def(here, what, slot, count);
        let header = SkinHeader {
            unknown_0x00: layout.unknown_0x00,
            weights,
            bones,
            bone_map: Offset(self.place(here, What::BoneMap, &layout.bone_map)),
            bone_map_count: Writer::count(skin.bone_map.len(), "bones")?,
            rotations: def(What::Rotations, &layout.rotations, skin.rotations.len())?,
            translations: def(What::Translations, &layout.translations, skin.translations.len())?,
            scratch: def(What::Scratch, &layout.scratch_slot, scratch_len(skin))?,
            bone_nodes: skin.bone_nodes,
            padding: layout.padding,
        };
        put(out, at, &header)?;
        if self.model.platform == Platform::Pc {
            self.items(out, here, What::BoneMap, &layout.bone_map, &skin.bone_map)?;
        } else {
            let map: Vec<u16> = skin.bone_map.iter().map(|s| slot_to_short(*s)).collect();
            self.items(out, here, What::BoneMap, &layout.bone_map, &map)?;
        }
        self.items(out, here, What::Rotations, &layout.rotations, &skin.rotations)?;
        self.items(out, here, What::Translations, &layout.translations, &skin.translations)?;
        self.items(out, here, What::Scratch, &layout.scratch_slot, &layout.scratch)
    }

    fn saber(&self, out: &mut Out<'_>, at: &mut usize, here: Here<'_>, saber: &Saber) -> Result<()> {
        let layout = &saber.layout;
        let header = SaberHeader {
            vertices: Offset(self.place(here, What::SaberPositions, &layout.positions)),
            uvs: Offset(self.place(here, What::SaberUvs, &layout.uvs)),
            normals: Offset(self.place(here, What::SaberNormals, &layout.normals)),
            inverted_counters: saber.inverted_counters,
        };
        put(out, at, &header)?;
        self.items(out, here, What::SaberPositions, &layout.positions, &saber.positions)?;
        self.items(out, here, What::SaberNormals, &layout.normals, &saber.normals)?;
        self.items(out, here, What::SaberUvs, &layout.uvs, &saber.uvs)
    }

    fn boxes(&self, out: &mut Out<'_>, at: &mut usize, here: Here<'_>, tree: &AabbTree) -> Result<()> {
        let record = |i: usize, none: [u32; 2], place: &dyn Fn(u32) -> u32| {
            tree.nodes.get(i).map(|n| AabbRecord {
                min: n.min,
                max: n.max,
                left: Offset(n.left.map_or(none[0], place)),
                right: Offset(n.right.map_or(none[1], place)),
                face: n.face,
                plane: n.plane,
            })
        };
        let count = tree.nodes.len();
        match &tree.layout {
            AabbLayout::Scattered { at: old, none } if old.len() == count => {
                let place = |i: u32| self.nth(here, What::AabbBox, old, i as usize);
                put(out, at, &place(0))?;
                for (i, none) in none.iter().enumerate() {
                    if let Some(record) = record(i, *none, &place) {
                        out.put(place(i as u32) as usize + BASE, &record)?;
                    }
                }
                Ok(())
            }
            layout => {
                let (slot, none) = match layout {
                    AabbLayout::Packed { root, none } => (*root, *none),
                    AabbLayout::Scattered { .. } => (Slot::default(), 0),
                };
                let root = self.place(here, What::Aabb, &slot);
                put(out, at, &root)?;
                let place = |i: u32| root.wrapping_add(i.wrapping_mul(AabbRecord::SIZE as u32));
                let records = (0..count).filter_map(|i| record(i, [none; 2], &place));
                out.each(root as usize + BASE, count, records)
            }
        }
    }
}
