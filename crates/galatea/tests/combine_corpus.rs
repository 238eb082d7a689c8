//! `transfer`, `graft`, `merge` and `split` on real files.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::collections::HashMap;
use std::path::Path;

use galatea::combine::{
    BoneTable, How, SplitBy, SplitOptions, TransferOptions, TransferPlan, merge, split, transfer,
};
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

/// How high the lower foot is at 120 moments of a sequence: the lowest vertex that only feet move.
fn steps(model: &Model, sequence: usize) -> Vec<f32> {
    let player = Player::new(model);
    let length = f64::from(model.sequences[sequence].end.saturating_sub(model.sequences[sequence].start));
    let feet = feet(model);
    let at = |step: u32| {
        let elapsed = length * f64::from(step) / 120.0;
        let pose = player.pose(&Moment::in_sequence(model, sequence, elapsed), None);
        let mut lowest = f32::MAX;
        for (number, own) in &feet {
            let places = player.vertices(&model.geosets[*number], &pose);
            lowest = own.iter().map(|v| places[*v].0[2]).fold(lowest, f32::min);
        }
        lowest
    };
    (0..120).map(at).collect()
}

/// How high the first hip is above the soles, at rest.
fn leg(model: &Model) -> Option<f32> {
    let is_hip = |name: &str| {
        ["leg1", "upperleg", "legup", "thigh"].iter().any(|word| name.to_lowercase().contains(word))
    };
    let hip = model.bones.iter().find(|b| is_hip(&b.node.name.lossy()))?;
    Some(model.pivots[hip.node.object_id as usize][2] - lowest(model)).filter(|leg| *leg > 1.0)
}

fn height(model: &Model) -> f32 {
    let all = || model.geosets.iter().filter(|g| g.lod <= 0).flat_map(|g| &g.vertices).map(|v| v[2]);
    all().fold(f32::MIN, f32::max) - all().fold(f32::MAX, f32::min)
}

/// The vertices that only feet move, by geoset.
fn feet(model: &Model) -> HashMap<usize, Vec<usize>> {
    let is_foot = |name: &str| {
        let name = name.to_lowercase();
        name.contains("foot") && !name.contains("ref") && !name.contains("fpt")
    };
    let ids: Vec<u32> =
        model.bones.iter().filter(|b| is_foot(&b.node.name.lossy())).map(|b| b.node.object_id).collect();
    let mut out: HashMap<usize, Vec<usize>> = HashMap::new();
    for (number, geoset) in model.geosets.iter().enumerate() {
        let groups: Vec<bool> = geoset.groups().map(|bones| bones.iter().all(|b| ids.contains(b))).collect();
        for (vertex, group) in geoset.vertex_groups.iter().enumerate() {
            if groups.get(usize::from(*group)) == Some(&true) && geoset.skin.is_none() {
                out.entry(number).or_default().push(vertex);
            }
        }
    }
    out
}

#[test]
#[ignore = "needs the corpus"]
fn feet_of_other_proportions_stay_on_the_ground_in_ten_walks() {
    let all: Vec<(String, Model)> =
        models().into_iter().filter(|(_, m)| m.bones.len() > 12 && !m.geosets.is_empty()).collect();
    // Real walks leave the ground a little; those of flying units are no walks.
    let walk = |model: &Model| {
        let found =
            model.sequences.iter().position(|s| s.name.lossy().trim().eq_ignore_ascii_case("walk"))?;
        let off = steps(model, found).into_iter().map(f32::abs).fold(0.0, f32::max) / height(model);
        (leg(model).is_some() && !feet(model).is_empty() && off < 0.12).then_some(found)
    };
    let walkers: Vec<(&String, &Model, usize)> =
        all.iter().filter_map(|(name, model)| Some((name, model, walk(model)?))).collect();
    assert!(walkers.len() >= 5, "{}", walkers.len());
    let (mut done, mut plain_off) = (0, 0);
    'sources: for (number, (name, from, sequence)) in walkers.iter().enumerate() {
        let mut own = 0;
        for (other, to) in all.iter().skip(number).chain(all.iter().take(number)) {
            if other == *name
                || feet(to).is_empty()
                || to.sequences.is_empty()
                || leg(to).is_none()
                || !(0.0..0.02).contains(&(lowest(to).abs() / height(to)))
            {
                continue;
            }
            let Ok(plan) = TransferPlan::of(*from, to, &BoneTable::default()) else { continue };
            let sure = plan.matching.pairs.iter().filter(|p| matches!(p.how, How::Part(_) | How::Name));
            let legs = sure.filter(|p| {
                let name = plan.from.bones[p.from].name.to_lowercase();
                plan.from.bones[p.from].kind == "bone" && (name.contains("leg") || name.contains("foot"))
            });
            if legs.count() < 6 {
                continue;
            }
            let options = TransferOptions::default()
                .with_clips(vec![from.sequences[*sequence].name.lossy().into_owned()])
                .with_renames(vec![(
                    from.sequences[*sequence].name.lossy().into_owned(),
                    "Walk Measured".into(),
                )]);
            let (mut plain, mut fitted) = (to.clone(), to.clone());
            transfer(*from, &mut plain, &options).unwrap();
            let result = transfer(*from, &mut fitted, &options.with_proportions(true)).unwrap();
            // Where the trees differ, turns are sampled, and the rests of both may not be comparable.
            if !result.exact {
                continue;
            }
            let last = fitted.sequences.len() - 1;
            // Each foot is as high above the ground as that of the original, measured in legs.
            let factor = leg(to).unwrap() / leg(from).unwrap();
            let want: Vec<f32> = steps(from, *sequence).into_iter().map(|h| h * factor).collect();
            let off = |model: &Model| {
                let apart = steps(model, last).into_iter().zip(&want).map(|(a, b)| (a - b).abs());
                apart.fold(0.0, f32::max) / height(to)
            };
            let (before, after) = (off(&plain), off(&fitted));
            println!(
                "{name} on {other}: {:.2} % of the height off with the keys alone, {:.2} % with proportions, {:.1} degrees",
                before * 100.0,
                after * 100.0,
                result.clips[0].error.mean
            );
            assert!(after < 0.02, "{name} on {other}: {after}");
            assert_no_new_errors(&fitted, &[*from, to], other);
            plain_off += usize::from(before > 0.02);
            done += 1;
            own += 1;
            if done == 10 {
                break 'sources;
            }
            if own == 2 {
                break;
            }
        }
    }
    assert_eq!(done, 10);
    assert!(plain_off > 3, "the keys alone would nearly do: {plain_off}");
}

/// The lowest place of a foot at rest.
fn lowest(model: &Model) -> f32 {
    let feet = feet(model);
    let all = feet.iter().flat_map(|(geoset, list)| list.iter().map(move |v| (*geoset, *v)));
    all.map(|(geoset, v)| model.geosets[geoset].vertices[v][2]).fold(f32::MAX, f32::min)
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
