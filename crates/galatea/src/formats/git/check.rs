//! Checks the objects of an area.

use galatea_wire::{Report, Rule, escape};

use super::instances::{Body, Object, ObjectKind};
use super::{AreaFile, rules};

/// How far from a hook a door may be, in metres.
const NEAR: f32 = 0.5;

pub(super) fn check(file: &AreaFile) -> Report {
    let mut report = Report::new();
    let mut add =
        |rule: &'static Rule, path: String, message: String| report.add(rule, None, || (path, message));
    if file.layout.is_none() {
        add(&rules::NO_LAYOUT, "layout".into(), "no LYT of this name was found".into());
    }
    // Without the game, most templates and all models are elsewhere.
    let with_game = file.instances.bodies.values().any(|b| !matches!(b, Body::NoTemplate | Body::NoTable));
    for (number, object) in file.instances.objects.iter().enumerate() {
        let path = || format!("objects[{number}] \"{}\"", escape(&object.template));
        if !object.is_placed() {
            add(&rules::PLACE, path(), format!("{:?}, turned by {}", object.position, object.turn));
        }
        match file.instances.body(object) {
            Some(Body::NoTemplate) if with_game => {
                add(&rules::NO_TEMPLATE, path(), format!("no {} of this name", extension(object.kind)));
            }
            Some(Body::Missing(error)) => add(&rules::NO_MODEL, path(), error.to_string()),
            _ => {}
        }
        if object.kind == ObjectKind::Door
            && let Some(gap) = file.layout.as_ref().and_then(|layout| gap(object, layout))
            && gap > NEAR
        {
            add(&rules::NO_HOOK, path(), format!("the nearest hook is {gap:.2} metres away"));
        }
    }
    report
}

fn extension(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Door => "UTD",
        ObjectKind::Placeable => "UTP",
        ObjectKind::Creature => "UTC",
    }
}

/// Returns how far a door is from the nearest hook; `None` if the layout has none.
fn gap(door: &Object, layout: &crate::LayoutFile) -> Option<f32> {
    let distance = |hook: &galatea_walk::DoorHook| {
        let parts = hook.place.position.iter().zip(&door.position);
        parts.map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    };
    layout.layout.doors.iter().map(distance).min_by(f32::total_cmp)
}
