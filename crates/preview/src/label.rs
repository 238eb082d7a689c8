//! Text in images: a built-in font of 3 x 5 pixels, drawn at twice its size.

use crate::Image;

/// Rows of each letter from the top, three bits each, left pixel first. Lower case is drawn as upper case.
const GLYPHS: &[(char, [u8; 5])] = &[
    ('A', [0b010, 0b101, 0b111, 0b101, 0b101]),
    ('B', [0b110, 0b101, 0b110, 0b101, 0b110]),
    ('C', [0b011, 0b100, 0b100, 0b100, 0b011]),
    ('D', [0b110, 0b101, 0b101, 0b101, 0b110]),
    ('E', [0b111, 0b100, 0b110, 0b100, 0b111]),
    ('F', [0b111, 0b100, 0b110, 0b100, 0b100]),
    ('G', [0b011, 0b100, 0b101, 0b101, 0b011]),
    ('H', [0b101, 0b101, 0b111, 0b101, 0b101]),
    ('I', [0b111, 0b010, 0b010, 0b010, 0b111]),
    ('J', [0b001, 0b001, 0b001, 0b101, 0b010]),
    ('K', [0b101, 0b101, 0b110, 0b101, 0b101]),
    ('L', [0b100, 0b100, 0b100, 0b100, 0b111]),
    ('M', [0b101, 0b111, 0b111, 0b101, 0b101]),
    ('N', [0b110, 0b101, 0b101, 0b101, 0b101]),
    ('O', [0b010, 0b101, 0b101, 0b101, 0b010]),
    ('P', [0b110, 0b101, 0b110, 0b100, 0b100]),
    ('Q', [0b010, 0b101, 0b101, 0b110, 0b011]),
    ('R', [0b110, 0b101, 0b110, 0b101, 0b101]),
    ('S', [0b011, 0b100, 0b010, 0b001, 0b110]),
    ('T', [0b111, 0b010, 0b010, 0b010, 0b010]),
    ('U', [0b101, 0b101, 0b101, 0b101, 0b111]),
    ('V', [0b101, 0b101, 0b101, 0b101, 0b010]),
    ('W', [0b101, 0b101, 0b111, 0b111, 0b101]),
    ('X', [0b101, 0b101, 0b010, 0b101, 0b101]),
    ('Y', [0b101, 0b101, 0b010, 0b010, 0b010]),
    ('Z', [0b111, 0b001, 0b010, 0b100, 0b111]),
    ('0', [0b111, 0b101, 0b101, 0b101, 0b111]),
    ('1', [0b010, 0b110, 0b010, 0b010, 0b111]),
    ('2', [0b110, 0b001, 0b010, 0b100, 0b111]),
    ('3', [0b110, 0b001, 0b010, 0b001, 0b110]),
    ('4', [0b101, 0b101, 0b111, 0b001, 0b001]),
    ('5', [0b111, 0b100, 0b110, 0b001, 0b110]),
    ('6', [0b011, 0b100, 0b111, 0b101, 0b111]),
    ('7', [0b111, 0b001, 0b010, 0b010, 0b010]),
    ('8', [0b111, 0b101, 0b111, 0b101, 0b111]),
    ('9', [0b111, 0b101, 0b111, 0b001, 0b110]),
    (' ', [0; 5]),
    ('.', [0, 0, 0, 0, 0b010]),
    (',', [0, 0, 0, 0b010, 0b100]),
    (':', [0, 0b010, 0, 0b010, 0]),
    ('-', [0, 0, 0b111, 0, 0]),
    ('_', [0, 0, 0, 0, 0b111]),
    ('+', [0, 0b010, 0b111, 0b010, 0]),
    ('/', [0b001, 0b001, 0b010, 0b100, 0b100]),
    ('\\', [0b100, 0b100, 0b010, 0b001, 0b001]),
    ('(', [0b001, 0b010, 0b010, 0b010, 0b001]),
    (')', [0b100, 0b010, 0b010, 0b010, 0b100]),
    ('[', [0b011, 0b010, 0b010, 0b010, 0b011]),
    (']', [0b110, 0b010, 0b010, 0b010, 0b110]),
    ('#', [0b101, 0b111, 0b101, 0b111, 0b101]),
    ('~', [0, 0b001, 0b111, 0b100, 0]),
    ('\'', [0b010, 0b010, 0, 0, 0]),
    ('!', [0b010, 0b010, 0b010, 0, 0b010]),
    ('?', [0b110, 0b001, 0b010, 0, 0b010]),
];

/// Size of a letter in the image, in pixels.
const SCALE: u32 = 2;
/// Distance from one letter to the next, in pixels.
const STEP: u32 = 4 * SCALE;
/// Height of a line of text.
pub(crate) const LINE: u32 = 7 * SCALE;

/// Draws text. Text wider than `max_width` pixels is cut and ends in two dots.
pub(crate) fn write(image: &mut Image, text: &str, left: u32, top: u32, max_width: u32, colour: [u8; 4]) {
    let room = (max_width / STEP) as usize;
    let count = text.chars().count();
    let shown: String = if count <= room {
        text.to_owned()
    } else {
        text.chars().take(room.saturating_sub(2)).chain("..".chars().take(room)).collect()
    };
    for (index, letter) in shown.chars().enumerate() {
        let letter = letter.to_ascii_uppercase();
        let find = |wanted: char| GLYPHS.iter().find(|(c, _)| *c == wanted).map(|(_, rows)| rows);
        let Some(rows) = find(letter).or_else(|| find('?')) else { continue };
        for (y, row) in (0u32..).zip(rows) {
            for x in (0..3u32).filter(|x| row >> (2 - x) & 1 == 1) {
                for (dx, dy) in (0..SCALE).flat_map(|dx| (0..SCALE).map(move |dy| (dx, dy))) {
                    let at = left + index as u32 * STEP + x * SCALE + dx;
                    image.set(at, top + y * SCALE + dy, colour);
                }
            }
        }
    }
}
