//! Nodes from the scene.

use galatea_scene::{Extras, Node as SceneNode, Transform, Value, read_floats};
use galatea_wire::{Loss, Result};

use super::{FromScene, record};
use crate::extra::{int, list, objects, own, unlatin};
use crate::mdl::scene::to::node::rest_of_parts;
use crate::mdl::scene::{
    ALPHA, LIGHT_COLOR, LIGHT_MULTIPLIER, LIGHT_RADIUS, ORIENTATION, POSITION, SCALE, SELF_ILLUMINATION,
    light_fields, read_fields,
};
use crate::mdl::{Controller, Controllers, Interpolation, Light, Name, Node, NodeId};

impl FromScene<'_> {
    /// Returns the node at an index of the new order.
    pub(super) fn read_node(&mut self, place: usize) -> Result<Node> {
        let mut node = Node::default();
        let Some(from) = self.at(place) else {
            // The added root: all nodes without a parent are its children.
            let tops = self.order.iter().enumerate().skip(1).filter(|(_, id)| self.is_top(**id));
            node.children = tops.map(|(i, _)| i as NodeId).collect::<Vec<_>>().into();
            return Ok(node);
        };
        let map = own(&from.extras);
        let above = from.parent.and_then(|p| self.new_id.get(&p).copied());
        node.parent = above.or((place != 0).then_some(0));
        let children = from.children.iter().filter_map(|c| self.new_id.get(c).copied());
        let mut children: Vec<NodeId> = children.collect();
        if place == 0 {
            children.extend(self.added.iter().filter_map(|id| self.new_id.get(id).copied()));
        }
        children.sort_unstable();
        node.children = children.into();
        let mut transform = self.transform(from);
        if self.order.get(place).is_some_and(|id| self.added.contains(id)) {
            transform = self.below_root(&transform);
        }
        node.position = transform.translation;
        let [x, y, z, w] = transform.rotation;
        node.orientation = [w, x, y, z];
        read_parts(map, &mut node);
        if let Some(light) = map.get("light").and_then(Value::as_object) {
            node.light = Some(Box::new(read_light(light)));
        } else if from.light.is_some() {
            node.light = Some(Box::new(Light { priority: 3, affect_dynamic: 1, ..Light::default() }));
        }
        let material = self.read_mesh(place, from, &mut node)?;
        let material = material.and_then(|m| self.scene.materials.get(m as usize));
        let light = from.light.and_then(|l| self.scene.lights.get(l as usize));
        let [scale, ..] = transform.scale;
        let found = |node: &Node, kind: u32| match kind {
            POSITION => Some(node.position.to_vec()),
            ORIENTATION => Some(vec![x, y, z, w]),
            SCALE => Some(vec![scale]),
            _ => rest_of_parts(kind, material, light),
        };
        let mut controllers = Controllers::default();
        for entry in objects(map, "controllers") {
            let kind = int(entry, "kind").unwrap_or(0) as u32;
            let values = found(&node, kind).filter(|_| entry.contains_key("rest"));
            let times = list(entry, "times").unwrap_or_else(|| vec![0.0]);
            read_controller(&mut controllers, entry, values.map(|v| (times, v)))?;
        }
        // The controllers that a compiler writes for a new node.
        let fresh = !map.contains_key("id") && place != 0;
        let wanted = [
            (POSITION, fresh),
            (ORIENTATION, fresh),
            (SCALE, scale != 1.0 || (fresh && node.mesh.is_some())),
            (ALPHA, fresh && node.mesh.is_some()),
            (SELF_ILLUMINATION, fresh && node.mesh.is_some()),
            (LIGHT_COLOR, fresh && node.light.is_some()),
            (LIGHT_RADIUS, fresh && node.light.is_some()),
            (LIGHT_MULTIPLIER, fresh && node.light.is_some()),
        ];
        for (kind, _) in wanted.into_iter().filter(|(_, w)| *w) {
            if let Some(values) = found(&node, kind).filter(|_| controllers.get(kind).is_none()) {
                controllers.push(kind, 0xFFFF, Interpolation::Linear, values.len(), &[0.0], &values)?;
            }
        }
        node.controllers = controllers;
        Ok(node)
    }

    fn is_top(&self, id: u32) -> bool {
        let parent = self.scene.node(id).and_then(|n| n.parent);
        parent.is_none_or(|p| !self.new_id.contains_key(&p))
    }

    /// Returns the transform of a node beside the root relative to the root.
    fn below_root(&self, transform: &Transform) -> Transform {
        let Some(root) = self.at(0).filter(|root| root.transform != Transform::default()) else {
            return *transform;
        };
        let (scale, rotation, translation) =
            (root.transform.matrix().inverse() * transform.matrix()).to_scale_rotation_translation();
        Transform { translation: translation.into(), rotation: rotation.to_array(), scale: scale.into() }
    }

    /// Returns the transform of a node relative to its parent, and reports what the format cannot represent.
    fn transform(&mut self, from: &SceneNode) -> Transform {
        let transform = from.transform;
        let [x, y, z] = transform.scale;
        if (x - y).abs() > 1e-4 * x.abs() || (x - z).abs() > 1e-4 * x.abs() {
            self.losses.push(Loss::new(format!("node {:?}", from.name), "non-uniform scale"));
        }
        if from.camera.is_some() {
            self.losses.push(Loss::new(format!("node {:?}", from.name), "camera settings"));
        }
        if from.billboard.is_some() {
            self.losses.push(Loss::new(format!("node {:?}", from.name), "billboarding"));
        }
        transform
    }
}

