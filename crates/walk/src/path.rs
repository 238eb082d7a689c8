//! Path finding.

use crate::bvh::Aabb;
use crate::locate::{Footing, Reach};
use crate::material::Materials;
use crate::mesh::Walkmesh;
use crate::nav::{self, Cut, Nav, Scratch, Spot, Tracer};
use crate::vector::{V2, distance2, f32s, plan};

/// The properties of a walker.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Agent {
    /// Radius: the minimum distance of a path from all borders.
    pub radius: f32,
    /// Walkable materials that must be avoided.
    pub forbidden: Materials,
    /// Cost per metre of some materials; 1 for all others. Expensive ground is crossed if the detour costs more.
    pub costs: Vec<(u32, f32)>,
    /// Vertical range in which the ground of start and goal is found.
    pub reach: Reach,
}

galatea_wire::setters! {
    Agent {
        with_radius: radius: f32,
        with_forbidden: forbidden: Materials,
        with_costs: costs: Vec<(u32, f32)>,
        with_reach: reach: Reach,
    }
}

impl Default for Agent {
    fn default() -> Self {
        Agent { radius: 0.0, forbidden: Materials::NONE, costs: Vec::new(), reach: Reach::default() }
    }
}

/// The quality of a path search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Effort {
    /// The shortest path.
    #[default]
    Exact,
    /// A path found several times faster, which is seldom longer.
    Fast,
}

/// A point of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// The point, on the surface.
    pub point: [f32; 3],
    /// The face it is on.
    pub face: u32,
}

/// A path over the surface. Between two points it is straight in the plan.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Path {
    /// The start, every point where the path turns, the goal.
    pub points: Vec<PathPoint>,
    /// Every face it crosses, in order.
    pub faces: Vec<u32>,
    /// Its length in the plan.
    pub length: f64,
    /// Its cost; equal to the length if no material has a cost.
    pub cost: f64,
    /// Whether this is proven to be the shortest path. Fast paths and paths over ground of different costs are not.
    pub is_shortest: bool,
}

/// The result of a path query.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Route {
    /// A path was found.
    Found(Path),
    /// Start and goal are on the surface, but not connected.
    Unreachable,
    /// There is no ground at the start.
    NoStart,
    /// There is no ground at the goal.
    NoGoal,
}

impl Route {
    /// Returns the path, if there is one.
    pub fn path(self) -> Option<Path> {
        match self {
            Route::Found(path) => Some(path),
            _ => None,
        }
    }
}

/// A path finder for one agent, prepared once for many queries.
///
/// ```
/// use galatea_walk::{Agent, Effort, Navigator, Route, Surface, Walkmesh};
/// // Three squares in the shape of an L.
/// let mesh = Walkmesh::new(Surface {
///     positions: vec![
///         [0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0], [2.0, 2.0, 0.0], [4.0, 2.0, 0.0],
///         [2.0, 4.0, 0.0], [4.0, 4.0, 0.0],
///     ],
///     faces: vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [4, 5, 7], [4, 7, 6]],
///     ..Surface::default()
/// })?;
/// let mut navigator = Navigator::new(&mesh, &Agent::default());
/// let Route::Found(path) = navigator.route([0.0, 2.0, 0.0], [2.0, 4.0, 0.0], Effort::Exact) else { panic!() };
/// assert_eq!(path.points.iter().map(|p| p.point).collect::<Vec<_>>(), [[0.0, 2.0, 0.0], [2.0, 2.0, 0.0], [2.0, 4.0, 0.0]]);
/// assert_eq!(path.length, 4.0);
/// assert_eq!(navigator.route([0.0, 2.0, 0.0], [9.0, 9.0, 0.0], Effort::Exact), Route::NoGoal);
/// # Ok::<(), galatea_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Navigator<'m> {
    mesh: &'m Walkmesh,
    agent: Agent,
    nav: Nav,
    scratch: Scratch,
    tracer: Tracer,
    slack: f64,
    has_cuts: bool,
    has_costs: bool,
}

