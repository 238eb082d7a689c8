//! Emitters from the scene.

use galatea_scene::{Emitter, Extras};

use super::FromScene;
use crate::scene::extra::{ExtraValue, read_fields, text};
use crate::scene::fields::{particle_fields, wow_particle_fields};
use crate::{ParticleEmitter, ParticleEmitter2, PopcornEmitter, RibbonEmitter, WowParticles};

impl FromScene<'_> {
    pub(super) fn read_prem(&self, from: &Emitter, map: &Extras) -> ParticleEmitter {
        let mut e = ParticleEmitter::default();
        read_fields!(map, e, longitude);
        (e.emission_rate, e.life_span, e.speed) = (from.rate, from.life, from.speed);
        (e.latitude, e.gravity) = (from.spread, from.gravity);
        e.path = text(&from.path);
        e
    }

    pub(super) fn read_pre2(&self, from: &Emitter, map: &Extras) -> ParticleEmitter2 {
        let mut e = ParticleEmitter2::default();
        particle_fields!(read_fields!(map, e));
        e.content_size = map.get("content_size").and_then(u32::read);
        (e.emission_rate, e.life_span, e.speed, e.gravity) = (from.rate, from.life, from.speed, from.gravity);
        e.latitude = from.spread.to_degrees();
        if let Some(stored) =
            map.get("latitude").and_then(f32::read).filter(|t| t.to_radians().same(&from.spread))
        {
            e.latitude = stored;
        }
        [e.length, e.width] = from.area;
        for ((color, alpha), [r, g, b, a]) in
            e.segment_colors.iter_mut().zip(&mut e.segment_alphas).zip(&from.colors)
        {
            *color = [*r, *g, *b];
            *alpha = (a * 255.0).round() as u8;
        }
        e.segment_scalings.iter_mut().zip(&from.sizes).for_each(|(to, from)| *to = *from);
        [e.columns, e.rows] = from.grid;
        if let Some(stored) = map.object("wow") {
            let mut wow = WowParticles::default();
            wow_particle_fields!(read_fields!(stored, wow));
            let spline = stored.floats("spline").unwrap_or_default();
            wow.spline = spline.as_chunks().0.to_vec();
            e.wow = Some(Box::new(wow));
        }
        e
    }

    pub(super) fn read_popcorn(&self, from: &Emitter, map: &Extras) -> PopcornEmitter {
        let mut e = PopcornEmitter::default();
        read_fields!(map, e, replaceable_id, visibility_guide);
        (e.emission_rate, e.life_span, e.speed) = (from.rate, from.life, from.speed);
        if let Some([r, g, b, a]) = from.colors.first() {
            (e.color, e.alpha) = ([*r, *g, *b], *a);
        }
        e.path = text(&from.path);
        e
    }

    pub(super) fn read_ribbon(&self, from: &Emitter, map: &Extras) -> RibbonEmitter {
        let mut e = RibbonEmitter::default();
        read_fields!(map, e, texture_slot, height_below);
        e.content_size = map.get("content_size").and_then(u32::read);
        e.emission_rate = from.rate as u32;
        if let Some(stored) =
            map.get("emission_rate").and_then(u32::read).filter(|t| (*t as f32).same(&from.rate))
        {
            e.emission_rate = stored;
        }
        (e.life_span, e.gravity) = (from.life, from.gravity);
        e.height_above = from.sizes.first().copied().unwrap_or(e.height_above);
        if let Some([r, g, b, a]) = from.colors.first() {
            (e.color, e.alpha) = ([*r, *g, *b], *a);
        }
        [e.columns, e.rows] = from.grid;
        let stored = map.get("material_id").and_then(u32::read);
        let found = from.material.and_then(|m| self.material_of.get(&m).copied());
        e.material_id = found.or(stored).unwrap_or(0);
        e
    }
}
