//! Conversion between versions of Warcraft III.

use std::collections::{BTreeSet, HashMap};

use galatea_wire::Text;

use super::{ConvertOptions, Losses, reset};
use crate::{Feature, Helper, Keys, Layer, LayerTexture, Model, NodeKind, Tracks, Version};

const HD_SHADER: &[u8] = b"Shader_HD_DefaultUnit";
const SLOT_NAMES: [&str; 6] = ["diffuse", "normal", "ORM", "emissive", "team colour", "reflections"];

fn hd_shader() -> Text<80> {
    Text::new(HD_SHADER).unwrap_or_default()
}

impl Model {
    pub(super) fn between_warcraft(&mut self, to: Version, options: &ConvertOptions, losses: &mut Losses) {
        let from = self.version;
        let gains = |feature| !from.has(feature) && to.has(feature);
        let drops = |feature| from.has(feature) && !to.has(feature);
        let before = if drops(Feature::LevelOfDetail) { self.used_textures() } else { BTreeSet::new() };
        if drops(Feature::TextureSlots) {
            self.materials_from_slots(losses);
        }
        if drops(Feature::Fresnel) {
            self.drop_fresnel(losses);
        }
        if drops(Feature::EmissiveGain) {
            self.drop_hd_materials(losses);
            self.drop_emissive(losses);
        }
        if gains(Feature::TextureSlots) {
            self.materials_to_slots(losses);
        }
        if drops(Feature::LevelOfDetail) {
            self.choose_lod(options.lod, losses);
            self.drop_hd_meshes(options, losses);
            self.drop_reforged_chunks(losses);
            self.classic_textures(&before, losses);
        }
        if drops(Feature::ShadowIntensity) {
            for (index, light) in self.lights.iter_mut().enumerate() {
                let path = format!("lights[{index}]");
                reset(losses, &path, "shadow intensity", &mut light.shadow_intensity, 0.4);
            }
        }
        self.version = to;
    }

    /// Converts one layer with slots (from 1100 on) to one layer per texture.
    fn materials_from_slots(&mut self, losses: &mut Losses) {
        for (index, material) in self.materials.iter_mut().enumerate() {
            let path = format!("materials[{index}]");
            match material.layers.iter().position(|l| l.shader_type == 1) {
                Some(hd) => {
                    if material.layers.len() > 1 {
                        let what = format!(
                            "a HD material has one layer: {} others are lost",
                            material.layers.len() - 1
                        );
                        losses.add(&path, what);
                    }
                    let layer = material.layers.swap_remove(hd);
                    material.layers = layers_from_slots(&path, layer, losses);
                    material.shader = hd_shader();
                }
                None => {
                    for (number, layer) in material.layers.iter_mut().enumerate() {
                        reset(losses, &path, "shader type", &mut layer.shader_type, 0);
                        let mut slots = std::mem::take(&mut layer.textures).into_iter();
                        let first = slots.next();
                        for slot in slots {
                            let what = format!(
                                "layers[{number}]: texture {} of slot {} is lost",
                                slot.texture_id, slot.slot
                            );
                            losses.add(&path, what);
                        }
                        layer.texture_id = first.as_ref().map_or(-1, |s| s.texture_id);
                        layer.tracks.list.extend(first.into_iter().flat_map(|s| s.tracks.list));
                    }
                }
            }
        }
    }

    /// Converts one layer per texture to one layer with slots.
    fn materials_to_slots(&mut self, losses: &mut Losses) {
        for (index, material) in self.materials.iter_mut().enumerate() {
            let path = format!("materials[{index}]");
            let shader = std::mem::take(&mut material.shader);
            let known: [&[u8]; 3] = [b"", b"Shader_SD_FixedFunction", HD_SHADER];
            if !known.contains(&shader.bytes()) {
                losses.add(&path, format!("shader {} is lost", shader.lossy()));
            }
            let hd = shader.bytes().starts_with(b"Shader_HD");
            if hd && !material.layers.is_empty() {
                material.layers =
                    vec![slots_from_layers(&path, std::mem::take(&mut material.layers), losses)];
                continue;
            }
            for layer in &mut material.layers {
                let texture_id = std::mem::replace(&mut layer.texture_id, 0);
                let tracks = layer.tracks.take(b"KMTF");
                layer.textures = vec![LayerTexture { texture_id, slot: 0, tracks: tracks.into() }];
            }
        }
    }

