//! From glTF to the scene: meshes, their vertices and influences.

use std::collections::HashMap;

use galatea_scene::{
    Attribute, Extras, Influences, Mesh, Primitive, Purpose, Scene, Topology, Value, Vertices, decode_u32s,
};
use galatea_wire::{Error, Loss, Result, checksum};

use super::material::Materials;
use super::{brief, extras_of, take_name};
use crate::accessor::{Document, whole, wrong};
use crate::json::print;
use crate::lost_normals::Lost;
use crate::{blender, constraints, lost_normals, twins, typed};

/// The attributes of a primitive, which identify its vertices.
type Signature = Vec<(String, usize)>;

/// The reader of meshes. Primitives with the same attributes share their vertices.
pub(crate) struct Meshes {
    /// Vertices by their attributes and a checksum of what the primitive says about them in extras.
    shared: HashMap<(Signature, u64), u32>,
    /// For each vertices, the rows whose copies were removed from their end.
    copies: HashMap<u32, Vec<u32>>,
    materials: Materials,
    /// Vertices whose normals Blender has lost.
    pub(super) lost_normals: Vec<Lost>,
}

impl Meshes {
    pub(crate) fn new(materials: Materials) -> Self {
        Meshes { shared: HashMap::new(), copies: HashMap::new(), materials, lost_normals: Vec::new() }
    }

    pub(crate) fn read(
        &mut self,
        document: &Document<'_>,
        scene: &mut Scene,
        losses: &mut Vec<Loss>,
        value: &Value,
    ) -> Result<Mesh> {
        let mut extras = extras_of(value);
        let name = take_name(value, &mut extras, "mesh");
        let (purpose, lod) = read_purpose(&mut extras);
        let normals = extras.remove(lost_normals::KEY);
        let mut mesh = Mesh { name, purpose, lod, extras, ..Mesh::default() };
        let list = value.get("primitives").and_then(Value::as_array).map_or(&[][..], |l| l);
        let most = |part: &Value| part.get("targets").and_then(Value::as_array).map_or(0, Vec::len);
        if let Some(count) = list.iter().map(most).max().filter(|n| *n > 0) {
            losses.push(Loss::new(
                format!("mesh {:?}", brief(&mesh.name)),
                format!("{count} shapes to morph into"),
            ));
        }
        for (i, part) in list.iter().enumerate() {
            let read = self.primitive(document, scene, part);
            mesh.primitives.push(read.map_err(|e| e.within(format!("primitives[{i}]")))?);
        }
        if let Some(note) = normals.filter(|_| blender::wrote(document.root)) {
            self.lost_normals.extend(lost_normals::find(&mesh.primitives, &note));
        }
        Ok(mesh)
    }

    fn primitive(&mut self, document: &Document<'_>, scene: &mut Scene, value: &Value) -> Result<Primitive> {
        let mut extras = extras_of(value);
        let own = extras.remove("vertices").and_then(|v| v.as_object().cloned()).unwrap_or_default();
        let replaced = extras.remove("replaced").unwrap_or(Value::Null);
        let (vertices, count) = self.vertices(document, scene, value, own, &replaced)?;
        let mut primitive = Primitive { vertices, ..Primitive::default() };
        let mode = value.get("mode").and_then(whole).unwrap_or(4);
        let given = document.index(value, "indices", "accessors")?;
        let list = match given {
            Some(accessor) => document.ints(accessor, 1).map_err(|e| e.within("indices"))?,
            None => {
                document.spend(count as u64 * 4)?;
                (0..count as u32).collect()
            }
        };
        (primitive.topology, primitive.indices) = assemble(document.place, mode, list)?;
        if let Some(bad) = primitive.indices.iter().find(|i| **i as usize >= count) {
            return Err(
                wrong(document.place, "the index of a vertex", format!("{bad} of {count}")).within("indices")
            );
        }
        let copies = self.copies.get(&vertices).map_or(&[][..], Vec::as_slice);
        let count = count - copies.len();
        if !copies.is_empty() {
            let row = |index: u32| copies.get((index as usize).checked_sub(count)?).copied();
            primitive.indices.iter_mut().for_each(|index| *index = row(*index).unwrap_or(*index));
        }
        // The original had no triangles, or some with indices out of range.
        let none = extras.remove("none");
        if let Some(word) = none.as_ref().and_then(Value::as_str).filter(|_| mode == 0 && given.is_none()) {
            primitive.topology = match word {
                "lines" => Topology::Lines,
                "points" => Topology::Points,
                _ => Topology::Triangles,
            };
            primitive.indices.clear();
        }
        if let Some(all) = extras.remove("indices").as_ref().and_then(decode_u32s) {
            let per = match primitive.topology {
                Topology::Triangles => 3,
                Topology::Lines => 2,
                Topology::Points => 1,
            };
            let kept = all.chunks_exact(per).filter(|g| g.iter().all(|i| (*i as usize) < count));
            if kept.flatten().eq(&primitive.indices) {
                primitive.indices = all;
            }
        }
        let material = document.index(value, "material", "materials")?;
        primitive.material = material.and_then(|m| self.materials.id(m));
        primitive.extras = extras;
        Ok(primitive)
    }

