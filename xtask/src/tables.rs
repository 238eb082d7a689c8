//! `cargo xtask tables`: what was measured on the corpus, printed and, with `--write`, put into the docs pages.

use std::fmt::Write;

use clap::Args;
use galatea::Limits;
use galatea::kotor::bwm::{Kind, Walkmesh};
use galatea::kotor::surface::Walkability;
use galatea_trial::{corpus, files};

use crate::{Outcome, docs, generated, root};

#[derive(Args)]
pub(crate) struct Options {
    /// Write the tables into the docs pages
    #[arg(long)]
    write: bool,
}

/// A docs page and what measures its table; nothing where there is no corpus.
type Table = (&'static str, fn() -> Option<String>);

static TABLES: &[Table] = &[("kotor-bwm", walkmeshes)];

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        for (page, table) in TABLES {
            let Some(text) = table() else { continue };
            println!("== {page}\n\n{text}");
            if self.write {
                let path = root().join("docs/formats").join(format!("{page}.md"));
                let mut old =
                    std::fs::read_to_string(&path).map_err(|e| format!("docs/formats/{page}.md: {e}"))?;
                docs::replace(&mut old, "measured", &text)?;
                generated(&path, old.as_bytes(), false)?;
            }
        }
        Ok(())
    }
}

/// How often throwing the derived tables away and deriving them again gives the stored ones.
fn walkmeshes() -> Option<String> {
    let dir = corpus("kotor")?;
    let (mut areas, mut adjacency, mut border, mut tree) = (0usize, 0usize, 0usize, 0usize);
    let (mut faces, mut normals, mut distances) = (0usize, 0usize, 0usize);
    let mut others = String::new();
    for path in files(&dir, &[".wok"]) {
        let Ok(mesh) = Walkmesh::read(&std::fs::read(&path).ok()?, &Limits::default()) else { continue };
        if mesh.kind != Kind::Area {
            continue;
        }
        let found = mesh.compare_derived(&Walkability::default());
        areas += 1;
        adjacency += usize::from(found.adjacency);
        border += usize::from(found.border);
        tree += usize::from(found.tree);
        faces += found.faces;
        normals += found.normals;
        distances += found.distances;
        if !(found.adjacency && found.border) {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let yes = |b: bool| if b { "equal" } else { "different" };
            let _ = writeln!(others, "| `{name}` | {} | {} |", yes(found.adjacency), yes(found.border));
        }
    }
    let mut out = String::from(
        "| derived again from the faces of real areas | equal to the stored table |\n|---|---:|\n",
    );
    let _ = writeln!(out, "| neighbours | {adjacency} of {areas} files |");
    let _ = writeln!(out, "| border edges and loops | {border} of {areas} files |");
    let _ = writeln!(out, "| box tree of our own that passes all checks | {tree} of {areas} files |");
    let _ = writeln!(out, "| normals within 1e-4 | {normals} of {faces} faces |");
    let _ = writeln!(out, "| plane distances within 1e-3 of their size | {distances} of {faces} faces |");
    let _ = write!(out, "\n| files that differ | neighbours | border |\n|---|---|---|\n{others}");
    Some(out)
}
