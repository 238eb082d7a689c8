//! Textures, and the texts that tell KotOR how to use them. One document for all of them: [`TextureFile`].

use std::any::Any;

use galatea_scene::Scene;
use galatea_texture::{self as texture, Kind, Part, Texture, Txi, bioware, blp, dds, ftex, tpc, txi, wesys};
use galatea_wire::{Coverage, Differences, Fixed, Limits, Report, Result, Rule, Summary, Wire};

use super::{convert_texture, document, texture_encode};
use crate::{
    Companion, ConvertError, ConvertOption, ConvertOptions, Converted, Document, Encoding, Format, FormatId,
    Input, Inspection, Output, SceneContext,
};

/// The numbered parts of an FTEX.
const PARTS: [&str; 9] =
    ["1.ftexs", "2.ftexs", "3.ftexs", "4.ftexs", "5.ftexs", "6.ftexs", "7.ftexs", "8.ftexs", "9.ftexs"];
/// The level files of a BLP0.
const LEVELS: [&str; 10] = ["b00", "b01", "b02", "b03", "b04", "b05", "b06", "b07", "b08", "b09"];

/// A texture with the TXI that lies beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureFile {
    /// The texture, with those of its parts that are available.
    pub texture: Texture,
    /// The TXI of the same name.
    pub txi: Option<Txi>,
}

impl TextureFile {
    /// Returns the text that tells KotOR how to use it: the file beside it, or else the one inside.
    pub fn txi(&self) -> Option<&Txi> {
        let inside = match &self.texture {
            Texture::Tpc(tpc) => Some(&tpc.txi),
            _ => None,
        };
        self.txi.as_ref().or(inside).filter(|t| !t.is_empty())
    }
}

/// Returns what is the same for all textures; the rest is for each to fill in.
const fn texture(id: FormatId, name: &'static str, title: &'static str) -> Format {
    Format {
        read: |input, limits| Ok(Box::new(read(input, limits)?)),
        inspect,
        rules: texture::RULES,
        ..Format::texture(id, name, title)
    }
}

fn is(kind: Kind, bytes: &[u8]) -> bool {
    texture::detect(bytes) == Some(kind)
}

pub(super) static TPC: Format = Format {
    extensions: &["tpc"],
    companions: &["txi"],
    needs_full_scan: true,
    write_extension: Some("tpc"),
    encodings: &[Encoding::Raw, Encoding::Grey, Encoding::Bc1, Encoding::Bc3],
    detect: |b| is(Kind::Tpc, b),
    records: tpc::RECORDS,
    encode: Some(texture_encode::tpc),
    ..texture(FormatId::Tpc, "tpc", "KotOR texture")
};

pub(super) static BIOWARE: Format = Format {
    extensions: &["dds"],
    companions: &["txi"],
    needs_full_scan: true,
    detect: |b| is(Kind::BiowareDds, b),
    records: bioware::RECORDS,
    ..texture(FormatId::BiowareDds, "bioware-dds", "KotOR and Neverwinter Nights texture that is called DDS")
};

pub(super) static BLP: Format = Format {
    extensions: &["blp"],
    companions: &LEVELS,
    write_extension: Some("blp"),
    encodings: &[Encoding::Jpeg, Encoding::Palette],
    detect: |b| is(Kind::Blp, b),
    records: blp::RECORDS,
    encode: Some(texture_encode::blp),
    ..texture(FormatId::Blp, "blp", "Warcraft III and World of Warcraft texture, BLP0 to BLP2")
};

/// How a DDS or FTEX can store pixels.
const BLOCKS: &[Encoding] = &[Encoding::Raw, Encoding::Bc1, Encoding::Bc3, Encoding::Bc5, Encoding::Bc7];

pub(super) static DDS: Format = Format {
    extensions: &["dds"],
    write_extension: Some("dds"),
    encodings: BLOCKS,
    detect: |b| is(Kind::Dds, b),
    records: dds::RECORDS,
    encode: Some(texture_encode::dds),
    ..texture(FormatId::Dds, "dds", "Direct3D texture (Reforged, PES)")
};

pub(super) static FTEX: Format = Format {
    extensions: &["ftex"],
    companions: &PARTS,
    write_extension: Some("ftex"),
    options: &[ConvertOption::Ftexs],
    encodings: BLOCKS,
    detect: |b| is(Kind::Ftex, b),
    records: ftex::RECORDS,
    encode: Some(texture_encode::ftex),
    ..texture(FormatId::Ftex, "ftex", "Fox Engine texture, with its FTEXS parts")
};

pub(super) static WESYS: Format = Format {
    extensions: &["dds"],
    detect: |b| is(Kind::Wesys, b),
    records: wesys::RECORDS,
    ..texture(FormatId::WesysDds, "wesys-dds", "DDS in the zlib wrapper of PES")
};

pub(super) static TGA: Format = Format {
    extensions: &["tga"],
    companions: &["txi"],
    needs_full_scan: true,
    stored: true,
    write_extension: Some("tga"),
    detect: |b| is(Kind::Tga, b),
    records: &[texture::TgaHead::SCHEMA],
    encode: Some(texture_encode::tga),
    ..texture(FormatId::Tga, "tga", "Truevision TGA")
};

pub(super) static PNG: Format = Format {
    extensions: &["png"],
    companions: &["txi"],
    stored: true,
    write_extension: Some("png"),
    detect: |b| is(Kind::Png, b),
    encode: Some(texture_encode::png),
    ..texture(FormatId::Png, "png", "PNG image")
};

pub(super) static JPEG: Format = Format {
    extensions: &["jpg", "jpeg"],
    companions: &["txi"],
    stored: true,
    detect: |b| is(Kind::Jpeg, b),
    ..texture(FormatId::Jpeg, "jpeg", "JPEG image")
};

pub(super) static TXI: Format = Format {
    extensions: &["txi"],
    needs_full_scan: true,
    stored: true,
    detect: txi::detect,
    read: |input, _| Ok(Box::new(Txi::parse(input.bytes))),
    // Text has no fixed places.
    inspect: |_, _| Inspection::single("txi", (Coverage::default(), None)),
    rules: texture::RULES,
    ..Format::texture(FormatId::Txi, "txi", "KotOR's text on how to use a texture")
};

/// Returns the number that an extension of a part or level ends or begins with.
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

/// Returns the files that belong to a texture, as they are written.
pub(super) fn companions(texture: &Texture) -> Result<Vec<Companion<Vec<u8>>>> {
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
        let txi = |file: &TextureFile| file.txi.clone().unwrap_or_default();
        Some(Differences::collect(|out| {
            self.texture.compare(&other.texture, out);
            out.within("txi file", |out| txi(self).compare(&txi(other), out));
        }))
    }

    fn to_scene(&self, _: &SceneContext<'_>) -> Option<Scene> {
        None
    }

    fn convert_to(
        &self,
        to: FormatId,
        options: &ConvertOptions,
        context: &SceneContext<'_>,
    ) -> std::result::Result<Option<Converted>, ConvertError> {
        convert_texture(self, to, options, context.name).map(Some)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

document!(Txi, &TXI, write: |txi| Ok(Output::single(txi.print().to_vec())), scene: |_, _| None);
