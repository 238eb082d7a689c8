//! From the scene to glTF: meshes with their vertices and indices.

use std::borrow::Cow;

use galatea_scene::{
    Extras, Key, Mesh, Primitive, Purpose, Topology, Value, Vertices, encode_u32s, ulp_deltas,
};

use super::material::Materials;
use super::{Context, put_extras, put_name};
use crate::bin::{Bin, Component, Kind, Shape, bounds, put_each, put_floats};
use crate::json::List;
use crate::{constraints, lost_normals, twins};

fn mesh_extras(mesh: &Mesh) -> Extras {
    let mut own = Extras::default();
    if mesh.purpose != Purpose::Render {
        own.insert("purpose", mesh.purpose.name());
    }
    if let Some(lod) = mesh.lod {
        own.insert("lod", lod);
    }
    own
}

/// Returns a mesh without geometry for extras, with the materials and extras of its primitives.
pub(crate) fn empty(cx: &Context<'_>, mesh: &Mesh) -> Value {
    let mut own = mesh_extras(mesh);
    own.insert("name", mesh.name.clone());
    if !mesh.extras.is_empty() {
        own.insert("extras", mesh.extras.clone());
    }
    let parts = mesh.primitives.iter().map(|p| {
        let mut part = Extras::default();
        if let Some(name) = p.material.and_then(|m| cx.material_names.get(m as usize)) {
            part.insert("material", name.to_string());
        }
        if !p.extras.is_empty() {
            part.insert("extras", p.extras.clone());
        }
        Value::Object(part)
    });
    own.insert("primitives", Value::Array(parts.collect()));
    Value::Object(own)
}

/// Writes a mesh and returns its index; `None` if it has no geometry.
pub(crate) fn write(
    cx: &mut Context<'_>,
    meshes: &mut List,
    id: usize,
    mesh: &Mesh,
    name: &str,
    materials: &Materials,
) -> Option<u32> {
    let scene = cx.scene;
    let hidden = cx.hidden.get(id).copied().unwrap_or(false);
    let mut parts = Vec::new();
    for (part, primitive) in mesh.primitives.iter().enumerate() {
        let Some(vertices) = scene.vertices_of(primitive).filter(|v| !v.positions.is_empty()) else {
            continue;
        };
        write_vertices(cx, primitive.vertices as usize, vertices);
        let (primitive, count) = cx.twins.primitive((id, part), primitive, vertices.positions.len());
        let (indices, own) = write_indices(cx, &primitive, count);
        parts.push((primitive, indices, own));
    }
    if parts.is_empty() {
        return None;
    }
    let index = meshes.push(|o| {
        let mut own = mesh_extras(mesh);
        let vertices: Vec<_> =
            parts.iter().filter_map(|(primitive, ..)| cx.with_copies(primitive.vertices)).collect();
        let shaped = parts.iter().map(|(primitive, ..)| primitive.as_ref());
        if let Some(note) = lost_normals::note(shaped.zip(vertices.iter().map(AsRef::as_ref))) {
            own.insert(lost_normals::KEY, note);
        }
        cx.put_origin(&mut own, id);
        put_name(o, &mut own, &mesh.name, name);
        o.list("primitives", parts, |o, (primitive, indices, mut own)| {
            let at = primitive.vertices as usize;
            o.object("attributes", |o| {
                for (name, accessor) in cx.done.get(at).and_then(Option::as_ref).into_iter().flatten() {
                    o.int_of(name, *accessor);
                }
            });
            let mode = match (indices, primitive.topology) {
                (None, _) | (_, Topology::Points) => 0,
                (_, Topology::Lines) => 1,
                (_, Topology::Triangles) => 4,
            };
            if let Some(indices) = indices {
                o.int("indices", u64::from(indices));
            }
            if mode != 4 {
                o.int("mode", mode);
            }
            if let Some(material) = materials.index(primitive.material, hidden) {
                o.int("material", u64::from(material));
            }
            if let Some(extras) = scene.vertices_of(&primitive).map(|v| &v.extras).filter(|e| !e.is_empty()) {
                own.insert("vertices", extras.clone());
            }
            if let Some(replaced) = cx.replaced.get(at).filter(|r| !r.is_empty()) {
                own.insert("replaced", replaced.clone());
            }
            put_extras(o, &primitive.extras, &own);
        });
        put_extras(o, &mesh.extras, &own);
    });
    Some(index)
}

