//! Fixes of the border: single edges and loop ends that the neighbours and the rest of the border determine.

use crate::bwm::{Edge, Walkmesh};

/// The positions where an edge of a face begins and ends, by bits: seams may have two vertices at one position.
type Ends = ([u32; 3], [u32; 3]);

fn ends(mesh: &Walkmesh, edge: u32) -> Option<Ends> {
    let face = mesh.faces.get(edge as usize / 3)?;
    let place = |corner: usize| {
        let vertex = face.get(corner % 3).and_then(|v| mesh.vertices.get(*v as usize))?;
        Some(vertex.map(|x| (x + 0.0).to_bits()))
    };
    let corner = edge as usize % 3;
    Some((place(corner)?, place(corner + 1)?))
}

/// Returns whether the second edge begins where the first ends.
fn joins(mesh: &Walkmesh, first: u32, second: u32) -> bool {
    match (ends(mesh, first), ends(mesh, second)) {
        (Some((_, to)), Some((from, _))) => to == from,
        _ => false,
    }
}

/// Returns whether all neighbours are mutual. Only then do they determine the border.
fn neighbors_are_sound(mesh: &Walkmesh) -> bool {
    let stored = |edge: usize| mesh.adjacency.get(edge / 3).and_then(|n| n.get(edge % 3)).copied();
    mesh.adjacency.iter().flatten().enumerate().all(|(edge, across)| {
        *across == -1 || usize::try_from(*across).is_ok_and(|across| stored(across) == Some(edge as i32))
    })
}

/// Returns the edges without a neighbour that the border lacks, and the entries of the border that are invalid or
/// duplicates.
fn faults(mesh: &Walkmesh) -> (Vec<u32>, Vec<usize>) {
    let mut open: Vec<bool> = mesh.adjacency.iter().flatten().map(|n| *n == -1).collect();
    let mut bad = Vec::new();
    for (at, entry) in mesh.edges.iter().enumerate() {
        match open.get_mut(entry.edge as usize) {
            Some(flag) if *flag => *flag = false,
            _ => bad.push(at),
        }
    }
    let missing = open.iter().enumerate().filter(|(_, open)| **open).map(|(edge, _)| edge as u32).collect();
    (missing, bad)
}

/// Returns the entries before and after an entry in its loop.
fn around(mesh: &Walkmesh, at: usize) -> Option<(Edge, Edge)> {
    let start = mesh.perimeters.iter().map(|p| *p as usize).filter(|p| *p <= at).max().unwrap_or(0);
    let end = mesh.perimeters.iter().map(|p| *p as usize).find(|p| *p > at).unwrap_or(mesh.edges.len());
    let before = if at == start { end.checked_sub(1)? } else { at - 1 };
    let after = if at + 1 == end { start } else { at + 1 };
    Some((*mesh.edges.get(before)?, *mesh.edges.get(after)?))
}

/// Replaces the one wrong entry by the one missing edge, or derives a border that is missing altogether.
pub(super) fn border_edges(mesh: &mut Walkmesh) -> usize {
    if !neighbors_are_sound(mesh) {
        return 0;
    }
    let (missing, bad) = faults(mesh);
    let absent = mesh.edges.is_empty() && mesh.perimeters.is_empty();
    if absent && mesh.layout.gaps.is_empty() {
        mesh.derive_border();
        return mesh.edges.len();
    }
    let ([edge], [bad]) = (&missing[..], &bad[..]) else { return 0 };
    // Of two equal entries, the wrong one is the one that the missing edge can replace.
    let value = mesh.edges.get(*bad).map(|e| e.edge);
    let candidates = mesh.edges.iter().enumerate().filter(|(_, e)| Some(e.edge) == value);
    let fits = |at: &usize| {
        around(mesh, *at)
            .is_some_and(|(before, after)| joins(mesh, before.edge, *edge) && joins(mesh, *edge, after.edge))
    };
    let fitting: Vec<usize> = candidates.map(|(at, _)| at).filter(fits).collect();
    let ([at], edge) = (&fitting[..], *edge) else { return 0 };
    mesh.edges.get_mut(*at).map_or(0, |entry| {
        entry.edge = edge;
        1
    })
}

