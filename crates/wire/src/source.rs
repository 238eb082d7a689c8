//! Offset-based reading: a [`Source`] per file, and `Copy` [`Reader`]s into it that claim what they hand out.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::bits::Bits;
use crate::coverage::{Rows, between};
use crate::{Claim, Coverage, Error, ErrorKind, Field, Limits, Result, Wire};

/// The bytes of one file together with what reading them has claimed and spent so far.
#[derive(Debug)]
pub struct Source<'a> {
    data: &'a [u8],
    /// As much of it as 32-bit offsets reach.
    reach: &'a [u8],
    limits: Limits,
    coverage: RefCell<Coverage>,
    /// Which bytes were claimed, where nobody asks by what.
    claimed: Option<RefCell<Ranges>>,
    /// The last claims, as long as each began where the one before ended; not yet among `claimed` and `claimed_bytes`.
    run: Cell<(usize, usize)>,
    claimed_bytes: Cell<u64>,
    visited: RefCell<Visited>,
    /// Scopes opened so far, where nobody asks for them.
    entered: Cell<u32>,
    left: Cell<u64>,
}

/// Places that were visited. Most files lead from one place to a later one: those need no set.
#[derive(Debug, Default)]
struct Visited {
    /// Each later than the one before.
    ascending: Vec<usize>,
    others: Bits,
}

/// Ranges of places. Readers go through most files in a few long runs: those need no set.
#[derive(Debug, Default)]
struct Ranges {
    /// In the order they came, at most [`Ranges::FEW`].
    runs: Vec<Range<usize>>,
    /// All of them, if they are more.
    all: Bits,
}

impl Ranges {
    const FEW: usize = 512;

    /// Adds a range of the places below `len`.
    fn add(&mut self, range: Range<usize>, len: usize) {
        if self.runs.len() < Self::FEW {
            self.runs.push(range);
            return;
        }
        if self.all.is_empty() {
            self.runs.iter().for_each(|run| self.all.set(run.start, run.end, len));
        }
        self.all.set(range.start, range.end, len);
    }

    /// Returns the ranges below `len` that are not in it.
    fn gaps(&self, len: usize) -> Vec<Range<usize>> {
        if !self.all.is_empty() {
            return self.all.gaps(len);
        }
        let mut runs = self.runs.clone();
        runs.sort_unstable_by_key(|run| run.start);
        between(runs, len)
    }
}

impl Visited {
    /// Adds a place below `len`; says whether it is new.
    #[inline]
    fn insert(&mut self, at: usize, len: usize) -> bool {
        if self.ascending.last().is_none_or(|last| at > *last) {
            self.ascending.push(at);
            return true;
        }
        self.insert_other(at, len)
    }

    #[inline(never)]
    fn insert_other(&mut self, at: usize, len: usize) -> bool {
        self.ascending.binary_search(&at).is_err() && self.others.insert(at, len)
    }
}

impl<'a> Source<'a> {
    /// Starts reading these bytes under these limits.
    pub fn new(data: &'a [u8], limits: &Limits) -> Self {
        Source {
            data,
            reach: data.get(..u32::MAX as usize).unwrap_or(data),
            limits: *limits,
            coverage: RefCell::default(),
            claimed: None,
            run: Cell::new((0, 0)),
            claimed_bytes: Cell::new(0),
            visited: RefCell::default(),
            entered: Cell::new(0),
            left: Cell::new(limits.budget(data.len())),
        }
    }

    /// Keeps only which bytes are claimed, not by what: several times faster for files of many small parts. Scopes are
    /// counted but not kept, so errors carry no path: whoever wants it reads again with names.
    #[must_use]
    pub fn unnamed(mut self) -> Self {
        self.claimed = Some(RefCell::default());
        self
    }

    /// Returns the sum of the lengths of all claims. More than the bytes outside of gaps if claims overlap.
    pub fn claimed(&self) -> u64 {
        let (start, end) = self.run.get();
        self.claimed_bytes.get() + (end - start) as u64
    }

    /// Ends the run of claims, and begins another.
    fn run_ends(&self, ranges: &RefCell<Ranges>, next: (usize, usize)) {
        let (start, end) = self.run.replace(next);
        if start < end {
            self.claimed_bytes.set(self.claimed_bytes.get() + (end - start) as u64);
            ranges.borrow_mut().add(start..end, self.data.len());
        }
    }

