//! Checks of nodes, controllers and animations.

use std::collections::HashSet;

use galatea_wire::escape_bytes;

use super::mesh::at_most;
use super::{Checker, finite, offset};
use crate::mdl::node::{Node, NodeId, NodeKind};
use crate::mdl::rules::*;
use crate::mdl::{Animation, Interpolation};

impl Checker<'_> {
    /// Checks the rules for nodes of the model and of animations.
    pub(super) fn node(&mut self, node: &Node, animation: Option<&Animation>) {
        let m = self.model;
        if usize::from(node.name) >= m.names.len() {
            self.add(&NAME_INDEX, "", || format!("name {} of {}", node.name, m.names.len()));
        }
        if !finite(&node.position) || !finite(&node.orientation) {
            self.add(&NODE_NOT_FINITE, "", || format!("{:?} {:?}", node.position, node.orientation));
        } else {
            let length: f32 = node.orientation.iter().map(|c| c * c).sum::<f32>().sqrt();
            if (length - 1.0).abs() > 1e-3 {
                self.add(&ORIENTATION, "orientation", || format!("length {length}"));
            }
        }
        if node.kind() == NodeKind::Other {
            self.add(&NODE_PARTS, "", || format!("flags 0x{:X}", node.flags()));
        }
        let layout = &node.layout;
        for (slot, what) in [
            (layout.children_slot(), "children"),
            (layout.controllers_slot(), "controllers"),
            (layout.data_slot(), "controller data"),
        ] {
            self.counts(&slot, what);
        }
        if let Some(stale) = layout.odd.as_ref().and_then(|odd| odd.stale_parent.or(odd.stale_owner)) {
            self.add(&STALE_PARENT, "", || format!("offset 0x{stale:X}"));
        }
        if let Some(light) = node.light.as_deref() {
            let counts = [
                light.flare_sizes.len(),
                light.flare_positions.len(),
                light.flare_colors.len(),
                light.flare_textures.len(),
            ];
            if counts.iter().any(|c| *c != counts[0]) {
                self.add(&FLARES, "light", || format!("{counts:?}"));
            }
        }
        self.controllers(node, animation);
    }

    fn controllers(&mut self, node: &Node, animation: Option<&Animation>) {
        let controllers = &node.controllers;
        let mut kinds = HashSet::new();
        let mut used = 0usize;
        for (i, controller) in controllers.list().iter().enumerate() {
            let what = format!("controllers[{i}]");
            if !kinds.insert(controller.kind) {
                self.add(&CONTROLLER_DOUBLE, &what, || format!("kind {}", controller.kind));
            }
            if animation.is_none() && !crate::mdl::animation::known_kind(node, controller.kind) {
                self.add(&CONTROLLER_KIND, &what, || format!("kind {}", controller.kind));
            }
            let Some(track) = controllers.track(i) else {
                self.add(&CONTROLLER_RANGE, &what, || {
                    format!(
                        "{} keys from {} of {}",
                        controller.rows,
                        controller.data_index,
                        controllers.data().len()
                    )
                });
                continue;
            };
            used += track.times.len() + track.values.len();
            if track.times.windows(2).any(|w| w.first() > w.last()) {
                self.add(&CONTROLLER_TIMES, &what, || format!("kind {}", track.kind));
            }
            let packed = track.interpolation == Interpolation::Packed;
            if !finite(track.times) || (!packed && !finite(track.values)) {
                self.add(&CONTROLLER_NOT_FINITE, &what, || format!("kind {}", track.kind));
            }
            if let Some(animation) = animation
                && let Some(last) = track.times.last()
                && *last > animation.length + 1e-3
            {
                self.add(&CONTROLLER_END, &what, || format!("{last} s of {} s", animation.length));
            }
        }
        if used < controllers.data().len() {
            let rest = controllers.data().len() - used;
            self.add(&DATA_UNUSED, "controller data", || format!("{rest} numbers"));
        }
    }

    pub(super) fn animation(
        &mut self,
        animation: &Animation,
        numbers: &HashSet<u16>,
        names: &HashSet<Vec<u8>>,
    ) {
        let m = self.model;
        if !(animation.length >= 0.0 && animation.length.is_finite()) {
            self.add(&ANIMATION_LENGTH, "length", || format!("{}", animation.length));
        }
        for (i, event) in animation.events.iter().enumerate() {
            if !at_most(event.time, animation.length + 1e-3) {
                let length = animation.length;
                self.add(&EVENT_TIME, &format!("events[{i}]"), || format!("{} s of {length} s", event.time));
            }
        }
        self.counts(&animation.layout.events, "events");
        for (id, node) in animation.nodes.iter().enumerate() {
            self.at = Some((offset(&node.layout.header_slot()).unwrap_or(0), id as NodeId));
            self.node(node, Some(animation));
            if node.kind() != NodeKind::Dummy {
                self.add(&ANIMATION_PART, "", || format!("flags 0x{:X}", node.flags()));
            }
            if !numbers.contains(&node.number) && !names.contains(&m.name_of(node).to_ascii_lowercase()) {
                self.add(&ANIMATION_TARGET, "", || {
                    format!("\"{}\", number {}", escape_bytes(m.name_of(node)), node.number)
                });
            }
        }
        self.at = None;
    }
}
