//! Normals that Blender loses: it keeps them relative to faces, at unit length. Vertices with others have a second copy of all their
//! normals, which reading prefers while Blender's are the same or cannot be the same.

use foldhash::HashMap;
use galatea_scene::{Scene, Topology, Vertices, weak_vertices};
use glam::Vec3;

use crate::twins::{self, Twins};

/// The name of the copy among attributes.
pub(crate) const NAME: &str = "NORMAL";

/// How far the length of a normal may be from 1.
const UNIT: f32 = 1e-3;

/// Returns the triangles of each list of vertices of a scene.
fn triangles_of(scene: &Scene, twins: Option<&Twins>) -> HashMap<u32, Vec<[u32; 3]>> {
    let mut out: HashMap<u32, Vec<[u32; 3]>> = HashMap::default();
    for (id, mesh) in scene.meshes.iter().enumerate() {
        let solid = mesh.primitives.iter().enumerate().filter(|(_, p)| p.topology == Topology::Triangles);
        for (part, primitive) in solid {
            let list = out.entry(primitive.vertices).or_default();
            match twins {
                Some(twins) => list.extend(twins.primitive((id, part), primitive, 0).0.indices.as_chunks().0),
                None => list.extend(primitive.indices.as_chunks().0),
            }
        }
    }
    out
}

/// Returns for each list of vertices of a scene whether its normals are copied.
pub(crate) fn copied(scene: &Scene, twins: &Twins) -> Vec<bool> {
    let triangles = triangles_of(scene, Some(twins));
    let is_odd = |normal: &[f32; 3]| (Vec3::from(*normal).length() - 1.0).abs() > UNIT;
    let one = |(id, vertices): (usize, &Vertices)| {
        if vertices.normals.is_empty() || vertices.attributes.iter().any(|a| a.name == NAME) {
            return false;
        }
        let Some(triangles) = triangles.get(&(id as u32)) else { return false };
        // A vertex without triangles is not weak.
        let vertices = twins::with_copies(vertices, twins.rows(id as u32));
        vertices.normals.iter().any(is_odd) || weak_vertices(&vertices.positions, triangles).contains(&true)
    };
    scene.vertices.iter().enumerate().map(one).collect()
}

/// Removes the copies of normals. If Blender wrote the document, they are taken where its normals are the same but for rounding, and
/// where it cannot say them.
pub(crate) fn restore(scene: &mut Scene, blender: bool) {
    let has = |vertices: &Vertices| vertices.attributes.iter().any(|a| a.name == NAME);
    if !scene.vertices.iter().any(has) {
        return;
    }
    let triangles = if blender { triangles_of(scene, None) } else { HashMap::default() };
    for (id, vertices) in scene.vertices.iter_mut().enumerate() {
        let Some(at) = vertices.attributes.iter().position(|a| a.name == NAME) else { continue };
        let copy = vertices.attributes.remove(at);
        let Some(triangles) = triangles.get(&(id as u32)).filter(|_| copy.width == 3) else { continue };
        let weak = weak_vertices(&vertices.positions, triangles);
        for ((normal, was), weak) in vertices.normals.iter_mut().zip(copy.values.as_chunks().0).zip(weak) {
            if weak || is_near(*normal, *was) {
                *normal = *was;
            }
        }
    }
}

/// Returns `true` if two normals point in the same direction; one without length points nowhere in particular.
fn is_near(a: [f32; 3], b: [f32; 3]) -> bool {
    let (a, b) = (Vec3::from(a).normalize_or_zero(), Vec3::from(b).normalize_or_zero());
    b == Vec3::ZERO || a.dot(b) > 0.9985
}

#[cfg(test)]
mod tests {
    use galatea_scene::{Attribute, Mesh, Primitive};

    use super::*;

    /// Two squares: one with a normal of half the length, and one of unit normals.
    fn scene() -> Scene {
        let mut scene = Scene::new("squares");
        for length in [0.5, 1.0] {
            let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
            let mut normals = vec![[0.0, 0.0, 1.0]; 4];
            normals[2] = [0.0, 0.0, length];
            let part = Primitive {
                vertices: scene.vertices.len() as u32,
                indices: vec![0, 1, 2, 0, 2, 3],
                ..Primitive::default()
            };
            scene.vertices.push(Vertices { positions, normals, ..Vertices::default() });
            scene.meshes.push(Mesh { primitives: vec![part], ..Mesh::default() });
        }
        scene
    }

    #[test]
    fn only_normals_that_would_be_lost_are_copied() {
        let mut scene = scene();
        assert_eq!(copied(&scene, &Twins::new(&scene)), [true, false]);
        // A folded leaf.
        scene.meshes[1].primitives[0].indices.extend([1, 0, 3]);
        assert_eq!(copied(&scene, &Twins::new(&scene)), [true, true]);
    }

    #[test]
    fn copies_are_taken_while_the_normals_are_theirs() {
        let was = scene();
        let mut scene = was.clone();
        let values = was.vertices[0].normals.as_flattened().to_vec();
        scene.vertices[0].attributes.push(Attribute { name: NAME.into(), width: 3, values });
        scene.vertices[0].normals = vec![[0.0, 0.0001, 1.0]; 4];
        scene.vertices[0].normals[1] = [0.0, 0.6, 0.8];
        let mut plain = scene.clone();
        restore(&mut scene, true);
        assert_eq!(scene.vertices[0].normals[2], [0.0, 0.0, 0.5]);
        assert_eq!(scene.vertices[0].normals[1], [0.0, 0.6, 0.8]);
        assert!(scene.vertices[0].attributes.is_empty());
        let before = plain.vertices[0].normals.clone();
        restore(&mut plain, false);
        assert_eq!((&plain.vertices[0].normals, plain.vertices[0].attributes.len()), (&before, 0));
    }
}
