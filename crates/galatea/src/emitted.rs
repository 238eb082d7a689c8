//! The models that emitters throw.

use std::fmt;

use galatea_wire::Limits;

use crate::textures::Textures;
use crate::{Document, Input, open};

/// The models that the emitters of a document throw, by the names that the emitters have.
///
/// ```
/// use galatea::mdlx::{Model, ParticleEmitter, Text, Version};
/// use galatea::texture::find::Game;
/// use galatea::textures::{Library, Textures};
/// use galatea::{EmittedModels, Limits};
/// let rock = Model::new(Version(800)).write()?;
/// let library = Library::from_files([("SharedModels/Rock.mdx".to_owned(), rock)]);
/// let textures = Textures::in_library(Game::Warcraft, library);
/// let mut catapult = Model::new(Version(800));
/// let path = Text::new(br"SharedModels\Rock.MDL").unwrap();
/// catapult.particle_emitters.push(ParticleEmitter { path, ..ParticleEmitter::default() });
/// let emitted = EmittedModels::find(&catapult, &textures, &Limits::default());
/// assert_eq!(emitted.iter().count(), 1);
/// # Ok::<(), galatea::Error>(())
/// ```
#[derive(Default)]
pub struct EmittedModels {
    found: Vec<(String, Box<dyn Document>)>,
    unreadable: Vec<(String, String)>,
}

impl fmt::Debug for EmittedModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.found.iter().map(|(name, _)| name)).finish()
    }
}

/// Models that are read for one document.
const MOST: usize = 256;

impl EmittedModels {
    /// Finds and reads the models that a document's emitters throw, where its textures are found.
    pub fn find(document: &dyn Document, textures: &Textures<'_>, limits: &Limits) -> EmittedModels {
        let mut out = EmittedModels::default();
        for name in document.emitted_models().into_iter().take(MOST) {
            let read = |bytes: Vec<u8>| open(&Input::new(&bytes), limits).map_err(|e| e.to_string());
            match textures.model(&name).map(|bytes| bytes.and_then(read)) {
                Some(Ok(model)) => out.found.push((name, model)),
                Some(Err(error)) => out.unreadable.push((name, error)),
                None => {}
            }
        }
        out
    }

    /// Returns the models with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &dyn Document)> {
        self.found.iter().map(|(name, document)| (name.as_str(), document.as_ref()))
    }

    /// Returns the names of models that were found and do not read, each with the reason.
    pub fn unreadable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.unreadable.iter().map(|(name, error)| (name.as_str(), error.as_str()))
    }
}
