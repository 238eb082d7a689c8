//! Mending what can be mended without guessing.

use galatea_wire::{Fixed, Rule, Text};

use super::animation::is_visibility;
use super::meshes::{bounds_of, is_inverted, sticks_out};
use super::rules::*;
use super::{is_converted, is_index};
use crate::{Feature, Interpolation, Model, NodeKind, Tag};

impl Model {
    /// Mends what the wanted rules find, as far as they can be mended; says what was done.
    ///
    /// ```
    /// use galatea_mdlx::{Light, Model, Version};
    /// let mut model = Model::new(Version(800));
    /// model.lights.push(Light { kind: 513, ..Light::default() });
    /// let fixed = model.fix(&|rule| rule.code == "MDLX0040");
    /// assert_eq!((fixed.len(), model.lights[0].kind), (1, 1));
    /// ```
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        let mut out = Vec::new();
        let mut run = |rule: &'static Rule, what: &str, mend: fn(&mut Model) -> usize| {
            let count = if wanted(rule) { mend(self) } else { 0 };
            if count > 0 {
                out.push(Fixed { rule, message: format!("{count} {what}") });
            }
        };
        // Before the marks by which the converter is known are gone.
        run(&CONVERTER_CAMERA, "cameras swapped with their targets", cameras);
        run(&CONVERTER_LIGHT_KIND, "light types", light_kinds);
        run(&CONVERTER_RIBBON_FLAG, "ribbon flags moved", ribbon_flags);
        run(&CONVERTER_GEOSET_ANIM, "geoset animation flags", geoset_anim_flags);
        run(&CONVERTER_BONE_FLAG, "bone flags", |m| clear(m, NodeKind::Bone, 0x8000_0000));
        run(&CONVERTER_HELPER_FLAG, "helper flags", |m| {
            if m.version.is_wow() { 0 } else { clear(m, NodeKind::Helper, 0x100) }
        });
        run(&NODE_KIND, "node flags", node_kinds);
        run(&HEAD_OR_TAIL, "emitters set to head", head_or_tail);
        run(&BONE_GEOSET, "bones set to several geosets", bone_geosets);
        run(&BONE_GEOSET_ANIM, "bones set to no geoset animation", bone_geoset_anims);
        run(&PIVOTS_LEFT_OVER, "pivots dropped", pivots);
        run(&TEXT_TAIL, "texts cleared after their end", texts);
        run(&TRACK_EMPTY, "empty tracks removed", empty_tracks);
        run(&KEYS_UNSORTED, "tracks sorted", sort);
        run(&VISIBILITY_INTERPOLATED, "visibility tracks", visibility);
        run(&BOUNDS_INVERTED, "bounds computed", |m| bounds(m, |g| is_inverted(&g.bounds)));
        run(&BOUNDS_WRONG, "bounds computed", |m| {
            bounds(m, |g| bounds_of(&g.vertices).is_some_and(|real| sticks_out(&g.bounds, &real)))
        });
        out
    }
}

fn cameras(m: &mut Model) -> usize {
    if !is_converted(m) {
        return 0;
    }
    let mut count = 0;
    for camera in &mut m.cameras {
        let mut swapped = false;
        for track in camera.tracks.iter_mut() {
            match &track.tag.0 {
                b"KCTR" => track.tag = Tag(*b"KTTR"),
                b"KTTR" => track.tag = Tag(*b"KCTR"),
                _ => continue,
            }
            swapped = true;
        }
        count += usize::from(swapped);
    }
    count
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

fn pivots(m: &mut Model) -> usize {
    let reached = m.nodes().map(|(_, _, n)| n.object_id as usize + 1).max().unwrap_or(0);
    let keep = reached.max(m.node_count());
    let dropped = m.pivots.len().saturating_sub(keep);
    m.pivots.truncate(keep);
    dropped
}

fn clear_tail<const N: usize>(text: &mut Text<N>) -> usize {
    let had = text.has_tail();
    let len = text.bytes().len();
    if let Some(tail) = text.0.get_mut(len..) {
        tail.fill(0);
    }
    usize::from(had)
}

fn texts(m: &mut Model) -> usize {
    let mut count = clear_tail(&mut m.info.name) + clear_tail(&mut m.info.animation_file);
    count += m.sequences.iter_mut().map(|s| clear_tail(&mut s.name)).sum::<usize>();
    count += m.cameras.iter_mut().map(|c| clear_tail(&mut c.name)).sum::<usize>();
    count += m.textures.iter_mut().map(|t| clear_tail(&mut t.path)).sum::<usize>();
    count += m.attachments.iter_mut().map(|a| clear_tail(&mut a.path)).sum::<usize>();
    count += m.particle_emitters.iter_mut().map(|e| clear_tail(&mut e.path)).sum::<usize>();
    count + m.nodes_mut().map(|(_, _, n)| clear_tail(&mut n.name)).sum::<usize>()
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

fn sort(m: &mut Model) -> usize {
    let mut count = 0;
    for track in m.all_tracks_mut().into_iter().flat_map(|t| t.iter_mut()) {
        if !track.keys.times().is_sorted() {
            track.keys.sort();
            count += 1;
        }
    }
    for track in m.events.iter_mut().filter_map(|e| e.track.as_mut()).filter(|t| !t.times.is_sorted()) {
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
        if let crate::Keys::Float(curve) = &mut track.keys {
            curve.tangents.clear();
        }
        count += 1;
    }
    count
}

fn bounds(m: &mut Model, wrong: impl Fn(&crate::Geoset) -> bool) -> usize {
    if m.version.has(Feature::VertexBuffers) {
        return 0;
    }
    let mut count = 0;
    for geoset in m.geosets.iter_mut().filter(|g| wrong(g)) {
        if let Some(real) = bounds_of(&geoset.vertices) {
            geoset.bounds = real;
            count += 1;
        }
    }
    count
}
