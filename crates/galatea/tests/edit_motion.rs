//! `edit` on whole models: another place, direction or side, other normals and colors. What is posed is compared point by point.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::Path;

use galatea::edit::{EditError, EditOptions, Edited, edit, parse_script};
use galatea::kotor::mdl as kotor;
use galatea::mdlx::play::{Moment, Player};
use galatea::mdlx::{
    Attachment, Bone, Curve, Interpolation, Keys, Model, Node, NodeKind, ParticleEmitter2, Sequence, Text,
    Track, Tracks, Version,
};
use galatea::scene::Pose;
use galatea::{Companion, Document, Output, SceneContext};

const MODELS: [&str; 7] = [
    "statue.mdl",
    "statue.mdl.ascii",
    "statue_800.mdx",
    "statue_1000.mdx",
    "statue_800.mdl",
    "statue.fmdl",
    "room.wok",
];

fn example(name: &str) -> Output {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut out = Output::single(std::fs::read(dir.join(name)).unwrap());
    if name == "statue.mdl" {
        let bytes = std::fs::read(dir.join("statue.mdx")).unwrap();
        out.companions.push(Companion { extension: "mdx", bytes });
    }
    out
}

fn run(files: &Output, script: &str, lossy: bool) -> Result<Edited, EditError> {
    edit(&files.input(), &parse_script(script).unwrap(), &EditOptions::default().with_lossy(lossy))
}

fn fine(files: &Output, script: &str) -> Edited {
    run(files, script, false).unwrap_or_else(|error| panic!("{script}: {error}"))
}

fn open(files: &Output) -> Box<dyn Document> {
    galatea::open(&files.input(), &Default::default()).unwrap()
}

