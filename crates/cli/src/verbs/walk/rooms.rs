//! `galatea walk rooms`: the rooms of an area and how they are joined.

use std::io::{self, Write};

use clap::Args;
use galatea::wire::escape;
use serde_json::{Value, json};

use super::place::{Place, World};
use super::{Wrong, place_json};
use crate::terminal::Table;

#[derive(Args)]
pub(crate) struct Rooms {
    #[command(flatten)]
    place: Place,
}

const HEAD: &[&str] = &["room", "name", "faces", "walkable", "joined to", "loose transitions"];

/// What is known of one room.
#[derive(Default)]
struct Row {
    faces: usize,
    walkable: usize,
    joined: Vec<u32>,
    loose: Vec<u32>,
}

fn rows(world: &World) -> Vec<Row> {
    let area = &world.area;
    let mut rows: Vec<Row> = area.rooms().iter().map(|_| Row::default()).collect();
    for face in 0..area.mesh().len() as u32 {
        if let Some(row) = area.room_of(face).and_then(|(room, _)| rows.get_mut(room as usize)) {
            row.faces += 1;
            row.walkable += usize::from(area.mesh().is_walkable(face));
        }
    }
    for link in area.links() {
        let [a, b] = link.rooms;
        for (room, other) in [(a, b), (b, a)] {
            if let Some(row) = rows.get_mut(room as usize) {
                row.joined.push(other);
            }
        }
    }
    for loose in area.loose_transitions() {
        if let Some(row) = rows.get_mut(loose.room as usize) {
            row.loose.push(loose.transition);
        }
    }
    for row in &mut rows {
        row.joined.sort_unstable();
        row.joined.dedup();
        row.loose.sort_unstable();
        row.loose.dedup();
    }
    rows
}

fn list(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    if words.is_empty() { "-".into() } else { words.join(" ") }
}

impl Rooms {
    pub(super) fn run(&self) -> Result<(), Wrong> {
        let world = self.place.open()?;
        let rows = rows(&world);
        self.place.map.draw(&world, |_| {})?;
        let mut out = io::stdout().lock();
        let area = &world.area;
        // Faces that a ray may miss in the file's own tree.
        let tree = world.tree.as_ref().map(|t| t.check(area.mesh()).to_string());
        if self.place.json {
            let rooms: Vec<Value> = rows
                .iter()
                .zip(area.rooms())
                .map(|(row, name)| {
                    json!({
                        "name": name, "faces": row.faces, "walkable": row.walkable, "joined": row.joined,
                        "loose_transitions": row.loose,
                    })
                })
                .collect();
            let links: Vec<Value> = area
                .links()
                .iter()
                .map(|l| json!({ "rooms": l.rooms, "edges": l.edges, "transitions": l.transitions }))
                .collect();
            let doors: Vec<Value> = area
                .doors()
                .iter()
                .map(|d| json!({ "name": d.name, "open": d.is_open, "position": place_json(d.place.position) }))
                .collect();
            let line = json!({
                "path": world.name, "rooms": rooms, "links": links, "doors": doors, "tree": tree,
            });
            return Ok(writeln!(out, "{line}")?);
        }
        let mut table = Table::new(HEAD);
        for ((number, row), name) in rows.iter().enumerate().zip(area.rooms()) {
            let name = if name.is_empty() { "****".to_owned() } else { escape(name) };
            let counts = [row.faces, row.walkable].map(|n| n.to_string());
            let cells = [number.to_string(), name].into_iter().chain(counts);
            table.row(cells.chain([list(&row.joined), list(&row.loose)]).collect(), &mut out)?;
        }
        table.finish(&mut out)?;
        for (number, door) in area.doors().iter().enumerate() {
            let [x, y, z] = door.place.position;
            let state = if door.is_open { "open" } else { "closed" };
            writeln!(out, "door {number} {}: {state}, at {x:.3},{y:.3},{z:.3}", escape(&door.name))?;
        }
        if let Some(tree) = tree {
            writeln!(out, "the file's box tree: {tree}")?;
        }
        Ok(())
    }
}
