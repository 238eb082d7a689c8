//! Models as text: everything comes back, and an edit in the plain lines always wins.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod mdl_fixtures;

use galatea_kotor::mdl::{Game, Interpolation, Model, Name, Node, Platform, text};
use galatea_robustness::Random;
use galatea_wire::{Limits, Text};
use mdl_fixtures::{KINDS, TARGETS, model, square};

fn parse(text: &str) -> Model {
    text::parse(text.as_bytes(), &Limits::default()).unwrap()
}

fn print(model: &Model) -> String {
    String::from_utf8(text::print(model).unwrap()).unwrap()
}

fn plain(text: &str) -> &str {
    text.split("#! GALATEA").next().unwrap()
}

/// Prints, parses and compares; gives the text.
fn through_text(model: &Model, what: &str) -> Vec<u8> {
    let printed = text::print(model).unwrap_or_else(|e| panic!("{what}: {e}"));
    let back = text::parse(&printed, &Limits::default().with_ratio(64))
        .unwrap_or_else(|e| panic!("{what}: {e}\n{}", String::from_utf8_lossy(&printed)));
    assert_eq!(model.differences(&back), [""; 0], "{what}\n{}", String::from_utf8_lossy(&printed));
    assert!(text::print(&back).unwrap() == printed, "{what}: the second text differs");
    printed
}

#[test]
fn every_kind_game_and_platform_comes_back_from_text() {
    for kind in KINDS {
        for (game, platform, target) in TARGETS {
            through_text(&model(kind, game, platform), &format!("{kind} {target}"));
        }
    }
}

#[test]
fn any_name_survives() {
    let names: [&[u8]; 20] = [
        b"Barracks 1",
        b"say \"hi\"",
        b"#1",
        b"a#b",
        b"",
        b" ",
        b"NULL",
        b"null_",
        b"2081__blade",
        b"twin__dpl3",
        b"Twin",
        b"twin",
        b"Twin",
        b"caf\xE9",
        b"\x01\x7F\xFF",
        b"node",
        b"endnode",
        b"root",
        b"{",
        b"tab\there",
    ];
    let mut m = model("skin", Game::K1, Platform::Pc);
    m.name = Text::new(b"two words").unwrap();
    m.supermodel = Text::new(b"S Female 03").unwrap();
    for name in names {
        m.add_node(Some(0), name, Node::default());
    }
    // A mesh with such a name and such textures, and names that no node has.
    let mut mesh = square(Platform::Pc);
    mesh.texture = Text::new(b"my wall").unwrap();
    mesh.lightmap = Text::new(b"#lm").unwrap();
    m.add_node(Some(1), b"2081__mesh", Node { mesh: Some(Box::new(mesh)), ..Node::default() });
    m.names.push(Name(b"Nobody's name".to_vec()));
    m.names.push(Name(b"twin".to_vec()));
    m.sort_nodes().unwrap();
    for node in &mut m.nodes {
        if let Some(skin) = node.mesh.as_deref_mut().and_then(|m| m.skin.as_deref_mut()) {
            skin.bone_map = vec![-1.0; 30];
            skin.rotations.clear();
        }
    }
    let printed = through_text(&m, "names");
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(printed.contains("node dummy Barracks_1\n") && printed.contains("node dummy say_\"hi\"\n"));
    // In the plain lines all names are single words, and no two are alike.
    let mut seen = std::collections::HashSet::new();
    for line in plain(&printed).lines().filter(|l| l.starts_with("node ")) {
        assert_eq!(line.split_whitespace().count(), 3, "{line}");
        assert!(seen.insert(line.split_whitespace().last().unwrap().to_lowercase()), "{line}");
    }
}

