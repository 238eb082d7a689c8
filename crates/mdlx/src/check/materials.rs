//! Materials and textures.

use std::collections::HashSet;

use super::{At, Check, is_index, layer_textures};
use crate::rules::*;
use crate::{Feature, Keys, Layer, Material};

impl Check<'_> {
    pub(super) fn materials(&mut self) {
        self.layers();
        self.textures();
        self.unused_materials();
    }

    fn layers(&mut self) {
        let m = self.m;
        for (index, material) in m.materials.iter().enumerate() {
            let at = At("materials", index);
            if material.layers.is_empty() {
                self.add(&NO_LAYERS, at, || "no layers".into());
            }
            for (number, layer) in material.layers.iter().enumerate() {
                for texture in layer_textures(m, layer) {
                    if texture != -1 && !is_index(texture, m.textures.len()) {
                        self.add(&LAYER_TEXTURE, at, || format!("layers[{number}]: texture {texture}"));
                    }
                }
                let anim = layer.texture_anim_id;
                if anim != -1 && !is_index(anim, m.texture_anims.len()) {
                    let message = || format!("layers[{number}]: texture animation {anim}");
                    self.add(&LAYER_TEXTURE_ANIM, at, message);
                }
                if layer.filter_mode > 6 {
                    let message = || format!("layers[{number}]: filter mode {}", layer.filter_mode);
                    self.add(&FILTER_MODE, at, message);
                }
            }
            self.team_color(at, material);
            self.shader(at, material);
        }
    }

    fn team_color(&mut self, at: At, material: &Material) {
        let m = self.m;
        if is_hd(material) {
            return;
        }
        let is_team_color = |layer: &Layer| {
            let texture = layer_textures(m, layer).first().and_then(|id| usize::try_from(*id).ok());
            texture.and_then(|id| m.textures.get(id)).is_some_and(|t| t.replaceable_id == 1)
        };
        let Some(team) = material.layers.iter().position(is_team_color) else { return };
        let above = material.layers.iter().enumerate().skip(team + 1);
        if let Some((layer, _)) = above.into_iter().find(|(_, l)| l.filter_mode == 0) {
            self.add(&TEAM_COLOR_HIDDEN, at, || format!("layers[{layer}] over layers[{team}]"));
        }
    }

    fn shader(&mut self, at: At, material: &Material) {
        let v = self.m.version;
        if v.has(Feature::MaterialShader) {
            let known: [&[u8]; 4] =
                [b"", b"Shader_SD_FixedFunction", b"Shader_HD_DefaultUnit", b"Shader_HD_Crystal"];
            if !known.contains(&material.shader.bytes()) {
                self.add(&SHADER_NAME, at, || material.shader.lossy().into_owned());
            }
            if is_hd(material) && material.layers.len() != 6 {
                self.add(&HD_TEXTURES, at, || format!("{} layers", material.layers.len()));
            }
        }
        if v.has(Feature::TextureSlots) {
            for (number, layer) in material.layers.iter().enumerate() {
                if layer.shader_type == 1 && layer.textures.len() != 6 {
                    let message = || format!("layers[{number}]: {} textures", layer.textures.len());
                    self.add(&HD_TEXTURES, at, message);
                }
            }
        }
    }

    fn textures(&mut self) {
        let m = self.m;
        let mut seen = HashSet::new();
        for (index, texture) in m.textures.iter().enumerate() {
            let at = At("textures", index);
            let path = texture.path.bytes().to_ascii_lowercase();
            let id = texture.replaceable_id;
            let known = if m.version.is_wow() { id <= 14 } else { matches!(id, 0..=2 | 11 | 21 | 31..=37) };
            if !known {
                self.add(&REPLACEABLE_ID, at, || format!("replaceable id {id}"));
            }
            match (path.is_empty(), id) {
                (true, 0) => self.add(&TEXTURE_NO_PATH, at, || "neither".into()),
                (false, 1..) => self.add(&REPLACEABLE_PATH, at, || format!("replaceable id {id}")),
                _ => {}
            }
            let kinds: [&[u8]; 5] = [b".blp", b".tga", b".dds", b".tif", b".tiff"];
            if !path.is_empty() && !kinds.iter().any(|k| path.ends_with(k)) {
                self.add(&TEXTURE_KIND, at, || texture.path.lossy().into_owned());
            }
            if path.get(1) == Some(&b':') || matches!(path.first(), Some(b'/' | b'\\')) {
                self.add(&TEXTURE_FOREIGN_PATH, at, || texture.path.lossy().into_owned());
            }
            if !seen.insert((path, id, texture.flags)) {
                self.add(&TEXTURE_TWICE, at, || "same as another texture".into());
            }
        }
    }

    fn unused_materials(&mut self) {
        let m = self.m;
        let mut materials: HashSet<u32> = m.geosets.iter().map(|g| g.material_id).collect();
        materials.extend(m.ribbon_emitters.iter().map(|r| r.material_id));
        let mut textures: HashSet<i32> = m.particle_emitters2.iter().map(|e| e.texture_id).collect();
        let mut anims: HashSet<i32> = HashSet::new();
        for layer in m.materials.iter().flat_map(|material| &material.layers) {
            textures.extend(layer_textures(m, layer));
            anims.insert(layer.texture_anim_id);
            let slots = layer.textures.iter().flat_map(|t| t.tracks.iter());
            for track in layer.tracks.iter().chain(slots) {
                if let Keys::Integer(curve) = &track.keys {
                    textures.extend(curve.keys.iter().map(|k| k.value as i32));
                }
            }
        }
        for index in 0..m.materials.len() {
            if !materials.contains(&(index as u32)) {
                self.add(&UNUSED_MATERIAL, At("materials", index), || "no geoset or ribbon".into());
            }
        }
        for index in 0..m.textures.len() {
            if !textures.contains(&(index as i32)) {
                self.add(&UNUSED_TEXTURE, At("textures", index), || "no layer or emitter".into());
            }
        }
        for index in 0..m.texture_anims.len() {
            if !anims.contains(&(index as i32)) {
                self.add(&UNUSED_TEXTURE_ANIM, At("texture_anims", index), || "no layer".into());
            }
        }
    }
}

fn is_hd(material: &Material) -> bool {
    material.shader.bytes().starts_with(b"Shader_HD")
}
