//! Models from the scene.

mod authored;
mod clip;
mod import;
mod mesh;
mod node;
mod skin;

use std::collections::HashSet;

use foldhash::HashMap;
use galatea_scene::{Extras, Node as SceneNode, Scene, UniqueNames, Value};
use galatea_wire::{Error, Loss, Result, Text, Wire};

use super::{SceneOptions, model_fields, read_fields};
use crate::authoring::Authoring;
use crate::extra::{from_json, int, objects, own, unlatin};
use crate::mdl::{Game, Model, Name, NodeId, Platform};

impl Model {
    /// Builds a model from a scene, and returns what it cannot represent.
    ///
    /// A scene that came from a model is converted back to that model, with all edits. Any other scene becomes a new
    /// model for KotOR 1 on PC (see [`Model::author`]): scale is baked into vertices and keys, and meshes are split if
    /// they have several materials, more than 65,535 vertices or more than 16 bones. Then it is converted to the game
    /// and the platform of the options.
    ///
    /// ```
    /// use galatea_kotor::mdl::{Game, Model, SceneOptions};
    /// let options = SceneOptions::default().with_game(Game::K2);
    /// let (model, _) = Model::from_scene(&galatea_scene::example(), &options)?;
    /// assert_eq!(model.game, Game::K2);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn from_scene(scene: &Scene, options: &SceneOptions) -> Result<(Model, Vec<Loss>)> {
        let (mut model, mut losses) = Model::for_its_game(scene)?;
        let game = options.game.unwrap_or(model.game);
        losses.extend(model.convert(game, options.platform.unwrap_or(model.platform)));
        Ok((model, losses))
    }

    /// Builds a model for the game and the platform of the scene.
    fn for_its_game(scene: &Scene) -> Result<(Model, Vec<Loss>)> {
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        // Checked before the scene is copied. The node of the axes does not count.
        if scene.nodes.len() > usize::from(u16::MAX) + 1 {
            return Err(too_many_nodes(scene.nodes.len()));
        }
        if own(&scene.extras).contains_key("game") {
            return Model::build(scene, Vec::new());
        }
        authored::build(scene, &Authoring::default(), None)
    }

    fn build(scene: &Scene, losses: Vec<Loss>) -> Result<(Model, Vec<Loss>)> {
        let map = own(&scene.extras);
        let mut model = Model::new("");
        model.names.clear();
        model.nodes.clear();
        model.name = text(&scene.name);
        model.game = if map.get("game").and_then(Value::as_str) == Some("k2") { Game::K2 } else { Game::K1 };
        let xbox = map.get("platform").and_then(Value::as_str) == Some("xbox");
        model.platform = if xbox { Platform::Xbox } else { Platform::Pc };
        model_fields!(read_fields, map, model);
        let mut builder = FromScene::new(scene, &model)?;
        builder.losses = losses;
        if scene.name.chars().count() > 31 {
            builder.losses.push(
                Loss::new(format!("model {:?}", scene.name), "its name beyond 31 characters").invisible(),
            );
        }
        for at in 0..builder.order.len() {
            let node = builder.read_node(at)?;
            model.nodes.push(node);
        }
        builder.names(&mut model, map);
        model.head = int(map, "head").and_then(|h| builder.by_id.get(&(h as u32)).copied());
        let stored = map.get("node_count").map(|v| from_json(v, &0u32));
        let before = int(map, "nodes").unwrap_or(0);
        builder.more = model.nodes.len() as i64 - before;
        model.node_count = builder.node_count(stored, model.nodes.len());
        let mut clip_names = UniqueNames::new(import::NAME);
        scene.clips.iter().for_each(|clip| clip_names.reserve(&clip.name));
        // Other programs sort clips by name.
        let mut clips: Vec<_> =
            scene.clips.iter().filter(|c| !own(&c.extras).contains_key("inherited")).collect();
        clips.sort_by_key(|clip| int(own(&clip.extras), "animation").unwrap_or(i64::MAX));
        for clip in clips {
            let mut animation = builder.read_clip(&mut model, clip)?;
            animation.name = builder.clip_name(&mut clip_names, &clip.name);
            model.animations.push(animation);
        }
        Ok((model, builder.losses))
    }
}

/// Returns the nodes below the roots, parents first. Siblings that come from a model are in its order, whatever order another
/// program gave them; new ones follow.
fn in_old_order(scene: &Scene) -> Vec<u32> {
    // Of copies, the first is the original.
    let mut numbers = HashSet::new();
    let number = |node: &SceneNode| int(own(&node.extras), "id").filter(|id| numbers.insert(*id));
    let places: Vec<Option<i64>> = scene.nodes.iter().map(number).collect();
    let place = |id: &u32| places.get(*id as usize).copied().flatten().unwrap_or(i64::MAX);
    let mut seen = vec![false; scene.nodes.len()];
    let mut order = Vec::with_capacity(scene.nodes.len());
    let mut todo = scene.roots();
    todo.reverse();
    while let Some(id) = todo.pop() {
        let (Some(node), Some(flag)) = (scene.node(id), seen.get_mut(id as usize)) else { continue };
        if std::mem::replace(flag, true) {
            continue;
        }
        order.push(id);
        let below = todo.len();
        todo.extend(&node.children);
        let children = todo.get_mut(below..).unwrap_or_default();
        children.sort_by_key(place);
        children.reverse();
    }
    order
}

fn too_many_nodes(count: usize) -> Error {
    Error::unrepresentable(format!("{count} nodes; a model can have 65,535"))
}

/// Returns a text field, truncated to its size.
pub(super) fn text<const N: usize>(name: &str) -> Text<N> {
    let bytes = unlatin(name);
    Text::new(bytes.get(..N).unwrap_or(&bytes)).unwrap_or_default()
}

