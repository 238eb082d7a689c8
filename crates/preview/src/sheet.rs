//! Contact sheets: many images in one, with labels.

use crate::{Image, RenderError, label};

/// Margin around each image.
const GAP: u32 = 6;
/// Maximum number of pixels of a sheet.
const MOST: u64 = 1 << 28;

/// Arranges images of the same size in rows with a label below each. With 0 `columns`, the sheet is about square.
///
/// ```
/// use galatea_preview::{Image, sheet};
/// let one = Image::new(32, 32, [10, 20, 30, 255]);
/// let sheet = sheet(&[("first".into(), one.clone()), ("second".into(), one)], 2, [0, 0, 0, 255])?;
/// assert!(sheet.width > 64 && sheet.height > 32);
/// # Ok::<(), galatea_preview::RenderError>(())
/// ```
pub fn sheet(images: &[(String, Image)], columns: usize, background: [u8; 4]) -> Result<Image, RenderError> {
    let width = images.iter().map(|(_, p)| p.width).max().unwrap_or(1);
    let height = images.iter().map(|(_, p)| p.height).max().unwrap_or(1);
    let mut sheet = Sheet::new((width, height), images.len(), columns, background)?;
    for (name, image) in images {
        sheet.add(name, image);
    }
    sheet.finish()
}

/// A contact sheet that grows row by row, so that images need not be kept.
#[derive(Debug)]
pub struct Sheet {
    cell: (u32, u32),
    columns: usize,
    background: [u8; 4],
    ink: [u8; 4],
    count: usize,
    out: Image,
}

impl Sheet {
    /// Returns a sheet for at most `capacity` images of this size. With 0 `columns`, it is about square.
    pub fn new(
        size: (u32, u32),
        capacity: usize,
        columns: usize,
        background: [u8; 4],
    ) -> Result<Sheet, RenderError> {
        let square = (1..).find(|n| n * n >= capacity).unwrap_or(1);
        let columns = if columns == 0 { square } else { columns }.clamp(1, capacity.max(1));
        let rows = capacity.div_ceil(columns);
        let cell = (size.0.saturating_add(GAP), size.1.saturating_add(GAP + label::LINE));
        let length = |cell: u32, count: usize| {
            u32::try_from(count).ok().and_then(|n| cell.checked_mul(n)?.checked_add(GAP))
        };
        let fits = |(across, down): &(u32, u32)| u64::from(*across) * u64::from(*down) <= MOST;
        let Some((across, down)) = length(cell.0, columns).zip(length(cell.1, rows)).filter(fits) else {
            return Err(RenderError("the sheet would be too large; show fewer or smaller images".into()));
        };
        let [r, g, b, _] = background;
        let dark = u32::from(r) + u32::from(g) + u32::from(b) < 384;
        let ink = if dark { [215, 215, 215, 255] } else { [40, 40, 40, 255] };
        let mut out = Image::new(across, GAP, background);
        out.pixels.reserve_exact((across as usize * down as usize * 4).saturating_sub(out.pixels.len()));
        Ok(Sheet { cell, columns, background, ink, count: 0, out })
    }

    /// Adds an image with its label below it.
    pub fn add(&mut self, name: &str, image: &Image) {
        let (cell_width, cell_height) = self.cell;
        if self.count.is_multiple_of(self.columns) {
            let row = Image::new(self.out.width, cell_height, self.background);
            self.out.pixels.extend_from_slice(&row.pixels);
            self.out.height += cell_height;
        }
        let left = GAP + (self.count % self.columns) as u32 * cell_width;
        let top = self.out.height - cell_height;
        self.out.paste(image, left, top);
        let under = top + (cell_height - GAP - label::LINE) + 3;
        label::write(&mut self.out, name, left, under, cell_width - GAP, self.ink);
        self.count += 1;
    }

    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns `true` if there are no images.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the whole sheet.
    pub fn finish(self) -> Result<Image, RenderError> {
        if self.is_empty() { Err(RenderError("nothing to show".into())) } else { Ok(self.out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_no_row_for_images_that_did_not_come() {
        let Ok(mut sheet) = Sheet::new((8, 8), 9, 3, [0; 4]) else { return assert_eq!(1, 0, "too large") };
        for _ in 0..4 {
            sheet.add("x", &Image::new(8, 8, [255; 4]));
        }
        let cell = 8 + GAP + label::LINE;
        assert_eq!(sheet.len(), 4);
        assert_eq!(sheet.finish().map(|p| (p.width, p.height)), Ok((3 * (8 + GAP) + GAP, 2 * cell + GAP)));
    }

    #[test]
    fn a_sheet_that_is_too_large_is_refused_before_anything_is_drawn() {
        assert!(Sheet::new((4096, 4096), 1000, 0, [0; 4]).is_err());
        assert!(Sheet::new((u32::MAX, 1), 1, 0, [0; 4]).is_err());
        assert!(Sheet::new((32, 32), 0, 0, [0; 4]).is_ok_and(|s| s.finish().is_err()));
    }
}
