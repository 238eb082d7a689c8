//! glTF, on its own and with its files.

use galatea::scene::Scene;
use galatea::textures::resolve_gltf_materials;
use galatea::{Document, FORMATS, Format, FormatId, Input, Limits, SceneContext, SiblingFiles};

use crate::files::{assert_same, convert, reopened};
use crate::{memory, scene};

/// A glTF document with the files of its folder.
#[derive(Debug)]
struct Folder<'a> {
    document: &'a [u8],
    buffer: &'a [u8],
    image: &'a [u8],
}

impl<'a> Folder<'a> {
    /// The first two bytes say where the document ends, the next two where the buffer does; the rest is the image.
    fn of(data: &'a [u8]) -> Option<Self> {
        let (lengths, rest) = data.split_first_chunk()?;
        let [a, b, c, d] = *lengths;
        let length = |low, high| usize::from(u16::from_le_bytes([low, high]));
        let (document, rest) = rest.split_at(length(a, b).min(rest.len()));
        let (buffer, image) = rest.split_at(length(c, d).min(rest.len()));
        Some(Folder { document, buffer, image })
    }

    fn input(&self) -> Input<'_> {
        Input::new(self.document).with_name("model.gltf").with_siblings(self)
    }

    fn len(&self) -> usize {
        self.document.len() + self.buffer.len() + self.image.len()
    }
}

impl SiblingFiles for Folder<'_> {
    /// Every buffer is the same file, so is every image; a document may name itself.
    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = match path.rsplit_once('.')?.1 {
            "bin" => self.buffer,
            "png" | "jpg" | "tga" | "ftex" => self.image,
            "gltf" => self.document,
            _ => return None,
        };
        Some(bytes.to_vec())
    }
}

fn open(input: &Input<'_>) -> Option<Box<dyn Document>> {
    let gltf = |format: &&&Format| {
        matches!(format.id, FormatId::Glb | FormatId::Gltf) && (format.detect)(input.bytes)
    };
    let format = FORMATS.iter().find(gltf)?;
    (format.read)(input, &Limits::default()).ok()
}

/// Any bytes as glTF without files. What opens is written as a GLB, which opens and stays as it is.
pub fn read(data: &[u8]) {
    memory::conversion(data.len(), || {
        if let Some(document) = open(&Input::new(data)) {
            rewritten(document.as_ref());
        }
    });
}

/// A document with files: checked, written again, and as every game's format.
pub fn files(data: &[u8]) {
    let Some(folder) = Folder::of(data) else { return };
    memory::conversion(folder.len(), || {
        let input = folder.input();
        let Some(document) = open(&input) else { return };
        document.summary();
        document.check();
        rewritten(document.as_ref());
        let names = galatea::fox::Dictionary::new();
        if let Some(scene) = document.to_scene(&SceneContext::new("model").with_names(&names)) {
            scene::from_scene(&scene);
        }
    });
}

/// A document with files as an image.
pub fn render(data: &[u8]) {
    let whole = data.starts_with(b"glTF").then_some(Folder { document: data, buffer: &[], image: &[] });
    let Some(folder) = whole.or_else(|| Folder::of(data)) else { return };
    memory::conversion(folder.len(), || {
        let input = folder.input();
        let Some(document) = open(&input) else { return };
        let names = galatea::fox::Dictionary::new();
        let Some(scene) = document.to_scene(&SceneContext::new("model").with_names(&names)) else { return };
        let resolved =
            resolve_gltf_materials(document.as_ref(), &|path| folder.file(path), &Limits::default());
        scene::draw(&scene, resolved.as_ref());
    });
}

/// Writes a document as glTF and GLB. The first of ours may leave out what the scene has no place for; the second is like it.
fn rewritten(document: &dyn Document) {
    let _ = convert(document, FormatId::Gltf);
    let names = galatea::fox::Dictionary::new();
    let context = SceneContext::new("model").with_names(&names);
    let glb = FormatId::Glb.format().from_scene.expect("GLBs are written");
    let again = |document: &dyn Document| {
        let scene = document.to_scene(&context)?;
        let written = glb(&scene, &Default::default()).and_then(|(glb, _)| glb.write()).ok()?;
        Some(reopened(&written))
    };
    let Some(first) = again(document) else { return };
    let second = again(first.as_ref()).expect("what was written can be written again");
    // Scenes are compared as numbers, and NaN is unlike itself.
    let comparable = first.differences(first.as_ref()).is_some_and(|differences| differences.is_empty());
    if comparable && first.to_scene(&context).is_some_and(|scene| weights_hold(&scene)) {
        assert_same(first.as_ref(), second.as_ref(), "a GLB of a GLB");
    }
}

/// Whether the weights of every vertex are such as glTF asks for. Others are scaled for viewers, which may round.
fn weights_hold(scene: &Scene) -> bool {
    scene.vertices.iter().map(|vertices| &vertices.influences).all(|influences| {
        influences.weights.chunks(influences.width.max(1)).all(|row| {
            let sum: f32 = row.iter().sum();
            row.iter().all(|weight| (0.0..=1.0).contains(weight)) && (sum - 1.0).abs() < 0.01
        })
    })
}
