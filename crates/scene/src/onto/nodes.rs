//! Nodes: which is which, where they are, and what they carry.

use std::collections::HashMap;

use super::{Fate, Merge, ORIGIN, Part, close, match_names, take_transform, turned_alike};
use crate::{Camera, Light, LightKind, Mesh, Node, NodeId, Projection, Scene};

/// Returns for each node of the edited scene its original.
pub(super) fn pairs(edited: &Scene, original: &Scene) -> Vec<Option<NodeId>> {
    let named = edited.nodes.iter().map(|n| (n.name.as_str(), &n.extras));
    let found = match_names(named, original.nodes.iter().map(|n| n.name.as_str()));
    let mut out: Vec<Option<NodeId>> = found.into_iter().map(|p| p.map(|i| i as NodeId)).collect();
    if let (Some(axes), Some(was)) = (edited.axes(), original.axes())
        && let Some(slot) = out.get_mut(axes as usize).filter(|slot| slot.is_none())
    {
        *slot = Some(was);
    }
    renamed(edited, original, &mut out);
    out
}

/// The least score of a node that was renamed.
const ENOUGH: u32 = 6;

/// Pairs nodes that were renamed: with the same extras, or the same parent and the same place, mesh or children.
fn renamed(edited: &Scene, original: &Scene, pairs: &mut [Option<NodeId>]) {
    let mut taken = vec![false; original.nodes.len()];
    for pair in pairs.iter().flatten() {
        taken.get_mut(*pair as usize).into_iter().for_each(|slot| *slot = true);
    }
    // Children of each parent, so that only siblings are compared.
    let mut free: HashMap<Option<NodeId>, Vec<NodeId>> = HashMap::new();
    for (id, node) in original.nodes.iter().enumerate().filter(|(id, _)| taken.get(*id) == Some(&false)) {
        free.entry(node.parent).or_default().push(id as NodeId);
    }
    for id in edited.depth_first() {
        let Some(node) = edited.node(id).filter(|_| pairs.get(id as usize) == Some(&None)) else { continue };
        let parent = match node.parent {
            Some(parent) => match pairs.get(parent as usize).copied().flatten() {
                Some(parent) => Some(parent),
                None => continue,
            },
            None => None,
        };
        let Some(siblings) = free.get_mut(&parent) else { continue };
        let score = |other: &NodeId| {
            original.node(*other).map_or(0, |other| likeness(edited, node, original, other, pairs))
        };
        let best = siblings.iter().take(MOST_SIBLINGS).enumerate().map(|(at, other)| (score(other), at));
        if let Some((_, at)) =
            best.rev().max_by_key(|(score, _)| *score).filter(|(score, _)| *score >= ENOUGH)
        {
            let other = siblings.remove(at);
            pairs.get_mut(id as usize).into_iter().for_each(|slot| *slot = Some(other));
        }
    }
}

/// Most siblings that a renamed node is compared with.
const MOST_SIBLINGS: usize = 256;

/// Returns how much two children of the same parent have in common, besides it.
fn likeness(a: &Scene, node: &Node, b: &Scene, other: &Node, pairs: &[Option<NodeId>]) -> u32 {
    let kinds = |n: &Node| (n.mesh.is_some(), n.skin.is_some());
    if kinds(node) != kinds(other) {
        return 0;
    }
    let mut own = node.extras.clone();
    own.remove(ORIGIN);
    let same_extras = !own.is_empty() && own == other.extras;
    let (t, u) = (&node.transform, &other.transform);
    let same_place = close(&t.translation, &u.translation, 1e-3)
        && turned_alike(t.rotation, u.rotation, 1e-3)
        && close(&t.scale, &u.scale, 1e-3);
    let triangles = |scene: &Scene, node: &Node| {
        let mesh = node.mesh.and_then(|m| scene.meshes.get(m as usize));
        mesh.map(|m| m.primitives.iter().map(|p| p.indices.len()).sum::<usize>())
    };
    let (x, y) = (triangles(a, node), triangles(b, other));
    let same_mesh = x.is_some_and(|count| count > 0) && x == y;
    let children = node.children.iter().filter_map(|c| pairs.get(*c as usize).copied().flatten());
    let same_children = children.filter(|c| other.children.contains(c)).count() > 0;
    u32::from(same_extras) * 6
        + u32::from(same_place) * 3
        + u32::from(same_mesh) * 4
        + u32::from(same_children) * 4
        + u32::from(x.is_none() && node.children.is_empty() == other.children.is_empty()) * 3
}

