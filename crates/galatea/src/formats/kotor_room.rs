//! Checks that the walkmesh beside a KotOR room is that of its model.

use std::collections::HashSet;

use galatea_kotor::bwm::{Kind, Walkmesh};
use galatea_kotor::mdl::Model;
use galatea_scene::{Bounds, Pose, Purpose};
use galatea_wire::{Limits, Report, escape, rules};

use crate::Input;

rules! {
    /// The rules for a model and the walkmesh of the same name beside it.
    pub(super) static RULES;
    UNREADABLE "KROOM0001" Error keep "the walkmesh of the model cannot be read"
        "The game crashes when it loads the area. Obtain the WOK again, or make it again from the model.";
    APART "KROOM0002" Warning keep "the walkmesh is not that of the model"
        "The floor that characters walk on (WOK) is not the one that the model has for clicks and cameras (AABB mesh): it belongs to another \
         version of the room, or one of them was rotated or scaled. Make both from one file, as `convert --with-walkmesh` does.";
}

/// How far apart corners of the two floors may be, in metres, apart from one offset for all: a walkmesh is in the
/// coordinates of the area, a model in its own.
const NEAR: f32 = 0.1;

/// One in so many corners may be elsewhere. Of the games' own rooms, the worst has 1 of 86.
const STRAY: usize = 10;

type Point = [f32; 3];

/// Checks the walkmesh beside a model. Only rooms have an AABB mesh and a walkmesh of their name.
pub(super) fn check_beside(model: &Model, input: &Input<'_>) -> Report {
    let mut report = Report::new();
    let has_floor = model.nodes.iter().any(|n| n.mesh.as_ref().is_some_and(|m| m.aabb.is_some()));
    let Some((name, bytes)) = has_floor.then(|| beside(input)).flatten() else { return report };
    let path = || escape(&name);
    match Walkmesh::read(&bytes, &Limits::default()) {
        Err(error) => report.add(&UNREADABLE, None, || (path(), error.to_string())),
        Ok(walkmesh) if walkmesh.kind == Kind::Area => {
            if let Some(message) = misfit(&floor(model), &walkmesh.vertices) {
                report.add(&APART, None, || (path(), message));
            }
        }
        Ok(_) => {}
    }
    report
}

/// Returns the walkmesh of the same name, by its name.
fn beside(input: &Input<'_>) -> Option<(String, Vec<u8>)> {
    let (stem, ending) = input.name.rsplit_once('.')?;
    let upper = ending.chars().all(|c| c.is_ascii_uppercase());
    let endings = if upper { ["WOK", "wok"] } else { ["wok", "WOK"] };
    let names = endings.map(|ending| format!("{stem}.{ending}"));
    names.into_iter().chain([format!("{}.wok", stem.to_lowercase())]).find_map(|name| {
        let bytes = input.siblings?.file(&name)?;
        Some((name, bytes))
    })
}

/// Returns the corners of the model's AABB meshes, in the axes of the game.
fn floor(model: &Model) -> Vec<Point> {
    let scene = model.to_scene();
    let pose = Pose::rest(&scene);
    let mut out = Vec::new();
    for (id, _, mesh) in scene.drawn().filter(|(_, _, mesh)| mesh.purpose == Purpose::Aabb) {
        let place = pose.world_of(id);
        for vertices in mesh.primitives.iter().filter_map(|p| scene.vertices_of(p)) {
            let points = vertices.positions.iter().map(|p| place.transform_point3((*p).into()).to_array());
            out.extend(points.map(|[x, y, z]| [x, -z, y]));
        }
    }
    out
}

/// Returns how two floors differ that should be the same but for an offset; `None` if they are.
fn misfit(model: &[Point], walkmesh: &[Point]) -> Option<String> {
    let around = |points: &[Point]| Bounds::around(points.iter().copied());
    let (of_model, of_walkmesh) = (around(model)?, around(walkmesh)?);
    let size = |bounds: &Bounds| minus(bounds.max, bounds.min);
    let ([ax, ay, az], [bx, by, bz]) = (size(&of_model), size(&of_walkmesh));
    if (ax - bx).abs().max((ay - by).abs()).max((az - bz).abs()) > NEAR {
        return Some(format!(
            "it measures {bx:.2} x {by:.2} x {bz:.2} metres, the floor of the model {ax:.2} x {ay:.2} x {az:.2}"
        ));
    }
    let cell = |point: Point, low: Point| minus(point, low).map(|v| (v / NEAR).round() as i32);
    let known: HashSet<[i32; 3]> = model.iter().map(|p| cell(*p, of_model.min)).collect();
    let is_known = |point: &Point| {
        let [x, y, z] = cell(*point, of_walkmesh.min);
        let steps = || -1i32..=1;
        let mut around = steps().flat_map(|i| steps().flat_map(move |j| steps().map(move |k| [i, j, k])));
        let finite = point.iter().all(|v| v.is_finite());
        finite
            && around.any(|[i, j, k]| {
                known.contains(&[x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)])
            })
    };
    let stray = walkmesh.iter().filter(|point| !is_known(point)).count();
    (stray > walkmesh.len() / STRAY)
        .then(|| format!("{stray} of its {} corners are not those of the model's floor", walkmesh.len()))
}

fn minus([ax, ay, az]: Point, [bx, by, bz]: Point) -> Point {
    [ax - bx, ay - by, az - bz]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn l_shape() -> Vec<Point> {
        [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]
            .map(|[x, y]| [x, y, 0.5 * x])
            .to_vec()
    }

    #[test]
    fn a_floor_fits_wherever_the_layout_puts_it() {
        let moved: Vec<Point> =
            l_shape().into_iter().map(|[x, y, z]| [x + 190.0, y - 80.0, z + 2.0]).collect();
        assert_eq!(misfit(&l_shape(), &moved), None);
        assert_eq!(misfit(&l_shape(), &[]), None);
    }

    #[test]
    fn a_floor_that_was_rotated_or_scaled_does_not_fit() {
        let turned: Vec<Point> = l_shape().into_iter().map(|[x, y, z]| [-x, -y, z]).collect();
        assert_eq!(
            misfit(&l_shape(), &turned).unwrap(),
            "6 of its 6 corners are not those of the model's floor"
        );
        let larger: Vec<Point> = l_shape().into_iter().map(|p| p.map(|v| v * 1.1)).collect();
        assert_eq!(
            misfit(&l_shape(), &larger).unwrap(),
            "it measures 4.40 x 3.30 x 2.20 metres, the floor of the model 4.00 x 3.00 x 2.00"
        );
        // What is no number is elsewhere, and reported by the rules of each file.
        let wild = vec![[f32::NAN; 3]; 6];
        assert_eq!(misfit(&l_shape(), &wild), None);
        let half = [l_shape(), wild].concat();
        assert!(misfit(&l_shape(), &half).unwrap().starts_with("6 of its 12"));
    }
}
