//! Scenes as glTF, with the textures that are found or that come with a document.

use galatea_gltf::{self as gltf, Appearance};
use galatea_scene::{Material, MaterialId, Scene};
use galatea_wire::Result;

use crate::file_names::file_name;
use crate::textures::{DocumentImages, Files, Images, resolve_materials};
use crate::{ConvertError, ConvertOptions, Converted, Document, EmbeddedImages, Output, SceneContext};

/// Writes the scene of a document as a GLB.
pub(super) fn glb(
    scene: &Scene,
    document: &dyn Document,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Converted, ConvertError> {
    let write = |options: &gltf::Options<'_>| gltf::write_glb(scene, options);
    let (bytes, Files { files, losses, .. }) =
        textured(scene, document, context, options, Images::Embed, write);
    Ok(Converted { output: Output::single(bytes?).with_siblings(files), losses })
}

/// Writes the scene of an original as a GLB that [`Gltf::read_onto`](crate::Gltf) restores extras from.
pub(crate) fn gltf_of_original(
    scene: &Scene,
    document: &dyn Document,
    context: &SceneContext<'_>,
    options: &ConvertOptions,
) -> Result<Vec<u8>> {
    let write = |options: &gltf::Options<'_>| {
        let marked = gltf::Options::default().with_appearance(options.appearance).with_image(options.image);
        gltf::write_glb(scene, &marked.with_origins(true))
    };
    textured(scene, document, context, options, Images::Embed, write).0
}

/// Writes the scene of a document as a .gltf, with its buffer in a file of its own.
pub(super) fn gltf(
    scene: &Scene,
    document: &dyn Document,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<Converted, ConvertError> {
    let bin = format!("{}.bin", file_name(context.name));
    let write = |options: &gltf::Options<'_>| gltf::write_gltf(scene, options, &bin);
    let ((json, bytes), Files { mut files, losses, .. }) =
        textured(scene, document, context, options, Images::Beside, write);
    files.insert(bin.clone(), bytes);
    Ok(Converted { output: Output::single(json.into_bytes()).with_siblings(files), losses })
}

/// Writes a glTF with the textures that are found, or that come with the document; returns also the files for its
/// directory.
fn textured<T>(
    scene: &Scene,
    document: &dyn Document,
    context: &SceneContext<'_>,
    options: &ConvertOptions,
    usual: Images,
    write: impl FnOnce(&gltf::Options<'_>) -> T,
) -> (T, Files) {
    let images = options.images.unwrap_or(usual);
    if let Some(own) = DocumentImages::of(document, context).filter(|own| !own.is_empty()) {
        let (written, mut files) = own.with_options(images, write);
        files.losses.splice(..0, document.losses().iter().cloned());
        return (written, files);
    }
    match context.textures {
        Some(textures) if images != Images::None => {
            let resolved = resolve_materials(scene, textures, context.team);
            let (written, files) = resolved.with_options(images, write);
            (
                written,
                Files {
                    files: files.into_iter().collect(),
                    losses: resolved.left_out().to_vec(),
                    kept: Vec::new(),
                },
            )
        }
        _ => {
            let losses = document.losses().to_vec();
            (write(&gltf::Options::default()), Files { losses, ..Files::default() })
        }
    }
}

/// Calls with the options that write the images of a document as they are: those inside it again inside it, those in files
/// by their paths.
pub(super) fn with_images<T>(
    embedded: &EmbeddedImages,
    write: impl FnOnce(&gltf::Options<'_>) -> Result<T>,
) -> Result<T> {
    let appearance = |id: MaterialId, material: &Material| {
        embedded.appearance(id, material).cloned().unwrap_or_else(|| Appearance::of(material))
    };
    let image = |name: &str| {
        embedded.images().iter().find(|image| image.name == name).map(|image| image.source.clone())
    };
    write(&gltf::Options::default().with_appearance(&appearance).with_image(&image))
}
