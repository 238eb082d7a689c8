//! Other names of nodes: `--rename-node`.

use galatea_wire::near;

use super::documents::not_for;
use super::text::set_text;
use super::{EditOptions, Refusal};
use crate::Document;

/// Returns the refusal of a name that nothing has.
pub(super) fn missing<'n>(
    what: &'static str,
    name: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Refusal {
    Refusal::Missing { what, name: name.to_owned(), near: near(name, names).map(str::to_owned) }
}

/// Fails unless a name belongs to one thing alone and the new name to none.
fn one_to_one(old: usize, taken: bool, what: &'static str, from: &str, to: &str) -> Result<(), Refusal> {
    if old > 1 {
        return Err(Refusal::Ambiguous { what, name: from.to_owned(), count: old });
    }
    if taken && !from.eq_ignore_ascii_case(to) {
        return Err(Refusal::Taken { what, name: to.to_owned() });
    }
    Ok(())
}

/// Renames the node of this name, and everything that refers to it by its name.
pub(super) fn rename(
    document: &mut dyn Document,
    old: &str,
    new: &str,
    options: &EditOptions<'_>,
) -> Result<usize, Refusal> {
    let any = document.as_any_mut();
    #[cfg(feature = "mdlx")]
    if let Some(model) = any.downcast_mut::<crate::mdlx::Model>() {
        return warcraft(model, old, new);
    }
    #[cfg(feature = "kotor")]
    if let Some(model) = any.downcast_mut::<crate::kotor::mdl::Model>() {
        return kotor(model, old, new);
    }
    #[cfg(feature = "fox")]
    if let Some(model) = any.downcast_mut::<crate::fox::Fmdl>() {
        return fox(model, old, new, options);
    }
    let _ = (any, old, new, options);
    Err(not_for(document, "nodes have names in mdl, mdx and fmdl"))
}

#[cfg(feature = "mdlx")]
fn warcraft(model: &mut crate::mdlx::Model, old: &str, new: &str) -> Result<usize, Refusal> {
    let fits = |name: &[u8], wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
    let count = model.nodes().filter(|(_, _, node)| fits(node.name.bytes(), old)).count();
    if count == 0 {
        let names: Vec<String> = model.nodes().map(|(_, _, node)| node.name.lossy().into_owned()).collect();
        return Err(missing("node", old, names.iter().map(String::as_str)));
    }
    let taken = model.nodes().any(|(_, _, node)| fits(node.name.bytes(), new));
    one_to_one(count, taken, "node", old, new)?;
    let mut changed = 0;
    for (_, _, node) in model.nodes_mut().filter(|(_, _, node)| fits(node.name.bytes(), old)) {
        changed += usize::from(set_text(&mut node.name, "the name of a node", new.as_bytes())?);
    }
    for effect in model.face_effects.iter_mut().filter(|effect| fits(effect.target.bytes(), old)) {
        changed += usize::from(set_text(&mut effect.target, "the name of a node", new.as_bytes())?);
    }
    Ok(changed)
}

#[cfg(feature = "kotor")]
fn kotor(model: &mut crate::kotor::mdl::Model, old: &str, new: &str) -> Result<usize, Refusal> {
    /// Bytes of a name in the game's own structures.
    const ROOM: usize = 32;
    let fits = |name: &[u8], wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
    let count = model.nodes.iter().filter(|node| fits(model.name_of(node), old)).count();
    if count == 0 {
        let names: Vec<String> = model
            .nodes
            .iter()
            .map(|node| String::from_utf8_lossy(model.name_of(node)).into_owned())
            .collect();
        return Err(missing("node", old, names.iter().map(String::as_str)));
    }
    let taken = model.names.iter().any(|name| fits(&name.0, new));
    one_to_one(count, taken, "node", old, new)?;
    if new.len() > ROOM || new.contains('\0') {
        return Err(Refusal::NoRoom { what: "the name of a node", name: new.to_owned(), room: ROOM });
    }
    let mut changed = 0;
    // Nodes of animations have their names from the same table; animations name their topmost node.
    for name in model.names.iter_mut().filter(|name| fits(&name.0, old) && name.0 != new.as_bytes()) {
        name.0 = new.as_bytes().to_vec();
        changed += 1;
    }
    for animation in model.animations.iter_mut().filter(|animation| fits(animation.root.bytes(), old)) {
        changed += usize::from(set_text(&mut animation.root, "the name of a node", new.as_bytes())?);
    }
    Ok(changed)
}

#[cfg(feature = "fox")]
fn fox(
    model: &mut crate::fox::Fmdl,
    old: &str,
    new: &str,
    options: &EditOptions<'_>,
) -> Result<usize, Refusal> {
    use crate::fox::{Dictionary, Name};

    let [from, to] = [old, new].map(Name::parse);
    let codes = |model: &crate::fox::Fmdl, code: u64| {
        let bones = model.bones.iter().map(|bone| &bone.name);
        bones.chain(model.groups.iter().map(|group| &group.name)).filter(|name| name.code() == code).count()
    };
    let count = codes(model, from.code());
    if count == 0 {
        let empty = Dictionary::new();
        let names = options.names.unwrap_or(&empty);
        let all =
            model.bones.iter().map(|bone| &bone.name).chain(model.groups.iter().map(|group| &group.name));
        let all: Vec<String> = all.filter_map(|name| names.text(name)).collect();
        return Err(missing("bone or group", old, all.iter().map(String::as_str)));
    }
    one_to_one(count, from.code() != to.code() && codes(model, to.code()) > 0, "bone or group", old, new)?;
    let mut changed = 0;
    let bones = model.bones.iter_mut().map(|bone| &mut bone.name);
    for name in bones.chain(model.groups.iter_mut().map(|group| &mut group.name)) {
        if name.code() == from.code() && *name != to {
            *name = to.clone();
            changed += 1;
        }
    }
    Ok(changed)
}
