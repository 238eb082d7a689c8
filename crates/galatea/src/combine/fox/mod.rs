//! Meshes of one FMDL taken into another.

use std::collections::{HashMap, HashSet};

use galatea_wire::Loss;

use super::{CombineError, Combined};
use crate::fox::wire::Bounds;
use crate::fox::{BoneGroup, Dictionary, Fmdl, Group, Mesh, Name, Run};

/// What is taken of a model.
pub(super) struct Taking<'a> {
    pub(super) from: &'a Fmdl,
    /// The meshes, by their numbers, in order, with their faces if not all of them are taken.
    pub(super) meshes: Vec<(usize, Mesh)>,
    /// Groups that are taken even without meshes.
    pub(super) groups: HashSet<u16>,
    /// The group of the target below which groups without a parent go; `None` for none.
    pub(super) group: Option<u16>,
    /// The bone of the target below which bones without a counterpart go; `None` for none.
    pub(super) bone: Option<u16>,
    /// Bones that are taken even if no vertex names them.
    pub(super) bones: HashSet<u16>,
    /// How far everything is moved.
    pub(super) moved: [f32; 3],
}

/// Returns the text of a name, as far as the file or the built-in dictionary know it.
pub(super) fn shown(name: &Name) -> String {
    static NAMES: std::sync::LazyLock<Dictionary> = std::sync::LazyLock::new(Dictionary::built_in);
    NAMES.text(name).unwrap_or_else(|| name.to_string())
}

/// Returns a model in the version of another one.
pub(super) fn in_version(from: &Fmdl, to: &Fmdl, out: &mut Combined) -> Fmdl {
    let mut model = from.clone();
    if model.has_hashes() != to.has_hashes() {
        out.losses.extend(model.convert(to.version, &Dictionary::built_in()));
    }
    model
}

/// Returns the bones that the vertices of a mesh name with a weight, by their numbers in the model.
pub(super) fn bones_of(model: &Fmdl, mesh: &Mesh) -> HashSet<u16> {
    let Some(group) = model.bone_group(mesh) else { return HashSet::new() };
    // A second set of indices means all of the group.
    let second = mesh.vertices.get(crate::fox::Usage::BoneIndices2).is_some();
    let (Some(weights), Some(indices), false) =
        (mesh.vertices.weights(), mesh.vertices.bone_indices(), second)
    else {
        return group.bones.iter().copied().collect();
    };
    let named = weights.iter().flatten().zip(indices.iter().flatten()).filter(|(weight, _)| **weight > 0);
    named.filter_map(|(_, index)| group.bones.get(usize::from(*index)).copied()).collect()
}

/// Takes meshes into a model.
pub(super) fn take(to: &mut Fmdl, taking: &Taking<'_>, out: &mut Combined) -> Result<(), CombineError> {
    let from = taking.from;
    let bones = bones(to, taking, out)?;
    let of_meshes = from.groups_of_meshes();
    let mut wanted: HashSet<u16> = taking.groups.clone();
    wanted.extend(taking.meshes.iter().filter_map(|(at, _)| of_meshes.get(*at).copied().flatten()));
    let groups = groups(to, taking, &wanted);
    let mut materials: HashMap<u16, u16> = HashMap::new();
    let first = to.meshes.len();
    for (at, mesh) in &taking.meshes {
        let mut mesh = mesh.clone();
        mesh.material = material(to, from, mesh.material, &mut materials, out)?;
        if mesh.is_skinned() {
            let old = from.bone_groups.get(usize::from(mesh.bone_group)).cloned().unwrap_or_default();
            // A bone that no vertex names and that was not taken may be any.
            let new = BoneGroup {
                bones: old.bones.iter().map(|bone| bones.get(bone).copied().unwrap_or(0)).collect(),
                ..old
            };
            let found = to.bone_groups.iter().position(|group| group.bones == new.bones);
            let number = found.unwrap_or_else(|| {
                to.bone_groups.push(new);
                to.bone_groups.len() - 1
            });
            mesh.bone_group = small(number, "bone groups")?;
        } else {
            mesh.bone_group = 0;
        }
        move_by(&mut mesh, taking.moved);
        let group = of_meshes.get(*at).copied().flatten().and_then(|group| groups.get(&group)).copied();
        let number = small(to.meshes.len(), "meshes")?;
        to.meshes.push(mesh);
        let Some(group) = group else { continue };
        let last = to.runs.last_mut();
        match last.filter(|run| {
            run.group == group && run.meshes().end == usize::from(number) && run.meshes().end > first
        }) {
            Some(run) => run.mesh_count += 1,
            None => to.runs.push(Run { group, first_mesh: number, mesh_count: 1, bounds: Bounds::EMPTY }),
        }
    }
    if from.lod_count() != to.lod_count() && first > 0 && !taking.meshes.is_empty() {
        let levels = taking.meshes.iter().map(|(_, mesh)| mesh.windows.len()).max().unwrap_or(0);
        let there = to.meshes.iter().take(first).map(|mesh| mesh.windows.len()).max().unwrap_or(0);
        if levels != there {
            out.notes.push(format!("{there} levels of detail and {levels}: where a part has fewer, its last one stays for the others"));
        }
    }
    to.rederive();
    to.forget_layout();
    Ok(())
}

