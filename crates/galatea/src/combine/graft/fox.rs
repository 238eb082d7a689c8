//! Parts of FMDL: mesh groups on a bone or a group.

use std::collections::HashSet;

use galatea_wire::near;

use super::GraftOptions;
use crate::combine::fox::{Taking, in_version, shown, take};
use crate::combine::{CombineError, Combined};
use crate::edit::Refusal;
use crate::fox::{BoneGroup, Fmdl, Mesh, Name, Usage, Values};

/// Where a part goes.
enum Place {
    Bone(u16),
    Group(u16),
}

fn place(model: &Fmdl, name: &str) -> Result<Place, CombineError> {
    let code = Name::parse(name).code();
    let bone = model.bones.iter().position(|bone| bone.name.code() == code);
    let group = model.groups.iter().position(|group| group.name.code() == code);
    let none = || {
        let bones = model.bones.iter().map(|bone| &bone.name);
        let names: Vec<String> =
            bones.chain(model.groups.iter().map(|group| &group.name)).map(shown).collect();
        let near = near(name, names.iter().map(String::as_str)).map(str::to_owned);
        Refusal::Missing { what: "bone or group", name: name.to_owned(), near }
    };
    let found = bone.map(|at| Place::Bone(at as u16)).or(group.map(|at| Place::Group(at as u16)));
    Ok(found.ok_or_else(none)?)
}

/// Returns a group and all below it.
fn below(model: &Fmdl, top: u16) -> HashSet<u16> {
    let mut out = HashSet::from([top]);
    for (at, group) in (0..).zip(&model.groups) {
        if group.parent.is_some_and(|parent| out.contains(&parent)) {
            out.insert(at);
        }
    }
    out
}

fn group(model: &Fmdl, name: &str) -> Result<u16, CombineError> {
    let code = Name::parse(name).code();
    let found: Vec<usize> =
        model.groups.iter().enumerate().filter(|(_, g)| g.name.code() == code).map(|(at, _)| at).collect();
    match found[..] {
        [at] => Ok(at as u16),
        [] => {
            let names: Vec<String> = model.groups.iter().map(|group| shown(&group.name)).collect();
            let near = near(name, names.iter().map(String::as_str)).map(str::to_owned);
            Err(Refusal::Missing { what: "mesh group", name: name.to_owned(), near }.into())
        }
        _ => Err(Refusal::Ambiguous { what: "mesh group", name: name.to_owned(), count: found.len() }.into()),
    }
}

pub(super) fn graft(
    from: &Fmdl,
    to: &mut Fmdl,
    options: &GraftOptions,
    out: &mut Combined,
) -> Result<(), CombineError> {
    let at = place(to, &options.at).map_err(|e| e.of(1))?;
    let mut from = in_version(from, to, out);
    let top = options.node.as_deref().map(|name| group(&from, name)).transpose().map_err(|e| e.of(0))?;
    let groups: HashSet<u16> = match top {
        Some(top) => below(&from, top),
        None => (0..from.groups.len() as u16).collect(),
    };
    if let (Some(_), Place::Group(at)) = (top, &at)
        && from.groups == to.groups
        && groups.contains(at)
    {
        let name = options.node.clone().unwrap_or_default();
        return Err(CombineError::Cycle { name });
    }
    let of_meshes = from.groups_of_meshes();
    let wanted =
        |at: usize| of_meshes.get(at).copied().flatten().is_some_and(|group| groups.contains(&group));
    let numbers: Vec<usize> = (0..from.meshes.len()).filter(|at| wanted(*at)).collect();
    if numbers.is_empty() {
        return Err(CombineError::Nothing { what: "has no mesh in that group".to_owned() }.of(0));
    }
    let mut moved = options.offset;
    let (group, bone) = match at {
        Place::Group(group) => (Some(group), None),
        Place::Bone(bone) => {
            let origin = to.bones.get(usize::from(bone)).map_or([0.0; 4], |bone| bone.world);
            if !options.keep_place {
                moved.iter_mut().zip(origin).for_each(|(by, at)| *by += at);
            }
            // Meshes without bones follow this one.
            let stand_in =
                bind_to(&mut from, &numbers, to.bones.get(usize::from(bone)).cloned().unwrap_or_default());
            if stand_in > 0 {
                out.notes.push(format!("{stand_in} meshes without bones follow \"{}\" now", options.at));
            }
            let root = to.groups.iter().position(|group| group.parent.is_none()).map(|at| at as u16);
            (root, Some(bone))
        }
    };
    let skinned = |at: &usize| from.meshes.get(*at).is_some_and(Mesh::is_skinned);
    let meshes: Vec<(usize, Mesh)> =
        numbers.iter().filter_map(|at| Some((*at, from.meshes.get(*at)?.clone()))).collect();
    let before = (to.bones.len(), to.materials.len());
    let parts = numbers.iter().filter(|at| skinned(at)).count();
    let taking = Taking { from: &from, meshes, groups, group, bone, bones: HashSet::new(), moved };
    take(to, &taking, out)?;
    out.done.push(format!(
        "{} meshes ({parts} with bones), {} new bones, {} new materials",
        numbers.len(),
        to.bones.len() - before.0,
        to.materials.len() - before.1
    ));
    Ok(())
}

/// Gives meshes without bones one bone, which is called as that of the target; returns how many there were.
fn bind_to(from: &mut Fmdl, meshes: &[usize], bone: crate::fox::Bone) -> usize {
    let unbound: Vec<usize> = meshes
        .iter()
        .copied()
        .filter(|at| from.meshes.get(*at).is_some_and(|mesh| !mesh.is_skinned()))
        .collect();
    if unbound.is_empty() {
        return 0;
    }
    let known = from.bones.iter().position(|other| other.name.code() == bone.name.code());
    let number = known.unwrap_or_else(|| {
        from.bones.push(crate::fox::Bone { parent: None, ..bone });
        from.bones.len() - 1
    });
    from.bone_groups.push(BoneGroup { max_weights: 1, bones: vec![number as u16] });
    let group = (from.bone_groups.len() - 1) as u16;
    for at in &unbound {
        let Some(mesh) = from.meshes.get_mut(*at) else { continue };
        let count = mesh.vertices.count;
        mesh.vertices.columns.retain(|column| column.usage != Usage::Weights);
        mesh.vertices.push(Usage::Weights, Values::Unorm8x4(vec![[255, 0, 0, 0]; count]));
        mesh.vertices.push(Usage::BoneIndices, Values::U8x4(vec![[0; 4]; count]));
        mesh.bone_group = group;
    }
    unbound.len()
}
