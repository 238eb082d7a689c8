//! Files that have the extension of a format but not its content: which of them are worth a word, and what to say.

use std::path::{Path, PathBuf};

use galatea_texture::{TgaHead, tpc};
use galatea_wire::{Limits, Wire};

use crate::{FORMATS, Format};

/// How files of other programs begin that use one of our extensions.
const FOREIGN: &[(&str, &[&[u8]])] = &[
    // Half-Life and Source, Quake, Hexen II, 3D GameStudio, Simulink, Vensim.
    (
        "mdl",
        &[b"IDST", b"IDSQ", b"IDPO", b"RAPO", b"MDL3", b"MDL4", b"MDL5", b"MDL7", b"Model {", b"{UTF-8}"],
    ),
];

/// Extensions that tell nothing on their own: any text may be called so, a TXI may say anything or nothing, and a page may show anything.
const VAGUE: &[&str] = &["ascii", "html", "txi"];

/// What a file of an extension is, and what it begins with.
const BEGINNINGS: &[(&[&str], &str, &str)] = &[
    (&["wok", "pwk", "dwk"], "a KotOR walkmesh", "\"BWM V1.0\""),
    (&["mdl"], "a KotOR or Warcraft III model", "the header of a KotOR model, or a text model"),
    (&["mdx"], "a Warcraft III model", "\"MDLX\""),
    (&["fmdl"], "a Fox Engine model", "\"FMDL\""),
    (&["glb"], "a binary glTF", "\"glTF\""),
    (&["gltf"], "a glTF", "a JSON object with \"asset\""),
    (&["blp"], "a BLP texture", "\"BLP0\", \"BLP1\" or \"BLP2\""),
    (&["dds"], "a DDS texture", "\"DDS \""),
    (&["ftex"], "a Fox Engine texture", "\"FTEX\""),
    (&["png"], "a PNG image", "\"\\x89PNG\""),
    (&["jpg", "jpeg"], "a JPEG image", "\"\\xFF\\xD8\""),
    (&["ascii"], "a KotOR model or walkmesh as text", "\"newmodel\", \"filedependancy\" or \"node\""),
];

/// Returns the extension of a path in lower case.
fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Returns the formats that use the extension of a file.
fn formats(path: &Path) -> impl Iterator<Item = &'static Format> {
    let extension = extension(path);
    FORMATS.iter().copied().filter(move |f| f.extensions.contains(&extension.as_str()))
}

/// Returns whether a file in a folder, whose content is of no format, is a damaged input rather than a file of another program.
/// `start` is how it begins.
pub(super) fn is_damaged(path: &Path, start: &[u8], wanted: &dyn Fn(&Format) -> bool) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let extension = extension(path);
    // Hidden files are leftovers of other programs.
    if name.starts_with('.') || !formats(path).any(wanted) {
        return false;
    }
    if VAGUE.contains(&extension.as_str()) {
        return ["mdl", "wok", "pwk", "dwk"].iter().any(|own| name.ends_with(&format!(".{own}.ascii")));
    }
    // Markdown with components is called MDX as well.
    if extension == "mdx" && !start.is_empty() && is_text(start) {
        return false;
    }
    let begins = |magics: &[&[u8]]| magics.iter().any(|magic| start.starts_with(magic));
    !FOREIGN.iter().any(|(of, magics)| *of == extension && begins(magics))
}

/// Returns the name of the file in the same directory that has this one as its companion.
fn owner(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let pairs = FORMATS.iter().flat_map(|f| f.companions.iter().map(move |companion| (f, companion)));
    pairs
        .filter_map(|(format, companion)| {
            let stem = name.len().checked_sub(companion.len() + 1)?;
            let ending = name.get(stem..)?.strip_prefix('.')?;
            if !ending.eq_ignore_ascii_case(companion) {
                return None;
            }
            format.extensions.iter().find_map(|extension| {
                let owner = format!("{}.{extension}", name.get(..stem)?);
                let bytes = std::fs::read(path.with_file_name(&owner)).ok()?;
                (format.detect)(&bytes).then(|| owner.into())
            })
        })
        .next()
}

/// Returns whether bytes may be plain text, cut anywhere.
fn is_text(start: &[u8]) -> bool {
    let whole = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    whole && !start.contains(&0)
}

/// Returns why the format of a file is not recognized, judging by its extension.
///
/// ```
/// use galatea::disk::why_unknown;
/// use std::path::Path;
/// assert_eq!(why_unknown(Path::new("hall.wok"), b""), "empty file");
/// assert_eq!(
///     why_unknown(Path::new("hall.wok"), b"<html>"),
///     "not a KotOR walkmesh: expected \"BWM V1.0\" at 0x0, found \"<html>\"; `galatea formats` lists the supported formats"
/// );
/// ```
pub fn why_unknown(path: &Path, bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "empty file".into();
    }
    if let Some(owner) = owner(path) {
        return format!("belongs to {}; open that file instead", owner.display());
    }
    if bytes.iter().all(|b| *b == 0) {
        return format!("nothing but zeros, {} bytes of them", bytes.len());
    }
    let extension = extension(path);
    let known = BEGINNINGS.iter().find(|(endings, ..)| endings.contains(&extension.as_str()));
    if let Some((_, what, expected)) = known {
        let found = found(bytes);
        return format!(
            "not {what}: expected {expected} at 0x0, found {found}; `galatea formats` lists the supported formats"
        );
    }
    // Formats without a magic: their headers tell what does not fit.
    match extension.as_str() {
        "tpc" => why_not_tpc(bytes),
        "tga" => why_not_tga(bytes),
        _ => "not a supported format; `galatea formats` lists them".into(),
    }
}

