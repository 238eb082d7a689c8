//! The dialects of MDL that tools write, and the errors for text that is not MDL.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod text_support;

use galatea_mdlx::{Interpolation, Keys, Limits, text};
use text_support::parse;

const V800: &str = "Version { FormatVersion 800, }\n";

fn of(version: u32, rest: &str) -> galatea_mdlx::Model {
    parse(format!("Version {{ FormatVersion {version}, }}\n{rest}"))
}

#[test]
fn only_warcraft_text_is_recognised() {
    for yes in [
        "Version {\n\tFormatVersion 800,\n}",
        "// made by hand\n\n/* and more */ Model \"x\" { }",
        "\u{FEFF}Version {",
        "Geoset {",
        "Sequences 3 {",
        "version{FormatVersion 800}",
    ] {
        assert!(text::detect(yes.as_bytes()), "{yes}");
    }
    for no in [
        "",
        "# MDLOps\nnewmodel c_bantha\nsetsupermodel c_bantha NULL",
        "filedependancy c_bantha.max\nnewmodel c_bantha",
        "beginmodelgeom x",
        "MDLXVERS\u{4}\0\0\0",
        "Version 800",
        "Model x {",
        "{\"asset\": {}}",
        "Versions {",
    ] {
        assert!(!text::detect(no.as_bytes()), "{no}");
    }
}

#[test]
fn space_commas_and_comments_may_stand_anywhere() {
    let model = parse(
        "/* a\nb */Version{FormatVersion 800}Model\"x\"{BlendTime 150.000000,},\r\n\
         Bone \"a\" {ObjectId 0 Parent -1 // \"none\"\n}, Sequences { Anim \"S\" { Interval{1 2} }, },\n\
         PivotPoints{{1,2,3},,{4 5 6}} // end",
    );
    assert_eq!((model.info.blend_time, model.bones.len(), model.pivots.len()), (150, 1, 2));
    assert_eq!((model.sequences[0].start, model.sequences[0].end), (1, 2));
}

#[test]
fn numbers_are_read_however_they_are_written() {
    let model = of(800, "PivotPoints 2 { { 1.5e-005, -.5, +2. }, { 1E3, 007, -0 }, }");
    assert_eq!(model.pivots[0], [1.5e-5, -0.5, 2.0]);
    assert_eq!(model.pivots[1].map(f32::to_bits), [1000.0f32, 7.0, -0.0].map(f32::to_bits));
}

#[test]
fn counts_are_only_advice() {
    let model = of(800, "PivotPoints 1000000000 { { 0, 0, 0 }, } Textures 0 { Bitmap { } Bitmap { } }");
    assert_eq!((model.pivots.len(), model.textures.len()), (1, 2));
    let model = of(800, "Helper \"h\" { Translation 1 { Linear, 0: { 0, 0, 0 }, 5: { 1, 1, 1 }, } }");
    assert_eq!(model.helpers[0].node.tracks.list[0].keys.len(), 2);
}

#[test]
fn the_case_of_words_does_not_count() {
    // One tool writes EmitterUsesMdl where others write EmitterUsesMDL.
    let model = of(800, "ParticleEmitter \"p\" { EmitterUsesMdl, EmitterUsesTGA, }");
    assert_eq!(model.particle_emitters[0].node.flags, 0x1_9000);
}

#[test]
fn flags_of_a_material_may_be_a_number() {
    let model = of(1000, "Materials 1 { Material { RenderMode 19, FullResolution, } }");
    assert_eq!(model.materials[0].flags, 0x33);
}

#[test]
fn fields_of_a_particle_may_stand_outside_of_it() {
    let model = of(
        800,
        "ParticleEmitter \"p\" { static LifeSpan 3, Path \"a.mdl\", InitVelocity 1 { Linear, 0: 5, } }
         ParticleEmitter \"q\" { Particle { static LifeSpan 3, Path \"a.mdl\", InitVelocity 1 { Linear, 0: 5, } } }",
    );
    let [a, b] = model.particle_emitters.as_slice() else { panic!() };
    assert_eq!((a.life_span, a.path, &a.tracks), (b.life_span, b.path, &b.tracks));
    assert_eq!(a.tracks.list[0].tag.0, *b"KPES");
}

#[test]
fn a_camera_and_its_target_have_the_same_words() {
    let model = of(
        800,
        "Camera \"c\" { Position { 1, 2, 3 }, Translation 1 { Linear, 0: { 1, 1, 1 }, } Rotation 1 { Linear, 0: 2, }
           Target { Position { 4, 5, 6 }, Translation 1 { Linear, 0: { 2, 2, 2 }, } } }",
    );
    let camera = &model.cameras[0];
    assert_eq!((camera.position, camera.target), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]));
    let tags: Vec<_> = camera.tracks.iter().map(|t| t.tag.to_string()).collect();
    assert_eq!(tags, ["KCTR", "KCRL", "KTTR"]);
}

