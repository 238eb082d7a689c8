//! Which bone of one skeleton is which of another.

use std::collections::HashMap;

use super::{BONE, BoneTable, Skeleton, counted_part, part};
use crate::combine::CombineError;

/// Why two bones are taken for the same.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum How {
    /// A table says so.
    Table,
    /// They have the same name.
    Name,
    /// Each is the only one without a parent.
    Root,
    /// Their names mean the same part of a body in known skeletons.
    Part(String),
    /// They are at the same place of the tree and of the model.
    Place,
}

/// A bone and its counterpart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The bone, by its position in its skeleton.
    pub from: usize,
    /// Its counterpart.
    pub to: usize,
    /// Why they are taken for the same.
    pub how: How,
}

/// Which bones of two skeletons are the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matching {
    /// Bones with their counterparts.
    pub pairs: Vec<Pair>,
    /// Bones without one, in the first skeleton.
    pub left_from: Vec<usize>,
    /// Bones without one, in the second.
    pub left_to: Vec<usize>,
}

/// Names that modelling programs give on their own. The same in two models, they are no sign that the bones are the same.
const NUMBERED: &[&str] = &[
    "mesh", "object", "plane", "box", "sphere", "cylinder", "bone", "bonenew", "dummy", "hero", "gutz",
    "line", "default", "group", "node", "helper", "cone", "torus", "circle", "joint", "point", "",
];

/// How far bones may be apart that match by their place, in heights; and those with names that mean little.
const NEAR: f32 = 0.04;
const NEAR_NAMED: f32 = 0.15;

fn is_numbered(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    NUMBERED.contains(&letters.as_str())
}

/// The search for counterparts.
struct Search<'a> {
    from: &'a Skeleton,
    to: &'a Skeleton,
    /// The counterpart of each bone of the first skeleton, and why.
    found: Vec<Option<(usize, How)>>,
    /// Bones of the first skeleton that shall have none.
    barred: Vec<bool>,
    /// The bone of the first skeleton that each one of the second belongs to.
    taken: Vec<Option<usize>>,
}

impl Matching {
    /// Matches the bones of two skeletons: by the table, then by name, by what names mean in known skeletons, and at last by tree and
    /// place.
    ///
    /// ```
    /// use galatea::combine::{BoneTable, Matching, Skeleton};
    /// let scene = galatea::scene::example();
    /// let skeleton = Skeleton::of_scene(&scene);
    /// let matching = Matching::of(&skeleton, &skeleton, &BoneTable::default()).unwrap();
    /// assert_eq!(matching.pairs.len(), skeleton.bones.len());
    /// assert!(matching.pairs.iter().all(|pair| pair.from == pair.to));
    /// ```
    pub fn of(from: &Skeleton, to: &Skeleton, table: &BoneTable) -> Result<Matching, CombineError> {
        let mut search = Search {
            from,
            to,
            found: vec![None; from.bones.len()],
            barred: vec![false; from.bones.len()],
            taken: vec![None; to.bones.len()],
        };
        for (a, b) in table.resolve(from, to)? {
            match b {
                Some(b) => search.pair(a, b, How::Table),
                None => search.barred.get_mut(a).into_iter().for_each(|barred| *barred = true),
            }
        }
        search.names();
        search.roots();
        search.parts();
        search.numbered_names();
        search.places();
        let pairs: Vec<Pair> = (0..)
            .zip(&search.found)
            .filter_map(|(from, found)| found.clone().map(|(to, how)| Pair { from, to, how }))
            .collect();
        let left = |free: &dyn Fn(usize) -> bool, skeleton: &Skeleton| {
            (0..skeleton.bones.len()).filter(|at| free(*at)).collect::<Vec<usize>>()
        };
        Ok(Matching {
            left_from: left(&|at| search.found.get(at).is_none_or(Option::is_none), from),
            left_to: left(&|at| search.taken.get(at).is_none_or(Option::is_none), to),
            pairs,
        })
    }

    /// Returns the counterpart of a bone of the first skeleton.
    pub fn to(&self, from: usize) -> Option<usize> {
        self.pairs.iter().find(|pair| pair.from == from).map(|pair| pair.to)
    }
}

