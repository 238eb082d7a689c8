//! `transfer`: clips of one model on the skeleton of another.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod combined;

use combined::{errors, example, model, walker};
use galatea::combine::{BoneTable, TransferOptions, TransferPlan, transfer};
use galatea::kotor::mdl;
use galatea::mdlx::play::{Moment, Player};
use galatea::mdlx::{Curve, Interpolation, Keys, Model, Sequence, Tangents, Text, Track};
use galatea::{Document, SceneContext};

/// The places of all nodes at moments of a sequence.
fn places(model: &Model, name: &str) -> Vec<[f32; 3]> {
    let number = model.sequences.iter().rposition(|s| s.name.bytes() == name.as_bytes()).unwrap();
    let sequence = &model.sequences[number];
    let length = f64::from(sequence.end - sequence.start);
    let player = Player::new(model);
    let at = |i: u32| player.pose(&Moment::in_sequence(model, number, length * f64::from(i) / 24.0), None);
    (0..24)
        .flat_map(|i| at(i).nodes.into_iter().map(|node| node.position.into()).collect::<Vec<_>>())
        .collect()
}

fn assert_near(a: &[[f32; 3]], b: &[[f32; 3]], most: f32) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= most), "{a:?} {b:?}");
    }
}

#[test]
fn kotor_clips_on_the_same_skeleton_give_the_same_model() {
    let original: mdl::Model = model(example("statue.mdl").as_ref());
    let mut bare = original.clone();
    bare.animations.clear();
    let done = transfer(&original, &mut bare, &TransferOptions::default()).unwrap();
    assert!(done.exact && done.losses.is_empty());
    assert_eq!(bare.differences(&original), Vec::<String>::new());
    assert!(
        done.clips.iter().all(|clip| clip.error.worst < 0.01 && clip.error.feet == Some(0.0)),
        "{:?}",
        done.clips
    );
}

#[test]
fn warcraft_keys_are_the_same_keys_behind_what_there_is() {
    for name in ["statue_800.mdx", "statue_1000.mdx", "beacon.mdx"] {
        let original: Model = model(example(name).as_ref());
        let mut target = original.clone();
        let options = TransferOptions::default()
            .with_clips(vec!["walk".into()])
            .with_renames(vec![("Walk".into(), "Walk Fast".into())]);
        let done = transfer(&original, &mut target, &options).unwrap();
        assert!(done.exact, "{name}");
        assert!(done.clips[0].error.worst < 0.01, "{name}: {:?}", done.clips);
        let (walk, new) = (&original.sequences[1], target.sequences.last().unwrap());
        assert_eq!((new.name.bytes(), new.end - new.start), (&b"Walk Fast"[..], walk.end - walk.start));
        let last = original.sequences.iter().map(|s| s.end).max().unwrap();
        assert!(new.start > last, "{name}: {} {last}", new.start);
        let moved = i64::from(new.start) - i64::from(walk.start);
        for ((_, _, before), (_, _, after)) in original.nodes().zip(target.nodes()) {
            for (a, b) in before.tracks.iter().zip(after.tracks.iter()) {
                let keys = |track: &Track, (start, end): (u32, u32), by: i64| -> Vec<(i64, String)> {
                    let Keys::Rotation(curve) = &track.keys else { return Vec::new() };
                    let inside = curve.iter().filter(|(k, _)| (start as i32..=end as i32).contains(&k.time));
                    inside.map(|(k, t)| (i64::from(k.time) + by, format!("{:?} {t:?}", k.value))).collect()
                };
                assert_eq!(keys(a, (walk.start, walk.end), moved), keys(b, (new.start, new.end), 0));
            }
        }
        assert_near(&places(&original, "Walk"), &places(&target, "Walk Fast"), 0.0);
        // What was there plays as before.
        assert_near(&places(&original, "Death"), &places(&target, "Death"), 0.0);
        assert_eq!(errors(&target), errors(&original), "{name}");
        let bytes = Document::write(&target).unwrap();
        assert_eq!(galatea::open(&bytes.input(), &Default::default()).unwrap().summary().clips, 4);
    }
}

