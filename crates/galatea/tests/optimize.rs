//! `optimize`: each step removes what it is for and nothing else, poses stay, and a second run finds nothing.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::Path;

use galatea::fox::{Bone as FoxBone, Fmdl, Name};
use galatea::kotor::mdl as kotor;
use galatea::mdlx::{
    Bone, Chunk, Curve, Geoset, GeosetAnim, Helper, Interpolation, Keys, Layer, Material, Model, Node,
    Sequence, Text, Texture, TextureAnim, Track, UnknownChunk, Version,
};
use galatea::optimize::{OptimizeError, OptimizeOptions, Optimized, Step, Tolerance, optimize};
use galatea::{Companion, Input, Output};

fn example(name: &str) -> Output {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut out = Output::single(std::fs::read(dir.join(name)).unwrap());
    if name == "statue.mdl" {
        let bytes = std::fs::read(dir.join("statue.mdx")).unwrap();
        out.companions.push(Companion { extension: "mdx", bytes });
    }
    out
}

fn run(files: &Output, options: &OptimizeOptions) -> Optimized {
    optimize(&files.input(), options).unwrap_or_else(|error| panic!("{error}"))
}

fn only(step: Step) -> OptimizeOptions {
    OptimizeOptions::default().with_steps(vec![step])
}

fn node(name: &str, id: u32, parent: i32, tracks: Vec<Track>) -> Node {
    Node {
        name: Text::new(name.as_bytes()).unwrap(),
        object_id: id,
        parent_id: parent,
        flags: 0,
        tracks: tracks.into(),
    }
}

fn square(z: f32, bone: u32, material_id: u32) -> Geoset {
    Geoset {
        vertices: vec![[0.0, 0.0, z], [100.0, 0.0, z], [0.0, 100.0, z], [100.0, 100.0, z]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        uvs: vec![vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]],
        face_types: vec![4],
        face_counts: vec![6],
        faces: vec![0, 1, 2, 2, 1, 3],
        vertex_groups: vec![0; 4],
        group_sizes: vec![1],
        matrices: vec![bone],
        material_id,
        ..Geoset::default()
    }
}

