//! Checks a model against the [rules](super::rules).

use std::collections::{HashMap, HashSet};

use galatea_wire::{Fixed, Report, Rule, escape_bytes};

use super::derive::{self, vector};
use super::layout::Slot;
use super::mesh::{AabbTree, IndexLists, Mesh, PositionCopy, Skin};
use super::node::{Node, NodeId, NodeKind};
use super::rules::*;
use super::{AabbLayout, Animation, Interpolation, Model};

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
        super::fix::fix(self, wanted)
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

/// Returns whether `a <= b`; `false` if one of them is NaN.
fn at_most(a: f32, b: f32) -> bool {
    a <= b
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
                self.add(&ANIMATION_DOUBLE, "", || "played never".into());
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

    /// Checks the rules for nodes of the model and of animations.
    fn node(&mut self, node: &Node, animation: Option<&Animation>) {
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
            if animation.is_none() && !super::animation::known_kind(node, controller.kind) {
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

    fn animation(&mut self, animation: &Animation, numbers: &HashSet<u16>, names: &HashSet<Vec<u8>>) {
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

    fn mesh(&mut self, mesh: &Mesh) {
        let vertices = &mesh.vertices;
        let positions = &vertices.positions;
        let count = mesh.vertex_count();
        let drawn = mesh.render != 0 && !mesh.faces.is_empty() && mesh.saber.is_none();
        let named = |name: &[u8]| !name.is_empty() && !name.eq_ignore_ascii_case(b"null");
        for name in [mesh.texture.bytes(), mesh.lightmap.bytes()] {
            if name.len() > 16 {
                self.add(&TEXTURE_LONG, "mesh", || format!("\"{}\"", escape_bytes(name)));
            }
        }
        let missing = self.model.layout.mdx.missing;
        let [uv0, uv1, ..] = &vertices.uvs;
        if drawn && !missing && positions.is_empty() {
            self.add(&VERTICES_MISSING, "mesh", || format!("{} faces", mesh.faces.len()));
        }
        let complete = !missing && !positions.is_empty() && mesh.saber.is_none();
        if drawn && complete && named(mesh.texture.bytes()) && uv0.is_empty() {
            self.add(&UV_MISSING, "mesh", || format!("\"{}\"", escape_bytes(mesh.texture.bytes())));
        }
        if mesh.lightmapped != 0 && complete && uv1.is_empty() {
            self.add(&LIGHTMAP_UV, "mesh", || format!("\"{}\"", escape_bytes(mesh.lightmap.bytes())));
        }
        if mesh.lightmapped != 0 && !named(mesh.lightmap.bytes()) {
            self.add(&LIGHTMAP_NAME, "mesh", || "no name".into());
        }
        let sets = vertices.uvs.iter().filter(|u| !u.is_empty()).count();
        if complete && usize::from(mesh.texture_count) != sets {
            self.add(&TEXTURE_COUNT, "mesh", || format!("{} of {sets}", mesh.texture_count));
        }
        if drawn && complete && vertices.normals.is_empty() {
            self.add(&NORMALS_MISSING, "mesh", || format!("{count} vertices"));
        }
        self.columns(mesh);
        self.faces(mesh, count);
        self.figures(mesh);
        if let Some(pointers) = mesh.layout.pointers {
            self.add(&POINTERS, "mesh", || format!("{pointers:?}"));
        }
        let layout = &mesh.layout;
        for (slot, what) in [
            (&layout.faces, "faces"),
            (&layout.index_counts, "index counts"),
            (&layout.index_offsets, "index offsets"),
            (&layout.inverted_counters, "inverted counters"),
        ] {
            self.counts(slot, what);
        }
        if let Some(skin) = mesh.skin.as_deref() {
            self.skin(mesh, skin);
        }
        if let Some(dangly) = mesh.dangly.as_deref() {
            if dangly.constraints.len() != count {
                self.add(&CONSTRAINTS, "dangly", || format!("{} for {count}", dangly.constraints.len()));
            }
            if dangly.constraints.iter().any(|c| !(0.0..=255.0).contains(c)) {
                self.add(&CONSTRAINT_RANGE, "dangly", || "outside".into());
            }
        }
        if let Some(tree) = mesh.aabb.as_deref() {
            self.aabb(mesh, tree);
        }
        if let Some(saber) = mesh.saber.as_deref()
            && saber.positions.len() != 176
        {
            self.add(&SABER, "saber", || format!("{} vertices", saber.positions.len()));
        }
    }

    fn columns(&mut self, mesh: &Mesh) {
        let v = &mesh.vertices;
        let bad = |list: &[[f32; 3]]| list.iter().position(|p| !finite(p));
        let places = [("positions", bad(&v.positions)), ("normals", bad(&v.normals))];
        let uvs = v.uvs.iter().find_map(|uvs| uvs.iter().position(|uv| !finite(uv)));
        for (name, at) in places.into_iter().chain([("uvs", uvs)]) {
            if let Some(at) = at {
                self.add(&VERTEX_NOT_FINITE, &format!("mesh > {name}[{at}]"), || "NaN or infinite".into());
            }
        }
        let differs = |copy: &PositionCopy| matches!(copy, PositionCopy::Own(_));
        if differs(&mesh.mdl_positions) || mesh.dangly.as_deref().is_some_and(|d| differs(&d.positions)) {
            self.add(&POSITION_COPY, "mesh", || "the positions in the MDL differ".into());
        }
        let rows = &mesh.layout.rows;
        if rows.known && mesh.in_mdx && !self.model.layout.mdx.missing && rows.promises_too_much() {
            self.add(&ROW_COLUMNS, "mesh", || format!("columns 0x{:X} in {} bytes", rows.flags, rows.stride));
        }
    }

    fn faces(&mut self, mesh: &Mesh, count: usize) {
        let positions = &mesh.vertices.positions;
        let faces = &mesh.faces;
        let known = |i: &u16| usize::from(*i) < count.max(positions.len());
        let mut used = vec![false; count];
        let (mut turned, mut seen) = (0usize, 0usize);
        for (i, face) in faces.iter().enumerate() {
            let what = || format!("mesh > faces[{i}]");
            if !face.vertices.iter().all(known) {
                self.add(&FACE_VERTEX, &what(), || format!("{:?} of {count}", face.vertices));
                continue;
            }
            for vertex in face.vertices {
                if let Some(used) = used.get_mut(usize::from(vertex)) {
                    *used = true;
                }
            }
            if face.adjacent.iter().any(|n| *n != u16::MAX && usize::from(*n) >= faces.len()) {
                self.add(&ADJACENCY, &what(), || format!("{:?} of {}", face.adjacent, faces.len()));
            }
            if mesh.saber.is_some() {
                continue;
            }
            let Some(points) = derive::face_corners(positions, face) else { continue };
            let normal = derive::face_normal(points);
            if vector::length(normal) == 0.0 {
                self.add(&FACE_DEGENERATE, &what(), || format!("{:?}", face.vertices));
                continue;
            }
            // Rounding tilts the normals of long thin faces by some degrees.
            if vector::angle(normal, vector::v(face.normal)) > 10f64.to_radians() {
                self.add(&FACE_NORMAL, &what(), || format!("{:?}", face.normal));
            }
            let [point, ..] = points;
            let distance = -vector::dot(vector::v(face.normal), point);
            if (distance - f64::from(face.distance)).abs() > 1e-2 * (1.0 + distance.abs()) {
                self.add(&PLANE_DISTANCE, &what(), || format!("{} instead of {distance}", face.distance));
            }
            for vertex in face.vertices {
                if let Some(own) = mesh.vertices.normals.get(usize::from(vertex)) {
                    seen += 1;
                    turned += usize::from(vector::dot(vector::v(*own), normal) < -0.1);
                }
            }
        }
        if seen > 0 && turned * 2 > seen {
            self.add(&INSIDE_OUT, "mesh", || format!("{turned} of {seen} corners"));
        }
        let unused = used.iter().filter(|u| !**u).count();
        if unused > 0 && !faces.is_empty() && mesh.saber.is_none() {
            self.add(&VERTEX_UNUSED, "mesh", || format!("{unused} of {count} vertices"));
        }
        match &mesh.indices {
            IndexLists::Faces => {}
            IndexLists::Own(lists) => {
                if lists.iter().flatten().any(|i| !known(i)) {
                    self.add(&INDEX_LIST, "mesh > indices", || format!("{count} vertices"));
                } else if mesh.saber.is_none() && !faces.is_empty() {
                    self.add(&INDEX_FACES, "mesh > indices", || format!("{} lists", lists.len()));
                }
            }
        }
        if mesh.shadow != 0 && mesh.saber.is_none() {
            let neighbours = derive::adjacency(positions, faces);
            let open = neighbours.iter().flatten().filter(|n| **n == u16::MAX).count();
            if open > 0 {
                self.add(&OPEN_EDGE, "mesh", || format!("{open} edges"));
            }
        }
    }

    /// Checks box, radius and area.
    fn figures(&mut self, mesh: &Mesh) {
        let positions = &mesh.vertices.positions;
        if positions.is_empty() || mesh.saber.is_some() || !positions.iter().all(|p| finite(p)) {
            return;
        }
        let [min, max] = derive::bounds(positions);
        let size = max.iter().zip(min).map(|(b, a)| b - a).fold(0.0, f32::max);
        let slack = 1e-3 * (1.0 + size);
        let [low, high] = mesh.bounds;
        let outside = min.iter().zip(low).any(|(v, b)| !at_most(b, v + slack))
            || max.iter().zip(high).any(|(v, b)| !at_most(v - slack, b));
        if outside {
            self.add(&BOUNDS, "mesh", || format!("{:?} around {:?}", mesh.bounds, [min, max]));
        }
        let radius = derive::radius(positions, mesh.average);
        if !at_most(radius - slack, mesh.radius) {
            self.add(&RADIUS, "mesh", || format!("{} instead of {radius}", mesh.radius));
        }
        let area = derive::area(positions, &mesh.faces);
        if !at_most((mesh.area - area).abs(), 1e-2 * (1.0 + area)) {
            self.add(&AREA, "mesh", || format!("{} instead of {area}", mesh.area));
        }
    }

    fn skin(&mut self, mesh: &Mesh, skin: &Skin) {
        let v = &mesh.vertices;
        if (v.weights.is_empty() || v.bones.is_empty()) && !self.model.layout.mdx.missing {
            self.add(&SKIN_COLUMNS, "skin", || "no columns".into());
        }
        let slots = skin.slots();
        if slots > 17 {
            self.add(&BONE_SLOTS, "skin", || format!("{slots} bones"));
        }
        let nodes = self.model.nodes.len();
        if skin.bone_map.len() != nodes {
            self.add(&BONE_MAP, "skin", || format!("{} entries for {nodes} nodes", skin.bone_map.len()));
        }
        if skin.rotations.len() != skin.bone_map.len() || skin.translations.len() != skin.bone_map.len() {
            self.add(&BIND_COUNT, "skin", || {
                format!(
                    "{} and {} for {}",
                    skin.rotations.len(),
                    skin.translations.len(),
                    skin.bone_map.len()
                )
            });
        }
        let mut table = skin.clone();
        table.derive_bone_nodes();
        let filled: HashSet<u32> =
            skin.bone_map.iter().filter(|s| **s >= 0.0 && **s < 65536.0).map(|s| *s as u32).collect();
        let wrong = (0..slots.min(16))
            .find(|i| filled.contains(&(*i as u32)) && table.bone_nodes.get(*i) != skin.bone_nodes.get(*i));
        if let Some(slot) = wrong {
            self.add(&BONE_TABLE, "skin", || format!("slot {slot}"));
        }
        for (i, (weights, bones)) in v.weights.iter().zip(&v.bones).enumerate() {
            let what = || format!("mesh > vertices[{i}]");
            let sum: f32 = weights.iter().sum();
            if !at_most((sum - 1.0).abs(), 1e-2) {
                self.add(&WEIGHT_SUM, &what(), || format!("{sum}"));
            }
            for (weight, bone) in weights.iter().zip(bones) {
                let missing = bone.is_nan() || *bone >= 0.0 && !filled.contains(&(*bone as u32));
                if *bone < 0.0 && *weight > LEAST_WEIGHT {
                    self.add(&WEIGHT_BONELESS, &what(), || format!("weight {weight}"));
                } else if missing && *weight != 0.0 {
                    self.add(&BONE_SLOT_MISSING, &what(), || format!("slot {bone}"));
                }
            }
        }
    }

    /// Compares the bind poses of all skins with the rest pose.
    fn bind_pose(&mut self) {
        let m = self.model;
        let has_skin = |n: &Node| n.mesh.as_deref().is_some_and(|m| m.skin.is_some());
        if !m.nodes.iter().any(has_skin) {
            return;
        }
        let world = derive::rest(&m.nodes);
        for (id, node) in m.nodes.iter().enumerate() {
            let Some(skin) = node.mesh.as_deref().and_then(|m| m.skin.as_deref()) else { continue };
            self.at = Some((offset(&node.layout.header_slot()).unwrap_or(0), id as NodeId));
            let Some(own) = world.get(id) else { continue };
            for ((slot, translation), bone) in skin.bone_map.iter().zip(&skin.translations).zip(&world) {
                let bind = bone.inverse().then(*own);
                let apart = vector::length(vector::sub(vector::v(*translation), bind.translation));
                if *slot >= 0.0 && apart > 0.05 {
                    self.add(&BIND_POSE, "skin", || format!("slot {slot} differs by {apart:.3}"));
                }
            }
        }
        self.at = None;
    }

    fn aabb(&mut self, mesh: &Mesh, tree: &AabbTree) {
        if tree.nodes.is_empty() {
            if !mesh.faces.is_empty() {
                self.add(&AABB_ABSENT, "aabb", || format!("{} faces", mesh.faces.len()));
            }
            return;
        }
        let mut leaves = vec![0u32; mesh.faces.len()];
        let mut wild = 0;
        for (i, node) in tree.nodes.iter().enumerate() {
            let what = || format!("aabb > nodes[{i}]");
            if node.left.is_none() && node.right.is_none() {
                match usize::try_from(node.face).ok().and_then(|f| leaves.get_mut(f)) {
                    Some(count) => *count += 1,
                    None => wild += 1,
                }
            }
            let turned = node.min.iter().zip(node.max).any(|(a, b)| !at_most(*a, b));
            let loose = [node.left, node.right].into_iter().flatten().any(|child| {
                tree.nodes.get(child as usize).is_none_or(|c| {
                    c.min.iter().zip(node.min).any(|(c, b)| *c < b - 0.05)
                        || c.max.iter().zip(node.max).any(|(c, b)| *c > b + 0.05)
                })
            });
            if turned || loose {
                self.add(&AABB_BOX, &what(), || format!("{:?} to {:?}", node.min, node.max));
            }
        }
        let missing = leaves.iter().filter(|c| **c != 1).count();
        if missing > 0 || wild > 0 {
            self.add(&AABB_LEAVES, "aabb", || {
                format!("{missing} faces without exactly one leaf, {wild} leaves without a face")
            });
        }
        let none = match &tree.layout {
            AabbLayout::Packed { none, .. } => *none == u32::MAX,
            AabbLayout::Scattered { none, .. } => none.iter().flatten().any(|n| *n == u32::MAX),
        };
        if none {
            self.add(&AABB_NONE, "aabb", || format!("{} boxes", tree.nodes.len()));
        }
    }
}
