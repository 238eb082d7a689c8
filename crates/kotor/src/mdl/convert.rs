//! Conversion between games, platforms and kinds of nodes. Every loss is reported.

use galatea_wire::{Loss, Text, escape_bytes};

use super::derive::CHAIN_TOTALS;
use super::mesh::{IndexLists, Mesh, PositionCopy, SABER_FACES, Saber, Vertices, pack_normal, unpack_normal};
use super::wire::Dirt;
use super::{Face, Game, Model, Node, NodeId, Platform, PointerUse, pointers};

impl Model {
    /// Converts the model to this game and platform. Returns what was lost or needs attention.
    ///
    /// ```
    /// use galatea_kotor::mdl::{Game, Model, Platform};
    /// let mut model = Model::new("box");
    /// assert!(model.convert(Game::K2, Platform::Pc).is_empty());
    /// assert_eq!(model.summary().version, "K2 PC");
    /// ```
    pub fn convert(&mut self, game: Game, platform: Platform) -> Vec<Loss> {
        let mut losses = Vec::new();
        let from = (self.game, self.platform);
        if from == (game, platform) {
            return losses;
        }
        if from.0 != game {
            self.convert_counts(game, &mut losses);
        }
        (self.game, self.platform) = (game, platform);
        for (id, node) in self.nodes.iter_mut().enumerate() {
            let name = self.names.get(usize::from(node.name)).map(|n| escape_bytes(&n.0)).unwrap_or_default();
            let path = format!("nodes[{id}] \"{name}\"");
            convert_node(node, from, (game, platform), &path, &mut losses);
        }
        let program = pointers(game, platform, PointerUse::Animation);
        for animation in &mut self.animations {
            if let Some(raw) = &mut animation.layout.raw {
                raw.0.pointers = program;
            }
            for node in &mut animation.nodes {
                convert_node(node, from, (game, platform), "a node of an animation", &mut losses);
            }
        }
        losses
    }

    /// Converts the node counts of stock supermodels, which differ between the games.
    fn convert_counts(&mut self, game: Game, losses: &mut Vec<Loss>) {
        let Some(name) = self.supermodel() else { return };
        let stock = CHAIN_TOTALS.iter().find(|(n, _, _)| n.as_bytes().eq_ignore_ascii_case(name));
        match stock {
            Some((_, k1, k2)) => {
                let (old, new) = if game == Game::K2 { (k1, k2) } else { (k2, k1) };
                // Some tools count only the nodes of the model itself.
                let own = self.nodes.len() as u32 + 1;
                if self.node_count == own + old {
                    self.node_count = own + new;
                }
                losses.push(Loss::new("", format!("node numbers follow the supermodel \"{}\" of the other game; derive them again with its file", escape_bytes(self.supermodel.bytes()))));
            }
            None => losses.push(Loss::new(
                "",
                format!(
                    "node count and numbers depend on the supermodel \"{}\", which is unknown",
                    escape_bytes(name)
                ),
            )),
        }
    }

    /// Makes inherited animations begin at `neck_g`, as heads require, or (`false`) at the root. Returns whether that
    /// was possible.
    pub fn set_head_link(&mut self, on: bool) -> bool {
        let neck = self.find(b"neck_g").filter(|id| *id != 0);
        self.head = if on { neck } else { None };
        if let Some(headers) = &mut self.layout.headers {
            headers.head_is_sound = true;
        }
        !on || neck.is_some()
    }

