//! From glTF to the scene: materials, textures, images.

use std::collections::HashSet;

use galatea_scene::{AlphaMode, Extras, Material, Texture, UvTransform, Value, Wrap};
use galatea_wire::{Loss, Result};

use super::{NameTables, array, extras_of, key_of, name_of, number, original, take_name, take_raw};
use crate::accessor::{Document, whole};
use crate::uri::{self, Uri};
use crate::{Appearance, Image, ImageSource, Loaded, Map, Role, blender, constraints, names, typed};

/// Where the materials of the document went.
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
    let copies = unused(document);
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
        let id = loaded.scene.materials.len() as u32;
        names.materials.entry(shown.unwrap_or(key_of(value)).to_owned()).or_insert(id);
        let names_of_layers = extras.remove("layers");
        let below = names_of_layers.as_ref().and_then(Value::as_array).into_iter().flatten();
        let below = below.filter_map(|v| v.get("material").or(Some(v))?.as_str()).map(str::to_owned);
        layers.push((id, below.collect()));
        let told = Told {
            hidden: shown.is_some(),
            added: extras.get("shown").is_some_and(|s| s.get("additive").is_some()),
            derived: derived(extras.get("derived")),
        };
        let drawn = read_drawn(document, value, &images).map_err(|e| e.within(format!("materials[{i}]")))?;
        let material = read_one(value, extras, &drawn, shown.is_some());
        loaded.appearances.push(appearance(value, drawn, &material, &told));
        loaded.scene.materials.push(material);
        out.ids.push(Some(id));
    }
    for (id, below) in layers {
        let below = below.iter().filter_map(|name| names.materials.get(name).copied()).collect();
        if let Some(material) = loaded.scene.materials.get_mut(id as usize) {
            material.layers = below;
        }
    }
    Ok(out)
}

/// Copies of materials that no primitive has. They count where they are all that is left, since Blender drops the originals.
fn unused<'d>(document: &Document<'d>) -> impl Iterator<Item = &'d Value> {
    let there: HashSet<&str> = document.list("materials").iter().map(key_of).collect();
    let list = blender::wrote(document.root).then(|| {
        let scene = document.index(document.root, "scene", "scenes").ok().flatten().unwrap_or(0);
        let extras = document.list("scenes").get(scene)?.get("extras")?.get("galatea")?;
        extras.get("materials")?.as_array()
    });
    list.flatten().into_iter().flatten().filter(move |value| !there.contains(key_of(value)))
}

/// Returns the names of the images. Images whose place is known go to `loaded`.
fn read_images(document: &Document<'_>, loaded: &mut Loaded) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for (i, value) in document.list("images").iter().enumerate() {
        let link = value.get("uri").and_then(Value::as_str);
        let place = link.map(uri::parse);
        let mut name = name_of(value).to_owned();
        let mime = || value.get("mimeType").and_then(Value::as_str).unwrap_or("image/png").to_owned();
        let source = match place {
            Some(Ok(Uri::Data(bytes))) => Some(ImageSource::Embedded { mime: mime(), bytes }),
            Some(Ok(Uri::File(path))) => {
                if name.is_empty() {
                    name = uri::stem(&path).to_owned();
                }
                Some(ImageSource::File(path))
            }
            Some(Err(why)) => {
                loaded.losses.push(Loss::new(format!("the place of images[{i}]"), why));
                None
            }
            None => {
                let bytes = document.copy_of_view(value).map_err(|e| e.within(format!("images[{i}]")))?;
                bytes.map(|bytes| ImageSource::Embedded { mime: mime(), bytes })
            }
        };
        if name.is_empty() {
            name = format!("image_{i}");
        }
        loaded.images.extend(source.map(|source| Image { name: name.clone(), source }));
        out.push(name);
    }
    Ok(out)
}

/// A texture that a viewer draws, and the name of its image.
#[derive(Clone)]
struct Drawn {
    role: Role,
    texture: Texture,
    image: String,
}

/// What a viewer draws for one role. The name of an image is charged for, since any number of materials may use it.
fn read_info(document: &Document<'_>, info: &Value, role: Role, images: &[String]) -> Result<Option<Drawn>> {
    let index = info.get("index").and_then(whole);
    let Some(texture) = index.and_then(|i| document.list("textures").get(i)) else { return Ok(None) };
    let other = ["KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif"];
    let source = texture
        .get("source")
        .and_then(whole)
        .or_else(|| other.iter().find_map(|name| extension(texture, name)?.get("source").and_then(whole)));
    let Some(image) = source.and_then(|s| images.get(s)) else { return Ok(None) };
    document.spend(image.len() as u64 * 4)?;
    let sampler = texture.get("sampler").and_then(whole).and_then(|s| document.list("samplers").get(s));
    let wrap = |key: &str| {
        let code = sampler.and_then(|s| s.get(key)).and_then(whole);
        code.map_or(Wrap::Repeat, |c| typed::read_wrap(c as u64))
    };
    let mut uv_set = info.get("texCoord").and_then(whole).unwrap_or(0) as u32;
    let transform = extension(info, "KHR_texture_transform").map(|value| {
        uv_set = value.get("texCoord").and_then(whole).map_or(uv_set, |t| t as u32);
        UvTransform {
            offset: array(value, "offset").unwrap_or_default(),
            rotation: number(value, "rotation").unwrap_or(0.0),
            scale: array(value, "scale").unwrap_or([1.0; 2]),
        }
    });
    let texture = Texture {
        slot: role.slot(),
        name: image.clone(),
        uv_set,
        wrap: [wrap("wrapS"), wrap("wrapT")],
        transform,
        ..Texture::default()
    };
    Ok(Some(Drawn { role, texture, image: image.clone() }))
}

