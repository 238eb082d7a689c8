//! Portraits: the model that the game shows beside a selected unit.

use glam::Vec3;

use crate::{Camera, Model, Sequence, bounds_of};

/// Field of view and near and far planes of most cameras in the game's own files.
const LENS: [f32; 3] = [std::f32::consts::FRAC_PI_4, 8.0, 1000.0];

/// The part of a unit's height that a portrait shows, if nothing says where its head is.
const HEAD: f32 = 0.3;

impl Model {
    /// Returns the model as a portrait: its Portrait sequences, or else the first Stand, seen by a camera in front of its head. It has
    /// neither events nor collision shapes.
    ///
    /// The head is at the attachment `Head Ref`, or below the top of the model. A camera that the model has is kept.
    ///
    /// ```
    /// use galatea_mdlx::{Model, Sequence, Text, Version};
    /// let mut model = Model::new(Version(800));
    /// model.sequences.push(Sequence { name: Text::new(b"Stand").unwrap(), end: 1000, ..Sequence::default() });
    /// let portrait = model.portrait();
    /// assert_eq!(portrait.sequences[0].name.bytes(), b"Portrait");
    /// assert_eq!(portrait.cameras.len(), 1);
    /// ```
    pub fn portrait(&self) -> Model {
        let mut out = self.clone();
        let begins = |s: &Sequence, word: &[u8]| s.name.bytes().to_ascii_lowercase().starts_with(word);
        let keep: Vec<bool> = if out.sequences.iter().any(|s| begins(s, b"portrait")) {
            out.sequences.iter().map(|s| begins(s, b"portrait")).collect()
        } else {
            let stand = out.sequences.iter().position(|s| begins(s, b"stand")).unwrap_or(0);
            (0..out.sequences.len()).map(|i| i == stand).collect()
        };
        let mut kept = keep.iter();
        out.sequences.retain(|_| kept.next().copied().unwrap_or(false));
        for geoset in out.geosets.iter_mut().filter(|g| g.sequence_bounds.len() == keep.len()) {
            let mut kept = keep.iter();
            geoset.sequence_bounds.retain(|_| kept.next().copied().unwrap_or(false));
        }
        for sequence in out.sequences.iter_mut().filter(|s| !begins(s, b"portrait")) {
            sequence.name = galatea_wire::Text::new(b"Portrait").unwrap_or(sequence.name);
            (sequence.flags, sequence.move_speed, sequence.rarity) = (0, 0.0, 0.0);
        }
        out.drop_nodes_without_use();
        if out.cameras.is_empty() {
            out.cameras.push(self.head_camera());
            if let Some(last) = out.bind_poses.last().copied() {
                out.bind_poses.push(last);
            }
        }
        out
    }

    /// Turns events and collision shapes, which a portrait does not need, into helpers, so that all objects keep their numbers.
    fn drop_nodes_without_use(&mut self) {
        let wow = self.version.is_wow();
        let events = std::mem::take(&mut self.events).into_iter().map(|e| (crate::NodeKind::Event, e.node));
        let shapes = std::mem::take(&mut self.collision_shapes);
        let shapes = shapes.into_iter().map(|s| (crate::NodeKind::CollisionShape, s.node));
        for (kind, mut node) in events.chain(shapes) {
            node.flags &= !if wow { kind.wow_bit() } else { kind.warcraft_bit() };
            self.helpers.push(crate::Helper { node });
        }
    }

    /// Returns a camera in front of the head.
    fn head_camera(&self) -> Camera {
        let all: Vec<[f32; 3]> = self.geosets.iter().flat_map(|g| g.vertices.iter().copied()).collect();
        let bounds = bounds_of(&all).unwrap_or_default();
        let (low, high) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
        let height = (high.z - low.z).max(1.0);
        let head = self.attachments.iter().find(|a| {
            let name = a.node.name.bytes().to_ascii_lowercase();
            name.starts_with(b"head") && !name.starts_with(b"head mount")
        });
        let pivot = head.and_then(|a| self.pivots.get(a.node.object_id as usize));
        let usual = Vec3::new((low.x + high.x) / 2.0, (low.y + high.y) / 2.0, high.z - height * HEAD / 2.0);
        let target = pivot.map_or(usual, |p| Vec3::from(*p));
        // Units face X. The view is a little wider than the head.
        let [field_of_view, near_clip, far_clip] = LENS;
        let distance = (height * HEAD * 0.75 / (field_of_view / 2.0).tan()).max(near_clip * 2.0);
        let from_chest = (high.x - target.x).max(0.0).min(height);
        Camera {
            name: galatea_wire::Text::new(b"Portrait_Camera").unwrap_or_default(),
            position: (target + Vec3::X * (distance + from_chest)).into(),
            target: target.into(),
            field_of_view,
            near_clip,
            far_clip: far_clip.max(distance * 10.0),
            ..Camera::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use galatea_wire::Text;

    use super::*;
    use crate::{Attachment, Event, Geoset, Version};

    #[test]
    fn a_portrait_looks_at_the_head() {
        let mut model = Model::new(Version(800));
        let name = |name: &str| Text::new(name.as_bytes()).unwrap();
        for (i, word) in ["Walk", "Stand - 1", "Death"].iter().enumerate() {
            let (start, end) = (i as u32 * 1000, i as u32 * 1000 + 900);
            model.sequences.push(Sequence { name: name(word), start, end, ..Sequence::default() });
        }
        model.geosets.push(Geoset {
            vertices: vec![[-20.0, -20.0, 0.0], [20.0, 20.0, 100.0], [0.0, 0.0, 50.0]],
            sequence_bounds: vec![Default::default(); 3],
            ..Geoset::default()
        });
        let mut head = Attachment::default();
        head.node.name = name("Head Ref");
        let mut event = Event::default();
        (event.node.object_id, event.node.flags) = (1, 0x400);
        model.attachments.push(head);
        model.events.push(event);
        model.pivots = vec![[5.0, 0.0, 90.0], [0.0; 3]];
        let portrait = model.portrait();
        assert_eq!((portrait.sequences.len(), portrait.sequences[0].start), (1, 1000));
        assert_eq!(portrait.geosets[0].sequence_bounds.len(), 1);
        assert_eq!(
            (portrait.events.len(), portrait.helpers.len(), portrait.helpers[0].node.flags),
            (0, 1, 0)
        );
        let camera = &portrait.cameras[0];
        assert_eq!(camera.target, [5.0, 0.0, 90.0]);
        assert!(camera.position[0] > 30.0 && camera.position[1] == 0.0, "{:?}", camera.position);
        // The model's own camera and sequences win.
        model.sequences[2].name = name("Portrait Talk");
        model.cameras.push(Camera::default());
        let portrait = model.portrait();
        assert_eq!(portrait.sequences[0].name.bytes(), b"Portrait Talk");
        assert_eq!(portrait.cameras, model.cameras);
    }
}