    /// Returns the models whose animations this one inherits, nearest first. Stops at a name that `find` does not know,
    /// or at a model that is already in the chain.
    pub fn chain<'a>(&self, find: &dyn Fn(&[u8]) -> Option<&'a Model>) -> Vec<&'a Model> {
        let mut chain: Vec<&'a Model> = Vec::new();
        let mut next = self.supermodel().and_then(find);
        while let Some(model) = next {
            let known = |m: &Model| m.name.bytes().eq_ignore_ascii_case(model.name.bytes());
            if chain.iter().any(|m| known(m)) || known(self) {
                break;
            }
            chain.push(model);
            next = model.supermodel().and_then(find);
        }
        chain
    }

    /// Returns an animation of this model or of its chain, by name: the model that owns it, the animation, and the
    /// factor for its positions (the product of the animation scales between the models).
    pub fn animation_in<'a>(
        &'a self,
        chain: &[&'a Model],
        name: &[u8],
    ) -> Option<(&'a Model, &'a super::Animation, f32)> {
        let mut factor = 1.0;
        let mut inheritor = self;
        for (i, owner) in std::iter::once(self).chain(chain.iter().copied()).enumerate() {
            if i > 0 {
                factor *= inheritor.animation_scale;
            }
            if let Some(found) = owner.animations.iter().find(|a| a.name.bytes().eq_ignore_ascii_case(name)) {
                return Some((owner, found, factor));
            }
            inheritor = owner;
        }
        None
    }

    /// Converts a lightsaber blade to a plain mesh of 16 vertices. Returns whether the node was a complete blade.
    pub fn saber_to_trimesh(&mut self, node: NodeId) -> bool {
        let pc = self.platform == Platform::Pc;
        let mesh = self.nodes.get_mut(node as usize).and_then(|n| n.mesh.as_deref_mut());
        let Some(mesh) = mesh else { return false };
        let Some(saber) = mesh.saber.take_if(|s| s.positions.len() == 176) else { return false };
        fn sixteen<T: Copy>(all: &[T]) -> Vec<T> {
            all.iter().take(8).chain(all.iter().skip(88).take(8)).copied().collect()
        }
        mesh.vertices = Vertices {
            positions: sixteen(&saber.positions),
            normals: sixteen(&saber.normals),
            ..Vertices::default()
        };
        let [uvs, ..] = &mut mesh.vertices.uvs;
        *uvs = sixteen(&saber.uvs);
        let [counter, _] = saber.inverted_counters;
        mesh.faces = SABER_FACES
            .map(|vertices| Face { vertices, adjacent: [u16::MAX; 3], ..Face::default() })
            .to_vec();
        mesh.in_mdx = true;
        mesh.mdl_positions = if pc { PositionCopy::Same } else { PositionCopy::Absent };
        mesh.indices = IndexLists::Faces;
        mesh.inverted_counters = [counter].into();
        mesh.forget_layout();
        mesh.layout.vertex_count = 0;
        mesh.derive_bounds();
        mesh.derive_faces();
        true
    }

    /// Converts a plain mesh of 16 vertices, as made by [`Model::saber_to_trimesh`], to a lightsaber blade. Returns
    /// whether the mesh had that shape.
    pub fn trimesh_to_saber(&mut self, node: NodeId) -> bool {
        let pc = self.platform == Platform::Pc;
        let mesh = self.nodes.get_mut(node as usize).and_then(|n| n.mesh.as_deref_mut());
        let Some(mesh) = mesh else { return false };
        let [uvs, ..] = &mesh.vertices.uvs;
        let v = &mesh.vertices;
        let plain =
            mesh.skin.is_none() && mesh.dangly.is_none() && mesh.aabb.is_none() && mesh.saber.is_none();
        if !plain || v.positions.len() != 16 || v.normals.len() != 16 || uvs.len() != 16 {
            return false;
        }
        // 22 groups of 8: the two sides of the blade, then copies of the inner edge.
        fn groups<T: Copy>(all: &[T]) -> Vec<T> {
            let (front, back) = all.split_at(all.len() / 2);
            let side = |half: &[T]| {
                let mut out = half.to_vec();
                for _ in 0..20 {
                    out.extend(half.iter().take(4));
                }
                out
            };
            [side(front), side(back)].concat()
        }
        let counter = mesh.inverted_counters.first().copied().unwrap_or(98);
        let saber = Saber {
            positions: groups(&v.positions),
            uvs: groups(uvs),
            normals: groups(&v.normals),
            inverted_counters: [counter, counter.saturating_sub(1)],
            ..Saber::default()
        };
        mesh.vertices = Vertices { positions: saber.positions.clone(), ..Vertices::default() };
        mesh.in_mdx = false;
        mesh.mdl_positions = if pc { PositionCopy::Same } else { PositionCopy::Absent };
        mesh.indices = IndexLists::Own(Vec::new());
        mesh.inverted_counters.clear();
        mesh.forget_layout();
        mesh.layout.vertex_count = 0;
        mesh.saber = Some(Box::new(saber));
        true
    }

    /// Returns the walkable shape of the room in model coordinates: vertices, faces and the material of each face.
    /// `None` if the model has no walkable mesh.
    pub fn walkable(&self) -> Option<Walkable> {
        let id = self.nodes.iter().position(|n| n.mesh.as_deref().is_some_and(|m| m.aabb.is_some()))?;
        let mesh = self.nodes.get(id)?.mesh.as_deref()?;
        let places = self.in_model(&self.pose(None, 0.0));
        let place = places.get(id)?;
        use super::derive::vector::{add, f, q, qnormalize, rotate, v};
        let rotation = qnormalize(q(place.orientation));
        let vertices =
            mesh.vertices.positions.iter().map(|p| f(add(rotate(rotation, v(*p)), v(place.position))));
        Some(Walkable {
            node: id as NodeId,
            position: place.position,
            vertices: vertices.collect(),
            faces: mesh.faces.iter().map(|f| f.vertices).collect(),
            materials: mesh.faces.iter().map(|f| f.material).collect(),
        })
    }

    /// Writes a walkable shape, in model coordinates, to a walkable mesh of the model: the node that [`Walkable`] names
    /// if it is one, otherwise a new child of the root. Planes, neighbours, bounds and the box tree are derived.
    /// Returns the node.
    pub fn set_walkable(&mut self, walk: &Walkable) -> NodeId {
        use super::derive::vector::{conjugate, f, q, qnormalize, rotate, sub, v};
        let is_walkable = |n: &Node| n.mesh.as_deref().is_some_and(|m| m.aabb.is_some());
        let id = match self.node(walk.node).is_some_and(is_walkable) {
            true => walk.node,
            false => {
                let mesh = Mesh { render: 0, ..Mesh::default() };
                let node = Node { position: walk.position, mesh: Some(Box::new(mesh)), ..Node::default() };
                let mut name = self.name.bytes().to_vec();
                name.extend_from_slice(b"_wg");
                let parent = (!self.nodes.is_empty()).then_some(0);
                self.add_node(parent, &name, node)
            }
        };
        let places = self.in_model(&self.pose(None, 0.0));
        let (Some(place), pc) = (places.get(id as usize).copied(), self.platform == Platform::Pc) else {
            return id;
        };
        let inverse = conjugate(qnormalize(q(place.orientation)));
        if let Some(mesh) = self.nodes.get_mut(id as usize).and_then(|n| n.mesh.as_deref_mut()) {
            let local = walk.vertices.iter().map(|p| f(rotate(inverse, sub(v(*p), v(place.position)))));
            mesh.vertices = Vertices { positions: local.collect(), ..Vertices::default() };
            let face = |(vertices, material): (&[u16; 3], &u32)| Face {
                vertices: *vertices,
                material: *material,
                ..Face::default()
            };
            mesh.faces = walk.faces.iter().zip(&walk.materials).map(face).collect();
            mesh.mdl_positions = if pc { PositionCopy::Same } else { PositionCopy::Absent };
            mesh.indices = IndexLists::Faces;
            mesh.in_mdx = true;
            mesh.layout.vertex_count = 0;
            mesh.texture =
                if mesh.vertices.uvs.iter().all(Vec::is_empty) { Text::default() } else { mesh.texture };
            mesh.texture_count = 0;
            mesh.derive_bounds();
            mesh.derive_faces();
            mesh.derive_normals(None, super::derive::Weighting { area: true, ..Default::default() });
            mesh.derive_aabb();
        }
        id
    }
}

