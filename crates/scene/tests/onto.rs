//! An edit laid onto its original: what is edited arrives, what a program lost comes back.
#![cfg(test)]

use galatea_scene::{
    Channel, Extras, Fate, Interpolation, Material, MaterialId, Mesh, Node, ORIGIN, Part, Primitive,
    Property, Scene, Target, Texture, Vertices, example,
};

/// The example with extras everywhere, as formats have them.
fn original() -> Scene {
    let mut scene = example();
    for (i, node) in scene.nodes.iter_mut().enumerate() {
        node.extras.insert("id", i as u32);
    }
    for (i, material) in scene.materials.iter_mut().enumerate() {
        material.extras.insert("shader", i as u32);
    }
    scene.clips.iter_mut().for_each(|clip| clip.extras.insert("sound", 7u32));
    scene.extras.insert("version", 800u32);
    scene
}

/// What a program makes of a scene that keeps nothing but glTF's own words.
fn stripped(scene: &Scene) -> Scene {
    let mut out = scene.clone();
    out.nodes.iter_mut().for_each(|n| {
        n.extras = Extras::new();
        n.visible = true;
    });
    out.materials.iter_mut().for_each(|m| m.extras = Extras::new());
    out.meshes.iter_mut().for_each(|m| m.extras = Extras::new());
    out.clips.iter_mut().for_each(|c| {
        c.extras = Extras::new();
        c.events.clear();
        c.channels
            .retain(|c| matches!(c.property, Property::Translation | Property::Rotation | Property::Scale));
    });
    out.clips.reverse();
    out.extras = Extras::new();
    out
}

fn find(scene: &Scene, name: &str) -> usize {
    scene.nodes.iter().position(|n| n.name == name).unwrap_or(usize::MAX)
}

/// Sampled at every frame, as Blender does by default.
fn sampled(channel: &Channel, end: f32) -> Channel {
    let times: Vec<f32> = (0..).map(|i| i as f32 / 24.0).take_while(|t| *t <= end + 1e-4).collect();
    let values = times.iter().flat_map(|t| channel.sample(*t).unwrap()).collect();
    Channel { times, values, interpolation: Interpolation::Linear, ..channel.clone() }
}

#[test]
fn without_an_edit_the_original_comes_back_bit_for_bit() {
    let scene = original();
    let onto = stripped(&scene).onto(&scene);
    assert_eq!(onto.scene, scene);
    assert!(onto.account.is_unchanged(), "{}", onto.account);
    assert_eq!(onto.account.count(Part::Node, Fate::Kept), scene.nodes.len());
}

#[test]
fn vertices_that_a_program_splits_and_reorders_are_the_same() {
    let scene = original();
    let mut edited = stripped(&scene);
    for mesh in &mut edited.meshes {
        for primitive in &mut mesh.primitives {
            let columns = &edited.vertices[primitive.vertices as usize];
            let corners: Vec<u32> = primitive.indices.iter().rev().copied().collect();
            // Reversed twice: the last triangle first, each with the same front.
            let corners: Vec<u32> = corners.chunks(3).flat_map(|t| t.iter().rev().copied()).collect();
            let pick = |i: &u32| *i as usize;
            let mut split = Vertices {
                positions: corners.iter().map(|i| columns.positions[pick(i)]).collect(),
                ..Vertices::default()
            };
            split.uvs =
                columns.uvs.iter().map(|set| corners.iter().map(|i| set[pick(i)]).collect()).collect();
            if columns.influences.width > 0 {
                let width = columns.influences.width;
                split.influences.width = width;
                for i in &corners {
                    for (joint, weight) in columns.influences.of(pick(i)) {
                        split.influences.joints.push(joint);
                        split.influences.weights.push(weight);
                    }
                }
            }
            primitive.indices = (0..corners.len() as u32).collect();
            primitive.vertices = edited.vertices.len() as u32;
            edited.vertices.push(split);
        }
    }
    let onto = edited.onto(&scene);
    assert!(onto.account.is_unchanged(), "{:?}", onto.account.changes);
    assert_eq!(onto.scene, scene);
}

#[test]
fn a_moved_vertex_moves_and_nothing_else_changes() {
    let scene = original();
    let mut edited = stripped(&scene);
    edited.vertices[0].positions[1][2] += 0.25;
    let onto = edited.onto(&scene);
    let mut wanted = scene.clone();
    wanted.vertices[0].positions[1][2] += 0.25;
    assert_eq!(onto.scene.vertices, wanted.vertices);
    assert_eq!(onto.scene.meshes, wanted.meshes);
    assert_eq!(onto.account.count(Part::Mesh, Fate::Changed), 1);
}

