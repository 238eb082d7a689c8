//! The images of a glTF document: copied from one glTF form to another, encoded as textures for a game.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use galatea_gltf::{Appearance, Image, ImageSource};
use galatea_scene::{Material, MaterialId, Scene};
use galatea_texture::Texture;
use galatea_texture::find::{Game, output_name};
use galatea_wire::{Limits, Loss};

use super::{Images, kotor_new};
use crate::file_names::file_name;
use crate::formats::convert_texture;
use crate::{ConvertOptions, Document, EmbeddedImages, FormatId, SceneContext, SiblingFiles, TextureFile};

/// Longest name of a texture that KotOR reads.
pub(super) const KOTOR_NAME: usize = 16;

/// The images of a glTF document.
pub(crate) struct DocumentImages<'a> {
    embedded: &'a EmbeddedImages,
    siblings: Option<&'a dyn SiblingFiles>,
    by_name: HashMap<&'a str, &'a Image>,
}

/// Files for the directory of what is written, and what of the images is lost.
#[derive(Default)]
pub(crate) struct Files {
    /// By their paths in that directory.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// What is lost.
    pub(crate) losses: Vec<Loss>,
    /// What is not lost, though the model has no place for it: it is in the files.
    pub(crate) kept: Vec<Loss>,
}

impl Files {
    /// Adds a file; the number of another one of this name is appended if that has other bytes.
    pub(super) fn add(&mut self, stem: &str, ending: &str, bytes: &[u8]) -> String {
        let mut name = format!("{stem}.{ending}");
        for number in 2.. {
            let other = self.files.iter().find(|(other, _)| other.eq_ignore_ascii_case(&name));
            if other.is_none_or(|(_, there)| there == bytes) {
                break;
            }
            name = format!("{stem}_{number}.{ending}");
        }
        self.files.insert(name.clone(), bytes.to_vec());
        name
    }
}