    fn vertices(
        &mut self,
        document: &Document<'_>,
        scene: &mut Scene,
        value: &Value,
        own: Extras,
        replaced: &Value,
    ) -> Result<(u32, usize)> {
        let inside = |e: Error| e.within("attributes");
        let mut signature: Signature = Vec::new();
        let known = document.list("accessors").len();
        for (name, index) in
            value.get("attributes").and_then(Value::as_object).into_iter().flat_map(Extras::iter)
        {
            let accessor = whole(index).filter(|i| *i < known);
            let accessor = accessor.ok_or_else(|| {
                inside(wrong(document.place, "the index of an accessor", print(index)).within(name))
            })?;
            signature.push((name.to_owned(), accessor));
        }
        signature.sort();
        // Columns that differ only in values that glTF forbids have the same accessors and different extras.
        let key = (signature, notes_checksum(&own, replaced));
        if let Some(id) = self.shared.get(&key) {
            let count = scene.vertices.get(*id as usize).map_or(0, |v| v.positions.len());
            return Ok((*id, count + self.copies.get(id).map_or(0, Vec::len)));
        }
        let mut vertices = read_vertices(document, &key.0, replaced).map_err(inside)?;
        vertices.extras = own;
        let count = vertices.positions.len();
        let id = scene.vertices.len() as u32;
        if let Some(rows) = replaced.get(twins::KEY).and_then(decode_u32s)
            && twins::merge(&mut vertices, &rows)
        {
            self.copies.insert(id, rows);
        }
        scene.vertices.push(vertices);
        self.shared.insert(key, id);
        Ok((id, count))
    }
}

/// Returns a checksum of the extras about vertices; 0 if there are none.
fn notes_checksum(own: &Extras, replaced: &Value) -> u64 {
    let replaced = if *replaced == Value::Null { None } else { Some(print(replaced)) };
    let own = (!own.is_empty()).then(|| print(&Value::from(own.clone())));
    match (own, replaced) {
        (None, None) => 0,
        notes => checksum(format!("{notes:?}").as_bytes()),
    }
}

/// Most sets of four joints per vertex, whose weights are checked in quadratic time.
const SETS: usize = 64;

