//! Opening: from bytes to all that panels show of them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use galatea::preview::{self, Image};
use galatea::textures::{Audited, Why, audit};
use galatea::wire::Coverage;
use galatea::{
    Document, Format, Inspection, Limits, Output, Report, SceneContext, Severity, Summary, TextureFile,
};

use super::fields::FieldTree;
use super::files::{input_of, name_of};
use super::stand::{Around, Stand};

/// A file of a document, byte by byte.
pub(crate) struct FileBytes {
    /// What it is called in the window: its extension.
    pub(crate) name: String,
    /// Whether it is the file itself rather than a companion.
    pub(crate) is_main: bool,
    /// Which record owns which bytes.
    pub(crate) coverage: Coverage,
    /// Its fields.
    pub(crate) tree: FieldTree,
    /// Owned ranges and gaps: first byte, and the claim or none.
    pub(crate) spans: Vec<(usize, Option<u32>)>,
}

/// A texture that a document uses.
pub(crate) struct Used {
    /// Its name as the document writes it, what it is for, and what became of it.
    pub(crate) audited: Audited,
    /// It, small; `None` if it cannot be shown.
    pub(crate) image: Option<Arc<Image>>,
}

impl Used {
    /// Returns `true` if the document itself has the name: not a texture that another texture asks for, nor one that the game
    /// puts in the place of a number.
    pub(crate) fn is_named_here(&self) -> bool {
        let what = &self.audited.what;
        self.audited.why != Why::BuiltIn
            && !what.starts_with("the TXI of ")
            && !what.starts_with("replaceable ")
    }
}

/// Width and height of the images of textures.
const SMALL: u32 = 128;

/// A state of a document, opened.
pub(crate) struct Opened {
    /// A number that no other one of this run has.
    pub(crate) number: u64,
    /// Its bytes.
    pub(crate) output: Arc<Output>,
    /// Its format, if it is a known one.
    pub(crate) format: Option<&'static Format>,
    /// Why it cannot be opened.
    pub(crate) error: Option<String>,
    /// Its figures.
    pub(crate) summary: Summary,
    /// What the rules find.
    pub(crate) report: Report,
    /// Its files, byte by byte.
    pub(crate) files: Vec<FileBytes>,
    /// Its textures, by the names that it has written.
    pub(crate) textures: Vec<Used>,
    /// It, on its stage; `None` if there is nothing to show.
    pub(crate) stand: Option<Stand>,
    /// An image, if it is a texture.
    pub(crate) image: Option<(u32, u32, Vec<u8>)>,
}

/// Most lines of a field tree.
const MOST_FIELDS: usize = 150_000;

impl Opened {
    /// Opens a document from its bytes. What cannot be opened has an error and its bytes.
    pub(crate) fn new(around: Around, output: Arc<Output>) -> Opened {
        let name = name_of(&around.path);
        let siblings = around.files.siblings(&around.path);
        let input = input_of(&output, &name, siblings.as_ref());
        let limits = Limits::default();
        let inspections = galatea::inspect(&input, &limits).unwrap_or_default();
        let files = files(&output, &around.path, inspections);
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut opened = Opened {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            format: galatea::detect(&output.bytes),
            error: None,
            summary: Summary::default(),
            report: Report::new(),
            files,
            textures: Vec::new(),
            stand: None,
            image: None,
            output: Arc::clone(&output),
        };
        let Some(format) = opened.format else {
            opened.error = Some(unknown(&around.path, &output.bytes));
            return opened;
        };
        let document = match (format.read)(&input, &limits) {
            Ok(document) => document,
            Err(error) => {
                opened.error = Some(error.to_string());
                return opened;
            }
        };
        opened.summary = document.summary();
        opened.report = galatea::check(document.as_ref(), &input);
        drop(siblings);
        around.files.with_textures(format.game, &around.path, &mut |textures| {
            if let Some(textures) = textures {
                let stem = galatea::file_names::stem(&around.path);
                let all = audit(document.as_ref(), &SceneContext::new(&stem), textures);
                let used = |audited: Audited| {
                    let image = textures.load(&audited.name).map(|decoded| {
                        let image = &decoded.image;
                        Arc::new(small(image.width, image.height, &image.rgba, SMALL))
                    });
                    Used { audited, image }
                };
                opened.textures = all.into_iter().map(used).collect();
            }
        });
        if format.category == galatea::Category::Texture {
            opened.image = texture_of(document.as_ref());
        } else {
            opened.stand = Stand::new(document, around);
        }
        opened
    }

    /// Returns how many findings there are of each severity: errors, warnings, infos. What cannot be opened is an error.
    pub(crate) fn counts(&self) -> [usize; 3] {
        let [all, warnings, errors] =
            [Severity::Info, Severity::Warning, Severity::Error].map(|least| self.report.at_least(least));
        [errors + usize::from(self.error.is_some()), warnings - errors, all - warnings]
    }

    /// Returns the bytes of one of its files.
    pub(crate) fn bytes(&self, file: usize) -> &[u8] {
        match self.files.get(file) {
            None => &self.output.bytes,
            Some(file) if file.is_main => &self.output.bytes,
            Some(file) => self.output.companion(&file.name).unwrap_or(&[]),
        }
    }
}

