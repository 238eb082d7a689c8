//! New materials: what their names, custom properties and glTF itself say, completed from a preset.

use std::borrow::Cow;
use std::collections::HashSet;

use galatea_scene::{
    AlphaMode, Extras, Material, Scene, Slot, Texture, Value, floats, read_float, read_floats,
};
use galatea_wire::{Error, Loss, Result};

use crate::mesh::Mesh;
use crate::model::Parameter;
use crate::name::Name;
use crate::presets::{Preset, Presets, bracketed, parse_flags, same};
use crate::scene::Game;
use crate::scene::extra::{index, own, text};
use crate::scene::material::{BLEND, GLASS, slot_kind};

/// Flag of meshes whose holes are drawn as the games' own files draw them.
const HOLES: u32 = 0x4000;

impl Presets {
    /// Gives every new material of a scene what a model needs of it: shader, technique, flags, parameters, and a texture in
    /// each slot. What decides, in this order: custom properties of the material (`preset`, `shader`, `technique`,
    /// `flags`, parameters such as `MatParamIndex_0`, slots such as `Translucent_Tex_LIN`), its name (see
    /// [`Presets::of_material`]), `preset`, what the scene tells of it. Returns what of the materials has no place.
    ///
    /// [`Fmdl::from_scene`](crate::Fmdl::from_scene) does this with the built-in presets.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Game, Presets, SceneOptions};
    /// let mut scene = galatea_scene::example();
    /// Presets::built_in().apply(&mut scene, Game::Tpp, Some("tpp-two-sided"))?;
    /// let (model, _) = Fmdl::from_scene(&scene, &SceneOptions::default())?;
    /// assert_eq!(model.materials[0].technique, "fox3DDF_Blin_NC_LNM".into());
    /// assert_eq!(model.materials[0].textures.len(), 3);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn apply(&self, scene: &mut Scene, game: Game, preset: Option<&str>) -> Result<Vec<Loss>> {
        let chosen = preset.map(|name| self.named(name)).transpose()?;
        let skinned = skinned_materials(scene);
        let mut losses = Vec::new();
        for (id, material) in (0u32..).zip(&mut scene.materials) {
            if is_new(material) {
                self.complete(material, game, chosen, skinned.contains(&id), &mut losses)?;
            }
        }
        Ok(losses)
    }

    /// Returns the preset of a name, or says which one was meant.
    pub fn named(&self, name: &str) -> Result<&Preset> {
        self.find(name).ok_or_else(|| {
            let meant = self.closest(name).map_or(String::new(), |n| format!("; {n:?} is"));
            Error::unrepresentable(format!("preset {name:?} is not known{meant}"))
        })
    }

    /// Completes one material.
    fn complete(
        &self,
        material: &mut Material,
        game: Game,
        chosen: Option<&Preset>,
        skinned: bool,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let properties =
            Properties { own: own(&material.extras).clone(), custom: custom(&material.extras).clone() };
        let place = format!("material {:?}", material.name);
        let preset =
            self.choose(material, &properties, game, chosen, skinned).map_err(|e| e.within(&place))?;
        let preset = preset.as_ref();
        if let Some(word) = bracketed(&material.name).filter(|word| self.find(word).is_some()) {
            let plain = material.name.replacen(&format!("[{word}]"), "", 1);
            material.name = plain.trim().to_owned();
        }
        let mut flags = preset.flags;
        match material.alpha {
            AlphaMode::Mask { .. } if flags & Mesh::ALPHA_TEST == 0 => {
                flags |= Mesh::ALPHA_TEST | if game == Game::Pes { 0 } else { HOLES };
            }
            AlphaMode::Opaque | AlphaMode::Mask { .. } => {}
            AlphaMode::Additive if flags & BLEND == 1 => {}
            _ if flags & (GLASS | BLEND) != 0 => {}
            // The engine draws this shader deferred, which has no blending.
            _ => {
                flags |= Mesh::ALPHA_TEST;
                losses.push(Loss::new(
                    &place,
                    "blending; it is cut out instead: choose a preset of glass or light",
                ));
            }
        }
        // A shader of constant colour is what unlit means.
        material.unlit &= !preset.technique.text().is_some_and(|t| t.contains("Constant"));
        if material.two_sided {
            flags |= Mesh::TWO_SIDED;
        }
        if let Some(given) = properties.flags().map_err(|e| e.within(&place))? {
            flags = given;
        }
        let mut out = properties.own.clone();
        out.insert("flags", i64::from(flags));
        out.insert("shader", preset.shader.to_string());
        out.insert("technique", preset.technique.to_string());
        let parameters = properties.parameters(preset, self);
        let stored = parameters
            .iter()
            .map(|p| Value::from([("name", p.name.to_string().into()), ("value", floats(&p.value))]));
        out.insert("parameters", Value::Array(stored.collect()));
        out.insert("complete", true);
        self.place_textures(material, preset, &properties, game, losses);
        material.extras.insert("fmdl", out);
        Ok(())
    }

    /// Returns the preset that a material asks for, with what it says of shader and technique.
    fn choose(
        &self,
        material: &Material,
        properties: &Properties,
        game: Game,
        chosen: Option<&Preset>,
        skinned: bool,
    ) -> Result<Cow<'_, Preset>> {
        let word = |key: &str| properties.get(key).and_then(Value::as_str);
        let pair = word("shader").map(Name::parse).zip(word("technique").map(Name::parse));
        if let Some((shader, technique)) = &pair
            && let Some(preset) = self.of_pair(shader, technique)
        {
            return Ok(Cow::Borrowed(preset));
        }
        if let Some(word) = bracketed(&material.name)
            && ["gz-", "tpp-", "pes-"].iter().any(|start| word.to_lowercase().starts_with(start))
        {
            self.named(word)?;
        }
        let by_name =
            || self.of_material(&material.name).or_else(|| chosen.and_then(|c| self.find(c.name())));
        let preset = match word("preset") {
            Some(name) => Some(self.named(name)?),
            None => by_name(),
        };
        if pair.is_some() || word("shader").is_some() || word("technique").is_some() {
            let mut own = preset.cloned().unwrap_or_default();
            if preset.is_none() {
                let usual = self.named(usual(game, material, skinned))?;
                (own.shader, own.technique) = (usual.shader.clone(), usual.technique.clone());
            }
            word("shader").into_iter().for_each(|name| own.shader = Name::parse(name));
            word("technique").into_iter().for_each(|name| own.technique = Name::parse(name));
            return Ok(Cow::Owned(own));
        }
        if let Some(preset) = preset {
            return Ok(Cow::Borrowed(preset));
        }
        let usual = self.named(usual(game, material, skinned))?;
        let both = material.two_sided.then(|| self.two_sided(usual)).flatten();
        Ok(Cow::Borrowed(both.unwrap_or(usual)))
    }

    /// Puts the textures of a material into the slots of its shader, and the game's own neutral ones into those left empty.
    fn place_textures(
        &self,
        material: &mut Material,
        preset: &Preset,
        properties: &Properties,
        game: Game,
        losses: &mut Vec<Loss>,
    ) {
        let mut given: Vec<(Name, Texture)> = Vec::new();
        let mut rest = Vec::new();
        for texture in std::mem::take(&mut material.textures) {
            let stored = text(own(&texture.extras), "slot").filter(|t| slot_kind(t) == texture.slot);
            let slot = stored.map(Name::parse).or_else(|| slot_in(preset, &texture.slot));
            match slot {
                Some(slot) => given.push((slot, texture)),
                None => rest.push(texture),
            }
        }
        for slot in &preset.slots {
            let shown = slot.to_string();
            if let Some(path) = properties.get(&shown).and_then(Value::as_str) {
                given.insert(0, (slot.clone(), Texture { name: path.to_owned(), ..Texture::default() }));
            }
        }
        // Neutral textures look the same everywhere, so they are placed as the base color is.
        let base = given.iter().map(|(_, t)| t).find(|t| t.slot == Slot::Base);
        let placed = base.map_or((0, None), |t| (t.uv_set, t.transform));
        for slot in &preset.slots {
            let at = given.iter().position(|(s, _)| same(s, slot));
            let texture = at.map(|at| given.remove(at).1).or_else(|| {
                let name = self.neutral(game, slot)?.to_owned();
                Some(Texture { name, uv_set: placed.0, transform: placed.1, ..Texture::default() })
            });
            material.textures.extend(texture.map(|t| in_slot(t, slot)));
        }
        let known = !preset.slots.is_empty() || self.of_pair(&preset.shader, &preset.technique).is_some();
        for (slot, texture) in given {
            let explicit = matches!(texture.slot, Slot::Other(_)) || !own(&texture.extras).is_empty();
            if explicit || !known {
                material.textures.push(in_slot(texture, &slot));
            } else {
                let what = format!("{}: the shader {} has no such slot", texture.slot.name(), preset.shader);
                losses.push(Loss::new(format!("material {:?}", material.name), what));
            }
        }
        material.textures.extend(rest);
    }
}

