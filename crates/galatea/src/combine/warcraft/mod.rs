//! What all operations on models of Warcraft III and WoW alpha need.

mod clips;
pub(super) mod cut;
mod take;

pub(super) use clips::{held, stand};
pub(super) use take::{Taken, Taking, take};

use crate::mdlx::{Model, NodeKind, Tracks};

/// Returns the tracks that an object has besides those of its node.
pub(super) fn own_tracks(model: &Model, (kind, at): (NodeKind, usize)) -> Option<&Tracks> {
    match kind {
        NodeKind::Light => model.lights.get(at).map(|o| &o.tracks),
        NodeKind::Attachment => model.attachments.get(at).map(|o| &o.tracks),
        NodeKind::ParticleEmitter => model.particle_emitters.get(at).map(|o| &o.tracks),
        NodeKind::ParticleEmitter2 => model.particle_emitters2.get(at).map(|o| &o.tracks),
        NodeKind::PopcornEmitter => model.popcorn_emitters.get(at).map(|o| &o.tracks),
        NodeKind::RibbonEmitter => model.ribbon_emitters.get(at).map(|o| &o.tracks),
        _ => None,
    }
}

/// [`own_tracks`] to be changed.
pub(super) fn own_tracks_mut(model: &mut Model, (kind, at): (NodeKind, usize)) -> Option<&mut Tracks> {
    match kind {
        NodeKind::Light => model.lights.get_mut(at).map(|o| &mut o.tracks),
        NodeKind::Attachment => model.attachments.get_mut(at).map(|o| &mut o.tracks),
        NodeKind::ParticleEmitter => model.particle_emitters.get_mut(at).map(|o| &mut o.tracks),
        NodeKind::ParticleEmitter2 => model.particle_emitters2.get_mut(at).map(|o| &mut o.tracks),
        NodeKind::PopcornEmitter => model.popcorn_emitters.get_mut(at).map(|o| &mut o.tracks),
        NodeKind::RibbonEmitter => model.ribbon_emitters.get_mut(at).map(|o| &mut o.tracks),
        _ => None,
    }
}

/// Returns the number of a global sequence of this length; a new one if there is none.
pub(super) fn global_of(globals: &mut Vec<u32>, length: u32) -> i32 {
    let found = globals.iter().position(|there| *there == length);
    let index = found.unwrap_or_else(|| {
        globals.push(length);
        globals.len() - 1
    });
    i32::try_from(index).unwrap_or(i32::MAX)
}

/// Takes away geosets, and renumbers what names them.
pub(super) fn without_geosets(model: &mut Model, gone: &[bool]) {
    let mut next = 0;
    let new: Vec<i32> = gone
        .iter()
        .map(|gone| {
            next += i32::from(!gone);
            if *gone { -1 } else { next - 1 }
        })
        .collect();
    let of = |id: i32| usize::try_from(id).ok().and_then(|id| new.get(id)).copied().unwrap_or(-1);
    let mut flags = gone.iter();
    model.geosets.retain(|_| !flags.next().copied().unwrap_or(false));
    let mut anims: Vec<i32> = Vec::new();
    let mut next = 0;
    model.geoset_anims.retain_mut(|anim| {
        let lost = anim.geoset_id >= 0 && of(anim.geoset_id) < 0;
        anim.geoset_id = of(anim.geoset_id);
        anims.push(if lost { -1 } else { next });
        next += i32::from(!lost);
        !lost
    });
    for bone in &mut model.bones {
        bone.geoset_id = of(bone.geoset_id);
        let anim = usize::try_from(bone.geoset_anim_id).ok().and_then(|id| anims.get(id));
        bone.geoset_anim_id = anim.copied().unwrap_or(-1);
    }
}
