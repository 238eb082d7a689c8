//! What Blender's import and export change without an edit is undone; what somebody changed stays.
#![cfg(test)]

use galatea_gltf::{Appearance, ImageSource, Map, Options, Role, read, write_gltf};
use galatea_scene::{
    AlphaMode, Channel, Clip, Event, Influences, Interpolation, Light, Material, Mesh, Node, Primitive,
    Property, Scene, Skin, Slot, Texture, Transform, Vertices,
};
use galatea_wire::Limits;
use serde_json::{Value, json};

/// A bone that has a mesh and moves, a body on it that hangs on a group, and a box that moves.
fn model() -> Scene {
    let mut scene = Scene::new("thing");
    let axes = scene.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
    let at = |x: f32| Transform { translation: [x, 0.0, 0.0], ..Transform::default() };
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let influences = Influences { width: 4, joints: vec![0; 12], weights: [1.0, 0.0, 0.0, 0.0].repeat(3) };
    scene.vertices.push(Vertices { positions: positions.clone(), ..Vertices::default() });
    scene.vertices.push(Vertices { positions, influences, ..Vertices::default() });
    for (vertices, name) in [(0, "bone_mesh"), (1, "body_mesh"), (0, "box_mesh")] {
        let primitive = Primitive { vertices, indices: vec![0, 1, 2], ..Primitive::default() };
        scene.meshes.push(Mesh { name: name.into(), primitives: vec![primitive], ..Mesh::default() });
    }
    let bone = scene.add_node(Some(axes), Node { transform: at(1.0), mesh: Some(0), ..Node::new("bone") });
    let tip = scene.add_node(Some(bone), Node { transform: at(2.0), ..Node::new("tip") });
    let group = scene.add_node(Some(axes), Node { transform: at(5.0), ..Node::new("group") });
    let body = Node { transform: at(0.5), mesh: Some(1), skin: Some(0), ..Node::new("body") };
    scene.add_node(Some(group), body);
    let cube = scene.add_node(Some(axes), Node { transform: at(3.0), mesh: Some(2), ..Node::new("box") });
    let bind = |x: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, 0.0, 0.0, 1.0];
    // The tip was bound elsewhere than where it rests.
    let inverse_bind = vec![bind(1.0), bind(4.0)];
    scene.skins.push(Skin { name: "skin".into(), joints: vec![bone, tip], inverse_bind, ..Skin::default() });
    let up = |node, x: f32| {
        let values = vec![x, 1.0, 0.0, x, 2.0, 0.0];
        Channel::node(node, Property::Translation, Interpolation::Linear, vec![0.0, 1.0], values)
    };
    let event = Event { time: 0.5, name: "step".into(), ..Event::default() };
    let channels = vec![up(bone, 1.0), up(cube, 3.0)];
    scene.clips.push(Clip {
        name: "up".into(),
        length: 2.0,
        channels,
        events: vec![event],
        ..Clip::default()
    });
    scene
}

fn index(json: &Value, name: &str) -> usize {
    json["nodes"].as_array().unwrap().iter().position(|n| n["name"] == name).unwrap()
}

/// What Blender makes of the model.
fn through_blender(json: &mut Value) {
    json["asset"]["generator"] = "Khronos glTF Blender I/O v5.0.21".into();
    json["scenes"][0]["name"] = "Scene".into();
    json["animations"][0].as_object_mut().unwrap().remove("extras");
    let (bone, tip, body) = (index(json, "bone"), index(json, "tip"), index(json, "body"));
    let (cube, group, axes) = (index(json, "box"), index(json, "group"), index(json, "axes"));
    // The box stands in a frame of its clip, the tip where it was bound, the body hangs on the armature.
    json["nodes"][cube]["translation"] = json!([3, 1.5, 0]);
    json["nodes"][tip]["translation"] = json!([3.000_000_2, 0, 0]);
    json["nodes"][group].as_object_mut().unwrap().remove("children");
    json["nodes"][body].as_object_mut().unwrap().remove("translation");
    json["nodes"][axes]["children"].as_array_mut().unwrap().push(body.into());
    // The bone's mesh has a node of its own.
    let mesh = json["nodes"][bone].as_object_mut().unwrap().remove("mesh").unwrap();
    let half = json["nodes"].as_array().unwrap().len();
    json["nodes"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "bone", "mesh": mesh, "translation": [0, 1e-7, 0]}));
    json["nodes"][bone]["children"].as_array_mut().unwrap().push(half.into());
}

