//! Keys of KotOR's animations on another model of KotOR.

use std::collections::HashMap;

use galatea_scene::{NodeId as SceneNode, Scene};
use glam::Quat;

use super::ground::Scale;
use super::target::{PositionKeys, text};
use super::{Chosen, TransferPlan, Transferred};
use crate::combine::CombineError;
use crate::combine::bones::{BONE, How, Pair, Skeleton};
use crate::kotor::mdl::{Animation, Controllers, Interpolation, Model, Node, NodeId, NodeKind};

/// The controllers of every node.
const POSITION: u32 = 8;
const ORIENTATION: u32 = 20;
const SCALE: u32 = 36;
/// Controllers of meshes: how bright and how opaque they are.
const OF_MESHES: [u32; 3] = [100, 128, 132];

/// The greatest angle between the rests of bones with different names whose keys mean the same, as the cosine of its half.
const ALIKE: f32 = 0.999;

/// Returns the node of the model that a node of its scene is.
fn id_of(node: SceneNode) -> Option<NodeId> {
    node.checked_sub(1)
}

pub(super) fn skeleton(model: &Model, scene: &Scene) -> Skeleton {
    Skeleton::of_kinds(scene, &|node| {
        Some(match model.node(id_of(node)?)?.kind() {
            NodeKind::Light => "light",
            NodeKind::Emitter => "emitter",
            NodeKind::Camera => "camera",
            NodeKind::Reference => "reference",
            NodeKind::Skin => "skin",
            _ => BONE,
        })
    })
}

/// Returns `true` for bones whose keys mean the same because they are the same.
pub(super) fn is_same(pair: &Pair) -> bool {
    matches!(pair.how, How::Name | How::Root)
}

/// Returns `true` if the keys of bones with other names mean the same: orientations replace those at rest.
pub(super) fn rests_agree(from: &Model, to: &Model, plan: &TransferPlan) -> bool {
    let guessed = plan.matching.pairs.iter().filter(|pair| !is_same(pair));
    let rest = |model: &Model, skeleton: &Skeleton, at: usize| {
        skeleton.bones.get(at).and_then(|bone| model.node(id_of(bone.node)?)).map(|node| node.orientation)
    };
    guessed.into_iter().all(|pair| {
        let (a, b) = (rest(from, &plan.from, pair.from), rest(to, &plan.to, pair.to));
        let Some((a, b)) = a.zip(b) else { return true };
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>().abs() > ALIKE
    })
}

/// Copies animations; nodes without a counterpart are left out.
pub(super) fn copy(
    from: &Model,
    to: &mut Model,
    chosen: &[Chosen],
    scale: Option<&Scale>,
    out: &mut Transferred,
) -> Result<(), CombineError> {
    let nodes: HashMap<NodeId, NodeId> =
        out.plan.nodes().into_iter().filter_map(|(a, b)| Some((id_of(a)?, id_of(b)?))).collect();
    let same = from.nodes.len() == to.nodes.len() && nodes.len() == from.nodes.len();
    let usual = to.animations.first().map_or(to.nodes.len() as u32, |animation| animation.node_count);
    let mut dropped = 0usize;
    for clip in chosen {
        let Some(animation) = from.animations.get(clip.index) else { continue };
        let mut new = Animation {
            name: text(&clip.name),
            node_count: if same { animation.node_count } else { usual },
            nodes: Vec::new(),
            layout: Default::default(),
            ..animation.clone()
        };
        let root =
            from.find(animation.root.bytes()).and_then(|id| nodes.get(&id)).and_then(|id| to.node(*id));
        let root = root.or(to.nodes.first()).map(|node| to.name_of(node).to_vec()).unwrap_or_default();
        new.root = galatea_wire::Text::new(&root).unwrap_or(to.name);
        // The new position of each node that is kept, and of the nearest kept one above the others.
        let mut places: Vec<Option<NodeId>> = Vec::with_capacity(animation.nodes.len());
        for node in &animation.nodes {
            let parent = node.parent.and_then(|p| places.get(p as usize)).copied().flatten();
            let target = from.target_of(node).and_then(|id| nodes.get(&id)).copied();
            let Some((target, model)) = target.and_then(|id| Some((id, to.node(id)?))) else {
                dropped += usize::from(!node.controllers.is_empty());
                places.push(parent);
                continue;
            };
            let id = new.nodes.len() as NodeId;
            let mut copied = Node {
                name: model.name,
                number: model.number,
                parent,
                children: Default::default(),
                ..node.clone()
            };
            copied.forget_layout();
            dropped += retain_known(&mut copied, model)?;
            if let Some(factor) = scale.map(|scale| scale.of_node(target + 1)) {
                scale_positions(&mut copied.controllers, factor);
            }
            if let Some((before, after)) = scale.and_then(|scale| scale.turns.get(&(target + 1))) {
                let source = from.target_of(node).and_then(|id| from.node(id)).unwrap_or(node);
                turn(&mut copied.controllers, source, *before, *after)?;
            }
            new.nodes.push(copied);
            if let Some(above) = parent.and_then(|p| new.nodes.get_mut(p as usize)) {
                above.children.push(id);
            }
            places.push(Some(id));
        }
        let tops = new.nodes.iter().filter(|node| node.parent.is_none()).count();
        if tops != 1 {
            below_root(to, &mut new);
        }
        to.animations.push(new);
    }
    if dropped > 0 {
        out.notes.push(format!("{dropped} tracks move nodes that have no counterpart, and are left out"));
    }
    Ok(())
}

