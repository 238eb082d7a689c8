//! Models to the scene.

pub(super) mod clip;
pub(super) mod mesh;
pub(super) mod node;
pub(super) mod skin;

use std::collections::HashSet;

use foldhash::HashMap;
use galatea_scene::{Extras, Material, Scene, Value};

use super::{ALPHA, SELF_ILLUMINATION, model_fields, put_fields};
use crate::extra::{json, latin, put, wrap};
use crate::geometry::AXES;
use crate::mdl::{Game, Model, Node, NodeId, Platform};

impl Model {
    /// Returns the model as a scene.
    ///
    /// ```
    /// use galatea_kotor::mdl::{Model, Node};
    /// let mut model = Model::new("box");
    /// model.add_node(Some(0), b"lid", Node { position: [0.0, 0.0, 1.0], ..Node::default() });
    /// let scene = model.to_scene();
    /// let lid = scene.find("lid").unwrap();
    /// assert_eq!(scene.nodes[lid as usize].transform.translation, [0.0, 0.0, 1.0]);
    /// let (back, losses) = Model::from_scene(&scene, &Default::default())?;
    /// assert!(model.differences(&back).is_empty() && losses.is_empty());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn to_scene(&self) -> Scene {
        self.to_scene_with(&[])
    }

    /// Returns the model as a scene, with the clips it inherits from its supermodels, the nearest first. Clips with an
    /// existing name are skipped. Inherited clips are marked; [`Model::from_scene`] skips them.
    ///
    /// ```
    /// use galatea_kotor::mdl::{Animation, Model};
    /// use galatea_wire::Text;
    /// let mut parent = Model::new("s_male01");
    /// let walk = Animation { name: Text::new(b"walk").unwrap(), length: 1.0, ..Animation::default() };
    /// parent.animations.push(walk);
    /// let scene = Model::new("p_bastilabb").to_scene_with(&[&parent]);
    /// assert_eq!(scene.clips[0].name, "walk");
    /// assert!(Model::from_scene(&scene, &Default::default())?.0.animations.is_empty());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn to_scene_with(&self, supermodels: &[&Model]) -> Scene {
        let mut scene = Scene::new(&latin(self.name.bytes()));
        scene.add_axes(AXES, 1.0);
        // Characters face positive Y.
        scene.set_front([0.0, 1.0, 0.0]);
        scene.extras = wrap(self.header());
        let mut builder = ToScene::new(self, scene);
        for id in 0..self.nodes.len() {
            builder.add_node(id as NodeId);
        }
        for animation in &self.animations {
            builder.add_clip(animation);
        }
        for supermodel in supermodels {
            for animation in &supermodel.animations {
                builder.add_inherited(supermodel, animation);
            }
        }
        builder.scene
    }

    fn header(&self) -> Extras {
        let mut map = Extras::new();
        let base = Model::new("");
        let game = if self.game == Game::K1 { "k1" } else { "k2" };
        put(&mut map, "game", game);
        put(&mut map, "platform", if self.platform == Platform::Pc { "pc" } else { "xbox" });
        put(&mut map, "node_count", json(&self.node_count));
        put(&mut map, "nodes", self.nodes.len() as u32);
        model_fields!(put_fields, &mut map, self, base);
        if let Some(head) = self.head {
            put(&mut map, "head", head);
        }
        // Usually names and nodes correspond one to one, in the same order.
        let usual = self.names.len() == self.nodes.len()
            && self.nodes.iter().enumerate().all(|(i, n)| usize::from(n.name) == i);
        if !usual {
            let list = self.names.iter().map(|n| Value::from([("name", latin(&n.0).into())]));
            put(&mut map, "names", Value::Array(list.collect()));
        }
        map
    }
}

/// The state of a conversion to a scene.
pub(super) struct ToScene<'a> {
    pub(super) model: &'a Model,
    pub(super) scene: Scene,
    pub(super) materials: HashMap<Vec<u32>, u32>,
    /// Nodes whose material is animated and therefore not shared.
    pub(super) moved: HashSet<NodeId>,
    pub(super) by_number: HashMap<u16, NodeId>,
    pub(super) by_name: HashMap<Vec<u8>, NodeId>,
}

impl<'a> ToScene<'a> {
    fn new(model: &'a Model, scene: Scene) -> Self {
        let mut builder = ToScene {
            model,
            scene,
            materials: HashMap::default(),
            moved: HashSet::default(),
            by_number: HashMap::default(),
            by_name: HashMap::default(),
        };
        for (id, node) in model.nodes.iter().enumerate().rev() {
            builder.by_number.insert(node.number, id as NodeId);
            builder.by_name.insert(model.name_of(node).to_ascii_lowercase(), id as NodeId);
        }
        for node in model.animations.iter().flat_map(|a| &a.nodes) {
            let moves = node.controllers.list().iter().any(|c| matches!(c.kind, ALPHA | SELF_ILLUMINATION));
            if let Some(target) = builder.target(node).filter(|_| moves) {
                builder.moved.insert(target);
            }
        }
        builder
    }

    /// Returns the node that a node of an animation moves: the one of the same number and name, otherwise of the same
    /// name, otherwise of the same number.
    pub(super) fn target(&self, node: &Node) -> Option<NodeId> {
        let name = self.model.name_of(node);
        let numbered = self.by_number.get(&node.number).copied();
        let same_name = |id: &NodeId| {
            self.model.node(*id).is_some_and(|n| self.model.name_of(n).eq_ignore_ascii_case(name))
        };
        let named = self.by_name.get(&name.to_ascii_lowercase()).copied();
        numbered.filter(same_name).or(named).or(numbered)
    }

    /// Returns the material with this key, creating it if there is none.
    pub(super) fn material(&mut self, key: Vec<u32>, make: impl FnOnce() -> Material) -> u32 {
        let scene = &mut self.scene;
        *self.materials.entry(key).or_insert_with(|| {
            scene.materials.push(make());
            scene.materials.len() as u32 - 1
        })
    }
}

/// Returns the index in the scene of a node of the model: the node of the axes comes first.
pub(super) fn scene_id(id: NodeId) -> u32 {
    id + 1
}
