//! Single fields: `--get` and `--set`.
//!
//! The inspector knows where the bytes of a field are. A new value is put into those bytes and nothing else is touched, so that
//! everything else stays as it is by construction. What remains to be shown is that no other field has become another one: the new
//! bytes are opened by the format's own reader, which must find every field where it was.

use std::collections::HashSet;

use galatea_wire::{Coverage, FieldAt, FieldPath, Inspector, Limits, NoField, encode_value};

use super::Refusal;
use super::error::Layout;
use crate::{Inspection, Output, detect};

/// A field, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldValue {
    /// Its path as the inspector prints it, after the extension of the file where that is a companion.
    pub path: String,
    /// Its type.
    pub ty: String,
    /// Its value as text, in full.
    pub value: String,
}

/// A field of one of the files.
struct Found {
    /// 0 for the file itself, then its companions.
    file: usize,
    path: String,
    field: FieldAt,
}

/// Returns the values of the fields that a path means.
pub(super) fn get(files: &Output, path: &FieldPath, limits: &Limits) -> Result<Vec<FieldValue>, Refusal> {
    let inspections = inspected(files, limits)?;
    let found = find(files, &inspections, path)?;
    Ok(found.into_iter().map(|f| FieldValue { path: f.path, ty: f.field.ty, value: f.field.value }).collect())
}

/// Returns the files with another value in the fields that a path means; `None` if they have it already.
pub(super) fn set(
    files: &Output,
    path: &FieldPath,
    value: &str,
    limits: &Limits,
) -> Result<Option<Output>, Refusal> {
    let inspections = inspected(files, limits)?;
    let found = find(files, &inspections, path)?;
    if found.len() > 1 && !path.is_wild() {
        let first = found.iter().take(2).map(|f| f.path.clone()).collect();
        return Err(Refusal::Several { count: found.len(), first });
    }
    let mut new = files.clone();
    let mut changed: Option<&Found> = None;
    let mut shared: Vec<Option<HashSet<u32>>> = vec![None; inspections.len()];
    for one in &found {
        let field = &one.field;
        let range = field.offset..field.offset + field.size;
        let layout = |why| Refusal::Layout { path: one.path.clone(), why };
        let current = bytes_of(files, &inspections, one.file).and_then(|bytes| bytes.get(range.clone()));
        let current = current.unwrap_or_default();
        if field.layout {
            return Err(layout(Layout::Offset));
        }
        let bytes = encode_value(field, current, value)
            .map_err(|why| Refusal::Value { path: one.path.clone(), why })?;
        if bytes == current {
            continue;
        }
        if let (Some(shared), Some(inspection)) = (shared.get_mut(one.file), inspections.get(one.file)) {
            let shared = shared.get_or_insert_with(|| overlapping(&inspection.coverage));
            if shared.contains(&field.claim) {
                return Err(layout(Layout::Shared));
            }
        }
        let place = bytes_of_mut(&mut new, &inspections, one.file).and_then(|all| all.get_mut(range));
        if let Some(place) = place.filter(|place| place.len() == bytes.len()) {
            place.copy_from_slice(&bytes);
            changed = Some(one);
        }
    }
    let Some(one) = changed else { return Ok(None) };
    let layout = |why| Refusal::Layout { path: one.path.clone(), why };
    verify(files, &inspections, &new, limits).map_err(layout)?;
    Ok(Some(new))
}

/// The claims that share bytes with others.
fn overlapping(coverage: &Coverage) -> HashSet<u32> {
    coverage.overlaps(usize::MAX).into_iter().flat_map(|(a, b)| [a, b]).collect()
}

fn inspected(files: &Output, limits: &Limits) -> Result<Vec<Inspection>, Refusal> {
    let format = detect(&files.bytes);
    let inspections = format.map_or(Vec::new(), |format| (format.inspect)(&files.input(), limits));
    let empty = inspections.iter().all(|inspection| inspection.coverage.claims().is_empty());
    match (format, empty) {
        (Some(format), true) => Err(Refusal::NoFields(format.id)),
        _ => Ok(inspections),
    }
}

/// The bytes of the file that an inspection is about: the first is about the file itself, the others name a companion.
fn bytes_of<'o>(files: &'o Output, inspections: &[Inspection], index: usize) -> Option<&'o [u8]> {
    match index {
        0 => Some(&files.bytes),
        _ => files.companion(inspections.get(index)?.file),
    }
}

fn bytes_of_mut<'o>(
    files: &'o mut Output,
    inspections: &[Inspection],
    index: usize,
) -> Option<&'o mut Vec<u8>> {
    if index == 0 {
        return Some(&mut files.bytes);
    }
    let extension = inspections.get(index)?.file;
    files.companions.iter_mut().find(|c| c.extension == extension).map(|c| &mut c.bytes)
}

/// Finds the fields in all files. A companion is searched if the path names it, or if the file itself has no such field.
fn find(files: &Output, inspections: &[Inspection], path: &FieldPath) -> Result<Vec<Found>, Refusal> {
    let mut why: Option<NoField> = None;
    for (file, inspection) in inspections.iter().enumerate() {
        if path.file().is_some_and(|wanted| !wanted.eq_ignore_ascii_case(inspection.file)) {
            continue;
        }
        let Some(bytes) = bytes_of(files, inspections, file) else { continue };
        match Inspector::new(bytes, &inspection.coverage).fields(path) {
            Ok(fields) => {
                let name = |path: &str| match file {
                    0 => path.to_owned(),
                    _ => format!("{}:{path}", inspection.file),
                };
                return Ok(fields
                    .into_iter()
                    .map(|field| Found { file, path: name(&field.path), field })
                    .collect());
            }
            // What the file itself has is the better hint.
            Err(error) => why = why.or(Some(error)),
        }
    }
    Err(Refusal::NoField(why.unwrap_or(NoField::Unknown { step: path.to_string(), near: None })))
}

/// Fails unless the new files can be read, have every field where it was, and say something else.
fn verify(files: &Output, before: &[Inspection], new: &Output, limits: &Limits) -> Result<(), Layout> {
    let after = crate::open(&new.input(), limits).map_err(Layout::Unreadable)?;
    let format = after.format();
    let inspections = (format.inspect)(&new.input(), limits);
    let same = before.len() == inspections.len()
        && before.iter().zip(&inspections).all(|(a, b)| same_places(&a.coverage, &b.coverage));
    if !same {
        return Err(Layout::Moves);
    }
    let document = crate::open(&files.input(), limits).map_err(Layout::Unreadable)?;
    match document.differences(after.as_ref()) {
        None => Err(Layout::Moves),
        Some(lines) if lines.is_empty() => Err(Layout::Ignored),
        Some(_) => Ok(()),
    }
}

/// Returns `true` if two readers claimed the same fields in the same places.
fn same_places(a: &Coverage, b: &Coverage) -> bool {
    let (a, b) = (a.claims(), b.claims());
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            (a.start, a.end, a.name, a.index, a.parent) == (b.start, b.end, b.name, b.index, b.parent)
                && a.schema.map(|s| s.name) == b.schema.map(|s| s.name)
        })
}
