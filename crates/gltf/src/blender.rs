//! What Blender's importer and exporter change in an unedited document, and how reading undoes it.
//!
//! Blender's custom properties hold numbers (integers of 32 bits), texts, lists of numbers, and dictionaries or lists of
//! dictionaries; no lists of texts or of mixed values, and no `null`. Extras keep to that.
//!
//! * An animated node has no rest pose in Blender: it is exported as it is in a frame. Its transform is noted as `rest`. Its
//!   descendants lose precision with their distance, or their transform if the scale is 0, so theirs is noted, too.
//! * A joint is exported at its bind pose, which need not be its rest pose. Both are noted, as `bind` and `rest`; a joint that is
//!   at neither was edited.
//! * Bones have no meshes, cameras or lights; a child of the bone gets them. The bone notes the name of what it `holds`. If that is
//!   deleted, a bone that is one only because of Blender (`spare`) goes with it.
//! * Children of bones that are no bones are exported elsewhere and move differently. So they become joints that move no vertex; a
//!   skin notes how many such `spare` joints are at its end.
//! * A skinned mesh becomes a child of the armature. Its parent is noted as its `home`.
//! * A joint has one bind pose for all skins. Vertices of skins with another one are moved so that they stay in place; nodes with
//!   such a skin note its `binds`.
//! * Skinned meshes come back in the space of the armature. Their nodes note the bind of one joint as `space`, which tells how to
//!   move vertices and binds back.
//! * Of the two quaternions of a rotation, one is exported. Nodes and channels note if they have the other (`negative`).
//! * Unused materials are not imported; the scene's extras have copies.
//! * Blender gives the scene a name of its own; extras have the name of the model.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};
use galatea_scene::{
    Channel, Extras, Node, Pose, Property, Scene, Skin, Target, Transform, Value, Vertices, floats,
    read_floats,
};
use galatea_wire::Result;
use glam::{Mat4, Quat, Vec3};

use crate::accessor::whole;

/// Most visits of nodes, each once for every skin.
const VISITS: usize = 1 << 26;

/// Returns the spare joints of each skin with their inverse binds: descendants of joints that are no joints.
pub(crate) fn spares(scene: &Scene, pose: &Pose) -> Vec<Vec<(u32, [f32; 16])>> {
    let mut out = vec![Vec::new(); scene.skins.len()];
    if out.is_empty() || out.len().saturating_mul(scene.nodes.len()) > VISITS {
        return out;
    }
    // The skin of each joint, and the inverse bind it has there.
    let mut bound: HashMap<u32, (usize, Mat4)> = HashMap::default();
    for (s, skin) in scene.skins.iter().enumerate() {
        for (i, joint) in skin.joints.iter().enumerate() {
            // Of several skins, Blender uses the bind pose of the last.
            bound.insert(*joint, (s, skin.bind(i)));
        }
    }
    let order = scene.depth_first();
    let moved: HashSet<u32> = scene.clips.iter().flat_map(|c| &c.channels).filter_map(moved_node).collect();
    // Nodes between joints and their common ancestor are bones, too.
    for ((s, skin), list) in scene.skins.iter().enumerate().zip(&mut out) {
        let mut below = vec![0u32; scene.nodes.len()];
        // For each node, the index in the skin of one of the joints below it.
        let mut joint_below = vec![usize::MAX; scene.nodes.len()];
        let mut all = 0;
        for (i, joint) in skin.joints.iter().enumerate() {
            if let Some(slot) = below.get_mut(*joint as usize).filter(|b| **b == 0) {
                *slot = 1;
                all += 1;
                joint_below.get_mut(*joint as usize).into_iter().for_each(|slot| *slot = i);
            }
        }
        for id in order.iter().rev() {
            let count = below.get(*id as usize).copied().unwrap_or(0);
            let Some(parent) = scene.node(*id).and_then(|n| n.parent).filter(|_| count > 0) else { continue };
            let joint = joint_below.get(*id as usize).copied().unwrap_or(usize::MAX);
            if let (Some(slot), Some(place)) =
                (below.get_mut(parent as usize), joint_below.get_mut(parent as usize))
            {
                *slot += count;
                *place = if *place == usize::MAX { joint } else { *place };
            }
        }
        // An animated common ancestor is a bone as well, so that the armature itself does not move.
        for id in &order {
            let count = below.get(*id as usize).copied().unwrap_or(0);
            let between = (1..all).contains(&count) || count == all && all > 0 && moved.contains(id);
            let Some(node) = scene.node(*id).filter(|n| between && n.skin.is_none()) else { continue };
            // Descendants of joints are added below.
            if bound.contains_key(id) || node.parent.is_some_and(|p| bound.contains_key(&p)) {
                continue;
            }
            let Some(at) = joint_below.get(*id as usize).copied() else { continue };
            let Some(joint) = skin.joints.get(at) else { continue };
            let own = pose.world_of(*id).inverse() * pose.world_of(*joint) * skin.bind(at);
            if own.is_finite() {
                bound.insert(*id, (s, own));
                list.push((*id, affine(own)));
            }
        }
    }
    for id in order {
        let Some(node) = scene.node(id).filter(|n| n.skin.is_none() && !bound.contains_key(&id)) else {
            continue;
        };
        let Some((parent, (skin, bind))) = node.parent.and_then(|p| Some((p, *bound.get(&p)?))) else {
            continue;
        };
        let place = pose.world_of(parent).inverse() * pose.world_of(id);
        let own = place.inverse() * bind;
        if own.is_finite() {
            bound.insert(id, (skin, own));
            if let Some(list) = out.get_mut(skin) {
                list.push((id, affine(own)));
            }
        }
    }
    out
}

