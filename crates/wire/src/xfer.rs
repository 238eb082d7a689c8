//! Variable records: one description, run in both directions.
//!
//! A chunk format describes each record once with [`xfer!`](crate::xfer). The description is compiled twice: against
//! [`ReadXfer`], which fills the record from bytes, and against [`WriteXfer`], which appends the bytes of a record it only
//! borrows. Both have the same methods. Sizes are checked when reading and patched when writing.

use std::borrow::Cow;

use crate::{Claim, Coverage, Error, ErrorKind, Limits, Result, Text, Wire};

/// A record that [`xfer!`](crate::xfer) described.
pub trait Record: Default {
    /// What the record has to know about its file, such as the version.
    type Context: Copy;
    /// Fills the record from bytes.
    fn read(&mut self, x: &mut ReadXfer<'_>, context: Self::Context) -> Result<()>;
    /// Appends the record's bytes.
    fn write(&self, x: &mut WriteXfer, context: Self::Context) -> Result<()>;
}

/// Describes variable records once, for both directions.
///
/// Take the record apart first (`let Pin { place, size } = self;`): reading then holds `&mut` to each field and writing `&`,
/// the same words do both, and a field that is not transferred is an unused variable.
///
/// ```
/// use galatea_wire::{Limits, ReadXfer, Record, WriteXfer, xfer};
/// #[derive(Default, Debug, PartialEq)]
/// struct Pin { place: [f32; 3], names: Vec<u16>, weight: u32 }
/// xfer! {
///     impl Record for Pin {
///         fn xfer(self, x, version: u32) {
///             let Pin { place, names, weight } = self;
///             x.sized(true, |x| {
///                 x.val("place", place)?;
///                 x.tag(*b"NAME")?;
///                 x.counted("names", names)?;
///                 if version >= 2 {
///                     x.val("weight", weight)?;
///                 }
///                 Ok(())
///             })
///         }
///     }
/// }
/// let pin = Pin { place: [1.0, 2.0, 3.0], names: vec![7, 8], weight: 9 };
/// let mut out = WriteXfer::new();
/// pin.write(&mut out, 2).unwrap();
/// let bytes = out.into_bytes();
/// let mut back = Pin::default();
/// back.read(&mut ReadXfer::new(&bytes, &Limits::default()), 2).unwrap();
/// assert_eq!((back, bytes[0]), (pin, 32));
/// ```
#[macro_export]
macro_rules! xfer {
    ($(impl Record for $name:ty { fn xfer($self:ident, $x:ident, $context:ident : $ty:ty) $body:block })*) => {$(
        impl $crate::Record for $name {
            type Context = $ty;
            fn read(&mut $self, $x: &mut $crate::ReadXfer<'_>, $context: $ty) -> $crate::Result<()> $body
            fn write(&$self, $x: &mut $crate::WriteXfer, $context: $ty) -> $crate::Result<()> $body
        }
    )*};
}

/// Which items of a list a chunk holds: found out when reading, given when writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    /// Index of its first item in the list.
    pub start: usize,
    /// Its items.
    pub count: usize,
    /// How many items the file announces, where it does.
    pub announced: Option<u32>,
}

impl Part {
    fn of<'a, T>(&self, items: &'a [T]) -> &'a [T] {
        items.get(self.start..).map_or(&[], |rest| rest.get(..self.count).unwrap_or(rest))
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

/// A place to go back to, when one reading of the bytes turned out wrong. See [`ReadXfer::mark`].
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

    /// Bytes from the start of the file.
    pub fn pos(&self) -> usize {
        self.at
    }

    /// Bytes left in the innermost sized scope.
    pub fn left(&self) -> usize {
        self.end - self.at
    }

