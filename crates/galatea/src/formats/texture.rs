//! Textures, and the texts that tell KotOR how to use them. One document for all of them: [`TextureFile`].

use std::any::Any;

use galatea_scene::Scene;
use galatea_texture::{self as texture, Kind, Part, Texture, Txi, bioware, blp, dds, ftex, tpc, txi, wesys};
use galatea_wire::{Coverage, Fixed, Limits, Report, Result, Rule, Schema, Summary, Wire};

use super::document;
use crate::{Companion, Document, Format, Holds, Input, Inspection, Output, SceneContext};

/// The numbered parts of an FTEX.
const PARTS: [&str; 9] =
    ["1.ftexs", "2.ftexs", "3.ftexs", "4.ftexs", "5.ftexs", "6.ftexs", "7.ftexs", "8.ftexs", "9.ftexs"];
/// The level files of a BLP0.
const LEVELS: [&str; 10] = ["b00", "b01", "b02", "b03", "b04", "b05", "b06", "b07", "b08", "b09"];

/// A texture with the TXI that lies beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureFile {
    /// The texture, with those of its parts that are at hand.
    pub texture: Texture,
    /// The TXI of the same name.
    pub txi: Option<Txi>,
}

impl TextureFile {
    /// The text that tells KotOR how to use it: the file beside it, or else the one inside.
    pub fn txi(&self) -> Option<&Txi> {
        let inside = match &self.texture {
            Texture::Tpc(tpc) => Some(&tpc.txi),
            _ => None,
        };
        self.txi.as_ref().or(inside).filter(|t| !t.is_empty())
    }
}

/// What is the same for all texture formats.
const fn format(
    kind: Kind,
    name: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
    companions: &'static [&'static str],
    detect: fn(&[u8]) -> bool,
    records: &'static [&'static Schema],
) -> Format {
    Format {
        name,
        title,
        extensions,
        companions,
        holds: Holds::Texture,
        whole: matches!(kind, Kind::Tpc | Kind::BiowareDds | Kind::Tga),
        stored: matches!(kind, Kind::Tga | Kind::Png | Kind::Jpeg),
        text: None,
        detect,
        read: |input, limits| Ok(Box::new(read(input, limits)?)),
        inspect,
        rules: texture::RULES,
        records,
        from_scene: None,
    }
}

fn is(kind: Kind, bytes: &[u8]) -> bool {
    texture::detect(bytes) == Some(kind)
}

pub(super) static TPC: Format =
    format(Kind::Tpc, "tpc", "KotOR texture", &["tpc"], &["txi"], |b| is(Kind::Tpc, b), tpc::RECORDS);
pub(super) static BIOWARE: Format = format(
    Kind::BiowareDds,
    "bioware-dds",
    "KotOR and Neverwinter Nights texture that is called DDS",
    &["dds"],
    &["txi"],
    |b| is(Kind::BiowareDds, b),
    bioware::RECORDS,
);
pub(super) static BLP: Format = format(
    Kind::Blp,
    "blp",
    "Warcraft III and World of Warcraft texture, BLP0 to BLP2",
    &["blp"],
    &LEVELS,
    |b| is(Kind::Blp, b),
    blp::RECORDS,
);
pub(super) static DDS: Format = format(
    Kind::Dds,
    "dds",
    "Direct3D texture (Reforged, PES)",
    &["dds"],
    &[],
    |b| is(Kind::Dds, b),
    dds::RECORDS,
);
pub(super) static FTEX: Format = format(
    Kind::Ftex,
    "ftex",
    "Fox Engine texture, with its FTEXS parts",
    &["ftex"],
    &PARTS,
    |b| is(Kind::Ftex, b),
    ftex::RECORDS,
);
pub(super) static WESYS: Format = format(
    Kind::Wesys,
    "wesys-dds",
    "DDS in the zlib wrapper of PES",
    &["dds"],
    &[],
    |b| is(Kind::Wesys, b),
    wesys::RECORDS,
);
pub(super) static TGA: Format = format(
    Kind::Tga,
    "tga",
    "Truevision TGA",
    &["tga"],
    &["txi"],
    |b| is(Kind::Tga, b),
    &[texture::TgaHead::SCHEMA],
);
pub(super) static PNG: Format =
    format(Kind::Png, "png", "PNG picture", &["png"], &["txi"], |b| is(Kind::Png, b), &[]);
pub(super) static JPEG: Format =
    format(Kind::Jpeg, "jpeg", "JPEG picture", &["jpg", "jpeg"], &["txi"], |b| is(Kind::Jpeg, b), &[]);

