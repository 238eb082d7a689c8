//! Scenes as parts that Python holds: arrays are moved there and come back as copies.

use galatea::gltf::{Image, ImageSource};
use galatea::scene::{
    Attribute, Camera, Channel, Clip, Emitter, Event, Extras, Influences, Interpolation, Light, Material,
    Mesh, Node, Playback, Pose, Primitive, Property, Purpose, Scene, Skin, Target, Topology, Vertices,
};
use numpy::{
    Element, PyArray1, PyArray2, PyArray3, PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pythonize::{depythonize, pythonize};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::array::{numbers, rows, some_rows, to_rows};
use crate::convert::{Conversion, Converted};
use crate::document::Document;
use crate::error::Failure;
use crate::sources::Sources;

/// A scene of which Python takes part after part.
#[pyclass(frozen, module = "galatea._galatea")]
pub(crate) struct SceneParts(Mutex<Scene>);

/// Returns a wrong value of a part by its name.
fn wrong(what: &str) -> impl Fn(pythonize::PythonizeError) -> PyErr + '_ {
    move |error| PyValueError::new_err(format!("{what}: {error}"))
}

/// Returns a part as a dictionary.
fn plain<'py, T: serde::Serialize>(py: Python<'py>, part: &T) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize(py, part)?)
}

/// Returns parts as a list of dictionaries.
fn plain_list<'py, T: serde::Serialize>(py: Python<'py>, parts: &[T]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    parts.iter().try_for_each(|part| list.append(plain(py, part)?))?;
    Ok(list)
}

/// Returns numbers as an array with so many columns; `None` if there are none.
fn columns<T: Element>(
    py: Python<'_>,
    values: Vec<T>,
    width: usize,
) -> PyResult<Option<Bound<'_, PyArray2<T>>>> {
    let whole = width > 0 && !values.is_empty() && values.len().is_multiple_of(width);
    let count = values.len().checked_div(width).unwrap_or(0);
    if whole { PyArray1::from_vec(py, values).reshape([count, width]).map(Some) } else { Ok(None) }
}

fn vertices_out<'py>(py: Python<'py>, vertices: Vertices) -> PyResult<Bound<'py, PyDict>> {
    let Vertices { positions, normals, tangents, uvs, colors, influences, attributes, extras } = vertices;
    let out = PyDict::new(py);
    out.set_item("positions", rows(py, positions)?)?;
    out.set_item("normals", some_rows(py, normals)?)?;
    out.set_item("tangents", some_rows(py, tangents)?)?;
    let sets = uvs.into_iter().map(|set| rows(py, set)).collect::<PyResult<Vec<_>>>()?;
    out.set_item("uvs", sets)?;
    let sets = colors.into_iter().map(|set| rows(py, set)).collect::<PyResult<Vec<_>>>()?;
    out.set_item("colors", sets)?;
    out.set_item("joints", columns(py, influences.joints, influences.width)?)?;
    out.set_item("weights", columns(py, influences.weights, influences.width)?)?;
    let others = PyDict::new(py);
    for Attribute { name, width, values } in attributes {
        others.set_item(name, columns(py, values, width)?)?;
    }
    out.set_item("attributes", others)?;
    out.set_item("extras", plain(py, &extras)?)?;
    Ok(out)
}

fn mesh_out<'py>(py: Python<'py>, mesh: Mesh) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", mesh.name)?;
    out.set_item("purpose", mesh.purpose.name())?;
    out.set_item("lod", mesh.lod)?;
    out.set_item("extras", plain(py, &mesh.extras)?)?;
    let parts = PyList::empty(py);
    for Primitive { vertices, topology, indices, material, extras } in mesh.primitives {
        let part = PyDict::new(py);
        let (name, width) = match topology {
            Topology::Triangles => ("triangles", 3),
            Topology::Lines => ("lines", 2),
            Topology::Points => ("points", 1),
        };
        // What is left of the last triangle draws nothing.
        let mut indices = indices;
        indices.truncate(indices.len() / width * width);
        let count = indices.len() / width;
        part.set_item("vertices", vertices)?;
        part.set_item("topology", name)?;
        part.set_item("indices", PyArray1::from_vec(py, indices).reshape([count, width])?)?;
        part.set_item("material", material)?;
        part.set_item("extras", plain(py, &extras)?)?;
        parts.append(part)?;
    }
    out.set_item("primitives", parts)?;
    Ok(out)
}

