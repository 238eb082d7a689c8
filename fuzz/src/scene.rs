//! A document as a scene: glTF and back, and images.

use galatea::fox::Dictionary;
use galatea::preview::{self, Options};
use galatea::scene::Scene;
use galatea::textures::{ResolvedMaterials, Textures, resolve_materials};
use galatea::{Document, FormatId, SceneContext, Severity};

use crate::Family;
use crate::files::{Files, assert_same, convert, reopened};
use crate::memory;

/// A document as glTF, GLB and OBJ. What comes back from the GLB opens; a document without errors and warnings is as it was.
pub fn to_gltf(family: Family, data: &[u8]) {
    let Some(files) = Files::of(family, data) else { return };
    memory::conversion(files.len(), || {
        let Some(document) = files.open() else { return };
        for to in [FormatId::Gltf, FormatId::Obj] {
            let _ = convert(document.as_ref(), to);
        }
        let Ok(glb) = convert(document.as_ref(), FormatId::Glb) else { return };
        let glb_document = reopened(&glb.output);
        let sound = document.check().at_least(Severity::Warning) == 0;
        match convert(glb_document.as_ref(), document.format().id) {
            Ok(back) => {
                let back_document = reopened(&back.output);
                if sound && back.losses.is_empty() {
                    assert_same(document.as_ref(), back_document.as_ref(), "through a GLB");
                }
            }
            Err(error) => assert!(!sound, "a sound document does not come back from a GLB: {error}"),
        }
    });
}

/// A document as small images: at rest and in its first and last clip, as far as it has them.
pub fn render(family: Family, data: &[u8]) {
    let Some(files) = Files::of(family, data) else { return };
    memory::conversion(files.len(), || {
        let Some(document) = files.open() else { return };
        let names = Dictionary::new();
        let Some(scene) = document.to_scene(&SceneContext::new("model").with_names(&names)) else { return };
        let game = document.format().game;
        let resolved = game.map(|game| resolve_materials(&scene, &Textures::new(game, None, None), 0));
        draw(&scene, resolved.as_ref());
    });
}

/// Draws a scene with everything that can be shown.
pub(crate) fn draw(scene: &Scene, resolved: Option<&ResolvedMaterials>) {
    let scene = resolved.map_or_else(|| scene.clone(), |d| d.scene(scene));
    let texture = |name: &str| resolved?.texture(name);
    let clips = [scene.clips.first(), scene.clips.last()].into_iter().flatten();
    let moments = clips.map(|clip| (Some(clip.name.clone()), clip.length * 0.5));
    for (clip, time) in std::iter::once((None, 0.0)).chain(moments) {
        let shown = clip.is_some();
        let options = Options::default()
            .with_size(32, 32)
            .with_clip(clip)
            .with_time(time)
            .with_skeleton(shown)
            .with_wire(shown)
            .with_walk(true)
            .with_bounds(shown);
        let image = preview::render(&scene, &options, &texture).expect("a clip of the scene can be drawn");
        assert_eq!((image.width, image.height), (32, 32));
    }
}

/// Any glTF as every format that can be built from a scene: what is written opens, and becomes a scene again.
pub fn to_games(data: &[u8]) {
    memory::conversion(data.len(), || {
        let Ok(loaded) = galatea::gltf::read(data, &Default::default(), &mut |_| None) else { return };
        from_scene(&loaded.scene);
    });
}

pub(crate) fn from_scene(scene: &Scene) {
    let names = Dictionary::new();
    for format in galatea::FORMATS {
        let Some(from_scene) = format.from_scene else { continue };
        let Ok((document, _)) = from_scene(scene, &Default::default()) else { continue };
        document.check();
        let Ok(written) = document.write() else { continue };
        let back: Box<dyn Document> = reopened(&written);
        back.to_scene(&SceneContext::new("model").with_names(&names));
    }
}
