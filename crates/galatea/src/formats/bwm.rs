//! KotOR walkmeshes.

use galatea_kotor::bwm::{self, Walkmesh};

use super::document;
use crate::{ConvertError, ConvertOption, Converted, Format, FormatId, Inspection, Output, SceneContext};

/// What depends on the order of vertices and faces.
pub(super) static UNORDERED: &[&str] = &[
    "vertices",
    "faces",
    "materials",
    "normals",
    "distances",
    "aabb",
    "aabb_root",
    "adjacency",
    "edges",
    "perimeters",
];

pub(super) static FORMAT: Format = Format {
    extensions: &["wok", "pwk", "dwk"],
    text: Some(FormatId::KotorBwmAscii),
    write_extension: Some("wok"),
    options: &[ConvertOption::KotorAuthoring],
    detect: bwm::detect,
    read: |input, limits| Ok(Box::new(Walkmesh::read(input.bytes, limits)?)),
    inspect: |input, limits| Inspection::single("wok", bwm::inspect(input.bytes, limits)),
    rules: bwm::RULES,
    unordered: UNORDERED,
    records: bwm::RECORDS,
    from_scene: Some(|scene, _| {
        let (mesh, losses) = Walkmesh::from_scene(scene, &Default::default())?;
        Ok((Box::new(mesh), losses))
    }),
    author: Some(super::kotor_new::author),
    ..Format::model(FormatId::KotorBwm, "kotor-bwm", "KotOR walkmesh (WOK, PWK, DWK)")
};

document!(
    Walkmesh,
    &FORMAT,
    write: |mesh| Ok(Output::single(mesh.write()?)),
    scene: |mesh, _| Some(mesh.to_scene()),
    convert: |mesh, to, _, context| convert(mesh, to, context),
    also: {
        #[cfg(feature = "walk")]
        fn ground(&self) -> Option<crate::Ground> {
            Some(crate::Ground::of_walkmesh(self))
        }
    },
);

/// Converts between the binary and the text form.
pub(super) fn convert(
    mesh: &Walkmesh,
    to: FormatId,
    context: &SceneContext<'_>,
) -> Result<Option<Converted>, ConvertError> {
    let bytes = match to {
        FormatId::KotorBwm => mesh.write()?,
        FormatId::KotorBwmAscii => bwm::text::print(mesh, context.name)?,
        _ => return Ok(None),
    };
    Ok(Some(Converted::lossless(Output::single(bytes))))
}
