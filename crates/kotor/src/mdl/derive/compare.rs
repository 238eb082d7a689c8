//! A comparison of stored values with those of the compiler's rules.

use super::super::{Mesh, Model};
use super::bounds::corners;
use super::faces::face_normal;
use super::vector::{angle, length, sub, v};
use super::{
    Weighting, adjacency, area, average, bounds, inverse_binds, inverted_counter, plane_distance, radius,
    smoothing_groups, tangent_space, vertex_normals,
};

/// The number of values compared and of those equal to the derived ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Values compared.
    pub all: u64,
    /// Values equal to the derived ones.
    pub same: u64,
}

impl Tally {
    fn add(&mut self, same: bool) {
        self.all += 1;
        self.same += u64::from(same);
    }

    /// Returns the share of values equal to the derived ones; 1 if there are none.
    pub fn share(&self) -> f64 {
        if self.all == 0 { 1.0 } else { self.same as f64 / self.all as f64 }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.all += other.all;
        self.same += other.same;
    }
}

/// A comparison of stored values with derived ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Face normals within 1 degree.
    pub face_normals: Tally,
    /// Plane distances within 1e-3, relative to the size of the coordinates.
    pub plane_distances: Tally,
    /// Neighbours across edges.
    pub adjacency: Tally,
    /// Boxes equal, or equal when the origin is included.
    pub bounds: Tally,
    /// Mean points within 1e-3 relative.
    pub averages: Tally,
    /// Radii within 1e-4 relative, from the stored mean point.
    pub radii: Tally,
    /// Areas within 1e-4 relative, for meshes that have one.
    pub areas: Tally,
    /// Vertex normals within 1 degree of the area-weighted normals of their smoothing groups, which are recovered from
    /// the stored normals.
    pub vertex_normals: Tally,
    /// Bitangents within 1 degree.
    pub bitangents: Tally,
    /// Tangents within 1 degree.
    pub tangents: Tally,
    /// Normals of the tangent space within 1 degree.
    pub tangent_normals: Tally,
    /// Inverse bind translations of bones within 1e-2.
    pub bind_translations: Tally,
    /// Inverse bind rotations of bones within 0.01.
    pub bind_rotations: Tally,
    /// Inverted counters in depth-first order.
    pub inverted_counters: Tally,
}

