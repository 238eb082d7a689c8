//! Checks a model against all rules.

mod animation;
mod materials;
mod meshes;
mod nodes;

use std::collections::HashMap;

use galatea_wire::{Report, Rule, Text, escape_bytes};

use crate::rules;
use crate::{Layer, Model, Node, NodeKind, Tag, Tracks};

pub(crate) use animation::is_visibility;
pub(crate) use meshes::{bounds_of, slack};

impl Model {
    /// Checks every rule of [`RULES`].
    ///
    /// ```
    /// use galatea_mdlx::{Model, Version};
    /// let report = Model::new(Version(800)).check();
    /// assert_eq!(report.count("MDLX0050"), 1); // there are no sequences
    /// ```
    pub fn check(&self) -> Report {
        let mut check = Check::new(self);
        check.file();
        check.nodes();
        check.sequences();
        check.tracks();
        check.materials();
        check.meshes();
        check.emitters();
        check.report
    }
}

/// An item of one of the model's lists, for findings.
#[derive(Debug, Clone, Copy)]
struct At(&'static str, usize);

/// Tracks and what they belong to.
struct Owned<'a> {
    at: At,
    /// Layer, and texture slot, inside a material.
    inner: Option<(usize, Option<usize>)>,
    tracks: &'a Tracks,
}

struct Check<'a> {
    m: &'a Model,
    report: Report,
    places: HashMap<&'static str, Vec<u32>>,
    /// The first node with each object id.
    by_id: HashMap<u32, (NodeKind, usize)>,
}

impl<'a> Check<'a> {
    fn new(m: &'a Model) -> Self {
        let mut places: HashMap<&'static str, Vec<u32>> = HashMap::new();
        for (list, offset) in m.places() {
            places.entry(list).or_default().push(offset);
        }
        let mut by_id = HashMap::new();
        for (kind, index, node) in m.nodes() {
            by_id.entry(node.object_id).or_insert((kind, index));
        }
        Check { m, report: Report::new(), places, by_id }
    }

    fn add(&mut self, rule: &'static Rule, at: At, message: impl FnOnce() -> String) {
        let offset = self.places.get(at.0).and_then(|list| list.get(at.1)).map(|offset| u64::from(*offset));
        let name = name_of(self.m, at);
        self.report.add(rule, offset, || {
            let name = name.map(|n| format!(" \"{}\"", escape_bytes(n))).unwrap_or_default();
            (format!("{}[{}]{name}", at.0, at.1), message())
        });
    }

    fn add_plain(&mut self, rule: &'static Rule, path: &str, message: impl FnOnce() -> String) {
        self.report.add(rule, None, || (path.to_owned(), message()));
    }

    fn file(&mut self) {
        let m = self.m;
        let chunks = &m.layout.chunks;
        if !chunks.is_empty() && !chunks.iter().any(|c| c.tag == Tag(*b"MODL") && !c.unknown) {
            self.add_plain(&rules::NO_MODEL_CHUNK, "", || {
                "the model has no name, bounds or blend time".into()
            });
        }
        let mut seen: HashMap<Tag, usize> = HashMap::new();
        for chunk in chunks {
            *seen.entry(chunk.tag).or_default() += 1;
        }
        let mut twice: Vec<_> = seen.into_iter().filter(|(_, n)| *n > 1).collect();
        twice.sort();
        for (tag, count) in twice {
            self.add_plain(&rules::CHUNK_TWICE, "", || format!("{tag} occurs {count} times"));
        }
        for chunk in &m.unknown {
            self.add_plain(&rules::UNKNOWN_CHUNK, "", || {
                format!("{}, {} bytes", chunk.tag, chunk.bytes.len())
            });
        }
        if m.version.is_future() {
            self.add_plain(&rules::NEWER_VERSION, "VERS", || format!("version {}", m.version));
        }
        if m.version.is_wow() {
            let lists = [
                ("sequences", m.sequences.len()),
                ("materials", m.materials.len()),
                ("geosets", m.geosets.len()),
            ];
            for (list, count) in lists.into_iter().filter(|(_, n)| *n > 255) {
                self.add_plain(&rules::TOO_MANY, list, || format!("{count}"));
            }
        }
        let draws = m.geosets.len()
            + m.particle_emitters.len()
            + m.particle_emitters2.len()
            + m.ribbon_emitters.len()
            + m.popcorn_emitters.len();
        if draws == 0 {
            self.add_plain(&rules::NOTHING_TO_SEE, "", || "no geosets, particles or ribbons".into());
        }
        self.texts();
    }

