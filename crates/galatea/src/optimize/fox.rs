//! Fox Engine models. They have no animations; poses are those of skeletons elsewhere, which find bones by their names.

use std::collections::HashMap;

use super::run::{Compared, Optimizer};
use super::{Difference, OptimizeOptions, Step, Tolerance};
use crate::Document;
use crate::fox::{Fmdl, Mesh, Values, Vertices};

/// The steps for Fox Engine models.
pub(super) struct Fox {
    original: Fmdl,
    tolerance: Tolerance,
    degenerate: bool,
}

impl Fox {
    pub(super) fn new(model: &Fmdl, options: &OptimizeOptions) -> Self {
        let degenerate = options.steps.contains(&Step::Triangles);
        Fox { original: model.clone(), tolerance: options.tolerance, degenerate }
    }
}

impl Optimizer for Fox {
    fn step(&mut self, document: &mut dyn Document, step: Step) -> usize {
        let Some(model) = document.as_any_mut().downcast_mut::<Fmdl>() else { return 0 };
        let count = match step {
            Step::Triangles => model.meshes.iter_mut().map(degenerate).sum(),
            Step::Vertices => model.meshes.iter_mut().map(unused_and_equal).sum(),
            Step::Materials => materials(model),
            Step::Groups => bone_groups(model),
            Step::Nodes => model.drop_unused_bones(),
            _ => 0,
        };
        if count > 0 {
            model.forget_layout();
        }
        count
    }

    fn compare(&self, document: &dyn Document) -> Result<Compared, Difference> {
        match document.as_any().downcast_ref::<Fmdl>() {
            Some(model) => compare(self, model),
            None => Ok(Compared::default()),
        }
    }

