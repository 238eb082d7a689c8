//! Wavefront OBJ as a document: its triangles and lines, with the materials and textures of its MTL.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use galatea_gltf::{Appearance, Image, ImageSource};
use galatea_scene::{AlphaMode, Material, Mesh, Node, Primitive, Scene, Slot, Texture, Topology, Vertices};
use galatea_wire::{Error, Limits, Loss, Result};
use glam::Vec3;

use super::{EmbeddedImages, Gltf, document, obj};
use crate::{Document, Input, Output, SceneContext};

/// An OBJ document: a scene, like that of a glTF.
#[derive(Debug, Clone)]
pub struct ObjText(pub Gltf);

/// The first words of lines that mean something.
const KNOWN: [&str; 18] = [
    "v", "vt", "vn", "vp", "f", "l", "p", "o", "g", "s", "usemtl", "mtllib", "mg", "usemap", "maplib", "lod",
    "bevel", "d_interp",
];

/// How much of a file is looked at.
const START: usize = 1 << 16;

/// Most material files of one document.
const LIBRARIES: usize = 16;

/// Returns `true` for text whose first lines are those of an OBJ, with at least one vertex.
pub(super) fn detect(bytes: &[u8]) -> bool {
    let start = bytes.get(..START).unwrap_or(bytes);
    let whole = bytes.len() <= START;
    let Ok(text) = std::str::from_utf8(start).or_else(|e| {
        std::str::from_utf8(
            start.get(..e.valid_up_to()).filter(|t| !whole && t.len() + 4 > START).unwrap_or(b"\0"),
        )
    }) else {
        return false;
    };
    let mut lines: Vec<&str> = text.lines().collect();
    if !whole {
        lines.pop();
    }
    let mut vertex = false;
    for line in lines {
        let line = line.trim();
        let mut words = line.split_whitespace();
        let Some(first) = words.next().filter(|w| !w.starts_with('#')) else { continue };
        if !KNOWN.contains(&first) || line.contains('\0') {
            return false;
        }
        vertex |= first == "v" && words.take(3).filter(|w| w.parse::<f32>().is_ok()).count() == 3;
    }
    vertex
}

