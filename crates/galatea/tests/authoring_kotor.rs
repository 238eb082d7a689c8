//! The KotOR part of `docs/authoring.md`: rooms, placeables, doors and characters as an artist makes them become files that
//! need no second tool.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // A test that meets the unexpected has to fail.

#[path = "authored/kotor.rs"]
mod authored;

use authored::{add_cube, at, character, door, glb, hall, material, mesh, part, placeable, supermodel};
use galatea::kotor::authoring::{Authoring, Class, Neighbor, Smoothing, WalkmeshUse};
use galatea::kotor::bwm::Walkmesh;
use galatea::kotor::mdl::Model;
use galatea::kotor::surface;
use galatea::scene::{Influences, Node, Primitive, Purpose, Scene, Skin, Topology};
use galatea::walk::{self, Agent, Effort, Materials, Navigator, Ray, Route};
use galatea::{
    ConvertError, ConvertOptions, Converted, FormatId, Ground, Input, Limits, SceneContext, Severity,
    convert, open,
};

/// Where a test writes what it authors, for other people's readers: `cargo xtask kotor`.
fn keep(name: &str, bytes: &[u8]) {
    if let Some(out) = std::env::var_os("GALATEA_AUTHORED").map(std::path::PathBuf::from) {
        std::fs::write(out.join(name), bytes).unwrap();
    }
}

fn keep_all(name: &str, made: &Converted) {
    let (stem, _) = name.split_once('.').unwrap();
    keep(name, &made.output.bytes);
    for companion in &made.output.companions {
        keep(&format!("{stem}.{}", companion.extension), &companion.bytes);
    }
    made.output.siblings.iter().for_each(|(name, bytes)| keep(name, bytes));
}

fn try_convert(scene: &Scene, to: FormatId, context: &SceneContext<'_>) -> Result<Converted, ConvertError> {
    let glb = glb(scene);
    let source = open(&Input::new(&glb), &Limits::default()).unwrap();
    convert(source.as_ref(), to, &ConvertOptions::default(), context)
}

fn sound(bytes: &Input<'_>) {
    let document = open(bytes, &Limits::default()).unwrap();
    let report = document.check();
    assert_eq!(report.at_least(Severity::Warning), 0, "{:#?}", report.findings());
}

/// A model that passes all checks, with everything beside it.
fn model_of(scene: &Scene, context: &SceneContext<'_>) -> (Model, Converted) {
    let made = try_convert(scene, FormatId::KotorMdl, context).unwrap();
    sound(&made.output.input());
    for (name, bytes) in made.output.siblings.iter().filter(|(n, _)| !n.ends_with(".tga")) {
        if !name.ends_with(".txi") {
            sound(&Input::new(bytes));
        }
    }
    keep_all(&format!("{}.mdl", context.name), &made);
    (Model::read(&made.output.bytes, made.output.companion("mdx"), &Limits::default()).unwrap(), made)
}

fn walkmesh_of(scene: &Scene, name: &str, authoring: &Authoring) -> (Walkmesh, Converted) {
    let context = SceneContext::new(name).with_authoring(authoring);
    let made = try_convert(scene, FormatId::KotorBwm, &context).unwrap();
    sound(&Input::new(&made.output.bytes));
    (Walkmesh::read(&made.output.bytes, &Limits::default()).unwrap(), made)
}

fn lines(made: &Converted) -> Vec<String> {
    made.losses.iter().map(ToString::to_string).collect()
}

fn names(model: &Model) -> Vec<String> {
    model.nodes.iter().map(|n| String::from_utf8_lossy(model.name_of(n)).into_owned()).collect()
}

