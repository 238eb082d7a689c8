//! Checks a model against the [rules](crate::mdl::rules).

mod mesh;
mod node;
mod skin;

use std::collections::{HashMap, HashSet};

use galatea_wire::{Fixed, Report, Rule, escape_bytes};

use crate::mdl::Model;
use crate::mdl::layout::Slot;
use crate::mdl::node::NodeId;
use crate::mdl::rules::*;

impl Model {
    /// Checks all rules.
    ///
    /// ```
    /// use galatea_kotor::mdl::Model;
    /// let mut model = Model::new("box");
    /// assert!(model.check().is_empty());
    /// model.node_count = 9;
    /// assert_eq!(model.check().count("KMDL0008"), 1);
    /// assert_eq!(model.fix(&|_| true).len(), 1);
    /// assert_eq!(model.node_count, 1);
    /// ```
    pub fn check(&self) -> Report {
        let mut checker = Checker { model: self, report: Report::new(), prefix: String::new(), at: None };
        checker.model();
        checker.report
    }

    /// Fixes the findings of the wanted rules where the rest of the file determines the correct value. Returns what was
    /// done.
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        crate::mdl::fix::fix(self, wanted)
    }
}

struct Checker<'a> {
    model: &'a Model,
    report: Report,
    /// Path of the animation, if any.
    prefix: String,
    /// Offset and index of the node.
    at: Option<(u64, NodeId)>,
}

fn offset(slot: &Slot) -> Option<u64> {
    slot.known.then(|| u64::from(slot.at) + 12)
}

/// The greatest weight with no visible effect; it needs no bone.
pub(super) const LEAST_WEIGHT: f32 = 1e-4;

pub(crate) fn finite(values: &[f32]) -> bool {
    values.iter().all(|v| v.is_finite())
}