/// Writes the vertices once; later primitives find their accessors in `done`.
fn write_vertices(cx: &mut Context<'_>, id: usize, vertices: &Vertices) {
    if cx.done.get(id).is_none_or(Option::is_some) {
        return;
    }
    let copies = cx.twins.rows(id as u32);
    let mut replaced = Extras::default();
    if !copies.is_empty() {
        replaced.insert(twins::KEY, encode_u32s(copies));
    }
    let vertices = &*twins::with_copies(vertices, copies);
    let count = vertices.positions.len();
    let mut done: Vec<(Key, u32)> = Vec::with_capacity(8);
    let positions = checked(&vertices.positions, constraints::Finite, "POSITION", &mut replaced);
    let (min, max) = bounds(&positions);
    done.push(("POSITION".into(), floats_accessor(&mut cx.bin, &positions, Some((&min, &max)))));
    if vertices.normals.len() == count {
        let normals = checked(&vertices.normals, constraints::Normal, "NORMAL", &mut replaced);
        done.push(("NORMAL".into(), floats_accessor(&mut cx.bin, &normals, None)));
    }
    if vertices.tangents.len() == count {
        let tangents = checked(&vertices.tangents, constraints::Tangent, "TANGENT", &mut replaced);
        done.push(("TANGENT".into(), floats_accessor(&mut cx.bin, &tangents, None)));
    }
    for (set, uvs) in vertices.uvs.iter().take_while(|u| u.len() == count).enumerate() {
        let name = numbered(["TEXCOORD_0", "TEXCOORD_1"], "TEXCOORD", set);
        let uvs = checked(uvs, constraints::Finite, name.clone(), &mut replaced);
        done.push((name, floats_accessor(&mut cx.bin, &uvs, None)));
    }
    for (set, colors) in vertices.colors.iter().take_while(|c| c.len() == count).enumerate() {
        let name = numbered(["COLOR_0", "COLOR_1"], "COLOR", set);
        let colors = checked(colors, constraints::Color, name.clone(), &mut replaced);
        done.push((name, color_accessor(&mut cx.bin, &colors)));
    }
    if let Some(joints) = cx.joints.get(id).copied().flatten().filter(|j| *j > 0) {
        write_influences(&mut cx.bin, vertices, joints, &mut done, &mut replaced);
    }
    for attribute in &vertices.attributes {
        let sound = (1..=4).contains(&attribute.width) && attribute.values.len() == count * attribute.width;
        if !sound {
            continue;
        }
        let name = Key::Owned(format!("_{}", attribute.name));
        let rows: &[[f32; 1]] = attribute.values.as_chunks().0;
        let values = checked(rows, constraints::Finite, name.clone(), &mut replaced);
        let shape = Shape {
            component: Component::F32,
            width: attribute.width,
            count,
            normalized: false,
            bounds: None,
        };
        let kind = Kind::Vertex(attribute.width as u8 * 4);
        let accessor = cx.bin.accessor(kind, &shape, |out| put_floats(out, values.as_flattened()));
        done.push((name, accessor));
    }
    if let (Some(slot), Some(kept)) = (cx.done.get_mut(id), cx.replaced.get_mut(id)) {
        *slot = Some(done);
        *kept = replaced;
    }
}

/// Returns the name of one of several sets.
fn numbered(first: [&'static str; 2], name: &str, set: usize) -> Key {
    first.get(set).map_or_else(|| format!("{name}_{set}").into(), |known| Key::Borrowed(known))
}

/// Returns a valid column, and notes the rows that were replaced.
pub(crate) fn checked<'a, const N: usize>(
    column: &'a [[f32; N]],
    rule: impl constraints::Constraint<N>,
    name: impl Into<Key>,
    notes: &mut Extras,
) -> Cow<'a, [[f32; N]]> {
    match constraints::replaced(column, rule) {
        None => Cow::Borrowed(column),
        Some((column, differences)) => {
            notes.insert(name, differences);
            Cow::Owned(column)
        }
    }
}

