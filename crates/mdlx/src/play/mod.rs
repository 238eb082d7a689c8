//! Playback: the state of a model at a given time. It is computed from the document and the time alone, so the same time
//! always gives the same result.
//!
//! ```
//! use galatea_mdlx::{Bone, Model, Sequence, Version};
//! use galatea_mdlx::play::{Moment, Player};
//! let mut model = Model::new(Version(800));
//! model.bones.push(Bone::default());
//! model.pivots.push([0.0, 0.0, 10.0]);
//! model.sequences.push(Sequence { start: 0, end: 1000, ..Sequence::default() });
//! let pose = Player::new(&model).pose(&Moment::in_sequence(&model, 0, 500.0), None);
//! assert_eq!(pose.nodes[0].matrix, glam::Mat4::IDENTITY);
//! ```

mod models;
mod particles;
mod perform;
mod pose;
mod ribbons;
mod run;
mod sample;
mod sprites;
mod steps;
mod thrown;

pub use models::{ModelSystem, ThrownModel};
pub use particles::{Particle, ParticleSystem};
pub use perform::ModelPerformance;
pub use pose::{CameraPose, GeosetPose, LayerPose, LightPose, NodePose, Pose, View};
pub use ribbons::{RibbonEdge, RibbonLook, RibbonSystem};
pub use sample::{Edge, Moment, Value};

use foldhash::{HashMap, HashMapExt as _};

use crate::{Model, Node, NodeKind, Tag, Track, Tracks};

/// A model prepared for playback.
#[derive(Debug)]
pub struct Player<'a> {
    model: &'a Model,
    edge: Edge,
    nodes: Vec<(NodeKind, usize, &'a Node)>,
    parents: Vec<Option<usize>>,
    /// Parents before children.
    order: Vec<usize>,
    by_id: HashMap<u32, usize>,
}

/// The state of a node while nodes are sorted.
#[derive(Clone, Copy)]
enum Seen {
    No,
    /// Its ancestors are being visited.
    Now,
    Done,
}

impl<'a> Player<'a> {
    /// Sorts the nodes so that parents come before children. A node whose ancestors form a cycle becomes a root.
    pub fn new(model: &'a Model) -> Self {
        let nodes: Vec<_> = model.nodes().collect();
        let mut by_id = HashMap::with_capacity(nodes.len());
        for (index, (_, _, node)) in nodes.iter().enumerate() {
            by_id.entry(node.object_id).or_insert(index);
        }
        let mut parents: Vec<Option<usize>> = nodes
            .iter()
            .map(|(_, _, n)| u32::try_from(n.parent_id).ok().and_then(|id| by_id.get(&id).copied()))
            .collect();
        let mut seen = vec![Seen::No; nodes.len()];
        let mut order = Vec::with_capacity(nodes.len());
        let mut chain = Vec::new();
        for start in 0..nodes.len() {
            let mut at = Some(start);
            while let Some((index, seen)) = at.and_then(|i| Some((i, seen.get_mut(i)?))) {
                match seen {
                    Seen::No => *seen = Seen::Now,
                    Seen::Now => {
                        if let Some(parent) = parents.get_mut(index) {
                            *parent = None;
                        }
                        break;
                    }
                    Seen::Done => break,
                }
                chain.push(index);
                at = parents.get(index).copied().flatten();
            }
            for index in chain.drain(..).rev() {
                if let Some(seen) = seen.get_mut(index) {
                    *seen = Seen::Done;
                }
                order.push(index);
            }
        }
        Player { model, edge: Edge::default(), nodes, parents, order, by_id }
    }

    /// Sets the behaviour before the first and after the last key of a sequence.
    #[must_use]
    pub fn edge(mut self, edge: Edge) -> Self {
        self.edge = edge;
        self
    }

    /// Returns the model.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Returns the parent of each node, by its position in [`Model::nodes`]. In a cycle, one node has none.
    pub(crate) fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// Returns the position of a node of this kind and index in [`Pose::nodes`].
    pub fn node_index(&self, kind: NodeKind, index: usize) -> Option<usize> {
        self.nodes.iter().position(|(k, i, _)| (*k, *i) == (kind, index))
    }

    /// Returns the pivot of a node.
    pub fn pivot(&self, node: &Node) -> glam::Vec3 {
        self.model.pivots.get(node.object_id as usize).copied().map_or(glam::Vec3::ZERO, glam::Vec3::from)
    }

    /// Returns the value of a track at a moment: sampled from its keys, `usual` if the sequence has no key, the static value if
    /// there is no track.
    pub fn value<T: Value>(&self, tracks: &Tracks, tag: &[u8; 4], moment: &Moment, fixed: T, usual: T) -> T {
        match tracks.get(Tag(*tag)) {
            None => fixed,
            Some(track) => self.sample(track, moment).unwrap_or(usual),
        }
    }

    /// Returns the value of a track at a moment; `None` if it has no key there, or another value type.
    pub fn sample<T: Value>(&self, track: &Track, moment: &Moment) -> Option<T> {
        sample::sample(self.model, track, moment, self.edge)
    }

    /// Returns the time of the key that counts at a moment: the last one before it, or around the end the last of the sequence.
    pub(crate) fn key_before(&self, track: &Track, moment: &Moment) -> Option<i32> {
        sample::key_before(self.model, track, moment, self.edge)
    }

    /// Returns the events that are triggered after one moment and up to another of the same sequence, with the times of their keys.
    /// A clock that has wrapped around has passed the end.
    pub fn events(&self, from: &Moment, to: &Moment) -> Vec<(usize, i32)> {
        let mut out = Vec::new();
        for (index, event) in self.model.events.iter().enumerate() {
            let Some(track) = &event.track else { continue };
            let global = usize::try_from(track.global_sequence).ok();
            let length = global.and_then(|i| self.model.global_sequences.get(i)).map(|n| f64::from(*n));
            let (a, b) = match (global, length) {
                (None, _) => (from.time, to.time),
                (Some(_), Some(length)) if length > 0.0 => (from.clock % length, to.clock % length),
                _ => continue,
            };
            for time in &track.times {
                let t = f64::from(*time);
                if global.is_none() && !moment_has(self.model, to, t) {
                    continue;
                }
                let passed = if a <= b { a < t && t <= b } else { t > a || t <= b };
                if passed {
                    out.push((index, *time));
                }
            }
        }
        out.sort_by_key(|(index, time)| (*time, *index));
        out
    }
}

fn moment_has(model: &Model, moment: &Moment, time: f64) -> bool {
    let sequence = moment.sequence.and_then(|i| model.sequences.get(i));
    sequence.is_none_or(|s| (f64::from(s.start)..=f64::from(s.end)).contains(&time))
}