/// Returns the node whose transform a channel animates.
fn moved_node(channel: &Channel) -> Option<u32> {
    match channel.target {
        Target::Node(node) if place_of(&channel.property).is_some() => Some(node),
        _ => None,
    }
}

/// Returns a matrix with the last row that glTF requires.
fn affine(matrix: Mat4) -> [f32; 16] {
    crate::constraints::affine(matrix.to_cols_array())
}

/// Most binds that are noted in a document.
const BINDS: usize = 1 << 18;

/// Scales below this count as 0.
const FLAT: f32 = 1e-6;

/// What the writer needs to make its notes.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Which of translation, rotation and scale are animated, for each node.
    moved: Vec<[bool; 3]>,
    /// The bind pose of joints, if it is not the rest pose.
    binds: HashMap<u32, Transform>,
    /// Joints and their ancestors.
    bones: Vec<bool>,
    /// Skins with another bind pose for a joint than Blender uses.
    odd: Vec<bool>,
    /// Animated nodes and their descendants.
    swept: Vec<bool>,
    /// Nodes that are bones only because of Blender.
    spare: HashSet<u32>,
}

/// Returns the index of a property among translation, rotation and scale.
pub(crate) fn place_of(property: &Property) -> Option<usize> {
    match property {
        Property::Translation => Some(0),
        Property::Rotation => Some(1),
        Property::Scale => Some(2),
        _ => None,
    }
}

impl Notes {
    pub(crate) fn new(scene: &Scene, spares: &[Vec<(u32, [f32; 16])>]) -> Notes {
        let count = scene.nodes.len();
        let mut notes = Notes {
            moved: vec![[false; 3]; count],
            bones: vec![false; count],
            swept: vec![false; count],
            spare: spares.iter().flatten().map(|(spare, _)| *spare).collect(),
            ..Notes::default()
        };
        for channel in scene.clips.iter().flat_map(|c| &c.channels) {
            let (Target::Node(node), Some(place)) = (channel.target, place_of(&channel.property)) else {
                continue;
            };
            let slot = notes.moved.get_mut(node as usize).and_then(|m| m.get_mut(place));
            if let Some(slot) = slot {
                *slot = true;
            }
            if let Some(slot) = notes.swept.get_mut(node as usize) {
                *slot = true;
            }
        }
        for id in scene.depth_first() {
            let above =
                scene.node(id).and_then(|n| n.parent).and_then(|p| notes.swept.get(p as usize)).copied();
            if let Some(slot) = notes.swept.get_mut(id as usize) {
                *slot |= above.unwrap_or(false);
            }
        }
        // Of several skins, Blender uses the bind pose of the last.
        let mut inverse: HashMap<u32, Mat4> = HashMap::default();
        for skin in &scene.skins {
            for (i, joint) in skin.joints.iter().enumerate() {
                inverse.insert(*joint, skin.bind(i));
                let mut at = Some(*joint);
                while let Some(slot) = at.and_then(|id| notes.bones.get_mut(id as usize)).filter(|b| !**b) {
                    *slot = true;
                    at = at.and_then(|id| scene.node(id)).and_then(|n| n.parent);
                }
            }
        }
        for (spare, bind) in spares.iter().flatten() {
            inverse.insert(*spare, Mat4::from_cols_array(bind));
            if let Some(slot) = notes.bones.get_mut(*spare as usize) {
                *slot = true;
            }
        }
        notes.odd = scene.skins.iter().map(|skin| is_odd(skin, &inverse)).collect();
        let odd = |node: &&Node| node.skin.is_some_and(|s| notes.odd.get(s as usize) == Some(&true));
        let skins = scene.nodes.iter().filter(odd).filter_map(|n| scene.skins.get(n.skin? as usize));
        // Every node that has such a skin notes all its binds.
        if skins.map(|skin| skin.joints.len()).sum::<usize>() > BINDS {
            notes.odd.clear();
        }
        for (joint, own) in &inverse {
            let Some(node) = scene.node(*joint) else { continue };
            let Some(above) = node.parent.and_then(|p| inverse.get(&p)) else { continue };
            let (_, rotation, translation) = (*above * own.inverse()).to_scale_rotation_translation();
            let bind = Transform {
                translation: translation.into(),
                rotation: rotation.to_array(),
                scale: node.transform.scale,
            };
            if !near(&bind, &node.transform, 1e-6) && rotation.is_finite() && translation.is_finite() {
                notes.binds.insert(*joint, bind);
            }
        }
        notes
    }