/// Reads a controller with the given values, or with those in its extras.
pub(super) fn read_controller(
    controllers: &mut Controllers,
    entry: &Extras,
    values: Option<(Vec<f32>, Vec<f32>)>,
) -> Result<()> {
    let number = |key: &str| int(entry, key).unwrap_or(0);
    let mut raw = Controller {
        kind: number("kind") as u32,
        target: int(entry, "target").map_or(0xFFFF, |t| t as u16),
        rows: number("rows") as u16,
        time_index: number("time_index") as u16,
        data_index: number("data_index") as u16,
        columns: number("columns") as u8,
        padding: [0; 3],
    };
    let stored = || {
        let values = list(entry, "values")?;
        Some((list(entry, "times").unwrap_or_else(|| vec![0.0]), values))
    };
    let Some((times, values)) = values.or_else(stored) else {
        if entry.contains_key("rows") {
            controllers.list_mut().push(raw);
        }
        return Ok(());
    };
    let interpolation = match (raw.is_packed(), raw.is_bezier()) {
        (true, _) => Interpolation::Packed,
        (_, true) => Interpolation::Bezier,
        _ => Interpolation::Linear,
    };
    let width = if raw.is_packed() { 1 } else { usize::from(raw.columns & 0x0F) };
    controllers.push(raw.kind, raw.target, interpolation, width, &times, &values)?;
    if let Some(added) = controllers.list_mut().last_mut() {
        raw.columns = number("columns") as u8;
        added.columns = raw.columns;
    }
    Ok(())
}

/// Reads the parts that are stored as records.
pub(super) fn read_parts(map: &Extras, node: &mut Node) {
    node.unknown_flags = int(map, "unknown_flags").unwrap_or(0) as u16;
    node.camera = map.contains_key("camera");
    node.emitter = record(map, "emitter").map(Box::new);
    node.reference = record(map, "reference").map(Box::new);
}

fn read_light(map: &Extras) -> Light {
    let mut light = Light::default();
    light_fields!(read_fields, map, light);
    light.flare_sizes = list(map, "sizes").unwrap_or_default();
    light.flare_positions = list(map, "positions").unwrap_or_default();
    let colors = map.get("colors").and_then(read_floats).unwrap_or_default();
    light.flare_colors = colors.as_chunks().0.to_vec();
    let names = objects(map, "textures").filter_map(|n| n.get("name")?.as_str());
    light.flare_textures = names.map(|n| Name(unlatin(n))).collect();
    light
}
