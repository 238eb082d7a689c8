//! Other colors of effects: `--recolor`. What is white stays white, and what is dark stays dark: the hue is another one.

use super::Refusal;
use super::documents::not_for;
use crate::Document;

/// Gives everything colored another hue; returns how many colors changed.
pub(super) fn recolor(document: &mut dyn Document, color: [f32; 3]) -> Result<usize, Refusal> {
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return Ok(warcraft(model, color));
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        return Ok(kotor(model, color));
    }
    let _ = (any, color, changed);
    Err(not_for(
        document,
        "effects and lights of mdl and mdx have colors; those of fmdl are in their textures",
    ))
}

/// Gives a color this hue, as far as it has one; returns whether it changed.
fn changed(value: &mut [f32; 3], color: [f32; 3]) -> bool {
    let most = value.iter().copied().fold(0.0f32, f32::max);
    let least = value.iter().copied().fold(f32::INFINITY, f32::min);
    let brightest = color.iter().copied().fold(0.0f32, f32::max);
    // Without a hue, or below black, as lights are that take light away.
    if !(most > 0.0 && least >= 0.0 && most > least && brightest > 0.0) {
        return false;
    }
    let saturation = (most - least) / most;
    let new = color.map(|part| most * (1.0 - saturation + saturation * part / brightest));
    std::mem::replace(value, new) != new
}

#[cfg(feature = "mdlx")]
fn warcraft(model: &mut crate::mdlx::Model, color: [f32; 3]) -> usize {
    use crate::mdlx::Keys;

    /// Tracks of colors, whose keys are blue, green, red.
    const COLORS: [&[u8; 4]; 5] = [b"KGAC", b"KLAC", b"KLBC", b"KRCO", b"KPPC"];

    let mut count = 0;
    let mut change = |value: &mut [f32; 3]| count += usize::from(changed(value, color));
    model.geoset_anims.iter_mut().filter(|anim| anim.flags & 2 != 0).for_each(|anim| change(&mut anim.color));
    for light in &mut model.lights {
        change(&mut light.color);
        change(&mut light.ambient_color);
    }
    model.particle_emitters2.iter_mut().flat_map(|emitter| &mut emitter.segment_colors).for_each(&mut change);
    model.ribbon_emitters.iter_mut().for_each(|ribbon| change(&mut ribbon.color));
    model.popcorn_emitters.iter_mut().for_each(|emitter| change(&mut emitter.color));
    for track in model.all_tracks_mut().into_iter().flat_map(|tracks| &mut tracks.list) {
        let Keys::Vector(curve) = &mut track.keys else { continue };
        if !COLORS.contains(&&track.tag.0) {
            continue;
        }
        curve.keys.iter_mut().for_each(|key| {
            key.value.reverse();
            change(&mut key.value);
            key.value.reverse();
        });
        // Control points are colors as well, slopes are not.
        if track.interpolation == crate::mdlx::Interpolation::Bezier {
            for value in curve.tangents.iter_mut().flat_map(|t| [&mut t.incoming, &mut t.outgoing]) {
                value.reverse();
                changed(value, color);
                value.reverse();
            }
        }
    }
    count
}

#[cfg(feature = "kotor")]
fn kotor(model: &mut crate::kotor::mdl::Model, color: [f32; 3]) -> usize {
    use crate::kotor::mdl::Node;

    /// The color of a light, and those at the beginning, middle and end of a particle's life; the last three on emitters alone.
    const LIGHT: u32 = 76;
    const PARTICLES: [u32; 3] = [284, 380, 392];
    /// The light that a mesh gives itself.
    const SELF_ILLUMINATION: u32 = 100;

    #[derive(Clone, Copy, Default)]
    struct Kind {
        light: bool,
        emitter: bool,
        mesh: bool,
    }
    impl Kind {
        fn of(node: &Node) -> Kind {
            Kind { light: node.light.is_some(), emitter: node.emitter.is_some(), mesh: node.mesh.is_some() }
        }
        fn has(self, controller: u32) -> bool {
            self.light && controller == LIGHT
                || self.emitter && PARTICLES.contains(&controller)
                || self.mesh && controller == SELF_ILLUMINATION
        }
    }

    fn change(node: &mut Node, kind: Kind, color: [f32; 3]) -> usize {
        let mut count = 0;
        let mut done = vec![false; node.controllers.data().len()];
        for controller in node.controllers.list().to_vec() {
            // Tangents are relative to their values.
            if !kind.has(controller.kind) || controller.columns != 3 {
                continue;
            }
            let start = usize::from(controller.data_index);
            for row in 0..usize::from(controller.rows) {
                let at = start + row * 3;
                let Some(seen) = done.get_mut(at).filter(|seen| !**seen) else { continue };
                *seen = true;
                if let Some([r, g, b]) = node.controllers.data_mut().get_mut(at..at + 3) {
                    let mut value = [*r, *g, *b];
                    count += usize::from(changed(&mut value, color));
                    [*r, *g, *b] = value;
                }
            }
        }
        count
    }

    let kinds: Vec<Kind> = model.nodes.iter().map(Kind::of).collect();
    let targets: Vec<Vec<Kind>> = model
        .animations
        .iter()
        .map(|animation| {
            let kind = |id: u32| kinds.get(id as usize).copied();
            animation
                .nodes
                .iter()
                .map(|node| model.target_of(node).and_then(kind).unwrap_or_default())
                .collect()
        })
        .collect();
    let mut count = 0;
    for (node, kind) in model.nodes.iter_mut().zip(&kinds) {
        count += change(node, *kind, color);
    }
    for (animation, kinds) in model.animations.iter_mut().zip(&targets) {
        for (node, kind) in animation.nodes.iter_mut().zip(kinds) {
            count += change(node, *kind, color);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn a_hue_is_another_one_and_white_stays_white() {
        for (before, want) in [
            ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            ([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]),
            ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
            ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
            ([-1.0, 0.0, 0.5], [-1.0, 0.0, 0.5]),
        ] {
            let mut value = before;
            assert_eq!(changed(&mut value, [0.0, 0.0, 0.5]), value != before);
            assert_eq!(value, want);
        }
    }
}
