//! Walkmeshes as text: nodes without a frame, as MDLOps, MDLEdit, kotorblender and PyKotor write them.
//!
//! [`print`] tells vertices, faces with their materials, room links and the places to use an object. Everything else a
//! walkmesh has is derived from those; what differs from that (other roundings, other trees) is carried in comment lines
//! at the end, as in text models.

use galatea_wire::{Error, ErrorKind, Limits, Place, Result};

use super::{AabbNode, Edge, Kind, Walkmesh};
use crate::surface::Walkability;
use crate::text::carry::{Carried, Carry, Guard, OPENING};
use crate::text::checksum::Sum;
use crate::text::encode::{Field, Kind as How, Words, put_list, take_list};
use crate::text::lex::{Lex, Spot, Word};
use crate::text::token::{Keyword, token};
use galatea_text::{Notation, push_f32, push_int};

/// Which state of a door a walkmesh is for.
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

    /// The number of its file.
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

/// A walkmesh of a text and what it is for.
#[derive(Debug, Clone)]
pub struct Part {
    /// Name of its node; empty where the tool gave none.
    pub name: Vec<u8>,
    /// The state, if it belongs to a door.
    pub door: Option<Door>,
    /// The walkmesh.
    pub walkmesh: Walkmesh,
}

impl Part {
    /// The name of the model that the walkmesh belongs to, as that of its node tells it.
    fn model(&self) -> &[u8] {
        let marks: &[&[u8]] = if self.door.is_some() { &[b"_dwk", b"_wg"] } else { &[b"_wg"] };
        let at = |mark: &[u8]| self.name.windows(mark.len()).position(|w| w.eq_ignore_ascii_case(mark));
        let end = marks.iter().find_map(|mark| at(mark)).unwrap_or(self.name.len());
        self.name.get(..end).filter(|name| !name.is_empty()).unwrap_or(b"walkmesh")
    }
}

/// Whether these bytes are a walkmesh as text: they begin with a node of a walkmesh, without a model around it.
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

/// A node as its lines tell it.
#[derive(Debug, Default)]
struct Told<'a> {
    /// As [`print_all`] writes it: the name selects the state of a door, so reading it again must give the same name.
    name: Vec<u8>,
    parent: &'a [u8],
    mesh: bool,
    position: [f32; 3],
    verts: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
    materials: Vec<u32>,
    links: Vec<(u32, i32)>,
    spot: Spot,
}

struct Parser<'a> {
    lex: Lex<'a>,
    left: u64,
}

impl<'a> Parser<'a> {
    fn spend(&mut self, bytes: usize) -> Result<()> {
        self.left =
            self.left.checked_sub(bytes as u64).ok_or_else(|| self.lex.spot().limit("decoded bytes"))?;
        Ok(())
    }

    fn rows<T>(&mut self, mut row: impl FnMut(&mut Lex<'a>) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        while self.lex.next_line() {
            if !self.lex.at_number() {
                self.lex.hold();
                break;
            }
            self.spend(size_of::<T>() * 2)?;
            out.push(row(&mut self.lex)?);
        }
        Ok(out)
    }

    fn nodes(mut self) -> Result<Vec<Told<'a>>> {
        let mut nodes = Vec::new();
        while self.lex.next_line() {
            let Some(word) = self.lex.word() else { continue };
            if word.is(b"node") {
                self.spend(size_of::<Told<'_>>() + size_of::<Walkmesh>())?;
                nodes.push(self.node(word)?);
            }
        }
        Ok(nodes)
    }

