//! Edits made in a GLB arrive in the model, and nothing else changes.
#![cfg(test)]

mod sample;

use galatea_fox::{Dictionary, Fmdl, Game, Mesh, Name, SceneOptions, Usage, Values};
use galatea_robustness::gltf::{edited, start};
use galatea_wire::{Limits, Severity};
use serde_json::{Value, json};

/// Where a column of a mesh begins in the binary part.
fn column(json: &mut Value, mesh: &str, attribute: &str) -> usize {
    let accessor = named(json, "meshes", mesh)["primitives"][0]["attributes"][attribute].clone();
    start(json, &accessor)
}

fn named<'a>(json: &'a mut Value, list: &str, name: &str) -> &'a mut Value {
    json[list].as_array_mut().unwrap().iter_mut().find(|v| v["name"] == name).unwrap()
}

fn change_of(model: &Fmdl, edit: impl Fn(&mut Value, &mut Vec<u8>)) -> (Fmdl, Vec<String>) {
    let scene = model.to_scene("edited", &Dictionary::built_in());
    let (back, losses) = Fmdl::from_scene(&edited(&scene, edit), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let differences = model.differences(&back);
    let bytes = back.write().unwrap();
    assert!(Fmdl::read(&bytes, &Limits::default()).unwrap().differences(&back).is_empty());
    (back, differences)
}

/// Two meshes that share no column in the glTF.
fn two() -> Fmdl {
    let mut model = sample::skinned(Fmdl::TPP);
    for column in &mut model.meshes[1].vertices.columns {
        match &mut column.values {
            Values::F32x3(positions) => positions.iter_mut().for_each(|p| p[2] += 8.0),
            Values::Unorm8x4(bytes) => bytes[24].swap(0, 1),
            _ => {}
        }
    }
    model.rederive();
    model
}

fn change(edit: impl Fn(&mut Value, &mut Vec<u8>)) -> Vec<String> {
    change_of(&two(), edit).1
}

#[test]
fn vertices_weights_and_masks_arrive() {
    assert_eq!(change(|_, _| {}), [""; 0]);
    // An inner vertex moved upwards is in the boxes of the run, of the model and of its bones, and in the surface.
    let moved = change(|json, bin| {
        let at = column(json, "mesh_0", "POSITION");
        bin[at + 6 * 12 + 4..at + 6 * 12 + 8].copy_from_slice(&0.25f32.to_le_bytes());
    });
    let about = |line: &String| line.contains("bounds") || line.contains("statistics");
    assert!(moved.iter().any(|l| l.starts_with("meshes[0] > position[")), "{moved:#?}");
    assert!(moved.iter().all(|l| l.starts_with("meshes[0] > position[") || about(l)), "{moved:#?}");
    let weighted = change(|json, bin| {
        let at = column(json, "mesh_1", "WEIGHTS_0");
        bin[at..at + 2].copy_from_slice(&[100, 155]);
    });
    assert_eq!(weighted, ["meshes[1] > weights[0]: (200, 55, 0, 0) -> (100, 155, 0, 0)"]);
    let masked = change(|json, bin| {
        let at = column(json, "mesh_0", "_MASK");
        bin[at..at + 4].copy_from_slice(&0.2f32.to_le_bytes());
    });
    assert!(masked.len() == 1 && masked[0].starts_with("meshes[0] > colour[0]: ("), "{masked:#?}");
}

#[test]
fn names_materials_and_visibility_arrive() {
    let renamed = change(|json, _| named(json, "nodes", "SKL_001_SPINE")["name"] = "SKL_666_TAIL".into());
    assert_eq!(renamed.len(), 1);
    assert!(
        renamed[0].starts_with("bones[1] > name") && renamed[0].ends_with("-> \"SKL_666_TAIL\""),
        "{renamed:?}"
    );
    let shown = change(|json, _| {
        named(json, "nodes", "MESH_armor_IV").as_object_mut().unwrap().remove("extensions");
    });
    assert_eq!(shown, ["groups[1] > flags: 1 -> 0"]);
    let painted = change(|json, _| {
        let body = named(json, "materials", "body");
        body["doubleSided"] = true.into();
        body["extras"]["galatea"]["textures"][0]["name"] = "/Assets/test/other.ftex".into();
        body["extras"]["galatea"]["fmdl"]["parameters"][0]["value"] = json!([3, 0, 0, 0]);
    });
    assert!(painted.iter().any(|l| l == "meshes[0] > flags: 0 -> 32"), "{painted:#?}");
    assert!(
        painted.iter().any(|l| l.contains("textures[0] > file") && l.contains("other.tga")),
        "{painted:#?}"
    );
    assert!(painted.iter().any(|l| l.contains("parameters[0] > value")), "{painted:#?}");
    assert_eq!(painted.len(), 4, "{painted:#?}");
    let other = change(|json, _| {
        let armor = json["materials"].as_array().unwrap().iter().position(|m| m["name"] == "armor.hidden");
        named(json, "meshes", "mesh_0")["primitives"][0]["material"] = armor.unwrap().into();
    });
    assert_eq!(other, ["meshes[0] > material: 0 -> 1"]);
}

#[test]
fn moved_bones_and_fragments_arrive() {
    // A joint moved alone takes its vertices along: the format has one place for bones, at rest and bound.
    let (back, moved) = change_of(&sample::skinned(Fmdl::TPP), |json, _| {
        named(json, "nodes", "SKL_002_CHEST")["translation"] = json!([0, 0.5, 0]);
    });
    assert_eq!(back.bones[2].world, [0.0, 1.25, 0.0, 1.0]);
    assert!(moved.iter().any(|l| l.starts_with("bones[2] > local")), "{moved:#?}");
    assert!(!moved.iter().any(|l| l.starts_with("bones[1] > local")), "{moved:#?}");
    let (back, moved) = change_of(&sample::fragments(Fmdl::GZ), |json, _| {
        named(json, "nodes", "FRAGMENT_wall_FRAC_1")["translation"] = json!([2, 5, 0]);
    });
    assert_eq!(back.groups[2].pivot, Some([2.0, 5.0, 0.0, 1.0]));
    assert!(
        moved.iter().all(|l| l.starts_with("groups[2] > pivot") || l.starts_with("bounds")),
        "{moved:#?}"
    );
    // A group without a pivot has no place of its own: its vertices move.
    let (back, moved) = change_of(&sample::still(Fmdl::TPP), |json, _| {
        named(json, "nodes", "MESH_ROOT")["translation"] = json!([0, 1, 0]);
    });
    assert!(back.meshes[0].vertices.positions().unwrap().iter().all(|p| p[1] == 1.0));
    assert!(moved.iter().any(|l| l.starts_with("meshes[0] > position[")), "{moved:#?}");
}

#[test]
fn nodes_are_added_and_removed() {
    let model = sample::skinned(Fmdl::TPP);
    let (back, added) = change_of(&model, |json, _| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        let count = nodes.len();
        nodes.push(json!({"name": "SKL_900_HOOK", "translation": [1, 0, 0]}));
        let chest = nodes.iter_mut().find(|n| n["name"] == "SKL_002_CHEST").unwrap();
        chest["children"] = json!([count]);
    });
    assert_eq!(added, ["bones: 3 -> 4 entries"]);
    assert_eq!((back.bones[3].parent, back.bones[3].world), (Some(2), [1.0, 1.0, 0.0, 1.0]));
    let (back, removed) = change_of(&model, |json, _| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        let gone: Vec<u64> = (0..nodes.len() as u64)
            .filter(|i| nodes[*i as usize]["name"].as_str().unwrap().starts_with("mesh_0"))
            .collect();
        for node in nodes.iter_mut() {
            if let Some(children) = node.get_mut("children").and_then(Value::as_array_mut) {
                children.retain(|c| !gone.contains(&c.as_u64().unwrap()));
            }
        }
    });
    assert_eq!((back.meshes.len(), back.runs.len()), (1, 1));
    assert!(removed.iter().any(|l| l == "meshes: 2 -> 1 entries"), "{removed:#?}");
    assert_eq!(back.meshes[0].vertices, model.meshes[1].vertices);
    assert_eq!(back.runs[0].group, 1);
    // Without a level of detail the one before it is shown.
    let (back, _) = change_of(&model, |json, _| {
        let nodes = json["nodes"].as_array_mut().unwrap();
        let gone: Vec<u64> = (0..nodes.len() as u64)
            .filter(|i| nodes[*i as usize]["name"].as_str().unwrap().contains("_lod"))
            .collect();
        for node in nodes.iter_mut() {
            if let Some(children) = node.get_mut("children").and_then(Value::as_array_mut) {
                children.retain(|c| !gone.contains(&c.as_u64().unwrap()));
            }
        }
    });
    assert_eq!((back.lod_count(), back.lods[0].count, back.meshes[0].faces(0).len()), (1, 1, 32));
}

