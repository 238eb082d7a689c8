//! What can be saved, and the names of it.

use std::fmt;

use galatea_wire::near;

/// One way to make a model smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// Triangles that are never seen, because two of their corners are in the same place in every pose. Only if it is asked for.
    Triangles,
    /// Vertices that no triangle uses, and vertices that are equal.
    Vertices,
    /// Lists of bones that no vertex uses, and equal ones.
    Groups,
    /// Texture animations that no material uses, and equal ones.
    TextureAnims,
    /// Textures that nothing uses, and equal ones.
    Textures,
    /// Materials that nothing uses, and equal ones.
    Materials,
    /// Meshes that can be drawn as one, and those without triangles.
    Meshes,
    /// Keys outside of all clips.
    Outside,
    /// Keys that change nothing within the tolerance.
    Keys,
    /// Tracks that never change: their value becomes the static one.
    Constants,
    /// Bones and helpers that nothing needs.
    Nodes,
    /// Equal tracks and clocks, which are stored once.
    Shared,
    /// Names that nothing has, bytes after the ends of names, empty chunks, notes of editors, lists that are longer than the model.
    Padding,
}

impl Step {
    /// All steps with their names and what they remove, in the order in which they run.
    pub const ALL: [(Step, &'static str, &'static str); 13] = [
        (Step::Triangles, "triangles", "degenerate triangles"),
        (Step::Vertices, "vertices", "unused and equal vertices"),
        (Step::Groups, "groups", "unused and equal lists of bones"),
        (Step::TextureAnims, "texture-anims", "unused and equal texture animations"),
        (Step::Textures, "textures", "unused and equal textures"),
        (Step::Materials, "materials", "unused and equal materials"),
        (Step::Meshes, "meshes", "meshes joined with others, and empty ones"),
        (Step::Outside, "outside", "keys outside of all clips"),
        (Step::Keys, "keys", "keys that change nothing"),
        (Step::Constants, "constants", "tracks that never change"),
        (Step::Nodes, "nodes", "bones and helpers that nothing needs"),
        (Step::Shared, "shared", "equal tracks and clocks"),
        (Step::Padding, "padding", "unused names, padding and notes of editors"),
    ];

    /// Returns the name, as the command line has it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(step, ..)| *step == self).map_or("", |(_, name, _)| name)
    }

    /// Returns what it removes, in words.
    pub fn what(self) -> &'static str {
        Self::ALL.iter().find(|(step, ..)| *step == self).map_or("", |(.., what)| what)
    }

    /// Returns `true` if the step runs unless it is left out.
    pub fn is_usual(self) -> bool {
        self != Step::Triangles
    }

    /// Returns the step of this name.
    ///
    /// ```
    /// use galatea::optimize::Step;
    /// assert_eq!(Step::parse("keys").unwrap(), Step::Keys);
    /// assert_eq!(Step::parse("key").unwrap_err().to_string(), "there is no step \"key\"; did you mean \"keys\"?");
    /// ```
    pub fn parse(name: &str) -> Result<Step, NotAStep> {
        let found = Self::ALL.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(step, ..)| *step).ok_or_else(|| NotAStep(name.to_owned()))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is the name of no step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAStep(String);

impl fmt::Display for NotAStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no step \"{}\"", galatea_wire::escape(&self.0))?;
        match near(&self.0, Step::ALL.iter().map(|(_, name, _)| *name)) {
            Some(near) => write!(f, "; did you mean \"{near}\"?"),
            None => {
                let names: Vec<&str> = Step::ALL.iter().map(|(_, name, _)| *name).collect();
                write!(f, "; there are {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for NotAStep {}
