//! Bones that nothing uses, and the names that PES knows.

use std::collections::HashMap;

use galatea_wire::Loss;

use crate::mesh::{Mesh, Values};
use crate::model::Fmdl;
use crate::name::Name;
use crate::presets::closest;

/// How the names of bones of PES begin: bodies, their helpers, faces, hands. For each the bones that there are on both sides, with
/// `_l` or `_r` behind, and the others. So the skeletons of PES 18 are documented; later games have more helpers.
static PES: [(&str, &[&str], &[&str]); 4] = [
    (
        "sk_",
        &["foot", "forearm", "hand", "leg", "shoulder", "thigh", "upperarm"],
        &["belly", "chest", "head", "neck"],
    ),
    (
        "dsk_",
        &[
            "belly_ba",
            "belly_f",
            "belly_o",
            "clavicle",
            "collar",
            "deltoid",
            "ear_b",
            "ear_t",
            "earlobe",
            "elbow",
            "foot",
            "forearm",
            "forearm_t",
            "hem",
            "hem_ba",
            "hem_f",
            "hem_i",
            "hem_o",
            "hip",
            "knee",
            "leg",
            "pants",
            "pectoralis",
            "scapula",
            "thigh",
            "toe",
            "trapezius",
            "upperarm",
            "upperarm_long",
            "upperarm_skin",
            "upperarm_skin_t",
            "wrist",
        ],
        &["belly_scale", "hair", "hip", "neckback", "scm"],
    ),
    (
        "skf_",
        &[
            "brow_i",
            "brow_o",
            "cheek",
            "cheek_s",
            "eye",
            "eyelid_b",
            "eyelid_t",
            "lip_b",
            "lip_s",
            "lip_t",
            "nasolabialfold_t",
            "nosewing",
            "orbicularisoculi_b",
        ],
        &["doublechin", "glabella", "jaw", "lip_b_c", "lip_t_c", "lip_volume", "nose"],
    ),
    (
        "skh_",
        &[
            "index_dip",
            "index_mata",
            "index_mcp",
            "index_pip",
            "middle_dip",
            "middle_mata",
            "middle_mcp",
            "middle_pip",
            "pinky_dip",
            "pinky_mata",
            "pinky_mcp",
            "pinky_pip",
            "ring_dip",
            "ring_mata",
            "ring_mcp",
            "ring_pip",
            "thumb_mata",
            "thumb_mcp",
            "thumb_pip",
        ],
        &[],
    ),
];

/// Returns the names of all bones that are known of PES.
///
/// ```
/// assert_eq!(galatea_fox::pes_bones().count(), 158);
/// assert!(galatea_fox::pes_bones().any(|name| name == "skh_thumb_pip_r"));
/// ```
pub fn pes_bones() -> impl Iterator<Item = String> {
    PES.iter().flat_map(|(family, sided, single)| {
        let both = sided.iter().flat_map(move |name| ["l", "r"].map(|side| format!("{family}{name}_{side}")));
        both.chain(single.iter().map(move |name| format!("{family}{name}")))
    })
}

/// Returns the name that PES has for a bone, however a program spells its side; `None` if PES has no such bone.
///
/// ```
/// use galatea_fox::pes_bone;
/// assert_eq!(pes_bone("sk_hand.L").as_deref(), Some("sk_hand_l"));
/// assert_eq!(pes_bone("skf_jaw").as_deref(), Some("skf_jaw"));
/// assert_eq!(pes_bone("Bone.001"), None);
/// ```
pub fn pes_bone(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    // Blender tells sides by `.L`; its copies have a number after.
    let copy = lower.rsplit_once('.').filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let plain = copy.map_or(lower.as_str(), |(plain, _)| plain);
    let sided = ['l', 'r'].into_iter().find_map(|side| {
        let ends = [format!(".{side}"), format!("-{side}"), format!("_{side}")];
        ends.iter().find_map(|end| plain.strip_suffix(end.as_str())).map(|base| (base, side))
    });
    let base = sided.map_or(plain, |(base, _)| base);
    let full = sided.map_or_else(|| base.to_owned(), |(base, side)| format!("{base}_{side}"));
    // All bones of bodies are known; of the others, later games have more.
    let open = PES.iter().map(|(family, ..)| *family).filter(|family| *family != "sk_");
    let of_family = open.into_iter().any(|f| base.len() > f.len() && base.starts_with(f));
    (of_family || is_known(&full)).then_some(full)
}

fn is_known(name: &str) -> bool {
    PES.iter().any(|(family, sided, single)| {
        let Some(rest) = name.strip_prefix(family) else { return false };
        let base = rest.strip_suffix("_l").or(rest.strip_suffix("_r"));
        single.contains(&rest) || base.is_some_and(|base| sided.contains(&base))
    })
}

impl Fmdl {
    /// Takes away bones that move no vertex and have no such bone below them. Returns how many.
    ///
    /// ```
    /// use galatea_fox::{Bone, Fmdl};
    /// let mut model = Fmdl::new(2.04);
    /// model.bones = vec![Bone::default(), Bone { parent: Some(0), ..Bone::default() }];
    /// assert_eq!(model.drop_unused_bones(), 2);
    /// ```
    pub fn drop_unused_bones(&mut self) -> usize {
        let mut used = vec![false; self.bones.len()];
        for mesh in &self.meshes {
            let Some(group) = self.bone_group(mesh) else { continue };
            for bone in weighted(mesh).filter_map(|index| group.bones.get(index)) {
                used.get_mut(usize::from(*bone)).into_iter().for_each(|u| *u = true);
            }
        }
        // Parents come first, so that going backwards reaches all of them.
        for (i, bone) in self.bones.iter().enumerate().rev() {
            let needed = used.get(i) == Some(&true);
            if let Some(slot) = bone.parent.filter(|_| needed).and_then(|p| used.get_mut(usize::from(p))) {
                *slot = true;
            }
        }
        self.keep_bones(&used)
    }

