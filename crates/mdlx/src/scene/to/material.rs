//! Materials, textures and texture animations to the scene.
//!
//! The first layer becomes the material of a mesh; the others are drawn over it. The six layers of a HD shader become one
//! material with six textures.

use galatea_scene::{Extras, Material as SceneMaterial, Slot, Texture as SceneTexture, Value};

use super::ToScene;
use crate::scene::binding::{find, layer_bindings, slot_bindings, uv_bindings};
use crate::scene::extra::{ExtraValue, put_fields, wrap};
use crate::scene::vocabulary::{alpha_of, filter_of, is_unlit, layer_flags, slots, texture_name, wrap_of};
use crate::{Feature, Layer, Material, Version};

/// Team colour: the red of the first player.
const TEAM: [f32; 3] = [1.0, 0.012, 0.012];

/// Team glow: fainter, since the texture of the glow would fade out.
const GLOW: [f32; 3] = [0.2, 0.0024, 0.0024];

/// Returns `true` if the layers of a material are the textures of one HD shader.
pub(crate) fn is_hd(material: &Material, version: Version) -> bool {
    version.has(Feature::MaterialShader)
        && material.shader.bytes().starts_with(b"Shader_HD")
        && material.layers.len() > 1
}

impl ToScene<'_> {
    pub(super) fn add_materials(&mut self) {
        let model = self.model;
        let mut moved = vec![false; model.texture_anims.len()];
        for (index, material) in model.materials.iter().enumerate() {
            let base = self.scene.materials.len() as u32;
            self.materials.push(base);
            let hd = is_hd(material, model.version);
            let count = if hd { 1 } else { material.layers.len().max(1) };
            let ids = base..base + count as u32;
            // Channels refer to materials by index, so all of them are added first.
            self.scene.materials.resize_with(ids.end as usize, SceneMaterial::default);
            for (number, id) in ids.clone().enumerate() {
                let mut map = Extras::new();
                map.add("layer", number as u32);
                if number == 0 {
                    map.add("material", index as u32);
                    put_fields!(
                        &mut map,
                        material,
                        Material::default(),
                        priority_plane,
                        flags,
                        shader,
                        extra
                    );
                    if material.layers.is_empty() {
                        map.add("no_layer", true);
                    }
                }
                let layer = material.layers.get(number);
                let two_sided = material.flags & 2 != 0 && !model.version.is_wow();
                let mut out = match layer {
                    Some(layer) => self.add_layer(layer, id, two_sided, &mut map, &mut moved),
                    None => SceneMaterial::default(),
                };
                if hd {
                    let rest = material.layers.iter().enumerate().skip(1);
                    let layers =
                        rest.map(|(n, layer)| self.further_layer(layer, n, id, &mut out, &mut moved));
                    let layers: Vec<Value> = layers.collect();
                    map.add("layers", Value::Array(layers));
                }
                if out.name.is_empty() {
                    out.name = format!("material {index}");
                }
                if number == 0 {
                    out.layers = ids.clone().skip(1).collect();
                }
                out.extras = wrap(map);
                if let Some(slot) = self.scene.materials.get_mut(id as usize) {
                    *slot = out;
                }
            }
        }
        let loose = model.texture_anims.iter().zip(moved).enumerate().filter(|(_, (_, moved))| !moved);
        let loose: Vec<Value> = loose
            .map(|(index, (anim, _))| {
                let mut map = Extras::new();
                map.add("texture_anim", index as u32);
                self.add_tracks(&mut map, "tracks", &anim.tracks, |_| None);
                Value::Object(map)
            })
            .collect();
        if !loose.is_empty() {
            self.header.add("texture_anims", Value::Array(loose));
        }
    }

    /// Returns a texture of a layer, if it exists.
    fn texture(&self, id: i32, slot: Slot, coord_id: u32, stored: &mut Extras) -> Option<SceneTexture> {
        let texture = self.model.textures.get(usize::try_from(id).ok()?)?;
        stored.add("texture", id);
        Some(SceneTexture {
            slot,
            name: texture_name(texture),
            uv_set: coord_id,
            wrap: wrap_of(texture.flags),
            ..SceneTexture::default()
        })
    }

    /// Stores the fields of a layer that the scene does not define.
    fn layer_fields(&self, layer: &Layer, map: &mut Extras) {
        put_fields!(
            map,
            layer,
            Layer::default(),
            texture_anim_id,
            emissive_gain,
            fresnel_color,
            fresnel_opacity,
            fresnel_team_color,
            shader_type,
        );
    }

    /// Adds the tracks of the texture animation to the material, unless another material has them.
    fn add_texture_anim(&mut self, layer: &Layer, id: u32, map: &mut Extras, moved: &mut [bool]) {
        let model = self.model;
        let Ok(index) = usize::try_from(layer.texture_anim_id) else { return };
        let Some(anim) = model.texture_anims.get(index) else { return };
        if let Some(flag) = moved.get_mut(index).filter(|m| !**m) {
            *flag = true;
            map.add("texture_anim", index as u32);
            let bindings = uv_bindings(id);
            self.add_tracks(map, "uv_tracks", &anim.tracks, |tag| find(&bindings, tag));
        }
    }

    fn add_layer(
        &mut self,
        layer: &Layer,
        id: u32,
        two_sided: bool,
        map: &mut Extras,
        moved: &mut [bool],
    ) -> SceneMaterial {
        let version = self.model.version;
        self.layer_fields(layer, map);
        let mut out = SceneMaterial {
            alpha: alpha_of(layer.filter_mode),
            two_sided: two_sided || layer.flags & 0x10 != 0,
            unlit: is_unlit(layer.flags),
            ..SceneMaterial::default()
        };
        if layer.filter_mode != filter_of(out.alpha) {
            map.add("filter_mode", layer.filter_mode.json());
        }
        if layer.flags != layer_flags(out.two_sided, out.unlit) {
            map.add("layer_flags", layer.flags.json());
        }
        let opacity = if layer.tracks.get(*b"KMTA").is_some() { 1.0 } else { layer.alpha };
        out.base_color = [1.0, 1.0, 1.0, opacity];
        if !opacity.same(&layer.alpha) {
            map.add("alpha", layer.alpha.json());
        }
        let team = |id: i32| {
            let texture = usize::try_from(id).ok().and_then(|i| self.model.textures.get(i))?;
            let plain = texture.path.bytes().is_empty();
            [(1, TEAM), (2, GLOW)].into_iter().find(|(id, _)| plain && *id == texture.replaceable_id)
        };
        let slotted = version.has(Feature::TextureSlots);
        let first =
            if slotted { layer.textures.first().map_or(-1, |t| t.texture_id) } else { layer.texture_id };
        let painted = team(first);
        if let Some((_, [r, g, b])) = painted {
            out.base_color = [r, g, b, opacity];
        }
        let base = if painted.is_some() { Slot::TeamColor } else { Slot::Base };
        let mut stored = Extras::new();
        match self.texture(layer.texture_id, base.clone(), layer.coord_id, &mut stored).filter(|_| !slotted) {
            Some(texture) => out.textures.push(SceneTexture { extras: wrap(stored), ..texture }),
            None => {
                put_fields!(map, layer, Layer { texture_id: -1, ..Layer::default() }, texture_id);
                put_fields!(map, layer, Layer::default(), coord_id);
            }
        }
        for (n, slot) in layer.textures.iter().enumerate() {
            let mut stored = Extras::new();
            stored.add("slot", slot.slot.json());
            let known = slots().get(slot.slot as usize).cloned();
            let known = if slot.slot == 0 { Some(base.clone()) } else { known };
            let known = known.unwrap_or_else(|| Slot::Other(format!("slot {}", slot.slot)));
            let bindings = slot_bindings(version, id, n);
            let texture = self.texture(slot.texture_id, known.clone(), layer.coord_id, &mut stored);
            if texture.is_none() {
                stored.add("texture", slot.texture_id);
            }
            self.add_tracks(&mut stored, "tracks", &slot.tracks, |tag| find(&bindings, tag));
            let nameless = SceneTexture { slot: known, uv_set: layer.coord_id, ..SceneTexture::default() };
            out.textures.push(SceneTexture { extras: wrap(stored), ..texture.unwrap_or(nameless) });
        }
        let bindings = layer_bindings(version, id, 0);
        self.add_tracks(map, "tracks", &layer.tracks, |tag| find(&bindings, tag));
        self.add_texture_anim(layer, id, map, moved);
        let name = out.textures.first().map_or("", |t| &t.name);
        let stem = name.rsplit(['\\', '/']).next().unwrap_or(name);
        out.name = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).to_owned();
        out
    }

    /// Returns a texture of the material for a layer of a HD shader after the first.
    fn further_layer(
        &mut self,
        layer: &Layer,
        number: usize,
        id: u32,
        out: &mut SceneMaterial,
        moved: &mut [bool],
    ) -> Value {
        let mut map = Extras::new();
        self.layer_fields(layer, &mut map);
        put_fields!(&mut map, layer, Layer::default(), filter_mode, flags, alpha);
        let slot = slots().get(number).cloned().unwrap_or_else(|| Slot::Other(format!("layer {number}")));
        let mut stored = Extras::new();
        stored.add("layer", number as u32);
        match self.texture(layer.texture_id, slot, layer.coord_id, &mut stored) {
            Some(texture) => out.textures.push(SceneTexture { extras: wrap(stored), ..texture }),
            None => {
                put_fields!(&mut map, layer, Layer { texture_id: -1, ..Layer::default() }, texture_id);
                put_fields!(&mut map, layer, Layer::default(), coord_id);
            }
        }
        let bindings = layer_bindings(self.model.version, id, number);
        self.add_tracks(&mut map, "tracks", &layer.tracks, |tag| find(&bindings, tag));
        if usize::try_from(layer.texture_anim_id).ok().and_then(|i| moved.get(i)) == Some(&false) {
            // Its texture animation applies to the whole material if the first layer has none.
            let mut own = Extras::new();
            self.add_texture_anim(layer, id, &mut own, moved);
            map.extend(own);
        }
        Value::Object(map)
    }
}
