//! The walkmesh: triangles with surface materials, adjacency, and transitions of edges.

use std::sync::OnceLock;

use galatea_wire::{Error, ErrorKind, Place, Result};

use crate::bvh::Bvh;
use crate::material::Materials;
use crate::tree::StoredTree;
use crate::vector::{V3, at, cross3, dot3, put, sub3, v3};

/// The data of a walkmesh: plain tables, as a file or a scene has them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// Vertex positions, z up.
    pub positions: Vec<[f32; 3]>,
    /// Triangles as indices into `positions`.
    pub faces: Vec<[u32; 3]>,
    /// Surface material per face; empty means 0 for all.
    pub materials: Vec<u32>,
    /// The walkable materials.
    pub walkable: Materials,
    /// Neighbours of the first faces, as `3 * face + edge` of the neighbour or -1 (edge `e` goes from corner `e` to the
    /// next). Faces beyond the table have none. Without a table neighbours are found from the positions.
    pub adjacency: Option<Vec<[i32; 3]>>,
    /// Edges (`3 * face + edge`) that lead somewhere, with the number of the room they lead to.
    pub transitions: Vec<(u32, u32)>,
    /// The tree stored in the file.
    pub tree: Option<StoredTree>,
}

/// A walkmesh that answers queries.
///
/// ```
/// use galatea_walk::{Materials, Surface, Walkmesh};
/// let mesh = Walkmesh::new(Surface {
///     positions: vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]],
///     faces: vec![[0, 1, 2], [0, 2, 3]],
///     materials: vec![4, 4],
///     walkable: Materials::KOTOR_WALKABLE,
///     ..Surface::default()
/// })?;
/// assert_eq!(mesh.neighbour(0, 2), Some((1, 0)));
/// # Ok::<(), galatea_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Walkmesh {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) materials: Vec<u32>,
    pub(crate) walkable: Materials,
    /// Neighbours as `3 * face + edge`, or -1; mutual, and only between walkable faces that share both ends.
    pub(crate) adjacency: Vec<[i32; 3]>,
    transitions: Vec<(u32, u32)>,
    dropped_links: usize,
    pub(crate) tree: Option<StoredTree>,
    bvh: OnceLock<Bvh>,
}

impl Walkmesh {
    /// Creates a walkmesh. Positions that are not finite are kept, but faces that use them are ignored by queries.
    ///
    /// # Errors
    /// Fails if a face has an invalid vertex index, if the number of materials differs from that of the faces, or if there are
    /// more than 2^29 faces.
    pub fn new(surface: Surface) -> Result<Walkmesh> {
        let Surface { positions, faces, mut materials, walkable, adjacency, mut transitions, tree } = surface;
        if faces.len() >= 1 << 29 {
            return Err(Error::new(ErrorKind::Limit("faces"), Place::Nowhere).within("faces"));
        }
        for (i, corner) in faces.iter().flatten().enumerate() {
            if *corner as usize >= positions.len() {
                return Err(mismatch(
                    format!("a vertex below {}", positions.len()),
                    format!("{corner}"),
                    format!("faces[{}]", i / 3),
                ));
            }
        }
        if materials.is_empty() {
            materials = vec![0; faces.len()];
        }
        if materials.len() != faces.len() {
            return Err(mismatch(
                format!("{} materials", faces.len()),
                format!("{}", materials.len()),
                "materials".to_string(),
            ));
        }
        let ids = weld(&positions);
        let open: Vec<bool> = faces
            .iter()
            .zip(&materials)
            .map(|(f, &m)| {
                walkable.contains(m)
                    && f.iter().all(|&v| at(&positions, v as usize).iter().all(|c| c.is_finite()))
            })
            .collect();
        let (adjacency, dropped_links) = match adjacency {
            Some(table) => checked_links(&table, &faces, &ids, &open),
            None => (derive_links(&faces, &ids, &open), 0),
        };
        transitions.retain(|(edge, _)| (*edge as usize) < 3 * faces.len());
        transitions.sort_by_key(|t| t.0);
        transitions.dedup_by_key(|t| t.0);
        Ok(Walkmesh {
            positions,
            faces,
            materials,
            walkable,
            adjacency,
            transitions,
            dropped_links,
            tree,
            bvh: OnceLock::new(),
        })
    }

