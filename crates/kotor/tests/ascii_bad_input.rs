//! Damaged text: no panic, no hang, no allocation out of proportion, always a line and a column.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;

use galatea_kotor::{bwm, mdl::Game, mdl::Platform, mdl::text};
use galatea_robustness::{Tally, Trial};
use galatea_wire::{Error, Limits};
use mdl_fixtures::{KINDS, model};

/// Everything that can be done with a text.
fn work(bytes: &[u8]) -> Result<(), Error> {
    text::detect(bytes);
    let model = text::parse(bytes, &Limits::default())?;
    // What reads may still not fit into a file, or have no text; it must not panic.
    let _ = model.write();
    if let Ok(printed) = text::print(&model) {
        let back = text::parse(&printed, &Limits::default().with_ratio(64))?;
        assert_eq!(model.differences(&back), [""; 0], "what reads comes back from its own text");
    }
    Ok(())
}

fn walk(bytes: &[u8]) -> Result<(), Error> {
    let mesh = bwm::text::parse(bytes, &Limits::default())?;
    let _ = mesh.write();
    let back = bwm::text::parse(&bwm::text::print(&mesh, "a")?, &Limits::default().with_ratio(64))?;
    assert_eq!(mesh.differences(&back), [""; 0], "what reads comes back from its own text");
    Ok(())
}

/// Reading and writing only, for texts that are large or many.
fn read(bytes: &[u8]) -> Result<(), Error> {
    let _ = text::parse(bytes, &Limits::default())?.write();
    Ok(())
}

