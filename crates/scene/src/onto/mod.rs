//! An edit laid onto its original: the edited scene gives what it can say, the original everything else.
//!
//! Editing programs lose what glTF has no field for, and change more than was edited: they sample keys, split and number,
//! reorder, and drop what they do not use. So the result begins as a copy of the original, and of the edited scene only that
//! is taken which differs from the original by more than a program's rounding.

mod account;
mod clips;
mod materials;
mod mesh;
mod nodes;
pub(crate) mod remove;
mod rows;

pub use account::{Account, Change, Fate, Part};

use crate::{Extras, Material, MaterialId, NodeId, Pose, Scene, Transform, Value};

/// The key in extras that holds the index of the original.
pub const ORIGIN: &str = "origin";

/// The rule by which an edit is laid onto its original, in words.
pub const RULE: &str = "\
Parts are matched by their extras, or else by name, kind and place.
  in both:             the original, with what the edit changes beyond rounding: place and parent of nodes, vertices, weights,
                       triangles, keys, colours and textures of materials
  only in the edit:    new; made as for a new model
  only in the original: nodes, meshes, clips and used materials were deleted in the editing program, and are deleted.
                       Kept are the things such programs do not carry: materials no triangle uses, meshes of lines or points
                       or without geometry, triangles that repeat another one or have no area, curves of anything but place,
                       rotation and scale, events, emitters, attachments, shapes, visibility, and all extras.
                       If not a single clip, light or camera came back, that kind was not exported, and all of it is kept";

/// A scene that was laid onto another.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Onto {
    /// The original with the edit.
    pub scene: Scene,
    /// What became of the parts of the original.
    pub account: Account,
}

impl Scene {
    /// Lays this scene, an edited copy, onto its original.
    ///
    /// ```
    /// use galatea_scene::{Extras, Fate, Part, example};
    /// let original = example();
    /// let mut edited = original.clone();
    /// // A program that drops extras; and an edit.
    /// edited.nodes.iter_mut().for_each(|node| node.extras = Extras::new());
    /// edited.nodes[1].transform.translation[0] += 0.5;
    /// let onto = edited.onto(&original);
    /// assert_eq!(onto.scene.nodes[1].transform, edited.nodes[1].transform);
    /// assert_eq!(onto.scene.nodes[1].extras, original.nodes[1].extras);
    /// assert_eq!(onto.account.count(Part::Node, Fate::Changed), 1);
    /// ```
    pub fn onto(&self, original: &Scene) -> Onto {
        let pairs = nodes::pairs(self, original);
        let mut merge = Merge::new(self, original, pairs);
        merge.nodes();
        merge.materials();
        merge.meshes();
        merge.lights_and_cameras();
        merge.clips();
        merge.finish()
    }
}

/// The state of laying one scene onto another.
struct Merge<'a> {
    edited: &'a Scene,
    original: &'a Scene,
    /// For each node of the edited scene, its original.
    pairs: Vec<Option<NodeId>>,
    /// For each node of the original, the edited one.
    twins: Vec<Option<NodeId>>,
    /// For each node of the edited scene, that of the result.
    node_ids: Vec<NodeId>,
    /// For each material of the edited scene, that of the result.
    material_ids: Vec<Option<MaterialId>>,
    /// The result; its nodes begin with those of the original.
    out: Scene,
    gone_nodes: Vec<bool>,
    /// Nodes that the edit does not have, and that are kept.
    kept_nodes: Vec<NodeId>,
    gone_materials: Vec<bool>,
    gone_clips: Vec<bool>,
    /// What differs in each node of the original.
    notes: Vec<Vec<&'static str>>,
    /// The size of the model in its own units.
    size: f32,
    account: Account,
}

impl<'a> Merge<'a> {
    fn new(edited: &'a Scene, original: &'a Scene, pairs: Vec<Option<NodeId>>) -> Merge<'a> {
        let mut twins = vec![None; original.nodes.len()];
        for (id, pair) in pairs.iter().enumerate() {
            if let Some(slot) = pair.and_then(|p| twins.get_mut(p as usize)) {
                *slot = Some(id as NodeId);
            }
        }
        Merge {
            edited,
            original,
            pairs,
            twins,
            node_ids: Vec::new(),
            material_ids: Vec::new(),
            out: original.clone(),
            gone_nodes: vec![false; original.nodes.len()],
            kept_nodes: Vec::new(),
            gone_materials: vec![false; original.materials.len()],
            gone_clips: vec![false; original.clips.len()],
            notes: vec![Vec::new(); original.nodes.len()],
            size: size(original),
            account: Account::default(),
        }
    }

    /// Returns the node of the result for a node of the edited scene.
    fn node_id(&self, edited: NodeId) -> Option<NodeId> {
        self.node_ids.get(edited as usize).copied()
    }

    /// Notes that a node is kept though the edit does not have it.
    fn note_kept(&mut self, original: NodeId) {
        self.kept_nodes.push(original);
    }

    fn note(&mut self, original: NodeId, what: &'static str) {
        if let Some(list) = self.notes.get_mut(original as usize).filter(|list| !list.contains(&what)) {
            list.push(what);
        }
    }
}

