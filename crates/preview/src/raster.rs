//! The rasterizer: fixed-point edge functions with a top-left rule, a depth buffer, perspective-correct attributes. Tiles are
//! independent, so the pixels are the same with any number of threads.

use std::collections::HashMap;

use galatea_scene::Wrap;

use self::relief::{Grain, Light, Spot};
use crate::Image;
use crate::camera::Camera;
use crate::style::{Blend, Relief, Style};
use crate::texture::{Texture, checker, checker_level, display};

/// Width and height of a tile in samples, at most.
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
    /// Whether the color shows the texture coordinates.
    pub(crate) coordinates: bool,
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
    /// The maps of a surface that is shaded pixel by pixel, by [`Raster::add_relief`], and the directions of this triangle. Normals
    /// are in place of its light.
    pub(crate) relief: Option<(u32, Grain)>,
}

impl Paint<'static> {
    /// Returns the shading with vertex colors only, opaque and unlit.
    pub(crate) const PLAIN: Self = Paint {
        texture: None,
        wrap: [Wrap::Repeat; 2],
        lightmap: None,
        glow: None,
        checker: false,
        coordinates: false,
        blend: Blend::Opaque,
        unlit: true,
        emissive: [0.0; 3],
        glows: false,
        on_top: false,
        sprite: false,
        relief: None,
    };
}

impl<'a> Paint<'a> {
    /// Returns the shading of a style, without its maps.
    pub(crate) fn of(style: &Style<&'a Texture>) -> Self {
        Paint {
            texture: style.texture,
            wrap: style.wrap,
            lightmap: style.lightmap,
            glow: style.glow,
            checker: style.checker,
            coordinates: style.coordinates,
            blend: style.blend,
            unlit: style.unlit,
            emissive: style.emissive,
            glows: style.glows,
            on_top: false,
            sprite: false,
            relief: None,
        }
    }

    /// Returns `true` if both give every pixel the same color.
    fn is_same(&self, other: &Paint<'_>) -> bool {
        let lightmap =
            |paint: &Paint<'_>| paint.lightmap.map(|(texture, wrap)| (std::ptr::from_ref(texture), wrap));
        let images = |paint: &Paint<'_>| [paint.texture, paint.glow].map(|t| t.map(std::ptr::from_ref));
        let flags = |paint: &Paint<'_>| {
            let (checker, coordinates) = (paint.checker, paint.coordinates);
            [checker, coordinates, paint.unlit, paint.glows, paint.on_top, paint.sprite]
        };
        images(self) == images(other)
            && lightmap(self) == lightmap(other)
            && flags(self) == flags(other)
            && (self.wrap, self.blend, self.emissive) == (other.wrap, other.blend, other.emissive)
            && self.relief == other.relief
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
    /// Width and height of a tile in samples: whole pixels of the image.
    tile: usize,
    /// Tiles in a row.
    across: usize,
    light: Option<Light>,
    reliefs: Vec<Relief<&'a Texture>>,
}

impl<'a> Raster<'a> {
    pub(crate) fn new(width: usize, height: usize, samples: usize) -> Self {
        let tile = TILE / samples * samples;
        let across = width.div_ceil(tile);
        let bins = vec![Vec::new(); across * height.div_ceil(tile)];
        let (triangles, reliefs) = (Vec::new(), Vec::new());
        Raster { width, height, samples, triangles, bins, tile, across, light: None, reliefs }
    }

    /// Returns the same raster, seen through this camera.
    pub(crate) fn seen_by(mut self, camera: &Camera) -> Self {
        self.light = Some(Light::new(camera, self.width, self.height));
        self
    }

