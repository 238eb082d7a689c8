//! What models and walkmeshes made of one scene have in common: the way it faces, and what its objects are for.

use std::borrow::Cow;

use galatea_scene::{Mesh, Node, NodeId, Pose, Scene, Target, Transform};
use galatea_wire::{Error, Result};
use glam::Vec3;

use super::class::class_of;
use super::floor::in_game;
use super::names::{Use, roles};
use super::{Authoring, Class, Role, WalkmeshUse};

/// A scene that faces as its class does in the game.
#[derive(Debug)]
pub(crate) struct Prepared<'s> {
    pub(crate) scene: Cow<'s, Scene>,
    roles: Vec<Role>,
    pub(crate) class: Class,
    /// The kind of walkmesh that belongs to it.
    pub(crate) walkmesh: WalkmeshUse,
}

impl Prepared<'_> {
    /// Returns the role of a node.
    pub(crate) fn role(&self, id: NodeId) -> Option<Role> {
        self.roles.get(id as usize).copied()
    }

    /// Returns `true` if a node has this role.
    pub(crate) fn has(&self, role: impl Fn(Role) -> bool) -> bool {
        self.roles.iter().any(|r| role(*r))
    }

    /// Returns the places where characters stand to use the object, in the axes of the game.
    pub(crate) fn hooks(&self) -> Vec<(Use, [f32; 3])> {
        let pose = Pose::rest(&self.scene);
        let place = |id: NodeId| in_game(pose.world_of(id).transform_point3(Vec3::ZERO));
        let hooks = (0..).zip(&self.roles).filter_map(|(id, role)| match role {
            Role::Use(hook) => Some((*hook, place(id))),
            _ => None,
        });
        hooks.collect()
    }

    /// Returns the scene of the model, without what is only for its walkmesh.
    pub(crate) fn into_model(self) -> Scene {
        let keep = self.parts();
        let floors: Vec<bool> = self.roles.iter().map(|role| *role != Role::Model).collect();
        let mut scene = self.scene.into_owned();
        for (node, _) in scene.nodes.iter_mut().zip(floors).filter(|(_, floor)| *floor) {
            (node.mesh, node.skin) = (None, None);
        }
        if keep.contains(&false) {
            scene.retain_nodes(&keep);
        }
        scene
    }

    /// Returns which nodes are parts of the model: the others are only for its walkmesh. Groups stay if parts of the
    /// model are in them.
    fn parts(&self) -> Vec<bool> {
        let mut parts: Vec<bool> = self.roles.iter().map(|role| *role == Role::Model).collect();
        // Every parent comes before its children in this order.
        for id in self.scene.depth_first().into_iter().rev() {
            let part = parts.get(id as usize).copied().unwrap_or(true);
            let above = self.scene.node(id).and_then(|n| n.parent).filter(|_| part);
            if let Some(above) = above.and_then(|p| parts.get_mut(p as usize)) {
                *above = true;
            }
        }
        for joint in self.scene.skins.iter().flat_map(|s| &s.joints) {
            if let Some(part) = parts.get_mut(*joint as usize) {
                *part = true;
            }
        }
        parts
    }
}

/// Turns a scene as its class wants, and tells what its nodes are for. Fails if its vertices are not numbers or follow
/// bones that do not exist.
pub(crate) fn prepare<'s>(scene: &'s Scene, authoring: &Authoring) -> Result<Prepared<'s>> {
    for (_, node, mesh) in scene.drawn() {
        sound(scene, node, mesh)?;
    }
    let known = authoring.class.or_else(|| Class::of_name(&scene.name));
    let door = known == Some(Class::Door) || authoring.walkmesh == Some(WalkmeshUse::Door);
    let mut roles = roles(scene, door);
    let mut scene = Cow::Borrowed(scene);
    if let Some(top) = plain_root(&scene).filter(|top| roles.get(*top as usize) == Some(&Role::Model)) {
        let keep: Vec<bool> = (0..scene.nodes.len() as NodeId).map(|id| id != top).collect();
        scene.to_mut().retain_nodes(&keep);
        roles.remove(top as usize);
    }
    let scene = scene;
    let class = class_of(&scene, &roles, authoring);
    // Positive Y of the game is negative Z of the scene.
    let of_game = scene.axes().is_some() && !roles.contains(&Role::Floor);
    let scene = match class.has_front() || of_game {
        true => Cow::Owned(scene.facing([0.0, 0.0, -1.0]).into_owned()),
        false => scene,
    };
    let walkmesh = authoring.walkmesh.unwrap_or(class.walkmesh());
    Ok(Prepared { scene, roles, class, walkmesh })
}

/// Returns a single top node that only groups the others, such as Blender's armature: the root of the model takes its place.
fn plain_root(scene: &Scene) -> Option<NodeId> {
    let roots = scene.roots();
    let &[top] = roots.as_slice() else { return None };
    let node = scene.node(top)?;
    let holds =
        node.mesh.is_some() || node.light.is_some() || node.camera.is_some() || node.emitter.is_some();
    let plain = node.transform == Transform::default() && !node.axes && !node.children.is_empty();
    let moves = scene.clips.iter().flat_map(|c| &c.channels).any(|c| c.target == Target::Node(top))
        || scene.clips.iter().flat_map(|c| &c.events).any(|e| e.node == Some(top))
        || scene.skins.iter().any(|s| s.joints.contains(&top));
    // The game looks for these.
    let known = ["cutscenedummy", "rootdummy"].iter().any(|name| node.name.eq_ignore_ascii_case(name));
    (plain && !holds && !moves && !known).then_some(top)
}

/// Checks the vertices of a mesh.
fn sound(scene: &Scene, node: &Node, mesh: &Mesh) -> Result<()> {
    let name = if node.name.is_empty() { &mesh.name } else { &node.name };
    let joints = node.skin.and_then(|s| scene.skins.get(s as usize)).map(|skin| skin.joints.len());
    for vertices in mesh.primitives.iter().filter_map(|p| scene.vertices_of(p)) {
        if let Some(bad) = vertices.positions.iter().position(|p| !p.iter().all(|v| v.is_finite())) {
            let what = format!("mesh {name:?}: the position of vertex {bad} is not a number");
            return Err(Error::unrepresentable(what));
        }
        let Some(joints) = joints else { continue };
        for vertex in 0..vertices.positions.len() {
            let missing = |(joint, weight): &(u16, f32)| *weight > 0.0 && usize::from(*joint) >= joints;
            if let Some((joint, _)) = vertices.influences.of(vertex).find(missing) {
                let what =
                    format!("mesh {name:?}: vertex {vertex} follows bone {joint}, and its skin has {joints}");
                return Err(Error::unrepresentable(what));
            }
        }
    }
    Ok(())
}