impl<'m> Navigator<'m> {
    /// Prepares the plan of all faces the agent may walk on.
    pub fn new(mesh: &'m Walkmesh, agent: &Agent) -> Navigator<'m> {
        Navigator::around(mesh, agent, Vec::new())
    }

    /// Prepares the plan without the areas covered by `cuts`.
    pub(crate) fn around(mesh: &'m Walkmesh, agent: &Agent, mut cuts: Vec<Cut>) -> Navigator<'m> {
        let open = |face: u32| {
            let material = mesh.material(face)?;
            let may = mesh.is_walkable(face) && !agent.forbidden.contains(material);
            let cost = agent.costs.iter().find(|c| c.0 == material).map_or(1.0, |c| f64::from(c.1));
            may.then_some(cost)
        };
        let radius = f64::from(agent.radius);
        if radius > 0.0 && radius.is_finite() {
            cuts.extend(nav::margins(mesh, &|face| open(face).is_some(), radius));
        }
        let nav = nav::build(mesh, &open, &cuts);
        let extent = mesh
            .positions
            .iter()
            .flatten()
            .filter(|c| c.abs() < crate::ray::FARTHEST)
            .fold(0.0f32, |m, c| m.max(c.abs()));
        Navigator {
            mesh,
            agent: agent.clone(),
            nav,
            scratch: Scratch::default(),
            tracer: Tracer::default(),
            slack: f64::from(extent) * 1e-9 + 1e-12,
            has_cuts: !cuts.is_empty(),
            has_costs: agent.costs.iter().any(|c| c.1 != 1.0),
        }
    }

    /// Precomputes landmark distances, so that each query visits fewer nodes. Takes as long as a few hundred queries. Of two
    /// paths of equal length, the other one may be found than without it.
    pub fn prepare(&mut self) {
        if self.scratch.landmarks.is_none() && !self.has_costs {
            self.scratch.landmarks = nav::Landmarks::survey(&self.nav, &mut self.scratch);
        }
    }

    /// Returns the number of convex polygons of the plan.
    pub fn polygons(&self) -> usize {
        self.nav.polys.len()
    }

    /// Returns the route between two points, each projected onto the ground within the agent's reach.
    pub fn route(&mut self, from: [f32; 3], to: [f32; 3], effort: Effort) -> Route {
        let of = self.mesh.walkable_materials().minus(self.agent.forbidden);
        let Some(start) = self.mesh.locate_among(from, self.agent.reach, of) else { return Route::NoStart };
        let Some(goal) = self.mesh.locate_among(to, self.agent.reach, of) else { return Route::NoGoal };
        self.route_between((start.face, plan(from)), (goal.face, plan(to)), effort)
    }

    /// Returns the route between two points of the plan on known faces.
    pub fn route_between(&mut self, from: (u32, [f64; 2]), to: (u32, [f64; 2]), effort: Effort) -> Route {
        let Some(start) = self.spot(from) else { return Route::NoStart };
        let Some(goal) = self.spot(to) else { return Route::NoGoal };
        // Only one direction is searched, and the path is reversed for the other, so that both directions yield the same path.
        // Where vertical faces fold the surface, one direction may succeed although the other fails.
        let turned = (from.0, from.1.map(f64::to_bits)) > (to.0, to.1.map(f64::to_bits));
        let (one, two) = if turned { (goal, start) } else { (start, goal) };
        let mut found = self.search(one, two, effort);
        let mut reverse = turned;
        if found.is_none() && self.nav.may_join(start.poly, goal.poly) {
            found = self.search(two, one, effort);
            reverse = !turned;
        }
        if let (true, Some((points, _))) = (reverse, &mut found) {
            points.reverse();
        }
        match found {
            Some((mut points, cost)) => {
                if start.point != from.1 {
                    points.insert(0, from.1);
                }
                if goal.point != to.1 {
                    points.push(to.1);
                }
                let mut path = self.finish(&points, from.0, to.0);
                path.cost = if self.has_costs { cost } else { path.length };
                path.is_shortest = effort == Effort::Exact && !self.has_costs && !self.scratch.gave_up;
                Route::Found(path)
            }
            None => Route::Unreachable,
        }
    }

    fn search(&mut self, from: Spot, to: Spot, effort: Effort) -> Option<(Vec<V2>, f64)> {
        if self.has_costs {
            return nav::weighted::search(&self.nav, &mut self.scratch, from, to);
        }
        nav::search(&self.nav, &mut self.scratch, from, to, effort == Effort::Fast)
            .map(|points| (points, 0.0))
    }

    fn spot(&self, (face, point): (u32, V2)) -> Option<Spot> {
        if !point.iter().all(|c| c.is_finite()) {
            return None;
        }
        let found = self.nav.poly_at(face, point);
        if !self.has_cuts {
            return found.map(|(poly, _)| Spot { point, poly });
        }
        if let Some((poly, depth)) = found
            && depth >= -self.nav.slack
        {
            return Some(Spot { point, poly });
        }
        // An agent too close to a border first moves away from it.
        let z = self.mesh.height_at(face, point[0], point[1]) as f32;
        let step = 2.0 * self.agent.radius + 0.1;
        let (x, y) = (point[0] as f32, point[1] as f32);
        let around = Aabb { min: [x - step, y - step, z - 1.5], max: [x + step, y + step, z + 1.5] };
        let mut best: Option<(f64, Spot)> = None;
        self.mesh.bvh().walk_box(&around, &mut |face| {
            if let Some((distance, poly, near)) = self.nav.nearest_in(face, point)
                && distance <= f64::from(step)
                && best.is_none_or(|(d, _)| distance < d)
            {
                best = Some((distance, Spot { point: near, poly }));
            }
        });
        best.map(|b| b.1)
    }

    /// Projects the turning points onto the surface.
    fn finish(&mut self, turns: &[V2], start: u32, goal: u32) -> Path {
        let (mesh, agent) = (self.mesh, &self.agent);
        let open = |face: u32| {
            mesh.is_walkable(face) && mesh.material(face).is_some_and(|m| !agent.forbidden.contains(m))
        };
        // At gaps between rooms, a leg may miss edges by more than rounding errors.
        let traced = [1.0, 1e3, 1e6]
            .iter()
            .find_map(|grow| self.tracer.trace(mesh, &open, [start, goal], turns, self.slack * grow));
        let (faces, ends) = traced.unwrap_or_else(|| (vec![start, goal], Vec::new()));
        let points = turns.iter().enumerate().map(|(i, p)| {
            let face = ends.get(i).copied().unwrap_or(if i + 1 == turns.len() { goal } else { start });
            let height = f64::from(Footing::on(mesh, face, p[0], p[1]).height);
            PathPoint { point: f32s([p[0], p[1], height]), face }
        });
        let length = turns.windows(2).map(|w| if let [a, b] = *w { distance2(a, b) } else { 0.0 }).sum();
        Path { points: points.collect(), faces, length, cost: length, is_shortest: false }
    }
}