impl Merge<'_> {
    /// Places nodes, adds new ones and finds those that are gone.
    pub(super) fn nodes(&mut self) {
        self.node_ids = self.pairs.iter().map(|p| p.unwrap_or(NodeId::MAX)).collect();
        for id in self.edited.depth_first() {
            let Some(node) = self.edited.node(id) else { continue };
            match self.pairs.get(id as usize).copied().flatten() {
                Some(original) => self.place(node, original),
                None => self.add(id, node),
            }
        }
        for id in 0..self.original.nodes.len() {
            let missing = self.twins.get(id) == Some(&None);
            let gone = missing && self.original.nodes.get(id).is_some_and(|node| self.is_carried(node));
            self.gone_nodes.get_mut(id).into_iter().for_each(|slot| *slot = gone);
            if missing && !gone {
                self.note_kept(id as NodeId);
            }
        }
    }

    /// Returns `true` if every program has a node like this: not one that converts axes, nor a light or a camera if none of
    /// these was exported.
    fn is_carried(&self, node: &Node) -> bool {
        let light = node.light.is_some() && self.edited.lights.is_empty();
        let camera = node.camera.is_some() && self.edited.cameras.is_empty();
        !node.axes && !light && !camera
    }

    /// Takes over place, name and parent of a node.
    fn place(&mut self, node: &Node, original: NodeId) {
        let reach = self.size * 2e-5;
        let parent = node.parent.and_then(|p| self.node_id(p));
        let Some(slot) = self.out.nodes.get_mut(original as usize) else { return };
        let before = slot.parent;
        if slot.axes {
            return;
        }
        if take_transform(&mut slot.transform, &node.transform, reach) {
            self.note(original, "moved");
        }
        let was = self.original.node(original).map_or("", |n| n.name.as_str());
        let renamed = node.name != was && super::base_name(&node.name) != super::base_name(was);
        if let Some(slot) = self.out.nodes.get_mut(original as usize).filter(|_| renamed) {
            slot.name.clone_from(&node.name);
            self.note(original, "renamed");
        }
        // A program may leave out the node that converts axes.
        let lost = node.parent.is_none() && before == self.original.axes();
        if before != parent && !lost && parent != Some(NodeId::MAX) {
            self.reparent(original, parent);
            self.note(original, "has another parent");
        }
    }

    fn reparent(&mut self, id: NodeId, parent: Option<NodeId>) {
        // A node must not become a descendant of itself while its new ancestors still wait for their turn.
        let mut above = parent;
        for _ in 0..self.out.nodes.len() {
            let Some(at) = above else { break };
            if at == id {
                return;
            }
            above = self.out.node(at).and_then(|n| n.parent);
        }
        let before =
            self.out.nodes.get_mut(id as usize).and_then(|n| std::mem::replace(&mut n.parent, parent));
        if let Some(node) = before.and_then(|p| self.out.nodes.get_mut(p as usize)) {
            node.children.retain(|child| *child != id);
        }
        if let Some(node) = parent.and_then(|p| self.out.nodes.get_mut(p as usize)) {
            node.children.push(id);
        }
    }

    /// Adds a node that the original does not have. Its mesh follows later.
    fn add(&mut self, id: NodeId, node: &Node) {
        let parent = node.parent.and_then(|p| self.node_id(p)).or(self.original.axes());
        let light = node.light.and_then(|l| self.edited.lights.get(l as usize)).cloned();
        let camera = node.camera.and_then(|c| self.edited.cameras.get(c as usize)).cloned();
        let emitter = node.emitter.and_then(|e| self.edited.emitters.get(e as usize)).cloned();
        let mut new =
            Node { mesh: None, skin: None, light: None, camera: None, emitter: None, ..node.clone() };
        new.extras.remove(ORIGIN);
        if let Some(light) = light {
            self.account.add(Part::Light, Fate::New, &light.name, "");
            new.light = Some(self.out.lights.len() as u32);
            self.out.lights.push(light);
        }
        if let Some(camera) = camera {
            self.account.add(Part::Camera, Fate::New, &camera.name, "");
            new.camera = Some(self.out.cameras.len() as u32);
            self.out.cameras.push(Camera { target: None, ..camera });
        }
        if let Some(emitter) = emitter {
            new.emitter = Some(self.out.emitters.len() as u32);
            self.out.emitters.push(emitter);
        }
        self.account.add(Part::Node, Fate::New, &node.name, "");
        let new = self.out.add_node(parent, new);
        self.node_ids.get_mut(id as usize).into_iter().for_each(|slot| *slot = new);
    }

    /// Takes over lights and cameras.
    pub(super) fn lights_and_cameras(&mut self) {
        let (no_lights, no_cameras) = (self.edited.lights.is_empty(), self.edited.cameras.is_empty());
        for id in 0..self.original.nodes.len() {
            let Some(was) = self.original.nodes.get(id) else { continue };
            let Some(now) = self.twins.get(id).copied().flatten().and_then(|twin| self.edited.node(twin))
            else {
                self.account_for_missing(was, self.gone_nodes.get(id) == Some(&true));
                continue;
            };
            let is = now.light.and_then(|l| self.edited.lights.get(l as usize));
            match (was.light, is) {
                (Some(slot), Some(is)) => self.take_light(slot, is),
                (Some(slot), None) => {
                    let light = self.original.lights.get(slot as usize);
                    let name = light.map_or("", |l| l.name.as_str());
                    if no_lights || light.is_some_and(|l| l.kind == LightKind::Ambient) {
                        self.account.add(Part::Light, Fate::Kept, name, "no light was exported");
                    } else {
                        self.account.add(Part::Light, Fate::Gone, name, "");
                        self.out.nodes.get_mut(id).into_iter().for_each(|n| n.light = None);
                    }
                }
                (None, Some(is)) => {
                    self.account.add(Part::Light, Fate::New, &is.name, "");
                    let light = Some(self.out.lights.len() as u32);
                    self.out.lights.push(is.clone());
                    self.out.nodes.get_mut(id).into_iter().for_each(|n| n.light = light);
                }
                (None, None) => {}
            }
            let is = now.camera.and_then(|c| self.edited.cameras.get(c as usize));
            match (was.camera, is) {
                (Some(slot), Some(is)) => self.take_camera(slot, is),
                (Some(slot), None) => {
                    let name = self.original.cameras.get(slot as usize).map_or("", |c| c.name.as_str());
                    if no_cameras {
                        self.account.add(Part::Camera, Fate::Kept, name, "no camera was exported");
                    } else {
                        self.account.add(Part::Camera, Fate::Gone, name, "");
                        self.out.nodes.get_mut(id).into_iter().for_each(|n| n.camera = None);
                    }
                }
                (None, Some(is)) => {
                    self.account.add(Part::Camera, Fate::New, &is.name, "");
                    let camera = Some(self.out.cameras.len() as u32);
                    self.out.cameras.push(Camera { target: None, ..is.clone() });
                    self.out.nodes.get_mut(id).into_iter().for_each(|n| n.camera = camera);
                }
                (None, None) => {}
            }
        }
    }

    /// Counts the light and the camera of a node that the edit does not have.
    fn account_for_missing(&mut self, node: &Node, gone: bool) {
        let fate = if gone { Fate::Gone } else { Fate::Kept };
        if let Some(light) = node.light.and_then(|l| self.original.lights.get(l as usize)) {
            self.account.add(Part::Light, fate, &light.name, if gone { "" } else { "no light was exported" });
        }
        if let Some(camera) = node.camera.and_then(|c| self.original.cameras.get(c as usize)) {
            let why = if gone { "" } else { "no camera was exported" };
            self.account.add(Part::Camera, fate, &camera.name, why);
        }
    }

    fn take_light(&mut self, slot: u32, is: &Light) {
        let Some(out) = self.out.lights.get_mut(slot as usize) else { return };
        let before = out.clone();
        if !close(&out.color, &is.color, 1e-3) {
            out.color = is.color;
        }
        if !close(&[out.intensity], &[is.intensity], out.intensity.abs().max(1e-3) * 1e-3) {
            out.intensity = is.intensity;
        }
        if let (Some(was), Some(now)) = (out.range, is.range)
            && !close(&[was], &[now], was.abs() * 1e-3)
        {
            out.range = is.range;
        }
        let fate = if *out == before { Fate::Kept } else { Fate::Changed };
        let name = out.name.clone();
        self.account.add(Part::Light, fate, &name, "");
    }

    fn take_camera(&mut self, slot: u32, is: &Camera) {
        let Some(out) = self.out.cameras.get_mut(slot as usize) else { return };
        let before = out.projection;
        match (&mut out.projection, is.projection) {
            (Projection::Perspective { yfov, .. }, Projection::Perspective { yfov: now, .. }) => {
                if !close(&[*yfov], &[now], 1e-3) {
                    *yfov = now;
                }
            }
            (Projection::Orthographic { size }, Projection::Orthographic { size: now }) => {
                if !close(size, &now, size[0].abs() * 1e-3) {
                    *size = now;
                }
            }
            (slot, now) => *slot = now,
        }
        let fate = if out.projection == before { Fate::Kept } else { Fate::Changed };
        let name = out.name.clone();
        self.account.add(Part::Camera, fate, &name, "");
    }
}

/// Returns `true` if a mesh has triangles, which every program carries.
pub(super) fn has_triangles(scene: &Scene, mesh: &Mesh) -> bool {
    mesh.primitives
        .iter()
        .any(|p| scene.vertices_of(p).is_some_and(|v| p.triangles(v.positions.len()).next().is_some()))
}