fn trials(read: &dyn Fn(&[u8]) -> Result<(), Error>, each: &dyn Fn(&Trial<'_>) -> Tally) -> Tally {
    let mut tally = Tally::default();
    for kind in KINDS {
        let bytes = text::print(&model(kind, Game::K2, Platform::Pc)).unwrap();
        // A blade repeats 176 rows; a part of its sidecar is enough.
        let bytes = bytes.get(..4_000).unwrap_or(&bytes);
        let trial = Trial { name: kind, bytes, read };
        assert!(trial.run(bytes, &|| "as it is".into()));
        tally = tally + each(&trial);
    }
    tally
}

#[test]
fn every_cut_is_refused_or_opens() {
    let tally = trials(&work, &|t| t.cuts());
    assert!(tally.opened > 0 && tally.opened < tally.tried);
}

#[test]
fn every_flipped_byte_is_survived() {
    trials(&read, &|t| t.flips());
}

#[test]
fn random_damage_is_survived() {
    let tally = trials(&work, &|t| t.mutations(5, 800));
    assert_eq!(tally.tried, 800 * KINDS.len());
}

#[test]
fn walkmesh_text_is_survived() {
    let text = b"node trimesh r_wg\n  parent r\n  position 0.5 0.0 0.0\n  verts 4\n    0 0 0\n    4 0 0\n    4 4 0\n    0 4 0\n  faces 2\n    0 1 2 1 0 0 0 4\n    0 2 3 1 0 0 0 7\n  roomlinks\n    1 3\n  endlist\nendnode\n";
    let printed = bwm::text::print(&bwm::text::parse(text, &Limits::default()).unwrap(), "r").unwrap();
    for bytes in [text.as_slice(), &printed] {
        let trial = Trial { name: "room.wok.ascii", bytes, read: &walk };
        assert!(trial.run(bytes, &|| "as it is".into()));
        trial.cuts();
        trial.flips();
        trial.mutations(3, 3000);
    }
}

fn run(name: &str, bytes: &[u8]) -> bool {
    Trial { name, bytes, read: &read }.run(bytes, &|| "as it is".into())
}

#[test]
fn deep_trees_are_refused_by_their_depth() {
    let mut chain = String::from("newmodel m\nnode dummy n0\n  parent NULL\nendnode\n");
    for i in 1..2000 {
        chain.push_str(&format!(
            "node dummy n{i}\n  parent n{}\n  # a long remark that makes the text long enough\nendnode\n",
            i - 1
        ));
    }
    let error = text::parse(chain.as_bytes(), &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("limit on depth"), "{error}");
    assert!(!run("deep", chain.as_bytes()));
    let deeper: String =
        (0..100_000).map(|i| format!("node dummy n{i}\n  parent n{}\nendnode\n", i - 1)).collect();
    assert!(!run("deeper", format!("newmodel m\n{deeper}").as_bytes()));
    let mut turned: Vec<String> =
        (0..100_000).map(|i| format!("node dummy n{i}\n  parent n{}\nendnode\n", i + 1)).collect();
    turned.insert(0, "newmodel m\n".into());
    assert!(!run("turned", turned.concat().as_bytes()));
    assert!(!run("open braces", format!("newmodel m\nnode dummy m\n{}", "{\n".repeat(100_000)).as_bytes()));
}

#[test]
fn garbage_and_wild_counts_are_survived() {
    let lines =
        |line: &str| format!("newmodel m\nnode dummy m\n  parent NULL\nendnode\n{}", line.repeat(100_000));
    assert!(run("garbage", lines("lorem ipsum 1 2 3\n").as_bytes()));
    assert!(run("numbers", lines("1 2 3\n").as_bytes()));
    assert!(run("blank", lines("\n").as_bytes()));
    run("names", lines("name a\n").as_bytes());
    run("equal nodes", lines("node dummy a\nparent m\nendnode\n").as_bytes());
    run("animations", lines("newanim a m\ndoneanim a m\n").as_bytes());
    run("events", format!("{}newanim a m\n{}", lines(""), "event 0 a\n".repeat(100_000)).as_bytes());
    let in_mesh = |body: &str| {
        format!(
            "newmodel m\nnode dummy m\n  parent NULL\nendnode\nnode trimesh t\n  parent m\n{body}endnode\n"
        )
    };
    for keyword in [
        "verts",
        "faces",
        "tverts",
        "weights",
        "constraints",
        "aabb",
        "colors",
        "texindices1",
        "multimaterial",
        "roomlinks",
    ] {
        for count in ["4294967295", "99999999999999999999", "-1", "1e30"] {
            run(keyword, in_mesh(&format!("  {keyword} {count}\n    0 0 0 0 0 0 0\n")).as_bytes());
        }
    }
    run("rows", in_mesh(&format!("  verts\n{}", "0 0 0\n".repeat(100_000))).as_bytes());
    // All faces at one place, each in a smoothing group of its own.
    let faces: String =
        (0..60_000u32).map(|i| format!("0 1 2 {} 0 0 0 0\n", i.wrapping_mul(2654435761))).collect();
    run("smoothing", in_mesh(&format!("  verts 3\n0 0 0\n1 0 0\n0 1 0\n  faces\n{faces}")).as_bytes());
    let split: String =
        (0..20_000u32).map(|i| format!("{} {} {} 0 0 0 0 0\n", i * 3, i * 3 + 1, i * 3 + 2)).collect();
    run("one place", in_mesh(&format!("  verts\n{}  faces\n{split}", "0 0 0\n".repeat(60_000))).as_bytes());
    run("long word", format!("newmodel {}\n", "a".repeat(1 << 20)).as_bytes());
    run("long number", format!("newmodel m\nradius {}\n", "9".repeat(1 << 20)).as_bytes());
    run(
        "long line",
        format!("newmodel m\nnode dummy m\nalphakey\n{}\nendnode\n", "1 ".repeat(1 << 19)).as_bytes(),
    );
    run("hashes", "#\n".repeat(500_000).as_bytes());
    run("sidecar lines", format!("newmodel m\n{}", "#! + 00\n".repeat(100_000)).as_bytes());
    run(
        "sidecar",
        format!("newmodel m\n#! GALATEA 1\n{}", "#! F NAMS = 0 4294967295\n".repeat(100_000)).as_bytes(),
    );
}

/// Every skin has a slot for every node: many skins over many nodes would be a bomb.
#[test]
fn skins_cannot_be_made_into_a_bomb() {
    let skins: String = (0..4000).map(|i| format!("node skin s{i}\nparent m\nendnode\n")).collect();
    assert!(!run("skins", format!("newmodel m\nnode dummy m\nparent NULL\nendnode\n{skins}").as_bytes()));
}