/// Models whose files were damaged hold what no tool writes; whatever opens has a text form.
#[test]
fn damaged_models_that_open_come_back_from_text_too() {
    let (mut opened, mut refused) = (0, Vec::new());
    for kind in KINDS {
        for (game, platform, target) in TARGETS {
            let pair = model(kind, game, platform).write().unwrap();
            let mut random = Random(99);
            for round in 0..60 {
                let (mut mdl, mut mdx) = (pair.mdl.clone(), pair.mdx.clone());
                for _ in 0..=random.below(3) {
                    let words =
                        [0, 1, u32::MAX, 0x7FC0_0001, 0xFF80_0000, 0x8000_0000, random.next_u64() as u32];
                    let word = words[random.below(words.len())].to_le_bytes();
                    let file = if random.below(4) == 0 && mdx.len() > 4 { &mut mdx } else { &mut mdl };
                    let at = random.below(file.len() - 4);
                    file[at..at + 4].copy_from_slice(&word);
                }
                let Ok(m) = Model::read(&mdl, Some(&mdx), &Limits::default()) else { continue };
                opened += 1;
                let what = format!("{kind} {target} {round}");
                match text::print(&m) {
                    Ok(_) => _ = through_text(&m, &what),
                    Err(error) => refused.push(format!("{what}: {error}")),
                }
            }
        }
    }
    assert!(opened > 1000, "{opened}");
    // Nodes that are two things at once, or animation nodes that are anything, have no word.
    assert!(refused.iter().all(|r| r.contains("parts have no text form")), "{}", refused.join("\n"));
    assert!(refused.len() * 20 < opened, "{} of {opened}:\n{}", refused.len(), refused.join("\n"));
}

/// Replaces one line of a text, which has to be there.
fn edit(text: &str, from: &str, to: &str) -> Model {
    assert!(plain(text).contains(from), "no `{from}` in\n{}", plain(text));
    parse(&text.replacen(from, to, 1))
}

