//! What glTF animates, and the values it allows there. Used in both directions.

use galatea_scene::Property;

use crate::constraints::{self, Constraint as _};

/// Returns the path of a property in glTF and the numbers of one value; `None` for properties that glTF does not animate.
pub(crate) fn path(property: &Property) -> Option<(&'static str, usize)> {
    Some(match property {
        Property::Translation => ("translation", 3),
        Property::Rotation => ("rotation", 4),
        Property::Scale => ("scale", 3),
        _ => return None,
    })
}

/// Returns `true` if glTF allows these values as they are.
pub(crate) fn are_allowed(values: &[f32], path: &str, cubic: bool) -> bool {
    let finite = values.iter().fold(true, |all, v| all & v.is_finite());
    let mut rotations = values.as_chunks().0.iter().enumerate().filter(|(i, _)| !cubic || i % 3 == 1);
    finite && (path != "rotation" || rotations.all(|(_, v)| constraints::Rotation::holds(v)))
}

/// Replaces values that glTF forbids.
pub(crate) fn replace_forbidden(values: &mut [f32], path: &str, cubic: bool) {
    values.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
    if path == "rotation" {
        for (i, value) in values.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            // Of cubic keys only the middle is a rotation.
            if !cubic || i % 3 == 1 {
                *value = constraints::rotation(*value);
            }
        }
    }
}
