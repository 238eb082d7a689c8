//! Parses the frame of a text model: header lines, nodes, animations.

mod animation;
mod body;
mod link;
mod mesh;
mod rows;

use std::collections::HashMap;

use galatea_wire::{ErrorKind, Limits, Result, StableHash, Text, escape_bytes};

use crate::mdl::text::draft::{AnimationDraft, Draft, NodeDraft};
use crate::mdl::text::words::CLASSIFICATIONS;
use crate::mdl::text::{Dialect, Note};
use crate::mdl::{Game, Model, Name, Node, NodeId, Platform};
use crate::text::lex::{Lex, Spot, Word};
use crate::text::token::Keyword;
use link::{link, sort_drafts};
pub(super) use rows::preorder;

/// The most notes that are kept.
const NOTES: usize = 100;

/// A parser of the text without its sidecar.
pub(crate) struct Parser<'a> {
    pub(crate) lex: Lex<'a>,
    limits: &'a Limits,
    /// Bytes that may still be decoded.
    left: u64,
    pub(crate) dialect: Dialect,
    pub(crate) notes: Vec<Note>,
    pub(crate) draft: Draft<'a>,
    /// The animation that is being read.
    anim: Option<AnimationDraft<'a>>,
    /// The nodes of the model by their names in lower case.
    pub(crate) by_name: HashMap<Vec<u8>, NodeId>,
    /// Names that no node has, in lower case.
    loose_names: HashMap<Vec<u8>, u16>,
    /// How often each name occurred in the current tree.
    seen: HashMap<&'a [u8], u32>,
    /// How often each name of an animation occurred.
    animations_seen: HashMap<&'a [u8], u32>,
    /// Whether the nodes of the model are complete.
    sorted: bool,
    pub(crate) has_dirt: bool,
    has_game: bool,
    has_scale: bool,
}

/// The result of [`Parser::run`].
pub(crate) struct Parsed<'a> {
    pub(crate) draft: Draft<'a>,
    pub(crate) notes: Vec<Note>,
}

fn lower_case(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}