/// Returns the material of meshes that have none.
pub(super) fn plain(game: Game) -> Result<Material> {
    let mut out = Material { name: "default".into(), ..Material::default() };
    Presets::built_in().complete(&mut out, game, None, false, &mut Vec::new())?;
    Ok(out)
}

/// Returns `true` for a material that neither came from a model nor was completed.
pub(super) fn is_new(material: &Material) -> bool {
    let map = own(&material.extras);
    index(map, "instance").is_none() && !map.contains_key("complete")
}

/// Returns the custom properties that an author gave something.
fn custom(extras: &Extras) -> &Extras {
    extras.object("foreign").unwrap_or(Extras::none())
}

/// Returns the preset of a material that says nothing.
fn usual(game: Game, material: &Material, skinned: bool) -> &'static str {
    match game {
        Game::Pes if material.unlit => "pes-constant",
        Game::Pes => "pes-body",
        _ if material.unlit => "tpp-glow",
        _ if skinned => "tpp-character",
        _ => "tpp-static",
    }
}

/// Returns the slot of a preset for a slot of the scene.
fn slot_in(preset: &Preset, slot: &Slot) -> Option<Name> {
    let names: &[&str] = match slot {
        Slot::Base => &["Base_Tex_SRGB", "Base_Tex_LIN", "Mask_Tex_LIN"],
        Slot::Normal => &["NormalMap_Tex_NRM"],
        Slot::Specular => &["SpecularMap_Tex_LIN"],
        Slot::Other(name) => &[name.as_str()],
        _ => return None,
    };
    let there = names.iter().find(|name| preset.slots.iter().any(|s| same(s, &Name::parse(name))));
    there.or(names.first()).map(|name| Name::parse(name))
}

