//! Meshes from the scene: as they were where nothing asks for more, else put together and split anew.

use std::collections::{BTreeMap, HashSet};

use galatea_scene::{
    Deformed, Extras, Node, NodeId, Pose, Primitive, Purpose, Scene, Topology, Vertices as SceneVertices,
};
use galatea_wire::{Error, Loss, Result};
use glam::{Mat4, Vec3};

use super::tree::Roles;
use super::vertices::{self as columns, Source, Wanted, Weights, build, noted_count};
use super::{levels, material};
use crate::mesh::{Mesh, Usage};
use crate::model::Fmdl;
use crate::scene::extra::{int, ints, own};
use crate::scene::material::flags_for;
use crate::scene::to::tree::place;
use crate::scene::to::vertices::MASK;
use crate::split::{BigMesh, Piece, SplitLimits};
use crate::wire::Window;

/// Levels of detail beyond any sense.
const MOST_LEVELS: u32 = 64;

/// One primitive at one node.
#[derive(Clone, Copy)]
struct Part<'a> {
    id: NodeId,
    node: &'a Node,
    primitive: &'a Primitive,
    purpose: Purpose,
}

/// What becomes one mesh, or the pieces of one: its primitive at each level of detail.
struct Entry<'a> {
    levels: BTreeMap<u32, Part<'a>>,
    /// Whether it was written as a mesh of ours.
    known: bool,
    /// Whether it is seen at all levels, there being none for it.
    everywhere: bool,
    /// Whether an editor joined it to a mesh of ours, whose levels are not its own.
    joined: bool,
}

impl<'a> Entry<'a> {
    fn first(&self) -> Option<Part<'a>> {
        self.levels.values().next().copied()
    }

    /// Returns what was noted beside the mesh.
    fn map(&self) -> Option<&'a Extras> {
        self.levels.get(&0).map(|p| own(&p.node.extras)).filter(|m| self.known && m.contains_key("usages"))
    }
}

/// Builds the meshes.
pub(super) struct Meshes<'a> {
    pub(super) scene: &'a Scene,
    pub(super) pose: &'a Pose,
    pub(super) roles: &'a Roles,
    pub(super) materials: material::Reader<'a>,
    pub(super) model: Fmdl,
    /// The group of each mesh.
    pub(super) owners: Vec<Option<u16>>,
    /// Where the meshes went that had these numbers.
    pub(super) moved: BTreeMap<usize, Vec<u32>>,
    pub(super) losses: Vec<Loss>,
    /// Bone groups that a mesh no longer uses.
    pub(super) left: HashSet<u16>,
}

impl<'a> Meshes<'a> {
    /// The flags that a material decides.
    const LOOKS: u32 = 0xFFFF;

    pub(super) fn read(&mut self) -> Result<()> {
        let entries = self.entries();
        let levels = entries.iter().map(|(_, e)| span(e)).max().unwrap_or(1).max(1);
        for (was, entry) in entries {
            let Some(first) = entry.first() else { continue };
            let group = self.roles.group_of_mesh(self.scene, first.id);
            let start = self.model.meshes.len();
            let meshes = match self.exact(&entry, levels) {
                Some(mesh) => vec![mesh],
                None => self.anew(&entry, levels)?,
            };
            self.owners.extend(meshes.iter().map(|_| group));
            self.model.meshes.extend(meshes);
            if self.model.meshes.len() > usize::from(u16::MAX) {
                return Err(Error::unrepresentable("more than 65,535 meshes"));
            }
            if let Some(was) = was {
                let new = (start..self.model.meshes.len()).map(|n| n as u32);
                self.moved.entry(was).or_default().extend(new);
            }
        }
        Ok(())
    }

