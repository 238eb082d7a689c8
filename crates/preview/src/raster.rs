//! The rasterizer: fixed-point edge functions with a top-left rule, a depth buffer, perspective-correct attributes. Tiles are
//! independent, so the pixels are the same with any number of threads.

use std::collections::HashMap;

use galatea_scene::Wrap;

use crate::texture::Texture;

/// Width and height of a tile in pixels.
const TILE: usize = 64;
/// Subpixel precision: 8 bits.
const SUB: f64 = 256.0;
/// Maximum distance from the center of the image in pixels; triangles are clipped to it.
const GUARD: f64 = 16384.0;

/// Number of interpolated attributes: light (3), color and opacity (4), texture and lightmap coordinates (2 each).
pub(crate) type Values = [f32; 11];

/// A vertex after projection: clip position and attributes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Corner {
    /// Clip coordinates x, y, w; depth is 1 / w.
    pub(crate) clip: [f64; 3],
    pub(crate) values: Values,
}

impl Corner {
    fn between(&self, other: &Corner, t: f64) -> Corner {
        let mut out = *self;
        for (value, other) in out.clip.iter_mut().zip(other.clip) {
            *value += (other - *value) * t;
        }
        for (value, other) in out.values.iter_mut().zip(other.values) {
            *value += (other - *value) * t as f32;
        }
        out
    }

    fn uv(&self) -> [f32; 2] {
        [self.values[7], self.values[8]]
    }
}

/// How a fragment is blended with the pixel behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Blend {
    Opaque,
    /// Opaque where alpha reaches the cutoff.
    Mask(f32),
    Alpha,
    Add,
    /// The pixel behind, multiplied by the color and a factor.
    Multiply(f32),
}

/// How the pixels of a triangle are shaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint<'a> {
    pub(crate) texture: Option<&'a Texture>,
    /// Wrap mode of the texture.
    pub(crate) wrap: [Wrap; 2],
    /// Lightmap and its wrap mode.
    pub(crate) lightmap: Option<(&'a Texture, [Wrap; 2])>,
    /// Emissive texture, if there is one.
    pub(crate) glow: Option<&'a Texture>,
    /// Whether a faint checkerboard replaces a missing texture.
    pub(crate) checker: bool,
    pub(crate) blend: Blend,
    pub(crate) unlit: bool,
    /// Emissive color.
    pub(crate) emissive: [f32; 3],
    /// Whether emissive light is multiplied by the texture like other light; otherwise it is added.
    pub(crate) glows: bool,
    /// Drawn over everything.
    pub(crate) on_top: bool,
    /// A sprite: shaded once per pixel, blended in display values as the games do, and hiding nothing.
    pub(crate) sprite: bool,
}

impl Paint<'static> {
    /// Returns the shading with vertex colors only, opaque and unlit.
    pub(crate) const PLAIN: Self = Paint {
        texture: None,
        wrap: [Wrap::Repeat; 2],
        lightmap: None,
        glow: None,
        checker: false,
        blend: Blend::Opaque,
        unlit: true,
        emissive: [0.0; 3],
        glows: false,
        on_top: false,
        sprite: false,
    };
}

impl Paint<'_> {
    /// Returns `true` if both give every pixel the same color.
    fn is_same(&self, other: &Paint<'_>) -> bool {
        let lightmap =
            |paint: &Paint<'_>| paint.lightmap.map(|(texture, wrap)| (std::ptr::from_ref(texture), wrap));
        let images = |paint: &Paint<'_>| [paint.texture, paint.glow].map(|t| t.map(std::ptr::from_ref));
        let flags = |paint: &Paint<'_>| [paint.checker, paint.unlit, paint.glows, paint.on_top, paint.sprite];
        images(self) == images(other)
            && lightmap(self) == lightmap(other)
            && flags(self) == flags(other)
            && (self.wrap, self.blend, self.emissive) == (other.wrap, other.blend, other.emissive)
    }
}

/// A triangle ready to be drawn, with vertices in pixels.
struct Triangle<'a> {
    corners: [Corner; 3],
    /// Pixel positions in 1/256.
    fixed: [[i64; 2]; 3],
    paint: Paint<'a>,
    /// Mip level of the texture.
    level: usize,
    area: i64,
}

/// Collects triangles and lines, then draws them tile by tile.
pub(crate) struct Raster<'a> {
    width: usize,
    height: usize,
    /// Samples of a pixel of the final image, across and down.
    samples: usize,
    triangles: Vec<Triangle<'a>>,
    bins: Vec<Vec<u32>>,
    across: usize,
}

