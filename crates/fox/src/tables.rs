//! All tables of a file as they lie on disk, between the bytes and the document.

use galatea_wire::{Reader, Result, Wire, Writer};

use crate::wire;

/// Names one table of section 0 per line; reading, writing, counting and sizing follow from it.
macro_rules! tables {
    ($($field:ident: $ty:ty = $id:literal, $name:literal;)*) => {
        /// The tables of section 0 and the record-like blocks of section 1.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct Tables {
            $(pub(crate) $field: Vec<$ty>,)*
            /// Section-1 block 0: parameter values and fragment pivots.
            pub(crate) vectors: Vec<[f32; 4]>,
            /// Section-1 block 1: bone matrices of skinned PES models.
            pub(crate) matrices: Vec<[f32; 16]>,
            /// The texts that `strings` points at.
            pub(crate) texts: Vec<Vec<u8>>,
        }

        impl Tables {
            /// Ids of the tables we know, ascending.
            pub(crate) const IDS: &[u8] = &[$($id),*];

            /// Reads the table with this id; `false` if we know none.
            pub(crate) fn read(&mut self, id: u8, r: Reader<'_>, at: usize, count: usize) -> Result<bool> {
                match id {
                    $($id => self.$field = r.array(at, count, $name)?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }

            /// Writes the table with this id.
            pub(crate) fn write(&self, id: u8, w: &mut Writer, at: usize) -> Result<()> {
                match id {
                    $($id => w.array(at, &self.$field),)*
                    _ => Ok(()),
                }
            }

            /// Records in the table with this id.
            pub(crate) fn count(&self, id: u8) -> usize {
                match id {
                    $($id => self.$field.len(),)*
                    _ => 0,
                }
            }

            /// Returns the bytes of one record of the table with this id.
            pub(crate) fn record_size(id: u8) -> usize {
                match id {
                    $($id => <$ty as Wire>::SIZE,)*
                    _ => 0,
                }
            }
        }
    };
}

tables! {
    bones: wire::Bone = 0x0, "bones";
    groups: wire::Group = 0x1, "groups";
    runs: wire::Run = 0x2, "runs";
    meshes: wire::Mesh = 0x3, "meshes";
    instances: wire::MaterialInstance = 0x4, "material instances";
    bone_groups: wire::BoneGroup = 0x5, "bone groups";
    textures: wire::Texture = 0x6, "textures";
    bindings: wire::Binding = 0x7, "bindings";
    materials: wire::Material = 0x8, "materials";
    layouts: wire::VertexLayout = 0x9, "vertex layouts";
    streams: wire::Stream = 0xA, "streams";
    elements: wire::Element = 0xB, "elements";
    strings: wire::StringEntry = 0xC, "strings";
    boxes: wire::Bounds = 0xD, "boxes";
    buffers: wire::Buffer = 0xE, "buffers";
    lods: wire::LodInfo = 0x10, "lods";
    windows: wire::Window = 0x11, "windows";
    unknown_0x12: u64 = 0x12, "unknown_0x12";
    statistics: wire::Statistics = 0x14, "statistics";
    paths: u64 = 0x15, "path hashes";
    hashes: u64 = 0x16, "name hashes";
}

/// Table of the boxes, the one that the game's compiler aligns.
pub(crate) const BOXES: u8 = 0xD;

impl Tables {
    /// Returns the buffer that holds the indices: the first of kind 1.
    pub(crate) fn index_buffer(&self) -> Option<&wire::Buffer> {
        self.buffers.iter().find(|b| b.kind == 1)
    }

    /// Returns the layout of a mesh with its streams and elements, as far as the tables have them.
    pub(crate) fn layout_of(&self, mesh: &wire::Mesh) -> Option<(&[wire::Stream], &[wire::Element])> {
        let layout = self.layouts.get(usize::from(mesh.layout))?;
        let first = usize::from(layout.first_stream);
        let streams = self.streams.get(first..first + usize::from(layout.stream_count))?;
        let first = usize::from(layout.first_element);
        let elements = self.elements.get(first..first + usize::from(layout.element_count))?;
        Some((streams, elements))
    }

    /// Returns the bytes of the string block that the texts and their NULs take.
    pub(crate) fn strings_end(&self) -> usize {
        let end = |s: &wire::StringEntry| s.offset.0 as usize + usize::from(s.length) + 1;
        self.strings.iter().zip(&self.texts).map(|(s, _)| end(s)).max().unwrap_or(0)
    }
}