/// The loops of a complete border: which entries are connected to the next one.
struct Loops<'a> {
    mesh: &'a Walkmesh,
    /// The number of entries before this one that are not connected to the next one.
    breaks: Vec<usize>,
}

impl<'a> Loops<'a> {
    fn new(mesh: &'a Walkmesh) -> Self {
        let mut breaks = vec![0];
        for pair in mesh.edges.windows(2) {
            let [a, b] = pair else { continue };
            let broken = usize::from(!joins(mesh, a.edge, b.edge));
            breaks.push(breaks.last().copied().unwrap_or(0) + broken);
        }
        Loops { mesh, breaks }
    }

    /// Returns whether these entries form one closed loop.
    fn closed(&self, start: usize, end: usize) -> bool {
        let edge = |at: usize| self.mesh.edges.get(at).map(|e| e.edge);
        let (Some(first), Some(last)) = (edge(start), end.checked_sub(1).and_then(edge)) else {
            return false;
        };
        start < end && self.breaks.get(start) == self.breaks.get(end - 1) && joins(self.mesh, last, first)
    }
}

/// Derives the one wrong loop end if exactly one value closes all loops, or the ends if they are missing altogether.
pub(super) fn perimeters(mesh: &mut Walkmesh) -> usize {
    if !neighbors_are_sound(mesh) || faults(mesh) != (Vec::new(), Vec::new()) {
        return 0;
    }
    if mesh.perimeters.is_empty() {
        return absent_perimeters(mesh);
    }
    let loops = Loops::new(mesh);
    let ends: Vec<usize> = mesh.perimeters.iter().map(|p| *p as usize).collect();
    let start = |k: usize| k.checked_sub(1).map_or(Some(0), |k| ends.get(k).copied());
    // Loops that are already correct, from the front and from the back.
    let sound = |k: &usize| match (start(*k), ends.get(*k)) {
        (Some(start), Some(end)) => loops.closed(start, *end),
        _ => false,
    };
    let front = (0..ends.len()).take_while(sound).count();
    let whole = ends.last() == Some(&mesh.edges.len());
    let back = if whole { (0..ends.len()).rev().take_while(sound).count() } else { 0 };
    let mut answers = Vec::new();
    // A wrong end affects the loop before it and the loop after it, so it is the end of the first incorrect loop.
    let (wrong, last) = (front, front + 1 == ends.len());
    if let Some(start) = start(wrong) {
        if last && loops.closed(start, mesh.edges.len()) {
            answers.push(mesh.edges.len());
        } else if let Some(next) = ends.get(wrong + 1).filter(|_| wrong + 2 + back >= ends.len()) {
            let fits = |v: &usize| loops.closed(start, *v) && loops.closed(*v, *next);
            answers.extend((start + 1..(*next).min(mesh.edges.len())).filter(fits).take(2));
        }
    }
    let [answer] = answers[..] else { return 0 };
    mesh.perimeters.get_mut(wrong).map_or(0, |slot| {
        *slot = answer as u32;
        1
    })
}

/// Ends each loop where the walk around the border returns to its start.
fn absent_perimeters(mesh: &mut Walkmesh) -> usize {
    if !mesh.layout.gaps.is_empty() {
        return 0;
    }
    let (edges, ends) = crate::bwm::border(&mesh.adjacency);
    let mut next = vec![u32::MAX; mesh.adjacency.len() * 3];
    let mut start = 0;
    for end in ends {
        let one = edges.get(start..end as usize).unwrap_or(&[]);
        for (edge, after) in one.iter().zip(one.iter().cycle().skip(1)) {
            if let Some(slot) = next.get_mut(*edge as usize) {
                *slot = *after;
            }
        }
        start = end as usize;
    }
    let mut found = Vec::new();
    let mut first: Option<u32> = None;
    for (at, entry) in mesh.edges.iter().enumerate() {
        let begin = *first.get_or_insert(entry.edge);
        let after = next.get(entry.edge as usize).copied();
        if after == Some(begin) {
            found.push(at as u32 + 1);
            first = None;
        } else if after.is_none() || after != mesh.edges.get(at + 1).map(|e| e.edge) {
            return 0;
        }
    }
    let count = found.len();
    mesh.perimeters = found;
    count
}
