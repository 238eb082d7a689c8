//! From the scene to glTF: materials.

use galatea_scene::{AlphaMode, Extras, Material, MaterialId, Target, Value, float};

use super::texture::{Placed, Shared, place_maps, put_info, put_place};
use super::{Context, kept, put_extras, put_name, put_raw};
use crate::json::{List, Object};
use crate::{Appearance, Options, Role, constraints, typed};

/// The lists of materials and what they refer to.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    pub(crate) list: List,
    pub(crate) textures: List,
    pub(crate) samplers: List,
    pub(crate) images: List,
    /// Copies of materials that no triangle has, which Blender does not import.
    pub(crate) unused: List,
    seen: Vec<Option<u32>>,
    hidden: Vec<Option<u32>>,
}

impl Materials {
    /// Returns the index of a material in the document. Hidden meshes have a version of it that no viewer draws.
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
    /// Whether triangles have it.
    solid: bool,
    /// Sets of texture coordinates that everything drawn with it has.
    uv_sets: usize,
}

pub(crate) fn write(cx: &mut Context<'_>, options: &Options<'_>) -> Materials {
    let scene = cx.scene;
    // One more for primitives without a material.
    let mut uses = vec![
        Use { seen: false, hidden: false, solid: false, uv_sets: usize::MAX };
        scene.materials.len() + 1
    ];
    for (mesh, hidden) in scene.meshes.iter().zip(&cx.hidden) {
        for primitive in &mesh.primitives {
            let place = primitive.material.map_or(scene.materials.len(), |m| m as usize);
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let sets = vertices.uvs.iter().take_while(|u| u.len() == vertices.positions.len()).count();
            if let Some(entry) = uses.get_mut(place) {
                entry.seen |= !hidden;
                entry.hidden |= *hidden;
                entry.solid |= primitive.triangles(vertices.positions.len()).next().is_some();
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
        let appearance = (options.appearance)(id as MaterialId, material);
        let placed = if used.seen {
            place_maps(cx, options, &appearance, used.uv_sets, &mut out, &mut shared)
        } else {
            Vec::new()
        };
        if !used.solid {
            out.unused.push(|o| put_material(o, cx, id, material, &appearance, &[], false));
        }
        let mut write = |hidden: bool| {
            if appearance.unlit && !hidden {
                cx.extensions.insert("KHR_materials_unlit");
            }
            out.list.push(|o| put_material(o, cx, id, material, &appearance, &placed, hidden))
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
            let own = Extras::from_iter([("none", Value::Bool(true))]);
            put_extras(o, Extras::none(), &own);
        })
    }));
    out
}

/// Writes a material that viewers do not draw.
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
    appearance: &Appearance,
    placed: &[Placed<'_>],
    hidden: bool,
) {
    let (mut own, mut raw, mut shown) = (Extras::default(), Extras::default(), Extras::default());
    let unique = cx.material_names.get(id).map_or("", |n| n);
    cx.put_origin(&mut own, id);
    if !hidden {
        cx.put_key(&mut own, Target::Material(id as u32), unique);
    }
    if hidden {
        // Everything a viewer would show goes to extras.
        o.text("name", &format!("{unique}.hidden"));
        own.insert("name", material.name.clone());
        own.insert("hidden", unique.to_owned());
        put_nothing(o);
        raw.insert("base_color", galatea_scene::floats(&material.base_color));
        raw.insert("emissive", galatea_scene::floats(&material.emissive));
        raw.insert("metallic", float(material.metallic));
        raw.insert("roughness", float(material.roughness));
        own.insert("two_sided", material.two_sided);
        own.insert("unlit", material.unlit);
    } else {
        put_name(o, &mut own, &material.name, unique);
        put_appearance(o, material, appearance, placed, &mut raw, &mut shown);
        for (key, is, shown_as) in [
            ("two_sided", material.two_sided, appearance.two_sided),
            ("unlit", material.unlit, appearance.unlit),
        ] {
            if is != shown_as {
                own.insert(key, is);
                shown.insert(key, shown_as);
            }
        }
    }
    let other = !hidden && appearance.alpha != material.alpha;
    if other {
        shown.insert("alpha", alpha_mode(appearance.alpha));
        if appearance.alpha == AlphaMode::Additive {
            shown.insert("additive", true);
        }
    }
    let word = match material.alpha {
        AlphaMode::Additive => Some("additive"),
        AlphaMode::Modulate => Some("modulate"),
        AlphaMode::Modulate2x => Some("modulate2x"),
        AlphaMode::Blend => Some("blend"),
        AlphaMode::Mask { cutoff } => {
            if hidden || other || (cutoff != 0.5 && !raw.contains_key("cutoff")) {
                raw.insert("cutoff", float(cutoff));
            }
            Some("mask")
        }
        AlphaMode::Opaque if other => Some("opaque"),
        _ => None,
    };
    if let Some(word) = word {
        own.insert("alpha", word);
    }
    put_textures(&mut own, material, appearance, placed, hidden);
    if !shown.is_empty() {
        own.insert("shown", shown);
    }
    if !material.layers.is_empty() {
        let layers = material.layers.iter().filter_map(|l| cx.material_names.get(*l as usize));
        let layers = layers.map(|name| Value::from([("material", name.to_string().into())]));
        own.insert("layers", Value::Array(layers.collect()));
    }
    put_raw(&mut own, raw);
    put_extras(o, &material.extras, &own);
}

