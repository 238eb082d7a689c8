//! Writes a [`Walkmesh`]: in the layout that was read, or in that of the game's tools.

use std::io;

use galatea_wire::{Offset, Plan, Result, Wire, WriteError, Writer, write_to};

use super::wire::{Header, MAGIC};
use super::{Block, Kind, Table, Walkmesh};

impl Walkmesh {
    /// Returns the bytes of the file: those that were read, as long as nothing has changed.
    pub fn write(&self) -> Result<Vec<u8>> {
        if let Some(blocks) = self.layout.blocks
            && Table::ALL
                .iter()
                .zip(&blocks)
                .all(|(table, block)| self.entries(*table) == block.count as usize)
            && self.header_count_fits(&blocks)
        {
            let mut writer = Writer::new(self.layout.len as usize);
            writer.gaps(&self.layout.gaps)?;
            self.emit(&mut writer, &blocks)?;
            let bytes = writer.into_bytes();
            // Tables that share bytes keep their layout only while they agree on these bytes.
            if !self.layout.overlapping || self.reads_back(&bytes) {
                return Ok(bytes);
            }
        }
        let (blocks, len) = self.plan()?;
        let mut writer = Writer::new(len);
        self.emit(&mut writer, &blocks)?;
        Ok(writer.into_bytes())
    }

    /// Writes the file to a stream.
    pub fn write_to(&self, out: impl io::Write) -> Result<(), WriteError> {
        write_to(self.write(), out)
    }

    /// Returns the number of entries of a table.
    pub fn entries(&self, table: Table) -> usize {
        match table {
            Table::Vertices => self.vertices.len(),
            Table::Faces => self.faces.len(),
            Table::Materials => self.materials.len(),
            Table::Normals => self.normals.len(),
            Table::Distances => self.distances.len(),
            Table::Aabb => self.aabb.len(),
            Table::Adjacency => self.adjacency.len(),
            Table::Edges => self.edges.len(),
            Table::Perimeters => self.perimeters.len(),
        }
    }

    /// Returns whether the counts fit the header: per-face tables that are present share the face count; absent ones
    /// keep offset 0.
    fn header_count_fits(&self, blocks: &[Block; 9]) -> bool {
        let faces = self.faces.len();
        [Table::Materials, Table::Normals, Table::Distances].iter().all(|table| {
            let absent = blocks.get(*table as usize).is_some_and(|b| b.offset == 0);
            self.entries(*table) == faces || absent
        })
    }

    fn reads_back(&self, bytes: &[u8]) -> bool {
        let limits = galatea_wire::Limits::default().with_ratio(16);
        Walkmesh::read(bytes, &limits).is_ok_and(|written| written.differences(self).is_empty())
    }

    /// Returns the canonical layout: header, then the nine tables in order without padding. Placeables and doors have
    /// no tables beyond the fifth, and their offsets are 0.
    fn plan(&self) -> Result<([Block; 9], usize)> {
        let mut plan = Plan::new(Header::SIZE);
        let mut blocks = [Block::default(); 9];
        let faces = self.faces.len();
        for (table, block) in Table::ALL.iter().zip(&mut blocks) {
            let entries = self.entries(*table);
            let per_face = matches!(table, Table::Materials | Table::Normals | Table::Distances);
            let absent =
                entries == 0 && (per_face && faces > 0 || self.kind == Kind::Object && !table.is_geometry());
            if per_face && !absent && entries != faces {
                return Err(galatea_wire::Error::unrepresentable(format!(
                    "{faces} faces but {entries} {}: the file has one count for both",
                    table.name()
                )));
            }
            if !absent {
                let at = plan.block(entries.saturating_mul(table.entry()));
                *block =
                    Block { offset: Writer::offset(at)?.0, count: Writer::count(entries, table.name())? };
            }
        }
        Ok((blocks, plan.len()))
    }

    fn emit(&self, writer: &mut Writer, blocks: &[Block; 9]) -> Result<()> {
        let [vertices, faces, materials, normals, distances, aabb, adjacency, edges, perimeters] = *blocks;
        let at = |block: Block| Offset(block.offset);
        writer.array(vertices.offset as usize, &self.vertices)?;
        writer.array(faces.offset as usize, &self.faces)?;
        writer.array(materials.offset as usize, &self.materials)?;
        writer.array(normals.offset as usize, &self.normals)?;
        writer.array(distances.offset as usize, &self.distances)?;
        writer.array(aabb.offset as usize, &self.aabb)?;
        writer.array(adjacency.offset as usize, &self.adjacency)?;
        writer.array(edges.offset as usize, &self.edges)?;
        writer.array(perimeters.offset as usize, &self.perimeters)?;
        writer.put(
            0,
            &Header {
                magic: MAGIC,
                kind: self.kind.code(),
                relative_use: self.relative_use,
                absolute_use: self.absolute_use,
                position: self.position,
                vertex_count: vertices.count,
                vertex_offset: at(vertices),
                face_count: faces.count,
                face_offset: at(faces),
                material_offset: at(materials),
                normal_offset: at(normals),
                distance_offset: at(distances),
                aabb_count: aabb.count,
                aabb_offset: at(aabb),
                aabb_root: self.aabb_root,
                adjacency_count: adjacency.count,
                adjacency_offset: at(adjacency),
                edge_count: edges.count,
                edge_offset: at(edges),
                perimeter_count: perimeters.count,
                perimeter_offset: at(perimeters),
            },
        )
    }
}

impl Table {
    /// Returns whether this table describes geometry, which every kind of walkmesh has.
    pub fn is_geometry(self) -> bool {
        matches!(self, Table::Vertices | Table::Faces | Table::Materials | Table::Normals | Table::Distances)
    }
}