#[test]
fn a_floor_of_four_materials_is_one_surface_to_walk_on() {
    let (mesh, made) = walkmesh_of(&hall(0.0), "m01aa_01a", &Authoring::default());
    assert_eq!(lines(&made), [""; 0]);
    let mut names: Vec<_> = mesh.materials.iter().filter_map(|m| surface::name(*m)).collect();
    names.dedup();
    assert_eq!(names, ["Grass", "Stone", "Metal", "Carpet"]);
    // Ten corners, not sixteen; the border is one loop around all of them.
    assert_eq!((mesh.vertices.len(), mesh.perimeters.len(), mesh.edges.len()), (10, 1, 10));
    let ground = walk::Walkmesh::new(Ground::of_walkmesh(&mesh).surface).unwrap();
    let mut navigator = Navigator::new(&ground, &Agent::default());
    // Over all three seams; the scene's Z points down the plan.
    let Route::Found(path) = navigator.route([0.5, -2.0, 0.0], [15.5, -2.0, 0.0], Effort::Exact) else {
        panic!("the seams are walls")
    };
    assert!((path.length - 15.0).abs() < 1e-3 && path.points.len() == 2, "{path:?}");
    keep("m01aa_01a.wok", &made.output.bytes);
}

#[test]
fn model_and_walkmesh_of_one_file_fit_on_each_other() {
    let scene = hall(0.25);
    for (name, class) in [("m01aa_01a", None), ("hall", None), ("hall", Some(Class::Character))] {
        let authoring = Authoring::default().with_class(class);
        let (model, _) = model_of(&scene, &SceneContext::new(name).with_authoring(&authoring));
        let wok = authoring.with_walkmesh(Some(WalkmeshUse::Room));
        let (mesh, _) = walkmesh_of(&scene, name, &wok);
        let ground = |ground: Ground| walk::Walkmesh::new(ground.surface).unwrap();
        let whole = model.to_scene();
        let mut drawn = whole.clone();
        let walked: Vec<bool> = drawn.meshes.iter().map(|m| m.purpose == Purpose::Aabb).collect();
        assert_eq!(walked.iter().filter(|w| **w).count(), 1);
        drawn
            .nodes
            .iter_mut()
            .filter(|n| n.mesh.is_some_and(|m| walked[m as usize]))
            .for_each(|n| n.mesh = None);
        let surfaces = [
            ground(Ground::of_scene(&drawn).unwrap()),
            ground(Ground::of_scene(&whole).unwrap()),
            ground(Ground::of_walkmesh(&mesh)),
        ];
        let turned = if class.is_some() { -1.0 } else { 1.0 };
        let mut worst = 0.0f32;
        for i in 0..10_000u32 {
            let (x, y) = ((i % 100) as f32 * 0.16 + 0.03, -((i / 100) as f32 * 0.04 + 0.013));
            let ray = Ray::between([x * turned, y * turned, 10.0], [x * turned, y * turned, -10.0]);
            let heights: Vec<f32> = surfaces
                .iter()
                .map(|s| ray.point(s.nearest(&ray, Materials::ALL).unwrap().distance)[2])
                .collect();
            worst = heights.iter().fold(worst, |w, h| w.max((h - heights[0]).abs()));
        }
        assert!(worst < 1e-4, "{name} {class:?}: {worst}");
    }
}

#[test]
fn a_room_has_its_floor_as_a_child_of_the_root() {
    let (model, made) = model_of(&hall(0.0), &SceneContext::new("m01aa_01a").with_walkmesh(true));
    assert_eq!(lines(&made), [""; 0]);
    assert_eq!((model.classification, model.name.lossy().as_ref()), (0, "m01aa_01a"));
    let parts = ["m01aa_01a", "floor", "floor_2", "floor_3", "floor_4", "walkmesh"];
    assert_eq!(names(&model), parts);
    assert!(model.nodes[0].mesh.is_none() && model.nodes[5].parent == Some(0));
    let floor = model.nodes[5].mesh.as_ref().unwrap();
    assert!(floor.aabb.is_some() && floor.render == 0 && floor.faces.len() == 8);
    assert_eq!(floor.texture.lossy(), "NULL");
    let mut surfaces: Vec<u32> = floor.faces.iter().map(|f| f.material).collect();
    surfaces.sort_unstable();
    surfaces.dedup();
    assert_eq!(surfaces, [3, 4, 9, 10]);
    assert_eq!((model.bounds, model.radius), ([[-5.0, -5.0, -1.0], [5.0, 5.0, 10.0]], 7.0));
    let counters: Vec<u32> =
        model.nodes.iter().filter_map(|n| n.mesh.as_ref()).map(|m| m.inverted_counters[0]).collect();
    assert_eq!(counters, [98, 97, 96, 95, 94]);
    let files: Vec<&str> = made.output.siblings.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(files, ["m01aa_01a.wok"]);
}

