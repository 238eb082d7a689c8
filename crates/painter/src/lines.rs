//! What is drawn over a frame: lines, dots and signs as instances of a quad.

use bytemuck::{Pod, Zeroable};
use galatea::preview::{Options, overlay};
use galatea::scene::{Frame, NodeId, Primitive, Scene, Surface, Topology};

/// A line, a dot or a box of the size of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Line {
    pub(super) from: [f32; 3],
    pub(super) to: [f32; 3],
    pub(super) color: [f32; 4],
    /// 0 for a line, 1 for a dot, 2 for a box; then the width, or half the sides.
    pub(super) shape: [f32; 3],
}

impl Line {
    pub(super) fn new(from: [f32; 3], to: [f32; 3], color: [f32; 4], width: f32) -> Line {
        Line { from, to, color, shape: [0.0, width, 0.0] }
    }

    fn dot(place: [f32; 3], color: [f32; 4], width: f32) -> Line {
        Line { from: place, to: place, color, shape: [1.0, width, 0.0] }
    }

    fn rectangle(place: [f32; 3], color: [f32; 4], across: f32, down: f32) -> Line {
        Line { from: place, to: place, color, shape: [2.0, across, down] }
    }
}

/// Lines that are drawn together.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) lines: Vec<Line>,
    /// Ranges, each with whether it is seen through what is in front of it.
    pub(super) batches: Vec<(usize, usize, bool)>,
}

impl Lines {
    fn add(&mut self, lines: impl IntoIterator<Item = Line>, on_top: bool) {
        let first = self.lines.len();
        self.lines.extend(lines);
        let count = self.lines.len() - first;
        match self.batches.last_mut() {
            _ if count == 0 => {}
            Some((_, before, top)) if *top == on_top => *before += count,
            _ => self.batches.push((first, count, on_top)),
        }
    }

    /// Returns lines that belong to surfaces: those of which a surface consists, and the edges of its triangles if they are wanted.
    pub(super) fn of_surfaces(scene: &Scene, frame: &Frame, wire: bool) -> Lines {
        let mut lines = Lines::default();
        for surface in &frame.surfaces {
            let Some(primitive) = surface.primitive(scene) else { continue };
            if primitive.topology == Topology::Lines {
                let material = primitive.material.and_then(|id| scene.materials.get(id as usize));
                let color = material.map_or([1.0; 4], |m| m.base_color);
                let places = &surface.deformed.positions;
                let place = |i: u32| places.get(i as usize).copied().unwrap_or_default();
                let pairs = primitive.indices.as_chunks::<2>().0.iter();
                lines.add(pairs.map(|[a, b]| Line::new(place(*a), place(*b), color, 2.5)), false);
            } else if wire {
                lines.add(edges(surface, primitive, overlay::WIRE), false);
            }
        }
        lines
    }

    /// Returns what is drawn over everything: selection, markers, bones, the box and strokes.
    pub(super) fn over(scene: &Scene, frame: &Frame, look: &Options) -> Lines {
        let mut lines = Lines::default();
        let selected = |node: NodeId| look.selected.contains(&node);
        for surface in frame.surfaces.iter().filter(|surface| selected(surface.node)) {
            if let Some(primitive) = surface.primitive(scene) {
                lines.add(edges(surface, primitive, overlay::SELECTED), false);
            }
        }
        for marker in &frame.markers {
            let color = overlay::marker_color(marker.kind);
            let (long, thin) = (4.5, 0.8);
            let place = marker.place;
            let sign = [
                Line::rectangle(place, color, long, thin),
                Line::rectangle(place, color, thin, long),
                Line::dot(place, color, 3.5),
            ];
            lines.add(sign, true);
        }
        if look.skeleton {
            let bones = overlay::bones(scene, frame).into_iter();
            lines.add(bones.map(|[from, to]| Line::new(from, to, overlay::BONE, overlay::BONE_WIDTH)), true);
        }
        if look.bounds {
            let around = frame.bounds(scene).or_else(|| frame.pose.bounds(scene));
            let edges = around.map(overlay::edges).unwrap_or_default().into_iter();
            lines.add(edges.map(|[from, to]| Line::new(from, to, overlay::BOX, overlay::BOX_WIDTH)), false);
        }
        for stroke in &look.strokes {
            let light = |v: u8| (f32::from(v) / 255.0) * (f32::from(v) / 255.0);
            let [r, g, b] = stroke.colour.map(light);
            let color = [r, g, b, 1.0];
            let pairs = stroke.points.iter().zip(stroke.points.iter().skip(1));
            let along = pairs.map(|(from, to)| Line::new(*from, *to, color, stroke.width));
            let dots = stroke.points.iter().map(|at| Line::dot(*at, color, stroke.width));
            lines.add(along.chain(dots), stroke.on_top);
        }
        lines
    }

    /// Returns a grid on the ground around a place, with squares of a tenth or more of what is seen of it.
    pub(super) fn grid(target: [f64; 3], reach: f64) -> Lines {
        let mut lines = Lines::default();
        if !(reach.is_finite() && reach > 0.0 && target.iter().all(|v| v.is_finite())) {
            return lines;
        }
        let step = 10f64.powf((reach * 0.12).log10().ceil());
        let [x, _, z] = target;
        let (x, z) = ((x / step).round() * step, (z / step).round() * step);
        let half = 20;
        for number in -half..=half {
            let along = f64::from(number) * step;
            let far = f64::from(half) * step;
            for (from, to, is_axis) in [
                ([x + along, z - far], [x + along, z + far], (x + along).abs() < step * 0.5),
                ([x - far, z + along], [x + far, z + along], (z + along).abs() < step * 0.5),
            ] {
                let color = if is_axis { [0.55, 0.58, 0.62, 0.55] } else { [0.42, 0.45, 0.5, 0.22] };
                let place = |[x, z]: [f64; 2]| [x as f32, 0.0, z as f32];
                lines.add([Line::new(place(from), place(to), color, 1.0)], false);
            }
        }
        lines
    }
}

/// Returns the edges of the triangles of a surface.
fn edges<'a>(
    surface: &'a Surface,
    primitive: &'a Primitive,
    color: [f32; 4],
) -> impl Iterator<Item = Line> + 'a {
    let places = &surface.deformed.positions;
    let place = |i: u32| places.get(i as usize).copied().unwrap_or_default();
    primitive.triangles(places.len()).flat_map(move |[a, b, c]| {
        let sides = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from < to);
        sides.map(move |(from, to)| Line::new(place(from), place(to), color, 1.0))
    })
}
