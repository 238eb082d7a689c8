//! Levels of detail after an editing program: each level with vertices of its own, copies, tiny rotations of bones.
#![cfg(test)]

mod sample;

use galatea_fox::{Dictionary, Fmdl, Usage, Values};
use galatea_scene::{Influences, NodeId, Scene, Vertices, VerticesId};

/// Keeps only the vertices that a primitive uses, last first, with normals a little off.
fn own_vertices(from: &Vertices, indices: &mut [u32]) -> Vertices {
    let mut used: Vec<u32> = indices.to_vec();
    used.sort_unstable();
    used.dedup();
    used.reverse();
    for index in indices {
        *index = used.iter().position(|u| u == index).unwrap() as u32;
    }
    let pick = |v: &u32| *v as usize;
    let width = from.influences.width;
    let mut out = Vertices {
        positions: used.iter().map(|v| from.positions[pick(v)]).collect(),
        normals: used.iter().map(|v| from.normals[pick(v)].map(|c| c - 2e-4)).collect(),
        uvs: from.uvs.iter().map(|set| used.iter().map(|v| set[pick(v)]).collect()).collect(),
        influences: Influences {
            width,
            joints: used.iter().flat_map(|v| from.influences.of(pick(v)).map(|(j, _)| j)).collect(),
            weights: used.iter().flat_map(|v| from.influences.of(pick(v)).map(|(_, w)| w)).collect(),
        },
        attributes: from.attributes.clone(),
        ..Vertices::default()
    };
    for (attribute, was) in out.attributes.iter_mut().zip(&from.attributes) {
        let row = |v: &u32| was.values[pick(v) * was.width..][..was.width].to_vec();
        attribute.values = used.iter().flat_map(row).collect();
    }
    out
}

/// What Blender makes of a model: every mesh has vertices of its own, bones are turned by a rounding error.
fn through(model: &Fmdl) -> Scene {
    let mut scene = model.to_scene("model", &Dictionary::built_in());
    for mesh in 0..scene.meshes.len() {
        for primitive in &mut scene.meshes[mesh].primitives {
            let own = own_vertices(&scene.vertices[primitive.vertices as usize], &mut primitive.indices);
            primitive.vertices = scene.vertices.len() as VerticesId;
            scene.vertices.push(own);
        }
    }
    for node in scene.nodes.iter_mut().filter(|n| n.name.starts_with("SKL_")) {
        node.transform.rotation = [2e-8, 0.0, -3e-7, 1.0];
    }
    scene
}

/// Corners of a level, by place.
fn places(model: &Fmdl, mesh: usize, level: usize) -> Vec<[[f32; 3]; 3]> {
    let mesh = &model.meshes[mesh];
    let positions = mesh.vertices.positions().unwrap();
    mesh.faces(level).map(|face| face.map(|v| positions[usize::from(v)])).collect()
}

#[test]
fn levels_share_their_vertices_again() {
    let model = sample::skinned(Fmdl::TPP);
    let (back, losses) = Fmdl::from_scene(&through(&model), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(back.summary().vertices, model.summary().vertices);
    assert_eq!((back.lod_count(), back.meshes.len()), (4, 2));
    for mesh in 0..2 {
        for level in 0..4 {
            assert_eq!(places(&back, mesh, level), places(&model, mesh, level), "mesh {mesh}, level {level}");
        }
        assert_eq!(back.meshes[mesh].windows, model.meshes[mesh].windows);
        assert_eq!(back.meshes[mesh].flags, model.meshes[mesh].flags);
        assert_eq!(back.meshes[mesh].vertices.colours(), model.meshes[mesh].vertices.colours());
    }
    assert_eq!(back.bones, model.bones);
    assert_eq!(back.groups, model.groups);
}

#[test]
fn levels_that_an_edit_moved_apart_keep_both_vertices() {
    let model = sample::skinned(Fmdl::TPP);
    let mut scene = through(&model);
    let lower = scene.meshes.iter().find(|m| m.lod == Some(1)).unwrap().primitives[0].vertices;
    scene.vertices[lower as usize].positions[0][1] = 0.5;
    let (back, _) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(back.meshes[0].vertices.count, model.meshes[0].vertices.count + 1);
    assert!(!places(&back, 0, 0).iter().flatten().any(|p| p[1] == 0.5));
    assert!(places(&back, 0, 1).iter().flatten().any(|p| p[1] == 0.5));
}

#[test]
fn a_copy_with_its_levels_is_drawn_once_at_each_level() {
    let model = sample::skinned(Fmdl::TPP);
    let mut scene = through(&model);
    let levels: Vec<NodeId> = (0..scene.nodes.len() as NodeId)
        .filter(|id| scene.nodes[*id as usize].name.starts_with("mesh_0"))
        .collect();
    assert_eq!(levels.len(), 3);
    for id in levels {
        let mut copy = scene.nodes[id as usize].clone();
        copy.name += ".001";
        scene.add_node(copy.parent, copy);
    }
    let (back, losses) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(back.meshes.len(), 3);
    for level in 0..4 {
        assert_eq!(places(&back, 2, level), places(&model, 0, level), "level {level}");
    }
    assert_eq!(back.groups_of_meshes(), [Some(0), Some(1), Some(0)]);
}

#[test]
fn vertex_colours_that_a_program_dropped_are_named() {
    let mut scene = through(&sample::skinned(Fmdl::TPP));
    scene.vertices.iter_mut().for_each(|v| v.attributes.clear());
    let (_, losses) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    let lines: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("vertex colours") && lines[0].contains("_MASK"), "{lines:?}");
}

