//! Materials of scenes that did not come from this format: what their names mean, the game's own textures, and paths.

use galatea_scene::{Material as SceneMaterial, Slot, Texture as SceneTexture};

use super::FromScene;
use crate::scene::extra::text;
use crate::scene::vocabulary::{slots, texture_name};
use crate::{Feature, Layer, LayerTexture, Material, Model, Texture, Version};

/// Layer flags by the words that name them in a text model.
const FLAGS: [(&str, u32); 5] =
    [("unshaded", 1), ("twosided", 0x10), ("unfogged", 0x20), ("nodepthtest", 0x40), ("nodepthset", 0x80)];

/// Filter modes by the words that name them in a text model.
const FILTERS: [(&str, u32); 6] =
    [("transparent", 1), ("blend", 2), ("additive", 3), ("addalpha", 4), ("modulate", 5), ("modulate2x", 6)];

const BLEND: u32 = 2;
const ADDITIVE: u32 = 3;
const ADD_ALPHA: u32 = 4;

/// Replaceable textures: the colour of the player, and the glow of heroes.
const TEAM_COLOR: u32 = 1;
const TEAM_GLOW: u32 = 2;

/// The textures of an HD material that a scene does not give.
const USUAL: [&str; 6] = [
    "Textures\\white.dds",
    "Textures\\normal.dds",
    "Textures\\orm.dds",
    "Textures\\Black32.dds",
    "",
    "ReplaceableTextures\\EnvironmentMap.dds",
];

/// What the name of a material says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Words {
    /// The replaceable texture it shows.
    pub(super) replaceable: Option<u32>,
    pub(super) filter_mode: Option<u32>,
    pub(super) flags: u32,
}

impl Words {
    /// Reads a name such as `Hero TeamColor`, `glow_additive_twosided` or `ReplaceableId31`.
    pub(super) fn of(name: &str) -> Words {
        let name = name.to_lowercase();
        let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let whole: String = words.concat();
        let number = |after: &str| {
            let digits = whole.split_once(after)?.1;
            let end = digits.bytes().take_while(u8::is_ascii_digit).count();
            digits.get(..end)?.parse().ok()
        };
        let replaceable = match () {
            () if whole.contains("teamcolor") || whole.contains("teamcolour") => Some(TEAM_COLOR),
            () if whole.contains("teamglow") => Some(TEAM_GLOW),
            () => number("replaceableid").or_else(|| number("replaceable")),
        };
        let filter_mode = FILTERS.iter().find(|(word, _)| words.contains(word)).map(|(_, mode)| *mode);
        let flags = FLAGS.iter().filter(|(word, _)| whole.contains(word)).fold(0, |all, (_, bit)| all | bit);
        Words { replaceable, filter_mode, flags }
    }
}

/// Returns the path by which the game finds a texture: with the ending of the format that it reads.
pub(super) fn game_path(name: &str, version: Version) -> String {
    let known = |ending: &str| ["blp", "dds", "tga", "tif"].iter().any(|e| e.eq_ignore_ascii_case(ending));
    let image = |ending: &str| {
        ["png", "jpg", "jpeg", "webp", "bmp", "tiff", "psd", "gif", "exr", "hdr", "ktx2", "avif"]
            .iter()
            .any(|e| e.eq_ignore_ascii_case(ending))
    };
    let stem = match name.rsplit_once('.') {
        Some((_, ending)) if known(ending) => return name.to_owned(),
        Some((stem, ending)) if image(ending) => stem,
        _ => name,
    };
    let ending = if version.has(Feature::SkinWeights) { "dds" } else { "blp" };
    format!("{stem}.{ending}")
}

