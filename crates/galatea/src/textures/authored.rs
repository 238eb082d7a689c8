//! New materials for the Fox Engine: presets, texture paths, and images in the channels that the engine reads.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use galatea_fox::{Game, Name, Presets};
use galatea_gltf::Role;
use galatea_scene::{Extras, Material, MaterialId, Scene, Slot, Texture};
use galatea_texture::find::output_name;
use galatea_texture::material::{FoxRole, fox_role};
use galatea_texture::{Image, encode};
use galatea_wire::{Error, Loss, Result};

use super::document_images::{DocumentImages, Files, encoded};
use crate::{ConvertOptions, FormatId, SceneContext};

/// Images of one colour.
const FLAT: u32 = 4;
/// Specular mask of materials that say nothing of it: glTF's reflection of 4 %.
const SHINE: u8 = 128;

/// A scene whose new materials are complete.
pub(crate) struct Completed<'s> {
    pub(crate) scene: Cow<'s, Scene>,
    /// Images that were made for them.
    pub(crate) files: Files,
    /// The materials whose images those are.
    pub(crate) done: HashSet<MaterialId>,
}

/// Completes the new materials of a scene that is to become an FMDL.
pub(crate) fn complete<'s>(
    scene: &'s Scene,
    given: Option<&DocumentImages<'_>>,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Completed<'s>> {
    let mut out = Completed { scene: Cow::Borrowed(scene), files: Files::default(), done: HashSet::new() };
    if given.is_some() && scene.axes().is_none() && scene.drawn().all(|(_, _, m)| is_empty(m)) {
        return Err(Error::unrepresentable("there are no triangles to make a model of"));
    }
    let ours = |m: &Material| m.extras.object("fmdl").is_some_and(|map| map.contains_key("instance"));
    if scene.materials.iter().all(ours) {
        return Ok(out);
    }
    let game = options.fox().unwrap_or(Game::Tpp);
    let folder = folder(game, context);
    let new = out.scene.to_mut();
    out.files.losses = context.presets().apply(new, game, context.preset)?;
    for (id, (before, material)) in (0..).zip(scene.materials.iter().zip(&mut new.materials)) {
        if ours(before) {
            continue;
        }
        let images = given.map(|given| Images::of(given, id, before));
        let map = material.extras.object("fmdl");
        let name = |key: &str| map.and_then(|m| m.text(key)).map(Name::parse);
        let pair = name("shader").zip(name("technique"));
        let preset =
            pair.as_ref().and_then(|(shader, technique)| context.presets().of_pair(shader, technique));
        if let Some((shader, technique)) = pair.as_ref().filter(|pair| !is_known(context.presets(), pair)) {
            let what = format!("shader {shader} with technique {technique}: no file of the games has it");
            out.files.losses.push(Loss::new(format!("material {:?}", before.name), what));
        }
        let slots = preset.map_or(&[][..], |p| &p.slots);
        let images = images.as_ref();
        let mut maker = Maker { before, images, slots, folder: &folder, game, options, out: &mut out.files };
        maker.add_slots(material);
        maker.place(material);
        if given.is_some() {
            out.done.insert(id);
        }
    }
    Ok(out)
}

fn is_empty(mesh: &galatea_scene::Mesh) -> bool {
    let triangles = |p: &&galatea_scene::Primitive| p.topology == galatea_scene::Topology::Triangles;
    mesh.primitives.iter().filter(triangles).all(|p| p.indices.len() < 3)
}

/// Returns `true` if the games' own files, or the presets, have this shader with this technique.
fn is_known(presets: &Presets, (shader, technique): &(Name, Name)) -> bool {
    presets.pairs().any(|(s, t)| s.code() == shader.code() && t.code() == technique.code())
}

/// Returns the folder of new textures.
fn folder(game: Game, context: &SceneContext<'_>) -> String {
    match context.texture_folder {
        Some(folder) => format!("{}/", folder.trim_end_matches('/')),
        None if game == Game::Pes => format!("/Assets/pes16/model/{}/tga/", output_name(context.name)),
        None => format!("/Assets/tpp/model/{}/sourceimages/", output_name(context.name)),
    }
}

