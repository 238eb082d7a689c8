//! The rules: what is wrong with a model, what it means in the game, and what can be fixed.

mod container;
mod material;
mod mesh;
mod model;

use galatea_wire::{Report, Rule, Wire};

use crate::layout::Original;
use crate::model::Fmdl;
use crate::wire;

pub use crate::rules::RULES;
pub(crate) use container::NEEDED;
pub(crate) use mesh::is_unit;

/// A document under examination.
struct Checker<'a> {
    doc: &'a Fmdl,
    report: Report,
}

impl<'a> Checker<'a> {
    fn original(&self) -> Option<&'a Original> {
        self.doc.layout.original.as_deref()
    }

    /// Returns where a record of a table begins in the file.
    fn record<T: Wire>(&self, table: u8, index: usize) -> Option<u64> {
        let at = self.original()?.places.table(table)?;
        Some((at + index * T::SIZE) as u64)
    }

    fn mesh_at(&self, index: usize) -> Option<u64> {
        self.record::<wire::Mesh>(0x3, index)
    }

    /// Adds a finding.
    fn add(
        &mut self,
        rule: &'static Rule,
        at: Option<u64>,
        path: impl Fn() -> String,
        what: impl Fn() -> String,
    ) {
        self.report.add(rule, at, || (path(), what()));
    }
}

impl Fmdl {
    /// Checks the model against every rule.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Mesh};
    /// let mut model = Fmdl::new(2.04);
    /// model.meshes.push(Mesh::default());
    /// let report = model.check();
    /// assert_eq!(report.count("FMDL0067"), 1); // belongs to no group
    /// ```
    pub fn check(&self) -> Report {
        let mut checker = Checker { doc: self, report: Report::new() };
        checker.container();
        checker.model();
        checker.meshes();
        checker.looked_up();
        checker.report
    }
}