    fn drop_fresnel(&mut self, losses: &mut Losses) {
        for (index, layer) in
            self.materials.iter_mut().enumerate().flat_map(|(i, m)| m.layers.iter_mut().map(move |l| (i, l)))
        {
            let path = format!("materials[{index}]");
            reset(losses, &path, "fresnel colour", &mut layer.fresnel_color, [1.0; 3]);
            reset(losses, &path, "fresnel opacity", &mut layer.fresnel_opacity, 0.0);
            reset(losses, &path, "fresnel team colour", &mut layer.fresnel_team_color, 0.0);
            drop_tracks(&path, &mut layer.tracks, &[b"KFC3", b"KFCA", b"KFTC"], losses);
        }
    }

    fn drop_emissive(&mut self, losses: &mut Losses) {
        for (index, material) in self.materials.iter_mut().enumerate() {
            let path = format!("materials[{index}]");
            let two_sided = material.flags & 2 != 0;
            material.flags &= !2;
            for layer in &mut material.layers {
                // Some files have NaN, which means 1.
                if layer.emissive_gain.is_nan() {
                    layer.emissive_gain = 1.0;
                }
                reset(losses, &path, "emissive gain", &mut layer.emissive_gain, 1.0);
                drop_tracks(&path, &mut layer.tracks, &[b"KMTE"], losses);
                if two_sided {
                    layer.flags |= 0x10;
                }
                if layer.flags & 0x100 != 0 {
                    losses.add(&path, "an unlit layer became an unshaded one");
                    layer.flags = layer.flags & !0x100 | 1;
                }
            }
        }
    }

    /// Keeps the first of the six textures of a HD material: the others need its shader.
    fn drop_hd_materials(&mut self, losses: &mut Losses) {
        for (index, material) in self.materials.iter_mut().enumerate() {
            let path = format!("materials[{index}]");
            if material.shader.bytes().starts_with(b"Shader_HD") {
                for (layer, name) in material.layers.iter().zip(SLOT_NAMES).skip(1) {
                    losses.add(&path, format!("the {name} texture {} is lost", layer.texture_id));
                }
                material.layers.truncate(1);
            }
            let usual = matches!(material.shader.bytes(), b"" | b"Shader_SD_FixedFunction" | HD_SHADER);
            if !usual {
                losses.add(&path, format!("shader {} is lost", material.shader.lossy()));
            }
            material.shader = Text::default();
        }
    }

    /// Keeps the geosets of one level of detail.
    fn choose_lod(&mut self, wanted: i32, losses: &mut Losses) {
        let levels: BTreeSet<i32> = self.geosets.iter().map(|g| g.lod).filter(|l| *l >= 0).collect();
        let level = levels.range(wanted..).next().or(levels.iter().next_back()).copied();
        let keep = |lod: i32| lod < 0 || Some(lod) == level;
        let before = self.geosets.len();
        let mut moved: HashMap<usize, usize> = HashMap::new();
        let mut kept = Vec::new();
        for (index, mut geoset) in std::mem::take(&mut self.geosets).into_iter().enumerate() {
            let path = format!("geosets[{index}]");
            if !keep(geoset.lod) {
                losses.add(&path, format!("level of detail {} is lost", geoset.lod));
                continue;
            }
            moved.insert(index, kept.len());
            geoset.lod = 0;
            if std::mem::take(&mut geoset.lod_name) != Text::default() {
                losses.add_invisible(&path, "the name of its level of detail is lost");
            }
            kept.push(geoset);
        }
        self.geosets = kept;
        self.renumber_geosets(before, &moved, losses);
    }

