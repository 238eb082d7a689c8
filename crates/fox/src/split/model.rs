//! Meshes of any size in a model: added, split and merged, with the bone groups they need.

use std::collections::HashSet;

use galatea_wire::{Error, Result};

use super::{BigMesh, Piece, SplitLimits};
use crate::extensions::Extensions;
use crate::mesh::{Mesh, Usage, Values};
use crate::model::{BoneGroup, Fmdl, Run};
use crate::wire::{Bounds, Window};

impl Fmdl {
    /// Returns a mesh of the model without the format's limits.
    pub fn big_mesh(&self, mesh: &Mesh) -> BigMesh {
        let mut vertices = mesh.vertices.clone();
        let mut bones = Vec::new();
        if let (Some(group), Some(indices)) = (self.bone_group(mesh), mesh.vertices.bone_indices()) {
            // A bone with weight 0 moves nothing, and would only take a place in some piece's bone group.
            let weights = mesh.vertices.weights().unwrap_or(&[]);
            for (v, named) in indices.iter().enumerate() {
                let mut own = [BigMesh::NO_BONE; 4];
                let weights = weights.get(v).copied().unwrap_or([1; 4]);
                for ((bone, index), weight) in own.iter_mut().zip(named).zip(weights) {
                    if let Some(found) = group.bones.get(usize::from(*index)).filter(|_| weight > 0) {
                        *bone = *found;
                    }
                }
                bones.push(own);
            }
            if let Some(at) = vertices.columns.iter().position(|c| c.usage == Usage::BoneIndices) {
                vertices.columns.remove(at);
                for column in &mut vertices.columns {
                    if let Values::Same(of) = &mut column.values
                        && *of > at
                    {
                        *of -= 1;
                    }
                }
            }
        }
        let whole = mesh.indices.as_chunks::<3>().0;
        let level = |w: &Window| {
            let (first, count) = (w.first as usize / 3, w.count as usize / 3);
            first.min(whole.len())..(first + count).min(whole.len())
        };
        BigMesh {
            flags: mesh.flags,
            material: mesh.material,
            vertices,
            bones,
            faces: whole.iter().map(|f| f.map(u32::from)).collect(),
            levels: mesh.windows.iter().map(level).collect(),
        }
    }

    /// Returns the number of a bone group with these bones; a new one if there is none.
    pub(crate) fn bone_group_of(&mut self, bones: Vec<u16>) -> Result<u16> {
        let found = self.bone_groups.iter().position(|g| g.bones == bones);
        let index = found.unwrap_or_else(|| {
            self.bone_groups.push(BoneGroup { max_weights: 4, bones });
            self.bone_groups.len() - 1
        });
        u16::try_from(index).map_err(|_| Error::unrepresentable("more than 65535 bone groups"))
    }

