//! The Fox Engine part of `docs/authoring.md`: a face, a part of a stadium and a prop become models that need no second tool.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

#[path = "authored/fox.rs"]
mod authored;

use authored::{face, glb, prop, stadium};
use galatea::fox::{Dictionary, Fmdl, Game, Presets, TexturePath};
use galatea::scene::{Node, Scene};
use galatea::{
    ConvertError, ConvertOptions, Converted, FormatId, Input, Limits, SceneContext, Severity, TargetGame,
    convert, open,
};

fn tried(bytes: &[u8], game: Game, context: &SceneContext<'_>) -> Result<Converted, ConvertError> {
    let options = ConvertOptions::default().with_game(TargetGame::Fox(game)).with_as_new(true);
    let source = open(&Input::new(bytes), &Limits::default()).unwrap();
    convert(source.as_ref(), FormatId::Fmdl, &options, context)
}

fn converted(scene: &Scene, game: Game) -> (Fmdl, Converted) {
    let made = tried(&glb(scene), game, &SceneContext::new(&scene.name)).unwrap();
    let model = Fmdl::read(&made.output.bytes, &Limits::default()).unwrap();
    let report = model.check();
    assert_eq!(report.at_least(Severity::Warning), 0, "{:#?}", report.findings());
    (model, made)
}

fn files(made: &Converted) -> Vec<&str> {
    made.output.siblings.iter().map(|(name, _)| name.as_str()).collect()
}

/// The first pixel of a texture that was written beside the model.
fn pixel(made: &Converted, name: &str) -> [u8; 4] {
    let (_, bytes) = made.output.siblings.iter().find(|(n, _)| n == name).unwrap();
    let image = galatea::texture::decode(bytes, &[], &Limits::default()).unwrap();
    image.pixel(0, 0).unwrap()
}

fn near(a: [u8; 4], b: [u8; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 10)
}

/// With `GALATEA_AUTHORED`, the models are written there for other people's readers: `cargo xtask fox`.
#[test]
fn models_are_sound() {
    for (scene, game) in
        [(face(), Game::Pes), (stadium(), Game::Pes), (prop(), Game::Tpp), (prop(), Game::Gz)]
    {
        let (_, made) = converted(&scene, game);
        let visible: Vec<_> = made.losses.iter().filter(|l| l.visible).collect();
        assert!(visible.is_empty(), "{visible:?}");
        if let Some(out) = std::env::var_os("GALATEA_AUTHORED").map(std::path::PathBuf::from) {
            let name = format!("{}_{}.fmdl", scene.name, game.name());
            std::fs::write(out.join(name), &made.output.bytes).unwrap();
        }
    }
}

#[test]
fn a_face_has_the_games_bones_and_textures() {
    let (model, made) = converted(&face(), Game::Pes);
    let bones: Vec<String> = model.bones.iter().map(|b| b.name.to_string()).collect();
    assert_eq!(bones, ["sk_neck", "sk_head", "skf_jaw", "skf_brow_i_l"]);
    let groups: Vec<String> = model.groups.iter().map(|g| g.name.to_string()).collect();
    assert_eq!(groups, ["MESH_face_high"]);
    let material = &model.materials[0];
    assert_eq!((&material.shader, &material.technique), (&"fox3ddf_blin".into(), &"fox3DDF_Blin".into()));
    let names: Vec<String> = material.textures.iter().map(|t| t.file.to_string()).collect();
    assert_eq!(names, ["face_bsm.tga", "face_nrm.tga", "pes-face skin_srm.tga"]);
    assert_eq!(material.textures[0].path, TexturePath::Folder("/Assets/pes16/model/face_high/tga/".into()));
    assert_eq!(files(&made), ["face_bsm.ftex", "face_nrm.ftex", "pes-face skin_srm.ftex"]);
    // x is in alpha, y in green and downwards; roughness in green.
    let normal = pixel(&made, "face_nrm.ftex");
    assert!(normal[3].abs_diff(200) <= 10 && normal[1].abs_diff(155) <= 10, "{normal:?}");
    assert!(near(pixel(&made, "pes-face skin_srm.ftex"), [128, 128, 0, 255]));
    let mut bones = model.clone();
    assert_eq!(bones.drop_unused_bones(), 1);
}

