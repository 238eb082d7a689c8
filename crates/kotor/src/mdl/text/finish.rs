//! Completes a draft to a document: first from the sidecar, then with derived values.
//!
//! One description serves both directions. For reading, it restores every field from the sidecar if its record still
//! matches the text. For writing, it compares every field with the real one and records those that the text does not
//! restore.

use super::draft::{AnimationDraft, Draft, MeshDraft, NodeDraft};
use super::fields;
use super::fill;
use crate::mdl::{Animation, Game, Mesh, Model, Node, NodeId, Platform, PositionCopy};
use crate::text::encode::Field;
use crate::text::sidecar::{Guard, Sidecar};
use galatea_wire::StableHash;

/// The values of a mesh that remain to be derived.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Missing {
    pub(crate) normals: bool,
    pub(crate) tangents: [bool; 4],
    pub(crate) planes: bool,
    pub(crate) bounds: bool,
    pub(crate) area: bool,
    pub(crate) boxes: bool,
    pub(crate) binds: bool,
    pub(crate) counters: bool,
    pub(crate) saber: bool,
}

/// Fields that depend only on their own lines.
static OF_ANY_NODE: &[&Field<Node>] = &[&fields::FLAGS, &fields::POSE];
static OF_LIGHTS: &[&Field<Node>] = &[
    &fields::LIGHT,
    &fields::FLARE_SIZES,
    &fields::FLARE_POSITIONS,
    &fields::FLARE_COLORS,
    &fields::FLARE_TEXTURES,
];
static OF_EMITTERS: &[&Field<Node>] = &[
    &fields::EMITTER,
    &fields::EMITTER_UPDATE,
    &fields::EMITTER_RENDER,
    &fields::EMITTER_BLEND,
    &fields::EMITTER_TEXTURE,
    &fields::EMITTER_CHUNK,
    &fields::EMITTER_DEPTH,
];
static OF_MESHES: &[&Field<Node>] = &[
    &fields::MESH,
    &fields::DIRT,
    &fields::TEXTURE,
    &fields::LIGHTMAP,
    &fields::TEXTURE_3,
    &fields::TEXTURE_4,
    &fields::POSITIONS,
    &fields::COLORS,
    &fields::UVS_0,
    &fields::UVS_1,
    &fields::UVS_2,
    &fields::UVS_3,
    &fields::CORNERS,
    &fields::MDL_POSITIONS,
    &fields::INDICES,
    &fields::ANIM_MESH,
];
static OF_DANGLIES: &[&Field<Node>] = &[&fields::DANGLY, &fields::CONSTRAINTS, &fields::DANGLY_POSITIONS];

/// Completes a draft. For writing, `real` is the document that the text was printed from.
pub(crate) fn finish(draft: Draft<'_>, real: Option<&Model>, sidecar: &mut Sidecar<'_>) -> Model {
    let Draft { mut model, nodes: mut drafts, animations, headlink, .. } = draft;
    sidecar.enter(0, 0);
    sidecar.field(&mut model, real, &fields::MODEL, Guard::Own);
    sidecar.field(&mut model, real, &fields::MODEL_NAME, Guard::Own);
    sidecar.field(&mut model, real, &fields::SUPERMODEL, Guard::Own);
    let second = model.game == Game::K2;
    let xbox = model.platform == Platform::Xbox;
    for mesh in model.nodes.iter_mut().filter_map(|n| n.mesh.as_deref_mut()) {
        fields::settle_dirt(mesh, second);
        if xbox {
            mesh.mdl_positions = PositionCopy::Absent;
        }
    }
    let mut missing = vec![Missing::default(); model.nodes.len()];
    let mut numbered = Vec::with_capacity(model.nodes.len());
    let inherits = StableHash::new().bytes(&model.supermodel.bytes().to_ascii_lowercase()).finish();
    let number = if model.supermodel().is_some() { &fields::NUMBER_INHERITED } else { &fields::NUMBER };
    for (id, draft) in drafts.iter_mut().enumerate() {
        let real_node = real.and_then(|r| r.nodes.get(id));
        let Some(node) = model.nodes.get_mut(id) else { continue };
        sidecar.enter(0, draft.key);
        if let Some(name) = model.names.get_mut(usize::from(node.name)) {
            let real_name = real.zip(real_node).and_then(|(r, n)| r.names.get(usize::from(n.name)));
            sidecar.field(name, real_name, &fields::NAME, Guard::Own);
        }
        let guard = if model.supermodel.bytes().is_empty() { Guard::Own } else { Guard::Lines(inherits) };
        numbered.push(sidecar.field(node, real_node, number, guard));
        if let Some(real) = real_node {
            node.number = real.number;
        }
        let left = own_fields(node, real_node, draft, sidecar);
        if let Some(slot) = missing.get_mut(id) {
            *slot = left;
        }
    }
    sidecar.enter(0, 0);
    sidecar.field(&mut model, real, &fields::NAMES, Guard::Own);
    model.head = if headlink { model.find(b"neck_g") } else { None };
    sidecar.field(&mut model, real, &fields::HEAD, Guard::Own);
    model.node_count = model.derived_node_count(None).unwrap_or(model.nodes.len() as u32);
    sidecar.field(&mut model, real, &fields::BEYOND, Guard::Lines(inherits));
    if real.is_none() {
        new_numbers(&mut model, &numbered);
    }
    skins(&mut model, &drafts, real, sidecar, &mut missing);
    for (i, (draft, animation)) in animations.iter().zip(&mut model.animations).enumerate() {
        let real_animation = real.and_then(|r| r.animations.get(i));
        animation.node_count = model.names.len() as u32;
        self::animation(animation, draft, &model.nodes, real_animation, sidecar);
    }
    if real.is_none() {
        fill::fill(&mut model, &mut drafts, &missing);
    }
    model
}

