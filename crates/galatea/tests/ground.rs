//! The ground of files of every kind, and what their materials are called.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

use galatea::kotor::bwm::{Kind, Walkmesh, text};
use galatea::kotor::surface::Walkability;
use galatea::scene::{Material, Mesh, Node, Primitive, Purpose, Scene, Vertices};
use galatea::walk::{self, Reach};
use galatea::{Ground, Input, Limits, SceneContext, disk, fox, mdlx};
use galatea_robustness::listed;

fn read(bytes: &[u8]) -> Option<Ground> {
    let names = fox::Dictionary::built_in();
    let context = SceneContext::new("test").with_names(&names);
    Ground::read(&Input::new(bytes), &Limits::default(), &context).unwrap()
}

/// Stone, then water, 2 m by 1 m, with an exit at the end of the stone.
fn quay() -> Walkmesh {
    let vertices = vec![
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [2.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
        [2.0, 1.0, 1.0],
    ];
    let faces = vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
    let mut mesh =
        Walkmesh::build(Kind::Area, vertices, faces, vec![4, 4, 6, 17], &Walkability::default()).unwrap();
    assert!(mesh.set_transition(3 + 2, Some(7)));
    mesh
}

#[test]
fn binary_and_text_walkmeshes_are_the_same_ground() {
    let mesh = quay();
    let binary = read(&mesh.write().unwrap()).unwrap();
    assert_eq!(binary, read(&text::print(&mesh, "quay").unwrap()).unwrap());
    assert_eq!(binary, Ground::of_walkmesh(&mesh));
    assert_eq!(binary.surface.transitions, [(5, 7)]);
    assert_eq!(binary.surface.tree.as_ref().unwrap().nodes.len(), 7);
    let names: Vec<&str> = binary.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["Stone", "Water", "DeepWater"]);
    assert_eq!(binary.material("deepwater"), Some(17));
    assert_eq!(binary.material("Lava"), Some(15), "known to the game");
    assert_eq!(binary.material("Cheese"), None);
    let ground = walk::Walkmesh::new(binary.surface).unwrap();
    assert_eq!(ground.locate([1.5, 0.4, 1.2], Reach::default()).map(|f| f.face), Some(2));
    assert!(ground.locate([1.5, 0.9, 1.2], Reach::default()).is_none(), "deep water does not carry");
}

#[test]
fn a_scene_keeps_the_coordinates_of_its_file() {
    let mesh = quay();
    let ground = Ground::of_scene(&mesh.to_scene()).unwrap();
    let direct = Ground::of_walkmesh(&mesh);
    let corners = |g: &Ground| {
        let mut all = g.triangles();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all
    };
    assert_eq!(corners(&ground), corners(&direct));
    assert!(ground.is_kotor && ground.materials == direct.materials);
    assert_eq!(ground.surface.transitions, direct.surface.transitions);
    let glb = galatea::gltf::write_glb(&mesh.to_scene(), &Default::default()).unwrap();
    assert_eq!(read(&glb).unwrap(), direct, "through glTF, too");
}

/// A square on the ground, a wall and a ceiling, y up.
fn hut(purpose: Purpose) -> Scene {
    let mut scene = Scene::new("hut");
    let positions = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 3.0, 1.0], [0.0, 3.0, 1.0]];
    scene.vertices.push(Vertices { positions, ..Vertices::default() });
    scene.materials.push(Material { name: "plank".into(), ..Material::default() });
    let indices = vec![0, 1, 2, 1, 2, 3, 0, 3, 4];
    let primitive = Primitive { indices, material: Some(0), ..Primitive::default() };
    scene.meshes.push(Mesh { primitives: vec![primitive], purpose, ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("hut") });
    scene
}

#[test]
fn what_is_not_made_for_walking_is_told_apart_by_slope() {
    for purpose in [Purpose::Render, Purpose::Collision, Purpose::Walk] {
        let ground = Ground::of_scene(&hut(purpose)).unwrap();
        assert_eq!(ground.surface.materials[..2], [0, 1]);
        assert_eq!((ground.name(0), ground.name(1)), ("floor".to_owned(), "wall".to_owned()));
        assert_eq!(ground.surface.positions[2], [1.0, -1.0, 0.0], "z is up now");
        assert_eq!(ground.material("plank"), None);
    }
    assert!(Ground::of_scene(&hut(Purpose::Hidden)).is_none());
}

#[test]
fn the_collision_mesh_of_wow_alpha_is_ground() {
    let mesh = mdlx::CollisionMesh {
        vertices: vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 2.0]],
        triangles: vec![0, 1, 2, 0, 1, 3],
        normals: Vec::new(),
    };
    let model = mdlx::Model { collision_mesh: Some(Box::new(mesh)), ..mdlx::Model::default() };
    let names = fox::Dictionary::built_in();
    let context = SceneContext::new("test").with_names(&names);
    let ground = Ground::of(&model, &context).unwrap();
    assert_eq!(ground.surface.materials, [0, 1]);
    let mesh = walk::Walkmesh::new(ground.surface).unwrap();
    assert_eq!(mesh.locate([1.5, 0.5, 1.0], Reach::default()).map(|f| f.face), Some(0));
}

fn ground_of(path: std::path::PathBuf) -> Option<Ground> {
    let names = fox::Dictionary::built_in();
    let context = SceneContext::new("test").with_names(&names);
    let loaded = disk::load(&disk::Job::new(path)).unwrap();
    Ground::read(&loaded.input(), &Limits::default(), &context).unwrap()
}

#[test]
#[ignore = "needs the corpus"]
fn the_corpus_boar_has_a_box_around_it() {
    let (path, _) = listed(&["mdx/v1300"], &[".mdx"]).bytes().next().unwrap();
    let ground = ground_of(path).unwrap();
    assert_eq!(walk::Walkmesh::new(ground.surface).unwrap().len(), 12);
}

/// Rooms whose model and walkmesh are both in the corpus: the model's own walkmesh node has the same faces.
#[test]
#[ignore = "needs the corpus"]
fn corpus_rooms_have_the_ground_of_their_walkmesh() {
    let mut pairs = 0;
    for (wok, _) in listed(&["kotor"], &[".wok"]).bytes() {
        let model = wok.with_extension("mdl");
        if !model.is_file() {
            continue;
        }
        let walkmesh = ground_of(wok).unwrap();
        // Not every model has a walkmesh of its own.
        let Some(room) = ground_of(model.clone()) else { continue };
        assert!(room.is_kotor, "{}", model.display());
        assert_eq!(room.surface.faces.len(), walkmesh.surface.faces.len(), "{}", model.display());
        pairs += 1;
    }
    assert!(pairs > 10, "{pairs}");
}