    fn renumber_geosets(&mut self, before: usize, moved: &HashMap<usize, usize>, losses: &mut Losses) {
        // References that were out of range stay out of range, since no geosets are added.
        let new = |id: i32| match usize::try_from(id) {
            Ok(old) if old < before => moved.get(&old).and_then(|n| i32::try_from(*n).ok()),
            _ => Some(id),
        };
        let count = self.geoset_anims.len();
        let mut anims: HashMap<i32, i32> = HashMap::new();
        let mut kept = Vec::new();
        for (index, mut anim) in std::mem::take(&mut self.geoset_anims).into_iter().enumerate() {
            let Some(id) = new(anim.geoset_id) else {
                let what = format!("geoset {} was removed", anim.geoset_id);
                losses.add(format!("geoset_anims[{index}]"), what);
                continue;
            };
            anim.geoset_id = id;
            anims.insert(index as i32, kept.len() as i32);
            kept.push(anim);
        }
        self.geoset_anims = kept;
        for bone in &mut self.bones {
            bone.geoset_id = new(bone.geoset_id).unwrap_or(-1);
            if usize::try_from(bone.geoset_anim_id).is_ok_and(|id| id < count) {
                bone.geoset_anim_id = anims.get(&bone.geoset_anim_id).copied().unwrap_or(-1);
            }
        }
    }

    fn drop_hd_meshes(&mut self, options: &ConvertOptions, losses: &mut Losses) {
        for (index, geoset) in self.geosets.iter_mut().enumerate() {
            geoset.skin_first = false;
            if geoset.tangents.take().is_some() {
                losses.add(format!("geosets[{index}]"), "tangents are lost");
            }
        }
        self.group_skins(options.weights, losses);
    }

    /// Drops the textures that only HD materials used, and lets the paths of the others name files that the classic game loads.
    fn classic_textures(&mut self, before: &BTreeSet<u32>, losses: &mut Losses) {
        let used = self.used_textures();
        let mut moved: HashMap<u32, u32> = HashMap::new();
        let mut kept = Vec::new();
        for (index, mut texture) in (0..).zip(std::mem::take(&mut self.textures)) {
            if before.contains(&index) && !used.contains(&index) {
                continue;
            }
            let path = texture.path.lossy().into_owned();
            let ending = path.rsplit_once('.').map(|(stem, ending)| (stem, ending.to_ascii_lowercase()));
            if let Some((stem, "tif" | "dds")) =
                ending.as_ref().map(|(stem, ending)| (*stem, ending.as_str()))
            {
                let new = format!("{}.blp", stem.replace('/', "\\"));
                losses.add_invisible(
                    format!("textures[{index}]"),
                    format!("{path:?} became {new:?}: convert the image too"),
                );
                texture.path = Text::new(new.as_bytes()).unwrap_or(texture.path);
            }
            moved.insert(index, kept.len() as u32);
            kept.push(texture);
        }
        self.textures = kept;
        // References that were out of range stay so.
        self.each_texture_id(&mut |id| *id = moved.get(id).copied().unwrap_or(*id));
    }

    /// Returns the indices of the textures that something refers to.
    fn used_textures(&mut self) -> BTreeSet<u32> {
        let mut used = BTreeSet::new();
        self.each_texture_id(&mut |id| used.extend([*id]));
        used
    }

