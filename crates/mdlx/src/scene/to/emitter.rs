//! Emitters to the scene.

use galatea_scene::{Emitter, EmitterKind, Extras, Value};

use super::ToScene;
use crate::scene::extra::{ExtraValue, latin, put_fields};
use crate::scene::fields::{particle_fields, wow_particle_fields};
use crate::{NodeKind, ParticleEmitter, ParticleEmitter2, PopcornEmitter, RibbonEmitter, WowParticles};

impl ToScene<'_> {
    /// Returns an emitter of the scene; fields that the scene does not define are stored in `map`.
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
                    map.add("content_size", size.json());
                }
                out.kind = EmitterKind::Ribbon;
                out.rate = e.emission_rate as f32;
                if out.rate as u32 != e.emission_rate {
                    map.add("emission_rate", e.emission_rate.json());
                }
                (out.life, out.gravity) = (e.life_span, e.gravity);
                out.sizes = vec![e.height_above];
                let [r, g, b] = e.color;
                out.colors = vec![[r, g, b, e.alpha]];
                out.grid = [e.columns, e.rows];
                out.material = self.materials.get(e.material_id as usize).copied();
                if out.material.is_none() {
                    map.add("material_id", e.material_id.json());
                }
            }
            _ => return None,
        }
        Some(out)
    }

    fn particles(&self, e: &ParticleEmitter2, out: &mut Emitter, map: &mut Extras) {
        particle_fields!(put_fields!(map, e, ParticleEmitter2::default()));
        if let Some(size) = e.content_size {
            map.add("content_size", size.json());
        }
        out.kind = EmitterKind::Particles;
        (out.rate, out.life, out.speed, out.gravity) = (e.emission_rate, e.life_span, e.speed, e.gravity);
        out.spread = e.latitude.to_radians();
        if !out.spread.to_degrees().same(&e.latitude) {
            map.add("latitude", e.latitude.json());
        }
        out.area = [e.length, e.width];
        let colors = e.segment_colors.iter().zip(e.segment_alphas);
        out.colors = colors.map(|([r, g, b], a)| [*r, *g, *b, f32::from(a) / 255.0]).collect();
        out.sizes = e.segment_scalings.to_vec();
        out.grid = [e.columns, e.rows];
        if let Some(wow) = &e.wow {
            let mut stored = Extras::new();
            wow_particle_fields!(put_fields!(stored, wow, WowParticles::default()));
            stored.add("spline", galatea_scene::floats(wow.spline.as_flattened()));
            map.add("wow", Value::Object(stored));
        }
    }
}
