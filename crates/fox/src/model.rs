//! The document: a whole model in the format's own words.

use galatea_wire::{Limits, Result, Source, Summary};

use crate::layout::Layout;
use crate::mesh::Mesh;
use crate::name::Name;
use crate::wire::{Bounds, LodInfo, Statistics};

/// A bone. Bones have positions only; their bind rotations are all identity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bone {
    /// Name, such as `SKL_000_WAIST`.
    pub name: Name,
    /// Index of the parent, which comes earlier.
    pub parent: Option<u16>,
    /// 1 when `bounds` is real.
    pub flags: u16,
    /// Box of the vertices it moves; [`Bounds::EMPTY`] for none.
    pub bounds: Bounds,
    /// Position relative to the parent, w = 1. (PES: one end of the bone.)
    pub local: [f32; 4],
    /// Position in the model, w = 1. (PES: the other end of the bone.)
    pub world: [f32; 4],
}

/// A mesh group: what the game shows and hides as one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// Name, such as `MESH_head`; a suffix `_IV` is for groups that begin invisible.
    pub name: Name,
    /// [`Group::INVISIBLE`], [`Group::FRAGMENT`].
    pub flags: u16,
    /// Index of the parent group, which comes earlier.
    pub parent: Option<u16>,
    /// Where a destruction fragment's own origin lies in the model; its vertices are relative to it.
    pub pivot: Option<[f32; 4]>,
}

impl Group {
    /// Flag: not shown until the game says so.
    pub const INVISIBLE: u16 = 1;
    /// Flag: a destruction fragment with a pivot.
    pub const FRAGMENT: u16 = 2;

    /// Returns `true` if it is shown from the start.
    pub fn is_visible(&self) -> bool {
        self.flags & Self::INVISIBLE == 0
    }
}

/// A run of meshes that belong to one group. A group has none, one or several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Index of the group.
    pub group: u16,
    /// Index of the first mesh.
    pub first_mesh: u16,
    /// Number of meshes.
    pub mesh_count: u16,
    /// Box of their vertices, relative to the group's pivot if it has one.
    pub bounds: Bounds,
}

impl Run {
    /// Returns the indices of its meshes.
    pub fn meshes(&self) -> std::ops::Range<usize> {
        let first = usize::from(self.first_mesh);
        first..first + usize::from(self.mesh_count)
    }
}

/// Where a texture lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TexturePath {
    /// 2.03: the folder of the source file, such as `/Assets/tpp/.../sourceimages/`.
    Folder(Name),
    /// 2.04: the PathCode64 of the `.ftex` file.
    Code(u64),
}

impl Default for TexturePath {
    fn default() -> Self {
        TexturePath::Code(0)
    }
}

/// A texture in its slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Texture {
    /// Slot of the shader, such as `Base_Tex_SRGB`.
    pub slot: Name,
    /// Name of the source file with its ending: .tga, .psd or .dds.
    pub file: Name,
    /// Where it lies.
    pub path: TexturePath,
}

/// A parameter of a shader.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameter {
    /// Name, such as `MatParamIndex_0`.
    pub name: Name,
    /// Its value; unused parts are as the file has them.
    pub value: [f32; 4],
}

/// A material with its textures and parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MaterialInstance {
    /// Name of the instance.
    pub name: Name,
    /// Shader, such as `fox_3ddf_basic`.
    pub shader: Name,
    /// Technique of the shader, such as `fox3DDF_Blin_LNM`.
    pub technique: Name,
    /// Textures by slot.
    pub textures: Vec<Texture>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
}

/// The bones that the vertices of some meshes can name; at most 32.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoneGroup {
    /// Most bones that any vertex uses.
    pub max_weights: u16,
    /// Indices of the bones. Vertices hold indices into this list.
    pub bones: Vec<u16>,
}

/// A block with an unknown id (or a second one with the same id), kept as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownBlock {
    /// Section, 0 or 1.
    pub section: u8,
    /// Id of the block.
    pub id: u32,
    /// Number of records (section 0).
    pub count: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A whole model.
#[derive(Debug, Clone, Default)]
pub struct Fmdl {
    /// 2.03 (Ground Zeroes, PES) or 2.04 (The Phantom Pain, Survive).
    pub version: f32,
    /// Bones, parents first.
    pub bones: Vec<Bone>,
    /// Mesh groups, parents first.
    pub groups: Vec<Group>,
    /// Which meshes belong to which group.
    pub runs: Vec<Run>,
    /// Meshes.
    pub meshes: Vec<Mesh>,
    /// Material instances.
    pub materials: Vec<MaterialInstance>,
    /// Bone groups.
    pub bone_groups: Vec<BoneGroup>,
    /// Box of the whole model.
    pub bounds: Bounds,
    /// Table 0x10; one record. Its `count` follows the meshes' windows when the model is changed.
    pub lods: Vec<LodInfo>,
    /// Table 0x12; one zero.
    pub unknown_0x12: Vec<u64>,
    /// Table 0x14; one record.
    pub statistics: Vec<Statistics>,
    /// 4x4 matrices of skinned PES models, one per bone.
    pub bone_matrices: Vec<[f32; 16]>,
    /// The `X-FMDL-Extensions` text that PES tools append to the strings; empty for none.
    pub extensions: Vec<u8>,
    /// Blocks with unknown ids.
    pub unknown_blocks: Vec<UnknownBlock>,
    /// How the file was laid out.
    pub(crate) layout: Layout,
}

