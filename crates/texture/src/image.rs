//! One decoded image: RGBA, eight bits each, the top row first.

use galatea_wire::{Error, ErrorKind, Limits, Result};

/// An image: `width` x `height` pixels of R, G, B, A bytes, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes per pixel: red, green, blue, alpha (not premultiplied).
    pub rgba: Vec<u8>,
}

impl Image {
    /// Creates an image from its pixels; `None` unless there are exactly four bytes for each.
    ///
    /// ```
    /// use galatea_texture::Image;
    /// assert!(Image::new(2, 1, vec![0; 8]).is_some());
    /// assert!(Image::new(2, 1, vec![0; 9]).is_none());
    /// ```
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Option<Self> {
        let bytes = (u64::from(width) * u64::from(height)).saturating_mul(4);
        (bytes == rgba.len() as u64).then_some(Image { width, height, rgba })
    }

    /// Creates an image of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 4]) -> Self {
        let pixels = width as usize * height as usize;
        Image { width, height, rgba: colour.repeat(pixels) }
    }

    /// Returns the pixels, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = [u8; 4]> + '_ {
        self.rgba.as_chunks::<4>().0.iter().copied()
    }

    /// Returns the pixel in this column and row; `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        self.rgba.get(at..)?.first_chunk().copied()
    }

    /// Changes every pixel.
    ///
    /// ```
    /// let mut image = galatea_texture::Image::filled(1, 1, [1, 2, 3, 4]);
    /// image.map(|[r, g, b, _]| [b, g, r, 255]);
    /// assert_eq!(image.rgba, [3, 2, 1, 255]);
    /// ```
    pub fn map(&mut self, mut change: impl FnMut([u8; 4]) -> [u8; 4]) {
        for pixel in self.rgba.as_chunks_mut::<4>().0 {
            *pixel = change(*pixel);
        }
    }

    /// Turns the image upside down.
    pub fn flip_rows(&mut self) {
        let pitch = self.width as usize * 4;
        let half = self.rgba.len() / 2 / pitch.max(1) * pitch;
        let (top, bottom) = self.rgba.split_at_mut(half);
        for (a, b) in top.chunks_exact_mut(pitch.max(1)).zip(bottom.rchunks_exact_mut(pitch.max(1))) {
            a.swap_with_slice(b);
        }
    }

    /// Turns a square image clockwise by so many quarter turns; others stay as they are.
    #[must_use]
    pub fn turned(self, quarters: u32) -> Self {
        if self.width != self.height || quarters.is_multiple_of(4) {
            return self;
        }
        let n = self.width;
        let mut rgba = Vec::with_capacity(self.rgba.len());
        for y in 0..n {
            for x in 0..n {
                let (from_x, from_y) = match quarters % 4 {
                    1 => (y, n - 1 - x),
                    2 => (n - 1 - x, n - 1 - y),
                    _ => (n - 1 - y, x),
                };
                rgba.extend(self.pixel(from_x, from_y).unwrap_or_default());
            }
        }
        Image { rgba, ..self }
    }

    /// Returns what the alpha channel is good for.
    ///
    /// ```
    /// use galatea_texture::{Alpha, Image};
    /// assert_eq!(Image::filled(2, 2, [9, 9, 9, 255]).alpha(), Alpha::Opaque);
    /// assert_eq!(Image::filled(2, 2, [9, 9, 9, 0]).alpha(), Alpha::Binary);
    /// assert_eq!(Image::filled(2, 2, [9, 9, 9, 80]).alpha(), Alpha::Smooth);
    /// ```
    pub fn alpha(&self) -> Alpha {
        let mut seen = Alpha::Opaque;
        for [_, _, _, a] in self.pixels() {
            match a {
                255 => {}
                0 => seen = Alpha::Binary,
                _ => return Alpha::Smooth,
            }
        }
        seen
    }

    /// Returns the next smaller level: half the size, never below one pixel, each pixel the mean of those it stands
    /// for. Colours count by their alpha, so that what lies under transparent pixels does not bleed in.
    #[must_use]
    pub fn halved(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        // Where a side is odd, the last pixel stands for three of the larger image.
        let span =
            |i: u32, n: u32, of: u32| (i * 2).min(of - 1)..if i + 1 == n { of } else { (i * 2 + 2).min(of) };
        for y in 0..height {
            for x in 0..width {
                let (mut sum, mut weighted, mut alpha, mut count) = ([0u32; 3], [0u32; 3], 0u32, 0u32);
                for sy in span(y, height, self.height) {
                    for sx in span(x, width, self.width) {
                        let [r, g, b, a] = self.pixel(sx, sy).unwrap_or_default().map(u32::from);
                        for ((s, w), c) in sum.iter_mut().zip(&mut weighted).zip([r, g, b]) {
                            *s += c;
                            *w += c * a;
                        }
                        alpha += a;
                        count += 1;
                    }
                }
                let count = count.max(1);
                let mean = |plain: u32, weighted: u32| {
                    let exact =
                        (weighted + alpha / 2).checked_div(alpha).unwrap_or((plain + count / 2) / count);
                    exact.min(255) as u8
                };
                let [r, g, b] = [0, 1, 2].map(|i: usize| {
                    mean(sum.get(i).copied().unwrap_or(0), weighted.get(i).copied().unwrap_or(0))
                });
                rgba.extend([r, g, b, ((alpha + count / 2) / count) as u8]);
            }
        }
        Image { width, height, rgba }
    }

    /// Returns this image and its smaller levels, down to one pixel.
    #[must_use]
    pub fn levels(self) -> Vec<Image> {
        let mut out = vec![self];
        while let Some(last) = out.last()
            && (last.width > 1 || last.height > 1)
        {
            let next = last.halved();
            out.push(next);
        }
        out
    }
}

