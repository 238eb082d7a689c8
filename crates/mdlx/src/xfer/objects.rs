//! Sequences, materials, nodes and cameras.

use galatea_wire::{ErrorKind, ReadXfer, Record, Result, WriteXfer, xfer};

use crate::{
    Attachment, Bone, Camera, CollisionMesh, CollisionShape, Event, FaceEffect, Feature, GeosetAnim, Helper,
    Layer, LayerTexture, Light, Material, ModelInfo, Node, Owner, ParticleEmitter, ParticleEmitter2,
    PopcornEmitter, RibbonEmitter, Sequence, Shape, Sound, SoundEmitter, Texture, TextureAnim, Version,
    WowParticles,
};

/// A list whose number of items is known from the record itself.
macro_rules! part {
    ($list:expr, $count:expr) => {
        &mut galatea_wire::Part { start: 0, count: $list.len(), announced: Some($count) }
    };
}

/// Returns a length as it is written. If it does not fit, writing the list itself fails.
pub(super) fn len<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

xfer! {
    impl Record for ModelInfo {
        fn xfer(self, x, v: Version) {
            let ModelInfo { name, animation_file, bounds, blend_time, flags, extra } = self;
            x.name("name", name)?;
            x.val("animation_file", animation_file)?;
            x.val("bounds", bounds)?;
            x.val("blend_time", blend_time)?;
            if v.is_wow() {
                x.val("flags", flags)?;
            }
            if v.is_future() {
                x.rest("bytes_of_a_newer_version", extra)?;
            }
            Ok(())
        }
    }

    impl Record for Sequence {
        fn xfer(self, x, v: Version) {
            let Sequence {
                name, start, end, move_speed, flags, rarity, sync_point, bounds, frequency, replay, blend_time,
            } = self;
            x.name("name", name)?;
            x.val("start", start)?;
            x.val("end", end)?;
            x.val("move_speed", move_speed)?;
            x.val("flags", flags)?;
            if v.has(Feature::Warcraft) {
                x.val("rarity", rarity)?;
                x.val("sync_point", sync_point)?;
            }
            x.val("bounds", bounds)?;
            if v.is_wow() {
                x.val("frequency", frequency)?;
                x.val("replay", replay)?;
                x.val("blend_time", blend_time)?;
            }
            Ok(())
        }
    }

    impl Record for Material {
        fn xfer(self, x, v: Version) {
            let Material { priority_plane, flags, shader, layers, extra } = self;
            x.sized(true, |x| {
                x.val("priority_plane", priority_plane)?;
                if v.has(Feature::Warcraft) {
                    x.val("flags", flags)?;
                }
                if v.has(Feature::MaterialShader) {
                    x.val("shader", shader)?;
                }
                if v.has(Feature::Warcraft) {
                    x.tag(*b"LAYS")?;
                }
                let count = x.derived("count", len(layers))?;
                x.list("layers", layers, part!(layers, count), v)?;
                if v.is_future() {
                    x.rest("bytes_of_a_newer_version", extra)?;
                }
                Ok(())
            })
        }
    }

    impl Record for Layer {
        fn xfer(self, x, v: Version) {
            let Layer {
                filter_mode, flags, texture_id, texture_anim_id, coord_id, alpha, emissive_gain, fresnel_color,
                fresnel_opacity, fresnel_team_color, shader_type, textures, tracks,
            } = self;
            x.sized(true, |x| {
                x.val("filter_mode", filter_mode)?;
                x.val("flags", flags)?;
                x.val("texture_id", texture_id)?;
                x.val("texture_anim_id", texture_anim_id)?;
                x.val("coord_id", coord_id)?;
                x.val("alpha", alpha)?;
                if v.has(Feature::EmissiveGain) {
                    x.val("emissive_gain", emissive_gain)?;
                }
                if v.has(Feature::Fresnel) {
                    x.val("fresnel_color", fresnel_color)?;
                    x.val("fresnel_opacity", fresnel_opacity)?;
                    x.val("fresnel_team_color", fresnel_team_color)?;
                }
                if v.has(Feature::TextureSlots) {
                    x.val("shader_type", shader_type)?;
                    let count = x.derived("count", len(textures))?;
                    x.list("slots", textures, part!(textures, count), v)?;
                }
                x.record(tracks, (Owner::Layer, v))
            })
        }
    }

    impl Record for TextureAnim {
        fn xfer(self, x, v: Version) {
            let TextureAnim { tracks } = self;
            x.sized(true, |x| x.record(tracks, (Owner::TextureAnim, v)))
        }
    }

    impl Record for GeosetAnim {
        fn xfer(self, x, v: Version) {
            let GeosetAnim { alpha, flags, color, geoset_id, tracks } = self;
            x.sized(true, |x| {
                if v.is_wow() {
                    x.val("geoset_id", geoset_id)?;
                    x.val("alpha", alpha)?;
                    x.val("color", color)?;
                    x.val("flags", flags)?;
                } else {
                    x.val("alpha", alpha)?;
                    x.val("flags", flags)?;
                    x.val("color", color)?;
                    x.val("geoset_id", geoset_id)?;
                }
                x.record(tracks, (Owner::GeosetAnim, v))
            })
        }
    }

    impl Record for Node {
        fn xfer(self, x, v: Version) {
            let Node { name, object_id, parent_id, flags, tracks } = self;
            x.sized(true, |x| {
                x.name("name", name)?;
                x.val("object_id", object_id)?;
                x.val("parent_id", parent_id)?;
                x.val("flags", flags)?;
                x.record(tracks, (Owner::Node, v))
            })
        }
    }

    impl Record for Bone {
        fn xfer(self, x, v: Version) {
            let Bone { node, geoset_id, geoset_anim_id } = self;
            x.record(node, v)?;
            x.val("geoset_id", geoset_id)?;
            x.val("geoset_anim_id", geoset_anim_id)
        }
    }

    impl Record for Helper {
        fn xfer(self, x, v: Version) {
            let Helper { node } = self;
            x.record(node, v)
        }
    }

    impl Record for Light {
        fn xfer(self, x, v: Version) {
            let Light {
                node, kind, attenuation_start, attenuation_end, color, intensity, ambient_color, ambient_intensity,
                shadow_intensity, tracks,
            } = self;
            x.sized(true, |x| {
                x.record(node, v)?;
                x.val("kind", kind)?;
                x.val("attenuation_start", attenuation_start)?;
                x.val("attenuation_end", attenuation_end)?;
                x.val("color", color)?;
                x.val("intensity", intensity)?;
                x.val("ambient_color", ambient_color)?;
                x.val("ambient_intensity", ambient_intensity)?;
                if v.has(Feature::ShadowIntensity) {
                    x.val("shadow_intensity", shadow_intensity)?;
                }
                x.record(tracks, (Owner::Light, v))
            })
        }
    }

    impl Record for Attachment {
        fn xfer(self, x, v: Version) {
            let Attachment { node, path, attachment_id, padding, tracks } = self;
            x.sized(true, |x| {
                x.record(node, v)?;
                if v.is_wow() {
                    x.val("attachment_id", attachment_id)?;
                    x.val("padding", padding)?;
                    x.val("path", path)?;
                } else {
                    x.val("path", path)?;
                    x.val("attachment_id", attachment_id)?;
                }
                x.record(tracks, (Owner::Attachment, v))
            })
        }
    }

    impl Record for ParticleEmitter {
        fn xfer(self, x, v: Version) {
            let ParticleEmitter {
                node, emission_rate, gravity, longitude, latitude, path, life_span, speed, tracks,
            } = self;
            x.sized(true, |x| {
                x.record(node, v)?;
                x.val("emission_rate", emission_rate)?;
                x.val("gravity", gravity)?;
                x.val("longitude", longitude)?;
                x.val("latitude", latitude)?;
                x.val("path", path)?;
                x.val("life_span", life_span)?;
                x.val("speed", speed)?;
                x.record(tracks, (Owner::ParticleEmitter, v))
            })
        }
    }

    impl Record for ParticleEmitter2 {
        fn xfer(self, x, v: Version) {
            let ParticleEmitter2 {
                node, content_size, emitter_type, speed, variation, latitude, longitude, gravity, z_source, life_span,
                emission_rate, length, width, filter_mode, rows, columns, head_or_tail, tail_length, time,
                segment_colors, segment_alphas, segment_scalings, head_life, head_decay, tail_life, tail_decay,
                texture_id, squirt, priority_plane, replaceable_id, wow, tracks,
            } = self;
            let w = v.is_wow();
            x.sized(true, |x| {
                x.record(node, v)?;
                x.sized_or_kept(w, content_size, |x| {
                    if w {
                        x.val("emitter_type", emitter_type)?;
                    }
                    x.val("speed", speed)?;
                    x.val("variation", variation)?;
                    x.val("latitude", latitude)?;
                    if w {
                        x.val("longitude", longitude)?;
                    }
                    x.val("gravity", gravity)?;
                    if w {
                        x.val("z_source", z_source)?;
                    }
                    x.val("life_span", life_span)?;
                    x.val("emission_rate", emission_rate)?;
                    x.val("length", length)?;
                    x.val("width", width)?;
                    if !w {
                        x.val("filter_mode", filter_mode)?;
                    }
                    x.val("rows", rows)?;
                    x.val("columns", columns)?;
                    x.val("head_or_tail", head_or_tail)?;
                    x.val("tail_length", tail_length)?;
                    x.val("time", time)?;
                    x.val("segment_colors", segment_colors)?;
                    x.val("segment_alphas", segment_alphas)?;
                    x.val("segment_scalings", segment_scalings)?;
                    x.val("head_life", head_life)?;
                    x.val("head_decay", head_decay)?;
                    x.val("tail_life", tail_life)?;
                    x.val("tail_decay", tail_decay)?;
                    if w {
                        x.val("filter_mode", filter_mode)?;
                    }
                    x.val("texture_id", texture_id)?;
                    if !w {
                        x.val("squirt", squirt)?;
                    }
                    x.val("priority_plane", priority_plane)?;
                    x.val("replaceable_id", replaceable_id)?;
                    if w {
                        x.boxed(wow, v)?;
                        x.val("squirt", squirt)?;
                    }
                    x.record(tracks, (Owner::ParticleEmitter2, v))
                })
            })
        }
    }

    impl Record for WowParticles {
        fn xfer(self, x, _v: Version) {
            let WowParticles {
                geometry_model, recursion_model, twinkle_fps, twinkle_on_off, twinkle_scale, instant_velocity_scale,
                tumble, drag, spin, wind, wind_time, follow, spline,
            } = self;
            x.val("geometry_model", geometry_model)?;
            x.val("recursion_model", recursion_model)?;
            x.val("twinkle_fps", twinkle_fps)?;
            x.val("twinkle_on_off", twinkle_on_off)?;
            x.val("twinkle_scale", twinkle_scale)?;
            x.val("instant_velocity_scale", instant_velocity_scale)?;
            x.val("tumble", tumble)?;
            x.val("drag", drag)?;
            x.val("spin", spin)?;
            x.val("wind", wind)?;
            x.val("wind_time", wind_time)?;
            x.val("follow", follow)?;
            x.counted("spline", spline)
        }
    }

    impl Record for RibbonEmitter {
        fn xfer(self, x, v: Version) {
            let RibbonEmitter {
                node, content_size, height_above, height_below, alpha, color, life_span, texture_slot, emission_rate,
                rows, columns, material_id, gravity, tracks,
            } = self;
            x.sized(true, |x| {
                x.record(node, v)?;
                x.sized_or_kept(v.is_wow(), content_size, |x| {
                    x.val("height_above", height_above)?;
                    x.val("height_below", height_below)?;
                    x.val("alpha", alpha)?;
                    x.val("color", color)?;
                    x.val("life_span", life_span)?;
                    x.val("texture_slot", texture_slot)?;
                    x.val("emission_rate", emission_rate)?;
                    x.val("rows", rows)?;
                    x.val("columns", columns)?;
                    x.val("material_id", material_id)?;
                    x.val("gravity", gravity)?;
                    x.record(tracks, (Owner::RibbonEmitter, v))
                })
            })
        }
    }

    impl Record for PopcornEmitter {
        fn xfer(self, x, v: Version) {
            let PopcornEmitter {
                node, life_span, emission_rate, speed, color, alpha, replaceable_id, path, visibility_guide, tracks,
            } = self;
            x.sized(true, |x| {
                x.record(node, v)?;
                x.val("life_span", life_span)?;
                x.val("emission_rate", emission_rate)?;
                x.val("speed", speed)?;
                x.val("color", color)?;
                x.val("alpha", alpha)?;
                x.val("replaceable_id", replaceable_id)?;
                x.val("path", path)?;
                x.val("visibility_guide", visibility_guide)?;
                x.record(tracks, (Owner::PopcornEmitter, v))
            })
        }
    }

    impl Record for Camera {
        fn xfer(self, x, v: Version) {
            let Camera { name, position, field_of_view, far_clip, near_clip, target, tracks } = self;
            x.sized(true, |x| {
                x.name("name", name)?;
                x.val("position", position)?;
                x.val("field_of_view", field_of_view)?;
                x.val("far_clip", far_clip)?;
                x.val("near_clip", near_clip)?;
                x.val("target", target)?;
                x.record(tracks, (Owner::Camera, v))
            })
        }
    }

    impl Record for Event {
        fn xfer(self, x, v: Version) {
            let Event { node, track } = self;
            if v.is_wow() {
                x.sized(true, |x| {
                    x.record(node, v)?;
                    x.maybe(*b"KEVT", track, "KEVT")
                })
            } else {
                x.record(node, v)?;
                x.maybe(*b"KEVT", track, "KEVT")
            }
        }
    }

    impl Record for SoundEmitter {
        fn xfer(self, x, v: Version) {
            let SoundEmitter { node, track } = self;
            x.record(node, v)?;
            x.maybe(*b"KESK", track, "KESK")
        }
    }

    impl Record for CollisionShape {
        fn xfer(self, x, v: Version) {
            let CollisionShape { node, shape } = self;
            if v.is_wow() {
                x.sized(true, |x| {
                    x.record(node, v)?;
                    x.record(shape, v)
                })
            } else {
                x.record(node, v)?;
                x.record(shape, v)
            }
        }
    }

    impl Record for CollisionMesh {
        fn xfer(self, x, _v: Version) {
            let CollisionMesh { vertices, triangles, normals } = self;
            x.tag(*b"VRTX")?;
            x.counted("vertices", vertices)?;
            x.tag(*b"TRI ")?;
            x.counted("triangles", triangles)?;
            x.tag(*b"NRMS")?;
            x.counted("normals", normals)
        }
    }
}

