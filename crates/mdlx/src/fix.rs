//! Fixes for findings whose correct value follows from the rest of the file.

use galatea_wire::{Fix, Fixed, Rule, run_fixes};

use crate::check::{bounds_of, is_index, is_visibility, slack};
use crate::rules::*;
use crate::{Bounds, Feature, Geoset, Interpolation, Keys, Model, NodeKind};

impl Model {
    /// Fixes findings of the selected rules where the rest of the file determines the correct value.
    ///
    /// ```
    /// use galatea_mdlx::{Light, Model, Version};
    /// let mut model = Model::new(Version(800));
    /// model.lights.push(Light { kind: 513, ..Light::default() });
    /// let fixed = model.fix(&|rule| rule.code == "MDLX0040");
    /// assert_eq!((fixed.len(), model.lights[0].kind), (1, 1));
    /// ```
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let fixes = [
            Fix { rules: &[&CONVERTER_LIGHT_KIND], done: "light types", run: &light_kinds },
            Fix { rules: &[&CONVERTER_RIBBON_FLAG], done: "ribbon flags moved", run: &ribbon_flags },
            Fix { rules: &[&CONVERTER_GEOSET_ANIM], done: "geoset animation flags", run: &geoset_anim_flags },
            Fix { rules: &[&CONVERTER_BONE_FLAG], done: "bone flags cleared", run: &bone_flags },
            Fix { rules: &[&CONVERTER_HELPER_FLAG], done: "helper flags cleared", run: &helper_flags },
            Fix { rules: &[&NODE_KIND], done: "node flags set", run: &node_kinds },
            Fix { rules: &[&HEAD_OR_TAIL], done: "emitters set to head", run: &head_or_tail },
            Fix { rules: &[&BONE_GEOSET], done: "bones set to several geosets", run: &bone_geosets },
            Fix {
                rules: &[&BONE_GEOSET_ANIM],
                done: "bones set to no geoset animation",
                run: &bone_geoset_anims,
            },
            Fix { rules: &[&TRACK_EMPTY], done: "empty tracks removed", run: &empty_tracks },
            Fix { rules: &[&KEYS_UNSORTED], done: "tracks sorted", run: &sort },
            Fix { rules: &[&VISIBILITY_INTERPOLATED], done: "visibility tracks", run: &visibility },
            Fix { rules: &[&BOUNDS_INVERTED, &BOUNDS_WRONG], done: "bounds computed", run: &bounds },
        ];
        run_fixes(self, &fixes, &Model::check, wanted)
    }
}

fn bone_flags(m: &mut Model) -> usize {
    clear(m, NodeKind::Bone, 0x8000_0000)
}

fn helper_flags(m: &mut Model) -> usize {
    if m.version.is_wow() { 0 } else { clear(m, NodeKind::Helper, 0x100) }
}

fn light_kinds(m: &mut Model) -> usize {
    let wrong = m.lights.iter_mut().filter(|l| l.kind & !0xFF == 0x200 && l.kind & 0xFF <= 2);
    wrong.map(|l| l.kind &= 0xFF).count()
}

fn ribbon_flags(m: &mut Model) -> usize {
    let bit = if m.version.is_wow() { NodeKind::RibbonEmitter.wow_bit() } else { 0x4000 };
    let wrong = m.ribbon_emitters.iter_mut().map(|r| &mut r.node);
    let wrong = wrong.filter(|n| n.flags & 0x40_0000 != 0 && n.flags & bit == 0);
    wrong.map(|n| n.flags = n.flags & !0x40_0000 | bit).count()
}

fn geoset_anim_flags(m: &mut Model) -> usize {
    m.geoset_anims.iter_mut().filter(|a| a.flags & !3 != 0).map(|a| a.flags &= 3).count()
}

fn clear(m: &mut Model, wanted: NodeKind, bit: u32) -> usize {
    let wrong = m.nodes_mut().filter(|(kind, _, n)| *kind == wanted && n.flags & bit != 0);
    wrong.map(|(_, _, n)| n.flags &= !bit).count()
}

fn node_kinds(m: &mut Model) -> usize {
    let wow = m.version.is_wow();
    let bit = |kind: NodeKind| if wow { kind.wow_bit() } else { kind.warcraft_bit() };
    let moved = |kind: NodeKind, flags: u32| kind == NodeKind::RibbonEmitter && flags & 0x40_0000 != 0;
    m.nodes_mut()
        .filter(|(kind, _, n)| n.flags & bit(*kind) != bit(*kind) && !moved(*kind, n.flags))
        .map(|(kind, _, n)| n.flags |= bit(kind))
        .count()
}

