//! KotOR walkmeshes as text.

use std::any::Any;

use galatea_kotor::bwm::text::{self, Part};
use galatea_kotor::bwm::{self, Walkmesh};
use galatea_scene::Scene;
use galatea_wire::{Coverage, Differences, Error, ErrorKind, Fixed, Limits, Report, Rule, Summary};

use crate::file_names::file_name;
use crate::{
    ConvertError, ConvertOption, ConvertOptions, Converted, Document, Format, FormatId, Inspection, Output,
    SceneContext,
};

/// Walkmeshes that came from text and are written as text: that of a room or a placeable, whose document is that of the
/// binary form, or the three of a door.
#[derive(Debug, Clone)]
pub struct AsciiWalkmesh {
    /// The only one, or the first; that of a closed door.
    pub first: Part,
    /// Those of an open door.
    pub others: Vec<Part>,
}

pub(super) static FORMAT: Format = Format {
    extensions: &["ascii", "wok", "pwk", "dwk"],
    text: Some(FormatId::KotorBwmAscii),
    write_extension: Some("wok.ascii"),
    options: &[ConvertOption::KotorAuthoring],
    detect: text::detect,
    read: |input, limits| Ok(Box::new(AsciiWalkmesh::parse(input.bytes, limits)?) as Box<dyn Document>),
    // Text has no fixed places; the error is worth showing all the same.
    inspect: |input, limits| {
        Inspection::single("wok", (Coverage::default(), AsciiWalkmesh::parse(input.bytes, limits).err()))
    },
    rules: bwm::RULES,
    unordered: super::bwm::UNORDERED,
    from_scene: Some(|scene, _| {
        let (walkmesh, losses) = Walkmesh::from_scene(scene, &Default::default())?;
        Ok((Box::new(AsciiWalkmesh::new(walkmesh, &scene.name)), losses))
    }),
    author: Some(super::kotor_new::author),
    ..Format::model(
        FormatId::KotorBwmAscii,
        "kotor-bwm-ascii",
        "KotOR walkmesh as text (MDLOps, MDLEdit, kotorblender, PyKotor)",
    )
};

impl AsciiWalkmesh {
    /// Returns the walkmesh of the room or placeable of this name.
    pub fn new(walkmesh: Walkmesh, name: &str) -> Self {
        AsciiWalkmesh {
            first: Part { name: [name.as_bytes(), b"_wg"].concat(), door: None, walkmesh },
            others: Vec::new(),
        }
    }

    fn parse(bytes: &[u8], limits: &Limits) -> galatea_wire::Result<Self> {
        let mut parts = text::parse_all(bytes, limits)?;
        // Whichever order the tool has, a door is closed first.
        parts.sort_by_key(|part| part.door.map(text::Door::number));
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else {
            let place = galatea_wire::Place::Line { line: 1, column: 1 };
            let (want, found) = ("a node with a mesh".into(), "none".into());
            return Err(Error::new(ErrorKind::Mismatch { want, found }, place));
        };
        Ok(AsciiWalkmesh { first, others: parts.collect() })
    }

    /// Writes the walkmeshes of a door, which a text holds together and the game has in files of their own.
    fn convert(&self, to: FormatId, name: &str) -> Result<Converted, ConvertError> {
        let mut output = match to {
            FormatId::KotorBwm => Output::single(self.first.walkmesh.write()?),
            FormatId::KotorBwmAscii => return Ok(Converted::lossless(self.write()?)),
            _ => return Err(ConvertError::SeveralWalkmeshes),
        };
        let mut free = 1;
        for part in &self.others {
            // The number of the state; where a text has one twice, one that nothing has.
            let number = part.door.map_or(0, text::Door::number).max(free);
            free = number + 1;
            let file = format!("{}{number}.dwk", file_name(name));
            output.siblings.push((file, part.walkmesh.write()?));
        }
        Ok(Converted::lossless(output))
    }

    /// Returns all walkmeshes.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn parts_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }
}

impl Document for AsciiWalkmesh {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        let mut all = self.first.walkmesh.summary();
        for part in &self.others {
            all.add_geometry(&part.walkmesh.summary());
        }
        all
    }

    fn write(&self) -> galatea_wire::Result<Output> {
        Ok(Output::single(text::print_all(self.parts())?))
    }

    fn check(&self) -> Report {
        let mut all = Report::new();
        self.parts().for_each(|part| all.append(part.walkmesh.check()));
        all
    }

    fn fix(&mut self, wanted: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        self.parts_mut().flat_map(|part| part.walkmesh.fix(wanted)).collect()
    }

    fn differences(&self, other: &dyn Document) -> Option<Vec<String>> {
        let other = other.as_any();
        if let Some(other) = other.downcast_ref::<Walkmesh>().filter(|_| self.others.is_empty()) {
            return Some(self.first.walkmesh.differences(other));
        }
        let other = other.downcast_ref::<AsciiWalkmesh>()?;
        Some(Differences::collect(|out| {
            out.value("walkmeshes", &self.parts().count(), &other.parts().count());
            for (number, (a, b)) in self.parts().zip(other.parts()).enumerate() {
                out.within(format_args!("walkmeshes[{number}]"), |out| a.walkmesh.compare(&b.walkmesh, out));
            }
        }))
    }

    fn to_scene(&self, _: &SceneContext<'_>) -> Option<Scene> {
        Some(self.first.walkmesh.to_scene())
    }

    fn convert_to(
        &self,
        to: FormatId,
        _: &ConvertOptions,
        context: &SceneContext<'_>,
    ) -> Result<Option<Converted>, ConvertError> {
        if self.others.is_empty() {
            return super::bwm::convert(&self.first.walkmesh, to, context);
        }
        self.convert(to, context.name).map(Some)
    }

    #[cfg(feature = "walk")]
    fn ground(&self) -> Option<crate::Ground> {
        self.others.is_empty().then(|| crate::Ground::of_walkmesh(&self.first.walkmesh))
    }

    fn as_any(&self) -> &dyn Any {
        if self.others.is_empty() { &self.first.walkmesh } else { self }
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        if self.others.is_empty() { &mut self.first.walkmesh } else { self }
    }
}
