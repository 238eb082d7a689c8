//! Derived fields: of a model counted out by hand, and of real files, thrown away and computed again.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)] // Helpers of tests fail as tests do.

mod sample;

use galatea_fox::{Agreement, Bone, BoneGroup, Bounds, Fmdl, Group, Mesh, Run, Usage, Values};
use galatea_wire::Limits;

/// Written by FMDL Studio with constants where the game's compiler computes.
const NOT_KONAMI: &[&str] = &["/epl.fmdl", "/sna0_arm0_cov.fmdl"];

/// Two triangles that meet at the origin, three bones, a group that stands ten metres away.
///
/// The first triangle has sides of 2 and 3 at a right angle, the second of 3 and 5; each has half a unit of UV 0.
fn corner() -> Fmdl {
    let mut mesh = Mesh::default();
    let v = &mut mesh.vertices;
    v.push(
        Usage::Position,
        Values::F32x3(vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 5.0]]),
    );
    v.push(
        Usage::Weights,
        Values::Unorm8x4(vec![[255, 0, 0, 0], [128, 127, 0, 0], [255, 0, 0, 0], [255, 0, 0, 0]]),
    );
    // The last vertex names its second bone with a weight of 0. Index 0 with weight 0 names none.
    v.push(Usage::BoneIndices, Values::U8x4(vec![[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 2, 0, 0]]));
    let [zero, one] = [0.0, 1.0].map(sample::half_bits);
    v.push(Usage::Uv(0), Values::F16x2(vec![[zero, zero], [one, zero], [zero, one], [one, one]]));
    mesh.set_faces(&[[0, 1, 2], [0, 2, 3]]);
    let mut model = Fmdl::new(Fmdl::TPP);
    model.bones =
        vec![Bone { bounds: Bounds::EMPTY, flags: 0, ..sample::skinned(Fmdl::TPP).bones.remove(0) }; 4];
    // Indices 0, 1 and 2 of the vertices are these bones.
    model.bone_groups.push(BoneGroup { max_weights: 0, bones: vec![2, 0, 1] });
    let away = Group { name: "AWAY".into(), pivot: Some([10.0, 0.0, -1.0, 1.0]), ..Group::default() };
    model.groups.push(away);
    model.meshes.push(mesh);
    model.runs.push(Run { mesh_count: 1, ..Run::default() });
    model
}

fn bounds(min: [f32; 3], max: [f32; 3]) -> Bounds {
    let point = |[x, y, z]: [f32; 3]| [x, y, z, 1.0];
    Bounds { max: point(max), min: point(min) }
}

#[test]
fn the_fields_of_a_corner_are_those_counted_by_hand() {
    let model = corner();
    let derived = model.derive();
    assert_eq!(derived.run_bounds, [bounds([0.0, 0.0, 0.0], [2.0, 3.0, 5.0])]);
    assert_eq!(derived.bounds, bounds([10.0, 0.0, -1.0], [12.0, 3.0, 4.0]));
    let of_bones = [
        bounds([0.0, 0.0, 0.0], [2.0, 3.0, 5.0]),
        bounds([0.0, 0.0, 5.0], [0.0, 0.0, 5.0]),
        bounds([0.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
        Bounds::EMPTY,
    ];
    assert_eq!(derived.bone_bounds, of_bones);
    assert_eq!(derived.max_weights, [2]);
    assert_eq!(derived.usage_masks, [0x100], "UV 0 is usage 8");
    assert_eq!(derived.area, 2.0 * 3.0 / 2.0 + 3.0 * 5.0 / 2.0);
    assert_eq!(derived.texel_density, Some(10.5f32.sqrt()), "one unit of UV for 10.5 square metres");
}

#[test]
fn every_field_is_replaced_by_the_derived_one() {
    let mut model = corner();
    let before = model.clone();
    model.rederive();
    assert_eq!(model.bounds, bounds([10.0, 0.0, -1.0], [12.0, 3.0, 4.0]));
    assert_eq!(model.runs[0].bounds, bounds([0.0, 0.0, 0.0], [2.0, 3.0, 5.0]));
    assert_eq!(model.bones[1].bounds, bounds([0.0, 0.0, 5.0], [0.0, 0.0, 5.0]));
    assert_eq!(model.bones.iter().map(|b| b.flags & 1).collect::<Vec<_>>(), [1, 1, 1, 0]);
    assert_eq!(model.bone_groups[0].max_weights, 2);
    assert_eq!((model.statistics[0].area, model.statistics[0].texel_density), (10.5, 10.5f32.sqrt()));
    assert_eq!(model.meshes, before.meshes, "the geometry stays");
    // Without UVs there is no density to tell.
    let columns = &mut model.meshes[0].vertices.columns;
    columns.retain(|c| c.usage != Usage::Uv(0));
    assert_eq!(model.derive().texel_density, None);
    assert_eq!(model.derive().usage_masks, [0x80], "bone indices are usage 7");
}

/// The expectation is what the game's own compiler stored.
#[test]
#[ignore = "needs the corpus"]
fn derived_fields_of_the_games_files_can_be_computed() {
    let files = galatea_robustness::listed(&["fmdl"], &[".fmdl"]).without(NOT_KONAMI);
    let listed = files.len();
    let mut sum = Agreement::default();
    for (path, model) in files.read(|_, bytes| Fmdl::read(bytes, &Limits::default())) {
        sum += model.agreement();
        let mut again = model.clone();
        again.bounds = Bounds::EMPTY;
        again.runs.iter_mut().for_each(|run| run.bounds = Bounds::EMPTY);
        again.rederive();
        assert!(again.bounds.same_bits(&model.bounds), "{}", path.display());
        for (again, stored) in again.runs.iter().zip(&model.runs) {
            assert!(again.bounds.same_bits(&stored.bounds), "{}", path.display());
        }
    }
    for (name, held, of) in sum.lines() {
        println!("{name}: {held} of {of}");
    }
    let share = |(held, of): (usize, usize)| held as f64 / of as f64;
    assert_eq!(sum.model_boxes, (listed, listed));
    assert!(sum.run_boxes.1 > 400 && sum.bone_boxes.1 > 2000, "{sum:?}");
    assert_eq!(share(sum.run_boxes), 1.0);
    assert!(share(sum.bone_boxes) > 0.98, "{sum:?}");
    assert_eq!(share(sum.usage_masks), 1.0);
    assert_eq!(share(sum.max_weights), 1.0);
    assert_eq!(share(sum.max_weights_not_above), 1.0);
    assert!(share(sum.areas) > 0.99, "{sum:?}");
    assert!(share(sum.texel_densities) > 0.94, "{sum:?}");
}
