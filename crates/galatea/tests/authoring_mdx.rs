//! The Warcraft III part of `docs/authoring.md`: a hero as an artist makes it becomes a model that needs no second tool.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

#[path = "authored/mdx.rs"]
mod authored;

use authored::{add_mesh, glb, hero};
use galatea::mdlx::{GroupWeights, Model, NodeKind, Shape};
use galatea::scene::{Node, Scene, Vertices};
use galatea::{ConvertOptions, Converted, FormatId, Input, Limits, SceneContext, Severity, convert, open};

fn converted(scene: &Scene, options: &ConvertOptions) -> (Model, Converted) {
    let glb = glb(scene);
    let source = open(&Input::new(&glb), &Limits::default()).unwrap();
    let made = convert(source.as_ref(), FormatId::Mdx, options, &SceneContext::new("hero")).unwrap();
    let model = Model::read(&made.output.bytes, &Limits::default()).unwrap();
    let report = model.check();
    assert_eq!(report.at_least(Severity::Warning), 0, "{:#?}", report.findings());
    (model, made)
}

/// With `GALATEA_AUTHORED`, the models are written there for other people's readers: `cargo xtask warcraft`.
#[test]
fn models_are_sound_in_every_version_and_as_portraits() {
    for (name, version) in [("hero", 800), ("hero_hd", 1000), ("hero_1100", 1100)] {
        let (model, made) = converted(&hero(), &ConvertOptions::default().with_version(version));
        let portrait = model.portrait();
        let report = portrait.check();
        assert_eq!(report.at_least(Severity::Warning), 0, "{:#?}", report.findings());
        let portrait = portrait.write().unwrap();
        if let Some(out) = std::env::var_os("GALATEA_AUTHORED").map(std::path::PathBuf::from) {
            std::fs::write(out.join(format!("{name}.mdx")), &made.output.bytes).unwrap();
            std::fs::write(out.join(format!("{name}_portrait.mdx")), portrait).unwrap();
        }
    }
}

#[test]
fn textures_go_to_the_folder_of_imported_files() {
    let glb = glb(&hero());
    let source = open(&Input::new(&glb), &Limits::default()).unwrap();
    let context = SceneContext::new("hero").with_texture_folder("war3mapImported");
    let made = convert(source.as_ref(), FormatId::Mdx, &ConvertOptions::default(), &context).unwrap();
    let model = Model::read(&made.output.bytes, &Limits::default()).unwrap();
    assert!(model.textures.iter().any(|t| t.path.lossy() == "war3mapImported\\hero_skin.blp"));
    assert!(made.output.siblings.iter().any(|(name, _)| name == "war3mapImported/hero_skin.blp"));
}

fn name(node: &galatea::mdlx::Node) -> String {
    node.name.lossy().into_owned()
}

#[test]
fn nodes_become_what_their_names_say() {
    let (model, made) = converted(&hero(), &ConvertOptions::default());
    assert!(made.losses.iter().all(|l| !l.visible || l.what.contains("weights")), "{:#?}", made.losses);
    let attachments: Vec<String> = model.attachments.iter().map(|a| name(&a.node)).collect();
    assert_eq!(attachments, ["Hand Right Ref", "OverHead Ref", "Origin Ref"]);
    let ids: Vec<u32> = model.attachments.iter().map(|a| a.attachment_id).collect();
    assert_eq!(ids, [0, 1, 2]);
    let parent = model.attachments[0].node.parent_id;
    let arm = model.bones.iter().find(|b| name(&b.node) == "Arm").unwrap();
    assert_eq!(parent, arm.node.object_id as i32);
    let walk = &model.sequences[2];
    let steps = model.events.iter().find(|e| name(&e.node) == "FPTxFBL1").unwrap();
    let times: Vec<i32> = [250, 750].iter().map(|t| walk.start as i32 + t).collect();
    assert_eq!(steps.track.as_ref().unwrap().times, times);
    assert_eq!(model.events.len(), 2);
    // A box of one metre, two metres high, and a sphere of a metre; the model faces X.
    let shapes: Vec<Shape> = model.collision_shapes.iter().map(|s| s.shape).collect();
    let near = |a: f32, b: f32| (a - b * 39.37).abs() < 0.1;
    assert_eq!(shapes.len(), 2);
    let Shape::Box { corners: [low, high] } = shapes[0] else { panic!("{shapes:?}") };
    assert!(
        near(low[0], -0.5) && near(high[1], 0.5) && near(low[2], 0.0) && near(high[2], 2.0),
        "{shapes:?}"
    );
    let Shape::Sphere { radius, .. } = shapes[1] else { panic!("{shapes:?}") };
    assert!(near(radius, 1.0));
    // Neither the shapes nor the events are drawn or moved.
    assert_eq!(model.geosets.len(), 2);
    let camera = &model.cameras[0];
    assert!(near(camera.position[0], 2.0) && near(camera.target[0], 0.0) && near(camera.target[2], 1.8));
    let bones = model.nodes().filter(|(kind, ..)| *kind == NodeKind::Bone).map(|(_, _, n)| n.object_id);
    assert!(bones.eq(0..model.bones.len() as u32));
}

