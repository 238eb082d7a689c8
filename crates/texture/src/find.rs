//! Finding the files of texture names, by the rules of each engine, in a list of files that the caller knows.
//!
//! Nothing is opened here: the caller puts the paths of all files into an [`Index`], each under the folder it was found in,
//! and gets back which of them a name means. A name can therefore never lead out of the folders that were given.
//!
//! ```
//! use galatea_texture::find::{Found, Game, Index};
//! let mut index = Index::new();
//! let beside = index.add(0, "Footman.blp");
//! let hd = index.add(1, "units/human/Footman.dds");
//! // The folder of the model comes first, the ending is the engine's business, case does not matter.
//! let found = index.find(Game::Warcraft, r"Units\Human\footman.blp");
//! assert_eq!(found.id(), Some(beside));
//! assert!(matches!(index.find(Game::Warcraft, "Knight.blp"), Found::Missing(_)));
//! ```

use std::collections::HashMap;

pub use galatea_wire::is_safe_path as is_safe;

/// Whose rules of names and endings hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Game {
    /// KotOR: names without folder and ending; TPC before TGA before BioWare DDS.
    Kotor,
    /// Warcraft III and Reforged: paths with an ending that need not be the file's own.
    Warcraft,
    /// Fox Engine: paths that end in `.tga` and mean `.ftex` (`.dds` in PES), or hashes of such paths.
    Fox,
}

impl Game {
    /// Endings that the game reads, in the order it prefers them; those after are what people convert to.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Game::Kotor => &["tpc", "tga", "dds", "png", "jpg", "jpeg"],
            Game::Warcraft => &["dds", "blp", "tga", "png", "jpg", "jpeg"],
            Game::Fox => &["ftex", "dds", "tga", "png", "jpg", "jpeg"],
        }
    }

    /// Returns `true` if the game itself loads textures with this ending, letter case ignored. Others are what people convert to: they
    /// are shown where there is nothing better.
    ///
    /// ```
    /// use galatea_texture::find::Game;
    /// assert!(Game::Kotor.loads("TGA") && !Game::Kotor.loads("png") && !Game::Fox.loads("tga"));
    /// ```
    pub fn loads(self, ending: &str) -> bool {
        let own: &[&str] = match self {
            Game::Kotor => &["tpc", "tga", "dds"],
            Game::Warcraft => &["dds", "blp", "tga"],
            Game::Fox => &["ftex", "dds"],
        };
        own.iter().any(|known| known.eq_ignore_ascii_case(ending))
    }
}

/// One file that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which of the caller's folders it is in; lower numbers are searched first.
    pub folder: u32,
    /// Its path in that folder, as the caller gave it.
    pub path: String,
    /// Lower case, separated by `/`, without the ending.
    stem: String,
    ending: String,
}

/// How sure a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// The whole name or path fits (KotOR names have no path).
    Exact,
    /// Only the file's name fits, the folders differ.
    NameOnly,
}

/// Why a name has no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// There is none of that name.
    Absent,
    /// The name is empty, or the engine's word for no texture.
    Empty,
    /// The name is no texture's name: it leads elsewhere (`..`, a drive), names a device, or holds control characters.
    Unsafe,
}

/// What was found for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// This file.
    File {
        /// Which, as [`Index::add`] numbered it.
        id: usize,
        /// How sure it is.
        how: How,
        /// Files of the same name that the rules put after it.
        also: Vec<usize>,
    },
    /// Several files, between which no rule decides; the first is as good as any.
    Ambiguous(Vec<usize>),
    /// No file.
    Missing(Why),
}

impl Found {
    /// Returns the file to use, if there is any.
    pub fn id(&self) -> Option<usize> {
        match self {
            Found::File { id, .. } => Some(*id),
            Found::Ambiguous(ids) => ids.first().copied(),
            Found::Missing(_) => None,
        }
    }
}

/// The files that textures can be looked up in.
#[derive(Debug, Clone, Default)]
pub struct Index {
    entries: Vec<Entry>,
    by_name: HashMap<String, Vec<usize>>,
    by_hash: HashMap<u64, Vec<usize>>,
}

