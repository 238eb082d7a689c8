//! Warcraft III models, played as the game does.

use std::collections::{BTreeSet, HashMap, HashSet};

use galatea::mdlx::play::{Moment, Player, Pose};
use galatea::mdlx::{Geoset, Model, Node};
use glam::Vec3;
use serde_json::Value;

use super::Played;

pub(super) struct Warcraft<'a> {
    model: &'a Model,
    player: Player<'a>,
    /// Geosets that something turns to the camera, which a viewer does not do.
    facing: HashSet<usize>,
}

impl<'a> Warcraft<'a> {
    pub(super) fn new(model: &'a Model) -> Warcraft<'a> {
        let geosets = model.geosets.iter().enumerate();
        let facing = geosets.filter(|(_, geoset)| faces_camera(model, geoset)).map(|(at, _)| at).collect();
        Warcraft { model, player: Player::new(model), facing }
    }
}

impl Played for Warcraft<'_> {
    type Pose = Pose;

    fn clips(&self) -> Vec<(String, f64)> {
        let length = |start: u32, end: u32| f64::from(end.saturating_sub(start));
        self.model
            .sequences
            .iter()
            .map(|s| (String::from_utf8_lossy(s.name.bytes()).into_owned(), length(s.start, s.end)))
            .collect()
    }

    fn pose(&self, clip: usize, elapsed: f64) -> Pose {
        let start = self.model.sequences.get(clip).map_or(0.0, |s| f64::from(s.start));
        let moment = Moment { sequence: Some(clip), time: start + elapsed, clock: elapsed };
        self.player.pose(&moment, None)
    }

    fn drawn_by(&self, extras: &Value) -> Option<usize> {
        let geoset = extras.get("mdx")?.get("geoset")?.as_u64()? as usize;
        (geoset < self.model.geosets.len() && !self.facing.contains(&geoset)).then_some(geoset)
    }

    fn points(&self, drawn: usize, pose: &Pose) -> Vec<Vec3> {
        let Some(geoset) = self.model.geosets.get(drawn) else { return Vec::new() };
        self.player.vertices(geoset, pose).into_iter().map(|(place, _)| Vec3::from(place)).collect()
    }

    fn frame(&self, _: usize, _: &Pose) -> Option<[Vec3; 3]> {
        None
    }

    fn size(&self) -> f32 {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for vertex in self.model.geosets.iter().flat_map(|g| &g.vertices) {
            low = low.min(Vec3::from(*vertex));
            high = high.max(Vec3::from(*vertex));
        }
        if low.is_finite() && high.is_finite() { (high - low).length().max(1e-3) } else { 1.0 }
    }
}

/// Whether something turns a geoset to the camera.
fn faces_camera(model: &Model, geoset: &Geoset) -> bool {
    let nodes: HashMap<i64, &Node> =
        model.nodes().map(|(_, _, node)| (i64::from(node.object_id), node)).collect();
    let bones = geoset.matrices.iter().map(|id| i64::from(*id));
    let weighted = geoset.skin.iter().flatten().flat_map(|skin| skin.bones.map(i64::from));
    bones.chain(weighted).collect::<BTreeSet<i64>>().into_iter().any(|id| {
        let mut at = nodes.get(&id);
        for _ in 0..nodes.len() {
            let Some(node) = at else { return false };
            if node.flags & BILLBOARD != 0 {
                return true;
            }
            at = nodes.get(&i64::from(node.parent_id));
        }
        false
    })
}

/// The flags of nodes that turn to the camera.
const BILLBOARD: u32 = 0x78;
