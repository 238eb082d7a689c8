//! Views of a surface that show its data instead of its look.

use galatea_scene::{Scene, Surface, Vertices};

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
    pub(crate) fn colors(
        &self,
        scene: &Scene,
        surface: &Surface,
        vertices: &Vertices,
    ) -> Option<Vec<[f32; 4]>> {
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
