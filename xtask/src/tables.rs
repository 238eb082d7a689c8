//! `cargo xtask tables`: what was measured on the corpus, printed and, with `--write`, put into the docs pages.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::Args;
use galatea::Limits;
use galatea::fox::{Dictionary, Fmdl, MaterialInstance, Presets};
use galatea::kotor::bwm::{Kind, Walkmesh};
use galatea::kotor::mdl::Model;
use galatea::kotor::mdl::derive::Comparison;
use galatea::kotor::surface::Walkability;
use galatea_corpus::{corpus, files};

use crate::{Outcome, docs, generated, root};

#[derive(Args)]
pub(crate) struct Options {
    /// Write the tables into the docs pages
    #[arg(long)]
    write: bool,
}

/// A docs page and what measures its table; nothing where there is no corpus.
type Table = (&'static str, fn() -> Option<String>);

static TABLES: &[Table] = &[("kotor-bwm", walkmeshes), ("kotor-mdl", kotor_models), ("fmdl", fox_models)];

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

/// Returns how often throwing the derived tables away and deriving them again gives the stored ones.
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

/// Returns how many values stored in KotOR models are as derived, over the files that follow the compiler's rules.
fn kotor_models() -> Option<String> {
    let dir = corpus("kotor")?;
    let mut sum = Comparison::default();
    let (mut chosen, mut all) = (0usize, 0usize);
    for path in files(&dir, &[".mdl"]) {
        let (mdl, mdx) = (std::fs::read(&path).ok()?, std::fs::read(path.with_extension("mdx")).ok());
        let Ok(model) = Model::read(&mdl, mdx.as_deref(), &Limits::default()) else { continue };
        all += 1;
        let compared = model.compare_derived();
        if model.has_compilers_order() && compared.follows_compiler() {
            chosen += 1;
            sum += compared;
        }
    }
    let mut out = format!(
        "{chosen} of {all} models are laid out in the compiler's order and follow its rules for neighbours and radii:\n\n\
         | stored value | values | as derived | share |\n|---|---:|---:|---:|\n"
    );
    for (name, tally) in sum.rows() {
        let _ = writeln!(out, "| {name} | {} | {} | {:.2} % |", tally.all, tally.same, 100.0 * tally.share());
    }
    Some(out)
}

/// Returns how many derived fields of Fox Engine models come out as the game's compiler stored them.
fn fox_models() -> Option<String> {
    let dir = corpus("fmdl")?;
    let mut sum: Vec<(&'static str, usize, usize)> = Vec::new();
    let (mut chosen, mut all) = (0usize, 0usize);
    for path in files(&dir, &[".fmdl"]) {
        let bytes = std::fs::read(&path).ok()?;
        let Ok(model) = Fmdl::read(&bytes, &Limits::default()) else { continue };
        all += 1;
        // Files of the game's own compiler are those that its layout reproduces.
        let mut canonical = model.clone();
        canonical.forget_layout();
        if canonical.write().is_ok_and(|b| b == bytes) {
            chosen += 1;
            for (index, (name, held, of)) in model.agreement().lines().into_iter().enumerate() {
                match sum.get_mut(index) {
                    Some(row) => {
                        row.1 += held;
                        row.2 += of;
                    }
                    None => sum.push((name, held, of)),
                }
            }
        }
    }
    let mut out = format!(
        "The canonical layout reproduces {chosen} of {all} files byte for byte. In those:\n\n| field | agrees |\n|---|---:|\n"
    );
    for (name, held, of) in sum {
        let _ = writeln!(out, "| {name} | {held} of {of} |");
    }
    let _ = write!(out, "\n{}", presets(&dir)?);
    Some(out)
}

/// Returns how many materials of each game have a preset, and which have none.
fn presets(dir: &std::path::Path) -> Option<String> {
    let (presets, names) = (Presets::built_in(), Dictionary::built_in());
    let mut games: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files(dir, &[".fmdl"]) {
        let Ok(mut model) = Fmdl::read(&std::fs::read(&path).ok()?, &Limits::default()) else { continue };
        model.resolve_names(&names);
        for material in &model.materials {
            let row = games.entry(if model.has_hashes() { "2.04" } else { "2.03" }).or_default();
            let fitting = presets.of_instance(material);
            row[0] += 1;
            row[1] += usize::from(fitting.is_some());
            row[2] += usize::from(fitting.is_some_and(|p| !p.about.is_empty()));
            row[3] += usize::from(fitting.is_some_and(|p| same_parameters(p, material)));
            match fitting {
                Some(preset) => *counted.entry(preset.name()).or_default() += 1,
                None => {
                    *missing
                        .entry(format!("`{}` / `{}`", material.shader, material.technique))
                        .or_default() += 1
                }
            }
        }
    }
    let mut out = String::from(
        "Materials that have a preset with the same shader, technique and slots (of `galatea shaders`):\n\n\
         | version | materials | with a preset | with one that has a name of its own | all parameters equal to it |\n\
         |---|---:|---:|---:|---:|\n",
    );
    let mut all = [0; 4];
    for (version, row) in &games {
        all.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
        let _ = writeln!(out, "| {version} | {} | {} | {} | {} |", row[0], row[1], row[2], row[3]);
    }
    let share = |n: usize| 100.0 * n as f64 / all[0].max(1) as f64;
    let [total, with, named, equal] = all;
    let _ = writeln!(
        out,
        "| all | {total} | {with} ({:.1} %) | {named} ({:.1} %) | {equal} ({:.1} %) |",
        share(with),
        share(named),
        share(equal)
    );
    let mut rest: Vec<_> = missing.into_iter().collect();
    rest.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.clone()));
    let rest: Vec<String> = rest.into_iter().map(|(name, count)| format!("{name} ({count})")).collect();
    let _ = writeln!(out, "\nWithout a preset: {}.", rest.join(", "));
    let wrong = presets.iter().filter(|p| p.count > 0 && counted.get(p.name()).copied() != Some(p.count));
    for preset in wrong {
        let now = counted.get(preset.name()).copied().unwrap_or(0);
        eprintln!(
            "crates/fox/data/presets.txt: {} says {}, the corpus has {now}",
            preset.name(),
            preset.count
        );
    }
    Some(out)
}

/// Returns `true` if a material has the parameters of a preset with its values.
fn same_parameters(preset: &galatea::fox::Preset, material: &MaterialInstance) -> bool {
    let value = |name: &galatea::fox::Name| {
        preset.parameters.iter().find(|p| p.name.code() == name.code()).map(|p| p.value)
    };
    preset.parameters.len() == material.parameters.len()
        && material.parameters.iter().all(|p| value(&p.name) == Some(p.value))
}
