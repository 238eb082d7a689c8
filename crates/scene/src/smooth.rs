//! Normals that are smooth up to an angle: edges that are sharper get a vertex for each side.

use std::collections::HashMap;

use glam::Vec3;

use crate::{Attribute, Influences, Scene, Topology, Vertices};

/// Most directions of faces at one position that are distinguished; others are smooth with all.
const DIRECTIONS: usize = 256;

impl Scene {
    /// Makes the normals of all drawn triangles again: faces that share a position are smooth if they meet at no more than
    /// this angle, in degrees. Faces count by their area. Vertices are split where an edge is sharper, and joined where they
    /// differ in nothing.
    ///
    /// ```
    /// use galatea_scene::{Mesh, Node, Primitive, Scene, Vertices};
    /// let mut scene = Scene::new("roof");
    /// let positions = vec![[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]];
    /// scene.vertices.push(Vertices { positions, ..Vertices::default() });
    /// let roof = Primitive { indices: vec![0, 1, 2, 1, 0, 3], ..Primitive::default() };
    /// scene.meshes.push(Mesh { primitives: vec![roof], ..Mesh::default() });
    /// scene.add_node(None, Node { mesh: Some(0), ..Node::new("roof") });
    /// let mut sharp = scene.clone();
    /// sharp.smooth(60.0);
    /// scene.smooth(120.0);
    /// let count = |scene: &Scene| scene.vertices_of(&scene.meshes[0].primitives[0]).map(|v| v.positions.len());
    /// assert_eq!((count(&sharp), count(&scene)), (Some(6), Some(4)));
    /// ```
    pub fn smooth(&mut self, degrees: f32) {
        let least = degrees.to_radians().cos();
        for mesh in 0..self.meshes.len() {
            let count = self.meshes.get(mesh).map_or(0, |m| m.primitives.len());
            // Parts of one mesh are smooth across their materials.
            let all = self.faces_of(mesh);
            let around = Around::new(&all);
            for part in 0..count {
                self.smooth_part(mesh, part, &around, least);
            }
        }
    }

    /// Returns the corners of all triangles of a mesh.
    fn faces_of(&self, mesh: usize) -> Vec<[Vec3; 3]> {
        let primitives = self.meshes.get(mesh).map_or(&[][..], |m| &m.primitives);
        let mut out = Vec::new();
        for primitive in primitives {
            let Some(vertices) = self.vertices_of(primitive) else { continue };
            let at = |i: u32| vertices.positions.get(i as usize).map_or(Vec3::ZERO, |p| Vec3::from(*p));
            out.extend(primitive.triangles(vertices.positions.len()).map(|t| t.map(at)));
        }
        out
    }

    fn smooth_part(&mut self, mesh: usize, part: usize, around: &Around, least: f32) {
        let Some(primitive) = self.meshes.get(mesh).and_then(|m| m.primitives.get(part)) else { return };
        let Some(old) = self.vertices_of(primitive) else { return };
        if primitive.topology != Topology::Triangles {
            return;
        }
        let mut order: Vec<u32> = Vec::new();
        let mut normals: Vec<[f32; 3]> = Vec::new();
        let mut known: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
        let mut indices = Vec::with_capacity(primitive.indices.len());
        for corners in primitive.triangles(old.positions.len()) {
            let points = corners.map(|c| old.positions.get(c as usize).copied().unwrap_or_default());
            let face = across(&points.map(Vec3::from)).normalize_or(Vec3::Y);
            for (corner, point) in corners.into_iter().zip(points) {
                let normal = around.normal(point, face, least);
                let next = order.len() as u32;
                let id = *known.entry((corner, normal.map(f32::to_bits))).or_insert(next);
                if id == next {
                    order.push(corner);
                    normals.push(normal);
                }
                indices.push(id);
            }
        }
        let vertices = picked(old, &order, normals);
        let id = self.vertices.len() as u32;
        self.vertices.push(vertices);
        if let Some(primitive) = self.meshes.get_mut(mesh).and_then(|m| m.primitives.get_mut(part)) {
            (primitive.vertices, primitive.indices) = (id, indices);
        }
    }
}

