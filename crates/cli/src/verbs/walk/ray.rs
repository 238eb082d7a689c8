//! `galatea walk ray`: what a ray hits, and who sees whom.

use std::io::{self, Write};

use clap::Args;
use galatea::walk::{self, Hit, Reach};
use serde_json::{Value, json};

use super::place::{Place, World};
use super::{Spot, Wrong, direction, place_json, spot};

#[derive(Args)]
pub(crate) struct Ray {
    #[command(flatten)]
    place: Place,
    /// Where it starts: X,Y,Z. With X,Y alone from above everything, or with --to from a person's eyes
    #[arg(long, value_name = "POINT", value_parser = spot, allow_hyphen_values = true)]
    from: Spot,
    /// Where it ends: asks whether one point sees the other
    #[arg(long, value_name = "POINT", value_parser = spot, allow_hyphen_values = true, conflicts_with_all = ["dir", "length"])]
    to: Option<Spot>,
    /// Where it goes
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true, default_value = "0,0,-1")]
    dir: [f32; 3],
    /// How far it goes [default: without end]
    #[arg(long, value_name = "METRES")]
    length: Option<f32>,
    /// Every hit, not only the nearest
    #[arg(long)]
    all: bool,
    /// Only faces of these materials are hit (name or number)
    #[arg(long, value_name = "MATERIAL")]
    material: Vec<String>,
    /// Faces of these materials are not hit (name or number)
    #[arg(long, value_name = "MATERIAL")]
    through: Vec<String>,
    /// Use the box tree of the file as it is, rather than our own
    #[arg(long, conflicts_with = "all")]
    tree: bool,
    /// Height of eyes above the ground, for points without a height
    #[arg(long, value_name = "METRES", default_value_t = 1.7)]
    eyes: f32,
}

impl Ray {
    pub(super) fn run(&self) -> Result<(), Wrong> {
        let world = self.place.open()?;
        let mesh = world.area.mesh();
        let of = world.materials_or_all(&self.material)?.minus(world.materials(&self.through)?);
        let (from, aim) = match self.to {
            Some(to) => (self.eye(&world, self.from)?, Some(self.eye(&world, to)?)),
            None => (world.point(self.from), None),
        };
        let ray = match aim {
            Some(to) => walk::Ray::between(from, to),
            None => walk::Ray::new(from, self.dir),
        };
        let unit = ray.direction.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt();
        let ray = match self.length {
            Some(length) => ray.up_to((f64::from(length) / unit) as f32),
            None => ray,
        };
        let hits = if self.tree {
            let tree = world
                .tree
                .as_ref()
                .ok_or_else(|| Wrong::Input(format!("{}: has no box tree of its own", world.name)))?;
            tree.nearest(mesh, &ray, of).into_iter().collect()
        } else if self.all {
            mesh.all_hits(&ray, of)
        } else {
            mesh.nearest(&ray, of).into_iter().collect()
        };
        let hits: Vec<Hit> = hits;
        let sees = aim.map(|to| world.area.sees(from, to, of));
        let end = match (hits.last(), aim, self.length) {
            (Some(hit), None, _) => ray.point(hit.distance),
            (_, Some(to), _) => to,
            (None, None, Some(length)) => ray.point(f64::from(length) / unit),
            // Long enough to leave the middle of the image.
            (None, None, None) => ray.point(10.0 / unit),
        };
        self.place.map.draw(&world, |strokes| {
            strokes.line(from, end, hits.is_empty() && sees != Some(false));
            for hit in &hits {
                strokes.mark(ray.point(hit.distance));
            }
        })?;
        let mut out = io::stdout().lock();
        if self.place.json {
            let told: Vec<Value> = hits.iter().map(|hit| hit_json(&world, &ray, *hit, unit)).collect();
            let mut line = json!({ "path": world.name, "from": place_json(from), "hits": told });
            if let (Some(line), Some(to)) = (line.as_object_mut(), aim) {
                line.insert("to".into(), place_json(to));
                line.insert("sees".into(), json!(sees));
            }
            return Ok(writeln!(out, "{line}")?);
        }
        for hit in &hits {
            let [x, y, z] = ray.point(hit.distance);
            let [nx, ny, nz] = mesh.normal(hit.face);
            write!(out, "face {}, {}, after {:.3}", hit.face, world.made_of(hit.face), hit.distance * unit)?;
            write!(out, " at {x:.3},{y:.3},{z:.3}, normal {nx:.3},{ny:.3},{nz:.3}")?;
            if let Some((number, name)) = world.room(hit.face) {
                write!(out, ", room {number} {}", galatea::wire::escape(name))?;
            }
            writeln!(out)?;
        }
        match sees {
            Some(true) => writeln!(out, "clear: {:.3} from point to point", unit)?,
            Some(false) if hits.is_empty() => writeln!(out, "blocked by a door or obstacle")?,
            Some(false) => writeln!(out, "blocked")?,
            None if hits.is_empty() => writeln!(out, "no hit")?,
            None => {}
        }
        Ok(())
    }

    /// A point, or without a height the eyes of one who stands there.
    fn eye(&self, world: &World, spot: Spot) -> Result<[f32; 3], Wrong> {
        if spot.z.is_some() {
            return Ok(world.point(spot));
        }
        let of = world.area.mesh().walkable_materials();
        let footing = world.stand(spot, Reach::default(), of)?;
        Ok([spot.x, spot.y, footing.height + self.eyes])
    }
}

fn hit_json(world: &World, ray: &walk::Ray, hit: Hit, unit: f64) -> Value {
    let mut line = world.face_json(hit.face);
    if let Some(line) = line.as_object_mut() {
        line.insert("distance".into(), json!(hit.distance * unit));
        line.insert("point".into(), place_json(ray.point(hit.distance)));
        line.insert("normal".into(), place_json(world.area.mesh().normal(hit.face)));
    }
    line
}
