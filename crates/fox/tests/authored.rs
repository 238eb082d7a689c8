//! New models: materials by name, property and preset; groups, bones and what is left out.
#![cfg(test)]

use galatea_fox::{Fmdl, Game, Presets, SceneOptions, TexturePath, pes_bone, pes_bones};
use galatea_scene::{
    AlphaMode, Extras, Influences, Material, Mesh, Node, Primitive, Scene, Skin, Slot, Texture, Transform,
    Value, Vertices,
};
use galatea_wire::Severity;

/// A triangle on a skeleton below an object, as Blender exports it.
fn figure(bones: &[&str]) -> Scene {
    let mut scene = Scene::new("figure");
    let turned = Transform { rotation: [0.5f32.sin(), 0.0, 0.0, 0.5f32.cos()], ..Transform::default() };
    let armature = scene.add_node(None, Node { transform: turned, ..Node::new("Armature") });
    let mut joints = Vec::new();
    for name in bones {
        let parent = joints.last().copied().unwrap_or(armature);
        joints.push(scene.add_node(Some(parent), Node::new(name)));
    }
    scene.vertices.push(Vertices {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        uvs: vec![vec![[0.0; 2], [1.0, 0.0], [0.0, 1.0]]],
        influences: Influences { width: 1, joints: vec![0, 1, 1], weights: vec![1.0; 3] },
        ..Vertices::default()
    });
    let primitive = Primitive { indices: vec![0, 1, 2], material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.materials.push(Material { name: "skin".into(), ..Material::default() });
    scene.skins.push(Skin { joints, ..Skin::default() });
    scene.add_node(Some(armature), Node { mesh: Some(0), skin: Some(0), ..Node::new("body") });
    scene
}

/// One triangle with a material.
fn sheet(material: Material) -> Scene {
    let mut scene = Scene::new("sheet");
    scene.vertices.push(Vertices {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        uvs: vec![vec![[0.0; 2], [1.0, 0.0], [0.0, 1.0]]],
        ..Vertices::default()
    });
    let primitive = Primitive { indices: vec![0, 1, 2], material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.materials.push(material);
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("sheet") });
    scene
}

fn named(name: &str) -> Material {
    Material { name: name.into(), ..Material::default() }
}

fn made(scene: &Scene, game: Game) -> Fmdl {
    let (model, _) = Fmdl::from_scene(scene, &SceneOptions::default().with_game(game)).unwrap();
    let back = Fmdl::read(&model.write().unwrap(), &Default::default()).unwrap();
    let report = back.check();
    assert_eq!(report.at_least(Severity::Warning), 0, "{:#?}", report.findings());
    model
}

fn slots(model: &Fmdl) -> Vec<String> {
    model.materials[0].textures.iter().map(|t| t.slot.to_string()).collect()
}

#[test]
fn an_armature_is_neither_bone_nor_group() {
    let model = made(&figure(&["hip", "chest"]), Game::Tpp);
    let bones: Vec<String> = model.bones.iter().map(|b| b.name.to_string()).collect();
    assert_eq!(bones, ["hip", "chest"]);
    let groups: Vec<String> = model.groups.iter().map(|g| g.name.to_string()).collect();
    assert_eq!(groups, ["MESH_body"]);
}

#[test]
fn empty_objects_are_named_and_left_out() {
    let mut scene = figure(&["hip", "chest"]);
    let hip = scene.find("hip").unwrap();
    scene.add_node(Some(hip), Node::new("marker"));
    let (model, losses) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!((model.bones.len(), model.groups.len()), (2, 1));
    assert_eq!(losses.iter().map(ToString::to_string).collect::<Vec<_>>(), ["empty object \"marker\""]);
}

