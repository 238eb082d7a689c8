//! Fixes of meshes: faces, index lists, copies of positions, and extents.

use super::meshes;
use crate::mdl::check::finite;
use crate::mdl::derive::{self, vector};
use crate::mdl::mesh::{IndexLists, Mesh, PositionCopy};
use crate::mdl::{Face, Model};
use crate::stored_plane::StoredPlane;

/// If more values of two lists differ, the lists are considered unrelated.
const FEW: usize = 16;

/// Runs a fix on each mesh that is not a blade.
fn each(model: &mut Model, fix: impl Fn(&mut Mesh) -> usize) -> usize {
    meshes(model).filter(|m| m.saber.is_none()).map(fix).sum()
}

/// Returns the plane of a face; `None` if its corners do not define one.
fn plane_of(positions: &[[f32; 3]], face: &Face) -> Option<StoredPlane> {
    let points = derive::face_corners(positions, face)?;
    let derived = derive::face_normal(points).map(|c| c as f32);
    let [corner, ..] = points;
    let corner = corner.map(|c| c as f32);
    if derived == [0.0; 3] || !finite(&derived) || !finite(&corner) {
        return None;
    }
    let near_at = |normal: [f32; 3], corner: [f32; 3]| {
        let distance = derive::plane_distance(normal, corner);
        (distance - face.distance).abs() <= 1e-2 * (1.0 + distance.abs())
    };
    let near = |normal| near_at(normal, corner);
    let (stored, length) = (vector::v(face.normal), vector::length(vector::v(face.normal)));
    let angle = vector::angle(vector::v(derived), stored);
    let unit = (length - 1.0).abs() <= 1e-2;
    let inside = points.iter().filter(|p| near_at(face.normal, p.map(|c| c as f32))).count();
    Some(StoredPlane {
        possible: unit && inside >= 2,
        normal: derived,
        corner,
        normal_agrees: angle <= 10f64.to_radians() && unit,
        distance_agrees: near(face.normal),
        distance_derives: near(derived),
    })
}

/// Returns whether normal and distance of a face match its corners.
pub(super) fn plane_agrees(positions: &[[f32; 3]], face: &Face) -> bool {
    plane_of(positions, face).is_some_and(|p| p.agrees())
}

/// Derives wrong normals where the distance matches the corners. If both are wrong, a corner may be the cause.
pub(super) fn face_normals(model: &mut Model) -> usize {
    each(model, |mesh| {
        let mut count = 0;
        for face in &mut mesh.faces {
            if let Some(plane) = plane_of(&mesh.vertices.positions, face).filter(StoredPlane::normal_is_wrong)
            {
                face.normal = plane.normal;
                count += 1;
            }
        }
        count
    })
}

/// Derives wrong distances where the normal matches the corners.
pub(super) fn face_distances(model: &mut Model) -> usize {
    each(model, |mesh| {
        let mut count = 0;
        for face in &mut mesh.faces {
            if let Some(plane) =
                plane_of(&mesh.vertices.positions, face).filter(StoredPlane::distance_is_wrong)
            {
                face.distance = derive::plane_distance(face.normal, plane.corner);
                count += 1;
            }
        }
        count
    })
}

/// Derives neighbours that do not exist.
pub(super) fn neighbors(model: &mut Model) -> usize {
    let fix = |mesh: &mut Mesh| {
        let faces = mesh.faces.len();
        let wild = |n: u16| n != u16::MAX && usize::from(n) >= faces;
        if !mesh.faces.iter().flat_map(|f| f.adjacent).any(wild) {
            return 0;
        }
        let derived = derive::adjacency(&mesh.vertices.positions, &mesh.faces);
        let mut count = 0;
        for (face, derived) in mesh.faces.iter_mut().zip(derived) {
            for (slot, right) in face.adjacent.iter_mut().zip(derived).filter(|(n, _)| wild(**n)) {
                *slot = right;
                count += 1;
            }
        }
        count
    };
    meshes(model).map(fix).sum()
}

/// Sets texture counts if every byte of a row belongs to a column; otherwise a set may be hidden in the unused bytes.
pub(super) fn texture_counts(model: &mut Model) -> usize {
    each(model, |mesh| {
        let rows = &mesh.layout.rows;
        let covered = !rows.known || !rows.promises_too_much() && rows.residue.is_empty() && !rows.overlaps;
        let sets = mesh.vertices.uvs.iter().filter(|u| !u.is_empty()).count() as u16;
        if !covered || mesh.vertices.positions.is_empty() || mesh.texture_count == sets {
            return 0;
        }
        mesh.texture_count = sets;
        1
    })
}

