//! `graft`, `merge` and `split`: parts of models.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod combined;

use std::collections::HashSet;

use combined::{errors, example, model, walker};
use galatea::combine::{GraftOptions, SplitBy, SplitOptions, graft, merge, portrait, split, split_at_limits};
use galatea::fox::{Fmdl, Group, Mesh, SplitLimits};
use galatea::kotor::mdl;
use galatea::mdlx::play::{Moment, Player};
use galatea::mdlx::{Camera, Model, ParticleEmitter2, Text};
use galatea::{Document, SceneContext, scene::Pose};

fn at(node: &str) -> GraftOptions {
    GraftOptions::default().with_at(node.into())
}

/// Writes a document and reads it again.
fn again(document: &dyn Document) -> Box<dyn Document> {
    galatea::open(&document.write().unwrap().input(), &Default::default()).unwrap()
}

/// All corners of what is drawn in the finest level, rounded and sorted.
fn corners(document: &dyn Document) -> Vec<[i32; 3]> {
    let scene = document.to_scene(&SceneContext::new("model")).unwrap();
    let pose = Pose::rest(&scene);
    let mut out = Vec::new();
    for (id, _, mesh) in scene.drawn().filter(|(_, _, mesh)| mesh.lod.unwrap_or(0) == 0) {
        for primitive in &mesh.primitives {
            let deformed = pose.deform(&scene, id, primitive);
            let places = primitive.indices.iter().map(|i| deformed.positions[*i as usize]);
            out.extend(places.map(|p| p.map(|c| (c * 2000.0).round() as i32)));
        }
    }
    out.sort_unstable();
    out
}

#[test]
fn a_part_of_a_warcraft_model_goes_on_a_node_with_all_that_it_needs() {
    let mut from = walker(40.0, 40.0, &["Walk", "Stand"]);
    let mut glow = ParticleEmitter2::default();
    glow.node.name = Text::new(b"Glow").unwrap();
    (glow.node.object_id, glow.node.parent_id) = (8, 4);
    from.particle_emitters2.push(glow);
    from.pivots.push([0.0, 8.0, 5.0]);
    let mut to: Model = model(example("statue_800.mdx").as_ref());
    let before = to.clone();
    let options = at("head").with_node(Some("Bone_Leg2_L".into()));
    let done = graft(&from, &mut to, &options).unwrap();
    assert!(done.losses.is_empty(), "{:?}", done.losses);
    // The shin, the foot and the emitter; one geoset, its material and texture.
    assert_eq!(to.node_count(), before.node_count() + 3);
    let counts =
        |m: &Model| (m.geosets.len(), m.materials.len(), m.textures.len(), m.particle_emitters2.len());
    let (a, b) = (counts(&before), counts(&to));
    assert_eq!(b, (a.0 + 1, a.1 + 1, a.2 + 1, a.3 + 1));
    assert_eq!(to.textures.last().unwrap().path.bytes(), b"Textures\\Walker.blp");
    let find = |name: &str| to.nodes().find(|(_, _, n)| n.name.bytes() == name.as_bytes()).unwrap().2;
    let (head, shin, foot) = (find("head"), find("Bone_Leg2_L"), find("Bone_Foot_L"));
    assert_eq!((shin.parent_id, foot.parent_id), (head.object_id as i32, shin.object_id as i32));
    // As far from the head as it was from the thigh.
    let pivot = |node: &galatea::mdlx::Node| to.pivots[node.object_id as usize];
    let off: Vec<f32> = pivot(shin).iter().zip(pivot(head)).map(|(a, b)| a - b).collect();
    assert!(off.iter().zip([0.0, 0.0, -20.0]).all(|(a, b)| (a - b).abs() < 1e-4), "{off:?}");
    assert_eq!(to.geosets.last().unwrap().matrices, [foot.object_id]);
    // Its keys are where the clips of the same name are.
    let walk = to.sequences.iter().find(|s| s.name.bytes() == b"Walk").unwrap();
    let keys: Vec<i32> = foot.tracks.get(b"KGRT").unwrap().keys.times().collect();
    assert!(keys.contains(&(walk.start as i32)) && keys.contains(&(walk.end as i32)), "{keys:?} {walk:?}");
    let inside = |t: &i32| to.sequences.iter().any(|s| (s.start as i32..=s.end as i32).contains(t));
    assert!(keys.iter().all(inside));
    assert_eq!(errors(&to), errors(&before));
    // What was there is as it was.
    let kept: Vec<_> =
        again(&to).to_scene(&SceneContext::new("x")).unwrap().nodes.iter().map(|n| n.name.clone()).collect();
    assert!(before.nodes().all(|(_, _, n)| kept.contains(&n.name.lossy().into_owned())));
}