#[test]
fn tracks_of_another_interpolation_move_as_before() {
    let mut from = walker(40.0, 40.0, &["Walk"]);
    let track = from.bones[0].node.tracks.get_mut(b"KGTR").unwrap();
    track.interpolation = Interpolation::Hermite;
    if let Keys::Vector(curve) = &mut track.keys {
        curve.tangents =
            vec![Tangents { incoming: [0.3, 0.0, 1.0], outgoing: [0.0, 2.0, -1.0] }; curve.keys.len()];
    }
    let mut to = walker(40.0, 40.0, &["Stand"]);
    let before = places(&to, "Stand");
    assert!(transfer(&from, &mut to, &TransferOptions::default()).unwrap().exact);
    assert_near(&places(&from, "Walk"), &places(&to, "Walk"), 1e-4);
    assert_near(&before, &places(&to, "Stand"), 1e-4);
}

/// How high the lower foot is, at 500 moments of a clip.
fn steps(model: &Model, name: &str) -> Vec<f32> {
    let number = model.sequences.iter().rposition(|s| s.name.bytes() == name.as_bytes()).unwrap();
    let player = Player::new(model);
    let length = f64::from(model.sequences[number].end - model.sequences[number].start);
    let at = |i: u32| {
        let pose = player.pose(&Moment::in_sequence(model, number, length * f64::from(i) / 500.0), None);
        let feet = model.geosets.iter().take(2).flat_map(|geoset| player.vertices(geoset, &pose));
        feet.map(|(place, _)| place[2]).fold(f32::MAX, f32::min)
    };
    (0..500).map(at).collect()
}

/// The greatest distance of the lower foot from the ground in a clip, in parts of the height.
fn off_ground(model: &Model, name: &str) -> f32 {
    let heights = steps(model, name).into_iter();
    let height = model.geosets.iter().flat_map(|g| &g.vertices).map(|v| v[2]).fold(0.0, f32::max);
    heights.map(|h| h.abs() / height).fold(0.0, f32::max)
}

#[test]
fn feet_stay_on_the_ground_with_other_proportions() {
    let from = walker(40.0, 40.0, &["Walk"]);
    assert!(off_ground(&from, "Walk") < 0.005);
    for (leg, body) in [(70.0, 30.0), (20.0, 60.0), (55.0, 20.0)] {
        let mut plain = walker(leg, body, &[]);
        let done = transfer(&from, &mut plain, &TransferOptions::default()).unwrap();
        assert!(
            off_ground(&plain, "Walk") > 0.03,
            "the keys alone would do: {leg} {}",
            off_ground(&plain, "Walk")
        );
        assert!(done.clips[0].error.feet.unwrap() > 0.03);
        let mut fitted = walker(leg, body, &[]);
        let options = TransferOptions::default().with_proportions(true);
        let done = transfer(&from, &mut fitted, &options).unwrap();
        assert!(done.exact);
        let off = off_ground(&fitted, "Walk");
        assert!(off < 0.02, "{leg}: {off}");
        assert!(done.clips[0].error.feet.unwrap() < 0.02, "{:?}", done.clips);
        // Bones are as long as they were.
        let pose = Player::new(&fitted).pose(&Moment::in_sequence(&fitted, 0, 250.0), None);
        let length = (pose.nodes[3].position - pose.nodes[2].position).length();
        assert!((length - leg / 2.0).abs() < 1e-3, "{length}");
        // The legs turn with the keys of the original.
        assert_eq!(fitted.bones[2].node.tracks.get(b"KGRT"), from.bones[2].node.tracks.get(b"KGRT"));
    }
}

