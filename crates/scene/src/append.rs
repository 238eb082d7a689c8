//! One scene put into another.

use std::collections::HashMap;

use crate::{Clip, MaterialId, Mesh, MeshId, Node, NodeId, Scene, Target, Vertices};

/// Where the parts of a scene are in the one they were put into: the numbers of the first ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Appended {
    /// The first mesh.
    pub meshes: MeshId,
    /// The first material.
    pub materials: MaterialId,
}

/// By how much the numbers of the parts of a scene move.
struct Shift {
    /// The new number of each node.
    nodes: Vec<NodeId>,
    meshes: u32,
    skins: u32,
    materials: u32,
    lights: u32,
    cameras: u32,
    emitters: u32,
}

impl Shift {
    fn node(&self, id: NodeId) -> NodeId {
        self.nodes.get(id as usize).copied().unwrap_or(NodeId::MAX)
    }
}

impl Scene {
    /// Puts everything of another scene below a node. Its node that converts axes and units becomes that node, which is expected to be
    /// below one that converts in the same way. The names of its clips get the name of the scene and a `/` in front.
    ///
    /// ```
    /// use galatea_scene::{Node, Scene};
    /// let mut room = Scene::new("hall");
    /// let axes = room.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
    /// room.add_node(Some(axes), Node::new("lamp"));
    /// let mut area = Scene::new("keep");
    /// let axes = area.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
    /// let place = area.add_node(Some(axes), Node::new("hall"));
    /// area.append(room, place);
    /// assert_eq!(area.nodes[2].name, "lamp");
    /// assert_eq!(area.nodes[2].parent, Some(place));
    /// ```
    pub fn append(&mut self, other: Scene, below: NodeId) {
        let prefix = format!("{}/", other.name);
        let clips = self.put_below(other, below);
        self.clips
            .extend(clips.into_iter().map(|clip| Clip { name: format!("{prefix}{}", clip.name), ..clip }));
    }

    /// Puts everything of another scene below a node as [`Scene::append`] does, as a part that plays along: its clips are added to
    /// those of the same name.
    ///
    /// ```
    /// use galatea_scene::{Clip, Node, Scene};
    /// let nod = || Clip { name: "nod".into(), ..Clip::default() };
    /// let (mut body, mut head) = (Scene::new("body"), Scene::new("head"));
    /// let neck = body.add_node(None, Node::new("neck"));
    /// head.add_node(None, Node::new("jaw"));
    /// body.clips.push(nod());
    /// head.clips.extend([nod(), Clip { name: "talk".into(), ..Clip::default() }]);
    /// body.join(head, neck);
    /// assert_eq!(body.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["nod", "talk"]);
    /// assert_eq!(body.nodes[1].parent, Some(neck));
    /// ```
    pub fn join(&mut self, other: Scene, below: NodeId) {
        let clips = self.put_below(other, below);
        let known: HashMap<String, usize> =
            self.clips.iter().enumerate().rev().map(|(i, c)| (c.name.to_ascii_lowercase(), i)).collect();
        for clip in clips {
            let same = known.get(&clip.name.to_ascii_lowercase()).and_then(|i| self.clips.get_mut(*i));
            match same {
                Some(same) => same.channels.extend(clip.channels),
                None => self.clips.push(clip),
            }
        }
    }

    /// Puts a copy of everything below a node below another one. The copy shares meshes and materials with the original; it has
    /// neither lights, cameras and emitters nor clips of its own.
    ///
    /// ```
    /// use galatea_scene::{Node, Scene};
    /// let mut scene = Scene::new("store");
    /// let shelves = [0.0, 2.0].map(|x| {
    ///     let mut shelf = Node::new("shelf");
    ///     shelf.transform.translation = [x, 0.0, 0.0];
    ///     scene.add_node(None, shelf)
    /// });
    /// scene.add_node(Some(shelves[0]), Node { mesh: Some(0), ..Node::new("jar") });
    /// scene.repeat(shelves[0], shelves[1]);
    /// assert_eq!((scene.nodes[3].parent, scene.nodes[3].mesh), (Some(shelves[1]), Some(0)));
    /// ```
    pub fn repeat(&mut self, original: NodeId, below: NodeId) {
        let mut copies: HashMap<NodeId, NodeId> = HashMap::from([(original, below)]);
        let mut skins: Vec<NodeId> = Vec::new();
        let mut todo: Vec<NodeId> = self.node(original).map_or_else(Vec::new, |n| n.children.clone());
        todo.reverse();
        while let Some(id) = todo.pop() {
            let Some(node) = self.node(id).filter(|_| !copies.contains_key(&id)).cloned() else { continue };
            todo.extend(node.children.iter().rev());
            let parent = node.parent.and_then(|id| copies.get(&id)).copied().unwrap_or(below);
            let skinned = node.skin.is_some();
            let copy = self.add_node(Some(parent), Node { light: None, camera: None, emitter: None, ..node });
            copies.insert(id, copy);
            skins.extend(skinned.then_some(copy));
        }
        for id in skins {
            let Some(node) = self.nodes.get_mut(id as usize) else { continue };
            let Some(mut skin) = node.skin.and_then(|id| self.skins.get(id as usize)).cloned() else {
                continue;
            };
            node.skin = Some(self.skins.len() as u32);
            skin.joints.iter_mut().for_each(|id| *id = copies.get(id).copied().unwrap_or(*id));
            self.skins.push(skin);
        }
    }