/// Fixed records that are the same in every version.
macro_rules! fixed {
    ($($name:ident),*) => {$(
        xfer! {
            impl Record for $name {
                fn xfer(self, x, _v: Version) {
                    x.val(stringify!($name), self)
                }
            }
        }
    )*};
}
fixed!(Texture, FaceEffect, Sound);

impl Record for LayerTexture {
    type Context = Version;

    fn read(&mut self, x: &mut ReadXfer<'_>, v: Version) -> Result<()> {
        x.val("texture_id", &mut self.texture_id)?;
        x.val("slot", &mut self.slot)?;
        // Unlike other tracks, these end where the next slot begins.
        super::tracks::read_leading(x, &mut self.tracks, Owner::LayerTexture, v)
    }

    fn write(&self, x: &mut WriteXfer, v: Version) -> Result<()> {
        let LayerTexture { texture_id, slot, tracks } = self;
        x.val("texture_id", texture_id)?;
        x.val("slot", slot)?;
        x.record(tracks, (Owner::LayerTexture, v))
    }
}

impl Shape {
    /// Returns the type and the numbers of a shape, as stored in the file.
    pub fn numbers(&self) -> (u32, Vec<f32>) {
        match self {
            Shape::Box { corners } => (0, corners.concat()),
            Shape::Cylinder { base, height, radius } => (1, [base.as_slice(), &[*height, *radius]].concat()),
            Shape::PlanePoints { points } => (1, points.concat()),
            Shape::Sphere { center, radius } => (2, [center.as_slice(), &[*radius]].concat()),
            Shape::Plane { length, width } => (3, vec![*length, *width]),
            Shape::CylinderPoints { points, radius } => {
                (3, [points.concat().as_slice(), &[*radius]].concat())
            }
        }
    }

