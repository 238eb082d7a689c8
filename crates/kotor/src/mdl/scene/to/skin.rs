//! Skins to the scene.

use foldhash::HashMap;
use galatea_scene::{
    Extras, Influences, Skin as SceneSkin, Value, Vertices as SceneVertices, encode_u32s, floats,
};
use glam::{Mat4, Quat, Vec3};

use super::{ToScene, scene_id};
use crate::extra::{latin, put, ulp_deltas};
use crate::mdl::{Mesh, NodeId, Skin};

impl ToScene<'_> {
    /// Adds the skin of a mesh, and its weights to the vertices.
    pub(super) fn add_skin(
        &mut self,
        id: NodeId,
        mesh: &Mesh,
        skin: &Skin,
        out: &mut SceneVertices,
        map: &mut Extras,
    ) -> Option<u32> {
        let count = self.model.nodes.len();
        let mut bones: Vec<(usize, NodeId)> = Vec::new();
        for (node, slot) in skin.bone_map.iter().enumerate().take(count) {
            let slot_number = *slot as usize;
            if *slot >= 0.0 && slot_number < count && !bones.iter().any(|(s, _)| *s == slot_number) {
                bones.push((slot_number, node as NodeId));
            }
        }
        bones.sort_unstable();
        let slot_list: Vec<u32> = bones.iter().map(|(s, _)| *s as u32).collect();
        let mut stored = Extras::new();
        put(&mut stored, "slots", encode_u32s(&slot_list));
        put(&mut stored, "joints", encode_u32s(&bones.iter().map(|(_, node)| *node).collect::<Vec<_>>()));
        let derived_map = derived_bone_map(skin.bone_map.len(), &bones);
        if let Some(deltas) = ulp_deltas(&skin.bone_map, &derived_map, 1) {
            put(&mut stored, "bone_map", deltas);
        }
        put(&mut stored, "nodes", skin.bone_map.len() as u32);
        put(&mut stored, "rotations", floats(skin.rotations.as_flattened()));
        put(&mut stored, "translations", floats(skin.translations.as_flattened()));
        let v = &mesh.vertices;
        let joint_of: HashMap<u32, u16> =
            slot_list.iter().enumerate().map(|(joint, slot)| (*slot, joint as u16)).collect();
        let full = v.positions.len();
        let moved = !bones.is_empty() && v.weights.len() == full && v.bones.len() == full && full > 0;
        if moved {
            let mut joints = Vec::with_capacity(full * 4);
            for (weight, bone) in v.weights.as_flattened().iter().zip(v.bones.as_flattened()) {
                let slot = (*bone >= 0.0 && *weight != 0.0).then(|| joint_of.get(&(*bone as u32))).flatten();
                joints.push(slot.copied().unwrap_or(0));
            }
            let weights = v.weights.as_flattened().to_vec();
            let derived = derived_bones(&weights, &joints, &slot_list);
            if let Some(deltas) = ulp_deltas(v.bones.as_flattened(), &derived, 4) {
                put(&mut stored, "bones", deltas);
            }
            out.influences = Influences { width: 4, joints, weights };
        } else {
            for (key, column) in [("weights", &v.weights), ("bones", &v.bones)] {
                if !column.is_empty() {
                    put(&mut stored, format!("raw_{key}"), floats(column.as_flattened()));
                }
            }
        }
        put(map, "skin", Value::Object(stored));
        if !moved {
            return None;
        }
        let bind = |node: &NodeId| {
            let at = *node as usize;
            let rotation = skin.rotations.get(at).copied().unwrap_or([1.0, 0.0, 0.0, 0.0]);
            bind_matrix(rotation, skin.translations.get(at).copied().unwrap_or_default())
        };
        let name = self.model.node(id).map_or(&[][..], |n| self.model.name_of(n));
        self.scene.skins.push(SceneSkin {
            name: latin(name),
            joints: bones.iter().map(|(_, n)| scene_id(*n)).collect(),
            inverse_bind: bones.iter().map(|(_, n)| bind(n)).collect(),
            ..SceneSkin::default()
        });
        Some(self.scene.skins.len() as u32 - 1)
    }
}

/// Returns the inverse bind of a bone as a matrix.
pub(in crate::mdl::scene) fn bind_matrix([w, x, y, z]: [f32; 4], translation: [f32; 3]) -> [f32; 16] {
    Mat4::from_rotation_translation(Quat::from_xyzw(x, y, z, w), Vec3::from(translation)).to_cols_array()
}

/// Returns the bone slot of every node, given the bones; -1 for nodes that are not bones.
pub(in crate::mdl::scene) fn derived_bone_map(len: usize, bones: &[(usize, NodeId)]) -> Vec<f32> {
    let mut map = vec![-1.0; len];
    for (slot, node) in bones {
        if let Some(entry) = map.get_mut(*node as usize) {
            *entry = *slot as f32;
        }
    }
    map
}

/// Returns the bone slots of vertices; -1 where there is no weight.
pub(in crate::mdl::scene) fn derived_bones(weights: &[f32], joints: &[u16], slots: &[u32]) -> Vec<f32> {
    let each = weights.iter().zip(joints);
    each.map(|(w, j)| if *w == 0.0 { -1.0 } else { slots.get(usize::from(*j)).map_or(-1.0, |s| *s as f32) })
        .collect()
}
