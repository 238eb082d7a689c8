//! TVFS: the names of a storage as a prefix tree, and what each name leads to.

use galatea_wire::{Error, ErrorKind, Limits, Result};

use super::EKey;
use super::cursor::{Cursor, mismatch};

/// Rows have content keys.
const CKEYS: u32 = 1;
/// There is a table of how files are encoded.
const ESPECS: u32 = 2;
/// All flags that are known: rows may have patch records, names may be lower case.
const KNOWN: u32 = 15;
/// The largest number of spans; other values mean that a name is not a plain file.
const MOST_SPANS: u8 = 224;
/// Marks the value of a node.
const VALUE: u8 = 0xFF;
/// Bytes of names that a table may unfold to, for each of its bytes.
const UNFOLDING: u64 = 32;

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// Where it is in the file.
    pub offset: u32,
    /// Its bytes.
    pub length: u32,
    /// The first nine bytes of the key that the index has.
    pub ekey: EKey,
    /// Bytes in the storage.
    pub packed: u32,
    /// Bytes of the content that it is taken from.
    pub size: u32,
    /// The checksum of that content, if the table has it.
    pub ckey: Option<[u8; 16]>,
}

/// A file of a name table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TvfsFile {
    /// Its name in the text of all names.
    pub(super) name: (usize, usize),
    /// Its record in the table of files.
    record: u32,
}

/// A name table.
#[derive(Debug, Clone)]
pub struct Tvfs {
    bytes: Vec<u8>,
    flags: u32,
    /// Offset and size of the tables of files and of containers.
    vfs: (usize, usize),
    containers: (usize, usize),
    espec_bytes: usize,
    container_bytes: usize,
    names: Vec<u8>,
    files: Vec<TvfsFile>,
}

impl Tvfs {
    /// Reads a name table.
    pub fn read(bytes: Vec<u8>, limits: &Limits) -> Result<Tvfs> {
        let mut cursor = Cursor::new(&bytes, 0);
        if cursor.take(4, "magic")? != b"TVFS" {
            return Err(Error::at(ErrorKind::NotThisFormat, 0).within("name table"));
        }
        cursor.expect(1, "version")?;
        let head_size = cursor.u8("head_size")?;
        cursor.expect(9, "ekey_size")?;
        cursor.expect(9, "patch_key_size")?;
        let flags = cursor.u32("flags")?;
        if flags & !KNOWN != 0 {
            let what = format!("a name table with the flags 0x{flags:X}").into();
            return Err(Error::at(ErrorKind::Unsupported(what), 8).within("flags"));
        }
        let want = if flags & ESPECS != 0 { 46 } else { 38 };
        if head_size != want {
            return Err(mismatch(5, "head_size", want.to_string(), head_size.to_string()));
        }
        let mut table = |name| -> Result<(usize, usize)> {
            let at = cursor.at();
            let (offset, size) = (cursor.u32(name)? as usize, cursor.u32(name)? as usize);
            let have = bytes.len().saturating_sub(offset);
            if size > have {
                let kind = ErrorKind::Truncated { count: 1, size: size as u64, have: have as u64 };
                return Err(Error::at(kind, at).within(name));
            }
            Ok((offset, size))
        };
        let (paths, vfs, containers) = (table("paths")?, table("files")?, table("containers")?);
        cursor.u16("depth")?;
        let espec_bytes = match flags & ESPECS {
            0 => 0,
            _ => {
                cursor.u32("especs")?;
                width(cursor.u32("especs")? as usize)
            }
        };
        let container_bytes = width(containers.1);
        let mut tvfs = Tvfs {
            bytes,
            flags,
            vfs,
            containers,
            espec_bytes,
            container_bytes,
            names: Vec::new(),
            files: Vec::new(),
        };
        tvfs.walk(paths, limits)?;
        Ok(tvfs)
    }

