//! What is checked in every container.

use std::collections::HashMap;

use galatea_wire::{Report, escape, is_safe_path};

use crate::{Archive, rules};

/// Checks names and places of all entries.
pub(crate) fn entries(archive: &dyn Archive, report: &mut Report) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for index in 0..archive.len() {
        let Some(entry) = archive.entry(index) else { break };
        let path = || format!("entries[{index}] \"{}\"", escape(&entry.name));
        if let Ok(source) = archive.source_of(index) {
            let end = entry.offset.checked_add(entry.packed);
            if end.is_none_or(|end| end > source.len()) {
                report.add(&rules::OUTSIDE, Some(entry.offset), || {
                    (path(), format!("{} bytes at 0x{:X} of {}", entry.packed, entry.offset, source.len()))
                });
            }
        }
        if !is_safe_path(entry.name.trim_start_matches(['/', '\\'])) {
            report.add(&rules::UNSAFE_NAME, Some(entry.offset), || {
                (path(), "the name is no path below a folder".into())
            });
        }
        let name = entry.name.replace('\\', "/").to_ascii_lowercase();
        if let Some(first) = seen.insert(name, index) {
            report.add(&rules::TWICE, Some(entry.offset), || {
                (path(), format!("the same name as entry {first}"))
            });
        }
    }
}

/// Checks that no two entries share bytes, and that none begins below `tables`.
pub(crate) fn overlaps(archive: &dyn Archive, tables: u64, report: &mut Report) {
    let entries = (0..archive.len()).filter_map(|i| archive.entry(i).map(|e| (e.offset, e.packed, i)));
    let mut order: Vec<(u64, u64, usize)> = entries.filter(|(_, len, _)| *len > 0).collect();
    order.sort_unstable();
    let mut end = tables;
    let mut holder: Option<usize> = None;
    for (offset, len, index) in order {
        if offset < end {
            report.add(&rules::OVERLAP, Some(offset), || {
                let with = holder.map_or("the tables".to_owned(), |i| format!("entry {i}"));
                (format!("entries[{index}]"), format!("{len} bytes at 0x{offset:X} overlap {with}"))
            });
        }
        if offset.saturating_add(len) > end {
            end = offset.saturating_add(len);
            holder = Some(index);
        }
    }
}
