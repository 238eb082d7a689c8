//! Nodes of the scene at rest, in the axes and units of the format.
//!
//! Nodes of the format are neither rotated nor scaled at rest. Nodes of other scenes may be, so their channels are converted to
//! those of a node that is not.

use galatea_scene::{Channel, Interpolation, Property, Scene, Transform};
use glam::{Mat3, Mat4, Quat, Vec3};

use crate::Version;
use crate::scene::{AXES, unit};

/// A node at rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Whether neither the node nor its ancestors are rotated or scaled.
    pub(super) plain: bool,
    /// Whether its ancestors are neither rotated nor scaled.
    pub(super) straight: bool,
    /// The rotation of its ancestors.
    rotation: Quat,
    /// The scale of its ancestors.
    scale: f32,
    /// Its transform relative to its parent.
    rest: Transform,
}

impl Default for Frame {
    fn default() -> Self {
        Frame {
            plain: true,
            straight: true,
            rotation: Quat::IDENTITY,
            scale: 1.0,
            rest: Transform::default(),
        }
    }
}

impl Frame {
    /// Returns the values of a channel for a node that is neither rotated nor scaled at rest; `None` if they do not change.
    pub(super) fn convert(&self, channel: &Channel) -> Option<Vec<f32>> {
        let galatea_scene::Target::Node(_) = channel.target else { return None };
        if self.plain {
            return None;
        }
        let cubic = channel.interpolation == Interpolation::Cubic;
        // Of the three parts of a cubic key, the middle one is the value.
        let is_value = |i: usize| !cubic || i % 3 == 1;
        match channel.property {
            Property::Translation => {
                let rest = Vec3::from(self.rest.translation);
                let rows = channel.values.as_chunks::<3>().0.iter().enumerate();
                let moved = rows.map(|(i, v)| {
                    let v = Vec3::from(*v) - if is_value(i) { rest } else { Vec3::ZERO };
                    (self.rotation * (v * self.scale)).to_array()
                });
                Some(moved.collect::<Vec<_>>().into_flattened())
            }
            Property::Rotation => {
                let own =
                    Quat::from_array(self.rest.rotation).normalize().inverse() * self.rotation.inverse();
                let rows = channel.values.as_chunks::<4>().0.iter();
                let turned =
                    rows.map(|q| (product(product(self.rotation, Quat::from_array(*q)), own)).to_array());
                Some(turned.collect::<Vec<_>>().into_flattened())
            }
            Property::Scale => {
                let own = Vec3::from(self.rest.scale).map(|s| if s == 0.0 { 1.0 } else { s });
                let rows = channel.values.as_chunks::<3>().0.iter();
                Some(rows.map(|v| (Vec3::from(*v) / own).to_array()).collect::<Vec<_>>().into_flattened())
            }
            _ => None,
        }
    }
}

/// Returns the product of two quaternions, which need not be normalised.
fn product(a: Quat, b: Quat) -> Quat {
    let (av, bv) = (a.xyz(), b.xyz());
    let v = bv * a.w + av * b.w + av.cross(bv);
    Quat::from_xyzw(v.x, v.y, v.z, a.w * b.w - av.dot(bv))
}

/// All nodes at rest.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Whether the scene's axes are the format's.
    pub(super) own_axes: bool,
    /// Rotates and scales from the scene's axes and units to the format's.
    pub(super) to_format: Mat3,
    list: Vec<Frame>,
    matrices: Vec<Mat4>,
}

impl Frames {
    pub(super) fn new(scene: &Scene, version: Version) -> Self {
        let axes = scene.axes().and_then(|id| scene.node(id)).map(|n| n.transform);
        let mine = Transform { rotation: AXES, scale: [unit(version); 3], ..Transform::default() };
        let own_axes = axes.is_some_and(|axes| axes.matrix().abs_diff_eq(mine.matrix(), 1e-6));
        let count = scene.nodes.len();
        let to_format = mine.matrix().inverse();
        let mut frames = Frames {
            own_axes,
            to_format: Mat3::from_mat4(to_format),
            list: vec![Frame::default(); count],
            matrices: vec![Mat4::IDENTITY; count],
        };
        for id in scene.depth_first() {
            let Some(node) = scene.node(id) else { continue };
            if own_axes && node.axes {
                continue;
            }
            let above = match node.parent {
                Some(parent) => frames.matrix(parent),
                None => {
                    if own_axes {
                        Mat4::IDENTITY
                    } else {
                        to_format
                    }
                }
            };
            let (scale, rotation, _) = above.to_scale_rotation_translation();
            let rest = node.transform;
            let straight = |m: &Mat4| {
                let linear = glam::Mat3::from_mat4(*m);
                linear.abs_diff_eq(glam::Mat3::IDENTITY, 1e-7)
            };
            let own_still = rest.rotation == [0.0, 0.0, 0.0, 1.0] && rest.scale == [1.0; 3];
            let frame = Frame {
                plain: straight(&above) && own_still,
                straight: straight(&above),
                rotation,
                scale: (scale.x * scale.y * scale.z).abs().cbrt(),
                rest,
            };
            if let (Some(slot), Some(matrix)) =
                (frames.list.get_mut(id as usize), frames.matrices.get_mut(id as usize))
            {
                *slot = frame;
                *matrix = above * rest.matrix();
            }
        }
        frames
    }

    pub(super) fn of(&self, node: u32) -> Frame {
        self.list.get(node as usize).copied().unwrap_or_default()
    }

    /// Returns the transform from the space of a node at rest to that of the model.
    pub(super) fn matrix(&self, node: u32) -> Mat4 {
        self.matrices.get(node as usize).copied().unwrap_or(Mat4::IDENTITY)
    }
}
