//! A map of the surface: materials, border, transitions, doors, and what was asked.

use std::path::PathBuf;

use clap::Args;
use galatea::disk;
use galatea::preview::{self, Options as Appearance, Stroke};
use galatea::scene::{Material, Mesh, Node, Primitive, Purpose, Scene, Vertices};
use galatea::walk::{Path, Walkmesh};

use super::Wrong;
use super::place::World;
use crate::terminal::{reason, show};

#[derive(Args)]
pub(crate) struct Map {
    /// Draw the surface by material, its border, transitions, doors and the answer into this PNG
    #[arg(long, value_name = "OUT")]
    render: Option<PathBuf>,
    /// Width and height of the image in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 768, requires = "render",
        value_parser = clap::value_parser!(u32).range(16..=i64::from(preview::LARGEST)))]
    size: u32,
    /// Degrees of the camera above the horizon; 90 gives a map
    #[arg(long, value_name = "DEGREES", default_value_t = 60.0, requires = "render")]
    pitch: f32,
    /// Degrees to the right of south
    #[arg(
        long,
        value_name = "DEGREES",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        requires = "render"
    )]
    yaw: f32,
    /// Replace an existing image
    #[arg(long)]
    force: bool,
}

const BORDER: [u8; 3] = [24, 24, 28];
const TRANSITION: [u8; 3] = [255, 205, 40];
const JOINED: [u8; 3] = [70, 225, 235];
const OPEN: [u8; 3] = [90, 220, 90];
const CLOSED: [u8; 3] = [235, 60, 50];
const ANSWER: [u8; 3] = [255, 60, 200];
const PALE: [u8; 3] = [255, 255, 255];

/// Z up to y up.
fn turned([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, z, -y]
}

/// Lines and dots of an image, in the order in which they are drawn.
pub(super) struct Strokes<'w> {
    mesh: &'w Walkmesh,
    list: Vec<Stroke>,
}

impl Strokes<'_> {
    fn add(&mut self, points: &[[f32; 3]], colour: [u8; 3], width: f32, on_top: bool) {
        let points = points.iter().map(|p| turned(*p)).collect();
        self.list.push(Stroke { points, colour, width, on_top });
    }

    /// A dot with a rim, seen through everything.
    pub(super) fn mark(&mut self, point: [f32; 3]) {
        self.add(&[point], PALE, 13.0, true);
        self.add(&[point], ANSWER, 9.0, true);
    }

    /// A ray: green if nothing is in its way.
    pub(super) fn line(&mut self, from: [f32; 3], to: [f32; 3], is_clear: bool) {
        self.add(&[from, to], if is_clear { OPEN } else { ANSWER }, 3.0, true);
        self.add(&[from], PALE, 9.0, true);
    }

    /// A path on the ground: thin where something is in front of it.
    pub(super) fn path(&mut self, path: &Path) {
        let line = over_ground(self.mesh, path);
        self.add(&line, ANSWER, 1.6, true);
        self.add(&line, ANSWER, 4.0, false);
        for point in &path.points {
            self.add(&[point.point], ANSWER, 6.0, true);
        }
        for end in [path.points.first(), path.points.last()].into_iter().flatten() {
            self.mark(end.point);
        }
    }
}

/// The points of a path, and points between them on the faces it crosses.
fn over_ground(mesh: &Walkmesh, path: &Path) -> Vec<[f32; 3]> {
    let mut out = Vec::new();
    let mut faces = path.faces.as_slice();
    for (from, to) in path.points.iter().zip(path.points.iter().skip(1)) {
        let (a, b) = (from.point, to.point);
        let length = ((b[0] - a[0]).powi(2) + (b[1] - a[1]).powi(2)).sqrt();
        let steps = (length / 0.25).ceil().clamp(1.0, 2000.0);
        out.push(a);
        for step in 1..steps as u32 {
            let t = step as f32 / steps;
            let (x, y) = (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t);
            // Faces come in the order of the path: what lies behind is not looked at again.
            let next = faces.iter().position(|f| holds(mesh, *f, x, y));
            faces = next.and_then(|n| faces.get(n..)).unwrap_or(faces);
            if let (Some(face), Some(_)) = (faces.first(), next) {
                out.push([x, y, mesh.height_at(*face, f64::from(x), f64::from(y)) as f32]);
            }
        }
    }
    out.extend(path.points.last().map(|p| p.point));
    out
}