impl<'a> Raster<'a> {
    pub(crate) fn new(width: usize, height: usize, samples: usize) -> Self {
        let across = width.div_ceil(TILE);
        let bins = vec![Vec::new(); across * height.div_ceil(TILE)];
        Raster { width, height, samples, triangles: Vec::new(), bins, across }
    }

    /// Returns the number of visible triangles.
    pub(crate) fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Adds a triangle that is at least partly in front of the near plane. With `cull`, back faces are dropped.
    pub(crate) fn triangle(&mut self, corners: [Corner; 3], paint: Paint<'a>, cull: bool, near: f64) {
        if corners.iter().any(|c| c.clip.iter().any(|v| !v.is_finite())) {
            return;
        }
        // Clipped at the near plane and at the range of fixed-point numbers.
        let reach = self.reach();
        let planes: [&dyn Fn(&Corner) -> f64; 5] = [
            &|c| c.clip[2] - near,
            &|c| c.clip[2] * reach - c.clip[0],
            &|c| c.clip[2] * reach + c.clip[0],
            &|c| c.clip[2] * reach - c.clip[1],
            &|c| c.clip[2] * reach + c.clip[1],
        ];
        if planes.iter().all(|plane| corners.iter().all(|c| plane(c) >= 0.0)) {
            return self.clipped(corners, paint, cull);
        }
        let mut polygon: Vec<Corner> = corners.to_vec();
        for plane in planes {
            if polygon.iter().all(|c| plane(c) >= 0.0) {
                continue;
            }
            let mut kept = Vec::with_capacity(polygon.len() + 1);
            for (from, to) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
                let (a, b) = (plane(from), plane(to));
                if a >= 0.0 {
                    kept.push(*from);
                }
                if (a >= 0.0) != (b >= 0.0) {
                    kept.push(from.between(to, a / (a - b)));
                }
            }
            polygon = kept;
        }
        let Some((first, rest)) = polygon.split_first() else { return };
        for pair in rest.windows(2) {
            if let [second, third] = pair {
                self.clipped([*first, *second, *third], paint, cull);
            }
        }
    }

    /// Returns how far from the center a corner may be, in halves of the image, to have fixed-point coordinates.
    fn reach(&self) -> f64 {
        GUARD / self.width.max(self.height) as f64
    }

    fn clipped(&mut self, corners: [Corner; 3], paint: Paint<'a>, cull: bool) {
        let (half_width, half_height) = (self.width as f64 / 2.0, self.height as f64 / 2.0);
        let reach = self.reach();
        let place = |c: &Corner| {
            // A corner cut from a triangle of 10^30 pixels is only near the plane that cut it.
            let [x, y] = [c.clip[0] / c.clip[2], c.clip[1] / c.clip[2]].map(|v| v.clamp(-reach, reach));
            [((x + 1.0) * half_width * SUB).round() as i64, ((1.0 - y) * half_height * SUB).round() as i64]
        };
        let mut corners = corners;
        let mut fixed = [place(&corners[0]), place(&corners[1]), place(&corners[2])];
        let edge = |[ax, ay]: [i64; 2], [bx, by]: [i64; 2], [px, py]: [i64; 2]| {
            (bx - ax) * (py - ay) - (by - ay) * (px - ax)
        };
        // Rows go down, so a front face (counter-clockwise) has a negative area here.
        let mut area = -edge(fixed[0], fixed[1], fixed[2]);
        if area == 0 || area < 0 && cull {
            return;
        }
        if area < 0 {
            corners.swap(1, 2);
            fixed.swap(1, 2);
            area = -area;
        }
        let bound = |values: [i64; 3], most: usize| {
            let (low, high) = values.iter().fold((i64::MAX, i64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            let low = (low >> 8).clamp(0, most as i64);
            let high = ((high >> 8) + 1).clamp(0, most as i64);
            (low as usize, high as usize)
        };
        let (left, right) = bound(fixed.map(|[x, _]| x), self.width);
        let (top, bottom) = bound(fixed.map(|[_, y]| y), self.height);
        if left >= right || top >= bottom {
            return;
        }
        let level = paint.texture.map_or(0, |t| {
            let uv = [corners[0].uv(), corners[1].uv(), corners[2].uv()];
            t.level(uv, area as f64 / (2.0 * SUB * SUB))
        });
        let index = self.triangles.len() as u32;
        self.triangles.push(Triangle { corners, fixed, paint, level, area });
        for row in top / TILE..=(bottom - 1) / TILE {
            for column in left / TILE..=(right - 1) / TILE {
                if let Some(bin) = self.bins.get_mut(row * self.across + column) {
                    bin.push(index);
                }
            }
        }
    }

    /// Marks opaque triangles that are added again later, because the later one overwrites them. A file with thousands of meshes
    /// in one place would otherwise fill the image thousands of times.
    fn overwritten(&self) -> Vec<bool> {
        let mut overwritten = vec![false; self.triangles.len()];
        let mut later: HashMap<&[[i64; 2]; 3], &Triangle<'_>> = HashMap::new();
        for (triangle, flag) in self.triangles.iter().zip(&mut overwritten).rev() {
            if matches!(triangle.paint.blend, Blend::Opaque | Blend::Mask(_)) && !triangle.paint.sprite {
                let copy = later.insert(&triangle.fixed, triangle);
                *flag = copy.is_some_and(|copy| {
                    copy.corners == triangle.corners && copy.paint.is_same(&triangle.paint)
                });
            }
        }
        overwritten
    }

    /// Draws everything over a background in the order of addition, in linear light, premultiplied.
    pub(crate) fn draw(&self, background: [f32; 4]) -> Vec<[f32; 4]> {
        let overwritten = self.overwritten();
        let tile = |index: usize| {
            let (column, row) = (index % self.across.max(1), index / self.across.max(1));
            let bin = self.bins.get(index).map_or(&[][..], Vec::as_slice).iter();
            let seen = bin.filter(|i| overwritten.get(**i as usize) == Some(&false));
            self.tile(column * TILE, row * TILE, seen, background)
        };
        #[cfg(feature = "threads")]
        let tiles: Vec<Vec<[f32; 4]>> = {
            use rayon::prelude::*;
            (0..self.bins.len()).into_par_iter().map(tile).collect()
        };
        #[cfg(not(feature = "threads"))]
        let tiles: Vec<Vec<[f32; 4]>> = (0..self.bins.len()).map(tile).collect();
        let mut out = vec![background; self.width * self.height];
        for (index, pixels) in tiles.iter().enumerate() {
            let (column, row) = (index % self.across.max(1) * TILE, index / self.across.max(1) * TILE);
            for (y, line) in pixels.chunks_exact(TILE).enumerate().take(self.height.saturating_sub(row)) {
                let from = (row + y) * self.width + column;
                let len = TILE.min(self.width - column);
                if let (Some(to), Some(line)) = (out.get_mut(from..from + len), line.get(..len)) {
                    to.copy_from_slice(line);
                }
            }
        }
        out
    }

    fn tile<'i>(
        &self,
        left: usize,
        top: usize,
        triangles: impl Iterator<Item = &'i u32>,
        background: [f32; 4],
    ) -> Vec<[f32; 4]> {
        let mut pixels = vec![background; TILE * TILE];
        let mut depth = vec![0f32; TILE * TILE];
        // Sprites are blended in display values; the tile is converted where they begin and end.
        let mut shown = false;
        for triangle in triangles.filter_map(|i| self.triangles.get(*i as usize)) {
            if triangle.paint.sprite != shown {
                convert(&mut pixels, triangle.paint.sprite);
                shown = triangle.paint.sprite;
            }
            if shown {
                triangle.fill_sprite(left, top, self.samples, &mut pixels, &depth);
            } else {
                triangle.fill(left, top, &mut pixels, &mut depth);
            }
        }
        if shown {
            convert(&mut pixels, false);
        }
        pixels
    }
}