fn skin_out<'py>(py: Python<'py>, skin: Skin) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("name", skin.name)?;
    out.set_item("joints", PyArray1::from_vec(py, skin.joints))?;
    let count = skin.inverse_bind.len();
    // The columns of each matrix lie behind each other; Python sees rows.
    let binds = PyArray1::from_vec(py, skin.inverse_bind.into_flattened()).reshape([count, 4, 4])?;
    out.set_item("inverse_bind", binds.permute(Some([0, 2, 1]))?)?;
    out.set_item("extras", plain(py, &skin.extras)?)?;
    Ok(out)
}

fn target_out(target: Target) -> (&'static str, u32) {
    match target {
        Target::Node(id) => ("node", id),
        Target::Material(id) => ("material", id),
        Target::Light(id) => ("light", id),
        Target::Camera(id) => ("camera", id),
        Target::Emitter(id) => ("emitter", id),
    }
}

fn channel_out<'py>(py: Python<'py>, channel: Channel) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let width = channel.width().max(1);
    let cubic = channel.interpolation == Interpolation::Cubic;
    let keys = channel.times.len();
    out.set_item("target", target_out(channel.target))?;
    out.set_item("property", channel.property.name())?;
    out.set_item("interpolation", plain(py, &channel.interpolation)?)?;
    out.set_item("times", PyArray1::from_vec(py, channel.times))?;
    let len = channel.values.len();
    let values = PyArray1::from_vec(py, channel.values);
    if cubic && len == keys * 3 * width {
        out.set_item("values", values.reshape([keys, 3, width])?)?;
    } else if len == keys * width {
        out.set_item("values", values.reshape([keys, width])?)?;
    } else {
        out.set_item("values", values)?;
    }
    out.set_item("extras", plain(py, &channel.extras)?)?;
    Ok(out)
}

/// Vertices as Python holds them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct VerticesIn<'py> {
    positions: PyReadonlyArray2<'py, f32>,
    normals: Option<PyReadonlyArray2<'py, f32>>,
    tangents: Option<PyReadonlyArray2<'py, f32>>,
    uvs: Vec<PyReadonlyArray2<'py, f32>>,
    colors: Vec<PyReadonlyArray2<'py, f32>>,
    joints: Option<PyReadonlyArray2<'py, u16>>,
    weights: Option<PyReadonlyArray2<'py, f32>>,
    attributes: Vec<(String, PyReadonlyArray2<'py, f32>)>,
    extras: Bound<'py, PyAny>,
}

fn rows_in<const N: usize>(array: &PyReadonlyArray2<'_, f32>, what: &str) -> PyResult<Vec<[f32; N]>> {
    to_rows(array, what).map(<[_]>::to_vec)
}

impl VerticesIn<'_> {
    fn vertices(&self) -> PyResult<Vertices> {
        let some = |array: &Option<PyReadonlyArray2<'_, f32>>, what| {
            array.as_ref().map_or(Ok(Vec::new()), |array| rows_in(array, what))
        };
        let tangents = self.tangents.as_ref().map_or(Ok(Vec::new()), |array| rows_in(array, "tangents"))?;
        let mut influences = Influences::default();
        if let (Some(joints), Some(weights)) = (&self.joints, &self.weights) {
            influences.width = joints.shape_of_row();
            influences.joints = numbers(joints, "joints")?.to_vec();
            influences.weights = numbers(weights, "weights")?.to_vec();
        }
        let mut attributes = Vec::new();
        for (name, array) in &self.attributes {
            let values = numbers(array, name)?.to_vec();
            attributes.push(Attribute { name: name.clone(), width: array.shape_of_row(), values });
        }
        Ok(Vertices {
            positions: rows_in(&self.positions, "positions")?,
            normals: some(&self.normals, "normals")?,
            tangents,
            uvs: self.uvs.iter().map(|set| rows_in(set, "uvs")).collect::<PyResult<_>>()?,
            colors: self.colors.iter().map(|set| rows_in(set, "colors")).collect::<PyResult<_>>()?,
            influences,
            attributes,
            extras: depythonize(&self.extras).map_err(wrong("extras"))?,
        })
    }
}

/// The number of columns.
trait Row {
    fn shape_of_row(&self) -> usize;
}

impl<T: Element> Row for PyReadonlyArray2<'_, T> {
    fn shape_of_row(&self) -> usize {
        self.as_array().ncols()
    }
}

/// A primitive as Python holds it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct PrimitiveIn<'py> {
    vertices: u32,
    topology: String,
    indices: PyReadonlyArray2<'py, u32>,
    material: Option<u32>,
    extras: Bound<'py, PyAny>,
}

