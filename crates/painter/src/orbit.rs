//! A camera that is moved around a model by hand.

use galatea::preview::View;
use galatea::scene::Bounds;
use glam::{Mat3, Vec2, Vec3};

/// The vertical field of view in degrees: that of `render`.
const FIELD: f32 = 30.0;
/// Greatest angle above and below the horizon, in degrees.
const STEEP: f32 = 89.5;
/// Margin around what is framed.
const MARGIN: f32 = 1.06;

/// A camera that looks at a point from a distance. It stays upright.
///
/// ```
/// use galatea::scene::Bounds;
/// use galatea_painter::Orbit;
/// let mut orbit = Orbit::default();
/// orbit.frame(Bounds { min: [-1.0, 0.0, -1.0], max: [1.0, 2.0, 1.0] }, [0.0, 0.0, 1.0], 1.5);
/// assert_eq!(orbit.target, [0.0, 1.0, 0.0]);
/// let before = orbit.distance;
/// orbit.zoom(1.0, None);
/// assert!(orbit.distance < before);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orbit {
    /// The point that it looks at.
    pub target: [f32; 3],
    /// Degrees to the right of the model's front.
    pub yaw: f32,
    /// Degrees above the horizon.
    pub pitch: f32,
    /// Distance from the point.
    pub distance: f32,
    /// Vertical field of view in degrees; across where the viewport is higher than wide.
    pub field_of_view: f32,
}

impl Default for Orbit {
    fn default() -> Self {
        Orbit { target: [0.0; 3], yaw: 35.0, pitch: 20.0, distance: 4.0, field_of_view: FIELD }
    }
}

impl Orbit {
    /// Returns the axes of the image: right, up, towards the viewer. `front` is that of the scene.
    fn axes(&self, front: [f32; 3]) -> Mat3 {
        // A front that points up or down has no direction over the ground, as in `render`.
        let flat = Vec2::new(front[0], front[2]);
        let flat = if flat.length() > 1e-3 { flat.normalize() } else { Vec2::Y };
        let (yaw, pitch) = (self.yaw.to_radians() + flat.x.atan2(flat.y), self.pitch.to_radians());
        let ((sy, cy), (sp, cp)) = (yaw.sin_cos(), pitch.sin_cos());
        Mat3::from_cols(
            Vec3::new(cy, 0.0, -sy),
            Vec3::new(-sy * sp, cp, -cy * sp),
            Vec3::new(sy * cp, sp, cy * cp),
        )
    }

    /// Returns the view for a drawing. `front` is that of the scene.
    pub fn view(&self, front: [f32; 3]) -> View {
        let axes = self.axes(front);
        let target = Vec3::from(self.target);
        let eye = target + axes.z_axis * self.distance;
        View::new(eye.into(), target.into(), axes.y_axis.into(), self.field_of_view)
    }

    /// Turns it by a movement of the pointer, in parts of the viewport's height: all of it is half a turn.
    pub fn turn(&mut self, across: f32, down: f32) {
        self.yaw = (self.yaw - across * 180.0).rem_euclid(360.0);
        self.pitch = (self.pitch + down * 180.0).clamp(-STEEP, STEEP);
    }

    /// Moves it such that the point it looks at stays below the pointer, which moved by parts of the viewport's height.
    pub fn pan(&mut self, front: [f32; 3], across: f32, down: f32) {
        let axes = self.axes(front);
        let height = 2.0 * self.distance * (self.field_of_view.to_radians() * 0.5).tan();
        let moved = axes.y_axis * (down * height) - axes.x_axis * (across * height);
        self.target = (Vec3::from(self.target) + moved).into();
    }

    /// Comes closer by steps of a wheel, or goes away. With a point, what is there stays in its place of the image.
    pub fn zoom(&mut self, steps: f32, around: Option<[f32; 3]>) {
        let factor = 0.85f32.powf(steps.clamp(-20.0, 20.0));
        let distance = (self.distance * factor).clamp(1e-4, 1e7);
        let share = distance / self.distance;
        if let Some(point) = around.map(Vec3::from).filter(|point| point.is_finite()) {
            let target = Vec3::from(self.target);
            self.target = (point + (target - point) * share).into();
        }
        self.distance = distance;
    }

