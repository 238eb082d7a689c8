//! Collision shapes.

use galatea_wire::Result;

use super::block::Block;
use super::field::{Field, How, at, changed, same_bits};
use super::geosets::parse_rows;
use super::lex::{Lexer, is};
use super::objects::parts;
use super::out::Out;
use super::sidecar::Line;
use crate::{CollisionShape, Node, NodeKind, Shape, Version};

/// Keywords for shapes, and the number of vertices of each.
const KINDS: [(&str, usize); 4] = [("Box", 2), ("Plane", 2), ("Sphere", 1), ("Cylinder", 2)];
const BOX: usize = 0;
const PLANE: usize = 1;
const SPHERE: usize = 2;
const CYLINDER: usize = 3;

/// A collision shape as the text shows it.
#[derive(Debug, Default)]
pub(super) struct ShownShape {
    node: Node,
    kind: usize,
    points: Vec<[f32; 3]>,
    radius: f32,
    /// Sides and height, which only Blizzard's own tools write.
    length: f32,
    width: f32,
    height: f32,
    /// The type and the numbers stored in the file, for the sidecar or from it.
    raw: Option<(u32, Vec<f32>)>,
}

impl ShownShape {
    pub(super) fn of(shape: &CollisionShape, version: Version) -> Self {
        ShownShape { node: shape.node.clone(), ..Self::of_shape(&shape.shape, version) }
    }

    fn of_shape(shape: &Shape, version: Version) -> Self {
        let own = version.is_wow();
        let raw = (!own).then(|| shape.numbers());
        match *shape {
            Shape::Box { corners } => ShownShape { kind: BOX, points: corners.to_vec(), ..Self::default() },
            Shape::PlanePoints { points } => {
                ShownShape { kind: PLANE, points: points.to_vec(), ..Self::default() }
            }
            Shape::Sphere { center, radius } => {
                ShownShape { kind: SPHERE, points: vec![center], radius, ..Self::default() }
            }
            Shape::CylinderPoints { points, radius } => {
                ShownShape { kind: CYLINDER, points: points.to_vec(), radius, ..Self::default() }
            }
            Shape::Plane { length, width } if own => {
                ShownShape { kind: PLANE, length, width, ..Self::default() }
            }
            Shape::Cylinder { base, height, radius } if own => {
                ShownShape { kind: CYLINDER, points: vec![base], height, radius, ..Self::default() }
            }
            // The text of Warcraft III has these two only in the form that other tools use.
            Shape::Plane { length, width } => {
                let (x, y) = (finite(length / 2.0), finite(width / 2.0));
                ShownShape { kind: PLANE, points: vec![[-x, -y, 0.0], [x, y, 0.0]], raw, ..Self::default() }
            }
            Shape::Cylinder { base, height, radius } => {
                let [x, y, z] = base;
                let points = vec![base, [x, y, finite(z + height)]];
                ShownShape { kind: CYLINDER, points, radius, raw, ..Self::default() }
            }
        }
    }

    fn looks_like(&self, other: &ShownShape) -> bool {
        self.kind == other.kind
            && same_bits(self.points.as_flattened(), other.points.as_flattened())
            && same_bits(&[self.radius], &[other.radius])
    }

    /// Returns the shape, or an error message if the fields do not define one.
    fn shape(&self, version: Version) -> std::result::Result<Shape, String> {
        if let Some(stored) =
            self.raw.as_ref().and_then(|(kind, numbers)| Shape::from_numbers(*kind, numbers))
            && Self::of_shape(&stored, version).looks_like(self)
        {
            return Ok(stored);
        }
        let (word, count) = KINDS.get(self.kind).copied().unwrap_or(("Box", 2));
        let radius = self.radius;
        match (self.kind, self.points.as_slice(), version.is_wow()) {
            (PLANE, [], true) => Ok(Shape::Plane { length: self.length, width: self.width }),
            (CYLINDER, [base], true) => Ok(Shape::Cylinder { base: *base, height: self.height, radius }),
            (PLANE, _, true) => Err(format!("version {version} has no {word} made of Vertices")),
            (CYLINDER, _, true) => {
                Err(format!("in version {version} a {word} has 1 of Vertices, and a Height"))
            }
            // Missing vertices are at the pivot.
            (BOX, [], _) => Ok(Shape::default()),
            (SPHERE, [], _) => Ok(Shape::Sphere { center: [0.0; 3], radius }),
            (BOX, [a, b], _) => Ok(Shape::Box { corners: [*a, *b] }),
            (SPHERE, [center], _) => Ok(Shape::Sphere { center: *center, radius }),
            (PLANE, [a, b], _) => Ok(Shape::PlanePoints { points: [*a, *b] }),
            (CYLINDER, [a, b], _) => Ok(Shape::CylinderPoints { points: [*a, *b], radius }),
            (_, points, _) => Err(format!("a {word} has {count} of Vertices, not {}", points.len())),
        }
    }

    /// Returns the collision shape that [`finish`](Block::finish) has validated.
    pub(super) fn into_shape(self, version: Version) -> CollisionShape {
        let shape = self.shape(version).unwrap_or_default();
        CollisionShape { node: self.node, shape }
    }
}

/// Returns a number as it is printed: 0 if it is not finite.
fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

impl Block for ShownShape {
    const WORD: &'static str = "CollisionShape";
    const FIELDS: &'static [Field<Self>] = &[
        changed("BoundsRadius", How::Float(at!(radius))),
        changed("Length", How::Float(at!(length))),
        changed("Width", How::Float(at!(width))),
        changed("Height", How::Float(at!(height))),
    ];
    const MORE_FIRST: bool = true;
    parts!(node CollisionShape);

    fn parse_more(&mut self, lex: &mut Lexer<'_>, word: &[u8], _: bool, _: &mut u32) -> Result<bool> {
        if let Some(kind) = KINDS.iter().position(|(w, _)| is(word, w)) {
            self.kind = kind;
        } else if is(word, "Vertices") {
            self.points = parse_rows(lex, "Vertices")?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn print_more(&self, out: &mut Out) -> Result<()> {
        out.flag(KINDS.get(self.kind).map_or("Box", |(word, _)| word));
        if !self.points.is_empty() {
            out.rows("Vertices", &self.points);
        }
        if let Some((kind, numbers)) = &self.raw {
            let numbers: String = numbers.iter().map(|n| format!(" 0x{:x}", n.to_bits())).collect();
            out.sidecar(format!("shape {kind}{numbers}"));
        }
        Ok(())
    }

    fn take_line(&mut self, lex: &mut Lexer<'_>, line: Line<'_>, _: u32) -> Result<bool> {
        if line.key() != b"shape" {
            return Ok(false);
        }
        let numbers = line.numbers(lex)?;
        if let Some((kind, numbers)) = numbers.split_first() {
            self.raw = Some((*kind, numbers.iter().map(|n| f32::from_bits(*n)).collect()));
        }
        Ok(true)
    }

    fn finish(&mut self, lex: &mut Lexer<'_>, opened: usize, _: u32) -> Result<()> {
        match self.shape(lex.version) {
            Ok(_) => Ok(()),
            Err(what) => Err(lex.fail(opened, what)),
        }
    }
}
