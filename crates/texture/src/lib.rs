//! The textures of KotOR, Warcraft III and the Fox Engine: decoded to RGBA, kept byte for byte, written back.
//!
//! * [`Texture`] opens any of them by content: [`tpc`], [`bioware`] DDS, [`blp`], [`dds`], [`ftex`], [`wesys`], and the
//!   plain images TGA, PNG and JPEG.
//! * [`Image`] is one decoded image, the top row first; [`Txi`] is the text that tells KotOR how to use it.
//!
//! * [`encode`] writes PNG, TGA, TPC, DDS, BLP1 and FTEX; [`find`] knows the engines' rules of names; [`team`] has the team
//!   colours; [`material`] shuffles channels for glTF.
//!
//! Bytes in, bytes out: no file access, threads or clocks.
//!
//! ```
//! use galatea_texture::{Kind, Texture, detect};
//! let bytes = b"\x89PNG\r\n\x1A\n".to_vec();
//! assert_eq!(detect(&bytes), Some(Kind::Png));
//! assert!(Texture::read(b"nothing known", &Default::default()).is_err());
//! ```

pub mod bioware;
pub mod blp;
mod check;
pub mod dds;
mod diff;
pub mod encode;
pub mod find;
mod fix;
pub mod ftex;
mod guard;
mod image;
pub mod jpeg;
pub mod material;
mod pixels;
mod plain;
mod resize;
mod rules;
pub mod team;
mod texture;
mod tga;
pub mod tpc;
pub mod txi;
pub mod wesys;

pub use image::{Alpha, Image, Level, Shape};
pub use pixels::PixelFormat;
pub use plain::TgaHead;
pub use rules::RULES;
pub use texture::{Kind, Part, Plain, Texture, decode, detect, inspect};
pub use txi::{Blending, FlipBook, Txi};

use galatea_wire::{ErrorKind, Schema, Wire};

/// All fixed records of the texture formats.
pub static RECORDS: &[&Schema] = &[
    tpc::TpcHead::SCHEMA,
    bioware::BiowareHead::SCHEMA,
    blp::BlpHead::SCHEMA,
    blp::Blp2Head::SCHEMA,
    blp::MipTable::SCHEMA,
    dds::DdsHead::SCHEMA,
    dds::Dx10::SCHEMA,
    ftex::FtexHead::SCHEMA,
    ftex::MipInfo::SCHEMA,
    ftex::ChunkInfo::SCHEMA,
    wesys::WesysHead::SCHEMA,
    TgaHead::SCHEMA,
];

/// Returns what is wrong when an image is asked for that the file does not hold.
pub(crate) fn absent() -> ErrorKind {
    ErrorKind::Mismatch { want: "a level that is in the file".into(), found: "none".into() }
}
