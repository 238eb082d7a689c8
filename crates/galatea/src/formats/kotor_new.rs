//! New KotOR models and walkmeshes, from scenes that did not come from the game.

use std::collections::{BTreeSet, HashSet};

use galatea_kotor::authoring::{Authoring, Class, WalkmeshUse, is_new};
use galatea_kotor::bwm::text::{Door, Part};
use galatea_kotor::bwm::{Authored, Walkmesh};
use galatea_kotor::mdl::{self, Model};
use galatea_scene::Scene;
use galatea_wire::{Loss, Result};

use super::{AsciiModel, AsciiWalkmesh};
use crate::convert::{Built, Source};
use crate::file_names::file_name;
use crate::{ConvertError, ConvertOptions, FormatId, SceneContext};

/// Builds a model or walkmesh; for a scene that did not come from the game, by what the author has decided.
pub(super) fn author(source: &Source<'_>) -> std::result::Result<Built, ConvertError> {
    let Source { scene, to, options, context, .. } = *source;
    if !is_new(scene) {
        return Ok(source.build(scene)?);
    }
    let none = Authoring::default();
    let authoring = context.authoring.unwrap_or(&none);
    let completed = HashSet::new();
    match to {
        FormatId::KotorMdl | FormatId::KotorMdlAscii => {
            let (model, mut losses) = model(scene, options, authoring, context)?;
            let mut siblings = Vec::new();
            if context.with_walkmesh {
                let (files, lost) = walkmeshes_of(scene, &model, authoring, context.name)?;
                siblings = files;
                let known: BTreeSet<Loss> = losses.iter().cloned().collect();
                losses.extend(lost.into_iter().filter(|l| !known.contains(l)));
            }
            let text = to == FormatId::KotorMdlAscii;
            let document: Box<dyn crate::Document> =
                if text { Box::new(AsciiModel(model)) } else { Box::new(model) };
            Ok(Built { document, siblings, completed, losses })
        }
        FormatId::KotorBwm => {
            let (made, losses) = Walkmesh::author(scene, authoring)?;
            let siblings = other_states(&made, context.name)?;
            Ok(Built { document: Box::new(made.first), siblings, completed, losses })
        }
        _ => {
            let (made, losses) = Walkmesh::author(scene, authoring)?;
            let document = Box::new(text(made, &scene.name));
            Ok(Built { document, siblings: Vec::new(), completed, losses })
        }
    }
}

fn model(
    scene: &Scene,
    options: &ConvertOptions,
    authoring: &Authoring,
    context: &SceneContext<'_>,
) -> Result<(Model, Vec<Loss>)> {
    let way = mdl::SceneOptions::default().with_game(options.kotor()).with_platform(options.platform);
    let named = authoring.supermodel.as_deref().filter(|name| !name.eq_ignore_ascii_case("null"));
    let supermodel = named.and_then(|name| context.supermodel?(name));
    let any_mesh = authoring.any_mesh || context.with_walkmesh;
    let authoring = authoring.clone().with_any_mesh(any_mesh);
    Model::author(scene, &way, &authoring, supermodel.as_ref())
}

/// Files by their names.
type NamedFiles = Vec<(String, Vec<u8>)>;

/// Returns the walkmeshes that belong beside a model, by their file names.
fn walkmeshes_of(
    scene: &Scene,
    model: &Model,
    authoring: &Authoring,
    name: &str,
) -> Result<(NamedFiles, Vec<Loss>)> {
    let of = |class: Class| model.classification == class.code();
    let kind = if of(Class::Door) {
        WalkmeshUse::Door
    } else if of(Class::Placeable) {
        WalkmeshUse::Placeable
    } else if of(Class::Other) || of(Class::Effect) || of(Class::Tile) {
        WalkmeshUse::Room
    } else {
        let what = "there is none: only rooms, placeables and doors have one";
        return Ok((Vec::new(), vec![Loss::new("walkmesh", what).invisible()]));
    };
    let authoring = authoring.clone().with_walkmesh(Some(kind));
    let (made, losses) = Walkmesh::author(scene, &authoring)?;
    let stem = file_name(name);
    let first = match kind {
        WalkmeshUse::Door => format!("{stem}0.dwk"),
        WalkmeshUse::Placeable => format!("{stem}.pwk"),
        _ => format!("{stem}.wok"),
    };
    let mut files = vec![(first, made.first.write()?)];
    files.extend(other_states(&made, name)?);
    Ok((files, losses))
}

/// Returns the files of an open door.
fn other_states(made: &Authored, name: &str) -> Result<NamedFiles> {
    let file =
        |(number, mesh): &(u32, Walkmesh)| Ok((format!("{}{number}.dwk", file_name(name)), mesh.write()?));
    made.others.iter().map(file).collect()
}

/// Returns the walkmeshes as one text.
fn text(made: Authored, name: &str) -> AsciiWalkmesh {
    if !made.door {
        return AsciiWalkmesh::new(made.first, name);
    }
    let part = |door: Door, walkmesh: Walkmesh| {
        let state = ["closed", "open1", "open2"].get(door.number()).copied().unwrap_or("closed");
        Part { name: format!("{name}_DWK_wg_{state}").into_bytes(), door: Some(door), walkmesh }
    };
    let door = |number: u32| if number == 1 { Door::Open1 } else { Door::Open2 };
    AsciiWalkmesh {
        first: part(Door::Closed, made.first),
        others: made.others.into_iter().map(|(number, mesh)| part(door(number), mesh)).collect(),
    }
}
