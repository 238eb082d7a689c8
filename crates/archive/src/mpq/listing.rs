//! Which files an archive has, and their names: archives store hashes of names only, and beside them, mostly, a list.

use std::borrow::Cow;

use galatea_wire::Limits;

use super::index::{NameHash, block_of};
use super::names::{STANDARD, imports, listed};
use super::wire::HashEntry;
use super::{Mpq, sniff};

/// Names that archives have by themselves.
pub(crate) const LISTFILE: &str = "(listfile)";
pub(crate) const ATTRIBUTES: &str = "(attributes)";
pub(crate) const SIGNATURE: &str = "(signature)";
/// Files without a name whose kind is looked at.
const SNIFFED: usize = 4096;
/// The folder of the files without a name.
pub(super) const UNNAMED: &str = "unnamed";
/// The start of the folders of variants.
pub(super) const LOCALE: &str = "(locale";

/// Where a name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The archive's own list.
    Listed,
    /// The names that maps usually have, the map's list of imports, or a text in another file.
    Guessed,
    /// Made by the reader: the name is not known.
    Made,
}

/// One file: a slot of the hash table that leads to a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed {
    pub(crate) slot: u32,
    pub(crate) block: u32,
    /// Its name in the text of all names; for one without a name, what kind of file it is.
    start: u32,
    len: u32,
    pub(crate) origin: Origin,
    /// The name is not UTF-8: each character stands for a byte.
    latin1: bool,
    /// Another language's variant of a file of the same name.
    variant: bool,
}

impl Listed {
    /// Returns `true` for another language's variant of a file of the same name.
    pub(crate) fn is_variant(&self) -> bool {
        self.variant
    }
}

/// The files of an archive in the order of their blocks.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) files: Vec<Listed>,
    names: String,
    /// Listed names that lead nowhere: how many, and the first of them.
    pub(crate) missing: (usize, Vec<String>),
    /// The name table is not kept for slots that have none; this says which have one.
    named: Vec<bool>,
}

impl Listing {
    /// Finds the names of all files.
    pub(crate) fn new(mpq: &Mpq, limits: &Limits) -> Listing {
        let mut listing = Listing { named: vec![false; mpq.hashes.len()], ..Listing::default() };
        listing.files.reserve_exact(mpq.files().count());
        if let Some(text) = mpq.read_name(LISTFILE.as_bytes(), limits) {
            for name in listed(&text) {
                if !listing.add(mpq, name, Origin::Listed) {
                    listing.missing.0 += 1;
                    if listing.missing.1.len() < 16 {
                        listing.missing.1.push(decoded(name).0.into_owned());
                    }
                }
            }
        }
        for name in [LISTFILE, ATTRIBUTES, SIGNATURE] {
            listing.add(mpq, name.as_bytes(), Origin::Listed);
        }
        if listing.has_unnamed(mpq) {
            STANDARD.iter().for_each(|name| _ = listing.add(mpq, name.as_bytes(), Origin::Guessed));
            for file in ["war3map.imp", "war3campaign.imp"] {
                let bytes = mpq.read_name(file.as_bytes(), limits).unwrap_or_default();
                imports(&bytes).iter().for_each(|name| _ = listing.add(mpq, name, Origin::Guessed));
            }
        }
        listing.add_unnamed(mpq);
        listing.files.sort_by_key(|file| (file.block, file.slot));
        listing
    }