pub(super) static TXI: Format = Format {
    name: "txi",
    title: "KotOR's text on how to use a texture",
    extensions: &["txi"],
    companions: &[],
    holds: Holds::Texture,
    whole: true,
    stored: true,
    text: None,
    detect: txi::detect,
    read: |input, _| Ok(Box::new(Txi::parse(input.bytes))),
    // Text has no fixed places.
    inspect: |_, _| Inspection::single("txi", (Coverage::default(), None)),
    rules: texture::RULES,
    records: &[],
    from_scene: None,
};

/// The number that an extension of a part or level ends or begins with.
fn number(extension: &str) -> Option<u8> {
    match PARTS.iter().position(|p| *p == extension) {
        Some(at) => Some(at as u8 + 1),
        None => LEVELS.iter().position(|l| *l == extension).map(|at| at as u8),
    }
}

fn read(input: &Input<'_>, limits: &Limits) -> Result<TextureFile> {
    let parts = input.companions.iter();
    let parts: Vec<Part<'_>> =
        parts.filter_map(|c| Some(Part { number: number(c.extension)?, bytes: c.bytes })).collect();
    let texture = Texture::read_with(input.bytes, &parts, limits)?;
    Ok(TextureFile { texture, txi: input.companion("txi").map(Txi::parse) })
}

fn inspect(input: &Input<'_>, limits: &Limits) -> Vec<Inspection> {
    let extension =
        texture::detect(input.bytes).map_or("", |kind| of(kind).extensions.first().unwrap_or(&""));
    let mut out = Inspection::single(extension, texture::inspect(input.bytes, limits));
    if let Ok(Texture::Ftex(ftex)) = Texture::read(input.bytes, limits) {
        for companion in &input.companions {
            let Some(number) = number(companion.extension) else { continue };
            let (coverage, error) = ftex::inspect_part(&ftex, number, companion.bytes, limits);
            out.push(Inspection { file: companion.extension, coverage, error });
        }
    }
    out
}

fn of(kind: Kind) -> &'static Format {
    match kind {
        Kind::Tpc => &TPC,
        Kind::BiowareDds => &BIOWARE,
        Kind::Blp => &BLP,
        Kind::Dds => &DDS,
        Kind::Ftex => &FTEX,
        Kind::Wesys => &WESYS,
        Kind::Tga => &TGA,
        Kind::Png => &PNG,
        _ => &JPEG,
    }
}

/// The files that belong to a texture, as they are written.
pub(crate) fn companions(texture: &Texture) -> Result<Vec<Companion<Vec<u8>>>> {
    let mut out = Vec::new();
    match texture {
        Texture::Ftex(ftex) => {
            for number in ftex.parts() {
                if let Some(extension) = PARTS.get(usize::from(number).wrapping_sub(1)) {
                    out.push(Companion { extension, bytes: ftex.write_part(number)? });
                }
            }
        }
        Texture::Blp(blp) if !blp.head.has_table() => {
            let levels = blp.mips.iter().zip(LEVELS).filter(|(mip, _)| !mip.is_empty());
            out.extend(levels.map(|(mip, extension)| Companion { extension, bytes: mip.to_vec() }));
        }
        _ => {}
    }
    Ok(out)
}

impl Document for TextureFile {
    fn format(&self) -> &'static Format {
        of(self.texture.kind())
    }

    fn summary(&self) -> Summary {
        self.texture.summary()
    }

    fn write(&self) -> Result<Output> {
        let mut companions = companions(&self.texture)?;
        companions.extend(self.txi.iter().map(|t| Companion { extension: "txi", bytes: t.print().to_vec() }));
        Ok(Output { bytes: self.texture.write()?, companions, ..Output::default() })
    }

    fn check(&self) -> Report {
        let mut report = self.texture.check();
        if let Some(txi) = &self.txi {
            report.append(txi.check());
        }
        report
    }

    fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        self.texture.fix(wanted)
    }

    fn differences(&self, other: &dyn Document) -> Option<Vec<String>> {
        let other = other.as_any().downcast_ref::<TextureFile>()?;
        if self.texture.kind() != other.texture.kind() {
            return None;
        }
        let mut out = self.texture.differences(&other.texture);
        let beside = |file: &TextureFile| file.txi.clone().unwrap_or_default();
        out.extend(
            beside(self).differences(&beside(other)).into_iter().map(|d| format!("txi beside it: {d}")),
        );
        Some(out)
    }

    fn to_scene(&self, _: &SceneContext<'_>) -> Option<Scene> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

document!(Txi, &TXI, write: |txi| Ok(Output::single(txi.print().to_vec())), scene: |_, _| None);
