//! Skins from the scene.

use foldhash::{HashMap, HashSet};
use galatea_scene::{Extras, Node as SceneNode, Skin as SceneSkin, Vertices as SceneVertices};
use galatea_wire::Loss;
use glam::{Mat4, Quat};

use super::FromScene;
use crate::extra::{apply_ulp_deltas, int, ints, list, own, same};
use crate::mdl::check::LEAST_WEIGHT;
use crate::mdl::scene::to::skin::{bind_matrix, derived_bone_map, derived_bones};
use crate::mdl::{NodeId, Skin, Vertices};

impl FromScene<'_> {
    /// Reads the skin of a mesh, and weights and bones of its vertices. `stored` has what the scene cannot express.
    pub(super) fn read_skin(
        &mut self,
        place: usize,
        from: &SceneNode,
        stored: &Extras,
        vertices: &SceneVertices,
        out: &mut Vertices,
    ) -> Skin {
        let none = SceneSkin::default();
        let skin = from.skin.and_then(|s| self.scene.skins.get(s as usize)).unwrap_or(&none);
        let joints: Vec<NodeId> =
            skin.joints.iter().map(|j| self.new_id.get(j).copied().unwrap_or(u32::MAX)).collect();
        let slots: Vec<u32> = match ints(stored, "slots").filter(|s| s.len() == joints.len()) {
            Some(slots) => slots.iter().map(|s| *s as u32).collect(),
            None => (0..joints.len() as u32).collect(),
        };
        if slots.len() > 16 && stored.is_empty() {
            self.losses.push(Loss::new(
                format!("mesh {:?}", from.name),
                format!("the game has room for 16 bones, not {}", slots.len()),
            ));
        }
        let bones: Vec<(usize, NodeId)> = slots.iter().zip(&joints).map(|(s, j)| (*s as usize, *j)).collect();
        let bind_of = joints.into_iter().zip(&skin.inverse_bind).collect();
        let mut skin = self.read_binds(place, stored, &bones, &bind_of);
        for (slot, node) in &bones {
            if let Some(entry) = skin.bone_nodes.get_mut(*slot) {
                *entry = *node as i16;
            }
        }
        self.read_influences(from, stored, vertices, &slots, out);
        skin
    }

    /// Reads the lists with one entry per node: bone map and inverse binds.
    fn read_binds(
        &self,
        place: usize,
        stored: &Extras,
        bones: &[(usize, NodeId)],
        bind_of: &HashMap<NodeId, &[f32; 16]>,
    ) -> Skin {
        let count = self.order.len();
        // Stored entries belong to nodes by their number in the model that was written.
        let before = int(stored, "nodes").map_or(0, |n| n.clamp(0, 1 << 17) as usize);
        let same_nodes = before >= count && before > 0 && (0..count).all(|n| self.old_id(n) == Some(n));
        let rotations = list(stored, "rotations").unwrap_or_default();
        let translations = list(stored, "translations").unwrap_or_default();
        let (rotations, translations): (&[[f32; 4]], &[[f32; 3]]) =
            (rotations.as_chunks().0, translations.as_chunks().0);
        let len = |stored: usize| if same_nodes { stored } else { count };
        let mut skin = Skin {
            bone_map: derived_bone_map(len(before), bones),
            rotations: vec![[1.0, 0.0, 0.0, 0.0]; len(rotations.len())],
            translations: vec![[0.0; 3]; len(translations.len())],
            ..Skin::default()
        };
        if same_nodes {
            apply_ulp_deltas(&mut skin.bone_map, stored.get("bone_map"), 1, |_, _| true);
        }
        let world_of =
            |place: usize| self.order.get(place).map_or(Mat4::IDENTITY, |id| self.pose.world_of(*id));
        let world = world_of(place);
        for new in 0..skin.rotations.len().max(skin.translations.len()) {
            let old = if same_nodes { Some(new) } else { self.old_id(new) };
            let stored = old.and_then(|o| Some((*rotations.get(o)?, *translations.get(o)?)));
            let bind = bind_of.get(&(new as NodeId)).copied();
            let (rotation, translation) = match (stored, bind) {
                (Some((q, t)), Some(bind)) if same(&bind_matrix(q, t), bind) => (q, t),
                (Some(stored), None) => stored,
                (_, Some(bind)) => split(Mat4::from_cols_array(bind)),
                (None, None) => split(world_of(new).inverse() * world),
            };
            if let Some(slot) = skin.rotations.get_mut(new) {
                *slot = rotation;
            }
            if let Some(slot) = skin.translations.get_mut(new) {
                *slot = translation;
            }
        }
        skin
    }

    /// Returns the number that a node had in the model that was written.
    fn old_id(&self, new: usize) -> Option<usize> {
        let id = int(own(&self.at(new)?.extras), "id")? as u32;
        (self.by_id.get(&id) == Some(&(new as NodeId))).then_some(id as usize)
    }

    fn read_influences(
        &mut self,
        from: &SceneNode,
        stored: &Extras,
        vertices: &SceneVertices,
        slots: &[u32],
        out: &mut Vertices,
    ) {
        if vertices.influences.is_empty() {
            let raw = |key: &str| list(stored, key).map(|l| l.as_chunks().0.to_vec()).unwrap_or_default();
            out.weights = raw("raw_weights");
            out.bones = raw("raw_bones");
            return;
        }
        let (weights, joints) = self.four_weights(from, vertices);
        let mut bones = derived_bones(&weights, &joints, slots);
        let known: HashSet<u32> = slots.iter().copied().collect();
        apply_ulp_deltas(&mut bones, stored.get("bones"), 4, |row, sum| {
            // Only bones with a negligible weight, or that are slots, may differ.
            let used = weights.get(row * 4..).unwrap_or(&[]);
            let free = |b: f32, w: f32| w <= LEAST_WEIGHT || !known.contains(&(b as u32)) || b >= 0.0;
            sum.iter().zip(used).all(|(b, w)| free(*b, *w))
        });
        out.weights = weights.as_chunks().0.to_vec();
        out.bones = bones.as_chunks().0.to_vec();
    }

    /// Returns four weights for each vertex: the greatest ones if there are more.
    fn four_weights(&mut self, from: &SceneNode, vertices: &SceneVertices) -> (Vec<f32>, Vec<u16>) {
        let all = &vertices.influences;
        if all.width == 4 {
            return (all.weights.clone(), all.joints.clone());
        }
        let (mut weights, mut joints) = (Vec::new(), Vec::new());
        let mut dropped = 0;
        for vertex in 0..vertices.positions.len() {
            let mut row: Vec<(u16, f32)> = all.of(vertex).filter(|(_, w)| *w > 0.0).collect();
            row.sort_by(|a, b| b.1.total_cmp(&a.1));
            dropped += usize::from(row.len() > 4);
            row.resize(4, (0, 0.0));
            let sum: f32 = row.iter().map(|(_, w)| w).sum();
            let scale = if dropped > 0 && sum > 0.0 { 1.0 / sum } else { 1.0 };
            weights.extend(row.iter().map(|(_, w)| w * scale));
            joints.extend(row.iter().map(|(j, _)| *j));
        }
        if dropped > 0 {
            self.losses.push(Loss::new(
                format!("mesh {:?}", from.name),
                format!("more than four bones on {dropped} vertices"),
            ));
        }
        (weights, joints)
    }
}

/// Splits a matrix into rotation (w first) and translation.
fn split(matrix: Mat4) -> ([f32; 4], [f32; 3]) {
    let (_, rotation, translation) = matrix.to_scale_rotation_translation();
    let Quat { x, y, z, w } = rotation;
    ([w, x, y, z], translation.into())
}
