//! How the bytes of an input become files.

use galatea::{
    Category, Companion, ConvertError, ConvertOptions, Converted, Document, FORMATS, Format, FormatId, Input,
    Limits, SceneContext,
};

/// The formats that one target takes, told apart by content.
pub type Family = fn(&Format) -> bool;

/// KotOR models, binary and text.
pub const KOTOR_MDL: Family = |format| format.text == Some(FormatId::KotorMdlAscii);
/// KotOR walkmeshes, binary and text.
pub const KOTOR_BWM: Family = |format| format.text == Some(FormatId::KotorBwmAscii);
/// Warcraft III and WoW alpha models, binary and text.
pub const MDX: Family = |format| format.text == Some(FormatId::Mdl);
/// Fox Engine models.
pub const FMDL: Family = |format| format.id == FormatId::Fmdl;
/// Textures of all kinds.
pub const TEXTURE: Family = |format| format.category == Category::Texture;

/// A file and the first of its companions.
pub(crate) struct Files {
    pub(crate) format: &'static Format,
    pub(crate) bytes: Vec<u8>,
    pub(crate) companion: Option<Vec<u8>>,
}

impl Files {
    /// Splits an input into the files of a known format. Whole files are taken as they are, so that real ones can be seeds.
    pub(crate) fn of(family: Family, data: &[u8]) -> Option<Self> {
        let detect =
            |bytes: &[u8]| FORMATS.iter().copied().find(|format| family(format) && (format.detect)(bytes));
        if let Some(format) = detect(data) {
            return Some(Files { format, bytes: data.to_vec(), companion: None });
        }
        let (first, second) = split(data)?;
        let format = detect(first).filter(|format| !format.companions.is_empty())?;
        Some(Files { format, bytes: first.to_vec(), companion: Some(second.to_vec()) })
    }

    /// Bytes behind the magic of a named format, so that the fuzzer spends its time behind it. Formats with companions
    /// always have one.
    pub(crate) fn behind(magic: &[u8], format: &str, data: &[u8]) -> Self {
        let format = format.parse::<FormatId>().expect("a format of this name").format();
        match split(data).filter(|_| !format.companions.is_empty()) {
            Some((first, second)) => {
                Files { format, bytes: behind(magic, first), companion: Some(second.to_vec()) }
            }
            None => Files { format, bytes: behind(magic, data), companion: None },
        }
    }

    /// Bytes of all files together.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() + self.companion.as_ref().map_or(0, Vec::len)
    }

    pub(crate) fn input(&self) -> Input<'_> {
        let companions = self.format.companions.iter().zip(&self.companion);
        let companions = companions.map(|(extension, bytes)| Companion { extension, bytes: &bytes[..] });
        Input::new(&self.bytes).with_companions(companions.collect())
    }

    /// Reads the files with the limits of the program.
    pub(crate) fn open(&self) -> Option<Box<dyn Document>> {
        (self.format.read)(&self.input(), &Limits::default()).ok()
    }
}

/// The first two bytes say where the first file ends and the second begins.
pub(crate) fn split(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = data.split_first_chunk()?;
    Some(rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len())))
}

/// Bytes that begin with the magic.
pub(crate) fn behind(magic: &[u8], data: &[u8]) -> Vec<u8> {
    if data.starts_with(magic) { data.to_vec() } else { [magic, data].concat() }
}

/// Converts with the defaults of the program.
pub(crate) fn convert(document: &dyn Document, to: FormatId) -> Result<Converted, ConvertError> {
    let names = galatea::fox::Dictionary::new();
    galatea::convert(document, to, &ConvertOptions::default(), &SceneContext::new("model").with_names(&names))
}

/// Opens what was written. It is our own and may be longer than what was read, so the limits need not hold it back.
pub(crate) fn reopened(output: &galatea::Output) -> Box<dyn Document> {
    let limits = Limits::default().with_ratio(16);
    match galatea::open(&output.input(), &limits) {
        Ok(document) => document,
        Err(error) => panic!("what was written does not open: {error}"),
    }
}

/// Asserts that a document came back from another form as it was.
pub(crate) fn assert_same(document: &dyn Document, back: &dyn Document, through: &str) {
    let Some(differences) = document.differences(back) else { panic!("{through}: another format came back") };
    let few = &differences[..differences.len().min(3)];
    assert!(differences.is_empty(), "{through}: {} differences: {}", differences.len(), few.join("; "));
}