/// Returns whether two values are close: relative to their size, absolute below 1.
fn near(a: f32, b: f32, tolerance: f64) -> bool {
    let (a, b) = (f64::from(a), f64::from(b));
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

impl Comparison {
    /// Returns all figures with their names, in order.
    pub fn rows(&self) -> [(&'static str, Tally); 14] {
        [
            ("face normals within 1 degree", self.face_normals),
            ("plane distances within 1e-3", self.plane_distances),
            ("adjacency", self.adjacency),
            ("bounding boxes", self.bounds),
            ("mean points within 1e-3", self.averages),
            ("radii within 1e-4", self.radii),
            ("areas within 1e-4", self.areas),
            ("vertex normals within 1 degree", self.vertex_normals),
            ("bitangents within 1 degree", self.bitangents),
            ("tangents within 1 degree", self.tangents),
            ("tangent space normals within 1 degree", self.tangent_normals),
            ("inverse bind translations within 1e-2", self.bind_translations),
            ("inverse bind rotations within 1e-2", self.bind_rotations),
            ("inverted counters", self.inverted_counters),
        ]
    }

    /// Returns whether neighbours are determined by position and radii from the mean point, as by the games' compiler.
    /// Some tools determine neighbours by vertex, or leave such values zero.
    pub fn follows_compiler(&self) -> bool {
        self.adjacency.share() > 0.9 && self.radii.share() > 0.9
    }

    fn mesh(&mut self, mesh: &Mesh) {
        let positions = &mesh.vertices.positions;
        if positions.is_empty() || mesh.saber.is_some() {
            return;
        }
        let size = positions.iter().flatten().fold(1.0f32, |m, c| m.max(c.abs()));
        for (face, adjacent) in mesh.faces.iter().zip(adjacency(positions, &mesh.faces)) {
            let Some(points) = corners(positions, face) else { continue };
            let normal = face_normal(points);
            if length(normal) > 0.0 {
                self.face_normals.add(angle(normal, v(face.normal)) < 1f64.to_radians());
            }
            let [x, y, z] = points[0];
            let distance = plane_distance(face.normal, [x as f32, y as f32, z as f32]);
            self.plane_distances.add(f64::from((distance - face.distance).abs()) <= 1e-3 * f64::from(size));
            for (stored, derived) in face.adjacent.iter().zip(adjacent) {
                self.adjacency.add(*stored == derived);
            }
        }
        let close = |a: [[f32; 3]; 2], b: [[f32; 3]; 2]| {
            a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| near(*a, *b, 1e-4))
        };
        let own = bounds(positions);
        let [min, max] = own;
        let with_origin = [min.map(|c| c.min(0.0)), max.map(|c| c.max(0.0))];
        self.bounds.add(close(own, mesh.bounds) || close(with_origin, mesh.bounds));
        let mean = average(positions);
        self.averages.add(length(sub(v(mean), v(mesh.average))) <= 1e-3 * f64::from(size));
        self.radii.add(near(radius(positions, mesh.average), mesh.radius, 1e-4));
        // Tools that do not support the field leave it zero.
        if mesh.area != 0.0 {
            self.areas.add(near(area(positions, &mesh.faces), mesh.area, 1e-4));
        }
        let vertices = &mesh.vertices;
        let within = |a: [f32; 3], b: [f32; 3]| angle(v(a), v(b)) < 1f64.to_radians();
        if !vertices.normals.is_empty() {
            let groups = smoothing_groups(positions, &vertices.normals, &mesh.faces);
            let weighting = Weighting { area: true, ..Weighting::default() };
            let normals = vertex_normals(positions, &mesh.faces, Some(&groups), weighting);
            for (stored, derived) in vertices.normals.iter().zip(normals) {
                self.vertex_normals.add(within(*stored, derived));
            }
        }
        for (stored, uvs) in vertices.tangents.iter().zip(&vertices.uvs).filter(|(t, _)| !t.is_empty()) {
            let spaces = tangent_space(positions, &vertices.normals, uvs, &mesh.faces);
            for ([sb, st, sn], [b, t, n]) in stored.iter().zip(spaces) {
                self.bitangents.add(within(*sb, b));
                self.tangents.add(within(*st, t));
                self.tangent_normals.add(within(*sn, n));
            }
        }
    }

    fn skins(&mut self, model: &Model) {
        for (id, node) in model.nodes.iter().enumerate() {
            let Some(skin) = node.mesh.as_deref().and_then(|m| m.skin.as_deref()) else { continue };
            let binds = inverse_binds(&model.nodes, id as u32);
            let stored = skin.bone_map.iter().zip(&skin.rotations).zip(&skin.translations);
            for (((slot, rotation), translation), (r, t)) in stored.zip(binds) {
                if *slot < 0.0 {
                    continue;
                }
                self.bind_translations.add(length(sub(v(*translation), v(t))) <= 1e-2);
                let same = |sign: f32| rotation.iter().zip(r).all(|(a, b)| (a - b * sign).abs() <= 1e-2);
                self.bind_rotations.add(same(1.0) || same(-1.0));
            }
        }
    }
}

impl std::ops::AddAssign for Comparison {
    fn add_assign(&mut self, other: Comparison) {
        self.face_normals += other.face_normals;
        self.plane_distances += other.plane_distances;
        self.adjacency += other.adjacency;
        self.bounds += other.bounds;
        self.averages += other.averages;
        self.radii += other.radii;
        self.areas += other.areas;
        self.vertex_normals += other.vertex_normals;
        self.bitangents += other.bitangents;
        self.tangents += other.tangents;
        self.tangent_normals += other.tangent_normals;
        self.bind_translations += other.bind_translations;
        self.bind_rotations += other.bind_rotations;
        self.inverted_counters += other.inverted_counters;
    }
}

impl Model {
    /// Derives all values and counts the stored ones that are equal.
    ///
    /// ```
    /// let model = galatea_kotor::mdl::Model::new("empty");
    /// assert_eq!(model.compare_derived().areas.all, 0);
    /// ```
    pub fn compare_derived(&self) -> Comparison {
        let mut comparison = Comparison::default();
        let mut k = 0;
        for mesh in self.nodes.iter().filter_map(|n| n.mesh.as_deref()) {
            comparison.mesh(mesh);
            let counters =
                mesh.saber.as_deref().map_or(&mesh.inverted_counters[..], |s| &s.inverted_counters);
            for counter in counters {
                k += 1;
                comparison.inverted_counters.add(*counter == inverted_counter(k));
            }
        }
        comparison.skins(self);
        comparison
    }
}
