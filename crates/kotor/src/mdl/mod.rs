//! KotOR models: MDL with its MDX, of both games, for PC and Xbox.
//!
//! A [`Model`] keeps every byte: meaning in plain fields, placement in `layout` fields. [`Model::read`] and
//! [`Model::write`] reproduce an unmodified model byte for byte. After an edit, the remaining blocks keep their order
//! and bytes, and only offsets change.
//!
//! Nodes are in flat lists in depth-first order and refer to each other by index ([`NodeId`]), not by name: names are
//! not unique in real models.

mod animation;
mod check;
mod convert;
pub mod derive;
mod diff;
mod fix;
mod layout;
mod mesh;
mod node;
pub mod play;
mod pose;
mod read;
mod rows;
mod rules;
mod scene;
pub mod text;
pub mod wire;
mod write;

use std::io;

use galatea_wire::{Coverage, Error, Limits, Result, Summary, Text, Wire, WriteError, write_to};

pub use animation::{
    ControllerData, ControllerList, Controllers, Interpolation, Track, pack_quaternion, unpack_quaternion,
};
pub use convert::Walkable;
pub use layout::{
    AabbLayout, AnimationLayout, DanglyLayout, Headers, LightLayout, MdxLayout, MeshLayout, ModelLayout,
    NodeLayout, OddNode, Place, RowLayout, SaberLayout, Sentinel, SkinLayout, Slot,
};
pub use mesh::{
    AabbNode, AabbTree, Dangly, IndexLists, Mesh, PositionCopy, Saber, Skin, TangentSpace, Vertices,
    pack_normal, unpack_normal,
};
pub use node::{Children, Light, Name, Node, NodeId, NodeKind};
pub use pose::Transform;
pub use rules::RULES;
pub use scene::SceneOptions;
pub use wire::{AnimMeshHeader, Controller, Dirt, Emitter, Event, Face, RECORDS, Reference};

/// The game a model is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Game {
    /// Knights of the Old Republic.
    #[default]
    K1,
    /// The Sith Lords. Mesh headers have 8 more bytes.
    K2,
}

/// The platform a model is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Platform {
    /// Windows, and ports of that version.
    #[default]
    Pc,
    /// Xbox: packed normals, short bone numbers, no vertex positions in the MDL.
    Xbox,
}

/// The record that a pair of function pointers belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PointerUse {
    Model,
    Animation,
    Mesh,
    Skin,
    Dangly,
}

impl PointerUse {
    /// Returns the use of the pointers of a mesh.
    pub(crate) fn of_mesh(skin: bool, dangly: bool) -> PointerUse {
        match (skin, dangly) {
            (true, _) => PointerUse::Skin,
            (_, true) => PointerUse::Dangly,
            _ => PointerUse::Mesh,
        }
    }
}

/// Returns the function pointers that the game's compiler writes.
pub(crate) fn pointers(game: Game, platform: Platform, of: PointerUse) -> [u32; 2] {
    use PointerUse::{Animation, Dangly, Mesh, Model, Skin};
    match (game, platform, of) {
        (Game::K1, Platform::Pc, Model) => [4273776, 4216096],
        (Game::K1, Platform::Pc, Animation) => [4273392, 4451552],
        (Game::K1, Platform::Pc, Mesh) => [4216656, 4216672],
        (Game::K1, Platform::Pc, Skin) => [4216592, 4216608],
        (Game::K1, Platform::Pc, Dangly) => [4216640, 4216624],
        (Game::K2, Platform::Pc, Model) => [4285200, 4216320],
        (Game::K2, Platform::Pc, Animation) => [4284816, 4522928],
        (Game::K2, Platform::Pc, Mesh) => [4216880, 4216896],
        (Game::K2, Platform::Pc, Skin) => [4216816, 4216832],
        (Game::K2, Platform::Pc, Dangly) => [4216864, 4216848],
        (Game::K1, Platform::Xbox, Model) => [4254992, 4255008],
        (Game::K1, Platform::Xbox, Animation) => [4253536, 4573360],
        (Game::K1, Platform::Xbox, Mesh) => [4267376, 4264048],
        (Game::K1, Platform::Xbox, Skin) => [4264032, 4264048],
        (Game::K1, Platform::Xbox, Dangly) => [4266736, 4266720],
        (Game::K2, Platform::Xbox, Model) => [4285872, 4216016],
        (Game::K2, Platform::Xbox, Animation) => [4285488, 4523088],
        (Game::K2, Platform::Xbox, Mesh) => [4216576, 4216592],
        (Game::K2, Platform::Xbox, Skin) => [4216512, 4216528],
        (Game::K2, Platform::Xbox, Dangly) => [4216560, 4216544],
    }
}

