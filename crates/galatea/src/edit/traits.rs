//! What a model is and how it is shown: `--supermodel`, `--class`, `--two-sided` and `--visibility`.

use super::documents::not_for;
use super::nodes::missing;
use super::pattern::Pattern;
use super::text::set_text;
use super::{EditOptions, Refusal};
use crate::Document;

/// Sets the supermodel of a KotOR model; `NULL` for none. Node numbers stay.
pub(super) fn supermodel(document: &mut dyn Document, name: &str) -> Result<usize, Refusal> {
    #[cfg(feature = "kotor")]
    if let Some(model) = document.as_any_mut().downcast_mut::<crate::kotor::mdl::Model>() {
        let name = if name.is_empty() { "NULL" } else { name };
        return set_text(&mut model.supermodel, "the name of a supermodel", name.as_bytes()).map(usize::from);
    }
    let _ = (name, set_text::<1>);
    Err(not_for(document, "only KotOR models have supermodels"))
}

/// Sets the class of a KotOR model, by name or number.
pub(super) fn class(document: &mut dyn Document, class: &str) -> Result<usize, Refusal> {
    #[cfg(feature = "kotor")]
    if let Some(model) = document.as_any_mut().downcast_mut::<crate::kotor::mdl::Model>() {
        use crate::kotor::authoring::Class;
        let code = Class::named(class).map(Class::code).or_else(|| class.parse().ok());
        let names = Class::ALL.iter().map(|(_, name)| *name);
        let code = code.ok_or_else(|| missing("class", class, names))?;
        let old = std::mem::replace(&mut model.classification, code);
        return Ok(usize::from(old != code));
    }
    let _ = class;
    Err(not_for(document, "only KotOR models have a class"))
}

/// Shows or hides the back of every triangle.
pub(super) fn two_sided(document: &mut dyn Document, on: bool) -> Result<usize, Refusal> {
    let flip = |flags: &mut u32, bit: u32| {
        let old = *flags;
        *flags = if on { old | bit } else { old & !bit };
        usize::from(*flags != old)
    };
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        /// Bit of the flags of a layer.
        const TWO_SIDED: u32 = 0x10;
        let layers = model.materials.iter_mut().flat_map(|material| &mut material.layers);
        return Ok(layers.map(|layer| flip(&mut layer.flags, TWO_SIDED)).sum());
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        return Ok(model
            .meshes
            .iter_mut()
            .map(|mesh| flip(&mut mesh.flags, crate::fox::Mesh::TWO_SIDED))
            .sum());
    }
    let _ = (any, flip);
    Err(not_for(document, "mdx and fmdl have two-sided meshes; KotOR never draws the backs of triangles"))
}

/// Shows or hides the nodes of these names.
pub(super) fn visibility(
    document: &mut dyn Document,
    name: &str,
    on: bool,
    options: &EditOptions<'_>,
) -> Result<usize, Refusal> {
    let pattern = Pattern::new(name);
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return geosets(model, name, &pattern, on);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        let names: Vec<String> = model
            .nodes
            .iter()
            .map(|node| String::from_utf8_lossy(model.name_of(node)).into_owned())
            .collect();
        let meshes = model.nodes.iter_mut().zip(&names).filter(|(_, name)| pattern.fits(name));
        let mut meshes = meshes.filter_map(|(node, _)| node.mesh.as_deref_mut()).peekable();
        if meshes.peek().is_none() && pattern.is_plain() {
            return Err(missing("mesh", name, names.iter().map(String::as_str)));
        }
        let render = u8::from(on);
        return Ok(meshes
            .map(|mesh| usize::from(std::mem::replace(&mut mesh.render, render) != render))
            .sum());
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        use crate::fox::{Dictionary, Group, Name};
        let empty = Dictionary::new();
        let names = options.names.unwrap_or(&empty);
        let texts: Vec<Option<String>> = model.groups.iter().map(|group| names.text(&group.name)).collect();
        let code = Name::parse(name).code();
        let fits = |(group, text): &(&mut Group, &Option<String>)| {
            group.name.code() == code || text.as_deref().is_some_and(|text| pattern.fits(text))
        };
        let mut groups = model.groups.iter_mut().zip(&texts).filter(fits).peekable();
        if groups.peek().is_none() && pattern.is_plain() {
            return Err(missing("group", name, texts.iter().flatten().map(String::as_str)));
        }
        let change = |(group, _): (&mut Group, _)| {
            let old = group.flags;
            group.flags = if on { old & !Group::INVISIBLE } else { old | Group::INVISIBLE };
            usize::from(group.flags != old)
        };
        return Ok(groups.map(change).sum());
    }
    let _ = (any, pattern, on, options);
    Err(not_for(document, "meshes of KotOR models, geosets of mdx and groups of fmdl are shown and hidden"))
}

/// Shows or hides geosets by their numbers or, where they have some, by the names of their levels of detail.
#[cfg(feature = "mdlx")]
fn geosets(
    model: &mut crate::mdlx::Model,
    name: &str,
    pattern: &Pattern,
    on: bool,
) -> Result<usize, Refusal> {
    use crate::mdlx::GeosetAnim;

    let names: Vec<[String; 2]> = model
        .geosets
        .iter()
        .enumerate()
        .map(|(index, geoset)| [index.to_string(), geoset.lod_name.lossy().into_owned()])
        .collect();
    let fits = |names: &[String; 2]| names.iter().any(|name| !name.is_empty() && pattern.fits(name));
    let found: Vec<usize> =
        names.iter().enumerate().filter(|(_, names)| fits(names)).map(|(index, _)| index).collect();
    if found.is_empty() && pattern.is_plain() {
        return Err(missing("geoset", name, names.iter().flatten().map(String::as_str)));
    }
    let alpha = if on { 1.0 } else { 0.0 };
    let mut changed = 0;
    for index in found {
        let own = |anim: &&mut GeosetAnim| usize::try_from(anim.geoset_id) == Ok(index);
        let mut any = false;
        for anim in model.geoset_anims.iter_mut().filter(own) {
            any = true;
            let tracks = anim.tracks.take(b"KGAO").len();
            changed += usize::from(std::mem::replace(&mut anim.alpha, alpha) != alpha || tracks > 0);
        }
        if !any && !on {
            let geoset_id = i32::try_from(index).unwrap_or(-1);
            model.geoset_anims.push(GeosetAnim { alpha, geoset_id, ..GeosetAnim::default() });
            changed += 1;
        }
    }
    Ok(changed)
}