#[test]
fn whole_models_are_grafted_in_every_format_and_across() {
    for (from, to, node) in [
        ("statue.mdl", "statue.mdl", "head"),
        ("statue_800.mdx", "statue_800.mdx", "head"),
        ("statue_1000.mdx", "statue_800.mdx", "head"),
        ("statue_800.mdx", "statue_1000.mdx", "head"),
        ("statue_800.mdx", "statue.mdl", "head"),
        ("statue.mdl", "statue_800.mdx", "head"),
        ("statue.glb", "statue_800.mdx", "head"),
        ("statue_800.mdl", "statue_800.mdx", "chest"),
        ("statue.mdl.ascii", "statue.mdl.ascii", "head"),
    ] {
        let (source, mut target) = (example(from), example(to));
        let before = target.summary();
        let broken = errors(target.as_ref());
        let done =
            graft(source.as_ref(), target.as_mut(), &at(node)).unwrap_or_else(|e| panic!("{from} {to}: {e}"));
        assert!(!done.done.is_empty());
        let after = target.summary();
        assert!(after.triangles >= 2 * before.triangles - 2, "{from} on {to}: {before:?} {after:?}");
        assert_eq!(after.clips, before.clips);
        assert_eq!(errors(target.as_ref()), broken, "{from} on {to}");
        assert_eq!(again(target.as_ref()).summary(), after, "{from} on {to}");
    }
}

#[test]
fn a_part_of_a_kotor_model_moves_with_its_clips() {
    let mut from: mdl::Model = model(example("statue.mdl").as_ref());
    let mut to = from.clone();
    // Another length, to which the keys are fitted.
    for animation in &mut from.animations {
        animation.length *= 2.0;
        for node in &mut animation.nodes {
            let all: Vec<_> = node.controllers.list().iter().map(|c| (c.time_index, c.rows)).collect();
            for (first, rows) in all {
                let range = usize::from(first)..usize::from(first + rows);
                node.controllers.data_mut()[range].iter_mut().for_each(|t| *t *= 2.0);
            }
        }
    }
    let before = to.clone();
    let done = graft(&from, &mut to, &at("chest").with_node(Some("arm_l".into()))).unwrap();
    assert!(done.notes.iter().any(|n| n.contains("\"arm_l\" already")), "{:?}", done.notes);
    let [old, new] = [&b"arm_l"[..], b"arm_l_2"].map(|name| to.find(name).unwrap());
    assert_eq!(to.node(new).unwrap().parent, to.find(b"chest"));
    let pose = to.pose(Some(&to.animations[0]), to.animations[0].length * 0.3);
    let turned = |id: u32| pose[id as usize].orientation;
    let apart: f32 = turned(old).iter().zip(turned(new)).map(|(a, b)| (a - b).abs()).sum();
    assert!(apart < 1e-3, "{:?} {:?}", turned(old), turned(new));
    assert_eq!(to.node_count, before.node_count + 2, "the arm and the forearm");
    assert_eq!(errors(&to), Vec::<String>::new());
    assert!(
        to.check().is_empty() || to.check().findings().len() == before.check().findings().len(),
        "{:?}",
        to.check()
    );
}

#[test]
fn places_of_parts() {
    let from: Model = walker(40.0, 40.0, &[]);
    for (options, want) in [
        (at("Bone_Chest").with_node(Some("Bone_Foot_L".into())), [0.0, 0.0, 40.0]),
        (
            at("Bone_Chest").with_node(Some("Bone_Foot_L".into())).with_offset([1.0, 2.0, 3.0]),
            [1.0, 2.0, 43.0],
        ),
        (at("Bone_Chest").with_node(Some("Bone_Foot_L".into())).with_keep_place(true), [0.0, 8.0, 0.0]),
    ] {
        let mut to = walker(40.0, 40.0, &[]);
        graft(&from, &mut to, &options).unwrap();
        let foot = to.nodes().find(|(_, _, n)| n.name.bytes() == b"Bone_Foot_L 2").unwrap().2;
        let pivot = to.pivots[foot.object_id as usize];
        assert!(pivot.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-4), "{pivot:?} {want:?}");
        let [x, y, z] = to.geosets[3].vertices[0];
        assert_eq!([x, y, z], pivot);
    }
    let statue: mdl::Model = model(example("statue.mdl").as_ref());
    let world = |model: &mdl::Model, name: &[u8]| {
        let places = model.in_model(&model.pose(None, 0.0));
        places[model.find(name).unwrap() as usize].position
    };
    let mut to = statue.clone();
    graft(&statue, &mut to, &at("head").with_node(Some("foot_l".into())).with_keep_place(true)).unwrap();
    let (a, b) = (world(&to, b"foot_l"), world(&to, b"foot_l_2"));
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?} {b:?}");
}