/// A mesh as Python holds it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct MeshIn<'py> {
    name: String,
    primitives: Vec<PrimitiveIn<'py>>,
    purpose: String,
    lod: Option<u32>,
    extras: Bound<'py, PyAny>,
}

impl MeshIn<'_> {
    fn mesh(&self) -> PyResult<Mesh> {
        let mut primitives = Vec::new();
        for part in &self.primitives {
            let topology = match part.topology.as_str() {
                "triangles" => Topology::Triangles,
                "lines" => Topology::Lines,
                "points" => Topology::Points,
                other => return Err(PyValueError::new_err(format!("topology: {other:?} is unknown"))),
            };
            primitives.push(Primitive {
                vertices: part.vertices,
                topology,
                indices: numbers(&part.indices, "indices")?.to_vec(),
                material: part.material,
                extras: depythonize(&part.extras).map_err(wrong("extras"))?,
            });
        }
        let purpose = Purpose::ALL.into_iter().find(|purpose| purpose.name() == self.purpose);
        let unknown = || PyValueError::new_err(format!("purpose: {:?} is unknown", self.purpose));
        Ok(Mesh {
            name: self.name.clone(),
            primitives,
            purpose: purpose.ok_or_else(unknown)?,
            lod: self.lod,
            extras: depythonize(&self.extras).map_err(wrong("extras"))?,
        })
    }
}

/// A skin as Python holds it. The columns of each matrix lie behind each other.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SkinIn<'py> {
    name: String,
    joints: PyReadonlyArray1<'py, u32>,
    inverse_bind: PyReadonlyArray3<'py, f32>,
    extras: Bound<'py, PyAny>,
}

impl SkinIn<'_> {
    fn skin(&self) -> PyResult<Skin> {
        Ok(Skin {
            name: self.name.clone(),
            joints: numbers(&self.joints, "joints")?.to_vec(),
            inverse_bind: to_rows(&self.inverse_bind, "inverse_bind")?.to_vec(),
            extras: depythonize(&self.extras).map_err(wrong("extras"))?,
        })
    }
}

/// A channel as Python holds it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ChannelIn<'py> {
    target: (String, u32),
    property: String,
    interpolation: String,
    times: PyReadonlyArray1<'py, f32>,
    values: PyReadonlyArray1<'py, f32>,
    extras: Bound<'py, PyAny>,
}

impl ChannelIn<'_> {
    fn channel(&self) -> PyResult<Channel> {
        let (kind, id) = &self.target;
        let target = match kind.as_str() {
            "node" => Target::Node(*id),
            "material" => Target::Material(*id),
            "light" => Target::Light(*id),
            "camera" => Target::Camera(*id),
            "emitter" => Target::Emitter(*id),
            other => return Err(PyValueError::new_err(format!("target: {other:?} is unknown"))),
        };
        let interpolation = match self.interpolation.as_str() {
            "step" => Interpolation::Step,
            "linear" => Interpolation::Linear,
            "cubic" => Interpolation::Cubic,
            other => return Err(PyValueError::new_err(format!("interpolation: {other:?} is unknown"))),
        };
        Ok(Channel {
            target,
            property: Property::by_name(&self.property),
            interpolation,
            times: numbers(&self.times, "times")?.to_vec(),
            values: numbers(&self.values, "values")?.to_vec(),
            extras: depythonize(&self.extras).map_err(wrong("extras"))?,
        })
    }
}

/// A clip as Python holds it: its channels, or the parts that still have them and its place there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ClipIn<'py> {
    name: String,
    length: f32,
    playback: String,
    events: Bound<'py, PyAny>,
    extras: Bound<'py, PyAny>,
    channels: Vec<ChannelIn<'py>>,
    source: Option<(PyRef<'py, SceneParts>, usize)>,
}

impl ClipIn<'_> {
    fn clip(&self) -> PyResult<Clip> {
        let playback = Playback::ALL.into_iter().find(|playback| playback.name() == self.playback);
        let unknown = || PyValueError::new_err(format!("playback: {:?} is unknown", self.playback));
        let events: Vec<Event> = depythonize(&self.events).map_err(wrong("events"))?;
        let channels = match &self.source {
            Some((parts, at)) => {
                parts.lock().clips.get(*at).map(|clip| clip.channels.clone()).unwrap_or_default()
            }
            None => self.channels.iter().map(ChannelIn::channel).collect::<PyResult<_>>()?,
        };
        Ok(Clip {
            name: self.name.clone(),
            length: self.length,
            playback: playback.ok_or_else(unknown)?,
            channels,
            events,
            extras: depythonize(&self.extras).map_err(wrong("extras"))?,
        })
    }
}

