//! Through a GLB and back: nothing is lost, and edits arrive. With `GALATEA_GLB_OUT` the corpus is written there as GLB.
#![cfg(test)]

#[path = "glb_fixtures/mod.rs"]
mod fixtures;
mod real;

use std::path::{Path, PathBuf};

use fixtures::{floor, statue};
use galatea_gltf::{Options, read, write_glb};
use galatea_kotor::bwm::{Kind, Walkmesh};
use galatea_kotor::mdl::{Dirt, Game, Model, text};
use galatea_robustness::gltf::{edited, start};
use galatea_scene::Scene;
use galatea_wire::{Limits, Wire};

fn through(scene: &Scene) -> Scene {
    let glb = write_glb(scene, &Options::default()).unwrap();
    let loaded = read(&glb, &Limits::default(), &mut |_| None).unwrap();
    assert!(loaded.losses.is_empty(), "{:?}", loaded.losses);
    loaded.scene
}

/// Keeps the GLB for the validator, if that is wanted.
fn keep(scene: &Scene, path: &Path) {
    let Some(out) = std::env::var_os("GALATEA_GLB_OUT").map(PathBuf::from) else { return };
    let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy();
    let name = format!("{folder}__{}", real::name(path));
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join(format!("{name}.glb")), write_glb(scene, &Options::default()).unwrap()).unwrap();
}

#[test]
#[ignore = "needs the corpus"]
fn walkmeshes_of_the_corpus_come_back_equal() {
    for (path, (_, walkmesh)) in real::walkmeshes() {
        let scene = walkmesh.to_scene();
        keep(&scene, &path);
        let (back, losses) = Walkmesh::from_scene(&through(&scene), &Default::default()).unwrap();
        let differences = walkmesh.differences(&back);
        assert!(
            differences.is_empty() && losses.is_empty(),
            "{}: {differences:#?} {losses:?}",
            path.display()
        );
    }
}

#[test]
#[ignore = "needs the corpus"]
fn models_of_the_corpus_come_back_equal() {
    let models = real::models();
    let listed = models.len();
    let (mut same, mut bad) = (0, Vec::new());
    for (path, model) in models.read(real::model) {
        let scene = model.to_scene();
        keep(&scene, &path);
        let (back, losses) = Model::from_scene(&through(&scene), &Default::default()).unwrap();
        let differences = model.differences(&back);
        if differences.is_empty() && losses.is_empty() {
            same += 1;
        } else {
            let shown: Vec<_> = differences.iter().take(3).collect();
            bad.push(format!("{}: {} {shown:#?} {losses:?}", path.display(), differences.len()));
        }
    }
    assert_eq!(same, listed, "{}", bad.join("\n"));
}

fn named<'a>(json: &'a serde_json::Value, list: &str, name: &str) -> &'a serde_json::Value {
    json[list].as_array().unwrap().iter().find(|v| v["name"] == name).unwrap()
}