    /// Returns the unclaimed ranges with their bytes, as a document keeps them.
    pub fn keep_gaps(&self) -> Vec<crate::Gap> {
        let keep = |range: Range<usize>| {
            let offset = u32::try_from(range.start).ok()?;
            Some(crate::Gap { offset, bytes: self.data.get(range)?.to_vec() })
        };
        self.gaps().into_iter().filter_map(keep).collect()
    }

    /// Returns a reader at the top of the document.
    pub fn reader(&self) -> Reader<'_> {
        Reader { source: self, scope: Scope::new(Claim::ROOT, 0) }
    }

    /// Returns the bytes.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Returns the ranges that nobody has claimed so far.
    pub fn gaps(&self) -> Vec<Range<usize>> {
        match &self.claimed {
            Some(ranges) => {
                self.run_ends(ranges, (0, 0));
                ranges.borrow().gaps(self.data.len())
            }
            None => self.coverage.borrow().gaps(self.data.len()),
        }
    }

    /// Returns the claims, after reading.
    pub fn into_coverage(self) -> Coverage {
        self.coverage.into_inner()
    }
}

/// A handle into a [`Source`]: cheap to copy, knows the scope it reads for, so that errors carry their path.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    source: &'a Source<'a>,
    scope: Scope,
}

/// The claim of a scope and how deep it is nested; as one number, so that readers are handed on in registers.
#[derive(Debug, Clone, Copy)]
struct Scope(u64);

impl Scope {
    fn new(claim: u32, depth: u32) -> Self {
        Scope(u64::from(depth) << 32 | u64::from(claim))
    }

    fn claim(self) -> u32 {
        self.0 as u32
    }

