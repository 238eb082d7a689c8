//! BWM walkmeshes: WOK (areas), PWK (placeables) and DWK (doors).
//!
//! [`Walkmesh::read`] keeps every byte. [`Walkmesh::write`] writes the same bytes as long as no table changes its
//! length, and uses the layout of the game's tools otherwise. [`Walkmesh::build`] makes a walkmesh from triangles,
//! [`Walkmesh::rebuild`] derives all derived tables again.

mod check;
mod derive;
mod diff;
mod edit;
mod fix;
mod read;
mod rules;
mod scene;
pub mod text;
mod tree;
mod wire;
mod write;

pub use crate::geometry::{normal, plane};
pub use check::check;
pub use derive::{Comparison, adjacency, border};
pub use edit::WeldError;
pub use fix::fix;
pub use read::{detect, inspect};
pub use rules::RULES;
pub use scene::{Authored, SceneOptions};
pub use tree::{build_tree, refit_tree};
pub use wire::{AabbNode, Edge, Header, MAGIC, RECORDS};

use galatea_wire::{Gap, Summary};

use crate::surface::Walkability;

/// What a walkmesh belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// PWK or DWK: a placeable or a door. Has no tree, neighbours or border.
    Object,
    /// WOK: a room of an area.
    Area,
    /// A kind that does not occur in known files.
    Other(u32),
}

impl Kind {
    /// Returns the number that stands for the kind in the file.
    pub fn code(self) -> u32 {
        match self {
            Kind::Object => 0,
            Kind::Area => 1,
            Kind::Other(code) => code,
        }
    }
}

impl From<u32> for Kind {
    fn from(code: u32) -> Self {
        match code {
            0 => Kind::Object,
            1 => Kind::Area,
            code => Kind::Other(code),
        }
    }
}

/// A walkmesh file.
#[derive(Debug, Clone, PartialEq)]
pub struct Walkmesh {
    /// What it belongs to.
    pub kind: Kind,
    /// Where a character stands to use the object, relative to the object.
    pub relative_use: [[f32; 3]; 2],
    /// Where a character stands to use the object, in area space.
    pub absolute_use: [[f32; 3]; 2],
    /// Position of the room's walkmesh node. The vertices of an area are absolute nonetheless.
    pub position: [f32; 3],
    /// Corners of the faces.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles, counter-clockwise seen from above; walkable ones first.
    pub faces: Vec<[u32; 3]>,
    /// Surface material of each face.
    pub materials: Vec<u32>,
    /// Unit normal of each face.
    pub normals: Vec<[f32; 3]>,
    /// Distance of each face's plane: minus normal times first vertex.
    pub distances: Vec<f32>,
    /// Box tree over all faces, in preorder.
    pub aabb: Vec<AabbNode>,
    /// The number at 0x6C; 0 in every known file.
    pub aabb_root: u32,
    /// Neighbours of each walkable face across its three edges, as 3 x face + edge, or -1.
    pub adjacency: Vec<[i32; 3]>,
    /// The border: edges of walkable faces without a walkable neighbour, loop after loop.
    pub edges: Vec<Edge>,
    /// For each border loop, one past its last entry in `edges`.
    pub perimeters: Vec<u32>,
    /// Layout of the file.
    pub layout: Layout,
}

/// The nine tables, in the order of the header and of the game's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
#[allow(missing_docs)] // The fields of `Walkmesh` document the tables.
pub enum Table {
    Vertices,
    Faces,
    Materials,
    Normals,
    Distances,
    Aabb,
    Adjacency,
    Edges,
    Perimeters,
}

impl Table {
    /// All tables, in the order of the file.
    pub const ALL: [Table; 9] = [
        Table::Vertices,
        Table::Faces,
        Table::Materials,
        Table::Normals,
        Table::Distances,
        Table::Aabb,
        Table::Adjacency,
        Table::Edges,
        Table::Perimeters,
    ];

    /// Returns the name of the table, which is that of the field of [`Walkmesh`].
    pub fn name(self) -> &'static str {
        match self {
            Table::Vertices => "vertices",
            Table::Faces => "faces",
            Table::Materials => "materials",
            Table::Normals => "normals",
            Table::Distances => "distances",
            Table::Aabb => "aabb",
            Table::Adjacency => "adjacency",
            Table::Edges => "edges",
            Table::Perimeters => "perimeters",
        }
    }

    /// Returns the size of an entry in bytes.
    pub fn entry(self) -> usize {
        match self {
            Table::Vertices | Table::Faces | Table::Normals | Table::Adjacency => 12,
            Table::Materials | Table::Distances | Table::Perimeters => 4,
            Table::Aabb => 44,
            Table::Edges => 8,
        }
    }
}

/// The place of a table in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Block {
    /// Offset in the file; for an empty table, the value of the header.
    pub offset: u32,
    /// Number of entries.
    pub count: u32,
}

/// The layout of a file, which [`Walkmesh::write`] reproduces while no table changes its length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The place of each table, by [`Table`]; `None` for a walkmesh that was not read from a file.
    pub blocks: Option<[Block; 9]>,
    /// Bytes that belong to no table.
    pub gaps: Vec<Gap>,
    /// Length of the file.
    pub len: u32,
    /// Whether tables share bytes.
    pub overlapping: bool,
}

impl Layout {
    /// Returns the offset of an entry of a table in the file that was read.
    pub fn offset_of(&self, table: Table, index: usize) -> Option<u64> {
        let block = self.blocks.as_ref()?.get(table as usize)?;
        (index < block.count as usize).then(|| u64::from(block.offset) + (index * table.entry()) as u64)
    }
}

impl Walkmesh {
    /// Returns an empty walkmesh.
    pub fn new(kind: Kind) -> Self {
        Walkmesh {
            kind,
            relative_use: [[0.0; 3]; 2],
            absolute_use: [[0.0; 3]; 2],
            position: [0.0; 3],
            vertices: Vec::new(),
            faces: Vec::new(),
            materials: Vec::new(),
            normals: Vec::new(),
            distances: Vec::new(),
            aabb: Vec::new(),
            aabb_root: 0,
            adjacency: Vec::new(),
            edges: Vec::new(),
            perimeters: Vec::new(),
            layout: Layout::default(),
        }
    }

    /// Returns the corners of a face; `None` if the face or one of its vertices does not exist.
    pub fn corners(&self, face: usize) -> Option<[[f32; 3]; 3]> {
        let [a, b, c] = *self.faces.get(face)?;
        let vertex = |i: u32| self.vertices.get(i as usize).copied();
        Some([vertex(a)?, vertex(b)?, vertex(c)?])
    }

    /// Returns the number of walkable faces.
    pub fn walkable_faces(&self, walkability: &Walkability) -> usize {
        self.materials.iter().take(self.faces.len()).filter(|m| walkability.is_walkable(**m)).count()
    }

    /// Returns the figures of `galatea info`.
    pub fn summary(&self) -> Summary {
        let kind = match self.kind {
            Kind::Object => "PWK/DWK".to_owned(),
            Kind::Area => "WOK".to_owned(),
            Kind::Other(code) => format!("kind {code}"),
        };
        Summary {
            version: format!("V1.0 {kind}"),
            nodes: 1,
            meshes: usize::from(!self.faces.is_empty()),
            vertices: self.vertices.len(),
            triangles: self.faces.len(),
            bones: 0,
            clips: 0,
        }
    }
}
