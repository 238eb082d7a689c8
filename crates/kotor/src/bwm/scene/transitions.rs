//! Which edges of a floor's border lead to other rooms: those along lines of the scene, and those along the borders of
//! the other rooms. Edges match by position, so that neither needs the vertices of the other.

use std::collections::BTreeMap;

use galatea_wire::Loss;

use crate::authoring::{Neighbor, Seam};
use crate::bwm::Walkmesh;

/// How far an edge may be from the line that it follows, in metres.
const NEAR: f64 = 0.01;

/// Most pairs of edges that are compared.
const MOST: usize = 50_000_000;

type Point = [f32; 3];

impl Walkmesh {
    /// Returns the ends of the border edges, for the transitions of other rooms.
    pub fn border_lines(&self) -> Vec<[[f32; 3]; 2]> {
        self.edges.iter().map(|e| corners(self, e.edge)).collect()
    }
}

/// Sets the transitions of the border edges, and returns what matched none.
pub(super) fn set(mesh: &mut Walkmesh, seams: &[Seam], neighbors: &[Neighbor]) -> Vec<Loss> {
    let mut losses = Vec::new();
    let border = mesh.border_lines();
    let all: usize = seams.len() + neighbors.iter().map(|n| n.border.len()).sum::<usize>();
    if border.len().saturating_mul(all) > MOST {
        losses.push(Loss::new(
            "walkmesh",
            format!("transitions: {} edges and {all} lines are too many", border.len()),
        ));
        return losses;
    }
    // Whether lines to a room were found on the border, and whether that is reported for each line.
    let mut rooms: BTreeMap<i32, (bool, bool)> = BTreeMap::new();
    for seam in seams {
        let mut found = false;
        for (edge, ends) in mesh.edges.iter_mut().zip(&border) {
            if follows(ends, std::slice::from_ref(&seam.ends)) {
                edge.transition = seam.room;
                found = true;
            }
        }
        let (any, said) = rooms.entry(seam.room).or_default();
        *any |= found;
        *said |= seam.line && !found;
        if seam.line && !found {
            let [[ax, ay, az], [bx, by, bz]] = seam.ends;
            let what = format!(
                "from {ax:.2},{ay:.2},{az:.2} to {bx:.2},{by:.2},{bz:.2}: no edge of the border is there"
            );
            losses.push(Loss::new(format!("transition {}", seam.room), what));
        }
    }
    for (room, _) in rooms.iter().filter(|(_, (found, said))| !found && !said) {
        losses.push(Loss::new(format!("transition {room}"), "none of its edges is on the border"));
    }
    for neighbor in neighbors {
        for (edge, ends) in mesh.edges.iter_mut().zip(&border) {
            if edge.transition == -1 && follows(ends, &neighbor.border) {
                edge.transition = neighbor.room;
            }
        }
    }
    losses
}

fn corners(mesh: &Walkmesh, edge: u32) -> [Point; 2] {
    let place = |i: u32| mesh.vertices.get(i as usize).copied().unwrap_or([f32::NAN; 3]);
    mesh.ends(edge).map_or([[f32::NAN; 3]; 2], |ends| ends.map(place))
}

/// Returns whether both ends of an edge and the point between them are on some of the lines.
fn follows([a, b]: &[Point; 2], lines: &[[Point; 2]]) -> bool {
    let middle = std::array::from_fn(|i| {
        let at = |p: &Point| p.get(i).copied().unwrap_or(0.0);
        f32::midpoint(at(a), at(b))
    });
    [*a, *b, middle].iter().all(|point| lines.iter().any(|line| distance(*point, line) <= NEAR))
}

/// Returns the distance of a point from a line between two ends.
fn distance(point: Point, [from, to]: &[Point; 2]) -> f64 {
    let wide = |p: &Point| p.map(f64::from);
    let minus = |[ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]| [ax - bx, ay - by, az - bz];
    let dot = |[ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]| ax * bx + ay * by + az * bz;
    let (off, along) = (minus(wide(&point), wide(from)), minus(wide(to), wide(from)));
    let length = dot(along, along);
    let t = if length > 0.0 { (dot(off, along) / length).clamp(0.0, 1.0) } else { 0.0 };
    let rest = minus(off, along.map(|v| v * t));
    let distance = dot(rest, rest).sqrt();
    if distance.is_finite() { distance } else { f64::INFINITY }
}
