//! Reading variable records.

use std::borrow::Cow;

use super::{Part, Record};
use crate::{Claim, Coverage, Error, ErrorKind, Limits, Result, Text, Wire};

/// A reader of variable records. With tracing, for the inspector, it records every value.
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

/// A position to return to if an interpretation of the bytes turns out wrong. See [`ReadXfer::mark`].
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: usize,
    end: usize,
    left: u64,
    path: usize,
    claims: usize,
    open: usize,
}

impl<'a> ReadXfer<'a> {
    /// Whether values flow from bytes into the record.
    pub const READING: bool = true;

    /// Returns a reader of these bytes under these limits.
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

    /// Returns what was recorded; empty unless [`traced`](Self::traced).
    pub fn into_coverage(self) -> Coverage {
        self.trace.map(|t| t.coverage).unwrap_or_default()
    }

    /// Returns all bytes of the file.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the position from the start of the file.
    pub fn pos(&self) -> usize {
        self.at
    }

    /// Returns the number of bytes left in the innermost sized scope.
    pub fn left(&self) -> usize {
        self.end - self.at
    }

    /// Returns the bytes left in the innermost sized scope, without taking them.
    pub fn peek(&self) -> &'a [u8] {
        self.data.get(self.at..self.end).unwrap_or(&[])
    }

    /// Returns the next four bytes of the innermost scope, if there are so many.
    pub fn peek_tag(&self) -> Option<[u8; 4]> {
        self.peek().first_chunk().copied()
    }

    /// Returns the position, for [`rewind`](Self::rewind).
    pub fn mark(&self) -> Mark {
        let (claims, open) =
            self.trace.as_ref().map_or((0, 0), |t| (t.coverage.claims().len(), t.open.len()));
        Mark { at: self.at, end: self.end, left: self.left, path: self.path.len(), claims, open }
    }

    /// Returns to a position, as if nothing had been read since, not even what failed.
    pub fn rewind(&mut self, mark: Mark) {
        (self.at, self.end, self.left) = (mark.at, mark.end, mark.left);
        self.path.truncate(mark.path);
        if let Some(trace) = &mut self.trace {
            trace.coverage.truncate(mark.claims);
            trace.open.truncate(mark.open);
        }
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

    /// Charges the allocation budget for bytes, before the caller allocates them.
    pub fn spend(&mut self, bytes: u64) -> Result<()> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.error(ErrorKind::Limit("decoded bytes"))),
        }
    }

    /// Adds an item to a list, whose capacity stays within the budget.
    #[inline]
    pub fn push<T>(&mut self, items: &mut Vec<T>, item: T) -> Result<()> {
        self.spend(size_of::<T>() as u64)?;
        if items.len() == items.capacity() {
            let allowed = self.left / (size_of::<T>() as u64).max(1) + 1;
            let wanted = items.len().max(2);
            items.reserve_exact(usize::try_from(allowed).map_or(wanted, |n| wanted.min(n)));
        }
        items.push(item);
        Ok(())
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

    #[inline]
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
        let parent = self.trace.as_ref().and_then(|t| t.open.last()).copied().unwrap_or(Claim::ROOT);
        let claim = Claim::scope(name, index, self.at, parent);
        self.path.push((name, claim.index, (0, 0)));
        if let Some(trace) = &mut self.trace {
            let id = trace.coverage.push(claim);
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

    /// Returns an error here, with the path so far.
    #[cold]
    pub fn error(&self, kind: ErrorKind) -> Error {
        self.error_in(kind, "")
    }

    /// Returns a [`ErrorKind::Mismatch`] here, with the path so far.
    #[cold]
    pub fn mismatch(&self, want: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Error {
        self.error(ErrorKind::Mismatch { want: want.into(), found: found.into() })
    }

    /// Reads one value.
    #[inline]
    pub fn val<T: Wire>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        *value = T::get(self.take(1, T::SIZE, name)?);
        self.claim(T::SIZE, name, T::SCHEMA);
        Ok(())
    }

    /// Reads one value that is not kept, because it follows from the others.
    pub fn derived<T: Wire>(&mut self, name: &'static str, _: T) -> Result<T> {
        let mut value = T::ZERO;
        self.val(name, &mut value)?;
        Ok(value)
    }

    /// Reads a text field that names the innermost scope.
    pub fn name<const N: usize>(&mut self, name: &'static str, value: &mut Text<N>) -> Result<()> {
        let at = self.at;
        self.val(name, value)?;
        self.label(at, value.bytes().len());
        Ok(())
    }

    /// Reads `count` values that follow each other.
    pub fn array<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>, count: usize) -> Result<()> {
        values.clear();
        self.append(name, values, count)
    }

    fn append<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>, count: usize) -> Result<()> {
        let bytes = self.take(count, T::SIZE, name)?;
        self.spend(count as u64 * size_of::<T>() as u64)?;
        values.extend(bytes.chunks_exact(T::SIZE).map(T::get));
        self.claim(bytes.len(), name, T::SCHEMA);
        Ok(())
    }

    /// Reads `count` values that follow each other and are kept as something else of `size` bytes.
    pub fn decode<T: Wire>(
        &mut self,
        name: &'static str,
        count: usize,
        size: usize,
        prepare: impl FnOnce(usize),
        mut each: impl FnMut(T),
    ) -> Result<()> {
        let bytes = self.take(count, T::SIZE, name)?;
        self.spend(count as u64 * size as u64)?;
        prepare(count);
        bytes.chunks_exact(T::SIZE).for_each(|b| each(T::get(b)));
        self.claim(bytes.len(), name, T::SCHEMA);
        Ok(())
    }

    /// Reads a `u32` count, then so many values.
    pub fn counted<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>) -> Result<()> {
        let mut count = 0u32;
        self.val("count", &mut count)?;
        self.array(name, values, count as usize)
    }

    /// Reads a `u32` size in bytes, then values that fill it.
    pub fn counted_bytes<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>) -> Result<()> {
        let mut size = 0u32;
        self.val("count", &mut size)?;
        self.whole::<T>(size as usize, name)?;
        self.array(name, values, size as usize / T::SIZE)
    }

    /// Reads a `u32` count, then so many values that are kept as something else.
    pub fn counted_as<D: Wire, T>(
        &mut self,
        name: &'static str,
        values: &mut Vec<T>,
        from_disk: impl Fn(D) -> T,
        _: impl Fn(&T) -> Option<D>,
    ) -> Result<()> {
        let mut count = 0u32;
        self.val("count", &mut count)?;
        values.clear();
        self.decode(name, count as usize, size_of::<T>(), |_| (), |d| values.push(from_disk(d)))
    }

    fn whole<T: Wire>(&self, bytes: usize, name: &'static str) -> Result<()> {
        if bytes.is_multiple_of(T::SIZE) {
            return Ok(());
        }
        let want = format!("a multiple of {} bytes", T::SIZE).into();
        Err(self.error_in(ErrorKind::Mismatch { want, found: format!("{bytes} bytes").into() }, name))
    }

    /// Reads values up to the end of the innermost sized scope, appended to the list.
    pub fn fill<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>, part: &mut Part) -> Result<()> {
        self.whole::<T>(self.left(), name)?;
        part.start = values.len();
        part.count = self.left() / T::SIZE;
        self.append(name, values, part.count)
    }

    /// Reads all bytes up to the end of the innermost sized scope.
    pub fn rest(&mut self, name: &'static str, bytes: &mut Vec<u8>) -> Result<()> {
        self.array(name, bytes, self.left())
    }

    /// Reads a tag that must be this one.
    pub fn tag(&mut self, tag: [u8; 4]) -> Result<()> {
        if let Some(found) = self.peek_tag()
            && found != tag
        {
            let show = |t: &[u8; 4]| Cow::Owned(format!("\"{}\"", crate::escape_bytes(t)));
            return Err(self.error(ErrorKind::Mismatch { want: show(&tag), found: show(&found) }));
        }
        self.val("tag", &mut { tag })
    }

    /// Returns `true` if a part that begins with this tag comes next.
    pub fn comes(&self, tag: [u8; 4], _: bool) -> bool {
        self.peek_tag() == Some(tag)
    }

    /// Stores what reading has determined.
    pub fn note<T>(&self, place: &mut T, found: T) {
        *place = found;
    }

    /// Reads a tag, a `u32` count and so many values, if that tag comes next. The count is in bytes if `in_bytes`.
    pub fn optional<T: Wire>(
        &mut self,
        tag: [u8; 4],
        name: &'static str,
        values: &mut Option<Vec<T>>,
        in_bytes: bool,
    ) -> Result<()> {
        if self.peek_tag() != Some(tag) {
            return Ok(());
        }
        self.tag(tag)?;
        let values = values.get_or_insert_default();
        if in_bytes { self.counted_bytes(name, values) } else { self.counted(name, values) }
    }

    /// Reads a record, if the tag it begins with comes next.
    pub fn maybe<T: Record>(
        &mut self,
        tag: [u8; 4],
        item: &mut Option<T>,
        context: T::Context,
    ) -> Result<()> {
        if self.peek_tag() == Some(tag) { item.get_or_insert_default().read(self, context) } else { Ok(()) }
    }

    /// Reads the number of items of a chunk, for the list that follows.
    pub fn announce(&mut self, part: &mut Part) -> Result<()> {
        let mut count = 0u32;
        self.val("count", &mut count)?;
        part.announced = Some(count);
        Ok(())
    }

    /// Reads records: as many as announced, or else up to the end of the innermost sized scope; appended to the list.
    pub fn list<T: Record>(
        &mut self,
        name: &'static str,
        items: &mut Vec<T>,
        part: &mut Part,
        context: T::Context,
    ) -> Result<()> {
        part.start = items.len();
        part.count = 0;
        while part.announced.map_or(self.left() > 0, |n| part.count < n as usize) {
            let before = self.at;
            let mut item = T::default();
            self.scope(name, Some(items.len()), |x| {
                item.read(x, context)?;
                // A record of no bytes would repeat forever.
                if x.at == before { Err(x.mismatch("a record", "no bytes")) } else { Ok(()) }
            })?;
            self.push(items, item)?;
            part.count += 1;
        }
        Ok(())
    }

    /// Reads `count` items of the same kind.
    pub fn repeat<T: Default>(
        &mut self,
        name: &'static str,
        items: &mut Vec<T>,
        count: usize,
        mut body: impl FnMut(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        items.clear();
        for index in 0..count {
            let mut item = T::default();
            self.scope(name, Some(index), |x| body(x, &mut item))?;
            // Items may be empty, so the budget limits the count.
            self.push(items, item)?;
        }
        Ok(())
    }

    /// Reads one record.
    pub fn record<T: Record>(&mut self, item: &mut T, context: T::Context) -> Result<()> {
        item.read(self, context)
    }

    /// Reads one record that only some files have, kept in a box.
    pub fn boxed<T: Record>(&mut self, item: &mut Option<Box<T>>, context: T::Context) -> Result<()> {
        self.spend(size_of::<T>() as u64)?;
        item.get_or_insert_default().read(self, context)
    }

    /// Runs `body` in a scope with a name, for paths and the inspector.
    pub fn scope<R>(
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

    /// Reads a `u32` size, which includes itself if `inclusive`, then a body that is limited to this size and must use all of it.
    pub fn sized<R>(&mut self, inclusive: bool, body: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let start = self.at;
        let mut size = 0u32;
        self.val("size", &mut size)?;
        let body_start = if inclusive { start } else { self.at };
        let end = body_start.checked_add(size as usize).filter(|end| *end >= self.at && *end <= self.end);
        let Some(end) = end else {
            let have = (self.end - body_start) as u64;
            self.at = start;
            let kind = if inclusive && size < 4 {
                ErrorKind::Mismatch {
                    want: "a size that counts itself".into(),
                    found: size.to_string().into(),
                }
            } else {
                ErrorKind::Truncated { count: 1, size: u64::from(size), have }
            };
            return Err(self.error_in(kind, "size"));
        };
        let outer = std::mem::replace(&mut self.end, end);
        let result = body(self)?;
        if self.at != end {
            let want = format!("all {size} bytes used").into();
            let found = format!("{} bytes left over", end - self.at).into();
            return Err(self.error(ErrorKind::Mismatch { want, found }));
        }
        self.end = outer;
        Ok(result)
    }

    /// Reads [`sized`](Self::sized) with a size that counts itself and reaches to the end of the scope, where such a size is present
    /// at all. If a file has another size, it is kept and otherwise ignored.
    pub fn sized_or_kept(
        &mut self,
        present: bool,
        kept: &mut Option<u32>,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if !present {
            return body(self);
        }
        let found = self.peek().first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        if found as usize == self.left() {
            *kept = None;
            return self.sized(true, body);
        }
        self.val("size", kept.insert(found))?;
        body(self)
    }
}