impl Fmdl {
    /// Version of Ground Zeroes and PES.
    pub const GZ: f32 = 2.03;
    /// Version of The Phantom Pain and Survive.
    pub const TPP: f32 = 2.04;

    /// Creates a model without anything in it, with the tables that every file has.
    pub fn new(version: f32) -> Fmdl {
        Fmdl {
            version,
            bounds: Bounds::EMPTY,
            lods: vec![LodInfo { count: 1, unknown_0x02: 0, threshold_a: 1.0, threshold_b: 1.0, ratio: 1.0 }],
            unknown_0x12: vec![0],
            statistics: vec![Statistics {
                texel_density: 1.0,
                ratio: 0.2,
                rejection: -1,
                ..Statistics::default()
            }],
            ..Fmdl::default()
        }
    }

    /// Reads a file. Problems that can be worked around are left to [`Fmdl::check`].
    ///
    /// ```
    /// use galatea_fox::Fmdl;
    /// let bytes = Fmdl::new(2.03).write()?;
    /// assert_eq!(Fmdl::read(&bytes, &Default::default())?.version, 2.03);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Fmdl> {
        crate::read::read(&Source::new(bytes, limits))
    }

    /// Returns `true` if names are written as hashes (2.04) rather than text (2.03).
    pub fn has_hashes(&self) -> bool {
        self.version.to_bits() != Self::GZ.to_bits()
    }

    /// Levels of detail: the most windows that any mesh has.
    pub fn lod_count(&self) -> usize {
        self.meshes.iter().map(|m| m.windows.len()).max().unwrap_or(0)
    }

    /// Returns the bone group that moves a mesh; `None` for meshes without bone indices.
    pub fn bone_group(&self, mesh: &Mesh) -> Option<&BoneGroup> {
        self.bone_groups.get(usize::from(mesh.bone_group)).filter(|_| mesh.is_skinned())
    }

    /// Returns for each mesh the index of the group that holds it; `None` for a mesh that no run covers.
    pub fn groups_of_meshes(&self) -> Vec<Option<u16>> {
        let mut out = vec![None; self.meshes.len()];
        // Where the next mesh without a group may be: long runs that overlap still cost linear work.
        let mut skip: Vec<usize> = (0..=out.len()).collect();
        for run in &self.runs {
            let range = run.meshes();
            let mut at = range.start;
            while at < range.end {
                let mut free = at;
                while let Some(next) = skip.get(free).copied().filter(|n| *n != free) {
                    free = next;
                }
                // Shortens the way for the next one who comes along here.
                while let Some(slot) = skip.get_mut(at).filter(|n| **n != free && at != free) {
                    at = std::mem::replace(slot, free);
                }
                let Some(slot) = out.get_mut(free).filter(|_| free < range.end) else { break };
                *slot = Some(run.group);
                if let Some(next) = skip.get_mut(free) {
                    *next = free + 1;
                }
                at = free + 1;
            }
        }
        out
    }

    /// Forgets how the file was laid out: the next [`Fmdl::write`] lays it out as the game's compiler does.
    pub fn forget_layout(&mut self) {
        self.layout = Layout::default();
    }

    /// Returns the figures of `galatea info`.
    ///
    /// ```
    /// assert_eq!(galatea_fox::Fmdl::new(2.03).summary().version, "2.03");
    /// ```
    pub fn summary(&self) -> Summary {
        Summary {
            version: format!("{}", self.version),
            nodes: self.groups.len(),
            meshes: self.meshes.len(),
            vertices: self.meshes.iter().map(|m| m.vertices.count).sum(),
            triangles: self.meshes.iter().map(|m| m.faces(0).len()).sum(),
            bones: self.bones.len(),
            clips: 0,
        }
    }
}

impl Bounds {
    /// The box of nothing.
    pub const EMPTY: Bounds = Bounds { max: [-1e10, -1e10, -1e10, 1.0], min: [1e10, 1e10, 1e10, 1.0] };

    /// Returns `true` if this is the box of nothing.
    pub fn is_empty(&self) -> bool {
        self.max.iter().zip(&self.min).take(3).any(|(max, min)| max < min)
    }

    /// Returns `true` if both have the same bits.
    pub fn same_bits(&self, other: &Bounds) -> bool {
        self.bits() == other.bits()
    }

    pub(crate) fn bits(&self) -> [[u32; 4]; 2] {
        [self.max.map(f32::to_bits), self.min.map(f32::to_bits)]
    }
}