#[test]
fn faces_taken_away_lay_the_levels_out_anew() {
    let (back, cut) = change_of(&sample::skinned(Fmdl::TPP), |json, _| {
        let indices = named(json, "meshes", "mesh_0")["primitives"][0]["indices"].as_u64().unwrap();
        let mut short = json["accessors"][indices as usize].clone();
        short["count"] = 90.into();
        short.as_object_mut().unwrap().remove("min");
        short.as_object_mut().unwrap().remove("max");
        json["accessors"].as_array_mut().unwrap().push(short);
        let new = json["accessors"].as_array().unwrap().len() - 1;
        named(json, "meshes", "mesh_0")["primitives"][0]["indices"] = new.into();
    });
    assert!(cut.iter().all(|l| l.starts_with("meshes[0] > ") || l.contains("statistics")), "{cut:#?}");
    let faces: Vec<usize> = (0..4).map(|k| back.meshes[0].faces(k).len()).collect();
    assert_eq!(faces, [30, 24, 24, 0]);
    assert_eq!(back.check().at_least(Severity::Error), 0);
}

/// Values of every type for three vertices.
fn typed() -> Vec<Values> {
    let nan = f32::from_bits(0x7FC0_1234);
    vec![
        Values::F32x3(vec![[1.0, -0.0, nan], [2.0, 0.0, 0.5], [0.0; 3]]),
        Values::F32x2(vec![[1.0, -1.0], [0.0; 2], [0.5, 2.0]]),
        Values::U16x4(vec![[1, 2, 3, 0xFFFF], [0; 4], [0x1234; 4]]),
        Values::F16x4(vec![[0x3C00, 0xBC00, 0x7E01, 0x8000], [0; 4], [0x7C00; 4]]),
        Values::F16x4(vec![[0x3C00, 0xBC00, 0x7C01, 0x8000], [0; 4], [0xFD55; 4]]),
        Values::F16x2(vec![[0x3800, 0xB800], [1, 2], [0; 2]]),
        Values::Unorm8x4(vec![[255, 0, 0, 0], [1, 2, 3, 4], [9; 4]]),
        Values::U8x4(vec![[31, 0, 7, 0], [4, 3, 2, 1], [0; 4]]),
        Values::Raw { format: 77, width: 5, bytes: (0..15).collect() },
        Values::Raw { format: 6, width: 4, bytes: (0..12).collect() },
    ]
}