#[test]
fn sequences_play_as_the_game_expects() {
    let (model, _) = converted(&hero(), &ConvertOptions::default());
    let told: Vec<(String, bool, f32, f32)> = model
        .sequences
        .iter()
        .map(|s| (s.name.lossy().into_owned(), s.non_looping(), s.move_speed, s.rarity))
        .collect();
    let want = [
        ("Stand", false, 0.0, 0.0),
        ("Stand - 2", false, 0.0, 4.0),
        ("Walk", false, 270.0, 0.0),
        ("Attack - 1", true, 0.0, 0.0),
        ("Death", true, 0.0, 0.0),
    ];
    assert_eq!(told, want.map(|(name, once, speed, rarity)| (name.to_owned(), once, speed, rarity)));
    assert_eq!(model.info.blend_time, 150);
    // The arm swings out of the extents at rest.
    let (still, moving) = (model.sequences[0].bounds, model.sequences[1].bounds);
    assert!(moving.max[2] > still.max[2] + 2.0, "{still:?} {moving:?}");
    assert!(model.geosets.iter().all(|g| g.sequence_bounds.len() == 5));
    assert_eq!(model.geoset_anims.len(), 2);
    assert!(model.bones.iter().any(|b| b.geoset_id == 0) || model.bones.iter().any(|b| b.geoset_id == 1));
}

#[test]
fn materials_have_team_colours_and_paths() {
    let (model, made) = converted(&hero(), &ConvertOptions::default());
    let texture = |id: i32| &model.textures[id as usize];
    let skin = &model.materials[model.geosets[0].material_id as usize].layers;
    assert_eq!(skin.len(), 2);
    let under = texture(skin[0].texture_id);
    assert_eq!((under.replaceable_id, skin[0].filter_mode), (1, 0));
    assert_eq!(skin[1].filter_mode, 2);
    assert_eq!(texture(skin[1].texture_id).path.lossy(), "hero_skin.blp");
    let glow = &model.materials[model.geosets[1].material_id as usize].layers;
    assert_eq!(
        (texture(glow[0].texture_id).replaceable_id, glow[0].filter_mode, glow[0].flags & 1),
        (2, 3, 1)
    );
    let files: Vec<&str> = made.output.siblings.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(files, ["hero_skin.blp"]);
}

#[test]
fn weights_become_groups_or_shares_or_stay() {
    let groups = |options: &ConvertOptions| {
        let (model, _) = converted(&hero(), options);
        let mut groups: Vec<Vec<u32>> = model.geosets[0].groups().map(<[u32]>::to_vec).collect();
        groups.sort();
        groups
    };
    assert_eq!(groups(&ConvertOptions::default()), [vec![0], vec![0, 1]]);
    let shares = ConvertOptions::default().with_weights(GroupWeights::Shares);
    assert_eq!(groups(&shares), [vec![0], vec![0, 0, 1, 1, 1, 1, 1]]);
    let (model, made) = converted(&hero(), &ConvertOptions::default().with_version(1000));
    let skin = model.geosets[0].skin.as_ref().unwrap();
    assert!(skin.iter().any(|s| s.weights == [179, 76, 0, 0] || s.weights == [178, 77, 0, 0]), "{skin:?}");
    assert!(made.output.siblings.iter().any(|(name, _)| name == "hero_skin.dds"));
}

