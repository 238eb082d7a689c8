//! Finds the shortest path around a corner for agents of two widths, and casts a ray at the floor.

use galatea_walk::{Agent, Effort, Materials, Navigator, Ray, Route, Surface, Walkmesh};
use galatea_wire::Result;

fn main() -> Result<()> {
    // Three squares in the shape of an L.
    let plan = [[0, 0], [2, 0], [4, 0], [0, 2], [2, 2], [4, 2], [2, 4], [4, 4]];
    let mesh = Walkmesh::new(Surface {
        positions: plan.iter().map(|[x, y]| [*x as f32, *y as f32, 0.0]).collect(),
        faces: vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [4, 5, 7], [4, 7, 6]],
        ..Surface::default()
    })?;
    for radius in [0.0, 0.5] {
        let mut navigator = Navigator::new(&mesh, &Agent::default().with_radius(radius));
        match navigator.route([0.5, 1.0, 0.0], [3.0, 3.5, 0.0], Effort::Exact) {
            Route::Found(path) => {
                println!("radius {radius}: {:.3} m, {} points", path.length, path.points.len())
            }
            other => println!("radius {radius}: {other:?}"),
        }
    }
    let down = Ray::new([3.0, 1.0, 5.0], [0.0, 0.0, -1.0]);
    match mesh.nearest(&down, Materials::ALL) {
        Some(hit) => println!("the ray hits face {} after {} m", hit.face, hit.distance),
        None => println!("the ray hits nothing"),
    }
    Ok(())
}
