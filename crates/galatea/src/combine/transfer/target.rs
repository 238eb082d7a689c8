//! The model that clips are put on: one of KotOR or of Warcraft III.

use std::any::Any;

use galatea_scene::{Clip, NodeId, Scene};
use galatea_wire::Text;

use super::ground::Scale;
use super::{Chosen, TransferPlan, Transferred, bones_note, kotor, retarget, trees_agree, warcraft};
use crate::combine::CombineError;
use crate::edit::Refusal;
use crate::{ConvertOptions, Document, FormatId, kotor::mdl, mdlx};

/// A copy of the model that clips are put on.
pub(super) enum Target {
    Kotor(Box<mdl::Model>),
    Warcraft(Box<mdlx::Model>),
}

/// Keys of the position of a node, relative to its place at rest.
pub(super) struct PositionKeys {
    pub(super) node: NodeId,
    /// Seconds.
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<[f32; 3]>,
}

impl Target {
    pub(super) fn of(document: &dyn Document) -> Result<Target, CombineError> {
        let any = document.as_any();
        if let Some(model) = any.downcast_ref::<mdl::Model>() {
            return Ok(Target::Kotor(Box::new(model.clone())));
        }
        if let Some(model) = any.downcast_ref::<mdlx::Model>() {
            return Ok(Target::Warcraft(Box::new(model.clone())));
        }
        let format = document.format().id;
        Err(CombineError::Format { format, why: "clips are put on mdl and mdx; convert it first" })
    }

    /// Makes the document what the copy has become.
    pub(super) fn put_back(self, document: &mut dyn Document) {
        let any = document.as_any_mut();
        match self {
            Target::Kotor(model) => {
                any.downcast_mut().into_iter().for_each(|to: &mut mdl::Model| *to = (*model).clone())
            }
            Target::Warcraft(model) => {
                any.downcast_mut().into_iter().for_each(|to: &mut mdlx::Model| *to = (*model).clone());
            }
        }
    }

    pub(super) fn scene(&self) -> Scene {
        match self {
            Target::Kotor(model) => model.to_scene(),
            Target::Warcraft(model) => model.to_scene("model"),
        }
    }

    /// Returns `true` for formats in which several clips with one name mean that the game chooses.
    pub(super) fn names_may_repeat(&self) -> bool {
        matches!(self, Target::Warcraft(_))
    }

    pub(super) fn check_name(&self, name: &str) -> Result<(), CombineError> {
        let room = match self {
            Target::Kotor(_) => 32,
            Target::Warcraft(_) => 80,
        };
        let bytes = name.as_bytes();
        if bytes.len() > room || bytes.is_empty() || bytes.contains(&0) {
            return Err(Refusal::NoRoom { what: "the name of a clip", name: name.to_owned(), room }.into());
        }
        Ok(())
    }

    pub(super) fn has_clip(&self, name: &str) -> bool {
        let fits = |bytes: &[u8]| bytes.eq_ignore_ascii_case(name.as_bytes());
        match self {
            Target::Kotor(model) => model.animations.iter().any(|clip| fits(clip.name.bytes())),
            Target::Warcraft(model) => model.sequences.iter().any(|clip| fits(clip.name.bytes())),
        }
    }

    /// Takes away all clips of a name, with their keys.
    pub(super) fn remove_clip(&mut self, name: &str) {
        let fits = |bytes: &[u8]| bytes.eq_ignore_ascii_case(name.as_bytes());
        match self {
            Target::Kotor(model) => model.animations.retain(|clip| !fits(clip.name.bytes())),
            Target::Warcraft(model) => {
                while let Some(at) = model.sequences.iter().position(|clip| fits(clip.name.bytes())) {
                    warcraft::remove(model, at);
                }
            }
        }
    }

