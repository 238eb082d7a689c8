//! Wavefront OBJ: the triangles of a scene at rest, for tools that know nothing better.

use std::fmt::Write;

use galatea_scene::{Pose, Scene, Topology};
use galatea_wire::{Coverage, Error};

use super::obj_read;
use crate::{Converted, Document, Format, FormatId, Inspection, Output};

pub(super) static FORMAT: Format = Format {
    extensions: &["obj"],
    stored: true,
    write_extension: Some("obj"),
    detect: obj_read::detect,
    read: |input, limits| Ok(Box::new(obj_read::read(input, limits)?) as Box<dyn Document>),
    inspect: |input, limits| {
        Inspection::single("obj", (Coverage::default(), obj_read::read(input, limits).err()))
    },
    rules: super::gltf::GLB.rules,
    write_scene: Some(|scene, _, _, _| {
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        Ok(Converted::lossless(Output::single(obj(scene).into_bytes())))
    }),
    ..Format::model(FormatId::Obj, "obj", "Wavefront OBJ")
};

/// Returns every mesh with triangles as an object, in the scene's axes (Y up), with normals and the first texture coordinates. One
/// group per material, by its name; no material file is written.
///
/// ```
/// let text = galatea::obj(&galatea::scene::example());
/// assert!(text.lines().any(|line| line.starts_with("f ")));
/// ```
pub fn obj(scene: &Scene) -> String {
    let mut out = format!("# {}\n", line(&scene.name));
    let pose = Pose::rest(scene);
    // Positions, texture coordinates and normals are numbered each on their own, from 1.
    let (mut v0, mut t0, mut n0) = (1usize, 1usize, 1usize);
    for (id, node, mesh) in scene.drawn() {
        let mut named = false;
        for primitive in mesh.primitives.iter().filter(|p| p.topology == Topology::Triangles) {
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let placed = pose.deform(scene, id, primitive);
            let count = placed.positions.len();
            if count == 0 {
                continue;
            }
            if !std::mem::replace(&mut named, true) {
                write_line(&mut out, format_args!("o {}", line(&node.name)));
            }
            let uvs = vertices.uvs.first().filter(|u| u.len() == count);
            let normals = (placed.normals.len() == count).then_some(&placed.normals);
            for [x, y, z] in &placed.positions {
                write_line(&mut out, format_args!("v {x} {y} {z}"));
            }
            for [u, v] in uvs.into_iter().flatten() {
                write_line(&mut out, format_args!("vt {u} {}", 1.0 - v));
            }
            for [x, y, z] in normals.into_iter().flatten() {
                write_line(&mut out, format_args!("vn {x} {y} {z}"));
            }
            if let Some(material) = primitive.material.and_then(|m| scene.materials.get(m as usize)) {
                write_line(&mut out, format_args!("usemtl {}", line(&material.name)));
            }
            for face in primitive.triangles(count) {
                out.push('f');
                for corner in face {
                    let corner = corner as usize;
                    let (v, t, n) = (v0 + corner, t0 + corner, n0 + corner);
                    let _ = match (uvs.is_some(), normals.is_some()) {
                        (true, true) => write!(out, " {v}/{t}/{n}"),
                        (true, false) => write!(out, " {v}/{t}"),
                        (false, true) => write!(out, " {v}//{n}"),
                        (false, false) => write!(out, " {v}"),
                    };
                }
                out.push('\n');
            }
            v0 += count;
            t0 += uvs.map_or(0, Vec::len);
            n0 += normals.map_or(0, Vec::len);
        }
    }
    out
}

fn write_line(out: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(what);
    out.push('\n');
}

/// Returns a name on one line, without spaces, as the format wants it.
fn line(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use galatea_scene::{Mesh, Node, Primitive, Vertices};

    #[test]
    fn columns_are_numbered_each_on_their_own() {
        let mut scene = Scene::new("two parts");
        for with in [false, true] {
            let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            let uvs = if with { vec![vec![[0.0, 0.25]; 3]] } else { Vec::new() };
            scene.vertices.push(Vertices { positions, uvs, ..Vertices::default() });
            let vertices = scene.vertices.len() as u32 - 1;
            let primitive = Primitive { vertices, indices: vec![0, 1, 2], ..Primitive::default() };
            scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
            let mesh = Some(scene.meshes.len() as u32 - 1);
            scene.add_node(None, Node { mesh, ..Node::new("part one") });
        }
        let text = obj(&scene);
        assert!(text.contains("o part_one\n"));
        assert!(text.contains("vt 0 0.75\n"));
        let faces: Vec<&str> = text.lines().filter(|l| l.starts_with('f')).collect();
        assert_eq!(faces, ["f 1 2 3", "f 4/1 5/2 6/3"]);
    }
}
