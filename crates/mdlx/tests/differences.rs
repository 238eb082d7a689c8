//! The output of `differences` for every kind of record: one field is changed, and one line names it.
//!
//! `differences` compares what the crate itself writes and inspects, so it cannot be its own proof.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // A test that meets the unexpected has to fail.

mod support;

use galatea_mdlx::*;
use galatea_wire::Differences;

type Change = fn(&mut Model);

/// A version that has the field, the change, the chunk, the field, and the values before and after.
type Case = (u32, Change, &'static str, &'static str, &'static str);

fn text<const N: usize>(text: &str) -> Text<N> {
    Text::new(text.as_bytes()).unwrap()
}

/// Model, sequences, materials, textures.
const SURFACES: &[Case] = &[
    (800, |m| m.info.blend_time = 151, "MODL", "blend_time", "150 -> 151"),
    (800, |m| m.info.name = text("Nothing"), "MODL", "name", "\"Everything\" -> \"Nothing\""),
    (800, |m| m.info.bounds.radius = 1.25, "MODL", "radius", "1 -> 1.25"),
    (1300, |m| m.info.flags = 6, "MODL", "flags", "5 -> 6"),
    (800, |m| m.sequences[0].move_speed = 271.0, "SEQS", "move_speed", "270 -> 271"),
    (800, |m| m.sequences[0].rarity = 4.0, "SEQS", "rarity", "3 -> 4"),
    (1300, |m| m.sequences[0].frequency = 0.75, "SEQS", "frequency", "0.5 -> 0.75"),
    (800, |m| m.global_sequences[1] = 2001, "GLBS", "global_sequences[1]", "2000 -> 2001"),
    (800, |m| m.materials[0].priority_plane = 3, "MTLS", "priority_plane", "-3 -> 3"),
    (
        900,
        |m| m.materials[0].shader = text("other"),
        "MTLS",
        "shader",
        "\"Shader_HD_DefaultUnit\" -> \"other\"",
    ),
    (800, |m| m.materials[0].layers[0].alpha = 0.5, "MTLS", "alpha", "0.75 -> 0.5"),
    (800, |m| m.materials[0].layers[1].coord_id = 2, "MTLS", "coord_id", "0 -> 2"),
    (1000, |m| m.materials[0].layers[0].fresnel_opacity = 0.5, "MTLS", "fresnel_opacity", "0.4 -> 0.5"),
    (1100, |m| m.materials[0].layers[0].textures[1].slot = 5, "MTLS", "slot", "4 -> 5"),
    (800, |m| m.textures[2].flags = 2, "TEXS", "flags", "3 -> 2"),
    (800, |m| m.textures[3].path = text("b.blp"), "TEXS", "path", "\"Textures\\\\a.blp\" -> \"b.blp\""),
];

/// Geosets and their animations.
const GEOSETS: &[Case] = &[
    (800, |m| m.geosets[0].vertices[3][2] = 12.0, "GEOS", "vertices[3]", "13 -> 12"),
    (800, |m| m.geosets[0].normals[0][2] = -1.0, "GEOS", "normals[0]", "1 -> -1"),
    (800, |m| m.geosets[0].faces[5] = 0, "GEOS", "faces[5]", "3 -> 0"),
    (800, |m| m.geosets[0].vertex_groups[1] = 0, "GEOS", "vertex_groups[1]", "1 -> 0"),
    (800, |m| m.geosets[0].matrices[2] = 3, "GEOS", "matrices[2]", "2 -> 3"),
    (800, |m| m.geosets[0].material_id = 0, "GEOS", "material_id", "1 -> 0"),
    (800, |m| m.geosets[0].selection_group = 3, "GEOS", "selection_group", "2 -> 3"),
    (800, |m| m.geosets[0].sequence_bounds[1].radius = 41.0, "GEOS", "radius", "40 -> 41"),
    (800, |m| m.geosets[0].uvs[1][2][0] = 3.25, "GEOS", "uvs[2]", "3.5 -> 3.25"),
    (900, |m| m.geosets[0].lod = 2, "GEOS", "lod", "-1 -> 2"),
    (1000, |m| m.geosets[0].skin.as_mut().unwrap()[2].weights[0] = 101, "GEOS", "weights", "100 -> 101"),
    (1000, |m| m.geosets[0].tangents.as_mut().unwrap()[1][1] = 0.75, "GEOS", "tangents[1]", "0.5 -> 0.75"),
    (1300, |m| m.geosets[0].bone_indices[1] = 7, "GEOS", "bone_indices[1]", "-> 7"),
    (1500, |m| m.geosets[0].buffer.as_mut().unwrap().max_vertex = 2, "GEOS", "max_vertex", "3 -> 2"),
    (800, |m| m.geoset_anims[0].alpha = 0.25, "GEOA", "alpha", "0.5 -> 0.25"),
    (800, |m| m.geoset_anims[0].geoset_id = 0, "GEOA", "geoset_id", "1 -> 0"),
];

/// Nodes and their objects.
const NODES: &[Case] = &[
    (800, |m| m.bones[0].geoset_id = 4, "BONE", "geoset_id", "5 -> 4"),
    (800, |m| m.bones[0].node.flags = 0x110, "BONE", "flags", "256 -> 272"),
    (800, |m| m.bones[0].node.name = text("Root"), "BONE", "name", "\"Bone\" -> \"Root\""),
    (800, |m| m.lights[0].attenuation_end = 201.0, "LITE", "attenuation_end", "200 -> 201"),
    (1200, |m| m.lights[0].shadow_intensity = 0.5, "LITE", "shadow_intensity", "0.6 -> 0.5"),
    (800, |m| m.helpers[0].node.parent_id = 1, "HELP", "parent_id", "2 -> 1"),
    (800, |m| m.attachments[0].attachment_id = 8, "ATCH", "attachment_id", "9 -> 8"),
    (800, |m| m.pivots[4][1] = 1.5, "PIVT", "pivots[4]", "1 -> 1.5"),
    (800, |m| m.particle_emitters[0].gravity = 2.75, "PREM", "gravity", "2.5 -> 2.75"),
    (800, |m| m.particle_emitters2[0].rows = 3, "PRE2", "rows", "2 -> 3"),
    (800, |m| m.particle_emitters2[0].segment_alphas[1] = 21, "PRE2", "segment_alphas", "20 -> 21"),
    (1300, |m| m.particle_emitters2[0].wow.as_mut().unwrap().drag = 12.5, "PRE2", "drag", "12 -> 12.5"),
    (800, |m| m.ribbon_emitters[0].height_below = 2.75, "RIBB", "height_below", "2.5 -> 2.75"),
    (800, |m| m.cameras[0].far_clip = 1001.0, "CAMS", "far_clip", "1000 -> 1001"),
    (800, |m| m.events[0].track.as_mut().unwrap().times[1] = 301, "EVTS", "times[1]", "300 -> 301"),
    (800, |m| m.events[1].node.object_id = 8, "EVTS", "object_id", "9 -> 8"),
    (
        800,
        |m| m.collision_shapes[2].shape = Shape::Sphere { center: [7.0, 8.0, 9.0], radius: 11.0 },
        "CLID",
        "numbers[3]",
        "10 -> 11",
    ),
    (
        1300,
        |m| m.collision_shapes[1].shape = Shape::Plane { length: 80.0, width: 82.0 },
        "HTST",
        "numbers[1]",
        "81 -> 82",
    ),
    (1300, |m| m.collision_mesh.as_mut().unwrap().normals[0][1] = 0.75, "CLID", "normals", "0.5 -> 0.75"),
    (1000, |m| m.bind_poses[1][11] = 12.0, "BPOS", "bind_poses[1]", "11.5 -> 12"),
    (1000, |m| m.face_effects[0].target = text("Jaw"), "FAFX", "target", "\"Bone\" -> \"Jaw\""),
    (1000, |m| m.popcorn_emitters[0].alpha = 7.25, "CORN", "alpha", "7.5 -> 7.25"),
    (800, |m| m.sounds[0].pitch = 1.25, "SNDS", "pitch", "1.5 -> 1.25"),
    (800, |m| m.sound_emitters[0].track.as_mut().unwrap().times[0] = 8, "SNEM", "times", "7 -> 8"),
];

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (number, (version, change, chunk, field, values)) in cases.iter().enumerate() {
        let before = support::value(Version(*version));
        let mut after = before.clone();
        change(&mut after);
        let lines = before.differences(&after);
        let named = match lines.as_slice() {
            [line] => {
                let line = line.replace(".0 -> ", " -> ");
                let line = line.strip_suffix(".0").unwrap_or(&line);
                line.starts_with(chunk) && line.contains(field) && line.ends_with(values)
            }
            _ => false,
        };
        if !named {
            wrong.push(format!("{number}: {chunk} > {field}: {values}, but is {lines:?}"));
        }
        // The other way round the values are swapped, and nothing else.
        assert_eq!(after.differences(&before).len(), lines.len(), "{field}");
        assert_eq!(after.differences(&after.clone()), [""; 0], "{field}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_change_of_a_surface_is_one_line() {
    check(SURFACES);
}

#[test]
fn a_change_of_a_geoset_is_one_line() {
    check(GEOSETS);
}

#[test]
fn a_change_of_a_node_is_one_line() {
    check(NODES);
}

/// Every chunk that the crate knows is in the tables above, or below.
#[test]
fn every_chunk_is_tried() {
    let untested = ["VERS", "TXAN"];
    for chunk in CHUNKS {
        let tag = chunk.tag.to_string();
        let tried = [SURFACES, GEOSETS, NODES].iter().any(|c| c.iter().any(|(_, _, c, _, _)| *c == tag));
        assert!(tried || untested.contains(&tag.as_str()), "{tag}");
    }
}

/// The first track of each kind of value gets another time, value or tangent.
#[test]
fn a_change_of_a_key_is_one_line() {
    let model = support::value(Version(800));
    let change = |change: &dyn Fn(&mut Model)| {
        let mut after = model.clone();
        change(&mut after);
        model.differences(&after)
    };
    let tracks = change(&|m| {
        let track = &mut m.texture_anims[0].tracks.iter_mut().next().unwrap();
        track.global_sequence = 0;
    });
    assert_eq!(tracks.len(), 1, "{tracks:?}");
    assert!(tracks[0].starts_with("TXAN >") && tracks[0].ends_with("global_sequence: 1 -> 0"), "{tracks:?}");
    let key = change(&|m| {
        for track in m.bones[0].node.tracks.iter_mut() {
            if let Keys::Rotation(curve) = &mut track.keys {
                curve.keys[1].time = 251;
            }
        }
    });
    assert_eq!(key.len(), 1, "{key:?}");
    assert!(key[0].contains("BONE >") && key[0].ends_with("250 -> 251"), "{key:?}");
}

#[test]
fn what_only_one_has_is_named() {
    let model = support::value(Version(800));
    let mut after = model.clone();
    after.cameras.clear();
    let lines = model.differences(&after);
    assert!(
        !lines.is_empty() && lines.iter().all(|l| l.contains("Camera01") && l.ends_with("only in the first")),
        "{lines:?}"
    );
    let lines = after.differences(&model);
    assert!(
        !lines.is_empty()
            && lines.iter().all(|l| l.contains("Camera01") && l.ends_with("only in the second")),
        "{lines:?}"
    );
    let mut after = model.clone();
    after.pivots.push([0.0; 3]);
    assert_eq!(model.differences(&after), ["PIVT > pivots: 12 -> 13 entries"]);
    let mut after = model.clone();
    after.unknown[0].bytes = b"made by hano".to_vec().into();
    let lines = model.differences(&after);
    assert!(lines.len() == 1 && lines[0] == "unknown > bytes[11]: 100 -> 111", "{lines:?}");
}

/// Equal as numbers, or not equal to itself: bits decide.
#[test]
fn floats_are_compared_by_their_bits() {
    let mut zero = support::value(Version(1000));
    zero.pivots[0][0] = 0.0;
    let mut minus = zero.clone();
    minus.pivots[0][0] = -0.0;
    assert_eq!(zero.differences(&minus).len(), 1);
    minus.pivots[0][0] = f32::NAN;
    assert_eq!(minus.differences(&minus.clone()), [""; 0]);
}

#[test]
fn layout_and_what_follows_the_nul_are_left_out() {
    let model = support::value(Version(800));
    let mut after = model.clone();
    after.info.name = text("Everything");
    assert_ne!(after.info.name, model.info.name, "the value has a byte behind the NUL");
    assert_eq!(model.differences(&after), [""; 0]);
    assert_eq!(model.differences(&support::value(Version(900))), ["version: 800 -> 900"]);
}

/// A list with a tolerance ignores small differences of floats, and nothing else.
#[test]
fn floats_may_differ_within_a_tolerance() {
    let model = support::value(Version(1000));
    let mut after = model.clone();
    after.pivots.iter_mut().flatten().for_each(|x| *x += 0.01);
    after.info.blend_time += 1;
    let mut near = Differences::new().with_tolerance(0.02);
    model.compare(&after, &mut near);
    assert_eq!(near.into_lines(), ["MODL \"Everything\" > blend_time: 150 -> 151"]);
    let mut far = Differences::new().with_tolerance(0.005);
    model.compare(&after, &mut far);
    assert!(far.into_lines().iter().any(|l| l.starts_with("PIVT > pivots[0]")));
}