/// The images of one material by their roles.
struct Images {
    by_role: BTreeMap<Role, (String, Image)>,
    losses: Vec<Loss>,
}

impl Images {
    fn of(given: &DocumentImages<'_>, id: MaterialId, material: &Material) -> Images {
        let mut out = Images { by_role: BTreeMap::new(), losses: Vec::new() };
        for map in given.maps(id, material) {
            match given.decoded(&map.image) {
                Some(Ok(image)) => drop(out.by_role.insert(map.role, (map.image.clone(), image))),
                Some(Err(loss)) => out.losses.push(loss),
                None => {}
            }
        }
        out
    }

    fn get(&self, role: Role) -> Option<&Image> {
        self.by_role.get(&role).map(|(_, image)| image)
    }
}

/// Names the textures of one material, and makes their images.
struct Maker<'m> {
    before: &'m Material,
    /// The images of a glTF; nothing for scenes of other games.
    images: Option<&'m Images>,
    /// The slots of its shader.
    slots: &'m [Name],
    folder: &'m str,
    game: Game,
    options: &'m ConvertOptions,
    out: &'m mut Files,
}

impl Maker<'_> {
    /// Adds textures for slots that have none, not even a neutral one of the game, if an image can be made for them.
    fn add_slots(&mut self, material: &mut Material) {
        let Some(images) = self.images else { return };
        for (at, slot) in self.slots.iter().enumerate() {
            let shown = slot.to_string();
            let there = material.textures.iter().any(|t| slot_of(t) == shown);
            if there || self.made(&shown, images, false).is_none() && !shown.starts_with("Base_Tex") {
                continue;
            }
            let kind = if shown.starts_with("Base_Tex") { Slot::Base } else { Slot::Other(shown.clone()) };
            let own = Extras::from([("slot", shown.into())]);
            let extras = Extras::from([("fmdl", own.into())]);
            let texture = Texture { slot: kind, extras, ..Texture::default() };
            material.textures.insert(at.min(material.textures.len()), texture);
        }
    }

    fn place(&mut self, material: &mut Material) {
        if let Some(images) = self.images {
            self.out.losses.extend(images.losses.iter().cloned());
        }
        let given: Vec<String> = self.before.textures.iter().map(|t| t.name.clone()).collect();
        for texture in &mut material.textures {
            let own = given.contains(&texture.name) && !is_path(&texture.name);
            let shown = texture.extras.object("fmdl").and_then(|m| m.text("slot")).unwrap_or("").to_owned();
            let made = self.images.and_then(|images| self.made(&shown, images, own));
            // A slot that nothing is known of is white.
            let made = made.or_else(|| texture.name.is_empty().then(|| flat([255; 4])));
            let suffix = suffix(&shown, &texture.slot, material.alpha);
            match made {
                Some(image) => {
                    let stem =
                        if own { &texture.name } else { self.source(&shown).unwrap_or(&self.before.name) };
                    let name = self.write(&named(stem, suffix), &image);
                    texture.name = format!("{}{name}.tga", self.folder);
                }
                None if own => texture.name = format!("{}{}.tga", self.folder, named(&texture.name, suffix)),
                None => {}
            }
        }
        let has = |slot: &str, m: &Material| m.textures.iter().any(|t| slot_of(t) == slot);
        if self.images.is_some() && has("SpecularMap_Tex_LIN", material) {
            // They are in the specular map now.
            (material.metallic, material.roughness) = (0.0, 1.0);
            material.textures.retain(|t| t.slot != Slot::OcclusionRoughnessMetallic);
        }
        if self.images.is_some() && has("Base_Tex_SRGB", material) {
            material.base_color = [1.0; 4];
        }
    }

    /// Returns the name of the image that the image of a slot is made of.
    fn source(&self, slot: &str) -> Option<&str> {
        let role = match slot {
            "SpecularMap_Tex_LIN" | "MetalnessMap_Tex_LIN" => Role::MetallicRoughness,
            _ => return None,
        };
        Some(self.images?.by_role.get(&role)?.0.as_str())
    }

    /// Returns the image of a slot, if the glTF says anything of it. `own` slots have a texture of the author's.
    fn made(&self, slot: &str, images: &Images, own: bool) -> Option<Image> {
        let material = self.before;
        match slot {
            "Base_Tex_SRGB" | "Base_Tex_LIN" | "Mask_Tex_LIN" if own || !self.has(Slot::Base) => {
                let tint = material.base_color;
                let Some(base) = images.get(Role::BaseColor) else {
                    let flat = (tint != [1.0; 4] && !own).then(|| tint.map(srgb));
                    return flat.map(|[r, g, b, _]| Image::filled(FLAT, FLAT, [r, g, b, byte(tint[3])]));
                };
                Some(tinted(base, tint))
            }
            "NormalMap_Tex_NRM" if own => {
                images.get(Role::Normal).map(|image| packed_normal(image, self.game))
            }
            "SpecularMap_Tex_LIN"
                if own || !self.has(Slot::Specular) || images.get(Role::Specular).is_some() =>
            {
                Some(self.specular(images))
            }
            "MetalnessMap_Tex_LIN" => {
                let metal = |value: u8| {
                    let value = scaled(value, material.metallic);
                    [value, value, value, 255]
                };
                let mut image =
                    images.get(Role::MetallicRoughness).cloned().unwrap_or_else(|| flat([0, 0, 255, 255]));
                image.map(|[_, _, b, _]| metal(b));
                Some(image)
            }
            _ => None,
        }
    }

    fn has(&self, slot: Slot) -> bool {
        self.before.textures.iter().any(|t| t.slot == slot)
    }

    /// Returns the specular mask in red, roughness in green, reflection in blue.
    fn specular(&self, images: &Images) -> Image {
        let (rough, shine) = (images.get(Role::MetallicRoughness), images.get(Role::Specular));
        let mut out = rough.or(shine).cloned().unwrap_or_else(|| flat([255; 4]));
        let (width, height) = (out.width, out.height);
        let (metallic, roughness) = (self.before.metallic, self.before.roughness);
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let sample = |image: &Image, (x, y): (u32, u32)| {
            let scale =
                |at: u32, from: u32, to: u32| (u64::from(at) * u64::from(to) / u64::from(from.max(1))) as u32;
            image.pixel(scale(x, width, image.width), scale(y, height, image.height))
        };
        for (pixel, place) in out.rgba.as_chunks_mut::<4>().0.iter_mut().zip(places) {
            let [_, g, b, _] = rough.and_then(|r| sample(r, place)).unwrap_or([255; 4]);
            let mask = shine.and_then(|s| sample(s, place)).map_or(SHINE, |[.., a]| a);
            let metal = scaled(b, metallic);
            *pixel = [mask.max(metal), scaled(g, roughness), metal, 255];
        }
        out
    }

    /// Writes an image, and returns the name that it got.
    fn write(&mut self, name: &str, image: &Image) -> String {
        let place = || format!("image {name:?}");
        let png = encode::png(image).map_err(|e| Loss::new(place(), e.to_string()));
        let files = png.and_then(|png| {
            encoded(&png, FormatId::Ftex, self.options, name).map_err(|why| Loss::new(place(), why))
        });
        let mut written = name.to_owned();
        match files {
            // The last one is the texture itself; those before are its parts.
            Ok(files) => {
                for (ending, bytes) in &files {
                    let file = self.out.add(name, ending, bytes);
                    written = file.strip_suffix(&format!(".{ending}")).unwrap_or(name).to_owned();
                }
            }
            Err(loss) => self.out.losses.push(loss),
        }
        written
    }
}

