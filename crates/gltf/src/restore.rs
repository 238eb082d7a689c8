//! Restores the extras that an editing program has dropped, from the document that we would write for the original.
//!
//! Programs keep names but not extras: Blender by default, Maya, 3ds Max and gltf-transform always. What is matched gets the
//! extras of its original, so that reading undoes the program's changes as if they had never been lost. Everything that is
//! matched is marked with the index of its original in the scene (`origin`), which [`galatea_scene::Onto`] takes out again.

use foldhash::{HashMap, HashSet};
use galatea_scene::{Extras, ORIGIN, Value};

use crate::accessor::whole;
use crate::read::name_of;

const OURS: &str = "galatea";

/// Restores the extras of all lists of a document.
pub(crate) fn restore(root: &mut Value, ours: &Value) {
    let nodes = match_nodes(root, ours);
    put_all(root, ours, "nodes", &nodes);
    for key in ["meshes", "materials", "animations", "cameras"] {
        let pairs = match_named(list(root, key), list(ours, key));
        put_all(root, ours, key, &pairs);
    }
    restore_lights(root, ours);
    let shown = |root: &Value| root.get("scene").and_then(whole).unwrap_or(0);
    let (edited, original) = (shown(root), shown(ours));
    let extras = list(ours, "scenes").get(original).and_then(own).cloned();
    if let (Some(extras), Some(scene)) = (extras, list_mut(root, "scenes").and_then(|l| l.get_mut(edited))) {
        put(scene, extras);
    }
}

/// Returns `true` if a document was one of ours and has lost its extras: the root that converts axes is there without them,
/// or a material for hidden meshes is.
pub(crate) fn is_stripped(root: &Value) -> bool {
    let scene = root.get("scene").and_then(whole).unwrap_or(0);
    let roots = list(root, "scenes").get(scene).map_or(&[][..], |scene| list(scene, "nodes"));
    let roots = roots.iter().filter_map(whole).filter_map(|at| list(root, "nodes").get(at));
    let bare = |value: &Value| own(value).is_none();
    let is_axes = |name: &str| name == "axes" || name_base(name) == Some("axes");
    let is_hidden =
        |name: &str| name.ends_with(".hidden") || name_base(name).is_some_and(|n| n.ends_with(".hidden"));
    let mut axes = roots.filter(|node| is_axes(name_of(node)));
    axes.any(bare) || list(root, "materials").iter().any(|m| is_hidden(name_of(m)) && bare(m))
}

fn restore_lights(root: &mut Value, ours: &Value) {
    fn lights(root: &Value) -> &[Value] {
        let all = root.get("extensions").and_then(|e| e.get("KHR_lights_punctual"));
        all.map_or(&[], |all| list(all, "lights"))
    }
    let pairs = match_named(lights(root), lights(ours));
    let all = root.as_object_mut().and_then(|map| map.get_mut("extensions"));
    let all = all.and_then(|e| e.as_object_mut()?.get_mut("KHR_lights_punctual"));
    let Some(list) = all.and_then(|all| list_mut(all, "lights")) else { return };
    for (value, pair) in list.iter_mut().zip(pairs) {
        if let Some(extras) = pair.and_then(|i| lights(ours).get(i)).and_then(own) {
            put(value, extras.clone());
        }
    }
}

fn list<'v>(root: &'v Value, key: &str) -> &'v [Value] {
    root.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn list_mut<'v>(root: &'v mut Value, key: &str) -> Option<&'v mut Vec<Value>> {
    match root.as_object_mut()?.get_mut(key)? {
        Value::Array(list) => Some(list),
        _ => None,
    }
}

/// Returns the extras that we wrote.
fn own(value: &Value) -> Option<&Extras> {
    value.get("extras")?.get(OURS)?.as_object()
}

fn put_all(root: &mut Value, ours: &Value, key: &str, pairs: &[Option<usize>]) {
    let Some(edited) = list_mut(root, key) else { return };
    for (value, pair) in edited.iter_mut().zip(pairs) {
        let Some(original) = pair.and_then(|i| list(ours, key).get(i)) else { continue };
        if let Some(extras) = own(original) {
            put(value, extras.clone());
        }
        if key == "animations" {
            // The extras of clips are those of the scene, by this key.
            put(value, Extras::from_iter([("key", name_of(original).to_owned().into())]));
        }
        if key == "meshes" {
            restore_primitives(value, original);
        }
    }
}

/// Restores the extras of a mesh's primitives, which are in the same order if there are as many.
fn restore_primitives(value: &mut Value, original: &Value) {
    let from = list(original, "primitives");
    let Some(parts) = list_mut(value, "primitives").filter(|parts| parts.len() == from.len()) else { return };
    for (part, original) in parts.iter_mut().zip(from) {
        if let Some(extras) = own(original) {
            // What is noted for single vertices and triangles belongs to the original's.
            let notes = ["replaced", "indices", "none"];
            put(part, extras.iter().filter(|(k, _)| !notes.contains(k)).map(owned).collect());
        }
    }
}

