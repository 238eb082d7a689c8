//! Dictionaries that turn hashes back into names, and the list of all names of a model.

use std::collections::HashMap;
use std::fmt;

use crate::hash::{PATH_MASK, PATH_META, path_code64, str_code32, str_code64};
use crate::model::{Fmdl, TexturePath};
use crate::name::Name;

/// Endings of texture source files; a 2.04 file names each texture by the hash of one of these.
const SOURCES: [&str; 3] = [".tga", ".psd", ".dds"];

/// Words and paths by their hashes.
///
/// Lines that begin with `/` are paths of files; from each the names of texture source files are derived. All other lines
/// are words.
///
/// ```
/// use galatea_fox::{Dictionary, Name, path_code64, str_code64};
/// let mut names = Dictionary::new();
/// names.add_lines("MESH_custom\n/Assets/tpp/common_source/wall_bsm\n");
/// assert_eq!(names.name(str_code64(b"MESH_custom")), Some("MESH_custom"));
/// assert_eq!(names.name(str_code64(b"wall_bsm.psd")), Some("wall_bsm.psd"));
/// let code = path_code64("/Assets/tpp/common_source/wall_bsm.ftex");
/// assert_eq!(names.path(code), Some("/Assets/tpp/common_source/wall_bsm"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    names: HashMap<u64, Box<str>>,
    paths: HashMap<u64, Box<str>>,
}

impl Dictionary {
    /// Creates an empty dictionary.
    pub fn new() -> Dictionary {
        Dictionary::default()
    }

    /// Returns the well-known shaders, techniques, slots, parameters, bones and groups.
    ///
    /// ```
    /// let names = galatea_fox::Dictionary::built_in();
    /// assert_eq!(names.name(0x41EA7BE81B61), Some("Base_Tex_SRGB"));
    /// ```
    pub fn built_in() -> Dictionary {
        let mut out = Dictionary::new();
        out.add_lines(include_str!("words.txt"));
        out
    }

    /// Adds every line of a text: a word, or a path that begins with `/`.
    pub fn add_lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.add(line));
    }

    /// Adds one word, or one path with the source names that follow from it.
    pub fn add(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if !line.starts_with('/') {
            self.add_word(line);
            return;
        }
        let (folder, file) = line.rsplit_once('/').unwrap_or(("", line));
        let stem = file.split('.').next().unwrap_or(file);
        let path = format!("{folder}/{stem}");
        self.paths.entry(path_key(path_code64(&path))).or_insert_with(|| path.into());
        for ending in SOURCES {
            self.add_word(&format!("{stem}{ending}"));
        }
    }

    fn add_word(&mut self, word: &str) {
        self.names.entry(str_code64(word.as_bytes())).or_insert_with(|| word.into());
    }

    /// Adds every text that a model holds: 2.03 files spell out what 2.04 files hash.
    pub fn add_model(&mut self, model: &Fmdl) {
        for used in model.names() {
            match (&used.path, used.name.text()) {
                (Some(_), _) => {}
                (None, Some(text)) => self.add_word(&text),
                (None, None) => {}
            }
        }
        for texture in model.materials.iter().flat_map(|m| &m.textures) {
            if let (TexturePath::Folder(folder), Some(file)) = (&texture.path, texture.file.text()) {
                self.add(&format!("{folder}{file}"));
            }
        }
    }

    /// Returns the word with this StrCode64.
    pub fn name(&self, hash: u64) -> Option<&str> {
        self.names.get(&hash).map(|n| &**n)
    }

    /// Returns the path with this PathCode64, without its extension.
    pub fn path(&self, code: u64) -> Option<&str> {
        self.paths.get(&path_key(code)).map(|p| &**p)
    }

    /// Returns a name as text: itself, or what the dictionary knows; `None` for a hash that it does not know.
    pub fn text(&self, name: &Name) -> Option<String> {
        match name {
            Name::Text(_) => name.text().map(|t| t.into_owned()),
            Name::Hash(hash) => self.name(*hash).map(str::to_owned),
        }
    }

    /// Words and paths in it.
    pub fn len(&self) -> usize {
        self.names.len() + self.paths.len()
    }

    /// Returns `true` if it knows nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Returns the part of a path code that does not depend on the extension.
fn path_key(code: u64) -> u64 {
    code & (PATH_MASK | PATH_META)
}

/// What a name is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NameKind {
    /// A bone.
    Bone,
    /// A mesh group.
    Group,
    /// A material instance.
    Material,
    /// A shader.
    Shader,
    /// A technique of a shader.
    Technique,
    /// A texture slot.
    Slot,
    /// A shader parameter.
    Parameter,
    /// A texture's source file.
    TextureFile,
    /// A texture's path.
    TexturePath,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NameKind::Bone => "bone",
            NameKind::Group => "group",
            NameKind::Material => "material",
            NameKind::Shader => "shader",
            NameKind::Technique => "technique",
            NameKind::Slot => "slot",
            NameKind::Parameter => "parameter",
            NameKind::TextureFile => "texture file",
            NameKind::TexturePath => "texture path",
        })
    }
}

