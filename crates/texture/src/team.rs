//! Warcraft III's replaceable textures: team colours without any file, and the paths of those that need one.

use crate::Image;

/// The players' colours in the order of their numbers: red, blue, teal, purple, yellow, orange, green, pink, grey, light blue,
/// dark green, brown, then the twelve of version 1.29 on, and black for the neutral ones.
pub const TEAM_COLOURS: [[u8; 3]; 25] = [
    [0xFF, 0x03, 0x03],
    [0x00, 0x42, 0xFF],
    [0x1C, 0xE6, 0xB9],
    [0x54, 0x00, 0x81],
    [0xFF, 0xFC, 0x01],
    [0xFE, 0x8A, 0x0E],
    [0x20, 0xC0, 0x00],
    [0xE5, 0x5B, 0xB0],
    [0x95, 0x96, 0x97],
    [0x7E, 0xBF, 0xF1],
    [0x10, 0x62, 0x46],
    [0x4E, 0x2A, 0x04],
    [0x9B, 0x00, 0x00],
    [0x00, 0x00, 0xC3],
    [0x00, 0xEA, 0xFF],
    [0xBE, 0x00, 0xFE],
    [0xEB, 0xCD, 0x87],
    [0xF8, 0xA4, 0x8B],
    [0xBF, 0xFF, 0x80],
    [0xDC, 0xB9, 0xEB],
    [0x28, 0x28, 0x28],
    [0xEB, 0xF0, 0xFF],
    [0x00, 0x78, 0x1E],
    [0xA4, 0x6F, 0x33],
    [0x2E, 0x2D, 0x2E],
];

/// Returns the colour of a team; numbers beyond the last are black.
pub fn team_colour(team: u32) -> [u8; 3] {
    TEAM_COLOURS.get(team as usize).copied().unwrap_or([0x2E, 0x2D, 0x2E])
}

/// What a replaceable id stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replaceable {
    /// The team's colour all over.
    TeamColour,
    /// A glow in the team's colour, drawn additively.
    TeamGlow,
    /// A file of the game, without its ending.
    File(&'static str),
    /// Nothing that is known.
    Unknown,
}

/// Returns what a replaceable id stands for.
///
/// ```
/// use galatea_texture::team::{Replaceable, replaceable};
/// assert_eq!(replaceable(1), Replaceable::TeamColour);
/// assert_eq!(replaceable(11), Replaceable::File("ReplaceableTextures\\Cliff\\Cliff0"));
/// ```
pub fn replaceable(id: u32) -> Replaceable {
    match id {
        1 => Replaceable::TeamColour,
        2 => Replaceable::TeamGlow,
        11 => Replaceable::File(r"ReplaceableTextures\Cliff\Cliff0"),
        31 => Replaceable::File(r"ReplaceableTextures\LordaeronTree\LordaeronSummerTree"),
        32 => Replaceable::File(r"ReplaceableTextures\AshenvaleTree\AshenTree"),
        33 => Replaceable::File(r"ReplaceableTextures\BarrensTree\BarrensTree"),
        34 => Replaceable::File(r"ReplaceableTextures\NorthrendTree\NorthTree"),
        35 => Replaceable::File(r"ReplaceableTextures\Mushroom\MushroomTree"),
        36 => Replaceable::File(r"ReplaceableTextures\RuinsTree\RuinsTree"),
        37 => Replaceable::File(r"ReplaceableTextures\OutlandMushroomTree\MushroomTree"),
        _ => Replaceable::Unknown,
    }
}

/// Returns the game's own file for a replaceable id, without its ending; the number of the team is in the name.
///
/// ```
/// assert_eq!(galatea_texture::team::path(2, 3).unwrap(), "ReplaceableTextures\\TeamGlow\\TeamGlow03");
/// ```
pub fn path(id: u32, team: u32) -> Option<String> {
    match replaceable(id) {
        Replaceable::TeamColour => Some(format!(r"ReplaceableTextures\TeamColor\TeamColor{team:02}")),
        Replaceable::TeamGlow => Some(format!(r"ReplaceableTextures\TeamGlow\TeamGlow{team:02}")),
        Replaceable::File(path) => Some(path.to_owned()),
        Replaceable::Unknown => None,
    }
}

/// Returns the replaceable id and the team that a path of the game means, where a model names one team's file itself.
///
/// ```
/// use galatea_texture::team::named;
/// assert_eq!(named(r"ReplaceableTextures\TeamColor\TeamColor11.blp"), Some((1, 11)));
/// assert_eq!(named(r"Textures\TeamBanner.blp"), None);
/// ```
pub fn named(path: &str) -> Option<(u32, u32)> {
    let name = path.rsplit(['\\', '/']).next()?.to_lowercase();
    let stem = name.split('.').next()?;
    let number = |prefix: &str| stem.strip_prefix(prefix)?.parse().ok();
    number("teamcolor").map(|team| (1, team)).or_else(|| number("teamglow").map(|team| (2, team)))
}

/// Returns an image for a replaceable id that needs no file: the team's colour, or a round glow of it.
pub fn image(id: u32, team: u32) -> Option<Image> {
    let [r, g, b] = team_colour(team);
    match replaceable(id) {
        Replaceable::TeamColour => Some(Image::filled(8, 8, [r, g, b, 255])),
        Replaceable::TeamGlow => {
            const SIZE: u32 = 32;
            let middle = (SIZE as f32 - 1.0) / 2.0;
            let mut rgba = Vec::with_capacity((SIZE * SIZE * 4) as usize);
            for y in 0..SIZE {
                for x in 0..SIZE {
                    let (dx, dy) = (x as f32 - middle, y as f32 - middle);
                    let near = (1.0 - dx.hypot(dy) / middle).clamp(0.0, 1.0);
                    let light = near * near;
                    let glow = |c: u8| (f32::from(c) * light + 0.5) as u8;
                    rgba.extend([glow(r), glow(g), glow(b), (255.0 * light + 0.5) as u8]);
                }
            }
            Image::new(SIZE, SIZE, rgba)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_need_no_file() {
        assert_eq!(image(1, 1).unwrap().pixel(3, 3), Some([0x00, 0x42, 0xFF, 255]));
        let glow = image(2, 0).unwrap();
        assert_eq!(glow.pixel(0, 0), Some([0, 0, 0, 0]));
        assert!(glow.pixel(16, 16).unwrap()[0] > 220);
        assert_eq!(image(31, 0), None);
        assert_eq!(team_colour(9999), team_colour(24));
    }
}
