//! Textures: linear light, mip levels, bilinear sampling.

use std::sync::OnceLock;

use galatea_scene::Wrap;
use wide::f32x4;

/// An image in linear light with its mip levels.
#[derive(Debug, Clone)]
pub struct Texture {
    levels: Vec<Level>,
    /// The levels after the first of an image that is no light, such as a normal map; made when first used.
    data: OnceLock<Vec<Level>>,
}

impl PartialEq for Texture {
    fn eq(&self, other: &Texture) -> bool {
        std::ptr::eq(self, other)
    }
}

#[derive(Debug, Clone)]
struct Level {
    width: usize,
    height: usize,
    texels: Texels,
}

/// The pixels of a level. The largest level is most of a texture, so it is kept as 8-bit values: a quarter of the memory.
#[derive(Debug, Clone)]
enum Texels {
    Display(Vec<[u8; 4]>),
    Linear(Vec<[f32; 4]>),
}

impl Texels {
    /// Returns the values of a texel as they are stored.
    fn stored(&self, at: usize) -> Option<[f32; 4]> {
        match self {
            Texels::Display(texels) => texels.get(at).copied().map(as_stored),
            Texels::Linear(texels) => texels.get(at).copied(),
        }
    }

    fn get(&self, at: usize) -> Option<[f32; 4]> {
        match self {
            Texels::Display(texels) => texels.get(at).copied().map(in_light),
            Texels::Linear(texels) => texels.get(at).copied(),
        }
    }
}

#[inline]
fn as_stored([r, g, b, a]: [u8; 4]) -> [f32; 4] {
    [r, g, b, a].map(|v| SHARE.get(usize::from(v)).copied().unwrap_or(1.0))
}

#[inline]
fn in_light([r, g, b, a]: [u8; 4]) -> [f32; 4] {
    let light = |v: u8| LIGHT.get(usize::from(v)).copied().unwrap_or(1.0);
    [light(r), light(g), light(b), SHARE.get(usize::from(a)).copied().unwrap_or(1.0)]
}

/// Converts a display value to linear light. The square is close enough to the sRGB curve for a preview, and the same on every
/// platform.
pub(crate) fn linear(value: u8) -> f32 {
    let v = f32::from(value) / 255.0;
    v * v
}

/// Each display value as a share of the greatest.
static SHARE: [f32; 256] = values(false);

/// The linear light of each display value.
static LIGHT: [f32; 256] = values(true);

const fn values(squared: bool) -> [f32; 256] {
    let mut table = [0.0; 256];
    let mut value = 0;
    while value < 256 {
        let v = value as f32 / 255.0;
        #[allow(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
        {
            table[value] = if squared { v * v } else { v };
        }
        value += 1;
    }
    table
}

