//! What Warcraft III's materials look like: layers over each other, team colours, and Reforged's six textures.

use std::sync::Arc;

use galatea_gltf::{Appearance, Map, Role};
use galatea_scene::{AlphaMode, Material, Slot, Texture};
use galatea_texture::material::{self, Surface};
use galatea_texture::{Image, team};

use super::Decoded;
use super::materials::{ResolvedMaterial, Resolver, map, notes, slot};

pub(super) fn resolve(resolver: &mut Resolver<'_>, material: &Material) -> Option<ResolvedMaterial> {
    let mut appearance = Appearance::of(material);
    appearance.maps.clear();
    let mut direct = None;
    let painted = material.textures.first().and_then(replaceable);
    if let Some(layers) = baked(resolver, material) {
        let texture = material.textures.first()?;
        let name = format!("{}.layers", galatea_texture::find::output_name(&layers.name));
        let image = resolver.images.own(&name, move || layers.image());
        appearance.maps.push(map(Role::BaseColor, image, texture, None));
        appearance.base_color = [1.0; 4];
        if let Some(own) = base(resolver, material, &mut appearance.clone(), painted) {
            direct = Some(own.image);
        }
    } else if let Some(own) = base(resolver, material, &mut appearance, painted) {
        direct = own.direct;
        appearance.maps.push(own.map);
    } else if painted == Some(TEAM_COLOUR) {
        let [r, g, b] = team::team_colour(resolver.team).map(linear);
        let [.., opacity] = material.base_color;
        appearance.base_color = [r, g, b, opacity];
    }
    surfaces(resolver, material, &mut appearance);
    let changed = !appearance.maps.is_empty() || painted.is_some();
    changed.then(|| ResolvedMaterial { direct, ..ResolvedMaterial::new(appearance) })
}

const TEAM_COLOUR: u32 = 1;
const TEAM_GLOW: u32 = 2;

/// Returns which replaceable texture a name stands for, of those that follow the team.
fn replaceable(texture: &Texture) -> Option<u32> {
    let name = texture.name.to_lowercase();
    if texture.slot != Slot::TeamColor {
        return None;
    }
    Some(if name.contains("teamglow") { TEAM_GLOW } else { TEAM_COLOUR })
}