    /// Returns the shape with this type and these numbers; `None` if they do not match.
    pub fn from_numbers(kind: u32, numbers: &[f32]) -> Option<Shape> {
        Some(match (kind, numbers) {
            (0, &[a, b, c, d, e, f]) => Shape::Box { corners: [[a, b, c], [d, e, f]] },
            (1, &[a, b, c, height, radius]) => Shape::Cylinder { base: [a, b, c], height, radius },
            (1, &[a, b, c, d, e, f]) => Shape::PlanePoints { points: [[a, b, c], [d, e, f]] },
            (2, &[a, b, c, radius]) => Shape::Sphere { center: [a, b, c], radius },
            (3, &[length, width]) => Shape::Plane { length, width },
            (3, &[a, b, c, d, e, f, radius]) => {
                Shape::CylinderPoints { points: [[a, b, c], [d, e, f]], radius }
            }
            _ => return None,
        })
    }
}

/// Returns how many floats a shape of this type has, given the bytes up to the end of its entry or chunk.
fn shape_len(kind: u32, rest: &[u8]) -> Option<usize> {
    // In Warcraft III, only the next node or the end of the chunk shows where a shape ends.
    let fits = |floats: &usize| {
        let Some(after) = rest.get(floats * 4..) else { return false };
        let size = after.first_chunk().map_or(0, |b| u32::from_le_bytes(*b) as usize);
        after.is_empty() || (96..=after.len()).contains(&size)
    };
    match kind {
        0 => Some(6),
        1 => Some([5, 6].into_iter().find(fits).unwrap_or(6)),
        2 => Some(4),
        3 => Some([2, 7].into_iter().find(fits).unwrap_or(7)),
        _ => None,
    }
}

