//! From the scene to glTF: materials, textures, pictures.

use std::collections::HashMap;

use galatea_scene::{AlphaMode, Extras, Material, Slot, Target, Texture, Value, float};

use crate::json::{List, Object};
use crate::write::{Context, kept, put_extras, put_name, put_raw};
use crate::{Options, Picture, allow, typed, uri};

/// The lists of materials and what they stand on.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    pub(crate) list: List,
    pub(crate) textures: List,
    pub(crate) samplers: List,
    pub(crate) images: List,
    seen: Vec<Option<u32>>,
    hidden: Vec<Option<u32>>,
}

impl Materials {
    /// Where a material went; hidden meshes have a version of it that no viewer draws.
    pub(crate) fn index(&self, material: Option<u32>, hidden: bool) -> Option<u32> {
        match (hidden, material) {
            (false, m) => self.seen.get(m? as usize).copied().flatten(),
            (true, None) => self.hidden.last().copied().flatten(),
            (true, Some(m)) => self.hidden.get(m as usize).copied().flatten(),
        }
    }
}

/// How a material is used.
#[derive(Debug, Clone, Copy)]
struct Use {
    seen: bool,
    hidden: bool,
    /// Sets of texture coordinates that everything drawn with it has.
    uv_sets: usize,
}

pub(crate) fn write(cx: &mut Context<'_>, options: &Options<'_>) -> Materials {
    let scene = cx.scene;
    // One more for primitives without a material.
    let mut uses = vec![Use { seen: false, hidden: false, uv_sets: usize::MAX }; scene.materials.len() + 1];
    for (mesh, hidden) in scene.meshes.iter().zip(&cx.hidden) {
        for primitive in &mesh.primitives {
            let place = primitive.material.map_or(scene.materials.len(), |m| m as usize);
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let sets = vertices.uvs.iter().take_while(|u| u.len() == vertices.positions.len()).count();
            if let Some(entry) = uses.get_mut(place) {
                entry.seen |= !hidden;
                entry.hidden |= *hidden;
                if !hidden && !vertices.positions.is_empty() {
                    entry.uv_sets = entry.uv_sets.min(sets);
                }
            }
        }
    }
    let mut out = Materials::default();
    let mut shared = Shared::default();
    for (id, material) in scene.materials.iter().enumerate() {
        let Some(used) = uses.get(id).copied() else { continue };
        let textures = place_textures(cx, options, material, used, &mut out, &mut shared);
        let mut write = |hidden: bool| {
            let unlit = material.unlit;
            if unlit {
                cx.extensions.insert("KHR_materials_unlit");
            }
            out.list.push(|o| put_material(o, cx, id, material, &textures, hidden))
        };
        let seen = (used.seen || !used.hidden).then(|| write(false));
        let hidden = used.hidden.then(|| write(true));
        out.seen.push(seen);
        out.hidden.push(hidden);
    }
    let bare = uses.last().is_some_and(|u| u.hidden);
    out.hidden.push(bare.then(|| {
        out.list.push(|o| {
            o.text("name", "hidden");
            put_nothing(o);
            let own = Extras::from_iter([("none".to_owned(), Value::Bool(true))]);
            put_extras(o, &Extras::default(), own);
        })
    }));
    out
}

/// Textures, samplers and pictures that are written already.
#[derive(Default)]
struct Shared {
    images: HashMap<String, u32>,
    samplers: HashMap<[u64; 2], u32>,
    textures: HashMap<(u32, u32), u32>,
}

/// A texture of a material that has a picture: its index in glTF and the picture's name.
struct Placed {
    texture: u32,
    image: String,
    drawn: bool,
}

