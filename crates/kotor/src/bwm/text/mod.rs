//! Walkmeshes as text: bare nodes, as MDLOps, MDLEdit, kotorblender and PyKotor write them.
//!
//! The text has vertices, faces with their materials, room links and the positions from which an object is used. All other
//! tables of a walkmesh are derived from those. What differs from the derived value (other rounding, other trees) is in the
//! sidecar at the end, as in text models.

mod fields;
mod parse;
mod print;

use galatea_wire::{Error, ErrorKind, Limits, Place, Result};

use super::Walkmesh;
use crate::text::lex::Lex;
use crate::text::sidecar::{OPENING, Records, Sidecar};
use crate::text::token::{Keyword, token};
use print::Printer;

/// The state of a door that a walkmesh is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Door {
    /// Closed: the file `<door>0.dwk`.
    Closed,
    /// Open to one side: `<door>1.dwk`.
    Open1,
    /// Open to the other side: `<door>2.dwk`.
    Open2,
}

impl Door {
    /// All states, in the order of their files.
    pub const ALL: [Door; 3] = [Door::Closed, Door::Open1, Door::Open2];

    /// Returns the number in the name of its file.
    pub fn number(self) -> usize {
        self as usize
    }

    fn word(self) -> &'static str {
        match self {
            Door::Closed => "closed",
            Door::Open1 => "open1",
            Door::Open2 => "open2",
        }
    }

    fn of(name: &[u8]) -> Option<Door> {
        let name = name.to_ascii_lowercase();
        let has = |word: &str| name.windows(word.len()).any(|w| w == word.as_bytes());
        Door::ALL.into_iter().find(|d| has(&format!("_{}", d.word())))
    }
}

/// A walkmesh of a text.
#[derive(Debug, Clone)]
pub struct Part {
    /// Name of its node; empty if it has none.
    pub name: Vec<u8>,
    /// The state, if it belongs to a door.
    pub door: Option<Door>,
    /// The walkmesh.
    pub walkmesh: Walkmesh,
}

impl Part {
    /// Returns the name of the model that the walkmesh belongs to, derived from the name of its node.
    fn model(&self) -> &[u8] {
        let suffixes: &[&[u8]] = if self.door.is_some() { &[b"_dwk", b"_wg"] } else { &[b"_wg"] };
        let find =
            |suffix: &[u8]| self.name.windows(suffix.len()).position(|w| w.eq_ignore_ascii_case(suffix));
        let end = suffixes.iter().find_map(|suffix| find(suffix)).unwrap_or(self.name.len());
        self.name.get(..end).filter(|name| !name.is_empty()).unwrap_or(b"walkmesh")
    }
}

/// Returns whether these bytes are a walkmesh as text: a node of a walkmesh without a model around it.
///
/// ```
/// use galatea_kotor::bwm::text;
/// assert!(text::detect(b"node trimesh room_wg\n  parent room\n"));
/// assert!(!text::detect(b"newmodel room\nnode trimesh room_wg\n"));
/// ```
pub fn detect(bytes: &[u8]) -> bool {
    let mut lex = Lex::new(bytes.get(..64 << 10).unwrap_or(bytes));
    lex.next_line()
        && lex.word().is_some_and(|w| w.is(b"node"))
        && lex.word().is_some_and(|w| matches!(Keyword::of(w.text).bytes(), b"trimesh" | b"aabb" | b"dummy"))
}

/// Parses a walkmesh; for a door, the first of its three.
///
/// ```
/// use galatea_kotor::bwm::text;
/// use galatea_wire::Limits;
/// let mesh = text::parse(
///     b"node trimesh room_wg\n  parent room\n  position 0.0 0.0 0.0\n\
///       verts 3\n 0 0 0\n 4 0 0\n 0 4 0\nfaces 1\n 0 1 2 1 0 0 0 4\nroomlinks\n 0 5\nendlist\nendnode\n",
///     &Limits::default(),
/// )?;
/// assert_eq!((mesh.materials[0], mesh.normals[0]), (4, [0.0, 0.0, 1.0]));
/// assert_eq!(mesh.edges[0].transition, 5);
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Walkmesh> {
    let parts = parse_all(bytes, limits)?;
    let first = parts.into_iter().next().map(|p| p.walkmesh);
    first.ok_or_else(|| Error::new(ErrorKind::NotThisFormat, Place::Line { line: 1, column: 1 }))
}

