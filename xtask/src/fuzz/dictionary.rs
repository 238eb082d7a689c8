//! Words for the fuzzer: the tags and keys that the code itself looks for.

use std::collections::BTreeSet;
use std::fmt::Write;

use galatea::mdlx;

use crate::root;

/// Parts of the source whose words a target is likely to need, by the start of its name.
const SOURCES: &[(&str, &[&str])] = &[
    ("bwm", &["kotor/src/bwm", "kotor/src/surface.rs"]),
    ("kotor_bwm", &["kotor/src/bwm", "kotor/src/surface.rs", "gltf/src", "scene/src"]),
    ("walk", &["kotor/src/bwm", "walk/src"]),
    ("kotor", &["kotor/src/mdl"]),
    ("mdx", &["mdlx/src/xfer", "mdlx/src/text"]),
    ("mdl", &["mdlx/src/text"]),
    ("fmdl", &["fox/src"]),
    ("gltf", &["gltf/src", "scene/src", "mdlx/src/scene", "kotor/src/mdl/scene", "fox/src/scene"]),
    ("scene", &["gltf/src", "scene/src", "mdlx/src/scene", "kotor/src/mdl/scene", "fox/src/scene"]),
    ("tpc", &["texture/src/txi.rs", "texture/src/tpc"]),
    ("blp", &["texture/src/blp"]),
    ("dds", &["texture/src/dds"]),
    ("ftex", &["texture/src/ftex"]),
    ("texture", &["texture/src"]),
    ("mpq", &["archive/src/mpq"]),
    ("casc", &["archive/src/casc"]),
];

/// Longest word; what is longer is a sentence.
const LONGEST: usize = 40;

/// Returns the dictionary of a target, as libFuzzer reads it.
pub(super) fn text(target: &str) -> String {
    let mut words = BTreeSet::new();
    let sources = SOURCES.iter().find(|(start, _)| target.starts_with(start)).map_or(&[][..], |(_, s)| *s);
    for source in sources {
        let path = root().join("crates").join(source);
        let files = if path.is_dir() { galatea_corpus::files(&path, &[".rs"]) } else { vec![path] };
        for file in files {
            let source = std::fs::read_to_string(file).unwrap_or_default();
            // Tests come last, and their words are no words of the format.
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            words.extend(literals(code).filter(|word| galatea::rule(word).is_none()).map(str::to_owned));
        }
    }
    if target.starts_with("mdx") {
        words.extend(mdlx::CHUNKS.iter().map(|c| c.name.to_owned()));
        words.extend(mdlx::BLOCKS.iter().map(|b| b.name.to_owned()));
        words.extend(mdlx::TRACKS.iter().map(|t| t.tag.to_string()));
    }
    let json = target.starts_with("gltf") || target.starts_with("scene");
    let mut out = String::new();
    for word in words {
        let _ = if json { writeln!(out, "\"\\\"{word}\\\"\"") } else { writeln!(out, "\"{word}\"") };
    }
    out
}

/// Returns the literals of a source text that are words: letters, digits and a few signs. Only magics, of four or eight bytes, have
/// spaces.
fn literals(source: &str) -> impl Iterator<Item = &str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(|word| {
        let magic = matches!(word.len(), 4 | 8);
        let part = |c: char| c.is_ascii_alphanumeric() || "_./#".contains(c) || (c == ' ' && magic);
        word.chars().all(part) && word.chars().any(char::is_alphabetic) && (2..=LONGEST).contains(&word.len())
    })
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn dictionaries_have_tags_and_keys() {
        for (target, words) in [
            ("mdx_read", &["KGTR", "GEOS", "VRTX", "FormatVersion"][..]),
            ("kotor_mdl_fix", &["newmodel", "setsupermodel", "bezierkey"]),
            ("bwm_ascii_read", &["verts", "roomlinks", "BWM V1.0"]),
            ("texture_fix", &["DDS ", "BLP1", "bumpmaptexture"]),
        ] {
            let text = text(target);
            for word in words {
                assert!(text.lines().any(|l| l.contains(word)), "{target}: no {word} in {text}");
            }
        }
        assert!(!text("mdx_fix").contains("MDLX0"), "codes of rules are in no file");
        assert!(text("gltf_files").lines().any(|l| l == r#""\"bufferViews\"""#));
        assert!(text("gltf_files").lines().any(|l| l == r#""\"galatea\"""#));
    }
}
