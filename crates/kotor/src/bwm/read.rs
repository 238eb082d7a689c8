//! Reads a [`Walkmesh`] from bytes.

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Reader, Result, Source, Wire};

use super::wire::{Header, MAGIC};
use super::{Block, Layout, Table, Walkmesh};

/// Returns whether these bytes are a walkmesh.
///
/// ```
/// assert!(galatea_kotor::bwm::detect(b"BWM V1.0 and so on"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = read(source.reader()).err();
    (source.into_coverage(), error)
}

impl Walkmesh {
    /// Reads a walkmesh file. Every byte ends up in a field or in the layout's gaps.
    ///
    /// ```
    /// use galatea_kotor::bwm::{Kind, Walkmesh};
    /// use galatea_wire::Limits;
    /// let room = Walkmesh::build(
    ///     Kind::Area,
    ///     vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    ///     vec![[0, 1, 2]],
    ///     vec![4],
    ///     &Default::default(),
    /// )?;
    /// let bytes = room.write()?;
    /// assert_eq!(Walkmesh::read(&bytes, &Limits::default())?.write()?, bytes);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Walkmesh> {
        let source = Source::new(bytes, limits);
        let mut mesh = read(source.reader())?;
        let coverage = source.into_coverage();
        mesh.layout.gaps = coverage.keep_gaps(bytes);
        mesh.layout.overlapping = !coverage.overlaps(1).is_empty();
        Ok(mesh)
    }
}

fn read(reader: Reader<'_>) -> Result<Walkmesh> {
    if !detect(reader.data()) {
        return Err(Error::at(ErrorKind::NotThisFormat, 0));
    }
    let header: Header = reader.at(0, "header")?;
    let blocks = blocks(&header);
    let mut mesh = Walkmesh::new(header.kind.into());
    mesh.relative_use = header.relative_use;
    mesh.absolute_use = header.absolute_use;
    mesh.position = header.position;
    mesh.aabb_root = header.aabb_root;
    mesh.vertices = table(reader, &blocks, Table::Vertices)?;
    mesh.faces = table(reader, &blocks, Table::Faces)?;
    mesh.materials = table(reader, &blocks, Table::Materials)?;
    mesh.normals = table(reader, &blocks, Table::Normals)?;
    mesh.distances = table(reader, &blocks, Table::Distances)?;
    mesh.aabb = table(reader, &blocks, Table::Aabb)?;
    mesh.adjacency = table(reader, &blocks, Table::Adjacency)?;
    mesh.edges = table(reader, &blocks, Table::Edges)?;
    mesh.perimeters = table(reader, &blocks, Table::Perimeters)?;
    let len =
        u32::try_from(reader.len()).map_err(|_| reader.error(ErrorKind::Limit("file size"), 0, "file"))?;
    mesh.layout = Layout { blocks: Some(blocks), gaps: Vec::new(), len, overlapping: false };
    Ok(mesh)
}

/// Returns the nine tables of the header. A per-face table at offset 0 would overlap the header: it is absent.
fn blocks(header: &Header) -> [Block; 9] {
    let faces = header.face_count;
    let per_face = |offset: u32| Block { offset, count: if offset == 0 { 0 } else { faces } };
    [
        Block { offset: header.vertex_offset.0, count: header.vertex_count },
        Block { offset: header.face_offset.0, count: faces },
        per_face(header.material_offset.0),
        per_face(header.normal_offset.0),
        per_face(header.distance_offset.0),
        Block { offset: header.aabb_offset.0, count: header.aabb_count },
        Block { offset: header.adjacency_offset.0, count: header.adjacency_count },
        Block { offset: header.edge_offset.0, count: header.edge_count },
        Block { offset: header.perimeter_offset.0, count: header.perimeter_count },
    ]
}

fn table<T: Wire>(reader: Reader<'_>, blocks: &[Block; 9], table: Table) -> Result<Vec<T>> {
    let block = blocks.get(table as usize).copied().unwrap_or_default();
    reader.array(block.offset as usize, block.count as usize, table.name())
}