    /// Returns the number of faces.
    pub fn len(&self) -> usize {
        self.faces.len()
    }

    /// Returns `true` if there are no faces.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// Returns the vertex positions.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Returns the triangles.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Returns the material of a face; `None` when there is no such face.
    pub fn material(&self, face: u32) -> Option<u32> {
        self.materials.get(face as usize).copied()
    }

    /// Returns the walkable materials.
    pub fn walkable_materials(&self) -> Materials {
        self.walkable
    }

    /// Returns `true` if a face is walkable.
    #[inline]
    pub fn is_walkable(&self, face: u32) -> bool {
        self.materials.get(face as usize).is_some_and(|&m| self.walkable.contains(m))
    }

    /// Returns the walkable face and edge on the other side of an edge (0, 1 or 2).
    #[inline]
    pub fn neighbour(&self, face: u32, edge: u32) -> Option<(u32, u32)> {
        let link = *self.adjacency.get(face as usize)?.get(edge as usize)?;
        u32::try_from(link).ok().map(|l| (l / 3, l % 3))
    }

    /// Returns the room an edge leads to.
    pub fn transition(&self, face: u32, edge: u32) -> Option<u32> {
        let key = face.checked_mul(3)?.checked_add(edge)?;
        let i = self.transitions.binary_search_by_key(&key, |t| t.0).ok()?;
        self.transitions.get(i).map(|t| t.1)
    }

    /// Returns all edges (`3 * face + edge`) that lead to another room, with its number, in order.
    pub fn transitions(&self) -> &[(u32, u32)] {
        &self.transitions
    }

    /// Returns the number of rejected entries of the given adjacency table: out of range, not mutual, not walkable, or between
    /// edges with different ends.
    pub fn dropped_links(&self) -> usize {
        self.dropped_links
    }

    /// Returns the tree stored in the file.
    pub fn stored_tree(&self) -> Option<&StoredTree> {
        self.tree.as_ref()
    }

    /// Returns the three corners of a face.
    #[inline]
    pub fn corners(&self, face: u32) -> Option<[[f32; 3]; 3]> {
        let [a, b, c] = *self.faces.get(face as usize)?;
        Some([
            *self.positions.get(a as usize)?,
            *self.positions.get(b as usize)?,
            *self.positions.get(c as usize)?,
        ])
    }

    /// Returns the unit normal of a face (right-hand rule); zero for a face without area.
    pub fn normal(&self, face: u32) -> [f32; 3] {
        let [a, b, c] = self.corners64(face);
        let n = cross3(sub3(b, a), sub3(c, a));
        let len = dot3(n, n).sqrt();
        if len > 0.0 && len.is_finite() {
            [(n[0] / len) as f32, (n[1] / len) as f32, (n[2] / len) as f32]
        } else {
            [0.0; 3]
        }
    }

    /// Returns the height of a face's plane at a point (x, y); for a vertical face, the height of its highest corner.
    pub fn height_at(&self, face: u32, x: f64, y: f64) -> f64 {
        plane_height(self.corners64(face), x, y)
    }

    #[inline]
    pub(crate) fn corners64(&self, face: u32) -> [V3; 3] {
        let [a, b, c] = self.corners(face).unwrap_or_default();
        [v3(a), v3(b), v3(c)]
    }

    /// Returns the acceleration structure, built on first use.
    #[inline]
    pub(crate) fn bvh(&self) -> &Bvh {
        self.bvh.get_or_init(|| Bvh::build(&self.positions, &self.faces))
    }

    /// Builds the acceleration structure now instead of on the first query.
    pub fn prepare(&self) {
        let _ = self.bvh();
    }
}

/// Returns the height of the plane through three corners; for vertical triangles, that of the highest corner.
pub(crate) fn plane_height([a, b, c]: [V3; 3], x: f64, y: f64) -> f64 {
    let n = cross3(sub3(b, a), sub3(c, a));
    let z = a[2] - (n[0] * (x - a[0]) + n[1] * (y - a[1])) / n[2];
    let (low, high) = (a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2]));
    if n[2] != 0.0 && z.is_finite() { z.clamp(low, high) } else { high }
}