    /// Adds the parts of another scene, and returns its clips.
    fn put_below(&mut self, other: Scene, below: NodeId) -> Vec<Clip> {
        let shift = self.shift(&other, below);
        for (old, mut node) in (0..).zip(other.nodes) {
            let parent = node.parent.map_or(below, |id| shift.node(id));
            if shift.node(old) == below {
                continue;
            }
            node.mesh = node.mesh.map(|id| id.saturating_add(shift.meshes));
            node.skin = node.skin.map(|id| id.saturating_add(shift.skins));
            node.light = node.light.map(|id| id.saturating_add(shift.lights));
            node.camera = node.camera.map(|id| id.saturating_add(shift.cameras));
            node.emitter = node.emitter.map(|id| id.saturating_add(shift.emitters));
            node.axes = false;
            node.children = node.children.iter().map(|id| shift.node(*id)).collect();
            node.parent = Some(parent);
            self.nodes.push(node);
        }
        // The children of the axes are now those of the node above, after the ones it has.
        let first = shift.nodes.iter().copied().filter(|id| *id != below).min().unwrap_or(NodeId::MAX);
        let new = (first..self.nodes.len() as NodeId)
            .filter(|id| self.node(*id).is_some_and(|n| n.parent == Some(below)));
        let new: Vec<NodeId> = new.collect();
        if let Some(above) = self.nodes.get_mut(below as usize) {
            above.children.extend(new);
        }
        self.append_parts(other.vertices, other.meshes, other.materials);
        self.lights.extend(other.lights);
        self.skins.extend(other.skins.into_iter().map(|mut skin| {
            skin.joints.iter_mut().for_each(|id| *id = shift.node(*id));
            skin
        }));
        self.cameras.extend(other.cameras.into_iter().map(|mut camera| {
            camera.target = camera.target.map(|id| shift.node(id));
            camera
        }));
        self.emitters.extend(other.emitters.into_iter().map(|mut emitter| {
            emitter.material = emitter.material.map(|id| id.saturating_add(shift.materials));
            emitter
        }));
        other.clips.into_iter().map(|clip| moved(clip, &shift)).collect()
    }

    /// Adds the meshes and materials of another scene, but none of its nodes: nothing of it is drawn until something refers to it.
    ///
    /// ```
    /// use galatea_scene::{Material, Mesh, Primitive, Scene};
    /// let mut rock = Scene::new("rock");
    /// rock.materials.push(Material::default());
    /// rock.meshes.push(Mesh { primitives: vec![Primitive { material: Some(0), ..Primitive::default() }], ..Mesh::default() });
    /// let mut catapult = Scene::new("catapult");
    /// catapult.materials.push(Material::default());
    /// let at = catapult.append_meshes(&rock);
    /// assert_eq!((at.meshes, at.materials), (0, 1));
    /// assert_eq!(catapult.meshes[0].primitives[0].material, Some(1));
    /// ```
    pub fn append_meshes(&mut self, other: &Scene) -> Appended {
        self.append_parts(other.vertices.clone(), other.meshes.clone(), other.materials.clone())
    }

    fn append_parts(
        &mut self,
        vertices: Vec<Vertices>,
        meshes: Vec<Mesh>,
        materials: Vec<crate::Material>,
    ) -> Appended {
        let at =
            Appended { meshes: self.meshes.len() as MeshId, materials: self.materials.len() as MaterialId };
        let first = self.vertices.len() as u32;
        self.vertices.extend(vertices);
        self.materials.extend(materials.into_iter().map(|mut material| {
            material.layers.iter_mut().for_each(|id| *id = id.saturating_add(at.materials));
            material
        }));
        self.meshes.extend(meshes.into_iter().map(|mut mesh| {
            for primitive in &mut mesh.primitives {
                primitive.vertices = primitive.vertices.saturating_add(first);
                primitive.material = primitive.material.map(|id| id.saturating_add(at.materials));
            }
            mesh
        }));
        at
    }