#[test]
fn bad_grafts_are_said_in_a_line_and_change_nothing() {
    let statue = || example("statue_800.mdx");
    for (from, to, options, want) in [
        (statue(), statue(), at("haed"), "did you mean \"head\"?"),
        (statue(), statue(), at("head").with_node(Some("Sword".into())), "there is no node \"Sword\""),
        (
            statue(),
            statue(),
            at("forearm_l").with_node(Some("arm_l".into())),
            "\"arm_l\" would be below itself",
        ),
        (
            example("statue.mdl"),
            example("statue.mdl"),
            at("forearm_l").with_node(Some("arm_l".into())),
            "below itself",
        ),
        (example("room.wok"), statue(), at("haed"), "did you mean"),
        (statue(), example("room.wok"), at("head"), "only mdl, mdx and fmdl are combined"),
        (example("statue.tga"), statue(), at("head"), "cannot become"),
        (
            example("statue.fmdl"),
            example("statue.fmdl"),
            at("head").with_node(Some("nothing".into())),
            "no mesh group",
        ),
        (example("statue.fmdl"), example("statue.fmdl"), at("nowhere"), "no bone or group"),
    ] {
        let mut to = to;
        let before = to.write().unwrap();
        let error = graft(from.as_ref(), to.as_mut(), &options).unwrap_err().to_string();
        assert!(error.contains(want) && !error.contains('\n'), "{want}: {error}");
        assert_eq!(to.write().unwrap(), before);
    }
}

#[test]
fn merging_a_model_with_itself_shares_all_but_the_geosets() {
    let statue: Model = model(example("beacon.mdx").as_ref());
    let mut both = statue.clone();
    let done = merge(&mut both, &[&statue]).unwrap();
    assert!(done.losses.is_empty() && done.notes.is_empty(), "{done:?}");
    assert_eq!(both.geosets.len(), 2 * statue.geosets.len());
    let counts = |m: &Model| {
        (m.node_count(), m.materials.len(), m.textures.len(), m.texture_anims.len(), m.sequences.len())
    };
    assert_eq!(counts(&both), counts(&statue));
    assert_eq!(both.geosets[2].matrices, statue.geosets[0].matrices);
    assert_eq!(errors(&both), errors(&statue));
    let statue: mdl::Model = model(example("statue.mdl").as_ref());
    let mut both = statue.clone();
    let done = merge(&mut both, &[&statue]).unwrap();
    assert!(done.losses.is_empty(), "{done:?}");
    assert_eq!(both.differences(&statue), Vec::<String>::new(), "equal meshes are there once");
}

