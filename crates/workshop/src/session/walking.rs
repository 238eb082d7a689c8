//! Walking: two points on a walkmesh or layout, and the path between them.

use galatea::preview::Stroke;
use galatea::scene::Scene;
use galatea::walk::{Agent, Area, Door, Effort, Materials, Ray, Reach, Room, Route, Transform};
use galatea::{Document, Ground, LayoutFile, Output, SceneContext};
use galatea_painter::Ray as Sight;
use glam::{Mat4, Vec3};

use super::files::{input_of, name_of};
use super::jobs::Task;
use super::stand::Around;

/// The ground of a document.
pub(crate) struct Land {
    /// Its rooms, with their doors.
    pub(crate) area: Area,
    /// The names of materials.
    ground: Ground,
    /// From its coordinates, z up, to those of the scene.
    to_scene: Mat4,
}

/// What is under the pointer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Under {
    /// The point on the ground.
    pub(crate) point: [f32; 3],
    /// The face.
    pub(crate) face: u32,
    /// What it is made of.
    pub(crate) material: String,
    /// Whether one can walk on it.
    pub(crate) walkable: bool,
    /// The room that it belongs to, if there are several.
    pub(crate) room: Option<String>,
}

/// What became of the search for a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// A path: its points in the coordinates of the ground, and its length.
    Path { points: Vec<[f32; 3]>, length: f64, crossings: usize },
    /// Why there is none.
    None(String),
}

/// Where one walks in a document.
#[derive(Default)]
pub(crate) struct Walking {
    /// Whether clicks in the viewport set points.
    pub(crate) on: bool,
    /// The ground, once it is known.
    pub(crate) land: Option<Result<Land, String>>,
    /// Finds the ground.
    pub(crate) finding: Option<Task<Land>>,
    /// The start.
    pub(crate) from: Option<[f32; 3]>,
    /// The end.
    pub(crate) to: Option<[f32; 3]>,
    /// How wide who walks is.
    pub(crate) radius: f32,
    /// What became of the search.
    pub(crate) found: Option<Found>,
    /// What is under the pointer.
    pub(crate) under: Option<Under>,
}

/// The width of doors of which only the place is known, in metres.
const DOOR: f32 = 2.0;

impl Land {
    /// Finds the ground of a document. Fails with a sentence if there is none.
    pub(crate) fn find(around: &Around, output: &Output) -> Result<Land, String> {
        let name = name_of(&around.path);
        let siblings = around.files.siblings(&around.path);
        let input = input_of(output, &name, siblings.as_ref());
        let document = galatea::open(&input, &Default::default()).map_err(|error| error.to_string())?;
        let context = SceneContext::new(&name).with_siblings(Some(siblings.as_ref()));
        let scene = document.scene(&context).ok_or("there is nothing to walk on in this file")?.into_owned();
        let to_scene = to_scene(&scene);
        let (rooms, ground, doors) = rooms(document.as_ref(), &context, &name)?;
        let mut area = Area::new(rooms, Area::TOLERANCE).map_err(|error| error.to_string())?;
        for door in doors {
            area.add_door(door);
        }
        if area.mesh().is_empty() {
            return Err("there is nothing to walk on in this file".into());
        }
        Ok(Land { area, ground, to_scene })
    }

    /// Returns a point of the scene in the coordinates of the ground.
    pub(crate) fn to_ground(&self, point: Vec3) -> [f32; 3] {
        self.to_scene.inverse().transform_point3(point).into()
    }

    /// Returns a point of the ground in the coordinates of the scene.
    pub(crate) fn in_scene(&self, point: [f32; 3]) -> [f32; 3] {
        self.to_scene.transform_point3(point.into()).into()
    }

    /// Returns what is seen first along a line.
    pub(crate) fn under(&self, sight: &Sight) -> Option<Under> {
        let (eye, along) = (Vec3::from(sight.from), Vec3::from(sight.along));
        let from = self.to_ground(eye);
        let to = self.to_ground(eye + along);
        let ray = Ray::new(from, [0, 1, 2].map(|i: usize| part(to, i) - part(from, i)));
        let hit = self.area.nearest(&ray, Materials::ALL)?;
        let mesh = self.area.mesh();
        let room = self.area.room_of(hit.face).filter(|_| self.area.rooms().len() > 1);
        Some(Under {
            point: ray.point(hit.distance),
            face: hit.face,
            material: mesh.material(hit.face).map_or_else(String::new, |material| self.ground.name(material)),
            walkable: mesh.is_walkable(hit.face),
            room: room.and_then(|(room, _)| self.area.rooms().get(room as usize).cloned()),
        })
    }
}

fn part(point: [f32; 3], axis: usize) -> f32 {
    point.get(axis).copied().unwrap_or(0.0)
}

