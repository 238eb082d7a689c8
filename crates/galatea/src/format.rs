//! What a format is: how it is recognised, read, written, checked and converted.

use galatea_scene::Scene;
use galatea_texture::Image;
use galatea_texture::find::Game;
use galatea_wire::{Limits, Loss, Result, Rule, Schema};

use crate::convert::Author;
use crate::{
    ConvertError, ConvertOption, ConvertOptions, Converted, Document, Encoding, FormatId, Input, Inspection,
    Output, SceneContext, TextureFile,
};

/// The kind of data that a format holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Category {
    /// Models and walkmeshes.
    Model,
    /// Textures and what belongs to them.
    Texture,
}

/// A format that Galatea knows: how to recognise it, and what can be done with it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Format {
    /// Its id.
    pub id: FormatId,
    /// Its name on the command line and in reports.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Usual extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Extensions of the files that may belong to it.
    pub companions: &'static [&'static str],
    /// The kind of data that it holds.
    pub category: Category,
    /// Whether it can be recognised only by its whole content, having no magic. In folders such files are taken only if
    /// their extension agrees.
    pub needs_full_scan: bool,
    /// Whether a document keeps the bytes of its file and writes those, so that writing it back proves nothing.
    pub stored: bool,
    /// The text form of the same model; a text form names itself.
    pub text: Option<FormatId>,
    /// The usual extension of files that are converted to it; `None` if nothing is.
    pub write_extension: Option<&'static str>,
    /// The game whose rules of texture names hold for its models; `None` for what names no textures.
    pub game: Option<Game>,
    /// The options that mean something for files that are converted to it.
    pub options: &'static [ConvertOption],
    /// How it can store pixels, if it is a texture format for which that can be chosen.
    pub encodings: &'static [Encoding],
    /// Whether bytes are of this format. The start of the file is enough, unless it needs a full scan.
    pub detect: fn(&[u8]) -> bool,
    /// Reads a file.
    pub read: fn(&Input<'_>, &Limits) -> Result<Box<dyn Document>>,
    /// Tells which byte is what.
    pub inspect: fn(&Input<'_>, &Limits) -> Vec<Inspection>,
    /// What is checked.
    pub rules: &'static [Rule],
    /// What [`Document::check_beside`] checks.
    pub rules_beside: &'static [Rule],
    /// Its fixed records.
    pub records: &'static [&'static Schema],
    /// The parts of a document whose content depends on the order of vertices and triangles, by their names in differences:
    /// `name`, or `above/name` if other parts have that name, too.
    pub unordered: &'static [&'static str],
    /// Builds a document from a scene, if it can be done.
    pub from_scene: Option<FromScene>,
    /// Builds a new model from a scene, if that takes more than [`Format::from_scene`] does: presets, names, files beside it.
    pub(crate) author: Option<Author>,
    /// Writes the scene of a document of another format, for formats that do more than [`Format::from_scene`] can.
    pub write_scene: Option<WriteScene>,
    /// Writes an image, if it is a texture format that can be written.
    pub encode: Option<Encode>,
}

/// Builds a document from a scene; the losses say what of the scene it cannot hold.
pub type FromScene = fn(&Scene, &ConvertOptions) -> Result<(Box<dyn Document>, Vec<Loss>)>;

/// Writes the scene of a document, with the textures that are found or that come with the document.
pub type WriteScene =
    fn(&Scene, &dyn Document, &ConvertOptions, &SceneContext<'_>) -> Result<Converted, ConvertError>;

/// Writes an image of a texture file. The name is that of the file: those of the Fox Engine tell what they are for.
pub type Encode = fn(&Image, &TextureFile, &ConvertOptions, &str) -> Result<Output>;

impl Format {
    /// Returns a model format with nothing but its names, for formats to fill in.
    pub(crate) const fn model(id: FormatId, name: &'static str, title: &'static str) -> Format {
        Format {
            id,
            name,
            title,
            extensions: &[],
            companions: &[],
            category: Category::Model,
            needs_full_scan: false,
            stored: false,
            text: None,
            write_extension: None,
            game: None,
            options: &[],
            encodings: &[],
            detect: |_| false,
            read: |_, _| Err(galatea_wire::Error::at(galatea_wire::ErrorKind::NotThisFormat, 0)),
            inspect: |_, _| Vec::new(),
            rules: &[],
            rules_beside: &[],
            records: &[],
            unordered: &[],
            from_scene: None,
            author: None,
            write_scene: None,
            encode: None,
        }
    }

    /// Returns a texture format with nothing but its names, for formats to fill in.
    pub(crate) const fn texture(id: FormatId, name: &'static str, title: &'static str) -> Format {
        Format { category: Category::Texture, ..Format::model(id, name, title) }
    }

    /// Returns `true` if files of other formats can be converted to it.
    pub fn is_target(&self) -> bool {
        self.write_extension.is_some()
    }
}
