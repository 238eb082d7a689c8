//! The camera: framed by the bounding box of the model.

use galatea_scene::Bounds;
use glam::Vec3;

use crate::View;

/// Half the field of view is 15 degrees.
const TAN: f64 = 0.267_949_192_431_122_7;
/// Margin around the model.
const MARGIN: f64 = 1.06;

/// Returns sine and cosine of an angle in degrees, or of 0 if it is not finite. They come from libm instead of the platform,
/// so that the bits are the same on every machine.
pub(crate) fn sin_cos(degrees: f64) -> (f64, f64) {
    let turn = if degrees.is_finite() { degrees.rem_euclid(360.0) } else { 0.0 };
    libm::sincos(turn.to_radians())
}

/// The camera of an image: what [`render_frame`](crate::render_frame) sees through, for other painters.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    right: [f64; 3],
    up: [f64; 3],
    back: [f64; 3],
    target: [f64; 3],
    distance: f64,
    /// Half the width and height of the image plane at distance 1.
    half: [f64; 2],
    near: f64,
}

/// Returns the axes of a camera `yaw` degrees to the right of `front` and `pitch` degrees from above: right, up, towards the viewer.
fn directions(front: [f32; 3], yaw: f64, pitch: f64) -> [[f64; 3]; 3] {
    let ((sy, cy), (sp, cp)) = (sin_cos(yaw), sin_cos(pitch));
    // Sine and cosine of the angle of the front; a front that points up or down has none.
    let [fx, _, fz] = front.map(f64::from);
    let length = (fx * fx + fz * fz).sqrt();
    let (sf, cf) = if length > 1e-3 { (fx / length, fz / length) } else { (0.0, 1.0) };
    let (sy, cy) = (sy * cf + cy * sf, cy * cf - sy * sf);
    [[cy, 0.0, -sy], [-sy * sp, cp, -cy * sp], [sy * cp, sp, cy * cp]]
}

/// Returns the rotation of a camera that frames a model from a direction, as a quaternion x, y, z, w.
pub(crate) fn rotation(front: [f32; 3], yaw: f64, pitch: f64) -> [f32; 4] {
    quaternion(directions(front, yaw, pitch))
}

/// Returns the rotation of a view as a quaternion x, y, z, w.
pub(crate) fn view_rotation(view: &View) -> [f32; 4] {
    quaternion(look(view))
}

fn quaternion(axes: [[f64; 3]; 3]) -> [f32; 4] {
    let [right, up, back] = axes.map(|v| Vec3::from(v.map(|x| x as f32)));
    glam::Quat::from_mat3(&glam::Mat3::from_cols(right, up, back)).to_array()
}

/// Returns the axes of a view: right, up, towards the viewer.
fn look(view: &View) -> [[f64; 3]; 3] {
    let (eye, target, up) = (Vec3::from(view.eye), Vec3::from(view.target), Vec3::from(view.up));
    let back = (eye - target).normalize_or(Vec3::Z);
    let right = up.cross(back).normalize_or(back.any_orthonormal_vector());
    [right, back.cross(right), back].map(|v| v.to_array().map(f64::from))
}

