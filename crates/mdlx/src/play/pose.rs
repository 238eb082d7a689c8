//! The whole model at one moment.

use std::f32::consts::FRAC_PI_2;

use glam::{Mat4, Quat, Vec3};

use super::{Moment, Player};
use crate::{Geoset, Layer, Node, NodeKind, node_flags};

/// The direction of the viewer, for nodes that face the camera. As in the game, nodes turn against the direction in which the
/// camera looks and not towards its position: all billboards of a view are parallel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// From the camera's axes (x right, y up, z towards the viewer) to the model's.
    pub rotation: Quat,
}

impl View {
    /// Returns the view from one point towards another, with z up.
    pub fn look_at(position: Vec3, target: Vec3) -> View {
        let back = (position - target).normalize_or(Vec3::X);
        let right = Vec3::Z.cross(back).normalize_or(Vec3::Y);
        View { rotation: Quat::from_mat3(&glam::Mat3::from_cols(right, back.cross(right), back)) }
    }

    /// Returns the view of the same camera from axes that are turned so.
    pub(super) fn seen_from(&self, rotation: Quat) -> View {
        View { rotation: (rotation.inverse() * self.rotation).normalize() }
    }

    /// Returns the direction towards the viewer.
    pub fn back(&self) -> Vec3 {
        self.rotation * Vec3::Z
    }
}

/// A node at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodePose {
    /// Transforms from the node's place at rest to its current one.
    pub matrix: Mat4,
    /// Its rotation.
    pub rotation: Quat,
    /// Its scale.
    pub scale: Vec3,
    /// The current position of its pivot.
    pub position: Vec3,
    /// Whether it is visible according to its visibility track, if it has one.
    pub visible: bool,
}

/// A geoset at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeosetPose {
    /// Whether it is drawn: alpha above 0, and of the finest level of detail.
    pub visible: bool,
    /// Alpha, to be multiplied with that of the layers.
    pub alpha: f32,
    /// Red, green, blue.
    pub color: [f32; 3],
}

/// A layer of a material at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerPose {
    /// Index of the texture; -1 for none.
    pub texture: i32,
    /// Alpha.
    pub alpha: f32,
    /// Translation of texture coordinates, after they were scaled and rotated around the centre.
    pub translation: [f32; 3],
    /// Rotation as a quaternion.
    pub rotation: [f32; 4],
    /// Scale.
    pub scale: [f32; 3],
}

impl LayerPose {
    /// Returns a texture coordinate transformed by the texture animation.
    pub fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let [tx, ty, _] = self.translation;
        let [sx, sy, _] = self.scale;
        let [x, y, z, w] = self.rotation;
        let turned = Quat::from_xyzw(x, y, z, w).normalize() * Vec3::new((u - 0.5) * sx, (v - 0.5) * sy, 0.0);
        [turned.x + 0.5 + tx, turned.y + 0.5 + ty]
    }
}

/// A light at a moment. Colours are red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LightPose {
    /// Distance at which it begins to fade.
    pub attenuation_start: f32,
    /// Distance at which it has faded out.
    pub attenuation_end: f32,
    /// Colour.
    pub color: [f32; 3],
    /// Intensity.
    pub intensity: f32,
    /// Ambient colour.
    pub ambient_color: [f32; 3],
    /// Ambient intensity.
    pub ambient_intensity: f32,
    /// Whether it is on.
    pub visible: bool,
}

/// A camera at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraPose {
    /// Its position.
    pub position: Vec3,
    /// The point it looks at.
    pub target: Vec3,
    /// Its roll, in radians.
    pub roll: f32,
    /// Field of view, near and far clipping distance.
    pub lens: [f32; 3],
}

/// A model at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    /// The nodes, in the order of [`Model::nodes`](crate::Model::nodes).
    pub nodes: Vec<NodePose>,
    /// The geosets.
    pub geosets: Vec<GeosetPose>,
    /// The lights.
    pub lights: Vec<LightPose>,
    /// The cameras.
    pub cameras: Vec<CameraPose>,
}

/// Returns red, green, blue of a track, whose keys hold blue first.
fn from_bgr([b, g, r]: [f32; 3]) -> [f32; 3] {
    [r, g, b]
}

