//! Where a target begins: the examples, the fixtures, and a small model in every format, framed as the target reads them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use galatea::archive::{self, Kind};
use galatea::texture::{self, Image};
use galatea::textures::{Images, Library, Textures};
use galatea::{
    ConvertOption, ConvertOptions, Document, FORMATS, FormatId, Input, Limits, Output, SceneContext, disk,
    fox,
};

use crate::{Outcome, root};

/// Pixels on a side of the corner of a texture.
const CORNER: u32 = 8;

/// Versions of Warcraft III and WoW alpha models that differ in what they hold.
const VERSIONS: [u32; 6] = [800, 900, 1000, 1200, 1300, 1500];

/// The formats that targets take, by the start of their names.
const FORMATS_OF: &[(&str, &[FormatId])] = &[
    ("bwm", &[FormatId::KotorBwm, FormatId::KotorBwmAscii]),
    ("kotor_bwm", &[FormatId::KotorBwm, FormatId::KotorBwmAscii]),
    ("walk", &[FormatId::KotorBwm]),
    ("kotor", &[FormatId::KotorMdl, FormatId::KotorMdlAscii]),
    ("mdx", &[FormatId::Mdx, FormatId::Mdl]),
    ("mdl", &[FormatId::Mdl]),
    ("fmdl", &[FormatId::Fmdl]),
    ("gltf", &[FormatId::Glb, FormatId::Gltf]),
    ("scene", &[FormatId::Glb]),
    ("tpc", &[FormatId::Tpc]),
    ("blp", &[FormatId::Blp]),
    ("dds", &[FormatId::Dds]),
    ("ftex", &[FormatId::Ftex]),
    (
        "texture",
        &[
            FormatId::Tpc,
            FormatId::Blp,
            FormatId::Dds,
            FormatId::Ftex,
            FormatId::Tga,
            FormatId::Png,
            FormatId::Txi,
        ],
    ),
];

