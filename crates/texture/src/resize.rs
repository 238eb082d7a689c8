//! Other sizes, for games whose textures have powers of two as sides.

use crate::Image;

impl Image {
    /// Returns the image with the nearest powers of two as sides; `None` if it has such sides already.
    ///
    /// ```
    /// use galatea_texture::Image;
    /// let image = Image::filled(6, 300, [10, 20, 30, 40]).to_powers_of_two();
    /// assert_eq!(image, Some(Image::filled(8, 256, [10, 20, 30, 40])));
    /// assert_eq!(Image::filled(4, 64, [0; 4]).to_powers_of_two(), None);
    /// ```
    #[must_use]
    pub fn to_powers_of_two(&self) -> Option<Image> {
        let near = |side: u32| 1u32 << (f64::from(side.max(1)).log2().round() as u32).min(30);
        let (width, height) = (near(self.width), near(self.height));
        let fits = (width, height) == (self.width, self.height);
        (!fits && self.width > 0 && self.height > 0).then(|| self.resized(width, height))
    }

    /// Returns the image in another size, between half and double: pixels between those of the image are blended, and
    /// colours count by their alpha, so that what lies under transparent pixels does not bleed in.
    fn resized(&self, width: u32, height: u32) -> Image {
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            let rows = between(y, height, self.height);
            for x in 0..width {
                let columns = between(x, width, self.width);
                let mut sum = [0.0f64; 4];
                let mut plain = [0.0f64; 3];
                for (sy, wy) in rows {
                    for (sx, wx) in columns {
                        let [r, g, b, a] = self.pixel(sx, sy).unwrap_or_default().map(f64::from);
                        let weight = wx * wy;
                        for ((s, p), c) in sum.iter_mut().zip(&mut plain).zip([r, g, b]) {
                            *s += c * a * weight;
                            *p += c * weight;
                        }
                        let [.., alpha] = &mut sum;
                        *alpha += a * weight;
                    }
                }
                let [r, g, b, a] = sum;
                let [pr, pg, pb] = plain;
                let colour = if a > 0.0 { [r / a, g / a, b / a] } else { [pr, pg, pb] };
                let byte = |v: f64| v.round().clamp(0.0, 255.0) as u8;
                rgba.extend(colour.map(byte));
                rgba.push(byte(a));
            }
        }
        Image { width, height, rgba }
    }
}

/// Returns the two pixels around a place along a side, with their weights.
fn between(at: u32, of: u32, side: u32) -> [(u32, f64); 2] {
    let place = ((f64::from(at) + 0.5) * f64::from(side) / f64::from(of.max(1)) - 0.5).max(0.0);
    let first = (place as u32).min(side.saturating_sub(1));
    let second = (first + 1).min(side.saturating_sub(1));
    let part = (place - f64::from(first)).clamp(0.0, 1.0);
    [(first, 1.0 - part), (second, part)]
}
