//! The options of a conversion, and the formats for which each means something.

use std::fmt;

#[cfg(feature = "fox")]
use crate::fox;
#[cfg(feature = "kotor")]
use crate::kotor;
#[cfg(feature = "mdlx")]
use crate::mdlx;
use crate::textures::Images;
use crate::{ConvertError, FormatId};

/// The game a model is made for, where a format serves several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetGame {
    /// Knights of the Old Republic, or its successor.
    #[cfg(feature = "kotor")]
    Kotor(kotor::mdl::Game),
    /// A game of the Fox Engine.
    #[cfg(feature = "fox")]
    Fox(fox::Game),
}

/// How a texture stores its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// As they are, all four channels.
    Raw,
    /// As they are, one channel.
    Grey,
    /// BC1, also called DXT1: small and opaque.
    Bc1,
    /// BC3, also called DXT5: with alpha.
    Bc3,
    /// BC5: two channels, for normal maps.
    Bc5,
    /// BC7: the best looking and the slowest to make.
    Bc7,
    /// JPEG inside a BLP.
    Jpeg,
    /// 256 colours inside a BLP.
    Palette,
}

impl Encoding {
    /// All of them, with their names.
    pub const ALL: [(Encoding, &'static str); 8] = [
        (Encoding::Raw, "raw"),
        (Encoding::Grey, "grey"),
        (Encoding::Bc1, "bc1"),
        (Encoding::Bc3, "bc3"),
        (Encoding::Bc5, "bc5"),
        (Encoding::Bc7, "bc7"),
        (Encoding::Jpeg, "jpeg"),
        (Encoding::Palette, "palette"),
    ];

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(e, _)| *e == self).map_or("", |(_, name)| name)
    }

    /// Returns the encoding of this name, ignoring case.
    ///
    /// ```
    /// use galatea::Encoding;
    /// assert_eq!(Encoding::named("BC7"), Some(Encoding::Bc7));
    /// ```
    pub fn named(name: &str) -> Option<Encoding> {
        Self::ALL.iter().find(|(_, n)| n.eq_ignore_ascii_case(name)).map(|(e, _)| *e)
    }
}

/// An option of [`ConvertOptions`] that means something only for some formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertOption {
    /// [`ConvertOptions::version`].
    Version,
    /// A KotOR game as [`ConvertOptions::game`].
    KotorGame,
    /// A game of the Fox Engine as [`ConvertOptions::game`].
    FoxGame,
    /// [`ConvertOptions::platform`].
    Platform,
    /// [`ConvertOptions::ftexs`].
    Ftexs,
    /// [`ConvertOptions::weights`].
    Weights,
    /// [`ConvertOptions::drop_unused_bones`].
    DropUnusedBones,
    /// [`ConvertOptions::level`].
    Level,
    /// [`SceneContext::authoring`](crate::SceneContext::authoring).
    KotorAuthoring,
    /// [`SceneContext::with_walkmesh`](crate::SceneContext::with_walkmesh).
    KotorWalkmesh,
    /// [`ConvertOptions::bake_effects`].
    BakeEffects,
}

impl fmt::Display for ConvertOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConvertOption::Version => "a version",
            ConvertOption::KotorGame => "a KotOR game",
            ConvertOption::FoxGame => "a game of the Fox Engine",
            ConvertOption::Platform => "a platform",
            ConvertOption::Ftexs => "a number of FTEXS files",
            ConvertOption::Weights => "a way to make matrix groups",
            ConvertOption::DropUnusedBones => "dropping unused bones",
            ConvertOption::Level => "one level of detail",
            ConvertOption::KotorAuthoring => "what the author of a new KotOR model decides",
            ConvertOption::KotorWalkmesh => "a walkmesh beside it, or a format of its textures",
            ConvertOption::BakeEffects => "baking of effects",
        })
    }
}

/// The options of a conversion.
///
/// ```
/// use galatea::{ConvertOptions, Encoding};
/// let options = ConvertOptions::default().with_version(800).with_encoding(Encoding::Bc1);
/// assert_eq!(options.version, Some(800));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// Version of a Warcraft III or WoW alpha model.
    pub version: Option<u32>,
    /// How a texture stores its pixels; the format's own choice without.
    pub encoding: Option<Encoding>,
    /// FTEXS files that an FTEX is spread over; 0 for all in one file.
    pub ftexs: u8,
    /// Where the images of a glTF go; without, into a GLB, and into files of their own with a .gltf.
    pub images: Option<Images>,
    /// Whether a glTF that has lost the extras Galatea wrote is converted as if it came from elsewhere.
    pub as_new: bool,
    /// Whether a glTF also gets the particles and ribbons of a model as animated meshes. They are left out when it is read.
    pub bake_effects: bool,
    /// The game a KotOR or Fox Engine model is for.
    pub game: Option<TargetGame>,
    /// The machine a KotOR model is for.
    #[cfg(feature = "kotor")]
    pub platform: Option<kotor::mdl::Platform>,
    /// How the skin weights of a Warcraft III model become matrix groups; equal shares without.
    #[cfg(feature = "mdlx")]
    pub weights: Option<mdlx::GroupWeights>,
    /// Whether bones of a Fox Engine model that move nothing are left out.
    pub drop_unused_bones: bool,
    /// The only level of detail that a glTF or OBJ gets; all without.
    pub level: Option<u32>,
}

