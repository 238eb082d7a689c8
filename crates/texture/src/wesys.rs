//! WESYS: the zlib wrapper that PES puts around other files, textures among them.

use galatea_wire::{
    Coverage, Error, ErrorKind, Limits, Reader, Result, Schema, Source, Summary, Wire, put_array, wire,
};

use crate::dds::Dds;
use crate::{Image, Level, Shape};
use galatea_wire::zlib::{deflate, inflate};

wire! {
    /// The head of a wrapped file; one zlib stream follows.
    pub struct WesysHead(16) {
        /// Flags, such as 00 10 01.
        pub flags: [u8; 3] = 0,
        /// `WESYS`.
        pub magic: [u8; 5] = 3,
        /// Bytes of the zlib stream.
        pub packed: u32 = 8,
        /// Bytes when unpacked.
        pub raw: u32 = 12,
    }
}

/// All fixed records of the format.
pub static RECORDS: &[&Schema] = &[WesysHead::SCHEMA];

/// A wrapped DDS.
///
/// ```
/// use galatea_texture::{PixelFormat, dds::Dds, wesys::Wesys};
/// let dds = Dds::new(PixelFormat::Bc1, 4, 4, vec![vec![0; 8]]).unwrap();
/// let bytes = Wesys::wrap(dds.clone()).unwrap().write().unwrap();
/// let back = Wesys::read(&bytes, &Default::default()).unwrap();
/// assert_eq!(back.inner, dds);
/// assert_eq!(back.write().unwrap(), bytes);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Wesys {
    /// The head.
    pub head: WesysHead,
    /// The texture inside.
    pub inner: Dds,
    /// The zlib stream as it was, written again while the texture is unchanged.
    packed: Vec<u8>,
    /// What follows the stream.
    tail: Vec<u8>,
}

/// Returns `true` if these bytes begin like a wrapped file.
pub fn detect(bytes: &[u8]) -> bool {
    WesysHead::get(bytes).magic == *b"WESYS"
}

/// Returns what reading claims, and the error that stopped it.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let source = Source::new(bytes, limits);
    let error = Wesys::read_from(source.reader()).err();
    (source.into_coverage(), error)
}

impl Wesys {
    /// Reads a wrapped DDS.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        Self::read_from(Source::new(bytes, limits).reader())
    }

    fn read_from(reader: Reader<'_>) -> Result<Self> {
        if !detect(reader.data()) {
            return Err(reader.error(ErrorKind::NotThisFormat, 3, "magic"));
        }
        let head: WesysHead = reader.at(0, "head")?;
        let at = WesysHead::SIZE;
        let packed = reader.bytes(at, head.packed as usize, "zlib")?;
        reader.spend(packed.len() as u64, at, "zlib")?;
        let limits = reader.limits();
        let most =
            limits.of_image(packed.len()).pixels.saturating_mul(4).saturating_add(limits.base_allowance);
        if u64::from(head.raw) > most {
            return Err(reader.error(ErrorKind::Limit("decoded bytes"), 12, "raw"));
        }
        let raw = inflate(packed, head.raw as usize).map_err(|kind| reader.error(kind, at, "zlib"))?;
        let inner = Dds::read(&raw, limits).map_err(|e| e.within("unpacked"))?;
        let end = at + packed.len();
        let tail = reader.bytes(end, reader.len() - end, "tail")?.to_vec();
        Ok(Wesys { head, packed: packed.to_vec(), inner, tail })
    }

    /// Wraps a texture.
    pub fn wrap(inner: Dds) -> Result<Self> {
        let raw = inner.write()?;
        let packed = deflate(&raw)?;
        let head = WesysHead {
            flags: [0, 1, 1],
            magic: *b"WESYS",
            packed: galatea_wire::Writer::count(packed.len(), "bytes")?,
            raw: galatea_wire::Writer::count(raw.len(), "bytes")?,
        };
        Ok(Wesys { head, packed, inner, tail: Vec::new() })
    }

    /// Writes the file: for an unchanged texture, the bytes it was read from.
    pub fn write(&self) -> Result<Vec<u8>> {
        let fresh;
        let unchanged = inflate(&self.packed, self.head.raw as usize).is_ok_and(|raw| {
            // Comparing texts of the same texture is cheaper than keeping it twice.
            self.inner.write().is_ok_and(|now| now == raw)
        });
        let this = if unchanged {
            self
        } else {
            let mut wrapped = Self::wrap(self.inner.clone())?;
            wrapped.head.flags = self.head.flags;
            fresh = wrapped;
            &fresh
        };
        let mut out = Vec::with_capacity(WesysHead::SIZE + this.packed.len() + this.tail.len());
        put_array(&mut out, &[this.head]);
        out.extend_from_slice(&this.packed);
        out.extend_from_slice(&this.tail);
        Ok(out)
    }

    /// Returns what the texture inside holds.
    pub fn shape(&self) -> Shape {
        self.inner.shape()
    }

    /// Returns one image.
    pub fn decode(&self, level: Level, limits: &Limits) -> Result<Image> {
        self.inner.decode(level, limits)
    }

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        Summary { version: format!("WESYS {}", self.shape()), ..Summary::default() }
    }
}