#[test]
fn every_usage_in_every_type_survives() {
    let usages = (0..=15).map(Usage::from_id);
    for usage in usages {
        for values in typed() {
            for (with_positions, bones) in [(true, 0), (true, 2), (false, 2)] {
                let mut model = sample::skinned(Fmdl::TPP);
                model.bones.truncate(bones);
                model.bone_groups.iter_mut().for_each(|g| g.bones.truncate(bones));
                model.meshes.truncate(1);
                let mut mesh = Mesh { windows: model.meshes[0].windows.clone(), ..Mesh::default() };
                if with_positions {
                    mesh.vertices.push(Usage::Position, Values::F32x3(vec![[1.0; 3]; 3]));
                }
                mesh.vertices.push(usage, values.clone());
                mesh.vertices
                    .push(Usage::Weights, Values::Unorm8x4(vec![[255, 0, 0, 0], [9, 9, 9, 9], [0; 4]]));
                mesh.vertices
                    .push(Usage::BoneIndices, Values::U8x4(vec![[1, 0, 0, 7], [1, 1, 200, 0], [0; 4]]));
                mesh.vertices
                    .push(Usage::Weights2, Values::Unorm8x4(vec![[0, 0, 0, 0], [9, 9, 9, 1], [0; 4]]));
                mesh.vertices.push(Usage::BoneIndices2, Values::U16x4(vec![[0; 4], [1, 1, 2000, 0], [5; 4]]));
                mesh.vertices.push(Usage::Unknown(40), Values::Same(1));
                mesh.vertices.count = 3;
                mesh.indices = vec![0, 1, 2, 2, 1, 9];
                mesh.windows = [(0, 6), (1, 3), (0, 5)]
                    .map(|(first, count)| galatea_fox::Window { first, count })
                    .to_vec();
                model.meshes[0] = mesh;
                let (_, differences) = change_of_odd(&model);
                assert!(
                    differences.is_empty(),
                    "{usage:?} {values:?} {with_positions} {bones}: {differences:#?}"
                );
            }
        }
    }
}

