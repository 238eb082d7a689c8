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
        let mut influences = (!vertices.influences.is_empty()).then(|| self.four_weights(from, vertices));
        let slots = self.slots(from, stored, &joints, influences.as_mut());
        let bones = slots.iter().zip(&joints).filter(|(slot, _)| **slot != NO_SLOT);
        let bones: Vec<(usize, NodeId)> = bones.map(|(s, j)| (*s as usize, *j)).collect();
        let bind_of = joints.into_iter().zip(&skin.inverse_bind).collect();
        let mut skin = self.read_binds(place, stored, &bones, &bind_of);
        for (slot, node) in &bones {
            if let Some(entry) = skin.bone_nodes.get_mut(*slot) {
                *entry = *node as i16;
            }
        }
        read_influences(stored, influences, &slots, out);
        skin
    }

    /// Returns the slot of each joint: the one it had, the next one for others that have weight, and none for the rest, such as the
    /// bones of other skins. Takes the weight from joints for which there is no room.
    fn slots(
        &mut self,
        from: &SceneNode,
        stored: &Extras,
        joints: &[NodeId],
        influences: Option<&mut (Vec<f32>, Vec<u16>)>,
    ) -> Vec<u32> {
        let had = ints(stored, "slots").unwrap_or_default();
        let nodes = match ints(stored, "joints") {
            Some(nodes) => nodes,
            // Documents of earlier versions have the joints in the order of the slots.
            None if had.len() == joints.len() => return had.into_iter().map(|s| s as u32).collect(),
            None => Vec::new(),
        };
        let known: HashMap<usize, u32> =
            nodes.iter().zip(&had).map(|(node, slot)| (*node as usize, *slot as u32)).collect();
        let slot = |joint: &NodeId| self.old_id(*joint as usize).and_then(|id| known.get(&id).copied());
        let mut slots: Vec<u32> = joints.iter().map(|joint| slot(joint).unwrap_or(NO_SLOT)).collect();
        let Some((weights, rows)) = influences else { return slots };
        let mut totals = vec![0.0f64; joints.len()];
        for (weight, joint) in weights.iter().zip(rows.iter()) {
            totals.get_mut(usize::from(*joint)).into_iter().for_each(|sum| *sum += f64::from(weight.abs()));
        }
        let is_new = |(joint, total): &(usize, &f64)| **total > 0.0 && slots.get(*joint) == Some(&NO_SLOT);
        let mut new: Vec<usize> = totals.iter().enumerate().filter(is_new).map(|(joint, _)| joint).collect();
        let room = ROOM.saturating_sub(had.len());
        let mut cut: HashSet<u16> = HashSet::default();
        if new.len() > room {
            let total = |joint: &usize| totals.get(*joint).copied().unwrap_or(0.0);
            new.sort_by(|a, b| total(b).total_cmp(&total(a)));
            cut.extend(new.split_off(room).into_iter().filter_map(|joint| u16::try_from(joint).ok()));
            new.sort_unstable();
            self.losses.push(Loss::new(
                format!("mesh {:?}", from.name),
                format!("the weights of {} bones: the game has room for {ROOM} per mesh", cut.len()),
            ));
        }
        let first = had.iter().max().map_or(0, |last| *last as u32 + 1);
        for (joint, slot) in new.into_iter().zip(first..) {
            slots.get_mut(joint).into_iter().for_each(|s| *s = slot);
        }
        if !cut.is_empty() {
            take_weight(weights, rows, &cut);
        }
        slots
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

/// The slot of joints that take none.
const NO_SLOT: u32 = u32::MAX;

/// The greatest number of bones that move a mesh.
const ROOM: usize = 16;

/// Takes the weight from some joints, and gives it to the others of each vertex.
fn take_weight(weights: &mut [f32], joints: &[u16], from: &HashSet<u16>) {
    for (weights, joints) in weights.chunks_exact_mut(4).zip(joints.chunks_exact(4)) {
        let before: f32 = weights.iter().sum();
        weights.iter_mut().zip(joints).filter(|(_, j)| from.contains(j)).for_each(|(w, _)| *w = 0.0);
        let after: f32 = weights.iter().sum();
        if after > 0.0 {
            weights.iter_mut().for_each(|w| *w *= before / after);
        }
    }
}

fn read_influences(
    stored: &Extras,
    influences: Option<(Vec<f32>, Vec<u16>)>,
    slots: &[u32],
    out: &mut Vertices,
) {
    let Some((weights, joints)) = influences else {
        let raw = |key: &str| list(stored, key).map(|l| l.as_chunks().0.to_vec()).unwrap_or_default();
        out.weights = raw("raw_weights");
        out.bones = raw("raw_bones");
        return;
    };
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

/// Splits a matrix into rotation (w first) and translation.
fn split(matrix: Mat4) -> ([f32; 4], [f32; 3]) {
    let (_, rotation, translation) = matrix.to_scale_rotation_translation();
    let Quat { x, y, z, w } = rotation;
    ([w, x, y, z], translation.into())
}
