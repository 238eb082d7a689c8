//! From faces to the plan.

use super::web::{Nav, Web};
use crate::mesh::{Walkmesh, weld};
use crate::vector::{V2, at, dot2, orient, plan, put, sub2};

/// Lays out the plan of the faces for which `cost` gives what a metre costs there; the others cannot be walked on.
pub(crate) fn build(mesh: &Walkmesh, cost: &dyn Fn(u32) -> Option<f64>) -> Nav {
    let mut web = Web::new(mesh.positions.iter().map(|p| plan(*p)).collect());
    let ids = weld(&mesh.positions);
    let open = open_faces(mesh, cost);
    let upside_down = total_area(mesh, &open) < 0.0;
    // First half-edge of each face, and whether its corners were turned around to run counter-clockwise.
    let mut placed: Vec<Option<(u32, bool)>> = vec![None; mesh.len()];
    for (face, cost) in (0u32..).zip(&open) {
        let Some(cost) = *cost else { continue };
        let ring = at(&mesh.faces, face as usize).map(|v| at(&ids, v as usize));
        let corners = ring.map(|v| at(&web.points, v as usize));
        let area = orient(corners[0], corners[1], corners[2]);
        let flat = is_flat(corners, area, web.slack);
        let turned = if flat { upside_down } else { area < 0.0 };
        let ring = if turned { [ring[0], ring[2], ring[1]] } else { ring };
        let first = web.add(&ring, face, cost, flat);
        put(&mut placed, face as usize, Some((first, turned)));
    }
    for face in 0..mesh.len() as u32 {
        for edge in 0..3 {
            let Some((other, back)) = mesh.neighbour(face, edge) else { continue };
            let (Some(a), Some(b)) = (half_edge(&placed, face, edge), half_edge(&placed, other, back)) else {
                continue;
            };
            // Faces that fold over each other in the plan run the edge in the same direction.
            let ((a0, a1), (b0, b1)) = (web.ends(a), web.ends(b));
            if face < other && a0 == b1 && a1 == b0 {
                web.join(a, b);
            }
        }
    }
    web.merge();
    web.finish(mesh.len())
}

fn open_faces(mesh: &Walkmesh, cost: &dyn Fn(u32) -> Option<f64>) -> Vec<Option<f64>> {
    (0..mesh.len() as u32)
        .map(|face| {
            let sound = mesh.corners(face)?.iter().flatten().all(|c| c.abs() < 1e18);
            cost(face).filter(|c| sound && *c > 0.0 && c.is_finite())
        })
        .collect()
}

fn total_area(mesh: &Walkmesh, open: &[Option<f64>]) -> f64 {
    let area = |face: u32| mesh.corners(face).map_or(0.0, |[a, b, c]| orient(plan(a), plan(b), plan(c)));
    (0u32..).zip(open).filter(|(_, c)| c.is_some()).map(|(f, _)| area(f)).sum()
}

/// Whether a triangle is squeezed to a line in the plan.
fn is_flat(corners: [V2; 3], area: f64, slack: f64) -> bool {
    let [a, b, c] = corners;
    let longest = [sub2(b, a), sub2(c, b), sub2(a, c)].iter().map(|d| dot2(*d, *d)).fold(0.0, f64::max);
    area.abs() <= slack * longest.sqrt()
}

/// The half-edge of a face's edge.
fn half_edge(placed: &[Option<(u32, bool)>], face: u32, edge: u32) -> Option<u32> {
    let (first, turned) = placed.get(face as usize).copied().flatten()?;
    // Corners 0, 2, 1: edge 0 (0 to 1) comes last, edge 1 stays, edge 2 (2 to 0) comes first.
    Some(first + if turned { 2 - edge } else { edge })
}