    /// Returns the last clip of a name in the scene of this model.
    pub(super) fn clip<'s>(&self, scene: &'s Scene, name: &str) -> Option<&'s Clip> {
        scene.clips.iter().rev().find(|clip| super::is_played(clip) && clip.name.eq_ignore_ascii_case(name))
    }

    /// Copies the keys of clips, if both models are of one kind and their keys mean the same; otherwise returns `false`.
    pub(super) fn take_keys(
        &mut self,
        from: &dyn Any,
        scenes: [&Scene; 2],
        chosen: &[Chosen],
        mut scale: Option<&mut Scale>,
        out: &mut Transferred,
    ) -> Result<bool, CombineError> {
        let [source, _] = scenes;
        let moved = retarget::moved_nodes(source, chosen);
        let moves = |node: NodeId| moved.contains(&node);
        match self {
            Target::Kotor(model) => {
                let Some(from) = from.downcast_ref::<mdl::Model>() else { return Ok(false) };
                let alike = scale.is_some() || kotor::rests_agree(from, model, &out.plan);
                if !trees_agree(&out.plan, &moves, true) || !alike {
                    return Ok(false);
                }
                if let Some(scale) = scale.as_deref_mut() {
                    // Orientations of bones with the same name replace those at rest, as the game has it.
                    scale.turns = retarget::turns(&out.plan, scenes, &kotor::is_same);
                }
                kotor::copy(from, model, chosen, scale.as_deref(), out)?;
            }
            Target::Warcraft(model) => {
                let Some(from) = from.downcast_ref::<mdlx::Model>() else { return Ok(false) };
                if !trees_agree(&out.plan, &moves, false) || from.version.is_wow() != model.version.is_wow() {
                    return Ok(false);
                }
                if let Some(scale) = scale.as_deref_mut() {
                    scale.turns = retarget::turns(&out.plan, scenes, &|_| false);
                }
                warcraft::copy(from, model, chosen, scale.as_deref(), out)?;
            }
        }
        out.notes.extend(bones_note(&out.plan));
        Ok(true)
    }

    /// Makes clips that turn the bones as those of the source do, by way of the scene.
    pub(super) fn take_turns(
        &mut self,
        scenes: [&Scene; 2],
        chosen: &[Chosen],
        scale: &Scale,
        out: &mut Transferred,
    ) -> Result<(), CombineError> {
        let (format, uniform) = match self {
            Target::Kotor(_) => (FormatId::KotorMdl, true),
            Target::Warcraft(_) => (FormatId::Mdx, false),
        };
        // What was replaced is gone from the copy.
        let mut scene = self.scene();
        let clips = retarget::clips(scenes, &out.plan, chosen, scale, uniform, &mut out.losses);
        scene.clips.extend(clips);
        let from_scene = format.format().from_scene;
        let from_scene =
            from_scene.ok_or(CombineError::Format { format, why: "it is not built of scenes" })?;
        let (document, losses) = from_scene(&scene, &ConvertOptions::default())?;
        out.losses.extend(losses);
        *self = Target::of(document.as_ref())?;
        out.notes.extend(bones_note(&out.plan));
        if scenes.iter().any(|scene| scene.clips.iter().any(|clip| !clip.events.is_empty())) {
            out.notes.push("events of clips are left out".to_owned());
        }
        Ok(())
    }

    /// Gives a node other keys for its position in a clip.
    pub(super) fn set_position(&mut self, clip: &str, keys: &PositionKeys) -> Result<(), CombineError> {
        match self {
            Target::Kotor(model) => kotor::set_position(model, clip, keys),
            Target::Warcraft(model) => {
                warcraft::set_position(model, clip, keys);
                Ok(())
            }
        }
    }

    /// Leaves all that the last clips say nothing about as it is when the model stands.
    pub(super) fn hold_others(&mut self, count: usize, plan: &TransferPlan) {
        // In KotOR what an animation does not move is as the model has it.
        if let Target::Warcraft(model) = self {
            let matched = plan.nodes().into_iter().map(|(_, to)| to).collect();
            let first = model.sequences.len().saturating_sub(count);
            warcraft::hold(model, first, &matched);
        }
    }

    /// Measures the extents of the last clips, in formats that have them.
    pub(super) fn measure_extents(&mut self, count: usize) {
        if let Target::Warcraft(model) = self {
            let first = model.sequences.len().saturating_sub(count);
            warcraft::measure_extents(model, first);
        }
    }
}

/// Returns a name that fits its field; it was checked before.
pub(super) fn text<const N: usize>(name: &str) -> Text<N> {
    Text::new(name.as_bytes()).unwrap_or_default()
}
