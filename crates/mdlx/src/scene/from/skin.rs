//! Skin weights and matrix groups from the scene.

use foldhash::{HashMap, HashSet};
use galatea_scene::{Extras, Skin, Vertices};
use galatea_wire::Loss;

use super::mesh::Wanted;
use super::{FromScene, read_u32s};
use crate::pieces::bytes_of;
use crate::scene::extra::{ExtraValue, unhex};
use crate::scene::weights::{GROUP, IDLE, shares, weights_of};
use crate::{Geoset, GroupWeights, SkinWeight};

/// Object ids of the bones of a vertex, with their weights.
pub(super) type Row = Vec<(u32, f32)>;

/// Bones of a matrix group, in order, with their weights in thousandths.
type GroupKey = Vec<(u32, u32)>;

impl FromScene<'_> {
    /// Returns, for each vertex, the object ids of the nodes that move it, with weights.
    pub(super) fn rows(&self, one: &Wanted<'_>, vertices: &Vertices, skin: Option<&Skin>) -> Vec<Row> {
        let count = vertices.positions.len();
        let Some(skin) = skin else {
            let mut at = Some(one.id);
            let mut left = self.scene.nodes.len();
            while let Some(node) = at.filter(|n| !self.object_of.contains_key(n) && left > 0) {
                at = self.scene.node(node).and_then(|n| n.parent);
                left -= 1;
            }
            let row: Row = at.and_then(|n| self.object_of.get(&n)).map(|id| (*id, 1.0)).into_iter().collect();
            return vec![row; count];
        };
        let ids: Vec<Option<u32>> = skin.joints.iter().map(|j| self.object_of.get(j).copied()).collect();
        let of = |vertex: usize| {
            let used = vertices.influences.of(vertex).filter(|(_, w)| *w > 0.0);
            used.filter_map(|(joint, weight)| Some((ids.get(usize::from(joint)).copied().flatten()?, weight)))
                .collect()
        };
        (0..count).map(of).collect()
    }

    /// Returns the new object id for a previous one; `None` if the node was removed.
    fn renumbered(&self, id: u32) -> Option<u32> {
        self.new_ids.get(&id).copied().or((!self.removed).then_some(id))
    }

    /// Reads the stored matrix groups, without bones that were removed.
    fn read_tables(&self, map: &Extras, out: &mut Geoset) {
        let sizes = read_u32s(map, "group_sizes");
        let matrices = read_u32s(map, "matrices");
        if !self.removed {
            out.group_sizes = sizes;
            out.matrices = matrices.iter().map(|id| self.new_ids.get(id).copied().unwrap_or(*id)).collect();
            return;
        }
        let mut rest = matrices.as_slice();
        for size in sizes {
            let (group, after) = rest.split_at_checked(size as usize).unwrap_or((rest, &[]));
            rest = after;
            let before = out.matrices.len();
            out.matrices.extend(group.iter().filter_map(|id| self.renumbered(*id)));
            out.group_sizes.push((out.matrices.len() - before) as u32);
        }
    }

    /// Reads skin weights of the vertices as bytes.
    pub(super) fn read_smooth(
        &mut self,
        one: &Wanted<'_>,
        vertices: &Vertices,
        rows: &[Row],
        out: &mut Geoset,
    ) {
        let skin = one.node.skin.and_then(|s| self.scene.skins.get(s as usize));
        let ids: Vec<Option<u32>> =
            skin.map_or(&[][..], |s| &s.joints).iter().map(|j| self.object_of.get(j).copied()).collect();
        let idle = vertices.attribute(IDLE);
        let mut cut = 0;
        let mut list: Vec<SkinWeight> = Vec::with_capacity(rows.len());
        for (vertex, row) in rows.iter().enumerate() {
            let mut weight = exact_bytes(vertices, vertex, &ids).unwrap_or_else(|| {
                cut += usize::from(row.len() > 4);
                bytes_of(row)
            });
            set_idle(&mut weight, idle.get(vertex).map_or(0, |i| *i as u32));
            list.push(weight);
        }
        if let Some(stored) = one.map.object("weights") {
            self.restore_weights(stored, vertices, &ids, &mut list);
        }
        self.lose_bones(one, cut);
        out.skin = Some(list);
        self.read_tables(one.map, out);
        read_vertex_groups(vertices, one.map, out);
    }

    /// Reports that vertices have more bones than the format supports.
    pub(super) fn lose_bones(&mut self, one: &Wanted<'_>, vertices: usize) {
        if vertices > 0 {
            let what = format!("bones beyond the fourth on {vertices} vertices");
            self.lose(Loss::new(format!("mesh {:?}", one.mesh.name), what));
        }
    }

    /// Restores weights that joints and influences do not determine, on vertices whose weights were not edited.
    fn restore_weights(
        &self,
        stored: &Extras,
        vertices: &Vertices,
        ids: &[Option<u32>],
        list: &mut [SkinWeight],
    ) {
        let joint = |id: u32| {
            let new = self.renumbered(id)?;
            ids.iter().position(|i| *i == Some(new)).map(|p| p as u16)
        };
        let known = |list: &mut Vec<(u16, f32)>| {
            list.retain(|(j, w)| *w > 0.0 && ids.get(usize::from(*j)).copied().flatten().is_some());
            list.sort_by_key(|(j, _)| *j);
        };
        let rows = read_u32s(stored, "to");
        for (vertex, [bones, weights]) in read_u32s(stored, "at").iter().zip(rows.as_chunks::<2>().0) {
            let stored = SkinWeight { bones: bones.to_le_bytes(), weights: weights.to_le_bytes() };
            let mut derived = weights_of(&stored, joint).to_vec();
            let mut now: Vec<(u16, f32)> = vertices.influences.of(*vertex as usize).collect();
            known(&mut derived);
            known(&mut now);
            let near = derived.len() == now.len()
                && derived.iter().zip(&now).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 2e-3);
            if let Some(slot) = list.get_mut(*vertex as usize).filter(|_| near) {
                *slot = stored;
            }
        }
    }

    /// Assigns vertices to matrix groups by their weights; returns `false` if there are too many groups for one geoset.
    pub(super) fn read_groups(
        &mut self,
        one: &Wanted<'_>,
        vertices: &Vertices,
        rows: &[Row],
        skinned: bool,
        out: &mut Geoset,
    ) -> bool {
        let map = one.map;
        self.read_tables(map, out);
        if !skinned {
            out.skin = map.text("skin").and_then(unhex).map(|bytes| stored_skin(&bytes));
        }
        let moved = rows.iter().any(|row| !row.is_empty());
        if !skinned && !moved || out.skin.is_some() || vertices.positions.is_empty() {
            read_vertex_groups(vertices, map, out);
            return true;
        }
        let keys = self.group_keys(out);
        let (mut groups, rounded) = assign_groups(rows, &keys, self.weights, out);
        if let Some(stored) = map.object("groups") {
            restore_groups(stored, rows, &keys, &mut groups);
        }
        if rounded > 0 {
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                format!("weights, rounded to {}", self.weights.rounded_to()),
            ));
        }
        if groups.iter().any(|g| *g > 255) {
            (out.group_sizes, out.matrices) = (Vec::new(), Vec::new());
            return false;
        }
        out.vertex_groups = groups.iter().map(|g| *g as u8).collect();
        if let Some(stored) = map.get("vertex_groups").and_then(Vec::<u8>::read) {
            out.vertex_groups = stored;
        }
        true
    }

    /// Returns the key of each matrix group, made of the bones that still exist.
    fn group_keys(&self, geoset: &Geoset) -> Vec<GroupKey> {
        let exists: HashSet<u32> = self.object_of.values().copied().collect();
        let key = |bones: &[u32]| {
            let mut ids: Vec<u32> = Vec::new();
            let mut place = |id: &u32| {
                ids.iter().position(|i| i == id).unwrap_or_else(|| {
                    ids.push(*id);
                    ids.len() - 1
                }) as u16
            };
            let joints: Vec<Option<u16>> =
                bones.iter().map(|id| exists.contains(id).then(|| place(id))).collect();
            let row = shares(joints.into_iter());
            let row: Row = row.iter().filter_map(|(j, w)| Some((*ids.get(usize::from(*j))?, *w))).collect();
            group_key(&row)
        };
        geoset.groups().map(key).collect()
    }
}

