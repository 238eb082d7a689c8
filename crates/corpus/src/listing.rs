//! The files that a test is about, read without exception.
#![allow(clippy::panic, reason = "a missing or unreadable file has to fail the test")]

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{LOG_VARIABLE, manifest, place};

/// The files of the corpus that a test reads, as the manifests list them.
#[derive(Debug, Clone)]
pub struct Listing {
    root: PathBuf,
    files: Vec<String>,
}

/// Lists the files of some parts of the corpus whose names end like this (case ignored), sorted.
///
/// # Panics
/// If there is no corpus, if a part has no manifest, or if it lists no such file.
pub fn listed(parts: &[&str], endings: &[&str]) -> Listing {
    listed_in(place(), parts, endings)
}

fn listed_in(root: PathBuf, parts: &[&str], endings: &[&str]) -> Listing {
    let mut files = Vec::new();
    for part in parts {
        let all =
            manifest::read(&root, part).unwrap_or_else(|error| panic!("this test needs the corpus: {error}"));
        let before = files.len();
        files.extend(all.into_iter().filter(|f| endings.iter().any(|e| f.to_lowercase().ends_with(e))));
        assert!(files.len() > before, "the manifest of {part} lists no file that ends in {endings:?}");
    }
    files.sort();
    Listing { root, files }
}

impl Listing {
    /// Leaves out files by a part of their path, such as those known to be damaged.
    ///
    /// # Panics
    /// If a name is not in the manifest.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Listing {
        for name in names {
            let before = self.files.len();
            self.files.retain(|file| !file.contains(name));
            assert!(self.files.len() < before, "{name} is not in the manifest");
        }
        self
    }

    /// Keeps the files of one part of their path.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn only(mut self, name: &str) -> Listing {
        self.files.retain(|file| file.contains(name));
        assert!(!self.files.is_empty(), "{name} is not in the manifest");
        self
    }

    /// Keeps the first of every `step` files.
    #[must_use]
    pub fn every(mut self, step: usize) -> Listing {
        self.files = self.files.into_iter().step_by(step).collect();
        self
    }

    /// Keeps the files that [`every`](Listing::every) leaves out.
    #[must_use]
    pub fn but_every(mut self, step: usize) -> Listing {
        let files = self.files.into_iter().enumerate();
        self.files = files.filter(|(i, _)| !i.is_multiple_of(step)).map(|(_, file)| file).collect();
        self
    }

    /// Keeps the `count` largest files, the largest first.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn largest(mut self, count: usize) -> Listing {
        let size = |file: &String| std::fs::metadata(self.root.join(file)).map_or(0, |m| m.len());
        self.files.sort_by_key(|file| (std::cmp::Reverse(size(file)), file.clone()));
        assert!(self.files.len() >= count, "{count} files are wanted, {} listed", self.files.len());
        self.files.truncate(count);
        self
    }

    /// Returns how many files there are.
    #[allow(clippy::len_without_is_empty, reason = "a listing is never empty")]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Reads the files one after the other.
    ///
    /// The iterator panics, naming the file, if one cannot be opened or `read` refuses it.
    pub fn read<T, E: Display, F: FnMut(&Path, &[u8]) -> Result<T, E>>(self, read: F) -> Real<F> {
        Real { root: self.root, files: self.files, next: 0, read }
    }

    /// Reads the bytes of the files one after the other.
    pub fn bytes(self) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
        self.read(|_, bytes| Ok::<_, String>(bytes.to_vec()))
    }
}

/// An iterator over files of the corpus and what was read from them.
#[derive(Debug)]
pub struct Real<F> {
    root: PathBuf,
    files: Vec<String>,
    next: usize,
    read: F,
}

impl<T, E: Display, F: FnMut(&Path, &[u8]) -> Result<T, E>> Iterator for Real<F> {
    type Item = (PathBuf, T);

