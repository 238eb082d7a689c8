//! Real models: the same bytes again, every byte accounted for.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod real;

use galatea_kotor::mdl::{Game, Model, Platform, inspect};
use galatea_wire::{Differences, Limits};
use real::{models, name};

#[test]
#[ignore = "needs the corpus"]
fn damaged_models_are_refused() {
    for name in real::DAMAGED {
        let (path, mdl) = galatea_robustness::listed(&["kotor"], &[name]).bytes().next().unwrap();
        let error = real::model(&path, &mdl).unwrap_err().to_string();
        assert_eq!(error, "0x5F547273 animations[0] \"default\" > nodes[260] > AABB: needs 40 bytes, have 0");
    }
}

#[test]
#[ignore = "needs the corpus"]
fn every_model_comes_back_identical() {
    let listed = models().len();
    let mut identical = 0;
    let mut bad = Vec::new();
    for (path, (pair, model)) in models().read(real::pair) {
        match model.write() {
            Ok(back) if back == pair => identical += 1,
            Ok(back) => {
                let first = |a: &[u8], b: &[u8]| a.iter().zip(b).position(|(x, y)| x != y);
                bad.push(format!(
                    "{}: mdl {:?} ({} / {}), mdx {:?} ({} / {})",
                    name(&path),
                    first(&pair.mdl, &back.mdl),
                    pair.mdl.len(),
                    back.mdl.len(),
                    first(&pair.mdx, &back.mdx),
                    pair.mdx.len(),
                    back.mdx.len()
                ));
            }
            Err(error) => bad.push(format!("{}: {error}", name(&path))),
        }
    }
    assert_eq!(identical, listed, "{}", bad.join("\n"));
}

#[test]
#[ignore = "needs the corpus"]
fn every_byte_is_a_field_or_a_small_gap() {
    let (mut bytes, mut gaps) = (0, 0);
    for (path, (pair, _)) in models().read(real::pair) {
        let seen = inspect(&pair.mdl, Some(&pair.mdx), &Limits::default());
        assert!(seen.error.is_none(), "{}", name(&path));
        let mut here = 0;
        for (file, coverage) in [(&pair.mdl, &seen.mdl), (&pair.mdx, &seen.mdx)] {
            bytes += file.len();
            here += coverage.gaps(file.len()).iter().map(|g| g.len()).sum::<usize>();
        }
        if here > 0 {
            println!(
                "{}: {:?} {:?}",
                name(&path),
                seen.mdl.gaps(pair.mdl.len()),
                seen.mdx.gaps(pair.mdx.len())
            );
        }
        gaps += here;
    }
    println!("{gaps} of {bytes}");
    assert!(gaps * 1000 < bytes, "{gaps} of {bytes} bytes are gaps");
}

/// Garbage in padding aside, forgetting the layout gives back the game compiler's own files.
#[test]
#[ignore = "needs the corpus"]
fn canonical_layout_is_the_compilers() {
    let (mut same, mut same_mdl, mut all) = (0, 0, 0);
    for (_, (pair, mut model)) in models().read(real::pair) {
        model.forget_layout();
        let back = model.write().unwrap();
        all += 1;
        same += usize::from(back == pair);
        same_mdl += usize::from(back.mdl == pair.mdl);
    }
    println!("{same} pairs, {same_mdl} MDL of {all}");
    assert!(same >= 27 && same_mdl >= 27, "{same} pairs, {same_mdl} MDL of {all}");
}

/// The table of the documentation: how many stored values are as derived, over the files that follow the compiler's rules.
#[test]
#[ignore = "needs the corpus"]
fn stored_values_follow_the_compilers_rules() {
    let mut sum = galatea_kotor::mdl::derive::Comparison::default();
    let (mut files, mut tried) = (0, 0);
    for (_, model) in models().read(real::model) {
        let comparison = model.compare_derived();
        tried += 1;
        if model.has_compilers_order() && comparison.follows_compiler() {
            files += 1;
            sum += comparison;
        }
    }
    println!("{files} of {tried} files");
    for (name, tally) in sum.rows() {
        println!("| {name} | {} | {} | {:.2} % |", tally.all, tally.same, tally.share() * 100.0);
    }
    assert!(files > 80, "{files} of {tried}");
    for (name, tally, least) in [
        ("plane distances", sum.plane_distances, 0.99),
        ("adjacency", sum.adjacency, 0.99),
        ("areas", sum.areas, 0.99),
        ("radii", sum.radii, 0.99),
        ("bind translations", sum.bind_translations, 0.999),
        ("bitangents", sum.bitangents, 0.95),
        ("tangents", sum.tangents, 0.94),
        ("vertex normals", sum.vertex_normals, 0.7),
    ] {
        assert!(tally.share() >= least, "{name}: {tally:?}");
    }
}

