//! Materials, their layers and the textures of a layer.

use galatea_wire::Result;

use super::block::{self, Block};
use super::field::{ALL, Field, How, REFORGED, WARCRAFT, WOW, always, at, changed, flag, sidecar};
use super::lex::{Lexer, is};
use super::objects::{parts, print_extra_bytes, take_extra};
use super::out::Out;
use super::sidecar::Line;
use super::track;
use crate::{Feature, Layer, LayerTexture, Material, Owner, Tracks, track_info};

impl Block for Material {
    const WORD: &'static str = "Material";
    const FIELDS: &'static [Field<Self>] = &[
        changed("PriorityPlane", How::Int(at!(priority_plane))),
        changed(
            "",
            How::Flags(
                at!(flags),
                &[
                    flag("ConstantColor", 1, WARCRAFT),
                    flag("TwoSided", 2, REFORGED),
                    flag("SortPrimsNearZ", 8, WARCRAFT),
                    flag("SortPrimsFarZ", 0x10, WARCRAFT),
                    flag("FullResolution", 0x20, WARCRAFT),
                ],
            ),
        ),
        changed("Shader", How::Text(at!(shader.0))).versions((900, 1000)),
    ];

    fn parse_more(&mut self, lex: &mut Lexer<'_>, word: &[u8], _: bool, bits: &mut u32) -> Result<bool> {
        if is(word, "RenderMode") {
            // One tool writes all bits as one number.
            *bits |= lex.bits32()?;
            return Ok(true);
        }
        if !is(word, "Layer") {
            return Ok(false);
        }
        let layer = block::parse::<Layer>(lex, Vec::new());
        let mut layer = layer.map_err(|e| e.within(format!("layers[{}]", self.layers.len())))?;
        if lex.version.has(Feature::TextureSlots) {
            self.layers.push(layer);
            return Ok(true);
        }
        // Before 1100, every texture of a HD material is a separate layer; some tools write them as one.
        let textures = std::mem::take(&mut layer.textures);
        for (index, texture) in textures.iter().enumerate().skip(1) {
            lex.spend_block::<Layer>()?;
            if index == 1 {
                self.layers.push(first_of(&layer, textures.first()));
            }
            let plain = Layer { tracks: Tracks::default(), ..layer.clone() };
            self.layers.push(first_of(&plain, Some(texture)));
        }
        if textures.len() < 2 {
            self.layers.push(first_of(&layer, textures.first()));
        }
        Ok(true)
    }

    fn print_more(&self, out: &mut Out) -> Result<()> {
        print_extra_bytes(out, &self.extra);
        for (index, layer) in self.layers.iter().enumerate() {
            let (start, from) = (out.len(), out.sidecar_len());
            block::print(out, layer).map_err(|e| e.within(format!("layers[{index}]")))?;
            out.place_sidecar_in_block(start, from);
        }
        Ok(())
    }

    fn take_line(&mut self, lex: &mut Lexer<'_>, line: Line<'_>, _: u32) -> Result<bool> {
        take_extra(lex, line, &mut self.extra)
    }
}

/// Returns the layer with this texture.
fn first_of(layer: &Layer, texture: Option<&LayerTexture>) -> Layer {
    let mut layer = layer.clone();
    if let Some(texture) = texture {
        layer.texture_id = texture.texture_id;
        layer.tracks.list.extend(texture.tracks.list.iter().cloned());
    }
    layer
}

/// Keywords for the textures of a layer, by slot.
const SLOTS: [&str; 6] = [
    "TextureID",
    "NormalTextureID",
    "ORMTextureID",
    "EmissiveTextureID",
    "TeamColorTextureID",
    "ReflectionsTextureID",
];

/// Alternative keywords for them.
const SLOT_SYNONYMS: [(&str, u32); 3] =
    [("DiffuseTextureID", 0), ("EnvironmentTextureID", 5), ("ReflectionTextureID", 5)];

fn slot_of(word: &[u8]) -> Option<u32> {
    let slot = SLOTS.iter().position(|w| is(word, w)).map(|slot| slot as u32);
    slot.or_else(|| SLOT_SYNONYMS.iter().find(|(w, _)| is(word, w)).map(|(_, slot)| *slot))
}

const BEFORE_SLOTS: (u32, u32) = (800, 1099);
const SINCE_SLOTS: (u32, u32) = (1100, 1299);

