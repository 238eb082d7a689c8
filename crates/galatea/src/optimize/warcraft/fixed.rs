//! Static values, which are used where a track is not there.

use crate::mdlx::{Model, Tracks};

/// The static value that a track stands for.
pub(super) enum Fixed<'f> {
    /// A number.
    Float(&'f mut f32),
    /// A color. Its keys are blue, green, red.
    Color(&'f mut [f32; 3]),
    /// An index.
    Index(&'f mut i32),
    /// A number of something.
    Count(&'f mut u32),
    /// Always shown.
    Shown,
}

/// Calls a function with each track that has a static value: its owner's tracks, its tag and the value.
macro_rules! values {
    ($f:ident, $objects:expr, $tracks:ident: $($tag:literal $kind:ident $($field:ident)?),* $(,)?) => {
        for object in $objects {
            $($f(&mut object.$tracks, $tag, values!(@ object $kind $($field)?));)*
        }
    };
    (@ $object:ident Shown) => { Fixed::Shown };
    (@ $object:ident $kind:ident $field:ident) => { Fixed::$kind(&mut $object.$field) };
}

/// A function that takes the tracks of an owner, the tag of one of them, and the static value.
pub(super) type Visit<'v> = dyn FnMut(&mut Tracks, &'static [u8; 4], Fixed<'_>) + 'v;

/// Calls a function with the static values of materials and geoset animations.
pub(super) fn of_surfaces(model: &mut Model, f: &mut Visit<'_>) {
    let slots = model.version.0 >= 1100 && !model.version.is_wow();
    for layer in model.materials.iter_mut().flat_map(|material| &mut material.layers) {
        values!(f, [&mut *layer], tracks: b"KMTA" Float alpha, b"KMTE" Float emissive_gain,
            b"KFCA" Float fresnel_opacity, b"KFTC" Float fresnel_team_color);
        if !slots {
            values!(f, [&mut *layer], tracks: b"KMTF" Index texture_id);
        }
        values!(f, &mut layer.textures, tracks: b"KMTF" Index texture_id);
    }
    let wow = model.version.is_wow();
    for anim in &mut model.geoset_anims {
        values!(f, [&mut *anim], tracks: b"KGAO" Float alpha);
        if anim.flags & 2 != 0 || wow && anim.flags & 1 != 0 {
            values!(f, [anim], tracks: b"KGAC" Color color);
        }
    }
}

/// Calls a function with the static values of lights, attachments and emitters. Those of which players disagree are left out.
pub(super) fn of_objects(model: &mut Model, f: &mut Visit<'_>) {
    values!(f, &mut model.lights, tracks: b"KLAS" Float attenuation_start, b"KLAE" Float attenuation_end,
        b"KLAC" Color color, b"KLAI" Float intensity, b"KLBC" Color ambient_color, b"KLBI" Float ambient_intensity,
        b"KLAV" Shown, b"KVIS" Shown);
    values!(f, &mut model.attachments, tracks: b"KATV" Shown, b"KVIS" Shown);
    values!(f, &mut model.particle_emitters, tracks: b"KPEE" Float emission_rate, b"KPEG" Float gravity,
        b"KPLN" Float longitude, b"KPLT" Float latitude, b"KPEL" Float life_span, b"KPES" Float speed,
        b"KPEV" Shown, b"KVIS" Shown);
    // The rate of an emitter in bursts triggers them.
    let steady = model.particle_emitters2.iter_mut().filter(|emitter| emitter.squirt == 0);
    values!(f, steady, tracks: b"KP2E" Float emission_rate);
    values!(f, &mut model.particle_emitters2, tracks: b"KP2S" Float speed, b"KP2R" Float variation,
        b"KP2L" Float latitude, b"KP2G" Float gravity, b"KLIF" Float life_span, b"KP2Z" Float z_source,
        b"KP2V" Shown, b"KVIS" Shown);
    values!(f, &mut model.ribbon_emitters, tracks: b"KRHA" Float height_above, b"KRHB" Float height_below,
        b"KRAL" Float alpha, b"KRTX" Count texture_slot, b"KRVS" Shown, b"KVIS" Shown);
    values!(f, &mut model.popcorn_emitters, tracks: b"KPPA" Float alpha, b"KPPE" Float emission_rate,
        b"KPPL" Float life_span, b"KPPS" Float speed, b"KPPV" Shown);
}