    /// Returns `true` if a bone moves a vertex of a mesh.
    pub fn moves(&self, mesh: &Mesh, bone: usize) -> bool {
        let Some(group) = self.bone_group(mesh) else { return false };
        weighted(mesh).filter_map(|index| group.bones.get(index)).any(|of| usize::from(*of) == bone)
    }

    /// Takes away these bones, which must move no vertex. Their children become those of nobody. Returns how many.
    pub fn drop_bones(&mut self, bones: &[usize]) -> usize {
        let used: Vec<bool> = (0..self.bones.len()).map(|bone| !bones.contains(&bone)).collect();
        self.keep_bones(&used)
    }

    fn keep_bones(&mut self, used: &[bool]) -> usize {
        let kept = used.iter().enumerate().filter(|(_, used)| **used).map(|(i, _)| i as u16);
        let number: HashMap<u16, u16> = kept.zip(0..).collect();
        let dropped = self.bones.len() - number.len();
        if dropped == 0 {
            return 0;
        }
        let matrices = self.bone_matrices.len() == self.bones.len();
        let mut keep = used.iter().copied();
        self.bones.retain(|_| keep.next().unwrap_or(true));
        if matrices {
            let mut keep = used.iter().copied();
            self.bone_matrices.retain(|_| keep.next().unwrap_or(true));
        }
        for bone in &mut self.bones {
            bone.parent = bone.parent.and_then(|p| number.get(&p).copied());
        }
        self.drop_from_groups(&number);
        self.forget_layout();
        dropped
    }

    /// Renumbers the bones of bone groups, without those that are gone.
    fn drop_from_groups(&mut self, number: &HashMap<u16, u16>) {
        let mut places: Vec<Vec<Option<u8>>> = Vec::with_capacity(self.bone_groups.len());
        for group in &mut self.bone_groups {
            let mut place = Vec::with_capacity(group.bones.len());
            let mut kept = Vec::with_capacity(group.bones.len());
            for bone in &group.bones {
                let new = number.get(bone);
                place.push(new.and(u8::try_from(kept.len()).ok()));
                kept.extend(new);
            }
            group.bones = kept;
            places.push(place);
        }
        for mesh in self.meshes.iter_mut().filter(|m| m.is_skinned()) {
            let Some(place) = places.get(usize::from(mesh.bone_group)) else { continue };
            // An index of weight 0 may name a bone that is gone: any other does as well.
            let new = |index: usize| place.get(index).copied().flatten().unwrap_or(0);
            for column in &mut mesh.vertices.columns {
                match (column.usage, &mut column.values) {
                    (crate::Usage::BoneIndices | crate::Usage::BoneIndices2, Values::U8x4(rows)) => {
                        rows.iter_mut().flatten().for_each(|i| *i = new(usize::from(*i)));
                    }
                    (crate::Usage::BoneIndices2, Values::U16x4(rows)) => {
                        rows.iter_mut().flatten().for_each(|i| *i = u16::from(new(usize::from(*i))));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Spells the names of bones as PES does. Returns what of them PES does not have, or is not known to have.
    pub(crate) fn name_pes_bones(&mut self) -> Vec<Loss> {
        let mut losses = Vec::new();
        for bone in &mut self.bones {
            let Some(name) = bone.name.text().map(std::borrow::Cow::into_owned) else { continue };
            let own = pes_bone(&name);
            let full = own.clone().unwrap_or_else(|| name.clone());
            if let Some(own) = own {
                bone.name = Name::from(own.as_str());
            }
            if is_known(&full) {
                continue;
            }
            let all: Vec<String> = pes_bones().collect();
            let meant = closest(&full, all.iter().map(String::as_str));
            let meant = meant.map_or_else(String::new, |meant| format!("; there is {meant:?}"));
            let place = format!("bone {name:?}");
            losses.push(if full == name && pes_bone(&name).is_none() {
                Loss::new(place, format!("movement: the skeleton of the game lacks it{meant}"))
            } else {
                let what =
                    format!("movement, unless the skeleton of the game has it: PES 18 does not{meant}");
                Loss::new(place, what).invisible()
            });
        }
        losses
    }
}

/// Returns the indices into the bone group that vertices use with a weight.
fn weighted(mesh: &Mesh) -> impl Iterator<Item = usize> + '_ {
    let first = mesh.vertices.weights().zip(mesh.vertices.bone_indices());
    let first = first.into_iter().flat_map(|(weights, indices)| {
        let both = weights.iter().flatten().zip(indices.iter().flatten());
        both.filter(|(w, _)| **w > 0).map(|(_, i)| usize::from(*i)).collect::<Vec<_>>()
    });
    let second: Vec<usize> = match mesh.vertices.get(crate::Usage::BoneIndices2) {
        Some(Values::U16x4(rows)) => rows.as_flattened().iter().map(|i| usize::from(*i)).collect(),
        Some(Values::U8x4(rows)) => rows.as_flattened().iter().map(|i| usize::from(*i)).collect(),
        _ => Vec::new(),
    };
    first.chain(second)
}
