//! Writes ERF.

use galatea_wire::{Error, Offset, Result, Text, Wire, Writer, escape, put_array};

use super::{Erf, ErfHead, ErfKey, ErfResource};
use crate::Edit;
use crate::edits::{Slot, apply};
use crate::kotor_types::resource_name;
use crate::names::to_latin1;
use crate::rewrite::Rewrite;

pub(super) fn write(erf: &Erf) -> Result<Vec<u8>> {
    if erf.source.is_empty() {
        return edited(erf, &[]);
    }
    let mut out = Rewrite::default();
    out.put(0, &[erf.head]);
    if !erf.strings.is_empty() {
        out.put_bytes(erf.head.strings_offset.0.into(), erf.strings.clone());
    }
    out.put(erf.head.keys_offset.0.into(), &erf.keys);
    out.put(erf.head.resources_offset.0.into(), &erf.resources);
    out.write(erf.source.as_ref())
}

/// Returns the 16 bytes of a resource's name and the number of its type.
pub(crate) fn resref(name: &str) -> Result<(Text<16>, u16)> {
    let bad = |what: &str| Error::unrepresentable(format!("\"{}\": {what}", escape(name)));
    let (stem, kind) = resource_name(name).ok_or_else(|| bad("KotOR has no file type of this extension"))?;
    let bytes = to_latin1(stem).filter(|b| !b.is_empty() && !b.contains(&0) && !stem.contains(['/', '\\']));
    let bytes = bytes.ok_or_else(|| bad("is no name of a KotOR resource"))?;
    let resref =
        Text::new(&bytes).ok_or_else(|| bad("names of KotOR resources have at most 16 characters"))?;
    Ok((resref, kind))
}

/// Writes header, descriptions, keys, resources and data one after the other, as the games' own files are.
pub(super) fn edited(erf: &Erf, edits: &[Edit]) -> Result<Vec<u8>> {
    let slots = apply(erf, edits)?;
    let strings_at = ErfHead::SIZE;
    let keys_at = strings_at + erf.strings.len();
    let resources_at = keys_at + slots.len() * ErfKey::SIZE;
    let data_at = resources_at + slots.len() * ErfResource::SIZE;
    let head = ErfHead {
        entry_count: Writer::count(slots.len(), "entries")?,
        strings_size: Writer::count(erf.strings.len(), "bytes of descriptions")?,
        strings_offset: Offset(strings_at as u32),
        keys_offset: Offset(Writer::count(keys_at, "bytes")?),
        resources_offset: Offset(Writer::count(resources_at, "bytes")?),
        ..erf.head
    };
    let mut data = Vec::new();
    let mut resources = Vec::with_capacity(slots.len());
    let mut keys = Vec::with_capacity(slots.len());
    for (number, slot) in slots.iter().enumerate() {
        keys.push(ErfKey { id: Writer::count(number, "entries")?, ..key_of(erf, slot)? });
        let bytes = slot.bytes(erf)?;
        let offset = Offset(Writer::count(data_at + data.len(), "bytes")?);
        resources.push(ErfResource { offset, size: Writer::count(bytes.len(), "bytes")? });
        data.extend_from_slice(&bytes);
    }
    let mut out = Vec::with_capacity(data_at + data.len());
    put_array(&mut out, &[head]);
    out.extend_from_slice(&erf.strings);
    put_array(&mut out, &keys);
    put_array(&mut out, &resources);
    out.extend(data);
    Ok(out)
}

fn key_of(erf: &Erf, slot: &Slot<'_>) -> Result<ErfKey> {
    if let Some(key) = slot.old.and_then(|index| erf.keys.get(index)) {
        return Ok(*key);
    }
    let (resref, kind) = resref(&slot.name)?;
    Ok(ErfKey { resref, id: 0, kind, unused: 0 })
}
