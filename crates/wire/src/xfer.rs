//! Variable records: one description, run in both directions.
//!
//! A chunk format writes `fn xfer<X: Xfer>(&mut self, x: &mut X) -> Result<()>` once per record; [`ReadXfer`] fills the
//! record from bytes, [`WriteXfer`] appends its bytes. Sizes are checked when reading and patched when writing.

use std::borrow::Cow;

use crate::{Claim, Coverage, Error, ErrorKind, Limits, Result, Wire};

/// One direction of transfer.
pub trait Xfer: Sized {
    /// Whether values flow from bytes into the record.
    const READING: bool;

    /// Bytes from the start of the file.
    fn pos(&self) -> usize;

    /// Bytes left in the innermost sized scope; `usize::MAX` when writing.
    fn left(&self) -> usize;

    /// One value.
    fn val<T: Wire>(&mut self, name: &'static str, value: &mut T) -> Result<()>;

    /// `count` values that follow each other. When writing, all of `values`, whatever `count` says.
    fn array<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>, count: usize) -> Result<()>;

    /// A scope with a name, for paths and the inspector.
    fn scope<R>(
        &mut self,
        name: &'static str,
        index: Option<usize>,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R>;

    /// A `u32` size, which counts itself if `inclusive`, then a body of that size.
    ///
    /// When reading, the body sees no further than the size says, and must use all of it.
    fn sized<R>(
        &mut self,
        name: &'static str,
        index: Option<usize>,
        inclusive: bool,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R>;

    /// The next four bytes of the innermost scope, when reading and if there are so many.
    fn peek_tag(&self) -> Option<[u8; 4]>;

    /// An error here, with the path so far.
    fn error(&self, kind: ErrorKind) -> Error;

    /// A tag that must be this one.
    fn tag(&mut self, tag: [u8; 4]) -> Result<()> {
        if Self::READING
            && let Some(found) = self.peek_tag()
            && found != tag
        {
            let show = |t: &[u8; 4]| Cow::Owned(format!("\"{}\"", crate::escape_bytes(t)));
            return Err(self.error(ErrorKind::Mismatch { want: show(&tag), found: show(&found) }));
        }
        self.val("tag", &mut { tag })
    }

    /// A `u32` count, then so many values.
    fn counted<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>) -> Result<()> {
        let mut count = self.count(values.len())?;
        self.val("count", &mut count)?;
        self.array(name, values, count as usize)
    }

    /// A length as the 32 bits that stand for it on disk.
    fn count(&self, len: usize) -> Result<u32> {
        u32::try_from(len)
            .map_err(|_| self.error(ErrorKind::Unrepresentable(format!("{len} items are too many").into())))
    }
}

/// Bytes into records. Tracing, for the inspector, records every value; without it nothing is recorded.
#[derive(Debug)]
pub struct ReadXfer<'a> {
    data: &'a [u8],
    at: usize,
    end: usize,
    limits: Limits,
    left: u64,
    scopes: u32,
    path: Vec<(&'static str, u32, (u32, u32))>,
    trace: Option<Trace>,
}

#[derive(Debug, Default)]
struct Trace {
    coverage: Coverage,
    open: Vec<u32>,
}

impl<'a> ReadXfer<'a> {
    /// Reads these bytes under these limits.
    pub fn new(data: &'a [u8], limits: &Limits) -> Self {
        ReadXfer {
            data,
            at: 0,
            end: data.len(),
            limits: *limits,
            left: limits.budget(data.len()),
            scopes: 0,
            path: Vec::new(),
            trace: None,
        }
    }

    /// Records every value for the inspector.
    #[must_use]
    pub fn traced(mut self) -> Self {
        self.trace = Some(Trace::default());
        self
    }

    /// What was recorded; empty unless [`traced`](Self::traced).
    pub fn into_coverage(self) -> Coverage {
        self.trace.map(|t| t.coverage).unwrap_or_default()
    }

    /// All bytes of the file.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Names the innermost scope by the text at that place in the file.
    pub fn label(&mut self, at: usize, len: usize) {
        let (Ok(at), Ok(len)) = (u32::try_from(at), u32::try_from(len)) else { return };
        if let Some(step) = self.path.last_mut() {
            step.2 = (at, len);
        }
        if let Some(trace) = &mut self.trace
            && let Some(open) = trace.open.last()
            && let Some(claim) = trace.coverage.get_mut(*open)
        {
            claim.label = (at, len);
        }
    }

