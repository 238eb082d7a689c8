//! glTF that did not come from a game's model becomes a model of every game that passes `check`, and the same triangles, weights
//! and clips come back, as near as the format can hold them.
#![cfg(test)]

use galatea::scene::{
    Channel, Clip, Influences, Interpolation, Material, Mesh, Node, Primitive, Property, Scene, Skin, Slot,
    Texture, Tolerance, Transform, UvTransform, Vertices,
};
use galatea::{
    ConvertOptions, FormatId, Input, Limits, SceneContext, Severity, convert, fox, kotor, mdlx, open,
};

/// A format, its options, and how near what comes back must be.
fn ways() -> [(FormatId, ConvertOptions, Tolerance); 4] {
    let four = Tolerance::default().with_influences(4);
    let ticks = four.with_tick(0.001);
    let version = |version| ConvertOptions::default().with_version(version);
    [
        (FormatId::KotorMdl, ConvertOptions::default(), four.with_weight(1e-5)),
        (
            FormatId::Mdx,
            version(800).with_weights(mdlx::GroupWeights::Shares),
            ticks.with_weight(1.0 / 8.0).with_influences(8),
        ),
        (FormatId::Mdx, version(1000), ticks.with_weight(1.5 / 255.0)),
        (FormatId::Fmdl, ConvertOptions::default(), four.with_weight(1.5 / 255.0).with_clips(false)),
    ]
}

/// The scene through a GLB into a format, its losses, and what comes back.
fn trip(scene: &Scene, to: FormatId, options: &ConvertOptions) -> (Vec<String>, Scene) {
    let glb = galatea::gltf::write_glb(scene, &galatea::gltf::Options::default()).unwrap();
    trip_of(&glb, to, options, scene.nodes.iter().map(|n| n.name.as_str()))
}

fn trip_of<'a>(
    glb: &[u8],
    to: FormatId,
    options: &ConvertOptions,
    words: impl Iterator<Item = &'a str>,
) -> (Vec<String>, Scene) {
    let mut names = fox::Dictionary::built_in();
    words.for_each(|word| names.add(word));
    let context = SceneContext::new("plc_thing").with_names(&names);
    let source = open(&Input::new(glb), &Limits::default()).unwrap();
    let made = convert(source.as_ref(), to, options, &context).unwrap();
    let model = open(&made.output.input(), &Limits::default()).unwrap();
    let report = model.check();
    assert_eq!(report.at_least(Severity::Error), 0, "{to}: {:#?}", report.findings());
    let back = convert(model.as_ref(), FormatId::Glb, &ConvertOptions::default(), &context).unwrap();
    let loaded = galatea::gltf::read(&back.output.bytes, &Limits::default(), &mut |_| None).unwrap();
    (made.losses.iter().map(ToString::to_string).collect(), loaded.scene)
}

/// Checks a scene in all formats; returns what each lost.
fn same_everywhere(scene: &Scene) -> Vec<Vec<String>> {
    ways()
        .iter()
        .map(|(to, options, tolerance)| {
            let (losses, back) = trip(scene, *to, options);
            let wrong = scene.looks_like(&back, tolerance);
            assert!(wrong.is_empty(), "{to} {:?}: {wrong:#?}", options.version);
            losses
        })
        .collect()
}

/// A sheet of squares, so many along each side, a little bent.
fn sheet(side: u32) -> (Vertices, Vec<u32>) {
    let row = side + 1;
    let at = |i: u32| {
        let (x, y) = ((i % row) as f32, (i / row) as f32);
        [x / side as f32, y / side as f32, (x * 0.1).sin() * 0.2]
    };
    let square = |i: u32| {
        let a = i / side * row + i % side;
        [a, a + 1, a + row + 1, a, a + row + 1, a + row]
    };
    let vertices = Vertices { positions: (0..row * row).map(at).collect(), ..Vertices::default() };
    (vertices, (0..side * side).flat_map(square).collect())
}

