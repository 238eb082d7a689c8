//! Reading: bytes to the document, chunk by chunk.

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Part, ReadXfer, Result};

use crate::xfer::MAGIC;
use crate::{Chunk, Feature, Model, Tag, UnknownChunk, Version, chunk_info};

/// Returns `true` if these bytes begin with the magic of MDX.
///
/// ```
/// assert!(galatea_mdlx::detect(b"MDLXVERS"));
/// assert!(!galatea_mdlx::detect(b"Version {"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a file and returns which record claimed each byte, and the error that stopped reading, if any.
///
/// ```
/// use galatea_mdlx::{Limits, Model, Version, inspect};
/// let bytes = Model::new(Version(800)).write().unwrap();
/// let (coverage, error) = inspect(&bytes, &Limits::default());
/// assert!(error.is_none() && coverage.gaps(bytes.len()).is_empty());
/// ```
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    let mut x = ReadXfer::new(bytes, limits).traced();
    let error = Model::default().read_from(&mut x).err();
    (x.into_coverage(), error)
}

/// Returns the version and its offset. Other chunks may precede `VERS`.
fn find_version(bytes: &[u8]) -> Option<(Version, usize)> {
    let mut rest = bytes.get(4..)?;
    loop {
        let (tag, after) = rest.split_first_chunk::<4>()?;
        let (size, body) = after.split_first_chunk::<4>()?;
        let size = u32::from_le_bytes(*size) as usize;
        if tag == b"VERS" {
            let at = bytes.len() - body.len();
            return body.first_chunk().map(|v| (Version(u32::from_le_bytes(*v)), at));
        }
        rest = body.get(size..)?;
    }
}

impl Model {
    /// Reads a file.
    ///
    /// ```
    /// use galatea_mdlx::{Limits, Model};
    /// let error = Model::read(b"MDLXVERS\x04\0\0\0\x39\x05\0\0", &Limits::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "0xC VERS: unsupported: version 1337");
    /// ```
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Model> {
        let mut model = Model::default();
        model.read_from(&mut ReadXfer::new(bytes, limits))?;
        Ok(model)
    }

    fn read_from(&mut self, x: &mut ReadXfer<'_>) -> Result<()> {
        if !detect(x.data()) {
            return Err(Error::at(ErrorKind::NotThisFormat, 0));
        }
        x.val("magic", &mut [0u8; 4])?;
        let Some((version, at)) = find_version(x.data()) else {
            return x.scope("chunks", None, |x| Err(x.mismatch("a VERS chunk", "none")));
        };
        if !version.is_supported() {
            let kind = ErrorKind::Unsupported(format!("version {version}").into());
            return Err(Error::at(kind, at).within("VERS"));
        }
        self.version = version;
        let mut singles = Vec::new();
        while x.left() > 0 {
            self.read_chunk(x, &mut singles)?;
        }
        Ok(())
    }

    fn read_chunk(&mut self, x: &mut ReadXfer<'_>, singles: &mut Vec<Tag>) -> Result<()> {
        let tag = Tag(x.peek_tag().unwrap_or(*b"    "));
        let single = self.is_single(tag);
        let repeated = singles.contains(&tag);
        if single && !repeated {
            singles.push(tag);
        }
        let info = chunk_info(tag, self.version).filter(|_| !repeated);
        let start = x.mark();
        x.scope(info.map_or("unknown", |i| i.name), None, |x| {
            x.val("tag", &mut [0u8; 4])?;
            let mut chunk = Chunk { tag, ..Chunk::default() };
            if info.is_none() {
                return self.read_unknown(x, chunk);
            }
            let mut part = Part::default();
            let known = x.sized(false, |x| self.read_body(x, tag, &mut part, &mut chunk.aux));
            match known {
                Ok(()) => {
                    let items = if single { self.items(tag) } else { part.count };
                    chunk.items = u32::try_from(items).unwrap_or(u32::MAX);
                    x.push(&mut self.layout.chunks, chunk)
                }
                // No real file has one, so the assumed layout may be wrong.
                Err(_) if tag.0 == *b"SNEM" || tag.0 == *b"SNDS" => {
                    if tag.0 == *b"SNEM" {
                        self.sound_emitters.truncate(part.start);
                    } else {
                        self.sounds.truncate(part.start);
                    }
                    x.rewind(start);
                    x.scope("unknown", None, |x| {
                        x.val("tag", &mut [0u8; 4])?;
                        self.read_unknown(x, chunk)
                    })
                }
                Err(error) => Err(error),
            }
        })
    }

    fn read_unknown(&mut self, x: &mut ReadXfer<'_>, mut chunk: Chunk) -> Result<()> {
        let mut bytes = Vec::new();
        x.sized(false, |x| x.rest("bytes", &mut bytes))?;
        x.push(&mut self.unknown, UnknownChunk { tag: chunk.tag, bytes: bytes.into() })?;
        chunk.unknown = true;
        chunk.items = 1;
        x.push(&mut self.layout.chunks, chunk)
    }

    /// Returns `true` if the document has room for only one such chunk: a second one is kept as unknown.
    fn is_single(&self, tag: Tag) -> bool {
        let wow = self.version.is_wow();
        match &tag.0 {
            b"VERS" | b"MODL" | b"BPOS" => true,
            b"CLID" => wow,
            b"GEOS" => self.version.has(Feature::VertexBuffers),
            _ => false,
        }
    }
}