fn head_or_tail(m: &mut Model) -> usize {
    m.particle_emitters2.iter_mut().filter(|e| e.head_or_tail > 2).map(|e| e.head_or_tail = 0).count()
}

fn bone_geosets(m: &mut Model) -> usize {
    let count = m.geosets.len();
    let wrong = m.bones.iter_mut().filter(|b| b.geoset_id != -1 && !is_index(b.geoset_id, count));
    wrong.map(|b| b.geoset_id = -1).count()
}

fn bone_geoset_anims(m: &mut Model) -> usize {
    let count = m.geoset_anims.len();
    let wrong = m.bones.iter_mut().filter(|b| b.geoset_anim_id != -1 && !is_index(b.geoset_anim_id, count));
    wrong.map(|b| b.geoset_anim_id = -1).count()
}

fn empty_tracks(m: &mut Model) -> usize {
    let mut count = 0;
    for tracks in m.all_tracks_mut() {
        let before = tracks.list.len();
        tracks.list.retain(|t| !t.keys.is_empty());
        count += before - tracks.list.len();
    }
    count
}

/// Returns `true` if keys are out of order because of more than one key. A single key may itself have the wrong time.
fn is_shuffled(times: &[i32]) -> bool {
    let sorted_without = |skip: usize| {
        let rest = times.iter().enumerate().filter(|(i, _)| *i != skip);
        rest.map(|(_, t)| t).is_sorted()
    };
    // If removing one key sorts the rest, it is next to the first place where the order breaks.
    let Some(at) = times.windows(2).position(|w| w.first() > w.get(1)) else { return false };
    !sorted_without(at) && !sorted_without(at + 1)
}

fn sort(m: &mut Model) -> usize {
    let mut count = 0;
    for track in m.all_tracks_mut().into_iter().flat_map(|t| t.iter_mut()) {
        if is_shuffled(&track.keys.times().collect::<Vec<_>>()) {
            track.keys.sort();
            count += 1;
        }
    }
    for track in m.events.iter_mut().filter_map(|e| e.track.as_mut()).filter(|t| is_shuffled(&t.times)) {
        track.times.sort_unstable();
        count += 1;
    }
    count
}

fn visibility(m: &mut Model) -> usize {
    let tracks = m.all_tracks_mut().into_iter().flat_map(|t| t.iter_mut());
    let mut count = 0;
    for track in tracks.filter(|t| is_visibility(&t.tag.0) && t.interpolation != Interpolation::None) {
        track.interpolation = Interpolation::None;
        if let Keys::Float(curve) = &mut track.keys {
            curve.tangents.clear();
        }
        count += 1;
    }
    count
}

/// Recomputes the sides of bounds that at least two vertices exceed, or that are inverted.
fn bounds(m: &mut Model) -> usize {
    if m.version.has(Feature::VertexBuffers) {
        return 0;
    }
    m.geosets.iter_mut().map(bounds_of_geoset).sum()
}

fn bounds_of_geoset(geoset: &mut Geoset) -> usize {
    let Some(real) = bounds_of(&geoset.vertices) else { return 0 };
    if geoset.bounds == Bounds::default() && real != Bounds::default() {
        // They were never computed.
        geoset.bounds = real;
        return 1;
    }
    let slack = slack(&real);
    let Bounds { min, max, .. } = &mut geoset.bounds;
    let mut changed = false;
    let sides = min.iter_mut().zip(max).zip(real.min.into_iter().zip(real.max));
    for (axis, ((low, high), (real_low, real_high))) in sides.enumerate() {
        let at = |v: &[f32; 3]| v.get(axis).copied().unwrap_or(0.0);
        let below = geoset.vertices.iter().filter(|v| at(v) < *low - slack).count();
        let above = geoset.vertices.iter().filter(|v| at(v) > *high + slack).count();
        let inverted = *low > *high;
        if below >= 2 || inverted && *low > real_low {
            *low = real_low;
            changed = true;
        }
        if above >= 2 || inverted && *high < real_high {
            *high = real_high;
            changed = true;
        }
    }
    usize::from(changed)
}