    /// Calls with every reference to a texture.
    fn each_texture_id(&mut self, call: &mut dyn FnMut(&mut u32)) {
        let mut signed = |id: &mut i32| {
            if let Ok(mut index) = u32::try_from(*id) {
                call(&mut index);
                *id = i32::try_from(index).unwrap_or(*id);
            }
        };
        for layer in self.materials.iter_mut().flat_map(|m| &mut m.layers) {
            signed(&mut layer.texture_id);
            layer.textures.iter_mut().for_each(|slot| signed(&mut slot.texture_id));
        }
        self.particle_emitters2.iter_mut().for_each(|emitter| signed(&mut emitter.texture_id));
        for layer in self.materials.iter_mut().flat_map(|m| &mut m.layers) {
            let slots = layer.textures.iter_mut().map(|slot| &mut slot.tracks);
            for tracks in std::iter::once(&mut layer.tracks).chain(slots) {
                for track in tracks.list.iter_mut().filter(|t| t.tag.0 == *b"KMTF") {
                    if let Keys::Integer(curve) = &mut track.keys {
                        curve.keys.iter_mut().for_each(|key| call(&mut key.value));
                    }
                }
            }
        }
    }

    fn drop_reforged_chunks(&mut self, losses: &mut Losses) {
        if !std::mem::take(&mut self.bind_poses).is_empty() {
            losses.add_invisible("bind_poses", "the bind pose is lost");
        }
        for effect in std::mem::take(&mut self.face_effects) {
            losses.add("face_effects", format!("{} is lost", effect.path.lossy()));
        }
        for (index, emitter) in std::mem::take(&mut self.popcorn_emitters).into_iter().enumerate() {
            let what = format!("{} is lost; its node became a helper", emitter.path.lossy());
            losses.add(format!("popcorn_emitters[{index}]"), what);
            let mut node = emitter.node;
            node.flags &= !(NodeKind::PopcornEmitter.warcraft_bit() | 0x4_0000);
            self.helpers.push(Helper { node });
        }
    }
}

/// Removes tracks with these tags; each is a loss.
pub(super) fn drop_tracks(path: &str, tracks: &mut Tracks, tags: &[&[u8; 4]], losses: &mut Losses) {
    tracks.list.retain(|track| {
        let lost = tags.contains(&&track.tag.0);
        if lost {
            losses.add(path, format!("{} is lost", track.tag));
        }
        !lost
    });
}

fn layers_from_slots(path: &str, mut layer: Layer, losses: &mut Losses) -> Vec<Layer> {
    let mut slots = std::mem::take(&mut layer.textures);
    layer.shader_type = 0;
    slots.sort_by_key(|s| s.slot);
    let mut out: Vec<Layer> = Vec::new();
    for slot in slots {
        let number = out.len();
        if number >= 6 {
            losses.add(path, format!("texture {} of slot {} is lost", slot.texture_id, slot.slot));
            continue;
        }
        let mut own = if number == 0 { layer.clone() } else { plain_copy(&layer) };
        own.texture_id = slot.texture_id;
        own.tracks.list.extend(slot.tracks.list);
        out.push(own);
    }
    if out.is_empty() {
        out.push(layer);
    }
    out
}

/// Returns a copy of the layer without the settings that only the first layer has.
fn plain_copy(layer: &Layer) -> Layer {
    Layer { filter_mode: layer.filter_mode, flags: layer.flags, coord_id: layer.coord_id, ..Layer::default() }
}

fn slots_from_layers(path: &str, layers: Vec<Layer>, losses: &mut Losses) -> Layer {
    let mut slots = Vec::new();
    let mut first: Option<Layer> = None;
    for (number, mut layer) in layers.into_iter().enumerate() {
        let tracks = layer.tracks.take(b"KMTF");
        slots.push(LayerTexture { texture_id: layer.texture_id, slot: number as u32, tracks: tracks.into() });
        if first.is_none() {
            first = Some(layer);
        } else if !layer.tracks.is_empty() {
            for track in &layer.tracks {
                losses.add(path, format!("layers[{number}]: {} is lost", track.tag));
            }
        }
    }
    Layer { texture_id: 0, shader_type: 1, textures: slots, ..first.unwrap_or_default() }
}