/// Returns game and platform of a model, given its first function pointer.
pub(crate) fn target_of(pointer: u32) -> Option<(Game, Platform)> {
    [Game::K1, Game::K2].into_iter().flat_map(|g| [(g, Platform::Pc), (g, Platform::Xbox)]).find(|(g, p)| {
        let [first, _] = pointers(*g, *p, PointerUse::Model);
        first == pointer
    })
}

/// A model: a tree of nodes, and animations that move them.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The game it is made for.
    pub game: Game,
    /// The platform it is made for.
    pub platform: Platform,
    /// Name; usually that of the file and of the root node.
    pub name: Text<32>,
    /// Node count of the header: the nodes of the model or, with a supermodel, those of the whole chain plus one.
    pub node_count: u32,
    /// What the model is for: 0 other, 1 effect, 2 tile, 4 character, 8 door, 16 lightsaber, 32 placeable, 64 flyer.
    pub classification: u8,
    /// 0, 2 or 4; meaning unknown.
    pub subclassification: u8,
    /// 0 in every known file.
    pub unknown_0x52: u8,
    /// Whether fog affects the model (`ignorefog` in text is the opposite).
    pub fog: u8,
    /// Models attached at run time; 0 in every known file.
    pub child_models: u32,
    /// Lowest and highest corner of the box around the model; nearly always (-5, -5, -1) and (5, 5, 10).
    pub bounds: [[f32; 3]; 2],
    /// Radius of the model; nearly always 7.
    pub radius: f32,
    /// Factor for the positions of animations inherited from the supermodel.
    pub animation_scale: f32,
    /// Model whose animations this one inherits, or `NULL`. See [`Model::supermodel`].
    pub supermodel: Text<32>,
    /// Node where inherited animations begin, if it is not the root: `neck_g` in heads.
    pub head: Option<NodeId>,
    /// Node names, which nodes refer to by index. Names may repeat or be unused.
    pub names: Vec<Name>,
    /// The nodes in depth-first order, the root first.
    pub nodes: Vec<Node>,
    /// Animations.
    pub animations: Vec<Animation>,
    /// Layout in the file.
    pub layout: ModelLayout,
}

/// An animation: a tree of nodes, each of which moves the node of the model with the same number.
#[derive(Debug, Clone, Default)]
pub struct Animation {
    /// Name by which the game starts it.
    pub name: Text<32>,
    /// Length in seconds.
    pub length: f32,
    /// Blend time from the previous animation, in seconds.
    pub transition: f32,
    /// Name of the topmost node that the animation moves; nearly always that of the model.
    pub root: Text<32>,
    /// Node count of the header; usually that of the model.
    pub node_count: u32,
    /// Events.
    pub events: Vec<Event>,
    /// Animated nodes in depth-first order, the root first. Nodes that do not move may be omitted.
    pub nodes: Vec<Node>,
    /// Layout in the file.
    pub layout: AnimationLayout,
}

/// The two files of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pair {
    /// The MDL file.
    pub mdl: Vec<u8>,
    /// The MDX file; empty for models without vertex rows.
    pub mdx: Vec<u8>,
}

/// The claims of the reader on both files.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Inspected {
    /// Claims on the MDL.
    pub mdl: Coverage,
    /// Claims on the MDX.
    pub mdx: Coverage,
    /// The error, if reading failed.
    pub error: Option<Error>,
}

/// Returns whether these bytes begin like a binary MDL: four zero bytes, and the function pointer of a known game.
///
/// ```
/// use galatea_kotor::mdl;
/// let pair = mdl::Model::new("box").write()?;
/// assert!(mdl::detect(&pair.mdl));
/// assert!(!mdl::detect(b"newmodel box"));
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    bytes.get(..4) == Some(&[0; 4]) && bytes.get(12..16).is_some_and(|b| target_of(u32::get(b)).is_some())
}

/// Returns which field each byte belongs to, as claimed by the reader.
///
/// ```
/// use galatea_kotor::mdl;
/// use galatea_wire::Limits;
/// let pair = mdl::Model::new("box").write()?;
/// let seen = mdl::inspect(&pair.mdl, Some(&pair.mdx), &Limits::default());
/// assert!(seen.error.is_none() && seen.mdl.gaps(pair.mdl.len()).is_empty());
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn inspect(mdl: &[u8], mdx: Option<&[u8]>, limits: &Limits) -> Inspected {
    read::inspect(mdl, mdx, limits)
}