    /// Returns the notes of a node for [`undo`].
    pub(crate) fn put(
        &self,
        scene: &Scene,
        id: usize,
        name_of: impl Fn(u32) -> Option<String>,
        mesh: Option<&str>,
    ) -> Extras {
        let mut out = Extras::new();
        let Some(node) = scene.nodes.get(id) else { return out };
        let moved = self.moved.get(id).is_some_and(|m| m.contains(&true));
        let bind = self.binds.get(&(id as u32));
        let swept = self.swept.get(id).copied().unwrap_or(false);
        if swept || bind.is_some() {
            out.insert("rest", numbers(&node.transform));
        }
        if let Some(bind) = bind {
            out.insert("bind", numbers(bind));
        }
        if is_negative(node.transform.rotation) {
            out.insert("negative", true);
        }
        let bone = self.bones.get(id).copied().unwrap_or(false);
        let left_behind = node.skin.is_some() && (moved || !node.children.is_empty());
        if let Some(mesh) = mesh.filter(|_| bone || left_behind) {
            out.insert("holds", mesh.to_owned());
            if self.spare.contains(&(id as u32)) && node.children.is_empty() {
                out.insert("spare", true);
            }
        } else if bone && (node.light.is_some() || node.camera.is_some()) {
            out.insert("holds", "");
        }
        let skin = node.skin.filter(|s| self.odd.get(*s as usize) == Some(&true));
        if let Some(skin) = skin.and_then(|s| scene.skins.get(s as usize)) {
            let binds = skin.joints.iter().enumerate().filter_map(|(i, joint)| {
                let bind = floats(&skin.bind(i).to_cols_array());
                Some(Value::Object(Extras::from_iter([("joint", name_of(*joint)?.into()), ("bind", bind)])))
            });
            out.insert("binds", binds.collect::<Value>());
        }
        let even = node.skin.filter(|s| self.odd.get(*s as usize) != Some(&true));
        if let Some((joint, bind)) = even.and_then(|s| first_bind(scene.skins.get(s as usize)?))
            && let Some(name) = name_of(joint)
        {
            out.insert("space", Extras::from_iter([("joint", name.into()), ("bind", floats(&bind))]));
        }
        if let Some(parent) = node.parent.filter(|_| node.skin.is_some()).and_then(&name_of) {
            out.insert("home", parent);
            if node.transform != Transform::default() && !out.contains_key("rest") {
                out.insert("rest", numbers(&node.transform));
            }
        }
        out
    }
}

/// Returns `true` for the one of the two quaternions of a rotation that Blender does not export.
pub(crate) fn is_negative([x, y, z, w]: [f32; 4]) -> bool {
    // Of a half turn, rounding decides about w.
    [w, z, y, x].into_iter().find(|c| c.abs() > 1e-3).is_some_and(|c| c < 0.0)
}

