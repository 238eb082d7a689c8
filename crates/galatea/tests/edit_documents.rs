//! `edit` on parts of documents: textures, names, clips, classes. For each operation and format, what differs is what was asked for,
//! and back again gives the original bytes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use std::path::Path;

use galatea::edit::{EditError, EditOptions, Edited, edit, parse_script};
use galatea::fox::{Dictionary, Fmdl, MaterialInstance, Texture, TexturePath};
use galatea::{Companion, Document, Output};

/// An example with its companion.
fn example(name: &str) -> Output {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut out = Output::single(std::fs::read(dir.join(name)).unwrap());
    if name == "statue.mdl" {
        let bytes = std::fs::read(dir.join("statue.mdx")).unwrap();
        out.companions.push(Companion { extension: "mdx", bytes });
    }
    out
}

fn run(files: &Output, script: &str) -> Result<Edited, EditError> {
    edit(&files.input(), &parse_script(script).unwrap(), &EditOptions::default())
}

fn fine(files: &Output, script: &str) -> Edited {
    run(files, script).unwrap_or_else(|error| panic!("{script}: {error}"))
}

/// The statue as a model of The Phantom Pain, whose names are hashes, with a texture.
fn phantom_pain() -> Output {
    let mut model = Fmdl::read(&example("statue.fmdl").bytes, &Default::default()).unwrap();
    let mut texture =
        Texture { slot: "Base_Tex_SRGB".into(), path: TexturePath::Code(0), ..Texture::default() };
    texture.set_path("/Assets/tpp/pictures/stone_bsm.psd");
    model.convert(Fmdl::TPP, &Dictionary::new());
    match model.materials.first_mut() {
        Some(material) => material.textures = vec![texture],
        None => {
            model.materials.push(MaterialInstance { textures: vec![texture], ..MaterialInstance::default() })
        }
    }
    Output::single(model.write().unwrap())
}

#[test]
fn every_operation_changes_what_was_asked_for_and_nothing_else() {
    for (name, script, want) in [
        (
            "statue.mdl",
            "texture statue=stone",
            "nodes[14] \"body\" > mesh > texture: \"statue\" -> \"stone\"\nnodes[15] \"plinth\" > mesh > texture: \"statue\" -> \"stone\"",
        ),
        (
            "statue.mdl.ascii",
            "texture STATUE.tga=stone.tga",
            "nodes[14] \"body\" > mesh > texture: \"statue\" -> \"stone\"\nnodes[15] \"plinth\" > mesh > texture: \"statue\" -> \"stone\"",
        ),
        (
            "statue_800.mdx",
            r"texture *.blp=mod\*.blp",
            "TEXS > textures[0] > Texture.path: \"statue.blp\" -> \"mod\\\\statue.blp\"",
        ),
        (
            "statue_800.mdl",
            r"texture-prefix mod\",
            "TEXS > textures[0] > Texture.path: \"statue.blp\" -> \"mod\\\\statue.blp\"",
        ),
        ("statue_800.mdx", "rename-clip walk=Walk Fast", "> name: \"Walk\" -> \"Walk Fast\""),
        ("statue.mdl", "rename-clip walk=run", "> name: \"walk\" -> \"run\""),
        ("statue.mdl", "supermodel S_Male02", "supermodel: \"NULL\" -> \"S_Male02\""),
        ("statue.mdl.ascii", "class placeable", "classification: 4 -> 32"),
        ("statue_800.mdx", "two-sided yes", "materials[0] > layers[0] > flags: 0 -> 16"),
        ("statue.fmdl", "two-sided yes", "meshes[0] > flags: 0 -> 32\nmeshes[1] > flags: 0 -> 32"),
        ("statue.mdl", "visibility plinth=no", "nodes[15] \"plinth\" > mesh > render: 1 -> 0"),
        ("statue_800.mdx", "visibility 1=no", "geoset_anims[1] > alpha: 1.0 -> 0.0"),
        (
            "statue_800.mdx",
            "regex ^(st)(.*)\\.BLP$=${2}_$1.blp",
            "TEXS > textures[0] > Texture.path: \"statue.blp\" -> \"atue_st.blp\"",
        ),
    ] {
        let files = example(name);
        let edited = fine(&files, script);
        let want: Vec<&str> = want.lines().collect();
        let same = edited.differences.iter().zip(&want).all(|(have, want)| have.ends_with(want));
        assert!(
            same && edited.differences.len() == want.len(),
            "{name}: {script}: {:#?}",
            edited.differences
        );
        assert!(edited.idle.is_empty());
    }
}

