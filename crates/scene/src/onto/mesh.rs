//! Meshes: which triangle and which vertex is which, and what was changed about them.

mod apply;
mod matching;

use std::collections::{HashMap, HashSet};

use self::matching::{Matching, Soup};
use super::nodes::has_triangles;
use super::rows::{Edit, Row};
use super::{Fate, Merge, ORIGIN, Part};
use crate::{Mesh, MeshId, NodeId, Pose, Primitive, Scene, Skin, SkinId, VerticesId};

/// A vertex: where its columns are, and its row.
type VertexRef = (VerticesId, u32);

/// For a mesh of the edited scene and its skin, their copies in the result.
type Copies = HashMap<(MeshId, Option<SkinId>), (MeshId, Option<SkinId>)>;

/// What becomes of a triangle of the original, or of a new one.
#[derive(Debug)]
struct Triangle {
    /// The primitive of the original mesh that it belongs to, or a new one by the material.
    part: usize,
    corners: [Corner; 3],
}

/// A corner of a triangle of the result.
#[derive(Debug)]
struct Corner {
    /// The vertex of the original that it is, or resembles.
    vertex: VertexRef,
    edit: Edit,
    /// Whether the vertex is new, and only takes the columns that no program carries from the original.
    new: bool,
}

/// What is to be done with a mesh of the original.
#[derive(Debug)]
struct Plan {
    mesh: MeshId,
    skin: Option<SkinId>,
    /// The skin of the edited mesh.
    edited_skin: Option<SkinId>,
    /// Primitives that have to be added.
    new_parts: Vec<Home>,
    triangles: Vec<Triangle>,
}

/// A primitive, as far as triangles are assigned to it.
#[derive(Debug, Clone, Copy)]
struct Home {
    material: Option<u32>,
    vertices: VerticesId,
}