fn place_textures(
    cx: &mut Context<'_>,
    options: &Options<'_>,
    material: &Material,
    used: Use,
    out: &mut Materials,
    shared: &mut Shared,
) -> Vec<Option<Placed>> {
    let mut slots: Vec<&Slot> = Vec::new();
    let mut placed = Vec::with_capacity(material.textures.len());
    for texture in &material.textures {
        let core = matches!(
            texture.slot,
            Slot::Base | Slot::Normal | Slot::Emissive | Slot::OcclusionRoughnessMetallic
        );
        let drawn =
            core && !slots.contains(&&texture.slot) && (texture.uv_set as usize) < used.uv_sets.min(1 << 20);
        let picture = if drawn { (options.picture)(texture) } else { None };
        placed.push(picture.map(|picture| {
            slots.push(&texture.slot);
            if texture.transform.is_some() {
                cx.extensions.insert("KHR_texture_transform");
            }
            place_picture(cx, texture, picture, out, shared)
        }));
    }
    placed
}

fn place_picture(
    cx: &mut Context<'_>,
    texture: &Texture,
    picture: Picture,
    out: &mut Materials,
    shared: &mut Shared,
) -> Placed {
    let name = match &picture {
        Picture::File(path) => uri::stem(path).to_owned(),
        Picture::Embedded { .. } => uri::stem(&texture.name).to_owned(),
    };
    let key = match &picture {
        Picture::File(path) => path.clone(),
        Picture::Embedded { .. } => format!("\0{}", texture.name),
    };
    let count = out.images.count;
    let image = *shared.images.entry(key).or_insert_with(|| {
        let view = match &picture {
            Picture::Embedded { bytes, .. } => Some(cx.bin.picture(count, bytes)),
            Picture::File(_) => None,
        };
        out.images.push(|o| {
            o.text("name", &name);
            match (&picture, view) {
                (Picture::File(path), _) => o.text("uri", &uri::escape(path)),
                (Picture::Embedded { mime, .. }, view) => {
                    o.text("mimeType", mime);
                    o.int("bufferView", u64::from(view.unwrap_or(0)));
                }
            }
        })
    });
    let wraps = texture.wrap.map(typed::wrap_code);
    let sampler = *shared.samplers.entry(wraps).or_insert_with(|| {
        let [u, v] = wraps;
        out.samplers.push(|o| {
            o.int("wrapS", u);
            o.int("wrapT", v);
        })
    });
    let texture = *shared.textures.entry((image, sampler)).or_insert_with(|| {
        out.textures.push(|o| {
            o.int("sampler", u64::from(sampler));
            o.int("source", u64::from(image));
        })
    });
    Placed { texture, image: name, drawn: true }
}

fn put_info(o: &mut Object<'_>, key: &str, texture: &Texture, placed: &Placed) {
    o.object(key, |o| {
        o.int("index", u64::from(placed.texture));
        if texture.uv_set != 0 {
            o.int("texCoord", u64::from(texture.uv_set));
        }
        if let Some(transform) = &texture.transform {
            o.object("extensions", |o| {
                o.object("KHR_texture_transform", |o| {
                    o.floats("offset", &allow::finite(transform.offset));
                    o.float("rotation", transform.rotation);
                    o.floats("scale", &allow::finite(transform.scale));
                });
            });
        }
    });
}

/// What makes a viewer draw nothing.
fn put_nothing(o: &mut Object<'_>) {
    o.object("pbrMetallicRoughness", |o| {
        o.floats("baseColorFactor", &[0.0; 4]);
    });
    o.text("alphaMode", "MASK");
    o.float("alphaCutoff", 1.0);
}

