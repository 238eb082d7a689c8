//! Checks a walkmesh against the [rules](crate::bwm::rules).

mod border;
mod tree;

use galatea_wire::{Report, Rule};

use crate::bwm::rules::*;
use crate::bwm::{Kind, Table, Walkmesh};
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
            let derived = crate::bwm::normal(corners);
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
            let derived = crate::bwm::plane(*normal, corner);
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
}
