//! From glTF to the scene: the document around its lists.

mod baked;
mod clip;
mod light;
mod material;
mod mesh;
pub(crate) mod node;
mod texture;
mod tree;

use std::collections::HashMap;

use galatea_scene::{Extras, Value, read_floats};
use galatea_wire::{Error, ErrorKind, Limits, Result};

use self::mesh::Meshes;
use self::tree::Tree;
use crate::accessor::{Document, wrong};
use crate::{Loaded, blender, buffers, glb, lost_normals, names, restore, typed};

/// Extensions that are not supported and without which a file cannot be read.
const BEYOND: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

pub(crate) fn read(
    bytes: &[u8],
    limits: &Limits,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    original: Option<&[u8]>,
) -> Result<Loaded> {
    let (place, json, bin) = if glb::is_glb(bytes) {
        glb::unpack(bytes)?
    } else {
        (0, bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), None)
    };
    // An object takes far more memory than its shortest text of two characters.
    let objects = json.iter().filter(|b| matches!(b, b'{' | b'[' | b',')).count() as u64;
    if objects.saturating_mul(64) > limits.budget(json.len()).saturating_mul(16) {
        return Err(Error::at(ErrorKind::Limit("values in JSON"), place).within("JSON"));
    }
    let mut root = parse(json)?;
    if let Some(original) = original {
        restore::restore(&mut root, &parse(glb::unpack(original)?.1)?);
    }
    baked::remove(&mut root);
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
    let mut loaded = Loaded { stripped: restore::is_stripped(&root), ..Loaded::default() };
    build(&document, &mut loaded)?;
    Ok(loaded)
}

fn parse(json: &[u8]) -> Result<Value> {
    serde_json::from_slice(json).map_err(|e| {
        let line = u32::try_from(e.line()).unwrap_or(u32::MAX);
        Error::syntax(e.to_string(), line.max(1), u32::try_from(e.column()).unwrap_or(u32::MAX))
            .within("JSON")
    })
}

/// Returns the extras that Galatea wrote, with everything else under one key.
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

/// Returns the beginning of a name, for messages.
pub(crate) fn brief(name: &str) -> &str {
    name.char_indices().nth(80).map_or(name, |(end, _)| name.get(..end).unwrap_or(name))
}

/// Returns the name by which extras refer to something: its key, or else its name.
pub(crate) fn key_of(value: &Value) -> &str {
    let key = value.get("extras").and_then(|e| e.get("galatea")).and_then(|g| g.get("key"));
    key.and_then(Value::as_str).unwrap_or_else(|| name_of(value))
}

/// Returns the name before it was made unique, which it takes out of `extras`.
pub(crate) fn take_name(value: &Value, extras: &mut Extras, nameless: &str) -> String {
    extras.remove("key");
    let was = extras.remove("name");
    names::original(name_of(value), was.as_ref().and_then(Value::as_str), nameless)
}

/// Returns numbers of an object.
pub(crate) fn array<const N: usize>(value: &Value, key: &str) -> Option<[f32; N]> {
    let list = read_floats(value.get(key)?)?;
    (list.len() == N).then(|| list.first_chunk().copied()).flatten()
}

pub(crate) fn number(value: &Value, key: &str) -> Option<f32> {
    value.get(key).and_then(galatea_scene::read_float)
}

/// Returns a truth value, which some programs keep as a number.
pub(crate) fn flag(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_f64() != Some(0.0))
}

/// Returns the original of a value that was replaced, unless it was edited.
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
    let mut meshes = Meshes::new(materials);
    for (i, value) in document.list("meshes").iter().enumerate() {
        let mesh = meshes.read(document, &mut loaded.scene, &mut loaded.losses, value);
        loaded.scene.meshes.push(mesh.map_err(|e| e.within(format!("meshes[{i}]")))?);
    }
    light::read_lights(document, &mut loaded.scene, &mut names);
    light::read_cameras(document, &mut loaded.scene, &mut names);
    let tree = Tree::read(document, loaded)?;
    for (i, value) in document.list("nodes").iter().enumerate() {
        if let Some(id) = tree.id(i) {
            names.nodes.entry(key_of(value).to_owned()).or_insert(id);
        }
    }
    let spares = node::read_skins(document, &mut loaded.scene, &tree)?;
    let notes = node::read_nodes(document, &mut loaded.scene, &tree, &mut names)?;
    node::drop_spares(&mut loaded.scene, &spares);
    for (camera, value) in loaded.scene.cameras.iter_mut().zip(document.list("cameras")) {
        let extras = extras_of(value);
        camera.target = extras.text("target").and_then(|t| names.nodes.get(t).copied());
    }
    let scene = document.list("scenes").get(tree.scene).unwrap_or(&Value::Null);
    loaded.scene.extras = extras_of(scene);
    loaded.scene.extras.remove("materials");
    let mut clip_notes = clip::notes(&mut loaded.scene.extras);
    for (i, value) in document.list("animations").iter().enumerate() {
        let clip = clip::read(document, value, &tree, &names, &mut clip_notes, &mut loaded.losses);
        loaded.scene.clips.push(clip.map_err(|e| e.within(format!("animations[{i}]")))?);
    }
    let name = loaded.scene.extras.remove("name");
    loaded.scene.name = blender::scene_name(name_of(scene), name.as_ref().and_then(Value::as_str));
    if blender::wrote(document.root) {
        let find = |key: &str| names.find("node", key);
        blender::undo(&mut loaded.scene, &notes, find, &|bytes| document.spend(bytes))?;
        lost_normals::restore(&mut loaded.scene, &meshes.lost_normals);
    }
    loaded.scene.put_below_axes();
    Ok(())
}

/// Names in the document, for references in extras.
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