fn read_vertices(document: &Document<'_>, signature: &Signature, replaced: &Value) -> Result<Vertices> {
    // Sorted by name.
    let find = |name: &str| {
        let found = signature.binary_search_by(|(n, _)| n.as_str().cmp(name)).ok()?;
        signature.get(found).map(|(_, accessor)| *accessor)
    };
    let mut out = Vertices::default();
    let note = |name: &str| replaced.get(name).unwrap_or(&Value::Null);
    let Some(positions) = find("POSITION") else { return Ok(out) };
    out.positions = document.rows(positions).map_err(|e| e.within("POSITION"))?;
    constraints::restore(&mut out.positions, note("POSITION"), constraints::finite);
    let count = out.positions.len();
    let fits = |document: &Document<'_>, accessor: usize, name: &str| {
        let other = document.kind(accessor)?.count;
        if other == count {
            return Ok(());
        }
        Err(wrong(document.place, "as many as there are positions", format!("{other}, not {count}"))
            .within(name))
    };
    if let Some(accessor) = find("NORMAL") {
        fits(document, accessor, "NORMAL")?;
        out.normals = document.rows(accessor).map_err(|e| e.within("NORMAL"))?;
        constraints::restore(&mut out.normals, note("NORMAL"), constraints::normal);
    }
    if let Some(accessor) = find("TANGENT") {
        fits(document, accessor, "TANGENT")?;
        out.tangents = document.rows(accessor).map_err(|e| e.within("TANGENT"))?;
        constraints::restore(&mut out.tangents, note("TANGENT"), constraints::tangent);
    }
    for set in 0.. {
        let name = format!("TEXCOORD_{set}");
        let Some(accessor) = find(&name) else { break };
        fits(document, accessor, &name)?;
        let mut uvs = document.rows(accessor).map_err(|e| e.within(&name))?;
        constraints::restore(&mut uvs, note(&name), constraints::finite);
        out.uvs.push(uvs);
    }
    for set in 0.. {
        let name = format!("COLOR_{set}");
        let Some(accessor) = find(&name) else { break };
        fits(document, accessor, &name)?;
        let mut colors = if document.kind(accessor)?.width == 3 {
            let rows: Vec<[f32; 3]> = document.rows(accessor).map_err(|e| e.within(&name))?;
            document.spend(count as u64 * 16)?;
            rows.into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect()
        } else {
            document.rows(accessor).map_err(|e| e.within(&name))?
        };
        constraints::restore(&mut colors, note(&name), constraints::color);
        out.colors.push(colors);
    }
    let mut sets = Vec::new();
    for set in 0..SETS {
        let (joints_name, weights_name) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
        let (Some(joints), Some(weights)) = (find(&joints_name), find(&weights_name)) else { break };
        fits(document, joints, &joints_name)?;
        fits(document, weights, &weights_name)?;
        let joints = document.ints(joints, 4).map_err(|e| e.within(&joints_name))?;
        sets.push((joints, document.floats(weights, 4).map_err(|e| e.within(&weights_name))?));
    }
    out.influences = join_influences(document, &sets, count, replaced)?;
    for (name, accessor) in signature {
        let Some(own) = name.strip_prefix('_') else { continue };
        fits(document, *accessor, name)?;
        let width = document.kind(*accessor)?.width;
        let mut values = document.floats(*accessor, width).map_err(|e| e.within(name))?;
        constraints::restore(values.as_chunks_mut::<1>().0, note(name), constraints::finite);
        out.attributes.push(Attribute { name: own.to_owned(), width, values });
    }
    Ok(out)
}

fn join_influences(
    document: &Document<'_>,
    sets: &[(Vec<u32>, Vec<f32>)],
    count: usize,
    replaced: &Value,
) -> Result<Influences> {
    let full = sets.len() * 4;
    let told = replaced.get("INFLUENCES").and_then(whole).filter(|w| *w > 0 && *w <= full);
    // Only entries past the end of the original may be dropped, and only if they are unused.
    let unused = |width: usize| {
        sets.iter().enumerate().all(|(set, (_, weights))| {
            let rows = weights.chunks_exact(4);
            let mut late = rows.flat_map(|r| r.iter().enumerate()).filter(|(c, _)| set * 4 + c >= width);
            late.all(|(_, w)| *w == 0.0)
        })
    };
    let width = told.filter(|w| unused(*w)).unwrap_or(full);
    document.spend((count * width * 6) as u64)?;
    let mut out = Influences { width, ..Influences::default() };
    for row in 0..count {
        for column in 0..width {
            let (set, at) = (column / 4, row * 4 + column % 4);
            let (joint, weight) = sets.get(set).map_or((0, 0.0), |(j, w)| {
                (j.get(at).copied().unwrap_or(0), w.get(at).copied().unwrap_or(0.0))
            });
            out.joints.push(u16::try_from(joint).unwrap_or(u16::MAX));
            out.weights.push(weight);
        }
    }
    restore_influences(&mut out, replaced);
    Ok(out)
}

