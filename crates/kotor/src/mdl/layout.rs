//! The layout of a file: where blocks were, and bytes without meaning. [`Model::write`] reproduces it while the shape
//! is unchanged. [`Model::differences`] ignores it.
//!
//! A default layout means "not read from a file": the writer then uses the layout of the game's compiler.
//!
//! [`Model::write`]: super::Model::write
//! [`Model::differences`]: super::Model::differences

use galatea_wire::{Gap, Offset, Wire};

use super::wire::{AnimationHeader, ArrayDef, FileHeader, GeometryHeader, ModelHeader, NamesHeader};

/// The place of a block in the data of the MDL, as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slot {
    /// Whether it was read from a file; otherwise the other fields have no meaning.
    pub known: bool,
    /// Offset without the file header. For an empty block, the value in the file.
    pub at: u32,
    /// Number of items.
    pub count: u32,
    /// Number of items the file declares room for.
    pub capacity: u32,
}

impl Slot {
    pub(crate) fn of(def: &ArrayDef) -> Slot {
        Slot { known: true, at: def.offset.0, count: def.count, capacity: def.capacity }
    }

    pub(crate) fn plain(at: u32, count: usize) -> Slot {
        Slot { known: true, at, count: count as u32, capacity: count as u32 }
    }

    /// Returns the array definition to write for `count` items that are now at `at`.
    pub(crate) fn def(&self, at: u32, count: u32) -> ArrayDef {
        let capacity = if self.known && self.count == count { self.capacity } else { count };
        ArrayDef { offset: Offset(at), count, capacity }
    }
}

/// Layout of the whole model.
#[derive(Debug, Clone, Default)]
pub struct ModelLayout {
    /// The headers as read, with sizes, run-time fields and padding. `None` for a model that was not read from a file.
    pub headers: Option<Box<Headers>>,
    /// Offsets of the names.
    pub name_offsets: Slot,
    /// Place of each name.
    pub names: Vec<u32>,
    /// Offsets of the animations.
    pub animation_offsets: Slot,
    /// Unused bytes of the MDL, with their offsets in the file.
    pub gaps: Vec<Gap>,
    /// Length of the MDL.
    pub mdl_len: u32,
    /// Whether blocks shared bytes.
    pub overlaps: bool,
    /// Layout of the MDX.
    pub mdx: MdxLayout,
}

/// Layout of the MDX.
#[derive(Debug, Clone, Default)]
pub struct MdxLayout {
    /// Whether the model was read without its MDX although it has vertex rows. Then no MDX is written either, and the
    /// header fields that describe it are kept.
    pub missing: bool,
    /// Bytes that belong to no mesh: padding to the next multiple of 16, and unused data.
    pub gaps: Vec<Gap>,
    /// Length of the MDX.
    pub len: u32,
    /// Whether every mesh began at a multiple of 16.
    pub aligned: bool,
    /// Whether meshes shared rows.
    pub overlaps: bool,
}

/// The headers of a model as read.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    /// File header.
    pub file: FileHeader,
    /// Geometry header.
    pub geometry: GeometryHeader,
    /// Model header.
    pub model: ModelHeader,
    /// Names header.
    pub names: NamesHeader,
    /// Whether `names.head_root` is the offset of a node.
    pub head_is_sound: bool,
}

/// Layout of an animation.
#[derive(Debug, Clone, Default)]
pub struct AnimationLayout {
    /// Place of the header.
    pub header: Slot,
    /// The header as read.
    pub raw: Option<Box<(GeometryHeader, AnimationHeader)>>,
    /// Events.
    pub events: Slot,
}

/// The place of a block without spare room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Offset without the file header. For an empty block, the value in the file.
    pub at: u32,
    /// Number of items.
    pub count: u32,
}

/// Layout of a node. Models have thousands, so rare fields are stored separately.
#[derive(Debug, Clone, Default)]
pub struct NodeLayout {
    /// The header and the parts that follow it, in bytes. Empty for a node that was not read from a file.
    pub header: Place,
    /// Children.
    pub children: Place,
    /// Controllers.
    pub controllers: Place,
    /// Data of the controllers.
    pub data: Place,
    /// Where the header differs from that of the game's compiler.
    pub odd: Option<Box<OddNode>>,
}

/// Unusual values in the header of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OddNode {
    /// Number of children, controllers and data words the file declares room for.
    pub capacities: [u32; 3],
    /// Parent offset in the file, if it is not that of the parent.
    pub stale_parent: Option<u32>,
    /// Owner offset in the file, if it is not that of the animation (or not 0 in the model).
    pub stale_owner: Option<u32>,
    /// Padding after the name index.
    pub padding: u16,
}

impl Place {
    pub(crate) fn of(def: &ArrayDef) -> Place {
        Place { at: def.offset.0, count: def.count }
    }
}

impl NodeLayout {
    /// Returns whether the node was read from a file.
    pub fn known(&self) -> bool {
        self.header.count != 0
    }

    #[inline]
    fn slot(&self, place: Place, capacity: impl Fn(&OddNode) -> u32) -> Slot {
        let capacity = self.odd.as_deref().map_or(place.count, capacity);
        Slot { known: self.known(), at: place.at, count: place.count, capacity }
    }

    pub(crate) fn header_slot(&self) -> Slot {
        self.slot(self.header, |_| self.header.count)
    }

