//! KotOR walkmeshes.

use galatea_kotor::bwm::{self, Walkmesh};

use super::document;
use crate::{Format, Holds, Inspection, Output};

pub(super) static FORMAT: Format = Format {
    name: "kotor-bwm",
    title: "KotOR walkmesh (WOK, PWK, DWK)",
    extensions: &["wok", "pwk", "dwk"],
    companions: &[],
    holds: Holds::Model,
    whole: false,
    stored: false,
    text: Some("kotor-bwm-ascii"),
    detect: bwm::detect,
    read: |input, limits| Ok(Box::new(Walkmesh::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("wok", bwm::inspect(input.bytes, limits)),
    rules: bwm::RULES,
    records: bwm::RECORDS,
    from_scene: Some(|scene, _| {
        let (mesh, losses) = Walkmesh::from_scene(scene, &Default::default())?;
        Ok((Box::new(mesh), losses))
    }),
};

document!(Walkmesh, &FORMAT, write: |mesh| Ok(Output::single(mesh.write()?)), scene: |mesh, _| Some(mesh.to_scene()));