impl<'a> Player<'a> {
    /// Returns the model at a moment. Nodes that face the camera need a view; without one they keep their own rotation.
    pub fn pose(&self, moment: &Moment, view: Option<&View>) -> Pose {
        Pose {
            nodes: self.pose_nodes(moment, view, None),
            geosets: self.pose_geosets(moment),
            lights: self.pose_lights(moment),
            cameras: self.pose_cameras(moment),
        }
    }

    /// Returns the nodes at a moment, in the order of [`Model::nodes`](crate::Model::nodes). With `wanted`, the others are at rest;
    /// it must include the ancestors of the nodes it includes.
    pub(crate) fn pose_nodes(
        &self,
        moment: &Moment,
        view: Option<&View>,
        wanted: Option<&[bool]>,
    ) -> Vec<NodePose> {
        let still = NodePose {
            matrix: Mat4::IDENTITY,
            rotation: Quat::IDENTITY,
            scale: Vec3::ONE,
            position: Vec3::ZERO,
            visible: true,
        };
        let mut out = vec![still; self.nodes.len()];
        for index in &self.order {
            if wanted.is_some_and(|wanted| wanted.get(*index) != Some(&true)) {
                continue;
            }
            let Some((kind, number, node)) = self.nodes.get(*index) else { continue };
            let parent = self.parents.get(*index).copied().flatten();
            let parent = parent.and_then(|p| out.get(p)).copied().unwrap_or(still);
            let mut posed = self.pose_node(node, &parent, moment, view);
            posed.visible = self.is_visible(*kind, *number, moment);
            if let Some(slot) = out.get_mut(*index) {
                *slot = posed;
            }
        }
        out
    }

    fn pose_node(&self, node: &Node, parent: &NodePose, moment: &Moment, view: Option<&View>) -> NodePose {
        let pivot = self.pivot(node);
        let tracks = &node.tracks;
        let translation: Vec3 = self.value(tracks, b"KGTR", moment, [0.0; 3], [0.0; 3]).into();
        let rotation: [f32; 4] =
            self.value(tracks, b"KGRT", moment, [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]);
        let own = Quat::from_array(rotation);
        let own = if own.length_squared() > 0.0 { own.normalize() } else { Quat::IDENTITY };
        let mut scale: Vec3 = self.value(tracks, b"KGSC", moment, [1.0; 3], [1.0; 3]).into();
        let mut world_scale = parent.scale * scale;
        if node.has(node_flags::DONT_INHERIT_SCALING) {
            world_scale = scale;
            let safe = |p: f32| if p == 0.0 { 1.0 } else { p };
            scale /= parent.scale.map(safe);
        }
        let mut rotation = own;
        if node.has(node_flags::DONT_INHERIT_ROTATION) {
            rotation = parent.rotation.inverse() * own;
        }
        if let Some(view) = view {
            if node.has(node_flags::BILLBOARDED) {
                rotation = facing(parent, own, view);
            } else if let Some(lock) = lock(node) {
                rotation = turning(lock, parent, rotation, view);
                if lock == Vec3::X {
                    // As in the game, the other side of the plane is visible.
                    scale.z = -scale.z;
                }
            }
        }
        let local = Mat4::from_scale_rotation_translation(scale, rotation, translation + pivot)
            * Mat4::from_translation(-pivot);
        let mut matrix = parent.matrix * local;
        if node.has(node_flags::DONT_INHERIT_TRANSLATION) {
            let moved = pivot + translation - matrix.transform_point3(pivot);
            matrix = Mat4::from_translation(moved) * matrix;
        }
        NodePose {
            matrix,
            rotation: (parent.rotation * rotation).normalize(),
            scale: world_scale,
            position: matrix.transform_point3(pivot),
            visible: true,
        }
    }