fn back(change: impl Fn(&mut Value)) -> Scene {
    back_of(&model(), |json, _| change(json))
}

fn back_of(scene: &Scene, change: impl Fn(&mut Value, &mut Vec<u8>)) -> Scene {
    let (text, mut bin) = write_gltf(scene, &Options::default(), "thing.bin");
    let mut json: Value = serde_json::from_str(&text).unwrap();
    change(&mut json, &mut bin);
    let loaded = read(json.to_string().as_bytes(), &Limits::default(), &mut |_| Some(bin.clone())).unwrap();
    assert!(loaded.losses.is_empty(), "{:?}", loaded.losses);
    loaded.scene
}

#[test]
fn what_blender_changes_is_undone() {
    assert_eq!(back(|_| ()), model());
    assert_eq!(back(through_blender), model());
}

#[test]
fn what_somebody_changed_in_blender_stays() {
    let edited = back(|json| {
        through_blender(json);
        let (tip, half) = (index(json, "tip"), json["nodes"].as_array().unwrap().len() - 1);
        json["nodes"][tip]["translation"] = json!([2.5, 0.5, 0]);
        json["nodes"][half]["translation"] = json!([0, 0.25, 0]);
        json["scenes"][0]["name"] = "other".into();
    });
    let node = |name: &str| &edited.nodes[edited.find(name).unwrap() as usize];
    assert_eq!(node("tip").transform.translation, [2.5, 0.5, 0.0]);
    assert_eq!(edited.name, "other");
    // A mesh that was moved away from its bone is a node of its own.
    assert_eq!(edited.nodes.len(), model().nodes.len() + 1);
    assert!(node("bone").mesh.is_none());
}

#[test]
fn other_programs_mean_what_they_write() {
    let moved = back(|json| {
        let cube = index(json, "box");
        json["nodes"][cube]["translation"] = json!([3, 1.5, 0]);
    });
    assert_eq!(moved.nodes[moved.find("box").unwrap() as usize].transform.translation, [3.0, 1.5, 0.0]);
}

#[test]
fn materials_that_only_lie_over_others_come_back() {
    let mut scene = model();
    let texture = Texture { name: "glow.blp".into(), ..Texture::default() };
    let glow = Material { name: "glow".into(), textures: vec![texture], ..Material::default() };
    scene.materials = vec![Material { name: "skin".into(), layers: vec![1], ..Material::default() }, glow];
    for mesh in &mut scene.meshes {
        mesh.primitives[0].material = Some(0);
    }
    let drop_unused = |json: &mut Value| json["materials"].as_array_mut().unwrap().truncate(1);
    let through = back_of(&scene, |json, _| {
        through_blender(json);
        drop_unused(json);
    });
    assert_eq!(through, scene);
    // Who deletes a material in another program means it.
    let deleted = back_of(&scene, |json, _| drop_unused(json));
    assert_eq!((deleted.materials.len(), deleted.materials[0].layers.len()), (1, 0));
}

