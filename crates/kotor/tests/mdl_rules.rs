//! Each rule has a model that breaks it. What `fix` does about it is in `fix_mdl.rs`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;

use galatea_kotor::mdl::{
    AabbLayout, Game, IndexLists, Interpolation, Mesh, Model, Name, Node, Pair, Platform, PositionCopy,
    RULES, Skin, inspect,
};
use galatea_wire::{Inspector, Limits, Text};
use mdl_fixtures::{KINDS, TARGETS, model, text};

fn read(pair: &Pair) -> Model {
    Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default()).unwrap()
}

fn of(kind: &str, change: impl FnOnce(&mut Model)) -> Model {
    let mut model = model(kind, Game::K1, Platform::Pc);
    change(&mut model);
    model
}

fn mesh(kind: &str, change: impl FnOnce(&mut Mesh)) -> Model {
    of(kind, |m| change(m.nodes.last_mut().unwrap().mesh.as_deref_mut().unwrap()))
}

fn skin(change: impl FnOnce(&mut Skin)) -> Model {
    mesh("skin", |m| change(m.skin.as_deref_mut().unwrap()))
}

/// A model whose file was changed at a place that the document keeps only as layout.
fn patched(kind: &str, change: impl FnOnce(&Model, &mut Vec<u8>)) -> Model {
    let mut pair = model(kind, Game::K1, Platform::Pc).write().unwrap();
    let good = read(&pair);
    change(&good, &mut pair.mdl);
    read(&pair)
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn header(model: &Model, node: usize) -> usize {
    model.nodes[node].layout.header.at as usize + 12
}

/// One broken model per rule.
fn broken(code: &str) -> Model {
    match code {
        "KMDL0001" => of("dummy", |m| m.nodes.clear()),
        "KMDL0002" => of("dummy", |m| m.names[0] = Name(b"other".to_vec())),
        "KMDL0003" => of("dummy", |m| m.nodes[1].name = 77),
        "KMDL0004" => of("dummy", |m| m.names[1] = Name(vec![b'x'; 40])),
        "KMDL0005" => of("animated", |m| {
            let id = m.add_node(Some(0), b"wall", Node::default());
            m.nodes[id as usize].number = 1;
        }),
        "KMDL0006" => of("skin", |m| m.nodes[2].number = 1),
        "KMDL0007" => of("dummy", |m| m.nodes[1].number = 5000),
        "KMDL0008" => of("dummy", |m| m.node_count = 99),
        "KMDL0009" => of("dummy", |m| m.classification = 3),
        "KMDL0010" => of("dummy", |m| m.supermodel = m.name),
        "KMDL0011" => patched("dummy", |_, b| put(b, 12 + 168, 3)),
        "KMDL0012" => of("light", |m| m.nodes[1].camera = true),
        "KMDL0013" => of("dummy", |m| m.nodes[1].position[2] = f32::NAN),
        "KMDL0014" => of("dummy", |m| m.nodes[1].orientation = [2.0, 0.0, 0.0, 0.0]),
        "KMDL0015" => mesh("trimesh", |m| m.texture = text("a_very_long_texture_name")),
        "KMDL0016" => mesh("trimesh", |m| m.vertices.uvs[0].clear()),
        "KMDL0017" => mesh("trimesh", |m| m.vertices.uvs[1].clear()),
        "KMDL0018" => mesh("trimesh", |m| m.lightmap = Text::default()),
        "KMDL0019" => mesh("trimesh", |m| m.texture_count = 1),
        "KMDL0020" => mesh("trimesh", |m| m.vertices.normals.clear()),
        "KMDL0021" => mesh("trimesh", |m| m.faces[1].vertices[2] = 9),
        "KMDL0022" => mesh("trimesh", |m| m.faces[1].vertices[2] = 0),
        "KMDL0023" => mesh("trimesh", |m| m.vertices.uvs[0][1][0] = f32::INFINITY),
        "KMDL0024" => mesh("trimesh", |m| m.faces.truncate(1)),
        "KMDL0025" => mesh("trimesh", |m| m.faces[0].normal = [1.0, 0.0, 0.0]),
        "KMDL0026" => mesh("trimesh", |m| m.faces[0].distance = 8.0),
        "KMDL0027" => mesh("trimesh", |m| m.vertices.normals = vec![[0.0, 0.0, -1.0]; 4]),
        "KMDL0028" => mesh("trimesh", |m| m.faces[0].adjacent[0] = 50),
        "KMDL0029" => mesh("trimesh", |m| m.shadow = 1),
        "KMDL0030" => mesh("trimesh", |m| m.indices = IndexLists::Own(vec![vec![0, 1, 77]])),
        "KMDL0031" => mesh("trimesh", |m| m.indices = IndexLists::Own(vec![vec![0, 1, 2]])),
        "KMDL0032" => mesh("trimesh", |m| m.vertices = Default::default()),
        "KMDL0033" => {
            let pair = model("trimesh", Game::K1, Platform::Pc).write().unwrap();
            Model::read(&pair.mdl, None, &Limits::default()).unwrap()
        }
        "KMDL0034" => mesh("trimesh", |m| m.mdl_positions = PositionCopy::Own(vec![[9.0; 3]; 4])),
        "KMDL0035" => mesh("trimesh", |m| m.bounds[1] = [0.5; 3]),
        "KMDL0036" => mesh("trimesh", |m| m.radius = 0.1),
        "KMDL0037" => mesh("trimesh", |m| m.area = 0.0),
        "KMDL0038" => patched("trimesh", |m, b| put(b, header(m, 1) + 80 + 288, 1000)),
        "KMDL0039" => mesh("skin", |m| m.vertices.weights.clear()),
        "KMDL0040" => skin(|s| s.bone_map[3] = 20.0),
        "KMDL0041" => mesh("skin", |m| m.vertices.bones[0][0] = 5.0),
        "KMDL0042" => mesh("skin", |m| m.vertices.weights[0][0] = 0.5),
        "KMDL0043" => mesh("skin", |m| m.vertices.weights[0] = [0.5, 0.5, 0.0, 0.0]),
        "KMDL0044" => skin(|s| {
            s.bone_map.pop();
            s.rotations.pop();
            s.translations.pop();
        }),
        "KMDL0045" => skin(|s| s.bone_nodes[1] = 0),
        "KMDL0046" => skin(|s| _ = s.rotations.pop()),
        "KMDL0047" => skin(|s| s.translations[1] = [9.0; 3]),
        "KMDL0048" => mesh("danglymesh", |m| _ = m.dangly.as_deref_mut().unwrap().constraints.pop()),
        "KMDL0049" => mesh("danglymesh", |m| m.dangly.as_deref_mut().unwrap().constraints[0] = -3.0),
        "KMDL0050" => mesh("aabb", |m| m.aabb.as_deref_mut().unwrap().nodes.clear()),
        "KMDL0051" => mesh("aabb", |m| m.aabb.as_deref_mut().unwrap().nodes[2].face = 0),
        "KMDL0052" => mesh("aabb", |m| m.aabb.as_deref_mut().unwrap().nodes[1].min = [5.0; 3]),
        "KMDL0053" => mesh("aabb", |m| {
            m.aabb.as_deref_mut().unwrap().layout =
                AabbLayout::Packed { root: Default::default(), none: u32::MAX };
        }),
        "KMDL0054" => mesh("lightsaber", |m| {
            m.vertices.positions.pop();
            let saber = m.saber.as_deref_mut().unwrap();
            saber.positions.pop();
            saber.uvs.pop();
            saber.normals.pop();
        }),
        "KMDL0055" => of("light", |m| _ = m.nodes[1].light.as_deref_mut().unwrap().flare_sizes.pop()),
        "KMDL0056" => of("dummy", |m| m.nodes[1].controllers.list_mut()[0].time_index = 900),
        "KMDL0057" => of("dummy", |m| {
            m.nodes[1].controllers.push(8, 0xFFFF, Interpolation::Linear, 3, &[0.0], &[0.0; 3]).unwrap();
        }),
        "KMDL0058" => of("animated", |m| {
            let at = m.animations[0].nodes[1].controllers.list()[2].time_index;
            m.animations[0].nodes[1].controllers.data_mut()[usize::from(at) + 1] = 5.0;
        }),
        "KMDL0059" => of("animated", |m| m.animations[0].length = 0.75),
        "KMDL0060" => of("dummy", |m| {
            m.nodes[1].controllers.push(76, 0xFFFF, Interpolation::Linear, 3, &[0.0], &[0.0; 3]).unwrap();
        }),
        "KMDL0061" => of("dummy", |m| m.nodes[1].controllers.data_mut()[1] = f32::NAN),
        "KMDL0062" => of("dummy", |m| m.nodes[1].controllers.data_mut().push(1.0)),
        "KMDL0063" => of("animated", |m| {
            m.names.push(Name(b"stranger".to_vec()));
            (m.animations[0].nodes[1].name, m.animations[0].nodes[1].number) = (2, 900);
        }),
        "KMDL0064" => of("animated", |m| m.animations[1].name = m.animations[0].name),
        "KMDL0065" => of("animated", |m| m.animations[1].length = -1.0),
        "KMDL0066" => of("animated", |m| m.animations[0].events[0].time = 77.0),
        "KMDL0067" => of("animated", |m| m.animations[0].nodes[1].camera = true),
        "KMDL0068" => patched("dummy", |m, b| put(b, header(m, 1) + 12, 8)),
        "KMDL0069" => patched("dummy", |m, b| put(b, header(m, 1) + 64, 7)),
        "KMDL0070" => patched("trimesh", |m, b| put(b, header(m, 1) + 80, 7)),
        "KMDL0071" => patched("dummy", |_, b| put(b, 4, 7)),
        "KMDL0072" => patched("dummy", |_, b| b.extend_from_slice(b"left over")),
        "KMDL0075" => of("dummy", |m| m.name = text("m01aa_01a_with_more")),
        "KMDL0073" => patched("skin", |m, b| put(b, header(m, 3) + 56, 0)),
        "KMDL0074" => patched("skin", |m, b| {
            let other = m.nodes[2].layout.data.at;
            put(b, header(m, 1) + 68, other);
        }),
        _ => panic!("no model breaks {code}"),
    }
}

/// A leftover needs a file where an array is announced empty.
fn with_gap() -> Model {
    patched("skin", |m, b| {
        for field in [56, 60, 64] {
            put(b, header(m, 3) + field, 0);
        }
    })
}

fn breaks(code: &str) -> Model {
    if code == "KMDL0073" { with_gap() } else { broken(code) }
}

#[test]
fn every_rule_has_a_model_that_breaks_it() {
    for rule in RULES {
        let report = breaks(rule.code).check();
        assert!(report.count(rule.code) > 0, "{} is not triggered: {:?}", rule.code, report.findings());
        let finding = report.findings().iter().find(|f| f.rule.code == rule.code).unwrap();
        assert!(!finding.message.is_empty());
    }
}

#[test]
fn sound_models_break_no_rule() {
    for kind in KINDS {
        for (game, platform, target) in TARGETS {
            let report = model(kind, game, platform).check();
            let found: Vec<_> = report
                .findings()
                .iter()
                .filter(|f| f.rule.code != "KMDL0062" && f.rule.code != "KMDL0057")
                .collect();
            assert!(found.is_empty(), "{kind} {target}: {found:?}");
        }
    }
}

#[test]
fn a_bone_slot_that_is_no_number_is_missing() {
    let model = mesh("skin", |m| m.vertices.bones[0][0] = f32::NAN);
    assert_eq!(model.check().count("KMDL0041"), 1);
}

#[test]
fn codes_are_unique_and_ascending() {
    assert!(RULES.len() >= 40);
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
}

#[test]
fn fix_leaves_unwanted_rules_alone() {
    let mut model = broken("KMDL0036");
    let before = model.clone();
    assert!(model.fix(&|r| r.code == "KMDL0008").is_empty());
    assert!(model.differences(&before).is_empty());
}

#[test]
fn findings_name_the_byte() {
    let pair = broken("KMDL0036").write().unwrap();
    let report = read(&pair).check();
    let finding = report.findings().iter().find(|f| f.rule.code == "KMDL0036").unwrap();
    let seen = inspect(&pair.mdl, Some(&pair.mdx), &Limits::default());
    let at = Inspector::new(&pair.mdl, &seen.mdl).at(finding.offset.unwrap() as usize).unwrap();
    assert_eq!(at.path, "nodes[1] \"wall\" > node header.flags");
    assert_eq!(finding.path, "nodes[1] \"wall\" > mesh");
}
