//! Fox Engine FMDL: the models of Metal Gear Solid V (Ground Zeroes, The Phantom Pain), Metal Gear Survive and PES.
//!
//! [`Fmdl`] is the document: bones, mesh groups, meshes with their vertex columns and face windows, materials with their
//! textures and parameters. Reading keeps every byte; writing an unmodified document gives the same bytes, a changed one
//! is laid out as the game's own compiler does it.
//!
//! ```
//! use galatea_fox::{Fmdl, Mesh, Values, Usage, detect};
//! use galatea_wire::Limits;
//!
//! let mut model = Fmdl::new(2.04);
//! let mut mesh = Mesh::default();
//! mesh.vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
//! mesh.set_faces(&[[0, 2, 1]]);
//! model.meshes.push(mesh);
//!
//! let bytes = model.write()?;
//! assert!(detect(&bytes));
//! let back = Fmdl::read(&bytes, &Limits::default())?;
//! assert!(back.differences(&model).is_empty());
//! assert_eq!(back.write()?, bytes);
//! # Ok::<(), galatea_wire::Error>(())
//! ```

mod bones;
mod build;
pub mod check;
mod convert;
mod derive;
mod diff;
mod extensions;
mod fingerprint;
mod fix;
mod groups;
mod hash;
mod layout;
mod lod;
mod mesh;
mod model;
mod name;
mod names;
mod presets;
mod read;
mod rules;
mod scene;
mod split;
mod tables;
mod vertex_schema;
mod weights;
pub mod wire;
mod write;

pub use bones::{pes_bone, pes_bones};
pub use convert::Repathed;
pub use derive::{Agreement, Derived};
pub use extensions::Extensions;
pub use groups::GroupInfo;
pub use hash::{
    EXTENSION_SHIFT, PATH_MASK, PATH_META, STR_MASK, extension_code, path_code64, str_code32, str_code64,
};
pub use mesh::{Column, Mesh, Usage, Values, Vertices};
pub use model::{
    Bone, BoneGroup, Fmdl, Group, MaterialInstance, Parameter, Run, Texture, TexturePath, UnknownBlock,
};
pub use name::Name;
pub use names::{Dictionary, NameKind, UsedName, WordHashes, hash_word};
pub use presets::{Preset, Presets};
pub use read::inspect;
pub use rules::RULES;
pub use scene::{Game, SceneOptions};
pub use split::{BigMesh, Piece, SplitLimits};
pub use weights::normalised;
pub use wire::{Bounds, LodInfo, RECORDS, Statistics, Window};

/// Returns `true` if these bytes begin like an FMDL file.
///
/// ```
/// assert!(galatea_fox::detect(b"FMDL\xB8\x1E\x02\x40"));
/// assert!(!galatea_fox::detect(b"FTEX"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(b"FMDL")
}
