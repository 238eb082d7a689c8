//! Nodes to the scene: transforms, controllers, lights, emitters, references.

use galatea_scene::{
    Emitter as SceneEmitter, EmitterKind, Extras, Light as SceneLight, Node as SceneNode, Transform, Value,
    floats,
};

use super::{ToScene, scene_id};
use crate::extra::{json, latin, put, same, wrap};
use crate::mdl::scene::{
    ALPHA, LIGHT_COLOR, LIGHT_MULTIPLIER, LIGHT_RADIUS, ORIENTATION, POSITION, SCALE, SELF_ILLUMINATION,
    light_fields, put_fields,
};
use crate::mdl::{Controller, Controllers, Interpolation, Light, Node, NodeId, Track};

/// Returns the value of a controller with one key.
pub(super) fn constant<const N: usize>(controllers: &Controllers, kind: u32) -> Option<[f32; N]> {
    let track = controllers.get(kind)?;
    let plain = track.interpolation == Interpolation::Linear && track.times.len() == 1 && track.width == N;
    plain.then(|| track.values.first_chunk().copied()).flatten()
}

/// Writes controllers. `stored_as` returns the key under which the values are elsewhere in the scene; then they are
/// omitted.
pub(super) fn put_controllers(
    map: &mut Extras,
    controllers: &Controllers,
    mut stored_as: impl FnMut(usize, &Controller, Option<Track<'_>>) -> Option<&'static str>,
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
        let found = stored_as(i, controller, track);
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
                // Programs drop the range of lights.
                if found.is_none() || found == Some("rest") && controller.kind == LIGHT_RADIUS {
                    put(&mut entry, "values", floats(track.values));
                }
            }
        }
        Value::Object(entry)
    });
    let all: Vec<Value> = each.collect();
    put(map, "controllers", Value::Array(all));
}

impl ToScene<'_> {
    /// Adds a node with all its parts.
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
            // Of duplicates, only the first holds the rest pose.
            let first = node.controllers.get(controller.kind)?;
            (plain && same(track.values, &found) && same(first.values, track.values)).then_some("rest")
        });
        out.extras = wrap(map);
        self.scene.nodes.push(out);
    }
}

/// Returns the value of a controller that the scene can express.
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

pub(in crate::mdl::scene) fn rest_of_parts(
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

/// Writes the parts that are stored as records.
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
    light_fields!(put_fields, &mut map, light, base);
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

/// Returns the properties of an emitter that are common to all engines.
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
