//! Areas: several rooms joined into one surface, with doors and obstacles.

use std::collections::HashMap;

use galatea_wire::{Error, Result};

use crate::material::Materials;
use crate::mesh::{Surface, Walkmesh};
use crate::nav::Cut;
use crate::path::{Agent, Navigator, Path};
use crate::ray::{Exact, Hit, Ray};
use crate::vector::{V3, at, put, v3};

/// A position and an orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Position of the origin.
    pub position: [f32; 3],
    /// Orientation as a unit quaternion, w first.
    pub rotation: [f32; 4],
}

impl Default for Transform {
    fn default() -> Self {
        Transform { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] }
    }
}

impl Transform {
    /// Returns a translation without rotation.
    pub const fn at(position: [f32; 3]) -> Transform {
        Transform { position, rotation: [1.0, 0.0, 0.0, 0.0] }
    }

    /// Transforms a point from local to area coordinates. The identity keeps every bit of the coordinates.
    pub fn apply(&self, point: [f32; 3]) -> [f32; 3] {
        let p = self.apply64(v3(point));
        [p[0] as f32, p[1] as f32, p[2] as f32]
    }

    fn apply64(&self, p: V3) -> V3 {
        let [w, x, y, z] = self.rotation.map(f64::from);
        let size = w * w + x * x + y * y + z * z;
        let turned = if size > 0.0 && (x != 0.0 || y != 0.0 || z != 0.0) {
            let s = 2.0 / size;
            [
                p[0] * (1.0 - s * (y * y + z * z)) + p[1] * s * (x * y - w * z) + p[2] * s * (x * z + w * y),
                p[0] * s * (x * y + w * z) + p[1] * (1.0 - s * (x * x + z * z)) + p[2] * s * (y * z - w * x),
                p[0] * s * (x * z - w * y) + p[1] * s * (y * z + w * x) + p[2] * (1.0 - s * (x * x + y * y)),
            ]
        } else {
            p
        };
        let by = v3(self.position);
        [turned[0] + by[0], turned[1] + by[1], turned[2] + by[2]]
    }
}

/// A room of an area. Walkmeshes of the games are in area coordinates already; those of building kits have to be moved.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// Its name.
    pub name: String,
    /// Its walkmesh; empty for a room without a model.
    pub surface: Surface,
    /// Where it is.
    pub place: Transform,
}

/// An obstacle: the walkmesh of a placeable (PWK) and its position.
#[derive(Debug, Clone, Default)]
pub struct Obstacle {
    /// Its name.
    pub name: String,
    /// Its triangles, around its own origin.
    pub triangles: Vec<[[f32; 3]; 3]>,
    /// Where it is.
    pub place: Transform,
}

/// A door. It is an obstacle while it is closed.
#[derive(Debug, Clone, Default)]
pub struct Door {
    /// Its name.
    pub name: String,
    /// The triangles of the closed door (its DWK), around its own origin.
    pub closed: Vec<[[f32; 3]; 3]>,
    /// The triangles of the open door, if its leaf is an obstacle then, too.
    pub opened: Vec<[[f32; 3]; 3]>,
    /// Where it is.
    pub place: Transform,
    /// Whether it is open.
    pub is_open: bool,
}

impl Door {
    /// Returns a door with a leaf of this width along its local x axis, for door hooks without a walkmesh.
    pub fn leaf(name: &str, place: Transform, width: f32) -> Door {
        let h = width * 0.5;
        let (a, b, c, d) = ([-h, 0.0, 0.0], [h, 0.0, 0.0], [h, 0.0, 2.5], [-h, 0.0, 2.5]);
        Door { name: name.to_string(), closed: vec![[a, b, c], [a, c, d]], place, ..Door::default() }
    }
}

/// A connection between two rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The rooms, by number.
    pub rooms: [u32; 2],
    /// The edges (`3 * face + edge` of the area's surface) that coincide.
    pub edges: [u32; 2],
    /// The destination room stored for each edge.
    pub transitions: [Option<u32>; 2],
}

/// An edge with a transition that coincides with no edge of another room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loose {
    /// The room it belongs to.
    pub room: u32,
    /// The edge (`3 * face + edge` of the area's surface).
    pub edge: u32,
    /// The destination room stored for it.
    pub transition: u32,
}

/// The point where a path passes from one room into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossing {
    /// The room that is left.
    pub from: u32,
    /// The room that is entered.
    pub to: u32,
    /// The destination room stored for the crossed edge.
    pub transition: Option<u32>,
}