#[test]
fn skins_that_bind_a_joint_differently_come_back() {
    let mut scene = model();
    // A second body on the bone, whose vertices lie 7 further along.
    let mut second = scene.vertices[1].clone();
    second.positions.iter_mut().for_each(|p| p[0] += 7.0);
    scene.vertices.push(second);
    let primitive = Primitive { vertices: 2, indices: vec![0, 1, 2], ..Primitive::default() };
    scene.meshes.push(Mesh { name: "second_mesh".into(), primitives: vec![primitive], ..Mesh::default() });
    let mut skin = scene.skins[0].clone();
    skin.inverse_bind.iter_mut().for_each(|m| m[12] -= 7.0);
    // The last skin tells Blender where joints are bound.
    scene.skins.insert(0, skin);
    scene.nodes.iter_mut().filter_map(|n| n.skin.as_mut()).for_each(|s| *s = 1);
    let axes = scene.axes();
    scene.add_node(axes, Node { mesh: Some(3), skin: Some(0), ..Node::new("second") });
    let through = back_of(&scene, |json, bin| {
        through_blender(json);
        let second = index(json, "second");
        json["skins"].as_array_mut().unwrap().remove(0);
        json["nodes"].as_array_mut().unwrap().iter_mut().filter(|n| n.get("skin").is_some()).for_each(|n| {
            n["skin"] = 0.into();
        });
        // Vertices end up where they were, by the one bind there is.
        let mesh = json["nodes"][second]["mesh"].as_u64().unwrap() as usize;
        let accessor = json["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap();
        let accessor = &json["accessors"][accessor as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = (accessor["byteOffset"].as_u64().unwrap_or(0) + view["byteOffset"].as_u64().unwrap_or(0))
            as usize;
        for vertex in bin[start..start + 36].chunks_exact_mut(12) {
            let x = f32::from_le_bytes(vertex[..4].try_into().unwrap()) - 7.0;
            vertex[..4].copy_from_slice(&x.to_le_bytes());
        }
    });
    let node = through.node(through.find("second").unwrap()).unwrap();
    let mesh = &through.meshes[node.mesh.unwrap() as usize];
    let positions = &through.vertices[mesh.primitives[0].vertices as usize].positions;
    assert_eq!(*positions, scene.vertices[2].positions);
    assert_eq!(through.skins[node.skin.unwrap() as usize].inverse_bind, scene.skins[0].inverse_bind);
    assert!(scene.looks_like(&through, &Default::default()).is_empty());
}

#[test]
fn nodes_between_joints_and_what_hangs_on_them_are_joints_for_others() {
    let mut scene = model();
    let axes = scene.axes();
    // Two joints below a node that is none, on which something else hangs.
    let middle = scene.add_node(axes, Node::new("middle"));
    let between = scene.add_node(Some(middle), Node::new("between"));
    let lamp = scene.add_node(Some(between), Node::new("lamp"));
    let left = scene.add_node(Some(between), Node::new("left"));
    let right = scene.add_node(Some(middle), Node::new("right"));
    scene.skins[0].joints = vec![left, right];
    assert_eq!(back_of(&scene, |_, _| ()), scene);
    back_of(&scene, |json, _| {
        let joints = json["skins"][0]["joints"].as_array().unwrap();
        let has = |id: u32| joints.contains(&id.into());
        assert!(has(between) && has(lamp) && !has(middle), "{joints:?}");
    });
}

#[test]
fn numbers_in_names_and_lights_beside_their_bones_are_undone() {
    let mut scene = model();
    scene.lights.push(Light { name: "lamp".into(), ..Light::default() });
    let tip = scene.find("tip").unwrap() as usize;
    scene.nodes[tip].light = Some(0);
    let through = back_of(&scene, |json, _| {
        through_blender(json);
        let (bone, tip) = (index(json, "bone"), index(json, "tip"));
        json["nodes"][bone]["name"] = "bone.001".into();
        // A light is put away from its bone by what a unit is longer than a metre.
        let light = json["nodes"][tip].as_object_mut().unwrap().remove("extensions").unwrap();
        let half = json["nodes"].as_array().unwrap().len();
        let node = json!({"name": "tip", "extensions": light, "translation": [0, 38.37, 0]});
        json["nodes"].as_array_mut().unwrap().push(node);
        json["nodes"][tip]["children"] = json!([half]);
    });
    assert_eq!(through, scene);
}

#[test]
fn what_a_clip_scales_to_nothing_has_its_place_again() {
    let mut scene = model();
    let (group, lid) = (scene.find("group").unwrap(), Node::new("lid"));
    let place = Transform { translation: [0.0, 4.0, 0.0], ..Transform::default() };
    scene.add_node(Some(group), Node { transform: place, ..lid });
    let values = vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let grow = Channel::node(group, Property::Scale, Interpolation::Linear, vec![0.0, 1.0], values);
    scene.clips[0].channels.push(grow);
    let through = back_of(&scene, |json, _| {
        let (group, lid) = (index(json, "group"), index(json, "lid"));
        through_blender(json);
        json["nodes"][group]["children"] = json!([lid]);
        for node in [group, lid] {
            json["nodes"][node]["scale"] = json!([0, 0, 0]);
        }
        json["nodes"][lid].as_object_mut().unwrap().remove("translation");
    });
    let lid = through.node(through.find("lid").unwrap()).unwrap();
    assert_eq!(lid.transform, place);
    assert_eq!(through.node(through.find("group").unwrap()).unwrap().transform.scale, [1.0; 3]);
}

#[test]
fn hidden_nodes_stay_hidden_without_the_extension() {
    let mut scene = model();
    let group = scene.find("group").unwrap();
    scene.nodes[group as usize].visible = false;
    let drop = |json: &mut Value, known: bool| {
        let node = index(json, "group");
        json["nodes"][node].as_object_mut().unwrap().remove("extensions").unwrap();
        if !known {
            json.as_object_mut().unwrap().remove("extensionsUsed").unwrap();
        }
    };
    let visible = |scene: &Scene| scene.node(scene.find("group").unwrap()).unwrap().visible;
    assert!(!visible(&back_of(&scene, |_, _| {})));
    assert!(!visible(&back_of(&scene, |json, _| drop(json, false))));
    // A program that knows the extension has shown the node.
    assert!(visible(&back_of(&scene, |json, _| drop(json, true))));
    // In Blender, the custom property is what can be edited.
    let shown = back_of(&scene, |json, _| {
        drop(json, false);
        let node = index(json, "group");
        json["nodes"][node]["extras"]["galatea"]["visible"] = json!(1);
    });
    assert!(visible(&shown));
}

#[test]
fn transparency_survives_where_no_image_carries_it() {
    let mut scene = model();
    let alphas = [
        AlphaMode::Mask { cutoff: 0.5 },
        AlphaMode::Mask { cutoff: 0.25 },
        AlphaMode::Blend,
        AlphaMode::Additive,
        AlphaMode::Opaque,
    ];
    for (i, alpha) in alphas.into_iter().enumerate() {
        scene.materials.push(Material { name: format!("m{i}"), alpha, ..Material::default() });
        let primitive = Primitive {
            vertices: 0,
            indices: vec![0, 1, 2],
            material: Some(i as u32),
            ..Primitive::default()
        };
        scene.meshes[0].primitives.push(primitive);
    }
    let opaque = |json: &mut Value| {
        for material in json["materials"].as_array_mut().unwrap() {
            let map = material.as_object_mut().unwrap();
            map.remove("alphaMode");
            map.remove("alphaCutoff");
        }
    };
    let found = back_of(&scene, |json, _| {
        opaque(json);
        json["asset"]["generator"] = "Khronos glTF Blender I/O v5.0.21".into();
    });
    assert_eq!(found.materials.iter().map(|m| m.alpha).collect::<Vec<_>>(), alphas);
    // Any other program that says opaque means it.
    let other = back_of(&scene, |json, _| opaque(json));
    assert!(other.materials.iter().all(|m| m.alpha == AlphaMode::Opaque));
    let edited = back_of(&scene, |json, _| {
        opaque(json);
        for material in json["materials"].as_array_mut().unwrap() {
            material["alphaMode"] = "BLEND".into();
        }
    });
    assert_eq!(edited.materials[0].alpha, AlphaMode::Blend);
}

#[test]
fn lights_have_their_range_again() {
    let mut scene = model();
    scene.lights.push(Light { name: "lamp".into(), range: Some(120.0), ..Light::default() });
    let tip = scene.find("tip").unwrap() as usize;
    scene.nodes[tip].light = Some(0);
    let drop_range = |json: &mut Value| {
        let light = &mut json["extensions"]["KHR_lights_punctual"]["lights"][0];
        assert!(light.as_object_mut().unwrap().remove("range").is_some());
    };
    let through = back_of(&scene, |json, _| {
        through_blender(json);
        drop_range(json);
    });
    assert_eq!(through.lights, scene.lights);
    // A program that knows ranges means it.
    assert_eq!(back_of(&scene, |json, _| drop_range(json)).lights[0].range, None);
}

#[test]
fn normals_that_faces_say_nothing_about_come_back() {
    let mut scene = model();
    // A leaf: two triangles that are folded onto each other.
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.1, 0.1, 0.0]];
    let normals = vec![[0.6, 0.0, 0.8], [0.0, 0.6, 0.8], [0.0, 0.0, -1.0], [0.8, 0.0, 0.6]];
    scene.vertices.push(Vertices { positions, normals, ..Vertices::default() });
    let primitive = Primitive { vertices: 2, indices: vec![0, 1, 2, 2, 1, 3], ..Primitive::default() };
    scene.meshes[2].primitives = vec![primitive];
    let through = back_of(&scene, |json, bin| {
        through_blender(json);
        let mesh = json["meshes"].as_array().unwrap().iter().find(|m| m["name"] == "box_mesh").unwrap();
        let normal = mesh["primitives"][0]["attributes"]["NORMAL"].as_u64().unwrap() as usize;
        let view = json["accessors"][normal]["bufferView"].as_u64().unwrap() as usize;
        let offset = |value: &Value| value["byteOffset"].as_u64().unwrap_or(0) as usize;
        let start = offset(&json["bufferViews"][view]) + offset(&json["accessors"][normal]);
        for row in bin[start..start + 4 * 12].chunks_exact_mut(12) {
            row.copy_from_slice(&[[0; 4], [0; 4], 1.0f32.to_le_bytes()].concat());
        }
    });
    assert_eq!(through.vertices[2].normals[1], scene.vertices[2].normals[1]);
    assert_eq!(through.vertices[2].normals[2], scene.vertices[2].normals[2]);
}

