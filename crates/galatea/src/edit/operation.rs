//! The operations, and how they are written.

use std::fmt;

use galatea_wire::{FieldPath, near};

use super::pattern::Pattern;
use super::{Axis, Derived};

/// One change, or one question.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// Gives fields another value.
    Set {
        /// The fields.
        path: FieldPath,
        /// The value, as text.
        value: String,
    },
    /// Reads fields.
    Get {
        /// The fields.
        path: FieldPath,
    },
    /// Gives textures another name. Stars of the new name stand for what those of the old one do.
    Texture {
        /// The name, or a pattern.
        old: String,
        /// The new name.
        new: String,
    },
    /// Gives textures another name by a regular expression.
    Regex {
        /// The expression. Letter case does not count.
        pattern: String,
        /// What every match becomes; `$1` and `${name}` stand for groups.
        new: String,
    },
    /// Puts a text before the name of every texture.
    TexturePrefix {
        /// The text.
        prefix: String,
    },
    /// Renames a node (a bone or group of the Fox Engine).
    RenameNode {
        /// Its name.
        old: String,
        /// Its new name.
        new: String,
    },
    /// Removes a node that nothing needs.
    RemoveNode {
        /// Its name.
        name: String,
    },
    /// Puts a layer of the team color under materials of a Warcraft III model.
    TeamColorLayer {
        /// The material; `None` for all.
        material: Option<u32>,
    },
    /// Renames a clip.
    RenameClip {
        /// Its name.
        old: String,
        /// Its new name.
        new: String,
    },
    /// Removes clips.
    RemoveClip {
        /// Their names, or patterns.
        clips: Vec<String>,
    },
    /// Removes all clips but these.
    KeepClips {
        /// Their names, or patterns.
        clips: Vec<String>,
    },
    /// Puts clips first, in this order.
    ClipOrder {
        /// Their names, or patterns.
        clips: Vec<String>,
    },
    /// Sets the supermodel of a KotOR model.
    Supermodel {
        /// Its name.
        name: String,
    },
    /// Sets the class of a KotOR model.
    Class {
        /// Its name or number.
        class: String,
    },
    /// Shows or hides the backs of all triangles.
    TwoSided {
        /// Whether they are shown.
        on: bool,
    },
    /// Shows or hides meshes or groups.
    Visibility {
        /// Their names, or a pattern.
        node: String,
        /// Whether they are shown.
        on: bool,
    },
    /// Computes derived tables again.
    Recompute {
        /// Which, in order.
        what: Vec<Derived>,
    },
    /// Multiplies all lengths.
    Scale {
        /// The factor.
        factor: f32,
    },
    /// Moves everything.
    Move {
        /// By how much.
        by: [f32; 3],
    },
    /// Turns everything about an axis through the origin.
    Rotate {
        /// The axis.
        axis: Axis,
        /// Counter-clockwise, looking against the axis.
        degrees: f32,
    },
    /// Puts everything on the other side of the origin.
    Mirror {
        /// The axis that is turned around.
        axis: Axis,
    },
    /// Gives effects, lights and colored meshes another hue.
    Recolor {
        /// Red, green, blue, from 0 to 1.
        color: [f32; 3],
    },
    /// Makes normals smooth up to an angle between faces.
    Smooth {
        /// The angle.
        degrees: f32,
    },
    /// Adds an attachment point.
    Attach {
        /// Its name.
        name: String,
        /// The node that it is attached to.
        to: String,
        /// Its place, relative to that node.
        at: [f32; 3],
    },
}

/// How an operation is written, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationInfo {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// What follows it.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Whether it changes the file.
    pub changes: bool,
    /// Whether what follows it may begin with a minus sign.
    pub numbers: bool,
}