/// A model that has each kind of waste once, so to speak.
fn wasteful() -> Model {
    let mut m = Model::new(Version(800));
    m.sequences = [("Stand", 0, 1000), ("Walk", 2000, 3000)]
        .map(|(name, start, end)| Sequence {
            name: Text::new(name.as_bytes()).unwrap(),
            start,
            end,
            ..Sequence::default()
        })
        .to_vec();
    m.global_sequences = vec![500, 700, 500];
    let texture = |path: &str| Texture { path: Text::new(path.as_bytes()).unwrap(), ..Texture::default() };
    m.textures = vec![texture("unused.blp"), texture("a.blp"), texture("a.blp")];
    let spin = |global: i32| TextureAnim {
        tracks: vec![Track {
            global_sequence: global,
            ..Track::new(
                b"KTAT",
                Interpolation::Linear,
                Keys::Vector(Curve::new([(0, [0.0; 3]), (500, [1.0, 0.0, 0.0])])),
            )
        }]
        .into(),
    };
    m.texture_anims = vec![spin(0), spin(2), TextureAnim::default()];
    let material = |texture_id: i32, texture_anim_id: i32| Material {
        layers: vec![Layer { texture_id, texture_anim_id, ..Layer::default() }],
        ..Material::default()
    };
    m.materials = vec![material(1, 0), material(2, 1), material(0, 2)];
    // Of these keys, two are on the line between others, one plays never, and the rotation never changes.
    let slide = [
        (0, 0.0),
        (250, 10.0),
        (500, 20.0),
        (1000, 0.0),
        (1500, 99.0),
        (2000, 5.0),
        (2400, 5.0),
        (3000, 5.0),
    ];
    let slide = Keys::Vector(Curve::new(slide.map(|(time, x)| (time, [x, 0.0, 0.0]))));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let lean = Keys::Rotation(Curve::new([0, 1000, 2000, 3000].map(|time| (time, [0.0, 0.0, half, half]))));
    let tracks = vec![
        Track::new(b"KGTR", Interpolation::Linear, slide),
        Track::new(b"KGRT", Interpolation::Linear, lean),
    ];
    m.bones.push(Bone { node: node("bone", 0, 1, tracks), ..Bone::default() });
    m.helpers.push(Helper { node: node("idle", 1, -1, Vec::new()) });
    m.helpers.push(Helper { node: node("bone_head_aim", 2, -1, Vec::new()) });
    m.bones.push(Bone { node: node("leaf", 3, 0, Vec::new()), ..Bone::default() });
    m.pivots = vec![[0.0, 0.0, 10.0], [5.0, 0.0, 0.0], [1.0; 3], [2.0; 3]];
    let mut first = square(0.0, 0, 0);
    first.vertices.extend([[9.0; 3], [100.0, 0.0, 0.0]]);
    first.normals.extend([[0.0, 0.0, 1.0]; 2]);
    first.uvs[0].extend([[0.0, 0.0], [1.0, 0.0]]);
    first.vertex_groups = vec![0, 0, 1, 0, 0, 0];
    first.group_sizes = vec![1, 1, 1];
    first.matrices = vec![0, 0, 3];
    // The second triangle names the twin of the second vertex.
    first.faces = vec![0, 1, 2, 2, 5, 3];
    m.geosets = vec![first, square(5.0, 0, 1), Geoset { material_id: 2, ..Geoset::default() }];
    let shown = Keys::Float(Curve::new([(0, 1.0), (1000, 1.0), (2000, 1.0), (3000, 1.0)]));
    m.geoset_anims = vec![GeosetAnim {
        geoset_id: 1,
        tracks: vec![Track::new(b"KGAO", Interpolation::Linear, shown)].into(),
        ..GeosetAnim::default()
    }];
    m.settle_layout();
    m.layout.chunks.push(Chunk { tag: (*b"PREM").into(), ..Chunk::default() });
    m.unknown.push(UnknownChunk { tag: (*b"MDVI").into(), bytes: vec![1; 40].into() });
    m.layout.chunks.push(Chunk { tag: (*b"MDVI").into(), items: 1, aux: 0, unknown: true });
    m
}

fn written(model: &Model) -> Output {
    Output::single(model.write().unwrap())
}

fn model(optimized: &Optimized) -> &Model {
    optimized.document.as_any().downcast_ref().unwrap()
}

#[test]
fn each_step_removes_what_it_is_for() {
    let files = written(&wasteful());
    for (step, count, bytes) in [
        (Step::Vertices, 2, 2 * (12 + 12 + 8 + 1)),
        (Step::Groups, 2, 2 * 8),
        (Step::TextureAnims, 1, 4),
        (Step::Textures, 1, 268),
        (Step::Outside, 1, 16),
        (Step::Keys, 7, 0),
        (Step::Constants, 2, 0),
        (Step::Meshes, 1, 0),
        (Step::Nodes, 1, 108),
        (Step::Shared, 2, 8),
        (Step::Padding, 2, 8 + 48),
    ] {
        let optimized = run(&files, &only(step));
        let [saved] = &optimized.saved[..] else { panic!("{step}: {:?}", optimized.saved) };
        assert_eq!((saved.step, saved.count), (step, count), "{:?}", optimized.saved);
        assert_eq!(saved.bytes, (optimized.before - optimized.after) as i64);
        assert!(bytes == 0 || saved.bytes == bytes, "{step}: {}", saved.bytes);
        assert!(optimized.poses == 48, "{}", optimized.poses);
    }
}

