//! From glTF to the scene: the tree, meshes, skins, lights and cameras.

mod clip;
mod material;
mod mesh;

use std::collections::HashMap;

use galatea_scene::{
    Camera, Extras, Inherit, Light, LightKind, Mesh, Node, Primitive, Projection, Purpose, Scene, Skin,
    Transform, Value, Vertices, read_floats,
};
use galatea_wire::{Error, ErrorKind, Limits, Loss, Result};

use self::mesh::Meshes;
use crate::accessor::{Document, whole, wrong};
use crate::{Loaded, blender, buffers, constraints, glb, names, typed};

/// Extensions without which a file cannot be read, and that are not read here.
const BEYOND: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

pub(crate) fn read(
    bytes: &[u8],
    limits: &Limits,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Loaded> {
    let (place, json, bin) = if glb::is_glb(bytes) {
        glb::unpack(bytes)?
    } else {
        (0, bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), None)
    };
    // An object takes far more memory than the two letters it may be written with.
    let objects = json.iter().filter(|b| matches!(b, b'{' | b'[' | b',')).count() as u64;
    if objects.saturating_mul(64) > limits.budget(json.len()).saturating_mul(16) {
        return Err(Error::at(ErrorKind::Limit("values in JSON"), place).within("JSON"));
    }
    let root: Value = serde_json::from_slice(json).map_err(|e| {
        let line = u32::try_from(e.line()).unwrap_or(u32::MAX);
        Error::syntax(e.to_string(), line.max(1), u32::try_from(e.column()).unwrap_or(u32::MAX))
            .within("JSON")
    })?;
    let version = root.get("asset").and_then(|a| a.get("version")).and_then(Value::as_str);
    if !version.is_some_and(|v| v.starts_with("2.")) {
        let found = version.unwrap_or("nothing");
        return Err(wrong(place, "glTF version 2", found).within("version").within("asset"));
    }
    for name in root.get("extensionsRequired").and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = name.as_str().filter(|n| BEYOND.contains(n)) {
            let kind = ErrorKind::Unsupported(format!("the extension {name}").into());
            return Err(Error::at(kind, place).within("extensionsRequired"));
        }
    }
    let nodes = root.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
    if nodes > limits.nodes as usize {
        return Err(Error::at(ErrorKind::Limit("nodes"), place).within("nodes"));
    }
    let mut document = Document::new(&root, place, bytes.len(), limits)?;
    document.buffers = buffers::read(&document, bytes, bin, file)?;
    let mut loaded = Loaded::default();
    build(&document, &mut loaded)?;
    Ok(loaded)
}

/// What `extras` holds: what Galatea wrote, with everything else under one key.
pub(crate) fn extras_of(value: &Value) -> Extras {
    match value.get("extras") {
        Some(Value::Object(outer)) => {
            let mut own = outer.get("galatea").and_then(Value::as_object).cloned().unwrap_or_default();
            let foreign: Extras = outer
                .iter()
                .filter(|(key, value)| *key != "galatea" || value.as_object().is_none())
                .map(|(k, v)| (k.to_owned(), v.clone()))
                .collect();
            if !foreign.is_empty() {
                own.insert(typed::FOREIGN.to_owned(), Value::Object(foreign));
            }
            own
        }
        Some(other) => Extras::from_iter([(typed::FOREIGN.to_owned(), other.clone())]),
        None => Extras::default(),
    }
}

pub(crate) fn name_of(value: &Value) -> &str {
    value.get("name").and_then(Value::as_str).unwrap_or("")
}

/// The beginning of a name, for messages.
pub(crate) fn brief(name: &str) -> &str {
    name.char_indices().nth(80).map_or(name, |(end, _)| name.get(..end).unwrap_or(name))
}

/// The name by which extras refer to something: its key, or its name where it has none.
pub(crate) fn key_of(value: &Value) -> &str {
    let key = value.get("extras").and_then(|e| e.get("galatea")).and_then(|g| g.get("key"));
    key.and_then(Value::as_str).unwrap_or_else(|| name_of(value))
}

/// The name before it was made unique.
pub(crate) fn take_name(value: &Value, extras: &mut Extras, nameless: &str) -> String {
    extras.remove("key");
    let was = extras.remove("name");
    names::original(name_of(value), was.as_ref().and_then(Value::as_str), nameless)
}