/// Returns the one of several bones for the same part that the others go by: the one above the others (`lhand_g` and the hook `lhand` in
/// it), not a copy with a number, or the one with more below it.
fn foremost(skeleton: &Skeleton, list: &[usize]) -> Option<usize> {
    let name = |at: usize| skeleton.bones.get(at).map_or("", |bone| bone.name.as_str());
    let is_copy = |at: usize| counted_part(name(at)).is_some_and(|(_, copy)| copy);
    let originals: Vec<usize> = list.iter().copied().filter(|at| !is_copy(*at)).collect();
    let list = if originals.is_empty() { list.to_vec() } else { originals };
    let is_below = |at: usize, other: usize| skeleton.ancestors(at).any(|above| above == other);
    let tops: Vec<usize> =
        list.iter().copied().filter(|at| !list.iter().any(|other| is_below(*at, *other))).collect();
    if let [one] = tops[..] {
        return Some(one);
    }
    let below = |at: usize| (0..skeleton.bones.len()).filter(|other| is_below(*other, at)).count();
    let most = tops.iter().map(|at| below(*at)).max()?;
    let largest: Vec<usize> = tops.into_iter().filter(|at| below(*at) == most).collect();
    if let [one] = largest[..] { Some(one) } else { None }
}

impl Search<'_> {
    fn pair(&mut self, from: usize, to: usize, how: How) {
        if let (Some(found), Some(taken)) = (self.found.get_mut(from), self.taken.get_mut(to))
            && found.is_none()
            && taken.is_none()
        {
            *found = Some((to, how));
            *taken = Some(from);
        }
    }

    fn is_free(&self, from: usize) -> bool {
        self.found.get(from).is_some_and(Option::is_none) && self.barred.get(from) == Some(&false)
    }

    fn is_free_to(&self, to: usize) -> bool {
        self.taken.get(to).is_some_and(Option::is_none)
    }

    fn same_kind(&self, from: usize, to: usize) -> bool {
        let kind = |skeleton: &Skeleton, at: usize| skeleton.bones.get(at).map(|bone| bone.kind);
        kind(self.from, from) == kind(self.to, to)
    }

    /// Pairs bones of the same key, if each key belongs to one free bone on either side; `pick` chooses among several.
    fn by_key(
        &mut self,
        key: &dyn Fn(&super::Bone) -> Option<String>,
        how: &dyn Fn(&str) -> How,
        pick: bool,
    ) {
        let keys = |skeleton: &Skeleton, free: &dyn Fn(usize) -> bool| {
            let mut out: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, bone) in skeleton.bones.iter().enumerate().filter(|(at, _)| free(*at)) {
                if let Some(key) = key(bone) {
                    out.entry(format!("{} {key}", bone.kind)).or_default().push(at);
                }
            }
            out
        };
        let from = keys(self.from, &|at| self.is_free(at));
        let to = keys(self.to, &|at| self.is_free_to(at));
        let single = |skeleton: &Skeleton, list: &[usize]| match list {
            [one] => Some(*one),
            _ if pick => foremost(skeleton, list),
            _ => None,
        };
        let mut sorted: Vec<_> = from.iter().collect();
        sorted.sort_by_key(|(_, list)| list.first());
        for (key, list) in sorted {
            let (Some(a), Some(b)) =
                (single(self.from, list), to.get(key).and_then(|list| single(self.to, list)))
            else {
                continue;
            };
            let how = how(key.split_once(' ').map_or("", |(_, key)| key));
            self.pair(a, b, how);
        }
    }

    /// Names that are the same, unless programs give such names on their own. A skeleton that has nearly all names of the other is the same
    /// one: then those count, too.
    fn names(&mut self) {
        let lower = |bone: &super::Bone| bone.name.to_lowercase();
        let theirs: std::collections::HashSet<String> = self.to.bones.iter().map(lower).collect();
        let bones = || self.from.bones.iter().filter(|bone| bone.kind == BONE);
        let (all, shared) = (bones().count(), bones().filter(|bone| theirs.contains(&lower(bone))).count());
        let same = shared * 10 >= all * 9;
        let key = |bone: &super::Bone| (same || !is_numbered(&bone.name)).then(|| lower(bone));
        self.by_key(&key, &|_| How::Name, false);
    }

    /// The only bones without a parent, whose names are often those of the models.
    fn roots(&mut self) {
        let roots = |skeleton: &Skeleton| -> Vec<usize> {
            let tops = skeleton
                .bones
                .iter()
                .enumerate()
                .filter(|(_, bone)| bone.parent.is_none() && bone.kind == BONE);
            tops.map(|(at, _)| at).collect()
        };
        if let ([a], [b]) = (&roots(self.from)[..], &roots(self.to)[..])
            && self.is_free(*a)
            && self.is_free_to(*b)
        {
            self.pair(*a, *b, How::Root);
        }
    }

    fn parts(&mut self) {
        let key = |bone: &super::Bone| (bone.kind == BONE).then(|| part(&bone.name)).flatten();
        self.by_key(&key, &|part| How::Part(part.to_owned()), true);
    }

    /// Returns the counterpart of the nearest ancestor that has one; `None` for none.
    fn above(&self, from: usize) -> Option<usize> {
        self.from.ancestors(from).find_map(|at| self.found.get(at)?.as_ref().map(|(to, _)| *to))
    }

    /// Returns the nearest ancestor that is a counterpart; `None` for none.
    fn above_to(&self, to: usize) -> Option<usize> {
        self.to.ancestors(to).find(|at| self.taken.get(*at).is_some_and(Option::is_some))
    }

    /// Returns how far two bones are apart, each seen from its ancestor with a counterpart, in heights.
    fn apart(&self, from: usize, to: usize) -> f32 {
        let place = |skeleton: &Skeleton, at: usize| {
            skeleton.bones.get(at).map_or(glam::Vec3::ZERO, |bone| glam::Vec3::from(bone.place))
        };
        let seen = |skeleton: &Skeleton, at: usize, above: Option<usize>| {
            place(skeleton, at) - above.map_or(glam::Vec3::ZERO, |above| place(skeleton, above))
        };
        let above = self.from.ancestors(from).find(|at| self.found.get(*at).is_some_and(Option::is_some));
        (seen(self.from, from, above) - seen(self.to, to, self.above_to(to))).length()
    }

    /// Names that mean little, at the same place of both trees.
    fn numbered_names(&mut self) {
        for from in 0..self.from.bones.len() {
            let Some(name) = self.from.bones.get(from).map(|bone| bone.name.clone()) else { continue };
            if !self.is_free(from) {
                continue;
            }
            let fitting: Vec<usize> = (0..self.to.bones.len())
                .filter(|to| self.is_free_to(*to) && self.same_kind(from, *to))
                .filter(|to| self.to.bones.get(*to).is_some_and(|bone| bone.name.eq_ignore_ascii_case(&name)))
                .filter(|to| self.above(from) == self.above_to(*to) && self.apart(from, *to) < NEAR_NAMED)
                .collect();
            if let [to] = fitting[..] {
                self.pair(from, to, How::Name);
            }
        }
    }

    /// Bones that are each other's nearest, below ancestors that match.
    fn places(&mut self) {
        loop {
            let candidates = |at: usize, skeleton: &Skeleton| {
                // What programs are told about by name is not guessed by place.
                skeleton.bones.get(at).is_some_and(|bone| bone.kind == BONE)
            };
            let from: Vec<usize> = (0..self.from.bones.len())
                .filter(|at| self.is_free(*at) && candidates(*at, self.from))
                .collect();
            let to: Vec<usize> = (0..self.to.bones.len())
                .filter(|at| self.is_free_to(*at) && candidates(*at, self.to))
                .collect();
            let mut groups: HashMap<Option<usize>, (Vec<usize>, Vec<usize>)> = HashMap::new();
            from.iter().for_each(|at| groups.entry(self.above(*at)).or_default().0.push(*at));
            to.iter().for_each(|at| groups.entry(self.above_to(*at)).or_default().1.push(*at));
            let mut new: Vec<(usize, usize)> = Vec::new();
            for (a, b) in groups.values() {
                // The work is bounded: a model with thousands of loose nodes has nothing that could be guessed.
                if a.len().saturating_mul(b.len()) > 1 << 20 {
                    continue;
                }
                let nearest = |at: usize, others: &[usize], apart: &dyn Fn(usize, usize) -> f32| {
                    let best = others
                        .iter()
                        .map(|other| (apart(at, *other), *other))
                        .min_by(|x, y| x.0.total_cmp(&y.0));
                    best.filter(|(distance, _)| *distance < NEAR).map(|(_, other)| other)
                };
                for one in a {
                    let Some(other) = nearest(*one, b, &|x, y| self.apart(x, y)) else { continue };
                    if nearest(other, a, &|x, y| self.apart(y, x)) == Some(*one) {
                        new.push((*one, other));
                    }
                }
            }
            // Bones nearer to the root decide where those below them may be.
            let depth = |at: usize| self.from.ancestors(at).count();
            let Some(top) = new.iter().map(|(from, _)| depth(*from)).min() else { return };
            new.retain(|(from, _)| depth(*from) == top);
            new.sort_unstable();
            new.into_iter().for_each(|(from, to)| self.pair(from, to, How::Place));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bone;
    use super::*;

    /// A skeleton of bones with names, parents and places.
    fn skeleton(bones: &[(&str, Option<usize>, [f32; 3])]) -> Skeleton {
        let bone = |(at, (name, parent, place)): (usize, &(&str, Option<usize>, [f32; 3]))| Bone {
            name: (*name).to_owned(),
            kind: BONE,
            parent: *parent,
            place: *place,
            node: at as u32,
        };
        Skeleton { bones: bones.iter().enumerate().map(bone).collect(), height: 1.0 }
    }

    fn pairs(from: &Skeleton, to: &Skeleton, table: &str) -> Vec<(String, String, How)> {
        let matching = Matching::of(from, to, &BoneTable::parse(table).unwrap()).unwrap();
        let name = |skeleton: &Skeleton, at: usize| skeleton.bones[at].name.clone();
        matching.pairs.iter().map(|p| (name(from, p.from), name(to, p.to), p.how.clone())).collect()
    }

    #[test]
    fn the_table_wins_then_names_parts_and_places() {
        let from = skeleton(&[
            ("Bone_Root", None, [0.0; 3]),
            ("Bone_Chest", Some(0), [0.0, 0.6, 0.0]),
            ("Bone_Arm1_L", Some(1), [0.2, 0.7, 0.0]),
            ("Mesh05", Some(1), [0.0, 0.9, -0.1]),
            ("Object01", Some(0), [0.3, 0.0, 0.0]),
        ]);
        let to = skeleton(&[
            ("man", None, [0.0; 3]),
            ("torsoUpr_g", Some(0), [0.0, 0.62, 0.0]),
            ("lbicep_g", Some(1), [0.21, 0.7, 0.0]),
            ("ponytail", Some(1), [0.0, 0.93, -0.1]),
            ("Object01", Some(1), [0.3, 0.9, 0.0]),
        ]);
        let owned = |a: &str, b: &str, how: How| (a.to_owned(), b.to_owned(), how);
        assert_eq!(
            pairs(&from, &to, ""),
            [
                owned("Bone_Root", "man", How::Root),
                owned("Bone_Chest", "torsoUpr_g", How::Part("chest".into())),
                owned("Bone_Arm1_L", "lbicep_g", How::Part("left upper arm".into())),
                owned("Mesh05", "ponytail", How::Place),
                // Object01 is somewhere else: its name says nothing.
            ]
        );
        let with = pairs(&from, &to, "Object01 = Object01\nMesh05 = -");
        assert!(with.contains(&owned("Object01", "Object01", How::Table)));
        assert!(!with.iter().any(|(a, ..)| a == "Mesh05"));
    }

    #[test]
    fn a_table_with_unknown_names_is_refused() {
        let one = skeleton(&[("Bone_Chest", None, [0.0; 3])]);
        let error =
            Matching::of(&one, &one, &BoneTable::parse("Bone_Ches = Bone_Chest").unwrap()).unwrap_err();
        assert!(error.to_string().ends_with("did you mean \"Bone_Chest\"?"), "{error}");
    }

    #[test]
    fn the_hook_in_a_hand_is_not_the_hand() {
        let from = skeleton(&[("Bone_Hand_L", None, [0.4, 0.5, 0.0]), ("Bone_Head", None, [0.0, 0.9, 0.0])]);
        let to = skeleton(&[
            ("lhand_g", None, [0.4, 0.5, 0.0]),
            ("lhand", Some(0), [0.42, 0.5, 0.0]),
            ("head_g", None, [0.0, 0.9, 0.0]),
        ]);
        let found: Vec<String> = pairs(&from, &to, "").into_iter().map(|(_, to, _)| to).collect();
        assert_eq!(found, ["lhand_g", "head_g"]);
    }
}
