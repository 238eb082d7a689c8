//! Cameras to the scene. A camera stands at a node and looks at another.

use galatea_scene::{Camera as SceneCamera, Extras, Node as SceneNode, Projection, Transform, Value};
use glam::{Mat3, Quat, Vec3};

use super::Builder;
use crate::scene::binding::{camera_bounds, find};
use crate::scene::curve::Map;
use crate::scene::extra::{Carry, latin, put, same, wrap};
use crate::scene::vocabulary::{diagonal_of, height_of, plain_bind};

/// The rotation of a camera that looks from one point to another, with z up.
fn looking(from: [f32; 3], to: [f32; 3]) -> [f32; 4] {
    let back = (Vec3::from(from) - Vec3::from(to)).normalize_or(Vec3::X);
    let right = Vec3::Z.cross(back).normalize_or(Vec3::Y);
    let turn = Quat::from_mat3(&Mat3::from_cols(right, back.cross(right), back));
    if turn.is_finite() { turn.to_array() } else { [0.0, 0.0, 0.0, 1.0] }
}

impl Builder<'_> {
    pub(super) fn add_cameras(&mut self) {
        let model = self.model;
        for (index, camera) in model.cameras.iter().enumerate() {
            let name = latin(camera.name.bytes());
            let id = self.scene.nodes.len() as u32;
            let mut map = Extras::new();
            put(&mut map, "camera", index as u32);
            let yfov = height_of(camera.field_of_view);
            if !diagonal_of(yfov).same(&camera.field_of_view) {
                put(&mut map, "field_of_view", camera.field_of_view.json());
            }
            let at = model.node_count() + index;
            if let Some(bind) = model.bind_poses.get(at)
                && !same(bind, &plain_bind(camera.position))
            {
                put(&mut map, "bind", bind.json());
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
            put(&mut aim, "camera_target", index as u32);
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
            let places = [Map::Offset(camera.position), Map::Offset(camera.target)];
            let bounds = camera_bounds(model.version, number, [id, target], places);
            self.add_tracks(&mut map, "tracks", &camera.tracks, |tag| find(&bounds, tag));
            if let Some(node) = self.scene.nodes.get_mut(id as usize) {
                node.extras = wrap(map);
            }
        }
    }

    /// Pivots and bind poses that belong to no node.
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
                put(&mut map, "pivot", pivot.json());
            }
            if let Some(bind) = model.bind_poses.get(at).filter(|_| !cameras.contains(&at)) {
                put(&mut map, "bind", bind.json());
            }
            if !map.is_empty() {
                put(&mut map, "at", at as u32);
                loose.push(Value::Object(map));
            }
        }
        if !loose.is_empty() {
            put(&mut self.header, "loose", Value::Array(loose));
        }
    }
}
