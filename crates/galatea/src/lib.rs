//! Galatea opens the 3D models and walkmeshes of four game engines and keeps every byte.
//!
//! This crate is the front door: [`open`] finds out what the bytes are and gives a [`Document`] that can be written back,
//! checked and compared; [`FORMATS`] lists all that is known. The format crates are re-exported for everything else.
//!
//! ```
//! use galatea::{Input, kotor::bwm};
//! let room = bwm::Walkmesh::build(
//!     bwm::Kind::Area,
//!     vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!     vec![[0, 1, 2]],
//!     vec![4],
//!     &Default::default(),
//! )?;
//! let bytes = room.write()?;
//! let document = galatea::open(&Input::new(&bytes), &Default::default())?;
//! assert_eq!(document.format().id, galatea::FormatId::KotorBwm);
//! assert_eq!(document.write()?.bytes, bytes);
//! assert!(document.check().is_empty());
//! # Ok::<(), galatea::Error>(())
//! ```

mod convert;
mod convert_options;
pub mod disk;
mod document;
mod format;
mod formats;
mod ground;
pub mod textures;

pub use convert::{ConvertError, Converted, convert};
pub use convert_options::{ConvertOption, ConvertOptions, Encoding, TargetGame};
pub use document::{
    Companion, Document, FindModel, Input, Inspection, Output, SceneContext, SiblingFiles, detect, open, rule,
};
pub use format::{Category, Convert, Encode, Format, FromScene, WriteScene};
pub use formats::{
    AsciiModel, AsciiWalkmesh, EmbeddedImages, FORMATS, FormatId, Gltf, GltfText, MdlText, TextureFile,
    UnknownFormat, obj,
};
pub use galatea_fox as fox;
pub use galatea_gltf as gltf;
pub use galatea_kotor as kotor;
pub use galatea_mdlx as mdlx;
pub use galatea_preview as preview;
pub use galatea_scene as scene;
pub use galatea_texture as texture;
pub use galatea_walk as walk;
pub use galatea_wire as wire;
pub use galatea_wire::{Error, ErrorKind, Limits, Loss, Report, Result, Rule, Severity, Summary};
pub use ground::{Ground, GroundMaterial};
