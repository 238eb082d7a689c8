//! Damaged texts: no panic, no hang, no memory out of proportion, and every error has a line and a column.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod support;

use galatea_mdlx::{Limits, Version, text};
use galatea_robustness::{Tally, Trial};
use galatea_wire::{Error, ErrorKind, Place};

/// Parses, prints and compares: a text that can be read must be printed as one with the same content.
fn everything(bytes: &[u8]) -> Result<(), Error> {
    text::detect(bytes);
    let model = text::parse(bytes, &Limits::default())
        .inspect_err(|error| assert!(matches!(error.place(), Place::Line { .. }), "{error}"))?;
    let printed = text::print(&model).unwrap();
    let again = text::parse(&printed, &Limits::default());
    // A text may grow when it is printed out, past what a small one may ask for.
    let again = match again {
        Err(error) if *error.kind() == ErrorKind::Limit("memory") => return Ok(()),
        again => again.unwrap(),
    };
    assert!(text::print(&again).unwrap() == printed, "{}", String::from_utf8_lossy(bytes));
    // Text can express things that no binary file can hold; then writing fails.
    if let (Ok(a), Ok(b)) = (model.write(), again.write()) {
        assert!(a == b, "{}", String::from_utf8_lossy(bytes));
    }
    Ok(())
}

