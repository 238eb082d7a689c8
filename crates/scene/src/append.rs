//! One scene put into another.

use crate::{Clip, MaterialId, Mesh, MeshId, NodeId, Scene, Target, Vertices};

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
        self.clips.extend(other.clips.into_iter().map(|clip| moved(clip, &other.name, &shift)));
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

fn moved(mut clip: Clip, scene: &str, shift: &Shift) -> Clip {
    clip.name = format!("{scene}/{}", clip.name);
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

    /// A scene of a moving mesh with a skin.
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
}