fn put_material(
    o: &mut Object<'_>,
    cx: &Context<'_>,
    id: usize,
    material: &Material,
    textures: &[Option<Placed>],
    hidden: bool,
) {
    let (mut own, mut raw) = (Extras::default(), Extras::default());
    let unique = cx.material_names.get(id).map_or("", |n| n);
    if !hidden {
        cx.put_key(&mut own, Target::Material(id as u32), unique);
    }
    if hidden {
        // Everything a viewer would see goes to extras, for the one that knows better.
        o.text("name", &format!("{unique}.hidden"));
        own.insert("name".to_owned(), material.name.clone().into());
        own.insert("hidden".to_owned(), unique.into());
        put_nothing(o);
        raw.insert("base_color".to_owned(), galatea_scene::floats(&material.base_color));
        raw.insert("emissive".to_owned(), galatea_scene::floats(&material.emissive));
        raw.insert("metallic".to_owned(), float(material.metallic));
        raw.insert("roughness".to_owned(), float(material.roughness));
        own.insert("two_sided".to_owned(), material.two_sided.into());
        own.insert("unlit".to_owned(), material.unlit.into());
    } else {
        put_name(o, &mut own, &material.name, unique);
        let slot = |slot: &Slot| {
            let found = material.textures.iter().zip(textures).find(|(t, _)| t.slot == *slot);
            found.and_then(|(t, p)| p.as_ref().filter(|p| p.drawn).map(|p| (t, p)))
        };
        o.object("pbrMetallicRoughness", |o| {
            let color = kept(&mut raw, "base_color", material.base_color, allow::color(material.base_color));
            if color != [1.0; 4] {
                o.floats("baseColorFactor", &color);
            }
            if let Some((texture, placed)) = slot(&Slot::Base) {
                put_info(o, "baseColorTexture", texture, placed);
            }
            for (key, name, value) in [
                ("metallicFactor", "metallic", material.metallic),
                ("roughnessFactor", "roughness", material.roughness),
            ] {
                let clamped = if value.is_finite() { value.clamp(0.0, 1.0) } else { 1.0 };
                let [value] = kept(&mut raw, name, [value], [clamped]);
                if value != 1.0 {
                    o.float(key, value);
                }
            }
            if let Some((texture, placed)) = slot(&Slot::OcclusionRoughnessMetallic) {
                put_info(o, "metallicRoughnessTexture", texture, placed);
            }
        });
        for (key, which) in [("normalTexture", Slot::Normal), ("emissiveTexture", Slot::Emissive)] {
            if let Some((texture, placed)) = slot(&which) {
                put_info(o, key, texture, placed);
            }
        }
        let clamped = allow::finite(material.emissive).map(|c| c.clamp(0.0, 1.0));
        let emissive = kept(&mut raw, "emissive", material.emissive, clamped);
        if emissive != [0.0; 3] {
            o.floats("emissiveFactor", &emissive);
        }
        match material.alpha {
            AlphaMode::Opaque => {}
            AlphaMode::Mask { cutoff } => {
                o.text("alphaMode", "MASK");
                let allowed = if cutoff.is_finite() { cutoff.max(0.0) } else { 0.5 };
                let [cutoff] = kept(&mut raw, "cutoff", [cutoff], [allowed]);
                o.float("alphaCutoff", cutoff);
            }
            _ => o.text("alphaMode", "BLEND"),
        }
        if material.two_sided {
            o.flag("doubleSided", true);
        }
        if material.unlit {
            o.object("extensions", |o| o.object("KHR_materials_unlit", |_| {}));
        }
    }
    let word = match material.alpha {
        AlphaMode::Additive => Some("additive"),
        AlphaMode::Modulate => Some("modulate"),
        AlphaMode::Modulate2x => Some("modulate2x"),
        AlphaMode::Blend if hidden => Some("blend"),
        AlphaMode::Mask { cutoff } if hidden => {
            raw.insert("cutoff".to_owned(), float(cutoff));
            Some("mask")
        }
        _ => None,
    };
    if let Some(word) = word {
        own.insert("alpha".to_owned(), word.into());
    }
    if !material.textures.is_empty() {
        let list = material.textures.iter().zip(textures);
        let list = list.map(|(t, p)| {
            let image = p.as_ref().filter(|_| !hidden).map(|p| p.image.as_str());
            typed::texture(t, image)
        });
        own.insert("textures".to_owned(), Value::Array(list.collect()));
    }
    if !material.layers.is_empty() {
        let layers = material.layers.iter().filter_map(|l| cx.material_names.get(*l as usize));
        let layers = layers.map(|name| serde_json::json!({ "material": name }));
        own.insert("layers".to_owned(), Value::Array(layers.collect()));
    }
    put_raw(&mut own, raw);
    put_extras(o, &material.extras, own);
}
