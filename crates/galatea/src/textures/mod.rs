//! Textures of models: finding them, what each material appearances like with them, and which are missing.

mod audit;
mod budget;
mod cache;
mod carried;
mod fox;
mod kotor;
mod library;
mod made;
mod materials;
mod warcraft;

pub use audit::{Audited, TextureName, Why, audit};
pub(crate) use carried::{Carried, Files};
pub use library::{Decoded, Libraries, Library, Textures};
pub use materials::{Images, ResolvedMaterials, resolve_gltf_materials, resolve_materials};