    /// The bytes left in the innermost sized scope, without taking them.
    pub fn peek(&self) -> &'a [u8] {
        self.data.get(self.at..self.end).unwrap_or(&[])
    }

    /// The next four bytes of the innermost scope, if there are so many.
    pub fn peek_tag(&self) -> Option<[u8; 4]> {
        self.peek().first_chunk().copied()
    }

    /// Remembers this place, for [`rewind`](Self::rewind).
    pub fn mark(&self) -> Mark {
        let (claims, open) =
            self.trace.as_ref().map_or((0, 0), |t| (t.coverage.claims().len(), t.open.len()));
        Mark { at: self.at, end: self.end, left: self.left, path: self.path.len(), claims, open }
    }

    /// Goes back to a place, as if nothing had been read since, not even what failed.
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

    /// Adds an item to a list, within the budget: the list never has more room than the budget allows.
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

    /// An error here, with the path so far.
    #[cold]
    pub fn error(&self, kind: ErrorKind) -> Error {
        self.error_in(kind, "")
    }

    /// A [`ErrorKind::Mismatch`] here, with the path so far.
    #[cold]
    pub fn mismatch(&self, want: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Error {
        self.error(ErrorKind::Mismatch { want: want.into(), found: found.into() })
    }

    /// One value.
    #[inline]
    pub fn val<T: Wire>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        *value = T::get(self.take(1, T::SIZE, name)?);
        self.claim(T::SIZE, name, T::SCHEMA);
        Ok(())
    }

    /// One value that is not kept, because it follows from the others.
    pub fn derived<T: Wire>(&mut self, name: &'static str, _: T) -> Result<T> {
        let mut value = T::ZERO;
        self.val(name, &mut value)?;
        Ok(value)
    }

    /// A text field that names the innermost scope.
    pub fn name<const N: usize>(&mut self, name: &'static str, value: &mut Text<N>) -> Result<()> {
        let at = self.at;
        self.val(name, value)?;
        self.label(at, value.bytes().len());
        Ok(())
    }

    /// `count` values that follow each other.
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

    /// `count` values that follow each other and are kept as something else of `size` bytes.
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

    /// A `u32` count, then so many values.
    pub fn counted<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>) -> Result<()> {
        let mut count = 0u32;
        self.val("count", &mut count)?;
        self.array(name, values, count as usize)
    }

    /// A `u32` size in bytes, then values that fill it.
    pub fn counted_bytes<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>) -> Result<()> {
        let mut size = 0u32;
        self.val("count", &mut size)?;
        self.whole::<T>(size as usize, name)?;
        self.array(name, values, size as usize / T::SIZE)
    }

    /// A `u32` count, then so many values that are kept as something else.
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

    /// Values up to the end of the innermost sized scope, appended to the list.
    pub fn fill<T: Wire>(&mut self, name: &'static str, values: &mut Vec<T>, part: &mut Part) -> Result<()> {
        self.whole::<T>(self.left(), name)?;
        part.start = values.len();
        part.count = self.left() / T::SIZE;
        self.append(name, values, part.count)
    }

    /// All bytes up to the end of the innermost sized scope.
    pub fn rest(&mut self, name: &'static str, bytes: &mut Vec<u8>) -> Result<()> {
        self.array(name, bytes, self.left())
    }

    /// A tag that must be this one.
    pub fn tag(&mut self, tag: [u8; 4]) -> Result<()> {
        if let Some(found) = self.peek_tag()
            && found != tag
        {
            let show = |t: &[u8; 4]| Cow::Owned(format!("\"{}\"", crate::escape_bytes(t)));
            return Err(self.error(ErrorKind::Mismatch { want: show(&tag), found: show(&found) }));
        }
        self.val("tag", &mut { tag })
    }

    /// Whether a part that begins with this tag comes next.
    pub fn comes(&self, tag: [u8; 4], _: bool) -> bool {
        self.peek_tag() == Some(tag)
    }

    /// Remembers what reading found out.
    pub fn note<T>(&self, place: &mut T, found: T) {
        *place = found;
    }

    /// A tag, a `u32` count and so many values, if that tag comes next. The count is in bytes if `in_bytes`.
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

    /// A record, if the tag it begins with comes next.
    pub fn maybe<T: Record>(
        &mut self,
        tag: [u8; 4],
        item: &mut Option<T>,
        context: T::Context,
    ) -> Result<()> {
        if self.peek_tag() == Some(tag) { item.get_or_insert_default().read(self, context) } else { Ok(()) }
    }

    /// The number of items of a chunk, for the list that follows.
    pub fn announce(&mut self, part: &mut Part) -> Result<()> {
        let mut count = 0u32;
        self.val("count", &mut count)?;
        part.announced = Some(count);
        Ok(())
    }

    /// Records: as many as announced, or else up to the end of the innermost sized scope; appended to the list.
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
                // A record of no bytes would repeat for ever.
                if x.at == before { Err(x.mismatch("a record", "no bytes")) } else { Ok(()) }
            })?;
            self.push(items, item)?;
            part.count += 1;
        }
        Ok(())
    }

    /// `count` items of the same kind.
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
            // Items may be empty: the budget ends what a wild count began.
            self.push(items, item)?;
        }
        Ok(())
    }

    /// One record.
    pub fn record<T: Record>(&mut self, item: &mut T, context: T::Context) -> Result<()> {
        item.read(self, context)
    }

    /// One record that only some files have, kept in a box.
    pub fn boxed<T: Record>(&mut self, item: &mut Option<Box<T>>, context: T::Context) -> Result<()> {
        self.spend(size_of::<T>() as u64)?;
        item.get_or_insert_default().read(self, context)
    }

    /// A scope with a name, for paths and the inspector.
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

    /// A `u32` size, which counts itself if `inclusive`, then a body that sees no further than the size says, and must use
    /// all of it.
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

    /// [`sized`](Self::sized) with a size that counts itself and reaches to the end of the scope, where such a size is present
    /// at all. Files may hold another size: then it is kept, and believed no further.
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

