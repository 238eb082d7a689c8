//! The text form holds everything a model holds, and an edit in the plain text always wins.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod support;
mod text_support;

use galatea_mdlx::{
    Bone, Camera, Chunk, CollisionShape, Curve, Event, Extra, Geoset, GeosetAnim, Interpolation, Keys, Layer,
    LayerTexture, Light, Material, Model, Node, ParticleEmitter, ParticleEmitter2, RibbonEmitter, Sequence,
    Shape, Tangents, Text, Texture, TextureAnim, Track, UnknownChunk, Version,
};
use text_support::{parse, print, through_binary, through_text};

const NOTHING: [&str; 0] = [];

fn float_track(tag: &[u8; 4]) -> Track {
    Track::new(tag, Interpolation::Linear, Keys::Float(Curve::new([(0, 0.0), (100, 1.0)])))
}

fn vector_track(tag: &[u8; 4]) -> Track {
    Track::new(tag, Interpolation::None, Keys::Vector(Curve::new([(0, [0.0, 0.5, 1.0])])))
}

fn model() -> Model {
    Model::new(Version(800))
}

#[test]
fn everything_of_every_version_survives() {
    for version in Version::KNOWN {
        let model = support::value(version);
        assert_eq!(through_text(&model), NOTHING, "{version}");
        assert_eq!(through_binary(&parse(print(&model))), NOTHING, "{version}");
        // As read from a file, with a layout.
        let model = Model::read(&support::bytes(version), &galatea_mdlx::Limits::default()).unwrap();
        assert_eq!(through_text(&model), NOTHING, "{version}");
    }
}

#[test]
fn bytes_of_a_newer_version_survive() {
    let mut model = support::value(Version(1200));
    model.version = Version(1250);
    model.info.extra = vec![1, 2, 3, 4];
    model.geosets[0].extra = vec![9; 8];
    model.materials[0].extra = vec![7; 4];
    let extra = || Some(Box::new(Extra { before: vec![0xAB; 4], after: vec![1, 2] }));
    model.materials[0].layers[0].tracks.extra = extra();
    model.texture_anims[0].tracks.extra = extra();
    model.geoset_anims[0].tracks.extra = extra();
    model.bones[0].node.tracks.extra = extra();
    model.lights[0].tracks.extra = extra();
    model.lights[0].node.tracks.extra = extra();
    model.cameras[0].tracks.extra = extra();
    assert_eq!(through_text(&model), NOTHING);
}

#[test]
fn the_order_of_chunks_survives() {
    let mut model = support::value(Version(800));
    model.settle_layout();
    model.layout.chunks.reverse();
    assert_eq!(through_text(&model), NOTHING);
    assert!(print(&model).starts_with("// galatea: chunks "));
    // What is in the usual order needs no line.
    let mut usual = support::value(Version(800));
    usual.unknown.clear();
    usual.layout.chunks.clear();
    assert!(!print(&usual).contains("chunks"));
}

#[test]
fn empty_divided_and_unknown_chunks_survive() {
    let mut model = model();
    model.bones = vec![Bone::default(); 3];
    model.settle_layout();
    let chunk = |tag: &[u8; 4], items| Chunk { tag: tag.into(), items, ..Chunk::default() };
    model.layout.chunks.pop();
    model.layout.chunks.extend([chunk(b"BONE", 2), chunk(b"PREM", 0), chunk(b"BONE", 1)]);
    model.unknown = vec![
        UnknownChunk { tag: b"MDVI".into(), bytes: (0..3000u32).map(|i| i as u8).collect() },
        UnknownChunk { tag: b"\xFF *\n".into(), bytes: Box::new([]) },
    ];
    model.layout.chunks.insert(0, Chunk { unknown: true, ..chunk(b"MDVI", 1) });
    model.layout.chunks.push(Chunk { unknown: true, ..chunk(b"\xFF *\n", 1) });
    assert_eq!(through_text(&model), NOTHING);
    assert_eq!(parse(print(&model)).layout, model.layout);
}

