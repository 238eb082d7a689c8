//! Other textures: `--texture` and `--texture-prefix`.

use super::documents::not_for;
use super::{EditOptions, Refusal};
use crate::Document;

/// Gives a texture another name, or `None` to leave it.
type Rename<'r> = &'r dyn Fn(&str) -> Option<String>;

/// Returns a regular expression that ignores letter case, or why it is none.
pub(super) fn expression(pattern: &str) -> Result<regex_lite::Regex, regex_lite::Error> {
    regex_lite::RegexBuilder::new(pattern).case_insensitive(true).build()
}

/// Changes the names of textures; returns how many. `literal` is what was asked for, to compare hashes with it.
pub(super) fn rename(
    document: &mut dyn Document,
    options: &EditOptions<'_>,
    rename: Rename<'_>,
    literal: Option<&str>,
) -> Result<usize, Refusal> {
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return warcraft::rename(model, rename);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        return kotor::rename(model, rename);
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        return fox::rename(model, options, rename, literal);
    }
    let _ = (any, options, rename, literal);
    Err(not_for(document, "textures are renamed in mdl, mdx and fmdl"))
}

#[cfg(feature = "mdlx")]
mod warcraft {
    use super::{Refusal, Rename};
    use crate::edit::text::set_text;
    use crate::mdlx::Model;

    pub(super) fn rename(model: &mut Model, rename: Rename<'_>) -> Result<usize, Refusal> {
        let mut changed = 0;
        // Replaceable textures have no path.
        for texture in model.textures.iter_mut().filter(|texture| !texture.path.bytes().is_empty()) {
            if let Some(new) = rename(&texture.path.lossy()) {
                changed += usize::from(set_text(&mut texture.path, "a texture path", new.as_bytes())?);
            }
        }
        Ok(changed)
    }
}

#[cfg(feature = "kotor")]
mod kotor {
    use galatea_wire::Text;

    use super::{Refusal, Rename};
    use crate::edit::text::set_text;
    use crate::kotor::mdl::Model;

    /// Endings of texture files, which models do not name.
    const ENDINGS: [&str; 3] = [".tga", ".tpc", ".dds"];

    fn change<const N: usize>(field: &mut Text<N>, rename: Rename<'_>) -> Result<usize, Refusal> {
        if field.bytes().is_empty() || field.bytes().eq_ignore_ascii_case(b"null") {
            return Ok(0);
        }
        let Some(new) = rename(&field.lossy()) else { return Ok(0) };
        Ok(usize::from(set_text(field, "a texture name", without_ending(&new).as_bytes())?))
    }

    fn without_ending(name: &str) -> &str {
        let lower = name.to_lowercase();
        let ending = ENDINGS.iter().find(|ending| lower.ends_with(**ending));
        ending.and_then(|ending| name.get(..name.len() - ending.len())).unwrap_or(name)
    }

    pub(super) fn rename(model: &mut Model, rename: Rename<'_>) -> Result<usize, Refusal> {
        // A name may be written as that of its file.
        let either = |name: &str| {
            let named = |ending: &str| rename(&format!("{name}{ending}"));
            rename(name).or_else(|| ENDINGS.iter().find_map(|ending| named(ending)))
        };
        let rename: Rename<'_> = &either;
        let mut changed = 0;
        let animated = model.animations.iter_mut().flat_map(|animation| &mut animation.nodes);
        for node in model.nodes.iter_mut().chain(animated) {
            if let Some(mesh) = node.mesh.as_deref_mut() {
                changed += change(&mut mesh.texture, rename)? + change(&mut mesh.lightmap, rename)?;
                changed += change(&mut mesh.texture_3, rename)? + change(&mut mesh.texture_4, rename)?;
            }
            if let Some(emitter) = node.emitter.as_deref_mut() {
                changed +=
                    change(&mut emitter.texture, rename)? + change(&mut emitter.depth_texture, rename)?;
            }
            for flare in node.light.iter_mut().flat_map(|light| &mut light.flare_textures) {
                let new = rename(&flare.lossy()).map(|new| without_ending(&new).as_bytes().to_vec());
                if let Some(new) = new.filter(|new| *new != flare.0) {
                    flare.0 = new;
                    changed += 1;
                }
            }
        }
        Ok(changed)
    }
}

#[cfg(feature = "fox")]
mod fox {
    use super::{EditOptions, Refusal, Rename};
    use crate::fox::{Dictionary, Fmdl, Name, PATH_MASK, PATH_META, Texture, TexturePath, path_code64};

    /// Endings of the files that textures are made from.
    const SOURCES: [&str; 3] = ["tga", "psd", "dds"];

    fn split(path: &str) -> (&str, &str, &str) {
        let at = path.rfind('/').map_or(0, |at| at + 1);
        let (folder, file) = path.split_at_checked(at).unwrap_or(("", path));
        let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
        (folder, stem, ending)
    }

    /// Gives a texture another path. The name of its source file follows, if it is that of the path.
    fn set(texture: &mut Texture, old: &str, new: &str) -> bool {
        let (folder, stem, ending) = split(new);
        let (_, old_stem, _) = split(old);
        let named = |ending: &&&str| {
            Name::from(format!("{old_stem}.{ending}").as_str()).code() == texture.file.code()
        };
        let source = SOURCES.iter().find(named).copied();
        let before = texture.clone();
        match &mut texture.path {
            TexturePath::Code(code) => {
                let part = PATH_MASK | PATH_META;
                *code = *code & !part | path_code64(&format!("{folder}{stem}.ftex")) & part;
                if let Some(source) = source {
                    texture.file = Name::from(format!("{stem}.{source}").as_str());
                }
            }
            TexturePath::Folder(path) => {
                let source = if SOURCES.contains(&ending) { ending } else { source.unwrap_or("tga") };
                *path = Name::from(folder);
                texture.file = Name::from(format!("{stem}.{source}").as_str());
            }
        }
        let same = before.path == texture.path && before.file.code() == texture.file.code();
        if same {
            *texture = before;
        }
        !same
    }

    pub(super) fn rename(
        model: &mut Fmdl,
        options: &EditOptions<'_>,
        rename: Rename<'_>,
        literal: Option<&str>,
    ) -> Result<usize, Refusal> {
        let built_in = Dictionary::new();
        let names = options.names.unwrap_or(&built_in);
        let part = PATH_MASK | PATH_META;
        let plain = literal.filter(|literal| !literal.contains(['*', '?']));
        let (mut changed, mut unknown) = (0, 0);
        for texture in model.materials.iter_mut().flat_map(|material| &mut material.textures) {
            // A path that is written out is compared by its hash, which needs no dictionary.
            if let Some(old) = plain {
                if texture.code() & part == path_code64(old) & part
                    && let Some(new) = rename(old)
                {
                    changed += usize::from(set(texture, old, &new));
                }
                continue;
            }
            let Some(path) = texture.path_text(names) else {
                unknown += 1;
                continue;
            };
            let (folder, stem, _) = split(&path);
            let forms = [path.clone(), format!("{folder}{stem}.ftex"), format!("{folder}{stem}")];
            if let Some(new) = forms.iter().find_map(|form| rename(form)) {
                changed += usize::from(set(texture, &path, &new));
            }
        }
        if changed == 0 && unknown > 0 {
            return Err(Refusal::UnknownHashes { count: unknown });
        }
        Ok(changed)
    }
}
