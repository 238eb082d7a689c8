//! The two texts that lead into a storage: `.build.info` and the build configuration.

use std::collections::BTreeMap;

use galatea_wire::{Error, ErrorKind, Result};

use super::{EKey, KEY_PREFIX};

/// Products that are Warcraft III: the game and its public test.
const PRODUCTS: [&str; 2] = ["w3", "w3t"];

/// The row of `.build.info` that is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildInfo {
    /// The name of the build configuration, 32 hexadecimal digits.
    pub build_key: String,
    /// The version of the game, such as `1.36.2.21230`; empty if it is not stated.
    pub version: String,
}

impl BuildInfo {
    /// Parses the text: a line of column names, then a line for each product. Takes the active one of Warcraft III.
    ///
    /// ```
    /// use galatea_archive::casc::BuildInfo;
    /// let text = "Active!DEC:1|Build Key!HEX:16|Version!STRING:0|Product!STRING:0\n\
    ///             1|0123456789abcdef0123456789abcdef|1.36.2.21230|w3\n";
    /// assert_eq!(BuildInfo::parse(text.as_bytes())?.version, "1.36.2.21230");
    /// # Ok::<(), galatea_archive::Error>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<BuildInfo> {
        let text = String::from_utf8_lossy(text);
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap_or("").split('|').map(name_of).collect();
        let column = |name: &str| head.iter().position(|cell| cell.eq_ignore_ascii_case(name));
        let Some(build_key) = column("Build Key") else {
            return Err(Error::at_line(ErrorKind::NotThisFormat, 1, 1));
        };
        let mut others = Vec::new();
        for (index, line) in lines.enumerate() {
            let cells: Vec<&str> = line.split('|').collect();
            let cell = |name: &str| column(name).and_then(|at| cells.get(at)).map(|cell| cell.trim());
            if cell("Active").is_some_and(|active| active != "1") || line.trim().is_empty() {
                continue;
            }
            // Older files lack the column.
            if let Some(product) = cell("Product").filter(|product| !PRODUCTS.contains(product)) {
                others.push(product.to_owned());
                continue;
            }
            let key = cells.get(build_key).copied().unwrap_or("").trim().to_ascii_lowercase();
            if !is_key(&key) {
                let what = "expected a build key of 32 hexadecimal digits";
                return Err(Error::syntax(what, index as u32 + 2, 1));
            }
            return Ok(BuildInfo { build_key: key, version: cell("Version").unwrap_or("").to_owned() });
        }
        let what = if others.is_empty() {
            "no active build".to_owned()
        } else {
            format!("the storage of another game: {}", galatea_wire::escape(&others.join(", ")))
        };
        Err(Error::at_line(ErrorKind::Unsupported(what.into()), 1, 1))
    }

    /// Returns where the build configuration is.
    pub(super) fn config_path(&self) -> String {
        let (a, b) = (self.build_key.get(..2).unwrap_or(""), self.build_key.get(2..4).unwrap_or(""));
        format!("Data/config/{a}/{b}/{}", self.build_key)
    }
}

/// Returns the name of a column without its type.
fn name_of(cell: &str) -> &str {
    cell.split('!').next().unwrap_or(cell).trim()
}

/// Returns `true` if the bytes begin like a `.build.info`.
pub(super) fn is_build_info(bytes: &[u8]) -> bool {
    let line = bytes.split(|b| *b == b'\n').next().unwrap_or(bytes);
    line.windows(10).any(|window| window == b"Build Key!") && line.contains(&b'|')
}

fn is_key(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The build configuration: what the storage has besides the files of the game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildConfig {
    values: BTreeMap<String, Vec<String>>,
}

/// A file that a configuration names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) ckey: [u8; 16],
    pub(super) ekey: EKey,
    /// Its bytes when unpacked.
    pub(super) size: u64,
}

impl BuildConfig {
    /// Parses the text: `key = value value`, `#` begins a comment.
    pub fn parse(text: &[u8]) -> Result<BuildConfig> {
        let text = String::from_utf8_lossy(text);
        let mut values = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                return Err(Error::syntax("expected `key = value`", index as u32 + 1, 1));
            };
            values.insert(key.trim().to_owned(), value.split_whitespace().map(str::to_owned).collect());
        }
        Ok(BuildConfig { values })
    }

    /// Returns the values of a key; none if it is not there.
    pub fn get(&self, key: &str) -> &[String] {
        self.values.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns a file by its key in the configuration, with both of its hashes and its size.
    pub(super) fn named(&self, key: &str) -> Option<Named> {
        let [ckey, ekey] = self.get(key) else { return None };
        let ekey = hex(ekey)?;
        let size = self.get(&format!("{key}-size")).first()?.parse().ok()?;
        Some(Named { ckey: hex(ckey)?, ekey: prefix(&ekey), size })
    }

    /// Returns the keys of all name tables inside of name tables, with their sizes.
    pub(super) fn nested(&self) -> Vec<Named> {
        let numbered = |key: &&String| {
            key.strip_prefix("vfs-").is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
        };
        self.values.keys().filter(numbered).filter_map(|key| self.named(key)).collect()
    }
}

/// Returns the part of a key that indices and name tables have.
pub(super) fn prefix(key: &[u8; 16]) -> EKey {
    let mut out = [0; KEY_PREFIX];
    out.iter_mut().zip(key).for_each(|(out, byte)| *out = *byte);
    out
}

/// Parses a key of 32 hexadecimal digits.
pub(super) fn hex(text: &str) -> Option<[u8; 16]> {
    if !is_key(text) {
        return None;
    }
    Some(u128::from_str_radix(text, 16).ok()?.to_be_bytes())
}