#[test]
fn surfaces_are_told_or_named_and_others_are_stone() {
    let mut scene = hall(0.0);
    scene.materials.iter_mut().filter(|m| m.name != "paint").for_each(|m| m.name = format!("{}x", m.name));
    scene
        .materials
        .iter_mut()
        .for_each(|m| m.name = m.name.replace("Grassx", "Lawny").replace("Stone", "cobbles"));
    let authoring = Authoring::default().with_surfaces(vec![("LAWNY".into(), 20), ("metalx".into(), 7)]);
    let (mesh, made) = walkmesh_of(&scene, "m01aa_01a", &authoring);
    let mut found: Vec<u32> = mesh.materials.clone();
    found.dedup();
    assert_eq!(found, [20, 4, 9, 7], "walkable ones first");
    assert!(lines(&made).iter().any(|l| l.contains("it becomes Stone")), "{:?}", lines(&made));
}

#[test]
fn transitions_come_from_lines_faces_and_the_borders_of_other_rooms() {
    let mut scene = hall(0.0);
    // A line at the near end, with vertices of its own, and one in the middle of nowhere.
    let lines_of = |scene: &mut Scene, name: &str, ends: [[f32; 3]; 2]| {
        let paint = material(scene, name);
        let line =
            Primitive { topology: Topology::Lines, ..part(scene, ends.to_vec(), vec![0, 1], Some(paint)) };
        let mesh = mesh(scene, "exit", vec![line]);
        scene.add_node(None, Node { mesh, ..Node::new("walkmesh exit") });
    };
    lines_of(&mut scene, "transition 2", [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0]]);
    lines_of(&mut scene, "Transition_5", [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0]]);
    // An upright face over one edge of the long side.
    let paint = material(&mut scene, "transition 4");
    let upright =
        part(&mut scene, vec![[4.0, 0.0, 4.0], [8.0, 0.0, 4.0], [8.0, 2.0, 4.0]], vec![0, 1, 2], Some(paint));
    let gate = mesh(&mut scene, "gate", vec![upright]);
    scene.add_node(None, Node { mesh: gate, ..Node::new("walk_gate") });
    let gate_is_floor = scene.nodes.len() - 1;
    scene.nodes[gate_is_floor].name = "transition gate".into();
    // The room behind the far end has three shorter edges there.
    let steps = [0.0, 1.0, 2.5, 4.0].map(|y: f32| [116.0, 50.0 - y, 3.0]);
    let border = steps.windows(2).map(|w| [w[1], w[0]]).collect();
    let authoring = Authoring::default()
        .with_place([100.0, 50.0, 3.0])
        .with_neighbors(vec![Neighbor::new(7, border), Neighbor::new(8, vec![[[0.0; 3], [1.0; 3]]])]);
    let (mesh, made) = walkmesh_of(&scene, "m01aa_01a", &authoring);
    let mut rooms: Vec<i32> = mesh.edges.iter().map(|e| e.transition).filter(|t| *t >= 0).collect();
    rooms.sort_unstable();
    assert_eq!(rooms, [2, 4, 7]);
    assert_eq!(
        lines(&made),
        ["transition 5: from 101.00,49.00,3.00 to 102.00,49.00,3.00: no edge of the border is there"]
    );
    assert!(mesh.vertices.iter().all(|v| v[0] >= 100.0 && v[2] == 3.0));
}

