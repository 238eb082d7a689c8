//! The table of formats. A new format adds a file here and a line to `formats!`.

#[cfg(feature = "kotor")]
mod bwm;
#[cfg(feature = "kotor")]
mod bwm_ascii;
#[cfg(feature = "kotor")]
mod character;
mod embedded;
#[cfg(feature = "fox")]
mod fmdl;
#[cfg(feature = "walk")]
mod git;
mod gltf;
mod gltf_write;
mod html;
#[cfg(feature = "kotor")]
mod kotor_ascii;
#[cfg(feature = "kotor")]
mod kotor_mdl;
#[cfg(feature = "kotor")]
mod kotor_new;
#[cfg(feature = "kotor")]
mod kotor_room;
#[cfg(feature = "walk")]
mod lyt;
#[cfg(feature = "mdlx")]
mod mdl;
#[cfg(feature = "mdlx")]
mod mdx;
mod obj;
mod obj_read;
mod texture;
mod texture_convert;
mod texture_encode;

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "kotor")]
pub use bwm_ascii::AsciiWalkmesh;
#[cfg(feature = "kotor")]
pub use character::{Appearances, Character, Look, Parts};
pub use embedded::EmbeddedImages;
#[cfg(feature = "walk")]
pub use git::{AreaFile, Body, Instances, Object, ObjectKind};
pub use gltf::{Gltf, GltfText};
pub(crate) use gltf_write::gltf_of_original;
#[cfg(feature = "kotor")]
pub use kotor_ascii::AsciiModel;
#[cfg(feature = "walk")]
pub use lyt::{LayoutFile, RoomFiles};
#[cfg(feature = "mdlx")]
pub use mdl::MdlText;
pub use obj::obj;
pub use obj_read::ObjText;
pub use texture::TextureFile;
pub(crate) use texture_convert::convert_texture;
pub use texture_convert::encode_image;

use crate::Format;
#[cfg(any(feature = "kotor", feature = "mdlx", feature = "fox"))]
use crate::{ConvertError, ConvertOptions, Converted, SceneContext};

