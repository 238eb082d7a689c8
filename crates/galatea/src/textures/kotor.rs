//! What KotOR's materials look like: the texture, its TXI and the node decide together.

use galatea_gltf::{Appearance, Map, Role};
use galatea_scene::{AlphaMode, Material, Slot, UvTransform, Wrap};
use galatea_texture::material::{self, KotorSurface, Surface};
use galatea_texture::{Image, Txi};

use super::materials::{ResolvedMaterial, Resolver, alpha, map, notes, slot};

pub(super) fn resolve(resolver: &mut Resolver<'_>, material: &Material) -> Option<ResolvedMaterial> {
    let mut appearance = Appearance::of(material);
    appearance.maps.clear();
    let lightmap = lightmap(resolver, material);
    let Some((at, texture)) = slot(material, &Slot::Base) else {
        appearance.maps.extend(lightmap);
        return Some(ResolvedMaterial::new(appearance));
    };
    let decoded = resolver.load(&texture.name);
    let Some(decoded) = decoded else {
        appearance.maps.extend(lightmap);
        return (!appearance.maps.is_empty()).then(|| ResolvedMaterial::new(appearance));
    };
    let txi = &decoded.txi;
    let [.., opacity] = material.base_color;
    let surface = KotorSurface {
        txi,
        alpha_mean: decoded.alpha_mean,
        node_alpha: opacity,
        self_illumination: material.emissive,
        alpha: decoded.image.alpha(),
    }
    .surface();
    appearance.alpha = alpha(surface);
    appearance.two_sided |= txi.is_on("decal");
    if let Some(water) = txi.number("wateralpha").filter(|a| (0.0..1.0).contains(a)) {
        appearance.alpha = AlphaMode::Blend;
        let [r, g, b, a] = appearance.base_color;
        appearance.base_color = [r, g, b, a * water];
    }
    let whole = resolver.images.whole(&texture.name, &decoded);
    let mut base = map(Role::BaseColor, whole.clone(), texture, Some(at));
    base.notes = notes(&decoded);
    place(&mut base, txi);
    let mut direct = None;
    if surface == Surface::Additive {
        appearance.unlit = true;
        direct = Some(whole.clone());
        base.image = resolver.images.derived(&texture.name, "additive", &decoded, material::additive);
    }
    let mut mirror = None;
    if let Some(environment) = txi.environment().filter(|_| surface == Surface::Opaque) {
        let cube = resolver.cube(environment);
        mirror = Some(cube.map(|image| {
            let name = format!("{}.cube", galatea_texture::find::output_name(environment));
            resolver.images.own(&name, move || image.clone())
        }));
        (appearance.metallic, appearance.roughness) = (1.0, 1.0);
        let image = resolver.images.derived(&texture.name, "shine", &decoded, material::reflection_mask);
        appearance.maps.push(Map { image, role: Role::MetallicRoughness, texture: None, ..base.clone() });
    }
    if material.emissive != [0.0; 3] {
        appearance.maps.push(Map { image: whole, role: Role::Emissive, texture: None, ..base.clone() });
    }
    if let Some(name) = txi.name("bumpmaptexture")
        && let Some(bump) = resolver.load(name)
    {
        let strength = bump.txi.number("bumpmapscaling").unwrap_or(1.0);
        let image = resolver.images.derived(name, "normal", &bump, move |image| normal(image, strength));
        // Its rows are turned over instead of the coordinates, since viewers derive tangents from the plain coordinates.
        let normal = Map { image, role: Role::Normal, texture: None, transform: None, ..base.clone() };
        appearance.maps.push(normal);
    }
    appearance.maps.extend(lightmap);
    appearance.maps.insert(0, base);
    let flip_book = txi.flip_book();
    Some(ResolvedMaterial { direct, flip_book, mirror, ..ResolvedMaterial::new(appearance) })
}

fn lightmap(resolver: &mut Resolver<'_>, material: &Material) -> Option<Map> {
    let (at, texture) = slot(material, &Slot::Lightmap)?;
    let decoded = resolver.load(&texture.name)?;
    let image = resolver.images.whole(&texture.name, &decoded);
    let mut map = map(Role::Lightmap, image, texture, Some(at));
    map.notes = notes(&decoded);
    place(&mut map, &decoded.txi);
    Some(map)
}

/// Sets edges and flip-books as the TXI says.
fn place(map: &mut Map, txi: &Txi) {
    let (u, v) = txi.clamp();
    let wrap = |clamp: bool, was: Wrap| if clamp { Wrap::Clamp } else { was };
    let [was_u, was_v] = map.wrap;
    map.wrap = [wrap(u, was_u), wrap(v, was_v)];
    if let Some(book) = txi.flip_book() {
        // The first frame is the upper left one.
        let was = map.transform.unwrap_or_default();
        let (x, y) = (1.0 / book.columns as f32, 1.0 / book.rows as f32);
        let ([ox, oy], [sx, sy]) = (was.offset, was.scale);
        map.transform = Some(UvTransform { offset: [ox * x, oy * y], scale: [sx * x, sy * y], ..was });
    }
}

/// Returns a bump map as a normal map, its rows turned over: grey ones are heights, others have normals already, which then point up
/// the turned image.
fn normal(image: &Image, strength: f32) -> Image {
    let grey = image.pixels().all(|[r, g, b, _]| r == g && g == b);
    if !grey {
        let mut normal = material::opaque(image);
        normal.flip_rows();
        return normal;
    }
    let mut heights = image.clone();
    heights.flip_rows();
    material::height_to_normal(&heights, strength)
}
