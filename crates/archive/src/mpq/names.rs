//! Names of the files of maps: from lists, from the map's imports, and from texts in other files.

use std::collections::BTreeMap;

/// The files that maps and campaigns usually have.
pub(crate) const STANDARD: &[&str] = &[
    "war3map.w3e",
    "war3map.w3i",
    "war3map.wtg",
    "war3map.wct",
    "war3map.wts",
    "war3map.j",
    "war3map.lua",
    "scripts\\war3map.j",
    "scripts\\war3map.lua",
    "war3map.shd",
    "war3mapMap.blp",
    "war3mapMap.b00",
    "war3mapMap.tga",
    "war3mapPreview.tga",
    "war3mapPreview.blp",
    "war3mapPreview.dds",
    "war3map.mmp",
    "war3map.mmp.txt",
    "war3mapPath.tga",
    "war3map.wpm",
    "war3map.doo",
    "war3mapUnits.doo",
    "war3map.w3r",
    "war3map.w3c",
    "war3map.w3s",
    "war3map.w3u",
    "war3map.w3t",
    "war3map.w3a",
    "war3map.w3b",
    "war3map.w3d",
    "war3map.w3q",
    "war3map.w3h",
    "war3map.imp",
    "war3map.wai",
    "war3mapSkin.w3u",
    "war3mapSkin.w3t",
    "war3mapSkin.w3a",
    "war3mapSkin.w3b",
    "war3mapSkin.w3d",
    "war3mapSkin.w3q",
    "war3mapSkin.w3h",
    "war3mapMisc.txt",
    "war3mapSkin.txt",
    "war3mapExtra.txt",
    "war3map.w3o",
    "war3mapUnits.w3u",
    "conversation.json",
    "war3campaign.w3u",
    "war3campaign.w3t",
    "war3campaign.w3a",
    "war3campaign.w3b",
    "war3campaign.w3d",
    "war3campaign.w3q",
    "war3campaign.w3h",
    "war3campaign.w3f",
    "war3campaign.wts",
    "war3campaign.imp",
    "war3campaignSkin.w3u",
    "war3campaignSkin.w3t",
    "war3campaignSkin.w3a",
    "war3campaignSkin.w3b",
    "war3campaignSkin.w3d",
    "war3campaignSkin.w3q",
    "war3campaignSkin.w3h",
    "(user data)",
    "(1)UserData",
    "units\\unitdata.slk",
    "units\\unitui.slk",
    "units\\unitbalance.slk",
    "units\\unitweapons.slk",
    "units\\unitabilities.slk",
    "units\\abilitydata.slk",
    "units\\itemdata.slk",
    "units\\upgradedata.slk",
    "units\\destructabledata.slk",
    "units\\abilitybuffdata.slk",
    "units\\campaignunitfunc.txt",
    "units\\campaignunitstrings.txt",
    "units\\humanunitfunc.txt",
    "units\\humanunitstrings.txt",
    "units\\orcunitfunc.txt",
    "units\\orcunitstrings.txt",
    "units\\undeadunitfunc.txt",
    "units\\undeadunitstrings.txt",
    "units\\nightelfunitfunc.txt",
    "units\\nightelfunitstrings.txt",
    "units\\neutralunitfunc.txt",
    "units\\neutralunitstrings.txt",
    "units\\itemfunc.txt",
    "units\\itemstrings.txt",
    "doodads\\doodads.slk",
    "splats\\splatdata.slk",
    "terrainart\\terrain.slk",
    "ui\\miscdata.txt",
    "LoadingScreen.mdx",
    "LoadingScreen.blp",
];

/// The folder that the editor imports into.
const IMPORTED: &[u8] = b"war3mapImported\\";

/// The endings of names that texts in other files are searched for.
const ENDINGS: &[&[u8]] = &[
    b".mdx", b".mdl", b".blp", b".dds", b".tga", b".tif", b".wav", b".mp3", b".flac", b".slk", b".txt",
    b".fdf", b".toc", b".j", b".lua", b".pld", b".ai", b".w3m", b".w3x",
];

/// Returns the names of a list: one per line, or separated by `;`.
pub(crate) fn listed(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    // Some tools begin the list with a byte order mark.
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    text.split(|b| matches!(b, b'\r' | b'\n' | b';' | 0)).filter(|name| !name.trim_ascii().is_empty())
}

/// Changes of a list. The rest of it stays as it is.
#[derive(Debug, Default)]
pub(crate) struct ListChanges {
    /// Names as they are compared, with the name to add, or `None` to remove it.
    changes: BTreeMap<Vec<u8>, Option<(usize, Vec<u8>)>>,
}

impl ListChanges {
    /// Adds a name, unless the list has it.
    pub(crate) fn add(&mut self, name: &[u8]) {
        let place = self.changes.len();
        self.changes.insert(folded(name), Some((place, name.to_vec())));
    }

    /// Removes a name.
    pub(crate) fn remove(&mut self, name: &[u8]) {
        self.changes.insert(folded(name), None);
    }

