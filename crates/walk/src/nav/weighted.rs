//! Paths over ground of different costs.
//!
//! No finite method finds the cheapest path exactly. A search over a few points of every edge selects the polygons to cross.
//! Then each section of the same cost is replaced by its shortest path, and the crossings between costs are moved along their
//! edges until the path gets no cheaper.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::half_edge_mesh::{NONE, Nav};
use super::scratch::Scratch;
use super::search::{self, Spot};
use crate::vector::{V2, at, distance2, lerp2, put};

/// The points at which the search crosses edges, as fractions of their length.
const PLACES: [f64; 3] = [0.02, 0.5, 0.98];

#[derive(Debug, Clone, Copy, PartialEq)]
struct QueueEntry {
    bound: f64,
    node: u32,
}

impl Eq for QueueEntry {}

impl Ord for QueueEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the points of a near-cheapest path from start to goal, with its cost.
pub(crate) fn search(nav: &Nav, scratch: &mut Scratch, start: Spot, goal: Spot) -> Option<(Vec<V2>, f64)> {
    if at(&nav.part, start.poly as usize) != at(&nav.part, goal.poly as usize) {
        return None;
    }
    let cheapest = nav.polys.iter().map(|p| p.cost).fold(f64::INFINITY, f64::min);
    let cost = |poly: u32| nav.poly(poly).cost;
    let place = |node: u32| {
        let edge = node / 3;
        lerp2(nav.point(edge), nav.point(nav.after(edge)), at(&PLACES, node as usize % 3))
    };
    // A node is a point on an edge, and the polygon that is entered there.
    let mut best = vec![(f64::INFINITY, NONE); 3 * nav.ring.len()];
    let mut heap = BinaryHeap::new();
    let mut arrival = (f64::INFINITY, NONE);
    if start.poly == goal.poly {
        arrival.0 = cost(start.poly) * distance2(start.point, goal.point);
    }
    let leave = |best: &mut [(f64, u32)],
                 heap: &mut BinaryHeap<QueueEntry>,
                 poly: u32,
                 from: V2,
                 spent: f64,
                 by: u32| {
        for edge in nav.edges(poly) {
            let mate = at(&nav.mate, edge as usize);
            if mate == NONE {
                continue;
            }
            for k in 0..3 {
                let node = 3 * mate + k;
                let p = place(node);
                let new = spent + cost(poly) * distance2(from, p);
                if new < at(best, node as usize).0 {
                    put(best, node as usize, (new, by));
                    heap.push(QueueEntry { bound: new + cheapest * distance2(p, goal.point), node });
                }
            }
        }
    };
    leave(&mut best, &mut heap, start.poly, start.point, 0.0, NONE);
    let mut done = vec![false; 3 * nav.ring.len()];
    while let Some(QueueEntry { bound, node }) = heap.pop() {
        if bound >= arrival.0 {
            break;
        }
        if at(&done, node as usize) {
            continue;
        }
        put(&mut done, node as usize, true);
        let poly = at(&nav.owner, node as usize / 3);
        let p = place(node);
        let spent = at(&best, node as usize).0;
        if poly == goal.poly {
            let whole = spent + cost(poly) * distance2(p, goal.point);
            if whole < arrival.0 {
                arrival = (whole, node);
            }
        }
        leave(&mut best, &mut heap, poly, p, spent, node);
    }
    if !arrival.0.is_finite() {
        return None;
    }
    let mut crossed = Vec::new();
    let mut node = arrival.1;
    while node != NONE && crossed.len() <= nav.ring.len() {
        crossed.push(node);
        node = best_before(&best, node);
    }
    crossed.reverse();
    Some(slide(nav, scratch, start, goal, &crossed))
}

fn best_before(best: &[(f64, u32)], node: u32) -> u32 {
    best.get(node as usize).map_or(NONE, |b| b.1)
}

