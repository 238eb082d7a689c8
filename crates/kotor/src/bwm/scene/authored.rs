//! New walkmeshes from scenes that did not come from the games.

use galatea_scene::{Bounds, Scene};
use galatea_wire::{Error, Loss, Result};

use super::transitions;
use crate::authoring::{Authoring, Floor, Prepared, Role, State, Use, WalkmeshUse, Wanted, prepare};
use crate::bwm::{Kind, Walkmesh};
use crate::surface::Walkability;

/// How far from an object characters stand to use it by default, as in the games.
const REACH: f32 = 0.45;

/// The walkmeshes made of one scene.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Authored {
    /// That of a room, of a placeable or of a closed door.
    pub first: Walkmesh,
    /// Those of an open door, each with the number of its state: 1 or 2.
    pub others: Vec<(u32, Walkmesh)>,
    /// Whether it is a door with its states.
    pub door: bool,
}

impl Walkmesh {
    /// Builds the walkmeshes of a scene that did not come from a game, and returns what was ignored or assumed.
    ///
    /// Vertices at one position become one. The floor of a room are the meshes named `walkmesh` or `..._wg`, with surfaces
    /// by the names of their materials; what is in the way of a placeable those named `..._pwk`, and of a door those named
    /// `closed`, `open1` and `open2`. Without any, all meshes are taken.
    ///
    /// ```
    /// use galatea_kotor::{authoring::Authoring, bwm::Walkmesh};
    /// use galatea_scene::{Material, Mesh, Node, Primitive, Scene, Vertices};
    /// let mut scene = Scene::new("floor");
    /// let corners = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
    /// scene.vertices.push(Vertices { positions: corners, ..Vertices::default() });
    /// scene.materials.push(Material { name: "Grass.001".into(), ..Material::default() });
    /// let triangle = Primitive { indices: vec![0, 1, 2], material: Some(0), ..Primitive::default() };
    /// scene.meshes.push(Mesh { primitives: vec![triangle], ..Mesh::default() });
    /// scene.add_node(None, Node { mesh: Some(0), ..Node::new("walkmesh") });
    /// let (made, _) = Walkmesh::author(&scene, &Authoring::default())?;
    /// assert_eq!(made.first.materials, [3]);
    /// assert_eq!(made.first.vertices[2], [1.0, -1.0, 0.0]);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn author(scene: &Scene, authoring: &Authoring) -> Result<(Authored, Vec<Loss>)> {
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        let prepared = prepare(scene, authoring)?;
        match prepared.walkmesh {
            WalkmeshUse::Room => room(&prepared, authoring),
            WalkmeshUse::Placeable => placeable(&prepared, authoring),
            WalkmeshUse::Door => door(&prepared, authoring),
        }
    }
}

fn single((first, losses): (Walkmesh, Vec<Loss>)) -> (Authored, Vec<Loss>) {
    (Authored { first, others: Vec::new(), door: false }, losses)
}

/// Returns an error if there are no triangles.
fn solid(floor: &Floor) -> Result<()> {
    match floor.faces.is_empty() {
        true => Err(Error::unrepresentable("the scene has no triangles for a walkmesh")),
        false => Ok(()),
    }
}

fn assumed(name: &str, what: &str) -> Loss {
    Loss::new("walkmesh", format!("no object is named `{name}`: all drawn meshes {what}")).invisible()
}

fn room(prepared: &Prepared<'_>, authoring: &Authoring) -> Result<(Authored, Vec<Loss>)> {
    let named = prepared.has(|role| role == Role::Floor);
    let wanted = if named { Role::Floor } else { Role::Model };
    let mut floor = Floor::gather(prepared, authoring, Wanted::Floor, |role| role == wanted);
    solid(&floor)?;
    let moved = |[x, y, z]: [f32; 3]| {
        let [a, b, c] = authoring.place;
        [x + a, y + b, z + c]
    };
    floor.vertices.iter_mut().for_each(|v| *v = moved(*v));
    floor.seams.iter_mut().for_each(|s| s.ends = s.ends.map(moved));
    let Floor { vertices, faces, surfaces, seams, mut losses } = floor;
    if !named {
        losses.push(assumed("walkmesh", "are walked on"));
    }
    let walkability = Walkability::default();
    let mut mesh = Walkmesh::build(Kind::Area, vertices, faces, surfaces, &walkability)?;
    mesh.position = authoring.place;
    if mesh.walkable_faces(&walkability) == 0 {
        losses.push(Loss::new("walkmesh", "no surface of it is walkable"));
    }
    let down = upside_down(&mesh, &walkability);
    if down > 0 {
        let what = format!("{down} walkable triangles face down; characters cannot stand on them");
        losses.push(Loss::new("walkmesh", what));
    }
    losses.extend(transitions::set(&mut mesh, &seams, &authoring.neighbors));
    Ok(single((mesh, losses)))
}

