//! Shortest paths over the plan (Polyanya: Cui, Harabor, Grastien, "Compromise-free Pathfinding on a Navigation Mesh").
//!
//! A search node is a stretch of an edge that is seen, all of it, from a root: the last point where the path turned.
//! Nodes come in the order of the shortest length any path through them can have, so the first to reach the goal's
//! polygon is the shortest path of all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::half_edge_mesh::{Gate, NONE, Nav};
use super::landmarks::{Bearings, Landmarks};
use crate::vector::{V2, at, cross2, distance2, dot2, lerp2, nearest_on_segment, put, sub2};

/// Lengths that differ by less are the same.
const SAME: f64 = 1e-9;
/// How much the fast search prefers being nearer to the goal: its paths are not longer by more than this, as far as what it
/// leaves out is no better.
const HASTE: f64 = 1.06;

#[derive(Debug, Clone, Copy)]
struct Node {
    root: V2,
    left: V2,
    right: V2,
    /// Length of the path up to the root.
    length: f64,
    /// The root and the ends as points of the plan, or `NONE` (the start; an end within an edge).
    root_vertex: u32,
    left_vertex: u32,
    right_vertex: u32,
    /// The edge, as the polygon that is entered has it.
    edge: u32,
    /// The node in which the path turned at this node's root.
    turned: u32,
}

impl Node {
    /// Returns the same stretch, seen from a corner that the path turns around.
    #[inline]
    fn around(&self, corner: V2, vertex: u32, length: f64, turned: u32) -> Node {
        Node { root: corner, root_vertex: vertex, length, turned, ..*self }
    }

    /// Returns what the root sees of another edge, from the right end to the left one.
    #[inline]
    fn through(&self, edge: u32, (right, right_vertex): (V2, u32), (left, left_vertex): (V2, u32)) -> Node {
        Node { left, left_vertex, right, right_vertex, edge, ..*self }
    }
}

/// A node and its bound, in the order of the bits of the bound, which for lengths is the order of the lengths. The heap
/// yields the greatest, which is to be the smallest bound, then the oldest node.
type Waiting = Reverse<(u64, u32)>;

/// Room to work in, kept between searches.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    nodes: Vec<Node>,
    heap: BinaryHeap<Waiting>,
    /// The most promising of the newest nodes, which often is the most promising of all and need not go through the heap.
    at_hand: Option<Waiting>,
    query: u32,
    /// Shortest known length to a corner, in the search that is noted.
    reached: Vec<(u32, f64)>,
    /// Polygons in dead ends that lead to the goal.
    toward_goal: Vec<u32>,
    /// Per edge and side, the last turn that was made into its polygon.
    turns: Vec<[Turn; 2]>,
    /// Per edge and side, the last root at that end of it that looked into its polygon.
    looks: Vec<[Turn; 2]>,
    /// Per edge, what the fast search has entered through it.
    entered: Vec<Entered>,
    /// Distances known beforehand, if the plan was surveyed.
    pub(crate) landmarks: Option<Landmarks>,
    /// Per edge, how far the goal is at least, in the search that is noted.
    least: Vec<(u32, f64)>,
    /// The same per point.
    least_from: Vec<(u32, f64)>,
    /// Whether the exact search was given up as too long, and the fast one run instead.
    pub(crate) gave_up: bool,
}

/// What was done at an edge, in which search, around which corner, come from where and after which length.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    query: u32,
    vertex: u32,
    heading: f64,
    length: f64,
}

impl Turn {
    /// Notes the new one; false if the same was done before, after no longer a way.
    fn is_news(&mut self, new: Turn) -> bool {
        let same =
            self.query == new.query && self.vertex == new.vertex && (self.heading - new.heading).abs() < SAME;
        if same && self.length <= new.length + SAME {
            return false;
        }
        *self = new;
        true
    }
}

/// Up to four stretches of an edge by which a polygon was entered, as parts of its length, each with the length of the
/// path to either end.
#[derive(Debug, Clone, Copy, Default)]
struct Entered {
    query: u32,
    count: u32,
    stretches: [Stretch; 4],
}

#[derive(Debug, Clone, Copy, Default)]
struct Stretch {
    low: f64,
    high: f64,
    to_low: f64,
    to_high: f64,
}

