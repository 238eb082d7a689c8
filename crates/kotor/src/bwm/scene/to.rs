//! Walkmeshes to the scene.

use galatea_scene::{
    Attachment, Extras, Material, Mesh, Node, NodeId, Primitive, Purpose, Scene, Topology, Value, Vertices,
    encode_u32s,
};

use super::NONE;
use crate::box_tree::TreeBox;
use crate::bwm::{Kind, Walkmesh, adjacency, border};
use crate::derived::{self, Planes, surface_material};
use crate::extra::{json, put, wrap};
use crate::geometry::AXES;
use crate::surface::Walkability;

impl Walkmesh {
    /// Returns the walkmesh as a scene.
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
            // Without faces, no other primitive would hold the vertices.
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
        for (transition, edges) in derived::by_material(self.edges.iter().map(|e| e.transition as u32)) {
            let stored: Vec<u32> =
                edges.iter().filter_map(|e| Some(self.edges.get(*e as usize)?.edge)).collect();
            let (name, base_color) = if transition == NONE {
                ("border".to_owned(), [0.1, 0.1, 0.1, 1.0])
            } else {
                (format!("transition {}", transition as i32), [1.0, 0.8, 0.0, 1.0])
            };
            let mut map = Extras::new();
            derived::put_runs(&mut map, &edges);
            put(&mut map, "transition", transition as i32);
            let line = Primitive {
                topology: Topology::Lines,
                indices: stored.iter().filter_map(|edge| self.ends(*edge)).flatten().collect(),
                material: Some(scene.materials.len() as u32),
                extras: wrap(map.clone()),
                ..Primitive::default()
            };
            // Programs that do not carry lines leave the node alone.
            put(&mut map, "edges", encode_u32s(&stored));
            let mesh = Some(scene.meshes.len() as u32);
            scene.add_node(Some(top), Node { mesh, extras: wrap(map), ..Node::new(&name) });
            scene.meshes.push(Mesh {
                name: name.clone(),
                primitives: vec![line],
                purpose: Purpose::Walk,
                ..Mesh::default()
            });
            scene.materials.push(Material { name, base_color, unlit: true, ..Material::default() });
        }
    }

    /// Returns all tables but vertices and faces, as differences from derived ones.
    fn tables(&self) -> Extras {
        let mut map = Extras::new();
        put(&mut map, "kind", self.kind.code() as i32);
        for (key, value) in [("relative_use", self.relative_use), ("absolute_use", self.absolute_use)] {
            put(&mut map, key, json(&value));
        }
        put(&mut map, "position", json(&self.position));
        let shape = derived::shape(&self.vertices, &self.faces);
        put(&mut map, "shape", derived::shape_key(&shape) as i32);
        derived::put_surfaces(&mut map, &self.materials);
        let keys = derived::keys(&self.vertices, &self.faces);
        if self.aabb_root != 0 {
            put(&mut map, "aabb_root", self.aabb_root as i32);
        }
        let planes = Planes { normals: self.normals.clone(), distances: self.distances.clone() };
        derived::put_planes(&mut map, &self.vertices, &self.faces, &keys, &planes);
        let walkable =
            if self.kind == Kind::Object { 0 } else { self.walkable_faces(&Walkability::default()) };
        if self.adjacency != adjacency(&shape, walkable) {
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
}
