//! Every rule: a sound model breaks none, and each is broken by one change.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

use std::collections::BTreeSet;

use galatea_mdlx::*;
use galatea_wire::Severity;

fn text<const N: usize>(text: &str) -> Text<N> {
    Text::new(text.as_bytes()).unwrap()
}

fn node(name: &str, id: u32, flags: u32) -> Node {
    Node { name: text(name), object_id: id, parent_id: -1, flags, tracks: Tracks::default() }
}

fn linear(tag: &[u8; 4], keys: Keys) -> Track {
    Track::new(tag, Interpolation::Linear, keys)
}

fn alpha(times: &[i32]) -> Keys {
    Keys::Float(Curve::new(times.iter().map(|t| (*t, 0.5))))
}

fn turn(q: [f32; 4]) -> Track {
    linear(b"KGRT", Keys::Rotation(Curve::new([(100, q), (500, q)])))
}

/// A model that breaks no rule.
fn sound(version: Version) -> Model {
    let mut m = Model::new(version);
    m.info.name = text("Sound");
    m.sequences = vec![
        Sequence { name: text("Stand"), start: 100, end: 500, ..Sequence::default() },
        Sequence { name: text("Death"), start: 1000, end: 1500, ..Sequence::default() },
    ];
    m.global_sequences = vec![1000];
    m.textures = vec![Texture { replaceable_id: 0, path: text("Textures\\grass.blp"), flags: 0 }];
    m.texture_anims = vec![TextureAnim::default()];
    let slots = version.has(Feature::TextureSlots);
    m.materials = vec![Material {
        layers: vec![Layer {
            texture_anim_id: 0,
            textures: if slots { vec![LayerTexture::default()] } else { Vec::new() },
            ..Layer::default()
        }],
        ..Material::default()
    }];
    m.geosets = vec![Geoset {
        vertices: vec![[0.0; 3], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        face_types: vec![4],
        face_counts: vec![3],
        faces: vec![0, 1, 2],
        vertex_groups: vec![0; 3],
        group_sizes: vec![1],
        matrices: vec![0],
        bounds: Bounds { radius: 10.0, min: [0.0; 3], max: [10.0, 10.0, 0.0] },
        sequence_bounds: vec![Bounds::default(); 2],
        uvs: vec![vec![[0.0; 2]; 3]],
        ..Geoset::default()
    }];
    m.geoset_anims = vec![GeosetAnim { geoset_id: 0, flags: 2, ..GeosetAnim::default() }];
    m.bones = vec![Bone { node: node("Root", 0, 0x100), geoset_id: 0, geoset_anim_id: 0 }];
    m.lights = vec![Light { node: node("Lamp", 1, 0x200), attenuation_end: 200.0, ..Light::default() }];
    m.helpers = vec![Helper { node: node("Helper", 2, 0) }];
    m.attachments = vec![Attachment { node: node("Overhead Ref", 3, 0x800), ..Attachment::default() }];
    m.attachments[0].node.parent_id = 2;
    m.particle_emitters = vec![ParticleEmitter {
        node: node("Emitter", 4, 0x9000),
        path: text("a.mdl"),
        ..ParticleEmitter::default()
    }];
    m.particle_emitters2 = vec![ParticleEmitter2 {
        node: node("Sparks", 5, 0x1000),
        life_span: 1.0,
        ..ParticleEmitter2::default()
    }];
    m.ribbon_emitters = vec![RibbonEmitter {
        node: node("Ribbon", 6, 0x4000),
        life_span: 1.0,
        emission_rate: 10,
        ..RibbonEmitter::default()
    }];
    m.ribbon_emitters[0].tracks.push(Track { global_sequence: 0, ..linear(b"KRAL", alpha(&[0, 1000])) });
    m.events = vec![Event {
        node: node("SNDxABCD", 7, 0x400),
        track: Some(EventTrack { global_sequence: -1, times: vec![100] }),
    }];
    let shape = Shape::Sphere { center: [0.0; 3], radius: 10.0 };
    m.collision_shapes = vec![CollisionShape { node: node("Shape", 8, 0x2000), shape }];
    m.cameras = vec![Camera {
        name: text("Portrait"),
        field_of_view: 0.8,
        far_clip: 1000.0,
        near_clip: 8.0,
        ..Camera::default()
    }];
    m.pivots = vec![[0.0; 3]; 9];
    if version.has(Feature::LevelOfDetail) {
        m.popcorn_emitters = vec![PopcornEmitter {
            node: node("Corn", 9, 0x1000),
            path: text("a.pkfx"),
            ..PopcornEmitter::default()
        }];
        m.pivots.push([0.0; 3]);
        m.bind_poses = vec![[0.0; 12]; 11];
        m.face_effects = vec![FaceEffect { target: text("Root"), path: text("a.facefx") }];
    }
    Model::read(&m.write().unwrap(), &Limits::default()).unwrap()
}

/// A rule, the version of the model, and the change that breaks the rule.
type Case = (&'static str, u32, fn(&mut Model));

const CASES: &[Case] = &[
    ("MDLX0001", 800, |m| m.materials[0].layers[0].texture_id = 7),
    ("MDLX0001", 1100, |m| m.materials[0].layers[0].textures[0].texture_id = 7),
    ("MDLX0002", 800, |m| m.materials[0].layers[0].texture_anim_id = 7),
    ("MDLX0003", 800, |m| m.geosets[0].material_id = 7),
    ("MDLX0004", 800, |m| m.geoset_anims[0].geoset_id = 7),
    ("MDLX0005", 800, |m| m.bones[0].geoset_id = 7),
    ("MDLX0006", 800, |m| m.bones[0].geoset_anim_id = 7),
    ("MDLX0007", 800, |m| m.geosets[0].matrices[0] = 70),
    ("MDLX0008", 800, |m| m.geosets[0].matrices[0] = 2),
    ("MDLX0009", 800, |m| m.geosets[0].vertex_groups[0] = 7),
    ("MDLX0010", 800, |m| m.geosets[0].matrices.push(0)),
    ("MDLX0011", 800, |m| m.ribbon_emitters[0].material_id = 7),
    ("MDLX0012", 800, |m| m.particle_emitters2[0].texture_id = 7),
    ("MDLX0013", 800, |m| m.ribbon_emitters[0].tracks.list[0].global_sequence = 7),
    ("MDLX0014", 800, |m| m.materials[0].layers[0].coord_id = 1),
    ("MDLX0015", 900, |m| {
        m.geosets[0].skin = Some(vec![SkinWeight { bones: [77, 0, 0, 0], weights: [255, 0, 0, 0] }; 3]);
    }),
    ("MDLX0016", 1000, |m| m.face_effects[0].target = text("Nobody")),
    ("MDLX0017", 800, |m| m.helpers[0].node.parent_id = 70),
    ("MDLX0018", 800, |m| {
        m.helpers[0].node.parent_id = 1;
        m.lights[0].node.parent_id = 2;
    }),
    ("MDLX0019", 800, |m| {
        m.materials[0].layers[0].tracks.push(Track::new(
            b"KMTF",
            Interpolation::None,
            Keys::Integer(Curve::new([(100, 7)])),
        ));
    }),
    ("MDLX0020", 800, |m| m.helpers[0].node.object_id = 1),
    ("MDLX0021", 800, |m| m.helpers[0].node.object_id = 50),
    ("MDLX0022", 800, |m| {
        m.bones[0].node.object_id = 1;
        m.lights[0].node.object_id = 0;
    }),
    ("MDLX0023", 800, |m| m.pivots.truncate(3)),
    ("MDLX0024", 800, |m| m.pivots.push([0.0; 3])),
    ("MDLX0025", 800, |m| m.bones[0].node.name = text("")),
    ("MDLX0026", 800, |m| m.bones[0].node.name = text("Helper")),
    ("MDLX0027", 800, |m| m.bones[0].node.name = text("a \"b\"")),
    ("MDLX0028", 800, |m| m.bones[0].node.flags = 0),
    ("MDLX0029", 800, |m| {
        m.bones.push(Bone { node: node("Idle", 9, 0x100), ..Bone::default() });
        m.pivots.push([0.0; 3]);
    }),
    ("MDLX0030", 800, |m| m.attachments[0].node.parent_id = -1),
    ("MDLX0031", 800, |m| m.geosets[0].vertices[0][1] = f32::NAN),
    ("MDLX0031", 800, |m| m.pivots[0][1] = f32::INFINITY),
    ("MDLX0040", 800, |m| m.lights[0].kind = 513),
    ("MDLX0041", 800, |m| m.ribbon_emitters[0].node.flags = 0x40_0000),
    ("MDLX0042", 800, |m| m.geoset_anims[0].flags = 0x1B),
    ("MDLX0043", 800, |m| m.bones[0].node.flags |= 0x8000_0000),
    ("MDLX0044", 800, |m| m.helpers[0].node.flags = 0x100),
    ("MDLX0045", 800, |m| {
        m.geoset_anims[0].flags = 0x1A;
        m.cameras[0]
            .tracks
            .push(linear(b"KCTR", Keys::Vector(Curve::new([(100, [0.0; 3]), (500, [0.0; 3])]))));
    }),
    ("MDLX0046", 800, |m| m.particle_emitters2[0].head_or_tail = 1_698_164),
    ("MDLX0047", 800, |m| m.info.animation_file.0[100..103].copy_from_slice(b"PDR")),
    ("MDLX0050", 800, |m| m.sequences.clear()),
    ("MDLX0051", 800, |m| m.sequences[0].end = 100),
    ("MDLX0052", 800, |m| m.sequences[0].end = 1200),
    ("MDLX0053", 800, |m| m.sequences[0].name = text("Birth")),
    ("MDLX0054", 800, |m| m.sequences[1].name = text("Birth")),
    ("MDLX0055", 800, |m| m.sequences.swap(0, 1)),
    ("MDLX0056", 800, |m| m.sequences[1].name = text("")),
    ("MDLX0057", 800, |m| m.sequences[1].name = text("Walk Fast")),
    ("MDLX0058", 800, |m| m.global_sequences[0] = 0),
    ("MDLX0059", 800, |m| m.global_sequences.push(5)),
    ("MDLX0060", 800, |m| m.sequences[0].flags = 6),
    ("MDLX0070", 800, |m| m.geoset_anims[0].tracks.push(linear(b"KGAO", alpha(&[500, 100])))),
    ("MDLX0070", 800, |m| m.events[0].track.as_mut().unwrap().times = vec![5, 3]),
    ("MDLX0071", 800, |m| m.geoset_anims[0].tracks.push(linear(b"KGAO", alpha(&[100, 300, 300, 500])))),
    ("MDLX0072", 800, |m| m.geoset_anims[0].tracks.push(linear(b"KGAO", alpha(&[-100, 100])))),
    ("MDLX0073", 800, |m| m.geoset_anims[0].tracks.push(linear(b"KGAO", alpha(&[100, 500, 700])))),
    ("MDLX0074", 800, |m| m.geoset_anims[0].tracks.push(linear(b"KGAO", alpha(&[200, 500])))),
    ("MDLX0075", 800, |m| m.geoset_anims[0].tracks.push(linear(b"KGAO", alpha(&[100, 400])))),
    ("MDLX0076", 800, |m| m.geoset_anims[0].tracks.push(linear(b"KGAO", alpha(&[])))),
    ("MDLX0077", 800, |m| m.attachments[0].tracks.push(linear(b"KATV", alpha(&[100, 500])))),
    ("MDLX0078", 800, |m| m.bones[0].node.tracks.push(turn([0.0, 0.0, 0.0, 2.0]))),
    ("MDLX0079", 800, |m| {
        m.bones[0].node.tracks.push(turn([0.0, 0.0, 0.0, 1.0]));
        m.bones[0].node.tracks.push(turn([0.0, 0.0, 0.0, 1.0]));
    }),
    ("MDLX0080", 800, |m| {
        m.geoset_anims[0].tracks.push(linear(b"KGAO", Keys::Float(Curve::new([(100, 5.0), (500, 1.0)]))));
    }),
    ("MDLX0081", 800, |m| {
        let keys = Keys::Integer(Curve::new([(100, 0), (500, 0)]));
        m.materials[0].layers[0].tracks.push(linear(b"KMTF", keys));
    }),
    ("MDLX0090", 800, |m| m.geosets[0].vertices.clear()),
    ("MDLX0091", 800, |m| m.geosets[0].faces.clear()),
    ("MDLX0092", 800, |m| m.geosets[0].faces[0] = 9),
    ("MDLX0093", 800, |m| m.geosets[0].face_counts[0] = 9),
    ("MDLX0094", 800, |m| m.geosets[0].face_types[0] = 5),
    ("MDLX0095", 800, |m| m.geosets[0].faces[0] = 1),
    ("MDLX0096", 800, |m| m.geosets[0].normals.truncate(1)),
    ("MDLX0097", 800, |m| m.geosets[0].vertex_groups.truncate(1)),
    ("MDLX0098", 800, |m| m.geosets[0].uvs[0].truncate(1)),
    ("MDLX0099", 900, |m| m.geosets[0].tangents = Some(Vec::new())),
    ("MDLX0100", 900, |m| m.geosets[0].skin = Some(Vec::new())),
    ("MDLX0101", 900, |m| {
        m.geosets[0].skin = Some(vec![SkinWeight { bones: [0; 4], weights: [25, 0, 0, 0] }; 3]);
    }),
    ("MDLX0102", 800, |m| {
        m.geosets[0].group_sizes.clear();
        m.geosets[0].matrices.clear();
    }),
    ("MDLX0103", 800, |m| m.geosets[0].group_sizes.push(0)),
    ("MDLX0104", 800, |m| {
        m.geosets[0].group_sizes[0] = 5;
        m.geosets[0].matrices = vec![0; 5];
    }),
    ("MDLX0105", 800, |m| m.geosets[0].bounds.min = [50.0; 3]),
    ("MDLX0106", 800, |m| m.geosets[0].bounds.max = [5.0; 3]),
    ("MDLX0107", 800, |m| m.geosets[0].sequence_bounds.clear()),
    ("MDLX0108", 800, |m| {
        let g = &mut m.geosets[0];
        g.vertices.push([0.0; 3]);
        g.normals.push([0.0, 0.0, 1.0]);
        g.vertex_groups.push(0);
        g.uvs[0].push([0.0; 2]);
    }),
    ("MDLX0109", 800, |m| m.geosets[0].normals[0] = [0.0, 0.0, 9.0]),
    ("MDLX0110", 800, |m| m.geosets[0].uvs.clear()),
    ("MDLX0111", 800, |m| m.geoset_anims.push(m.geoset_anims[0].clone())),
    ("MDLX0112", 800, |m| m.geoset_anims[0].geoset_id = -1),
    ("MDLX0113", 900, |m| m.geosets[0].lod = 2),
    ("MDLX0114", 800, |m| {
        m.geoset_anims[0].alpha = 0.0;
        m.geoset_anims[0].tracks = Tracks::default();
    }),
    ("MDLX0120", 800, |m| m.materials[0].layers.clear()),
    ("MDLX0121", 800, |m| m.materials[0].layers[0].filter_mode = 7),
    ("MDLX0122", 800, |m| m.materials.push(m.materials[0].clone())),
    ("MDLX0123", 800, |m| {
        m.textures.push(Texture { replaceable_id: 2, ..Texture::default() });
    }),
    ("MDLX0124", 800, |m| m.texture_anims.push(TextureAnim::default())),
    ("MDLX0125", 800, |m| m.textures[0].path = text("")),
    ("MDLX0126", 800, |m| m.textures[0].replaceable_id = 5),
    ("MDLX0127", 800, |m| m.textures[0].replaceable_id = 2),
    ("MDLX0128", 800, |m| m.textures[0].path = text("a.png")),
    ("MDLX0129", 800, |m| m.textures.push(m.textures[0])),
    ("MDLX0130", 800, |m| {
        m.textures.push(Texture { replaceable_id: 1, ..Texture::default() });
        m.materials[0].layers.insert(0, Layer { texture_id: 1, ..Layer::default() });
    }),
    ("MDLX0131", 1000, |m| m.materials[0].shader = text("Shader_HD_DefaultUnit")),
    ("MDLX0131", 1100, |m| m.materials[0].layers[0].shader_type = 1),
    ("MDLX0132", 1000, |m| m.materials[0].shader = text("Shader_Own")),
    ("MDLX0133", 800, |m| m.textures[0].path = text("C:\\a.blp")),
    ("MDLX0140", 800, |m| m.particle_emitters2[0].filter_mode = 5),
    ("MDLX0141", 800, |m| m.particle_emitters2[0].rows = 3),
    ("MDLX0142", 800, |m| m.particle_emitters2[0].squirt = 1),
    ("MDLX0143", 800, |m| m.particle_emitters[0].path = text("")),
    ("MDLX0144", 800, |m| m.particle_emitters[0].path = text("a.blp")),
    ("MDLX0145", 800, |m| m.events[0].node.name = text("BANG")),
    ("MDLX0146", 800, |m| m.events[0].track = None),
    ("MDLX0147", 800, |m| m.lights[0].kind = 3),
    ("MDLX0148", 800, |m| m.lights[0].attenuation_start = 500.0),
    ("MDLX0149", 800, |m| m.cameras[0].far_clip = 1.0),
    ("MDLX0150", 800, |m| m.attachments[0].node.name = text("Overhead")),
    ("MDLX0151", 800, |m| m.collision_shapes[0].shape = Shape::Plane { length: 0.0, width: 1.0 }),
    ("MDLX0152", 1000, |m| m.bind_poses.truncate(3)),
    ("MDLX0153", 800, |m| m.ribbon_emitters[0].emission_rate = 0),
    ("MDLX0154", 800, |m| m.particle_emitters2[0].life_span = 0.0),
    ("MDLX0155", 1000, |m| m.popcorn_emitters[0].path = text("")),
    ("MDLX0156", 800, |m| m.particle_emitters2[0].time = 1.5),
    ("MDLX0157", 800, |m| {
        m.particle_emitters2[0].node.flags |= node_flags::XY_QUAD;
        m.particle_emitters2[0].speed = 0.0;
    }),
    ("MDLX0158", 800, |m| m.sequences[0].name = text("Attack")),
    ("MDLX0160", 800, |m| m.layout.chunks.retain(|c| c.tag != Tag(*b"MODL"))),
    ("MDLX0161", 800, |m| m.unknown.push(UnknownChunk { tag: Tag(*b"????"), bytes: Box::default() })),
    ("MDLX0162", 800, |m| m.layout.chunks.push(Chunk { tag: Tag(*b"BONE"), ..Chunk::default() })),
    ("MDLX0163", 800, |m| m.geosets[0].vertices = vec![[0.0; 3]; 65536]),
    ("MDLX0163", 1300, |m| m.sequences = vec![m.sequences[0].clone(); 256]),
    ("MDLX0164", 1200, |m| m.version = Version(1234)),
    ("MDLX0165", 800, |m| *m = Model::new(Version(800))),
];

#[test]
fn a_sound_model_breaks_no_rule() {
    for version in [800, 900, 1000, 1100, 1200] {
        let report = sound(Version(version)).check();
        let found: Vec<String> = report.findings().iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{version}: {found:#?}");
    }
}

#[test]
fn each_rule_is_broken_by_its_case() {
    for (code, version, change) in CASES {
        let mut model = sound(Version(*version));
        change(&mut model);
        assert!(model.check().count(code) > 0, "{code}: {:#?}", model.check().findings());
    }
}

#[test]
fn every_rule_has_a_case_and_every_case_a_rule() {
    let cases: BTreeSet<&str> = CASES.iter().map(|(code, ..)| *code).collect();
    let rules: BTreeSet<&str> = RULES.iter().map(|r| r.code).collect();
    assert_eq!(cases, rules);
    assert_eq!(rules.len(), RULES.len(), "a code is used twice");
    assert!(RULES.len() >= 60);
    assert!(RULES.is_sorted_by_key(|r| r.code));
    assert!(RULES.iter().all(|r| r.code.len() == 8 && !r.title.is_empty() && r.help.len() > 10));
}

#[test]
fn names_of_events_and_further_cameras_are_no_false_alarm() {
    let mut model = sound(Version(800));
    for name in ["FPTXFPR02", "SNDXDDRY ", "SPLxOBL1"] {
        model.events[0].node.name = text(name);
        assert_eq!(model.check().count("MDLX0145"), 0, "{name}");
    }
    for name in ["FPTX", "SNDxDHLBoops", "FOOTSTEP"] {
        model.events[0].node.name = text(name);
        assert_eq!(model.check().count("MDLX0145"), 1, "{name}");
    }
    let mut second = model.cameras[0].clone();
    (second.near_clip, second.far_clip) = (0.0, 0.0);
    model.cameras.push(second);
    assert_eq!(model.check().count("MDLX0149"), 0);
}

#[test]
fn findings_say_where_in_the_file() {
    let mut model = sound(Version(800));
    model.bones[0].geoset_id = 7;
    let bytes = model.write().unwrap();
    let report = Model::read(&bytes, &Limits::default()).unwrap().check();
    let finding = &report.findings()[0];
    assert_eq!(finding.rule.severity, Severity::Warning);
    let bone = bytes.windows(4).position(|w| w == b"BONE").unwrap() as u64 + 8;
    assert_eq!(finding.offset, Some(bone));
    let title = finding.rule.title;
    assert_eq!(
        finding.to_string(),
        format!("warning MDLX0005: {title}: geoset 7 (at 0x{bone:X}, bones[0] \"Root\")")
    );
}