/// Restores weights and joints that were replaced, in rows for which replacing them again gives the current values.
fn restore_influences(out: &mut Influences, replaced: &Value) {
    let width = out.width;
    let mut rows: HashMap<usize, (Vec<u16>, Vec<f32>)> = HashMap::new();
    let row_of = |row: usize| -> Option<(Vec<u16>, Vec<f32>)> {
        let range = row.checked_mul(width)?..row.checked_add(1)?.checked_mul(width)?;
        Some((out.joints.get(range.clone())?.to_vec(), out.weights.get(range)?.to_vec()))
    };
    galatea_scene::each_ulp_delta(replaced.get("WEIGHTS").unwrap_or(&Value::Null), width, |row, steps| {
        let Some(mut entry) = row_of(row) else { return };
        for (weight, step) in entry.1.iter_mut().zip(steps) {
            *weight = f32::from_bits(weight.to_bits().wrapping_add(*step));
        }
        rows.insert(row, entry);
    });
    galatea_scene::each_ulp_delta(replaced.get("JOINTS").unwrap_or(&Value::Null), width, |row, steps| {
        let Some(mut entry) = rows.remove(&row).or_else(|| row_of(row)) else { return };
        for (joint, step) in entry.0.iter_mut().zip(steps) {
            *joint = joint.wrapping_add(*step as u16);
        }
        rows.insert(row, entry);
    });
    for (row, (joints, weights)) in rows {
        let (mut again_joints, mut again_weights) = (joints.clone(), weights.clone());
        // Joints that were out of range are unknown here; they only decide which weights were set to 0.
        constraints::influences(
            &mut again_joints,
            &mut again_weights,
            out_of_range(out, row, width, &joints, &weights),
        );
        let range = row * width..(row + 1) * width;
        let (Some(j), Some(w)) = (out.joints.get_mut(range.clone()), out.weights.get_mut(range)) else {
            continue;
        };
        let same = again_weights.iter().zip(w.iter()).all(|(a, b)| a.to_bits() == b.to_bits());
        if same && again_joints == *j {
            j.copy_from_slice(&joints);
            w.copy_from_slice(&weights);
        }
    }
}

/// Returns the lower bound for the number of joints when a row was written: joints with a weight that were replaced were out
/// of range. Joints without one were replaced in any case, so they say nothing.
fn out_of_range(out: &Influences, row: usize, width: usize, joints: &[u16], weights: &[f32]) -> usize {
    let now: Vec<(u16, f32)> = out.of(row).take(width).collect();
    let gone = joints.iter().zip(weights).filter(|(joint, weight)| {
        **joint != 0 && **weight > 0.0 && !now.iter().any(|(n, w)| n == *joint && *w > 0.0)
    });
    gone.map(|(joint, _)| usize::from(*joint)).min().unwrap_or(usize::MAX)
}

/// Returns strips, fans and loops as plain lists.
fn assemble(place: usize, mode: usize, list: Vec<u32>) -> Result<(Topology, Vec<u32>)> {
    let pairs = |list: &[u32]| list.windows(2).flatten().copied().collect::<Vec<u32>>();
    Ok(match mode {
        0 => (Topology::Points, list),
        1 => (Topology::Lines, whole_groups(list, 2)),
        2 => {
            let mut lines = pairs(&list);
            if let (Some(first), Some(last), true) = (list.first(), list.last(), list.len() > 1) {
                lines.extend([*last, *first]);
            }
            (Topology::Lines, lines)
        }
        3 => (Topology::Lines, pairs(&list)),
        4 => (Topology::Triangles, whole_groups(list, 3)),
        5 => {
            let corners = list.windows(3).enumerate().filter_map(|(i, w)| match w {
                [a, b, c] => Some(if i % 2 == 0 { [*a, *b, *c] } else { [*b, *a, *c] }),
                _ => None,
            });
            (Topology::Triangles, corners.flatten().collect())
        }
        6 => {
            let hub = list.first().copied().unwrap_or(0);
            let rim = list.get(1..).unwrap_or(&[]);
            let corners = rim.windows(2).flat_map(|w| std::iter::once(hub).chain(w.iter().copied()));
            (Topology::Triangles, corners.collect())
        }
        other => return Err(wrong(place, "a drawing mode", other).within("mode")),
    })
}

fn whole_groups(mut list: Vec<u32>, per: usize) -> Vec<u32> {
    list.truncate(list.len() / per * per);
    list
}

/// Takes the purpose and the level of detail out of a mesh's extras.
pub(super) fn read_purpose(extras: &mut Extras) -> (Purpose, Option<u32>) {
    let word = extras.remove("purpose");
    let word = word.as_ref().and_then(Value::as_str).unwrap_or("render");
    let purpose = Purpose::ALL.into_iter().find(|p| p.name() == word).unwrap_or_default();
    let lod = typed::int(extras, "lod").and_then(|l| u32::try_from(l).ok());
    extras.remove("lod");
    (purpose, lod)
}