/// Returns a joint whose bind can be inverted, with that bind.
fn first_bind(skin: &Skin) -> Option<(u32, [f32; 16])> {
    let mut binds = skin.joints.iter().enumerate().map(|(i, joint)| (*joint, skin.bind(i)));
    let (joint, bind) = binds.find(|(_, bind)| bind.is_finite() && bind.determinant().abs() > 1e-12)?;
    Some((joint, bind.to_cols_array()))
}

/// Returns `true` if a skin has other binds than these.
fn is_odd(skin: &Skin, inverse: &HashMap<u32, Mat4>) -> bool {
    skin.joints.iter().enumerate().any(|(i, joint)| {
        let bind = skin.bind(i);
        let size = bind.w_axis.abs().max_element().max(1.0);
        inverse.get(joint).is_some_and(|other| !other.abs_diff_eq(bind, 1e-6 * size))
    })
}

fn numbers(transform: &Transform) -> Value {
    let Transform { translation: [a, b, c], rotation: [d, e, f, g], scale: [h, i, j] } = *transform;
    floats(&[a, b, c, d, e, f, g, h, i, j])
}

fn read_transform(value: Option<Value>) -> Option<Transform> {
    let list = read_floats(&value?)?;
    let [a, b, c, d, e, f, g, h, i, j] = *list.first_chunk()?;
    Some(Transform { translation: [a, b, c], rotation: [d, e, f, g], scale: [h, i, j] })
}

/// Returns `true` if two transforms are equal but for rounding.
fn near(a: &Transform, b: &Transform, tolerance: f32) -> bool {
    let size = Vec3::from(a.translation).length().max(1.0);
    let turn = |t: &Transform| Quat::from_array(t.rotation).normalize();
    let (from, to) = (turn(a), turn(b));
    let turned = from.abs_diff_eq(to, tolerance) || from.abs_diff_eq(-to, tolerance);
    Vec3::from(a.translation).abs_diff_eq(b.translation.into(), tolerance * size)
        && turned
        && Vec3::from(a.scale).abs_diff_eq(b.scale.into(), tolerance.max(1e-5))
}

/// Returns `true` if Blender wrote a document.
pub(crate) fn wrote(root: &Value) -> bool {
    let generator = root.get("asset").and_then(|a| a.get("generator")).and_then(Value::as_str);
    generator.is_some_and(|g| g.contains("Blender"))
}

fn galatea(value: &Value) -> Option<&Value> {
    value.get("extras").and_then(|e| e.get("galatea"))
}

/// Returns the nodes that hold a mesh, camera or light for a bone, each with the bone.
pub(crate) fn halves(root: &Value, parents: &[Option<usize>]) -> HashMap<usize, usize> {
    let list = |key: &str| root.get(key).and_then(Value::as_array).map_or(&[][..], |l| l);
    let (nodes, meshes) = (list("nodes"), list("meshes"));
    let mut holders: HashMap<&str, VecDeque<usize>> = HashMap::default();
    let mut held: HashMap<usize, &str> = HashMap::default();
    for (i, node) in nodes.iter().enumerate().filter(|(_, n)| n.get("mesh").is_none()) {
        if let Some(holds) = galatea(node).and_then(|g| g.get("holds")).and_then(Value::as_str) {
            holders.entry(holds).or_default().push_back(i);
            held.insert(i, holds);
        }
    }
    let mut out = HashMap::default();
    let mut taken = HashSet::default();
    for (i, node) in nodes.iter().enumerate() {
        let leaf = node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty);
        if holders.is_empty() || galatea(node).is_some() || !leaf {
            continue;
        }
        let mesh = node.get("mesh").and_then(whole).and_then(|m| meshes.get(m));
        let name = mesh.map_or("", |m| m.get("name").and_then(Value::as_str).unwrap_or(""));
        let parent = parents.get(i).copied().flatten();
        let mut place = crate::read::node::plain_transform(node);
        if mesh.is_none() {
            // Blender moves lights and cameras along the bone if units are not metres.
            place.translation[1] = 0.0;
        }
        let stands = near(&place, &Transform::default(), 1e-3);
        let found = if node.get("skin").is_some() {
            let list = holders.get_mut(name);
            list.and_then(|list| std::iter::from_fn(|| list.pop_front()).find(|h| !taken.contains(h)))
        } else {
            parent.filter(|p| stands && held.get(p) == Some(&name) && !taken.contains(p))
        };
        if let Some(holder) = found {
            taken.insert(holder);
            out.insert(i, holder);
        }
    }
    out
}

