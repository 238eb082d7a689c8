//! `cargo xtask examples`: the models under `examples/`, authored here, so that a newcomer without a game can try everything.

use clap::Args;
use galatea::kotor::bwm::{Kind, Walkmesh, text};
use galatea::kotor::surface::Walkability;

use crate::{Outcome, beacon, generated, root, statue};

#[derive(Args)]
pub(crate) struct Options {
    /// Only say whether the files are up to date
    #[arg(long)]
    pub(crate) check: bool,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        let dir = root().join("examples");
        for (name, mesh) in
            [("room.wok", room()), ("crate.pwk", obstacle(false)), ("gate0.dwk", obstacle(true))]
        {
            let bytes = mesh.and_then(|m| m.write()).map_err(|e| format!("{name}: {e}"))?;
            generated(&dir.join(name), &bytes, self.check)?;
        }
        let text = room().and_then(|room| text::print(&room, "room")).map_err(|e| format!("room: {e}"))?;
        generated(&dir.join("room.wok.ascii"), &text, self.check)?;
        for (name, bytes) in statue::files()? {
            generated(&dir.join(name), &bytes, self.check)?;
            if name == "statue_800.mdx" {
                let bytes = beacon::file(&bytes).map_err(|e| format!("beacon: {e}"))?;
                generated(&dir.join("beacon.mdx"), &bytes, self.check)?;
            }
        }
        for (number, name) in ["hall", "passage", "vault"].into_iter().enumerate() {
            let bytes = keep(number).and_then(|m| m.write()).map_err(|e| format!("{name}: {e}"))?;
            generated(&dir.join(format!("keep/{name}.wok")), &bytes, self.check)?;
        }
        generated(&dir.join("keep/keep.lyt"), KEEP.as_bytes(), self.check)
    }
}

const STONE: u32 = 4;
const WOOD: u32 = 5;
const WATER: u32 = 6;
const METAL: u32 = 10;
const LAVA: u32 = 15;
const DOOR: u32 = 18;

/// Collects squares of a grid into a mesh with shared vertices.
#[derive(Default)]
struct Floor {
    vertices: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
    materials: Vec<u32>,
}

impl Floor {
    fn vertex(&mut self, place: [f32; 3]) -> u32 {
        let found = self.vertices.iter().position(|v| *v == place);
        found.unwrap_or_else(|| {
            self.vertices.push(place);
            self.vertices.len() - 1
        }) as u32
    }

    /// A square from its lowest corner, with the heights of its left and right side.
    fn square(&mut self, x: f32, y: f32, left: f32, right: f32, material: u32) {
        let corners = [[x, y, left], [x + 1.0, y, right], [x + 1.0, y + 1.0, right], [x, y + 1.0, left]];
        let [a, b, c, d] = corners.map(|corner| self.vertex(corner));
        self.faces.extend([[a, b, c], [a, c, d]]);
        self.materials.extend([material; 2]);
    }
}

/// Returns a room of two storeys: stone below with a pool of lava in it, a metal gallery above, a ramp between them, and a doorway
/// to room 1.
fn room() -> galatea::Result<Walkmesh> {
    let mut floor = Floor::default();
    for y in 0..6 {
        for x in 0..8 {
            let material = match (x, y) {
                (2..=3, 2..=3) => LAVA,
                (0, 3) => DOOR,
                _ => STONE,
            };
            floor.square(x as f32, y as f32, 0.0, 0.0, material);
        }
    }
    // The ramp climbs along the south side, outside the lower floor, and the gallery leads back over it.
    for step in 0..4 {
        floor.square(8.0 + step as f32, 0.0, step as f32 * 0.75, (step + 1) as f32 * 0.75, STONE);
    }
    for y in 0..6 {
        floor.square(12.0, y as f32, 3.0, 3.0, METAL);
    }
    for x in 4..12 {
        floor.square(x as f32, 5.0, 3.0, 3.0, METAL);
    }
    let Floor { vertices, faces, materials } = floor;
    let mut mesh = Walkmesh::build(Kind::Area, vertices, faces, materials, &Walkability::default())?;
    let doorway = |p: [f32; 3]| p == [0.0, 3.0, 0.0] || p == [0.0, 4.0, 0.0];
    if let Some(edge) = mesh.edges.iter().map(|e| e.edge).find(|e| along(&mesh, *e, doorway)) {
        mesh.set_transition(edge, Some(1));
    }
    Ok(mesh)
}