impl Model {
    /// Returns an empty model for KotOR 1 on PC, with the root node that the game requires and the usual header values.
    ///
    /// Names longer than 32 bytes are truncated.
    ///
    /// ```
    /// let model = galatea_kotor::mdl::Model::new("m01aa_01a");
    /// assert_eq!(model.nodes.len(), 1);
    /// assert_eq!(model.name_of(&model.nodes[0]), b"m01aa_01a");
    /// ```
    pub fn new(name: &str) -> Model {
        let cut = name.as_bytes().get(..32).unwrap_or(name.as_bytes());
        let text = Text::new(cut).unwrap_or_default();
        Model {
            name: text,
            node_count: 1,
            fog: 1,
            bounds: [[-5.0, -5.0, -1.0], [5.0, 5.0, 10.0]],
            radius: 7.0,
            animation_scale: 1.0,
            supermodel: Text::new(b"NULL").unwrap_or_default(),
            names: vec![Name(cut.to_vec())],
            nodes: vec![Node::default()],
            ..Model::default()
        }
    }

    /// Reads a model from its two files. Without its MDX, or with an empty one, it has only the data of the MDL.
    ///
    /// ```
    /// use galatea_kotor::mdl::Model;
    /// use galatea_wire::Limits;
    /// let pair = Model::new("box").write()?;
    /// let model = Model::read(&pair.mdl, Some(&pair.mdx), &Limits::default())?;
    /// assert_eq!(model.write()?, pair);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn read(mdl: &[u8], mdx: Option<&[u8]>, limits: &Limits) -> Result<Model> {
        read::read(mdl, mdx, limits)
    }

    /// Returns the two files of this model: the bytes that were read if nothing has changed. See [`Model::read`].
    ///
    /// Fails if something does not fit into the format, such as more than 65,535 vertices in a mesh.
    pub fn write(&self) -> Result<Pair> {
        let mut pair = Pair::default();
        write::write(self, &mut pair)?;
        Ok(pair)
    }

    /// Writes the two files to streams. Nothing is written if one of them cannot be.
    ///
    /// ```
    /// use galatea_kotor::mdl::Model;
    /// let (mut mdl, mut mdx) = (Vec::new(), Vec::new());
    /// let model = Model::new("box");
    /// model.write_to(&mut mdl, &mut mdx)?;
    /// assert_eq!(mdl, model.write()?.mdl);
    /// # Ok::<(), galatea_wire::WriteError>(())
    /// ```
    pub fn write_to(&self, mdl: impl io::Write, mdx: impl io::Write) -> Result<(), WriteError> {
        let pair = self.write()?;
        write_to(Ok(pair.mdl), mdl)?;
        write_to(Ok(pair.mdx), mdx)
    }

    /// Writes like [`Model::write`], but reuses the memory of existing files. Their content is unspecified after an
    /// error.
    pub fn write_into(&self, pair: &mut Pair) -> Result<()> {
        write::write(self, pair)
    }

    /// Returns a node of the model.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// Returns the nodes of the model, then those of its animations.
    pub fn all_nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().chain(self.animations.iter().flat_map(|a| &a.nodes))
    }

    /// Returns the nodes of the model, then those of each animation.
    pub(crate) fn trees(&self) -> impl Iterator<Item = &[Node]> {
        std::iter::once(&self.nodes[..]).chain(self.animations.iter().map(|a| &a.nodes[..]))
    }

    /// Returns the nodes of the model (0) or of one of its animations (from 1).
    pub(crate) fn tree(&self, tree: u32) -> &[Node] {
        match tree.checked_sub(1) {
            None => &self.nodes,
            Some(animation) => self.animations.get(animation as usize).map_or(&[], |a| &a.nodes),
        }
    }

    /// Returns the nodes of the model (0) or of one of its animations (from 1) for changes.
    pub(crate) fn tree_mut(&mut self, tree: u32) -> &mut [Node] {
        match tree.checked_sub(1) {
            None => &mut self.nodes,
            Some(animation) => self.animations.get_mut(animation as usize).map_or(&mut [], |a| &mut a.nodes),
        }
    }

    /// Returns the name of a node of the model or of one of its animations; empty if the node has none.
    pub fn name_of(&self, node: &Node) -> &[u8] {
        self.names.get(usize::from(node.name)).map_or(&[], |n| &n.0)
    }

    /// Returns the first node of this name, ignoring case.
    pub fn find(&self, name: &[u8]) -> Option<NodeId> {
        self.nodes.iter().position(|n| self.name_of(n).eq_ignore_ascii_case(name)).map(|i| i as NodeId)
    }

    /// Returns the name of the supermodel; `None` if it is `NULL` or empty.
    pub fn supermodel(&self) -> Option<&[u8]> {
        let name = self.supermodel.bytes();
        (!name.is_empty() && !name.eq_ignore_ascii_case(b"null")).then_some(name)
    }

    /// Returns the models this one inherits animations from, the nearest first, as far as `find` knows them by name. A
    /// cyclic chain ends before the first repetition.
    ///
    /// ```
    /// use galatea_kotor::mdl::Model;
    /// use galatea_wire::Text;
    /// let with = |name: &str, above: &str| Model { supermodel: Text::new(above.as_bytes()).unwrap(), ..Model::new(name) };
    /// let find = |name: &[u8]| match name {
    ///     b"s_male02" => Some(with("s_male02", "S_Male01")),
    ///     b"s_male01" => Some(with("s_male01", "s_male02")),
    ///     _ => None,
    /// };
    /// let chain = with("pmbam", "S_Male02").supermodels(&find);
    /// assert_eq!(chain.iter().map(|m| m.name.bytes()).collect::<Vec<_>>(), [b"s_male02", b"s_male01"]);
    /// ```
    pub fn supermodels(&self, find: &dyn Fn(&[u8]) -> Option<Model>) -> Vec<Model> {
        let mut seen = vec![self.name.bytes().to_ascii_lowercase()];
        let mut chain: Vec<Model> = Vec::new();
        while let Some(name) = chain.last().unwrap_or(self).supermodel().map(<[u8]>::to_ascii_lowercase) {
            if seen.contains(&name) {
                break;
            }
            let Some(model) = find(&name) else { break };
            seen.push(name);
            chain.push(model);
        }
        chain
    }

    /// Adds a node as the last child of a parent, with a new name. It becomes the last node of the list, so that
    /// indices of other nodes do not change; [`Model::sort_nodes`] restores depth-first order.
    pub fn add_node(&mut self, parent: Option<NodeId>, name: &[u8], mut node: Node) -> NodeId {
        let id = self.nodes.len() as NodeId;
        node.name = u16::try_from(self.names.len()).unwrap_or(u16::MAX);
        node.number = node.name;
        node.parent = parent;
        node.children.clear();
        self.names.push(Name(name.to_vec()));
        self.nodes.push(node);
        if let Some(parent) = parent.and_then(|p| self.nodes.get_mut(p as usize)) {
            parent.children.push(id);
        }
        id
    }

    /// Discards the layout, so that writing uses that of the game's compiler.
    ///
    /// ```
    /// let mut model = galatea_kotor::mdl::Model::new("box");
    /// let before = model.write()?;
    /// model.forget_layout();
    /// assert_eq!(model.write()?, before);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn forget_layout(&mut self) {
        self.layout = ModelLayout::default();
        self.nodes.iter_mut().for_each(Node::forget_layout);
        for animation in &mut self.animations {
            animation.layout = AnimationLayout::default();
            animation.nodes.iter_mut().for_each(Node::forget_layout);
        }
    }

    /// Returns the figures of `galatea info`.
    ///
    /// ```
    /// let summary = galatea_kotor::mdl::Model::new("box").summary();
    /// assert_eq!((summary.version.as_str(), summary.nodes), ("K1 PC", 1));
    /// ```
    pub fn summary(&self) -> Summary {
        let meshes = || self.nodes.iter().filter_map(|n| n.mesh.as_deref());
        let mut bones = vec![false; self.nodes.len()];
        for skin in meshes().filter_map(|m| m.skin.as_deref()) {
            for (bone, slot) in bones.iter_mut().zip(&skin.bone_map) {
                *bone |= *slot >= 0.0;
            }
        }
        let game = match self.game {
            Game::K1 => "K1",
            Game::K2 => "K2",
        };
        let platform = match self.platform {
            Platform::Pc => "PC",
            Platform::Xbox => "Xbox",
        };
        Summary {
            version: format!("{game} {platform}"),
            nodes: self.nodes.len(),
            meshes: meshes().count(),
            vertices: meshes().map(Mesh::vertex_count).sum(),
            triangles: meshes().map(|m| m.faces.len()).sum(),
            bones: bones.iter().filter(|b| **b).count(),
            clips: self.animations.len(),
        }
    }

    /// Sorts the nodes in depth-first order. Fails if they are not a tree: a node is reached twice or never.
    ///
    /// Updates bone maps. Returns the new index for every old one.
    pub fn sort_nodes(&mut self) -> Result<Vec<NodeId>> {
        let order = node::depth_first(&self.nodes)?;
        let mut new_id = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(slot) = new_id.get_mut(*old as usize) {
                *slot = new as NodeId;
            }
        }
        let moved = |id: NodeId| new_id.get(id as usize).copied().unwrap_or(id);
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        for from in &order {
            if let Some(mut node) = old.get_mut(*from as usize).and_then(Option::take) {
                node.parent = node.parent.map(moved);
                node.children.iter_mut().for_each(|c| *c = moved(*c));
                if let Some(skin) = node.mesh.as_deref_mut().and_then(|m| m.skin.as_deref_mut()) {
                    skin.reorder(&order);
                }
                self.nodes.push(node);
            }
        }
        self.head = self.head.map(moved);
        Ok(new_id)
    }
}
