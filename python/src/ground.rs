//! Ground to walk on: rays, footings and paths, also over arrays.

use galatea::walk::{Agent, Effort, Materials, Navigator, Ray, Reach, Route, Walkmesh};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::array;
use crate::error::{Failure, Outcome};

/// A surface to walk on.
#[pyclass(frozen, module = "galatea._galatea")]
pub(crate) struct Ground {
    mesh: Walkmesh,
    /// Names of the materials; its surface is empty.
    legend: galatea::Ground,
}

/// A path: points, the face of each point, all faces, length, cost, whether it is the shortest.
type PathRow<'py> =
    (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, f64, f64, bool);

impl Ground {
    pub(crate) fn new(
        mut found: galatea::Ground,
        walkable: &[String],
        not_walkable: &[String],
    ) -> Outcome<Ground> {
        let mut surface = std::mem::take(&mut found.surface);
        let add = materials(&found, walkable)?;
        let remove = materials(&found, not_walkable)?;
        if add != Materials::NONE || remove != Materials::NONE {
            surface.walkable = surface.walkable.or(add).minus(remove);
            // The file's neighbours are those of the faces that were walkable then.
            surface.adjacency = None;
        }
        let mesh = Walkmesh::new(surface)?;
        mesh.prepare();
        Ok(Ground { mesh, legend: found })
    }

    fn materials_or(&self, names: Option<&[String]>, usual: Materials) -> Outcome<Materials> {
        names.map_or(Ok(usual), |names| materials(&self.legend, names))
    }
}

fn materials(legend: &galatea::Ground, names: &[String]) -> Outcome<Materials> {
    names.iter().try_fold(Materials::NONE, |set, name| Ok(set.with(&[material(legend, name)?])))
}

fn material(legend: &galatea::Ground, name: &str) -> Outcome<u32> {
    legend.material(name).ok_or_else(|| {
        let known: Vec<&str> = legend.materials.iter().map(|m| m.name.as_str()).collect();
        Failure::Value(format!("no material is called {name:?}; the ground has {}", known.join(", ")))
    })
}

/// The length of a direction.
fn length(direction: [f32; 3]) -> f64 {
    direction.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt()
}

