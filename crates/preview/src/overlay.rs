//! What is drawn over and below a scene: lines, dots, bones, boxes, markers and the ground, for any painter. Colors are in linear light.

use galatea_scene::{Bounds, Frame, Marker, MarkerKind, NodeId, Scene};

use crate::draw::Painter;
use crate::raster::{Corner, Paint};
use crate::style::Blend;
use crate::texture::linear;
use crate::{Camera, Stroke};

impl Painter<'_> {
    /// Draws a line of a width in pixels, slightly in front of the surface it is on, or on top of everything.
    pub(crate) fn line(&mut self, from: [f32; 3], to: [f32; 3], colour: [f32; 4], width: f64, on_top: bool) {
        let near = self.camera.near();
        let (mut a, mut b) = (self.camera.clip(from), self.camera.clip(to));
        if a.iter().chain(&b).any(|v| !v.is_finite()) || (a[2] < near && b[2] < near) {
            return;
        }
        // Clipped at the near plane, so that both ends can be projected.
        let (from, to) = (a, b);
        for (end, other) in [(&mut a, to), (&mut b, from)] {
            if end[2] < near {
                let t = (near - end[2]) / (other[2] - end[2]);
                for (value, other) in end.iter_mut().zip(other) {
                    *value += (other - *value) * t;
                }
            }
        }
        let (ax, ay, bx, by) = (a[0] / a[2], a[1] / a[2], b[0] / b[2], b[1] / b[2]);
        let (dx, dy) = (bx - ax, by - ay);
        let length = (dx * dx + dy * dy).sqrt();
        if length == 0.0 {
            return;
        }
        let (nx, ny) = (-dy / length * width * self.pixel, dx / length * width * self.pixel);
        self.quad([(a, [nx, ny]), (a, [-nx, -ny]), (b, [-nx, -ny]), (b, [nx, ny])], colour, on_top);
    }

    /// Draws a quad from four points, each offset in the image plane and moved slightly towards the viewer.
    fn quad(&mut self, corners: [([f64; 3], [f64; 2]); 4], colour: [f32; 4], on_top: bool) {
        let near = self.camera.near();
        let closer = 1.0 - 2e-3;
        let [p, q, r, s] = corners.map(|([x, y, w], [dx, dy])| {
            let values = [1.0, 1.0, 1.0, colour[0], colour[1], colour[2], colour[3], 0.0, 0.0, 0.0, 0.0];
            Corner { clip: [(x / w + dx) * w * closer, (y / w + dy) * w * closer, w * closer], values }
        });
        let paint = Paint { on_top, ..Paint::PLAIN };
        self.raster.triangle([p, q, r], paint, false, near * 0.5);
        self.raster.triangle([p, r, s], paint, false, near * 0.5);
    }

    /// Draws lines from point to point with round joints, or a dot.
    pub(crate) fn stroke(&mut self, stroke: &Stroke) {
        let [r, g, b] = stroke.colour.map(linear);
        let (colour, width) = ([r, g, b, 1.0], f64::from(stroke.width));
        for (from, to) in stroke.points.iter().zip(stroke.points.iter().skip(1)) {
            self.line(*from, *to, colour, width, stroke.on_top);
        }
        for point in &stroke.points {
            self.dot(*point, colour, width, stroke.on_top);
        }
    }

    fn dot(&mut self, place: [f32; 3], colour: [f32; 4], width: f64, on_top: bool) {
        let at = self.camera.clip(place);
        if at.iter().any(|v| !v.is_finite()) || at[2] < self.camera.near() {
            return;
        }
        // An octagon of two quads; its inner radius is half the width of the line.
        let size = width * self.pixel;
        let (far, near) = (1.082 * size, 0.414 * 1.082 * size);
        let ring = |x: f64, y: f64| (at, [x, y]);
        self.quad([ring(-far, -near), ring(far, -near), ring(far, near), ring(-far, near)], colour, on_top);
        self.quad([ring(-near, -far), ring(near, -far), ring(near, far), ring(-near, far)], colour, on_top);
        let slant = 0.766 * size;
        self.quad(
            [ring(-slant, -slant), ring(slant, -slant), ring(slant, slant), ring(-slant, slant)],
            colour,
            on_top,
        );
    }

    /// Draws bones from joint to joint; without skins, all nodes.
    pub(crate) fn skeleton(&mut self) {
        for [from, to] in bones(self.scene, self.frame) {
            self.line(from, to, BONE, BONE_WIDTH.into(), true);
        }
    }

    pub(crate) fn bounds(&mut self, bounds: Bounds) {
        for [from, to] in edges(bounds) {
            self.line(from, to, BOX, BOX_WIDTH.into(), false);
        }
    }

    /// Draws the edges of the triangles that belong to nodes.
    pub(crate) fn selected(&mut self, nodes: &[NodeId]) {
        for surface in self.frame.surfaces.iter().filter(|surface| nodes.contains(&surface.node)) {
            let Some(primitive) = surface.primitive(self.scene) else { continue };
            let places = &surface.deformed.positions;
            let place = |i: u32| places.get(i as usize).copied().unwrap_or_default();
            for [a, b, c] in primitive.triangles(places.len()) {
                for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from < to) {
                    self.line(place(from), place(to), SELECTED, 1.0, false);
                }
            }
        }
    }

    /// Draws a sign at a place: a small cross with a dot, in the color of its kind.
    pub(crate) fn marker(&mut self, marker: &Marker) {
        let color = marker_color(marker.kind);
        let at = self.camera.clip(marker.place);
        if at.iter().any(|v| !v.is_finite()) || at[2] < self.camera.near() {
            return;
        }
        let (long, thin) = (9.0 * self.pixel, 1.6 * self.pixel);
        let corner = |x: f64, y: f64| (at, [x, y]);
        for [x, y] in [[long, thin], [thin, long]] {
            self.quad([corner(-x, -y), corner(x, -y), corner(x, y), corner(-x, y)], color, true);
        }
        self.dot(marker.place, color, 3.5, true);
    }

    /// Draws a soft shadow on the ground.
    pub(crate) fn ground(&mut self) {
        for quad in ground(self.scene, self.frame, &self.camera) {
            let [p, q, r, s] = quad.map(|(place, dark)| {
                let values = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, dark, 0.0, 0.0, 0.0, 0.0];
                Corner { clip: self.camera.clip(place), values }
            });
            let paint = Paint { blend: Blend::Alpha, ..Paint::PLAIN };
            self.raster.triangle([p, q, r], paint, false, self.camera.near());
            self.raster.triangle([p, r, s], paint, false, self.camera.near());
        }
        self.below = self.raster.len();
    }
}