/// Numbers of an object.
pub(crate) fn array<const N: usize>(value: &Value, key: &str) -> Option<[f32; N]> {
    let list = read_floats(value.get(key)?)?;
    (list.len() == N).then(|| list.first_chunk().copied()).flatten()
}

pub(crate) fn number(value: &Value, key: &str) -> Option<f32> {
    value.get(key).and_then(galatea_scene::read_float)
}

/// The original of a value that was replaced, unless somebody has changed it since.
pub(crate) fn original<const N: usize>(
    raw: &Extras,
    key: &str,
    is: [f32; N],
    allowed: impl Fn([f32; N]) -> [f32; N],
) -> [f32; N] {
    let was = raw.get(key).and_then(|v| match v {
        Value::Array(_) | Value::Object(_) => read_floats(v),
        other => galatea_scene::read_float(other).map(|v| vec![v]),
    });
    let was: Option<[f32; N]> = was.and_then(|v| v.first_chunk().copied());
    was.filter(|w| allowed(*w).map(f32::to_bits) == is.map(f32::to_bits)).unwrap_or(is)
}

pub(crate) fn take_raw(extras: &mut Extras) -> Extras {
    match extras.remove("raw") {
        Some(Value::Object(raw)) => raw,
        _ => Extras::default(),
    }
}

fn build(document: &Document<'_>, loaded: &mut Loaded) -> Result<()> {
    let mut names = NameTables::default();
    let materials = material::read(document, loaded, &mut names)?;
    let mut reader = Meshes::new(materials);
    for (i, value) in document.list("meshes").iter().enumerate() {
        let mesh = reader.read(document, &mut loaded.scene, &mut loaded.losses, value);
        loaded.scene.meshes.push(mesh.map_err(|e| e.within(format!("meshes[{i}]")))?);
    }
    read_lights(document, &mut loaded.scene, &mut names);
    for (i, value) in document.list("cameras").iter().enumerate() {
        let camera = read_camera(value);
        names.cameras.entry(key_of(value).to_owned()).or_insert(i as u32);
        loaded.scene.cameras.push(camera);
    }
    let tree = Tree::read(document, loaded)?;
    for (i, value) in document.list("nodes").iter().enumerate() {
        if let Some(id) = tree.new_id.get(i).copied().flatten() {
            names.nodes.entry(key_of(value).to_owned()).or_insert(id);
        }
    }
    let mut spares = Vec::new();
    for (i, value) in document.list("skins").iter().enumerate() {
        let read = read_skin(document, value, &tree).map_err(|e| e.within(format!("skins[{i}]")))?;
        let (skin, spare) = read;
        loaded.scene.skins.push(skin);
        spares.push(spare);
    }
    let mut told = Vec::with_capacity(tree.order.len());
    for (old, value) in tree.order.iter().filter_map(|i| Some((*i, document.list("nodes").get(*i)?))) {
        let joined = tree.halves.get(&old).and_then(|half| document.list("nodes").get(*half));
        let joined = joined.map(|half| blender::whole_again(value, half));
        let node = read_node(document, joined.as_ref().unwrap_or(value), &mut loaded.scene, &names);
        let mut node = node.map_err(|e| e.within(format!("nodes[{old}]")))?;
        node.parent = tree.parents.get(old).copied().flatten().and_then(|p| tree.id(p));
        node.children = tree.children.get(old).into_iter().flatten().filter_map(|c| tree.id(*c)).collect();
        if let Some(emitter) = node.emitter {
            names.emitters.insert(key_of(value).to_owned(), emitter);
        }
        if let Some(light) = node.light.filter(|l| *l as usize >= tree.lights) {
            let name = loaded.scene.lights.get(light as usize).map_or("", |l| &l.name);
            names.lights.entry(name.to_owned()).or_insert(light);
        }
        told.push(blender::Told::take(&mut node.extras));
        loaded.scene.nodes.push(node);
    }
    drop_spares(&mut loaded.scene, &spares);
    for (camera, value) in loaded.scene.cameras.iter_mut().zip(document.list("cameras")) {
        let target = extras_of(value).get("target").and_then(Value::as_str).map(str::to_owned);
        camera.target = target.and_then(|t| names.nodes.get(&t).copied());
    }
    let scene = document.list("scenes").get(tree.scene).unwrap_or(&Value::Null);
    loaded.scene.extras = extras_of(scene);
    loaded.scene.extras.remove("materials");
    let mut notes = clip::notes(&mut loaded.scene.extras);
    for (i, value) in document.list("animations").iter().enumerate() {
        let clip = clip::read(document, value, &tree, &names, &mut notes, &mut loaded.losses);
        loaded.scene.clips.push(clip.map_err(|e| e.within(format!("animations[{i}]")))?);
    }
    let name = loaded.scene.extras.remove("name");
    loaded.scene.name = blender::scene_name(name_of(scene), name.as_ref().and_then(Value::as_str));
    if blender::wrote(document.root) {
        let find = |key: &str| names.find("node", key);
        blender::undo(&mut loaded.scene, &told, find, &|bytes| document.spend(bytes))?;
    }
    Ok(())
}