#[test]
fn unused_bones_go_and_indices_follow() {
    let mut scene = figure(&["hip", "spare", "chest"]);
    scene.vertices[0].influences.joints = vec![2, 2, 2];
    let hip = scene.find("hip").unwrap();
    let tail = scene.add_node(Some(hip), Node::new("tail"));
    scene.skins[0].joints.insert(0, tail);
    scene.vertices[0].influences.joints = vec![3, 3, 3];
    let mut model = made(&scene, Game::Tpp);
    assert_eq!((model.bones.len(), model.drop_unused_bones()), (4, 1));
    let names: Vec<String> = model.bones.iter().map(|b| b.name.to_string()).collect();
    assert_eq!(names, ["hip", "spare", "chest"]);
    assert_eq!(model.bones.iter().map(|b| b.parent).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
    assert_eq!(model.bone_groups[0].bones, [2]);
    assert_eq!(model.meshes[0].vertices.bone_indices().unwrap()[0][0], 0);
    assert_eq!(model.check().at_least(Severity::Warning), 0);
}

#[test]
fn bones_of_pes_are_spelled_as_the_game_does() {
    let (model, losses) = Fmdl::from_scene(
        &figure(&["SK_Chest", "sk_hand.L", "Bone", "sk_forarm_r", "dsk_toes.L", "skf_brow_i.R"]),
        &SceneOptions::default().with_game(Game::Pes),
    )
    .unwrap();
    let names: Vec<String> = model.bones.iter().map(|b| b.name.to_string()).collect();
    assert_eq!(names, ["sk_chest", "sk_hand_l", "Bone", "sk_forarm_r", "dsk_toes_l", "skf_brow_i_r"]);
    let told: Vec<(String, bool)> = losses.iter().map(|l| (l.to_string(), l.visible)).collect();
    let want = [
        ("bone \"Bone\": movement: the skeleton of the game lacks it", true),
        (
            "bone \"sk_forarm_r\": movement: the skeleton of the game lacks it; there is \"sk_forearm_r\"",
            true,
        ),
        (
            "bone \"dsk_toes.L\": movement, unless the skeleton of the game has it: PES 18 does not; there is \"dsk_toe_l\"",
            false,
        ),
    ];
    assert_eq!(told, want.map(|(line, visible)| (line.to_owned(), visible)));
    for name in pes_bones() {
        assert_eq!(pes_bone(&name), Some(name.clone()));
        if let Some(base) = name.strip_suffix("_l") {
            assert_eq!(pes_bone(&format!("{base}.L.001")), Some(name.clone()));
        }
    }
    assert_eq!(pes_bone("sk_belly_l"), None);
    assert_eq!(pes_bone("dsk_toe.R.001").as_deref(), Some("dsk_toe_r"));
}

#[test]
fn materials_are_complete_by_name_and_by_kind() {
    let basic = ["Base_Tex_SRGB", "NormalMap_Tex_NRM", "SpecularMap_Tex_LIN"];
    let plain = made(&sheet(named("concrete")), Game::Tpp);
    assert_eq!(slots(&plain), basic);
    assert_eq!(plain.materials[0].parameters[0].value[0], 18.0);
    let skinned = made(&figure(&["hip", "chest"]), Game::Gz);
    assert_eq!(skinned.materials[0].parameters[0].value[0], 100.0);
    let leaves = made(&sheet(named("tpp-leaves oak")), Game::Tpp);
    assert_eq!(leaves.materials[0].technique, "fox3DDF_Blin_Translucent_NC_LNM".into());
    assert_eq!((slots(&leaves).len(), leaves.meshes[0].flags), (4, 0x41A0));
    let texture = |slot: Slot| Texture { slot, name: "rail_bsm".into(), ..Texture::default() };
    let mut rail = named("rail [pes-stadium].001");
    rail.textures = vec![texture(Slot::Base), texture(Slot::Other("MetalnessMap_Tex_LIN".into()))];
    let metal = made(&sheet(rail), Game::Pes);
    assert_eq!(metal.materials[0].shader, "fox_3ddf_ggx_nrmuv".into());
    assert_eq!(metal.materials[0].name, "rail .001".into());
    let both = made(&sheet(Material { two_sided: true, ..named("flag") }), Game::Tpp);
    assert_eq!(both.materials[0].technique, "fox3DDF_Blin_NC_LNM".into());
    assert_eq!(both.meshes[0].flags, 0x20);
    let kit = made(&sheet(Material { textures: vec![texture(Slot::Base)], ..named("pes-kit") }), Game::Pes);
    let TexturePath::Folder(folder) = &kit.materials[0].textures[1].path else { panic!() };
    assert_eq!(*folder, "/Assets/pes16/model/character/common/sourceimages/".into());
}

#[test]
fn every_preset_makes_a_sound_model() {
    for preset in Presets::built_in().iter().filter(|p| p.count > 0 || !p.about.is_empty()) {
        let game = preset.games[0];
        let (model, _) = Fmdl::from_scene(
            &sheet(named(&format!("x [{}]", preset.name()))),
            &SceneOptions::default().with_game(game),
        )
        .unwrap();
        let report = model.check();
        let bad: Vec<String> = report
            .findings()
            .iter()
            .filter(|f| f.rule.severity == Severity::Error)
            .map(ToString::to_string)
            .collect();
        assert!(bad.is_empty(), "{}: {bad:?}", preset.name());
        assert!(model.materials[0].shader.code() == preset.shader.code(), "{}", preset.name());
    }
}

#[test]
fn custom_properties_are_shader_parameters_flags_and_slots() {
    let mut material = named("glow");
    let properties = Extras::from([
        ("preset", "tpp-glow".into()),
        ("SelfColorIntensity", Value::Float(50.0)),
        ("matparamindex_0", Value::Float(7.0)),
        ("flags", "11/25".into()),
        ("Base_Tex_SRGB", "/Assets/mod/glow_bsm.tga".into()),
    ]);
    material.extras = Extras::from([("foreign", properties.into())]);
    let model = made(&sheet(material.clone()), Game::Gz);
    let instance = &model.materials[0];
    let value = |name: &str| {
        let found = instance.parameters.iter().find(|p| p.name == name.into());
        found.map(|p| p.value[0])
    };
    assert_eq!((value("SelfColorIntensity"), value("MatParamIndex_0")), (Some(50.0), Some(7.0)));
    assert_eq!(model.meshes[0].flags, 0x2511);
    assert_eq!(instance.textures[0].file, "glow_bsm.tga".into());
    // A shader that no preset has is taken at its word.
    let shader = Extras::from([("shader", "my_shader".into()), ("technique", "MyTechnique".into())]);
    material.extras = Extras::from([("foreign", shader.into())]);
    let (model, _) = Fmdl::from_scene(&sheet(material), &Default::default()).unwrap();
    assert_eq!(model.materials[0].technique, "MyTechnique".into());
    assert_eq!(model.check().count("FMDL0090"), 2);
}

#[test]
fn a_preset_that_nobody_knows_is_an_error_of_one_line() {
    let error =
        Fmdl::from_scene(&sheet(named("wall [tpp-statik]")), &Default::default()).unwrap_err().to_string();
    assert!(error.contains("\"tpp-statik\" is not known; \"tpp-static\" is"), "{error}");
    assert!(!error.contains('\n') && !error.contains("--"), "{error}");
    let error = Presets::built_in().apply(&mut sheet(named("wall")), Game::Pes, Some("pes-bdy")).unwrap_err();
    assert!(error.to_string().contains("\"pes-body\""), "{error}");
}

#[test]
fn blending_needs_a_forward_shader() {
    let glass = |name: &str| Material { alpha: AlphaMode::Blend, ..named(name) };
    let (model, losses) = Fmdl::from_scene(&sheet(glass("pane")), &Default::default()).unwrap();
    assert!(model.meshes[0].flags & 0x80 != 0 && losses.iter().any(|l| l.what.contains("blending")));
    let (model, losses) = Fmdl::from_scene(&sheet(glass("tpp-glass")), &Default::default()).unwrap();
    assert!(model.meshes[0].flags & 0x80 == 0 && losses.is_empty(), "{losses:?}");
    let mut lit = named("tpp-glow");
    lit.textures.push(Texture { slot: Slot::Normal, name: "n".into(), ..Texture::default() });
    let (model, losses) = Fmdl::from_scene(&sheet(lit), &Default::default()).unwrap();
    assert_eq!(model.materials[0].textures.len(), 1);
    assert!(losses[0].to_string().contains("normal"), "{losses:?}");
}

#[test]
fn hidden_groups_have_the_games_suffix() {
    let mut scene = sheet(named("tpp-static"));
    scene.nodes[0].name = "broken_IV".into();
    let vertices = scene.meshes[0].clone();
    scene.meshes.push(vertices);
    scene.add_node(None, Node { mesh: Some(1), ..Node::new("MESH_whole") });
    let model = made(&scene, Game::Tpp);
    let groups: Vec<(String, bool)> =
        model.groups.iter().map(|g| (g.name.to_string(), g.is_visible())).collect();
    let want = [("MESH_ROOT", true), ("MESH_broken_IV", false), ("MESH_whole", true)];
    assert_eq!(groups, want.map(|(name, shown)| (name.to_owned(), shown)));
}