/// What the alpha channel of an image holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alpha {
    /// 255 everywhere.
    Opaque,
    /// Only 0 and 255.
    Binary,
    /// Anything between.
    Smooth,
}

/// The sizes a texture file announces, before anything is decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Pixels per row of the largest level.
    pub width: u32,
    /// Rows of the largest level (of one face, one frame).
    pub height: u32,
    /// Levels of detail that the file holds or announces.
    pub mips: u32,
    /// 6 for a cube map, else 1.
    pub faces: u32,
    /// Array layers, or frames of a flip-book.
    pub layers: u32,
    /// How the pixels are stored, in the words of the format: `DXT1`, `JPEG`, `palette, 8-bit alpha`.
    pub pixels: String,
}

impl Shape {
    /// Returns the width and height of a level.
    pub fn level(&self, mip: u32) -> (u32, u32) {
        level_size(self.width, self.height, mip)
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}x{}", self.pixels, self.width, self.height)?;
        if self.faces > 1 {
            f.write_str(" cube")?;
        }
        if self.layers > 1 {
            write!(f, " x{}", self.layers)?;
        }
        write!(f, ", {} mip{}", self.mips, if self.mips == 1 { "" } else { "s" })
    }
}

/// Which image of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Level {
    /// Level of detail, 0 is the largest.
    pub mip: u32,
    /// Face of a cube map, in the order of the file.
    pub face: u32,
    /// Array layer or frame.
    pub layer: u32,
}

/// Returns the width and height of level `mip` of a texture.
pub(crate) fn level_size(width: u32, height: u32, mip: u32) -> (u32, u32) {
    let half = |n: u32| n.checked_shr(mip).unwrap_or(0).max(1);
    (half(width), half(height))
}

/// Levels from this size down to one pixel.
pub(crate) fn full_chain(width: u32, height: u32) -> u32 {
    32 - width.max(height).max(1).leading_zeros()
}

/// Returns whether the limits allow an image of this size; asked before its pixels are allocated.
pub(crate) fn allow(width: u32, height: u32, limits: &Limits) -> Result<(), ErrorKind> {
    if u64::from(width) * u64::from(height) > limits.pixels {
        return Err(ErrorKind::Limit("pixels"));
    }
    Ok(())
}

/// Returns an error inside the pixels of a level that begins at `offset`.
#[cold]
pub(crate) fn level_error(kind: ErrorKind, offset: usize, level: Level) -> Error {
    let mut step = format!("mips[{}]", level.mip);
    if level.face > 0 {
        step = format!("faces[{}] > {step}", level.face);
    }
    if level.layer > 0 {
        step = format!("layers[{}] > {step}", level.layer);
    }
    Error::at(kind, offset).within(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipping_twice_changes_nothing_and_once_swaps_rows() {
        let image = Image::new(1, 3, vec![1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]).unwrap();
        let mut flipped = image.clone();
        flipped.flip_rows();
        assert_eq!(flipped.rgba, [3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1]);
        flipped.flip_rows();
        assert_eq!(flipped, image);
    }

    #[test]
    fn a_quarter_turn_moves_the_top_left_to_the_top_right() {
        let corner = [7, 7, 7, 7];
        let mut image = Image::filled(2, 2, [0; 4]);
        image.rgba[..4].copy_from_slice(&corner);
        assert_eq!(image.clone().turned(1).pixel(1, 0), Some(corner));
        assert_eq!(image.clone().turned(2).pixel(1, 1), Some(corner));
        assert_eq!(image.clone().turned(3).pixel(0, 1), Some(corner));
        assert_eq!(image.clone().turned(4), image);
    }

    #[test]
    fn levels_end_at_one_pixel_and_keep_a_flat_colour() {
        let levels = Image::filled(7, 2, [10, 20, 30, 40]).levels();
        let sizes: Vec<_> = levels.iter().map(|l| (l.width, l.height)).collect();
        assert_eq!(sizes, [(7, 2), (3, 1), (1, 1)]);
        assert_eq!(levels.len(), full_chain(7, 2) as usize);
        assert!(levels.iter().flat_map(Image::pixels).all(|p| p == [10, 20, 30, 40]));
    }

    #[test]
    fn transparent_pixels_do_not_bleed_their_colour() {
        let image = Image::new(2, 1, vec![200, 100, 0, 255, 0, 0, 255, 0]).unwrap();
        assert_eq!(image.halved().rgba, [200, 100, 0, 128]);
    }

    #[test]
    fn a_level_never_vanishes() {
        assert_eq!(level_size(256, 4, 3), (32, 1));
        assert_eq!(level_size(256, 4, 77), (1, 1));
    }
}