    /// Adds names from elsewhere and lists the files anew. Returns how many were found.
    pub(crate) fn learn<'a>(&mut self, mpq: &Mpq, names: impl Iterator<Item = &'a [u8]>) -> usize {
        let before = self.files.len();
        self.files.retain(|file| file.origin != Origin::Made);
        let known = self.files.len();
        names.for_each(|name| _ = self.add(mpq, name, Origin::Guessed));
        let found = self.files.len() - known;
        self.add_unnamed(mpq);
        self.files.sort_by_key(|file| (file.block, file.slot));
        debug_assert_eq!(before, self.files.len());
        found
    }

    fn has_unnamed(&self, mpq: &Mpq) -> bool {
        mpq.files().any(|(slot, _)| !self.is_named(slot))
    }

    fn is_named(&self, slot: usize) -> bool {
        self.named.get(slot).copied().unwrap_or(false)
    }

    /// Gives the files of this name their name. Returns whether there are any.
    fn add(&mut self, mpq: &Mpq, name: &[u8], origin: Origin) -> bool {
        let hash = NameHash::new(name);
        let slots = mpq.slots(hash);
        let Some((best, _)) = mpq.best(slots, hash) else { return false };
        let mut text = None;
        for slot in slots.iter().copied() {
            let Some((_, block)) = mpq.file_at(slot) else { continue };
            let Some(named) = self.named.get_mut(slot as usize) else { continue };
            if std::mem::replace(named, true) {
                continue;
            }
            let (start, len, latin1) = *text.get_or_insert_with(|| {
                let (name, latin1) = decoded(name);
                let start = self.names.len();
                self.names.push_str(&name);
                (start as u32, name.len() as u32, latin1)
            });
            self.files.push(Listed { slot, block, start, len, origin, latin1, variant: slot != best });
        }
        true
    }

    /// Lists what has no name.
    fn add_unnamed(&mut self, mpq: &Mpq) {
        let mut looked_at = 0;
        for (slot, block) in mpq.files() {
            // Junk entries lead to the block of another file, mostly with bits set that no index has.
            if self.is_named(slot) || mpq.hashes.get(slot).is_some_and(|entry| entry.block as usize != block)
            {
                continue;
            }
            looked_at += 1;
            let kind = if looked_at <= SNIFFED { sniff::kind(&mpq.head_of(block)) } else { 0 };
            let (slot, block) = (slot as u32, block as u32);
            let origin = Origin::Made;
            self.files.push(Listed {
                slot,
                block,
                start: kind,
                len: 0,
                origin,
                latin1: false,
                variant: false,
            });
        }
    }

    /// Returns the name of a file, separated by `/`.
    pub(crate) fn name(&self, file: &Listed) -> Cow<'_, str> {
        if file.origin == Origin::Made {
            return Cow::Owned(format!("{UNNAMED}/{:08}{}", file.slot, sniff::extension(file.start)));
        }
        Cow::Borrowed(self.names.get(file.start as usize..(file.start + file.len) as usize).unwrap_or(""))
    }

    /// Returns the name that is shown: variants of other languages are in folders of their own.
    pub(crate) fn shown(&self, file: &Listed, entry: Option<&HashEntry>) -> Cow<'_, str> {
        let name = self.name(file);
        match entry {
            Some(entry) if file.variant => Cow::Owned(format!("{LOCALE} {:04x})/{name}", entry.locale)),
            _ => name,
        }
    }

    /// Returns the bytes of the name that keys and hashes are made from; `None` if the name is not known.
    pub(crate) fn raw(&self, file: &Listed) -> Option<Cow<'_, [u8]>> {
        match self.name(file) {
            _ if file.origin == Origin::Made => None,
            name if file.latin1 => Some(Cow::Owned(crate::names::to_latin1(&name)?)),
            Cow::Borrowed(name) => Some(Cow::Borrowed(name.as_bytes())),
            Cow::Owned(name) => Some(Cow::Owned(name.into_bytes())),
        }
    }
}

/// Returns a name as text separated by `/`, and whether each character stands for a byte. Names are UTF-8 in newer maps and
/// in the code page of the author's machine in older ones.
fn decoded(name: &[u8]) -> (Cow<'_, str>, bool) {
    let (text, latin1) = match std::str::from_utf8(name) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (Cow::Owned(crate::names::latin1(name)), true),
    };
    let text = if text.contains('\\') { Cow::Owned(text.replace('\\', "/")) } else { text };
    (text, latin1)
}

impl Mpq {
    /// Returns the slots that lead to files, with the index of their block.
    pub(crate) fn files(&self) -> impl Iterator<Item = (usize, usize)> {
        let file = |(slot, entry)| {
            let block = block_of(entry, self.blocks.len())?;
            self.blocks.get(block)?.is_file().then_some((slot, block))
        };
        self.hashes.iter().enumerate().filter_map(file)
    }

    /// Returns the entry and the block of a slot, if it leads to a file.
    pub(crate) fn file_at(&self, slot: u32) -> Option<(&HashEntry, u32)> {
        let entry = self.hashes.get(slot as usize)?;
        let block = block_of(entry, self.blocks.len())?;
        self.blocks.get(block).filter(|block| block.is_file())?;
        Some((entry, block as u32))
    }

    /// Returns the first bytes of a file without a name, as far as they can be read.
    fn head_of(&self, block: usize) -> Vec<u8> {
        self.reader(block, None).and_then(|file| file.first_sector().ok()).unwrap_or_default()
    }
}
