//! The buffers of a document: each file is read once, however many buffers name it.

use std::borrow::Cow;

use foldhash::HashMap;
use galatea_wire::{Error, ErrorKind, Result, checksum};

use crate::accessor::{Document, whole, wrong};
use crate::uri::{self, Uri};

/// The contents of buffers.
#[derive(Default)]
pub(crate) struct Buffers<'a> {
    stores: Vec<Cow<'a, [u8]>>,
    /// For each buffer, its place in `stores`.
    of: Vec<usize>,
}

impl Buffers<'_> {
    pub(crate) fn get(&self, buffer: usize) -> Option<&[u8]> {
        self.of.get(buffer).and_then(|store| self.stores.get(*store)).map(|bytes| &**bytes)
    }
}

/// Reads the buffers of a document of these bytes. Files count as input, once each.
pub(crate) fn read<'a>(
    document: &Document<'_>,
    whole_file: &[u8],
    bin: Option<&'a [u8]>,
    file: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Buffers<'a>> {
    let mut out = Buffers::default();
    let mut files = Files::default();
    for (i, buffer) in document.list("buffers").iter().enumerate() {
        let inside = |e: Error| e.within(format!("buffers[{i}]"));
        let length = buffer.get("byteLength").and_then(whole).unwrap_or(0);
        let refused = |why: &str| inside(wrong(document.place, "a file beside this one", why).within("uri"));
        let mut store = out.stores.len();
        match buffer.get("uri") {
            None => out.stores.push(Cow::Borrowed(bin.filter(|_| i == 0).unwrap_or(&[]))),
            Some(text) => match uri::parse(text.as_str().unwrap_or("")).map_err(refused)? {
                Uri::Data(bytes) => out.stores.push(Cow::Owned(bytes)),
                Uri::File(path) => match files.by_path.get(&plain(&path)) {
                    Some(known) => store = *known,
                    None => {
                        let bytes = file(&path).ok_or_else(|| {
                            inside(wrong(document.place, "a file", format!("no file {path:?}")))
                        })?;
                        if bytes == whole_file {
                            return Err(refused("the document itself"));
                        }
                        store = files.add(document, &mut out.stores, &path, bytes).map_err(inside)?;
                    }
                },
            },
        }
        let have = out.stores.get(store).map_or(0, |bytes| bytes.len());
        if length > have {
            let kind = ErrorKind::Truncated { count: 1, size: length as u64, have: have as u64 };
            return Err(inside(Error::at(kind, document.place)));
        }
        out.of.push(store);
    }
    Ok(out)
}

/// Files that were read already.
#[derive(Default)]
struct Files {
    by_path: HashMap<String, usize>,
    by_content: HashMap<u64, usize>,
}

impl Files {
    /// Adds the bytes of a file. A file with the same bytes as another is stored once, but charged for, since reading it
    /// takes time.
    fn add(
        &mut self,
        document: &Document<'_>,
        stores: &mut Vec<Cow<'_, [u8]>>,
        path: &str,
        bytes: Vec<u8>,
    ) -> Result<usize> {
        let sum = checksum(&bytes);
        let twin = self.by_content.get(&sum).copied();
        let store = match twin.filter(|store| stores.get(*store).is_some_and(|known| **known == *bytes)) {
            Some(known) => {
                document.spend(bytes.len() as u64)?;
                known
            }
            None => {
                document.earn(bytes.len());
                stores.push(Cow::Owned(bytes));
                stores.len() - 1
            }
        };
        self.by_content.insert(sum, store);
        self.by_path.insert(plain(path), store);
        Ok(store)
    }
}

/// Returns a path without empty and `.` components, so that one file has one name.
fn plain(path: &str) -> String {
    let steps = path.split(['/', '\\']).filter(|step| !step.is_empty() && *step != ".");
    steps.collect::<Vec<_>>().join("/")
}
