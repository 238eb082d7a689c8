//! Emitters to the scene and back.

use galatea_scene::{Emitter, EmitterKind, Extras, Value};

use super::extra::{Carry, latin, put, put_fields, read_fields, text};
use super::{Back, Builder};
use crate::{NodeKind, ParticleEmitter, ParticleEmitter2, PopcornEmitter, RibbonEmitter, WowParticles};

impl Builder<'_> {
    /// An emitter in the scene's words; what those do not tell goes to `map`.
    pub(super) fn emitter(
        &self,
        kind: NodeKind,
        index: usize,
        name: &str,
        map: &mut Extras,
    ) -> Option<Emitter> {
        let m = self.model;
        let mut out = Emitter { name: name.to_owned(), ..Emitter::default() };
        match kind {
            NodeKind::ParticleEmitter => {
                let e = m.particle_emitters.get(index)?;
                put_fields!(map, e, ParticleEmitter::default(), longitude);
                out.kind = EmitterKind::Models;
                (out.rate, out.life, out.speed) = (e.emission_rate, e.life_span, e.speed);
                (out.spread, out.gravity) = (e.latitude, e.gravity);
                out.path = latin(e.path.bytes());
            }
            NodeKind::ParticleEmitter2 => {
                let e = m.particle_emitters2.get(index)?;
                self.particles(e, &mut out, map);
            }
            NodeKind::PopcornEmitter => {
                let e = m.popcorn_emitters.get(index)?;
                put_fields!(map, e, PopcornEmitter::default(), replaceable_id, visibility_guide);
                out.kind = EmitterKind::Effect;
                (out.rate, out.life, out.speed) = (e.emission_rate, e.life_span, e.speed);
                let [r, g, b] = e.color;
                out.colors = vec![[r, g, b, e.alpha]];
                out.path = latin(e.path.bytes());
            }
            NodeKind::RibbonEmitter => {
                let e = m.ribbon_emitters.get(index)?;
                put_fields!(map, e, RibbonEmitter::default(), texture_slot, height_below);
                if let Some(size) = e.content_size {
                    put(map, "content_size", size.json());
                }
                out.kind = EmitterKind::Ribbon;
                out.rate = e.emission_rate as f32;
                if out.rate as u32 != e.emission_rate {
                    put(map, "emission_rate", e.emission_rate.json());
                }
                (out.life, out.gravity) = (e.life_span, e.gravity);
                out.sizes = vec![e.height_above];
                let [r, g, b] = e.color;
                out.colors = vec![[r, g, b, e.alpha]];
                out.grid = [e.columns, e.rows];
                out.material = self.materials.get(e.material_id as usize).copied();
                if out.material.is_none() {
                    put(map, "material_id", e.material_id.json());
                }
            }
            _ => return None,
        }
        Some(out)
    }

    fn particles(&self, e: &ParticleEmitter2, out: &mut Emitter, map: &mut Extras) {
        put_fields!(
            map,
            e,
            ParticleEmitter2::default(),
            emitter_type,
            variation,
            longitude,
            z_source,
            filter_mode,
            head_or_tail,
            tail_length,
            time,
            head_life,
            head_decay,
            tail_life,
            tail_decay,
            texture_id,
            squirt,
            priority_plane,
            replaceable_id,
        );
        if let Some(size) = e.content_size {
            put(map, "content_size", size.json());
        }
        out.kind = EmitterKind::Particles;
        (out.rate, out.life, out.speed, out.gravity) = (e.emission_rate, e.life_span, e.speed, e.gravity);
        out.spread = e.latitude.to_radians();
        if !out.spread.to_degrees().same(&e.latitude) {
            put(map, "latitude", e.latitude.json());
        }
        out.area = [e.length, e.width];
        let colors = e.segment_colors.iter().zip(e.segment_alphas);
        out.colors = colors.map(|([r, g, b], a)| [*r, *g, *b, f32::from(a) / 255.0]).collect();
        out.sizes = e.segment_scalings.to_vec();
        out.grid = [e.columns, e.rows];
        if let Some(wow) = &e.wow {
            let mut told = Extras::new();
            put_fields!(
                &mut told,
                wow,
                WowParticles::default(),
                geometry_model,
                recursion_model,
                twinkle_fps,
                twinkle_on_off,
                twinkle_scale,
                instant_velocity_scale,
                tumble,
                drag,
                spin,
                wind,
                wind_time,
                follow,
            );
            put(&mut told, "spline", galatea_scene::floats(wow.spline.as_flattened()));
            put(map, "wow", Value::Object(told));
        }
    }
}

impl Back<'_> {
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
        read_fields!(
            map,
            e,
            emitter_type,
            variation,
            longitude,
            z_source,
            filter_mode,
            head_or_tail,
            tail_length,
            time,
            head_life,
            head_decay,
            tail_life,
            tail_decay,
            texture_id,
            squirt,
            priority_plane,
            replaceable_id,
        );
        e.content_size = map.get("content_size").and_then(u32::read);
        (e.emission_rate, e.life_span, e.speed, e.gravity) = (from.rate, from.life, from.speed, from.gravity);
        e.latitude = from.spread.to_degrees();
        if let Some(told) =
            map.get("latitude").and_then(f32::read).filter(|t| t.to_radians().same(&from.spread))
        {
            e.latitude = told;
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
        if let Some(told) = map.object("wow") {
            let mut wow = WowParticles::default();
            read_fields!(
                told,
                wow,
                geometry_model,
                recursion_model,
                twinkle_fps,
                twinkle_on_off,
                twinkle_scale,
                instant_velocity_scale,
                tumble,
                drag,
                spin,
                wind,
                wind_time,
                follow,
            );
            let spline = super::extra::list(told, "spline").unwrap_or_default();
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
        if let Some(told) =
            map.get("emission_rate").and_then(u32::read).filter(|t| (*t as f32).same(&from.rate))
        {
            e.emission_rate = told;
        }
        (e.life_span, e.gravity) = (from.life, from.gravity);
        e.height_above = from.sizes.first().copied().unwrap_or(e.height_above);
        if let Some([r, g, b, a]) = from.colors.first() {
            (e.color, e.alpha) = ([*r, *g, *b], *a);
        }
        [e.columns, e.rows] = from.grid;
        let told = map.get("material_id").and_then(u32::read);
        let found = from.material.and_then(|m| self.material_of.get(&m).copied());
        e.material_id = found.or(told).unwrap_or(0);
        e
    }
}
