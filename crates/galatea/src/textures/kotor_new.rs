//! The textures of new KotOR models: sides that are powers of two, and TXI for what the model has no field for.

use std::collections::HashMap;

use galatea_scene::{AlphaMode, Extras, Material, Scene, Slot};
use galatea_texture::find::output_name;
use galatea_texture::{Texture, Txi, encode};
use galatea_wire::{Limits, Loss};

use super::document_images::written;
use crate::{ConvertOptions, FormatId, TextureFile};

/// Commands of a TXI that a custom property of a material may give.
const COMMANDS: [&str; 14] = [
    "envmaptexture",
    "bumpyshinytexture",
    "bumpmaptexture",
    "bumpmapscaling",
    "blending",
    "decal",
    "proceduretype",
    "numx",
    "numy",
    "fps",
    "wateralpha",
    "alphamean",
    "mipmap",
    "clamp",
];

/// What the game must know of the textures of a scene, by their names.
#[derive(Debug, Default)]
pub(super) struct Notes {
    by_name: HashMap<String, Txi>,
    /// Losses of the model that are none, because a TXI has what was lost.
    pub(super) kept: Vec<Loss>,
}

impl Notes {
    /// Returns the TXI of a texture.
    pub(super) fn of(&self, texture: &str) -> Option<&Txi> {
        self.by_name.get(texture)
    }
}

/// Returns what the materials of a scene need.
pub(super) fn notes(scene: &Scene) -> Notes {
    let mut notes = Notes::default();
    for material in &scene.materials {
        let Some(base) = material.texture(&Slot::Base) else { continue };
        let mut txi = notes.by_name.remove(&base.name).unwrap_or_default();
        note(material, &mut txi);
        if let Some(normal) = material.texture(&Slot::Normal) {
            txi.set("bumpmaptexture", &short(&normal.name));
            let map = notes.by_name.entry(normal.name.clone()).or_default();
            map.set("isbumpmap", "1");
            let path = format!("material {:?}", material.name);
            notes.kept.push(Loss::new(path, format!("the texture for {}", Slot::Normal.name())));
        }
        if !txi.is_empty() {
            notes.by_name.insert(base.name.clone(), txi);
        }
    }
    notes
}

/// Returns the name by which the game finds a texture.
fn short(name: &str) -> String {
    output_name(name).chars().take(super::document_images::KOTOR_NAME).collect()
}

fn note(material: &Material, txi: &mut Txi) {
    let named = |word: &str| material.name.to_lowercase().contains(word);
    match material.alpha {
        AlphaMode::Mask { .. } => txi.set("blending", "punchthrough"),
        AlphaMode::Additive => txi.set("blending", "additive"),
        _ if named("additive") => txi.set("blending", "additive"),
        _ if named("punchthrough") => txi.set("blending", "punchthrough"),
        _ => {}
    }
    if material.two_sided || named("decal") {
        txi.set("decal", "1");
    }
    let custom = material.extras.object("foreign").unwrap_or(Extras::none());
    for (key, value) in custom.iter() {
        let command = COMMANDS.iter().find(|c| c.eq_ignore_ascii_case(key));
        let number = || value.as_f64().or_else(|| value.as_bool().map(f64::from)).map(|n| n.to_string());
        let text = value.as_str().map(str::to_owned).or_else(number);
        if let (Some(command), Some(text)) = (command, text) {
            txi.set(command, text.lines().next().unwrap_or(""));
        }
    }
}

/// Returns an image as a texture: its files, by ending.
pub(super) fn encoded(
    bytes: &[u8],
    kind: FormatId,
    options: &ConvertOptions,
    name: &str,
    txi: Option<&Txi>,
) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let mut texture = Texture::read(bytes, &Limits::default()).map_err(|e| e.to_string())?;
    let image = texture.decode_best(&Limits::default()).map_err(|e| e.to_string())?;
    if let Some(fit) = image.to_powers_of_two() {
        let png = encode::png(&fit).map_err(|e| e.to_string())?;
        texture = Texture::read(&png, &Limits::default()).map_err(|e| e.to_string())?;
    }
    let encoding = options.encoding.filter(|e| kind.format().encodings.contains(e));
    let options = ConvertOptions::default().with_encoding(encoding);
    written(&TextureFile { texture, txi: txi.cloned() }, kind, &options, name)
}
