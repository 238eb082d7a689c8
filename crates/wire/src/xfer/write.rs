//! Writing variable records.

use super::{Part, Record};
use crate::{Error, ErrorKind, Result, Text, Wire};

/// A writer of variable records.
#[derive(Debug, Default)]
pub struct WriteXfer {
    out: Vec<u8>,
    starts: Option<Vec<(&'static str, u32)>>,
}

impl WriteXfer {
    /// Whether values flow from bytes into the record.
    pub const READING: bool = false;

    /// Returns an empty output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty output with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        WriteXfer { out: Vec::with_capacity(bytes), starts: None }
    }

    /// Also records where each item of each list begins.
    #[must_use]
    pub fn placed(mut self) -> Self {
        self.starts = Some(Vec::new());
        self
    }

    /// Returns the bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Returns where each item of each list begins, by the list's name, in the order of writing; empty unless
    /// [`placed`](Self::placed).
    pub fn into_starts(self) -> Vec<(&'static str, u32)> {
        self.starts.unwrap_or_default()
    }

    /// Returns the position from the start of the file.
    pub fn pos(&self) -> usize {
        self.out.len()
    }

    /// Returns the largest number, since output has no limit.
    pub fn left(&self) -> usize {
        usize::MAX
    }

    /// Returns an error with no place: nothing was read.
    #[cold]
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, crate::Place::Nowhere)
    }

    /// Returns a length as the 32 bits that stand for it on disk.
    pub fn count(&self, len: usize) -> Result<u32> {
        u32::try_from(len)
            .map_err(|_| self.error(ErrorKind::Unrepresentable(format!("{len} items are too many").into())))
    }

    /// Writes one value.
    #[inline]
    pub fn val<T: Wire>(&mut self, _: &'static str, value: &T) -> Result<()> {
        crate::put_array(&mut self.out, std::slice::from_ref(value));
        Ok(())
    }

    /// Writes one value that follows from the others.
    pub fn derived<T: Wire>(&mut self, name: &'static str, value: T) -> Result<T> {
        self.val(name, &value)?;
        Ok(value)
    }

    /// Writes a text field that names the innermost scope.
    pub fn name<const N: usize>(&mut self, name: &'static str, value: &Text<N>) -> Result<()> {
        self.val(name, value)
    }

    /// Writes all values, which must be `count`.
    pub fn array<T: Wire>(&mut self, name: &'static str, values: &[T], count: usize) -> Result<()> {
        if values.len() != count {
            let what = format!("{name}: {} where the rest of the record asks for {count}", values.len());
            return Err(self.error(ErrorKind::Unrepresentable(what.into())));
        }
        crate::put_array(&mut self.out, values);
        Ok(())
    }

    /// Writes values that are kept as something else.
    pub fn encode<T: Wire>(&mut self, values: impl ExactSizeIterator<Item = T>) {
        let at = self.out.len();
        self.out.resize(at + values.len() * T::SIZE, 0);
        if let Some(tail) = self.out.get_mut(at..) {
            tail.chunks_exact_mut(T::SIZE).zip(values).for_each(|(slot, value)| value.put(slot));
        }
    }

    /// Writes a `u32` count, then so many values.
    pub fn counted<T: Wire>(&mut self, name: &'static str, values: &[T]) -> Result<()> {
        let count = self.count(values.len())?;
        self.val("count", &count)?;
        self.array(name, values, values.len())
    }

    /// Writes a `u32` count, then the values as they are on disk; an error if one of them cannot be.
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

    /// Writes a `u32` size in bytes, then the values.
    pub fn counted_bytes<T: Wire>(&mut self, name: &'static str, values: &[T]) -> Result<()> {
        let size = self.count(values.len().saturating_mul(T::SIZE))?;
        self.val("count", &size)?;
        self.array(name, values, values.len())
    }

    /// Writes the values of this part of the list.
    pub fn fill<T: Wire>(&mut self, _: &'static str, values: &[T], part: &mut Part) -> Result<()> {
        crate::put_array(&mut self.out, part.of(values));
        Ok(())
    }

    /// Writes the bytes.
    pub fn rest(&mut self, name: &'static str, bytes: &[u8]) -> Result<()> {
        self.array(name, bytes, bytes.len())
    }

    /// Writes the tag.
    pub fn tag(&mut self, tag: [u8; 4]) -> Result<()> {
        self.val("tag", &tag)
    }

    /// Returns `true` if a part that begins with this tag comes next, which the caller decides.
    pub fn comes(&self, _: [u8; 4], present: bool) -> bool {
        present
    }

    /// Does nothing: writing determines nothing.
    pub fn note<T>(&self, _: &T, _: T) {}

    /// Writes a tag, a `u32` count and the values, if there are any. The count is in bytes if `in_bytes`.
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

    /// Writes a record, if there is one.
    pub fn maybe<T: Record>(&mut self, _: [u8; 4], item: &Option<T>, context: T::Context) -> Result<()> {
        item.as_ref().map_or(Ok(()), |item| item.write(self, context))
    }

    /// Writes the number of items of a chunk.
    pub fn announce(&mut self, part: &mut Part) -> Result<()> {
        let count = self.count(part.count)?;
        self.val("count", &count)
    }

    /// Writes the records of this part of the list.
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

    /// Writes all items, which must be `count`.
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

    /// Writes one record.
    pub fn record<T: Record>(&mut self, item: &T, context: T::Context) -> Result<()> {
        item.write(self, context)
    }

    /// Writes one record that only some files have; its defaults where there is none.
    pub fn boxed<T: Record>(&mut self, item: &Option<Box<T>>, context: T::Context) -> Result<()> {
        match item {
            Some(item) => item.write(self, context),
            None => T::default().write(self, context),
        }
    }

    /// Runs `body` in a scope with a name.
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

    /// Writes a `u32` size, which includes itself if `inclusive`, then a body of that size.
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

    /// Writes [`sized`](Self::sized) with a size that counts itself, or the size that was kept.
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
