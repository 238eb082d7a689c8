//! glTF, as a GLB or as JSON with its files beside it.

use std::borrow::Cow;
use std::collections::HashSet;

use galatea_gltf as gltf;
use galatea_scene::{Scene, Topology};
use galatea_wire::{Coverage, Differences, Fixed, Limits, Loss, Report, Result, Rule, Summary, rules};

use super::gltf_write::{self, with_images};
use super::{EmbeddedImages, document};
use crate::file_names::file_name;
use crate::{Document, Format, FormatId, Input, Inspection, Output, SceneContext, SiblingFiles};

/// A glTF document: its scene, and the bytes it came from.
#[derive(Debug, Clone)]
pub struct Gltf {
    /// The scene. One that another program wrote is named after its file until it is edited, so that it can be converted
    /// without a copy.
    scene: Scene,
    /// The name of the scene in the document, if the scene was renamed.
    document_name: Option<String>,
    embedded: EmbeddedImages,
    losses: Vec<Loss>,
    /// Whether a program has dropped the extras of a document of ours.
    stripped: bool,
    /// The name of its file without extension; empty if it has none.
    name: String,
    /// The file as it was read; none once the scene may have been changed.
    bytes: Option<Vec<u8>>,
}

/// A glTF document whose JSON is the file itself.
#[derive(Debug, Clone)]
pub struct GltfText(pub Gltf);

rules! {
    /// The rules of `galatea check` for glTF. Khronos' validator checks everything else.
    static RULES;
    NOT_TAKEN "GLTF0001" Warning keep "Something Galatea does not take over"
        "The document uses a part of glTF that no game format here has a place for, such as morph targets. It will be missing in what is converted from it.";
    NO_MESH "GLTF0002" Warning keep "Nothing to draw"
        "The document has no triangles. A game model made from it shows nothing; check that the right scene was exported.";
    WEIGHTS "GLTF0003" Warning keep "Vertices of a skin that nothing moves"
        "All weights of a vertex are 0. In the game it stays behind at the origin while the rest of the body moves; paint weights for it.";
}

impl Gltf {
    /// Returns a scene that a program has made as a document, to write it or to convert it.
    ///
    /// ```
    /// use galatea::{ConvertOptions, FormatId, Gltf, SceneContext, convert, scene};
    /// let document = Gltf::new(scene::example());
    /// let options = ConvertOptions::default().with_version(800);
    /// let model = convert(&document, FormatId::Mdx, &options, &SceneContext::new("example"))?;
    /// assert!(model.output.bytes.starts_with(b"MDLX"));
    /// # Ok::<(), galatea::ConvertError>(())
    /// ```
    pub fn new(scene: Scene) -> Gltf {
        Gltf {
            name: scene.name.clone(),
            scene,
            document_name: None,
            embedded: EmbeddedImages { before: Some(Vec::new()), ..EmbeddedImages::default() },
            losses: Vec::new(),
            stripped: false,
            bytes: None,
        }
    }

    /// Returns the document with the images of its textures, by the names that those have in the scene. What is converted from
    /// it gets them as files of its own.
    ///
    /// ```
    /// use galatea::{Gltf, gltf};
    /// let source = gltf::ImageSource::Embedded { mime: "image/png".into(), bytes: Vec::new() };
    /// let image = gltf::Image { name: "bark".into(), source };
    /// let document = Gltf::new(galatea::scene::example()).with_images(vec![image]);
    /// assert_eq!(galatea::Document::embedded_images(&document).map(|all| all.images().len()), Some(1));
    /// ```
    #[must_use]
    pub fn with_images(mut self, images: Vec<gltf::Image>) -> Gltf {
        self.embedded.images = images;
        // Which image is which map of a material is what its slots say.
        self.embedded.appearances = self.scene.materials.iter().map(gltf::Appearance::of).collect();
        self.embedded.before = Some(self.scene.materials.clone());
        self
    }

