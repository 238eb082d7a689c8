//! Patterns of file names: `*`, `?` and `**`.

use std::path::{Path, PathBuf};

/// A pattern of paths. `*` stands for any part of a step, `?` for one character of it, `**` for any part of a path. Letter case does
/// not count.
///
/// ```
/// use galatea::disk::Glob;
/// let glob = Glob::new("plc_*.mdl");
/// assert!(glob.fits("PLC_chair.mdl") && !glob.fits("data/plc_chair.mdl") && !glob.fits("plc_chair.mdx"));
/// assert!(Glob::new("Assets/**/*.fmdl").fits("Assets/tpp/pack/x.fmdl"));
/// assert!(Glob::new("*.mdl").fits_anywhere("data/plc_chair.mdl"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    pattern: Vec<char>,
}

impl Glob {
    /// Returns a pattern.
    pub fn new(pattern: &str) -> Glob {
        Glob { pattern: pattern.replace('\\', "/").to_lowercase().chars().collect() }
    }

    /// Takes a path with a pattern apart: the folder or archive to search, and the pattern below it; `None` if it has none.
    pub(super) fn of_path(path: &Path) -> Option<(PathBuf, Glob)> {
        let text = path.to_str()?;
        let first = text.find(['*', '?'])?;
        let cut = text.get(..first)?.rfind(['/', std::path::MAIN_SEPARATOR]);
        let root = match cut {
            Some(0) => "/",
            Some(cut) => text.get(..cut)?,
            None => ".",
        };
        Some((PathBuf::from(root), Glob::new(text.get(cut.map_or(0, |cut| cut + 1)..)?)))
    }

    /// Returns `true` if a path fits, `/` between its steps.
    pub fn fits(&self, path: &str) -> bool {
        let path: Vec<char> = path.to_lowercase().chars().collect();
        fits(&self.pattern, &path)
    }

    /// Returns `true` if a path fits; a pattern without `/` is compared with the last step alone.
    pub fn fits_anywhere(&self, path: &str) -> bool {
        let name = if self.pattern.contains(&'/') { path } else { path.rsplit('/').next().unwrap_or(path) };
        self.fits(name)
    }
}

/// Returns the folder or archive that is searched for a path: the path itself, unless it is a pattern.
pub fn search_root(path: &Path) -> PathBuf {
    match super::locate(path) {
        Err(_) => Glob::of_path(path).map_or_else(|| path.to_path_buf(), |(root, _)| root),
        Ok(_) => path.to_path_buf(),
    }
}

/// Compares with going back to the last star alone, so that the work is bounded by the product of the lengths.
fn fits(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where to go on after the last `*` and the last `**`, if what follows does not fit: in the pattern and in the text.
    let mut star: Option<(usize, usize)> = None;
    let mut deep: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(p), text.get(t)) {
            (None, None) => return true,
            (Some('*'), _) if pattern.get(p + 1) == Some(&'*') => {
                p += if pattern.get(p + 2) == Some(&'/') { 3 } else { 2 };
                (deep, star) = (Some((p, t)), None);
                continue;
            }
            (Some('*'), _) => {
                p += 1;
                star = Some((p, t));
                continue;
            }
            (Some(want), Some(have)) if want == have || (*want == '?' && *have != '/') => {
                (p, t) = (p + 1, t + 1);
                continue;
            }
            _ => {}
        }
        // A `*` never crosses a step.
        if let Some((next, at)) = star.filter(|(_, at)| text.get(*at).is_some_and(|c| *c != '/')) {
            (p, t) = (next, at + 1);
            star = Some((p, t));
        } else if let Some((next, at)) = deep.filter(|(_, at)| *at < text.len()) {
            (p, t) = (next, at + 1);
            (deep, star) = (Some((p, t)), None);
        } else {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_what_they_say() {
        for (pattern, fitting, others) in [
            ("*", &["a", "a.mdl", ""][..], &["a/b"][..]),
            ("**", &["a", "a/b"], &[]),
            ("a*b*c", &["abc", "axbxc", "abbc"], &["ab", "a/bc"]),
            ("**/x", &["x", "a/x", "a/b/x"], &["a/y"]),
            ("a/**/z*.t", &["a/z.t", "a/b/zz.t"], &["b/z.t", "a/b/y.t"]),
            ("?.b", &["a.b"], &["ab.b", "/.b"]),
            ("[x].b", &["[x].b"], &["x.b"]),
        ] {
            let glob = Glob::new(pattern);
            assert!(fitting.iter().all(|text| glob.fits(text)), "{pattern}");
            assert!(!others.iter().any(|text| glob.fits(text)), "{pattern}");
        }
    }

    #[test]
    fn the_work_does_not_explode() {
        assert!(!Glob::new(&format!("{}b", "*a".repeat(60))).fits(&"a".repeat(5000)));
    }
}