#[test]
fn triangles_with_the_same_corners_are_carried() {
    let mut scene = model();
    scene.meshes[2].primitives[0].indices = vec![0, 1, 2, 2, 1, 0, 0, 1, 1];
    let mut written = Vec::new();
    let (text, bin) = write_gltf(&scene, &Options::default(), "thing.bin");
    let json: Value = serde_json::from_str(&text).unwrap();
    let primitive = &json["meshes"][2]["primitives"][0];
    let accessor = &json["accessors"][primitive["indices"].as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let from = view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
    for i in 0..9 {
        let at = from as usize + i * 2;
        written.push(u16::from_le_bytes([bin[at], bin[at + 1]]));
    }
    let mut keys: Vec<Vec<u16>> = written.chunks(3).map(<[u16]>::to_vec).collect();
    keys.iter_mut().for_each(|key| key.sort_unstable());
    assert!(keys.iter().all(|key| key[0] < key[1] && key[1] < key[2]), "{keys:?}");
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 3);
    // As long as the copies are there as they were, they are not vertices of their own.
    let same = back_of(&scene, |_, _| {});
    assert_eq!(same.meshes[2].primitives[0].indices, scene.meshes[2].primitives[0].indices);
    assert_eq!(same.vertices_of(&same.meshes[2].primitives[0]).unwrap().positions.len(), 3);
    // Blender drops what primitives say.
    let blender = back_of(&scene, |json, _| {
        through_blender(json);
        for mesh in json["meshes"].as_array_mut().unwrap() {
            for part in mesh["primitives"].as_array_mut().unwrap() {
                part.as_object_mut().unwrap().remove("extras");
            }
        }
    });
    let part = &blender.meshes[2].primitives[0];
    let positions = &blender.vertices_of(part).unwrap().positions;
    let places: Vec<[f32; 3]> = part.indices.iter().map(|i| positions[*i as usize]).collect();
    let was = &scene.vertices[0].positions;
    assert_eq!(places, [0, 1, 2, 2, 1, 0, 0, 1, 1].map(|i: usize| was[i]));
}

