//! glTF, as a GLB or as JSON with its files beside it.

use std::collections::HashSet;

use galatea_gltf::{self as gltf, Image};
use galatea_scene::{Scene, Topology};
use galatea_wire::{Coverage, Fixed, Limits, Loss, Report, Result, Rule, Summary, rules};

use super::document;
use crate::{Document, Format, Holds, Input, Inspection, Output, SceneContext};

/// A glTF document: its scene, and the bytes it came from.
#[derive(Debug, Clone)]
pub struct Gltf {
    /// The scene.
    pub scene: Scene,
    /// Pictures of its textures.
    pub images: Vec<Image>,
    /// What each material looks like in the document; the maps name the pictures.
    pub looks: Vec<gltf::Look>,
    /// What the document has and the scene does not.
    pub losses: Vec<Loss>,
    /// The files of its buffers, by their paths in the document's directory.
    pub(crate) files: Vec<String>,
    bytes: Vec<u8>,
}

/// A glTF document whose JSON is the file itself.
#[derive(Debug, Clone)]
pub struct GltfText(pub Gltf);

rules! {
    /// What `galatea check` looks for in glTF. Khronos' validator looks for everything else.
    static RULES;
    NOT_TAKEN "GLTF0001" Warning keep "Something Galatea does not take over"
        "The document uses a part of glTF that no game format here has a place for, such as morph targets. It will be missing in what is converted from it.";
    NO_MESH "GLTF0002" Warning keep "Nothing to draw"
        "The document has no triangles. A game model made from it shows nothing; check that the right scene was exported.";
    WEIGHTS "GLTF0003" Warning keep "Vertices of a skin that nothing moves"
        "All weights of a vertex are 0. In the game it stays behind at the origin while the rest of the body moves; paint weights for it.";
}

impl Gltf {
    fn read(input: &Input<'_>, limits: &Limits) -> Result<Gltf> {
        let mut files = Vec::new();
        let mut file = |path: &str| {
            files.push(path.to_owned());
            input.beside?.file(path)
        };
        let gltf::Loaded { scene, images, looks, losses } = gltf::read(input.bytes, limits, &mut file)?;
        files.sort();
        files.dedup();
        Ok(Gltf { scene, images, looks, losses, files, bytes: input.bytes.to_vec() })
    }

    fn write(&self) -> Result<Output> {
        Ok(Output::single(self.bytes.clone()))
    }

    /// The scene. Other programs name scenes, not models: what did not come from a model is named after its file.
    fn scene(&self, context: &SceneContext<'_>) -> Scene {
        let mut scene = self.scene.clone();
        if scene.axes().is_none() {
            scene.name = context.name.to_owned();
        }
        scene
    }

    fn summary(&self) -> Summary {
        summary(&self.scene)
    }

    fn check(&self) -> Report {
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

    fn fix(&mut self, _: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        Vec::new()
    }

    fn differences(&self, other: &Gltf) -> Vec<String> {
        differences(&self.scene, &other.scene)
    }
}

/// The figures of a scene. The node that turns the axes counts as none, and no node twice as bone.
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

/// What differs between two scenes, part by part.
fn differences(a: &Scene, b: &Scene) -> Vec<String> {
    let mut lines = Vec::new();
    if a.name != b.name {
        lines.push(format!("name: \"{}\" -> \"{}\"", a.name, b.name));
    }
    macro_rules! lists {
        ($($field:ident)*) => {$(
            if a.$field.len() != b.$field.len() {
                lines.push(format!("{}: {} -> {}", stringify!($field), a.$field.len(), b.$field.len()));
            }
            for (i, (x, y)) in a.$field.iter().zip(&b.$field).enumerate().filter(|(_, (x, y))| x != y) {
                let what = if x.name == y.name {
                    format!(" \"{}\" differs", x.name)
                } else {
                    format!(": \"{}\" -> \"{}\"", x.name, y.name)
                };
                lines.push(format!("{}[{i}]{what}", stringify!($field)));
            }
        )*};
    }
    lists!(nodes meshes skins materials clips lights cameras emitters);
    if a.vertices.len() != b.vertices.len() {
        lines.push(format!("vertices: {} -> {}", a.vertices.len(), b.vertices.len()));
    }
    for i in a.vertices.iter().zip(&b.vertices).enumerate().filter(|(_, (x, y))| x != y).map(|(i, _)| i) {
        lines.push(format!("vertices[{i}] differ"));
    }
    if a.extras != b.extras {
        lines.push("extras differ".into());
    }
    lines
}

pub(super) static GLB: Format = Format {
    name: "glb",
    title: "glTF 2.0 in one file",
    extensions: &["glb"],
    companions: &[],
    holds: Holds::Model,
    whole: false,
    stored: true,
    text: None,
    detect: |bytes| gltf::detect(bytes) && bytes.starts_with(b"glTF"),
    read: |input, limits| Ok(Box::new(Gltf::read(input, limits)?)),
    inspect: |input, limits| {
        Inspection::single("glb", (Coverage::default(), Gltf::read(input, limits).err()))
    },
    rules: RULES,
    records: &[],
    from_scene: Some(|scene, _| {
        let bytes = gltf::write_glb(scene, &gltf::Options::default())?;
        let document = Gltf {
            scene: scene.clone(),
            images: Vec::new(),
            looks: Vec::new(),
            losses: Vec::new(),
            files: Vec::new(),
            bytes,
        };
        Ok((Box::new(document), Vec::new()))
    }),
};

pub(super) static GLTF: Format = Format {
    name: "gltf",
    title: "glTF 2.0 as JSON, with its files beside it",
    extensions: &["gltf"],
    companions: &[],
    holds: Holds::Model,
    whole: false,
    stored: true,
    text: None,
    detect: |bytes| gltf::detect(bytes) && !bytes.starts_with(b"glTF"),
    read: |input, limits| Ok(Box::new(GltfText(Gltf::read(input, limits)?)) as Box<dyn Document>),
    inspect: |input, limits| {
        Inspection::single("gltf", (Coverage::default(), Gltf::read(input, limits).err()))
    },
    rules: RULES,
    records: &[],
    // Needs the name of its other file: see `convert`.
    from_scene: None,
};

document!(Gltf, &GLB, write: Gltf::write, scene: |document, context| Some(document.scene(context)));

document!(
    GltfText as Gltf,
    &GLTF,
    inner: |document| &document.0,
    |document| &mut document.0,
    write: Gltf::write,
    scene: |document, context| Some(document.scene(context)),
);