/// Returns the key of a matrix group that moves a vertex like these weights.
fn group_key(row: &[(u32, f32)]) -> GroupKey {
    let mut key: GroupKey = row.iter().map(|(id, w)| (*id, (w * 1000.0).round() as u32)).collect();
    key.sort_unstable();
    key
}

/// Returns the matrix group of each vertex, and the number of new groups that only approximate the weights. Missing groups are
/// added to the geoset.
fn assign_groups(
    rows: &[Row],
    keys: &[GroupKey],
    how: GroupWeights,
    out: &mut Geoset,
) -> (Vec<usize>, usize) {
    let mut known: HashMap<GroupKey, usize> = HashMap::default();
    for (i, key) in keys.iter().enumerate() {
        known.entry(key.clone()).or_insert(i);
    }
    let mut rounded = 0;
    let mut groups: Vec<usize> = Vec::with_capacity(rows.len());
    let mut last: Option<(&[(u32, f32)], usize)> = None;
    for row in rows {
        let group = match last.filter(|(before, _)| *before == row.as_slice()) {
            Some((_, group)) => group,
            None => *known.entry(group_key(row)).or_insert_with(|| {
                let (bones, exact) = how.fit(row);
                rounded += usize::from(!exact);
                out.group_sizes.push(bones.len() as u32);
                out.matrices.extend(bones);
                out.group_sizes.len() - 1
            }),
        };
        last = Some((row, group));
        groups.push(group);
    }
    (groups, rounded)
}