#[test]
fn rotations_of_other_lengths_and_rounded_scales_come_back() {
    let mut scene = model();
    let group = scene.find("group").unwrap() as usize;
    scene.nodes[group].transform.rotation = [0.0, 3.0, 0.0, 4.0];
    let turned = |rotation: Value, scale: Value| {
        back_of(&scene, |json, _| {
            through_blender(json);
            let group = index(json, "group");
            json["nodes"][group]["rotation"] = rotation.clone();
            json["nodes"][group]["scale"] = scale.clone();
        })
    };
    let back = turned(json!([0, 0.600_000_2, 0, 0.799_999_9]), json!([1.000_000_1, 0.999_999_9, 1]));
    assert_eq!(back.nodes[group].transform, scene.nodes[group].transform);
    let edited = turned(json!([0, 0.8, 0, 0.6]), json!([1.5, 1.5, 1.5]));
    assert_eq!(edited.nodes[group].transform.rotation, [0.0, 0.8, 0.0, 0.6]);
    assert_eq!(edited.nodes[group].transform.scale, [1.5; 3]);
}

#[test]
fn a_mesh_that_was_deleted_takes_the_bone_along_that_only_held_it() {
    let mut scene = model();
    // It becomes a joint, because it is the child of one.
    let tip = scene.find("tip").unwrap();
    scene.add_node(Some(tip), Node { mesh: Some(2), ..Node::new("hat") });
    let split = |json: &mut Value, keep: &[&str]| {
        through_blender(json);
        let hat = index(json, "hat");
        let mesh = json["nodes"][hat].as_object_mut().unwrap().remove("mesh").unwrap();
        if keep.contains(&"hat") {
            let half = json["nodes"].as_array().unwrap().len();
            json["nodes"].as_array_mut().unwrap().push(json!({"name": "hat", "mesh": mesh}));
            json["nodes"][hat]["children"] = json!([half]);
        }
        if !keep.contains(&"bone") {
            // Its half is the last child of the bone.
            let bone = index(json, "bone");
            let half = json["nodes"][bone]["children"].as_array_mut().unwrap().pop().unwrap();
            json["nodes"][half.as_u64().unwrap() as usize] = json!({"name": "unused"});
        }
        // Blender lists every bone in every skin and says nothing about spare ones.
        json["skins"][0].as_object_mut().unwrap().remove("extras");
    };
    let whole = back_of(&scene, |json, _| split(json, &["hat", "bone"]));
    assert_eq!(whole.nodes, scene.nodes);
    let bare = back_of(&scene, |json, _| split(json, &["bone"]));
    assert_eq!((bare.find("hat"), bare.nodes.len()), (None, scene.nodes.len() - 1));
    assert!(bare.skins[0].joints.iter().all(|joint| (*joint as usize) < bare.nodes.len()));
    // A bone that moves vertices is more than what it holds.
    let (text, bin) = write_gltf(&scene, &Options::default(), "thing.bin");
    let mut json: Value = serde_json::from_str(&text).unwrap();
    split(&mut json, &["hat"]);
    let boned = read(json.to_string().as_bytes(), &Limits::default(), &mut |_| Some(bin.clone())).unwrap();
    let bone = boned.scene.node(boned.scene.find("bone").unwrap()).unwrap();
    assert_eq!(bone.mesh, None);
}

