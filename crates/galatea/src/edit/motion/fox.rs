//! Fox Engine models.

use super::Motion;
use crate::fox::{Bounds, Fmdl, Usage, Values};

/// How far a matrix may be from that of a bone's place.
const NEAR: f32 = 1e-3;

/// Returns what the format cannot hold.
pub(super) fn losses(model: &Fmdl, motion: &Motion) -> Vec<String> {
    let mut out = Vec::new();
    for (index, mesh) in model.meshes.iter().enumerate() {
        for column in &mesh.vertices.columns {
            let known = match column.usage {
                Usage::Position => matches!(column.values, Values::F32x3(_)),
                Usage::Normal | Usage::Tangent => {
                    motion.is_move() || matches!(column.values, Values::F16x4(_))
                }
                _ => true,
            };
            if !known {
                out.push(format!("mesh {index} has values of an unknown type, which would stay as they are"));
            }
        }
    }
    for (index, (bone, matrix)) in model.bones.iter().zip(&model.bone_matrices).enumerate() {
        if side_of(bone.world, matrix).is_none() || !(motion.is_move() || is_upright(matrix)) {
            out.push(format!("the matrix of bone {index} is not that of its place, and would stay as it is"));
        }
    }
    out
}

/// Returns `true` if a matrix turns nothing.
fn is_upright([a, b, c, _, d, e, f, _, g, h, i, ..]: &[f32; 16]) -> bool {
    [[*a, *b, *c], [*d, *e, *f], [*g, *h, *i]] == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
}

/// Returns 1 if the translation of a matrix is the place of the bone, -1 if it is the way back.
fn side_of([x, y, z, _]: [f32; 4], matrix: &[f32; 16]) -> Option<f32> {
    let [.., a, _, _, _, b, _, _, _, c, d, e, f, _] = *matrix;
    let found = if [a, b, c] == [0.0; 3] { [d, e, f] } else { [a, b, c] };
    [1.0f32, -1.0].into_iter().find(|side| {
        found
            .iter()
            .zip([x, y, z])
            .all(|(have, want)| (have - want * side).abs() <= NEAR * (1.0 + want.abs()))
    })
}

pub(super) fn apply(model: &mut Fmdl, motion: &Motion) {
    for mesh in &mut model.meshes {
        for column in &mut mesh.vertices.columns {
            match (column.usage, &mut column.values) {
                (Usage::Position, Values::F32x3(rows)) => {
                    rows.iter_mut().for_each(|row| *row = motion.point(*row));
                }
                (Usage::Normal, values) if !motion.is_move() => values.map_halves(|[x, y, z, w]| {
                    let [x, y, z] = motion.vector([x, y, z]);
                    [x, y, z, w]
                }),
                (Usage::Tangent, values) if !motion.is_move() => values.map_halves(|[x, y, z, w]| {
                    let [x, y, z] = motion.vector([x, y, z]);
                    [x, y, z, w * motion.side()]
                }),
                _ => {}
            }
        }
        if motion.is_mirror() {
            mesh.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
    }
    let sides: Vec<Option<f32>> = model
        .bones
        .iter()
        .zip(&model.bone_matrices)
        .map(|(bone, matrix)| side_of(bone.world, matrix))
        .collect();
    for bone in &mut model.bones {
        let [x, y, z, _] = &mut bone.world;
        [*x, *y, *z] = motion.point([*x, *y, *z]);
        let [x, y, z, _] = &mut bone.local;
        [*x, *y, *z] = match bone.parent {
            Some(_) => motion.vector([*x, *y, *z]),
            None => motion.point([*x, *y, *z]),
        };
        turn_bounds(&mut bone.bounds, motion);
    }
    for ((matrix, side), bone) in model.bone_matrices.iter_mut().zip(sides).zip(&model.bones) {
        let ([x, y, z, _], Some(side)) = (bone.world, side) else { continue };
        let [.., a, _, _, _, b, _, _, _, c, d, e, f, _] = matrix;
        let place = [x * side, y * side, z * side];
        if [*a, *b, *c] == [0.0; 3] {
            [*d, *e, *f] = place;
        } else {
            [*a, *b, *c] = place;
        }
    }
    for [x, y, z, _] in model.groups.iter_mut().filter_map(|group| group.pivot.as_mut()) {
        [*x, *y, *z] = motion.point([*x, *y, *z]);
    }
    model.runs.iter_mut().for_each(|run| turn_bounds(&mut run.bounds, motion));
    turn_bounds(&mut model.bounds, motion);
    if !motion.is_straight() {
        // A box around a box that is not upright would be too large.
        model.rederive();
    }
}

fn turn_bounds(bounds: &mut Bounds, motion: &Motion) {
    if bounds.is_empty() {
        return;
    }
    let ([a, b, c, _], [d, e, f, _]) = (&mut bounds.min, &mut bounds.max);
    let (mut min, mut max) = ([*a, *b, *c], [*d, *e, *f]);
    motion.aabb(&mut min, &mut max);
    ([*a, *b, *c], [*d, *e, *f]) = (min, max);
}
