//! Round trips of a model through its text form.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // A test that meets the unexpected has to fail.
#![allow(dead_code)] // Each test binary uses its own share.

use galatea_mdlx::{Limits, Model, text};

pub(crate) fn parse(source: impl AsRef<[u8]>) -> Model {
    match text::parse(source.as_ref(), &Limits::default()) {
        Ok(model) => model,
        Err(error) => panic!("{error}\n{}", String::from_utf8_lossy(source.as_ref())),
    }
}

pub(crate) fn print(model: &Model) -> String {
    String::from_utf8_lossy(&text::print(model).unwrap()).into_owned()
}

/// Returns what is wrong after a round trip through text; empty if nothing is.
pub(crate) fn through_text(model: &Model) -> Vec<String> {
    let printed = match text::print(model) {
        Ok(printed) => printed,
        Err(error) => return vec![format!("printing: {error}")],
    };
    if !text::detect(&printed) {
        return vec!["the text is not recognised".to_owned()];
    }
    let back = match text::parse(&printed, &Limits::default()) {
        Ok(back) => back,
        Err(error) => return vec![format!("parsing: {error}")],
    };
    let mut wrong = model.differences(&back);
    // The file itself too, with the order of its chunks and what follows the NUL of its strings.
    if back.write().ok() != model.write().ok() {
        wrong.push("the file differs".to_owned());
    }
    if text::print(&back).ok().as_deref() != Some(printed.as_slice()) {
        wrong.push("the text differs the second time".to_owned());
    }
    wrong
}

/// Returns what is wrong after text, binary, text; empty if nothing is.
pub(crate) fn through_binary(model: &Model) -> Vec<String> {
    let first = text::print(model).unwrap();
    let bytes = match model.write() {
        Ok(bytes) => bytes,
        Err(error) => return vec![format!("writing: {error}")],
    };
    let second = text::print(&Model::read(&bytes, &Limits::default()).unwrap()).unwrap();
    if first == second {
        return Vec::new();
    }
    let at = first.iter().zip(&second).position(|(a, b)| a != b).unwrap_or(0);
    let near =
        |t: &[u8]| String::from_utf8_lossy(&t[at.saturating_sub(60)..(at + 60).min(t.len())]).into_owned();
    vec![format!("{}\n-- and --\n{}", near(&first), near(&second))]
}