#[test]
fn colours_are_blue_green_red() {
    let model = of(
        800,
        "GeosetAnim { static Color { 1, 0.5, 0 }, } Light \"l\" { static Color { 1, 0.5, 0 }, }
         GeosetAnim { Color 1 { DontInterp, 0: { 1, 0.5, 0 }, } }
         ParticleEmitter2 \"p\" { SegmentColor { Color { 1, 0.5, 0 }, Color { 0, 0, 0 }, Color { 0, 0, 0 }, }, }",
    );
    assert_eq!(model.geoset_anims[0].color, [0.0, 0.5, 1.0]);
    assert_eq!(model.lights[0].color, [0.0, 0.5, 1.0]);
    assert_eq!(model.particle_emitters2[0].segment_colors[0], [0.0, 0.5, 1.0]);
    // Tracks are so in the file already.
    let Keys::Vector(curve) = &model.geoset_anims[1].tracks.list[0].keys else { panic!() };
    assert_eq!(curve.keys[0].value, [1.0, 0.5, 0.0]);
    assert_eq!((model.geoset_anims[0].flags, model.geoset_anims[1].flags), (2, 2));
}

#[test]
fn texture_slots_are_read_in_every_dialect() {
    let arrows = "Shader \"Shader_HD_DefaultUnit\", static TextureID 3 <= 0, static TextureID 4 <= 1, static TextureID 5 <= 5,";
    let words =
        "ShaderTypeId 1, static TextureID 3, static NormalTextureID 4, static ReflectionsTextureID 5,";
    let other =
        "ShaderTypeId 1, static DiffuseTextureID 3, static NormalTextureID 4, static ReflectionsTextureID 5,";
    for layer in [arrows, words, other] {
        let model =
            of(1100, &format!("Materials 1 {{ Material {{ Layer {{ FilterMode None, {layer} }} }} }}"));
        let layer = &model.materials[0].layers[0];
        let slots: Vec<_> = layer.textures.iter().map(|t| (t.slot, t.texture_id)).collect();
        assert_eq!((slots, layer.shader_type), (vec![(0, 3), (1, 4), (5, 5)], 1), "{layer:?}");
    }
    let model = of(
        1200,
        "Materials 1 { Material { Layer { FilterMode None, TextureID 2 { DontInterp, 0: 1, 9: 2, } } } }",
    );
    let textures = &model.materials[0].layers[0].textures;
    assert_eq!((textures.len(), textures[0].tracks.list[0].keys.len()), (1, 2));
}

#[test]
fn before_1100_textures_of_one_layer_become_layers() {
    let model = of(
        900,
        "Materials 1 { Material { Shader \"Shader_HD_DefaultUnit\", Layer { FilterMode Transparent, static Alpha 0.5,
           static TextureID 7 <= 0, static TextureID 8 <= 1, static TextureID 9 <= 2, } Layer { static TextureID 1, } } }",
    );
    let layers = &model.materials[0].layers;
    assert_eq!(layers.iter().map(|l| l.texture_id).collect::<Vec<_>>(), [7, 8, 9, 1]);
    assert!(layers.iter().take(3).all(|l| l.filter_mode == 1 && l.alpha == 0.5 && l.textures.is_empty()));
}

#[test]
fn lists_of_triangles_are_one_group_unless_as_many_are_announced() {
    let faces = |head: &str| {
        let model = of(
            800,
            &format!("Geoset {{ Faces {head} {{ Triangles {{ {{ 0, 1, 2 }}, {{ 2, 1, 3 }}, }} }} }}"),
        );
        model.geosets[0].face_counts.clone()
    };
    assert_eq!(faces("2 6"), [3, 3]);
    assert_eq!(faces("1 6"), [6]);
    assert_eq!(faces(""), [6]);
}

#[test]
fn skin_weights_are_read_with_and_without_braces() {
    let rows = [
        "1, 2, 3, 4, 250, 5, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9,",
        "{ 1, 2, 3, 4, 250, 5, 0, 0 }, { 9, 9, 9, 9, 9, 9, 9, 9 },",
    ];
    for rows in rows {
        let model = of(1000, &format!("Geoset {{ SkinWeights 2 {{ {rows} }} }}"));
        let skin = model.geosets[0].skin.as_ref().unwrap();
        assert_eq!((skin[0].bones, skin[0].weights, skin.len()), ([1, 2, 3, 4], [250, 5, 0, 0], 2));
    }
}

