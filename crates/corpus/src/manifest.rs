//! `MANIFEST.tsv`: the files that a directory of the corpus must hold.

use std::path::Path;

/// What a texture of a set can end in. The manifest of the sets only counts them.
const TEXTURES: &[&str] = &[".tpc", ".txi", ".tga", ".blp", ".dds", ".ftex"];

/// Returns the files that the manifest of a part lists, relative to the root of the corpus, with `/` between directories.
///
/// The part is a directory with a manifest, or one below it, which may have a manifest of its own. Paths in manifests are relative to the
/// directory at the top.
pub(crate) fn read(root: &Path, part: &str) -> Result<Vec<String>, String> {
    let top = part.split('/').next().unwrap_or(part);
    let own = root.join(part).join("MANIFEST.tsv");
    let path = if own.is_file() { own } else { root.join(top).join("MANIFEST.tsv") };
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let column = |name: &str| head.iter().position(|c| *c == name);
    let rows: Vec<Vec<&str>> = lines.collect();
    let listed = if let Some(file) = column("file") {
        rows.iter().map(|row| cell(row, Some(file))).collect::<Option<Vec<_>>>()
    } else {
        let columns = [column("family"), column("set"), column("model"), column("textures")];
        let mut all = Vec::new();
        for row in &rows {
            let cells = columns.map(|c| cell(row, c));
            let [Some(family), Some(set), Some(model), Some(textures)] = cells else {
                return Err(format!("{}: a row has too few columns: {row:?}", path.display()));
            };
            let set = format!("{family}/{set}");
            all.extend(of_set(&root.join(top), &set, &model, &textures)?);
        }
        Some(all)
    };
    let listed = listed.ok_or_else(|| format!("{}: a row has too few columns", path.display()))?;
    let listed = listed.into_iter().map(|file| format!("{top}/{file}"));
    let wanted = format!("{part}/");
    Ok(listed.filter(|file| file.starts_with(&wanted)).collect())
}

fn cell(row: &[&str], column: Option<usize>) -> Option<String> {
    row.get(column?).map(|c| (*c).to_owned())
}

/// Returns the model of a set and its textures, which must be as many as the manifest says.
fn of_set(sets: &Path, set: &str, model: &str, textures: &str) -> Result<Vec<String>, String> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let mut out = vec![format!("{set}/{name}")];
    let found: Vec<String> = crate::files(&sets.join(set), TEXTURES)
        .iter()
        .filter_map(|path| Some(format!("{set}/{}", path.file_name()?.to_str()?)))
        .collect();
    if textures.parse() != Ok(found.len()) {
        return Err(format!("{set} has {} textures, the manifest says {textures}", found.len()));
    }
    out.extend(found);
    Ok(out)
}