    fn node(&mut self, word: Word<'a>) -> Result<Told<'a>> {
        let kind = self.lex.need("a type of node")?;
        let mut told = Told { mesh: !kind.is(b"dummy"), spot: word.spot, ..Told::default() };
        told.name = self.lex.word().map_or_else(Vec::new, |w| token(w.text));
        loop {
            if !self.lex.next_line() {
                return Err(self.lex.spot().syntax("the text ends inside a node"));
            }
            let Some(word) = self.lex.word() else { continue };
            match Keyword::of(word.text).bytes() {
                b"endnode" => break,
                b"node" => return Err(word.spot.syntax("`node` inside a node: is `endnode` missing?")),
                b"parent" => told.parent = self.lex.need("a name")?.text,
                b"position" => told.position = self.lex.floats()?,
                b"verts" => told.verts = self.rows(Lex::floats)?,
                b"faces" => self.faces(&mut told)?,
                b"roomlinks" => {
                    told.links = self.rows(|lex| {
                        let edge = lex.int(0, i64::from(u32::MAX))? as u32;
                        Ok((edge, lex.int(-1, i64::from(i32::MAX))? as i32))
                    })?;
                }
                // The tree is derived; its first row may follow the word.
                b"aabb" => drop(self.rows(|_| Ok(()))?),
                _ => {}
            }
        }
        if let Some(bad) = told.faces.iter().flatten().find(|i| **i as usize >= told.verts.len()) {
            let what = format!("a face names vertex {bad} of {}", told.verts.len());
            return Err(told.spot.syntax(what));
        }
        Ok(told)
    }

    /// Three vertices first, the material last; what is between differs from tool to tool.
    fn faces(&mut self, told: &mut Told<'a>) -> Result<()> {
        let rows = self.rows(|lex| {
            let mut corners = [0; 3];
            for slot in &mut corners {
                *slot = lex.int(0, i64::from(u32::MAX))? as u32;
            }
            let mut material = 0;
            while lex.peek().is_some() {
                material = lex.u32()?;
            }
            Ok((corners, material))
        })?;
        (told.faces, told.materials) = rows.into_iter().unzip();
        Ok(())
    }
}

/// Reads a walkmesh. Of a door's three, the first.
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

/// Reads all walkmeshes of a text: one for a room or a placeable, up to three for a door.
pub fn parse_all(bytes: &[u8], limits: &Limits) -> Result<Vec<Part>> {
    let (plain, carried) = Carried::split(bytes);
    let nodes = Parser { lex: Lex::new(plain), left: limits.budget(plain.len()) }.nodes()?;
    let mut carry = Carry::Restore(carried, (0, 0));
    let mut parts = Vec::new();
    for (index, told) in nodes.iter().enumerate().filter(|(_, n)| n.mesh) {
        let mut walkmesh = draft(told, &nodes)?;
        finish(&mut walkmesh, told, index, None, &mut carry);
        parts.push(Part { name: told.name.clone(), door: door_of(told), walkmesh });
    }
    Ok(parts)
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word))
}

fn door_of(told: &Told<'_>) -> Option<Door> {
    if contains(&told.name, b"dwk") || contains(told.parent, b"dwk") { Door::of(&told.name) } else { None }
}

/// The places to use an object: `use01`, `use02`, or those of this state of a door.
fn hooks(told: &Told<'_>, nodes: &[Told<'_>]) -> [[f32; 3]; 2] {
    let mut out = [[0.0; 3]; 2];
    let door = door_of(told);
    for node in nodes.iter().filter(|n| !n.mesh) {
        let name = node.name.as_slice();
        let slot = match door {
            Some(door) => {
                if Door::of(name) != Some(door) || !contains(name, b"dp_") {
                    continue;
                }
                usize::from(name.ends_with(b"_02"))
            }
            None if name.ends_with(b"use01") || contains(name, b"pwk_dp_use_01") => 0,
            None if name.ends_with(b"use02") || contains(name, b"pwk_dp_use_02") => 1,
            None => continue,
        };
        if let Some(slot) = out.get_mut(slot) {
            *slot = node.position;
        }
    }
    out
}

/// What the lines tell, with everything else derived.
fn draft(told: &Told<'_>, nodes: &[Told<'_>]) -> Result<Walkmesh> {
    let walkability = Walkability::default();
    let object = |n: &Told<'_>| {
        let of = |text: &[u8]| contains(text, b"pwk") || contains(text, b"dwk");
        of(n.parent) || of(&n.name)
    };
    let kind =
        if object(told) || nodes.iter().any(|n| !n.mesh && object(n)) { Kind::Object } else { Kind::Area };
    let built =
        Walkmesh::build(kind, told.verts.clone(), told.faces.clone(), told.materials.clone(), &walkability);
    let mut mesh = built.map_err(|e| told.spot.syntax(e.to_string()))?;
    mesh.position = told.position;
    mesh.set_hooks(hooks(told, nodes), door_of(told).is_some());
    // Links name edges in the order of the file, walkable faces first.
    let mut links: std::collections::HashMap<u32, i32> = std::collections::HashMap::new();
    for (edge, room) in &told.links {
        links.insert(*edge, *room);
    }
    for edge in &mut mesh.edges {
        if let Some(room) = links.get(&edge.edge) {
            edge.transition = *room;
        }
    }
    Ok(mesh)
}

