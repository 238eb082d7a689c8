//! `edit` on real files: fields keep their bytes, and names come back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::{Path, PathBuf};

use galatea::edit::{EditOptions, edit, parse_script};
use galatea::fox::Dictionary;
use galatea::wire::{FieldAt, Inspector, encode_value, shown_value};
use galatea::{Companion, Document, Limits, Output};
use galatea_robustness::listed;

/// Files per family.
const FILES: usize = 50;

/// The families: their part of the corpus, their endings, and the extension of their companion.
const FAMILIES: [(&str, &[&str], Option<&str>); 4] = [
    ("kotor", &[".mdl"], Some("mdx")),
    ("kotor", &[".wok", ".pwk", ".dwk"], None),
    ("mdx", &[".mdx"], None),
    ("fmdl", &[".fmdl"], None),
];

/// Files of a family that open, with their companions, spread over the corpus.
fn files(
    (part, endings, companion): (&'static str, &[&str], Option<&'static str>),
) -> Vec<(PathBuf, Output)> {
    let all = listed(&[part], endings);
    let step = (all.len() / (FILES * 2)).max(1);
    let read = |path: &Path, bytes: &[u8]| {
        let mut files = Output::single(bytes.to_vec());
        if let Some(extension) = companion
            && let Ok(bytes) = std::fs::read(path.with_extension(extension))
        {
            files.companions.push(Companion { extension, bytes });
        }
        Ok::<_, String>(files)
    };
    let binary = |files: &Output| {
        let format = galatea::detect(&files.bytes).filter(|format| format.text != Some(format.id));
        format.is_some() && galatea::open(&files.input(), &Limits::default()).is_ok()
    };
    let found: Vec<_> = all.every(step).read(read).filter(|(_, files)| binary(files)).take(FILES).collect();
    assert!(found.len() > FILES / 2, "{part} {endings:?}: {}", found.len());
    found
}

/// All fields of a file, or of its companion.
fn fields(files: &Output, bytes: &[u8], companion: bool) -> Vec<FieldAt> {
    let inspections = galatea::inspect(&files.input(), &Limits::default()).unwrap();
    let inspector = Inspector::new(bytes, &inspections[usize::from(companion)].coverage);
    let mut out: Vec<FieldAt> = Vec::new();
    for claim in 0..inspections[usize::from(companion)].coverage.claims().len() as u32 {
        let range = inspections[usize::from(companion)].coverage.claims()[claim as usize];
        // The first fields of long lists, and the last.
        let (start, end) = (range.start as usize, range.end as usize);
        let mut at = start;
        let mut count = 0;
        while let Some(field) = inspector.at_in(claim, at) {
            at = field.offset + field.size.max(1);
            out.push(field);
            count += 1;
            if count == 40 && end - at > 4096 {
                at = end - 64;
            }
        }
    }
    out
}

#[test]
#[ignore = "needs the corpus"]
fn every_field_takes_its_own_value_without_changing_a_byte() {
    for family in FAMILIES {
        let (mut count, mut whole, mut several) = (0, 0, 0);
        let all = files(family);
        for (path, files) in &all {
            let path = path.display();
            let companions = files.companions.iter().map(|c| (&c.bytes, true));
            for (bytes, companion) in std::iter::once((&files.bytes, false)).chain(companions) {
                if companion && bytes.is_empty() {
                    continue;
                }
                let fields = fields(files, bytes, companion);
                for field in &fields {
                    let current = &bytes[field.offset..field.offset + field.size];
                    let shown = shown_value(field.schema, current);
                    let same = encode_value(field, current, &shown);
                    assert_eq!(same.as_deref(), Ok(current), "{path}: {} = {shown}", field.path);
                    count += 1;
                }
                // Some of them through the whole operation.
                for field in fields.iter().filter(|field| !field.layout).step_by((fields.len() / 12).max(1)) {
                    let prefix = if companion { "mdx:" } else { "" };
                    let current = &bytes[field.offset..field.offset + field.size];
                    let script = format!("set {prefix}{}={}", field.path, shown_value(field.schema, current));
                    let Ok(operations) = parse_script(&script) else { panic!("{path}: {script}") };
                    match edit(&files.input(), &operations, &EditOptions::default()) {
                        Ok(edited) => {
                            assert!(edited.output == *files, "{path}: {script}");
                            whole += 1;
                        }
                        Err(error) if error.to_string().contains(" fields, such as ") => several += 1,
                        Err(error) => panic!("{path}: {error}"),
                    }
                }
            }
        }
        eprintln!(
            "{:?}: {} files, {count} fields encoded, {whole} set as a whole, {several} of several with one path",
            family.1,
            all.len()
        );
    }
}

