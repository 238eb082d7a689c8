//! Walking from one place to another.

use crate::bvh::Aabb;
use crate::locate::{Footing, Reach};
use crate::material::Materials;
use crate::mesh::Walkmesh;
use crate::nav::{self, Cut, Nav, Scratch, Spot, Tracer};
use crate::vector::{V2, distance2, f32s, plan};

/// Who walks, and where they may.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Agent {
    /// How far from every border the path has to keep.
    pub radius: f32,
    /// Materials that are not to be walked on, although they could be.
    pub forbidden: Materials,
    /// What a metre costs on some materials; 1 on all others. Dearer ground is crossed if the way around is longer still.
    pub costs: Vec<(u32, f32)>,
    /// How far from the given points the ground may be.
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

/// How hard to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Effort {
    /// The shortest path there is.
    #[default]
    Exact,
    /// A path that is found several times faster and seldom longer.
    Fast,
}

/// A point of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// The point, on the surface.
    pub point: [f32; 3],
    /// The face it lies on.
    pub face: u32,
}

/// A path over the surface. Between two points it runs straight in the plan.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Path {
    /// The start, every point where the path turns, the goal.
    pub points: Vec<PathPoint>,
    /// Every face it crosses, in order.
    pub faces: Vec<u32>,
    /// Its length in the plan.
    pub length: f64,
    /// What it costs: its length, where nothing has a price.
    pub cost: f64,
    /// Whether no shorter path exists. Fast paths and those over ground of different prices promise less.
    pub is_shortest: bool,
}

/// The answer to "how do I get there?".
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Route {
    /// Like this.
    Found(Path),
    /// Not at all: both ends are on the surface, but nothing joins them.
    Unreachable,
    /// There is no ground under the start.
    NoStart,
    /// There is no ground under the goal.
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

/// Finds paths for one agent. Made once, asked often.
///
/// ```
/// use galatea_walk::{Agent, Effort, Navigator, Route, Surface, Walkmesh};
/// // Two squares that meet in a corner stone: an L.
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

    /// Returns the same, less what the cuts cover.
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

    /// Surveys the plan for many queries: fewer places are then looked at for each. Takes as long as some hundred of them.
    /// Where two paths are equally short, the other one may be found than without.
    pub fn prepare(&mut self) {
        if self.scratch.landmarks.is_none() && !self.has_costs {
            self.scratch.landmarks = nav::Landmarks::survey(&self.nav, &mut self.scratch);
        }
    }

    /// Returns how many convex polygons the plan has.
    pub fn polygons(&self) -> usize {
        self.nav.polys.len()
    }

    /// Returns the route between two points, each put on the ground below it within the agent's reach.
    pub fn route(&mut self, from: [f32; 3], to: [f32; 3], effort: Effort) -> Route {
        let of = self.mesh.walkable_materials().minus(self.agent.forbidden);
        let Some(start) = self.mesh.locate_among(from, self.agent.reach, of) else { return Route::NoStart };
        let Some(goal) = self.mesh.locate_among(to, self.agent.reach, of) else { return Route::NoGoal };
        self.route_between((start.face, plan(from)), (goal.face, plan(to)), effort)
    }

    /// Returns the route between two places of the plan on known faces.
    pub fn route_between(&mut self, from: (u32, [f64; 2]), to: (u32, [f64; 2]), effort: Effort) -> Route {
        let Some(start) = self.spot(from) else { return Route::NoStart };
        let Some(goal) = self.spot(to) else { return Route::NoGoal };
        // One direction is searched and the path turned around for the other, so that the way back is the way there. Where
        // upright faces fold the surface up, one direction may succeed where the other does not see a way.
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
        // One who stands too near to a border first steps away from it.
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

    /// Puts the turning points on the surface.
    fn finish(&mut self, turns: &[V2], start: u32, goal: u32) -> Path {
        let (mesh, agent) = (self.mesh, &self.agent);
        let open = |face: u32| {
            mesh.is_walkable(face) && mesh.material(face).is_some_and(|m| !agent.forbidden.contains(m))
        };
        // Where rooms meet with a gap, a leg may miss edges by more than rounding.
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