impl Block for Layer {
    const WORD: &'static str = "Layer";
    const FIELDS: &'static [Field<Self>] = &[
        always(
            "FilterMode",
            How::Named(
                at!(filter_mode),
                &["None", "Transparent", "Blend", "Additive", "AddAlpha", "Modulate", "Modulate2x"],
            ),
        ),
        changed(
            "",
            How::Flags(
                at!(flags),
                &[
                    flag("Unshaded", 1, ALL),
                    flag("SphereEnvMap", 2, ALL),
                    flag("TwoSided", 0x10, ALL),
                    flag("Unfogged", 0x20, ALL),
                    flag("NoDepthTest", 0x40, ALL),
                    flag("NoDepthSet", 0x80, ALL),
                    flag("Unlit", 0x100, REFORGED),
                    flag("NoFallback", 0x100, (1500, 1500)),
                ],
            ),
        ),
        always("TextureID", How::MovingInt(at!(texture_id))).versions(BEFORE_SLOTS),
        always("TextureID", How::MovingInt(at!(texture_id))).versions(WOW),
        sidecar("texture_id", How::Int(at!(texture_id))).versions(SINCE_SLOTS),
        changed("TVertexAnimId", How::Int(at!(texture_anim_id))),
        changed("CoordId", How::Uint(at!(coord_id))),
        changed("Alpha", How::Moving(at!(alpha))),
        changed("EmissiveGain", How::Moving(at!(emissive_gain))).versions(REFORGED),
        changed("FresnelColor", How::Color(at!(fresnel_color))).versions((1000, 1299)),
        changed("FresnelOpacity", How::Moving(at!(fresnel_opacity))).versions((1000, 1299)),
        changed("FresnelTeamColor", How::Moving(at!(fresnel_team_color))).versions((1000, 1299)),
        always("ShaderTypeId", How::Uint(at!(shader_type))).versions(SINCE_SLOTS),
    ];
    parts!(tracks Layer);

    fn parse_more(&mut self, lex: &mut Lexer<'_>, word: &[u8], fixed: bool, _: &mut u32) -> Result<bool> {
        if is(word, "Shader") {
            // The name of a HD shader, where other tools write `ShaderTypeId 1`.
            let name = lex.string()?;
            self.shader_type = u32::from(name.windows(4).any(|w| w.eq_ignore_ascii_case(b"_HD_")));
            return Ok(true);
        }
        let Some(slot) = slot_of(word) else { return Ok(false) };
        self.parse_texture(lex, slot, fixed)
    }

    fn print_more(&self, out: &mut Out) -> Result<()> {
        if !out.version.has(Feature::TextureSlots) {
            return Ok(());
        }
        for (index, texture) in self.textures.iter().enumerate() {
            let LayerTexture { texture_id, slot, tracks } = texture;
            let (word, more) = match SLOTS.get(*slot as usize) {
                Some(word) => (*word, String::new()),
                None => ("TextureID", format!(" <= {slot}")),
            };
            match tracks.iter().next() {
                None => out.line("static", |out| out.raw(format!("{word} {texture_id}{more}").as_bytes())),
                Some(_) => {
                    if *texture_id != 0 {
                        out.sidecar(format!("texture {index} {texture_id}"));
                    }
                    for (nth, track) in tracks.iter().enumerate() {
                        if nth > 0 {
                            // Without this it would be taken for another texture.
                            out.sidecar(format!("again {index}"));
                        }
                        let head = format!("{word} {}{more}", track.keys.len());
                        track::print(out, track, Owner::LayerTexture, Some(&head))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take_line(&mut self, lex: &mut Lexer<'_>, line: Line<'_>, _: u32) -> Result<bool> {
        let numbers = line.numbers(lex);
        match (line.key(), numbers.as_deref()) {
            (b"texture", Ok([index, id])) => {
                // Only if there is a track: otherwise the plain text has the value.
                let texture = self.textures.get_mut(*index as usize);
                if let Some(texture) = texture.filter(|t| !t.tracks.is_empty()) {
                    texture.texture_id = *id as i32;
                }
            }
            (b"again", Ok([index])) => {
                let (this, next) = (*index as usize, *index as usize + 1);
                let both = self.textures.get(this).zip(self.textures.get(next));
                if both.is_some_and(|(a, b)| a.slot == b.slot && !a.tracks.is_empty() && !b.tracks.is_empty())
                {
                    let mut twin = self.textures.remove(next);
                    if let Some(texture) = self.textures.get_mut(this) {
                        texture.tracks.list.append(&mut twin.tracks.list);
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Layer {
    /// Parses `static TextureID 3`, `static TextureID 3 <= 1` or `NormalTextureID 2 { track }`.
    fn parse_texture(&mut self, lex: &mut Lexer<'_>, mut slot: u32, fixed: bool) -> Result<bool> {
        let version = lex.version;
        let slots = version.has(Feature::TextureSlots);
        lex.skip();
        let start = lex.pos();
        let moving = !fixed && track::comes(lex)?;
        let number = if lex.is_number() { lex.bits32()? } else { 0 };
        let named = lex.eat_pair(b"<=");
        if named {
            slot = lex.bits32()?;
        }
        if !slots && !named && slot == 0 {
            lex.rewind(start);
            return Ok(false);
        }
        let mut texture = LayerTexture { slot, ..LayerTexture::default() };
        if moving {
            lex.rewind(start);
            let owner = if slots { Owner::LayerTexture } else { Owner::Layer };
            if let Some(info) = track_info(b"KMTF".into(), owner, version) {
                texture.tracks.push(track::parse(lex, info)?);
            }
        } else {
            texture.texture_id = number as i32;
        }
        lex.spend_block::<LayerTexture>()?;
        self.textures.push(texture);
        Ok(true)
    }
}
