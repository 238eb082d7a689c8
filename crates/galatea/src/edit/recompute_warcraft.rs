//! Tangents and extents of Warcraft III models.

use glam::{Vec2, Vec3};

use crate::mdlx::play::{Moment, Player};
use crate::mdlx::{Bounds, Geoset, Model};

/// Moments of a sequence that its extent is around.
const MOMENTS: u32 = 24;

/// Computes tangents where there are some; returns how many geosets have them.
pub(super) fn tangents(model: &mut Model) -> usize {
    let mut count = 0;
    for geoset in &mut model.geosets {
        if geoset.tangents.is_some() {
            geoset.tangents = Some(of_geoset(geoset));
            count += 1;
        }
    }
    count
}

/// Returns a tangent for each vertex, along the first texture coordinate, with the side of the bitangent in w.
fn of_geoset(geoset: &Geoset) -> Vec<[f32; 4]> {
    let count = geoset.vertices.len();
    let uvs = geoset.uvs.first().map_or(&[][..], |set| set);
    let mut sums = vec![(Vec3::ZERO, Vec3::ZERO); count];
    for corners in geoset.triangles() {
        let at =
            |corner: u16| geoset.vertices.get(usize::from(corner)).map_or(Vec3::ZERO, |v| Vec3::from(*v));
        let uv = |corner: u16| uvs.get(usize::from(corner)).map_or(Vec2::ZERO, |v| Vec2::from(*v));
        let [a, b, c] = corners;
        let (e, f) = (at(b) - at(a), at(c) - at(a));
        let (p, q) = (uv(b) - uv(a), uv(c) - uv(a));
        let area = p.x * q.y - q.x * p.y;
        if area == 0.0 || !area.is_finite() {
            continue;
        }
        let (along, across) = ((e * q.y - f * p.y) / area, (f * p.x - e * q.x) / area);
        for corner in corners {
            if let Some((tangent, bitangent)) = sums.get_mut(usize::from(corner)) {
                *tangent += along;
                *bitangent += across;
            }
        }
    }
    let normals = geoset.normals.iter().map(|normal| Vec3::from(*normal)).chain(std::iter::repeat(Vec3::Z));
    sums.into_iter()
        .zip(normals)
        .map(|((tangent, bitangent), normal)| {
            let flat = (tangent - normal * normal.dot(tangent)).normalize_or(normal.any_orthonormal_vector());
            let side = if normal.cross(flat).dot(bitangent) < 0.0 { -1.0 } else { 1.0 };
            [flat.x, flat.y, flat.z, side]
        })
        .collect()
}

/// Computes the extents of geosets at rest and in each sequence, of the sequences and of the model; returns how many geosets there are.
pub(super) fn bounds(model: &mut Model) -> usize {
    let mut rest: Vec<Around> = model.geosets.iter().map(|geoset| Around::of(&geoset.vertices)).collect();
    let mut posed: Vec<Vec<Around>> = Vec::new();
    let player = Player::new(model);
    for (index, sequence) in model.sequences.iter().enumerate() {
        let mut around = vec![Around::default(); model.geosets.len()];
        let length = f64::from(sequence.end.saturating_sub(sequence.start));
        for moment in 0..MOMENTS {
            let elapsed = length * f64::from(moment) / f64::from(MOMENTS);
            let pose = player.pose(&Moment::in_sequence(model, index, elapsed), None);
            for (geoset, around) in model.geosets.iter().zip(&mut around) {
                player.vertices(geoset, &pose).iter().for_each(|(vertex, _)| around.add(*vertex));
            }
        }
        posed.push(around);
    }
    let mut whole = Around::default();
    for (index, geoset) in model.geosets.iter_mut().enumerate() {
        let own = rest.get_mut(index).map(std::mem::take).unwrap_or_default();
        own.put(&mut geoset.bounds);
        whole.join(&own);
        for (bounds, around) in geoset.sequence_bounds.iter_mut().zip(&posed) {
            around.get(index).into_iter().for_each(|around| around.put(bounds));
        }
    }
    for (sequence, around) in model.sequences.iter_mut().zip(&posed) {
        let mut all = Around::default();
        around.iter().for_each(|one| all.join(one));
        all.put(&mut sequence.bounds);
    }
    whole.put(&mut model.info.bounds);
    model.geosets.len()
}

/// A box around points, and the farthest of them from the origin.
#[derive(Debug, Clone, Default)]
struct Around {
    corners: Option<([f32; 3], [f32; 3])>,
    far: f32,
}

impl Around {
    fn of(points: &[[f32; 3]]) -> Around {
        let mut out = Around::default();
        points.iter().for_each(|point| out.add(*point));
        out
    }

    fn add(&mut self, point: [f32; 3]) {
        self.far = self.far.max(Vec3::from(point).length());
        let (min, max) = self.corners.get_or_insert((point, point));
        for ((min, max), value) in min.iter_mut().zip(max).zip(point) {
            *min = min.min(value);
            *max = max.max(value);
        }
    }

    fn join(&mut self, other: &Around) {
        let far = self.far.max(other.far);
        if let Some((min, max)) = other.corners {
            self.add(min);
            self.add(max);
        }
        // The corners of a box are farther away than what is in it.
        self.far = far;
    }

    /// Sets an extent; one around nothing stays.
    fn put(&self, bounds: &mut Bounds) {
        if let Some((min, max)) =
            self.corners.filter(|(min, max)| min.iter().chain(max).all(|v| v.is_finite()))
        {
            *bounds = Bounds { radius: self.far, min, max };
        }
    }
}