    fn next(&mut self) -> Option<(PathBuf, T)> {
        let path = self.root.join(self.files.get(self.next)?);
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let value = (self.read)(&path, &bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self.next += 1;
        Some((path, value))
    }
}

/// Notes what was read, for the count that `cargo xtask test` prints.
impl<F> Drop for Real<F> {
    fn drop(&mut self) {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let Some(dir) = std::env::var_os(LOG_VARIABLE) else { return };
        let name = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let read = self.files.get(..self.next).unwrap_or_default().join("\n");
        if let Err(error) = std::fs::write(Path::new(&dir).join(name), read) {
            eprintln!("cannot note what was read: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Listing, listed_in};

    /// A corpus of a few words, which is gone at the end.
    struct Corpus(PathBuf);

    impl Corpus {
        fn new(name: &str) -> Corpus {
            let root = std::env::temp_dir().join(format!("galatea-corpus-{name}-{}", std::process::id()));
            let files = [
                (
                    "mdx/MANIFEST.tsv",
                    "file\tsize\nv800/a.mdx\t3\nv800/B.MDX\t5\nv900/c.mdx\t1\ntext/d.mdl\t1\n",
                ),
                ("mdx/v800/a.mdx", "aaa"),
                ("mdx/v800/B.MDX", "bbbbb"),
                ("mdx/v800/not listed.mdx", "n"),
                ("mdx/v900/c.mdx", "c"),
                (
                    "sets/MANIFEST.tsv",
                    "family\tset\tmodel\ttextures\nwc3\tx\tfar/away/x.mdx\t2\nfox\ty\ty.fmdl\t0\n",
                ),
                ("sets/wc3/x/x.mdx", "x"),
                ("sets/wc3/x/x.blp", "x"),
                ("sets/wc3/x/Y.TGA", "y"),
                ("sets/fox/y/y.fmdl", "y"),
            ];
            for (path, text) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Corpus(root)
        }

        fn listed(&self, parts: &[&str], endings: &[&str]) -> Listing {
            listed_in(self.0.clone(), parts, endings)
        }
    }

    impl Drop for Corpus {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn refused(body: impl FnOnce() -> usize + std::panic::UnwindSafe) -> String {
        let error = std::panic::catch_unwind(body).unwrap_err();
        error.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn manifests_say_what_there_is() {
        let corpus = Corpus::new("listed");
        let all = corpus.listed(&["mdx", "sets/wc3"], &[".mdx"]);
        assert_eq!(all.files, ["mdx/v800/B.MDX", "mdx/v800/a.mdx", "mdx/v900/c.mdx", "sets/wc3/x/x.mdx"]);
        assert_eq!(corpus.listed(&["mdx/v800"], &[".mdx"]).len(), 2);
        assert_eq!(
            corpus.listed(&["sets"], &[".tga", ".blp"]).files,
            ["sets/wc3/x/Y.TGA", "sets/wc3/x/x.blp"]
        );
        assert_eq!(all.clone().without(&["v900/", "x.mdx"]).len(), 2);
        assert_eq!(all.clone().every(3).files, ["mdx/v800/B.MDX", "sets/wc3/x/x.mdx"]);
        assert_eq!(all.clone().but_every(3).files, ["mdx/v800/a.mdx", "mdx/v900/c.mdx"]);
        assert_eq!(all.clone().largest(2).files, ["mdx/v800/B.MDX", "mdx/v800/a.mdx"]);
        let read: Vec<usize> = all.bytes().map(|(_, bytes)| bytes.len()).collect();
        assert_eq!(read, [5, 3, 1, 1]);
    }

    #[test]
    fn what_is_missing_fails_the_test() {
        let corpus = Corpus::new("missing");
        let root = corpus.0.clone();
        assert!(
            refused(|| listed_in(root.join("nowhere"), &["mdx"], &[".mdx"]).len())
                .contains("needs the corpus")
        );
        assert!(refused(|| corpus.listed(&["mdx"], &[".wok"]).len()).contains("lists no file"));
        let all = corpus.listed(&["mdx"], &[".mdx"]);
        assert!(
            refused(|| all.clone().without(&["gone.mdx"]).len()).contains("gone.mdx is not in the manifest")
        );
        let text = corpus.listed(&["mdx"], &[".mdl"]);
        assert!(refused(|| text.bytes().count()).contains("d.mdl"), "listed, but not there");
        let read = |_: &Path, bytes: &[u8]| if bytes == b"c" { Err("is damaged") } else { Ok(()) };
        assert!(refused(|| all.read(read).count()).ends_with("c.mdx: is damaged"));
        std::fs::remove_file(root.join("sets/wc3/x/Y.TGA")).unwrap();
        assert!(refused(|| corpus.listed(&["sets"], &[".mdx"]).len()).contains("has 1 textures"));
    }
}
