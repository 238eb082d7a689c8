//! Levels of detail after an editing program: each level with vertices of its own, copies, tiny rotations of bones.
#![cfg(test)]

mod sample;

use galatea_fox::{Dictionary, Fmdl};
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
