//! Meshes and their parts: skins, danglymeshes, walkable meshes and lightsaber blades.

use galatea_wire::{Offset, Text, Wire};

use super::layout::{AabbLayout, DanglyLayout, MeshLayout, SaberLayout, SkinLayout};
use super::wire::{AnimMeshHeader, Dirt, Face, MeshHead, MeshTail};
use super::{Game, Model, Platform};

/// Tangent space of a vertex in the order of the file: bitangent (negated where the texture is mirrored), negated
/// tangent, normal. See [`tangent_space`](super::derive::tangent_space).
pub type TangentSpace = [[f32; 3]; 3];

/// The mesh part of a node.
#[derive(Debug, Clone)]
pub struct Mesh {
    /// Triangles.
    pub faces: Vec<Face>,
    /// Vertices, column by column.
    pub vertices: Vertices,
    /// Whether the vertices are rows of the MDX. `false` for lightsaber blades, whose vertices are in the MDL.
    pub in_mdx: bool,
    /// The vertex positions in the MDL.
    pub mdl_positions: PositionCopy,
    /// The lists of vertex indices that the game draws.
    pub indices: IndexLists,
    /// Counters that decrease from 98 over the meshes of a model; one per mesh.
    pub inverted_counters: Vec<u32>,
    /// Lowest and highest corner of the box around the vertices.
    pub bounds: [[f32; 3]; 2],
    /// Greatest distance of a vertex from `average`.
    pub radius: f32,
    /// Mean of the vertex positions.
    pub average: [f32; 3],
    /// Sum of the areas of the faces.
    pub area: f32,
    /// Diffuse color.
    pub diffuse: [f32; 3],
    /// Ambient color.
    pub ambient: [f32; 3],
    /// Drawing order among transparent meshes, 0 to 8.
    pub transparency_hint: u32,
    /// First texture; `NULL` or empty for none.
    pub texture: Text<32>,
    /// Second texture, usually the lightmap.
    pub lightmap: Text<32>,
    /// Third texture.
    pub texture_3: Text<12>,
    /// Fourth texture.
    pub texture_4: Text<12>,
    /// Number of textures.
    pub texture_count: u16,
    /// (-1, -1, 0) in nearly all files.
    pub unknown_0xd4: [i32; 3],
    /// 3 and seven zeros in nearly all files.
    pub unknown_0xe0: [u8; 8],
    /// Whether the texture scrolls.
    pub animate_uv: u32,
    /// Direction in which the texture scrolls.
    pub uv_direction: [f32; 2],
    /// Amplitude of the texture jitter.
    pub uv_jitter: f32,
    /// Speed of the texture jitter.
    pub uv_jitter_speed: f32,
    /// Whether the second texture is a lightmap.
    pub lightmapped: u8,
    /// Whether the texture rotates.
    pub rotate_texture: u8,
    /// Whether the mesh belongs to the background.
    pub background: u8,
    /// Whether the mesh casts a shadow.
    pub shadow: u8,
    /// Whether the mesh beams.
    pub beaming: u8,
    /// Whether the mesh is drawn.
    pub render: u8,
    /// Fields that only KotOR 2 has; `None` in KotOR 1.
    pub dirt: Option<Dirt>,
    /// 0 in every known file.
    pub unknown_after_area: u32,
    /// The skin part.
    pub skin: Option<Box<Skin>>,
    /// The animmesh part. No real file has one; its offsets are kept unchanged.
    pub anim: Option<Box<AnimMeshHeader>>,
    /// The danglymesh part.
    pub dangly: Option<Box<Dangly>>,
    /// The walkable part.
    pub aabb: Option<Box<AabbTree>>,
    /// The lightsaber part.
    pub saber: Option<Box<Saber>>,
    /// Layout in the file.
    pub layout: MeshLayout,
}

impl Default for Mesh {
    #[inline]
    fn default() -> Self {
        Mesh {
            faces: Vec::new(),
            vertices: Vertices::default(),
            in_mdx: true,
            mdl_positions: PositionCopy::Same,
            indices: IndexLists::Faces,
            inverted_counters: [98].into(),
            bounds: [[0.0; 3]; 2],
            radius: 0.0,
            average: [0.0; 3],
            area: 0.0,
            diffuse: [0.8; 3],
            ambient: [0.2; 3],
            transparency_hint: 0,
            texture: Text::default(),
            lightmap: Text::default(),
            texture_3: Text::default(),
            texture_4: Text::default(),
            texture_count: 0,
            unknown_0xd4: [-1, -1, 0],
            unknown_0xe0: [3, 0, 0, 0, 0, 0, 0, 0],
            animate_uv: 0,
            uv_direction: [0.0; 2],
            uv_jitter: 0.0,
            uv_jitter_speed: 0.0,
            lightmapped: 0,
            rotate_texture: 0,
            background: 0,
            shadow: 0,
            beaming: 0,
            render: 1,
            dirt: None,
            unknown_after_area: 0,
            skin: None,
            anim: None,
            dangly: None,
            aabb: None,
            saber: None,
            layout: MeshLayout::default(),
        }
    }
}