    fn texts(&mut self) {
        let m = self.m;
        if m.info.name.has_tail() || m.info.animation_file.has_tail() {
            self.add_plain(&rules::TEXT_TAIL, "MODL", || "its name or animation file".into());
        }
        if m.info.name.bytes().contains(&b'"') {
            self.add_plain(&rules::NAME_WITH_QUOTE, "MODL", || m.info.name.lossy().into_owned());
        }
        let named = |list: &'static str, texts: Vec<&Text<80>>| {
            texts.into_iter().enumerate().map(move |(i, t)| (At(list, i), *t)).collect::<Vec<_>>()
        };
        let mut names = named("sequences", m.sequences.iter().map(|s| &s.name).collect());
        names.extend(named("cameras", m.cameras.iter().map(|c| &c.name).collect()));
        names.extend(m.nodes().map(|(kind, i, node)| (At(kind.list_name(), i), node.name)));
        for (at, name) in names {
            if name.has_tail() {
                self.add(&rules::TEXT_TAIL, at, || "its name".into());
            }
            if name.bytes().contains(&b'"') {
                self.add(&rules::NAME_WITH_QUOTE, at, || name.lossy().into_owned());
            }
        }
        let mut paths: Vec<(At, bool)> =
            m.textures.iter().enumerate().map(|(i, t)| (At("textures", i), t.path.has_tail())).collect();
        let attachments = m.attachments.iter().enumerate();
        paths.extend(attachments.map(|(i, a)| (At("attachments", i), a.path.has_tail())));
        let emitters = m.particle_emitters.iter().enumerate();
        paths.extend(emitters.map(|(i, e)| (At("particle_emitters", i), e.path.has_tail())));
        for (at, _) in paths.into_iter().filter(|(_, tail)| *tail) {
            self.add(&rules::TEXT_TAIL, at, || "its path".into());
        }
    }

    /// Returns all tracks with their owners.
    fn owned(&self) -> Vec<Owned<'a>> {
        let m = self.m;
        let mut out = Vec::new();
        let mut one = |list, index, inner, tracks| {
            out.push(Owned { at: At(list, index), inner, tracks });
        };
        for (i, material) in m.materials.iter().enumerate() {
            for (j, layer) in material.layers.iter().enumerate() {
                one("materials", i, Some((j, None)), &layer.tracks);
                for (k, texture) in layer.textures.iter().enumerate() {
                    one("materials", i, Some((j, Some(k))), &texture.tracks);
                }
            }
        }
        for (i, o) in m.texture_anims.iter().enumerate() {
            one("texture_anims", i, None, &o.tracks);
        }
        for (i, o) in m.geoset_anims.iter().enumerate() {
            one("geoset_anims", i, None, &o.tracks);
        }
        for (kind, i, node) in m.nodes() {
            one(kind.list_name(), i, None, &node.tracks);
        }
        for (i, o) in m.lights.iter().enumerate() {
            one("lights", i, None, &o.tracks);
        }
        for (i, o) in m.attachments.iter().enumerate() {
            one("attachments", i, None, &o.tracks);
        }
        for (i, o) in m.particle_emitters.iter().enumerate() {
            one("particle_emitters", i, None, &o.tracks);
        }
        for (i, o) in m.particle_emitters2.iter().enumerate() {
            one("particle_emitters2", i, None, &o.tracks);
        }
        for (i, o) in m.ribbon_emitters.iter().enumerate() {
            one("ribbon_emitters", i, None, &o.tracks);
        }
        for (i, o) in m.popcorn_emitters.iter().enumerate() {
            one("popcorn_emitters", i, None, &o.tracks);
        }
        for (i, o) in m.cameras.iter().enumerate() {
            one("cameras", i, None, &o.tracks);
        }
        out
    }
}

/// Returns the node of this kind and index.
fn node_of(m: &Model, kind: NodeKind, index: usize) -> Option<&Node> {
    match kind {
        NodeKind::Bone => m.bones.get(index).map(|o| &o.node),
        NodeKind::Light => m.lights.get(index).map(|o| &o.node),
        NodeKind::Helper => m.helpers.get(index).map(|o| &o.node),
        NodeKind::Attachment => m.attachments.get(index).map(|o| &o.node),
        NodeKind::ParticleEmitter => m.particle_emitters.get(index).map(|o| &o.node),
        NodeKind::ParticleEmitter2 => m.particle_emitters2.get(index).map(|o| &o.node),
        NodeKind::PopcornEmitter => m.popcorn_emitters.get(index).map(|o| &o.node),
        NodeKind::RibbonEmitter => m.ribbon_emitters.get(index).map(|o| &o.node),
        NodeKind::Event => m.events.get(index).map(|o| &o.node),
        NodeKind::CollisionShape => m.collision_shapes.get(index).map(|o| &o.node),
        NodeKind::SoundEmitter => m.sound_emitters.get(index).map(|o| &o.node),
    }
}

/// Returns the name of a list item, if it has one.
fn name_of(m: &Model, at: At) -> Option<&[u8]> {
    match at.0 {
        "sequences" => m.sequences.get(at.1).map(|s| s.name.bytes()),
        "cameras" => m.cameras.get(at.1).map(|c| c.name.bytes()),
        "textures" => m.textures.get(at.1).map(|t| t.path.bytes()).filter(|p| !p.is_empty()),
        list => {
            let kind = NodeKind::ALL.into_iter().find(|k| k.list_name() == list)?;
            node_of(m, kind, at.1).map(|n| n.name.bytes())
        }
    }
}

/// Returns `true` if the file shows signs of a converter with several known defects.
fn is_converted(m: &Model) -> bool {
    m.lights.iter().any(|l| l.kind & !0xFF == 0x200)
        || m.ribbon_emitters.iter().any(|r| r.node.flags & 0x40_0000 != 0 && r.node.flags & 0x4000 == 0)
        || m.geoset_anims.iter().any(|a| matches!(a.flags, 0x1A | 0x1B))
}

/// Returns the textures of a layer: its slots from 1100 on, otherwise its one texture.
fn layer_textures(m: &Model, layer: &Layer) -> Vec<i32> {
    if m.version.has(crate::Feature::TextureSlots) {
        layer.textures.iter().map(|t| t.texture_id).collect()
    } else {
        vec![layer.texture_id]
    }
}

/// Returns `true` if an index is in range; -1 (none) is not.
pub(crate) fn is_index(index: i32, count: usize) -> bool {
    usize::try_from(index).is_ok_and(|i| i < count)
}
