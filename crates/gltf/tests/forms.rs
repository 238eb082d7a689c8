//! The many forms in which a valid glTF can say the same thing.
#![cfg(test)]

use galatea_gltf::{Appearance, ImageSource, Loaded, Map, Options, Role, read, write_glb};
use galatea_scene::{
    AlphaMode, Interpolation, Mesh, Node, Pose, Primitive, Scene, Topology, UvTransform, Vertices, example,
};
use galatea_wire::Limits;

fn open(json: &str, bin: &[u8]) -> Loaded {
    read(json.as_bytes(), &Limits::default(), &mut |path| (path == "a.bin").then(|| bin.to_vec())).unwrap()
}

fn document(parts: &str, len: usize) -> String {
    format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"a.bin","byteLength":{len}}}],{parts}}}"#)
}

fn f(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

const QUAD: [f32; 12] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 1., 1., 0.];

fn drawn(mode: u32, indices: &str, bin: &[u8]) -> (Topology, Vec<u32>) {
    let parts = format!(
        r#""bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":{}}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}}{indices}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":{mode}{}}}]}}],
        "nodes":[{{"mesh":0}}],"scenes":[{{"nodes":[0]}}]"#,
        bin.len() - 48,
        if indices.is_empty() { "" } else { r#","indices":1"# },
    );
    let scene = open(&document(&parts, bin.len()), bin).scene;
    let primitive = &scene.meshes[0].primitives[0];
    (primitive.topology, primitive.indices.clone())
}

#[test]
fn strips_fans_loops_and_lists_without_indices() {
    let bin = [f(&QUAD), vec![0; 4]].concat();
    assert_eq!(drawn(4, "", &bin), (Topology::Triangles, vec![0, 1, 2]));
    assert_eq!(drawn(5, "", &bin), (Topology::Triangles, vec![0, 1, 2, 2, 1, 3]));
    assert_eq!(drawn(6, "", &bin), (Topology::Triangles, vec![0, 1, 2, 0, 2, 3]));
    assert_eq!(drawn(1, "", &bin), (Topology::Lines, vec![0, 1, 2, 3]));
    assert_eq!(drawn(2, "", &bin), (Topology::Lines, vec![0, 1, 1, 2, 2, 3, 3, 0]));
    assert_eq!(drawn(3, "", &bin), (Topology::Lines, vec![0, 1, 1, 2, 2, 3]));
    assert_eq!(drawn(0, "", &bin), (Topology::Points, vec![0, 1, 2, 3]));
}

#[test]
fn indices_of_one_two_and_four_bytes() {
    for (code, bytes) in [
        (5121, vec![2u8, 1, 3, 0]),
        (5123, vec![2, 0, 1, 0, 3, 0, 0, 0]),
        (5125, vec![2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0]),
    ] {
        let accessor = format!(r#",{{"bufferView":1,"componentType":{code},"count":3.0,"type":"SCALAR"}}"#);
        let bin = [f(&QUAD), bytes].concat();
        assert_eq!(drawn(4, &accessor, &bin).1, [2, 1, 3], "{code}");
    }
}

#[test]
fn interleaved_normalised_and_sparse_numbers() {
    // Rows of 20 bytes: position, colour of four bytes, texture coordinate of two shorts.
    let mut bin = Vec::new();
    for (i, p) in QUAD.chunks(3).enumerate() {
        bin.extend(f(p));
        bin.extend([255, 0, 51, 255 - i as u8]);
        bin.extend(65535u16.to_le_bytes());
        bin.extend((i as u16).to_le_bytes());
    }
    bin.extend([1, 3, 0, 0]);
    bin.extend(f(&[9., 8., 7., 6., 5., 4.]));
    let parts = r#""bufferViews":[{"buffer":0,"byteLength":80,"byteStride":20},{"buffer":0,"byteOffset":80,"byteLength":28}],
        "accessors":[
        {"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":2,"indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":1,"byteOffset":4}}},
        {"bufferView":0,"byteOffset":12,"componentType":5121,"normalized":true,"count":4,"type":"VEC4"},
        {"bufferView":0,"byteOffset":16,"componentType":5123,"normalized":true,"count":4,"type":"VEC2"},
        {"componentType":5126,"count":4,"type":"VEC3"}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0,"COLOR_0":1,"TEXCOORD_0":2,"NORMAL":3}}]}]"#;
    let scene = open(&document(parts, bin.len()), &bin).scene;
    let v = &scene.vertices[0];
    assert_eq!(v.positions, [[0., 0., 0.], [9., 8., 7.], [0., 1., 0.], [6., 5., 4.]]);
    assert_eq!(v.colors[0][2], [1.0, 0.0, 0.2, 253.0 / 255.0]);
    assert_eq!(v.uvs[0][3], [1.0, 3.0 / 65535.0]);
    assert_eq!(v.normals, [[0.0; 3]; 4]);
}