/// Records into bytes.
#[derive(Debug, Default)]
pub struct WriteXfer {
    out: Vec<u8>,
    starts: Option<Vec<(&'static str, u32)>>,
}

impl WriteXfer {
    /// Whether values flow from bytes into the record.
    pub const READING: bool = false;

    /// An empty output.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty output with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        WriteXfer { out: Vec::with_capacity(bytes), starts: None }
    }

    /// Also remembers where each item of each list begins.
    #[must_use]
    pub fn placed(mut self) -> Self {
        self.starts = Some(Vec::new());
        self
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Where each item of each list begins, by the list's name, in the order of writing; empty unless
    /// [`placed`](Self::placed).
    pub fn into_starts(self) -> Vec<(&'static str, u32)> {
        self.starts.unwrap_or_default()
    }

    /// Bytes from the start of the file.
    pub fn pos(&self) -> usize {
        self.out.len()
    }

    /// Without end: what is written has no size yet.
    pub fn left(&self) -> usize {
        usize::MAX
    }

    /// An error with no place: nothing was read.
    #[cold]
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, crate::Place::Nowhere)
    }

    /// A length as the 32 bits that stand for it on disk.
    pub fn count(&self, len: usize) -> Result<u32> {
        u32::try_from(len)
            .map_err(|_| self.error(ErrorKind::Unrepresentable(format!("{len} items are too many").into())))
    }

    /// One value.
    #[inline]
    pub fn val<T: Wire>(&mut self, _: &'static str, value: &T) -> Result<()> {
        crate::put_array(&mut self.out, std::slice::from_ref(value));
        Ok(())
    }

    /// One value that follows from the others.
    pub fn derived<T: Wire>(&mut self, name: &'static str, value: T) -> Result<T> {
        self.val(name, &value)?;
        Ok(value)
    }

    /// A text field that names the innermost scope.
    pub fn name<const N: usize>(&mut self, name: &'static str, value: &Text<N>) -> Result<()> {
        self.val(name, value)
    }

    /// All values, which must be `count`.
    pub fn array<T: Wire>(&mut self, name: &'static str, values: &[T], count: usize) -> Result<()> {
        if values.len() != count {
            let what = format!("{name}: {} where the rest of the record asks for {count}", values.len());
            return Err(self.error(ErrorKind::Unrepresentable(what.into())));
        }
        crate::put_array(&mut self.out, values);
        Ok(())
    }

    /// Values that are kept as something else.
    pub fn encode<T: Wire>(&mut self, values: impl ExactSizeIterator<Item = T>) {
        let at = self.out.len();
        self.out.resize(at + values.len() * T::SIZE, 0);
        if let Some(tail) = self.out.get_mut(at..) {
            tail.chunks_exact_mut(T::SIZE).zip(values).for_each(|(slot, value)| value.put(slot));
        }
    }

    /// A `u32` count, then so many values.
    pub fn counted<T: Wire>(&mut self, name: &'static str, values: &[T]) -> Result<()> {
        let count = self.count(values.len())?;
        self.val("count", &count)?;
        self.array(name, values, values.len())
    }

    /// A `u32` count, then the values as they are on disk; an error if one of them cannot be.
    pub fn counted_as<D: Wire, T>(
        &mut self,
        name: &'static str,
        values: &[T],
        _: impl Fn(D) -> T,
        to_disk: impl Fn(&T) -> Option<D>,
    ) -> Result<()> {
        let values: Option<Vec<D>> = values.iter().map(to_disk).collect();
        match values {
            Some(values) => self.counted(name, &values),
            None => {
                Err(self.error(ErrorKind::Unrepresentable(format!("{name}: a value does not fit").into())))
            }
        }
    }

    /// A `u32` size in bytes, then the values.
    pub fn counted_bytes<T: Wire>(&mut self, name: &'static str, values: &[T]) -> Result<()> {
        let size = self.count(values.len().saturating_mul(T::SIZE))?;
        self.val("count", &size)?;
        self.array(name, values, values.len())
    }

    /// The values of this part of the list.
    pub fn fill<T: Wire>(&mut self, _: &'static str, values: &[T], part: &mut Part) -> Result<()> {
        crate::put_array(&mut self.out, part.of(values));
        Ok(())
    }

    /// The bytes.
    pub fn rest(&mut self, name: &'static str, bytes: &[u8]) -> Result<()> {
        self.array(name, bytes, bytes.len())
    }

    /// The tag.
    pub fn tag(&mut self, tag: [u8; 4]) -> Result<()> {
        self.val("tag", &tag)
    }

    /// Whether a part that begins with this tag comes next: as told.
    pub fn comes(&self, _: [u8; 4], present: bool) -> bool {
        present
    }

    /// Writing finds nothing out.
    pub fn note<T>(&self, _: &T, _: T) {}

    /// A tag, a `u32` count and the values, if there are any. The count is in bytes if `in_bytes`.
    pub fn optional<T: Wire>(
        &mut self,
        tag: [u8; 4],
        name: &'static str,
        values: &Option<Vec<T>>,
        in_bytes: bool,
    ) -> Result<()> {
        let Some(values) = values else { return Ok(()) };
        self.tag(tag)?;
        if in_bytes { self.counted_bytes(name, values) } else { self.counted(name, values) }
    }

    /// A record, if there is one.
    pub fn maybe<T: Record>(&mut self, _: [u8; 4], item: &Option<T>, context: T::Context) -> Result<()> {
        item.as_ref().map_or(Ok(()), |item| item.write(self, context))
    }

    /// The number of items of a chunk.
    pub fn announce(&mut self, part: &mut Part) -> Result<()> {
        let count = self.count(part.count)?;
        self.val("count", &count)
    }

    /// The records of this part of the list.
    pub fn list<T: Record>(
        &mut self,
        name: &'static str,
        items: &[T],
        part: &mut Part,
        context: T::Context,
    ) -> Result<()> {
        for (index, item) in part.of(items).iter().enumerate() {
            if let Some(starts) = &mut self.starts {
                starts.push((name, u32::try_from(self.out.len()).unwrap_or(u32::MAX)));
            }
            item.write(self, context)
                .map_err(|e| e.within(format!("{name}[{}]", part.start.saturating_add(index))))?;
        }
        Ok(())
    }

    /// All items, which must be `count`.
    pub fn repeat<T>(
        &mut self,
        name: &'static str,
        items: &[T],
        count: usize,
        mut body: impl FnMut(&mut Self, &T) -> Result<()>,
    ) -> Result<()> {
        if items.len() != count {
            let what = format!("{name}: {} where the rest of the record asks for {count}", items.len());
            return Err(self.error(ErrorKind::Unrepresentable(what.into())));
        }
        for (index, item) in items.iter().enumerate() {
            body(self, item).map_err(|e| e.within(format!("{name}[{index}]")))?;
        }
        Ok(())
    }

    /// One record.
    pub fn record<T: Record>(&mut self, item: &T, context: T::Context) -> Result<()> {
        item.write(self, context)
    }

    /// One record that only some files have; its defaults where there is none.
    pub fn boxed<T: Record>(&mut self, item: &Option<Box<T>>, context: T::Context) -> Result<()> {
        match item {
            Some(item) => item.write(self, context),
            None => T::default().write(self, context),
        }
    }

    /// A scope with a name.
    pub fn scope<R>(
        &mut self,
        name: &'static str,
        index: Option<usize>,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        body(self).map_err(|e| match index {
            Some(index) => e.within(format!("{name}[{index}]")),
            None => e.within(name),
        })
    }

    /// A `u32` size, which counts itself if `inclusive`, then a body of that size.
    pub fn sized<R>(&mut self, inclusive: bool, body: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let start = self.out.len();
        self.val("size", &0u32)?;
        let body_start = if inclusive { start } else { self.out.len() };
        let result = body(self)?;
        let size = self.count(self.out.len() - body_start)?;
        if let Some(slot) = self.out.get_mut(start..) {
            size.put(slot);
        }
        Ok(result)
    }

    /// [`sized`](Self::sized) with a size that counts itself, or the size that was kept.
    pub fn sized_or_kept(
        &mut self,
        present: bool,
        kept: &Option<u32>,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        match kept {
            _ if !present => body(self),
            None => self.sized(true, body),
            Some(size) => {
                self.val("size", size)?;
                body(self)
            }
        }
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

    xfer! {
        impl Record for Geoset {
            fn xfer(self, x, version: u32) {
                let Geoset { vertices, faces, lod } = self;
                x.scope("geoset", Some(0), |x| x.sized(true, |x| {
                    x.tag(*b"VRTX")?;
                    x.counted("vertices", vertices)?;
                    x.tag(*b"PVTX")?;
                    x.counted("faces", faces)?;
                    if version >= 900 {
                        x.val("lod", lod)?;
                    }
                    Ok(())
                }))
            }
        }
    }

    fn written(version: u32) -> (Geoset, Vec<u8>) {
        let lod = if version >= 900 { -1 } else { 0 };
        let geoset = Geoset { vertices: vec![[1., 2., 3.]; 10], faces: (0..9).collect(), lod };
        let mut writer = WriteXfer::new();
        geoset.write(&mut writer, version).unwrap();
        (geoset, writer.into_bytes())
    }

    #[test]
    fn one_description_runs_both_ways() {
        for version in [800, 900] {
            let (geoset, bytes) = written(version);
            let mut back = Geoset::default();
            let mut reader = ReadXfer::new(&bytes, &Limits::default()).traced();
            back.read(&mut reader, version).unwrap();
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
                .read(&mut ReadXfer::new(&bytes[..cut], &Limits::default()), 900)
                .unwrap_err();
            assert!(error.offset().is_some(), "{error}");
            assert!(error.path().starts_with("geoset[0]"), "{error}");
        }
    }

    #[test]
    fn bytes_left_over_in_a_sized_body_are_an_error() {
        let (_, bytes) = written(900);
        let error = Geoset::default().read(&mut ReadXfer::new(&bytes, &Limits::default()), 800).unwrap_err();
        assert_eq!(error.to_string(), "0x9E geoset[0]: expected all 162 bytes used, found 4 bytes left over");
    }

    #[test]
    fn a_wrong_tag_names_both() {
        let (_, mut bytes) = written(800);
        bytes[4] = b'?';
        let error = Geoset::default().read(&mut ReadXfer::new(&bytes, &Limits::default()), 800).unwrap_err();
        assert_eq!(error.to_string(), "0x4 geoset[0]: expected \"VRTX\", found \"?RTX\"");
    }

    #[test]
    fn lists_end_with_their_scope_or_their_count() {
        let (geoset, bytes) = written(900);
        let twice = [bytes.clone(), bytes].concat();
        let mut part = Part::default();
        let mut items: Vec<Geoset> = Vec::new();
        ReadXfer::new(&twice, &Limits::default()).list("geosets", &mut items, &mut part, 900).unwrap();
        assert_eq!((part.count, &items[1]), (2, &geoset));
        let mut one = Part { announced: Some(1), ..Part::default() };
        let mut reader = ReadXfer::new(&twice, &Limits::default());
        reader.list("geosets", &mut items, &mut one, 900).unwrap();
        assert_eq!((one.start, one.count, items.len(), reader.left()), (2, 1, 3, twice.len() / 2));
        let mut out = WriteXfer::new().placed();
        out.list("geosets", &items, &mut Part { start: 1, count: 2, announced: None }, 900).unwrap();
        assert_eq!(out.into_starts(), [("geosets", 0), ("geosets", twice.len() as u32 / 2)]);
    }

    #[test]
    fn a_wrong_reading_can_be_taken_back() {
        let (_, bytes) = written(900);
        let mut reader = ReadXfer::new(&bytes, &Limits::default()).traced();
        let mark = reader.mark();
        assert!(Geoset::default().read(&mut reader, 800).is_err());
        reader.rewind(mark);
        Geoset::default().read(&mut reader, 900).unwrap();
        let coverage = reader.into_coverage();
        assert!(coverage.gaps(bytes.len()).is_empty() && coverage.overlaps(1).is_empty());
    }
}
