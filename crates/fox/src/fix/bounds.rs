//! Fixes of boxes, side by side, where the vertices are certainly not what is wrong.

use std::collections::BTreeMap;

use crate::derive::{Derived, within};
use crate::model::Fmdl;
use crate::wire::Bounds;

/// What a box belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Model,
    Run(usize),
    Bone(usize),
}

/// A box of the model and everything that has it. Owners that name one record of the file have one box: it cannot be changed
/// for one of them alone.
struct SharedBox {
    record: Option<usize>,
    owners: Vec<Owner>,
    stored: Bounds,
    derived: Bounds,
}

impl SharedBox {
    fn has_model(&self) -> bool {
        self.owners.iter().any(|owner| matches!(owner, Owner::Model))
    }

    fn runs(&self) -> impl Iterator<Item = usize> {
        self.owners.iter().filter_map(|owner| if let Owner::Run(i) = owner { Some(*i) } else { None })
    }

    fn bones(&self) -> impl Iterator<Item = usize> {
        self.owners.iter().filter_map(|owner| if let Owner::Bone(i) = owner { Some(*i) } else { None })
    }
}

impl Fmdl {
    /// Returns the boxes whose owners all derive the same one. If two derive different boxes, one of them names the
    /// wrong record, and nothing tells which.
    fn shared_boxes(&self, d: &Derived) -> Vec<SharedBox> {
        let runs = self.runs.iter().zip(&d.run_bounds).enumerate();
        let bones = self.bones.iter().zip(&d.bone_bounds).enumerate();
        let owners = std::iter::once((Owner::Model, self.bounds, d.bounds))
            .chain(runs.map(|(i, (run, derived))| (Owner::Run(i), run.bounds, *derived)))
            .chain(bones.map(|(i, (bone, derived))| (Owner::Bone(i), bone.bounds, *derived)));
        let mut boxes: Vec<SharedBox> = Vec::new();
        let mut agree = Vec::new();
        let mut by_record = BTreeMap::new();
        for (owner, stored, derived) in owners {
            let record = self.box_record(owner, &stored);
            let known = record.and_then(|record| by_record.get(&record).copied());
            if let Some((shared, agree)) = known.and_then(|i: usize| boxes.get_mut(i).zip(agree.get_mut(i))) {
                *agree &= shared.derived.same_bits(&derived);
                shared.owners.push(owner);
                continue;
            }
            if let Some(record) = record {
                by_record.insert(record, boxes.len());
            }
            boxes.push(SharedBox { record, owners: vec![owner], stored, derived });
            agree.push(true);
        }
        boxes.into_iter().zip(agree).filter_map(|(shared, agree)| agree.then_some(shared)).collect()
    }

    /// Returns the record that holds a box in the file; `None` if the box is not the one that was read.
    fn box_record(&self, owner: Owner, stored: &Bounds) -> Option<usize> {
        let t = &self.layout.original.as_ref()?.tables;
        let record = match owner {
            Owner::Model => 0,
            Owner::Run(i) => t.runs.get(i)?.bounds.into(),
            Owner::Bone(i) => t.bones.get(i)?.bounds.into(),
        };
        t.boxes.get(record).is_some_and(|b| b.same_bits(stored)).then_some(record)
    }

    /// Changes a box for all its owners.
    fn set_box(&mut self, shared: &SharedBox, bounds: Bounds) {
        for owner in &shared.owners {
            match *owner {
                Owner::Model => self.bounds = bounds,
                Owner::Run(i) => self.runs.get_mut(i).into_iter().for_each(|r| r.bounds = bounds),
                Owner::Bone(i) => self.bones.get_mut(i).into_iter().for_each(|b| b.bounds = bounds),
            }
        }
        if let Some(original) = &mut self.layout.original
            && let Some(slot) = shared.record.and_then(|record| original.tables.boxes.get_mut(record))
        {
            *slot = bounds;
        }
    }
}

/// Returns the sides of a box: three highest, three lowest; and what is stored beside them.
fn sides(bounds: &Bounds) -> [f32; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (bounds.max, bounds.min);
    [a, b, c, d, e, f, g, h]
}

fn from_sides([a, b, c, d, e, f, g, h]: [f32; 8]) -> Bounds {
    Bounds { max: [a, b, c, d], min: [e, f, g, h] }
}

/// Returns how many points lie beyond each side.
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
    for shared in model.shared_boxes(&d) {
        if shared.runs().next().is_none() || shared.stored.same_bits(&shared.derived) {
            continue;
        }
        let own = shared.runs().filter_map(|i| model.meshes.get(model.runs.get(i)?.meshes())).flatten();
        let points = own.filter_map(|m| m.vertices.positions()).flatten().copied();
        let beyond = beyond(points, &shared.stored);
        let mut new = sides(&shared.stored);
        let others = sides(&model.bounds).into_iter().zip(beyond);
        let mut changed = false;
        for ((side, right), (whole, beyond)) in new.iter_mut().zip(sides(&shared.derived)).zip(others) {
            let confirmed = !shared.has_model() && whole.to_bits() == side.to_bits();
            if side.to_bits() != right.to_bits() && (beyond >= 2 || area && !confirmed) {
                *side = right;
                changed = true;
            }
        }
        if changed {
            model.set_box(&shared, from_sides(new));
            count += 1;
        }
    }
    count
}

/// Derives sides of the model's box where the boxes of the runs agree with the vertices.
pub(super) fn model_box(model: &mut Fmdl) -> usize {
    let d = model.derive();
    let Some(shared) = model.shared_boxes(&d).into_iter().find(SharedBox::has_model) else { return 0 };
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
        model.set_box(&shared, from_sides(new));
    }
    usize::from(changed)
}

/// Enlarges sides of bones' boxes that two vertices lie beyond. A single one may be wrong itself.
pub(super) fn bone_boxes(model: &mut Fmdl) -> usize {
    if !model.has_finite_positions() {
        return 0;
    }
    let d = model.derive();
    let mut outside = vec![([0usize; 8], None); model.bones.len()];
    model.each_weighted(|bone, vertex, position| {
        if let (Some(bone), Some((count, last))) = (model.bones.get(bone), outside.get_mut(bone))
            && last.replace(vertex) != Some(vertex)
        {
            let own = beyond(std::iter::once(position), &bone.bounds);
            count.iter_mut().zip(own).for_each(|(a, b)| *a += b);
        }
    });
    // A box that is empty and marked so was left out on purpose.
    let left_out = |i: usize| model.bones.get(i).is_some_and(|b| b.bounds.is_empty() && b.flags & 1 == 0);
    let mut boxes = model.shared_boxes(&d);
    boxes.retain(|shared| !shared.bones().any(left_out));
    let mut count = 0;
    for shared in boxes {
        // Of several bones, the one with the most vertices outside: a vertex may belong to all of them.
        let beyond = shared.bones().filter_map(|i| outside.get(i)).fold([0; 8], |mut most, (own, _)| {
            most.iter_mut().zip(own).for_each(|(a, b)| *a = (*a).max(*b));
            most
        });
        if beyond.iter().all(|n| *n < 2) {
            continue;
        }
        let mut new = sides(&shared.stored);
        for ((side, right), beyond) in new.iter_mut().zip(sides(&shared.derived)).zip(beyond) {
            if beyond >= 2 {
                *side = right;
            }
        }
        model.set_box(&shared, from_sides(new));
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
