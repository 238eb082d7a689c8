//! The class of a model, and how it is guessed.

use galatea_scene::Scene;

use super::{Authoring, Role, WalkmeshUse};

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Rooms, and everything that is nothing else.
    Other,
    /// Effects.
    Effect,
    /// Tiles; no model of the games is one.
    Tile,
    /// Characters, creatures, and most weapons.
    Character,
    /// Doors.
    Door,
    /// Lightsabers.
    Lightsaber,
    /// Placeables.
    Placeable,
    /// Flyers; no model of the games is one.
    Flyer,
}

impl Class {
    /// All classes, with their names. `room` is another name for `other`.
    pub const ALL: [(Class, &'static str); 8] = [
        (Class::Other, "other"),
        (Class::Effect, "effect"),
        (Class::Tile, "tile"),
        (Class::Character, "character"),
        (Class::Door, "door"),
        (Class::Lightsaber, "lightsaber"),
        (Class::Placeable, "placeable"),
        (Class::Flyer, "flyer"),
    ];

    /// Returns the number in the file.
    pub fn code(self) -> u8 {
        match self {
            Class::Other => 0,
            Class::Effect => 1,
            Class::Tile => 2,
            Class::Character => 4,
            Class::Door => 8,
            Class::Lightsaber => 16,
            Class::Placeable => 32,
            Class::Flyer => 64,
        }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(class, _)| *class == self).map_or("", |(_, name)| name)
    }

    /// Returns the class of this name, ignoring case.
    ///
    /// ```
    /// use galatea_kotor::authoring::Class;
    /// assert_eq!(Class::named("Room"), Some(Class::Other));
    /// ```
    pub fn named(name: &str) -> Option<Class> {
        let name = if name.eq_ignore_ascii_case("room") { "other" } else { name };
        Self::ALL.iter().find(|(_, n)| n.eq_ignore_ascii_case(name)).map(|(class, _)| *class)
    }

    /// Returns the class that models of this name have in the games, by its prefix.
    ///
    /// ```
    /// use galatea_kotor::authoring::Class;
    /// assert_eq!(Class::of_name("plc_crate"), Some(Class::Placeable));
    /// assert_eq!(Class::of_name("M01aa_02b"), Some(Class::Other));
    /// assert_eq!(Class::of_name("crate"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Class> {
        let name = name.to_ascii_lowercase();
        let prefixes = [
            ("plc_", Class::Placeable),
            ("or_", Class::Placeable),
            ("dor_", Class::Door),
            ("w_lghtsbr", Class::Lightsaber),
            ("w_shortsbr", Class::Lightsaber),
            ("w_dblsbr", Class::Lightsaber),
            ("w_", Class::Character),
            ("c_", Class::Character),
            ("n_", Class::Character),
            ("p_", Class::Character),
            ("s_male", Class::Character),
            ("s_female", Class::Character),
            ("v_", Class::Effect),
        ];
        if let Some((_, class)) = prefixes.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            return Some(*class);
        }
        match name.as_bytes() {
            // Bodies and heads of the party: `pmbam`, `pfhb05`.
            [b'p', b'm' | b'f', b'b' | b'h', ..] => Some(Class::Character),
            // Rooms and cutscenes: module 01, area aa.
            [b'm', a, b, c, d, b'_', rest @ ..]
                if a.is_ascii_digit()
                    && b.is_ascii_digit()
                    && c.is_ascii_alphabetic()
                    && d.is_ascii_alphabetic() =>
            {
                let scene = matches!(rest, [b'c', n, ..] if n.is_ascii_digit());
                Some(if scene { Class::Character } else { Class::Other })
            }
            _ => None,
        }
    }

    /// Returns `true` for what has a front: it faces -Y in Blender and +Y in the game. Rooms stay as they are, because
    /// their coordinates are those of the area.
    pub(crate) fn has_front(self) -> bool {
        !matches!(self, Class::Other | Class::Effect | Class::Tile)
    }

    /// Returns `true` for what casts shadows in the game.
    pub(crate) fn casts_shadow(self) -> bool {
        matches!(self, Class::Character | Class::Door | Class::Placeable)
    }

    /// Returns the kind of walkmesh that belongs to models of the class.
    pub(crate) fn walkmesh(self) -> WalkmeshUse {
        match self {
            Class::Door => WalkmeshUse::Door,
            Class::Placeable => WalkmeshUse::Placeable,
            _ => WalkmeshUse::Room,
        }
    }
}

/// Returns the class of a scene: as decided, by its name, or by what it holds.
pub(super) fn class_of(scene: &Scene, roles: &[Role], authoring: &Authoring) -> Class {
    let skinned = || scene.drawn().any(|(_, node, _)| node.skin.is_some());
    let guess = || {
        if roles.iter().any(Role::is_of_door) {
            Class::Door
        } else if roles.iter().any(Role::is_of_placeable) {
            Class::Placeable
        } else if skinned() {
            Class::Character
        } else {
            Class::Other
        }
    };
    authoring.class.or_else(|| Class::of_name(&scene.name)).unwrap_or_else(guess)
}