    /// Adds a mesh to a group, split where it is too large. Returns the numbers of the new meshes. Derived fields are
    /// left to [`Fmdl::rederive`].
    ///
    /// ```
    /// use galatea_fox::{BigMesh, Fmdl, Group, SplitLimits, Usage, Values, Vertices};
    /// let mut vertices = Vertices::default();
    /// vertices.push(Usage::Position, Values::F32x3((0..90_000).map(|i| [i as f32, 0.0, 0.0]).collect()));
    /// let faces = (0..30_000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    /// let mut model = Fmdl::new(2.04);
    /// model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    /// let new = model.add_mesh(&BigMesh::new(vertices, Vec::new(), faces), 0, &SplitLimits::default())?;
    /// assert_eq!(new, 0..2);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn add_mesh(
        &mut self,
        big: &BigMesh,
        group: u16,
        limits: &SplitLimits,
    ) -> Result<std::ops::Range<usize>> {
        let start = self.meshes.len();
        for Piece { mut mesh, bones } in big.split(limits)? {
            if !bones.is_empty() {
                mesh.bone_group = self.bone_group_of(bones)?;
            }
            self.meshes.push(mesh);
        }
        let small = |n: usize| u16::try_from(n).map_err(|_| Error::unrepresentable("more than 65535 meshes"));
        let (first_mesh, mesh_count) = (small(start)?, small(self.meshes.len() - start)?);
        self.runs.push(Run { group, first_mesh, mesh_count, bounds: Bounds::EMPTY });
        Ok(start..self.meshes.len())
    }

    /// Splits every mesh that is beyond the limits, in place. Runs and the PES extension text follow. Returns how many
    /// meshes were split.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Mesh, Run, SplitLimits, Usage, Values};
    /// let mut mesh = Mesh::default();
    /// mesh.vertices.push(Usage::Position, Values::F32x3(vec![[0.0; 3]; 6]));
    /// mesh.set_faces(&[[0, 1, 2], [3, 4, 5]]);
    /// let mut model = Fmdl::new(2.04);
    /// model.meshes.push(mesh);
    /// model.runs.push(Run { mesh_count: 1, ..Run::default() });
    /// let one_face = SplitLimits::default().with_faces(1);
    /// assert_eq!(model.split_meshes(&one_face)?, 1);
    /// assert_eq!((model.meshes.len(), model.runs[0].mesh_count), (2, 2));
    /// assert_eq!(model.merge_meshes(&SplitLimits::default())?, 1);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn split_meshes(&mut self, limits: &SplitLimits) -> Result<usize> {
        let old = std::mem::take(&mut self.meshes);
        let mut new: Vec<Vec<Mesh>> = Vec::with_capacity(old.len());
        let mut split = 0;
        for mesh in &old {
            let most = mesh.windows.iter().map(|w| w.count as usize / 3).max().unwrap_or(0);
            let bones = self.bone_group(mesh).map_or(0, |g| g.bones.len());
            if bones <= limits.bones && mesh.vertices.count <= limits.vertices && most <= limits.faces {
                new.push(vec![mesh.clone()]);
                continue;
            }
            let pieces = self.big_mesh(mesh).split(limits).and_then(|pieces| {
                let with_group = |Piece { mut mesh, bones }: Piece| {
                    if !bones.is_empty() {
                        mesh.bone_group = self.bone_group_of(bones)?;
                    }
                    Ok(mesh)
                };
                pieces.into_iter().map(with_group).collect::<Result<Vec<Mesh>>>()
            });
            match pieces {
                Ok(pieces) => {
                    split += usize::from(pieces.len() > 1);
                    new.push(pieces);
                }
                Err(e) => {
                    self.meshes = old;
                    return Err(e);
                }
            }
        }
        self.replace_meshes(new)?;
        self.drop_unused_bone_groups();
        Ok(split)
    }

    /// Merges neighbours of the same run that have the same material, flags and attributes, as long as the result is within
    /// the limits. Returns how many meshes there are fewer.
    pub fn merge_meshes(&mut self, limits: &SplitLimits) -> Result<usize> {
        let before = self.meshes.len();
        let ranges: Vec<std::ops::Range<usize>> = self.runs.iter().map(Run::meshes).collect();
        let mut new: Vec<Vec<Mesh>> = self.meshes.iter().map(|m| vec![m.clone()]).collect();
        for range in ranges {
            let mut at = range.start;
            while at < range.end.min(before) {
                let mut pieces: Vec<BigMesh> =
                    self.meshes.get(at).map(|m| self.big_mesh(m)).into_iter().collect();
                let mut best: Option<(Piece, usize)> = None;
                for next in at + 1..range.end.min(before) {
                    let same = |a: &Mesh, b: &Mesh| (a.material, a.flags) == (b.material, b.flags);
                    let (Some(a), Some(b)) = (self.meshes.get(at), self.meshes.get(next)) else { break };
                    if !same(a, b) {
                        break;
                    }
                    pieces.push(self.big_mesh(b));
                    let Ok(merged) = BigMesh::merge(&pieces) else { break };
                    let Ok(mut whole) = merged.split(limits) else { break };
                    match whole.pop() {
                        Some(piece) if whole.is_empty() => best = Some((piece, next)),
                        _ => break,
                    }
                }
                match best {
                    Some((Piece { mut mesh, bones }, last)) => {
                        if !bones.is_empty() {
                            mesh.bone_group = self.bone_group_of(bones)?;
                        }
                        new.get_mut(at..=last).into_iter().flatten().for_each(Vec::clear);
                        if let Some(slot) = new.get_mut(at) {
                            slot.push(mesh);
                        }
                        at = last + 1;
                    }
                    None => at += 1,
                }
            }
        }
        self.replace_meshes(new)?;
        self.drop_unused_bone_groups();
        Ok(before - self.meshes.len())
    }

    /// Replaces each mesh by none, one or several; runs and the PES extension text follow.
    fn replace_meshes(&mut self, new: Vec<Vec<Mesh>>) -> Result<()> {
        let small = |n: usize| u16::try_from(n).map_err(|_| Error::unrepresentable("more than 65535 meshes"));
        let mut starts = vec![0usize];
        for meshes in &new {
            starts.push(starts.last().copied().unwrap_or(0) + meshes.len());
        }
        let start = |mesh: usize| starts.get(mesh).or(starts.last()).copied().unwrap_or(0);
        for run in &mut self.runs {
            let range = run.meshes();
            let (first, end) = (start(range.start), start(range.end));
            run.first_mesh = small(first)?;
            run.mesh_count = small(end - first)?;
        }
        if !self.extensions.is_empty() {
            let mut extensions = Extensions::parse(&self.extensions);
            let numbers = |i: usize| {
                // A mesh that was merged into an earlier one is found there.
                let (a, b) = (start(i), start(i + 1));
                let range = if a == b { a.saturating_sub(1)..a } else { a..b };
                range.map(|n| n as u32).collect()
            };
            extensions.renumber_meshes(&(0..new.len()).map(numbers).collect::<Vec<Vec<u32>>>());
            self.extensions = extensions.print();
        }
        self.meshes = new.into_iter().flatten().collect();
        Ok(())
    }

    /// Takes away those of these bone groups that no mesh uses any more. Tells the number each of the others had.
    pub(crate) fn drop_bone_groups(&mut self, left: &HashSet<u16>) -> Vec<Option<usize>> {
        let skinned = self.meshes.iter().filter(|m| m.is_skinned());
        let used: HashSet<u16> = skinned.map(|m| m.bone_group).collect();
        let mut places: Vec<u16> = Vec::with_capacity(self.bone_groups.len());
        let mut numbers = Vec::new();
        for old in 0..self.bone_groups.len() {
            let number = u16::try_from(old).unwrap_or(u16::MAX);
            places.push(u16::try_from(numbers.len()).unwrap_or(u16::MAX));
            if used.contains(&number) || !left.contains(&number) {
                numbers.push(Some(old));
            }
        }
        let keep: HashSet<usize> = numbers.iter().copied().flatten().collect();
        let mut at = 0..;
        self.bone_groups.retain(|_| at.next().is_none_or(|i| keep.contains(&i)));
        for mesh in self.meshes.iter_mut().filter(|m| m.is_skinned()) {
            if let Some(place) = places.get(usize::from(mesh.bone_group)) {
                mesh.bone_group = *place;
            }
        }
        numbers
    }

    /// Takes away bone groups that no mesh uses.
    fn drop_unused_bone_groups(&mut self) {
        let mut used = vec![false; self.bone_groups.len()];
        for mesh in self.meshes.iter().filter(|m| m.is_skinned()) {
            if let Some(slot) = used.get_mut(usize::from(mesh.bone_group)) {
                *slot = true;
            }
        }
        let mut next = 0u16;
        let numbers: Vec<u16> = used
            .iter()
            .map(|used| {
                let number = next;
                next += u16::from(*used);
                number
            })
            .collect();
        let mut keep = used.iter();
        self.bone_groups.retain(|_| keep.next().copied().unwrap_or(true));
        for mesh in &mut self.meshes {
            let skinned = mesh.is_skinned();
            if let Some(number) = numbers.get(usize::from(mesh.bone_group)) {
                mesh.bone_group = if skinned { *number } else { 0 };
            }
        }
    }
}
