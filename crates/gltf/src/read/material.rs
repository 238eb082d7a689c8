//! From glTF to the scene: materials.

use std::collections::HashSet;

use galatea_scene::{AlphaMode, Extras, Material, Value, read_float, same_bits};
use galatea_wire::Result;

use super::texture::{Carried, Drawn, derived, extension, read_drawn, read_images, read_textures};
use super::{NameTables, array, extras_of, flag, key_of, name_of, number, original, take_name, take_raw};
use crate::accessor::Document;
use crate::{Appearance, Loaded, Map, Role, blender, constraints, names, typed};

/// The materials of the scene by their index in the document.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    ids: Vec<Option<u32>>,
}

impl Materials {
    pub(crate) fn id(&self, index: usize) -> Option<u32> {
        self.ids.get(index).copied().flatten()
    }
}

pub(crate) fn read(
    document: &Document<'_>,
    loaded: &mut Loaded,
    names: &mut NameTables,
) -> Result<Materials> {
    let images = read_images(document, loaded)?;
    let mut out = Materials::default();
    let mut layers: Vec<(u32, Vec<String>)> = Vec::new();
    let mut waiting: Vec<(usize, String)> = Vec::new();
    let is_drawn = |value: &&Value| extras_of(value).get("hidden").is_none();
    let drawn_names: HashSet<&str> = document.list("materials").iter().filter(is_drawn).map(key_of).collect();
    let copies = unused(document);
    let blender = blender::wrote(document.root);
    let carried = Carried::by(document);
    for (i, value) in document.list("materials").iter().chain(copies).enumerate() {
        let mut extras = extras_of(value);
        if extras.remove("none").is_some() {
            out.ids.push(None);
            continue;
        }
        // The version of a material that hidden meshes have is the material itself.
        let shown = extras.remove("hidden");
        let shown = shown.as_ref().and_then(Value::as_str);
        if let Some(id) = shown.and_then(|name| names.materials.get(name)) {
            out.ids.push(Some(*id));
            continue;
        }
        if let Some(name) = shown.filter(|name| drawn_names.contains(name)) {
            // Some programs write it before the material itself.
            out.ids.push(None);
            waiting.push((i, name.to_owned()));
            continue;
        }
        let id = loaded.scene.materials.len() as u32;
        names.materials.entry(shown.unwrap_or(key_of(value)).to_owned()).or_insert(id);
        let names_of_layers = extras.remove("layers");
        let below = names_of_layers.as_ref().and_then(Value::as_array).into_iter().flatten();
        let below = below.filter_map(|v| v.get("material").or(Some(v))?.as_str()).map(str::to_owned);
        layers.push((id, below.collect()));
        let drawing = Drawing {
            hidden: shown.is_some(),
            added: extras.get("shown").is_some_and(|s| s.get("additive").is_some()),
            derived: derived(extras.get("derived")),
        };
        let drawn = read_drawn(document, value, &images).map_err(|e| e.within(format!("materials[{i}]")))?;
        // Blender keeps transparency only where an image or a number makes it, and no textures of unlit materials but the color.
        let program =
            Program { alpha_dropped: blender && !drawn.iter().any(|d| d.role == Role::BaseColor), carried };
        let material = read_one(value, extras, &drawn, shown.is_some(), program);
        loaded.appearances.push(appearance(value, drawn, &material, &drawing));
        loaded.scene.materials.push(material);
        out.ids.push(Some(id));
    }
    for (at, name) in waiting {
        let id = names.materials.get(&name).copied();
        out.ids.get_mut(at).into_iter().for_each(|slot| *slot = id);
    }
    for (id, below) in layers {
        let below = below.iter().filter_map(|name| names.materials.get(name).copied()).collect();
        if let Some(material) = loaded.scene.materials.get_mut(id as usize) {
            material.layers = below;
        }
    }
    Ok(out)
}

/// Returns the copies of unused materials whose originals are missing: Blender drops them.
fn unused<'d>(document: &Document<'d>) -> impl Iterator<Item = &'d Value> {
    let there: HashSet<&str> = document.list("materials").iter().map(key_of).collect();
    let list = blender::wrote(document.root).then(|| {
        let scene = document.index(document.root, "scene", "scenes").ok().flatten().unwrap_or(0);
        let extras = document.list("scenes").get(scene)?.get("extras")?.get("galatea")?;
        extras.get("materials")?.as_array()
    });
    list.flatten().into_iter().flatten().filter(move |value| !there.contains(key_of(value)))
}

