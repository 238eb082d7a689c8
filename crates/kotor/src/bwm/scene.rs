//! Walkmeshes to the scene and back.
//!
//! Faces become triangles, one primitive per surface material; the border becomes lines, one primitive per room it leads
//! to. All derived tables travel as differences from what [`Walkmesh::rebuild`] would derive.

use std::collections::HashMap;

use galatea_scene::{
    Attachment, Extras, Material, Mesh, Node, NodeId, Pose, Primitive, Purpose, Scene, Topology, Value,
    Vertices, encode_u32s,
};
use galatea_wire::{Error, Loss, Result};
use glam::{Mat4, Vec3};

use super::{AabbNode, Edge, Kind, Walkmesh, adjacency, border};
use crate::box_tree::TreeBox;
use crate::derived::{self, Planes, surface_material};
use crate::extra::{int, ints, json, own, put, wrap};
use crate::geometry::AXES;
use crate::surface::Walkability;

const NONE: u32 = u32::MAX;

/// Choices of [`Walkmesh::from_scene`]: none so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {}

impl Walkmesh {
    /// The walkmesh as a scene.
    ///
    /// ```
    /// use galatea_kotor::{bwm::{Kind, Walkmesh}, surface::Walkability};
    /// let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let faces = vec![[0, 1, 2], [0, 2, 3]];
    /// let walkmesh = Walkmesh::build(Kind::Area, corners, faces, vec![3, 7], &Walkability::default())?;
    /// let scene = walkmesh.to_scene();
    /// assert_eq!(scene.materials[0].name, "Grass");
    /// let (back, losses) = Walkmesh::from_scene(&scene, &Default::default())?;
    /// assert!(walkmesh.differences(&back).is_empty() && losses.is_empty());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn to_scene(&self) -> Scene {
        let mut scene = Scene::new("walkmesh");
        let top = scene.add_axes(AXES, 1.0);
        scene.vertices.push(Vertices { positions: self.vertices.clone(), ..Vertices::default() });
        let mut mesh = Mesh { name: "walkmesh".into(), purpose: Purpose::Walk, ..Mesh::default() };
        let materials = self.materials.iter().copied().chain(std::iter::repeat(0)).take(self.faces.len());
        for (surface, faces) in derived::by_material(materials) {
            let corners = faces.iter().filter_map(|f| self.faces.get(*f as usize));
            let mut map = Extras::new();
            derived::put_runs(&mut map, &faces);
            mesh.primitives.push(Primitive {
                indices: corners.flatten().copied().collect(),
                material: Some(scene.materials.len() as u32),
                extras: wrap(map),
                ..Primitive::default()
            });
            scene.materials.push(surface_material(surface));
        }
        if mesh.primitives.is_empty() && !self.vertices.is_empty() {
            // Without a face nothing else would hold the vertices.
            mesh.primitives.push(Primitive::default());
        }
        scene.meshes.push(mesh);
        let node = Node { mesh: Some(0), extras: wrap(self.tables()), ..Node::new("walkmesh") };
        scene.add_node(Some(top), node);
        self.add_border(&mut scene, top);
        if self.kind == Kind::Object {
            for (name, place) in ["use_1", "use_2"].into_iter().zip(self.relative_use) {
                let mut node = Node::new(name);
                node.transform.translation = place;
                node.attachment = Some(Attachment::default());
                scene.add_node(Some(top), node);
            }
        }
        scene
    }

    fn add_border(&self, scene: &mut Scene, top: NodeId) {
        if self.edges.is_empty() {
            return;
        }
        let mut mesh = Mesh { name: "border".into(), purpose: Purpose::Walk, ..Mesh::default() };
        for (transition, edges) in derived::by_material(self.edges.iter().map(|e| e.transition as u32)) {
            let ends = edges.iter().filter_map(|e| self.ends(self.edges.get(*e as usize)?.edge));
            let mut map = Extras::new();
            derived::put_runs(&mut map, &edges);
            put(&mut map, "transition", transition as i32);
            mesh.primitives.push(Primitive {
                topology: Topology::Lines,
                indices: ends.flatten().collect(),
                material: Some(scene.materials.len() as u32),
                extras: wrap(map),
                ..Primitive::default()
            });
            let (name, base_color) = if transition == NONE {
                ("border".to_owned(), [0.1, 0.1, 0.1, 1.0])
            } else {
                (format!("transition {}", transition as i32), [1.0, 0.8, 0.0, 1.0])
            };
            scene.materials.push(Material { name, base_color, unlit: true, ..Material::default() });
        }
        scene.add_node(Some(top), Node { mesh: Some(scene.meshes.len() as u32), ..Node::new("border") });
        scene.meshes.push(mesh);
    }

    /// The vertices that a border edge joins.
    fn ends(&self, edge: u32) -> Option<[u32; 2]> {
        let [a, b, c] = *self.faces.get(edge as usize / 3)?;
        Some(match edge % 3 {
            0 => [a, b],
            1 => [b, c],
            _ => [c, a],
        })
    }

    /// Everything but vertices, faces and surfaces, as differences from what follows from them.
    fn tables(&self) -> Extras {
        let mut map = Extras::new();
        put(&mut map, "kind", self.kind.code() as i32);
        for (key, value) in [("relative_use", self.relative_use), ("absolute_use", self.absolute_use)] {
            put(&mut map, key, json(&value));
        }
        put(&mut map, "position", json(&self.position));
        put(&mut map, "shape", derived::whole_key(&[], &derived::keys(&[], &self.faces)) as i32);
        let keys = derived::keys(&self.vertices, &self.faces);
        put(&mut map, "places", derived::whole_key(&self.vertices, &keys) as i32);
        if self.aabb_root != 0 {
            put(&mut map, "aabb_root", self.aabb_root as i32);
        }
        let planes = Planes { normals: self.normals.clone(), distances: self.distances.clone() };
        derived::put_planes(&mut map, &self.vertices, &self.faces, &keys, &planes);
        let walkable =
            if self.kind == Kind::Object { 0 } else { self.walkable_faces(&Walkability::default()) };
        if self.adjacency != adjacency(&self.faces, walkable) {
            let all: Vec<u32> = self.adjacency.as_flattened().iter().map(|n| *n as u32).collect();
            put(&mut map, "adjacency", encode_u32s(&all));
        }
        let (edges, loops) = border(&self.adjacency);
        if !edges.iter().eq(self.edges.iter().map(|e| &e.edge)) {
            put(&mut map, "edges", encode_u32s(&self.edges.iter().map(|e| e.edge).collect::<Vec<_>>()));
        }
        if loops != self.perimeters {
            put(&mut map, "perimeters", encode_u32s(&self.perimeters));
        }
        if !self.aabb.is_empty() {
            let mut tree = Extras::new();
            let child = |c: u32| Some(c).filter(|c| *c != NONE);
            let boxes: Vec<TreeBox> = self
                .aabb
                .iter()
                .map(|n| TreeBox {
                    min: n.min,
                    max: n.max,
                    left: child(n.left),
                    right: child(n.right),
                    face: n.face,
                    plane: n.plane,
                })
                .collect();
            derived::put_tree(&mut tree, &boxes, &self.vertices, &self.faces);
            if self.aabb.iter().any(|n| n.unknown_0x1c != 4) {
                put(
                    &mut tree,
                    "unknown_0x1c",
                    encode_u32s(&self.aabb.iter().map(|n| n.unknown_0x1c).collect::<Vec<_>>()),
                );
            }
            put(&mut map, "tree", Value::Object(tree));
        }
        map
    }

    /// A walkmesh from a scene, and what of the scene it cannot hold: all triangles of walk surfaces, or, where no mesh is
    /// one, of all meshes. Everything derived is taken over where it was written for these very triangles.
    pub fn from_scene(scene: &Scene, _: &SceneOptions) -> Result<(Walkmesh, Vec<Loss>)> {
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        let mut losses = Vec::new();
        let pose = Pose::rest(scene);
        let walk = |m: &Mesh| matches!(m.purpose, Purpose::Walk | Purpose::Aabb);
        let any = scene.drawn().any(|(_, _, m)| walk(m));
        let drawn: Vec<_> = scene.drawn().filter(|(_, _, m)| !any || walk(m)).collect();
        let tables = drawn.iter().map(|(_, n, _)| own(&n.extras)).find(|e| e.contains_key("kind"));
        let none = Extras::new();
        let tables = tables.unwrap_or(&none);

        let mut gathered = Gathered::default();
        for (id, _, mesh) in &drawn {
            gathered.add(scene, &pose, *id, mesh, &mut losses);
        }
        if gathered.faces.is_empty() && !drawn.is_empty() && tables.is_empty() {
            return Err(Error::unrepresentable("the scene has no triangle to walk on"));
        }
        // Faces that have a number take their place; new ones follow.
        let mut order: Vec<usize> = (0..gathered.faces.len()).collect();
        let number = |i: &usize| gathered.faces.get(*i).and_then(|f| f.number).unwrap_or(u32::MAX);
        order.sort_by_key(number);
        let faces: Vec<&Face> = order.iter().filter_map(|i| gathered.faces.get(*i)).collect();
        let kind = int(tables, "kind").map_or(Kind::Area, |k| Kind::from(k as u32));
        let mut mesh = Walkmesh {
            vertices: gathered.vertices,
            faces: faces.iter().map(|f| f.corners).collect(),
            materials: faces.iter().map(|f| f.surface).collect(),
            ..Walkmesh::new(kind)
        };
        mesh.read_header(scene, tables);
        mesh.read_tables(tables, &gathered.lines, &mut losses);
        Ok((mesh, losses))
    }

    fn read_header(&mut self, scene: &Scene, tables: &Extras) {
        let read = |key: &str| tables.get(key).map(|v| crate::extra::from_json(v, &[[0.0f32; 3]; 2]));
        self.relative_use = read("relative_use").unwrap_or_default();
        self.absolute_use = read("absolute_use").unwrap_or_default();
        self.position = tables.get("position").map_or([0.0; 3], |v| crate::extra::from_json(v, &[0.0; 3]));
        self.aabb_root = int(tables, "aabb_root").unwrap_or(0) as u32;
        for (slot, name) in self.relative_use.iter_mut().zip(["use_1", "use_2"]) {
            if let Some(node) = scene.find(name).and_then(|n| scene.node(n)) {
                *slot = node.transform.translation;
            }
        }
    }

    fn read_tables(&mut self, tables: &Extras, lines: &[Line], losses: &mut Vec<Loss>) {
        let walkability = Walkability::default();
        let key = |name: &str| int(tables, name).map(|k| k as u32);
        let same_shape = key("shape") == Some(derived::whole_key(&[], &derived::keys(&[], &self.faces)));
        let moved = key("places")
            != Some(derived::whole_key(&self.vertices, &derived::keys(&self.vertices, &self.faces)));
        let known = derived::recognise(tables, &self.vertices, &self.faces);
        let planes = derived::planes(tables, &self.vertices, &self.faces, &known);
        if !same_shape {
            // Faces came or went: everything that refers to them is derived again, but planes of old faces stay.
            self.edges = self.edges_of(lines);
            let before: HashMap<u32, usize> =
                self.faces.iter().enumerate().map(|(i, f)| (derived::key(&self.vertices, *f), i)).collect();
            for lost in self.rebuild(&walkability) {
                losses.push(Loss::new(
                    "",
                    format!("the transition of edge {} to room {}", lost.edge, lost.transition),
                ));
            }
            for (i, face) in self.faces.clone().iter().enumerate() {
                let old = before.get(&derived::key(&self.vertices, *face)).copied();
                let Some(old) = old.filter(|o| known.get(*o).copied().flatten().is_some()) else { continue };
                if let (Some(slot), Some(normal)) = (self.normals.get_mut(i), planes.normals.get(old)) {
                    *slot = *normal;
                }
                if let (Some(slot), Some(distance)) = (self.distances.get_mut(i), planes.distances.get(old)) {
                    *slot = *distance;
                }
            }
            return;
        }
        self.normals = planes.normals;
        self.distances = planes.distances;
        self.adjacency = match ints(tables, "adjacency") {
            Some(all) => all
                .chunks_exact(3)
                .filter_map(|n| n.first_chunk())
                .map(|n: &[i64; 3]| n.map(|v| v as i32))
                .collect(),
            None => {
                let walkable = if self.kind == Kind::Object { 0 } else { self.walkable_faces(&walkability) };
                adjacency(&self.faces, walkable)
            }
        };
        let (edges, loops) = border(&self.adjacency);
        let edges = ints(tables, "edges").map_or(edges, |e| e.iter().map(|e| *e as u32).collect());
        self.perimeters = ints(tables, "perimeters").map_or(loops, |p| p.iter().map(|p| *p as u32).collect());
        self.edges = edges.into_iter().map(|edge| Edge { edge, transition: -1 }).collect();
        self.read_transitions(lines, losses);
        if let Some(tree) = tables.get("tree").and_then(Value::as_object) {
            let unknown = ints(tree, "unknown_0x1c").unwrap_or_default();
            let boxes = derived::tree(tree, &self.vertices, &self.faces, moved);
            self.aabb = boxes
                .iter()
                .enumerate()
                .map(|(i, b)| AabbNode {
                    min: b.min,
                    max: b.max,
                    face: b.face,
                    unknown_0x1c: unknown.get(i).map_or(4, |u| *u as u32),
                    plane: b.plane,
                    left: b.left.unwrap_or(NONE),
                    right: b.right.unwrap_or(NONE),
                })
                .collect();
        }
    }

    /// Gives border edges the rooms that lines say they lead to.
    fn read_transitions(&mut self, lines: &[Line], losses: &mut Vec<Loss>) {
        let mut by_ends: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
        for (i, edge) in self.edges.iter().enumerate() {
            if let Some(ends) = self.ends(edge.edge) {
                by_ends.entry(ends).or_default().push(i);
            }
        }
        for line in lines.iter().filter(|l| l.transition != -1) {
            let told = line.number.map(|n| n as usize).filter(|n| {
                let ends = self.edges.get(*n).and_then(|e| self.ends(e.edge));
                ends.is_none_or(|ends| ends == line.ends)
            });
            let [a, b] = line.ends;
            let found =
                told.or_else(|| [[a, b], [b, a]].iter().find_map(|ends| by_ends.get(ends)?.first().copied()));
            match found.and_then(|i| self.edges.get_mut(i)) {
                Some(edge) => edge.transition = line.transition,
                None => losses.push(Loss::new(
                    "",
                    format!("a transition to room {} that is no border", line.transition),
                )),
            }
        }
    }

    /// The edges of faces that lines with a transition run along.
    fn edges_of(&self, lines: &[Line]) -> Vec<Edge> {
        let mut table: HashMap<[u32; 2], u32> = HashMap::new();
        for (face, [a, b, c]) in self.faces.iter().enumerate() {
            for (edge, ends) in [[*a, *b], [*b, *c], [*c, *a]].into_iter().enumerate() {
                table.entry(ends).or_insert((face * 3 + edge) as u32);
            }
        }
        let along = |line: &Line| {
            let [a, b] = line.ends;
            let edge = *table.get(&[a, b]).or_else(|| table.get(&[b, a]))?;
            Some(Edge { edge, transition: line.transition })
        };
        lines.iter().filter(|l| l.transition != -1).filter_map(along).collect()
    }
}

