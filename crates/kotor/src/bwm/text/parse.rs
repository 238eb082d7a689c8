//! The nodes of a text, and the walkmeshes built from them.

use std::collections::HashMap;

use galatea_wire::{Limits, Result};

use super::Door;
use crate::bwm::{Kind, Walkmesh};
use crate::surface::Walkability;
use crate::text::lex::{Lex, Spot, Word};
use crate::text::token::{Keyword, token};

/// A node as written in the text.
#[derive(Debug, Default)]
pub(super) struct NodeDraft<'a> {
    /// The name as [`print_all`](super::print_all) writes it. It selects the state of a door, so it must not change
    /// when it is read again.
    pub(super) name: Vec<u8>,
    parent: &'a [u8],
    pub(super) mesh: bool,
    position: [f32; 3],
    pub(super) verts: Vec<[f32; 3]>,
    pub(super) faces: Vec<[u32; 3]>,
    pub(super) materials: Vec<u32>,
    pub(super) links: Vec<(u32, i32)>,
    spot: Spot,
}

/// Parses all nodes of a text.
pub(super) fn nodes<'a>(text: &'a [u8], limits: &Limits) -> Result<Vec<NodeDraft<'a>>> {
    Parser { lex: Lex::new(text), left: limits.budget(text.len()) }.nodes()
}

struct Parser<'a> {
    lex: Lex<'a>,
    /// Bytes that may still be decoded.
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

    fn nodes(mut self) -> Result<Vec<NodeDraft<'a>>> {
        let mut nodes = Vec::new();
        while self.lex.next_line() {
            let Some(word) = self.lex.word() else { continue };
            if word.is(b"node") {
                self.spend(size_of::<NodeDraft<'_>>() + size_of::<Walkmesh>())?;
                nodes.push(self.node(word)?);
            }
        }
        Ok(nodes)
    }

    fn node(&mut self, word: Word<'a>) -> Result<NodeDraft<'a>> {
        let kind = self.lex.need("a type of node")?;
        let mut node = NodeDraft { mesh: !kind.is(b"dummy"), spot: word.spot, ..NodeDraft::default() };
        node.name = self.lex.word().map_or_else(Vec::new, |w| token(w.text));
        loop {
            if !self.lex.next_line() {
                return Err(self.lex.spot().syntax("the text ends inside a node"));
            }
            let Some(word) = self.lex.word() else { continue };
            match Keyword::of(word.text).bytes() {
                b"endnode" => break,
                b"node" => return Err(word.spot.syntax("`node` inside a node: is `endnode` missing?")),
                b"parent" => node.parent = self.lex.need("a name")?.text,
                b"position" => node.position = self.lex.floats()?,
                b"verts" => node.verts = self.rows(Lex::floats)?,
                b"faces" => self.faces(&mut node)?,
                b"roomlinks" => {
                    node.links = self.rows(|lex| {
                        let edge = lex.int(0, i64::from(u32::MAX))? as u32;
                        Ok((edge, lex.int(-1, i64::from(i32::MAX))? as i32))
                    })?;
                }
                // The tree is derived. Its first row may follow the keyword.
                b"aabb" => drop(self.rows(|_| Ok(()))?),
                _ => {}
            }
        }
        if let Some(bad) = node.faces.iter().flatten().find(|i| **i as usize >= node.verts.len()) {
            let what = format!("a face uses vertex {bad} of {}", node.verts.len());
            return Err(node.spot.syntax(what));
        }
        Ok(node)
    }

    /// Parses the rows of faces: three vertices first, the material last; the columns between differ from tool to tool.
    fn faces(&mut self, node: &mut NodeDraft<'a>) -> Result<()> {
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
        (node.faces, node.materials) = rows.into_iter().unzip();
        Ok(())
    }
}

impl NodeDraft<'_> {
    /// Returns the state of the door that the mesh is for.
    pub(super) fn door(&self) -> Option<Door> {
        let is_door = contains(&self.name, b"dwk") || contains(self.parent, b"dwk");
        Door::of(&self.name).filter(|_| is_door)
    }

    /// Returns whether the node belongs to a placeable or a door.
    fn is_of_object(&self) -> bool {
        [self.parent, &self.name].iter().any(|text| contains(text, b"pwk") || contains(text, b"dwk"))
    }

    /// Builds the walkmesh from what the text has; all other tables are derived.
    pub(super) fn walkmesh(&self, nodes: &[NodeDraft<'_>]) -> Result<Walkmesh> {
        let object = self.is_of_object() || nodes.iter().any(|n| !n.mesh && n.is_of_object());
        let kind = if object { Kind::Object } else { Kind::Area };
        let (verts, faces, materials) = (self.verts.clone(), self.faces.clone(), self.materials.clone());
        let built = Walkmesh::build(kind, verts, faces, materials, &Walkability::default());
        let mut mesh = built.map_err(|e| self.spot.syntax(e.to_string()))?;
        mesh.position = self.position;
        mesh.set_hooks(hooks(self.door(), nodes), self.door().is_some());
        // Edges are numbered in the order of the file, walkable faces first.
        let links: HashMap<u32, i32> = self.links.iter().copied().collect();
        for edge in &mut mesh.edges {
            if let Some(room) = links.get(&edge.edge) {
                edge.transition = *room;
            }
        }
        Ok(mesh)
    }
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word))
}

/// Returns where a character stands to use the object: `use01` and `use02`, or the positions for this state of a door.
fn hooks(door: Option<Door>, nodes: &[NodeDraft<'_>]) -> [[f32; 3]; 2] {
    let mut out = [[0.0; 3]; 2];
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
