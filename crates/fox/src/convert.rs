//! Between versions, and to other textures.

use galatea_wire::Loss;

use crate::model::{Fmdl, Texture, TexturePath};
use crate::name::Name;
use crate::names::Dictionary;

/// What a change of texture paths did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repathed {
    /// Textures that were given another path.
    pub changed: usize,
    /// Textures whose path is a hash that the dictionary does not know.
    pub unknown: usize,
}

impl Texture {
    /// Returns the path of its file: folder and source name (2.03), or what the dictionary knows, with `.ftex` (2.04).
    pub fn path_text(&self, names: &Dictionary) -> Option<String> {
        match &self.path {
            TexturePath::Folder(folder) => {
                Some(format!("{}{}", names.text(folder)?, names.text(&self.file)?))
            }
            TexturePath::Code(code) => names.path(*code).map(|p| format!("{p}.ftex")),
        }
    }

    /// Gives it another file, such as `/Assets/tpp/pictures/wall.tga`. The extension of a source file (.tga, .psd, .dds) is
    /// kept, any other becomes .tga.
    ///
    /// ```
    /// use galatea_fox::{Texture, TexturePath, path_code64};
    /// let mut texture = Texture::default();
    /// texture.set_path("/Assets/tpp/pictures/wall.ftex");
    /// assert_eq!(texture.file, "wall.tga".into());
    /// assert_eq!(texture.path, TexturePath::Code(path_code64("/Assets/tpp/pictures/wall.ftex")));
    /// ```
    pub fn set_path(&mut self, path: &str) {
        let (folder, file) = match path.rfind('/') {
            Some(at) => path.split_at(at + 1),
            None => ("", path),
        };
        let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
        let ending = if ["tga", "psd", "dds"].contains(&ending) { ending } else { "tga" };
        self.file = Name::from(format!("{stem}.{ending}").as_str());
        self.path = match self.path {
            TexturePath::Folder(_) => TexturePath::Folder(Name::from(folder)),
            TexturePath::Code(_) => TexturePath::Code(crate::path_code64(&format!("{folder}{stem}.ftex"))),
        };
    }
}

impl Fmdl {
    /// Turns it into another version. To 2.03 the dictionary gives hashes their text back; what it does not know becomes
    /// `0x` and hex digits, which hash back to themselves. Returns what had no word in the new version, a line each.
    ///
    /// ```
    /// use galatea_fox::{Dictionary, Fmdl, Group};
    /// let mut model = Fmdl::new(Fmdl::GZ);
    /// model.groups.push(Group { name: "MESH_ROOT".into(), ..Group::default() });
    /// assert!(model.convert(Fmdl::TPP, &Dictionary::new()).is_empty());
    /// let bytes = model.write()?;
    /// let mut back = Fmdl::read(&bytes, &Default::default())?;
    /// assert!(back.convert(Fmdl::GZ, &Dictionary::built_in()).is_empty());
    /// assert_eq!(back.groups[0].name, "MESH_ROOT".into());
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    pub fn convert(&mut self, version: f32, names: &Dictionary) -> Vec<Loss> {
        let mut lost = Vec::new();
        self.version = version;
        self.forget_layout();
        if self.has_hashes() {
            for texture in self.materials.iter_mut().flat_map(|m| &mut m.textures) {
                texture.path = TexturePath::Code(texture.code());
                // What was only a hash in hex is a hash again.
                texture.file = Name::parse(&texture.file.to_string());
            }
            self.each_name(&mut |name| *name = Name::parse(&name.to_string()));
            return lost;
        }
        for (m, material) in self.materials.iter_mut().enumerate() {
            for (t, texture) in material.textures.iter_mut().enumerate() {
                if let TexturePath::Code(code) = texture.path {
                    let folder = match names.path(code).and_then(|p| p.rsplit_once('/')) {
                        Some((folder, stem)) => {
                            texture.name_file(stem);
                            Name::from(format!("{folder}/").as_str())
                        }
                        None => {
                            lost.push(Loss::new(
                                format!("materials[{m}].textures[{t}]"),
                                format!("path 0x{code:016x} is not known"),
                            ));
                            Name::from(format!("0x{code:016x}").as_str())
                        }
                    };
                    texture.path = TexturePath::Folder(folder);
                }
            }
        }
        let mut unknown = 0;
        self.each_name(&mut |name| {
            if let Name::Hash(hash) = *name {
                let text = names.name(hash).map(Name::from);
                unknown += usize::from(text.is_none() && !name.is_empty());
                *name = text.unwrap_or_else(|| Name::Text(name.to_bytes().into_owned()));
            }
        });
        if unknown > 0 {
            lost.push(
                Loss::new("", format!("{unknown} names are not known and stay hashes in hex")).invisible(),
            );
        }
        lost
    }

    /// Replaces one texture by another wherever it is used. Both are paths, such as `/Assets/tpp/pictures/wall.ftex`;
    /// the extension does not matter. Returns how many slots changed.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, MaterialInstance, Texture, path_code64};
    /// let mut texture = Texture::default();
    /// texture.set_path("/Assets/tpp/wall.ftex");
    /// let mut model = Fmdl::new(2.04);
    /// model.materials.push(MaterialInstance { textures: vec![texture], ..MaterialInstance::default() });
    /// assert_eq!(model.retexture("/Assets/tpp/wall.ftex", "/Assets/mod/brick.tga"), 1);
    /// assert_eq!(model.materials[0].textures[0].code(), path_code64("/Assets/mod/brick.ftex"));
    /// ```
    pub fn retexture(&mut self, from: &str, to: &str) -> usize {
        let code = |path: &str| crate::path_code64(path) & (crate::PATH_MASK | crate::PATH_META);
        let wanted = code(from);
        let mut changed = 0;
        for texture in self.materials.iter_mut().flat_map(|m| &mut m.textures) {
            if texture.code() & (crate::PATH_MASK | crate::PATH_META) == wanted {
                texture.set_path(to);
                changed += 1;
            }
        }
        changed
    }

    /// Changes the paths of textures: `change` is given each path that is known and returns the new one, or `None` to leave
    /// it.
    ///
    /// ```
    /// use galatea_fox::{Dictionary, Fmdl};
    /// let mut model = Fmdl::new(2.04);
    /// let done = model.repath(&Dictionary::built_in(), |path| Some(path.replace("/tpp/", "/mod/")));
    /// assert_eq!((done.changed, done.unknown), (0, 0));
    /// ```
    pub fn repath(&mut self, names: &Dictionary, change: impl Fn(&str) -> Option<String>) -> Repathed {
        let mut out = Repathed::default();
        for texture in self.materials.iter_mut().flat_map(|m| &mut m.textures) {
            match texture.path_text(names) {
                None => out.unknown += 1,
                Some(path) => {
                    if let Some(new) = change(&path).filter(|new| *new != path) {
                        texture.set_path(&new);
                        out.changed += 1;
                    }
                }
            }
        }
        out
    }
}

impl Texture {
    /// Gives the source file its name back, if its hash is that of the path's name with one of the usual endings.
    fn name_file(&mut self, stem: &str) {
        if let Name::Hash(hash) = self.file {
            let found = [".tga", ".psd", ".dds"].map(|ending| Name::from(format!("{stem}{ending}").as_str()));
            if let Some(name) = found.into_iter().find(|n| n.code() == hash) {
                self.file = name;
            }
        }
    }
}