/// What things are called in the document, for references in extras.
#[derive(Debug, Default)]
pub(crate) struct NameTables {
    pub(crate) nodes: HashMap<String, u32>,
    pub(crate) materials: HashMap<String, u32>,
    pub(crate) lights: HashMap<String, u32>,
    pub(crate) cameras: HashMap<String, u32>,
    pub(crate) emitters: HashMap<String, u32>,
}

impl NameTables {
    pub(crate) fn find(&self, kind: &str, name: &str) -> Option<u32> {
        let table = match kind {
            "node" => &self.nodes,
            "material" => &self.materials,
            "light" => &self.lights,
            "camera" => &self.cameras,
            "emitter" => &self.emitters,
            _ => return None,
        };
        table.get(name).copied()
    }
}

/// The nodes of the chosen scene.
pub(crate) struct Tree {
    scene: usize,
    /// Old indices in the order in which the nodes are taken over.
    order: Vec<usize>,
    new_id: Vec<Option<u32>>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// For nodes that another program made two of, the other half.
    halves: HashMap<usize, usize>,
    lights: usize,
}

impl Tree {
    pub(crate) fn id(&self, old: usize) -> Option<u32> {
        self.new_id.get(old).copied().flatten()
    }

    fn read(document: &Document<'_>, loaded: &mut Loaded) -> Result<Tree> {
        let nodes = document.list("nodes");
        let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut children = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let list = node.get("children").and_then(Value::as_array).map_or(&[][..], |l| l);
            for child in list {
                let inside = |e: Error| e.within("children").within(format!("nodes[{i}]"));
                let child = whole(child).filter(|c| *c < nodes.len());
                let child =
                    child.ok_or_else(|| inside(wrong(document.place, "the index of a node", "another")))?;
                match parents.get_mut(child) {
                    Some(parent @ None) if child != i => *parent = Some(i),
                    _ => return Err(inside(Error::at(ErrorKind::Cycle, document.place))),
                }
                if let Some(list) = children.get_mut(i) {
                    list.push(child);
                }
            }
        }
        let scenes = document.list("scenes");
        let scene = document.index(document.root, "scene", "scenes")?.unwrap_or(0);
        let roots: Vec<usize> = match scenes.get(scene) {
            Some(value) => {
                let list = value.get("nodes").and_then(Value::as_array).map_or(&[][..], |l| l);
                let roots = list.iter().map(|v| whole(v).filter(|n| *n < nodes.len()));
                let roots: Option<Vec<usize>> = roots.collect();
                roots.ok_or_else(|| {
                    wrong(document.place, "the index of a node", "another").within(format!("scenes[{scene}]"))
                })?
            }
            None => (0..nodes.len()).filter(|n| parents.get(*n).copied().flatten().is_none()).collect(),
        };
        if scenes.len() > 1 {
            loaded.losses.push(
                Loss::new("", format!("{} scenes besides the one that is shown", scenes.len() - 1))
                    .invisible(),
            );
        }
        // Every node has one parent, so that a walk from the roots meets none twice unless a root hangs on another node.
        let mut taken = vec![false; nodes.len()];
        let mut todo = roots;
        while let Some(node) = todo.pop() {
            if let Some(flag) = taken.get_mut(node).filter(|t| !**t) {
                *flag = true;
                todo.extend(children.get(node).into_iter().flatten());
            }
        }
        let mut halves = HashMap::new();
        if blender::wrote(document.root) {
            for (half, holder) in blender::halves(document.root, &parents) {
                if let Some(flag) = taken.get_mut(half).filter(|t| **t) {
                    *flag = false;
                    halves.insert(holder, half);
                }
            }
        }
        let order: Vec<usize> =
            (0..nodes.len()).filter(|n| taken.get(*n).copied().unwrap_or(false)).collect();
        let mut new_id = vec![None; nodes.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(slot) = new_id.get_mut(*old) {
                *slot = Some(new as u32);
            }
        }
        let left = nodes.len() - order.len() - halves.len();
        if left > 0 && scenes.len() <= 1 {
            loaded.losses.push(Loss::new("", format!("{left} nodes that no scene shows")).invisible());
        }
        Ok(Tree { scene, order, new_id, parents, children, halves, lights: loaded.scene.lights.len() })
    }
}

