//! Skin weights and matrix groups from the scene.

use foldhash::HashMap;
use galatea_scene::{Extras, Skin, Vertices};
use galatea_wire::Loss;

use super::mesh::Wanted;
use super::pieces::{bytes_of, repeats};
use super::{Back, read_words};
use crate::scene::extra::{Carry, int, unhex, word};
use crate::scene::weights::{GROUP, IDLE, shares, weights_of};
use crate::{Geoset, SkinWeight};

impl Back<'_> {
    /// For each vertex, the object ids of the nodes that move it, and how much.
    pub(super) fn rows(
        &self,
        one: &Wanted<'_>,
        vertices: &Vertices,
        skin: Option<&Skin>,
    ) -> Vec<Vec<(u32, f32)>> {
        let count = vertices.positions.len();
        let Some(skin) = skin else {
            let mut at = Some(one.id);
            let mut left = self.scene.nodes.len();
            while let Some(node) = at.filter(|n| !self.object_of.contains_key(n) && left > 0) {
                at = self.scene.node(node).and_then(|n| n.parent);
                left -= 1;
            }
            let row: Vec<(u32, f32)> =
                at.and_then(|n| self.object_of.get(&n)).map(|id| (*id, 1.0)).into_iter().collect();
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

    pub(super) fn read_smooth(
        &mut self,
        one: &Wanted<'_>,
        vertices: &Vertices,
        rows: &[Vec<(u32, f32)>],
        out: &mut Geoset,
    ) {
        let map = one.map;
        let idle = vertices.attribute(IDLE);
        let skin = one.node.skin.and_then(|s| self.scene.skins.get(s as usize));
        let ids: Vec<Option<u32>> =
            skin.map_or(&[][..], |s| &s.joints).iter().map(|j| self.object_of.get(j).copied()).collect();
        let (mut cut, mut rounded) = (0, 0);
        let mut list: Vec<SkinWeight> = Vec::with_capacity(rows.len());
        for vertex in 0..rows.len() {
            let mut weight = SkinWeight::default();
            let of = || {
                vertices.influences.of(vertex).map(|(j, w)| (ids.get(usize::from(j)).copied().flatten(), w))
            };
            let exact = of().all(|(_, w)| ((w * 255.0).round() - w * 255.0).abs() < 1e-3);
            if vertices.influences.width == 4 && exact {
                for ((bone, byte), (id, share)) in weight.bones.iter_mut().zip(&mut weight.weights).zip(of())
                {
                    if let Some(id) = id.filter(|_| share > 0.0) {
                        *bone = id as u8;
                        *byte = (share * 255.0).round() as u8;
                    }
                }
            } else if let Some(row) = rows.get(vertex) {
                cut += usize::from(row.len() > 4);
                rounded += 1;
                weight = bytes_of(row);
            }
            let spare = idle.get(vertex).map_or(0, |i| *i as u32);
            let places = weight.bones.iter_mut().zip(weight.weights).filter(|(_, w)| *w == 0);
            for (n, (bone, _)) in
                places.collect::<Vec<_>>().into_iter().rev().enumerate().filter(|_| spare > 0)
            {
                *bone = (spare >> (8 * n.min(3))) as u8;
            }
            list.push(weight);
        }
        if let Some(told) = map.object("weights") {
            let joint = |id: u32| {
                let new = self.renumbered(id)?;
                ids.iter().position(|i| *i == Some(new)).map(|p| p as u16)
            };
            let rows = read_words(told, "to");
            for (vertex, [bones, weights]) in read_words(told, "at").iter().zip(rows.as_chunks::<2>().0) {
                let stored = SkinWeight { bones: bones.to_le_bytes(), weights: weights.to_le_bytes() };
                let mut derived: Vec<(u16, f32)> =
                    weights_of(&stored, joint).into_iter().filter(|(_, w)| *w > 0.0).collect();
                let mut now: Vec<(u16, f32)> =
                    vertices.influences.of(*vertex as usize).filter(|(_, w)| *w > 0.0).collect();
                let lost = |list: &mut Vec<(u16, f32)>| {
                    list.retain(|(j, _)| ids.get(usize::from(*j)).copied().flatten().is_some());
                    list.sort_by_key(|(j, _)| *j);
                };
                lost(&mut derived);
                lost(&mut now);
                let near = derived.len() == now.len()
                    && derived.iter().zip(&now).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 2e-3);
                if let Some(slot) = list.get_mut(*vertex as usize).filter(|_| near) {
                    *slot = stored;
                }
            }
        }
        if cut > 0 {
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                format!("bones beyond the fourth on {cut} vertices"),
            ));
        }
        let _ = rounded;
        out.skin = Some(list);
        self.read_tables(map, out);
        let groups = vertices.attribute(GROUP);
        if !groups.is_empty() {
            out.vertex_groups = groups.iter().map(|g| *g as u8).collect();
        } else {
            read_group_list(map, out);
        }
    }

    /// An object id as it was, as it is now; `None` if its node is gone.
    fn renumbered(&self, id: u32) -> Option<u32> {
        self.new_ids.get(&id).copied().or((!self.removed).then_some(id))
    }

    /// The matrix groups as they were, without bones that are gone.
    fn read_tables(&self, map: &Extras, out: &mut Geoset) {
        let sizes = read_words(map, "group_sizes");
        let matrices = read_words(map, "matrices");
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

    /// Matrix groups by the weights of the vertices; `false` if there are too many of them for one geoset.
    pub(super) fn read_groups(
        &mut self,
        one: &Wanted<'_>,
        vertices: &Vertices,
        rows: &[Vec<(u32, f32)>],
        skinned: bool,
        out: &mut Geoset,
    ) -> bool {
        let map = one.map;
        self.read_tables(map, out);
        if let Some(bytes) = word(map, "skin").and_then(unhex).filter(|_| !skinned) {
            let pair = |[a, b, c, d, e, f, g, h]: &[u8; 8]| SkinWeight {
                bones: [*a, *b, *c, *d],
                weights: [*e, *f, *g, *h],
            };
            out.skin = Some(bytes.as_chunks::<8>().0.iter().map(pair).collect());
        }
        let moved = rows.iter().any(|row| !row.is_empty());
        if !skinned && !moved || out.skin.is_some() || vertices.positions.is_empty() {
            let groups = vertices.attribute(GROUP);
            if groups.is_empty() {
                read_group_list(map, out)
            } else {
                out.vertex_groups = groups.iter().map(|g| *g as u8).collect()
            }
            return true;
        }
        let key = |row: &[(u32, f32)]| {
            let mut key: Vec<(u32, u32)> =
                row.iter().map(|(id, w)| (*id, (w * 1000.0).round() as u32)).collect();
            key.sort_unstable();
            key
        };
        let exists: std::collections::HashSet<u32> = self.object_of.values().copied().collect();
        let group_rows: Vec<Vec<(u32, u32)>> = out
            .groups()
            .map(|bones| {
                let mut ids: Vec<u32> = Vec::new();
                let joints = bones.iter().map(|id| {
                    exists.contains(id).then(|| {
                        let known = ids.iter().position(|i| i == id);
                        known.unwrap_or_else(|| {
                            ids.push(*id);
                            ids.len() - 1
                        }) as u16
                    })
                });
                let row = shares(joints.collect::<Vec<_>>().into_iter());
                let row: Vec<(u32, f32)> =
                    row.iter().filter_map(|(j, w)| Some((*ids.get(usize::from(*j))?, *w))).collect();
                key(&row)
            })
            .collect();
        let mut first: HashMap<&[(u32, u32)], usize> = HashMap::default();
        for (i, row) in group_rows.iter().enumerate() {
            first.entry(row).or_insert(i);
        }
        let mut added: HashMap<Vec<(u32, u32)>, usize> = HashMap::default();
        let mut rounded = 0;
        let mut groups: Vec<usize> = Vec::with_capacity(rows.len());
        let mut last: Option<(&[(u32, f32)], usize)> = None;
        for row in rows {
            if let Some((_, group)) = last.filter(|(before, _)| *before == row.as_slice()) {
                groups.push(group);
                continue;
            }
            let wanted = key(row);
            let group = match first.get(wanted.as_slice()).or_else(|| added.get(&wanted)) {
                Some(group) => *group,
                None => {
                    let (bones, exact) = repeats(row);
                    rounded += usize::from(!exact);
                    let group = out.group_sizes.len();
                    out.group_sizes.push(bones.len() as u32);
                    out.matrices.extend(bones);
                    added.insert(wanted, group);
                    group
                }
            };
            last = Some((row, group));
            groups.push(group);
        }
        if let Some(told) = map.object("groups") {
            for (vertex, group) in read_words(told, "at").iter().zip(read_words(told, "to")) {
                let meant = (group as usize).min(group_rows.len().saturating_sub(1));
                let now = rows.get(*vertex as usize).map(|row| key(row));
                if let Some(slot) = groups.get_mut(*vertex as usize)
                    && now.as_ref() == group_rows.get(meant)
                {
                    *slot = group as usize;
                }
            }
        }
        if rounded > 0 {
            self.lose(Loss::new(
                format!("mesh {:?}", one.mesh.name),
                "weights that are no shares of at most eight bones, rounded",
            ));
        }
        if groups.iter().any(|g| *g > 255) {
            (out.group_sizes, out.matrices) = (Vec::new(), Vec::new());
            return false;
        }
        out.vertex_groups = groups.iter().map(|g| *g as u8).collect();
        if let Some(told) = map.get("vertex_groups").and_then(Vec::<u8>::read) {
            out.vertex_groups = told;
        }
        true
    }
}

/// Matrix groups of vertices that no weights tell.
fn read_group_list(map: &Extras, out: &mut Geoset) {
    if let Some(count) = int(map, "zero_groups").and_then(|n| usize::try_from(n).ok()) {
        out.vertex_groups = vec![0; count.min(1 << 20)];
    }
    if let Some(told) = map.get("vertex_groups").and_then(Vec::<u8>::read) {
        out.vertex_groups = told;
    }
}
