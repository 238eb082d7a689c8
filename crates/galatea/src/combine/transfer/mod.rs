//! Clips of one model on the skeleton of another.

mod ground;
mod kotor;
mod measure;
mod retarget;
mod target;
pub(super) mod tracks;
mod warcraft;

use galatea_scene::{Clip, Playback, Pose, Scene};
use galatea_wire::{Loss, near};

use super::bones::{BONE, How};
use super::{BoneTable, CombineError, Matching, Skeleton};
use crate::edit::{Pattern, Refusal};
use crate::{Document, SceneContext, kotor::mdl, mdlx};
use ground::Feet;
use target::Target;

pub(super) use kotor::animated;
pub use measure::ClipError;
pub(super) use warcraft::measure_extents;

/// How clips are put on another skeleton.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TransferOptions {
    /// Bones whose counterparts are given; the others are found.
    pub bones: BoneTable,
    /// Names and patterns of the clips; empty for all.
    pub clips: Vec<String>,
    /// Names of clips, and the names that they get.
    pub renames: Vec<(String, String)>,
    /// Whether positions follow the proportions of the new skeleton, with its feet as high above the ground.
    pub proportions: bool,
    /// Whether a clip takes the place of the one that has its name.
    pub replace: bool,
}

galatea_wire::setters! {
    TransferOptions {
        with_bones: bones: BoneTable,
        with_clips: clips: Vec<String>,
        with_renames: renames: Vec<(String, String)>,
        with_proportions: proportions: bool,
        with_replace: replace: bool,
    }
}

/// Which bones of two models match.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TransferPlan {
    /// The skeleton that clips are taken of.
    pub from: Skeleton,
    /// The skeleton that they are put on.
    pub to: Skeleton,
    /// The bones that match.
    pub matching: Matching,
}

/// A clip that was put on another skeleton.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TransferredClip {
    /// Its name before.
    pub from: String,
    /// Its name now.
    pub name: String,
    /// How far it differs from the original.
    pub error: ClipError,
}

/// What [`transfer()`] did.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Transferred {
    /// The bones.
    pub plan: TransferPlan,
    /// The new clips.
    pub clips: Vec<TransferredClip>,
    /// Whether the keys are those of the original; otherwise they are new ones, 30 a second.
    pub exact: bool,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// What the result has no place for.
    pub losses: Vec<Loss>,
}

/// A clip to be put on a skeleton: its number in the scene, and its new name.
#[derive(Debug, Clone)]
struct Chosen {
    index: usize,
    from: String,
    name: String,
}

/// Returns the scene of a document with clips.
fn scene_of(document: &dyn Document) -> Result<Scene, CombineError> {
    let format = document.format().id;
    let why = "models have no clips; mdl, mdx and glTF have";
    if document.as_any().is::<crate::fox::Fmdl>() {
        return Err(CombineError::Format { format, why: "models of the Fox Engine have no clips" });
    }
    document.to_scene(&SceneContext::new("model")).ok_or(CombineError::Format { format, why })
}

/// Returns the skeleton of a document, by the words of its format.
fn skeleton_of(document: &dyn Document, scene: &Scene) -> Skeleton {
    let any = document.as_any();
    if let Some(model) = any.downcast_ref::<mdlx::Model>() {
        return warcraft::skeleton(model, scene);
    }
    if let Some(model) = any.downcast_ref::<mdl::Model>() {
        return kotor::skeleton(model, scene);
    }
    Skeleton::of_scene(scene)
}

impl TransferPlan {
    /// Finds out which bones of two models match, without changing anything.
    pub fn of(
        from: &dyn Document,
        to: &dyn Document,
        bones: &BoneTable,
    ) -> Result<TransferPlan, CombineError> {
        let (source, before) = (scene_of(from).map_err(|e| e.of(0))?, scene_of(to).map_err(|e| e.of(1))?);
        TransferPlan::of_scenes((from, &source), (to, &before), bones)
    }

    fn of_scenes(
        from: (&dyn Document, &Scene),
        to: (&dyn Document, &Scene),
        bones: &BoneTable,
    ) -> Result<TransferPlan, CombineError> {
        let (from, to) = (skeleton_of(from.0, from.1), skeleton_of(to.0, to.1));
        let matching = Matching::of(&from, &to, bones)?;
        if !matching.pairs.iter().any(|pair| pair.how != How::Root) {
            return Err(CombineError::NothingMatches);
        }
        Ok(TransferPlan { from, to, matching })
    }

