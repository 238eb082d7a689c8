//! Presets of materials: shader, technique, flags, texture slots and parameters as the games' own files have them.

use std::collections::HashSet;
use std::sync::LazyLock;

use galatea_wire::{Error, Result};

use crate::model::{MaterialInstance, Parameter};
use crate::name::Name;
use crate::scene::Game;

/// The data file; its head describes its lines.
static BUILT_IN: LazyLock<Presets> = LazyLock::new(|| {
    let mut out = Presets::default();
    // A test reads it too.
    let _ = out.add(include_str!("../data/presets.txt"));
    out
});

/// A material as the games' own files have it, without its textures.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Preset {
    /// Its name, and other names for the same.
    pub names: Vec<String>,
    /// What it is for; empty for presets that nobody has described.
    pub about: String,
    /// The games whose files use it.
    pub games: Vec<Game>,
    /// Shader, such as `fox_3ddf_basic`.
    pub shader: Name,
    /// Technique of the shader.
    pub technique: Name,
    /// Flags of the meshes.
    pub flags: u32,
    /// Texture slots in the order of the games' files.
    pub slots: Vec<Name>,
    /// Parameters with their usual values.
    pub parameters: Vec<Parameter>,
    /// How many materials of real files were counted that have this shader, technique and slots.
    pub count: usize,
}

impl Preset {
    /// Returns the first of its names.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Returns `true` if a name is one of its own; letter case does not matter.
    pub fn is_named(&self, name: &str) -> bool {
        self.names.iter().any(|n| n.eq_ignore_ascii_case(name))
    }

    /// Returns `true` if a material has the same shader, technique and slots.
    ///
    /// ```
    /// use galatea_fox::{MaterialInstance, Presets};
    /// let preset = Presets::built_in().find("tpp-static").unwrap();
    /// assert!(!preset.fits(&MaterialInstance::default()));
    /// ```
    pub fn fits(&self, material: &MaterialInstance) -> bool {
        same(&self.shader, &material.shader)
            && same(&self.technique, &material.technique)
            && self.slots.len() == material.textures.len()
            && self.slots.iter().zip(&material.textures).all(|(a, b)| same(a, &b.slot))
    }
}

pub(crate) fn same(a: &Name, b: &Name) -> bool {
    a.code() == b.code()
}

/// A texture of a game that changes nothing where it is used.
#[derive(Debug, Clone, Default)]
struct Neutral {
    games: Vec<Game>,
    slot: Name,
    path: String,
}

/// A list of presets. Those added later are found first.
///
/// ```
/// use galatea_fox::{Game, Presets};
/// let presets = Presets::built_in();
/// let wall = presets.of_material("tpp-static wall.001").unwrap();
/// assert_eq!(wall.technique, "fox3DDF_Blin_LNM".into());
/// assert!(presets.of_material("concrete [pes-stadium]").unwrap().games.contains(&Game::Pes));
/// assert!(presets.of_material("concrete").is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Presets {
    presets: Vec<Preset>,
    known: Vec<(Name, Name)>,
    neutral: Vec<Neutral>,
}

