//! What Blender's importer and exporter change in a document that nobody edited, and how reading undoes it.
//!
//! * A node that a clip moves has no rest place in Blender: it comes back as it stood in a frame. Its place is noted as `rest`.
//!   Whatever is below it comes back less exact the farther the clip takes it, or at no place at all where the clip scales it to nothing:
//!   its place is noted, too.
//! * A joint comes back as its inverse bind matrix tells, which need not be where it rests. Its `rest` and that place (`bind`) are
//!   noted; whoever moved the bone since has moved it away from both.
//! * Bones have no meshes, cameras or lights: a node below the bone has them. The bone notes the name of what it `holds`.
//! * What hangs on a bone and is none comes back elsewhere and moves otherwise. So it is a joint too, one that moves no vertex: a skin
//!   tells how many such `spare` ones it ends with.
//! * A skinned mesh hangs on the armature afterwards. Its parent is noted as its `home`.
//! * A joint has one bind for all skins. Where another skin bound it differently, vertices are moved so that they end up where they were:
//!   nodes of such a skin note the `binds` it had.
//! * Materials that no primitive has are not imported: the scene's extras have copies.
//! * The scene is called what Blender calls it; extras have the name of the model.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};
use galatea_scene::{
    Channel, Extras, Node, Pose, Property, Scene, Skin, Target, Transform, Value, Vertices, floats,
    read_floats,
};
use galatea_wire::Result;
use glam::{Mat4, Quat, Vec3};

use crate::accessor::whole;

/// Most nodes that are looked at for the sake of Blender, each once for every skin.
const VISITS: usize = 1 << 26;

