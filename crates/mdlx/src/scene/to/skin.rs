//! Skin weights and matrix groups to the scene.

use foldhash::HashMap;
use galatea_scene::{Attribute, Extras, Influences, Skin, Vertices, encode_u32s};

use super::ToScene;
use crate::scene::extra::ExtraValue;
use crate::scene::weights::{GROUP, IDLE, idle_of, shares, weights_of};
use crate::{Geoset, SkinWeight};

impl ToScene<'_> {
    /// Adds the skin of a geoset, if any bone moves it, and the weights to its vertices.
    pub(super) fn add_skin(&mut self, geoset: &Geoset, out: &mut Vertices, map: &mut Extras) -> Option<u32> {
        map.add("group_sizes", encode_u32s(&geoset.group_sizes));
        map.add("matrices", encode_u32s(&geoset.matrices));
        let count = geoset.vertices.len();
        let mut joints = Joints { by_id: &self.by_id, list: Vec::new(), places: HashMap::default() };
        let smooth = geoset.skin.as_deref();
        match smooth {
            Some(skin) if skin.len() == count => joints.smooth(skin, out, map),
            Some(skin) => {
                let bytes = skin.iter().flat_map(|s| s.bones.into_iter().chain(s.weights));
                map.add("skin", crate::scene::extra::hex(&bytes.collect::<Vec<u8>>()));
            }
            None => joints.groups(geoset, out, map),
        }
        if smooth.is_some() {
            put_groups(geoset, out, map);
        }
        let joints = joints.list;
        if joints.is_empty() {
            out.influences = Influences::default();
            return None;
        }
        let place = |node: u32| {
            let id =
                self.scene.node(node).map(|n| crate::scene::extra::own(&n.extras)).and_then(|m| m.int("id"));
            id.and_then(|id| self.model.pivots.get(id as u32 as usize)).copied().unwrap_or_default()
        };
        let bind = |node: &u32| {
            let [x, y, z] = if *node == 0 { [0.0; 3] } else { self.joint_place(*node, place(*node)) };
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -x, -y, -z, 1.0]
        };
        self.scene.skins.push(Skin {
            name: format!("skin {}", self.scene.skins.len()),
            inverse_bind: joints.iter().map(bind).collect(),
            joints,
            ..Skin::default()
        });
        Some(self.scene.skins.len() as u32 - 1)
    }
}

impl ToScene<'_> {
    /// Returns where a joint is at rest: at its pivot, unless the offsets between huge pivots lost digits. Then it is where
    /// those offsets lead, so that the skin does not move its vertices at rest.
    fn joint_place(&self, node: u32, pivot: [f32; 3]) -> [f32; 3] {
        let shown = self.places.get(node as usize).copied().unwrap_or(pivot);
        let near = |(a, b): (f32, f32)| (a - b).abs() <= 1e-3 + 1e-5 * a.abs();
        if pivot.into_iter().zip(shown).all(near) || shown.iter().any(|v| !v.is_finite()) {
            pivot
        } else {
            shown
        }
    }
}

/// Stores the matrix groups of vertices that have skin weights.
pub(super) fn put_groups(geoset: &Geoset, out: &mut Vertices, map: &mut Extras) {
    let groups = &geoset.vertex_groups;
    if groups.is_empty() {
        return;
    }
    if groups.len() == geoset.vertices.len() && groups.iter().any(|g| *g != 0) {
        let values = groups.iter().map(|g| f32::from(*g)).collect();
        out.attributes.push(Attribute { name: GROUP.into(), width: 1, values });
    } else if groups.iter().all(|g| *g == 0) {
        map.add("zero_groups", groups.len() as u32);
    } else {
        map.add("vertex_groups", groups.json());
    }
}

/// The joints of a skin under construction.
struct Joints<'a> {
    by_id: &'a HashMap<u32, u32>,
    list: Vec<u32>,
    places: HashMap<u32, u16>,
}

