//! The table of formats. A new format adds a file here and a line to [`FORMATS`].

mod bwm;
mod bwm_ascii;
mod fmdl;
mod gltf;
mod kotor_ascii;
mod kotor_mdl;
mod mdl;
mod mdx;
mod texture;

pub use bwm_ascii::AsciiWalkmesh;
pub use gltf::{Gltf, GltfText};
pub use kotor_ascii::AsciiModel;
pub use mdl::MdlText;
pub use texture::TextureFile;
pub(crate) use texture::companions;

use crate::Format;

/// Every format, in the order in which detection tries them. Textures come last: some have no magic.
pub static FORMATS: &[&Format] = &[
    &bwm::FORMAT,
    &bwm_ascii::FORMAT,
    &kotor_mdl::FORMAT,
    &kotor_ascii::FORMAT,
    &mdx::FORMAT,
    &mdl::FORMAT,
    &fmdl::FORMAT,
    &gltf::GLB,
    &gltf::GLTF,
    &texture::DDS,
    &texture::BLP,
    &texture::FTEX,
    &texture::PNG,
    &texture::JPEG,
    &texture::WESYS,
    &texture::TPC,
    &texture::BIOWARE,
    &texture::TGA,
    &texture::TXI,
];

/// Makes a document type a [`Document`](crate::Document). `$inner` is the format's own type, which a text form shares with
/// its binary form; all but writing and the scene is the same for every format.
macro_rules! document {
    ($type:ty as $inner:ty, $format:expr, inner: $get:expr, $get_mut:expr, write: $write:expr, scene: $scene:expr $(,)?) => {
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

            fn to_scene(&self, context: &crate::SceneContext<'_>) -> Option<galatea_scene::Scene> {
                type Turn = fn(&$inner, &crate::SceneContext<'_>) -> Option<galatea_scene::Scene>;
                let (get, scene): (fn(&$type) -> &$inner, Turn) = ($get, $scene);
                scene(get(self), context)
            }

            fn as_any(&self) -> &dyn std::any::Any {
                let get: fn(&$type) -> &$inner = $get;
                get(self)
            }

            fn as_any_mut(&mut self) -> &mut dyn std::any::Any {
                let get: fn(&mut $type) -> &mut $inner = $get_mut;
                get(self)
            }
        }
    };
    ($type:ty, $format:expr, write: $write:expr, scene: $scene:expr $(,)?) => {
        document!($type as $type, $format, inner: |d| d, |d| d, write: $write, scene: $scene);
    };
}
use document;