#[test]
fn all_steps_leave_what_is_needed() {
    let files = written(&wasteful());
    let optimized = run(&files, &OptimizeOptions::default());
    let m = model(&optimized);
    let path = |t: &Texture| t.path.lossy().into_owned();
    assert_eq!(m.textures.iter().map(path).collect::<Vec<_>>(), ["a.blp"]);
    assert_eq!(
        (m.materials.len(), m.texture_anims.len(), m.geosets.len(), m.geoset_anims.len()),
        (1, 1, 1, 0)
    );
    assert_eq!(
        (m.geosets[0].vertices.len(), m.geosets[0].faces.len(), &m.geosets[0].matrices[..]),
        (8, 12, &[0][..])
    );
    // The helper that the game looks for stays, and the bone has its parent no more.
    let names: Vec<_> =
        m.nodes().map(|(_, _, n)| (n.name.lossy().into_owned(), n.object_id, n.parent_id)).collect();
    assert_eq!(names, [("bone".to_owned(), 0, -1), ("bone_head_aim".to_owned(), 1, -1)]);
    assert_eq!(m.pivots, [[0.0, 0.0, 10.0], [1.0; 3]]);
    let Keys::Vector(slide) = &m.bones[0].node.tracks.get(b"KGTR").unwrap().keys else { panic!() };
    assert_eq!(slide.keys.iter().map(|k| k.time).collect::<Vec<_>>(), [0, 500, 1000, 2000]);
    // A rotation that never changes is one key of a global sequence.
    let lean = m.bones[0].node.tracks.get(b"KGRT").unwrap();
    assert_eq!((lean.keys.len(), m.global_sequences[lean.global_sequence as usize] > 0), (1, true));
    assert_eq!(m.global_sequences, [500]);
    assert!(m.unknown.is_empty() && m.layout.chunks.iter().all(|chunk| chunk.tag != (*b"PREM").into()));
    assert!(
        optimized.deviation.position < 1e-5 && optimized.deviation.angle < 0.01,
        "{:?}",
        optimized.deviation
    );
    let sum: i64 = optimized.saved.iter().map(|saved| saved.bytes).sum();
    assert_eq!(sum, (optimized.before - optimized.after) as i64);
    let before = galatea::open(&files.input(), &Default::default()).unwrap();
    let warnings = |document: &dyn galatea::Document| document.check().at_least(galatea::Severity::Warning);
    assert!(warnings(optimized.document.as_ref()) <= warnings(before.as_ref()));
    let again = run(&optimized.output, &OptimizeOptions::default());
    assert!(!again.changed() && again.output == optimized.output, "{:?}", again.saved);
}

#[test]
fn steps_can_be_left_out_and_tolerances_chosen() {
    let files = written(&wasteful());
    let all: Vec<Step> = OptimizeOptions::default().steps;
    for left in &all {
        let steps = all.iter().copied().filter(|step| step != left).collect();
        let optimized = run(&files, &OptimizeOptions::default().with_steps(steps));
        assert!(optimized.saved.iter().all(|saved| saved.step != *left), "{left}: {:?}", optimized.saved);
    }
    // A bump of a hundredth of the size stays unless it is allowed.
    let mut bumpy = wasteful();
    let Keys::Vector(curve) = &mut bumpy.bones[0].node.tracks.list[0].keys else { panic!() };
    curve.keys[1].value[0] += 1.0;
    let keys = |position: f32| {
        let tolerance = Tolerance { position, angle: 0.0 };
        run(&written(&bumpy), &only(Step::Keys).with_tolerance(tolerance)).saved[0].count
    };
    assert_eq!(keys(0.001) + 1, keys(0.09));
}

#[test]
fn degenerate_triangles_go_only_if_asked_for() {
    let mut m = wasteful();
    m.geosets[0].faces.extend([1, 1, 2, 0, 1, 5]);
    m.geosets[0].face_counts[0] = 12;
    let files = written(&m);
    let usual = run(&files, &OptimizeOptions::default());
    assert_eq!(usual.document.summary().triangles, 6);
    let mut steps = OptimizeOptions::default().steps;
    steps.push(Step::Triangles);
    let asked = run(&files, &OptimizeOptions::default().with_steps(steps));
    assert_eq!(asked.document.summary().triangles, 4);
}