fn trial(name: &str, bytes: &[u8], run: impl Fn(&Trial<'_>) -> Tally) {
    let tally = run(&Trial { name, bytes, read: &everything });
    assert!(tally.tried > 0);
}

fn fixture(version: Version) -> Vec<u8> {
    text::print(&support::value(version)).unwrap()
}

/// Small, but with something of every kind.
const SMALL: &[u8] = b"// galatea: chunks VERS MODL ?INFO SEQS*1 TEXS MTLS GEOS BONE*2 LITE PREM*0
// galatea: unknown INFO 00ff
// galatea: + 1234
// galatea: numbers 1 0x7fc00001 0xff800000
Version { FormatVersion 800, }
// galatea: bytes Name 1:22 70:aabb
Model \"m'\" { NumBones 1, BlendTime 150, MinimumExtent { -1, 0e1, 0e2 }, BoundsRadius 1.5e-005, }
// galatea: Anim 0/1 flags 0x6
Sequences 1 { Anim \"Stand\" { Interval { 0, 1000 }, NonLooping, } }
Textures 1 { Bitmap { Image \"a\\b.blp\", WrapWidth, } }
Materials 1 { Material { ConstantColor, Layer { FilterMode Blend,
// galatea: static Alpha 0.5; flags 0x4
Unshaded, static TextureID 0, Alpha 1 { Linear, GlobalSeqId 0, 5: 1, } } } }
// galatea: faces 3 2 4*2 3 0; group_sizes 1 5
Geoset { Vertices 1 { { 1, 2, 3 }, } TVertices 1 { { 0, 1 }, } VertexGroup { 0, 1 } Faces 1 3 { Triangles { { 0, 1, 2 }, } }
Groups 1 1 { Matrices { 0 }, } Anim { BoundsRadius 1, } MaterialID 0, Unselectable, }
// galatea: for 0xacb7f5ab; flags 0x80000108
Bone \"b\" { ObjectId 0, DontInherit { Rotation, Scaling }, Rotation 1 { Hermite, 0: { 0, 0, 0, 1 }, InTan { 0, 0, 0, 1 },
OutTan { 0, 0, 0, 1 }, } GeosetId Multiple, }
// galatea: kind 513
Light \"l\" { Directional, static Color { 1, 0.5, 0 }, Visibility 1 { DontInterp, 0: 1, } }
/* c */ EventObject \"SNDx\" { EventTrack 2 { 1, 2, } }
// galatea: shape 3 0x42a00000 0x42a00000
CollisionShape \"c\" { Plane, Vertices 2 { { -40, -40, 0 }, { 40, 40, 0 }, } }
Camera \"c\" { Position { 1, 2, 3 }, Target { Position { 4, 5, 6 }, Translation 1 { Linear, 0: { 2, 2, 2 }, } } }
PivotPoints 1 { { 0, 0, 0 }, }
";

#[test]
fn the_small_text_is_sound() {
    let model = text::parse(SMALL, &Limits::default()).unwrap();
    assert_eq!((model.info.name.bytes(), model.sequences[0].flags), (&b"m\""[..], 7));
    assert_eq!((model.lights[0].kind, model.bones[0].node.flags), (513, 0x8000_0106));
    assert_eq!((model.unknown[0].bytes.len(), model.info.bounds.min[1].to_bits()), (4, 0x7FC0_0001));
    assert_eq!(model.geosets[0].face_counts, [3, 0]);
    everything(SMALL).unwrap();
}

#[test]
fn every_cut_is_survived() {
    trial("small", SMALL, |t| t.cuts());
    let bytes = fixture(Version(1500));
    trial("1500", &bytes[bytes.len().saturating_sub(4000)..], |t| t.cuts());
}

#[test]
fn every_flip_is_survived() {
    trial("small", SMALL, |t| t.flips());
}

#[test]
fn random_damage_is_survived() {
    trial("small", SMALL, |t| t.mutations(1, 6000));
    for version in Version::KNOWN {
        trial(&version.to_string(), &fixture(version), |t| t.mutations(u64::from(version.0), 250));
    }
}

/// Runs one wild input, through the parser alone: printing makes large texts larger.
fn one(what: &str, bytes: &[u8]) {
    let trial =
        Trial { name: what, bytes, read: &|bytes| text::parse(bytes, &Limits::default()).map(|_| ()) };
    trial.run(bytes, &|| what.to_owned());
}

#[test]
fn wild_texts_are_survived() {
    let head = "Version { FormatVersion 800, }\n";
    let many = |text: &str, times: usize| format!("{head}{}", text.repeat(times)).into_bytes();
    for (what, bytes) in [
        ("braces", many("{", 200_000)),
        ("blocks in blocks", many("Camera \"c\" { Target { ", 100_000)),
        ("targets in targets", format!("{head}Camera \"c\" {{ {}", "Target { ".repeat(200_000)).into_bytes()),
        (
            "layers in layers",
            format!("{head}Materials {{ Material {{ {}", "Layer { ".repeat(200_000)).into_bytes(),
        ),
        ("empty bones", many("Bone\"\"{}", 200_000)),
        ("empty textures", format!("{head}Textures {{ {} }}", "Bitmap{}".repeat(300_000)).into_bytes()),
        ("empty emitters", many("ParticleEmitter2\"\"{}", 50_000)),
        ("empty geosets", many("Geoset{}", 100_000)),
        (
            "empty lists of faces",
            format!("{head}Geoset {{ Faces {{ Triangles {{ {} }} }} }}", "{}".repeat(500_000)).into_bytes(),
        ),
        (
            "empty groups",
            format!("{head}Geoset {{ Groups {{ {} }} }}", "Matrices{}".repeat(200_000)).into_bytes(),
        ),
        ("empty extents", format!("{head}Geoset {{ {} }}", "Anim{}".repeat(200_000)).into_bytes()),
        ("empty sets", format!("{head}Geoset {{ {} }}", "TVertices{}".repeat(100_000)).into_bytes()),
        (
            "empty tracks",
            format!("{head}TextureAnims {{ TVertexAnim {{ {} }} }}", "Scaling{}".repeat(200_000))
                .into_bytes(),
        ),
        ("tight pivots", format!("{head}PivotPoints {{ {} }}", "{0,0,0}".repeat(400_000)).into_bytes()),
        (
            "more pivots than announced",
            format!("{head}PivotPoints 1 {{ {} }}", "{0,0,0}".repeat(400_000)).into_bytes(),
        ),
        (
            "tight times",
            format!("{head}EventObject \"e\" {{ EventTrack {{ {} }} }}", "0,".repeat(2_000_000)).into_bytes(),
        ),
        (
            "tight keys",
            format!("{head}GeosetAnim {{ Alpha {{ Linear, {} }} }}", "0 0,".repeat(1_000_000)).into_bytes(),
        ),
        (
            "scattered matrices",
            format!("{head}Geoset {{ Groups {{ {} }} }}", "Matrices{0}".repeat(300_000)).into_bytes(),
        ),
        ("a huge count", many("PivotPoints 4294967295 { }", 1)),
        ("huge counts", many("Geoset { Vertices 99999999999999999999 { { 0, 0, 0 } } }", 1000)),
        ("a long word", format!("{head}{}", "A".repeat(3_000_000)).into_bytes()),
        (
            "a long number",
            format!("{head}PivotPoints {{ {{ {}, 0, 0 }} }}", "1".repeat(3_000_000)).into_bytes(),
        ),
        (
            "a long fraction",
            format!("{head}PivotPoints {{ {{ 0.{}, 0, 0 }} }}", "1".repeat(3_000_000)).into_bytes(),
        ),
        ("a long string", format!("{head}Bone \"{}\" {{ }}", "x".repeat(3_000_000)).into_bytes()),
        ("an open comment", format!("{head}/* {}", "* ".repeat(1_000_000)).into_bytes()),
        ("comments", many("//\n", 1_000_000)),
        ("sidecar nothing", many("// galatea:;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;\n", 50_000)),
        ("sidecar lines", many("// galatea: a\n", 300_000)),
        (
            "sidecar words",
            format!("{head}// galatea: {}\nBone \"b\" {{ }}", "a;".repeat(1_000_000)).into_bytes(),
        ),
        ("sidecar chunks", format!("// galatea: chunks {}\n{head}", "VERS ".repeat(300_000)).into_bytes()),
        (
            "sidecar zeros",
            format!("{head}// galatea: faces 0 4294967295*4294967295\nGeoset {{ }}").into_bytes(),
        ),
        (
            "sidecar repeats",
            format!("{head}{}Geoset {{ }}", "// galatea: faces 0 0 9*99999\n".repeat(1000)).into_bytes(),
        ),
        ("sidecar numbers", format!("// galatea: numbers {}\n{head}", "1 ".repeat(1_000_000)).into_bytes()),
        (
            "sidecar bytes",
            format!("// galatea: unknown XXXX {}\n{head}", "00".repeat(2_000_000)).into_bytes(),
        ),
        (
            "sidecar pieces",
            format!("// galatea: unknown XXXX\n{}{head}", "// galatea: + 00\n".repeat(200_000)).into_bytes(),
        ),
        ("unknown chunks", format!("{}{head}", "// galatea: unknown XXXX\n".repeat(100_000)).into_bytes()),
        (
            "textures of one layer",
            format!(
                "Version {{ FormatVersion 900, }} Materials {{ Material {{ Layer {{ {} }} }} }}",
                "TextureID 0<=0 ".repeat(100_000)
            )
            .into_bytes(),
        ),
        ("quotes", many("Bone \"\\\"", 100_000)),
        ("many lines of quotes", many("Bone \"a\\\" \" \n", 50_000)),
        ("quotes in pairs", format!("{head}Bone \"{}", "\\\"x\\\" ".repeat(200_000)).into_bytes()),
        ("quotes on one line", format!("{head}Bone \"{}", "\\\" ".repeat(200_000)).into_bytes()),
    ] {
        one(what, &bytes);
    }
}
