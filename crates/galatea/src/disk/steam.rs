//! Steam: its libraries, and the folders of games in them.

use std::path::{Path, PathBuf};

use super::source::without_case;

/// The numbers of the games, for `appmanifest_N.acf`.
const APPS: [u32; 5] = [32370, 208580, 287700, 311340, 1259970];
/// The folders of games that came under several numbers.
const FOLDERS: [&str; 6] = [
    "swkotor",
    "Knights of the Old Republic II",
    "MGS_TPP",
    "PRO EVOLUTION SOCCER 2019",
    "eFootball PES 2020",
    "eFootball PES 2021",
];

/// Returns the folders of the games that Steam has installed.
pub(super) fn games() -> Vec<PathBuf> {
    let mut out = Vec::new();
    for library in libraries() {
        let Some(apps) = without_case(&library, "steamapps") else { continue };
        let manifests = APPS
            .iter()
            .filter_map(|app| std::fs::read_to_string(apps.join(format!("appmanifest_{app}.acf"))).ok());
        let named = manifests.flat_map(|text| values(&text, "installdir"));
        let names = named.chain(FOLDERS.iter().map(|name| (*name).to_owned()));
        out.extend(
            names.filter_map(|name| without_case(&apps.join("common"), &name)).filter(|path| path.is_dir()),
        );
    }
    out.sort();
    out.dedup();
    out
}

/// Returns the folders in which Steam keeps games.
fn libraries() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = if cfg!(windows) {
        [r"C:\Program Files (x86)\Steam", r"C:\Program Files\Steam"].map(PathBuf::from).into()
    } else {
        Vec::new()
    };
    if let Some(home) = std::env::home_dir() {
        let below = [
            ".steam/steam",
            ".local/share/Steam",
            ".var/app/com.valvesoftware.Steam/.local/share/Steam",
            "Library/Application Support/Steam",
        ];
        roots.extend(below.map(|path| home.join(path)));
    }
    let mut out: Vec<PathBuf> = Vec::new();
    for root in roots.into_iter().filter(|root| root.is_dir()) {
        let list = std::fs::read_to_string(root.join("steamapps/libraryfolders.vdf")).unwrap_or_default();
        out.extend(values(&list, "path").into_iter().map(PathBuf::from).filter(|path| path.is_dir()));
        out.push(root);
    }
    let mut seen = std::collections::HashSet::new();
    out.retain(|path| seen.insert(real(path)));
    out
}

/// Links lead to the same library twice.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Returns the values of a key in Valve's text format: `"key" "value"` on a line.
fn values(text: &str, key: &str) -> Vec<String> {
    let value = |line: &str| {
        let mut cells = line.trim().split('"').skip(1).step_by(2);
        (cells.next()?.eq_ignore_ascii_case(key)).then(|| cells.next().map(|v| v.replace(r"\\", r"\")))?
    };
    text.lines().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_steams_lists() {
        let text = "\"libraryfolders\"\n{\n\t\"0\"\n\t{\n\t\t\"path\"\t\t\"D:\\\\Games\"\n\t\t\"label\"\t\t\"\"\n\t}\n\t\"path\" \"/x y\"\n}";
        assert_eq!(values(text, "path"), [r"D:\Games", "/x y"]);
        assert!(values("path D", "path").is_empty());
    }
}