struct Face {
    corners: [u32; 3],
    surface: u32,
    number: Option<u32>,
}

struct Line {
    ends: [u32; 2],
    transition: i32,
    number: Option<u32>,
}

/// Triangles and lines of all walk surfaces over one list of vertices.
#[derive(Default)]
struct Gathered {
    vertices: Vec<[f32; 3]>,
    faces: Vec<Face>,
    lines: Vec<Line>,
    /// Where vertices of the scene went, by the node that places them.
    places: Vec<(u32, Mat4, u32)>,
}

impl Gathered {
    fn add(&mut self, scene: &Scene, pose: &Pose, id: NodeId, mesh: &Mesh, losses: &mut Vec<Loss>) {
        let place = placement(scene, pose, id);
        for primitive in &mesh.primitives {
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let base = self.base(primitive.vertices, place, &vertices.positions);
            let map = own(&primitive.extras);
            let material = primitive.material.and_then(|m| scene.materials.get(m as usize));
            match primitive.topology {
                // It holds vertices only.
                Topology::Triangles if primitive.indices.is_empty() => {}
                Topology::Triangles => {
                    let count = primitive.indices.len() / 3;
                    let surface = material.and_then(derived::surface_of).unwrap_or_else(|| {
                        let name = material.map_or("none", |m| &m.name);
                        losses.push(Loss::new(
                            "",
                            format!("material {name:?} is no surface; it becomes Stone"),
                        ));
                        4
                    });
                    let corners = primitive.indices.chunks_exact(3).filter_map(|t| t.first_chunk());
                    for (corners, number) in corners.zip(derived::runs(map, count)) {
                        let corners: [u32; 3] = *corners;
                        self.faces.push(Face {
                            corners: corners.map(|c| c.saturating_add(base)),
                            surface,
                            number,
                        });
                    }
                }
                Topology::Lines => {
                    let count = primitive.indices.len() / 2;
                    let named = material.and_then(|m| m.name.strip_prefix("transition ")?.parse().ok());
                    let transition = named.or_else(|| int(map, "transition").map(|t| t as i32)).unwrap_or(-1);
                    let ends = primitive.indices.chunks_exact(2).filter_map(|l| l.first_chunk());
                    for (ends, number) in ends.zip(derived::runs(map, count)) {
                        let ends: [u32; 2] = *ends;
                        self.lines.push(Line {
                            ends: ends.map(|e| e.saturating_add(base)),
                            transition,
                            number,
                        });
                    }
                }
                Topology::Points => {}
            }
        }
    }

