//! Warcraft III and WoW alpha models.
//!
//! The axes of every bone stay those of the model, so that its rotations turn along. What has a direction of its own is at the leaves:
//! emitters, lights and attachment points turn as they are.

use super::{Motion, product};
use crate::mdlx::{
    Bounds, Curve, Interpolation, Key, Keys, Model, Node, NodeKind, Shape, Tangents, Track, node_flags,
};

const STILL: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// How far the sides of a scale may be from each other to count as one.
const EQUAL: f32 = 1e-4;

/// Returns `true` for what has a direction of its own.
fn has_direction(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Light
            | NodeKind::Attachment
            | NodeKind::ParticleEmitter
            | NodeKind::ParticleEmitter2
            | NodeKind::PopcornEmitter
            | NodeKind::RibbonEmitter
    )
}

/// Returns the turn that what has a direction of its own gets beside that of everything else.
fn own_turn(motion: &Motion) -> [f32; 4] {
    if !motion.is_mirror() {
        return motion.quaternion();
    }
    // Models face along their first axis, and left and right are alike: with its second axis turned around, what is attached is a
    // rotation away from its mirror image.
    let [[a, b, c], [d, e, f], [g, h, i]] = motion.turn;
    Motion { turn: [[a, -b, c], [d, -e, f], [g, -h, i]], offset: [0.0; 3] }.quaternion()
}

/// Returns what the format cannot hold.
pub(super) fn losses(model: &Model, motion: &Motion) -> Vec<String> {
    let mut out = Vec::new();
    if motion.is_move() {
        return out;
    }
    let uneven = |[x, y, z]: &[f32; 3]| (x - y).abs() > EQUAL || (y - z).abs() > EQUAL;
    for (kind, _, node) in model.nodes() {
        let name = galatea_wire::escape(&node.name.lossy());
        let scaled = node.tracks.get(b"KGSC").is_some_and(|track| match &track.keys {
            Keys::Vector(curve) => curve.keys.iter().any(|key| uneven(&key.value)),
            _ => false,
        });
        if scaled && !motion.is_straight() {
            out.push(format!("\"{name}\" is stretched along an axis, which would be no axis any more"));
        }
        let parent =
            model.nodes().any(|(_, _, child)| i64::from(child.parent_id) == i64::from(node.object_id));
        if has_direction(kind) && parent && own_turn(motion) != STILL {
            out.push(format!(
                "\"{name}\" has a direction of its own and nodes below it, which would turn twice"
            ));
        }
        let locked =
            node_flags::BILLBOARDED_LOCK_X | node_flags::BILLBOARDED_LOCK_Y | node_flags::BILLBOARDED_LOCK_Z;
        if node.flags & locked != 0 && !motion.is_straight() {
            out.push(format!("\"{name}\" turns to the camera about an axis, which would be another one"));
        }
    }
    if motion.is_mirror()
        && model.geosets.iter().any(|geoset| geoset.face_types.iter().any(|kind| *kind != 4))
    {
        out.push("there are strips or fans of triangles, whose sides cannot be changed".to_owned());
    }
    out
}

