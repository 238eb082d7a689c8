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
    use crate::mdlx::{Layer, Texture};

    /// The replaceable texture of the team color.
    const TEAM_COLOR: u32 = 1;
    /// The last filter mode of layers that hide what is under them: 0 opaque, 1 transparent.
    const HIDES: u32 = 1;
    /// The filter mode of layers that are blended by their alpha.
    const BLEND: u32 = 2;

    if model.version.0 >= 900 || model.version.is_wow() {
        let why = "team colors are layers up to version 800; later ones have a slot for them";
        return Err(Refusal::NotInFormat { format: crate::FormatId::Mdx, why });
    }
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
        let Some(first) = item.layers.first_mut().filter(|first| first.texture_id != texture_id) else {
            continue;
        };
        first.filter_mode = if first.filter_mode <= HIDES { BLEND } else { first.filter_mode };
        let flags = first.flags;
        item.layers.insert(0, Layer { texture_id, flags, ..Layer::default() });
        changed += 1;
    }
    if changed > 0 && team.is_none() {
        model.textures.push(Texture { replaceable_id: TEAM_COLOR, ..Texture::default() });
    }
    Ok(changed)
}