impl Checker<'_> {
    /// Adds a finding about the model or the current node.
    fn add(&mut self, rule: &'static Rule, what: &str, message: impl FnOnce() -> String) {
        let (model, prefix, at) = (self.model, &self.prefix, self.at);
        let offset = at.map(|(offset, _)| offset).filter(|o| *o > 0);
        self.report.add(rule, offset, || {
            let node = at.map(|(_, id)| {
                let nodes = if prefix.is_empty() { model.node(id).map(|n| model.name_of(n)) } else { None };
                let name = nodes.map(|n| format!(" \"{}\"", escape_bytes(n))).unwrap_or_default();
                format!("nodes[{id}]{name}")
            });
            let steps = [prefix.clone(), node.unwrap_or_default(), what.to_owned()];
            let path: Vec<String> = steps.into_iter().filter(|s| !s.is_empty()).collect();
            (path.join(" > "), message())
        });
    }

    fn model(&mut self) {
        let m = self.model;
        if m.nodes.is_empty() {
            self.add(&NO_ROOT, "", || "0 nodes".into());
        }
        if let Some(root) = m.nodes.first()
            && !m.name_of(root).eq_ignore_ascii_case(m.name.bytes())
        {
            self.add(&ROOT_NAME, "", || {
                format!("\"{}\" in model \"{}\"", escape_bytes(m.name_of(root)), escape_bytes(m.name.bytes()))
            });
        }
        if m.supermodel().is_none() && m.node_count as usize != m.nodes.len() {
            self.add(&NODE_COUNT, "", || format!("{} instead of {}", m.node_count, m.nodes.len()));
        }
        if !matches!(m.classification, 0 | 1 | 2 | 4 | 8 | 16 | 32 | 64) {
            self.add(&CLASSIFICATION, "", || format!("{}", m.classification));
        }
        if m.supermodel().is_some_and(|s| s.eq_ignore_ascii_case(m.name.bytes())) {
            self.add(&SUPERMODEL_SELF, "", || escape_bytes(m.name.bytes()));
        }
        if m.name.bytes().len() > 16 {
            self.add(&MODEL_NAME_LONG, "", || escape_bytes(m.name.bytes()));
        }
        for name in m.names.iter().filter(|n| n.0.len() > 31) {
            self.add(&NAME_LONG, "names", || format!("\"{}\"", escape_bytes(&name.0)));
        }
        self.layout();
        self.numbers();
        for (id, node) in m.nodes.iter().enumerate() {
            self.at = Some((offset(&node.layout.header_slot()).unwrap_or(0), id as NodeId));
            self.node(node, None);
            if let Some(mesh) = node.mesh.as_deref() {
                self.mesh(mesh);
            }
        }
        self.bind_pose();
        let mut names = HashSet::new();
        let (numbers, by_name) = self.targets();
        for (i, animation) in m.animations.iter().enumerate() {
            self.prefix = format!("animations[{i}] \"{}\"", escape_bytes(animation.name.bytes()));
            self.at = None;
            if !names.insert(animation.name.bytes().to_ascii_lowercase()) {
                self.add(&ANIMATION_DOUBLE, "", || "never played".into());
            }
            self.animation(animation, &numbers, &by_name);
        }
    }

    /// Returns the numbers and the names of the model's nodes.
    fn targets(&self) -> (HashSet<u16>, HashSet<Vec<u8>>) {
        let m = self.model;
        let numbers = m.nodes.iter().map(|n| n.number).collect();
        (numbers, m.nodes.iter().map(|n| m.name_of(n).to_ascii_lowercase()).collect())
    }

    fn layout(&mut self) {
        let m = self.model;
        let layout = &m.layout;
        if layout.mdx.missing {
            self.add(&MDX_MISSING, "", || "the model was read without it".into());
        }
        if layout.overlaps || layout.mdx.overlaps {
            self.add(&OVERLAP, "", || if layout.overlaps { "in the MDL" } else { "in the MDX" }.into());
        }
        let Some(headers) = layout.headers.as_deref() else { return };
        if !headers.head_is_sound && m.head.is_none() && !m.nodes.is_empty() {
            self.add(&HEAD, "", || format!("offset 0x{:X}", headers.names.head_root.0));
        }
        let len = layout.mdl_len.saturating_sub(12);
        let sizes = [headers.file.mdx_size, headers.names.mdx_size];
        let mdx = !layout.mdx.missing && sizes.iter().any(|s| *s != layout.mdx.len);
        if headers.file.mdl_size != len || mdx {
            let (mdl_size, mdx_size) = (headers.file.mdl_size, headers.file.mdx_size);
            self.add(&SIZE, "file header", || {
                format!(
                    "MDL {mdl_size} instead of {len}, MDX {mdx_size} and {} instead of {}",
                    sizes[1], layout.mdx.len
                )
            });
        }
        for gap in &layout.gaps {
            let end = gap.offset as usize + gap.bytes.len() == layout.mdl_len as usize;
            let rule = if end { &TRAILING } else { &GAP };
            let count = gap.bytes.len();
            self.report.add(rule, Some(u64::from(gap.offset)), || (String::new(), format!("{count} bytes")));
        }
        for slot in [&layout.name_offsets, &layout.animation_offsets] {
            self.counts(slot, "header");
        }
    }

    fn counts(&mut self, slot: &Slot, what: &str) {
        if slot.known && slot.count != slot.capacity {
            self.add(&COUNTS, what, || format!("{} and {}", slot.count, slot.capacity));
        }
    }

    fn numbers(&mut self) {
        let m = self.model;
        let mut seen: HashMap<u16, usize> = HashMap::new();
        let mut doubled = 0usize;
        let moving: HashSet<u16> = m.animations.iter().flat_map(|a| &a.nodes).map(|n| n.number).collect();
        let mut named: HashSet<(u16, Vec<u8>)> = HashSet::new();
        for (id, node) in m.nodes.iter().enumerate() {
            self.at = Some((offset(&node.layout.header_slot()).unwrap_or(0), id as NodeId));
            doubled += usize::from(seen.insert(node.number, id).is_some());
            if moving.contains(&node.number)
                && !named.insert((node.number, m.name_of(node).to_ascii_lowercase()))
            {
                self.add(&NAME_DOUBLE, "", || format!("number {}", node.number));
            }
            // With a supermodel, numbers may be any below the count.
            if u32::from(node.number) > m.node_count.max(m.nodes.len() as u32) {
                self.add(&NUMBER_WILD, "", || format!("{} of {}", node.number, m.node_count));
            }
        }
        self.at = None;
        if doubled > 0 {
            self.add(&NUMBER_DOUBLE, "nodes", || format!("{doubled} nodes"));
        }
    }
}