/// What the program that wrote a material could not say about it.
#[derive(Clone, Copy)]
struct Program {
    /// Whether it writes `OPAQUE` because it cannot write anything else.
    alpha_dropped: bool,
    carried: Carried,
}

fn read_one(value: &Value, mut extras: Extras, drawn: &[Drawn], hidden: bool, program: Program) -> Material {
    let kept = Kept {
        alpha_dropped: program.alpha_dropped,
        raw: take_raw(&mut extras),
        shown: match extras.remove("shown") {
            Some(Value::Object(map)) => map,
            _ => Extras::new(),
        },
    };
    let was = extras.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut material = Material { name: take_name(value, &mut extras, "material"), ..Material::default() };
    let alpha = extras.remove("alpha");
    let alpha = alpha.as_ref().and_then(Value::as_str).unwrap_or("");
    if hidden {
        // A hidden version has the name of the material and this suffix.
        let own = name_of(value).split_once(".hidden").map_or(name_of(value), |(own, _)| own);
        material.name = names::original(own, was.as_deref(), "material");
        read_hidden(&mut material, &mut extras, &kept.raw, alpha);
    } else {
        read_shown(&mut material, value, &mut extras, &kept, alpha);
    }
    material.textures = read_textures(&mut extras, drawn.to_vec(), program.carried, is_unlit(value));
    material.extras = extras;
    material
}

/// What extras keep of a material that is drawn otherwise than it describes itself.
struct Kept {
    /// The material's own values, where they were replaced.
    raw: Extras,
    /// The values that were written instead, if not only because glTF forbids the original.
    shown: Extras,
    /// Whether a program that writes `OPAQUE` may not have been able to write anything else.
    alpha_dropped: bool,
}

impl Kept {
    /// Returns the material's own value if the document still has the one that was written for it.
    fn restored<const N: usize>(&self, key: &str, now: [f32; N]) -> Option<[f32; N]> {
        let written: Vec<f32> = self.shown.floats(key)?;
        let own = self.raw.floats(key);
        // Without an original, both are the same.
        same_bits(&written, &now).then(|| own.unwrap_or(written))?.first_chunk().copied()
    }

    /// Returns the material's own value; an edited one wins.
    fn own<const N: usize>(
        &self,
        key: &str,
        now: [f32; N],
        allowed: impl Fn([f32; N]) -> [f32; N],
    ) -> [f32; N] {
        self.restored(key, now).unwrap_or_else(|| original(&self.raw, key, now, allowed))
    }

    /// Returns the material's own flag, which it takes out of `extras`; an edited one wins.
    fn own_flag(&self, key: &str, now: bool, extras: &mut Extras) -> bool {
        let own = extras.remove(key);
        match self.shown.get(key) {
            Some(written) if flag(written) == now => own.as_ref().map_or(now, flag),
            _ => now,
        }
    }

    fn cutoff(&self) -> Option<f32> {
        self.raw.get("cutoff").and_then(read_float)
    }
}

/// Reads the version of a material that hidden meshes have: all its values are in extras.
fn read_hidden(material: &mut Material, extras: &mut Extras, raw: &Extras, alpha: &str) {
    material.base_color = typed::array(raw, "base_color").unwrap_or(material.base_color);
    material.emissive = typed::array(raw, "emissive").unwrap_or_default();
    let number = |key: &str| raw.get(key).and_then(read_float);
    material.metallic = number("metallic").unwrap_or(0.0);
    material.roughness = number("roughness").unwrap_or(1.0);
    material.two_sided = extras.remove("two_sided").as_ref().is_some_and(flag);
    material.unlit = extras.remove("unlit").as_ref().is_some_and(flag);
    material.alpha = alpha_by_name(alpha, number("cutoff"));
}

