//! Fixes of boxes, side by side, where the vertices are certainly not what is wrong.

use crate::derive::within;
use crate::model::Fmdl;
use crate::wire::Bounds;

/// What a box belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Model,
    Run(usize),
    Bone(usize),
}

impl Fmdl {
    /// The record of a box in the file, which several owners may share.
    fn box_record(&self, owner: Owner) -> Option<usize> {
        let t = &self.layout.original.as_ref()?.tables;
        match owner {
            Owner::Model => Some(0),
            Owner::Run(i) => t.runs.get(i).map(|r| r.bounds.into()),
            Owner::Bone(i) => t.bones.get(i).map(|b| b.bounds.into()),
        }
    }

    /// Changes a box, and those of all owners that share its record.
    fn set_box(&mut self, owner: Owner, bounds: Bounds) {
        match owner {
            Owner::Model => self.bounds = bounds,
            Owner::Run(i) => self.runs.get_mut(i).into_iter().for_each(|r| r.bounds = bounds),
            Owner::Bone(i) => self.bones.get_mut(i).into_iter().for_each(|b| b.bounds = bounds),
        }
        let Some(record) = self.box_record(owner).filter(|_| self.layout.original.is_some()) else { return };
        if self.box_record(Owner::Model) == Some(record) {
            self.bounds = bounds;
        }
        for i in 0..self.runs.len() {
            if self.box_record(Owner::Run(i)) == Some(record) {
                self.runs.get_mut(i).into_iter().for_each(|r| r.bounds = bounds);
            }
        }
        for i in 0..self.bones.len() {
            if self.box_record(Owner::Bone(i)) == Some(record) {
                self.bones.get_mut(i).into_iter().for_each(|b| b.bounds = bounds);
            }
        }
        if let Some(original) = &mut self.layout.original
            && let Some(slot) = original.tables.boxes.get_mut(record)
        {
            *slot = bounds;
        }
    }
}

/// The sides of a box: three highest, three lowest; and what is stored beside them.
fn sides(bounds: &Bounds) -> [f32; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (bounds.max, bounds.min);
    [a, b, c, d, e, f, g, h]
}

fn from_sides([a, b, c, d, e, f, g, h]: [f32; 8]) -> Bounds {
    Bounds { max: [a, b, c, d], min: [e, f, g, h] }
}

/// How many points lie beyond each side.
fn beyond(points: impl Iterator<Item = [f32; 3]>, bounds: &Bounds) -> [usize; 8] {
    let mut out = [0; 8];
    for [x, y, z] in points {
        let [ax, ay, az, _] = bounds.max;
        let [bx, by, bz, _] = bounds.min;
        // A side that is no number holds nothing.
        let inside = [x <= ax, y <= ay, z <= az, true, x >= bx, y >= by, z >= bz, true];
        out.iter_mut().zip(inside).for_each(|(count, inside)| *count += usize::from(!inside));
    }
    out
}

