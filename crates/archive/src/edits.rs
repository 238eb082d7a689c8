//! Applies edits to the list of entries, the same for all containers that can be written.

use std::borrow::Cow;
use std::collections::HashMap;

use galatea_wire::{Error, Limits, Result, escape};

use crate::{Archive, Edit};

/// An entry of the archive that is being written.
#[derive(Debug)]
pub(crate) struct Slot<'e> {
    /// Its name, as the archive or the edit has it.
    pub(crate) name: String,
    /// The entry that it was, unless it is new.
    pub(crate) old: Option<usize>,
    /// Its new bytes, unless it keeps those that it had.
    pub(crate) new: Option<&'e [u8]>,
}

impl<'e> Slot<'e> {
    /// Returns the bytes of the entry, unpacked.
    pub(crate) fn bytes(&self, archive: &dyn Archive) -> Result<Cow<'e, [u8]>> {
        match (self.new, self.old) {
            (Some(new), _) => Ok(Cow::Borrowed(new)),
            (None, Some(old)) => Ok(Cow::Owned(archive.read_entry(old, &Limits::default())?)),
            (None, None) => Ok(Cow::Borrowed(&[])),
        }
    }
}

/// Returns a name as names are compared.
pub(crate) fn key(name: &str) -> String {
    name.trim_start_matches(['/', '\\']).replace('\\', "/").to_ascii_lowercase()
}

/// Returns the entries after the edits: those that were there in their order, then the new ones.
pub(crate) fn apply<'e>(archive: &dyn Archive, edits: &'e [Edit]) -> Result<Vec<Slot<'e>>> {
    let mut slots: Vec<Option<Slot<'e>>> = Vec::with_capacity(archive.len() + edits.len());
    let mut places: HashMap<String, usize> = HashMap::new();
    for index in 0..archive.len() {
        let name = archive.entry(index).map_or(String::new(), |entry| entry.name.into_owned());
        if !edits.is_empty() {
            places.entry(key(&name)).or_insert(index);
        }
        slots.push(Some(Slot { name, old: Some(index), new: None }));
    }
    for edit in edits {
        let key = key(edit.name());
        let place = places.get(&key).copied();
        match (edit, place.and_then(|place| slots.get_mut(place)).and_then(Option::as_mut)) {
            (Edit::Put { bytes, .. }, Some(slot)) => slot.new = Some(bytes),
            (Edit::Put { name, bytes }, None) => {
                places.insert(key, slots.len());
                slots.push(Some(Slot { name: name.clone(), old: None, new: Some(bytes) }));
            }
            (Edit::Remove { .. }, Some(_)) => {
                places.remove(&key);
                if let Some(slot) = place.and_then(|place| slots.get_mut(place)) {
                    *slot = None;
                }
            }
            (Edit::Remove { name }, None) => {
                let what = format!("\"{}\": the archive has no entry of this name", escape(name));
                return Err(Error::unrepresentable(what));
            }
        }
    }
    Ok(slots.into_iter().flatten().collect())
}