#[test]
fn a_placeable_has_its_walkmesh_and_its_hooks() {
    let context = SceneContext::new("plc_crate").with_walkmesh(true);
    let (model, made) = model_of(&placeable(), &context);
    assert_eq!(model.classification, 32);
    assert_eq!(names(&model), ["plc_crate", "crate", "lookathook"]);
    assert_eq!(model.nodes[1].mesh.as_ref().unwrap().shadow, 1);
    let (_, pwk) = made.output.siblings.iter().find(|(name, _)| name == "plc_crate.pwk").unwrap();
    let mesh = Walkmesh::read(pwk, &Limits::default()).unwrap();
    assert_eq!((mesh.kind.code(), mesh.aabb.len(), mesh.edges.len(), mesh.faces.len()), (0, 0, 0, 12));
    assert!(mesh.materials.iter().all(|m| *m == 7));
    // What is in front in Blender, and in glTF, is in front in the game: positive Y.
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near(mesh.relative_use[0], [0.0, 1.1, 0.0]) && near(mesh.relative_use[1], [0.0, -1.1, 0.0]));
    let alone = Authoring::default().with_walkmesh(Some(WalkmeshUse::Placeable));
    assert_eq!(walkmesh_of(&placeable(), "plc_crate", &alone).0, mesh);
}

#[test]
fn textures_become_powers_of_two_with_what_the_game_must_know() {
    let (model, made) = model_of(&placeable(), &SceneContext::new("plc_crate"));
    assert_eq!(model.nodes[1].mesh.as_ref().unwrap().texture.lossy(), "plc_crate01");
    let file = |made: &Converted, name: &str| {
        made.output.siblings.iter().find(|(n, _)| n == name).map(|(_, b)| b.clone())
    };
    let tga =
        galatea::texture::decode(&file(&made, "plc_crate01.tga").unwrap(), &[], &Limits::default()).unwrap();
    assert_eq!((tga.width, tga.height), (8, 4));
    assert_eq!(&tga.rgba[..4], [200, 100, 50, 128]);
    assert_eq!(file(&made, "plc_crate01.txi").unwrap(), b"blending punchthrough\r\n");
    let tpc = SceneContext::new("plc_crate").with_new_textures(FormatId::Tpc);
    let (_, made) = model_of(&placeable(), &tpc);
    let tpc = galatea::texture::Texture::read(&file(&made, "plc_crate01.tpc").unwrap(), &Limits::default())
        .unwrap();
    let galatea::texture::Texture::Tpc(tpc) = tpc else { panic!("no TPC") };
    assert!(tpc.txi.print().starts_with(b"blending punchthrough"));
}

#[test]
fn a_door_has_three_walkmeshes() {
    let (model, made) = model_of(&door(), &SceneContext::new("dor_gate").with_walkmesh(true));
    assert_eq!(
        (model.classification, names(&model)),
        (8, vec!["dor_gate".into(), "leaf".into(), "trans".into()])
    );
    let files: Vec<&str> = made.output.siblings.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(files, ["dor_gate0.dwk", "dor_gate1.dwk", "dor_gate2.dwk"]);
    let authoring = Authoring::default().with_walkmesh(Some(WalkmeshUse::Door));
    let (closed, alone) = walkmesh_of(&door(), "dor_gate", &authoring);
    assert_eq!(alone.output.siblings, made.output.siblings[1..]);
    let middle =
        |mesh: &Walkmesh| mesh.vertices.iter().map(|v| v[0]).sum::<f32>() / mesh.vertices.len() as f32;
    let open: Vec<f32> = alone
        .output
        .siblings
        .iter()
        .map(|(_, b)| middle(&Walkmesh::read(b, &Limits::default()).unwrap()))
        .collect();
    // Turned with the model, which faces the other way.
    assert!(middle(&closed).abs() < 1e-5 && (open[0] + 2.0).abs() < 1e-5 && (open[1] - 2.0).abs() < 1e-5);
    assert_eq!(closed.relative_use, closed.absolute_use);
    let text = try_convert(
        &door(),
        FormatId::KotorBwmAscii,
        &SceneContext::new("dor_gate").with_authoring(&authoring),
    )
    .unwrap();
    let parts = galatea::kotor::bwm::text::parse_all(&text.output.bytes, &Limits::default()).unwrap();
    assert_eq!(parts.len(), 3);
}

