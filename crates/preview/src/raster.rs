//! The rasterizer: fixed-point edge functions with a top-left rule, a depth buffer, perspective-correct attributes. Tiles are
//! independent, so the pixels are the same with any number of threads.

use std::collections::HashMap;

use galatea_scene::Wrap;
use wide::f32x4;

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
        let light = match self.samples {
            1 => self.tile::<1>(tile, triangles, background),
            2 => self.tile::<2>(tile, triangles, background),
            3 => self.tile::<3>(tile, triangles, background),
            _ => self.tile::<4>(tile, triangles, background),
        };
        let share = f32x4::splat(1.0 / (self.samples * self.samples) as f32);
        let mut out = Vec::with_capacity(side * side);
        for rows in light.chunks_exact(TILE * self.samples).take(side) {
            for x in 0..side {
                let mut sum = f32x4::splat(0.0);
                for row in rows.chunks_exact(TILE) {
                    for sample in row.iter().skip(x * self.samples).take(self.samples) {
                        sum += f32x4::new(*sample) * share;
                    }
                }
                out.push(shown(sum.to_array()));
            }
        }
        out
    }

    /// Draws a tile with N times N samples per pixel.
    fn tile<'i, const N: usize>(
        &self,
        tile: [usize; 2],
        triangles: impl Iterator<Item = &'i u32>,
        background: [f32; 4],
    ) -> Vec<[f32; 4]> {
        let mut triangles = triangles.filter_map(|i| self.triangles.get(*i as usize)).peekable();
        // Sprites are blended in display values; the tile is converted where they begin and end.
        let mut shown = triangles.peek().is_some_and(|first| first.paint.sprite);
        let mut below = [background];
        if shown {
            convert(&mut below, true);
        }
        let [below] = below;
        let mut pixels = vec![below; TILE * TILE];
        let mut depth = vec![0f32; TILE * TILE];
        let mut hides = false;
        for triangle in triangles {
            if triangle.paint.sprite != shown {
                convert(&mut pixels, triangle.paint.sprite);
                shown = triangle.paint.sprite;
            }
            if shown {
                let depth = if hides { depth.as_mut_slice() } else { &mut [] };
                triangle.fill_sprite::<N>(tile, self.tile, &mut pixels, depth);
                continue;
            }
            hides = true;
            // What is cut out of a surface has the fineness of samples.
            match triangle.paint.blend {
                Blend::Mask(_) => triangle.fill::<1>(self, tile, &mut pixels, &mut depth),
                _ => triangle.fill::<N>(self, tile, &mut pixels, &mut depth),
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
    for pixel in pixels {
        let [.., opacity] = *pixel;
        let value = f32x4::new(*pixel);
        let value = if to_display { value.max(f32x4::splat(0.0)).sqrt() } else { value * value };
        let [r, g, b, _] = value.to_array();
        *pixel = [r, g, b, opacity];
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

    /// Returns the reciprocals of the depths of the corners.
    fn inverse_depths(&self) -> [f64; 3] {
        let [a, b, c] = &self.corners;
        [1.0 / a.clip[2], 1.0 / b.clip[2], 1.0 / c.clip[2]]
    }

    /// Returns the depths for values of the three edge functions. The depth is a plane over the image, so their steps give its steps.
    fn depths(&self, edges: [[i64; 3]; 3]) -> [f64; 3] {
        let [ia, ib, ic] = self.inverse_depths();
        let whole = 1.0 / self.area as f64;
        edges.map(|[a, b, c]| (a as f64 * ia + b as f64 * ib + c as f64 * ic) * whole)
    }

    /// Calls back for each pixel of the image with samples that the triangle covers in a tile of this side and that are not hidden. A pixel
    /// has N times N samples and one place to be shaded at: the middle of those covered. Without depths nothing is hidden.
    fn cover<const N: usize>(
        &self,
        [left, top]: [usize; 2],
        side: usize,
        depth: &mut [f32],
        mut paint: impl FnMut(&Covered<N>, &mut [f32]),
    ) {
        let (x0, x1, y0, y1) = self.span([left, top], side);
        if x0 >= x1 || y0 >= y1 {
            return;
        }
        let step = N as i64;
        let sides = self.sides(x0, y0);
        let [(_, ax, ay, _), (_, bx, by, _), (_, cx, cy, _)] = sides;
        let [ia, ib, ic] = self.inverse_depths();
        let [z0, zx, zy] = self.depths([sides.map(|(value, ..)| value), [ax, bx, cx], [ay, by, cy]]);
        let (on_top, tested) = (self.paint.on_top, !depth.is_empty());
        let [(a_rise, a_fall), (b_rise, b_fall), (c_rise, c_fall)] = sides.map(|side| reach(side, step - 1));
        let [a_least, b_least, c_least] = sides.map(|(.., least)| least);
        let first = x0 / step * step;
        for block_y in (y0 / step * step..y1).step_by(N) {
            let mut entered = false;
            let mut next =
                sides.map(|(value, across, down, _)| value + down * (block_y - y0) + across * (first - x0));
            for block_x in (first..x1).step_by(N) {
                let [a, b, c] = next;
                next = [a + ax * step, b + bx * step, c + cx * step];
                // Of all three the sign bit is that of the least.
                if (a + a_rise) | (b + b_rise) | (c + c_rise) < 0 {
                    if entered {
                        break;
                    }
                    continue;
                }
                entered = true;
                let inside = (a + a_fall) | (b + b_fall) | (c + c_fall) >= 0;
                let place = (block_y as usize - top) * TILE + (block_x as usize - left);
                let mut covered =
                    Covered { place, mask: 0, z: [[0.0; N]; N], weights: [0.0; 3], at: [0.0; 2] };
                // How many samples are covered, and the sums of their places in the pixel.
                let (mut count, mut across, mut down) = (0, 0, 0);
                if inside && !tested {
                    let halves = step * step * (step - 1) / 2;
                    (covered.mask, count, across, down) = (Covered::<N>::ALL, step * step, halves, halves);
                } else {
                    for y in 0..N {
                        let row = y as i64;
                        let z_row = z0 + zy * (block_y + row - y0) as f64;
                        let hidden = depth.get(place + y * TILE..).unwrap_or(&[]);
                        for x in 0..N {
                            let column = x as i64;
                            let (in_a, in_b, in_c) = (
                                a + ax * column + ay * row - a_least,
                                b + bx * column + by * row - b_least,
                                c + cx * column + cy * row - c_least,
                            );
                            if !inside && in_a | in_b | in_c < 0 {
                                continue;
                            }
                            let mut z = 0.0;
                            if tested {
                                z = (z_row + zx * (block_x + column - x0) as f64) as f32;
                                if hidden.get(x).is_none_or(|depth| z < *depth) && !on_top {
                                    continue;
                                }
                            }
                            covered.take(x, y, z);
                            (count, across, down) = (count + 1, across + column, down + row);
                        }
                    }
                }
                if count > 0 {
                    let wa = (a * count + ax * across + ay * down) as f64 * ia;
                    let wb = (b * count + bx * across + by * down) as f64 * ib;
                    let wc = (c * count + cx * across + cy * down) as f64 * ic;
                    covered.weigh([wa, wb, wc]);
                    covered.at = [block_x, block_y].map(|start| start as f32 + N as f32 * 0.5);
                    paint(&covered, depth);
                }
            }
        }
    }

    /// Fills the part of the triangle inside a tile.
    fn fill<const N: usize>(
        &self,
        raster: &Raster<'_>,
        tile: [usize; 2],
        pixels: &mut [[f32; 4]],
        depth: &mut [f32],
    ) {
        let relief = self
            .paint
            .relief
            .and_then(|(id, grain)| Some((raster.reliefs.get(id as usize)?, grain, raster.light.as_ref()?)));
        self.cover::<N>(tile, raster.tile, depth, |covered, depth| {
            let [wa, wb, wc] = covered.weights;
            let [va, vb, vc] = [&self.corners[0].values, &self.corners[1].values, &self.corners[2].values];
            let mut values = [0.0; 11];
            for (value, ((a, b), c)) in values.iter_mut().zip(va.iter().zip(vb).zip(vc)) {
                *value = wa * a + wb * b + wc * c;
            }
            let relief = relief.map(|(relief, grain, light)| (relief, grain, light, covered.at));
            let Some(color) = self.shade(values, relief) else { return };
            covered.each(|place, z| {
                if let (Some(pixel), Some(depth)) = (pixels.get_mut(place), depth.get_mut(place)) {
                    self.put(color, z, pixel, depth);
                }
            });
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
struct Covered<const N: usize> {
    /// The place of its first sample in the tile.
    place: usize,
    /// A bit for each covered sample, row by row.
    mask: u32,
    /// The depth of the triangle at them.
    z: [[f32; N]; N],
    /// Weights of the corners.
    weights: [f32; 3],
    /// Where it is shaded, in samples of the image.
    at: [f32; 2],
}

impl<const N: usize> Covered<N> {
    /// The mask of a pixel that is covered as a whole.
    const ALL: u32 = (1 << (N * N)) - 1;

    /// Takes a sample of the pixel, with its depth.
    #[inline(always)]
    fn take(&mut self, x: usize, y: usize, z: f32) {
        if let Some(place) = self.z.get_mut(y).and_then(|row| row.get_mut(x)) {
            *place = z;
        }
        self.mask |= 1 << (y * N + x);
    }

    /// Sets the weights of the corners, which sum to 1, in these proportions.
    #[inline(always)]
    fn weigh(&mut self, [a, b, c]: [f64; 3]) {
        let share = 1.0 / (a + b + c);
        self.weights = [(a * share) as f32, (b * share) as f32, (c * share) as f32];
    }

    /// Calls back with the place in the tile and the depth of each covered sample.
    #[inline(always)]
    fn each(&self, mut sample: impl FnMut(usize, f32)) {
        for (y, row) in self.z.iter().enumerate() {
            for (x, z) in row.iter().enumerate() {
                if self.mask & 1 << (y * N + x) != 0 {
                    sample(self.place + y * TILE + x, *z);
                }
            }
        }
    }
}

/// Returns how far an edge function rises and falls within a pixel whose last sample is so many steps from its first, less the least that
/// it is inside.
fn reach((_, across, down, least): Side, last: i64) -> (i64, i64) {
    ((across.max(0) + down.max(0)) * last - least, (across.min(0) + down.min(0)) * last - least)
}

mod relief;
mod sprite;

#[cfg(test)]
mod tests;