#[test]
fn parts_over_one_skeleton_follow_it() {
    let statue: Model = model(example("statue_800.mdx").as_ref());
    let pieces = split(&statue, &SplitOptions::default()).unwrap().0;
    let parts: Vec<Model> = pieces.iter().map(|piece| model(piece.document.as_ref())).collect();
    let mut whole = parts[0].clone();
    let others: Vec<&dyn Document> = parts[1..].iter().map(|part| part as &dyn Document).collect();
    merge(&mut whole, &others).unwrap();
    assert_eq!(corners(&whole), corners(&statue));
    // In clips, too.
    let places = |model: &Model| {
        let player = Player::new(model);
        let pose = player.pose(&Moment::in_sequence(model, 1, 300.0), None);
        let all = model.geosets.iter().flat_map(|geoset| player.vertices(geoset, &pose));
        let mut all: Vec<[i32; 3]> = all.map(|(p, _)| p.map(|c| (c * 100.0).round() as i32)).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(places(&whole), places(&statue));
    assert_eq!(errors(&whole), errors(&statue));
}

#[test]
fn what_a_merged_part_has_besides_is_a_loss() {
    let mut part = walker(40.0, 40.0, &["Walk", "Dance"]);
    part.cameras.push(Camera { name: Text::new(b"Eye").unwrap(), ..Camera::default() });
    let mut first = walker(40.0, 40.0, &["Walk"]);
    let done = merge(&mut first, &[&part]).unwrap();
    let losses: Vec<String> = done.losses.iter().map(ToString::to_string).collect();
    assert!(losses[0].starts_with("camera \"Eye\"") && losses[1].starts_with("clip \"Dance\""), "{losses:?}");
    let error = merge(&mut first, &[]).unwrap_err();
    assert!(error.to_string().contains("only one model"), "{error}");
    let error = merge(&mut first, &[example("statue.tga").as_ref()]).unwrap_err();
    assert_eq!(error.document(), Some(1));
}

/// The statue with levels of detail, and with other names of its groups.
fn with_levels(levels: &[f32], group: &str) -> Fmdl {
    let mut model: Fmdl = model(example("statue.fmdl").as_ref());
    model.generate_levels(levels);
    for one in model.groups.iter_mut().skip(1) {
        let old = one.name.to_string();
        one.name = format!("{group}_{old}").as_str().into();
    }
    model
}

fn triangles(model: &Fmdl, level: usize) -> usize {
    let of = |mesh: &Mesh| mesh.faces(level.min(mesh.windows.len() - 1)).len();
    model.meshes.iter().map(of).sum()
}

#[test]
fn levels_of_detail_are_joined_level_by_level() {
    let (a, b) = (with_levels(&[0.5, 0.2], "MESH_a"), with_levels(&[0.4, 0.1], "MESH_b"));
    let mut both = a.clone();
    merge(&mut both, &[&b]).unwrap();
    let both: Fmdl = model(again(&both).as_ref());
    assert_eq!(both.lod_count(), 3);
    for level in 0..3 {
        assert_eq!(triangles(&both, level), triangles(&a, level) + triangles(&b, level), "level {level}");
    }
    // Equal materials and bones are there once.
    assert_eq!((both.materials.len(), both.bones.len()), (a.materials.len(), a.bones.len()));
    assert_eq!(errors(&both), errors(&a));
    // A part with fewer levels keeps its last one.
    let low = with_levels(&[], "MESH_c");
    let mut mixed = a.clone();
    let done = merge(&mut mixed, &[&low]).unwrap();
    assert!(done.notes.iter().any(|n| n.contains("levels of detail")), "{:?}", done.notes);
    let mixed: Fmdl = model(again(&mixed).as_ref());
    for level in 0..3 {
        assert_eq!(triangles(&mixed, level), triangles(&a, level) + triangles(&low, 0), "level {level}");
    }
}

#[test]
fn parts_of_fmdl_go_on_bones_and_groups() {
    let statue: Fmdl = model(example("statue.fmdl").as_ref());
    let mut hat = statue.clone();
    hat.groups.push(Group { name: "MESH_hat".into(), parent: Some(0), ..Group::default() });
    // Its last mesh is the hat, which no bone moves.
    let number = hat.groups.len() as u16 - 1;
    hat.runs.last_mut().unwrap().group = number;
    let last = hat.meshes.last_mut().unwrap();
    last.vertices
        .columns
        .retain(|c| !matches!(c.usage, galatea::fox::Usage::BoneIndices | galatea::fox::Usage::Weights));
    let bone = statue.bones.iter().position(|b| b.name == "head".into()).unwrap();
    let mut to = statue.clone();
    let done = graft(&hat, &mut to, &at("head").with_node(Some("MESH_hat".into()))).unwrap();
    assert!(done.notes.iter().any(|n| n.contains("follow \"head\"")), "{:?}", done.notes);
    let new = to.meshes.last().unwrap();
    assert_eq!(to.bone_group(new).unwrap().bones, [bone as u16]);
    let place = |m: &Mesh| m.vertices.positions().unwrap()[0];
    let (a, b) = (place(hat.meshes.last().unwrap()), place(new));
    let by: Vec<f32> = statue.bones[bone].world.iter().take(3).copied().collect();
    assert!(a.iter().zip(b).zip(by).all(|((a, b), by)| (a + by - b).abs() < 1e-5), "{a:?} {b:?}");
    assert_eq!(to.bones.len(), statue.bones.len());
    assert_eq!(errors(&to), errors(&statue));
    // Another version has its names as hashes.
    let mut phantom = statue.clone();
    phantom.convert(Fmdl::TPP, &galatea::fox::Dictionary::built_in());
    let (meshes, bones) = (phantom.meshes.len(), phantom.bones.len());
    graft(&hat, &mut phantom, &at("head").with_node(Some("MESH_hat".into()))).unwrap();
    assert_eq!((phantom.meshes.len(), phantom.bones.len()), (meshes + 1, bones));
}

#[test]
fn pieces_together_show_what_the_model_shows() {
    for name in
        ["statue.mdl", "statue_800.mdx", "statue_1000.mdx", "beacon.mdx", "statue.fmdl", "statue_800.mdl"]
    {
        let whole = example(name);
        let want = corners(whole.as_ref());
        for by in [SplitBy::Mesh, SplitBy::Material, SplitBy::Bone] {
            for skeleton in [false, true] {
                let options = SplitOptions::default().with_by(by).with_skeleton(skeleton);
                let (pieces, done) = split(whole.as_ref(), &options).unwrap();
                assert!(done.losses.is_empty());
                let mut found: Vec<[i32; 3]> =
                    pieces.iter().flat_map(|p| corners(again(p.document.as_ref()).as_ref())).collect();
                found.sort_unstable();
                assert_eq!(found.len(), want.len(), "{name} {by:?}");
                let off = found
                    .iter()
                    .zip(&want)
                    .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| (a - b).abs() > 1))
                    .count();
                assert_eq!(off, 0, "{name} {by:?}");
                let names: HashSet<&str> = pieces.iter().map(|p| p.name.as_str()).collect();
                assert_eq!(names.len(), pieces.len());
                for piece in &pieces {
                    assert_eq!(
                        errors(piece.document.as_ref()),
                        Vec::<String>::new(),
                        "{name} {by:?} {}",
                        piece.name
                    );
                }
            }
        }
    }
}