    fn depth(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl<'a> Reader<'a> {
    /// Returns all bytes of the file.
    pub fn data(&self) -> &'a [u8] {
        self.source.data
    }

    /// Returns the length of the file.
    pub fn len(&self) -> usize {
        self.source.data.len()
    }

    /// Returns `true` if the file is empty.
    pub fn is_empty(&self) -> bool {
        self.source.data.is_empty()
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &Limits {
        &self.source.limits
    }

    /// Opens a scope: what the returned reader claims belongs to `name`, or `name[index]`.
    ///
    /// Fails when scopes nest deeper or number more than the limits allow.
    #[inline(always)]
    pub fn enter(self, name: &'static str, index: Option<usize>, at: usize) -> Result<Reader<'a>> {
        let depth = self.scope.depth();
        if depth >= self.source.limits.depth {
            return Err(self.error(ErrorKind::Limit("depth"), at, name));
        }
        let entered = self.source.entered.get();
        let unnamed = self.source.claimed.is_some();
        let count = if unnamed { entered as usize } else { self.source.coverage.borrow().claims().len() };
        if count as u64 >= u64::from(self.source.limits.nodes) {
            return Err(self.error(ErrorKind::Limit("nodes"), at, name));
        }
        self.source.entered.set(entered + 1);
        let claim = if unnamed { Claim::ROOT } else { self.open(name, index, at) };
        Ok(Reader { source: self.source, scope: Scope::new(claim, depth + 1) })
    }

    #[cold]
    fn open(self, name: &'static str, index: Option<usize>, at: usize) -> u32 {
        let claim = Claim::scope(name, index, at, self.scope.claim());
        self.source.coverage.borrow_mut().push(claim)
    }

    /// Returns `true` if claims are kept with their names; otherwise names need not be found.
    #[inline]
    pub fn keeps_names(&self) -> bool {
        self.source.claimed.is_none()
    }

    /// Names this reader's scope by the text written at that place in the file.
    #[inline]
    pub fn label(&self, at: usize, len: usize) {
        if self.keeps_names() {
            self.put_label(at, len);
        }
    }

    #[cold]
    fn put_label(&self, at: usize, len: usize) {
        if let Some(claim) = self.source.coverage.borrow_mut().get_mut(self.scope.claim())
            && let (Ok(at), Ok(len)) = (u32::try_from(at), u32::try_from(len))
        {
            claim.label = (at, len);
        }
    }

    /// Returns the bytes at a place, without claiming them; `None` past the end.
    pub fn peek(&self, at: usize, len: usize) -> Option<&'a [u8]> {
        self.source.data.get(at..)?.get(..len)
    }

    /// Returns a value at a place, without claiming its bytes; `None` past the end.
    pub fn peek_at<T: Wire>(&self, at: usize) -> Option<T> {
        Some(T::get(self.peek(at, T::SIZE)?))
    }

    #[inline(always)]
    fn claim(&self, at: usize, len: usize, name: &'static str, schema: Option<&'static crate::Schema>) {
        // The range lies inside the data, as far as 32 bits reach: `slice` has seen to that.
        if len == 0 {
            return;
        }
        let (start, end) = self.source.run.get();
        if at == end && self.source.claimed.is_some() {
            self.source.run.set((start, at + len));
        } else {
            self.claim_apart(at, len, name, schema);
        }
    }

    /// Records a claim that does not continue the one before.
    #[inline(never)]
    fn claim_apart(&self, at: usize, len: usize, name: &'static str, schema: Option<&'static crate::Schema>) {
        if let Some(ranges) = &self.source.claimed {
            self.source.run_ends(ranges, (at, at + len));
            return;
        }
        self.source.claimed_bytes.set(self.source.claimed_bytes.get() + len as u64);
        self.source.coverage.borrow_mut().push(Claim {
            start: at as u32,
            end: (at + len) as u32,
            name,
            index: Claim::NO_INDEX,
            label: (0, 0),
            schema,
            parent: self.scope.claim(),
        });
    }

    #[inline(always)]
    fn slice(&self, at: usize, count: usize, size: usize, name: &'static str) -> Result<&'a [u8]> {
        match count.checked_mul(size).and_then(|len| self.source.reach.get(at..)?.get(..len)) {
            Some(found) => Ok(found),
            None => Err(self.truncated(at, count, size, name)),
        }
    }

    #[cold]
    fn truncated(&self, at: usize, count: usize, size: usize, name: &'static str) -> Error {
        let have = self.source.reach.len().saturating_sub(at) as u64;
        self.error(ErrorKind::Truncated { count: count as u64, size: size as u64, have }, at, name)
    }

    /// Claims and returns raw bytes.
    pub fn bytes(&self, at: usize, len: usize, name: &'static str) -> Result<&'a [u8]> {
        let found = self.slice(at, len, 1, name)?;
        self.claim(at, len, name, Some(u8::SCHEMA));
        Ok(found)
    }

    /// Claims and returns raw bytes, for the inspector as items of this shape.
    pub fn bytes_as(
        &self,
        at: usize,
        len: usize,
        name: &'static str,
        schema: &'static crate::Schema,
    ) -> Result<&'a [u8]> {
        let found = self.slice(at, len, 1, name)?;
        self.claim(at, len, name, Some(schema));
        Ok(found)
    }

    /// Claims and decodes one record.
    #[inline]
    pub fn at<T: Wire>(&self, at: usize, name: &'static str) -> Result<T> {
        let found = self.slice(at, 1, T::SIZE, name)?;
        self.claim(at, T::SIZE, name, Some(T::SCHEMA));
        Ok(T::get(found))
    }

    /// Claims and decodes `count` records that follow each other.
    ///
    /// The bytes are known to be there, and the budget to suffice, before anything is allocated.
    pub fn array<T: Wire>(&self, at: usize, count: usize, name: &'static str) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let found = self.slice(at, count, T::SIZE, name)?;
        self.spend(count as u64 * size_of::<T>() as u64, at, name)?;
        self.claim(at, found.len(), name, Some(T::SCHEMA));
        // Not `collect`: that is compiled as a function of its own, which does not know the size of a chunk and moves one
        // value at a time.
        let mut out = vec![T::ZERO; count];
        T::get_all(found, &mut out);
        Ok(out)
    }

    /// Claims `count` records that follow each other and returns their bytes, for callers that decode them on their own.
    #[inline(always)]
    pub fn raw<T: Wire>(&self, at: usize, count: usize, name: &'static str) -> Result<&'a [u8]> {
        let found = self.slice(at, count, T::SIZE, name)?;
        self.claim(at, found.len(), name, Some(T::SCHEMA));
        Ok(found)
    }

    /// Claims records of one kind and then some of another, each with place, count and name, and returns their bytes. As fast
    /// as once [`Reader::raw`] where the others follow the first.
    #[inline(always)]
    pub fn raw_both<A: Wire, B: Wire>(
        &self,
        (at, count, name): (usize, usize, &'static str),
        (next, next_count, next_name): (usize, usize, &'static str),
    ) -> Result<(&'a [u8], &'a [u8])> {
        if self.source.claimed.is_some()
            && let Some(len) = count.checked_mul(A::SIZE)
            && let Some(next_len) = next_count.checked_mul(B::SIZE)
            && at.checked_add(len) == Some(next)
            && let Some(both) = self.source.reach.get(at..).and_then(|rest| rest.get(..len + next_len))
            && let Some(parts) = both.split_at_checked(len)
        {
            self.claim(at, both.len(), name, Some(A::SCHEMA));
            return Ok(parts);
        }
        Ok((self.raw::<A>(at, count, name)?, self.raw::<B>(next, next_count, next_name)?))
    }

    /// Claims `count` rows of `size` bytes each, whose layout only the file knows, and returns their bytes. `columns` tells
    /// the inspector what a row holds.
    pub fn rows(
        &self,
        at: usize,
        count: usize,
        size: usize,
        name: &'static str,
        columns: impl FnOnce() -> Vec<Field>,
    ) -> Result<&'a [u8]> {
        let found = self.slice(at, count, size, name)?;
        if self.source.claimed.is_some() || found.is_empty() {
            self.claim(at, found.len(), name, Some(u8::SCHEMA));
            return Ok(found);
        }
        self.source.claimed_bytes.set(self.source.claimed_bytes.get() + found.len() as u64);
        let claim = Claim {
            start: at as u32,
            end: (at + found.len()) as u32,
            name,
            index: Claim::NO_INDEX,
            label: (0, 0),
            schema: Some(u8::SCHEMA),
            parent: self.scope.claim(),
        };
        self.source.coverage.borrow_mut().push_rows(claim, Rows { size, columns: columns() });
        Ok(found)
    }

    /// Claims the text up to and including the next NUL, and returns it without the NUL.
    pub fn cstr(&self, at: usize, name: &'static str) -> Result<&'a [u8]> {
        let text = self.peek_cstr(at, name)?;
        self.bytes(at, text.len() + 1, name)?;
        Ok(text)
    }

    /// Returns the text up to the next NUL, without claiming it.
    pub fn peek_cstr(&self, at: usize, name: &'static str) -> Result<&'a [u8]> {
        let tail = self.source.data.get(at..).unwrap_or(&[]);
        let Some(len) = tail.iter().position(|b| *b == 0) else {
            let want = "text that ends with NUL".into();
            return Err(self.error(
                ErrorKind::Mismatch { want, found: "the end of the file".into() },
                at,
                name,
            ));
        };
        Ok(tail.get(..len).unwrap_or(tail))
    }

    /// Returns the ranges of the file that nobody has claimed so far, so that a document can keep and name them.
    pub fn unclaimed(&self) -> Vec<Range<usize>> {
        self.source.coverage.borrow().gaps(self.len())
    }

    /// Returns `true` if a byte has been claimed twice so far, so that changing one field would change another.
    pub fn has_overlaps(&self) -> bool {
        !self.source.coverage.borrow().overlaps(1).is_empty()
    }

    /// Takes bytes off the allocation budget, before the caller allocates them.
    #[inline]
    pub fn spend(&self, bytes: u64, at: usize, name: &'static str) -> Result<()> {
        match self.source.left.get().checked_sub(bytes) {
            Some(left) => {
                self.source.left.set(left);
                Ok(())
            }
            None => Err(self.error(ErrorKind::Limit("decoded bytes"), at, name)),
        }
    }

    /// Marks a place as visited; fails if it was visited before. Keeps offset graphs trees.
    #[inline]
    pub fn visit(&self, at: usize, name: &'static str) -> Result<()> {
        // What lies outside the file cannot be read, so it needs no mark.
        let fresh = at >= self.len() || self.source.visited.borrow_mut().insert(at, self.len());
        if fresh { Ok(()) } else { Err(self.error(ErrorKind::Cycle, at, name)) }
    }

    /// Returns an error at a place, with the path of this reader's scope and `name` as the last step.
    #[cold]
    pub fn error(&self, kind: ErrorKind, at: usize, name: &'static str) -> Error {
        let path = self.source.coverage.borrow().path(self.scope.claim(), self.source.data);
        Error::at(kind, at).within(name).within(path)
    }

    /// Returns a [`ErrorKind::Mismatch`] error.
    #[cold]
    pub fn mismatch(
        &self,
        at: usize,
        name: &'static str,
        want: impl Into<std::borrow::Cow<'static, str>>,
        found: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Error {
        self.error(ErrorKind::Mismatch { want: want.into(), found: found.into() }, at, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_carry_offset_and_path() {
        let data = *b"....torso\0";
        let source = Source::new(&data, &Limits::default());
        let node = source.reader().enter("nodes", Some(7), 0).unwrap();
        node.label(4, 5);
        let mesh = node.enter("mesh", None, 0).unwrap();
        let error = mesh.array::<[f32; 3]>(4, 1200, "vertices").unwrap_err();
        assert_eq!(
            error.to_string(),
            "0x4 nodes[7] \"torso\" > mesh > vertices: 1200 x 12 bytes needs 14400, have 6"
        );
    }

    #[test]
    fn gaps_are_what_nobody_claimed() {
        let data = [0; 20];
        let source = Source::new(&data, &Limits::default());
        source.reader().at::<u32>(2, "a").unwrap();
        source.reader().at::<u32>(6, "b").unwrap();
        source.reader().bytes_as(12, 3, "c", <[u8; 3]>::SCHEMA).unwrap();
        assert_eq!(source.into_coverage().gaps(20), [0..2, 10..12, 15..20]);
    }

    #[test]
    fn sharing_a_range_is_an_overlap_and_costs_budget() {
        let data = [0; 64];
        let limits = Limits { ratio: 1, base_allowance: 0, ..Limits::default() };
        let source = Source::new(&data, &limits);
        let reader = source.reader();
        reader.array::<u32>(0, 12, "a").unwrap();
        assert_eq!(*reader.array::<u32>(16, 12, "b").unwrap_err().kind(), ErrorKind::Limit("decoded bytes"));
        assert!(!reader.has_overlaps());
        assert_eq!(reader.unclaimed().first(), Some(&(48..64)));
        reader.array::<u32>(44, 4, "c").unwrap();
        assert!(reader.has_overlaps());
        assert_eq!(source.into_coverage().overlaps(10).len(), 1);
    }

    #[test]
    fn unnamed_claims_leave_the_same_gaps() {
        let data: Vec<u8> = (0..1000).map(|i| i as u8).collect();
        let (named, unnamed) =
            (Source::new(&data, &Limits::default()), Source::new(&data, &Limits::default()).unnamed());
        for (at, len) in
            [(3, 1), (0, 2), (60, 8), (127, 1), (128, 64), (192, 64), (300, 500), (310, 5), (999, 1)]
        {
            for source in [&named, &unnamed] {
                source.reader().bytes(at, len, "x").unwrap();
            }
        }
        assert_eq!(named.gaps(), unnamed.gaps());
        assert_eq!(named.keep_gaps(), unnamed.keep_gaps());
        assert_eq!(unnamed.claimed(), 1 + 2 + 8 + 1 + 64 + 64 + 500 + 5 + 1);
        assert!(unnamed.into_coverage().claims().is_empty());
    }

    #[test]
    fn a_place_is_visited_once() {
        let data = [0; 8];
        let source = Source::new(&data, &Limits::default());
        for at in [4, 2, 6, 5] {
            source.reader().visit(at, "child").unwrap();
        }
        for at in [2, 4, 5, 6] {
            assert_eq!(*source.reader().visit(at, "child").unwrap_err().kind(), ErrorKind::Cycle);
        }
    }

    #[test]
    fn wild_counts_fail_before_allocating() {
        let source = Source::new(&[0; 8], &Limits::default());
        for count in [3, usize::MAX / 4, usize::MAX] {
            assert!(source.reader().array::<u32>(0, count, "n").is_err());
            assert!(source.reader().array::<u32>(usize::MAX - 2, count, "n").is_err());
        }
    }

    #[test]
    fn rows_and_raw_records_are_claimed_and_checked() {
        let data = [7; 20];
        let source = Source::new(&data, &Limits::default());
        assert_eq!(source.reader().raw::<u16>(2, 3, "raw").unwrap(), [7; 6]);
        assert_eq!(source.reader().rows(8, 2, 5, "rows", Vec::new).unwrap().len(), 10);
        assert_eq!(source.gaps(), [0..2, 18..20]);
        let error = source.reader().rows(8, 3, 5, "rows", Vec::new).unwrap_err();
        assert_eq!(error.to_string(), "0x8 rows: 3 x 5 bytes needs 15, have 12");
        assert!(source.reader().rows(8, usize::MAX, 5, "rows", Vec::new).is_err());
    }

    #[test]
    fn depth_is_limited() {
        let source = Source::new(&[], &Limits { depth: 3, ..Limits::default() });
        let mut reader = source.reader();
        for _ in 0..3 {
            reader = reader.enter("n", None, 0).unwrap();
        }
        assert_eq!(*reader.enter("n", None, 0).unwrap_err().kind(), ErrorKind::Limit("depth"));
    }
}
