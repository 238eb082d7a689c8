//! Nodes of one model taken into another.

use std::collections::{HashMap, HashSet};

use galatea_scene::UniqueNames;
use galatea_wire::escape;
use glam::{Quat, Vec3};

use super::bones;
use crate::combine::transfer::animated;
use crate::combine::{CombineError, Combined};
use crate::kotor::mdl::derive::{inverse_binds, inverted_counter};
use crate::kotor::mdl::{Animation, Controllers, Mesh, Model, Node, NodeId, Transform};

/// Bytes of a name that the game reads.
const ROOM: usize = 31;

/// What is taken of a model.
pub(in crate::combine) struct Taking<'a> {
    pub(in crate::combine) from: &'a Model,
    /// The nodes, parents first.
    pub(in crate::combine) nodes: Vec<NodeId>,
    /// Nodes of the target that stand for parents of what is taken.
    pub(in crate::combine) parents: HashMap<NodeId, NodeId>,
    /// Nodes of the target that stand for bones of what is taken.
    pub(in crate::combine) bones: HashMap<NodeId, NodeId>,
    /// The node of the target for all others.
    pub(in crate::combine) parent: NodeId,
    /// Whether nodes stay where they are in the model.
    pub(in crate::combine) keep_place: bool,
    /// How far the topmost are moved.
    pub(in crate::combine) offset: [f32; 3],
}

/// Takes nodes into a model.
pub(in crate::combine) fn take(
    to: &mut Model,
    taking: &Taking<'_>,
    out: &mut Combined,
) -> Result<(), CombineError> {
    let from = taking.from;
    let before = to.nodes.len();
    let worlds = [from.in_model(&from.pose(None, 0.0)), to.in_model(&to.pose(None, 0.0))];
    let mut names = UniqueNames::new(ROOM);
    to.names.iter().for_each(|name| names.reserve(&name.lossy()));
    let mut numbers = Numbers::of(from, to);
    let mut new: HashMap<NodeId, NodeId> = HashMap::new();
    for id in &taking.nodes {
        let Some(source) = from.node(*id) else { continue };
        let mut node = source.clone();
        node.forget_layout();
        let taken = source.parent.and_then(|parent| new.get(&parent)).copied();
        let known = source.parent.and_then(|parent| taking.parents.get(&parent)).copied();
        let parent = taken.or(known).unwrap_or(taking.parent);
        if taken.is_none() {
            if taking.keep_place {
                place_as_in_model(&mut node, &worlds, *id, parent);
            }
            let ([x, y, z], [dx, dy, dz]) = (node.position, taking.offset);
            node.position = [x + dx, y + dy, z + dz];
        }
        let old = String::from_utf8_lossy(from.name_of(source)).into_owned();
        let name = names.fit(&old);
        if name != old {
            let (old, name) = (escape(&old), escape(&name));
            out.notes.push(format!("there is a node \"{old}\" already: the new one is called \"{name}\""));
        }
        let number = numbers.of_node(source.number)?;
        let added = to.add_node(Some(parent), name.as_bytes(), node);
        if let Some(node) = to.nodes.get_mut(added as usize) {
            node.number = number;
        }
        new.insert(*id, added);
    }
    if u16::try_from(to.names.len()).is_err() {
        return Err(CombineError::NoRoom { what: "has more than 65,535 nodes".to_owned() });
    }
    counters(to, before);
    skins(to, taking, &new, before);
    animations(to, taking, &new)?;
    let order = to.sort_nodes()?;
    for id in before..order.len() {
        bind(to, order.get(id).copied().unwrap_or(0));
    }
    to.node_count = to.node_count.saturating_add(new.len() as u32);
    Ok(())
}

/// Numbers of nodes: those that a common supermodel gives stay.
struct Numbers {
    used: HashSet<u16>,
    kept: bool,
    next: u32,
}

impl Numbers {
    fn of(from: &Model, to: &Model) -> Numbers {
        let above = |model: &Model| model.supermodel().map(<[u8]>::to_ascii_lowercase);
        let used: HashSet<u16> = to.all_nodes().map(|node| node.number).collect();
        let next = used.iter().max().map_or(0, |last| u32::from(*last) + 1);
        Numbers { used, kept: above(to).is_some() && above(from) == above(to), next }
    }

    fn of_node(&mut self, number: u16) -> Result<u16, CombineError> {
        if self.kept && self.used.insert(number) {
            self.next = self.next.max(u32::from(number) + 1);
            return Ok(number);
        }
        let what = || CombineError::NoRoom { what: "has no numbers left for more nodes".to_owned() };
        let number = u16::try_from(self.next).map_err(|_| what())?;
        self.next += 1;
        self.used.insert(number);
        Ok(number)
    }
}

/// Gives a node the place below its new parent at which it is where it was.
fn place_as_in_model(node: &mut Node, [from, to]: &[Vec<Transform>; 2], id: NodeId, parent: NodeId) {
    let rotation = |t: &Transform| {
        let [w, x, y, z] = t.orientation;
        Quat::from_xyzw(x, y, z, w).normalize()
    };
    let (Some(own), Some(above)) = (from.get(id as usize), to.get(parent as usize)) else { return };
    let back = rotation(above).inverse();
    node.position = (back * (Vec3::from(own.position) - Vec3::from(above.position))).into();
    let [x, y, z, w] = (back * rotation(own)).normalize().to_array();
    node.orientation = [w, x, y, z];
}

