//! Where textures, supermodels and names come from.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use galatea::disk::{self, Games, Supermodels};
use galatea::fox::Dictionary;
use galatea::texture::find::Game;
use galatea::textures::{Libraries, Textures};
use pyo3::prelude::*;

use crate::error::{Failure, Outcome};

/// What the documents of a run share: textures, supermodels, names and games, each looked for once.
#[pyclass(frozen, module = "galatea._galatea")]
pub(crate) struct Sources {
    libraries: Libraries,
    pub(crate) models: Supermodels,
    pub(crate) names: Arc<Dictionary>,
    pub(crate) games: Arc<Games>,
}

/// The games of this machine, for whoever names none.
fn usual_games() -> Arc<Games> {
    static GAMES: OnceLock<Arc<Games>> = OnceLock::new();
    Arc::clone(GAMES.get_or_init(|| Arc::new(Games::default())))
}

/// The texts of hashed names without files that a caller names.
fn usual_names() -> Outcome<Arc<Dictionary>> {
    static NAMES: OnceLock<Arc<Dictionary>> = OnceLock::new();
    if let Some(names) = NAMES.get() {
        return Ok(Arc::clone(names));
    }
    let names = disk::dictionary(&[]).map_err(|(path, error)| Failure::Io(error, path))?;
    Ok(Arc::clone(NAMES.get_or_init(|| Arc::new(names))))
}

impl Sources {
    /// Returns the sources of whoever names none.
    pub(crate) fn usual() -> Outcome<Sources> {
        Sources::of(&[], None, &[], None)
    }

    /// Returns the sources of these folders and files.
    fn of(
        textures: &[PathBuf],
        supermodels: Option<&Path>,
        names: &[PathBuf],
        game: Option<&Path>,
    ) -> Outcome<Sources> {
        let games = match game {
            None => usual_games(),
            Some(folder) => Arc::new(Games::new(Some(folder)).ok_or_else(|| {
                let what = "no game that is known; it needs chitin.key, War3.mpq, .build.info, master/chunk0.dat or Data/dt00_x64.cpk";
                Failure::Value(format!("{}: {what}", folder.display()))
            })?),
        };
        if let Some(bad) = textures.iter().find(|folder| !disk::is_folder(folder)) {
            return Err(Failure::Io(std::io::ErrorKind::NotFound.into(), bad.clone()));
        }
        let (libraries, failed) = Libraries::new(textures);
        if let Some((path, error)) = failed.into_iter().next() {
            return Err(Failure::Io(error, path));
        }
        let folder = supermodels.unwrap_or(Path::new(""));
        let models = Supermodels::new(supermodels, Arc::clone(&games)).map_err(Failure::io(folder))?;
        let names = if names.is_empty() {
            usual_names()?
        } else {
            Arc::new(disk::dictionary(names).map_err(|(path, error)| Failure::Io(error, path))?)
        };
        Ok(Sources { libraries: libraries.with_games(Arc::clone(&games)), models, names, games })
    }

    /// Returns where the textures of a model in this folder are looked for.
    pub(crate) fn textures(&self, game: Game, folder: Option<&Path>) -> Textures<'_> {
        self.libraries.textures(game, folder)
    }
}

#[pymethods]
impl Sources {
    #[new]
    #[pyo3(signature = (textures, supermodels, names, game))]
    fn new(
        py: Python<'_>,
        textures: Vec<PathBuf>,
        supermodels: Option<PathBuf>,
        names: Vec<PathBuf>,
        game: Option<PathBuf>,
    ) -> PyResult<Sources> {
        Ok(py.detach(|| Sources::of(&textures, supermodels.as_deref(), &names, game.as_deref()))?)
    }
}
