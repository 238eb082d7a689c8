//! Parses animations.

use std::collections::HashMap;

use galatea_wire::{Result, StableHash, escape_bytes};

use super::link::{link, sort_drafts};
use super::{Parser, lower_case, without_suffix};
use crate::mdl::text::draft::{AnimationDraft, NodeDraft};
use crate::mdl::{Animation, Event, Node, NodeId};
use crate::text::lex::Word;

impl<'a> Parser<'a> {
    pub(super) fn animation_node(&mut self, kind: Word<'a>, name: Word<'a>) -> Result<()> {
        let mut lower = lower_case(name.text);
        if !self.by_name.contains_key(&lower) && !self.loose_names.contains_key(&lower) {
            // The suffix may only distinguish it from other nodes of the animation.
            lower.truncate(without_suffix(name.text).len());
        }
        let moves = self.by_name.get(&lower).copied();
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
                node.name = match self.loose_names.get(&lower) {
                    Some(index) => *index,
                    None => {
                        self.note(name.spot, || {
                            format!("the model has no node `{}`", escape_bytes(name.text))
                        });
                        let index = self.push_name(name)?;
                        self.loose_names.insert(lower, index);
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

    pub(super) fn new_animation(&mut self, word: Word<'a>) -> Result<()> {
        self.close_animation()?;
        self.finish_geometry()?;
        self.seen.clear();
        self.spend(size_of::<Animation>() + size_of::<AnimationDraft<'_>>())?;
        let name = self.lex.word();
        let text = name.map_or(word.text, |n| n.text);
        let count = self.animations_seen.entry(text).or_insert(0);
        *count += 1;
        let key = StableHash::new().bytes(text).words([*count]).finish();
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

    pub(super) fn close_animation(&mut self) -> Result<()> {
        let Some(mut drafts) = self.anim.take() else { return Ok(()) };
        if let Some(animation) = self.draft.model.animations.last_mut() {
            let mut by_name: HashMap<Vec<u8>, NodeId> = HashMap::new();
            for (id, draft) in drafts.nodes.iter().enumerate() {
                by_name.insert(lower_case(draft.name), id as NodeId);
            }
            // All tools write a parent before its children, so the latest node of this name is the parent.
            let mut before: HashMap<Vec<u8>, NodeId> = HashMap::new();
            for (id, (node, draft)) in animation.nodes.iter_mut().zip(&drafts.nodes).enumerate() {
                node.parent = draft.parent.and_then(|(name, _)| before.get(&lower_case(name)).copied());
                before.insert(lower_case(draft.name), id as NodeId);
            }
            let order = link(&mut animation.nodes, &drafts.nodes, self.limits.depth, |name| {
                by_name.get(&lower_case(name)).copied()
            })?;
            sort_drafts(&mut drafts.nodes, &order);
            animation.node_count = self.draft.model.names.len() as u32;
        }
        self.draft.animations.push(drafts);
        Ok(())
    }

    pub(super) fn animation_line(&mut self, word: Word<'a>, keyword: &[u8]) -> Result<()> {
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

    pub(super) fn event(&mut self) -> Result<()> {
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