fn holds(mesh: &Walkmesh, face: u32, x: f32, y: f32) -> bool {
    let Some([a, b, c]) = mesh.corners(face) else { return false };
    let side = |p: [f32; 3], q: [f32; 3]| (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
    let (u, v, w) = (side(a, b), side(b, c), side(c, a));
    (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0)
}

impl Map {
    /// Draws the image, if one is asked for.
    pub(super) fn draw(&self, world: &World, answer: impl FnOnce(&mut Strokes<'_>)) -> Result<(), Wrong> {
        let Some(path) = &self.render else { return Ok(()) };
        let mesh = world.area.mesh();
        let mut strokes = Strokes { mesh, list: Vec::new() };
        for face in (0..mesh.len() as u32).filter(|f| mesh.is_walkable(*f)) {
            let Some([a, b, c]) = mesh.corners(face) else { continue };
            for (edge, (from, to)) in (0u32..).zip([(a, b), (b, c), (c, a)]) {
                let leads = mesh.transition(face, edge).is_some();
                match mesh.neighbour(face, edge) {
                    Some((next, _)) if world.room(face).map(|r| r.0) != world.room(next).map(|r| r.0) => {
                        strokes.add(&[from, to], JOINED, 5.0, false);
                    }
                    Some(_) => {}
                    None if leads => strokes.add(&[from, to], TRANSITION, 6.0, false),
                    None => strokes.add(&[from, to], BORDER, 2.5, false),
                }
            }
        }
        for door in world.area.doors() {
            let colour = if door.is_open { OPEN } else { CLOSED };
            for [a, b, c] in &door.closed {
                let corners = [a, b, c, a].map(|p| door.place.apply(*p));
                strokes.add(&corners, colour, 1.6, true);
            }
        }
        answer(&mut strokes);
        let look = Appearance::default()
            .with_size(self.size, self.size)
            .with_yaw(self.yaw)
            .with_pitch(self.pitch.clamp(1.0, 90.0))
            .with_walk(true)
            .with_strokes(strokes.list);
        let wrong = |what: String| Wrong::File(format!("{}: {what}", show(path)));
        let png = preview::render(&scene(world), &look, &|_| None).and_then(|p| p.png());
        let png = png.map_err(|e| wrong(e.to_string()))?;
        crate::outputs::recover(&[path.to_path_buf()]);
        disk::write(path, &png, self.force).map_err(|e| wrong(reason(&e)))
    }
}

/// The faces of the area by material, and everything that stands in the way.
fn scene(world: &World) -> Scene {
    let mesh = world.area.mesh();
    let mut scene = Scene::new("area");
    let mut surface = Mesh { name: "area".into(), purpose: Purpose::Walk, ..Mesh::default() };
    let positions = mesh.positions().iter().map(|p| turned(*p)).collect();
    scene.vertices.push(Vertices { positions, ..Vertices::default() });
    let paint = |scene: &mut Scene, colour: [u8; 3]| {
        let [r, g, b] = colour.map(|v| (f32::from(v) / 255.0).powi(2));
        scene.materials.push(Material { base_color: [r, g, b, 1.0], two_sided: true, ..Material::default() });
        Some(scene.materials.len() as u32 - 1)
    };
    for material in &world.ground.materials {
        let of = |face: &u32| mesh.material(*face) == Some(material.number);
        let faces = (0..mesh.len() as u32).filter(of).filter_map(|f| mesh.faces().get(f as usize));
        let indices: Vec<u32> = faces.flatten().copied().collect();
        let material = paint(&mut scene, material.colour);
        surface.primitives.push(Primitive { indices, material, ..Primitive::default() });
    }
    if !world.obstacles.is_empty() {
        let corners: Vec<[f32; 3]> = world
            .obstacles
            .iter()
            .flat_map(|(_, triangles)| triangles.as_flattened())
            .map(|p| turned(*p))
            .collect();
        let material = paint(&mut scene, CLOSED);
        let indices = (0..corners.len() as u32).collect();
        scene.vertices.push(Vertices { positions: corners, ..Vertices::default() });
        surface.primitives.push(Primitive { vertices: 1, indices, material, ..Primitive::default() });
    }
    scene.meshes.push(surface);
    scene.add_node(None, Node { mesh: Some(0), ..Node::new("area") });
    scene
}