#[test]
fn a_renamed_node_keeps_what_it_had() {
    let scene = original();
    let mut edited = stripped(&scene);
    let hand = find(&edited, "hand");
    edited.nodes[hand].name = "fist".into();
    let onto = edited.onto(&scene);
    assert_eq!(onto.scene.nodes[hand].name, "fist");
    assert_eq!(onto.scene.nodes[hand].extras, scene.nodes[hand].extras);
    assert_eq!(onto.account.count(Part::Node, Fate::Changed), 1);
    assert_eq!(onto.account.count(Part::Node, Fate::Gone), 0);
}

#[test]
fn numbers_behind_names_are_no_names() {
    let scene = original();
    let mut edited = stripped(&scene);
    edited.nodes.iter_mut().for_each(|n| n.name += ".001");
    edited.materials.iter_mut().for_each(|m| m.name += ".002");
    edited.clips.iter_mut().for_each(|c| c.name += ".001");
    assert_eq!(edited.onto(&scene).scene, scene);
}

#[test]
fn a_deleted_node_is_deleted_with_its_mesh_and_its_keys() {
    let scene = original();
    let mut edited = stripped(&scene);
    let (id, _, _) = scene.drawn().last().unwrap();
    let name = scene.nodes[id as usize].name.clone();
    edited.nodes[id as usize].mesh = None;
    edited.nodes[id as usize].parent = None;
    // It is the last child of its parent in no list any more.
    edited.nodes.iter_mut().for_each(|n| n.children.retain(|c| *c != id));
    let mut kept: Vec<Option<u32>> = Vec::new();
    let mut next = 0;
    for i in 0..edited.nodes.len() as u32 {
        kept.push((i != id).then_some(next));
        next += u32::from(i != id);
    }
    let of = |i: u32| kept[i as usize];
    edited.nodes.remove(id as usize);
    for node in &mut edited.nodes {
        node.parent = node.parent.and_then(of);
        node.children = node.children.iter().filter_map(|c| of(*c)).collect();
    }
    edited.skins.iter_mut().for_each(|s| s.joints.iter_mut().for_each(|j| *j = of(*j).unwrap()));
    for clip in &mut edited.clips {
        clip.channels.retain_mut(|c| match c.target {
            Target::Node(n) => of(n).map(|n| c.target = Target::Node(n)).is_some(),
            _ => true,
        });
    }
    let onto = edited.onto(&scene);
    assert_eq!(onto.scene.find(&name), None);
    assert_eq!(onto.scene.nodes.len(), scene.nodes.len() - 1);
    assert_eq!(onto.account.count(Part::Node, Fate::Gone), 1);
    assert_eq!(onto.account.count(Part::Mesh, Fate::Gone), 1);
}

#[test]
fn a_new_mesh_is_added() {
    let scene = original();
    let mut edited = stripped(&scene);
    let vertices = edited.vertices.len() as u32;
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    edited.vertices.push(Vertices { positions, ..Vertices::default() });
    let material = edited.materials.len() as MaterialId;
    edited.materials.push(Material { name: "paint".into(), ..Material::default() });
    edited.meshes.push(Mesh {
        name: "flag".into(),
        primitives: vec![Primitive {
            vertices,
            indices: vec![0, 1, 2],
            material: Some(material),
            ..Primitive::default()
        }],
        ..Mesh::default()
    });
    let mesh = Some(edited.meshes.len() as u32 - 1);
    let base = find(&edited, "base") as u32;
    edited.add_node(Some(base), Node { mesh, ..Node::new("flag") });
    let onto = edited.onto(&scene);
    let flag = onto.scene.nodes.last().unwrap();
    assert_eq!((flag.name.as_str(), flag.parent), ("flag", Some(base)));
    let mesh = &onto.scene.meshes[flag.mesh.unwrap() as usize];
    assert_eq!(onto.scene.vertices[mesh.primitives[0].vertices as usize].positions.len(), 3);
    assert_eq!(onto.scene.materials[mesh.primitives[0].material.unwrap() as usize].name, "paint");
    assert_eq!(onto.scene.nodes.len(), scene.nodes.len() + 1);
    let added = onto.scene.nodes.len() as u32 - 1;
    for (id, (now, before)) in onto.scene.nodes.iter().zip(&scene.nodes).enumerate() {
        let mut wanted = before.clone();
        if id as u32 == base {
            wanted.children.push(added);
        }
        assert_eq!(*now, wanted);
    }
    assert_eq!(onto.scene.meshes[..scene.meshes.len()], scene.meshes);
    assert_eq!(onto.account.count(Part::Mesh, Fate::New), 1);
}

#[test]
fn sampled_keys_become_the_originals_again() {
    let scene = original();
    let mut edited = stripped(&scene);
    for clip in &mut edited.clips {
        let end = clip.length;
        clip.channels = clip.channels.iter().map(|c| sampled(c, end)).collect();
    }
    let onto = edited.onto(&scene);
    assert!(onto.account.is_unchanged(), "{:?}", onto.account.changes);
    assert_eq!(onto.scene, scene);
}