#[test]
fn renamed_and_renamed_back_gives_the_original_bytes() {
    for name in ["statue.mdl", "statue_800.mdx", "statue_1000.mdx", "beacon.mdx", "statue.fmdl"] {
        let files = example(name);
        let limits = Default::default();
        let document = galatea::open(&files.input(), &limits).unwrap();
        let summary = document.summary();
        let scene = document.to_scene(&galatea::SceneContext::new("statue")).unwrap();
        let node = scene
            .nodes
            .iter()
            .map(|node| node.name.as_str())
            .find(|name| run(&files, &format!("rename-node {name}=a much longer name")).is_ok());
        let node = node.unwrap_or_else(|| panic!("{name}: no node can be renamed"));
        for new in ["x", "a much longer name"] {
            let there = fine(&files, &format!("rename-node {node}={new}"));
            assert!(there.changed && !there.differences.is_empty(), "{name}");
            assert_eq!(there.document.summary(), summary);
            let back = fine(&there.output, &format!("rename-node {new}={node}"));
            assert!(back.output == files, "{name}: {node} as {new} and back");
        }
    }
    for (files, old, new) in [
        (example("statue.mdl"), "statue", "a_longer_name"),
        (example("statue_800.mdx"), "statue.blp", r"war3mapImported\a_longer_name.blp"),
        (phantom_pain(), "/Assets/tpp/pictures/stone_bsm.ftex", "/Assets/mod/brick.ftex"),
    ] {
        let there = fine(&files, &format!("texture {old}={new}"));
        assert!(there.changed, "{old}");
        let back = fine(&there.output, &format!("texture {new}={old}"));
        assert!(back.output == files, "{old} as {new} and back");
    }
}

#[test]
fn textures_with_hashed_paths_follow_a_pattern_if_a_dictionary_knows_them() {
    let files = phantom_pain();
    let script = parse_script("texture **/pictures/*.ftex=/Assets/mod/*.ftex").unwrap();
    let error = edit(&files.input(), &script, &EditOptions::default()).unwrap_err().to_string();
    assert!(
        error.contains("the paths of 1 textures are hashes of unknown texts; name a dictionary"),
        "{error}"
    );
    let mut names = Dictionary::new();
    names.add("/Assets/tpp/pictures/stone_bsm");
    let edited = edit(&files.input(), &script, &EditOptions::default().with_names(Some(&names))).unwrap();
    let model = edited.document.as_any().downcast_ref::<Fmdl>().unwrap();
    let mut want = Texture { path: TexturePath::Code(0), ..Texture::default() };
    want.set_path("/Assets/mod/stone_bsm.psd");
    let texture = &model.materials[0].textures[0];
    assert_eq!((texture.code(), texture.file.code()), (want.code(), want.file.code()));
    assert_eq!(edited.differences.len(), 1, "{}", edited.differences.join("\n"));
}

#[test]
fn clips_are_removed_kept_and_ordered() {
    for (name, script, want) in [
        ("statue_800.mdx", "remove-clip walk", &["Stand", "Death"][..]),
        ("statue_800.mdl", "keep-clips D*,Stand", &["Stand", "Death"]),
        ("statue_1000.mdx", "clip-order Death,Walk", &["Death", "Walk", "Stand"]),
        ("statue.mdl", "clip-order walk", &["walk", "stand"]),
        ("statue.mdl.ascii", "remove-clip *", &[]),
        ("statue.mdl", "keep-clips stand", &["stand"]),
    ] {
        let files = example(name);
        let edited = fine(&files, script);
        let scene = edited.document.to_scene(&galatea::SceneContext::new("statue")).unwrap();
        let clips: Vec<&str> = scene.clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!(clips, want, "{name}: {script}");
        let all = edited.document.check();
        assert_eq!(all.at_least(galatea::Severity::Error), 0, "{name}: {:?}", all.findings());
    }
    // The extents of geosets belong to clips.
    let files = example("statue_800.mdx");
    let there = fine(&files, "clip-order Death");
    let back = fine(&there.output, "clip-order Stand,Walk,Death");
    assert!(there.changed && back.output == files);
}

