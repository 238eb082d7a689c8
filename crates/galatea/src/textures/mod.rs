//! Textures of models: finding them, how each material is drawn with them, and which are missing.

mod audit;
#[cfg(feature = "fox")]
mod authored;
mod budget;
mod cache;
#[cfg(feature = "mdlx")]
mod classic;
mod document_images;
mod fox;
mod kotor;
mod kotor_new;
#[cfg(feature = "disk")]
mod libraries;
mod library;
mod made;
mod materials;
mod warcraft;

pub use audit::{Audited, TextureName, Why, audit};
#[cfg(feature = "fox")]
pub(crate) use authored::{Completed, complete};
#[cfg(feature = "mdlx")]
pub(crate) use classic::classic_textures;
pub(crate) use document_images::{DocumentImages, Files};
#[cfg(feature = "disk")]
pub use libraries::Libraries;
pub use library::{Decoded, Library, Textures};
pub use materials::{Images, ResolvedMaterials, resolve_gltf_materials, resolve_materials};
