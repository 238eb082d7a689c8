//! Nodes and geosets of one model taken into another.

use std::collections::{HashMap, HashSet};

use galatea_wire::{Loss, Text, escape};

use super::clips::Clips;
use crate::combine::CombineError;
use crate::edit::Refusal;
use crate::mdlx::{Bounds, Geoset, Keys, Layer, Material, Model, Node, NodeKind, Texture, Tracks};

/// What is taken of a model.
pub(in crate::combine) struct Taking<'a> {
    pub(in crate::combine) from: &'a Model,
    /// Object ids of the nodes that become nodes of the target.
    pub(in crate::combine) nodes: HashSet<u32>,
    /// Object ids of nodes that the target has already, and which they are there.
    pub(in crate::combine) shared: HashMap<u32, u32>,
    /// The node of the target for those whose parents are neither.
    pub(in crate::combine) parent: Option<u32>,
    /// How far everything is moved.
    pub(in crate::combine) moved: [f32; 3],
    /// Geosets with the numbers that they have in the source.
    pub(in crate::combine) geosets: Vec<(usize, Geoset)>,
}

/// What is worth knowing of it.
#[derive(Debug, Default)]
pub(in crate::combine) struct Taken {
    pub(in crate::combine) notes: Vec<String>,
    pub(in crate::combine) losses: Vec<Loss>,
}

/// The numbers of the parts of the source in the target.
struct Numbers {
    nodes: HashMap<u32, u32>,
    textures: HashMap<i32, i32>,
    anims: HashMap<i32, i32>,
    materials: HashMap<u32, u32>,
    geosets: HashMap<i32, i32>,
    geoset_anims: HashMap<i32, i32>,
}

/// Takes nodes and geosets into a model. The numbers of both have to be without gaps.
pub(in crate::combine) fn take(
    to: &mut Model,
    taking: &Taking<'_>,
    out: &mut Taken,
) -> Result<(), CombineError> {
    let from = taking.from;
    let first = to.node_count();
    if to.nodes().any(|(_, _, node)| node.object_id as usize >= first) {
        return Err(Refusal::Numbering.into());
    }
    // Pivots and binds are found by object ids.
    to.pivots.resize(first, [0.0; 3]);
    let mut clips = Clips::of(from, to, &mut out.notes);
    let mut numbers = Numbers {
        nodes: taking.shared.clone(),
        textures: HashMap::new(),
        anims: HashMap::new(),
        materials: HashMap::new(),
        geosets: HashMap::new(),
        geoset_anims: HashMap::new(),
    };
    let taken = from.nodes().filter(|(_, _, node)| taking.nodes.contains(&node.object_id));
    numbers.nodes.extend(taken.map(|(_, _, node)| node.object_id).zip(first as u32..));
    let geosets_before = to.geosets.len();
    geosets(to, taking, &mut numbers, &mut clips)?;
    objects(to, taking, &mut numbers, &mut clips, out);
    pivots(to, taking, &numbers, first);
    let wow = to.version.is_wow();
    to.global_sequences = clips.globals();
    if !wow {
        bones_first(to);
    }
    let too_far = |geoset: &Geoset| geoset.skin.is_some() && to.nodes().count() > 256;
    if to.geosets.iter().skip(geosets_before).any(too_far)
        && to.bones.iter().any(|bone| bone.node.object_id > 255)
    {
        let what = "has more than 256 bones, which skin weights cannot name".to_owned();
        return Err(CombineError::NoRoom { what });
    }
    extents(to, geosets_before);
    Ok(())
}

/// Adds the geosets with their animations, and the materials that they need.
fn geosets(
    to: &mut Model,
    taking: &Taking<'_>,
    numbers: &mut Numbers,
    clips: &mut Clips<'_>,
) -> Result<(), CombineError> {
    let from = taking.from;
    let bone = |id: u32, numbers: &Numbers| numbers.nodes.get(&id).copied().or(taking.parent).unwrap_or(0);
    for (index, geoset) in &taking.geosets {
        let mut new = geoset.clone();
        new.material_id = material(to, from, geoset.material_id, numbers, clips);
        new.vertices.iter_mut().for_each(|place| *place = moved(*place, taking.moved));
        new.matrices.iter_mut().for_each(|id| *id = bone(*id, numbers));
        for row in new.skin.iter_mut().flatten() {
            for (slot, weight) in row.bones.iter_mut().zip(row.weights) {
                let id = if weight > 0 { bone(u32::from(*slot), numbers) } else { 0 };
                *slot = u8::try_from(id).map_err(|_| CombineError::NoRoom {
                    what: "has more than 256 nodes, which skin weights cannot name".to_owned(),
                })?;
            }
        }
        for four in &mut new.bone_indices {
            let ids = four.to_le_bytes().map(|id| u8::try_from(bone(u32::from(id), numbers)).unwrap_or(0));
            *four = u32::from_le_bytes(ids);
        }
        if let Some(buffer) = &mut new.buffer {
            buffer.center = moved(buffer.center, taking.moved);
            buffer.index = to.geosets.len() as u32;
        }
        new.bounds = Bounds::around(&new.vertices).unwrap_or(new.bounds);
        new.sequence_bounds = vec![new.bounds; to.sequences.len()];
        numbers.geosets.insert(*index as i32, to.geosets.len() as i32);
        to.geosets.push(new);
    }
    for (at, anim) in (0..).zip(&from.geoset_anims) {
        let Some(geoset_id) = numbers.geosets.get(&anim.geoset_id).copied() else { continue };
        let tracks = clips.tracks(&anim.tracks);
        numbers.geoset_anims.insert(at, to.geoset_anims.len() as i32);
        to.geoset_anims.push(crate::mdlx::GeosetAnim { geoset_id, tracks, ..anim.clone() });
    }
    Ok(())
}

