//! Differences between two textures, in the words of their records.

use galatea_wire::{Differences, Limits, escape};

use crate::bioware::BiowareDds;
use crate::blp::{Blp, Head};
use crate::dds::Dds;
use crate::ftex::Ftex;
use crate::tpc::Tpc;
use crate::wesys::Wesys;
use crate::{Texture, Txi};

macro_rules! differences_of {
    ($($type:ty)*) => {$(
        impl $type {
            /// Returns the differences from another document, in the format's words; empty if both mean the same.
            pub fn differences(&self, other: &Self) -> Vec<String> {
                Differences::collect(|out| self.compare(other, out))
            }
        }
    )*};
}
differences_of!(BiowareDds Blp Dds Ftex Texture Tpc Wesys);

impl BiowareDds {
    pub(crate) fn compare(&self, other: &Self, out: &mut Differences) {
        out.record(&self.head, &other.head, &[]);
        levels(out, "levels", &self.levels, &other.levels);
    }
}

impl Blp {
    pub(crate) fn compare(&self, other: &Self, out: &mut Differences) {
        match (&self.head, &other.head) {
            (Head::Old(a), Head::Old(b)) => out.record(a, b, &[]),
            (Head::New(a), Head::New(b)) => out.record(a, b, &[]),
            _ => out.line("magic: different versions"),
        }
        out.bytes("jpeg_header", &self.jpeg_header, &other.jpeg_header);
        out.bytes("palette", self.palette.as_flattened(), other.palette.as_flattened());
        levels(out, "mips", &self.mips, &other.mips);
    }
}

impl Dds {
    pub(crate) fn compare(&self, other: &Self, out: &mut Differences) {
        out.record(&self.head, &other.head, &["reserved", "reserved2", "caps3", "caps4", "pitch"]);
        out.part("dx10", self.dx10.as_ref(), other.dx10.as_ref(), |out, a, b| out.record(a, b, &[]));
        levels(out, "levels", &self.levels, &other.levels);
        out.bytes("tail", &self.tail, &other.tail);
    }
}

impl Ftex {
    /// Ignores hashes and how levels are packed.
    pub(crate) fn compare(&self, other: &Self, out: &mut Differences) {
        out.record(&self.head, &other.head, &["hashes"]);
        let limits = Limits::default();
        out.each("mips", &self.mips, &other.mips, |out, a, b| {
            out.value("part", &a.info.part, &b.info.part);
            match (a.unpack(&limits), b.unpack(&limits)) {
                (Ok(a), Ok(b)) => out.bytes("pixels", &a, &b),
                _ if a.pixels == b.pixels => {}
                _ => out.line("only one can be unpacked"),
            }
        });
    }
}

impl Tpc {
    pub(crate) fn compare(&self, other: &Self, out: &mut Differences) {
        out.record(&self.head, &other.head, &["unused"]);
        levels(out, "levels", &self.levels, &other.levels);
        out.bytes("txi", self.txi.print(), other.txi.print());
    }
}

impl Wesys {
    pub(crate) fn compare(&self, other: &Self, out: &mut Differences) {
        self.inner.compare(&other.inner, out);
        out.value("flags", &self.head.flags, &other.head.flags);
    }
}

impl Texture {
    /// Adds the [`differences`](Self::differences) from another texture to a list, within its tolerance.
    pub fn compare(&self, other: &Self, out: &mut Differences) {
        match (self, other) {
            (Texture::Tpc(a), Texture::Tpc(b)) => a.compare(b, out),
            (Texture::BiowareDds(a), Texture::BiowareDds(b)) => a.compare(b, out),
            (Texture::Blp(a), Texture::Blp(b)) => a.compare(b, out),
            (Texture::Dds(a), Texture::Dds(b)) => a.compare(b, out),
            (Texture::Ftex(a), Texture::Ftex(b)) => a.compare(b, out),
            (Texture::Wesys(a), Texture::Wesys(b)) => a.compare(b, out),
            (Texture::Plain(a), Texture::Plain(b)) => out.bytes("file", &a.bytes, &b.bytes),
            _ => out.change("format", self.kind().name(), other.kind().name()),
        }
    }
}

impl Txi {
    /// Returns the differences from another text, line by line; empty if both are equal but for line ends.
    ///
    /// ```
    /// use galatea_texture::Txi;
    /// let (a, b) = (Txi::parse(b"decal 1\r\nfps 8"), Txi::parse(b"decal 1\nfps 9\ncube 1"));
    /// assert_eq!(a.differences(&b), ["line 2: `fps 8` -> `fps 9`", "lines: 2 -> 3"]);
    /// ```
    pub fn differences(&self, other: &Self) -> Vec<String> {
        Differences::collect(|out| self.compare(other, out))
    }

    /// Adds the [`differences`](Self::differences) from another text to a list.
    pub fn compare(&self, other: &Self, out: &mut Differences) {
        let lines = |txi: &Txi| -> Vec<String> {
            txi.lines().map(|l| format!("{} {}", l.command, l.args).trim().to_owned()).collect()
        };
        let (a, b) = (lines(self), lines(other));
        for (n, (a, b)) in (1u32..).zip(a.iter().zip(&b)).filter(|(_, (a, b))| a != b) {
            out.change(
                format_args!("line {n}"),
                format_args!("`{}`", escape(a)),
                format_args!("`{}`", escape(b)),
            );
        }
        out.value("lines", &a.len(), &b.len());
    }
}

/// Compares the images of two lists of levels.
fn levels<T: AsRef<[u8]>>(out: &mut Differences, name: &str, a: &[T], b: &[T]) {
    if a.len() != b.len() {
        out.change(name, a.len(), format_args!("{} entries", b.len()));
    }
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        out.bytes(format_args!("{name}[{i}]"), a.as_ref(), b.as_ref());
    }
}
