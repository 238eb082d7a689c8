//! Baked effects: meshes that follow from a model's emitters and are left out when a glTF is read.

use std::collections::{HashMap, HashSet};

use galatea_scene::{BAKED, Extras, Value};

/// Removes the nodes that are marked as baked effects, with the channels, meshes and materials that only they use.
pub(super) fn remove(root: &mut Value) {
    let Value::Object(root) = root else { return };
    let nodes: HashSet<usize> = marked(root, "nodes").collect();
    if nodes.is_empty() && marked(root, "materials").next().is_none() {
        return;
    }
    let meshes: HashSet<usize> = {
        let kept = list(root, "nodes").iter().enumerate().filter(|(i, _)| !nodes.contains(i));
        let used: HashSet<usize> = kept.filter_map(|(_, node)| index(node.get("mesh")?)).collect();
        marked(root, "meshes").filter(|mesh| !used.contains(mesh)).collect()
    };
    let materials: HashSet<usize> = {
        let kept = list(root, "meshes").iter().enumerate().filter(|(i, _)| !meshes.contains(i));
        let used: HashSet<usize> = kept
            .flat_map(|(_, mesh)| mesh.get("primitives").and_then(Value::as_array).into_iter().flatten())
            .filter_map(|primitive| index(primitive.get("material")?))
            .collect();
        marked(root, "materials").filter(|material| !used.contains(material)).collect()
    };
    let nodes = drop_from(root, "nodes", &nodes);
    let meshes = drop_from(root, "meshes", &meshes);
    let materials = drop_from(root, "materials", &materials);
    each(root, "scenes", |scene| renumber_list(scene, "nodes", &nodes));
    each(root, "nodes", |node| {
        renumber_list(node, "children", &nodes);
        renumber(node, "mesh", &meshes);
    });
    each(root, "skins", |skin| {
        renumber_list(skin, "joints", &nodes);
        renumber(skin, "skeleton", &nodes);
    });
    each(root, "meshes", |mesh| {
        each(mesh, "primitives", |primitive| renumber(primitive, "material", &materials))
    });
    each(root, "animations", |animation| {
        if let Some(Value::Array(channels)) = animation.get_mut("channels") {
            let target = |c: &Value| index(c.get("target")?.get("node")?);
            channels.retain(|channel| target(channel).is_none_or(|node| nodes.contains_key(&node)));
        }
        each(animation, "channels", |channel| {
            if let Some(target) = channel.get_mut("target").and_then(Value::as_object_mut) {
                renumber(target, "node", &nodes);
            }
        });
    });
}

fn list<'v>(object: &'v Extras, key: &str) -> &'v [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|i| usize::try_from(i).ok())
}

/// Returns the members of a list that are marked as baked.
fn marked<'v>(root: &'v Extras, key: &str) -> impl Iterator<Item = usize> + use<'v> {
    let is_marked = |value: &Value| {
        let mark = value.get("extras").and_then(|e| e.get("galatea")).and_then(|own| own.get(BAKED));
        mark.and_then(Value::as_bool) == Some(true)
    };
    list(root, key).iter().enumerate().filter(move |(_, value)| is_marked(value)).map(|(i, _)| i)
}

/// Removes members of a list, and returns the new index of each that is left.
fn drop_from(root: &mut Extras, key: &str, dropped: &HashSet<usize>) -> HashMap<usize, usize> {
    let mut new = HashMap::new();
    if let Some(Value::Array(all)) = root.get_mut(key) {
        let mut old = 0..all.len();
        all.retain(|_| {
            let kept = old.next().filter(|i| !dropped.contains(i));
            kept.is_some_and(|i| new.insert(i, new.len()).is_none())
        });
    }
    new
}

fn each(object: &mut Extras, key: &str, mut change: impl FnMut(&mut Extras)) {
    if let Some(Value::Array(all)) = object.get_mut(key) {
        all.iter_mut().filter_map(Value::as_object_mut).for_each(&mut change);
    }
}

/// Gives an index its new value. One that points nowhere stays, for the reader to report.
fn renumber(object: &mut Extras, key: &str, new: &HashMap<usize, usize>) {
    if let Some(value) = object.get_mut(key)
        && let Some(found) = index(value).and_then(|old| new.get(&old))
    {
        *value = Value::Int(*found as i64);
    }
}

/// Gives each index of a list its new value and removes those of what is gone.
fn renumber_list(object: &mut Extras, key: &str, new: &HashMap<usize, usize>) {
    let Some(Value::Array(all)) = object.get_mut(key) else { return };
    let gone = |value: &Value| index(value).is_some_and(|old| !new.contains_key(&old));
    all.retain(|value| !gone(value));
    for value in all {
        if let Some(found) = index(value).and_then(|old| new.get(&old)) {
            *value = Value::Int(*found as i64);
        }
    }
}
