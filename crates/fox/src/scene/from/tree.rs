//! Nodes as bones and groups.

use std::collections::{HashMap, HashSet};

use galatea_scene::{Extras, Node, NodeId, Pose, Scene, Transform};
use galatea_wire::{Error, Loss, Result};

use super::levels;
use crate::model::{Bone, Group};
use crate::name::Name;
use crate::scene::extra::{array, index, int, near, own, read_name};
use crate::scene::to::tree::{moved, offset, place};

/// What each node of a scene becomes.
pub(super) struct Roles {
    /// Nodes that are bones, parents first.
    pub(super) bones: Vec<NodeId>,
    /// Nodes that are groups, parents first.
    pub(super) groups: Vec<NodeId>,
    bone_of: HashMap<NodeId, u16>,
    group_of: HashMap<NodeId, u16>,
    /// Where the bones and groups that were noted went.
    old_bones: HashMap<usize, u16>,
    old_groups: HashMap<usize, u16>,
    joints: HashSet<NodeId>,
    /// Whether a group had to be made for those that have none above them.
    root: bool,
    /// Whether the scene did not come from a model.
    foreign: bool,
    /// Nodes that are nothing.
    plain: Vec<NodeId>,
}

impl Roles {
    /// Decides what each node becomes. A scene that was an FMDL says what its nodes are. Of any other, joints and what is above them are bones,
    /// meshes and what is above those are groups.
    pub(super) fn of(scene: &Scene) -> Result<Roles> {
        let foreign = own(&scene.extras).is_empty();
        let order = scene.depth_first();
        let count = scene.nodes.len();
        let (mut bone, mut group) = (vec![false; count], vec![false; count]);
        let stored =
            |id: NodeId, key: &str| scene.node(id).and_then(|n| index(own(&n.extras), key)).is_some();
        let axes = |id: NodeId| scene.node(id).is_some_and(|n| n.axes);
        for joint in scene.skins.iter().flat_map(|s| &s.joints) {
            set(&mut bone, *joint);
        }
        let below_joint = below(scene, &order, &bone);
        // The object that programs hang a skeleton on: neither a bone nor a group.
        let mut armature = vec![false; count];
        let finest = levels::Finest::of(scene);
        // Children before parents: what is above bones and meshes.
        let mut holds_mesh = vec![false; count];
        for id in order.iter().rev().copied() {
            let Some(node) = scene.node(id).filter(|n| !n.axes) else { continue };
            if stored(id, "bone") {
                set(&mut bone, id);
            }
            let mesh = node.mesh.is_some();
            let lower = foreign && finest.has_below(scene, id);
            let own_group =
                mesh && !stored(id, "mesh") && !node.parent.is_some_and(|p| stored(p, "group")) && !lower;
            let holder = !is(&bone, id) && is(&holds_mesh, id) && !mesh && !is(&armature, id);
            if stored(id, "group") || own_group || holder {
                set(&mut group, id);
            }
            if let Some(parent) = node.parent.filter(|p| !axes(*p)) {
                if mesh || is(&holds_mesh, id) {
                    set(&mut holds_mesh, parent);
                }
                if foreign && is(&bone, id) && is(&below_joint, id) {
                    set(&mut bone, parent);
                } else if foreign && (is(&bone, id) || is(&armature, id)) {
                    set(&mut armature, parent);
                }
            }
        }
        let skeleton = bone.iter().any(|b| *b);
        let mut plain = Vec::new();
        for id in order.iter().copied() {
            let Some(node) = scene.node(id).filter(|n| !n.axes && n.mesh.is_none()) else { continue };
            if is(&bone, id) || is(&group, id) || (lit(node) && node.children.is_empty()) {
                continue;
            }
            // A format without empty objects has no place for those of other programs.
            if foreign {
                plain.extend((!is(&armature, id)).then_some(id));
                continue;
            }
            // Plain nodes: a hook on a bone is a bone.
            match node.parent.filter(|p| !axes(*p)) {
                Some(parent) if is(&bone, parent) => set(&mut bone, id),
                Some(_) => set(&mut group, id),
                None if skeleton && !node.children.is_empty() => {}
                None => set(&mut group, id),
            }
        }
        let bones = sorted(scene, &order, &bone, "bone");
        let groups = sorted(scene, &order, &group, "group");
        let tops = groups.iter().filter(|id| above(scene, **id, &group).is_none()).count();
        let root = foreign && tops != 1 && scene.drawn().next().is_some();
        let (bone_of, group_of) = (numbers(&bones, 0)?, numbers(&groups, usize::from(root))?);
        let (old_bones, old_groups) = (old(scene, &bone_of, "bone"), old(scene, &group_of, "group"));
        let joints = scene.skins.iter().flat_map(|s| &s.joints).copied().collect();
        Ok(Roles { bones, groups, bone_of, group_of, old_bones, old_groups, joints, root, foreign, plain })
    }

