//! The table of containers, and opening by content.

use std::io;
use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Result, Rule, Schema, Wire};

use crate::{Archive, Files, ReadAt, Recall, casc, cpk, erf, fpk, key, mpq, pftxs, qar, rim, zip};

/// A container that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// KotOR's ERF, MOD, SAV and HAK.
    Erf,
    /// KotOR's RIM.
    Rim,
    /// KotOR's KEY with its BIF files.
    Key,
    /// A BIF file of KotOR on its own.
    Bif,
    /// The Fox Engine's FPK and FPKD.
    Fpk,
    /// The Fox Engine's PFTXS.
    Pftxs,
    /// ZIP.
    Zip,
    /// QAR, the `.dat` of MGSV.
    Qar,
    /// CRI CPK, as in PES.
    Cpk,
    /// Warcraft III's MPQ and maps.
    Mpq,
    /// The storage of Warcraft III since 1.30.
    Casc,
}

impl ArchiveFormat {
    /// Returns `true` if archives of this kind can be written.
    pub fn writable(&self) -> bool {
        self.new.is_some()
    }
}

impl Kind {
    /// Returns the description of the container.
    pub fn format(self) -> &'static ArchiveFormat {
        // Every kind has its line, which a test sees to; the first serves where one were missing.
        FORMATS.iter().find(|format| format.kind == self).copied().unwrap_or(&ERF)
    }

    /// Returns its name, such as `erf`.
    pub fn name(self) -> &'static str {
        self.format().name
    }
}

/// Opens an archive, with the other files of its folder.
pub type Open = fn(Arc<dyn ReadAt>, Option<Arc<dyn Files>>, &Limits) -> Result<Box<dyn Archive>>;

/// How a container is recognised and opened.
#[derive(Debug)]
#[non_exhaustive]
pub struct ArchiveFormat {
    /// Which it is.
    pub kind: Kind,
    /// Its name in listings.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Usual extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Makes an archive without entries; `None` for containers that are only read.
    pub new: Option<fn() -> Box<dyn Archive>>,
    /// Whether bytes are of this container; the first 4096 bytes of the file are enough.
    pub detect: fn(&[u8]) -> bool,
    /// Reads the directory.
    pub open: Open,
    /// Reads entries without the directory, for containers whose directory takes long to read.
    pub recall: Option<&'static Recall>,
    /// Tells which byte is what.
    pub inspect: fn(&[u8], &Limits) -> (Coverage, Option<Error>),
    /// What is checked.
    pub rules: &'static [Rule],
    /// Its fixed records.
    pub records: &'static [&'static Schema],
}

/// Describes a container; `$module` has its functions and types.
macro_rules! container {
    ($name:ident, $kind:ident, $text:literal, $title:literal, [$($ext:literal),*], new: $new:expr, $detect:path, $inspect:path,
     open: $open:expr, $(recall: $recall:expr,)? [$($record:ty),*]) => {
        static $name: ArchiveFormat = ArchiveFormat {
            kind: Kind::$kind,
            name: $text,
            title: $title,
            extensions: &[$($ext),*],
            new: $new,
            detect: $detect,
            open: $open,
            recall: container!(@recall $($recall)?),
            inspect: $inspect,
            rules: crate::RULES,
            records: &[$(<$record>::SCHEMA),*],
        };
    };
    (@recall) => { None };
    (@recall $recall:expr) => { Some($recall) };
}

container!(ERF, Erf, "erf", "KotOR module, saved game or texture pack (ERF, MOD, SAV, HAK)", ["erf", "mod", "sav", "hak"],
    new: Some(|| Box::new(erf::Erf::new(erf::ErfType::Module))), erf::detect, erf::inspect,
    open: |source, _, limits| Ok(Box::new(erf::Erf::open(source, limits)?)),
    [erf::ErfHead, erf::ErfKey, erf::ErfResource]);
container!(RIM, Rim, "rim", "KotOR module (RIM)", ["rim"],
    new: Some(|| Box::new(rim::Rim::new())), rim::detect, rim::inspect,
    open: |source, _, limits| Ok(Box::new(rim::Rim::open(source, limits)?)),
    [rim::RimHead, rim::RimEntry]);
container!(KEY, Key, "key", "index of a KotOR installation (KEY with its BIFs)", ["key"],
    new: None, key::detect, key::inspect,
    open: |source, files, limits| Ok(Box::new(key::Key::open(source.as_ref(), files, limits)?)),
    recall: &key::RECALL,
    [key::KeyHead, key::KeyBif, key::KeyName]);
container!(BIF, Bif, "bif", "KotOR data file (BIF); names are in the KEY", ["bif"],
    new: None, key::detect_bif, key::inspect_bif,
    open: |source, _, limits| Ok(Box::new(key::Bif::open(source, limits)?)),
    [key::BifHead, key::BifEntry]);
