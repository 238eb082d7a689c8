//! Transforms of nodes at a time of an animation.

use super::animation::{Interpolation, Track, unpack_quaternion};
use super::derive::vector::{Q, Rigid, V, add, f, q, qnormalize, rotate, scale, v};
use super::{Animation, Model, Node};

/// The transform of a node relative to its parent or to the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Position.
    pub position: [f32; 3],
    /// Orientation: w, x, y, z.
    pub orientation: [f32; 4],
    /// Uniform scale. In the game it does not affect the positions of children, only what they draw.
    pub scale: f32,
}

impl Track<'_> {
    /// Returns the value at a time: held before the first and after the last key, interpolated between. Orientations
    /// are x, y, z, w. `None` if there are no keys.
    ///
    /// ```
    /// use galatea_kotor::mdl::{Controllers, Interpolation};
    /// let mut controllers = Controllers::default();
    /// controllers.push(36, 0xFFFF, Interpolation::Linear, 1, &[0.0, 1.0], &[1.0, 3.0])?;
    /// assert_eq!(controllers.get(36).unwrap().sample(0.25).unwrap()[0], 1.5);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn sample(&self, time: f32) -> Option<[f32; 4]> {
        let last = self.times.len().checked_sub(1)?;
        let after = self.times.partition_point(|t| *t <= time);
        let from = after.saturating_sub(1);
        let to = if after == 0 { 0 } else { after.min(last) };
        let (start, end) = (*self.times.get(from)?, *self.times.get(to)?);
        let between = if end > start { ((time - start) / (end - start)).clamp(0.0, 1.0) } else { 0.0 };
        let (a, b) = (self.value(from)?, self.value(to)?);
        if self.kind == super::animation::ORIENTATION && self.width != 3 {
            return Some(slerp(a, b, between));
        }
        if self.interpolation == Interpolation::Bezier {
            let (out, incoming) = (self.tangent(from, 2)?, self.tangent(to, 1)?);
            let u = between;
            let w = 1.0 - u;
            let cubic = |a: f32, o: f32, i: f32, b: f32| {
                w * w * w * a + 3.0 * w * w * u * (a + o) + 3.0 * w * u * u * (b + i) + u * u * u * b
            };
            let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
            let ([o0, o1, o2, o3], [i0, i1, i2, i3]) = (out, incoming);
            return Some([
                cubic(a0, o0, i0, b0),
                cubic(a1, o1, i1, b1),
                cubic(a2, o2, i2, b2),
                cubic(a3, o3, i3, b3),
            ]);
        }
        let mut out = a;
        for (o, b) in out.iter_mut().zip(b) {
            *o += (b - *o) * between;
        }
        Some(out)
    }

    /// Returns the value of a key, padded with zeros to four components. Packed orientations are unpacked.
    pub fn value(&self, key: usize) -> Option<[f32; 4]> {
        if self.interpolation == Interpolation::Packed {
            return self.values.get(key).map(|word| unpack_quaternion(word.to_bits()));
        }
        self.tangent(key, 0)
    }

    /// Returns the value (0), incoming (1) or outgoing (2) tangent of a key.
    fn tangent(&self, key: usize, part: usize) -> Option<[f32; 4]> {
        let parts = if self.interpolation == Interpolation::Bezier { 3 } else { 1 };
        let start = (key * parts + part) * self.width;
        let row = self.values.get(start..start + self.width)?;
        let mut out = [0.0; 4];
        for (slot, value) in out.iter_mut().zip(row) {
            *slot = *value;
        }
        Some(out)
    }
}

/// Interpolates between two orientations x, y, z, w along the shorter arc.
fn slerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    if t == 0.0 {
        return a;
    }
    let (a, b, t) = (a.map(f64::from), b.map(f64::from), f64::from(t));
    let cosine: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
    let angle = cosine.abs().min(1.0).acos();
    let (wa, wb) = if angle < 1e-4 {
        (1.0 - t, t)
    } else {
        (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin())
    };
    let mut out = [0.0; 4];
    for ((o, a), b) in out.iter_mut().zip(a).zip(b) {
        *o = wa * a + wb * sign * b;
    }
    qnormalize(out).map(|c| c as f32)
}

impl Node {
    /// Returns the transform at rest: that of the node header, with the scale of the model's controller.
    pub fn rest(&self) -> Transform {
        let scale = self.controllers.get(36).and_then(|t| t.sample(0.0)).map_or(1.0, |[s, ..]| s);
        Transform { position: self.position, orientation: self.orientation, scale }
    }
}