/// Joints beyond those that each skin has, with their inverse binds: whatever hangs on joints and is none.
pub(crate) fn spares(scene: &Scene, pose: &Pose) -> Vec<Vec<(u32, [f32; 16])>> {
    let mut out = vec![Vec::new(); scene.skins.len()];
    if out.is_empty() || out.len().saturating_mul(scene.nodes.len()) > VISITS {
        return out;
    }
    // The skin of each joint, and the inverse bind it has there.
    let mut bound: HashMap<u32, (usize, Mat4)> = HashMap::default();
    for (s, skin) in scene.skins.iter().enumerate() {
        for (i, joint) in skin.joints.iter().enumerate() {
            // Of several skins the last tells Blender where a joint is bound.
            bound.insert(*joint, (s, skin.bind(i)));
        }
    }
    let order = scene.depth_first();
    let moved: HashSet<u32> = scene.clips.iter().flat_map(|c| &c.channels).filter_map(moved_node).collect();
    // What is between joints and the node they all hang on is a bone too.
    for ((s, skin), list) in scene.skins.iter().enumerate().zip(&mut out) {
        let mut below = vec![0u32; scene.nodes.len()];
        // For each node the place in the skin of one of the joints below it.
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
        // Where the node they all hang on moves, it is one as well: what stands for the skeleton had better stand still.
        for id in &order {
            let count = below.get(*id as usize).copied().unwrap_or(0);
            let between = (1..all).contains(&count) || count == all && all > 0 && moved.contains(id);
            let Some(node) = scene.node(*id).filter(|n| between && n.skin.is_none()) else { continue };
            // Below joints everything is done the same way, further down.
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

/// The node whose place a channel moves.
fn moved_node(channel: &Channel) -> Option<u32> {
    match channel.target {
        Target::Node(node) if place_of(&channel.property).is_some() => Some(node),
        _ => None,
    }
}

/// A matrix whose last row is exactly what glTF wants.
fn affine(matrix: Mat4) -> [f32; 16] {
    crate::constraints::affine(matrix.to_cols_array())
}

/// Most binds that are noted.
const BINDS: usize = 1 << 18;

/// A scale that leaves nothing.
const FLAT: f32 = 1e-6;

/// What a writer has to note.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Which of translation, rotation and scale clips move.
    moved: Vec<[bool; 3]>,
    /// Where Blender sees a joint at rest, if that is elsewhere.
    binds: HashMap<u32, Transform>,
    /// Joints and what is above them.
    bones: Vec<bool>,
    /// Skins that bind a joint otherwise than Blender does.
    odd: Vec<bool>,
    /// Nodes that a clip moves, and what is below them.
    swept: Vec<bool>,
}

/// Which of the three parts of a place it is.
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
        // Of several skins the last tells Blender where a joint is bound.
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

    /// What extras of a node tell so that [`undo`] can do its work.
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
        let bone = self.bones.get(id).copied().unwrap_or(false);
        let left_behind = node.skin.is_some() && (moved || !node.children.is_empty());
        if let Some(mesh) = mesh.filter(|_| bone || left_behind) {
            out.insert("holds", mesh.to_owned());
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
        if let Some(parent) = node.parent.filter(|_| node.skin.is_some()).and_then(&name_of) {
            out.insert("home", parent);
            if node.transform != Transform::default() && !out.contains_key("rest") {
                out.insert("rest", numbers(&node.transform));
            }
        }
        out
    }
}

/// Whether a skin has other binds than these.
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

/// Whether two places are the same but for rounding.
fn near(a: &Transform, b: &Transform, tolerance: f32) -> bool {
    let size = Vec3::from(a.translation).length().max(1.0);
    let turn = |t: &Transform| Quat::from_array(t.rotation).normalize();
    let (from, to) = (turn(a), turn(b));
    let turned = from.abs_diff_eq(to, tolerance) || from.abs_diff_eq(-to, tolerance);
    Vec3::from(a.translation).abs_diff_eq(b.translation.into(), tolerance * size)
        && turned
        && Vec3::from(a.scale).abs_diff_eq(b.scale.into(), tolerance.max(1e-5))
}

/// Whether Blender wrote a document.
pub(crate) fn wrote(root: &Value) -> bool {
    let generator = root.get("asset").and_then(|a| a.get("generator")).and_then(Value::as_str);
    generator.is_some_and(|g| g.contains("Blender"))
}

fn galatea(value: &Value) -> Option<&Value> {
    value.get("extras").and_then(|e| e.get("galatea"))
}

/// Nodes that are there only because a bone cannot have what they have: each with the bone.
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
            // Lights and cameras are put at some place along the bone where units are not metres.
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

/// A bone with what another node has for it.
pub(crate) fn whole_again(holder: &Value, half: &Value) -> Value {
    let mut out = holder.clone();
    let Some(map) = out.as_object_mut() else { return out };
    for key in ["mesh", "skin", "camera"] {
        if let Some(value) = half.get(key) {
            map.insert(key.to_owned(), value.clone());
        }
    }
    // One of two with the same name has got a number.
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

/// What was noted of one node.
#[derive(Debug, Default)]
pub(crate) struct NodeNotes {
    rest: Option<Transform>,
    bind: Option<Transform>,
    home: Option<String>,
    /// The keys of joints and how they were bound.
    binds: Vec<(String, Mat4)>,
}

impl NodeNotes {
    /// Takes the notes out of a node's extras.
    pub(crate) fn take(extras: &mut Extras) -> NodeNotes {
        extras.remove("holds");
        NodeNotes {
            rest: read_transform(extras.remove("rest")),
            bind: read_transform(extras.remove("bind")),
            home: extras.remove("home").and_then(|h| h.as_str().map(str::to_owned)),
            binds: extras.remove("binds").as_ref().map_or_else(Vec::new, read_binds),
        }
    }
}

fn read_binds(list: &Value) -> Vec<(String, Mat4)> {
    let bind = |entry: &Value| {
        let cells = read_floats(entry.get("bind")?)?;
        let matrix = Mat4::from_cols_array(cells.first_chunk()?);
        Some((entry.get("joint")?.as_str()?.to_owned(), matrix))
    };
    list.as_array().into_iter().flatten().filter_map(bind).collect()
}

/// Charges for bytes that are about to be allocated.
type Spend<'a> = &'a dyn Fn(u64) -> Result<()>;

/// Gives skinned meshes the binds they had, and moves their vertices back: Blender has moved them by the difference.
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
        // Every node gets a skin of its own.
        spend(skin.joints.len() as u64 * 68).map_err(|e| e.within(format!("nodes[{id}]")))?;
        let mut skin = skin.clone();
        let was: HashMap<u32, Mat4> =
            notes.binds.iter().filter_map(|(key, bind)| Some((find(key)?, *bind))).collect();
        // For each joint, by what Blender has moved what only that joint moves.
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

/// Puts nodes of a document that Blender wrote where they were.
pub(crate) fn undo(
    scene: &mut Scene,
    notes: &[NodeNotes],
    find: impl Fn(&str) -> Option<u32>,
    spend: Spend<'_>,
) -> Result<()> {
    rebind(scene, notes, &find, spend)?;
    // What is far away is less exact.
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
        let home = notes.home.as_deref().filter(|_| node.skin.is_some()).and_then(&find);
        if let Some(home) = home.filter(|h| node.parent != Some(*h) && *h as usize != id) {
            moves.rehang(scene, id as u32, home);
        }
    }
    moves.finish(scene);
    Ok(())
}

/// Leaves that were hung on other nodes. Their old parents have them still, until all are done: one by one that takes long
/// where thousands leave one parent.
#[derive(Default)]
struct Moves {
    /// How many children have left each node.
    gone: HashMap<u32, usize>,
}

impl Moves {
    /// Hangs a leaf on another node.
    fn rehang(&mut self, scene: &mut Scene, id: u32, home: u32) {
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

    /// Takes those that have left away from their old parents.
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

/// The name of a model whose scene Blender has named after itself.
pub(crate) fn scene_name(found: &str, noted: Option<&str>) -> String {
    let blenders = found == "Scene" || found.starts_with("Scene.") || found.is_empty();
    noted.filter(|_| blenders).unwrap_or(found).to_owned()
}