impl FromScene<'_> {
    /// Gives the layers of a new material what its name says: filter, flags, and the textures that the game replaces.
    pub(super) fn apply_words(&mut self, model: &mut Model, from: &SceneMaterial, out: &mut Material) {
        let words = Words::of(&from.name);
        let Some(first) = out.layers.first_mut() else { return };
        first.filter_mode = words.filter_mode.unwrap_or(first.filter_mode);
        first.flags |= words.flags;
        if matches!(first.filter_mode, ADDITIVE | ADD_ALPHA) {
            // Light is neither lit nor fogged.
            first.flags |= 0x21;
        }
        let Some(id) = words.replaceable else { return };
        let texture = self.replaceable(model, id);
        let painted = from.textures.iter().any(|t| matches!(t.slot, Slot::Base));
        if id == TEAM_COLOR && painted {
            // The colour of the player shows through the holes of the skin.
            first.filter_mode = BLEND;
            let mut under = Layer { flags: first.flags, ..self.bare_layer() };
            self.set_texture(&mut under, texture);
            out.layers.insert(0, under);
            return;
        }
        if id == TEAM_GLOW {
            first.filter_mode = words.filter_mode.unwrap_or(ADDITIVE);
            first.flags |= 0x21;
        }
        let mut layer = std::mem::take(first);
        self.set_texture(&mut layer, texture);
        if let Some(first) = out.layers.first_mut() {
            *first = layer;
        }
    }

    fn bare_layer(&self) -> Layer {
        let texture_id = if self.version.has(Feature::TextureSlots) { 0 } else { -1 };
        Layer { texture_id, ..Layer::default() }
    }

    /// Sets the only texture of a layer.
    pub(super) fn set_texture(&self, layer: &mut Layer, texture: u32) {
        let texture_id = texture as i32;
        if self.version.has(Feature::TextureSlots) {
            layer.textures = vec![LayerTexture { texture_id, ..LayerTexture::default() }];
        } else {
            layer.texture_id = texture_id;
        }
    }

    /// Returns the index of a texture that the game replaces.
    pub(super) fn replaceable(&mut self, model: &mut Model, id: u32) -> u32 {
        let is = |t: &Texture| t.replaceable_id == id && t.path.bytes().is_empty();
        if let Some(found) = model.textures.iter().position(is) {
            return found as u32;
        }
        let flags = if self.version.has(Feature::SkinWeights) { 3 } else { 0 };
        model.textures.push(Texture { replaceable_id: id, path: Default::default(), flags });
        model.textures.len() as u32 - 1
    }

    /// Returns the six textures of the HD shader for a new material, in the order of its slots; `None` if the material has only a
    /// colour.
    pub(super) fn hd_textures(&mut self, model: &mut Model, from: &SceneMaterial) -> Option<[u32; 6]> {
        let wanted = [Slot::Normal, Slot::OcclusionRoughnessMetallic, Slot::Emissive];
        if !self.version.has(Feature::SkinWeights) || !wanted.iter().any(|slot| from.texture(slot).is_some())
        {
            return None;
        }
        let mut out = [0; 6];
        for ((id, slot), usual) in out.iter_mut().zip(slots()).zip(USUAL) {
            *id = match from.texture(&slot) {
                Some(texture) => self.texture_id(model, texture),
                None if slot == Slot::TeamColor => self.replaceable(model, TEAM_COLOR),
                None => self
                    .texture_id(model, &SceneTexture { name: usual.to_owned(), ..SceneTexture::default() }),
            };
        }
        Some(out)
    }

    /// Returns the path that a texture of the scene gets in the model.
    pub(super) fn path_of(&self, texture: &SceneTexture) -> galatea_wire::Text<260> {
        text(&game_path(&texture.name, self.version))
    }

    /// Returns `true` if a texture of the model is the one that the scene names.
    pub(super) fn is_texture(&self, texture: &Texture, name: &str) -> bool {
        let own = texture_name(texture);
        own == name || own == game_path(name, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_materials_have_a_meaning() {
        let words = |replaceable, filter_mode, flags| Words { replaceable, filter_mode, flags };
        assert_eq!(Words::of("Hero"), Words::default());
        assert_eq!(Words::of("Body_TeamColor.001"), words(Some(1), None, 0));
        assert_eq!(Words::of("team colour"), words(Some(1), None, 0));
        assert_eq!(Words::of("Team Glow"), words(Some(2), None, 0));
        assert_eq!(Words::of("ReplaceableId31"), words(Some(31), None, 0));
        assert_eq!(Words::of("wings Additive TwoSided"), words(None, Some(3), 0x10));
        assert_eq!(Words::of("smoke-modulate2x_unshaded"), words(None, Some(6), 1));
        assert_eq!(Words::of("Blender material"), Words::default());
    }

    #[test]
    fn paths_get_the_ending_of_the_game() {
        let old = |name: &str| game_path(name, Version(800));
        assert_eq!(old("hero"), "hero.blp");
        assert_eq!(old("hero.png"), "hero.blp");
        assert_eq!(old("v1.5 skin"), "v1.5 skin.blp");
        assert_eq!(old("Units\\Human\\hero.BLP"), "Units\\Human\\hero.BLP");
        assert_eq!(game_path("hero_diffuse", Version(1000)), "hero_diffuse.dds");
    }
}