/// Reads a material that is drawn.
fn read_shown(material: &mut Material, value: &Value, extras: &mut Extras, kept: &Kept, alpha: &str) {
    let pbr = value.get("pbrMetallicRoughness").unwrap_or(&Value::Null);
    let color = array(pbr, "baseColorFactor").unwrap_or([1.0; 4]);
    material.base_color = kept.own("base_color", color, constraints::color);
    let emissive = array(value, "emissiveFactor").unwrap_or_default();
    let clamp = |c: [f32; 3]| constraints::finite(c).map(|c| c.clamp(0.0, 1.0));
    material.emissive = kept.own("emissive", emissive, clamp);
    let factor = |key: &str, name: &str| {
        let unit = |[v]: [f32; 1]| [if v.is_finite() { v.clamp(0.0, 1.0) } else { 1.0 }];
        let [v] = kept.own(name, [number(pbr, key).unwrap_or(1.0)], unit);
        v
    };
    material.metallic = factor("metallicFactor", "metallic");
    material.roughness = factor("roughnessFactor", "roughness");
    material.two_sided = kept.own_flag("two_sided", is_double_sided(value), extras);
    material.unlit = kept.own_flag("unlit", is_unlit(value), extras);
    let mode = value.get("alphaMode").and_then(Value::as_str).unwrap_or("OPAQUE");
    material.alpha = match mode {
        _ if kept.shown.text("alpha") == Some(mode) => alpha_by_name(alpha, kept.cutoff()),
        "MASK" => {
            let allowed = |[c]: [f32; 1]| [if c.is_finite() { c.max(0.0) } else { 0.5 }];
            let [cutoff] = original(&kept.raw, "cutoff", [cutoff(value)], allowed);
            AlphaMode::Mask { cutoff }
        }
        "BLEND" if kept.shown.contains_key("alpha") => AlphaMode::Blend,
        "BLEND" => match alpha_by_name(alpha, None) {
            AlphaMode::Opaque | AlphaMode::Mask { .. } => AlphaMode::Blend,
            own => own,
        },
        _ if kept.alpha_dropped => alpha_by_name(alpha, kept.cutoff()),
        _ => AlphaMode::Opaque,
    };
}

fn is_double_sided(value: &Value) -> bool {
    value.get("doubleSided").and_then(Value::as_bool).unwrap_or(false)
}

fn is_unlit(value: &Value) -> bool {
    extension(value, "KHR_materials_unlit").is_some()
}

fn cutoff(value: &Value) -> f32 {
    number(value, "alphaCutoff").unwrap_or(0.5)
}

/// What extras say about how a material is drawn.
struct Drawing {
    /// This is the version that hidden meshes have.
    hidden: bool,
    /// Blending stands for addition.
    added: bool,
    derived: Vec<(Option<Role>, String)>,
}

/// Returns how the document draws a material. Blending that stands for addition is additive.
fn appearance(value: &Value, drawn: Vec<Drawn>, material: &Material, drawing: &Drawing) -> Appearance {
    let mut appearance = Appearance::of(material);
    if drawing.hidden {
        return appearance;
    }
    let none = Value::Null;
    let pbr = value.get("pbrMetallicRoughness").unwrap_or(&none);
    appearance.base_color = array(pbr, "baseColorFactor").unwrap_or([1.0; 4]);
    appearance.emissive = array(value, "emissiveFactor").unwrap_or_default();
    appearance.metallic = number(pbr, "metallicFactor").unwrap_or(1.0);
    appearance.roughness = number(pbr, "roughnessFactor").unwrap_or(1.0);
    appearance.two_sided = is_double_sided(value);
    appearance.unlit = is_unlit(value);
    appearance.alpha = match value.get("alphaMode").and_then(Value::as_str) {
        Some("BLEND") if drawing.added || material.alpha == AlphaMode::Additive => AlphaMode::Additive,
        Some("BLEND") => AlphaMode::Blend,
        Some("MASK") => AlphaMode::Mask { cutoff: cutoff(value) },
        _ => AlphaMode::Opaque,
    };
    appearance.maps = drawn
        .into_iter()
        .map(|Drawn { role, texture, image }| Map {
            role,
            texture: if drawing.derived.iter().any(|(r, i)| *r == Some(role) && *i == image) {
                None
            } else {
                material.textures.iter().position(|t| t.slot == role.slot()).or(Some(0))
            },
            image,
            uv_set: texture.uv_set,
            wrap: texture.wrap,
            transform: texture.transform,
            notes: Extras::new(),
        })
        .collect();
    appearance
}

fn alpha_by_name(name: &str, cutoff: Option<f32>) -> AlphaMode {
    match name {
        "additive" => AlphaMode::Additive,
        "modulate" => AlphaMode::Modulate,
        "modulate2x" => AlphaMode::Modulate2x,
        "blend" => AlphaMode::Blend,
        "mask" => AlphaMode::Mask { cutoff: cutoff.unwrap_or(0.5) },
        _ => AlphaMode::Opaque,
    }
}