/// Converts a display value to light.
fn linear(value: u8) -> f32 {
    let v = f32::from(value) / 255.0;
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// The image of the first texture.
struct Base {
    map: Map,
    image: String,
    direct: Option<String>,
}

/// Returns a team's own texture, from the files if it is there.
fn team_texture(resolver: &Resolver<'_>, id: u32) -> Option<Arc<Decoded>> {
    resolver.load(&team::path(id, resolver.team)?)
}

fn base(
    resolver: &mut Resolver<'_>,
    material: &Material,
    appearance: &mut Appearance,
    painted: Option<u32>,
) -> Option<Base> {
    let (at, texture) = match painted {
        Some(_) => slot(material, &Slot::TeamColor)?,
        None => slot(material, &Slot::Base)?,
    };
    let [.., opacity] = material.base_color;
    if painted.is_some() {
        appearance.base_color = [1.0, 1.0, 1.0, opacity];
    }
    let decoded = match painted {
        Some(id) => team_texture(resolver, id),
        None => resolver.load(&texture.name),
    };
    let Some(decoded) = decoded else {
        let own = painted.map(|id| (id, resolver.team));
        let (id, number) = own.or_else(|| team::named(&texture.name))?;
        let image = resolver.images.own(
            &format!("{}{number:02}", if id == TEAM_GLOW { "TeamGlow" } else { "TeamColor" }),
            move || team::image(id, number).unwrap_or_else(|| Image::filled(1, 1, [255; 4])),
        );
        appearance.unlit |= id == TEAM_GLOW;
        return Some(Base {
            map: map(Role::BaseColor, image.clone(), texture, Some(at)),
            image,
            direct: None,
        });
    };
    let whole = match team_diffuse(resolver, material, texture, &decoded) {
        Some(coloured) => coloured,
        None => resolver.images.whole(&texture.name, &decoded),
    };
    let mut base = map(Role::BaseColor, whole.clone(), texture, Some(at));
    base.notes = notes(&decoded);
    let mut direct = None;
    match material.alpha {
        AlphaMode::Additive => {
            appearance.unlit = true;
            direct = Some(whole.clone());
            base.image = resolver.images.derived(&texture.name, "additive", &decoded, material::additive);
        }
        AlphaMode::Modulate | AlphaMode::Modulate2x => {
            appearance.unlit = true;
            direct = Some(whole.clone());
            base.image = resolver.images.derived(&texture.name, "modulate", &decoded, material::modulate);
        }
        _ => {}
    }
    Some(Base { map: base, image: whole, direct })
}

/// Returns Reforged's colour with the team's where the mask says so.
fn team_diffuse(
    resolver: &mut Resolver<'_>,
    material: &Material,
    texture: &Texture,
    diffuse: &Arc<Decoded>,
) -> Option<String> {
    slot(material, &Slot::TeamColor).filter(|_| texture.slot == Slot::Base)?;
    let (_, orm) = slot(material, &Slot::OcclusionRoughnessMetallic)?;
    let orm = resolver.load(&orm.name)?;
    let colour = team::team_colour(resolver.team);
    // Asked on one pixel: whether there is a mask does not depend on the colour.
    material::team_diffuse(&Image::filled(1, 1, [0; 4]), &orm.image, colour)?;
    let what = format!("team{:02}", resolver.team);
    Some(resolver.images.derived(&texture.name, &what, diffuse, move |image| {
        material::team_diffuse(image, &orm.image, colour).unwrap_or_else(|| image.clone())
    }))
}

/// Sets normals, occlusion, roughness, metalness and emission of a Reforged material.
fn surfaces(resolver: &mut Resolver<'_>, material: &Material, appearance: &mut Appearance) {
    if let Some((at, texture)) = slot(material, &Slot::Normal)
        && let Some(decoded) = resolver.load(&texture.name)
    {
        let encoding = material::normal_encoding(&decoded.image, decoded.two_channels);
        let image = resolver.images.derived(&texture.name, "normal", &decoded, move |image| {
            material::decode_normal(image, encoding)
        });
        let mut map = map(Role::Normal, image, texture, Some(at));
        map.notes = notes(&decoded);
        appearance.maps.push(map);
    }
    if let Some((at, texture)) = slot(material, &Slot::OcclusionRoughnessMetallic)
        && let Some(decoded) = resolver.load(&texture.name)
    {
        let image = resolver.images.derived(&texture.name, "orm", &decoded, material::orm);
        let mut rough = map(Role::MetallicRoughness, image, texture, Some(at));
        rough.notes = notes(&decoded);
        appearance.maps.push(rough.clone());
        appearance.maps.push(Map { role: Role::Occlusion, texture: None, ..rough });
        (appearance.metallic, appearance.roughness) = (1.0, 1.0);
    }
    if let Some((at, texture)) = slot(material, &Slot::Emissive) {
        match resolver.load(&texture.name) {
            Some(decoded) => {
                let image = resolver.images.whole(&texture.name, &decoded);
                let mut map = map(Role::Emissive, image, texture, Some(at));
                map.notes = notes(&decoded);
                appearance.maps.push(map);
                appearance.emissive = [emissive_gain(material); 3];
            }
            // Most of them are the game's own black.
            None => appearance.emissive = [0.0; 3],
        }
    }
}

/// Returns the factor of a material's emissive texture: that of its first layer, 1 if it has none.
fn emissive_gain(material: &Material) -> f32 {
    let stored = material.extras.object("mdx").and_then(|map| map.get("emissive_gain"));
    let gain = stored.and_then(|v| v.as_f64()).map_or(1.0, |v| v as f32);
    if gain.is_finite() { gain.max(0.0) } else { 1.0 }
}

/// Layers that become one image.
struct Layers {
    name: String,
    bottom: Arc<Image>,
    over: Vec<(Arc<Image>, Surface, f32)>,
}

impl Layers {
    fn image(&self) -> Image {
        let over: Vec<(&Image, Surface, f32)> =
            self.over.iter().map(|(image, surface, opacity)| (image.as_ref(), *surface, *opacity)).collect();
        material::layered(&self.bottom, &over)
    }
}

/// Returns the layers of a material whose lowest covers everything, if there are others over it that lie in the same place.
fn baked(resolver: &Resolver<'_>, material: &Material) -> Option<Layers> {
    if material.layers.is_empty() || !matches!(material.alpha, AlphaMode::Opaque | AlphaMode::Mask { .. }) {
        return None;
    }
    let image = |material: &Material| -> Option<Arc<Image>> {
        let texture = material.textures.first()?;
        match replaceable(texture) {
            Some(id) => {
                let own = || team::image(id, resolver.team).map(Arc::new);
                team_texture(resolver, id).map(|d| Arc::clone(&d.image)).or_else(own)
            }
            None => {
                let own = || team::named(&texture.name).and_then(|(id, team)| team::image(id, team));
                let file = resolver.load(&texture.name).map(|d| Arc::clone(&d.image));
                file.or_else(|| own().map(Arc::new))
            }
        }
    };
    let first = material.textures.first()?;
    let mut layers = Layers { name: first.name.clone(), bottom: image(material)?, over: Vec::new() };
    for layer in material.layers.iter().filter_map(|id| resolver.scene.materials.get(*id as usize)) {
        let Some(texture) = layer.textures.first() else { continue };
        let [.., opacity] = layer.base_color;
        let same = texture.uv_set == first.uv_set && texture.transform == first.transform;
        let Some(over) = image(layer).filter(|_| same && opacity > 0.0) else { continue };
        let surface = match layer.alpha {
            AlphaMode::Mask { cutoff } => Surface::Mask(cutoff),
            AlphaMode::Blend => Surface::Blend,
            AlphaMode::Additive => Surface::Additive,
            AlphaMode::Modulate => Surface::Modulate { twice: false },
            AlphaMode::Modulate2x => Surface::Modulate { twice: true },
            _ => Surface::Opaque,
        };
        if replaceable(first).is_some() && layers.over.is_empty() {
            layers.name.clone_from(&texture.name);
        }
        layers.over.push((over, surface, opacity));
    }
    (!layers.over.is_empty()).then_some(layers)
}
