//! Scenes that did not come from this format.

use galatea_scene::{Interpolation, Property, Scene, UniqueNames};
use galatea_wire::Loss;

use super::{names, shape};
use crate::Version;
use crate::scene::{AXES, unit};

/// Maximum length of a name: 80 bytes with the terminator.
const NAME: usize = 79;

/// Prepares a scene: rotates it to face the way units do, finds attachments, events and shapes by their names, applies texture
/// transforms, shortens names, and bakes mirroring and non-uniform scale, which the format does not have.
pub(super) fn prepared(scene: &Scene, version: Version) -> (Scene, Vec<Loss>) {
    // Units face the scene's positive Z.
    let mut out = scene.facing([0.0, 0.0, 1.0]).into_owned();
    let mut losses = Vec::new();
    names::apply(&mut out, &mut losses);
    shape::place_shapes(&mut out);
    let even = |[x, y, z]: [f32; 3]| x > 0.0 && (x - y).abs() <= 1e-4 * x && (x - z).abs() <= 1e-4 * x;
    if out.nodes.iter().any(|n| !even(n.transform.scale)) {
        losses.extend(out.bake_scale(AXES, unit(version)));
    }
    losses.extend(out.apply_uv_transforms());
    // The game's rotation curves differ from cubic ones, so those are approximated by linear segments.
    for channel in out.clips.iter_mut().flat_map(|c| &mut c.channels) {
        if channel.property == Property::Rotation && channel.interpolation == Interpolation::Cubic {
            *channel = channel.straight(1e-4);
        }
    }
    let mut fit = |what: &str, named: &mut dyn Iterator<Item = &mut String>, names: &mut UniqueNames| {
        for name in named.filter(|name| !name.is_empty()) {
            if names.must_change(name) {
                let new = names.fit(name);
                losses.push(
                    Loss::new(format!("{what} {name:?}"), format!("its name, now {new:?}")).invisible(),
                );
                *name = new;
            }
        }
    };
    let mut names = UniqueNames::new(NAME);
    out.nodes.iter().for_each(|n| names.reserve(&n.name));
    fit("node", &mut out.nodes.iter_mut().map(|n| &mut n.name), &mut names);
    let mut names = UniqueNames::new(NAME);
    out.clips.iter().for_each(|c| names.reserve(&c.name));
    fit("clip", &mut out.clips.iter_mut().map(|c| &mut c.name), &mut names);
    (out, losses)
}
