//! `edit --set` and `--get`: what was asked for changes, everything else stays byte for byte.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::Path;

use galatea::edit::{EditError, EditOptions, Edited, Operation, edit, parse_script};
use galatea::wire::{FieldAt, Inspector, Kind, encode_value, shown_value};
use galatea::{Companion, Limits, Output};

/// An example with its companion.
fn example(name: &str) -> Output {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let bytes = std::fs::read(dir.join(name)).unwrap();
    let format = galatea::detect(&bytes).unwrap();
    let mut out = Output::single(bytes);
    // The examples have one MDX beside the models of two games; that of the KotOR model begins with vertices.
    for extension in format.companions.iter().copied() {
        let path = dir.join(Path::new(name).with_extension(extension));
        out.companions.extend(std::fs::read(path).ok().map(|bytes| Companion { extension, bytes }));
    }
    out
}

/// Binary examples of every format that has an inspector.
const BINARY: [&str; 11] = [
    "statue.mdl",
    "room.wok",
    "crate.pwk",
    "gate0.dwk",
    "statue_800.mdx",
    "statue_1000.mdx",
    "beacon.mdx",
    "statue.fmdl",
    "statue.tga",
    "statue.blp",
    "statue.mdl:mdx",
];

fn run(files: &Output, script: &str) -> Result<Edited, EditError> {
    edit(&files.input(), &parse_script(script).unwrap(), &EditOptions::default())
}

/// The fields of one of the files, but of long lists only the first.
fn fields(files: &Output, companion: bool) -> Vec<FieldAt> {
    let inspections = galatea::inspect(&files.input(), &Limits::default()).unwrap();
    let inspection = &inspections[usize::from(companion)];
    let bytes = if companion { files.companion(inspection.file).unwrap() } else { &files.bytes };
    let inspector = Inspector::new(bytes, &inspection.coverage);
    let mut out: Vec<FieldAt> = Vec::new();
    let (mut at, mut of_claim) = (0, (u32::MAX, 0));
    while at < bytes.len() {
        let Some(field) = inspector.at(at) else {
            at += 1;
            continue;
        };
        at = field.offset + field.size;
        of_claim = if of_claim.0 == field.claim { (field.claim, of_claim.1 + 1) } else { (field.claim, 0) };
        if of_claim.1 < 60 {
            out.push(field);
        }
    }
    out
}

fn split(name: &str) -> (Output, bool) {
    match name.split_once(':') {
        Some((name, _)) => (example(name), true),
        None => (example(name), false),
    }
}

#[test]
fn every_field_takes_the_value_that_is_shown_without_changing_a_byte() {
    for name in BINARY {
        let (files, companion) = split(name);
        let all = fields(&files, companion);
        assert!(all.len() > 10, "{name}: {}", all.len());
        let bytes = if companion { &files.companions[0].bytes } else { &files.bytes };
        for field in &all {
            let current = &bytes[field.offset..field.offset + field.size];
            let shown = shown_value(field.schema, current);
            assert_eq!(
                encode_value(field, current, &shown).unwrap(),
                current,
                "{name}: {} = {shown}",
                field.path
            );
        }
        // Once through the whole operation, too.
        let unambiguous = all.iter().filter(|field| !field.layout).step_by(17).take(60);
        for field in unambiguous {
            let prefix = if companion { "mdx:" } else { "" };
            let script = format!(
                "set {prefix}{}={}",
                field.path,
                shown_value(field.schema, &bytes[field.offset..field.offset + field.size])
            );
            match run(&files, &script) {
                Ok(edited) => assert!(!edited.changed && edited.output == files, "{name}: {script}"),
                // Some names are those of several fields.
                Err(error) => assert!(error.to_string().contains(" fields, such as "), "{name}: {error}"),
            }
        }
    }
}