    /// Shows a box as a whole, from the same side.
    pub fn frame(&mut self, bounds: Bounds, front: [f32; 3], aspect: f32) {
        let axes = self.axes(front);
        let half = (Vec3::from(bounds.max) - Vec3::from(bounds.min)) * 0.5;
        if !half.is_finite() || !aspect.is_finite() || aspect <= 0.0 {
            return;
        }
        let tan = (self.field_of_view.to_radians() * 0.5).tan();
        let plane = if aspect >= 1.0 { Vec2::new(tan * aspect, tan) } else { Vec2::new(tan, tan / aspect) };
        let mut distance = 0.0f32;
        for corner in 0..8u32 {
            let sign = |axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let place = half * Vec3::new(sign(0), sign(1), sign(2));
            let (x, y, z) = (place.dot(axes.x_axis), place.dot(axes.y_axis), place.dot(axes.z_axis));
            distance = distance.max(x.abs() / plane.x + z).max(y.abs() / plane.y + z);
        }
        self.target = bounds.center();
        self.distance = if distance > 0.0 { distance * MARGIN } else { 1.0 };
    }
}

#[cfg(test)]
mod tests {
    use galatea::preview::{self, Camera, Options};
    use galatea::scene::{Instant, Performance, PlainPerformance, Pose, Shown, example};

    use super::*;

    fn near(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-4 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn it_frames_a_model_as_render_does() {
        let mut scene = example();
        for (front, yaw, pitch, width, height) in [
            ([0.0, 0.0, 1.0], 35.0, 20.0, 512, 512),
            ([1.0, 0.0, 0.0], -60.0, 5.0, 800, 400),
            ([0.0, 0.0, -1.0], 200.0, -40.0, 300, 500),
        ] {
            scene.set_front(front);
            let look = Options::default().with_size(width, height).with_yaw(yaw).with_pitch(pitch);
            let at = preview::instant(&scene, &look).unwrap();
            let frame = PlainPerformance.frame(&scene, &at, &Shown::default());
            let theirs = preview::frame_view(&scene, &frame, &look);
            let mut orbit = Orbit { yaw, pitch, ..Orbit::default() };
            orbit.frame(preview::frame_bounds(&scene, &frame), scene.front(), width as f32 / height as f32);
            let ours = orbit.view(scene.front());
            let all = [(ours.eye, theirs.eye), (ours.target, theirs.target), (ours.up, theirs.up)];
            for (ours, theirs) in all {
                assert!(
                    ours.iter().zip(theirs).filter(|(a, b)| near(**a, *b)).count() >= 2
                        && (Vec3::from(ours) - Vec3::from(theirs)).length() < 0.02,
                    "{ours:?} {theirs:?}"
                );
            }
        }
        let _ = (Pose::rest(&scene), Instant::new(None, 0.0, [0.0, 0.0, 0.0, 1.0]));
    }

    #[test]
    fn what_is_below_the_pointer_stays_there() {
        let front = [0.0, 0.0, 1.0];
        let mut orbit = Orbit { target: [1.0, 2.0, 3.0], ..Orbit::default() };
        let seen = |orbit: &Orbit, place: [f32; 3]| {
            let [x, y, w] = Camera::looking(&orbit.view(front), 1.0).clip(place);
            [(x / w) as f32, (y / w) as f32]
        };
        let point = [1.3, 2.2, 2.9];
        let [x, y] = seen(&orbit, point);
        orbit.zoom(3.0, Some(point));
        let [after_x, after_y] = seen(&orbit, point);
        assert!(near(x, after_x) && near(y, after_y), "{x} {y}, {after_x} {after_y}");
        // Half the viewport to the right and a quarter down.
        let target = orbit.target;
        orbit.pan(front, 0.5, 0.25);
        let [x, y] = seen(&orbit, target);
        assert!(near(x, 1.0) && near(y, -0.5), "{x} {y}");
    }

    #[test]
    fn it_never_turns_over() {
        let mut orbit = Orbit::default();
        orbit.turn(0.25, 5.0);
        assert_eq!((orbit.yaw, orbit.pitch), (350.0, STEEP));
        orbit.turn(0.0, -50.0);
        assert_eq!(orbit.pitch, -STEEP);
        assert!(orbit.view([0.0, 0.0, 1.0]).eye.iter().all(|v| v.is_finite()));
    }
}
