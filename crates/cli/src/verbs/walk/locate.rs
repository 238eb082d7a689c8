//! `galatea walk locate`: where one stands.

use std::io::{self, Write};

use clap::Args;
use galatea::walk::Reach;
use serde_json::json;

use super::place::Place;
use super::{Spot, Wrong, place_json, spot};

#[derive(Args)]
pub(crate) struct Locate {
    #[command(flatten)]
    place: Place,
    /// Where: X,Y for the highest ground, X,Y,Z for the ground below (or a step above) that point
    #[arg(long, value_name = "POINT", required = true, value_parser = spot, allow_hyphen_values = true)]
    at: Vec<Spot>,
    /// Only ground of these materials (name or number) [default: all that are walkable]
    #[arg(long, value_name = "MATERIAL")]
    material: Vec<String>,
    /// How far above the point the ground may be
    #[arg(long, value_name = "METRES", default_value_t = 0.5)]
    step: f32,
    /// How far below the point the ground may be [default: any depth]
    #[arg(long, value_name = "METRES")]
    drop: Option<f32>,
}

impl Locate {
    pub(super) fn run(&self) -> Result<(), Wrong> {
        let world = self.place.open()?;
        let mesh = world.area.mesh();
        let of = if self.material.is_empty() {
            mesh.walkable_materials()
        } else {
            world.materials(&self.material)?
        };
        let reach = Reach { step: self.step, drop: self.drop.unwrap_or(f32::INFINITY) };
        let footings: Vec<_> =
            self.at.iter().map(|at| world.stand(*at, reach, of)).collect::<Result<_, Wrong>>()?;
        let points: Vec<[f32; 3]> =
            self.at.iter().zip(&footings).map(|(at, f)| [at.x, at.y, f.height]).collect();
        self.place.map.draw(&world, |strokes| {
            for point in &points {
                strokes.mark(*point);
            }
        })?;
        let mut out = io::stdout().lock();
        for (point, footing) in points.iter().zip(&footings) {
            let [_, _, z] = *point;
            let [nx, ny, nz] = mesh.normal(footing.face);
            let neighbours: Vec<_> = (0..3).map(|e| mesh.neighbour(footing.face, e).map(|n| n.0)).collect();
            let exits: Vec<u32> = (0..3).filter_map(|e| mesh.transition(footing.face, e)).collect();
            if self.place.json {
                let mut line = world.face_json(footing.face);
                let more = json!({
                    "point": place_json(*point), "normal": place_json([nx, ny, nz]),
                    "walkable": mesh.is_walkable(footing.face), "neighbours": neighbours, "transitions": exits,
                });
                if let (Some(line), serde_json::Value::Object(more)) = (line.as_object_mut(), more) {
                    line.extend(more);
                }
                writeln!(out, "{line}")?;
                continue;
            }
            write!(out, "face {}, {}, height {z:.3}, ", footing.face, world.made_of(footing.face))?;
            write!(out, "normal {nx:.3},{ny:.3},{nz:.3}")?;
            let known: Vec<String> = neighbours.iter().flatten().map(u32::to_string).collect();
            if !known.is_empty() {
                write!(out, ", beside {}", known.join(" "))?;
            }
            if let Some((number, name)) = world.room(footing.face) {
                write!(out, ", room {number} {}", galatea::wire::escape(name))?;
            }
            for room in exits {
                write!(out, ", leads to room {room}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