    fn notes(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// Appends the bits of one vertex in a column; returns `false` if it has none.
fn push_row(values: &Values, index: usize, out: &mut Vec<u32>) -> bool {
    fn halves(row: Option<&[u16]>, out: &mut Vec<u32>) -> bool {
        out.extend(row.into_iter().flatten().map(|value| u32::from(*value)));
        row.is_some()
    }
    fn floats(row: Option<&[f32]>, out: &mut Vec<u32>) -> bool {
        out.extend(row.into_iter().flatten().map(|value| value.to_bits()));
        row.is_some()
    }
    match values {
        Values::F32x3(rows) => floats(rows.get(index).map(|row| &row[..]), out),
        Values::F32x2(rows) => floats(rows.get(index).map(|row| &row[..]), out),
        Values::U16x4(rows) | Values::F16x4(rows) => halves(rows.get(index).map(|row| &row[..]), out),
        Values::F16x2(rows) => halves(rows.get(index).map(|row| &row[..]), out),
        Values::Unorm8x4(rows) | Values::U8x4(rows) => {
            let row = rows.get(index);
            out.extend(row.map(|row| u32::from_le_bytes(*row)));
            row.is_some()
        }
        Values::Raw { width, bytes, .. } => {
            let row = bytes.get(index * width..(index + 1) * width);
            out.extend(row.into_iter().flatten().map(|byte| u32::from(*byte)));
            row.is_some()
        }
        Values::Same(_) => true,
        _ => false,
    }
}

/// Returns everything that makes a vertex what it is, as bits; `None` if a column is too short.
fn bits_of(vertices: &Vertices, index: usize) -> Option<Vec<u32>> {
    let mut out = Vec::with_capacity(24);
    vertices.columns.iter().all(|column| push_row(&column.values, index, &mut out)).then_some(out)
}

fn is_plain(mesh: &Mesh) -> bool {
    let count = mesh.vertices.count;
    mesh.indices.iter().all(|index| usize::from(*index) < count)
        && mesh.vertices.columns.iter().all(|column| column.values.len().is_none_or(|len| len == count))
}

/// Removes vertices that no level of detail uses, and all but the first of those that are equal; returns how many.
fn unused_and_equal(mesh: &mut Mesh) -> usize {
    let count = mesh.vertices.count;
    if !is_plain(mesh) {
        return 0;
    }
    let mut used = vec![false; count];
    for index in &mesh.indices {
        used.get_mut(usize::from(*index)).into_iter().for_each(|used| *used = true);
    }
    let mut first: HashMap<Vec<u32>, u16> = HashMap::with_capacity(count);
    let mut kept: Vec<usize> = Vec::with_capacity(count);
    let mut places: Vec<u16> = Vec::with_capacity(count);
    for (index, used) in used.iter().enumerate() {
        if !used {
            places.push(0);
            continue;
        }
        let Some(bits) = bits_of(&mesh.vertices, index) else { return 0 };
        let next = kept.len() as u16;
        let place = *first.entry(bits).or_insert(next);
        if place == next {
            kept.push(index);
        }
        places.push(place);
    }
    if kept.len() == count {
        return 0;
    }
    mesh.vertices = mesh.vertices.pick(&kept);
    for index in &mut mesh.indices {
        *index = places.get(usize::from(*index)).copied().unwrap_or(*index);
    }
    count - kept.len()
}

/// Removes triangles of which two corners are one vertex; returns how many.
fn degenerate(mesh: &mut Mesh) -> usize {
    let whole = mesh.indices.len().is_multiple_of(3)
        && mesh.windows.iter().all(|window| window.first.is_multiple_of(3) && window.count.is_multiple_of(3));
    if !whole {
        return 0;
    }
    let triangles = mesh.indices.as_chunks::<3>().0;
    let seen: Vec<bool> = triangles.iter().map(|[a, b, c]| a != b && b != c && c != a).collect();
    let gone = seen.iter().filter(|seen| !**seen).count();
    if gone == 0 {
        return 0;
    }
    // For each triangle, how many are left before it.
    let mut before = vec![0u32];
    for seen in &seen {
        before.push(before.last().copied().unwrap_or(0) + u32::from(*seen));
    }
    let left = |triangle: u32| before.get(triangle as usize).or(before.last()).copied().unwrap_or(0);
    for window in &mut mesh.windows {
        let (start, end) = (left(window.first / 3), left((window.first.saturating_add(window.count)) / 3));
        (window.first, window.count) = (start * 3, (end - start) * 3);
    }
    mesh.indices =
        triangles.iter().zip(&seen).filter(|(_, seen)| **seen).flat_map(|(corners, _)| *corners).collect();
    gone
}

/// Removes materials that no mesh has, and all but the first of those that are equal; returns how many.
fn materials(model: &mut Fmdl) -> usize {
    let used: Vec<usize> = model.meshes.iter().map(|mesh| usize::from(mesh.material)).collect();
    let places = condense(&mut model.materials, &used);
    for mesh in &mut model.meshes {
        mesh.material = places.get(usize::from(mesh.material)).copied().flatten().unwrap_or(mesh.material);
    }
    places.len() - model.materials.len()
}

/// Removes bone groups that no mesh has, and all but the first of those that are equal; returns how many.
fn bone_groups(model: &mut Fmdl) -> usize {
    // Meshes without bones name a group that means nothing.
    let used: Vec<usize> = model.meshes.iter().map(|mesh| usize::from(mesh.bone_group)).collect();
    let places = condense(&mut model.bone_groups, &used);
    for mesh in &mut model.meshes {
        mesh.bone_group =
            places.get(usize::from(mesh.bone_group)).copied().flatten().unwrap_or(mesh.bone_group);
    }
    places.len() - model.bone_groups.len()
}

/// Returns where each item is now.
fn condense<T: PartialEq>(list: &mut Vec<T>, used: &[usize]) -> Vec<Option<u16>> {
    let mut kept: Vec<T> = Vec::new();
    let mut places = Vec::with_capacity(list.len());
    for (index, item) in std::mem::take(list).into_iter().enumerate() {
        let place = if used.contains(&index) {
            let there = kept.iter().position(|kept| *kept == item);
            let place = there.unwrap_or_else(|| {
                kept.push(item);
                kept.len() - 1
            });
            u16::try_from(place).ok()
        } else {
            None
        };
        places.push(place);
    }
    *list = kept;
    places
}

/// Compares every corner of every triangle of every level, with its bones by name and place, and what it is drawn with.
fn compare(of: &Fox, model: &Fmdl) -> Result<Compared, Difference> {
    let differ = |what: String| Err(Difference { clip: None, what, tolerance: of.tolerance });
    let old = &of.original;
    if old.meshes.len() != model.meshes.len() || old.runs != model.runs {
        return differ("meshes are missing".to_owned());
    }
    for (index, (a, b)) in old.meshes.iter().zip(&model.meshes).enumerate() {
        if old.materials.get(usize::from(a.material)) != model.materials.get(usize::from(b.material)) {
            return differ(format!("the material of mesh {index} is another one"));
        }
        if a.flags != b.flags || a.windows.len() != b.windows.len() {
            return differ(format!("mesh {index} is drawn otherwise"));
        }
        for level in 0..a.windows.len() {
            let mut wanted = a.faces(level).map(|corners| corners.map(|corner| corner_of(old, a, corner)));
            for corners in b.faces(level) {
                let have = corners.map(|corner| corner_of(model, b, corner));
                let found =
                    if of.degenerate { wanted.any(|want| want == have) } else { wanted.next() == Some(have) };
                if !found {
                    return differ(format!("a triangle of mesh {index} is another one"));
                }
            }
            if !of.degenerate && wanted.next().is_some() {
                return differ(format!("a triangle of mesh {index} is missing"));
            }
        }
    }
    Ok(Compared { poses: 1, ..Compared::default() })
}

/// What a corner is: its values, and the names and places of the bones that move it.
type Corner = (Option<Vec<u32>>, Vec<(u64, [u32; 4], u8)>);

fn corner_of(model: &Fmdl, mesh: &Mesh, corner: u16) -> Corner {
    use crate::fox::Usage;

    let index = usize::from(corner);
    let mut bits = Vec::new();
    let others = mesh
        .vertices
        .columns
        .iter()
        .filter(|column| !matches!(column.usage, Usage::BoneIndices | Usage::BoneIndices2));
    let known = others.into_iter().all(|column| push_row(&column.values, index, &mut bits));
    let rows = mesh.vertices.weights().zip(mesh.vertices.bone_indices());
    let row = rows.and_then(|(weights, bones)| weights.get(index).zip(bones.get(index)));
    let group = model.bone_group(mesh);
    let bone = |slot: u8| {
        let bone = group.and_then(|group| group.bones.get(usize::from(slot)));
        bone.and_then(|bone| model.bones.get(usize::from(*bone)))
    };
    let moved = row
        .into_iter()
        .flat_map(|(weights, bones)| weights.iter().zip(bones))
        .filter(|(weight, _)| **weight > 0);
    let moved = moved.filter_map(|(weight, slot)| {
        let bone = bone(*slot)?;
        Some((bone.name.code(), bone.world.map(f32::to_bits), *weight))
    });
    (known.then_some(bits), moved.collect())
}