    /// Takes bytes off the allocation budget, before the caller allocates them.
    pub fn spend(&mut self, bytes: u64) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.error(ErrorKind::Limit("decoded bytes"))),
        }
    }

    #[inline]
    fn take(&mut self, count: usize, size: usize, name: &'static str) -> Result<&'a [u8]> {
        let have = self.end - self.at;
        let found = count
            .checked_mul(size)
            .filter(|len| *len <= have)
            .and_then(|len| self.data.get(self.at..)?.get(..len));
        match found {
            Some(bytes) => Ok(bytes),
            None => {
                let kind = ErrorKind::Truncated { count: count as u64, size: size as u64, have: have as u64 };
                Err(self.error_in(kind, name))
            }
        }
    }

    fn claim(&mut self, len: usize, name: &'static str, schema: &'static crate::Schema) {
        let start = self.at;
        self.at += len;
        if let Some(trace) = &mut self.trace
            && let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(self.at))
            && start < end
        {
            let parent = trace.open.last().copied().unwrap_or(Claim::ROOT);
            trace.coverage.push(Claim {
                start,
                end,
                name,
                index: Claim::NO_INDEX,
                label: (0, 0),
                schema: Some(schema),
                parent,
            });
        }
    }

    fn open(&mut self, name: &'static str, index: Option<usize>) -> Result<()> {
        if self.path.len() as u64 >= u64::from(self.limits.depth) {
            return Err(self.error_in(ErrorKind::Limit("depth"), name));
        }
        self.scopes += 1;
        if self.scopes > self.limits.nodes {
            return Err(self.error_in(ErrorKind::Limit("nodes"), name));
        }
        let index = index.and_then(|i| u32::try_from(i).ok()).unwrap_or(Claim::NO_INDEX);
        self.path.push((name, index, (0, 0)));
        if let Some(trace) = &mut self.trace {
            let at = u32::try_from(self.at).unwrap_or(u32::MAX);
            let parent = trace.open.last().copied().unwrap_or(Claim::ROOT);
            let id = trace.coverage.push(Claim {
                start: at,
                end: at,
                name,
                index,
                label: (0, 0),
                schema: None,
                parent,
            });
            trace.open.push(id);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.path.pop();
        if let Some(trace) = &mut self.trace {
            trace.open.pop();
        }
    }

    #[cold]
    fn error_in(&self, kind: ErrorKind, name: &'static str) -> Error {
        let mut error = Error::at(kind, self.at).within(name);
        for (name, index, label) in self.path.iter().rev() {
            let step = Claim {
                start: 0,
                end: 0,
                name,
                index: *index,
                label: *label,
                schema: None,
                parent: Claim::ROOT,
            };
            error = error.within(step.step(self.data));
        }
        error
    }
}

impl Xfer for ReadXfer<'_> {
    const READING: bool = true;

    fn pos(&self) -> usize {
        self.at
    }

    fn left(&self) -> usize {
        self.end - self.at
    }

    #[inline]
    fn val<T: Wire>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        *value = T::get(self.take(1, T::SIZE, name)?);
        self.claim(T::SIZE, name, T::SCHEMA);
        Ok(())
    }

    fn array<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>, count: usize) -> Result<()> {
        let bytes = self.take(count, T::SIZE, name)?;
        self.spend(count as u64 * size_of::<T>() as u64)?;
        values.clear();
        values.extend(bytes.chunks_exact(T::SIZE).map(T::get));
        self.claim(bytes.len(), name, T::SCHEMA);
        Ok(())
    }

    fn scope<R>(
        &mut self,
        name: &'static str,
        index: Option<usize>,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        self.open(name, index)?;
        let result = body(self)?;
        self.close();
        Ok(result)
    }

    fn sized<R>(
        &mut self,
        name: &'static str,
        index: Option<usize>,
        inclusive: bool,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        self.open(name, index)?;
        let start = self.at;
        let mut size = 0u32;
        self.val("size", &mut size)?;
        let body_start = if inclusive { start } else { self.at };
        let end = body_start.checked_add(size as usize).filter(|end| *end >= self.at && *end <= self.end);
        let Some(end) = end else {
            let have = (self.end - body_start) as u64;
            self.at = start;
            return Err(self.error_in(ErrorKind::Truncated { count: 1, size: u64::from(size), have }, "size"));
        };
        let outer = std::mem::replace(&mut self.end, end);
        let result = body(self)?;
        if self.at != end {
            let want = format!("all {size} bytes used").into();
            let found = format!("{} bytes left over", end - self.at).into();
            return Err(self.error(ErrorKind::Mismatch { want, found }));
        }
        self.end = outer;
        self.close();
        Ok(result)
    }

    fn peek_tag(&self) -> Option<[u8; 4]> {
        self.data.get(self.at..self.end)?.first_chunk().copied()
    }

    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        self.error_in(kind, "")
    }
}

