//! Nodes: places, controllers, lights, emitters, references.

use galatea_scene::{
    Emitter as SceneEmitter, EmitterKind, Extras, Light as SceneLight, Node as SceneNode, Transform, Value,
    floats, read_floats,
};
use galatea_wire::{Loss, Result};

use super::{
    ALPHA, Back, Builder, LIGHT_COLOR, LIGHT_MULTIPLIER, LIGHT_RADIUS, ORIENTATION, POSITION, SCALE,
    SELF_ILLUMINATION, put_fields, read_fields, record, scene_id,
};
use crate::extra::{int, json, latin, list, objects, own, put, same, unlatin, wrap};
use crate::mdl::{Controller, Controllers, Interpolation, Light, Name, Node, NodeId, Track};

/// The value of a controller with one key.
pub(super) fn constant<const N: usize>(controllers: &Controllers, kind: u32) -> Option<[f32; N]> {
    let track = controllers.get(kind)?;
    let plain = track.interpolation == Interpolation::Linear && track.times.len() == 1 && track.width == N;
    plain.then(|| track.values.first_chunk().copied()).flatten()
}

/// Writes controllers. Values that are found `elsewhere` in the scene are left out.
pub(super) fn put_controllers(
    map: &mut Extras,
    controllers: &Controllers,
    mut elsewhere: impl FnMut(usize, &Controller, Option<Track<'_>>) -> Option<&'static str>,
) {
    if controllers.list().is_empty() {
        return;
    }
    let each = controllers.list().iter().enumerate().map(|(i, controller)| {
        let mut entry = Extras::new();
        put(&mut entry, "kind", json(&controller.kind));
        put(&mut entry, "columns", controller.columns);
        if controller.target != 0xFFFF {
            put(&mut entry, "target", controller.target);
        }
        let track = controllers.track(i);
        let found = elsewhere(i, controller, track);
        if let Some(word) = found {
            put(&mut entry, word, true);
        }
        match track {
            None => {
                put(&mut entry, "rows", controller.rows);
                put(&mut entry, "time_index", controller.time_index);
                put(&mut entry, "data_index", controller.data_index);
            }
            Some(track) => {
                if found != Some("channel") && !same(track.times, &[0.0]) {
                    put(&mut entry, "times", floats(track.times));
                }
                if found.is_none() {
                    put(&mut entry, "values", floats(track.values));
                }
            }
        }
        Value::Object(entry)
    });
    let all: Vec<Value> = each.collect();
    put(map, "controllers", Value::Array(all));
}

/// Reads one controller with values that were written with it, or that `values` finds.
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
    let told = || {
        let values = list(entry, "values")?;
        Some((list(entry, "times").unwrap_or_else(|| vec![0.0]), values))
    };
    let Some((times, values)) = values.or_else(told) else {
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

impl Builder<'_> {
    /// Adds a node with everything that hangs at it.
    pub(super) fn add_node(&mut self, id: NodeId) {
        let model = self.model;
        let Some(node) = model.node(id) else { return };
        let [w, x, y, z] = node.orientation;
        let scale = constant::<1>(&node.controllers, SCALE);
        let mut out = SceneNode {
            parent: Some(node.parent.map_or(0, scene_id)),
            children: node.children.iter().map(|c| scene_id(*c)).collect(),
            transform: Transform {
                translation: node.position,
                rotation: [x, y, z, w],
                scale: scale.map_or([1.0; 3], |[s]| [s; 3]),
            },
            ..SceneNode::new(&latin(model.name_of(node)))
        };
        if node.parent.is_none()
            && let Some(top) = self.scene.nodes.first_mut()
        {
            top.children.push(scene_id(id));
        }
        let mut map = Extras::new();
        put(&mut map, "id", id);
        for (key, value) in [("name", node.name), ("number", node.number)] {
            if NodeId::from(value) != id {
                put(&mut map, key, value);
            }
        }
        put_parts(&mut map, node);
        if let Some(light) = node.light.as_deref() {
            out.light = Some(self.scene.lights.len() as u32);
            self.scene.lights.push(light_of(&out.name, node));
            put(&mut map, "light", light_extras(light));
        }
        if node.emitter.is_some() {
            out.emitter = Some(self.scene.emitters.len() as u32);
            self.scene.emitters.push(emitter_of(&out.name, node));
        }
        let material =
            node.mesh.as_deref().and_then(|mesh| self.add_mesh(id, node, mesh, &mut out, &mut map));
        let material = material.and_then(|m| self.scene.materials.get(m as usize));
        let light = out.light.and_then(|l| self.scene.lights.get(l as usize));
        put_controllers(&mut map, &node.controllers, |_, controller, track| {
            let track = track?;
            let found = rest(controller.kind, node, material, light)?;
            let plain = track.interpolation == Interpolation::Linear && track.times.len() == 1;
            // Of doubles only the first holds the rest pose.
            let first = node.controllers.get(controller.kind)?;
            (plain && same(track.values, &found) && same(first.values, track.values)).then_some("rest")
        });
        out.extras = wrap(map);
        self.scene.nodes.push(out);
    }
}

/// The value of a controller that the scene knows by itself.
fn rest(
    kind: u32,
    node: &Node,
    material: Option<&galatea_scene::Material>,
    light: Option<&SceneLight>,
) -> Option<Vec<f32>> {
    let [w, x, y, z] = node.orientation;
    match kind {
        POSITION => Some(node.position.to_vec()),
        ORIENTATION => Some(vec![x, y, z, w]),
        SCALE => constant::<1>(&node.controllers, SCALE).map(|s| s.to_vec()),
        _ => rest_of_parts(kind, material, light),
    }
}

fn rest_of_parts(
    kind: u32,
    material: Option<&galatea_scene::Material>,
    light: Option<&SceneLight>,
) -> Option<Vec<f32>> {
    match kind {
        ALPHA => material.map(|m| m.base_color.iter().skip(3).copied().collect()),
        LIGHT_COLOR => light.map(|l| l.color.to_vec()),
        LIGHT_RADIUS => light.and_then(|l| l.range).map(|r| vec![r]),
        LIGHT_MULTIPLIER => light.map(|l| vec![l.intensity]),
        SELF_ILLUMINATION => material.map(|m| m.emissive.to_vec()),
        _ => None,
    }
}

/// Parts that are nothing but data.
pub(super) fn put_parts(map: &mut Extras, node: &Node) {
    if node.unknown_flags != 0 {
        put(map, "unknown_flags", node.unknown_flags);
    }
    if node.camera {
        put(map, "camera", true);
    }
    if let Some(emitter) = node.emitter.as_deref() {
        put(map, "emitter", json(emitter));
    }
    if let Some(reference) = node.reference.as_deref() {
        put(map, "reference", json(reference));
    }
}

/// Reads what [`put_parts`] wrote.
pub(super) fn read_parts(map: &Extras, node: &mut Node) {
    node.unknown_flags = int(map, "unknown_flags").unwrap_or(0) as u16;
    node.camera = map.contains_key("camera");
    node.emitter = record(map, "emitter").map(Box::new);
    node.reference = record(map, "reference").map(Box::new);
}

fn light_of(name: &str, node: &Node) -> SceneLight {
    let base = SceneLight::default();
    SceneLight {
        name: name.to_owned(),
        color: constant(&node.controllers, LIGHT_COLOR).unwrap_or(base.color),
        intensity: constant(&node.controllers, LIGHT_MULTIPLIER).map_or(1.0, |[m]| m),
        range: constant(&node.controllers, LIGHT_RADIUS).map(|[r]| r),
        ..base
    }
}

fn light_extras(light: &Light) -> Value {
    let mut map = Extras::new();
    let base = Light::default();
    put_fields!(
        &mut map,
        light,
        base,
        flare_radius,
        priority,
        ambient_only,
        dynamic_type,
        affect_dynamic,
        shadow,
        flare,
        fading,
    );
    let flares = [("sizes", &light.flare_sizes), ("positions", &light.flare_positions)];
    for (key, values) in flares.into_iter().filter(|(_, v)| !v.is_empty()) {
        put(&mut map, key, floats(values));
    }
    if !light.flare_colors.is_empty() {
        put(&mut map, "colors", floats(light.flare_colors.as_flattened()));
    }
    if !light.flare_textures.is_empty() {
        let names = light.flare_textures.iter().map(|n| Value::from([("name", latin(&n.0).into())]));
        put(&mut map, "textures", Value::Array(names.collect()));
    }
    Value::Object(map)
}

fn read_light(map: &Extras) -> Light {
    let mut light = Light::default();
    read_fields!(
        map,
        light,
        flare_radius,
        priority,
        ambient_only,
        dynamic_type,
        affect_dynamic,
        shadow,
        flare,
        fading,
    );
    light.flare_sizes = list(map, "sizes").unwrap_or_default();
    light.flare_positions = list(map, "positions").unwrap_or_default();
    let colors = map.get("colors").and_then(read_floats).unwrap_or_default();
    light.flare_colors = colors.as_chunks().0.to_vec();
    let names = objects(map, "textures").filter_map(|n| n.get("name")?.as_str());
    light.flare_textures = names.map(|n| Name(unlatin(n))).collect();
    light
}

/// The part of an emitter that all engines share.
fn emitter_of(name: &str, node: &Node) -> SceneEmitter {
    let value = |kind: u32| constant::<1>(&node.controllers, kind).map_or(0.0, |[v]| v);
    let color = |kind: u32, alpha: u32| {
        let [r, g, b] = constant::<3>(&node.controllers, kind).unwrap_or([1.0; 3]);
        [r, g, b, constant::<1>(&node.controllers, alpha).map_or(1.0, |[a]| a)]
    };
    let Some(emitter) = node.emitter.as_deref() else { return SceneEmitter::default() };
    let update = emitter.update.bytes();
    SceneEmitter {
        name: name.to_owned(),
        kind: if update.eq_ignore_ascii_case(b"lightning") {
            EmitterKind::Lightning
        } else if emitter.chunk.bytes().is_empty() {
            EmitterKind::Particles
        } else {
            EmitterKind::Models
        },
        rate: value(88),
        life: value(120),
        speed: value(172),
        spread: value(164),
        gravity: value(116),
        area: [value(176) / 100.0, value(180) / 100.0],
        colors: vec![color(392, 84), color(380, 80)],
        sizes: vec![value(148), value(152)],
        grid: [emitter.x_grid, emitter.y_grid],
        material: None,
        path: latin(emitter.chunk.bytes()),
        extras: Extras::from_iter([("texture", latin(emitter.texture.bytes()).into())]),
    }
}

impl Back<'_> {
    /// The node at a place of the new order.
    pub(super) fn read_node(&mut self, place: usize) -> Result<Node> {
        let mut node = Node::default();
        let Some(from) = self.at(place) else {
            // The root that is made here: everything without a parent hangs below it.
            let tops = self.order.iter().enumerate().skip(1).filter(|(_, id)| self.is_top(**id));
            node.children = tops.map(|(i, _)| i as NodeId).collect::<Vec<_>>().into();
            return Ok(node);
        };
        let map = own(&from.extras);
        let above = from.parent.and_then(|p| self.new_id.get(&p).copied());
        node.parent = above.or((place != 0).then_some(0));
        let children = from.children.iter().filter_map(|c| self.new_id.get(c).copied());
        node.children = children.collect::<Vec<_>>().into();
        let transform = self.transform(from);
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
        // What a compiler would write for a node it meets for the first time.
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

    /// Where a node is relative to its parent, in the format's axes.
    fn transform(&mut self, from: &SceneNode) -> Transform {
        let transform = from.transform;
        let [x, y, z] = transform.scale;
        if (x - y).abs() > 1e-4 * x.abs() || (x - z).abs() > 1e-4 * x.abs() {
            self.losses
                .push(Loss::new(format!("node {:?}", from.name), "a scale of its own along each axis"));
        }
        if from.camera.is_some() {
            self.losses.push(Loss::new(format!("node {:?}", from.name), "what its camera sees"));
        }
        if from.billboard.is_some() {
            self.losses.push(Loss::new(format!("node {:?}", from.name), "turning to the camera"));
        }
        transform
    }
}