/// Makes faces and index list agree, index by index: the value that the stored plane of the face or the area of the
/// mesh confirms is correct.
pub(super) fn index_lists(model: &mut Model) -> usize {
    each(model, |mesh| {
        let IndexLists::Own(lists) = &mesh.indices else { return 0 };
        let [list] = &lists[..] else { return 0 };
        let corners = mesh.faces.iter().flat_map(|f| f.vertices);
        // Many differences are not a single damage, and each requires a pass over the whole mesh.
        if list.len() != mesh.faces.len() * 3 || corners.zip(list).filter(|(a, b)| a != *b).count() > FEW {
            return 0;
        }
        let mut list = list.clone();
        let (positions, stored_area) = (&mesh.vertices.positions, mesh.area);
        let mut count = 0;
        for at in 0..list.len() {
            let (Some(index), Some(face)) = (list.get(at).copied(), mesh.faces.get(at / 3)) else { continue };
            let Some(corner) = face.vertices.get(at % 3).copied().filter(|c| *c != index) else { continue };
            let mut other = *face;
            if let Some(slot) = other.vertices.get_mut(at % 3) {
                *slot = index;
            }
            let area = |face: &Face| {
                let mut faces = mesh.faces.clone();
                if let Some(slot) = faces.get_mut(at / 3) {
                    *slot = *face;
                }
                let area = derive::area(positions, &faces);
                (area - stored_area).abs() <= 1e-3 * (1.0 + area)
            };
            let right = match (plane_agrees(positions, face), plane_agrees(positions, &other)) {
                (true, false) => corner,
                (false, true) => index,
                (true, true) => match (area(face), area(&other)) {
                    (true, false) => corner,
                    (false, true) => index,
                    _ => continue,
                },
                (false, false) => continue,
            };
            if let (Some(slot), Some(face)) = (list.get_mut(at), mesh.faces.get_mut(at / 3)) {
                *slot = right;
                face.vertices.get_mut(at % 3).into_iter().for_each(|c| *c = right);
                count += 1;
            }
        }
        let equal = mesh.faces.iter().flat_map(|f| f.vertices).eq(list.iter().copied());
        mesh.indices = if equal { IndexLists::Faces } else { IndexLists::Own(vec![list]) };
        count
    })
}

/// Makes positions and their copies agree, vertex by vertex: the one that lies in the stored planes of its faces is
/// correct.
pub(super) fn position_copies(model: &mut Model) -> usize {
    let fix = |mesh: &mut Mesh| {
        let mut count = 0;
        let mut mdl = std::mem::take(&mut mesh.mdl_positions);
        count += reconcile(&mut mesh.vertices.positions, &mut mdl, &mesh.faces);
        mesh.mdl_positions = mdl;
        if let Some(dangly) = mesh.dangly.as_deref_mut() {
            count += reconcile(&mut mesh.vertices.positions, &mut dangly.positions, &mesh.faces);
        }
        count
    };
    meshes(model).map(fix).sum()
}

/// Returns how far a vertex is from the stored planes of its faces; `None` if it has none.
fn off_planes(vertex: usize, position: [f32; 3], faces: &[Face]) -> Option<f64> {
    let has = |face: &&Face| face.vertices.iter().any(|v| usize::from(*v) == vertex);
    let off = |face: &Face| {
        (vector::dot(vector::v(face.normal), vector::v(position)) + f64::from(face.distance)).abs()
    };
    faces.iter().filter(has).map(off).fold(None, |most: Option<f64>, off| Some(most.unwrap_or(0.0).max(off)))
}

fn reconcile(positions: &mut [[f32; 3]], copy: &mut PositionCopy, faces: &[Face]) -> usize {
    let PositionCopy::Own(own) = copy else { return 0 };
    if own.len() != positions.len() {
        return 0;
    }
    let mut count = 0;
    let same = |a: &[f32; 3], b: &[f32; 3]| a.map(f32::to_bits) == b.map(f32::to_bits);
    let differing = own.iter().zip(&*positions).filter(|(a, b)| !same(a, b)).count();
    if differing > FEW {
        return 0;
    }
    for (vertex, (a, b)) in positions.iter_mut().zip(own.iter_mut()).enumerate() {
        if same(a, b) {
            continue;
        }
        let (Some(off_a), Some(off_b)) = (off_planes(vertex, *a, faces), off_planes(vertex, *b, faces))
        else {
            continue;
        };
        let size = |p: &[f32; 3]| 1e-3 * (1.0 + p.iter().fold(0.0f64, |m, c| m.max(f64::from(c.abs()))));
        // A wrong value may be NaN, which compares as false.
        let (fits_a, fits_b) = (finite(a) && off_a <= size(a), finite(b) && off_b <= size(b));
        match (fits_a, fits_b) {
            (true, false) => *b = *a,
            (false, true) => *a = *b,
            _ => continue,
        }
        count += 1;
    }
    if own.iter().zip(&*positions).all(|(a, b)| same(a, b)) {
        *copy = PositionCopy::Same;
    }
    count
}

