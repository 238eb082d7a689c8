//! Movement of a circle over the surface, sliding along borders.

use crate::bvh::Aabb;
use crate::locate::Footing;
use crate::mesh::Walkmesh;
use crate::nav::edge_ends;
use crate::vector::{V2, add2, dot2, nearest_on_segment, plan, sub2};

/// The result of a move.
#[derive(Debug, Clone, PartialEq)]
pub struct Slide {
    /// The new center of the circle.
    pub point: [f32; 3],
    /// The face below it.
    pub face: u32,
    /// The border edges (`3 * face + edge`) it touched, in order.
    pub touched: Vec<u32>,
}

/// Maximum number of borders that one move slides along.
const SLIDES: usize = 8;

impl Walkmesh {
    /// Moves a circle on a face by a step in the plan. It slides along borders of the walkable surface, never leaves the
    /// surface, and never comes closer to a border than its radius unless it was closer before. Borders more than `height`
    /// above or below are ignored.
    ///
    /// ```
    /// # use galatea_walk::{Surface, Walkmesh};
    /// # let mesh = Walkmesh::new(Surface { positions: vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
    /// #     faces: vec![[0, 1, 2], [0, 2, 3]], ..Surface::default() })?;
    /// let end = mesh.slide(0, [3.0, 1.0, 0.0], [3.0, 2.0], 0.5, 2.0).expect("stands on face 0");
    /// assert!((end.point[0] - 3.5).abs() < 1e-3 && (end.point[1] - 3.0).abs() < 1e-3);
    /// assert_eq!(end.touched, [1]);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn slide(
        &self,
        face: u32,
        from: [f32; 3],
        step: [f32; 2],
        radius: f32,
        height: f32,
    ) -> Option<Slide> {
        let sound = from.iter().chain(&step).chain([&radius, &height]).all(|c| c.is_finite());
        if !sound || !self.is_walkable(face) {
            return None;
        }
        let radius = f64::from(radius.max(0.0));
        let mut at = plan(from);
        let mut left = [f64::from(step[0]), f64::from(step[1])];
        let mut standing = face;
        let mut touched = Vec::new();
        let walls = self.walls(from, left, radius, height);
        for _ in 0..SLIDES {
            let length = dot2(left, left).sqrt();
            if length <= 1e-9 {
                break;
            }
            let first = walls
                .iter()
                .filter_map(|w| contact(at, left, radius, w.ends).map(|(t, normal)| (t, w.edge, normal)))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            // Stops slightly before the wall, so that rounding errors do not move it through.
            let share = first.map_or(1.0, |(t, _, _)| (t - 1e-6 / length).max(0.0));
            let (next, reached) = self.walk_straight(standing, at, [left[0] * share, left[1] * share]);
            (standing, at) = (next, reached);
            let Some((_, edge, normal)) = first else { break };
            touched.push(edge);
            let rest = [left[0] * (1.0 - share), left[1] * (1.0 - share)];
            let into = dot2(rest, normal);
            let along =
                if into < 0.0 { [rest[0] - normal[0] * into, rest[1] - normal[1] * into] } else { rest };
            // Stops in a corner instead of sliding back.
            if dot2(along, [f64::from(step[0]), f64::from(step[1])]) <= 0.0 {
                break;
            }
            left = along;
        }
        let footing = Footing::on(self, standing, at[0], at[1]);
        Some(Slide { point: [at[0] as f32, at[1] as f32, footing.height], face: standing, touched })
    }

    /// Returns the border edges near a move.
    fn walls(&self, from: [f32; 3], step: V2, radius: f64, height: f32) -> Vec<Wall> {
        let reach = (dot2(step, step).sqrt() + radius) as f32 * 1.001 + 0.01;
        let bounds = Aabb {
            min: [from[0] - reach, from[1] - reach, from[2] - height],
            max: [from[0] + reach, from[1] + reach, from[2] + height],
        };
        let mut out = Vec::new();
        self.bvh().walk_box(&bounds, &mut |face| {
            if self.is_walkable(face) {
                let free = (0..3).filter(|e| self.neighbour(face, *e).is_none());
                out.extend(free.map(|e| Wall { edge: 3 * face + e, ends: edge_ends(self, face, e) }));
            }
        });
        out.sort_by_key(|w| w.edge);
        out
    }

    /// Moves in a straight line from face to face until the step is done or the surface ends.
    fn walk_straight(&self, face: u32, from: V2, step: V2) -> (u32, V2) {
        let (mut face, mut came) = (face, u32::MAX);
        let to = add2(from, step);
        // A straight line crosses each face at most once.
        for _ in 0..self.len() {
            let corners = self.corners(face).unwrap_or_default().map(plan);
            let sign =
                if crate::vector::orient(corners[0], corners[1], corners[2]) < 0.0 { -1.0 } else { 1.0 };
            let mut exit: Option<(f64, u32)> = None;
            for edge in 0..3u32 {
                let [a, b] = edge_ends(self, face, edge);
                let (now, then) =
                    (sign * crate::vector::orient(a, b, from), sign * crate::vector::orient(a, b, to));
                if then < 0.0 && edge != came {
                    let t = if now > then { now / (now - then) } else { 0.0 };
                    if exit.is_none_or(|e| t < e.0) {
                        exit = Some((t, edge));
                    }
                }
            }
            let Some((t, edge)) = exit else { return (face, to) };
            match self.neighbour(face, edge) {
                Some((next, back)) => (face, came) = (next, back),
                None => {
                    let t = t.clamp(0.0, 1.0);
                    return (face, add2(from, [step[0] * t, step[1] * t]));
                }
            }
        }
        (face, from)
    }
}

