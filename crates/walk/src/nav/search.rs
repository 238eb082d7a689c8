//! Shortest paths over the plan (Polyanya: Cui, Harabor, Grastien, "Compromise-free Pathfinding on a Navigation Mesh").
//!
//! A search node is an interval of an edge that is fully visible from a root: the last point where the path turned. Nodes are
//! expanded in the order of a lower bound of the length of all paths through them, so the first one to reach the goal's
//! polygon gives the shortest path.

use std::cmp::Reverse;

use super::half_edge_mesh::{Gate, NONE, Nav};
use super::landmarks::Bearings;
use super::scratch::{Interval, Node, Scratch, Turn};
use crate::vector::{V2, at, cross2, distance2, dot2, lerp2, nearest_on_segment, put, sub2};

/// Weight of the remaining distance in the fast search. It bounds the extra length of its paths, except for what it
/// prunes.
const GOAL_WEIGHT: f64 = 1.06;

/// A point of the plan and its polygon.
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
    /// The shortest known length to every point, if distances to all points are computed; there is no goal then.
    survey: Option<Vec<f64>>,
}

/// Returns the turning points of the shortest path, start and goal included; `None` if there is none. The fast search
/// enters every edge once, by the best node, so its path may be slightly longer.
pub(crate) fn search(
    nav: &Nav,
    scratch: &mut Scratch,
    start: Spot,
    goal: Spot,
    fast: bool,
) -> Option<Vec<V2>> {
    search_where(nav, scratch, start, goal, fast, None)
}

/// Returns the shortest path over ground of one cost.
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
        // Each search falls back to the other, once.
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

