//! Sprites: quads shaded once per pixel and blended in display values.

use super::{Blend, TILE, Triangle};

impl Triangle<'_> {
    /// Blends the part of a sprite inside a tile whose pixels are display values. All samples of a pixel get one color; they are
    /// covered and hidden one by one.
    pub(super) fn fill_sprite(
        &self,
        left: usize,
        top: usize,
        samples: usize,
        pixels: &mut [[f32; 4]],
        depth: &[f32],
    ) {
        let (x0, x1, y0, y1) = self.span(left, top);
        if x0 >= x1 || y0 >= y1 {
            return;
        }
        let [side_a, side_b, side_c] = self.sides(x0, y0);
        let inverse = self.corners.map(|corner| 1.0 / corner.clip[2]);
        let whole = 1.0 / self.area as f64;
        let step = samples as i64;
        let at = |(value, across, down, _): super::Side, x: i64, y: i64| value + across * x + down * y;
        let inside = |side: super::Side, x: i64, y: i64| at(side, x, y) >= side.3;
        // Blocks of samples that make up a pixel of the image.
        for block_y in (y0 / step * step..y1).step_by(samples) {
            for block_x in (x0 / step * step..x1).step_by(samples) {
                let mut source = None;
                for y in block_y.max(y0)..(block_y + step).min(y1) {
                    for x in block_x.max(x0)..(block_x + step).min(x1) {
                        let (column, row) = (x - x0, y - y0);
                        if ![side_a, side_b, side_c].iter().all(|side| inside(*side, column, row)) {
                            continue;
                        }
                        let share = [side_a, side_b, side_c].map(|side| at(side, column, row) as f64 * whole);
                        let z = share[0] * inverse[0] + share[1] * inverse[1] + share[2] * inverse[2];
                        let place = (y as usize - top) * TILE + (x as usize - left);
                        if depth.get(place).is_none_or(|depth| (z as f32) < *depth) {
                            continue;
                        }
                        let weights = || {
                            [share[0] * inverse[0], share[1] * inverse[1], share[2] * inverse[2]]
                                .map(|w| w / z)
                        };
                        let source = source.get_or_insert_with(|| self.sprite_color(weights()));
                        if let (Some(source), Some(pixel)) = (source, pixels.get_mut(place)) {
                            blend(self.paint.blend, *source, pixel);
                        }
                    }
                }
            }
        }
    }

    /// Returns the color of a sprite in display values; `None` where its mask leaves it out.
    fn sprite_color(&self, [wa, wb, wc]: [f64; 3]) -> Option<[f32; 4]> {
        let [a, b, c] = [&self.corners[0].values, &self.corners[1].values, &self.corners[2].values];
        let (wa, wb, wc) = (wa as f32, wb as f32, wc as f32);
        let [_, _, _, r, g, b2, alpha, ..] = *a;
        let [.., ua, va, _, _] = *a;
        let [.., ub, vb, _, _] = *b;
        let [.., uc, vc, _, _] = *c;
        let uv = [wa * ua + wb * ub + wc * uc, wa * va + wb * vb + wc * vc];
        let texel = match self.paint.texture {
            Some(texture) => {
                let [tr, tg, tb, ta] = texture.sample(uv, self.paint.wrap, self.level);
                [tr.sqrt(), tg.sqrt(), tb.sqrt(), ta]
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

/// Blends a color over a pixel, both in display values.
fn blend(blend: Blend, [r, g, b, alpha]: [f32; 4], pixel: &mut [f32; 4]) {
    let [pr, pg, pb, opacity] = pixel;
    match blend {
        Blend::Add => {
            *pr = (*pr + r * alpha).min(1.0);
            *pg = (*pg + g * alpha).min(1.0);
            *pb = (*pb + b * alpha).min(1.0);
            // Light over a transparent background is as opaque as it is bright.
            *opacity = opacity.max((r.max(g).max(b) * alpha).clamp(0.0, 1.0));
        }
        Blend::Multiply(factor) => {
            for (value, source) in [(pr, r), (pg, g), (pb, b)] {
                *value = (*value * source * factor).min(1.0);
            }
        }
        _ => {
            let keep = 1.0 - alpha;
            *pr = r.min(1.0) * alpha + *pr * keep;
            *pg = g.min(1.0) * alpha + *pg * keep;
            *pb = b.min(1.0) * alpha + *pb * keep;
            *opacity = alpha + *opacity * keep;
        }
    }
}
