//! Parses the frame of a text model: header lines, nodes, animations.

mod body;
mod mesh;
mod rows;

use std::collections::HashMap;

use galatea_wire::{ErrorKind, Limits, Result, Text, escape_bytes};

use crate::mdl::text::draft::{AnimationDraft, Draft, NodeDraft};
use crate::mdl::text::words::CLASSIFICATIONS;
use crate::mdl::text::{Dialect, Note};
use crate::mdl::{Animation, Event, Game, Model, Name, Node, NodeId, Platform};
use crate::text::checksum::Sum;
use crate::text::lex::{Lex, Spot, Word};
use crate::text::token::Keyword;
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

fn small_name(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}

/// Returns the name without the suffix that distinguishes nodes of the same name.
fn unmarked(name: &[u8]) -> &[u8] {
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
            let small = Keyword::of(word.text);
            if !begun && !crate::mdl::text::is_frame_word(small.bytes()) && small.bytes() != b"node" {
                self.note(word.spot, || format!("`{}` before the model begins", escape_bytes(word.text)));
                continue;
            }
            begun = true;
            if small.bytes() == b"donemodel" {
                break;
            }
            self.statement(word, small.bytes())?;
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
                self.loose_names.entry(small_name(name.text)).or_insert(index);
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
        self.draft.model.names.push(Name(unmarked(word.text).to_vec()));
        Ok(index)
    }

    /// Returns the checksum that identifies a node in its tree.
    fn key_of(&mut self, name: &'a [u8]) -> u64 {
        let count = self.seen.entry(name).or_insert(0);
        *count += 1;
        Sum::new().bytes(name).words([*count]).0
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
            if self.by_name.contains_key(&small_name(real)) {
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
        node.parent = draft.parent.and_then(|(parent, _)| self.by_name.get(&small_name(parent)).copied());
        self.by_name.insert(small_name(bare), id);
        if blade {
            self.by_name.insert(small_name(name.text), id);
        }
        self.draft.model.nodes.push(node);
        self.draft.nodes.push(draft);
        Ok(())
    }

    fn animation_node(&mut self, kind: Word<'a>, name: Word<'a>) -> Result<()> {
        let mut small = small_name(name.text);
        if !self.by_name.contains_key(&small) && !self.loose_names.contains_key(&small) {
            // The suffix may only distinguish it from other nodes of the animation.
            small.truncate(unmarked(name.text).len());
        }
        let moves = self.by_name.get(&small).copied();
        let mut node = Node::default();
        let mut draft = NodeDraft {
            name: name.text,
            key: self.key_of(name.text),
            spot: name.spot,
            moves,
            ..NodeDraft::default()
        };
        match moves.and_then(|id| self.draft.model.node(id)) {
            Some(moved) => (node.name, node.number) = (moved.name, moved.number),
            None => {
                node.name = match self.loose_names.get(&small) {
                    Some(index) => *index,
                    None => {
                        self.note(name.spot, || {
                            format!("the model has no node `{}`", escape_bytes(name.text))
                        });
                        let index = self.push_name(name)?;
                        self.loose_names.insert(small, index);
                        index
                    }
                };
                node.number = node.name;
            }
        }
        self.body(&mut node, &mut draft, kind, false)?;
        if let (Some(animation), Some(drafts)) = (self.draft.model.animations.last_mut(), self.anim.as_mut())
        {
            animation.nodes.push(node);
            drafts.nodes.push(draft);
        }
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
            by_name.get(&small_name(name)).copied()
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

    fn new_animation(&mut self, word: Word<'a>) -> Result<()> {
        self.close_animation()?;
        self.finish_geometry()?;
        self.seen.clear();
        self.spend(size_of::<Animation>() + size_of::<AnimationDraft<'_>>())?;
        let name = self.lex.word();
        let text = name.map_or(word.text, |n| n.text);
        let count = self.animations_seen.entry(text).or_insert(0);
        *count += 1;
        let key = Sum::new().bytes(text).words([*count]).0;
        let name = self.text(name);
        let root = self.lex.word();
        let root = match self.text(root) {
            root if root.bytes().is_empty() => self.draft.model.name,
            root => root,
        };
        self.draft.model.animations.push(Animation { name, root, ..Animation::default() });
        self.anim = Some(AnimationDraft { key, nodes: Vec::new() });
        Ok(())
    }

    fn close_animation(&mut self) -> Result<()> {
        let Some(mut drafts) = self.anim.take() else { return Ok(()) };
        if let Some(animation) = self.draft.model.animations.last_mut() {
            let mut by_name: HashMap<Vec<u8>, NodeId> = HashMap::new();
            for (id, draft) in drafts.nodes.iter().enumerate() {
                by_name.insert(small_name(draft.name), id as NodeId);
            }
            // All tools write a parent before its children, so the latest node of this name is the parent.
            let mut before: HashMap<Vec<u8>, NodeId> = HashMap::new();
            for (id, (node, draft)) in animation.nodes.iter_mut().zip(&drafts.nodes).enumerate() {
                node.parent = draft.parent.and_then(|(name, _)| before.get(&small_name(name)).copied());
                before.insert(small_name(draft.name), id as NodeId);
            }
            let order = link(&mut animation.nodes, &drafts.nodes, self.limits.depth, |name| {
                by_name.get(&small_name(name)).copied()
            })?;
            sort_drafts(&mut drafts.nodes, &order);
            animation.node_count = self.draft.model.names.len() as u32;
        }
        self.draft.animations.push(drafts);
        Ok(())
    }

    fn animation_line(&mut self, word: Word<'a>, keyword: &[u8]) -> Result<()> {
        if self.anim.is_none() {
            self.note(word.spot, || format!("`{}` outside an animation", escape_bytes(word.text)));
            return Ok(());
        }
        match keyword {
            b"event" => self.event()?,
            b"eventlist" => {
                while self.lex.next_line() {
                    if !self.lex.at_number() {
                        self.lex.hold();
                        break;
                    }
                    self.event()?;
                }
            }
            b"animroot" => {
                let root = self.lex.word();
                let root = self.text(root);
                if let Some(animation) = self.draft.model.animations.last_mut() {
                    animation.root = root;
                }
            }
            _ => {
                let seconds = self.lex.f32()?;
                if let Some(animation) = self.draft.model.animations.last_mut() {
                    *(if keyword == b"length" { &mut animation.length } else { &mut animation.transition }) =
                        seconds;
                }
            }
        }
        Ok(())
    }

    fn event(&mut self) -> Result<()> {
        self.spend(size_of::<Event>())?;
        let time = self.lex.f32()?;
        let name = self.lex.word();
        let name = self.text(name);
        if let Some(animation) = self.draft.model.animations.last_mut() {
            animation.events.push(Event { time, name });
        }
        Ok(())
    }
}

fn sort_drafts<T: Default>(drafts: &mut Vec<T>, order: &[NodeId]) {
    *drafts =
        order.iter().map(|i| drafts.get_mut(*i as usize).map(std::mem::take).unwrap_or_default()).collect();
}

/// Links nodes to their parents and sorts them depth first. Parents that are already set are kept. Returns the old
/// indices in the new order.
fn link(
    nodes: &mut Vec<Node>,
    drafts: &[NodeDraft<'_>],
    depth: u32,
    find: impl Fn(&[u8]) -> Option<NodeId>,
) -> Result<Vec<NodeId>> {
    let root = drafts.iter().position(|d| d.parent.is_none()).unwrap_or(0);
    let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
    for (id, (node, draft)) in nodes.iter_mut().zip(drafts).enumerate() {
        if id == root {
            node.parent = None;
            continue;
        }
        if node.parent.is_none() {
            node.parent = match draft.parent {
                // A second tree is attached to the first.
                None => Some(root as NodeId),
                Some((name, spot)) => match find(name) {
                    Some(parent) => Some(parent),
                    None => {
                        let what = format!("the parent `{}` does not exist", escape_bytes(name));
                        return Err(spot.syntax(what));
                    }
                },
            };
        }
        if let Some(list) = node.parent.and_then(|p| children.get_mut(p as usize)) {
            list.push(id as NodeId);
        }
    }
    for (node, list) in nodes.iter_mut().zip(children) {
        node.children = list.into();
    }
    let spot_of = |id: NodeId| drafts.get(id as usize).map_or_else(Spot::default, |d| d.spot);
    let order = depth_first_within(nodes, root as NodeId, depth).map_err(|id| spot_of(id).limit("depth"))?;
    if order.len() != nodes.len() {
        let mut reached = vec![false; nodes.len()];
        for id in &order {
            if let Some(flag) = reached.get_mut(*id as usize) {
                *flag = true;
            }
        }
        let lost = reached.iter().position(|r| !r).unwrap_or(0);
        return Err(spot_of(lost as NodeId).syntax("this node is its own ancestor"));
    }
    let mut new_of_old: Vec<NodeId> = vec![0; nodes.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(slot) = new_of_old.get_mut(*old as usize) {
            *slot = new as NodeId;
        }
    }
    let moved = |id: NodeId| new_of_old.get(id as usize).copied().unwrap_or(id);
    let mut sorted = Vec::with_capacity(nodes.len());
    for old in &order {
        if let Some(node) = nodes.get_mut(*old as usize) {
            let mut node = std::mem::take(node);
            node.parent = node.parent.map(moved);
            node.children.iter_mut().for_each(|c| *c = moved(*c));
            sorted.push(node);
        }
    }
    *nodes = sorted;
    Ok(order)
}

/// Returns the nodes reachable from a root, depth first. Fails with a node that is too deep.
fn depth_first_within(nodes: &[Node], root: NodeId, depth: u32) -> Result<Vec<NodeId>, NodeId> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut todo = if nodes.is_empty() { Vec::new() } else { vec![(root, 1)] };
    while let Some((id, level)) = todo.pop() {
        if level > depth {
            return Err(id);
        }
        order.push(id);
        let children = nodes.get(id as usize).map_or(&[][..], |n| &n.children);
        todo.extend(children.iter().rev().map(|c| (*c, level + 1)));
    }
    Ok(order)
}
