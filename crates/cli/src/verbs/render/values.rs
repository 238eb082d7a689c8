//! Values of options: sizes, colors, and what an image shows.

use galatea::preview;

pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    match (width.parse(), height.parse()) {
        (Ok(0), _) | (_, Ok(0)) => Err("an image needs at least one pixel".into()),
        (Ok(w), Ok(h)) if w <= preview::LARGEST && h <= preview::LARGEST => Ok((w, h)),
        (Ok(_), Ok(_)) => Err(format!("images are limited to {0} x {0} pixels", preview::LARGEST)),
        _ => Err(format!("`{text}` is not a size; expected one such as 512 or 800x600")),
    }
}

/// What is behind a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Background {
    pub(super) color: [u8; 4],
    pub(super) checker: bool,
}

pub(super) fn background(text: &str) -> Result<Background, String> {
    if text.eq_ignore_ascii_case("transparent") {
        return Ok(Background { color: [0; 4], checker: false });
    }
    if text.eq_ignore_ascii_case("checker") {
        return Ok(Background { color: [148, 148, 148, 255], checker: true });
    }
    let hex = text.trim_start_matches('#');
    match u32::from_str_radix(hex, 16) {
        Ok(value) if hex.len() == 6 => {
            let [_, r, g, b] = value.to_be_bytes();
            Ok(Background { color: [r, g, b, 255], checker: false })
        }
        _ => Err(format!("`{text}` is not a colour; expected one such as #2e3238, transparent or checker")),
    }
}

pub(super) fn rate(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(fps) if (1.0..=60.0).contains(&fps) => Ok(fps),
        _ => Err("needs a number from 1 to 60".into()),
    }
}
