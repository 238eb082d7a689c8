//! Textures of models: finding them, what each material looks like with them, and which are missing.

mod audit;
mod budget;
mod cache;
mod carried;
mod dress;
mod fox;
mod kotor;
mod library;
mod made;
mod warcraft;

pub use audit::{Audited, Why, audit};
pub(crate) use carried::{Carried, Files};
pub use dress::{Dressed, Images, dress, dress_gltf};
pub use library::{Decoded, Libraries, Library, Textures, game_of};