/// Several rooms joined into one surface.
///
/// ```
/// use galatea_walk::{Agent, Area, Door, Effort, Materials, Room, Route, Surface, Transform};
/// let room = |name: &str, x: f32, exits: Vec<(u32, u32)>| Room {
///     name: name.to_string(),
///     surface: Surface {
///         positions: vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
///         faces: vec![[0, 1, 2], [0, 2, 3]],
///         transitions: exits,
///         ..Surface::default()
///     },
///     place: Transform::at([x, 0.0, 0.0]),
/// };
/// // Edge 1 of face 0 is the right side, edge 1 of face 1 would be the top, edge 2 the left.
/// let rooms = vec![room("hall", 0.0, vec![(1, 1)]), room("vault", 4.0, vec![(5, 0)])];
/// let mut area = Area::new(rooms, Area::TOLERANCE)?;
/// area.add_door(Door { is_open: true, ..Door::leaf("gate", Transform { position: [4.0, 2.0, 0.0],
///     rotation: [0.70710677, 0.0, 0.0, 0.70710677] }, 4.2) });
/// let route = area.navigator(&Agent::default()).route([1.0, 1.0, 0.0], [7.0, 1.0, 0.0], Effort::Exact);
/// let path = route.path().expect("the gate is open");
/// assert_eq!(area.crossings(&path)[0].transition, Some(1));
/// area.set_door(0, false);
/// let route = area.navigator(&Agent::default()).route([1.0, 1.0, 0.0], [7.0, 1.0, 0.0], Effort::Exact);
/// assert_eq!(route, Route::Unreachable);
/// # Ok::<(), galatea_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Area {
    mesh: Walkmesh,
    names: Vec<String>,
    /// First face of each room, and one past the last.
    starts: Vec<u32>,
    links: Vec<Link>,
    loose: Vec<Loose>,
    obstacles: Vec<Obstacle>,
    doors: Vec<Door>,
}

impl Area {
    /// Maximum distance between the ends of two edges that are joined: one centimetre.
    pub const TOLERANCE: f32 = 0.01;

    /// Joins rooms where their border edges coincide: first edges whose transitions name the other room, then all other edges
    /// that coincide.
    ///
    /// # Errors
    /// Fails if the tables of a room are inconsistent, or if too many border edges overlap.
    pub fn new(rooms: Vec<Room>, tolerance: f32) -> Result<Area> {
        let mut all = Surface { walkable: Materials::NONE, ..Surface::default() };
        let mut adjacency: Vec<[i32; 3]> = Vec::new();
        let (mut names, mut starts, mut borders) = (Vec::new(), Vec::new(), Vec::new());
        for (number, room) in (0u32..).zip(rooms) {
            let place = room.place;
            let mesh = Walkmesh::new(room.surface).map_err(|e| e.within(format!("rooms[{number}]")))?;
            let (vertices, faces) = (all.positions.len() as u32, all.faces.len() as u32);
            names.push(room.name);
            starts.push(faces);
            all.walkable = all.walkable.or(mesh.walkable_materials());
            all.positions.extend(mesh.positions.iter().map(|p| place.apply(*p)));
            all.faces.extend(mesh.faces.iter().map(|f| f.map(|v| v + vertices)));
            all.materials.extend(&mesh.materials);
            all.transitions.extend(mesh.transitions().iter().map(|&(e, r)| (e + 3 * faces, r)));
            adjacency.extend(
                mesh.adjacency.iter().map(|l| l.map(|l| if l < 0 { -1 } else { l + 3 * faces as i32 })),
            );
            for face in (0..mesh.len() as u32).filter(|f| mesh.is_walkable(*f)) {
                let free = (0..3u32).filter(|e| mesh.neighbour(face, *e).is_none());
                borders.extend(free.map(|e| (number, 3 * (face + faces) + e)));
            }
        }
        starts.push(all.faces.len() as u32);
        let links = join_rooms(&mut all, &mut adjacency, &borders, f64::from(tolerance))?;
        let linked: std::collections::BTreeSet<u32> = links.iter().flat_map(|l| l.edges).collect();
        let room_of = |edge: u32| room_at(&starts, edge / 3);
        let loose = all
            .transitions
            .iter()
            .filter(|t| !linked.contains(&t.0))
            .map(|&(edge, transition)| Loose { room: room_of(edge), edge, transition })
            .collect();
        all.adjacency = Some(adjacency);
        let mesh = Walkmesh::new(all)?;
        Ok(Area { mesh, names, starts, links, loose, obstacles: Vec::new(), doors: Vec::new() })
    }