/// Color of bones.
pub const BONE: [f32; 4] = [1.0, 0.55, 0.05, 1.0];
/// Width of bones in pixels.
pub const BONE_WIDTH: f32 = 1.6;
/// Color of the box around a model.
pub const BOX: [f32; 4] = [0.1, 0.7, 0.9, 1.0];
/// Width of its edges in pixels.
pub const BOX_WIDTH: f32 = 1.2;
/// Color of the edges of all triangles.
pub const WIRE: [f32; 4] = [0.02, 0.02, 0.02, 1.0];
/// Color of the edges of what is selected.
pub const SELECTED: [f32; 4] = [1.0, 0.35, 0.02, 1.0];

/// Returns the color of a marker.
pub fn marker_color(kind: MarkerKind) -> [f32; 4] {
    match kind {
        MarkerKind::Model => [0.9, 0.35, 0.05, 1.0],
        MarkerKind::Effect => [0.6, 0.1, 0.8, 1.0],
        _ => [0.15, 0.6, 0.15, 1.0],
    }
}

/// Returns the bones from joint to joint; without skins, lines between all nodes.
pub fn bones(scene: &Scene, frame: &Frame) -> Vec<[[f32; 3]; 2]> {
    let mut joint = vec![false; scene.nodes.len()];
    for id in scene.skins.iter().flat_map(|s| &s.joints) {
        if let Some(flag) = joint.get_mut(*id as usize) {
            *flag = true;
        }
    }
    let all = !joint.contains(&true);
    let place = |id: u32| frame.pose.world_of(id).w_axis.truncate().to_array();
    let mut lines = Vec::new();
    for (id, node) in (0u32..).zip(&scene.nodes) {
        let is_joint = |id: u32| all || joint.get(id as usize).copied().unwrap_or(false);
        if let Some(parent) = node.parent.filter(|p| is_joint(id) && !scene.node(*p).is_none_or(|n| n.axes)) {
            lines.push([place(parent), place(id)]);
        }
    }
    lines
}

/// Returns the edges of a box.
pub fn edges(bounds: Bounds) -> Vec<[[f32; 3]; 2]> {
    let corner = |bits: usize| {
        let mut place = bounds.min;
        for (axis, (value, max)) in place.iter_mut().zip(bounds.max).enumerate() {
            if bits >> axis & 1 == 1 {
                *value = max;
            }
        }
        place
    };
    let mut lines = Vec::new();
    for from in 0..8usize {
        for axis in (0..3).filter(|axis| from >> axis & 1 == 0) {
            lines.push([corner(from), corner(from | 1 << axis)]);
        }
    }
    lines
}

