//! Reads ERF.

use std::sync::Arc;

use galatea_wire::{Coverage, Error, ErrorKind, Limits, Result};

use super::{Erf, ErfHead, ErfKey, ErfResource, ErfType};
use crate::ReadAt;
use crate::tables::{self, Tables};

/// Returns `true` if these bytes begin like an ERF, MOD, SAV or HAK.
pub fn detect(bytes: &[u8]) -> bool {
    ErfType::ALL.iter().any(|kind| bytes.starts_with(&kind.magic())) && bytes.get(4..6) == Some(b"V1")
}

/// Returns which field each byte belongs to, and the error if reading failed.
pub fn inspect(bytes: &[u8], limits: &Limits) -> (Coverage, Option<Error>) {
    tables::inspect(bytes, limits, read)
}

pub(super) fn open(source: Arc<dyn ReadAt>, limits: &Limits) -> Result<Erf> {
    read(&Tables::new(source.as_ref(), limits), Arc::clone(&source))
}

fn read(tables: &Tables<'_>, source: Arc<dyn ReadAt>) -> Result<Erf> {
    let head: ErfHead = tables.at(0, "header")?;
    if !detect(&[head.magic, head.version].concat()) {
        return Err(tables.error(ErrorKind::NotThisFormat, 0, "header"));
    }
    if head.version != *b"V1.0" {
        let found = format!("\"{}\"", galatea_wire::escape_bytes(&head.version));
        return Err(tables.mismatch(4, "header", "version \"V1.0\"".into(), found));
    }
    let count = u64::from(head.entry_count);
    let keys: Vec<ErfKey> = tables.array(head.keys_offset.0.into(), count, "keys")?;
    let resources: Vec<ErfResource> = tables.array(head.resources_offset.0.into(), count, "resources")?;
    // Some tools leave a size behind that means nothing where there are no descriptions.
    let size = if head.language_count == 0 { 0 } else { u64::from(head.strings_size) };
    let strings = tables.bytes(head.strings_offset.0.into(), size, "strings")?;
    Ok(Erf { source, head, strings, keys, resources })
}
