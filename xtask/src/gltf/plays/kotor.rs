//! KotOR models, played as the game does.

use galatea::kotor::mdl::{Model, NodeId, Transform};
use glam::{Quat, Vec3};
use serde_json::Value;

use super::Played;

pub(super) struct Knights<'a> {
    model: &'a Model,
    size: f32,
}

impl<'a> Knights<'a> {
    pub(super) fn new(model: &'a Model) -> Knights<'a> {
        let mut out = Knights { model, size: 1.0 };
        let rest = model.in_model(&model.pose(None, 0.0));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for id in 0..model.nodes.len() {
            let origin = rest.get(id).map(|place| Vec3::from(place.position));
            for point in out.points(id, &rest).into_iter().chain(origin) {
                low = low.min(point);
                high = high.max(point);
            }
        }
        let size = (high - low).length();
        if size.is_finite() && size > 1e-3 {
            out.size = size;
        }
        out
    }
}

fn rotation(place: &Transform) -> Quat {
    let [w, x, y, z] = place.orientation;
    Quat::from_xyzw(x, y, z, w)
}

impl Played for Knights<'_> {
    /// The places of all nodes in the model.
    type Pose = Vec<Transform>;

    fn clips(&self) -> Vec<(String, f64)> {
        let animations = self.model.animations.iter();
        animations
            .map(|a| (String::from_utf8_lossy(a.name.bytes()).into_owned(), f64::from(a.length) * 1000.0))
            .collect()
    }

    fn pose(&self, clip: usize, elapsed: f64) -> Vec<Transform> {
        let pose = self.model.pose(self.model.animations.get(clip), (elapsed / 1000.0) as f32);
        self.model.in_model(&pose)
    }

    fn drawn_by(&self, extras: &Value) -> Option<usize> {
        let id = extras.get("kotor")?.get("id")?.as_u64()? as usize;
        (id < self.model.nodes.len()).then_some(id)
    }

    fn points(&self, drawn: usize, pose: &Vec<Transform>) -> Vec<Vec3> {
        let Some(mesh) = self.model.nodes.get(drawn).and_then(|n| n.mesh.as_deref()) else {
            return Vec::new();
        };
        if mesh.skin.is_some() {
            return self.model.skinned(drawn as NodeId, pose).into_iter().map(Vec3::from).collect();
        }
        let Some(place) = pose.get(drawn) else { return Vec::new() };
        let turn = rotation(place);
        let moved = |p: &[f32; 3]| turn * (Vec3::from(*p) * place.scale) + Vec3::from(place.position);
        mesh.vertices.positions.iter().map(moved).collect()
    }

    fn frame(&self, drawn: usize, pose: &Vec<Transform>) -> Option<[Vec3; 3]> {
        let place = pose.get(drawn)?;
        // Without size, a node points nowhere.
        let (turn, length) = (rotation(place), if place.scale == 0.0 { 0.0 } else { 1.0 });
        Some([Vec3::from(place.position), turn * Vec3::X * length, turn * Vec3::Y * length])
    }

    fn size(&self) -> f32 {
        self.size
    }
}
