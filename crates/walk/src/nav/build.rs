//! Construction of the plan from faces.

use super::cut::{self, Cut, Line, Part};
use super::half_edge_mesh::{HalfEdgeMesh, Nav};
use crate::mesh::{Walkmesh, weld};
use crate::vector::{V2, at, dot2, orient, plan, sub2};

/// Builds the plan of the faces for which `cost` returns a cost per metre, without the areas of the cuts. All other faces
/// are not walkable.
pub(crate) fn build(mesh: &Walkmesh, cost: &dyn Fn(u32) -> Option<f64>, cuts: &[Cut]) -> Nav {
    let mut half_edges = HalfEdgeMesh::new(mesh.positions.iter().map(|p| plan(*p)).collect());
    let open = open_faces(mesh, cost);
    let upside_down = total_area(mesh, &open) < 0.0;
    let mut faces: Vec<Option<Placed>> = vec![None; mesh.len()];
    let ids = weld(&mesh.positions);
    for ((face, cost), slot) in (0u32..).zip(&open).zip(&mut faces) {
        let Some(cost) = *cost else { continue };
        let ring = at(&mesh.faces, face as usize).map(|v| at(&ids, v as usize));
        let corners = ring.map(|v| at(&half_edges.points, v as usize));
        let area = orient(corners[0], corners[1], corners[2]);
        let flat = is_flat(corners, area, half_edges.slack);
        let turned = if flat { upside_down } else { area < 0.0 };
        let ring = if turned { [ring[0], ring[2], ring[1]] } else { ring };
        *slot = Some(Placed { ring, turned, flat, cost, first: 0 });
    }
    if cuts.is_empty() {
        join_whole(mesh, &mut half_edges, &mut faces);
    } else {
        join_parts(mesh, &mut half_edges, &faces, cuts);
    }
    // With costs, paths are searched from edge to edge, and more edges give better paths.
    let mut prices = open.iter().flatten();
    let first = prices.next().copied();
    if prices.all(|p| Some(*p) == first) {
        half_edges.merge();
    }
    half_edges.finish(mesh.len())
}

/// A face of the plan: its corners counter-clockwise, whether they were reversed for that, and its first half-edge.
#[derive(Debug, Clone, Copy)]
struct Placed {
    ring: [u32; 3],
    turned: bool,
    flat: bool,
    cost: f64,
    first: u32,
}

impl Placed {
    /// Returns the edge of the ring that corresponds to an edge of the face.
    fn place(&self, edge: u32) -> u32 {
        // Corners 0, 2, 1: edge 0 (0 to 1) comes last, edge 1 stays, edge 2 (2 to 0) comes first.
        if self.turned { 2 - edge } else { edge }
    }

    fn ends(&self, edge: u32) -> (u32, u32) {
        match self.place(edge) {
            0 => (self.ring[0], self.ring[1]),
            1 => (self.ring[1], self.ring[2]),
            _ => (self.ring[2], self.ring[0]),
        }
    }
}

/// Returns the neighbour across an edge, unless the two fold over each other in the plan.
fn beyond(mesh: &Walkmesh, faces: &[Option<Placed>], face: u32, edge: u32) -> Option<(u32, u32)> {
    let (other, back) = mesh.neighbour(face, edge)?;
    let one = faces.get(face as usize).copied().flatten()?;
    let two = faces.get(other as usize).copied().flatten()?;
    let ((a, b), (c, d)) = (one.ends(edge), two.ends(back));
    (a == d && b == c).then_some((other, back))
}

fn join_whole(mesh: &Walkmesh, half_edges: &mut HalfEdgeMesh, faces: &mut [Option<Placed>]) {
    for (face, placed) in (0u32..).zip(faces.iter_mut()) {
        if let Some(placed) = placed {
            placed.first = half_edges.add(&placed.ring, face, placed.cost, placed.flat);
        }
    }
    for face in 0..mesh.len() as u32 {
        for edge in 0..3 {
            let Some((other, back)) = beyond(mesh, faces, face, edge) else { continue };
            let half = |face: u32, edge: u32| {
                faces.get(face as usize).copied().flatten().map(|p| p.first + p.place(edge))
            };
            if let (true, Some(a), Some(b)) = (face < other, half(face, edge), half(other, back)) {
                half_edges.join(a, b);
            }
        }
    }
}

fn join_parts(mesh: &Walkmesh, half_edges: &mut HalfEdgeMesh, faces: &[Option<Placed>], cuts: &[Cut]) {
    let touched = cut::by_face(mesh, cuts);
    let mut parts = Vec::new();
    let mut budget = cut::Budget::for_faces(mesh.len());
    for (face, placed) in (0u32..).zip(faces) {
        let Some(placed) = placed else { continue };
        let mut ring = [([0.0; 2], Line::Mesh(0)); 3];
        for edge in 0..3u32 {
            let own = 3 * face + edge;
            let line = beyond(mesh, faces, face, edge).map_or(own, |(g, h)| own.min(3 * g + h));
            let start = at(&half_edges.points, placed.ends(edge).0 as usize);
            if let Some(slot) = ring.get_mut(placed.place(edge) as usize) {
                *slot = (start, Line::Mesh(line));
            }
        }
        let part = Part { ring: ring.to_vec(), face, cost: placed.cost, flat: placed.flat };
        let which = touched.get(face as usize).map_or(&[][..], Vec::as_slice);
        if placed.flat && !which.is_empty() {
            // Vertical faces are only crossed; one that is touched by a cut is blocked.
            continue;
        }
        parts.extend(cut::subtract(part, cuts, which, half_edges.slack, &mut budget));
    }
    half_edges.points.clear();
    cut::join(half_edges, &parts, cuts, &|edge| cut::mesh_line(mesh, edge));
}

fn open_faces(mesh: &Walkmesh, cost: &dyn Fn(u32) -> Option<f64>) -> Vec<Option<f64>> {
    (0..mesh.len() as u32)
        .map(|face| {
            let sound = mesh.corners(face)?.iter().flatten().all(|c| c.abs() < crate::ray::FARTHEST);
            cost(face).filter(|c| sound && *c > 0.0 && c.is_finite())
        })
        .collect()
}

fn total_area(mesh: &Walkmesh, open: &[Option<f64>]) -> f64 {
    let area = |face: u32| mesh.corners(face).map_or(0.0, |[a, b, c]| orient(plan(a), plan(b), plan(c)));
    (0u32..).zip(open).filter(|(_, c)| c.is_some()).map(|(f, _)| area(f)).sum()
}

/// Returns `true` if a triangle is degenerate in the plan.
fn is_flat(corners: [V2; 3], area: f64, slack: f64) -> bool {
    let [a, b, c] = corners;
    let longest = [sub2(b, a), sub2(c, b), sub2(a, c)].iter().map(|d| dot2(*d, *d)).fold(0.0, f64::max);
    area.abs() <= slack * longest.sqrt()
}