    /// Returns the surface of all rooms as one walkmesh.
    pub fn mesh(&self) -> &Walkmesh {
        &self.mesh
    }

    /// Returns the names of the rooms.
    pub fn rooms(&self) -> &[String] {
        &self.names
    }

    /// Returns the room a face belongs to, and the face's number there.
    pub fn room_of(&self, face: u32) -> Option<(u32, u32)> {
        let room = room_at(&self.starts, face);
        ((face as usize) < self.mesh.len()).then(|| (room, face - at(&self.starts, room as usize)))
    }

    /// Returns the connections between rooms.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the edges with a transition that coincide with no edge of another room: the room is missing, or the doorways do
    /// not line up.
    pub fn loose_transitions(&self) -> &[Loose] {
        &self.loose
    }

    /// Adds an obstacle and returns its index.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> usize {
        self.obstacles.push(obstacle);
        self.obstacles.len() - 1
    }

    /// Adds a door and returns its index.
    pub fn add_door(&mut self, door: Door) -> usize {
        self.doors.push(door);
        self.doors.len() - 1
    }

    /// Returns the doors.
    pub fn doors(&self) -> &[Door] {
        &self.doors
    }

    /// Opens or closes a door. Returns `false` if there is no door with this index.
    pub fn set_door(&mut self, door: usize, is_open: bool) -> bool {
        self.doors.get_mut(door).map(|d| d.is_open = is_open).is_some()
    }

    /// Returns the triangles of all current obstacles, in area coordinates.
    fn standing(&self) -> impl Iterator<Item = [V3; 3]> {
        let doors = self.doors.iter().map(|d| (&d.place, if d.is_open { &d.opened } else { &d.closed }));
        let things = self.obstacles.iter().map(|o| (&o.place, &o.triangles));
        doors.chain(things).flat_map(|(place, triangles)| {
            triangles
                .iter()
                .map(|t| t.map(|c| place.apply64(v3(c))))
                .filter(|t| t.iter().flatten().all(|c| c.abs() < crate::ray::FARTHEST.into()))
        })
    }

    /// Returns a navigator for the area with its doors as they are now.
    pub fn navigator(&self, agent: &Agent) -> Navigator<'_> {
        let radius = f64::from(agent.radius.max(0.0));
        let cuts = self.standing().flat_map(|t| Cut::triangle(t, radius, 1.0)).collect();
        Navigator::around(&self.mesh, agent, cuts)
    }

    /// Returns the nearest hit of a ray with the surface of the rooms.
    pub fn nearest(&self, ray: &Ray, of: Materials) -> Option<Hit> {
        self.mesh.nearest(ray, of)
    }

    /// Returns `true` if there is a line of sight between two points: no face of these materials, no closed door and no
    /// obstacle is between them.
    pub fn sees(&self, from: [f32; 3], to: [f32; 3], blocked_by: Materials) -> bool {
        let ray = Ray::between(from, to);
        let Some(exact) = Exact::new(&ray) else { return from == to };
        !self.mesh.any_hit(&ray, blocked_by) && !self.standing().any(|t| exact.hit(t).is_some())
    }

    /// Returns the points where a path passes from one room into another.
    pub fn crossings(&self, path: &Path) -> Vec<Crossing> {
        let pairs = path.faces.iter().zip(path.faces.iter().skip(1));
        pairs
            .filter_map(|(&a, &b)| {
                let (from, to) = (self.room_of(a)?.0, self.room_of(b)?.0);
                let edge = (0..3).find(|e| self.mesh.neighbour(a, *e).is_some_and(|n| n.0 == b))?;
                (from != to).then(|| Crossing { from, to, transition: self.mesh.transition(a, edge) })
            })
            .collect()
    }
}

fn room_at(starts: &[u32], face: u32) -> u32 {
    (starts.partition_point(|s| *s <= face).max(1) - 1) as u32
}