impl Mesh {
    /// Returns the number of vertices; if the MDX is missing and the MDL has none, the number in the header.
    pub fn vertex_count(&self) -> usize {
        if self.vertices.positions.is_empty() {
            self.vertices.normals.len().max(usize::from(self.layout.vertex_count))
        } else {
            self.vertices.positions.len()
        }
    }

    /// Returns the vertex positions in the MDL.
    pub fn positions_in_mdl(&self) -> &[[f32; 3]] {
        self.mdl_positions.resolve(&self.vertices.positions)
    }

    /// Returns the number of index lists.
    pub(crate) fn index_list_count(&self) -> usize {
        match &self.indices {
            IndexLists::Faces => 1,
            IndexLists::Own(lists) => lists.len(),
        }
    }

    /// Returns the number of indices in a list.
    pub(crate) fn index_count(&self, list: usize) -> usize {
        match &self.indices {
            IndexLists::Faces => self.faces.len() * 3,
            IndexLists::Own(lists) => lists.get(list).map_or(0, Vec::len),
        }
    }

    /// Returns the bytes that the header of a mesh takes in a file for this model's game and platform.
    pub(crate) fn header_len(model: &Model) -> usize {
        let dirt = if model.game == Game::K2 { Dirt::SIZE } else { 0 };
        let positions = if model.platform == Platform::Pc { Offset::SIZE } else { 0 };
        MeshHead::SIZE + dirt + MeshTail::SIZE + positions
    }

    /// Discards the layout of the mesh.
    pub fn forget_layout(&mut self) {
        self.layout = MeshLayout { vertex_count: self.layout.vertex_count, ..MeshLayout::default() };
        if let Some(skin) = &mut self.skin {
            skin.layout = SkinLayout::default();
        }
        if let Some(dangly) = &mut self.dangly {
            dangly.layout = DanglyLayout::default();
        }
        if let Some(aabb) = &mut self.aabb {
            aabb.layout = AabbLayout::default();
        }
        if let Some(saber) = &mut self.saber {
            saber.layout = SaberLayout::default();
        }
    }
}

/// The vertices of a mesh, column by column. A column is empty or has one entry per vertex.
#[derive(Debug, Clone, Default)]
pub struct Vertices {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Normals. Packed on the Xbox; packing an unpacked normal gives the same bits.
    pub normals: Vec<[f32; 3]>,
    /// Colors.
    pub colors: Vec<[f32; 3]>,
    /// Texture coordinates of the four textures; the second set is usually that of the lightmap.
    pub uvs: [Vec<[f32; 2]>; 4],
    /// Tangent space of the four textures.
    pub tangents: [Vec<TangentSpace>; 4],
    /// Bone weights; unused ones are 0.
    pub weights: Vec<[f32; 4]>,
    /// Bone slots; unused ones are -1.
    pub bones: Vec<[f32; 4]>,
}

/// A second copy of the vertex positions in the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum PositionCopy {
    /// No copy.
    Absent,
    /// The positions of the mesh.
    #[default]
    Same,
    /// Other positions.
    Own(Vec<[f32; 3]>),
}

impl PositionCopy {
    /// Returns the positions, given those of the mesh.
    pub fn resolve<'a>(&'a self, positions: &'a [[f32; 3]]) -> &'a [[f32; 3]] {
        match self {
            PositionCopy::Absent => &[],
            PositionCopy::Same => positions,
            PositionCopy::Own(own) => own,
        }
    }
}

/// The lists of vertex indices of a mesh.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum IndexLists {
    /// One list: the vertices of the faces in their order.
    #[default]
    Faces,
    /// Other lists, or none.
    Own(Vec<Vec<u16>>),
}

/// The skin part of a mesh: the bones and their bind pose.
///
/// The lists have one entry for every node of the model, in depth-first order.
#[derive(Debug, Clone, Default)]
pub struct Skin {
    /// Bone slot of every node, or -1 for nodes that are not bones.
    pub bone_map: Vec<f32>,
    /// Rotation w, x, y, z of the inverse bind of every node.
    pub rotations: Vec<[f32; 4]>,
    /// Translation of the inverse bind of every node. Translation and rotation are inverse(world of the node) times
    /// world of the skin, both at rest.
    pub translations: Vec<[f32; 3]>,
    /// Node of each of the first 16 bone slots. Unused slots contain garbage.
    pub bone_nodes: [i16; 16],
    /// Layout in the file.
    pub layout: SkinLayout,
}

impl Skin {
    /// Returns the number of bone slots: one more than the greatest in the bone map.
    pub fn slots(&self) -> usize {
        self.bone_map
            .iter()
            .filter(|s| **s >= 0.0)
            .map(|s| (*s as usize).saturating_add(1))
            .max()
            .unwrap_or(0)
    }

    /// Returns the node of a bone slot: the first one, if the map has more of them.
    pub fn node_of(&self, slot: usize) -> Option<super::NodeId> {
        self.bone_map.iter().position(|s| *s >= 0.0 && *s as usize == slot).map(|i| i as super::NodeId)
    }