#[test]
fn a_character_is_numbered_as_its_supermodel() {
    let authoring =
        Authoring::default().with_supermodel(Some("S_Test".into())).with_animation_scale(Some(1.06));
    let find = |name: &str| (name == "S_Test").then(|| supermodel("s_test"));
    let context = SceneContext::new("n_soldier").with_authoring(&authoring);
    let (model, made) =
        model_of(&character(), &context.with_supermodel(Some(&find as &galatea::FindModel<'_>)));
    assert_eq!(lines(&made), [""; 0]);
    assert_eq!((model.classification, model.animation_scale), (4, 1.06));
    assert_eq!(model.supermodel(), Some(&b"S_Test"[..]));
    let above = supermodel("s_test");
    let number = |model: &Model, name: &[u8]| model.nodes[model.find(name).unwrap() as usize].number;
    for name in [&b"torso_g"[..], b"rootdummy"] {
        assert_eq!(number(&model, name), number(&above, name));
    }
    assert!(number(&model, b"headhook") > above.nodes.len() as u16);
    assert_eq!(model.node_count, model.nodes.len() as u32 + 1 + above.node_count);
    let body = &model.nodes[model.find(b"body").unwrap() as usize];
    assert!(body.parent == Some(0) && body.mesh.as_ref().unwrap().skin.is_some());
    assert_eq!(body.mesh.as_ref().unwrap().shadow, 1);
    // A supermodel that is not there is said.
    let (_, made) = model_of(&character(), &SceneContext::new("n_soldier").with_authoring(&authoring));
    assert!(
        lines(&made).iter().any(|l| l.contains("S_Test") && l.contains("not found")),
        "{:?}",
        lines(&made)
    );
}

#[test]
fn normals_are_smooth_up_to_an_angle() {
    let vertices = |smoothing: Smoothing| {
        let authoring = Authoring::default().with_smoothing(smoothing);
        let (model, _) = model_of(&placeable(), &SceneContext::new("plc_crate").with_authoring(&authoring));
        model.nodes[1].mesh.as_ref().unwrap().vertices.positions.len()
    };
    assert_eq!(vertices(Smoothing::Keep), 8);
    assert_eq!(vertices(Smoothing::Angle(30.0)), 24);
    assert_eq!(vertices(Smoothing::Angle(100.0)), 8);
}

#[test]
fn what_cannot_be_understood_is_one_clear_error() {
    let fail = |scene: &Scene, to: FormatId, name: &str| {
        try_convert(scene, to, &SceneContext::new(name)).unwrap_err().to_string()
    };
    let empty = || {
        let mut scene = Scene::new("x");
        scene.add_node(None, Node::new("nothing"));
        scene
    };
    assert_eq!(fail(&empty(), FormatId::KotorBwm, "x"), "the scene has no triangles for a walkmesh");
    assert_eq!(fail(&empty(), FormatId::KotorMdl, "x"), "the scene has no triangles and no animations");
    // Not through a GLB, which cannot hold such numbers.
    let direct = |scene: &Scene| Model::from_scene(scene, &Default::default()).unwrap_err().to_string();
    let mut nan = placeable();
    nan.vertices[0].positions[5][1] = f32::NAN;
    assert_eq!(direct(&nan), "mesh \"crate\": the position of vertex 5 is not a number");
    assert!(Walkmesh::from_scene(&nan, &Default::default()).is_err());
    let mut lost = character();
    lost.vertices[0].influences.joints[7] = 9;
    assert_eq!(direct(&lost), "mesh \"body\": vertex 3 follows bone 9, and its skin has 2");
    let mut half = door();
    half.nodes.iter_mut().filter(|n| n.name == "closed").for_each(|n| n.name = "shut".into());
    let authoring = Authoring::default().with_walkmesh(Some(WalkmeshUse::Door));
    let context = SceneContext::new("dor_gate").with_authoring(&authoring);
    let error = try_convert(&half, FormatId::KotorBwm, &context).unwrap_err().to_string();
    assert_eq!(error, "a door with open states needs a mesh named `closed`");
    // What was decided for KotOR means nothing elsewhere.
    assert!(matches!(
        try_convert(&placeable(), FormatId::Glb, &context).unwrap_err(),
        ConvertError::UnsupportedOption { .. }
    ));
}

#[test]
fn two_roots_and_hundreds_of_bones_are_understood() {
    let mut scene = Scene::new("x");
    for name in ["root", "Root 2"] {
        add_cube(&mut scene, None, name, [0.0; 3], [1.0; 3], None);
    }
    let (model, _) = model_of(&scene, &SceneContext::new("plc_two"));
    assert_eq!(names(&model), ["plc_two", "root_1", "Root_2"]);
    let mut scene = Scene::new("x");
    let bones: Vec<u32> =
        (0..300).map(|i| scene.add_node(None, at(&format!("b{i}"), [i as f32, 0.0, 0.0]))).collect();
    let positions: Vec<[f32; 3]> = (0..300)
        .flat_map(|i| [[i as f32, 0.0, 0.0], [i as f32, 1.0, 0.0], [i as f32 + 1.0, 0.0, 0.0]])
        .collect();
    let body = part(&mut scene, positions, (0..900).collect(), None);
    let joints = (0..900u16).map(|v| v / 3).collect();
    scene.vertices[0].influences = Influences { width: 1, joints, weights: vec![1.0; 900] };
    let bind = |x: u32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -(x as f32), 0., 0., 1.];
    scene.skins.push(Skin { joints: bones, inverse_bind: (0..300).map(bind).collect(), ..Skin::default() });
    let mesh = mesh(&mut scene, "body", vec![body]);
    scene.add_node(None, Node { mesh, skin: Some(0), ..Node::new("body") });
    let (model, _) = model_of(&scene, &SceneContext::new("c_snake"));
    let skins: Vec<_> = model.nodes.iter().filter_map(|n| n.mesh.as_ref()?.skin.as_ref()).collect();
    assert_eq!(skins.len(), 19);
}

/// The hall as a program without glTF writes it, with its materials in an MTL.
#[test]
fn obj_is_read_with_its_materials() {
    #[derive(Debug)]
    struct Folder;
    impl galatea::SiblingFiles for Folder {
        fn file(&self, path: &str) -> Option<Vec<u8>> {
            let png = galatea::texture::Image::filled(4, 4, [9, 8, 7, 255]);
            match path {
                "hall.mtl" => Some(b"newmtl Grass\nKd 0.5 0.25 1\nmap_Kd -s 1 1 1 textures\\lawn.png\nnewmtl other\nKd 1 1 1\n".to_vec()),
                "textures/lawn.png" => galatea::texture::encode::png(&png).ok(),
                _ => None,
            }
        }
    }
    let text = "# made by hand\nmtllib hall.mtl\no floor\nv 0 0 0\nv 0 0 4\nv 4 0 4\nv 4 0 0\nvt 0 0.25\nvn 0 1 0\n\
        usemtl Grass\nf 1/1/1 2/1/1 3/1/1 -1/1/1\no exit\nusemtl transition 6\nl 1 2\n";
    let folder = Folder;
    let input = || Input::new(text.as_bytes()).with_name("m01aa_01a.obj").with_siblings(&folder);
    let source = open(&input(), &Limits::default()).unwrap();
    assert_eq!((source.format().id, source.summary().triangles), (FormatId::Obj, 2));
    assert_eq!(source.write().unwrap().bytes, text.as_bytes());
    let context = SceneContext::new("m01aa_01a").with_siblings(&folder as &dyn galatea::SiblingFiles);
    let scene = source.to_scene(&context).unwrap();
    assert_eq!(scene.materials[0].base_color, [0.5, 0.25, 1.0, 1.0]);
    assert_eq!(scene.vertices[0].uvs[0][0], [0.0, 0.75]);
    let made = convert(source.as_ref(), FormatId::KotorBwm, &ConvertOptions::default(), &context).unwrap();
    let mesh = Walkmesh::read(&made.output.bytes, &Limits::default()).unwrap();
    assert_eq!((mesh.materials.as_slice(), mesh.vertices.len()), (&[3, 3][..], 4));
    assert!(mesh.edges.iter().any(|e| e.transition == 6));
    let made = convert(source.as_ref(), FormatId::KotorMdl, &ConvertOptions::default(), &context).unwrap();
    assert!(made.output.siblings.iter().any(|(name, _)| name == "lawn.tga"));
    for bad in ["v 0 0 0\nf 1 2 3\n", "v 0 0 0\nf 0 1 1\n", "v 0 0 0\nv 0 x 0\n", "v 0 0 0\nf a\n"] {
        let error = open(&Input::new(bad.as_bytes()), &Limits::default()).err().unwrap();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
    for other in ["", "v\n", "vertices 3\n", "{\"v\": 1}", "newmodel x\nv 1 2 3\n"] {
        assert!(galatea::detect(other.as_bytes()).is_none_or(|f| f.id != FormatId::Obj), "{other}");
    }
}

/// A roof of two quads, with smoothing groups before each.
#[test]
fn smoothing_groups_of_obj_decide_which_corners_share_normals() {
    let vertices = |first: &str, second: &str| {
        let text = format!(
            "o roof\nv 0 1 0\nv 0 1 1\nv 1 0 1\nv 1 0 0\nv -1 0 0\nv -1 0 1\n{first}f 1 2 3 4\n{second}f 1 5 6 2\n"
        );
        let source = open(&Input::new(text.as_bytes()), &Limits::default()).unwrap();
        let made = convert(
            source.as_ref(),
            FormatId::KotorMdl,
            &ConvertOptions::default(),
            &SceneContext::new("plc_roof"),
        );
        let output = made.unwrap().output;
        let model = Model::read(&output.bytes, output.companion("mdx"), &Limits::default()).unwrap();
        model.nodes[1].mesh.as_ref().unwrap().vertices.clone()
    };
    let smooth = vertices("s 1\n", "");
    assert_eq!(smooth.positions.len(), 6);
    assert!(smooth.normals[..2].iter().all(|n| n[0].abs() < 1e-5 && n[1] > 0.99), "{:?}", smooth.normals);
    for (first, second) in [("s 1\n", "s 2\n"), ("s 1\n", "s off\n"), ("s off\n", ""), ("s 0\n", "s 5\n")] {
        let hard = vertices(first, second);
        assert_eq!(hard.positions.len(), 8, "{first}{second}");
        assert!(hard.normals.iter().all(|n| (n[0].abs() - 0.5f32.sqrt()).abs() < 1e-3), "{:?}", hard.normals);
    }
}

#[test]
fn text_is_numbered_by_its_supermodel_and_its_bones_must_exist() {
    let text = |bone: &str| {
        format!(
            "newmodel n_x\nsetsupermodel n_x S_Test\nclassification character\nbeginmodelgeom n_x\n\
             node dummy n_x\n parent NULL\nendnode\nnode dummy rootdummy\n parent n_x\nendnode\n\
             node skin body\n parent n_x\n verts 3\n 0 0 0\n 1 0 0\n 0 1 0\n faces 1\n 0 1 2 1 0 0 0 0\n\
             weights 3\n rootdummy 1\n rootdummy 1\n {bone} 1\nendnode\nendmodelgeom n_x\ndonemodel n_x\n"
        )
    };
    let find = |name: &str| (name == "S_Test").then(|| supermodel("s_test"));
    let made = |find: Option<&galatea::FindModel<'_>>| {
        let text = text("rootdummy");
        let document = open(&Input::new(text.as_bytes()), &Limits::default()).unwrap();
        let context = SceneContext::new("n_x").with_supermodel(find);
        let made =
            convert(document.as_ref(), FormatId::KotorMdl, &ConvertOptions::default(), &context).unwrap();
        let model =
            Model::read(&made.output.bytes, made.output.companion("mdx"), &Limits::default()).unwrap();
        (model.nodes.iter().map(|n| n.number).collect::<Vec<_>>(), lines(&made))
    };
    let (numbers, losses) = made(Some(&find));
    // The third node of the supermodel; the others come after it.
    assert_eq!((numbers[1], losses.len()), (3, 0));
    assert!(numbers[0] > 3 && numbers[2] > 3);
    let (numbers, losses) = made(None);
    assert_eq!(numbers, [0, 1, 2]);
    assert!(
        losses.len() == 1 && losses[0].starts_with("supermodel \"S_Test\": it was not found"),
        "{losses:?}"
    );
    let error = open(&Input::new(text("tail").as_bytes()), &Limits::default()).err().unwrap().to_string();
    assert!(error.contains("vertex 2 follows `tail`, and no node has this name"), "{error}");
}
