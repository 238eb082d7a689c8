//! Variable records: one description, run in both directions.
//!
//! A chunk format describes each record once with [`xfer!`](crate::xfer). The description is compiled twice: against
//! [`ReadXfer`], which fills the record from bytes, and against [`WriteXfer`], which appends the bytes of a record it only
//! borrows. Both have the same methods. Sizes are checked when reading and patched when writing.

mod read;
mod write;

pub use read::{Mark, ReadXfer};
pub use write::WriteXfer;

use crate::Result;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

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