#[test]
fn a_matrix_becomes_translation_rotation_and_scale() {
    let parts = r#""nodes":[{"matrix":[0,0,-2,0,0,2,0,0,2,0,0,0,5,6,7,1]}],"scenes":[{"nodes":[0]}]"#;
    let scene = open(&document(parts, 0), &[]).scene;
    let t = &scene.nodes[0].transform;
    assert_eq!((t.translation, t.scale), ([5., 6., 7.], [2.0; 3]));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert!(t.rotation.iter().zip([0., half, 0., half]).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn of_several_scenes_the_chosen_one_is_read() {
    let parts = r#""nodes":[{"name":"a"},{"name":"b","children":[2]},{"name":"c"}],"scenes":[{"nodes":[0]},{"nodes":[1],"name":"x"}],"scene":1"#;
    let loaded = open(&document(parts, 0), &[]);
    let names: Vec<&str> = loaded.scene.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!((names, loaded.scene.name.as_str()), (vec!["b", "c"], "x"));
    assert_eq!(loaded.scene.nodes[1].parent, Some(0));
    assert_eq!(loaded.losses.len(), 1);
}

#[test]
fn foreign_extras_and_the_scene_survive_each_other() {
    let parts = r#""nodes":[{"name":"a","extras":{"mine":[1,2],"galatea":{"billboard":"x","odd":3}}},{"name":"b","extras":5}],"scenes":[{"nodes":[0,1],"extras":{"k":"v"}}]"#;
    let first = open(&document(parts, 0), &[]).scene;
    assert_eq!(first.nodes[0].billboard, Some(galatea_scene::Billboard::AboutX));
    let glb = write_glb(&first, &Options::default()).unwrap();
    let text = String::from_utf8_lossy(&glb);
    assert!(text.contains(r#""extras":{"mine":[1,2],"galatea":{"odd":3,"billboard":"x"}}"#), "{text}");
    assert!(text.contains(r#""name":"b","extras":5"#), "{text}");
    assert_eq!(read(&glb, &Limits::default(), &mut |_| None).unwrap().scene, first);
}

fn round(scene: &Scene) -> Scene {
    let glb = write_glb(scene, &Options::default()).unwrap();
    read(&glb, &Limits::default(), &mut |_| None).unwrap().scene
}

/// Scenes compare by bits: NaN equals itself.
fn same(a: &Scene, b: &Scene) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

#[test]
fn what_gltf_refuses_comes_back_bit_for_bit() {
    let mut scene = example();
    let v = &mut scene.vertices[0];
    v.positions[1] = [f32::NAN, 1.0, f32::INFINITY];
    v.normals[0] = [0.0; 3];
    v.normals[3] = [0.1, 0.2, 3.0];
    v.uvs[1][2] = [f32::NEG_INFINITY, -0.0];
    v.colors[0][5] = [2.0, -1.0, 0.5, 1.0];
    v.influences.weights[..4].copy_from_slice(&[0.25, 0.25, 0.0, 0.0]);
    v.influences.joints[4..8].copy_from_slice(&[1, 1, 0, 9]);
    v.attributes[0].values[2] = f32::NAN;
    scene.nodes[2].transform.rotation = [0.0, 0.0, 3.0, 4.0];
    scene.nodes[3].transform.scale = [f32::NAN, 1.0, 0.0];
    scene.materials[1].base_color = [1.5, -0.5, 0.5, 1.0];
    scene.materials[0].emissive = [4.0, 0.0, 0.0];
    scene.materials[0].alpha = AlphaMode::Additive;
    scene.lights[0].color = [-1.0, 0.5, 2.0];
    scene.lights[0].range = Some(-3.0);
    let channel = &mut scene.clips[0].channels[0];
    channel.times = vec![-0.5, -0.5];
    channel.values[3] = 7.0;
    scene.nodes[4].name = "arm".into();
    scene.nodes[5].name = "arm".into();
    scene.nodes[6].name = String::new();
    let back = round(&scene);
    assert!(same(&back, &scene), "{scene:#?}\n{back:#?}");
}

/// A joint without weight is replaced even if it is in range: it must not make joints above it look out of range.
#[test]
fn a_lower_joint_without_weight_comes_back() {
    let mut scene = example();
    let third = scene.add_node(Some(1), galatea_scene::Node::new("third"));
    scene.skins[0].joints.push(third);
    scene.skins[0].inverse_bind.push(glam::Mat4::IDENTITY.to_cols_array());
    let influences = &mut scene.vertices[0].influences;
    influences.joints[..4].copy_from_slice(&[1, 2, 0, 0]);
    influences.weights[..4].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
    let back = round(&scene);
    assert_eq!(back.vertices[0].influences, scene.vertices[0].influences);
}

#[test]
fn meshes_without_geometry_and_broken_indices_survive() {
    let mut scene = example();
    scene.vertices[1].positions.clear();
    scene.meshes[1].primitives.truncate(1);
    scene.meshes[2].extras.insert("odd", 1);
    scene.meshes[0].primitives[0].indices.extend([0, 1, 99, 2]);
    let back = round(&scene);
    let mesh = |s: &Scene, name: &str| {
        let node = s.find(name).unwrap();
        s.meshes[s.nodes[node as usize].mesh.unwrap() as usize].clone()
    };
    for name in ["flesh", "ground", "plate"] {
        let (was, is) = (mesh(&scene, name), mesh(&back, name));
        assert_eq!(
            (&was.name, was.purpose, was.lod, &was.extras),
            (&is.name, is.purpose, is.lod, &is.extras)
        );
        assert_eq!(was.primitives.len(), is.primitives.len());
        assert_eq!(was.primitives[0].material, is.primitives[0].material);
    }
    assert_eq!(mesh(&back, "flesh").primitives[0].indices, scene.meshes[0].primitives[0].indices);
    scene.meshes[0].primitives[0].indices.clear();
    assert_eq!(mesh(&round(&scene), "flesh").primitives[0].indices, [0u32; 0]);
}

#[test]
fn more_than_four_influences_and_more_than_256_joints() {
    let mut scene = example();
    for i in 0..400 {
        let id = scene.add_node(Some(1), galatea_scene::Node::new(&format!("joint{i}")));
        scene.skins[0].joints.push(id);
        scene.skins[0].inverse_bind.push(glam::Mat4::IDENTITY.to_cols_array());
    }
    let v = &mut scene.vertices[0].influences;
    v.width = 7;
    v.joints = (0..42).map(|i| i * 9).collect();
    v.weights = (0..42).map(|i| [0.5, 0.125, 0.125, 0.0625, 0.0625, 0.0625, 0.0625][i % 7]).collect();
    assert_eq!(round(&scene), scene);
}

#[test]
fn images_are_linked_or_embedded_and_edits_win() {
    let scene = example();
    let image = |name: &str| Some(ImageSource::File(format!("tex/{name}.png")));
    let glb = write_glb(&scene, &Options::default().with_image(&image)).unwrap();
    let loaded = read(&glb, &Limits::default(), &mut |_| None).unwrap();
    assert_eq!(loaded.scene, scene);
    assert_eq!(loaded.images[0].source, ImageSource::File("tex/c_arm01.png".into()));
    let embedded = ImageSource::Embedded { mime: "image/png".into(), bytes: vec![1, 2, 3] };
    let glb = write_glb(&scene, &Options::default().with_image(&|_| Some(embedded.clone()))).unwrap();
    let loaded = read(&glb, &Limits::default(), &mut |_| None).unwrap();
    assert_eq!((loaded.scene, &loaded.images[0].source), (scene.clone(), &embedded));
    // Somebody chooses another image.
    let options = Options::default().with_image(&image);
    let (json, bin) = galatea_gltf::write_gltf(&scene, &options, "a.bin");
    let json = json.replace(r#""name":"c_arm01","uri":"tex/c_arm01.png""#, r#""uri":"tex/other.png""#);
    assert_eq!(open(&json, &bin).scene.materials[0].textures[0].name, "other");
}

#[test]
fn a_look_is_shown_and_the_material_comes_back() {
    let mut scene = example();
    scene.materials[0].alpha = AlphaMode::Mask { cutoff: f32::NAN };
    scene.materials[0].base_color = [2.0, 0.5, 0.5, 1.0];
    let appearance = |_: u32, material: &galatea_scene::Material| {
        let mut appearance = Appearance::of(material);
        let Some(mut map) = appearance.maps.first().cloned() else { return appearance };
        appearance.base_color = [1.0, 1.0, 1.0, 0.5];
        appearance.emissive = [0.25; 3];
        (appearance.metallic, appearance.roughness) = (1.0, 0.5);
        appearance.alpha = AlphaMode::Additive;
        (appearance.two_sided, appearance.unlit) = (!material.two_sided, !material.unlit);
        if let Some(first) = appearance.maps.first_mut() {
            first.transform = Some(UvTransform { offset: [0.0, 1.0], scale: [1.0, -1.0], rotation: 0.0 });
            first.notes.insert("txi", "decal 1");
        }
        map.image = "shine".into();
        map.texture = None;
        for role in [Role::MetallicRoughness, Role::Occlusion, Role::Specular, Role::Lightmap, Role::Emissive]
        {
            appearance.maps.push(Map { role, ..map.clone() });
        }
        appearance
    };
    let image = |name: &str| Some(ImageSource::File(format!("{name}.png")));
    let options = Options::default().with_appearance(&appearance).with_image(&image);
    let (json, bin) = galatea_gltf::write_gltf(&scene, &options, "a.bin");
    assert_eq!(json.matches("shine.png").count(), 1, "each image once");
    for word in ["MOZ_lightmap", "specularTexture", "occlusionTexture", "KHR_texture_transform", "decal 1"] {
        assert!(json.contains(word), "{word}");
    }
    let loaded = open(&json, &bin);
    let (shown, back) = (&loaded.appearances[0], &loaded.scene);
    // NaN is not equal to itself.
    assert_eq!(format!("{back:?}"), format!("{scene:?}"));
    // What is drawn is what the document says, not what the material is.
    assert_eq!((shown.metallic, shown.roughness), (1.0, 0.5));
    assert_eq!((shown.base_color, shown.emissive), ([1.0, 1.0, 1.0, 0.5], [0.25; 3]));
    // An edit of what is shown wins, and the rest stays.
    let edited = open(&json.replace(r#""alphaMode":"BLEND""#, r#""alphaMode":"OPAQUE""#), &bin).scene;
    assert_eq!(edited.materials[0].alpha, AlphaMode::Opaque);
    assert_eq!(edited.materials[0].base_color, scene.materials[0].base_color);
}

#[test]
fn edits_in_the_document_arrive_and_nothing_else_changes() {
    let mut scene = example();
    scene.vertices[0].normals[0] = [0.0, 0.0, 9.0];
    scene.nodes[2].transform.rotation = [0.0, 0.0, 3.0, 4.0];
    let (json, mut bin) = galatea_gltf::write_gltf(&scene, &Options::default(), "a.bin");
    let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
    let at = |v: &serde_json::Value| v.as_u64().unwrap_or(0) as usize;
    let accessor = at(&parsed["meshes"][0]["primitives"][0]["attributes"]["POSITION"]);
    let accessor = &parsed["accessors"][accessor];
    let place =
        at(&parsed["bufferViews"][at(&accessor["bufferView"])]["byteOffset"]) + at(&accessor["byteOffset"]);
    bin[place..place + 4].copy_from_slice(&5.5f32.to_le_bytes());
    let json = json.replace(r#""name":"hand""#, r#""name":"paw""#);
    let json = json.replace(
        r#""translation":[0,0,1],"rotation":[0,0,0.6,0.8]"#,
        r#""translation":[0,0,2],"rotation":[0,0,1,0]"#,
    );
    let edited = open(&json, &bin).scene;
    let mut want = scene.clone();
    want.vertices[0].positions[0][0] = 5.5;
    want.nodes[3].name = "paw".into();
    want.nodes[2].transform.translation = [0.0, 0.0, 2.0];
    want.nodes[2].transform.rotation = [0.0, 0.0, 1.0, 0.0];
    assert!(same(&edited, &want), "{edited:#?}");
}

/// A few lines that know only the JSON: where a node is at a time.
#[test]
fn clips_play_the_same_from_the_document() {
    let scene = example();
    let (json, bin) = galatea_gltf::write_gltf(&scene, &Options::default(), "a.bin");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let floats = |accessor: &serde_json::Value| -> Vec<f32> {
        let a = &json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][a["bufferView"].as_u64().unwrap() as usize];
        let at = view["byteOffset"].as_u64().unwrap_or(0) + a["byteOffset"].as_u64().unwrap_or(0);
        let width = match a["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let len = a["count"].as_u64().unwrap() as usize * width * 4;
        bin[at as usize..at as usize + len]
            .chunks(4)
            .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    let animation = &json["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    let channel = channels.iter().find(|channel| channel["target"]["path"] == "rotation").unwrap();
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    let (times, values) = (floats(&sampler["input"]), floats(&sampler["output"]));
    let node = channel["target"]["node"].as_u64().unwrap() as usize;
    for step in 0..=20 {
        let time = step as f32 * 0.05;
        let s = (time - times[0]) / (times[1] - times[0]);
        // Both keys turn about one axis, so that the angle runs straight.
        let angle = 2.0 * values[6].atan2(values[7]) * s;
        let pose = Pose::at(&scene, &scene.clips[0], time);
        let got = pose.local[node].rotation;
        let want = [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()];
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5), "{time}: {got:?} {want:?}");
    }
    assert_eq!(scene.clips[0].channels[1].interpolation, Interpolation::Cubic);
}

#[test]
fn the_material_of_a_hidden_mesh_keeps_its_name() {
    let mut scene = example();
    // The plate, which nobody sees, has a material of its own.
    scene.materials.push(scene.materials[0].clone());
    scene.materials[2].name = "iron".into();
    scene.meshes[2].primitives[0].material = Some(2);
    let glb = write_glb(&scene, &Options::default()).unwrap();
    let back = read(&glb, &Limits::default(), &mut |_| None).unwrap().scene;
    let names: Vec<&str> = back.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["skin", "Grass", "iron"]);
}

/// Two meshes that differ only in a value that glTF forbids have the same accessors; each keeps its own value.
#[test]
fn vertices_that_differ_in_a_forbidden_value_are_not_shared() {
    let mut scene = Scene::new("twins");
    for brightest in [5.0, 1.0] {
        scene.vertices.push(Vertices {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            colors: vec![vec![[1.0, 0.5, 0.25, 1.0], [1.0, 0.5, 0.25, 1.0], [brightest, 0.5, 0.25, 1.0]]],
            ..Vertices::default()
        });
        let vertices = scene.vertices.len() as u32 - 1;
        let primitive = Primitive { vertices, indices: vec![0, 1, 2], ..Primitive::default() };
        scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let mesh = scene.meshes.len() as u32 - 1;
        scene.add_node(None, Node { mesh: Some(mesh), ..Node::new("twin") });
    }
    let glb = write_glb(&scene, &Options::default()).unwrap();
    let back = read(&glb, &Limits::default(), &mut |_| None).unwrap().scene;
    let brightest: Vec<f32> = back
        .meshes
        .iter()
        .map(|m| back.vertices[m.primitives[0].vertices as usize].colors[0][2][0])
        .collect();
    assert_eq!(brightest, [5.0, 1.0]);
}