/// Another value of the same type.
fn other(field: &FieldAt) -> Option<String> {
    let number = |by: f64| field.value.parse::<f64>().ok().map(|x| (x + by).to_string());
    match field.schema.kind {
        Kind::U8 | Kind::U16 | Kind::U32 | Kind::I8 | Kind::I16 | Kind::I32 => number(1.0),
        Kind::F32 => field.value.parse::<f64>().ok().map(|x| (x * 1.5 + 0.2603).to_string()),
        Kind::Text => Some("\"qx\"".into()),
        _ => None,
    }
}

#[test]
fn a_field_changes_alone_or_is_refused_with_a_reason() {
    for name in BINARY {
        let (files, companion) = split(name);
        let (mut set, mut refused) = (0, 0);
        let all = fields(&files, companion);
        for field in all.iter().step_by(all.len().div_ceil(250)) {
            let Some(value) = other(field) else { continue };
            let prefix = if companion { "mdx:" } else { "" };
            let script = format!("set {prefix}{}={value}", field.path);
            let edited = match run(&files, &script) {
                Ok(edited) => edited,
                Err(error) => {
                    let error = error.to_string();
                    let reasons = [
                        "is an offset",
                        "could not be read with this value",
                        "other fields would be read elsewhere",
                        "is layout or padding",
                        "share",
                        " fields, such as ",
                        "out of range",
                    ];
                    assert!(reasons.iter().any(|reason| error.contains(reason)), "{name}: {error}");
                    assert_eq!(error.lines().count(), 1);
                    refused += 1;
                    continue;
                }
            };
            set += 1;
            assert!(!edited.differences.is_empty(), "{name}: {script}");
            let mut reverted = edited.output.clone();
            let (old, new) = match companion {
                true => (&files.companions[0].bytes, &mut reverted.companions[0].bytes),
                false => (&files.bytes, &mut reverted.bytes),
            };
            let range = field.offset..field.offset + field.size;
            assert_ne!(old[range.clone()], new[range.clone()], "{name}: {script}");
            new[range.clone()].copy_from_slice(&old[range]);
            assert!(reverted == files, "{name}: {script}: bytes outside of the field differ");
            assert_eq!(edited.document.write().unwrap().bytes, edited.output.bytes, "{name}: {script}");
        }
        assert!(set > 0, "{name}: {set} set, {refused} refused");
    }
}

#[test]
fn the_paths_of_the_guide_work_in_every_family() {
    for (name, script, line) in [
        ("statue.mdl", "set nodes[body].mesh.diffuse=1,0.5,0", "nodes[14] \"body\" > mesh > diffuse"),
        ("statue.mdl", "set animations[walk].length=2.5", "animations[1] \"walk\" > length: 1.0 -> 2.5"),
        ("statue.mdl", "set mdx:nodes[14].rows[0].uvs[0]=0.25,9", "uvs[0][0]: (0.0, 1.0) -> (0.25, 9.0)"),
        ("room.wok", "set materials[3]=7", "materials[3]"),
        (
            "statue_800.mdx",
            "set sequences[Walk].move_speed=270",
            "sequences[1] \"Walk\" > move_speed: 45.0 -> 270.0",
        ),
        ("statue_800.mdx", r"set textures[0].path=Textures\Stone.blp", "Textures\\\\Stone.blp"),
        (
            "statue_800.mdl",
            "set sequences[Walk].move_speed=270",
            "sequences[1] \"Walk\" > move_speed: 45.0 -> 270.0",
        ),
        (
            "statue.mdl.ascii",
            "set nodes[body].mesh.shadow=false",
            "nodes[14] \"body\" > mesh > shadow: 1 -> 0",
        ),
        ("room.wok.ascii", "set materials[3]=7", "materials[3]"),
        ("statue.fmdl", "set meshes[0].flags=0x20", "meshes[0] > flags: 0 -> 32"),
        ("statue.blp", "set head.hint=4", "hint"),
    ] {
        let edited = run(&example(name), script).unwrap_or_else(|error| panic!("{name}: {error}"));
        let [only] = &edited.differences[..] else { panic!("{name}: {script}: {:#?}", edited.differences) };
        assert!(only.contains(line), "{name}: {only}");
    }
}