#[cold]
fn mismatch(want: String, found: String, path: String) -> Error {
    Error::new(ErrorKind::Mismatch { want: want.into(), found: found.into() }, Place::Nowhere).within(path)
}

/// Returns one number per distinct position, so that split vertices count as one.
pub(crate) fn weld(positions: &[[f32; 3]]) -> Vec<u32> {
    // Adding 0.0 makes -0.0 and 0.0 the same.
    let key = |p: &[f32; 3]| p.map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    let keys: Vec<[u32; 3]> = positions.iter().map(key).collect();
    order.sort_by_key(|&i| (at(&keys, i as usize), i));
    let mut ids = vec![0u32; positions.len()];
    let mut first = None;
    for &i in &order {
        let key = at(&keys, i as usize);
        let id = match first {
            Some((id, k)) if k == key => id,
            _ => {
                first = Some((i, key));
                i
            }
        };
        put(&mut ids, i as usize, id);
    }
    ids
}

fn ends(face: [u32; 3], edge: usize, ids: &[u32]) -> (u32, u32) {
    let (a, b) = match edge {
        0 => (face[0], face[1]),
        1 => (face[1], face[2]),
        _ => (face[2], face[0]),
    };
    (at(ids, a as usize), at(ids, b as usize))
}

/// Keeps the valid entries of a given table: mutual, walkable, sharing both ends. Counts the others.
fn checked_links(
    table: &[[i32; 3]],
    faces: &[[u32; 3]],
    ids: &[u32],
    open: &[bool],
) -> (Vec<[i32; 3]>, usize) {
    let mut out = vec![[-1; 3]; faces.len()];
    let mut dropped = 0;
    for ((i, links), (slot, face)) in table.iter().enumerate().zip(out.iter_mut().zip(faces)) {
        for (e, (&link, place)) in links.iter().zip(slot).enumerate() {
            if link == -1 {
                continue;
            }
            let sound = usize::try_from(link).is_ok_and(|l| {
                let (g, h) = (l / 3, l % 3);
                let back = table.get(g).and_then(|t| t.get(h)).copied();
                let other = faces.get(g).map(|f| ends(*f, h, ids));
                let own = ends(*face, e, ids);
                g != i
                    && back == Some((3 * i + e) as i32)
                    && at(open, i)
                    && at(open, g)
                    && (other == Some((own.1, own.0)) || other == Some(own))
            });
            if sound {
                *place = link;
            } else {
                dropped += 1;
            }
        }
    }
    (out, dropped)
}

/// Finds neighbours from shared positions. If more than two faces share an edge, those that traverse it in opposite
/// directions are paired first, then the others, each in the order of the faces.
fn derive_links(faces: &[[u32; 3]], ids: &[u32], open: &[bool]) -> Vec<[i32; 3]> {
    let mut out = vec![[-1; 3]; faces.len()];
    let mut edges: Vec<(u32, u32, u32, bool)> = Vec::with_capacity(3 * faces.len());
    for (i, face) in faces.iter().enumerate() {
        for e in 0..3 {
            let (a, b) = ends(*face, e, ids);
            if a != b && at(open, i) {
                edges.push((a.min(b), a.max(b), (3 * i + e) as u32, a < b));
            }
        }
    }
    edges.sort_unstable();
    let mut link = |a: u32, b: u32| {
        if a / 3 == b / 3 {
            return;
        }
        for (from, to) in [(a, b), (b, a)] {
            if let Some(slot) = out.get_mut(from as usize / 3).and_then(|s| s.get_mut(from as usize % 3)) {
                *slot = to as i32;
            }
        }
    };
    for group in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let forth: Vec<u32> = group.iter().filter(|e| e.3).map(|e| e.2).collect();
        let back: Vec<u32> = group.iter().filter(|e| !e.3).map(|e| e.2).collect();
        for (&a, &b) in forth.iter().zip(&back) {
            link(a, b);
        }
        let paired = forth.len().min(back.len());
        let left: Vec<u32> = forth.iter().skip(paired).chain(back.iter().skip(paired)).copied().collect();
        for pair in left.chunks_exact(2) {
            if let [a, b] = pair {
                link(*a, *b);
            }
        }
    }
    out
}