/// Gives new nodes of a model that inherits unique numbers.
fn new_numbers(model: &mut Model, numbered: &[bool]) {
    if model.supermodel().is_none() || !numbered.contains(&true) {
        return;
    }
    let known = model.nodes.iter().zip(numbered).filter(|(_, known)| **known);
    let mut most = known.map(|(n, _)| n.number).max().unwrap_or(0);
    for (node, known) in model.nodes.iter_mut().zip(numbered) {
        if !known {
            most = most.saturating_add(1);
            node.number = most;
        }
    }
}

/// Completes controllers: as a whole if the text has others, otherwise only numbers that decimals cannot express.
fn controllers(node: &mut Node, real: Option<&Node>, sidecar: &mut Sidecar<'_>) {
    if real.is_some_and(|r| node.controllers.is_empty() && r.controllers.is_empty()) {
        return;
    }
    if real.is_none_or(|r| fields::controller_words(r) != fields::controller_words(node)) {
        sidecar.field(node, real, &fields::CONTROLLERS, Guard::Own);
    }
    let controllers = StableHash::new().words(fields::controller_words(node));
    sidecar.field(node, real, &fields::CONTROLLER_DATA, Guard::Lines(controllers.finish()));
}

/// Completes the fields of a node that do not depend on other nodes. Returns what remains to be derived.
fn own_fields(
    node: &mut Node,
    real: Option<&Node>,
    draft: &NodeDraft<'_>,
    sidecar: &mut Sidecar<'_>,
) -> Missing {
    controllers(node, real, sidecar);
    let mut own = |node: &mut Node, list: &[&Field<Node>]| {
        for field in list {
            sidecar.field(node, real, field, Guard::Own);
        }
    };
    own(node, OF_ANY_NODE);
    if node.light.is_some() {
        own(node, OF_LIGHTS);
    }
    if node.emitter.is_some() {
        own(node, OF_EMITTERS);
    }
    if node.reference.is_some() {
        own(node, &[&fields::REFERENCE, &fields::REFERENCE_MODEL]);
    }
    let (Some(mesh), Some(mesh_draft)) = (node.mesh.as_deref(), draft.mesh.as_deref()) else {
        return Missing::default();
    };
    let (saber, dangly, aabb) = (mesh.saber.is_some(), mesh.dangly.is_some(), mesh.aabb.is_some());
    own(node, OF_MESHES);
    if dangly {
        own(node, OF_DANGLIES);
    }
    if saber {
        own(node, &[&fields::SABER_COUNTERS]);
    }
    if aabb {
        own(node, &[&fields::BOX_CORNERS]);
    }
    let counted = sidecar.field(node, real, &fields::COUNTERS, Guard::Own) || mesh_draft.counted;
    let shape = Guard::Lines(mesh_draft.shape);
    let area = sidecar.field(node, real, &fields::AREA, shape);
    // The bounds in the text are valid only while the shape is unchanged.
    let bounds = mesh_draft.bounded && area;
    if bounds {
        sidecar.field(node, real, &fields::BOUNDS, Guard::Own);
    }
    let mut tangents = [false; 4];
    let columns = [&fields::TANGENTS_0, &fields::TANGENTS_1, &fields::TANGENTS_2, &fields::TANGENTS_3];
    for ((missing, wanted), column) in tangents.iter_mut().zip(mesh_draft.tangents).zip(columns) {
        let guard = Guard::Lines(StableHash::resume(mesh_draft.mapping).words([u32::from(wanted)]).finish());
        let known = if wanted || real.is_none() { sidecar.field(node, real, column, guard) } else { true };
        *missing = wanted && !known;
    }
    Missing {
        normals: !saber && !sidecar.field(node, real, &fields::NORMALS, shape),
        tangents,
        planes: !sidecar.field(node, real, &fields::PLANES, shape),
        bounds: !bounds,
        area: !area,
        boxes: aabb && !sidecar.field(node, real, &fields::BOXES, Guard::Lines(mesh_draft.boxes)),
        binds: false,
        counters: !counted,
        saber: saber && !sidecar.field(node, real, &fields::SABER, Guard::Lines(mesh_draft.mapping)),
    }
}