impl Stretch {
    /// Returns `true` if this stretch holds the other and is come to by no longer a way, as far as the ends tell.
    fn beats(&self, other: &Stretch) -> bool {
        let size = (self.high - self.low).max(SAME);
        let to = |p: f64| self.to_low + (self.to_high - self.to_low) * ((p - self.low) / size);
        self.low <= other.low + SAME
            && self.high >= other.high - SAME
            && to(other.low) <= other.to_low + SAME
            && to(other.high) <= other.to_high + SAME
    }
}

impl Entered {
    fn beats(&self, query: u32, new: &Stretch) -> bool {
        self.query == query && self.stretches.iter().take(self.count as usize).any(|s| s.beats(new))
    }

    /// Notes a stretch, over the oldest if there is no room: forgetting costs time, not paths.
    fn add(&mut self, query: u32, new: Stretch) {
        if self.query != query {
            *self = Entered { query, ..Entered::default() };
        }
        let place = (self.count as usize) % self.stretches.len();
        put(&mut self.stretches, place, new);
        self.count = (self.count + 1).min(self.stretches.len() as u32);
    }
}

impl Scratch {
    fn begin(&mut self, nav: &Nav) {
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

    fn wait(&mut self, mut new: Waiting) {
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

    /// Returns the most promising node of all.
    fn next(&mut self) -> Option<Waiting> {
        let Some(mut best) = self.at_hand.take() else { return self.heap.pop() };
        if let Some(mut top) = self.heap.peek_mut()
            && *top > best
        {
            std::mem::swap(&mut *top, &mut best);
        }
        Some(best)
    }

    /// Returns `true` if a corner is reached by a path of this length, unless a shorter one is known.
    fn reach(&mut self, vertex: u32, length: f64) -> bool {
        let Some(known) = self.reached.get_mut(vertex as usize) else { return false };
        if known.0 == self.query && known.1 + SAME < length {
            return false;
        }
        if known.0 != self.query || length < known.1 {
            *known = (self.query, length);
        }
        true
    }

    fn is_beaten(&self, vertex: u32, length: f64) -> bool {
        self.reached
            .get(vertex as usize)
            .is_some_and(|known| known.0 == self.query && known.1 + SAME < length)
    }
}

/// A place of the plan and the polygon it lies in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) point: V2,
    pub(crate) poly: u32,
}

struct Search<'a> {
    nav: &'a Nav,
    scratch: &'a mut Scratch,
    goal: Spot,
    fast: bool,
    price: Option<f64>,
    bearings: Option<Bearings>,
    /// While surveying, the shortest known length to every point; there is no goal then.
    survey: Option<Vec<f64>>,
}

/// Returns the turning points of the shortest path, start and goal included; `None` when there is none. The fast search
/// enters every edge once, by the most promising node, and so finds a path that may be a little longer.
pub(crate) fn search(
    nav: &Nav,
    scratch: &mut Scratch,
    start: Spot,
    goal: Spot,
    fast: bool,
) -> Option<Vec<V2>> {
    search_where(nav, scratch, start, goal, fast, None)
}

/// Returns the shortest path over ground of one price.
pub(crate) fn search_on(
    nav: &Nav,
    scratch: &mut Scratch,
    start: Spot,
    goal: Spot,
    price: f64,
) -> Option<Vec<V2>> {
    search_where(nav, scratch, start, goal, false, Some(price))
}

fn search_where(
    nav: &Nav,
    scratch: &mut Scratch,
    start: Spot,
    goal: Spot,
    fast: bool,
    price: Option<f64>,
) -> Option<Vec<V2>> {
    if at(&nav.part, start.poly as usize) != at(&nav.part, goal.poly as usize) {
        return None;
    }
    if start.poly == goal.poly {
        return Some(vec![start.point, goal.point]);
    }
    scratch.gave_up = false;
    match search_once(nav, scratch, start, goal, fast, price) {
        // Each search helps out the other, once.
        None if fast && !scratch.gave_up => search_where(nav, scratch, start, goal, false, price),
        None if !fast && scratch.gave_up => {
            let found = search_once(nav, scratch, start, goal, true, price);
            scratch.gave_up = true;
            found
        }
        found => found,
    }
}

fn search_once(
    nav: &Nav,
    scratch: &mut Scratch,
    start: Spot,
    goal: Spot,
    fast: bool,
    price: Option<f64>,
) -> Option<Vec<V2>> {
    scratch.begin(nav);
    let bearings = scratch.landmarks.as_ref().and_then(|l| l.bearings(nav, goal));
    let mut search = Search { nav, scratch, goal, fast, price, bearings, survey: None };
    search.mark_way_to_goal();
    search.push_start(start);
    search.run()
}

