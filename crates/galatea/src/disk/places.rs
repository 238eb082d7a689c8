//! The usual places of games, and the names of their archives.

use std::path::PathBuf;

/// Folders inside of the folder of a game that may hold its files.
pub(super) const BELOW: [&str; 6] = [
    "steamassets",
    "Contents/Assets",
    "Contents/GameData",
    "Knights of the Old Republic.app/Contents/Assets",
    "KOTOR2.app/Contents/GameData",
    "Contents/Resources/transgaming/c_drive/Program Files/SWKotOR",
];

/// Names of which one at least is in the folder of every game, in lower case.
pub(super) const SIGNS: [&str; 12] = [
    "chitin.key",
    "war3.mpq",
    ".build.info",
    "master",
    "mgsvtpp.exe",
    "data_02.g0s",
    "data",
    "download",
    "steamassets",
    "contents",
    "knights of the old republic.app",
    "kotor2.app",
];

/// The archives of Warcraft III up to 1.29, in order of priority.
pub(super) const MPQS: [&str; 5] =
    ["War3Patch.mpq", "War3xLocal.mpq", "War3x.mpq", "War3Local.mpq", "War3.mpq"];

/// Whose graphics a model of Warcraft III since 1.30 is shown with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Graphics {
    /// The classic ones.
    #[default]
    Classic,
    /// Those of Reforged.
    Reforged,
    /// Those of version 3.0.
    Definitive,
}

impl Graphics {
    /// Returns the graphics that a file in this folder of the storage or of a map belongs to.
    pub(super) fn of(folder: &std::path::Path) -> Graphics {
        let folder = folder.to_string_lossy().to_lowercase();
        match folder {
            folder if folder.contains("_de.w3mod") => Graphics::Definitive,
            folder if folder.contains("_hd.w3mod") => Graphics::Reforged,
            _ => Graphics::Classic,
        }
    }

    /// Returns the folders in the storage that names are looked up in, in order of priority. The graphics of Reforged come behind the classic
    /// ones, too, for models of maps that were made for them.
    pub(super) fn roots(self) -> Vec<&'static str> {
        let (classic, reforged, definitive) = (
            ["war3.w3mod/_locales/enus.w3mod/", "war3.w3mod/"],
            ["war3.w3mod/_hd.w3mod/_locales/enus.w3mod/", "war3.w3mod/_hd.w3mod/"],
            ["war3.w3mod/_de.w3mod/_locales/enus.w3mod/", "war3.w3mod/_de.w3mod/"],
        );
        let first = match self {
            Graphics::Classic => [classic, reforged, definitive],
            Graphics::Reforged => [reforged, classic, definitive],
            Graphics::Definitive => [definitive, reforged, classic],
        };
        let last = [
            "war3.w3mod/_deprecated.w3mod/",
            "enus-war3local.mpq/",
            "war3.mpq/",
            "deprecated.mpq/",
            "_retail_/",
            "",
        ];
        first.into_iter().flatten().chain(last).collect()
    }

    /// Returns the folders in a map that names are looked up in, in order of priority.
    pub(super) fn roots_of_map(self) -> &'static [&'static str] {
        match self {
            Graphics::Classic => &[""],
            Graphics::Reforged => &["_hd.w3mod/", ""],
            Graphics::Definitive => &["_de.w3mod/", "_hd.w3mod/", ""],
        }
    }
}

/// Returns the folders where games are usually installed, apart from Steam.
pub(super) fn folders() -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = [
        r"C:\GOG Games\Star Wars - KotOR",
        r"C:\GOG Games\Star Wars - KotOR2",
        r"C:\Program Files (x86)\GOG Galaxy\Games\Star Wars - KotOR",
        r"C:\Program Files (x86)\GOG Galaxy\Games\Star Wars - KotOR2",
        r"C:\Program Files (x86)\LucasArts\SWKotOR",
        r"C:\Program Files (x86)\LucasArts\SWKotOR2",
        r"C:\Program Files (x86)\Warcraft III",
        r"C:\Program Files\Warcraft III",
        "/Applications/Warcraft III",
        "/Applications/Knights of the Old Republic.app",
    ]
    .iter()
    .filter(|path| path.starts_with('/') != cfg!(windows))
    .map(PathBuf::from)
    .collect();
    if let Some(home) = std::env::home_dir() {
        let below = [
            "GOG Games/Star Wars - KotOR",
            "GOG Games/Star Wars - KotOR2",
            ".wine/drive_c/Program Files (x86)/Warcraft III",
            "Games/battlenet/drive_c/Program Files (x86)/Warcraft III",
        ];
        out.extend(below.map(|path| home.join(path)));
    }
    out
}