    fn is_visible(&self, kind: NodeKind, index: usize, moment: &Moment) -> bool {
        let m = self.model;
        let tracks = match kind {
            NodeKind::Light => m.lights.get(index).map(|o| (&o.tracks, b"KLAV")),
            NodeKind::Attachment => m.attachments.get(index).map(|o| (&o.tracks, b"KATV")),
            NodeKind::ParticleEmitter => m.particle_emitters.get(index).map(|o| (&o.tracks, b"KPEV")),
            NodeKind::ParticleEmitter2 => m.particle_emitters2.get(index).map(|o| (&o.tracks, b"KP2V")),
            NodeKind::PopcornEmitter => m.popcorn_emitters.get(index).map(|o| (&o.tracks, b"KPPV")),
            NodeKind::RibbonEmitter => m.ribbon_emitters.get(index).map(|o| (&o.tracks, b"KRVS")),
            _ => None,
        };
        tracks.is_none_or(|(tracks, tag)| {
            let tag = if m.version.is_wow() { b"KVIS" } else { tag };
            self.value(tracks, tag, moment, 1.0, 1.0) > 0.0
        })
    }

    fn pose_geosets(&self, moment: &Moment) -> Vec<GeosetPose> {
        let finest = |g: &Geoset| GeosetPose { visible: g.lod <= 0, alpha: 1.0, color: [1.0; 3] };
        let mut out: Vec<GeosetPose> = self.model.geosets.iter().map(finest).collect();
        for anim in &self.model.geoset_anims {
            let found = usize::try_from(anim.geoset_id).ok().and_then(|id| out.get_mut(id));
            let Some(pose) = found else { continue };
            pose.alpha = self.value(&anim.tracks, b"KGAO", moment, anim.alpha, 1.0);
            pose.visible &= pose.alpha > 0.0;
            if anim.flags & 2 != 0 || self.model.version.is_wow() && anim.flags & 1 != 0 {
                let bgr = from_bgr(anim.color);
                pose.color = from_bgr(self.value(&anim.tracks, b"KGAC", moment, bgr, [1.0; 3]));
            }
        }
        out
    }

    fn pose_lights(&self, moment: &Moment) -> Vec<LightPose> {
        let lights = self.model.lights.iter().enumerate();
        lights
            .map(|(index, light)| {
                let t = &light.tracks;
                let float = |tag, fixed| self.value(t, tag, moment, fixed, fixed);
                let color = |tag, fixed| {
                    let bgr = from_bgr(fixed);
                    from_bgr(self.value(t, tag, moment, bgr, bgr))
                };
                LightPose {
                    attenuation_start: float(b"KLAS", light.attenuation_start),
                    attenuation_end: float(b"KLAE", light.attenuation_end),
                    color: color(b"KLAC", light.color),
                    intensity: float(b"KLAI", light.intensity),
                    ambient_color: color(b"KLBC", light.ambient_color),
                    ambient_intensity: float(b"KLBI", light.ambient_intensity),
                    visible: self.is_visible(NodeKind::Light, index, moment),
                }
            })
            .collect()
    }

    fn pose_cameras(&self, moment: &Moment) -> Vec<CameraPose> {
        let moved = |place: [f32; 3], by: [f32; 3]| Vec3::from(place) + Vec3::from(by);
        let cameras = self.model.cameras.iter();
        cameras
            .map(|c| CameraPose {
                position: moved(c.position, self.value(&c.tracks, b"KCTR", moment, [0.0; 3], [0.0; 3])),
                target: moved(c.target, self.value(&c.tracks, b"KTTR", moment, [0.0; 3], [0.0; 3])),
                roll: self.value(&c.tracks, b"KCRL", moment, 0.0, 0.0),
                lens: [c.field_of_view, c.near_clip, c.far_clip],
            })
            .collect()
    }

    /// Returns a layer at a moment: its texture, alpha and texture animation.
    pub fn layer(&self, layer: &Layer, moment: &Moment) -> LayerPose {
        let slot = layer.textures.first();
        let texture = slot.map_or(layer.texture_id, |s| s.texture_id);
        let tracks = slot.map_or(&layer.tracks, |s| &s.tracks);
        let id = self.value(tracks, b"KMTF", moment, texture as u32, texture as u32);
        let anim = usize::try_from(layer.texture_anim_id).ok().and_then(|i| self.model.texture_anims.get(i));
        let none = crate::Tracks::default();
        let moves = anim.map_or(&none, |a| &a.tracks);
        let still = [0.0, 0.0, 0.0, 1.0];
        LayerPose {
            texture: id as i32,
            alpha: self.value(&layer.tracks, b"KMTA", moment, layer.alpha, 1.0),
            translation: self.value(moves, b"KTAT", moment, [0.0; 3], [0.0; 3]),
            rotation: self.value(moves, b"KTAR", moment, still, still),
            scale: self.value(moves, b"KTAS", moment, [1.0; 3], [1.0; 3]),
        }
    }