/// All operations.
pub const OPERATIONS: &[OperationInfo] = &[
    OperationInfo {
        name: "set",
        value: "FIELD=VALUE",
        help: "Set a field that `inspect` shows, such as 'nodes[torso].mesh.diffuse=1,0.5,0'; [*] means all",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "get",
        value: "FIELD",
        help: "Print fields, such as 'sequences[*].name'",
        changes: false,
        numbers: false,
    },
    OperationInfo {
        name: "texture",
        value: "OLD=NEW",
        help: "Give textures another name; stars of NEW stand for what those of OLD do: 'Textures\\*=mod\\*'",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "regex",
        value: "PATTERN=NEW",
        help: "Give textures another name by a regular expression; $1 of NEW stands for the first group: '(.*)_old=${1}_new'",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "texture-prefix",
        value: "TEXT",
        help: "Put a text, such as war3mapImported\\, before the name of every texture",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "rename-node",
        value: "OLD=NEW",
        help: "Rename a node, or a bone or group of an FMDL",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "remove-node",
        value: "NODE",
        help: "Remove a node or bone that no other one, no geoset and no skin needs",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "team-color-layer",
        value: "MATERIAL|all",
        help: "Put a layer of the team color under a material of a Warcraft III model",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "rename-clip",
        value: "OLD=NEW",
        help: "Rename a clip",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "remove-clip",
        value: "NAMES",
        help: "Remove clips: names with commas, or patterns such as 'Decay*'",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "keep-clips",
        value: "NAMES",
        help: "Remove all clips but these",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "clip-order",
        value: "NAMES",
        help: "Put these clips first, in this order",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "supermodel",
        value: "NAME",
        help: "Set the supermodel of a KotOR model; NULL for none. Node numbers stay as they are",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "class",
        value: "CLASS",
        help: "Set the class of a KotOR model, such as character or placeable",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "two-sided",
        value: "YES|NO",
        help: "Draw both sides of all triangles, or only the front",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "visibility",
        value: "NODE=YES|NO",
        help: "Show or hide meshes of a KotOR model, geosets of a Warcraft III model by their numbers, or groups of an FMDL",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "recompute",
        value: "TABLES",
        help: "Compute normals, tangents, bounds, aabb or adjacency again, with commas between",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "scale",
        value: "FACTOR",
        help: "Multiply all lengths: vertices, keys, binds, extents, emitters, collision shapes, walkmeshes",
        changes: true,
        numbers: true,
    },
    OperationInfo {
        name: "move",
        value: "X,Y,Z",
        help: "Move everything: vertices, nodes, extents, cameras, walkmeshes",
        changes: true,
        numbers: true,
    },
    OperationInfo {
        name: "rotate",
        value: "AXIS,DEGREES",
        help: "Turn everything about an axis through the origin, such as z,90: vertices, keys, binds, emitters, walkmeshes",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "mirror",
        value: "AXIS",
        help: "Put everything on the other side of x, y or z: vertices, keys, binds, triangles, walkmeshes",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "recolor",
        value: "COLOR",
        help: "Give effects, lights and colored meshes another hue: #RRGGBB, or R,G,B from 0 to 1",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "smooth",
        value: "DEGREES",
        help: "Make normals again, smooth where faces meet at no more than this angle",
        changes: true,
        numbers: false,
    },
    OperationInfo {
        name: "attach",
        value: "NAME",
        help: "Add an attachment point of this name to the node of --to",
        changes: true,
        numbers: false,
    },
    OperationInfo { name: "to", value: "NODE", help: "Of --attach: the node", changes: true, numbers: false },
    OperationInfo {
        name: "at",
        value: "X,Y,Z",
        help: "Of --attach: the place relative to the node [default: 0,0,0]",
        changes: true,
        numbers: true,
    },
];

/// A text that is no operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnOperation(pub(super) String);

impl fmt::Display for NotAnOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAnOperation {}