impl Record for Shape {
    type Context = Version;

    fn read(&mut self, x: &mut ReadXfer<'_>, v: Version) -> Result<()> {
        let bytes = if v.is_wow() { 1 } else { 4 };
        let kind = x.peek().iter().take(bytes).rev().fold(0u32, |n, b| n << 8 | u32::from(*b));
        let Some(len) = shape_len(kind, x.peek().get(bytes..).unwrap_or(&[])) else {
            return Err(x.mismatch("a shape from 0 to 3", kind.to_string()));
        };
        if bytes == 1 {
            x.val("kind", &mut 0u8)?
        } else {
            x.val("kind", &mut 0u32)?
        }
        let mut numbers: Vec<f32> = Vec::new();
        x.array("numbers", &mut numbers, len)?;
        *self = Shape::from_numbers(kind, &numbers)
            .ok_or_else(|| x.error(ErrorKind::Unsupported("a shape like that".into())))?;
        Ok(())
    }

    fn write(&self, x: &mut WriteXfer, v: Version) -> Result<()> {
        let (kind, numbers) = self.numbers();
        if v.is_wow() {
            if matches!(self, Shape::PlanePoints { .. } | Shape::CylinderPoints { .. }) {
                let what = format!("version {v} has no shape {kind} made of points");
                return Err(x.error(ErrorKind::Unrepresentable(what.into())));
            }
            x.val("kind", &(kind as u8))?;
        } else {
            x.val("kind", &kind)?;
        }
        x.array("numbers", &numbers, numbers.len())
    }
}