container!(FPK, Fpk, "fpk", "Fox Engine package (FPK, FPKD)", ["fpk", "fpkd"],
    new: Some(|| Box::new(fpk::Fpk::new(false))), fpk::detect, fpk::inspect,
    open: |source, _, limits| Ok(Box::new(fpk::Fpk::open(source, limits)?)),
    [fpk::FpkHead, fpk::FpkEntry, fpk::FpkText]);
container!(PFTXS, Pftxs, "pftxs", "Fox Engine texture package (PFTXS)", ["pftxs"],
    new: Some(|| Box::new(pftxs::Pftxs::new())), pftxs::detect, pftxs::inspect,
    open: |source, _, limits| Ok(Box::new(pftxs::Pftxs::open(source, limits)?)),
    [pftxs::PftxsHead, pftxs::PftxsTexture, pftxs::PftxsPart]);
container!(ZIP, Zip, "zip", "ZIP, also as MGSV mod", ["zip", "mgsv"],
    new: Some(|| Box::new(zip::Zip::new())), zip::detect, zip::inspect,
    open: |source, _, limits| Ok(Box::new(zip::Zip::open(source, limits)?)),
    [zip::ZipLocal, zip::ZipCentral, zip::ZipEnd]);
container!(QAR, Qar, "qar", "MGSV data file (QAR .dat)", ["dat"],
    new: None, qar::detect, qar::inspect,
    open: |source, _, limits| Ok(Box::new(qar::Qar::open(source, limits)?)),
    recall: &qar::RECALL,
    [qar::QarHead]);
container!(CPK, Cpk, "cpk", "PES data file (CRI CPK)", ["cpk"],
    new: None, cpk::detect, cpk::inspect,
    open: |source, _, limits| Ok(Box::new(cpk::Cpk::open(source, limits)?)),
    [cpk::CpkChunk]);

static MPQ: ArchiveFormat = ArchiveFormat {
    kind: Kind::Mpq,
    name: "mpq",
    title: "Warcraft III archive, map or campaign (MPQ, W3M, W3X, W3N)",
    extensions: &["mpq", "w3m", "w3x", "w3n"],
    new: Some(|| Box::new(mpq::Mpq::new())),
    detect: mpq::detect,
    open: |source, _, limits| Ok(Box::new(mpq::Mpq::open_named(source, limits)?)),
    recall: Some(&mpq::RECALL),
    inspect: mpq::inspect,
    rules: mpq::RULES,
    records: mpq::RECORDS,
};

static CASC: ArchiveFormat = ArchiveFormat {
    kind: Kind::Casc,
    name: "casc",
    title: "the storage of Warcraft III since 1.30 (CASC), by its `.build.info`",
    extensions: &["info"],
    new: None,
    detect: casc::detect,
    open: |source, files, limits| Ok(Box::new(casc::Casc::open(source.as_ref(), files, limits)?)),
    recall: Some(&casc::RECALL),
    inspect: casc::inspect,
    rules: casc::RULES,
    records: casc::RECORDS,
};

/// Every container, in the order in which detection tries them.
pub static FORMATS: &[&ArchiveFormat] =
    &[&ERF, &RIM, &KEY, &BIF, &FPK, &PFTXS, &ZIP, &QAR, &CPK, &MPQ, &CASC];

/// Bytes that suffice to recognise any container.
const ENOUGH: u64 = 4096;

/// Finds the container of a file by its first bytes; `None` if it is none.
pub fn detect(bytes: &[u8]) -> Option<&'static ArchiveFormat> {
    FORMATS.iter().find(|format| (format.detect)(bytes)).copied()
}

/// Opens an archive of any kind. `files` gives the other files of its folder, for containers that are spread over several.
pub fn open(
    source: Arc<dyn ReadAt>,
    files: Option<Arc<dyn Files>>,
    limits: &Limits,
) -> Result<Box<dyn Archive>> {
    let mut start = vec![0; usize::try_from(source.len().min(ENOUGH)).unwrap_or(0)];
    let failed = |e: io::Error| Error::at(ErrorKind::Io(e.to_string().into()), 0).within("file");
    source.read_at(0, &mut start).map_err(failed)?;
    match detect(&start) {
        Some(format) => (format.open)(source, files, limits),
        None => Err(Error::at(ErrorKind::NotThisFormat, 0)),
    }
}

/// Opens an archive in memory.
pub fn open_bytes(bytes: Vec<u8>, limits: &Limits) -> Result<Box<dyn Archive>> {
    open(Arc::new(bytes), None, limits)
}

/// Returns which field each byte of an archive belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    match detect(bytes.get(..ENOUGH as usize).unwrap_or(bytes)) {
        Some(format) => (format.inspect)(bytes, limits),
        None => (Coverage::default(), Some(Error::at(ErrorKind::NotThisFormat, 0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_container_is_found_by_its_kind() {
        for format in FORMATS {
            assert_eq!(format.kind.format().name, format.name);
        }
    }
}
