//! Walkmeshes from the scene.

use std::collections::HashMap;

use galatea_scene::{Extras, Mesh, Node, NodeId, Pose, Purpose, Scene, Topology, Value};
use galatea_wire::{Error, Loss, Result};
use glam::{Mat4, Vec3};

use super::{NONE, SceneOptions};
use crate::authoring::{Authoring, is_new};
use crate::bwm::{AabbNode, Edge, Kind, Walkmesh, adjacency, border};
use crate::extra::{int, ints, own};
use crate::geometry::AXES;
use crate::surface::Walkability;
use crate::{derived, weld};

impl Walkmesh {
    /// Builds a walkmesh from a scene, and returns what it cannot represent. The faces are all triangles of walk
    /// surfaces or, if there are none, of all meshes. Stored tables are restored if they were written for the same
    /// triangles. Scenes that did not come from a model become new walkmeshes: see [`Walkmesh::author`].
    pub fn from_scene(scene: &Scene, _: &SceneOptions) -> Result<(Walkmesh, Vec<Loss>)> {
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        let mut losses = Vec::new();
        let pose = Pose::rest(scene);
        let walk = |m: &Mesh| matches!(m.purpose, Purpose::Walk | Purpose::Aabb);
        let any = scene.drawn().any(|(_, _, m)| walk(m));
        // What was added belongs to it if it has the material of a surface.
        let surface = |id: u32| scene.materials.get(id as usize).and_then(derived::surface_of);
        let floor = |m: &Mesh| m.primitives.iter().any(|p| p.material.and_then(surface).is_some());
        let added =
            |n: &Node, m: &Mesh| own(&n.extras).is_empty() && m.purpose == Purpose::Render && floor(m);
        let drawn: Vec<_> = scene.drawn().filter(|(_, n, m)| !any || walk(m) || added(n, m)).collect();
        let tables = drawn.iter().map(|(_, n, _)| own(&n.extras)).find(|e| e.contains_key("kind"));
        let none = Extras::new();
        let tables = tables.unwrap_or(&none);
        if tables.is_empty() && is_new(scene) {
            let (made, losses) = Walkmesh::author(scene, &Authoring::default())?;
            return Ok((made.first, losses));
        }

        let mut gathered = Gathered::default();
        for (id, _, mesh) in &drawn {
            gathered.add(scene, &pose, *id, mesh, &mut losses);
        }
        // Other programs drop the numbers of faces, and may tear a mesh without materials at its edges.
        let torn = gathered.places.len() > 1 || gathered.faces.iter().any(|f| f.number.is_none());
        gathered.number(tables);
        let is_same = gathered.shape_key() == int(tables, "shape").map(|key| key as u32);
        if torn {
            gathered.weld(is_same);
        }
        if gathered.faces.is_empty() && !drawn.is_empty() && tables.is_empty() {
            return Err(Error::unrepresentable("the scene has no triangles for a walkmesh"));
        }
        gathered.add_left_behind(scene);
        let faces = &gathered.faces;
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
        let shape = derived::shape(&self.vertices, &self.faces);
        let same_shape = int(tables, "shape").map(|k| k as u32) == Some(derived::shape_key(&shape));
        let known = derived::recognise(tables, &self.vertices, &self.faces);
        let moved = known.iter().enumerate().any(|(now, was)| *was != Some(now));
        let planes = derived::planes(tables, &self.vertices, &self.faces, &known);
        if !same_shape {
            // Faces were added or removed: all references to them are derived again; planes of old faces stay.
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
                adjacency(&shape, walkable)
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

    /// Sets the transitions of border edges from the lines of the scene.
    fn read_transitions(&mut self, lines: &[Line], losses: &mut Vec<Loss>) {
        let mut by_ends: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
        for (i, edge) in self.edges.iter().enumerate() {
            if let Some(ends) = self.ends(edge.edge) {
                by_ends.entry(ends).or_default().push(i);
            }
        }
        for line in lines.iter().filter(|l| l.transition != -1) {
            let stored = line.number.map(|n| n as usize).filter(|n| {
                let ends = self.edges.get(*n).and_then(|e| self.ends(e.edge));
                ends.is_none_or(|ends| ends == line.ends)
            });
            let [a, b] = line.ends;
            let found = stored
                .or_else(|| [[a, b], [b, a]].iter().find_map(|ends| by_ends.get(ends)?.first().copied()));
            match found.and_then(|i| self.edges.get_mut(i)) {
                Some(edge) => edge.transition = line.transition,
                None => losses.push(Loss::new(
                    "",
                    format!("a transition to room {} that is not on the border", line.transition),
                )),
            }
        }
    }

    /// Returns the face edges that coincide with lines that have a transition.
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

/// Triangles and lines of all walk surfaces, with a common list of vertices.
#[derive(Default)]
struct Gathered {
    vertices: Vec<[f32; 3]>,
    faces: Vec<Face>,
    lines: Vec<Line>,
    /// Vertices of the scene, transform and first index of each block of vertices.
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
                // Such a primitive only holds vertices.
                Topology::Triangles if primitive.indices.is_empty() => {}
                Topology::Triangles => {
                    let count = primitive.indices.len() / 3;
                    let surface = material.and_then(derived::surface_of).unwrap_or_else(|| {
                        let name = material.map_or("none", |m| &m.name);
                        losses.push(Loss::new(
                            "",
                            format!("material {name:?} is not a surface material; replaced by Stone"),
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

    /// Puts the faces in the order they were written in, new ones last.
    fn number(&mut self, tables: &Extras) {
        if self.faces.iter().any(|f| f.number.is_none()) {
            let corners: Vec<[u32; 3]> = self.faces.iter().map(|f| f.corners).collect();
            let surfaces: Vec<u32> = self.faces.iter().map(|f| f.surface).collect();
            let found = derived::numbers(tables, &self.vertices, &corners, &surfaces);
            self.faces.iter_mut().zip(found).for_each(|(face, found)| face.number = face.number.or(found));
        }
        self.faces.sort_by_key(|face| face.number.unwrap_or(u32::MAX));
    }

    /// Returns the key of the shape of the faces.
    fn shape_key(&self) -> Option<u32> {
        let corners: Vec<[u32; 3]> = self.faces.iter().map(|f| f.corners).collect();
        Some(derived::shape_key(&derived::shape(&self.vertices, &corners)))
    }

    /// Adds the lines of nodes whose mesh another program has not carried, along the edges of the faces they were on.
    fn add_left_behind(&mut self, scene: &Scene) {
        let now: HashMap<u32, usize> =
            self.faces.iter().enumerate().filter_map(|(now, face)| Some((face.number?, now))).collect();
        for node in scene.nodes.iter().filter(|node| node.mesh.is_none()) {
            let map = own(&node.extras);
            let (Some(edges), Some(transition)) = (ints(map, "edges"), int(map, "transition")) else {
                continue;
            };
            let numbers = derived::runs(map, edges.len());
            for (edge, number) in edges.iter().map(|edge| *edge as u32).zip(numbers) {
                let face = now.get(&(edge / 3)).and_then(|now| self.faces.get(*now));
                let Some([a, b, c]) = face.map(|face| face.corners) else { continue };
                let ends = match edge % 3 {
                    0 => [a, b],
                    1 => [b, c],
                    _ => [c, a],
                };
                self.lines.push(Line { ends, transition: transition as i32, number });
            }
        }
    }

    /// Makes vertices at the same place one, if the faces have several lists: other programs give each material its own vertices, and
    /// lines theirs. If the shape `is_same`, places with the same bits are the same.
    fn weld(&mut self, is_same: bool) {
        let first = weld::same_places(&self.vertices, if is_same { 0.0 } else { weld::CLOSE });
        let mut kept: Vec<[f32; 3]> = Vec::new();
        let mut new: Vec<u32> = Vec::with_capacity(first.len());
        for (at, (place, first)) in self.vertices.iter().zip(&first).enumerate() {
            // A vertex comes after the one that it equals.
            let index = new.get(*first as usize).copied().filter(|_| *first as usize != at);
            new.push(index.unwrap_or_else(|| {
                kept.push(*place);
                kept.len() as u32 - 1
            }));
        }
        let renumber = |index: &mut u32| *index = new.get(*index as usize).copied().unwrap_or(*index);
        self.faces.iter_mut().flat_map(|f| &mut f.corners).for_each(renumber);
        self.lines.iter_mut().flat_map(|l| &mut l.ends).for_each(renumber);
        self.vertices = kept;
    }

    /// Returns the first index of the vertices of a primitive, and adds them if they are new.
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

/// Returns the transform of a node in the axes of the format: exactly the identity if all its ancestors below the axes
/// are untransformed.
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
    let from_scene_axes = match axes {
        Some(axes) => pose.world_of(axes).inverse(),
        None => Mat4::from_quat(glam::Quat::from_array(AXES)).inverse(),
    };
    from_scene_axes * pose.world_of(id)
}
