//! Collision shapes from the scene.

use galatea_scene::{Extras, Pose, Scene, Shape as SceneShape};
use glam::{Mat3, Vec3};

use crate::Shape;
use crate::scene::extra::ExtraValue;

/// Converts the shapes of a scene from the space of their nodes to that of the scene, relative to the nodes: the nodes of the format
/// are neither rotated nor scaled at rest.
pub(super) fn place_shapes(scene: &mut Scene) {
    if scene.nodes.iter().all(|n| n.shape.is_none()) {
        return;
    }
    let pose = Pose::rest(scene);
    for (node, world) in scene.nodes.iter_mut().zip(&pose.world) {
        node.shape = node.shape.map(|shape| moved(&shape, Mat3::from_mat4(*world)));
    }
}

/// Returns a shape rotated and scaled.
pub(super) fn moved(shape: &SceneShape, by: Mat3) -> SceneShape {
    if by == Mat3::IDENTITY {
        return *shape;
    }
    let scale = by.determinant().abs().cbrt();
    match *shape {
        SceneShape::Box { min: [a, b, c], max: [d, e, f] } => {
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for x in [a, d] {
                for y in [b, e] {
                    for z in [c, f] {
                        let corner = by * Vec3::new(x, y, z);
                        (low, high) = (low.min(corner), high.max(corner));
                    }
                }
            }
            SceneShape::Box { min: low.into(), max: high.into() }
        }
        SceneShape::Sphere { center, radius } => {
            SceneShape::Sphere { center: (by * Vec3::from(center)).into(), radius: radius * scale }
        }
        SceneShape::Cylinder { from, to, radius } => SceneShape::Cylinder {
            from: (by * Vec3::from(from)).into(),
            to: (by * Vec3::from(to)).into(),
            radius: radius * scale,
        },
        SceneShape::Plane { size } => SceneShape::Plane { size: size.map(|s| s * scale) },
    }
}

/// Returns a shape of the scene as one of the format.
pub(super) fn native_shape(shape: &SceneShape, map: &Extras) -> Shape {
    match (*shape, map.text("form")) {
        (SceneShape::Box { min, max }, Some("plane_points")) => Shape::PlanePoints { points: [min, max] },
        (SceneShape::Box { min, max }, _) => Shape::Box { corners: [min, max] },
        (SceneShape::Sphere { center, radius }, _) => Shape::Sphere { center, radius },
        (SceneShape::Cylinder { from, to, radius }, Some("cylinder")) => {
            let ([_, _, z], [_, _, top]) = (from, to);
            let stored = map.get("height").and_then(f32::read).filter(|h| (z + h).same(&top));
            Shape::Cylinder { base: from, height: stored.unwrap_or(top - z), radius }
        }
        (SceneShape::Cylinder { from, to, radius }, _) => {
            Shape::CylinderPoints { points: [from, to], radius }
        }
        (SceneShape::Plane { size: [length, width] }, _) => Shape::Plane { length, width },
    }
}
