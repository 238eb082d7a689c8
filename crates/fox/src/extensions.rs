//! The text that PES tools append to the strings: which meshes were split, or are doubled against blur.

use std::fmt::Write;

/// The `X-FMDL-Extensions` text, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Features, such as `mesh-splitting` and `antiblur`.
    pub features: Vec<String>,
    /// Lists of mesh or group numbers by key, in the order of the text.
    pub ids: Vec<(String, Vec<u32>)>,
    /// Lines that are not of the form `Key: number, number`.
    pub malformed: Vec<String>,
}

impl Extensions {
    /// Key of the groups whose meshes were split.
    pub const SPLIT_GROUPS: &'static str = "Split-Mesh-Groups";
    /// Key of the meshes that have an antiblur twin.
    pub const HAS_ANTIBLUR: &'static str = "Has-Antiblur-Meshes";
    /// Key of the meshes that are an antiblur twin.
    pub const IS_ANTIBLUR: &'static str = "Is-Antiblur-Meshes";
    /// Key of the meshes whose box was set by hand.
    pub const CUSTOM_BOX: &'static str = "Custom-Bounding-Box-Meshes";

    /// Takes the text apart. Never fails: what it does not understand is kept in `malformed`.
    ///
    /// ```
    /// use galatea_fox::Extensions;
    /// let text = b"X-FMDL-Extensions: antiblur\nHas-Antiblur-Meshes: 1, 3\n";
    /// let extensions = Extensions::parse(text);
    /// assert_eq!(extensions.features, ["antiblur"]);
    /// assert_eq!(extensions.get("has-antiblur-meshes"), [1, 3]);
    /// assert_eq!(extensions.print(), text);
    /// ```
    pub fn parse(text: &[u8]) -> Extensions {
        let mut out = Extensions::default();
        for line in String::from_utf8_lossy(text).lines().filter(|l| !l.is_empty()) {
            let Some((key, value)) = line.split_once(':') else {
                out.malformed.push(line.to_owned());
                continue;
            };
            let items = || value.split(',').map(str::trim).filter(|i| !i.is_empty());
            if key.eq_ignore_ascii_case("X-FMDL-Extensions") {
                out.features.extend(items().map(str::to_owned));
                continue;
            }
            match items().map(str::parse).collect() {
                Ok(ids) => out.ids.push((key.to_owned(), ids)),
                Err(_) => out.malformed.push(line.to_owned()),
            }
        }
        out
    }

    /// Returns the numbers of a key; case does not matter.
    pub fn get(&self, key: &str) -> &[u32] {
        self.ids.iter().find(|(k, _)| k.eq_ignore_ascii_case(key)).map_or(&[], |(_, ids)| ids)
    }

    /// Returns the text, as PES tools write it.
    pub fn print(&self) -> Vec<u8> {
        let mut out = format!("X-FMDL-Extensions: {}\n", self.features.join(", "));
        for (key, ids) in &self.ids {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{key}: {}", ids.join(", "));
        }
        for line in &self.malformed {
            let _ = writeln!(out, "{line}");
        }
        out.into_bytes()
    }

    /// Renumbers meshes after a change: each old mesh became these new ones.
    pub fn renumber_meshes(&mut self, new: &[Vec<u32>]) {
        for (_, ids) in self.ids.iter_mut().filter(|(k, _)| !k.eq_ignore_ascii_case(Self::SPLIT_GROUPS)) {
            *ids = ids.iter().flat_map(|id| new.get(*id as usize).into_iter().flatten().copied()).collect();
            ids.dedup();
        }
    }
}
