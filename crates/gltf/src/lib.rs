//! glTF 2.0: writes a [`Scene`] as a GLB or a .gltf with its .bin, and reads any valid glTF as a scene.
//!
//! A scene survives the round trip bit for bit. Geometry, weights, the tree and the keys of clips are ordinary accessors and
//! nodes, so edits made with other programs are read. Data that glTF has no field for is in `extras.galatea` of the node, mesh,
//! material or clip it belongs to, in a form that Blender keeps as custom properties.
//!
//! ```
//! use galatea_wire::Limits;
//! let scene = galatea_scene::example();
//! let glb = galatea_gltf::write_glb(&scene, &galatea_gltf::Options::default())?;
//! let back = galatea_gltf::read(&glb, &Limits::default(), &mut |_| None)?;
//! assert_eq!(back.scene, scene);
//! # Ok::<(), galatea_wire::Error>(())
//! ```

mod accessor;
mod animated;
mod appearance;
mod bin;
mod blender;
mod buffers;
mod constraints;
mod glb;
mod json;
mod keys;
mod lost_normals;
mod names;
mod read;
mod restore;
mod twins;
mod typed;
mod uri;
mod write;

use galatea_scene::{Material, MaterialId, Scene};
use galatea_wire::{Limits, Loss, Result};

pub use appearance::{Appearance, Map, Role};

/// Where the image of a texture is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// In a file, by its path relative to the document.
    File(String),
    /// In the document itself.
    Embedded {
        /// `image/png` or `image/jpeg`.
        mime: String,
        /// The file's bytes.
        bytes: Vec<u8>,
    },
}

/// Options of a writer.
#[non_exhaustive]
pub struct Options<'a> {
    /// Returns how a material is drawn; by default [`Appearance::of`].
    pub appearance: &'a dyn Fn(MaterialId, &Material) -> Appearance,
    /// Finds an image by the name that a [`Map`] gives it. Textures without an image keep their names in extras and are not
    /// drawn, so that no viewer looks for a file that does not exist.
    pub image: &'a dyn Fn(&str) -> Option<ImageSource>,
    /// Whether extras have the index in the scene of everything that an editing program may rename or move, under
    /// [`galatea_scene::ORIGIN`]. That is for [`read_onto`].
    pub origins: bool,
}

galatea_wire::setters! {
    Options<'a> {
        with_appearance: appearance: &'a dyn Fn(MaterialId, &Material) -> Appearance,
        with_image: image: &'a dyn Fn(&str) -> Option<ImageSource>,
        with_origins: origins: bool,
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { appearance: &|_, material| Appearance::of(material), image: &|_| None, origins: false }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Options")
    }
}

/// An image of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The name its textures have in the scene.
    pub name: String,
    /// Where it is.
    pub source: ImageSource,
}

/// The contents of a document.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// Images of textures.
    pub images: Vec<Image>,
    /// How each material of the scene is drawn in the document; its maps name the images.
    pub appearances: Vec<Appearance>,
    /// Parts of the document that the scene cannot hold.
    pub losses: Vec<Loss>,
    /// Whether this was a document of ours and a program has dropped its extras: all that glTF cannot say is missing.
    pub stripped: bool,
}

/// Returns `true` if these bytes are a GLB, or JSON text that looks like glTF.
///
/// ```
/// assert!(galatea_gltf::detect(br#"{"asset": {"version": "2.0"}}"#));
/// assert!(galatea_gltf::detect(b"glTF\x02\0\0\0"));
/// assert!(!galatea_gltf::detect(b"{}"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    if glb::is_glb(bytes) {
        return true;
    }
    let head = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let start = head.iter().position(|b| !b.is_ascii_whitespace());
    start.and_then(|s| head.get(s)) == Some(&b'{') && has(head, b"\"asset\"") && has(head, b"\"version\"")
}

fn has(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|w| w == word)
}

/// Writes a scene as one binary file.
pub fn write_glb(scene: &Scene, options: &Options<'_>) -> Result<Vec<u8>> {
    let written = write::write(scene, options, None, glb::HEAD);
    glb::pack(written.json, &written.bin)
}

/// Writes a scene as a JSON text and a binary file of this name, which is expected in the same directory.
///
/// ```
/// use galatea_wire::Limits;
/// let scene = galatea_scene::example();
/// let (json, bin) = galatea_gltf::write_gltf(&scene, &galatea_gltf::Options::default(), "arm.bin");
/// let mut files = |path: &str| (path == "arm.bin").then(|| bin.clone());
/// let back = galatea_gltf::read(json.as_bytes(), &Limits::default(), &mut files)?;
/// assert_eq!(back.scene, scene);
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn write_gltf(scene: &Scene, options: &Options<'_>, bin_name: &str) -> (String, Vec<u8>) {
    let written = write::write(scene, options, Some(bin_name), 0);
    // Strings are UTF-8 and everything else is ASCII, so the lossy copy is never made.
    let json = String::from_utf8(written.json)
        .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    (json, written.bin.concat())
}

/// Reads a GLB or a .gltf. `file` returns the bytes of a file by its path relative to the document; it is never called with
/// a path that leaves the document's directory.
pub fn read(bytes: &[u8], limits: &Limits, file: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Result<Loaded> {
    read::read(bytes, limits, file, None)
}

/// Reads a GLB or a .gltf that was made from another and has lost its extras, or some of them. They are restored from
/// `original`, the GLB of the original that [`write_glb`] makes [with origins](Options::origins).
///
/// ```
/// use galatea_gltf::{Options, read_onto, write_glb};
/// use galatea_wire::Limits;
/// let scene = galatea_scene::example();
/// let original = write_glb(&scene, &Options::default().with_origins(true))?;
/// let edited = write_glb(&scene, &Options::default())?;
/// let loaded = read_onto(&edited, &original, &Limits::default(), &mut |_| None)?;
/// assert_eq!(loaded.scene.onto(&scene).scene, scene);
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn read_onto(
    bytes: &[u8],
    original: &[u8],
    limits: &Limits,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Loaded> {
    read::read(bytes, limits, file, Some(original))
}