fn change(edit: impl Fn(&mut serde_json::Value, &mut Vec<u8>)) -> Vec<String> {
    let model = statue();
    let (back, losses) = Model::from_scene(&edited(&model.to_scene(), edit), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    model.differences(&back)
}

#[test]
fn edits_of_a_model_arrive_and_nothing_else_changes() {
    assert_eq!(change(|_, _| {}), [""; 0]);
    let moved = change(|json, bin| {
        let at = start(json, &named(json, "meshes", "flesh")["primitives"][0]["attributes"]["POSITION"]);
        bin[at + 36..at + 40].copy_from_slice(&2.5f32.to_le_bytes());
    });
    // The fourth corner belongs to the second face, whose plane is the compiler's to derive, and to the extents.
    let about = |line: &String| {
        ["positions[3]", "faces[1]", "bounds", "radius", "average", "area"].iter().any(|w| line.contains(w))
    };
    assert!(
        moved.iter().any(|l| l.contains("positions[3]: (0.0, 1.1, 0.5) -> (2.5, 1.1, 0.5)")),
        "{moved:#?}"
    );
    assert!(moved.iter().all(|l| l.contains("\"flesh\"") && about(l)), "{moved:#?}");
    let weighted = change(|json, bin| {
        let attributes = &named(json, "meshes", "flesh")["primitives"][0]["attributes"];
        let at = start(json, &attributes["WEIGHTS_0"]);
        bin[at..at + 8].copy_from_slice(&[0.5f32.to_le_bytes(), 0.5f32.to_le_bytes()].concat());
    });
    assert_eq!(weighted.len(), 1, "{weighted:#?}");
    assert!(
        weighted[0].contains("weights[0]: (0.25, 0.75, 0.0, 0.0) -> (0.5, 0.5, 0.0, 0.0)"),
        "{weighted:#?}"
    );
    let keyed = change(|json, bin| {
        // The first is the one that holds the clip's end for viewers.
        let own = json["animations"][0]["samplers"].as_array().unwrap();
        let own = own.iter().find(|sampler| sampler["interpolation"] != "STEP").unwrap();
        let at = start(json, &own["output"]);
        bin[at + 12..at + 16].copy_from_slice(&9.0f32.to_le_bytes());
    });
    assert_eq!(keyed.len(), 1, "{keyed:#?}");
    assert!(keyed[0].contains("values[3]: 0.4 -> 8.3"), "{keyed:#?}");
    let painted = change(|json, _| {
        let materials = json["materials"].as_array_mut().unwrap();
        let material = materials.iter_mut().find(|m| m["name"] == "c_statue01").unwrap();
        material["pbrMetallicRoughness"]["baseColorFactor"] = serde_json::json!([0.5, 0.25, 1.0, 0.5]);
        material["extras"]["galatea"]["textures"][0]["name"] = "c_other".into();
    });
    assert_eq!(painted.len(), 3, "{painted:#?}");
    assert!(
        painted.iter().any(|l| l.contains("diffuse: (0.8, 0.8, 0.8) -> (0.5, 0.25, 1.0)")),
        "{painted:#?}"
    );
    assert!(painted.iter().any(|l| l.contains("texture: \"c_statue01\" -> \"c_other\"")), "{painted:#?}");
    let renamed = change(|json, _| {
        json["nodes"].as_array_mut().unwrap().iter_mut().find(|n| n["name"] == "hand").unwrap()["name"] =
            "paw".into();
    });
    assert_eq!(renamed, ["names[2]: \"hand\" -> \"paw\""]);
    let walked = change(|json, _| {
        let materials = json["materials"].as_array().unwrap();
        let stone = materials.iter().position(|m| m["name"] == "Stone.hidden").unwrap();
        let floor = json["meshes"].as_array_mut().unwrap().iter_mut().find(|m| m["name"] == "floor").unwrap();
        floor["primitives"][1]["material"] = stone.into();
    });
    assert_eq!(walked.len(), 1, "{walked:#?}");
    assert!(
        walked[0].contains("faces[1]")
            && walked[0].contains("material 7")
            && walked[0].contains("material 4")
    );
}

#[test]
fn nodes_are_added_and_removed_in_the_glb() {
    let model = statue();
    let added = edited(&model.to_scene(), |json, _| {
        let count = json["nodes"].as_array().unwrap().len();
        json["nodes"]
            .as_array_mut()
            .unwrap()
            .push(serde_json::json!({"name": "hook", "translation": [1, 2, 3]}));
        let arm = json["nodes"].as_array_mut().unwrap().iter_mut().find(|n| n["name"] == "arm").unwrap();
        arm["children"].as_array_mut().unwrap().push(count.into());
    });
    let (back, losses) = Model::from_scene(&added, &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let hook = back.find(b"hook").unwrap();
    assert_eq!(back.nodes[hook as usize].position, [1.0, 2.0, 3.0]);
    assert_eq!((back.nodes.len(), back.node_count), (model.nodes.len() + 1, model.node_count + 1));
    let skin =
        back.nodes[back.find(b"flesh").unwrap() as usize].mesh.as_ref().unwrap().skin.as_ref().unwrap();
    assert_eq!(skin.bone_map, [-1.0, 0.0, 1.0, -1.0, -1.0, -1.0]);
    back.write().unwrap();

    let removed = edited(&model.to_scene(), |json, _| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        let floor = nodes.iter().position(|n| n["name"] == "floor").unwrap();
        for node in nodes.iter_mut() {
            if let Some(children) = node.get_mut("children").and_then(|c| c.as_array_mut()) {
                children.retain(|c| c.as_u64() != Some(floor as u64));
            }
        }
    });
    let (back, _) = Model::from_scene(&removed, &Default::default()).unwrap();
    assert!(back.find(b"floor").is_none());
    assert_eq!(back.nodes.len(), model.nodes.len() - 1);
    let flesh = |m: &Model| m.nodes[m.find(b"flesh").unwrap() as usize].mesh.clone().unwrap();
    assert_eq!(format!("{:?}", flesh(&back).vertices), format!("{:?}", flesh(&model).vertices));
    back.write().unwrap();
}

#[test]
fn edits_of_a_walkmesh_arrive_and_nothing_else_changes() {
    let mesh = floor();
    let back = |edit: &dyn Fn(&mut serde_json::Value, &mut Vec<u8>)| {
        let (back, losses) =
            Walkmesh::from_scene(&edited(&mesh.to_scene(), edit), &Default::default()).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        mesh.differences(&back)
    };
    assert_eq!(back(&|_, _| {}), [""; 0]);
    let moved = back(&|json, bin| {
        let at = start(json, &named(json, "meshes", "walkmesh")["primitives"][0]["attributes"]["POSITION"]);
        bin[at + 8..at + 12].copy_from_slice(&0.5f32.to_le_bytes());
    });
    let tables: Vec<&str> = moved.iter().filter_map(|l| l.split('[').next()).collect();
    assert_eq!(tables, ["vertices", "normals", "distances", "aabb"], "{moved:#?}");
    let painted = back(&|json, _| {
        let materials = json["materials"].as_array_mut().unwrap();
        materials.iter_mut().find(|m| m["name"] == "Stone").unwrap()["name"] = "Metal".into();
    });
    assert_eq!(painted, ["materials[2]: 4 -> 10"]);
    let joined = back(&|json, _| {
        let materials = json["materials"].as_array_mut().unwrap();
        materials.iter_mut().find(|m| m["name"] == "transition 5").unwrap()["name"] = "transition 8".into();
    });
    assert_eq!(joined.len(), 1, "{joined:?}");
    assert!(joined[0].starts_with("edges[2]"), "{joined:?}");
}

#[test]
fn walk_surfaces_without_faces_keep_their_vertices() {
    let vertices = vec![[0.0, 0.5, 1.0], [2.0, 0.0, 0.0]];
    let walkmesh = Walkmesh { vertices: vertices.clone(), ..Walkmesh::new(Kind::Object) };
    let (back, losses) = Walkmesh::from_scene(&through(&walkmesh.to_scene()), &Default::default()).unwrap();
    assert_eq!((back.vertices.len(), walkmesh.differences(&back), losses), (2, Vec::new(), Vec::new()));

    let mut model = statue();
    let floor = model.find(b"floor").unwrap() as usize;
    let mesh = model.nodes[floor].mesh.as_deref_mut().unwrap();
    mesh.faces.clear();
    mesh.vertices.positions = vertices;
    let (back, losses) = Model::from_scene(&through(&model.to_scene()), &Default::default()).unwrap();
    assert_eq!(back.nodes[floor].mesh.as_deref().unwrap().vertices.positions.len(), 2);
    assert_eq!((model.differences(&back), losses), (Vec::new(), Vec::new()));
}

#[test]
fn weights_too_small_for_a_bone_come_back_without_one() {
    let mut model = statue();
    let flesh = model.find(b"flesh").unwrap() as usize;
    let mesh = model.nodes[flesh].mesh.as_deref_mut().unwrap();
    mesh.vertices.weights[0] = [0.25, 0.75, 0.0, 1e-6];
    let (back, losses) = Model::from_scene(&through(&model.to_scene()), &Default::default()).unwrap();
    assert_eq!((model.differences(&back), losses), (Vec::new(), Vec::new()));
}

#[test]
fn meshes_of_the_second_game_have_dirt_and_others_none() {
    let mut model = statue();
    let flesh = model.find(b"flesh").unwrap() as usize;
    let dirt = Dirt { texture: 7, ..Dirt::ZERO };
    for (game, stored, expected) in
        [(Game::K1, Some(dirt), None), (Game::K2, None, Some(1)), (Game::K2, Some(dirt), Some(7))]
    {
        model.game = game;
        model.nodes[flesh].mesh.as_deref_mut().unwrap().dirt = stored;
        let (back, _) = Model::from_scene(&through(&model.to_scene()), &Default::default()).unwrap();
        let dirt = back.nodes[flesh].mesh.as_deref().unwrap().dirt;
        assert_eq!(dirt.map(|d| d.texture), expected, "{game:?}");
        text::print(&back).unwrap();
    }
}

#[test]
fn nodes_that_share_a_bone_slot_come_back() {
    let mut model = statue();
    let flesh = model.find(b"flesh").unwrap() as usize;
    let skin = model.nodes[flesh].mesh.as_mut().unwrap().skin.as_mut().unwrap();
    // A slot that is a fraction counts as the whole number below it.
    skin.bone_map = vec![-1.0, 0.0, 0.25, -1.0, -1.0];
    skin.derive_bone_nodes();
    assert_eq!(skin.bone_nodes[0], 1, "the first node has the slot");
    let (back, losses) =
        Model::from_scene(&edited(&model.to_scene(), |_, _| ()), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let skin = back.nodes[flesh].mesh.as_ref().unwrap().skin.as_ref().unwrap();
    assert_eq!((&skin.bone_map[..], skin.bone_nodes[0]), (&[-1.0, 0.0, 0.25, -1.0, -1.0][..], 1));
}