fn dot([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> f64 {
    a * x + b * y + c * z
}

impl Camera {
    /// Returns a camera that looks at the center of a box, `yaw` degrees to the right of `front` and `pitch` degrees from above.
    /// The box is inside the image; with `around`, also while it rotates.
    pub(crate) fn framing(
        bounds: Bounds,
        front: [f32; 3],
        yaw: f64,
        pitch: f64,
        aspect: f64,
        around: bool,
    ) -> Camera {
        let [right, up, back] = directions(front, yaw, pitch);
        let (min, max) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
        let mut target = [0.0; 3];
        let mut half = [0.0; 3];
        for ((t, h), (low, high)) in target.iter_mut().zip(&mut half).zip(min.iter().zip(max)) {
            *t = low * 0.5 + high * 0.5;
            *h = (high - low) * 0.5;
        }
        let plane = if aspect >= 1.0 { [TAN * aspect, TAN] } else { [TAN, TAN / aspect] };
        let radius = dot(half, half).sqrt();
        let mut distance: f64 = 0.0;
        if around {
            // The bounding sphere of the box, fitted into the smaller of the two angles.
            let tan = plane[0].min(plane[1]);
            distance = radius * (1.0 + tan * tan).sqrt() / tan;
        } else {
            for corner in 0..8u32 {
                let mut place = half;
                for (axis, value) in (0u32..).zip(&mut place) {
                    if corner >> axis & 1 == 0 {
                        *value = -*value;
                    }
                }
                let (x, y, z) = (dot(place, right), dot(place, up), dot(place, back));
                distance = distance.max(x.abs() / plane[0] + z).max(y.abs() / plane[1] + z);
            }
        }
        // A model without extent is viewed from a distance of one unit.
        let distance = if distance > 0.0 { distance * MARGIN } else { 1.0 };
        let near = (distance - radius * 1.5).max(distance * 1e-3);
        Camera { right, up, back, target, distance, half: plane, near }
    }

    /// Returns the camera of a view, for an image that is `aspect` times as wide as high. It shows the field of view vertically, or across
    /// if the image is higher than wide.
    pub fn looking(view: &View, aspect: f64) -> Camera {
        let [right, up, back] = look(view);
        let far = Vec3::from(view.eye).distance(Vec3::from(view.target));
        let angle = f64::from(view.field_of_view).clamp(1.0, 170.0).to_radians();
        let tan = libm::tan(angle / 2.0);
        let half = if aspect >= 1.0 { [tan * aspect, tan] } else { [tan, tan / aspect] };
        let distance = if far.is_finite() && far > 0.0 { f64::from(far) } else { 1.0 };
        let target = view.target.map(f64::from);
        Camera { right, up, back, target, distance, half, near: distance * 1e-2 }
    }

    /// Returns the clip coordinates x, y and w of a point: the image is from -w to w in both directions, and w is the distance along the
    /// view.
    pub fn clip(&self, place: [f32; 3]) -> [f64; 3] {
        let mut relative = place.map(f64::from);
        for (value, target) in relative.iter_mut().zip(self.target) {
            *value -= target;
        }
        let w = self.distance - dot(relative, self.back);
        [dot(relative, self.right) / self.half[0], dot(relative, self.up) / self.half[1], w]
    }

    /// Returns the distance along the view in front of which nothing is drawn.
    pub fn near(&self) -> f64 {
        self.near
    }

    /// Returns the point that it looks at.
    pub fn target(&self) -> [f64; 3] {
        self.target
    }

    /// Returns the distance of the point that it looks at.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// Returns the view for other programs.
    pub fn view(&self) -> View {
        let [_, tall] = self.half;
        let narrow = |v: [f64; 3]| v.map(|c| c as f32);
        View {
            eye: narrow(self.eye()),
            target: narrow(self.target),
            up: narrow(self.up),
            field_of_view: 2.0 * libm::atan(tall).to_degrees() as f32,
        }
    }

    /// Returns half the width and height of the image plane at distance 1.
    pub fn half(&self) -> [f64; 2] {
        self.half
    }

    /// Returns the position of the camera.
    pub fn eye(&self) -> [f64; 3] {
        let mut eye = self.target;
        for (value, back) in eye.iter_mut().zip(self.back) {
            *value += back * self.distance;
        }
        eye
    }

    /// Returns the axes of the image: right, up, towards the viewer.
    pub fn axes(&self) -> [[f64; 3]; 3] {
        [self.right, self.up, self.back]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_the_platform_to_the_last_digits() {
        for degrees in -720..720 {
            let (sin, cos) = sin_cos(f64::from(degrees) * 0.7);
            let (s, c) = (f64::from(degrees) * 0.7).to_radians().sin_cos();
            assert!((sin - s).abs() < 1e-14 && (cos - c).abs() < 1e-14, "{degrees}");
        }
    }

    #[test]
    fn the_whole_box_is_in_the_image() {
        let bounds = Bounds { min: [-3.0, 0.0, -1.0], max: [5.0, 9.0, 2.0] };
        for (yaw, around) in [(0.0, false), (35.0, false), (200.0, true), (77.0, true)] {
            let camera = Camera::framing(bounds, [0.6, 0.0, -0.8], yaw, 20.0, 1.5, around);
            for corner in 0..8 {
                let pick =
                    |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
                let [x, y, w] = camera.clip([pick(0), pick(1), pick(2)]);
                assert!(w > camera.near() && x.abs() <= w && y.abs() <= w, "{yaw} {corner}");
            }
        }
    }
}
