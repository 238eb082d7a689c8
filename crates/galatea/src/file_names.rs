//! Names of files: which are safe, and which belong together.

use std::path::{Path, PathBuf};

#[cfg(all(feature = "kotor", feature = "mdlx"))]
use galatea_texture::find::Game;

#[cfg(all(feature = "kotor", feature = "mdlx"))]
use crate::{Format, FormatId};

/// Returns a path below a folder, steps divided by `/`; `None` if it would lead out of the folder or mean anything but a plain
/// file on any system.
///
/// ```
/// use galatea::file_names::inside;
/// use std::path::Path;
/// let out = Path::new("out");
/// assert_eq!(inside(out, "maps/wall.png"), Some(out.join("maps").join("wall.png")));
/// for bad in ["../x", "/x", "a/../../x", "C:\\x", "C:/x", "a\\b", "con", "nul.txt", "a//b", "", "a\nb", "x.", "x "] {
///     assert_eq!(inside(out, bad), None, "{bad:?}");
/// }
/// ```
pub fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    path.split('/').try_fold(folder.to_path_buf(), |whole, step| plain(step).then(|| whole.join(step)))
}

/// Returns whether a name is that of an ordinary file on every system.
fn plain(name: &str) -> bool {
    const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
    let stem = name.split('.').next().unwrap_or("").trim_end().to_lowercase();
    let numbered = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
    let device =
        DEVICES.contains(&stem.as_str()) || numbered.is_some_and(|n| matches!(n.as_bytes(), [b'0'..=b'9']));
    !name.is_empty()
        && name.len() <= 255
        && !device
        && !name.ends_with(['.', ' '])
        && !name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|'])
        && !name.chars().any(char::is_control)
}

/// Returns the name of a file without its ending. Texts have two.
///
/// ```
/// use galatea::file_names::stem;
/// use std::path::Path;
/// assert_eq!(stem(Path::new("rooms/hall.wok")), "hall");
/// assert_eq!(stem(Path::new("hall.wok.ascii")), "hall");
/// assert_eq!(stem(Path::new("hall.v2.wok")), "hall.v2");
/// ```
pub fn stem(path: &Path) -> String {
    let text = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned());
    let Some(stem) = text(path.file_stem()) else { return "model".into() };
    let ending = Path::new(&stem).extension().map(|e| e.to_ascii_lowercase());
    let twice = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ascii"))
        && ending.is_some_and(|e| ["mdl", "wok", "pwk", "dwk"].iter().any(|known| e == *known));
    if twice { text(Path::new(&stem).file_stem()).unwrap_or(stem) } else { stem }
}

/// Turns any text into a name that [`inside`] takes: what a file name cannot hold becomes `_`.
///
/// ```
/// use galatea::file_names::file_name;
/// assert_eq!(file_name("wall 01"), "wall 01");
/// assert_eq!(file_name("../../x"), ".._.._x");
/// assert_eq!(file_name("C:\\x"), "C__x");
/// assert_eq!(file_name("con"), "_con");
/// assert_eq!(file_name(&"x".repeat(300)).len(), 200);
/// assert_eq!(file_name(""), "_");
/// ```
pub fn file_name(text: &str) -> String {
    let bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let mut name: String = text.chars().map(|c| if bad(c) { '_' } else { c }).collect();
    let end = (0..=200.min(name.len())).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    name.truncate(end);
    name.truncate(name.trim_end_matches(['.', ' ']).len());
    if plain(&name) { name } else { format!("_{name}") }
}

/// Returns the format that the name of a file to write asks for, given what is converted: `.mdl` may mean several. `None` if no
/// format that can be written has that extension.
///
/// ```
/// use galatea::{FormatId, file_names::format_to_write};
/// use std::path::Path;
/// let asked = |name: &str, from: FormatId| format_to_write(Path::new(name), from.format());
/// assert_eq!(asked("a.mdl", FormatId::Mdx), Some(FormatId::Mdl));
/// assert_eq!(asked("a.mdl", FormatId::Glb), Some(FormatId::KotorMdl));
/// assert_eq!(asked("a.wok.ascii", FormatId::Glb), Some(FormatId::KotorBwmAscii));
/// assert_eq!(asked("a.doc", FormatId::Glb), None);
/// ```
#[cfg(all(feature = "kotor", feature = "mdlx"))]
pub fn format_to_write(path: &Path, from: &Format) -> Option<FormatId> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let walkmesh = matches!(from.id, FormatId::KotorBwm | FormatId::KotorBwmAscii)
        || [".wok.ascii", ".pwk.ascii", ".dwk.ascii"].iter().any(|ending| name.ends_with(ending));
    Some(match name.rsplit('.').next()? {
        "ascii" if walkmesh => FormatId::KotorBwmAscii,
        "ascii" => FormatId::KotorMdlAscii,
        "mdl" if from.game == Some(Game::Warcraft) => FormatId::Mdl,
        "mdl" if name.ends_with("-ascii.mdl") || from.id == FormatId::KotorMdl => FormatId::KotorMdlAscii,
        "mdl" => FormatId::KotorMdl,
        ending => return FormatId::targets().find(|id| id.format().extensions.contains(&ending)),
    })
}

/// Returns the path of a companion: the file that is there, whatever the letter case of its extension, or the usual name.
#[cfg(feature = "disk")]
pub(crate) fn companion(path: &Path, extension: &str) -> PathBuf {
    let usual = path.with_extension(extension);
    let upper = path.with_extension(extension.to_uppercase());
    if !usual.exists() && upper.is_file() && upper != path { upper } else { usual }
}