#[test]
fn a_key_that_was_changed_and_sampled_changes_that_key() {
    let mut scene = original();
    let arm = find(&scene, "arm") as u32;
    let times = vec![0.0, 0.5, 1.0, 2.0];
    let values = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 1.0, 0.0];
    let channel = Channel::node(arm, Property::Translation, Interpolation::Linear, times, values);
    scene.clips[0].channels = vec![channel];
    scene.clips[0].length = 2.0;
    let mut edited = stripped(&scene);
    let at = edited.clips.iter().position(|c| c.name == scene.clips[0].name).unwrap();
    edited.clips[at].channels[0].values[6] = 5.0;
    edited.clips[at].channels[0] = sampled(&edited.clips[at].channels[0], 2.0);
    let onto = edited.onto(&scene);
    let keys = &onto.scene.clips[0].channels[0];
    assert_eq!(keys.times, scene.clips[0].channels[0].times);
    let mut wanted = scene.clips[0].channels[0].values.clone();
    wanted[6] = 5.0;
    assert!(keys.values.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-4), "{:?}", keys.values);
    assert_eq!(onto.account.count(Part::Clip, Fate::Changed), 1);
}

#[test]
fn clips_that_were_not_exported_are_kept_and_a_deleted_one_is_not() {
    let scene = original();
    let mut none = stripped(&scene);
    none.clips.clear();
    assert_eq!(none.onto(&scene).scene, scene);
    let mut one = stripped(&scene);
    let moving = scene.clips.iter().find(|c| !c.channels.is_empty()).unwrap().name.clone();
    one.clips.retain(|c| c.name != moving);
    let onto = one.onto(&scene);
    assert!(onto.scene.find_clip(&moving).is_none());
    assert_eq!(onto.account.count(Part::Clip, Fate::Gone), 1);
}

#[test]
fn a_swapped_texture_is_swapped() {
    let scene = original();
    let at = scene.materials.iter().position(|m| !m.textures.is_empty()).unwrap();
    let mut edited = stripped(&scene);
    let slot = edited.materials[at].textures[0].slot.clone();
    edited.materials[at].textures = vec![Texture { slot, name: "rust".into(), ..Texture::default() }];
    let onto = edited.onto(&scene);
    assert_eq!(onto.scene.materials[at].textures[0].name, "rust");
    assert_eq!(onto.scene.materials[at].extras, scene.materials[at].extras);
    assert_eq!(onto.scene.materials[at].textures.len(), scene.materials[at].textures.len());
}

#[test]
fn triangles_that_programs_drop_come_back_while_their_twin_is_there() {
    let mut scene = original();
    let first = scene.meshes[0].primitives[0].indices[..3].to_vec();
    let (twin, flat) = ([first[2], first[1], first[0]], [first[0], first[0], first[1]]);
    let mut edited = stripped(&scene);
    scene.meshes[0].primitives[0].indices.extend(twin.iter().chain(&flat));
    assert_eq!(edited.onto(&scene).scene, scene);
    // Without its twin, a triangle is gone too. One without area comes back: nobody could have seen and deleted it.
    edited.meshes[0].primitives[0].indices.drain(..3);
    let onto = edited.onto(&scene);
    let left = &onto.scene.meshes[0].primitives[0].indices;
    assert_eq!(*left, [edited.meshes[0].primitives[0].indices.as_slice(), &flat].concat());
}

#[test]
fn a_noted_origin_beats_every_name() {
    let scene = original();
    let mut edited = stripped(&scene);
    let (arm, hand) = (find(&scene, "arm"), find(&scene, "hand"));
    edited.nodes[arm].name = "hand".into();
    edited.nodes[hand].name = "arm".into();
    edited.nodes.iter_mut().enumerate().for_each(|(i, n)| n.extras.insert(ORIGIN, i as u32));
    let onto = edited.onto(&scene);
    assert_eq!(onto.scene.nodes[arm].name, "hand");
    assert_eq!(onto.scene.nodes[arm].extras, scene.nodes[arm].extras);
    assert_eq!(onto.scene.nodes[hand].transform, scene.nodes[hand].transform);
}

#[test]
fn an_account_tells_counts_by_kind() {
    let scene = original();
    let mut edited = stripped(&scene);
    edited.nodes[find(&scene, "arm")].transform.translation[1] += 1.0;
    let account = edited.onto(&scene).account;
    let text = account.to_string();
    assert!(text.contains(&format!("nodes: {} kept, 1 changed", scene.nodes.len() - 1)), "{text}");
    assert_eq!(account.changes[0].to_string(), "node \"arm\" changed: moved");
}
