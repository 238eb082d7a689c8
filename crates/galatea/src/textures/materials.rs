//! How each material of a scene is drawn with its textures, for glTF and for images.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use galatea_gltf::{Appearance, ImageSource, Map, Role};
use galatea_scene::{AlphaMode, Extras, Material, MaterialId, Scene, Slot, Texture};
use galatea_texture::find::Game;
use galatea_texture::material::Surface;
use galatea_texture::{FlipBook, Image};
use galatea_wire::{ErrorKind, Limits, Loss};

use super::made::MadeImages;
use super::{Decoded, Textures, fox, kotor, warcraft};
use crate::{Document, EmbeddedImages, SceneContext};

/// Where the images of a glTF go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Images {
    /// Into the document.
    Embed,
    /// Into files beside it.
    Beside,
    /// Nowhere: only the names are kept.
    None,
}

/// Opacity of an additive material without its texture: at full opacity, viewers that cannot add would show a white wall.
const UNSEEN_LIGHT: f32 = 0.25;

/// How one material is drawn.
#[derive(Debug, Clone)]
pub(super) struct ResolvedMaterial {
    pub(super) appearance: Appearance,
    /// The image to draw directly where the appearance has one that was made for viewers without the engine's blending.
    pub(super) direct: Option<String>,
    /// Whether the layers over the material are in its image.
    pub(super) baked: bool,
    /// The frames of its texture, if it is a flip-book.
    pub(super) flip_book: Option<FlipBook>,
    /// The image of the surroundings that it reflects where its texture is transparent, as KotOR does; without an image, anything bright.
    pub(super) mirror: Option<Option<String>>,
}

impl ResolvedMaterial {
    pub(super) fn new(appearance: Appearance) -> Self {
        ResolvedMaterial { appearance, direct: None, baked: false, flip_book: None, mirror: None }
    }
}

/// What every engine's way of resolving materials needs.
pub(super) struct Resolver<'a> {
    pub(super) scene: &'a Scene,
    pub(super) images: MadeImages,
    pub(super) team: u32,
    textures: &'a Textures<'a>,
    loaded: RefCell<HashMap<String, Option<Arc<Decoded>>>>,
    left_out: RefCell<Vec<Loss>>,
}

impl Resolver<'_> {
    /// Returns the texture of a name, decoded; none if there is no such file, it cannot be read, or it is more than the budget of
    /// the model has left.
    pub(super) fn load(&self, name: &str) -> Option<Arc<Decoded>> {
        if let Some(known) = self.loaded.borrow().get(name) {
            return known.clone();
        }
        let loaded = self.decode(name);
        self.loaded.borrow_mut().insert(name.to_owned(), loaded.clone());
        loaded
    }

    /// Returns the faces of the cube map of a name below each other, in the order +X -X +Y -Y +Z -Z; `None` if there is no such cube
    /// map, or it is more than the budget has left.
    pub(super) fn cube(&self, name: &str) -> Option<Image> {
        let (library, found) = self.textures.find(name);
        let id = found.id()?;
        let budget = &self.images.budget;
        budget.earn(library.size(id));
        let limits = Limits::default();
        let limits = limits.with_pixels(limits.pixels.min(budget.left() / 24));
        let image = library.cube(id, &limits)?;
        budget.decode(image.rgba.len()).then_some(image)
    }

    fn decode(&self, name: &str) -> Option<Arc<Decoded>> {
        let (library, found) = self.textures.find(name);
        let id = found.id()?;
        let budget = &self.images.budget;
        budget.earn(library.size(id));
        let limits = Limits::default();
        let limits = limits.with_pixels(limits.pixels.min(budget.left() / 4));
        let why = match library.load(id, &limits) {
            Ok(decoded) if budget.decode(decoded.image.rgba.len()) => return Some(decoded),
            Ok(decoded) => format!("{} x {} pixels", decoded.image.width, decoded.image.height),
            // What is merely broken is the business of `audit`.
            Err(error) if error.contains("the limit on") => error,
            Err(_) => return None,
        };
        self.left_out.borrow_mut().push(left_out(name, &why));
        None
    }
}

fn left_out(name: &str, why: &str) -> Loss {
    Loss::new(format!("texture {name:?}"), format!("too large for its file or beside the others: {why}"))
}

/// A scene's materials with their textures.
#[derive(Debug)]
pub struct ResolvedMaterials {
    materials: Vec<ResolvedMaterial>,
    images: MadeImages,
    left_out: Vec<Loss>,
}