#[test]
fn textures_that_a_program_has_no_place_for_stay() {
    let mut scene = model();
    let texture = |slot, name: &str| Texture { slot, name: name.into(), ..Texture::default() };
    let room = vec![texture(Slot::Base, "wall"), texture(Slot::Lightmap, "light")];
    let glow = vec![texture(Slot::Base, "face"), texture(Slot::Normal, "bumps")];
    scene.materials = vec![
        Material { name: "room".into(), textures: room, ..Material::default() },
        Material { name: "glow".into(), textures: glow, unlit: true, ..Material::default() },
    ];
    scene.meshes[1].primitives[0].material = Some(0);
    scene.meshes[2].primitives[0].material = Some(1);
    // Without coordinates, no image is drawn.
    scene.vertices.iter_mut().for_each(|v| v.uvs = vec![vec![[0.0; 2]; v.positions.len()]]);
    let appearance = |_, material: &Material| {
        let roles =
            [(Role::BaseColor, Slot::Base), (Role::Normal, Slot::Normal), (Role::Lightmap, Slot::Lightmap)];
        let maps = roles.into_iter().filter_map(|(role, slot)| {
            let at = material.textures.iter().position(|t| t.slot == slot)?;
            let own = &material.textures[at];
            Some(Map {
                role,
                image: own.name.clone(),
                texture: Some(at),
                uv_set: own.uv_set,
                wrap: own.wrap,
                transform: own.transform,
                notes: Default::default(),
            })
        });
        Appearance { maps: maps.collect(), ..Appearance::of(material) }
    };
    let image = |name: &str| Some(ImageSource::File(format!("{name}.png")));
    let options = Options::default().with_appearance(&appearance).with_image(&image);
    let (text, bin) = write_gltf(&scene, &options, "thing.bin");
    let back = |change: &dyn Fn(&mut Value)| {
        let mut json: Value = serde_json::from_str(&text).unwrap();
        change(&mut json);
        read(json.to_string().as_bytes(), &Limits::default(), &mut |_| Some(bin.clone())).unwrap().scene
    };
    let without = |json: &mut Value| {
        json["extensionsUsed"].as_array_mut().unwrap().retain(|e| e != "MOZ_lightmap");
        let extensions = &mut json["materials"][0]["extensions"];
        let lightmap = extensions.as_object_mut().expect("room").remove("MOZ_lightmap");
        assert!(lightmap.is_some());
        assert!(json["materials"][1].as_object_mut().unwrap().remove("normalTexture").is_some());
    };
    let blender = |json: &mut Value| {
        through_blender(json);
        without(json);
    };
    assert_eq!(back(&|_| ()).materials, scene.materials);
    assert_eq!(back(&blender).materials, scene.materials);
    // Another program can say that there is no normal map, and anyone that there is no picture.
    assert_eq!(back(&without).materials[1].textures.len(), 1);
    let bare = back(&|json| {
        blender(json);
        json["materials"][0]["pbrMetallicRoughness"].as_object_mut().unwrap().remove("baseColorTexture");
    });
    assert_eq!(bare.materials[0].textures, scene.materials[0].textures[1..]);
}

