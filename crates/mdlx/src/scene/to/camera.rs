//! Cameras to the scene. A camera is at a node and looks at another node.

use galatea_scene::{Camera as SceneCamera, Extras, Node as SceneNode, Projection, Transform, Value};
use glam::Quat;

use super::ToScene;
use crate::play::View;
use crate::scene::binding::{camera_bindings, find};
use crate::scene::curve::ValueMap;
use crate::scene::extra::{ExtraValue, latin, same, wrap};
use crate::scene::vocabulary::{diagonal_of, height_of, plain_bind};

/// Returns the rotation of a camera that looks from one point to another, with z up.
fn looking(from: [f32; 3], to: [f32; 3]) -> [f32; 4] {
    let rotation = View::look_at(from.into(), to.into()).rotation;
    if rotation.is_finite() { rotation.to_array() } else { Quat::IDENTITY.to_array() }
}

impl ToScene<'_> {
    pub(super) fn add_cameras(&mut self) {
        let model = self.model;
        for (index, camera) in model.cameras.iter().enumerate() {
            let name = latin(camera.name.bytes());
            let id = self.scene.nodes.len() as u32;
            let mut map = Extras::new();
            map.add("camera", index as u32);
            let yfov = height_of(camera.field_of_view);
            if !diagonal_of(yfov).same(&camera.field_of_view) {
                map.add("field_of_view", camera.field_of_view.json());
            }
            let at = model.node_count() + index;
            if let Some(bind) = model.bind_poses.get(at)
                && !same(bind, &plain_bind(camera.position))
            {
                map.add("bind", bind.json());
            }
            let transform = Transform {
                translation: camera.position,
                rotation: looking(camera.position, camera.target),
                ..Transform::default()
            };
            let number = self.scene.cameras.len() as u32;
            self.scene
                .add_node(Some(0), SceneNode { transform, camera: Some(number), ..SceneNode::new(&name) });
            let mut aim = Extras::new();
            aim.add("camera_target", index as u32);
            let target = SceneNode {
                transform: Transform { translation: camera.target, ..Transform::default() },
                extras: wrap(aim),
                ..SceneNode::new(&format!("{name}.target"))
            };
            let target = self.scene.add_node(Some(0), target);
            self.scene.cameras.push(SceneCamera {
                name,
                projection: Projection::Perspective { yfov, aspect: None },
                near: camera.near_clip,
                far: Some(camera.far_clip),
                target: Some(target),
                ..SceneCamera::default()
            });
            let places = [ValueMap::Offset(camera.position), ValueMap::Offset(camera.target)];
            let bindings = camera_bindings(model.version, number, [id, target], places);
            self.add_tracks(&mut map, "tracks", &camera.tracks, |tag| find(&bindings, tag));
            if let Some(node) = self.scene.nodes.get_mut(id as usize) {
                node.extras = wrap(map);
            }
        }
    }

    /// Stores pivots and bind poses that belong to no node.
    pub(super) fn add_loose(&mut self) {
        let model = self.model;
        let cameras = model.node_count()..model.node_count() + model.cameras.len();
        let mut loose = Vec::new();
        for at in 0..model.pivots.len().max(model.bind_poses.len()) {
            if self.by_id.contains_key(&(at as u32)) {
                continue;
            }
            let mut map = Extras::new();
            if let Some(pivot) = model.pivots.get(at) {
                map.add("pivot", pivot.json());
            }
            if let Some(bind) = model.bind_poses.get(at).filter(|_| !cameras.contains(&at)) {
                map.add("bind", bind.json());
            }
            if !map.is_empty() {
                map.add("at", at as u32);
                loose.push(Value::Object(map));
            }
        }
        if !loose.is_empty() {
            self.header.add("loose", Value::Array(loose));
        }
    }
}