/// Finds the textures of a scene and tells what its materials look like with them. `team` is the number of the player whose
/// colour units have.
pub fn resolve_materials(scene: &Scene, textures: &Textures<'_>, team: u32) -> ResolvedMaterials {
    let mut resolver = Resolver {
        scene,
        textures,
        images: MadeImages::default(),
        team,
        loaded: RefCell::default(),
        left_out: RefCell::default(),
    };
    let mut materials = Vec::with_capacity(scene.materials.len());
    for material in &scene.materials {
        let resolved = match textures.game() {
            Game::Kotor => kotor::resolve(&mut resolver, material),
            Game::Warcraft => warcraft::resolve(&mut resolver, material),
            Game::Fox => fox::resolve(&mut resolver, material),
        };
        let mut resolved = resolved.unwrap_or_else(|| {
            let mut appearance = Appearance::of(material);
            appearance.maps.clear();
            ResolvedMaterial::new(appearance)
        });
        let light = matches!(
            resolved.appearance.alpha,
            AlphaMode::Additive | AlphaMode::Modulate | AlphaMode::Modulate2x
        );
        if light && !resolved.appearance.maps.iter().any(|m| m.role == Role::BaseColor) {
            let [.., opacity] = &mut resolved.appearance.base_color;
            *opacity *= UNSEEN_LIGHT;
        }
        materials.push(resolved);
    }
    ResolvedMaterials { materials, images: resolver.images, left_out: resolver.left_out.into_inner() }
}

/// Resolves the materials of a document that brings its images along, in itself or in files that `file` finds; `None` for
/// other documents.
pub fn resolve_gltf_materials(
    document: &dyn Document,
    file: &dyn Fn(&str) -> Option<Vec<u8>>,
    limits: &Limits,
) -> Option<ResolvedMaterials> {
    let embedded = document.embedded_images()?;
    let appearances = appearances(document, embedded);
    let mut images = MadeImages::default();
    let mut left_out = Vec::new();
    let mut files: HashMap<&str, Option<Arc<Image>>> = HashMap::new();
    let used: HashSet<&str> = appearances.iter().flat_map(|l| &l.maps).map(|m| m.image.as_str()).collect();
    for image in embedded.images().iter().filter(|i| used.contains(i.name.as_str())) {
        let mut decode = |bytes: &[u8]| {
            let budget = &images.budget;
            budget.earn(bytes.len() as u64);
            let limits = limits.with_pixels(limits.pixels.min(budget.left() / 4));
            match galatea_texture::decode(bytes, &[], &limits) {
                Ok(decoded) => budget.decode(decoded.rgba.len()).then(|| Arc::new(decoded)),
                Err(error) => {
                    if matches!(error.kind(), ErrorKind::Limit(_)) {
                        left_out.push(self::left_out(&image.name, &error.to_string()));
                    }
                    None
                }
            }
        };
        let decoded = match &image.source {
            ImageSource::Embedded { bytes, .. } => decode(bytes),
            ImageSource::File(path) => {
                files.entry(path).or_insert_with(|| file(path).and_then(|bytes| decode(&bytes))).clone()
            }
        };
        if let Some(decoded) = decoded {
            images.add_named(&image.name, decoded);
        }
    }
    let resolve = |appearance: &Appearance| {
        let mut appearance = appearance.clone();
        appearance.maps.retain(|m| images.image(&m.image).is_some());
        // An image that was made of several has the layers over the material in it.
        let baked = appearance.maps.iter().any(|m| m.role == Role::BaseColor && m.texture.is_none());
        ResolvedMaterial { baked, ..ResolvedMaterial::new(appearance) }
    };
    Some(ResolvedMaterials { materials: appearances.iter().map(resolve).collect(), images, left_out })
}

/// Returns what the materials of a document look like: as in its file, unless they were changed.
fn appearances<'a>(document: &dyn Document, embedded: &'a EmbeddedImages) -> Cow<'a, [Appearance]> {
    let changed = || document.scene(&SceneContext::new(""));
    match embedded.is_changed().then(changed).flatten() {
        None => Cow::Borrowed(embedded.appearances()),
        Some(scene) => (0..)
            .zip(&scene.materials)
            .map(|(id, material)| {
                embedded.appearance(id, material).cloned().unwrap_or_else(|| Appearance::of(material))
            })
            .collect(),
    }
}

/// Returns a map of a texture in its own place.
pub(super) fn map(role: Role, image: String, texture: &Texture, at: Option<usize>) -> Map {
    Map {
        role,
        image,
        texture: at,
        uv_set: texture.uv_set,
        wrap: texture.wrap,
        transform: texture.transform,
        notes: Extras::new(),
    }
}

/// Returns the first texture in a slot, with its place in the list.
pub(super) fn slot<'m>(material: &'m Material, slot: &Slot) -> Option<(usize, &'m Texture)> {
    material.textures.iter().enumerate().find(|(_, t)| t.slot == *slot)
}

/// Returns what is known about a texture besides its name.
pub(super) fn notes(decoded: &Decoded) -> Extras {
    let mut notes = Extras::new();
    notes.insert("file", decoded.path.clone());
    if !decoded.txi.is_empty() {
        notes.insert("txi", decoded.txi.lossy().into_owned());
    }
    notes
}