/// Counts walkable faces that face down.
fn upside_down(mesh: &Walkmesh, walkability: &Walkability) -> usize {
    let normals = mesh.normals.iter().take(mesh.walkable_faces(walkability));
    normals.filter(|[_, _, up]| *up < 0.0).count()
}

/// Returns the floor of the nodes of a role, or of all meshes if there are none.
fn obstacle(prepared: &Prepared<'_>, authoring: &Authoring, wanted: Role) -> (Floor, bool) {
    let named = prepared.has(|role| role == wanted);
    let (wanted, kind) = if named { (wanted, Wanted::Obstacle) } else { (Role::Model, Wanted::Drawn) };
    (Floor::gather(prepared, authoring, kind, |role| role == wanted), named)
}

/// Builds the walkmesh of an object.
fn object(floor: Floor) -> Result<(Walkmesh, Vec<Loss>)> {
    solid(&floor)?;
    let Floor { vertices, faces, surfaces, seams, mut losses } = floor;
    if !seams.is_empty() {
        losses.push(Loss::new("walkmesh", "transitions, which only rooms have"));
    }
    let mesh = Walkmesh::build(Kind::Object, vertices, faces, surfaces, &Walkability::default())?;
    Ok((mesh, losses))
}

/// Sets the hooks: those of the scene, or else one in front of the object and one behind it.
fn put_hooks(mesh: &mut Walkmesh, prepared: &Prepared<'_>, state: Option<State>, losses: &mut Vec<Loss>) {
    let (near, far) =
        Bounds::around(mesh.vertices.iter().copied()).map_or((0.0, 0.0), |b| (b.min[1], b.max[1]));
    let mut relative = [[0.0, near - REACH, 0.0], [0.0, far + REACH, 0.0]];
    let hooks = prepared.hooks();
    for (number, slot) in relative.iter_mut().enumerate() {
        let of_state = |(hook, _): &&(Use, [f32; 3])| matches!((hook, state), (Use::Door(s, n), Some(t)) if *s == t && *n == number);
        let any = |(hook, _): &&(Use, [f32; 3])| matches!(hook, Use::Any(n) if *n == number);
        match hooks.iter().find(of_state).or_else(|| hooks.iter().find(any)) {
            Some((_, place)) => *slot = *place,
            None => {
                let name = format!("use_{}", number + 1);
                let what = format!("no object is named `{name}`: characters stand {REACH} m from it");
                let loss = Loss::new("walkmesh", what).invisible();
                if !losses.contains(&loss) {
                    losses.push(loss);
                }
            }
        }
    }
    mesh.set_hooks(relative, state.is_some());
}

fn placeable(prepared: &Prepared<'_>, authoring: &Authoring) -> Result<(Authored, Vec<Loss>)> {
    let (floor, named) = obstacle(prepared, authoring, Role::Placeable);
    let (mut mesh, mut losses) = object(floor)?;
    if !named {
        losses.push(assumed("pwk", "are in the way"));
    }
    put_hooks(&mut mesh, prepared, None, &mut losses);
    Ok(single((mesh, losses)))
}

fn door(prepared: &Prepared<'_>, authoring: &Authoring) -> Result<(Authored, Vec<Loss>)> {
    let states = prepared.has(|role| matches!(role, Role::Door(_)));
    let (floor, closed) = obstacle(prepared, authoring, Role::Door(State::Closed));
    if states && !closed {
        return Err(Error::unrepresentable("a door with open states needs a mesh named `closed`"));
    }
    let (mut first, mut losses) = object(floor)?;
    put_hooks(&mut first, prepared, Some(State::Closed), &mut losses);
    if !states {
        losses.push(assumed("closed", "are in the way, and the door has no other state"));
        return Ok(single((first, losses)));
    }
    let mut others = Vec::new();
    for (number, state, name) in [(1, State::Open1, "open1"), (2, State::Open2, "open2")] {
        let floor = Floor::gather(prepared, authoring, Wanted::Obstacle, |role| role == Role::Door(state));
        if floor.faces.is_empty() {
            losses.push(Loss::new("walkmesh", format!("the state `{name}`: no object has this name")));
            continue;
        }
        let (mut mesh, lost) = object(floor)?;
        losses.extend(lost);
        put_hooks(&mut mesh, prepared, Some(state), &mut losses);
        others.push((number, mesh));
    }
    Ok((Authored { first, others, door: true }, losses))
}