    fn read(input: &Input<'_>, limits: &Limits) -> Result<Gltf> {
        Gltf::read_with(input, limits, None)
    }

    /// Returns a scene that was read from another format as a document like a glTF, named after its file.
    pub(super) fn of_scene(
        scene: Scene,
        embedded: EmbeddedImages,
        losses: Vec<Loss>,
        input: &Input<'_>,
    ) -> Gltf {
        let name = input.stem().to_owned();
        let bytes = Some(input.bytes.to_vec());
        let mut document =
            Gltf { scene, document_name: None, embedded, losses, stripped: false, name, bytes };
        if !document.name.is_empty() {
            document.scene.name.clone_from(&document.name);
        }
        document
    }

    /// Returns the file as it was read, unless the scene may have been changed since.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }

    /// Reads the document again, with the extras that an editing program has dropped restored from the GLB of its original;
    /// `None` if its scene was changed after reading.
    pub(crate) fn read_onto(
        &self,
        original: &[u8],
        siblings: Option<&dyn SiblingFiles>,
    ) -> Result<Option<Gltf>> {
        let Some(bytes) = self.bytes.as_ref().filter(|bytes| gltf::detect(bytes)) else { return Ok(None) };
        let name = format!("{}.glb", self.name);
        let name = if self.name.is_empty() { "" } else { &name };
        let input = Input { siblings, ..Input::new(bytes).with_name(name) };
        Gltf::read_with(&input, &Limits::default(), Some(original)).map(Some)
    }

    fn read_with(input: &Input<'_>, limits: &Limits, original: Option<&[u8]>) -> Result<Gltf> {
        let mut files = Vec::new();
        let mut file = |path: &str| {
            files.push(path.to_owned());
            input.siblings?.file(path)
        };
        let loaded = match original {
            Some(original) => gltf::read_onto(input.bytes, original, limits, &mut file)?,
            None => gltf::read(input.bytes, limits, &mut file)?,
        };
        let gltf::Loaded { scene, images, appearances, losses, stripped, .. } = loaded;
        files.sort();
        files.dedup();
        let embedded = EmbeddedImages { images, appearances, files, before: None };
        let name = input.stem().to_owned();
        let bytes = Some(input.bytes.to_vec());
        let mut document = Gltf { scene, document_name: None, embedded, losses, stripped, name, bytes };
        if !document.name.is_empty() && !document.is_named(&document.name) {
            let own = std::mem::replace(&mut document.scene.name, document.name.clone());
            document.document_name = Some(own);
        }
        Ok(document)
    }

    /// Returns the scene. One that did not come from a model is named after its file.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the scene to change it. From then on the document is written from the scene; without, it is written as it
    /// was read.
    ///
    /// ```
    /// use galatea::{Document, Gltf, Input, gltf};
    /// let bytes = gltf::write_glb(&galatea::scene::example(), &Default::default())?;
    /// let mut document = galatea::open(&Input::new(&bytes), &Default::default())?;
    /// let glb = document.as_any_mut().downcast_mut::<Gltf>().expect("a GLB");
    /// glb.scene_mut().name = "another".into();
    /// let edited = document.write()?;
    /// let back = galatea::open(&edited.input(), &Default::default())?;
    /// assert_eq!(document.differences(back.as_ref()), Some(Vec::new()));
    /// assert_ne!(edited.bytes, bytes);
    /// # Ok::<(), galatea::Error>(())
    /// ```
    pub fn scene_mut(&mut self) -> &mut Scene {
        self.bytes = None;
        if let Some(name) = self.document_name.take() {
            self.scene.name = name;
        }
        self.embedded.before.get_or_insert_with(|| self.scene.materials.clone());
        &mut self.scene
    }

    fn write_glb(&self) -> Result<Output> {
        let write = || with_images(&self.embedded, |options| gltf::write_glb(&self.scene, options));
        Ok(Output::single(self.bytes.clone().map_or_else(write, Ok)?))
    }