fn floats_accessor<const N: usize>(
    bin: &mut Bin,
    rows: &[[f32; N]],
    bounds: Option<(&[f32], &[f32])>,
) -> u32 {
    let shape = Shape { component: Component::F32, width: N, count: rows.len(), normalized: false, bounds };
    bin.accessor(Kind::Vertex(N as u8 * 4), &shape, |out| put_floats(out, rows.as_flattened()))
}

/// Returns numbers between 0 and 1 as normalized bytes, if that is exact.
fn bytes_of(values: &[f32]) -> Option<Vec<u8>> {
    let byte = |value: f32| (value * 255.0 + 0.5) as u8;
    let exact = |value: &f32| (f32::from(byte(*value)) / 255.0).to_bits() == value.to_bits();
    // The usual case of one joint per vertex.
    if values.iter().fold(true, |all, value| all & (*value == 1.0)) {
        return Some(vec![255; values.len()]);
    }
    // In parts, without an early exit in each: inexact numbers are usually found soon.
    let mut parts = values.chunks(32);
    let all = parts.all(|part| part.iter().fold(true, |all, value| all & exact(value)));
    all.then(|| values.iter().map(|value| byte(*value)).collect())
}

fn color_accessor(bin: &mut Bin, colors: &[[f32; 4]]) -> u32 {
    let count = colors.len();
    if let Some(bytes) = bytes_of(colors.as_flattened()) {
        let shape = Shape { component: Component::U8, width: 4, count, normalized: true, bounds: None };
        return bin.accessor(Kind::Vertex(4), &shape, |out| out.extend(bytes));
    }
    if colors.iter().all(|[_, _, _, a]| *a == 1.0) {
        let rows: Vec<[f32; 3]> = colors.iter().map(|[r, g, b, _]| [*r, *g, *b]).collect();
        return floats_accessor(bin, &rows, None);
    }
    floats_accessor(bin, colors, None)
}

fn write_influences(
    bin: &mut Bin,
    vertices: &Vertices,
    joint_count: usize,
    done: &mut Vec<(Key, u32)>,
    replaced: &mut Extras,
) {
    let from = &vertices.influences;
    let count = vertices.positions.len();
    if from.is_empty() || from.joints.len() != count * from.width || from.weights.len() != count * from.width
    {
        return;
    }
    let (mut joints, mut weights) = (Cow::Borrowed(&from.joints), Cow::Borrowed(&from.weights));
    if !constraints::influences_hold(&from.joints, &from.weights, from.width, joint_count) {
        let rows = joints.to_mut().chunks_mut(from.width).zip(weights.to_mut().chunks_mut(from.width));
        rows.for_each(|(joints, weights)| constraints::influences(joints, weights, joint_count));
    }
    if let Cow::Owned(weights) = &weights
        && let Some(differences) = ulp_deltas(&from.weights, weights, from.width)
    {
        replaced.insert("WEIGHTS", differences);
    }
    if matches!(&joints, Cow::Owned(joints) if *joints != from.joints) {
        let words = |list: &[u16]| list.iter().map(|j| f32::from_bits(u32::from(*j))).collect::<Vec<_>>();
        let differences = constraints::differences(&words(&from.joints), &words(&joints), from.width);
        replaced.insert("JOINTS", differences);
    }
    if !from.width.is_multiple_of(4) {
        replaced.insert("INFLUENCES", from.width as u32);
    }
    let exact = bytes_of(&weights).filter(|bytes| constraints::sums_hold(bytes, from.width));
    let wide = joint_count > 256;
    let shape = |component, normalized| Shape { component, width: 4, count, normalized, bounds: None };
    for set in 0..from.width.div_ceil(4) {
        let accessor = if wide {
            bin.accessor(Kind::Vertex(8), &shape(Component::U16, false), |out| {
                put_fours(out, &joints, from.width, set, |row| {
                    let [[a, e], [b, f], [c, g], [d, h]] = row.map(u16::to_le_bytes);
                    [a, e, b, f, c, g, d, h]
                });
            })
        } else {
            bin.accessor(Kind::Vertex(4), &shape(Component::U8, false), |out| {
                put_fours(out, &joints, from.width, set, |row| row.map(|joint| joint as u8));
            })
        };
        done.push((numbered(["JOINTS_0", "JOINTS_1"], "JOINTS", set), accessor));
        let accessor = match &exact {
            Some(bytes) => bin.accessor(Kind::Vertex(4), &shape(Component::U8, true), |out| {
                put_fours(out, bytes, from.width, set, |row| row);
            }),
            None => bin.accessor(Kind::Vertex(16), &shape(Component::F32, false), |out| {
                put_fours(out, &weights, from.width, set, |row| {
                    let mut bytes = [0; 16];
                    let slots = bytes.as_chunks_mut().0.iter_mut();
                    slots.zip(row).for_each(|(slot, weight)| *slot = weight.to_le_bytes());
                    bytes
                });
            }),
        };
        done.push((numbered(["WEIGHTS_0", "WEIGHTS_1"], "WEIGHTS", set), accessor));
    }
}