impl Operation {
    /// Parses an operation, given its name and what follows it.
    ///
    /// ```
    /// use galatea::edit::Operation;
    /// let operation = Operation::parse("set", "sequences[Walk].move_speed=270").unwrap();
    /// assert_eq!(operation.to_string(), "--set sequences[Walk].move_speed=270");
    /// assert!(Operation::parse("sett", "a=1").unwrap_err().to_string().contains("--set"));
    /// ```
    pub fn parse(name: &str, value: &str) -> Result<Operation, NotAnOperation> {
        let path = |text: &str| -> Result<FieldPath, NotAnOperation> {
            text.parse().map_err(|error| NotAnOperation(format!("--{name} {value}: \"{text}\" {error}")))
        };
        match name {
            "set" => {
                let (field, to) = assignment(value).ok_or_else(|| {
                    NotAnOperation(format!(
                        "--set {value}: needs FIELD=VALUE, such as sequences[Walk].move_speed=270"
                    ))
                })?;
                Ok(Operation::Set { path: path(field)?, value: to.trim().to_owned() })
            }
            "get" => Ok(Operation::Get { path: path(value)? }),
            "texture" => {
                let (old, new) = pair(name, value)?;
                if !Pattern::new(&old).can_become(&new) {
                    return Err(NotAnOperation(format!(
                        "--{name} {value}: the new name has more stars than the old one"
                    )));
                }
                Ok(Operation::Texture { old, new })
            }
            "texture-prefix" => Ok(Operation::TexturePrefix { prefix: value.to_owned() }),
            "rename-node" => pair(name, value).map(|(old, new)| Operation::RenameNode { old, new }),
            "remove-node" => Ok(Operation::RemoveNode { name: value.to_owned() }),
            "team-color-layer" => {
                let index = value.parse().map(Some).ok().or((value == "all").then_some(None));
                let wrong = || {
                    NotAnOperation(format!(
                        "--team-color-layer {value}: needs the number of a material, or all"
                    ))
                };
                index.map(|material| Operation::TeamColorLayer { material }).ok_or_else(wrong)
            }
            "rename-clip" => pair(name, value).map(|(old, new)| Operation::RenameClip { old, new }),
            "remove-clip" => list(name, value).map(|clips| Operation::RemoveClip { clips }),
            "keep-clips" => list(name, value).map(|clips| Operation::KeepClips { clips }),
            "clip-order" => list(name, value).map(|clips| Operation::ClipOrder { clips }),
            "supermodel" => Ok(Operation::Supermodel { name: value.to_owned() }),
            "class" => Ok(Operation::Class { class: value.to_owned() }),
            "two-sided" => Ok(Operation::TwoSided { on: yes(name, value)? }),
            "visibility" => {
                let (node, on) = pair(name, value)?;
                Ok(Operation::Visibility { node, on: yes(name, &on)? })
            }
            "recompute" => {
                let known =
                    |name: &String| Derived::ALL.iter().find(|(_, n)| n == name).map(|(what, _)| *what);
                let what: Option<Vec<Derived>> = list(name, value)?.iter().map(known).collect();
                let names: Vec<&str> = Derived::ALL.iter().map(|(_, name)| *name).collect();
                let wrong =
                    || NotAnOperation(format!("--recompute {value}: can compute {}", names.join(", ")));
                what.map(|what| Operation::Recompute { what }).ok_or_else(wrong)
            }
            "scale" => {
                let factor: Option<f32> = value.parse().ok().filter(|f: &f32| *f > 0.0 && f.is_finite());
                let wrong =
                    || NotAnOperation(format!("--scale {value}: needs a number above 0, such as 1.5"));
                factor.map(|factor| Operation::Scale { factor }).ok_or_else(wrong)
            }
            "regex" => {
                let (pattern, new) = pair(name, value)?;
                let checked = super::textures::expression(&pattern);
                checked.map_err(|error| NotAnOperation(format!("--{name} {value}: {error}")))?;
                Ok(Operation::Regex { pattern, new })
            }
            "move" | "rotate" | "mirror" | "recolor" | "smooth" => shaped(name, value),
            "attach" => attach(value),
            "to" | "at" => Err(NotAnOperation(format!("--{name} {value}: belongs behind --attach NAME"))),
            _ => {
                let meant = near(name, OPERATIONS.iter().map(|known| known.name));
                let hint = meant.map_or(String::new(), |meant| format!("; did you mean --{meant}?"));
                Err(NotAnOperation(format!("--{name} is no operation{hint}")))
            }
        }
    }

    /// Returns `true` if the operation changes the file; `false` if it only reads.
    pub fn changes(&self) -> bool {
        !matches!(self, Operation::Get { .. })
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Set { path, value } => write!(f, "--set {path}={value}"),
            Operation::Get { path } => write!(f, "--get {path}"),
            Operation::Texture { old, new } => write!(f, "--texture {old}={new}"),
            Operation::TexturePrefix { prefix } => write!(f, "--texture-prefix {prefix}"),
            Operation::RenameNode { old, new } => write!(f, "--rename-node {old}={new}"),
            Operation::RemoveNode { name } => write!(f, "--remove-node {name}"),
            Operation::TeamColorLayer { material: None } => write!(f, "--team-color-layer all"),
            Operation::TeamColorLayer { material: Some(index) } => write!(f, "--team-color-layer {index}"),
            Operation::RenameClip { old, new } => write!(f, "--rename-clip {old}={new}"),
            Operation::RemoveClip { clips } => write!(f, "--remove-clip {}", clips.join(",")),
            Operation::KeepClips { clips } => write!(f, "--keep-clips {}", clips.join(",")),
            Operation::ClipOrder { clips } => write!(f, "--clip-order {}", clips.join(",")),
            Operation::Supermodel { name } => write!(f, "--supermodel {name}"),
            Operation::Class { class } => write!(f, "--class {class}"),
            Operation::TwoSided { on } => write!(f, "--two-sided {}", yes_or_no(*on)),
            Operation::Visibility { node, on } => write!(f, "--visibility {node}={}", yes_or_no(*on)),
            Operation::Recompute { what } => {
                let names: Vec<&str> = what.iter().map(|what| what.name()).collect();
                write!(f, "--recompute {}", names.join(","))
            }
            Operation::Scale { factor } => write!(f, "--scale {factor}"),
            Operation::Regex { pattern, new } => write!(f, "--regex {pattern}={new}"),
            Operation::Move { by: [x, y, z] } => write!(f, "--move {x},{y},{z}"),
            Operation::Rotate { axis, degrees } => write!(f, "--rotate {},{degrees}", axis.name()),
            Operation::Mirror { axis } => write!(f, "--mirror {}", axis.name()),
            Operation::Recolor { color: [r, g, b] } => write!(f, "--recolor {r},{g},{b}"),
            Operation::Smooth { degrees } => write!(f, "--smooth {degrees}"),
            Operation::Attach { name, to, at: [x, y, z] } => {
                write!(f, "--attach {name} --to {to} --at {x},{y},{z}")
            }
        }
    }
}