/// Lists the formats: for each its variant of [`FormatId`] and its description.
macro_rules! formats {
    (
        readable: { $($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $id:ident => $format:path;)* }
    ) => {
        /// A format, by its id.
        ///
        /// ```
        /// use galatea::FormatId;
        /// let id: FormatId = "kotor-mdl".parse()?;
        /// assert_eq!((id, id.name()), (FormatId::KotorMdl, "kotor-mdl"));
        /// # Ok::<(), galatea::UnknownFormat>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum FormatId {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $id,)*
        }

        impl FormatId {
            /// All formats.
            pub const ALL: &[FormatId] = &[$($(#[cfg($cfg)])? FormatId::$id,)*];

            /// Returns the description of the format.
            pub fn format(self) -> &'static Format {
                match self {
                    $($(#[cfg($cfg)])? FormatId::$id => &$format,)*
                }
            }
        }

        /// Every format that can be read, in the order in which detection tries them. Textures come last: some have no
        /// magic.
        pub static FORMATS: &[&Format] = &[$($(#[cfg($cfg)])? &$format,)*];
    };
}

formats! {
    readable: {
        /// KotOR walkmesh.
        #[cfg(feature = "kotor")]
        KotorBwm => bwm::FORMAT;
        /// KotOR walkmesh as text.
        #[cfg(feature = "kotor")]
        KotorBwmAscii => bwm_ascii::FORMAT;
        /// KotOR model.
        #[cfg(feature = "kotor")]
        KotorMdl => kotor_mdl::FORMAT;
        /// KotOR layout: the rooms of an area.
        #[cfg(feature = "walk")]
        KotorLyt => lyt::FORMAT;
        /// KotOR area: doors, placeables and creatures.
        #[cfg(feature = "walk")]
        KotorGit => git::FORMAT;
        /// KotOR model as text.
        #[cfg(feature = "kotor")]
        KotorMdlAscii => kotor_ascii::FORMAT;
        /// Warcraft III or WoW alpha model.
        #[cfg(feature = "mdlx")]
        Mdx => mdx::FORMAT;
        /// Warcraft III model as text.
        #[cfg(feature = "mdlx")]
        Mdl => mdl::FORMAT;
        /// Fox Engine model.
        #[cfg(feature = "fox")]
        Fmdl => fmdl::FORMAT;
        /// glTF in one file.
        Glb => gltf::GLB;
        /// glTF as JSON, with its files.
        Gltf => gltf::GLTF;
        /// Wavefront OBJ.
        Obj => obj::FORMAT;
        /// A page that shows a model in a browser, only written.
        Html => html::FORMAT;
        /// Direct3D texture.
        Dds => texture::DDS;
        /// Warcraft III or World of Warcraft texture.
        Blp => texture::BLP;
        /// Fox Engine texture.
        Ftex => texture::FTEX;
        /// PNG image.
        Png => texture::PNG;
        /// JPEG image.
        Jpeg => texture::JPEG;
        /// DDS in the zlib wrapper of PES.
        WesysDds => texture::WESYS;
        /// KotOR texture.
        Tpc => texture::TPC;
        /// KotOR and Neverwinter Nights texture that is called DDS.
        BiowareDds => texture::BIOWARE;
        /// Truevision TGA.
        Tga => texture::TGA;
        /// KotOR's text on how to use a texture.
        Txi => texture::TXI;
    }
}

impl FormatId {
    /// Returns the name of the format, such as `kotor-mdl`.
    pub fn name(self) -> &'static str {
        self.format().name
    }

    /// Returns the formats that files can be converted to.
    pub fn targets() -> impl Iterator<Item = FormatId> {
        FormatId::ALL.iter().copied().filter(|id| id.format().is_target())
    }
}

impl fmt::Display for FormatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FormatId {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        FormatId::ALL.iter().copied().find(|id| id.name() == name).ok_or(UnknownFormat)
    }
}

/// A name that no format has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no format has this name")
    }
}

impl std::error::Error for UnknownFormat {}

/// Converts a document without a scene in between; `None` if the conversion needs a scene.
#[cfg(any(feature = "kotor", feature = "mdlx", feature = "fox"))]
pub(crate) type ConvertTo<T> =
    fn(&T, FormatId, &ConvertOptions, &SceneContext<'_>) -> Result<Option<Converted>, ConvertError>;

/// Makes a document type a [`Document`](crate::Document). `$inner` is the format's own type, which a text form shares with
/// its binary form; all but writing, the scene and the methods at the end is the same for every format.
macro_rules! document {
    ($type:ty as $inner:ty, $format:expr, inner: $get:expr, $get_mut:expr, write: $write:expr, scene: $scene:expr $(, convert: $convert:expr)? $(, also: { $($also:tt)* })? $(,)?) => {
        impl crate::Document for $type {
            fn format(&self) -> &'static crate::Format {
                $format
            }

            fn summary(&self) -> galatea_wire::Summary {
                let get: fn(&$type) -> &$inner = $get;
                get(self).summary()
            }

            fn write(&self) -> galatea_wire::Result<crate::Output> {
                let (get, write): (fn(&$type) -> &$inner, fn(&$inner) -> galatea_wire::Result<crate::Output>) =
                    ($get, $write);
                write(get(self))
            }

            fn check(&self) -> galatea_wire::Report {
                let get: fn(&$type) -> &$inner = $get;
                get(self).check()
            }

            fn fix(&mut self, wanted: &dyn Fn(&galatea_wire::Rule) -> bool) -> Vec<galatea_wire::Fixed> {
                let get: fn(&mut $type) -> &mut $inner = $get_mut;
                get(self).fix(wanted)
            }

            fn differences(&self, other: &dyn crate::Document) -> Option<Vec<String>> {
                let get: fn(&$type) -> &$inner = $get;
                Some(get(self).differences(other.as_any().downcast_ref::<$inner>()?))
            }

            fn compare(&self, other: &dyn crate::Document, out: &mut galatea_wire::Differences) -> bool {
                let get: fn(&$type) -> &$inner = $get;
                let other = other.as_any().downcast_ref::<$inner>();
                other.map(|other| get(self).compare(other, out)).is_some()
            }

            fn to_scene(&self, context: &crate::SceneContext<'_>) -> Option<galatea_scene::Scene> {
                type ToScene = fn(&$inner, &crate::SceneContext<'_>) -> Option<galatea_scene::Scene>;
                let (get, scene): (fn(&$type) -> &$inner, ToScene) = ($get, $scene);
                scene(get(self), context)
            }

            $(fn convert_to(
                &self,
                to: crate::FormatId,
                options: &crate::ConvertOptions,
                context: &crate::SceneContext<'_>,
            ) -> Result<Option<crate::Converted>, crate::ConvertError> {
                let (get, convert): (fn(&$type) -> &$inner, crate::formats::ConvertTo<$inner>) = ($get, $convert);
                convert(get(self), to, options, context)
            })?

            fn as_any(&self) -> &dyn std::any::Any {
                let get: fn(&$type) -> &$inner = $get;
                get(self)
            }

            fn as_any_mut(&mut self) -> &mut dyn std::any::Any {
                let get: fn(&mut $type) -> &mut $inner = $get_mut;
                get(self)
            }

            $($($also)*)?
        }
    };
    ($type:ty, $format:expr, write: $write:expr, scene: $scene:expr $(, convert: $convert:expr)? $(, also: { $($also:tt)* })? $(,)?) => {
        document!(
            $type as $type, $format, inner: |d| d, |d| d, write: $write, scene: $scene $(, convert: $convert)? $(, also: { $($also)* })?
        );
    };
}
use document;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_knows_its_id_and_its_name_alone() {
        for id in FormatId::ALL {
            assert_eq!(id.format().id, *id);
            assert_eq!(id.name().parse(), Ok(*id));
            assert_eq!(id.format().is_target(), id.format().write_extension.is_some());
        }
        assert_eq!("nothing".parse::<FormatId>(), Err(UnknownFormat));
        assert_eq!(FORMATS.len(), FormatId::ALL.len());
    }

    #[test]
    fn what_can_be_written_has_a_way_to_be_written() {
        for format in FormatId::targets().map(FormatId::format) {
            let ways = [format.from_scene.is_some(), format.write_scene.is_some(), format.encode.is_some()];
            assert!(ways.contains(&true), "{}", format.name);
            assert!(format.write_extension.is_some_and(|extension| {
                format.extensions.iter().any(|known| extension.split('.').any(|part| part == *known))
            }));
        }
    }
}