impl<'a> DocumentImages<'a> {
    /// Returns the images of a document; `None` for formats without images.
    pub(crate) fn of(document: &'a dyn Document, context: &SceneContext<'a>) -> Option<Self> {
        let embedded = document.embedded_images()?;
        let mut by_name = HashMap::new();
        for image in embedded.images() {
            by_name.entry(image.name.as_str()).or_insert(image);
        }
        Some(DocumentImages { embedded, siblings: context.siblings, by_name })
    }

    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.embedded.images().is_empty()
    }

    /// Returns the images that cannot be told from another by their names.
    fn twins(&self) -> impl Iterator<Item = Loss> + '_ {
        let other = |image: &&Image| {
            self.by_name.get(image.name.as_str()).is_some_and(|first| first.source != image.source)
        };
        let images = self.embedded.images().iter().filter(other);
        images.map(|image| of_image(image, "another one has the same name"))
    }

    fn bytes(&self, image: &'a Image) -> Result<Cow<'a, [u8]>, Loss> {
        match &image.source {
            ImageSource::Embedded { bytes, .. } => Ok(Cow::Borrowed(bytes)),
            ImageSource::File(path) => {
                let file = self.siblings.and_then(|siblings| siblings.file(path)).map(Cow::Owned);
                file.ok_or_else(|| of_image(image, format!("the file {path:?} is not there")))
            }
        }
    }

    /// Returns the files that the document names, for a copy of it.
    pub(crate) fn files(&self) -> Files {
        let mut out = Files::default();
        let images = self.embedded.images().iter().filter_map(|image| match &image.source {
            ImageSource::File(path) => Some(path),
            ImageSource::Embedded { .. } => None,
        });
        for path in self.embedded.buffer_files().iter().chain(images).collect::<HashSet<_>>() {
            match self.siblings.and_then(|siblings| siblings.file(path)) {
                Some(bytes) => drop(out.files.insert(path.clone(), bytes)),
                None => out.losses.push(Loss::new(format!("the file {path:?}"), "it is not there")),
            }
        }
        out.losses.sort();
        out
    }

    /// Calls with the options that a glTF writer needs to take the images over as they are.
    pub(crate) fn with_options<T>(
        &self,
        images: Images,
        write: impl FnOnce(&galatea_gltf::Options<'_>) -> T,
    ) -> (T, Files) {
        if images == Images::None {
            return (write(&galatea_gltf::Options::default()), Files::default());
        }
        let out = RefCell::new(Files { losses: self.twins().collect(), ..Files::default() });
        let appearance = |id: MaterialId, material: &Material| {
            self.embedded.appearance(id, material).cloned().unwrap_or_else(|| Appearance::of(material))
        };
        let image = |name: &str| {
            let image = self.by_name.get(name)?;
            let bytes = match self.bytes(image) {
                Ok(bytes) => bytes,
                Err(loss) => {
                    out.borrow_mut().losses.push(loss);
                    return Some(image.source.clone());
                }
            };
            let mime = mime(image, &bytes);
            if images == Images::Embed {
                return Some(ImageSource::Embedded { mime, bytes: bytes.into_owned() });
            }
            let mut out = out.borrow_mut();
            if let ImageSource::File(path) = &image.source {
                out.files.insert(path.clone(), bytes.into_owned());
                return Some(image.source.clone());
            }
            Some(ImageSource::File(out.add(&file_name(name), ending(&mime), &bytes)))
        };
        let written =
            write(&galatea_gltf::Options::default().with_appearance(&appearance).with_image(&image));
        (written, out.into_inner())
    }

    /// Returns the maps of a material, as the document has them.
    #[cfg(feature = "fox")]
    pub(super) fn maps(&self, id: MaterialId, material: &Material) -> &[galatea_gltf::Map] {
        self.embedded.appearance(id, material).map_or(&[], |appearance| &appearance.maps)
    }

    /// Decodes an image; `None` if the document does not have it.
    #[cfg(feature = "fox")]
    pub(super) fn decoded(&self, name: &str) -> Option<Result<galatea_texture::Image, Loss>> {
        let image = self.by_name.get(name)?;
        let decode = |bytes: Cow<'_, [u8]>| {
            let texture = Texture::read(&bytes, &Limits::default())?;
            texture.decode_best(&Limits::default())
        };
        Some(self.bytes(image).and_then(|bytes| decode(bytes).map_err(|e| of_image(image, e.to_string()))))
    }

    /// Returns the images as textures of the game that a model was built for, named as its materials say. Those of the materials
    /// `done` are made elsewhere.
    pub(crate) fn textures(
        &self,
        scene: &Scene,
        done: &HashSet<MaterialId>,
        built: &dyn Document,
        options: &ConvertOptions,
        context: &SceneContext<'_>,
    ) -> Files {
        let Some(mut kind) = built.texture_format() else { return Files::default() };
        let mut out = Files { losses: self.twins().collect(), ..Files::default() };
        let names = |scene: &Scene| -> HashSet<String> {
            let textures = scene.materials.iter().flat_map(|m| &m.textures);
            textures.map(|t| output_name(&t.name).to_lowercase()).collect()
        };
        // Fox Engine models name textures by hashes; of the others it is known which they ask for.
        let asked = if kind == FormatId::Ftex { None } else { built.scene(context).as_deref().map(names) };
        let fresh = scene.axes().is_none() && built.format().game == Some(Game::Kotor);
        if fresh {
            kind = context.new_textures.unwrap_or(kind);
        }
        let notes = if fresh { kotor_new::notes(scene) } else { kotor_new::Notes::default() };
        let folder = context.texture_folder.filter(|_| built.format().game == Some(Game::Warcraft));
        let folder = folder.map(|f| format!("{}/", f.trim_end_matches(['/', '\\']).replace('\\', "/")));
        let folder = folder.unwrap_or_default();
        let mut seen = HashSet::new();
        for (texture, image) in self.used(scene, done) {
            if !seen.insert(image.name.as_str()) {
                continue;
            }
            let mut name = output_name(texture);
            if fresh && let Some((end, _)) = name.char_indices().nth(KOTOR_NAME) {
                name.truncate(end);
            }
            // That the material lost this texture is already reported.
            let note = notes.of(texture);
            let named = asked.as_ref().is_none_or(|asked| asked.contains(&name.to_lowercase()));
            if !named && note.is_none() {
                continue;
            }
            let encode = |bytes: &[u8]| match fresh {
                true => kotor_new::encoded(bytes, kind, options, &name, note),
                false => encoded(bytes, kind, options, &name),
            };
            let made = self.bytes(image).and_then(|bytes| encode(&bytes).map_err(|why| of_image(image, why)));
            match made {
                Ok(files) => {
                    let place = format!("{folder}{name}");
                    files.iter().for_each(|(ending, bytes)| drop(out.add(&place, ending, bytes)));
                }
                Err(loss) => out.losses.push(loss),
            }
        }
        out.kept = notes.kept;
        out
    }

    /// Returns the images that are textures of materials, rather than derived from some, with the names these have there.
    fn used<'s>(&self, scene: &'s Scene, done: &HashSet<MaterialId>) -> Vec<(&'s str, &'a Image)> {
        let mut out = Vec::new();
        for (id, material) in (0..).zip(&scene.materials).filter(|(id, _)| !done.contains(id)) {
            let Some(appearance) = self.embedded.appearance(id, material) else { continue };
            for map in &appearance.maps {
                let texture = map.texture.and_then(|at| material.textures.get(at));
                let image = self.by_name.get(map.image.as_str());
                out.extend(texture.zip(image).map(|(texture, image)| (texture.name.as_str(), *image)));
            }
        }
        out
    }
}

