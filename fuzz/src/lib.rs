//! What the targets do with their bytes. A target names a format and a question; both are defined here.

pub mod archive;
mod files;
pub mod fix;
pub mod gltf;
mod memory;
pub mod native;
pub mod scene;
pub mod table;
pub mod texture;
pub mod walk;

pub use files::{FMDL, Family, KOTOR_BWM, KOTOR_MDL, MDX, TEXTURE};