/// Completes bone maps, binds, and the bones of the vertices.
fn skins(
    model: &mut Model,
    drafts: &[NodeDraft<'_>],
    real: Option<&Model>,
    sidecar: &mut Sidecar<'_>,
    missing: &mut [Missing],
) {
    if !model.nodes.iter().any(|n| n.mesh.as_deref().is_some_and(|m| m.skin.is_some())) {
        return;
    }
    // The nodes, and their transforms at rest.
    let parents = model.nodes.iter().map(|n| n.parent.map_or(u32::MAX, |p| p));
    let tree = drafts.iter().fold(StableHash::new(), |sum, d| sum.bytes(d.name)).words(parents);
    let rest = model.nodes.iter().fold(tree, |sum, n| sum.floats([&n.position[..], &n.orientation[..]]));
    let count = model.nodes.len();
    for (id, draft) in drafts.iter().enumerate() {
        let (Some(node), Some(mesh_draft)) = (model.nodes.get_mut(id), draft.mesh.as_deref()) else {
            continue;
        };
        let real = real.and_then(|r| r.nodes.get(id));
        sidecar.enter(0, draft.key);
        let Some(skin) = node.mesh.as_deref_mut().and_then(|m| m.skin.as_deref_mut()) else { continue };
        skin.bone_map = vec![-1.0; count];
        let mapped = sidecar.field(node, real, &fields::BONE_MAP, Guard::Lines(tree.finish()));
        if let Some(mesh) = node.mesh.as_deref_mut() {
            bind(mesh, mesh_draft, !mapped || real.is_none());
        }
        sidecar.field(node, real, &fields::BONE_NODES, Guard::Own);
        sidecar.field(node, real, &fields::WEIGHTS, Guard::Lines(mesh_draft.binding));
        sidecar.field(node, real, &fields::BONES, Guard::Lines(mesh_draft.binding));
        let bound = sidecar.field(node, real, &fields::BINDS, Guard::Lines(rest.finish()));
        if let Some(slot) = missing.get_mut(id) {
            slot.binds = !bound;
        }
    }
}

/// Assigns slots to bones that have none, and bones to the vertices.
fn bind(mesh: &mut Mesh, draft: &MeshDraft<'_>, extend: bool) {
    let Some(skin) = mesh.skin.as_deref_mut() else { return };
    let mut next = skin.slots();
    let mut slots: Vec<f32> = vec![-1.0; draft.bones.len()];
    let mut known = vec![false; draft.bones.len()];
    for row in &draft.weights {
        for bone in row.bones.iter().take(usize::from(row.count)).map(|b| usize::from(*b)) {
            let (Some(slot), Some(known)) = (slots.get_mut(bone), known.get_mut(bone)) else { continue };
            if std::mem::replace(known, true) {
                continue;
            }
            let node = draft.bone_nodes.get(bone).copied().flatten();
            let Some(entry) = node.and_then(|n| skin.bone_map.get_mut(n as usize)) else { continue };
            if extend && *entry < 0.0 {
                *entry = next as f32;
                next = next.saturating_add(1);
            }
            *slot = *entry;
        }
    }
    skin.derive_bone_nodes();
    mesh.vertices.weights.clear();
    mesh.vertices.bones.clear();
    for row in &draft.weights {
        let (mut weights, mut bones) = ([0.0; 4], [-1.0; 4]);
        let pairs = row.bones.iter().zip(row.weights).take(usize::from(row.count));
        let used = pairs
            .filter_map(|(b, w)| Some((*slots.get(usize::from(*b))?, w)))
            .filter(|(slot, _)| *slot >= 0.0);
        for ((to_weight, to_bone), (slot, weight)) in weights.iter_mut().zip(&mut bones).zip(used) {
            (*to_weight, *to_bone) = (weight, slot);
        }
        mesh.vertices.weights.push(weights);
        mesh.vertices.bones.push(bones);
    }
}

fn animation(
    animation: &mut Animation,
    draft: &AnimationDraft<'_>,
    geometry: &[Node],
    real: Option<&Animation>,
    sidecar: &mut Sidecar<'_>,
) {
    sidecar.enter(draft.key, 0);
    sidecar.field(animation, real, &fields::ANIMATION, Guard::Own);
    sidecar.field(animation, real, &fields::ANIMATION_NAME, Guard::Own);
    sidecar.field(animation, real, &fields::ANIMATION_ROOT, Guard::Own);
    sidecar.field(animation, real, &fields::EVENTS, Guard::Own);
    for (id, (node, draft_node)) in animation.nodes.iter_mut().zip(&draft.nodes).enumerate() {
        let real = real.and_then(|r| r.nodes.get(id));
        if let Some(moved) = draft_node.moves.and_then(|id: NodeId| geometry.get(id as usize)) {
            (node.name, node.number) = (moved.name, moved.number);
        }
        sidecar.enter(draft.key, draft_node.key);
        sidecar.field(node, real, &fields::WHO, Guard::Own);
        own_fields(node, real, draft_node, sidecar);
    }
}