fn yes_or_no(on: bool) -> &'static str {
    if on { "yes" } else { "no" }
}

/// Splits `OLD=NEW`.
fn pair(name: &str, value: &str) -> Result<(String, String), NotAnOperation> {
    let both = value.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty());
    let both = both.map(|(old, new)| (old.to_owned(), new.to_owned()));
    both.ok_or_else(|| NotAnOperation(format!("--{name} {value}: needs two names, OLD=NEW")))
}

/// Splits names at their commas.
fn list(name: &str, value: &str) -> Result<Vec<String>, NotAnOperation> {
    let names: Vec<String> =
        value.split(',').map(|name| name.trim().to_owned()).filter(|n| !n.is_empty()).collect();
    if names.is_empty() { Err(NotAnOperation(format!("--{name}: needs names"))) } else { Ok(names) }
}

fn yes(name: &str, value: &str) -> Result<bool, NotAnOperation> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Ok(true),
        "no" | "false" | "off" | "0" => Ok(false),
        _ => Err(NotAnOperation(format!("--{name}: \"{value}\" is neither yes nor no"))),
    }
}

/// Reads numbers with commas between.
fn three(value: &str) -> Option<[f32; 3]> {
    let numbers: Option<Vec<f32>> = value.split(',').map(|n| n.trim().parse().ok()).collect();
    <[f32; 3]>::try_from(numbers?).ok().filter(|all| all.iter().all(|n| n.is_finite()))
}

/// Reads `#RRGGBB`, or three numbers from 0 to 1.
fn color(value: &str) -> Option<[f32; 3]> {
    let Some(hex) = value.strip_prefix('#') else {
        return three(value).filter(|all| all.iter().all(|n| (0.0..=1.0).contains(n)));
    };
    let all = u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 6)?;
    let [_, r, g, b] = all.to_be_bytes();
    Some([r, g, b].map(|part| f32::from(part) / 255.0))
}

/// Reads operations on the shape and the colors of a whole model.
fn shaped(name: &str, value: &str) -> Result<Operation, NotAnOperation> {
    let wrong = |why: &str| NotAnOperation(format!("--{name} {value}: {why}"));
    let axis = |text: &str| {
        let found = Axis::ALL.iter().find(|(_, name)| text.trim().eq_ignore_ascii_case(name));
        found.map(|(axis, _)| *axis)
    };
    match name {
        "move" => {
            let by = three(value).ok_or_else(|| wrong("needs three numbers, such as 0,0,1.5"))?;
            Ok(Operation::Move { by })
        }
        "rotate" => {
            let (of, degrees) = value.split_once(',').unwrap_or((value, ""));
            let degrees = degrees.trim().parse().ok().filter(|n: &f32| n.is_finite());
            let both = axis(of).zip(degrees);
            let (axis, degrees) = both.ok_or_else(|| wrong("needs an axis and degrees, such as z,90"))?;
            Ok(Operation::Rotate { axis, degrees })
        }
        "mirror" => {
            axis(value).map(|axis| Operation::Mirror { axis }).ok_or_else(|| wrong("needs x, y or z"))
        }
        "recolor" => {
            let color = color(value).filter(|color| color.iter().any(|part| *part > 0.0));
            let color = color
                .ok_or_else(|| wrong("needs a color that is not black: #RRGGBB, or R,G,B from 0 to 1"))?;
            Ok(Operation::Recolor { color })
        }
        _ => {
            let degrees = value.parse().ok().filter(|n: &f32| (0.0..=180.0).contains(n));
            degrees
                .map(|degrees| Operation::Smooth { degrees })
                .ok_or_else(|| wrong("needs degrees from 0 to 180"))
        }
    }
}

