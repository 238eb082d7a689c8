//! `galatea walk`: work on walkmeshes, and ask them what they are for.

mod locate;
mod map;
mod path;
mod place;
mod ray;
mod rebuild;
mod rooms;

use std::fmt;
use std::io;

use clap::Subcommand;

use crate::Exit;
use crate::terminal::complain;

#[derive(Subcommand)]
pub(crate) enum Walk {
    /// Cast a ray, or test the line of sight between two points
    Ray(ray::Ray),
    /// Find the ground at a point: face, height, normal, material
    Locate(locate::Locate),
    /// Find a path from one point to another
    Path(path::Path),
    /// List the rooms of an area, how they connect, and transitions without a target
    Rooms(rooms::Rooms),
    /// Rebuild all derived tables: planes, neighbours, border, box tree
    Rebuild(rebuild::Rebuild),
}

impl Walk {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let outcome = match self {
            Walk::Rebuild(options) => return options.run(),
            Walk::Ray(options) => options.run(),
            Walk::Locate(options) => options.run(),
            Walk::Path(options) => options.run(),
            Walk::Rooms(options) => options.run(),
        };
        match outcome {
            Ok(()) => Ok(Exit::Fine),
            Err(Wrong::Pipe(error)) => Err(error),
            Err(Wrong::Input(what)) => {
                complain(format_args!("{what}"));
                Ok(Exit::Usage)
            }
            Err(Wrong::File(what)) => {
                complain(format_args!("{what}"));
                Ok(Exit::AllFailed)
            }
        }
    }
}

/// Why a question has no answer.
enum Wrong {
    /// What was asked makes no sense here: a point off the mesh, an unknown material.
    Input(String),
    /// A file that cannot be read or written.
    File(String),
    /// Nobody listens.
    Pipe(io::Error),
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Self {
        Wrong::Pipe(error)
    }
}

/// A point of the command line: `x,y` or `x,y,z`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spot {
    x: f32,
    y: f32,
    z: Option<f32>,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)?;
        self.z.map_or(Ok(()), |z| write!(f, ",{z}"))
    }
}

/// Parses a point.
fn spot(text: &str) -> Result<Spot, String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(number).collect();
    match numbers.as_deref() {
        Some([x, y]) => Ok(Spot { x: *x, y: *y, z: None }),
        Some([x, y, z]) => Ok(Spot { x: *x, y: *y, z: Some(*z) }),
        _ => Err(format!("`{text}` is not a point; expected one such as 1.5,-2 or 1.5,-2,0.3")),
    }
}

/// Parses a direction.
fn direction(text: &str) -> Result<[f32; 3], String> {
    match spot(text) {
        Ok(Spot { x, y, z: Some(z) }) if [x, y, z] != [0.0; 3] => Ok([x, y, z]),
        _ => Err(format!("`{text}` is not a direction; expected one such as 0,0,-1")),
    }
}

fn number(text: &str) -> Option<f32> {
    text.trim().parse::<f32>().ok().filter(|n| n.is_finite())
}

/// A place as JSON, with no more digits than its numbers have.
fn place_json(place: [f32; 3]) -> serde_json::Value {
    place.iter().map(|c| c.to_string().parse::<f64>().unwrap_or_default()).collect()
}