fn owned((key, value): (&str, &Value)) -> (String, Value) {
    (key.to_owned(), value.clone())
}

/// Adds extras of ours to a value. Those that are there win, but for the origin.
fn put(value: &mut Value, extras: Extras) {
    let Some(map) = value.as_object_mut() else { return };
    let mut outer = match map.remove("extras") {
        Some(Value::Object(outer)) => outer,
        Some(other) => Extras::from_iter([(crate::typed::FOREIGN, other)]),
        None => Extras::new(),
    };
    let there = match outer.remove(OURS) {
        Some(Value::Object(there)) => there,
        _ => Extras::new(),
    };
    let mut all = extras;
    let origin = all.remove(ORIGIN);
    if !there.is_empty() {
        // Extras that survived are complete: what an edit removed stays removed.
        let key = all.remove("key");
        all = there;
        if let Some(key) = key.filter(|_| !all.contains_key("key")) {
            all.insert("key", key);
        }
    }
    if let Some(origin) = origin {
        all.insert(ORIGIN, origin);
    }
    outer.insert(OURS, all);
    map.insert("extras", outer);
}

/// Returns for each value the index of its original: by the key in its extras, its name, or its name without a number.
fn match_named(edited: &[Value], ours: &[Value]) -> Vec<Option<usize>> {
    match_by(edited, ours, &|_, _| 0)
}

fn key_in_extras(value: &Value) -> Option<&str> {
    own(value)?.text("key")
}

fn whole_name(value: &Value) -> Option<&str> {
    Some(name_of(value)).filter(|name| !name.is_empty())
}

fn name_without_number(value: &Value) -> Option<&str> {
    name_base(name_of(value))
}

/// Returns a name without the number after it; `None` if it has none.
fn name_base(name: &str) -> Option<&str> {
    let (base, number) = name.rsplit_once('.')?;
    (number.len() >= 3 && number.bytes().all(|b| b.is_ascii_digit())).then_some(base)
}

/// Returns for each value the index of its original. Of several with one name, that with the highest score is taken.
fn match_by(edited: &[Value], ours: &[Value], score: &dyn Fn(usize, usize) -> u32) -> Vec<Option<usize>> {
    let mut by_name: HashMap<&str, usize> = HashMap::default();
    for (i, value) in ours.iter().enumerate() {
        by_name.entry(name_of(value)).or_insert(i);
    }
    let mut out = vec![None; edited.len()];
    let mut taken: HashSet<usize> = HashSet::default();
    let ways: [fn(&Value) -> Option<&str>; 3] = [key_in_extras, whole_name, name_without_number];
    for way in ways {
        let mut wanted: HashMap<usize, Vec<usize>> = HashMap::default();
        for (i, value) in edited.iter().enumerate().filter(|(i, _)| out.get(*i) == Some(&None)) {
            let original = way(value).and_then(|name| by_name.get(name).copied());
            if let Some(original) = original.filter(|o| !taken.contains(o)) {
                wanted.entry(original).or_default().push(i);
            }
        }
        for (original, candidates) in wanted {
            let best = candidates.iter().copied().rev().max_by_key(|i| score(*i, original));
            if let Some(slot) = best.and_then(|i| out.get_mut(i)) {
                *slot = Some(original);
                taken.insert(original);
            }
        }
    }
    out
}

/// Returns for each node the index of its original. Blender splits bones that hold a mesh, a camera or a light; both halves
/// have the name of the bone, and the one without a mesh is the bone.
fn match_nodes(root: &Value, ours: &Value) -> Vec<Option<usize>> {
    let (edited, original) = (list(root, "nodes"), list(ours, "nodes"));
    let joints: HashSet<usize> =
        list(root, "skins").iter().flat_map(|skin| list(skin, "joints")).filter_map(whole).collect();
    let mesh_name = |root: &Value, node: &Value| {
        let mesh = node.get("mesh").and_then(whole)?;
        list(root, "meshes").get(mesh).map(|m| name_of(m).to_owned())
    };
    let score = |i: usize, o: usize| {
        let (Some(node), Some(was)) = (edited.get(i), original.get(o)) else { return 0 };
        let own = own(was);
        if own.is_some_and(|own| own.contains_key("holds")) {
            return u32::from(node.get("mesh").is_none()) * 2 + u32::from(joints.contains(&i));
        }
        let (is, was) = (mesh_name(root, node), mesh_name(ours, was));
        u32::from(is.is_some() == was.is_some()) * 2 + u32::from(is == was)
    };
    match_by(edited, original, &score)
}
