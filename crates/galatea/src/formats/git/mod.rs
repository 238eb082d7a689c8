//! Areas of KotOR (GIT): their doors, placeables and creatures, in the rooms of their layout.

mod check;
mod instances;
mod rules;
mod scene;

use std::any::Any;

use galatea_kotor::table::{Gff, GffField, GffHead, GffStruct};
use galatea_scene::Scene;
use galatea_texture::find::Game;
use galatea_wire::{Error, ErrorKind, Fixed, Limits, Report, Result, Rule, Summary, Wire, escape};

pub use instances::{Body, Instances, Object, ObjectKind};
pub(super) use scene::add;

use super::lyt::layout_scene;
use crate::{Document, Format, FormatId, Input, LayoutFile, Output, SceneContext};

pub(super) static FORMAT: Format = Format {
    extensions: &["git"],
    game: Some(Game::Kotor),
    stored: true,
    detect,
    read: |input, limits| Ok(Box::new(AreaFile::read(input, limits)?)),
    rules: rules::RULES,
    records: &[GffHead::SCHEMA, GffStruct::SCHEMA, GffField::SCHEMA],
    ..Format::model(
        FormatId::KotorGit,
        "kotor-git",
        "KotOR area: doors, placeables and creatures (GIT) in their layout",
    )
};

fn detect(bytes: &[u8]) -> bool {
    Gff::detect(bytes, b"GIT ")
}

/// The objects of an area, and its layout.
#[derive(Debug)]
#[non_exhaustive]
pub struct AreaFile {
    bytes: Vec<u8>,
    /// Doors, placeables and creatures.
    pub instances: Instances,
    /// The rooms, if the layout is available.
    pub layout: Option<LayoutFile>,
}

impl AreaFile {
    /// Reads an area, and beside it its layout, templates, tables and models.
    pub fn read(input: &Input<'_>, limits: &Limits) -> Result<AreaFile> {
        if !detect(input.bytes) {
            return Err(Error::at(ErrorKind::NotThisFormat, 0));
        }
        let gff = Gff::read(input.bytes, limits)?;
        let name = format!("{}.lyt", input.stem().to_lowercase());
        let rooms = input.siblings.and_then(|files| files.file(&name));
        let layout = rooms.map(|bytes| {
            let input = Input { bytes: &bytes, name: &name, ..input.clone() };
            LayoutFile::without_objects(&input, limits).map_err(|e| e.within(&name))
        });
        let instances = Instances::read(&gff, input.siblings, limits)?;
        Ok(AreaFile { bytes: input.bytes.to_vec(), instances, layout: layout.transpose()? })
    }
}

impl Document for AreaFile {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        let count = |kind| self.instances.count(kind);
        let rooms = self.layout.as_ref().map_or(0, |layout| layout.layout.rooms.len());
        let version = format!(
            "rooms: {rooms}, doors: {}, placeables: {}, creatures: {}",
            count(ObjectKind::Door),
            count(ObjectKind::Placeable),
            count(ObjectKind::Creature)
        );
        let mut sum = Summary { version, ..self.layout.as_ref().map(Document::summary).unwrap_or_default() };
        // Each object as often as it is there, as each room is.
        for object in &self.instances.objects {
            let part = match self.instances.body(object) {
                Some(Body::Model(name)) => self.instances.models.get(name).map(Document::summary),
                Some(Body::Creature(look)) => self.instances.creatures.get(look).map(Document::summary),
                _ => None,
            };
            sum.add_geometry(&part.unwrap_or_default());
        }
        sum
    }

    fn write(&self) -> Result<Output> {
        Ok(Output::single(self.bytes.clone()))
    }

    fn check(&self) -> Report {
        check::check(self)
    }

    fn fix(&mut self, _: &dyn Fn(&Rule) -> bool) -> Vec<Fixed> {
        Vec::new()
    }

    fn differences(&self, other: &dyn Document) -> Option<Vec<String>> {
        let other = other.as_any().downcast_ref::<AreaFile>()?;
        let text = |object: &Object| {
            let Object { kind, template, position, turn } = object;
            format!("{kind:?} {} at {position:?}, turned by {turn}", escape(template))
        };
        let mut out = Vec::new();
        super::lyt::lines_of("objects", &self.instances.objects, &other.instances.objects, &text, &mut out);
        Some(out)
    }

    fn to_scene(&self, context: &SceneContext<'_>) -> Option<Scene> {
        Some(layout_scene(self.layout.as_ref(), Some(&self.instances), context.name))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