/// Errors in real models are few and known; a rule that fires everywhere would be a bad rule.
#[test]
#[ignore = "needs the corpus"]
fn real_models_break_few_rules() {
    let mut files: std::collections::BTreeMap<&str, (usize, &str, String)> = Default::default();
    let mut all = 0;
    for (path, model) in models().read(real::model) {
        all += 1;
        let report = model.check();
        for (rule, _) in report.counts() {
            let first = report.findings().iter().find(|f| f.rule.code == rule.code).unwrap();
            let entry = files.entry(rule.code).or_insert((
                0,
                rule.severity.name(),
                format!("{}: {first}", name(&path)),
            ));
            entry.0 += 1;
        }
    }
    for (code, (count, severity, first)) in &files {
        println!("{code} {severity} in {count} of {all} files, first {first}");
    }
    for (code, (count, severity, first)) in files {
        assert!(
            severity != "error" || count * 20 < all,
            "{code} is an error in {count} files, first {first}"
        );
    }
}

#[test]
#[ignore = "needs the corpus"]
fn conversions_return_the_same_document_but_for_what_they_name() {
    for (path, model) in models().read(real::model) {
        let (game, platform) = (model.game, model.platform);
        let other = if game == Game::K1 { Game::K2 } else { Game::K1 };
        let mut there = model.clone();
        let losses = there.convert(other, platform);
        let written = there.write().unwrap();
        let mut back = Model::read(&written.mdl, Some(&written.mdx), &Limits::default()).unwrap();
        back.convert(game, platform);
        let differences = model.differences(&back);
        let named = losses.iter().filter(|l| l.what.contains("dirt")).count();
        assert!(differences.len() <= named, "{}: {differences:?} / {losses:?}", name(&path));

        let other = if platform == Platform::Pc { Platform::Xbox } else { Platform::Pc };
        let mut there = model.clone();
        let losses = there.convert(game, other);
        let written = there.write().unwrap();
        let mut back = Model::read(&written.mdl, Some(&written.mdx), &Limits::default()).unwrap();
        assert_eq!(there.differences(&back), [""; 0], "{}", name(&path));
        back.convert(game, platform);
        // Without a limit, so that every line is looked at.
        let mut all = Differences::new().with_limit(usize::MAX);
        model.compare(&back, &mut all);
        for line in all.into_lines() {
            let node = line.split(" > ").next().unwrap();
            let rounded =
                line.contains("normals") || line.contains("tangents") || line.contains("mdl_positions");
            assert!(
                rounded && losses.iter().any(|l| l.path.starts_with(node)),
                "{}: {line} / {losses:?}",
                name(&path)
            );
        }
    }
}

#[test]
#[ignore = "needs the corpus"]
fn one_texture_name_changes_exactly_its_bytes() {
    let mut changed = 0;
    for (path, (pair, mut model)) in models().read(real::pair) {
        let Some(id) = model.nodes.iter().position(|n| n.mesh.is_some()) else { continue };
        let at = 12 + model.nodes[id].layout.header.at as usize + 80 + 88;
        let mesh = model.nodes[id].mesh.as_deref_mut().unwrap();
        mesh.texture = galatea_wire::Text([b'~'; 32]);
        let back = model.write().unwrap();
        assert!(back.mdx == pair.mdx && back.mdl.len() == pair.mdl.len());
        let differ: Vec<usize> = (0..pair.mdl.len()).filter(|i| pair.mdl[*i] != back.mdl[*i]).collect();
        assert!(!differ.is_empty() && differ.iter().all(|i| (at..at + 32).contains(i)), "{}", name(&path));
        changed += 1;
    }
    assert!(changed > 150, "{changed}");
}
