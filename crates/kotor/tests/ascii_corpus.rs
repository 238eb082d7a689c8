//! Real models through text and back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod real;

use std::collections::BTreeMap;
use std::path::Path;

use galatea_kotor::mdl::{Model, text};
use galatea_robustness::{Listing, listed};
use galatea_wire::Limits;
use real::name;

/// What became of some models.
#[derive(Default)]
struct Tally {
    models: usize,
    plain: usize,
    sidecar: usize,
    bad: Vec<String>,
    /// Sidecar records by field.
    records: BTreeMap<String, usize>,
}

impl Tally {
    /// Text and back gives the same document, and text -> binary -> text the same text.
    fn through_text(&mut self, path: &Path, model: &Model) -> galatea_wire::Result<()> {
        let printed = text::print(model)?;
        assert!(text::detect(&printed));
        let at = printed.windows(12).position(|w| w == b"#! GALATEA 1").unwrap_or(printed.len());
        self.plain += at;
        self.sidecar += printed.len() - at;
        for line in printed.split(|b| *b == b'\n').filter(|l| l.starts_with(b"#!")) {
            assert!(line.len() < 4000);
            if line.starts_with(b"#! F ") {
                *self.records.entry(String::from_utf8_lossy(&line[5..9]).into_owned()).or_default() += 1;
            }
        }
        let back = text::parse(&printed, &Limits::default())?;
        let mut differences = model.differences(&back);
        let pair = back.write()?;
        let again = Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default())?;
        differences.extend(model.differences(&again));
        if let Some(first) = differences.first() {
            self.bad.push(format!("{}: {} differences, {first}", name(path), differences.len()));
        }
        if text::print(&again)? != printed {
            self.bad.push(format!("{}: the second text differs from the first", name(path)));
        }
        self.models += 1;
        Ok(())
    }

    fn of(models: Listing) -> Tally {
        let mut tally = Tally::default();
        for (path, model) in models.read(real::model) {
            if let Err(error) = tally.through_text(&path, &model) {
                tally.bad.push(format!("{}: {error}", name(&path)));
            }
        }
        println!("{} models, {} plain bytes, {} sidecar bytes", tally.models, tally.plain, tally.sidecar);
        println!("{:?}", tally.records);
        tally
    }

    fn verdict(&self, listed: usize) {
        assert!(self.bad.is_empty(), "{} bad\n{}", self.bad.len(), self.bad.join("\n"));
        assert_eq!(self.models, listed);
        self.only_what_text_cannot_express_is_in_the_sidecar();
    }

    /// The few exceptions are values that no decimal line can give back: a quaternion longer than 1, a name with a blank,
    /// data that no controller uses.
    fn only_what_text_cannot_express_is_in_the_sidecar(&self) {
        let silent = ["AABB", "AREA", "BEYO", "BIND", "BMAP", "NORM", "NUMB", "PLAN", "SABR", "TANA"];
        let all: usize = self.records.values().sum();
        let expressible = self.records.iter().filter(|(tag, _)| !silent.contains(&tag.as_str()));
        let expressible: usize = expressible.map(|(_, n)| n).sum();
        assert!(expressible * 50 < all, "{expressible} of {all} records: {:?}", self.records);
        for tag in [
            "VPOS", "UVSA", "UVSB", "VCOL", "WGTS", "BONE", "CONS", "BOXC", "EVNT", "EMIT", "LITE", "TEXA",
            "DIRT",
        ] {
            assert_eq!(self.records.get(tag), None, "plain lines tell {tag}");
        }
    }
}

/// Two tests share the work.
#[test]
#[ignore = "needs the corpus"]
fn every_even_model_comes_back_from_its_text() {
    let models = real::models().every(2);
    Tally::of(models.clone()).verdict(models.len());
}

#[test]
#[ignore = "needs the corpus"]
fn every_odd_model_comes_back_from_its_text() {
    let models = real::models().but_every(2);
    Tally::of(models.clone()).verdict(models.len());
}

/// Models that other tools wrote as text read, compile, and come back from their own text.
#[test]
#[ignore = "needs the corpus"]
fn texts_of_other_tools_read_and_compile() {
    let mut seen = Vec::new();
    let models = listed(&["kotor"], &[".ascii"]).without(&[".wok.ascii"]);
    for (path, (model, notes)) in models.read(|_, bytes| {
        assert!(text::detect(bytes));
        text::parse_with_notes(bytes, &Limits::default())
    }) {
        for note in &notes {
            println!("{}: line {}: {}", name(&path), note.line, note.message);
        }
        assert!(notes.is_empty(), "{}", name(&path));
        let pair = model.write().unwrap();
        let back = Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap();
        assert_eq!(model.differences(&back), [""; 0], "{}", name(&path));
        let report = back.check();
        for finding in report.findings() {
            println!("{}: {finding}", name(&path));
        }
        assert_eq!(report.at_least(galatea_wire::Severity::Error), 0, "{}", name(&path));
        let first = text::print(&back).unwrap();
        let again = text::parse(&first, &Limits::default()).unwrap();
        assert_eq!(model.differences(&again), [""; 0], "{}", name(&path));
        let summary = model.summary();
        seen.push((name(&path), summary.nodes, summary.vertices, summary.triangles, summary.clips));
    }
    let expected = [
        ("comm_a_m-kotormax.ascii", 32, 1182, 1020, 0),
        ("m13aa_c01_cam-mdledit.ascii", 2, 0, 0, 17),
        ("p_dummy.ascii", 3, 89, 120, 0),
    ];
    let expected = expected
        .map(|(name, nodes, vertices, faces, clips)| (name.to_owned(), nodes, vertices, faces, clips));
    assert_eq!(seen, expected);
}

/// Walkmeshes come back from their text.
#[test]
#[ignore = "needs the corpus"]
fn every_walkmesh_comes_back_from_its_text() {
    use galatea_kotor::bwm;
    let (mut same, mut plain, mut sidecar) = (0, 0, 0);
    for (path, (_, mesh)) in real::walkmeshes() {
        let printed = bwm::text::print(&mesh, "Some room").unwrap();
        assert!(bwm::text::detect(&printed) && !text::detect(&printed));
        let back = bwm::text::parse(&printed, &Limits::default()).unwrap();
        assert_eq!(mesh.differences(&back), [""; 0], "{}", name(&path));
        let at = printed.windows(12).position(|w| w == b"#! GALATEA 1").unwrap_or(printed.len());
        plain += at;
        sidecar += printed.len() - at;
        same += 1;
    }
    println!("{same} walkmeshes, {plain} plain bytes, {sidecar} sidecar bytes");
}

#[test]
#[ignore = "needs the corpus"]
fn a_walkmesh_of_another_tool_reads_from_its_text() {
    use galatea_kotor::bwm;
    let (_, text) = listed(&["kotor"], &["/203tel.wok.ascii"]).bytes().next().unwrap();
    let mesh = bwm::text::parse(&text, &Limits::default()).unwrap();
    assert_eq!((mesh.vertices.len(), mesh.faces.len(), mesh.kind), (677, 1209, bwm::Kind::Area));
    let report = bwm::check(&mesh, &Default::default());
    let errors: Vec<_> =
        report.findings().iter().filter(|f| f.rule.severity == galatea_wire::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(bwm::Walkmesh::read(&mesh.write().unwrap(), &Limits::default()).unwrap().faces, mesh.faces);
}
