//! Accessors: numbers of any component type, interleaved or sparse, as plain lists.

use std::cell::Cell;

use galatea_scene::Value;
use galatea_wire::{Error, ErrorKind, Limits, Result};

use crate::buffers::Buffers;
use crate::json::print;

/// A document that is being read: its JSON, its buffers, and how much may still be decoded.
pub(crate) struct Document<'a> {
    pub(crate) root: &'a Value,
    pub(crate) buffers: Buffers<'a>,
    /// Offset of the JSON, which is the offset of errors in it.
    pub(crate) place: usize,
    /// The top-level lists, so that finding one takes constant time.
    lists: [(&'static str, &'a [Value]); LISTS.len()],
    limits: Limits,
    budget: Cell<u64>,
}

/// The top-level lists of a document.
const LISTS: [&str; 13] = [
    "accessors",
    "animations",
    "bufferViews",
    "buffers",
    "cameras",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "scenes",
    "skins",
    "textures",
];

/// Lists whose entries are referred to, and so visited, many times.
const SHARED: [&str; 4] = ["accessors", "bufferViews", "samplers", "textures"];

/// Most members of an object in one of those lists. The specification has names for ten.
const MEMBERS: usize = 1000;

/// Returns an error for an object with so many members that finding one takes long.
pub(crate) fn few_members(place: usize, value: &Value) -> Result<()> {
    let inner = [value.get("extensions"), value.get("sparse")];
    let few = |v: &Value| v.as_object().is_none_or(|object| object.len() <= MEMBERS);
    if few(value) && inner.into_iter().flatten().all(few) {
        return Ok(());
    }
    Err(Error::at(ErrorKind::Limit("members of an object"), place))
}

/// Returns an error at the start of the JSON; the caller adds the path.
pub(crate) fn wrong(place: usize, want: &'static str, found: impl std::fmt::Display) -> Error {
    Error::at(ErrorKind::Mismatch { want: want.into(), found: found.to_string().into() }, place)
}

/// Returns an integer, which may be written with a point or an exponent.
pub(crate) fn whole(value: &Value) -> Option<usize> {
    if let Some(int) = value.as_u64() {
        return usize::try_from(int).ok();
    }
    let float = value.as_f64()?;
    (float >= 0.0 && float.fract() == 0.0 && float < 9e15).then_some(float as usize)
}

struct Layout<'a> {
    bytes: &'a [u8],
    stride: usize,
}

/// The description of an accessor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    code: usize,
    pub(crate) width: usize,
    pub(crate) count: usize,
    normalized: bool,
}

impl Kind {
    fn size(self) -> usize {
        match self.code {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        }
    }

    /// Returns the bytes of one element. Small matrices, whose columns are padded, are never read.
    fn element(self) -> usize {
        self.size() * self.width
    }
}