#[test]
fn a_star_means_all_and_text_forms_give_the_same_as_binary_ones() {
    let edited =
        run(&example("statue_800.mdx"), "set sequences[*].move_speed=5\nget sequences[*].move_speed")
            .unwrap();
    assert_eq!(edited.differences.len(), 3, "{:?}", edited.differences);
    assert!(edited.fields.iter().all(|field| field.value == "5.0"));
    let text = run(&example("statue_800.mdl"), "set sequences[*].move_speed=5").unwrap();
    assert_eq!(text.differences, edited.differences);
    assert!(text.document.differences(edited.document.as_ref()).unwrap().is_empty());
}

#[test]
fn operations_run_in_order() {
    let files = example("statue_800.mdx");
    let edited =
        run(&files, "get textures[0].path\nset textures[0].path=a.blp\nget textures[0].path\n").unwrap();
    let values: Vec<&str> = edited.fields.iter().map(|field| field.value.as_str()).collect();
    assert_eq!(values, ["\"statue.blp\"", "\"a.blp\""]);
    let back = run(&files, "set textures[0].path=a.blp\nset textures[0].path=statue.blp").unwrap();
    assert!(!back.changed && back.differences.is_empty());
}

#[test]
fn what_cannot_be_set_is_told_in_one_line() {
    for (name, script, want) in [
        (
            "statue.mdl",
            "set nodes[bod].mesh.shadow=1",
            "no field fits \"nodes[bod]\"; did you mean \"body\"?",
        ),
        ("statue.mdl", "set nodes[body].mesh.shadwo=1", "no field fits \"shadwo\"; did you mean \"shadow\"?"),
        ("statue.mdl", "set nodes[body].mesh.shadow=maybe", "\"maybe\" is not an integer, `true` or `false`"),
        ("statue.mdl", "set nodes[body].mesh.shadow=300", "300 is out of range; it must be 0 to 255"),
        ("statue.mdl", "set nodes[body].mesh.diffuse=1,2", "needs 3 numbers, found 2"),
        (
            "statue.mdl",
            "set nodes[body].mesh.texture=aaaaaaaaaabbbbbbbbbbccccccccccddddd",
            "has room for 32 bytes",
        ),
        ("statue.mdl", "set nodes.position=0,0,0", "name one, or write * for all"),
        ("statue.mdl", "set geometry_header.root=5", "is an offset"),
        ("statue.mdl", "set file_header.mdx_size=5", "layout"),
        (
            "statue.mdl",
            "set nodes[body]=5",
            "is a group of fields; name one of them: node header, mesh, mesh tail",
        ),
        ("statue_800.mdx", "set sequences[0].size=5", "no field fits \"size\""),
        ("statue_800.mdx", "set materials[0].size=5", "could not be read with this value"),
        ("statue_800.mdx", "set sequences[0].rarity=many", "\"many\" is not a number"),
        ("statue.glb", "set nodes[0].name=x", "glb files have no fields with a place"),
        ("keep/keep.lyt", "set rooms[0].x=1", "kotor-lyt files have no fields with a place"),
    ] {
        let error = run(&example(name), script).unwrap_err().to_string();
        assert!(
            error.contains(want) && error.starts_with("--set ") && error.lines().count() == 1,
            "{name}: {error}"
        );
    }
}

#[test]
fn a_number_that_is_none_must_be_written_as_such() {
    let files = example("statue_800.mdx");
    let edited = run(&files, "set sequences[0].rarity=nan\nget sequences[0].rarity").unwrap();
    assert_eq!(edited.fields[0].value, "NaN(0x7fc00000)");
    let operation = Operation::parse("set", "sequences[0].rarity=0/0").unwrap();
    assert!(edit(&files.input(), &[operation], &EditOptions::default()).is_err());
}