/// Numbers the new meshes behind those that are there.
fn counters(to: &mut Model, before: usize) {
    let meshes = |nodes: &[Node]| nodes.iter().filter(|node| node.mesh.is_some()).count() as u32;
    let first = meshes(to.nodes.get(..before).unwrap_or(&[]));
    let new = to.nodes.iter_mut().skip(before).filter_map(|node| node.mesh.as_deref_mut());
    for (mesh, number) in new.zip(first + 1..) {
        mesh.inverted_counters.iter_mut().for_each(|counter| *counter = inverted_counter(number));
    }
}

/// Gives every skin an entry for every node. Two bones that became one share its slot.
fn skins(to: &mut Model, taking: &Taking<'_>, new: &HashMap<NodeId, NodeId>, before: usize) {
    let count = to.nodes.len();
    let added = count - before;
    fn longer<T: Clone>(list: &mut Vec<T>, before: usize, added: usize, value: T) {
        if list.len() == before {
            list.extend(std::iter::repeat_n(value, added));
        }
    }
    let old =
        to.nodes.iter_mut().take(before).filter_map(|node| node.mesh.as_deref_mut()?.skin.as_deref_mut());
    for skin in old {
        longer(&mut skin.bone_map, before, added, -1.0);
        longer(&mut skin.rotations, before, added, [1.0, 0.0, 0.0, 0.0]);
        longer(&mut skin.translations, before, added, [0.0; 3]);
        longer(&mut skin.layout.scratch, before, added, 0);
    }
    for mesh in to.nodes.iter_mut().skip(before).filter_map(|node| node.mesh.as_deref_mut()) {
        if mesh.skin.is_none() {
            continue;
        }
        let mut map = vec![-1.0f32; count];
        let mut same: HashMap<usize, f32> = HashMap::new();
        for (bone, slot) in bones(mesh) {
            let target = new.get(&bone).or(taking.bones.get(&bone)).copied().unwrap_or(taking.parent);
            let Some(entry) = map.get_mut(target as usize) else { continue };
            if *entry < 0.0 {
                *entry = slot as f32;
            } else {
                same.insert(slot, *entry);
            }
        }
        for slot in mesh.vertices.bones.iter_mut().flatten().filter(|slot| **slot >= 0.0) {
            *slot = same.get(&(*slot as usize)).copied().unwrap_or(*slot);
        }
        if let Some(skin) = mesh.skin.as_deref_mut() {
            skin.bone_map = map;
            // Derived when the nodes are in order.
            skin.rotations = vec![[1.0, 0.0, 0.0, 0.0]; count];
            skin.translations = vec![[0.0; 3]; count];
        }
    }
}

/// Binds a skin to the bones where they are.
pub(super) fn bind(model: &mut Model, id: NodeId) {
    let has_skin = |mesh: &Mesh| mesh.skin.is_some();
    if !model.node(id).and_then(|node| node.mesh.as_deref()).is_some_and(has_skin) {
        return;
    }
    let binds = inverse_binds(&model.nodes, id);
    let mesh = model.nodes.get_mut(id as usize).and_then(|node| node.mesh.as_deref_mut());
    if let Some(skin) = mesh.and_then(|mesh| mesh.skin.as_deref_mut()) {
        (skin.rotations, skin.translations) = binds.into_iter().unzip();
        skin.derive_bone_nodes();
    }
}

/// Adds the keys of the new nodes to animations of the same name.
fn animations(
    to: &mut Model,
    taking: &Taking<'_>,
    new: &HashMap<NodeId, NodeId>,
) -> Result<(), CombineError> {
    let from = taking.from;
    let mut all = std::mem::take(&mut to.animations);
    for animation in &mut all {
        let same = |other: &&Animation| other.name.bytes().eq_ignore_ascii_case(animation.name.bytes());
        let Some(source) = from.animations.iter().find(same) else { continue };
        let factor = if source.length > 0.0 { animation.length / source.length } else { 1.0 };
        for node in source.nodes.iter().filter(|node| !node.controllers.is_empty()) {
            let target = from.target_of(node).and_then(|id| new.get(&id)).copied();
            let Some(place) = target.and_then(|id| animated(to, animation, id)) else { continue };
            if let Some(copy) = animation.nodes.get_mut(place as usize) {
                copy.controllers = node.controllers.clone();
                stretch(&mut copy.controllers, factor, animation.length);
            }
        }
    }
    to.animations = all;
    Ok(())
}

/// Moves keys to where they are in an animation of another length.
fn stretch(controllers: &mut Controllers, factor: f32, length: f32) {
    if factor.to_bits() == 1.0f32.to_bits() || !factor.is_finite() {
        return;
    }
    let times: HashSet<usize> = controllers
        .list()
        .iter()
        .flat_map(|c| usize::from(c.time_index)..usize::from(c.time_index) + usize::from(c.rows))
        .collect();
    for (at, value) in controllers.data_mut().iter_mut().enumerate() {
        if times.contains(&at) {
            *value = (*value * factor).min(length);
        }
    }
}