    /// Returns what has no place: empty objects.
    pub(super) fn losses(&self, scene: &Scene) -> Vec<Loss> {
        let attached = |n: &&Node| lit(n) || n.attachment.is_some() || n.shape.is_some();
        let plain = self.plain.iter().filter_map(|id| scene.node(*id)).filter(|n| !attached(n));
        plain.map(|n| Loss::new("", format!("empty object {:?}", n.name)).invisible()).collect()
    }

    /// Returns the bone that a node is.
    pub(super) fn bone(&self, id: NodeId) -> Option<u16> {
        self.bone_of.get(&id).copied()
    }

    /// Returns where a bone went that had this number.
    pub(super) fn old_bone(&self, was: usize) -> Option<u16> {
        self.old_bones.get(&was).copied()
    }

    /// Returns the group that a mesh at a node belongs to.
    pub(super) fn group_of_mesh(&self, scene: &Scene, id: NodeId) -> Option<u16> {
        let own_group = self.group_of.get(&id).copied();
        let node = scene.node(id)?;
        let parent = node.parent.and_then(|p| self.group_of.get(&p)).copied();
        let stored = index(own(&node.extras), "in_group").and_then(|g| self.old_groups.get(&g)).copied();
        own_group.or(parent).or(stored).or(self.root.then_some(0))
    }

    /// Returns the nearest joint above a node: what is fixed to it moves with it.
    pub(super) fn carrier(&self, scene: &Scene, id: NodeId) -> Option<u16> {
        let mut at = scene.node(id)?.parent;
        let mut left = scene.nodes.len();
        while let (Some(id), true) = (at, left > 0) {
            if self.joints.contains(&id) {
                return self.bone(id);
            }
            at = scene.node(id)?.parent;
            left -= 1;
        }
        None
    }

    fn parent(&self, scene: &Scene, id: NodeId, list: &HashMap<NodeId, u16>) -> Option<(NodeId, u16)> {
        let mut at = scene.node(id)?.parent;
        let mut left = scene.nodes.len();
        while let (Some(id), true) = (at, left > 0) {
            if let Some(found) = list.get(&id) {
                return Some((id, *found));
            }
            at = scene.node(id)?.parent;
            left -= 1;
        }
        None
    }