/// Returns the name without the suffix that distinguishes nodes of the same name.
fn without_suffix(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (front, _) = name.split_at(name.len() - digits);
    match front.strip_suffix(b"__dpl") {
        Some(bare) if digits > 0 && !bare.is_empty() => bare,
        _ => name,
    }
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a [u8], limits: &'a Limits) -> Self {
        Parser {
            lex: Lex::new(text),
            limits,
            left: limits.budget(text.len()),
            dialect: Dialect::of(text),
            notes: Vec::new(),
            draft: Draft::default(),
            anim: None,
            by_name: HashMap::new(),
            loose_names: HashMap::new(),
            seen: HashMap::new(),
            animations_seen: HashMap::new(),
            sorted: false,
            has_dirt: false,
            has_game: false,
            has_scale: false,
        }
    }

    /// Charges decoded bytes to the budget.
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<()> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.lex.spot().limit("decoded bytes")),
        }
    }

    pub(crate) fn note(&mut self, spot: Spot, what: impl FnOnce() -> String) {
        if self.notes.len() < NOTES {
            self.notes.push(Note { line: spot.line, column: spot.column, message: what() });
        }
    }

    /// Returns a text field, truncated to its size.
    pub(crate) fn text<const N: usize>(&mut self, word: Option<Word<'a>>) -> Text<N> {
        let Some(word) = word else { return Text::default() };
        Text::new(word.text).unwrap_or_else(|| {
            self.note(word.spot, || format!("`{}` is truncated to {N} bytes", escape_bytes(word.text)));
            word.text.get(..N).and_then(Text::new).unwrap_or_default()
        })
    }

    pub(crate) fn run(mut self) -> Result<Parsed<'a>> {
        self.draft.model = Model { nodes: Vec::new(), names: Vec::new(), ..Model::new("") };
        let mut begun = false;
        while self.lex.next_line() {
            let Some(word) = self.lex.word() else { continue };
            let lower = Keyword::of(word.text);
            if !begun && !crate::mdl::text::is_frame_word(lower.bytes()) && lower.bytes() != b"node" {
                self.note(word.spot, || format!("`{}` before the model begins", escape_bytes(word.text)));
                continue;
            }
            begun = true;
            if lower.bytes() == b"donemodel" {
                break;
            }
            self.statement(word, lower.bytes())?;
        }
        if !begun {
            return Err(galatea_wire::Error::new(
                ErrorKind::NotThisFormat,
                galatea_wire::Place::Line { line: 1, column: 1 },
            ));
        }
        self.close_animation()?;
        self.finish_geometry()?;
        if !self.has_scale {
            self.draft.model.animation_scale = self.dialect.default_scale();
        }
        // MDLOps writes dirt only for models of the second game.
        if !self.has_game && self.has_dirt && self.dialect == Dialect::MdlOps {
            self.draft.model.game = Game::K2;
        }
        Ok(Parsed { draft: self.draft, notes: self.notes })
    }

    pub(crate) fn in_animation(&self) -> bool {
        self.anim.is_some()
    }

    fn statement(&mut self, word: Word<'a>, keyword: &[u8]) -> Result<()> {
        match keyword {
            b"newmodel" => {
                let name = self.lex.word();
                self.draft.model.name = self.text(name);
            }
            b"setsupermodel" => {
                self.lex.word();
                let name = self.lex.word();
                self.draft.model.supermodel = self.text(name);
            }
            b"classification" => self.classification()?,
            b"classification_unk1" => self.draft.model.subclassification = self.lex.int(0, 255)? as u8,
            b"ignorefog" => self.draft.model.fog = u8::from(self.lex.int(0, 255)? == 0),
            b"setanimationscale" => {
                self.draft.model.animation_scale = self.lex.f32()?;
                self.has_scale = true;
            }
            b"compress_quaternions" => self.draft.compress = self.lex.int(0, 255)? != 0,
            b"headlink" => self.draft.headlink = self.lex.int(0, 255)? != 0,
            b"bmin" => self.draft.model.bounds[0] = self.lex.floats()?,
            b"bmax" => self.draft.model.bounds[1] = self.lex.floats()?,
            b"radius" => self.draft.model.radius = self.lex.f32()?,
            b"game" | b"targetgame" | b"kotorversion" => self.game()?,
            b"platform" | b"targetplatform" => self.platform()?,
            b"node" => self.node(word)?,
            b"name" => {
                let name = self.lex.need("a name")?;
                self.spend(size_of::<Name>() + name.text.len())?;
                let index = self.draft.model.names.len() as u16;
                self.loose_names.entry(lower_case(name.text)).or_insert(index);
                self.push_name(name)?;
            }
            b"endmodelgeom" => self.finish_geometry()?,
            b"newanim" => self.new_animation(word)?,
            b"doneanim" => self.close_animation()?,
            b"length" | b"transtime" | b"animroot" | b"event" | b"eventlist" => {
                self.animation_line(word, keyword)?
            }
            b"beginmodelgeom"
            | b"filedependancy"
            | b"layoutposition"
            | b"bumpmapped_texture"
            | b"endlist"
            | b"endnode"
            | b"}"
            | b"{"
            | b"totalnodes"
            | b"geometryheaderpadding"
            | b"supermodelreference"
            | b"animheader"
            | b"functionpointer0"
            | b"functionpointer1" => {}
            _ => self.note(word.spot, || format!("unknown keyword `{}`", escape_bytes(word.text))),
        }
        Ok(())
    }

    fn classification(&mut self) -> Result<()> {
        let word = self.lex.need("a classification")?;
        let known = CLASSIFICATIONS.iter().find(|c| word.is(c.0.as_bytes())).map(|c| c.1);
        let known = known.or(word.is(b"effects").then_some(1)).or(word.is(b"unknown").then_some(0));
        if known.is_none() {
            self.note(word.spot, || {
                format!("`{}` is not a classification; read as `other`", escape_bytes(word.text))
            });
        }
        self.draft.model.classification = known.unwrap_or(0);
        Ok(())
    }

    fn game(&mut self) -> Result<()> {
        let word = self.lex.need("a game")?;
        self.draft.model.game = match Keyword::of(word.text).bytes() {
            b"kotor1" | b"1" | b"k1" | b"swkotor" | b"kotor" => Game::K1,
            b"kotor2" | b"2" | b"k2" | b"tsl" | b"swkotor2" => Game::K2,
            _ => return Err(word.spot.syntax("expected `kotor1` or `kotor2`")),
        };
        self.has_game = true;
        Ok(())
    }

    fn platform(&mut self) -> Result<()> {
        let word = self.lex.need("a platform")?;
        self.draft.model.platform = match Keyword::of(word.text).bytes() {
            b"pc" | b"windows" => Platform::Pc,
            b"xbox" => Platform::Xbox,
            _ => return Err(word.spot.syntax("expected `pc` or `xbox`")),
        };
        Ok(())
    }

    fn push_name(&mut self, word: Word<'a>) -> Result<u16> {
        let Ok(index) = u16::try_from(self.draft.model.names.len()) else {
            return Err(word.spot.syntax("more than 65,536 names in a model"));
        };
        self.draft.model.names.push(Name(without_suffix(word.text).to_vec()));
        Ok(index)
    }

    /// Returns the checksum that identifies a node in its tree.
    fn key_of(&mut self, name: &'a [u8]) -> u64 {
        let count = self.seen.entry(name).or_insert(0);
        *count += 1;
        StableHash::new().bytes(name).words([*count]).finish()
    }

    fn node(&mut self, word: Word<'a>) -> Result<()> {
        self.spend(size_of::<Node>() + size_of::<NodeDraft<'_>>() + 64)?;
        let kind = self.lex.need("a type of node")?;
        let name = self.lex.need("a name")?;
        if self.anim.is_some() {
            return self.animation_node(kind, name);
        }
        if self.sorted {
            return Err(word.spot.syntax("a node after the geometry of the model"));
        }
        // A blade that is written as a plain mesh has this prefix.
        let blade = kind.is(b"trimesh") && name.text.starts_with(b"2081__");
        let bare = if blade { name.text.get(6..).unwrap_or(&[]) } else { name.text };
        if kind.is(b"dummy") && self.dialect == Dialect::MdlOps && name.text.starts_with(b"2081__") {
            let real = name.text.get(6..).unwrap_or(&[]);
            if self.by_name.contains_key(&lower_case(real)) {
                // A duplicate that MDLOps writes for a blade with capitals in its name.
                return self.skip_node();
            }
        }
        let mut node = Node { name: self.push_name(Word { text: bare, ..name })?, ..Node::default() };
        node.number = node.name;
        let mut draft =
            NodeDraft { name: bare, key: self.key_of(bare), spot: name.spot, ..NodeDraft::default() };
        self.body(&mut node, &mut draft, kind, blade)?;
        let id = self.draft.model.nodes.len() as NodeId;
        node.parent = draft.parent.and_then(|(parent, _)| self.by_name.get(&lower_case(parent)).copied());
        self.by_name.insert(lower_case(bare), id);
        if blade {
            self.by_name.insert(lower_case(name.text), id);
        }
        self.draft.model.nodes.push(node);
        self.draft.nodes.push(draft);
        Ok(())
    }

    fn skip_node(&mut self) -> Result<()> {
        while self.lex.next_line() {
            if self.lex.word().is_some_and(|w| w.is(b"endnode")) {
                break;
            }
        }
        Ok(())
    }

    /// Links nodes to their parents, which may come later in the text, and sorts them.
    fn finish_geometry(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.sorted, true) {
            return Ok(());
        }
        let by_name = &self.by_name;
        let order = link(&mut self.draft.model.nodes, &self.draft.nodes, self.limits.depth, |name| {
            by_name.get(&lower_case(name)).copied()
        })?;
        sort_drafts(&mut self.draft.nodes, &order);
        let mut new_of_old: Vec<NodeId> = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(slot) = new_of_old.get_mut(*old as usize) {
                *slot = new as NodeId;
            }
        }
        for id in self.by_name.values_mut() {
            *id = new_of_old.get(*id as usize).copied().unwrap_or(0);
        }
        self.resolve_bones()?;
        Ok(())
    }
}
