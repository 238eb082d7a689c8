//! What a search remembers: nodes, the queue, and what was reached before, to tell which new nodes are worse.
//!
//! The buffers are reused between searches. An entry belongs to the search whose number it has.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::half_edge_mesh::Nav;
use super::landmarks::Landmarks;
use crate::vector::{V2, put};

/// Lengths that differ by less are equal.
pub(super) const SAME: f64 = 1e-9;

/// An interval of an edge, and the root it is visible from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) root: V2,
    pub(super) left: V2,
    pub(super) right: V2,
    /// Length of the path up to the root.
    pub(super) length: f64,
    /// The root and the ends as points of the plan, or `NONE` (the start; an end within an edge).
    pub(super) root_vertex: u32,
    pub(super) left_vertex: u32,
    pub(super) right_vertex: u32,
    /// The edge, in the polygon that is entered.
    pub(super) edge: u32,
    /// The node in which the path turned at this node's root.
    pub(super) turned: u32,
}

impl Node {
    /// Returns the same interval with another root: a corner at which the path turns.
    #[inline]
    pub(super) fn around(&self, corner: V2, vertex: u32, length: f64, turned: u32) -> Node {
        Node { root: corner, root_vertex: vertex, length, turned, ..*self }
    }

    /// Returns the interval of another edge that is visible from the root, from its right to its left end.
    #[inline]
    pub(super) fn through(
        &self,
        edge: u32,
        (right, right_vertex): (V2, u32),
        (left, left_vertex): (V2, u32),
    ) -> Node {
        Node { left, left_vertex, right, right_vertex, edge, ..*self }
    }
}

/// A node and its bound, ordered by the bits of the bound, which is the order of the lengths. Reversed, so that the heap
/// yields the smallest bound first, then the oldest node.
pub(super) type QueueEntry = Reverse<(u64, u32)>;

/// Buffers that are reused between searches.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) nodes: Vec<Node>,
    pub(super) heap: BinaryHeap<QueueEntry>,
    /// The best of the newest nodes. It is often the best of all, and then bypasses the heap.
    pub(super) at_hand: Option<QueueEntry>,
    pub(super) query: u32,
    /// Shortest known length to a corner, with the search it belongs to.
    pub(super) reached: Vec<(u32, f64)>,
    /// Polygons in dead ends that lead to the goal.
    pub(super) toward_goal: Vec<u32>,
    /// Per edge and side, the last turn that was made into its polygon.
    pub(super) turns: Vec<[Turn; 2]>,
    /// Per edge and side, the last root at that end that was expanded into its polygon.
    pub(super) looks: Vec<[Turn; 2]>,
    /// Per edge, the intervals through which the fast search entered its polygon.
    pub(super) entered: Vec<Entered>,
    /// Landmark distances, if they were computed.
    pub(crate) landmarks: Option<Landmarks>,
    /// Per edge, a lower bound of the distance to the goal, with the search it belongs to.
    pub(super) least: Vec<(u32, f64)>,
    /// The same per point.
    pub(super) least_from: Vec<(u32, f64)>,
    /// Whether the exact search took too long and the fast one was run instead.
    pub(crate) gave_up: bool,
}

/// The last turn at an edge: the search, the corner, the direction it was reached from and the length of the path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    pub(super) query: u32,
    pub(super) vertex: u32,
    pub(super) heading: f64,
    pub(super) length: f64,
}

impl Turn {
    /// Records a turn. Returns `false` if the same turn was made before with a path that is no longer.
    pub(super) fn record(&mut self, new: Turn) -> bool {
        let same =
            self.query == new.query && self.vertex == new.vertex && (self.heading - new.heading).abs() < SAME;
        if same && self.length <= new.length + SAME {
            return false;
        }
        *self = new;
        true
    }
}

/// Up to four intervals of an edge through which a polygon was entered, as fractions of the edge, each with the lengths of
/// the paths to its ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entered {
    query: u32,
    count: u32,
    stretches: [Interval; 4],
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) to_low: f64,
    pub(super) to_high: f64,
}

impl Interval {
    /// Returns `true` if this interval contains the other and is reached by paths that are no longer, judged at its ends.
    pub(super) fn dominates(&self, other: &Interval) -> bool {
        let size = (self.high - self.low).max(SAME);
        let to = |p: f64| self.to_low + (self.to_high - self.to_low) * ((p - self.low) / size);
        self.low <= other.low + SAME
            && self.high >= other.high - SAME
            && to(other.low) <= other.to_low + SAME
            && to(other.high) <= other.to_high + SAME
    }
}

impl Entered {
    pub(super) fn dominates(&self, query: u32, new: &Interval) -> bool {
        self.query == query && self.stretches.iter().take(self.count as usize).any(|s| s.dominates(new))
    }

    /// Records an interval, replacing the oldest if all slots are taken. A lost interval costs time, but no paths.
    pub(super) fn add(&mut self, query: u32, new: Interval) {
        if self.query != query {
            *self = Entered { query, ..Entered::default() };
        }
        let place = (self.count as usize) % self.stretches.len();
        put(&mut self.stretches, place, new);
        self.count = (self.count + 1).min(self.stretches.len() as u32);
    }
}

impl Scratch {
    pub(super) fn begin(&mut self, nav: &Nav) {
        self.nodes.clear();
        self.heap.clear();
        self.at_hand = None;
        if self.reached.len() != nav.points.len()
            || self.turns.len() != nav.ring.len()
            || self.query == u32::MAX
        {
            self.query = 0;
            self.reached = vec![(0, 0.0); nav.points.len()];
            self.turns = vec![[Turn::default(); 2]; nav.ring.len()];
            self.looks = vec![[Turn::default(); 2]; nav.ring.len()];
            self.entered = vec![Entered::default(); nav.ring.len()];
            self.toward_goal = vec![0; nav.polys.len()];
            self.least = vec![(0, 0.0); nav.ring.len()];
            self.least_from = vec![(0, 0.0); nav.points.len()];
        }
        self.query += 1;
    }

    pub(super) fn wait(&mut self, mut new: QueueEntry) {
        match &mut self.at_hand {
            None => self.at_hand = Some(new),
            Some(best) => {
                if new > *best {
                    std::mem::swap(best, &mut new);
                }
                self.heap.push(new);
            }
        }
    }

    /// Returns the node with the smallest bound.
    pub(super) fn next(&mut self) -> Option<QueueEntry> {
        let Some(mut best) = self.at_hand.take() else { return self.heap.pop() };
        if let Some(mut top) = self.heap.peek_mut()
            && *top > best
        {
            std::mem::swap(&mut *top, &mut best);
        }
        Some(best)
    }

    /// Returns `true` unless a shorter path to the corner is known.
    pub(super) fn reach(&mut self, vertex: u32, length: f64) -> bool {
        let Some(known) = self.reached.get_mut(vertex as usize) else { return false };
        if known.0 == self.query && known.1 + SAME < length {
            return false;
        }
        if known.0 != self.query || length < known.1 {
            *known = (self.query, length);
        }
        true
    }

    pub(super) fn is_beaten(&self, vertex: u32, length: f64) -> bool {
        self.reached
            .get(vertex as usize)
            .is_some_and(|known| known.0 == self.query && known.1 + SAME < length)
    }
}
