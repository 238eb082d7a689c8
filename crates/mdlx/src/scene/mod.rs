//! Conversion to the scene ([`to`]) and from it ([`from`]), and what both share.
//!
//! Every node of the model is a node of the scene with the same name, every geoset a mesh, every sequence a clip. A node is at
//! its pivot. What the scene cannot express is stored in extras under `mdx`: fields of records, keys outside every sequence, and
//! the differences, in ULPs, from the numbers that the scene's values give.

mod around;
mod binding;
mod curve;
mod extra;
mod fields;
mod from;
mod squad;
mod to;
mod vocabulary;
mod weights;
mod window;

use crate::{GroupWeights, Version};

pub(crate) use to::is_hd;
pub(crate) use vocabulary::{texture_name, wrap_of};

/// The rotation from Z up, facing X, to Y up, facing Z.
const AXES: [f32; 4] = [-0.5, -0.5, -0.5, 0.5];

/// Metres of one unit: an inch in Warcraft III, a yard in World of Warcraft.
fn unit(version: Version) -> f32 {
    if version.is_wow() { 0.9144 } else { 0.0254 }
}

/// Options of [`Model::from_scene`](crate::Model::from_scene).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The version to convert the model to; `None` for that of the scene, or else 800.
    pub version: Option<Version>,
    /// How skin weights become matrix groups.
    pub weights: GroupWeights,
}

impl SceneOptions {
    /// Returns the same options with this version.
    #[must_use]
    pub fn with_version(self, version: impl Into<Option<Version>>) -> Self {
        SceneOptions { version: version.into(), ..self }
    }

    /// Returns the same options with this way to make matrix groups.
    #[must_use]
    pub fn with_weights(self, weights: GroupWeights) -> Self {
        SceneOptions { weights, ..self }
    }
}