#[test]
fn quotes_behind_a_backslash_are_told_from_paths() {
    let names = |source: &str| -> Vec<String> {
        let model = of(800, source);
        model.helpers.iter().map(|h| h.node.name.lossy().into_owned()).collect()
    };
    assert_eq!(names(r#"Helper "say \"hi\"" { }"#), [r#"say \"hi\""#]);
    assert_eq!(names(r#"Helper "folder\" { }"#), [r"folder\"]);
    let model = of(800, "Textures 1 { Bitmap { Image \"Textures\\\",\n WrapWidth, } }");
    assert_eq!(model.textures[0].path.bytes(), b"Textures\\");
}

#[test]
fn numbers_that_are_none_are_read_as_other_tools_write_them() {
    let model = of(800, "PivotPoints 2 { { nan, -inf, 1.#QNAN }, { NaN, Infinity, -1.#IND00 }, }");
    assert!(model.pivots[0][0].is_nan() && model.pivots[0][2].is_nan() && model.pivots[1][2].is_nan());
    assert_eq!((model.pivots[0][1], model.pivots[1][1]), (f32::NEG_INFINITY, f32::INFINITY));
}

#[test]
fn the_version_may_stand_behind_other_blocks() {
    let model = parse("Helper \"a { \" { ObjectId 3, } Model \"x\" { } Version { FormatVersion 1300, }");
    assert_eq!(model.version.0, 1300);
    assert_eq!(parse("Helper \"a\" { }").version.0, 800);
}

#[test]
fn tracks_need_no_interpolation_word() {
    let model = of(800, "GeosetAnim { Alpha 2 { 0: 1, 5: 0, } }");
    let track = &model.geoset_anims[0].tracks.list[0];
    assert_eq!((track.interpolation, track.keys.len()), (Interpolation::None, 2));
}

#[test]
fn errors_name_the_place_and_the_cause() {
    for (source, want) in [
        ("Version {\n\tFormatVersion 801,\n}", "line 2, column 16: unsupported: version 801"),
        ("Version { FormatVersion 800, }\nBones { }", "line 2, column 1: unknown block `Bones`"),
        (
            "Model \"x\" {\n\tBlendTime 150,\n\tExtent 5,\n}",
            "line 3, column 2 Model \"x\": unknown word `Extent` in `Model`",
        ),
        ("Model \"x {\n}", "line 1, column 7: the string is not closed before the end of its line"),
        (
            "Geoset {\n Vertices 2 {\n  { 0, 0, 0 },\n  { 0, zero, 0 },\n }\n}",
            "line 4, column 8 Geoset > Vertices[1]: expected a number, found `zero`",
        ),
        ("PivotPoints 1 { { 0, 0 }, }", "line 1, column 24 PivotPoints[0]: expected a number, found `}`"),
        ("PivotPoints 1 { { 0, 0, 0, 0 }, }", "line 1, column 28 PivotPoints[0]: expected `}`, found `0`"),
        (
            "Geoset { VertexGroup { 0,\n 256,\n } }",
            "line 2, column 2 Geoset: expected a number from 0 to 255, found 256",
        ),
        (
            "Helper \"h\" { Translation 1 {\n Hermite,\n 0: { 0, 0, 0 },\n } }",
            "line 4, column 2 Helper \"h\" > Translation: expected `InTan`, found `}`",
        ),
        (
            "Helper \"h\" { Translation 1 { Linear, 0: { 0, 0, 0 }, InTan { 0, 0, 0 }, } }",
            "line 1, column 54 Helper \"h\" > Translation: `InTan` where the keys are Linear",
        ),
        (
            "Materials 1 { Material { Layer { FilterMode Glow, } } }",
            "line 1, column 45 Material > layers[0] > Layer: expected one of None, Transparent, Blend, Additive, AddAlpha, \
             Modulate, Modulate2x, found `Glow`",
        ),
        (
            "Bone \"b\" { ObjectId 4294967296, }",
            "line 1, column 21 Bone \"b\": 4294967296 does not fit in 32 bits",
        ),
        (
            "Bone \"b\" { ObjectId 0.5, }",
            "line 1, column 21 Bone \"b\": expected a whole number, found `0.5`",
        ),
        (
            "Bone \"b\" { GeosetId Many, }",
            "line 1, column 21 Bone \"b\": expected a number, None or Multiple, found `Many`",
        ),
        ("Bone b { }", "line 1, column 6 Bone: expected `{`, found `b`"),
        ("Version { FormatVersion 800, }\nBindPose { }", "line 2, column 1: version 800 has no `BindPose`"),
        (
            "Version { FormatVersion 800, }\nParticleEmitter2 \"p\" { LifeSpan 1 { Linear, 0: 1, } }",
            "line 2, column 24 ParticleEmitter2 \"p\": version 800 has no track `LifeSpan`",
        ),
        (
            "CollisionShape \"c\" {\n Box, Vertices 1 { { 0, 0, 0 }, } }",
            "line 1, column 15 CollisionShape \"c\": a Box has 2 of Vertices, not 1",
        ),
        (
            "// galatea: flags nonsense\nBone \"b\" { }",
            "line 1, column 12 Bone \"b\": invalid `// galatea:` line: `flags nonsense`",
        ),
        (
            "Geoset {\n\tFaces 1 3 {",
            "line 2, column 13 Geoset: the file ends inside `Faces`, which begins in line 2",
        ),
        ("caf\u{e9} {", "line 1, column 1: unknown block `caf`"),
        (
            "Model \"\u{e9}\u{e9}\" { ? }",
            "line 1, column 14 Model \"\u{e9}\u{e9}\": expected a word, found `?`",
        ),
    ] {
        let error = text::parse(source.as_bytes(), &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), want, "{source}");
    }
    let long = format!("{V800}Helper \"{}\" {{ }}", "x".repeat(81));
    let error = text::parse(long.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 8: a string of 81 bytes where 80 fit");
    let error = text::parse(b"\0\0\0", &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 1: not a file of this format");
}