    /// Returns the changed list. What is removed goes with the separators after it, what is added comes at the end.
    pub(crate) fn apply(&self, list: &[u8]) -> Vec<u8> {
        let is_separator = |b: &u8| matches!(b, b'\r' | b'\n' | b';');
        let semicolons = !list.contains(&b'\n') && list.contains(&b';');
        let separator: &[u8] = if semicolons { b";" } else { b"\r\n" };
        let mut added: BTreeMap<_, _> =
            self.changes.iter().filter_map(|(key, name)| Some((key, name.as_ref()?))).collect();
        let mut kept = Vec::with_capacity(list.len());
        let mut rest = list;
        while !rest.is_empty() {
            let len = rest.iter().position(is_separator).unwrap_or(rest.len());
            let gap = rest.iter().skip(len).position(|b| !is_separator(b)).unwrap_or(rest.len() - len);
            let (line, after) = rest.split_at(len + gap);
            let key = folded(line.get(..len).unwrap_or(line));
            if self.changes.get(&key) != Some(&None) {
                kept.extend_from_slice(line);
                added.remove(&key);
            }
            rest = after;
        }
        let mut added: Vec<_> = added.into_values().collect();
        added.sort_unstable();
        for (_, name) in added {
            if kept.last().is_some_and(|b| !is_separator(b)) {
                kept.extend_from_slice(separator);
            }
            kept.extend_from_slice(name);
            kept.extend_from_slice(separator);
        }
        kept
    }
}

/// Returns a name as names are compared.
fn folded(name: &[u8]) -> Vec<u8> {
    name.iter().map(|b| if *b == b'/' { b'\\' } else { b.to_ascii_lowercase() }).collect()
}

/// Returns the names of a map's list of imports: a version, a count, then a byte and a name ended by NUL for each.
/// Whether a name is below the editor's folder depends on the byte and on the version, so both are returned.
pub(crate) fn imports(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = bytes.get(8..).unwrap_or(&[]);
    let mut names = Vec::new();
    while let [_, tail @ ..] = rest {
        let Some(len) = tail.iter().position(|b| *b == 0) else { break };
        let (name, after) = tail.split_at(len);
        names.extend([name.to_vec(), [IMPORTED, name].concat()]);
        rest = after.get(1..).unwrap_or(&[]);
    }
    names
}

/// Returns what looks like the path of a model, texture, sound or table in any file: scripts, object data, models.
/// Models are named `.mdl` in data and are `.mdx` in archives, and the same is true of textures, so all are returned.
pub(crate) fn paths_in(bytes: &[u8], mut found: impl FnMut(&[u8])) {
    let of_path = |b: &u8| {
        matches!(b, b' '..=b'~' | 0x80..)
            && !matches!(b, b'"' | b',' | b'|' | b'<' | b'>' | b'*' | b'?' | b'=')
    };
    for run in bytes.split(|b| !of_path(b)) {
        let Some(dot) = run.iter().rposition(|b| *b == b'.') else { continue };
        let (stem, ending) = run.split_at(dot);
        let ending = ending.to_ascii_lowercase();
        if stem.is_empty() || stem.len() > 260 || !ENDINGS.iter().any(|known| **known == ending) {
            continue;
        }
        // Scripts write `\` twice.
        let stem = stem.to_vec();
        let stem = stem
            .iter()
            .enumerate()
            .filter(|(i, b)| **b != b'\\' || *i == 0 || stem.get(i - 1) != Some(&b'\\'));
        let stem: Vec<u8> = stem.map(|(_, b)| *b).collect();
        let others: &[&[u8]] = match ending.as_slice() {
            b".mdl" | b".mdx" => &[b".mdx", b".mdl", b"_portrait.mdx"],
            b".blp" | b".dds" | b".tga" | b".tif" => &[b".blp", b".dds", b".tga"],
            _ => &[&ending],
        };
        others.iter().for_each(|ending| found(&[&stem, *ending].concat()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_may_be_separated_by_anything_in_use() {
        let names: Vec<_> = listed(b"\xEF\xBB\xBFa.mdx\r\nb.blp;c.txt\n\nd").collect();
        assert_eq!(names, [&b"a.mdx"[..], b"b.blp", b"c.txt", b"d"]);
    }

    #[test]
    fn lists_keep_what_is_not_changed() {
        let mut changes = ListChanges::default();
        changes.remove(b"B.BLP");
        changes.add(b"d\\e.txt");
        changes.add(b"A.mdx");
        changes.add(b"gone");
        changes.remove(b"Gone");
        assert_eq!(changes.apply(b"a.mdx\r\n\r\nb.blp\r\nc"), b"a.mdx\r\n\r\nc\r\nd\\e.txt\r\n");
        assert_eq!(changes.apply(b"a.mdx;b"), b"a.mdx;b;d\\e.txt;");
    }

    #[test]
    fn imports_are_looked_for_in_both_places() {
        let names = imports(b"\x01\0\0\0\x02\0\0\0\x0Da.mdx\0\x05b.blp\0\x08cut");
        assert_eq!(names, [&b"a.mdx"[..], b"war3mapImported\\a.mdx", b"b.blp", b"war3mapImported\\b.blp"]);
    }

    #[test]
    fn scripts_and_models_name_other_files() {
        let mut found = Vec::new();
        let text = b"call AddSpecialEffect(\"war3mapImported\\\\Fire.mdl\", x)\0\0Textures\\skin.tga\0\0";
        paths_in(text, |name| found.push(String::from_utf8(name.to_vec()).unwrap()));
        assert!(found.contains(&"war3mapImported\\Fire.mdx".to_owned()), "{found:?}");
        assert!(found.contains(&"Textures\\skin.blp".to_owned()), "{found:?}");
    }
}