/// The place of a node, as the document has it.
pub(crate) fn plain_transform(value: &Value) -> Transform {
    read_transform(value, &Extras::new())
}

fn read_transform(value: &Value, raw: &Extras) -> Transform {
    if let Some(matrix) = array::<16>(value, "matrix") {
        let (scale, rotation, translation) =
            glam::Mat4::from_cols_array(&matrix).to_scale_rotation_translation();
        let sound = scale.is_finite() && rotation.is_finite() && translation.is_finite();
        if sound {
            return Transform {
                translation: translation.into(),
                rotation: rotation.to_array(),
                scale: scale.into(),
            };
        }
    }
    let rest = Transform::default();
    let translation = array(value, "translation").unwrap_or(rest.translation);
    let rotation = array(value, "rotation").unwrap_or(rest.rotation);
    let scale = array(value, "scale").unwrap_or(rest.scale);
    Transform {
        translation: original(raw, "translation", translation, constraints::finite),
        rotation: original(raw, "rotation", rotation, constraints::rotation),
        scale: original(raw, "scale", scale, constraints::finite),
    }
}

fn read_node(document: &Document<'_>, value: &Value, scene: &mut Scene, names: &NameTables) -> Result<Node> {
    let mut extras = extras_of(value);
    let raw = take_raw(&mut extras);
    let extension = |name: &str| value.get("extensions").and_then(|e| e.get(name));
    let mut node = Node {
        name: take_name(value, &mut extras, "node"),
        transform: read_transform(value, &raw),
        mesh: document.index(value, "mesh", "meshes")?.map(|m| m as u32),
        skin: document.index(value, "skin", "skins")?.map(|s| s as u32),
        camera: document.index(value, "camera", "cameras")?.map(|c| c as u32),
        ..Node::default()
    };
    let visible = extension("KHR_node_visibility").and_then(|e| e.get("visible"));
    node.visible = visible.and_then(Value::as_bool).unwrap_or(true);
    let light = extension("KHR_lights_punctual").and_then(|e| e.get("light")).and_then(whole);
    node.light = light.filter(|l| *l < scene.lights.len()).map(|l| l as u32);
    if let Some(mesh) = extras.remove("mesh").filter(|_| node.mesh.is_none()) {
        node.mesh = Some(scene.meshes.len() as u32);
        scene.meshes.push(read_empty_mesh(&mesh, names));
    }
    if let Some(light) = extras.remove("light").as_ref().and_then(typed::read_light) {
        node.light = Some(scene.lights.len() as u32);
        scene.lights.push(light);
    }
    let emitter = extras.remove("emitter");
    if let Some((mut emitter, material)) = emitter.as_ref().and_then(typed::read_emitter) {
        emitter.material = material.and_then(|m| names.find("material", m));
        node.emitter = Some(scene.emitters.len() as u32);
        scene.emitters.push(emitter);
    }
    node.tint = typed::array(&extras, "tint").unwrap_or(node.tint);
    node.attachment = extras.remove("attachment").as_ref().and_then(typed::read_attachment);
    node.shape = extras.remove("shape").as_ref().and_then(typed::read_shape);
    node.billboard =
        extras.remove("billboard").as_ref().and_then(Value::as_str).and_then(typed::read_billboard);
    let inherit = extras.remove("inherit").as_ref().and_then(typed::read_inherit);
    node.inherit = inherit.unwrap_or(Inherit { translation: true, rotation: true, scale: true });
    node.axes = extras.remove("axes").is_some_and(|v| v != Value::Bool(false));
    extras.remove("tint");
    node.extras = extras;
    Ok(node)
}