/// Keeps the crossings between ground of different costs, takes the shortest path on each section of the same cost, and moves
/// the crossings along their edges to where the path is cheapest.
fn slide(nav: &Nav, scratch: &mut Scratch, start: Spot, goal: Spot, crossed: &[u32]) -> (Vec<V2>, f64) {
    let owner = |edge: u32| at(&nav.owner, edge as usize);
    let cost = |poly: u32| nav.poly(poly).cost;
    let mut stops = vec![Stop { point: start.point, edge: NONE, into: start.poly }];
    // The original points of each section, in case no shorter path is found there.
    let mut found: Vec<Vec<V2>> = vec![Vec::new()];
    for node in crossed {
        let edge = node / 3;
        let point = lerp2(nav.point(edge), nav.point(nav.after(edge)), at(&PLACES, *node as usize % 3));
        if cost(owner(at(&nav.mate, edge as usize))) != cost(owner(edge)) {
            stops.push(Stop { point, edge, into: owner(edge) });
            found.push(Vec::new());
        } else if let Some(stretch) = found.last_mut() {
            stretch.push(point);
        }
    }
    stops.push(Stop { point: goal.point, edge: NONE, into: goal.poly });
    let mut best: Option<(Vec<V2>, f64)> = None;
    for _ in 0..12 {
        let mut legs: Vec<Vec<V2>> = Vec::with_capacity(stops.len());
        let mut total = 0.0;
        for (pair, stretch) in stops.windows(2).zip(&found) {
            let [from, to] = *pair else { continue };
            let end = if to.edge == NONE { to.into } else { owner(at(&nav.mate, to.edge as usize)) };
            let (a, b) = (Spot { point: from.point, poly: from.into }, Spot { point: to.point, poly: end });
            let leg = search::search_on(nav, scratch, a, b, cost(from.into)).unwrap_or_else(|| {
                std::iter::once(a.point).chain(stretch.iter().copied()).chain([b.point]).collect()
            });
            total += cost(from.into)
                * leg.windows(2).map(|w| if let [a, b] = *w { distance2(a, b) } else { 0.0 }).sum::<f64>();
            legs.push(leg);
        }
        if best.as_ref().is_some_and(|b| total >= b.1 - 1e-9 * b.1) {
            break;
        }
        let mut points = vec![start.point];
        points.extend(legs.iter().flat_map(|leg| leg.iter().skip(1)));
        best = Some((points, total));
        for i in 1..stops.len().saturating_sub(1) {
            let (Some(stop), Some(before)) = (stops.get(i).copied(), stops.get(i - 1).copied()) else {
                continue;
            };
            let near = legs.get(i - 1).and_then(|l| l.iter().rev().nth(1)).copied().unwrap_or(before.point);
            let far = legs.get(i).and_then(|l| l.get(1)).copied().unwrap_or(stop.point);
            let ends = [nav.point(stop.edge), nav.point(nav.after(stop.edge))];
            let point = cheapest_on(ends, near, far, cost(before.into), cost(stop.into));
            put(&mut stops, i, Stop { point, ..stop });
        }
    }
    best.unwrap_or_else(|| (vec![start.point, goal.point], distance2(start.point, goal.point)))
}

/// An end of the path, or a crossing between ground of different costs.
#[derive(Debug, Clone, Copy)]
struct Stop {
    point: V2,
    edge: u32,
    into: u32,
}

/// Returns the best point to cross an edge between two points. The cost is convex along the edge, so a golden-section search
/// finds the minimum.
fn cheapest_on([a, b]: [V2; 2], from: V2, to: V2, before: f64, after: f64) -> V2 {
    let price = |t: f64| {
        let p = lerp2(a, b, t);
        before * distance2(from, p) + after * distance2(p, to)
    };
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..48 {
        let (x, y) = (low + (high - low) * 0.381_966_011_250_105, low + (high - low) * 0.618_033_988_749_895);
        if price(x) <= price(y) { high = y } else { low = x }
    }
    lerp2(a, b, (low + high) * 0.5)
}
