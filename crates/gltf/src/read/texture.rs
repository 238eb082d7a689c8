//! From glTF to the scene: images, and the textures of materials.

use galatea_scene::{Extras, Texture, UvTransform, Value, Wrap};
use galatea_wire::{Loss, Result};

use super::{array, name_of, number};
use crate::accessor::{Document, whole};
use crate::uri::{self, Uri};
use crate::{Image, ImageSource, Loaded, Role, typed};

/// Returns the names of the images. Images whose place is known go to `loaded`.
pub(super) fn read_images(document: &Document<'_>, loaded: &mut Loaded) -> Result<Vec<String>> {
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
pub(super) struct Drawn {
    pub(super) role: Role,
    pub(super) texture: Texture,
    pub(super) image: String,
}

/// Reads what a viewer draws for one role. The name of an image is charged for, since any number of materials may use it.
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

pub(super) fn extension<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.get("extensions").and_then(|e| e.get(name))
}

/// Returns the images that only derive from textures, by role and name.
pub(super) fn derived(list: Option<&Value>) -> Vec<(Option<Role>, String)> {
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.map(|entry| (Role::named(&text(entry, "role")), text(entry, "image"))).collect()
}

/// Reads what a viewer draws, by role.
pub(super) fn read_drawn(document: &Document<'_>, value: &Value, images: &[String]) -> Result<Vec<Drawn>> {
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

/// What the program that wrote a document can say about textures.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    lightmaps: bool,
    specular: bool,
    /// Whether it writes textures of unlit materials besides the color.
    unlit: bool,
}

impl Carried {
    pub(super) fn by(document: &Document<'_>) -> Carried {
        let used = document.root.get("extensionsUsed").and_then(Value::as_array).map_or(&[][..], |l| l);
        let knows = |name: &str| used.iter().any(|e| e.as_str() == Some(name));
        Carried {
            lightmaps: knows("MOZ_lightmap"),
            specular: knows("KHR_materials_specular"),
            unlit: !crate::blender::wrote(document.root),
        }
    }

    /// Returns `true` if a texture of this role that is not there was removed by an edit, rather than by the program.
    fn has(self, role: Role, unlit: bool) -> bool {
        match role {
            Role::BaseColor => true,
            Role::Lightmap => self.lightmaps,
            Role::Specular => self.specular && (self.unlit || !unlit),
            _ => self.unlit || !unlit,
        }
    }
}

/// Returns the textures in extras; edits of those that are drawn win.
pub(super) fn read_textures(
    extras: &mut Extras,
    mut drawn: Vec<Drawn>,
    carried: Carried,
    unlit: bool,
) -> Vec<Texture> {
    // Images that only derive from textures are ignored unless they were replaced.
    for (role, image) in derived(extras.remove("derived").as_ref()) {
        drawn.retain(|d| Some(d.role) != role || d.image != image);
    }
    let stored = extras.remove("textures");
    let stored = stored.as_ref().and_then(Value::as_array).into_iter().flatten();
    let mut out = Vec::new();
    for (mut texture, shown) in stored.filter_map(typed::read_texture) {
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
            (None, Some(shown)) if carried.has(shown.role, unlit) => {}
            (None, Some(_)) => out.push(texture),
            (None, None) => out.push(texture),
        }
    }
    out.extend(drawn.into_iter().map(|d| d.texture));
    out
}
