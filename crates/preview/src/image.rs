//! Images, and PNG encoding.

use std::borrow::Cow;

use crate::Movie;

/// Red, green, blue and alpha, 8 bits each, row after row from the top; not premultiplied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes per pixel.
    pub pixels: Vec<u8>,
}

impl Image {
    /// Returns an image of one color.
    pub fn new(width: u32, height: u32, colour: [u8; 4]) -> Self {
        let count = width as usize * height as usize;
        Image { width, height, pixels: colour.iter().copied().cycle().take(count * 4).collect() }
    }

    /// Returns the color of a pixel; `None` outside the image.
    pub fn get(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width {
            return None;
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        self.pixels.get(at..)?.first_chunk().copied()
    }

    /// Sets a pixel; does nothing outside the image.
    pub fn set(&mut self, x: u32, y: u32, colour: [u8; 4]) {
        if x >= self.width {
            return;
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        if let Some(slot) = self.pixels.get_mut(at..).and_then(|p| p.first_chunk_mut()) {
            *slot = colour;
        }
    }

    /// Puts squares of two grays behind transparent pixels.
    pub(crate) fn over_checker(&mut self) {
        let width = self.width.max(1) as usize;
        for (at, pixel) in self.pixels.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let light = (at % width / 16 + at / width / 16).is_multiple_of(2);
            let below = if light { 168.0 } else { 128.0 };
            let [r, g, b, a] = pixel;
            let share = f32::from(*a) / 255.0;
            for value in [r, g, b] {
                *value = (f32::from(*value) * share + below * (1.0 - share) + 0.5) as u8;
            }
            *a = 255;
        }
    }

    /// Copies another image into this one; pixels outside are clipped.
    pub fn paste(&mut self, other: &Image, left: u32, top: u32) {
        for y in 0..other.height.min(self.height.saturating_sub(top)) {
            for x in 0..other.width.min(self.width.saturating_sub(left)) {
                if let Some(colour) = other.get(x, y) {
                    self.set(left + x, top + y, colour);
                }
            }
        }
    }

    /// Returns the image as a PNG file.
    ///
    /// ```
    /// let png = galatea_preview::Image::new(2, 2, [255, 0, 0, 255]).png()?;
    /// assert!(png.starts_with(b"\x89PNG"));
    /// # Ok::<(), galatea_preview::RenderError>(())
    /// ```
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        animation(std::slice::from_ref(self), 1.0)
    }
}

/// Encodes frames of the same size as an endless APNG; a single frame becomes a plain PNG.
pub fn animation(frames: &[Image], frames_per_second: f32) -> Result<Vec<u8>, RenderError> {
    Movie::Apng.encode(frames, frames_per_second, 0)
}

/// The reason why an image could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderError(pub(crate) Cow<'static, str>);

impl std::fmt::Display for RenderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RenderError {}