#[test]
fn an_edit_in_the_plain_lines_wins() {
    let fixture = |kind: &str| print(&model(kind, Game::K2, Platform::Pc));
    let node = |m: &Model| m.nodes[1].clone();

    let m = edit(&fixture("dummy"), "position 0.25 -0.5 2.0", "position 9.0 -0.5 2.0");
    assert_eq!(node(&m).position, [9.0, -0.5, 2.0]);
    assert_eq!(node(&m).controllers.get(8).unwrap().values, [9.0, -0.5, 2.0]);

    let m = edit(&fixture("dummy"), "node dummy hook", "node dummy gancho");
    assert_eq!(m.names[1].0, b"gancho");

    let m = edit(&fixture("dummy"), "setsupermodel fix_dummy NULL", "setsupermodel fix_dummy S_Male02");
    assert_eq!((m.supermodel.bytes(), m.node_count), (b"S_Male02".as_slice(), 2 + 212 + 1));

    let m = edit(&fixture("dummy"), "classification other", "classification door");
    assert_eq!(m.classification, 8);

    let m = edit(&fixture("dummy"), "game kotor2", "game kotor1");
    assert_eq!(m.game, Game::K1);

    let m = edit(&fixture("light"), "    fx_flare02", "    fx_flare09");
    assert_eq!(node(&m).light.unwrap().flare_textures[1].0, b"fx_flare09");

    let m = edit(&fixture("emitter"), "  p2p_sel 1", "  p2p_sel 0");
    assert_eq!(node(&m).emitter.unwrap().flags, 0x40);

    let m = edit(&fixture("reference"), "refModel fx_ref", "refModel fx_other");
    assert_eq!(node(&m).reference.unwrap().model.bytes(), b"fx_other");

    let mesh = |m: &Model| *node(m).mesh.unwrap();
    let text = fixture("trimesh");
    let same = mesh(&parse(&text));
    assert_eq!(same.vertices.tangents[0].len(), 4);

    // A moved vertex: everything that hangs on the shape follows.
    let m = mesh(&edit(&text, "    1.0 1.0 0.0\n", "    1.0 1.0 1.0\n"));
    assert_eq!(m.vertices.positions[2], [1.0, 1.0, 1.0]);
    assert_eq!(m.bounds[1], [1.0, 1.0, 1.0]);
    assert!(m.area > 1.2 && m.faces[0].normal != same.faces[0].normal);
    assert!(m.vertices.normals[2] != same.vertices.normals[2]);
    assert_eq!(m.vertices.uvs, same.vertices.uvs);

    // A moved texture coordinate: the tangents follow, normals and planes of the sidecar stay.
    let m = mesh(&edit(&text, "    1.0 1.0\n", "    0.5 1.0\n"));
    assert_eq!(m.vertices.uvs[0][2], [0.5, 1.0]);
    assert_ne!(m.vertices.tangents[0], same.vertices.tangents[0]);
    assert_eq!((m.vertices.normals, m.area), (same.vertices.normals.clone(), same.area));

    let m = mesh(&edit(&text, "tangentspace 1", "tangentspace 0"));
    assert!(m.vertices.tangents[0].is_empty());

    let m = mesh(&edit(&text, "bitmap fix_wall01", "bitmap other"));
    assert_eq!(m.texture.bytes(), b"other");

    let m = mesh(&edit(&text, "    0 1 2 1 0 1 2 1\n", "    0 1 2 1 0 1 2 7\n"));
    assert_eq!((m.faces[0].material, m.faces[0].adjacent), (7, same.faces[0].adjacent));

    let m = mesh(&edit(&text, "inv_count 98", "inv_count 12"));
    assert_eq!(m.inverted_counters, [12]);

    let m = mesh(&edit(&text, "  bmax 1.0 1.0 0.0", "  bmax 2.0 2.0 0.0"));
    assert_eq!(m.bounds[1], [2.0, 2.0, 0.0]);

    let m = mesh(&edit(&text, "    0.5 0.25 1.0\n", "    0.5 0.5 1.0\n"));
    assert_eq!(m.vertices.colors[0], [0.5, 0.5, 1.0]);

    let m = mesh(&edit(&text, "dirt_texture 1", "dirt_texture 3"));
    assert_eq!(m.dirt.unwrap().texture, 3);

    let m = mesh(&edit(&fixture("danglymesh"), "    64.0\n", "    65.0\n"));
    assert_eq!(m.dangly.unwrap().constraints[1], 65.0);

    // Boxes that still contain their faces are kept; others are built again.
    let m =
        mesh(&edit(&fixture("aabb"), "    0.0 0.0 0.0 1.0 1.0 0.0 -1\n", "    0.0 0.0 0.0 1.0 1.0 5.0 -1\n"));
    assert_eq!(m.aabb.unwrap().nodes[0].max, [1.0, 1.0, 5.0]);
    let m =
        mesh(&edit(&fixture("aabb"), "    0.0 0.0 0.0 1.0 1.0 0.0 1\n", "    0.0 0.0 0.0 1.0 1.0 0.0 0\n"));
    let mut faces: Vec<i32> = m.aabb.unwrap().nodes.iter().map(|n| n.face).collect();
    faces.sort_unstable();
    assert_eq!(faces, [-1, 0, 1]);
}