    /// Returns the table of the bones, which can be edited and given back; see [`BoneTable`].
    pub fn table(&self) -> String {
        super::bones::print_table(&self.matching, &self.from, &self.to)
    }

    /// Returns the nodes of the scenes that match.
    fn nodes(&self) -> Vec<(u32, u32)> {
        let node = |skeleton: &Skeleton, at: usize| skeleton.bones.get(at).map(|bone| bone.node);
        let pairs = self.matching.pairs.iter();
        pairs.filter_map(|p| Some((node(&self.from, p.from)?, node(&self.to, p.to)?))).collect()
    }
}

/// Returns `true` if a clip is one that the game starts: global sequences always play.
fn is_played(clip: &Clip) -> bool {
    clip.playback != Playback::Always
}

/// Returns the clips that were asked for, with their new names.
fn choose(scene: &Scene, options: &TransferOptions) -> Result<Vec<Chosen>, CombineError> {
    let all: Vec<(usize, &Clip)> = scene.clips.iter().enumerate().filter(|(_, c)| is_played(c)).collect();
    let names = || all.iter().map(|(_, clip)| clip.name.as_str());
    let missing = |name: &str| {
        let near = near(name, names()).map(str::to_owned);
        CombineError::from(Refusal::Missing { what: "clip", name: name.to_owned(), near })
    };
    for name in options.clips.iter().filter(|name| Pattern::new(name).is_plain()) {
        names().find(|clip| clip.eq_ignore_ascii_case(name)).ok_or_else(|| missing(name).of(0))?;
    }
    let patterns: Vec<Pattern> = options.clips.iter().map(|name| Pattern::new(name)).collect();
    let wanted = |clip: &Clip| patterns.is_empty() || patterns.iter().any(|p| p.fits(&clip.name));
    let mut out: Vec<Chosen> = Vec::new();
    for (index, clip) in all.iter().filter(|(_, clip)| wanted(clip)) {
        out.push(Chosen { index: *index, from: clip.name.clone(), name: clip.name.clone() });
    }
    for (old, new) in &options.renames {
        let mut found = 0;
        for clip in out.iter_mut().filter(|clip| clip.from.eq_ignore_ascii_case(old)) {
            clip.name.clone_from(new);
            found += 1;
        }
        if found == 0 {
            return Err(missing(old).of(0));
        }
    }
    if out.is_empty() {
        let what = "no clip fits what --clips names".to_owned();
        return Err(CombineError::Nothing { what }.of(0));
    }
    Ok(out)
}

/// Puts clips of a model on the skeleton of another, which is changed. If that cannot be done, it stays as it was.
///
/// Within KotOR's and within Warcraft's models the keys stay the same keys; across games, and between skeletons whose trees differ, the
/// turns of the bones are taken over, 30 times a second.
///
/// ```
/// use galatea::combine::{TransferOptions, transfer};
/// use galatea::{kotor::mdl::{Animation, Model}, wire::Text};
/// let mut dancer = Model::new("dancer");
/// dancer.add_node(Some(0), b"torso_g", Default::default());
/// let mut guard = dancer.clone();
/// dancer.animations.push(Animation { name: Text::new(b"dance").unwrap(), length: 1.0, ..Default::default() });
/// let done = transfer(&dancer, &mut guard, &TransferOptions::default()).unwrap();
/// assert!(done.exact);
/// assert_eq!(guard.animations[0].name.bytes(), b"dance");
/// ```
pub fn transfer(
    from: &dyn Document,
    to: &mut dyn Document,
    options: &TransferOptions,
) -> Result<Transferred, CombineError> {
    let (source, before) = (scene_of(from).map_err(|e| e.of(0))?, scene_of(to).map_err(|e| e.of(1))?);
    let mut target = Target::of(to).map_err(|e| e.of(1))?;
    if !source.clips.iter().any(is_played) {
        let model = from.as_any().downcast_ref::<mdl::Model>();
        let supermodel = model.and_then(mdl::Model::supermodel);
        let supermodel = supermodel.map(|name| String::from_utf8_lossy(name).into_owned());
        return Err(CombineError::NoClips { supermodel }.of(0));
    }
    let chosen = choose(&source, options)?;
    let plan = TransferPlan::of_scenes((from, &source), (to, &before), &options.bones)?;
    make_room(&mut target, &chosen, options.replace)?;
    let mut out =
        Transferred { plan, clips: Vec::new(), exact: false, notes: Vec::new(), losses: Vec::new() };
    let feet = Feet::of_both(&out.plan, [&source, &before]);
    let mut scale = options.proportions.then(|| ground::Scale::of(&out.plan, [&source, &before], &feet));
    out.exact = target.take_keys(from.as_any(), [&source, &before], &chosen, scale.as_mut(), &mut out)?;
    if !out.exact {
        let scale = ground::Scale::of(&out.plan, [&source, &before], &feet);
        target.take_turns([&source, &before], &chosen, &scale, &mut out)?;
    }
    // Nodes without a counterpart may carry the others: the feet are where these leave them.
    target.hold_others(chosen.len(), &out.plan);
    if options.proportions {
        ground::keep(&mut target, &source, &chosen, &out.plan, &feet)?;
    }
    target.measure_extents(chosen.len());
    let after = target.scene();
    let [theirs, ours] = &feet;
    let factor = ground::larger(&out.plan, &[Pose::rest(&source), Pose::rest(&before)], &feet);
    for clip in &chosen {
        let (Some(a), Some(b)) = (source.clips.get(clip.index), target.clip(&after, &clip.name)) else {
            continue;
        };
        let error = measure::compare((&source, a, theirs), (&after, b, ours), &out.plan, factor);
        out.clips.push(TransferredClip { from: clip.from.clone(), name: clip.name.clone(), error });
    }
    target.put_back(to);
    Ok(out)
}