    pub(crate) fn children_slot(&self) -> Slot {
        self.slot(self.children, |odd| odd.capacities[0])
    }

    pub(crate) fn controllers_slot(&self) -> Slot {
        self.slot(self.controllers, |odd| odd.capacities[1])
    }

    pub(crate) fn data_slot(&self) -> Slot {
        self.slot(self.data, |odd| odd.capacities[2])
    }
}

/// Layout of a mesh.
#[derive(Debug, Clone, Default)]
pub struct MeshLayout {
    /// Function pointers, if they are not those of the game and platform.
    pub pointers: Option<[u32; 2]>,
    /// Faces.
    pub faces: Slot,
    /// Lengths of the index lists.
    pub index_counts: Slot,
    /// Offsets of the index lists.
    pub index_offsets: Slot,
    /// Place of each index list.
    pub index_lists: Vec<u32>,
    /// Entries of the lengths beyond those that have an offset.
    pub more_counts: Vec<u32>,
    /// Entries of the offsets beyond those that have a length.
    pub more_offsets: Vec<u32>,
    /// Inverted counters.
    pub inverted_counters: Slot,
    /// Vertex positions in the MDL.
    pub mdl_positions: Slot,
    /// Vertex count of the header, for meshes without vertices.
    pub vertex_count: u16,
    /// Padding before the area.
    pub padding: [u8; 2],
    /// The MDX rows.
    pub rows: RowLayout,
}

/// Layout of the MDX rows of a mesh.
#[derive(Debug, Clone, Default)]
pub struct RowLayout {
    /// First row in the MDX.
    pub at: u32,
    /// Number of rows, without the one that ends the mesh.
    pub count: u32,
    /// Bytes of a row; 0 if the mesh was not read from a file or has no rows.
    pub stride: u32,
    /// Columns that the header declares.
    pub flags: u32,
    /// Offsets of the columns: the eleven of the mesh header, then weights and bones.
    pub offsets: [i32; 13],
    /// Columns that were read, one bit each in the order of `offsets`.
    pub present: u16,
    /// Whether normals, tangents and bones were packed as on the Xbox.
    pub packed: bool,
    /// Whether the layout was read from a file.
    pub known: bool,
    /// Whether columns shared bytes.
    pub overlaps: bool,
    /// The row that ends the mesh.
    pub sentinel: Sentinel,
    /// Bytes of the rows that belong to no column, row after row; empty if they are all zero.
    pub residue: Vec<u8>,
}

/// The row that ends the rows of a mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Sentinel {
    /// As the game's compiler writes it.
    #[default]
    Usual,
    /// None.
    Absent,
    /// This number three times, then zeros.
    Number(f32),
    /// These bytes.
    Raw(Vec<u8>),
}

/// Layout of a skin.
#[derive(Debug, Clone, Default)]
pub struct SkinLayout {
    /// An array that is zero in real files.
    pub unknown_0x00: ArrayDef,
    /// Bone map.
    pub bone_map: Slot,
    /// Rotations.
    pub rotations: Slot,
    /// Translations.
    pub translations: Slot,
    /// Run-time room.
    pub scratch_slot: Slot,
    /// Contents of the run-time room; empty for zeros, one word per node.
    pub scratch: Vec<u32>,
    /// Last four bytes of the header.
    pub padding: [u16; 2],
}

/// Layout of a danglymesh.
#[derive(Debug, Clone, Default)]
pub struct DanglyLayout {
    /// Constraints.
    pub constraints: Slot,
    /// Copy of the positions.
    pub positions: Slot,
}

/// Layout of a lightsaber blade.
#[derive(Debug, Clone, Default)]
pub struct SaberLayout {
    /// Positions.
    pub positions: Slot,
    /// Texture coordinates.
    pub uvs: Slot,
    /// Normals.
    pub normals: Slot,
}

/// Layout of an AABB tree.
#[derive(Debug, Clone)]
pub enum AabbLayout {
    /// Consecutive boxes in preorder.
    Packed {
        /// The root.
        root: Slot,
        /// The value for "no child".
        none: u32,
    },
    /// Boxes at arbitrary places.
    Scattered {
        /// Place of each box.
        at: Vec<u32>,
        /// The value for "no child" in each box.
        none: Vec<[u32; 2]>,
    },
}

impl Default for AabbLayout {
    fn default() -> Self {
        AabbLayout::Packed { root: Slot::default(), none: 0 }
    }
}

/// Layout of a light.
#[derive(Debug, Clone, Default)]
pub struct LightLayout {
    /// An array that is zero in real files.
    pub runtime_array: ArrayDef,
    /// Flare sizes.
    pub sizes: Slot,
    /// Flare positions.
    pub positions: Slot,
    /// Flare colours.
    pub colors: Slot,
    /// Offsets of the flare textures.
    pub texture_offsets: Slot,
    /// Place of each flare texture name.
    pub textures: Vec<u32>,
}

/// Start of the data, from which offsets are counted: after the file header.
pub(crate) const DATA_START: usize = FileHeader::SIZE;

/// Returns the position in the file that an offset refers to.
pub(crate) fn file_position(offset: u32) -> usize {
    offset as usize + DATA_START
}

/// Length of the headers at the beginning of every model, without the file header.
pub(crate) const HEADERS: u32 = (GeometryHeader::SIZE + ModelHeader::SIZE + NamesHeader::SIZE) as u32;