#[test]
fn named_bones_and_the_rest_are_pieces() {
    for name in ["statue.mdl", "statue_800.mdx", "statue.fmdl"] {
        let whole = example(name);
        let options = SplitOptions::default().with_by(SplitBy::Bone).with_bones(vec!["head".into()]);
        let (pieces, _) = split(whole.as_ref(), &options).unwrap();
        let names: Vec<&str> = pieces.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(&names[..2], ["head", "others"], "{name}");
        let head = pieces[0].document.summary();
        assert!(head.triangles > 10 && head.triangles < whole.summary().triangles / 2, "{name}: {head:?}");
        let error = split(whole.as_ref(), &options.clone().with_bones(vec!["hed".into()])).unwrap_err();
        assert!(error.to_string().contains("did you mean \"head\"?"), "{error}");
        let error = split(whole.as_ref(), &options.with_by(SplitBy::Mesh)).unwrap_err();
        assert!(error.to_string().contains("by bone"), "{error}");
    }
    assert!(split(example("statue.tga").as_ref(), &SplitOptions::default()).is_err());
}

#[test]
fn a_portrait_has_the_head_and_a_camera() {
    let mut statue = example("statue_800.mdx");
    let whole: Model = model(statue.as_ref());
    portrait(statue.as_mut()).unwrap();
    let portrait_of: Model = model(statue.as_ref());
    assert_eq!(portrait_of.cameras.len(), 1);
    assert!(portrait_of.sequences.iter().all(|s| s.name.bytes().starts_with(b"Portrait")));
    let (all, seen) = (whole.summary().triangles, portrait_of.summary().triangles);
    assert!(seen > 20 && seen < all * 3 / 4, "{seen} of {all}");
    let low = |m: &Model| m.geosets.iter().flat_map(|g| &g.vertices).map(|v| v[2]).fold(f32::MAX, f32::min);
    assert!(low(&portrait_of) > low(&whole) + 5.0);
    assert_eq!(errors(&portrait_of), errors(&whole));
    let error = portrait(example("statue.mdl").as_mut()).unwrap_err();
    assert!(error.to_string().contains("only models of Warcraft III"), "{error}");
}

#[test]
fn meshes_are_split_at_limits() {
    let mut statue = example("statue.fmdl");
    let want = corners(statue.as_ref());
    let limits = SplitLimits::default().with_bones(4);
    assert!(split_at_limits(statue.as_mut(), &limits).unwrap() > 0);
    let split: Fmdl = model(again(statue.as_ref()).as_ref());
    assert!(split.bone_groups.iter().all(|group| group.bones.len() <= 4));
    assert_eq!(corners(&split), want);
    assert_eq!(split_at_limits(statue.as_mut(), &limits).unwrap(), 0);
    assert!(split_at_limits(example("statue.mdl").as_mut(), &limits).is_err());
}
