//! The triangles of a walkmesh, gathered from a scene: welded, with their surfaces, in the axes of the game.

use galatea_scene::{Mesh, NodeId, Pose, Primitive, Scene, Topology};
use galatea_wire::Loss;
use glam::{Mat4, Vec3};

use super::surfaces::Surfaces;
use super::weld::{self, Weld};
use super::{Authoring, Prepared, Role, names, walls};

/// Where a floor leads to another room.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seam {
    pub(crate) ends: [[f32; 3]; 2],
    pub(crate) room: i32,
    /// Whether it is a line of its own, rather than an edge of a triangle.
    pub(crate) line: bool,
}

/// Triangles with surfaces, and the edges that lead to other rooms.
#[derive(Debug, Default)]
pub(crate) struct Floor {
    pub(crate) vertices: Vec<[f32; 3]>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) surfaces: Vec<u32>,
    pub(crate) seams: Vec<Seam>,
    pub(crate) losses: Vec<Loss>,
}

/// What is gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Floors: surfaces by the names of materials, Stone for others.
    Floor,
    /// What is in the way: Nonwalk, unless a material is named after another surface.
    Obstacle,
    /// Drawn meshes that are in the way: Nonwalk.
    Drawn,
}

const STONE: u32 = 4;
const NONWALK: u32 = 7;

impl Floor {
    /// Gathers the triangles of the nodes of a role.
    pub(crate) fn gather(
        prepared: &Prepared<'_>,
        authoring: &Authoring,
        wanted: Wanted,
        role: impl Fn(Role) -> bool,
    ) -> Floor {
        let scene = &*prepared.scene;
        let pose = Pose::rest(scene);
        let of_floor = wanted == Wanted::Floor;
        let default = if of_floor { STONE } else { NONWALK };
        let join = of_floor && authoring.join_edges;
        let mut gather = Gather {
            scene,
            wanted,
            surfaces: Surfaces::new(authoring, default),
            weld: Weld::new(if join { walls::NEAR } else { weld::NEAR }),
            floor: Floor::default(),
            flat: 0,
        };
        for (id, _, mesh) in scene.drawn() {
            if prepared.role(id).is_some_and(&role) {
                gather.add(id, mesh, pose.world_of(id));
            }
        }
        let Gather { surfaces, weld, mut floor, flat, .. } = gather;
        if flat > 0 {
            let line = Loss::new("walkmesh", format!("{flat} triangles without area"));
            floor.losses.push(line.invisible());
        }
        floor.vertices = weld.points;
        if of_floor {
            floor.losses.extend(surfaces.losses());
            let walls = walls::treat(&mut floor, join);
            floor.losses.extend(walls);
        }
        floor
    }
}

struct Gather<'a> {
    scene: &'a Scene,
    wanted: Wanted,
    surfaces: Surfaces<'a>,
    weld: Weld,
    floor: Floor,
    /// Triangles that have no area once their corners are welded.
    flat: usize,
}

impl Gather<'_> {
    fn add(&mut self, id: NodeId, mesh: &Mesh, world: Mat4) {
        let scene = self.scene;
        let mirrored = world.determinant() < 0.0;
        for primitive in &mesh.primitives {
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let place = |i: u32| {
                let position = vertices.positions.get(i as usize)?;
                Some(in_game(world.transform_point3(Vec3::from(*position))))
            };
            let room = self.transition(id, mesh, primitive);
            if let Some(room) = room {
                let ends = edges(primitive);
                let line = primitive.topology == Topology::Lines;
                let seams = ends.filter_map(|[a, b]| Some(Seam { ends: [place(a)?, place(b)?], room, line }));
                self.floor.seams.extend(seams);
                continue;
            }
            if primitive.topology != Topology::Triangles || primitive.indices.is_empty() {
                continue;
            }
            let material = primitive.material.and_then(|m| scene.materials.get(m as usize));
            let surface = match self.wanted {
                Wanted::Drawn => NONWALK,
                Wanted::Floor | Wanted::Obstacle => self.surfaces.of(material),
            };
            for [a, b, c] in primitive.triangles(vertices.positions.len()) {
                let (Some(a), Some(b), Some(c)) = (place(a), place(b), place(c)) else { continue };
                let corners = if mirrored { [a, c, b] } else { [a, b, c] };
                let corners = corners.map(|p| self.weld.add(p));
                let [a, b, c] = corners;
                if a == b || b == c || c == a {
                    self.flat += 1;
                    continue;
                }
                self.floor.faces.push(corners);
                self.floor.surfaces.push(surface);
            }
        }
    }

    /// Returns the room that the edges of a primitive lead to, by the name of its material or its object.
    fn transition(&self, id: NodeId, mesh: &Mesh, primitive: &Primitive) -> Option<i32> {
        let material = primitive.material.and_then(|m| self.scene.materials.get(m as usize));
        let node = self.scene.node(id).map(|n| n.name.as_str());
        let names = [material.map(|m| m.name.as_str()), node, Some(mesh.name.as_str())];
        names.into_iter().flatten().find_map(transition)
    }
}

/// Returns the number in a name such as `transition 3`, `Transition_3` or `transition3.001`.
fn transition(name: &str) -> Option<i32> {
    let name = names::bare(name);
    let rest = name.strip_prefix("transition")?;
    rest.trim_start_matches([' ', '_', '-', ':']).parse().ok().filter(|room| *room >= 0)
}

/// Returns the edges of lines and triangles.
fn edges(primitive: &Primitive) -> impl Iterator<Item = [u32; 2]> + '_ {
    let (lines, triangles) = match primitive.topology {
        Topology::Lines => (primitive.indices.as_chunks::<2>().0, &[][..]),
        Topology::Triangles => (&[][..], primitive.indices.as_chunks::<3>().0),
        Topology::Points => (&[][..], &[][..]),
    };
    let sides = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    lines.iter().copied().chain(sides)
}

/// Returns a point in the axes of the game: Z up. Exact, unlike a rotation.
pub(super) fn in_game(point: Vec3) -> [f32; 3] {
    [point.x, -point.z, point.y]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_known_by_name() {
        for name in ["transition 3", "Transition_3", "transition3.001", "TRANSITION: 3"] {
            assert_eq!(transition(name), Some(3), "{name}");
        }
        for name in ["transition", "transition x", "transition 1b", "to 3"] {
            assert_eq!(transition(name), None, "{name}");
        }
    }
}