/// Adds a bone to a walker.
fn add_bone(model: &mut Model, name: &str, parent: i32, pivot: [f32; 3]) -> u32 {
    let id = model.bones.len() as u32;
    let mut bone = model.bones[0].clone();
    bone.node.tracks = Default::default();
    bone.node.name = Text::new(name.as_bytes()).unwrap();
    (bone.node.object_id, bone.node.parent_id) = (id, parent);
    model.bones.push(bone);
    model.pivots.push(pivot);
    id
}

#[test]
fn feet_are_on_the_ground_although_a_node_without_a_counterpart_carries_the_body() {
    let from = walker(40.0, 40.0, &["Walk"]);
    let mut to = walker(70.0, 30.0, &["Stand"]);
    let carrier = add_bone(&mut to, "Hovering", -1, [0.0; 3]);
    to.bones[0].node.parent_id = carrier as i32;
    let keys = Curve::new([(0, [0.0, 0.0, 25.0f32]), (1000, [0.0, 0.0, 25.0])]);
    to.bones[carrier as usize].node.tracks.push(Track::new(
        b"KGTR",
        Interpolation::Linear,
        Keys::Vector(keys),
    ));
    let done = transfer(&from, &mut to, &TransferOptions::default().with_proportions(true)).unwrap();
    assert!(done.exact);
    assert!(off_ground(&to, "Walk") < 0.005, "{}", off_ground(&to, "Walk"));
    // It is where it is when the model stands.
    let number = to.sequences.len() - 1;
    let pose = Player::new(&to).pose(&Moment::in_sequence(&to, number, 500.0), None);
    assert!((pose.nodes[carrier as usize].position.z - 25.0).abs() < 1e-3);
}

#[test]
fn feet_that_do_not_match_are_not_those_that_walk() {
    let from = walker(40.0, 40.0, &["Walk"]);
    let mut to = walker(70.0, 30.0, &[]);
    // A trophy at the belt, lower than the soles.
    let trophy = add_bone(&mut to, "Bone_Foot_L02", 1, [0.0, 0.0, -30.0]);
    let mut geoset = to.geosets[0].clone();
    geoset.vertices.iter_mut().for_each(|v| *v = [v[0], 0.0, v[2] - 30.0]);
    geoset.matrices = vec![trophy];
    to.geosets.push(geoset);
    let done = transfer(&from, &mut to, &TransferOptions::default().with_proportions(true)).unwrap();
    assert!(done.exact && done.plan.matching.pairs.len() == 8, "{}", done.plan.table());
    assert!(off_ground(&to, "Walk") < 0.005, "{}", off_ground(&to, "Walk"));
}

#[test]
fn feet_that_move_between_two_keys_are_followed() {
    let mut from = walker(40.0, 40.0, &["Walk"]);
    // Both knees are bent for 16 ms.
    for bone in [3, 6] {
        let (still, bent) = ([0.0, 0.0, 0.0, 1.0f32], [0.0, 0.4f32.sin(), 0.0, 0.4f32.cos()]);
        let keys = Curve::new([(500, still), (508, bent), (516, still)]);
        let track = Track::new(b"KGRT", Interpolation::Linear, Keys::Rotation(keys));
        from.bones[bone].node.tracks.push(track);
    }
    let mut to = walker(70.0, 30.0, &[]);
    for knee in [3, 6] {
        to.pivots[knee][2] = 50.0;
    }
    transfer(&from, &mut to, &TransferOptions::default().with_proportions(true)).unwrap();
    let want = steps(&from, "Walk").into_iter().map(|y| y * 70.0 / 40.0);
    let off = want.zip(steps(&to, "Walk")).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 0.5, "{off}");
}

