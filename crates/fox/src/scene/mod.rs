//! Conversion to and from the neutral scene.
//!
//! The Fox Engine's axes and units are the scene's (right-handed, Y up, metres); only the winding of its triangles is the
//! other way round, so each triangle is reversed and no vertex changes. Bones and groups are nodes, every level of detail
//! of a mesh is a node below its group, all levels share their vertices. What the scene has no word for is in extras under
//! `fmdl`: types of vertex columns, windows of levels, flags, parameters of shaders, fields of tables.

mod extra;
mod from;
mod material;
mod to;

use crate::model::Fmdl;

/// The games that have FMDL models of their own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Game {
    /// Metal Gear Solid V: Ground Zeroes.
    Gz,
    /// Metal Gear Solid V: The Phantom Pain, and Metal Gear Survive.
    Tpp,
    /// Pro Evolution Soccer 2018 to 2021.
    Pes,
}

impl Game {
    /// All of them.
    pub const ALL: [Game; 3] = [Game::Gz, Game::Tpp, Game::Pes];

    /// Returns its short name: `gz`, `tpp` or `pes`.
    pub fn name(self) -> &'static str {
        match self {
            Game::Gz => "gz",
            Game::Tpp => "tpp",
            Game::Pes => "pes",
        }
    }

    /// Returns the game with this short name.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Game};
    /// assert_eq!(Game::by_name("pes").map(Game::version), Some(Fmdl::GZ));
    /// ```
    pub fn by_name(name: &str) -> Option<Game> {
        Game::ALL.into_iter().find(|g| g.name().eq_ignore_ascii_case(name))
    }

    /// Returns the version of its files.
    pub fn version(self) -> f32 {
        if self == Game::Tpp { Fmdl::TPP } else { Fmdl::GZ }
    }
}

/// Choices of [`Fmdl::from_scene`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The game to build for; `None` for that of the scene, or else The Phantom Pain.
    pub game: Option<Game>,
}

impl SceneOptions {
    /// Returns the same options with this game.
    #[must_use]
    pub fn with_game(self, game: impl Into<Option<Game>>) -> Self {
        SceneOptions { game: game.into() }
    }
}
