//! The textures of a Reforged model for the classic game: images as BLP, and the team colour below the skin where the mask of the HD
//! material says so.

use std::collections::BTreeMap;

use galatea_mdlx::{Feature, Layer, LayerTexture, Material, Model, Texture as ModelTexture};
use galatea_texture::{Image, Texture, encode};
use galatea_wire::{Limits, Loss};

use super::Textures;
use crate::formats::convert_texture;
use crate::{ConvertOptions, FormatId, TextureFile};

/// The slots of an HD material.
const DIFFUSE: usize = 0;
const ORM: usize = 2;
const TEAM_COLOR: usize = 4;

const BLEND: u32 = 2;

/// Returns the images for a model that was converted to the classic game, by their paths, and what could not be kept. `before` is the model as
/// it was. Materials whose mask was found get the colour of the player as a layer below their skin.
pub(crate) fn classic_textures(
    before: &Model,
    after: &mut Model,
    textures: &Textures<'_>,
) -> (Vec<(String, Vec<u8>)>, Vec<Loss>) {
    let (mut images, mut losses) = (BTreeMap::new(), Vec::new());
    for (index, material) in before.materials.iter().enumerate() {
        let Some(skin) = masked(before, material, textures) else { continue };
        let Some(new) = after.materials.get_mut(index) else { continue };
        let [layer] = new.layers.as_mut_slice() else { continue };
        // Leaves and hair have holes of their own.
        if layer.filter_mode != 0 {
            continue;
        }
        let path = usize::try_from(layer.texture_id).ok().and_then(|id| after.textures.get(id));
        let Some(path) = path.map(|t| t.path.lossy().into_owned()) else { continue };
        images.insert(path, skin);
        layer.filter_mode = BLEND;
        let under =
            Layer { flags: layer.flags, texture_id: team_texture(&mut after.textures), ..Layer::default() };
        new.layers.insert(0, under);
    }
    for texture in &after.textures {
        let path = texture.path.lossy().into_owned();
        if path.is_empty() || images.contains_key(&path) {
            continue;
        }
        let Some(found) = textures.load(&path) else { continue };
        // What is a BLP already stays where it is.
        if !found.path.to_lowercase().ends_with(".blp") {
            images.insert(path, found.image.as_ref().clone());
        }
    }
    let mut files = Vec::new();
    for (path, image) in images {
        let place = path.replace('\\', "/");
        match as_blp(&image, &place) {
            Ok(bytes) => files.push((place, bytes)),
            Err(why) => losses.push(Loss::new(format!("texture {path:?}"), why)),
        }
    }
    (files, losses)
}

/// Returns the index of the texture with the colour of the player.
fn team_texture(textures: &mut Vec<ModelTexture>) -> i32 {
    let is = |t: &ModelTexture| t.replaceable_id == 1 && t.path.bytes().is_empty();
    let found = textures.iter().position(is).unwrap_or_else(|| {
        textures.push(ModelTexture { replaceable_id: 1, path: Default::default(), flags: 0 });
        textures.len() - 1
    });
    found as i32
}

/// Returns the skin of an HD material with holes where its mask shows the colour of the player; `None` without a mask.
fn masked(model: &Model, material: &Material, textures: &Textures<'_>) -> Option<Image> {
    let slot = |slot: usize| -> Option<&ModelTexture> {
        let id = if model.version.has(Feature::TextureSlots) {
            let layer = material.layers.iter().find(|l| l.shader_type == 1)?;
            let at = |t: &&LayerTexture| t.slot as usize == slot;
            layer.textures.iter().find(at)?.texture_id
        } else {
            let hd = material.shader.bytes().starts_with(b"Shader_HD");
            material.layers.get(slot).filter(|_| hd)?.texture_id
        };
        model.textures.get(usize::try_from(id).ok()?)
    };
    slot(TEAM_COLOR).filter(|t| t.replaceable_id == 1)?;
    let load = |texture: &ModelTexture| textures.load(&texture.path.lossy());
    let (diffuse, orm) = (load(slot(DIFFUSE)?)?, load(slot(ORM)?)?);
    galatea_texture::material::team_holes(&diffuse.image, &orm.image)
}

fn as_blp(image: &Image, name: &str) -> Result<Vec<u8>, String> {
    let png = encode::png(image).map_err(|e| e.to_string())?;
    let texture = Texture::read(&png, &Limits::default()).map_err(|e| e.to_string())?;
    let file = TextureFile { texture, txi: None };
    let made = convert_texture(&file, FormatId::Blp, &ConvertOptions::default(), name);
    Ok(made.map_err(|e| e.to_string())?.output.bytes)
}
