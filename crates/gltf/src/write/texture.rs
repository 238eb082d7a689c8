//! From the scene to glTF: images, samplers and textures.

use std::collections::HashMap;

use galatea_scene::UniqueNames;

use super::Context;
use super::material::Materials;
use crate::json::Object;
use crate::{Appearance, ImageSource, Map, Options, Role, constraints, typed, uri};

/// Length of the name of an image: Blender truncates names to 63 bytes, and may number them.
const IMAGE_NAME: usize = 58;

/// Textures, samplers and images that are written already.
pub(super) struct Shared {
    /// By the name a map gives them; `None` if there is no image.
    images: HashMap<String, Option<(u32, String)>>,
    image_names: UniqueNames,
    samplers: HashMap<[u64; 2], u32>,
    textures: HashMap<(u32, u32), u32>,
}

impl Default for Shared {
    fn default() -> Self {
        Shared {
            images: HashMap::new(),
            image_names: UniqueNames::new(IMAGE_NAME),
            samplers: HashMap::new(),
            textures: HashMap::new(),
        }
    }
}

/// A map whose image exists: its texture in glTF and the name of the image.
pub(super) struct Placed<'a> {
    pub(super) map: &'a Map,
    texture: u32,
    pub(super) image: String,
}

/// Places the maps that are drawn: the first of each role whose coordinates and image exist.
pub(super) fn place_maps<'a>(
    cx: &mut Context<'_>,
    options: &Options<'_>,
    appearance: &'a Appearance,
    uv_sets: usize,
    out: &mut Materials,
    shared: &mut Shared,
) -> Vec<Placed<'a>> {
    let mut placed: Vec<Placed<'a>> = Vec::new();
    for map in &appearance.maps {
        let taken = placed.iter().any(|p| p.map.role == map.role);
        if taken || map.uv_set as usize >= uv_sets.min(1 << 20) {
            continue;
        }
        let Some((image, name)) = place_image(cx, options, &map.image, out, shared) else { continue };
        if map.transform.is_some() {
            cx.extensions.insert("KHR_texture_transform");
        }
        match map.role {
            Role::Specular => drop(cx.extensions.insert("KHR_materials_specular")),
            Role::Lightmap => drop(cx.extensions.insert("MOZ_lightmap")),
            _ => {}
        }
        placed.push(Placed { map, texture: place_texture(map, image, out, shared), image: name });
    }
    placed
}

/// Places an image, and returns its index and its name in glTF.
fn place_image(
    cx: &mut Context<'_>,
    options: &Options<'_>,
    name: &str,
    out: &mut Materials,
    shared: &mut Shared,
) -> Option<(u32, String)> {
    if let Some(known) = shared.images.get(name) {
        return known.clone();
    }
    let placed = (options.image)(name).map(|source| {
        let count = out.images.count;
        let (file, view) = match &source {
            ImageSource::File(path) => (path.as_str(), None),
            ImageSource::Embedded { bytes, .. } => (name, Some(cx.bin.image(count, bytes))),
        };
        // Without dots: Blender takes what follows the last one for an ending, or for its own number.
        let plain = |c: char| if c == '.' || !c.is_ascii() { '_' } else { c };
        let shown = shared.image_names.fit(&uri::stem(file).chars().map(plain).collect::<String>());
        let index = out.images.push(|o| {
            o.text("name", &shown);
            match (&source, view) {
                (ImageSource::File(path), _) => o.text("uri", &uri::escape(path)),
                (ImageSource::Embedded { mime, .. }, view) => {
                    o.text("mimeType", mime);
                    o.int("bufferView", u64::from(view.unwrap_or(0)));
                }
            }
        });
        (index, shown)
    });
    shared.images.insert(name.to_owned(), placed.clone());
    placed
}

fn place_texture(map: &Map, image: u32, out: &mut Materials, shared: &mut Shared) -> u32 {
    let wraps = map.wrap.map(typed::wrap_code);
    let sampler = *shared.samplers.entry(wraps).or_insert_with(|| {
        let [u, v] = wraps;
        out.samplers.push(|o| {
            o.int("wrapS", u);
            o.int("wrapT", v);
        })
    });
    *shared.textures.entry((image, sampler)).or_insert_with(|| {
        out.textures.push(|o| {
            o.int("sampler", u64::from(sampler));
            o.int("source", u64::from(image));
        })
    })
}

/// Writes a reference to a texture.
pub(super) fn put_info(o: &mut Object<'_>, key: &'static str, placed: &Placed<'_>) {
    o.object(key, |o| put_place(o, placed));
}

/// Writes the members of a reference to a texture.
pub(super) fn put_place(o: &mut Object<'_>, placed: &Placed<'_>) {
    o.int("index", u64::from(placed.texture));
    if placed.map.uv_set != 0 {
        o.int("texCoord", u64::from(placed.map.uv_set));
    }
    if let Some(transform) = &placed.map.transform {
        o.object("extensions", |o| {
            o.object("KHR_texture_transform", |o| {
                o.floats("offset", &constraints::finite(transform.offset));
                o.float("rotation", transform.rotation);
                o.floats("scale", &constraints::finite(transform.scale));
            });
        });
    }
}
