//! Any texture, opened by content.

use std::io;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Result, Source, Summary, WriteError, write_to};

use crate::bioware::BiowareDds;
use crate::blp::Blp;
use crate::dds::Dds;
use crate::ftex::Ftex;
use crate::image::level_error;
use crate::tpc::Tpc;
use crate::wesys::Wesys;
use crate::{Image, Level, Shape, absent, bioware, blp, dds, ftex, jpeg, plain, tpc, wesys};

/// The formats, by content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// KotOR's texture.
    Tpc,
    /// BioWare's own DDS.
    BiowareDds,
    /// Blizzard's texture, BLP0 to BLP2.
    Blp,
    /// Direct3D's texture.
    Dds,
    /// The Fox Engine's texture.
    Ftex,
    /// A DDS in PES's zlib wrapper.
    Wesys,
    /// Truevision TGA.
    Tga,
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
}

impl Kind {
    /// Returns the name of the format on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Tpc => "tpc",
            Kind::BiowareDds => "bioware-dds",
            Kind::Blp => "blp",
            Kind::Dds => "dds",
            Kind::Ftex => "ftex",
            Kind::Wesys => "wesys-dds",
            Kind::Tga => "tga",
            Kind::Png => "png",
            Kind::Jpeg => "jpeg",
        }
    }
}

/// Returns what a file is, by its content. Formats with a magic come first; those without must make sense in every
/// field.
pub fn detect(bytes: &[u8]) -> Option<Kind> {
    type Detect = fn(&[u8]) -> bool;
    let table: [(Kind, Detect); 9] = [
        (Kind::Dds, dds::detect),
        (Kind::Blp, blp::detect),
        (Kind::Ftex, ftex::detect),
        (Kind::Png, plain::detect_png),
        (Kind::Jpeg, jpeg::detect),
        (Kind::Wesys, wesys::detect),
        (Kind::Tpc, tpc::detect),
        (Kind::BiowareDds, bioware::detect),
        (Kind::Tga, plain::detect_tga),
    ];
    table.into_iter().find(|(_, detect)| detect(bytes)).map(|(kind, _)| kind)
}

/// A file that belongs to a texture: an FTEXS part by its number, or a level file of a BLP0 (`.b00` is 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// Its number.
    pub number: u8,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A plain image, kept as its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain {
    /// TGA, PNG or JPEG.
    pub kind: Kind,
    /// The file.
    pub bytes: Vec<u8>,
    width: u32,
    height: u32,
}

/// Any texture.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Texture {
    /// KotOR's texture.
    Tpc(Tpc),
    /// BioWare's own DDS.
    BiowareDds(BiowareDds),
    /// Blizzard's texture.
    Blp(Blp),
    /// Direct3D's texture.
    Dds(Dds),
    /// The Fox Engine's texture.
    Ftex(Ftex),
    /// A DDS in PES's zlib wrapper.
    Wesys(Wesys),
    /// TGA, PNG or JPEG.
    Plain(Plain),
}

/// Returns the largest image that a texture file (with its parts, if it has any) holds.
///
/// ```
/// use galatea_texture::{PixelFormat, dds::Dds, decode};
/// let bytes = Dds::new(PixelFormat::Bgr8, 1, 1, vec![vec![1, 2, 3]]).unwrap().write().unwrap();
/// assert_eq!(decode(&bytes, &[], &Default::default()).unwrap().rgba, [3, 2, 1, 255]);
/// ```
pub fn decode(bytes: &[u8], parts: &[Part<'_>], limits: &Limits) -> Result<Image> {
    Texture::read_with(bytes, parts, limits)?.decode_best(limits)
}

/// Returns what reading claims, and the error that stopped it. Plain images have only their head claimed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    match detect(bytes) {
        Some(Kind::Tpc) => tpc::inspect(bytes, limits),
        Some(Kind::BiowareDds) => bioware::inspect(bytes, limits),
        Some(Kind::Blp) => blp::inspect(bytes, limits),
        Some(Kind::Dds) => dds::inspect(bytes, limits),
        Some(Kind::Ftex) => ftex::inspect(bytes, limits),
        Some(Kind::Wesys) => wesys::inspect(bytes, limits),
        Some(Kind::Tga) => {
            let source = Source::new(bytes, limits);
            let reader = source.reader();
            let error = reader
                .at::<crate::TgaHead>(0, "head")
                .and_then(|_| reader.bytes(18, bytes.len() - 18, "data"));
            let error = error.err();
            (source.into_coverage(), error)
        }
        Some(Kind::Png | Kind::Jpeg) => {
            let source = Source::new(bytes, limits);
            let error = source.reader().bytes(0, bytes.len(), "data").err();
            (source.into_coverage(), error)
        }
        None => (Coverage::default(), Some(Error::at(ErrorKind::NotThisFormat, 0))),
    }
}

