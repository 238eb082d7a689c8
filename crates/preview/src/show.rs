//! What an image shows besides the look of a model.

use std::str::FromStr;

use galatea_scene::{Scene, Surface, Vertices};

use crate::Options;

/// One thing that an image shows besides a model, or in place of its materials.
///
/// ```
/// use galatea_preview::{Options, Show};
/// let show: Show = "lod:1".parse()?;
/// assert_eq!(show.apply(Options::default()).level, 1);
/// assert!("bones".parse::<Show>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Show {
    /// Data of the surface: `normals`, `uv`, `masks` or `weights:BONE`.
    Surface(SurfaceView),
    /// A level of detail: `lod:1`.
    Level(u32),
    /// Walk and collision surfaces: `walk`.
    Walk,
    /// The bounding box: `bounds`.
    Bounds,
    /// The bones: `skeleton`.
    Skeleton,
    /// The edges of all triangles: `wire`.
    Wire,
}

impl Show {
    /// Adds it to the options of an image.
    pub fn apply(&self, look: Options) -> Options {
        match self {
            Show::Surface(view) => look.with_surface(view.clone()),
            Show::Level(level) => look.with_level(*level),
            Show::Walk => look.with_walk(true),
            Show::Bounds => look.with_bounds(true),
            Show::Skeleton => look.with_skeleton(true),
            Show::Wire => look.with_wire(true),
        }
    }
}

impl FromStr for Show {
    type Err = String;

    fn from_str(text: &str) -> Result<Show, String> {
        let (word, of) = text.split_once(':').map_or((text, None), |(word, of)| (word, Some(of)));
        match (word.to_ascii_lowercase().as_str(), of) {
            ("normals", None) => Ok(Show::Surface(SurfaceView::Normals)),
            ("uv", None) => Ok(Show::Surface(SurfaceView::Uv)),
            ("masks", None) => Ok(Show::Surface(SurfaceView::Masks)),
            ("weights", Some(bone)) => Ok(Show::Surface(SurfaceView::Weights(bone.to_owned()))),
            ("weights", None) => Err("needs the name of a bone, such as weights:Bone_Head".into()),
            ("lod", Some(level)) => {
                level.parse().map(Show::Level).map_err(|_| format!("`{level}` is not a level"))
            }
            ("lod", None) => Err("needs the number of a level, such as lod:1".into()),
            ("walk", None) => Ok(Show::Walk),
            ("bounds", None) => Ok(Show::Bounds),
            ("skeleton", None) => Ok(Show::Skeleton),
            ("wire", None) => Ok(Show::Wire),
            _ => Err("can be normals, uv, weights:BONE, lod:N, masks, walk, bounds, skeleton or wire".into()),
        }
    }
}

/// What the color of a surface shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SurfaceView {
    /// Its materials.
    #[default]
    Shaded,
    /// Its normals: x, y and z of the scene as red, green and blue.
    Normals,
    /// Its texture coordinates: a checkerboard of an eighth of the texture, red across and green down, again in each repetition.
    Uv,
    /// The weight of the joint with this name: from blue for none through green to red for all.
    Weights(String),
    /// Its vertex colors, which some engines use as masks.
    Masks,
}

impl SurfaceView {
    /// Returns the color of each vertex, in linear light; `None` to shade the surface as it is.
    pub fn colors(&self, scene: &Scene, surface: &Surface, vertices: &Vertices) -> Option<Vec<[f32; 4]>> {
        let count = surface.deformed.positions.len();
        let grey = |_: usize| [0.3, 0.3, 0.3, 1.0];
        let light = |v: f32| (v * 0.5 + 0.5) * (v * 0.5 + 0.5);
        Some(match self {
            SurfaceView::Shaded => return None,
            SurfaceView::Normals => {
                let normals = &surface.deformed.normals;
                let of = |i: usize| normals.get(i).map(|[x, y, z]| [light(*x), light(*y), light(*z), 1.0]);
                (0..count).map(|i| of(i).unwrap_or_else(|| grey(i))).collect()
            }
            // Drawn pixel by pixel.
            SurfaceView::Uv if vertices.uvs.iter().any(|set| !set.is_empty()) => vec![[1.0; 4]; count],
            SurfaceView::Uv => (0..count).map(grey).collect(),
            SurfaceView::Weights(name) => {
                let skin = scene.node(surface.node).and_then(|n| scene.skins.get(n.skin? as usize));
                let named = |id: &u32| scene.node(*id).is_some_and(|n| n.name.eq_ignore_ascii_case(name));
                let joint = skin.and_then(|s| s.joints.iter().position(named));
                let share = |i: usize| {
                    let weights = vertices.influences.of(i).filter(|(j, _)| Some(usize::from(*j)) == joint);
                    weights.map(|(_, w)| w).sum::<f32>()
                };
                (0..count).map(|i| heat(share(i))).collect()
            }
            SurfaceView::Masks => {
                let colors = vertices.colors.first();
                let of = |i: usize| colors.and_then(|set| set.get(i)).map(|[r, g, b, _]| [*r, *g, *b, 1.0]);
                (0..count).map(|i| of(i).unwrap_or_else(|| grey(i))).collect()
            }
        })
    }
}

/// Returns the color of a texture coordinate, in linear light.
pub(crate) fn coordinates([u, v]: [f32; 2]) -> [f32; 3] {
    let within = |t: f32| if t.is_finite() { t - t.floor() } else { 0.0 };
    let (u, v) = (within(u), within(v));
    let light = if ((u * 8.0) as u32 + (v * 8.0) as u32).is_multiple_of(2) { 1.0 } else { 0.55 };
    [u * light, v * light, 0.2 * light]
}

/// Returns the color of a weight: blue for 0, green for a half, red for 1.
fn heat(weight: f32) -> [f32; 4] {
    let w = weight.clamp(0.0, 1.0) * 2.0;
    if w < 1.0 { [0.02, w * 0.8, 0.5 * (1.0 - w) + 0.02, 1.0] } else { [w - 1.0, 0.8 * (2.0 - w), 0.02, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_red_across_and_green_down_and_repeat() {
        assert_eq!(coordinates([0.75, 0.25]), [0.75, 0.25, 0.2]);
        assert_eq!(coordinates([-0.25, 3.25]), coordinates([0.75, 0.25]));
        assert_eq!(coordinates([0.875, 0.25]), [0.875 * 0.55, 0.25 * 0.55, 0.2 * 0.55]);
        assert_eq!(coordinates([f32::NAN, f32::INFINITY]), [0.0, 0.0, 0.2]);
    }

    #[test]
    fn weights_go_from_blue_to_red() {
        let strongest = |w: f32| {
            let [r, g, b, _] = heat(w);
            [r, g, b].iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i)
        };
        assert_eq!([0.0, 0.5, 1.0].map(strongest), [Some(2), Some(1), Some(0)]);
    }
}
