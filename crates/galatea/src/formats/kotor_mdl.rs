//! KotOR models.

use galatea_kotor::mdl::{self, Model};

use super::document;
use crate::{Format, Holds, Inspection, Output};

pub(super) static FORMAT: Format = Format {
    name: "kotor-mdl",
    title: "KotOR 1 and 2 model, PC and Xbox",
    extensions: &["mdl"],
    companions: &["mdx"],
    holds: Holds::Model,
    whole: false,
    text: Some("kotor-mdl-ascii"),
    detect: mdl::detect,
    read: |input, limits| Ok(Box::new(Model::read(input.bytes, input.companion("mdx"), limits)?)),
    inspect: |input, limits| {
        let seen = mdl::inspect(input.bytes, input.companion("mdx"), limits);
        vec![
            Inspection { file: "mdl", coverage: seen.mdl, error: seen.error },
            Inspection { file: "mdx", coverage: seen.mdx, error: None },
        ]
    },
    rules: mdl::RULES,
    records: mdl::RECORDS,
};

document!(
    Model,
    &FORMAT,
    write: |model| {
        let pair = model.write()?;
        Ok(Output::with_companion(pair.mdl, "mdx", pair.mdx))
    },
    scene: |model, _| Some(model.to_scene()),
);
