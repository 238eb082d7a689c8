//! Checks a walkmesh against the [rules](super::rules).

use galatea_wire::{Report, Rule};

use super::rules::*;
use super::wire::AabbNode;
use super::{Kind, Table, Walkmesh};
use crate::surface::{self, Walkability};

impl Walkmesh {
    /// Checks all rules, with the materials that are walkable in the game.
    pub fn check(&self) -> Report {
        check(self, &Walkability::default())
    }
}

/// Checks all rules, with a given set of walkable materials.
pub fn check(mesh: &Walkmesh, walkability: &Walkability) -> Report {
    let mut checker = Checker { mesh, walkability, report: Report::new() };
    checker.layout();
    checker.geometry();
    checker.planes();
    if mesh.kind == Kind::Object {
        for table in Table::ALL.into_iter().filter(|t| !t.is_geometry()) {
            let entries = mesh.entries(table);
            if entries > 0 {
                checker.add(&OBJECT_TABLES, Some((table, 0)), || format!("{entries} entries"));
            }
        }
    } else {
        checker.order();
        checker.adjacency();
        checker.border();
        checker.tree();
    }
    checker.report
}

struct Checker<'a> {
    mesh: &'a Walkmesh,
    walkability: &'a Walkability,
    report: Report,
}

impl Checker<'_> {
    fn add(&mut self, rule: &'static Rule, at: Option<(Table, usize)>, message: impl FnOnce() -> String) {
        let offset = at.and_then(|(table, index)| self.mesh.layout.offset_of(table, index));
        self.report.add(rule, offset, || {
            let path = at.map_or(String::new(), |(table, index)| format!("{}[{index}]", table.name()));
            (path, message())
        });
    }

    fn layout(&mut self) {
        let layout = &self.mesh.layout;
        for gap in &layout.gaps {
            let len = gap.bytes.len();
            let end = gap.offset as usize + len == layout.len as usize;
            let message =
                format!("{len} bytes {}", if end { "after the last table" } else { "between tables" });
            self.report.add(&GAP, Some(u64::from(gap.offset)), || ("file".into(), message));
        }
        if layout.overlapping {
            self.report.add(&OVERLAP, None, || ("file".into(), "tables share bytes".into()));
        }
        if let Kind::Other(code) = self.mesh.kind {
            self.report.add(&KIND, Some(8), || ("header.kind".into(), format!("kind {code}")));
        }
        if self.mesh.aabb_root != 0 {
            let found = self.mesh.aabb_root;
            self.report.add(&UNKNOWN_FIELD, Some(0x6C), || {
                ("header.aabb_root".into(), format!("{found}, usually 0"))
            });
        }
        let hooks = self.mesh.relative_use.iter().chain(&self.mesh.absolute_use).chain([&self.mesh.position]);
        for (index, hook) in hooks.enumerate() {
            if hook.iter().any(|v| !v.is_finite()) {
                let offset = 12 + 12 * index as u64;
                self.report.add(&NOT_FINITE, Some(offset), || ("header".into(), format!("{hook:?}")));
            }
        }
    }

    fn geometry(&mut self) {
        let mesh = self.mesh;
        let count = mesh.vertices.len();
        let mut used = vec![false; count];
        for (index, vertex) in mesh.vertices.iter().enumerate() {
            if vertex.iter().any(|v| !v.is_finite()) {
                self.add(&NOT_FINITE, Some((Table::Vertices, index)), || format!("{vertex:?}"));
            }
        }
        for (index, face) in mesh.faces.iter().enumerate() {
            for corner in face {
                match used.get_mut(*corner as usize) {
                    Some(flag) => *flag = true,
                    None => self
                        .add(&INDEX, Some((Table::Faces, index)), || format!("vertex {corner} of {count}")),
                }
            }
            if mesh.is_degenerate(index) {
                self.add(&DEGENERATE, Some((Table::Faces, index)), || format!("corners {face:?}"));
            }
        }
        for (index, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
            self.add(&UNUSED_VERTEX, Some((Table::Vertices, index)), || "not used by any face".into());
        }
        let place = |i: &u32| mesh.vertices.get(*i as usize).map(|v| v.map(|x| (x + 0.0).to_bits()));
        let mut by_place: Vec<u32> = (0..count as u32).collect();
        by_place.sort_by_key(|i| (place(i), *i));
        for pair in by_place.windows(2) {
            if let [first, second] = pair
                && place(first) == place(second)
            {
                self.add(&DUPLICATE_VERTEX, Some((Table::Vertices, *second as usize)), || {
                    format!("same position as vertex {first}")
                });
            }
        }
        let corners = |i: &u32| {
            let mut face = mesh.faces.get(*i as usize).copied().unwrap_or_default();
            face.sort_unstable();
            face
        };
        let mut by_corners: Vec<u32> = (0..mesh.faces.len() as u32).collect();
        by_corners.sort_by_key(|i| (corners(i), *i));
        for pair in by_corners.windows(2) {
            if let [first, second] = pair
                && corners(first) == corners(second)
            {
                self.add(&FACE_TWICE, Some((Table::Faces, *second as usize)), || {
                    format!("same corners as face {first}")
                });
            }
        }
        for (index, material) in mesh.materials.iter().enumerate() {
            if surface::name(*material).is_none() {
                self.add(&MATERIAL, Some((Table::Materials, index)), || format!("material {material}"));
            }
        }
    }

    fn planes(&mut self) {
        let mesh = self.mesh;
        let faces = mesh.faces.len();
        for table in [Table::Materials, Table::Normals, Table::Distances] {
            let entries = mesh.entries(table);
            if entries != faces {
                let name = table.name();
                self.report.add(&TABLE_ABSENT, None, || {
                    (name.into(), format!("{entries} entries for {faces} faces"))
                });
            }
        }
        for (index, stored) in mesh.normals.iter().enumerate() {
            let Some(corners) = mesh.corners(index) else { continue };
            let derived = super::normal(corners);
            // A face without area has no normal to compare with.
            let near = stored.iter().zip(derived).all(|(a, b)| (a - b).abs() <= 0.01);
            if !near
                && derived != [0.0; 3]
                && stored.iter().all(|v| v.is_finite())
                && corners.iter().flatten().all(|v| v.is_finite())
            {
                self.add(&NORMAL, Some((Table::Normals, index)), || {
                    format!("{stored:?}, derived {derived:?}")
                });
            }
            if stored.iter().any(|v| !v.is_finite()) {
                self.add(&NORMAL, Some((Table::Normals, index)), || format!("{stored:?}"));
            }
            let walkable = mesh.materials.get(index).is_some_and(|m| self.walkability.is_walkable(*m));
            let [_, _, up] = derived;
            if mesh.kind != Kind::Object && walkable && up < 0.0 {
                self.add(&DOWNWARD, Some((Table::Faces, index)), || format!("its normal is {derived:?}"));
            }
        }
        for (index, (stored, normal)) in mesh.distances.iter().zip(&mesh.normals).enumerate() {
            let Some([corner, ..]) = mesh.corners(index) else { continue };
            let derived = super::plane(*normal, corner);
            let size = corner.iter().fold(1.0f32, |m, v| m.max(v.abs()));
            if (stored - derived).abs() > 1e-3 * size || stored.is_nan() != derived.is_nan() {
                self.add(&DISTANCE, Some((Table::Distances, index)), || {
                    format!("{stored}, derived {derived}")
                });
            }
        }
    }

    fn order(&mut self) {
        let mut blocked = None;
        for (index, material) in self.mesh.materials.iter().enumerate() {
            match (self.walkability.is_walkable(*material), blocked) {
                (false, None) => blocked = Some(index),
                (true, Some(first)) => {
                    self.add(&ORDER, Some((Table::Materials, index)), || {
                        format!("walkable, after face {first}, which is not walkable")
                    });
                }
                _ => {}
            }
        }
        let walkable = self.mesh.walkable_faces(self.walkability);
        if walkable == 0 {
            let faces = self.mesh.faces.len();
            self.report
                .add(&NOTHING_WALKABLE, None, || ("materials".into(), format!("none of {faces} faces")));
        }
        let stored = self.mesh.adjacency.len();
        if stored != walkable {
            self.report.add(&ADJACENCY_COUNT, Some(112), || {
                ("adjacency".into(), format!("{stored} entries for {walkable} walkable faces"))
            });
        }
    }

    /// Returns the two vertices of an edge, in the direction of its face.
    fn ends(&self, edge: usize) -> Option<(u32, u32)> {
        let face = self.mesh.faces.get(edge / 3)?;
        Some((*face.get(edge % 3)?, *face.get((edge + 1) % 3)?))
    }

    fn adjacency(&mut self) {
        let mesh = self.mesh;
        let total = mesh.adjacency.len() * 3;
        let stored = |edge: usize| mesh.adjacency.get(edge / 3).and_then(|n| n.get(edge % 3)).copied();
        for edge in 0..total {
            let at = Some((Table::Adjacency, edge / 3));
            let Some(neighbour) = stored(edge).filter(|n| *n != -1) else { continue };
            let Some(across) = usize::try_from(neighbour).ok().filter(|n| *n < total) else {
                self.add(&ADJACENCY_RANGE, at, || {
                    format!("edge {} has neighbour {neighbour} of {total}", edge % 3)
                });
                continue;
            };
            if stored(across) != Some(edge as i32) {
                self.add(&ADJACENCY_ONE_WAY, at, || {
                    format!("face {} does not have face {} as its neighbour", across / 3, edge / 3)
                });
            }
            let (mine, theirs) = (self.ends(edge), self.ends(across));
            if let (Some((a, b)), Some((c, d))) = (mine, theirs)
                && (a, b) != (d, c)
                && (a, b) != (c, d)
            {
                self.add(&ADJACENCY_APART, at, || {
                    format!("edge {a}-{b} and edge {c}-{d} of face {}", across / 3)
                });
            }
        }
        let derived = super::adjacency(&mesh.faces, mesh.adjacency.len());
        for (face, (mine, should)) in mesh.adjacency.iter().zip(&derived).enumerate() {
            for (edge, (mine, should)) in mine.iter().zip(should).enumerate() {
                if *mine == -1 && *should != -1 {
                    self.add(&ADJACENCY_MISSING, Some((Table::Adjacency, face)), || {
                        format!("edge {edge} is shared with face {}", should / 3)
                    });
                }
            }
        }
        let mut sides: Vec<(u32, u32, u32)> = (0..total)
            .filter_map(|edge| self.ends(edge).map(|(a, b)| (a.min(b), a.max(b), edge as u32)))
            .collect();
        sides.sort_unstable();
        for group in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if let [_, _, (a, b, edge), ..] = group {
                self.add(&NON_MANIFOLD, Some((Table::Faces, *edge as usize / 3)), || {
                    format!("{} walkable faces share the edge {a}-{b}", group.len())
                });
            }
        }
    }

    fn border(&mut self) {
        let mesh = self.mesh;
        let total = mesh.adjacency.len() * 3;
        let is_inner = |edge: usize| {
            mesh.adjacency.get(edge / 3).and_then(|n| n.get(edge % 3)).is_some_and(|n| *n != -1)
        };
        let mut listed = vec![false; total];
        for (index, entry) in mesh.edges.iter().enumerate() {
            let at = Some((Table::Edges, index));
            let edge = entry.edge as usize;
            let Some(flag) = listed.get_mut(edge) else {
                self.add(&EDGE_RANGE, at, || format!("edge {edge} of {total}"));
                continue;
            };
            let twice = std::mem::replace(flag, true);
            if twice {
                self.add(&EDGE_TWICE, at, || format!("edge {} of face {}", edge % 3, edge / 3));
            }
            if is_inner(edge) {
                self.add(&EDGE_INNER, at, || format!("edge {} of face {}", edge % 3, edge / 3));
                if entry.transition != -1 {
                    self.add(&TRANSITION_INNER, at, || format!("transition to room {}", entry.transition));
                }
            }
        }
        for (edge, _) in listed.iter().enumerate().filter(|(edge, listed)| !**listed && !is_inner(*edge)) {
            self.add(&EDGE_MISSING, Some((Table::Adjacency, edge / 3)), || {
                format!("edge {} of face {}", edge % 3, edge / 3)
            });
        }
        let mut start = 0usize;
        for (index, end) in mesh.perimeters.iter().enumerate() {
            let at = Some((Table::Perimeters, index));
            let end = *end as usize;
            if end <= start || end > mesh.edges.len() {
                self.add(&PERIMETER_ORDER, at, || {
                    format!("loop ends at {end}, previous one at {start}, of {} edges", mesh.edges.len())
                });
                start = start.max(end.min(mesh.edges.len()));
                continue;
            }
            self.closed(start, end, index);
            start = end;
        }
        if start != mesh.edges.len() {
            let last = mesh.perimeters.len().checked_sub(1).map(|i| (Table::Perimeters, i));
            self.add(&PERIMETER_END, last, || format!("{} edges, loops end at {start}", mesh.edges.len()));
        }
    }

    /// Checks that the edges of a loop are connected, by position rather than by vertex: seams may have two vertices.
    fn closed(&mut self, start: usize, end: usize, perimeter: usize) {
        let mesh = self.mesh;
        let place = |i: u32| mesh.vertices.get(i as usize).map(|v| v.map(|x| (x + 0.0).to_bits()));
        let edges = mesh.edges.get(start..end).unwrap_or(&[]);
        for (entry, next) in edges.iter().zip(edges.iter().cycle().skip(1)) {
            if let (Some((_, to)), Some((from, _))) =
                (self.ends(entry.edge as usize), self.ends(next.edge as usize))
                && place(to) != place(from)
            {
                self.add(&PERIMETER_OPEN, Some((Table::Perimeters, perimeter)), || {
                    format!(
                        "edge {} ends at vertex {to}, edge {} begins at vertex {from}",
                        entry.edge, next.edge
                    )
                });
                return;
            }
        }
    }

    fn tree(&mut self) {
        let mesh = self.mesh;
        if mesh.aabb.is_empty() {
            if !mesh.faces.is_empty() {
                self.report.add(&TREE_ABSENT, Some(100), || ("aabb".into(), "no nodes".into()));
            }
            return;
        }
        let count = mesh.aabb.len();
        let mut seen = vec![false; count];
        let mut leaves = vec![0u8; mesh.faces.len()];
        // Pairs of node and parent; parents come before their children.
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(count);
        let mut todo = vec![(0u32, u32::MAX, 1u32)];
        let mut deepest = 0;
        while let Some((at, parent, depth)) = todo.pop() {
            let here = Some((Table::Aabb, at as usize));
            let (Some(node), Some(flag)) = (mesh.aabb.get(at as usize), seen.get_mut(at as usize)) else {
                self.add(&TREE_CHILD, Some((Table::Aabb, parent as usize)), || {
                    format!("child {at} of {count} nodes")
                });
                continue;
            };
            if std::mem::replace(flag, true) {
                self.add(&TREE_CYCLE, here, || format!("reached again from node {parent}"));
                continue;
            }
            deepest = deepest.max(depth);
            order.push((at, parent));
            self.tree_node(node, here, &mut leaves);
            if node.face < 0 {
                for child in [node.right, node.left] {
                    if child == u32::MAX {
                        self.add(&TREE_CHILD, here, || "an inner node with one child or none".into());
                    } else {
                        todo.push((child, at, depth.saturating_add(1)));
                    }
                }
            }
        }
        if deepest > 64 {
            self.report.add(&TREE_DEEP, None, || ("aabb".into(), format!("{deepest} levels")));
        }
        if let Some(lost) = seen.iter().position(|s| !s) {
            let unreached = seen.iter().filter(|s| !**s).count();
            self.add(&TREE_UNREACHED, Some((Table::Aabb, lost)), || format!("{unreached} nodes"));
        }
        for (face, leaves) in leaves.iter().enumerate().filter(|(_, n)| **n != 1) {
            self.add(&TREE_LEAVES, Some((Table::Faces, face)), || format!("{leaves} leaves"));
        }
        self.tree_cover(&order);
    }

    fn tree_node(&mut self, node: &AabbNode, here: Option<(Table, usize)>, leaves: &mut [u8]) {
        let count = leaves.len();
        if node.face >= 0 {
            match leaves.get_mut(node.face as usize) {
                Some(n) => *n = n.saturating_add(1),
                None => self.add(&TREE_FACE, here, || format!("face {} of {count}", node.face)),
            }
        } else if node.face != -1 {
            self.add(&TREE_FACE, here, || format!("face {}", node.face));
        }
        let known =
            if node.face >= 0 { node.plane == 0 } else { matches!(node.plane, 1 | 2 | 4 | 8 | 16 | 32) };
        if !known {
            self.add(&TREE_PLANE, here, || format!("plane {}", node.plane));
        }
        if node.unknown_0x1c != 4 {
            self.add(&UNKNOWN_FIELD, here, || format!("{} at 0x1C, usually 4", node.unknown_0x1c));
        }
    }

    /// Checks that every box contains the corners of all faces below it. Extents are gathered from the leaves upwards.
    fn tree_cover(&mut self, order: &[(u32, u32)]) {
        let mesh = self.mesh;
        const NOTHING: ([f32; 3], [f32; 3]) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut tight = vec![NOTHING; mesh.aabb.len()];
        let grow = |into: &mut ([f32; 3], [f32; 3]), min: [f32; 3], max: [f32; 3]| {
            for (slot, v) in into.0.iter_mut().zip(min) {
                *slot = slot.min(v);
            }
            for (slot, v) in into.1.iter_mut().zip(max) {
                *slot = slot.max(v);
            }
        };
        for (at, parent) in order.iter().rev() {
            let Some(node) = mesh.aabb.get(*at as usize) else { continue };
            let mut below = tight.get(*at as usize).copied().unwrap_or(NOTHING);
            if let Some(corners) = usize::try_from(node.face).ok().and_then(|f| mesh.corners(f)) {
                for corner in corners {
                    grow(&mut below, corner, corner);
                }
            }
            let (min, max) = below;
            let slack = |v: f32| 1e-4 + v.abs() * 1e-6;
            let inside = node.min.iter().zip(min).all(|(b, v)| *b <= v + slack(v))
                && node.max.iter().zip(max).all(|(b, v)| *b >= v - slack(v));
            if !inside && min.iter().zip(&max).all(|(a, b)| a <= b) {
                self.add(&TREE_COVER, Some((Table::Aabb, *at as usize)), || {
                    format!("box {:?} to {:?}, faces extend from {min:?} to {max:?}", node.min, node.max)
                });
            }
            if let Some(slot) = tight.get_mut(*parent as usize) {
                grow(slot, min, max);
            }
        }
    }
}