/// Returns the transform from the coordinates of a ground, z up, to those of the scene.
fn to_scene(scene: &Scene) -> Mat4 {
    let axes = scene.axes().and_then(|id| scene.node(id));
    let z_up = axes.filter(|node| {
        let [x, y, z, w] = node.transform.rotation;
        2.0 * (y * z - w * x) > 0.99
    });
    match z_up {
        Some(node) => node.transform.matrix(),
        None => Mat4::from_cols_array_2d(&[
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, -1.0, 0.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]),
    }
}

type Rooms = (Vec<Room>, Ground, Vec<Door>);

fn rooms(document: &dyn Document, context: &SceneContext<'_>, name: &str) -> Result<Rooms, String> {
    let Some(file) = document.as_any().downcast_ref::<LayoutFile>() else {
        let ground = Ground::of(document, context).ok_or("there is nothing to walk on in this file")?;
        let surface = ground.surface.clone();
        let room = Room { name: name.to_owned(), surface, place: Transform::default() };
        return Ok((vec![room], ground, Vec::new()));
    };
    let mut all = Ground { is_kotor: true, ..Ground::default() };
    let mut rooms = Vec::new();
    for placed in &file.layout.rooms {
        let files = file.rooms.get(&placed.model).or_else(|| file.rooms.get(&placed.model.to_lowercase()));
        let mesh = files.and_then(|files| files.walkmesh.as_ref()?.as_ref().ok());
        let ground = mesh.map(Ground::of_walkmesh).unwrap_or_default();
        for material in ground.materials {
            if !all.materials.iter().any(|known| known.number == material.number) {
                all.materials.push(material);
            }
        }
        rooms.push(Room { name: placed.model.clone(), surface: ground.surface, place: Transform::default() });
    }
    let doors = file.layout.doors.iter();
    let doors = doors.map(|hook| Door { is_open: true, ..Door::leaf(&hook.name, hook.place, DOOR) });
    Ok((rooms, all, doors.collect()))
}

impl Walking {
    /// Forgets the ground, which has changed. The points stay.
    pub(crate) fn forget_ground(&mut self) {
        (self.land, self.finding, self.found, self.under) = (None, None, None, None);
    }

    /// Sets the next point: the start, then the end, then the start again.
    pub(crate) fn click(&mut self, point: [f32; 3]) {
        if self.from.is_none() || self.to.is_some() {
            (self.from, self.to) = (Some(point), None);
        } else {
            self.to = Some(point);
        }
        self.search();
    }

    /// Searches the path again.
    pub(crate) fn search(&mut self) {
        self.found = None;
        let (Some(from), Some(to), Some(Ok(land))) = (self.from, self.to, &self.land) else { return };
        let reach = Reach { step: 0.5, drop: f32::INFINITY };
        let agent = Agent::default().with_radius(self.radius.max(0.0)).with_reach(reach);
        let route = land.area.navigator(&agent).route(from, to, Effort::Exact);
        self.found = Some(match route {
            Route::Found(path) => Found::Path {
                crossings: land.area.crossings(&path).len(),
                points: path.points.iter().map(|point| point.point).collect(),
                length: path.length,
            },
            Route::NoStart => Found::None("the first point is not on ground that is wide enough".into()),
            Route::NoGoal => Found::None("the second point is not on ground that is wide enough".into()),
            _ => Found::None("nothing joins the two points".into()),
        });
    }

    /// Returns the lines that show the points and the path in the viewport.
    pub(crate) fn strokes(&self) -> Vec<Stroke> {
        let Some(Ok(land)) = self.land.as_ref().filter(|_| self.on) else { return Vec::new() };
        let line = |points: Vec<[f32; 3]>, colour, width| Stroke {
            points: points.into_iter().map(|point| land.in_scene(point)).collect(),
            colour,
            width,
            on_top: true,
        };
        let mut strokes = Vec::new();
        if let Some(Found::Path { points, .. }) = &self.found {
            strokes.push(line(points.clone(), [255, 200, 40], 3.0));
        }
        strokes.extend(self.from.map(|point| line(vec![point], [80, 220, 100], 10.0)));
        strokes.extend(self.to.map(|point| line(vec![point], [240, 80, 70], 10.0)));
        strokes
    }

    /// Returns what follows `galatea` on the command line to find the same path.
    pub(crate) fn command(&self, path: &std::path::Path) -> Option<String> {
        let point = |[x, y, z]: [f32; 3]| format!("{x:.3},{y:.3},{:.3}", z + 0.1);
        let (from, to) = (point(self.from?), point(self.to?));
        let file = super::change::quoted(&path.display().to_string());
        Some(format!("walk path {file} --from {from} --to {to} --radius {}", self.radius))
    }
}