fn why_not_tpc(bytes: &[u8]) -> String {
    if bytes.len() < tpc::TpcHead::SIZE {
        return too_short("a KotOR texture", tpc::TpcHead::SIZE, bytes);
    }
    match tpc::inspect(bytes, &Limits::default()).1 {
        Some(error) => format!("not a KotOR texture, or cut off: {error}"),
        None => "not a KotOR texture: the values of its header contradict each other".into(),
    }
}

fn why_not_tga(bytes: &[u8]) -> String {
    if bytes.len() < TgaHead::SIZE {
        return too_short("a TGA image", TgaHead::SIZE, bytes);
    }
    let head = TgaHead::get(bytes);
    let (width, height) = (head.width, head.height);
    let pixels = u64::from(width) * u64::from(height) * u64::from(head.bits.div_ceil(8));
    let needed = pixels + TgaHead::SIZE as u64;
    let plain = matches!((head.kind, head.bits), (1 | 3, 8) | (2, 15 | 16 | 24 | 32));
    if plain && needed > bytes.len() as u64 {
        let have = bytes.len();
        return format!("cut off: {width} x {height} pixels need {needed} bytes, the file has {have}");
    }
    "not a TGA image: the values of its header contradict each other, or the file is cut off".into()
}

fn too_short(what: &str, header: usize, bytes: &[u8]) -> String {
    format!("not {what}, or cut off: its header has {header} bytes, the file {}", bytes.len())
}

/// Returns how a file begins, for people: as text where it is one.
fn found(bytes: &[u8]) -> String {
    let head = bytes.get(..8).unwrap_or(bytes);
    let printable = |b: &u8| b.is_ascii_graphic() || *b == b' ';
    if head.iter().all(printable) {
        return format!("{:?}", String::from_utf8_lossy(head));
    }
    head.iter().map(|b| format!("{b:02X}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "tests fail loudly")]
mod tests {
    use super::*;

    fn damaged(name: &str, start: &[u8]) -> bool {
        is_damaged(Path::new(name), start, &|_| true)
    }

    #[test]
    fn files_with_our_extension_and_foreign_content_are_damaged() {
        for name in ["a.mdl", "a.WOK", "a.pwk", "a.fmdl", "a.tpc", "a.blp", "a.tga", "a.glb", "a.mdl.ascii"] {
            assert!(damaged(name, b""), "{name}");
            assert!(damaged(name, b"\x01\x02 junk"), "{name}");
        }
        assert!(damaged("a.mdx", b"\x01\x02\x00 junk") && damaged("a.mdx", b""));
    }

    #[test]
    fn files_of_other_programs_are_left_alone() {
        for (name, start) in [
            ("half-life.mdl", &b"IDST\x30\0\0\0"[..]),
            ("quake.mdl", b"IDPO\x06\0\0\0"),
            ("plant.mdl", b"Model {\n  Name"),
            ("page.mdx", b"import Chart from './chart'\n\n# Title"),
            ("notes.ascii", b"hello"),
            ("empty.txi", b""),
            ("notes.txt", b""),
            ("._hall.wok", b"\x00\x05\x16\x07"),
            ("noextension", b""),
        ] {
            assert!(!damaged(name, start), "{name}");
        }
    }

    #[test]
    fn what_is_not_wanted_is_no_concern() {
        let models = |f: &Format| f.category == crate::Category::Model;
        assert!(!is_damaged(Path::new("a.tpc"), b"", &models));
        assert!(is_damaged(Path::new("a.mdl"), b"", &models));
    }

    #[test]
    fn reasons_name_what_was_expected_and_found() {
        let why = |name: &str, bytes: &[u8]| why_unknown(Path::new(name), bytes);
        assert_eq!(why("a.mdl", b""), "empty file");
        assert_eq!(why("a.fmdl", &[0; 300]), "nothing but zeros, 300 bytes of them");
        assert!(why("a.fmdl", b"\x7FELF").contains("expected \"FMDL\" at 0x0, found 7F 45 4C 46"));
        assert_eq!(
            why("a.tpc", &[1; 50]),
            "not a KotOR texture, or cut off: its header has 128 bytes, the file 50"
        );
        let mut tga = [0; 100];
        (tga[2], tga[12], tga[14], tga[16]) = (2, 64, 32, 24);
        assert_eq!(why("a.tga", &tga), "cut off: 64 x 32 pixels need 6162 bytes, the file has 100");
        assert!(why("a.tga", &[255; 100]).starts_with("not a TGA image: "));
        let mut tpc = [0; 200];
        (tpc[8], tpc[10], tpc[12], tpc[13]) = (16, 16, 4, 1);
        assert!(why("a.tpc", &tpc).contains("needs 1024, have 72"), "{}", why("a.tpc", &tpc));
        assert!(why("a.tpc", &[255; 200]).starts_with("not a KotOR texture"));
    }
}
