//! Bones and groups as nodes.

use galatea_scene::{Extras, Node, NodeId, Scene, Skin, SkinId, Transform, floats};

use super::To;
use crate::model::{Bone, Group};
use crate::scene::extra::{corners, note, note_int, put, put_bytes, same, wrap};
use crate::wire::Bounds;
use crate::{Mesh, Name};

/// Returns where a group's own origin lies.
pub(in crate::scene) fn place(group: &Group) -> [f32; 3] {
    group.pivot.map_or([0.0; 3], |[x, y, z, _]| [x, y, z])
}

/// Returns the offset from one position to another.
pub(in crate::scene) fn offset(from: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    let [a, b, c] = from;
    [x - a, y - b, z - c]
}

/// Returns a position moved by an offset.
pub(in crate::scene) fn moved(from: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    let [a, b, c] = from;
    [a + x, b + y, c + z]
}

fn three([x, y, z, _]: [f32; 4]) -> [f32; 3] {
    [x, y, z]
}

/// Returns `true` if a bone's place in the model is its parent's and its own: then its own is all that a scene needs.
pub(super) fn adds_up(bone: &Bone, parent: [f32; 3]) -> bool {
    let [.., a] = bone.local;
    let [.., b] = bone.world;
    (a, b) == (1.0, 1.0) && same(&moved(parent, three(bone.local)), &three(bone.world))
}

impl To<'_> {
    /// Bones hang on each other by the difference of their places; their rotations are all identity.
    pub(super) fn add_bones(&self, scene: &mut Scene, root: NodeId) -> Vec<NodeId> {
        let bones = &self.model.bones;
        let mut out: Vec<NodeId> = Vec::with_capacity(bones.len());
        for (i, bone) in bones.iter().enumerate() {
            let above = bone.parent.map(usize::from).filter(|p| *p < i);
            let parent = above.and_then(|p| out.get(p)).copied().unwrap_or(root);
            let start = above.and_then(|p| bones.get(p)).map_or([0.0; 3], |p| three(p.world));
            let mut map = Extras::new();
            put(&mut map, "bone", i);
            let translation = if adds_up(bone, start) {
                three(bone.local)
            } else {
                put(&mut map, "local", floats(&bone.local));
                put(&mut map, "world", floats(&bone.world));
                offset(start, three(bone.world))
            };
            if let Some(parent) = bone.parent.filter(|_| above.is_none()) {
                put(&mut map, "parent", parent);
            }
            let derived = self.moved.get(i).copied().unwrap_or(Bounds::EMPTY);
            note(&mut map, "bounds", &corners(&bone.bounds), &corners(&derived));
            note_int(&mut map, "flags", bone.flags, u16::from(!derived.is_empty()));
            if let Some(matrix) = self.model.bone_matrices.get(i) {
                put(&mut map, "matrix", floats(matrix));
            }
            let node = self.named_node(&bone.name, translation, map);
            out.push(scene.add_node(Some(parent), node));
        }
        out
    }

    fn named_node(&self, name: &Name, translation: [f32; 3], mut map: Extras) -> Node {
        let shown = self.shown(name);
        put_bytes(&mut map, "name", name, &shown, self.hashes);
        let transform = Transform { translation, ..Transform::default() };
        Node { transform, extras: wrap(map), ..Node::new(&shown) }
    }

    /// Returns one skin for all meshes: all bones, bound where the file says they are.
    pub(super) fn add_skin(&self, scene: &mut Scene, bones: &[NodeId]) -> Option<SkinId> {
        if bones.is_empty() || !self.model.meshes.iter().any(Mesh::is_skinned) {
            return None;
        }
        let bind = |bone: &Bone| {
            let [x, y, z, _] = bone.world;
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, -y, -z, 1.0]
        };
        scene.skins.push(Skin {
            name: "skeleton".into(),
            joints: bones.to_vec(),
            inverse_bind: self.model.bones.iter().map(bind).collect(),
            ..Skin::default()
        });
        Some(scene.skins.len() as SkinId - 1)
    }

    /// Groups hang on each other; a fragment's pivot is its place, since its vertices are relative to it.
    pub(super) fn add_groups(&self, scene: &mut Scene, root: NodeId) -> Vec<NodeId> {
        let groups = &self.model.groups;
        let mut out: Vec<NodeId> = Vec::with_capacity(groups.len());
        for (i, group) in groups.iter().enumerate() {
            let above = group.parent.map(usize::from).filter(|p| *p < i);
            let parent = above.and_then(|p| out.get(p)).copied().unwrap_or(root);
            let start = above.and_then(|p| groups.get(p)).map_or([0.0; 3], place);
            let mut map = Extras::new();
            put(&mut map, "group", i);
            if group.flags & !Group::INVISIBLE != 0 {
                put(&mut map, "flags", group.flags & !Group::INVISIBLE);
            }
            if let Some(pivot) = group.pivot {
                put(&mut map, "pivot", floats(&pivot));
            }
            if let Some(parent) = group.parent.filter(|_| above.is_none()) {
                put(&mut map, "parent", parent);
            }
            let mut node = self.named_node(&group.name, offset(start, place(group)), map);
            node.visible = group.is_visible();
            out.push(scene.add_node(Some(parent), node));
        }
        out
    }
}