/// Everything that is drawn, at rest and in all clips: corners, and whether the normal of each triangle is that of its corners.
fn drawn(document: &dyn Document) -> (Vec<[f32; 3]>, usize) {
    let scene = document.to_scene(&SceneContext::new("statue")).unwrap();
    let (mut points, mut front) = (Vec::new(), 0);
    let mut add = |pose: &Pose| {
        for (id, _, mesh) in scene.drawn() {
            for primitive in &mesh.primitives {
                let posed = pose.deform(&scene, id, primitive);
                for corners in primitive.triangles(posed.positions.len()) {
                    let [a, b, c] = corners.map(|corner| posed.positions[corner as usize]);
                    let normal = posed.normals.get(corners[0] as usize).copied().unwrap_or([0.0; 3]);
                    front += usize::from(dot(cross(sub(b, a), sub(c, a)), normal) > 0.0);
                }
                points.extend(posed.positions);
            }
        }
    };
    add(&Pose::rest(&scene));
    for clip in &scene.clips {
        for moment in 0..4 {
            add(&Pose::at(&scene, clip, clip.length * moment as f32 / 4.0));
        }
    }
    (points, front)
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The axes of a format in the scene, found by moving along them.
fn axes(files: &Output) -> [[f32; 3]; 3] {
    let before = drawn(open(files).as_ref()).0;
    ["8,0,0", "0,8,0", "0,0,8"].map(|by| {
        let after = drawn(fine(files, &format!("move {by}")).document.as_ref()).0;
        assert_eq!(before.len(), after.len());
        let first = sub(after[0], before[0]);
        for (a, b) in before.iter().zip(&after) {
            let off = sub(sub(*b, *a), first).iter().fold(0f32, |most, x| most.max(x.abs()));
            assert!(off < 1e-3, "{by}: {off}");
        }
        first.map(|x| (x / 8.0 * 1e4).round() / 1e4)
    })
}

/// Applies rows of numbers in the format's axes to a point of the scene.
fn mapped(axes: &[[f32; 3]; 3], rows: [[f32; 3]; 3], point: [f32; 3]) -> [f32; 3] {
    let unit = axes[0].iter().fold(0f32, |most, x| most.max(x.abs()));
    let own = [0, 1, 2].map(|i| dot(axes[i], point) / unit);
    let moved = rows.map(|row| dot(row, own));
    [0, 1, 2].map(|k| (0..3).map(|i| axes[i][k] * moved[i]).sum::<f32>() / unit)
}

#[test]
fn a_model_is_moved_turned_and_mirrored_in_every_pose() {
    let (s, c) = (0.5f32, 0.75f32.sqrt());
    for name in MODELS {
        let files = example(name);
        let before = open(&files);
        let (old, front) = drawn(before.as_ref());
        let axes = axes(&files);
        let size = old.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
        for (script, rows) in [
            ("rotate z,90", [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
            ("rotate x,-30", [[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]),
            ("rotate y,180", [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]),
            ("mirror x", [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            ("mirror y", [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]),
            ("mirror z", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]),
        ] {
            let edited = fine(&files, script);
            let (new, new_front) = drawn(edited.document.as_ref());
            assert!(old.len() > 50 && old.len() == new.len(), "{name}: {script}");
            let mut off = 0f32;
            for (a, b) in old.iter().zip(&new) {
                let want = mapped(&axes, rows, *a);
                off = sub(want, *b).iter().fold(off, |most, x| most.max(x.abs()));
            }
            assert!(off <= size * 2e-3, "{name}: {script}: off by {off} of {size}");
            // Triangles face where their normals point.
            assert!(new_front.abs_diff(front) <= front / 50, "{name}: {script}: {front} and {new_front}");
            let errors = |document: &dyn Document| document.check().at_least(galatea::Severity::Warning);
            // A walkmesh on its side has no floor.
            if name != "room.wok" || script == "rotate z,90" || script == "mirror x" || script == "mirror y" {
                assert!(
                    errors(edited.document.as_ref()) <= errors(before.as_ref()),
                    "{name}: {script}: {:?}",
                    edited.document.check().findings()
                );
            }
        }
    }
}

#[test]
fn back_again_is_the_same_model() {
    for name in MODELS {
        let files = example(name);
        let before = open(&files);
        for (there, back) in [
            ("move 4,-2,8", "move -4,2,-8"),
            ("rotate z,90", "rotate z,-90"),
            ("mirror x", "mirror x"),
            ("mirror z", "mirror z"),
        ] {
            let edited = fine(&files, there);
            assert!(edited.changed && !edited.differences.is_empty(), "{name}: {there}");
            let again = fine(&edited.output, back);
            let how = galatea::Comparison::default().with_tolerance(2e-3);
            let left = galatea::compare(again.document.as_ref(), before.as_ref(), &how).unwrap();
            // Extents that were wider than the box around the vertices stay so; a sphere that moved is wider.
            let left: Vec<_> = left.iter().filter(|line| !line.contains("radius")).collect();
            assert!(left.is_empty(), "{name}: {there}: {left:#?}");
        }
    }
}

/// A model of an emitter on a bone that turns, and an attachment point without keys.
fn emitter() -> Model {
    let mut model = Model::new(Version(800));
    model.sequences.push(Sequence { name: Text::new(b"Stand").unwrap(), end: 1000, ..Sequence::default() });
    model.sequences.push(Sequence {
        name: Text::new(b"Walk").unwrap(),
        start: 2000,
        end: 3000,
        ..Sequence::default()
    });
    let node = |name: &[u8], id: u32, parent: i32, keys: Vec<(i32, [f32; 4])>| Node {
        name: Text::new(name).unwrap(),
        object_id: id,
        parent_id: parent,
        flags: 0,
        tracks: Tracks::from(if keys.is_empty() {
            Vec::new()
        } else {
            vec![Track::new(b"KGRT", Interpolation::Linear, Keys::Rotation(Curve::new(keys)))]
        }),
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turned = vec![(0, [half, 0.0, 0.0, half]), (1000, [0.0, half, 0.0, half])];
    model.bones.push(Bone { node: node(b"bone", 0, -1, turned.clone()), ..Bone::default() });
    model
        .particle_emitters2
        .push(ParticleEmitter2 { node: node(b"fire", 1, 0, turned), ..ParticleEmitter2::default() });
    model.attachments.push(Attachment { node: node(b"hand ref", 2, 0, Vec::new()), ..Attachment::default() });
    model.pivots = vec![[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [0.0, 0.0, 5.0]];
    model
}

#[test]
fn emitters_point_where_they_would_after_the_turn() {
    let files = Output::single(emitter().write().unwrap());
    for (script, rows, mirrored) in [
        ("rotate x,90", [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]], false),
        ("mirror z", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], true),
    ] {
        let edited = fine(&files, script);
        let after = edited.document.as_any().downcast_ref::<Model>().unwrap();
        let before = emitter();
        for (sequence, elapsed) in [(0, 0.0), (0, 700.0), (1, 500.0)] {
            let moment = Moment::in_sequence(&before, sequence, elapsed);
            let [a, b] = [&before, after].map(|model| Player::new(model).pose(&moment, None));
            for kind in [NodeKind::ParticleEmitter2, NodeKind::Attachment] {
                let index = Player::new(&before).node_index(kind, 0).unwrap();
                let up = |pose: &galatea::mdlx::play::Pose| {
                    let q = pose.nodes[index].rotation;
                    let [x, y, z, w] = [q.x, q.y, q.z, q.w];
                    [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)]
                };
                let place = |pose: &galatea::mdlx::play::Pose| pose.nodes[index].position.to_array();
                for (old, new) in [(up(&a), up(&b)), (place(&a), place(&b))] {
                    let want = rows.map(|row| dot(row, old));
                    let off = sub(want, new).iter().fold(0f32, |most, x| most.max(x.abs()));
                    assert!(
                        off < 1e-4,
                        "{script} {kind:?} {sequence} {elapsed}: {want:?} {new:?} {mirrored}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_named_and_done_only_if_asked_for() {
    let mut uneven = emitter();
    let keys = Keys::Vector(Curve::new([(0, [1.0, 2.0, 1.0])]));
    uneven.bones[0].node.tracks.push(Track::new(b"KGSC", Interpolation::None, keys));
    let mut above = emitter();
    above.bones[0].node.parent_id = 1;
    above.particle_emitters2[0].node.parent_id = -1;
    let mut heir = kotor::Model::read(
        &example("statue.mdl").bytes,
        Some(&example("statue.mdl").companions[0].bytes),
        &Default::default(),
    )
    .unwrap();
    heir.supermodel = Text::new(b"S_Male02").unwrap();
    let pair = heir.write().unwrap();
    for (files, script, want) in [
        (Output::single(uneven.write().unwrap()), "rotate z,30", "\"bone\" is stretched along an axis"),
        (
            Output::single(above.write().unwrap()),
            "rotate z,30",
            "\"fire\" has a direction of its own and nodes below it",
        ),
        (
            Output::with_companion(pair.mdl, "mdx", pair.mdx),
            "mirror x",
            "animations of the supermodel \"S_Male02\"",
        ),
    ] {
        let error = run(&files, script, false).unwrap_err().to_string();
        assert!(error.contains(want) && error.ends_with("--lossy does it all the same"), "{error}");
        assert_eq!(error.lines().count(), 1);
        assert!(run(&files, script, true).unwrap().changed);
    }
    // Quarters of a turn change axes into axes.
    assert!(run(&Output::single(uneven.write().unwrap()), "rotate z,90", false).is_ok());
}

#[test]
fn normals_are_smooth_up_to_the_angle() {
    for name in ["statue.mdl", "statue_800.mdx", "statue_1000.mdx", "statue.fmdl"] {
        let files = example(name);
        let before = open(&files).summary();
        let [sharp, round] = ["smooth 1", "smooth 180"].map(|script| fine(&files, script));
        let count = |edited: &Edited| edited.document.summary().vertices;
        // The statue has edges, and vertices stay where they are.
        assert!(count(&sharp) > count(&round), "{name}: {} {}", count(&sharp), count(&round));
        assert_eq!(count(&round), before.vertices, "{name}");
        assert_eq!(sharp.document.summary().triangles, before.triangles, "{name}");
        let (points, _) = drawn(sharp.document.as_ref());
        let (old, _) = drawn(open(&files).as_ref());
        let size = |points: &[[f32; 3]]| points.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
        assert!((size(&points) - size(&old)).abs() <= size(&old) * 1e-5, "{name}");
        let scene = sharp.document.to_scene(&SceneContext::new("statue")).unwrap();
        // With edges everywhere, all corners of a triangle have its own normal.
        for (_, _, mesh) in scene.drawn() {
            for primitive in &mesh.primitives {
                let vertices = scene.vertices_of(primitive).unwrap();
                for corners in primitive.triangles(vertices.positions.len()).step_by(7) {
                    let [a, b, c] = corners.map(|corner| vertices.positions[corner as usize]);
                    let face = cross(sub(b, a), sub(c, a));
                    let length = dot(face, face).sqrt();
                    for corner in corners.iter().filter(|_| length > 1e-4) {
                        let along = dot(face, vertices.normals[*corner as usize]) / length;
                        assert!(along > 0.98, "{name}: {along}");
                    }
                }
            }
        }
        let errors = |document: &dyn Document| document.check().at_least(galatea::Severity::Warning);
        assert!(
            errors(sharp.document.as_ref()) <= errors(open(&files).as_ref()),
            "{name}: {:?}",
            sharp.document.check().findings()
        );
    }
    let error = run(&example("room.wok"), "smooth 30", false).unwrap_err().to_string();
    assert!(error.contains("meshes of mdl, mdx and fmdl have normals"), "{error}");
}

#[test]
fn colors_get_another_hue_and_nothing_else_changes() {
    let mut model = emitter();
    model.particle_emitters2[0].segment_colors = [[1.0, 0.5, 0.5], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]];
    let files = Output::single(model.write().unwrap());
    let edited = fine(&files, "recolor #0000FF");
    let after = edited.document.as_any().downcast_ref::<Model>().unwrap();
    assert_eq!(
        after.particle_emitters2[0].segment_colors,
        [[0.5, 0.5, 1.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    );
    assert!(
        edited.differences.iter().all(|line| line.contains("segment_colors")),
        "{:?}",
        edited.differences
    );
    let mut lit = kotor::Model::new("lamp");
    let mut node = kotor::Node { light: Some(Box::default()), ..kotor::Node::default() };
    node.controllers.push(76, 0xFFFF, kotor::Interpolation::Linear, 3, &[0.0], &[0.5, 0.0, 0.0]).unwrap();
    node.controllers.push(88, 0xFFFF, kotor::Interpolation::Linear, 1, &[0.0], &[5.0]).unwrap();
    lit.add_node(Some(0), b"light", node);
    let pair = lit.write().unwrap();
    let edited = fine(&Output::with_companion(pair.mdl, "mdx", pair.mdx), "recolor 0,1,0");
    let after = edited.document.as_any().downcast_ref::<kotor::Model>().unwrap();
    assert_eq!(after.nodes[1].controllers.get(76).unwrap().values, [0.0, 0.5, 0.0]);
    assert_eq!(after.nodes[1].controllers.get(88).unwrap().values, [5.0]);
    let error = run(&example("statue.fmdl"), "recolor 0,1,0", false).unwrap_err().to_string();
    assert!(error.contains("those of fmdl are in their textures"), "{error}");
}

#[test]
fn extents_and_tangents_of_warcraft_models_are_computed() {
    let files = example("statue_1000.mdx");
    let wrong = fine(&files, "set geosets[0].bounds.max=0,0,0\nset sequences[0].bounds.max=0,0,0");
    let right = fine(&wrong.output, "recompute bounds");
    let model = right.document.as_any().downcast_ref::<Model>().unwrap();
    for geoset in &model.geosets {
        for vertex in &geoset.vertices {
            for (axis, value) in vertex.iter().enumerate() {
                assert!((geoset.bounds.min[axis]..=geoset.bounds.max[axis]).contains(value));
            }
        }
        assert!(geoset.bounds.radius > 0.0);
    }
    assert!(model.sequences[0].bounds.max[2] > 1.0);
    assert!(right.differences.iter().all(|line| line.contains("bounds")), "{:?}", right.differences);
    let tangents = fine(&files, "recompute tangents");
    let model = tangents.document.as_any().downcast_ref::<Model>().unwrap();
    for geoset in &model.geosets {
        for ([x, y, z, w], normal) in geoset.tangents.iter().flatten().zip(&geoset.normals) {
            assert!((dot([*x, *y, *z], [*x, *y, *z]) - 1.0).abs() < 1e-3 && w.abs() == 1.0);
            assert!(dot([*x, *y, *z], *normal).abs() < 1e-3);
        }
    }
    assert!(tangents.differences.iter().all(|line| line.contains("tangents")), "{:?}", tangents.differences);
}

#[test]
fn bones_of_the_fox_engine_are_removed_if_nothing_needs_them() {
    use galatea::fox::{Bone, Fmdl, Name};
    let mut model = Fmdl::read(&example("statue.fmdl").bytes, &Default::default()).unwrap();
    let at = model.bones.len();
    model.bones.push(Bone { name: Name::from("spare"), parent: Some(0), ..Bone::default() });
    model.bones.push(Bone { name: Name::from("below"), parent: Some(at as u16), ..Bone::default() });
    if !model.bone_matrices.is_empty() {
        model.bone_matrices.resize(model.bones.len(), [0.0; 16]);
    }
    model.forget_layout();
    let files = Output::single(model.write().unwrap());
    let error = run(&files, "remove-node spare", false).unwrap_err().to_string();
    assert!(error.contains("\"spare\" is needed by the bone"), "{error}");
    let error = run(&files, "remove-node sparse", false).unwrap_err().to_string();
    assert!(error.contains("there is no bone \"sparse\""), "{error}");
    let edited = fine(&files, "remove-node below\nremove-node spare");
    let after = edited.document.as_any().downcast_ref::<Fmdl>().unwrap();
    assert_eq!(after.bones.len(), at);
    assert!(edited.document.differences(open(&example("statue.fmdl")).as_ref()).unwrap().is_empty());
}