#[test]
fn bones_that_are_at_rest_elsewhere_point_where_those_of_the_original_do() {
    let from = walker(40.0, 40.0, &["Walk"]);
    let mut to = walker(40.0, 40.0, &[]);
    // Its legs are spread at rest.
    for (shin, foot, side) in [(3, 4, 1.0), (6, 7, -1.0)] {
        to.pivots[shin] = [0.0, side * 28.0, 20.0];
        to.pivots[foot] = [0.0, side * 48.0, 0.0];
        let geoset = if side > 0.0 { 0 } else { 1 };
        to.geosets[geoset].vertices.iter_mut().for_each(|v| v[1] += side * 40.0);
    }
    let mut plain = to.clone();
    let done = transfer(&from, &mut plain, &TransferOptions::default()).unwrap();
    assert!(done.clips[0].error.worst > 30.0, "{:?}", done.clips);
    let done = transfer(&from, &mut to, &TransferOptions::default().with_proportions(true)).unwrap();
    assert!(done.exact && done.clips[0].error.worst < 1.0, "{:?}", done.clips);
}

#[test]
fn clips_go_from_one_game_to_another_and_back() {
    let warcraft = example("statue_800.mdx");
    let mut kotor = example("statue.mdl");
    let options = TransferOptions::default()
        .with_clips(vec!["Walk".into()])
        .with_renames(vec![("Walk".into(), "stroll".into())])
        .with_proportions(true);
    let done = transfer(warcraft.as_ref(), kotor.as_mut(), &options).unwrap();
    assert!(!done.exact);
    assert!(done.clips[0].error.mean < 3.0, "{:?}", done.clips);
    let scene = kotor.to_scene(&SceneContext::new("statue")).unwrap();
    let clip = scene.find_clip("stroll").unwrap();
    assert!(clip.length > 0.5 && clip.channels.len() > 5, "{} {}", clip.length, clip.channels.len());
    assert_eq!(errors(kotor.as_ref()), Vec::<String>::new());
    let mut back = example("statue_800.mdx");
    let options = TransferOptions::default().with_clips(vec!["stroll".into()]);
    let done = transfer(kotor.as_ref(), back.as_mut(), &options).unwrap();
    assert!(done.clips[0].error.mean < 3.0, "{:?}", done.clips);
    let (a, b): (Model, Model) = (model(warcraft.as_ref()), model(back.as_ref()));
    let height = 100.0;
    let off: Vec<f32> =
        places(&a, "Walk").iter().zip(places(&b, "stroll")).map(|(a, b)| (a[2] - b[2]).abs()).collect();
    assert!(
        off.iter().sum::<f32>() / (off.len() as f32) < height * 0.05,
        "{:?}",
        off.iter().copied().fold(0.0, f32::max)
    );
    // glTF gives clips, too.
    let glb = example("statue.glb");
    let mut model = example("statue_800.mdx");
    let names: Vec<String> =
        glb.to_scene(&SceneContext::new("statue")).unwrap().clips.iter().map(|c| c.name.clone()).collect();
    let renames = names.iter().map(|name| (name.clone(), format!("{name} of glTF"))).collect();
    let done =
        transfer(glb.as_ref(), model.as_mut(), &TransferOptions::default().with_renames(renames)).unwrap();
    assert_eq!(done.clips.len(), names.len());
}

