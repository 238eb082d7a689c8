//! Edits laid onto their originals: what a scene cannot say comes from the document that it was made from.

use std::borrow::Cow;

use galatea_scene::{Account, Scene};
use galatea_wire::Differences;

use crate::formats::gltf_of_original;
use crate::textures::{DocumentImages, Files};
use crate::{ConvertError, ConvertOptions, Converted, Document, FormatId, Gltf, SceneContext};

/// What laying an edit onto its original gives.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConvertedOnto {
    /// The new file, and what it has no place for.
    pub converted: Converted,
    /// What became of the parts of the original.
    pub account: Account,
}

/// Writes an edited scene as a document of the original's format, or another one. The scene gives what it can say, the
/// original everything else; see [`Scene::onto`]. If nothing was changed, the original is written as it is.
///
/// ```
/// use galatea::{ConvertOptions, Document, SceneContext, from_scene_onto, kotor::mdl::Model};
/// let original = Model::new("box");
/// let context = SceneContext::new("box");
/// let scene = original.to_scene();
/// let to = original.format().id;
/// let onto = from_scene_onto(&original, &scene, to, &ConvertOptions::default(), &context)?;
/// assert!(onto.account.is_unchanged());
/// assert_eq!(onto.converted.output, Document::write(&original)?);
/// # Ok::<(), galatea::ConvertError>(())
/// ```
pub fn from_scene_onto(
    original: &dyn Document,
    scene: &Scene,
    to: FormatId,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
) -> Result<ConvertedOnto, ConvertError> {
    options.check(to)?;
    let unsupported = || ConvertError::UnsupportedConversion { from: original.format().id, to };
    let before = original.scene(context).ok_or_else(unsupported)?;
    let onto = scene.onto(&before);
    if onto.account.is_unchanged() && Differences::collect(|out| before.compare(&onto.scene, out)).is_empty()
    {
        let converted = crate::convert(original, to, options, context)?;
        return Ok(ConvertedOnto { converted, account: onto.account });
    }
    let from_scene = to.format().from_scene.ok_or_else(unsupported)?;
    let (built, losses) = from_scene(&onto.scene, options)?;
    Ok(ConvertedOnto { converted: Converted::new(built.write()?, losses), account: onto.account })
}

/// Writes an edited glTF as a document of the original's format, or another one. Extras that the editing program has dropped
/// are restored from the original first. `context` is that of the edited document, `around_original` that of the original,
/// whose textures decide how its materials look in a glTF.
pub fn convert_onto(
    edited: &dyn Document,
    original: &dyn Document,
    to: FormatId,
    options: &ConvertOptions,
    context: &SceneContext<'_>,
    around_original: &SceneContext<'_>,
) -> Result<ConvertedOnto, ConvertError> {
    let restored = match edited.as_any().downcast_ref::<Gltf>() {
        Some(gltf) => {
            let before = original.scene(around_original);
            let unsupported = || ConvertError::UnsupportedConversion { from: original.format().id, to };
            let before = before.ok_or_else(unsupported)?;
            let glb = gltf_of_original(&before, original, around_original, options)?;
            gltf.read_onto(&glb, context.siblings)?
        }
        None => None,
    };
    let document: &dyn Document = restored.as_ref().map_or(edited, |gltf| gltf);
    let unsupported = || ConvertError::UnsupportedConversion { from: edited.format().id, to };
    let scene: Cow<'_, Scene> = document.scene(context).ok_or_else(unsupported)?;
    let mut onto = from_scene_onto(original, &scene, to, options, around_original)?;
    if onto.account.is_unchanged() {
        return Ok(onto);
    }
    let images = DocumentImages::of(document, context).filter(|images| !images.is_empty());
    if let (Some(images), Some(from_scene)) = (images, to.format().from_scene) {
        let (built, _) = from_scene(&scene, options)?;
        let Files { files, losses, .. } =
            images.textures(&scene, &Default::default(), built.as_ref(), options, context);
        onto.converted.output = onto.converted.output.with_siblings(files);
        onto.converted.losses.extend(losses);
    }
    onto.converted.losses.splice(..0, document.losses().iter().cloned());
    Ok(onto)
}