macro_rules! whole {
    ($name:ident, $tag:literal, $how:ident, $field:ident) => {
        static $name: Field<Walkmesh> = Field {
            tag: $tag,
            kind: How::$how,
            get: |m, out| put_list(&m.$field, out),
            set: |m, words| {
                m.$field = take_list(words)?;
                Some(())
            },
        };
    };
}
whole!(VERTICES, "VERT", Whole, vertices);
whole!(FACES, "FACE", Whole, faces);
whole!(MATERIALS, "MATE", Whole, materials);
whole!(NORMALS, "NORM", Whole, normals);
whole!(DISTANCES, "DIST", Whole, distances);
whole!(ADJACENCY, "ADJA", Whole, adjacency);
whole!(PERIMETERS, "PERI", Whole, perimeters);

static EDGES: Field<Walkmesh> = Field {
    tag: "EDGE",
    kind: How::Whole,
    get: |m, out| m.edges.iter().for_each(|e| out.extend([e.edge, e.transition as u32])),
    set: |m, words| {
        let pairs = words.chunks_exact(2).filter_map(|p| p.first_chunk::<2>());
        m.edges = pairs.map(|[edge, room]| Edge { edge: *edge, transition: *room as i32 }).collect();
        Some(())
    },
};

static TREE: Field<Walkmesh> = Field {
    tag: "AABB",
    kind: How::Whole,
    get: |m, out| {
        for node in &m.aabb {
            node.min.put(out);
            node.max.put(out);
            out.extend([node.face as u32, node.unknown_0x1c, node.plane, node.left, node.right]);
        }
    },
    set: |m, words| {
        if !words.len().is_multiple_of(11) {
            return None;
        }
        let mut nodes = Vec::new();
        let mut words = words;
        while !words.is_empty() {
            let (min, max) = (Words::take(&mut words)?, Words::take(&mut words)?);
            let [face, unknown_0x1c, plane, left, right] = Words::take(&mut words)?;
            let face: u32 = face;
            nodes.push(AabbNode { min, max, face: face as i32, unknown_0x1c, plane, left, right });
        }
        m.aabb = nodes;
        Some(())
    },
};

static HEADER: Field<Walkmesh> = Field {
    tag: "HEAD",
    kind: How::Scalars,
    get: |m, out| {
        out.push(m.kind.code());
        m.relative_use.put(out);
        m.absolute_use.put(out);
        m.position.put(out);
        out.push(m.aabb_root);
    },
    set: |m, mut words| {
        let kind: u32 = Words::take(&mut words)?;
        m.kind = Kind::from(kind);
        m.relative_use = Words::take(&mut words)?;
        m.absolute_use = Words::take(&mut words)?;
        m.position = Words::take(&mut words)?;
        m.aabb_root = Words::take(&mut words)?;
        Some(())
    },
};

/// Completes a draft with what is carried, or carries what differs from the real walkmesh.
fn finish(
    mesh: &mut Walkmesh,
    told: &Told<'_>,
    index: usize,
    real: Option<&Walkmesh>,
    carry: &mut Carry<'_>,
) {
    let shape = Sum::new()
        .floats(told.verts.iter().map(|v| &v[..]))
        .words(told.faces.iter().flatten().copied())
        .words(told.materials.iter().copied());
    let border = shape.words(told.links.iter().flat_map(|(edge, room)| [*edge, *room as u32]));
    carry.enter(0, Sum::new().bytes(&told.name).words([index as u32]).0);
    carry.field(mesh, real, &HEADER, Guard::Own);
    for field in [&VERTICES, &FACES, &MATERIALS, &NORMALS, &DISTANCES, &ADJACENCY, &TREE] {
        carry.field(mesh, real, field, Guard::Lines(shape.0));
    }
    for field in [&EDGES, &PERIMETERS] {
        carry.field(mesh, real, field, Guard::Lines(border.0));
    }
}

struct Printer {
    out: Vec<u8>,
}

impl Printer {
    fn line(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.out.push(b'\n');
    }

    fn row(&mut self, start: &[u8], values: &[f32]) {
        self.out.extend_from_slice(start);
        for v in values {
            self.out.push(b' ');
            push_f32(&mut self.out, *v, Notation::Fixed);
        }
        self.out.push(b'\n');
    }

    fn count(&mut self, word: &[u8], n: usize) {
        self.out.extend_from_slice(word);
        push_int(&mut self.out, n as u64);
        self.out.push(b'\n');
    }

    fn node(&mut self, kind: &[u8], name: &[u8], parent: &[u8]) {
        self.line(&[b"node ".as_slice(), kind, b" ", name].concat());
        self.line(&[b"  parent ".as_slice(), parent].concat());
    }