fn extension<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.get("extensions").and_then(|e| e.get(name))
}

fn read_one(value: &Value, mut extras: Extras, drawn: &[Drawn], hidden: bool) -> Material {
    let raw = take_raw(&mut extras);
    let shown = match extras.remove("shown") {
        Some(Value::Object(map)) => map,
        _ => Extras::new(),
    };
    let none = Value::Null;
    let pbr = value.get("pbrMetallicRoughness").unwrap_or(&none);
    let was = extras.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut material = Material { name: take_name(value, &mut extras, "material"), ..Material::default() };
    if hidden {
        // A hidden version has the name of the material and this mark.
        let own = name_of(value).split_once(".hidden").map_or(name_of(value), |(own, _)| own);
        material.name = names::original(own, was.as_deref(), "material");
    }
    let word = extras.remove("alpha");
    let word = word.as_ref().and_then(Value::as_str).unwrap_or("");
    let flag = |v: Option<Value>| v.is_some_and(|v| v.as_bool().unwrap_or_else(|| v.as_f64() != Some(0.0)));
    let unit = |v: f32| if v.is_finite() { v.clamp(0.0, 1.0) } else { 1.0 };
    if hidden {
        material.base_color = typed::array(&raw, "base_color").unwrap_or(material.base_color);
        material.emissive = typed::array(&raw, "emissive").unwrap_or_default();
        let of = |key: &str| raw.get(key).and_then(galatea_scene::read_float);
        material.metallic = of("metallic").unwrap_or(0.0);
        material.roughness = of("roughness").unwrap_or(1.0);
        material.two_sided = flag(extras.remove("two_sided"));
        material.unlit = flag(extras.remove("unlit"));
        material.alpha = alpha_by_word(word, of("cutoff"));
    } else {
        // Where glTF shows what we made of the material, the material's own value counts; an edited one wins.
        let restored = |key: &str, now: &[f32]| {
            let shown_as = shown.get(key).and_then(galatea_scene::read_floats)?;
            let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            let was = raw.get(key).and_then(galatea_scene::read_floats);
            // Without an original beside it, both are the same.
            (bits(&shown_as) == bits(now)).then(|| was.unwrap_or(shown_as))
        };
        let color = array(pbr, "baseColorFactor").unwrap_or([1.0; 4]);
        material.base_color = first(restored("base_color", &color))
            .unwrap_or_else(|| original(&raw, "base_color", color, constraints::color));
        let emissive = array(value, "emissiveFactor").unwrap_or_default();
        let clamp = |c: [f32; 3]| constraints::finite(c).map(|c| c.clamp(0.0, 1.0));
        material.emissive = first(restored("emissive", &emissive))
            .unwrap_or_else(|| original(&raw, "emissive", emissive, clamp));
        let factor = |key: &str, name: &str| {
            let now = [number(pbr, key).unwrap_or(1.0)];
            let [v] =
                first(restored(name, &now)).unwrap_or_else(|| original(&raw, name, now, |[v]| [unit(v)]));
            v
        };
        material.metallic = factor("metallicFactor", "metallic");
        material.roughness = factor("roughnessFactor", "roughness");
        let mut switch = |key: &str, now: bool| {
            let was = extras.remove(key);
            let shown_as = shown.get(key).cloned();
            if shown_as.is_some() && flag(shown_as) == now { was.map_or(now, |w| flag(Some(w))) } else { now }
        };
        let doubled = value.get("doubleSided").and_then(Value::as_bool).unwrap_or(false);
        material.two_sided = switch("two_sided", doubled);
        let bare = value.get("extensions").is_some_and(|e| e.get("KHR_materials_unlit").is_some());
        material.unlit = switch("unlit", bare);
        let mode = value.get("alphaMode").and_then(Value::as_str).unwrap_or("OPAQUE");
        material.alpha = match mode {
            _ if shown.get("alpha").and_then(Value::as_str) == Some(mode) => {
                let cutoff = raw.get("cutoff").and_then(galatea_scene::read_float);
                alpha_by_word(word, cutoff)
            }
            "MASK" => {
                let cutoff = number(value, "alphaCutoff").unwrap_or(0.5);
                let allowed = |[c]: [f32; 1]| [if c.is_finite() { c.max(0.0) } else { 0.5 }];
                let [cutoff] = original(&raw, "cutoff", [cutoff], allowed);
                AlphaMode::Mask { cutoff }
            }
            "BLEND" if word.is_empty() || shown.contains_key("alpha") => AlphaMode::Blend,
            "BLEND" => alpha_by_word(word, None),
            _ => AlphaMode::Opaque,
        };
    }
    material.textures = read_textures(&mut extras, drawn.to_vec());
    material.extras = extras;
    material
}