/// Reads `NAME --to NODE --at X,Y,Z`.
fn attach(value: &str) -> Result<Operation, NotAnOperation> {
    let wrong = |why: &str| NotAnOperation(format!("--attach {value}: {why}"));
    let (rest, at) = match value.split_once(" --at ") {
        Some((rest, at)) => (rest, at),
        None => (value, "0,0,0"),
    };
    let (name, to) =
        rest.split_once(" --to ").ok_or_else(|| wrong("needs --to NODE behind it, then --at X,Y,Z"))?;
    let at = three(at).ok_or_else(|| wrong("--at needs three numbers, such as 0,0,1.5"))?;
    if name.trim().is_empty() {
        return Err(wrong("needs a name"));
    }
    Ok(Operation::Attach { name: name.trim().to_owned(), to: to.trim().to_owned(), at })
}

/// Splits at the first `=` outside of brackets and quotes.
pub(super) fn assignment(text: &str) -> Option<(&str, &str)> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth = depth.saturating_sub(1),
            '=' if depth == 0 && !quoted => return Some((text.get(..at)?, text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equals_sign_outside_of_brackets_separates() {
        for (text, want) in [
            ("a=1", Some(("a", "1"))),
            ("a[x=y].b=c=d", Some(("a[x=y].b", "c=d"))),
            (r#"n "a\"=" > b=2"#, Some((r#"n "a\"=" > b"#, "2"))),
            ("a[x=y]", None),
            ("", None),
        ] {
            assert_eq!(assignment(text), want, "{text}");
        }
    }

    #[test]
    fn every_listed_operation_is_known_and_prints_as_it_is_written() {
        let known = [
            ("set", "a[0].b=1, 2"),
            ("get", "a[*].b"),
            ("texture", r"Textures\*=mod\*"),
            ("texture-prefix", "mod/"),
            ("rename-node", "a b=c"),
            ("remove-node", "Bip 01"),
            ("team-color-layer", "3"),
            ("team-color-layer", "all"),
            ("rename-clip", "Stand - 1=Stand"),
            ("remove-clip", "a,b*"),
            ("keep-clips", "a"),
            ("clip-order", "b,a"),
            ("supermodel", "S_Male02"),
            ("class", "door"),
            ("two-sided", "yes"),
            ("visibility", "a*=no"),
            ("recompute", "normals,bounds"),
            ("scale", "1.5"),
            ("regex", "(.*)_old=${1}_new"),
            ("move", "0,-1.5,2"),
            ("rotate", "z,-90"),
            ("mirror", "y"),
            ("recolor", "1,0.5,0"),
            ("smooth", "45"),
            ("attach", "Hand Ref --to hand --at 0,-1.5,2"),
        ];
        assert_eq!(
            known.len() + 1,
            OPERATIONS.len(),
            "--to and --at are parts of --attach, and one has two forms"
        );
        for (name, value) in known {
            let operation = Operation::parse(name, value).unwrap();
            assert_eq!(operation.to_string(), format!("--{name} {value}"));
            let info = OPERATIONS.iter().find(|info| info.name == name).unwrap();
            assert_eq!(info.changes, operation.changes());
        }
    }

    #[test]
    fn what_is_wrong_with_an_operation_is_told() {
        for (name, value, want) in [
            ("texture", "a", "needs two names"),
            ("texture", "a*=*b*", "more stars"),
            ("keep-clips", " , ", "needs names"),
            ("two-sided", "maybe", "neither yes nor no"),
            ("team-color-layer", "x", "the number of a material, or all"),
            ("recompute", "normal", "can compute normals, tangents"),
            ("scale", "-1", "a number above 0"),
            ("scale", "inf", "a number above 0"),
            ("attach", "Hook", "needs --to NODE"),
            ("attach", "Hook --to a --at 1,2", "three numbers"),
            ("attach", "Hook --to a --at 1,2,nan", "three numbers"),
            ("regex", "a(=b", "without closing"),
            ("move", "1,2", "three numbers"),
            ("move", "1,2,inf", "three numbers"),
            ("move", "1,a,2,3", "three numbers"),
            ("rotate", "w,90", "an axis and degrees"),
            ("rotate", "z", "an axis and degrees"),
            ("mirror", "left", "x, y or z"),
            ("recolor", "#12345", "#RRGGBB"),
            ("recolor", "2,0,0", "from 0 to 1"),
            ("recolor", "#000000", "not black"),
            ("smooth", "181", "from 0 to 180"),
            ("to", "hand", "belongs behind --attach"),
            ("rename-nod", "a=b", "did you mean --rename-node?"),
        ] {
            let error = Operation::parse(name, value).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }
}