fn add_mesh(scene: &mut Scene, name: &str, (vertices, indices): (Vertices, Vec<u32>)) -> u32 {
    let primitive = Primitive { vertices: scene.vertices.len() as u32, indices, ..Primitive::default() };
    scene.vertices.push(vertices);
    scene.meshes.push(Mesh { name: name.into(), primitives: vec![primitive], ..Mesh::default() });
    scene.meshes.len() as u32 - 1
}

fn turn(axis: [f32; 3], angle: f32) -> [f32; 4] {
    let (s, c) = (angle * 0.5).sin_cos();
    let [x, y, z] = axis;
    [x * s, y * s, z * s, c]
}

fn clip(name: &str, channels: Vec<Channel>) -> Clip {
    Clip { name: name.into(), length: 1.0, channels, ..Clip::default() }
}

/// A sheet that a row of bones moves, each vertex by `most` of them.
fn boned(side: u32, bones: u32, most: usize) -> Scene {
    let mut scene = Scene::new("boned");
    let (mut vertices, indices) = sheet(side);
    let mut all = Influences { width: most, ..Influences::default() };
    for [x, ..] in &vertices.positions {
        let at = x * (bones - 1) as f32;
        let mut row: Vec<(u16, f32)> = (0..bones as u16)
            .map(|b| (b, (1.0 - (f32::from(b) - at).abs() / most as f32).max(0.0)))
            .collect();
        row.sort_by(|a, b| b.1.total_cmp(&a.1));
        row.truncate(most);
        let sum: f32 = row.iter().map(|(_, w)| w).sum();
        all.joints.extend(row.iter().map(|(b, w)| if *w > 0.0 { *b } else { 0 }));
        all.weights.extend(row.iter().map(|(_, w)| w / sum));
    }
    vertices.influences = all;
    let mesh = add_mesh(&mut scene, "sheet", (vertices, indices));
    let root = scene.add_node(None, Node::new("rig"));
    scene.add_node(None, Node { mesh: Some(mesh), skin: Some(0), ..Node::new("body") });
    let mut skin = Skin { name: "skin".into(), ..Skin::default() };
    let step = 1.0 / (bones - 1) as f32;
    let mut above = root;
    for bone in 0..bones {
        let translation = if bone == 0 { [0.0; 3] } else { [step, 0.0, 0.0] };
        let transform = Transform { translation, ..Transform::default() };
        above = scene.add_node(Some(above), Node { transform, ..Node::new(&format!("bone{bone}")) });
        skin.joints.push(above);
        let back = galatea_bind(step * bone as f32);
        skin.inverse_bind.push(back);
    }
    let (first, last) = (skin.joints[0], *skin.joints.last().unwrap());
    scene.skins.push(skin);
    let keys = [turn([0.0, 0.0, 1.0], 0.0), turn([0.0, 0.6, 0.8], 0.7), turn([1.0, 0.0, 0.0], -0.4)];
    let bend = |node| {
        let times = vec![0.0, 0.4, 1.0];
        Channel::node(node, Property::Rotation, Interpolation::Linear, times, keys.concat())
    };
    scene.clips.push(clip("bend", vec![bend(first), bend(last)]));
    scene
}

/// The inverse of a step along X, columns first.
fn galatea_bind(x: f32) -> [f32; 16] {
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, 0.0, 0.0, 1.0]
}

#[test]
fn eighty_bones_on_one_mesh_are_shared_out() {
    let losses = same_everywhere(&boned(40, 80, 2));
    assert!(losses[0].is_empty(), "{:?}", losses[0]);
    assert_eq!(losses[3], ["clip \"bend\""]);
}

#[test]
fn more_vertices_than_sixteen_bits_count_are_cut_into_meshes() {
    let scene = boned(280, 20, 2);
    assert!(scene.vertices[0].positions.len() > 70_000);
    for (to, options, tolerance) in ways() {
        let (_, back) = trip(&scene, to, &options);
        let used = |m: &Mesh| back.vertices_of(&m.primitives[0]).map_or(0, |v| v.positions.len());
        assert!(back.meshes.len() > 1 && back.meshes.iter().all(|m| used(m) <= 65_535));
        assert_eq!(scene.looks_like(&back, &tolerance), [""; 0], "{to}");
    }
}