/// The state of a conversion from a scene.
pub(super) struct FromScene<'a> {
    pub(super) scene: &'a Scene,
    /// Nodes of the scene in the order of the model.
    pub(super) order: Vec<u32>,
    /// Nodes beside the root, which become its children.
    pub(super) added: Vec<u32>,
    /// New index of each node of the scene.
    pub(super) new_id: HashMap<u32, NodeId>,
    /// New index of a node by the index it had when it was written.
    pub(super) by_id: HashMap<u32, NodeId>,
    pub(super) losses: Vec<Loss>,
    pub(super) game: Game,
    pub(super) pose: galatea_scene::Pose,
    /// By how many nodes the model has grown since it was written.
    pub(super) more: i64,
}

impl<'a> FromScene<'a> {
    fn new(scene: &'a Scene, model: &Model) -> Result<Self> {
        let axes = scene.axes();
        let order: Vec<u32> = in_old_order(scene).into_iter().filter(|n| Some(*n) != axes).collect();
        let tops = |n: &&u32| scene.node(**n).is_some_and(|node| node.parent == axes);
        let tops: Vec<u32> = order.iter().filter(tops).copied().collect();
        let known = |n: &u32| scene.node(*n).is_some_and(|node| own(&node.extras).contains_key("id"));
        // What was added to a model beside its root belongs below it.
        let added = tops.get(1..).filter(|rest| tops.first().is_some_and(known) && !rest.iter().any(known));
        let added = added.unwrap_or_default().to_vec();
        let single = axes.is_some() && tops.len() == added.len() + 1;
        let mut builder = FromScene {
            scene,
            order: Vec::new(),
            added,
            new_id: HashMap::default(),
            by_id: HashMap::default(),
            losses: Vec::new(),
            game: model.game,
            pose: galatea_scene::Pose::rest(scene),
            more: 0,
        };
        if !single {
            // The format has exactly one root, so one is added.
            builder.order.push(u32::MAX);
        }
        builder.order.extend(order);
        if builder.order.len() > usize::from(u16::MAX) {
            return Err(too_many_nodes(builder.order.len()));
        }
        for (new, id) in builder.order.iter().enumerate() {
            builder.new_id.insert(*id, new as NodeId);
            let stored = scene.node(*id).and_then(|n| int(own(&n.extras), "id"));
            if let Some(stored) = stored {
                builder.by_id.entry(stored as u32).or_insert(new as NodeId);
            }
        }
        Ok(builder)
    }

    /// Returns a number of nodes that was stored, with those that came and went since.
    pub(super) fn node_count(&self, stored: Option<u32>, nodes: usize) -> u32 {
        let count = stored.map_or(nodes as i64, |stored| i64::from(stored) + self.more);
        count.clamp(0, i64::from(u32::MAX)) as u32
    }

    /// Returns the node of the scene at an index of the new order; `None` for the added root.
    pub(super) fn at(&self, place: usize) -> Option<&'a SceneNode> {
        self.order.get(place).and_then(|id| self.scene.node(*id))
    }

    /// Sets names and numbers of the nodes.
    fn names(&mut self, model: &mut Model, map: &Extras) {
        let mut names: Vec<Name> = objects(map, "names")
            .map(|n| Name(unlatin(n.get("name").and_then(Value::as_str).unwrap_or(""))))
            .collect();
        let listed = map.contains_key("names");
        let named = self.order.iter().filter_map(|id| self.scene.node(*id));
        let known = named.filter(|n| own(&n.extras).contains_key("id"));
        let mut unique = UniqueNames::new(import::NAME);
        known.for_each(|n| unique.reserve(&n.name));
        let mut numbers: HashSet<u16> = model.nodes.iter().map(|n| n.number).collect();
        for place in 0..model.nodes.len() {
            let scene_node = self.at(place);
            let wanted = scene_node.map_or(&self.scene.name, |n| &n.name);
            let mut name = unlatin(wanted);
            let stored = scene_node.map(|n| own(&n.extras));
            let known = stored.filter(|t| {
                int(t, "id").is_some_and(|id| self.by_id.get(&(id as u32)) == Some(&(place as NodeId)))
            });
            if known.is_none() {
                let fit = unique.fit(wanted);
                if fit != *wanted {
                    self.losses.push(
                        Loss::new(format!("node {wanted:?}"), format!("its name, now {fit:?}")).invisible(),
                    );
                }
                name = unlatin(&fit);
            }
            let index = known.and_then(|t| int(t, "name").or_else(|| int(t, "id"))).map(|i| i as usize);
            let index = match index.filter(|i| listed && *i < names.len()) {
                Some(index) => {
                    if let Some(slot) = names.get_mut(index) {
                        *slot = Name(name);
                    }
                    index
                }
                None => {
                    names.push(Name(name));
                    names.len() - 1
                }
            };
            let Some(node) = model.nodes.get_mut(place) else { continue };
            node.name = u16::try_from(index).unwrap_or(u16::MAX);
            let number = known.and_then(|t| int(t, "number").or_else(|| int(t, "id")));
            node.number = match number.and_then(|n| u16::try_from(n).ok()) {
                Some(number) => number,
                None => {
                    let free = (node.name..=u16::MAX).find(|n| *n == node.name || !numbers.contains(n));
                    free.unwrap_or(node.name)
                }
            };
            numbers.insert(node.number);
        }
        model.names = names;
    }
}

/// Returns a record from extras; `None` if there is none.
pub(super) fn record<T: Wire>(map: &Extras, key: &str) -> Option<T> {
    map.get(key).map(|v| from_json(v, &T::ZERO))
}
