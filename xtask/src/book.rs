//! `cargo xtask book`: the docs as a book under `target/book`, with every link checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::{Outcome, cargo, root, run};

#[derive(Args)]
pub(crate) struct Options {}

/// Pages outside `docs` and what they are called in the book.
const OUTSIDE: &[(&str, &str)] = &[
    ("README.md", "introduction.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("CHANGELOG.md", "changes.md"),
];

/// Where links into the rest of the repository lead.
const REPOSITORY: &str = "https://github.com/galatea-models/galatea/blob/main";

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let (stage, out) = (root().join("target/book-source"), root().join("target/book"));
        for old in [&stage, &out] {
            if old.is_dir() {
                fs::remove_dir_all(old).map_err(|e| format!("{}: {e}", old.display()))?;
            }
        }
        stage_pages(&stage)?;
        if !Command::new("mdbook").arg("--version").output().is_ok_and(|o| o.status.success()) {
            let features = ["--no-default-features", "--features", "search"];
            run(cargo(&["install", "--locked", "mdbook"]).args(features), "installing mdbook")?;
        }
        run(Command::new("mdbook").arg("build").arg(&stage), "mdbook")?;
        let (pages, links) = check(&out)?;
        println!("target/book: {pages} pages, {links} links, none dead");
        Ok(())
    }
}

/// Copies the pages, with links that lead somewhere both in the book and outside of it.
fn stage_pages(stage: &Path) -> Outcome {
    let docs = root().join("docs");
    let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in files_below(&docs) {
        let inside = path.strip_prefix(&docs).unwrap_or(&path);
        files.push((Path::new("docs").join(inside), inside.to_path_buf()));
    }
    files.extend(OUTSIDE.iter().map(|(from, to)| (PathBuf::from(from), PathBuf::from(to))));
    let places: BTreeMap<PathBuf, PathBuf> = files.iter().cloned().collect();
    for (from, to) in &files {
        let target = if to.as_os_str() == "book.toml" { stage.join(to) } else { stage.join("src").join(to) };
        let bytes = fs::read(root().join(from)).map_err(|e| format!("{}: {e}", from.display()))?;
        let bytes = match from.extension() {
            Some(extension) if extension == "md" => {
                let page = String::from_utf8_lossy(&bytes);
                relink(&page, &|link| place_of(link, from, to, &places)).into_bytes()
            }
            _ => bytes,
        };
        let folder = target.parent().unwrap_or(stage);
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        fs::write(&target, bytes).map_err(|e| format!("{}: {e}", target.display()))?;
    }
    Ok(())
}

/// Returns where a link of a page leads in the book. One that leads nowhere stays, and is found later.
fn place_of(link: &str, from: &Path, to: &Path, places: &BTreeMap<PathBuf, PathBuf>) -> String {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    if path.is_empty() || is_remote(path) {
        return link.to_owned();
    }
    let wanted = normal(&from.parent().unwrap_or(Path::new("")).join(path));
    let anchor = anchor.map_or(String::new(), |a| format!("#{a}"));
    if let Some(place) = places.get(&wanted) {
        let up = "../".repeat(to.components().count() - 1);
        return format!("{up}{}{anchor}", slashes(place));
    }
    if root().join(&wanted).exists() {
        return format!("{REPOSITORY}/{}{anchor}", slashes(&wanted));
    }
    link.to_owned()
}

/// Changes the targets of all links and images of a Markdown page, outside of code.
fn relink(page: &str, change: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(page.len());
    let mut fenced = false;
    for line in page.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if fence || fenced {
            out.push_str(line);
            continue;
        }
        // Every second part is code.
        for (index, part) in line.split('`').enumerate() {
            if index > 0 {
                out.push('`');
            }
            if index % 2 == 1 {
                out.push_str(part);
                continue;
            }
            let mut rest = part;
            while let Some((before, after)) = rest.split_once("](") {
                out.push_str(before);
                out.push_str("](");
                let (link, behind) = after.split_once(')').unwrap_or((after, ""));
                out.push_str(&change(link));
                if after.len() > link.len() {
                    out.push(')');
                }
                rest = behind;
            }
            out.push_str(rest);
        }
    }
    out
}

