//! One model as several: by mesh, by material, by bone; a portrait; meshes within the limits of the format.

mod fox;
mod kotor;
mod portrait;
mod warcraft;

use galatea_scene::UniqueNames;

use super::{CombineError, Combined};
use crate::fox::{Fmdl, SplitLimits};
use crate::{Document, kotor::mdl, mdlx};

/// What the pieces of a model are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SplitBy {
    /// Every mesh: a node with a mesh in KotOR, a geoset in Warcraft III, a mesh in FMDL.
    #[default]
    Mesh,
    /// All that has one material: one texture in KotOR.
    Material,
    /// What one bone moves most, or bones that are named with all below them.
    Bone,
}

/// How a model is split.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SplitOptions {
    /// What the pieces are.
    pub by: SplitBy,
    /// Bones: each of them, with all below it, is a piece, and the rest is another. Empty for every bone on its own. Only by bone.
    pub bones: Vec<String>,
    /// Whether every piece has the whole skeleton; otherwise it has the bones that it needs, with those above them.
    pub skeleton: bool,
}

galatea_wire::setters! {
    SplitOptions {
        with_by: by: SplitBy,
        with_bones: bones: Vec<String>,
        with_skeleton: skeleton: bool,
    }
}

/// A piece of a model.
#[non_exhaustive]
pub struct Piece {
    /// Its name: that of what it was made by. No two pieces have the same.
    pub name: String,
    /// The model.
    pub document: Box<dyn Document>,
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Piece").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the pieces of a model. Together they have everything that the model has: what belongs to no mesh, such as lights and emitters,
/// is in a last piece called `rest`.
///
/// ```
/// use galatea::combine::{SplitOptions, split};
/// use galatea::mdlx::{Geoset, Model, Version};
/// let mut model = Model::new(Version(800));
/// let triangle = Geoset { vertices: vec![[0.0; 3]; 3], faces: vec![0, 1, 2], ..Geoset::default() };
/// model.geosets = vec![triangle.clone(), triangle];
/// let (pieces, _) = split(&model, &SplitOptions::default()).unwrap();
/// assert_eq!(pieces.len(), 2);
/// ```
pub fn split(
    document: &dyn Document,
    options: &SplitOptions,
) -> Result<(Vec<Piece>, Combined), CombineError> {
    let mut out = Combined::default();
    if options.by != SplitBy::Bone && !options.bones.is_empty() {
        let what = "bones are named only if the model is split by bone".to_owned();
        return Err(CombineError::Nothing { what });
    }
    let any = document.as_any();
    let found: Vec<(String, Box<dyn Document>)> = if let Some(model) = any.downcast_ref::<mdlx::Model>() {
        boxed(warcraft::split(model, options, &mut out)?)
    } else if let Some(model) = any.downcast_ref::<mdl::Model>() {
        boxed(kotor::split(model, options, &mut out)?)
    } else if let Some(model) = any.downcast_ref::<Fmdl>() {
        boxed(fox::split(model, options, &mut out)?)
    } else {
        return Err(CombineError::Format { format: document.format().id, why: super::MODELS }.of(0));
    };
    if found.is_empty() {
        return Err(CombineError::Nothing { what: "has no mesh to split off".to_owned() }.of(0));
    }
    let mut names = UniqueNames::new(64);
    let pieces = found.into_iter().map(|(name, document)| {
        let name = crate::file_names::file_name(&name);
        Piece { name: names.fit(if name.is_empty() { "piece" } else { &name }), document }
    });
    Ok((pieces.collect(), out))
}

fn boxed<T: Document>(pieces: Vec<(String, T)>) -> Vec<(String, Box<dyn Document>)> {
    pieces.into_iter().map(|(name, model)| (name, Box::new(model) as Box<dyn Document>)).collect()
}

/// Makes a model of Warcraft III its own portrait: its Portrait sequences, or else its Stand, with a camera in front of its head, and the
/// triangles that the camera sees.
pub fn portrait(document: &mut dyn Document) -> Result<Combined, CombineError> {
    let format = document.format().id;
    let model = document.as_any_mut().downcast_mut::<mdlx::Model>();
    let why = "only models of Warcraft III have portraits";
    let model = model.ok_or(CombineError::Format { format, why }.of(0))?;
    let mut out = Combined::default();
    portrait::make(model, &mut out)?;
    Ok(out)
}

/// Splits the meshes of an FMDL that are beyond the limits; returns how many there were.
///
/// ```
/// use galatea::combine::split_at_limits;
/// use galatea::fox::{Fmdl, SplitLimits};
/// assert_eq!(split_at_limits(&mut Fmdl::new(2.04), &SplitLimits::default()).unwrap(), 0);
/// ```
pub fn split_at_limits(document: &mut dyn Document, limits: &SplitLimits) -> Result<usize, CombineError> {
    let format = document.format().id;
    let model = document.as_any_mut().downcast_mut::<Fmdl>();
    let why = "only meshes of FMDL have limits that they are split at";
    let model = model.ok_or(CombineError::Format { format, why }.of(0))?;
    let mut copy = model.clone();
    let count = copy.split_meshes(limits)?;
    if count > 0 {
        copy.rederive();
        copy.forget_layout();
        *model = copy;
    }
    Ok(count)
}