impl Merge<'_> {
    /// Takes over the meshes, and adds new ones.
    pub(super) fn meshes(&mut self) {
        let pose = Pose::rest(self.original);
        let mut seen: HashSet<MeshId> = HashSet::new();
        let mut plans = Vec::new();
        let mut new: Copies = HashMap::new();
        for id in 0..self.edited.nodes.len() as NodeId {
            let Some(node) = self.edited.node(id) else { continue };
            let Some(mesh) = node.mesh.filter(|m| (*m as usize) < self.edited.meshes.len()) else { continue };
            let was = self.pairs.get(id as usize).copied().flatten();
            let was_node = was.and_then(|was| Some((was, self.original.node(was)?)));
            let was_mesh = was_node.and_then(|(_, n)| n.mesh);
            match (was_node, was_mesh) {
                (Some((was, was_node)), Some(original))
                    if !self.is_rebound(was_node.skin, node.skin) && !self.is_filled(original, mesh) =>
                {
                    if seen.insert(original) {
                        plans.push(self.plan(original, mesh, was, was_node.skin, node.skin, &pose));
                    }
                }
                _ => self.add_mesh(id, mesh, &mut new),
            }
        }
        self.gone_meshes();
        self.apply(plans.into_iter().flatten().collect());
        self.account_for_untouched(&seen);
    }

    /// Returns `true` if a mesh got a skin or lost it.
    fn is_rebound(&self, was: Option<SkinId>, is: Option<SkinId>) -> bool {
        was.is_none() && is.is_some() || was.is_some() && is.is_none() && !self.edited.skins.is_empty()
    }

    /// Returns `true` if a mesh without triangles got some.
    fn is_filled(&self, was: MeshId, is: MeshId) -> bool {
        let solid = |scene: &Scene, id: MeshId| {
            scene.meshes.get(id as usize).is_some_and(|mesh| has_triangles(scene, mesh))
        };
        solid(self.edited, is) && !solid(self.original, was)
    }

    /// Removes the meshes of nodes that have none any more.
    fn gone_meshes(&mut self) {
        for (id, node) in self.original.nodes.iter().enumerate() {
            let Some(mesh) = node.mesh.and_then(|m| self.original.meshes.get(m as usize)) else { continue };
            let twin = self.twins.get(id).copied().flatten();
            let carried = has_triangles(self.original, mesh);
            match twin.and_then(|t| self.edited.node(t)) {
                Some(twin) if twin.mesh.is_none() && carried => {
                    self.account.add(Part::Mesh, Fate::Gone, &mesh.name, format!("of node {:?}", node.name));
                    if let Some(slot) = self.out.nodes.get_mut(id) {
                        (slot.mesh, slot.skin) = (None, None);
                    }
                }
                // A node that only holds lines or points may not have been exported.
                None if !carried && !mesh.primitives.is_empty() && node.children.is_empty() => {
                    self.gone_nodes.get_mut(id).into_iter().for_each(|gone| *gone = false);
                }
                _ => {}
            }
        }
    }

    /// Counts the meshes that no plan is about.
    fn account_for_untouched(&mut self, seen: &HashSet<MeshId>) {
        let mut counted = seen.clone();
        for (id, node) in self.original.nodes.iter().enumerate() {
            let Some(id_of_mesh) = node.mesh.filter(|m| counted.insert(*m)) else { continue };
            let name = self.original.meshes.get(id_of_mesh as usize).map_or("", |m| m.name.as_str());
            if self.gone_nodes.get(id) == Some(&true) {
                self.account.add(Part::Mesh, Fate::Gone, name, "");
            } else if self.out.nodes.get(id).is_some_and(|n| n.mesh == Some(id_of_mesh)) {
                self.account.add(Part::Mesh, Fate::Kept, name, "it has no triangles");
            }
        }
    }

    /// Finds what was changed in a mesh; `None` if nothing was.
    fn plan(
        &mut self,
        original: MeshId,
        edited: MeshId,
        node: NodeId,
        was_skin: Option<SkinId>,
        is_skin: Option<SkinId>,
        pose: &Pose,
    ) -> Option<Plan> {
        let mesh = self.original.meshes.get(original as usize)?;
        let other = self.edited.meshes.get(edited as usize)?;
        let unit = self.original.axes().and_then(|id| self.original.node(id));
        let unit = unit.map_or(1.0, |n| n.transform.scale[0].abs()).max(1e-9);
        let scale = match was_skin {
            Some(_) => 1.0,
            None => pose.world_of(node).x_axis.truncate().length() / unit,
        };
        let reach = if scale.is_finite() && scale > 1e-6 { self.size / scale } else { self.size };
        let material = |id: Option<u32>| id.and_then(|m| *self.material_ids.get(m as usize)?);
        let was = Soup::new(self.original, mesh, &|id| id);
        let is = Soup::new(self.edited, other, &material);
        let matching = Matching::new(&was, &is, reach, !self.edited.materials.is_empty());
        let joints = |scene: &Scene, skin: Option<SkinId>| {
            let skin = skin.and_then(|s| scene.skins.get(s as usize));
            skin.map_or_else(Vec::new, |s: &Skin| s.joints.clone())
        };
        let (was_joints, is_joints) = (joints(self.original, was_skin), joints(self.edited, is_skin));
        let planner = Planner {
            original: self.original,
            edited: self.edited,
            was: &was,
            is: &is,
            matching: &matching,
            was_node: &|joint| was_joints.get(usize::from(joint)).copied(),
            is_node: &|joint| {
                let node = is_joints.get(usize::from(joint)).copied()?;
                self.node_ids.get(node as usize).copied()
            },
            keeps_materials: self.edited.materials.is_empty(),
        };
        let home = |p: &Primitive| Home { material: p.material, vertices: p.vertices };
        let mut parts: Vec<Home> = mesh.primitives.iter().map(home).collect();
        let (triangles, what) = planner.triangles(&mut parts);
        let name = mesh.name.clone();
        if what.is_empty() {
            self.account.add(Part::Mesh, Fate::Kept, &name, "");
            return None;
        }
        self.account.add(Part::Mesh, Fate::Changed, &name, what);
        let new_parts = parts.split_off(mesh.primitives.len());
        Some(Plan { mesh: original, skin: was_skin, edited_skin: is_skin, new_parts, triangles })
    }

    /// Adds a mesh that the original does not have, to the node of the result.
    fn add_mesh(&mut self, node: NodeId, mesh: MeshId, known: &mut Copies) {
        let skin = self.edited.node(node).and_then(|n| n.skin);
        let (new_mesh, new_skin) = match known.get(&(mesh, skin)) {
            Some(there) => *there,
            None => {
                let Some(made) = self.copy_mesh(mesh, skin) else { return };
                known.insert((mesh, skin), made);
                made
            }
        };
        let Some(out) = self.node_id(node).and_then(|id| self.out.nodes.get_mut(id as usize)) else { return };
        let replaced = out.mesh.is_some();
        (out.mesh, out.skin) = (Some(new_mesh), new_skin);
        let name = self.edited.meshes.get(mesh as usize).map_or("", |m| m.name.as_str());
        let what = if replaced { "bound in another way than the original" } else { "" };
        self.account.add(Part::Mesh, Fate::New, name, what);
    }

    fn copy_mesh(&mut self, mesh: MeshId, skin: Option<SkinId>) -> Option<(MeshId, Option<SkinId>)> {
        let from = self.edited.meshes.get(mesh as usize)?;
        let mut made = Mesh { primitives: Vec::new(), ..from.clone() };
        made.extras.remove(ORIGIN);
        let skin = skin.and_then(|s| self.edited.skins.get(s as usize));
        // Only joints that move a vertex.
        let mut used: Vec<u16> = Vec::new();
        for primitive in &from.primitives {
            let Some(vertices) = self.edited.vertices_of(primitive) else { continue };
            let influences = vertices.influences.joints.iter().zip(&vertices.influences.weights);
            used.extend(influences.filter(|(_, w)| **w > 0.0).map(|(j, _)| *j));
        }
        used.sort_unstable();
        used.dedup();
        let place: HashMap<u16, u16> = used.iter().zip(0u16..).map(|(old, new)| (*old, new)).collect();
        let mut copies: HashMap<VerticesId, VerticesId> = HashMap::new();
        for primitive in &from.primitives {
            let vertices = *copies.entry(primitive.vertices).or_insert_with(|| {
                let mut copy = self.edited.vertices_of(primitive).cloned().unwrap_or_default();
                for joint in &mut copy.influences.joints {
                    *joint = place.get(joint).copied().unwrap_or(0);
                }
                self.out.vertices.push(copy);
                self.out.vertices.len() as VerticesId - 1
            });
            let material = primitive.material.and_then(|m| *self.material_ids.get(m as usize)?);
            made.primitives.push(Primitive { vertices, material, ..primitive.clone() });
        }
        let new_skin = skin.map(|skin| {
            let joints = used.iter().filter_map(|j| skin.joints.get(usize::from(*j)));
            let made = Skin {
                name: skin.name.clone(),
                joints: joints.filter_map(|n| self.node_ids.get(*n as usize).copied()).collect(),
                inverse_bind: used.iter().map(|j| skin.bind(usize::from(*j)).to_cols_array()).collect(),
                extras: crate::Extras::new(),
            };
            self.out.skins.push(made);
            self.out.skins.len() as SkinId - 1
        });
        self.out.meshes.push(made);
        Some((self.out.meshes.len() as MeshId - 1, new_skin))
    }
}