impl Texture {
    /// Reads any texture.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        Self::read_with(bytes, &[], limits)
    }

    /// Reads any texture and adds the files that belong to it. Parts of no use are left out.
    pub fn read_with(bytes: &[u8], parts: &[Part<'_>], limits: &Limits) -> Result<Self> {
        let Some(kind) = detect(bytes) else { return Err(Error::at(ErrorKind::NotThisFormat, 0)) };
        Ok(match kind {
            Kind::Tpc => Texture::Tpc(Tpc::read(bytes, limits)?),
            Kind::BiowareDds => Texture::BiowareDds(BiowareDds::read(bytes, limits)?),
            Kind::Dds => Texture::Dds(Dds::read(bytes, limits)?),
            Kind::Wesys => Texture::Wesys(Wesys::read(bytes, limits)?),
            Kind::Blp => {
                let mut blp = Blp::read(bytes, limits)?;
                for part in parts.iter().filter(|_| !blp.head.has_table()).collect::<Vec<_>>() {
                    blp.attach(part.number.into(), part.bytes, limits)?;
                }
                Texture::Blp(blp)
            }
            Kind::Ftex => {
                let mut ftex = Ftex::read(bytes, limits)?;
                for part in parts.iter().filter(|p| p.number > 0) {
                    ftex.attach(part.number, part.bytes, limits)?;
                }
                Texture::Ftex(ftex)
            }
            Kind::Tga | Kind::Png | Kind::Jpeg => {
                let (width, height) = plain::size(kind, bytes)
                    .ok_or_else(|| Error::at(ErrorKind::NotThisFormat, 0).within("head"))?;
                Texture::Plain(Plain { kind, bytes: bytes.to_vec(), width, height })
            }
        })
    }

    /// Returns which format it is.
    pub fn kind(&self) -> Kind {
        match self {
            Texture::Tpc(_) => Kind::Tpc,
            Texture::BiowareDds(_) => Kind::BiowareDds,
            Texture::Blp(_) => Kind::Blp,
            Texture::Dds(_) => Kind::Dds,
            Texture::Ftex(_) => Kind::Ftex,
            Texture::Wesys(_) => Kind::Wesys,
            Texture::Plain(plain) => plain.kind,
        }
    }

    /// Writes the file: for an unchanged texture, the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>> {
        match self {
            Texture::Tpc(t) => t.write(),
            Texture::BiowareDds(t) => t.write(),
            Texture::Blp(t) => t.write(),
            Texture::Dds(t) => t.write(),
            Texture::Ftex(t) => t.write(),
            Texture::Wesys(t) => t.write(),
            Texture::Plain(t) => Ok(t.bytes.clone()),
        }
    }

    /// Writes the file to a stream, without the parts that belong to it.
    pub fn write_to(&self, out: impl io::Write) -> Result<(), WriteError> {
        write_to(self.write(), out)
    }

    /// Returns what the file announces.
    pub fn shape(&self) -> Shape {
        match self {
            Texture::Tpc(t) => t.shape(),
            Texture::BiowareDds(t) => t.shape(),
            Texture::Blp(t) => t.shape(),
            Texture::Dds(t) => t.shape(),
            Texture::Ftex(t) => t.shape(),
            Texture::Wesys(t) => t.shape(),
            Texture::Plain(t) => Shape {
                width: t.width,
                height: t.height,
                mips: 1,
                faces: 1,
                layers: 1,
                pixels: plain::words(t.kind, &t.bytes),
            },
        }
    }

    /// Returns one image, the right way up.
    pub fn decode(&self, level: Level, limits: &Limits) -> Result<Image> {
        match self {
            Texture::Tpc(t) => t.decode(level, limits),
            Texture::BiowareDds(t) => t.decode(level, limits),
            Texture::Blp(t) => t.decode(level, limits),
            Texture::Dds(t) => t.decode(level, limits),
            Texture::Ftex(t) => t.decode(level, limits),
            Texture::Wesys(t) => t.decode(level, limits),
            Texture::Plain(_) if level != Level::default() => Err(level_error(absent(), 0, level)),
            Texture::Plain(t) => {
                plain::decode(t.kind, &t.bytes, limits).map_err(|kind| level_error(kind, 0, level))
            }
        }
    }

    /// Returns the largest image available: the first level, or for an FTEX without all its parts the best there is.
    pub fn decode_best(&self, limits: &Limits) -> Result<Image> {
        match self {
            Texture::Ftex(t) => t.decode_best(0, limits),
            _ => self.decode(Level::default(), limits),
        }
    }

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        match self {
            Texture::Tpc(t) => t.summary(),
            Texture::BiowareDds(t) => t.summary(),
            Texture::Blp(t) => t.summary(),
            Texture::Dds(t) => t.summary(),
            Texture::Ftex(t) => t.summary(),
            Texture::Wesys(t) => t.summary(),
            Texture::Plain(_) => Summary { version: self.shape().to_string(), ..Summary::default() },
        }
    }
}
