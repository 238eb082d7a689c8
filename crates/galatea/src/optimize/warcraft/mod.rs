//! Warcraft III and WoW alpha models.

mod budget;
mod constants;
mod fixed;
mod groups;
mod keys;
mod lists;
mod meshes;
mod nodes;
mod outside;
mod padding;
mod poses;
mod shared;
mod vertices;
mod windows;

use super::run::{Compared, Optimizer};
use super::{Difference, OptimizeOptions, Step, Tolerance};
use crate::Document;
use crate::mdlx::Model;
use budget::Budget;
use windows::Windows;

/// What became of the parts of the original.
struct Trace {
    /// For each object id, that of the original.
    nodes: Vec<u32>,
    /// For each geoset, those of the original that it is made of, in the order of their triangles.
    geosets: Vec<Vec<usize>>,
}

/// The steps for Warcraft III models.
pub(super) struct Warcraft {
    original: Model,
    budget: Budget,
    tolerance: Tolerance,
    trace: Trace,
    degenerate: bool,
    notes: Vec<&'static str>,
}

impl Warcraft {
    pub(super) fn new(model: &Model, options: &OptimizeOptions, thin: Tolerance) -> Self {
        let ids = model.nodes().map(|(_, _, node)| node.object_id).max().map_or(0, |id| id.saturating_add(1));
        let most = u32::try_from(model.node_count()).unwrap_or(u32::MAX);
        Warcraft {
            original: model.clone(),
            budget: Budget::new(model, thin),
            tolerance: options.tolerance,
            trace: Trace {
                nodes: (0..ids.min(most)).collect(),
                geosets: (0..model.geosets.len()).map(|geoset| vec![geoset]).collect(),
            },
            degenerate: options.steps.contains(&Step::Triangles),
            notes: Vec::new(),
        }
    }

    fn note(&mut self, note: &'static str) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl Optimizer for Warcraft {
    fn step(&mut self, document: &mut dyn Document, step: Step) -> usize {
        let Some(model) = document.as_any_mut().downcast_mut::<Model>() else { return 0 };
        match step {
            Step::Triangles => model.geosets.iter_mut().map(vertices::degenerate).sum(),
            Step::Vertices => model.geosets.iter_mut().map(vertices::unused_and_equal).sum(),
            Step::Groups => model.geosets.iter_mut().map(groups::unused_and_equal).sum(),
            Step::TextureAnims => lists::texture_anims(model),
            Step::Textures => lists::textures(model),
            Step::Materials => lists::materials(model),
            Step::Meshes => meshes::join(model, &mut self.trace),
            Step::Outside => outside::remove(model),
            Step::Keys => {
                let windows = Windows::new(model);
                if windows.is_unclear() {
                    self.note("keys: a sequence ends before it begins");
                }
                keys::thin_all(model, &windows, &self.budget, &self.trace)
            }
            Step::Constants => constants::make_static(model, &self.budget, &self.trace),
            Step::Nodes => match nodes::remove(model, &mut self.trace) {
                Some(count) => count,
                None => {
                    self.note("nodes: their numbers have gaps or doubles; `galatea check` tells more");
                    0
                }
            },
            Step::Shared => shared::clocks(model),
            Step::Padding => padding::clean(model),
        }
    }

    fn compare(&self, document: &dyn Document) -> Result<Compared, Difference> {
        match document.as_any().downcast_ref::<Model>() {
            Some(model) => poses::compare(self, model),
            None => Ok(Compared::default()),
        }
    }

    fn notes(&self) -> Vec<&'static str> {
        self.notes.clone()
    }
}