    fn mesh(&mut self, mesh: &Walkmesh, name: &[u8], parent: &[u8]) {
        self.node(b"trimesh", name, parent);
        self.row(b"  position", &mesh.position);
        self.line(b"  bitmap NULL");
        self.count(b"  verts ", mesh.vertices.len());
        for vertex in &mesh.vertices {
            self.row(b"   ", vertex);
        }
        self.count(b"  faces ", mesh.faces.len());
        let sound = |i: u32| if (i as usize) < mesh.vertices.len() { i } else { 0 };
        for (face, material) in mesh.faces.iter().zip(mesh.materials.iter().chain(std::iter::repeat(&0))) {
            self.out.extend_from_slice(b"   ");
            for corner in face.map(sound) {
                self.out.push(b' ');
                push_int(&mut self.out, corner);
            }
            self.out.extend_from_slice(b" 1 0 0 0 ");
            push_int(&mut self.out, *material);
            self.out.push(b'\n');
        }
        if mesh.edges.iter().any(|e| e.transition >= 0) {
            self.line(b"  roomlinks");
            for edge in mesh.edges.iter().filter(|e| e.transition >= 0) {
                self.out.extend_from_slice(b"    ");
                push_int(&mut self.out, edge.edge);
                self.out.push(b' ');
                push_int(&mut self.out, edge.transition);
                self.out.push(b'\n');
            }
            self.line(b"  endlist");
        }
        self.line(b"endnode");
    }

    /// A walkmesh with the places to use what it belongs to; `name` is the model's.
    fn part(&mut self, mesh: &Walkmesh, door: Option<Door>, name: &[u8]) {
        let (own, parent, hooks) = match door {
            Some(door) => {
                let base = [name.to_ascii_uppercase().as_slice(), b"_DWK"].concat();
                let word = door.word().as_bytes();
                let hook = |number: &[u8]| [base.as_slice(), b"_dp_", word, number].concat();
                ([base.as_slice(), b"_wg_", word].concat(), base.clone(), [hook(b"_01"), hook(b"_02")])
            }
            None => {
                let parent = if mesh.kind == Kind::Object { [name, b"_pwk"].concat() } else { name.to_vec() };
                ([name, b"_wg"].concat(), parent, [b"pwk_use01".to_vec(), b"pwk_use02".to_vec()])
            }
        };
        self.mesh(mesh, &own, &parent);
        if mesh.kind == Kind::Object || door.is_some() {
            for (hook, position) in hooks.iter().zip(&mesh.relative_use) {
                if position.iter().any(|c| c.to_bits() != 0) {
                    self.hook(hook, &parent, position);
                }
            }
        }
    }

    fn hook(&mut self, name: &[u8], parent: &[u8], position: &[f32; 3]) {
        self.node(b"dummy", name, parent);
        self.row(b"  position", position);
        self.line(b"endnode");
    }
}

/// Writes the walkmesh of a room or a placeable as text; `name` is the model's. [`parse`] gives the same walkmesh back.
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
    let mut printer = Printer { out: Vec::new() };
    printer.part(mesh, None, &token(name.as_bytes()));
    carried(printer.out, &[mesh])
}

/// Writes the walkmeshes of a door (closed, open to one side, open to the other) as one text; `name` is the model's.
pub fn print_door(meshes: [&Walkmesh; 3], name: &str) -> Result<Vec<u8>> {
    let name = token(name.as_bytes());
    let mut printer = Printer { out: Vec::new() };
    for (door, mesh) in Door::ALL.into_iter().zip(meshes) {
        printer.part(mesh, Some(door), &name);
    }
    carried(printer.out, &meshes)
}

/// Writes all walkmeshes of a text. [`parse_all`] gives the same ones back.
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
    let mut printer = Printer { out: Vec::new() };
    let mut meshes = Vec::new();
    for part in parts {
        printer.part(&part.walkmesh, part.door, &token(part.model()));
        meshes.push(&part.walkmesh);
    }
    carried(printer.out, &meshes)
}

/// Adds what the plain lines do not give back.
fn carried(mut text: Vec<u8>, real: &[&Walkmesh]) -> Result<Vec<u8>> {
    let limits = Limits { ratio: 64, base_allowance: 1 << 30, ..Limits::default() };
    let mut carry = Carry::recorder();
    {
        let nodes = Parser { lex: Lex::new(&text), left: limits.budget(text.len()) }.nodes()?;
        let meshes = nodes.iter().enumerate().filter(|(_, n)| n.mesh);
        for ((index, told), real) in meshes.zip(real) {
            let mut mesh = draft(told, &nodes)?;
            finish(&mut mesh, told, index, Some(real), &mut carry);
        }
    }
    if let Carry::Record(recorder) = carry
        && !recorder.out.is_empty()
    {
        text.extend_from_slice(OPENING);
        text.push(b'\n');
        text.extend_from_slice(&recorder.out);
    }
    Ok(text)
}
