//! Texts for the Fox Engine's hashed names.

use std::io;
use std::path::PathBuf;

use galatea_fox::Dictionary;

/// Returns the built-in texts, those in the user's own folder, and those in these files. The error names the file that could not be
/// read.
pub fn dictionary(files: &[PathBuf]) -> Result<Dictionary, (PathBuf, io::Error)> {
    let mut out = Dictionary::built_in();
    let entries = user_folder().and_then(|dir| dir.read_dir().ok()).into_iter().flatten().flatten();
    let mut own: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_file()).collect();
    own.sort();
    for path in own.iter().chain(files) {
        let bytes = std::fs::read(path).map_err(|e| (path.clone(), e))?;
        out.add_lines(&String::from_utf8_lossy(&bytes));
    }
    Ok(out)
}

/// Returns the user's own folder of dictionaries.
fn user_folder() -> Option<PathBuf> {
    let base = if cfg!(windows) {
        std::env::var_os("APPDATA").map(PathBuf::from)
    } else {
        let home = || std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".config"));
        std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home)
    };
    base.map(|b| b.join("galatea").join("names"))
}