#[test]
fn attachment_points_follow_their_node() {
    for (name, to) in [
        ("statue_800.mdx", "head"),
        ("statue_1000.mdx", "head"),
        ("statue.mdl", "head"),
        ("statue_800.mdl", "head"),
    ] {
        let files = example(name);
        let before = galatea::open(&files.input(), &Default::default()).unwrap();
        let edited = fine(&files, &format!("attach New Ref --to {to} --at 1,-2,3.5"));
        assert_eq!(edited.document.summary().nodes, before.summary().nodes + 1, "{name}");
        let findings = |document: &dyn Document| document.check().findings().len();
        assert!(
            findings(edited.document.as_ref()) <= findings(before.as_ref()),
            "{name}: {:?}",
            edited.document.check().findings()
        );
        let scene = edited.document.to_scene(&galatea::SceneContext::new("statue")).unwrap();
        let hook = scene.nodes.iter().find(|node| node.name == "New Ref").unwrap();
        let parent = scene.nodes.iter().find(|node| node.name == to).unwrap();
        assert_eq!(
            hook.parent.map(|id| scene.nodes[id as usize].name.as_str()),
            Some(parent.name.as_str()),
            "{name}"
        );
        let at = hook.transform.translation;
        let near = [1.0, -2.0, 3.5].into_iter().zip(at).all(|(a, b): (f32, f32)| (a - b).abs() < 1e-4);
        assert!(near, "{name}: {at:?}");
    }
}

#[test]
fn what_a_format_cannot_do_is_one_line() {
    for (name, script, want) in [
        (
            "room.wok",
            "texture a=b",
            "means nothing in kotor-bwm files: textures are renamed in mdl, mdx and fmdl",
        ),
        ("statue.glb", "rename-node a=b", "means nothing in glb files"),
        ("statue.fmdl", "remove-clip a", "clips are in mdl and mdx"),
        ("statue_800.mdx", "supermodel x", "only KotOR models have supermodels"),
        ("statue.mdl", "two-sided yes", "KotOR never draws the backs of triangles"),
        ("statue.mdl", "class charakter", "there is no class \"charakter\"; did you mean \"character\"?"),
        ("statue.mdl", "rename-node haed=x", "there is no node \"haed\"; did you mean \"head\"?"),
        ("statue.mdl", "rename-node head=chest", "there is a node \"chest\" already"),
        ("statue_800.mdx", "rename-clip Wlak=x", "there is no clip \"Wlak\"; did you mean \"Walk\"?"),
        ("statue_800.mdx", "rename-clip Walk=Death", "there is a clip \"Death\" already"),
        ("statue_800.mdx", "remove-clip Wlak", "there is no clip \"Wlak\""),
        ("statue_800.mdx", "attach Hook --to haed", "there is no node \"haed\"; did you mean \"head\"?"),
        ("statue_800.mdx", "attach head --to head", "there is a node \"head\" already"),
        ("statue.mdl", "supermodel a_name_that_is_longer_than_its_field", "has room for 32 bytes"),
        ("statue.mdl", "texture statue=a_name_that_is_longer_than_its_field", "has room for 32 bytes"),
        ("statue.mdl", "visibility bod=no", "there is no mesh \"bod\"; did you mean \"body\"?"),
    ] {
        let error = run(&example(name), script).unwrap_err().to_string();
        assert!(error.contains(want) && error.lines().count() == 1, "{name}: {error}");
    }
}

#[test]
fn an_operation_without_effect_is_told_as_such() {
    let files = example("statue_800.mdx");
    let edited = fine(&files, "texture none*=a*\nset sequences[0].rarity=0\nremove-clip Q*");
    assert!(!edited.changed && edited.output == files);
    assert_eq!(edited.idle, [0, 2]);
}

