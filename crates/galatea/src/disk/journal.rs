//! The commit journal: which temporaries become which files.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use galatea_wire::checksum;

use super::ours;

/// The first line.
const MAGIC: &str = "galatea-commit 1\n";

/// One rename that belongs to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Name of the temporary, in the directory of the journal.
    pub(super) temporary: String,
    /// Where it goes, relative to that directory.
    pub(super) place: PathBuf,
    /// Length of the file.
    pub(super) len: u64,
    /// [`checksum`] of the file.
    pub(super) sum: u64,
}

/// Why a text is no list of renames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bad {
    /// Its end is missing: the process that wrote it died before the commit.
    Torn,
    /// It is not of our making, or asks for what no journal of ours asks for.
    Foreign,
}

/// Prints a journal; `None` if a name cannot be written down.
pub(super) fn print(entries: &[Entry]) -> Option<String> {
    let mut text = MAGIC.to_owned();
    for Entry { temporary, place, len, sum } in entries {
        let _ =
            writeln!(text, "{len} {sum:016x} {} {}", escape(temporary.as_ref())?, escape(place.as_os_str())?);
    }
    let sum = checksum(text.as_bytes());
    let _ = writeln!(text, "end {sum:016x}");
    Some(text)
}

/// Parses a journal. Names are held to what [`print`] is given: temporaries of ours in the same directory, and places below it.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Entry>, Bad> {
    if MAGIC.as_bytes().starts_with(bytes) || bytes.iter().all(|b| *b == 0) {
        return Err(Bad::Torn);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Bad::Foreign)?;
    let lines = text.strip_prefix(MAGIC).ok_or(Bad::Foreign)?;
    let body = match text.trim_end_matches('\n').rsplit_once('\n') {
        Some((body, end)) if text.ends_with('\n') && end.starts_with("end ") => {
            let sum = u64::from_str_radix(end.trim_start_matches("end "), 16);
            if sum != Ok(checksum(text.get(..=body.len()).unwrap_or("").as_bytes())) {
                return Err(Bad::Torn);
            }
            lines.get(..(body.len() + 1).saturating_sub(MAGIC.len())).unwrap_or("")
        }
        _ => return Err(Bad::Torn),
    };
    let entries = body.lines().map(entry).collect::<Option<Vec<_>>>().ok_or(Bad::Foreign)?;
    if entries.is_empty() { Err(Bad::Foreign) } else { Ok(entries) }
}

fn entry(line: &str) -> Option<Entry> {
    let mut words = line.split(' ');
    let len = words.next()?.parse().ok()?;
    let sum = u64::from_str_radix(words.next()?, 16).ok()?;
    let temporary = unescape(words.next()?)?.into_string().ok()?;
    let place = PathBuf::from(unescape(words.next()?)?);
    let plain = ours::group_of(&temporary).is_some() && below(Path::new(&temporary)) == Some(1);
    let name = place.file_name()?.to_string_lossy();
    let target = below(&place).is_some() && !ours::is_journal(&name) && ours::group_of(&name).is_none();
    (plain && target && words.next().is_none()).then_some(Entry { temporary, place, len, sum })
}

/// Returns how many steps a relative path has if it only leads down; `None` if it could lead anywhere else.
pub(super) fn below(path: &Path) -> Option<usize> {
    let steps = path.components().map(|step| match step {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let steps = steps.collect::<Option<Vec<_>>>()?;
    // Built again from its steps it must be the same text, so that nothing was skipped over.
    let again = steps.iter().collect::<PathBuf>();
    (!steps.is_empty() && again.as_os_str().len() == path.as_os_str().len()).then_some(steps.len())
}

fn escape(name: &OsStr) -> Option<String> {
    // Where names are not bytes, only text can be written down.
    if !cfg!(unix) {
        name.to_str()?;
    }
    let mut out = String::new();
    for byte in name.as_encoded_bytes() {
        match byte {
            b'%' | 0..=b' ' | 0x7F.. => drop(write!(out, "%{byte:02x}")),
            _ => out.push(char::from(*byte)),
        }
    }
    Some(out)
}

fn unescape(text: &str) -> Option<OsString> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
        out.push((high * 16 + low) as u8);
    }
    if out.contains(&0) {
        return None;
    }
    os_string(out)
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly")]
    use super::*;

    fn entries() -> Vec<Entry> {
        let entry = |temporary: &str, place: &str| Entry {
            temporary: temporary.into(),
            place: place.into(),
            len: 3,
            sum: checksum(b"abc"),
        };
        vec![entry(".a b.mdl.7.0.galatea-tmp", "a b.mdl"), entry(".a b.mdl.7.1.galatea-tmp", "maps/ä%.png")]
    }

    #[test]
    fn what_is_printed_is_parsed() {
        assert_eq!(parse(print(&entries()).unwrap().as_bytes()), Ok(entries()));
    }

    #[test]
    fn every_cut_is_torn() {
        let text = print(&entries()).unwrap();
        for end in 0..text.len() {
            assert_eq!(parse(&text.as_bytes()[..end]), Err(Bad::Torn), "{end}");
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let text = print(&entries()).unwrap().into_bytes();
        for at in 0..text.len() {
            let mut changed = text.clone();
            changed[at] ^= 1;
            assert!(parse(&changed).is_err(), "{at}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_foreign() {
        for place in [
            "../x",
            "/etc/passwd",
            "a/../../x",
            ".",
            "",
            "./x",
            "a//b",
            ".x.galatea-commit",
            ".x.1.2.galatea-tmp",
        ] {
            let mut all = entries();
            all[0].place = place.into();
            let parsed = parse(print(&all).unwrap().as_bytes());
            assert_eq!(parsed, Err(Bad::Foreign), "{place}");
        }
        for temporary in ["a.mdl", "../.a.1.2.galatea-tmp", "b/.a.1.2.galatea-tmp", ".a.1.2.tmp"] {
            let mut all = entries();
            all[1].temporary = temporary.into();
            assert_eq!(parse(print(&all).unwrap().as_bytes()), Err(Bad::Foreign), "{temporary}");
        }
    }
}