    /// Returns the bones, and the matrices of PES models.
    pub(super) fn read_bones(&self, scene: &Scene, pose: &Pose, hashes: bool) -> (Vec<Bone>, Vec<[f32; 16]>) {
        let mut out: Vec<Bone> = Vec::with_capacity(self.bones.len());
        let mut matrices = Vec::new();
        // Bones that stand as they were written, as do all above them: places add up without matrices.
        let mut plain = vec![false; self.bones.len()];
        for (i, id) in self.bones.iter().enumerate() {
            let Some(node) = scene.node(*id) else { continue };
            let map = own(&node.extras);
            let above = self.parent(scene, *id, &self.bone_of);
            let parent = above.and_then(|(_, p)| out.get(usize::from(p)));
            let start = parent.map_or([0.0; 3], |p| three(p.world));
            let attached = match above {
                Some((above, p)) => node.parent == Some(above) && is(&plain, u32::from(p)),
                None => {
                    node.parent.and_then(|p| scene.node(p)).is_none_or(|p| p.axes && unturned(&p.transform))
                }
            };
            let straight = attached && unturned(&node.transform);
            if let Some(slot) = plain.get_mut(i) {
                *slot = straight;
            }
            let translation = node.transform.translation;
            let stored: Option<([f32; 4], [f32; 4])> = array(map, "local").zip(array(map, "world"));
            let (world, local) = if straight {
                (moved(start, translation), translation)
            } else {
                let world: [f32; 3] = pose.world_of(*id).w_axis.truncate().into();
                (world, offset(start, world))
            };
            let four = |[x, y, z]: [f32; 3]| [x, y, z, 1.0];
            let (local, world) = match stored {
                Some(stored) if straight && near(&offset(start, three(stored.1)), &translation) => stored,
                // What the format has there besides a place moves along.
                Some((local, was)) => (four(moved(three(local), offset(three(was), world))), four(world)),
                None => (four(local), four(world)),
            };
            out.push(Bone {
                name: read_name(map, "name", &node.name, hashes),
                parent: above.map(|(_, p)| p).or_else(|| wild(map, attached)),
                local,
                world,
                ..Bone::default()
            });
            matrices.extend(array::<16>(map, "matrix"));
        }
        if matrices.len() != out.len() && !matrices.is_empty() {
            let unit = glam::Mat4::IDENTITY.to_cols_array();
            let all = self.bones.iter().filter_map(|id| scene.node(*id));
            matrices = all.map(|n| array(own(&n.extras), "matrix").unwrap_or(unit)).collect();
        }
        (out, matrices)
    }

    /// Returns the groups, and where each of them really stands.
    pub(super) fn read_groups(&self, scene: &Scene, pose: &Pose, hashes: bool) -> Vec<Group> {
        let mut out: Vec<Group> = Vec::with_capacity(self.groups.len() + 1);
        if self.root {
            out.push(Group { name: Name::from("MESH_ROOT"), ..Group::default() });
        }
        for id in &self.groups {
            let Some(node) = scene.node(*id) else { continue };
            let map = own(&node.extras);
            let above = self.parent(scene, *id, &self.group_of);
            let start = above.and_then(|(_, p)| out.get(usize::from(p))).map_or([0.0; 3], place);
            let stored: Option<[f32; 4]> = array(map, "pivot");
            let world: [f32; 3] = pose.world_of(*id).w_axis.truncate().into();
            let pivot = stored.map(|pivot| {
                let straight = unturned(&node.transform)
                    && near(&offset(start, three(pivot)), &node.transform.translation)
                    && same_place(moved(start, node.transform.translation), world);
                let [x, y, z] = world;
                if straight { pivot } else { [x, y, z, 1.0] }
            });
            let hidden = !node.visible || self.hides(scene, node);
            let flags = int(map, "flags").unwrap_or(0) as u16 & !Group::INVISIBLE;
            let root = self.root.then_some(0);
            let wild = wild(map, node.parent.and_then(|p| scene.node(p)).is_none_or(|p| p.axes));
            let shown = if self.foreign { group_name(scene, *id, hidden) } else { node.name.clone() };
            let hidden = hidden || (self.foreign && shown.ends_with("_IV"));
            out.push(Group {
                name: read_name(map, "name", &shown, hashes),
                flags: flags | if hidden { Group::INVISIBLE } else { 0 },
                parent: above.map(|(_, p)| p).or(wild).or(root),
                pivot,
            });
        }
        out
    }

    /// Returns `true` if a node is a group of its own for a mesh that the game should not draw.
    fn hides(&self, scene: &Scene, node: &Node) -> bool {
        let mesh = node.mesh.and_then(|m| scene.meshes.get(m as usize));
        mesh.is_some_and(|m| m.purpose != galatea_scene::Purpose::Render)
            && index(own(&node.extras), "mesh").is_none()
    }
}

/// Returns the name of a new group, as those of the games' files: `MESH_` in front, `_IV` after if it is hidden.
fn group_name(scene: &Scene, id: NodeId, hidden: bool) -> String {
    let name = levels::base_name(scene, id);
    let plain = name.strip_suffix("_IV").unwrap_or(&name);
    let start = if ["MESH_", "FRAGMENT_"].iter().any(|s| plain.starts_with(s)) { "" } else { "MESH_" };
    let end = if hidden || plain.len() < name.len() { "_IV" } else { "" };
    format!("{start}{plain}{end}")
}