#[test]
fn a_stadium_part_has_levels_and_metal() {
    let (model, made) = converted(&stadium(), Game::Pes);
    let counts = |mesh: usize| (0..3).map(|level| model.meshes[mesh].faces(level).len()).collect::<Vec<_>>();
    assert_eq!((counts(0), counts(1)), (vec![528, 224, 48], vec![36; 3]));
    let groups: Vec<String> = model.groups.iter().map(|g| g.name.to_string()).collect();
    assert_eq!(groups, ["MESH_ROOT", "MESH_lamp", "MESH_pole"]);
    assert_eq!(model.materials[0].name, "lamp".into());
    assert_eq!(model.materials[0].parameters[0].value[0], 26.0);
    assert_eq!(files(&made), ["lamp_bsm.ftex", "lamp_mtl.ftex", "lamp_srm.ftex"]);
    // Roughness 100 of 255 halved by the factor; nothing is metal, as the factor says.
    assert!(near(pixel(&made, "lamp_srm.ftex"), [128, 50, 0, 255]), "{:?}", pixel(&made, "lamp_srm.ftex"));
    assert!(near(pixel(&made, "lamp_mtl.ftex"), [0, 0, 0, 255]));
}

#[test]
fn a_prop_of_the_phantom_pain_has_complete_materials() {
    let (model, made) = converted(&prop(), Game::Tpp);
    let names = Dictionary::built_in();
    let techniques: Vec<String> = model.materials.iter().map(|m| names.text(&m.technique).unwrap()).collect();
    assert_eq!(techniques, ["fox3DDF_Blin_LNM", "fox3DDF_Blin_NC_LNM", "fox3DDF_Blin_LNM"]);
    assert_eq!(model.meshes[1].flags & 0x20, 0x20);
    assert!(model.materials.iter().all(|m| m.textures.len() == 3 && m.parameters[0].value[0] == 18.0));
    let code = |path: &str| TexturePath::Code(galatea::fox::path_code64(path));
    assert_eq!(
        model.materials[0].textures[0].path,
        code("/Assets/tpp/model/crate/sourceimages/crate_bsm.ftex")
    );
    assert_eq!(
        model.materials[1].textures[1].path,
        code("/Assets/tpp/common_source/flat/Pictures/cm_flat_nrm.ftex")
    );
    assert!(files(&made).contains(&"knob_bsm.ftex") && near(pixel(&made, "knob_bsm.ftex"), [188, 0, 0, 255]));
    let context = SceneContext::new("crate").with_texture_folder("/Assets/mod/crate");
    let made = tried(&glb(&prop()), Game::Gz, &context).unwrap();
    let model = Fmdl::read(&made.output.bytes, &Limits::default()).unwrap();
    assert_eq!(model.materials[0].textures[0].path, TexturePath::Folder("/Assets/mod/crate/".into()));
}

#[test]
fn presets_of_the_users_own_come_first() {
    let mut presets = Presets::built_in().clone();
    presets.add("preset rust\n shader tpp_3ddf_rustdirty\n technique tpp3DDF_RustDirty_LNM\n slot Base_Tex_SRGB\n").unwrap();
    let context = SceneContext::new("crate").with_presets(&presets).with_preset("rust");
    let made = tried(&glb(&prop()), Game::Gz, &context).unwrap();
    let model = Fmdl::read(&made.output.bytes, &Limits::default()).unwrap();
    let shaders: Vec<String> = model.materials.iter().map(|m| m.shader.to_string()).collect();
    assert_eq!(shaders, ["fox_3ddf_basic_nrmuv", "tpp_3ddf_rustdirty", "tpp_3ddf_rustdirty"]);
    let error =
        tried(&glb(&prop()), Game::Gz, &SceneContext::new("x").with_preset("rust")).unwrap_err().to_string();
    assert!(error.contains("\"rust\" is not known") && !error.contains("--"), "{error}");
}

#[test]
fn what_is_no_model_is_told_in_one_line() {
    let mut empty = Scene::new("empty");
    empty.add_node(None, Node::new("nothing"));
    let error = tried(&glb(&empty), Game::Tpp, &SceneContext::new("empty")).unwrap_err().to_string();
    assert!(error.contains("no triangles") && !error.contains('\n'), "{error}");
}

#[test]
fn one_level_alone_goes_into_a_gltf() {
    let (model, _) = converted(&stadium(), Game::Pes);
    let context = SceneContext::new("lamp");
    let triangles = |options: &ConvertOptions| {
        let made = convert(&model, FormatId::Glb, options, &context).unwrap();
        open(&Input::new(&made.output.bytes), &Limits::default()).unwrap().summary().triangles
    };
    assert_eq!(triangles(&ConvertOptions::default()), 528 + 224 + 48 + 36 * 3);
    assert_eq!(triangles(&ConvertOptions::default().with_level(0)), 528 + 36);
    let made = convert(&model, FormatId::Glb, &ConvertOptions::default().with_level(0), &context).unwrap();
    let glb = open(&Input::new(&made.output.bytes), &Limits::default()).unwrap();
    let back = convert(glb.as_ref(), FormatId::Fmdl, &ConvertOptions::default(), &context).unwrap();
    let back = Fmdl::read(&back.output.bytes, &Limits::default()).unwrap();
    assert_eq!(back.meshes.len(), 2);
    assert_eq!(back.check().at_least(Severity::Error), 0);
}

