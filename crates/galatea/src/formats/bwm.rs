//! KotOR walkmeshes.

use std::any::Any;

use galatea_kotor::bwm::{self, Walkmesh};
use galatea_wire::{Fixed, Report, Result, Rule, Summary};

use crate::{Document, Format, Inspection, Output};

pub(super) static FORMAT: Format = Format {
    name: "kotor-bwm",
    title: "KotOR walkmesh (WOK, PWK, DWK)",
    extensions: &["wok", "pwk", "dwk"],
    companion: None,
    detect: bwm::detect,
    read: |input, limits| Ok(Box::new(Walkmesh::read(input.bytes, limits)?)),
    inspect: |input, limits| {
        let (coverage, error) = bwm::inspect(input.bytes, limits);
        vec![Inspection { file: "wok", coverage, error }]
    },
    rules: bwm::RULES,
    records: bwm::RECORDS,
};

impl Document for Walkmesh {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        Walkmesh::summary(self)
    }

    fn write(&self) -> Result<Output> {
        Ok(Output { bytes: Walkmesh::write(self)?, companion: None })
    }

    fn check(&self) -> Report {
        Walkmesh::check(self)
    }

    fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        Walkmesh::fix(self, wanted)
    }

    fn differences(&self, other: &dyn Document) -> Option<Vec<String>> {
        Some(Walkmesh::differences(self, other.as_any().downcast_ref()?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