/// Returns the numbers of bones or groups.
fn numbers(list: &[NodeId], first: usize) -> Result<HashMap<NodeId, u16>> {
    let number = |i: usize| {
        u16::try_from(i + first)
            .ok()
            .filter(|n| *n < 0x7FFF)
            .ok_or_else(|| Error::unrepresentable("more than 32,767 bones or groups"))
    };
    list.iter().enumerate().map(|(i, id)| Ok((*id, number(i)?))).collect()
}

/// Returns where those went that had numbers.
fn old(scene: &Scene, list: &HashMap<NodeId, u16>, key: &str) -> HashMap<usize, u16> {
    let mut out: HashMap<usize, u16> = HashMap::new();
    for (id, new) in list {
        if let Some(was) = scene.node(*id).and_then(|n| index(own(&n.extras), key)) {
            let slot = out.entry(was).or_insert(*new);
            *slot = (*slot).min(*new);
        }
    }
    out
}

/// Marks the nodes below marked ones.
fn below(scene: &Scene, order: &[NodeId], marked: &[bool]) -> Vec<bool> {
    let mut out = vec![false; marked.len()];
    for id in order.iter().copied() {
        let parent = scene.node(id).and_then(|n| n.parent);
        if parent.is_some_and(|p| is(marked, p) || is(&out, p)) {
            set(&mut out, id);
        }
    }
    out
}

/// Returns a parent that is no node above, as damaged files have it.
fn wild(map: &Extras, top: bool) -> Option<u16> {
    int(map, "parent").filter(|_| top).map(|p| p as u16)
}

fn three([x, y, z, _]: [f32; 4]) -> [f32; 3] {
    [x, y, z]
}

fn is(list: &[bool], id: NodeId) -> bool {
    list.get(id as usize).copied().unwrap_or(false)
}

fn set(list: &mut [bool], id: NodeId) {
    if let Some(slot) = list.get_mut(id as usize) {
        *slot = true;
    }
}

/// Returns `true` if a place is nothing but a translation, but for what programs round.
pub(super) fn unturned(transform: &Transform) -> bool {
    let rest = Transform::default();
    let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5);
    let turned_once = transform.rotation.map(|c| -c);
    (near(&transform.rotation, &rest.rotation) || near(&turned_once, &rest.rotation))
        && near(&transform.scale, &rest.scale)
}

fn same_place(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-5 * (1.0 + a.abs()))
}

/// Returns `true` if a node is there for a light, a camera or an emitter.
fn lit(node: &Node) -> bool {
    node.light.is_some() || node.camera.is_some() || node.emitter.is_some()
}

/// Returns the nearest marked node above.
fn above(scene: &Scene, id: NodeId, marked: &[bool]) -> Option<NodeId> {
    let mut at = scene.node(id)?.parent;
    let mut left = scene.nodes.len();
    while let (Some(id), true) = (at, left > 0) {
        if is(marked, id) {
            return Some(id);
        }
        at = scene.node(id)?.parent;
        left -= 1;
    }
    None
}

/// Returns the marked nodes in the order they had, new ones after them, every parent before its children.
fn sorted(scene: &Scene, order: &[NodeId], marked: &[bool], key: &str) -> Vec<NodeId> {
    let mut list: Vec<(usize, usize, NodeId)> = Vec::new();
    let mut seen = HashSet::new();
    for (place, id) in order.iter().copied().enumerate().filter(|(_, id)| is(marked, *id)) {
        let was = scene.node(id).and_then(|n| index(own(&n.extras), key));
        list.push((was.filter(|w| seen.insert(*w)).unwrap_or(usize::MAX), place, id));
    }
    list.sort_unstable();
    let mut done = vec![false; scene.nodes.len()];
    let mut out = Vec::with_capacity(list.len());
    for (.., id) in list {
        // Those above that are not there yet come first.
        let mut chain = vec![id];
        while let Some(next) =
            chain.last().and_then(|id| above(scene, *id, marked)).filter(|n| !is(&done, *n))
        {
            if chain.len() > scene.nodes.len() {
                break;
            }
            chain.push(next);
        }
        for id in chain.into_iter().rev() {
            if !is(&done, id) {
                set(&mut done, id);
                out.push(id);
            }
        }
    }
    out
}