#[test]
fn weights_beyond_the_fourth_are_named() {
    let losses = same_everywhere(&boned(12, 9, 7));
    for (losses, word) in losses.iter().zip(["beyond", "rounded", "beyond", "more than four"]) {
        assert!(losses.iter().any(|l| l.contains(word)), "{word}: {losses:?}");
    }
}

/// Nodes within nodes, scaled unevenly and mirrored, one mesh at several of them, and the last one turning.
#[test]
fn mirrored_and_uneven_nodes_stand_where_they_did() {
    let mut scene = Scene::new("scales");
    let mesh = add_mesh(&mut scene, "plate", sheet(3));
    let mut above = None;
    for (i, scale) in
        [[-1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [1.0, 1.0, -0.5], [1.0, 3.0, 0.25]].iter().enumerate()
    {
        let transform = Transform {
            translation: [1.0, 0.5 * i as f32, 0.25],
            rotation: turn([0.0, 1.0, 0.0], 0.3 * i as f32),
            scale: *scale,
        };
        above =
            Some(scene.add_node(above, Node { transform, mesh: Some(mesh), ..Node::new(&format!("n{i}")) }));
    }
    same_everywhere(&scene);
    // A mirror above does not bend what turns below it; an uneven scale would, and is named.
    let turning = |node| {
        let keys = [turn([0.0, 0.0, 1.0], 0.0), turn([0.0, 0.0, 1.0], 1.2)].concat();
        Channel::node(node, Property::Rotation, Interpolation::Linear, vec![0.0, 1.0], keys)
    };
    scene.clips.push(clip("turn", vec![turning(2)]));
    same_everywhere(&scene);
}

#[test]
fn parts_with_materials_and_nothing_but_positions_are_filled_in() {
    let mut scene = Scene::new("bare");
    let mesh = add_mesh(&mut scene, "bare", sheet(4));
    for i in 0..5u32 {
        scene.materials.push(Material { name: format!("m{i}"), ..Material::default() });
        let (vertices, indices) = sheet(2 + i);
        let moved = vertices.positions.iter().map(|[x, y, z]| [*x, *y, z + i as f32]).collect();
        let own = Primitive {
            vertices: scene.vertices.len() as u32,
            indices,
            material: Some(i),
            ..Primitive::default()
        };
        scene.vertices.push(Vertices { positions: moved, ..vertices });
        scene.meshes[mesh as usize].primitives.push(own);
    }
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::new("bare") });
    same_everywhere(&scene);
    let (_, back) = trip(&scene, FormatId::KotorMdl, &ConvertOptions::default());
    for vertices in &back.vertices {
        assert!(vertices.normals.len() == vertices.positions.len() && vertices.uvs.len() == 1);
    }
    assert_eq!(back.materials.len(), 2, "one for what had none, and one that all others share");
}

/// A nose that points to positive Z, where glTF has the front.
#[test]
fn models_face_where_the_games_models_face() {
    let mut scene = Scene::new("nose");
    let positions = vec![[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 5.0]];
    let mesh =
        add_mesh(&mut scene, "nose", (Vertices { positions, ..Vertices::default() }, vec![0, 1, 2, 0, 2, 1]));
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::new("nose") });
    let at = galatea::scene::Pose::rest;
    let tip = |scene: &Scene| at(scene).bounds(scene).map(|b| (b.min[2].round(), b.max[2].round())).unwrap();
    // What has no front in KotOR lies as it is: rooms, and what is not known to be anything else.
    let (room, _) = kotor::mdl::Model::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(tip(&room.to_scene()), (0.0, 5.0));
    scene.name = "plc_nose".into();
    let (model, _) = kotor::mdl::Model::from_scene(&scene, &Default::default()).unwrap();
    let (_, mesh) = model.nodes.iter().find_map(|n| Some((n.position, n.mesh.as_ref()?))).unwrap();
    // The node may be turned; together they look along positive Y.
    let kotor = model.to_scene();
    assert!(kotor.front()[2] < -0.99 && mesh.vertices.positions.len() == 3);
    assert_eq!(tip(&kotor), (-5.0, 0.0));
    let (mdx, _) = galatea::mdlx::Model::from_scene(&scene, &Default::default()).unwrap();
    let far = mdx.geosets[0].vertices.iter().map(|v| v[0]).fold(0.0, f32::max);
    assert!((far - 5.0 / 0.0254).abs() < 0.01, "a unit looks along X: {far}");
    let (fmdl, _) = fox::Fmdl::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(tip(&fmdl.to_scene("nose", &fox::Dictionary::new())), (0.0, 5.0));
    // From one game to the other: again to the front.
    let (mdx, _) = galatea::mdlx::Model::from_scene(&kotor, &Default::default()).unwrap();
    let far = mdx.geosets[0].vertices.iter().map(|v| v[0]).fold(0.0, f32::max);
    assert!((far - 5.0 / 0.0254).abs() < 0.01, "{far}");
    let (again, _) = kotor::mdl::Model::from_scene(&mdx.to_scene("nose"), &Default::default()).unwrap();
    assert_eq!(tip(&again.to_scene()), (-5.0, 0.0));
}