#[test]
fn a_file_without_model_chunk_stays_without() {
    let mut model = model();
    model.layout.chunks = vec![Chunk { tag: b"VERS".into(), items: 1, ..Chunk::default() }];
    assert_eq!(through_text(&model), NOTHING);
    assert!(!print(&model).contains("Model"));
    // A text without one gets one: the game needs it.
    assert!(parse("Version { FormatVersion 800, }").write().unwrap().windows(4).any(|w| w == b"MODL"));
}

#[test]
fn strings_survive_whatever_is_in_them() {
    let mut model = model();
    for name in [
        &b"plain"[..],
        b"with \"quotes\" inside",
        b"\"",
        b"ends in a backslash\\",
        b"\\\"",
        b"caf\xE9 \xE5\x9B\x9B \xFF",
        b"two\nlines\r\n",
        b"// no comment { } ; , :",
        b"",
    ] {
        let mut bone = Bone::default();
        bone.node.name = Text::new(name).unwrap();
        model.bones.push(bone);
        let texture = Texture { path: Text::new(name).unwrap(), ..Texture::default() };
        model.textures.push(texture);
        model.sequences.push(Sequence { name: Text::new(name).unwrap(), ..Sequence::default() });
    }
    let mut full = Bone::default();
    full.node.name = Text([b'x'; 80]);
    model.bones.push(full);
    // Garbage after the NUL, and the mark some tools leave.
    model.textures[0].path.0[10..14].copy_from_slice(b"junk");
    model.textures[0].path.0[259] = 1;
    model.info.animation_file.0[252..255].copy_from_slice(b"PDR");
    model.sequences[1].name.0[79] = 0xFE;
    assert_eq!(through_text(&model), NOTHING);
}

#[test]
fn numbers_that_are_none_survive() {
    let mut model = model();
    let odd = [
        f32::NAN,
        f32::from_bits(0x7FA0_0001),
        f32::from_bits(0xFFFF_FFFF),
        f32::INFINITY,
        f32::NEG_INFINITY,
        -0.0,
        f32::from_bits(1),
        f32::MAX,
        f32::MIN_POSITIVE,
        0.1,
    ];
    model.pivots = odd.iter().map(|v| [*v, 0.0, *v]).collect();
    let mut light = Light { intensity: f32::NAN, ..Light::default() };
    light.tracks.push(Track::new(b"KLAI", Interpolation::Hermite, {
        let mut curve = Curve::new(odd.iter().map(|v| (5, *v)));
        curve.tangents = odd.iter().map(|v| Tangents { incoming: *v, outgoing: -*v }).collect();
        Keys::Float(curve)
    }));
    model.lights.push(light);
    assert_eq!(through_text(&model), NOTHING);
    let printed = print(&model);
    // Other tools read zeros.
    assert!(printed.contains("{ 0e1, 0, 0e1 },"), "{printed}");
    assert!(!printed.to_lowercase().contains("nan") && !printed.contains("inf"), "{printed}");
    assert!(printed.starts_with("// galatea: numbers 1 0x7fc00000"), "{printed}");
}

