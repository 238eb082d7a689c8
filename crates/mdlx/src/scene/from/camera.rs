//! Cameras from the scene.

use galatea_scene::{Camera as SceneCamera, Node as SceneNode, Projection};
use galatea_wire::Loss;
use glam::Vec3;

use super::FromScene;
use super::frame::Frame;
use crate::scene::binding::camera_bindings;
use crate::scene::curve::ValueMap;
use crate::scene::extra::{ExtraValue, own, text};
use crate::scene::vocabulary::{diagonal_of, height_of, plain_bind};
use crate::{Camera, Model};

impl FromScene<'_> {
    pub(super) fn read_cameras(&mut self, model: &mut Model) {
        let scene = self.scene;
        let mut order: Vec<(i64, u32, &SceneNode, &SceneCamera)> = Vec::new();
        for (id, node) in scene.nodes.iter().enumerate() {
            if let Some(camera) = node.camera.and_then(|c| scene.cameras.get(c as usize)) {
                let stored = own(&node.extras).int("camera").unwrap_or(i64::MAX);
                order.push((stored, id as u32, node, camera));
            }
        }
        order.sort_by_key(|(stored, ..)| *stored);
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
                if map.contains_key("camera") || !node.name.is_empty() { &node.name } else { &camera.name };
            let mut out = Camera { name: text(name), position, target, ..Camera::default() };
            match camera.projection {
                Projection::Perspective { yfov, .. } => {
                    out.field_of_view = diagonal_of(yfov);
                    if let Some(stored) =
                        map.get("field_of_view").and_then(f32::read).filter(|t| height_of(*t).same(&yfov))
                    {
                        out.field_of_view = stored;
                    }
                }
                Projection::Orthographic { .. } => {
                    self.lose(Loss::new(format!("camera {:?}", node.name), "orthographic projection"));
                    out.field_of_view = 0.8;
                }
            }
            // Distances in other scenes are in metres.
            let unit = if self.frames.own_axes { 1.0 } else { 1.0 / crate::scene::unit(self.version) };
            out.near_clip = camera.near * unit;
            out.far_clip = camera.far.map_or(5000.0, |far| far * unit);
            let t = camera.target.unwrap_or(u32::MAX);
            let aim = target_node.map_or([0.0; 3], |(_, n)| n.transform.translation);
            let rest =
                if frame.straight { ValueMap::Offset(node.transform.translation) } else { ValueMap::Plain };
            let number = node.camera.unwrap_or(0);
            let bindings = camera_bindings(self.version, number, [id, t], [rest, ValueMap::Offset(aim)]);
            let what = format!("camera {:?}", node.name);
            let straight = Frame::default();
            out.tracks = self.read_tracks(
                map,
                "tracks",
                &what,
                &bindings,
                if frame.straight { &straight } else { &frame },
            );
            let bind = map.get("bind").and_then(<[f32; 12]>::read).unwrap_or(plain_bind(position));
            if let Some(slot) = model.bind_poses.get_mut(nodes + index) {
                *slot = bind;
            }
            model.cameras.push(out);
        }
    }

    /// Returns `true` if a node is a child of the node that converts the axes.
    fn is_top(&self, node: &SceneNode) -> bool {
        self.frames.own_axes && node.parent.and_then(|p| self.scene.node(p)).is_some_and(|n| n.axes)
    }
}