/// The corners of everything that is posed, over all clips.
fn extents(document: &dyn Document) -> Vec<[f32; 3]> {
    use galatea::scene::Pose;
    let scene = document.to_scene(&galatea::SceneContext::new("statue")).unwrap();
    let mut out = Vec::new();
    let mut add = |pose: &Pose| {
        for (id, _, mesh) in scene.drawn() {
            for primitive in &mesh.primitives {
                out.extend(pose.deform(&scene, id, primitive).positions);
            }
        }
    };
    add(&Pose::rest(&scene));
    for clip in &scene.clips {
        for moment in 0..4 {
            add(&Pose::at(&scene, clip, clip.length * moment as f32 / 4.0));
        }
    }
    out
}

#[test]
fn a_scaled_model_is_as_many_times_as_large_in_every_pose() {
    for name in [
        "statue.mdl",
        "statue.mdl.ascii",
        "statue_800.mdx",
        "statue_1000.mdx",
        "beacon.mdx",
        "statue.fmdl",
        "room.wok",
    ] {
        let files = example(name);
        let before = galatea::open(&files.input(), &Default::default()).unwrap();
        let edited = fine(&files, "scale 2");
        let (old, new) = (extents(before.as_ref()), extents(edited.document.as_ref()));
        assert!(old.len() > 50 && old.len() == new.len(), "{name}: {} and {}", old.len(), new.len());
        let size = old.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
        let off = old
            .iter()
            .flatten()
            .zip(new.iter().flatten())
            .fold(0f32, |most, (a, b)| most.max((a * 2.0 - b).abs()));
        assert!(off <= size * 1e-4, "{name}: off by {off} of {size}");
        let errors = |document: &dyn Document| document.check().at_least(galatea::Severity::Warning);
        assert!(
            errors(edited.document.as_ref()) <= errors(before.as_ref()),
            "{name}: {:?}",
            edited.document.check().findings()
        );
        // A power of two rounds nothing.
        let back = fine(&edited.output, "scale 0.5");
        assert!(
            back.output == files || name.ends_with(".ascii"),
            "{name}: {:?}",
            back.document.differences(before.as_ref())
        );
        assert!(back.document.differences(before.as_ref()).unwrap().is_empty(), "{name}");
    }
}

#[test]
fn a_box_around_nothing_stays_one_when_the_model_is_scaled() {
    let empty = "set sequences[0].bounds.min=3.40282e38,3.40282e38,3.40282e38\n";
    let edited = fine(&example("statue_800.mdx"), &format!("{empty}scale 2\nget sequences[0].bounds.min"));
    assert_eq!(edited.fields[0].value, "(3.40282e38, 3.40282e38, 3.40282e38)");
}

#[test]
fn derived_tables_come_back_when_they_are_computed_again() {
    for (name, damage, table) in [
        ("statue.mdl", "set nodes[plinth].mesh.radius=99", "bounds"),
        ("statue.mdl", "set nodes[plinth].faces[0].adjacent=7,7,7", "adjacency"),
        ("room.wok", "set distances[0]=5", "normals"),
        ("room.wok", "set aabb[1].max=50,50,50", "aabb"),
        ("room.wok", "set adjacency[3]=-1,-1,-1", "adjacency"),
        ("statue.fmdl", "set boxes[0].max=9,9,9,1", "bounds"),
    ] {
        let files = example(name);
        let damaged = fine(&files, damage);
        assert!(damaged.changed, "{name}: {damage}");
        let repaired = fine(&damaged.output, &format!("recompute {table}"));
        let before = galatea::open(&files.input(), &Default::default()).unwrap();
        // Sums are rounded.
        let how = galatea::Comparison::default().with_tolerance(1e-4);
        let left = galatea::compare(repaired.document.as_ref(), before.as_ref(), &how).unwrap();
        assert!(left.is_empty(), "{name}: {table}: {left:?}");
    }
    let normals = fine(&example("statue_800.mdx"), "recompute normals");
    assert!(normals.differences.iter().all(|line| line.contains("normals")), "{:?}", normals.differences);
    let error = run(&example("statue_800.mdx"), "recompute aabb").unwrap_err().to_string();
    assert!(error.contains("Warcraft III models have normals, tangents and bounds"), "{error}");
}

