//! Sprites: quads shaded once per pixel and blended in display values.

use wide::f32x4;

use super::{Covered, TILE, Triangle};
use crate::style::Blend;

impl Triangle<'_> {
    /// Blends the part of a sprite inside a tile whose pixels are display values. All samples of a pixel get one color; they are
    /// covered and hidden one by one.
    pub(super) fn fill_sprite<const N: usize>(
        &self,
        tile: [usize; 2],
        side: usize,
        pixels: &mut [[f32; 4]],
        depth: &mut [f32],
    ) {
        let sampler = self.paint.texture.map(|texture| texture.sampler(self.paint.wrap, self.level));
        // A sprite has one color, which is finite.
        let [_, _, _, r, g, b, alpha, ..] = self.corners[0].values;
        let color = f32x4::new([r, g, b, alpha]);
        let [a, b, c] = &self.corners;
        let [a, b, c] = [a, b, c].map(|corner| {
            let [u, v] = corner.uv();
            f32x4::new([u, v, u, v])
        });
        let blend = self.paint.blend;
        self.cover::<N>(tile, side, depth, |covered, _| {
            let [wa, wb, wc] = covered.weights;
            let uv = f32x4::splat(wa) * a + f32x4::splat(wb) * b + f32x4::splat(wc) * c;
            let texel = match &sampler {
                Some(sampler) => {
                    let light = sampler.sample(uv);
                    // Opacity is no light.
                    OPACITY.select(light, light.sqrt())
                }
                None => dot(uv, blend),
            };
            let color = color * texel;
            let [r, g, b, alpha] = color.to_array();
            let alpha = alpha.clamp(0.0, 1.0);
            let whole = f32x4::splat(alpha);
            match blend {
                Blend::Mask(cutoff) if alpha < cutoff => {}
                // Adds; light over a transparent background is as opaque as it is bright.
                Blend::Add => {
                    let add = (color * whole) & !OPACITY;
                    let bright = (r.max(g).max(b) * alpha).clamp(0.0, 1.0);
                    let (least, one) = (f32x4::new([0.0, 0.0, 0.0, bright]), f32x4::splat(1.0));
                    on_covered(covered, pixels, |pixel| (pixel + add).fast_min(one).fast_max(least));
                }
                // As in the games, pixels that are almost invisible are left out.
                Blend::Multiply(_) if alpha < 0.02 => {}
                Blend::Multiply(factor) => {
                    let times = OPACITY.select(f32x4::splat(1.0), color * f32x4::splat(factor));
                    on_covered(covered, pixels, |pixel| (pixel * times).fast_min(f32x4::splat(1.0)));
                }
                // Keeps a part of the pixel and adds the rest.
                _ => {
                    let part = OPACITY.select(whole, color.fast_min(f32x4::splat(1.0)) * whole);
                    let keep = f32x4::splat(1.0 - alpha);
                    on_covered(covered, pixels, |pixel| part + pixel * keep);
                }
            }
        });
    }
}

/// Selects the opacity of a color.
const OPACITY: f32x4 = f32x4::new([0.0, 0.0, 0.0, f32::from_bits(u32::MAX)]);

/// Returns the stand-in for a texture: a soft round spot.
fn dot(uv: f32x4, blend: Blend) -> f32x4 {
    let [u, v, ..] = uv.to_array();
    let (x, y) = (u - 0.5, v - 0.5);
    let spot = (1.0 - 4.0 * (x * x + y * y)).max(0.0);
    let spot = spot * spot;
    f32x4::new(match blend {
        Blend::Multiply(factor) => {
            let value = (1.0 - 0.5 * spot) / factor;
            [value, value, value, 1.0]
        }
        Blend::Mask(_) => [1.0, 1.0, 1.0, if spot > 0.0 { 1.0 } else { 0.0 }],
        _ => [1.0, 1.0, 1.0, spot],
    })
}

/// Changes the covered samples of a pixel.
#[inline(always)]
fn on_covered<const N: usize>(
    covered: &Covered<N>,
    pixels: &mut [[f32; 4]],
    change: impl Fn(f32x4) -> f32x4,
) {
    if covered.mask == Covered::<N>::ALL {
        for y in 0..N {
            let from = covered.place + y * TILE;
            let row = pixels.get_mut(from..from + N).and_then(|row| row.first_chunk_mut::<N>());
            row.into_iter().flatten().for_each(|pixel| *pixel = change(f32x4::new(*pixel)).to_array());
        }
    } else {
        covered.each(|place, _| {
            if let Some(pixel) = pixels.get_mut(place) {
                *pixel = change(f32x4::new(*pixel)).to_array();
            }
        });
    }
}
