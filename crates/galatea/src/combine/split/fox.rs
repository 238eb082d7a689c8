//! FMDL.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{SplitBy, SplitOptions};
use crate::combine::fox::{Taking, shown, take};
use crate::combine::{CombineError, Combined};
use crate::edit::Refusal;
use crate::fox::{Fmdl, Mesh, Name};

pub(super) fn split(
    model: &Fmdl,
    options: &SplitOptions,
    _: &mut Combined,
) -> Result<Vec<(String, Fmdl)>, CombineError> {
    let groups = match options.by {
        SplitBy::Mesh => by_mesh(model),
        SplitBy::Material => by_material(model),
        SplitBy::Bone => by_bone(model, &options.bones)?,
    };
    let mut pieces = Vec::new();
    for (name, meshes) in groups {
        let bones = if options.skeleton { (0..model.bones.len() as u16).collect() } else { HashSet::new() };
        let taking = Taking {
            from: model,
            meshes,
            groups: HashSet::new(),
            group: None,
            bone: None,
            bones,
            moved: [0.0; 3],
        };
        let mut piece = Fmdl::new(model.version);
        piece.lods.clone_from(&model.lods);
        piece.unknown_0x12.clone_from(&model.unknown_0x12);
        piece.statistics.clone_from(&model.statistics);
        // A new skeleton is no news.
        take(&mut piece, &taking, &mut Combined::default())?;
        pieces.push((name, piece));
    }
    Ok(pieces)
}

fn by_mesh(model: &Fmdl) -> Vec<(String, Vec<(usize, Mesh)>)> {
    let groups = model.groups_of_meshes();
    let name = |at: usize| {
        let group = groups.get(at).copied().flatten().and_then(|group| model.groups.get(usize::from(group)));
        group.map_or_else(|| "mesh".to_owned(), |group| shown(&group.name))
    };
    let all = model.meshes.iter().enumerate();
    all.map(|(at, mesh)| (format!("{at}_{}", name(at)), vec![(at, mesh.clone())])).collect()
}

fn by_material(model: &Fmdl) -> Vec<(String, Vec<(usize, Mesh)>)> {
    let mut groups: BTreeMap<u16, Vec<(usize, Mesh)>> = BTreeMap::new();
    for (at, mesh) in model.meshes.iter().enumerate() {
        groups.entry(mesh.material).or_default().push((at, mesh.clone()));
    }
    let name = |material: u16| {
        let material = model.materials.get(usize::from(material));
        material.map_or_else(|| "material".to_owned(), |material| shown(&material.name))
    };
    groups.into_iter().map(|(material, meshes)| (name(material), meshes)).collect()
}

/// Returns the bones of each vertex with their weights, by their numbers in the model.
fn weights(model: &Fmdl, mesh: &Mesh) -> Vec<Vec<(u16, u32)>> {
    let Some(group) = model.bone_group(mesh) else { return Vec::new() };
    let (Some(weights), Some(indices)) = (mesh.vertices.weights(), mesh.vertices.bone_indices()) else {
        return Vec::new();
    };
    let row = |(weights, indices): (&[u8; 4], &[u8; 4])| {
        let named = weights.iter().zip(indices).filter(|(weight, _)| **weight > 0);
        named
            .filter_map(|(weight, index)| Some((*group.bones.get(usize::from(*index))?, u32::from(*weight))))
            .collect()
    };
    weights.iter().zip(indices).map(row).collect()
}

/// The name of a part, and its meshes with their places in the original.
type Part = (String, Vec<(usize, Mesh)>);

fn by_bone(model: &Fmdl, names: &[String]) -> Result<Vec<Part>, CombineError> {
    let mut parts: Vec<(String, HashSet<u16>)> = Vec::new();
    for name in names {
        parts.push((name.clone(), below(model, name).map_err(|e| e.of(0))?));
    }
    if names.is_empty() {
        parts = (0..).zip(&model.bones).map(|(at, bone)| (shown(&bone.name), HashSet::from([at]))).collect();
    }
    let mut groups: Vec<Part> = parts.iter().map(|(name, _)| (name.clone(), Vec::new())).collect();
    groups.push((if names.is_empty() { "unmoved" } else { "others" }.to_owned(), Vec::new()));
    let last = groups.len() - 1;
    for (at, mesh) in model.meshes.iter().enumerate() {
        let weights = weights(model, mesh);
        let part_of = |face: [u16; 3]| {
            let mut sums: BTreeMap<u16, u32> = BTreeMap::new();
            for (bone, weight) in face.iter().filter_map(|v| weights.get(usize::from(*v))).flatten() {
                *sums.entry(*bone).or_default() += weight;
            }
            let bone = sums.into_iter().max_by_key(|(_, weight)| *weight).map(|(bone, _)| bone);
            let fitting =
                parts.iter().enumerate().filter(|(_, (_, ids))| bone.is_some_and(|bone| ids.contains(&bone)));
            fitting.min_by_key(|(_, (_, ids))| ids.len()).map_or(last, |(part, _)| part)
        };
        let mut found: HashMap<[u16; 3], usize> = HashMap::new();
        for face in mesh.indices.as_chunks::<3>().0 {
            found.entry(*face).or_insert_with(|| part_of(*face));
        }
        let used: HashSet<usize> = found.values().copied().collect();
        for (part, (_, group)) in groups.iter_mut().enumerate().filter(|(part, _)| used.contains(part)) {
            let mut own = mesh.clone();
            if used.len() > 1 {
                own.retain_faces(|face| found.get(&face) == Some(&part));
                own.drop_unused_vertices();
            }
            group.push((at, own));
        }
    }
    groups.retain(|(_, meshes)| !meshes.is_empty());
    Ok(groups)
}

/// Returns a bone and all below it.
fn below(model: &Fmdl, name: &str) -> Result<HashSet<u16>, CombineError> {
    let code = Name::parse(name).code();
    let Some(top) = model.bones.iter().position(|bone| bone.name.code() == code) else {
        let names: Vec<String> = model.bones.iter().map(|bone| shown(&bone.name)).collect();
        let near = galatea_wire::near(name, names.iter().map(String::as_str)).map(str::to_owned);
        return Err(Refusal::Missing { what: "bone", name: name.to_owned(), near }.into());
    };
    let mut out = HashSet::from([top as u16]);
    for (at, bone) in (0..).zip(&model.bones) {
        if bone.parent.is_some_and(|parent| out.contains(&parent)) {
            out.insert(at);
        }
    }
    Ok(out)
}