#[test]
fn a_node_that_nothing_needs_is_removed() {
    for name in ["statue.mdl", "statue_800.mdx", "statue_1000.mdx", "statue_800.mdl"] {
        let files = example(name);
        let before = galatea::open(&files.input(), &Default::default()).unwrap();
        // What is added and removed again leaves nothing behind.
        let with = fine(&files, "attach New Ref --to chest --at 1,2,3");
        let without = fine(&with.output, "remove-node New Ref");
        assert_eq!(without.document.differences(before.as_ref()).unwrap(), [""; 0], "{name}");
        // So does a node in the middle of the list, of which all numbers behind it depend.
        let gone = run(&files, "remove-node head").map(|e| e.document.summary().nodes);
        let error = gone.unwrap_err().to_string();
        assert!(error.contains("\"head\" is needed by"), "{name}: {error}");
        assert!(
            run(&files, "remove-node chest").unwrap_err().to_string().contains("is needed by the node"),
            "{name}"
        );
    }
    let files = example("beacon.mdx");
    let before = galatea::open(&files.input(), &Default::default()).unwrap();
    let model = before.as_any().downcast_ref::<galatea::mdlx::Model>().unwrap();
    let mut removed = 0;
    for (_, _, node) in model.nodes() {
        let Ok(edited) = run(&files, &format!("remove-node {}", node.name.lossy())) else { continue };
        removed += 1;
        let after = edited.document.as_any().downcast_ref::<galatea::mdlx::Model>().unwrap();
        assert_eq!(after.node_count() + 1, model.node_count());
        // Every other node has its own pivot and parent as before, by name.
        let told = |model: &galatea::mdlx::Model| {
            let name = |id: i64| {
                let found = model.nodes().find(|(_, _, node)| i64::from(node.object_id) == id);
                found.map(|(_, _, node)| node.name.lossy().into_owned())
            };
            let mut all: Vec<_> = model
                .nodes()
                .map(|(_, _, n)| {
                    let pivot = model.pivots[n.object_id as usize].map(f32::to_bits);
                    (n.name.lossy().into_owned(), name(i64::from(n.parent_id)), pivot)
                })
                .collect();
            all.sort();
            all
        };
        let want: Vec<_> =
            told(model).into_iter().filter(|(name, _, _)| *name != node.name.lossy()).collect();
        assert_eq!(told(after), want);
        assert!(
            edited.document.check().at_least(galatea::Severity::Warning)
                <= before.check().at_least(galatea::Severity::Warning)
        );
    }
    assert!(removed > 1, "{removed}");
}

#[test]
fn a_team_color_is_a_layer_under_the_material() {
    let files = example("statue_800.mdx");
    let edited = fine(&files, "team-color-layer all");
    let model = edited.document.as_any().downcast_ref::<galatea::mdlx::Model>().unwrap();
    let [team, own] = &model.materials[0].layers[..] else { panic!("{:?}", model.materials[0].layers) };
    assert_eq!((model.textures[team.texture_id as usize].replaceable_id, team.filter_mode), (1, 0));
    assert_eq!((own.texture_id, own.filter_mode), (0, 2));
    let errors = edited.document.check().at_least(galatea::Severity::Warning);
    assert_eq!(errors, 0, "{:?}", edited.document.check().findings());
    // It is there once.
    assert_eq!(fine(&edited.output, "team-color-layer 0").idle, [0]);
    assert!(
        run(&files, "team-color-layer 7").unwrap_err().to_string().contains("there is no material \"7\"")
    );
    // Later versions have a slot for it in HD materials, and layers in the others.
    let later = fine(&example("statue_1000.mdx"), "team-color-layer all");
    let model = later.document.as_any().downcast_ref::<galatea::mdlx::Model>().unwrap();
    let team = model.textures.iter().position(|texture| texture.replaceable_id == 1).unwrap() as i32;
    for material in &model.materials {
        let hd = material.shader.bytes().starts_with(b"Shader_HD");
        assert_eq!(material.layers[if hd { 4 } else { 0 }].texture_id, team);
    }
}