/// Appends one set of four numbers of every row, padded with zeros.
fn put_fours<T: Copy + Default, const N: usize>(
    out: &mut Vec<u8>,
    values: &[T],
    width: usize,
    set: usize,
    bytes: impl Fn([T; 4]) -> [u8; N],
) {
    let zero = T::default();
    // The usual widths are constants.
    match (width, set) {
        (1, 0) => put_each(out, values.iter().map(|a| bytes([*a, zero, zero, zero]))),
        (2, 0) => {
            put_each(out, values.as_chunks().0.iter().map(|[a, b]| bytes([*a, *b, zero, zero])));
        }
        (3, 0) => {
            put_each(out, values.as_chunks().0.iter().map(|[a, b, c]| bytes([*a, *b, *c, zero])));
        }
        (4, 0) => put_each(out, values.as_chunks().0.iter().map(|row| bytes(*row))),
        _ => put_each(
            out,
            values.chunks_exact(width).map(|row| {
                let set = row.get(set * 4..).unwrap_or(&[]);
                bytes(std::array::from_fn(|c| set.get(c).copied().unwrap_or(zero)))
            }),
        ),
    }
}

/// Writes the valid indices, and returns extras if some were invalid or there are none.
fn write_indices(cx: &mut Context<'_>, primitive: &Primitive, count: usize) -> (Option<u32>, Extras) {
    let mut own = Extras::default();
    let per = match primitive.topology {
        Topology::Triangles => 3,
        Topology::Lines => 2,
        Topology::Points => 1,
    };
    let highest = |group: &[u32]| group.iter().fold(0, |most, i| most.max(*i));
    let sound = |most: u32| (most as usize) < count;
    let mut most = highest(&primitive.indices);
    let whole = primitive.indices.len().is_multiple_of(per) && sound(most);
    let indices = if whole {
        Cow::Borrowed(&primitive.indices)
    } else {
        own.insert("indices", encode_u32s(&primitive.indices));
        let kept = primitive.indices.chunks_exact(per).filter(|group| sound(highest(group)));
        let kept: Vec<u32> = kept.flatten().copied().collect();
        most = highest(&kept);
        Cow::Owned(kept)
    };
    if indices.is_empty() {
        if primitive.topology != Topology::Points {
            let word = if per == 3 { "triangles" } else { "lines" };
            own.insert("none", word);
        } else if whole {
            own.insert("none", "points");
        }
        return (None, own);
    }
    let shape =
        |component| Shape { component, width: 1, count: indices.len(), normalized: false, bounds: None };
    let accessor = if most < 65535 {
        cx.bin.accessor(Kind::Short, &shape(Component::U16), |out| {
            put_each(out, indices.iter().map(|i| (*i as u16).to_le_bytes()));
        })
    } else {
        cx.bin.accessor(Kind::Long, &shape(Component::U32), |out| {
            put_each(out, indices.iter().map(|i| i.to_le_bytes()));
        })
    };
    (Some(accessor), own)
}