fn small(number: usize, what: &str) -> Result<u16, CombineError> {
    let many = || CombineError::NoRoom { what: format!("has more than 65,534 {what}") };
    u16::try_from(number).ok().filter(|number| *number < u16::MAX).ok_or_else(many)
}

fn move_by(mesh: &mut Mesh, by: [f32; 3]) {
    if by == [0.0; 3] {
        return;
    }
    for column in
        mesh.vertices.columns.iter_mut().filter(|column| column.usage == crate::fox::Usage::Position)
    {
        if let crate::fox::Values::F32x3(places) = &mut column.values {
            for ([x, y, z], [dx, dy, dz]) in places.iter_mut().map(|place| (place, by)) {
                (*x, *y, *z) = (*x + dx, *y + dy, *z + dz);
            }
        }
    }
}

/// Finds the bones of the source in the target by name, and adds those that are needed and missing.
fn bones(to: &mut Fmdl, taking: &Taking<'_>, out: &mut Combined) -> Result<HashMap<u16, u16>, CombineError> {
    let from = taking.from;
    let mut needed: HashSet<u16> = taking.bones.clone();
    taking.meshes.iter().for_each(|(_, mesh)| needed.extend(bones_of(from, mesh)));
    // Parents come first, so that going backwards reaches all of them.
    for (at, bone) in (0u16..).zip(&from.bones).collect::<Vec<_>>().into_iter().rev() {
        if needed.contains(&at) {
            needed.extend(bone.parent);
        }
    }
    let mut theirs: HashMap<u64, u16> = HashMap::new();
    for (at, bone) in (0..).zip(&to.bones) {
        theirs.entry(bone.name.code()).or_insert(at);
    }
    let mut numbers: HashMap<u16, u16> = HashMap::new();
    let (mut new, mut apart) = (0usize, Vec::new());
    let had = to.bones.len();
    let matrices = to.bone_matrices.len() == had && (had > 0 || !from.bone_matrices.is_empty());
    for (at, bone) in (0u16..).zip(&from.bones) {
        let known = theirs.get(&bone.name.code()).copied();
        if let Some(known) = known {
            numbers.insert(at, known);
            let there = to.bones.get(usize::from(known)).map_or([0.0; 4], |bone| bone.world);
            let far = there.iter().zip(bone.world).zip([taking.moved, [0.0; 3]].concat());
            if needed.contains(&at)
                && taking.bone != Some(known)
                && far.into_iter().any(|((a, b), by)| (a - b - by).abs() > 0.01)
            {
                apart.push(shown(&bone.name));
            }
            continue;
        }
        if !needed.contains(&at) {
            continue;
        }
        let number = small(to.bones.len(), "bones")?;
        let parent = bone.parent.and_then(|parent| numbers.get(&parent)).copied().or(taking.bone);
        let mut copy = bone.clone();
        let shift = |place: [f32; 4], by: [f32; 3]| {
            let ([x, y, z, w], [dx, dy, dz]) = (place, by);
            [x + dx, y + dy, z + dz, w]
        };
        copy.world = shift(bone.world, taking.moved);
        let above = parent.and_then(|parent| to.bones.get(usize::from(parent))).map(|bone| bone.world);
        let same_parent =
            bone.parent.and_then(|p| from.bones.get(usize::from(p))).map(|b| shift(b.world, taking.moved));
        if let (Some([x, y, z, _]), false) = (above, above == same_parent) {
            let [a, b, c, w] = copy.world;
            copy.local = [a - x, b - y, c - z, w];
        }
        copy.parent = parent;
        to.bones.push(copy);
        if matrices {
            let own = from.bone_matrices.get(usize::from(at)).copied();
            if own.is_none() {
                out.losses.push(Loss::new(
                    format!("bone \"{}\"", shown(&bone.name)),
                    "its bind matrix, which the part does not have",
                ));
            }
            to.bone_matrices.push(
                own.unwrap_or([
                    1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
                ]),
            );
        }
        numbers.insert(at, number);
        new += 1;
    }
    if !apart.is_empty() && had > 0 {
        let names = apart.get(..apart.len().min(5)).unwrap_or(&[]).join(", ");
        out.notes.push(format!("{} bones are elsewhere in the first model: {names}", apart.len()));
    }
    if new > 0 && had > 0 {
        out.notes.push(format!("{new} bones are new in the skeleton"));
    }
    Ok(numbers)
}

