//! Fox Engine models.

use super::times;
use crate::edit::Refusal;
use crate::fox::{Bounds, Fmdl, Usage, Values};

pub(super) fn scale(model: &mut Fmdl, factor: f32) -> Result<(), Refusal> {
    let plain = |mesh: &crate::fox::Mesh| {
        let positions = mesh.vertices.columns.iter().filter(|column| column.usage == Usage::Position);
        positions.into_iter().all(|column| matches!(column.values, Values::F32x3(_)))
    };
    if !model.meshes.iter().all(plain) {
        let why = "positions are three floats there, which those of this file are not";
        return Err(Refusal::NotInFormat { format: crate::FormatId::Fmdl, why });
    }
    for column in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.vertices.columns) {
        if let (Usage::Position, Values::F32x3(positions)) = (column.usage, &mut column.values) {
            times(positions.as_flattened_mut(), factor);
        }
    }
    for bone in &mut model.bones {
        for [x, y, z, _] in [&mut bone.local, &mut bone.world] {
            times([x, y, z], factor);
        }
        scale_bounds(&mut bone.bounds, factor);
    }
    for [x, y, z, _] in model.groups.iter_mut().filter_map(|group| group.pivot.as_mut()) {
        times([x, y, z], factor);
    }
    model.runs.iter_mut().for_each(|run| scale_bounds(&mut run.bounds, factor));
    scale_bounds(&mut model.bounds, factor);
    for matrix in &mut model.bone_matrices {
        // The translation, whether it is the last row or the last column: the other is zero.
        let [.., a, _, _, _, b, _, _, _, c, x, y, z, _] = matrix;
        times([a, b, c, x, y, z], factor);
    }
    for statistics in &mut model.statistics {
        statistics.area *= factor * factor;
        statistics.texel_density *= factor;
    }
    Ok(())
}

fn scale_bounds(bounds: &mut Bounds, factor: f32) {
    if !bounds.is_empty() {
        for [x, y, z, _] in [&mut bounds.min, &mut bounds.max] {
            times([x, y, z], factor);
        }
    }
}