/// Checks that every local link of a built book leads to a file, and to an anchor in it. Returns the number of pages and links.
fn check(book: &Path) -> Result<(usize, usize), String> {
    let pages: Vec<PathBuf> =
        files_below(book).into_iter().filter(|p| p.extension().is_some_and(|e| e == "html")).collect();
    let mut anchors: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    let mut texts = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
        let found = attributes(&text, "id").chain(attributes(&text, "name")).map(str::to_owned).collect();
        anchors.insert(normal(&page), found);
        texts.push((page, text));
    }
    let (mut dead, mut links) = (Vec::new(), 0);
    // The whole book on one page and the page for wrong addresses repeat links relative to other places.
    let own = |page: &Path| !page.ends_with("print.html") && !page.ends_with("404.html");
    for (page, text) in texts.iter().filter(|(page, _)| own(page)) {
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            if is_remote(path) || path.starts_with("data:") {
                continue;
            }
            links += 1;
            let folder = page.parent().unwrap_or(book);
            let target = if path.is_empty() { page.clone() } else { folder.join(path) };
            let known = anchors.get(&normal(&target));
            let there = target.exists() && (anchor.is_empty() || known.is_some_and(|k| k.contains(anchor)));
            if !there {
                let shown = page.strip_prefix(book).unwrap_or(page).display();
                dead.push(format!("{shown}: {link}"));
            }
        }
    }
    match dead.is_empty() {
        true => Ok((texts.len(), links)),
        false => Err(format!("{} dead links:\n{}", dead.len(), dead.join("\n"))),
    }
}

/// Returns the values of an attribute in HTML.
fn attributes<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {name}=\"");
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.find(&start)? + start.len();
        let (value, behind) = rest.get(at..)?.split_once('"')?;
        rest = behind;
        Some(value)
    })
}

fn is_remote(link: &str) -> bool {
    link.contains("://") || link.starts_with("mailto:")
}

/// Returns a path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

fn slashes(path: &Path) -> String {
    path.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Returns all files below a folder, in order.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { todo.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_outside_of_code_are_changed() {
        let page = "[a](x.md) `[b](y.md)` ![c](z.png)\n```\n[d](w.md)\n```\n";
        let changed = relink(page, &|link| link.to_uppercase());
        assert_eq!(changed, "[a](X.MD) `[b](y.md)` ![c](Z.PNG)\n```\n[d](w.md)\n```\n");
    }

    #[test]
    fn links_lead_to_pages_of_the_book_and_else_to_the_repository() {
        let pairs = [
            ("README.md", "introduction.md"),
            ("docs/walk.md", "walk.md"),
            ("docs/formats/mdx.md", "formats/mdx.md"),
        ];
        let places = pairs.map(|(a, b)| (PathBuf::from(a), PathBuf::from(b))).into();
        let from = |link: &str| {
            place_of(link, Path::new("docs/formats/mdx.md"), Path::new("formats/mdx.md"), &places)
        };
        assert_eq!(from("../../README.md#try-it"), "../introduction.md#try-it");
        assert_eq!(from("../walk.md"), "../walk.md");
        assert_eq!(from("../../deny.toml"), format!("{REPOSITORY}/deny.toml"));
        assert_eq!(from("https://example.org/a"), "https://example.org/a");
        assert_eq!(from("gone.md"), "gone.md");
    }

    #[test]
    fn dead_links_and_anchors_are_found() {
        let book = std::env::temp_dir().join(format!("galatea-book-{}", std::process::id()));
        fs::create_dir_all(&book).unwrap();
        fs::write(
            book.join("a.html"),
            "<h1 id=\"top\">A</h1> <a href=\"b.html#here\">b</a> <a href=\"#top\">t</a>",
        )
        .unwrap();
        fs::write(book.join("b.html"), "<h1 id=\"here\">B</h1>").unwrap();
        let whole = check(&book);
        fs::write(book.join("b.html"), "<a href=\"c.html\">c</a>").unwrap();
        let broken = check(&book);
        fs::remove_dir_all(&book).unwrap();
        assert_eq!(whole, Ok((2, 2)));
        assert_eq!(broken, Err("2 dead links:\na.html: b.html#here\nb.html: c.html".into()));
    }
}
