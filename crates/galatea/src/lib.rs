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

mod bake;
#[cfg(all(feature = "kotor", feature = "mdlx", feature = "fox"))]
pub mod combine;
mod comparison;
mod convert;
mod convert_options;
#[cfg(feature = "disk")]
pub mod disk;
mod document;
pub mod edit;
mod emitted;
pub mod file_names;
mod format;
mod formats;
#[cfg(feature = "walk")]
mod ground;
mod onto;
pub mod optimize;
#[cfg(feature = "preview")]
mod stage;
pub mod store;
pub mod textures;

pub use comparison::{Comparison, compare};
pub use convert::{ConvertError, Converted, convert};
pub use convert_options::{ConvertOption, ConvertOptions, Encoding, TargetGame};
#[cfg(feature = "kotor")]
pub use document::FindModel;
pub use document::{
    Companion, Document, Input, Inspection, Output, SceneContext, SiblingFiles, check, detect, inspect, open,
    rule, rules,
};
pub use emitted::EmittedModels;
pub use format::{Category, Encode, Format, FromScene, WriteScene};
#[cfg(feature = "mdlx")]
pub use formats::MdlText;
#[cfg(feature = "kotor")]
pub use formats::{Appearances, AsciiModel, AsciiWalkmesh, Character, Look, Parts};
#[cfg(feature = "walk")]
pub use formats::{AreaFile, Body, Instances, LayoutFile, Object, ObjectKind, RoomFiles};
pub use formats::{
    EmbeddedImages, FORMATS, FormatId, Gltf, GltfText, ObjText, TextureFile, UnknownFormat, encode_image, obj,
};
pub use galatea_archive as archive;
#[cfg(feature = "fox")]
pub use galatea_fox as fox;
pub use galatea_gltf as gltf;
#[cfg(feature = "kotor")]
pub use galatea_kotor as kotor;
#[cfg(feature = "mdlx")]
pub use galatea_mdlx as mdlx;
#[cfg(feature = "preview")]
pub use galatea_preview as preview;
pub use galatea_scene as scene;
pub use galatea_texture as texture;
#[cfg(feature = "walk")]
pub use galatea_walk as walk;
pub use galatea_wire as wire;
pub use galatea_wire::{
    Error, ErrorKind, Limits, Loss, LossGroup, Report, Result, Rule, Severity, Summary, WriteError,
};
#[cfg(feature = "walk")]
pub use ground::{Ground, GroundMaterial};
pub use onto::{ConvertedOnto, convert_onto, from_scene_onto};
#[cfg(feature = "preview")]
pub use stage::Stage;