/// Returns the length of the shortest path from a point to every point of the plan; infinite where there is none.
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

    /// Crosses the edge of `node` (given in the polygon that is left) and queues the node if it can lead to the goal.
    fn leave(&mut self, node: Node) {
        if let Some(gate) = self.nav.gate(node.edge)
            && self.is_open(&gate)
        {
            self.enter(node, &gate);
        }
    }

    /// Returns `true` if a gate may lead to the goal: over ground of the right cost, and into a dead end only if the goal is
    /// there.
    #[inline]
    fn is_open(&self, gate: &Gate) -> bool {
        let needed =
            !gate.dead_end || at(&self.scratch.toward_goal, gate.into as usize) == self.scratch.query;
        needed && self.price.is_none_or(|price| self.nav.poly(gate.into).cost == price)
    }

    /// Queues a node that passes through a gate.
    fn enter(&mut self, mut node: Node, gate: &Gate) {
        // An edge of length 0 in the plan cannot be crossed.
        if node.left == node.right {
            return;
        }
        node.edge = gate.mate;
        if self.fast {
            let new = interval(&node, gate);
            let query = self.scratch.query;
            let Some(entered) = self.scratch.entered.get_mut(gate.mate as usize) else { return };
            if entered.dominates(query, &new) {
                return;
            }
            entered.add(query, new);
        }
        let mut bound = self.bound(&node);
        if self.fast {
            bound = node.length + (bound - node.length) * GOAL_WEIGHT;
        }
        let waiting = Reverse((bound.max(0.0).to_bits(), self.scratch.nodes.len() as u32));
        self.scratch.nodes.push(node);
        self.scratch.wait(waiting);
    }

    /// Returns a lower bound of the length of all paths through the node.
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

    /// Returns the length of the shortest line from the root through the interval to the goal, ignoring all obstacles.
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

    /// Returns the side of the interval on which the line from the root to the goal passes.
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

    /// Returns the point of the interval nearest to the goal, if the goal is on a vertical face that is entered here.
    fn onto_flat_goal(&self, node: &Node) -> Option<V2> {
        let poly = at(&self.nav.owner, node.edge as usize);
        if poly != self.goal.poly || !self.nav.poly(poly).flat {
            return None;
        }
        let (t, _) = nearest_on_segment(self.goal.point, node.left, node.right);
        Some(lerp2(node.left, node.right, t))
    }

    /// Returns the goal, mirrored to the far side of the interval if it is on the near side.
    fn mirrored_goal(&self, node: &Node) -> V2 {
        let goal = self.goal.point;
        let along = sub2(node.left, node.right);
        let (a, b) = (cross2(along, sub2(node.root, node.right)), cross2(along, sub2(goal, node.right)));
        // The polygon that is entered is to the right of the line from the right to the left end.
        let length = dot2(along, along);
        if b > 0.0 && length > 0.0 && a >= 0.0 {
            let back = 2.0 * b / length;
            return [goal[0] + along[1] * back, goal[1] - along[0] * back];
        }
        goal
    }

    fn run(&mut self) -> Option<Vec<V2>> {
        // Far more nodes than any valid plan needs: a limit for plans with many faces on top of each other.
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

    /// Expands a node: finds the parts of the polygon's other edges that are visible through the interval.
    fn expand(&mut self, node: &Node, index: u32) {
        let nav = self.nav;
        let (root, edge) = (node.root, node.edge);
        let (to_left, to_right) = (sub2(node.left, root), sub2(node.right, root));
        // The whole polygon is visible from a point of its border.
        let all = nav.is_between(node.root_vertex, to_left, to_right);
        if all {
            // Around a point that is not a corner this would not terminate.
            let new = Turn {
                query: self.scratch.query,
                vertex: node.root_vertex,
                heading: 0.0,
                length: node.length,
            };
            let slots = self.scratch.looks.get_mut(edge as usize);
            let slot = slots.and_then(|l| l.get_mut(usize::from(root == node.right)));
            if !slot.is_some_and(|slot| slot.record(new)) {
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
                // Most edges are not visible, and most of those cannot be reached by a turn.
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

    /// Records a turn around a corner into a polygon. Returns `false` if the same turn was made before or a shorter path is
    /// known.
    fn turn(&mut self, edge: u32, side: usize, vertex: u32, length: f64, heading: f64) -> bool {
        if !self.scratch.reach(vertex, length) {
            return false;
        }
        let new = Turn { query: self.scratch.query, vertex, heading, length };
        let slot = self.scratch.turns.get_mut(edge as usize).and_then(|t| t.get_mut(side));
        slot.is_some_and(|slot| slot.record(new))
    }

    /// Crosses a polygon without area: the visible interval of one edge is projected onto the edges that coincide with it.
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
            // Beyond an edge of opposite direction, the surface folds back over the polygon that the path comes from.
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
            // Along the line beyond the ends of the interval.
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

    /// Returns a node whose root is `near`, reached by way of `turn`.
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

/// Returns the node's interval as fractions of the gate it passes through.
fn interval(node: &Node, gate: &Gate) -> Interval {
    let d = sub2(gate.a, gate.b);
    let size = dot2(d, d);
    let part = |p: V2| if size > 0.0 { dot2(sub2(p, gate.b), d) / size } else { 0.0 };
    Interval {
        low: part(node.left),
        high: part(node.right),
        to_low: node.length + distance2(node.root, node.left),
        to_high: node.length + distance2(node.root, node.right),
    }
}

/// Returns where the right and the left ray intersect an edge, as fractions of it. The ends of the edge are given by the side
/// of each ray they are on: the visible part is left of the right ray (positive) and right of the left ray (negative). An
/// edge along a ray is visible.
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

/// Returns a number from 0 to 4 that increases with the angle of a direction.
fn heading(d: V2) -> f64 {
    let part = d[0] / (d[0].abs() + d[1].abs());
    if d[1] >= 0.0 { 1.0 - part } else { 3.0 + part }
}

/// Returns the side of the first direction to which the second points: positive for left, exactly zero if the sign would
/// depend on rounding.
#[inline]
fn side(a: V2, b: V2) -> f64 {
    let side = cross2(a, b);
    // Far more than the rounding error of coordinates below a thousand kilometres.
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
    /// Returns the square root of the sum of squares; `hypot` differs between platforms.
    #[inline]
    fn hypot2(self, other: f64) -> f64 {
        (self * self + other * other).sqrt()
    }
}