/// Returns the length of the shortest path from a place to every point of the plan; infinite where there is none.
/// `None` if that takes too long.
pub(crate) fn flood(nav: &Nav, scratch: &mut Scratch, start: Spot) -> Option<Vec<f64>> {
    scratch.begin(nav);
    scratch.gave_up = false;
    let goal = Spot { point: start.point, poly: NONE };
    let survey = Some(vec![f64::INFINITY; nav.points.len()]);
    let mut search = Search { nav, scratch, goal, fast: false, price: None, bearings: None, survey };
    search.push_start(start);
    search.run();
    let found = search.survey;
    if scratch.gave_up { None } else { found }
}

impl Search<'_> {
    fn mark_way_to_goal(&mut self) {
        let mut poly = self.goal.poly;
        while poly != NONE {
            put(&mut self.scratch.toward_goal, poly as usize, self.scratch.query);
            poly = self.nav.way_out.get(poly as usize).copied().unwrap_or(NONE);
        }
    }

    fn push_start(&mut self, start: Spot) {
        for edge in self.nav.edges(start.poly) {
            let (right, left) = (edge, self.nav.after(edge));
            let node = Node {
                root: start.point,
                left: self.nav.point(left),
                right: self.nav.point(right),
                length: 0.0,
                root_vertex: NONE,
                left_vertex: self.nav.vertex(left),
                right_vertex: self.nav.vertex(right),
                edge,
                turned: NONE,
            };
            self.leave(node);
        }
    }

    /// Crosses the edge of `node` (given as the polygon that is left has it) and queues the node if that can help.
    fn leave(&mut self, node: Node) {
        if let Some(gate) = self.nav.gate(node.edge)
            && self.is_open(&gate)
        {
            self.enter(node, &gate);
        }
    }

    /// Returns `true` if a gate may lead to the goal: down a dead end only if the goal is there, over ground of the
    /// right price.
    #[inline]
    fn is_open(&self, gate: &Gate) -> bool {
        let needed =
            !gate.dead_end || at(&self.scratch.toward_goal, gate.into as usize) == self.scratch.query;
        needed && self.price.is_none_or(|price| self.nav.poly(gate.into).cost == price)
    }

    /// Queues a node that goes through a gate.
    fn enter(&mut self, mut node: Node, gate: &Gate) {
        // Nobody gets through an edge that is a mere point of the plan.
        if node.left == node.right {
            return;
        }
        node.edge = gate.mate;
        if self.fast {
            let new = stretch(&node, gate);
            let query = self.scratch.query;
            let Some(entered) = self.scratch.entered.get_mut(gate.mate as usize) else { return };
            if entered.beats(query, &new) {
                return;
            }
            entered.add(query, new);
        }
        let mut bound = self.bound(&node);
        if self.fast {
            bound = node.length + (bound - node.length) * HASTE;
        }
        let waiting = Reverse((bound.max(0.0).to_bits(), self.scratch.nodes.len() as u32));
        self.scratch.nodes.push(node);
        self.scratch.wait(waiting);
    }

    /// Returns a length that no path through the node falls short of.
    fn bound(&mut self, node: &Node) -> f64 {
        let (_, square) = nearest_on_segment(node.root, node.left, node.right);
        if let Some(survey) = &mut self.survey {
            for (p, v) in [(node.left, node.left_vertex), (node.right, node.right_vertex)] {
                if let Some(known) = survey.get_mut(v as usize) {
                    *known = known.min(node.length + distance2(node.root, p));
                }
            }
            return node.length + square.sqrt();
        }
        let straight = node.length + self.shortest_through(node);
        let (Some(landmarks), Some(bearings)) = (&self.scratch.landmarks, &self.bearings) else {
            return straight;
        };
        let Some(least) = self.scratch.least.get_mut(node.edge as usize) else { return straight };
        if least.0 != self.scratch.query {
            *least = (self.scratch.query, landmarks.beyond_edge(node.edge, bearings));
        }
        let through = node.length + square.sqrt() + least.1;
        let Some(root) = self.scratch.least_from.get_mut(node.root_vertex as usize) else {
            return straight.max(through);
        };
        if root.0 != self.scratch.query {
            *root = (self.scratch.query, landmarks.beyond_point(node.root_vertex, bearings));
        }
        straight.max(through).max(node.length + root.1)
    }

    /// Returns the shortest way from the root through the stretch to the goal, were nothing else in the way.
    fn shortest_through(&self, node: &Node) -> f64 {
        if let Some(by) = self.onto_flat_goal(node) {
            return distance2(node.root, by) + distance2(by, self.goal.point);
        }
        let (root, goal) = (node.root, self.mirrored_goal(node));
        match self.side_of_goal(node, goal) {
            Side::Straight => distance2(root, goal),
            Side::Left => distance2(root, node.left) + distance2(node.left, goal),
            Side::Right => distance2(root, node.right) + distance2(node.right, goal),
        }
    }

    /// On which side of the stretch the way from the root to the goal passes.
    fn side_of_goal(&self, node: &Node, goal: V2) -> Side {
        let (d, left, right) =
            (sub2(goal, node.root), sub2(node.left, node.root), sub2(node.right, node.root));
        if self.nav.is_between(node.root_vertex, left, right) {
            Side::Straight
        } else if cross2(left, d) > 0.0 {
            Side::Left
        } else if cross2(right, d) < 0.0 {
            Side::Right
        } else {
            Side::Straight
        }
    }

    /// If the goal is on an upright face that is entered here, the place of the stretch nearest to it.
    fn onto_flat_goal(&self, node: &Node) -> Option<V2> {
        let poly = at(&self.nav.owner, node.edge as usize);
        if poly != self.goal.poly || !self.nav.poly(poly).flat {
            return None;
        }
        let (t, _) = nearest_on_segment(self.goal.point, node.left, node.right);
        Some(lerp2(node.left, node.right, t))
    }

    /// Returns the goal, mirrored to the far side of the stretch if it lies on the near one.
    fn mirrored_goal(&self, node: &Node) -> V2 {
        let goal = self.goal.point;
        let along = sub2(node.left, node.right);
        let (a, b) = (cross2(along, sub2(node.root, node.right)), cross2(along, sub2(goal, node.right)));
        // The polygon that is entered lies to the right of the way from right to left.
        let length = dot2(along, along);
        if b > 0.0 && length > 0.0 && a >= 0.0 {
            let back = 2.0 * b / length;
            return [goal[0] + along[1] * back, goal[1] - along[0] * back];
        }
        goal
    }

    fn run(&mut self) -> Option<Vec<V2>> {
        // Far more nodes than any sound plan needs; where faces lie on top of each other in heaps, this is the end.
        let most = 50_000 + 8 * self.nav.ring.len();
        while let Some(Reverse((_, index))) = self.scratch.next() {
            let node = self.scratch.nodes.get(index as usize).copied()?;
            if node.root_vertex != NONE && self.scratch.is_beaten(node.root_vertex, node.length) {
                continue;
            }
            let poly = at(&self.nav.owner, node.edge as usize);
            if poly == self.goal.poly {
                return Some(self.path(&node));
            }
            if self.scratch.nodes.len() > most {
                self.scratch.gave_up = true;
                return None;
            }
            if self.nav.poly(poly).flat {
                self.cross_flat(&node, index, poly)
            } else {
                self.expand(&node, index)
            }
        }
        None
    }

    fn path(&self, last: &Node) -> Vec<V2> {
        let mut out = vec![self.goal.point];
        match (self.onto_flat_goal(last), self.side_of_goal(last, self.goal.point)) {
            (Some(by), _) => out.push(by),
            (None, Side::Straight) => {}
            (None, Side::Left) => out.push(last.left),
            (None, Side::Right) => out.push(last.right),
        }
        let mut node = *last;
        loop {
            if out.last() != Some(&node.root) {
                out.push(node.root);
            }
            match self.scratch.nodes.get(node.turned as usize) {
                Some(up) => node = *up,
                None => break,
            }
        }
        out.reverse();
        out
    }

    /// Looks through the stretch at the other edges of the polygon.
    fn expand(&mut self, node: &Node, index: u32) {
        let nav = self.nav;
        let (root, edge) = (node.root, node.edge);
        let (to_left, to_right) = (sub2(node.left, root), sub2(node.right, root));
        // From a point of its border all of the polygon is seen.
        let all = nav.is_between(node.root_vertex, to_left, to_right);
        if all {
            // Around a point that is no corner one could look for ever.
            let new = Turn {
                query: self.scratch.query,
                vertex: node.root_vertex,
                heading: 0.0,
                length: node.length,
            };
            let slots = self.scratch.looks.get_mut(edge as usize);
            let slot = slots.and_then(|l| l.get_mut(usize::from(root == node.right)));
            if !slot.is_some_and(|slot| slot.is_news(new)) {
                return;
            }
        }
        let can_left = !all && at(&nav.corner, node.left_vertex as usize);
        let can_right = !all && at(&nav.corner, node.right_vertex as usize);
        let turn_left = if can_left { node.length + to_left[0].hypot2(to_left[1]) } else { 0.0 };
        let turn_right = if can_right { node.length + to_right[0].hypot2(to_right[1]) } else { 0.0 };
        let mut may_left = can_left && !self.scratch.is_beaten(node.left_vertex, turn_left);
        let mut may_right = can_right && !self.scratch.is_beaten(node.right_vertex, turn_right);
        let around_left = node.around(node.left, node.left_vertex, turn_left, index);
        let around_right = node.around(node.right, node.right_vertex, turn_right, index);
        let mut noted = [false; 2];
        let from_right = |p: V2| if all { 1.0 } else { side(to_right, sub2(p, root)) };
        let from_left = |p: V2| if all { -1.0 } else { side(to_left, sub2(p, root)) };
        for gate in nav.gates(at(&nav.owner, edge as usize)) {
            if gate.edge != edge && self.is_open(gate) {
                let Gate { a, b, va, vb, edge: current, .. } = *gate;
                let (ar, br) = (from_right(a), from_right(b));
                // Most edges are out of sight, and mostly there is no turning toward them.
                if ar < 0.0 && br <= 0.0 && !may_right {
                    continue;
                }
                let (al, bl) = (from_left(a), from_left(b));
                if al >= 0.0 && bl > 0.0 && !may_left {
                    continue;
                }
                let (enter, exit) = visible([ar, br], [al, bl]);
                let first = if enter > 0.0 { (lerp2(a, b, enter), NONE) } else { (a, va) };
                let last = if exit < 1.0 { (lerp2(a, b, exit), NONE) } else { (b, vb) };
                if enter > 0.0 && may_right {
                    if !noted[1] {
                        noted[1] = true;
                        may_right = self.turn(edge, 1, node.right_vertex, turn_right, heading(to_right));
                    }
                    if may_right {
                        let upto = if enter < 1.0 { first } else { (b, vb) };
                        self.enter(around_right.through(current, (a, va), upto), gate);
                    }
                }
                if enter < exit {
                    self.enter(node.through(current, first, last), gate);
                }
                if exit < 1.0 && may_left {
                    if !noted[0] {
                        noted[0] = true;
                        may_left = self.turn(edge, 0, node.left_vertex, turn_left, heading(to_left));
                    }
                    if may_left {
                        let from = if exit > 0.0 { last } else { (a, va) };
                        self.enter(around_left.through(current, from, (b, vb)), gate);
                    }
                }
            }
        }
    }

    /// Notes a turn around a corner into a polygon; false if the very same turn was made before, or a shorter way is known.
    fn turn(&mut self, edge: u32, side: usize, vertex: u32, length: f64, heading: f64) -> bool {
        if !self.scratch.reach(vertex, length) {
            return false;
        }
        let new = Turn { query: self.scratch.query, vertex, heading, length };
        let slot = self.scratch.turns.get_mut(edge as usize).and_then(|t| t.get_mut(side));
        slot.is_some_and(|slot| slot.is_news(new))
    }

    /// Crosses a polygon without area: what is seen of the one edge is seen of those that lie on it.
    fn cross_flat(&mut self, node: &Node, index: u32, poly: u32) {
        let nav = self.nav;
        let along = sub2(node.right, node.left);
        let size = dot2(along, along);
        if size <= 0.0 {
            return;
        }
        for edge in nav.edges(poly) {
            if edge == node.edge {
                continue;
            }
            let next = nav.after(edge);
            let place = |p: V2| dot2(sub2(p, node.left), along) / size;
            let (left, right) = (next, edge);
            let (from, to) = (place(nav.point(left)), place(nav.point(right)));
            // What lies beyond an edge that runs the other way folds back over where the path comes from.
            if from > to {
                continue;
            }
            let own = |edge: u32| (nav.point(edge), nav.vertex(edge));
            let end = |is_own: bool, edge: u32, other: (V2, u32)| if is_own { own(edge) } else { other };
            if to.min(1.0) - from.max(0.0) > 1e-12 {
                let (l, lv) = end(from >= 0.0, left, (node.left, node.left_vertex));
                let (r, rv) = end(to <= 1.0, right, (node.right, node.right_vertex));
                self.leave(Node { left: l, left_vertex: lv, right: r, right_vertex: rv, edge, ..*node });
            }
            // Along the line beyond the ends of the stretch.
            if to > 1.0 + 1e-12 && node.right_vertex != NONE {
                let near = end(from > 1.0, left, (node.right, node.right_vertex));
                let root = self.walk_to(node, index, (node.right, node.right_vertex), near);
                let (r, rv) = own(right);
                self.leave(Node {
                    left: near.0,
                    left_vertex: near.1,
                    right: r,
                    right_vertex: rv,
                    edge,
                    ..root
                });
            }
            if from < -1e-12 && node.left_vertex != NONE {
                let near = end(to < 0.0, right, (node.left, node.left_vertex));
                let root = self.walk_to(node, index, (node.left, node.left_vertex), near);
                let (l, lv) = own(left);
                self.leave(Node {
                    left: l,
                    left_vertex: lv,
                    right: near.0,
                    right_vertex: near.1,
                    edge,
                    ..root
                });
            }
        }
    }

    /// Returns a node whose root is `near`, come to by way of `turn`.
    fn walk_to(&mut self, node: &Node, index: u32, turn: (V2, u32), near: (V2, u32)) -> Node {
        let first = Node {
            root: turn.0,
            root_vertex: turn.1,
            length: node.length + distance2(node.root, turn.0),
            turned: index,
            ..*node
        };
        if turn.0 == near.0 {
            return first;
        }
        let turned = self.scratch.nodes.len() as u32;
        self.scratch.nodes.push(first);
        Node {
            root: near.0,
            root_vertex: near.1,
            length: first.length + distance2(turn.0, near.0),
            turned,
            ..first
        }
    }
}