/// Bytes become numbers of 32 bits, so a valid file may grow fourfold.
const GROWTH: u64 = 4;

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Value, place: usize, input: usize, limits: &Limits) -> Result<Self> {
        let list = |key| (key, root.get(key).and_then(Value::as_array).map_or(&[][..], |l| l));
        let lists = LISTS.map(list);
        for (key, list) in lists.iter().filter(|(key, _)| SHARED.contains(key)) {
            for (i, value) in list.iter().enumerate() {
                few_members(place, value).map_err(|e| e.within(format!("{key}[{i}]")))?;
            }
        }
        let document = Document {
            root,
            buffers: Buffers::default(),
            place,
            lists,
            limits: *limits,
            budget: Cell::new(0),
        };
        document.earn(input);
        document
            .budget
            .set(document.budget.get().saturating_add(limits.base_allowance.saturating_mul(GROWTH)));
        Ok(document)
    }

    /// Returns a top-level list; empty if there is none.
    pub(crate) fn list(&self, key: &str) -> &'a [Value] {
        self.lists.iter().find(|(name, _)| *name == key).map_or(&[], |(_, list)| list)
    }

    /// Adds the budget for bytes of input.
    pub(crate) fn earn(&self, input: usize) {
        let more = (input as u64).saturating_mul(u64::from(self.limits.ratio)).saturating_mul(GROWTH);
        self.budget.set(self.budget.get().saturating_add(more));
    }

    /// Returns an index in an object, checked against the list it refers to.
    pub(crate) fn index(&self, of: &Value, key: &'static str, list: &'static str) -> Result<Option<usize>> {
        let Some(value) = of.get(key) else { return Ok(None) };
        let len = self.list(list).len();
        match whole(value).filter(|i| *i < len) {
            Some(index) => Ok(Some(index)),
            None => {
                Err(wrong(self.place, "an index into a list", format!("{} of {len} {list}", print(value)))
                    .within(key))
            }
        }
    }

    /// Charges for bytes that are about to be allocated, or for as much work.
    pub(crate) fn spend(&self, bytes: u64) -> Result<()> {
        match self.budget.get().checked_sub(bytes) {
            Some(left) => {
                self.budget.set(left);
                Ok(())
            }
            None => Err(Error::at(ErrorKind::Limit("decoded data"), self.place)),
        }
    }

    pub(crate) fn kind(&self, index: usize) -> Result<Kind> {
        let bad = |what: &'static str, key: &'static str, of: &Value| {
            wrong(self.place, what, print(of.get(key).unwrap_or(&Value::Null))).within(key)
        };
        let accessor = self.list("accessors").get(index).unwrap_or(&Value::Null);
        let code = accessor.get("componentType").and_then(whole);
        let code = code.filter(|c| matches!(c, 5120..=5123 | 5125 | 5126));
        let code = code.ok_or_else(|| bad("a component type", "componentType", accessor));
        let width = match accessor.get("type").and_then(Value::as_str) {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            Some("MAT2") => 4,
            Some("MAT3") => 9,
            Some("MAT4") => 16,
            _ => return Err(bad("an accessor type", "type", accessor).within(format!("accessors[{index}]"))),
        };
        let count = accessor.get("count").and_then(whole).ok_or_else(|| bad("a count", "count", accessor));
        let normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        let inside = |e: Error| e.within(format!("accessors[{index}]"));
        Ok(Kind { code: code.map_err(inside)?, width, count: count.map_err(inside)?, normalized })
    }

    /// Returns the bytes of a buffer view from an offset on.
    fn view(&self, of: &Value, key: &'static str) -> Result<Option<Layout<'_>>> {
        let Some(view) = self.index(of, key, "bufferViews")? else { return Ok(None) };
        let inside = |e: Error| e.within(format!("bufferViews[{view}]"));
        let value = self.list("bufferViews").get(view).unwrap_or(&Value::Null);
        let number = |of: &Value, key: &'static str, default: Option<usize>| match of.get(key) {
            Some(v) => whole(v).ok_or_else(|| wrong(self.place, "a number", print(v)).within(key)),
            None => default.ok_or_else(|| wrong(self.place, "a number", "nothing").within(key)),
        };
        let buffer = self.index(value, "buffer", "buffers").map_err(inside)?;
        let buffer = buffer.and_then(|b| self.buffers.get(b));
        let buffer =
            buffer.ok_or_else(|| inside(wrong(self.place, "a buffer", "nothing").within("buffer")))?;
        let offset = number(value, "byteOffset", Some(0)).map_err(inside)?;
        let length = number(value, "byteLength", None).map_err(inside)?;
        let bytes = buffer.get(offset..).and_then(|b| b.get(..length)).ok_or_else(|| {
            let have = buffer.len().saturating_sub(offset) as u64;
            inside(Error::at(ErrorKind::Truncated { count: 1, size: length as u64, have }, self.place))
        })?;
        let start = number(of, "byteOffset", Some(0))?;
        let rest = bytes.get(start..).ok_or_else(|| {
            let have = bytes.len() as u64;
            Error::at(ErrorKind::Truncated { count: 1, size: start as u64, have }, self.place)
                .within("byteOffset")
        })?;
        Ok(Some(Layout { bytes: rest, stride: number(value, "byteStride", Some(0)).map_err(inside)? }))
    }

    /// Returns a copy of the bytes of a buffer view, for images. Images may share a view, so every copy is charged for.
    pub(crate) fn copy_of_view(&self, of: &Value) -> Result<Option<Vec<u8>>> {
        let Some(layout) = self.view(of, "bufferView")? else { return Ok(None) };
        self.spend(layout.bytes.len() as u64)?;
        Ok(Some(layout.bytes.to_vec()))
    }

    /// Returns the numbers of an accessor. `each` converts the bytes of one number.
    fn numbers<T: Copy + Default>(
        &self,
        index: usize,
        fits: impl Fn(Kind) -> bool,
        each: impl Fn(Kind, &[u8]) -> T,
    ) -> Result<Vec<T>> {
        let inside = |e: Error| e.within(format!("accessors[{index}]"));
        let kind = self.kind(index)?;
        if !fits(kind) {
            let found = format!("component type {} in {} columns", kind.code, kind.width);
            return Err(inside(wrong(self.place, "numbers of another kind", found)));
        }
        let accessor = self.list("accessors").get(index).unwrap_or(&Value::Null);
        let total = (kind.count as u64).saturating_mul(kind.width as u64);
        let stored = self.view(accessor, "bufferView").map_err(inside)?.map(|l| (l.bytes.len(), l.stride));
        let element = kind.element();
        if let Some((len, stride)) = stored {
            let stride = if stride == 0 { element } else { stride };
            let need = (kind.count as u64).saturating_sub(1).saturating_mul(stride as u64);
            let need = if kind.count == 0 { 0 } else { need.saturating_add(element as u64) };
            if need > len as u64 {
                let error =
                    ErrorKind::Truncated { count: kind.count as u64, size: stride as u64, have: len as u64 };
                return Err(inside(Error::at(error, self.place)));
            }
        }
        self.spend(total.saturating_mul(std::mem::size_of::<T>() as u64)).map_err(inside)?;
        let mut out = Vec::new();
        match self.view(accessor, "bufferView").map_err(inside)? {
            Some(layout) => {
                out.reserve_exact(total as usize);
                let stride = if layout.stride == 0 { element } else { layout.stride };
                for row in 0..kind.count {
                    let row = layout.bytes.get(row * stride..).and_then(|b| b.get(..element)).unwrap_or(&[]);
                    out.extend(row.chunks_exact(kind.size()).map(|bytes| each(kind, bytes)));
                }
            }
            None => out.resize(total as usize, T::default()),
        }
        if let Some(sparse) = accessor.get("sparse") {
            self.sparse(sparse, kind, &mut out, &each).map_err(|e| inside(e.within("sparse")))?;
        }
        Ok(out)
    }

    fn sparse<T: Copy>(
        &self,
        sparse: &Value,
        kind: Kind,
        out: &mut [T],
        each: &impl Fn(Kind, &[u8]) -> T,
    ) -> Result<()> {
        let missing = |what| move || wrong(self.place, what, "nothing");
        let count = sparse.get("count").and_then(whole).ok_or_else(missing("a count"))?;
        let indices = sparse.get("indices").ok_or_else(missing("indices"))?;
        let values = sparse.get("values").ok_or_else(missing("values"))?;
        let size = match indices.get("componentType").and_then(whole) {
            Some(5121) => 1,
            Some(5123) => 2,
            Some(5125) => 4,
            _ => return Err(wrong(self.place, "an unsigned component type", "another").within("indices")),
        };
        let places = self.view(indices, "bufferView")?.ok_or_else(missing("a buffer view"))?;
        let data = self.view(values, "bufferView")?.ok_or_else(missing("a buffer view"))?;
        let element = kind.element();
        let fits = |layout: &Layout<'_>, size: usize| {
            (count as u64).saturating_mul(size as u64) <= layout.bytes.len() as u64
        };
        if !fits(&places, size) || !fits(&data, element) {
            let have = places.bytes.len().min(data.bytes.len()) as u64;
            let error = ErrorKind::Truncated { count: count as u64, size: element as u64, have };
            return Err(Error::at(error, self.place));
        }
        // There may be more sparse values than elements, and they may share a view with others.
        self.spend((count as u64).saturating_mul((size + element) as u64))?;
        let rows = places.bytes.chunks_exact(size).zip(data.bytes.chunks_exact(element.max(1))).take(count);
        for (place, row) in rows {
            let place = place.iter().rev().fold(0usize, |sum, b| sum << 8 | usize::from(*b));
            let Some(target) = out.get_mut(place * kind.width..).and_then(|o| o.get_mut(..kind.width)) else {
                return Err(wrong(self.place, "an index into the accessor", place).within("indices"));
            };
            for (slot, bytes) in target.iter_mut().zip(row.chunks_exact(kind.size())) {
                *slot = each(kind, bytes);
            }
        }
        Ok(())
    }

    /// Returns an accessor as floats, of this many columns.
    pub(crate) fn floats(&self, index: usize, width: usize) -> Result<Vec<f32>> {
        self.numbers(index, |k| k.width == width, read_float)
    }

    /// Returns an accessor as rows of this many numbers.
    pub(crate) fn rows<const N: usize>(&self, index: usize) -> Result<Vec<[f32; N]>> {
        let flat = self.floats(index, N)?;
        Ok(flat.as_chunks().0.to_vec())
    }

    /// Returns an accessor as integers.
    pub(crate) fn ints(&self, index: usize, width: usize) -> Result<Vec<u32>> {
        self.numbers(
            index,
            |k| k.width == width && k.code != 5126,
            |_, bytes| bytes.iter().rev().fold(0u32, |sum, b| sum << 8 | u32::from(*b)),
        )
    }
}

fn read_float(kind: Kind, bytes: &[u8]) -> f32 {
    let two = || bytes.first_chunk::<2>().copied().unwrap_or_default();
    let four = || bytes.first_chunk::<4>().copied().unwrap_or_default();
    let one = bytes.first().copied().unwrap_or(0);
    let (value, most) = match kind.code {
        5120 => (f32::from(one as i8), 127.0),
        5121 => (f32::from(one), 255.0),
        5122 => (f32::from(i16::from_le_bytes(two())), 32767.0),
        5123 => (f32::from(u16::from_le_bytes(two())), 65535.0),
        5125 => (u32::from_le_bytes(four()) as f32, u32::MAX as f32),
        _ => return f32::from_le_bytes(four()),
    };
    if kind.normalized { (value / most).max(-1.0) } else { value }
}