#[test]
fn the_value_behind_a_track_survives() {
    let mut model = model();
    let mut layer = Layer { alpha: 0.25, texture_id: 7, ..Layer::default() };
    layer.tracks.push(float_track(b"KMTA"));
    layer.tracks.push(Track::new(b"KMTF", Interpolation::None, Keys::Integer(Curve::new([(3, 1)]))));
    model.materials.push(Material { layers: vec![layer], ..Material::default() });
    let mut ribbon = RibbonEmitter {
        color: [0.1, 0.2, 0.3],
        texture_slot: 9,
        alpha: f32::NAN,
        ..RibbonEmitter::default()
    };
    ribbon.tracks.push(vector_track(b"KRCO"));
    ribbon.tracks.push(Track::new(
        b"KRTX",
        Interpolation::Linear,
        Keys::Integer(Curve::new([(3, u32::MAX)])),
    ));
    ribbon.tracks.push(float_track(b"KRAL"));
    model.ribbon_emitters.push(ribbon);
    let mut emitter = ParticleEmitter2 { emission_rate: 20.0, ..ParticleEmitter2::default() };
    emitter.tracks.push(float_track(b"KP2E"));
    model.particle_emitters2.push(emitter);
    assert_eq!(through_text(&model), NOTHING);
    let printed = print(&model);
    assert!(printed.contains("// galatea: static EmissionRate 20\n"), "{printed}");
    assert!(printed.contains("// galatea: static TextureID 7; static Alpha 0.25\n"), "{printed}");
}

#[test]
fn values_without_a_word_survive() {
    let mut model = model();
    model.lights.push(Light { kind: 513, ..Light::default() });
    model.lights.push(Light { kind: 0xDEAD_BEEF, ..Light::default() });
    model.particle_emitters2.push(ParticleEmitter2 {
        head_or_tail: 1_698_164,
        filter_mode: 9,
        squirt: 77,
        ..ParticleEmitter2::default()
    });
    let node = Node { flags: 0xFFFF_FFFF, ..Node::default() };
    model.bones.push(Bone { node, ..Bone::default() });
    model.bones.push(Bone::default());
    model.textures.push(Texture { flags: 0xFFFF_FFF0, ..Texture::default() });
    model.sequences.push(Sequence { flags: 6, ..Sequence::default() });
    let layers = vec![Layer { filter_mode: 99, flags: 0x8000_010C, ..Layer::default() }];
    model.materials.push(Material { flags: 0x46, layers, ..Material::default() });
    model.geosets.push(Geoset { selection_flags: 0x15, ..Geoset::default() });
    for flags in [0, 1, 2, 3, 0x1A, 0x1B, 0x18] {
        let plain = GeosetAnim { flags, ..GeosetAnim::default() };
        let mut colored = GeosetAnim { color: [0.1, 0.2, 0.3], ..plain.clone() };
        model.geoset_anims.extend([plain, colored.clone()]);
        colored.tracks.push(vector_track(b"KGAC"));
        model.geoset_anims.push(colored);
    }
    assert_eq!(through_text(&model), NOTHING);
    let printed = print(&model);
    assert!(printed.contains("// galatea: kind 513\nLight"), "{printed}");
    assert!(printed.contains("\tDirectional,\n"), "{printed}");
    assert!(printed.contains("// galatea: Bitmap 0/1 flags 0xfffffff0\n"), "{printed}");
}

#[test]
fn face_and_matrix_groups_survive() {
    let mut model = model();
    let faces: Vec<u16> = (0..12).collect();
    let cases: [(&[u32], &[u32], usize); 9] = [
        (&[4], &[12], 12),
        (&[4, 4, 4, 4], &[3, 3, 3, 3], 12),
        (&[], &[], 0),
        (&[4], &[0], 0),
        (&[5, 6, 4], &[4, 4, 4], 12),
        (&[4], &[9], 12),
        (&[4, 4], &[12], 12),
        (&[77], &[12], 12),
        (&[], &[], 12),
    ];
    for (types, counts, indices) in cases {
        model.geosets.push(Geoset {
            face_types: types.to_vec(),
            face_counts: counts.to_vec(),
            faces: faces[..indices].to_vec(),
            ..Geoset::default()
        });
    }
    for (sizes, matrices) in
        [(vec![1, 2], vec![5, 6, 7]), (vec![0], vec![]), (vec![9], vec![1]), (vec![], vec![1, 2])]
    {
        model.geosets.push(Geoset { group_sizes: sizes, matrices, ..Geoset::default() });
    }
    assert_eq!(through_text(&model), NOTHING);
    assert!(print(&model).contains("// galatea: faces 12 4*5 3*4\n"), "{}", print(&model));
}