/// Leaves out the controllers that mean nothing on a node; returns how many there were.
fn retain_known(copied: &mut Node, model: &Node) -> Result<usize, CombineError> {
    let known = |kind: u32| match kind {
        POSITION | ORIENTATION | SCALE => true,
        _ if model.light.is_some() || model.emitter.is_some() => true,
        _ => model.mesh.is_some() && OF_MESHES.contains(&kind),
    };
    let unknown: Vec<u32> =
        copied.controllers.list().iter().map(|c| c.kind).filter(|kind| !known(*kind)).collect();
    for kind in &unknown {
        copied.controllers.remove(*kind)?;
    }
    Ok(unknown.len())
}

/// Multiplies the keys of an orientation; one that there is no key for is that of the original at rest.
fn turn(controllers: &mut Controllers, source: &Node, before: Quat, after: Quat) -> Result<(), CombineError> {
    let turned =
        |[x, y, z, w]: [f32; 4]| (before * Quat::from_xyzw(x, y, z, w) * after).normalize().to_array();
    let rest = {
        let [w, x, y, z] = source.orientation;
        [x, y, z, w]
    };
    let Some(track) = controllers.get(ORIENTATION).filter(|track| track.width != 3) else {
        controllers.push(ORIENTATION, 28, Interpolation::Linear, 4, &[0.0], &turned(rest))?;
        return Ok(());
    };
    let times = track.times.to_vec();
    let values: Vec<f32> = (0..times.len()).filter_map(|key| track.value(key)).flat_map(turned).collect();
    controllers.remove(ORIENTATION)?;
    controllers.push(ORIENTATION, 28, Interpolation::Linear, 4, &times, &values)?;
    Ok(())
}

fn scale_positions(controllers: &mut Controllers, factor: f32) {
    let ranges: Vec<std::ops::Range<usize>> = controllers
        .list()
        .iter()
        .filter(|c| c.kind == POSITION)
        .map(|c| {
            let start = usize::from(c.data_index);
            start..start + usize::from(c.rows) * c.numbers_per_key()
        })
        .collect();
    for range in ranges {
        controllers.data_mut().get_mut(range).into_iter().flatten().for_each(|value| *value *= factor);
    }
}

/// Puts the nodes of an animation below one that moves the root of the model.
fn below_root(model: &Model, animation: &mut Animation) {
    let Some(root) = model.nodes.first() else { return };
    for node in &mut animation.nodes {
        node.parent = Some(node.parent.map_or(0, |p| p + 1));
        node.children.iter_mut().for_each(|child| *child += 1);
    }
    let top = Node { name: root.name, number: root.number, ..Node::default() };
    let tops: Vec<NodeId> =
        (1..).zip(&animation.nodes).filter(|(_, n)| n.parent == Some(0)).map(|(i, _)| i).collect();
    animation.nodes.insert(0, Node { children: tops.into(), ..top });
}

/// Returns the node of an animation that moves a node of the model; adds it with those above it if there is none.
pub(in crate::combine) fn animated(
    model: &Model,
    animation: &mut Animation,
    target: NodeId,
) -> Option<NodeId> {
    let is = |node: &Node, id: NodeId| {
        model.node(id).is_some_and(|target| target.number == node.number && target.name == node.name)
    };
    let mut missing = Vec::new();
    let mut at = Some(target);
    let mut found = None;
    while let Some(id) = at.filter(|_| missing.len() <= model.nodes.len()) {
        found = animation.nodes.iter().position(|node| is(node, id));
        if found.is_some() {
            break;
        }
        missing.push(id);
        at = model.node(id)?.parent;
    }
    let mut above = found.map(|at| at as NodeId);
    for id in missing.into_iter().rev() {
        let node = model.node(id)?;
        let new = animation.nodes.len() as NodeId;
        if above.is_none() && new > 0 {
            // An animation has one root.
            above = Some(0);
        }
        animation.nodes.push(Node { name: node.name, number: node.number, parent: above, ..Node::default() });
        above
            .and_then(|p| animation.nodes.get_mut(p as usize))
            .into_iter()
            .for_each(|p| p.children.push(new));
        above = Some(new);
    }
    above
}

pub(super) fn set_position(model: &mut Model, clip: &str, keys: &PositionKeys) -> Result<(), CombineError> {
    let Some(target) = id_of(keys.node) else { return Ok(()) };
    let found = model.animations.iter().rposition(|a| a.name.bytes().eq_ignore_ascii_case(clip.as_bytes()));
    let Some(at) = found else { return Ok(()) };
    let mut animation = std::mem::take(model.animations.get_mut(at).unwrap_or(&mut Animation::default()));
    let node = animated(model, &mut animation, target);
    if let Some(node) = node.and_then(|id| animation.nodes.get_mut(id as usize)) {
        node.controllers.remove(POSITION)?;
        let values = keys.values.as_flattened();
        node.controllers.push(POSITION, 16, Interpolation::Linear, 3, &keys.times, values)?;
    }
    model.animations.get_mut(at).into_iter().for_each(|slot| *slot = std::mem::take(&mut animation));
    Ok(())
}