/// Converts linear light to a display value.
pub(crate) fn display(value: f32) -> u8 {
    (value.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8
}

impl Texture {
    /// Returns a texture from RGBA rows, top row first; `None` if the number of bytes does not match the size.
    ///
    /// ```
    /// assert!(galatea_preview::Texture::new(1, 1, &[255, 0, 0, 255]).is_some());
    /// assert!(galatea_preview::Texture::new(2, 2, &[0; 3]).is_none());
    /// ```
    pub fn new(width: u32, height: u32, rgba: &[u8]) -> Option<Texture> {
        let (width, height) = (width as usize, height as usize);
        let count = width.checked_mul(height).filter(|n| *n > 0)?;
        let rgba = rgba.get(..count.checked_mul(4)?)?;
        let texels = Texels::Display(rgba.as_chunks().0.to_vec());
        let mut levels = vec![Level { width, height, texels }];
        while let Some(last) = levels.last().filter(|l| l.width > 1 || l.height > 1) {
            let next = last.half();
            levels.push(next);
        }
        Some(Texture { levels, data: OnceLock::new() })
    }

    /// Returns its mip levels for other painters, largest first: width, height and RGBA rows as display values, top row first. With
    /// `data` it is no light, such as a normal map, and values are averaged as they are stored.
    pub fn mip_levels(&self, data: bool) -> impl Iterator<Item = (usize, usize, Vec<[u8; 4]>)> {
        let rest = if data { self.data_levels() } else { self.levels.get(1..).unwrap_or(&[]) };
        self.levels.first().into_iter().chain(rest).map(|level| {
            let texels = match &level.texels {
                Texels::Display(texels) => texels.clone(),
                Texels::Linear(texels) => {
                    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
                    texels
                        .iter()
                        .map(|[r, g, b, a]| [display(*r), display(*g), display(*b), byte(*a)])
                        .collect()
                }
            };
            (level.width, level.height, texels)
        })
    }

    /// Returns the mip level at which the texels of a triangle are about as large as its pixels.
    pub(crate) fn level(&self, [a, b, c]: [[f32; 2]; 3], pixels: f64) -> usize {
        let Some(first) = self.levels.first() else { return 0 };
        let area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs() * 0.5;
        let texels = f64::from(area) * first.width as f64 * first.height as f64;
        let mut ratio = texels / pixels.max(1e-3);
        let mut level = 0;
        // Each level has a quarter of the texels.
        while ratio > 2.0 && level + 1 < self.levels.len() {
            ratio /= 4.0;
            level += 1;
        }
        level
    }

    /// Returns the width of the image.
    pub(crate) fn width(&self) -> usize {
        self.levels.first().map_or(0, |l| l.width)
    }

    /// Returns the level that looks like a level of a texture of another width in the same place.
    pub(crate) fn same_level(&self, level: usize, width: usize) -> usize {
        let steps = self.width().max(1).ilog2() as i64 - width.max(1).ilog2() as i64;
        (level as i64 + steps).clamp(0, self.levels.len() as i64 - 1) as usize
    }

    /// Returns a level, to be sampled many times.
    #[inline]
    pub(crate) fn sampler(&self, wraps: [Wrap; 2], level: usize) -> Sampler<'_> {
        Sampler { level: self.levels.get(level).or(self.levels.first()), wraps }
    }

    pub(crate) fn sample(&self, [u, v]: [f32; 2], wraps: [Wrap; 2], level: usize) -> [f32; 4] {
        self.sampler(wraps, level).sample(f32x4::new([u, v, u, v])).to_array()
    }

    /// Returns the values of an image that is no light, such as a normal map, as they are stored.
    pub(crate) fn sample_data(&self, [u, v]: [f32; 2], wraps: [Wrap; 2], level: usize) -> [f32; 4] {
        let uv = f32x4::new([u, v, u, v]);
        let found = level.checked_sub(1).and_then(|at| self.data_levels().get(at)).or(self.levels.first());
        found.map_or([1.0; 4], |level| match &level.texels {
            Texels::Display(texels) => level.filtered(texels, uv, wraps, as_stored).to_array(),
            Texels::Linear(texels) => level.filtered(texels, uv, wraps, |texel| texel).to_array(),
        })
    }

    /// Returns the levels after the first, as those of an image that is no light.
    fn data_levels(&self) -> &[Level] {
        self.data.get_or_init(|| {
            let mut out: Vec<Level> = Vec::new();
            while let Some(last) = out.last().or(self.levels.first()).filter(|l| l.width > 1 || l.height > 1)
            {
                let next = last.half_of(Texels::stored);
                let byte = |v: f32| (v * 255.0 + 0.5) as u8;
                let texels = (0..next.width * next.height).filter_map(|at| next.texels.stored(at));
                let texels = Texels::Display(texels.map(|t| t.map(byte)).collect());
                out.push(Level { texels, ..next });
            }
            out
        })
    }
}

/// A level of a texture and how it is wrapped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampler<'a> {
    level: Option<&'a Level>,
    wraps: [Wrap; 2],
}

impl Sampler<'_> {
    /// Returns the light at a place, whose coordinates are given twice.
    #[inline(always)]
    pub(crate) fn sample(&self, uv: f32x4) -> f32x4 {
        let Some(level) = self.level else { return f32x4::splat(1.0) };
        match &level.texels {
            Texels::Display(texels) => level.filtered(texels, uv, self.wraps, in_light),
            Texels::Linear(texels) => level.filtered(texels, uv, self.wraps, |texel| texel),
        }
    }
}

impl Level {
    /// Returns the mean of the four nearest texels, weighted by their distance.
    #[inline(always)]
    fn filtered<T: Copy>(
        &self,
        texels: &[T],
        uv: f32x4,
        wraps: [Wrap; 2],
        get: impl Fn(T) -> [f32; 4],
    ) -> f32x4 {
        let Nearest { x: [x0, x1], y: [y0, y1], far } = self.nearest(uv, wraps);
        let (top, bottom) = (y0 * self.width, y1 * self.width);
        let (Some(a), Some(b)) = (texels.get(top + x0), texels.get(top + x1)) else {
            return f32x4::splat(1.0);
        };
        let (Some(c), Some(d)) = (texels.get(bottom + x0), texels.get(bottom + x1)) else {
            return f32x4::splat(1.0);
        };
        let (a, b, c, d) =
            (f32x4::new(get(*a)), f32x4::new(get(*b)), f32x4::new(get(*c)), f32x4::new(get(*d)));
        // Not by `map`, which goes through memory.
        let (fx, fy) = (f32x4::splat(far[0]), f32x4::splat(far[1]));
        let (top, bottom) = (a + (b - a) * fx, c + (d - c) * fx);
        top + (bottom - top) * fy
    }