fn moved(place: [f32; 3], by: [f32; 3]) -> [f32; 3] {
    let ([x, y, z], [dx, dy, dz]) = (place, by);
    [x + dx, y + dy, z + dz]
}

/// Returns the number of an equal value; adds it if there is none.
fn shared<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    list.iter().position(|there| *there == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

fn texture(to: &mut Model, from: &Model, id: i32, numbers: &mut Numbers) -> i32 {
    let Some(texture) = usize::try_from(id).ok().and_then(|at| from.textures.get(at)) else { return id };
    if let Some(known) = numbers.textures.get(&id) {
        return *known;
    }
    let same = |other: &Texture| {
        other.replaceable_id == texture.replaceable_id
            && other.flags == texture.flags
            && other.path.bytes().eq_ignore_ascii_case(texture.path.bytes())
    };
    let found = to.textures.iter().position(same);
    let new = found.unwrap_or_else(|| {
        to.textures.push(*texture);
        to.textures.len() - 1
    }) as i32;
    numbers.textures.insert(id, new);
    new
}

fn texture_anim(to: &mut Model, from: &Model, id: i32, numbers: &mut Numbers, clips: &mut Clips<'_>) -> i32 {
    let Some(anim) = usize::try_from(id).ok().and_then(|at| from.texture_anims.get(at)) else { return id };
    if let Some(known) = numbers.anims.get(&id) {
        return *known;
    }
    let tracks = clips.tracks(&anim.tracks);
    let new = shared(&mut to.texture_anims, crate::mdlx::TextureAnim { tracks }) as i32;
    numbers.anims.insert(id, new);
    new
}

/// Returns tracks whose keys name textures.
fn texture_tracks(
    to: &mut Model,
    from: &Model,
    tracks: &Tracks,
    numbers: &mut Numbers,
    clips: &mut Clips<'_>,
) -> Tracks {
    let mut out = clips.tracks(tracks);
    for track in out.iter_mut().filter(|track| &track.tag.0 == b"KMTF") {
        if let Keys::Integer(curve) = &mut track.keys {
            for key in &mut curve.keys {
                key.value = texture(to, from, key.value as i32, numbers) as u32;
            }
        }
    }
    out
}

fn material(to: &mut Model, from: &Model, id: u32, numbers: &mut Numbers, clips: &mut Clips<'_>) -> u32 {
    let Some(material) = from.materials.get(id as usize) else { return id };
    if let Some(known) = numbers.materials.get(&id) {
        return *known;
    }
    let layers = material.layers.iter().map(|layer| {
        let textures = layer.textures.iter().map(|slot| crate::mdlx::LayerTexture {
            texture_id: texture(to, from, slot.texture_id, numbers),
            slot: slot.slot,
            tracks: texture_tracks(to, from, &slot.tracks, numbers, clips),
        });
        let textures = textures.collect();
        Layer {
            texture_id: texture(to, from, layer.texture_id, numbers),
            texture_anim_id: texture_anim(to, from, layer.texture_anim_id, numbers, clips),
            textures,
            tracks: texture_tracks(to, from, &layer.tracks, numbers, clips),
            ..layer.clone()
        }
    });
    let layers: Vec<Layer> = layers.collect();
    let new = shared(&mut to.materials, Material { layers, ..material.clone() }) as u32;
    numbers.materials.insert(id, new);
    new
}

/// Returns a name that no node has; events keep theirs, which says what they do.
fn unique(to: &Model, node: &Node, kind: NodeKind, out: &mut Taken) -> Text<80> {
    let taken = |name: &[u8]| to.nodes().any(|(_, _, other)| other.name.bytes().eq_ignore_ascii_case(name));
    if kind == NodeKind::Event || !taken(node.name.bytes()) {
        return node.name;
    }
    let old = node.name.bytes();
    for number in 2..10_000u32 {
        let end = format!(" {number}");
        let mut name = old.get(..old.len().min(79 - end.len())).unwrap_or(old).to_vec();
        name.extend(end.bytes());
        if let Some(name) = Text::new(&name).filter(|name| !taken(name.bytes())) {
            let (old, new) = (escape(&node.name.lossy()), escape(&name.lossy()));
            out.notes.push(format!("there is a node \"{old}\" already: the new one is called \"{new}\""));
            return name;
        }
    }
    node.name
}

/// Adds the objects of the nodes.
fn objects(
    to: &mut Model,
    taking: &Taking<'_>,
    numbers: &mut Numbers,
    clips: &mut Clips<'_>,
    out: &mut Taken,
) {
    let from = taking.from;
    let id = |node: &Node| taking.nodes.contains(&node.object_id);
    macro_rules! each {
        ($($list:ident as $kind:ident $(, |$object:ident| $more:expr)?;)*) => { $(
            for source in from.$list.iter().filter(|object| id(&object.node)) {
                let mut copy = source.clone();
                copy.node = node(to, taking, &source.node, NodeKind::$kind, numbers, clips, out);
                $(
                    let $object = &mut copy;
                    $more;
                )?
                to.$list.push(copy);
            }
        )* };
    }
    each! {
        bones as Bone, |bone| {
            bone.geoset_id = numbers.geosets.get(&bone.geoset_id).copied().unwrap_or(-1);
            bone.geoset_anim_id = numbers.geoset_anims.get(&bone.geoset_anim_id).copied().unwrap_or(-1);
        };
        lights as Light, |light| light.tracks = clips.tracks(&light.tracks);
        helpers as Helper;
        attachments as Attachment, |attachment| {
            attachment.tracks = clips.tracks(&attachment.tracks);
            let ids = to.attachments.iter().map(|other| other.attachment_id);
            if ids.clone().any(|id| id == attachment.attachment_id) {
                attachment.attachment_id = ids.max().map_or(0, |id| id.saturating_add(1));
            }
        };
        particle_emitters as ParticleEmitter, |emitter| emitter.tracks = clips.tracks(&emitter.tracks);
        particle_emitters2 as ParticleEmitter2, |emitter| {
            emitter.tracks = clips.tracks(&emitter.tracks);
            emitter.texture_id = texture(to, from, emitter.texture_id, numbers);
        };
        popcorn_emitters as PopcornEmitter, |emitter| emitter.tracks = clips.tracks(&emitter.tracks);
        ribbon_emitters as RibbonEmitter, |emitter| {
            emitter.tracks = clips.tracks(&emitter.tracks);
            emitter.material_id = material(to, from, emitter.material_id, numbers, clips);
        };
        events as Event, |event| event.track = event.track.as_ref().map(|track| clips.events(track));
        collision_shapes as CollisionShape;
        sound_emitters as SoundEmitter, |emitter| {
            emitter.track = emitter.track.as_ref().map(|track| clips.events(track));
        };
    }
    for effect in &from.face_effects {
        let fits = |node: &Node| node.name.bytes().eq_ignore_ascii_case(effect.target.bytes());
        if from.nodes().any(|(_, _, node)| id(node) && fits(node)) && !to.face_effects.contains(effect) {
            to.face_effects.push(*effect);
        }
    }
}

/// Returns a node of the source as it is in the target.
fn node(
    to: &Model,
    taking: &Taking<'_>,
    source: &Node,
    kind: NodeKind,
    numbers: &Numbers,
    clips: &mut Clips<'_>,
    out: &mut Taken,
) -> Node {
    let above = u32::try_from(source.parent_id).ok().and_then(|id| numbers.nodes.get(&id)).copied();
    Node {
        name: unique(to, source, kind, out),
        object_id: numbers.nodes.get(&source.object_id).copied().unwrap_or(0),
        parent_id: above.or(taking.parent).map_or(-1, |id| id as i32),
        flags: source.flags,
        tracks: clips.tracks(&source.tracks),
    }
}

/// Adds the pivots of the new nodes, and their binds.
fn pivots(to: &mut Model, taking: &Taking<'_>, numbers: &Numbers, first: usize) {
    let mut ids: Vec<(u32, u32)> =
        taking.nodes.iter().filter_map(|id| Some((*numbers.nodes.get(id)?, *id))).collect();
    ids.sort_unstable();
    let has_binds = !to.bind_poses.is_empty() || first == 0 && !taking.from.bind_poses.is_empty();
    if has_binds {
        // Those of cameras follow those of nodes.
        let cameras = to.bind_poses.split_off(first.min(to.bind_poses.len()));
        to.bind_poses.resize_with(first, || bind([0.0; 3]));
        for (_, old) in &ids {
            let pivot = taking.from.pivots.get(*old as usize).copied().unwrap_or_default();
            let own = taking.from.bind_poses.get(*old as usize).copied();
            let [a, b, c, d, e, f, g, h, i, x, y, z] = own.unwrap_or_else(|| bind(pivot));
            let [x, y, z] = moved([x, y, z], taking.moved);
            to.bind_poses.push([a, b, c, d, e, f, g, h, i, x, y, z]);
        }
        to.bind_poses.extend(cameras);
    }
    for (_, old) in ids {
        let pivot = taking.from.pivots.get(old as usize).copied().unwrap_or_default();
        to.pivots.push(moved(pivot, taking.moved));
    }
}

fn bind([x, y, z]: [f32; 3]) -> [f32; 12] {
    [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, x, y, z]
}

/// Numbers the nodes anew so that those of bones come first, as the game expects.
fn bones_first(model: &mut Model) {
    let mut order: Vec<(bool, u32)> =
        model.nodes().map(|(kind, _, node)| (kind != NodeKind::Bone, node.object_id)).collect();
    order.sort_unstable();
    if order.iter().zip(0..).all(|((_, id), new)| *id == new) {
        return;
    }
    let new: HashMap<u32, u32> = order.iter().map(|(_, id)| *id).zip(0..).collect();
    let of = |id: u32| new.get(&id).copied().unwrap_or(id);
    for (_, _, node) in model.nodes_mut() {
        node.object_id = of(node.object_id);
        if let Ok(parent) = u32::try_from(node.parent_id) {
            node.parent_id = of(parent) as i32;
        }
    }
    for geoset in &mut model.geosets {
        geoset.matrices.iter_mut().for_each(|id| *id = of(*id));
        for row in geoset.skin.iter_mut().flatten() {
            for (slot, weight) in row.bones.iter_mut().zip(row.weights) {
                // Of a weight of 0 any bone is as good, and a number below 256 is needed.
                let id = of(u32::from(*slot));
                *slot = if weight > 0 || id < 256 { u8::try_from(id).unwrap_or(u8::MAX) } else { 0 };
            }
        }
        for four in &mut geoset.bone_indices {
            *four =
                u32::from_le_bytes(four.to_le_bytes().map(|id| u8::try_from(of(u32::from(id))).unwrap_or(0)));
        }
    }
    fn sorted<T: Copy>(list: &mut [T], order: &[(bool, u32)]) {
        let old = list.to_vec();
        for (slot, (_, id)) in list.iter_mut().zip(order) {
            *slot = old.get(*id as usize).copied().unwrap_or(*slot);
        }
    }
    sorted(&mut model.pivots, &order);
    let count = order.len().min(model.bind_poses.len());
    model.bind_poses.get_mut(..count).into_iter().for_each(|binds| sorted(binds, &order));
}

/// Lets extents grow around the new geosets.
fn extents(model: &mut Model, first: usize) {
    if model.geosets.len() <= first {
        return;
    }
    let old: Vec<Bounds> = model.sequences.iter().map(|sequence| sequence.bounds).collect();
    let others: Vec<Vec<Bounds>> =
        model.geosets.iter().take(first).map(|geoset| geoset.sequence_bounds.clone()).collect();
    crate::combine::transfer::measure_extents(model, 0);
    for (sequence, old) in model.sequences.iter_mut().zip(old) {
        sequence.bounds = if first > 0 && old != Bounds::default() {
            around(&sequence.bounds, &old)
        } else {
            sequence.bounds
        };
    }
    for (geoset, old) in model.geosets.iter_mut().zip(others) {
        geoset.sequence_bounds = old;
    }
    let new = model.geosets.iter().skip(first).map(|geoset| geoset.bounds);
    let all = new.reduce(|a, b| around(&a, &b)).unwrap_or_default();
    model.info.bounds = if first > 0 { around(&model.info.bounds, &all) } else { all };
}

/// Returns the extent of two.
fn around(a: &Bounds, b: &Bounds) -> Bounds {
    let each = |a: [f32; 3], b: [f32; 3], pick: fn(f32, f32) -> f32| {
        let ([x, y, z], [u, v, w]) = (a, b);
        [pick(x, u), pick(y, v), pick(z, w)]
    };
    Bounds {
        radius: a.radius.max(b.radius),
        min: each(a.min, b.min, f32::min),
        max: each(a.max, b.max, f32::max),
    }
}
