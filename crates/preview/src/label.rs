//! Text in images, in Roboto. The font file is cut down to Latin and Cyrillic letters; its license is beside it.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

use crate::Image;

/// Height of capitals and descenders together, in pixels.
const SIZE: f32 = 15.0;
/// Height of a line of text.
pub(crate) const LINE: u32 = 18;

static FONT: LazyLock<Option<FontRef<'static>>> =
    LazyLock::new(|| FontRef::try_from_slice(include_bytes!("font/Roboto-Latin.ttf")).ok());

/// Draws text. Text wider than `max_width` pixels is cut and ends in dots.
pub(crate) fn write(image: &mut Image, text: &str, left: u32, top: u32, max_width: u32, color: [u8; 4]) {
    let Some(font) = FONT.as_ref() else { return };
    let shown = cut(font, text, max_width as f32);
    let scaled = font.as_scaled(PxScale::from(SIZE));
    let base = top as f32 + scaled.ascent() - 2.0;
    let mut at = left as f32;
    for letter in shown.chars() {
        let id = font.glyph_id(known(font, letter));
        let glyph = Glyph { id, scale: PxScale::from(SIZE), position: point(at, base) };
        at += scaled.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|x, y, coverage| {
            let (x, y) = (corner.x + x as f32, corner.y + y as f32);
            if x >= 0.0 && y >= 0.0 {
                blend(image, x as u32, y as u32, color, coverage);
            }
        });
    }
}

/// Returns the letter, or a question mark if the font does not have it.
fn known(font: &FontRef<'_>, letter: char) -> char {
    if font.glyph_id(letter).0 == 0 { '?' } else { letter }
}

fn cut(font: &FontRef<'_>, text: &str, room: f32) -> String {
    let scaled = font.as_scaled(PxScale::from(SIZE));
    let advance = |letter: char| scaled.h_advance(font.glyph_id(known(font, letter)));
    let width: f32 = text.chars().map(advance).sum();
    if width <= room {
        return text.to_owned();
    }
    let mut left = room - advance('\u{2026}');
    let fits = |letter: &char| {
        left -= advance(*letter);
        left >= 0.0
    };
    text.chars().take_while(fits).chain(['\u{2026}']).collect()
}

fn blend(image: &mut Image, x: u32, y: u32, [r, g, b, a]: [u8; 4], coverage: f32) {
    let Some(below) = image.get(x, y) else { return };
    let share = coverage.clamp(0.0, 1.0) * f32::from(a) / 255.0;
    let [br, bg, bb, ba] = below;
    let mix = |new: u8, old: u8| (f32::from(new) * share + f32::from(old) * (1.0 - share) + 0.5) as u8;
    let opacity = (share * 255.0 + f32::from(ba) * (1.0 - share) + 0.5) as u8;
    image.set(x, y, [mix(r, br), mix(g, bg), mix(b, bb), opacity]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inked(text: &str, room: u32) -> (usize, u32) {
        let mut image = Image::new(200, LINE, [0, 0, 0, 255]);
        write(&mut image, text, 2, 0, room, [255; 4]);
        let lit = |x: u32| (0..LINE).any(|y| image.get(x, y).is_some_and(|[r, ..]| r > 64));
        let count = image.pixels.chunks_exact(4).filter(|p| p.first().is_some_and(|r| *r > 64)).count();
        (count, (0..200).rev().find(|x| lit(*x)).unwrap_or(0))
    }

    #[test]
    fn letters_have_their_own_shapes_and_widths() {
        let [upper, lower, narrow] = ["NNNN", "nnnn", "iiii"].map(|text| inked(text, 190));
        assert!(upper.0 > 40 && upper.1 > lower.1 && lower.1 > narrow.1, "{upper:?} {lower:?} {narrow:?}");
    }

    #[test]
    fn long_text_is_cut_to_its_room() {
        let (ink, end) = inked("a name that is much too long for the image", 60);
        assert!(ink > 40 && end <= 62, "{end}");
    }
}
