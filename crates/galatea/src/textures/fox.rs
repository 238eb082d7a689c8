//! What the Fox Engine's materials look like.

use galatea_gltf::{Appearance, Map, Role};
use galatea_scene::{AlphaMode, Material, Slot};
use galatea_texture::material::{self, FoxRole, fox_role};
use galatea_texture::{Alpha, Image};

use super::materials::{ResolvedMaterial, Resolver, map, notes, slot};

/// The slot of PES for metal.
const METALNESS: &str = "MetalnessMap_Tex_LIN";

pub(super) fn resolve(resolver: &mut Resolver<'_>, material: &Material) -> Option<ResolvedMaterial> {
    let mut appearance = Appearance::of(material);
    appearance.maps.clear();
    let mut direct = None;
    if let Some((at, texture)) = slot(material, &Slot::Base)
        && let Some(decoded) = resolver.load(&texture.name)
    {
        let whole = resolver.images.whole(&texture.name, &decoded);
        let mut base = map(Role::BaseColor, whole.clone(), texture, Some(at));
        base.notes = notes(&decoded);
        // Only textures that say so have opacity in their alpha.
        let opacity = !matches!(fox_role(&texture.name), FoxRole::Colour { alpha: false });
        if appearance.alpha == AlphaMode::Additive {
            appearance.unlit = true;
            direct = Some(whole);
            base.image = resolver.images.derived(&texture.name, "additive", &decoded, material::additive);
        } else if decoded.image.alpha() == Alpha::Opaque || !opacity {
            appearance.alpha = AlphaMode::Opaque;
        }
        appearance.maps.push(base);
    }
    if let Some((at, texture)) = slot(material, &Slot::Normal)
        && let Some(decoded) = resolver.load(&texture.name)
    {
        let image = resolver.images.derived(&texture.name, "normal", &decoded, normal);
        let mut map = map(Role::Normal, image, texture, Some(at));
        map.notes = notes(&decoded);
        appearance.maps.push(map);
    }
    if let Some((at, texture)) = slot(material, &Slot::Specular)
        && let Some(decoded) = resolver.load(&texture.name)
    {
        // PES has a texture of its own for metal.
        let metal = slot(material, &Slot::Other(METALNESS.to_owned()));
        let metal = metal.and_then(|(_, texture)| resolver.load(&texture.name));
        (appearance.metallic, appearance.roughness) = (if metal.is_some() { 1.0 } else { 0.0 }, 1.0);
        let rough = resolver.images.derived(&texture.name, "roughness", &decoded, move |srm| {
            let rough = material::fox_roughness(srm);
            metal.as_ref().map_or_else(|| rough.clone(), |m| material::with_metal(&rough, &m.image))
        });
        let mut rough = map(Role::MetallicRoughness, rough, texture, Some(at));
        rough.notes = notes(&decoded);
        let shine = resolver.images.derived(&texture.name, "specular", &decoded, material::fox_specular);
        appearance.maps.push(Map { role: Role::Specular, image: shine, ..rough.clone() });
        appearance.maps.push(rough);
    }
    let shader = material.extras.get("shader").and_then(|s| s.as_str()).unwrap_or("");
    appearance.unlit |= shader.contains("Constant");
    (!appearance.maps.is_empty()).then(|| ResolvedMaterial { direct, ..ResolvedMaterial::new(appearance) })
}

/// Normals are stored in two channels, unless all three are there.
fn normal(image: &Image) -> Image {
    let total = (image.rgba.len() / 4).max(1) as u64;
    let blue: u64 = image.pixels().map(|[_, _, b, _]| u64::from(b)).sum();
    let plain = image.alpha() == Alpha::Opaque && blue / total > 180;
    if plain { material::opaque(image) } else { material::fox_normal(image) }
}