/// The extents of a mesh, derived from its vertices, and which of the stored ones agree.
struct Figures {
    min: [f32; 3],
    max: [f32; 3],
    slack: f32,
    average: [f32; 3],
    area: f32,
    bounds_agree: bool,
    average_agrees: bool,
    radius_agrees: bool,
    area_agrees: bool,
    /// Whether the tool that wrote the mesh omits them.
    blank: bool,
}

fn figures(mesh: &Mesh) -> Option<Figures> {
    let positions = &mesh.vertices.positions;
    if positions.is_empty() || !positions.iter().all(|p| finite(p)) {
        return None;
    }
    let [min, max] = derive::bounds(positions);
    let size = max.iter().zip(min).map(|(b, a)| b - a).fold(0.0, f32::max);
    let slack = 1e-3 * (1.0 + size);
    let [low, high] = mesh.bounds;
    let average = derive::average(positions);
    let radius = derive::radius(positions, average);
    let area = derive::area(positions, &mesh.faces);
    if ![size, radius, area].iter().all(|v| v.is_finite()) {
        return None;
    }
    Some(Figures {
        min,
        max,
        slack,
        average,
        area,
        bounds_agree: min.iter().zip(low).all(|(v, b)| b <= v + slack)
            && max.iter().zip(high).all(|(v, b)| b >= v - slack),
        average_agrees: average.iter().zip(mesh.average).all(|(a, b)| (a - b).abs() <= 10.0 * slack),
        radius_agrees: radius - slack <= mesh.radius && mesh.radius <= 2.0 * radius + slack,
        area_agrees: (mesh.area - area).abs() <= 1e-2 * (1.0 + area),
        blank: mesh.bounds == [[0.0; 3]; 2] && mesh.radius == 0.0,
    })
}

/// Returns whether two of three other values agree with the vertices, which confirms the vertices.
fn two_of(three: [bool; 3]) -> bool {
    three.iter().filter(|b| **b).count() >= 2
}

/// Derives the sides of bounding boxes that do not contain the vertices.
pub(super) fn bounds(model: &mut Model) -> usize {
    each(model, |mesh| {
        let Some(f) = figures(mesh) else { return 0 };
        if f.bounds_agree || !f.blank && !two_of([f.average_agrees, f.radius_agrees, f.area_agrees]) {
            return 0;
        }
        let [low, high] = &mut mesh.bounds;
        for (side, v) in low.iter_mut().zip(f.min) {
            if side.is_nan() || *side > v + f.slack {
                *side = v;
            }
        }
        for (side, v) in high.iter_mut().zip(f.max) {
            if side.is_nan() || *side < v - f.slack {
                *side = v;
            }
        }
        1
    })
}

/// Derives radii that are too small, or the mean point if the radius matches the derived one.
pub(super) fn radii(model: &mut Model) -> usize {
    each(model, |mesh| {
        let Some(f) = figures(mesh) else { return 0 };
        let positions = &mesh.vertices.positions;
        let needed = derive::radius(positions, mesh.average);
        if needed - f.slack <= mesh.radius {
            return 0;
        }
        if !f.average_agrees && f.radius_agrees && f.bounds_agree {
            mesh.average = f.average;
            return 1;
        }
        if !f.blank && !two_of([f.bounds_agree, f.average_agrees, f.area_agrees]) {
            return 0;
        }
        if !f.average_agrees {
            mesh.average = f.average;
        }
        mesh.radius = derive::radius(positions, mesh.average);
        1
    })
}

/// Derives wrong areas.
pub(super) fn areas(model: &mut Model) -> usize {
    each(model, |mesh| {
        let Some(f) = figures(mesh) else { return 0 };
        let planes = mesh.faces.iter().all(|face| match plane_of(&mesh.vertices.positions, face) {
            Some(plane) => plane.normal_agrees && plane.distance_agrees,
            None => derive::face_corners(&mesh.vertices.positions, face).is_some(),
        });
        if f.area_agrees || !planes || !two_of([f.bounds_agree, f.average_agrees, f.radius_agrees]) {
            return 0;
        }
        mesh.area = f.area;
        1
    })
}