pub(super) fn alpha(surface: Surface) -> AlphaMode {
    match surface {
        Surface::Opaque => AlphaMode::Opaque,
        Surface::Mask(cutoff) => AlphaMode::Mask { cutoff },
        Surface::Blend => AlphaMode::Blend,
        Surface::Additive => AlphaMode::Additive,
        Surface::Modulate { twice: false } => AlphaMode::Modulate,
        Surface::Modulate { twice: true } => AlphaMode::Modulate2x,
    }
}

impl ResolvedMaterials {
    /// Returns the textures that are left out because they are too large, each with the reason.
    pub fn left_out(&self) -> &[Loss] {
        &self.left_out
    }

    /// Returns how a material is drawn; materials that are not of the scene are drawn as they describe themselves.
    pub fn appearance(&self, id: MaterialId, material: &Material) -> Appearance {
        self.materials.get(id as usize).map_or_else(|| Appearance::of(material), |d| d.appearance.clone())
    }

    /// Returns the shift of a material's texture coordinates that shows the right frame of its flip-book at a time.
    pub fn frame_offset(&self, id: MaterialId, seconds: f32) -> Option<[f32; 2]> {
        let book = self.materials.get(id as usize)?.flip_book?;
        let count = book.columns.saturating_mul(book.rows).max(1);
        let turn = f64::from(seconds) * f64::from(book.fps);
        let frame = if turn.is_finite() { turn.floor().rem_euclid(f64::from(count)) as u32 } else { 0 };
        let (column, row) = (frame % book.columns.max(1), frame / book.columns.max(1));
        // Texture coordinates go up the image, frames go down.
        Some([column as f32, -(row as f32)])
    }

    /// Calls with the options that a glTF writer needs, and returns the files that belong beside the document.
    pub fn with_options<T>(
        &self,
        images: Images,
        write: impl FnOnce(&galatea_gltf::Options<'_>) -> T,
    ) -> (T, Vec<(String, Vec<u8>)>) {
        let beside: RefCell<BTreeMap<String, Vec<u8>>> = RefCell::default();
        let appearance = |id: MaterialId, material: &Material| self.appearance(id, material);
        let image = |name: &str| {
            let (mime, bytes) = self.images.file(name)?;
            if images == Images::Embed {
                return Some(ImageSource::Embedded { mime: mime.into(), bytes });
            }
            let ending = if mime == "image/jpeg" { "jpg" } else { "png" };
            let file = format!("{name}.{ending}");
            beside.borrow_mut().insert(file.clone(), bytes);
            Some(ImageSource::File(file))
        };
        let options = if images == Images::None {
            galatea_gltf::Options::default()
        } else {
            galatea_gltf::Options::default().with_appearance(&appearance).with_image(&image)
        };
        let written = write(&options);
        (written, beside.into_inner().into_iter().collect())
    }

    /// Returns the scene as it is drawn: materials with what they look like, textures named as [`ResolvedMaterials::texture`] knows them.
    pub fn scene(&self, scene: &Scene) -> Scene {
        let mut out = scene.clone();
        for (material, resolved) in out.materials.iter_mut().zip(&self.materials) {
            let ResolvedMaterial { appearance, direct, baked, mirror, .. } = resolved;
            material.base_color = appearance.base_color;
            material.emissive = appearance.emissive;
            material.alpha = appearance.alpha;
            material.two_sided = appearance.two_sided;
            material.unlit = appearance.unlit;
            (material.metallic, material.roughness) = (appearance.metallic, appearance.roughness);
            if *baked {
                material.layers.clear();
            }
            let missing = !appearance.maps.iter().any(|m| m.role == Role::BaseColor);
            let kept = |t: &Texture| missing && matches!(t.slot, Slot::Base);
            material.textures.retain(kept);
            for map in &appearance.maps {
                let (slot, name) = match (map.role, direct) {
                    (Role::BaseColor, Some(direct)) => (Slot::Base, direct),
                    (Role::BaseColor, None) => (Slot::Base, &map.image),
                    (Role::Lightmap, _) => (Slot::Lightmap, &map.image),
                    (Role::Emissive, _) => (Slot::Emissive, &map.image),
                    (Role::Normal, _) => (Slot::Normal, &map.image),
                    // Other programs get the mirror as metal.
                    (Role::MetallicRoughness, _) if mirror.is_none() => {
                        (Slot::OcclusionRoughnessMetallic, &map.image)
                    }
                    (Role::Occlusion, _) => (Slot::Other("occlusion".to_owned()), &map.image),
                    _ => continue,
                };
                material.textures.push(Texture {
                    slot,
                    name: name.clone(),
                    uv_set: map.uv_set,
                    wrap: map.wrap,
                    transform: map.transform,
                    extras: Extras::new(),
                });
            }
            if let Some(image) = mirror {
                let name = image.clone().unwrap_or_default();
                material.textures.push(Texture { slot: Slot::Environment, name, ..Texture::default() });
            }
        }
        out
    }

    /// Returns a texture to draw with.
    #[cfg(feature = "preview")]
    pub fn texture(&self, name: &str) -> Option<std::sync::Arc<galatea_preview::Texture>> {
        self.images.drawn(name)
    }
}
