//! Finds the faces that a path crosses, from its turning points.

use crate::mesh::Walkmesh;
use crate::vector::{V2, at, cross2, dot2, plan, put, sub2};

/// A search for the faces below a path.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    leg: u32,
    /// The leg in which each face was last reached.
    seen: Vec<u32>,
    /// Faces that were reached, each with the previous step.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Step {
    face: u32,
    before: u32,
    /// Whether this is the first step of a leg, on the face where the leg before it ended.
    turn: bool,
}

/// The faces a path crosses, and the face of each of its points.
pub(crate) type Traced = (Vec<u32>, Vec<u32>);

impl Tracer {
    /// Follows all legs over every layer of the surface they may be on, so that a wrong choice of a face above or below is not
    /// final. Returns `None` if the path leaves the open faces.
    pub(crate) fn trace(
        &mut self,
        mesh: &Walkmesh,
        open: &dyn Fn(u32) -> bool,
        [from, to]: [u32; 2],
        points: &[V2],
        slack: f64,
    ) -> Option<Traced> {
        if self.seen.len() != mesh.len() || self.leg > u32::MAX / 2 {
            self.seen = vec![0; mesh.len()];
            self.leg = 0;
        }
        self.steps.clear();
        self.steps.push(Step { face: from, before: u32::MAX, turn: true });
        let mut first = 0;
        for leg in points.windows(2) {
            let [a, b] = *leg else { continue };
            self.leg += 1;
            for step in self.steps.get(first..).unwrap_or(&[]) {
                put(&mut self.seen, step.face as usize, self.leg);
            }
            let mut at_step = first;
            while let Some(step) = self.steps.get(at_step).copied() {
                for edge in 0..3 {
                    let Some((next, _)) = mesh.neighbour(step.face, edge) else { continue };
                    if at(&self.seen, next as usize) != self.leg
                        && open(next)
                        && touches(edge_ends(mesh, step.face, edge), [a, b], slack)
                    {
                        put(&mut self.seen, next as usize, self.leg);
                        self.steps.push(Step { face: next, before: at_step as u32, turn: false });
                    }
                }
                at_step += 1;
            }
            let end = self.steps.len();
            for i in first..end {
                let face = self.steps.get(i)?.face;
                if holds(mesh, face, b, slack) {
                    self.steps.push(Step { face, before: i as u32, turn: true });
                }
            }
            first = end;
        }
        let last = (first..self.steps.len()).find(|&i| self.steps.get(i).is_some_and(|s| s.face == to))?;
        let (mut faces, mut ends) = (Vec::new(), Vec::new());
        let mut step = self.steps.get(last).copied();
        while let Some(s) = step {
            if s.turn {
                ends.push(s.face);
            }
            if faces.last() != Some(&s.face) {
                faces.push(s.face);
            }
            step = self.steps.get(s.before as usize).copied();
        }
        faces.reverse();
        ends.reverse();
        Some((faces, ends))
    }
}

pub(crate) fn edge_ends(mesh: &Walkmesh, face: u32, edge: u32) -> [V2; 2] {
    let [a, b, c] = mesh.corners(face).unwrap_or_default().map(plan);
    match edge {
        0 => [a, b],
        1 => [b, c],
        _ => [c, a],
    }
}

/// Returns `true` if two segments of the plan come within `slack` of each other.
fn touches([p, q]: [V2; 2], [a, b]: [V2; 2], slack: f64) -> bool {
    let (along, across) = (sub2(b, a), sub2(q, p));
    let (len, width) = (dot2(along, along).sqrt(), dot2(across, across).sqrt());
    let apart = |x: f64, y: f64, limit: f64| (x > limit && y > limit) || (x < -limit && y < -limit);
    // Both ends of the edge are on one side of the leg, or both ends of the leg on one side of the edge.
    if apart(cross2(along, sub2(p, a)), cross2(along, sub2(q, a)), slack * len)
        || apart(cross2(across, sub2(a, p)), cross2(across, sub2(b, p)), slack * width)
    {
        return false;
    }
    // Collinear, or the leg is a point: their bounding boxes must overlap.
    let boxes = |k: fn(V2) -> f64| {
        k(p).min(k(q)) <= k(a).max(k(b)) + slack && k(p).max(k(q)) >= k(a).min(k(b)) - slack
    };
    boxes(|v| v[0]) && boxes(|v| v[1])
}

/// Returns `true` if a face contains a point of the plan, within `slack`.
pub(crate) fn holds(mesh: &Walkmesh, face: u32, p: V2, slack: f64) -> bool {
    let corners = mesh.corners(face).unwrap_or_default().map(plan);
    let sign = if crate::vector::orient(corners[0], corners[1], corners[2]) < 0.0 { -1.0 } else { 1.0 };
    (0..3).all(|edge| {
        let [a, b] = edge_ends(mesh, face, edge);
        let d = sub2(b, a);
        sign * cross2(d, sub2(p, a)) >= -slack * dot2(d, d).sqrt()
    }) && {
        let [a, b, c] = corners;
        let within = |k: fn(V2) -> f64| {
            k(p) >= k(a).min(k(b)).min(k(c)) - slack && k(p) <= k(a).max(k(b)).max(k(c)) + slack
        };
        within(|v| v[0]) && within(|v| v[1])
    }
}