document!(
    ObjText as Gltf,
    &obj::FORMAT,
    inner: |document| &document.0,
    |document| &mut document.0,
    write: |document| Ok(Output::single(document.bytes().map_or_else(|| obj::obj(document.scene()).into_bytes(), <[u8]>::to_vec))),
    scene: |document, context| Some(document.named_scene(context).into_owned()),
    also: {
        fn scene(&self, context: &SceneContext<'_>) -> Option<Cow<'_, Scene>> {
            Some(self.0.named_scene(context))
        }

        fn losses(&self) -> &[Loss] {
            Document::losses(&self.0)
        }

        fn embedded_images(&self) -> Option<&EmbeddedImages> {
            self.0.embedded_images()
        }
    },
);

/// Reads a document, with the materials of the MTL beside it.
pub(super) fn read(input: &Input<'_>, _: &Limits) -> Result<ObjText> {
    let text = String::from_utf8_lossy(input.bytes);
    let mut reader = Reader::default();
    for (line, number) in text.lines().zip(1u32..) {
        reader.line(line, number)?;
    }
    reader.finish_object();
    for library in std::mem::take(&mut reader.libraries).into_iter().take(LIBRARIES) {
        match input.siblings.and_then(|s| s.file(&library)) {
            Some(bytes) => reader.materials(&String::from_utf8_lossy(&bytes)),
            None => {
                reader.losses.push(Loss::new(format!("materials of {library:?}"), "the file is not there"))
            }
        }
    }
    let Reader { scene, images, mut losses, other, .. } = reader;
    if other > 0 {
        losses.push(Loss::new("", format!("curves and surfaces, on {other} lines")));
    }
    let appearances = scene.materials.iter().map(Appearance::of).collect();
    let embedded = EmbeddedImages { images, appearances, files: Vec::new(), before: None };
    Ok(ObjText(Gltf::of_scene(scene, embedded, losses, input)))
}

/// Indices of position, texture coordinate and normal, and of a normal that is made.
type Corner = [Option<u32>; 4];

/// Normals of corners that have none of their own: one for each position and smoothing group of an object, or one for each
/// face outside of all groups.
#[derive(Default)]
struct Smoothed {
    known: HashMap<(u32, u32), u32>,
    /// The sums of the normals of faces, as long as twice their area.
    sums: Vec<Vec3>,
}

impl Smoothed {
    /// Returns the normal of a position in a group, and adds that of a face to it.
    fn add(&mut self, position: u32, group: u32, face: Vec3) -> u32 {
        let next = self.sums.len() as u32;
        let id = *self.known.entry((position, group)).or_insert(next);
        if id == next {
            self.sums.push(Vec3::ZERO);
        }
        self.sums.get_mut(id as usize).into_iter().for_each(|sum| *sum += face);
        id
    }

    fn alone(&mut self, face: Vec3) -> u32 {
        self.sums.push(face);
        self.sums.len() as u32 - 1
    }
}

/// Triangles and lines of one material, with vertices of their own.
#[derive(Default)]
struct Part {
    material: Option<u32>,
    known: HashMap<Corner, u32>,
    corners: Vec<Corner>,
    triangles: Vec<u32>,
    lines: Vec<u32>,
}

#[derive(Default)]
struct Reader {
    positions: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    scene: Scene,
    by_name: HashMap<String, u32>,
    images: Vec<Image>,
    image_names: HashSet<String>,
    libraries: Vec<String>,
    losses: Vec<Loss>,
    /// The name of the current object, and its parts.
    object: String,
    parts: Vec<Part>,
    material: Option<u32>,
    /// The current smoothing group, 0 outside of all; `None` before any was named.
    smoothing: Option<u32>,
    smoothed: Smoothed,
    other: usize,
}

impl Reader {
    fn line(&mut self, line: &str, number: u32) -> Result<()> {
        let line = line.split('#').next().unwrap_or("").trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "v" => self.positions.push(numbers(rest, number)?),
            "vn" => self.normals.push(numbers(rest, number)?),
            "vt" => {
                let [u, v] = numbers(rest, number)?;
                // Up in this format, down in the scene.
                self.uvs.push([u, 1.0 - v]);
            }
            "f" => self.face(rest, number)?,
            "l" => self.polyline(rest, number)?,
            "o" | "g" => {
                self.finish_object();
                self.object = rest.to_owned();
            }
            "usemtl" => self.material = Some(self.material_of(rest)),
            "mtllib" => self.library(rest),
            // A word that is no number is `off`.
            "s" => self.smoothing = Some(rest.parse().unwrap_or(0)),
            "" | "p" | "lod" | "mg" | "usemap" | "maplib" | "bevel" | "d_interp" => {}
            _ => self.other += 1,
        }
        Ok(())
    }

    fn library(&mut self, path: &str) {
        if self.libraries.len() == LIBRARIES {
            let what = format!("only the first {LIBRARIES} are read");
            self.losses.push(Loss::new("materials", what));
        }
        if self.libraries.len() <= LIBRARIES && !self.libraries.iter().any(|l| l == path) {
            self.libraries.push(path.to_owned());
        }
    }

    fn material_of(&mut self, name: &str) -> u32 {
        let next = self.scene.materials.len() as u32;
        let id = *self.by_name.entry(name.to_owned()).or_insert(next);
        if id == next {
            self.scene.materials.push(Material { name: name.to_owned(), ..Material::default() });
        }
        id
    }

    /// Returns the corner that a word such as `1/2/3`, `1//3` or `-1` names.
    fn corner(&self, word: &str, number: u32) -> Result<Corner> {
        let counts = [self.positions.len(), self.uvs.len(), self.normals.len()];
        let mut out: Corner = [None; 4];
        for ((slot, text), count) in out.iter_mut().zip(word.split('/')).zip(counts) {
            if text.is_empty() {
                continue;
            }
            let index: i64 = text.parse().map_err(|_| wrong(number, format!("`{word}` is not a corner")))?;
            let index = if index < 0 { index.saturating_add(count as i64) } else { index - 1 };
            let known =
                usize::try_from(index).ok().filter(|i| *i < count).and_then(|i| u32::try_from(i).ok());
            *slot = Some(known.ok_or_else(|| wrong(number, format!("`{word}`: there is no such vertex")))?);
        }
        match out {
            [None, ..] => Err(wrong(number, format!("`{word}` is not a corner"))),
            _ => Ok(out),
        }
    }

    /// Returns the part of the current material.
    fn part(&mut self) -> Option<&mut Part> {
        let material = self.material;
        // Materials change rarely back; a new part where they do costs no more than the search for the old one.
        if self.parts.last().is_none_or(|p| p.material != material) {
            self.parts.push(Part { material, ..Part::default() });
        }
        self.parts.last_mut()
    }

    fn face(&mut self, rest: &str, number: u32) -> Result<()> {
        let mut corners =
            rest.split_whitespace().map(|w| self.corner(w, number)).collect::<Result<Vec<_>>>()?;
        self.smooth(&mut corners);
        let Some(part) = self.part() else { return Ok(()) };
        let ids: Vec<u32> = corners.into_iter().map(|c| part.id(c)).collect();
        if let [first, others @ ..] = ids.as_slice() {
            for pair in others.windows(2) {
                part.triangles.push(*first);
                part.triangles.extend_from_slice(pair);
            }
        }
        Ok(())
    }

    /// Gives the corners of a face or line that have no normal one of its smoothing group.
    fn smooth(&mut self, corners: &mut [Corner]) {
        let Some(group) = self.smoothing else { return };
        if corners.iter().all(|[_, _, normal, _]| normal.is_some()) {
            return;
        }
        let at = |[position, ..]: &Corner| {
            position.and_then(|i| self.positions.get(i as usize)).map_or(Vec3::ZERO, |p| Vec3::from(*p))
        };
        let points: Vec<Vec3> = corners.iter().map(at).collect();
        let first = points.first().copied().unwrap_or_default();
        let pairs = points.iter().zip(points.iter().skip(1));
        let face: Vec3 = pairs.map(|(a, b)| (*a - first).cross(*b - first)).sum();
        let alone = (group == 0).then(|| self.smoothed.alone(face));
        for [position, _, normal, made] in corners {
            if normal.is_none() {
                *made = alone.or_else(|| position.map(|p| self.smoothed.add(p, group, face)));
            }
        }
    }

    fn polyline(&mut self, rest: &str, number: u32) -> Result<()> {
        let mut corners =
            rest.split_whitespace().map(|w| self.corner(w, number)).collect::<Result<Vec<_>>>()?;
        self.smooth(&mut corners);
        let Some(part) = self.part() else { return Ok(()) };
        let ids: Vec<u32> = corners.into_iter().map(|c| part.id(c)).collect();
        ids.windows(2).for_each(|pair| part.lines.extend_from_slice(pair));
        Ok(())
    }

    /// Adds the current object to the scene, if there is anything in it.
    fn finish_object(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.retain(|p| !p.triangles.is_empty() || !p.lines.is_empty());
        let name = std::mem::take(&mut self.object);
        let smoothed = std::mem::take(&mut self.smoothed);
        if parts.is_empty() {
            return;
        }
        let mut mesh = Mesh { name: name.clone(), ..Mesh::default() };
        for part in parts {
            let vertices = self.scene.vertices.len() as u32;
            self.scene.vertices.push(self.vertices(&part.corners, &smoothed));
            let primitive = Primitive { vertices, material: part.material, ..Primitive::default() };
            for (topology, indices) in [(Topology::Triangles, part.triangles), (Topology::Lines, part.lines)]
            {
                if !indices.is_empty() {
                    mesh.primitives.push(Primitive { topology, indices, ..primitive.clone() });
                }
            }
        }
        let id = self.scene.meshes.len() as u32;
        self.scene.meshes.push(mesh);
        let name = if name.is_empty() { "object" } else { &name };
        self.scene.add_node(None, Node { mesh: Some(id), ..Node::new(name) });
    }

    fn vertices(&self, corners: &[Corner], smoothed: &Smoothed) -> Vertices {
        fn pick<T: Copy + Default>(from: &[T], at: Option<u32>) -> T {
            at.and_then(|i| from.get(i as usize)).copied().unwrap_or_default()
        }
        let all = |column: fn(&Corner) -> Option<u32>| corners.iter().all(|c| column(c).is_some());
        let uvs = corners.iter().map(|[_, t, ..]| pick(&self.uvs, *t)).collect();
        let made = |made: Option<u32>| pick(&smoothed.sums, made).normalize_or(Vec3::Y).to_array();
        let normal = |[_, _, own, of_group]: &Corner| {
            own.map_or_else(|| made(*of_group), |n| pick(&self.normals, Some(n)))
        };
        let normals = corners.iter().map(normal).collect();
        Vertices {
            positions: corners.iter().map(|[v, ..]| pick(&self.positions, *v)).collect(),
            uvs: if all(|[_, t, ..]| *t) { vec![uvs] } else { Vec::new() },
            normals: if all(|[_, _, n, made]| n.or(*made)) { normals } else { Vec::new() },
            ..Vertices::default()
        }
    }

    /// Reads an MTL.
    fn materials(&mut self, text: &str) {
        let mut at = None;
        for line in text.lines() {
            let line = line.trim();
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.trim();
            if word == "newmtl" {
                at = self.by_name.get(rest).copied();
                continue;
            }
            let Some(id) = at else { continue };
            let file = match word {
                "map_Kd" | "map_Bump" | "map_bump" | "bump" | "norm" => rest.split_whitespace().last(),
                _ => None,
            };
            let name = file.map(|file| self.image(file));
            let Some(material) = self.scene.materials.get_mut(id as usize) else { continue };
            let slot = if word == "map_Kd" { Slot::Base } else { Slot::Normal };
            if let Some(name) = name.filter(|_| material.texture(&slot).is_none()) {
                material.textures.push(Texture { slot, name, ..Texture::default() });
            }
            field(material, word, rest);
        }
    }

    /// Returns the name of the image in a file.
    fn image(&mut self, file: &str) -> String {
        let path = file.replace('\\', "/");
        let base = path.rsplit('/').next().unwrap_or(&path);
        let name = base.rsplit_once('.').map_or(base, |(stem, _)| stem).to_owned();
        if self.image_names.insert(name.clone()) {
            self.images.push(Image { name: name.clone(), source: ImageSource::File(path) });
        }
        name
    }
}