/// A walkable shape in model coordinates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Walkable {
    /// The walkable node.
    pub node: NodeId,
    /// Its transform in the model.
    pub position: [f32; 3],
    /// Vertices.
    pub vertices: Vec<[f32; 3]>,
    /// Faces.
    pub faces: Vec<[u16; 3]>,
    /// Surface material of each face.
    pub materials: Vec<u32>,
}

fn convert_node(
    node: &mut Node,
    from: (Game, Platform),
    to: (Game, Platform),
    path: &str,
    losses: &mut Vec<Loss>,
) {
    let Some(mesh) = node.mesh.as_deref_mut() else { return };
    mesh.layout.pointers = None;
    match (from.0, to.0) {
        (Game::K1, Game::K2) => mesh.dirt = Some(mesh.dirt.unwrap_or(Dirt::USUAL)),
        (Game::K2, Game::K1) => {
            if let Some(dirt) = mesh.dirt.take()
                && (dirt.enabled, dirt.texture, dirt.coordinate_space, dirt.hide_in_holograms) != (0, 1, 1, 0)
            {
                losses.push(Loss::new(path, "dirt and hologram settings of KotOR 2 dropped"));
            }
        }
        _ => {}
    }
    match (from.1, to.1) {
        (Platform::Pc, Platform::Xbox) => to_xbox(mesh, path, losses),
        (Platform::Xbox, Platform::Pc) => {
            mesh.mdl_positions = PositionCopy::Same;
        }
        _ => {}
    }
}

fn to_xbox(mesh: &mut Mesh, path: &str, losses: &mut Vec<Loss>) {
    match mesh.mdl_positions {
        PositionCopy::Own(_) => {
            losses.push(Loss::new(path, "positions of the MDL that differ from the MDX dropped"))
        }
        PositionCopy::Absent if !mesh.vertices.positions.is_empty() => {
            losses
                .push(Loss::new(path, "has no positions in the MDL; converting back adds them").invisible());
        }
        _ => {}
    }
    mesh.mdl_positions = PositionCopy::Absent;
    let mut rounded = 0usize;
    let mut round = |vector: &mut [f32; 3]| {
        let packed = unpack_normal(pack_normal(*vector));
        rounded += usize::from(packed != *vector);
        *vector = packed;
    };
    mesh.vertices.normals.iter_mut().for_each(&mut round);
    mesh.vertices.tangents.iter_mut().flatten().flatten().for_each(&mut round);
    if rounded > 0 {
        losses.push(
            Loss::new(path, format!("{rounded} normals and tangents rounded to 11, 11 and 10 bits"))
                .invisible(),
        );
    }
    let whole = |slot: &f32| *slot == -1.0 || (slot.fract() == 0.0 && (0.0..65535.0).contains(slot));
    let map = mesh.skin.iter().flat_map(|s| &s.bone_map);
    if !mesh.vertices.bones.iter().flatten().chain(map).all(whole) {
        losses.push(Loss::new(path, "fractional bone slots truncated"));
    }
}
