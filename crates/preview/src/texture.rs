//! Textures: linear light, mip levels, bilinear sampling.

use galatea_scene::Wrap;

/// An image in linear light with its mip levels.
#[derive(Debug, Clone)]
pub struct Texture {
    levels: Vec<Level>,
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
    fn get(&self, at: usize) -> Option<[f32; 4]> {
        match self {
            Texels::Display(texels) => {
                let [r, g, b, a] = *texels.get(at)?;
                Some([linear(r), linear(g), linear(b), f32::from(a) / 255.0])
            }
            Texels::Linear(texels) => texels.get(at).copied(),
        }
    }
}

/// Converts a display value to linear light. The square is close enough to the sRGB curve for a preview, and the same on every
/// platform.
pub(crate) fn linear(value: u8) -> f32 {
    let v = f32::from(value) / 255.0;
    v * v
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
        Some(Texture { levels })
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

    pub(crate) fn sample(&self, [u, v]: [f32; 2], wraps: [Wrap; 2], level: usize) -> [f32; 4] {
        let Some(level) = self.levels.get(level).or(self.levels.first()) else { return [1.0; 4] };
        let place = |t: f32, wrap: Wrap, size: usize| {
            let t = match wrap {
                _ if !t.is_finite() => 0.0,
                Wrap::Repeat => t - t.floor(),
                Wrap::Mirror => 1.0 - (t.rem_euclid(2.0) - 1.0).abs(),
                Wrap::Clamp => t.clamp(0.0, 1.0),
            };
            let at = t * size as f32 - 0.5;
            let low = at.floor();
            let fraction = at - low;
            let whole = |at: i64| match wrap {
                Wrap::Repeat => at.rem_euclid(size as i64) as usize,
                _ => at.clamp(0, size as i64 - 1) as usize,
            };
            (whole(low as i64), whole(low as i64 + 1), fraction)
        };
        let [wrap_u, wrap_v] = wraps;
        let (x0, x1, fx) = place(u, wrap_u, level.width);
        let (y0, y1, fy) = place(v, wrap_v, level.height);
        let texel = |x: usize, y: usize| level.texels.get(y * level.width + x).unwrap_or([1.0; 4]);
        let (a, b, c, d) = (texel(x0, y0), texel(x1, y0), texel(x0, y1), texel(x1, y1));
        let mut out = [0.0; 4];
        for (value, ((a, b), (c, d))) in out.iter_mut().zip(a.iter().zip(b).zip(c.iter().zip(d))) {
            let (top, bottom) = (a + (b - a) * fx, c + (d - c) * fx);
            *value = top + (bottom - top) * fy;
        }
        out
    }
}

impl Level {
    fn half(&self) -> Level {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let texel = |x: usize, y: usize| {
            let at = y.min(self.height - 1) * self.width + x.min(self.width - 1);
            self.texels.get(at).unwrap_or_default()
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

/// Returns a faint checkerboard for missing textures.
pub(crate) fn checker([u, v]: [f32; 2]) -> [f32; 4] {
    let cell = |t: f32| if t.is_finite() { (t * 8.0).floor().rem_euclid(2.0) } else { 0.0 };
    let value = if cell(u) == cell(v) { 0.62 } else { 0.5 };
    [value, value, value, 1.0]
}
