//! Bones of two skeletons, and which of them are the same.

mod known;
mod matching;
mod table;

use galatea_scene::{NodeId, Pose, Scene};
use glam::{Quat, Vec3};

pub use matching::{How, Matching, Pair};
pub use table::BoneTable;
pub(super) use table::print_table;

pub(super) use known::{counted_part, part};

/// A bone, or another node of a skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Its name.
    pub name: String,
    /// What it is in its format: `bone`, `light`, `attachment` and so on. Only nodes of the same kind match.
    pub kind: &'static str,
    /// Its parent, by the position in the skeleton.
    pub parent: Option<usize>,
    /// Where it is at rest, seen from the front, in heights of the skeleton above its middle on the ground.
    pub place: [f32; 3],
    /// Its node in the scene of its document.
    pub node: NodeId,
}

/// The nodes of a model that can be animated, parents before their children.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skeleton {
    /// The bones.
    pub bones: Vec<Bone>,
    /// How high it is, in meters.
    pub height: f32,
}

/// The kind of nodes that only move others.
pub(super) const BONE: &str = "bone";

impl Skeleton {
    /// Returns the skeleton of a scene. Nodes with skins are left out: their transform does not count.
    pub fn of_scene(scene: &Scene) -> Skeleton {
        Skeleton::of_kinds(scene, &|id| {
            let node = scene.node(id)?;
            Some(match node {
                _ if node.axes || node.skin.is_some() => return None,
                _ if node.light.is_some() => "light",
                _ if node.camera.is_some() => "camera",
                _ if node.emitter.is_some() => "emitter",
                _ if node.attachment.is_some() => "attachment",
                _ if node.shape.is_some() => "shape",
                _ => BONE,
            })
        })
    }

    /// Returns the skeleton of the nodes that have a kind.
    pub(super) fn of_kinds(scene: &Scene, kind: &dyn Fn(NodeId) -> Option<&'static str>) -> Skeleton {
        let pose = Pose::rest(scene);
        let [x, _, z] = scene.front();
        let turn = Quat::from_rotation_arc(Vec3::new(x, 0.0, z).normalize_or(Vec3::Z), Vec3::Z);
        let mut at: Vec<Option<usize>> = vec![None; scene.nodes.len()];
        let mut bones: Vec<Bone> = Vec::new();
        for id in scene.depth_first() {
            let (Some(node), Some(kind)) = (scene.node(id), kind(id)) else { continue };
            let mut above = node.parent;
            // Nodes that are left out hand their children on; cycles are not part of the order.
            let mut left = scene.nodes.len();
            let parent = loop {
                let Some(id) = above.filter(|_| left > 0) else { break None };
                left -= 1;
                match at.get(id as usize).copied().flatten() {
                    Some(parent) => break Some(parent),
                    None => above = scene.node(id).and_then(|n| n.parent),
                }
            };
            if let Some(slot) = at.get_mut(id as usize) {
                *slot = Some(bones.len());
            }
            let place = (turn * pose.world_of(id).w_axis.truncate()).into();
            bones.push(Bone { name: node.name.clone(), kind, parent, place, node: id });
        }
        let mut out = Skeleton { bones, height: 0.0 };
        out.normalize(scene, &pose, turn);
        out
    }

    /// Measures places in heights of the model.
    fn normalize(&mut self, scene: &Scene, pose: &Pose, turn: Quat) {
        let around = pose.bounds(scene);
        let places = || self.bones.iter().map(|bone| Vec3::from(bone.place)).filter(|p| p.is_finite());
        let (low, high) = match around {
            Some(b) => {
                let (min, max) = (Vec3::from(b.min), Vec3::from(b.max));
                let corners = [turn * min, turn * max];
                let [a, b] = corners;
                (a.min(b), a.max(b))
            }
            None => (
                places().reduce(Vec3::min).unwrap_or_default(),
                places().reduce(Vec3::max).unwrap_or_default(),
            ),
        };
        self.height = (high.y - low.y).max(1e-4);
        let tops = self.bones.iter().find(|bone| bone.parent.is_none());
        let middle = tops.map_or((low + high) / 2.0, |top| Vec3::from(top.place));
        let origin = Vec3::new(middle.x, low.y, middle.z);
        for bone in &mut self.bones {
            bone.place = ((Vec3::from(bone.place) - origin) / self.height).into();
        }
    }

    /// Returns the bone with this name, ignoring case.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.bones.iter().position(|bone| bone.name.eq_ignore_ascii_case(name))
    }

    /// Returns the ancestors of a bone, the nearest first.
    pub(super) fn ancestors(&self, bone: usize) -> impl Iterator<Item = usize> + '_ {
        let parent = move |at: &usize| self.bones.get(*at).and_then(|bone| bone.parent);
        std::iter::successors(parent(&bone), parent)
    }
}