pub(crate) fn read_purpose(extras: &mut Extras) -> (Purpose, Option<u32>) {
    let word = extras.remove("purpose");
    let word = word.as_ref().and_then(Value::as_str).unwrap_or("render");
    let purpose = Purpose::ALL.into_iter().find(|p| p.name() == word).unwrap_or_default();
    let lod = typed::int(extras, "lod").and_then(|l| u32::try_from(l).ok());
    extras.remove("lod");
    (purpose, lod)
}

/// A mesh that had no geometry when it was written.
fn read_empty_mesh(value: &Value, names: &NameTables) -> Mesh {
    let mut map = value.as_object().cloned().unwrap_or_default();
    let (purpose, lod) = read_purpose(&mut map);
    let inner = |map: &Extras| map.get("extras").and_then(Value::as_object).cloned().unwrap_or_default();
    let parts = map.get("primitives").and_then(Value::as_array).into_iter().flatten();
    let parts = parts.filter_map(Value::as_object).map(|part| Primitive {
        vertices: u32::MAX,
        material: typed::text(part, "material").and_then(|m| names.find("material", m)),
        extras: inner(part),
        ..Primitive::default()
    });
    Mesh {
        name: typed::text(&map, "name").unwrap_or("").to_owned(),
        primitives: parts.collect(),
        purpose,
        lod,
        extras: inner(&map),
    }
}

/// Takes the joints away that a skin ends with and that move no vertex.
fn drop_spares(scene: &mut Scene, spares: &[usize]) {
    if spares.iter().all(|spare| *spare == 0) {
        return;
    }
    // Many nodes may share a mesh, and many primitives their vertices.
    let last = |vertices: &Vertices| {
        let entries = vertices.influences.joints.iter().zip(&vertices.influences.weights);
        entries.filter(|(_, w)| **w != 0.0).map(|(j, _)| usize::from(*j) + 1).max().unwrap_or(0)
    };
    let last: Vec<usize> = scene.vertices.iter().map(last).collect();
    let of_mesh = |mesh: &Mesh| {
        let parts = mesh.primitives.iter().filter_map(|p| last.get(p.vertices as usize));
        parts.copied().max().unwrap_or(0)
    };
    let of_mesh: Vec<usize> = scene.meshes.iter().map(of_mesh).collect();
    let mut used = vec![0; scene.skins.len()];
    for node in &scene.nodes {
        let most = node.mesh.and_then(|m| of_mesh.get(m as usize)).copied();
        if let (Some(most), Some(slot)) = (most, node.skin.and_then(|s| used.get_mut(s as usize))) {
            *slot = most.max(*slot);
        }
    }
    for ((skin, spare), used) in scene.skins.iter_mut().zip(spares).zip(used).filter(|((_, s), _)| **s > 0) {
        let kept = skin.joints.len().saturating_sub(*spare).max(used);
        skin.joints.truncate(kept);
        skin.inverse_bind.truncate(kept);
    }
}

