//! What is remembered between runs.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::view::Show;

/// Places that are remembered.
const RECENT: usize = 12;

/// Whether the window is light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The panels at the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Side {
    /// The fields of what is selected.
    #[default]
    Properties,
    /// Textures.
    Textures,
    /// Operations by form.
    Change,
    /// Paths over walkmeshes.
    Walk,
}

/// The panels at the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Bottom {
    /// What the rules find.
    #[default]
    Findings,
    /// The file byte by byte.
    Bytes,
    /// What was done, and what went wrong.
    Log,
}

/// What is remembered between runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Places that were opened, the last one first.
    pub(crate) recent: Vec<PathBuf>,
    /// Light or dark.
    pub(crate) theme: Theme,
    /// How large everything is, 1 as the system has it.
    pub(crate) scale: f32,
    /// The panel at the right.
    pub(crate) side: Side,
    /// The panel at the bottom.
    pub(crate) bottom: Bottom,
    /// Whether the list of files is shown.
    pub(crate) browser: bool,
    /// Whether the panel at the right is shown.
    pub(crate) right: bool,
    /// Whether the panel at the bottom is shown.
    pub(crate) lower: bool,
    /// Whether findings that are only worth knowing are listed.
    pub(crate) infos: bool,
    /// Whether clips play when a model is opened.
    pub(crate) plays: bool,
    /// What is shown beside the model.
    pub(crate) show: Show,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            recent: Vec::new(),
            theme: Theme::System,
            scale: 1.0,
            side: Side::Properties,
            bottom: Bottom::Findings,
            browser: true,
            right: true,
            lower: true,
            infos: false,
            plays: true,
            show: Show::default(),
        }
    }
}

impl Settings {
    /// Reads settings. What is wrong in them, or from another version, is as in a first run.
    pub(crate) fn parse(text: &str) -> Settings {
        let mut settings: Settings = serde_json::from_str(text).unwrap_or_default();
        if !(0.5..=3.0).contains(&settings.scale) {
            settings.scale = 1.0;
        }
        settings.recent.truncate(RECENT);
        settings
    }

    /// Prints the settings.
    pub(crate) fn print(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Remembers a place.
    pub(crate) fn remember(&mut self, path: &Path) {
        self.recent.retain(|known| known != path);
        self.recent.insert(0, path.to_path_buf());
        self.recent.truncate(RECENT);
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_and_damaged_ones_are_those_of_a_first_run() {
        let mut settings = Settings { scale: 1.5, side: Side::Walk, ..Settings::default() };
        settings.remember(Path::new("a"));
        settings.remember(Path::new("b"));
        settings.remember(Path::new("a"));
        assert_eq!(settings.recent, [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!(Settings::parse(&settings.print()), settings);
        for text in ["", "{", "[]", "{\"scale\":\"x\"}"] {
            assert_eq!(Settings::parse(text), Settings::default(), "{text}");
        }
        assert_eq!(Settings::parse("{\"scale\":900,\"unknown\":1}").scale, 1.0);
    }
}