/// Records into bytes.
#[derive(Debug, Default)]
pub struct WriteXfer {
    out: Vec<u8>,
}

impl WriteXfer {
    /// An empty output.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty output with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        WriteXfer { out: Vec::with_capacity(bytes) }
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}

impl Xfer for WriteXfer {
    const READING: bool = false;

    fn pos(&self) -> usize {
        self.out.len()
    }

    fn left(&self) -> usize {
        usize::MAX
    }

    #[inline]
    fn val<T: Wire>(&mut self, _: &'static str, value: &mut T) -> Result<()> {
        crate::put_array(&mut self.out, std::slice::from_ref(value));
        Ok(())
    }

    fn array<T: Wire>(&mut self, _: &'static str, values: &mut Vec<T>, _: usize) -> Result<()> {
        crate::put_array(&mut self.out, values);
        Ok(())
    }

    fn scope<R>(
        &mut self,
        _: &'static str,
        _: Option<usize>,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        body(self)
    }

    fn sized<R>(
        &mut self,
        name: &'static str,
        _: Option<usize>,
        inclusive: bool,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        let start = self.out.len();
        self.val(name, &mut 0u32)?;
        let body_start = if inclusive { start } else { self.out.len() };
        let result = body(self)?;
        let size = self.count(self.out.len() - body_start)?;
        if let Some(slot) = self.out.get_mut(start..) {
            size.put(slot);
        }
        Ok(result)
    }

    fn peek_tag(&self) -> Option<[u8; 4]> {
        None
    }

    #[cold]
    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, crate::Place::Nowhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, Debug, PartialEq)]
    struct Geoset {
        vertices: Vec<[f32; 3]>,
        faces: Vec<u16>,
        lod: i32,
    }

    impl Geoset {
        fn xfer<X: Xfer>(&mut self, x: &mut X, version: u32) -> Result<()> {
            x.sized("geoset", Some(0), true, |x| {
                x.tag(*b"VRTX")?;
                x.counted("vertices", &mut self.vertices)?;
                x.tag(*b"PVTX")?;
                x.counted("faces", &mut self.faces)?;
                if version >= 900 {
                    x.val("lod", &mut self.lod)?;
                }
                Ok(())
            })
        }
    }

    fn written(version: u32) -> (Geoset, Vec<u8>) {
        let lod = if version >= 900 { -1 } else { 0 };
        let mut geoset = Geoset { vertices: vec![[1., 2., 3.]; 10], faces: (0..9).collect(), lod };
        let mut writer = WriteXfer::new();
        geoset.xfer(&mut writer, version).unwrap();
        (geoset, writer.into_bytes())
    }

    #[test]
    fn one_description_runs_both_ways() {
        for version in [800, 900] {
            let (geoset, bytes) = written(version);
            let mut back = Geoset::default();
            let mut reader = ReadXfer::new(&bytes, &Limits::default()).traced();
            back.xfer(&mut reader, version).unwrap();
            assert_eq!(reader.left(), 0);
            assert!(reader.into_coverage().gaps(bytes.len()).is_empty());
            assert_eq!(geoset, back);
        }
    }

    #[test]
    fn every_cut_is_an_error_with_a_path() {
        let (_, bytes) = written(900);
        for cut in 0..bytes.len() {
            let error = Geoset::default()
                .xfer(&mut ReadXfer::new(&bytes[..cut], &Limits::default()), 900)
                .unwrap_err();
            assert!(error.offset().is_some(), "{error}");
            assert!(error.path().starts_with("geoset[0]"), "{error}");
        }
    }

    #[test]
    fn bytes_left_over_in_a_sized_body_are_an_error() {
        let (_, bytes) = written(900);
        let error = Geoset::default().xfer(&mut ReadXfer::new(&bytes, &Limits::default()), 800).unwrap_err();
        assert_eq!(error.to_string(), "0x9E geoset[0]: expected all 162 bytes used, found 4 bytes left over");
    }

    #[test]
    fn a_wrong_tag_names_both() {
        let (_, mut bytes) = written(800);
        bytes[4] = b'?';
        let error = Geoset::default().xfer(&mut ReadXfer::new(&bytes, &Limits::default()), 800).unwrap_err();
        assert_eq!(error.to_string(), "0x4 geoset[0]: expected \"VRTX\", found \"?RTX\"");
    }
}
