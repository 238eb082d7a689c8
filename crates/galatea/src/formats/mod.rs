//! The table of formats. A new format adds a file here and a line to [`FORMATS`].

mod bwm;
mod fmdl;

use crate::Format;

/// Every format, in the order in which detection tries them.
pub static FORMATS: &[&Format] = &[&bwm::FORMAT, &fmdl::FORMAT];

/// Makes a format's own document type a [`Document`](crate::Document): all but a few things is the same for
/// every format.
macro_rules! document {
    ($type:ty, $format:expr, write: $write:expr, scene: $scene:expr) => {
        impl crate::Document for $type {
            fn format(&self) -> &'static crate::Format {
                $format
            }

            fn summary(&self) -> galatea_wire::Summary {
                <$type>::summary(self)
            }

            fn write(&self) -> galatea_wire::Result<crate::Output> {
                let write: fn(&$type) -> galatea_wire::Result<crate::Output> = $write;
                write(self)
            }

            fn check(&self) -> galatea_wire::Report {
                <$type>::check(self)
            }

            fn fix(&mut self, wanted: &dyn Fn(&galatea_wire::Rule) -> bool) -> Vec<galatea_wire::Fixed> {
                <$type>::fix(self, wanted)
            }

            fn differences(&self, other: &dyn crate::Document) -> Option<Vec<String>> {
                Some(<$type>::differences(self, other.as_any().downcast_ref()?))
            }

            fn to_scene(&self, context: &crate::SceneContext<'_>) -> Option<galatea_scene::Scene> {
                let scene: fn(&$type, &crate::SceneContext<'_>) -> Option<galatea_scene::Scene> = $scene;
                scene(self, context)
            }

            fn as_any(&self) -> &dyn std::any::Any {
                self
            }

            fn as_any_mut(&mut self) -> &mut dyn std::any::Any {
                self
            }
        }
    };
}
use document;
