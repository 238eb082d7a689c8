//! Models to the scene and back.
//!
//! Every node of the model is a node of the scene of the same name, every geoset a mesh, every sequence a clip. A node stands at
//! its pivot. What the scene has no word for is in extras under `mdx`: fields of records, keys outside of every sequence, and by
//! how many steps of the last bit numbers differ from what the scene's numbers give.

mod binding;
mod curve;
mod extra;
mod from;
mod squad;
mod to;
mod vocabulary;
mod weights;
mod window;

use crate::Version;

/// Z up and facing X becomes Y up and facing Z.
const AXES: [f32; 4] = [-0.5, -0.5, -0.5, 0.5];

/// Metres of one unit: an inch in Warcraft III, a yard in World of Warcraft.
fn unit(version: Version) -> f32 {
    if version.is_wow() { 0.9144 } else { 0.0254 }
}

/// Choices of [`Model::from_scene`](crate::Model::from_scene).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The version to convert the model to; `None` for that of the scene, or else 800.
    pub version: Option<Version>,
}

impl SceneOptions {
    /// Returns the same options with this version.
    #[must_use]
    pub fn with_version(self, version: impl Into<Option<Version>>) -> Self {
        SceneOptions { version: version.into() }
    }
}
