//! Which surface a material stands for.

use foldhash::HashSet;
use galatea_scene::Material;
use galatea_wire::Loss;

use super::Authoring;
use super::names::bare;
use crate::{derived, surface};

/// Other spellings of surfaces, as the tools and people write them, without blanks and signs.
const SPELLINGS: [(&str, u32); 33] = [
    ("undefined", 0),
    ("ground", 1),
    ("earth", 1),
    ("soil", 1),
    ("obscure", 2),
    ("lawn", 3),
    ("meadow", 3),
    ("rock", 4),
    ("concrete", 4),
    ("tile", 4),
    ("tiles", 4),
    ("wooden", 5),
    ("planks", 5),
    ("shallowwater", 6),
    ("nonwalkable", 7),
    ("notwalkable", 7),
    ("nowalk", 7),
    ("unwalkable", 7),
    ("blocked", 7),
    ("wall", 7),
    ("glass", 8),
    ("rug", 9),
    ("steel", 10),
    ("puddle", 11),
    ("swampy", 12),
    ("muddy", 13),
    ("leaf", 14),
    ("foliage", 14),
    ("pit", 16),
    ("nonwalkgrass", 19),
    ("snowy", 19),
    ("sandy", 20),
    ("bones", 21),
];

/// Returns the surface that a name stands for: one of the game's, another spelling, or a number.
pub(super) fn of_name(name: &str) -> Option<u32> {
    let name = bare(name);
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let exact = |text: &str| {
        let of_game = surface::NAMES.iter().position(|n| n.is_some_and(|n| n.eq_ignore_ascii_case(text)));
        let of_game = of_game.and_then(|id| u32::try_from(id).ok());
        of_game.or_else(|| SPELLINGS.iter().find(|(s, _)| *s == text).map(|(_, id)| *id))
    };
    let whole = plain(&name);
    let bare_number = whole.trim_start_matches("surface").parse::<u32>().ok();
    let known = |id: &u32| surface::name(*id).is_some();
    let unnumbered = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    let found = exact(&whole).or(bare_number.filter(known)).or_else(|| exact(unnumbered));
    found.or_else(|| {
        // `Floor_Grass`, `Stone floor`: if all words that are surfaces agree.
        let words = name.split(|c: char| !c.is_alphanumeric());
        let mut surfaces = words.filter_map(|w| exact(w.trim_end_matches(|c: char| c.is_ascii_digit())));
        let first = surfaces.next()?;
        surfaces.all(|other| other == first).then_some(first)
    })
}

/// The surfaces of a scene's materials.
pub(super) struct Surfaces<'a> {
    authoring: &'a Authoring,
    /// The surface of materials whose names mean nothing.
    default: u32,
    /// The names that meant nothing, each once.
    unknown: Vec<String>,
    seen: HashSet<String>,
}

impl<'a> Surfaces<'a> {
    pub(super) fn new(authoring: &'a Authoring, default: u32) -> Self {
        Surfaces { authoring, default, unknown: Vec::new(), seen: HashSet::default() }
    }

    /// Returns the surface of a material.
    pub(super) fn of(&mut self, material: Option<&Material>) -> u32 {
        let name = material.map_or("", |m| m.name.as_str());
        let told = self
            .authoring
            .surfaces
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name) || bare(n) == bare(name));
        if let Some((_, surface)) = told {
            return *surface;
        }
        let found = material.and_then(derived::surface_of).or_else(|| of_name(name));
        found.unwrap_or_else(|| {
            if self.seen.insert(name.to_owned()) {
                self.unknown.push(name.to_owned());
            }
            self.default
        })
    }

    /// Returns a loss for every material whose name meant nothing.
    pub(super) fn losses(&self) -> impl Iterator<Item = Loss> + '_ {
        let become_ = derived::surface_name(self.default);
        self.unknown.iter().map(move |name| {
            let path = if name.is_empty() {
                "faces without a material".into()
            } else {
                format!("material {name:?}")
            };
            Loss::new(path, format!("not the name of a surface; it becomes {become_}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_are_known_by_every_usual_name() {
        for (id, name) in surface::NAMES.iter().enumerate().filter_map(|(i, n)| Some((i as u32, (*n)?))) {
            for spelled in [
                name.to_owned(),
                name.to_uppercase(),
                format!("{name}.002"),
                format!("{name}_01"),
                format!("walk {name}"),
            ] {
                assert_eq!(of_name(&spelled), Some(id), "{spelled}");
            }
        }
        let more = [
            ("Non-walk", 7),
            ("non walkable", 7),
            ("Bottomless Pit", 16),
            ("deep_water", 17),
            ("Stone Bridge", 22),
            ("surface 12", 12),
            ("4", 4),
            ("Floor_Grass", 3),
            ("Puddle", 11),
            ("Bare-Bones", 21),
            ("Lava glow", 15),
        ];
        for (name, id) in more {
            assert_eq!(of_name(name), Some(id), "{name}");
        }
        for name in ["", "Material", "metal door", "77", "mygrasstexture", "None"] {
            assert_eq!(of_name(name), None, "{name}");
        }
    }

    #[test]
    fn decided_surfaces_come_first_and_unknown_ones_are_named_once() {
        let authoring = Authoring::default().with_surfaces(vec![("Grass".into(), 10), ("floor".into(), 20)]);
        let mut surfaces = Surfaces::new(&authoring, 4);
        let mut of = |name: &str| surfaces.of(Some(&Material { name: name.into(), ..Material::default() }));
        assert_eq!(["Grass", "floor.001", "Mud", "x", "x"].map(&mut of), [10, 20, 13, 4, 4]);
        let lines: Vec<String> = surfaces.losses().map(|l| l.to_string()).collect();
        assert_eq!(lines, ["material \"x\": not the name of a surface; it becomes Stone"]);
    }
}