    /// Returns the texels around a place. Both sides are computed together where they are wrapped in one way.
    #[inline(always)]
    fn nearest(&self, uv: f32x4, [wrap_u, wrap_v]: [Wrap; 2]) -> Nearest {
        let [width, height] = [self.width, self.height];
        let whole = f32x4::splat(WHOLE);
        let is_small = uv.abs().simd_lt(whole).all() && width.max(height) < WHOLE as usize;
        if wrap_u != wrap_v || wrap_u == Wrap::Mirror || !is_small {
            let [u, v, ..] = uv.to_array();
            let ((x0, x1, fx), (y0, y1, fy)) = (nearest(u, wrap_u, width), nearest(v, wrap_v, height));
            return Nearest { x: [x0, x1], y: [y0, y1], far: [fx, fy] };
        }
        let repeats = wrap_u == Wrap::Repeat;
        let t = if repeats {
            uv - floors(uv).0
        } else {
            uv.fast_max(f32x4::splat(0.0)).fast_min(f32x4::splat(1.0))
        };
        let (w, h) = (width as f32, height as f32);
        let at = t * f32x4::new([w, h, w, h]) - f32x4::splat(0.5);
        let (low, [x, y]) = floors(at);
        let [fx, fy, ..] = (at - low).to_array();
        let pair = |low: i32, size: usize| {
            let last = size as i32 - 1;
            let (first, second) = if repeats {
                let first = if low < 0 { last } else { low.min(last) };
                (first, if first == last { 0 } else { first + 1 })
            } else {
                (low.clamp(0, last), (low + 1).clamp(0, last))
            };
            [first as usize, second as usize]
        };
        Nearest { x: pair(x, width), y: pair(y, height), far: [fx, fy] }
    }
}

/// The texels around a place.
struct Nearest {
    x: [usize; 2],
    y: [usize; 2],
    /// How far it is from the first to the second.
    far: [f32; 2],
}

/// From here on, floats are whole numbers.
const WHOLE: f32 = 8_388_608.0;

/// Returns the largest whole numbers that are not above numbers below [`WHOLE`], and the first two as integers.
#[inline(always)]
fn floors(v: f32x4) -> (f32x4, [i32; 2]) {
    let whole = f32x4::from_i32x4(v.fast_trunc_int());
    let floor = whole - (whole.simd_gt(v) & f32x4::splat(1.0));
    let [x, y, ..] = floor.fast_trunc_int().to_array();
    (floor, [x, y])
}

impl Level {
    fn half(&self) -> Level {
        self.half_of(Texels::get)
    }

    /// Returns the level of half the size, each texel the mean of four values.
    fn half_of(&self, get: impl Fn(&Texels, usize) -> Option<[f32; 4]>) -> Level {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let texel = |x: usize, y: usize| {
            let at = y.min(self.height - 1) * self.width + x.min(self.width - 1);
            get(&self.texels, at).unwrap_or_default()
        };
        let mut texels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let four = [
                    texel(2 * x, 2 * y),
                    texel(2 * x + 1, 2 * y),
                    texel(2 * x, 2 * y + 1),
                    texel(2 * x + 1, 2 * y + 1),
                ];
                let mut mean = [0.0; 4];
                for texel in four {
                    for (m, t) in mean.iter_mut().zip(texel) {
                        *m += t * 0.25;
                    }
                }
                texels.push(mean);
            }
        }
        Level { width, height, texels: Texels::Linear(texels) }
    }
}

/// Returns the two texels nearest to a coordinate along one side, and how far it is from the first to the second.
#[inline(always)]
fn nearest(t: f32, wrap: Wrap, size: usize) -> (usize, usize, f32) {
    let t = match wrap {
        _ if !t.is_finite() => 0.0,
        Wrap::Repeat => t - floor(t),
        Wrap::Mirror => 1.0 - (t.rem_euclid(2.0) - 1.0).abs(),
        Wrap::Clamp => t.clamp(0.0, 1.0),
    };
    // From -0.5 to half a texel before the end.
    let at = t * size as f32 - 0.5;
    let low = floor(at);
    let (fraction, low, last) = (at - low, low as i64, size as i64 - 1);
    match wrap {
        Wrap::Repeat => {
            let first = if low < 0 { last } else { low.min(last) };
            (first as usize, if first == last { 0 } else { first as usize + 1 }, fraction)
        }
        _ => (low.clamp(0, last) as usize, (low + 1).clamp(0, last) as usize, fraction),
    }
}

/// Returns the largest whole number that is not above a number, without a call for small ones.
#[inline(always)]
fn floor(v: f32) -> f32 {
    if v.abs() < WHOLE {
        let whole = v as i32 as f32;
        if whole > v { whole - 1.0 } else { whole }
    } else {
        v
    }
}

/// Number of cells of the checkerboard for missing textures in each direction.
const CELLS: f32 = 8.0;

/// Returns how faint the checkerboard is on a triangle, from 0 to 4: cells that are smaller than pixels would flicker.
pub(crate) fn checker_level([a, b, c]: [[f32; 2]; 3], pixels: f64) -> usize {
    let area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs() * 0.5;
    let cells = f64::from(area * CELLS * CELLS) / pixels.max(1e-3);
    [0.06, 0.12, 0.25, 0.5].into_iter().filter(|least| cells > *least).count()
}

/// Returns a faint checkerboard for missing textures.
pub(crate) fn checker([u, v]: [f32; 2], level: usize) -> [f32; 4] {
    let cell = |t: f32| if t.is_finite() { (t * CELLS).floor().rem_euclid(2.0) } else { 0.0 };
    let contrast = 0.06 * (4.0 - level.min(4) as f32) / 4.0;
    let value = if cell(u) == cell(v) { 0.56 + contrast } else { 0.56 - contrast };
    [value, value, value, 1.0]
}
