//! What is below the pointer.

use galatea::preview::{Camera, View};
use galatea::scene::{Frame, NodeId, Scene};
use glam::Vec3;

/// A ray through a place of the viewport.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub from: [f32; 3],
    /// Its direction, of unit length.
    pub along: [f32; 3],
}

impl Ray {
    /// Returns the ray through a place of a view: across and down, from 0 to 1, in a viewport `aspect` times as wide as high.
    pub fn through(view: &View, aspect: f64, across: f32, down: f32) -> Ray {
        let camera = Camera::looking(view, aspect);
        let [right, up, back] = camera.axes().map(|axis| Vec3::from(axis.map(|v| v as f32)));
        let [half_x, half_y] = camera.half().map(|v| v as f32);
        let (x, y) = ((across * 2.0 - 1.0) * half_x, (1.0 - down * 2.0) * half_y);
        Ray { from: view.eye, along: (right * x + up * y - back).normalize_or(-back).into() }
    }
}

/// What a ray meets first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The number of the surface in the frame.
    pub surface: usize,
    /// Its node.
    pub node: NodeId,
    /// The number of the triangle among those of the primitive.
    pub triangle: usize,
    /// The indices of its vertices.
    pub corners: [u32; 3],
    /// Shares of the corners in the place that is met.
    pub weights: [f32; 3],
    /// The place.
    pub place: [f32; 3],
    /// Its distance.
    pub distance: f32,
}

/// Returns the triangle of a frame that a ray meets first, from either side; `None` if it meets none.
pub fn pick(scene: &Scene, frame: &Frame, ray: &Ray) -> Option<Hit> {
    let (from, along) = (Vec3::from(ray.from), Vec3::from(ray.along));
    let mut best: Option<Hit> = None;
    for (number, surface) in frame.surfaces.iter().enumerate() {
        let Some(primitive) = surface.primitive(scene) else { continue };
        let places = &surface.deformed.positions;
        let place = |i: u32| places.get(i as usize).map_or(Vec3::NAN, |place| Vec3::from(*place));
        for (triangle, corners) in primitive.triangles(places.len()).enumerate() {
            let [a, b, c] = corners.map(place);
            let (first, second) = (b - a, c - a);
            let across = along.cross(second);
            let size = first.dot(across);
            if size == 0.0 || !size.is_finite() {
                continue;
            }
            let away = from - a;
            let u = away.dot(across) / size;
            let over = away.cross(first);
            let v = along.dot(over) / size;
            let distance = second.dot(over) / size;
            let nearer = best.is_none_or(|best| distance < best.distance);
            if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0 && nearer {
                best = Some(Hit {
                    surface: number,
                    node: surface.node,
                    triangle,
                    corners,
                    weights: [1.0 - u - v, u, v],
                    place: (from + along * distance).into(),
                    distance,
                });
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use galatea::preview::{self, Options};
    use galatea::scene::{Instant, Performance, PlainPerformance, Shown, example};

    use super::*;

    #[test]
    fn the_pointer_meets_what_the_image_shows() {
        let scene = example();
        let at = Instant::new(None, 0.0, [0.0, 0.0, 0.0, 1.0]);
        let frame = PlainPerformance.frame(&scene, &at, &Shown::default());
        let look = Options::default().with_size(64, 48).with_background([0; 4]).with_samples(1);
        let view = preview::frame_view(&scene, &frame, &look);
        let look = look.with_view(Some(view));
        let image = preview::render_frame(&scene, &frame, &look, &|_| None).unwrap();
        let camera = Camera::looking(&view, 64.0 / 48.0);
        let (mut hits, mut wrong) = (0, 0);
        for y in 0..48 {
            for x in 0..64 {
                let (across, down) = ((x as f32 + 0.5) / 64.0, (y as f32 + 0.5) / 48.0);
                let hit = pick(&scene, &frame, &Ray::through(&view, 64.0 / 48.0, across, down));
                let drawn = image.get(x, y).unwrap()[3] > 0;
                // Back faces are met, too, and culled in the image.
                wrong += usize::from(drawn && hit.is_none());
                if let Some(hit) = hit {
                    hits += 1;
                    let [px, py, w] = camera.clip(hit.place);
                    assert!((px / w * 0.5 + 0.5 - f64::from(across)).abs() < 1e-3);
                    assert!((0.5 - py / w * 0.5 - f64::from(down)).abs() < 1e-3);
                    assert!((hit.weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                    assert_eq!(frame.surfaces[hit.surface].node, hit.node);
                }
            }
        }
        assert!(hits > 100 && wrong == 0, "{hits} hits, {wrong} drawn and not met");
    }
}
