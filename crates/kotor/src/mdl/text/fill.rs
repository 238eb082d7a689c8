//! Values that text does not tell and that are derived from what it does tell.

use std::collections::HashMap;

use super::draft::NodeDraft;
use super::finish::Missing;
use crate::bwm;
use crate::mdl::{AabbNode, Face, Mesh, Model, Node};

/// Derives what is missing.
pub(crate) fn fill(model: &mut Model, drafts: &mut [NodeDraft<'_>], missing: &[Missing]) {
    let worlds = if missing.iter().any(|m| m.binds) { rest_pose(&model.nodes) } else { Vec::new() };
    let mut meshes = 0;
    for (id, (node, (draft, missing))) in
        model.nodes.iter_mut().zip(drafts.iter_mut().zip(missing)).enumerate()
    {
        let (Some(mesh), Some(said)) = (node.mesh.as_deref_mut(), draft.mesh.as_deref_mut()) else {
            continue;
        };
        if missing.planes {
            planes(mesh);
        }
        if missing.normals && !mesh.vertices.positions.is_empty() {
            mesh.vertices.normals = normals(mesh, &said.masks);
        }
        if missing.bounds {
            bounds(mesh);
        }
        if missing.area {
            mesh.area = mesh.faces.iter().map(|f| corners(mesh, f).map_or(0.0, area)).sum::<f64>() as f32;
        }
        for (channel, missing) in missing.tangents.into_iter().enumerate() {
            if missing {
                tangents(mesh, channel);
            }
        }
        if missing.boxes {
            boxes(mesh);
        }
        if missing.saber {
            saber(mesh);
        }
        meshes += 1;
        if missing.counters {
            counters(mesh, &mut meshes);
        }
        if missing.binds {
            binds(mesh, &worlds, id);
        }
    }
}

/// Nodes of the whole chain, where the supermodel is one of the game's own.
pub(crate) fn node_count(model: &mut Model) {
    let local = model.nodes.len() as u32;
    let Some(name) = model.supermodel() else { return };
    let chain: [(&[u8], u32); 5] = [
        (b"s_male01", 82),
        (b"s_male02", 164),
        (b"s_female01", 248),
        (b"s_female02", 332),
        (b"s_female03", 416),
    ];
    let second = [102, 212, 319, 423, 525];
    let found = chain.iter().zip(second).find(|((known, _), _)| name.eq_ignore_ascii_case(known));
    if let Some(((_, first), second)) = found {
        let total = if model.game == crate::mdl::Game::K2 { second } else { *first };
        model.node_count = local + total + 1;
    }
}

fn corners(mesh: &Mesh, face: &Face) -> Option<[[f32; 3]; 3]> {
    let [a, b, c] = face.vertices.map(|i| mesh.vertices.positions.get(usize::from(i)).copied());
    Some([a?, b?, c?])
}

fn cross(corners: [[f32; 3]; 3]) -> [f64; 3] {
    let [a, b, c] = corners.map(|v| v.map(f64::from));
    let [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

fn area(corners: [[f32; 3]; 3]) -> f64 {
    length(cross(corners)) / 2.0
}

/// A number for every position; equal positions have the same.
fn places(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut known: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
    let bits = |v: f32| if v == 0.0 { 0 } else { v.to_bits() };
    positions
        .iter()
        .map(|p| {
            let next = known.len() as u32;
            *known.entry(p.map(bits)).or_insert(next)
        })
        .collect()
}

/// Planes and neighbours. Faces are neighbours where they have an edge between the same positions in common.
fn planes(mesh: &mut Mesh) {
    let places = places(&mesh.vertices.positions);
    let place = |i: u16| places.get(usize::from(i)).copied().unwrap_or(u32::MAX);
    // The faces at each edge; more than two are no neighbours at all.
    let mut edges: HashMap<(u32, u32), [u32; 3]> = HashMap::with_capacity(mesh.faces.len() * 2);
    let ends = |face: &Face| {
        let [a, b, c] = face.vertices.map(place);
        [(a.min(b), a.max(b)), (b.min(c), b.max(c)), (c.min(a), c.max(a))]
    };
    for (id, face) in mesh.faces.iter().enumerate() {
        for edge in ends(face) {
            let [count, first, second] = edges.entry(edge).or_insert([0, 0, 0]);
            *(if *count == 0 { first } else { second }) = id as u32;
            *count = count.saturating_add(1);
        }
    }
    let found: Vec<[u16; 3]> = mesh
        .faces
        .iter()
        .enumerate()
        .map(|(id, face)| {
            ends(face).map(|edge| match edges.get(&edge) {
                Some([2, a, b]) if a != b => (if *a == id as u32 { *b } else { *a }) as u16,
                _ => 0xFFFF,
            })
        })
        .collect();
    let planes: Vec<([f32; 3], f32)> = mesh
        .faces
        .iter()
        .map(|face| {
            corners(mesh, face).map_or(([0.0; 3], 0.0), |c| {
                let normal = bwm::normal(c);
                (normal, bwm::plane(normal, c[0]))
            })
        })
        .collect();
    for ((face, adjacent), (normal, distance)) in mesh.faces.iter_mut().zip(found).zip(planes) {
        (face.adjacent, face.normal, face.distance) = (adjacent, normal, distance);
    }
}

/// Vertex normals: the sum of the normals of all faces at the same position in a common smoothing group, by area.
fn normals(mesh: &Mesh, masks: &[u32]) -> Vec<[f32; 3]> {
    let places = places(&mesh.vertices.positions);
    let count = mesh.vertices.positions.len();
    let mut own = vec![0u32; count];
    // Sums by place and smoothing groups.
    let mut sums: HashMap<(u32, u32), [f64; 3]> = HashMap::new();
    let mut groups: HashMap<u32, Vec<u32>> = HashMap::new();
    for (face, mask) in mesh.faces.iter().zip(masks) {
        let Some(corners) = corners(mesh, face) else { continue };
        let normal = cross(corners);
        for vertex in face.vertices.map(usize::from) {
            let Some(place) = places.get(vertex) else { continue };
            if let Some(slot) = own.get_mut(vertex) {
                *slot |= mask;
            }
            // A face in no group is smoothed with nothing but itself.
            let key = if *mask == 0 { (u32::MAX - vertex as u32, 0) } else { (*place, *mask) };
            let sum = sums.entry(key).or_insert_with(|| {
                if *mask != 0 {
                    groups.entry(*place).or_default().push(*mask);
                }
                [0.0; 3]
            });
            for (slot, n) in sum.iter_mut().zip(normal) {
                *slot += n;
            }
        }
    }
    (0..count)
        .map(|vertex| {
            let (place, mask) =
                (places.get(vertex).copied().unwrap_or(0), own.get(vertex).copied().unwrap_or(0));
            let mut total = [0.0f64; 3];
            let mut add = |sum: Option<&[f64; 3]>| {
                for (slot, n) in total.iter_mut().zip(sum.copied().unwrap_or_default()) {
                    *slot += n;
                }
            };
            if mask == 0 {
                add(sums.get(&(u32::MAX - vertex as u32, 0)));
            }
            // No real mesh has more groups at a place than there are bits.
            for other in groups.get(&place).into_iter().flatten().take(64).filter(|m| **m & mask != 0) {
                add(sums.get(&(place, *other)));
            }
            let size = length(total);
            if size > 0.0 { total.map(|c| (c / size) as f32) } else { [0.0, 0.0, 1.0] }
        })
        .collect()
}

fn bounds(mesh: &mut Mesh) {
    let positions = &mesh.vertices.positions;
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for position in positions {
        for ((low, high), v) in min.iter_mut().zip(&mut max).zip(position) {
            *low = low.min(*v);
            *high = high.max(*v);
        }
    }
    if positions.is_empty() {
        (min, max) = ([0.0; 3], [0.0; 3]);
    }
    mesh.bounds = [min, max];
    let mut known = std::collections::HashSet::with_capacity(positions.len());
    let (mut sum, mut count) = ([0.0f64; 3], 0.0f64);
    for position in positions.iter().filter(|p| known.insert(p.map(f32::to_bits))) {
        for (slot, v) in sum.iter_mut().zip(position) {
            *slot += f64::from(*v);
        }
        count += 1.0;
    }
    let average = sum.map(|c| if count > 0.0 { c / count } else { 0.0 });
    mesh.average = average.map(|c| c as f32);
    let far = |p: &[f32; 3]| {
        let [x, y, z] = *p;
        let [ax, ay, az] = average;
        length([f64::from(x) - ax, f64::from(y) - ay, f64::from(z) - az])
    };
    mesh.radius = positions.iter().map(far).fold(0.0, f64::max) as f32;
}

/// Tangent space of a texture: the directions in which its coordinates grow, summed over the faces of each vertex.
fn tangents(mesh: &mut Mesh, channel: usize) {
    let Some(uvs) = mesh.vertices.uvs.get(channel).filter(|u| !u.is_empty()) else { return };
    let count = mesh.vertices.positions.len();
    let mut sums = vec![[[0.0f64; 3]; 2]; count];
    for face in &mesh.faces {
        let Some([a, b, c]) = corners(mesh, face).map(|c| c.map(|v| v.map(f64::from))) else { continue };
        let [ua, ub, uc] =
            face.vertices.map(|i| uvs.get(usize::from(i)).copied().unwrap_or_default().map(f64::from));
        let (d1, d2) = ([ub[0] - ua[0], ub[1] - ua[1]], [uc[0] - ua[0], uc[1] - ua[1]]);
        let determinant = d1[0] * d2[1] - d2[0] * d1[1];
        let factor = if determinant == 0.0 { 2406.6388 } else { 1.0 / determinant };
        let edge = |from: [f64; 3], to: [f64; 3]| [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        let (e1, e2) = (edge(a, b), edge(a, c));
        let axis = |p: f64, q: f64| {
            std::array::from_fn(|i| factor * (e1.get(i).unwrap_or(&0.0) * p - e2.get(i).unwrap_or(&0.0) * q))
        };
        let (tangent, bitangent): ([f64; 3], [f64; 3]) = (axis(d2[1], d1[1]), axis(-d2[0], -d1[0]));
        for vertex in face.vertices {
            if let Some([bi, ta]) = sums.get_mut(usize::from(vertex)) {
                for ((slot, v), (other, w)) in bi.iter_mut().zip(bitangent).zip(ta.iter_mut().zip(tangent)) {
                    *slot += v;
                    *other += w;
                }
            }
        }
    }
    let unit = |v: [f64; 3]| {
        let size = length(v);
        if size > 0.0 { v.map(|c| c / size) } else { v }
    };
    let frames = sums
        .iter()
        .zip(mesh.vertices.normals.iter().chain(std::iter::repeat(&[0.0, 0.0, 1.0])))
        .map(|([bitangent, tangent], normal)| {
            let n = normal.map(f64::from);
            let along = |v: [f64; 3]| v.iter().zip(n).map(|(a, b)| a * b).sum::<f64>();
            let flat = |v: [f64; 3]| {
                let d = along(v);
                unit(std::array::from_fn(|i| v.get(i).unwrap_or(&0.0) - n.get(i).unwrap_or(&0.0) * d))
            };
            let (mut t, b) = (flat(*tangent), flat(*bitangent));
            let cross = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]];
            if cross.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() > 0.0 {
                t = t.map(|c| -c);
            }
            [b.map(|c| c as f32), t.map(|c| c as f32), *normal]
        })
        .collect();
    if let Some(slot) = mesh.vertices.tangents.get_mut(channel) {
        *slot = frames;
    }
}

/// The told boxes where they hold their faces, each once; otherwise a new tree.
fn boxes(mesh: &mut Mesh) {
    let faces: Vec<[u32; 3]> = mesh.faces.iter().map(|f| f.vertices.map(u32::from)).collect();
    let positions = &mesh.vertices.positions;
    let Some(tree) = mesh.aabb.as_deref_mut() else { return };
    if sound(&tree.nodes, positions, &faces) {
        split_planes(&mut tree.nodes);
        return;
    }
    let child = |i: u32| (i != u32::MAX).then_some(i);
    tree.nodes = bwm::build_tree(positions, &faces)
        .iter()
        .map(|n| AabbNode {
            min: n.min,
            max: n.max,
            left: child(n.left),
            right: child(n.right),
            face: n.face,
            plane: n.plane,
        })
        .collect();
}

fn sound(nodes: &[AabbNode], positions: &[[f32; 3]], faces: &[[u32; 3]]) -> bool {
    let mut seen = vec![false; faces.len()];
    let leaf = |node: &AabbNode, seen: &mut [bool]| {
        let Some(slot) = usize::try_from(node.face).ok().and_then(|f| seen.get_mut(f)) else { return false };
        let corners =
            faces.get(node.face as usize).into_iter().flatten().filter_map(|i| positions.get(*i as usize));
        let inside = |p: &[f32; 3]| {
            p.iter().zip(node.min.iter().zip(&node.max)).all(|(v, (low, high))| {
                let slack = 1e-4 * v.abs().max(1.0);
                *v >= low - slack && *v <= high + slack
            })
        };
        !std::mem::replace(slot, true) && corners.clone().count() == 3 && corners.clone().all(inside)
    };
    let complete = nodes.iter().all(|n| match (n.left, n.right) {
        (None, None) => leaf(n, &mut seen),
        (Some(_), Some(_)) => n.face < 0,
        _ => false,
    });
    complete && seen.iter().all(|s| *s)
}

/// The axis on which the children of each box lie furthest apart.
fn split_planes(nodes: &mut [AabbNode]) {
    let middle = |n: &AabbNode| {
        let [a, b, c] = n.min;
        let [d, e, f] = n.max;
        [a + d, b + e, c + f]
    };
    for id in 0..nodes.len() {
        let child = |c: Option<u32>| c.and_then(|c| nodes.get(c as usize)).map(middle);
        let Some(node) = nodes.get(id) else { continue };
        let plane = match (child(node.left), child(node.right)) {
            (Some(left), Some(right)) => {
                let apart: [f32; 3] =
                    std::array::from_fn(|i| right.get(i).unwrap_or(&0.0) - left.get(i).unwrap_or(&0.0));
                let axis = (0..3).max_by(|a, b| {
                    let size = |i: &usize| apart.get(*i).map_or(0.0, |v| v.abs());
                    size(a).total_cmp(&size(b))
                });
                let axis = axis.unwrap_or(0);
                if apart.get(axis).is_some_and(|v| *v < 0.0) { 8 << axis } else { 1 << axis }
            }
            _ => 0,
        };
        if let Some(node) = nodes.get_mut(id) {
            node.plane = plane;
        }
    }
}

/// The k-th mesh counts 98, 97, ... 0, 100, 199, ... 101, 200, 399 and so on.
fn inverted_counter(k: u32) -> u32 {
    let q = (k / 100).min(16);
    let tail = if k.is_multiple_of(100) { 0 } else { 100 * q };
    ((100u32 << q) + tail).saturating_sub(k).saturating_sub(u32::from(q == 0))
}

fn counters(mesh: &mut Mesh, meshes: &mut u32) {
    match mesh.saber.as_deref_mut() {
        Some(saber) => {
            saber.inverted_counters = [inverted_counter(*meshes), inverted_counter(*meshes + 1)];
            mesh.inverted_counters.clear();
            *meshes += 1;
        }
        None => mesh.inverted_counters = vec![inverted_counter(*meshes)],
    }
}

/// Normals of a blade: those of its two flat sides.
fn saber(mesh: &mut Mesh) {
    let Some(saber) = mesh.saber.as_deref_mut() else { return };
    let side = |at: usize| {
        let get = |i: usize| saber.positions.get(at + i).copied().unwrap_or_default();
        bwm::normal([get(5), get(4), get(0)])
    };
    let (first, second) = (side(0), side(super::saber::FULL / 2));
    let half = saber.positions.len() / 2;
    saber.normals = (0..saber.positions.len()).map(|i| if i < half { first } else { second }).collect();
}

/// A place and an orientation (w, x, y, z).
type Pose = ([f64; 3], [f64; 4]);

fn multiply([aw, ax, ay, az]: [f64; 4], [bw, bx, by, bz]: [f64; 4]) -> [f64; 4] {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

fn rotate([w, x, y, z]: [f64; 4], [vx, vy, vz]: [f64; 3]) -> [f64; 3] {
    let [_, rx, ry, rz] = multiply(multiply([w, x, y, z], [0.0, vx, vy, vz]), [w, -x, -y, -z]);
    [rx, ry, rz]
}

/// Where all nodes are at rest, in the space of the model.
fn rest_pose(nodes: &[Node]) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let (place, turn) = (node.position.map(f64::from), node.orientation.map(f64::from));
        let pose = match node.parent.and_then(|p| poses.get(p as usize)) {
            Some((at, q)) => {
                let [x, y, z] = rotate(*q, place);
                ([at[0] + x, at[1] + y, at[2] + z], multiply(*q, turn))
            }
            None => (place, turn),
        };
        poses.push(pose);
    }
    poses
}

/// Inverse binds: from the space of the skin to that of each node, both at rest.
fn binds(mesh: &mut Mesh, worlds: &[Pose], skin_node: usize) {
    let Some(skin) = mesh.skin.as_deref_mut() else { return };
    let Some((at, turn)) = worlds.get(skin_node) else { return };
    skin.rotations.clear();
    skin.translations.clear();
    for (place, [w, x, y, z]) in worlds {
        let back = [*w, -x, -y, -z];
        let offset = [at[0] - place[0], at[1] - place[1], at[2] - place[2]];
        skin.translations.push(rotate(back, offset).map(|c| c as f32));
        skin.rotations.push(multiply(back, *turn).map(|c| c as f32));
    }
}