/// Through a glTF without an edit, for models that cannot be written as files.
fn change_of_odd(model: &Fmdl) -> (Fmdl, Vec<String>) {
    let scene = model.to_scene("odd", &Dictionary::new());
    let (back, losses) = Fmdl::from_scene(&edited(&scene, |_, _| {}), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let differences = model.differences(&back);
    (back, differences)
}

#[test]
fn damaged_tables_survive() {
    let mut model = sample::fragments(Fmdl::GZ);
    model.groups[1].parent = Some(7);
    model.groups[2].name = Name::Text(b"caf\xE9 \xFF".to_vec());
    model.materials[0].name = Name::Text(vec![0x83, 0x65]);
    model.materials[0].textures[0].file = Name::Text(vec![b'a', 0x83]);
    model.bounds.max[0] = f32::NAN;
    model.runs[1].bounds.min[2] = -3.5;
    model.runs.swap(0, 1);
    model.statistics[0].area = 3.3385;
    model.statistics[0].padding[22] = 0xFFFF_FFFF;
    model.statistics.push(model.statistics[0]);
    model.lods[0].count = 3;
    model.unknown_0x12 = vec![u64::MAX, 1];
    model.meshes[1].material = 99;
    model.meshes[2].flags = 0xFFFF_FFFF;
    model.bone_matrices = vec![[0.5; 16]; 2];
    model.unknown_blocks.push(galatea_fox::UnknownBlock {
        section: 1,
        id: u32::MAX,
        count: 0,
        bytes: vec![1, 2],
    });
    let (_, differences) = change_of_odd(&model);
    assert_eq!(differences, [""; 0]);
    let mut model = sample::pes();
    model.bones[1].parent = Some(1);
    model.bones[2].local = [9.0, f32::NAN, 0.0, 0.5];
    model.bones[0].flags = 7;
    model.bones[0].bounds.max[1] = 99.0;
    model.bone_groups[0].max_weights = 9;
    model.bone_groups[0].bones = vec![2, 0, 2, 99];
    let (_, differences) = change_of_odd(&model);
    assert_eq!(differences, [""; 0]);
}

#[test]
fn a_model_can_change_its_game_on_the_way() {
    let model = sample::skinned(Fmdl::GZ);
    let scene = model.to_scene("x", &Dictionary::built_in());
    let (tpp, losses) = Fmdl::from_scene(&scene, &SceneOptions::default().with_game(Game::Tpp)).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let mut wanted = model.clone();
    wanted.convert(Fmdl::TPP, &Dictionary::built_in());
    assert_eq!(wanted.differences(&tpp), [""; 0]);
}