impl Presets {
    /// Returns the presets that were counted in the games' own files.
    pub fn built_in() -> &'static Presets {
        &BUILT_IN
    }

    /// Adds the presets of a text.
    ///
    /// ```
    /// let mut presets = galatea_fox::Presets::built_in().clone();
    /// presets.add("preset my-wall\n  shader fox_3ddf_basic\n  technique fox3DDF_Blin\n  flags 20/01\n  slot Base_Tex_SRGB\n")?;
    /// assert_eq!(presets.find("my-wall").unwrap().flags, 0x120);
    /// assert!(presets.add("preset my-wall\n  flag 1\n").is_err());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn add(&mut self, text: &str) -> Result<()> {
        for (number, line) in text.lines().enumerate() {
            let wrong = |what: &str| {
                let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
                Error::syntax(format!("{what} in a list of presets"), number, 1)
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let words: Vec<&str> = rest.split_whitespace().collect();
            match (key, words.as_slice()) {
                ("preset", [_, ..]) => {
                    let names = words.iter().map(|w| (*w).to_owned()).collect();
                    self.presets.push(Preset { names, ..Preset::default() });
                }
                ("known", [shader, technique]) => {
                    self.known.push((Name::parse(shader), Name::parse(technique)));
                }
                ("neutral", [games @ .., slot, path]) => {
                    let games = games.iter().filter_map(|g| Game::by_name(g)).collect();
                    self.neutral.push(Neutral { games, slot: Name::parse(slot), path: (*path).to_owned() });
                }
                _ => {
                    let preset = self.presets.last_mut().ok_or_else(|| wrong("a line before any preset"))?;
                    preset.set(key, rest.trim(), &words).map_err(|what| wrong(&what))?;
                }
            }
        }
        Ok(())
    }

    /// Returns all presets.
    pub fn iter(&self) -> impl Iterator<Item = &Preset> {
        self.presets.iter()
    }

    /// Returns the preset of this name, or of this `SHADER/TECHNIQUE`.
    pub fn find(&self, name: &str) -> Option<&Preset> {
        let whole = || {
            let (shader, technique) = name.split_once('/')?;
            self.of_pair(&Name::parse(shader), &Name::parse(technique))
        };
        self.presets.iter().rev().find(|p| p.is_named(name)).or_else(whole)
    }

    /// Returns the preset that the name of a material tells: one in brackets, or one that the name begins with.
    pub fn of_material(&self, name: &str) -> Option<&Preset> {
        if let Some(told) = bracketed(name)
            && let Some(preset) = self.find(told)
        {
            return Some(preset);
        }
        let begins = |word: &str| {
            let rest = name
                .get(word.len()..)
                .filter(|_| name.get(..word.len()).is_some_and(|n| n.eq_ignore_ascii_case(word)));
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        };
        let longest = |p: &&Preset| p.names.iter().filter(|n| begins(n)).map(String::len).max().unwrap_or(0);
        self.presets.iter().max_by_key(longest).filter(|p| longest(p) > 0)
    }

    /// Returns the first preset with this shader and technique.
    pub fn of_pair(&self, shader: &Name, technique: &Name) -> Option<&Preset> {
        let one = |p: &&Preset| same(&p.shader, shader) && same(&p.technique, technique);
        self.presets.iter().find(one)
    }

    /// Returns the first preset with the shader, technique and slots of a material.
    pub fn of_instance(&self, material: &MaterialInstance) -> Option<&Preset> {
        self.presets.iter().find(|p| p.fits(material))
    }

    /// Returns the preset of the same shader for meshes that are seen from both sides.
    pub(crate) fn two_sided(&self, preset: &Preset) -> Option<&Preset> {
        let plain = |name: &Name| name.text().map(|t| t.replace("_NC", ""));
        let technique = plain(&preset.technique)?;
        let partner = |p: &&Preset| {
            same(&p.shader, &preset.shader)
                && p.technique.text().is_some_and(|t| t.contains("_NC"))
                && plain(&p.technique).as_ref() == Some(&technique)
                && p.slots == preset.slots
        };
        self.presets.iter().find(partner)
    }

    /// Returns a texture of the game that changes nothing in this slot.
    pub fn neutral(&self, game: Game, slot: &Name) -> Option<&str> {
        let fits = |n: &&Neutral| n.games.contains(&game) && same(&n.slot, slot);
        self.neutral.iter().rev().find(fits).map(|n| n.path.as_str())
    }

    /// Returns all pairs of shader and technique, those of presets first.
    pub fn pairs(&self) -> impl Iterator<Item = (&Name, &Name)> {
        let known = self.known.iter().map(|(s, t)| (s, t));
        self.presets.iter().map(|p| (&p.shader, &p.technique)).chain(known)
    }

    /// Returns the name that is most like a misspelt one.
    pub fn closest(&self, name: &str) -> Option<&str> {
        let names = self.presets.iter().flat_map(|p| &p.names).map(String::as_str);
        closest(name, names.filter(|n| !n.contains('/')))
    }
}