impl Model {
    /// Returns the transform of every node relative to its parent, at a time of an animation (of this model or a
    /// supermodel), or at rest.
    ///
    /// Position keys are multiplied by `factor` (the animation scale for inherited animations, otherwise 1) and added
    /// to the rest position. Orientation and scale keys replace it. Nodes are matched by number, then by name.
    ///
    /// ```
    /// use galatea_kotor::mdl::Model;
    /// let model = Model::new("box");
    /// assert_eq!(model.pose(None, 0.0)[0].scale, 1.0);
    /// ```
    pub fn pose(&self, animation: Option<&Animation>, time: f32) -> Vec<Transform> {
        self.pose_from(self, animation, time, 1.0)
    }

    /// Returns [`Model::pose`] with an animation of another model of the chain, to whose names its nodes refer.
    pub fn pose_from(
        &self,
        owner: &Model,
        animation: Option<&Animation>,
        time: f32,
        factor: f32,
    ) -> Vec<Transform> {
        let mut pose: Vec<Transform> = self.nodes.iter().map(Node::rest).collect();
        let Some(animation) = animation else { return pose };
        let mut by_number = std::collections::HashMap::new();
        let mut by_name = std::collections::HashMap::new();
        for (id, node) in self.nodes.iter().enumerate() {
            by_number.entry((node.number, node.name)).or_insert(id);
            by_number.entry((node.number, u16::MAX)).or_insert(id);
            by_name.entry(self.name_of(node).to_ascii_lowercase()).or_insert(id);
        }
        for node in &animation.nodes {
            let exact = std::ptr::eq(self, owner).then(|| by_number.get(&(node.number, node.name))).flatten();
            let target = exact
                .or_else(|| by_number.get(&(node.number, u16::MAX)))
                .or_else(|| by_name.get(&owner.name_of(node).to_ascii_lowercase()));
            let Some(place) = target.and_then(|id| pose.get_mut(*id)) else { continue };
            for track in node.controllers.tracks() {
                let Some([x, y, z, w]) = track.sample(time) else { continue };
                match track.kind {
                    8 => {
                        let [a, b, c] = place.position;
                        place.position = [a + x * factor, b + y * factor, c + z * factor];
                    }
                    // Packed keys may be slightly longer than 1.
                    20 if track.width != 3 => {
                        place.orientation = qnormalize(q([w, x, y, z])).map(|c| c as f32)
                    }
                    36 => place.scale = x,
                    _ => {}
                }
            }
        }
        pose
    }

    /// Returns the transform of every node in the model, given those relative to the parents.
    pub fn in_model(&self, pose: &[Transform]) -> Vec<Transform> {
        let local = |id: usize, node: &Node| {
            let t = pose.get(id).copied().unwrap_or_else(|| node.rest());
            Rigid { rotation: qnormalize(q(t.orientation)), translation: v(t.position) }
        };
        let world = super::derive::chain(&self.nodes, local);
        let scales = pose.iter().map(|t| t.scale).chain(std::iter::repeat(1.0));
        let whole = |(rigid, scale): (Rigid, f32)| Transform {
            position: f(rigid.translation),
            orientation: rigid.rotation.map(|c| c as f32),
            scale,
        };
        world.into_iter().zip(scales).map(whole).collect()
    }

    /// Returns the vertices of a skin in the model, given the transforms that [`Model::in_model`] returns. Empty if the
    /// node has no skin.
    pub fn skinned(&self, skin: super::NodeId, places: &[Transform]) -> Vec<[f32; 3]> {
        let Some(mesh) = self.node(skin).and_then(|n| n.mesh.as_deref()) else { return Vec::new() };
        let Some(bind) = mesh.skin.as_deref() else { return Vec::new() };
        let mut bones: Vec<Option<Rigid>> = Vec::new();
        for (node, slot) in bind.bone_map.iter().enumerate().filter(|(_, s)| **s >= 0.0 && **s < 256.0) {
            let slot = *slot as usize;
            if bones.len() <= slot {
                bones.resize(slot + 1, None);
            }
            let (Some(place), Some(r), Some(t)) =
                (places.get(node), bind.rotations.get(node), bind.translations.get(node))
            else {
                continue;
            };
            let (rotation, inverse): (Q, Q) = (qnormalize(q(place.orientation)), qnormalize(q(*r)));
            let moved = Rigid { rotation, translation: v(place.position) }
                .then(Rigid { rotation: inverse, translation: v(*t) });
            if let Some(entry) = bones.get_mut(slot) {
                *entry = Some(moved);
            }
        }
        let vertices = &mesh.vertices;
        let rows = vertices.positions.iter().zip(&vertices.weights).zip(&vertices.bones);
        rows.map(|((position, weights), slots)| {
            let mut sum: V = [0.0; 3];
            for (weight, slot) in weights.iter().zip(slots).filter(|(w, s)| **w != 0.0 && **s >= 0.0) {
                if let Some(Some(bone)) = bones.get(*slot as usize) {
                    let moved = add(rotate(bone.rotation, v(*position)), bone.translation);
                    sum = add(sum, scale(moved, f64::from(*weight)));
                }
            }
            f(sum)
        })
        .collect()
    }
}
