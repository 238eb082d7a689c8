//! Models for the tests of `combine`: a walker of any size, and the examples.
#![allow(dead_code, reason = "not every test binary uses all of it")]

use std::path::Path;

use galatea::mdlx::{
    Bone, Curve, Geoset, Interpolation, Keys, Material, Model, Node, NodeKind, Sequence, Text, Track, Version,
};
use galatea::{Companion, Document, Output};

/// An example with its companion.
pub(crate) fn example(name: &str) -> Box<dyn Document> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Output::single(std::fs::read(dir.join(name)).unwrap());
    if name == "statue.mdl" {
        let bytes = std::fs::read(dir.join("statue.mdx")).unwrap();
        files.companions.push(Companion { extension: "mdx", bytes });
    }
    galatea::open(&files.input(), &Default::default()).unwrap()
}

pub(crate) fn model<T: Clone + 'static>(document: &dyn Document) -> T {
    document.as_any().downcast_ref::<T>().unwrap().clone()
}

fn turn(angle: f32) -> [f32; 4] {
    [0.0, (angle / 2.0).sin(), 0.0, (angle / 2.0).cos()]
}

/// How far the legs of a walker swing.
const SWING: f32 = 0.8;

/// A body on two straight legs, which walks so that its feet stay on the ground. Its clips have the names given.
pub(crate) fn walker(leg: f32, body: f32, clips: &[&str]) -> Model {
    let mut model = Model::new(Version(800));
    model.info.name = Text::new(b"Walker").unwrap();
    let bones = [
        ("Bone_Root", -1, [0.0, 0.0, leg]),
        ("Bone_Chest", 0, [0.0, 0.0, leg + body / 2.0]),
        ("Bone_Leg1_L", 0, [0.0, 8.0, leg]),
        ("Bone_Leg2_L", 2, [0.0, 8.0, leg / 2.0]),
        ("Bone_Foot_L", 3, [0.0, 8.0, 0.0]),
        ("Bone_Leg1_R", 0, [0.0, -8.0, leg]),
        ("Bone_Leg2_R", 5, [0.0, -8.0, leg / 2.0]),
        ("Bone_Foot_R", 6, [0.0, -8.0, 0.0]),
    ];
    for (id, (name, parent, pivot)) in bones.into_iter().enumerate() {
        let node = Node {
            name: Text::new(name.as_bytes()).unwrap(),
            object_id: id as u32,
            parent_id: parent,
            flags: NodeKind::Bone.warcraft_bit(),
            ..Node::default()
        };
        model.bones.push(Bone { node, ..Bone::default() });
        model.pivots.push(pivot);
    }
    // A small triangle at each foot and one at the top of the body.
    for (bone, [x, y, z]) in [(4u32, [0.0, 8.0, 0.0]), (7, [0.0, -8.0, 0.0]), (1, [0.0, 0.0, leg + body])] {
        model.geosets.push(Geoset {
            vertices: vec![[x, y, z], [x, y + 0.1, z], [x, y, z + 0.1]],
            normals: vec![[1.0, 0.0, 0.0]; 3],
            uvs: vec![vec![[0.0; 2]; 3]],
            faces: vec![0, 1, 2],
            face_types: vec![4],
            face_counts: vec![3],
            vertex_groups: vec![0; 3],
            group_sizes: vec![1],
            matrices: vec![bone],
            ..Geoset::default()
        });
    }
    model.materials.push(Material { layers: vec![Default::default()], ..Material::default() });
    model.textures.push(galatea::mdlx::Texture {
        replaceable_id: 0,
        path: Text::new(b"Textures\\Walker.blp").unwrap(),
        flags: 0,
    });
    for (number, name) in clips.iter().enumerate() {
        let start = number as u32 * 2000;
        let sequence = Sequence {
            name: Text::new(name.as_bytes()).unwrap(),
            start,
            end: start + 1000,
            ..Sequence::default()
        };
        model.sequences.push(sequence);
        for geoset in &mut model.geosets {
            geoset.sequence_bounds.push(Default::default());
        }
        step(&mut model, start as i32, leg);
    }
    model
}

/// Adds the keys of a step of a second.
fn step(model: &mut Model, start: i32, leg: f32) {
    let angle = |at: i32| SWING * (at as f32 / 1000.0 * std::f32::consts::TAU).sin();
    let times = || (0..=40).map(move |i| i * 25);
    let lift: Vec<_> = times().map(|t| (start + t, [0.0, 0.0, leg * (angle(t).cos() - 1.0)])).collect();
    let swing = |sign: f32| times().map(|t| (start + t, turn(sign * angle(t)))).collect::<Vec<_>>();
    let flat = |sign: f32| times().map(|t| (start + t, turn(-sign * angle(t)))).collect::<Vec<_>>();
    let tracks: [(usize, &[u8; 4], Keys); 5] = [
        (0, b"KGTR", Keys::Vector(Curve::new(lift))),
        (2, b"KGRT", Keys::Rotation(Curve::new(swing(1.0)))),
        (5, b"KGRT", Keys::Rotation(Curve::new(swing(-1.0)))),
        (4, b"KGRT", Keys::Rotation(Curve::new(flat(1.0)))),
        (7, b"KGRT", Keys::Rotation(Curve::new(flat(-1.0)))),
    ];
    for (bone, tag, keys) in tracks {
        let list = &mut model.bones[bone].node.tracks;
        match list.get_mut(*tag) {
            Some(track) => match (&mut track.keys, keys) {
                (Keys::Vector(a), Keys::Vector(b)) => a.keys.extend(b.keys),
                (Keys::Rotation(a), Keys::Rotation(b)) => a.keys.extend(b.keys),
                _ => unreachable!(),
            },
            None => list.push(Track::new(*tag, Interpolation::Linear, keys)),
        }
    }
}

/// The names of the errors of a document, each as often as it occurs.
pub(crate) fn errors(document: &dyn Document) -> Vec<String> {
    let report = document.check();
    let errors = report.findings().iter().filter(|f| f.rule.severity == galatea::Severity::Error);
    errors.map(|finding| finding.rule.code.to_owned()).collect()
}