#[pymethods]
impl Ground {
    /// Returns vertex positions, faces, and the material of each face.
    #[allow(clippy::type_complexity, reason = "three arrays for one caller")]
    fn tables<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<u32>>)> {
        let count = u32::try_from(self.mesh.len()).unwrap_or(u32::MAX);
        let materials: Vec<u32> = (0..count).map(|face| self.mesh.material(face).unwrap_or(0)).collect();
        Ok((
            array::rows(py, self.mesh.positions().to_vec())?,
            array::rows(py, self.mesh.faces().to_vec())?,
            PyArray1::from_vec(py, materials),
        ))
    }

    /// Returns the materials that occur: number, name, colour, and whether they are walkable.
    fn materials(&self) -> Vec<(u32, String, [u8; 3], bool)> {
        let walkable = self.mesh.walkable_materials();
        let row =
            |m: &galatea::GroundMaterial| (m.number, m.name.clone(), m.colour, walkable.contains(m.number));
        self.legend.materials.iter().map(row).collect()
    }

    /// Returns the unit normal of a face.
    fn normal(&self, face: u32) -> [f32; 3] {
        self.mesh.normal(face)
    }

    /// Returns the name of the material of a face; `None` if there is no such face.
    fn material_name(&self, face: u32) -> Option<String> {
        self.mesh.material(face).map(|material| self.legend.name(material))
    }

    /// Returns for each ray the face that it hits first, or -1, and its distance, or infinity. One direction serves all rays.
    #[pyo3(signature = (origins, directions, lengths, of, through))]
    #[allow(clippy::type_complexity, reason = "two arrays for one caller")]
    fn rays<'py>(
        &self,
        py: Python<'py>,
        origins: PyReadonlyArray2<'py, f32>,
        directions: PyReadonlyArray2<'py, f32>,
        lengths: Option<PyReadonlyArray1<'py, f32>>,
        of: Option<Vec<String>>,
        through: Vec<String>,
    ) -> PyResult<(Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>)> {
        let of = self.materials_or(of.as_deref(), Materials::ALL)?.minus(materials(&self.legend, &through)?);
        let origins: &[[f32; 3]] = array::to_rows(&origins, "origins")?;
        let directions: &[[f32; 3]] = array::to_rows(&directions, "directions")?;
        let lengths = lengths.as_ref().map(|lengths| array::numbers(lengths, "lengths")).transpose()?;
        let fits = |count: usize| count == 1 || count == origins.len();
        if !fits(directions.len()) || !lengths.is_none_or(|lengths| fits(lengths.len())) {
            let what = "directions and lengths: there must be one, or as many as there are origins";
            return Err(Failure::Value(what.to_owned()).into());
        }
        let (faces, distances) = py.detach(|| {
            let mut faces = Vec::with_capacity(origins.len());
            let mut distances = Vec::with_capacity(origins.len());
            // One serves all, or there is one for each.
            let (aims, reaches) = (directions.len() == 1, lengths.is_some_and(|lengths| lengths.len() == 1));
            for (at, origin) in origins.iter().enumerate() {
                let direction = directions.get(if aims { 0 } else { at }).copied().unwrap_or_default();
                let ray = Ray::new(*origin, direction);
                let ray = match lengths.and_then(|lengths| lengths.get(if reaches { 0 } else { at })) {
                    Some(limit) => ray.up_to((f64::from(*limit) / length(direction)) as f32),
                    None => ray,
                };
                let (face, distance) = match self.mesh.nearest(&ray, of) {
                    Some(hit) => (hit.face as i32, hit.distance * length(direction)),
                    None => (-1, f64::INFINITY),
                };
                faces.push(face);
                distances.push(distance);
            }
            (faces, distances)
        });
        Ok((PyArray1::from_vec(py, faces), PyArray1::from_vec(py, distances)))
    }

    /// Returns for each point the face on which one stands there, or -1, and its height, or NaN.
    #[pyo3(signature = (points, step, drop, of))]
    #[allow(clippy::type_complexity, reason = "two arrays for one caller")]
    fn locate<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f32>,
        step: f32,
        drop: f32,
        of: Option<Vec<String>>,
    ) -> PyResult<(Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f32>>)> {
        let of = self.materials_or(of.as_deref(), self.mesh.walkable_materials())?;
        let points: &[[f32; 3]] = array::to_rows(&points, "points")?;
        let reach = Reach { step, drop };
        let (faces, heights) = py.detach(|| {
            let found = points.iter().map(|point| self.mesh.locate_among(*point, reach, of));
            let row = |found: Option<galatea::walk::Footing>| {
                found.map_or((-1, f32::NAN), |footing| (footing.face as i32, footing.height))
            };
            found.map(row).unzip::<i32, f32, Vec<_>, Vec<_>>()
        });
        Ok((PyArray1::from_vec(py, faces), PyArray1::from_vec(py, heights)))
    }

    /// Returns the path from one point to another, and how the search ended: found, unreachable, no-start or no-goal.
    #[pyo3(signature = (start, goal, radius, forbid, costs, fast, step, drop))]
    #[allow(clippy::too_many_arguments, reason = "one for each option, named by the only caller")]
    fn path<'py>(
        &self,
        py: Python<'py>,
        start: [f32; 3],
        goal: [f32; 3],
        radius: f32,
        forbid: Vec<String>,
        costs: Vec<(String, f32)>,
        fast: bool,
        step: f32,
        drop: f32,
    ) -> PyResult<(&'static str, Option<PathRow<'py>>)> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(Failure::Value(format!("radius: {radius} is not valid")).into());
        }
        let route = py.detach(|| {
            let mut prices = Vec::new();
            for (name, price) in &costs {
                if !(*price > 0.0 && price.is_finite()) {
                    return Err(Failure::Value(format!("costs: {price} is not valid for {name:?}")));
                }
                prices.push((material(&self.legend, name)?, *price));
            }
            let agent = Agent::default().with_radius(radius).with_reach(Reach { step, drop });
            let agent = agent.with_forbidden(materials(&self.legend, &forbid)?).with_costs(prices);
            let effort = if fast { Effort::Fast } else { Effort::Exact };
            Ok(Navigator::new(&self.mesh, &agent).route(start, goal, effort))
        })?;
        let path = match route {
            Route::Found(path) => path,
            Route::NoStart => return Ok(("no-start", None)),
            Route::NoGoal => return Ok(("no-goal", None)),
            _ => return Ok(("unreachable", None)),
        };
        let points: Vec<[f32; 3]> = path.points.iter().map(|p| p.point).collect();
        let on: Vec<u32> = path.points.iter().map(|p| p.face).collect();
        let row = (
            array::rows(py, points)?,
            PyArray1::from_vec(py, on),
            PyArray1::from_vec(py, path.faces),
            path.length,
            path.cost,
            path.is_shortest,
        );
        Ok(("found", Some(row)))
    }
}
