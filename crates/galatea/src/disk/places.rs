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

/// The folders in Warcraft III's storage that names are looked up in, in order of priority: classic graphics before those of Reforged, since
/// the models that name their textures by path are those of maps.
pub(super) const CASC_ROOTS: [&str; 10] = [
    "war3.w3mod/_locales/enus.w3mod/",
    "war3.w3mod/",
    "war3.w3mod/_hd.w3mod/_locales/enus.w3mod/",
    "war3.w3mod/_hd.w3mod/",
    "war3.w3mod/_deprecated.w3mod/",
    "enus-war3local.mpq/",
    "war3.mpq/",
    "deprecated.mpq/",
    "_retail_/",
    "",
];

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
