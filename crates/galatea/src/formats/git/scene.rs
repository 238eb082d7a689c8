//! The objects of an area at their places.

use std::collections::HashMap;

use galatea_scene::{Node, NodeId, Scene, Transform};

use super::instances::{Body, Instances, Object};
use crate::{Document, Look, SceneContext};

/// Nodes that copies of models may have together. The largest areas of the games have less than a tenth of that.
const NODES: usize = 1 << 18;

/// What objects share.
#[derive(PartialEq, Eq, Hash)]
enum Shared<'i> {
    Model(&'i str),
    Creature(Look),
}

/// Adds what is seen of the objects below a node in the axes of the area. Objects with the same model share its meshes.
pub(crate) fn add(scene: &mut Scene, instances: &Instances, axes: NodeId) {
    let mut first: HashMap<Shared<'_>, (NodeId, usize)> = HashMap::new();
    let mut room = NODES;
    for object in instances.objects.iter().filter(|object| object.is_placed()) {
        let (key, made) = match instances.body(object) {
            Some(Body::Model(name)) => {
                (Shared::Model(name), instances.models.get(name).map(|m| m as &dyn Document))
            }
            Some(Body::Creature(look)) => {
                (Shared::Creature(*look), instances.creatures.get(look).map(|c| c as &dyn Document))
            }
            _ => continue,
        };
        let known = first.get(&key).copied();
        if known.is_some_and(|(_, nodes)| nodes > room) {
            continue;
        }
        let node = Node { transform: transform(object), ..Node::new(&object.template) };
        let place = scene.add_node(Some(axes), node);
        match known {
            Some((original, nodes)) => {
                room -= nodes;
                scene.repeat(original, place);
            }
            None => {
                let before = scene.nodes.len();
                let made = made.and_then(|document| document.to_scene(&SceneContext::new(&object.template)));
                made.into_iter()
                    .for_each(|made| scene.append(Scene { name: object.template.clone(), ..made }, place));
                first.insert(key, (place, scene.nodes.len() - before));
            }
        }
    }
}

fn transform(object: &Object) -> Transform {
    let (sin, cos) = libm::sincosf(object.turn / 2.0);
    Transform { translation: object.position, rotation: [0.0, 0.0, sin, cos], ..Transform::default() }
}