/// What extras tell of how a material is shown.
struct Told {
    /// This is the version that hidden meshes have.
    hidden: bool,
    /// Mixing stands for adding.
    added: bool,
    derived: Vec<(Option<Role>, String)>,
}

/// Returns the images that only derive from textures, by role and name.
fn derived(list: Option<&Value>) -> Vec<(Option<Role>, String)> {
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.map(|entry| (Role::named(&text(entry, "role")), text(entry, "image"))).collect()
}

/// What the document shows of a material. Mixing that stands for adding is adding.
fn appearance(value: &Value, drawn: Vec<Drawn>, material: &Material, told: &Told) -> Appearance {
    let mut appearance = Appearance::of(material);
    if told.hidden {
        return appearance;
    }
    let none = Value::Null;
    let pbr = value.get("pbrMetallicRoughness").unwrap_or(&none);
    appearance.base_color = array(pbr, "baseColorFactor").unwrap_or([1.0; 4]);
    appearance.emissive = array(value, "emissiveFactor").unwrap_or_default();
    appearance.two_sided = value.get("doubleSided").and_then(Value::as_bool).unwrap_or(false);
    appearance.unlit = value.get("extensions").is_some_and(|e| e.get("KHR_materials_unlit").is_some());
    appearance.alpha = match value.get("alphaMode").and_then(Value::as_str) {
        Some("BLEND") if told.added || material.alpha == AlphaMode::Additive => AlphaMode::Additive,
        Some("BLEND") => AlphaMode::Blend,
        Some("MASK") => AlphaMode::Mask { cutoff: number(value, "alphaCutoff").unwrap_or(0.5) },
        _ => AlphaMode::Opaque,
    };
    appearance.maps = drawn
        .into_iter()
        .map(|Drawn { role, texture, image }| Map {
            role,
            texture: if told.derived.iter().any(|(r, i)| *r == Some(role) && *i == image) {
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

fn alpha_by_word(word: &str, cutoff: Option<f32>) -> AlphaMode {
    match word {
        "additive" => AlphaMode::Additive,
        "modulate" => AlphaMode::Modulate,
        "modulate2x" => AlphaMode::Modulate2x,
        "blend" => AlphaMode::Blend,
        "mask" => AlphaMode::Mask { cutoff: cutoff.unwrap_or(0.5) },
        _ => AlphaMode::Opaque,
    }
}

/// As many numbers as are wanted.
fn first<const N: usize>(values: Option<Vec<f32>>) -> Option<[f32; N]> {
    values?.first_chunk().copied()
}

/// What a viewer draws, by role.
fn read_drawn(document: &Document<'_>, value: &Value, images: &[String]) -> Result<Vec<Drawn>> {
    let none = Value::Null;
    let pbr = value.get("pbrMetallicRoughness").unwrap_or(&none);
    let infos = [
        (Role::BaseColor, pbr.get("baseColorTexture")),
        (Role::MetallicRoughness, pbr.get("metallicRoughnessTexture")),
        (Role::Normal, value.get("normalTexture")),
        (Role::Occlusion, value.get("occlusionTexture")),
        (Role::Emissive, value.get("emissiveTexture")),
        (Role::Specular, extension(value, "KHR_materials_specular").and_then(|e| e.get("specularTexture"))),
        (Role::Lightmap, extension(value, "MOZ_lightmap")),
    ];
    let read = |(role, info): (Role, Option<&Value>)| read_info(document, info?, role, images).transpose();
    infos.into_iter().filter_map(read).collect()
}

/// The textures of the extras; those that are drawn win where they were changed.
fn read_textures(extras: &mut Extras, mut drawn: Vec<Drawn>) -> Vec<Texture> {
    // What only derives from other textures says nothing of its own, while it is as it was.
    for (role, image) in derived(extras.remove("derived").as_ref()) {
        drawn.retain(|d| Some(d.role) != role || d.image != image);
    }
    let told = extras.remove("textures");
    let told = told.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(typed::read_texture);
    let mut out = Vec::new();
    for (mut texture, shown) in told {
        let of_slot = |d: &Drawn| match &shown {
            Some(shown) => d.role == shown.role,
            None => d.texture.slot == texture.slot,
        };
        let found = drawn.iter().position(of_slot);
        match (found.map(|i| drawn.remove(i)), shown) {
            (Some(now), Some(shown)) => {
                let place = (now.texture.uv_set, now.texture.wrap, now.texture.transform);
                if shown.place != Some(place) {
                    (texture.uv_set, texture.wrap, texture.transform) = place;
                }
                if now.image != shown.image {
                    texture.name = now.texture.name;
                }
                out.push(texture);
            }
            (Some(now), None) => out.push(now.texture),
            // Its image was removed by an edit.
            (None, Some(_)) => {}
            (None, None) => out.push(texture),
        }
    }
    out.extend(drawn.into_iter().map(|d| d.texture));
    out
}