    /// Returns the words of run-time room in the file.
    pub(crate) fn scratch_len(&self) -> usize {
        if self.layout.scratch_slot.known { self.layout.scratch.len() } else { self.bone_map.len() }
    }

    /// Sorts the lists by a new order of nodes, given as old indices.
    pub(crate) fn reorder(&mut self, order: &[super::NodeId]) {
        fn sorted<T: Copy>(list: &mut Vec<T>, order: &[super::NodeId]) {
            if list.len() == order.len() {
                *list = order.iter().filter_map(|i| list.get(*i as usize).copied()).collect();
            }
        }
        sorted(&mut self.bone_map, order);
        sorted(&mut self.rotations, order);
        sorted(&mut self.translations, order);
        sorted(&mut self.layout.scratch, order);
        for slot in 0..self.slots().min(16) {
            if let (Some(node), Some(entry)) = (self.node_of(slot), self.bone_nodes.get_mut(slot)) {
                *entry = node as i16;
            }
        }
    }
}

/// The danglymesh part of a mesh.
#[derive(Debug, Clone, Default)]
pub struct Dangly {
    /// How strongly each vertex is held, from 0 (free) to 255 (fixed).
    pub constraints: Vec<f32>,
    /// The greatest displacement of a vertex.
    pub displacement: f32,
    /// How strongly vertices are pulled back.
    pub tightness: f32,
    /// How fast vertices swing.
    pub period: f32,
    /// The copy of the vertex positions.
    pub positions: PositionCopy,
    /// Layout in the file.
    pub layout: DanglyLayout,
}

/// The box tree over the faces of a walkable mesh.
#[derive(Debug, Clone, Default)]
pub struct AabbTree {
    /// The boxes in preorder. Empty if there is no tree.
    pub nodes: Vec<AabbNode>,
    /// Layout in the file.
    pub layout: AabbLayout,
}

/// A box of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AabbNode {
    /// Lowest corner.
    pub min: [f32; 3],
    /// Highest corner.
    pub max: [f32; 3],
    /// First child.
    pub left: Option<u32>,
    /// Second child.
    pub right: Option<u32>,
    /// Face of a leaf; -1 for inner boxes.
    pub face: i32,
    /// Axis that separates the children: 1, 2, 4 for X, Y, Z and 8, 16, 32 for the negative axes; 0 for leaves.
    pub plane: u32,
}

/// The lightsaber part of a mesh: its 176 vertices, 22 groups of 8.
#[derive(Debug, Clone, Default)]
pub struct Saber {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates.
    pub uvs: Vec<[f32; 2]>,
    /// Normals.
    pub normals: Vec<[f32; 3]>,
    /// Two inverted counters.
    pub inverted_counters: [u32; 2],
    /// Layout in the file.
    pub layout: SaberLayout,
}

/// The triangles that the game draws a blade with, over its 16 distinct vertices. Texture coordinates have the same indices.
pub(crate) const SABER_FACES: [[u16; 3]; 12] = [
    [5, 4, 0],
    [0, 1, 5],
    [13, 8, 12],
    [8, 13, 9],
    [6, 5, 1],
    [1, 2, 6],
    [10, 9, 13],
    [13, 14, 10],
    [3, 6, 2],
    [6, 3, 7],
    [15, 11, 14],
    [10, 14, 11],
];

impl Dirt {
    /// The values of meshes of KotOR 2 whose source has none.
    pub(crate) const USUAL: Dirt = Dirt { texture: 1, coordinate_space: 1, ..Dirt::ZERO };
}

/// Unpacks a normal of the Xbox: 11, 11 and 10 bits in ones' complement.
///
/// ```
/// use galatea_kotor::mdl::{pack_normal, unpack_normal};
/// assert_eq!(unpack_normal(0x7FC0_0000), [0.0, 0.0, 1.0]);
/// for word in [0, 0xFFFF_FFFF, 0x1234_5678, 0x8000_0400] {
///     assert_eq!(pack_normal(unpack_normal(word)), word);
/// }
/// ```
pub fn unpack_normal(word: u32) -> [f32; 3] {
    let part = |bits: u32, half: u32| {
        if bits <= half {
            bits as f32 / half as f32
        } else {
            // All bits set is minus zero, so that every word survives a round trip.
            -((2 * half + 1 - bits) as f32 / half as f32)
        }
    };
    [part(word & 0x7FF, 1023), part((word >> 11) & 0x7FF, 1023), part(word >> 22, 511)]
}

/// Packs the normal nearest to a vector; components are clamped to 1.
pub fn pack_normal([x, y, z]: [f32; 3]) -> u32 {
    let part = |c: f32, half: u32| {
        let size = ((c.abs() * half as f32).round() as u32).min(half);
        if c.is_sign_negative() { 2 * half + 1 - size } else { size }
    };
    part(x, 1023) | part(y, 1023) << 11 | part(z, 511) << 22
}
