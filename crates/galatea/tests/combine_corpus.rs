//! `transfer`, `graft`, `merge` and `split` on real files.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::collections::HashMap;
use std::path::Path;

use galatea::combine::{SplitBy, SplitOptions, TransferOptions, merge, split, transfer};
use galatea::fox::{Fmdl, Mesh};
use galatea::kotor::mdl;
use galatea::mdlx::Model;
use galatea::mdlx::play::{Moment, Player};
use galatea::{Document, Limits, Output};
use galatea_robustness::listed;

fn models() -> Vec<(String, Model)> {
    let read = |path: &Path, bytes: &[u8]| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Model::read(bytes, &Limits::default()).map(|model| (name, model))
    };
    listed(&["mdx"], &[".mdx"]).without(&["v900"]).read(read).map(|(_, found)| found).collect()
}

fn kotor(name: &str) -> mdl::Model {
    let read = |path: &Path, bytes: &[u8]| {
        let mdx = std::fs::read(path.with_extension("mdx")).ok();
        mdl::Model::read(bytes, mdx.as_deref(), &Limits::default())
    };
    let mut found = listed(&["kotor"], &[".mdl"]).only(name).read(read);
    found.next().unwrap().1
}

fn errors(document: &dyn Document) -> HashMap<&'static str, usize> {
    let mut out = HashMap::new();
    let report = document.check();
    for finding in report.findings().iter().filter(|f| f.rule.severity == galatea::Severity::Error) {
        *out.entry(finding.rule.code).or_default() += 1;
    }
    out
}

/// No rule is broken more often than in all that the document was made of.
fn assert_no_new_errors(document: &dyn Document, parts: &[&dyn Document], what: &str) {
    for (code, count) in errors(document) {
        let before: usize = parts.iter().map(|part| errors(*part).get(code).copied().unwrap_or(0)).sum();
        assert!(count <= before, "{what}: {code}: {count} instead of {before}");
    }
}

#[test]
#[ignore = "needs the corpus"]
fn kotor_clips_on_the_same_skeleton_are_those_of_the_original() {
    let (from, bare) = (kotor("n_commkidf.mdl"), kotor("n_commkidfd.mdl"));
    let mut to = bare.clone();
    let done = transfer(&from, &mut to, &TransferOptions::default()).unwrap();
    assert!(done.exact && done.clips.len() == 4);
    for (a, b) in from.animations.iter().zip(&to.animations) {
        assert_eq!((a.name.bytes(), a.length, a.events.len()), (b.name.bytes(), b.length, b.events.len()));
        assert_eq!(a.nodes.len(), b.nodes.len());
        for (x, y) in a.nodes.iter().zip(&b.nodes) {
            let bits =
                |node: &mdl::Node| node.controllers.data().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(x), bits(y));
            assert_eq!((x.parent, &x.children), (y.parent, &y.children));
        }
    }
    assert_no_new_errors(&to, &[&from, &bare], "kids");
    let pair = to.write().unwrap();
    let again = mdl::Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap();
    assert!(again.differences(&to).is_empty());
}

#[test]
#[ignore = "needs the corpus"]
fn warcraft_clips_on_the_same_skeleton_play_as_the_original() {
    let mut count = 0;
    for (name, from) in
        models().into_iter().filter(|(_, m)| m.sequences.len() > 5 && m.bones.len() > 15).take(40)
    {
        let mut to = from.clone();
        let last = from.sequences.len();
        let renames = from.sequences.iter().map(|s| s.name.lossy().into_owned()).map(|n| {
            let new = format!("{} new", n.chars().take(70).collect::<String>());
            (n, new)
        });
        let done = transfer(&from, &mut to, &TransferOptions::default().with_renames(renames.collect()));
        // Two sequences with one name would get one new name.
        let Ok(done) = done else { continue };
        assert!(done.exact && done.losses.is_empty(), "{name}: {:?}", done.losses);
        count += 1;
        let (a, b) = (Player::new(&from), Player::new(&to));
        for number in 0..last {
            let length = f64::from(from.sequences[number].end.saturating_sub(from.sequences[number].start));
            for step in 0..24 {
                let elapsed = length * f64::from(step) / 24.0;
                let [x, y] =
                    [(&a, &from, number), (&b, &to, number + last)].map(|(player, model, number)| {
                        player.pose(&Moment::in_sequence(model, number, elapsed), None)
                    });
                for (x, y) in x.nodes.iter().zip(&y.nodes) {
                    let off = (x.position - y.position).abs().max_element();
                    // Where interpolations are mixed, held values take a millisecond to change.
                    assert!(off < 1e-3 || off.is_nan(), "{name}: {number} {step}: {off}");
                }
            }
        }
        assert_no_new_errors(&to, &[&from, &from], &name);
    }
    assert!(count > 15, "{count}");
}

#[test]
#[ignore = "needs the corpus"]
fn pieces_of_real_models_merged_again_have_all_of_them() {
    let mut count = 0;
    for (name, model) in models().into_iter().filter(|(_, m)| m.geosets.len() > 1).step_by(9).take(30) {
        let (pieces, _) = split(&model, &SplitOptions::default().with_by(SplitBy::Material)).unwrap();
        let mut documents: Vec<Box<dyn Document>> = pieces.into_iter().map(|p| p.document).collect();
        let mut first = documents.remove(0);
        let others: Vec<&dyn Document> = documents.iter().map(AsRef::as_ref).collect();
        if !others.is_empty() {
            merge(first.as_mut(), &others).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let (a, b) = (first.summary(), model.summary());
        assert_eq!(
            (a.meshes, a.vertices, a.triangles, a.clips),
            (b.meshes, b.vertices, b.triangles, b.clips),
            "{name}"
        );
        let written: Output = first.write().unwrap();
        assert!(galatea::open(&written.input(), &Limits::default()).is_ok());
        assert_no_new_errors(first.as_ref(), &[&model], &name);
        count += 1;
    }
    assert!(count > 15, "{count}");
}

#[test]
#[ignore = "needs the corpus"]
fn real_fmdls_with_levels_are_joined_level_by_level() {
    let read = |_: &Path, bytes: &[u8]| Fmdl::read(bytes, &Limits::default());
    let all: Vec<(std::path::PathBuf, Fmdl)> = listed(&["fmdl"], &[".fmdl"]).every(6).read(read).collect();
    let with_levels: Vec<&Fmdl> = all.iter().map(|(_, m)| m).filter(|m| m.lod_count() > 1).take(21).collect();
    assert!(with_levels.len() > 10, "{}", with_levels.len());
    for pair in with_levels.windows(2) {
        let mut whole = pair[0].clone();
        merge(&mut whole, &[pair[1]]).unwrap();
        let whole = Fmdl::read(&whole.write().unwrap(), &Limits::default()).unwrap();
        let count = |model: &Fmdl, level: usize| -> usize {
            let of = |mesh: &Mesh| mesh.faces(level.min(mesh.windows.len().max(1) - 1)).len();
            model.meshes.iter().map(of).sum()
        };
        assert_eq!(whole.lod_count(), pair[0].lod_count().max(pair[1].lod_count()));
        for level in 0..whole.lod_count() {
            assert_eq!(count(&whole, level), count(pair[0], level) + count(pair[1], level));
        }
        assert_no_new_errors(&whole, &[pair[0], pair[1]], "levels");
    }
}
