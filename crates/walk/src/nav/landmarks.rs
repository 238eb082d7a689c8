//! Landmarks: precomputed distances from a few distant points give lower bounds of the distance to the goal (Goldberg and
//! Harrelson: Computing the Shortest Path: A* Search Meets Graph Theory).

use super::half_edge_mesh::Nav;
use super::scratch::Scratch;
use super::search::{self, Spot};
use crate::vector::{at, distance2, put};

/// Number of landmarks.
pub(crate) const COUNT: usize = 8;

/// Distances from landmarks.
#[derive(Debug)]
pub(crate) struct Landmarks {
    /// Per point of the plan, the distance of each landmark; infinite in other components.
    points: Vec<[f64; COUNT]>,
    /// Per edge, the mean of its ends.
    edges: Vec<[f64; COUNT]>,
    /// Per edge, half its length.
    half: Vec<f64>,
}

/// Lower and upper bounds of the distance between a goal and each landmark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bearings {
    least: [f64; COUNT],
    most: [f64; COUNT],
}

impl Landmarks {
    /// Computes the distances in the largest component of the plan. Returns `None` if that takes too long.
    pub(crate) fn survey(nav: &Nav, scratch: &mut Scratch) -> Option<Landmarks> {
        let mut sizes = vec![0u32; nav.polys.len()];
        for part in &nav.part {
            if let Some(n) = sizes.get_mut(*part as usize) {
                *n += 1;
            }
        }
        let largest = (0u32..).zip(&sizes).max_by_key(|(i, n)| (**n, std::cmp::Reverse(*i)))?.0;
        let edges: Vec<u32> = (0..nav.ring.len() as u32)
            .filter(|e| at(&nav.part, at(&nav.owner, *e as usize) as usize) == largest)
            .collect();
        let mut points = vec![[f64::INFINITY; COUNT]; nav.points.len()];
        let mut nearest = vec![f64::INFINITY; nav.points.len()];
        let mut from = *edges.first()?;
        for k in 0..=COUNT {
            let start = Spot { point: nav.point(from), poly: at(&nav.owner, from as usize) };
            let known = search::flood(nav, scratch, start)?;
            // The first pass only finds a point at the rim to start from.
            if let Some(k) = k.checked_sub(1) {
                for ((slots, near), d) in points.iter_mut().zip(&mut nearest).zip(&known) {
                    put(slots, k, *d);
                    *near = near.min(*d);
                }
            }
            let far = |e: &&u32| {
                let v = nav.vertex(**e) as usize;
                let d = if k == 0 { at(&known, v) } else { at(&nearest, v) };
                if d.is_finite() { d } else { -1.0 }
            };
            from = *edges.iter().max_by(|a, b| far(a).total_cmp(&far(b)).then(b.cmp(a)))?;
        }
        let ends = |e: u32| {
            let (a, b) = (nav.vertex(e) as usize, nav.vertex(nav.after(e)) as usize);
            (points.get(a).copied().unwrap_or_default(), points.get(b).copied().unwrap_or_default())
        };
        let all = 0..nav.ring.len() as u32;
        let half = all.clone().map(|e| distance2(nav.point(e), nav.point(nav.after(e))) * 0.5).collect();
        let edges = all
            .map(|e| {
                let (a, b) = ends(e);
                let mut mean = [0.0; COUNT];
                for (m, (a, b)) in mean.iter_mut().zip(a.iter().zip(&b)) {
                    *m = (a + b) * 0.5;
                }
                mean
            })
            .collect();
        Some(Landmarks { points, edges, half })
    }

    /// Returns the bounds for a goal, from the corners of its polygon, all of which are visible from it.
    pub(crate) fn bearings(&self, nav: &Nav, goal: Spot) -> Option<Bearings> {
        let mut out = Bearings { least: [0.0; COUNT], most: [f64::INFINITY; COUNT] };
        for edge in nav.edges(goal.poly) {
            let away = distance2(nav.point(edge), goal.point);
            let known = self.points.get(nav.vertex(edge) as usize)?;
            for ((least, most), d) in out.least.iter_mut().zip(&mut out.most).zip(known) {
                *least = least.max(d - away);
                *most = most.min(d + away);
            }
        }
        // Rounding errors and the width of vertical faces must not raise a lower bound above the true distance.
        let spare = nav.slack * 4.0 + 1e-9;
        out.least = out.least.map(|l| l - spare);
        out.most = out.most.map(|m| m + spare);
        out.most.iter().all(|m| m.is_finite()).then_some(out)
    }

    /// Returns a lower bound of the distance from a point of the plan to the goal.
    #[inline]
    pub(crate) fn beyond_point(&self, point: u32, goal: &Bearings) -> f64 {
        self.points.get(point as usize).map_or(0.0, |known| farthest(known, goal))
    }

    /// Returns a lower bound of the distance from any point of an edge to the goal.
    #[inline]
    pub(crate) fn beyond_edge(&self, edge: u32, goal: &Bearings) -> f64 {
        let (Some(mean), Some(half)) = (self.edges.get(edge as usize), self.half.get(edge as usize)) else {
            return 0.0;
        };
        (farthest(mean, goal) - half).max(0.0)
    }
}

/// Returns the best bound of all landmarks, for a point with these distances from them.
#[inline]
fn farthest(known: &[f64; COUNT], goal: &Bearings) -> f64 {
    let mut best = 0.0f64;
    for ((known, least), most) in known.iter().zip(&goal.least).zip(&goal.most) {
        let gap = (known - most).max(least - known);
        best = if gap > best { gap } else { best };
    }
    if best.is_finite() { best } else { 0.0 }
}