/// Returns the soft shadow of a frame on the ground as quads, with the darkness of each corner: every surface along the light, flattened to
/// the lowest place of the model, and blurred. It is drawn before everything else.
pub fn ground(scene: &Scene, frame: &Frame, camera: &Camera) -> Vec<[([f32; 3], f32); 4]> {
    let mut quads = Vec::new();
    let Some(around) = frame.framing_bounds(scene) else { return quads };
    let ([min_x, low, min_z], [max_x, high, max_z]) = (around.min, around.max);
    let reach = (max_x - min_x).max(max_z - min_z).max(high - low);
    if !reach.is_finite() || reach <= 0.0 {
        return quads;
    }
    let shadow = shadow(scene, frame, camera, around, reach);
    let (left, back) = (min_x - reach * MARGIN, min_z - reach * MARGIN);
    let (wide, deep) = (max_x - min_x + reach * 2.0 * MARGIN, max_z - min_z + reach * 2.0 * MARGIN);
    let level = low - reach * 2e-3;
    let step = |i: usize, length: f32| length * i as f32 / SHADOW as f32;
    for row in 0..SHADOW {
        for column in 0..SHADOW {
            let corner = |x: usize, z: usize| {
                let place = [left + step(column + x, wide), level, back + step(row + z, deep)];
                let at = (row + z).min(SHADOW - 1) * SHADOW + (column + x).min(SHADOW - 1);
                (place, shadow.get(at).copied().unwrap_or(0.0) * 0.6)
            };
            let quad = [corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)];
            if quad.iter().any(|(_, dark)| *dark > 0.004) {
                quads.push(quad);
            }
        }
    }
    quads
}

/// Returns how dark each cell of the ground is, from 0 to 1: covered where a triangle is above it, less with its height.
fn shadow(scene: &Scene, frame: &Frame, camera: &Camera, around: Bounds, reach: f32) -> Vec<f32> {
    let ([min_x, low, min_z], [max_x, _, max_z]) = (around.min, around.max);
    let (left, back) = (min_x - reach * MARGIN, min_z - reach * MARGIN);
    let (wide, deep) = (max_x - min_x + reach * 2.0 * MARGIN, max_z - min_z + reach * 2.0 * MARGIN);
    // The light comes over the viewer's left shoulder.
    let [right, _, towards] = camera.axes().map(|axis| axis.map(|v| v as f32));
    let slant = |axis: usize| {
        let of = |v: [f32; 3]| v.get(axis).copied().unwrap_or(0.0);
        0.35 * of(right) - 0.4 * of(towards)
    };
    let (slant_x, slant_z) = (slant(0), slant(2));
    let mut dark = vec![0.0f32; SHADOW * SHADOW];
    for surface in &frame.surfaces {
        let Some(primitive) = surface.primitive(scene) else { continue };
        let places = &surface.deformed.positions;
        for triangle in primitive.triangles(places.len()) {
            let corners = triangle.map(|i| places.get(i as usize).copied().unwrap_or_default());
            let cells = corners.map(|[x, y, z]| {
                let (x, z) = (x + (y - low) * slant_x, z + (y - low) * slant_z);
                let across = (x - left) / wide * SHADOW as f32;
                let down = (z - back) / deep * SHADOW as f32;
                [across, down, (1.0 - (y - low) / reach).clamp(0.1, 1.0)]
            });
            cover(&mut dark, cells);
        }
    }
    for _ in 0..3 {
        dark = blurred(&dark);
    }
    dark
}

/// Cells of the ground's shadow, across and down.
const SHADOW: usize = 96;
/// Ground around the model, as a part of its size.
const MARGIN: f32 = 0.6;

/// Marks the cells whose centers are inside a triangle.
fn cover(dark: &mut [f32], [[ax, ay, ah], [bx, by, bh], [cx, cy, ch]]: [[f32; 3]; 3]) {
    let range = |a: f32, b: f32, c: f32| {
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let clamp = |v: f32| if v.is_finite() { v.clamp(0.0, SHADOW as f32) as usize } else { 0 };
        clamp(low)..clamp(high + 1.0).min(SHADOW)
    };
    let height = (ah + bh + ch) / 3.0;
    for row in range(ay, by, cy) {
        for column in range(ax, bx, cx) {
            let (x, y) = (column as f32 + 0.5, row as f32 + 0.5);
            let side = |x0: f32, y0: f32, x1: f32, y1: f32| (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0);
            let sides = [side(ax, ay, bx, by), side(bx, by, cx, cy), side(cx, cy, ax, ay)];
            let inside = sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0);
            if let Some(cell) = dark.get_mut(row * SHADOW + column).filter(|_| inside) {
                *cell = cell.max(height);
            }
        }
    }
}

/// Returns the mean of each cell and its eight neighbours.
fn blurred(dark: &[f32]) -> Vec<f32> {
    let get = |row: isize, column: isize| {
        let inside = |v: isize| (0..SHADOW as isize).contains(&v);
        let at = row * SHADOW as isize + column;
        if inside(row) && inside(column) { dark.get(at as usize).copied().unwrap_or(0.0) } else { 0.0 }
    };
    let mean = |cell: usize| {
        let (row, column) = ((cell / SHADOW) as isize, (cell % SHADOW) as isize);
        let near = (-1..=1).flat_map(|r| (-1..=1).map(move |c| (r, c)));
        near.map(|(r, c)| get(row + r, column + c)).sum::<f32>() / 9.0
    };
    (0..dark.len()).map(mean).collect()
}