#[test]
fn the_order_of_tracks_survives() {
    let mut model = model();
    let mut emitter = ParticleEmitter::default();
    for tag in [b"KPES", b"KPEV", b"KPEL", b"KPEE"] {
        emitter.tracks.push(float_track(tag));
    }
    model.particle_emitters.push(emitter);
    let mut camera = Camera::default();
    camera.tracks.push(vector_track(b"KTTR"));
    camera.tracks.push(float_track(b"KCRL"));
    camera.tracks.push(vector_track(b"KCTR"));
    model.cameras.push(camera);
    let mut twice = TextureAnim::default();
    twice.tracks.push(vector_track(b"KTAS"));
    twice.tracks.push(vector_track(b"KTAT"));
    twice.tracks.push(vector_track(b"KTAS"));
    model.texture_anims.push(twice);
    assert_eq!(through_text(&model), NOTHING);
    assert!(print(&model).contains("order KTTR KCRL KCTR"));
}

#[test]
fn every_shape_survives() {
    let shapes = [
        Shape::Box { corners: [[1.0; 3], [2.0; 3]] },
        Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 4.0 },
        Shape::Plane { length: 80.0, width: f32::NAN },
        Shape::Cylinder { base: [1.0; 3], height: 2.0, radius: 3.0 },
        Shape::PlanePoints { points: [[1.0; 3], [2.0; 3]] },
        Shape::CylinderPoints { points: [[1.0; 3], [2.0; 3]], radius: 3.0 },
    ];
    for version in [800, 1100, 1300, 1500] {
        let mut model = Model::new(Version(version));
        let fits = |s: &&Shape| {
            version < 1300 || !matches!(s, Shape::PlanePoints { .. } | Shape::CylinderPoints { .. })
        };
        model.collision_shapes = shapes
            .iter()
            .filter(fits)
            .map(|shape| CollisionShape { shape: *shape, ..CollisionShape::default() })
            .collect();
        assert_eq!(through_text(&model), NOTHING, "{version}");
    }
}

#[test]
fn odd_texture_slots_survive() {
    let mut model = Model::new(Version(1100));
    let track = || Track::new(b"KMTF", Interpolation::None, Keys::Integer(Curve::new([(3, 1)])));
    let textures = vec![
        LayerTexture { texture_id: 3, slot: 5, tracks: vec![track(), track()].into() },
        LayerTexture { texture_id: -1, slot: 9, ..LayerTexture::default() },
        LayerTexture { texture_id: 1, slot: 9, tracks: vec![track()].into() },
        LayerTexture { texture_id: 0, slot: 9, tracks: vec![track()].into() },
        LayerTexture::default(),
    ];
    let layers =
        vec![Layer { texture_id: 4, shader_type: 77, textures, ..Layer::default() }, Layer::default()];
    model.materials.push(Material { layers, ..Material::default() });
    assert_eq!(through_text(&model), NOTHING);
}

#[test]
fn tracks_without_keys_and_events_without_times_survive() {
    let mut model = model();
    let mut anim = GeosetAnim::default();
    anim.tracks.push(Track::new(b"KGAO", Interpolation::Bezier, Keys::Float(Curve::default())));
    model.geoset_anims.push(anim);
    model.events = vec![
        Event::default(),
        Event { track: Some(Default::default()), ..Event::default() },
        Event {
            track: Some(galatea_mdlx::EventTrack { global_sequence: -7, times: vec![5, -5] }),
            ..Event::default()
        },
    ];
    model.texture_anims.push(TextureAnim::default());
    model.materials.push(Material::default());
    assert_eq!(through_text(&model), NOTHING);
}

/// Prints a model, changes the plain text and reads it.
fn edited(model: &Model, from: &str, to: &str) -> Model {
    let printed = print(model);
    assert!(printed.contains(from), "{printed}");
    let plain: String = printed
        .lines()
        .map(|line| if line.contains("// galatea") { line.to_owned() } else { line.replace(from, to) } + "\n")
        .collect();
    assert_ne!(plain, printed, "{printed}");
    parse(plain)
}

