//! Fixes of walkmeshes: single values that the other tables determine.

mod border;
mod tree;

use galatea_wire::{Fix, Fixed, Rule, run_fixes};

use crate::bwm::check;
use crate::bwm::rules::*;
use crate::bwm::{Kind, Walkmesh, normal, plane};
use crate::stored_plane::StoredPlane;
use crate::surface::Walkability;
use border::{border_edges, perimeters};
use tree::{boxes, build, faces_of_leaves, links, planes};

impl Walkmesh {
    /// Fixes the findings of the wanted rules where the rest of the file determines the correct value.
    pub fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        fix(self, &Walkability::default(), wanted)
    }
}

/// Fixes the findings of the wanted rules, with a given set of walkable materials.
pub fn fix(mesh: &mut Walkmesh, walkability: &Walkability, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
    if mesh.layout.overlapping {
        // It is unknown which of the overlapping tables is correct.
        return Vec::new();
    }
    let area = |run: fn(&mut Walkmesh) -> usize| {
        move |mesh: &mut Walkmesh| if mesh.kind == Kind::Object { 0 } else { run(mesh) }
    };
    let fixes = [
        Fix { rules: &[&TABLE_ABSENT], done: "tables derived", run: &absent_tables },
        Fix { rules: &[&NORMAL, &DISTANCE], done: "normals derived", run: &normals },
        Fix { rules: &[&DISTANCE], done: "plane distances derived", run: &distances },
        Fix {
            rules: &[&ADJACENCY_RANGE, &ADJACENCY_ONE_WAY, &ADJACENCY_APART, &ADJACENCY_MISSING],
            done: "neighbours derived",
            run: &area(neighbors),
        },
        Fix {
            rules: &[&EDGE_RANGE, &EDGE_TWICE, &EDGE_MISSING, &EDGE_INNER],
            done: "border edges derived",
            run: &area(border_edges),
        },
        Fix {
            rules: &[&PERIMETER_ORDER, &PERIMETER_END, &PERIMETER_OPEN],
            done: "ends of border loops derived",
            run: &area(perimeters),
        },
        Fix { rules: &[&TREE_ABSENT], done: "boxes built", run: &area(build) },
        Fix {
            rules: &[&TREE_CHILD, &TREE_CYCLE, &TREE_UNREACHED, &TREE_LEAVES],
            done: "children of boxes linked",
            run: &area(links),
        },
        Fix {
            rules: &[&TREE_FACE, &TREE_LEAVES, &TREE_CHILD],
            done: "faces assigned to leaves",
            run: &area(faces_of_leaves),
        },
        Fix { rules: &[&TREE_COVER], done: "boxes derived", run: &area(boxes) },
        Fix { rules: &[&TREE_PLANE], done: "plane codes derived", run: &area(planes) },
    ];
    run_fixes(mesh, &fixes, &|mesh| check(mesh, walkability), wanted)
}

/// Returns whether all vertices are finite.
fn is_finite(mesh: &Walkmesh) -> bool {
    mesh.vertices.iter().flatten().all(|v| v.is_finite())
}

/// Derives normals and distances that are missing altogether, unless the file has unused bytes, which may be them.
fn absent_tables(mesh: &mut Walkmesh) -> usize {
    let faces = mesh.faces.len();
    if !mesh.layout.gaps.is_empty() || !is_finite(mesh) {
        return 0;
    }
    let mut count = 0;
    if mesh.normals.is_empty() && faces > 0 {
        mesh.normals = (0..faces).map(|f| mesh.corners(f).map_or([0.0; 3], normal)).collect();
        count += 1;
    }
    if mesh.distances.is_empty() && faces > 0 && mesh.normals.len() == faces {
        mesh.derive_distances();
        count += 1;
    }
    count
}