impl Part {
    fn id(&mut self, corner: Corner) -> u32 {
        let next = self.corners.len() as u32;
        let id = *self.known.entry(corner).or_insert(next);
        if id == next {
            self.corners.push(corner);
        }
        id
    }
}

/// Sets a colour or the opacity of a material.
fn field(material: &mut Material, word: &str, rest: &str) {
    let colour = || numbers::<3>(rest, 1).ok();
    let one = || numbers::<1>(rest, 1).ok().map(|[v]| v);
    let [r, g, b, a] = material.base_color;
    match word {
        "Kd" => material.base_color = colour().map_or([r, g, b, a], |[r, g, b]| [r, g, b, a]),
        "Ke" => material.emissive = colour().unwrap_or(material.emissive),
        "d" => material.base_color = [r, g, b, one().unwrap_or(a)],
        "Tr" => material.base_color = [r, g, b, one().map_or(a, |t| 1.0 - t)],
        _ => return,
    }
    if material.base_color.last().is_some_and(|a| *a < 1.0) {
        material.alpha = AlphaMode::Blend;
    }
}

fn wrong(line: u32, what: String) -> Error {
    Error::syntax(what, line, 1)
}

/// Returns the first numbers of a line.
fn numbers<const N: usize>(text: &str, line: u32) -> Result<[f32; N]> {
    let mut out = [0.0; N];
    let mut words = text.split_whitespace();
    for slot in &mut out {
        let number = words.next().and_then(|w| w.parse::<f32>().ok()).filter(|n| n.is_finite());
        *slot = number.ok_or_else(|| wrong(line, format!("expected {N} numbers, not `{text}`")))?;
    }
    Ok(out)
}
