//! New models from scenes that did not come from the games.

use galatea_scene::{
    AlphaMode, Extras, Mesh as SceneMesh, Node as SceneNode, Primitive, Purpose, Scene, Value, Vertices,
};
use galatea_wire::{Error, Loss, Result, Text};

use super::{import, text, too_many_nodes};
use crate::authoring::{Authoring, Floor, Prepared, Role, WalkmeshUse, Wanted, prepare};
use crate::derived::surface_material;
use crate::extra::{put, wrap};
use crate::mdl::derive::inverted_counter;
use crate::mdl::scene::SceneOptions;
use crate::mdl::{Model, NodeId, node};

/// The greatest length of the name of a model in the tools.
const MODEL_NAME: usize = 16;

/// Fields of a mesh that a custom property of its object may set, by the words of the text form.
const PROPERTIES: [(&str, &str); 9] = [
    ("shadow", "shadow"),
    ("render", "render"),
    ("transparencyhint", "transparency_hint"),
    ("beaming", "beaming"),
    ("background", "background"),
    ("rotatetexture", "rotate_texture"),
    ("animateuv", "animate_uv"),
    ("uvjitter", "uv_jitter"),
    ("uvjitterspeed", "uv_jitter_speed"),
];

impl Model {
    /// Builds a model from a scene that did not come from a game, and returns what it cannot represent or had to assume.
    ///
    /// The root is a dummy with the name of the model. What has a front is rotated to face Y; rooms stay as they are, and
    /// their floor becomes an AABB mesh. Parts of walkmeshes of other kinds are left out: see [`Walkmesh::author`].
    /// Nodes are numbered as the compiler of the game does, which takes the numbers of the supermodel's nodes.
    ///
    /// [`Walkmesh::author`]: crate::bwm::Walkmesh::author
    ///
    /// ```
    /// use galatea_kotor::{authoring::Authoring, mdl::{Model, SceneOptions}};
    /// let mut scene = galatea_scene::example();
    /// scene.name = "plc_thing".into();
    /// let (model, _) = Model::author(&scene, &SceneOptions::default(), &Authoring::default(), None)?;
    /// assert_eq!(model.classification, 32);
    /// assert_eq!(model.name_of(&model.nodes[0]), b"plc_thing");
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn author(
        scene: &Scene,
        options: &SceneOptions,
        authoring: &Authoring,
        supermodel: Option<&Model>,
    ) -> Result<(Model, Vec<Loss>)> {
        scene.check_copies().map_err(|e| Error::unrepresentable(e.to_string()))?;
        if scene.nodes.len() > usize::from(u16::MAX) {
            return Err(too_many_nodes(scene.nodes.len()));
        }
        let (mut model, mut losses) = build(scene, authoring, supermodel)?;
        let game = options.game.unwrap_or(model.game);
        losses.extend(model.convert(game, options.platform.unwrap_or(model.platform)));
        Ok((model, losses))
    }
}

/// Builds a model of a scene that did not come from a model of this format.
pub(super) fn build(
    scene: &Scene,
    authoring: &Authoring,
    supermodel: Option<&Model>,
) -> Result<(Model, Vec<Loss>)> {
    let prepared = prepare(scene, authoring)?;
    let floor = floor_of(&prepared, authoring);
    let class = prepared.class;
    let mut losses = Vec::new();
    let mut scene = prepared.into_model();
    let triangles = scene.drawn().any(|(_, _, m)| m.primitives.iter().any(|p| !p.indices.is_empty()));
    if !triangles && floor.is_none() && scene.clips.is_empty() {
        return Err(Error::unrepresentable("the scene has no triangles and no animations"));
    }
    clean_names(&mut scene, &mut losses);
    put_properties(&mut scene, class.casts_shadow());
    let (scene, lost) = import::prepared(scene, authoring.smoothing, |scene| {
        add_root(scene);
        if let Some(floor) = &floor {
            add_floor(scene, floor);
        }
    })?;
    losses.extend(lost);
    losses.extend(floor.into_iter().flat_map(|f| f.losses));
    let (mut model, losses) = Model::build(&scene, losses)?;
    let lost = finish(&mut model, class.code(), authoring, supermodel)?;
    Ok((model, losses.into_iter().chain(lost).collect()))
}

/// Returns the floor of a room.
fn floor_of(prepared: &Prepared<'_>, authoring: &Authoring) -> Option<Floor> {
    let named = prepared.has(|role| role == Role::Floor);
    let any = authoring.any_mesh && prepared.walkmesh == WalkmeshUse::Room;
    let wanted = if named { Role::Floor } else { Role::Model };
    let floor =
        (named || any).then(|| Floor::gather(prepared, authoring, Wanted::Floor, |role| role == wanted));
    floor.filter(|floor| !floor.faces.is_empty())
}

/// Replaces what the tools refuse in names: blanks, and `root` for a node.
fn clean_names(scene: &mut Scene, losses: &mut Vec<Loss>) {
    let clean = |name: &str| name.trim().replace(char::is_whitespace, "_");
    let name = clean(&scene.name);
    if name.chars().count() > MODEL_NAME {
        let what = format!("its name has more than {MODEL_NAME} letters, which other tools refuse");
        losses.push(Loss::new(format!("model {name:?}"), what).invisible());
    }
    scene.name = name;
    for node in &mut scene.nodes {
        let mut name = clean(&node.name);
        if name.eq_ignore_ascii_case("root") {
            name.push_str("_1");
        }
        if name != node.name {
            losses.push(
                Loss::new(format!("node {:?}", node.name), format!("its name, now {name:?}")).invisible(),
            );
            node.name = name;
        }
    }
}

