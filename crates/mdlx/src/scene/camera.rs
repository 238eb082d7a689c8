//! Cameras to the scene and back. A camera stands at a node and looks at another.

use galatea_scene::{
    Camera as SceneCamera, Extras, Node as SceneNode, Projection, Property, Target, Transform, Value,
};
use galatea_wire::Loss;
use glam::{Mat3, Quat, Vec3};

use super::curve::Map;
use super::extra::{Carry, int, latin, own, put, same, text, wrap};
use super::node::{find, plain_bind};
use super::track::Bound;
use super::{Back, Builder};
use crate::{Camera, Model, Owner, Tag, ValueKind, Version, tracks_of};

/// The field of view from top to bottom, for one from corner to corner of a picture of 4 to 3.
fn height_of(diagonal: f32) -> f32 {
    2.0 * ((diagonal * 0.5).tan() * 0.6).atan()
}

fn diagonal_of(height: f32) -> f32 {
    2.0 * ((height * 0.5).tan() / 0.6).atan()
}

/// The rotation of a camera that looks from one point to another, with z up.
fn looking(from: [f32; 3], to: [f32; 3]) -> [f32; 4] {
    let back = (Vec3::from(from) - Vec3::from(to)).normalize_or(Vec3::X);
    let right = Vec3::Z.cross(back).normalize_or(Vec3::Y);
    let turn = Quat::from_mat3(&Mat3::from_cols(right, back.cross(right), back));
    if turn.is_finite() { turn.to_array() } else { [0.0, 0.0, 0.0, 1.0] }
}

fn bounds(
    version: Version,
    camera: u32,
    [node, target]: [u32; 2],
    [place, aim]: [Map; 2],
) -> Vec<(Tag, ValueKind, Bound)> {
    let tracks = tracks_of(Owner::Camera, version).map(|info| {
        let moved =
            |node: u32, map: Map| Bound { map, ..Bound::new(Target::Node(node), Property::Translation) };
        let bound = match &info.tag.0 {
            b"KCTR" => moved(node, place),
            b"KTTR" => moved(target, aim),
            b"KVIS" => Bound::visibility(node),
            _ => Bound::other(Target::Camera(camera), info.tag),
        };
        (info.tag, info.value, bound)
    });
    tracks.collect()
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
            let bounds = bounds(model.version, number, [id, target], places);
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

impl Back<'_> {
    pub(super) fn read_cameras(&mut self, model: &mut Model) {
        let scene = self.scene;
        let mut order: Vec<(i64, u32, &SceneNode, &SceneCamera)> = Vec::new();
        for (id, node) in scene.nodes.iter().enumerate() {
            if let Some(camera) = node.camera.and_then(|c| scene.cameras.get(c as usize)) {
                let told = int(own(&node.extras), "camera").unwrap_or(i64::MAX);
                order.push((told, id as u32, node, camera));
            }
        }
        order.sort_by_key(|(told, ..)| *told);
        let nodes = model.node_count();
        for (index, (_, id, node, camera)) in order.into_iter().enumerate() {
            let map = own(&node.extras);
            let frame = self.frames.of(id);
            let here = |id: u32, node: &SceneNode| match self.frames.of(id).straight && self.is_top(node) {
                true => node.transform.translation,
                false => self.frames.matrix(id).w_axis.truncate().into(),
            };
            let position: [f32; 3] = here(id, node);
            let target_node = camera.target.and_then(|t| Some((t, scene.node(t)?)));
            let forward = self.frames.matrix(id).transform_vector3(Vec3::NEG_Z).normalize_or(Vec3::NEG_X);
            let target = match target_node {
                Some((t, node)) => here(t, node),
                None => (Vec3::from(position) + forward * 100.0).into(),
            };
            let name =
                if map.contains_key("camera") || !camera.name.is_empty() { &node.name } else { &camera.name };
            let mut out = Camera { name: text(name), position, target, ..Camera::default() };
            match camera.projection {
                Projection::Perspective { yfov, .. } => {
                    out.field_of_view = diagonal_of(yfov);
                    if let Some(told) =
                        map.get("field_of_view").and_then(f32::read).filter(|t| height_of(*t).same(&yfov))
                    {
                        out.field_of_view = told;
                    }
                }
                Projection::Orthographic { .. } => {
                    self.lose(Loss::new(format!("camera {:?}", node.name), "seeing without perspective"));
                    out.field_of_view = 0.8;
                }
            }
            // Distances of other scenes are metres.
            let unit = if self.frames.own_axes { 1.0 } else { 1.0 / super::unit(self.version) };
            out.near_clip = camera.near * unit;
            out.far_clip = camera.far.map_or(5000.0, |far| far * unit);
            let t = camera.target.unwrap_or(u32::MAX);
            let aim = target_node.map_or([0.0; 3], |(_, n)| n.transform.translation);
            let rest = if frame.straight { Map::Offset(node.transform.translation) } else { Map::Plain };
            let number = node.camera.unwrap_or(0);
            let bounds = bounds(self.version, number, [id, t], [rest, Map::Offset(aim)]);
            let what = format!("camera {:?}", node.name);
            let straight = super::frame::Frame::default();
            out.tracks = self.read_tracks(
                map,
                "tracks",
                &what,
                &bounds,
                if frame.straight { &straight } else { &frame },
            );
            let bind = map.get("bind").and_then(<[f32; 12]>::read).unwrap_or(plain_bind(position));
            if let Some(slot) = model.bind_poses.get_mut(nodes + index) {
                *slot = bind;
            }
            model.cameras.push(out);
        }
    }

    /// Whether a node hangs directly below the format's axes.
    fn is_top(&self, node: &SceneNode) -> bool {
        self.frames.own_axes && node.parent.and_then(|p| self.scene.node(p)).is_some_and(|n| n.axes)
    }
}
