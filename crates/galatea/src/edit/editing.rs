//! A file while operations run on it.

use std::borrow::Cow;

use super::{EditError, EditOptions, Edited, FieldValue, Operation, Refusal};
use crate::{Companion, ConvertOptions, Document, FORMATS, FormatId, Input, Output, SceneContext, convert};

/// A file while operations run on it.
pub(super) struct Editing<'a> {
    input: &'a Input<'a>,
    options: &'a EditOptions<'a>,
    document: Box<dyn Document>,
    /// The changed files; `None` as long as they are as they were.
    files: Option<Output>,
    /// Whether the document has changed since the files were written.
    ahead: bool,
    fields: Vec<FieldValue>,
}

impl<'a> Editing<'a> {
    pub(super) fn new(input: &'a Input<'a>, options: &'a EditOptions<'a>) -> galatea_wire::Result<Self> {
        let document = crate::open(input, &options.limits)?;
        Ok(Editing { input, options, document, files: None, ahead: false, fields: Vec::new() })
    }

    /// Runs an operation; returns how many things it changed.
    pub(super) fn run(&mut self, operation: &Operation) -> Result<usize, Refusal> {
        match operation {
            Operation::Get { path } => {
                self.settle()?;
                let found = super::fields::get(self.binary()?.as_ref(), path, &self.options.limits)?;
                self.fields.extend(found);
                Ok(0)
            }
            Operation::Set { path, value } => {
                self.settle()?;
                match super::fields::set(self.binary()?.as_ref(), path, value, &self.options.limits)? {
                    Some(changed) => self.replace(changed).map(|()| 1),
                    // It is as it should be.
                    None => Ok(1),
                }
            }
            _ => {
                let changed = super::documents::apply(self.document.as_mut(), operation, self.options)?;
                self.ahead |= changed > 0;
                Ok(changed)
            }
        }
    }

    /// Writes the document, if it has changed, and reads it again: what it says is what the file says.
    fn settle(&mut self) -> Result<(), Refusal> {
        if std::mem::take(&mut self.ahead) {
            let files = self.document.write()?;
            let document = crate::open(&named(&files, self.input), &self.options.limits)?;
            self.document = document;
            self.files = Some(files);
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Edited, EditError> {
        self.settle().map_err(EditError::unwritten)?;
        let original = owned(self.input);
        let output = self.files.unwrap_or_else(|| original.clone());
        let changed = output != original;
        let mut differences = Vec::new();
        if changed && self.options.differences {
            let before = crate::open(self.input, &self.options.limits).map_err(EditError::unread)?;
            differences = before.differences(self.document.as_ref()).unwrap_or_default();
        }
        let fields = self.fields;
        Ok(Edited { output, document: self.document, differences, changed, fields, idle: Vec::new() })
    }

    /// Returns the files in the binary form of the format.
    fn binary(&self) -> Result<Cow<'_, Output>, Refusal> {
        let Some(binary) = binary_of(self.document.format().id) else {
            return Ok(match &self.files {
                Some(files) => Cow::Borrowed(files),
                None => Cow::Owned(owned(self.input)),
            });
        };
        let converted = convert(self.document.as_ref(), binary, &ConvertOptions::default(), &self.context())?;
        Ok(Cow::Owned(converted.output))
    }

    /// Takes changed files in the binary form.
    fn replace(&mut self, binary: Output) -> Result<(), Refusal> {
        let limits = &self.options.limits;
        let form = self.document.format().id;
        let files = match binary_of(form) {
            Some(_) => {
                let document = crate::open(&named(&binary, self.input), limits)?;
                convert(document.as_ref(), form, &ConvertOptions::default(), &self.context())?.output
            }
            None => binary,
        };
        self.document = crate::open(&named(&files, self.input), limits)?;
        self.files = Some(files);
        Ok(())
    }

    fn context(&self) -> SceneContext<'a> {
        let name = self.input.name;
        SceneContext::new(name.split('.').next().unwrap_or(name))
    }
}

/// Returns the binary form of a text form.
fn binary_of(id: FormatId) -> Option<FormatId> {
    let is_text = id.format().text == Some(id);
    let binary = FORMATS.iter().find(|format| format.text == Some(id) && format.id != id);
    binary.filter(|_| is_text).map(|format| format.id)
}

/// Returns the files of an input.
fn owned(input: &Input<'_>) -> Output {
    let companion = |c: &Companion<&[u8]>| Companion { extension: c.extension, bytes: c.bytes.to_vec() };
    Output {
        bytes: input.bytes.to_vec(),
        companions: input.companions.iter().map(companion).collect(),
        ..Output::default()
    }
}

/// Returns files as input, with the name and the directory of another one.
pub(super) fn named<'o>(files: &'o Output, of: &Input<'o>) -> Input<'o> {
    Input { name: of.name, siblings: of.siblings, ..files.input() }
}