/// Returns `true` for a node that only was a bone because Blender has no other way to hang a mesh on one, if that mesh is gone.
pub(crate) fn is_empty_holder(node: &Value) -> bool {
    let own = galatea(node);
    let spare = own.is_some_and(|own| own.get("spare").is_some() && own.get("holds").is_some());
    let leaf = node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty);
    spare && leaf && node.get("mesh").is_none()
}

/// Returns a bone with the mesh, camera or light that another node holds for it.
pub(crate) fn merge_half(holder: &Value, half: &Value) -> Value {
    let mut out = holder.clone();
    let Some(map) = out.as_object_mut() else { return out };
    for key in ["mesh", "skin", "camera"] {
        if let Some(value) = half.get(key) {
            map.insert(key.to_owned(), value.clone());
        }
    }
    // Of two nodes with the same name, Blender has numbered one.
    let (name, other) = (crate::read::name_of(holder), crate::read::name_of(half));
    let number = name.strip_prefix(other).and_then(|rest| rest.strip_prefix('.'));
    if number.is_some_and(|n| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit())) {
        map.insert("name", other.to_owned());
    }
    if let Some(Value::Object(more)) = half.get("extensions") {
        let mut extensions = match map.remove("extensions") {
            Some(Value::Object(extensions)) => extensions,
            _ => Extras::new(),
        };
        extensions.extend(more.clone());
        map.insert("extensions", extensions);
    }
    out
}

/// The notes of one node.
#[derive(Debug, Default)]
pub(crate) struct NodeNotes {
    /// Whether the rotation is to be negated.
    negative: bool,
    rest: Option<Transform>,
    bind: Option<Transform>,
    home: Option<String>,
    /// The keys of joints and their binds.
    binds: Vec<(String, Mat4)>,
    /// The key of one joint and its bind, for skins whose binds all are as Blender has them, but for the space.
    space: Option<(String, Mat4)>,
}

impl NodeNotes {
    /// Takes the notes out of a node's extras.
    pub(crate) fn take(extras: &mut Extras) -> NodeNotes {
        extras.remove("holds");
        extras.remove("spare");
        NodeNotes {
            negative: extras.remove("negative").is_some(),
            rest: read_transform(extras.remove("rest")),
            bind: read_transform(extras.remove("bind")),
            home: extras.remove("home").and_then(|h| h.as_str().map(str::to_owned)),
            binds: extras.remove("binds").as_ref().map_or_else(Vec::new, read_binds),
            space: extras.remove("space").as_ref().and_then(read_bind),
        }
    }
}

fn read_binds(list: &Value) -> Vec<(String, Mat4)> {
    list.as_array().into_iter().flatten().filter_map(read_bind).collect()
}

fn read_bind(entry: &Value) -> Option<(String, Mat4)> {
    let cells = read_floats(entry.get("bind")?)?;
    let matrix = Mat4::from_cols_array(cells.first_chunk()?);
    Some((entry.get("joint")?.as_str()?.to_owned(), matrix))
}

/// Charges for bytes that are about to be allocated.
type Spend<'a> = &'a dyn Fn(u64) -> Result<()>;

/// Restores the binds of skinned meshes, and moves their vertices back by the difference.
fn rebind(
    scene: &mut Scene,
    notes: &[NodeNotes],
    find: &impl Fn(&str) -> Option<u32>,
    spend: Spend<'_>,
) -> Result<()> {
    let mut done = HashSet::default();
    for (id, notes) in notes.iter().enumerate().filter(|(_, notes)| !notes.binds.is_empty()) {
        let Some(node) = scene.nodes.get(id) else { continue };
        let mesh = node.mesh.and_then(|m| scene.meshes.get(m as usize));
        let (Some(mesh), Some(skin)) = (mesh, node.skin.and_then(|s| scene.skins.get(s as usize))) else {
            continue;
        };
        // Every such node gets its own skin.
        spend(skin.joints.len() as u64 * 68).map_err(|e| e.within(format!("nodes[{id}]")))?;
        let mut skin = skin.clone();
        let was: HashMap<u32, Mat4> =
            notes.binds.iter().filter_map(|(key, bind)| Some((find(key)?, *bind))).collect();
        // For each joint, how Blender has moved vertices of that joint alone.
        let mut by = Vec::with_capacity(skin.joints.len());
        for (i, joint) in skin.joints.iter().enumerate() {
            let is = skin.bind(i);
            let was = was.get(joint).copied().unwrap_or(is);
            by.push(is.inverse() * was);
            if let Some(slot) = skin.inverse_bind.get_mut(i) {
                *slot = was.to_cols_array();
            }
        }
        for vertices in mesh.primitives.iter().map(|p| p.vertices) {
            if let Some(vertices) =
                scene.vertices.get_mut(vertices as usize).filter(|_| done.insert(vertices))
            {
                move_back(vertices, &by);
            }
        }
        if let Some(node) = scene.nodes.get_mut(id) {
            node.skin = Some(scene.skins.len() as u32);
            scene.skins.push(skin);
        }
    }
    Ok(())
}