fn slot_of(texture: &Texture) -> &str {
    texture.extras.object("fmdl").and_then(|m| m.text("slot")).unwrap_or("")
}

/// Returns `true` for a texture that is somewhere already: a path, or the hash of one.
fn is_path(name: &str) -> bool {
    name.starts_with('/') || matches!(Name::parse(name), Name::Hash(_))
}

fn flat(pixel: [u8; 4]) -> Image {
    Image::filled(FLAT, FLAT, pixel)
}

fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn scaled(value: u8, by: f32) -> u8 {
    byte(f32::from(value) / 255.0 * by)
}

/// Returns linear light as sRGB.
fn srgb(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let curved = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    byte(curved)
}

/// Multiplies by a linear colour.
fn tinted(image: &Image, [r, g, b, a]: [f32; 4]) -> Image {
    let mut out = image.clone();
    if [r, g, b, a] == [1.0; 4] {
        return out;
    }
    // Both factors are on the same curve, but for its straight part near black.
    let tint = [srgb(r), srgb(g), srgb(b)];
    let times = |x: u8, y: u8| ((u32::from(x) * u32::from(y) + 127) / 255) as u8;
    let [tr, tg, tb] = tint;
    out.map(|[r, g, b, alpha]| [times(r, tr), times(g, tg), times(b, tb), scaled(alpha, a)]);
    out
}

