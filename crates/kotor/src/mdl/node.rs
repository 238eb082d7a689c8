//! Nodes: the fields of every node, and the optional parts.

use std::fmt;

use galatea_wire::{Error, Offset, Result, Wire, escape_bytes};
use smallvec::SmallVec;

use super::layout::{LightLayout, NodeLayout};
use super::wire::{
    AnimMeshHeader, DanglyHeader, Emitter, LightHeader, NodeHeader, Reference, SaberHeader, SkinHeader,
};
use super::{Controllers, Mesh, Model};

/// Index of a node in its list: [`Model::nodes`](super::Model::nodes) or [`Animation::nodes`](super::Animation::nodes).
pub type NodeId = u32;

/// The children of a node, in order. Up to four need no allocation; most nodes have one child or none.
pub type Children = SmallVec<[NodeId; 4]>;

/// A name as bytes; the format defines no encoding.
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Name(pub Vec<u8>);

impl Name {
    /// Returns the name as text; bytes that are not UTF-8 become U+FFFD.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", escape_bytes(&self.0))
    }
}

/// The kind of a node, derived from its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A transform only.
    Dummy,
    /// A light.
    Light,
    /// An emitter of particles.
    Emitter,
    /// A camera.
    Camera,
    /// A reference to another model.
    Reference,
    /// A plain mesh.
    Trimesh,
    /// A mesh moved by bones.
    Skin,
    /// A mesh with sampled vertices.
    AnimMesh,
    /// A mesh with swinging vertices.
    Danglymesh,
    /// A walkable mesh with a box tree.
    Aabb,
    /// A lightsaber blade.
    Lightsaber,
    /// A combination of parts that no known model has.
    Other,
}

/// A node. Its parts determine its kind: see [`Node::kind`].
#[derive(Debug, Clone)]
pub struct Node {
    /// Rest position relative to the parent.
    pub position: [f32; 3],
    /// Rest orientation relative to the parent: w, x, y, z.
    pub orientation: [f32; 4],
    /// Index into [`Model::names`](super::Model::names).
    pub name: u16,
    /// Number that connects nodes of animations and supermodels to nodes of the model. Not an index: with a supermodel
    /// it is the supermodel's number for the node of the same name.
    pub number: u16,
    /// Controllers. In the model they hold constants; in animations, keys.
    pub controllers: Controllers,
    /// The parent; `None` for the root.
    pub parent: Option<NodeId>,
    /// Layout in the file.
    pub layout: NodeLayout,
    /// The light part.
    pub light: Option<Box<Light>>,
    /// The emitter part.
    pub emitter: Option<Box<Emitter>>,
    /// The reference part.
    pub reference: Option<Box<Reference>>,
    /// The mesh part, with the parts that depend on it.
    pub mesh: Option<Box<Mesh>>,
    /// The children, in order.
    pub children: Children,
    /// Bits of the node flags without a known part.
    pub unknown_flags: u16,
    /// Whether the node is a camera. Cameras have no further data.
    pub camera: bool,
}

impl Default for Node {
    fn default() -> Self {
        Node {
            parent: None,
            children: Children::new(),
            name: 0,
            number: 0,
            position: [0.0; 3],
            orientation: [1.0, 0.0, 0.0, 0.0],
            controllers: Controllers::default(),
            unknown_flags: 0,
            camera: false,
            light: None,
            emitter: None,
            reference: None,
            mesh: None,
            layout: NodeLayout::default(),
        }
    }
}

pub(crate) mod flag {
    pub(crate) const HEADER: u16 = 0x001;
    pub(crate) const LIGHT: u16 = 0x002;
    pub(crate) const EMITTER: u16 = 0x004;
    pub(crate) const CAMERA: u16 = 0x008;
    pub(crate) const REFERENCE: u16 = 0x010;
    pub(crate) const MESH: u16 = 0x020;
    pub(crate) const SKIN: u16 = 0x040;
    pub(crate) const ANIM: u16 = 0x080;
    pub(crate) const DANGLY: u16 = 0x100;
    pub(crate) const AABB: u16 = 0x200;
    pub(crate) const SABER: u16 = 0x800;
    /// Flags of parts that depend on a mesh.
    pub(crate) const ON_MESH: u16 = SKIN | ANIM | DANGLY | AABB | SABER;
    pub(crate) const KNOWN: u16 = 0x3FF | SABER;
}

impl Node {
    /// Returns the flags of the node header: one bit for every part.
    ///
    /// ```
    /// use galatea_kotor::mdl::{Mesh, Node};
    /// let node = Node { mesh: Some(Box::new(Mesh::default())), ..Node::default() };
    /// assert_eq!(node.flags(), 0x21);
    /// ```
    pub fn flags(&self) -> u16 {
        // A node whose flags lack `HEADER` has the bit among its unknown bits, so that it is toggled.
        let mut flags = flag::HEADER ^ self.unknown_flags;
        let mut set = |on: bool, bit: u16| flags |= if on { bit } else { 0 };
        set(self.light.is_some(), flag::LIGHT);
        set(self.emitter.is_some(), flag::EMITTER);
        set(self.camera, flag::CAMERA);
        set(self.reference.is_some(), flag::REFERENCE);
        if let Some(mesh) = &self.mesh {
            set(true, flag::MESH);
            set(mesh.skin.is_some(), flag::SKIN);
            set(mesh.anim.is_some(), flag::ANIM);
            set(mesh.dangly.is_some(), flag::DANGLY);
            set(mesh.aabb.is_some(), flag::AABB);
            set(mesh.saber.is_some(), flag::SABER);
        }
        flags
    }