/// Bits of a Fox path code that stand for the path itself; those above encode its extension.
const PATH_BITS: u64 = 0x3_FFFF_FFFF_FFFF;

impl Index {
    /// Creates an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file by its path in one of the caller's folders, and returns its number. Folder 0 is searched first.
    pub fn add(&mut self, folder: u32, path: &str) -> usize {
        let lower = path.replace('\\', "/").to_lowercase();
        let (stem, ending) = split_ending(&lower);
        let id = self.entries.len();
        self.by_name.entry(file_name(stem).to_owned()).or_default().push(id);
        let (stem, ending) = (stem.to_owned(), ending.to_owned());
        self.entries.push(Entry { folder, path: path.to_owned(), stem, ending });
        id
    }

    /// Says which path hash (Fox `PathCode64`) a file answers to; the caller computes it from what it knows of the file.
    pub fn add_hash(&mut self, hash: u64, id: usize) {
        let ids = self.by_hash.entry(hash & PATH_BITS).or_default();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }

    /// Returns a file by its number.
    pub fn entry(&self, id: usize) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if nothing was added.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Finds the file that a game would load for a texture name.
    pub fn find(&self, game: Game, name: &str) -> Found {
        let wanted = match normal(game, name) {
            Ok(wanted) => wanted,
            Err(why) => return Found::Missing(why),
        };
        let known =
            |ending: &str| game.endings().contains(&ending) || matches!(ending, "tif" | "bmp" | "psd");
        let (stem, ending) = match split_ending(&wanted) {
            (stem, ending) if known(ending) => (stem, ending),
            _ => (wanted.as_str(), ""),
        };
        let by_name = self.by_name.get(file_name(stem)).map_or(&[] as &[usize], Vec::as_slice);
        self.decide(by_name, |entry| {
            let rank = game.endings().iter().position(|e| *e == entry.ending)?;
            // Warcraft III takes the ending that was asked for, if there is such a file.
            let rank = if game == Game::Warcraft && entry.ending == ending { 0 } else { rank + 1 };
            let exact = game == Game::Kotor || ends_with_path(&entry.stem, stem);
            Some((if exact { How::Exact } else { How::NameOnly }, rank))
        })
    }

    /// Finds the model that another model means by a name, as an emitter of Warcraft III does: the path counts as for textures, and
    /// `.mdl` means `.mdx` if there is one.
    ///
    /// ```
    /// use galatea_texture::find::{Game, Index};
    /// let mut index = Index::new();
    /// index.add(0, "rock.mdl");
    /// let binary = index.add(0, "SharedModels/Rock.mdx");
    /// assert_eq!(index.find_model(Game::Warcraft, r"SharedModels\Rock.MDL").id(), Some(binary));
    /// ```
    pub fn find_model(&self, game: Game, name: &str) -> Found {
        let wanted = match normal(game, name) {
            Ok(wanted) => wanted,
            Err(why) => return Found::Missing(why),
        };
        const MODELS: [&str; 2] = ["mdx", "mdl"];
        let (stem, _) = match split_ending(&wanted) {
            (stem, ending) if MODELS.contains(&ending) => (stem, ending),
            _ => (wanted.as_str(), ""),
        };
        let by_name = self.by_name.get(file_name(stem)).map_or(&[] as &[usize], Vec::as_slice);
        self.decide(by_name, |entry| {
            let rank = MODELS.iter().position(|e| *e == entry.ending)?;
            Some((if ends_with_path(&entry.stem, stem) { How::Exact } else { How::NameOnly }, rank))
        })
    }

    /// Finds the file of a Fox path hash: one that was [added](Self::add_hash) under it, or one whose name is the hash in hex,
    /// as unpackers name what they cannot resolve.
    pub fn find_hash(&self, hash: u64) -> Found {
        let code = hash & PATH_BITS;
        let mut ids = self.by_hash.get(&code).cloned().unwrap_or_default();
        for name in [format!("{code:x}"), format!("{code:016x}"), format!("{hash:x}")] {
            for id in self.by_name.get(&name).into_iter().flatten() {
                if !ids.contains(id) {
                    ids.push(*id);
                }
            }
        }
        self.decide(&ids, |entry| {
            let rank = Game::Fox.endings().iter().position(|e| *e == entry.ending)?;
            Some((How::Exact, rank))
        })
    }