/// A skin, and how many joints at its end are spare ones.
fn read_skin(document: &Document<'_>, value: &Value, tree: &Tree) -> Result<(Skin, usize)> {
    let mut extras = extras_of(value);
    let known = document.list("nodes").len();
    let list = value.get("joints").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let spare = extras.remove("spare").as_ref().and_then(whole).unwrap_or(0).min(list.len());
    let mut joints = Vec::new();
    for (i, joint) in list.iter().enumerate() {
        let joint = whole(joint).filter(|j| *j < known).and_then(|j| tree.id(j));
        // A spare one may be gone with what hung there.
        let stand_in = joints.first().copied().filter(|_| i + spare >= list.len());
        joints.push(
            joint
                .or(stand_in)
                .ok_or_else(|| wrong(document.place, "a node of the scene", "another").within("joints"))?,
        );
    }
    let mut inverse_bind: Vec<[f32; 16]> = match document.index(value, "inverseBindMatrices", "accessors")? {
        Some(accessor) => document.rows(accessor).map_err(|e| e.within("inverseBindMatrices"))?,
        None => {
            document.spend(joints.len() as u64 * 64)?;
            vec![glam::Mat4::IDENTITY.to_cols_array(); joints.len()]
        }
    };
    if let Some(note) = extras.remove("inverse_bind") {
        constraints::restore(&mut inverse_bind, &note, constraints::affine);
    }
    Ok((Skin { name: name_of(value).to_owned(), joints, inverse_bind, extras }, spare))
}

fn read_lights(document: &Document<'_>, scene: &mut Scene, names: &mut NameTables) {
    let lights = document.root.get("extensions").and_then(|e| e.get("KHR_lights_punctual"));
    let lights = lights.and_then(|e| e.get("lights")).and_then(Value::as_array);
    for value in lights.into_iter().flatten() {
        let mut extras = extras_of(value);
        let raw = take_raw(&mut extras);
        names.lights.entry(key_of(value).to_owned()).or_insert(scene.lights.len() as u32);
        let kind = match value.get("type").and_then(Value::as_str) {
            Some("directional") => LightKind::Directional,
            Some("spot") => {
                let spot = value.get("spot").unwrap_or(&Value::Null);
                let inner = number(spot, "innerConeAngle").unwrap_or(0.0);
                let outer = number(spot, "outerConeAngle").unwrap_or(std::f32::consts::FRAC_PI_4);
                let was = typed::array::<2>(&raw, "cone").filter(|_| raw.contains_key("cone"));
                let [inner, outer] = was.unwrap_or([inner, outer]);
                LightKind::Spot { inner, outer }
            }
            _ => LightKind::Point,
        };
        let color = array(value, "color").unwrap_or([1.0; 3]);
        let intensity = number(value, "intensity").unwrap_or(1.0);
        let clamp = |c: [f32; 3]| constraints::finite(c).map(|c| c.clamp(0.0, 1.0));
        let [intensity] = original(&raw, "intensity", [intensity], |[i]| constraints::finite([i.max(0.0)]));
        let range = typed::array::<1>(&raw, "range").map(|[r]| r);
        scene.lights.push(Light {
            name: take_name(value, &mut extras, "light"),
            kind,
            color: original(&raw, "color", color, clamp),
            intensity,
            range: number(value, "range").or(range),
            extras,
        });
    }
}

fn read_camera(value: &Value) -> Camera {
    let mut extras = extras_of(value);
    let raw = take_raw(&mut extras);
    extras.remove("target");
    let name = take_name(value, &mut extras, "camera");
    let none = Value::Null;
    let (projection, lens) = if value.get("type").and_then(Value::as_str) == Some("orthographic") {
        let lens = value.get("orthographic").unwrap_or(&none);
        let size = [number(lens, "xmag").unwrap_or(1.0), number(lens, "ymag").unwrap_or(1.0)];
        let allowed = |size: [f32; 2]| size.map(|s| if s.is_finite() && s > 0.0 { s } else { 1.0 });
        (Projection::Orthographic { size: original(&raw, "size", size, allowed) }, lens)
    } else {
        let lens = value.get("perspective").unwrap_or(&none);
        let allowed = |[yfov]: [f32; 1]| [if yfov.is_finite() { yfov.clamp(1e-3, 3.1) } else { 0.8 }];
        let [yfov] = original(&raw, "yfov", [number(lens, "yfov").unwrap_or(0.8)], allowed);
        (Projection::Perspective { yfov, aspect: number(lens, "aspectRatio") }, lens)
    };
    let allowed = |[near]: [f32; 1]| [if near.is_finite() { near.max(1e-4) } else { 1e-4 }];
    let [near] = original(&raw, "near", [number(lens, "znear").unwrap_or(0.1)], allowed);
    let far = number(lens, "zfar").or_else(|| typed::array::<1>(&raw, "far").map(|[f]| f));
    Camera { name, projection, near, far, target: None, extras }
}