/// The layout of the area below: three rooms in a row, with a door at either end of the passage.
const KEEP: &str = "#MAXLAYOUT ASCII
beginlayout
   roomcount 3
      hall 0.0 0.0 0.0
      passage 6.0 2.0 0.0
      vault 10.0 0.0 0.0
   trackcount 0
   obstaclecount 0
   doorhookcount 2
      hall gate 0 6.0 3.0 0.0 0.70710677 0.0 0.0 0.70710677
      vault grille 0 10.0 3.0 0.0 0.70710677 0.0 0.0 0.70710677
donelayout
";

/// Returns the rooms of the area: a hall of stone, a wooden passage, a vault of metal with a pool of water. Like those of the games
/// they hold their places in the area.
fn keep(number: usize) -> galatea::Result<Walkmesh> {
    let (from, size, exits): ([i32; 2], [i32; 2], &[(f32, i32)]) = match number {
        0 => ([0, 0], [6, 6], &[(6.0, 1)]),
        1 => ([6, 2], [4, 2], &[(6.0, 0), (10.0, 2)]),
        _ => ([10, 0], [6, 6], &[(10.0, 1)]),
    };
    let mut floor = Floor::default();
    for (x, y) in (0..size[0]).flat_map(|x| (0..size[1]).map(move |y| (x, y))) {
        let material = match (number, x, y) {
            (0, _, _) => STONE,
            (1, _, _) => WOOD,
            (_, 2..=3, 1..=4) => WATER,
            _ => METAL,
        };
        floor.square((from[0] + x) as f32, (from[1] + y) as f32, 0.0, 0.0, material);
    }
    let Floor { vertices, faces, materials } = floor;
    let mut mesh = Walkmesh::build(Kind::Area, vertices, faces, materials, &Walkability::default())?;
    for (side, room) in exits {
        // The edges of the doorway: two metres between 2 and 4.
        let through = |p: [f32; 3]| p[0] == *side && (2.0..=4.0).contains(&p[1]);
        let edges: Vec<u32> =
            mesh.edges.iter().map(|e| e.edge).filter(|e| along(&mesh, *e, through)).collect();
        for edge in edges {
            mesh.set_transition(edge, Some(*room as u32));
        }
    }
    Ok(mesh)
}

/// Returns whether both ends of an edge are in a place.
fn along(mesh: &Walkmesh, edge: u32, place: impl Fn([f32; 3]) -> bool) -> bool {
    let face = mesh.faces.get(edge as usize / 3).copied().unwrap_or_default();
    let end = |i: u32| face.get((i % 3) as usize).and_then(|v| mesh.vertices.get(*v as usize)).copied();
    end(edge % 3).is_some_and(&place) && end(edge % 3 + 1).is_some_and(&place)
}

/// Returns a box that is in the way: a crate to use from one side, or a closed gate to use from both.
fn obstacle(door: bool) -> galatea::Result<Walkmesh> {
    let (x, y) = if door { (1.0, 0.1) } else { (0.4, 0.4) };
    let vertices = vec![[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]];
    let faces = vec![[0, 1, 2], [0, 2, 3]];
    let mut mesh = Walkmesh::build(Kind::Object, vertices, faces, vec![7, 7], &Walkability::default())?;
    let far = if door { [0.0, 1.0, 0.0] } else { [0.0; 3] };
    mesh.set_hooks([[0.0, -1.0, 0.0], far], door);
    Ok(mesh)
}