/// Adds the names of textures and what is drawn of them; images that only derive from them are marked as such.
fn put_textures(
    own: &mut Extras,
    material: &Material,
    appearance: &Appearance,
    placed: &[Placed<'_>],
    hidden: bool,
) {
    let of = |texture: usize| placed.iter().find(|p| p.map.texture == Some(texture) && !hidden);
    let list = material.textures.iter().enumerate().map(|(i, texture)| {
        let shown = of(i).map(|p| {
            let place = (p.map.uv_set, p.map.wrap, p.map.transform);
            let same = place == (texture.uv_set, texture.wrap, texture.transform);
            typed::Shown { role: p.map.role, image: p.image.clone(), place: (!same).then_some(place) }
        });
        let notes = appearance.maps.iter().find(|m| m.texture == Some(i)).map(|m| &m.notes);
        typed::texture(texture, shown.as_ref(), notes.unwrap_or(&Extras::new()))
    });
    let list: Vec<Value> = list.collect();
    if !list.is_empty() {
        own.insert("textures", Value::Array(list));
    }
    let first = |p: &&Placed<'_>| {
        p.map.texture.is_none_or(|t| !of(t).is_some_and(|q| std::ptr::eq(q, *p))) && !hidden
    };
    let derived = placed.iter().filter(first);
    let derived =
        derived.map(|p| Value::from([("role", p.map.role.name().into()), ("image", p.image.clone().into())]));
    let derived: Vec<Value> = derived.collect();
    if !derived.is_empty() {
        own.insert("derived", Value::Array(derived));
    }
}

fn alpha_mode(alpha: AlphaMode) -> &'static str {
    match alpha {
        AlphaMode::Opaque => "OPAQUE",
        AlphaMode::Mask { .. } => "MASK",
        _ => "BLEND",
    }
}

/// Returns a value of the appearance as glTF allows it. If that is not the material's own, both are kept.
fn shown_as<const N: usize>(
    raw: &mut Extras,
    shown: &mut Extras,
    key: &'static str,
    [was, shown_as]: [[f32; N]; 2],
    allowed: impl Fn([f32; N]) -> [f32; N],
) -> [f32; N] {
    let is = allowed(shown_as);
    if was.map(f32::to_bits) != shown_as.map(f32::to_bits) {
        shown.insert(key, galatea_scene::floats(&is));
    }
    kept(raw, key, was, is)
}

/// Writes what a viewer shows.
fn put_appearance(
    o: &mut Object<'_>,
    material: &Material,
    appearance: &Appearance,
    placed: &[Placed<'_>],
    raw: &mut Extras,
    shown: &mut Extras,
) {
    let map = |role: Role| placed.iter().find(|p| p.map.role == role);
    o.object("pbrMetallicRoughness", |o| {
        let color = shown_as(
            raw,
            shown,
            "base_color",
            [material.base_color, appearance.base_color],
            constraints::color,
        );
        if color != [1.0; 4] {
            o.floats("baseColorFactor", &color);
        }
        if let Some(placed) = map(Role::BaseColor) {
            put_info(o, "baseColorTexture", placed);
        }
        for (key, name, values) in [
            ("metallicFactor", "metallic", [material.metallic, appearance.metallic]),
            ("roughnessFactor", "roughness", [material.roughness, appearance.roughness]),
        ] {
            let unit = |[v]: [f32; 1]| [if v.is_finite() { v.clamp(0.0, 1.0) } else { 1.0 }];
            let [value] = shown_as(raw, shown, name, values.map(|v| [v]), unit);
            if value != 1.0 {
                o.float(key, value);
            }
        }
        if let Some(placed) = map(Role::MetallicRoughness) {
            put_info(o, "metallicRoughnessTexture", placed);
        }
    });
    for (key, role) in [
        ("normalTexture", Role::Normal),
        ("occlusionTexture", Role::Occlusion),
        ("emissiveTexture", Role::Emissive),
    ] {
        if let Some(placed) = map(role) {
            put_info(o, key, placed);
        }
    }
    let clamped = |c: [f32; 3]| constraints::finite(c).map(|c| c.clamp(0.0, 1.0));
    let emissive = shown_as(raw, shown, "emissive", [material.emissive, appearance.emissive], clamped);
    if emissive != [0.0; 3] {
        o.floats("emissiveFactor", &emissive);
    }
    let mode = alpha_mode(appearance.alpha);
    if mode != "OPAQUE" {
        o.text("alphaMode", mode);
    }
    if let AlphaMode::Mask { cutoff } = appearance.alpha {
        let allowed = if cutoff.is_finite() { cutoff.max(0.0) } else { 0.5 };
        if appearance.alpha == material.alpha {
            kept(raw, "cutoff", [cutoff], [allowed]);
        }
        o.float("alphaCutoff", allowed);
    }
    if appearance.two_sided {
        o.flag("doubleSided", true);
    }
    let (specular, lightmap) = (map(Role::Specular), map(Role::Lightmap));
    if appearance.unlit || specular.is_some() || lightmap.is_some() {
        o.object("extensions", |o| put_extensions(o, appearance.unlit, specular, lightmap));
    }
}

fn put_extensions(
    o: &mut Object<'_>,
    unlit: bool,
    specular: Option<&Placed<'_>>,
    lightmap: Option<&Placed<'_>>,
) {
    if unlit {
        o.object("KHR_materials_unlit", |_| {});
    }
    if let Some(placed) = specular {
        o.object("KHR_materials_specular", |o| put_info(o, "specularTexture", placed));
    }
    if let Some(placed) = lightmap {
        o.object("MOZ_lightmap", |o| {
            o.float("intensity", 1.0);
            put_place(o, placed);
        });
    }
}