    fn decide(&self, ids: &[usize], rank: impl Fn(&Entry) -> Option<(How, usize)>) -> Found {
        let mut ranked = Vec::new();
        for id in ids {
            if let Some(entry) = self.entries.get(*id)
                && let Some((how, ending)) = rank(entry)
            {
                // What lies in the folder itself goes before what lies deeper, as in the Override of TSL.
                let depth = entry.stem.matches('/').count();
                ranked.push(((entry.folder, how, ending, depth.min(1)), entry.stem.as_str(), *id));
            }
        }
        ranked.sort();
        let Some((best, stem, id)) = ranked.first().copied() else { return Found::Missing(Why::Absent) };
        let equal: Vec<usize> =
            ranked.iter().take_while(|r| r.0 == best && r.1 != stem || r.2 == id).map(|r| r.2).collect();
        if equal.len() > 1 {
            return Found::Ambiguous(equal);
        }
        Found::File { id, how: best.1, also: ranked.iter().skip(1).map(|r| r.2).collect() }
    }

    /// Returns the TXI beside a texture: the same name in the same folder.
    pub fn txi(&self, id: usize) -> Option<usize> {
        let entry = self.entries.get(id)?;
        self.beside(entry, |e| e.ending == "txi" && e.stem == entry.stem).next()
    }

    /// Returns the files that belong to a texture, with their numbers: FTEXS parts (`name.1.ftexs`) or BLP0 levels
    /// (`name.b00`).
    pub fn parts(&self, id: usize) -> Vec<(u8, usize)> {
        let Some(entry) = self.entries.get(id) else { return Vec::new() };
        let mut out: Vec<(u8, usize)> = Vec::new();
        for number in 0..=9u8 {
            let stem = format!("{}.{number}", entry.stem);
            let level = format!("b{number:02}");
            let found = self.by_name.get(file_name(&stem)).into_iter().flatten().find(|id| {
                self.entries.get(**id).is_some_and(|e| {
                    e.folder == entry.folder
                        && e.stem == stem
                        && e.ending == "ftexs"
                        && entry.ending == "ftex"
                })
            });
            let blp = || self.beside(entry, |e| e.ending == level && e.stem == entry.stem).next();
            let found = found.copied().or_else(|| (entry.ending == "blp").then(blp).flatten());
            out.extend(found.map(|id| (number, id)));
        }
        out
    }

    fn beside<'a>(
        &'a self,
        entry: &'a Entry,
        fits: impl Fn(&Entry) -> bool + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let same_name = self.by_name.get(file_name(&entry.stem)).into_iter().flatten();
        same_name
            .filter(move |id| self.entries.get(**id).is_some_and(|e| e.folder == entry.folder && fits(e)))
            .copied()
    }

    /// Looks up many names, each once, in their order.
    ///
    /// ```
    /// use galatea_texture::find::{Game, Index};
    /// let mut index = Index::new();
    /// index.add(0, "a.tga");
    /// let audit = index.audit(Game::Kotor, ["A", "b", "a"]);
    /// assert_eq!((audit.found().count(), audit.missing().count(), audit.ambiguous().count()), (1, 1, 0));
    /// ```
    pub fn audit<'n>(&self, game: Game, names: impl IntoIterator<Item = &'n str>) -> Audit {
        let mut seen = std::collections::HashSet::new();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.retain(|name| seen.insert(name.replace('\\', "/").to_lowercase()));
        Audit { names: names.into_iter().map(|n| (n.to_owned(), self.find(game, n))).collect() }
    }

    /// Returns the texture names that a texture asks for through its TXI, and those ask for in turn, each once.
    /// `txi_of` gives the text of a name. Names that lead in a circle end it.
    pub fn related(name: &str, txi_of: &mut dyn FnMut(&str) -> Option<crate::Txi>) -> Vec<String> {
        let mut out: Vec<String> = vec![name.to_lowercase()];
        let mut at = 0;
        while let Some(current) = out.get(at).cloned().filter(|_| at < 64) {
            at += 1;
            let Some(txi) = txi_of(&current) else { continue };
            for next in txi.references() {
                let next = next.to_lowercase();
                if !out.contains(&next) && out.len() < 64 {
                    out.push(next);
                }
            }
        }
        out.remove(0);
        out
    }
}