/// The textures that a document names, as its format writes them.
fn texture(document: &dyn Document) -> Option<String> {
    let any = document.as_any();
    if let Some(model) = any.downcast_ref::<galatea::mdlx::Model>() {
        return model.textures.iter().map(|t| t.path.lossy().into_owned()).find(|path| !path.is_empty());
    }
    if let Some(model) = any.downcast_ref::<galatea::kotor::mdl::Model>() {
        let meshes = model.nodes.iter().filter_map(|node| node.mesh.as_deref());
        let mut names = meshes.map(|mesh| mesh.texture.lossy().into_owned());
        return names.find(|name| !name.is_empty() && !name.eq_ignore_ascii_case("null"));
    }
    let model = any.downcast_ref::<galatea::fox::Fmdl>()?;
    let names = dictionary();
    model.materials.iter().flat_map(|m| &m.textures).find_map(|texture| texture.path_text(names))
}

fn dictionary() -> &'static Dictionary {
    static NAMES: std::sync::LazyLock<Dictionary> = std::sync::LazyLock::new(|| {
        let mut names = Dictionary::built_in();
        for file in ["paths.txt", "strings.txt"] {
            let text = std::fs::read(galatea_robustness::place().join("fmdl/names").join(file)).unwrap();
            names.add_lines(&String::from_utf8_lossy(&text));
        }
        names
    });
    &NAMES
}

#[test]
#[ignore = "needs the corpus"]
fn a_texture_renamed_and_renamed_back_gives_the_original_bytes() {
    for (family, new) in [
        (FAMILIES[0], ["qx", "a_longer_name_for_it"]),
        (FAMILIES[2], ["qx.blp", r"war3mapImported\folder\a_longer_name_for_it.blp"]),
        (FAMILIES[3], ["/Assets/qx/q.ftex", "/Assets/mod/a_longer_folder/and_a_longer_name_for_it.ftex"]),
    ] {
        let (mut tried, mut same) = ([0, 0], [0, 0]);
        let mut failed = Vec::new();
        let all = files(family);
        for (path, files) in &all {
            let document = galatea::open(&files.input(), &Limits::default()).unwrap();
            let Some(old) = texture(document.as_ref()) else { continue };
            for (way, new) in new.iter().enumerate() {
                let options = EditOptions::default().with_names(Some(dictionary()));
                let run = |files: &Output, script: String| {
                    edit(&files.input(), &parse_script(&script).unwrap(), &options)
                };
                let there = run(files, format!("texture {old}={new}"));
                let there = there.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert!(there.changed && !there.differences.is_empty(), "{}: {old}", path.display());
                let back = run(&there.output, format!("texture {new}={old}"));
                let back = back.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                tried[way] += 1;
                if back.output == *files {
                    same[way] += 1;
                } else {
                    // Laid out by another tool than the game's, or with bytes behind a name: the model is the same.
                    assert_eq!(
                        document.differences(back.document.as_ref()).unwrap(),
                        [""; 0],
                        "{}",
                        path.display()
                    );
                    failed.push(format!("{}: {old} as {new}", path.display()));
                }
            }
        }
        eprintln!(
            "{:?}: of {} files {} of {} come back from a short name, {} of {} from a long one\n{}",
            family.1,
            all.len(),
            same[0],
            tried[0],
            same[1],
            tried[1],
            failed.iter().take(12).map(String::as_str).collect::<Vec<_>>().join("\n")
        );
        assert!(tried[0] > 10 && same[0] * 50 >= tried[0] * 48, "{:?}", family.1);
    }
}