/// Derives sides of runs' boxes: if two vertices lie beyond one, or if the surface confirms the vertices and the model's
/// own box does not confirm the side.
pub(super) fn run_boxes(model: &mut Fmdl) -> usize {
    let d = model.derive();
    if !model.has_finite_positions() || !d.area.is_finite() {
        return 0;
    }
    let area = model.statistics.first().is_some_and(|s| within(s.area, d.area, 1e-3));
    let mut count = 0;
    for (i, derived) in d.run_bounds.iter().enumerate() {
        let Some(run) = model.runs.get(i).filter(|r| !r.bounds.same_bits(derived)) else { continue };
        // If another owner of the same record agrees with it, the record is right and the run names the wrong one.
        let record = model.box_record(Owner::Run(i));
        let whole = model.box_record(Owner::Model) == record && model.bounds.same_bits(&d.bounds);
        let other = |(j, (r, b)): (usize, (&crate::Run, &Bounds))| {
            j != i && r.bounds.same_bits(b) && model.box_record(Owner::Run(j)) == record
        };
        if record.is_some() && (whole || model.runs.iter().zip(&d.run_bounds).enumerate().any(other)) {
            continue;
        }
        let own = model.meshes.get(run.meshes()).unwrap_or(&[]);
        let points = own.iter().filter_map(|m| m.vertices.positions()).flatten().copied();
        let beyond = beyond(points, &run.bounds);
        let apart = model.box_record(Owner::Model) != model.box_record(Owner::Run(i))
            || model.layout.original.is_none();
        let mut new = sides(&run.bounds);
        let others = sides(&model.bounds).into_iter().zip(beyond);
        let mut changed = false;
        for ((side, right), (whole, beyond)) in new.iter_mut().zip(sides(derived)).zip(others) {
            let confirmed = apart && whole.to_bits() == side.to_bits();
            if side.to_bits() != right.to_bits() && (beyond >= 2 || area && !confirmed) {
                *side = right;
                changed = true;
            }
        }
        if changed {
            model.set_box(Owner::Run(i), from_sides(new));
            count += 1;
        }
    }
    count
}

/// Derives sides of the model's box where the boxes of the runs agree with the vertices.
pub(super) fn model_box(model: &mut Fmdl) -> usize {
    let d = model.derive();
    let mut runs = Bounds::EMPTY;
    for run in &model.runs {
        let pivot = model.groups.get(usize::from(run.group)).and_then(|g| g.pivot);
        runs.include_box(&run.bounds, pivot.map_or([0.0; 3], |[x, y, z, _]| [x, y, z]));
    }
    let mut new = sides(&model.bounds);
    let mut changed = false;
    for ((side, right), witness) in new.iter_mut().zip(sides(&d.bounds)).zip(sides(&runs)) {
        if side.to_bits() != right.to_bits() && witness.to_bits() == right.to_bits() {
            *side = right;
            changed = true;
        }
    }
    if changed {
        model.set_box(Owner::Model, from_sides(new));
    }
    usize::from(changed)
}

/// Enlarges sides of bones' boxes that two vertices lie beyond. A single one may be wrong itself.
pub(super) fn bone_boxes(model: &mut Fmdl) -> usize {
    if !model.has_finite_positions() {
        return 0;
    }
    let derived = model.derive().bone_bounds;
    let mut outside = vec![[0usize; 8]; model.bones.len()];
    model.each_weighted(|bone, position| {
        if let (Some(bone), Some(count)) = (model.bones.get(bone), outside.get_mut(bone)) {
            let own = beyond(std::iter::once(position), &bone.bounds);
            count.iter_mut().zip(own).for_each(|(a, b)| *a += b);
        }
    });
    let mut count = 0;
    for (i, (beyond, derived)) in outside.into_iter().zip(derived).enumerate() {
        let Some(bone) = model.bones.get(i) else { continue };
        // A box that is empty and marked so was left out on purpose.
        if bone.bounds.is_empty() && bone.flags & 1 == 0 || beyond.iter().all(|n| *n < 2) {
            continue;
        }
        let mut new = sides(&bone.bounds);
        for ((side, right), beyond) in new.iter_mut().zip(sides(&derived)).zip(beyond) {
            if beyond >= 2 {
                *side = right;
            }
        }
        model.set_box(Owner::Bone(i), from_sides(new));
        count += 1;
    }
    count
}

/// Sets box flags that are wrong, where the vertices confirm the box.
pub(super) fn bone_flags(model: &mut Fmdl) -> usize {
    let derived = model.derive().bone_bounds;
    let mut count = 0;
    for (bone, derived) in model.bones.iter_mut().zip(derived) {
        let empty = bone.bounds.is_empty();
        if (bone.flags & 1 == 1) == empty && derived.is_empty() == empty {
            bone.flags ^= 1;
            count += 1;
        }
    }
    count
}