#[test]
fn what_is_not_needed_less_stays() {
    // Blended geosets with another one between them, other groups of selection, and hidden ones are not joined.
    let blend =
        |m: &mut Model| m.materials.iter_mut().for_each(|material| material.layers[0].filter_mode = 2);
    let mut between = wasteful();
    blend(&mut between);
    between.materials[2].layers[0].texture_anim_id = -1;
    between.geosets.insert(1, square(2.0, 0, 2));
    between.geoset_anims.clear();
    let mut selected = wasteful();
    selected.geosets[1].selection_group = 7;
    let mut hidden = wasteful();
    hidden.geoset_anims[0].tracks.list[0].keys = Keys::Float(Curve::new([(0, 1.0), (2000, 0.0)]));
    for (m, geosets) in [(between, 3), (selected, 2), (hidden, 2)] {
        let optimized = run(&written(&m), &OptimizeOptions::default());
        assert_eq!(model(&optimized).geosets.len(), geosets);
    }
    // A track with a key in one sequence alone has its static value nowhere.
    let mut once = wasteful();
    once.geoset_anims[0].alpha = 0.5;
    once.geoset_anims[0].tracks.list[0].keys = Keys::Float(Curve::new([(0, 0.25)]));
    let optimized = run(&written(&once), &OptimizeOptions::default());
    assert_eq!(model(&optimized).geoset_anims[0].tracks.list.len(), 1);
}

#[test]
fn every_example_is_smaller_or_as_it_was_and_stays_so() {
    for name in [
        "statue.mdl",
        "statue.mdl.ascii",
        "statue_800.mdx",
        "statue_1000.mdx",
        "statue_800.mdl",
        "beacon.mdx",
        "statue.fmdl",
    ] {
        let files = example(name);
        let once = run(&files, &OptimizeOptions::default());
        assert!(once.after <= once.before, "{name}");
        assert!(once.changed() || once.output == files, "{name}");
        assert!(once.poses > 0, "{name}");
        let twice = run(&once.output, &OptimizeOptions::default());
        assert!(!twice.changed(), "{name}: {:?}", twice.saved);
        let before = galatea::open(&files.input(), &Default::default()).unwrap();
        assert!(
            once.document.check().at_least(galatea::Severity::Warning)
                <= before.check().at_least(galatea::Severity::Warning),
            "{name}: {:?}",
            once.document.check().findings()
        );
    }
    for name in ["room.wok", "statue.glb", "statue.tga"] {
        let bytes = example(name).bytes;
        let error = optimize(&Input::new(&bytes), &OptimizeOptions::default()).unwrap_err();
        assert!(matches!(error, OptimizeError::NotInFormat(_)), "{name}: {error}");
        assert!(error.to_string().contains("files are not optimized: mdx, mdl and fmdl models are"));
    }
}

/// A KotOR model with waste in its mesh and its animation.
fn wasteful_kotor() -> kotor::Model {
    let files = example("statue.mdl");
    let mut m = kotor::Model::read(&files.bytes, files.companion("mdx"), &Default::default()).unwrap();
    let id = m.find(b"plinth").unwrap() as usize;
    let mesh = m.nodes[id].mesh.as_deref_mut().unwrap();
    let v = &mut mesh.vertices;
    fn again<T: Copy>(list: &mut Vec<T>) {
        if let Some(first) = list.first().copied() {
            list.push(first);
        }
    }
    again(&mut v.positions);
    again(&mut v.normals);
    again(&mut v.colors);
    v.uvs.iter_mut().for_each(again);
    v.tangents.iter_mut().for_each(again);
    again(&mut v.weights);
    again(&mut v.bones);
    let last = v.positions.len() as u16 - 1;
    let corner =
        mesh.faces.iter_mut().flat_map(|face| &mut face.vertices).find(|corner| **corner == 0).unwrap();
    *corner = last;
    let number = m.nodes[id].number;
    let name = m.nodes[id].name;
    let animation = &mut m.animations[0];
    let length = animation.length;
    let times = [0.0, length * 0.25, length * 0.5, length, length + 1.0, length + 2.0];
    let values: Vec<f32> = times.iter().flat_map(|t| [*t * 2.0, 0.0, 0.0]).collect();
    let mut controllers = kotor::Controllers::default();
    controllers.push(8, 16, kotor::Interpolation::Linear, 3, &times, &values).unwrap();
    controllers.push(36, 0xFFFF, kotor::Interpolation::Linear, 1, &times, &[1.0; 6]).unwrap();
    match animation.nodes.iter_mut().find(|node| node.number == number) {
        Some(node) => node.controllers = controllers,
        None => {
            let id = animation.nodes.len() as u32;
            animation.nodes.push(kotor::Node {
                number,
                name,
                parent: Some(0),
                controllers,
                ..kotor::Node::default()
            });
            animation.nodes[0].children.push(id);
        }
    }
    m.names.push(kotor::Name(b"nobody".to_vec()));
    m
}