#[test]
fn an_edited_string_wins_over_its_stored_bytes() {
    let mut model = model();
    model.info.animation_file = Text::new(b"the \"hand\"").unwrap();
    model.info.animation_file.0[70] = 9;
    let back = edited(&model, "the 'hand'", "a foot");
    assert_eq!(back.info.animation_file.bytes(), b"a foot");
    // A string that was edited in another place keeps its quotes.
    let back = edited(&model, "the 'hand'", "the 'hanD'");
    assert_eq!(back.info.animation_file.bytes(), b"the \"hanD\"");
}

#[test]
fn an_edited_name_voids_its_stored_bytes() {
    let mut model = model();
    let mut bone = Bone::default();
    bone.node.name = Text::new(b"the \"hand\"").unwrap();
    bone.node.name.0[70] = 9;
    model.bones.push(bone);
    let back = edited(&model, "the 'hand'", "the 'hanD'");
    assert_eq!(back.bones[0].node.name, Text::new(b"the 'hanD'").unwrap());
}

#[test]
fn an_edited_number_counts_more_than_the_one_it_stands_for() {
    let mut model = model();
    model.pivots = vec![[f32::NAN, f32::INFINITY, 1.0]];
    let back = edited(&model, "0e1", "12.5");
    assert_eq!(back.pivots, [[12.5, f32::INFINITY, 1.0]]);
    assert_eq!(edited(&model, "0e2", "0").pivots[0][1].to_bits(), 0);
}

#[test]
fn an_edited_value_counts_more_than_the_sidecar_one() {
    let mut model = model();
    model.lights.push(Light { kind: 513, ..Light::default() });
    assert_eq!(edited(&model, "Directional", "Ambient").lights[0].kind, 2);
    model.particle_emitters2.push(ParticleEmitter2 {
        head_or_tail: 9,
        squirt: 7,
        ..ParticleEmitter2::default()
    });
    assert_eq!(edited(&model, "Head,", "Both,").particle_emitters2[0].head_or_tail, 2);
    assert_eq!(edited(&model, "\tSquirt,", "").particle_emitters2[0].squirt, 0);
    let layers = vec![Layer { filter_mode: 99, ..Layer::default() }];
    model.materials.push(Material { layers, ..Material::default() });
    assert_eq!(edited(&model, "FilterMode None", "FilterMode Blend").materials[0].layers[0].filter_mode, 2);
}

#[test]
fn edited_flags_count_more_than_the_sidecar_ones() {
    let mut model = model();
    let node = Node { flags: 0x8000_0108, ..Node::default() };
    model.bones.push(Bone { node, ..Bone::default() });
    // Only the bit that has a word changes.
    assert_eq!(edited(&model, "Billboarded,", "BillboardedLockX,").bones[0].node.flags, 0x8000_0110);
    model.textures.push(Texture { flags: 0x11, ..Texture::default() });
    assert_eq!(edited(&model, "WrapWidth,", "").textures[0].flags, 0x10);
}

#[test]
fn an_edited_static_value_counts_more_than_the_sidecar_one() {
    let mut model = model();
    let mut anim = GeosetAnim { alpha: 0.25, ..GeosetAnim::default() };
    anim.tracks.push(Track::new(b"KGAO", Interpolation::None, Keys::Float(Curve::default())));
    model.geoset_anims.push(anim);
    let printed = print(&model);
    let track = "\tAlpha 0 {\n\t\tDontInterp,\n\t}\n";
    assert!(printed.contains(track) && printed.contains("static Alpha 0.25"), "{printed}");
    // The track was removed: its static value applies only if the plain text has it.
    let back = parse(printed.replace(track, "\tstatic Alpha 0.75,\n"));
    assert_eq!((back.geoset_anims[0].alpha, back.geoset_anims[0].tracks.is_empty()), (0.75, true));
    assert_eq!(parse(printed.replace(track, "")).geoset_anims[0].alpha, 1.0);
}