/// Normals as the engine has them: x in alpha, y in green, which points down in PES.
fn packed_normal(image: &Image, game: Game) -> Image {
    let mut out = image.clone();
    out.map(|[r, g, _, _]| if game == Game::Pes { [255, 255 - g, 0, r] } else { [132, g, 132, r] });
    out
}

/// Returns what the games' textures have after their names in a slot.
fn suffix(slot: &str, kind: &Slot, alpha: galatea_scene::AlphaMode) -> &'static str {
    match slot {
        "NormalMap_Tex_NRM" => "_nrm",
        "SpecularMap_Tex_LIN" => "_srm",
        "MetalnessMap_Tex_LIN" => "_mtl",
        "Translucent_Tex_LIN" => "_trm",
        _ if *kind == Slot::Base && alpha != galatea_scene::AlphaMode::Opaque => "_bsm_alp",
        _ if *kind == Slot::Base => "_bsm",
        _ => "",
    }
}

/// Returns a name with the suffix of its slot, unless it says already what it is for.
fn named(name: &str, suffix: &str) -> String {
    let stem = output_name(name);
    let fits = fox_role(&stem) == fox_role(suffix) && fox_role(&stem) != FoxRole::Unknown;
    if fits || suffix.is_empty() {
        return stem;
    }
    // `wall_orm` and `wall_bsm` become `wall_srm`.
    let others = ["_orm", "_arm", "_metallicRoughness", "_roughness", "_basecolor", "_diffuse", "_normal"];
    let plain = others.iter().find_map(|o| strip(&stem, o));
    let plain = plain.or_else(|| {
        (fox_role(&stem) != FoxRole::Unknown).then(|| stem.rsplit_once('_')).flatten().map(|(s, _)| s)
    });
    format!("{}{suffix}", plain.unwrap_or(&stem))
}

/// Returns a name without this ending, ignoring case.
fn strip<'a>(name: &'a str, ending: &str) -> Option<&'a str> {
    let at = name.len().checked_sub(ending.len())?;
    let (stem, end) = (name.get(..at)?, name.get(at..)?);
    (end.eq_ignore_ascii_case(ending) && !stem.is_empty()).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_the_suffix_of_their_slot() {
        assert_eq!(named("wall", "_bsm"), "wall_bsm");
        assert_eq!(named("wall_bsm", "_bsm"), "wall_bsm");
        assert_eq!(named("wall_bsm", "_bsm_alp"), "wall_bsm_alp");
        assert_eq!(named("wall_orm", "_srm"), "wall_srm");
        assert_eq!(named("Wall_BaseColor.png", "_bsm"), "Wall_bsm");
        assert_eq!(named("x", ""), "x");
    }

    #[test]
    fn normals_go_to_alpha_and_green() {
        for game in Game::ALL {
            let packed = packed_normal(&Image::filled(1, 1, [200, 100, 255, 255]), game);
            assert_eq!(packed.rgba[3], 200);
            assert_eq!(galatea_texture::material::fox_normal(&packed).rgba[..2], [200, 100]);
        }
    }
}