/// Fails if a name is taken, or is not one of the format; with `replace` the clips that have it are taken away.
fn make_room(target: &mut Target, chosen: &[Chosen], replace: bool) -> Result<(), CombineError> {
    for (at, clip) in chosen.iter().enumerate() {
        target.check_name(&clip.name).map_err(|e| e.of(1))?;
        let same = |other: &&Chosen| other.name.eq_ignore_ascii_case(&clip.name);
        let doubles = target.names_may_repeat() && clip.name == clip.from;
        if !doubles && chosen.iter().take(at).any(|other| same(&other)) {
            return Err(Refusal::Taken { what: "clip", name: clip.name.clone() }.into());
        }
    }
    for clip in chosen {
        if target.has_clip(&clip.name) && !replace {
            let what = format!(
                "has a clip \"{0}\" already: rename the new one with --rename-clip \"{0}=NAME\", or replace that one with --replace",
                galatea_wire::escape(&clip.name)
            );
            return Err(CombineError::Nothing { what }.of(1));
        }
    }
    chosen.iter().for_each(|clip| target.remove_clip(&clip.name));
    Ok(())
}

/// Returns `true` if the bones of both trees are below each other in the same way, so that keys relative to the parent mean the same.
/// `moves` tells which nodes of the first scene the clips move, `strict` whether bones between are bones too much on either side.
fn trees_agree(plan: &TransferPlan, moves: &dyn Fn(u32) -> bool, strict: bool) -> bool {
    let (from, to, matching) = (&plan.from, &plan.to, &plan.matching);
    let counterpart: std::collections::HashMap<usize, usize> =
        matching.pairs.iter().map(|p| (p.from, p.to)).collect();
    let taken: std::collections::HashSet<usize> = matching.pairs.iter().map(|p| p.to).collect();
    matching.pairs.iter().all(|pair| {
        let mut between = Vec::new();
        let above = from.ancestors(pair.from).find_map(|at| {
            let found = counterpart.get(&at).copied();
            if found.is_none() {
                between.push(at);
            }
            found
        });
        let mut others = 0;
        let above_to = to.ancestors(pair.to).find(|at| {
            others += usize::from(!taken.contains(at));
            taken.contains(at)
        });
        let still = between.iter().all(|at| from.bones.get(*at).is_none_or(|bone| !moves(bone.node)));
        let movable = moves(from.bones.get(pair.from).map_or(0, |bone| bone.node));
        !movable
            || above == above_to && still && (!strict || between.is_empty() && others == 0 || above.is_none())
    })
}

/// Returns what is worth knowing about bones that have no counterpart.
fn bones_note(plan: &TransferPlan) -> Option<String> {
    let left =
        plan.matching.left_from.iter().filter(|at| plan.from.bones.get(**at).is_some_and(|b| b.kind == BONE));
    let names: Vec<&str> = left.filter_map(|at| Some(plan.from.bones.get(*at)?.name.as_str())).collect();
    let shown: Vec<String> = names.iter().take(5).map(|name| galatea_wire::escape(name)).collect();
    let more = if names.len() > shown.len() {
        format!(" and {} more", names.len() - shown.len())
    } else {
        String::new()
    };
    (!names.is_empty())
        .then(|| format!("{} bones have no counterpart: {}{more}", names.len(), shown.join(", ")))
}
