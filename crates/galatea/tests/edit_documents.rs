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
