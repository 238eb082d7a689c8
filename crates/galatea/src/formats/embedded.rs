//! The images that come with a document.

use galatea_gltf::{Appearance, Image};
use galatea_scene::{Material, MaterialId};

/// The images of a glTF document, and what its materials look like with them.
#[derive(Debug, Clone, Default)]
pub struct EmbeddedImages {
    pub(super) images: Vec<Image>,
    pub(super) appearances: Vec<Appearance>,
    /// The files of its buffers, by their paths in the document's directory.
    pub(super) files: Vec<String>,
    /// The materials as they were read, once they may have been changed.
    pub(super) before: Option<Vec<Material>>,
}

impl EmbeddedImages {
    /// Returns the images.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// Returns the files of the document's buffers, by their paths in its directory.
    pub fn buffer_files(&self) -> &[String] {
        &self.files
    }

    /// Returns what the materials looked like in the file; the maps name the images.
    pub fn appearances(&self) -> &[Appearance] {
        &self.appearances
    }

    /// Returns `true` if the document's materials may have been changed after reading.
    pub(crate) fn is_changed(&self) -> bool {
        self.before.is_some()
    }

    /// Returns how a material of the document's scene is drawn; `None` if it was changed or added after reading.
    pub fn appearance(&self, id: MaterialId, material: &Material) -> Option<&Appearance> {
        let id = id as usize;
        let same = self.before.as_ref().is_none_or(|before| before.get(id) == Some(material));
        self.appearances.get(id).filter(|_| same)
    }
}
