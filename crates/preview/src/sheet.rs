//! Contact sheets: many pictures on one, with their names.

use crate::{Picture, PictureError, label};

/// Space around each picture.
const GAP: u32 = 6;

/// Puts pictures of the same size into rows with a label under each. `columns` 0 makes the sheet about square.
///
/// ```
/// use galatea_preview::{Picture, sheet};
/// let one = Picture::new(32, 32, [10, 20, 30, 255]);
/// let sheet = sheet(&[("first".into(), one.clone()), ("second".into(), one)], 2, [0, 0, 0, 255])?;
/// assert!(sheet.width > 64 && sheet.height > 32);
/// # Ok::<(), galatea_preview::PictureError>(())
/// ```
pub fn sheet(
    pictures: &[(String, Picture)],
    columns: usize,
    background: [u8; 4],
) -> Result<Picture, PictureError> {
    let width = pictures.iter().map(|(_, p)| p.width).max().ok_or(PictureError("nothing to show".into()))?;
    let height = pictures.iter().map(|(_, p)| p.height).max().unwrap_or(1);
    let square = (1..).find(|n| n * n >= pictures.len()).unwrap_or(1);
    let columns = if columns == 0 { square } else { columns }.min(pictures.len().max(1));
    let rows = pictures.len().div_ceil(columns);
    let (cell_width, cell_height) = (width + GAP, height + GAP + label::LINE);
    let size = |cell: u32, count: usize| {
        u32::try_from(count).ok().and_then(|n| cell.checked_mul(n)?.checked_add(GAP))
    };
    let (Some(across), Some(down)) = (size(cell_width, columns), size(cell_height, rows)) else {
        return Err(PictureError("the sheet would be too large; show fewer or smaller pictures".into()));
    };
    if u64::from(across) * u64::from(down) > 1 << 28 {
        return Err(PictureError("the sheet would be too large; show fewer or smaller pictures".into()));
    }
    let mut out = Picture::new(across, down, background);
    let [r, g, b, _] = background;
    let dark = u32::from(r) + u32::from(g) + u32::from(b) < 384;
    let ink = if dark { [215, 215, 215, 255] } else { [40, 40, 40, 255] };
    for (index, (name, picture)) in pictures.iter().enumerate() {
        let left = GAP + (index % columns) as u32 * cell_width;
        let top = GAP + (index / columns) as u32 * cell_height;
        out.paste(picture, left, top);
        label::write(&mut out, name, left, top + height + 3, width, ink);
    }
    Ok(out)
}