/// Says why a file is of no known format.
fn unknown(path: &Path, bytes: &[u8]) -> String {
    if let Some(archive) = galatea::archive::detect(bytes) {
        return format!("an archive ({}): open it as a folder", archive.name);
    }
    #[cfg(not(target_arch = "wasm32"))]
    return galatea::disk::why_unknown(path, bytes);
    #[cfg(target_arch = "wasm32")]
    format!("{}: not a supported format", name_of(path))
}

fn files(output: &Output, path: &Path, inspections: Vec<Inspection>) -> Vec<FileBytes> {
    let extension =
        path.extension().map_or_else(|| "file".to_owned(), |e| e.to_string_lossy().to_lowercase());
    let mut out: Vec<FileBytes> = Vec::new();
    for (number, inspection) in inspections.into_iter().enumerate() {
        let is_main = number == 0;
        let name = if is_main { extension.clone() } else { inspection.file.to_owned() };
        let bytes = if is_main { Some(output.bytes.as_slice()) } else { output.companion(inspection.file) };
        let Some(bytes) = bytes else { continue };
        let tree = FieldTree::new(bytes, &inspection.coverage, MOST_FIELDS);
        let spans = spans(&inspection.coverage, bytes.len());
        out.push(FileBytes { name, is_main, coverage: inspection.coverage, tree, spans });
    }
    if out.is_empty() {
        let coverage = Coverage::default();
        let tree = FieldTree::new(&[], &coverage, 0);
        out.push(FileBytes { name: extension, is_main: true, tree, coverage, spans: vec![(0, None)] });
    }
    out
}

/// Returns where the bytes of each claim and of each gap begin, in order.
fn spans(coverage: &Coverage, len: usize) -> Vec<(usize, Option<u32>)> {
    let claims = coverage.claims().iter().zip(0u32..);
    let mut order: Vec<(usize, usize, u32)> = claims
        .filter(|(claim, _)| claim.end > claim.start)
        .map(|(claim, id)| (claim.start as usize, claim.end as usize, id))
        .collect();
    order.sort_unstable();
    let mut out = Vec::with_capacity(order.len());
    let mut at = 0;
    for (start, end, id) in order {
        if start > at {
            out.push((at, None));
        }
        if end > at {
            out.push((start.max(at), Some(id)));
            at = end;
        }
    }
    if at < len || out.is_empty() {
        out.push((at, None));
    }
    out
}

/// Returns the pixels of a texture.
fn texture_of(document: &dyn Document) -> Option<(u32, u32, Vec<u8>)> {
    let texture = &document.as_any().downcast_ref::<TextureFile>()?.texture;
    let image = texture.decode_best(&Limits::default()).ok()?;
    Some((image.width, image.height, image.rgba))
}

/// Draws a document small, as it is usually seen. Fails with a sentence if it cannot be opened.
pub(crate) fn thumbnail(around: &Around, output: &Output, size: u32) -> Result<(Image, [usize; 3]), String> {
    let name = name_of(&around.path);
    let siblings = around.files.siblings(&around.path);
    let input = input_of(output, &name, siblings.as_ref());
    if galatea::detect(input.bytes).is_none() {
        return Err(unknown(&around.path, input.bytes));
    }
    let document = galatea::open(&input, &Limits::default()).map_err(|e| e.to_string())?;
    let report = galatea::check(document.as_ref(), &input);
    let [all, warnings, errors] =
        [Severity::Info, Severity::Warning, Severity::Error].map(|least| report.at_least(least));
    let counts = [errors, warnings - errors, all - warnings];
    if document.format().category == galatea::Category::Texture {
        let (width, height, rgba) = texture_of(document.as_ref()).ok_or("the image cannot be decoded")?;
        return Ok((small(width, height, &rgba, size), counts));
    }
    let look = preview::Options::default().with_size(size, size).with_background([0; 4]);
    let drawn = around.with_stage(document.as_ref(), |stage, _| {
        let look = stage.usual(&look)?;
        stage.render(&look)
    });
    match drawn {
        Some(image) => Ok((image.map_err(|e| e.to_string())?, counts)),
        None => Err(format!("{} files have nothing to draw", document.format().name)),
    }
}

/// Returns an image in a square, with the nearest pixels.
fn small(width: u32, height: u32, rgba: &[u8], size: u32) -> Image {
    let largest = width.max(height).max(1);
    let (w, h) = ((width * size / largest).max(1), (height * size / largest).max(1));
    let (left, top) = ((size - w) / 2, (size - h) / 2);
    let mut pixels = vec![0; (size * size * 4) as usize];
    for y in 0..h {
        for x in 0..w {
            let from = ((y * height / h) * width + x * width / w) as usize * 4;
            let to = ((y + top) * size + x + left) as usize * 4;
            if let (Some(to), Some(from)) = (pixels.get_mut(to..to + 4), rgba.get(from..from + 4)) {
                to.copy_from_slice(from);
            }
        }
    }
    Image { width: size, height: size, pixels }
}