    /// Where the vertices of a primitive begin, taking them over if they are new.
    fn base(&mut self, vertices: u32, place: Mat4, positions: &[[f32; 3]]) -> u32 {
        if let Some((.., base)) = self.places.iter().find(|(v, p, _)| *v == vertices && *p == place) {
            return *base;
        }
        let base = self.vertices.len() as u32;
        self.places.push((vertices, place, base));
        if place == Mat4::IDENTITY {
            self.vertices.extend_from_slice(positions);
        } else {
            self.vertices.extend(positions.iter().map(|p| place.transform_point3(Vec3::from(*p)).to_array()));
        }
        base
    }
}

/// Where a node is in the format's own axes: exactly nowhere special if nothing but the axes stands above it.
pub(crate) fn placement(scene: &Scene, pose: &Pose, id: NodeId) -> Mat4 {
    let axes = scene.axes();
    let mut at = Some(id);
    let mut plain = true;
    let mut left = scene.nodes.len();
    while let Some(node) = at.filter(|n| Some(*n) != axes) {
        let Some(here) = scene.node(node) else { break };
        plain &= here.transform == galatea_scene::Transform::default();
        at = here.parent.filter(|_| left > 0);
        left = left.saturating_sub(1);
    }
    if plain && at.is_some() {
        return Mat4::IDENTITY;
    }
    let turn = match axes {
        Some(axes) => pose.world_of(axes).inverse(),
        None => Mat4::from_quat(glam::Quat::from_array(AXES)).inverse(),
    };
    turn * pose.world_of(id)
}