    fn shift(&self, other: &Scene, below: NodeId) -> Shift {
        let mut next = self.nodes.len() as NodeId;
        let nodes = other.nodes.iter().map(|node| {
            if node.axes && node.parent.is_none() {
                return below;
            }
            next += 1;
            next - 1
        });
        Shift {
            nodes: nodes.collect(),
            meshes: self.meshes.len() as u32,
            skins: self.skins.len() as u32,
            materials: self.materials.len() as u32,
            lights: self.lights.len() as u32,
            cameras: self.cameras.len() as u32,
            emitters: self.emitters.len() as u32,
        }
    }
}

fn moved(mut clip: Clip, shift: &Shift) -> Clip {
    for channel in &mut clip.channels {
        channel.target = match channel.target {
            Target::Node(id) => Target::Node(shift.node(id)),
            Target::Material(id) => Target::Material(id.saturating_add(shift.materials)),
            Target::Light(id) => Target::Light(id.saturating_add(shift.lights)),
            Target::Camera(id) => Target::Camera(id.saturating_add(shift.cameras)),
            Target::Emitter(id) => Target::Emitter(id.saturating_add(shift.emitters)),
        };
    }
    for event in &mut clip.events {
        event.node = event.node.map(|id| shift.node(id));
    }
    clip
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "tests fail loudly")]
mod tests {
    use super::*;
    use crate::{Channel, Interpolation, Mesh, Node, Primitive, Property, Skin, Vertices};

    /// Returns a scene of a moving mesh with a skin.
    fn room() -> Scene {
        let mut room = Scene::new("hall");
        let axes = room.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
        let lamp = room.add_node(Some(axes), Node { mesh: Some(0), skin: Some(0), ..Node::new("lamp") });
        let bone = room.add_node(Some(lamp), Node::new("bone"));
        room.vertices.push(Vertices::default());
        room.materials.push(crate::Material { layers: vec![0], ..crate::Material::default() });
        room.meshes.push(Mesh {
            primitives: vec![Primitive { material: Some(0), ..Primitive::default() }],
            ..Mesh::default()
        });
        room.skins.push(Skin { joints: vec![bone], ..Skin::default() });
        let channel =
            Channel::node(bone, Property::Translation, Interpolation::Linear, vec![0.0], vec![0.0; 3]);
        room.clips.push(Clip { name: "swing".into(), channels: vec![channel], ..Clip::default() });
        room
    }

    #[test]
    fn every_number_moves_with_its_part() {
        let mut area = Scene::new("keep");
        let axes = area.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
        for name in ["a", "b"] {
            let place = area.add_node(Some(axes), Node::new(name));
            area.append(room(), place);
        }
        let names: Vec<&str> =
            area.depth_first().iter().map(|id| area.nodes[*id as usize].name.as_str()).collect();
        assert_eq!(names, ["axes", "a", "lamp", "bone", "b", "lamp", "bone"]);
        let last = &area.nodes[5];
        assert_eq!((last.mesh, last.skin, last.parent), (Some(1), Some(1), Some(4)));
        assert_eq!(area.meshes[1].primitives[0].material, Some(1));
        assert_eq!(area.meshes[1].primitives[0].vertices, 1);
        assert_eq!(area.materials[1].layers, [1]);
        assert_eq!(area.skins[1].joints, [6]);
        assert_eq!(
            (area.clips[1].name.as_str(), &area.clips[1].channels[0].target),
            ("hall/swing", &Target::Node(6))
        );
        assert_eq!(area.nodes.iter().filter(|n| n.axes).count(), 1);
    }
    #[test]
    fn a_part_plays_along() {
        let mut body = room();
        body.join(room(), 2);
        assert_eq!(body.clips.len(), 1);
        let targets: Vec<Target> = body.clips[0].channels.iter().map(|c| c.target).collect();
        assert_eq!(targets, [Target::Node(2), Target::Node(4)]);
        assert_eq!((body.nodes[3].parent, body.nodes[3].name.as_str()), (Some(2), "lamp"));
    }

    #[test]
    fn a_copy_shares_meshes_and_has_its_own_joints() {
        let mut area = Scene::new("keep");
        let axes = area.add_axes([0.0, 0.0, 0.0, 1.0], 1.0);
        let places = ["a", "b"].map(|name| area.add_node(Some(axes), Node::new(name)));
        area.append(room(), places[0]);
        area.repeat(places[0], places[1]);
        assert_eq!((area.meshes.len(), area.nodes.len()), (1, 7));
        let (lamp, bone) = (&area.nodes[5], &area.nodes[6]);
        assert_eq!((lamp.mesh, lamp.parent, bone.parent), (Some(0), Some(places[1]), Some(5)));
        assert_eq!((area.skins[0].joints.as_slice(), area.skins[1].joints.as_slice()), (&[4][..], &[6][..]));
        assert_eq!(lamp.skin, Some(1));
        // A circle ends.
        area.nodes[4].children.push(3);
        area.repeat(places[0], places[1]);
        assert_eq!(area.nodes.len(), 9);
    }
}