/// Parses all walkmeshes of a text: one for a room or a placeable, up to three for a door.
pub fn parse_all(bytes: &[u8], limits: &Limits) -> Result<Vec<Part>> {
    let (plain, records) = Records::split(bytes);
    let nodes = parse::nodes(plain, limits)?;
    let mut sidecar = Sidecar::Restore(records, (0, 0));
    let mut parts = Vec::new();
    for (index, node) in nodes.iter().enumerate().filter(|(_, n)| n.mesh) {
        let mut walkmesh = node.walkmesh(&nodes)?;
        fields::complete(&mut walkmesh, node, index, None, &mut sidecar);
        parts.push(Part { name: node.name.clone(), door: node.door(), walkmesh });
    }
    Ok(parts)
}

/// Prints the walkmesh of a room or a placeable; `name` is that of the model. [`parse()`] restores the same walkmesh.
///
/// ```
/// use galatea_kotor::bwm::{Kind, Walkmesh, text};
/// use galatea_kotor::surface::Walkability;
/// use galatea_wire::Limits;
/// let corners = vec![[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// let mesh = Walkmesh::build(Kind::Area, corners, vec![[0, 1, 2]], vec![4], &Walkability::default())?;
/// let text = text::print(&mesh, "room")?;
/// assert!(text.starts_with(b"node trimesh room_wg\n  parent room\n"));
/// assert!(mesh.differences(&text::parse(&text, &Limits::default())?).is_empty());
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn print(mesh: &Walkmesh, name: &str) -> Result<Vec<u8>> {
    let mut printer = Printer::default();
    printer.part(mesh, None, &token(name.as_bytes()));
    with_sidecar(printer.out, &[mesh])
}

/// Prints the walkmeshes of a door (closed, open to one side, open to the other) as one text; `name` is that of the model.
pub fn print_door(meshes: [&Walkmesh; 3], name: &str) -> Result<Vec<u8>> {
    let name = token(name.as_bytes());
    let mut printer = Printer::default();
    for (door, mesh) in Door::ALL.into_iter().zip(meshes) {
        printer.part(mesh, Some(door), &name);
    }
    with_sidecar(printer.out, &meshes)
}

/// Prints all walkmeshes of a text. [`parse_all`] restores the same walkmeshes.
///
/// ```
/// use galatea_kotor::bwm::text;
/// use galatea_wire::Limits;
/// let other = b"node trimesh room_wg\nverts 3\n 0 0 0\n 4 0 0\n 0 4 0\nfaces 1\n 0 1 2 1 0 0 0 4\nendnode\n";
/// let parts = text::parse_all(other, &Limits::default())?;
/// assert!(text::print_all(&parts)?.starts_with(b"node trimesh room_wg\n  parent room\n"));
/// # Ok::<(), galatea_wire::Error>(())
/// ```
pub fn print_all<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Result<Vec<u8>> {
    let mut printer = Printer::default();
    let mut meshes = Vec::new();
    for part in parts {
        printer.part(&part.walkmesh, part.door, &token(part.model()));
        meshes.push(&part.walkmesh);
    }
    with_sidecar(printer.out, &meshes)
}

/// Appends what reading the text alone does not restore.
fn with_sidecar(mut text: Vec<u8>, real: &[&Walkmesh]) -> Result<Vec<u8>> {
    let limits = Limits::default().with_ratio(64).with_base_allowance(1 << 30);
    let mut sidecar = Sidecar::recorder();
    {
        let nodes = parse::nodes(&text, &limits)?;
        let meshes = nodes.iter().enumerate().filter(|(_, n)| n.mesh);
        for ((index, node), real) in meshes.zip(real) {
            let mut mesh = node.walkmesh(&nodes)?;
            fields::complete(&mut mesh, node, index, Some(real), &mut sidecar);
        }
    }
    if let Sidecar::Record(recorder) = sidecar
        && !recorder.out.is_empty()
    {
        text.extend_from_slice(OPENING);
        text.push(b'\n');
        text.extend_from_slice(&recorder.out);
    }
    Ok(text)
}
