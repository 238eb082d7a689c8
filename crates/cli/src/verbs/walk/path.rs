//! `galatea walk path`: the way from one point to another.

use std::io::{self, Write};

use clap::Args;
use galatea::walk::{self, Agent, Effort, Reach, Route};
use serde_json::{Value, json};

use super::place::{Place, World};
use super::{Spot, Wrong, place_json, spot};
use crate::terminal::Table;

#[derive(Args)]
pub(crate) struct Path {
    #[command(flatten)]
    place: Place,
    /// Where it starts: X,Y on the highest ground, X,Y,Z on the ground below that point
    #[arg(long, value_name = "POINT", value_parser = spot, allow_hyphen_values = true)]
    from: Spot,
    /// Where it ends
    #[arg(long, value_name = "POINT", value_parser = spot, allow_hyphen_values = true)]
    to: Spot,
    /// Distance that the path keeps from every border
    #[arg(long, value_name = "METRES", default_value_t = 0.0)]
    radius: f32,
    /// Do not walk on this material (name or number)
    #[arg(long, value_name = "MATERIAL")]
    forbid: Vec<String>,
    /// Cost of a metre on a material, such as Water=3; 1 on all others
    #[arg(long, value_name = "MATERIAL=PRICE")]
    cost: Vec<String>,
    /// Find a path sooner, which may be slightly longer
    #[arg(long)]
    fast: bool,
    /// How far above the given points the ground may be
    #[arg(long, value_name = "METRES", default_value_t = 0.5)]
    step: f32,
    /// How far below the given points the ground may be [default: any depth]
    #[arg(long, value_name = "METRES")]
    drop: Option<f32>,
}

const HEAD: &[&str] = &["x", "y", "z", "face", "material"];

impl Path {
    pub(super) fn run(&self) -> Result<(), Wrong> {
        let world = self.place.open()?;
        let agent = self.agent(&world)?;
        let of = world.area.mesh().walkable_materials().minus(agent.forbidden);
        // Asked here first, so that a point off the mesh is named with what is near it.
        for point in [self.from, self.to] {
            world.stand(point, agent.reach, of)?;
        }
        let effort = if self.fast { Effort::Fast } else { Effort::Exact };
        let ends = [self.from, self.to].map(|s| world.point(s));
        let route = world.area.navigator(&agent).route(ends[0], ends[1], effort);
        let path = match route {
            Route::Found(path) => Some(path),
            Route::NoStart | Route::NoGoal => {
                let at = if route == Route::NoStart { self.from } else { self.to };
                let what =
                    format!("{}: there is no room for a radius of {} at {at}", world.name, self.radius);
                return Err(Wrong::Input(what));
            }
            _ => None,
        };
        self.place.map.draw(&world, |strokes| match &path {
            Some(path) => strokes.path(path),
            None => [self.from, self.to].into_iter().for_each(|s| {
                if let Ok(footing) = world.stand(s, agent.reach, of) {
                    strokes.mark([s.x, s.y, footing.height]);
                }
            }),
        })?;
        self.print(&world, path.as_ref(), ends)
    }

    fn agent(&self, world: &World) -> Result<Agent, Wrong> {
        if !(self.radius >= 0.0 && self.radius.is_finite()) {
            return Err(Wrong::Input(format!("{} is not a valid radius", self.radius)));
        }
        let mut costs = Vec::new();
        for text in &self.cost {
            let wrong = || Wrong::Input(format!("`{text}` is not a cost; expected one such as Water=3"));
            let (name, price) = text.split_once('=').ok_or_else(wrong)?;
            let price = super::number(price).filter(|p| *p > 0.0).ok_or_else(wrong)?;
            costs.push((world.material(name)?, price));
        }
        Ok(world
            .agent(Reach { step: self.step, drop: self.drop.unwrap_or(f32::INFINITY) })
            .with_radius(self.radius)
            .with_forbidden(world.materials(&self.forbid)?)
            .with_costs(costs))
    }

    fn print(
        &self,
        world: &World,
        path: Option<&walk::Path>,
        [from, to]: [[f32; 3]; 2],
    ) -> Result<(), Wrong> {
        let mut out = io::stdout().lock();
        let Some(path) = path else {
            if self.place.json {
                let line = json!({ "path": world.name, "status": "unreachable", "from": place_json(from), "to": place_json(to) });
                return Ok(writeln!(out, "{line}")?);
            }
            return Ok(writeln!(out, "unreachable: nothing joins {} and {}", self.from, self.to)?);
        };
        let crossings = world.area.crossings(path);
        if self.place.json {
            let point = |p: &walk::PathPoint| {
                let mut line = world.face_json(p.face);
                if let Some(line) = line.as_object_mut() {
                    line.insert("point".into(), place_json(p.point));
                }
                line
            };
            let points: Vec<Value> = path.points.iter().map(point).collect();
            let crossings: Vec<Value> = crossings
                .iter()
                .map(|c| json!({ "from": c.from, "to": c.to, "transition": c.transition }))
                .collect();
            let line = json!({
                "path": world.name, "status": "found", "length": path.length, "cost": path.cost,
                "shortest": path.is_shortest, "points": points, "faces": path.faces, "crossings": crossings,
            });
            return Ok(writeln!(out, "{line}")?);
        }
        let mut table = Table::new(HEAD);
        for p in &path.points {
            let [x, y, z] = p.point.map(|c| format!("{c:.3}"));
            table.row(vec![x, y, z, p.face.to_string(), world.made_of(p.face)], &mut out)?;
        }
        table.finish(&mut out)?;
        for c in crossings {
            let name = |room: u32| {
                galatea::wire::escape(world.area.rooms().get(room as usize).map_or("", String::as_str))
            };
            let says = c.transition.map_or_else(|| "no transition".into(), |t| format!("transition {t}"));
            writeln!(out, "from room {} {} to room {} {}, {says}", c.from, name(c.from), c.to, name(c.to))?;
        }
        write!(out, "length {:.3}", path.length)?;
        if path.cost != path.length {
            write!(out, ", cost {:.3}", path.cost)?;
        }
        let promise = if path.is_shortest { ", the shortest" } else { "" };
        Ok(writeln!(out, ", {} points, {} faces{promise}", path.points.len(), path.faces.len())?)
    }
}