#[test]
fn keys_out_of_order_come_back_where_one_of_them_was_dropped() {
    let mut scene = model();
    let group = scene.find("group").unwrap();
    let values = vec![5.0, 0.0, 0.0, 6.0, 0.0, 0.0, 7.0, 0.0, 0.0, 8.0, 0.0, 0.0];
    let times = vec![0.0, 1.7, 4.5, 4.466_67];
    let unsorted = Channel::node(group, Property::Translation, Interpolation::Linear, times, values);
    scene.clips[0].channels.push(unsorted);
    assert_eq!(back_of(&scene, |_, _| ()).clips, scene.clips);
    let through = back_of(&scene, |json, bin| {
        through_blender(json);
        let group = index(json, "group");
        let animation = &json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let channel = channels.iter().find(|c| c["target"]["node"] == group).unwrap();
        let sampler = animation["samplers"][channel["sampler"].as_u64().unwrap() as usize].clone();
        // Of the two that are hardly apart, Blender keeps the second at the time of the first, and rounds the rest.
        for (key, rows) in [
            ("input", vec![0.0, 1.700_000_2, 4.5]),
            ("output", vec![5.0, 0.0, 0.0, 6.0, 0.0, 0.0, 8.0, 0.0, 0.0]),
        ] {
            let at = sampler[key].as_u64().unwrap() as usize;
            let view = json["accessors"][at]["bufferView"].as_u64().unwrap() as usize;
            let offset = |value: &Value| value["byteOffset"].as_u64().unwrap_or(0) as usize;
            let start = offset(&json["bufferViews"][view]) + offset(&json["accessors"][at]);
            for (i, number) in rows.iter().enumerate() {
                bin[start + i * 4..start + i * 4 + 4].copy_from_slice(&(*number as f32).to_le_bytes());
            }
            json["accessors"][at]["count"] = 3.into();
            json["accessors"][at].as_object_mut().unwrap().remove("max");
        }
    });
    let found =
        through.clips[0].channels.iter().find(|c| c.target == galatea_scene::Target::Node(group)).unwrap();
    let near =
        |a: &[f32], b: &[f32]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near(&found.times, &[0.0, 1.7, 4.5, 4.466_67]), "{:?}", found.times);
    assert!(near(&found.values, &[5.0, 0.0, 0.0, 6.0, 0.0, 0.0, 7.0, 0.0, 0.0, 8.0, 0.0, 0.0]));
}