#[test]
fn large_meshes_are_split_where_checkers_draw_the_line() {
    let mut scene = Scene::new("field");
    let count = 20_000u32;
    let positions = (0..count).map(|i| [(i % 200) as f32, 0.0, (i / 200) as f32]).collect();
    let indices = (0..count - 201).flat_map(|i| [i, i + 200, i + 1]).collect();
    let mesh = add_mesh(&mut scene, "field", (Vertices { positions, ..Vertices::default() }, indices), None);
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::new("field") });
    let glb = galatea::gltf::write_glb(&scene, &galatea::gltf::Options::default()).unwrap();
    let source = open(&Input::new(&glb), &Limits::default()).unwrap();
    let made = convert(source.as_ref(), FormatId::Mdx, &ConvertOptions::default(), &SceneContext::new("f"));
    let model = Model::read(&made.unwrap().output.bytes, &Limits::default()).unwrap();
    assert!(model.geosets.len() >= 3 && model.geosets.iter().all(|g| g.vertices.len() < 7433));
    let faces: usize = model.geosets.iter().map(|g| g.faces.len()).sum();
    assert_eq!(faces, (count as usize - 201) * 3);
}

/// A DDS of one colour.
fn dds(pixel: [u8; 4]) -> Vec<u8> {
    let png = galatea::texture::encode::png(&galatea::texture::Image::filled(4, 4, pixel)).unwrap();
    let image = open(&Input::new(&png), &Limits::default()).unwrap();
    let context = SceneContext::new("image");
    convert(image.as_ref(), FormatId::Dds, &ConvertOptions::default(), &context).unwrap().output.bytes
}

#[test]
fn reforged_models_become_classic_ones_with_their_team_colour() {
    use galatea::mdlx::{Layer, Material as Paint, Text, Texture as Path, Version};
    use galatea::textures::{Library, Textures};
    let text = |path: &str| Text::new(path.as_bytes()).unwrap();
    let mut model = Model::new(Version(1000));
    model.textures = [
        "Units/h_diffuse.tif",
        "Units/h_normal.tif",
        "Units/h_orm.tif",
        "Textures/Black32.blp",
        "",
        "Env.blp",
    ]
    .map(|path| Path { replaceable_id: u32::from(path.is_empty()), path: text(path), flags: 3 })
    .to_vec();
    let layers = (0..6).map(|texture_id| Layer { texture_id, ..Layer::default() }).collect();
    model.materials =
        vec![Paint { shader: Text::new(b"Shader_HD_DefaultUnit").unwrap(), layers, ..Paint::default() }];
    let files = [
        ("Units/h_diffuse.dds".to_owned(), dds([200, 100, 50, 255])),
        ("Units/h_orm.dds".to_owned(), dds([255, 128, 0, 128])),
    ];
    let textures = Textures::in_library(galatea::texture::find::Game::Warcraft, Library::from_files(files));
    let context = SceneContext::new("hero").with_textures(&textures);
    let made =
        convert(&model, FormatId::Mdx, &ConvertOptions::default().with_version(800), &context).unwrap();
    let classic = Model::read(&made.output.bytes, &Limits::default()).unwrap();
    let [under, over] = classic.materials[0].layers.as_slice() else { panic!("{:?}", classic.materials) };
    assert_eq!(classic.textures[under.texture_id as usize].replaceable_id, 1);
    assert_eq!((under.filter_mode, over.filter_mode), (0, 2));
    assert_eq!(classic.textures[over.texture_id as usize].path.lossy(), "Units\\h_diffuse.blp");
    assert_eq!(classic.textures.len(), 2);
    let [(name, bytes)] = made.output.siblings.as_slice() else { panic!("{}", made.output.siblings.len()) };
    assert_eq!(name, "Units/h_diffuse.blp");
    let image = galatea::texture::decode(bytes, &[], &Limits::default()).unwrap();
    // Half of the player's colour shows through.
    assert!(image.rgba[3].abs_diff(127) < 10 && image.rgba[0].abs_diff(200) < 16, "{:?}", &image.rgba[..4]);
    // Without the images it keeps its skin, and the rest is named.
    let made =
        convert(&model, FormatId::Mdx, &ConvertOptions::default().with_version(800), &SceneContext::new("h"));
    let made = made.unwrap();
    assert!(made.output.siblings.is_empty() && made.losses.iter().any(|l| l.what.contains("ORM")));
}