fn in_slot(mut texture: Texture, slot: &Name) -> Texture {
    let shown = slot.to_string();
    texture.slot = slot_kind(&shown);
    let mut map = own(&texture.extras).clone();
    map.insert("slot", shown);
    texture.extras.insert("fmdl", map);
    texture
}

/// Returns the materials of meshes that bones move.
fn skinned_materials(scene: &Scene) -> HashSet<u32> {
    let skinned = scene.nodes.iter().filter(|n| n.skin.is_some());
    let meshes = skinned.filter_map(|n| scene.meshes.get(n.mesh? as usize));
    meshes.flat_map(|m| &m.primitives).filter_map(|p| p.material).collect()
}

/// What is known about a material besides what glTF stores.
struct Properties {
    own: Extras,
    custom: Extras,
}

impl Properties {
    fn get(&self, key: &str) -> Option<&Value> {
        let alike = || self.custom.iter().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, v)| v);
        self.own.get(key).or_else(alike)
    }

    fn flags(&self) -> Result<Option<u32>> {
        let Some(value) = self.get("flags") else { return Ok(None) };
        let number = value.as_f64().filter(|v| (0.0..4_294_967_296.0).contains(v)).map(|v| v as u32);
        let found = number.or_else(|| parse_flags(value.as_str()?));
        found.map(Some).ok_or_else(|| Error::unrepresentable("flags are a number, or as 80/41"))
    }

    /// Returns the parameters of a preset with the values that are given, and those that are given besides.
    fn parameters(&self, preset: &Preset, presets: &Presets) -> Vec<Parameter> {
        let mut out = preset.parameters.clone();
        let mut set = |name: Name, value: [f32; 4]| match out.iter_mut().find(|p| same(&p.name, &name)) {
            Some(there) => there.value = value,
            None => out.push(Parameter { name, value }),
        };
        let known = |key: &str| {
            let parameters = presets.iter().flat_map(|p| &p.parameters);
            let alike = |p: &&Parameter| p.name.text().is_some_and(|n| n.eq_ignore_ascii_case(key));
            parameters.into_iter().find(alike).map(|p| p.name.clone())
        };
        for (key, value) in self.own.iter().chain(self.custom.iter()) {
            if let Some((name, value)) = known(key).zip(four(value)) {
                set(name, value);
            }
        }
        for stored in self.own.objects("parameters") {
            if let Some((name, value)) = text(stored, "name").zip(stored.get("value").and_then(four)) {
                set(Name::parse(name), value);
            }
        }
        out
    }
}

/// Returns up to four numbers.
fn four(value: &Value) -> Option<[f32; 4]> {
    let list = read_float(value).map(|v| vec![v]).or_else(|| read_floats(value))?;
    let mut out = [0.0; 4];
    out.iter_mut().zip(list).for_each(|(slot, v)| *slot = v);
    Some(out)
}