    /// Returns the vertices and normals of a geoset in a pose, transformed by the mean of their group's matrices or by their skin
    /// weights. Vertices without a bone stay where they are.
    pub fn vertices(&self, geoset: &Geoset, pose: &Pose) -> Vec<([f32; 3], [f32; 3])> {
        let matrix = |id: u32| self.by_id.get(&id).and_then(|i| pose.nodes.get(*i)).map(|n| n.matrix);
        let mean = |weighted: &mut dyn Iterator<Item = (u32, f32)>| {
            let (mut sum, mut total) = (Mat4::ZERO, 0.0);
            for (matrix, weight) in weighted.filter_map(|(id, w)| Some((matrix(id)?, w))) {
                sum += matrix * weight;
                total += weight;
            }
            if total > 0.0 { sum * (1.0 / total) } else { Mat4::IDENTITY }
        };
        let groups: Vec<Mat4> =
            geoset.groups().map(|bones| mean(&mut bones.iter().map(|id| (*id, 1.0)))).collect();
        let normals = geoset.normals.iter().copied().chain(std::iter::repeat([0.0, 0.0, 1.0]));
        let vertices = geoset.vertices.iter().zip(normals).enumerate();
        vertices
            .map(|(index, (vertex, normal))| {
                let matrix = match geoset.skin.as_ref().and_then(|skin| skin.get(index)) {
                    Some(skin) => {
                        let weights = skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w > 0);
                        mean(&mut weights.map(|(b, w)| (u32::from(*b), f32::from(w) / 255.0)))
                    }
                    None => {
                        let group = geoset.vertex_groups.get(index).map_or(0, |g| usize::from(*g));
                        // The game uses the last group if the index is out of range.
                        groups.get(group).or(groups.last()).copied().unwrap_or(Mat4::IDENTITY)
                    }
                };
                let place = matrix.transform_point3((*vertex).into());
                let normal = matrix.transform_vector3(normal.into()).normalize_or_zero();
                (place.into(), normal.into())
            })
            .collect()
    }
}

/// Returns the rotation relative to the parent that makes a node face the camera. It cancels the parent's rotation, whether the
/// node inherits that or not.
fn facing(parent: &NodePose, own: Quat, view: &View) -> Quat {
    // A node faces along its x axis with z up, a camera looks along its z axis with y up.
    let basis = Quat::from_rotation_y(-FRAC_PI_2) * Quat::from_rotation_x(-FRAC_PI_2);
    parent.rotation.inverse() * view.rotation * basis * own
}

/// Returns the only axis about which a node turns to the camera, if there is one.
fn lock(node: &Node) -> Option<Vec3> {
    let locks = [
        (node_flags::BILLBOARDED_LOCK_X, Vec3::X),
        (node_flags::BILLBOARDED_LOCK_Y, Vec3::Y),
        (node_flags::BILLBOARDED_LOCK_Z, Vec3::Z),
    ];
    locks.into_iter().find(|(flag, _)| node.has(*flag)).map(|(_, axis)| axis)
}

/// Returns a rotation relative to the parent, turned about one of its axes towards the camera.
fn turning(axis: Vec3, parent: &NodePose, rotation: Quat, view: &View) -> Quat {
    let ray = (parent.rotation * rotation).inverse() * view.back();
    let angle = if axis == Vec3::X {
        libm::atan2f(ray.z, ray.y)
    } else if axis == Vec3::Y {
        libm::atan2f(-ray.z, ray.x)
    } else {
        libm::atan2f(ray.y, ray.x)
    };
    rotation * Quat::from_axis_angle(axis, angle)
}