struct Wall {
    edge: u32,
    ends: [V2; 2],
}

/// Returns when a circle first touches a wall it moves toward, as a fraction of the step, and the direction away from the
/// wall.
fn contact(from: V2, step: V2, radius: f64, [a, b]: [V2; 2]) -> Option<(f64, V2)> {
    let away = |p: V2| {
        let (t, square) = nearest_on_segment(p, a, b);
        let d = sub2(p, crate::vector::lerp2(a, b, t));
        let len = square.sqrt();
        (len, if len > 0.0 { [d[0] / len, d[1] / len] } else { [0.0, 0.0] })
    };
    let (distance, normal) = away(from);
    if distance <= radius + 2e-6 {
        // Already touching: only moves away from or along the wall are possible.
        return (dot2(step, normal) < 0.0).then_some((0.0, normal));
    }
    let mut best: Option<f64> = None;
    let mut consider = |t: f64| {
        if (0.0..=1.0).contains(&t) && best.is_none_or(|b| t < b) {
            best = Some(t);
        }
    };
    // The sides of the wall, offset by the radius.
    let d = sub2(b, a);
    let len = dot2(d, d).sqrt();
    if len > 0.0 {
        let normal = [-d[1] / len, d[0] / len];
        let (height, speed) = (dot2(sub2(from, a), normal), dot2(step, normal));
        if speed != 0.0 {
            let side = if height >= 0.0 { radius } else { -radius };
            let t = (side - height) / speed;
            let p = add2(from, [step[0] * t, step[1] * t]);
            let along = dot2(sub2(p, a), d) / (len * len);
            if (0.0..=1.0).contains(&along) {
                consider(t);
            }
        }
    }
    // Its ends, as discs.
    for end in [a, b] {
        let rel = sub2(from, end);
        let (qa, qb, qc) = (dot2(step, step), 2.0 * dot2(rel, step), dot2(rel, rel) - radius * radius);
        let root = qb * qb - 4.0 * qa * qc;
        if qa > 0.0 && root >= 0.0 && qb < 0.0 {
            consider((-qb - root.sqrt()) / (2.0 * qa));
        }
    }
    let t = best?;
    let (_, normal) = away(add2(from, [step[0] * t, step[1] * t]));
    (dot2(step, normal) < 0.0).then_some((t, normal))
}
