//! Checks of skins.

use std::collections::HashSet;

use super::mesh::at_most;
use super::{Checker, LEAST_WEIGHT, offset};
use crate::mdl::derive;
use crate::mdl::derive::vector;
use crate::mdl::mesh::{Mesh, Skin};
use crate::mdl::node::{Node, NodeId};
use crate::mdl::rules::*;

impl Checker<'_> {
    pub(super) fn skin(&mut self, mesh: &Mesh, skin: &Skin) {
        let v = &mesh.vertices;
        if (v.weights.is_empty() || v.bones.is_empty()) && !self.model.layout.mdx.missing {
            self.add(&SKIN_COLUMNS, "skin", || "no columns".into());
        }
        let slots = skin.slots();
        if slots > 17 {
            self.add(&BONE_SLOTS, "skin", || format!("{slots} bones"));
        }
        let nodes = self.model.nodes.len();
        if skin.bone_map.len() != nodes {
            self.add(&BONE_MAP, "skin", || format!("{} entries for {nodes} nodes", skin.bone_map.len()));
        }
        if skin.rotations.len() != skin.bone_map.len() || skin.translations.len() != skin.bone_map.len() {
            self.add(&BIND_COUNT, "skin", || {
                format!(
                    "{} and {} for {}",
                    skin.rotations.len(),
                    skin.translations.len(),
                    skin.bone_map.len()
                )
            });
        }
        let mut table = skin.clone();
        table.derive_bone_nodes();
        let filled: HashSet<u32> =
            skin.bone_map.iter().filter(|s| **s >= 0.0 && **s < 65536.0).map(|s| *s as u32).collect();
        let wrong = (0..slots.min(16))
            .find(|i| filled.contains(&(*i as u32)) && table.bone_nodes.get(*i) != skin.bone_nodes.get(*i));
        if let Some(slot) = wrong {
            self.add(&BONE_TABLE, "skin", || format!("slot {slot}"));
        }
        for (i, (weights, bones)) in v.weights.iter().zip(&v.bones).enumerate() {
            let what = || format!("mesh > vertices[{i}]");
            let sum: f32 = weights.iter().sum();
            if !at_most((sum - 1.0).abs(), 1e-2) {
                self.add(&WEIGHT_SUM, &what(), || format!("{sum}"));
            }
            for (weight, bone) in weights.iter().zip(bones) {
                let missing = bone.is_nan() || *bone >= 0.0 && !filled.contains(&(*bone as u32));
                if *bone < 0.0 && *weight > LEAST_WEIGHT {
                    self.add(&WEIGHT_BONELESS, &what(), || format!("weight {weight}"));
                } else if missing && *weight != 0.0 {
                    self.add(&BONE_SLOT_MISSING, &what(), || format!("slot {bone}"));
                }
            }
        }
    }

    /// Compares the bind poses of all skins with the rest pose.
    pub(super) fn bind_pose(&mut self) {
        let m = self.model;
        let has_skin = |n: &Node| n.mesh.as_deref().is_some_and(|m| m.skin.is_some());
        if !m.nodes.iter().any(has_skin) {
            return;
        }
        let world = derive::rest(&m.nodes);
        for (id, node) in m.nodes.iter().enumerate() {
            let Some(skin) = node.mesh.as_deref().and_then(|m| m.skin.as_deref()) else { continue };
            self.at = Some((offset(&node.layout.header_slot()).unwrap_or(0), id as NodeId));
            let Some(own) = world.get(id) else { continue };
            for ((slot, translation), bone) in skin.bone_map.iter().zip(&skin.translations).zip(&world) {
                let bind = bone.inverse().then(*own);
                let apart = vector::length(vector::sub(vector::v(*translation), bind.translation));
                if *slot >= 0.0 && apart > 0.05 {
                    self.add(&BIND_POSE, "skin", || format!("slot {slot} differs by {apart:.3}"));
                }
            }
        }
        self.at = None;
    }
}