    /// Returns all primitives, those of ours in the order they had, with the number they had.
    fn entries(&mut self) -> Vec<(Option<usize>, Entry<'a>)> {
        let scene = self.scene;
        // Copies that an editor made come after the meshes they were made of.
        let mut known: BTreeMap<(String, usize, usize), Entry<'a>> = BTreeMap::new();
        let mut new: Vec<Entry<'a>> = Vec::new();
        let mut new_levels = levels::NewLevels::default();
        for id in scene.depth_first() {
            let Some(node) = scene.node(id) else { continue };
            let Some(mesh) = node.mesh.and_then(|m| scene.meshes.get(m as usize)) else { continue };
            let was = levels::copy_of(scene, node);
            for (i, primitive) in mesh.primitives.iter().enumerate() {
                if primitive.topology != Topology::Triangles {
                    let what = if primitive.topology == Topology::Lines { "lines" } else { "points" };
                    self.losses.push(Loss::new(format!("mesh {:?}", mesh.name), what));
                    continue;
                }
                let part = Part { id, node, primitive, purpose: mesh.purpose };
                let named_level = levels::level_of(scene, node).map(|level| level.min(MOST_LEVELS - 1));
                let level = named_level.unwrap_or(0);
                if let Some(((was, copy), _)) = &was {
                    let entry = known.entry((copy.clone(), *was, i)).or_insert_with(|| Entry {
                        levels: BTreeMap::new(),
                        known: true,
                        everywhere: named_level.is_none(),
                        joined: i > 0,
                    });
                    if let std::collections::btree_map::Entry::Vacant(slot) = entry.levels.entry(level) {
                        slot.insert(part);
                        continue;
                    }
                }
                if primitive.indices.len() < 3 {
                    self.losses.push(
                        Loss::new(format!("mesh {:?}", mesh.name), "a part without triangles").invisible(),
                    );
                    continue;
                }
                if !matches!(mesh.purpose, Purpose::Render | Purpose::Hidden) {
                    let purpose = mesh.purpose.name();
                    self.losses.push(Loss::new(
                        format!("mesh {:?}", mesh.name),
                        format!("purpose {purpose}; it is a hidden group"),
                    ));
                }
                let key = (node.parent, levels::base_name(scene, id), i);
                let free = |at: usize| new.get(at).is_some_and(|e| !e.levels.contains_key(&level));
                let room = named_level.and_then(|_| new_levels.room(&key, level, free));
                if let Some(entry) = room.and_then(|at| new.get_mut(at)) {
                    entry.levels.insert(level, part);
                    continue;
                }
                new_levels.add(key, new.len());
                let levels = BTreeMap::from([(level, part)]);
                new.push(Entry { levels, known: false, everywhere: named_level.is_none(), joined: false });
            }
        }
        let original = |(copy, was, i): (String, usize, usize)| (i == 0 && copy.is_empty()).then_some(was);
        let known = known.into_iter().map(|(key, entry)| (original(key), entry));
        known.chain(new.into_iter().map(|e| (None, e))).collect()
    }