    /// Follows the tree of names. A node is a list of fragments, joined by `/`, and a value: the length of its children, or the place
    /// of its file.
    fn walk(&mut self, (start, size): (usize, usize), limits: &Limits) -> Result<()> {
        let mut left = (size as u64).saturating_mul(UNFOLDING).saturating_add(limits.base_allowance);
        let end = start + size;
        let mut path: Vec<u8> = Vec::new();
        // The ends of the nodes that are open, and how long the path was before them.
        let mut open: Vec<(usize, usize)> = vec![(end, 0)];
        let (mut names, mut files) = (Vec::new(), Vec::new());
        let mut cursor = Cursor::new(self.bytes.get(..end).unwrap_or(&self.bytes), start);
        while let Some(&(end, before)) = open.last() {
            path.truncate(before);
            if cursor.at() >= end {
                open.pop();
                continue;
            }
            let at = cursor.at();
            let mut first = true;
            loop {
                let len = cursor.u8("name")?;
                if len == VALUE {
                    break;
                }
                if !std::mem::take(&mut first) {
                    path.push(b'/');
                }
                path.extend_from_slice(cursor.take(len.into(), "name")?);
            }
            let value = cursor.u32("value")?;
            if value & 0x8000_0000 != 0 {
                let len = ((value & 0x7FFF_FFFF) as usize).checked_sub(4);
                let inner = len.and_then(|len| cursor.at().checked_add(len)).filter(|inner| *inner <= end);
                let Some(inner) = inner else {
                    return Err(mismatch(
                        at,
                        "children",
                        "a length inside of the parent's",
                        (value & 0x7FFF_FFFF).to_string(),
                    ));
                };
                if open.len() >= limits.depth as usize {
                    return Err(Error::at(ErrorKind::Limit("depth"), at).within("paths"));
                }
                open.push((inner, path.len()));
            } else {
                let spent = path.len() as u64 + size_of::<TvfsFile>() as u64;
                left = left
                    .checked_sub(spent)
                    .ok_or_else(|| Error::at(ErrorKind::Limit("decoded bytes"), at).within("paths"))?;
                files.push(TvfsFile { name: (names.len(), path.len()), record: value });
                names.extend_from_slice(&path);
            }
        }
        (self.names, self.files) = (names, files);
        Ok(())
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns `true` if there are no names.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns a name.
    pub fn name(&self, index: usize) -> Option<&[u8]> {
        let (start, len) = self.files.get(index)?.name;
        self.names.get(start..start + len)
    }

    /// Returns the parts of a file; `None` if the name is not a plain file.
    pub fn spans(&self, index: usize) -> Result<Option<Vec<Span>>> {
        let Some(file) = self.files.get(index) else { return Ok(None) };
        let mut cursor = self.table(self.vfs, file.record as usize)?;
        let count = cursor.u8("spans")?;
        if !(1..=MOST_SPANS).contains(&count) {
            return Ok(None);
        }
        let mut spans = Vec::with_capacity(count.into());
        for _ in 0..count {
            let (offset, length) = (cursor.u32("offset")?, cursor.u32("length")?);
            let container = cursor.number(self.container_bytes, "container")?;
            spans.push(self.span(offset, length, container as usize)?);
        }
        Ok(Some(spans))
    }

    fn span(&self, offset: u32, length: u32, container: usize) -> Result<Span> {
        let mut cursor = self.table(self.containers, container)?;
        let ekey = cursor.array("ekey")?;
        let packed = cursor.u32("packed")?;
        cursor.take(self.espec_bytes, "espec")?;
        let size = cursor.u32("size")?;
        let ckey = if self.flags & CKEYS != 0 { Some(cursor.array("ckey")?) } else { None };
        Ok(Span { offset, length, ekey, packed, size, ckey })
    }

    /// Returns a cursor at a place of a table, which ends with it.
    fn table(&self, (start, size): (usize, usize), at: usize) -> Result<Cursor<'_>> {
        match self.bytes.get(..start + size) {
            Some(bytes) if at < size => Ok(Cursor::new(bytes, start + at)),
            _ => Err(mismatch(start, "table", format!("a place below {size}"), at.to_string())),
        }
    }
}

/// Returns how many bytes an offset into a table of this size has.
fn width(size: usize) -> usize {
    match size {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFF_FFFF => 3,
        _ => 4,
    }
}