#[test]
fn an_edit_of_a_skin_or_a_key_wins() {
    let text = print(&model("skin", Game::K1, Platform::Pc));
    let skin_of = |m: &Model| m.nodes[3].mesh.clone().unwrap();
    let before = skin_of(&parse(&text));
    let m = edit(&text, "    bone1 0.25 bone2 0.75\n", "    bone2 0.5 bone1 0.5\n");
    let mesh = skin_of(&m);
    assert_eq!(
        (mesh.vertices.weights[1], mesh.vertices.bones[1]),
        ([0.5, 0.5, 0.0, 0.0], [1.0, 0.0, -1.0, -1.0])
    );
    assert_eq!(mesh.skin.as_ref().unwrap().bone_map, before.skin.as_ref().unwrap().bone_map);
    // A bone that had no slot gets the next one.
    let mesh = skin_of(&edit(&text, "    bone1 0.25 bone2 0.75\n", "    fix_skin 0.5 bone1 0.5\n"));
    assert_eq!(mesh.vertices.bones[1], [2.0, 0.0, -1.0, -1.0]);
    assert_eq!(mesh.skin.as_ref().unwrap().bone_map, [2.0, 0.0, 1.0, -1.0]);
    // Beyond all slots there is no next one.
    let mut far = model("skin", Game::K1, Platform::Pc);
    far.nodes[3].mesh.as_mut().unwrap().skin.as_mut().unwrap().bone_map[3] = 1e30;
    let mesh = skin_of(&edit(&print(&far), "    bone1 0.25 bone2 0.75\n", "    fix_skin 0.5 bone1 0.5\n"));
    assert!(mesh.vertices.bones[1][0] > 1e18, "{:?}", mesh.vertices.bones);
    // A moved bone: its bind follows.
    let moved = edit(
        &text,
        "node dummy bone1\n  parent fix_skin\n  position 0.25 -0.5 2.0",
        "node dummy bone1\n  parent fix_skin\n  position 1.25 -0.5 2.0",
    );
    let (mesh, binds) = (skin_of(&moved), before.skin.unwrap().translations);
    assert_eq!(mesh.skin.unwrap().translations[1], [binds[1][0] - 1.0, binds[1][1], binds[1][2]]);

    let text = print(&model("animated", Game::K1, Platform::Pc));
    let keys = |m: &Model| m.animations[0].nodes[1].controllers.clone();
    let before = keys(&parse(&text));
    let at = plain(&text).find("scalekey\n").unwrap();
    let line = plain(&text)[at..].lines().nth(2).unwrap();
    assert_eq!(line.trim(), "0.5 1.5");
    let after = keys(&edit(&text, line, "      0.5 4.5"));
    assert_eq!(after.track(2).unwrap().values, [1.0, 4.5, 1.0]);
    assert_eq!(after.track(1).unwrap().values[1].to_bits(), before.track(1).unwrap().values[1].to_bits());
    let m = edit(&text, "  event 0.5 snd_footstep", "  event 0.25 snd_step");
    assert_eq!(
        (m.animations[0].events[0].time, m.animations[0].events[0].name.bytes()),
        (0.25, b"snd_step".as_slice())
    );
}

/// Values that decimals cannot express are in the sidecar; the line shows 0, and an edit of it wins.
#[test]
fn nan_is_in_the_sidecar_until_its_line_is_edited() {
    let mut m = model("trimesh", Game::K1, Platform::Pc);
    let quiet = f32::from_bits(0x7FC1_2345);
    let mesh = m.nodes[1].mesh.as_deref_mut().unwrap();
    mesh.diffuse = [quiet, 0.5, -0.0];
    mesh.vertices.positions[3] = [f32::INFINITY, 1.0, 0.0];
    mesh.unknown_0xd4 = [7, 8, 9];
    m.nodes[1].position = [quiet; 3];
    through_text(&m, "no numbers");
    let text = print(&m);
    assert!(!plain(&text).to_lowercase().contains("nan") && !plain(&text).contains("inf"));
    let edited = edit(&text, "diffuse 0.0 0.5 -0.0", "diffuse 0.25 0.5 -0.0");
    let mesh = edited.nodes[1].mesh.as_deref().unwrap();
    assert_eq!((mesh.diffuse, mesh.unknown_0xd4), ([0.25, 0.5, -0.0], [7, 8, 9]));
    assert_eq!(mesh.vertices.positions[3][0], f32::INFINITY);
    let edited = edit(&text, "    0.0 1.0 0.0\n", "    0.0 2.0 0.0\n");
    assert_eq!(edited.nodes[1].mesh.as_deref().unwrap().vertices.positions[3], [0.0, 2.0, 0.0]);
}