/// Restores which of several equal groups a vertex has, if its weights were not edited.
fn restore_groups(stored: &Extras, rows: &[Row], keys: &[GroupKey], groups: &mut [usize]) {
    for (vertex, group) in read_u32s(stored, "at").iter().zip(read_u32s(stored, "to")) {
        let key = keys.get((group as usize).min(keys.len().saturating_sub(1)));
        let now = rows.get(*vertex as usize).map(|row| group_key(row));
        if let Some(slot) = groups.get_mut(*vertex as usize).filter(|_| now.as_ref() == key) {
            *slot = group as usize;
        }
    }
}

/// Returns the weights of a vertex as bytes; `None` if they are not four multiples of 1 / 255.
fn exact_bytes(vertices: &Vertices, vertex: usize, ids: &[Option<u32>]) -> Option<SkinWeight> {
    let influences = || vertices.influences.of(vertex);
    let exact = influences().all(|(_, w)| ((w * 255.0).round() - w * 255.0).abs() < 1e-3);
    if vertices.influences.width != 4 || !exact {
        return None;
    }
    let mut out = SkinWeight::default();
    for ((bone, byte), (joint, share)) in out.bones.iter_mut().zip(&mut out.weights).zip(influences()) {
        if let Some(id) = ids.get(usize::from(joint)).copied().flatten().filter(|_| share > 0.0) {
            *bone = id as u8;
            *byte = (share * 255.0).round() as u8;
        }
    }
    Some(out)
}

/// Sets the bones whose weight is 0, as packed by [`idle_of`](crate::scene::weights::idle_of).
fn set_idle(weight: &mut SkinWeight, idle: u32) {
    if idle == 0 {
        return;
    }
    let slots = weight.bones.iter_mut().rev().zip(weight.weights.into_iter().rev());
    for (n, (bone, _)) in slots.filter(|(_, w)| *w == 0).enumerate() {
        *bone = (idle >> (8 * n)) as u8;
    }
}

/// Returns skin weights stored as bytes: four bones and four weights per vertex.
fn stored_skin(bytes: &[u8]) -> Vec<SkinWeight> {
    let weight = |[a, b, c, d, e, f, g, h]: &[u8; 8]| SkinWeight {
        bones: [*a, *b, *c, *d],
        weights: [*e, *f, *g, *h],
    };
    bytes.as_chunks::<8>().0.iter().map(weight).collect()
}

/// Reads the matrix groups of vertices that weights do not determine.
fn read_vertex_groups(vertices: &Vertices, map: &Extras, out: &mut Geoset) {
    let groups = vertices.attribute(GROUP);
    if !groups.is_empty() {
        out.vertex_groups = groups.iter().map(|g| *g as u8).collect();
        return;
    }
    if let Some(count) = map.int("zero_groups").and_then(|n| usize::try_from(n).ok()) {
        out.vertex_groups = vec![0; count.min(1 << 20)];
    }
    if let Some(stored) = map.get("vertex_groups").and_then(Vec::<u8>::read) {
        out.vertex_groups = stored;
    }
}