    fn vertices(&self, part: &Part<'a>) -> Option<&'a SceneVertices> {
        self.scene.vertices_of(part.primitive)
    }

    /// Returns `true` if the vertices stand where the scene shows them once the group's place is taken away.
    fn stays(&self, part: &Part<'_>, group: Option<u16>) -> bool {
        let skin = part.node.skin.and_then(|s| self.scene.skins.get(s as usize));
        if let (Some(skin), Some(id)) = (skin, part.node.skin) {
            let joints = self.pose.joint_matrices(self.scene, id);
            return joints.iter().zip(&skin.joints).all(|(m, joint)| {
                let far = self.pose.world_of(*joint).w_axis.truncate().length();
                near_identity(m, 1e-4, 1e-4 * (1.0 + far))
            });
        }
        let origin = self.origin(group);
        let matrix = Mat4::from_translation(-origin) * self.pose.world_of(part.id);
        near_identity(&matrix, 1e-6, 1e-6 * (1.0 + origin.length()))
    }

    /// Returns where a group's vertices count from.
    fn origin(&self, group: Option<u16>) -> Vec3 {
        let group = group.and_then(|g| self.model.groups.get(usize::from(g)));
        group.map_or(Vec3::ZERO, |g| Vec3::from(place(g)))
    }

    /// Returns the bone of a joint of a part's skin.
    fn bone(&self, part: &Part<'_>, joint: u16) -> Option<u16> {
        let skin = self.scene.skins.get(part.node.skin? as usize)?;
        self.roles.bone(*skin.joints.get(usize::from(joint))?)
    }

    /// Returns the material instance and flags of a part.
    fn looks(&mut self, entry: &Entry<'a>, part: &Part<'a>) -> (u16, u32) {
        let id = part.primitive.material.filter(|m| (*m as usize) < self.scene.materials.len());
        let map = entry.map();
        if let Some(wild) = map.and_then(|m| int(m, "material")).filter(|_| id.is_none()) {
            return (wild as u16, map.and_then(|m| int(m, "flags")).unwrap_or(0) as u32);
        }
        let number = self.materials.number(id);
        let mut flags = map.and_then(|m| int(m, "flags")).unwrap_or(0) as u32;
        if let Some(new) = self.materials.flags(id) {
            flags = flags & !Self::LOOKS | new;
        } else if let Some(material) = id.and_then(|id| self.scene.materials.get(id as usize)) {
            flags = flags_for(flags, material);
        }
        if entry.known {
            let shadow = part.purpose != Purpose::Render;
            flags = flags & !Mesh::SHADOW_ONLY | if shadow { Mesh::SHADOW_ONLY } else { 0 };
        }
        (number, flags)
    }

    /// Returns the mesh as it was, with whatever numbers have changed; `None` if that does not do.
    fn exact(&mut self, entry: &Entry<'a>, levels: usize) -> Option<Mesh> {
        let map = entry.map()?;
        let wanted = columns::noted(map)?;
        let first = entry.first()?;
        let group = self.roles.group_of_mesh(self.scene, first.id);
        let one = entry.levels.values().all(|p| p.primitive.vertices == first.primitive.vertices);
        if !one || !entry.levels.values().all(|p| self.stays(p, group)) {
            return None;
        }
        let none = SceneVertices::default();
        let vertices = self.vertices(&first).unwrap_or(&none);
        let count = if vertices.positions.is_empty() { noted_count(map) } else { vertices.positions.len() };
        let skinned = wanted.iter().any(|w| w.usage == Usage::Weights);
        let moves = !vertices.influences.is_empty() && first.node.skin.is_some();
        if count > 0xFFFF || (moves && !skinned) {
            return None;
        }
        let second = wanted.iter().any(|w| w.usage == Usage::Weights2);
        let bone_group = int(map, "bone_group").unwrap_or(0) as u16;
        let weights = if moves {
            if vertices.influences.width > if second { 8 } else { 4 } {
                return None;
            }
            let bones = &self.model.bone_groups.get(usize::from(bone_group))?.bones;
            Some(Weights::exact(vertices, &|joint| self.bone(&first, joint), bones, map)?)
        } else {
            None
        };
        let coloured = wanted.iter().any(Wanted::is_mask) && !vertices.positions.is_empty();
        if coloured && vertices.attribute(MASK).is_empty() {
            let what = "vertex colours: the program that wrote the file dropped the attribute _MASK";
            self.losses.push(Loss::new(format!("mesh {:?}", first.node.name), what));
        }
        let triangles = triangles(first.primitive);
        let source = Source {
            vertices,
            positions: &vertices.positions,
            normals: &vertices.normals,
            tangents: &vertices.tangents,
            triangles: &triangles,
            weights: weights.as_ref(),
        };
        let vertices = build(&wanted, count, &source, false);
        let faces = |k: usize| -> Option<Vec<[u16; 3]>> {
            let part = entry.levels.get(&(k as u32));
            let turned = part.map(|p| p.primitive.indices.as_chunks().0).unwrap_or(&[]).iter();
            turned.map(|[a, b, c]| Some([small(*a)?, small(*c)?, small(*b)?])).collect()
        };
        let mut all: Vec<Vec<[u16; 3]>> = Vec::with_capacity(levels);
        for k in 0..levels {
            let here = faces(k)?;
            let before = all.last().cloned().unwrap_or_default();
            all.push(if shown_at(entry, k) {
                here
            } else if gone(entry, k) {
                before
            } else {
                Vec::new()
            });
        }
        let (material, flags) = self.looks(entry, &first);
        let mut mesh = Mesh { flags, material, bone_group, vertices, ..Mesh::default() };
        lay(&mut mesh, &all, map);
        Some(mesh)
    }

    /// Returns the mesh put together anew, split where it is too large.
    fn anew(&mut self, entry: &Entry<'a>, levels: usize) -> Result<Vec<Mesh>> {
        let Some(first) = entry.first() else { return Ok(Vec::new()) };
        let group = self.roles.group_of_mesh(self.scene, first.id);
        let (material, flags) = self.looks(entry, &first);
        let mut wanted: Option<Vec<Wanted>> = None;
        let mut pieces = Vec::new();
        for (level, part) in &entry.levels {
            let Some(vertices) = self.vertices(part) else { continue };
            let (weights, bones) = self.four(entry, part, vertices);
            let wanted = wanted.get_or_insert_with(|| {
                let noted = entry.map().and_then(columns::noted);
                let noted =
                    noted.filter(|n| n.iter().any(|w| w.usage == Usage::Weights) == weights.is_some());
                columns::without_indices(noted.unwrap_or_else(|| columns::usual(vertices, weights.is_some())))
            });
            let piece = self.piece(part, group, vertices, wanted, weights.as_ref());
            let mut ranges = Vec::with_capacity(levels);
            for k in 0..levels {
                let all = piece.1.len();
                ranges.push(match (k as u32).cmp(level) {
                    std::cmp::Ordering::Less => 0..0,
                    std::cmp::Ordering::Equal => 0..all,
                    std::cmp::Ordering::Greater => all..all,
                });
            }
            pieces.push(BigMesh {
                flags,
                material,
                vertices: piece.0,
                bones,
                faces: piece.1,
                levels: ranges,
            });
        }
        let many = pieces.len() > 1;
        let mut big = if many { BigMesh::merge(&pieces)? } else { pieces.pop().unwrap_or_default() };
        for k in 1..levels {
            if !shown_at(entry, k) && gone(entry, k) {
                let before = big.levels.get(k - 1).cloned();
                if let (Some(before), Some(slot)) = (before, big.levels.get_mut(k)) {
                    *slot = before;
                }
            }
        }
        if let Some(was) = entry.map().and_then(|m| int(m, "bone_group")) {
            self.left.insert(was as u16);
        }
        let mut out = Vec::new();
        for Piece { mut mesh, bones } in big.split(&SplitLimits::default())? {
            if !bones.is_empty() {
                mesh.bone_group = self.model.bone_group_of(bones)?;
            }
            if many {
                let levels: Vec<Vec<[u16; 3]>> = (0..levels).map(|k| mesh.faces(k).collect()).collect();
                mesh.set_levels(&levels);
            }
            out.push(mesh);
        }
        Ok(out)
    }

    /// Returns the vertices and clockwise triangles of a part, in the space of its group.
    fn piece(
        &mut self,
        part: &Part<'_>,
        group: Option<u16>,
        vertices: &SceneVertices,
        wanted: &[Wanted],
        weights: Option<&Weights>,
    ) -> (crate::mesh::Vertices, Vec<[u32; 3]>) {
        let mut triangles = triangles(part.primitive);
        let count = vertices.positions.len();
        triangles.retain(|t| t.iter().all(|i| (*i as usize) < count));
        let moved = !self.stays(part, group);
        let mut baked = Deformed::default();
        if moved {
            baked = self.pose.deform(self.scene, part.id, part.primitive);
            let origin = self.origin(group);
            baked.positions.iter_mut().for_each(|p| *p = (Vec3::from(*p) - origin).into());
            let mirrored = part.node.skin.is_none() && self.pose.world_of(part.id).determinant() < 0.0;
            if mirrored {
                triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
            }
        }
        let mut positions = if moved { baked.positions } else { vertices.positions.clone() };
        let odd = positions.iter().filter(|p| p.iter().any(|c| !c.is_finite())).count();
        if odd > 0 {
            positions.iter_mut().flatten().filter(|c| !c.is_finite()).for_each(|c| *c = 0.0);
            self.losses.push(Loss::new(
                format!("mesh {:?}", part.node.name),
                format!("{odd} positions that are not numbers"),
            ));
        }
        let unit = |n: &[f32; 3]| {
            let n = Vec3::from(*n);
            if n.is_finite() { n.normalize_or(Vec3::Y).into() } else { [0.0, 1.0, 0.0] }
        };
        let normals = if moved { &baked.normals } else { &vertices.normals };
        let normals: Vec<[f32; 3]> = normals.iter().map(unit).collect();
        if !vertices.colors.is_empty() {
            self.losses.push(Loss::new(format!("mesh {:?}", part.node.name), "vertex colours"));
        }
        if vertices.uvs.len() > 4 {
            self.losses.push(Loss::new(
                format!("mesh {:?}", part.node.name),
                "texture coordinates beyond four sets",
            ));
        }
        let source = Source {
            vertices,
            positions: &positions,
            normals: &normals,
            tangents: if moved { &[] } else { &vertices.tangents },
            triangles: &triangles,
            weights,
        };
        let built = build(wanted, count, &source, true);
        (built, triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect())
    }

    /// Returns four weights for each vertex, the greatest first, and the bones that go with them.
    fn four(
        &mut self,
        entry: &Entry<'_>,
        part: &Part<'_>,
        vertices: &SceneVertices,
    ) -> (Option<Weights>, Vec<[u16; 4]>) {
        let count = vertices.positions.len();
        let skinned = !vertices.influences.is_empty() && part.node.skin.is_some();
        let carrier = self.roles.carrier(self.scene, part.id).filter(|_| !entry.known && !skinned);
        if let Some(bone) = carrier {
            // What is fixed to a bone moves with it alone.
            let weights = Weights { weights: vec![[255, 0, 0, 0]; count], ..Weights::default() };
            let none = BigMesh::NO_BONE;
            return (Some(weights), vec![[bone, none, none, none]; count]);
        }
        if !skinned {
            return (None, Vec::new());
        }
        let mut out = Weights::default();
        let mut bones = Vec::with_capacity(count);
        let (mut dropped, mut loose) = (0, 0);
        let fallback = self.bone(part, 0).unwrap_or(0);
        for vertex in 0..count {
            let mut row: Vec<(u16, f32)> = Vec::with_capacity(4);
            for (joint, weight) in vertices.influences.of(vertex).filter(|(_, w)| *w > 0.0 && w.is_finite()) {
                let Some(bone) = self.bone(part, joint) else { continue };
                match row.iter_mut().find(|(b, _)| *b == bone) {
                    Some((_, there)) => *there += weight,
                    None => row.push((bone, weight)),
                }
            }
            row.sort_by(|a, b| b.1.total_cmp(&a.1));
            dropped += usize::from(row.len() > 4);
            if row.is_empty() {
                loose += 1;
                row.push((fallback, 1.0));
            }
            row.resize(4, (BigMesh::NO_BONE, 0.0));
            let mut own = [(BigMesh::NO_BONE, 0.0f32); 4];
            own.iter_mut().zip(row).for_each(|(slot, value)| *slot = value);
            let weights = crate::normalised(own.map(|(_, w)| w));
            out.weights.push(weights);
            let mut named = own.map(|(b, _)| b);
            named.iter_mut().zip(weights).filter(|(_, w)| *w == 0).for_each(|(b, _)| *b = BigMesh::NO_BONE);
            bones.push(named);
        }
        let name = &part.node.name;
        if dropped > 0 {
            self.losses.push(Loss::new(
                format!("mesh {name:?}"),
                format!("more than four bones on {dropped} vertices"),
            ));
        }
        if loose > 0 {
            self.losses.push(Loss::new(
                format!("mesh {name:?}"),
                format!("{loose} vertices without a bone are attached to the first"),
            ));
        }
        (Some(out), bones)
    }
}

/// Levels that an entry needs.
fn span(entry: &Entry<'_>) -> usize {
    let present = entry.levels.keys().next_back().map_or(0, |k| *k as usize + 1);
    let windows = entry.map().map_or_else(Vec::new, |m| ints(m, "windows"));
    let windows = windows.as_chunks::<2>().0;
    let missing =
        |(k, [_, count]): (usize, &[i64; 2])| *count >= 3 && !entry.levels.contains_key(&(k as u32));
    let whole = !windows.iter().enumerate().any(missing);
    (if whole { present.max(windows.len()) } else { present }).min(MOST_LEVELS as usize)
}

/// Returns `true` if a level has triangles of its own.
fn shown_at(entry: &Entry<'_>, level: usize) -> bool {
    entry.levels.contains_key(&(level as u32))
}

/// Returns `true` if a level that is not there shows what the one before it shows: it was taken away, or never made.
fn gone(entry: &Entry<'_>, level: usize) -> bool {
    let windows = entry.map().map_or_else(Vec::new, |m| ints(m, "windows"));
    let last = entry.levels.keys().next_back().is_some_and(|k| (*k as usize) < level);
    if entry.joined {
        return entry.everywhere;
    }
    match windows.as_chunks::<2>().0.get(level) {
        Some([_, count]) => *count >= 3,
        None => last || entry.everywhere,
    }
}

fn small(index: u32) -> Option<u16> {
    u16::try_from(index).ok()
}

fn triangles(primitive: &Primitive) -> Vec<[u32; 3]> {
    primitive.indices.as_chunks().0.to_vec()
}

/// Returns `true` if a matrix moves nothing worth mentioning.
fn near_identity(matrix: &Mat4, turn: f32, shift: f32) -> bool {
    let rest = Mat4::IDENTITY.to_cols_array();
    let cells = matrix.to_cols_array();
    cells.iter().zip(rest).enumerate().all(|(i, (a, b))| (a - b).abs() <= if i >= 12 { shift } else { turn })
}

/// Lays the levels out as windows over one list: as it was, if that holds them, else sharing what neighbours share.
fn lay(mesh: &mut Mesh, levels: &[Vec<[u16; 3]>], map: &Extras) {
    let stored = ints(map, "windows");
    let stored = stored.as_chunks::<2>().0;
    let (rest_at, rest) = (ints(map, "rest_at"), ints(map, "rest"));
    if map.contains_key("count") {
        // Without positions there are no triangles in the scene: all indices are noted.
        mesh.indices = rest.iter().map(|v| *v as u16).collect();
        let window = |[first, count]: &[i64; 2]| Window { first: *first as u32, count: *count as u32 };
        mesh.windows = stored.iter().map(window).collect();
        return;
    }
    let room = levels.iter().map(|l| l.len() * 3).sum::<usize>() + rest.len();
    let end = stored.iter().map(|[first, count]| first.saturating_add(*count)).max().unwrap_or(0);
    let end = rest_at.iter().map(|at| at + 1).max().unwrap_or(0).max(end);
    let none = stored.is_empty() && levels.iter().all(Vec::is_empty);
    let fits = none || (stored.len() == levels.len() && usize::try_from(end).is_ok_and(|e| e <= room + 3));
    if !fits {
        mesh.set_levels(levels);
        return;
    }
    let mut indices: Vec<Option<u16>> = vec![None; usize::try_from(end).unwrap_or(0)];
    for (at, value) in rest_at.iter().zip(&rest) {
        if let Some(slot) = usize::try_from(*at).ok().and_then(|at| indices.get_mut(at)) {
            *slot = Some(*value as u16);
        }
    }
    for ([first, count], level) in stored.iter().zip(levels) {
        if *count / 3 != level.len() as i64 {
            mesh.set_levels(levels);
            return;
        }
        let from = usize::try_from(*first).unwrap_or(usize::MAX);
        for (i, value) in level.as_flattened().iter().enumerate() {
            match from.checked_add(i).and_then(|at| indices.get_mut(at)) {
                Some(slot) if slot.is_none_or(|there| there == *value) => *slot = Some(*value),
                _ => {
                    mesh.set_levels(levels);
                    return;
                }
            }
        }
    }
    match indices.into_iter().collect() {
        Some(indices) => {
            mesh.indices = indices;
            let window = |[first, count]: &[i64; 2]| Window { first: *first as u32, count: *count as u32 };
            mesh.windows = stored.iter().map(window).collect();
        }
        None => mesh.set_levels(levels),
    }
}
