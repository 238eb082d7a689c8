//! The neutral scene that every model format converts to, and that glTF, images and statistics are made from.
//!
//! Right-handed, Y up, metres, seconds. A format with other axes or units converts them by the transform of the top node (see
//! [`Scene::add_axes`]), so that vertex data stay bit for bit as in the file.
//!
//! Everything is in flat lists and refers to each other by index. Nothing here panics on an index that is out of range: such a
//! reference is ignored. Data that the scene has no field for is in `extras`, which every part has.
//!
//! With the feature `serde`, scenes can be serialized and deserialized, by formats that describe themselves such as JSON. JSON has
//! neither NaN nor infinity: a scene with such numbers does not come back from it.
//!
//! [`Pose`] computes the transforms of nodes at a time of a clip, and [`Pose::deform`] moves the vertices. A [`Frame`] is everything
//! that is drawn at a moment; a [`Performance`] makes frames from a document, with the particles and ribbons that it emits.

mod append;
mod bake_scale;
mod clip;
mod compare;
mod copies;
mod diff;
mod extra;
mod fixture;
mod frame;
mod levels;
mod light;
mod material;
mod mesh;
mod node;
mod onto;
mod pose;
mod random;
mod retain;
mod simplify;
mod smooth;
mod spline_tangents;
mod split;
mod unique_names;
mod uv;
mod value;
mod viewers;

pub use append::Appended;
pub use clip::{Channel, Clip, Event, Interpolation, Playback, Property, Target};
pub use compare::Tolerance;
pub use copies::TooManyCopies;
pub use extra::{
    decode_u32s, each_ulp_delta, encode_u32_iter, encode_u32s, float, floats, hex, latin, read_float,
    read_floats, same_bits, ulp_deltas, unhex, unlatin,
};
pub use fixture::example;
pub use frame::{
    BAKED, Frame, Instant, Marker, MarkerKind, MaterialState, Performance, PlainPerformance, Shown, Sprite,
    Surface,
};
pub use light::{Camera, Emitter, EmitterKind, Light, LightKind, Projection};
pub use material::{AlphaMode, Material, Slot, Texture, UvTransform, Wrap};
pub use mesh::{Attribute, Bounds, Influences, Mesh, Primitive, Purpose, Skin, Topology, Vertices};
pub use node::{Attachment, Billboard, Inherit, Node, Shape, Transform};
pub use onto::{Account, Change, Fate, ORIGIN, Onto, Part, RULE};
pub use pose::{Deformed, Pose};
pub use random::Random;
pub use simplify::simplify;
pub use smooth::smooth_corners;
pub use split::{Room, smooth_normals};
pub use unique_names::UniqueNames;
pub use value::{Extras, Key, Value};

/// Index into [`Scene::nodes`].
pub type NodeId = u32;
/// Index into [`Scene::vertices`].
pub type VerticesId = u32;
/// Index into [`Scene::meshes`].
pub type MeshId = u32;
/// Index into [`Scene::skins`].
pub type SkinId = u32;
/// Index into [`Scene::materials`].
pub type MaterialId = u32;
/// Index into [`Scene::lights`].
pub type LightId = u32;
/// Index into [`Scene::cameras`].
pub type CameraId = u32;
/// Index into [`Scene::emitters`].
pub type EmitterId = u32;

/// A model.
///
/// ```
/// use galatea_scene::{Node, Scene};
/// let mut scene = Scene::new("statue");
/// let root = scene.add_axes([-0.5, 0.5, 0.5, 0.5], 1.0);
/// let arm = scene.add_node(Some(root), Node::new("arm"));
/// assert_eq!(scene.nodes[arm as usize].parent, Some(root));
/// assert_eq!(scene.roots(), [root]);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Scene {
    /// Name of the model.
    pub name: String,
    /// The nodes. `parent` and `children` describe the same tree; nodes without a parent are its roots.
    pub nodes: Vec<Node>,
    /// Vertex data. Primitives with the same vertices (parts with different materials, levels of detail) share them.
    pub vertices: Vec<Vertices>,
    /// Meshes.
    pub meshes: Vec<Mesh>,
    /// Skins.
    pub skins: Vec<Skin>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Clips.
    pub clips: Vec<Clip>,
    /// Lights.
    pub lights: Vec<Light>,
    /// Cameras.
    pub cameras: Vec<Camera>,
    /// Emitters of particles, ribbons and other models.
    pub emitters: Vec<Emitter>,
    /// Data that the scene has no field for, by format.
    pub extras: Extras,
}

impl Scene {
    /// Returns an empty scene.
    pub fn new(name: &str) -> Scene {
        Scene { name: name.to_owned(), ..Scene::default() }
    }

    /// Adds a node as the last child of another, or as a root. This sets its `parent` and clears its `children`.
    pub fn add_node(&mut self, parent: Option<NodeId>, mut node: Node) -> NodeId {
        let id = self.nodes.len() as NodeId;
        node.children.clear();
        node.parent = parent.filter(|p| *p < id);
        if let Some(above) = node.parent.and_then(|p| self.nodes.get_mut(p as usize)) {
            above.children.push(id);
        }
        self.nodes.push(node);
        id
    }

    /// Adds the node that converts a format's axes and units to the scene's: a root named `axes` with the flag `axes`. All
    /// nodes of the format are its descendants.
    pub fn add_axes(&mut self, rotation: [f32; 4], scale: f32) -> NodeId {
        let node = Node {
            transform: Transform { rotation, scale: [scale; 3], ..Transform::default() },
            axes: true,
            ..Node::new("axes")
        };
        self.add_node(None, node)
    }