/// Nodes can be added and removed without the others losing their sidecar records.
#[test]
fn a_new_node_leaves_the_others_as_they_were() {
    let mut m = model("trimesh", Game::K1, Platform::Pc);
    m.supermodel = Text::new(b"S_Female02").unwrap();
    (m.nodes[0].number, m.nodes[1].number) = (40, 77);
    m.node_count = 2 + 332 + 1;
    let text = print(&m);
    let new = "node dummy first\n  parent fix_trimesh\nendnode\nnode trimesh wall";
    let edited = edit(&text, "node trimesh wall", new);
    let numbers: Vec<u16> = edited.nodes.iter().map(|n| n.number).collect();
    assert_eq!((numbers, edited.node_count), (vec![40, 78, 77], 3 + 332 + 1));
    let (a, b) = (m.nodes[1].mesh.as_deref().unwrap(), edited.nodes[2].mesh.as_deref().unwrap());
    assert_eq!((&a.vertices.normals, &a.vertices.tangents), (&b.vertices.normals, &b.vertices.tangents));
}

/// Text without its sidecar can be read: everything is derived.
#[test]
fn plain_lines_alone_make_a_whole_model() {
    for kind in KINDS {
        let m = model(kind, Game::K1, Platform::Pc);
        let back = parse(plain(&print(&m)));
        assert_eq!(back.nodes.len(), m.nodes.len());
        back.write().unwrap();
        if let (Some(a), Some(b)) = (m.nodes[1].mesh.as_deref(), back.nodes[1].mesh.as_deref()) {
            // The fixture of a blade has the bounds and faces of a square.
            if kind != "lightsaber" {
                assert_eq!(a.bounds, b.bounds, "{kind}");
                assert_eq!(a.vertices.normals, b.vertices.normals, "{kind}");
                assert!(a.faces.iter().zip(&b.faces).all(|(a, b)| a == b), "{kind}");
            }
        }
    }
}

/// Line ends and blanks may change; the sidecar still matches.
#[test]
fn the_sidecar_survives_other_line_ends_and_blanks() {
    let m = model("trimesh", Game::K2, Platform::Xbox);
    let text = print(&m);
    for other in [text.replace('\n', "\r\n"), text.replace("    ", "\t"), text.replace("  ", " ")] {
        let back = text::parse(other.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(m.differences(&back), [""; 0]);
    }
}

/// Numbers that no controller uses come back too, although they mean nothing.
#[test]
fn unused_data_come_back() {
    let mut m = model("dummy", Game::K1, Platform::Pc);
    *m.nodes[0].controllers.data_mut() = vec![1.5, f32::NAN].into();
    let back = parse(&print(&m));
    let bits = |m: &Model| m.nodes[0].controllers.data().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&back), bits(&m));
}

#[test]
fn nodes_of_one_name_in_an_animation_keep_their_parents() {
    // The last node has no parent, so it is tied to the first one, not to the second of the same name.
    let model = parse(
        "newmodel m\nnode dummy m\n  parent NULL\nendnode\nnode dummy arm\n  parent m\nendnode\nendmodelgeom m\n\
         newanim a m\nnode dummy m\n  parent NULL\nendnode\nnode dummy m\n  parent m\nendnode\n\
         node dummy arm\n  parent NULL\nendnode\ndoneanim a m\n",
    );
    assert_eq!(model.animations[0].nodes[2].parent, Some(0));
    let text = print(&model);
    assert!(plain(&text).contains("node dummy m__dpl1\n"), "{text}");
    let back = parse(&text);
    assert!(model.differences(&back).is_empty(), "{:?}", model.differences(&back));
    assert_eq!((back.names.len(), back.animations[0].nodes[2].parent), (2, Some(0)));
}

#[test]
fn packed_and_plain_orientations_mix() {
    let mut m = model("animated", Game::K1, Platform::Pc);
    let q = [0.1f32, -0.2, 0.3, -0.927_361_85];
    let plain = [0.0, 0.0, 0.0, 1.0, q[0], q[1], q[2], q[3]];
    m.animations[0].nodes[0].controllers.push(20, 28, Interpolation::Linear, 4, &[0.0, 2.0], &plain).unwrap();
    through_text(&m, "mixed");
    let mut nodes = m.animations[0].nodes.clone();
    nodes[1].controllers.push(20, 28, Interpolation::Linear, 4, &[0.0, 2.0], &plain).unwrap();
    m.animations[0].nodes = nodes;
    through_text(&m, "mixed on one node");
}