#[test]
fn what_cannot_be_done_is_said_in_a_line_and_changes_nothing() {
    let statue = || example("statue_800.mdx");
    let table = |text: &str| TransferOptions::default().with_bones(BoneTable::parse(text).unwrap());
    let all = TransferOptions::default;
    for (from, to, options, want) in [
        (example("statue.fmdl"), statue(), all(), "models of the Fox Engine have no clips"),
        (statue(), example("statue.fmdl"), all(), "models of the Fox Engine have no clips"),
        (statue(), example("statue.glb"), all(), "clips are put on mdl and mdx"),
        (statue(), statue(), all(), "has a clip \"Stand\" already"),
        (statue(), statue(), all().with_clips(vec!["Wakl".into()]), "did you mean \"Walk\"?"),
        (statue(), statue(), all().with_clips(vec!["Fly*".into()]), "no clip fits"),
        (statue(), statue(), table("head = hed"), "did you mean \"head\"?"),
        (
            statue(),
            statue(),
            all().with_renames(vec![("Run".into(), "x".into())]),
            "there is no clip \"Run\"",
        ),
        (
            statue(),
            statue(),
            all().with_renames(["Stand", "Walk", "Death"].map(|c| (c.into(), "x".repeat(81))).to_vec()),
            "has room for 80 bytes",
        ),
    ] {
        let mut to = to;
        let before = to.write().unwrap();
        let error = transfer(from.as_ref(), to.as_mut(), &options).unwrap_err().to_string();
        assert!(error.contains(want) && !error.contains('\n'), "{want}: {error}");
        assert_eq!(to.write().unwrap(), before);
    }
    let mut loner = walker(40.0, 40.0, &[]);
    loner.bones.truncate(2);
    loner
        .bones
        .iter_mut()
        .zip([&b"a"[..], b"b"])
        .for_each(|(b, name)| b.node.name = Text::new(name).unwrap());
    loner.bones[1].node.parent_id = -1;
    loner.geosets.truncate(0);
    loner.pivots = vec![[900.0, 0.0, 0.0], [0.0, 800.0, 5.0]];
    let error = transfer(&walker(40.0, 40.0, &["Walk"]), &mut loner, &all()).unwrap_err();
    assert!(error.to_string().contains("no bone has a counterpart"), "{error}");
    let error = transfer(&walker(1.0, 1.0, &[]), &mut walker(1.0, 1.0, &[]), &all()).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.document()), ("has no clips", Some(0)));
}

#[test]
fn a_replaced_clip_leaves_nothing_of_the_old_one() {
    let from = walker(40.0, 40.0, &["Walk"]);
    let mut to = walker(40.0, 40.0, &["Walk", "Stand"]);
    let stand = places(&to, "Stand");
    transfer(&from, &mut to, &TransferOptions::default().with_replace(true)).unwrap();
    let names: Vec<_> = to.sequences.iter().map(|s: &Sequence| s.name.lossy().into_owned()).collect();
    assert_eq!(names, ["Stand", "Walk"]);
    let track = to.bones[2].node.tracks.get(b"KGRT").unwrap();
    assert!(track.keys.times().all(|t| t >= 2000), "{:?}", track.keys.times().next());
    assert_near(&stand, &places(&to, "Stand"), 0.0);
}

#[test]
fn the_printed_table_gives_the_same_matching() {
    let (from, to) = (example("statue_800.mdx"), example("statue.mdl"));
    let plan = TransferPlan::of(from.as_ref(), to.as_ref(), &BoneTable::default()).unwrap();
    assert!(plan.matching.pairs.len() > 10, "{}", plan.table());
    let again =
        TransferPlan::of(from.as_ref(), to.as_ref(), &BoneTable::parse(&plan.table()).unwrap()).unwrap();
    let pairs = |plan: &TransferPlan| plan.matching.pairs.iter().map(|p| (p.from, p.to)).collect::<Vec<_>>();
    assert_eq!(pairs(&plan), pairs(&again));
}

#[test]
fn what_the_clips_say_nothing_about_is_as_when_the_model_stands() {
    let from = walker(40.0, 40.0, &["Walk"]);
    let mut to = walker(40.0, 40.0, &["Death", "Stand"]);
    // A geoset that is only seen in the first clip.
    let keys = Curve::new([(0, 1.0f32), (2000, 0.0)]);
    let mut anim = galatea::mdlx::GeosetAnim { geoset_id: 2, ..Default::default() };
    anim.tracks.push(Track::new(b"KGAO", Interpolation::None, Keys::Float(keys)));
    to.geoset_anims.push(anim);
    transfer(&from, &mut to, &TransferOptions::default()).unwrap();
    let player = Player::new(&to);
    let seen =
        |sequence: usize| player.pose(&Moment::in_sequence(&to, sequence, 500.0), None).geosets[2].visible;
    assert_eq!([seen(0), seen(1), seen(2)], [true, false, false]);
}