impl ConvertOptions {
    /// Returns the same options with this version.
    #[must_use]
    pub fn with_version(self, version: impl Into<Option<u32>>) -> Self {
        ConvertOptions { version: version.into(), ..self }
    }

    /// Returns the same options with this encoding.
    #[must_use]
    pub fn with_encoding(self, encoding: impl Into<Option<Encoding>>) -> Self {
        ConvertOptions { encoding: encoding.into(), ..self }
    }

    /// Returns the same options with so many FTEXS files.
    #[must_use]
    pub fn with_ftexs(self, ftexs: u8) -> Self {
        ConvertOptions { ftexs, ..self }
    }

    /// Returns the same options with this place for images.
    #[must_use]
    pub fn with_images(self, images: impl Into<Option<Images>>) -> Self {
        ConvertOptions { images: images.into(), ..self }
    }

    /// Returns the same options, for glTF files that have lost their extras, too.
    #[must_use]
    pub fn with_as_new(self, as_new: bool) -> Self {
        ConvertOptions { as_new, ..self }
    }

    /// Returns the same options, with or without baked effects.
    #[must_use]
    pub fn with_bake_effects(self, bake_effects: bool) -> Self {
        ConvertOptions { bake_effects, ..self }
    }

    /// Returns the same options with this game.
    #[must_use]
    pub fn with_game(self, game: impl Into<Option<TargetGame>>) -> Self {
        ConvertOptions { game: game.into(), ..self }
    }

    /// Returns the same options with this machine.
    #[cfg(feature = "kotor")]
    #[must_use]
    pub fn with_platform(self, platform: impl Into<Option<kotor::mdl::Platform>>) -> Self {
        ConvertOptions { platform: platform.into(), ..self }
    }

    /// Returns the same options with this way to make matrix groups.
    #[cfg(feature = "mdlx")]
    #[must_use]
    pub fn with_weights(self, weights: impl Into<Option<mdlx::GroupWeights>>) -> Self {
        ConvertOptions { weights: weights.into(), ..self }
    }

    /// Returns the same options, with or without bones of a Fox Engine model that move nothing.
    #[must_use]
    pub fn with_drop_unused_bones(self, drop_unused_bones: bool) -> Self {
        ConvertOptions { drop_unused_bones, ..self }
    }

    /// Returns the same options with this level of detail alone.
    #[must_use]
    pub fn with_level(self, level: impl Into<Option<u32>>) -> Self {
        ConvertOptions { level: level.into(), ..self }
    }

    /// Returns the KotOR game, if it is one.
    #[cfg(feature = "kotor")]
    pub(crate) fn kotor(&self) -> Option<kotor::mdl::Game> {
        match self.game {
            Some(TargetGame::Kotor(game)) => Some(game),
            _ => None,
        }
    }

    /// Returns the Fox Engine game, if it is one.
    #[cfg(feature = "fox")]
    pub(crate) fn fox(&self) -> Option<fox::Game> {
        match self.game {
            Some(TargetGame::Fox(game)) => Some(game),
            _ => None,
        }
    }

    /// Checks that every option for models means something for the format to write. Those for textures are also for the
    /// textures of models.
    pub(crate) fn check(&self, to: FormatId) -> Result<(), ConvertError> {
        let game = self.game.map(|game| match game {
            #[cfg(feature = "kotor")]
            TargetGame::Kotor(_) => ConvertOption::KotorGame,
            #[cfg(feature = "fox")]
            TargetGame::Fox(_) => ConvertOption::FoxGame,
        });
        let version = self.version.map(|_| ConvertOption::Version);
        #[cfg(feature = "kotor")]
        let platform = self.platform.map(|_| ConvertOption::Platform);
        #[cfg(not(feature = "kotor"))]
        let platform = None;
        #[cfg(feature = "mdlx")]
        let weights = self.weights.map(|_| ConvertOption::Weights);
        #[cfg(not(feature = "mdlx"))]
        let weights = None;
        let bones = self.drop_unused_bones.then_some(ConvertOption::DropUnusedBones);
        let level = self.level.map(|_| ConvertOption::Level);
        let baking = self.bake_effects.then_some(ConvertOption::BakeEffects);
        let mut given = [version, game, platform, weights, bones, level, baking].into_iter().flatten();
        match given.find(|option| !to.format().options.contains(option)) {
            Some(option) => Err(ConvertError::UnsupportedOption { option, to }),
            None => Ok(()),
        }
    }
}