/// Converts pixels from light to display values, or back.
fn convert(pixels: &mut [[f32; 4]], to_display: bool) {
    for [r, g, b, _] in pixels {
        for value in [r, g, b] {
            *value = if to_display { value.max(0.0).sqrt() } else { *value * *value };
        }
    }
}

/// Returns `true` if both are the same texture.
fn same(a: Option<&Texture>, b: Option<&Texture>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if std::ptr::eq(a, b))
}

/// The edge function of a side: its value at the center of a first pixel, its steps across and down, and its least value inside.
type Side = (i64, i64, i64, i64);

impl Triangle<'_> {
    /// Returns the edge functions of the three sides, positive inside. A pixel exactly on a side belongs to the triangle only if
    /// it is a top or left side.
    fn sides(&self, x0: i64, y0: i64) -> [Side; 3] {
        let [a, b, c] = self.fixed;
        let side = |[ax, ay]: [i64; 2], [bx, by]: [i64; 2]| {
            let (dx, dy) = (bx - ax, by - ay);
            let (px, py) = (x0 * 256 + 128, y0 * 256 + 128);
            let value = -(dx * (py - ay) - dy * (px - ax));
            let owns = dy < 0 || dy == 0 && dx < 0;
            (value, dy * 256, -dx * 256, i64::from(!owns))
        };
        [side(b, c), side(c, a), side(a, b)]
    }

    /// Returns the pixels of a tile that the triangle may cover: left, right, top, bottom.
    fn span(&self, left: usize, top: usize) -> (i64, i64, i64, i64) {
        let span = |values: [i64; 3], start: usize| {
            let (low, high) = values.iter().fold((i64::MAX, i64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            let start = start as i64;
            ((low >> 8).max(start), ((high >> 8) + 1).min(start + TILE as i64))
        };
        let (x0, x1) = span(self.fixed.map(|[x, _]| x), left);
        let (y0, y1) = span(self.fixed.map(|[_, y]| y), top);
        (x0, x1, y0, y1)
    }

    /// Fills the part of the triangle inside a tile.
    fn fill(&self, left: usize, top: usize, pixels: &mut [[f32; 4]], depth: &mut [f32]) {
        let (x0, x1, y0, y1) = self.span(left, top);
        if x0 >= x1 || y0 >= y1 {
            return;
        }
        let [(a0, ax, ay, a_least), (b0, bx, by, b_least), (c0, cx, cy, c_least)] = self.sides(x0, y0);
        let inverse = self.corners.map(|corner| 1.0 / corner.clip[2]);
        let whole = 1.0 / self.area as f64;
        for y in y0..y1 {
            let row = y - y0;
            for x in x0..x1 {
                let column = x - x0;
                let in_a = a0 + ax * column + ay * row;
                let in_b = b0 + bx * column + by * row;
                let in_c = c0 + cx * column + cy * row;
                if in_a < a_least || in_b < b_least || in_c < c_least {
                    continue;
                }
                let share = [in_a as f64 * whole, in_b as f64 * whole, in_c as f64 * whole];
                let z = share[0] * inverse[0] + share[1] * inverse[1] + share[2] * inverse[2];
                let at = (y as usize - top) * TILE + (x as usize - left);
                let (Some(pixel), Some(depth)) = (pixels.get_mut(at), depth.get_mut(at)) else { continue };
                if (z as f32) < *depth && !self.paint.on_top {
                    continue;
                }
                let [wa, wb, wc] =
                    [share[0] * inverse[0] / z, share[1] * inverse[1] / z, share[2] * inverse[2] / z]
                        .map(|w| w as f32);
                let [va, vb, vc] =
                    [&self.corners[0].values, &self.corners[1].values, &self.corners[2].values];
                let mut values = [0.0; 11];
                for (value, ((a, b), c)) in values.iter_mut().zip(va.iter().zip(vb).zip(vc)) {
                    *value = wa * a + wb * b + wc * c;
                }
                self.shade(values, z as f32, pixel, depth);
            }
        }
    }

    fn shade(&self, values: Values, z: f32, pixel: &mut [f32; 4], depth: &mut f32) {
        let paint = &self.paint;
        let [lr, lg, lb, r, g, b, a, u, v, u2, v2] = values;
        let mut colour = [r, g, b, a];
        if paint.texture.is_some() || paint.checker {
            let texel = match paint.texture {
                Some(texture) => texture.sample([u, v], paint.wrap, self.level),
                None => crate::texture::checker([u, v]),
            };
            for (value, texel) in colour.iter_mut().zip(texel) {
                *value *= texel;
            }
        }
        let mut light = if paint.unlit { [1.0; 3] } else { [lr, lg, lb] };
        let mut own = paint.emissive;
        if let Some((lightmap, wrap)) = paint.lightmap {
            // A lightmap replaces our light. As in the games, emissive light is added to it in display values and clamped to 1.
            let [lr, lg, lb, _] = lightmap.sample([u2, v2], wrap, 0);
            for ((light, baked), own) in light.iter_mut().zip([lr, lg, lb]).zip(&mut own) {
                let sum = (baked.sqrt() + *own).min(1.0);
                (*light, *own) = (sum * sum, 0.0);
            }
        } else if paint.glows || same(paint.glow, paint.texture) {
            // Textured emissive surfaces are lit fully at most.
            for (light, own) in light.iter_mut().zip(&mut own) {
                (*light, *own) = (*light + *own * (1.0 - *light).max(0.0), 0.0);
            }
        } else if let Some(glow) = paint.glow {
            let texel = glow.sample([u, v], paint.wrap, 0);
            for (own, texel) in own.iter_mut().zip(texel) {
                *own *= texel;
            }
        }
        for ((value, light), own) in colour.iter_mut().zip(light).zip(own) {
            *value = *value * light + own;
        }
        let alpha = colour[3].clamp(0.0, 1.0);
        let [r, g, b, _] = colour;
        match paint.blend {
            Blend::Mask(cutoff) if alpha < cutoff => {}
            Blend::Opaque | Blend::Mask(_) => {
                *pixel = [r, g, b, 1.0];
                *depth = z;
            }
            Blend::Alpha => {
                let keep = 1.0 - alpha;
                for (value, new) in pixel.iter_mut().zip([r * alpha, g * alpha, b * alpha, alpha]) {
                    *value = new + *value * keep;
                }
            }
            Blend::Add => {
                for (value, new) in pixel.iter_mut().zip([r, g, b]) {
                    *value += new * alpha;
                }
                // Additive light over a transparent background is as opaque as it is bright.
                let bright = (r.max(g).max(b) * alpha).clamp(0.0, 1.0);
                let [.., opacity] = pixel;
                *opacity = opacity.max(bright);
            }
            Blend::Multiply(factor) => {
                for (value, new) in pixel.iter_mut().zip([r, g, b]) {
                    *value *= new * factor;
                }
            }
        }
    }
}

mod sprite;

#[cfg(test)]
mod tests {
    use super::*;

    const PAINT: Paint<'static> = Paint::PLAIN;

    /// Returns a triangle over the whole image in one color.
    fn cover(red: f32) -> [Corner; 3] {
        let values = [1.0, 1.0, 1.0, red, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        [[-1.0, -1.0, 1.0], [3.0, -1.0, 1.0], [-1.0, 3.0, 1.0]].map(|clip| Corner { clip, values })
    }

    fn drawn(raster: &Raster<'_>) -> usize {
        raster.overwritten().iter().filter(|overwritten| !**overwritten).count()
    }

    #[test]
    fn copies_of_a_triangle_are_drawn_once_and_the_last_one_wins() {
        let mut raster = Raster::new(8, 8, 1);
        for i in 0..1000 {
            raster.triangle(cover(if i % 7 == 3 { 0.5 } else { 0.25 }), PAINT, true, 0.1);
        }
        assert!(drawn(&raster) < 300, "{}", drawn(&raster));
        let mut raster = Raster::new(8, 8, 1);
        for red in [0.25, 0.25, 0.5, 0.25, 0.25] {
            raster.triangle(cover(red), PAINT, true, 0.1);
        }
        assert_eq!(drawn(&raster), 3);
        assert!(raster.draw([0.0; 4]).iter().all(|pixel| *pixel == [0.25, 0.0, 0.0, 1.0]));
    }

    #[test]
    fn corners_at_any_distance_stay_within_fixed_point_numbers() {
        let places = [0.5, -3e7, 1e18, -2e30, 7e37];
        let range = (2.0 * GUARD * SUB) as i64;
        let values = cover(0.25)[0].values;
        for case in 0..places.len().pow(6) {
            let place = |digit: u32| places[case / places.len().pow(digit) % places.len()];
            let corners = [[place(0), place(1), 1.0], [place(2), place(3), 1.0], [place(4), place(5), 0.5]];
            let mut raster = Raster::new(8, 8, 1);
            raster.triangle(corners.map(|clip| Corner { clip, values }), PAINT, false, 0.1);
            for triangle in &raster.triangles {
                assert!(
                    triangle.fixed.iter().flatten().all(|v| v.abs() <= range),
                    "{corners:?}: {:?}",
                    triangle.fixed
                );
            }
        }
    }

    #[test]
    fn copies_that_let_light_through_or_differ_in_paint_are_all_drawn() {
        let mut raster = Raster::new(8, 8, 1);
        for _ in 0..3 {
            raster.triangle(cover(0.25), Paint { blend: Blend::Add, ..PAINT }, true, 0.1);
        }
        assert_eq!(drawn(&raster), 3);
        assert!(raster.draw([0.0; 4]).iter().all(|pixel| pixel[0] == 0.75));
        let mut raster = Raster::new(8, 8, 1);
        for emissive in [[0.0; 3], [0.5; 3], [0.25; 3]] {
            raster.triangle(cover(0.25), Paint { emissive, ..PAINT }, true, 0.1);
        }
        assert_eq!(drawn(&raster), 3);
    }
}
