//! Writes the changes of meshes into the vertices and primitives of the result.

use std::collections::{HashMap, HashSet};

use super::{Corner, Home, Plan, Triangle, VertexRef};
use crate::onto::Merge;
use crate::onto::rows::{Edit, joint_of};
use crate::{MeshId, NodeId, Primitive, Scene, SkinId, Topology};

/// The rows that edits of a vertex lead to.
type Edited = HashMap<VertexRef, Vec<(Edit, u32)>>;

impl Merge<'_> {
    /// Applies the plans. A vertex that several meshes or triangles share is changed in place if all of them want the same,
    /// and copied otherwise.
    pub(super) fn apply(&mut self, plans: Vec<Plan>) {
        let kept = self.kept_vertices(&plans);
        let mut edited: Edited = HashMap::new();
        for plan in &plans {
            for corner in plan.triangles.iter().flat_map(|t| &t.corners).filter(|c| !c.edit.is_none()) {
                let list = edited.entry(corner.vertex).or_default();
                if !list.iter().any(|(edit, _)| *edit == corner.edit) {
                    let in_place = list.is_empty() && !corner.new && !kept.contains(&corner.vertex);
                    let row = self.write(plan, corner, in_place);
                    edited.entry(corner.vertex).or_default().push((corner.edit.clone(), row));
                }
            }
        }
        for plan in &plans {
            self.rebuild(plan, &edited);
        }
    }

    /// Returns the vertices that some triangle of the result has as they are.
    fn kept_vertices(&self, plans: &[Plan]) -> HashSet<VertexRef> {
        let planned: HashSet<MeshId> = plans.iter().map(|p| p.mesh).collect();
        let touched: HashSet<u32> =
            plans.iter().flat_map(|p| &p.triangles).flat_map(|t| &t.corners).map(|c| c.vertex.0).collect();
        let mut kept: HashSet<VertexRef> = HashSet::new();
        let others = self.original.nodes.iter().enumerate().filter_map(|(id, node)| {
            let mesh = node.mesh.filter(|m| !planned.contains(m))?;
            (self.gone_nodes.get(id) == Some(&false)).then_some(mesh)
        });
        for mesh in others.collect::<HashSet<_>>() {
            let parts = self.original.meshes.get(mesh as usize).map_or(&[][..], |m| &m.primitives);
            for part in parts.iter().filter(|p| touched.contains(&p.vertices)) {
                kept.extend(part.indices.iter().map(|i| (part.vertices, *i)));
            }
        }
        for plan in plans {
            let lines = self.original.meshes.get(plan.mesh as usize).map_or(&[][..], |m| &m.primitives);
            for part in lines.iter().filter(|p| p.topology != Topology::Triangles) {
                kept.extend(part.indices.iter().map(|i| (part.vertices, *i)));
            }
            let corners = plan.triangles.iter().flat_map(|t| &t.corners);
            kept.extend(corners.filter(|c| c.edit.is_none()).map(|c| c.vertex));
        }
        kept
    }

    /// Writes an edited vertex, in place or as a copy, and returns its row.
    fn write(&mut self, plan: &Plan, corner: &Corner, in_place: bool) -> u32 {
        let (vertices, row) = corner.vertex;
        let Some(mut columns) = self.out.vertices.get_mut(vertices as usize).map(std::mem::take) else {
            return row;
        };
        let at = if in_place { row as usize } else { columns.copy_row(row as usize) };
        let mut skin = plan.skin.and_then(|s| self.out.skins.get_mut(s as usize));
        let binds = Binds { edited: self.edited, skin: plan.edited_skin, nodes: &self.node_ids };
        corner
            .edit
            .apply(&mut columns, at, &mut |node| joint_of(skin.as_deref_mut()?, node, || binds.of(node)));
        self.out
            .vertices
            .get_mut(vertices as usize)
            .into_iter()
            .for_each(|slot| *slot = std::mem::take(&mut columns));
        at as u32
    }

    /// Writes the triangles of a mesh.
    fn rebuild(&mut self, plan: &Plan, edited: &Edited) {
        let Some(mesh) = self.out.meshes.get_mut(plan.mesh as usize) else { return };
        for Home { material, vertices } in plan.new_parts.iter().copied() {
            mesh.primitives.push(Primitive { vertices, material, ..Primitive::default() });
        }
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); mesh.primitives.len()];
        for Triangle { part, corners } in &plan.triangles {
            let Some(list) = lists.get_mut(*part) else { continue };
            list.extend(corners.iter().map(|corner| {
                let rows = edited.get(&corner.vertex).map_or(&[][..], |rows| rows);
                rows.iter().find(|(edit, _)| *edit == corner.edit).map_or(corner.vertex.1, |(_, row)| *row)
            }));
        }
        for (primitive, list) in mesh.primitives.iter_mut().zip(lists) {
            if primitive.topology == Topology::Triangles {
                primitive.indices = list;
            }
        }
    }
}

/// The inverse binds of an edited mesh.
struct Binds<'a> {
    edited: &'a Scene,
    skin: Option<SkinId>,
    nodes: &'a [NodeId],
}

impl Binds<'_> {
    /// Returns the inverse bind of a node of the result.
    fn of(&self, node: NodeId) -> [f32; 16] {
        let skin = self.skin.and_then(|s| self.edited.skins.get(s as usize));
        let joint = skin.and_then(|s| {
            s.joints.iter().position(|j| self.nodes.get(*j as usize) == Some(&node)).map(|at| s.bind(at))
        });
        joint.unwrap_or_default().to_cols_array()
    }
}
