//! Blizzard MDX: the models of Warcraft III (800), Reforged (900 to 1200) and World of Warcraft before its release (1300 to
//! 1500).
//!
//! [`Model`] is the document: every field of every version, under the format's own names. Reading and writing a file gives the
//! same bytes, whichever tool wrote it: chunk order, empty and unknown chunks, raw bytes of fixed strings, the order of tracks
//! and the bits of every float are preserved.
//!
//! ```
//! use galatea_mdlx::{Limits, Model, Sequence, Text, Version};
//! let mut model = Model::new(Version(800));
//! model.info.name = Text::new(b"Footman").unwrap();
//! model.sequences.push(Sequence { name: Text::new(b"Stand").unwrap(), end: 1000, ..Sequence::default() });
//! let bytes = model.write().unwrap();
//! let back = Model::read(&bytes, &Limits::default()).unwrap();
//! assert_eq!(back.sequences[0].end, 1000);
//! assert_eq!(back.write().unwrap(), bytes);
//! ```

mod check;
mod diff;
mod emitter;
mod fix;
mod geoset;
mod groups;
mod lod;
mod material;
mod model;
mod node;
mod pieces;
pub mod play;
mod portrait;
mod read;
mod rules;
mod scale;
mod scene;
mod tag;
pub mod text;
mod track;
mod version;
mod versions;
pub mod wire;
mod write;
mod xfer;

pub(crate) use check::bounds_of;
pub use emitter::{ParticleEmitter, ParticleEmitter2, PopcornEmitter, RibbonEmitter, WowParticles};
pub use galatea_wire::{Limits, Text};
pub use geoset::{Geoset, GeosetAnim, VertexBuffer};
pub use groups::GroupWeights;
pub use material::{Layer, LayerTexture, Material, TextureAnim};
pub use model::{Chunk, Layout, Model, ModelInfo, Sequence, UnknownChunk};
pub use node::{
    Attachment, Bone, Camera, CollisionMesh, CollisionShape, Event, Helper, Light, Node, NodeKind, Shape,
    SoundEmitter, node_flags,
};
pub use read::{detect, inspect};
pub use rules::RULES;
pub use scene::SceneOptions;
pub use tag::{
    BLOCKS, BlockInfo, CHUNKS, ChunkInfo, Owner, TRACKS, Tag, TrackInfo, ValueKind, chunk_info, track_info,
    tracks_of,
};
pub use track::{
    Curve, EventTrack, Extra, Interpolation, Key, Keys, PackedQuaternion, TangentKey, Tangents, Track, Tracks,
};
pub use version::{FEATURES, Feature, Version};
pub use versions::ConvertOptions;
pub use wire::{Bounds, FaceEffect, RECORDS, SkinWeight, Sound, Texture};