#[test]
fn kotor_models_lose_keys_vertices_and_names() {
    let pair = wasteful_kotor().write().unwrap();
    let files = Output::with_companion(pair.mdl, "mdx", pair.mdx);
    for (step, count) in [(Step::Vertices, 1), (Step::Outside, 4), (Step::Padding, 1)] {
        let optimized = run(&files, &only(step));
        let saved = optimized.saved.iter().find(|saved| saved.step == step);
        assert_eq!(saved.map(|saved| saved.count), Some(count), "{step}: {:?}", optimized.saved);
    }
    let optimized = run(&files, &OptimizeOptions::default());
    let m: &kotor::Model = optimized.document.as_any().downcast_ref().unwrap();
    let number = m.nodes[m.find(b"plinth").unwrap() as usize].number;
    let node = m.animations[0].nodes.iter().find(|node| node.number == number).unwrap();
    assert_eq!(node.controllers.get(8).unwrap().times, [0.0, m.animations[0].length]);
    assert_eq!(node.controllers.get(36).unwrap().times, [0.0]);
    assert!(m.names.iter().all(|name| name.0 != b"nobody"));
    assert!(optimized.poses >= 24 && optimized.deviation.position < 0.001);
    let again = run(&optimized.output, &OptimizeOptions::default());
    assert!(!again.changed(), "{:?}", again.saved);
}

#[test]
fn fox_models_lose_vertices_materials_and_bones() {
    let mut m = Fmdl::read(&example("statue.fmdl").bytes, &Default::default()).unwrap();
    let clean = run(&example("statue.fmdl"), &OptimizeOptions::default());
    let count = m.meshes[0].vertices.count;
    let order: Vec<usize> = (0..count).chain([0, 3]).collect();
    m.meshes[0].vertices = m.meshes[0].vertices.pick(&order);
    let corner = m.meshes[0].indices.iter_mut().find(|index| **index == 0).unwrap();
    *corner = count as u16;
    m.materials.push(m.materials[0].clone());
    m.bones.push(FoxBone { name: Name::from("spare"), parent: Some(0), ..FoxBone::default() });
    if !m.bone_matrices.is_empty() {
        m.bone_matrices.push([0.0; 16]);
    }
    m.forget_layout();
    let files = Output::single(m.write().unwrap());
    for (step, count) in [(Step::Vertices, 2), (Step::Materials, 1)] {
        let optimized = run(&files, &only(step));
        let saved = optimized.saved.iter().find(|saved| saved.step == step);
        let before = clean.saved.iter().find(|saved| saved.step == step).map_or(0, |saved| saved.count);
        assert_eq!(saved.map(|saved| saved.count), Some(before + count), "{step}");
    }
    let optimized = run(&files, &OptimizeOptions::default());
    assert_eq!(optimized.document.summary(), clean.document.summary());
    assert!(!run(&optimized.output, &OptimizeOptions::default()).changed());
}