/// A scene as Python holds it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SceneIn<'py> {
    name: String,
    nodes: Vec<Bound<'py, PyAny>>,
    vertices: Vec<VerticesIn<'py>>,
    meshes: Vec<MeshIn<'py>>,
    skins: Vec<SkinIn<'py>>,
    materials: Vec<Bound<'py, PyAny>>,
    clips: Vec<ClipIn<'py>>,
    lights: Vec<Bound<'py, PyAny>>,
    cameras: Vec<Bound<'py, PyAny>>,
    emitters: Vec<Bound<'py, PyAny>>,
    extras: Bound<'py, PyAny>,
}

/// Reads parts, and says which one is wrong.
fn each<I, T>(what: &str, given: &[I], read: impl Fn(&I) -> PyResult<T>) -> PyResult<Vec<T>> {
    let one = |(at, part)| {
        read(part).map_err(|error| PyValueError::new_err(format!("{what}[{at}].{}", told(&error))))
    };
    given.iter().enumerate().map(one).collect()
}

/// The words of an exception.
fn told(error: &PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}

/// Reads parts that are dictionaries.
fn each_plain<'py, T: serde::de::DeserializeOwned>(
    what: &str,
    given: &[Bound<'py, PyAny>],
) -> PyResult<Vec<T>> {
    let one = |(at, part)| depythonize(part).map_err(wrong(&format!("{what}[{at}]")));
    given.iter().enumerate().map(one).collect()
}

impl SceneIn<'_> {
    fn scene(&self) -> PyResult<Scene> {
        Ok(Scene {
            name: self.name.clone(),
            nodes: each_plain::<Node>("nodes", &self.nodes)?,
            vertices: each("vertices", &self.vertices, VerticesIn::vertices)?,
            meshes: each("meshes", &self.meshes, MeshIn::mesh)?,
            skins: each("skins", &self.skins, SkinIn::skin)?,
            materials: each_plain::<Material>("materials", &self.materials)?,
            clips: each("clips", &self.clips, ClipIn::clip)?,
            lights: each_plain::<Light>("lights", &self.lights)?,
            cameras: each_plain::<Camera>("cameras", &self.cameras)?,
            emitters: each_plain::<Emitter>("emitters", &self.emitters)?,
            extras: depythonize::<Extras>(&self.extras).map_err(wrong("extras"))?,
        })
    }
}

impl SceneParts {
    pub(crate) fn new(scene: Scene) -> SceneParts {
        SceneParts(Mutex::new(scene))
    }

    fn lock(&self) -> MutexGuard<'_, Scene> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the poses of a clip, or that at rest.
    fn poses(scene: &Scene, clip: Option<usize>, times: &[f32]) -> Vec<Pose> {
        let clip = clip.and_then(|at| scene.clips.get(at));
        let rest = || vec![Pose::rest(scene)];
        clip.map_or_else(rest, |clip| times.iter().map(|time| Pose::at(scene, clip, *time)).collect())
    }
}

/// Poses: matrices (times, nodes, 4, 4), visibility (times, nodes), tints (times, nodes, 4).
type Poses<'py> = (Bound<'py, PyArray4<f32>>, Bound<'py, PyArray2<bool>>, Bound<'py, PyArray3<f32>>);

/// Vertices in a pose: node, primitive of its mesh, positions, normals.
type DeformedRow<'py> = (u32, usize, Bound<'py, PyArray2<f32>>, Option<Bound<'py, PyArray2<f32>>>);

#[pymethods]
impl SceneParts {
    /// Returns a scene made of parts that Python holds.
    #[staticmethod]
    fn of(parts: SceneIn<'_>) -> PyResult<SceneParts> {
        Ok(SceneParts::new(parts.scene()?))
    }

