//! Checks of neighbours and the border.

use super::Checker;
use crate::bwm::Table;
use crate::bwm::rules::*;

impl Checker<'_> {
    /// Returns the two vertices of an edge, in the direction of its face.
    fn ends(&self, edge: usize) -> Option<(u32, u32)> {
        let face = self.mesh.faces.get(edge / 3)?;
        Some((*face.get(edge % 3)?, *face.get((edge + 1) % 3)?))
    }

    pub(super) fn adjacency(&mut self) {
        let mesh = self.mesh;
        let total = mesh.adjacency.len() * 3;
        let stored = |edge: usize| mesh.adjacency.get(edge / 3).and_then(|n| n.get(edge % 3)).copied();
        for edge in 0..total {
            let at = Some((Table::Adjacency, edge / 3));
            let Some(neighbour) = stored(edge).filter(|n| *n != -1) else { continue };
            let Some(across) = usize::try_from(neighbour).ok().filter(|n| *n < total) else {
                self.add(&ADJACENCY_RANGE, at, || {
                    format!("edge {} has neighbour {neighbour} of {total}", edge % 3)
                });
                continue;
            };
            if stored(across) != Some(edge as i32) {
                self.add(&ADJACENCY_ONE_WAY, at, || {
                    format!("face {} does not have face {} as its neighbour", across / 3, edge / 3)
                });
            }
            let (mine, theirs) = (self.ends(edge), self.ends(across));
            if let (Some((a, b)), Some((c, d))) = (mine, theirs)
                && (a, b) != (d, c)
                && (a, b) != (c, d)
            {
                self.add(&ADJACENCY_APART, at, || {
                    format!("edge {a}-{b} and edge {c}-{d} of face {}", across / 3)
                });
            }
        }
        let derived = crate::bwm::adjacency(&mesh.faces, mesh.adjacency.len());
        for (face, (mine, should)) in mesh.adjacency.iter().zip(&derived).enumerate() {
            for (edge, (mine, should)) in mine.iter().zip(should).enumerate() {
                if *mine == -1 && *should != -1 {
                    self.add(&ADJACENCY_MISSING, Some((Table::Adjacency, face)), || {
                        format!("edge {edge} is shared with face {}", should / 3)
                    });
                }
            }
        }
        let mut sides: Vec<(u32, u32, u32)> = (0..total)
            .filter_map(|edge| self.ends(edge).map(|(a, b)| (a.min(b), a.max(b), edge as u32)))
            .collect();
        sides.sort_unstable();
        for group in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if let [_, _, (a, b, edge), ..] = group {
                self.add(&NON_MANIFOLD, Some((Table::Faces, *edge as usize / 3)), || {
                    format!("{} walkable faces share the edge {a}-{b}", group.len())
                });
            }
        }
    }

    pub(super) fn border(&mut self) {
        let mesh = self.mesh;
        let total = mesh.adjacency.len() * 3;
        let is_inner = |edge: usize| {
            mesh.adjacency.get(edge / 3).and_then(|n| n.get(edge % 3)).is_some_and(|n| *n != -1)
        };
        let mut listed = vec![false; total];
        for (index, entry) in mesh.edges.iter().enumerate() {
            let at = Some((Table::Edges, index));
            let edge = entry.edge as usize;
            let Some(flag) = listed.get_mut(edge) else {
                self.add(&EDGE_RANGE, at, || format!("edge {edge} of {total}"));
                continue;
            };
            let twice = std::mem::replace(flag, true);
            if twice {
                self.add(&EDGE_TWICE, at, || format!("edge {} of face {}", edge % 3, edge / 3));
            }
            if is_inner(edge) {
                self.add(&EDGE_INNER, at, || format!("edge {} of face {}", edge % 3, edge / 3));
                if entry.transition != -1 {
                    self.add(&TRANSITION_INNER, at, || format!("transition to room {}", entry.transition));
                }
            }
        }
        for (edge, _) in listed.iter().enumerate().filter(|(edge, listed)| !**listed && !is_inner(*edge)) {
            self.add(&EDGE_MISSING, Some((Table::Adjacency, edge / 3)), || {
                format!("edge {} of face {}", edge % 3, edge / 3)
            });
        }
        let mut start = 0usize;
        for (index, end) in mesh.perimeters.iter().enumerate() {
            let at = Some((Table::Perimeters, index));
            let end = *end as usize;
            if end <= start || end > mesh.edges.len() {
                self.add(&PERIMETER_ORDER, at, || {
                    format!("loop ends at {end}, previous one at {start}, of {} edges", mesh.edges.len())
                });
                start = start.max(end.min(mesh.edges.len()));
                continue;
            }
            self.closed(start, end, index);
            start = end;
        }
        if start != mesh.edges.len() {
            let last = mesh.perimeters.len().checked_sub(1).map(|i| (Table::Perimeters, i));
            self.add(&PERIMETER_END, last, || format!("{} edges, loops end at {start}", mesh.edges.len()));
        }
    }

    /// Checks that the edges of a loop are connected, by position rather than by vertex: seams may have two vertices.
    fn closed(&mut self, start: usize, end: usize, perimeter: usize) {
        let mesh = self.mesh;
        let place = |i: u32| mesh.vertices.get(i as usize).map(|v| v.map(|x| (x + 0.0).to_bits()));
        let edges = mesh.edges.get(start..end).unwrap_or(&[]);
        for (entry, next) in edges.iter().zip(edges.iter().cycle().skip(1)) {
            if let (Some((_, to)), Some((from, _))) =
                (self.ends(entry.edge as usize), self.ends(next.edge as usize))
                && place(to) != place(from)
            {
                self.add(&PERIMETER_OPEN, Some((Table::Perimeters, perimeter)), || {
                    format!(
                        "edge {} ends at vertex {to}, edge {} begins at vertex {from}",
                        entry.edge, next.edge
                    )
                });
                return;
            }
        }
    }
}