    /// Returns the node that converts axes and units.
    pub fn axes(&self) -> Option<NodeId> {
        self.nodes.iter().position(|n| n.axes).map(|i| i as NodeId)
    }

    /// Puts nodes that were added beside the node of the axes below it; they stay in their place.
    ///
    /// ```
    /// use galatea_scene::{Node, Scene};
    /// let mut scene = Scene::new("statue");
    /// let axes = scene.add_axes([0.0, 0.0, 0.0, 1.0], 0.5);
    /// let mut plinth = Node::new("plinth");
    /// plinth.transform.translation = [1.0, 0.0, 0.0];
    /// let plinth = scene.add_node(None, plinth);
    /// scene.put_below_axes();
    /// assert_eq!(scene.nodes[plinth as usize].parent, Some(axes));
    /// assert_eq!(scene.nodes[plinth as usize].transform.translation, [2.0, 0.0, 0.0]);
    /// ```
    pub fn put_below_axes(&mut self) {
        let Some(axes) = self.axes().filter(|id| self.node(*id).is_some_and(|n| n.parent.is_none())) else {
            return;
        };
        let back = self.node(axes).map_or(glam::Mat4::IDENTITY, |n| n.transform.matrix().inverse());
        if !back.is_finite() {
            return;
        }
        let mut added = Vec::new();
        for (id, node) in self.nodes.iter_mut().enumerate() {
            if node.parent.is_some() || id as NodeId == axes || !node.extras.is_empty() {
                continue;
            }
            let (scale, rotation, translation) =
                (back * node.transform.matrix()).to_scale_rotation_translation();
            node.transform = Transform {
                translation: translation.into(),
                rotation: rotation.to_array(),
                scale: scale.into(),
            };
            node.parent = Some(axes);
            added.push(id as NodeId);
        }
        self.nodes.get_mut(axes as usize).into_iter().for_each(|node| node.children.extend(&added));
    }

    /// Sets the direction of the model's front, in the format's own axes. It is kept in the extras of the axes node; without
    /// such a node this does nothing.
    ///
    /// ```
    /// let mut scene = galatea_scene::Scene::new("statue");
    /// assert_eq!(scene.front(), [0.0, 0.0, 1.0]);
    /// // Z is up and Y is the front; after the conversion of axes, Y is up and Z points backwards.
    /// let half = std::f32::consts::FRAC_1_SQRT_2;
    /// scene.add_axes([-half, 0.0, 0.0, half], 1.0);
    /// scene.set_front([0.0, 1.0, 0.0]);
    /// assert!(scene.front()[2] < -0.99);
    /// ```
    pub fn set_front(&mut self, direction: [f32; 3]) {
        let axes = self.axes();
        if let Some(node) = axes.and_then(|id| self.nodes.get_mut(id as usize)) {
            node.extras.insert("front", floats(&direction));
        }
    }

    /// Returns the direction of the model's front in the scene: positive Z, as in glTF, unless the format sets another.
    pub fn front(&self) -> [f32; 3] {
        let axes = self.axes().and_then(|id| self.node(id));
        let stored = axes.and_then(|n| n.extras.get("front")).and_then(read_floats);
        let stored: Option<[f32; 3]> = stored.and_then(|f| f.first_chunk().copied());
        let turn = |direction: [f32; 3]| {
            let matrix = axes.map_or(glam::Mat4::IDENTITY, |n| n.transform.matrix());
            matrix.transform_vector3(direction.into()).normalize_or(glam::Vec3::Z).into()
        };
        stored.map_or([0.0, 0.0, 1.0], turn)
    }

    /// Returns the nodes without a parent.
    pub fn roots(&self) -> Vec<NodeId> {
        self.nodes.iter().enumerate().filter(|(_, n)| n.parent.is_none()).map(|(i, _)| i as NodeId).collect()
    }

    /// Returns the roots and their descendants in depth-first order, every parent before its children. Each node occurs once,
    /// even if it is listed twice; nodes of cycles that no root reaches are left out.
    pub fn depth_first(&self) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut todo = self.roots();
        todo.reverse();
        while let Some(id) = todo.pop() {
            let (Some(node), Some(flag)) = (self.nodes.get(id as usize), seen.get_mut(id as usize)) else {
                continue;
            };
            if std::mem::replace(flag, true) {
                continue;
            }
            order.push(id);
            todo.extend(node.children.iter().rev());
        }
        order
    }

    /// Returns a node.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// Returns the first node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|n| n.name == name).map(|i| i as NodeId)
    }

    /// Returns the first clip of this name, ignoring ASCII case.
    pub fn find_clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|c| c.name.eq_ignore_ascii_case(name))
    }

    /// Returns the vertices of a primitive.
    pub fn vertices_of(&self, primitive: &Primitive) -> Option<&Vertices> {
        self.vertices.get(primitive.vertices as usize)
    }

    /// Returns the nodes that have a mesh, each with its mesh.
    pub fn drawn(&self) -> impl Iterator<Item = (NodeId, &Node, &Mesh)> {
        self.nodes.iter().enumerate().filter_map(|(id, node)| {
            let mesh = self.meshes.get(node.mesh? as usize)?;
            Some((id as NodeId, node, mesh))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_first_survives_circles_and_wild_children() {
        let mut scene = Scene::new("x");
        let root = scene.add_node(None, Node::new("root"));
        let a = scene.add_node(Some(root), Node::new("a"));
        let b = scene.add_node(Some(a), Node::new("b"));
        scene.nodes[b as usize].children = vec![root, a, 99];
        let lost = scene.add_node(None, Node::new("lost"));
        scene.nodes[lost as usize].parent = Some(lost);
        assert_eq!(scene.depth_first(), [root, a, b]);
        assert!(Pose::rest(&scene).world.len() == 4);
    }
}