#[test]
fn an_edited_colour_counts_more_than_the_sidecar_flags() {
    let mut model = model();
    model.geoset_anims.push(GeosetAnim { flags: 0x18, color: [0.1, 0.2, 0.3], ..GeosetAnim::default() });
    let printed = print(&model);
    let back =
        parse(printed.replace("\tGeosetId None,\n", "\tGeosetId None,\n\tstatic Color { 1, 0, 0 },\n"));
    assert_eq!((back.geoset_anims[0].flags, back.geoset_anims[0].color), (0x1A, [0.0, 0.0, 1.0]));
    model.geoset_anims[0].flags = 0x1A;
    let back = edited(&model, "\tstatic Color { 0.3, 0.2, 0.1 },", "");
    assert_eq!(back.geoset_anims[0].flags, 0x18);
}

#[test]
fn edited_lists_count_more_than_sidecar_groups() {
    let mut model = model();
    model.geosets.push(Geoset {
        face_types: vec![4; 2],
        face_counts: vec![3; 2],
        faces: vec![0, 1, 2, 2, 1, 3],
        group_sizes: vec![5],
        matrices: vec![1, 2],
        ..Geoset::default()
    });
    let back = edited(&model, "{ 0, 1, 2, 2, 1, 3 }", "{ 0, 1, 2 }");
    assert_eq!((&back.geosets[0].face_counts, back.geosets[0].faces.len()), (&vec![3], 3));
    assert_eq!(edited(&model, "Matrices { 1, 2 }", "Matrices { 1 }").geosets[0].group_sizes, [1]);
    assert_eq!(
        edited(&model, "Matrices { 1, 2 }", "Matrices { 1 }, Matrices { 2 }").geosets[0].group_sizes,
        [1, 1]
    );
}

#[test]
fn an_edited_shape_counts_more_than_the_sidecar_one() {
    let mut model = model();
    let shape = Shape::Plane { length: 80.0, width: 40.0 };
    model.collision_shapes.push(CollisionShape { shape, ..CollisionShape::default() });
    let back = edited(&model, "{ 40, 20, 0 }", "{ 40, 21, 0 }");
    assert_eq!(
        back.collision_shapes[0].shape,
        Shape::PlanePoints { points: [[-40.0, -20.0, 0.0], [40.0, 21.0, 0.0]] }
    );
}

#[test]
fn added_blocks_find_their_place_among_sidecar_chunks() {
    let mut model = model();
    model.bones.push(Bone::default());
    model.settle_layout();
    model.layout.chunks.reverse();
    let printed = print(&model) + "Bone \"New\" { ObjectId 1, }\nHelper \"Also\" { ObjectId 2, }\n";
    let back = parse(printed);
    assert_eq!((back.bones.len(), back.helpers.len()), (2, 1));
    assert_eq!(through_binary(&back), NOTHING);
    let again = Model::read(&back.write().unwrap(), &galatea_mdlx::Limits::default()).unwrap();
    assert_eq!((again.bones.len(), again.helpers.len()), (2, 1));
    assert_eq!(again.layout.chunks[0].tag.0, *b"BONE");
}

#[test]
fn sidecar_lines_of_a_list_that_changed_are_left_out() {
    let mut model = model();
    model.textures = vec![Texture { flags: 0x10, ..Texture::default() }, Texture::default()];
    let printed = print(&model);
    let back =
        parse(printed.replacen("\tBitmap {\n", "\tBitmap {\n\t\tImage \"new.blp\",\n\t}\n\tBitmap {\n", 1));
    assert_eq!(back.textures.iter().map(|t| t.flags).collect::<Vec<_>>(), [0, 0, 0]);
}