#[test]
fn a_single_rotation_of_another_length_comes_back_from_many_keys() {
    let mut scene = model();
    let group = scene.find("group").unwrap();
    let turn = vec![0.0, 0.0, 1.001_953, 0.0];
    let single = Channel::node(group, Property::Rotation, Interpolation::Linear, vec![0.0], turn);
    scene.clips[0].channels.push(single);
    assert_eq!(back_of(&scene, |_, _| ()).clips, scene.clips);
    let through = back_of(&scene, |json, bin| {
        through_blender(json);
        let group = index(json, "group");
        let animation = &json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let channel = channels.iter().find(|c| c["target"]["node"] == group).unwrap();
        let sampler = animation["samplers"][channel["sampler"].as_u64().unwrap() as usize].clone();
        // Of a half turn, Blender writes now one quaternion, now the other.
        let times = [0.0f32, 0.25, 0.5];
        let turns = [0.0f32, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1e-9, 0.0, 0.0, -1.0, 0.0];
        for (key, rows) in [("input", times.as_slice()), ("output", turns.as_slice())] {
            let at = sampler[key].as_u64().unwrap() as usize;
            let view = json["bufferViews"].as_array().unwrap().len();
            let new = json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": rows.len() * 4});
            json["bufferViews"].as_array_mut().unwrap().push(new);
            bin.extend(rows.iter().flat_map(|v| v.to_le_bytes()));
            json["buffers"][0]["byteLength"] = bin.len().into();
            let accessor = json["accessors"][at].as_object_mut().unwrap();
            accessor.remove("byteOffset");
            accessor.insert("bufferView".into(), view.into());
            accessor.insert("count".into(), 3.into());
        }
    });
    let wanted = scene.clips[0].channels.last().unwrap();
    let found = through.clips[0].channels.iter().find(|c| c.target == wanted.target).unwrap();
    assert_eq!(found.times, wanted.times);
    assert!((found.values[2].abs() - 1.001_953).abs() < 1e-5, "{:?}", found.values);
}