/// Returns the plane of a face; `None` if its corners do not define one.
fn plane_of(mesh: &Walkmesh, face: usize) -> Option<StoredPlane> {
    let corners = mesh.corners(face).filter(|c| c.iter().flatten().all(|v| v.is_finite()))?;
    let derived = normal(corners);
    if derived == [0.0; 3] || derived.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let (stored, distance) = (mesh.normals.get(face)?, mesh.distances.get(face)?);
    let [corner, ..] = corners;
    let size = corner.iter().fold(1.0f32, |m, v| m.max(v.abs()));
    let near = |normal: [f32; 3]| (distance - plane(normal, corner)).abs() <= 1e-3 * size;
    let length = stored.iter().map(|v| v * v).sum::<f32>().sqrt();
    let inside = |c: &&[f32; 3]| (distance - plane(*stored, **c)).abs() <= 1e-3 * size;
    Some(StoredPlane {
        possible: (length - 1.0).abs() <= 1e-2 && corners.iter().filter(inside).count() >= 2,
        normal: derived,
        corner,
        normal_agrees: stored.iter().zip(derived).all(|(a, b)| (a - b).abs() <= 0.01),
        distance_agrees: near(*stored),
        distance_derives: near(derived),
    })
}

/// Returns whether normal and distance of a face match its corners.
fn plane_agrees(mesh: &Walkmesh, face: usize) -> bool {
    plane_of(mesh, face).is_some_and(|p| p.agrees())
}

/// Derives wrong normals where the distance matches the corners. If both are wrong, a corner may be the cause.
fn normals(mesh: &mut Walkmesh) -> usize {
    let mut count = 0;
    for face in 0..mesh.normals.len() {
        let Some(plane) = plane_of(mesh, face).filter(StoredPlane::normal_is_wrong) else { continue };
        if let Some(slot) = mesh.normals.get_mut(face) {
            *slot = plane.normal;
            count += 1;
        }
    }
    count
}

/// Derives wrong distances where the normal matches the corners.
fn distances(mesh: &mut Walkmesh) -> usize {
    let mut count = 0;
    for face in 0..mesh.distances.len() {
        let Some(found) = plane_of(mesh, face).filter(StoredPlane::distance_is_wrong) else { continue };
        if let (Some(slot), Some(normal)) = (mesh.distances.get_mut(face), mesh.normals.get(face)) {
            *slot = plane(*normal, found.corner);
            count += 1;
        }
    }
    count
}

/// Derives wrong neighbours where the table confirms the derived one: the face across the edge names this edge, or no
/// face does and the border lists it. If two faces name each other, a corner may be wrong instead.
fn neighbors(mesh: &mut Walkmesh) -> usize {
    let derived = crate::bwm::adjacency(&mesh.faces, mesh.adjacency.len());
    let total = mesh.adjacency.len() * 3;
    let stored = |edge: usize| mesh.adjacency.get(edge / 3).and_then(|n| n.get(edge % 3)).copied();
    let mut named = vec![false; total];
    for other in mesh.adjacency.iter().flatten() {
        if let Some(flag) = usize::try_from(*other).ok().and_then(|e| named.get_mut(e)) {
            *flag = true;
        }
    }
    let mut listed = vec![false; total];
    for entry in &mesh.edges {
        if let Some(flag) = listed.get_mut(entry.edge as usize) {
            *flag = true;
        }
    }
    let is = |flags: &[bool], edge: usize| flags.get(edge).copied().unwrap_or(false);
    let mut changes = Vec::new();
    for (edge, should) in derived.iter().flatten().enumerate() {
        let supported = match usize::try_from(*should) {
            Ok(across) => stored(across) == Some(edge as i32),
            Err(_) => !is(&named, edge) && is(&listed, edge),
        };
        if stored(edge) != Some(*should) && supported {
            changes.push((edge, *should));
        }
    }
    for (edge, should) in &changes {
        if let Some(slot) = mesh.adjacency.get_mut(edge / 3).and_then(|n| n.get_mut(edge % 3)) {
            *slot = *should;
        }
    }
    changes.len()
}