#[test]
fn paths_without_a_name_are_told_when_the_version_changes() {
    let (model, _) = converted(&prop(), Game::Tpp);
    let options = ConvertOptions::default().with_game(TargetGame::Fox(Game::Pes));
    let made = convert(&model, FormatId::Fmdl, &options, &SceneContext::new("crate")).unwrap();
    let unknown = made.losses.iter().filter(|l| l.visible && l.what.contains("not known")).count();
    assert_eq!(unknown, 9, "{:?}", made.losses);
    let mut names = Dictionary::built_in();
    for name in ["crate_bsm", "crate_nrm", "tpp-static_srm", "lid_srm", "knob_bsm", "knob_srm"] {
        names.add(&format!("/Assets/tpp/model/crate/sourceimages/{name}"));
    }
    names.add("/Assets/tpp/common_source/flat/Pictures/cm_flat_nrm");
    let context = SceneContext::new("crate").with_names(&names);
    let made = convert(&model, FormatId::Fmdl, &options, &context).unwrap();
    assert!(made.losses.iter().all(|l| !l.visible), "{:?}", made.losses);
    let model = Fmdl::read(&made.output.bytes, &Limits::default()).unwrap();
    let folder = TexturePath::Folder("/Assets/tpp/model/crate/sourceimages/".into());
    assert_eq!(model.materials[0].textures[0].path, folder);
}

/// Every material gets the preset with its shader, technique and slots by its name, and nothing else is left of it.
#[test]
#[ignore = "needs the corpus"]
fn models_of_the_corpus_are_made_again_from_presets() {
    let mut made = 0;
    let listed = galatea_robustness::listed(&["fmdl"], &[".fmdl"]);
    for (path, bytes) in listed.bytes() {
        if made == 40 {
            break;
        }
        let mut model = Fmdl::read(&bytes, &Limits::default()).unwrap();
        model.resolve_names(&Dictionary::built_in());
        let presets = Presets::built_in();
        let fitting: Vec<_> = model.materials.iter().filter_map(|m| presets.of_instance(m)).collect();
        if fitting.len() != model.materials.len() || model.meshes.is_empty() {
            continue;
        }
        for (i, material) in model.materials.iter_mut().enumerate() {
            material.name = format!("p{i}").as_str().into();
        }
        let game = if model.has_hashes() { Game::Tpp } else { Game::Gz };
        let glb =
            convert(&model, FormatId::Glb, &ConvertOptions::default(), &SceneContext::new("model")).unwrap();
        let names: Vec<&str> = fitting.iter().map(|p| p.name()).collect();
        let stripped = stripped(&glb.output.bytes, &names);
        let again = tried(&stripped, game, &SceneContext::new("model")).unwrap();
        let back = Fmdl::read(&again.output.bytes, &Limits::default()).unwrap();
        let report = back.check();
        let name = path.display();
        assert_eq!(report.at_least(Severity::Error), 0, "{name}: {:#?}", report.findings());
        assert_eq!(back.summary().triangles, model.summary().triangles, "{name}");
        for material in &back.materials {
            assert!(fitting.iter().any(|p| p.fits(material)), "{name}: {material:?}");
        }
        made += 1;
    }
    assert_eq!(made, 40);
}

/// Returns a GLB without any extras, in which the material `p3` is named after the preset with this number.
fn stripped(glb: &[u8], presets: &[&str]) -> Vec<u8> {
    fn strip(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                map.remove("extras");
                map.values_mut().for_each(strip);
            }
            serde_json::Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    strip(&mut json);
    for material in json["materials"].as_array_mut().into_iter().flatten() {
        let name = material["name"].as_str().unwrap().to_owned();
        let number = name.split('.').next().and_then(|n| n.strip_prefix('p')?.parse::<usize>().ok());
        material["name"] = number.map_or(name.clone(), |n| format!("{name} [{}]", presets[n])).into();
    }
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &glb[20 + length..];
    let total = (20 + text.len() + rest.len()) as u32;
    let mut out = glb[..8].to_vec();
    out.extend(total.to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(text);
    out.extend(rest);
    out
}