    /// Takes everything out but the channels of clips.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut scene = py.detach(|| {
            let mut scene = self.lock();
            let clips: Vec<Clip> = scene
                .clips
                .iter_mut()
                .map(|c| Clip { channels: std::mem::take(&mut c.channels), ..Clip::default() })
                .collect();
            let rest = std::mem::take(&mut *scene);
            scene.clips = clips;
            rest
        });
        let out = PyDict::new(py);
        out.set_item("name", &scene.name)?;
        out.set_item("nodes", plain_list(py, &scene.nodes)?)?;
        let vertices = std::mem::take(&mut scene.vertices).into_iter();
        out.set_item("vertices", vertices.map(|v| vertices_out(py, v)).collect::<PyResult<Vec<_>>>()?)?;
        let meshes = std::mem::take(&mut scene.meshes).into_iter();
        out.set_item("meshes", meshes.map(|m| mesh_out(py, m)).collect::<PyResult<Vec<_>>>()?)?;
        let skins = std::mem::take(&mut scene.skins).into_iter();
        out.set_item("skins", skins.map(|s| skin_out(py, s)).collect::<PyResult<Vec<_>>>()?)?;
        out.set_item("materials", plain_list(py, &scene.materials)?)?;
        let clips = PyList::empty(py);
        for clip in &scene.clips {
            let one = PyDict::new(py);
            one.set_item("name", &clip.name)?;
            one.set_item("length", clip.length)?;
            one.set_item("playback", clip.playback.name())?;
            one.set_item("events", plain_list(py, &clip.events)?)?;
            one.set_item("extras", plain(py, &clip.extras)?)?;
            clips.append(one)?;
        }
        out.set_item("clips", clips)?;
        out.set_item("lights", plain_list(py, &scene.lights)?)?;
        out.set_item("cameras", plain_list(py, &scene.cameras)?)?;
        out.set_item("emitters", plain_list(py, &scene.emitters)?)?;
        out.set_item("extras", plain(py, &scene.extras)?)?;
        Ok(out)
    }

    /// Takes the channels of a clip out.
    fn take_channels<'py>(&self, py: Python<'py>, clip: usize) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let taken =
            py.detach(|| self.lock().clips.get_mut(clip).map(|clip| std::mem::take(&mut clip.channels)));
        taken.unwrap_or_default().into_iter().map(|channel| channel_out(py, channel)).collect()
    }

    /// Returns the pose at some times of a clip, or at rest.
    fn pose<'py>(&self, py: Python<'py>, clip: Option<usize>, times: Vec<f32>) -> PyResult<Poses<'py>> {
        let (count, nodes, world, visible, tint) = py.detach(|| {
            let scene = self.lock();
            let poses = SceneParts::poses(&scene, clip, &times);
            let world =
                poses.iter().flat_map(|p| &p.world).flat_map(|m| m.transpose().to_cols_array()).collect();
            let visible = poses.iter().flat_map(|p| &p.visible).copied().collect();
            let tint = poses.iter().flat_map(|p| &p.tint).flatten().copied().collect();
            (poses.len(), scene.nodes.len(), world, visible, tint)
        });
        Ok((
            PyArray1::from_vec(py, world).reshape([count, nodes, 4, 4])?,
            PyArray1::from_vec(py, visible).reshape([count, nodes])?,
            PyArray1::from_vec(py, tint).reshape([count, nodes, 4])?,
        ))
    }

    /// Returns the vertices of all meshes that are drawn, in the scene, at a time of a clip or at rest.
    fn deform<'py>(
        &self,
        py: Python<'py>,
        clip: Option<usize>,
        time: f32,
    ) -> PyResult<Vec<DeformedRow<'py>>> {
        let all = py.detach(|| {
            let scene = self.lock();
            scene.check_copies().map_err(|error| Failure::Value(error.to_string()))?;
            let poses = SceneParts::poses(&scene, clip, &[time]);
            let mut all = Vec::new();
            if let Some(pose) = poses.first() {
                for (id, _, mesh) in scene.drawn() {
                    for (at, primitive) in mesh.primitives.iter().enumerate() {
                        all.push((id, at, pose.deform(&scene, id, primitive)));
                    }
                }
            }
            Ok::<_, Failure>(all)
        })?;
        let row = |(id, at, moved): (u32, usize, galatea::scene::Deformed)| {
            Ok((id, at, rows(py, moved.positions)?, some_rows(py, moved.normals)?))
        };
        all.into_iter().map(row).collect()
    }

    /// Writes the scene in a format, or lays it onto an original.
    fn convert(
        &self,
        py: Python<'_>,
        to: &str,
        options: Conversion,
        images: BTreeMap<String, Vec<u8>>,
        onto: Option<&Document>,
        sources: Option<&Sources>,
    ) -> PyResult<Converted> {
        let images = images.into_iter().map(|(name, bytes)| {
            let mime = if bytes.starts_with(&[0xFF, 0xD8]) { "image/jpeg" } else { "image/png" };
            Image { name, source: ImageSource::Embedded { mime: mime.to_owned(), bytes } }
        });
        let images = images.collect();
        Ok(py.detach(|| {
            // Made for this call: nobody needs it afterwards.
            let scene = std::mem::take(&mut *self.lock());
            let convert = |sources: &_| options.convert_scene(scene, to, images, onto, sources);
            Document::with_sources(sources, convert)
        })?)
    }
}
