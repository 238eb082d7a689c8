//! The module `galatea._galatea`: what Python cannot do itself. The package `galatea`, in Python, is built on it and is what people use.
//!
//! While a call works, other Python threads run. Everything that is done then returns a [`error::Failure`]; exceptions are made of
//! those afterwards.

mod array;
mod convert;
mod document;
mod error;
mod ground;
mod render;
mod scene;
mod sources;

use std::ffi::OsString;
use std::path::PathBuf;

use galatea::{Category, FormatId, Rule};
use numpy::PyReadonlyArray3;
use pyo3::prelude::*;

use crate::convert::Conversion;
use crate::error::Failure;

/// A rule: code, severity, title, help, whether it can be fixed.
type RuleRow = (&'static str, &'static str, &'static str, &'static str, bool);

/// A format: name, title, extensions, whether it can be written, whether it is a texture.
type FormatRow = (&'static str, &'static str, Vec<&'static str>, bool, bool);

fn rule_row(rule: &Rule) -> RuleRow {
    (rule.code, rule.severity.name(), rule.title, rule.help, rule.fix)
}

/// What Python cannot do itself.
#[pymodule(gil_used = false)]
mod _galatea {
    use super::*;

    #[pymodule_export]
    use crate::convert::Converted;
    #[pymodule_export]
    use crate::document::Document;
    #[pymodule_export]
    use crate::ground::Ground;
    #[pymodule_export]
    use crate::scene::SceneParts;
    #[pymodule_export]
    use crate::sources::Sources;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "what Python calls it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Runs the program with these arguments, of which the first is its name, and returns its exit code.
    #[pyfunction]
    fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
        py.detach(|| galatea_cli::run(args))
    }

    /// Returns all rules, or those with this code.
    #[pyfunction]
    fn rules(code: Option<String>) -> Vec<RuleRow> {
        match code {
            Some(code) => galatea::rule(&code).map(rule_row).into_iter().collect(),
            None => {
                // Formats of one family share their rules.
                let mut seen = std::collections::HashSet::new();
                galatea::rules().filter(|rule| seen.insert(rule.code)).map(rule_row).collect()
            }
        }
    }

    /// Returns all formats.
    #[pyfunction]
    fn formats() -> Vec<FormatRow> {
        let row = |id: &FormatId| {
            let format = id.format();
            let texture = format.category == Category::Texture;
            (format.name, format.title, format.extensions.to_vec(), format.is_target(), texture)
        };
        FormatId::ALL.iter().map(row).collect()
    }

    /// Returns the format that the name of a file to write asks for, if it is converted from a format.
    #[pyfunction]
    fn target_of(path: PathBuf, source: &str) -> PyResult<&'static str> {
        let from: FormatId = source.parse().map_err(|e| Failure::Value(format!("{source:?}: {e}")))?;
        Ok(convert::target_of(&path, from)?.name())
    }

    /// Writes an image, an array of rows, columns and four channels, as a texture.
    #[pyfunction]
    fn encode(
        py: Python<'_>,
        pixels: PyReadonlyArray3<'_, u8>,
        to: &str,
        options: Conversion,
    ) -> PyResult<Converted> {
        let (height, width, channels) = pixels.as_array().dim();
        let bytes = array::numbers(&pixels, "pixels")?;
        Ok(py.detach(|| {
            let wrong = || Failure::Value("pixels: must be rows and columns of four channels".to_owned());
            let (Ok(width), Ok(height), 4) = (u32::try_from(width), u32::try_from(height), channels) else {
                return Err(wrong());
            };
            if width == 0 || height == 0 {
                return Err(wrong());
            }
            let image = galatea::texture::Image::new(width, height, bytes.to_vec()).ok_or_else(wrong)?;
            options.encode(&image, to)
        })?)
    }
}
