//! Prints a model in a form that MDLOps, MDLEdit and KOTORmax can read.

mod controller;
mod mesh;
mod names;

use std::collections::{HashMap, HashSet};

use galatea_text::{Notation, push_f32, push_int};
use galatea_wire::Text;

use crate::mdl::text::words::{CLASSIFICATIONS, Class, EMITTER_FLAGS, class_of, type_word};
use crate::mdl::{Animation, Emitter, Game, Light, Model, Node, NodeId, Platform};
use crate::text::token::token;
use controller::printed_position;
use names::with_suffix;

/// A text under construction.
pub(crate) struct Printer<'a> {
    pub(crate) out: Vec<u8>,
    pub(crate) model: &'a Model,
    /// The name of each node in the text.
    pub(crate) tokens: Vec<Vec<u8>>,
    /// Names that no node has, as they are in the text.
    loose: Vec<(u16, Vec<u8>)>,
    /// All names in the text, in lower case.
    used: HashSet<Vec<u8>>,
    /// The first node of each name.
    by_name: HashMap<u16, NodeId>,
    compress: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        let mut printer = Printer {
            out: Vec::new(),
            model,
            tokens: Vec::new(),
            loose: Vec::new(),
            used: HashSet::new(),
            by_name: HashMap::new(),
            compress: compresses(model),
        };
        let used = &mut printer.used;
        let mut unique = |name: &[u8], index: u16| {
            let plain = token(name);
            let mut token = plain.clone();
            let mut more = 0u64;
            while !used.insert(token.to_ascii_lowercase()) {
                token = with_suffix(&plain, u64::from(index) + more * 100_000);
                more += 1;
            }
            token
        };
        for (id, node) in model.nodes.iter().enumerate() {
            printer.tokens.push(unique(model.name_of(node), node.name));
            printer.by_name.entry(node.name).or_insert(id as NodeId);
        }
        for (index, name) in model.names.iter().enumerate() {
            let index = index as u16;
            if !printer.by_name.contains_key(&index) {
                printer.loose.push((index, unique(&name.0, index)));
            }
        }
        printer
    }

    pub(crate) fn word(&mut self, text: &[u8]) {
        self.out.push(b' ');
        self.out.extend_from_slice(text);
    }

    pub(crate) fn line(&mut self, indent: usize, keyword: &str) {
        self.out.resize(self.out.len() + indent, b' ');
        self.out.extend_from_slice(keyword.as_bytes());
    }

    pub(crate) fn end(&mut self) {
        self.out.push(b'\n');
    }

    pub(crate) fn float(&mut self, v: f32) {
        self.out.push(b' ');
        push_f32(&mut self.out, v, Notation::Point);
    }

    pub(crate) fn floats(&mut self, indent: usize, keyword: &str, values: &[f32]) {
        self.line(indent, keyword);
        values.iter().for_each(|v| self.float(*v));
        self.end();
    }

    pub(crate) fn int(&mut self, indent: usize, keyword: &str, value: u64) {
        self.line(indent, keyword);
        self.out.push(b' ');
        push_int(&mut self.out, value);
        self.end();
    }

    pub(crate) fn text<const N: usize>(&mut self, indent: usize, keyword: &str, text: &Text<N>) {
        self.line(indent, keyword);
        if !text.bytes().is_empty() {
            let token = literal(text.bytes());
            self.word(&token);
        }
        self.end();
    }

    /// Prints an indented row of numbers.
    pub(crate) fn row(&mut self, indent: usize, values: &[f32]) {
        self.out.resize(self.out.len() + indent, b' ');
        for (i, v) in values.iter().enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            push_f32(&mut self.out, *v, Notation::Point);
        }
        self.end();
    }

    /// Returns an estimate of the length of the text.
    fn estimate(&self) -> usize {
        let of_mesh = |n: &Node| {
            n.mesh.as_deref().map_or(0, |m| m.vertices.positions.len() * 64 + m.faces.len() * 36 + 900)
        };
        let of_node = |n: &Node| 160 + n.controllers.data().len() * 12 + of_mesh(n);
        self.model.all_nodes().map(of_node).sum::<usize>() + 1024
    }

    /// Prints the whole model.
    pub(crate) fn run(mut self) -> Vec<u8> {
        self.out.reserve(self.estimate());
        let model = self.model;
        let name = token(model.name.bytes());
        self.out.extend_from_slice(b"# Exported by Galatea\n");
        let pair = |p: &mut Self, keyword: &str, words: &[&[u8]]| {
            p.line(0, keyword);
            words.iter().for_each(|w| p.word(w));
            p.end();
        };
        pair(&mut self, "newmodel", &[&name]);
        let parent = match model.supermodel.bytes() {
            b"" => b"NULL".to_vec(),
            other => literal(other),
        };
        pair(&mut self, "setsupermodel", &[&name, &parent]);
        let class = CLASSIFICATIONS.iter().find(|c| c.1 == model.classification).map_or("other", |c| c.0);
        pair(&mut self, "classification", &[class.as_bytes()]);
        self.int(0, "classification_unk1", model.subclassification.into());
        self.int(0, "ignorefog", u64::from(model.fog == 0));
        self.floats(0, "setanimationscale", &[model.animation_scale]);
        self.int(0, "compress_quaternions", self.compress.into());
        self.int(0, "headlink", model.head.is_some().into());
        if model.game == Game::K2 {
            pair(&mut self, "game", &[b"kotor2"]);
        }
        if model.platform == Platform::Xbox {
            pair(&mut self, "platform", &[b"xbox"]);
        }
        pair(&mut self, "beginmodelgeom", &[&name]);
        let [min, max] = &model.bounds;
        self.floats(2, "bmin", min);
        self.floats(2, "bmax", max);
        self.floats(2, "radius", &[model.radius]);
        for (id, node) in model.nodes.iter().enumerate() {
            self.node(id, node);
        }
        for (_, loose) in &std::mem::take(&mut self.loose) {
            pair(&mut self, "name", &[loose]);
        }
        pair(&mut self, "endmodelgeom", &[&name]);
        for animation in &model.animations {
            self.animation(animation, &name);
        }
        pair(&mut self, "donemodel", &[&name]);
        self.out
    }

    fn node(&mut self, id: usize, node: &Node) {
        self.line(0, "node ");
        self.out.extend_from_slice(type_word(node).as_bytes());
        let name = self.tokens.get(id).cloned().unwrap_or_default();
        self.word(&name);
        self.end();
        self.line(2, "parent");
        let parent = node.parent.and_then(|p| self.tokens.get(p as usize)).cloned();
        self.word(parent.as_deref().unwrap_or(b"NULL"));
        self.end();
        self.pose(node);
        let class = class_of(node);
        for index in 0..node.controllers.list().len() {
            if let Some(track) = node.controllers.track(index) {
                self.constant(&track, class);
            }
        }
        match class {
            Class::Mesh => self.mesh(node),
            Class::Light => node.light.as_deref().map_or((), |l| self.light(l)),
            Class::Emitter => node.emitter.as_deref().map_or((), |e| self.emitter(e)),
            Class::Plain => {
                if let Some(reference) = node.reference.as_deref() {
                    self.text(2, "refModel", &reference.model);
                    self.int(2, "reattachable", reference.reattachable.into());
                }
            }
        }
        self.line(0, "endnode");
        self.end();
    }

    fn light(&mut self, light: &Light) {
        self.floats(2, "flareradius", &[light.flare_radius]);
        for (keyword, value) in [
            ("lightpriority", light.priority),
            ("ambientonly", light.ambient_only),
            ("nDynamicType", light.dynamic_type),
            ("affectDynamic", light.affect_dynamic),
            ("shadow", light.shadow),
            ("flare", light.flare),
            ("fadingLight", light.fading),
        ] {
            self.int(2, keyword, value.into());
        }
        if !light.flare_textures.is_empty() {
            self.int(2, "texturenames", light.flare_textures.len() as u64);
            for name in &light.flare_textures {
                self.line(4, "");
                let token = token(&name.0);
                self.out.extend_from_slice(&token);
                self.end();
            }
        }
        let lists = [("flaresizes", &light.flare_sizes), ("flarepositions", &light.flare_positions)];
        for (keyword, list) in lists {
            if !list.is_empty() {
                self.int(2, keyword, list.len() as u64);
                list.iter().for_each(|v| self.row(4, &[*v]));
            }
        }
        if !light.flare_colors.is_empty() {
            self.int(2, "flarecolorshifts", light.flare_colors.len() as u64);
            light.flare_colors.iter().for_each(|c| self.row(4, c));
        }
    }

    fn emitter(&mut self, e: &Emitter) {
        self.floats(2, "deadspace", &[e.dead_space]);
        self.floats(2, "blastRadius", &[e.blast_radius]);
        self.floats(2, "blastLength", &[e.blast_length]);
        self.int(2, "numBranches", e.branch_count.into());
        self.floats(2, "controlptsmoothing", &[e.control_point_smoothing]);
        self.int(2, "xgrid", e.x_grid.into());
        self.int(2, "ygrid", e.y_grid.into());
        self.int(2, "spawntype", e.spawn_type.into());
        self.text(2, "update", &e.update);
        self.text(2, "render", &e.render);
        self.text(2, "blend", &e.blend);
        self.text(2, "texture", &e.texture);
        if !e.chunk.bytes().is_empty() {
            self.text(2, "chunkname", &e.chunk);
        }
        self.int(2, "twosidedtex", e.two_sided.into());
        self.int(2, "loop", e.looped.into());
        self.int(2, "renderorder", e.render_order.into());
        self.int(2, "m_bFrameBlending", e.frame_blending.into());
        self.text(2, "m_sDepthTextureName", &e.depth_texture);
        for (keyword, bit) in EMITTER_FLAGS {
            self.int(2, keyword, u64::from(e.flags & bit != 0));
        }
    }

    fn animation(&mut self, animation: &Animation, model_name: &[u8]) {
        let name = token(animation.name.bytes());
        self.line(0, "newanim");
        self.word(&name);
        self.word(model_name);
        self.end();
        self.floats(2, "length", &[animation.length]);
        self.floats(2, "transtime", &[animation.transition]);
        self.line(2, "animroot");
        let root = token(animation.root.bytes());
        self.word(&root);
        self.end();
        for event in &animation.events {
            self.line(2, "event");
            self.float(event.time);
            self.word(&token(event.name.bytes()));
            self.end();
        }
        let names = self.printed_names(&animation.nodes);
        for (node, (name, moves)) in animation.nodes.iter().zip(&names) {
            self.line(2, "node dummy");
            self.word(name);
            self.end();
            self.line(4, "parent");
            let parent = node.parent.and_then(|p| names.get(p as usize));
            self.word(parent.map_or(b"NULL", |(name, _)| name));
            self.end();
            let moved = moves.and_then(|id| self.model.node(id));
            let class = moved.map_or(Class::Plain, class_of);
            // The printed position of the moved node.
            let rest = moved.map_or([0.0; 3], printed_position);
            for index in 0..node.controllers.list().len() {
                if let Some(track) = node.controllers.track(index) {
                    self.keys(4, &track, class, if track.kind == 8 { rest } else { [0.0; 3] });
                }
            }
            self.line(2, "endnode");
            self.end();
        }
        self.line(0, "doneanim");
        self.word(&name);
        self.word(model_name);
        self.end();
    }
}

/// Returns a text as a single word; characters that would end it are replaced.
fn literal(text: &[u8]) -> Vec<u8> {
    text.iter().map(|b| if *b <= b' ' || *b == b'#' || *b == 0x7F { b'_' } else { *b }).collect()
}

/// Returns whether most orientations of the animations are packed.
fn compresses(model: &Model) -> bool {
    let (mut packed, mut plain) = (0usize, 0usize);
    for controller in model.animations.iter().flat_map(|a| &a.nodes).flat_map(|n| n.controllers.list()) {
        packed += usize::from(controller.is_packed());
        plain += usize::from(controller.kind == 20 && controller.columns == 4);
    }
    packed > plain
}

/// Appends a blank and a signed integer.
pub(crate) fn push_spaced(out: &mut Vec<u8>, n: i64) {
    out.push(b' ');
    push_int(out, n);
}
