//! Derived tables, computed again: `--recompute`.

use super::Refusal;
use super::documents::not_for;
use crate::Document;

/// What is computed from the rest of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Derived {
    /// Normals of vertices and faces.
    Normals,
    /// Tangents of vertices.
    Tangents,
    /// Boxes and spheres around meshes and models.
    Bounds,
    /// Box trees over faces.
    Aabb,
    /// Neighbours of faces, and the border of walkmeshes.
    Adjacency,
}

impl Derived {
    /// All of them, with their names.
    pub const ALL: [(Derived, &'static str); 5] = [
        (Derived::Normals, "normals"),
        (Derived::Tangents, "tangents"),
        (Derived::Bounds, "bounds"),
        (Derived::Aabb, "aabb"),
        (Derived::Adjacency, "adjacency"),
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(derived, _)| *derived == self).map_or("", |(_, name)| name)
    }
}

/// Computes a table again; returns how many parts have it.
pub(super) fn recompute(document: &mut dyn Document, what: Derived) -> Result<usize, Refusal> {
    let any = document.as_any_mut();
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        return Ok(kotor(model, what));
    }
    #[cfg(feature = "kotor")]
    if let Some(walkmesh) = any.downcast_mut::<crate::kotor::bwm::Walkmesh>() {
        let walkability = crate::kotor::surface::Walkability::default();
        match what {
            Derived::Normals => walkmesh.derive_planes(),
            Derived::Aabb => walkmesh.derive_tree(),
            Derived::Adjacency => {
                walkmesh.derive_adjacency(&walkability);
                walkmesh.derive_border();
            }
            _ => return Err(not_for(document, "walkmeshes have normals, adjacency and aabb")),
        }
        return Ok(1);
    }
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return match what {
            Derived::Normals => Ok(warcraft_normals(model)),
            Derived::Tangents => Ok(super::recompute_warcraft::tangents(model)),
            Derived::Bounds => Ok(super::recompute_warcraft::bounds(model)),
            _ => Err(not_for(document, "Warcraft III models have normals, tangents and bounds")),
        };
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        if what == Derived::Bounds {
            model.rederive();
            return Ok(1);
        }
        return Err(not_for(document, "bounds of Fox Engine models are computed"));
    }
    let _ = (any, what);
    Err(not_for(document, "tables are derived in mdl, mdx, fmdl and walkmeshes"))
}

#[cfg(feature = "mdlx")]
fn warcraft_normals(model: &mut crate::mdlx::Model) -> usize {
    for geoset in &mut model.geosets {
        let triangles: Vec<[u32; 3]> = geoset.triangles().iter().map(|t| t.map(u32::from)).collect();
        geoset.normals = galatea_scene::smooth_normals(&geoset.vertices, &triangles);
    }
    model.geosets.len()
}

#[cfg(feature = "kotor")]
fn kotor(model: &mut crate::kotor::mdl::Model, what: Derived) -> usize {
    use crate::kotor::mdl::derive::{Weighting, smoothing_groups};

    let mut count = 0;
    // Blades have no faces of their own.
    let meshes = model.nodes.iter_mut().filter_map(|node| node.mesh.as_deref_mut());
    for mesh in meshes.filter(|mesh| mesh.saber.is_none() && !mesh.vertices.positions.is_empty()) {
        let vertices = &mesh.vertices;
        let there = match what {
            Derived::Normals => !vertices.normals.is_empty(),
            Derived::Tangents => vertices.tangents.iter().any(|column| !column.is_empty()),
            Derived::Bounds | Derived::Adjacency => true,
            Derived::Aabb => mesh.aabb.is_some(),
        };
        if !there {
            continue;
        }
        count += 1;
        match what {
            Derived::Normals => {
                // Edges that are sharp now stay sharp.
                let groups = smoothing_groups(&vertices.positions, &vertices.normals, &mesh.faces);
                mesh.derive_normals(Some(&groups), Weighting::default());
                mesh.derive_planes();
            }
            Derived::Tangents => {
                for texture in 0..4 {
                    if mesh.vertices.tangents.get(texture).is_some_and(|column| !column.is_empty()) {
                        mesh.derive_tangents(texture);
                    }
                }
            }
            Derived::Bounds => mesh.derive_bounds(),
            Derived::Aabb => mesh.derive_aabb(),
            Derived::Adjacency => mesh.derive_faces(),
        }
    }
    count
}