    /// Adds the maps of a surface, for [`Paint::relief`].
    pub(crate) fn add_relief(&mut self, relief: Relief<&'a Texture>) -> u32 {
        if let Some(known) = self.reliefs.iter().position(|known| *known == relief) {
            return known as u32;
        }
        self.reliefs.push(relief);
        self.reliefs.len() as u32 - 1
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
        let fits = |c: &Corner| {
            let [x, y, w] = c.clip;
            w >= near && x.abs() <= w * reach && y.abs() <= w * reach
        };
        if corners.iter().all(fits) {
            return self.clipped(corners, paint, cull);
        }
        let planes: [&dyn Fn(&Corner) -> f64; 5] = [
            &|c| c.clip[2] - near,
            &|c| c.clip[2] * reach - c.clip[0],
            &|c| c.clip[2] * reach + c.clip[0],
            &|c| c.clip[2] * reach - c.clip[1],
            &|c| c.clip[2] * reach + c.clip[1],
        ];
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
            let (x, y) = (c.clip[0] / c.clip[2], c.clip[1] / c.clip[2]);
            let (x, y) = (x.clamp(-reach, reach), y.clamp(-reach, reach));
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
        let bound = |a: i64, b: i64, c: i64, most: usize| {
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let low = (low >> 8).clamp(0, most as i64);
            let high = ((high >> 8) + 1).clamp(0, most as i64);
            (low as usize, high as usize)
        };
        let [[ax, ay], [bx, by], [cx, cy]] = fixed;
        let (left, right) = bound(ax, bx, cx, self.width);
        let (top, bottom) = bound(ay, by, cy, self.height);
        if left >= right || top >= bottom {
            return;
        }
        // What is cut out is shaded for each sample, everything else for each pixel.
        let fine = if matches!(paint.blend, Blend::Mask(_)) { 1 } else { self.samples };
        let pixels = area as f64 / (2.0 * SUB * SUB * (fine * fine) as f64);
        let uvs = || [corners[0].uv(), corners[1].uv(), corners[2].uv()];
        let level = match paint.texture {
            Some(texture) => texture.level(uvs(), pixels),
            None if paint.checker => checker_level(uvs(), pixels),
            None => 0,
        };
        let index = self.triangles.len() as u32;
        self.triangles.push(Triangle { corners, fixed, paint, level, area });
        for row in top / self.tile..=(bottom - 1) / self.tile {
            for column in left / self.tile..=(right - 1) / self.tile {
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

    /// Draws everything over a background, which is premultiplied light, in the order of addition.
    pub(crate) fn draw(&self, background: [f32; 4]) -> Image {
        let overwritten = self.overwritten();
        let tile = |index: usize| {
            let (column, row) = (index % self.across.max(1), index / self.across.max(1));
            let bin = self.bins.get(index).map_or(&[][..], Vec::as_slice).iter();
            let seen = bin.filter(|i| overwritten.get(**i as usize) == Some(&false));
            self.resolved([column * self.tile, row * self.tile], seen, background)
        };
        #[cfg(feature = "threads")]
        let tiles: Vec<Vec<[u8; 4]>> = {
            use rayon::prelude::*;
            (0..self.bins.len()).into_par_iter().map(tile).collect()
        };
        #[cfg(not(feature = "threads"))]
        let tiles: Vec<Vec<[u8; 4]>> = (0..self.bins.len()).map(tile).collect();
        let (width, height, side) =
            (self.width / self.samples, self.height / self.samples, self.tile / self.samples);
        let mut pixels = vec![0; width * height * 4];
        for (index, tile) in tiles.iter().enumerate() {
            let (column, row) = (index % self.across.max(1) * side, index / self.across.max(1) * side);
            for (y, line) in tile.chunks_exact(side).enumerate().take(height.saturating_sub(row)) {
                let (from, len) = (((row + y) * width + column) * 4, side.min(width - column) * 4);
                if let (Some(to), Some(line)) =
                    (pixels.get_mut(from..from + len), line.as_flattened().get(..len))
                {
                    to.copy_from_slice(line);
                }
            }
        }
        Image { width: width as u32, height: height as u32, pixels }
    }

    /// Returns the pixels of a tile of the image, as display values.
    fn resolved<'i>(
        &self,
        tile: [usize; 2],
        triangles: impl Iterator<Item = &'i u32>,
        background: [f32; 4],
    ) -> Vec<[u8; 4]> {
        let side = self.tile / self.samples;
        let mut triangles = triangles.peekable();
        if triangles.peek().is_none() {
            return vec![shown(background); side * side];
        }
        let light = self.tile(tile, triangles, background);
        let share = 1.0 / (self.samples * self.samples) as f32;
        let mut out = Vec::with_capacity(side * side);
        for rows in light.chunks_exact(TILE * self.samples).take(side) {
            for x in 0..side {
                let mut sum = [0.0f32; 4];
                for row in rows.chunks_exact(TILE) {
                    for [r, g, b, a] in row.iter().skip(x * self.samples).take(self.samples) {
                        let [sr, sg, sb, sa] = sum;
                        sum = [sr + r * share, sg + g * share, sb + b * share, sa + a * share];
                    }
                }
                out.push(shown(sum));
            }
        }
        out
    }

    fn tile<'i>(
        &self,
        tile: [usize; 2],
        triangles: impl Iterator<Item = &'i u32>,
        background: [f32; 4],
    ) -> Vec<[f32; 4]> {
        let mut pixels = vec![background; TILE * TILE];
        let mut depth = vec![0f32; TILE * TILE];
        // Sprites are blended in display values; the tile is converted where they begin and end.
        let (mut shown, mut hides) = (false, false);
        for triangle in triangles.filter_map(|i| self.triangles.get(*i as usize)) {
            if triangle.paint.sprite != shown {
                convert(&mut pixels, triangle.paint.sprite);
                shown = triangle.paint.sprite;
            }
            if shown {
                let depth = if hides { depth.as_mut_slice() } else { &mut [] };
                triangle.fill_sprite(tile, [self.tile, self.samples], &mut pixels, depth);
            } else {
                hides = true;
                triangle.fill(self, tile, &mut pixels, &mut depth);
            }
        }
        if shown {
            convert(&mut pixels, false);
        }
        pixels
    }
}

/// Returns a pixel of premultiplied light as display values.
fn shown([r, g, b, a]: [f32; 4]) -> [u8; 4] {
    let scale = if a > 0.0 { 1.0 / a } else { 0.0 };
    [display(r * scale), display(g * scale), display(b * scale), (a.clamp(0.0, 1.0) * 255.0 + 0.5) as u8]
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
    fn span(&self, [left, top]: [usize; 2], side: usize) -> (i64, i64, i64, i64) {
        let span = |a: i64, b: i64, c: i64, start: usize| {
            let (low, high, start) = (a.min(b).min(c), a.max(b).max(c), start as i64);
            ((low >> 8).max(start), ((high >> 8) + 1).min(start + side as i64))
        };
        let [[ax, ay], [bx, by], [cx, cy]] = self.fixed;
        let (x0, x1) = span(ax, bx, cx, left);
        let (y0, y1) = span(ay, by, cy, top);
        (x0, x1, y0, y1)
    }

    /// Calls back for each pixel of the image with samples that the triangle covers in a tile of this side and that are not hidden. A pixel
    /// has `step` times `step` samples and one place to be shaded at: the middle of those covered. Without depths nothing is hidden.
    fn cover(
        &self,
        [left, top]: [usize; 2],
        [side, step]: [usize; 2],
        depth: &mut [f32],
        mut paint: impl FnMut(&Covered, &mut [f32]),
    ) {
        let (x0, x1, y0, y1) = self.span([left, top], side);
        if x0 >= x1 || y0 >= y1 {
            return;
        }
        let [(a0, ax, ay, a_least), (b0, bx, by, b_least), (c0, cx, cy, c_least)] = self.sides(x0, y0);
        let [ia, ib, ic] =
            [1.0 / self.corners[0].clip[2], 1.0 / self.corners[1].clip[2], 1.0 / self.corners[2].clip[2]];
        let whole = 1.0 / self.area as f64;
        // The depth is a plane over the image.
        let plane = |a: i64, b: i64, c: i64| (a as f64 * ia + b as f64 * ib + c as f64 * ic) * whole;
        let (z0, zx, zy) = (plane(a0, b0, c0), plane(ax, bx, cx), plane(ay, by, cy));
        let (on_top, tested, step) = (self.paint.on_top, !depth.is_empty(), step as i64);
        let middle = step as f32 * 0.5;
        let mut covered = Covered { samples: [(0, 0.0); 16], count: 0, weights: [0.0; 3], at: [0.0; 2] };
        let mut offsets = [0u32; 16];
        for (offset, sample) in offsets.iter_mut().zip(0..(step * step) as u32) {
            *offset = sample / step as u32 * TILE as u32 + sample % step as u32;
        }
        // How far an edge function can rise and fall within a pixel.
        let reach = |across: i64, down: i64| {
            let last = step - 1;
            ((across.max(0) + down.max(0)) * last, (across.min(0) + down.min(0)) * last)
        };
        let ((a_rise, a_fall), (b_rise, b_fall), (c_rise, c_fall)) =
            (reach(ax, ay), reach(bx, by), reach(cx, cy));
        for block_y in (y0 / step * step..y1).step_by(step as usize) {
            let (row, first) = (block_y - y0, x0 / step * step);
            let column = first - x0;
            let mut block_a = a0 + ay * row + ax * column;
            let mut block_b = b0 + by * row + bx * column;
            let mut block_c = c0 + cy * row + cx * column;
            for block_x in (first..x1).step_by(step as usize) {
                let (a, b, c) = (block_a, block_b, block_c);
                (block_a, block_b, block_c) = (a + ax * step, b + bx * step, c + cx * step);
                if a + a_rise < a_least || b + b_rise < b_least || c + c_rise < c_least {
                    continue;
                }
                let inside = a + a_fall >= a_least && b + b_fall >= b_least && c + c_fall >= c_least;
                covered.count = 0;
                let (mut sum_a, mut sum_b, mut sum_c) = (0i64, 0i64, 0i64);
                if inside && !tested {
                    // All samples, without a look at each.
                    let (all, halves) = (step * step, step * step * (step - 1) / 2);
                    sum_a = a * all + (ax + ay) * halves;
                    sum_b = b * all + (bx + by) * halves;
                    sum_c = c * all + (cx + cy) * halves;
                    let place = ((block_y as usize - top) * TILE + (block_x as usize - left)) as u32;
                    for (sample, offset) in covered.samples.iter_mut().zip(&offsets).take(all as usize) {
                        *sample = (place + offset, 0.0);
                    }
                    covered.count = all as usize;
                }
                let rows = if covered.count > 0 { 0 } else { step };
                for y in 0..rows {
                    let down = block_y + y;
                    let z_row = z0 + zy * (down - y0) as f64;
                    let place = (down as usize).wrapping_sub(top) * TILE;
                    for x in 0..step {
                        let (in_a, in_b, in_c) =
                            (a + ax * x + ay * y, b + bx * x + by * y, c + cx * x + cy * y);
                        if !inside && (in_a < a_least || in_b < b_least || in_c < c_least) {
                            continue;
                        }
                        let across = block_x + x;
                        let place = place + (across as usize).wrapping_sub(left);
                        let mut z = 0.0;
                        if tested {
                            z = (z_row + zx * (across - x0) as f64) as f32;
                            if depth.get(place).is_none_or(|depth| z < *depth) && !on_top {
                                continue;
                            }
                        }
                        if let Some(sample) = covered.samples.get_mut(covered.count) {
                            *sample = (place as u32, z);
                            covered.count += 1;
                            (sum_a, sum_b, sum_c) = (sum_a + in_a, sum_b + in_b, sum_c + in_c);
                        }
                    }
                }
                if covered.count > 0 {
                    let (wa, wb, wc) = (sum_a as f64 * ia, sum_b as f64 * ib, sum_c as f64 * ic);
                    let share = 1.0 / (wa + wb + wc);
                    covered.weights = [(wa * share) as f32, (wb * share) as f32, (wc * share) as f32];
                    covered.at = [block_x as f32 + middle, block_y as f32 + middle];
                    paint(&covered, depth);
                }
            }
        }
    }

    /// Fills the part of the triangle inside a tile.
    fn fill(&self, raster: &Raster<'_>, tile: [usize; 2], pixels: &mut [[f32; 4]], depth: &mut [f32]) {
        let relief = self
            .paint
            .relief
            .and_then(|(id, grain)| Some((raster.reliefs.get(id as usize)?, grain, raster.light.as_ref()?)));
        // What is cut out of a surface has the fineness of samples.
        let step = if matches!(self.paint.blend, Blend::Mask(_)) { 1 } else { raster.samples };
        self.cover(tile, [raster.tile, step], depth, |covered, depth| {
            let [wa, wb, wc] = covered.weights;
            let [va, vb, vc] = [&self.corners[0].values, &self.corners[1].values, &self.corners[2].values];
            let mut values = [0.0; 11];
            for (value, ((a, b), c)) in values.iter_mut().zip(va.iter().zip(vb).zip(vc)) {
                *value = wa * a + wb * b + wc * c;
            }
            let relief = relief.map(|(relief, grain, light)| (relief, grain, light, covered.at));
            let Some(color) = self.shade(values, relief) else { return };
            for (place, z) in covered.samples.iter().take(covered.count) {
                let place = *place as usize;
                if let (Some(pixel), Some(depth)) = (pixels.get_mut(place), depth.get_mut(place)) {
                    self.put(color, *z, pixel, depth);
                }
            }
        });
    }

    /// Returns the color of a pixel in light; `None` where it is cut out.
    fn shade(
        &self,
        values: Values,
        relief: Option<(&Relief<&Texture>, Grain, &Light, [f32; 2])>,
    ) -> Option<[f32; 4]> {
        let paint = &self.paint;
        let [lr, lg, lb, r, g, b, a, u, v, u2, v2] = values;
        let mut colour = [r, g, b, a];
        if paint.texture.is_some() || paint.checker {
            let texel = match paint.texture {
                Some(texture) => texture.sample([u, v], paint.wrap, self.level),
                None => checker([u, v], self.level),
            };
            for (value, texel) in colour.iter_mut().zip(texel) {
                *value *= texel;
            }
        }
        if paint.coordinates {
            let [r, g, b] = crate::show::coordinates([u, v]);
            colour = [r, g, b, a];
        }
        let [_, _, _, a] = colour;
        let alpha = a.clamp(0.0, 1.0);
        if matches!(paint.blend, Blend::Mask(cutoff) if alpha < cutoff) {
            return None;
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
        if let Some((relief, grain, lights, at)) = relief.filter(|_| !paint.unlit) {
            let spot = Spot {
                uv: [u, v],
                normal: [lr, lg, lb],
                towards: lights.towards(at),
                level: self.level,
                across: paint.texture.map_or(0, Texture::width),
                baked: paint.lightmap.map(|_| light),
            };
            let lit = relief.lit(lights, grain, &spot, colour);
            // Emissive light that is multiplied by the texture, as in KotOR, lights it fully at most.
            let glow = if paint.lightmap.is_some() { [0.0; 3] } else { paint.emissive };
            let textured = paint.glows || same(paint.glow, paint.texture);
            for (((value, lit), glow), own) in colour.iter_mut().zip(lit).zip(glow).zip(own) {
                let full = *value * glow.clamp(0.0, 1.0);
                *value = if textured { lit.max(full) } else { lit + own };
            }
        } else {
            for ((value, light), own) in colour.iter_mut().zip(light).zip(own) {
                *value = *value * light + own;
            }
        }
        let [r, g, b, _] = colour;
        Some([r, g, b, alpha])
    }

    /// Blends a color with a sample.
    fn put(&self, [r, g, b, alpha]: [f32; 4], z: f32, pixel: &mut [f32; 4], depth: &mut f32) {
        match self.paint.blend {
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

/// A pixel of the image that a triangle covers at least in part.
struct Covered {
    /// The covered samples: their places in the tile and the depth of the triangle there.
    samples: [(u32, f32); 16],
    count: usize,
    /// Weights of the corners.
    weights: [f32; 3],
    /// Where it is shaded, in samples of the image.
    at: [f32; 2],
}

mod relief;
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
        assert!(raster.draw([0.0; 4]).pixels.as_chunks().0.iter().all(|pixel| *pixel == [128, 0, 0, 255]));
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
        // Light of the square root of three quarters, over nothing.
        assert!(
            raster.draw([0.0, 0.0, 0.0, 1.0]).pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[0] == 221)
        );
        let mut raster = Raster::new(8, 8, 1);
        for emissive in [[0.0; 3], [0.5; 3], [0.25; 3]] {
            raster.triangle(cover(0.25), Paint { emissive, ..PAINT }, true, 0.1);
        }
        assert_eq!(drawn(&raster), 3);
    }
}