/// Returns the size of a model in its own units, with its distance from the origin: numbers are less precise far from it.
fn size(scene: &Scene) -> f32 {
    let pose = Pose::rest(scene);
    let bounds = pose.bounds(scene);
    let reach = bounds.map(|b| b.min.into_iter().chain(b.max).map(f32::abs).fold(0.0, f32::max));
    let nodes = pose.world.iter().map(|w| w.w_axis.truncate().abs().max_element());
    let reach = nodes.filter(|n| n.is_finite()).fold(reach.unwrap_or(0.0), f32::max);
    let unit = scene.axes().and_then(|id| scene.node(id)).map_or(1.0, |n| n.transform.scale[0].abs());
    let size = reach / unit.max(1e-9);
    if size.is_finite() && size > 1e-6 { size } else { 1.0 }
}

/// Returns the index of the original that reading has noted.
fn origin(extras: &Extras) -> Option<usize> {
    extras.get(ORIGIN).and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok())
}

/// Returns the name without the number that a program appends to make it unique.
fn base_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((base, number)) if number.len() >= 3 && number.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

/// Returns for each edited part the index of its original: by the noted origin, by name, or by name without a number.
fn match_names<'n>(
    edited: impl Iterator<Item = (&'n str, &'n Extras)> + Clone,
    original: impl ExactSizeIterator<Item = &'n str> + Clone,
) -> Vec<Option<usize>> {
    let mut free = vec![true; original.len()];
    let mut out: Vec<Option<usize>> = Vec::new();
    let mut take = |index: usize| free.get_mut(index).is_some_and(|free| std::mem::replace(free, false));
    for (_, extras) in edited.clone() {
        out.push(origin(extras).filter(|index| take(*index)));
    }
    let ways: [fn(&str) -> &str; 2] = [|name| name, base_name];
    for way in ways {
        let mut by_name: std::collections::HashMap<&str, std::collections::VecDeque<usize>> =
            std::collections::HashMap::new();
        for (index, name) in original.clone().enumerate() {
            by_name.entry(name).or_default().push_back(index);
        }
        for ((name, _), slot) in edited.clone().zip(&mut out).filter(|(_, slot)| slot.is_none()) {
            let Some(list) = by_name.get_mut(way(name)) else { continue };
            *slot = std::iter::from_fn(|| list.pop_front()).find(|index| take(*index));
        }
    }
    out
}

/// Returns `true` if numbers are equal but for a tolerance.
fn close(a: &[f32], b: &[f32], tolerance: f32) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance || a.to_bits() == b.to_bits())
}

/// Returns `true` if two rotations are equal but for a tolerance, whatever their sign and length.
fn turned_alike(a: [f32; 4], b: [f32; 4], tolerance: f32) -> bool {
    let unit = |q: [f32; 4]| {
        let q = glam::Vec4::from(q);
        if q.length_squared() > 0.0 && q.is_finite() { q.normalize() } else { glam::Vec4::W }
    };
    let (a, b) = (unit(a), unit(b));
    (a - b).abs().max_element().min((a + b).abs().max_element()) <= tolerance
}

/// How much a program may change a rotation or a scale by itself.
const ROUNDING: f32 = 2e-4;

/// Takes over the parts of a transform that differ beyond rounding; returns whether there are any.
fn take_transform(into: &mut Transform, edited: &Transform, reach: f32) -> bool {
    let mut changed = false;
    if !close(&into.translation, &edited.translation, reach) {
        into.translation = edited.translation;
        changed = true;
    }
    if !turned_alike(into.rotation, edited.rotation, ROUNDING) {
        into.rotation = edited.rotation;
        changed = true;
    }
    let largest = into.scale.iter().fold(1.0f32, |most, s| most.max(s.abs()));
    if !close(&into.scale, &edited.scale, ROUNDING * largest) {
        into.scale = edited.scale;
        changed = true;
    }
    changed
}

/// A material without what only reading knows.
fn plain(material: &Material) -> Material {
    let mut material = material.clone();
    material.extras.remove(ORIGIN);
    material
}