/// Returns a loss that concerns an image.
fn of_image(image: &Image, what: impl Into<String>) -> Loss {
    Loss::new(format!("image {:?}", image.name), what)
}

/// Returns an image as a texture of this kind: its files, by ending.
pub(super) fn encoded(
    bytes: &[u8],
    kind: FormatId,
    options: &ConvertOptions,
    name: &str,
) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let texture = Texture::read(bytes, &Limits::default()).map_err(|e| e.to_string())?;
    let ftexs = if kind == FormatId::Ftex { options.ftexs } else { 0 };
    let options = ConvertOptions::default().with_ftexs(ftexs);
    written(&TextureFile { texture, txi: None }, kind, &options, name)
}

/// Returns a texture in another format: its files, by ending.
pub(super) fn written(
    file: &TextureFile,
    kind: FormatId,
    options: &ConvertOptions,
    name: &str,
) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let made = convert_texture(file, kind, options, name);
    let output = made.map_err(|e| e.to_string())?.output;
    let companions = output.companions.into_iter().map(|c| (c.extension, c.bytes));
    let ending = kind.format().write_extension.unwrap_or_default();
    Ok(companions.chain([(ending, output.bytes)]).collect())
}

/// Returns the media type of an image: what it is, whatever the document calls it.
fn mime(image: &Image, bytes: &[u8]) -> String {
    match &image.source {
        _ if bytes.starts_with(b"\x89PNG") => "image/png".into(),
        _ if bytes.starts_with(b"\xFF\xD8") => "image/jpeg".into(),
        ImageSource::Embedded { mime, .. } => mime.clone(),
        ImageSource::File(path) => {
            format!("image/{}", path.rsplit('.').next().unwrap_or("png").to_lowercase())
        }
    }
}

fn ending(mime: &str) -> &str {
    match mime.strip_prefix("image/").unwrap_or("png") {
        "jpeg" => "jpg",
        known @ ("webp" | "ktx2" | "avif") => known,
        _ => "png",
    }
}