/// What was found for the texture names of a model or a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Each name with what was found for it.
    pub names: Vec<(String, Found)>,
}

impl Audit {
    /// Returns the names with exactly one file.
    pub fn found(&self) -> impl Iterator<Item = &(String, Found)> {
        self.names.iter().filter(|(_, f)| matches!(f, Found::File { .. }))
    }

    /// Returns the names that are no words for "no texture", but have no file.
    pub fn missing(&self) -> impl Iterator<Item = &(String, Found)> {
        self.names.iter().filter(|(_, f)| matches!(f, Found::Missing(Why::Absent | Why::Unsafe)))
    }

    /// Returns the names with several files, between which no rule decides.
    pub fn ambiguous(&self) -> impl Iterator<Item = &(String, Found)> {
        self.names.iter().filter(|(_, f)| matches!(f, Found::Ambiguous(_)))
    }
}

/// Returns a name in lower case with `/` between its steps.
fn normal(game: Game, name: &str) -> Result<String, Why> {
    let trimmed = name.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    if trimmed.is_empty() || (game == Game::Kotor && trimmed.eq_ignore_ascii_case("null")) {
        return Err(Why::Empty);
    }
    if !is_safe(trimmed) {
        return Err(Why::Unsafe);
    }
    Ok(trimmed.replace('\\', "/").trim_start_matches('/').to_lowercase())
}

/// Returns a file name for a texture name, safe to write into a folder: the last step, with anything odd replaced.
///
/// ```
/// use galatea_texture::find::output_name;
/// assert_eq!(output_name(r"Textures\Footman.blp"), "Footman");
/// assert_eq!(output_name(r"..\..\con"), "_con");
/// assert_eq!(output_name("a:b\u{7}?"), "a_b__");
/// assert_eq!(output_name(""), "_");
/// ```
pub fn output_name(name: &str) -> String {
    let name = name.replace('\\', "/");
    let last = file_name(&name);
    // Only a real ending goes; `a.b_bsm` keeps its dot.
    let (stem, ending) = split_ending(last);
    let short = (2..=5).contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_alphanumeric());
    let base = if short { stem } else { last };
    let mut out: String = base
        .chars()
        .map(|c| if c.is_control() || "<>:\"/\\|?*".contains(c) { '_' } else { c })
        .take(120)
        .collect();
    out.truncate(out.trim_end_matches(['.', ' ']).len());
    if out.is_empty() || out.starts_with('.') || !is_safe(&out) {
        out.insert(0, '_');
    }
    out
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the path without its ending, and the ending without its dot.
fn split_ending(path: &str) -> (&str, &str) {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((base, ending)) if !base.is_empty() => {
            (path.get(..path.len() - ending.len() - 1).unwrap_or(path), ending)
        }
        _ => (path, ""),
    }
}

fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Txi;

    fn index(paths: &[(u32, &str)]) -> Index {
        let mut index = Index::new();
        for (folder, path) in paths {
            index.add(*folder, path);
        }
        index
    }

    #[test]
    fn kotor_prefers_the_first_folder_then_tpc() {
        let files = index(&[(1, "N_Gran.tpc"), (0, "n_gran.TGA"), (0, "N_GRAN.tpc"), (0, "n_gran.txi")]);
        let Found::File { id, how, also } = files.find(Game::Kotor, "N_Gran") else { panic!("missing") };
        assert_eq!((id, how, also), (2, How::Exact, vec![1, 0]));
        assert_eq!(files.txi(2), Some(3));
        assert_eq!(files.find(Game::Kotor, "NULL"), Found::Missing(Why::Empty));
        assert_eq!(files.find(Game::Kotor, "n_gra"), Found::Missing(Why::Absent));
    }

    #[test]
    fn the_override_itself_goes_before_its_subfolders() {
        let files = index(&[(0, "zzz/a.tga"), (0, "a.tga"), (0, "aaa/a.tga")]);
        assert_eq!(files.find(Game::Kotor, "a").id(), Some(1));
        let deeper = index(&[(0, "zzz/a.tga"), (0, "aaa/a.tga")]);
        assert_eq!(deeper.find(Game::Kotor, "a"), Found::Ambiguous(vec![1, 0]));
    }

    #[test]
    fn warcraft_prefers_the_whole_path_and_the_ending_that_was_asked_for() {
        let files =
            index(&[(0, "x/footman.blp"), (0, "units/human/footman.dds"), (0, "units/human/footman.blp")]);
        let ask = |name: &str| files.find(Game::Warcraft, name).id();
        assert_eq!(ask("Units\\Human\\Footman.blp"), Some(2));
        assert_eq!(ask("Units\\Human\\Footman.tif"), Some(1));
        assert_eq!(files.find(Game::Warcraft, "footman.blp"), Found::Ambiguous(vec![2, 0]));
        assert_eq!(files.find(Game::Warcraft, "other/footman.tga").id(), Some(1));
        let Found::File { how, .. } = files.find(Game::Warcraft, "other/footman.tga") else {
            panic!("missing")
        };
        assert_eq!(how, How::NameOnly);
        let two = index(&[(0, "a/x.blp"), (0, "b/x.blp")]);
        assert_eq!(two.find(Game::Warcraft, "c/x.blp"), Found::Ambiguous(vec![0, 1]));
        assert_eq!(two.find(Game::Warcraft, "b/x.blp").id(), Some(1));
    }

    #[test]
    fn fox_names_mean_ftex_and_hashes_mean_files() {
        let mut files = index(&[
            (0, "Assets/tpp/a_bsm.ftex"),
            (0, "Assets/tpp/a_bsm.1.ftexs"),
            (0, "Assets/tpp/a_bsm.3.ftexs"),
            (0, "2dcf311e5a2da.ftex"),
            (0, "other/a_bsm.2.ftexs"),
        ]);
        assert_eq!(files.find(Game::Fox, "/Assets/tpp/a_bsm.tga").id(), Some(0));
        assert_eq!(files.parts(0), [(1, 1), (3, 2)]);
        assert_eq!(files.find_hash(0x1568_2dcf_311e_5a2d_u64), Found::Missing(Why::Absent));
        assert_eq!(files.find_hash(0x1560_0000_0000_0000 | 0x2_dcf3_11e5_a2da).id(), Some(3));
        files.add_hash(0x1567_1234_5678_9ABC, 0);
        assert_eq!(files.find_hash(0x1567_1234_5678_9ABC).id(), Some(0));
    }

    #[test]
    fn names_that_lead_elsewhere_are_never_looked_up() {
        let files = index(&[(0, "passwd.tga"), (0, "con.tga")]);
        for name in [
            "../passwd.tga",
            "..\\passwd.tga",
            "C:\\passwd.tga",
            "con",
            "CON.tga",
            "a/../passwd",
            "pass\u{0}wd",
        ] {
            for game in [Game::Kotor, Game::Warcraft, Game::Fox] {
                assert_eq!(files.find(game, name), Found::Missing(Why::Unsafe), "{name}");
            }
        }
    }

    #[test]
    fn a_txi_that_names_itself_ends() {
        let mut texts = |name: &str| {
            let text: &[u8] = match name {
                "a" => b"envmaptexture B\nbumpmaptexture a",
                "b" => b"envmaptexture a\nbumpyshinytexture c",
                _ => return None,
            };
            Some(Txi::parse(text))
        };
        assert_eq!(Index::related("A", &mut texts), ["b", "c"]);
    }

    #[test]
    fn an_audit_counts_each_name_once() {
        let files = index(&[(0, "a.blp"), (0, "x/b.blp"), (0, "y/b.blp")]);
        let audit = files.audit(Game::Warcraft, ["a.blp", "A.BLP", "b.blp", "c.blp", "", "..\\d.blp"]);
        assert_eq!(audit.found().count(), 1);
        assert_eq!(audit.ambiguous().count(), 1);
        let missing: Vec<_> = audit.missing().map(|(n, _)| n.as_str()).collect();
        assert_eq!(missing, ["c.blp", "..\\d.blp"]);
    }
}