/// Copies the levels of a mesh under names that tell nothing of where they came from.
fn copied(scene: &mut Scene, start: &str, name: impl Fn(u32) -> String) {
    let levels: Vec<NodeId> = (0..scene.nodes.len() as NodeId)
        .filter(|id| scene.nodes[*id as usize].name.starts_with(start))
        .collect();
    for id in levels {
        let mut copy = scene.nodes[id as usize].clone();
        copy.name = name(scene.meshes[copy.mesh.unwrap() as usize].lod.unwrap());
        scene.add_node(copy.parent, copy);
    }
}

#[test]
fn copies_of_any_name_are_drawn_once_at_each_level() {
    let model = sample::skinned(Fmdl::TPP);
    let mut scene = through(&model);
    for copy in ["left", "right"] {
        copied(&mut scene, "mesh_0", |level| format!("{copy}_lod{level}"));
    }
    // Copies that share one name are told apart by their order.
    for _ in 0..2 {
        copied(&mut scene, "mesh_1", |level| format!("twin_lod{level}"));
    }
    let (back, _) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!((back.meshes.len(), back.lod_count()), (6, 4));
    for level in 0..3 {
        for (copy, of) in [(2, 0), (3, 0), (4, 1), (5, 1)] {
            let sorted = |model: &Fmdl, mesh| {
                let mut all = places(model, mesh, level);
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all
            };
            assert_eq!(sorted(&back, copy), sorted(&model, of), "mesh {copy}, level {level}");
        }
    }
}

#[test]
fn parts_joined_to_a_mesh_are_drawn_at_the_levels_they_were_joined_at() {
    let model = sample::skinned(Fmdl::TPP);
    let mut scene = through(&model);
    // The finest level of one mesh is joined to that of the other, whose lower levels stay objects of their own.
    let of = |scene: &Scene, name: &str| {
        let node = scene.nodes.iter().position(|n| n.name == name).unwrap();
        (node, scene.nodes[node].mesh.unwrap() as usize)
    };
    let ((_, first), (gone, second)) = (of(&scene, "mesh_0"), of(&scene, "mesh_1"));
    let part = scene.meshes[second].primitives[0].clone();
    scene.meshes[first].primitives.push(part);
    scene.nodes[gone].mesh = None;
    let (back, _) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    for level in 0..3 {
        let count = |model: &Fmdl| model.meshes.iter().map(|m| m.faces(level).len()).sum::<usize>();
        assert_eq!(count(&back), count(&model), "level {level}");
    }
}

#[test]
fn new_meshes_have_levels_by_name() {
    let mut scene = Scene::new("stand");
    for (level, count) in [(0u32, 4u32), (1, 2), (2, 1)] {
        let positions = (0..count * 3).map(|i| [i as f32, (i % 3) as f32, 0.0]).collect();
        scene.vertices.push(Vertices { positions, ..Vertices::default() });
        let primitive = galatea_scene::Primitive {
            vertices: level,
            indices: (0..count * 3).collect(),
            ..Default::default()
        };
        let mesh = galatea_scene::Mesh { primitives: vec![primitive], ..Default::default() };
        scene.meshes.push(mesh);
        let name = if level == 0 { "stand".into() } else { format!("stand_LOD{level}") };
        scene.add_node(None, galatea_scene::Node { mesh: Some(level), ..galatea_scene::Node::new(&name) });
    }
    let (model, losses) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let [mesh] = model.meshes.as_slice() else { panic!("{}", model.meshes.len()) };
    assert_eq!((0..3).map(|level| mesh.faces(level).len()).collect::<Vec<_>>(), [4, 2, 1]);
    let [group] = model.groups.as_slice() else { panic!("{:?}", model.groups) };
    assert_eq!(group.name, "MESH_stand".into());
}

#[test]
fn boxes_of_bones_stay_where_vertices_name_bones_without_weight() {
    let mut model = sample::skinned(Fmdl::TPP);
    let spine_alone = |v: usize| if v == 24 { [1, 0, 2, 0] } else { [1, 0, 0, 0] };
    for mesh in &mut model.meshes {
        for column in &mut mesh.vertices.columns {
            match (&column.usage, &mut column.values) {
                (Usage::Weights, Values::Unorm8x4(rows)) => rows.fill([255, 0, 0, 0]),
                (Usage::BoneIndices, Values::U8x4(rows)) => {
                    rows.iter_mut().enumerate().for_each(|(v, row)| *row = spine_alone(v));
                }
                _ => {}
            }
        }
    }
    model.rederive();
    // The chest has a box of one vertex, which it does not move.
    assert!(!model.bones[2].bounds.is_empty() && model.bones[0].bounds.is_empty());
    let (back, losses) = Fmdl::from_scene(&through(&model), &Default::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(back.bones, model.bones);
    let scene = model.to_scene("model", &Dictionary::built_in());
    let (back, _) = Fmdl::from_scene(&scene, &Default::default()).unwrap();
    assert_eq!(model.differences(&back), Vec::<String>::new());
}
