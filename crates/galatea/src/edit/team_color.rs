//! Warcraft III's player colors: `--team-color-layer`.

use super::Refusal;
use super::documents::not_for;
use crate::Document;

/// Puts a layer of the team color under a material, which shows through where its texture is transparent.
pub(super) fn add(document: &mut dyn Document, material: Option<u32>) -> Result<usize, Refusal> {
    #[cfg(feature = "mdlx")]
    if let Some(model) = document.as_any_mut().downcast_mut::<crate::mdlx::Model>() {
        return warcraft(model, material);
    }
    let _ = material;
    Err(not_for(document, "Warcraft III models have team colors"))
}

#[cfg(feature = "mdlx")]
fn warcraft(model: &mut crate::mdlx::Model, material: Option<u32>) -> Result<usize, Refusal> {
    use crate::mdlx::{Layer, LayerTexture, Texture};

    /// The replaceable texture of the team color.
    const TEAM_COLOR: u32 = 1;
    /// The last filter mode of layers that hide what is under them: 0 opaque, 1 transparent.
    const HIDES: u32 = 1;
    /// The filter mode of layers that are blended by their alpha.
    const BLEND: u32 = 2;

    if model.version.is_wow() {
        let why = "World of Warcraft has no team colors";
        return Err(Refusal::NotInFormat { format: crate::FormatId::Mdx, why });
    }
    let slots = model.version.0 >= 1100;
    let count = model.materials.len();
    if let Some(index) = material.filter(|index| *index as usize >= count) {
        return Err(Refusal::Missing { what: "material", name: index.to_string(), near: None });
    }
    let team = model.textures.iter().position(|texture| texture.replaceable_id == TEAM_COLOR);
    let texture_id = team.unwrap_or(model.textures.len()) as i32;
    let mut changed = 0;
    for (index, item) in model.materials.iter_mut().enumerate() {
        if material.is_some_and(|wanted| wanted as usize != index) {
            continue;
        }
        if is_hd(item) {
            changed += usize::from(fill_slot(item, texture_id));
            continue;
        }
        let own = |layer: &Layer| layer.textures.first().map_or(layer.texture_id, |slot| slot.texture_id);
        let Some(first) = item.layers.first_mut().filter(|first| own(first) != texture_id) else {
            continue;
        };
        first.filter_mode = if first.filter_mode <= HIDES { BLEND } else { first.filter_mode };
        let flags = first.flags;
        let mut layer = Layer { texture_id, flags, ..Layer::default() };
        if slots {
            layer.texture_id = 0;
            layer.textures.push(LayerTexture { texture_id, ..LayerTexture::default() });
        }
        item.layers.insert(0, layer);
        changed += 1;
    }
    if changed > 0 && team.is_none() {
        model.textures.push(Texture { replaceable_id: TEAM_COLOR, ..Texture::default() });
    }
    Ok(changed)
}

/// Returns `true` if a material has a slot for the team color.
#[cfg(feature = "mdlx")]
fn is_hd(material: &crate::mdlx::Material) -> bool {
    material.shader.bytes().starts_with(b"Shader_HD") && material.layers.len() > 1
        || material.layers.first().is_some_and(|layer| layer.shader_type == 1)
}

/// Puts the team color into the slot of a material; returns whether it was another texture.
#[cfg(feature = "mdlx")]
fn fill_slot(material: &mut crate::mdlx::Material, texture: i32) -> bool {
    /// The slot of the team color; before version 1100 slots are layers.
    const SLOT: usize = 4;
    let of_layer = |layer: &mut crate::mdlx::Layer| {
        let slot = layer.textures.iter_mut().find(|slot| slot.slot as usize == SLOT);
        slot.map(|slot| std::mem::replace(&mut slot.texture_id, texture))
    };
    let old = material.layers.first_mut().and_then(of_layer).or_else(|| {
        let layer = material.layers.get_mut(SLOT)?;
        Some(std::mem::replace(&mut layer.texture_id, texture))
    });
    old.is_some_and(|old| old != texture)
}