/// Notes the fields of meshes that custom properties and materials tell.
fn put_properties(scene: &mut Scene, shadow: bool) {
    let clear: Vec<bool> = scene.materials.iter().map(|m| m.alpha == AlphaMode::Blend).collect();
    let meshes = &scene.meshes;
    for node in &mut scene.nodes {
        let Some(mesh) = node.mesh.and_then(|m| meshes.get(m as usize)) else { continue };
        let mut map = Extras::new();
        put(&mut map, "ambient", galatea_scene::floats(&[1.0; 3]));
        if shadow && mesh.purpose == Purpose::Render {
            put(&mut map, "shadow", 1);
        }
        let materials = mesh.primitives.iter().filter_map(|p| p.material);
        if materials.into_iter().any(|m| clear.get(m as usize) == Some(&true)) {
            put(&mut map, "transparency_hint", 1);
        }
        let none = Extras::none();
        for (key, value) in node.extras.object("foreign").unwrap_or(none).iter() {
            let key = key.replace(['_', ' '], "").to_lowercase();
            let Some((_, field)) = PROPERTIES.iter().find(|(word, _)| *word == key) else { continue };
            let number = value.as_f64().or_else(|| value.as_bool().map(f64::from));
            if let Some(number) = number.filter(|n| n.is_finite()) {
                map.insert(*field, number_value(number));
            }
        }
        node.extras.extend(wrap(Extras::from([("mesh", map.into())])));
    }
}

fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 { (number as i32).into() } else { galatea_scene::float(number as f32) }
}

/// Adds the root of the model below the axes, above all other nodes.
fn add_root(scene: &mut Scene) {
    let Some(axes) = scene.axes() else { return };
    let tops: Vec<NodeId> = (0..scene.nodes.len() as NodeId)
        .filter(|id| *id != axes && scene.node(*id).is_some_and(|n| n.parent.is_none_or(|p| p == axes)))
        .collect();
    let name = if scene.name.is_empty() { "model".to_owned() } else { scene.name.clone() };
    let root = scene.add_node(Some(axes), SceneNode::new(&name));
    for id in &tops {
        if let Some(node) = scene.nodes.get_mut(*id as usize) {
            node.parent = Some(root);
        }
    }
    if let Some(node) = scene.nodes.get_mut(axes as usize) {
        node.children = vec![root];
    }
    if let Some(node) = scene.nodes.get_mut(root as usize) {
        node.children = tops;
    }
}

/// Adds the floor as a mesh with a tree of boxes, a child of the root.
fn add_floor(scene: &mut Scene, floor: &Floor) {
    let root = scene.axes().and_then(|axes| scene.node(axes)?.children.first().copied());
    let vertices = scene.vertices.len() as u32;
    scene.vertices.push(Vertices { positions: floor.vertices.clone(), ..Vertices::default() });
    let mut mesh = SceneMesh { name: "walkmesh".into(), purpose: Purpose::Aabb, ..SceneMesh::default() };
    for (surface, faces) in crate::derived::by_material(floor.surfaces.iter().copied()) {
        let mut map = Extras::new();
        crate::derived::put_runs(&mut map, &faces);
        let corners = faces.iter().filter_map(|f| floor.faces.get(*f as usize));
        mesh.primitives.push(Primitive {
            vertices,
            indices: corners.flatten().copied().collect(),
            material: Some(scene.materials.len() as u32),
            extras: wrap(map),
            ..Primitive::default()
        });
        scene.materials.push(surface_material(surface));
    }
    let map = Extras::from([("render", 0.into()), ("texture", "NULL".into())]);
    let extras = wrap(Extras::from([("mesh", map.into())]));
    let id = scene.meshes.len() as u32;
    scene.meshes.push(mesh);
    scene.add_node(root, SceneNode { mesh: Some(id), extras, ..SceneNode::new("walkmesh") });
}

/// Sets what the compiler of the game computes, and what the author decided.
fn finish(
    model: &mut Model,
    class: u8,
    authoring: &Authoring,
    supermodel: Option<&Model>,
) -> Result<Vec<Loss>> {
    let usual = Model::new("");
    (model.bounds, model.radius, model.fog) = (usual.bounds, usual.radius, usual.fog);
    model.classification = class;
    model.animation_scale = authoring.animation_scale.unwrap_or(1.0);
    let above = authoring.supermodel.as_deref().unwrap_or("NULL");
    model.supermodel = text(above);
    let null = Text::new(b"NULL").unwrap_or_default();
    let mut created = 0;
    for id in node::depth_first(&model.nodes)? {
        let Some(mesh) = model.nodes.get_mut(id as usize).and_then(|n| n.mesh.as_deref_mut()) else {
            continue;
        };
        created += 1;
        mesh.inverted_counters = [inverted_counter(created)].into();
        if mesh.texture.bytes().is_empty() {
            mesh.texture = null;
        }
        mesh.texture_count = mesh.vertices.uvs.iter().filter(|set| !set.is_empty()).count() as u16;
    }
    let mut losses = Vec::new();
    if model.supermodel().is_some() && supermodel.is_none() {
        let what =
            "it was not found: nodes are numbered without it, so that its animations may move the wrong ones";
        losses.push(Loss::new(format!("supermodel {above:?}"), what));
    }
    model.derive_numbers(supermodel)?;
    model.node_count = model.derived_node_count(supermodel).unwrap_or(model.nodes.len() as u32);
    Ok(losses)
}