/// Returns the node's stretch as parts of the gate it goes through.
fn stretch(node: &Node, gate: &Gate) -> Stretch {
    let d = sub2(gate.a, gate.b);
    let size = dot2(d, d);
    let part = |p: V2| if size > 0.0 { dot2(sub2(p, gate.b), d) / size } else { 0.0 };
    Stretch {
        low: part(node.left),
        high: part(node.right),
        to_low: node.length + distance2(node.root, node.left),
        to_high: node.length + distance2(node.root, node.right),
    }
}

/// Returns where the right and the left ray cut an edge, as fractions of it. Its ends are given by the side of each ray
/// they are on: what is seen is left of the right ray (positive) and right of the left one (negative). An edge along a
/// ray is seen, if only from its end.
#[inline]
fn visible([ar, br]: [f64; 2], [al, bl]: [f64; 2]) -> (f64, f64) {
    let enter = if ar >= 0.0 && (br > 0.0 || ar == br) {
        0.0
    } else if br <= 0.0 {
        1.0
    } else {
        ar / (ar - br)
    };
    let exit = if bl <= 0.0 && (al < 0.0 || al == bl) {
        1.0
    } else if al >= 0.0 {
        0.0
    } else {
        al / (al - bl)
    };
    (enter, exit)
}

/// Returns a number from 0 to 4 that grows with the angle of a direction.
fn heading(d: V2) -> f64 {
    let part = d[0] / (d[0].abs() + d[1].abs());
    if d[1] >= 0.0 { 1.0 - part } else { 3.0 + part }
}

/// On which side of the first direction the second points: positive to the left, exactly zero where only rounding could tell.
#[inline]
fn side(a: V2, b: V2) -> f64 {
    let side = cross2(a, b);
    // Far more than rounding can make of coordinates below a thousand kilometres.
    if side.abs() > 1.0 {
        return side;
    }
    let size = (a[0].abs() + a[1].abs()) * (b[0].abs() + b[1].abs());
    if side.abs() <= 1e-12 * size { 0.0 } else { side }
}

enum Side {
    Left,
    Straight,
    Right,
}

trait Hypot2 {
    fn hypot2(self, other: f64) -> f64;
}

impl Hypot2 for f64 {
    /// Returns the plain root of the sum of squares; `hypot` is not the same on every platform.
    #[inline]
    fn hypot2(self, other: f64) -> f64 {
        (self * self + other * other).sqrt()
    }
}
