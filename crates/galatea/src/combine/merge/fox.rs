//! FMDL: parts over one skeleton, level by level.

use std::collections::HashSet;

use galatea_wire::Loss;

use crate::combine::fox::{Taking, in_version, take};
use crate::combine::{CombineError, Combined};
use crate::fox::Fmdl;

pub(super) fn merge(from: &Fmdl, to: &mut Fmdl, out: &mut Combined) -> Result<(), CombineError> {
    let from = in_version(from, to, out);
    if !from.extensions.is_empty() {
        let why = "it counts the meshes of its own model";
        out.losses.push(Loss::new("", "the X-FMDL-Extensions text of a part").because(why).invisible());
    }
    if !from.unknown_blocks.is_empty() {
        out.losses.push(Loss::new("", format!("{} unknown blocks of a part", from.unknown_blocks.len())));
    }
    let before = (to.meshes.len(), to.bones.len(), to.materials.len());
    let groups: HashSet<u16> = (0..from.groups.len() as u16).collect();
    let taking = Taking {
        from: &from,
        meshes: from.meshes.iter().cloned().enumerate().collect(),
        groups,
        group: None,
        bone: None,
        bones: (0..from.bones.len() as u16).collect(),
        moved: [0.0; 3],
    };
    take(to, &taking, out)?;
    out.done.push(format!(
        "{} meshes, {} new bones, {} new materials, {} levels of detail",
        to.meshes.len() - before.0,
        to.bones.len() - before.1,
        to.materials.len() - before.2,
        to.lod_count()
    ));
    Ok(())
}