pub(super) fn apply(model: &mut Model, motion: &Motion) {
    tracks(model, motion);
    vertices(model, motion);
    bounds(&mut model.info.bounds, motion);
    model.sequences.iter_mut().for_each(|sequence| bounds(&mut sequence.bounds, motion));
    model.pivots.iter_mut().for_each(|pivot| *pivot = motion.point(*pivot));
    for [a, b, c, d, e, f, g, h, i, x, y, z] in &mut model.bind_poses {
        [*x, *y, *z] = motion.point([*x, *y, *z]);
        if !motion.is_move() {
            // The turn, the matrix, and the turn back. Rows are the axes of the node.
            let rows = [[*a, *b, *c], [*d, *e, *f], [*g, *h, *i]].map(|row| motion.vector(row));
            let [p, q, r] = rows;
            let column = |n: usize| {
                let of = |row: [f32; 3]| row.get(n).copied().unwrap_or(0.0);
                motion.vector([of(p), of(q), of(r)])
            };
            let [j, k, l] = [column(0), column(1), column(2)];
            ([*a, *d, *g], [*b, *e, *h], [*c, *f, *i]) = (j, k, l);
        }
    }
    for camera in &mut model.cameras {
        camera.position = motion.point(camera.position);
        camera.target = motion.point(camera.target);
    }
    for shape in &mut model.collision_shapes {
        turn_shape(&mut shape.shape, motion);
    }
    if let Some(mesh) = &mut model.collision_mesh {
        mesh.vertices.iter_mut().for_each(|vertex| *vertex = motion.point(*vertex));
        mesh.normals.iter_mut().for_each(|normal| *normal = motion.vector(*normal));
        if motion.is_mirror() {
            mesh.triangles.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
    }
    for wow in model.particle_emitters2.iter_mut().filter_map(|emitter| emitter.wow.as_deref_mut()) {
        wow.wind = motion.vector(wow.wind);
    }
}

fn vertices(model: &mut Model, motion: &Motion) {
    // What always faces the camera is drawn around its pivot as it was.
    let facing: Vec<(u32, [f32; 3])> = model
        .nodes()
        .filter(|(_, _, node)| node.has(node_flags::BILLBOARDED) && !motion.is_mirror())
        .map(|(_, _, node)| {
            (node.object_id, model.pivots.get(node.object_id as usize).copied().unwrap_or([0.0; 3]))
        })
        .collect();
    for geoset in &mut model.geosets {
        let groups: Vec<Option<[f32; 3]>> = geoset
            .groups()
            .map(|bones| match bones {
                [bone] => facing.iter().find(|(id, _)| id == bone).map(|(_, pivot)| *pivot),
                _ => None,
            })
            .collect();
        let around = |index: usize| -> Option<[f32; 3]> {
            let group = geoset.vertex_groups.get(index).filter(|_| geoset.skin.is_none())?;
            groups.get(usize::from(*group)).copied().flatten()
        };
        let pivots: Vec<Option<[f32; 3]>> = (0..geoset.vertices.len()).map(around).collect();
        for (vertex, pivot) in geoset.vertices.iter_mut().zip(&pivots) {
            *vertex = match pivot {
                Some(pivot) => {
                    let ([x, y, z], [a, b, c], [p, q, r]) = (*vertex, *pivot, motion.point(*pivot));
                    [p + (x - a), q + (y - b), r + (z - c)]
                }
                None => motion.point(*vertex),
            };
        }
        let still = |index: usize| pivots.get(index).is_some_and(Option::is_some);
        for (_, normal) in geoset.normals.iter_mut().enumerate().filter(|(index, _)| !still(*index)) {
            *normal = motion.vector(*normal);
        }
        for [x, y, z, w] in geoset.tangents.iter_mut().flatten() {
            [*x, *y, *z] = motion.vector([*x, *y, *z]);
            *w *= motion.side();
        }
        if motion.is_mirror() {
            geoset.faces.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
        bounds(&mut geoset.bounds, motion);
        geoset.sequence_bounds.iter_mut().for_each(|of| bounds(of, motion));
        geoset.buffer.iter_mut().for_each(|buffer| buffer.center = motion.point(buffer.center));
    }
}

fn bounds(bounds: &mut Bounds, motion: &Motion) {
    let before = (bounds.min, bounds.max);
    motion.aabb(&mut bounds.min, &mut bounds.max);
    // The radius is that of a sphere around the origin.
    if bounds.radius > 0.0 && before != (bounds.min, bounds.max) {
        bounds.radius += motion.length();
    }
}

fn turn_shape(shape: &mut Shape, motion: &Motion) {
    // Around the pivot.
    let turn = Motion { offset: [0.0; 3], ..*motion };
    match shape {
        Shape::Box { corners: [a, b] } | Shape::PlanePoints { points: [a, b] } => {
            let (mut min, mut max) = (*a, *b);
            for (min, max) in min.iter_mut().zip(&mut max).filter(|(min, max)| min > max) {
                std::mem::swap(min, max);
            }
            turn.aabb(&mut min, &mut max);
            if !turn.is_move() {
                (*a, *b) = (min, max);
            }
        }
        Shape::Cylinder { base, .. } => *base = turn.vector(*base),
        Shape::Sphere { center, .. } => *center = turn.vector(*center),
        Shape::Plane { length, width } => {
            let [x, y, _] = turn.scale([*length, *width, 0.0]);
            (*length, *width) = (x, y);
        }
        Shape::CylinderPoints { points, .. } => {
            points.iter_mut().for_each(|point| *point = turn.vector(*point))
        }
    }
}

fn each_value<T: Copy>(curve: &mut Curve<T>, f: impl Fn(T) -> T) {
    curve.keys.iter_mut().for_each(|key| key.value = f(key.value));
    for Tangents { incoming, outgoing } in &mut curve.tangents {
        (*incoming, *outgoing) = (f(*incoming), f(*outgoing));
    }
}

fn tracks(model: &mut Model, motion: &Motion) {
    if motion.is_move() {
        return;
    }
    let own = own_turn(motion);
    let starts: Vec<i32> = model.sequences.iter().filter_map(|s| i32::try_from(s.start).ok()).collect();
    let spans: Vec<(i32, i32)> =
        model.sequences.iter().map(|s| (s.start as i32, i32::try_from(s.end).unwrap_or(i32::MAX))).collect();
    for (kind, _, node) in model.nodes_mut() {
        for track in node.tracks.iter_mut() {
            match (&track.tag.0, &mut track.keys) {
                (b"KGTR", Keys::Vector(curve)) => each_value(curve, |value| motion.vector(value)),
                (b"KGSC", Keys::Vector(curve)) => each_value(curve, |value| motion.scale(value)),
                (b"KGRT", Keys::Rotation(curve)) => each_value(curve, |value| motion.rotation(value)),
                _ => {}
            }
        }
        if has_direction(kind) && own != STILL {
            give_turn(node, own, &starts, &spans);
        }
        let swapped = motion.turn.map(|row| row.map(f32::abs));
        if swapped == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] {
            let (x, y) = (node_flags::BILLBOARDED_LOCK_X, node_flags::BILLBOARDED_LOCK_Y);
            let other = |from: u32, to: u32| if node.flags & from != 0 { to } else { 0 };
            node.flags = node.flags & !(x | y) | other(x, y) | other(y, x);
        }
    }
    for camera in &mut model.cameras {
        for track in camera.tracks.iter_mut() {
            match (&track.tag.0, &mut track.keys) {
                (b"KCTR" | b"KTTR", Keys::Vector(curve)) => each_value(curve, |value| motion.vector(value)),
                (b"KCRL", Keys::Float(curve)) => each_value(curve, |value| value * motion.side()),
                _ => {}
            }
        }
    }
}

/// Turns what a node does by a rotation of its own axes, also in sequences in which it has no keys.
fn give_turn(node: &mut Node, own: [f32; 4], starts: &[i32], spans: &[(i32, i32)]) {
    let there = node.tracks.list.iter().position(|track| track.tag.0 == *b"KGRT");
    let Some(track) = there.and_then(|at| node.tracks.list.get_mut(at)) else {
        let keys = if starts.is_empty() { vec![0] } else { starts.to_vec() };
        let curve = Curve::new(keys.into_iter().map(|time| (time, own)));
        let mut track = Track::new(*b"KGRT", Interpolation::None, Keys::Rotation(curve));
        track.keys.sort();
        node.tracks.push(track);
        return;
    };
    let global = track.global_sequence >= 0;
    let Keys::Rotation(curve) = &mut track.keys else { return };
    each_value(curve, |value| product(value, own));
    for (start, end) in spans.iter().filter(|_| !global) {
        if !curve.keys.iter().any(|key| (*start..=*end).contains(&key.time)) {
            curve.keys.push(Key { time: *start, value: own });
            if track.interpolation.has_tangents() {
                curve.tangents.push(Tangents { incoming: own, outgoing: own });
            }
        }
    }
    // Back where it was, it needs no keys.
    let near = |value: [f32; 4]| {
        let [x, y, z, w] = value;
        [x, y, z, w.abs() - 1.0].iter().all(|off| off.abs() < 1e-6)
    };
    if curve.tangents.is_empty() && curve.keys.iter().all(|key| near(key.value)) {
        node.tracks.take(b"KGRT");
        return;
    }
    track.keys.sort();
}