/// Writes the seeds of a target into a folder.
pub(super) fn write(target: &str, folder: &Path) -> Outcome {
    let formats = FORMATS_OF.iter().find(|(start, _)| target.starts_with(start)).map_or(&[][..], |(_, f)| *f);
    let mut seeds = Seeds { formats, files: BTreeMap::new() };
    if let Some(kind) = archive_of(target) {
        seeds.archives(kind)?;
    }
    for (_, tables) in TABLES.iter().filter(|(of, _)| *of == target) {
        seeds.files.extend(tables.iter().enumerate().map(|(n, bytes)| (format!("table{n}"), bytes.to_vec())));
    }
    seeds.examples()?;
    seeds.small_models();
    seeds.textures()?;
    if target.starts_with("gltf") {
        seeds.gltf_files()?;
    }
    for (name, bytes) in seeds.files {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// Tables of KotOR by target: a 2DA in both forms, and a GFF of one structure with one number.
const TABLES: [(&str, &[&[u8]]); 2] = [
    (
        "two_da_read",
        &[
            b"2DA V2.0\r\nDEFAULT: none\r\n  label  race\r\n0 a_dog c_dog\r\n1 \"a cat\" ****\r\n",
            b"2DA V2.b\nlabel\trace\t\0\x01\0\0\x000\t\0\0\x02\0\x04\0a\0b\0",
        ],
    ),
    (
        "gff_read",
        &[b"GIT V3.2\x38\0\0\0\x01\0\0\0\x44\0\0\0\x01\0\0\0\x50\0\0\0\x01\0\0\0\x60\0\0\0\0\0\0\0\
            \x60\0\0\0\0\0\0\0\x60\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\0\0\0\0\x01\0\0\0\
            \x04\0\0\0\0\0\0\0\x07\0\0\0Tag\0\0\0\0\0\0\0\0\0\0\0\0\0"],
    ),
];

/// Parts of a CASC storage, which nothing here writes: an encoded file, a name table of one name, an encoding file, an index, and the two texts.
const CASC_PARTS: [&[u8]; 6] = [
    b"BLTE\0\0\0\0Nhello",
    b"TVFS\x01\x26\x09\x09\0\0\0\x08\0\0\0\x26\0\0\0\x0C\0\0\0\x32\0\0\0\x0A\0\0\0\x3C\0\0\0\x11\0\x01\
        \xFF\x80\0\0\x0B\x01a\xFF\0\0\0\0\x01\0\0\0\0\0\0\0\x05\x00123456789\0\0\0\x0E\0\0\0\x05",
    b"EN\x01\x10\x10\0\x01\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\x10\0\0\0\0\0\0\0\x07\0\0\0\x04\x05\x09\x1E\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\x12\0\0\0\0\0\0\0\
        000000000\0\0\0\0\0\x50\0\0\0",
    b"# Build\nvfs-root = 00000000000000000000000000000000 00000000000000000000000000000000\nvfs-root-size = 5 14\n",
    b"Active!DEC:1|Build Key!HEX:16|Version!STRING:0|Product!STRING:0\n1|00000000000000000000000000000000|1.36|w3\n",
];

/// Returns the container that a target takes.
fn archive_of(target: &str) -> Option<Kind> {
    let start = target.strip_suffix("_read")?;
    archive::FORMATS.iter().find(|format| format.name == start).map(|format| format.kind)
}

struct Seeds {
    formats: &'static [FormatId],
    /// Inputs by name.
    files: BTreeMap<String, Vec<u8>>,
}

impl Seeds {
    /// Adds a document as it is written, if it is of a wanted format.
    fn add(&mut self, name: &str, format: FormatId, output: &Output) {
        if self.formats.contains(&format) {
            let companion = output.companions.first().map(|c| c.bytes.as_slice());
            self.files
                .extend(framed(format, &output.bytes, companion).map(|b| (format!("{name}.{format}"), b)));
        }
    }

    /// Small archives, made by the writer of the container.
    fn archives(&mut self, kind: Kind) -> Outcome {
        let files =
            [archive::Edit::put("a.mdl", vec![7; 40]), archive::Edit::put("b_16_characters_.txi", vec![])];
        for (name, edits) in [("empty", &files[..0]), ("full", &files[..])] {
            if let Some(new) = kind.format().new {
                let bytes = new().edited(edits).map_err(|e| e.to_string())?;
                self.files.insert(format!("{name}.{}", kind.name()), bytes);
            }
        }
        if kind == Kind::Casc {
            let parts = CASC_PARTS.iter().enumerate();
            self.files.extend(parts.map(|(index, part)| (format!("part{index}.casc"), part.to_vec())));
        }
        Ok(())
    }

    /// The examples and the fixtures of KotOR models, and their other forms.
    fn examples(&mut self) -> Outcome {
        let folders = ["examples", "crates/kotor/tests/mdl_fixtures/files"].map(|f| root().join(f));
        for path in folders.iter().flat_map(|folder| galatea_corpus::files(folder, &[""])) {
            let job = disk::Job::new(path.clone());
            let Ok(loaded) = disk::load(&job) else { continue };
            let Ok(document) = galatea::open(&loaded.input(), &Limits::default()) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let output = document.write().map_err(|e| format!("{name}: {e}"))?;
            let format = document.format();
            self.add(&name, format.id, &output);
            // Other families would only repeat the small model.
            if let Some(text) = format.text.filter(|text| self.formats.contains(text)) {
                let converted = convert(document.as_ref(), text, &ConvertOptions::default(), None);
                converted.iter().for_each(|output| self.add(&name, text, output));
            }
        }
        Ok(())
    }

    /// A small model in every format and version.
    fn small_models(&mut self) {
        let scene = galatea::scene::example();
        for format in FORMATS {
            let Some(from_scene) = format.from_scene.filter(|_| self.formats.contains(&format.id)) else {
                continue;
            };
            let versions =
                format.options.contains(&ConvertOption::Version).then_some(VERSIONS.map(Some).to_vec());
            for version in versions.unwrap_or(vec![None]) {
                let options = ConvertOptions::default().with_version(version);
                let Ok((document, _)) = from_scene(&scene, &options) else { continue };
                let name = format!("arm{}", version.unwrap_or(0));
                if let Ok(output) = document.write() {
                    self.add(&name, format.id, &output);
                }
            }
        }
    }

    /// A texture in every format and encoding, and a corner of it: what is small is fuzzed faster.
    fn textures(&mut self) -> Outcome {
        if !self.formats.iter().any(|id| id.format().encode.is_some()) {
            return Ok(());
        }
        let path = root().join("examples/statue.tga");
        let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let image = texture::decode(&bytes, &[], &Limits::default()).map_err(|e| e.to_string())?;
        let rows = image.rgba.chunks_exact(image.width as usize * 4).take(CORNER as usize);
        let rgba = rows.flat_map(|row| row.iter().take(CORNER as usize * 4)).copied().collect();
        let corner = Image { width: CORNER, height: CORNER, rgba };
        let encodings = galatea::Encoding::ALL.map(|(encoding, name)| (Some(encoding), name));
        for (size, image) in [("whole", &image), ("corner", &corner)] {
            let png = texture::encode::png(image).map_err(|e| e.to_string())?;
            let document = galatea::open(&Input::new(&png), &Limits::default()).map_err(|e| e.to_string())?;
            for (encoding, name) in encodings.into_iter().chain([(None, "usual")]) {
                let options = ConvertOptions::default().with_encoding(encoding).with_ftexs(1);
                for format in self.formats.iter().copied() {
                    if let Some(output) = convert(document.as_ref(), format, &options, None) {
                        self.add(&format!("{size}_{name}"), format, &output);
                    }
                }
            }
        }
        Ok(())
    }

    /// glTF with a buffer and an image of its own, framed: where the document ends, where the buffer ends, all three.
    fn gltf_files(&mut self) -> Outcome {
        let folder = root().join("examples");
        for name in ["statue_800.mdx", "statue.mdl", "statue.fmdl"] {
            let job = disk::Job::new(folder.join(name));
            let loaded = disk::load(&job).map_err(|e| format!("{name}: {e}"))?;
            let document =
                galatea::open(&loaded.input(), &Limits::default()).map_err(|e| format!("{name}: {e}"))?;
            let Some(game) = document.format().game else { continue };
            let library = Library::below(std::slice::from_ref(&folder)).0;
            let textures = Textures::new(game, None, Some(&library));
            let options = ConvertOptions::default().with_images(Images::Beside);
            if let Some(output) = convert(document.as_ref(), FormatId::Gltf, &options, Some(&textures)) {
                self.files.insert(format!("{name}.gltf"), folder_of(&output));
            }
        }
        let (json, buffer) =
            galatea::gltf::write_gltf(&galatea::scene::example(), &Default::default(), "model.bin");
        let siblings = [("model.bin".to_owned(), buffer)];
        self.files
            .insert("arm.gltf".into(), folder_of(&Output::single(json.into_bytes()).with_siblings(siblings)));
        Ok(())
    }
}

/// Converts a document; nothing where that cannot be done.
fn convert(
    document: &dyn Document,
    to: FormatId,
    options: &ConvertOptions,
    textures: Option<&Textures<'_>>,
) -> Option<Output> {
    let names = fox::Dictionary::new();
    let context = SceneContext::new("model").with_names(&names).with_textures(textures);
    galatea::convert(document, to, options, &context).ok().map(|converted| converted.output)
}

/// Returns an input of one file, or of two: where the first ends, the first, the second. KotOR models always have two.
fn framed(format: FormatId, bytes: &[u8], companion: Option<&[u8]>) -> Option<Vec<u8>> {
    match companion.or((format == FormatId::KotorMdl).then_some(&[])) {
        None => Some(bytes.to_vec()),
        Some(companion) => {
            let length = u16::try_from(bytes.len()).ok()?.to_le_bytes();
            Some([&length[..], bytes, companion].concat())
        }
    }
}

/// Returns an input of a glTF with its files.
fn folder_of(output: &Output) -> Vec<u8> {
    let file = |ending: &str| {
        let found = output.siblings.iter().find(|(name, _)| name.ends_with(ending));
        found.map_or(&[][..], |(_, bytes)| bytes)
    };
    let buffer = file(".bin");
    let length = |bytes: &[u8]| u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_le_bytes();
    [&length(&output.bytes)[..], &length(buffer), &output.bytes, buffer, file(".png")].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_begins_with_files_of_its_own() {
        for target in super::super::targets() {
            let formats = FORMATS_OF.iter().find(|(start, _)| target.starts_with(start));
            if archive_of(&target).is_some() || TABLES.iter().any(|(of, _)| *of == target) {
                continue;
            }
            assert!(formats.is_some_and(|(_, formats)| !formats.is_empty()), "{target} has no seeds");
        }
    }

    #[test]
    fn two_files_are_framed_by_the_length_of_the_first() {
        assert_eq!(framed(FormatId::KotorMdl, b"abc", Some(b"d")), Some(b"\x03\x00abcd".to_vec()));
        assert_eq!(framed(FormatId::KotorMdl, b"abc", None), Some(b"\x03\x00abc".to_vec()));
        assert_eq!(framed(FormatId::Mdx, b"abc", None), Some(b"abc".to_vec()));
    }
}
