//! Names of the program's own files: temporaries, commit journals and backups.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Ending of a file that is being written.
const TEMPORARY: &str = ".galatea-tmp";
/// Ending of a list of renames that are being done.
const JOURNAL: &str = ".galatea-commit";
/// Bytes of a name that go into the name of a temporary or journal; file systems allow 255 in all.
const KEPT: usize = 160;

/// Returns `true` for temporaries, journals and backups, which are never taken as inputs from a folder.
///
/// ```
/// use galatea::disk::is_ours;
/// for name in [".a.mdl.77.0.galatea-tmp", ".a.mdl.galatea-commit", "a.wok.bak", "a.wok.bak12", ".a.mdl.77.0.tmp"] {
///     assert!(is_ours(name.as_ref()), "{name}");
/// }
/// for name in ["a.wok", "bak", "a.bakery", "a.tmp", ".hidden.wok"] {
///     assert!(!is_ours(name.as_ref()), "{name}");
/// }
/// ```
pub fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    is_journal(&name) || group_of(&name).is_some() || is_backup(&name) || numbered(&name, ".tmp").is_some()
}

/// Returns `true` for the name of a backup.
pub fn is_backup(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    plain.strip_suffix(".bak").is_some_and(|stem| !stem.is_empty())
}

/// Returns `true` for the name of a commit journal.
pub(super) fn is_journal(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(JOURNAL)
}

/// Returns the start of a temporary's name that it shares with the journal of its group; `None` for any other name.
pub(super) fn group_of(name: &str) -> Option<&str> {
    numbered(name, TEMPORARY)
}

/// Takes `.NAME.PID.N` and an ending apart; returns `.NAME`.
fn numbered<'n>(name: &'n str, ending: &str) -> Option<&'n str> {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (rest, count) = name.strip_suffix(ending)?.rsplit_once('.')?;
    let (group, process) = rest.rsplit_once('.')?;
    (number(count) && number(process) && group.len() > 1 && group.starts_with('.')).then_some(group)
}

/// Returns `.NAME` for the file that a group is named after. Long names end in their checksum.
fn group(main: &OsStr) -> String {
    let name = main.to_string_lossy();
    if name.len() <= KEPT {
        return format!(".{name}");
    }
    let end = (0..=KEPT).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    let start = name.get(..end).unwrap_or("");
    format!(".{start}.{:016x}", galatea_wire::checksum(main.as_encoded_bytes()))
}

/// Returns the path of the journal for the group of a file.
pub(super) fn journal(dir: &Path, main: &OsStr) -> PathBuf {
    dir.join(group(main) + JOURNAL)
}

/// Returns the path of the journal that a temporary's group would have.
pub(super) fn journal_of_temporary(dir: &Path, temporary: &str) -> Option<PathBuf> {
    Some(dir.join(format!("{}{JOURNAL}", group_of(temporary)?)))
}

/// Returns a name for a temporary that nothing else in this process has had.
pub(super) fn temporary(main: &OsStr) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}.{}.{count}{TEMPORARY}", group(main), std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_leads_to_the_journal_of_its_group() {
        for name in ["a.mdl", "a.1.2.mdl", &"x".repeat(255), &"ä".repeat(127)] {
            let (main, dir) = (OsStr::new(name), Path::new("dir"));
            let made = temporary(main);
            assert!(made.len() <= 255 && is_ours(made.as_ref()), "{made}");
            assert_ne!(made, temporary(main));
            assert_eq!(journal_of_temporary(dir, &made), Some(journal(dir, main)));
        }
    }

    #[test]
    fn other_names_are_no_temporaries() {
        for name in
            ["a.1.2.galatea-tmp", ".1.2.galatea-tmp", ".a.1.galatea-tmp", ".a.x.2.galatea-tmp", ".a.1.2.tmp"]
        {
            assert_eq!(group_of(name), None, "{name}");
        }
    }
}