impl Joints<'_> {
    fn place(&mut self, node: u32) -> u16 {
        let next = self.list.len() as u16;
        let list = &mut self.list;
        *self.places.entry(node).or_insert_with(|| {
            list.push(node);
            next
        })
    }

    /// Returns the joint of a bone; `None` if there is no such node.
    fn of(&mut self, id: u32) -> Option<u16> {
        let node = self.by_id.get(&id).copied()?;
        (self.list.len() < usize::from(u16::MAX) || self.places.contains_key(&node)).then(|| self.place(node))
    }

    fn groups(&mut self, geoset: &Geoset, out: &mut Vertices, map: &mut Extras) {
        let count = geoset.vertices.len();
        let rows: Vec<Vec<(u16, f32)>> =
            geoset.groups().map(|bones| shares(bones.iter().map(|id| self.of(*id)))).collect();
        if self.list.is_empty() || count == 0 {
            if !geoset.vertex_groups.is_empty() {
                let zero = geoset.vertex_groups.iter().all(|g| *g == 0);
                let value = if zero {
                    (geoset.vertex_groups.len() as u32).into()
                } else {
                    geoset.vertex_groups.json()
                };
                map.add(if zero { "zero_groups" } else { "vertex_groups" }, value);
            }
            return;
        }
        let width = rows.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let mut rows = rows;
        for row in &mut rows {
            if row.is_empty() {
                // Vertices without a bone stay where they are.
                row.push((self.place(0), 1.0));
            }
        }
        let mut group_of: Vec<u8> = geoset.vertex_groups.iter().copied().take(count).collect();
        let known = group_of.len();
        group_of.resize(count, 0);
        // The group of a vertex follows from its weights, unless several groups have the same weights.
        let mut first: Vec<usize> = Vec::with_capacity(rows.len());
        let mut seen: HashMap<Vec<(u16, u32)>, usize> = HashMap::default();
        // Most groups have a single bone.
        let mut alone: Vec<Option<usize>> = vec![None; self.list.len()];
        for (i, row) in rows.iter().enumerate() {
            if let [(joint, _)] = row.as_slice()
                && let Some(slot) = alone.get_mut(usize::from(*joint))
            {
                first.push(*slot.get_or_insert(i));
                continue;
            }
            let mut key: Vec<(u16, u32)> =
                row.iter().map(|(j, w)| (*j, (w * 1000.0).round() as u32)).collect();
            key.sort_unstable();
            first.push(*seen.entry(key).or_insert(i));
        }
        out.influences = match width {
            1 => spread::<1>(&rows, &group_of),
            2 => spread::<2>(&rows, &group_of),
            3 => spread::<3>(&rows, &group_of),
            4 => spread::<4>(&rows, &group_of),
            _ => spread_wide(&rows, width, &group_of),
        };
        let (mut at, mut to) = (Vec::new(), Vec::new());
        for (vertex, used) in group_of.iter().map(|used| usize::from(*used)).take(known).enumerate() {
            if first.get(used) != Some(&used) {
                at.push(vertex as u32);
                to.push(used as u32);
            }
        }
        if geoset.vertex_groups.len() != count {
            map.add("vertex_groups", geoset.vertex_groups.json());
        } else if !at.is_empty() {
            map.add("groups", [("at", encode_u32s(&at)), ("to", encode_u32s(&to))]);
        }
    }

    fn smooth(&mut self, skin: &[SkinWeight], out: &mut Vertices, map: &mut Extras) {
        let mut places = [None::<Option<u16>>; 256];
        for (bone, _) in skin.iter().flat_map(|s| s.bones.into_iter().zip(s.weights)).filter(|(_, w)| *w > 0)
        {
            if let Some(slot) = places.get_mut(usize::from(bone)).filter(|p| p.is_none()) {
                *slot = Some(self.of(u32::from(bone)));
            }
        }
        let joint = |bone: u32| places.get(bone as usize).copied().flatten().flatten();
        if self.list.is_empty() {
            let bytes = skin.iter().flat_map(|s| s.bones.into_iter().chain(s.weights));
            map.add("skin", crate::scene::extra::hex(&bytes.collect::<Vec<u8>>()));
            return;
        }
        let (mut at, mut to) = (Vec::new(), Vec::new());
        let mut idle = Vec::with_capacity(skin.len());
        let influences = &mut out.influences;
        influences.width = 4;
        let mut lost = None;
        for (vertex, weight) in skin.iter().enumerate() {
            let mut row = weights_of(weight, joint);
            let [(_, first), ..] = row;
            let still = first == 0.0;
            if still {
                let place = *lost.get_or_insert_with(|| self.place(0));
                row = [(place, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
            }
            let spare = idle_of(weight);
            idle.push(spare.unwrap_or(0) as f32);
            // Repeated and missing bones do not follow from the weights.
            if still
                || row.iter().filter(|(_, w)| *w > 0.0).count()
                    != weight.weights.iter().filter(|w| **w > 0).count()
            {
                at.push(vertex as u32);
                to.extend([u32::from_le_bytes(weight.bones), u32::from_le_bytes(weight.weights)]);
            }
            // Weights keep their places.
            let places = weight.weights.iter().map(|w| *w > 0);
            let straight = row.iter().filter(|(_, w)| *w > 0.0).count()
                == weight.weights.iter().filter(|w| **w > 0).count();
            if straight && !still {
                let mut next = row.iter();
                for full in places {
                    let (joint, weight) =
                        if full { next.next().copied().unwrap_or_default() } else { (0, 0.0) };
                    influences.joints.push(joint);
                    influences.weights.push(weight);
                }
            } else {
                influences.joints.extend(row.map(|(j, _)| j));
                influences.weights.extend(row.map(|(_, w)| w));
            }
        }
        if idle.iter().any(|i| *i != 0.0) {
            out.attributes.push(Attribute { name: IDLE.into(), width: 1, values: idle });
        }
        if !at.is_empty() {
            map.add("weights", [("at", encode_u32s(&at)), ("to", encode_u32s(&to))]);
        }
        map.add("smooth", true);
    }
}

/// Returns the weights of vertices by their groups, for a width known at compile time. The game uses the last group if the index
/// is out of range.
fn spread<const W: usize>(rows: &[Vec<(u16, f32)>], group_of: &[u8]) -> Influences {
    let fixed = |row: &Vec<(u16, f32)>| -> [(u16, f32); W] {
        std::array::from_fn(|i| row.get(i).copied().unwrap_or_default())
    };
    let table: Vec<[(u16, f32); W]> = rows.iter().take(256).map(fixed).collect();
    let last = rows.last().map(fixed).unwrap_or([(0, 0.0); W]);
    let row = |group: &u8| table.get(usize::from(*group)).unwrap_or(&last);
    let joints: Vec<[u16; W]> = group_of.iter().map(|group| row(group).map(|(joint, _)| joint)).collect();
    let weights: Vec<[f32; W]> = group_of.iter().map(|group| row(group).map(|(_, weight)| weight)).collect();
    Influences { width: W, joints: joints.into_flattened(), weights: weights.into_flattened() }
}

/// Does what [`spread`] does for any width.
fn spread_wide(rows: &[Vec<(u16, f32)>], width: usize, group_of: &[u8]) -> Influences {
    let mut out = Influences { width, ..Influences::default() };
    out.joints.resize(group_of.len() * width, 0);
    out.weights.resize(group_of.len() * width, 0.0);
    let slots = out.joints.chunks_exact_mut(width).zip(out.weights.chunks_exact_mut(width));
    for (group, (joints, weights)) in group_of.iter().zip(slots) {
        let row = rows.get(usize::from(*group)).or(rows.last());
        for ((joint, weight), slot) in joints.iter_mut().zip(weights).zip(row.into_iter().flatten()) {
            (*joint, *weight) = *slot;
        }
    }
    out
}