#[test]
fn names_are_cut_to_what_fits_and_stay_apart() {
    let mut scene = Scene::new("names");
    let mesh = add_mesh(&mut scene, "plate", sheet(1));
    let long = "x".repeat(90);
    let names = [
        format!("{long}1"),
        format!("{long}2"),
        "Arm".into(),
        "arm".into(),
        "two\nlines".into(),
        "名".into(),
    ];
    for (i, name) in names.iter().enumerate() {
        let transform = Transform { translation: [2.0 * i as f32, 0.0, 0.0], ..Transform::default() };
        scene.add_node(None, Node { transform, mesh: Some(mesh), ..Node::new(name) });
    }
    let up = |node| {
        let values = vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        Channel::node(node, Property::Translation, Interpolation::Linear, vec![0.0, 1.0], values)
    };
    scene.clips.push(clip(&format!("{long}A"), vec![up(0)]));
    scene.clips.push(clip(&format!("{long}B"), vec![up(1)]));
    let losses = same_everywhere(&scene);
    for word in ["node", "clip"] {
        assert!(losses[0].iter().filter(|l| l.starts_with(word) && l.contains("its name, now")).count() >= 2);
        assert!(losses[1].iter().filter(|l| l.starts_with(word) && l.contains("its name, now")).count() >= 2);
    }
    let (_, back) = trip(&scene, FormatId::KotorMdl, &ConvertOptions::default());
    let mut names: Vec<String> = back.nodes.iter().map(|n| n.name.to_lowercase()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), back.nodes.len());
    assert!(names.iter().all(|n| n.len() <= 31 && !n.contains('\n')));
}