/// Returns normals for the corners of triangles: faces that share a position are smooth if they meet at no more than this angle, in
/// degrees. Faces count by their area. Triangles with a corner that is not there get normals of length 1 as well.
///
/// ```
/// let positions = [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]];
/// let triangles = [[0, 1, 2], [1, 0, 3]];
/// let normals = |degrees| galatea_scene::smooth_corners(&positions, &triangles, degrees);
/// assert_eq!(normals(120.0)[0][0], normals(120.0)[1][1]);
/// assert_ne!(normals(60.0)[0][0], normals(60.0)[1][1]);
/// ```
pub fn smooth_corners(positions: &[[f32; 3]], triangles: &[[u32; 3]], degrees: f32) -> Vec<[[f32; 3]; 3]> {
    let at = |i: u32| positions.get(i as usize).map_or(Vec3::ZERO, |p| Vec3::from(*p));
    let faces: Vec<[Vec3; 3]> = triangles.iter().map(|corners| corners.map(at)).collect();
    let around = Around::new(&faces);
    let least = degrees.to_radians().cos();
    let normals = |face: &[Vec3; 3]| {
        let direction = across(face).normalize_or(Vec3::Z);
        face.map(|point| around.normal(point.to_array(), direction, least))
    };
    faces.iter().map(normals).collect()
}

/// Returns the normal of a triangle, as long as twice its area.
fn across([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (*b - *a).cross(*c - *a)
}

/// The directions of the faces at each position, with the sum of their areas.
struct Around(HashMap<[u32; 3], Vec<(Vec3, Vec3)>>);

impl Around {
    fn new(faces: &[[Vec3; 3]]) -> Around {
        let mut all: HashMap<[u32; 3], Vec<(Vec3, Vec3)>> = HashMap::new();
        for face in faces {
            let normal = across(face);
            let direction = normal.normalize_or_zero();
            for corner in face {
                let here = all.entry(key(corner.to_array())).or_default();
                let full = here.len() >= DIRECTIONS;
                match here.iter_mut().find(|(d, _)| *d == direction || full) {
                    Some((_, sum)) => *sum += normal,
                    None => here.push((direction, normal)),
                }
            }
        }
        Around(all)
    }

    /// Returns the normal of a face's corner.
    fn normal(&self, point: [f32; 3], face: Vec3, least: f32) -> [f32; 3] {
        let here = self.0.get(&key(point)).map_or(&[][..], |h| h);
        // A little more than the angle, for faces that meet at just that.
        let near = here.iter().filter(|(direction, _)| direction.dot(face) >= least - 1e-5);
        near.map(|(_, sum)| *sum).sum::<Vec3>().normalize_or(face).to_array()
    }
}

/// Returns the bits of a position, the same for both zeros.
fn key(point: [f32; 3]) -> [u32; 3] {
    point.map(|v| (v + 0.0).to_bits())
}

/// Returns the vertices of an order, with other normals.
fn picked(old: &Vertices, order: &[u32], normals: Vec<[f32; 3]>) -> Vertices {
    fn pick<T: Copy>(from: &[T], order: &[u32]) -> Vec<T> {
        order.iter().filter_map(|i| from.get(*i as usize).copied()).collect()
    }
    let rows = |values: &[f32], width: usize| -> Vec<f32> {
        let rows: Vec<&[f32]> = values.chunks_exact(width.max(1)).collect();
        order.iter().filter_map(|i| rows.get(*i as usize)).flat_map(|r| r.iter().copied()).collect()
    };
    let width = old.influences.width;
    let joints: Vec<&[u16]> = old.influences.joints.chunks_exact(width.max(1)).collect();
    let attribute = |a: &Attribute| Attribute { values: rows(&a.values, a.width), ..a.clone() };
    Vertices {
        positions: pick(&old.positions, order),
        normals,
        tangents: Vec::new(),
        uvs: old.uvs.iter().map(|set| pick(set, order)).collect(),
        colors: old.colors.iter().map(|set| pick(set, order)).collect(),
        influences: Influences {
            width,
            joints: order
                .iter()
                .filter_map(|i| joints.get(*i as usize))
                .flat_map(|r| r.iter().copied())
                .collect(),
            weights: rows(&old.influences.weights, width),
        },
        attributes: old.attributes.iter().map(attribute).collect(),
        extras: old.extras.clone(),
    }
}