/// A name in a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedName {
    /// What it names.
    pub kind: NameKind,
    /// The name; for a texture path its folder (2.03) or its code (2.04).
    pub name: Name,
    /// The PathCode64, for texture paths.
    pub path: Option<u64>,
}

impl UsedName {
    /// Returns its text, by itself or by the dictionary. Texture paths come with `.ftex`.
    pub fn resolve(&self, names: &Dictionary) -> Option<String> {
        match (self.path, &self.name) {
            (Some(code), Name::Hash(_)) => names.path(code).map(|p| format!("{p}.ftex")),
            (_, name) => names.text(name),
        }
    }

    /// Returns its hash: StrCode64, or PathCode64 for texture paths.
    pub fn code(&self) -> u64 {
        self.path.unwrap_or_else(|| self.name.code())
    }
}

/// All hashes of one word, as `galatea names --hash` shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordHashes {
    /// StrCode64.
    pub str_code64: u64,
    /// StrCode32.
    pub str_code32: u32,
    /// PathCode64, the word taken as a path.
    pub path_code64: u64,
}

/// Hashes a word in every way.
///
/// ```
/// assert_eq!(galatea_fox::hash_word("SKL_000_WAIST").str_code64, 0xED0636C5B26B);
/// ```
pub fn hash_word(word: &str) -> WordHashes {
    WordHashes {
        str_code64: str_code64(word.as_bytes()),
        str_code32: str_code32(word.as_bytes()),
        path_code64: path_code64(word),
    }
}

impl Fmdl {
    /// Returns every name of the model once per kind, in the order of first use.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Group, NameKind};
    /// let mut model = Fmdl::new(2.03);
    /// model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    /// assert_eq!(model.names()[0].kind, NameKind::Group);
    /// ```
    pub fn names(&self) -> Vec<UsedName> {
        let mut out: Vec<UsedName> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut add = |kind, name: &Name, path| {
            if seen.insert((kind, name.clone(), path)) {
                out.push(UsedName { kind, name: name.clone(), path });
            }
        };
        self.bones.iter().for_each(|b| add(NameKind::Bone, &b.name, None));
        self.groups.iter().for_each(|g| add(NameKind::Group, &g.name, None));
        for material in &self.materials {
            add(NameKind::Material, &material.name, None);
            add(NameKind::Shader, &material.shader, None);
            add(NameKind::Technique, &material.technique, None);
            for texture in &material.textures {
                add(NameKind::Slot, &texture.slot, None);
                add(NameKind::TextureFile, &texture.file, None);
                match &texture.path {
                    TexturePath::Folder(folder) => {
                        let path = Name::from(format!("{folder}{}", texture.file).as_str());
                        add(NameKind::TexturePath, &path, Some(texture.code()));
                    }
                    TexturePath::Code(code) => add(NameKind::TexturePath, &Name::Hash(*code), Some(*code)),
                }
            }
            material.parameters.iter().for_each(|p| add(NameKind::Parameter, &p.name, None));
        }
        out
    }

    /// Replaces hashes by the texts that the dictionary knows. The file written from it stays the same: text is hashed
    /// again. Returns how many names were resolved.
    ///
    /// ```
    /// use galatea_fox::{Dictionary, Fmdl, Group, Name};
    /// let mut model = Fmdl::new(2.04);
    /// model.groups.push(Group { name: Name::Hash(Name::from("MESH_ROOT").code()), ..Group::default() });
    /// assert_eq!(model.resolve_names(&Dictionary::built_in()), 1);
    /// assert_eq!(model.groups[0].name, "MESH_ROOT".into());
    /// ```
    pub fn resolve_names(&mut self, names: &Dictionary) -> usize {
        let mut resolved = 0;
        let was_same = self.layout.original.as_ref().is_some_and(|o| o.fingerprint == self.fingerprint());
        let mut each = |name: &mut Name| {
            if let Name::Hash(hash) = name
                && let Some(text) = names.name(*hash)
            {
                *name = Name::from(text);
                resolved += 1;
            }
        };
        self.each_name(&mut each);
        // Text and its hash mean the same in a file of hashes: what was remembered of the file still holds.
        if was_same && resolved > 0 && self.has_hashes() {
            let fingerprint = self.fingerprint();
            if let Some(original) = &mut self.layout.original {
                original.fingerprint = fingerprint;
            }
        }
        resolved
    }

    /// Hands out every name to be changed, texture folders included.
    pub(crate) fn each_name(&mut self, each: &mut dyn FnMut(&mut Name)) {
        self.bones.iter_mut().for_each(|b| each(&mut b.name));
        self.groups.iter_mut().for_each(|g| each(&mut g.name));
        for material in &mut self.materials {
            each(&mut material.name);
            each(&mut material.shader);
            each(&mut material.technique);
            for texture in &mut material.textures {
                each(&mut texture.slot);
                each(&mut texture.file);
                if let TexturePath::Folder(folder) = &mut texture.path {
                    each(folder);
                }
            }
            material.parameters.iter_mut().for_each(|p| each(&mut p.name));
        }
    }
}