/// Steps, lines and curves of places, rotations and scales.
#[test]
fn every_kind_of_channel_plays_the_same_at_its_keys() {
    let mut scene = Scene::new("moves");
    let mesh = add_mesh(&mut scene, "plate", sheet(2));
    let transform =
        Transform { translation: [0.5, 1.0, 0.0], scale: [2.0; 3], rotation: turn([1.0, 0.0, 0.0], 0.5) };
    let root = scene.add_node(None, Node { transform, mesh: Some(mesh), ..Node::new("root") });
    let leaf = scene.add_node(Some(root), Node { transform, mesh: Some(mesh), ..Node::new("leaf") });
    let times = vec![0.0, 0.5, 1.0];
    let places = [[0.5, 1.0, 0.0], [1.0, 1.5, 0.5], [0.0, 1.0, 0.25]].concat();
    let turns =
        [turn([1.0, 0.0, 0.0], 0.5), turn([0.0, 1.0, 0.0], 1.5), turn([0.0, 0.0, 1.0], -0.5)].concat();
    let sizes = [[2.0; 3], [3.0; 3], [1.0; 3]].concat();
    let cubic = |values: &[f32], width: usize| -> Vec<f32> {
        let flat = vec![0.0; width];
        values.chunks_exact(width).flat_map(|v| [flat.clone(), v.to_vec(), flat.clone()].concat()).collect()
    };
    for kind in [Interpolation::Step, Interpolation::Linear, Interpolation::Cubic] {
        let channel = |node, property, values: &[f32], width| {
            let values = if kind == Interpolation::Cubic { cubic(values, width) } else { values.to_vec() };
            Channel::node(node, property, kind, times.clone(), values)
        };
        let channels = [root, leaf].map(|node| {
            [
                channel(node, Property::Translation, &places, 3),
                channel(node, Property::Rotation, &turns, 4),
                channel(node, Property::Scale, &sizes, 3),
            ]
        });
        scene.clips.push(clip(&format!("{kind:?}"), channels.concat()));
    }
    same_everywhere(&scene);
    // Between keys as well.
    for (to, options, tolerance) in ways().into_iter().filter(|(.., t)| t.clips) {
        let (_, back) = trip(&scene, to, &options);
        let mut between = scene.clone();
        for clip in &mut between.clips {
            for channel in clip.channels.iter_mut().filter(|c| c.interpolation != Interpolation::Step) {
                let made =
                    [0.0f32, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0].map(|t| (t, channel.sample(t).unwrap()));
                channel.interpolation = Interpolation::Linear;
                channel.times = made.iter().map(|(t, _)| *t).collect();
                channel.values = made.iter().flat_map(|(_, v)| v.clone()).collect();
            }
        }
        let wrong = between.looks_like(&back, &tolerance.with_clip(2e-3));
        assert!(wrong.is_empty(), "{to}: {wrong:#?}");
    }
}

#[test]
fn shapes_to_morph_into_are_named_as_lost() {
    let text = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"name":"face","primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
            {"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":8}],
        "animations":[{"name":"smile","samplers":[{"input":1,"output":1}],
            "channels":[{"sampler":0,"target":{"node":0,"path":"weights"}}]}],
        "buffers":[{"byteLength":44,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8="}]}"#;
    for (to, options, _) in ways() {
        let (losses, back) = trip_of(text.as_bytes(), to, &options, std::iter::empty());
        assert!(losses.iter().any(|l| l == "mesh \"face\": 1 shapes to morph into"), "{to}: {losses:?}");
        assert!(losses.iter().any(|l| l.contains("smile") && l.contains("weights")), "{to}: {losses:?}");
        assert_eq!(back.meshes[0].primitives[0].indices.len(), 3);
    }
}

#[test]
fn changed_texture_coordinates_arrive_as_they_are_used() {
    let mut scene = Scene::new("moved");
    let (mut vertices, indices) = sheet(1);
    vertices.uvs = vec![vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]];
    let change = UvTransform { offset: [0.25, 0.5], rotation: 0.0, scale: [0.5, 0.25] };
    let texture =
        Texture { slot: Slot::Base, name: "wall".into(), transform: Some(change), ..Texture::default() };
    scene.materials.push(Material { name: "wall".into(), textures: vec![texture], ..Material::default() });
    let mesh = add_mesh(&mut scene, "wall", (vertices, indices));
    scene.meshes[0].primitives[0].material = Some(0);
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::new("wall") });
    for (to, options, _) in ways() {
        let (losses, back) = trip(&scene, to, &options);
        assert!(!losses.iter().any(|l| l.contains("placed")), "{losses:?}");
        let primitive = &back.meshes[0].primitives[0];
        let texture = primitive.material.and_then(|m| back.materials[m as usize].textures.first()).cloned();
        let texture = texture.unwrap_or_default();
        let shown = |uv: [f32; 2]| texture.transform.unwrap_or_default().apply(uv);
        let uvs: Vec<[f32; 2]> =
            back.vertices_of(primitive).unwrap().uvs[0].iter().map(|uv| shown(*uv)).collect();
        for uv in [[0.25, 0.5], [0.75, 0.5], [0.25, 0.75], [0.75, 0.75]] {
            let near = |found: &&[f32; 2]| (found[0] - uv[0]).abs() + (found[1] - uv[1]).abs() < 1e-3;
            assert!(uvs.iter().any(|f| near(&f)), "{to}: {uv:?} is not in {uvs:?}");
        }
    }
}