    /// Returns the kind of the node.
    pub fn kind(&self) -> NodeKind {
        match self.flags() {
            0x001 => NodeKind::Dummy,
            0x003 => NodeKind::Light,
            0x005 => NodeKind::Emitter,
            0x009 => NodeKind::Camera,
            0x011 => NodeKind::Reference,
            0x021 => NodeKind::Trimesh,
            0x061 => NodeKind::Skin,
            0x0A1 => NodeKind::AnimMesh,
            0x121 => NodeKind::Danglymesh,
            0x221 => NodeKind::Aabb,
            0x821 => NodeKind::Lightsaber,
            _ => NodeKind::Other,
        }
    }

    /// Returns the size of the node header and the parts that follow it directly.
    pub(crate) fn record_len(&self, model: &Model) -> usize {
        let mut len = NodeHeader::SIZE;
        let mut add = |present: bool, size: usize| len += if present { size } else { 0 };
        add(self.light.is_some(), LightHeader::SIZE);
        add(self.emitter.is_some(), Emitter::SIZE);
        add(self.reference.is_some(), Reference::SIZE);
        if let Some(mesh) = self.mesh.as_deref() {
            add(true, Mesh::header_len(model));
            add(mesh.skin.is_some(), SkinHeader::SIZE);
            add(mesh.anim.is_some(), AnimMeshHeader::SIZE);
            add(mesh.dangly.is_some(), DanglyHeader::SIZE);
            add(mesh.aabb.is_some(), Offset::SIZE);
            add(mesh.saber.is_some(), SaberHeader::SIZE);
        }
        len
    }

    /// Discards the layout of the node.
    pub fn forget_layout(&mut self) {
        self.layout = NodeLayout::default();
        if self.controllers.list().iter().any(|c| c.padding != [0; 3]) {
            self.controllers.list_mut().iter_mut().for_each(|c| c.padding = [0; 3]);
        }
        if let Some(light) = &mut self.light {
            light.layout = LightLayout::default();
        }
        if let Some(mesh) = &mut self.mesh {
            mesh.forget_layout();
        }
    }
}

/// The light part of a node. Color and radius are controllers.
#[derive(Debug, Clone, Default)]
pub struct Light {
    /// Distance up to which lens flares are visible.
    pub flare_radius: f32,
    /// Size of each flare.
    pub flare_sizes: Vec<f32>,
    /// Position of each flare on the line from the light through the center of the view.
    pub flare_positions: Vec<f32>,
    /// Color shift of each flare.
    pub flare_colors: Vec<[f32; 3]>,
    /// Texture of each flare.
    pub flare_textures: Vec<Name>,
    /// Priority if there are too many lights; 1 is the highest.
    pub priority: u32,
    /// Whether the light only adds to the ambient light.
    pub ambient_only: u32,
    /// The objects that the light affects.
    pub dynamic_type: u32,
    /// Whether moving objects are lit.
    pub affect_dynamic: u32,
    /// Whether the light casts shadows.
    pub shadow: u32,
    /// Stays 0 even on lights with flares.
    pub flare: u32,
    /// Whether the light fades in and out.
    pub fading: u32,
    /// Layout in the file.
    pub layout: LightLayout,
}

/// Returns the indices of a list of nodes in depth-first order, from the first node. Fails unless every node is reached
/// exactly once.
pub(crate) fn depth_first(nodes: &[Node]) -> Result<Vec<NodeId>> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut seen = vec![false; nodes.len()];
    let mut todo: Vec<NodeId> = if nodes.is_empty() { Vec::new() } else { vec![0] };
    while let Some(id) = todo.pop() {
        let (Some(node), Some(seen)) = (nodes.get(id as usize), seen.get_mut(id as usize)) else {
            return Err(Error::unrepresentable(format!("nodes[{id}] does not exist")));
        };
        if std::mem::replace(seen, true) {
            return Err(Error::unrepresentable(format!(
                "nodes[{id}] is the child of two nodes, or of itself"
            )));
        }
        order.push(id);
        todo.extend(node.children.iter().rev());
        if todo.len() > nodes.len() {
            return Err(Error::unrepresentable("a node is listed as a child more than once"));
        }
    }
    if order.len() != nodes.len() {
        let lost = seen.iter().position(|s| !s).unwrap_or(0);
        return Err(Error::unrepresentable(format!("nodes[{lost}] has no parent")));
    }
    Ok(order)
}