/// What finding the changes of a mesh needs to know.
struct Planner<'a> {
    original: &'a Scene,
    edited: &'a Scene,
    was: &'a Soup,
    is: &'a Soup,
    matching: &'a Matching,
    was_node: &'a dyn Fn(u16) -> Option<NodeId>,
    is_node: &'a dyn Fn(u16) -> Option<NodeId>,
    keeps_materials: bool,
}

/// The counts of what was changed in a mesh.
#[derive(Default)]
struct ChangeCounts {
    moved: HashSet<VertexRef>,
    other: HashSet<VertexRef>,
    gone: usize,
    new: usize,
    materials: usize,
}

impl ChangeCounts {
    fn line(&self) -> String {
        let parts = [
            (self.moved.len(), "vertices moved"),
            (self.other.len(), "vertices with other normals, coordinates, colours or weights"),
            (self.new, "triangles new"),
            (self.gone, "triangles gone"),
            (self.materials, "triangles with another material"),
        ];
        let counts =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        counts.collect::<Vec<_>>().join(", ")
    }
}

impl Planner<'_> {
    fn row(&self, vertex: VertexRef, edited: bool) -> Row {
        let (scene, node): (&Scene, _) =
            if edited { (self.edited, self.is_node) } else { (self.original, self.was_node) };
        let vertices = scene.vertices.get(vertex.0 as usize);
        vertices.map_or_else(Row::default, |v| Row::of(v, vertex.1 as usize, node))
    }

    /// Returns all triangles of the result, and what was changed; `parts` are the materials of primitives, and get more.
    fn triangles(&self, parts: &mut Vec<Home>) -> (Vec<Triangle>, String) {
        let mut counts = ChangeCounts::default();
        let mut out = Vec::with_capacity(self.was.triangles.len());
        // Normals next to a vertex that was moved change by themselves in some programs.
        let mut near_moved: HashSet<VertexRef> = HashSet::new();
        for (at, triangle) in self.was.triangles.iter().enumerate() {
            if self.matching.pair(at).is_some_and(|pair| pair.moved.contains(&true)) {
                near_moved.extend(triangle.rows);
            }
        }
        let mut known: HashMap<(VertexRef, VertexRef), Edit> = HashMap::new();
        for (at, triangle) in self.was.triangles.iter().enumerate() {
            let Some(pair) = self.matching.pair(at) else {
                if self.matching.is_kept(at) {
                    let plain = |vertex| Corner { vertex, edit: Edit::default(), new: false };
                    out.push(Triangle { part: triangle.part, corners: triangle.rows.map(plain) });
                } else {
                    counts.gone += 1;
                }
                continue;
            };
            let Some(other) = self.is.triangles.get(pair.triangle) else { continue };
            let corner = |i: usize| {
                let vertex = triangle.rows.get(i).copied().unwrap_or_default();
                let twin = other.rows.get((i + pair.turn) % 3).copied().unwrap_or_default();
                let moved = pair.moved.get(i) == Some(&true);
                (vertex, twin, moved)
            };
            let mut part = triangle.part;
            if !self.keeps_materials && other.material != triangle.material {
                counts.materials += 1;
                part = part_of(parts, other.material, triangle.rows[0].0);
            }
            let home = parts.get(part).map(|p| p.vertices);
            let corners = [0, 1, 2].map(|i| {
                let (vertex, twin, moved) = corner(i);
                if let Some(home) = home.filter(|home| *home != vertex.0) {
                    return self.new_corner(&self.row(twin, true), home);
                }
                let edit = known.entry((vertex, twin)).or_insert_with(|| {
                    let shaded = moved || !near_moved.contains(&vertex);
                    Edit::between(&self.row(vertex, false), &self.row(twin, true), moved, shaded)
                });
                if moved {
                    counts.moved.insert(vertex);
                } else if !edit.is_none() {
                    counts.other.insert(vertex);
                }
                Corner { vertex, edit: edit.clone(), new: false }
            });
            out.push(Triangle { part, corners });
        }
        self.new_triangles(parts, &mut out, &mut counts);
        (out, counts.line())
    }

    /// Adds the triangles that the original does not have.
    fn new_triangles(&self, parts: &mut Vec<Home>, out: &mut Vec<Triangle>, counts: &mut ChangeCounts) {
        let first = parts.first().copied();
        let mut known: HashMap<(VertexRef, VerticesId), VertexRef> = HashMap::new();
        for (at, triangle) in self.is.triangles.iter().enumerate() {
            if self.matching.is_paired(at) {
                continue;
            }
            counts.new += 1;
            let kept = first.filter(|_| self.keeps_materials).map(|f| f.material);
            let part = part_of(parts, kept.unwrap_or(triangle.material), first.map_or(0, |f| f.vertices));
            let home = parts.get(part).map_or(0, |p| p.vertices);
            let corners = triangle.rows.map(|vertex| {
                let row = self.row(vertex, true);
                let same = self.matching.rows_at(row.position).iter().copied().find(|was| {
                    was.0 == home && Edit::between(&self.row(*was, false), &row, false, true).is_none()
                });
                if let Some(vertex) = same {
                    return Corner { vertex, edit: Edit::default(), new: false };
                }
                let like = known.entry((vertex, home));
                let like = *like.or_insert_with(|| self.matching.nearest(self.was, &row, home));
                Corner { vertex: like, edit: Edit::whole(&row), new: true }
            });
            out.push(Triangle { part, corners });
        }
    }

    /// Returns a new vertex among others, with the columns that no program carries from the nearest of them.
    fn new_corner(&self, row: &Row, home: VerticesId) -> Corner {
        Corner { vertex: self.matching.nearest(self.was, row, home), edit: Edit::whole(row), new: true }
    }
}

/// Returns the first primitive with a material; a new one with these vertices if there is none.
fn part_of(parts: &mut Vec<Home>, material: Option<u32>, vertices: VerticesId) -> usize {
    parts.iter().position(|p| p.material == material).unwrap_or_else(|| {
        parts.push(Home { material, vertices });
        parts.len() - 1
    })
}