/// Finds groups of the source in the target by name and parent, and adds those that are missing.
fn groups(to: &mut Fmdl, taking: &Taking<'_>, wanted: &HashSet<u16>) -> HashMap<u16, u16> {
    let from = taking.from;
    let mut needed: HashSet<u16> = wanted.clone();
    for (at, group) in (0u16..).zip(&from.groups).collect::<Vec<_>>().into_iter().rev() {
        if needed.contains(&at) && taking.group.is_none() {
            needed.extend(group.parent);
        }
    }
    let mut out: HashMap<u16, u16> = HashMap::new();
    for (at, group) in (0u16..).zip(&from.groups).filter(|(at, _)| needed.contains(at)) {
        let parent = group.parent.and_then(|parent| out.get(&parent)).copied().or(taking.group);
        let same = |there: &Group| {
            there.name.code() == group.name.code()
                && there.parent == parent
                && there.pivot.map(|p| p.map(f32::to_bits)) == group.pivot.map(|p| p.map(f32::to_bits))
        };
        let found = to.groups.iter().position(same);
        let number = found.unwrap_or_else(|| {
            let mut new = group.clone();
            new.parent = parent;
            if let Some([x, y, z, _]) = &mut new.pivot {
                let [dx, dy, dz] = taking.moved;
                (*x, *y, *z) = (*x + dx, *y + dy, *z + dz);
            }
            to.groups.push(new);
            to.groups.len() - 1
        });
        out.insert(at, number as u16);
    }
    out
}

/// Returns the number of an equal material; adds it if there is none.
fn material(
    to: &mut Fmdl,
    from: &Fmdl,
    number: u16,
    known: &mut HashMap<u16, u16>,
    out: &mut Combined,
) -> Result<u16, CombineError> {
    if let Some(known) = known.get(&number) {
        return Ok(*known);
    }
    let Some(material) = from.materials.get(usize::from(number)) else { return Ok(number) };
    let same = |there: &crate::fox::MaterialInstance| there == material;
    let new = match to.materials.iter().position(same) {
        Some(found) => found,
        None => {
            let mut copy = material.clone();
            let taken = |name: &Name, to: &Fmdl| to.materials.iter().any(|m| m.name.code() == name.code());
            if taken(&copy.name, to) {
                let old = shown(&copy.name);
                let names = (2..1000u32).map(|n| Name::from(format!("{old}_{n}").as_str()));
                // A name that is only known by its hash stays: no text with a number belongs to it.
                let fresh =
                    names.into_iter().find(|name| !taken(name, to)).filter(|_| !old.starts_with("0x"));
                if let Some(fresh) = fresh {
                    out.notes.push(format!(
                        "there is another material \"{old}\" already: the new one is called \"{fresh}\""
                    ));
                    copy.name = fresh;
                }
            }
            to.materials.push(copy);
            to.materials.len() - 1
        }
    };
    let new = small(new, "materials")?;
    known.insert(number, new);
    Ok(new)
}