/// Moves skinned meshes back into their own space, with their binds.
fn move_to_space(
    scene: &mut Scene,
    notes: &[NodeNotes],
    find: &impl Fn(&str) -> Option<u32>,
    spend: Spend<'_>,
) -> Result<()> {
    let mut done: HashSet<u32> = HashSet::default();
    for (id, notes) in notes.iter().enumerate() {
        let Some((joint, was)) = notes.space.as_ref().and_then(|(key, bind)| Some((find(key)?, *bind)))
        else {
            continue;
        };
        let Some(node) = scene.nodes.get(id) else { continue };
        let mesh = node.mesh.and_then(|m| scene.meshes.get(m as usize));
        let (Some(mesh), Some(skin)) = (mesh, node.skin.and_then(|s| scene.skins.get(s as usize))) else {
            continue;
        };
        let Some(at) = skin.joints.iter().position(|j| *j == joint) else { continue };
        let by = was.inverse() * skin.bind(at);
        let size = was.w_axis.abs().max_element().max(1.0);
        if !by.is_finite() || by.determinant() == 0.0 || by.abs_diff_eq(Mat4::IDENTITY, 1e-7 * size) {
            continue;
        }
        // Every such node gets its own skin.
        spend(skin.joints.len() as u64 * 68).map_err(|e| e.within(format!("nodes[{id}]")))?;
        let mut skin = skin.clone();
        let back = by.inverse();
        for i in 0..skin.joints.len() {
            let bind = (skin.bind(i) * back).to_cols_array();
            skin.inverse_bind.get_mut(i).into_iter().for_each(|slot| *slot = bind);
        }
        let turn = glam::Mat3::from_mat4(back).transpose();
        for vertices in mesh.primitives.iter().map(|p| p.vertices) {
            let vertices = scene.vertices.get_mut(vertices as usize).filter(|_| done.insert(vertices));
            let Some(vertices) = vertices else { continue };
            for position in &mut vertices.positions {
                *position = by.transform_point3(Vec3::from(*position)).into();
            }
            for normal in &mut vertices.normals {
                *normal = (turn * Vec3::from(*normal)).normalize_or_zero().into();
            }
            for tangent in &mut vertices.tangents {
                let [x, y, z, w] = *tangent;
                let [x, y, z] = by.transform_vector3(Vec3::new(x, y, z)).normalize_or_zero().to_array();
                *tangent = [x, y, z, w];
            }
        }
        if let Some(node) = scene.nodes.get_mut(id) {
            node.skin = Some(scene.skins.len() as u32);
            scene.skins.push(skin);
        }
    }
    Ok(())
}

fn move_back(vertices: &mut Vertices, by: &[Mat4]) {
    for i in 0..vertices.positions.len() {
        let mut moved = Mat4::ZERO;
        for (joint, weight) in vertices.influences.of(i) {
            moved += by.get(usize::from(joint)).copied().unwrap_or(Mat4::IDENTITY) * weight;
        }
        let back = moved.inverse();
        if !back.is_finite() {
            continue;
        }
        if let Some(position) = vertices.positions.get_mut(i) {
            *position = back.transform_point3(Vec3::from(*position)).into();
        }
        if let Some(normal) = vertices.normals.get_mut(i) {
            *normal = moved.transpose().transform_vector3(Vec3::from(*normal)).normalize_or_zero().into();
        }
    }
}

