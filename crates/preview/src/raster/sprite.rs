//! Sprites: quads shaded once per pixel and blended in display values.

use wide::f32x4;

use super::Triangle;
use crate::style::Blend;

impl Triangle<'_> {
    /// Blends the part of a sprite inside a tile whose pixels are display values. All samples of a pixel get one color; they are
    /// covered and hidden one by one.
    pub(super) fn fill_sprite(
        &self,
        tile: [usize; 2],
        sides: [usize; 2],
        pixels: &mut [[f32; 4]],
        depth: &mut [f32],
    ) {
        self.cover(tile, sides, depth, |covered, _| {
            let Some(source) = self.sprite_color(covered.weights) else { return };
            let source = Source::new(self.paint.blend, source);
            for (place, _) in covered.samples.iter().take(covered.count) {
                if let Some(pixel) = pixels.get_mut(*place as usize) {
                    *pixel = source.over(*pixel);
                }
            }
        });
    }

    /// Returns the color of a sprite in display values; `None` where its mask leaves it out.
    fn sprite_color(&self, [wa, wb, wc]: [f32; 3]) -> Option<[f32; 4]> {
        let [a, b, c] = [&self.corners[0].values, &self.corners[1].values, &self.corners[2].values];
        let [_, _, _, r, g, b2, alpha, ..] = *a;
        let [.., ua, va, _, _] = *a;
        let [.., ub, vb, _, _] = *b;
        let [.., uc, vc, _, _] = *c;
        let uv = [wa * ua + wb * ub + wc * uc, wa * va + wb * vb + wc * vc];
        let texel = match self.paint.texture {
            Some(texture) => {
                let light = texture.sample(uv, self.paint.wrap, self.level);
                let [.., alpha] = light;
                let [r, g, b, _] = f32x4::new(light).sqrt().to_array();
                [r, g, b, alpha]
            }
            None => dot(uv, self.paint.blend),
        };
        let [tr, tg, tb, ta] = texel;
        let color = [r * tr, g * tg, b2 * tb, (alpha * ta).clamp(0.0, 1.0)];
        match self.paint.blend {
            Blend::Mask(cutoff) if color[3] < cutoff => None,
            // As in the games, pixels that are almost invisible are left out.
            Blend::Multiply(_) if color[3] < 0.02 => None,
            _ => Some(color),
        }
    }
}

/// Returns the stand-in for a texture: a soft round spot.
fn dot([u, v]: [f32; 2], blend: Blend) -> [f32; 4] {
    let (x, y) = (u - 0.5, v - 0.5);
    let spot = (1.0 - 4.0 * (x * x + y * y)).max(0.0);
    let spot = spot * spot;
    match blend {
        Blend::Multiply(factor) => {
            let value = (1.0 - 0.5 * spot) / factor;
            [value, value, value, 1.0]
        }
        Blend::Mask(_) => [1.0, 1.0, 1.0, if spot > 0.0 { 1.0 } else { 0.0 }],
        _ => [1.0, 1.0, 1.0, spot],
    }
}

/// What a sprite does to the pixels below it, in display values.
enum Source {
    /// Keeps a part of the pixel and adds the rest.
    Over(f32x4, f32x4),
    /// Adds; light over a transparent background is as opaque as it is bright.
    Add([f32; 4]),
    Multiply([f32; 3]),
}

impl Source {
    #[inline]
    fn new(blend: Blend, [r, g, b, alpha]: [f32; 4]) -> Source {
        match blend {
            Blend::Add => {
                let bright = (r.max(g).max(b) * alpha).clamp(0.0, 1.0);
                Source::Add([r * alpha, g * alpha, b * alpha, bright])
            }
            Blend::Multiply(factor) => Source::Multiply([r * factor, g * factor, b * factor]),
            _ => {
                let part = [r.min(1.0) * alpha, g.min(1.0) * alpha, b.min(1.0) * alpha, alpha];
                Source::Over(f32x4::new(part), f32x4::splat(1.0 - alpha))
            }
        }
    }

    #[inline]
    fn over(&self, pixel: [f32; 4]) -> [f32; 4] {
        let [r, g, b, a] = pixel;
        match *self {
            Source::Over(part, keep) => (part + f32x4::new(pixel) * keep).to_array(),
            Source::Add([sr, sg, sb, sa]) => {
                [(r + sr).min(1.0), (g + sg).min(1.0), (b + sb).min(1.0), a.max(sa)]
            }
            Source::Multiply([sr, sg, sb]) => [(r * sr).min(1.0), (g * sg).min(1.0), (b * sb).min(1.0), a],
        }
    }
}