/// Links border edges of different rooms whose ends coincide, and moves the ends of the later room onto those of the
/// earlier one.
fn join_rooms(
    all: &mut Surface,
    adjacency: &mut [[i32; 3]],
    borders: &[(u32, u32)],
    tolerance: f64,
) -> Result<Vec<Link>> {
    let ends = |all: &Surface, edge: u32| -> [u32; 2] {
        let [a, b, c] = at(&all.faces, edge as usize / 3);
        match edge % 3 {
            0 => [a, b],
            1 => [b, c],
            _ => [c, a],
        }
    };
    let place = |all: &Surface, v: u32| v3(at(&all.positions, v as usize));
    let near = |a: V3, b: V3| (0..3).all(|k| (at(&a, k) - at(&b, k)).abs() <= tolerance);
    // Rooms are appended in order, so their transitions are sorted.
    let transition = |all: &Surface, edge: u32| {
        let found = all.transitions.binary_search_by_key(&edge, |t| t.0).ok()?;
        all.transitions.get(found).map(|t| t.1)
    };
    // Indexed by end point: the end of the partner must be within the tolerance of the start.
    let mut grid = Grid::new(tolerance);
    for &(room, edge) in borders {
        grid.add(place(all, ends(all, edge)[1]), room, edge);
    }
    let mut taken = std::collections::BTreeSet::new();
    let mut links = Vec::new();
    let mut compared = 0usize;
    for named in [true, false] {
        for &(room, edge) in borders {
            if taken.contains(&edge) {
                continue;
            }
            let [a, b] = ends(all, edge);
            let (from, to) = (place(all, a), place(all, b));
            let says = transition(all, edge);
            if named && says.is_none() {
                continue;
            }
            let candidates = grid.near(from).inspect(|_| compared += 1).filter(|&&(x, other, e)| {
                let [c, d] = ends(all, e);
                (x - from[0]).abs() <= tolerance
                    && other != room
                    && (!named || says == Some(other))
                    && near(from, place(all, d))
                    && near(to, place(all, c))
                    && !taken.contains(&e)
            });
            // The one with the lowest start, regardless of the order in which they are found.
            let partner = candidates.min_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2))).copied();
            if compared > COMPARED {
                let what = format!("more than {COMPARED} pairs of overlapping border edges");
                return Err(Error::unrepresentable(what));
            }
            let Some((_, other, mate)) = partner else { continue };
            let [c, d] = ends(all, mate);
            for (keep, change) in if edge < mate { [(a, d), (b, c)] } else { [(d, a), (c, b)] } {
                let p = at(&all.positions, keep as usize);
                put(&mut all.positions, change as usize, p);
            }
            for (one, two) in [(edge, mate), (mate, edge)] {
                let slot = adjacency.get_mut(one as usize / 3).and_then(|l| l.get_mut(one as usize % 3));
                if let Some(slot) = slot {
                    *slot = two as i32;
                }
                taken.insert(one);
            }
            let (first, second) =
                if edge < mate { ((room, edge), (other, mate)) } else { ((other, mate), (room, edge)) };
            links.push(Link {
                rooms: [first.0, second.0],
                edges: [first.1, second.1],
                transitions: [transition(all, first.1), transition(all, second.1)],
            });
        }
    }
    links.sort_by_key(|l| l.edges);
    Ok(links)
}

/// Maximum number of pairs of edges that are compared: enough for thousands of rooms in one place.
const COMPARED: usize = 1 << 26;

/// Border edges by their end points, in a grid whose cells are several times the tolerance, because joining rooms moves
/// ends by up to the tolerance.
struct Grid {
    size: f64,
    cells: HashMap<[i64; 3], Vec<(f64, u32, u32)>>,
}

impl Grid {
    fn new(tolerance: f64) -> Grid {
        Grid { size: (tolerance * 4.0).max(1e-6), cells: HashMap::new() }
    }

    fn cell(&self, point: V3) -> [i64; 3] {
        point.map(|c| (c / self.size).floor() as i64)
    }

    /// Adds an edge of a room that ends here.
    fn add(&mut self, end: V3, room: u32, edge: u32) {
        if end.iter().all(|c| c.is_finite()) {
            self.cells.entry(self.cell(end)).or_default().push((end[0], room, edge));
        }
    }

    /// Returns the edges that end in the cell of a point or in one of those around it.
    fn near(&self, point: V3) -> impl Iterator<Item = &(f64, u32, u32)> {
        let [x, y, z] = self.cell(point);
        let around = |c: i64| c.saturating_sub(1)..=c.saturating_add(1);
        let cells =
            around(x).flat_map(move |x| around(y).flat_map(move |y| around(z).map(move |z| [x, y, z])));
        cells.filter_map(|cell| self.cells.get(&cell)).flatten()
    }
}