    fn write_gltf(&self) -> Result<Output> {
        if let Some(bytes) = &self.bytes {
            return Ok(Output::single(bytes.clone()));
        }
        let name = if self.name.is_empty() { "scene" } else { &self.name };
        let bin = format!("{}.bin", file_name(name));
        let write = |options: &gltf::Options<'_>| Ok(gltf::write_gltf(&self.scene, options, &bin));
        let (json, bytes) = with_images(&self.embedded, write)?;
        Ok(Output::single(json.into_bytes()).with_siblings([(bin, bytes)]))
    }

    /// Returns `true` if the scene has this name, or a name of its own. Other programs name scenes, not models: what did not
    /// come from a model is named after its file.
    fn is_named(&self, name: &str) -> bool {
        self.scene.name == name || self.scene.axes().is_some()
    }

    /// Returns the scene for conversions.
    pub(super) fn named_scene(&self, context: &SceneContext<'_>) -> Cow<'_, Scene> {
        if self.is_named(context.name) {
            return Cow::Borrowed(&self.scene);
        }
        Cow::Owned(Scene { name: context.name.to_owned(), ..self.scene.clone() })
    }

    pub(super) fn summary(&self) -> Summary {
        summary(&self.scene)
    }

    pub(super) fn check(&self) -> Report {
        let mut report = Report::new();
        for loss in &self.losses {
            report.add(&NOT_TAKEN, None, || (String::new(), loss.to_string()));
        }
        if self.summary().triangles == 0 {
            report.add(&NO_MESH, None, || (String::new(), "no triangles".into()));
        }
        // Nodes may share meshes, and primitives their vertices.
        let still = |vertices: &galatea_scene::Vertices| {
            let rows = vertices.influences.weights.chunks_exact(vertices.influences.width.max(1));
            rows.filter(|w| w.iter().all(|w| *w == 0.0)).count()
        };
        let still: Vec<usize> = self.scene.vertices.iter().map(still).collect();
        let of_mesh = |mesh: &galatea_scene::Mesh| -> usize {
            mesh.primitives.iter().filter_map(|p| still.get(p.vertices as usize)).sum()
        };
        let of_mesh: Vec<usize> = self.scene.meshes.iter().map(of_mesh).collect();
        for (id, node, _) in self.scene.drawn().filter(|(_, node, _)| node.skin.is_some()) {
            let count = node.mesh.and_then(|m| of_mesh.get(m as usize)).copied().unwrap_or(0);
            if count > 0 {
                let place = || format!("nodes[{id}] \"{}\"", node.name);
                report.add(&WEIGHTS, None, || (place(), format!("{count} vertices")));
            }
        }
        report
    }

    pub(super) fn fix(&mut self, _: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        Vec::new()
    }

    pub(super) fn differences(&self, other: &Gltf) -> Vec<String> {
        Differences::collect(|out| self.compare(other, out))
    }

    pub(super) fn compare(&self, other: &Gltf, out: &mut Differences) {
        fn name(document: &Gltf) -> &String {
            document.document_name.as_ref().unwrap_or(&document.scene.name)
        }
        out.value("name", name(self), name(other));
        self.scene.compare(&other.scene, out);
    }
}

/// Returns the figures of a scene. The node that turns the axes counts as none, and no node twice as bone.
fn summary(scene: &Scene) -> Summary {
    let mut used = HashSet::new();
    let mut sum = Summary { version: "2.0".into(), clips: scene.clips.len(), ..Summary::default() };
    sum.nodes = scene.nodes.iter().filter(|n| !n.axes).count();
    // Many nodes may share a mesh of many primitives: each mesh is looked at once.
    let mut times = vec![0usize; scene.meshes.len()];
    for mesh in scene.nodes.iter().filter_map(|n| n.mesh) {
        times.get_mut(mesh as usize).into_iter().for_each(|times| *times += 1);
    }
    for (mesh, times) in scene.meshes.iter().zip(times).filter(|(_, times)| *times > 0) {
        let solid = || mesh.primitives.iter().filter(|p| p.topology == Topology::Triangles);
        sum.meshes += if solid().next().is_some() { times } else { 0 };
        for primitive in solid() {
            sum.triangles += primitive.indices.len() / 3 * times;
            if used.insert(primitive.vertices) {
                sum.vertices += scene.vertices_of(primitive).map_or(0, |v| v.positions.len());
            }
        }
    }
    sum.bones = scene.skins.iter().flat_map(|s| &s.joints).collect::<HashSet<_>>().len();
    sum
}

pub(super) static GLB: Format = Format {
    extensions: &["glb"],
    stored: true,
    options: &[crate::ConvertOption::Level, crate::ConvertOption::BakeEffects],
    write_extension: Some("glb"),
    detect: |bytes| gltf::detect(bytes) && bytes.starts_with(b"glTF"),
    read: |input, limits| Ok(Box::new(Gltf::read(input, limits)?)),
    inspect: |input, limits| {
        Inspection::single("glb", (Coverage::default(), Gltf::read(input, limits).err()))
    },
    rules: RULES,
    from_scene: Some(|scene, _| {
        let bytes = Some(gltf::write_glb(scene, &gltf::Options::default())?);
        let embedded = EmbeddedImages::default();
        let scene = scene.clone();
        let (name, losses) = (String::new(), Vec::new());
        let document = Gltf { scene, document_name: None, embedded, losses, stripped: false, name, bytes };
        Ok((Box::new(document), Vec::new()))
    }),
    write_scene: Some(gltf_write::glb),
    ..Format::model(FormatId::Glb, "glb", "glTF 2.0 in one file")
};

pub(super) static GLTF: Format = Format {
    extensions: &["gltf"],
    stored: true,
    options: &[crate::ConvertOption::Level, crate::ConvertOption::BakeEffects],
    write_extension: Some("gltf"),
    detect: |bytes| gltf::detect(bytes) && !bytes.starts_with(b"glTF"),
    read: |input, limits| Ok(Box::new(GltfText(Gltf::read(input, limits)?)) as Box<dyn Document>),
    inspect: |input, limits| {
        Inspection::single("gltf", (Coverage::default(), Gltf::read(input, limits).err()))
    },
    rules: RULES,
    // Without `from_scene`: that does not know the name of its other file.
    write_scene: Some(gltf_write::gltf),
    ..Format::model(FormatId::Gltf, "gltf", "glTF 2.0 as JSON, with its files beside it")
};

document!(
    Gltf,
    &GLB,
    write: Gltf::write_glb,
    scene: |document, context| Some(document.named_scene(context).into_owned()),
    also: {
        fn scene(&self, context: &SceneContext<'_>) -> Option<Cow<'_, Scene>> {
            Some(self.named_scene(context))
        }

        fn losses(&self) -> &[Loss] {
            &self.losses
        }

        fn embedded_images(&self) -> Option<&EmbeddedImages> {
            Some(&self.embedded)
        }

        fn has_lost_extras(&self) -> bool {
            self.stripped
        }
    },
);

document!(
    GltfText as Gltf,
    &GLTF,
    inner: |document| &document.0,
    |document| &mut document.0,
    write: Gltf::write_gltf,
    scene: |document, context| Some(document.named_scene(context).into_owned()),
    also: {
        fn scene(&self, context: &SceneContext<'_>) -> Option<Cow<'_, Scene>> {
            Some(self.0.named_scene(context))
        }

        fn losses(&self) -> &[Loss] {
            &self.0.losses
        }

        fn embedded_images(&self) -> Option<&EmbeddedImages> {
            Some(&self.0.embedded)
        }

        fn has_lost_extras(&self) -> bool {
            self.0.stripped
        }
    },
);