impl Preset {
    fn set(&mut self, key: &str, rest: &str, words: &[&str]) -> std::result::Result<(), String> {
        match (key, words) {
            ("about", _) => self.about = rest.to_owned(),
            ("games", _) => {
                for word in words {
                    self.games.push(Game::by_name(word).ok_or_else(|| format!("unknown game {word:?}"))?);
                }
            }
            ("shader", [name]) => self.shader = Name::parse(name),
            ("technique", [name]) => self.technique = Name::parse(name),
            ("slot", [name]) => self.slots.push(Name::parse(name)),
            ("flags", [text]) => {
                self.flags = parse_flags(text).ok_or_else(|| format!("flags {text:?} are not as 80/41"))?;
            }
            ("count", [text]) => self.count = text.parse().map_err(|_| format!("count {text:?}"))?,
            ("parameter", [name, values @ ..]) if !values.is_empty() && values.len() <= 4 => {
                let mut value = [0.0; 4];
                for (slot, text) in value.iter_mut().zip(values) {
                    *slot = text.parse().map_err(|_| format!("{text:?} is no number"))?;
                }
                self.parameters.push(Parameter { name: Name::parse(name), value });
            }
            _ => return Err(format!("{key:?} with {} words is not known", words.len())),
        }
        Ok(())
    }
}

/// Reads flags as they are shown: `a0/41` are the first two bytes.
pub(crate) fn parse_flags(text: &str) -> Option<u32> {
    let (alpha, shadow) = text.split_once('/')?;
    let byte = |hex: &str| u8::from_str_radix(hex, 16).ok().map(u32::from);
    Some(byte(alpha)? | byte(shadow)? << 8)
}

/// Returns what stands in brackets at the end or in the middle of a name.
pub(crate) fn bracketed(name: &str) -> Option<&str> {
    let (_, rest) = name.rsplit_once('[')?;
    Some(rest.split_once(']')?.0.trim())
}

/// Returns the word that is most like another one, if it is like it at all.
pub(crate) fn closest<'a>(name: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 4);
    let name = name.to_lowercase();
    // Longer names are nobody's typing.
    if name.len() > 96 {
        return None;
    }
    let mut seen = HashSet::new();
    let near = words.filter(|w| seen.insert(*w)).map(|w| (distance(&name, &w.to_lowercase()), w));
    near.filter(|(far, _)| *far <= limit).min_by_key(|(far, _)| *far).map(|(_, word)| word)
}

/// Returns how many letters have to be changed, added or taken away.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut left = i + 1;
        let mut corner = i;
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let best = (corner + usize::from(x != *y)).min(left + 1).min(*cell + 1);
            corner = std::mem::replace(cell, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_is_read_whole() {
        let mut presets = Presets::default();
        presets.add(include_str!("../data/presets.txt")).unwrap();
        let text = include_str!("../data/presets.txt");
        assert_eq!(presets.presets.len(), text.lines().filter(|l| l.starts_with("preset ")).count());
        assert!(presets.presets.len() > 100 && presets.known.len() > 10 && presets.neutral.len() > 20);
        let names: Vec<&String> = presets.iter().flat_map(|p| &p.names).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        for preset in presets.iter() {
            assert!(!preset.shader.is_empty() && !preset.technique.is_empty(), "{preset:?}");
            assert!(!preset.games.is_empty(), "{preset:?}");
        }
    }

    #[test]
    fn misspelt_names_are_recognised() {
        let presets = Presets::built_in();
        assert_eq!(presets.closest("tpp-statik"), Some("tpp-static"));
        assert_eq!(presets.closest("something else"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn both_sides_have_a_technique_of_their_own() {
        let presets = Presets::built_in();
        let plain = presets.find("tpp-static").unwrap();
        let both = presets.two_sided(plain).unwrap();
        assert_eq!(both.technique, "fox3DDF_Blin_NC_LNM".into());
        assert!(presets.two_sided(presets.find("pes-stadium").unwrap()).is_none());
    }
}