/// Undoes Blender's changes to the nodes of a document.
pub(crate) fn undo(
    scene: &mut Scene,
    notes: &[NodeNotes],
    find: impl Fn(&str) -> Option<u32>,
    spend: Spend<'_>,
) -> Result<()> {
    rebind(scene, notes, &find, spend)?;
    move_to_space(scene, notes, &find, spend)?;
    // Numbers are less precise far from the origin.
    let pose = Pose::rest(scene);
    let reach = pose.world.iter().map(|w| w.w_axis.truncate().length()).filter(|l| l.is_finite());
    let unit = scene.axes().and_then(|id| scene.node(id)).map_or(1.0, |n| n.transform.scale[0].abs());
    let close = (reach.fold(0.0, f32::max) / unit.max(1e-6) * 1e-6).clamp(1e-5, 1e-2);
    let mut moved = vec![[false; 3]; scene.nodes.len()];
    for channel in scene.clips.iter().flat_map(|c| &c.channels) {
        let (Target::Node(node), Some(place)) = (channel.target, place_of(&channel.property)) else {
            continue;
        };
        if let Some(slot) = moved.get_mut(node as usize).and_then(|m| m.get_mut(place)) {
            *slot = true;
        }
    }
    let mut moves = Moves::default();
    for id in 0..scene.nodes.len() {
        let (Some(notes), Some(node)) = (notes.get(id), scene.nodes.get_mut(id)) else { continue };
        if node.transform.scale.iter().all(|s| (s - 1.0).abs() < 1e-5) {
            // The poses of bones are matrices in between.
            node.transform.scale = [1.0; 3];
        }
        if let Some(rest) = notes.rest {
            let still = Transform::default();
            let homeless = notes.home.is_some() && near(&node.transform, &still, 1e-5);
            match notes.bind {
                _ if near(&node.transform, &rest, close) || homeless => node.transform = rest,
                _ if node.transform.scale.iter().any(|s| s.abs() < FLAT) => node.transform = rest,
                Some(bind) => {
                    if near(&node.transform, &bind, 1e-4) {
                        node.transform = rest;
                    }
                }
                None => {
                    let [t, r, s] = moved.get(id).copied().unwrap_or_default();
                    let now = &mut node.transform;
                    now.translation = if t { rest.translation } else { now.translation };
                    now.rotation = if r { rest.rotation } else { now.rotation };
                    now.scale = if s { rest.scale } else { now.scale };
                }
            }
        }
        if notes.negative != is_negative(node.transform.rotation) {
            node.transform.rotation = node.transform.rotation.map(|c| -c);
        }
        let home = notes.home.as_deref().filter(|_| node.skin.is_some()).and_then(&find);
        if let Some(home) = home.filter(|h| node.parent != Some(*h) && *h as usize != id) {
            moves.reparent(scene, id as u32, home);
        }
    }
    moves.finish(scene);
    Ok(())
}

/// Leaves that got another parent. They are removed from their old parents at the end, all at once: one by one this would take
/// long if thousands leave one parent.
#[derive(Default)]
struct Moves {
    /// Number of children that have left each node.
    gone: HashMap<u32, usize>,
}

impl Moves {
    /// Makes a leaf the child of another node.
    fn reparent(&mut self, scene: &mut Scene, id: u32, home: u32) {
        let gone = self.gone.get(&id).copied().unwrap_or(0);
        let Some(node) = scene.nodes.get_mut(id as usize).filter(|n| n.children.len() == gone) else {
            return;
        };
        if let Some(before) = node.parent.replace(home) {
            *self.gone.entry(before).or_default() += 1;
        }
        if let Some(home) = scene.nodes.get_mut(home as usize) {
            home.children.push(id);
        }
    }

    /// Removes the leaves from their old parents.
    fn finish(self, scene: &mut Scene) {
        for parent in self.gone.into_keys() {
            let Some(node) = scene.nodes.get_mut(parent as usize) else { continue };
            let mut children = std::mem::take(&mut node.children);
            children.retain(|c| scene.node(*c).is_some_and(|n| n.parent == Some(parent)));
            if let Some(node) = scene.nodes.get_mut(parent as usize) {
                node.children = children;
            }
        }
    }
}

/// Returns the name of a model, which is noted if Blender has renamed the scene.
pub(crate) fn scene_name(found: &str, noted: Option<&str>) -> String {
    let blenders = found == "Scene" || found.starts_with("Scene.") || found.is_empty();
    noted.filter(|_| blenders).unwrap_or(found).to_owned()
}
